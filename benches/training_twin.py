"""Python MLX's side of the bench training: the same network, batch and optimizer.

Prints MLX's version, then answers each line "CASE COUNT" with the nanoseconds that COUNT steps took.
"""

import sys
from functools import partial
from time import perf_counter_ns

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim


class Cnn(nn.Module):
    def __init__(self, side):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.linear = nn.Linear(16 * (side // 2) ** 2, 10)

    def __call__(self, x):
        x = nn.relu(self.conv1(x))
        x = nn.relu(self.conv2(x))
        return self.linear(x.flatten(1))


def loss_of(model, x, y):
    return nn.losses.cross_entropy(model(x), y, reduction="mean")


class Training:
    def __init__(self, side):
        mx.random.seed(0)
        self.model, self.optimizer = Cnn(side), optim.AdamW(1e-3, bias_correction=True)
        self.optimizer.init(self.model.trainable_parameters())
        self.x = mx.random.normal((64, side, side, 1), key=mx.random.key(1))
        self.y = mx.random.randint(0, 10, (64,), key=mx.random.key(2))
        self.loss_and_grad = nn.value_and_grad(self.model, loss_of)
        state = [self.model.state, self.optimizer.state]
        self.compiled = partial(mx.compile, inputs=state, outputs=state)(self.step)
        mx.eval(self.model.parameters(), self.optimizer.state, self.x, self.y)

    def step(self):
        loss, gradients = self.loss_and_grad(self.model, self.x, self.y)
        self.optimizer.update(self.model, gradients)
        return loss

    def timed(self, step, count):
        start = perf_counter_ns()
        for _ in range(count):
            loss = step()
            mx.eval(self.model.parameters(), self.optimizer.state, loss)
        return perf_counter_ns() - start

    def built(self, count):
        """What a step's graph costs without its computation."""
        total = 0
        for _ in range(count):
            start = perf_counter_ns()
            loss, gradients = self.loss_and_grad(self.model, self.x, self.y)
            updated = self.optimizer.apply_gradients(gradients, self.model)
            total += perf_counter_ns() - start
            # Computed, so that the state's graph does not grow.
            mx.eval(updated, self.optimizer.state)
        return total


TRAININGS = {}
print(mx.__version__, flush=True)
for line in sys.stdin:
    case, count = line.rsplit(maxsplit=1)
    side, kind = case.split(maxsplit=1)
    training = TRAININGS.setdefault(side, Training(int(side)))
    if kind == "built":
        print(training.built(int(count)), flush=True)
    else:
        step = training.compiled if kind == "compiled" else training.step
        print(training.timed(step, int(count)), flush=True)
