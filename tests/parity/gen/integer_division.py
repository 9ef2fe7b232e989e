"""Integer `//` and `%`: truncation, the sign of a remainder, and the divisors that kill Python.

Not here: float division (operators). Killers are cases with a scalar divisor, or with an array
divisor that is an input and so already evaluated: those a front can see and must refuse.
"""

from .base import INTS, OP_NAMES, SHORT, SIGNED, bounds, case, grid, killer, nonzero, step, tensor


def signs():
    for dtype in SIGNED:
        inputs = {
            "a": tensor(dtype, [8], [-7, 7, -7, 7, 0, 6, -6, 1]),
            "b": tensor(dtype, [8], [2, -2, -2, 2, -3, 3, 3, -100]),
        }
        steps = [step("q", "//", "$a", "$b"), step("r", "%", "$a", "$b")]
        yield case(f"signs_{SHORT[dtype]}", inputs, steps, ["q", "r"])
        for divisor in (2, -2, -3, 100, -1):
            name = f"by_{divisor}_{SHORT[dtype]}".replace("-", "minus_")
            steps = [step("q", "//", "$a", divisor), step("r", "%", "$a", divisor)]
            yield case(name, {"a": inputs["a"]}, steps, ["q", "r"])
        for dividend in (7, -7, 0):
            name = f"of_{dividend}_{SHORT[dtype]}".replace("-", "minus_")
            steps = [step("q", "//", dividend, "$b"), step("r", "%", dividend, "$b")]
            yield case(name, {"b": inputs["b"]}, steps, ["q", "r"])


def harmless():
    """Near the killers, but Python survives: so must the other side, with the same answer."""
    for dtype in ("int8", "int16"):
        low, _ = bounds(dtype)
        inputs = {"a": tensor(dtype, [2], [low, 5]), "b": tensor(dtype, [2], [-1, -1])}
        steps = [step("q", "//", "$a", "$b"), step("r", "%", "$a", "$b"), step("s", "//", "$a", -1)]
        yield case(f"least_by_minus_one_{SHORT[dtype]}", inputs, steps, ["q", "r", "s"])
    for dtype in ("int32", "int64"):
        steps = [step("q", "//", "$a", True), step("r", "%", "$a", True)]
        yield case(f"least_by_true_{SHORT[dtype]}", {"a": grid(dtype)}, steps, ["q", "r"])
    inputs = {"a": tensor("bool_", [4], [1, 0, 1, 0]), "b": tensor("bool_", [4], [1, 1, 0, 0])}
    steps = [step("q", "//", "$a", "$b"), step("r", "%", "$a", "$b"), step("s", "//", "$a", False)]
    yield case("bool_by_bool", inputs, steps, ["q", "r", "s"])
    steps = [step("q", "//", "$a", -1), step("r", "%", "$a", -1)]
    yield case("bool_by_minus_one", inputs, steps, ["q", "r"])
    for dtype in ("int32", "uint8", "int64"):
        inputs = {"a": tensor(dtype, [0], []), "b": tensor(dtype, [1], [0])}
        steps = [step("q", "//", "$a", 0), step("r", "%", "$a", 0), step("s", "//", "$a", "$b")]
        yield case(f"empty_by_zero_{SHORT[dtype]}", inputs, steps, ["q", "r", "s"])
    steps = [step("q", "/", "$a", 0), step("r", "/", 0, "$a")]
    yield case("true_division_by_zero", {"a": grid("int32")}, steps, ["q", "r"])
    steps = [step("q", "//", "$a", 0.0), step("r", "%", "$a", 0.0)]
    yield case("int_by_float_zero", {"a": grid("int32")}, steps, ["q", "r"])
    steps = [step("q", "//", "$a", "$b"), step("r", "%", "$a", "$b")]
    inputs = {"a": grid("int32"), "b": tensor("float32", [3], [0.0, 2.0, -2.0])}
    yield case("int_by_float_array", inputs, steps, ["q", "r"])


def zero_divisors():
    for dtype in INTS:
        inputs = {"a": grid(dtype), "b": tensor(dtype, [3], [2, 0, 1])}
        for op in ("//", "%"):
            word = f"{OP_NAMES[op]}_{SHORT[dtype]}"
            yield killer(f"{word}_by_0", inputs, step("y", op, "$a", 0))
            yield killer(f"{word}_by_array_with_0", inputs, step("y", op, "$a", "$b"))
            yield killer(f"{word}_scalar_by_array_with_0", inputs, step("y", op, 5, "$b"))
        yield killer(f"ifloordiv_{SHORT[dtype]}_by_0", inputs, step("y", "//=", "$a", 0))
        yield killer(f"imod_{SHORT[dtype]}_by_0", inputs, step("y", "%=", "$a", 0))
    for op in ("//", "%"):
        word = OP_NAMES[op]
        yield killer(f"{word}_b_by_0", {"a": grid("bool_")}, step("y", op, "$a", 0))
        yield killer(f"{word}_i32_by_false", {"a": grid("int32")}, step("y", op, "$a", False))
        inputs = {"a": grid("int32"), "b": tensor("bool_", [3], [1, 0, 1])}
        yield killer(f"{word}_i32_by_bool_array", inputs, step("y", op, "$a", "$b"))
        inputs = {"a": grid("bool_"), "b": tensor("int32", [], [0])}
        yield killer(f"{word}_b_by_0d_zero", inputs, step("y", op, "$a", "$b"))
    for name in ("mx.floor_divide", "mx.remainder"):
        word = name.removeprefix("mx.")
        yield killer(f"{word}_by_0", {"a": grid("int64")}, step("y", name, "$a", 0))
        inputs = {"b": tensor("uint16", [2], [3, 0])}
        yield killer(f"{word}_scalar_by_array_with_0", inputs, step("y", name, 5, "$b"))


def least_by_minus_one():
    for dtype in ("int32", "int64"):
        inputs = {"a": grid(dtype), "b": tensor(dtype, [3], [-1, 1, -1])}
        for op in ("//", "%"):
            word = f"{OP_NAMES[op]}_{SHORT[dtype]}_least"
            yield killer(f"{word}_by_minus_1", inputs, step("y", op, "$a", -1))
            yield killer(f"{word}_by_array_with_minus_1", inputs, step("y", op, "$a", "$b"))
        narrow = {"a": grid(dtype), "b": tensor("int8", [], [-1])}
        name = f"floordiv_{SHORT[dtype]}_least_by_i8_minus_1"
        yield killer(name, narrow, step("y", "//", "$a", "$b"))
        low, _ = bounds(dtype)
        minus = {"b": tensor(dtype, [2], [3, -1])}
        name = f"floordiv_{SHORT[dtype]}_least_scalar_by_array"
        yield killer(name, minus, step("y", "//", low, "$b"))


def every_dtype_safe():
    for dtype in INTS:
        inputs = {"a": grid(dtype), "b": grid(dtype, nonzero)}
        steps = [step("q", "mx.floor_divide", "$a", "$b"), step("r", "mx.remainder", "$a", "$b")]
        yield case(f"functions_{SHORT[dtype]}", inputs, steps, ["q", "r"])


def cases():
    parts = (signs, harmless, zero_divisors, least_by_minus_one, every_dtype_safe)
    return [made for part in parts for made in part()]
