"""x.at[spec].add and its kin: every update, with every kind of item, and places named twice.

Not here: x[spec] = value (assignment), which takes the same ways.
"""

from .base import DTYPES, SHORT, case, error, grid, killer, nonzero, step, tensor
from . import assignment
from .assignment import INDICES, NOT_BY_TENSORS, PLACES
from .indexing import ALL, SPECS, cube, cut
from .tensor_indexing import I2
from .tensor_indexing import SPECS as TENSOR_SPECS

UPDATES = ["add", "subtract", "multiply", "divide", "maximum", "minimum"]


def specs():
    for turn, (name, spec) in enumerate({**SPECS, **{f"tensor_{k}": v for k, v in TENSOR_SPECS.items()}}.items()):
        if name.removeprefix("tensor_") in NOT_BY_TENSORS:
            continue
        used = {key: value for key, value in INDICES.items() if f"${key}" in spec}
        inputs = {**cube(("float32", "int32", "bfloat16")[turn % 3]), **used}
        update = UPDATES[turn % len(UPDATES)]
        yield case(f"at_{name}_{update}", inputs, [step("y", "at", "$a", spec, 3, update)])


def updates():
    for update in UPDATES:
        for name, spec in PLACES.items():
            inputs = {**cube(), "u": tensor("float32", [1, 5], [2.0, 0.5, -1.0, 4.0, "inf"])}
            if "$i" in spec:
                inputs["i"] = I2
            steps = [step("y", "at", "$a", spec, 2, update)]
            if name in ("slice", "int", "tensor", "ellipsis", "all", "nothing"):
                steps.append(step("z", "at", "$a", spec, "$u", update))
            yield case(f"at_{update}_{name}", inputs, steps, [made["out"] for made in steps])


def dtypes():
    for dtype in DTYPES:
        for update in UPDATES:
            if dtype == "bool_" and update == "subtract":
                continue
            inputs = {
                "a": grid(dtype), "b": tensor(dtype, [3], nonzero(dtype)[:3]), "i": tensor("int32", [2], [1, 0]),
            }
            steps = [
                step("y", "at", "$a", [0], "$b", update), step("z", "at", "$a", ["$i"], "$b", update),
                step("w", "at", "$a", ["..."], "$b", update), step("v", "at", "$a", [ALL, cut(1)], 2, update),
                step("u", "at", "$a", ["$i", 1], True, update) if update != "subtract" else
                step("u", "at", "$a", ["$i", 1], 1, update),
            ]
            yield case(f"at_{update}_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])


def twice():
    """Places that an index names more than once: each update counts."""
    inputs = {
        "a": tensor("float32", [4], [1.0, 2.0, 3.0, 4.0]), "i": tensor("int32", [5], [0, 0, 2, -4, 2]),
        "u": tensor("float32", [5], [2.0, 4.0, 0.5, 8.0, 16.0]),
    }
    for update in UPDATES:
        steps = [step("y", "at", "$a", ["$i"], 2, update), step("z", "at", "$a", ["$i"], "$u", update)]
        yield case(f"at_twice_{update}", inputs, steps, ["y", "z"])
    steps = [step("k", "+", "$i", 0), step("y", "at", "$a", ["$k"], "$u", "add")]
    yield case("at_computed_index", inputs, steps)


def of_nothing():
    return assignment.of_nothing("at", "add")


def refused():
    inputs = {**cube(), "i": I2, "m": tensor("bool_", [4], [1, 0, 1, 0]), "u": tensor("float32", [7], range(7))}
    for update in UPDATES:
        yield error(f"at_{update}_shape", inputs, step("y", "at", "$a", [0], "$u", update))
        yield error(f"at_{update}_mask", inputs, step("y", "at", "$a", ["$m"], 1, update), message=False)
        yield killer(f"at_{update}_beyond", {**cube(), "i": tensor("int32", [1], [4])}, step("y", "at", "$a", ["$i"], 1, update))
    flags = {"a": tensor("bool_", [2], [1, 0]), "i": tensor("int32", [1], [0])}
    for name, spec in (("int", [0]), ("tensor", ["$i"])):
        yield error(f"at_subtract_bool_{name}", flags, step("y", "at", "$a", spec, True, "subtract"))
    yield error("at_scalar_too_large", cube("uint8"), step("y", "at", "$a", [0], 300, "add"))
    zero = {"a": tensor("float32", [], [3.0])}
    yield error("at_0d_int", zero, step("y", "at", "$a", [0], 1, "add"))
    steps = [step("y", "at", "$a", ["..."], 1, "add"), step("z", "at", "$a", [], 2, "multiply")]
    yield case("at_0d", zero, steps, ["y", "z"])


def cases():
    parts = (specs, updates, dtypes, twice, of_nothing, refused)
    return [made for part in parts for made in part()]
