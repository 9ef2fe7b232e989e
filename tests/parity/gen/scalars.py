"""Weak scalars at the edge: rounding to halves, values outside a dtype, ints outside 64 bits.

Not here: ordinary scalars with every operator (operators).
"""

from .base import FLOATS, HALVES, INTS, SHORT, bounds, case, error, grid, step, tensor

# Each pair of roundings, double to float32 to half, must not be one: several sit on a tie.
ROUNDING = {
    "f16_tie_plus": 1 + 2**-11 + 2**-30,
    "bf16_tie_plus": 1 + 2**-8 + 2**-30,
    "f16_tie": 1 + 2**-11,
    "f16_tie_minus": 1 + 3 * 2**-11 - 2**-40,
    "bf16_tie_minus": 1 + 3 * 2**-8 - 2**-40,
    "tenth": 0.1,
    "f32_half_ulp": 1 + 2**-24 + 2**-50,
    "f16_max": 65504.0,
    "f16_to_inf": 65520.0,
    "f16_below_inf": 65519.99,
    "f16_subnormal": 3e-7,
    "f16_to_zero": 1e-8,
    "bf16_subnormal": 1e-40,
    "f32_to_zero": 1e-46,
    "f32_max": 3.4028234663852886e38,
    "f32_to_inf": 3.5e38,
    "f64_only": 1e300,
    "minus_zero": -0.0,
    "pi": 3.141592653589793,
}
INT_ROUNDING = [
    2049, 2051, 65504, 65520, 65536, 257, 259, 2**24 + 1, 2**24 + 3, 2**30 + 2**22 + 1,
    2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), -1,
]
SPECIALS = {"nan": {"float": "nan"}, "inf": {"float": "inf"}, "minus_inf": {"float": "-inf"}}


def ones(dtype):
    return tensor(dtype, [2], [1, 1])


def float_rounding():
    for name, value in {**ROUNDING, **SPECIALS}.items():
        inputs = {SHORT[d]: ones(d) for d in FLOATS + ["complex64", "int32", "bool_"]}
        steps = [step(f"y_{n}", "*", f"${n}", value) for n in inputs]
        yield case(f"float_{name}", inputs, steps, [made["out"] for made in steps])


def int_rounding():
    for value in INT_ROUNDING:
        inputs = {SHORT[d]: ones(d) for d in FLOATS + ["complex64"]}
        steps = [step(f"y_{n}", "*", f"${n}", value) for n in inputs]
        yield case(f"int_{value}".replace("-", "minus_"), inputs, steps, [s["out"] for s in steps])


def constants_alone():
    """`mx.full` shows the constant itself, with no arithmetic behind it."""
    for dtype in HALVES:
        for name in ("f16_tie_plus", "bf16_tie_plus", "tenth", "f16_subnormal", "minus_zero"):
            made = step("y", "mx.full", [2], ROUNDING[name], {"dtype": dtype})
            yield case(f"constant_{SHORT[dtype]}_{name}", {}, [made])
        for value in (2049, 259, 2**30 + 2**22 + 1):
            made = step("y", "mx.full", [2], value, {"dtype": dtype})
            yield case(f"constant_{SHORT[dtype]}_int_{value}", {}, [made])


def complex_scalars():
    values = {
        "plain": [1.5, -2.0], "tenths": [0.1, 0.2], "zeros": [-0.0, 0.0], "nan": ["nan", 1.0],
        "inf": ["inf", "-inf"], "big": [1e39, -1e39],
    }
    for name, value in values.items():
        for dtype in ("float32", "bfloat16", "complex64", "uint8"):
            steps = [step("y", "+", "$a", {"complex": value}), step("z", "*", {"complex": value}, "$a")]
            yield case(f"complex_{name}_{SHORT[dtype]}", {"a": grid(dtype)}, steps, ["y", "z"])


