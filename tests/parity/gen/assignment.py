"""Assignment: x[spec] = value with every kind of item, masks, and values of every shape and dtype.

Not here: x.at[spec] (at_updates). Where an index leaves its axis Python writes to foreign memory, so
there only the other side's refusal is judged.
"""

from .base import DTYPES, INTS, SHORT, UNSIGNED, case, error, grid, killer, nonzero, sample, step, tensor
from .indexing import ALL, SPECS, cube, cut
from .tensor_indexing import COLUMN, I2, I3, NONE, OF_NOTHING, POINT, SQUARE, TAKEN
from .tensor_indexing import SPECS as TENSOR_SPECS

INDICES = {"i": I2, "j": I3, "s": SQUARE, "c": COLUMN, "p": POINT, "n": NONE}
# Python refuses the first two shapes, writes to foreign memory for the third, and divides by the
# size of nothing for the last.
NOT_BY_TENSORS = {"one_beyond"}


def basic_specs():
    for turn, (name, spec) in enumerate(SPECS.items()):
        dtype = ("float32", "bfloat16", "uint8", "int64")[turn % 4]
        yield case(f"set_{name}", cube(dtype), [step("y", "set_index", "$a", spec, 7)])


def tensor_specs():
    for turn, (name, spec) in enumerate(TENSOR_SPECS.items()):
        if name in NOT_BY_TENSORS:
            continue
        dtype = ("float32", "bfloat16", "uint8", "int64")[turn % 4]
        used = {key: value for key, value in INDICES.items() if f"${key}" in spec}
        inputs = {**cube(dtype), **used}
        yield case(f"set_tensor_{name}", inputs, [step("y", "set_index", "$a", spec, 7)])


