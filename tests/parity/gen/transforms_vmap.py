"""vmap of every op: each way to take arguments apart, nested, with gradients and products inside and around.

Not here: the calls, what vmap refuses (transforms_refused).
"""

from .base import HALVES, SHORT, step
from .transforms_base import judged, transform
from .transforms_grad import differentiable, families, raises

SIZE = 2


def batched(call, axes):
    """The arguments, those with an axis taken along it."""
    pairs = zip(call.inputs.items(), axes)
    return {name: draw if axis is None else draw.along(axis, SIZE) for (name, draw), axis in pairs}


def vmap(call, dtype, kind, axes, out_axes=0, graph=True, alike=False):
    """`alike`: one axis for all arguments, as a number."""
    inputs = call.given(dtype, batched(call, axes))
    kw = {"in_axes": axes[0] if alike else axes}
    if out_axes != 0:
        kw["out_axes"] = out_axes
    made = transform(call.outputs, "vmap", call.body(), call.args(), **kw)
    return judged(f"{kind}_{call.tag}_{SHORT[dtype]}", raises(kind, call), inputs, [made], call.outputs, graph)


def nested(call, dtype, kind):
    """The outer along the first axis, the inner along the last of what is left."""
    draws = {name: draw.along(-1, 3).along(0, SIZE) for name, draw in call.inputs.items()}
    inner = transform(call.outputs, "vmap", call.body(), call.args(), in_axes=-1, out_axes=0)
    body = {"params": list(call.inputs), "steps": [inner], "outputs": call.outputs}
    made = transform(call.outputs, "vmap", body, call.args())
    return judged(f"{kind}_{call.tag}_{SHORT[dtype]}", raises(kind, call), call.given(dtype, draws), [made], call.outputs)


def of_grad(call, dtype, kind, graph=True):
    """Gradients of each item."""
    out = [f"g{i}" for i in call.free()]
    inner = transform(out, "grad", call.loss(), call.args(), argnums=call.free())
    body = {"params": list(call.inputs), "steps": [inner], "outputs": out}
    made = transform(out, "vmap", body, call.args())
    inputs = call.given(dtype, batched(call, [0] * len(call.inputs)))
    return judged(f"{kind}_{call.tag}_{SHORT[dtype]}", raises(kind, call), inputs, [made], out, graph)


def inside_grad(call, dtype, kind, graph=True):
    """The gradient of one number made of all items' results."""
    steps = [transform(call.outputs, "vmap", call.body(), call.args())]
    for i, name in enumerate(call.outputs):
        steps += [step(f"w{i}", "mx.sin", f"${name}"), step(f"l{i}", "mx.sum", f"$w{i}")]
        if i:
            steps.append(step("l0", "+", "$l0", f"$l{i}"))
    body = {"params": list(call.inputs), "steps": steps, "outputs": ["l0"]}
    out = ["v", *(f"g{i}" for i in call.free())]
    made = transform(out, "value_and_grad", body, call.args(), argnums=call.free())
    inputs = call.given(dtype, batched(call, [0] * len(call.inputs)))
    return judged(f"{kind}_{call.tag}_{SHORT[dtype]}", raises(kind, call), inputs, [made], out, graph)


def of_jvp(call, dtype, kind):
    """Tangents of each item."""
    names = [name for name, draw in call.inputs.items() if draw.is_free()]
    inputs = call.given(dtype, batched(call, [0] * len(call.inputs)))
    tangents = {f"t_{name}": call.inputs[name].along(0, SIZE).input(f"{call.tag}.t_{name}", dtype) for name in names}
    body = {"params": names, "steps": call.steps, "outputs": call.outputs}
    out = [f"{what}{i}" for what in "vj" for i in range(len(call.outputs))]
    inner = transform(out, "jvp", body, [f"${name}" for name in names], tangents=[f"$t_{name}" for name in names])
    outer = {"params": [*call.inputs, *tangents], "steps": [inner], "outputs": out}
    made = transform(out, "vmap", outer, [f"${name}" for name in outer["params"]])
    return judged(f"{kind}_{call.tag}_{SHORT[dtype]}", raises(kind, call), {**inputs, **tangents}, [made], out)


def ways(call, dtype, turn):
    count = len(call.inputs)
    yield vmap(call, "float32", "vmap_first", [0] * count, alike=True)
    yield vmap(call, dtype, "vmap_guarded", [0] * count, alike=True, graph=False)
    yield vmap(call, "float32", "vmap_last", [-1] * count, -1)
    if turn % 2 and all(draw.shape for draw in call.inputs.values()):
        yield vmap(call, "float32", "vmap_second", [1] * count)
    if count > 1:
        yield vmap(call, "float32", "vmap_one", [0] + [None] * (count - 1))
        yield vmap(call, dtype, "vmap_rest", [None] + [0] * (count - 1), graph=False)
    yield nested(call, "float32", "vmap_nested")


def cases_of(calls):
    made = []
    for turn, call in enumerate(calls):
        made += ways(call, (HALVES + ["float64"])[turn % 3], turn)
    return made


def with_gradients():
    made = []
    turn = 0
    for calls in families().values():
        for call in calls:
            # What MLX gives for updates of nothing under both is foreign memory; vmap of divmod is refused.
            if not differentiable(call) or "empty" in call.tag or call.tag == "divmod":
                continue
            turn += 1
            made.append(of_grad(call, "float32", "vmap_of_grad"))
            made.append(inside_grad(call, "float32", "grad_of_vmap"))
            if call.guarded:
                made.append(of_grad(call, "float64", "vmap_of_grad_guarded", False))
                made.append(inside_grad(call, "float64", "grad_of_vmap_guarded", False))
            if turn % 3 == 1:
                made.append(of_jvp(call, "float32", "vmap_of_jvp"))
    return made
