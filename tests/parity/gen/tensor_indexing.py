"""Indexing with tensors of integers: one, several, and mixed with every other item.

Not here: basic indexing (indexing), assignment (assignment), mx.take and its kin (taking). Where an
index leaves its axis Python reads foreign memory, so there only the other side's refusal is judged.
"""

from .base import DTYPES, INTS, SHORT, UNSIGNED, case, error, grid, killer, step, tensor
from .indexing import ALL, cube, cut

I2 = tensor("int32", [2], [0, 2])
I3 = tensor("int32", [3], [2, -1, 0])
SQUARE = tensor("int32", [2, 2], [0, 1, -3, 2])
COLUMN = tensor("int32", [2, 1], [1, 2])
POINT = tensor("int32", [], [-1])
NONE = tensor("int32", [0], [])


def indexed(dtype="float32", **indices):
    return {**cube(dtype), **indices}


SPECS = {
    "one": ["$i"], "point": ["$p"], "square": ["$s"], "none": ["$n"], "column": ["$c"],
    "two": ["$i", "$i"], "three": ["$i", "$i", "$i"], "broadcast": ["$s", "$i"],
    "column_row": ["$c", "$j"], "point_row": ["$p", "$j"], "square_column": ["$s", "$c", "$p"],
    "all_one": [ALL, "$i"], "all_all_one": [ALL, ALL, "$i"], "ellipsis_one": ["...", "$j"],
    "one_ellipsis": ["$i", "..."], "one_all": ["$i", ALL], "one_all_all": ["$i", ALL, ALL],
    "one_slice": ["$i", cut(1, 3)], "one_step": ["$i", cut(None, None, 2)],
    "one_reverse": ["$i", cut(None, None, -1)], "one_beyond": ["$i", cut(0, 100)],
    "slice_one": [cut(1, 3), "$i"], "slice_negative_one": [cut(-3, -1), "$i"],
    "step_one": [cut(None, None, 2), "$i"], "reverse_one": [cut(None, None, -1), "$i"],
    "reverse_to_one": [cut(3, 0, -2), "$i"], "empty_one": [cut(2, 2), "$i"],
    "int_one": [1, "$i"], "one_int": ["$i", 1], "int_int_one": [0, -1, "$i"],
    "one_int_negative": ["$i", -1], "one_int_int": ["$i", 1, 2], "int_one_int": [-1, "$i", 2],
    "all_int_one": [ALL, 1, "$i"], "one_all_int": ["$i", ALL, 1], "int_all_one": [1, ALL, "$i"],
    "around": ["$i", ALL, "$i"], "around_slice": ["$i", cut(1, 3), "$i"],
    "around_ellipsis": ["$i", "...", "$i"], "around_square": ["$s", ALL, "$i"],
    "around_new": ["$i", "newaxis", "$i"], "new_one": ["newaxis", "$i"],
    "one_new": ["$i", "newaxis"], "one_new_int": ["$i", "newaxis", 1],
    "all_new_one": [ALL, "newaxis", "$i"], "new_all_one": ["newaxis", ALL, "$i"],
    "new_everywhere": ["newaxis", "$i", "newaxis", "$i", "newaxis"],
    "ellipsis_new_one": ["...", "newaxis", "$j"], "one_ellipsis_new": ["$i", "...", "newaxis"],
    "one_slice_new_step": ["$i", cut(1, 3), "newaxis", cut(None, None, 2)],
    "none_all": [ALL, "$n"], "none_and_int": ["$n", 1], "all_point": [ALL, "$p"],
    "point_all_point": ["$p", ALL, "$p"], "points": ["$p", "$p", "$p"],
    "ellipsis_alone_behind": ["$i", "$i", "$i", "..."], "square_int_slice": ["$s", 0, cut(1, 4)],
}


def every_spec():
    indices = {"i": I2, "j": I3, "s": SQUARE, "c": COLUMN, "p": POINT, "n": NONE}
    for turn, (name, spec) in enumerate(SPECS.items()):
        dtype = ("float32", "bfloat16", "uint8", "int64")[turn % 4]
        used = {key: value for key, value in indices.items() if f"${key}" in spec}
        made = step("y", "index", "$a", spec)
        yield case(f"tensor_index_{name}", indexed(dtype, **used), [made])


