"""Axes by number, joins, repeats, shifts and windows: flatten, unflatten, moveaxis, swapaxes,
atleast_*, stack, split, unstack, tile, repeat, roll, flip, meshgrid, broadcast_arrays, view,
as_strided, contiguous, and the other names of concatenate and transpose.

Not here: reshape, transpose, squeeze, concatenate (shapes), pad (padding).
"""

from .base import DTYPES, SHORT, case, error, grid, killer, sample, step, tensor
from .shapes import counted, tag

LEAST, MOST = -(2**31), 2**31 - 1


def written(args):
    """As `tag`, but a list of one is not its element."""
    def one(arg):
        return "l" + written(arg) if isinstance(arg, list) else str(arg).replace("-", "m")
    return "_".join(map(one, args))


def forms(op, shape, good, bad=(), dtype="float32"):
    """One case for each argument list, named after it; `bad` ones must raise."""
    base = f"{op.removeprefix('mx.')}_{tag(shape) if shape else '0d'}"
    inputs = {"a": counted(shape, dtype)}
    for args in good:
        made = step("y", op, "$a", *args)
        # A list of tensors is compared as it is; its graph is that of its tensors.
        yield case(f"{base}_by_{written(args) if args else 'default'}", inputs, [made])
    for args in bad:
        yield error(f"{base}_by_{written(args)}_refused", inputs, step("y", op, "$a", *args))


def every_dtype():
    for dtype in DTYPES:
        inputs = {"a": grid(dtype), "b": tensor(dtype, [2, 3], sample(dtype)[::-1])}
        steps = [
            step("f", "mx.flatten", "$a"), step("u", "mx.unflatten", "$a", 1, [3, 1]),
            step("m", "mx.moveaxis", "$a", 0, 1), step("s", "mx.swapaxes", "$a", 0, 1),
            step("k", "mx.stack", ["$a", "$b"]), step(["p", "q"], "mx.split", "$a", [1], 1),
            step(["v", "w"], "mx.unstack", "$a"), step("t", "mx.tile", "$a", [2, 1]),
            step("r", "mx.repeat", "$a", 2, 0), step("o", "mx.roll", "$a", 1, 1),
            step("i", "mx.flip", "$a", 1), step("c", "mx.contiguous", "$s"),
            step("x", "mx.as_strided", "$a", [2, 2], [1, 2]), step("h", "mx.atleast_3d", "$a"),
        ]
        outputs = [o for made in steps for o in ([made["out"]] if isinstance(made["out"], str) else made["out"])]
        yield case(f"arranged_{SHORT[dtype]}", inputs, steps, outputs)


def axes():
    shape = [2, 1, 3]
    good = [[], [0], [1], [0, 1], [1, 2], [-2, -1], [0, 0], [-9, 9], [LEAST, MOST], [2], [1, -1]]
    yield from forms("mx.flatten", shape, good, [[1, 0], [3, 3], [MOST, MOST], [LEAST, LEAST]])
    yield from forms("mx.flatten", [], [[], [0, 5], [LEAST, LEAST]])
    yield from forms("mx.flatten", [3], [[], [0, 0]])
    yield from forms("mx.flatten", [0, 3], [[], [1]])
    good = [[2, [3, 1]], [-1, [-1, 3]], [0, [1, 2, 1]], [0, [2]], [1, [1, 1, 1]], [0, [-1]]]
    bad = [[2, [2, 2]], [5, [2, 2]], [-5, [1]], [2, [-1, -1]], [2, [-1, 2]], [0, []], [LEAST, [1]]]
    yield from forms("mx.unflatten", shape, good, bad)
    yield from forms("mx.unflatten", [0, 2], [[0, [0, 5]], [0, [3, 0]], [0, [-1, 4]]], [[0, [2, 2]]])
    yield from forms("mx.unflatten", [], [], [[0, [1]], [-1, [1]]])
    for name in ("mx.moveaxis", "mx.swapaxes"):
        good = [[0, 1], [0, 2], [2, 0], [-1, 0], [1, 1], [0, -1], [-3, -2]]
        bad = [[0, 3], [3, 0], [-4, 0], [0, LEAST], [MOST, MOST]]
        yield from forms(name, shape, good, bad)
        yield from forms(name, [], [], [[0, 0]])
    for count in (1, 2, 3):
        name = f"atleast_{count}d"
        inputs = {str(n): counted(s) for n, s in enumerate(([], [2], [0], [2, 3], [1, 2, 3], [1, 1, 2, 1]))}
        steps = [step(f"y{n}", f"mx.{name}", f"${n}") for n in inputs]
        yield case(name, inputs, steps, [made["out"] for made in steps])
        made = step(["p", "q"], f"mx.{name}", "$0", "$3")
        yield case(f"{name}_of_two", inputs, [made], ["p", "q"])
        yield case(f"{name}_of_none", inputs, [step("y", f"mx.{name}")], graph=False)
    keywords = {
        "flatten": dict(start_axis=1, end_axis=2), "unflatten": dict(axis=2, shape=[3, 1]),
        "moveaxis": dict(source=0, destination=2), "swapaxes": dict(axis1=0, axis2=2),
    }
    inputs = {"a": counted(shape)}
    for name, kw in keywords.items():
        yield case(f"{name}_keywords", inputs, [step("y", f"mx.{name}", "$a", **kw)])
        if name != "unflatten":
            yield case(f"method_{name}_keywords", inputs, [step("y", f"method.{name}", "$a", **kw)])
            yield case(f"method_{name}", inputs, [step("y", f"method.{name}", "$a", *kw.values())])
    yield case("flatten_end_alone", inputs, [step("y", "mx.flatten", "$a", end_axis=1)])
    for op in ("mx.permute_dims", "mx.matrix_transpose"):
        yield from forms(op, shape, [[], [[2, 0, 1]], [None]], [[[0, 1]], [[0, 0, 1]]])
        yield case(f"{op[3:]}_keyword", inputs, [step("y", op, "$a", axes=[1, 0, 2])])


