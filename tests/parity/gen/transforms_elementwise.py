"""Sample calls of ops that work on elements, rows and axes: functions of one and two tensors, operators, reductions,
scans, sorts, activations.

Not here: what is done to them.
"""

from .transforms_base import B, Draw, G, I, N, P, U, call

OF_ANY = [
    "abs", "exp", "square", "sin", "cos", "tanh", "sigmoid", "negative", "arctan", "arcsinh", "conjugate", "cosh",
    "degrees", "radians", "expm1", "positive", "real", "imag", "sinh", "tan", "stop_gradient", "sign", "floor", "ceil",
    "trunc", "erf", "round", "logical_not", "isnan", "isinf", "isfinite", "isneginf", "isposinf",
]
OF_POSITIVE = ["log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal"]
OF_UNIT = ["arcsin", "arccos", "arctanh", "erfinv"]
COMPLEX = {
    "abs", "exp", "square", "sin", "cos", "tanh", "negative", "conjugate", "cosh", "real", "imag", "sinh", "tan", "log",
    "sqrt", "reciprocal", "arctan", "arcsinh", "log1p", "sign", "arcsin", "log2", "rsqrt",
    "arccos", "arccosh", "arctanh", "log10",
}
ALIASES = {
    "acos": U, "acosh": G, "asin": U, "asinh": N, "atan": N, "atanh": U, "conj": N,
}
METHODS = {
    "abs": N, "conj": N, "cos": N, "exp": N, "log": P, "log10": P, "log1p": P, "log2": P, "reciprocal": P, "round": N, "rsqrt": P,
    "sin": N, "sqrt": P, "square": N, "real": N, "imag": N,
}
SHAPES = [(2, 3), (), (5,), (2, 1, 3)]


def of_one():
    turn = 0
    for names, kind in ((OF_ANY, N), (OF_POSITIVE, P), (OF_UNIT, U), (["arccosh"], G)):
        for name in names:
            turn += 1
            yield call(name, f"mx.{name}", "$a", a=kind(*SHAPES[turn % 4]), complex_too=name in COMPLEX)
    for name, kind in ALIASES.items():
        yield call(f"alias_{name}", f"mx.{name}", "$a", a=kind(3))
    for name, kind in METHODS.items():
        yield call(f"method_{name}", f"method.{name}", "$a", a=kind(2, 2))
    for name in ("abs", "neg"):
        yield call(f"operator_{name}", name, "$a", a=N(3), complex_too=True)
    yield call("exp_empty", "mx.exp", "$a", a=N(0, 3))
    yield call("tanh_strided", "mx.tanh", "$t", before=[{"out": "t", "op": "method.T", "args": ["$a"]}], a=N(2, 3))
    yield call("round_2", "mx.round", "$a", 1, a=N(3))
    yield call("nan_to_num", "mx.nan_to_num", "$a", a=N(2, 3))
    yield call("to_fp8", "mx.to_fp8", "$a", a=N(4))
    yield call("from_fp8", "mx.from_fp8", "$a", a=I(100, 4, dtype="uint8"))
    yield call("bitwise_invert", "mx.bitwise_invert", "$a", a=I(9, 4))
    yield call("operator_invert", "~", "$a", a=I(9, 4))
    for dtype in ("float32", "float16", "bfloat16", "float64", "int32", "complex64", "bool_"):
        yield call(f"astype_{dtype}", "method.astype", "$a", {"dtype": dtype}, a=N(2, 3))
    yield call("astype_function", "mx.astype", "$a", {"dtype": "float32"}, a=N(3))
    yield call("view_int32", "mx.view", "$a", {"dtype": "uint8"}, a=N(2, 2))
    yield call("view_method", "method.view", "$a", {"dtype": "uint8"}, a=N(2, 2))