def every_dtype():
    for dtype in DTYPES:
        steps = [
            step("y", "index", "$a", ["$i"]), step("z", "index", "$a", [ALL, "$i"]),
            step("w", "index", "$a", ["$i", "$i"]),
        ]
        inputs = {"a": grid(dtype), "i": tensor("int32", [2, 1], [1, 0])}
        yield case(f"tensor_index_of_{SHORT[dtype]}", inputs, steps, ["y", "z", "w"])
    for dtype in INTS:
        values = [2, 0, 1] if dtype in UNSIGNED else [2, -3, -1]
        inputs = indexed(i=tensor(dtype, [3], values), j=tensor("int32", [3], [0, 1, 2]))
        steps = [
            step("y", "index", "$a", ["$i"]), step("z", "index", "$a", ["$i", "$j"]),
            step("w", "index", "$a", ["$i", 1]), step("v", "index", "$a", [cut(1), "$i"]),
        ]
        yield case(f"tensor_index_by_{SHORT[dtype]}", inputs, steps, ["y", "z", "w", "v"])


def other_forms():
    inputs = indexed(i=I2)
    # Values that are not there yet when the index is taken.
    steps = [step("k", "+", "$i", 1), step("y", "index", "$a", ["$k", 0])]
    yield case("tensor_index_computed", inputs, steps, graph=False)
    # Graphs are compared where guards are off.
    yield case("tensor_index_computed_graph", inputs, steps)
    steps = [step("k", "neg", "$i"), step("y", "index", "$a", ["$k", "$k", "$k"])]
    yield case("tensor_index_computed_negative", inputs, steps)
    square = indexed(i=tensor("int64", [2, 3], [0, 1, 2, -1, -2, -3]))
    steps = [step("k", "mx.transpose", "$i"), step("y", "index", "$a", ["$k"])]
    yield case("tensor_index_transposed", square, steps)
    steps = [step("k", "index", "$i", [ALL, 1]), step("y", "index", "$a", [1, "$k"])]
    yield case("tensor_index_column_of_another", square, steps)
    steps = [step("b", "index", "$a", ["$i"]), step("c", "index", "$b", [ALL, "$i"])]
    steps.append(step("y", "index", "$c", [0, "...", "$i"]))
    yield case("tensor_index_chain", inputs, steps)
    empty = {"a": tensor("float32", [0, 3], []), "i": I2, "n": NONE}
    for name, spec in (("column", [ALL, "$i"]), ("none", ["$n"]), ("none_column", [ALL, "$n"])):
        yield case(f"tensor_index_empty_{name}", empty, [step("y", "index", "$a", spec)])
    flat = {"a": tensor("float32", [3, 0], []), "i": I2}
    for name, spec in (("row", ["$i"]), ("row_all", ["$i", ALL]), ("row_new", ["$i", "newaxis"])):
        yield case(f"tensor_index_flat_{name}", flat, [step("y", "index", "$a", spec)])
    large = {
        "a": tensor("int32", [300], range(300)), "i": tensor("int8", [3], [-128, 127, -1]),
        "u": tensor("uint8", [2], [255, 0]),
    }
    steps = [step("y", "index", "$a", ["$i"]), step("z", "index", "$a", ["$u"])]
    yield case("tensor_index_narrow_dtype", large, steps, ["y", "z"])