def unflatten_guards():
    inputs = {"e": counted([0]), "a": counted([6])}
    for name, shape in (("by_zero", [0, -1]), ("by_wrapped", [65536] * 4 + [-1])):
        yield killer(f"unflatten_{name}", inputs, step("y", "mx.unflatten", "$a", 0, shape))
        yield killer(f"unflatten_empty_{name}", inputs, step("y", "mx.unflatten", "$e", 0, shape))
    yield killer("unflatten_wrapped", inputs, step("y", "mx.unflatten", "$e", 0, [65536] * 4))
    yield killer("unflatten_negative", inputs, step("y", "mx.unflatten", "$a", 0, [-2, -3]))
    yield killer("unflatten_negative_inferred", inputs, step("y", "mx.unflatten", "$a", 0, [-2, -3, -1]))


def joins():
    inputs = {
        "a": counted([2, 3]), "b": counted([2, 3], "bfloat16"), "c": counted([3, 2]), "e": counted([0, 2]),
        "s": counted([]), "i": counted([2, 3], "int32"),
    }
    good = {
        "two": [["$a", "$a"]], "last": [["$a", "$b"], -1], "middle": [["$a", "$i"], 1], "one": [["$a"]],
        "third": [["$a", "$a"], 2], "first": [["$b", "$i", "$a"], -3], "empty": [["$e", "$e"], 1],
        "0d": [["$s", "$s"]], "none": [["$a", "$a"], None],
    }
    for name, args in good.items():
        yield case(f"stack_{name}", inputs, [step("y", "mx.stack", *args)])
    yield case("stack_keyword", inputs, [step("y", "mx.stack", ["$a", "$b"], axis=1)])
    bad = {
        "axis": [["$a", "$a"], 3], "axis_low": [["$a"], -4], "shapes": [["$a", "$c"]], "nothing": [[]],
        "huge": [["$a"], MOST], "least": [["$a"], LEAST],
    }
    for name, args in bad.items():
        yield error(f"stack_{name}_refused", inputs, step("y", "mx.stack", *args))
    for name, args in {"rows": [["$a", "$i"]], "columns": [["$a", "$b"], 1], "flat": [["$a", "$c"], None]}.items():
        yield case(f"concat_{name}", inputs, [step("y", "mx.concat", *args)])
    yield case("concat_keyword", inputs, [step("y", "mx.concat", ["$a", "$b"], axis=-1)])
    yield error("concat_refused", inputs, step("y", "mx.concat", ["$a", "$c"]))


