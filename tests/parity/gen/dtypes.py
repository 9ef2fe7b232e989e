"""What dtypes are and hold: classes, casts, promotion, limits. The outputs are no tensors.

Not here: what ops do with dtypes (dtype_pairs).
"""

from .base import DTYPES, SHORT, case, error, grid, step

CATEGORIES = [
    "generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact", "floating",
    "complexfloating",
]
KINDS = [
    "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
    "numeric",
]


def named(dtype):
    return {"dtype": dtype}


def table(name, steps):
    return case(name, {}, steps, [made["out"] for made in steps], graph=False)


def limits():
    for dtype in DTYPES:
        for op in ("finfo", "iinfo"):
            made = step("y", f"mx.{op}", named(dtype))
            has = (op == "finfo") == (dtype in ("float16", "bfloat16", "float32", "float64", "complex64"))
            if has and dtype != "bool_":
                yield case(f"{op}_{SHORT[dtype]}", {}, [made], graph=False)
            else:
                yield error(f"{op}_{SHORT[dtype]}", {}, made)


def classes():
    for a in DTYPES + CATEGORIES:
        steps = [
            step(f"y{n}", "mx.issubdtype", named(a), named(b)) for n, b in enumerate(DTYPES + CATEGORIES)
        ]
        yield table(f"issubdtype_{a}", steps)
    for dtype in DTYPES:
        kinds = KINDS + [named(other) for other in DTYPES]
        kinds += [[], ["bool", "integral"], [named("int8"), "complex floating"], [named("float16")]]
        steps = [step(f"y{n}", "mx.isdtype", named(dtype), kind) for n, kind in enumerate(kinds)]
        steps.append(step("named", "mx.isdtype", dtype=named(dtype), kind=["numeric", "bool"]))
        yield table(f"isdtype_{SHORT[dtype]}", steps)
    yield error("isdtype_unknown", {}, step("y", "mx.isdtype", named("int8"), "float"))
    yield error("isdtype_unknown_in_list", {}, step("y", "mx.isdtype", named("int8"), ["bool", "float"]))
    yield error("isdtype_category", {}, step("y", "mx.isdtype", named("int8"), named("integer")))


def meeting():
    for a in DTYPES:
        steps = [step(f"c{n}", "mx.can_cast", named(a), named(b)) for n, b in enumerate(DTYPES)]
        steps += [step(f"r{n}", "mx.result_type", named(a), named(b)) for n, b in enumerate(DTYPES)]
        steps.append(step("one", "mx.result_type", named(a)))
        yield table(f"meets_{SHORT[a]}", steps)
        inputs = {"a": grid(a)}
        steps = [
            step("y", "mx.can_cast", "$a", named("float32")), step("z", "mx.result_type", "$a", named("int16")),
            step("w", "mx.result_type", named("bfloat16"), "$a", named("float16")),
        ]
        yield case(f"meets_tensor_{SHORT[a]}", inputs, steps, ["y", "z", "w"], graph=False)
    steps = [
        step("y", "mx.result_type", named("int32"), named("uint64"), named("float16")),
        step("z", "mx.result_type", named("float16"), named("int32"), named("uint64")),
    ]
    yield table("result_type_by_order", steps)
    yield error("result_type_of_nothing", {}, step("y", "mx.result_type"))
    yield error("result_type_of_a_number", {}, step("y", "mx.result_type", named("int8"), 1))


def cases():
    parts = (limits, classes, meeting)
    return [made for part in parts for made in part()]
