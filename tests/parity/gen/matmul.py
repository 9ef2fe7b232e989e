"""`@`, matmul and addmm: every combination of ranks, dtypes, alpha and beta, and the refusals.

Not here: anything about the speed or the BLAS behind it.
"""

from .base import DTYPES, FLOATS, INTS, SHORT, case, dims, error, normal, step, tensor

RANKS = [
    ([3], [3]), ([3], [3, 4]), ([2, 3], [3]), ([2, 3], [3, 4]), ([5, 2, 3], [3, 4]),
    ([5, 2, 3], [3]), ([3], [5, 3, 4]), ([2, 3], [5, 3, 4]), ([5, 2, 3], [5, 3, 4]),
    ([5, 2, 3], [1, 3, 4]), ([1, 2, 3], [5, 3, 4]), ([2, 1, 2, 3], [5, 3, 4]),
    ([2, 5, 2, 3], [3, 4]), ([2, 5, 2, 3], [2, 1, 3, 4]), ([1, 3], [3, 1]), ([1, 1], [1, 1]),
    ([1], [1]), ([17, 33], [33, 9]),
]
EMPTY = [
    ([0, 3], [3, 2]), ([2, 0], [0, 3]), ([2, 3], [3, 0]), ([0], [0]), ([0, 2, 3], [3, 4]),
    ([2, 0], [0]),
]
REFUSED = [
    ([2, 3], [2, 3]), ([3], [4]), ([], [2, 3]), ([2, 3], []), ([], []), ([2, 2, 3], [5, 3, 4]),
    ([2, 3], [4]), ([4], [3, 4]),
]


def pair(left, right, a="float32", b="float32"):
    return {"a": normal(a, left, 1), "b": normal(b, right, 2)}


def ranks():
    for turn, (left, right) in enumerate(RANKS):
        for dtype in ("float32", ("bfloat16", "float16", "float64", "complex64")[turn % 4]):
            steps = [step("y", "@", "$a", "$b"), step("z", "mx.matmul", "$a", "$b")]
            name = f"matmul_{dims(left)}_{dims(right)}_{SHORT[dtype]}"
            yield case(name, pair(left, right, dtype, dtype), steps, ["y", "z"])


def empty():
    for left, right in EMPTY:
        inputs = {"a": tensor("float32", left, [1.0] * count(left))}
        inputs["b"] = tensor("float32", right, [2.0] * count(right))
        yield case(f"matmul_{dims(left)}_{dims(right)}", inputs, [step("y", "@", "$a", "$b")])


def count(shape):
    total = 1
    for size in shape:
        total *= size
    return total


def dtype_mixes():
    for left in FLOATS + ["complex64"]:
        for right in DTYPES:
            inputs = {
                "a": tensor(left, [1, 3], [1.5, -2.0, 3.0]),
                "b": tensor(right, [3, 2], [1, 0, 1, 1, 0, 1]),
            }
            steps = [step("y", "@", "$a", "$b")]
            name = f"matmul_{SHORT[left]}_{SHORT[right]}"
            yield case(name, inputs, steps)
    for dtype in ["bool_"] + INTS:
        inputs = {"a": tensor(dtype, [2], [1, 1]), "b": tensor(dtype, [2], [1, 0])}
        yield error(f"matmul_{SHORT[dtype]}_refused", inputs, step("y", "@", "$a", "$b"))


def views():
    inputs = pair([4, 3], [4, 5])
    steps = [
        step("t", "mx.transpose", "$a"), step("y", "@", "$t", "$b"),
        step("u", "mx.transpose", "$b"), step("z", "@", "$u", "$a"),
    ]
    yield case("matmul_transposed", inputs, steps, ["y", "z"])
    steps = [
        step("s", "index", "$a", [{"slice": [None, None, 2]}]),
        step("r", "index", "$b", [{"slice": [None, 3, None]}]), step("y", "@", "$s", "$r"),
    ]
    yield case("matmul_strided", inputs, steps)


def refused():
    for left, right in REFUSED:
        inputs = pair(left, right)
        name = f"matmul_{dims(left)}_{dims(right)}_refused"
        yield error(name, inputs, step("y", "@", "$a", "$b"))
        yield error(f"{name}_form", inputs, step("y", "mx.matmul", "$a", "$b"))


def addmm_shapes():
    shapes = [
        ([4], [2, 3], [3, 4]), ([2, 4], [2, 3], [3, 4]), ([1, 4], [2, 3], [3, 4]), ([], [2, 3], [3, 4]),
        ([4], [5, 2, 3], [3, 4]), ([2, 4], [5, 2, 3], [3, 4]), ([5, 2, 4], [5, 2, 3], [5, 3, 4]),
        ([4], [5, 2, 3], [5, 3, 4]), ([4], [3], [3, 4]), ([2], [2, 3], [3]), ([], [3], [3]),
        ([1], [2, 5, 2, 3], [3, 4]),
    ]
    for turn, (c, a, b) in enumerate(shapes):
        for dtype in ("float32", ("bfloat16", "float16", "float64")[turn % 3]):
            inputs = {"c": normal(dtype, c, 3), **pair(a, b, dtype, dtype)}
            name = f"addmm_{dims(c)}_{dims(a)}_{dims(b)}_{SHORT[dtype]}"
            yield case(name, inputs, [step("y", "mx.addmm", "$c", "$a", "$b")])


