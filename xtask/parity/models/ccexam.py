"""The digit networks in Python MLX: what `mlx_examples::ccexam::outputs` computes, for `cargo xtask parity models`.

`python ccexam.py PACKAGE_FOLDER OUT.safetensors`. Needs mlx and numpy; the package's PNG files are read here.
"""

import pathlib
import sys
import zlib

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pth

SIGHT = {
    "mnist": ([0.1307], [0.3081]),
    "usps": ([0.2471], [0.2994]),
    "svhn": ([0.4377, 0.4438, 0.4728], [0.1980, 0.2010, 0.1970]),
}


class Net(nn.Module):
    def __init__(self, kind):
        super().__init__()

        def conv(inputs, outputs):
            return nn.Conv2d(inputs, outputs, 3, padding=1)

        if kind == "mnist":
            pool = nn.MaxPool2d(2)
            layers, sizes = [conv(1, 32), nn.relu, pool, conv(32, 64), nn.relu, pool], (64 * 7 * 7, 128)
        elif kind == "usps":
            layers, sizes = [], (64 * 4 * 4, 128)
            for inputs, outputs in ((1, 32), (32, 64)):
                layers += [conv(inputs, outputs), nn.BatchNorm(outputs), nn.relu, nn.MaxPool2d(2)]
        else:
            layers, sizes = [], (128 * 4 * 4, 256)
            for inputs, outputs in ((3, 32), (32, 64), (64, 128)):
                first = [conv(inputs, outputs), nn.BatchNorm(outputs), nn.relu]
                second = [conv(outputs, outputs), nn.BatchNorm(outputs), nn.relu, nn.MaxPool2d(2)]
                layers.append(nn.Sequential(*first, *second))
        self.features = nn.Sequential(*layers)
        dropout = [] if kind == "mnist" else [nn.Dropout(0.3)]
        maps = [*dropout, nn.Linear(*sizes), nn.relu, *dropout, nn.Linear(sizes[1], 10)]
        self.classifier = nn.Sequential(*maps)

    def load(self, path):
        weights = []
        for name, array in pth.read(path).items():
            if not name.endswith("num_batches_tracked"):
                name = ".".join(f"layers.{part}" if part.isdigit() else part for part in name.split("."))
                array = mx.array(array)
                weights.append((name, array.transpose(0, 2, 3, 1) if array.ndim == 4 else array))
        self.load_weights(weights)
        self.eval()

    def __call__(self, x):
        return self.classifier(self.features(x).transpose(0, 3, 1, 2).flatten(1))


def png(path):
    """Rows of pixels with their channels; 8 bits, not interlaced."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        size, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big")
            channels = {0: 1, 2: 3}[body[9]]
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, -1).astype(np.int64)
    rows = np.zeros((height + 1, (width + 1) * channels), np.int64)
    for y, line in enumerate(lines):
        above, row = rows[y], rows[y + 1]
        for x, value in enumerate(line[1:], channels):
            left, up, corner = row[x - channels], above[x], above[x - channels]
            far = left + up - corner
            nearest = min((left, up, corner), key=lambda guess: abs(far - guess))
            row[x] = (value + (0, left, up, (left + up) // 2, nearest)[line[0]]) % 256
    return rows[1:, channels:].reshape(height, width, channels)


def see(kind, path):
    picture = png(path)
    if kind != "svhn":
        picture = np.repeat(picture, 3, -1) if picture.shape[-1] == 1 else picture
        picture = (picture @ np.array([19595, 38470, 7471]) + 32768 >> 16)[..., None]
    mean, deviation = map(mx.array, SIGHT[kind])
    return (mx.array(picture[None].astype(np.float32)) / 255.0 - mean) / deviation


def main(package, out):
    package, outputs = pathlib.Path(package) / "ccexam", {}
    for kind in SIGHT:
        net = Net(kind)
        net.load(package / "weights" / f"{kind}.pth")
        pictures = mx.concatenate([see(kind, path) for path in sorted((package / "samples").glob(f"{kind}*.png"))])
        outputs |= {f"{kind}.pictures": pictures, f"{kind}.scores": net(pictures)}
    mx.save_safetensors(out, outputs)


if __name__ == "__main__":
    mx.set_default_device(mx.cpu)
    main(*sys.argv[1:])
