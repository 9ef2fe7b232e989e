"""Scans (cumsum and the like), differences of neighbours, sorts, partitions and searches.

Not here: the places of extremes and the median (reductions). Python dies of scans of empty tensors
and of sorts along empty axes: tests/killers has those.
"""

from .base import (
    DTYPES, FLOATS, INTS, SHORT, case, error, grid, normal, sample, step, tame, tensor,
)

SCANS = ["cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"]
TYPED = {"cumsum": "cumulative_sum", "cumprod": "cumulative_prod"}
# Named with the number that each takes.
PLACED = {"partition": "kth", "argpartition": "kth", "topk": "k"}
SORTS = ["sort", "argsort"]


def cube(dtype, values=tame):
    return tensor(dtype, [2, 3, 2], values(dtype) + values(dtype)[::-1])


def scans():
    for scan in SCANS:
        op = f"mx.{scan}"
        for dtype in DTYPES:
            inputs = {"a": cube(dtype), "b": grid(dtype), "s": tensor(dtype, [], tame(dtype)[:1])}
            steps = [
                step("flat", op, "$a"), step("last", op, "$a", -1), step("first", op, "$a", axis=0),
                step("middle", op, "$a", 1, reverse=True), step("less", op, "$a", 1, inclusive=False),
                step("both", op, "$a", axis=2, reverse=True, inclusive=False),
                step("special", op, "$b", axis=1), step("special_flat", op, "$b", reverse=True),
                step("zero", op, "$s"), step("method", f"method.{scan}", "$a", 0, reverse=True),
                step("none", op, "$b", None, inclusive=False),
            ]
            yield case(f"{scan}_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
        inputs = {"a": tensor("float32", [2, 3, 2], range(12)), "s": tensor("float32", [], [1.0])}
        for axis in (3, -4):
            tag = str(axis).replace("-", "minus_")
            yield error(f"{scan}_axis_{tag}", inputs, step("y", op, "$a", axis=axis))
        yield error(f"{scan}_0d_axis", inputs, step("y", op, "$s", axis=0))
        steps = [
            step("t", "mx.transpose", "$a", [2, 0, 1]), step("y", op, "$t", axis=0), step("z", op, "$t", axis=-1),
            step("w", op, "$t"), step("v", op, "$t", 1, reverse=True),
        ]
        yield case(f"{scan}_transposed", inputs, steps, ["y", "z", "w", "v"])
        for dtype in ("float32", "bfloat16", "float16"):
            long = {"a": normal(dtype, [3, 301], 5)}
            steps = [step("y", op, "$a"), step("z", op, "$a", 1), step("w", op, "$a", 0)]
            yield case(f"{scan}_long_{SHORT[dtype]}", long, steps, ["y", "z", "w"])
        unit = {"a": tensor("int16", [1, 3, 1], [3, -1, 2])}
        steps = [step("y", op, "$a", axis=0), step("z", op, "$a", axis=2, inclusive=False)]
        yield case(f"{scan}_unit_axes", unit, steps, ["y", "z"])
        row = {"a": tensor("float32", [3], [3.0, -1.0, 2.0])}
        yield case(f"{scan}_row", row, [step("y", op, "$a")], ["y"])
        # Python's methods flatten where its functions reshape.
        shapes = {"a": [3], "b": [2, 3], "s": []}
        inputs = {name: normal("float32", shape, 6) for name, shape in shapes.items()}
        steps = [step(f"{name}_all", f"method.{scan}", f"${name}") for name in shapes]
        yield case(f"{scan}_method_flat", inputs, steps, [made["out"] for made in steps])


def typed_scans():
    for scan, alias in TYPED.items():
        for dtype in DTYPES:
            steps = []
            for target in DTYPES:
                steps.append(step(f"y_{SHORT[target]}", f"mx.{scan}", "$a", 0, dtype={"dtype": target}))
            steps.append(step("flat", f"mx.{scan}", "$a", dtype={"dtype": "float32"}))
            steps.append(step("none", f"mx.{scan}", "$a", 0, dtype=None))
            steps.append(step("alias", f"mx.{alias}", "$a", axis=1))
            made = step("alias_typed", f"mx.{alias}", "$a", 1, reverse=True, dtype={"dtype": "float32"})
            steps.append(made)
            inputs = {"a": cube(dtype)}
            yield case(f"{scan}_dtypes_of_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
    inputs = {"a": tensor("int8", [300], [1] * 300)}
    steps = [step("y", "mx.cumsum", "$a"), step("z", "mx.cumsum", "$a", dtype={"dtype": "int32"})]
    yield case("cumsum_wraps", inputs, steps, ["y", "z"])
    inputs = {"a": tensor("bfloat16", [1000], [1] * 1000)}
    steps = [step("y", "mx.cumsum", "$a"), step("z", "mx.cumsum", "$a", dtype={"dtype": "float32"})]
    yield case("cumsum_saturates", inputs, steps, ["y", "z"])


def differences():
    for dtype in DTYPES:
        inputs = {"a": cube(dtype), "b": grid(dtype)}
        steps = [
            step("y", "mx.diff", "$a"), step("z", "mx.diff", "$a", 1, 0), step("w", "mx.diff", "$a", n=2, axis=1),
            step("v", "mx.diff", "$a", 0), step("u", "mx.diff", "$a", 5, 1), step("t", "mx.diff", "$b", 2),
            step("s", "mx.diff", "$b", axis=-2),
        ]
        yield case(f"diff_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
    inputs = {"a": grid("float32", tame), "e": tensor("int8", [0, 3], []), "s": tensor("float32", [], [1.0])}
    steps = [step("y", "mx.diff", "$e", 1, 0), step("z", "mx.diff", "$e", 2), step("w", "mx.diff", "$e", 7, 1)]
    yield case("diff_empty", inputs, steps, ["y", "z", "w"])
    refused = {
        "negative": ["$a", -1], "axis_2": ["$a", 1, 2], "axis_minus_3": ["$a", 1, -3], "0d": ["$s"],
        "0d_axis": ["$s", 1, 0],
    }
    for name, args in refused.items():
        yield error(f"diff_{name}", inputs, step("y", "mx.diff", *args))


def sorts():
    for sort in SORTS:
        op = f"mx.{sort}"
        for dtype in DTYPES:
            inputs = {"a": cube(dtype), "b": grid(dtype)}
            steps = [
                step("y", op, "$a"), step("flat", op, "$a", None), step("first", op, "$a", 0),
                step("middle", op, "$a", axis=1), step("special", op, "$b"), step("all", op, "$b", axis=None),
            ]
            yield case(f"{sort}_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
        ties = {
            "a": tensor("float32", [8], [0.0, -0.0, "nan", 1.0, "inf", "-inf", "nan", -0.0]),
            "b": tensor("bfloat16", [8], [-0.0, 0.0, 2.0, "nan", 1.0, 2.0, 1.0, "-inf"]),
            "c": tensor("int32", [12], [3, 1, 3, 1, 2, 2, 3, 1, 2, 3, 1, 2]),
            "d": tensor("complex64", [5], [[1, 2], [1, -2], [0, 5], ["nan", 0], [1, 2]]),
        }
        steps = [step(f"y_{name}", op, f"${name}") for name in ties]
        yield case(f"{sort}_ties", ties, steps, [made["out"] for made in steps])
        for dtype in ("float32", "float16", "bfloat16"):
            long = {"a": normal(dtype, [4, 129], 9)}
            steps = [step("y", op, "$a"), step("z", op, "$a", 0), step("w", op, "$a", None)]
            yield case(f"{sort}_long_{SHORT[dtype]}", long, steps, ["y", "z", "w"])
        inputs = {
            "a": tensor("float32", [2, 3, 2], range(12, 0, -1)), "s": tensor("float32", [], [1.0]),
            "e": tensor("int8", [0, 3], []),
        }
        steps = [
            step("t", "mx.transpose", "$a", [2, 0, 1]), step("y", op, "$t", 0), step("z", op, "$t"),
            step("w", op, "$t", None), step("v", op, "$e"), step("u", op, "$s", None), step("x", op, "$e", 1),
        ]
        yield case(f"{sort}_shapes", inputs, steps, ["y", "z", "w", "v", "u", "x"])
        for axis in (3, -4):
            tag = str(axis).replace("-", "minus_")
            yield error(f"{sort}_axis_{tag}", inputs, step("y", op, "$a", axis=axis))
        yield error(f"{sort}_0d", inputs, step("y", op, "$s"))


def placed():
    for name, number in PLACED.items():
        op = f"mx.{name}"
        for dtype in DTYPES:
            inputs = {"a": cube(dtype), "b": grid(dtype)}
            steps = [
                step("y", op, "$a", 1), step("first", op, "$a", 1, 0), step("middle", op, "$a", 2, axis=1),
                step("named", op, "$a", axis=1, **{number: 1}), step("special", op, "$b", 1),
                step("all", op, "$a", 5, None), step("flat", op, "$b", 2, axis=None),
            ]
            yield case(f"{name}_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
        for dtype in ("float32", "bfloat16"):
            long = {"a": normal(dtype, [4, 129], 9)}
            steps = [step("y", op, "$a", 40), step("z", op, "$a", 2, 0), step("w", op, "$a", 100, None)]
            yield case(f"{name}_long_{SHORT[dtype]}", long, steps, ["y", "z", "w"])
        inputs = {
            "a": tensor("float32", [2, 3, 2], range(12, 0, -1)), "s": tensor("float32", [], [1.0]),
            "e": tensor("int8", [0, 3], []),
        }
        steps = [
            step("t", "mx.transpose", "$a", [2, 0, 1]), step("y", op, "$t", 1, 0), step("z", op, "$t", 2),
            step("w", op, "$e", 1), step("u", op, "$s", 1 if name == "topk" else 0, None),
        ]
        yield case(f"{name}_shapes", inputs, steps, ["y", "z", "w", "u"])
        for wrong in (7, -7, 4):
            tag = str(wrong).replace("-", "minus_")
            yield error(f"{name}_{tag}", inputs, step("y", op, "$a", wrong))
        for axis in (3, -4):
            tag = str(axis).replace("-", "minus_")
            yield error(f"{name}_axis_{tag}", inputs, step("y", op, "$a", 1, axis=axis))
        yield error(f"{name}_0d", inputs, step("y", op, "$s", 0))
        yield error(f"{name}_empty", inputs, step("y", op, "$e", 1, 0))
    inputs = {"a": tensor("float32", [2, 3], range(6)), "e": tensor("float32", [0, 2], [])}
    steps = [
        step("y", "mx.topk", "$a", 3), step("z", "mx.topk", "$a", 0), step("w", "mx.topk", "$a", 6, None),
        step("v", "mx.topk", "$e", 0, 0), step("u", "mx.partition", "$a", -1), step("t", "mx.partition", "$a", -3),
        step("s", "mx.argpartition", "$a", -2, 1),
    ]
    yield case("topk_ends", inputs, steps, [made["out"] for made in steps])
    yield error("topk_minus_1", inputs, step("y", "mx.topk", "$a", -1))


def searches():
    op = "mx.searchsorted"
    ordered = {
        "bool_": [0, 0, 1, 1], "complex64": [[-1.0, 0.0], [0.0, 1.0], [0.0, 2.0], [3.0, 0.0]],
    }
    for dtype in DTYPES:
        sequence = ordered.get(dtype, [0, 2, 2, 5] if dtype in INTS else [-1.0, 0.5, 0.5, "inf"])
        inputs = {
            "a": tensor(dtype, [4], sequence), "b": grid(dtype, tame), "c": grid(dtype),
            "f": grid("float32"), "s": tensor(dtype, [], tame(dtype)[:1]),
        }
        steps = [
            step("y", op, "$a", "$b"), step("z", op, "$a", "$c", "right"), step("w", op, "$a", "$f", side="left"),
            step("v", op, "$a", "$s", side="right"),
        ]
        yield case(f"searchsorted_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
    for dtype in FLOATS:
        inputs = {
            "a": tensor(dtype, [7], ["-inf", -0.0, 0.0, 1.0, 1.0, "inf", "nan"]),
            "b": tensor(dtype, [8], ["nan", "inf", "-inf", 0.0, -0.0, 1.0, 0.5, 2.0]),
        }
        steps = [step("y", op, "$a", "$b"), step("z", op, "$a", "$b", "right")]
        yield case(f"searchsorted_specials_{SHORT[dtype]}", inputs, steps, ["y", "z"])
    inputs = {
        "a": tensor("float32", [3], [1.0, 2.0, 3.0]), "n": tensor("float32", [0], []), "m": grid("float32", tame),
        "e": tensor("float32", [2, 0], []), "s": tensor("float32", [], [1.0]),
    }
    steps = [
        step("y", op, "$n", "$m"), step("z", op, "$a", "$e"), step("w", op, "$n", "$e"),
        step("t", "mx.transpose", "$m"), step("v", op, "$a", "$t"),
    ]
    yield case("searchsorted_shapes", inputs, steps, ["y", "z", "w", "v"])
    yield error("searchsorted_side", inputs, step("y", op, "$a", "$m", "middle"))
    yield error("searchsorted_2d", inputs, step("y", op, "$m", "$a"))
    yield error("searchsorted_0d", inputs, step("y", op, "$s", "$a"))


def cases():
    parts = (scans, typed_scans, differences, sorts, placed, searches)
    return [made for part in parts for made in part()]
