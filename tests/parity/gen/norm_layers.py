"""BatchNorm, GroupNorm, InstanceNorm. What BatchNorm remembers no case can show: tests/running_statistics.rs."""

from .base import FLOATS, SHORT, case, dims, drawn, error, normal, tensor
from .layers import layer
from .nn_base import differentiated, either

BOTH = ("weight", "bias")
MEMORY = ("running_mean", "running_var")


def uniform(dtype, shape, key):
    return {"dtype": dtype, "shape": shape, "uniform": {"key": key, "low": 0.5, "high": 2.0}}


def weights(dtype, count):
    return {
        "weight": normal(dtype, [count], 2), "bias": normal(dtype, [count], 3),
        "running_mean": normal(dtype, [count], 4), "running_var": uniform(dtype, [count], 5),
    }


def batch_norm():
    init = {"num_features": 6}
    for dtype in FLOATS:
        for shape in ([4, 6], [3, 5, 6], [2, 3, 4, 6]):
            inputs = {"x": normal(dtype, shape, 1), **weights(dtype, 6)}
            for train in (True, False):
                name = f"batch_norm_{dims(shape)}_{'trained' if train else 'asked'}_{SHORT[dtype]}"
                yield either(name, inputs, [layer("BatchNorm", init, BOTH + MEMORY, train=train)])
        for train in (True, False):
            name = f"batch_norm_{{}}_{'trained' if train else 'asked'}_{SHORT[dtype]}"
            x = {"x": inputs["x"]}
            for what, kw, names in (
                ("drawn", {}, None), ("eps", {"eps": 0.1, "momentum": 0.3}, BOTH + MEMORY),
                ("no_affine", {"affine": False}, MEMORY), ("no_memory", {"track_running_stats": False}, BOTH),
                ("neither", {"affine": False, "track_running_stats": False}, ()),
            ):
                given = {**x, **{key: inputs[key] for key in names or ()}}
                yield either(name.format(what), given, [layer("BatchNorm", {**init, **kw}, names, train=train)])
    mixed = {"x": normal("bfloat16", [4, 6], 1), **weights("float32", 6)}
    yield either("batch_norm_mixed", mixed, [layer("BatchNorm", init, BOTH + MEMORY, train=True)])
    inputs = {"x": normal("float32", [4, 6], 1), **weights("float32", 6)}
    for train in (True, False):
        steps = [layer("BatchNorm", init, BOTH + MEMORY, train=train)]
        name = f"batch_norm_gradient_{'trained' if train else 'asked'}"
        yield differentiated(name, inputs, ["x", *BOTH], steps)


def batch_norm_refused():
    init = {"num_features": 6}
    for eps in (0.0, -1.0, -1e-5):
        name = f"batch_norm_eps_{eps}".replace("-", "minus_")
        yield error(name, {"x": normal("float32", [4, 6], 1)}, layer("BatchNorm", {**init, "eps": eps}, None))
    for shape in ([], [6], [1, 2, 2, 2, 6]):
        for train in (True, False):
            name = f"batch_norm_axes_{dims(shape)}_{'trained' if train else 'asked'}"
            yield error(name, {"x": normal("float32", shape, 1)}, layer("BatchNorm", init, None, train=train))
    for shape in ([1, 6], [1, 1, 6], [0, 6], [2, 0, 6], [4, 5], [4, 1]):
        for train in (True, False):
            name = f"batch_norm_{dims(shape)}_{'trained' if train else 'asked'}_odd"
            x = {"x": drawn("float32", shape, 1)}
            yield either(name, x, [layer("BatchNorm", init, None, train=train)])
    x = {"x": normal("float32", [4, 6], 1)}
    yield error("batch_norm_features", x, layer("BatchNorm", {"num_features": -1}, None))
    yield either("batch_norm_no_features", {"x": drawn("float32", [4, 0], 1)}, [layer("BatchNorm", {"num_features": 0}, None)])
    inputs = {**x, **weights("float32", 6)}
    yield error("batch_norm_missing", inputs, layer("BatchNorm", init, BOTH))
    yield error("batch_norm_extra", inputs, layer("BatchNorm", {**init, "affine": False}, BOTH + MEMORY))
    yield error("batch_norm_shape", inputs, layer("BatchNorm", {"num_features": 5}, BOTH + MEMORY))
    yield either("batch_norm_ints", {"x": tensor("int32", [2, 6], range(12))}, [layer("BatchNorm", init, None, train=True)])


