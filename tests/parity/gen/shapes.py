"""reshape, transpose, expand_dims, squeeze, concatenate and broadcast_to: graphs and refusals.

Not here: indexing (indexing) and the method forms (methods).
"""

from .base import DTYPES, SHORT, case, error, grid, sample, step, tame, tensor


def counted(shape, dtype="float32"):
    total = 1
    for size in shape:
        total *= size
    return tensor(dtype, shape, [i % 2 if dtype == "bool_" else i for i in range(total)])


def tag(args):
    text = str(args).replace("-", "m").replace(", ", "_")
    return text.replace("[", "").replace("]", "") or "nothing"


def forms(op, shape, good, bad, dtype="float32"):
    """One case for each argument, named after it; `bad` ones must raise."""
    inputs = {"a": counted(shape, dtype)}
    base = f"{op.removeprefix('mx.')}_{tag(shape) if shape else '0d'}"
    for args in good:
        yield case(f"{base}_to_{tag(args) if args else 'default'}", inputs, [step("y", op, "$a", *args)])
    for args in bad:
        yield error(f"{base}_to_{tag(args)}_refused", inputs, step("y", op, "$a", *args))


def every_dtype():
    for dtype in DTYPES:
        inputs = {"a": grid(dtype), "b": tensor(dtype, [1, 3], tame(dtype)[:3])}
        steps = [
            step("r", "mx.reshape", "$a", [3, 2]), step("t", "mx.transpose", "$a"),
            step("e", "mx.expand_dims", "$a", 1), step("q", "mx.squeeze", "$b"),
            step("c", "mx.concatenate", ["$a", "$b"]), step("w", "mx.broadcast_to", "$b", [2, 3]),
        ]
        yield case(f"shapes_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])


def reshapes():
    good = [[[6]], [[3, 2]], [[-1]], [[2, -1]], [[-1, 1, 2]], [[2, 3]], [[1, 2, 1, 3]], [[1, 6]]]
    bad = [[[4, 2]], [[5]], [[-1, -1]], [[-1, 4]], [[]]]
    yield from forms("mx.reshape", [2, 3], good, bad)
    yield from forms("mx.reshape", [6], [[[6]], [[-1]], [[2, 3]]], [[[7]]], "bfloat16")
    yield from forms("mx.reshape", [], [[[1]], [[]], [[-1]], [[1, 1]]], [[[2]]], "int32")
    yield from forms("mx.reshape", [0, 3], [[[-1, 3]], [[3, -1]], [[0]], [[0, 7]]], [[[0, -1]], [[2]]])
    steps = [step("t", "mx.transpose", "$a"), step("y", "mx.reshape", "$t", [-1])]
    yield case("reshape_of_transpose", {"a": counted([2, 3])}, steps)


def transposes():
    good = [[], [None], [[0, 1, 2]], [[2, 0, 1]], [[-1, 0, 1]], [[1, 0, 2]]]
    bad = [[[0]], [[0, 1]], [[0, 0, 1]], [[0, 1, 3]], [[0, 1, -4]], [[]]]
    yield from forms("mx.transpose", [2, 3, 4], good, bad)
    yield from forms("mx.transpose", [3], [[], [[0]]], [[[1]]])
    yield from forms("mx.transpose", [], [[], [[]]], [[[0]]])
    yield from forms("mx.transpose", [0, 2], [[], [[1, 0]]], [])


def dims():
    good = [[0], [1], [2], [-1], [-3], [[0, 1]], [[0, -1]], [[1, 3]], [[]]]
    bad = [[3], [-4], [5], [[0, 0]], [[0, 5]]]
    yield from forms("mx.expand_dims", [2, 3], good, bad)
    yield from forms("mx.expand_dims", [], [[0], [-1], [[0, 1]]], [[1], [-2]])
    good = [[], [None], [0], [3], [-1], [[0, 2]], [[-1, 0]], [[]]]
    bad = [[1], [4], [-5], [[0, 0]], [[0, 1]]]
    yield from forms("mx.squeeze", [1, 3, 1, 1], good, bad)
    yield from forms("mx.squeeze", [2, 3], [[], [[]]], [[0], [-1]])
    yield from forms("mx.squeeze", [], [[]], [[0]])
    yield from forms("mx.squeeze", [1, 0], [[], [0]], [[1]])


def broadcasts():
    good = [[[2, 3]], [[4, 2, 3]], [[1, 2, 3]]]
    bad = [[[3, 3]], [[3]], [[2, 4]], [[2, -1]], [[]]]
    yield from forms("mx.broadcast_to", [2, 3], good, bad)
    yield from forms("mx.broadcast_to", [1, 3], [[[5, 3]], [[2, 1, 3]], [[0, 3]]], [[[3, 5]]], "float16")
    yield from forms("mx.broadcast_to", [], [[[]], [[1]], [[2, 2]], [[0]]], [], "bool_")
    yield from forms("mx.broadcast_to", [0], [[[0]], [[2, 0]]], [[[3]]])
    for name, scalar in (("int", 3), ("float", 2.5), ("bool", True)):
        yield case(f"broadcast_to_{name}", {}, [step("y", "mx.broadcast_to", scalar, [2, 2])])


def concatenations():
    inputs = {
        "a": counted([2, 3]), "b": counted([2, 3], "bfloat16"), "c": counted([1, 3], "int32"),
        "e": tensor("float32", [0, 3], []), "v": counted([3]),
    }
    good = {
        "two": [["$a", "$a"]], "rows": [["$a", "$c"]], "columns": [["$a", "$b"], 1],
        "last": [["$a", "$b"], -1], "first": [["$a", "$b", "$c"], -2], "one": [["$a"]],
        "empty": [["$e", "$a"]], "only_empty": [["$e", "$e"]], "flat": [["$a", "$c"], None],
        "vectors": [["$v", "$v", "$v"]], "ints": [["$c", "$c"], 1],
    }
    for name, args in good.items():
        yield case(f"concatenate_{name}", inputs, [step("y", "mx.concatenate", *args)])
    bad = {
        "axis": [["$a", "$a"], 2], "axis_low": [["$a", "$a"], -3], "sizes": [["$a", "$c"], 1],
        "ranks": [["$a", "$v"]], "nothing": [[]],
    }
    for name, args in bad.items():
        yield error(f"concatenate_{name}_refused", inputs, step("y", "mx.concatenate", *args))
    zero = {"a": tensor("float32", [], [1.0])}
    yield case("concatenate_one_0d", zero, [step("y", "mx.concatenate", ["$a"])])
    yield error("concatenate_0d_refused", zero, step("y", "mx.concatenate", ["$a", "$a"]))


def concatenated_dtypes():
    """Promotion folds from left to right, and is not associative."""
    triples = [
        ("uint64", "int8", "float16"), ("float16", "uint64", "int8"), ("int32", "uint64", "bfloat16"),
        ("bool_", "uint8", "int8"), ("float16", "bfloat16", "bool_"), ("int64", "uint32", "float16"),
        ("float64", "complex64", "int8"), ("uint8", "uint16", "int16"),
    ]
    for names in triples:
        inputs = {f"a{i}": tensor(d, [2], sample(d)[1:3]) for i, d in enumerate(names)}
        made = step("y", "mx.concatenate", [f"${name}" for name in inputs])
        yield case("concatenate_" + "_".join(SHORT[d] for d in names), inputs, [made])


def cases():
    parts = (
        every_dtype, reshapes, transposes, dims, broadcasts, concatenations, concatenated_dtypes,
    )
    return [made for part in parts for made in part()]
