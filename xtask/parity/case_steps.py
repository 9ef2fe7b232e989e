"""Steps of a case under Python MLX: every op name, layers, optimizers and transforms.

Not here: what arguments and inputs mean (case_values.py) and the line protocol (worker.py).
"""

import itertools
import operator

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
from mlx.utils import tree_flatten

from case_values import argument, evaluate, index_spec, lookup, require

BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "@": operator.matmul,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
    ">>": operator.rshift, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}
UNARY = {"neg": operator.neg, "~": operator.invert, "abs": abs}
IN_PLACE = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv,
    "//=": operator.ifloordiv, "%=": operator.imod,
}
MODULES = {
    "mx": mx, "fast": mx.fast, "random": mx.random, "linalg": mx.linalg, "fft": mx.fft,
    "nn": nn, "losses": nn.losses, "init": nn.init,
}
AT_UPDATES = {"add", "subtract", "multiply", "divide", "maximum", "minimum"}
TRANSFORMS = {"grad", "value_and_grad", "vjp", "jvp", "vmap", "compile", "checkpoint"}
TRANSFORM_KEYWORDS = {
    "grad": {"argnums"}, "value_and_grad": {"argnums"}, "vjp": {"cotangents"},
    "jvp": {"tangents"}, "vmap": {"in_axes", "out_axes"}, "compile": {"shapeless", "calls"},
    "checkpoint": set(),
}
STEP_KEYS = {
    "out", "op", "args", "kw", "init", "params", "train", "init_seed", "seed", "steps", "body",
    "to_quantized", "method", "layers", "only",
}


def keywords(step, env, key="kw"):
    named = step.get(key, {})
    require(isinstance(named, dict), f"{key} is an object")
    return {name: argument(value, env) for name, value in named.items()}


def own_handle(value):
    """In-place ops re-point the handle they are given: the case's other names must not see it."""
    require(isinstance(value, mx.array), "the first argument must be a tensor")
    return value[...]


def run_operator(op, args):
    count = 1 if op in UNARY else 2
    require(len(args) == count, f"{op} takes {count} argument(s)")
    if op in IN_PLACE:
        return IN_PLACE[op](own_handle(args[0]), args[1])
    return (UNARY.get(op) or BINARY[op])(*args)


def run_index(op, step, env):
    args = step.get("args", [])
    require(len(args) == {"index": 2, "set_index": 3, "at": 4}[op], f"{op}: wrong argument count")
    tensor, spec = argument(args[0], env), index_spec(args[1], env)
    if op == "index":
        return tensor[spec]
    value = argument(args[2], env)
    if op == "set_index":
        tensor = own_handle(tensor)
        tensor[spec] = value
        return tensor
    require(args[3] in AT_UPDATES, f"unknown update {args[3]!r}")
    return getattr(tensor.at[spec], args[3])(value)


def run_method(name, args, kw):
    require(args and isinstance(args[0], mx.array), "a method needs a tensor in args[0]")
    require(not name.startswith("_") and hasattr(args[0], name), f"unknown method {name!r}")
    if name in ("item", "tolist"):
        evaluate(args[0])
    member = getattr(args[0], name)
    if callable(member):
        return member(*args[1:], **kw)
    require(len(args) == 1 and not kw, f"{name} takes no arguments")
    return member


def run_layer(cls, step, env):
    init, params = keywords(step, env, "init"), keywords(step, env, "params")
    mx.random.seed(step.get("init_seed", 0))
    layer = cls(**init)
    if "params" in step:
        layer.load_weights(list(params.items()), strict=True)
    if "to_quantized" in step:
        layer = layer.to_quantized(**keywords(step, env, "to_quantized"))
    layer.train(step.get("train", False))
    args, kw = argument(step.get("args", []), env), keywords(step, env)
    if "seed" in step:
        mx.random.seed(step["seed"])
    return getattr(layer, step["method"])(*args, **kw) if "method" in step else layer(*args, **kw)


def run_quantize(step, env):
    """A Sequential of `layers`, those at the keys in `only` quantized by the keywords: what it gives, its keys."""
    mx.random.seed(step.get("init_seed", 0))
    layers = [getattr(nn, one["op"].removeprefix("nn."))(**keywords(one, env, "init")) for one in step["layers"]]
    model = nn.Sequential(*layers)
    only = step.get("only")
    predicate = None if only is None else lambda path, module: path in only
    nn.quantize(model, **keywords(step, env), class_predicate=predicate)
    model.train(step.get("train", False))
    y = model(*argument(step.get("args", []), env))
    trees = (model.parameters(), model.trainable_parameters())
    return [y, *([name for name, _ in tree_flatten(tree)] for tree in trees)]


