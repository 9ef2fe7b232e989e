"""fast.scaled_dot_product_attention: heads, shapes, masks, sinks and refusals."""

from .base import HALVES, SHORT, case, dims, drawn, error, killer, normal, step, tensor

NAME = "fast.scaled_dot_product_attention"


def call(scale=0.5, **kw):
    return step("y", NAME, "$q", "$k", "$v", scale=scale, **kw)


def qkv(dtype, q, k, v=None):
    return {"q": drawn(dtype, q, 1), "k": drawn(dtype, k, 2), "v": drawn(dtype, v or k, 3)}


SHAPES = [
    ([1, 2, 3, 4], [1, 2, 3, 4], None),
    ([2, 2, 3, 4], [2, 2, 5, 4], None),
    ([1, 4, 1, 8], [1, 2, 7, 8], None),
    ([1, 4, 9, 8], [1, 1, 9, 8], None),
    ([1, 2, 3, 4], [1, 2, 5, 4], [1, 2, 5, 6]),
    ([1, 3, 33, 16], [1, 3, 33, 16], None),
    ([1, 2, 4, 4], [1, 2, 2, 4], None),
    ([1, 2, 3, 4], [1, 2, 0, 4], None),
    ([1, 2, 0, 4], [1, 2, 3, 4], None),
    ([0, 2, 3, 4], [0, 2, 3, 4], None),
    ([1, 2, 3, 0], [1, 2, 3, 0], None),
    ([1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 0]),
]


def shapes():
    for dtype in HALVES + ["float32"]:
        for q, k, v in SHAPES:
            name = f"attention_{dims(q)}_{dims(k)}_{dims(v or k)}_{SHORT[dtype]}"
            yield case(name, qkv(dtype, q, k, v), [call()])
            yield case(f"{name}_causal", qkv(dtype, q, k, v), [call(mask="causal")])


def scales():
    inputs = qkv("bfloat16", [1, 2, 3, 4], [1, 2, 3, 4])
    for scale in (1, 0.0, 0.1, -1.0, 0.35355339059327373, {"float": "inf"}):
        tag = str(scale).strip("{}'").replace("'", "").replace(": ", "_").replace("-", "minus_")
        yield case(f"attention_scale_{tag}", inputs, [call(scale)])
    inputs = qkv("float64", [1, 2, 3, 4], [1, 2, 3, 4])
    yield case("attention_f64", inputs, [call()])
    for left, right in (("bfloat16", "float32"), ("float16", "bfloat16")):
        inputs = {**qkv(left, [1, 2, 3, 4], [1, 2, 3, 4]), "v": normal(right, [1, 2, 3, 4], 3)}
        yield case(f"attention_{SHORT[left]}_{SHORT[right]}", inputs, [call()])


def masks():
    for dtype in HALVES + ["float32"]:
        inputs = qkv(dtype, [2, 4, 3, 8], [2, 2, 3, 8])
        for shape in ([3, 3], [1, 3], [4, 3, 3], [2, 1, 3, 3], [2, 4, 3, 3], []):
            size = 1
            for n in shape:
                size *= n
            bits = [(7 * i + i // 3) % 3 != 0 for i in range(size)]
            mask = {"m": tensor("bool_", shape, [int(bit) for bit in bits])}
            yield case(
                f"attention_bool_{dims(shape)}_{SHORT[dtype]}",
                {**inputs, **mask},
                [call(mask="$m")],
            )
            mask = {"m": tensor(dtype, shape, [0.0 if bit else "-inf" for bit in bits])}
            yield case(
                f"attention_add_{dims(shape)}_{SHORT[dtype]}", {**inputs, **mask}, [call(mask="$m")]
            )
        mask = {"m": tensor("int32", [3, 3], [0, 1, -2, 3, 0, 0, 1, 1, -9])}
        yield case(f"attention_int_mask_{SHORT[dtype]}", {**inputs, **mask}, [call(mask="$m")])
        none = {"m": tensor("bool_", [3, 3], [0, 0, 0, 1, 0, 1, 0, 0, 0])}
        yield case(f"attention_blind_query_{SHORT[dtype]}", {**inputs, **none}, [call(mask="$m")])


def sinks():
    for dtype in HALVES + ["float32"]:
        inputs = {**qkv(dtype, [1, 4, 3, 8], [1, 2, 5, 8]), "s": normal(dtype, [4], 4)}
        yield case(f"attention_sinks_{SHORT[dtype]}", inputs, [call(sinks="$s")])
        yield case(
            f"attention_sinks_causal_{SHORT[dtype]}", inputs, [call(sinks="$s", mask="causal")]
        )
        inputs = {**inputs, "s": tensor(dtype, [4], ["-inf", 0.0, "inf", 100.0])}
        yield case(f"attention_sinks_special_{SHORT[dtype]}", inputs, [call(sinks="$s")])


def refused():
    good = [1, 2, 3, 4]
    inputs = qkv("float32", good, good)
    for tag, mask in (("word", "x"), ("empty", ""), ("array", "array")):
        yield error(f"attention_mask_{tag}", inputs, call(mask=mask))
    for q, k, v in (
        ([1, 3, 3, 4], good, good),
        ([3, 4], [3, 4], [3, 4]),
        ([1, 2, 3, 5], good, good),
        (good, good, [1, 1, 3, 4]),
        (good, good, [1, 2, 4, 4]),
        (good, [1, 2, 4, 4], good),
        ([2, 2, 3, 4], good, good),
        ([1, 0, 3, 4], good, good),
    ):
        name = f"attention_refused_{dims(q)}_{dims(k)}_{dims(v)}"
        yield error(name, qkv("float32", q, k, v), call())
    for dtype, shape in (
        ("float32", [3, 4]),
        ("float32", [1, 1, 1, 3, 3]),
        ("float32", [2, 2, 3, 3]),
        ("float64", [3, 3]),
        ("complex64", [3, 3]),
        ("float32", [0]),
    ):
        mask = {"m": tensor("float32", shape, []) if 0 in shape else normal(dtype, shape, 5)}
        yield error(
            f"attention_mask_{SHORT[dtype]}_{dims(shape)}", {**inputs, **mask}, call(mask="$m")
        )
    halves = {**qkv("bfloat16", good, good), "m": normal("float32", [3, 3], 5)}
    yield error("attention_mask_wider", halves, call(mask="$m"))
    for dtype, shape in (("float32", [3]), ("float32", [1, 2]), ("float64", [2])):
        extra = {"s": normal(dtype, shape, 5)}
        yield error(
            f"attention_sinks_{SHORT[dtype]}_{dims(shape)}", {**inputs, **extra}, call(sinks="$s")
        )
    yield error("attention_force_fused", inputs, call(force_fused=True))
    for dtype in ("int32", "bool_", "complex64"):
        one = {name: tensor(dtype, [1, 1, 1, 2], [1, 0]) for name in "qkv"}
        yield error(f"attention_{SHORT[dtype]}_refused", one, call())
    for q, k in (([1, 0, 3, 4],) * 2, ([1, 2, 3, 4], [1, 0, 3, 4]), ([0, 0, 0, 0],) * 2):
        yield killer(f"attention_no_heads_{dims(q)}", qkv("float32", q, k), call())


def cases():
    parts = (shapes, scales, masks, sinks, refused)
    return [made for part in parts for made in part()]