def parts():
    good = [
        [1], [2], [3, 1], [3, -1], [[1, 2], 1], [[], 1], [[2, 1], 1], [[-1], 1], [[5], 1], [[1, 1], 1], [[0], 1],
        [[1]], [[LEAST, MOST], 1], [[1, -1], 1], [[-1, 1], 1], [[3], 1], [[2, 3, 9], 1], [[-9], 1], [1, 1],
    ]
    bad = [[2, 1], [0, 1], [-1, 1], [1, 2], [[1], 3], [MOST, 1], [LEAST, 1], [1, -3]]
    yield from forms("mx.split", [2, 3], good, bad)
    yield from forms("mx.split", [0], [[3], [[1]], [[0]], [1]])
    yield from forms("mx.split", [], [], [[[0]], [1]])
    inputs = {"a": counted([2, 4], "int16"), "e": counted([0]), "s": counted([])}
    made = step(["p", "q"], "mx.split", "$a", indices_or_sections=2, axis=1)
    yield case("split_keywords", inputs, [made], ["p", "q"])
    made = step(["p", "q", "r"], "method.split", "$a", [1, 3], 1)
    yield case("method_split", inputs, [made], ["p", "q", "r"])
    made = step(["p", "q"], "method.split", "$a", indices_or_sections=2, axis=-1)
    yield case("method_split_keywords", inputs, [made], ["p", "q"])
    made = step("y", "method.split", "$a", 3, 1)
    yield error("method_split_refused", inputs, made)
    yield killer("split_into_too_many", inputs, step("y", "mx.split", "$e", MOST))
    steps = [step("l", "mx.broadcast_to", "$s", [MOST]), step("y", "mx.unstack", "$l")]
    yield killer("unstack_into_too_many", inputs, *steps)
    for shape in ([2, 3], [1, 2], [0, 2], [2, 0], [3]):
        inputs = {"a": counted(shape)}
        yield case(f"unstack_{tag(shape)}", inputs, [step("y", "mx.unstack", "$a")])
        yield case(f"unstack_last_{tag(shape)}", inputs, [step("y", "mx.unstack", "$a", axis=-1)])
        yield error(f"unstack_{tag(shape)}_refused", inputs, step("y", "mx.unstack", "$a", axis=len(shape)))
    yield error("unstack_0d_refused", {"a": counted([])}, step("y", "mx.unstack", "$a"))


def repeats():
    good = [[2], [[2, 2]], [[2]], [[2, 1, 2]], [[1, 1]], [[]], [[0, 1]], [1], [0], [[1, 2]]]
    bad = [[-1], [[-1, 1]], [[0, -1]], [[2**30, 1]], [MOST], [LEAST], [[MOST, MOST]], [[-1, -1]]]
    yield from forms("mx.tile", [2, 3], good, bad)
    yield from forms("mx.tile", [], [[3], [[2, 2]], [[]]], [[[-1, -1]]], "int32")
    yield from forms("mx.tile", [0, 2], [[2], [[MOST, 1]], [[3, 1, 2]]], [[[-1, 1]]])
    good = [[2], [3, 0], [2, 1], [2, -1], [1, 1], [0, 1], [0], [1], [2, None]]
    bad = [[-1], [-1, 0], [2, 2], [2, -3], [MOST, 1], [MOST], [LEAST, 1], [2, LEAST], [2, MOST]]
    yield from forms("mx.repeat", [2, 3], good, bad)
    yield from forms("mx.repeat", [], [[3], [0], [1]], [[3, 0]], "bool_")
    yield from forms("mx.repeat", [0, 2], [[3], [MOST, 0], [2, 1]], [[MOST, 1]])
    inputs = {"a": counted([2, 3])}
    yield case("repeat_keywords", inputs, [step("y", "mx.repeat", "$a", repeats=2, axis=0)])
    good = [
        [1], [[1, 2]], [1, 0], [[1, 2], 0], [1, [0, 1]], [[1, 2], [0, 1]], [[1, 2], [0]], [0, 0], [-7, 1],
        [10**9, 1], [[], 0], [[1], []], [LEAST, 0], [LEAST, 1], [LEAST], [MOST, -1], [[1, 2, 3], [0, 1, 0]],
        [1, [0, 0]], [[], []], [[1, 1], 1], [[1, 1], [1]], [2, None], [[1], [1]],
    ]
    bad = [[1, 5], [[1], [0, 1]], [[], [0]], [[MOST, 1], 0], [[LEAST, -5], 1], [1, -3], [1, [0, LEAST]], [[MOST, 1]]]
    yield from forms("mx.roll", [2, 3], good, bad)
    yield from forms("mx.roll", [], [[1], [-5]], [[1, 0]])
    yield from forms("mx.roll", [0, 3], [[5], [5, 0], [5, 1]])
    good = [[], [0], [1], [[0, 1]], [[0, 0]], [[]], [-1], [None]]
    yield from forms("mx.flip", [2, 3], good, [[2], [-3], [[0, 5]], [LEAST], [[0, MOST]]])
    yield from forms("mx.flip", [], [[], [[]]], [[0]])
    yield from forms("mx.flip", [0, 3], [[], [0], [1]])
    yield case("flip_keyword", inputs, [step("y", "mx.flip", "$a", axis=[0, 1])])
    yield case("tile_of_strided", inputs, [step("t", "mx.transpose", "$a"), step("y", "mx.tile", "$t", 2)])
    yield case("repeat_of_strided", inputs, [step("t", "mx.transpose", "$a"), step("y", "mx.repeat", "$t", 2)])


