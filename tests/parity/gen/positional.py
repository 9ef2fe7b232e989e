"""Positions in a sequence: RoPE, SinusoidalPositionalEncoding, ALiBi."""

from .base import FLOATS, SHORT, case, drawn, error, normal, step, tensor
from .layers import layer
from .nn_base import FLOATS3, differentiated


def rope():
    for dtype in FLOATS:
        inputs = {"x": normal(dtype, [2, 3, 4, 8], 1)}
        name = f"rope_layer_{SHORT[dtype]}"
        yield case(name, inputs, [layer("RoPE", {"dims": 8}, None)])
        for turn, init in enumerate(({"traditional": True}, {"base": 500.0}, {"scale": 0.5, "dims": 6})):
            yield case(f"{name}_{turn}", inputs, [layer("RoPE", {"dims": 8, **init}, None, kw={"offset": 5})])
        offsets = {**inputs, "o": tensor("int32", [2], [3, 1])}
        yield case(f"{name}_offsets", offsets, [layer("RoPE", {"dims": 8}, None, kw={"offset": "$o"})])
        yield case(f"{name}_empty", {"x": drawn(dtype, [2, 3, 0, 8], 1)}, [layer("RoPE", {"dims": 8}, None)])
    x = {"x": normal("float32", [1, 2, 3, 8], 1)}
    for dims in (7, 0, -2, 10):
        # MLX's words differ on a GPU.
        yield error(f"rope_layer_{dims}".replace("-", "minus_"), x, layer("RoPE", {"dims": dims}, None))
    yield error("rope_layer_short", {"x": normal("float32", [3, 8], 1)}, layer("RoPE", {"dims": 8}, None))
    yield error("rope_layer_ints", {"x": tensor("int32", [1, 1, 2], [1, 2])}, layer("RoPE", {"dims": 2}, None))
    far = layer("RoPE", {"dims": 8}, None, kw={"offset": 2**31 - 1})
    yield case("rope_layer_far", x, [far])
    for dtype in FLOATS3:
        inputs = {"x": normal(dtype, [1, 2, 3, 8], 1)}
        yield differentiated(f"rope_layer_gradient_{SHORT[dtype]}", inputs, ["x"], [layer("RoPE", {"dims": 4}, None, kw={"offset": 2})])


SINES = "SinusoidalPositionalEncoding"


def sinusoidal():
    settings = (
        {}, {"cos_first": True}, {"full_turns": True}, {"scale": 1.0}, {"scale": 3.0, "min_freq": 0.01, "max_freq": 7.5},
    )
    for dtype in FLOATS + ["int32"]:
        for shape in ([], [3], [2, 3], [0]):
            inputs = {"x": drawn(dtype, shape, 1)}
            if dtype == "int32" and shape == [3]:
                inputs = {"x": tensor(dtype, shape, [0, 1, 1000])}
            for turn, init in enumerate(settings):
                if turn and shape != [3]:
                    continue
                name = f"sinusoidal_{'x'.join(map(str, shape)) or '0d'}_{turn}_{SHORT[dtype]}"
                yield case(name, inputs, [layer(SINES, {"dims": 6, **init}, None)])
    inputs = {"x": normal("float32", [4], 1)}
    for dims in (2, 4, 256):
        yield case(f"sinusoidal_{dims}_dims", inputs, [layer(SINES, {"dims": dims}, None)])
    for dims in (0, 3, -2):
        yield error(f"sinusoidal_{dims}_dims".replace("-", "minus_"), inputs, layer(SINES, {"dims": dims}, None))
    for turn, low in enumerate((0, -1.0)):
        wrong = layer(SINES, {"dims": 4, "min_freq": low}, None)
        yield error(f"sinusoidal_frequency_{turn}", inputs, wrong, message=False)
    yield differentiated("sinusoidal_gradient", inputs, ["x"], [layer(SINES, {"dims": 6}, None)])


def alibi():
    for dtype in FLOATS + ["int32"]:
        for heads in (1, 4, 6, 8, 12, 16):
            scores = normal(dtype, [2, heads, 3, 5], 1)
            name = f"alibi_{heads}_{SHORT[dtype]}"
            yield case(name, {"x": scores}, [layer("ALiBi", {}, None)])
        yield case(f"alibi_offset_{SHORT[dtype]}", {"x": scores}, [layer("ALiBi", {}, None, kw={"offset": 2})])
        masked = {"x": scores, "m": normal(dtype, [3, 5], 2)}
        yield case(f"alibi_mask_{SHORT[dtype]}", masked, [layer("ALiBi", {}, None, kw={"offset": 2, "mask": "$m"})])
    for shape in ([2, 4, 0, 5], [2, 4, 3, 0], [3, 5], [2, 4, 4]):
        x = {"x": drawn("float32", shape, 1)}
        name = "alibi_shape_" + "x".join(map(str, shape))
        yield case(name, x, [layer("ALiBi", {}, None)])
    yield error("alibi_no_heads", {"x": tensor("float32", [2, 0, 3, 5], [])}, layer("ALiBi", {}, None), message=False)
    yield error("alibi_1d", {"x": normal("float32", [5], 1)}, layer("ALiBi", {}, None), message=False)
    yield differentiated("alibi_gradient", {"x": normal("float32", [1, 2, 3, 3], 1)}, ["x"], [layer("ALiBi", {}, None)])


def cases():
    return [made for part in (rope, sinusoidal, alibi) for made in part()]