BINARY = {
    "add": (N, N), "subtract": (N, N), "multiply": (N, N), "divide": (N, P), "maximum": (N, N), "minimum": (N, N),
    "logaddexp": (N, N), "power": (P, N), "pow": (P, N), "arctan2": (N, P), "atan2": (N, P), "floor_divide": (N, P), "remainder": (N, P),
    "equal": (N, N), "not_equal": (N, N), "less": (N, N), "less_equal": (N, N), "greater": (N, N),
    "greater_equal": (N, N), "logical_and": (N, N), "logical_or": (N, N), "logical_xor": (N, N), "isclose": (N, N),
    "allclose": (N, N), "array_equal": (N, N),
}
OF_INTS = [
    "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "bitwise_left_shift",
    "bitwise_right_shift", "floor_divide", "remainder",
]
PAIRS = [((2, 3), (2, 3)), ((2, 3), (3,)), ((), (2, 3)), ((2, 1), (1, 3)), ((4,), ())]
OPERATORS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "**": "power", "//": "floordiv", "%": "mod"}


def of_two():
    turn = 0
    for name, kinds in BINARY.items():
        pairs = PAIRS if name in ("add", "multiply", "divide", "power", "maximum") else [PAIRS[turn % 5], PAIRS[1]]
        turn += 1
        for a, b in dict.fromkeys(pairs):
            tag = f"{name}_{'x'.join(map(str, a)) or '0d'}_{'x'.join(map(str, b)) or '0d'}"
            yield call(
                tag, f"mx.{name}", "$a", "$b", a=kinds[0](*a), b=kinds[1](*b), guarded=name in ("floor_divide", "remainder"),
                complex_too=name in ("add", "multiply", "divide", "subtract", "power"),
            )
    yield call("divmod", "mx.divmod", "$a", "$b", outs=2, a=N(2, 3), b=P(3), guarded=True)
    yield call("divmod_int", "mx.divmod", "$a", "$b", outs=2, a=I(50, 2, 3), b=I(9, 3, low=1), guarded=True)
    for name in OF_INTS:
        yield call(f"{name}_int", f"mx.{name}", "$a", "$b", a=I(50, 2, 3), b=I(5, 3, low=1), guarded=True)
    for op in ("&", "|", "^", "<<", ">>", "//", "%"):
        tag = {"&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr", "//": "floordiv", "%": "mod"}[op]
        yield call(f"operator_{tag}_int", op, "$a", "$b", a=I(50, 2, 3), b=I(5, 3, low=1), guarded=True)
    for op, tag in OPERATORS.items():
        guarded = op in ("//", "%")
        yield call(f"operator_{tag}", op, "$a", "$b", a=P(2, 3), b=P(3), guarded=guarded)
        yield call(f"operator_{tag}_scalar", op, "$a", 2.5, a=P(2, 3), guarded=guarded)
        yield call(f"operator_{tag}_int_scalar", op, "$a", 3, a=P(3), guarded=guarded, complex_too=not guarded)
        yield call(f"scalar_operator_{tag}", op, 1.5, "$a", a=P(2, 3), guarded=guarded)
        yield call(f"operator_{tag}_itself", op, "$a", "$a", a=P(3), guarded=guarded)
        if op != "**":
            yield call(f"in_place_{tag}", f"{op}=", "$a", "$b", a=P(2, 3), b=P(3), guarded=guarded)
    for op, tag in {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}.items():
        yield call(f"operator_{tag}", op, "$a", 0.25, a=N(3))
    yield call("where", "mx.where", "$c", "$a", "$b", c=B(2, 3), a=N(2, 3), b=N(3))
    yield call("where_of_comparison", "mx.where", "$c", "$a", 0.0, before=[{"out": "c", "op": ">", "args": ["$a", 0.1]}], a=N(5))
    yield call("where_float_condition", "mx.where", "$c", "$a", "$b", c=N(2), a=N(2), b=N(2))
    yield call("clip", "mx.clip", "$a", -0.5, 0.5, a=N(2, 3))
    yield call("clip_tensors", "mx.clip", "$a", "$b", "$c", a=N(2, 3), b=U(3), c=G(2, 1))
    yield call("clip_below", "mx.clip", "$a", None, 0.5, a=N(3))
    yield call("depends", "mx.depends", "$a", "$b", a=N(3), b=N(2))


REDUCTIONS = ["sum", "prod", "mean", "max", "min", "logsumexp", "var", "std", "median", "all", "any"]
AXES = {"none": {}, "0": {"axis": 0}, "last_kept": {"axis": -1, "keepdims": True}, "pair": {"axis": [0, 2]}, "kept": {"keepdims": True}}


