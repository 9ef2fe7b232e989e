"""Attention with heads, and transformers."""

from .base import FLOATS, SHORT, case, drawn, error, normal, tensor
from .layers import after_draw
from .nn_base import FLOATS3, differentiated, either

PROJECTIONS = ("query_proj", "key_proj", "value_proj", "out_proj")


def run(op, args, init, params=None, **kw):
    made = {"out": "y", "op": f"nn.{op}", "args": list(args), "init": init}
    if params is not None:
        made["params"] = {key: "$" + key.replace(".", "_") for key in params}
    return {**made, **kw}


def named(params):
    """The parameters as inputs: names without dots."""
    return {key.replace(".", "_"): value for key, value in params.items()}


def attention_weights(dtype, dims, prefix="", key=30):
    return {f"{prefix}{name}.weight": normal(dtype, [dims, dims], key + i) for i, name in enumerate(PROJECTIONS)}


def layer_weights(dtype, dims, mlp, decoder=False, prefix=""):
    params = {}
    names = ("self_attention", "cross_attention") if decoder else ("attention",)
    for turn, name in enumerate(names):
        params |= attention_weights(dtype, dims, f"{prefix}{name}.", 30 + 10 * turn)
    for turn in range(len(names) + 1):
        params[f"{prefix}ln{turn + 1}.weight"] = normal(dtype, [dims], 50 + turn)
        params[f"{prefix}ln{turn + 1}.bias"] = normal(dtype, [dims], 60 + turn)
    for turn, (inner, outer) in enumerate(((dims, mlp), (mlp, dims))):
        params[f"{prefix}linear{turn + 1}.weight"] = normal(dtype, [outer, inner], 70 + turn)
        params[f"{prefix}linear{turn + 1}.bias"] = normal(dtype, [outer], 80 + turn)
    return params


def attention():
    init = {"dims": 8, "num_heads": 2}
    for dtype in FLOATS:
        params = attention_weights(dtype, 8)
        inputs = {"q": normal(dtype, [2, 3, 8], 1), "k": normal(dtype, [2, 4, 8], 2), "v": normal(dtype, [2, 4, 8], 3), **named(params)}
        qkv, name = ["$q", "$k", "$v"], f"heads_{SHORT[dtype]}"
        yield case(name, inputs, [run("MultiHeadAttention", qkv, init, params)])
        yield case(f"{name}_causal", inputs, [run("MultiHeadAttention", qkv, init, params, kw={"mask": "causal"})])
        for kind, mask in (("additive", normal(dtype, [3, 4], 4)), ("bool", tensor("bool_", [2, 1, 3, 4], [1, 0, 1, 1] * 6))):
            masked = {**inputs, "m": mask}
            yield case(f"{name}_{kind}", masked, [run("MultiHeadAttention", [*qkv, "$m"], init, params)])
        one = {**inputs, "q": normal(dtype, [1, 1, 8], 1)}
        yield case(f"{name}_self", one, [run("MultiHeadAttention", ["$q"] * 3, init, params)])
    qkv = ["$q", "$k", "$v"]
    x = {"q": normal("float32", [2, 3, 8], 1), "k": normal("float32", [2, 4, 5], 2), "v": normal("float32", [2, 4, 6], 3)}
    sizes = {**init, "key_input_dims": 5, "value_input_dims": 6, "value_dims": 12, "value_output_dims": 7}
    for bias in (True, False):
        made = run("MultiHeadAttention", qkv, {**sizes, "bias": bias}, None, init_seed=3)
        yield case(f"heads_sizes_{'bias' if bias else 'bare'}", x, [made, after_draw()], ("y", "z"))
    same = {**x, "q": normal("float32", [2, 3, 4], 1), "v": x["k"]}
    made = run("MultiHeadAttention", qkv, {**init, "query_input_dims": 4, "key_input_dims": 5, "value_dims": 0})
    yield case("heads_query_size", same, [made])
    for size in (4, 3, 1, 0):
        for shape in ([size, 2, 8], [2, size, 8]):
            inputs = {"q": drawn("float32", shape, 1)}
            made = run("MultiHeadAttention", ["$q"] * 3, init)
            yield either("heads_shape_" + "x".join(map(str, shape)), inputs, [made])
    yield differentiated_heads()


