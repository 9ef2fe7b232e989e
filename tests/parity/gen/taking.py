"""mx.take, take_along_axis, put_along_axis, and the slices whose start is a tensor.

Not here: indexing (indexing, tensor_indexing). Where a position leaves its axis Python reads and
writes foreign memory, so there only the other side's refusal is judged.
"""

from .base import DTYPES, INTS, SHORT, UNSIGNED, case, error, grid, killer, nonzero, step, tensor
from .indexing import cube
from .tensor_indexing import I2, NONE, POINT, SQUARE


def take():
    for name, index in (("row", I2), ("square", SQUARE), ("point", POINT), ("none", NONE)):
        for axis in (0, 1, 2, -1, -3):
            steps = [step("y", "mx.take", "$a", "$i", axis), step("z", "mx.take", "$a", indices="$i", axis=axis)]
            yield case(f"take_{name}_axis_{axis}", {**cube(), "i": index}, steps[:1], ["y"])
        steps = [step("y", "mx.take", "$a", "$i"), step("z", "mx.take", "$a", indices="$i", axis=None)]
        yield case(f"take_{name}_flat", {**cube(), "i": index}, steps, ["y", "z"])
    for dtype in DTYPES:
        inputs = {"a": grid(dtype), "i": tensor("int32", [2, 2], [1, 0, -1, -2])}
        steps = [
            step("y", "mx.take", "$a", "$i", 1), step("z", "mx.take", "$a", "$i"), step("w", "mx.take", "$a", 1, axis=1),
            step("v", "mx.take", "$a", 0), step("u", "mx.take", "$a", -2, 0),
        ]
        yield case(f"take_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
    for dtype in INTS:
        values = [2, 0, 1] if dtype in UNSIGNED else [2, -3, -1]
        inputs = {**cube(), "i": tensor(dtype, [3], values)}
        yield case(f"take_by_{SHORT[dtype]}", inputs, [step("y", "mx.take", "$a", "$i", axis=1)])
    for position in (0, 1, -2, -3):
        for axis in (0, 1, 2, -1):
            yield case(f"take_int_{position}_axis_{axis}", cube(), [step("y", "mx.take", "$a", position, axis)])
    for position in (0, 59, -60, -2):
        yield case(f"take_int_{position}_flat", cube(), [step("y", "mx.take", "$a", position)])
    zero = {"a": tensor("float32", [], [3.0]), "i": tensor("int32", [2], [0, -1])}
    steps = [step("y", "mx.take", "$a", 0), step("z", "mx.take", "$a", "$i")]
    yield case("take_0d", zero, steps, ["y", "z"])
    empty = {"a": tensor("float32", [0, 3], []), "i": I2, "n": NONE}
    steps = [step("y", "mx.take", "$a", "$i", 1), step("z", "mx.take", "$a", "$n"), step("w", "mx.take", "$a", "$n", 0)]
    yield case("take_empty", empty, steps, ["y", "z", "w"])
    steps = [step("k", "+", "$i", 1), step("y", "mx.take", "$a", "$k", 2)]
    yield case("take_computed", {**cube(), "i": I2}, steps)
    steps = [step("t", "mx.transpose", "$a"), step("y", "mx.take", "$t", "$i", 1)]
    yield case("take_of_transpose", {**cube(), "i": I2}, steps)


def take_refused():
    inputs = {**cube(), "i": I2, "b": tensor("bool_", [1], [1]), "f": tensor("float32", [1], [1.0])}
    for name, args in (
        ("axis", ("$i", 3)), ("axis_before", ("$i", -4)), ("int_axis", (1, 3)), ("bool", ("$b", 0)), ("float", ("$f", 0)),
        ("bool_flat", ("$b",)), ("float_flat", ("$f",)),
    ):
        yield error(f"take_{name}_refused", inputs, step("y", "mx.take", "$a", *args))
    for position, axis in ((-1, 0), (4, 0), (-5, 0), (3, 1), (-1, 2), (2**31 - 1, 0)):
        made = step("y", "mx.take", "$a", position, axis)
        yield error(f"take_int_{position}_of_axis_{axis}", cube(), made, message=False)
    empty = {"a": tensor("float32", [0, 3], []), "i": I2}
    yield error("take_from_nothing", empty, step("y", "mx.take", "$a", "$i", 0))
    yield error("take_from_nothing_flat", empty, step("y", "mx.take", "$a", "$i"))
    yield error("take_int_from_nothing", empty, step("y", "mx.take", "$a", 0, 1))
    for name, dtype, value in (("beyond", "int32", 4), ("before", "int32", -5), ("unsigned", "uint32", 2**32 - 1)):
        killing = {**cube(), "i": tensor(dtype, [2], [0, value])}
        yield killer(f"take_{name}", killing, step("y", "mx.take", "$a", "$i", axis=0))
    for value in (60, -61):
        killing = {**cube(), "i": tensor("int32", [2], [0, value])}
        yield killer(f"take_flat_{value}", killing, step("y", "mx.take", "$a", "$i"))


ALONG = {
    0: ([1, 3], [2, -1, 0]), 1: ([4, 1], [0, 1, 2, -3]), -1: ([4, 2], [0, 1, 2, -3, 1, 1, 0, 2]),
    -2: ([5, 3], [0, 1, 2, 3, -1, -2, -3, -4, 0, 1, 2, 3, 0, 0, 0]),
}


def along():
    table = tensor("float32", [4, 3], range(12))
    for axis, (shape, values) in ALONG.items():
        inputs = {"a": table, "i": tensor("int32", shape, values), "u": tensor("float32", [1, 1], [9.0])}
        steps = [
            step("y", "mx.take_along_axis", "$a", "$i", axis),
            step("z", "mx.put_along_axis", "$a", "$i", "$u", axis),
        ]
        yield case(f"along_axis_{axis}", inputs, steps, ["y", "z"])
    for dtype in DTYPES:
        inputs = {
            "a": grid(dtype), "i": tensor("int32", [2, 2], [2, 0, -1, 1]), "u": tensor(dtype, [2, 2], nonzero(dtype)[:4]),
            "f": tensor("float32", [2], [0.5, 7.0]),
        }
        steps = [
            step("y", "mx.take_along_axis", "$a", "$i", axis=1), step("z", "mx.put_along_axis", "$a", "$i", "$u", axis=1),
            step("w", "mx.put_along_axis", "$a", indices="$i", values="$f", axis=-1),
        ]
        yield case(f"along_{SHORT[dtype]}", inputs, steps, ["y", "z", "w"])
    for dtype in INTS:
        inputs = {"a": table, "i": tensor(dtype, [1, 3], [2, 0, 1] if dtype in UNSIGNED else [2, -4, -1])}
        yield case(f"along_by_{SHORT[dtype]}", inputs, [step("y", "mx.take_along_axis", "$a", "$i", axis=0)])
    inputs = {"a": table, "i": tensor("int32", [3], [0, 11, -12]), "u": tensor("int32", [], [7])}
    steps = [
        step("y", "mx.take_along_axis", "$a", "$i"), step("z", "mx.take_along_axis", "$a", "$i", axis=None),
        step("w", "mx.put_along_axis", "$a", "$i", "$u", None), step("v", "mx.put_along_axis", "$a", "$i", "$u", axis=None),
    ]
    yield case("along_flat", inputs, steps, ["y", "z", "w", "v"])
    zero = {"a": tensor("float32", [], [3.0]), "i": tensor("int32", [1], [0]), "u": tensor("float32", [], [5.0])}
    steps = [step("y", "mx.take_along_axis", "$a", "$i"), step("z", "mx.put_along_axis", "$a", "$i", "$u", None)]
    yield case("along_0d", zero, steps, ["y", "z"])
    none = {"a": table, "i": tensor("int32", [4, 0], []), "u": tensor("float32", [1], [1.0])}
    steps = [step("y", "mx.take_along_axis", "$a", "$i", 1), step("z", "mx.put_along_axis", "$a", "$i", "$u", 1)]
    yield case("along_none", none, steps, ["y", "z"])
    nothing = {"a": tensor("float32", [0, 3], []), "i": tensor("int32", [1, 3], [0, 0, 0]), "u": tensor("float32", [], [1.0])}
    yield case("put_along_into_nothing", nothing, [step("y", "mx.put_along_axis", "$a", "$i", "$u", 0)])
    steps = [step("k", "neg", "$i"), step("y", "mx.take_along_axis", "$a", "$k", 1)]
    yield case("along_computed", {"a": table, "i": tensor("int32", [4, 1], [0, 1, 2, 3])}, steps)


def along_refused():
    table = tensor("float32", [4, 3], range(12))
    inputs = {
        "a": table, "i": tensor("int32", [4], [0] * 4), "w": tensor("int32", [3, 1], [0] * 3), "g": tensor("int32", [4, 1], [0] * 4),
        "u": tensor("float32", [], [1.0]), "v": tensor("float32", [7], [1.0] * 7),
    }
    for name, op, args in (
        ("take_dimensions", "mx.take_along_axis", ("$i", 0)), ("take_axis", "mx.take_along_axis", ("$g", 2)),
        ("take_axis_before", "mx.take_along_axis", ("$g", -3)), ("take_shapes", "mx.take_along_axis", ("$w", 1)),
        ("take_flat_dimensions", "mx.take_along_axis", ("$g",)),
        ("put_dimensions", "mx.put_along_axis", ("$i", "$u", 0)), ("put_axis", "mx.put_along_axis", ("$g", "$u", 2)),
        ("put_shapes", "mx.put_along_axis", ("$w", "$u", 1)),
        ("put_values", "mx.put_along_axis", ("$g", "$v", 0)),
    ):
        yield error(f"along_{name}_refused", inputs, step("y", op, "$a", *args))
    for name, dtype, value in (("beyond", "int32", 3), ("before", "int64", -4), ("unsigned", "uint8", 255)):
        killing = {"a": table, "i": tensor(dtype, [4, 1], [0, 0, 0, value]), "u": inputs["u"]}
        yield killer(f"take_along_{name}", killing, step("y", "mx.take_along_axis", "$a", "$i", axis=1))
        yield killer(f"put_along_{name}", killing, step("y", "mx.put_along_axis", "$a", "$i", "$u", axis=1))
    nothing = {"a": tensor("float32", [0, 3], []), "i": tensor("int32", [1, 3], [0, 0, 0])}
    yield killer("take_along_of_nothing", nothing, step("y", "mx.take_along_axis", "$a", "$i", axis=0))


def slices():
    table = tensor("float32", [4, 3], range(12))
    for name, start, axes, size in (
        ("row", [1], [0], [2, 3]), ("column", [2], [1], [4, 1]), ("last_axis", [1], [-1], [4, 2]), ("both", [2, 1], [0, 1], [2, 2]),
        ("swapped", [1, 2], [1, 0], [2, 2]), ("whole", [0], [0], [4, 3]), ("nothing", [4], [0], [0, 3]), ("part", [0], [0], [2, 2]),
    ):
        sizes = 1
        for axis in size:
            sizes *= axis
        inputs = {
            "a": table, "i": tensor("int32", [len(start)], start), "u": tensor("float32", size, range(100, 100 + sizes)),
        }
        steps = [
            step("y", "mx.slice", "$a", "$i", axes, size), step("z", "mx.slice_update", "$a", "$u", "$i", axes),
        ]
        yield case(f"slice_{name}", inputs, steps, ["y", "z"])
    for dtype in DTYPES:
        inputs = {"a": grid(dtype), "i": tensor("int32", [], [1]), "u": tensor(dtype, [2, 2], nonzero(dtype)[:4]),
                  "f": tensor("float32", [2, 1], [0.5, 7.0])}
        steps = [
            step("y", "mx.slice", "$a", start_indices="$i", axes=[1], slice_size=[2, 2]),
            step("z", "mx.slice_update", "$a", "$u", start_indices="$i", axes=[1]),
            step("w", "mx.slice_update", "$a", "$f", "$i", [1]),
        ]
        yield case(f"slice_{SHORT[dtype]}", inputs, steps, ["y", "z", "w"])
    for dtype in INTS:
        inputs = {"a": table, "i": tensor(dtype, [2], [2, 1])}
        yield case(f"slice_by_{SHORT[dtype]}", inputs, [step("y", "mx.slice", "$a", "$i", [0, 1], [1, 2])])
    inputs = {"a": table, "i": tensor("int32", [1], [0]), "o": tensor("float32", [3], [7.0, 8.0, 9.0]), "s": tensor("int32", [], [5])}
    inputs["j"] = tensor("int32", [2], [3, 0])
    steps = [
        step("y", "mx.slice_update", "$a", "$o", "$i", [0]), step("z", "mx.slice_update", "$a", "$s", "$i", [1]),
        step("w", "mx.slice_update", "$a", "$o", "$j", [0, 1]), step("v", "mx.slice_update", "$a", "$s", "$j", [0, 1]),
    ]
    yield case("slice_update_of_fewer_dimensions", inputs, steps, ["y", "z", "w", "v"])
    zero = {"a": tensor("float32", [], [3.0]), "i": NONE}
    yield case("slice_0d", zero, [step("y", "mx.slice", "$a", "$i", [], [])])
    steps = [step("k", "+", "$i", 1), step("y", "mx.slice", "$a", "$k", [0], [2, 3])]
    yield case("slice_computed", {"a": table, "i": tensor("int32", [1], [1])}, steps)


def slices_refused():
    table = tensor("float32", [4, 3], range(12))
    inputs = {
        "a": table, "i": tensor("int32", [1], [1]), "j": tensor("int32", [2], [1, 1]), "k": tensor("int32", [1, 1], [1]),
        "f": tensor("float32", [1], [1.0]), "b": tensor("bool_", [1], [1]), "u": tensor("float32", [9, 9], range(81)),
        "r": tensor("float32", [1, 3], range(3)),
    }
    for name, args in (
        ("count", ("$i", [0, 1], [1, 1])), ("dimensions", ("$k", [0], [1, 1])), ("float", ("$f", [0], [1, 1])),
        ("bool", ("$b", [0], [1, 1])), ("axis", ("$i", [5], [1, 1])), ("twice", ("$j", [0, 0], [1, 1])),
        ("size", ("$i", [0], [5, 3])), ("sizes", ("$i", [0], [1])),
    ):
        yield error(f"slice_{name}_refused", inputs, step("y", "mx.slice", "$a", *args))
    for name, args in (
        ("count", ("$r", "$i", [0, 1])), ("float", ("$r", "$f", [0])), ("axis", ("$r", "$i", [5])), ("twice", ("$r", "$j", [0, 0])),
        ("shape", ("$u", "$i", [0])),
    ):
        made = step("y", "mx.slice_update", "$a", *args)
        yield error(f"slice_update_{name}_refused", inputs, made, message=name != "float")
    for name, dtype, value in (("beyond", "int32", 3), ("before", "int32", -1), ("far", "int64", 2**40), ("unsigned", "uint32", 2**32 - 1)):
        killing = {"a": table, "i": tensor(dtype, [1], [value]), "u": tensor("float32", [2, 3], range(6))}
        yield killer(f"slice_{name}", killing, step("y", "mx.slice", "$a", "$i", [0], [2, 3]))
        yield killer(f"slice_update_{name}", killing, step("y", "mx.slice_update", "$a", "$u", "$i", [0]))
    yield killer("slice_negative_size", inputs, step("y", "mx.slice", "$a", "$i", [0], [-1, 3]))
    more = {**inputs, "d": tensor("float32", [1, 1, 1], [1.0])}
    yield killer("slice_update_more_dimensions", more, step("y", "mx.slice_update", "$a", "$d", "$i", [0]))


def cases():
    parts = (take, take_refused, along, along_refused, slices, slices_refused)
    return [made for part in parts for made in part()]
