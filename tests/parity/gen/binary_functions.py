"""Functions of two operands in both written orders: maximum, minimum, logaddexp, and the function
forms of the operators, which unlike the operators keep the order of a scalar on the left.

Not here: the operators themselves (operators, dtype_pairs).
"""

from .base import DTYPES, FLOATS, SHORT, case, error, grid, nonzero, step, tensor

EXTREMA = ["maximum", "minimum", "logaddexp"]
FORMS = [
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power", "less",
    "less_equal", "greater", "greater_equal", "equal", "not_equal",
]
BITWISE_FORMS = ["bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"]


def extrema_with_scalars():
    for function in EXTREMA:
        for dtype in DTYPES:
            steps = []
            for kind, scalar in (("int", 1), ("float", 0.5), ("bool", True)):
                steps.append(step(f"right_{kind}", f"mx.{function}", "$a", scalar))
                steps.append(step(f"left_{kind}", f"mx.{function}", scalar, "$a"))
            outputs = [made["out"] for made in steps]
            yield case(f"{function}_{SHORT[dtype]}", {"a": grid(dtype)}, steps, outputs)
        for dtype in ("float32", "bfloat16", "complex64", "int8"):
            scalar = {"complex": [0.5, -1.0]}
            steps = [
                step("y", f"mx.{function}", "$a", scalar), step("z", f"mx.{function}", scalar, "$a"),
            ]
            yield case(f"{function}_{SHORT[dtype]}_complex", {"a": grid(dtype)}, steps, ["y", "z"])


def extrema_order():
    """`a > b ? a : b`: with zeros of both signs and NaN the order of operands is visible."""
    for function in EXTREMA:
        for dtype in FLOATS:
            inputs = {
                "a": tensor(dtype, [8], [-0.0, 0.0, "nan", 1.0, "inf", "-inf", "-inf", "inf"]),
                "b": tensor(dtype, [8], [0.0, -0.0, 1.0, "nan", "-inf", "inf", "-inf", "inf"]),
            }
            steps = [
                step("y", f"mx.{function}", "$a", "$b"), step("z", f"mx.{function}", "$b", "$a"),
                step("v", f"mx.{function}", "$a", -0.0), step("w", f"mx.{function}", -0.0, "$a"),
            ]
            yield case(f"{function}_order_{SHORT[dtype]}", inputs, steps, ["y", "z", "v", "w"])


def both_scalars():
    pairs = {
        "ints": (1, 2), "int_float": (1, 2.5), "bools": (True, False), "bool_int": (True, 2),
        "floats": (0.1, -0.1), "wide_int": (2**40, 1), "float_wide_int": (0.5, 2**40),
        "complex_int": ({"complex": [1.0, 2.0]}, 3),
    }
    for function in EXTREMA + ["add", "divide", "power", "less"]:
        for name, (left, right) in pairs.items():
            made = step("y", f"mx.{function}", left, right)
            yield case(f"{function}_scalars_{name}", {}, [made])


def function_forms():
    for function in FORMS:
        for dtype in ("float32", "bfloat16", "int32", "uint8", "bool_", "complex64"):
            name = f"{function}_form_{SHORT[dtype]}"
            inputs = {"a": grid(dtype, nonzero), "b": grid(dtype, nonzero)}
            steps = [
                step("right", f"mx.{function}", "$a", 2), step("left", f"mx.{function}", 2, "$a"),
                step("float_left", f"mx.{function}", 2.5, "$a"),
                step("both", f"mx.{function}", "$a", "$b"),
            ]
            if dtype == "complex64" and function in ("floor_divide", "remainder"):
                yield error(name, inputs, {**steps[0], "out": "y"})
                yield error(f"{name}_left", inputs, {**steps[1], "out": "y"})
            else:
                yield case(name, inputs, steps, [made["out"] for made in steps])


def bitwise_forms():
    for function in BITWISE_FORMS:
        for dtype in ("int32", "uint8", "bool_", "int64"):
            inputs = {"a": grid(dtype, nonzero)}
            steps = [
                step("right", f"mx.{function}", "$a", 1), step("left", f"mx.{function}", 1, "$a"),
                step("flag", f"mx.{function}", True, "$a"),
            ]
            name = f"{function}_form_{SHORT[dtype]}"
            yield case(name, inputs, steps, [made["out"] for made in steps])
        # The function's words differ from the operator's.
        inputs = {"a": grid("float32")}
        yield error(f"{function}_form_f32", inputs, step("y", f"mx.{function}", "$a", 1))
        inputs = {"a": grid("int32"), "b": grid("bfloat16")}
        yield error(f"{function}_form_i32_bf16", inputs, step("y", f"mx.{function}", "$a", "$b"))