def along_axes():
    for name in REDUCTIONS:
        for form, kw in AXES.items():
            yield call(f"{name}_{form}", f"mx.{name}", "$a", kw=kw, a=N(2, 3, 2), complex_too=name in ("sum", "mean", "prod") and form == "0")
        if name not in ("median",):
            yield call(f"method_{name}", f"method.{name}", "$a", kw={"axis": 1}, a=N(2, 3))
    for name in ("sum", "mean", "logsumexp", "max"):
        yield call(f"{name}_0d", f"mx.{name}", "$a", a=N())
    for name in ("max", "min", "sort", "median", "cummax"):
        yield call(f"{name}_of_ties", f"mx.{name}", "$a", kw={"axis": 0}, a=Draw("randint", [6, 2], None, 0, 3))
    yield call("sum_empty", "mx.sum", "$a", kw={"axis": 0}, a=N(0, 3))
    for kw in ({"ddof": 1}, {"axis": 1, "ddof": 1}):
        yield call(f"var_ddof_{len(kw)}", "mx.var", "$a", kw=kw, a=N(2, 3))
        yield call(f"std_ddof_{len(kw)}", "mx.std", "$a", kw=kw, a=N(2, 3))
    for name in ("argmax", "argmin"):
        yield call(name, f"mx.{name}", "$a", kw={"axis": 1}, a=N(2, 3))
        yield call(f"{name}_all", f"mx.{name}", "$a", a=N(2, 3))
    yield call("count_nonzero", "mx.count_nonzero", "$a", kw={"axis": 0}, a=N(2, 3))
    scans = {"cumsum": N, "cumprod": P, "cummax": N, "cummin": N, "logcumsumexp": N}
    for name, kind in scans.items():
        for form, kw in {"0": {"axis": 0}, "last": {"axis": -1}, "reverse": {"axis": 1, "reverse": True}, "exclusive": {"axis": 1, "inclusive": False}, "both": {"axis": 0, "reverse": True, "inclusive": False}, "flat": {}}.items():
            yield call(f"{name}_{form}", f"mx.{name}", "$a", kw=kw, a=kind(2, 4))
        yield call(f"method_{name}", f"method.{name}", "$a", kw={"axis": 0}, a=kind(3, 2))
    yield call("cumulative_sum", "mx.cumulative_sum", "$a", kw={"axis": 0}, a=N(3))
    yield call("cumulative_prod", "mx.cumulative_prod", "$a", kw={"axis": 0}, a=P(3))
    for name in ("softmax",):
        for form, kw in {"last": {"axis": -1}, "0": {"axis": 0}, "pair": {"axis": [0, 1]}, "precise": {"axis": -1, "precise": True}, "all": {}}.items():
            yield call(f"{name}_{form}", f"mx.{name}", "$a", kw=kw, a=N(2, 4))
    for name in ("sort", "argsort"):
        for form, args in {"last": (), "0": (0,), "flat": (None,)}.items():
            yield call(f"{name}_{form}", f"mx.{name}", "$a", *args, a=N(2, 4))
    for name in ("partition", "argpartition", "topk"):
        yield call(name, f"mx.{name}", "$a", 2, a=N(2, 4))
        yield call(f"{name}_0", f"mx.{name}", "$a", 1, kw={"axis": 0}, a=N(3, 2))
        yield call(f"{name}_flat", f"mx.{name}", "$a", 2, kw={"axis": None}, a=N(2, 4))
    yield call("searchsorted", "mx.searchsorted", "$s", "$a", before=[{"out": "s", "op": "mx.sort", "args": ["$b"]}], a=N(3), b=N(5))
    yield call("diff", "mx.diff", "$a", a=N(2, 4))
    yield call("diff_2", "mx.diff", "$a", 2, 0, a=N(4, 2))


ACTIVATIONS = ["relu", "silu", "gelu", "gelu_approx", "softplus"]


def activations():
    for name in ACTIVATIONS:
        yield call(f"nn_{name}", f"nn.{name}", "$a", a=N(2, 3))


def calls():
    return [*of_one(), *of_two(), *along_axes(), *activations()]
