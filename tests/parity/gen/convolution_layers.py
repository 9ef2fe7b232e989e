"""Convolutions over three axes and transposed ones as layers. The ops themselves: convolutions.py."""

from .base import SHORT, case, drawn, error, normal
from .layers import REALS, after_draw, layer
from .nn_base import differentiated, either

LAYERS = {"Conv3d": 3, "ConvTranspose1d": 1, "ConvTranspose2d": 2, "ConvTranspose3d": 3}
SIZES = {1: [7], 2: [5, 6], 3: [4, 5, 3]}
KERNELS = {1: [3], 2: [3, 2], 3: [2, 3, 2]}
EACH = {1: [2], 2: [2, 1], 3: [1, 2, 1]}


def init_of(name, kernel=None, **kw):
    axes = LAYERS[name]
    kernel = KERNELS[axes] if kernel is None else kernel
    if axes == 1 and isinstance(kernel, list):
        kernel = kernel[0]
    return {"in_channels": 4, "out_channels": 3, "kernel_size": kernel, **kw}


def inputs_of(name, dtype, bias=True):
    axes = LAYERS[name]
    made = {
        "x": normal(dtype, [2, *SIZES[axes], 4], 1), "weight": normal(dtype, [3, *KERNELS[axes], 4], 2),
    }
    return {**made, "bias": normal(dtype, [3], 3)} if bias else made


def one_of(axes, sizes):
    return sizes[0] if axes == 1 else sizes


def forward():
    for name, axes in LAYERS.items():
        each = one_of(axes, EACH[axes])
        settings = [{}, {"stride": 2, "padding": 1}, {"dilation": 2}, {"stride": each, "padding": each}]
        if axes > 1:
            settings.append({"dilation": each})
        if name != "Conv3d":
            settings += [{"stride": 2, "output_padding": 1}, {"stride": 3, "output_padding": each}]
        for dtype in REALS:
            for turn, kw in enumerate(settings):
                steps = [layer(name, init_of(name, **kw), ("weight", "bias"))]
                yield either(f"{name.lower()}_{turn}_{SHORT[dtype]}", inputs_of(name, dtype), steps)
            steps = [layer(name, init_of(name, bias=False), train=True)]
            yield case(f"{name.lower()}_bare_{SHORT[dtype]}", inputs_of(name, dtype, False), steps)
        steps = [layer(name, init_of(name), ("weight", "bias"))]
        yield differentiated(f"{name.lower()}_gradient", inputs_of(name, "float32"), ["x", "weight", "bias"], steps)


def initial():
    for name, axes in LAYERS.items():
        x = {"x": normal("float32", [1, *SIZES[axes], 4], 1)}
        for seed in (0, 7):
            steps = [layer(name, init_of(name), None, init_seed=seed), after_draw()]
            yield case(f"{name.lower()}_drawn_{seed}", x, steps, ("y", "z"))
        steps = [layer(name, init_of(name, 2, bias=False), None), after_draw()]
        yield case(f"{name.lower()}_drawn_bare", x, steps, ("y", "z"))


def refused():
    for name, axes in LAYERS.items():
        good = inputs_of(name, "float32")
        steps = layer(name, init_of(name), ("weight", "bias"))
        low = name.lower()
        yield error(f"{low}_channels", {**good, "x": normal("float32", [2, *SIZES[axes], 5], 1)}, steps)
        yield error(f"{low}_axes", {**good, "x": normal("float32", [2, *SIZES[axes], 1, 4], 1)}, steps)
        yield error(f"{low}_ints", {"x": {**good["x"], "dtype": "int32"}}, layer(name, init_of(name), None))
        yield error(f"{low}_no_channels", good, layer(name, {**init_of(name), "in_channels": 0}, None), message=False)
        yield error(f"{low}_less", good, layer(name, {**init_of(name), "in_channels": -4}, None), message=False)
        for key, value in (("kernel_size", 0), ("stride", 0), ("stride", -1), ("dilation", 0)):
            steps = layer(name, init_of(name, **{key: value}), None)
            yield error(f"{low}_{key}_{value}".replace("-", "minus_"), {"x": good["x"]}, steps, message=False)
        for key, value in (("padding", -1), ("padding", 9), ("output_padding", -1), ("output_padding", 5)):
            if key == "output_padding" and name == "Conv3d":
                continue
            steps = [layer(name, init_of(name, **{key: value}), None)]
            yield either(f"{low}_{key}_{value}".replace("-", "minus_"), {"x": good["x"]}, steps)
        empty = {"x": drawn("float32", [0, *SIZES[axes], 4], 1)}
        yield either(f"{low}_empty", empty, [layer(name, init_of(name), None)])


def cases():
    return [made for part in (forward, initial, refused) for made in part()]
