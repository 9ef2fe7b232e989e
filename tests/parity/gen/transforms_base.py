"""What the cases of transforms share: sample calls of ops, and what to do to a call.

A call is a few steps with random arguments; its `y` is what is differentiated or vectorised. Not here: the calls
(transforms_elementwise, transforms_shaping, transforms_kernels), and the cases.
"""

import random
import zlib

from .base import SHORT, case, error, step


class Draw:
    """A random argument: how it is drawn, its shape, and its dtype where the case does not choose it."""

    def __init__(self, kind, shape, dtype=None, low=0, high=1):
        self.kind, self.shape, self.dtype, self.low, self.high = kind, list(shape), dtype, low, high

    def is_free(self):
        """Whether the case chooses the dtype: what is differentiated by."""
        return self.dtype is None

    def along(self, axis, size):
        """As many of it, along a new axis."""
        shape = list(self.shape)
        shape.insert(axis if axis >= 0 else len(shape) + 1 + axis, size)
        return Draw(self.kind, shape, self.dtype, self.low, self.high)

    def input(self, name, dtype):
        dtype = self.dtype or dtype
        seed = zlib.crc32(name.encode())
        made = {"dtype": dtype, "shape": self.shape}
        count = 1
        for size in self.shape:
            count *= size
        if count == 0:
            return {**made, "values": []}
        if dtype == "complex64":
            numbers = random.Random(seed)
            part = lambda: round(numbers.uniform(self.low, self.high) if self.kind == "uniform" else numbers.gauss(0, 1), 3)
            return {**made, "values": [[part(), part()] for _ in range(count)]}
        key = seed % 100_000
        if self.kind == "normal":
            return {**made, "normal": {"key": key}}
        return {**made, self.kind: {"key": key, "low": self.low, "high": self.high}}


def N(*shape):
    return Draw("normal", shape)


def P(*shape):
    """Well above 0."""
    return Draw("uniform", shape, None, 0.3, 2.5)


def U(*shape):
    """Between -1 and 1."""
    return Draw("uniform", shape, None, -0.9, 0.9)


def G(*shape):
    """Greater than 1."""
    return Draw("uniform", shape, None, 1.2, 3.0)


def F(*shape):
    """Of float32, whatever the others are."""
    return Draw("normal", shape, "float32")


def I(high, *shape, dtype="int32", low=0):
    return Draw("randint", shape, dtype, low, high)


def B(*shape):
    return Draw("randint", shape, "bool_", 0, 2)


class Call:
    """A call of an op: its name in cases, steps that make the outputs, and arguments by name."""

    def __init__(self, tag, steps, inputs, outputs=("y",), guarded=False, complex_too=False):
        self.tag, self.steps, self.inputs = tag, steps, inputs
        self.outputs, self.guarded, self.complex_too = list(outputs), guarded, complex_too

    def free(self):
        """Positions of the arguments that are differentiated by."""
        return [i for i, draw in enumerate(self.inputs.values()) if draw.is_free()]

    def given(self, dtype, draws=None):
        draws = draws or self.inputs
        return {name: draw.input(f"{self.tag}.{name}", dtype) for name, draw in draws.items()}

    def args(self):
        return [f"${name}" for name in self.inputs]

    def body(self, outputs=None, more=()):
        return {"params": list(self.inputs), "steps": self.steps + list(more), "outputs": outputs or self.outputs}

    def loss(self, function="mx.sin"):
        """The body with one number as its output, in which each element of each output weighs something else."""
        more, terms = [], []
        for i, name in enumerate(self.outputs):
            more += [step(f"w{i}", function, f"${name}"), step(f"l{i}", "mx.sum", f"$w{i}")]
            terms.append(f"l{i}")
        for i, term in enumerate(terms[1:]):
            more.append(step("l0", "+", "$l0", f"${term}"))
        return self.body(["l0"], more)


def call(tag, op, *args, kw=None, outs=1, guarded=False, complex_too=False, before=(), **inputs):
    """A call of one op; `before` are steps that prepare its arguments."""
    outputs = ["y"] if outs == 1 else [f"y{i}" for i in range(outs)]
    made = step(outputs[0] if outs == 1 else outputs, op, *args, **(kw or {}))
    return Call(tag, [*before, made], inputs, outputs, guarded, complex_too)


def transform(out, op, body, args, **kw):
    made = step(out, op, *args, **kw)
    made["body"] = body
    return made


def judged(name, raises, inputs, steps, outputs, graph=True):
    """A case, or where Python raises one of its error text."""
    if raises:
        made = {**error(name, inputs, *steps), "outputs": list(outputs)}
        if "divmod" in name and "vmap" in name:
            made["compare"] = ["value"]  # MLX's text has a number from foreign memory
        return made
    # Reductions of nothing have a guard node.
    return case(name, inputs, steps, outputs, graph and "_empty" not in name)
