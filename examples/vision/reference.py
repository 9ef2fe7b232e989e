"""The networks of `vision` in float64 with numpy alone, channels first as in PyTorch: what the test compares them with.

`python reference.py NET WEIGHTS.pth PICTURES.npy OUT.json`; the pictures are `[batch, height, width, channels]`.
"""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "xtask/parity/models"))
import pth  # noqa: E402


class Net:
    def __init__(self, path):
        self.w = {name: array.astype(np.float64) for name, array in pth.read(path).items()}

    def conv(self, name, x, stride=1, pad=((0, 0), (0, 0))):
        w = self.w[f"{name}.weight"]
        x = np.pad(x, ((0, 0), (0, 0), *pad))
        x = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))[:, :, ::stride, ::stride]
        if w.shape[1] == 1 and x.shape[1] == w.shape[0]:
            y = np.einsum("nchwij,cij->nchw", x, w[:, 0])
        else:
            y = np.moveaxis(np.tensordot(x, w, ([1, 4, 5], [1, 2, 3])), -1, 1)
        bias = self.w.get(f"{name}.bias")
        return y if bias is None else y + bias[:, None, None]

    def norm(self, name, x, eps):
        scale = self.w[f"{name}.weight"] / np.sqrt(self.w[f"{name}.running_var"] + eps)
        shift = self.w[f"{name}.bias"] - self.w[f"{name}.running_mean"] * scale
        return x * scale[:, None, None] + shift[:, None, None]

    def linear(self, name, x):
        return x @ self.w[f"{name}.weight"].T + self.w[f"{name}.bias"]


def pooled(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).max((3, 5))


ONE = ((1, 1), (1, 1))
# Of each network the convolutions (with a norm behind some, with a pool behind some), then the two linear maps.
DIGITS = {
    "mnist": ([("0", None, True), ("3", None, True)], ("0", "2")),
    "usps": ([("0", "1", True), ("4", "5", True)], ("1", "4")),
    "svhn": ([(f"{b}.{i}", f"{b}.{i + 1}", i == 3) for b in range(3) for i in (0, 3)], ("1", "4")),
}


def digits(net, x, kind):
    convs, (first, second) = DIGITS[kind]
    for conv, norm, pool in convs:
        x = net.conv(f"features.{conv}", x, pad=ONE)
        x = net.norm(f"features.{norm}", x, 1e-5) if norm else x
        x = np.maximum(x, 0)
        x = pooled(x) if pool else x
    x = np.maximum(net.linear(f"classifier.{first}", x.reshape(len(x), -1)), 0)
    return net.linear(f"classifier.{second}", x)


def same(size, kernel, stride):
    pad = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return pad // 2, pad - pad // 2


def lite0(net, x):
    def act(name, x):
        return np.clip(net.norm(name, x, 1e-3), 0, 6)

    def padded(name, x, stride):
        kernel = net.w[f"{name}.weight"].shape[2]
        return net.conv(name, x, stride, (same(x.shape[2], kernel, stride), same(x.shape[3], kernel, stride)))

    # The blocks that halve the picture.
    halving, blocks = (1, 3, 5, 11), 16
    x = act("_bn0", padded("_conv_stem", x, 2))
    for i in range(blocks):
        block, stride, before = f"_blocks.{i}", 2 if i in halving else 1, x
        if f"{block}._expand_conv.weight" in net.w:
            x = act(f"{block}._bn0", net.conv(f"{block}._expand_conv", x))
        x = act(f"{block}._bn1", padded(f"{block}._depthwise_conv", x, stride))
        x = net.norm(f"{block}._bn2", net.conv(f"{block}._project_conv", x), 1e-3)
        x = x + before if x.shape == before.shape else x
    return net.linear("_fc", act("_bn1", net.conv("_conv_head", x)).mean((2, 3)))


if __name__ == "__main__":
    kind, weights, pictures, out = sys.argv[1:]
    net, x = Net(weights), np.moveaxis(np.load(pictures).astype(np.float64), -1, 1)
    json.dump((lite0(net, x) if kind == "lite0" else digits(net, x, kind)).tolist(), open(out, "w"))