def inside_range():
    for dtype in INTS:
        low, high = bounds(dtype)
        edges = [v for v in (low, high, -1, 0) if low <= v <= min(high, 2**63 - 1)]
        steps = [step(f"y{i}", "+", "$a", v) for i, v in enumerate(edges)]
        steps += [step(f"z{i}", "<", v, "$a") for i, v in enumerate(edges)]
        yield case(f"edges_{SHORT[dtype]}", {"a": grid(dtype)}, steps, [s["out"] for s in steps])


def outside_range():
    ops = ["+", "-", "*", "==", "<", "&", "/", "//", "%", "**", "mx.maximum", "mx.where"]
    turn = 0
    for dtype in ("uint8", "uint16", "uint32", "int8", "int16", "int32"):
        low, high = bounds(dtype)
        for value in (high + 1, low - 1, 2**40, -(2**63)):
            op = ops[turn % len(ops)]
            turn += 1
            name = f"overflow_{SHORT[dtype]}_{value}".replace("-", "minus_")
            inputs = {"a": grid(dtype)}
            args = [True, "$a", value] if op == "mx.where" else ["$a", value]
            yield error(f"{name}_right", inputs, step("y", op, *args))
            if op != "&":
                args = [True, value, "$a"] if op == "mx.where" else [value, "$a"]
                yield error(f"{name}_left", inputs, step("y", op, *args))
    yield error("overflow_iadd", {"a": grid("uint8")}, step("y", "+=", "$a", 300))
    yield error("overflow_clip", {"a": grid("uint8")}, step("y", "mx.clip", "$a", -1, 5))
    yield error("overflow_full", {}, step("y", "mx.full", [2], 300, {"dtype": "uint8"}))


def unchecked_range():
    """bool takes an int as int32, 64-bit dtypes take any 64-bit pattern: no check, no error."""
    for value in (2**31, 2**40, -(2**31) - 1, 2**32 + 5, -(2**63)):
        name = f"bool_with_{value}".replace("-", "minus_")
        steps = [step("y", "+", "$a", value), step("z", "*", value, "$a")]
        yield case(name, {"a": grid("bool_")}, steps, ["y", "z"])
    for value in (-1, -6, -(2**63), 2**63 - 1):
        name = f"u64_with_{value}".replace("-", "minus_")
        steps = [step("y", "+", "$a", value), step("z", "-", value, "$a")]
        yield case(name, {"a": grid("uint64")}, steps, ["y", "z"])
    for value in (2**53 + 1, -(2**63), 2**63 - 1):
        name = f"i64_with_{value}".replace("-", "minus_")
        steps = [step("y", "-", "$a", value), step("z", "<=", "$a", value)]
        yield case(name, {"a": grid("int64")}, steps, ["y", "z"])
    steps = [step("y", "==", "$a", float(2**31)), step("z", "==", "$a", float(2**31 - 1))]
    yield case("i32_equals_float", {"a": grid("int32")}, steps, ["y", "z"])
    for name, literal in (("int_minus_zero", "literal:-0"), ("float_exponent", "literal:1e1")):
        inputs = {"f": grid("float32"), "i": grid("int32")}
        steps = [step("y", "*", "$f", literal), step("z", "*", "$i", literal)]
        yield case(f"number_form_{name}", inputs, steps, ["y", "z"])


def outside_64_bits():
    """Python says only `std::bad_cast`, so the words are not compared."""
    for value in (2**63, 2**64 - 1, 2**64, -(2**63) - 1, 10**30):
        for dtype in ("uint64", "int64", "float32", "bool_", "complex64", "uint8"):
            name = f"beyond_i64_{SHORT[dtype]}_{value}".replace("-", "minus_")
            inputs = {"a": grid(dtype)}
            yield error(name, inputs, step("y", "+", "$a", value), message=False)
    for op in ("-", "<", "mx.maximum"):
        name = f"beyond_i64_left_{op}".replace("mx.", "").replace("<", "lt").replace("-", "sub")
        yield error(name, {"a": grid("uint64")}, step("y", op, 2**63, "$a"), message=False)


def cases():
    parts = (
        float_rounding, int_rounding, constants_alone, complex_scalars, inside_range,
        outside_range, unchecked_range, outside_64_bits,
    )
    return [made for part in parts for made in part()]
