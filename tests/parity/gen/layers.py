"""nn layers, with their parameters loaded by name or drawn as Python draws them."""

from .base import FLOATS, HALVES, INTS, SHORT, case, dims, error, normal, step, tensor

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
    yield error("linear_missing", inputs, layer("Linear", init, ("weight",)))
    yield error(
        "linear_extra",
        inputs,
        layer("Linear", {**init, "bias": False}, ("weight", "bias")),
    )
    yield error(
        "linear_shape",
        inputs,
        layer("Linear", {**init, "input_dims": 5}, ("weight", "bias")),
    )
    yield error("linear_no_inputs", inputs, layer("Linear", {**init, "input_dims": 0}, None), message=False)
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


def drawn():
    """Initial parameters: the draws, their order, what they leave of the key."""
    x = {"x": normal("float32", [2, 6, 4], 1)}
    for seed in (0, 7):
        made = {"init_seed": seed}
        linear = {"input_dims": 4, "output_dims": 3}
        yield case(f"linear_drawn_{seed}", x, [layer("Linear", linear, None, **made)])
        bare = layer("Linear", {**linear, "bias": False}, None, **made)
        # What is drawn next shows how many draws there were.
        yield case(f"linear_drawn_bare_{seed}", x, [bare, after_draw()], ("y", "z"))
        yield case(
            f"linear_drawn_after_{seed}", x,
            [layer("Linear", linear, None, **made), after_draw()], ("y", "z"),
        )
        one = {"in_channels": 4, "out_channels": 6, "kernel_size": 3, "groups": 2}
        for bias in (True, False):
            name = f"conv1d_drawn_{seed}_{'bias' if bias else 'bare'}"
            conv = layer("Conv1d", {**one, "bias": bias}, None, **made)
            yield case(name, x, [conv, after_draw()], ("y", "z"))
        image = {"x": normal("float32", [1, 5, 6, 4], 1)}
        yield case(
            f"conv2d_drawn_{seed}", image,
            [layer("Conv2d", {**one, "kernel_size": [2, 3]}, None, **made), after_draw()], ("y", "z"),
        )
        ids = {"x": tensor("int32", [2, 3], [0, 6, 2, 2, 5, 1])}
        table = {"num_embeddings": 7, "dims": 5}
        yield case(
            f"embedding_drawn_{seed}", ids,
            [layer("Embedding", table, None, **made), after_draw()], ("y", "z"),
        )


def after_draw():
    made = step("z", "random.uniform")
    made["kw"] = {"shape": [3]}
    return made


def embedding():
    init = {"num_embeddings": 7, "dims": 4}
    for dtype in FLOATS:
        weight = normal(dtype, [7, 4], 2)
        for shape, values in (([], [6]), ([3], [0, 6, 2]), ([2, 3], [0, 6, 2, 2, 5, 1])):
            inputs = {"x": tensor("uint32", shape, values), "weight": weight}
            name = f"embedding_{dims(shape)}_{SHORT[dtype]}"
            yield case(name, inputs, [layer("Embedding", init)])
    for dtype in INTS:
        inputs = {"x": tensor(dtype, [2], [1, 5]), "weight": normal("float32", [7, 4], 2)}
        yield case(f"embedding_ids_{SHORT[dtype]}", inputs, [layer("Embedding", init)])
    inputs = {"x": tensor("int32", [2], [-1, -7]), "weight": normal("float32", [7, 4], 2)}
    yield case("embedding_from_the_end", inputs, [layer("Embedding", init)])
    inputs = {"x": normal("float32", [2], 1), "weight": normal("float32", [7, 4], 2)}
    yield error("embedding_float_ids", inputs, layer("Embedding", init))
    yield error("embedding_shape", inputs, layer("Embedding", {**init, "dims": 5}))


def layer_norm():
    for dtype in FLOATS:
        inputs = {
            "x": normal(dtype, [2, 3, 8], 1), "weight": normal(dtype, [8], 2),
            "bias": normal(dtype, [8], 3),
        }
        name = f"layer_norm_layer_{SHORT[dtype]}"
        init = {"dims": 8}
        yield case(name, inputs, [layer("LayerNorm", init, ("weight", "bias"))])
        yield case(f"{name}_eps", inputs, [layer("LayerNorm", {**init, "eps": 0.1}, ("weight", "bias"))])
        yield case(f"{name}_no_bias", inputs, [layer("LayerNorm", {**init, "bias": False})])
        yield case(f"{name}_no_affine", inputs, [layer("LayerNorm", {**init, "affine": False}, ())])
        yield case(f"{name}_initial", inputs, [layer("LayerNorm", init, None)])
    for eps in (0.0, -1.0, -1e-5):
        name = f"layer_norm_layer_eps_{eps}".replace("-", "minus_")
        yield error(name, inputs, layer("LayerNorm", {"dims": 8, "eps": eps}, None))
    yield error("layer_norm_layer_dims", inputs, layer("LayerNorm", {"dims": 7}, None))


def dropout():
    for dtype in FLOATS:
        inputs = {"x": normal(dtype, [4, 5], 1)}
        for p in (0.5, 0.1, 0.0):
            name = f"dropout_{p}_{SHORT[dtype]}"
            trained = {"train": True, "seed": 3}
            yield case(name, inputs, [layer("Dropout", {"p": p}, None, **trained), after_draw()], ("y", "z"))
        yield case(f"dropout_asked_{SHORT[dtype]}", inputs, [layer("Dropout", {}, None, seed=3), after_draw()], ("y", "z"))
    twice = [layer("Dropout", {}, None, train=True, seed=1), {**layer("Dropout", {}, None, train=True), "out": "z"}]
    yield case("dropout_twice", {"x": normal("float32", [4, 5], 1)}, twice, ("y", "z"))
    for p in (1.0, -0.5, 1.5):
        name = f"dropout_refused_{p}".replace("-", "minus_")
        yield error(name, {"x": normal("float32", [2], 1)}, layer("Dropout", {"p": p}, None))


def identity():
    for dtype in ("int8", "float32"):
        x = {"x": tensor(dtype, [3], [1, 2, 3])}
        yield case(f"identity_{SHORT[dtype]}", x, [layer("Identity", {}, None)])


def cases():
    parts = (
        linear, linear_refused, convolutions, rms_norm, mlp, drawn, embedding, layer_norm, dropout, identity,
    )
    return [made for part in parts for made in part()]
