"""Layers with quantized weights, layers that become such, and models of both."""

from .base import SHORT, case, error, killer, normal, step, tensor
from .layers import after_draw
from .nn_base import FLOATS3, differentiated, either

MODES = {
    "affine": {}, "affine_32_8": {"group_size": 32, "bits": 8}, "mxfp4": {"mode": "mxfp4"},
    "mxfp8": {"mode": "mxfp8"}, "nvfp4": {"mode": "nvfp4"},
}


def run(op, init, names=None, **kw):
    made = {"out": "y", "op": f"nn.{op}", "args": ["$x"], "init": init}
    if names is not None:
        made["params"] = {name: f"${name}" for name in names}
    return {**made, **kw}


def quantized_steps(how):
    """Steps that quantize $w into the parameters of a layer."""
    names = ["weight", "scales", "biases"] if how.get("mode", "affine") == "affine" else ["weight", "scales"]
    return names, step(names, "mx.quantize", "$w", **how)


def linear():
    for mode, how in MODES.items():
        init = {"input_dims": 64, "output_dims": 6, **how}
        for bias in (True, False):
            x = {"x": normal("float32", [3, 64], 1)}
            made = run("QuantizedLinear", {**init, "bias": bias})
            yield case(f"qlinear_{mode}_{'bias' if bias else 'bare'}", x, [made, after_draw()], ("y", "z"))
        for dtype in FLOATS3:
            inputs = {"x": normal(dtype, [2, 3, 64], 1), "w": normal(dtype, [6, 64], 2), "bias": normal(dtype, [6], 3)}
            names, quantize = quantized_steps(how)
            made = run("QuantizedLinear", init, [*names, "bias"])
            yield case(f"qlinear_{mode}_given_{SHORT[dtype]}", inputs, [quantize, made])
            became = {"weight": "$w", "bias": "$bias"}
            made = run("Linear", {"input_dims": 64, "output_dims": 6}, None, params=became, to_quantized=how)
            yield case(f"qlinear_{mode}_became_{SHORT[dtype]}", inputs, [made, after_draw()], ("y", "z"))
    mixed = {"x": normal("bfloat16", [2, 64], 1), "w": normal("float32", [6, 64], 2)}
    for mode, how in MODES.items():
        names, quantize = quantized_steps(how)
        made = run("QuantizedLinear", {"input_dims": 64, "output_dims": 6, "bias": False, **how}, names)
        yield case(f"qlinear_{mode}_mixed", mixed, [quantize, made])
    inputs = {"x": normal("float32", [2, 64], 1), "w": normal("float32", [6, 64], 2), "bias": normal("float32", [6], 3)}
    became = run("Linear", {"input_dims": 64, "output_dims": 6}, None, params={"weight": "$w", "bias": "$bias"}, to_quantized={})
    yield differentiated("qlinear_gradient", {**inputs}, ["x", "bias"], [became])


def linear_refused():
    x = {"x": normal("float32", [2, 64], 1)}
    init = {"input_dims": 64, "output_dims": 6}
    for tag, more in (
        ("group", {"group_size": 48}), ("bits", {"bits": 7}), ("mode", {"mode": "int4"}), ("mxfp4_group", {"mode": "mxfp4", "group_size": 64}),
        ("inputs", {"input_dims": 65}), ("inputs_32", {"input_dims": 32}),
    ):
        yield error(f"qlinear_{tag}", x, run("QuantizedLinear", {**init, **more}))
    yield killer("qlinear_group_0", x, run("QuantizedLinear", {**init, "group_size": 0}))
    for tag, more in (("bits_0", {"bits": 0}), ("no_inputs", {"input_dims": 0}), ("group_below", {"group_size": -64})):
        yield error(f"qlinear_{tag}", x, run("QuantizedLinear", {**init, **more}), message=False)
    yield error("qlinear_features", {"x": normal("float32", [2, 128], 1)}, run("QuantizedLinear", init))
    yield either("qlinear_ints", {"x": tensor("int32", [1, 64], range(64))}, [run("QuantizedLinear", init)])
    inputs = {**x, "w": normal("float32", [6, 64], 2), "bias": normal("float32", [6], 3)}
    names, quantize = quantized_steps({})
    yield error("qlinear_missing", inputs, quantize, run("QuantizedLinear", init, names))
    yield error("qlinear_extra", inputs, quantize, run("QuantizedLinear", {**init, "bias": False}, [*names, "bias"]))
    other = run("QuantizedLinear", {**init, "bits": 8}, [*names, "bias"])
    yield error("qlinear_other_bits", inputs, quantize, other)
    yield error("qlinear_dense", inputs, run("QuantizedLinear", init, None, params={"weight": "$w", "bias": "$bias"}))
    for tag, how in (("input", {"quantize_input": True}), ("input_mxfp4", {"quantize_input": True, "mode": "mxfp4"}), ("input_bias", {"quantize_input": True, "mode": "mxfp8"}), ("mode", {"mode": "int4"})):
        yield error(f"to_quantized_{tag}", x, run("Linear", init, to_quantized=how))


