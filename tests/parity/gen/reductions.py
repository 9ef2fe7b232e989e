"""sum, mean, max, min, var and the other reductions; the places of extremes: dtypes, axes, keepdims, ddof, empty and size-1 axes, errors.

Not here: their method forms (methods).
"""

from .base import DTYPES, FLOATS, SHORT, case, error, normal, sample, step, tame, tensor

REDUCTIONS = [
    "sum", "mean", "max", "min", "var", "std", "prod", "all", "any", "median", "logsumexp",
    "count_nonzero",
]
EXTREMES = ["argmax", "argmin"]
# Those that refuse every empty tensor, and those that refuse an empty axis.
REFUSE_EMPTY = {"logsumexp"}
REFUSE_EMPTY_AXIS = {"max", "min", "median"}


def cube(dtype, values=tame):
    return tensor(dtype, [2, 3, 2], values(dtype) + values(dtype)[::-1])


def every_dtype():
    for reduction in REDUCTIONS:
        op = f"mx.{reduction}"
        for dtype in DTYPES:
            inputs = {"a": cube(dtype)}
            steps = [
                step("all", op, "$a"), step("last", op, "$a", axis=-1),
                step("kept", op, "$a", axis=0, keepdims=True), step("two", op, "$a", axis=[0, 2]),
            ]
            outputs = [made["out"] for made in steps]
            name = f"{reduction}_{SHORT[dtype]}"
            yield case(name, inputs, steps, outputs)
            if dtype in FLOATS or reduction not in ("mean", "var"):
                special = {"a": tensor(dtype, [2, 3], sample(dtype))}
                steps = [step("all", op, "$a"), step("last", op, "$a", axis=-1)]
                yield case(f"{name}_specials", special, steps, ["all", "last"])


def axis_forms():
    inputs = {"a": cube("float32")}
    forms = {
        "none": {}, "null": {"axis": None}, "kept": {"keepdims": True}, "minus_3": {"axis": -3},
        "middle": {"axis": 1}, "list_of_one": {"axis": [1]}, "outer": {"axis": [0, -1]},
        "unsorted": {"axis": [2, 0]}, "all": {"axis": [0, 1, 2], "keepdims": True},
        "nothing": {"axis": []}, "kept_middle": {"axis": [1], "keepdims": True},
    }
    for reduction in REDUCTIONS:
        for form, kw in forms.items():
            if reduction == "median" and form == "nothing":
                yield error("median_axis_nothing", inputs, step("y", "mx.median", "$a", **kw))
                continue
            made = step("y", f"mx.{reduction}", "$a", **kw)
            yield case(f"{reduction}_axis_{form}", inputs, [made])
        if reduction != "count_nonzero":
            made = step("y", f"mx.{reduction}", "$a", 1, True)
            yield case(f"{reduction}_positional", inputs, [made])


def unit_axes():
    """No Reduce node over axes of size 1."""
    for reduction in REDUCTIONS:
        for dtype in ("float32", "uint8", "bool_"):
            inputs = {"a": tensor(dtype, [1, 3, 1], tame(dtype)[:3])}
            steps = [
                step("y", f"mx.{reduction}", "$a", axis=0), step("z", f"mx.{reduction}", "$a", axis=[0, 2]),
                step("k", f"mx.{reduction}", "$a", axis=2, keepdims=True),
                step("mixed", f"mx.{reduction}", "$a", axis=[1, 2]),
            ]
            outputs = [made["out"] for made in steps]
            yield case(f"{reduction}_unit_axes_{SHORT[dtype]}", inputs, steps, outputs)
        inputs = {"a": tensor("bfloat16", [], [1.5])}
        steps = [step("y", f"mx.{reduction}", "$a"), step("z", f"mx.{reduction}", "$a", keepdims=True)]
        yield case(f"{reduction}_0d", inputs, steps, ["y", "z"])


def empty_axes():
    empty, flat = {"a": tensor("float32", [0, 3], [])}, {"a": tensor("float32", [0], [])}
    for reduction in REDUCTIONS:
        op = f"mx.{reduction}"
        if reduction in REFUSE_EMPTY:
            yield error(f"{reduction}_empty_flat", flat, step("y", op, "$a"))
            yield error(f"{reduction}_empty_axis", empty, step("y", op, "$a", axis=0))
            yield error(f"{reduction}_over_other_axis", empty, step("y", op, "$a", axis=1))
        if reduction in REFUSE_EMPTY | REFUSE_EMPTY_AXIS:
            continue
        op = f"mx.{reduction}"
        steps = [step("y", op, "$a", axis=0), step("z", op, "$a", axis=1), step("w", op, "$a")]
        yield case(f"{reduction}_empty", empty, steps, ["y", "z", "w"])
    yield case("sum_empty_u8", {"a": tensor("uint8", [0], [])}, [step("y", "mx.sum", "$a")])
    for reduction in sorted(REFUSE_EMPTY_AXIS):
        op = f"mx.{reduction}"
        yield case(f"{reduction}_over_other_axis", empty, [step("y", op, "$a", axis=1)])
        yield error(f"{reduction}_empty", flat, step("y", op, "$a"))
        yield error(f"{reduction}_empty_axis", empty, step("y", op, "$a", axis=0))


