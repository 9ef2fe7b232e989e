"""Steps of optimizers: each of Python's with its options, in three dtypes, over parameters of all shapes.

Not here: schedules, clipping and several optimizers together, which the format cannot write (tests/optimizers).
"""

from .base import SHORT, dims, drawn, error, step, tensor
from .nn_base import FLOATS3, either

SHAPES = [[3, 4], [5], [], [0], [2, 3, 2]]
FACTORED = [[3, 4], [5], [], [2, 3, 4], [1, 6]]
MATRICES = [[3, 4], [5, 2], [4], [], [2, 3, 2, 2], [3, 2, 5], [4, 1, 1, 3]]
WIDE = [[3, 4], [5]]

RATE = {"learning_rate": 0.05}
# Options beside the defaults, which come first: what each changes, and several together.
OPTIONS = {
    "SGD": [
        {}, {"momentum": 0.9}, {"weight_decay": 0.02}, {"momentum": 0.9, "dampening": 0.3},
        {"momentum": 0.9, "nesterov": True}, {"momentum": 0.5, "weight_decay": 0.1, "nesterov": True},
        {"momentum": -0.5, "dampening": 0.5}, {"momentum": 0.9, "dampening": -0.3},
    ],
    "RMSprop": [{}, {"alpha": 0.5}, {"eps": 1e-3}, {"alpha": 1.5}],
    "Adagrad": [{}, {"eps": 1e-2}],
    "AdaDelta": [{}, {"rho": 0.5}, {"eps": 1e-2}],
    "Adam": [
        {}, {"betas": [0.5, 0.75]}, {"eps": 1e-3}, {"eps": 0.0}, {"bias_correction": True},
        {"betas": [0.8, 0.9], "eps": 1e-4, "bias_correction": True}, {"betas": [0.0, 0.0], "bias_correction": True},
    ],
    "AdamW": [
        {}, {"weight_decay": 0.2}, {"weight_decay": 0.0}, {"betas": [0.5, 0.75], "bias_correction": True},
        {"betas": [0.8, 0.9], "eps": 1e-4, "weight_decay": 0.1, "bias_correction": True},
    ],
    "Adamax": [{}, {"betas": [0.5, 0.75]}, {"eps": 1e-3}, {"eps": 0.0}],
    "Lion": [{}, {"betas": [0.5, 0.75]}, {"weight_decay": 0.1}, {"weight_decay": -0.1}],
    "Muon": [
        {}, {"momentum": 0.5}, {"weight_decay": 0.0}, {"nesterov": False}, {"ns_steps": 2}, {"ns_steps": 0},
        {"momentum": 0.8, "weight_decay": 0.1, "nesterov": False, "ns_steps": 3},
    ],
}
ADAFACTOR = [
    {}, {"eps": [1e-8, 0.5]}, {"clip_threshold": 0.25}, {"decay_rate": -0.5}, {"beta_1": 0.9},
    {"weight_decay": 0.1}, {"scale_parameter": False}, {"warmup_init": True}, {"learning_rate": 0.05},
    {"learning_rate": 0.05, "relative_step": False},
    {"learning_rate": 0.05, "relative_step": False, "scale_parameter": False, "beta_1": 0.5, "weight_decay": 0.01},
]


def update(name, count, init, steps=5):
    outs = [f"y{i}" for i in range(count)]
    lists = [[f"${kind}{i}" for i in range(count)] for kind in "pg"]
    return {**step(outs, f"optim.{name}", *lists), "init": init, "steps": steps}


def given(dtype, shapes, gradients=None):
    inputs = {}
    for i, shape in enumerate(shapes):
        inputs[f"p{i}"] = drawn(dtype, shape, 2 * i)
        inputs[f"g{i}"] = drawn(gradients or dtype, shape, 2 * i + 1)
    return inputs


def stepped(label, name, init, dtype, shapes, steps=5, gradients=None):
    outs = [f"y{i}" for i in range(len(shapes))]
    made = update(name, len(shapes), init, steps)
    return either(f"{name.lower()}_{label}_{SHORT[dtype]}", given(dtype, shapes, gradients), [made], outs)


def options():
    for name, rows in OPTIONS.items():
        shapes = MATRICES if name == "Muon" else SHAPES
        for dtype in FLOATS3:
            for turn, row in enumerate(rows):
                yield stepped(turn, name, {**RATE, **row}, dtype, shapes)
    for dtype in FLOATS3:
        for turn, row in enumerate(ADAFACTOR):
            yield stepped(turn, "Adafactor", row, dtype, FACTORED)


