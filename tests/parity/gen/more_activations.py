"""The activations of mlx.nn with parameters, along axes, and all others beside those of activations.py.

Not here: gelu, gelu_approx, relu, silu and softplus without transforms.
"""

from .base import SHORT, dims, drawn, killer, normal, step, tensor
from .nn_base import FLOATS3, differentiated, edges, either, mapped

PLAIN = ["gelu_fast_approx", "hardswish", "log_sigmoid", "mish", "relu2", "relu6", "selu", "sigmoid", "softsign", "tanh"]
# Keywords, with a tag for the case; a long decimal changes under the compiler, an int makes other dtypes.
WITH = {
    "celu": {"": {}, "alpha": {"alpha": 1.3}, "int": {"alpha": 2}, "tensor": {"alpha": "$p"}},
    "elu": {"": {}, "alpha": {"alpha": 1.7}, "int": {"alpha": 2}, "tensor": {"alpha": "$p"}},
    "hard_shrink": {"": {}, "lambd": {"lambd": 0.3}, "int": {"lambd": 1}, "tensor": {"lambd": "$p"}},
    "hard_tanh": {"": {}, "both": {"min_val": -0.3, "max_val": 2}, "open": {"min_val": {"float": "-inf"}}, "tensor": {"max_val": "$p"}},
    "leaky_relu": {"": {}, "slope": {"negative_slope": 0.2}, "long": {"negative_slope": 0.123456789}, "int": {"negative_slope": 2},
                   "nan": {"negative_slope": {"float": "nan"}}, "bool": {"negative_slope": True}, "tensor": {"negative_slope": "$p"}},
    "prelu": {"tensor": {"alpha": "$p"}, "float": {"alpha": 0.25}},
    "softshrink": {"": {}, "lambd": {"lambd": 0.3}, "int": {"lambd": 1}, "tensor": {"lambd": "$p"}},
    "step": {"": {}, "threshold": {"threshold": 0.3}, "int": {"threshold": 1}, "tensor": {"threshold": "$p"}},
}
ALONG = ["log_softmax", "softmax", "softmin"]
OLD = ["gelu", "gelu_approx", "relu", "silu", "softplus"]


def forms():
    """Each function in each way that it is called."""
    for name in PLAIN:
        yield name, name, {}
    for name, ways in WITH.items():
        for tag, kw in ways.items():
            yield f"{name}_{tag}".rstrip("_"), name, kw


def given(x, dtype, size=None):
    """The input, and the tensor that some functions take beside it."""
    size = size if size is not None else x["shape"][-1:]
    if 0 in size:
        return {"x": x, "p": tensor(dtype, size, [])}
    return {"x": x, "p": {"dtype": dtype, "shape": size, "uniform": {"key": 2, "low": 0.1, "high": 1.5}}}


def is_plain(tag, name):
    return tag in (name, "prelu_tensor")


WHOLE = ["elu", "gelu_fast_approx", "hardswish", "relu6", "softshrink", "step", "elu_int", "leaky_relu_int", "step_int"]


def values():
    # Each function, dtype and number is a kernel that both sides have to compile.
    for tag, name, kw in forms():
        made = [step("y", f"nn.{name}", "$x", **kw)]
        dtypes = FLOATS3 if is_plain(tag, name) else [] if tag.endswith("_int") else ["float32"]
        for dtype in dtypes:
            yield either(f"{tag}_edges_{SHORT[dtype]}", given(edges(dtype), dtype), made)
            x = {"dtype": dtype, "shape": [3000], "uniform": {"key": 1, "low": -9.0, "high": 9.0}}
            yield either(f"{tag}_many_{SHORT[dtype]}", given(x, dtype), made)
        if tag in WHOLE:
            yield either(f"{tag}_i32", given(tensor("int32", [6], [-7, -1, 0, 1, 2, 6]), "float32"), made)
    for name in ("relu6", "sigmoid"):
        made = [step("y", f"nn.{name}", "$x")]
        yield either(f"{name}_b", {"x": tensor("bool_", [3], [1, 0, 1])}, made)
        yield either(f"{name}_c64", {"x": tensor("complex64", [2], [[1.0, 2.0], [-0.5, 0.0]])}, made)
        yield either(f"{name}_u64", {"x": tensor("uint64", [3], [0, 7, 2**40])}, made)
        yield either(f"{name}_f64", {"x": normal("float64", [5], 3)}, made)


def shapes():
    for tag, name, kw in forms():
        made = [step("y", f"nn.{name}", "$x", **kw)]
        if not is_plain(tag, name):
            continue
        for shape in ([], [0], [2, 0], [3, 1, 4]):
            yield either(f"{tag}_shape_{dims(shape)}", given(drawn("float32", shape, 3), "float32"), made)
    inputs = {**given(normal("float32", [2, 3], 4), "float32"), "q": normal("float32", [2, 3], 5), "s": normal("float32", [1], 6)}
    # One trace serves all of these shapes.
    for name in ("prelu", "elu"):
        steps = [step("a", f"nn.{name}", "$x", "$q"), step("b", f"nn.{name}", "$q", "$x"), step("t", "mx.transpose", "$x"),
                 step("c", f"nn.{name}", "$t", "$s"), step("d", f"nn.{name}", "$x", "$p"), step("e", f"nn.{name}", "$p", "$x")]
        yield either(f"{name}_by_shapes", inputs, steps, ["a", "b", "c", "d", "e"])
        # Python reads foreign memory where it has a trace of other shapes already.
        yield killer(f"{name}_no_broadcast", inputs, step("a", f"nn.{name}", "$x", "$q"), step("t", "mx.transpose", "$x"), step("y", f"nn.{name}", "$t", "$x"))
    mixed = {"x": normal("bfloat16", [4], 1), "p": normal("float32", [4], 2)}
    yield either("prelu_bf16_f32", mixed, [step("y", "nn.prelu", "$x", "$p")])
    yield either("leaky_relu_complex", mixed, [step("y", "nn.leaky_relu", "$x", {"complex": [1.0, 2.0]})])
    yield either("hard_tanh_u8_negative", given(tensor("uint8", [2], [1, 2]), "float32"), [step("y", "nn.hard_tanh", "$x", -2, 2)])
    yield either("elu_out_of_range", given(tensor("int8", [2], [1, 2]), "float32"), [step("y", "nn.step", "$x", 300)])


