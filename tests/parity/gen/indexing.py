"""Basic indexing: integers, slices, ellipsis, newaxis, and their mixes.

Not here: indexing with tensors (tensor_indexing), assignment (assignment, at_updates). Python
reads foreign memory for a single integer out of bounds, so there only the other side's refusal is
judged.
"""

from .base import DTYPES, SHORT, case, error, grid, killer, step, tensor

ALL = {"slice": [None, None, None]}


def cut(start=None, stop=None, stride=None):
    return {"slice": [start, stop, stride]}


def cube(dtype="float32"):
    return {"a": tensor(dtype, [4, 3, 5], range(60))}


SPECS = {
    "int": [1], "int_negative": [-1], "int_first": [0], "two_ints": [1, 2], "three_ints": [1, 2, 3],
    "ints_negative": [-1, -2, -3], "all_int": [ALL, 1], "all_int_negative": [ALL, -1],
    "all_all_int": [ALL, ALL, 0], "int_all": [2, ALL], "int_all_int": [2, ALL, 3],
    "slice": [cut(1, 3)], "slice_open": [cut(1)], "slice_to": [cut(None, 2)], "all": [ALL],
    "step": [cut(None, None, 2)], "step_from": [cut(1, None, 2)], "reverse": [cut(None, None, -1)],
    "reverse_step": [cut(None, None, -2)], "reverse_from": [cut(2, 0, -1)],
    "reverse_to": [cut(None, 1, -1)], "negative": [cut(-3, -1)], "negative_stop": [cut(None, -1)],
    "negative_start": [cut(-2)], "beyond": [cut(1, 100)], "before": [cut(-100, 2)],
    "empty": [cut(2, 2)], "empty_reversed": [cut(3, 1)], "empty_beyond": [cut(7, 9)],
    "two_slices": [cut(1, 3), cut(0, 2)], "three_slices": [cut(1), cut(None, 2), cut(1, 4, 2)],
    "inner_reverse": [ALL, ALL, cut(None, None, -1)], "step_of_one_result": [cut(0, 1, 3)],
    "full_explicit": [cut(0, 4)], "full_all": [cut(0, 4), cut(0, 3, 1), ALL],
    "ellipsis": ["..."], "ellipsis_int": ["...", 0], "ellipsis_negative": ["...", -1],
    "int_ellipsis": [1, "..."], "int_ellipsis_int": [1, "...", 2],
    "ellipsis_slice": ["...", cut(1, 3)], "ellipsis_to_negative": ["...", cut(None, -2)],
    "slice_ellipsis_int": [cut(1, 3), "...", 0], "ellipsis_of_nothing": [1, 2, "...", 3],
    "newaxis": ["newaxis"], "newaxis_twice": ["newaxis", "newaxis"], "all_newaxis": [ALL, "newaxis"],
    "ellipsis_newaxis": ["...", "newaxis"], "newaxis_ellipsis": ["newaxis", "..."],
    "newaxis_int": ["newaxis", 1], "int_newaxis": [1, "newaxis"], "slice_newaxis": [cut(1, 3), "newaxis"],
    "newaxis_middle": [ALL, "newaxis", cut(1, 2)], "int_newaxis_slice": [0, "newaxis", cut(1)],
    "newaxis_around": ["newaxis", 1, "newaxis", cut(0, 2), "newaxis"],
    "everything": [cut(None, None, -1), "newaxis", "...", 2], "nothing": [],
    "int_then_step": [3, cut(None, None, -1), cut(0, 5, 3)],
}


def every_spec():
    for turn, (name, spec) in enumerate(SPECS.items()):
        dtype = ("float32", "bfloat16", "uint8", "int64")[turn % 4]
        yield case(f"index_{name}", cube(dtype), [step("y", "index", "$a", spec)])


def every_dtype():
    for dtype in DTYPES:
        steps = [
            step("y", "index", "$a", [-1]), step("z", "index", "$a", [ALL, cut(None, None, -2)]),
            step("w", "index", "$a", [0, "newaxis", 1]),
        ]
        yield case(f"index_{SHORT[dtype]}", {"a": grid(dtype)}, steps, ["y", "z", "w"])


def odd_tensors():
    zero = {"a": tensor("float32", [], [3.0])}
    for name, spec in (("ellipsis", ["..."]), ("newaxis", ["newaxis"]), ("nothing", [])):
        yield case(f"index_0d_{name}", zero, [step("y", "index", "$a", spec)])
    yield error("index_0d_int", zero, step("y", "index", "$a", [0]))
    yield error("index_0d_slice", zero, step("y", "index", "$a", [ALL]))
    empty = {"a": tensor("float32", [0, 3], [])}
    for name, spec in (("all", [ALL]), ("slice", [cut(1, 5)]), ("column", [ALL, 1])):
        yield case(f"index_empty_{name}", empty, [step("y", "index", "$a", spec)])
    vector = {"a": tensor("int32", [5], range(5))}
    for name, spec in (("int", [2]), ("step", [cut(4, None, -3)]), ("newaxis", ["newaxis", 2])):
        yield case(f"index_vector_{name}", vector, [step("y", "index", "$a", spec)])
    steps = [step("b", "index", "$a", [cut(1)]), step("c", "index", "$b", [cut(None, None, -1)])]
    steps.append(step("y", "index", "$c", [0]))
    yield case("index_chain", cube(), steps)
    steps = [step("t", "mx.transpose", "$a"), step("y", "index", "$t", [cut(1, 4), 0])]
    yield case("index_of_transpose", cube(), steps)


def refused():
    yield error("index_too_many", cube(), step("y", "index", "$a", [0, 0, 0, 0]))
    yield error("index_too_many_slices", cube(), step("y", "index", "$a", [ALL, ALL, ALL, ALL]))
    yield error("index_two_ellipses", cube(), step("y", "index", "$a", ["...", 0, "..."]), message=False)
    empty = {"a": tensor("float32", [0, 2], [])}
    yield error("index_int_of_empty", empty, step("y", "index", "$a", [0]), message=False)
    for name, spec in (("beyond", [4]), ("before", [-5]), ("far", [1000])):
        yield killer(f"index_out_of_bounds_{name}", cube(), step("y", "index", "$a", spec))
    # Among several items Python trips over the empty slice it made, with words about squeeze.
    for name, spec in (
        ("second", [0, 3]), ("second_before", [0, -4]), ("after_all", [ALL, 3]),
        ("last", ["...", 5]), ("last_before", ["...", -6]), ("with_newaxis", ["newaxis", 4]),
        ("huge", [2**31]),
    ):
        made = step("y", "index", "$a", spec)
        yield error(f"index_out_of_bounds_{name}", cube(), made, message=False)
    yield killer("index_step_zero", cube(), step("y", "index", "$a", [cut(None, None, 0)]))


def cases():
    parts = (every_spec, every_dtype, odd_tensors, refused)
    return [made for part in parts for made in part()]