def group_norm():
    init = {"num_groups": 2, "dims": 6}
    for dtype in FLOATS:
        both = {key: weights(dtype, 6)[key] for key in BOTH}
        for pytorch in (False, True):
            kind = "pytorch" if pytorch else "plain"
            made = {**init, "pytorch_compatible": pytorch}
            for shape in ([4, 6], [3, 5, 6], [2, 3, 4, 6]):
                x = {"x": normal(dtype, shape, 1)}
                name = f"group_norm_{kind}_{dims(shape)}_{SHORT[dtype]}"
                yield either(name, {**x, **both}, [layer("GroupNorm", made, BOTH)])
            name = f"group_norm_{kind}_{{}}_{SHORT[dtype]}"
            yield either(name.format("initial"), x, [layer("GroupNorm", made, None, train=True)])
            yield either(name.format("no_affine"), x, [layer("GroupNorm", {**made, "affine": False}, ())])
            for groups, eps in ((1, 0.1), (6, 1e-5)):
                kw = {**made, "num_groups": groups, "eps": eps}
                yield either(name.format(f"{groups}_groups"), {**x, **both}, [layer("GroupNorm", kw, BOTH)])
    for pytorch in (False, True):
        kind = "pytorch" if pytorch else "plain"
        made = {**init, "pytorch_compatible": pytorch}
        inputs = {"x": normal("float32", [2, 3, 6], 1), **{key: weights("float32", 6)[key] for key in BOTH}}
        steps = [layer("GroupNorm", made, BOTH)]
        yield differentiated(f"group_norm_{kind}_gradient", inputs, ["x", *BOTH], steps)
        shapes = [[], [6], [2, 5], [2, 8], [2, 3, 7], [0, 6], [2, 1], [2, 3, 2]]
        # In PyTorch's order Python hangs on axes of no element.
        for shape in shapes if pytorch else [*shapes, [2, 0, 6]]:
            x = {"x": drawn("float32", shape, 1)}
            steps = [layer("GroupNorm", made, None)]
            yield either(f"group_norm_{kind}_{dims(shape)}_odd", x, steps, graph=0 not in shape)
    x = {"x": normal("float32", [2, 3, 6], 1)}
    for groups, count in ((0, 6), (-1, 6), (4, 6), (7, 6), (2, 0), (2, -6), (2147483647, 6)):
        name = f"group_norm_{groups}_of_{count}".replace("-", "minus_")
        yield error(name, x, layer("GroupNorm", {"num_groups": groups, "dims": count}, None))
    for eps in (0.0, -1e-5):
        name = f"group_norm_eps_{eps}".replace("-", "minus_")
        yield error(name, x, layer("GroupNorm", {**init, "eps": eps}, None))
    yield error("group_norm_missing", {**x, **weights("float32", 6)}, layer("GroupNorm", init, ("weight",)))


def instance_norm():
    init = {"dims": 4}
    for dtype in FLOATS:
        both = {key: weights(dtype, 4)[key] for key in BOTH}
        for shape in ([2, 5, 4], [2, 3, 5, 4], [2, 2, 3, 2, 4]):
            x = {"x": normal(dtype, shape, 1)}
            name = f"instance_norm_{dims(shape)}_{SHORT[dtype]}"
            yield either(name, x, [layer("InstanceNorm", init, ())])
            steps = [layer("InstanceNorm", {**init, "affine": True}, BOTH, train=True)]
            yield either(f"{name}_affine", {**x, **both}, steps)
        steps = [layer("InstanceNorm", {**init, "affine": True, "eps": 0.1}, None)]
        yield either(f"instance_norm_initial_{SHORT[dtype]}", x, steps)
    inputs = {"x": normal("float32", [2, 3, 4], 1), **{key: weights("float32", 4)[key] for key in BOTH}}
    steps = [layer("InstanceNorm", {**init, "affine": True}, BOTH)]
    yield differentiated("instance_norm_gradient", inputs, ["x", *BOTH], steps)
    # Python hangs on axes of no element between the first and the last.
    for shape in ([], [4], [2, 4], [0, 3, 4], [2, 3, 0], [2, 3, 5]):
        x = {"x": drawn("float32", shape, 1)}
        for affine in (False, True):
            steps = [layer("InstanceNorm", {**init, "affine": affine}, None)]
            yield either(f"instance_norm_{dims(shape)}_{'affine' if affine else 'plain'}_odd", x, steps)
    x = {"x": normal("float32", [2, 3, 4], 1)}
    yield error("instance_norm_eps", x, layer("InstanceNorm", {**init, "eps": 0.0}, None))
    yield error("instance_norm_less", x, layer("InstanceNorm", {"dims": -1, "affine": True}, None))
    yield case("instance_norm_any", x, [layer("InstanceNorm", {"dims": -1}, None)])


def cases():
    return [made for part in (batch_norm, batch_norm_refused, group_norm, instance_norm) for made in part()]