def degrees_of_freedom():
    for op in ("var", "std"):
        for dtype in ("float32", "bfloat16", "float16", "int32", "float64"):
            inputs = {"a": cube(dtype)}
            steps = [
                step("y", f"mx.{op}", "$a", ddof=1), step("z", f"mx.{op}", "$a", axis=-1, ddof=1),
                step("k", f"mx.{op}", "$a", axis=[0, 1], keepdims=True, ddof=2),
                step("inf", f"mx.{op}", "$a", axis=2, ddof=2),
                step("over", f"mx.{op}", "$a", axis=2, ddof=5),
            ]
            yield case(f"{op}_ddof_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])


def long_sums():
    """Half sums add up in the half dtype, in MLX's own order."""
    for dtype in ("bfloat16", "float16", "float32"):
        for reduction in REDUCTIONS:
            inputs = {"a": normal(dtype, [5, 301], 3)}
            op = f"mx.{reduction}"
            steps = [step("y", op, "$a"), step("z", op, "$a", axis=0), step("w", op, "$a", axis=1)]
            yield case(f"{reduction}_long_{SHORT[dtype]}", inputs, steps, ["y", "z", "w"])
        steps = [step("o", "mx.ones", [3000], {"dtype": dtype}), step("y", "mx.sum", "$o")]
        steps.append(step("z", "mx.mean", "$o"))
        yield case(f"sum_of_ones_{SHORT[dtype]}", {}, steps, ["y", "z"])
    inputs = {"a": tensor("int32", [3], [2**31 - 1, 1, 5]), "b": tensor("uint8", [3], [200, 100, 255])}
    yield case("sum_wraps", inputs, [step("y", "mx.sum", "$a"), step("z", "mx.sum", "$b")], ["y", "z"])


def transposed():
    for reduction in REDUCTIONS:
        inputs = {"a": normal("float32", [4, 7, 5], 5)}
        op = f"mx.{reduction}"
        steps = [
            step("t", "mx.transpose", "$a", [2, 0, 1]), step("y", op, "$t", axis=0),
            step("z", op, "$t", axis=-1), step("w", op, "$t"),
        ]
        yield case(f"{reduction}_transposed", inputs, steps, ["y", "z", "w"])


def refused():
    inputs = {"a": tensor("float32", [2, 3], tame("float32"))}
    zero = {"a": tensor("float32", [], [3.0])}
    for reduction in REDUCTIONS:
        op = f"mx.{reduction}"
        for axis in (2, -3, 5):
            name = f"{reduction}_axis_{axis}".replace("-", "minus_") + "_refused"
            yield error(name, inputs, step("y", op, "$a", axis=axis))
        yield error(f"{reduction}_duplicate", inputs, step("y", op, "$a", axis=[0, 0]))
        yield error(f"{reduction}_duplicate_negative", inputs, step("y", op, "$a", axis=[0, -2]))
        yield error(f"{reduction}_0d_axis", zero, step("y", op, "$a", axis=0))


def extremes():
    for name in EXTREMES:
        op = f"mx.{name}"
        for dtype in DTYPES:
            inputs = {"a": cube(dtype), "b": tensor(dtype, [2, 3], sample(dtype))}
            steps = [
                step("all", op, "$a"), step("last", op, "$a", axis=-1), step("first", op, "$a", 0),
                step("kept", op, "$a", axis=1, keepdims=True), step("flat", op, "$a", None, True),
                step("special", op, "$b"), step("rows", op, "$b", 1),
                step("method", f"method.{name}", "$a", 1), step("kept_method", f"method.{name}", "$b", 0, True),
            ]
            yield case(f"{name}_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
        ties = {
            "a": tensor("float32", [3, 4], [1.0, "nan", 3.0, 3.0, "nan", 1.0, 1.0, 2.0] + ["nan"] * 4),
            "b": tensor("float16", [6], [0.0, -0.0, "inf", "inf", "-inf", "-inf"]),
            "c": tensor("float32", [1, 3, 1], [1.0, 2.0, 0.5]), "s": tensor("int8", [], [3]),
        }
        steps = [
            step("y", op, "$a", axis=1), step("z", op, "$b"), step("u", op, "$c", axis=0),
            step("v", op, "$c", axis=2, keepdims=True), step("w", op, "$s"),
            step("t", "mx.transpose", "$a"), step("x", op, "$t", axis=0), step("q", op, "$t"),
        ]
        yield case(f"{name}_ties", ties, steps, ["y", "z", "u", "v", "w", "x", "q"])
        for shape in ([0], [0, 3], [2, 0]):
            inputs = {"a": tensor("float32", shape, [])}
            for axis in (None, 0, -1):
                made = step("y", op, "$a", axis=axis)
                tag = "_".join(map(str, shape)) + f"_{axis}".replace("-", "minus_")
                yield error(f"{name}_empty_{tag}", inputs, made)
        for axis in (2, -3):
            made = step("y", op, "$a", axis=axis)
            tag = f"{axis}".replace("-", "minus_")
            yield error(f"{name}_axis_{tag}_refused", {"a": tensor("int32", [2, 3], range(6))}, made)
        yield error(f"{name}_0d_axis", {"s": ties["s"]}, step("y", op, "$s", axis=0))


def methods():
    for name in ("all", "any", "prod", "logsumexp", "std"):
        op = f"method.{name}"
        for dtype in ("float32", "float16", "uint8", "bool_"):
            steps = [
                step("y", op, "$a"), step("z", op, "$a", -1), step("k", op, "$a", 0, True),
                step("w", op, "$a", axis=[0, 1], keepdims=True),
            ]
            outputs = [made["out"] for made in steps]
            yield case(f"reduction_method_{name}_{SHORT[dtype]}", {"a": cube(dtype)}, steps, outputs)
    made = step("y", "method.std", "$a", None, False, 1)
    yield case("method_std_positional_ddof", {"a": cube("float32")}, [made])


def cases():
    parts = (
        every_dtype, axis_forms, unit_axes, empty_axes, degrees_of_freedom, long_sums, transposed,
        refused, extremes, methods,
    )
    return [made for part in parts for made in part()]