def addmm_factors():
    for dtype in ("float32", "bfloat16", "float16"):
        inputs = {"c": normal(dtype, [4], 3), **pair([2, 3], [3, 4], dtype, dtype)}
        for alpha, beta in ((0.5, 1.0), (1.0, 2.0), (0.1, 0.3), (0.0, 1.0), (1.0, 0.0), (-2.0, -1.0)):
            name = f"addmm_{alpha}_{beta}_{SHORT[dtype]}"
            yield case(name, inputs, [step("y", "mx.addmm", "$c", "$a", "$b", alpha=alpha, beta=beta)])
        made = step("y", "mx.addmm", "$c", "$a", "$b", 2.0, 0.5)
        yield case(f"addmm_positional_{SHORT[dtype]}", inputs, [made])
    inputs = {"c": normal("float32", [4], 3), **pair([2, 3], [3, 4], "bfloat16", "float16")}
    yield case("addmm_mixed", inputs, [step("y", "mx.addmm", "$c", "$a", "$b")])
    inputs = {"c": tensor("int32", [4], [1, 2, 3, 4]), **pair([2, 3], [3, 4], "bfloat16", "bfloat16")}
    yield case("addmm_int_bias", inputs, [step("y", "mx.addmm", "$c", "$a", "$b")])


def addmm_dtypes():
    """Each dtype as all three, and as each one beside float16."""
    for dtype in DTYPES:
        given = {
            "c": tensor(dtype, [2], [1, 0]), "a": tensor(dtype, [1, 3], [1, 0, 1]),
            "b": tensor(dtype, [3, 2], [1, 0, 1, 1, 0, 1]),
        }
        made = step("y", "mx.addmm", "$c", "$a", "$b", alpha=0.5, beta=2.0)
        if dtype in FLOATS + ["complex64"]:
            yield case(f"addmm_{SHORT[dtype]}", given, [made])
        else:
            yield error(f"addmm_{SHORT[dtype]}_refused", given, made)
        for name in given:
            mixed = {n: {**spec, "dtype": dtype if n == name else "float16"} for n, spec in given.items()}
            yield case(f"addmm_{name}_{SHORT[dtype]}", mixed, [made])
    for c, a, b in (([2, 1, 1], [3, 2, 4], [4, 5]), ([3, 1, 5], [3, 2, 4], [4, 5]), ([1, 1], [4], [4, 5]), ([3, 2], [3, 2, 4], [4])):
        inputs = {"c": normal("float32", c, 3), **pair(a, b)}
        name = f"addmm_{dims(c)}_onto_{dims(a)}_{dims(b)}"
        made = step("y", "mx.addmm", "$c", "$a", "$b")
        fits = c not in ([2, 1, 1], [1, 1])
        yield case(name, inputs, [made]) if fits else error(f"{name}_refused", inputs, made)
    factors = ({"alpha": {"float": "nan"}}, {"beta": {"float": "inf"}}, {"alpha": 0.0, "beta": 0.0}, {"alpha": 3, "beta": True})
    for turn, kw in enumerate(factors):
        inputs = {"c": tensor("float32", [2], ["nan", 1.0]), **pair([2, 3], [3, 2])}
        yield case(f"addmm_strange_{turn}", inputs, [step("y", "mx.addmm", "$c", "$a", "$b", **kw)])


def addmm_edges():
    inputs = {"c": normal("float32", [2], 3), **pair([2, 3], [3, 4])}
    yield error("addmm_bias_shape", inputs, step("y", "mx.addmm", "$c", "$a", "$b"))
    inputs = {"c": normal("float32", [4], 3), **pair([2, 3], [4, 4])}
    yield error("addmm_inner_shape", inputs, step("y", "mx.addmm", "$c", "$a", "$b"))
    inputs = {"c": normal("float32", [4], 3), **pair([], [3, 4])}
    yield error("addmm_0d", inputs, step("y", "mx.addmm", "$c", "$a", "$b"))
    ints = {n: tensor("int32", [2, 2], [1, 2, 3, 4]) for n in ("c", "a", "b")}
    yield error("addmm_ints", ints, step("y", "mx.addmm", "$c", "$a", "$b"))
    empty_inner = {
        "c": tensor("float32", [2], [1.0, 2.0]), "a": tensor("float32", [3, 0], []),
        "b": tensor("float32", [0, 2], []),
    }
    yield case("addmm_empty_inner", empty_inner, [step("y", "mx.addmm", "$c", "$a", "$b")])


def cases():
    parts = (ranks, empty, dtype_mixes, views, refused, addmm_shapes, addmm_factors, addmm_dtypes, addmm_edges)
    return [made for part in parts for made in part()]
