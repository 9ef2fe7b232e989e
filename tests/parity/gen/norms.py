"""fast.rms_norm: dtypes, weights, eps, shapes, specials and refusals."""

from .base import DTYPES, FLOATS, HALVES, SHORT, case, error, normal, step, tame, tensor


def call(x="$x", weight="$w", eps=1e-5):
    return step("y", "fast.rms_norm", x, weight, eps)


def dtypes():
    for dtype in DTYPES:
        for weight in dict.fromkeys((dtype, "float32")):
            inputs = {"x": tensor(dtype, [2, 3], tame(dtype)), "w": tensor(weight, [3], [1, 0, 1])}
            name = f"rms_norm_{SHORT[dtype]}_{SHORT[weight]}" + ("_same" if dtype == weight else "")
            integers = weight == dtype and dtype not in FLOATS
            if integers or dtype == "complex64":
                yield error(name, inputs, call())
            else:
                yield case(name, inputs, [call()])
    for dtype in FLOATS:
        yield case(
            f"rms_norm_bare_{SHORT[dtype]}", {"x": normal(dtype, [3, 5], 1)}, [call(weight=None)]
        )
    yield error("rms_norm_bare_i32", {"x": tensor("int32", [3], [1, 2, 3])}, call(weight=None))


def shapes():
    for dtype in HALVES + ["float32"]:
        for shape in ([7], [1], [2, 1], [3, 64], [2, 3, 301], [0, 4], [2, 0]):
            inputs = {"x": normal(dtype, shape, 2), "w": normal(dtype, shape[-1:], 3)}
            if 0 in shape:
                inputs = {
                    "x": tensor(dtype, shape, []),
                    "w": tensor(dtype, shape[-1:], [1.0] * shape[-1]),
                }
            tag = "x".join(map(str, shape))
            yield case(f"rms_norm_{tag}_{SHORT[dtype]}", inputs, [call()])
        inputs = {"x": normal(dtype, [4, 3], 2), "w": normal(dtype, [4], 3)}
        steps = [step("t", "mx.transpose", "$x"), call("$t")]
        yield case(f"rms_norm_transposed_{SHORT[dtype]}", inputs, steps)


def eps_and_specials():
    inputs = {"x": normal("float32", [2, 8], 4), "w": normal("float32", [8], 5)}
    for eps in (0.0, 1e-6, 0.1, 1.0, -0.5, {"float": "nan"}, {"float": "inf"}, 0):
        tag = str(eps).strip("{}").replace("'", "").replace(": ", "_").replace("-", "minus_")
        yield case(f"rms_norm_eps_{tag}", inputs, [call(eps=eps)])
    values = ["nan", 1.0, "inf", -1.0, 0.0, -0.0, 6e4, 6e4]
    for dtype in FLOATS:
        inputs = {"x": tensor(dtype, [4, 2], values), "w": tensor(dtype, [2], [1.0, "inf"])}
        yield case(f"rms_norm_specials_{SHORT[dtype]}", inputs, [call()])


def refused():
    x = normal("float32", [2, 4], 1)
    for shape in ([3], [2, 2], [], [5]):
        inputs = {"x": x, "w": normal("float32", shape, 2)}
        yield error(f"rms_norm_weight_{len(shape)}d_{'x'.join(map(str, shape))}", inputs, call())
    yield error("rms_norm_0d", {"x": normal("float32", [], 1)}, call(weight=None))


def cases():
    parts = (dtypes, shapes, eps_and_specials, refused)
    return [made for part in parts for made in part()]