def named():
    yield from OPTIONS
    yield "Adafactor"


def more():
    """Steps of other counts, gradients of another dtype, learning rates that are no floats, edges."""
    for name in named():
        init = RATE
        for steps in (1, 20):
            yield stepped(f"{steps}_steps", name, init, "float32", WIDE, steps)
        for dtype, gradients in (("float32", "bfloat16"), ("bfloat16", "float32"), ("float16", "bfloat16")):
            yield stepped(f"by_{SHORT[gradients]}", name, init, dtype, WIDE, 2, gradients)
        yield stepped("int_rate", name, {**init, "learning_rate": 1}, "float16", WIDE, 2)
        made = update(name, 2, {**init, "learning_rate": "$rate"}, 2)
        inputs = {**given("bfloat16", WIDE), "rate": tensor("float32", [], [0.3])}
        # Python copies the tensor, which is a node.
        yield either(f"{name.lower()}_tensor_rate", inputs, [made], ["y0", "y1"], graph=False)
        edges = tensor("float32", [6], [0.0, "inf", "-inf", "nan", 1e-40, 3e38])
        inputs = {"p0": tensor("float32", [6], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), "g0": edges}
        yield either(f"{name.lower()}_edges", inputs, [update(name, 1, init, 3)], ["y0"])
        # The CPU has no product of float64 matrices.
        yield stepped("float64", name, init, "float64", [[5]] if name == "Muon" else WIDE, 3)
        made = update(name, 1, init, 2)
        inputs = {"p0": drawn("float32", [2, 3], 0), "g0": drawn("float32", [3], 1)}
        yield either(f"{name.lower()}_broadcast", inputs, [made], ["y0"])


def empty():
    """Reductions of what is empty have a guard's node in Rust."""
    for name, shapes in (("Adafactor", ([0], [0, 3], [3, 0], [0, 0], [2, 0, 3])), ("Muon", ([0, 3], [3, 0], [0, 2, 2], [2, 0, 2]))):
        for shape in shapes:
            made = update(name, 1, RATE, 2)
            yield either(f"{name.lower()}_{dims(shape)}", given("float32", [shape]), [made], ["y0"], graph=False)


WRONG = [
    ("SGD", {"nesterov": True}), ("SGD", {"nesterov": True, "momentum": 0.9, "dampening": 0.1}),
    ("SGD", {"nesterov": True, "momentum": -0.9}),
    ("RMSprop", {"alpha": -0.5}), ("RMSprop", {"eps": 0.0}), ("RMSprop", {"eps": -1e-8}),
    ("Adagrad", {"eps": 0.0}), ("Adagrad", {"eps": -0.25}),
    ("AdaDelta", {"rho": -1.0}), ("AdaDelta", {"eps": 0.0}), ("AdaDelta", {"eps": -1e-20}),
    ("Adam", {"betas": [1.0, 0.5]}), ("Adam", {"betas": [0.5, -0.1]}), ("Adam", {"betas": [0.5, 1.5]}),
    ("Adam", {"eps": -1e-8}), ("AdamW", {"betas": [0.5, 1.0]}), ("AdamW", {"eps": -1.0}),
    ("Adamax", {"betas": [-1.0, 0.5]}), ("Adamax", {"eps": -1e-5}),
    ("Lion", {"betas": [2.0, 0.5]}), ("Lion", {"betas": [0.5, 1.0]}),
]


def wrong():
    for turn, (name, row) in enumerate(WRONG):
        made = {**update(name, 1, {**RATE, **row}), "out": "y"}
        yield error(f"{name.lower()}_wrong_{turn}", given("float32", [[3]]), made)
    for name in named():
        made = {**update(name, 1, RATE), "out": "y"}
        inputs = {"p0": drawn("float32", [2, 3], 0), "g0": drawn("float32", [2, 4], 1)}
        yield error(f"{name.lower()}_shapes", inputs, made)
    made = {**update("Adafactor", 1, {"relative_step": False}), "out": "y"}
    yield error("adafactor_no_rate", given("float32", [[3]]), made, message=False)


def cases():
    return [made for part in (options, more, empty, wrong) for made in part()]
