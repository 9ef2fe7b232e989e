"""Recurrent layers: RNN, GRU, LSTM."""

from .base import FLOATS, SHORT, case, dims, drawn, error, normal, tensor
from .layers import after_draw
from .nn_base import FLOATS3, differentiated, either

SIZES = {"input_size": 4, "hidden_size": 3}
# The parameters of each layer: names and, in blocks of the hidden size, rows and columns.
PARAMETERS = {
    "RNN": {"Wxh": (1, "x"), "Whh": (1, "h"), "bias": (1, None)},
    "GRU": {"Wx": (3, "x"), "Wh": (3, "h"), "b": (3, None), "bhn": (1, None)},
    "LSTM": {"Wx": (4, "x"), "Wh": (4, "h"), "bias": (4, None)},
}
BIASES = {"bias", "b", "bhn"}


def weights(kind, dtype, bias=True):
    made = {}
    for key, (name, (blocks, columns)) in enumerate(PARAMETERS[kind].items()):
        if name in BIASES and not bias:
            continue
        shape = [blocks * 3] + {"x": [4], "h": [3], None: []}[columns]
        made[name] = normal(dtype, shape, 10 + key)
    return made


def run(kind, names, init=None, states=(), **kw):
    """The layer's step, with its states by keyword; an LSTM gives two tensors."""
    made = {"out": ["y", "c"] if kind == "LSTM" else "y", "op": f"nn.{kind}", "args": ["$x"], "init": {**SIZES, **(init or {})}}
    if names is not None:
        made["params"] = {name: f"${name}" for name in names}
    if states:
        made["kw"] = {name: f"${name}" for name in states}
    return {**made, **kw}


def outputs(kind):
    return ("y", "c") if kind == "LSTM" else ("y",)


def states_of(kind):
    return ["hidden", "cell"] if kind == "LSTM" else ["hidden"]


def values():
    for kind in PARAMETERS:
        for dtype in FLOATS:
            for shape in ([3, 4], [2, 3, 4], [2, 1, 3, 4], [0, 2, 4]):
                inputs = {"x": drawn(dtype, shape, 1), **weights(kind, dtype)}
                name = f"{kind.lower()}_{dims(shape)}_{SHORT[dtype]}"
                yield case(name, inputs, [run(kind, weights(kind, dtype))], outputs(kind))
            inputs = {"x": normal(dtype, [2, 3, 4], 1)}
            states = {name: normal(dtype, [2, 3], 20 + i) for i, name in enumerate(states_of(kind))}
            for bias in (True, False):
                params = weights(kind, dtype, bias)
                made = run(kind, params, {"bias": bias}, states)
                name = f"{kind.lower()}_states_{'bias' if bias else 'bare'}_{SHORT[dtype]}"
                yield case(name, {**inputs, **states, **params}, [made], outputs(kind))
            bare = weights(kind, dtype, False)
            yield case(f"{kind.lower()}_bare_{SHORT[dtype]}", {**inputs, **bare}, [run(kind, bare, {"bias": False})], outputs(kind))
    cell = {"x": normal("float32", [2, 3, 4], 1), "cell": normal("float32", [2, 3], 2), **weights("LSTM", "float32")}
    yield case("lstm_cell_alone", cell, [run("LSTM", weights("LSTM", "float32"), None, ["cell"])], ("y", "c"))
    mixed = {"x": normal("bfloat16", [2, 3, 4], 1), "hidden": normal("float16", [2, 3], 2), **weights("RNN", "float32")}
    yield case("rnn_mixed", mixed, [run("RNN", weights("RNN", "float32"), None, ["hidden"])])
    for function in ("relu", "tanh"):
        params = weights("RNN", "float32")
        made = run("RNN", params, {"nonlinearity": {"function": function}})
        yield case(f"rnn_{function}", {"x": normal("float32", [2, 3, 4], 1), **params}, [made])


def initial():
    for kind in PARAMETERS:
        for seed in (0, 7):
            for bias in (True, False):
                x = {"x": normal("float32", [2, 3, 4], 1)}
                made = run(kind, None, {"bias": bias}, init_seed=seed)
                name = f"{kind.lower()}_drawn_{seed}_{'bias' if bias else 'bare'}"
                yield case(name, x, [made, after_draw()], (*outputs(kind), "z"))


def gradients():
    for kind in PARAMETERS:
        for dtype in FLOATS3:
            params = weights(kind, dtype)
            states = {name: normal(dtype, [2, 3], 20 + i) for i, name in enumerate(states_of(kind))}
            inputs = {"x": normal(dtype, [2, 3, 4], 1), **params, **states}
            yield differentiated(f"{kind.lower()}_gradient_{SHORT[dtype]}", inputs, list(inputs), [run(kind, params, None, states)])


def refused():
    for kind in PARAMETERS:
        low = kind.lower()
        params = weights(kind, "float32")
        steps = lambda names=params, **kw: run(kind, names, **kw)
        first = lambda made: {**made, "outputs": list(outputs(kind))}
        for shape in ([0, 4], [2, 0, 4]):
            yield first(error(f"{low}_no_step_{dims(shape)}", {"x": tensor("float32", shape, []), **params}, steps()))
        for shape in ([4], []):
            yield first(error(f"{low}_{dims(shape)}", {"x": normal("float32", shape, 1), **params}, steps(), message=False))
        yield first(error(f"{low}_features", {"x": normal("float32", [3, 5], 1), **params}, steps()))
        ints = {"x": tensor("int32", [1, 4], [1, 2, 3, 4])}
        yield either(f"{low}_ints", ints, [run(kind, None)], outputs(kind))
        x = {"x": normal("float32", [2, 3, 4], 1), **params}
        for shape in ([2, 4], [3, 3], [3], [], [1, 3], [0, 3]):
            state = {"hidden": drawn("float32", shape, 5)}
            yield either(f"{low}_hidden_{dims(shape)}", {**x, **state}, [steps(states=["hidden"])], outputs(kind))
        yield first(error(f"{low}_missing", x, steps([name for name in params if name not in BIASES])))
        yield first(error(f"{low}_shape", x, run(kind, params, {"hidden_size": 4})))
        yield first(error(f"{low}_no_hidden", x, run(kind, None, {"hidden_size": 0}), message=False))
        yield first(error(f"{low}_negative", x, run(kind, None, {"hidden_size": -1}), message=False))
        nothing = {"x": tensor("float32", [2, 0], [])}
        yield either(f"{low}_no_inputs", nothing, [run(kind, None, {"input_size": 0})], outputs(kind))


def cases():
    return [made for part in (values, initial, gradients, refused) for made in part()]
