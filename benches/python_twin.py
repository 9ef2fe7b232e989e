"""Python MLX's side of the benches graph_build and transforms.

Prints MLX's version, then answers each line "CASE COUNT" with the nanoseconds that COUNT runs of CASE took.
A result is dropped within its run, as in the bench; of `eval` cases only the evaluation counts.
"""

import sys
import timeit
from time import perf_counter_ns

import mlx.core as mx


def half(shape, dtype=mx.float32):
    array = mx.full(shape, 0.5, dtype)
    mx.eval(array)
    return array


def evals(columns):
    a, b = half((1, columns)), half((1, columns))

    def run(count):
        total = 0
        for _ in range(count):
            c = a + b
            start = perf_counter_ns()
            mx.eval(c)
            total += perf_counter_ns() - start
            del c
        return total

    return run


def builds(statement, dtype=mx.float32, **more):
    names = {"a": half((2, 3), dtype), "b": half((2, 3), dtype), "mx": mx, **more}
    timer = timeit.Timer(statement, globals=names)
    return lambda count: round(timer.timeit(count) * 1e9)


IDS = mx.arange(0, 32000, 250)
mx.eval(IDS)
TABLE = {"table": half((32000, 64)), "ids": IDS}


def mlp_loss(layers, x, y):
    *inner, last = layers
    for weight, bias in inner:
        x = mx.maximum(x @ weight.T + bias, 0.0)
    return mx.mean(mx.square(x @ last[0].T + last[1] - y))


MLP = {
    "step": mx.value_and_grad(mlp_loss),
    "layers": [(half((256, 256)), half((256,))) for _ in range(3)],
    "x": half((64, 256)),
    "y": half((64, 256)),
}
COMPILED = mx.compile(lambda x, y: mx.tanh(x * y + x))

CASES = {
    "a + b, f32": builds("c = a + b; del c"),
    "a + b, bf16": builds("c = a + b; del c", mx.bfloat16),
    "a * 0.5, f32": builds("c = a * 0.5; del c"),
    "a * 0.5, bf16": builds("c = a * 0.5; del c", mx.bfloat16),
    "chain of 20": builds("c = a\nfor _ in range(10): c = c * 0.5 + b\ndel c"),
    "x[:, 1:3]": builds("c = x[:, 1:3]; del c", x=half((2, 6))),
    "lookup of 128 ids": builds("c = mx.take(table, ids, 0); del c", **TABLE),
    "lookup of 128 ids, eval": builds("c = mx.take(table, ids, 0); mx.eval(c); del c", **TABLE),
    "lookup of 128 lazy ids, eval": builds("c = mx.take(table, ids + 0, 0); mx.eval(c); del c", **TABLE),
    "value_and_grad of an MLP": builds("c = step(layers, x, y); del c", **MLP),
    "a compiled call": builds("c = f(a, b); del c", f=COMPILED),
    "eval of 1": evals(1),
    "eval of 1024": evals(1024),
    "eval of 16384": evals(16384),
}

print(mx.__version__, flush=True)
for line in sys.stdin:
    case, count = line.rsplit(maxsplit=1)
    print(CASES[case](int(count)) if case in CASES else "-", flush=True)
