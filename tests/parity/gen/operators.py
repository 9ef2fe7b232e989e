"""Operators on every dtype with every kind of scalar on either side, unary and in-place operators.

Not here: tensor with tensor (dtype_pairs, broadcasting), scalars at the edge of a dtype (scalars),
integer division by zero (integer_division).
"""

from .base import (
    DTYPES, FLOATS, INTS, OP_NAMES, SCALARS, SHORT, case, error, grid, nonzero, step, tensor,
)

ARITHMETIC = ["+", "-", "*", "/", "//", "%", "**"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
BITWISE = ["&", "|", "^", "<<", ">>"]
IN_PLACE = ["+=", "-=", "*=", "/=", "//=", "%="]


def refuses_complex(op):
    return op in ("//", "%", "//=", "%=")


def arithmetic():
    for op in ARITHMETIC:
        for dtype in DTYPES:
            for kind, scalar in SCALARS.items():
                name = f"{OP_NAMES[op]}_{SHORT[dtype]}_{kind}"
                inputs = {"a": grid(dtype), "d": grid(dtype, nonzero)}
                right, left = step("y", op, "$a", scalar), step("z", op, scalar, "$d")
                if refuses_complex(op) and "complex" in dtype + kind:
                    yield error(f"{name}_right", inputs, right)
                    yield error(f"{name}_left", inputs, {**left, "out": "y"})
                else:
                    yield case(name, inputs, [right, left], ["y", "z"])


def comparisons():
    for op in COMPARISONS:
        for dtype in DTYPES:
            steps = []
            for kind, scalar in SCALARS.items():
                steps.append(step(f"right_{kind}", op, "$a", scalar))
                steps.append(step(f"left_{kind}", op, scalar, "$a"))
            outputs = [made["out"] for made in steps]
            yield case(f"{OP_NAMES[op]}_{SHORT[dtype]}", {"a": grid(dtype)}, steps, outputs)


def bitwise():
    for op in BITWISE:
        for dtype in ["bool_"] + INTS:
            for kind in ("bool", "int"):
                name = f"{OP_NAMES[op]}_{SHORT[dtype]}_{kind}"
                steps = [step("y", op, "$a", SCALARS[kind])]
                yield case(name, {"a": grid(dtype)}, steps)
            # Python has no reflected bitwise operators.
            name = f"{OP_NAMES[op]}_{SHORT[dtype]}_left"
            yield error(name, {"a": grid(dtype)}, step("y", op, 3, "$a"), message=False)
        for dtype in FLOATS + ["complex64"]:
            name = f"{OP_NAMES[op]}_{SHORT[dtype]}_refused"
            yield error(name, {"a": grid(dtype)}, step("y", op, "$a", 3))
        for kind in ("float", "complex"):
            name = f"{OP_NAMES[op]}_i32_{kind}_refused"
            yield error(name, {"a": grid("int32")}, step("y", op, "$a", SCALARS[kind]))


def shift_counts():
    for op in ("<<", ">>"):
        for dtype in INTS:
            inputs = {"a": grid(dtype), "n": tensor(dtype, [2, 3], [0, 1, 2, 3, 5, 7])}
            name = f"{OP_NAMES[op]}_{SHORT[dtype]}_by_array"
            yield case(name, inputs, [step("y", op, "$a", "$n")])


def unary():
    for dtype in DTYPES:
        inputs = {"a": grid(dtype)}
        yield case(f"abs_operator_{SHORT[dtype]}", inputs, [step("y", "abs", "$a")])
        negate, invert = step("y", "neg", "$a"), step("y", "~", "$a")
        if dtype == "bool_":
            yield error("neg_b", inputs, negate)
        else:
            yield case(f"neg_{SHORT[dtype]}", inputs, [negate])
        if dtype in ["bool_"] + INTS:
            yield case(f"invert_{SHORT[dtype]}", inputs, [invert])
        else:
            yield error(f"invert_{SHORT[dtype]}", inputs, invert)


def in_place():
    kinds = list(SCALARS)
    for turn, op in enumerate(IN_PLACE):
        for place, dtype in enumerate(DTYPES):
            # One kind of scalar for each pair, by rotation; two of three are the usual ones.
            kind = kinds[(turn + place) % 4]
            name = f"{OP_NAMES[op]}_{SHORT[dtype]}_{kind}"
            inputs, made = {"a": grid(dtype)}, step("y", op, "$a", SCALARS[kind])
            into_int = op == "/=" and dtype in ["bool_"] + INTS
            refused = into_int or (refuses_complex(op) and "complex" in dtype + kind)
            yield error(name, inputs, made) if refused else case(name, inputs, [made])


def in_place_with_arrays():
    small = tensor("float32", [3], [0.5, -2.0, 4.0])
    for op in IN_PLACE:
        for dtype in ("float32", "bfloat16"):
            name = f"{OP_NAMES[op]}_{SHORT[dtype]}_array"
            inputs = {"a": grid(dtype), "b": small}
            yield case(name, inputs, [step("a", op, "$a", "$b")], ["a"])
        inputs = {"a": grid("int32"), "b": small}
        made = step("y", op, "$a", "$b")
        name = f"{OP_NAMES[op]}_i32_f32_array"
        yield error(name, inputs, made) if op == "/=" else case(name, inputs, [made])
    # Python lets an in-place op grow the shape, as `a = a + b` would.
    inputs = {"a": tensor("float32", [1], [2.0]), "b": small}
    yield case("iadd_grows", inputs, [step("y", "+=", "$a", "$b")])
    wide = tensor("float32", [4], [1.0, 2.0, 3.0, 4.0])
    bad = {"a": grid("float32"), "b": wide}
    yield error("iadd_shapes_refused", bad, step("y", "+=", "$a", "$b"))


def extremes():
    """Values that decide between two plausible kernels: signs of zero, infinities, big steps."""
    for dtype in FLOATS:
        inputs = {
            "a": tensor(dtype, [6], [5.5, -5.5, -0.0, 4.0, "inf", 0.0]),
            "b": tensor(dtype, [6], [2.0, 2.0, 2.0, -2.0, 3.0, 0.0]),
        }
        steps = [step("m", "%", "$a", "$b"), step("f", "//", "$a", "$b"), step("d", "/", "$a", "$b")]
        yield case(f"division_extremes_{SHORT[dtype]}", inputs, steps, ["m", "f", "d"])
        steps = [step("m", "%", "$a", 0), step("f", "//", "$a", 0), step("d", "/", "$a", 0)]
        yield case(f"division_by_zero_{SHORT[dtype]}", inputs, steps, ["m", "f", "d"])
        for power in (0, 1, 2, 3, -1, 0.5, -0.5):
            name = f"pow_{SHORT[dtype]}_{power}"
            yield case(name, {"a": grid(dtype)}, [step("y", "**", "$a", power)])
    for dtype in INTS:
        inputs = {"a": grid(dtype), "e": tensor(dtype, [2, 3], [0, 1, 2, 3, 5, 31])}
        yield case(f"int_pow_{SHORT[dtype]}", inputs, [step("y", "**", "$a", "$e")])
    for dtype in ("int8", "int32", "int64"):
        name = f"int_pow_negative_{SHORT[dtype]}"
        yield case(name, {"a": grid(dtype)}, [step("y", "**", "$a", -1)])


def one_dimension_less():
    """0-d and one-element tensors with a scalar: where Broadcast nodes come and go."""
    for dtype in ("float32", "bfloat16", "int32", "bool_"):
        for shape in ([], [1], [1, 1]):
            inputs = {"a": tensor(dtype, shape, nonzero(dtype)[:1])}
            steps = [step("y", "+", 2.0, "$a"), step("z", "-", 1, "$a"), step("w", "<", 1, "$a")]
            dims = "x".join(map(str, shape)) or "0d"
            name = f"scalar_with_{dims}_{SHORT[dtype]}"
            yield case(name, inputs, steps, ["y", "z", "w"])


def cases():
    parts = (
        arithmetic, comparisons, bitwise, shift_counts, unary, in_place, in_place_with_arrays,
        extremes, one_dimension_less,
    )
    return [made for part in parts for made in part()]
