"""Products of every op's Jacobian with tangents, alone and of a gradient.

Not here: the calls, gradients (transforms_grad), vectorisation (transforms_vmap).
"""

from .base import HALVES, SHORT
from .transforms_base import judged, transform
from .transforms_grad import families, raises


def jvp(call, dtype, kind, graph):
    """By the arguments that have a gradient; the others are captured."""
    names = [name for name, draw in call.inputs.items() if draw.is_free()]
    inputs = call.given(dtype)
    inputs.update({f"t_{name}": call.inputs[name].input(f"{call.tag}.t_{name}", dtype) for name in names})
    body = {"params": names, "steps": call.steps, "outputs": call.outputs}
    out = [f"{what}{i}" for what in "vj" for i in range(len(call.outputs))]
    made = transform(out, "jvp", body, [f"${name}" for name in names], tangents=[f"$t_{name}" for name in names])
    return judged(f"{kind}_{call.tag}_{SHORT[dtype]}", raises(kind, call), inputs, [made], out, graph)


def jvp_of_grad(call, dtype, kind):
    """The Hessian's product with a vector."""
    names = [name for name, draw in call.inputs.items() if draw.is_free()]
    inputs = call.given(dtype)
    inputs.update({f"t_{name}": call.inputs[name].input(f"{call.tag}.t_{name}", dtype) for name in names})
    inner_out = [f"g{i}" for i in call.free()]
    inner = transform(inner_out, "grad", call.loss(), call.args(), argnums=call.free())
    body = {"params": names, "steps": [inner], "outputs": inner_out}
    out = [f"{what}{i}" for what in "gj" for i in range(len(names))]
    made = transform(out, "jvp", body, [f"${name}" for name in names], tangents=[f"$t_{name}" for name in names])
    return judged(f"{kind}_{call.tag}_{SHORT[dtype]}", raises(kind, call), inputs, [made], out)


def cases():
    made = []
    turn = 0
    for calls in families().values():
        for call in calls:
            if not call.free():
                continue
            turn += 1
            made.append(jvp(call, "float32", "jvp", True))
            made.append(jvp(call, (HALVES + ["float64"])[turn % 3], "jvp_other", False))
            if call.complex_too:
                made.append(jvp(call, "complex64", "jvp_complex", True))
            if turn % 3 == 0:
                made.append(jvp_of_grad(call, "float32", "jvp_of_grad"))
    return made
