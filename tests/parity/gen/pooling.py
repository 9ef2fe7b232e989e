"""Pools: windows side by side, apart and over each other, padded and not, of sizes that do not fit."""

from .base import SHORT, case, dims, drawn, error, normal, tensor
from .layers import layer
from .nn_base import FLOATS3, differentiated, either

SIZES = {1: [8], 2: [6, 7], 3: [4, 5, 6]}
SETTINGS = {
    "beside": {"kernel_size": 2},
    "over": {"kernel_size": 3, "stride": 2},
    "padded": {"kernel_size": 3, "stride": 2, "padding": 1},
    "apart": {"kernel_size": 1, "stride": 3},
    "far": {"kernel_size": 2, "padding": 3},
    "single": {"kernel_size": 1},
}
EACH = {
    1: {"kernel_size": [3], "stride": [1], "padding": [2]},
    2: {"kernel_size": [3, 2], "stride": [1, 2], "padding": [2, 0]},
    3: {"kernel_size": [1, 2, 3], "stride": [2, 1, 3], "padding": [0, 1, 2]},
}


def layers():
    return ((f"{kind}Pool{axes}d", axes) for axes in SIZES for kind in ("Max", "Avg"))


def forward():
    for name, axes in layers():
        for dtype in FLOATS3:
            x = {"x": normal(dtype, [2, *SIZES[axes], 3], 1)}
            for what, init in {**SETTINGS, "each": EACH[axes]}.items():
                if dtype != "float32" and what not in ("beside", "padded"):
                    continue
                yield either(f"{name.lower()}_{what}_{SHORT[dtype]}", x, [layer(name, init, None)])
        whole = {"x": normal("float32", [1, *[4] * axes, 2], 1)}
        yield either(f"{name.lower()}_whole", whole, [layer(name, {"kernel_size": 4}, None, train=True)])
        yield either(f"{name.lower()}_evenly", whole, [layer(name, {"kernel_size": 2}, None, train=True)])
        for what in ("beside", "over", "padded"):
            x = {"x": normal("float32", [1, *[4] * axes, 2], 1)}
            steps = [layer(name, SETTINGS[what], None)]
            yield differentiated(f"{name.lower()}_{what}_gradient", x, ["x"], steps)


def dtypes():
    for dtype in ("bool_", "uint8", "int32", "int64", "float64", "complex64"):
        values = [[1.0, 2.0]] * 8 if dtype == "complex64" else [1, 0, 3, 2, 5, 7, 4, 6]
        x = {"x": tensor(dtype, [1, 8, 1], [int(v > 2) for v in values] if dtype == "bool_" else values)}
        for name in ("MaxPool1d", "AvgPool1d"):
            for what in ("beside", "over", "padded"):
                yield either(f"{name.lower()}_{what}_{SHORT[dtype]}", x, [layer(name, SETTINGS[what], None)])
    special = {"x": tensor("float32", [1, 6, 1], ["nan", 1.0, "-inf", "-inf", "inf", 2.0])}
    for name in ("MaxPool1d", "AvgPool1d"):
        yield case(f"{name.lower()}_special", special, [layer(name, {"kernel_size": 2, "padding": 1}, None)])


def sequence():
    """Windows of what is no row-major tensor."""
    for name in ("MaxPool1d", "AvgPool1d"):
        x = {"x": normal("float32", [2, 3, 8], 1)}
        turned = {"out": "t", "op": "mx.transpose", "args": ["$x", [0, 2, 1]]}
        for what in ("beside", "over"):
            steps = [turned, {**layer(name, SETTINGS[what], None), "args": ["$t"]}]
            yield case(f"{name.lower()}_{what}_turned", x, steps)


def refused():
    x = {"x": normal("float32", [1, 4, 4, 2], 1)}
    for name in ("MaxPool2d", "AvgPool2d"):
        low = name.lower()
        for key in ("kernel_size", "stride", "padding"):
            for i, value in enumerate((0, -1, [2, 0], [2, -3], [1], [1, 2, 3])):
                if key == "padding" and value in (0, [2, 0]):
                    continue
                init = {"kernel_size": 2, **{key: value}}
                yield error(f"{low}_{key}_{i}", x, layer(name, init, None))
        for shape in ([], [4], [4, 4], [1, 4, 2], [1, 4, 4, 4, 2]):
            yield error(f"{low}_axes_{dims(shape)}", {"x": normal("float32", shape, 1)}, layer(name, {"kernel_size": 2}, None))
        for shape in ([0, 4, 4, 2], [1, 0, 4, 2], [1, 4, 4, 0], [0, 5, 4, 2]):
            steps = [layer(name, {"kernel_size": 2}, None)]
            # A reduction of nothing has nodes of its own.
            yield either(f"{low}_empty_{dims(shape)}", {"x": drawn("float32", shape, 1)}, steps, graph=False)
        far = {"kernel_size": 2, "stride": 2147483647}
        yield either(f"{low}_far", x, [layer(name, far, None)])
        yield error(f"{low}_huge_padding", x, layer(name, {"kernel_size": 2, "padding": 2147483647}, None), message=False)


def beyond():
    """Windows longer than their axis: none where a step is longer than what is missing, else an error."""
    x = {"x": normal("float32", [1, 4, 4, 2], 1)}
    for name in ("MaxPool2d", "AvgPool2d"):
        for i, init in enumerate((
            {"kernel_size": 5}, {"kernel_size": 5, "stride": 1}, {"kernel_size": [2, 7], "stride": 2},
            {"kernel_size": 2147483647}, {"kernel_size": 2147483647, "stride": 1}, {"kernel_size": [5, 6], "stride": 1},
            {"kernel_size": [5, 1], "stride": [7, 1]},
        )):
            yield either(f"{name.lower()}_beyond_{i}", x, [layer(name, init, None)], graph=False)


def cases():
    return [made for part in (forward, dtypes, sequence, refused, beyond) for made in part()]
