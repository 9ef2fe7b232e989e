"""The trainings of `train_digits` by Python: what `mlx_examples::digits::outputs` gives, by the same names.

    python3 digits.py PACKAGE_FOLDER OUT.safetensors

It takes mlx[cpu]==0.32.2 and numpy.
"""

import gzip
import sys
from functools import partial
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
from mlx.utils import tree_flatten

FILE = "sklearn/datasets/data/digits.csv.gz"
EPOCHS, BATCH, LR, SEED, STEPS = 2, 32, 8e-3, 7, 50


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.dropout = nn.Dropout(0.25)
        self.linear = nn.Linear(32 * 4 * 4, 10)

    def __call__(self, x):
        x = nn.relu(self.conv1(x))
        x = self.pool(nn.relu(self.conv2(x)))
        return self.linear(self.dropout(x.flatten(1)))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = [nn.Linear(64, 128), nn.Linear(128, 64)]
        self.dropout = nn.Dropout(0.1)
        self.last = nn.Linear(64, 10)

    def __call__(self, x):
        x = x.flatten(1)
        for linear in self.hidden:
            x = self.dropout(nn.relu(linear(x)))
        return self.last(x)


def read(folder):
    """Pictures and digits to learn from, and every fifth, which is held out."""
    with gzip.open(Path(folder) / FILE, "rt") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.float32)
    pictures = (table[:, :64] / np.float32(16)).reshape(-1, 8, 8, 1)
    digits = table[:, 64].astype(np.int32)
    out = np.arange(len(table)) % 5 == 0
    return [mx.array(x) for x in (pictures[~out], digits[~out], pictures[out], digits[out])]


def schedule(steps):
    warm_up = max(steps // 10, 1)
    rise = optim.linear_schedule(LR / 10, LR, warm_up)
    fall = optim.cosine_decay(LR, max(steps - warm_up, 1), LR / 100)
    return optim.join_schedules([rise, fall], [warm_up])


def padded(numbers, count):
    return mx.array(np.array(numbers + [np.nan] * (count - len(numbers)), np.float32))


def train(new, folder):
    pictures, digits, others, wanted = read(folder)
    per_epoch = len(digits) // BATCH
    mx.random.seed(SEED)
    shuffle = mx.random.key(SEED)
    net = new()
    optimizer = optim.AdamW(schedule(EPOCHS * per_epoch), bias_correction=True)
    optimizer.init(net.trainable_parameters())
    state = [net.state, optimizer.state, mx.random.state]

    def loss_of(x, y):
        return nn.losses.cross_entropy(net(x), y, label_smoothing=0.1, reduction="mean")

    @partial(mx.compile, inputs=state, outputs=state)
    def learn(x, y):
        loss, gradients = nn.value_and_grad(net, loss_of)(x, y)
        optimizer.update(net, gradients)
        return loss

    losses, accuracies = [], []
    for step in range(STEPS):
        at = step % per_epoch
        if at == 0:
            shuffle, key = mx.random.split(shuffle)
            order = mx.random.permutation(len(digits), key=key)
        rows = order[at * BATCH : (at + 1) * BATCH]
        loss = learn(mx.take(pictures, rows, axis=0), mx.take(digits, rows, axis=0))
        mx.eval(state, loss)
        losses.append(loss.item())
        if at + 1 == per_epoch:
            net.eval()
            accuracies.append((mx.argmax(net(others), -1) == wanted).astype(mx.float32).mean().item())
            net.train()

    outputs = {f"model.{key}": value for key, value in tree_flatten(net.parameters())}
    outputs |= {f"optimizer.{key}": value for key, value in tree_flatten(optimizer.state)}
    outputs |= {"random.key": mx.random.state[0], "shuffle.key": shuffle, "shuffle.order": order}
    outputs["history.losses"] = padded(losses, EPOCHS * per_epoch)
    outputs["history.accuracies"] = padded(accuracies, EPOCHS)
    return outputs


def main(folder, out):
    outputs = {}
    for name, new in dict(cnn=Cnn, mlp=Mlp).items():
        outputs |= {f"{name}.{key}": value for key, value in train(new, folder).items()}
    mx.save_safetensors(out, outputs)


if __name__ == "__main__":
    main(*sys.argv[1:])