def along():
    for name in ALONG:
        for dtype in FLOATS3:
            x = edges(dtype)
            yield either(f"{name}_edges_{SHORT[dtype]}", {"x": {**x, "shape": [5, 4]}}, [step("y", f"nn.{name}", "$x")])
            for axis in (-1, 0, 1, [0, 2], [-1, 0, 1], None) if dtype == "float32" and name == "softmax" else (0, [0, 2]):
                tag = str(axis).replace("-", "m").replace(", ", "_").strip("[]")
                x = normal(dtype, [3, 4, 5], 6)
                yield either(f"{name}_axis_{tag}_{SHORT[dtype]}", {"x": x}, [step("y", f"nn.{name}", "$x", axis=axis)])
            rows = normal(dtype, [7, 300], 8)
            yield either(f"{name}_rows_{SHORT[dtype]}", {"x": rows}, [step("y", f"nn.{name}", "$x", 1)])
        for dtype, numbers in (("int32", [-7, -1, 0, 1, 2, 6]), ("bool_", [1, 0, 1, 1, 0, 0]), ("uint8", [0, 1, 2, 3, 6, 255])):
            yield either(f"{name}_{SHORT[dtype]}", {"x": tensor(dtype, [2, 3], numbers)}, [step("y", f"nn.{name}", "$x")])
        yield either(f"{name}_c64", {"x": tensor("complex64", [2], [[1.0, 2.0], [-0.5, 0.0]])}, [step("y", f"nn.{name}", "$x")])
        yield either(f"{name}_f64", {"x": normal("float64", [2, 5], 3)}, [step("y", f"nn.{name}", "$x")])
        yield either(f"{name}_0d", {"x": normal("float32", [], 3)}, [step("y", f"nn.{name}", "$x")])
        for axis in (2, -3, [0, 0], []):
            tag = str(axis).replace("-", "m").replace(", ", "_").strip("[]")
            yield either(f"{name}_axis_{tag}", {"x": normal("float32", [2, 3], 3)}, [step("y", f"nn.{name}", "$x", axis)])
        # Of five dimensions, so that in Python no other case has made the trace.
        x = tensor("float32", [0, 1, 1, 1, 3], [])
        yield either(f"{name}_empty", {"x": x}, [step("y", f"nn.{name}", "$x")], graph=False)
        steps = [step("t", "mx.transpose", "$x"), step("a", f"nn.{name}", "$t"), step("s", "index", "$x", [{"slice": [None, None, 2]}]), step("b", f"nn.{name}", "$s", 0)]
        yield either(f"{name}_views", {"x": normal("float32", [6, 4], 4)}, steps, ["a", "b"])
    for dtype in FLOATS3:
        yield either(f"glu_edges_{SHORT[dtype]}", {"x": edges(dtype)}, [step("y", "nn.glu", "$x")])
        for axis in (0, 1, -1):
            yield either(f"glu_axis_{axis}_{SHORT[dtype]}", {"x": normal(dtype, [4, 2, 6], 2)}, [step("y", "nn.glu", "$x", axis=axis)])
    for shape in ([], [3], [1], [0], [2, 0], [0, 2]):
        yield either(f"glu_shape_{dims(shape)}", {"x": drawn("float32", shape, 2)}, [step("y", "nn.glu", "$x")], graph=0 not in shape)
    yield either("glu_axis_wrong", {"x": normal("float32", [2, 2], 2)}, [step("y", "nn.glu", "$x", 2)])
    yield either("glu_i32", {"x": tensor("int32", [4], [1, -2, 3, 0])}, [step("y", "nn.glu", "$x")])


def transforms():
    names = [(tag, name, kw) for tag, name, kw in forms() if tag in (name, "prelu_tensor", "elu_tensor", "leaky_relu_long")]
    names += [(name, name, {}) for name in [*OLD, *ALONG, "glu"]]
    for tag, name, kw in names:
        made = [step("y", f"nn.{name}", "$x", **kw)]
        params = ["x", "p"] if "$p" in kw.values() else ["x"]
        for dtype in FLOATS3:
            x = {"dtype": dtype, "shape": [3, 4], "uniform": {"key": 5, "low": -4.0, "high": 4.0}}
            p = normal(dtype, [4], 6)
            yield differentiated(f"{tag}_gradient_{SHORT[dtype]}", {"x": x, "p": p}, params, made)
            if dtype == "float32":
                yield mapped(f"{tag}_vmap", {"x": x, "p": normal(dtype, [3, 4], 6)}, params, made)
                special = {"x": {**edges(dtype), "shape": [5, 4]}, "p": p}
                yield differentiated(f"{tag}_gradient_edges", special, params, made)


def cases():
    return [made for part in (values, shapes, along, transforms) for made in part()]
