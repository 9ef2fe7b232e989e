#!/usr/bin/env python3
"""Writes the committed parity cases: one JSON file per family beside this script, and data/.

`generate.py` writes, `generate.py --check` fails when a committed file is not what would be
written. Here: the list of families and the writing. Not here: the cases (gen/*.py), and anything
that runs them; no MLX is needed.
"""

import functools
import json
import pathlib
import sys
import types

sys.dont_write_bytecode = True

from gen import (
    activation_modules, activations, arrange, assignment, at_updates, attention, attention_layers, binary_functions, broadcasting, convolution, convolution_layers, convolutions, creation, diagonals, dtype_pairs, dtypes, fft, files, formulas, fused_losses, indexing, initializers, integer_division, layers, linalg, losses, matmul, methods, more_activations, more_layers, norm_layers, norms, numeric, operators, optimizers, order, padding, pooling, positional, products, quantization, quantized_layers, quantized_products, random_numbers, recurrent, reductions, rope, scalars, selection, shapes, softmax, sparse_products, taking, tensor_indexing, transforms_bodies, transforms_grad, transforms_jvp, transforms_vmap, unary, upsampling,
)
from gen.base import LITERALS

HERE = pathlib.Path(__file__).resolve().parent
FAMILIES = {
    "operators": operators,
    "dtype_pairs": dtype_pairs,
    "scalars": scalars,
    "broadcasting": broadcasting,
    "integer_division": integer_division,
    "unary": unary,
    "numeric": numeric,
    "order": order,
    "dtypes": dtypes,
    "binary_functions": binary_functions,
    "reductions": reductions,
    "selection": selection,
    "matmul": matmul,
    "softmax": softmax,
    "shapes": shapes,
    "arrange": arrange,
    "padding": padding,
    "creation": creation,
    "diagonals": diagonals,
    "indexing": indexing,
    "tensor_indexing": tensor_indexing,
    "assignment": assignment,
    "at_updates": at_updates,
    "taking": taking,
    "methods": methods,
    "files": files,
    "formulas": formulas,
    "convolution": convolution,
    "convolutions": convolutions,
    "products": products,
    "sparse_products": sparse_products,
    "norms": norms,
    "rope": rope,
    "attention": attention,
    "fused_losses": fused_losses,
    "quantization": quantization,
    "quantized_products": quantized_products,
    "activations": activations,
    "more_activations": more_activations,
    "losses": losses,
    "initializers": initializers,
    "layers": layers,
    "optimizers": optimizers,
    "more_layers": more_layers,
    "convolution_layers": convolution_layers,
    "norm_layers": norm_layers,
    "pooling": pooling,
    "upsampling": upsampling,
    "activation_modules": activation_modules,
    "positional": positional,
    "attention_layers": attention_layers,
    "recurrent": recurrent,
    "quantized_layers": quantized_layers,
    "random_numbers": random_numbers,
    "linalg": linalg,
    "fft": fft,
    "transforms_second_order": types.SimpleNamespace(cases=transforms_grad.second_cases),
    "transforms_bodies": transforms_bodies,
    "transforms_forward": transforms_jvp,
    "transforms_vmap_and_gradients": types.SimpleNamespace(cases=transforms_vmap.with_gradients),
}
for kind, calls in transforms_grad.families().items():
    for name, cases_of in [("gradients", transforms_grad.cases_of), ("vmap", transforms_vmap.cases_of)]:
        cases = functools.partial(cases_of, calls)
        FAMILIES[f"transforms_{name}_{kind}"] = types.SimpleNamespace(cases=cases)


def as_text(cases):
    names = [case["name"] for case in cases]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SystemExit(f"names used twice: {twice}")
    # One case a line: a change to a case is one line of a diff.
    lines = ",\n".join(" " + json.dumps(case, allow_nan=False) for case in cases)
    for stand_in, literal in LITERALS.items():
        lines = lines.replace(f'"{stand_in}"', literal)
    return '{"mlx": "0.32.2", "cases": [\n' + lines + "\n]}\n"


def wanted_files():
    wanted = {f"{name}.json": as_text(family.cases()).encode() for name, family in FAMILIES.items()}
    wanted["data/tiny.safetensors"] = files.tiny_safetensors()
    return wanted


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        raise SystemExit("usage: generate.py [--check]")
    stale = []
    for name, content in wanted_files().items():
        path = HERE / name
        if path.is_file() and path.read_bytes() == content:
            continue
        stale.append(name)
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
    if check and stale:
        raise SystemExit(f"stale, run tests/parity/generate.py: {', '.join(stale)}")
    print(f"{len(FAMILIES)} families, {len(stale)} files {'stale' if check else 'written'}")


if __name__ == "__main__":
    main()
