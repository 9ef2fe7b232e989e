"""conv1d and conv2d: shapes, stride, padding, dilation, groups, dtypes and refusals."""

from .base import HALVES, SHORT, case, dims, drawn, error, killer, step, tensor

REALS = HALVES + ["float32"]


def pair(x, w, dtype="float32", other=None):
    return {"x": drawn(dtype, x, 1), "w": drawn(other or dtype, w, 2)}


def call(axes, **kw):
    return step("y", f"mx.conv{axes}d", "$x", "$w", **kw)


def options():
    x, w = {1: [2, 9, 4], 2: [2, 7, 6, 4]}, {1: [6, 3, 4], 2: [6, 3, 2, 4]}
    table = [
        {},
        {"stride": 2},
        {"padding": 1},
        {"dilation": 2},
        {"stride": 3, "padding": 2},
        {"padding": 3, "dilation": 2},
        {"padding": -1},
    ]
    pairs = [{"stride": [2, 1]}, {"padding": [0, 3]}, {"dilation": [1, 2]}, {"padding": [-1, 1]}]
    for dtype in REALS:
        for axes in (1, 2):
            for turn, kw in enumerate(table + (pairs if axes == 2 else [])):
                inputs = pair(x[axes], w[axes], dtype)
                yield case(f"conv{axes}d_option_{turn}_{SHORT[dtype]}", inputs, [call(axes, **kw)])
        inputs = pair(x[1], w[1], dtype)
        yield case(
            f"conv1d_positional_{SHORT[dtype]}",
            inputs,
            [step("y", "mx.conv1d", "$x", "$w", 2, 1, 1, 1)],
        )
        inputs = pair(x[2], w[2], dtype)
        steps = [step("y", "mx.conv2d", "$x", "$w", [1, 2], 1, [1, 1], 1)]
        yield case(f"conv2d_positional_{SHORT[dtype]}", inputs, steps)


def groups():
    for dtype in REALS:
        for count, channels in ((2, 4), (4, 4), (4, 8), (1, 4)):
            inputs = pair([1, 6, 4], [channels, 3, 4 // count], dtype)
            name = f"conv1d_groups_{count}_{channels}_{SHORT[dtype]}"
            yield case(name, inputs, [call(1, groups=count)])
            inputs = pair([1, 5, 6, 4], [channels, 3, 2, 4 // count], dtype)
            name = f"conv2d_groups_{count}_{channels}_{SHORT[dtype]}"
            yield case(name, inputs, [call(2, groups=count, padding=1)])


def shapes():
    ones = [
        ([1, 3, 1], [1, 3, 1]),
        ([0, 5, 4], [4, 2, 4]),
        ([3, 4, 5], [7, 1, 5]),
        ([1, 64, 32], [32, 5, 32]),
    ]
    twos = [
        ([1, 3, 3, 1], [1, 3, 3, 1]),
        ([0, 5, 5, 4], [4, 2, 2, 4]),
        ([2, 4, 4, 3], [5, 1, 1, 3]),
        ([1, 16, 16, 16], [32, 3, 3, 16]),
        ([1, 12, 12, 32], [32, 3, 3, 32]),
    ]
    for dtype in REALS + ["float64"]:
        for axes, table in ((1, ones), (2, twos)):
            for x, w in table:
                name = f"conv{axes}d_{dims(x)}_{dims(w)}_{SHORT[dtype]}"
                yield case(name, pair(x, w, dtype), [call(axes)])
    yield case("conv1d_from_padding", pair([1, 0, 4], [4, 2, 4]), [call(1, padding=1)])
    for left, right in (("bfloat16", "float32"), ("float16", "bfloat16")):
        inputs = pair([1, 5, 4], [4, 2, 4], left, right)
        yield case(f"conv1d_{SHORT[left]}_{SHORT[right]}", inputs, [call(1)])
    inputs = pair([4, 6, 2], [3, 2, 4])
    steps = [step("x", "mx.transpose", "$x", [2, 1, 0]), call(1)]
    yield case("conv1d_transposed", inputs, steps)


def refused():
    x, w = [1, 5, 4], [4, 2, 4]
    for key, values in {
        "stride": (0, -1),
        "dilation": (0, -1, 1073741824),
        "padding": (-2, 1073741824),
        "groups": (3, 2, 4),
    }.items():
        for value in values:
            name = f"conv1d_{key}_{value}_refused".replace("-", "minus_")
            yield error(name, pair(x, w), call(1, **{key: value}))
    for key, value in (("stride", [0, 1]), ("dilation", [1, -1]), ("padding", -9)):
        yield error(
            f"conv2d_{key}_refused", pair([1, 5, 5, 4], [4, 2, 2, 4]), call(2, **{key: value})
        )
    for a, b in (
        ([5, 4], w),
        (x, [2, 4]),
        (x, [4, 2, 4, 1]),
        (x, [4, 6, 4]),
        ([1, 5, 3], w),
        ([1, 0, 4], w),
    ):
        yield error(f"conv1d_{dims(a)}_{dims(b)}_refused", pair(a, b), call(1))
    yield error("conv1d_groups_out", pair([1, 5, 4], [3, 2, 2]), call(1, groups=2))
    yield case("conv1d_on_2d", pair([1, 5, 5, 4], [4, 2, 2, 4]), [call(1, padding=1)])
    yield error("conv2d_on_1d", pair([1, 5, 4], [4, 2, 4]), call(2))
    for dtype in ("int32", "bool_", "complex64"):
        inputs = {"x": tensor(dtype, [1, 2, 1], [1, 0]), "w": tensor(dtype, [1, 1, 1], [1])}
        yield error(f"conv1d_{SHORT[dtype]}_refused", inputs, call(1))


def killers():
    for groups_ in (0, -1, -2):
        name = f"conv1d_groups_{groups_}".replace("-", "minus_")
        yield killer(name, pair([1, 5, 4], [4, 2, 4]), call(1, groups=groups_))
    for x, w in (([1, 5, 4], [4, 0, 4]), ([1, 5, 0], [4, 2, 0]), ([1, 5, 4], [0, 2, 4])):
        yield killer(f"conv1d_{dims(x)}_{dims(w)}", pair(x, w), call(1))
        two = pair([1, *x], [w[0], 2, *w[1:]])
        yield killer(f"conv2d_{dims(x)}_{dims(w)}", two, call(2, padding=1))
    yield killer("conv2d_huge_padding", pair([1, 5, 5, 4], [4, 2, 2, 4]), call(2, padding=1048576))


def cases():
    parts = (options, groups, shapes, refused, killers)
    return [made for part in parts for made in part()]
