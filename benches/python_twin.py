"""Python MLX's side of the benches graph_build, encoder, transforms and kernels.

Prints MLX's version, then answers each line "CASE COUNT" with the nanoseconds that COUNT runs of CASE took.
A result is dropped within its run, as in the bench; of `eval` cases only the evaluation counts.
"""

import sys
import timeit
from time import perf_counter_ns

import mlx.core as mx
import mlx.nn as nn


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


def builds_layer(statement, layer, shape):
    """`builds` with a model, which is made at the first run: other benches have no use for it."""
    made = []

    def run(count):
        if not made:
            model, x = layer(), mx.zeros(shape)
            mx.eval(model.parameters(), x)
            made.append(builds(statement, model=model, x=x))
        return made[0](count)

    return run


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


def drawn(shape, seed):
    array = mx.random.normal(shape, mx.bfloat16, key=mx.random.key(seed))
    mx.eval(array)
    return array


def computed(operand, work):
    """`work` on each of 16 operands, made at the first run, built, computed and dropped."""
    operands = []

    def run(count):
        if not operands:
            operands.extend(operand(seed) for seed in range(16))
            mx.eval([work(*o) for o in operands])
        start = perf_counter_ns()
        for _ in range(count):
            results = [work(*o) for o in operands]
            mx.eval(results)
            del results
        return perf_counter_ns() - start

    return run


def attention(length):
    kv = (1, 8, length, 128)
    return computed(
        lambda seed: (drawn((1, 32, 1, 128), seed), drawn(kv, seed + 100), drawn(kv, seed + 200)),
        lambda q, k, v: mx.fast.scaled_dot_product_attention(q, k, v, scale=0.088388346),
    )


def quantized(bits):
    def operand(seed):
        parts = mx.quantize(drawn((4096, 4096), seed), group_size=64, bits=bits)
        mx.eval(parts)
        return (drawn((1, 4096), seed + 100), *parts)

    return computed(
        operand, lambda x, w, s, b: mx.quantized_matmul(x, w, s, b, transpose=True, group_size=64, bits=bits)
    )


def families():
    """One op of each family; what the statements are built from has the names of `families.rs`."""
    names = {
        "x": half((2, 3)),
        "wide": half((2, 6)),
        "square": half((2, 2)),
        "ids": mx.array([1, 0]),
        "image": half((1, 8, 8, 3)),
        "kernel": half((4, 3, 3, 3)),
        "heads": half((1, 2, 4, 8)),
        "weight": half((3,)),
        "key": mx.random.key(1),
        "rows": half((2, 64)),
        "packed": mx.quantize(half((2, 64))),
        "experts": mx.quantize(half((2, 2, 64))),
    }
    mx.eval(names["ids"], names["key"], names["packed"], names["experts"])
    expressions = {
        "exp": "mx.exp(x)",
        "sum of an axis": "mx.sum(x, 1)",
        "cumsum": "mx.cumsum(x, 1)",
        "sort": "mx.sort(x, 1)",
        "softmax": "mx.softmax(x, 1)",
        "reshape": "mx.reshape(x, (3, 2))",
        "transpose": "mx.transpose(x, (1, 0))",
        "concatenate": "mx.concatenate([x, wide], 1)",
        "pad": "mx.pad(x, [(1, 2), (0, 1)])",
        "x[1]": "x[1]",
        "x[1, :]": "x[1, :]",
        "x[:, ids]": "x[:, ids]",
        # The assignment itself goes to another handle of the same array.
        "x[:, 1:3] = v": "mx.array(wide); c[:, 1:3] = square",
        "x.at[ids].add(v)": "x.at[ids].add(x)",
        "where": "mx.where(x, x, x)",
        "matmul": "mx.matmul(square, x)",
        "einsum": "mx.einsum('ij,jk->ik', square, x)",
        "tensordot": "mx.tensordot(square, x, ([1], [0]))",
        "random.normal": "mx.random.normal((2, 3), key=key)",
        "linalg.norm": "mx.linalg.norm(x, axis=1)",
        "fft.rfft": "mx.fft.rfft(wide)",
        "conv2d": "mx.conv2d(image, kernel)",
        "fast.rms_norm": "mx.fast.rms_norm(x, weight, 1e-5)",
        "fast.rope": "mx.fast.rope(heads, 8, traditional=False, base=10000.0, scale=1.0, offset=4)",
        "fast.layer_norm": "mx.fast.layer_norm(x, weight, weight, 1e-5)",
        "quantize": "mx.quantize(rows)",
        "dequantize": "mx.dequantize(*packed)",
        "quantized_matmul": "mx.quantized_matmul(rows, *packed)",
        "gather_qmm": "mx.gather_qmm(rows, *experts, rhs_indices=ids)",
        "fast.attention": "mx.fast.scaled_dot_product_attention(heads, heads, heads, scale=0.5)",
    }
    return {name: builds(f"c = {expression}; del c", **names) for name, expression in expressions.items()}


CASES = {
    **families(),
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
    "encoder of 12 layers": builds_layer('c = model(x, "causal"); del c', lambda: nn.TransformerEncoder(12, 64, 8), (1, 16, 64)),
    "LSTM of 64 steps": builds_layer("c = model(x); del c", lambda: nn.LSTM(16, 16), (1, 64, 16)),
    "a compiled call": builds("c = f(a, b); del c", f=COMPILED),
    "negate 16 MiB": computed(lambda seed: (drawn((8 << 20,), seed),), mx.negative),
    **{f"attention over {length}": attention(length) for length in (1, 64, 512, 2048, 8192)},
    **{f"a row by {bits} bits": quantized(bits) for bits in (4, 8)},
    "eval of 1": evals(1),
    "eval of 1024": evals(1024),
    "eval of 16384": evals(16384),
}

print(mx.__version__, flush=True)
for line in sys.stdin:
    case, count = line.rsplit(maxsplit=1)
    print(CASES[case](int(count)) if case in CASES else "-", flush=True)
