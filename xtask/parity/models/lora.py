"""Four steps of SmolLM2's adapters by mlx-lm 0.32.2: what `mlx_examples::lora::outputs` gives, by the same names.

    python3 lora.py PACKAGE_FOLDER OUT.safetensors

It takes what `language.py` beside it takes.
"""

import sys
import types
from functools import partial
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
from mlx.utils import tree_flatten, tree_unflatten

from language import FILE, build

# The package's own __init__, and its function that walks a model, import what its layers do not need.
tuner = types.ModuleType("mlx_lm.tuner")
tuner.__path__ = [str(Path(path) / "tuner") for path in sys.modules["mlx_lm"].__path__]
sys.modules["mlx_lm.tuner"] = tuner

from mlx_lm.tuner.lora import LoRALinear  # noqa: E402

LAYERS, BATCH, LR, SEED, STEPS, END = 2, 2, 5e-4, 7, 4, 2
LINES = [[500 + 7 * line + place for place in range(6 + line)] for line in range(4)]


def padded():
    longest = max(map(len, LINES))
    at = lambda line, place: line[place] if place < len(line) else END
    inputs = [[at(line, place) for place in range(longest)] for line in LINES]
    targets = [[at(line, place) for place in range(1, longest + 1)] for line in LINES]
    counts = [[float(place <= len(line)) for place in range(1, longest + 1)] for line in LINES]
    return mx.array(inputs, mx.uint32), mx.array(targets, mx.uint32), mx.array(counts)


def main(folder, out):
    model = build(str(Path(folder) / FILE), True, mx.float32)
    mx.random.seed(SEED)
    model.freeze()
    for layer in model.layers[-LAYERS:]:
        linear = [(key, of) for key, of in layer.named_modules() if isinstance(of, nn.QuantizedLinear)]
        terms = [(key, LoRALinear.from_base(of, r=8, scale=20.0, dropout=0.1)) for key, of in linear]
        layer.update_modules(tree_unflatten(terms))
    model.train()
    optimizer = optim.Adam(LR)
    optimizer.init(model.trainable_parameters())
    state = [model.state, optimizer.state, mx.random.state]

    def loss_of(inputs, targets, counts):
        losses = nn.losses.cross_entropy(model(inputs), targets, weights=counts)
        return losses.sum() / counts.sum()

    @partial(mx.compile, inputs=state, outputs=state)
    def learn(*batch):
        loss, gradients = nn.value_and_grad(model, loss_of)(*batch)
        optimizer.update(model, gradients)
        return loss

    lines, losses = padded(), []
    for step in range(STEPS):
        at = step % (len(LINES) // BATCH) * BATCH
        if at == 0:
            order = mx.random.permutation(len(LINES))
        loss = learn(*[mx.take(x, order[at : at + BATCH], axis=0) for x in lines])
        mx.eval(state, loss)
        losses.append(loss.item())

    outputs = dict(tree_flatten(model.trainable_parameters()))
    outputs |= {f"optimizer.{key}": value for key, value in tree_flatten(optimizer.state)}
    outputs["losses"] = mx.array(np.array(losses, np.float32))
    mx.save_safetensors(out, outputs)


if __name__ == "__main__":
    main(*sys.argv[1:])
