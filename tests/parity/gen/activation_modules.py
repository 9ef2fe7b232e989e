"""Activations as layers. What compiled functions compute is in activations.py and more_activations.py; here most run
inside transforms, where nothing is compiled, since each kernel takes seconds.
"""

from .base import case, error, killer, normal, tensor
from .layers import layer
from .nn_base import FLOATS3, differentiated, edges, either, mapped

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


def transformed():
    x = {"x": normal("float32", [4, 6], 1)}
    for name in PLAIN + list(SETTINGS):
        yield differentiated(f"module_{small(name)}", x, ["x"], [layer(name, {}, None)])
        yield mapped(f"module_{small(name)}_edges", {"x": edges("float32")}, ["x"], [layer(name, {}, None)]) \
            if name not in ("GLU", "LogSoftmax", "Softmax", "Softmin", "PReLU") \
            else mapped(f"module_{small(name)}_mapped", x, ["x"], [layer(name, {}, None, train=True)])
    for name, init in SETTINGS.items():
        yield differentiated(f"module_{small(name)}_set", x, ["x"], [layer(name, init, None, train=True)])
    for approx in ("none", "precise", "tanh"):
        yield differentiated(f"module_gelu_{approx}", x, ["x"], [layer("GELU", {"approx": approx}, None)])
    for dtype in FLOATS3:
        inputs = {"x": normal(dtype, [3, 4], 1), "weight": normal(dtype, [4], 2)}
        steps = [layer("PReLU", {"num_parameters": 4})]
        yield differentiated(f"module_prelu_gradient_{dtype}", inputs, ["x", "weight"], steps)
    # Whole numbers as settings, of tensors of whole numbers too.
    whole = {"x": tensor("int32", [1, 4], [-3, 0, 2, 7])}
    for name, init in (
        ("LeakyReLU", {"negative_slope": 2}), ("HardShrink", {"lambd": 2}), ("Step", {"threshold": 2}),
        ("PReLU", {"init": 2}), ("ELU", {"alpha": 2}),
    ):
        yield mapped(f"module_{small(name)}_ints", whole, ["x"], [layer(name, init, None)])


def compiled():
    for name, init in (("ReLU", {}), ("LeakyReLU", {"negative_slope": 0.5}), ("Softmax", {}), ("PReLU", {})):
        yield either(f"module_{small(name)}_compiled", {"x": edges("float32")}, [layer(name, init, None)])
    for dtype in FLOATS3:
        for name in ("GLU", "Tanh"):
            yield case(f"module_{small(name)}_{dtype}", {"x": normal(dtype, [4, 6], 1)}, [layer(name, {}, None)])


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
    return [made for part in (transformed, compiled, refused) for made in part()]
