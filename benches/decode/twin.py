"""mlx-lm's side of `cargo bench --bench decode`: the same random Llama, the same loop.

Takes a line of JSON, the shape, and answers "ready"; then for each number of tokens a line of JSON. It needs
mlx==0.32.2, and beside it mlx-lm==0.32.2 without its dependencies (pip install --no-deps).
"""

import importlib.util
import io
import json
import sys
import types
import zlib
from time import perf_counter_ns

import mlx.core as mx
import mlx.nn as nn

print(mx.__version__, flush=True)


def model_of(told):
    # The package's own __init__ imports transformers, which its models do not need.
    package = types.ModuleType("mlx_lm")
    package.__path__ = list(importlib.util.find_spec("mlx_lm").submodule_search_locations)
    sys.modules["mlx_lm"] = package
    from mlx_lm.models import llama

    model = llama.Model(llama.ModelArgs.from_dict(told["model"]))
    dtype = getattr(mx, told["dtype"])
    weights = []
    for i, (name, shape) in enumerate(told["names"]):
        drawn = mx.random.normal(shape, key=mx.random.key(told["seed"] + i))
        drawn = drawn * (1.0 / shape[1] ** 0.5) if len(shape) == 2 else drawn * 0.1 + 1.0
        weights.append((name, drawn.astype(dtype)))
        mx.eval(weights[-1][1])
    model.load_weights(weights)
    if told["quantize"] is not None:
        nn.quantize(model, group_size=64, bits=told["quantize"])
    mx.eval(model.parameters())
    return model


def timed(model, count):
    from mlx_lm.models.cache import make_prompt_cache

    cache = make_prompt_cache(model)

    def following(token):
        logits = model(token[None], cache=cache)[:, -1, :]
        return mx.argmax(logits, axis=-1), logits

    token, logits = following(mx.array([1], mx.uint32))
    mx.async_eval(token)
    tokens, build, schedule, wait = [], 0, 0, 0
    start = perf_counter_ns()
    for _ in range(count):
        begun = perf_counter_ns()
        after, logits = following(token)
        built = perf_counter_ns()
        mx.async_eval(after)
        scheduled = perf_counter_ns()
        tokens.append(token.item())
        wait += perf_counter_ns() - scheduled
        schedule += scheduled - built
        build += built - begun
        token = after
    total = perf_counter_ns() - start
    mx.eval(token, logits)
    bits = zlib.crc32(bytes(memoryview(mx.contiguous(logits).view(mx.uint8))))
    dot = io.StringIO()
    mx.export_to_dot(dot, following(token)[0])
    nodes = dot.getvalue().count("shape=rectangle")
    times = dict(build=build, schedule=schedule, wait=wait, total=total)
    return dict({name: time // max(count, 1) for name, time in times.items()}, nodes=nodes, tokens=tokens, bits=bits)


def main():
    model = None
    for line in sys.stdin:
        try:
            if model is None:
                told = json.loads(line)
                if told["device"] is not None:
                    mx.set_default_device(getattr(mx, told["device"]))
                model = model_of(told)
                print("ready", flush=True)
            else:
                print(json.dumps(timed(model, int(line))), flush=True)
        except Exception as why:
            print(f"{type(why).__name__}: {why}".replace("\n", " "), flush=True)


main()