def together():
    inputs = {
        "a": counted([2, 1], "int32"), "b": counted([1, 3]), "s": counted([], "bool_"), "e": counted([0, 1]),
        "v": counted([3]), "w": counted([2], "uint8"), "x": counted([4]), "n": counted([0]),
    }
    groups = {
        "two": ["$a", "$b"], "three": ["$a", "$s", "$b"], "empty": ["$e", "$b"], "one": ["$a"], "none": [],
        "same": ["$a", "$a"],
    }
    for name, args in groups.items():
        yield case(f"broadcast_arrays_{name}", inputs, [step("y", "mx.broadcast_arrays", *args)], graph=bool(args))
    yield error("broadcast_arrays_refused", inputs, step("y", "mx.broadcast_arrays", "$v", "$x"))
    groups = {
        "two": ["$v", "$w"], "three": ["$v", "$w", "$x"], "one": ["$v"], "matrices": ["$a", "$b"],
        "0d": ["$s", "$v"], "0d_alone": ["$s"], "empty": ["$n", "$v"],
    }
    for name, args in groups.items():
        for kind, kw in {"": {}, "_sparse": {"sparse": True}, "_ij": {"indexing": "ij"},
                         "_both": {"sparse": True, "indexing": "ij"}}.items():
            made = step("y", "mx.meshgrid", *args, **kw)
            yield case(f"meshgrid_{name}{kind}", inputs, [made])
    yield case("meshgrid_none", inputs, [step("y", "mx.meshgrid")], graph=False)
    yield case("meshgrid_four", inputs, [step("y", "mx.meshgrid", *["$w"] * 4)])
    yield error("meshgrid_indexing_refused", inputs, step("y", "mx.meshgrid", "$v", indexing="zz"))
    yield killer("meshgrid_wraps", inputs, step("y", "mx.meshgrid", *["$w"] * 64))
    shapes = {
        "two": [[2, 3], [3]], "fill": [[2, 1], [1, 3]], "one": [[4, 5]], "0d": [[], [2]], "three": [[1], [2, 1], [3, 1, 1]],
        "empty": [[0, 3], [1, 1]], "many": [[1, 2], [1], [5, 1, 2]],
    }
    for name, args in shapes.items():
        yield case(f"broadcast_shapes_{name}", {}, [step("y", "mx.broadcast_shapes", *args)], graph=False)
    for name, args in {"sizes": [[2, 3], [4]], "later": [[2, 3], [3], [2]], "nothing": [], "empty": [[3], [0]]}.items():
        yield error(f"broadcast_shapes_{name}_refused", {}, step("y", "mx.broadcast_shapes", *args))


def views():
    for old in DTYPES:
        inputs = {"a": tensor(old, [2, 8], (sample(old) * 3)[:16])}
        steps = [step(SHORT[new], "mx.view", "$a", {"dtype": new}) for new in DTYPES if new != "bool_"]
        yield case(f"view_{SHORT[old]}", inputs, steps, [made["out"] for made in steps])
    inputs = {
        "a": counted([2, 3], "int32"), "s": counted([]), "e": counted([0, 3], "int8"), "f": counted([3, 0], "int8"),
        "b": tensor("uint8", [3], [0, 1, 1]), "w": counted([2, 4], "int32"),
    }
    for name, scalar in {"float": 3.5, "int": 3, "wide": 2**40}.items():
        dtype = "float64" if name == "wide" else "uint32"
        yield case(f"view_of_{name}", {}, [step("y", "mx.view", scalar, {"dtype": dtype})])
    yield case("view_bytes_as_bool", inputs, [step("y", "mx.view", "$b", {"dtype": "bool_"})])
    yield case("view_empty", inputs, [step("y", "mx.view", "$f", {"dtype": "int32"})])
    yield case("view_0d", inputs, [step("y", "mx.view", "$s", {"dtype": "int32"})])
    yield case("view_keyword", inputs, [step("y", "mx.view", "$a", dtype={"dtype": "int8"})])
    yield case("method_view", inputs, [step("y", "method.view", "$a", {"dtype": "float32"})])
    yield case("method_view_keyword", inputs, [step("y", "method.view", "$a", dtype={"dtype": "uint16"})])
    for dtype in ("int8", "int64", "float32"):
        steps = [step("t", "mx.transpose", "$w"), step("y", "mx.view", "$t", {"dtype": dtype})]
        yield case(f"view_of_strided_{dtype}", inputs, steps)
    bad = {"0d": ("$s", "int64"), "0d_less": ("$s", "int8"), "odd": ("$a", "int64"), "thirds": ("$a", "complex64"),
           "odd_empty": ("$e", "int32"), "scalar": (True, "int16")}
    for name, (of, dtype) in bad.items():
        yield error(f"view_{name}_refused", inputs, step("y", "mx.view", of, {"dtype": dtype}))
    for name, shape in {"to_nothing": [2**30], "negative": [1, 2**29], "small": [2**30 + 1]}.items():
        steps = [step("l", "mx.broadcast_to", "$s", shape), step("y", "mx.view", "$l", {"dtype": "int8"})]
        yield killer(f"view_wraps_{name}", inputs, *steps)


