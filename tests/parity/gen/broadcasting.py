"""Shapes of two operands: what broadcasts to what, with 0-d and empty ones, and what does not.

Not here: the dtypes of two operands (dtype_pairs).
"""

from .base import OP_NAMES, case, dims, error, step, tensor

FIT = [
    ([], []), ([], [1]), ([1], []), ([1], [1]), ([], [2, 3]), ([2, 3], []), ([3], [2, 3]),
    ([2, 3], [3]), ([1], [2, 3]), ([2, 3], [1]), ([2, 1], [1, 3]), ([1, 3], [2, 1]),
    ([2, 1], [3]), ([1, 1, 1], [2]), ([5, 1, 4], [3, 1]), ([2, 1, 3, 1], [4, 1, 5]),
    ([0], [1]), ([0], []), ([0], [0]), ([0, 3], [3]), ([0, 3], [1, 1]), ([2, 0], [2, 1]),
    ([1, 0], [2, 1]), ([3, 1, 0], [4, 1]), ([2, 3], [2, 3]),
]
MISFIT = [
    ([2, 3], [4]), ([2, 3], [2]), ([2, 3], [3, 2]), ([0], [2]), ([2, 0], [3]), ([2, 3], [2, 3, 1]),
    ([4, 2, 3], [2, 2, 3]),
]
OPS = ["+", "*", "<", "-", "/", "mx.maximum", "**", "!=", "//", "%"]
PAIRS = [
    ("float32", "float32"), ("bfloat16", "float32"), ("int32", "float16"), ("uint8", "int8"),
    ("bool_", "int32"), ("complex64", "float32"),
]


def filled(dtype, shape):
    count = 1
    for size in shape:
        count *= size
    values = [1 + i % 5 if dtype != "bool_" else 1 for i in range(count)]
    return tensor(dtype, shape, values)


def fitting():
    turn = 0
    for left, right in FIT:
        for op in OPS[turn % 3 :: 4]:
            a, b = PAIRS[turn % len(PAIRS)]
            if op in ("//", "%") and "complex64" in (a, b):
                a, b = "int16", "uint8"
            inputs = {"a": filled(a, left), "b": filled(b, right)}
            word = OP_NAMES.get(op, op.removeprefix("mx."))
            name = f"{word}_{dims(left)}_{dims(right)}_{turn}"
            yield case(name, inputs, [step("y", op, "$a", "$b")])
            turn += 1


def misfitting():
    for turn, (left, right) in enumerate(MISFIT):
        for op in ("+", OPS[1 + turn % 5]):
            inputs = {"a": filled("float32", left), "b": filled("bfloat16", right)}
            word = OP_NAMES.get(op, op.removeprefix("mx."))
            yield error(f"{word}_{dims(left)}_{dims(right)}_refused", inputs, step("y", op, "$a", "$b"))


def bitwise_shapes():
    for left, right in FIT[4:8] + [([0], [1])]:
        inputs = {"a": filled("int32", left), "b": filled("uint8", right)}
        yield case(f"and_{dims(left)}_{dims(right)}", inputs, [step("y", "&", "$a", "$b")])
    inputs = {"a": filled("int32", [2, 3]), "b": filled("int32", [4])}
    yield error("and_2x3_4_refused", inputs, step("y", "&", "$a", "$b"))


def empty_with_scalar():
    for dtype in ("float32", "bool_", "int8", "bfloat16", "complex64"):
        for shape in ([0], [0, 3], [2, 0]):
            inputs = {"a": tensor(dtype, shape, [])}
            steps = [step("y", "+", "$a", 1), step("z", "/", 2.5, "$a"), step("w", "<", 1, "$a")]
            yield case(f"scalar_{dims(shape)}_{dtype}", inputs, steps, ["y", "z", "w"])


def lazy_operands():
    """Operands that are not leaves yet: views, transposes, results of ops."""
    inputs = {"a": filled("float32", [2, 3]), "b": filled("bfloat16", [3, 2])}
    steps = [step("t", "mx.transpose", "$a"), step("y", "+", "$t", "$b"), step("z", "*", "$b", "$t")]
    yield case("with_transpose", inputs, steps, ["y", "z"])
    steps = [
        step("r", "index", "$a", [1]), step("c", "index", "$a", [{"slice": [None, None, 2]}]),
        step("y", "-", "$c", "$r"), step("z", "/", "$r", "$c"),
    ]
    yield case("with_views", inputs, steps, ["y", "z"])
    steps = [step("s", "*", "$a", 2), step("y", "+", "$s", "$s"), step("z", "-", "$y", "$s")]
    yield case("shared_subexpression", inputs, steps, ["y", "z"])


def cases():
    parts = (fitting, misfitting, bitwise_shapes, empty_with_scalar, lazy_operands)
    return [made for part in parts for made in part()]
