"""softmax: dtypes, axes, precise, specials, shapes and refusals.

Not here: softmax written out with operators (formulas).
"""

from .base import DTYPES, FLOATS, HALVES, SHORT, case, error, normal, step, tame, tensor


def every_dtype():
    for dtype in DTYPES:
        inputs = {"a": tensor(dtype, [2, 3], tame(dtype))}
        steps = [
            step("last", "mx.softmax", "$a", axis=-1), step("first", "mx.softmax", "$a", axis=0),
            step("all", "mx.softmax", "$a"),
        ]
        yield case(f"softmax_{SHORT[dtype]}", inputs, steps, ["last", "first", "all"])


def precise():
    for dtype in FLOATS + ["int32", "bool_"]:
        inputs = {"a": tensor(dtype, [2, 3], tame(dtype))}
        steps = [
            step("last", "mx.softmax", "$a", axis=-1, precise=True),
            step("first", "mx.softmax", "$a", axis=0, precise=True),
            step("both", "mx.softmax", "$a", axis=[0, 1], precise=True),
        ]
        yield case(f"softmax_precise_{SHORT[dtype]}", inputs, steps, ["last", "first", "both"])


def axes():
    for dtype in ("float32", "bfloat16"):
        inputs = {"a": normal(dtype, [2, 3, 4], 9)}
        for axis in (0, 1, 2, -2, [0, 2], [1, 2], [2, 1], [0, 1, 2], [2], []):
            tag = str(axis).strip("[]").replace(", ", "_").replace("-", "minus_")
            kind = "list" if isinstance(axis, list) else "axis"
            name = f"softmax_{kind}_{tag}_{SHORT[dtype]}"
            yield case(name, inputs, [step("y", "mx.softmax", "$a", axis=axis)])


def long_rows():
    for dtype in HALVES + ["float32"]:
        for key, size in ((1, 5), (2, 64), (3, 301)):
            inputs = {"a": normal(dtype, [3, size], key)}
            steps = [
                step("y", "mx.softmax", "$a", axis=-1),
                step("z", "mx.softmax", "$a", axis=-1, precise=True),
            ]
            yield case(f"softmax_row_{size}_{SHORT[dtype]}", inputs, steps, ["y", "z"])


def specials():
    rows = [
        ["-inf", "-inf", "-inf"], ["inf", 1.0, 2.0], ["nan", 0.0, 1.0], ["-inf", 0.0, 1.0],
        [-0.0, 0.0, 0.0], [100.0, -100.0, 88.5], [1e4, 1e4, 1e4],
    ]
    for dtype in FLOATS:
        inputs = {"a": tensor(dtype, [7, 3], [v for row in rows for v in row])}
        steps = [step("y", "mx.softmax", "$a", axis=-1), step("z", "mx.softmax", "$a", axis=0)]
        yield case(f"softmax_specials_{SHORT[dtype]}", inputs, steps, ["y", "z"])


def shapes():
    inputs = {"a": tensor("float32", [], [3.0])}
    yield case("softmax_0d", inputs, [step("y", "mx.softmax", "$a")])
    yield error("softmax_0d_axis", inputs, step("y", "mx.softmax", "$a", axis=-1))
    for shape in ([0], [2, 0], [0, 3]):
        tag = "x".join(map(str, shape))
        steps = [step("y", "mx.softmax", "$a", axis=-1)]
        yield case(f"softmax_empty_{tag}", {"a": tensor("bfloat16", shape, [])}, steps)
    one = {"a": tensor("float16", [1, 1], [2.0])}
    steps = [step("y", "mx.softmax", "$a", axis=-1), step("z", "mx.softmax", "$a", axis=0)]
    yield case("softmax_one", one, steps, ["y", "z"])
    inputs = {"a": normal("float32", [2, 3], 4)}
    steps = [step("t", "mx.transpose", "$a"), step("y", "mx.softmax", "$t", axis=-1)]
    yield case("softmax_transposed", inputs, steps)
    for axis in (2, -3, 4):
        name = f"softmax_axis_{axis}_refused".replace("-", "minus_")
        yield error(name, inputs, step("y", "mx.softmax", "$a", axis=axis))
    yield error("softmax_duplicate", inputs, step("y", "mx.softmax", "$a", axis=[0, 0]))


def cases():
    parts = (every_dtype, precise, axes, long_rows, specials, shapes)
    return [made for part in parts for made in part()]
