"""conv3d, conv_general, transposed convolutions and convolve; conv1d and conv2d stand in convolution.py."""

from .base import DTYPES, HALVES, SHORT, case, dims, drawn, error, killer, normal, step, tensor
from .convolution import pair

REALS = HALVES + ["float32"]
X = {1: [2, 7, 4], 2: [2, 6, 5, 4], 3: [2, 4, 5, 3, 2]}
W = {1: [6, 3, 4], 2: [6, 3, 2, 4], 3: [3, 2, 3, 2, 2]}


def call(op, **kw):
    return step("y", f"mx.{op}", "$x", "$w", **kw)


def three():
    table = [
        {}, {"stride": 2}, {"padding": 1}, {"dilation": 2, "padding": 2}, {"stride": [1, 2, 1]}, {"padding": [0, 1, 2]},
        {"dilation": [2, 1, 1]}, {"stride": 3, "padding": 3}, {"padding": -1, "stride": 2, "dilation": 1},
    ]
    w = [3, 2, 2, 1, 2]
    for dtype in REALS:
        for turn, kw in enumerate(table):
            yield case(f"conv3d_option_{turn}_{SHORT[dtype]}", pair(X[3], w, dtype), [call("conv3d", **kw)])
    yield case("conv3d_positional", pair(X[3], w), [step("y", "mx.conv3d", "$x", "$w", [1, 2, 1], 1, [1, 1, 2], 1)])
    for dtype in DTYPES:
        inputs = {"x": tensor(dtype, [1, 2, 1, 1, 1], [1, 0]), "w": tensor(dtype, [1, 1, 1, 1, 1], [1])}
        name = f"conv3d_{SHORT[dtype]}"
        if dtype in REALS + ["float64"]:
            yield case(name, inputs, [call("conv3d")])
        else:
            yield error(f"{name}_refused", inputs, call("conv3d"))
    yield case("conv3d_empty", pair([0, 3, 3, 3, 2], [2, 2, 2, 2, 2]), [call("conv3d")])
    yield case("conv3d_mixed", pair(X[3], w, "bfloat16", "float32"), [call("conv3d")])
    for turn, kw in enumerate(({"stride": 0}, {"dilation": [1, 0, 1]}, {"padding": -9}, {"groups": 2}, {"dilation": 9})):
        yield error(f"conv3d_refused_{turn}", pair(X[3], w), call("conv3d", **kw))
    yield error("conv3d_on_2d", pair(X[2], W[2]), call("conv3d"))


