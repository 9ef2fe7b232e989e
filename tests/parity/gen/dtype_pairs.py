"""Tensor with tensor over every ordered pair of dtypes.

Not here: scalars (operators, scalars) and the shapes of broadcasting (broadcasting).
"""

from .base import DTYPES, INTS, REALS, SHORT, case, error, grid, nonzero, sample, step, tensor

ROTATION = ["-", "*", "**", ">=", "==", "mx.maximum", "mx.minimum", "mx.logaddexp", ">", "!="]
SHAPES = [[2, 3], [3], [1], []]


def divisor(dtype, turn):
    shape = SHAPES[turn % len(SHAPES)]
    count = {0: 1, 1: shape[0] if shape else 1, 2: 6}[len(shape)]
    return tensor(dtype, shape, nonzero(dtype)[:count])


def every_pair():
    turn = 0
    for left in DTYPES:
        for right in DTYPES:
            inputs = {"a": grid(left), "b": divisor(right, turn)}
            steps = [
                step("sum", "+", "$a", "$b"), step("quotient", "/", "$a", "$b"),
                step("less", "<", "$a", "$b"),
                step("other", ROTATION[turn % len(ROTATION)], "$a", "$b"),
            ]
            outputs = [made["out"] for made in steps]
            yield case(f"pair_{SHORT[left]}_{SHORT[right]}", inputs, steps, outputs)
            turn += 1


def division_pairs():
    for i, left in enumerate(REALS):
        for j, right in enumerate(REALS):
            if (i + j) % 2:
                continue
            inputs = {"a": grid(left), "b": grid(right, nonzero)}
            steps = [step("f", "//", "$a", "$b"), step("m", "%", "$a", "$b")]
            yield case(f"floor_mod_{SHORT[left]}_{SHORT[right]}", inputs, steps, ["f", "m"])


def bitwise_pairs():
    ops = ["&", "|", "^", "<<", ">>"]
    turn = 0
    for left in ["bool_"] + INTS:
        for right in ["bool_"] + INTS:
            op = ops[turn % len(ops)]
            turn += 1
            name = f"bitwise_{SHORT[left]}_{SHORT[right]}"
            inputs = {"a": grid(left), "b": tensor(right, [3], sample("bool_")[:3])}
            made = step("y", op, "$a", "$b")
            # An unsigned 64-bit value has no common integer dtype with a signed one.
            mixed = {left, right} & {"uint64"} and {left, right} & {"int8", "int16", "int32", "int64"}
            yield error(name, inputs, made) if mixed else case(name, inputs, [made])


def refused_pairs():
    for op, word in (("//", "floordiv"), ("%", "mod")):
        for left, right in (("complex64", "float32"), ("int32", "complex64")):
            inputs = {"a": grid(left), "b": grid(right, nonzero)}
            name = f"{word}_{SHORT[left]}_{SHORT[right]}_refused"
            yield error(name, inputs, step("y", op, "$a", "$b"))
    for op, word in (("&", "and"), ("<<", "shl")):
        for left, right in (("float32", "int32"), ("int32", "bfloat16"), ("complex64", "bool_")):
            inputs = {"a": grid(left), "b": grid(right, nonzero)}
            name = f"{word}_{SHORT[left]}_{SHORT[right]}_refused"
            yield error(name, inputs, step("y", op, "$a", "$b"))


def same_tensor_twice():
    for dtype in DTYPES:
        inputs = {"a": grid(dtype, nonzero)}
        steps = [step("y", "*", "$a", "$a"), step("z", "/", "$a", "$a"), step("w", "==", "$a", "$a")]
        yield case(f"self_{SHORT[dtype]}", inputs, steps, ["y", "z", "w"])


def cases():
    parts = (every_pair, division_pairs, bitwise_pairs, refused_pairs, same_tensor_twice)
    return [made for part in parts for made in part()]