def differentiated_heads():
    params = attention_weights("float32", 4)
    inputs = {"x": normal("float32", [1, 2, 4], 1), **named(params)}
    made = run("MultiHeadAttention", ["$x", "$x", "$x", "causal"], {"dims": 4, "num_heads": 2}, params)
    return differentiated("heads_gradient", inputs, list(inputs), [made])


def attention_refused():
    x = {"q": normal("float32", [2, 3, 8], 1)}
    for dims, heads in ((8, 3), (8, 0), (8, 16), (7, 2)):
        yield error(f"heads_{heads}_of_{dims}", x, run("MultiHeadAttention", ["$q"] * 3, {"dims": dims, "num_heads": heads}))
    for dims, heads in ((8, -2), (0, 2), (-8, 2)):
        name = f"heads_{heads}_of_{dims}".replace("-", "minus_")
        yield error(name, x, run("MultiHeadAttention", ["$q"] * 3, {"dims": dims, "num_heads": heads}), message=False)
    init = {"dims": 8, "num_heads": 2}
    yield error("heads_value_dims", x, run("MultiHeadAttention", ["$q"] * 3, {**init, "value_dims": 7}))
    yield error("heads_features", {"q": normal("float32", [2, 3, 7], 1)}, run("MultiHeadAttention", ["$q"] * 3, init))
    yield error("heads_2d", {"q": normal("float32", [3, 8], 1)}, run("MultiHeadAttention", ["$q"] * 3, init))
    ints = {"q": tensor("int32", [1, 1, 8], range(8))}
    yield either("heads_ints", ints, [run("MultiHeadAttention", ["$q"] * 3, init)])
    for name, mask in (("shape", normal("float32", [3, 2], 1)), ("dtype", normal("float64", [3, 3], 1)), ("ints", tensor("int32", [3, 3], [0] * 9))):
        yield either(f"heads_mask_{name}", {**x, "m": mask}, [run("MultiHeadAttention", ["$q"] * 3 + ["$m"], init)])
    yield error("heads_mask_text", x, run("MultiHeadAttention", ["$q"] * 3 + ["casual"], init))
    missing = attention_weights("float32", 8)
    missing.pop("key_proj.weight")
    yield error("heads_missing", {**x, **named(missing)}, run("MultiHeadAttention", ["$q"] * 3, init, missing))


SETTINGS = {
    "first": {}, "last": {"norm_first": False}, "gelu": {"activation": {"function": "gelu"}}, "wide": {"mlp_dims": 5},
}


def layers():
    """Single layers with given parameters, in training with dropout and out of it."""
    for kind, decoder in (("TransformerEncoderLayer", False), ("TransformerDecoderLayer", True)):
        tag = "decoder_layer" if decoder else "encoder_layer"
        for dtype in FLOATS3:
            for setting, more in SETTINGS.items():
                init = {"dims": 4, "num_heads": 2, **more}
                params = layer_weights(dtype, 4, init.get("mlp_dims", 16), decoder)
                inputs = {"x": normal(dtype, [2, 3, 4], 1), **named(params)}
                if decoder:
                    inputs["memory"] = normal(dtype, [2, 5, 4], 2)
                inputs["m"] = normal(dtype, [3, 3], 3)
                args = ["$x", "$memory", "$m", None] if decoder else ["$x", "$m"]
                yield case(f"{tag}_{setting}_{SHORT[dtype]}", inputs, [run(kind, args, init, params)])
            init["dropout"] = 0.25
            trained = {"train": True, "seed": 5}
            dropped = run(kind, ["$x", "$memory", "causal", None] if decoder else ["$x", "causal"], init, params, **trained)
            yield case(f"{tag}_dropout_{SHORT[dtype]}", inputs, [dropped, after_draw()], ("y", "z"))
            yield case(f"{tag}_dropout_asked_{SHORT[dtype]}", inputs, [{**dropped, "train": False}, after_draw()], ("y", "z"))
        params = layer_weights("float32", 4, 4, decoder)
        inputs = {"x": normal("float32", [1, 2, 4], 1), **named(params)}
        args = ["$x", "$x", None, None] if decoder else ["$x", None]
        for setting in ("first", "last"):
            init = {"dims": 4, "num_heads": 2, "mlp_dims": 4, **SETTINGS[setting]}
            yield differentiated(f"{tag}_{setting}_gradient", inputs, list(inputs), [run(kind, args, init, params)])


