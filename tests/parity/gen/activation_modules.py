"""Activations as layers: each once with Python's defaults, those with a setting once with another.

Few numbers of kernels: what the functions compute is in activations.py and more_activations.py.
"""

from .base import case, error, killer, normal, tensor
from .layers import layer
from .nn_base import FLOATS3, differentiated, edges, either

PLAIN = [
    "Hardswish", "HardTanh", "LogSigmoid", "LogSoftmax", "Mish", "ReLU", "ReLU2", "ReLU6", "SELU", "SiLU", "Sigmoid",
    "Softmax", "Softmin", "Softplus", "Softsign", "Tanh",
]
SETTINGS = {
    "CELU": {"alpha": 0.5}, "ELU": {"alpha": 0.5}, "GLU": {"axis": 0}, "HardShrink": {"lambd": 1.5},
    "LeakyReLU": {"negative_slope": 0.5}, "Softshrink": {"lambd": 1.5}, "Step": {"threshold": -0.5},
    "GELU": {"approx": "fast"}, "PReLU": {"init": 0.5},
}


def small(name):
    return name.lower()


def defaults():
    for name in PLAIN + list(SETTINGS):
        yield either(f"module_{small(name)}", {"x": edges("float32")}, [layer(name, {}, None)])


def settings():
    for name, init in SETTINGS.items():
        yield either(f"module_{small(name)}_set", {"x": normal("float32", [4, 6], 1)}, [layer(name, init, None, train=True)])
    for approx in ("precise", "tanh"):
        yield case(f"module_gelu_{approx}", {"x": edges("float32")}, [layer("GELU", {"approx": approx}, None)])
    for dtype in FLOATS3[1:]:
        for name in ("GLU", "Tanh", "PReLU", "ReLU"):
            yield case(f"module_{small(name)}_{dtype}", {"x": normal(dtype, [4, 6], 1)}, [layer(name, {}, None)])
    # Whole numbers as settings, of tensors of whole numbers too.
    whole = {"x": tensor("int32", [4], [-3, 0, 2, 7])}
    yield case("module_leakyrelu_ints", whole, [layer("LeakyReLU", {"negative_slope": 2}, None)])
    yield case("module_hardshrink_ints", whole, [layer("HardShrink", {"lambd": 2}, None)])
    yield case("module_step_ints", whole, [layer("Step", {"threshold": 2}, None)])
    yield case("module_prelu_ints", whole, [layer("PReLU", {"init": 2}, None)])


def slopes():
    for dtype in FLOATS3:
        inputs = {"x": normal(dtype, [3, 4], 1), "weight": normal(dtype, [4], 2)}
        steps = [layer("PReLU", {"num_parameters": 4})]
        yield case(f"module_prelu_each_{dtype}", inputs, steps)
        yield differentiated(f"module_prelu_gradient_{dtype}", inputs, ["x", "weight"], steps)
    inputs = {"x": normal("float32", [3, 4], 1)}
    for name, init in (("GELU", {"approx": "precise"}), ("GLU", {}), ("Softmax", {})):
        yield differentiated(f"module_{small(name)}_gradient", inputs, ["x"], [layer(name, init, None)])


def refused():
    x = {"x": normal("float32", [2, 3], 1)}
    yield error("module_gelu_unknown", x, layer("GELU", {"approx": "fastest"}, None))
    yield error("module_glu_odd", x, layer("GLU", {}, None))
    yield error("module_glu_axis", x, layer("GLU", {"axis": 2}, None))
    yield error("module_prelu_count", x, layer("PReLU", {"num_parameters": -1}, None))
    # After a call whose slopes broadcast Python reads past the end of these.
    yield killer("module_prelu_shape", x, layer("PReLU", {"num_parameters": 2}, None))
    yield error("module_softmax_0d", {"x": tensor("float32", [], [1.0])}, layer("Softmax", {}, None))


def cases():
    return [made for part in (defaults, settings, slopes, refused) for made in part()]
