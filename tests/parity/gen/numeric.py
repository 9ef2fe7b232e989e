"""Elementwise functions with numbers of their own (round, nan_to_num, divmod, 8-bit floats),
comparisons within a tolerance and of whole tensors, and nodes that leave values as they are.

Not here: divmod's operators (integer_division), other functions of one tensor (unary).
"""

from .base import (
    DTYPES, FLOATS, HALVES, INTS, SHORT, SIGNED, bounds, case, error, grid, killer, nonzero, normal,
    step, tame, tensor,
)


def rounding():
    values = [0.5, 1.5, 2.5, -0.5, -1.5, 1.25, 1.35, 2.675, -0.0, 1e8, "nan", "inf", "-inf", 12345.678]
    for dtype in FLOATS:
        inputs = {"a": tensor(dtype, [len(values)], values)}
        steps = [step("y", "mx.round", "$a"), step("m", "method.round", "$a", 1)]
        for decimals in (0, 1, 2, 3, -1, -2, -5, 8, 30, -30):
            steps.append(step(f"y_{decimals}".replace("-", "m"), "mx.round", "$a", decimals))
        steps.append(step("named", "mx.round", "$a", decimals=1))
        yield case(f"round_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
    for dtype in INTS + ["bool_", "complex64"]:
        # Kept small: what is beyond the dtype after scaling is not defined.
        inputs = {"a": grid(dtype, tame), "e": tensor(dtype, [0, 2], [])}
        steps = [
            step("y", "mx.round", "$a"), step("z", "mx.round", "$a", 1), step("w", "mx.round", "$a", -1),
            step("m", "method.round", "$a", decimals=2), step("e1", "mx.round", "$e", 1),
        ]
        yield case(f"round_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
    inputs = {"a": tensor("int32", [8], [15, 25, 35, -15, 149, 150, 5, 0])}
    steps = [step("y", "mx.round", "$a", -1), step("z", "mx.round", "$a", -2)]
    yield case("round_tens", inputs, steps, ["y", "z"])


def replaced():
    for dtype in DTYPES:
        inputs = {"a": grid(dtype), "e": tensor(dtype, [0], [])}
        steps = [
            step("y", "mx.nan_to_num", "$a"), step("z", "mx.nan_to_num", "$a", 1.5),
            step("v", "mx.nan_to_num", "$a", nan=-2, posinf=3.25, neginf=-4.5),
            step("w", "mx.nan_to_num", "$a", 0.1, 1e30), step("e1", "mx.nan_to_num", "$e"),
            step("i", "mx.nan_to_num", "$a", {"float": "inf"}, {"float": "nan"}, {"float": "-inf"}),
        ]
        name = f"nan_to_num_{SHORT[dtype]}"
        if dtype in ("float64", "complex64"):
            yield error(name, inputs, steps[0])
            yield case(f"{name}_given", inputs, [steps[2]], ["v"])
        else:
            yield case(name, inputs, steps, [made["out"] for made in steps])
    for dtype in ("float16", "bfloat16", "float32"):
        inputs = {"a": tensor(dtype, [6], ["nan", "inf", "-inf", 1.0, -0.0, 6e-8])}
        steps = [step("y", "mx.nan_to_num", "$a"), step("z", "mx.nan_to_num", "$a", neginf=7)]
        yield case(f"nan_to_num_infinities_{SHORT[dtype]}", inputs, steps, ["y", "z"])
    for kind, number in {"int": 3, "float": 2.5, "nan": {"float": "nan"}, "bool": True}.items():
        yield case(f"nan_to_num_of_{kind}", {}, [step("y", "mx.nan_to_num", number)])


def quotients():
    for dtype in DTYPES:
        inputs = {"a": grid(dtype, tame), "b": grid(dtype, nonzero), "c": tensor(dtype, [3], nonzero(dtype)[:3])}
        steps = [
            step(["q", "r"], "mx.divmod", "$a", "$b"), step(["q2", "r2"], "mx.divmod", "$a", 2),
            step(["q3", "r3"], "mx.divmod", 7, "$b"), step(["q4", "r4"], "mx.divmod", "$a", "$c"),
            step(["q5", "r5"], "mx.divmod", "$a", 2.5), step(["q6", "r6"], "mx.divmod", True, "$b"),
        ]
        name = f"divmod_{SHORT[dtype]}"
        if dtype == "complex64":
            yield error(name, inputs, step("y", "mx.divmod", "$a", "$b"))
            continue
        yield case(name, inputs, steps, [out for made in steps for out in made["out"]])
        if dtype in FLOATS:
            special = {"a": grid(dtype), "b": tensor(dtype, [6, 1, 1], [0.0, -0.0, "inf", "-inf", "nan", 1.0])}
            yield case(f"{name}_specials", special, [step(["q", "r"], "mx.divmod", "$a", "$b")], ["q", "r"])
    for dtype in SIGNED:
        inputs = {
            "a": tensor(dtype, [8], [-7, 7, -7, 7, 0, 6, -6, 1]),
            "b": tensor(dtype, [8], [2, -2, -2, 2, -3, 3, 3, -100]),
        }
        yield case(f"divmod_signs_{SHORT[dtype]}", inputs, [step(["q", "r"], "mx.divmod", "$a", "$b")], ["q", "r"])
    pairs = {
        "ints": (7, 2), "floats": (7.5, -2.0), "int_float": (7, 2.5), "bools": (True, True),
        "bool_int": (True, 2), "wide": (2**40, 3),
    }
    for name, (left, right) in pairs.items():
        yield case(f"divmod_scalars_{name}", {}, [step(["q", "r"], "mx.divmod", left, right)], ["q", "r"])
    inputs = {"a": tensor("int32", [0, 3], []), "b": tensor("int32", [3], [0, 0, 0])}
    yield case("divmod_of_nothing", inputs, [step(["q", "r"], "mx.divmod", "$a", 2)], ["q", "r"])
    inputs = {"a": grid("float32"), "b": tensor("float32", [4], [1.0] * 4)}
    yield error("divmod_shapes", inputs, step("y", "mx.divmod", "$a", "$b"))
    yield error("divmod_overflow", {"a": grid("uint8")}, step("y", "mx.divmod", "$a", 300))


def deadly_quotients():
    for dtype in INTS:
        inputs = {"a": grid(dtype), "b": tensor(dtype, [3], [2, 0, 1])}
        yield killer(f"divmod_by_zero_{SHORT[dtype]}", inputs, step("y", "mx.divmod", "$a", 0))
        yield killer(f"divmod_by_zeros_{SHORT[dtype]}", inputs, step("y", "mx.divmod", "$a", "$b"))
    for dtype in ("int32", "int64"):
        inputs = {"a": tensor(dtype, [2], [bounds(dtype)[0], 1]), "b": tensor(dtype, [1], [-1])}
        made = step("y", "mx.divmod", "$a", "$b")
        yield killer(f"divmod_least_by_minus_one_{SHORT[dtype]}", inputs, made)


def eight_bit_floats():
    """Without float64, which MLX misreads."""
    kinds = HALVES + ["float32"]
    values = [0.0, -0.0, 1.0, -1.0, 448.0, 449.0, 464.0, 465.0, 1e6, "inf", "-inf", "nan", 2**-9, 2**-10, 1.5 * 2**-10,
              0.0625, 1.0625, 1.1875, 3e-5, -240.0]
    for dtype in kinds:
        inputs = {"a": tensor(dtype, [len(values)], values), "n": normal(dtype, [7, 5], 3)}
        steps = [step("y", "mx.to_fp8", "$a"), step("z", "mx.to_fp8", "$n")]
        yield case(f"to_fp8_values_{SHORT[dtype]}", inputs, steps, ["y", "z"])
    inputs = {"a": tensor("uint8", [16, 16], range(256)), "e": tensor("uint8", [0], [])}
    steps = [step("y", "mx.from_fp8", "$a"), step("e1", "mx.from_fp8", "$e")]
    steps += [step(f"y_{SHORT[dtype]}", "mx.from_fp8", "$a", {"dtype": dtype}) for dtype in kinds]
    steps.append(step("named", "mx.from_fp8", "$a", dtype={"dtype": "float32"}))
    yield case("from_fp8_all", inputs, steps, [made["out"] for made in steps])
    for dtype in ("int32", "bool_", "complex64"):
        made = step("y", "mx.from_fp8", "$a", {"dtype": dtype})
        yield error(f"from_fp8_to_{SHORT[dtype]}", inputs, made)
    for dtype in ("float32", "int8", "uint16"):
        yield error(f"from_fp8_of_{SHORT[dtype]}", {"a": grid(dtype, tame)}, step("y", "mx.from_fp8", "$a"))


def close():
    near = [1.0, 1.00001, 1.0001, -1.0, 0.0, 1e-9, "nan", "inf", "-inf", "inf"]
    beside = [1.0, 1.0, 1.0, -1.000001, 1e-9, 0.0, "nan", "inf", "inf", 5.0]
    for op in ("mx.isclose", "mx.allclose"):
        word = op.partition(".")[2]
        for dtype in DTYPES:
            inputs = {"a": grid(dtype), "b": grid(dtype, tame), "c": tensor(dtype, [], tame(dtype)[:1])}
            steps = [
                step("same", op, "$a", "$a"), step("other", op, "$a", "$b"), step("one", op, "$b", "$c"),
                step("nan", op, "$a", "$a", equal_nan=True), step("wide", op, "$b", "$c", 0.5, 2.0),
                step("named", op, "$b", "$c", rtol=1e-3, atol=10),
            ]
            yield case(f"{word}_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
        for dtype in FLOATS:
            inputs = {"a": tensor(dtype, [10], near), "b": tensor(dtype, [10], beside)}
            steps = [
                step("y", op, "$a", "$b"), step("z", op, "$a", "$b", equal_nan=True),
                step("w", op, "$a", "$b", 0.0, 0.0), step("u", op, "$a", "$b", {"float": "inf"}),
                step("v", op, "$a", "$b", {"float": "nan"}), step("t", op, "$a", "$b", -1.0, 1e-5),
            ]
            yield case(f"{word}_near_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
        inputs = {"a": grid("float32"), "b": grid("bfloat16", tame), "e": tensor("float32", [0, 3], []),
                  "f": tensor("float32", [4], [1.0] * 4)}
        steps = [step("y", op, "$a", "$b"), step("z", op, "$e", "$e")]
        yield case(f"{word}_mixed", inputs, steps, ["y", "z"])
        yield error(f"{word}_shapes", inputs, step("y", op, "$a", "$f"))


def equal():
    op = "mx.array_equal"
    for dtype in DTYPES:
        inputs = {"a": grid(dtype), "b": grid(dtype, tame), "c": tensor(dtype, [3], tame(dtype)[:3]),
                  "f": grid("float32", tame), "s": tensor(dtype, [], [1]) if dtype != "complex64"
                  else tensor(dtype, [], [[1.0, 0.0]])}
        steps = [
            step("same", op, "$a", "$a"), step("tame", op, "$b", "$b"), step("other", op, "$a", "$b"),
            step("nan", op, "$a", "$a", equal_nan=True), step("shape", op, "$b", "$c"),
            step("mixed", op, "$b", "$f"), step("mixed_nan", op, "$f", "$b", equal_nan=True),
            step("right", op, "$s", 1), step("left", op, 1, "$s"), step("float", op, "$s", 1.5),
            step("rank", op, "$a", 1),
        ]
        yield case(f"array_equal_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
    inputs = {"a": tensor("float32", [0, 3], []), "b": tensor("float32", [3, 0], []), "c": tensor("int8", [0, 3], [])}
    steps = [
        step("y", op, "$a", "$a"), step("z", op, "$a", "$b"), step("w", op, "$a", "$c"),
        step("v", op, "$a", "$c", equal_nan=True),
    ]
    yield case("array_equal_empty", inputs, steps, ["y", "z", "w", "v"])
    for name, (left, right) in {"ints": (1, 1), "int_float": (1, 1.5), "bools": (True, 1)}.items():
        yield case(f"array_equal_scalars_{name}", {}, [step("y", op, left, right)])
    yield error("array_equal_overflow", {"a": grid("uint8")}, step("y", op, "$a", 300))


def unchanged():
    for dtype in DTYPES:
        inputs = {"a": grid(dtype), "s": tensor(dtype, [], tame(dtype)[:1]), "e": tensor(dtype, [0, 2], [])}
        steps = [step("t", "mx.transpose", "$a")]
        for name in ("a", "s", "e", "t"):
            steps += [
                step(f"c_{name}", "mx.contiguous", f"${name}"), step(f"o_{name}", "mx.contiguous", f"${name}", True),
                step(f"g_{name}", "mx.stop_gradient", f"${name}"),
                step(f"d_{name}", "mx.depends", f"${name}", "$s"),
            ]
        steps.append(step("named", "mx.contiguous", "$t", allow_col_major=True))
        outputs = [made["out"] for made in steps]
        yield case(f"unchanged_{SHORT[dtype]}", inputs, steps, outputs)
    inputs = {"a": grid("float32"), "b": grid("int8")}
    steps = [
        step("h", "+", "$a", 1), step(["y", "z"], "mx.depends", ["$a", "$b"], ["$h"]),
        step(["w"], "mx.depends", ["$b"], ["$h", "$a"]), step("v", "mx.depends", "$a", ["$h"]),
        step(["u"], "mx.depends", ["$a"], []), step("x", "*", "$y", 2),
    ]
    yield case("depends_lists", inputs, steps, ["y", "z", "w", "v", "u", "x"])
    made = step("y", "mx.depends", [], ["$a"])
    yield killer("depends_of_nothing", inputs, made)


def cases():
    parts = (
        rounding, replaced, quotients, deadly_quotients, eight_bit_floats, close, equal, unchanged,
    )
    return [made for part in parts for made in part()]
