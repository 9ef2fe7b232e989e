"""Bilinear, and dropout of whole channels."""

from .base import FLOATS, SHORT, case, dims, drawn, error, normal
from .layers import after_draw, layer
from .nn_base import differentiated, either

INIT = {"input1_dims": 4, "input2_dims": 5, "output_dims": 3}


def pair(init, names=("weight", "bias"), **kw):
    return {**layer("Bilinear", init, names, **kw), "args": ["$x1", "$x2"]}


def bilinear():
    for dtype in FLOATS:
        weights = {"weight": normal(dtype, [3, 5, 4], 3), "bias": normal(dtype, [3], 4)}
        for lead in ([], [2], [2, 3], [0]):
            inputs = {"x1": drawn(dtype, [*lead, 4], 1), "x2": drawn(dtype, [*lead, 5], 2)}
            name = f"bilinear_{dims(lead)}_{SHORT[dtype]}"
            yield either(name, {**inputs, **weights}, [pair(INIT)])
        bare = {**inputs, "x1": normal(dtype, [2, 4], 1), "x2": normal(dtype, [2, 5], 2), "weight": weights["weight"]}
        yield case(f"bilinear_bare_{SHORT[dtype]}", bare, [pair({**INIT, "bias": False}, ("weight",), train=True)])
    inputs = {"x1": normal("float32", [2, 4], 1), "x2": normal("float32", [2, 5], 2)}
    for seed in (0, 7):
        for bias in (True, False):
            steps = [pair({**INIT, "bias": bias}, None, init_seed=seed), after_draw()]
            yield case(f"bilinear_drawn_{seed}_{'bias' if bias else 'bare'}", inputs, steps, ("y", "z"))
    weights = {"weight": normal("float32", [3, 5, 4], 3), "bias": normal("float32", [3], 4)}
    yield differentiated("bilinear_gradient", {**inputs, **weights}, ["x1", "x2", "weight", "bias"], [pair(INIT)])
    for name, x1, x2 in (
        ("inner", [2, 5], [2, 5]), ("other", [2, 4], [3, 4]), ("counts", [2, 4], [3, 5]), ("0d", [], [5]),
    ):
        inputs = {"x1": normal("float32", x1, 1), "x2": normal("float32", x2, 2)}
        yield error(f"bilinear_{name}", inputs, pair(INIT, None))
    # One of them once for all of the other.
    inputs = {"x1": normal("float32", [3, 4], 1), "x2": normal("float32", [5], 2)}
    yield either("bilinear_one_for_all", inputs, [pair(INIT, None)])
    yield error("bilinear_no_inputs", inputs, pair({**INIT, "input1_dims": 0}, None), message=False)


def dropout():
    shapes = {"Dropout2d": ([3, 4, 6], [2, 3, 4, 6]), "Dropout3d": ([2, 3, 2, 6], [2, 2, 3, 2, 6])}
    for name, fits in shapes.items():
        low = name.lower()
        for shape in fits:
            for dtype in FLOATS:
                x = {"x": normal(dtype, shape, 1)}
                for p in (0.5, 0.3, 0.0):
                    steps = [layer(name, {"p": p}, None, train=True, seed=3), after_draw()]
                    yield case(f"{low}_{dims(shape)}_{p}_{SHORT[dtype]}", x, steps, ("y", "z"))
            steps = [layer(name, {}, None, seed=3), after_draw()]
            yield case(f"{low}_{dims(shape)}_asked", {"x": normal("float32", shape, 1)}, steps, ("y", "z"))
        steps = [layer(name, {"p": 0.3}, None, train=True, seed=3)]
        yield differentiated(f"{low}_gradient", {"x": normal("float32", fits[0], 1)}, ["x"], steps)
        for shape in (fits[0][1:], [1, *fits[1]], []):
            for kw in ({"train": True}, {}):
                steps = layer(name, {"p": 0.0}, None, **kw)
                made = f"{low}_axes_{dims(shape)}_{'trained' if kw else 'asked'}"
                yield error(made, {"x": normal("float32", shape, 1)}, steps)
        empty = {"x": drawn("float32", [0, *fits[0]], 1)}
        yield either(f"{low}_empty", empty, [layer(name, {}, None, train=True)])
        for p in (1.0, -0.5, 1.5, 1e-7):
            x = {"x": normal("float32", fits[0], 1)}
            yield either(f"{low}_p_{p}".replace("-", "minus_"), x, [layer(name, {"p": p}, None, train=True)])


def cases():
    return [made for part in (bilinear, dropout) for made in part()]