def strided():
    inputs = {"a": counted([2, 3], "int32"), "s": counted([]), "e": counted([0]), "v": counted([10], "uint8")}
    good = {
        "default": ["$a"], "shape": ["$a", [3, 2]], "windows": ["$v", [8, 3], [1, 1]], "offset": ["$v", [2, 3], [3, 1], 4],
        "backward": ["$a", [2], [-1], 1], "none": ["$a", None, [1, 2]], "nones": ["$a", None, None, 0],
        "0d": ["$a", [], [], 3], "of_0d": ["$s"], "of_0d_repeated": ["$s", [2, 2], [0, 0]], "of_empty": ["$e", [0]],
        "to_nothing": ["$a", [0, 3], [7, 7], 6], "whole_backward": ["$v", [10], [-1], 9], "repeated": ["$a", [4, 2], [0, 1], 4],
        "step_of_one": ["$a", [1, 6], [2**40, 1]],
    }
    for name, args in good.items():
        yield case(f"as_strided_{name}", inputs, [step("y", "mx.as_strided", *args)])
    yield case("as_strided_keywords", inputs,
               [step("y", "mx.as_strided", "$v", shape=[2, 2], strides=[2, 1], offset=3)])
    steps = [step("t", "mx.transpose", "$a"), step("y", "mx.as_strided", "$t", [5], [1], 1)]
    yield case("as_strided_of_transpose", inputs, steps)
    steps = [step("y", "mx.as_strided", "$v", [8, 3], [1, 1]), step("z", "*", "$y", 2), step("x", "mx.sum", "$z", 1)]
    yield case("as_strided_computed_with", inputs, steps, ["z", "x"])
    steps = [step("t", "mx.flip", "$v"), step("y", "mx.as_strided", "$t", [2], [1])]
    yield error("as_strided_of_steps_refused", inputs, *steps)
    yield error("as_strided_negative_refused", inputs, step("y", "mx.as_strided", "$a", [-3, 2], [1, 1]))
    outside = {
        "behind": ["$a", [7], [1]], "by_offset": ["$a", [6], [1], 1], "before": ["$a", [2], [-1], 0], "far": ["$a", [2], [2**40]],
        "far_back": ["$a", [2], [-(2**40)]], "beyond_empty": ["$e", [1], [1]], "beyond_by_0d": ["$a", [], [], 6],
        "wraps": ["$a", [2, 2], [2**62, 1]], "least": ["$a", [3], [-(2**63)]], "beyond_memory": ["$a", [2**16] * 4, [0] * 4],
        "of_nothing": ["$a", [0], [1], 7], "default_shape": ["$a", [3, 3]], "fewer_strides": ["$a", [2, 3], [3]],
        "more_strides": ["$a", [2], [3, 1]],
    }
    for name, args in outside.items():
        yield killer(f"as_strided_{name}", inputs, step("y", "mx.as_strided", *args))
    for name, kw in {"": {}, "_either": {"allow_col_major": True}}.items():
        steps = [step("t", "mx.transpose", "$a"), step("y", "mx.contiguous", "$t", **kw)]
        yield case(f"contiguous_of_transpose{name}", inputs, steps)
        yield case(f"contiguous_of_empty{name}", inputs, [step("y", "mx.contiguous", "$e", **kw)])
    yield case("contiguous_positional", inputs, [step("y", "mx.contiguous", "$a", True)])


def cases():
    every = (every_dtype, axes, unflatten_guards, joins, parts, repeats, together, views, strided)
    return [made for part in every for made in part()]