def logical_forms():
    for function in ("logical_and", "logical_or", "logical_xor"):
        for dtype in DTYPES:
            inputs = {"a": grid(dtype), "b": grid("int32")}
            steps = [
                step("both", f"mx.{function}", "$a", "$b"), step("other", f"mx.{function}", "$b", "$a"),
                step("right", f"mx.{function}", "$a", 1), step("left", f"mx.{function}", 0, "$a"),
                step("float", f"mx.{function}", "$a", 0.5), step("flag", f"mx.{function}", True, "$a"),
            ]
            outputs = [made["out"] for made in steps]
            yield case(f"{function}_{SHORT[dtype]}", inputs, steps, outputs)
        made = step("y", f"mx.{function}", "$a", "$b")
        inputs = {"a": grid("bool_"), "b": tensor("bool_", [4], [1, 0, 0, 1])}
        yield error(f"{function}_shapes", inputs, made)
        inputs = {"a": tensor("float32", [0, 3], []), "b": tensor("int8", [], [1])}
        yield case(f"{function}_empty", inputs, [made])


def angles():
    special = [0.0, -0.0, 1.0, -1.0, "inf", "-inf", "nan", 2.5]
    for dtype in DTYPES:
        inputs = {"a": grid(dtype), "b": grid(dtype, nonzero)}
        steps = [step("y", "mx.arctan2", "$a", "$b"), step("z", "mx.atan2", "$b", "$a")]
        if dtype == "complex64":
            yield error("arctan2_c64", inputs, steps[0])
            continue
        yield case(f"arctan2_{SHORT[dtype]}", inputs, steps, ["y", "z"])
        if dtype in FLOATS:
            inputs = {"a": tensor(dtype, [8, 1], special), "b": tensor(dtype, [8], special)}
            yield case(f"arctan2_specials_{SHORT[dtype]}", inputs, [steps[0]])
    inputs = {"a": grid("int32"), "b": tensor("bfloat16", [3], [1.0, -1.0, 0.5])}
    yield case("arctan2_i32_bf16", inputs, [step("y", "mx.arctan2", "$a", "$b")])
    inputs = {"a": grid("float32"), "b": tensor("float32", [4], [1.0, 2.0, 3.0, 4.0])}
    yield error("arctan2_shapes", inputs, step("y", "mx.arctan2", "$a", "$b"))


def spellings():
    for alias in ("pow", "bitwise_left_shift", "bitwise_right_shift"):
        for dtype in ("int32", "uint8", "int64"):
            inputs = {"a": grid(dtype, nonzero), "b": tensor(dtype, [3], [1, 2, 3])}
            steps = [
                step("both", f"mx.{alias}", "$a", "$b"), step("right", f"mx.{alias}", "$a", 2),
                step("left", f"mx.{alias}", 2, "$b"),
            ]
            outputs = [made["out"] for made in steps]
            yield case(f"{alias}_{SHORT[dtype]}", inputs, steps, outputs)
    made = step("y", "mx.pow", "$a", 0.5)
    yield case("pow_f16", {"a": grid("float16")}, [made])


def inverse_function():
    for dtype in ("int32", "bool_", "uint8"):
        made = step("y", "mx.bitwise_invert", "$a")
        yield case(f"bitwise_invert_{SHORT[dtype]}", {"a": grid(dtype)}, [made])


def refused():
    inputs = {"a": grid("float32"), "b": tensor("float32", [4], [1.0, 2.0, 3.0, 4.0])}
    for function in EXTREMA + ["add", "power", "equal"]:
        yield error(f"{function}_shapes", inputs, step("y", f"mx.{function}", "$a", "$b"))
    for function in ("maximum", "add", "less"):
        made = step("y", f"mx.{function}", 300, "$a")
        yield error(f"{function}_overflow", {"a": grid("uint8")}, made)


def cases():
    parts = (
        extrema_with_scalars, extrema_order, both_scalars, function_forms, bitwise_forms,
        logical_forms, angles, spellings, inverse_function, refused,
    )
    return [made for part in parts for made in part()]
