"""fast.layer_norm and fast.cross_entropy: dtypes, shapes, specials and refusals."""

from .base import DTYPES, FLOATS, HALVES, INTS, SHORT, case, dims, drawn, error, killer, normal, step, tame, tensor


def norm(weight="$w", bias="$b", eps=1e-5, x="$x"):
    return step("y", "fast.layer_norm", x, weight, bias, eps)


def norm_dtypes():
    for dtype in DTYPES:
        for weight in dict.fromkeys((dtype, "float32")):
            inputs = {"x": tensor(dtype, [2, 3], tame(dtype)), "w": tensor(weight, [3], [1, 0, 1]), "b": tensor(weight, [3], [0, 1, 1])}
            name = f"layer_norm_{SHORT[dtype]}_{SHORT[weight]}" + ("_same" if dtype == weight else "")
            if (weight == dtype and dtype not in FLOATS) or dtype == "complex64":
                yield error(name, inputs, norm())
            else:
                yield case(name, inputs, [norm()])
    for dtype in FLOATS:
        inputs = {"x": normal(dtype, [3, 5], 1), "w": normal(dtype, [5], 2), "b": normal(dtype, [5], 3)}
        yield case(f"layer_norm_bare_{SHORT[dtype]}", inputs, [norm(None, None)])
        yield case(f"layer_norm_weight_{SHORT[dtype]}", inputs, [norm("$w", None)])
        yield case(f"layer_norm_bias_{SHORT[dtype]}", inputs, [norm(None, "$b")])
        inputs = {"x": tensor(dtype, [4, 2], ["nan", 1.0, "inf", -1.0, 0.0, -0.0, 6e4, 6e4])}
        yield case(f"layer_norm_specials_{SHORT[dtype]}", inputs, [norm(None, None)])


def norm_shapes():
    for dtype in HALVES + ["float32"]:
        for shape in ([7], [1], [2, 1], [3, 64], [2, 3, 301], [0, 4], [2, 0]):
            inputs = {"x": drawn(dtype, shape, 2), "w": drawn(dtype, shape[-1:], 3), "b": drawn(dtype, shape[-1:], 4)}
            yield case(f"layer_norm_{dims(shape)}_{SHORT[dtype]}", inputs, [norm()])
    inputs = {"x": normal("float32", [4, 3], 2)}
    yield case("layer_norm_transposed", inputs, [step("t", "mx.transpose", "$x"), norm(None, None, x="$t")])
    for eps in (0.0, 0.1, -0.5, {"float": "nan"}):
        tag = str(eps).strip("{}").replace("'", "").replace(": ", "_").replace("-", "minus_")
        yield case(f"layer_norm_eps_{tag}", inputs, [norm(None, None, eps)])
    for shape in ([4], [2, 2], [], [2]):
        inputs = {"x": normal("float32", [2, 3], 2), "w": normal("float32", shape, 1), "b": normal("float32", shape, 1)}
        yield error(f"layer_norm_weight_{dims(shape)}_refused", inputs, norm("$w", None))
        yield error(f"layer_norm_bias_{dims(shape)}_refused", inputs, norm(None, "$b"))
    yield error("layer_norm_0d", {"x": normal("float32", [], 1)}, norm(None, None))


def loss():
    return step("y", "fast.cross_entropy", "$x", "$t")


def losses():
    for dtype in FLOATS:
        for shape in ([5], [3, 5], [2, 3, 7], [2, 300], [1, 1]):
            count = 1
            for size in shape[:-1]:
                count *= size
            inputs = {"x": normal(dtype, shape, 5), "t": tensor("int32", shape[:-1], [i % shape[-1] for i in range(count)])}
            yield case(f"cross_entropy_{dims(shape)}_{SHORT[dtype]}", inputs, [loss()])
        inputs = {"x": tensor(dtype, [5, 2], ["nan", 1.0, "inf", 0.0, "-inf", 0.0, "-inf", "-inf", 80.0, -80.0]), "t": tensor("int32", [5], [0, 1, 0, 1, 1])}
        yield case(f"cross_entropy_specials_{SHORT[dtype]}", inputs, [loss()])
    for dtype in INTS:
        inputs = {"x": normal("float32", [3, 5], 5), "t": tensor(dtype, [3], [4, 0, 1])}
        yield case(f"cross_entropy_targets_{SHORT[dtype]}", inputs, [loss()])
    inputs = {"x": normal("float32", [3, 5], 5), "t": tensor("int32", [3], [-1, -5, 1])}
    yield case("cross_entropy_from_the_end", inputs, [loss()])
    for dtype in ("bool_", "int32", "uint8", "complex64"):
        inputs = {"x": tensor(dtype, [2, 2], [1, 0, 1, 1]), "t": tensor("int32", [2], [1, 0])}
        yield error(f"cross_entropy_logits_{SHORT[dtype]}", inputs, loss())
    for dtype in ("bool_", "float32", "complex64"):
        inputs = {"x": normal("float32", [2, 2], 5), "t": tensor(dtype, [2], [1, 0])}
        yield error(f"cross_entropy_targets_{SHORT[dtype]}", inputs, loss())
    for x, t in (([], []), ([2, 3], []), ([2, 3], [3]), ([2, 3], [2, 1]), ([0, 3], [0]), ([2, 0], [2])):
        inputs = {"x": drawn("float32", x, 5), "t": tensor("int32", t, [0] * (0 if 0 in t else t[0] if t else 1))}
        yield error(f"cross_entropy_{dims(x)}_by_{dims(t)}", inputs, loss())
    for target in (5, -6, 10**9, -(2**31)):
        inputs = {"x": normal("float32", [3, 5], 5), "t": tensor("int32", [3], [0, target, 1])}
        yield killer(f"cross_entropy_target_{str(target).replace('-', 'minus_')}", inputs, loss())


def cases():
    return [made for part in (norm_dtypes, norm_shapes, losses) for made in part()]