def dtypes():
    for dtype in DTYPES:
        inputs = {
            "a": grid(dtype), "b": tensor(dtype, [3], nonzero(dtype)[:3]), "i": tensor("int32", [2], [1, 0]),
            "f": tensor("float32", [3], [0.5, -1.0, 7.0]),
        }
        steps = [
            step("y", "set_index", "$a", [0], "$b"), step("z", "set_index", "$a", [ALL, cut(1)], 1),
            step("w", "set_index", "$a", ["$i"], "$b"), step("v", "set_index", "$a", [1], "$f"),
            step("u", "set_index", "$a", ["$i", cut(0, 2)], True), step("t", "set_index", "$a", ["$i"], "$f"),
            step("s", "set_index", "$a", ["...", -1], 2.5),
        ]
        yield case(f"set_in_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
        values = [1, 0] if dtype in UNSIGNED else [1, -2]
        if dtype in INTS:
            inputs = {"a": grid("float32"), "i": tensor(dtype, [2], values)}
            steps = [
                step("y", "set_index", "$a", ["$i"], 9), step("z", "set_index", "$a", [0, "$i"], 9),
                step("w", "set_index", "$a", [ALL, "$i"], 9),
            ]
            yield case(f"set_by_{SHORT[dtype]}", inputs, steps, ["y", "z", "w"])


VALUES = {
    "scalar_like": [], "one": [1], "ones": [1, 1], "row": [5], "matrix": [3, 5], "column": [3, 1],
    "whole": [4, 3, 5], "extra": [1, 1, 3, 5], "extra_one": [1, 1, 1, 1], "wrong": [2], "wrong_extra": [2, 1, 3, 5],
    "wrong_matrix": [7, 5], "pair": [2, 1], "pair_rows": [2, 5], "pair_matrix": [2, 3, 5], "pair_extra": [1, 2, 3, 5],
    "one_row": [1, 5], "row_of_ones": [1, 1, 5],
}
PLACES = {
    "int": [2], "int_among": [2, ALL], "int_last": ["...", 2], "ints": [1, 2], "point": [1, 2, 3],
    "slice": [cut(1, 3)], "all": [ALL], "ellipsis": ["..."], "new": ["newaxis"], "nothing": [],
    "slice_new": [cut(1, 3), "newaxis"], "new_int": ["newaxis", 2], "int_new": [2, "newaxis"],
    "int_new_int": [2, "newaxis", 1], "new_everywhere": ["newaxis", 2, "newaxis", 1, "newaxis"],
    "all_int_new_all": [ALL, 1, "newaxis", ALL], "ellipsis_new": ["...", "newaxis"],
    "tensor": ["$i"], "tensor_int": ["$i", 1], "all_tensor": [ALL, "$i"], "tensor_slice": ["$i", cut(1, 3)],
    "tensor_new": ["$i", "newaxis"], "around": ["$i", ALL, "$i"],
}


def values():
    """Each place with each value; what does not broadcast is refused in MLX's own words."""
    for turn, (place, spec) in enumerate(PLACES.items()):
        for more, (name, shape) in enumerate(VALUES.items()):
            size = 1
            for axis in shape:
                size *= axis
            dtype = ("float32", "int32", "float16")[(turn + more) % 3]
            inputs = {**cube(), "u": tensor(dtype, shape, range(1, size + 1))}
            if "$i" in spec:
                inputs["i"] = I2
            made = case(f"set_{place}_value_{name}", inputs, [step("y", "set_index", "$a", spec, "$u")])
            made["compare"] = ["value", "graph", "message"]
            yield made


def masks():
    mask = {
        "rows": tensor("bool_", [4], [1, 0, 1, 1]), "matrix": tensor("bool_", [4, 3], [1, 0, 0, 1] * 3),
        "full": tensor("bool_", [4, 3, 5], [1, 0, 0, 1, 1, 0] * 10), "point": tensor("bool_", [], [1]),
        "nowhere": tensor("bool_", [4], [0, 0, 0, 0]),
    }
    true = {"rows": 3 * 15, "matrix": 6 * 5, "full": 30, "point": 60, "nowhere": 0}
    behind = {"rows": [3, 5], "matrix": [5], "full": [], "point": [4, 3, 5], "nowhere": [3, 5]}
    for name, value in mask.items():
        size = 1
        for axis in behind[name]:
            size *= axis
        count = max(true[name] // size, 1)
        inputs = {
            **cube(), "m": value, "r": tensor("float32", [count, *behind[name]], range(100, 100 + count * size)),
            "h": tensor("float16", behind[name][-1:], range(size if not behind[name] else behind[name][-1])),
        }
        steps = [
            step("y", "set_index", "$a", ["$m"], 7), step("z", "set_index", "$a", ["$m"], 2.5),
            step("w", "set_index", "$a", ["$m"], "$r"), step("v", "set_index", "$a", ["$m"], "$h"),
        ]
        yield case(f"set_mask_{name}", inputs, steps, ["y", "z", "w", "v"])
    for dtype in DTYPES:
        inputs = {
            "a": grid(dtype), "m": tensor("bool_", [2, 3], [1, 0, 0, 1, 1, 0]), "r": tensor("bool_", [2], [0, 1]),
            "u": tensor(dtype, [3], nonzero(dtype)[:3]),
        }
        steps = [
            step("y", "set_index", "$a", ["$m"], "$u"), step("z", "set_index", "$a", ["$r"], "$u"),
            step("w", "set_index", "$a", ["$m"], 1), step("v", "set_index", "$a", ["$m"], 1.5),
        ]
        yield case(f"set_mask_in_{SHORT[dtype]}", inputs, steps, ["y", "z", "w", "v"])
    inputs = {"a": grid("float32"), "u": tensor("float32", [4], [9.0, 8.0, 7.0, 6.0])}
    steps = [step("m", ">", "$a", 0), step("y", "set_index", "$a", ["$m"], "$u")]
    yield case("set_mask_computed", inputs, steps)
    nothing = {"a": tensor("float32", [0, 3], []), "m": tensor("bool_", [0], []), "u": tensor("float32", [0, 3], [])}
    steps = [step("y", "set_index", "$a", ["$m"], 1), step("z", "set_index", "$a", ["$m"], "$u")]
    yield case("set_mask_of_nothing", nothing, steps, ["y", "z"])
    inputs = {**cube(), "m": tensor("bool_", [3], [1, 0, 1]), "d": tensor("bool_", [4, 3, 5, 1], [1] * 60)}
    yield error("set_mask_shape", inputs, step("y", "set_index", "$a", ["$m"], 1))
    yield error("set_mask_dimensions", inputs, step("y", "set_index", "$a", ["$d"], 1))
    inputs = {**cube(), "m": mask["rows"], "u": tensor("float32", [2, 3, 5], range(30)), "w": tensor("float32", [7], range(7))}
    yield error("set_mask_too_few", inputs, step("y", "set_index", "$a", ["$m"], "$u"))
    yield error("set_mask_value_shape", inputs, step("y", "set_index", "$a", ["$m"], "$w"))
    yield error("set_mask_among", inputs, step("y", "set_index", "$a", ["$m", 0], 1), message=False)
    inputs = {**cube(), "m": mask["full"], "u": tensor("float32", [0], [])}
    yield killer("set_mask_no_values", inputs, step("y", "set_index", "$a", ["$m"], "$u"))


def odd_tensors():
    zero = {"a": tensor("float32", [], [3.0]), "u": tensor("float32", [1], [2.0]), "m": tensor("bool_", [], [1])}
    for name, spec in (("ellipsis", ["..."]), ("new", ["newaxis"]), ("nothing", []), ("ellipsis_new", ["...", "newaxis"])):
        yield case(f"set_0d_{name}", zero, [step("y", "set_index", "$a", spec, 1)])
    yield case("set_0d_nothing_tensor", zero, [step("y", "set_index", "$a", [], "$u")])
    yield case("set_0d_mask", zero, [step("y", "set_index", "$a", ["$m"], 1)])
    for name, spec in (("int", [0]), ("slice", [ALL]), ("two", [0, "newaxis"])):
        yield error(f"set_0d_{name}", zero, step("y", "set_index", "$a", spec, 1))
    empty = {"a": tensor("float32", [0, 3], []), "i": I2, "n": NONE}
    for name, spec in (("all", [ALL]), ("slice", [cut(0, 2)]), ("column", [ALL, 1])):
        yield case(f"set_empty_{name}", empty, [step("y", "set_index", "$a", spec, 1)])
    yield error("set_empty_tensor", empty, step("y", "set_index", "$a", ["$i"], 1))
    inputs = {**cube(), "i": I2}
    # The handle of the first assignment is the second's tensor; the input keeps its values.
    steps = [
        step("b", "set_index", "$a", [0], 1), step("c", "set_index", "$b", [ALL, "$i"], 2),
        step("y", "set_index", "$c", ["...", cut(None, None, -2)], 3), step("z", "index", "$a", [0]),
    ]
    yield case("set_chain", inputs, steps, ["y", "z", "b"])
    steps = [step("k", "+", "$i", 1), step("y", "set_index", "$a", ["$k"], 2.5)]
    yield case("set_computed_index", inputs, steps)
    steps = [step("t", "mx.transpose", "$a"), step("y", "set_index", "$t", [cut(1, 3), 0], 5)]
    yield case("set_in_transpose", inputs, steps)
    # A new axis before a negative integer: Python counts from the end of another axis.
    for name, spec in (("behind_new", ["newaxis", -1]), ("behind_new_slice", ["newaxis", ALL, -2])):
        yield case(f"set_int_{name}", cube(), [step("y", "set_index", "$a", spec, 1)])
    yield error("set_int_behind_too_many_new", cube(), step("y", "set_index", "$a", ["newaxis", "newaxis", "newaxis", -1], 1))


# Of these Python divides by the size of nothing.
FATAL = {
    "flat_beyond", "flat_before", "flat_reversed", "flat_reversed_far",
}


def of_nothing(op="set_index", *rest):
    """Slices that leave their axis where nothing is written, with values that fit and that do not."""
    for shape, (sizes, specs) in OF_NOTHING.items():
        count = 0 if 0 in sizes else 60
        for turn, (name, spec) in enumerate(specs.items()):
            dtype = ("float32", "bfloat16", "uint8", "int64")[turn % 4]
            used = {key: value for key, value in TAKEN.items() if f"${key}" in spec}
            inputs = {
                "a": tensor(dtype, sizes, range(count)), **used, "u": tensor(dtype, [9, 1], range(9)),
                "v": tensor(dtype, [3, 4, 1], range(12)),
            }
            for value in (1, "$u", "$v"):
                if value == 1 and f"{shape}_{name}" in FATAL:
                    continue
                which = "scalar" if value == 1 else value[1:]
                made = case(
                    f"{op}_of_{shape}_{name}_{which}", inputs, [step("y", op, "$a", spec, value, *rest)], graph=False,
                )
                made["compare"].append("message")
                yield made


def refused():
    inputs = {**cube("uint8"), "i": I2, "j": I3, "f": tensor("float32", [1], [1.0])}
    for name, spec, value in (
        ("scalar_too_large", [0], 300), ("scalar_negative", ["..."], -1), ("float_index", ["$f"], 1),
        ("too_many", [0, 0, 0, 0], 1), ("too_many_tensors", ["$i", "$i", "$i", "$i"], 1),
        ("two_ellipses", ["...", 0, "..."], 1), ("shapes", ["$i", "$j"], 1), ("beyond_i64", [0], 2**63),
        ("reversed_slice", ["$i", cut(2, 1)], 1),
    ):
        yield error(f"set_{name}_refused", inputs, step("y", "set_index", "$a", spec, value))
    yield error("set_slice_beyond", inputs, step("y", "set_index", "$a", ["$i", cut(0, 100)], 1))
    yield error("set_slice_before", inputs, step("y", "set_index", "$a", ["$i", cut(-100, 2)], 1))


def kills():
    for name, dtype, value in (
        ("beyond", "int32", 4), ("before", "int32", -5), ("far", "int64", 2**40), ("unsigned", "uint32", 2**32 - 1),
    ):
        inputs = {**cube(), "i": tensor(dtype, [2], [0, value])}
        for form, spec in (("alone", ["$i"]), ("among", ["$i", ALL, 1]), ("behind", [ALL, "$i"])):
            yield killer(f"set_index_{name}_{form}", inputs, step("y", "set_index", "$a", spec, 1))
    inputs = {**cube(), "i": I2}
    for name, spec in (
        ("slice_before_the_front", ["$i", cut(-5, -4)]), ("slice_beyond_a_little", ["$i", cut(3, 4)]),
        ("int", [4]), ("int_before", [-5]), ("int_among", [0, 3]), ("int_and_tensor", ["$i", 3]),
        ("slice_past_the_end", ["$i", cut(2, 5)]), ("step_0", [cut(None, None, 0)]),
    ):
        yield killer(f"set_index_{name}", inputs, step("y", "set_index", "$a", spec, 1))


def cases():
    parts = (basic_specs, tensor_specs, dtypes, values, masks, odd_tensors, of_nothing, refused, kills)
    return [made for part in parts for made in part()]