def run_optimizer(name, step, env):
    cls = getattr(optim, name, None)
    require(isinstance(cls, type), f"unknown optimizer {name!r}")
    init = keywords(step, env, "init")
    args = argument(step.get("args", []), env)
    pair = len(args) == 2 and all(isinstance(a, list) for a in args)
    same = pair and len(args[0]) == len(args[1])
    require(same, "an optimizer takes a list of parameters and as many gradients")
    params = {str(i): own_handle(p) for i, p in enumerate(args[0])}
    optimizer = cls(**init)
    for _ in range(step.get("steps", 1)):
        # Some optimizers use += on the gradients they are given.
        grads = {str(i): own_handle(g) for i, g in enumerate(args[1])}
        params = optimizer.apply_gradients(grads, params)
    return [params[str(i)] for i in range(len(args[0]))]


def body_function(body, env):
    form = isinstance(body, dict) and set(body) == {"params", "steps", "outputs"}
    require(form, "a body has params, steps and outputs")

    def function(*values):
        require(len(values) == len(body["params"]), "body: wrong number of arguments")
        inner = {**env, **dict(zip(body["params"], values))}
        run_steps(body["steps"], inner)
        outputs = tuple(lookup(name, inner) for name in body["outputs"])
        return outputs[0] if len(outputs) == 1 else outputs

    return function


def flat(tree):
    if isinstance(tree, (list, tuple)):
        return [leaf for branch in tree for leaf in flat(branch)]
    return [tree]


def as_tuples(tree):
    return tuple(as_tuples(t) for t in tree) if isinstance(tree, list) else tree


def run_transform(op, step, env):
    function = body_function(step.get("body"), env)
    args, kw = argument(step.get("args", []), env), keywords(step, env)
    require(set(kw) <= TRANSFORM_KEYWORDS[op], f"{op} has no such keyword: {sorted(kw)}")
    if op in ("vjp", "jvp"):
        (keyword,) = TRANSFORM_KEYWORDS[op]
        require(keyword in kw, f"{op} needs {keyword}")
        vectors = kw[keyword] if isinstance(kw[keyword], list) else [kw[keyword]]
        return flat(getattr(mx, op)(function, args, vectors))
    if op == "vmap":
        axes = {name: as_tuples(value) for name, value in kw.items()}
        return flat(mx.vmap(function, **axes)(*args))
    calls = kw.pop("calls", 1)
    require(type(calls) is int and calls > 0, "calls is a positive int")
    transformed = getattr(mx, op)(function, **kw)
    for _ in range(calls):
        result = transformed(*args)
    return flat(result)


def run_named(op, step, env):
    prefix, _, name = op.partition(".")
    if prefix == "method":
        return run_method(name, argument(step.get("args", []), env), keywords(step, env))
    if prefix == "optim":
        return run_optimizer(name, step, env)
    require(prefix in MODULES and not name.startswith("_"), f"unknown op {op!r}")
    function = getattr(MODULES[prefix], name, None)
    require(callable(function), f"unknown op {op!r}")
    if prefix == "nn" and name[:1].isupper():
        return run_layer(function, step, env)
    if op == "nn.quantize":
        return run_quantize(step, env)
    args, kw = argument(step.get("args", []), env), keywords(step, env)
    if prefix == "init":
        # What makes the initialiser stands in init, as with a layer.
        return function(**keywords(step, env, "init"))(*args, **kw)
    if op == "mx.isdtype":
        # It asks for a tuple, and JSON has lists only.
        args, kw = as_tuples(args), {name: as_tuples(value) for name, value in kw.items()}
    return function(*args, **kw)


def run_op(step, env):
    op = step.get("op")
    require(isinstance(op, str), "a step needs an op")
    require(set(step) <= STEP_KEYS, f"unknown keys: {sorted(set(step) - STEP_KEYS)}")
    require(isinstance(step.get("args", []), list), "args is a list")
    if op in UNARY or op in BINARY or op in IN_PLACE:
        require(not step.get("kw"), f"{op} takes no keywords")
        return run_operator(op, argument(step.get("args", []), env))
    if op in ("index", "set_index", "at"):
        return run_index(op, step, env)
    if op in TRANSFORMS:
        return run_transform(op, step, env)
    return run_named(op, step, env)


def unpacked(value, count):
    """Python's `a, b = value`, with Python's words when the counts differ."""
    values = list(itertools.islice(iter(value), count + 1))
    if len(values) > count:
        raise ValueError(f"too many values to unpack (expected {count})")
    if len(values) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(values)})")
    return values


def run_steps(steps, env):
    require(isinstance(steps, list), "steps is a list")
    for step in steps:
        require(isinstance(step, dict), "a step is an object")
        result, out = run_op(step, env), step.get("out")
        op = step["op"]
        # Transforms and optimizers answer with a flat list; a list of one stands for its element
        # unless the names ask for it as a list.
        is_flat = op in TRANSFORMS or op.startswith("optim.")
        alone = is_flat and len(result) == 1
        if isinstance(out, str):
            env[out] = result[0] if alone else result
        else:
            require(isinstance(out, list) and out, "a step needs out")
            split = result[0] if alone and len(out) > 1 else result
            env.update(zip(out, unpacked(split, len(out))))
