"""Short programs as people write them: gelu, norms, similarity, attention scores, losses.

Not here: single ops. These show that whole graphs agree, in every float dtype.
"""

from .base import FLOATS, SHORT, case, normal, step, tensor


def gelu():
    for dtype in FLOATS:
        steps = [
            step("h", "*", 0.5, "$x"), step("c", "**", "$x", 3), step("c", "*", 0.044715, "$c"),
            step("i", "+", "$x", "$c"), step("i", "*", 0.7978845608028654, "$i"),
            step("t", "mx.tanh", "$i"), step("t", "+", 1, "$t"), step("y", "*", "$h", "$t"),
        ]
        yield case(f"gelu_tanh_{SHORT[dtype]}", {"x": normal(dtype, [2, 3], 7)}, steps)
        steps = [
            step("e", "/", "$x", 1.4142135623730951), step("e", "mx.erf", "$e"),
            step("e", "+", 1, "$e"), step("y", "*", "$x", "$e"), step("y", "/", "$y", 2),
        ]
        yield case(f"gelu_erf_{SHORT[dtype]}", {"x": normal(dtype, [5, 8], 8)}, steps)


def norms():
    for dtype in FLOATS:
        inputs = {"x": normal(dtype, [4, 16], 1), "w": normal(dtype, [16], 2)}
        steps = [
            step("s", "mx.square", "$x"), step("m", "mx.mean", "$s", axis=-1, keepdims=True),
            step("m", "+", "$m", 1e-5), step("r", "mx.rsqrt", "$m"), step("y", "*", "$x", "$r"),
            step("y", "*", "$w", "$y"),
        ]
        yield case(f"rms_norm_{SHORT[dtype]}", inputs, steps)
        steps = [
            step("m", "mx.mean", "$x", axis=-1, keepdims=True),
            step("v", "mx.var", "$x", axis=-1, keepdims=True), step("c", "-", "$x", "$m"),
            step("v", "+", "$v", 1e-5), step("r", "mx.rsqrt", "$v"), step("y", "*", "$c", "$r"),
        ]
        yield case(f"layer_norm_{SHORT[dtype]}", inputs, steps)


def similarity():
    for dtype in FLOATS:
        inputs = {"a": normal(dtype, [6, 24], 3), "q": normal(dtype, [24], 4)}
        steps = [
            step("n", "*", "$a", "$a"), step("n", "mx.sum", "$n", axis=1), step("n", "mx.sqrt", "$n"),
            step("k", "mx.square", "$q"), step("k", "mx.sum", "$k"), step("k", "mx.sqrt", "$k"),
            step("d", "@", "$a", "$q"), step("n", "*", "$n", "$k"), step("y", "/", "$d", "$n"),
        ]
        yield case(f"cosine_{SHORT[dtype]}", inputs, steps, ["y", "n"])


def attention():
    for dtype in FLOATS:
        inputs = {
            "q": normal(dtype, [2, 5, 8], 5), "k": normal(dtype, [2, 5, 8], 6),
            "v": normal(dtype, [2, 5, 8], 7),
        }
        steps = [
            step("t", "mx.transpose", "$k", [0, 2, 1]), step("s", "@", "$q", "$t"),
            step("s", "*", "$s", 0.35355339059327373), step("i", "mx.arange", 5),
            step("r", "index", "$i", [{"slice": [None, None, None]}, "newaxis"]),
            step("m", ">=", "$r", "$i"), step("s", "mx.where", "$m", "$s", {"float": "-inf"}),
            step("p", "mx.softmax", "$s", axis=-1, precise=True), step("y", "@", "$p", "$v"),
        ]
        yield case(f"attention_{SHORT[dtype]}", inputs, steps)


def by_hand():
    for dtype in FLOATS:
        inputs = {"x": normal(dtype, [3, 7], 9)}
        steps = [
            step("m", "mx.max", "$x", axis=-1, keepdims=True), step("e", "-", "$x", "$m"),
            step("e", "mx.exp", "$e"), step("s", "mx.sum", "$e", axis=-1, keepdims=True),
            step("y", "/", "$e", "$s"),
        ]
        yield case(f"softmax_by_hand_{SHORT[dtype]}", inputs, steps)
        steps = [
            step("n", "neg", "$x"), step("l", "mx.logaddexp", 0.0, "$x"), step("g", "mx.sigmoid", "$n"),
            step("p", "*", "$x", "$g"), step("y", "-", "$l", "$p"), step("y", "mx.mean", "$y"),
        ]
        yield case(f"logistic_{SHORT[dtype]}", inputs, steps)


def polynomials():
    """Mixed weak scalars of every kind in one expression."""
    for dtype in FLOATS + ["int32", "uint8", "bool_", "complex64"]:
        inputs = {"x": tensor(dtype, [4], [1, 0, 1, 1])}
        steps = [
            step("a", "*", 3, "$x"), step("a", "+", "$a", True), step("b", "**", "$x", 2),
            step("b", "/", "$b", 4), step("c", "-", 1.5, "$a"), step("y", "+", "$b", "$c"),
            step("z", "==", "$y", "$a"),
        ]
        yield case(f"polynomial_{SHORT[dtype]}", inputs, steps, ["y", "z"])


def drawn_inputs():
    """The three kinds of drawn inputs, in several dtypes."""
    for dtype in ("float32", "bfloat16", "float16", "float64", "complex64"):
        inputs = {
            "u": {"dtype": dtype, "shape": [3, 4], "uniform": {"key": 2, "low": -2.0, "high": 3.0}},
            "n": normal(dtype, [4], 3),
        }
        yield case(f"drawn_{SHORT[dtype]}", inputs, [step("y", "*", "$u", "$n")], ["y", "u", "n"])
    for dtype in ("int32", "uint8", "int64", "float32", "bool_"):
        spec = {"dtype": dtype, "shape": [5], "randint": {"key": 4, "low": 0, "high": 100}}
        yield case(f"drawn_int_{SHORT[dtype]}", {"a": spec}, [step("y", "+", "$a", 1)], ["y", "a"])


def cases():
    parts = (gelu, norms, similarity, attention, by_hand, polynomials, drawn_inputs)
    return [made for part in parts for made in part()]