def general():
    each = [
        {}, {"stride": 2}, {"padding": 1}, {"kernel_dilation": 2, "padding": 2}, {"input_dilation": 2}, {"flip": True},
        {"input_dilation": 3, "padding": 1, "stride": 2}, {"input_dilation": 2, "kernel_dilation": 3, "padding": 4},
        {"flip": True, "padding": 2}, {"flip": True, "input_dilation": 2, "kernel_dilation": 2, "padding": 1}, {"padding": -1},
        {"stride": []}, {"padding": []},
    ]
    for axes in (1, 2, 3):
        lists = [
            {"stride": [2, 1, 1][:axes]}, {"padding": [1, 0, 2][:axes]}, {"padding": [[1, 0, 2][:axes], [0, 2, 1][:axes]]},
            {"padding": [[-1, 0, 1][:axes], [2, 1, 0][:axes]]}, {"padding": [[2, 1, 0][:axes], [-1, 0, 1][:axes]]},
            {"kernel_dilation": [1, 2, 1][:axes], "padding": 2}, {"input_dilation": [2, 1, 3][:axes]},
            {"stride": [1], "padding": [[1], [2]], "input_dilation": [2], "kernel_dilation": [1], "flip": True},
            {"stride": [3, 2, 3][:axes], "input_dilation": [2, 3, 2][:axes], "padding": [[2], [1]]},
        ]
        for dtype in REALS:
            for turn, kw in enumerate(each + lists):
                name = f"conv_general_{axes}d_{turn}_{SHORT[dtype]}"
                yield case(name, pair(X[axes], W[axes], dtype), [call("conv_general", **kw)])
    for axes in (1, 2):
        w = [6, *W[axes][1:-1], 2]
        for turn, kw in enumerate(({}, {"flip": True}, {"input_dilation": 2}, {"kernel_dilation": 2, "padding": 2, "flip": True})):
            made = call("conv_general", groups=2, **kw)
            yield case(f"conv_general_{axes}d_groups_{turn}", pair(X[axes], w), [made])
    args = [[1, 2], [[1, 1], [0, 2]], 1, [2, 1], 1, True]
    yield case("conv_general_positional", pair(X[2], W[2]), [step("y", "mx.conv_general", "$x", "$w", *args)])
    for dtype in DTYPES:
        inputs = {"x": tensor(dtype, [1, 2, 1], [1, 0]), "w": tensor(dtype, [1, 1, 1], [1])}
        name = f"conv_general_{SHORT[dtype]}"
        if dtype in REALS + ["float64"]:
            yield case(name, inputs, [call("conv_general", flip=True)])
        else:
            yield error(f"{name}_refused", inputs, call("conv_general", flip=True))
        mixed = {**inputs, "x": tensor("float32", [1, 2, 1], [1, 0])}
        yield case(f"{name}_weight", mixed, [call("conv_general")])
    yield case("conv_general_from_padding", pair([1, 0, 4], W[1]), [call("conv_general", padding=[[3], [1]])])
    yield case("conv_general_from_far_padding", pair([1, 0, 4], W[1]),
               [call("conv_general", padding=[[3], [4]], input_dilation=3)])
    refused = [
        {"stride": [1, 1, 1]}, {"padding": [1, 1, 1]}, {"padding": [[1, 1], [1, 1, 1]]}, {"kernel_dilation": [1, 1, 1]},
        {"input_dilation": [1, 1, 1]}, {"input_dilation": 0}, {"input_dilation": -1}, {"kernel_dilation": 0}, {"stride": 0},
        {"stride": -1}, {"padding": -3}, {"padding": [[-3, -3], [-3, -3]]}, {"groups": 3}, {"kernel_dilation": 9},
    ]
    for turn, kw in enumerate(refused):
        yield error(f"conv_general_refused_{turn}", pair(X[2], W[2]), call("conv_general", **kw))
    for x, w in (([5, 4], [4, 2, 4]), ([1, 5, 4], [2, 4]), ([1, 3, 3, 3, 3, 2], [2, 2, 2, 2, 2, 2]), ([1, 5, 3], [4, 2, 4])):
        yield error(f"conv_general_{dims(x)}_{dims(w)}_refused", pair(x, w), call("conv_general"))
    # The settings of another number of axes, which MLX reads behind its lists where padding is negative.
    yield killer("conv_general_short_padding", pair(X[3], W[3]), call("conv_general", padding=[-1, -1]))
    yield killer("conv_general_groups_0", pair(X[1], W[1]), call("conv_general", groups=0))
    yield killer("conv_general_empty_kernel", pair(X[1], [4, 0, 4]), call("conv_general", flip=True))
    yield killer("conv_general_empty_channels", pair([1, 5, 0], [4, 2, 0]), call("conv_general"))


def transposed():
    each = [
        {}, {"stride": 2}, {"padding": 1}, {"dilation": 2}, {"stride": 2, "output_padding": 1}, {"stride": 3, "padding": 1},
        {"stride": 2, "padding": 1, "dilation": 2, "output_padding": 1}, {"output_padding": 1}, {"stride": 4, "dilation": 3},
        {"padding": 2},
    ]
    for axes in (1, 2, 3):
        lists = [
            {"stride": [2, 1, 1][:axes]}, {"padding": [1, 0, 1][:axes]}, {"dilation": [1, 2, 1][:axes]},
            {"output_padding": [1, 0, 1][:axes], "stride": 2},
        ]
        op = f"conv_transpose{axes}d"
        for dtype in REALS:
            for turn, kw in enumerate(each + (lists if axes > 1 else [])):
                yield case(f"{op}_{turn}_{SHORT[dtype]}", pair(X[axes], W[axes], dtype), [call(op, **kw)])
        for dtype in DTYPES:
            ones = [1] * axes
            inputs = {"x": tensor(dtype, [1, *ones, 1], [1]), "w": tensor(dtype, [1, *ones, 1], [1])}
            if dtype in REALS:
                yield case(f"{op}_{SHORT[dtype]}", inputs, [call(op, stride=2)])
            elif dtype == "float64":
                yield case(f"{op}_f64", inputs, [call(op)])
            else:
                yield error(f"{op}_{SHORT[dtype]}_refused", inputs, call(op, stride=2))
        refused = [{"stride": 0}, {"stride": -1}, {"dilation": 0}, {"padding": 9}, {"output_padding": -20}, {"groups": 3}]
        for turn, kw in enumerate(refused):
            yield error(f"{op}_refused_{turn}", pair(X[axes], W[axes]), call(op, **kw))
        yield killer(f"{op}_without_groups", pair(X[axes], W[axes]), call(op, groups=0))
        yield killer(f"{op}_empty_kernel", pair(X[axes], [4, *([0] * axes), X[axes][-1]]), call(op))
    for axes in (1, 2):
        op, w = f"conv_transpose{axes}d", [6, *W[axes][1:-1], 2]
        for turn, kw in enumerate(({}, {"stride": 2}, {"padding": 1}, {"stride": 2, "dilation": 2, "output_padding": 1})):
            yield case(f"{op}_groups_{turn}", pair(X[axes], w), [call(op, groups=2, **kw)])
    args = [[2, 1], 1, [1, 2], [1, 0], 1]
    yield case("conv_transpose2d_positional", pair(X[2], W[2]), [step("y", "mx.conv_transpose2d", "$x", "$w", *args)])
    yield case("conv_transpose1d_on_2d", pair(X[2], [6, 2, 2, 4]), [call("conv_transpose1d")])
    yield case("conv_transpose1d_empty", pair([0, 3, 4], W[1]), [call("conv_transpose1d", stride=2)])
    for x, w in (([5, 2], [3, 2, 2, 2]), ([1, 5, 2], [3, 2, 2]), ([1, 5, 5, 2], [2, 2, 2]), ([1, 5, 5, 2], [2])):
        yield error(f"conv_transpose2d_{dims(x)}_{dims(w)}_refused", pair(x, w), call("conv_transpose2d"))


