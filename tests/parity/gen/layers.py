"""nn layers, with their parameters loaded by name: Linear, Conv1d, Conv2d, RMSNorm."""

from .base import FLOATS, HALVES, SHORT, case, dims, error, normal, step, tensor

REALS = HALVES + ["float32"]


def layer(name, init, names=("weight",), **kw):
    made = step("y", f"nn.{name}", "$x")
    made["init"] = init
    if names is not None:
        made["params"] = {key: f"${key}" for key in names}
    return {**made, **kw}


def linear():
    init = {"input_dims": 4, "output_dims": 3}
    for dtype in FLOATS:
        for shape in ([4], [2, 4], [2, 5, 4], [2, 1, 3, 4], [0, 4]):
            x = tensor(dtype, shape, []) if 0 in shape else normal(dtype, shape, 1)
            inputs = {"x": x, "weight": normal(dtype, [3, 4], 2), "bias": normal(dtype, [3], 3)}
            name = f"linear_{dims(shape)}_{SHORT[dtype]}"
            yield case(name, inputs, [layer("Linear", init, ("weight", "bias"))])
            inputs = {"x": x, "weight": inputs["weight"]}
            yield case(f"{name}_bare", inputs, [layer("Linear", {**init, "bias": False})])
    inputs = {
        "x": normal("bfloat16", [2, 4], 1),
        "weight": normal("float32", [3, 4], 2),
        "bias": normal("float32", [3], 3),
    }
    yield case("linear_mixed", inputs, [layer("Linear", init, ("weight", "bias"), train=True)])
    long = {"x": normal("float32", [7, 300], 1), "weight": normal("float32", [65, 300], 2)}
    yield case(
        "linear_long",
        long,
        [layer("Linear", {"input_dims": 300, "output_dims": 65, "bias": False})],
    )


def linear_refused():
    init = {"input_dims": 4, "output_dims": 3}
    inputs = {
        "x": normal("float32", [2, 5], 1),
        "weight": normal("float32", [3, 4], 2),
        "bias": normal("float32", [3], 3),
    }
    yield error("linear_inner", inputs, layer("Linear", init, ("weight", "bias")))
    yield error("linear_inner_bare", inputs, layer("Linear", {**init, "bias": False}))
    yield error("linear_missing", inputs, layer("Linear", init, ("weight",)), message=False)
    yield error(
        "linear_extra",
        inputs,
        layer("Linear", {**init, "bias": False}, ("weight", "bias")),
        message=False,
    )
    yield error(
        "linear_shape",
        inputs,
        layer("Linear", {**init, "input_dims": 5}, ("weight", "bias")),
        message=False,
    )
    yield error(
        "linear_0d",
        {**inputs, "x": normal("float32", [], 1)},
        layer("Linear", init, ("weight", "bias")),
    )


