"""Inputs read from files: of safetensors and that file's bytes, and of the formats that tests/files has files of.

Not here: writing or refusing files, which is tested on the other side alone.
"""

import json
import struct

from .base import case, step

FILE = "data/tiny.safetensors"
# Raw little-endian words, so that halves and NaN patterns are exactly these.
TENSORS = {
    "weights": ("F32", [2, 3], "<6f", [0.5, -1.25, 2.0, -0.0, 3.5, 1e-3]),
    "weights_bf16": ("BF16", [2, 3], "<6H", [0x3F80, 0xBF00, 0x4049, 0x0001, 0x7F80, 0x8000]),
    "weights_f16": ("F16", [3], "<3H", [0x3C00, 0xC100, 0x0001]),
    "mask": ("BOOL", [2, 3], "<6B", [1, 0, 1, 0, 0, 1]),
    "ids": ("I64", [4], "<4q", [0, -1, 2**40, -(2**63)]),
    "counts": ("U8", [3], "<3B", [0, 7, 255]),
    "small": ("I32", [], "<i", [-5]),
    "nothing": ("F32", [0, 3], "<", []),
}
PYTHON_DTYPES = {
    "F32": "float32", "BF16": "bfloat16", "F16": "float16", "BOOL": "bool_", "I64": "int64",
    "U8": "uint8", "I32": "int32",
}


def tiny_safetensors():
    # What Python MLX writes where there is no metadata.
    header, data = {"__metadata__": None}, b""
    for name, (dtype, shape, form, values) in TENSORS.items():
        packed = struct.pack(form, *values)
        span = [len(data), len(data) + len(packed)]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": span}
        data += packed
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def read(name):
    return {"file": FILE, "tensor": name}


def plain():
    for name, (dtype, shape, _, _) in TENSORS.items():
        stated = {**read(name), "dtype": PYTHON_DTYPES[dtype], "shape": shape}
        yield case(f"file_{name}", {"a": read(name), "b": stated}, [], ["a", "b"])


def used():
    inputs = {"w": read("weights"), "b": read("weights_bf16"), "h": read("weights_f16")}
    steps = [step("y", "+", "$w", "$h"), step("z", "*", "$b", 0.5), step("x", "@", "$w", "$h")]
    yield case("file_maths", inputs, steps, ["y", "z", "x"])
    inputs = {"w": read("weights"), "m": read("mask"), "n": read("counts"), "e": read("nothing")}
    steps = [
        step("y", "mx.where", "$m", "$w", 0), step("z", "/", "$n", 2),
        step("x", "mx.concatenate", ["$e", "$w"]),
    ]
    yield case("file_selection", inputs, steps, ["y", "z", "x"])
    inputs = {"i": read("ids"), "s": read("small")}
    yield case("file_ints", inputs, [step("y", "+", "$i", "$s"), step("z", "%", "$i", 7)], ["y", "z"])


# Each a file beside tests/files/make.py, which says what stands in it.
FORMATS = {
    "saved.safetensors": ["transposed", "reversed", "scalar", "nothing", "bfloat16", "complex64", "layers.39.weight", ""],
    "saved.npz": ["m", "layers.0", "layers.19"],
    "compressed.npz": ["zeros", "half"],
    "numpy.npz": ["a", "b/c"],
    "saved.gguf": ["float16", "float32", "int8", "int16", "int32", "turned", "scalar", "blk.7"],
    "types.gguf": [
        "f32", "f16", "i8", "i16", "i32", "bf16", "nothing", "q4_0.weight", "q4_0.scales", "q4_0.biases",
        "q4_1.weight", "q4_1.scales", "q4_1.biases", "q8_0.weight", "q8_0.scales", "q8_0.biases", "token_embd",
        "tok.scales", "tok.biases", "tiny", "tiny.scales", "q2_k.weight", "q6_k.weight",
    ],
}


def formats():
    for file, names in FORMATS.items():
        inputs = {f"x{i}": {"file": f"../files/{file}", "tensor": name} for i, name in enumerate(names)}
        yield case("file_" + file.replace(".", "_"), inputs, [], list(inputs))
    parts = {part: {"file": "../files/types.gguf", "tensor": f"q4_1.{part}"} for part in ("weight", "scales", "biases")}
    steps = [step("y", "mx.dequantize", "$weight", "$scales", "$biases", 32, 4)]
    yield case("file_gguf_dequantized", parts, steps, ["y"])


def cases():
    return [made for part in (plain, used, formats) for made in part()]
