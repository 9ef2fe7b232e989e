"""where and clip, with scalars in any place.

Not here: maximum and minimum (binary_functions).
"""

from .base import DTYPES, SHORT, case, error, grid, nonzero, sample, step, tensor

MASK = tensor("bool_", [2, 3], [1, 0, 1, 0, 0, 1])


def where_dtypes():
    for dtype in DTYPES:
        inputs = {"c": MASK, "a": grid(dtype), "b": grid(dtype, nonzero)}
        steps = [
            step("both", "mx.where", "$c", "$a", "$b"), step("int_right", "mx.where", "$c", "$a", 0),
            step("int_left", "mx.where", "$c", 1, "$a"), step("float", "mx.where", "$c", "$a", 1.5),
            step("flag", "mx.where", "$c", True, "$a"),
            step("complex", "mx.where", "$c", "$a", {"complex": [0.0, 1.0]}),
        ]
        yield case(f"where_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
        # Any dtype is a condition: non-zero, NaN included, is true.
        steps = [step("y", "mx.where", "$a", "$b", 0), step("z", "mx.where", "$a", 1, 0)]
        yield case(f"where_condition_{SHORT[dtype]}", inputs, steps, ["y", "z"])


def where_scalars():
    pairs = {
        "ints": (1, 0), "float_int": (1.5, 0), "int_float": (1, 0.25), "bools": (True, False),
        "bool_int": (True, 0), "wide": (2**40, 0), "complex": ({"complex": [1.0, 2.0]}, 0),
        "nan": ({"float": "nan"}, 0.0),
    }
    for name, (left, right) in pairs.items():
        steps = [
            step("y", "mx.where", "$c", left, right), step("z", "mx.where", True, left, right),
        ]
        yield case(f"where_scalars_{name}", {"c": MASK}, steps, ["y", "z"])
    for condition in (True, False, 0, 2, 0.5):
        for dtype in ("bfloat16", "int8"):
            made = step("y", "mx.where", condition, "$a", 0)
            yield case(f"where_{condition}_{SHORT[dtype]}", {"a": grid(dtype)}, [made])


def where_pairs():
    turn = 0
    for left in DTYPES:
        right = DTYPES[(turn * 5 + 3) % len(DTYPES)]
        turn += 1
        inputs = {"c": MASK, "a": grid(left), "b": tensor(right, [3], sample(right)[:3])}
        steps = [step("y", "mx.where", "$c", "$a", "$b"), step("z", "mx.where", "$c", "$b", "$a")]
        yield case(f"where_{SHORT[left]}_{SHORT[right]}", inputs, steps, ["y", "z"])


def where_shapes():
    one, row = tensor("bool_", [], [1]), tensor("bool_", [1, 3], [1, 0, 1])
    column = tensor("float32", [2, 1], [1.0, -1.0])
    for name, mask in (("0d", one), ("row", row)):
        inputs = {"c": mask, "a": column, "b": tensor("bfloat16", [3], [5.0, 6.0, 7.0])}
        yield case(f"where_{name}", inputs, [step("y", "mx.where", "$c", "$a", "$b")])
    inputs = {"c": tensor("bool_", [0, 3], []), "a": tensor("float32", [3], [1.0, 2.0, 3.0])}
    yield case("where_empty", inputs, [step("y", "mx.where", "$c", "$a", 0)])
    inputs = {"a": grid("bfloat16")}
    steps = [step("c", ">", "$a", 0), step("y", "mx.where", "$c", "$a", 0)]
    yield case("where_relu", inputs, steps)
    bad = {"c": tensor("bool_", [2], [1, 0]), "a": tensor("float32", [3], [1.0, 2.0, 3.0])}
    yield error("where_shapes_refused", bad, step("y", "mx.where", "$c", "$a", 0))
    yield error("where_overflow", {"c": MASK, "a": grid("uint8")}, step("y", "mx.where", "$c", "$a", 256))


def clip_dtypes():
    for dtype in DTYPES:
        inputs = {"a": grid(dtype)}
        steps = [
            step("both", "mx.clip", "$a", 0, 1), step("low", "mx.clip", "$a", 0.5, None),
            step("high", "mx.clip", "$a", None, 2), step("floats", "mx.clip", "$a", 0.25, 2.5),
        ]
        yield case(f"clip_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])


def clip_bounds():
    inputs = {
        "a": grid("float32"), "low": tensor("float32", [3], [-1.0, 0.0, 1.0]),
        "high": tensor("bfloat16", [2, 1], [0.5, 2.0]),
    }
    steps = [
        step("y", "mx.clip", "$a", "$low", "$high"), step("z", "mx.clip", "$a", "$low", 0.5),
        step("w", "mx.clip", "$a", None, "$high"), step("crossed", "mx.clip", "$a", 2, 1),
    ]
    yield case("clip_tensors", inputs, steps, ["y", "z", "w", "crossed"])
    yield case("clip_keywords", inputs, [step("y", "mx.clip", "$a", a_min=0, a_max=1)])
    edges = {"a": tensor("float16", [5], ["nan", -0.0, "inf", "-inf", 0.0])}
    steps = [step("y", "mx.clip", "$a", 0, 1), step("z", "mx.clip", "$a", -0.0, {"float": "inf"})]
    yield case("clip_edges", edges, steps, ["y", "z"])
    yield case("clip_empty", {"a": tensor("float32", [0], [])}, [step("y", "mx.clip", "$a", 0, 1)])
    yield case("clip_0d", {"a": tensor("int32", [], [7])}, [step("y", "mx.clip", "$a", 0, 5)])
    yield error("clip_nothing", inputs, step("y", "mx.clip", "$a", None, None))
    bad = {"a": grid("float32"), "low": tensor("float32", [4], [1.0, 2.0, 3.0, 4.0])}
    yield error("clip_shapes", bad, step("y", "mx.clip", "$a", "$low", None))


def cases():
    parts = (where_dtypes, where_scalars, where_pairs, where_shapes, clip_dtypes, clip_bounds)
    return [made for part in parts for made in part()]