def convolutions():
    one = {"in_channels": 4, "out_channels": 6, "kernel_size": 3}
    for dtype in REALS:
        for turn, kw in enumerate(
            ({}, {"stride": 2, "padding": 1}, {"dilation": 2}, {"groups": 2})
        ):
            groups = kw.get("groups", 1)
            inputs = {
                "x": normal(dtype, [2, 8, 4], 1),
                "weight": normal(dtype, [6, 3, 4 // groups], 2),
                "bias": normal(dtype, [6], 3),
            }
            yield case(
                f"conv1d_layer_{turn}_{SHORT[dtype]}",
                inputs,
                [layer("Conv1d", {**one, **kw}, ("weight", "bias"))],
            )
            square = normal(dtype, [6, 3, 3, 4 // groups], 2)
            inputs = {**inputs, "x": normal(dtype, [2, 7, 8, 4], 1), "weight": square}
            yield case(
                f"conv2d_layer_{turn}_{SHORT[dtype]}",
                inputs,
                [layer("Conv2d", {**one, **kw}, ("weight", "bias"))],
            )
        init = {**one, "bias": False, "kernel_size": [3, 2], "stride": [1, 2], "padding": [0, 1]}
        inputs = {"x": normal(dtype, [1, 7, 8, 4], 1), "weight": normal(dtype, [6, 3, 2, 4], 2)}
        yield case(f"conv2d_layer_pairs_{SHORT[dtype]}", inputs, [layer("Conv2d", init)])
        inputs = {"x": normal(dtype, [1, 7, 4], 1), "weight": normal(dtype, [6, 3, 4], 2)}
        yield case(
            f"conv1d_layer_bare_{SHORT[dtype]}", inputs, [layer("Conv1d", {**one, "bias": False})]
        )
    inputs = {"x": normal("float32", [1, 7, 4], 1), "weight": normal("float32", [6, 3, 4], 2)}
    yield error("conv1d_layer_groups", inputs, layer("Conv1d", {**one, "groups": 3, "bias": False}))
    inputs = {**inputs, "x": normal("float32", [1, 7, 5], 1)}
    yield error("conv1d_layer_channels", inputs, layer("Conv1d", {**one, "bias": False}))


def rms_norm():
    for dtype in FLOATS:
        for shape in ([8], [2, 8], [2, 3, 8]):
            inputs = {"x": normal(dtype, shape, 1), "weight": normal(dtype, [8], 2)}
            name = f"rms_norm_layer_{dims(shape)}_{SHORT[dtype]}"
            yield case(name, inputs, [layer("RMSNorm", {"dims": 8})])
            yield case(f"{name}_eps", inputs, [layer("RMSNorm", {"dims": 8, "eps": 0.1})])
        yield case(
            f"rms_norm_layer_initial_{SHORT[dtype]}", inputs, [layer("RMSNorm", {"dims": 8}, None)]
        )
    for eps in (0.0, -1.0):
        name = f"rms_norm_layer_eps_{eps}".replace("-", "minus_")
        yield error(name, inputs, layer("RMSNorm", {"dims": 8, "eps": eps}), message=False)
    yield error(
        "rms_norm_layer_dims",
        {"x": normal("float32", [2, 7], 1)},
        layer("RMSNorm", {"dims": 8}, None),
    )


def mlp():
    """A gated block of layers: every layer and activation in one graph."""
    for dtype in REALS:
        inputs = {
            "x": normal(dtype, [2, 5, 8], 1),
            "norm": normal(dtype, [8], 2),
            "gate": normal(dtype, [16, 8], 3),
            "up": normal(dtype, [16, 8], 4),
            "down": normal(dtype, [8, 16], 5),
            "bias": normal(dtype, [8], 6),
        }
        wide = {"input_dims": 8, "output_dims": 16, "bias": False}
        norm = {
            "out": "h",
            "op": "nn.RMSNorm",
            "args": ["$x"],
            "init": {"dims": 8},
            "params": {"weight": "$norm"},
        }
        gate = {
            "out": "g",
            "op": "nn.Linear",
            "args": ["$h"],
            "init": wide,
            "params": {"weight": "$gate"},
        }
        up = {
            "out": "u",
            "op": "nn.Linear",
            "args": ["$h"],
            "init": wide,
            "params": {"weight": "$up"},
        }
        down = {
            "out": "d",
            "op": "nn.Linear",
            "args": ["$m"],
            "init": {"input_dims": 16, "output_dims": 8},
            "params": {"weight": "$down", "bias": "$bias"},
        }
        steps = [
            norm,
            gate,
            up,
            step("a", "nn.silu", "$g"),
            step("m", "*", "$a", "$u"),
            down,
            step("y", "+", "$x", "$d"),
        ]
        yield case(f"gated_mlp_{SHORT[dtype]}", inputs, steps)


def cases():
    parts = (linear, linear_refused, convolutions, rms_norm, mlp)
    return [made for part in parts for made in part()]
