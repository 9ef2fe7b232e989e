"""mlx.nn.init: values, what is drawn from the global key and where it is then, gains, dtypes and refusals."""

from .base import FLOATS, SHORT, dims, step, tensor
from .nn_base import FLOATS3, either, initialized

# What makes the initialiser, and what it is called with beside the tensor.
WAYS = {
    "constant": {"": ({"value": 0.5}, {}), "int": ({"value": 3}, {}), "nan": ({"value": {"float": "nan"}}, {})},
    "normal": {"": ({}, {}), "both": ({"mean": 0.3, "std": 2.5}, {}), "int": ({"mean": 1, "std": 2}, {})},
    "uniform": {"": ({}, {}), "both": ({"low": -0.3, "high": 1.7}, {}), "turned": ({"low": 1.0, "high": -1.0}, {})},
    "identity": {"": ({}, {})},
    "glorot_normal": {"": ({}, {}), "gain": ({}, {"gain": 4.0}), "negative": ({}, {"gain": -0.3})},
    "glorot_uniform": {"": ({}, {}), "gain": ({}, {"gain": 4.0}), "negative": ({}, {"gain": -0.3})},
    "he_normal": {"": ({}, {}), "out": ({}, {"mode": "fan_out"}), "gain": ({}, {"mode": "fan_in", "gain": 5})},
    "he_uniform": {"": ({}, {}), "out": ({}, {"mode": "fan_out"}), "gain": ({}, {"mode": "fan_in", "gain": 5})},
    "sparse": {"": ({"sparsity": 0.5}, {}), "all": ({"sparsity": 0.3, "mean": 2.0, "std": 0.1}, {}), "full": ({"sparsity": 1.0}, {}), "none": ({"sparsity": 0.0}, {})},
    "orthogonal": {"": ({}, {}), "gain": ({"gain": 2.5}, {})},
}
SQUARE = ["identity", "sparse", "orthogonal"]
MATRIX = ["glorot_normal", "glorot_uniform", "he_normal", "he_uniform"]


def a(*shape):
    count = 1
    for size in shape:
        count *= size
    return tensor("float32", shape, [0] * count)


def draws():
    """Two draws in a row after each seed, and one of another kind, which shows where the key is."""
    for name, ways in WAYS.items():
        for tag, (init, kw) in ways.items():
            for seed in (0, 7, 2**40):
                steps = [step("none", "random.seed", seed), initialized("y", f"init.{name}", ["$a"], init, **kw),
                         initialized("z", f"init.{name}", ["$a"], init, **kw), step("u", "random.uniform", 0, 1, [3])]
                yield either(f"init_{name}_{tag}_seed_{seed}".replace("__", "_"), {"a": a(4, 4)}, steps, ["y", "z", "u"])


def dtypes_and_shapes():
    for name, ways in WAYS.items():
        for tag, (init, kw) in ways.items():
            for dtype in [*FLOATS, "int32", "complex64", "bool_"]:
                steps = [initialized("y", f"init.{name}", ["$a"], {**init, "dtype": {"dtype": dtype}}, **kw)]
                yield either(f"init_{name}_{tag}_{SHORT[dtype]}".replace("__", "_"), {"a": a(3, 3)}, steps)
        init, kw = ways[""]
        for shape in ([], [4], [0], [3, 5], [5, 3], [1, 1], [2, 0], [0, 2], [0, 0], [2, 3, 4], [4, 3, 2, 5]):
            steps = [step("none", "random.seed", 3), initialized("y", f"init.{name}", ["$a"], init, **kw), step("u", "random.uniform", 0, 1, [3])]
            yield either(f"init_{name}_shape_{dims(shape)}", {"a": a(*shape)}, steps, ["y", "u"], graph=0 not in shape)
        # What the tensor holds, and its dtype, do not count.
        given = {"a": tensor("int8", [2, 2], [1, 2, 3, 4])}
        yield either(f"init_{name}_of_i8", given, [initialized("y", f"init.{name}", ["$a"], init, **kw)])


def refusals():
    for name in ("he_normal", "he_uniform"):
        for shape in ([2, 2], [2], [0, 0]):
            yield either(f"init_{name}_mode_{dims(shape)}", {"a": a(*shape)}, [initialized("y", f"init.{name}", ["$a"], mode="fan")])
        for mode in ("fan_in", "fan_out"):
            for shape in ([3, 5], [4, 3, 2, 5], [0, 2], [2, 0]):
                steps = [initialized("y", f"init.{name}", ["$a"], mode=mode)]
                yield either(f"init_{name}_{mode}_{dims(shape)}", {"a": a(*shape)}, steps, graph=0 not in shape)
    for sparsity in (-0.6, 1.5, 0.01, 1e12, -1e12, {"float": "nan"}, {"float": "inf"}):
        tag = str(sparsity).strip("{}").replace("'", "").replace(": ", "_").replace("-", "m").replace(".", "_").replace("+", "")
        yield either(f"init_sparse_by_{tag}", {"a": a(2, 4)}, [initialized("y", "init.sparse", ["$a"], {"sparsity": sparsity})])
    for std in (-1.0, 0.0, {"float": "inf"}):
        tag = str(std).strip("{}").replace("'", "").replace(": ", "_").replace("-", "m").replace(".", "_")
        yield either(f"init_normal_std_{tag}", {"a": a(2, 4)}, [initialized("y", "init.normal", ["$a"], {"std": std})])
    big = {"dtype": {"dtype": "int8"}}
    yield either("init_constant_out_of_range", {"a": a(2)}, [initialized("y", "init.constant", ["$a"], {"value": 300, **big})])
    yield either("init_constant_float_of_int", {"a": a(2)}, [initialized("y", "init.constant", ["$a"], {"value": 1.5, **big})])


def cases():
    return [made for part in (draws, dtypes_and_shapes, refusals) for made in part()]