# Slices that leave their axis where nothing is read: Python does not end them there.
OF_NOTHING = {
    # No element in an axis that the index takes from: an error, unless another item takes nothing.
    "rows": ([0, 2, 1, 1], {
        "reversed": [cut(1, 0, -1), -1, "$o", "newaxis", 0], "beyond": [cut(0, 1), ALL, "$o"],
        "reversed_to_front": ["...", cut(0, None, -1), 0, "$o", "$o"], "before": [cut(-3, None), 0, "$o"],
        "reversed_beside_empty": ["...", cut(0, None, -1), cut(1, -2, 2), -1, "$z"],
        "beyond_beside_empty": [cut(-2, 3), cut(1, 1), "$z"], "beyond_beside_none": [cut(0, 3, 2), "$n"],
        "step": ["newaxis", cut(0, 1, 2), "$o"], "within": [cut(1, -1, -1), "$o"], "all": [ALL, "$o"],
        "all_reversed": [cut(None, None, -1), "$o"], "behind": ["...", cut(0, 4), "$z", cut(5, 1, -1)],
    }),
    "middle": ([2, 0, 2, 2], {
        "reversed": [1, cut(1, None, -2), "$o", -2], "reversed_within": [1, cut(-1, None, -2), "$o", -2],
        "tensor": [cut(0, 9), "$o"], "none": [cut(0, 9), "$n"], "before": [cut(-9, None), ALL, "$o"],
        "around": ["$o", cut(0, 2), "$o"], "around_reversed": ["$o", cut(0, -1, -1), "newaxis", "$o"],
    }),
    # Nothing in an axis that it takes whole: no number is an error.
    "flat": ([2, 3, 0], {
        "beyond": [cut(0, 9), "$o"], "beyond_behind": ["$o", cut(1, 9)], "before": [cut(-5, None), "$o"],
        "reversed": [cut(5, 0, -2), "$i"], "reversed_far": ["newaxis", cut(4, -9, -1), "$o"],
        "inner": ["$o", cut(0, 9), cut(0, 4)],
    }),
    # The tensor has elements, but the index takes none of them.
    "cube": ([4, 3, 5], {
        "beyond": [cut(2, 2), cut(0, 9), "$i"], "beyond_before": [cut(0, 9), cut(2, 1), "$i"],
        "before": [cut(-9, 2), "$n"], "reversed": [cut(9, None, -1), "$n"], "past": [cut(5, 9), "$n"],
        "reversed_far": [cut(9, -9, -2), ALL, "$n"], "around": ["$n", cut(-7, 9, 3), "$i"],
        "around_reversed": ["$i", cut(9, 0, -1), "newaxis", "$n"], "mixed": [1, cut(0, 9), "$n"],
    }),
}


TAKEN = {"i": I2, "o": tensor("int32", [1], [1]), "z": tensor("int32", [1], [0]), "n": NONE}


def of_nothing():
    """Guards change no word and no size: graphs are compared where they are off, values also where they are on."""
    for shape, (sizes, specs) in OF_NOTHING.items():
        count = 0 if 0 in sizes else 60
        for turn, (name, spec) in enumerate(specs.items()):
            dtype = ("float32", "bfloat16", "uint8", "int64")[turn % 4]
            inputs = {"a": tensor(dtype, sizes, range(count))}
            inputs |= {key: value for key, value in TAKEN.items() if f"${key}" in spec}
            for graph in (True, False):
                label = f"tensor_index_of_{shape}_{name}" + ("_graph" if graph else "")
                made = case(label, inputs, [step("y", "index", "$a", spec)], graph=graph)
                made["compare"].append("message")
                yield made


def refused():
    inputs = indexed(i=I2, j=I3, b=tensor("bool_", [4], [1, 0, 1, 0]), f=tensor("float32", [1], [1.0]))
    made = {
        "float": ["$f"], "float_among": [ALL, "$f"], "bool": ["$b"], "bool_among": ["$b", 0],
        "shapes": ["$i", "$j"], "too_many": ["$i", "$i", "$i", "$i"],
        "two_ellipses": ["...", "$i", "..."],
    }
    for name, spec in made.items():
        yield error(f"tensor_index_{name}_refused", inputs, step("y", "index", "$a", spec))
    zero = {"a": tensor("float32", [], [3.0]), "i": I2}
    yield error("tensor_index_0d", zero, step("y", "index", "$a", ["$i"]))
    yield error("tensor_index_0d_tuple", zero, step("y", "index", "$a", ["$i", "newaxis"]))
    empty = {"a": tensor("float32", [0, 2], []), "i": I2}
    yield error("tensor_index_into_nothing", empty, step("y", "index", "$a", ["$i"]))
    yield error("tensor_index_step_0", inputs, step("y", "index", "$a", [cut(None, None, 0), "$i"]), message=False)


def kills():
    for name, dtype, value in (
        ("beyond", "int32", 4), ("before", "int32", -5), ("far", "int64", 2**40), ("least", "int64", -(2**63)),
        ("unsigned", "uint32", 2**32 - 1), ("most", "uint64", 2**64 - 1), ("byte", "uint8", 200),
    ):
        inputs = indexed(i=tensor(dtype, [2], [0, value]))
        for form, spec in (("alone", ["$i"]), ("among", ["$i", ALL, 1]), ("twice", ["$i", "$i"])):
            yield killer(f"tensor_index_{name}_{form}", inputs, step("y", "index", "$a", spec))
    yield killer("tensor_index_int_beyond", indexed(i=I2), step("y", "index", "$a", ["$i", 3]))
    yield killer("tensor_index_int_before", indexed(i=I2), step("y", "index", "$a", [-5, "$i"]))


def cases():
    parts = (every_spec, every_dtype, other_forms, of_nothing, refused, kills)
    return [made for part in parts for made in part()]