def stacks():
    init = {"num_layers": 2, "dims": 4, "num_heads": 2, "mlp_dims": 6}
    for dtype in FLOATS3:
        inputs = {"x": normal(dtype, [2, 3, 4], 1), "memory": normal(dtype, [2, 5, 4], 2)}
        for seed in (0, 7):
            drawn_with = {"init_seed": seed}
            encoder = run("TransformerEncoder", ["$x", "causal"], init, None, **drawn_with)
            decoder = run("TransformerDecoder", ["$x", "$memory", "causal", None], init, None, **drawn_with)
            both = run("Transformer", ["$memory", "$x", None, "causal", None], {
                "dims": 4, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 2, "norm_first": seed == 0,
            }, None, **drawn_with)
            for tag, made in (("encoder", encoder), ("decoder", decoder), ("transformer", both)):
                yield case(f"{tag}_{seed}_{SHORT[dtype]}", inputs, [made, after_draw()], ("y", "z"))
    inputs = {"x": normal("float32", [2, 3, 4], 1), "memory": normal("float32", [2, 5, 4], 2), "m": normal("float32", [3, 3], 3)}
    again = {**init, "checkpoint": True}
    encoder = run("TransformerEncoder", ["$x", "$m"], again)
    decoder = run("TransformerDecoder", ["$x", "$memory", "$m", None], again)
    for tag, made in (("encoder", encoder), ("decoder", decoder)):
        yield case(f"{tag}_checkpoint", inputs, [made])
        yield differentiated(f"{tag}_checkpoint_gradient", inputs, list(inputs), [made])
        dropped = {**made, "init": {**again, "dropout": 0.5}, "train": True, "seed": 3}
        yield case(f"{tag}_checkpoint_dropout", inputs, [dropped, after_draw()], ("y", "z"))
    for layers in (0, -1):
        made = run("TransformerEncoder", ["$x", None], {**init, "num_layers": layers})
        yield case(f"encoder_of_{layers}".replace("-", "minus_"), inputs, [made, after_draw()], ("y", "z"))
    params = {f"encoder.{key}": value for key, value in layer_weights("float32", 4, 8, False, "layers.0.").items()}
    params |= {f"decoder.{key}": value for key, value in layer_weights("float32", 4, 8, True, "layers.0.").items()}
    for part in ("encoder", "decoder"):
        params |= {f"{part}.ln.weight": normal("float32", [4], 90), f"{part}.ln.bias": normal("float32", [4], 91)}
    sizes = {"dims": 4, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1, "mlp_dims": 8}
    made = run("Transformer", ["$memory", "$x", None, "$m", None], sizes, params)
    yield case("transformer_given", {**inputs, **named(params)}, [made])


def stacks_refused():
    x = {"x": normal("float32", [1, 2, 4], 1)}
    init = {"num_layers": 1, "dims": 4, "num_heads": 2}
    for tag, more in (("heads", {"num_heads": 3}), ("dropout", {"dropout": 1.0}), ("dropout_below", {"dropout": -0.5})):
        yield error(f"encoder_{tag}", x, run("TransformerEncoder", ["$x", None], {**init, **more}))
    yield error("encoder_features", {"x": normal("float32", [1, 2, 5], 1)}, run("TransformerEncoder", ["$x", None], init))
    # The order of the norm decides who finds the features wrong.
    last = {**init, "norm_first": False}
    yield error("encoder_features_last", {"x": normal("float32", [1, 2, 5], 1)}, run("TransformerEncoder", ["$x", None], last))
    yield error("decoder_memory", {**x, "memory": normal("float32", [2, 2, 4], 2)}, run("TransformerDecoder", ["$x", "$memory", None, None], init))


def cases():
    parts = (attention, attention_refused, layers, stacks, stacks_refused)
    return [made for part in parts for made in part()]
