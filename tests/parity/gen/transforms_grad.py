"""Gradients of every op: value_and_grad of one number made of its result, vjp of its result; first and second order.

Not here: the calls, products forward (transforms_jvp), vectorisation (transforms_vmap).
"""

from . import transforms_elementwise, transforms_kernels, transforms_shaping
from .base import HALVES, SHORT, step
from .transforms_base import judged, transform
from .transforms_without import WITHOUT


def raises(kind, call):
    return call.tag in WITHOUT[kind]


def value_and_grad(call, dtype, kind, graph):
    out = ["v", *(f"g{i}" for i in call.free())]
    argnums = call.free() if len(call.free()) > 1 else call.free()[0]
    made = transform(out, "value_and_grad", call.loss(), call.args(), argnums=argnums)
    name = f"{kind}_{call.tag}_{SHORT[dtype]}"
    return judged(name, raises(kind, call), call.given(dtype), [made], out, graph)


def vjp(call, dtype, kind):
    """By the arguments that have a gradient; the others are captured. The cotangents are a function of the result."""
    names = [name for name, draw in call.inputs.items() if draw.is_free()]
    before = list(call.steps)
    for output in call.outputs:
        before.append(step(f"c_{output}", "mx.sin", f"${output}"))
    body = {"params": names, "steps": call.steps, "outputs": call.outputs}
    out = [*(f"v{i}" for i in range(len(call.outputs))), *(f"g{i}" for i in range(len(names)))]
    made = transform(out, "vjp", body, [f"${name}" for name in names], cotangents=[f"$c_{output}" for output in call.outputs])
    name = f"{kind}_{call.tag}_{SHORT[dtype]}"
    return judged(name, raises(kind, call), call.given(dtype), [*before, made], out)


def second_order(call, dtype, kind, graph=True):
    """The gradient of one number made of a gradient."""
    inner_out = [f"g{i}" for i in call.free()]
    inner = transform(inner_out, "grad", call.loss(), call.args(), argnums=call.free())
    steps = [inner]
    for i, name in enumerate(inner_out):
        steps += [step(f"s{i}", "mx.cos", f"${name}"), step(f"t{i}", "mx.sum", f"$s{i}")]
        if i:
            steps.append(step("t0", "+", "$t0", f"$t{i}"))
    body = {"params": list(call.inputs), "steps": steps, "outputs": ["t0"]}
    out = ["v", *(f"h{i}" for i in call.free())]
    made = transform(out, "value_and_grad", body, call.args(), argnums=call.free())
    name = f"{kind}_{call.tag}_{SHORT[dtype]}"
    return judged(name, raises(kind, call), call.given(dtype), [made], out, graph)


def differentiable(call):
    """Not by a padding's value: MLX's gradient by it is foreign memory, and with us an error (tests/killers)."""
    return call.free() and call.tag != "pad_value"


def families():
    return {
        "elementwise": transforms_elementwise.calls(), "shaping": transforms_shaping.calls(),
        "kernels": transforms_kernels.calls(),
    }


# MLX's gradients of these have other shapes than their operands, ours the right ones where guards are on.
MISDERIVED = {
    "conv2d_padding", "conv3d_padding", "conv_general", "conv_general_padded_beyond", "conv_general_one_sided",
    "conv_general_dilated_input",
}


def cases_of(calls):
    made = []
    for turn, call in enumerate(calls):
        if not differentiable(call):
            continue
        made.append(value_and_grad(call, "float32", "grad", True))
        # Guards are on where no graph is compared.
        if call.tag in MISDERIVED:
            continue
        made.append(value_and_grad(call, HALVES[turn % 2], "grad_half", False))
        made.append(vjp(call, "float64", "vjp"))
        if call.guarded:
            made.append(value_and_grad(call, "float64", "grad_guarded", False))
        if call.complex_too:
            made.append(vjp(call, "complex64", "vjp_complex"))
    return made


def second_cases():
    made = []
    for calls in families().values():
        for call in calls:
            # MLX's second gradients of convolutions go by numbers that nobody set: shapes and errors change from run to run.
            if differentiable(call) and not call.tag.startswith(("conv", "layer_Conv")):
                made.append(second_order(call, "float32", "second"))
                if call.guarded:
                    made.append(second_order(call, "float64", "second_guarded", False))
    return made