def far():
    """Numbers around the end of 32 bits."""
    most, half = 2147483647, 1073741824
    least = -most - 1
    table = [
        {"input_dilation": half}, {"input_dilation": most, "kernel_dilation": most}, {"padding": [[most], [most]]},
        {"padding": [[most], [0]]}, {"kernel_dilation": most}, {"padding": least}, {"padding": [[least], [0]]},
        {"padding": [[0], [least]]}, {"padding": [[0], [-9]]}, {"padding": [[0], [-5]]}, {"padding": [[-6], [0]]},
    ]
    for turn, kw in enumerate(table):
        yield error(f"conv_general_far_{turn}", pair([1, 5, 1], [1, 2, 1]), call("conv_general", **kw))
    # An end before the first element counts from the back.
    yield case("conv_general_end_from_the_back", pair([1, 5, 1], [1, 2, 1]), [call("conv_general", padding=[[0], [-7]])])
    table = [
        {"stride": most}, {"stride": half}, {"padding": most}, {"padding": -most}, {"padding": least}, {"dilation": most},
        {"output_padding": most}, {"output_padding": least}, {"padding": -half}, {"padding": half},
    ]
    for turn, kw in enumerate(table):
        yield error(f"conv_transpose1d_far_{turn}", pair([1, 5, 1], [1, 2, 1]), call("conv_transpose1d", **kw))
    yield killer("conv_general_far_apart", pair([1, 1, 1], [1, 1, 1]), call("conv_general", input_dilation=half))


def vectors():
    for mode in ("full", "same", "valid"):
        for a, v in ((4, 1), (4, 2), (4, 3), (4, 4), (3, 5), (1, 1), (1, 6), (20, 7), (20, 8)):
            for dtype in REALS:
                inputs = {"a": normal(dtype, [a], 1), "v": normal(dtype, [v], 2)}
                made = step("y", "mx.convolve", "$a", "$v", mode=mode)
                yield case(f"convolve_{mode}_{a}_{v}_{SHORT[dtype]}", inputs, [made])
    inputs = {"a": normal("float32", [5], 1), "v": normal("float32", [3], 2)}
    yield case("convolve_default", inputs, [step("y", "mx.convolve", "$a", "$v")])
    yield case("convolve_positional", inputs, [step("y", "mx.convolve", "$a", "$v", "same")])
    yield error("convolve_mode_refused", inputs, step("y", "mx.convolve", "$a", "$v", mode="half"))
    for dtype in DTYPES:
        for other in ("float32", dtype):
            inputs = {"a": tensor(dtype, [3], [1, 0, 1]), "v": tensor(other, [2], [1, 1])}
            made = step("y", "mx.convolve", "$a", "$v")
            name = f"convolve_{SHORT[dtype]}_{SHORT[other]}"
            if dtype in REALS + ["float64"]:
                yield case(name, inputs, [made])
            elif other == dtype or dtype != "float32":
                yield error(f"{name}_refused", inputs, made)
            if other == dtype:
                break
    for a, v in (([0], [2]), ([2], [0]), ([2, 2], [2]), ([2], []), ([], [2])):
        made = step("y", "mx.convolve", "$a", "$v")
        inputs = {"a": drawn("float32", a, 1), "v": drawn("float32", v, 2)}
        yield error(f"convolve_{dims(a) or '0d'}_{dims(v) or '0d'}_refused", inputs, made)


def cases():
    parts = (three, general, transposed, far, vectors)
    return [made for part in parts for made in part()]
