"""Upsample: every mode, whole and broken factors, over one to three axes."""

from .base import SHORT, case, dims, drawn, error, killer, normal, tensor
from .layers import layer
from .nn_base import FLOATS3, differentiated, either

SIZES = {1: [5], 2: [4, 3], 3: [3, 2, 2]}
FACTORS = {"two": 2, "broken": 1.7, "less": 0.6}
EACH = {1: [1.5], 2: [2.0, 1.5], 3: [1.0, 2.0, 0.5]}


def inits():
    for mode in ("nearest", "linear", "cubic"):
        yield mode, {"mode": mode}
        if mode != "nearest":
            yield f"{mode}_aligned", {"mode": mode, "align_corners": True}
            yield f"{mode}_antialias", {"mode": mode, "antialias": True}


def shared(kind, axes):
    """Whether graphs are the same: Python traces cubic weights anew for each axis, which then share no constants."""
    return axes == 1 or kind not in ("cubic", "cubic_aligned")


def forward():
    for kind, init in inits():
        for axes, sizes in SIZES.items():
            # Cubic sums over three axes have 64 terms, filtered ones many nodes.
            if axes == 3 and kind != "nearest" and kind != "linear":
                continue
            for what, factor in {**FACTORS, "each": EACH[axes]}.items():
                x = {"x": normal("float32", [2, *sizes, 3], 1)}
                steps = [layer("Upsample", {"scale_factor": factor, **init}, None)]
                yield either(f"upsample_{kind}_{axes}d_{what}", x, steps, graph=shared(kind, axes))
        for dtype in FLOATS3[1:] + ["float64", "int32"]:
            values = tensor(dtype, [1, 4, 1], [1, 2, 5, 3]) if dtype == "int32" else normal(dtype, [1, 4, 2], 1)
            made = {"scale_factor": 1.5, **init}
            yield either(f"upsample_{kind}_{SHORT[dtype]}", {"x": values}, [layer("Upsample", made, None)])
        x = {"x": normal("float32", [1, 3, 2, 2], 1)}
        made = {"scale_factor": [1.5, 2.0], **init}
        steps = [layer("Upsample", made, None, train=True)]
        yield differentiated(f"upsample_{kind}_gradient", x, ["x"], steps, graph=shared(kind, 2))
    yield case("upsample_default", x, [layer("Upsample", {"scale_factor": 2}, None)])


def one_sample():
    """Axes of one element, and results of one."""
    for kind, init in inits():
        for factor in (1, 3, 2.5):
            x = {"x": normal("float32", [1, 1, 2], 1)}
            steps = [layer("Upsample", {"scale_factor": factor, **init}, None)]
            yield either(f"upsample_{kind}_of_one_{factor}", x, steps)
        x = {"x": normal("float32", [1, 5, 2], 1)}
        yield either(f"upsample_{kind}_to_one", x, [layer("Upsample", {"scale_factor": 0.25, **init}, None)])


def refused():
    x = {"x": normal("float32", [1, 4, 2], 1)}
    yield error("upsample_mode", x, layer("Upsample", {"scale_factor": 2, "mode": "bilinear"}, None))
    yield error("upsample_nearest_antialias", x, layer("Upsample", {"scale_factor": 2, "antialias": True}, None))
    both = {"scale_factor": 2, "mode": "linear", "antialias": True, "align_corners": True}
    yield error("upsample_antialias_aligned", x, layer("Upsample", both, None))
    yield error("upsample_all_wrong", x, layer("Upsample", {**both, "mode": "nearest"}, None))
    for shape in ([], [4], [4, 2]):
        yield error(f"upsample_axes_{dims(shape)}", {"x": normal("float32", shape, 1)}, layer("Upsample", {"scale_factor": 2}, None))
    for factors in ([2, 2], [1.5, 1e-5, 1e20]):
        yield error(f"upsample_{len(factors)}_factors", x, layer("Upsample", {"scale_factor": factors}, None))
    two = {"x": normal("float32", [1, 4, 4, 2], 1)}
    yield error("upsample_1_factor", two, layer("Upsample", {"scale_factor": [2]}, None))
    for kind, init in inits():
        for i, factor in enumerate((0, 0.1, -1, -2, -1.5, {"float": "nan"}, {"float": "inf"}, {"float": "-inf"}, 1e10)):
            steps = [layer("Upsample", {"scale_factor": factor, **init}, None)]
            name = f"upsample_{kind}_factor_{i}"
            if "antialias" in kind and factor in (-1, -2, -1.5) and (kind[0] == "c" or factor == -1):
                # Python gives the int 0.
                yield killer(name, x, *steps)
            elif factor == 1e10 or kind == "nearest" and factor in (-1, -2):
                # What MLX says of sizes beyond its own is another text than ours.
                yield error(name, x, *steps, message=False)
            else:
                yield either(name, x, steps)
        for shape in ([0, 4, 2], [1, 0, 2], [1, 4, 0]):
            for factor in (2, 1.5):
                steps = [layer("Upsample", {"scale_factor": factor, **init}, None)]
                made = either(f"upsample_{kind}_{dims(shape)}_{factor}", {"x": drawn("float32", shape, 1)}, steps)
                yield made


def cases():
    return [made for part in (forward, one_sample, refused) for made in part()]
