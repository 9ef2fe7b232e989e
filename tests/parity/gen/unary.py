"""Element-wise functions of one tensor on every dtype, with special values and odd shapes; astype.

Not here: the operators neg, ~ and abs (operators).
"""

from .base import (
    DTYPES, FLOATS, HALVES, INTS, SHORT, case, error, grid, normal, sample, step, tame, tensor,
)

FUNCTIONS = [
    "abs", "exp", "log", "sqrt", "rsqrt", "square", "sign", "sin", "cos", "tanh", "sigmoid",
    "erf", "floor", "logical_not", "negative",
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "bitwise_invert", "ceil",
    "conjugate", "cosh", "degrees", "erfinv", "expm1", "imag", "isfinite", "isinf", "isnan",
    "isneginf", "isposinf", "log10", "log1p", "log2", "positive", "radians", "real", "reciprocal",
    "round", "sinh", "stop_gradient", "tan", "to_fp8", "trunc",
]
ALIASES = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atanh": "arctanh", "conj": "conjugate",
}
METHODS = [
    "abs", "conj", "cos", "exp", "imag", "log", "log10", "log1p", "log2", "real", "reciprocal",
    "round", "rsqrt", "sin", "sqrt", "square",
]
# Those that take a lone number.
OF_NUMBERS = [
    function for function in FUNCTIONS
    if function not in ("positive", "round", "stop_gradient", "to_fp8", "trunc")
]
REAL_ONLY = ["sigmoid", "erf", "floor", "ceil", "erfinv", "expm1", "trunc"]
REFUSED = (
    {(function, "complex64") for function in REAL_ONLY}
    | {("negative", "bool_")}
    | {("to_fp8", dtype) for dtype in DTYPES if dtype not in FLOATS}
    | {("bitwise_invert", dtype) for dtype in FLOATS + ["complex64"]}
)
SPECIALS = ["nan", "inf", "-inf", -0.0, 0.0, 1.0, -1.0, 88.0, 88.5, -88.5, 100.0, -104.0, 0.1, 3e-5]
SUBNORMAL = {"float16": 6e-8, "bfloat16": 1e-40, "float32": 1e-42, "float64": 1e-310}


def every_dtype():
    for function in FUNCTIONS:
        for dtype in DTYPES:
            inputs = {"a": grid(dtype), "b": grid(dtype, tame)}
            steps = [step("y", f"mx.{function}", "$a"), step("z", f"mx.{function}", "$b")]
            name = f"{function}_{SHORT[dtype]}"
            if (function, dtype) == ("to_fp8", "float64"):
                continue  # MLX misreads it.
            if (function, dtype) in REFUSED:
                yield error(name, inputs, steps[0])
            else:
                yield case(name, inputs, steps, ["y", "z"])


def special_values():
    for function in FUNCTIONS:
        for dtype in FLOATS:
            if (function, dtype) in REFUSED or (function, dtype) == ("to_fp8", "float64"):
                continue
            values = SPECIALS + [SUBNORMAL[dtype], -SUBNORMAL[dtype]]
            inputs = {"a": tensor(dtype, [len(values)], values)}
            name = f"{function}_specials_{SHORT[dtype]}"
            yield case(name, inputs, [step("y", f"mx.{function}", "$a")])


def many_values():
    """Long enough for the vector loops and their tails."""
    for function in FUNCTIONS:
        for dtype in ("float32", "bfloat16", "float16"):
            if (function, dtype) in REFUSED:
                continue
            inputs = {"a": normal(dtype, [37, 3], 11)}
            name = f"{function}_many_{SHORT[dtype]}"
            yield case(name, inputs, [step("y", f"mx.{function}", "$a")], graph=False)


def odd_shapes():
    for turn, function in enumerate(FUNCTIONS):
        dtype = (["int32"] + HALVES + ["float32"])[turn % 4]
        if (function, dtype) in REFUSED:
            dtype = "int32" if function == "bitwise_invert" else "float32"
        inputs = {
            "s": tensor(dtype, [], sample(dtype)[5:]), "e": tensor(dtype, [0, 3], []),
            "m": tensor(dtype, [1, 1, 2], tame(dtype)[:2]),
        }
        steps = [step(f"y_{n}", f"mx.{function}", f"${n}") for n in inputs]
        yield case(f"{function}_shapes_{SHORT[dtype]}", inputs, steps, [s["out"] for s in steps])


