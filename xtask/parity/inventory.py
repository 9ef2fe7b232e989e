"""Writes the public names of Python MLX, one a line as parity cases spell them, for `cargo xtask parity coverage`.

Not here: which of them this library has (xtask/src/parity/coverage.rs) or why it has not (xtask/dispositions.toml).
"""

import types

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import mlx.utils as utils

MODULES = {
    "mx": mx, "random": mx.random, "linalg": mx.linalg, "fft": mx.fft, "fast": mx.fast,
    "metal": mx.metal, "cuda": mx.cuda, "distributed": mx.distributed, "nn": nn, "init": nn.init,
    "losses": nn.losses, "optim": optim, "utils": utils,
}


def public(module):
    """Functions, classes and values, not what a module only imports for itself."""
    for name, value in vars(module).items():
        origin = getattr(value, "__module__", None) or "mlx"
        is_own = origin.split(".")[0] == "mlx"
        hidden = name.startswith("_") or isinstance(value, types.ModuleType) or not is_own
        typing = type(value).__module__ == "typing"
        if not hidden and not typing:
            yield name


def names():
    # mlx.nn and mlx.optimizers repeat what lies in their own modules and in mlx.utils.
    for prefix, module in MODULES.items():
        for name in public(module):
            if prefix in ("nn", "optim", "init", "losses") and name in vars(utils):
                continue
            if prefix == "optim" and name in vars(nn):
                continue
            yield f"{prefix}.{name}"
    plain = set(dir(object)) | {"__doc__", "__module__"}
    for name in dir(mx.array):
        own = getattr(mx.array, name) is not getattr(object, name, None)
        if not name.startswith("_") or (own and name not in plain) or name in ("__eq__", "__lt__"):
            yield f"method.{name}"
    # Rich comparison exists on every object; these are the array's own.
    yield from (f"method.__{name}__" for name in ("ne", "le", "gt", "ge"))


for line in sorted(set(names())):
    print(line)