def embedding():
    for mode, how in MODES.items():
        init = {"num_embeddings": 5, "dims": 64, **how}
        ids = {"x": tensor("int32", [2, 3], [0, 4, 2, 2, 1, 3])}
        yield case(f"qembedding_{mode}", ids, [run("QuantizedEmbedding", init), after_draw()], ("y", "z"))
        for dtype in FLOATS3:
            names, quantize = quantized_steps(how)
            inputs = {**ids, "w": normal(dtype, [5, 64], 2)}
            yield case(f"qembedding_{mode}_given_{SHORT[dtype]}", inputs, [quantize, run("QuantizedEmbedding", init, names)])
            plain = {"num_embeddings": 5, "dims": 64}
            made = run("Embedding", plain, None, params={"weight": "$w"}, to_quantized=how)
            yield case(f"qembedding_{mode}_became_{SHORT[dtype]}", inputs, [made, after_draw()], ("y", "z"))
            x = {"x": normal(dtype, [3, 64], 1), "w": inputs["w"]}
            back = run("QuantizedEmbedding", init, names, method="as_linear")
            yield case(f"qembedding_{mode}_back_{SHORT[dtype]}", x, [quantize, back])
    init = {"num_embeddings": 5, "dims": 64}
    yield case("embedding_back", {"x": normal("float32", [3, 64], 1)}, [run("Embedding", init, method="as_linear")])
    for shape, ids in (([], [3]), ([0], []), ([1], [-1])):
        x = {"x": tensor("int32", shape, ids)}
        yield case(f"qembedding_shape_{len(shape)}_{len(ids)}", x, [run("QuantizedEmbedding", init)])
    yield error("qembedding_floats", {"x": normal("float32", [2], 1)}, run("QuantizedEmbedding", init))
    yield error("qembedding_dims", ids_of(), run("QuantizedEmbedding", {**init, "dims": 48}))
    yield error("qembedding_input", ids_of(), run("Embedding", init, to_quantized={"quantize_input": True, "mode": "mxfp8"}))


def ids_of():
    return {"x": tensor("int32", [2], [0, 1])}


def both():
    """QQLinear: on the CPU MLX computes it out of training, of one row."""
    for mode in ("nvfp4", "mxfp8"):
        init = {"input_dims": 64, "output_dims": 6, "mode": mode}
        for dtype in FLOATS3:
            inputs = {"x": normal(dtype, [1, 64], 1), "weight": normal(dtype, [6, 64], 2)}
            yield case(f"qq_{mode}_{SHORT[dtype]}", inputs, [run("QQLinear", init, ["weight"])])
            made = run("Linear", {"input_dims": 64, "output_dims": 6, "bias": False}, ["weight"], to_quantized={"mode": mode, "quantize_input": True})
            yield case(f"qq_{mode}_became_{SHORT[dtype]}", inputs, [made, after_draw()], ("y", "z"))
        for seed in (0, 7):
            yield case(f"qq_{mode}_drawn_{seed}", {"x": normal("float32", [1, 64], 1)}, [run("QQLinear", init, init_seed=seed), after_draw()], ("y", "z"))
        yield error(f"qq_{mode}_rows", {"x": normal("float32", [2, 64], 1)}, run("QQLinear", init))
        yield error(f"qq_{mode}_trained", {"x": normal("float32", [1, 64], 1)}, run("QQLinear", init, train=True))
        yield error(f"qq_{mode}_features", {"x": normal("float32", [1, 32], 1)}, run("QQLinear", init))
    yield error("qq_affine", {"x": normal("float32", [1, 64], 1)}, run("QQLinear", {"input_dims": 64, "output_dims": 6, "mode": "affine"}), message=False)
    yield error("qq_mode", {"x": normal("float32", [1, 64], 1)}, run("QQLinear", {"input_dims": 64, "output_dims": 6, "mode": "int4"}))
    yield error("qq_inputs", {"x": normal("float32", [1, 65], 1)}, run("QQLinear", {"input_dims": 65, "output_dims": 6}), message=False)


def models():
    layers = [
        {"op": "nn.Embedding", "init": {"num_embeddings": 5, "dims": 64}},
        {"op": "nn.RMSNorm", "init": {"dims": 64}},
        {"op": "nn.Linear", "init": {"input_dims": 64, "output_dims": 128}},
        {"op": "nn.Linear", "init": {"input_dims": 128, "output_dims": 3, "bias": False}},
    ]

    def model(name, layers=layers, only=None, x=ids_of, seed=0, **how):
        made = {"out": ["y", "names", "trained"], "op": "nn.quantize", "args": ["$x"], "layers": layers, "init_seed": seed}
        if how:
            made["kw"] = how
        if only is not None:
            made["only"] = only
        return name, x(), made

    fine = [model(f"quantize_{mode}_{seed}", seed=seed, **how) for mode, how in MODES.items() for seed in (0, 7)]
    fine.append(model("quantize_some", only=["layers.0", "layers.3"]))
    fine.append(model("quantize_nothing", only=[]))
    fine.append(model("quantize_other", only=["layers.7", "layer.0"]))
    for name, x, made in fine:
        yield case(name, x, [made, after_draw()], ("y", "names", "trained", "z"))
    for name, x, made in (
        model("quantize_norm", only=["layers.1"]), model("quantize_group", group_size=48), model("quantize_input", quantize_input=True, mode="mxfp8"),
        model("quantize_input_bias", only=["layers.2"], quantize_input=True, mode="mxfp8"), model("quantize_mode", mode="int4"),
    ):
        yield {**error(name, x, made, message=name != "quantize_norm"), "outputs": ["y"]}
    row = lambda: {"x": normal("float32", [1, 64], 1)}
    bare = [{"op": "nn.Linear", "init": {"input_dims": 64, "output_dims": 6, "bias": False}}]
    name, x, made = model("quantize_input_bare", bare, x=row, quantize_input=True, mode="nvfp4")
    yield case(name, x, [made, after_draw()], ("y", "names", "trained", "z"))


def cases():
    return [made for part in (linear, linear_refused, embedding, both, models) for made in part()]