def spellings():
    for alias, function in ALIASES.items():
        for dtype in ("float32", "bfloat16", "int32", "complex64"):
            steps = [step("y", f"mx.{alias}", "$a"), step("z", f"mx.{function}", "$a")]
            yield case(f"{alias}_{SHORT[dtype]}", {"a": grid(dtype, tame)}, steps, ["y", "z"])
    for name in METHODS:
        for dtype in ("float32", "float16", "uint8", "complex64"):
            inputs = {"a": grid(dtype), "s": tensor(dtype, [], tame(dtype)[:1])}
            steps = [step("y", f"method.{name}", "$a"), step("z", f"method.{name}", "$s")]
            yield case(f"unary_method_{name}_{SHORT[dtype]}", inputs, steps, ["y", "z"])
    for name in OF_NUMBERS:
        numbers = {"int": 3, "bool": True, "wide": 2**40}
        if name != "bitwise_invert":
            numbers.update({"float": 2.5, "inf": {"float": "-inf"}, "nan": {"float": "nan"}})
        for kind, number in numbers.items():
            made = step("y", f"mx.{name}", number)
            if (name, kind) == ("negative", "bool"):
                yield error("negative_of_bool", {}, made)
            else:
                yield case(f"{name}_of_{kind}", {}, [made])
    yield error("bitwise_invert_of_float", {}, step("y", "mx.bitwise_invert", 2.5))


def inverse_domains():
    """At, around and outside the ends of what inverse functions take."""
    near = [1.0, -1.0, 0.99999, -0.99999, 1.00001, -1.00001, 0.5, -0.5, 2.0, -2.0, 0.0, -0.0, 1e-4, "inf", "-inf"]
    for function in ("arccos", "arccosh", "arcsin", "arctanh", "erfinv", "arctan", "log1p", "expm1"):
        for dtype in FLOATS:
            inputs = {"a": tensor(dtype, [len(near)], near)}
            yield case(f"{function}_ends_{SHORT[dtype]}", inputs, [step("y", f"mx.{function}", "$a")])
    plane = [[x, y] for x in (-2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0) for y in (-1.5, -0.0, 0.0, 1.0)]
    for function in FUNCTIONS:
        if (function, "complex64") not in REFUSED:
            inputs = {"a": tensor("complex64", [len(plane)], plane)}
            yield case(f"{function}_plane", inputs, [step("y", f"mx.{function}", "$a")])


def strided():
    """Views whose elements do not lie in a row."""
    for function in FUNCTIONS:
        dtype = "int16" if function == "bitwise_invert" else "float32"
        inputs = {"a": tensor(dtype, [2, 3, 2], tame(dtype) + tame(dtype)[::-1])}
        steps = [step("t", "mx.transpose", "$a", [2, 0, 1]), step("y", f"mx.{function}", "$t")]
        yield case(f"{function}_strided", inputs, steps)


def casts():
    for source in DTYPES:
        inputs = {"a": grid(source), "b": grid(source, tame)}
        steps = []
        for target in DTYPES:
            tag = SHORT[target]
            steps.append(step(f"y_{tag}", "method.astype", "$a", {"dtype": target}))
            steps.append(step(f"z_{tag}", "method.astype", "$b", {"dtype": target}))
        outputs = [made["out"] for made in steps]
        yield case(f"astype_from_{SHORT[source]}", inputs, steps, outputs)


def rounding_casts():
    values = [1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-8, 65519.0, 65520.0, 3e-8, 1e-40, 0.1, -0.0, 1e39]
    for source in ("float32", "float64"):
        inputs = {"a": tensor(source, [len(values)], values)}
        steps = [step(f"y_{SHORT[t]}", "method.astype", "$a", {"dtype": t}) for t in FLOATS]
        yield case(f"astype_rounds_{SHORT[source]}", inputs, steps, [s["out"] for s in steps])
    inputs = {"a": tensor("int64", [4], [2**24 + 1, 2**53 + 1, 2**30 + 2**22 + 1, -(2**63)])}
    steps = [step(f"y_{SHORT[t]}", "method.astype", "$a", {"dtype": t}) for t in FLOATS]
    yield case("astype_rounds_i64", inputs, steps, [s["out"] for s in steps])
    steps = [
        step("h", "method.astype", "$a", {"dtype": "float16"}),
        step("y", "method.astype", "$h", {"dtype": "float16"}),
    ]
    yield case("astype_twice", {"a": grid("float32")}, steps)
    for target in DTYPES:
        steps = [step("y", "mx.astype", "$a", {"dtype": target}), step("z", "mx.astype", "$b", {"dtype": target})]
        inputs = {"a": grid("int16"), "b": grid("bfloat16", tame)}
        yield case(f"astype_function_{SHORT[target]}", inputs, steps, ["y", "z"])
    for target in INTS:
        inputs = {"a": tensor("float32", [6], [3.9, -3.9, 0.5, 100.0, -1.0, 127.0])}
        made = step("y", "method.astype", "$a", {"dtype": target})
        yield case(f"astype_truncates_{SHORT[target]}", inputs, [made])


def cases():
    parts = (
        every_dtype, special_values, many_values, odd_shapes, spellings, inverse_domains, strided,
        casts, rounding_casts,
    )
    return [made for part in parts for made in part()]
