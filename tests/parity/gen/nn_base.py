"""What the cases of mlx.nn's functions share: edge values, gradients, and cases that may raise.

Not here: any case.
"""

from .base import SHORT, case, dims, drawn, normal, step, tensor
from .transforms_base import transform

FLOATS3 = ["float32", "bfloat16", "float16"]
LARGE = {"float32": [3e38, -3e38, 1e-40], "bfloat16": [3e38, -3e38, 1e-40], "float16": [65504.0, -65504.0, 6e-8]}
COMMON = ["nan", "inf", "-inf", 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 3.0, -3.0, 6.0, 88.5, -88.5, 1000.0, -1000.0, 1e-3]


def edges(dtype, shift=0):
    """Twenty special values in a row, begun elsewhere by `shift`."""
    values = COMMON + LARGE[dtype]
    values = values[shift:] + values[:shift]
    return tensor(dtype, [len(values)], values)


def either(name, inputs, steps, outputs=("y",), graph=True):
    """A case whose values and graph agree, or its error text where Python raises."""
    made = case(name, inputs, steps, outputs, graph)
    return {**made, "compare": [*made["compare"], "message"]}


def initialized(out, name, args, init=None, **kw):
    """A step with what makes the layer or initialiser."""
    made = step(out, name, *args, **kw)
    return {**made, "init": init} if init else made


def differentiated(name, inputs, params, steps, by=None, graph=True):
    """The gradients of a sum in which each element of `y` weighs something else, by all or some of `params`."""
    by = list(range(len(params))) if by is None else by
    more = [step("w", "mx.sin", "$y"), step("l", "mx.sum", "$w")]
    body = {"params": list(params), "steps": steps + more, "outputs": ["l"]}
    outs = ["l", *(f"g{i}" for i in by)]
    made = transform(outs, "value_and_grad", body, [f"${p}" for p in params], argnums=by)
    return either(name, inputs, [made], outs, graph)


def mapped(name, inputs, params, steps, graph=True):
    """What a body gives along the first axis of all its parameters."""
    body = {"params": list(params), "steps": steps, "outputs": ["y"]}
    return either(name, inputs, [transform("y", "vmap", body, [f"${p}" for p in params])], graph=graph)
