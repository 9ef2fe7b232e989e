"""Silero in Python MLX: what `mlx_examples::silero::outputs` computes, for `cargo xtask parity models`.

`python silero.py PACKAGE_FOLDER OUT.safetensors`. Needs mlx and numpy; the ONNX file is read here.
"""

import sys

import mlx.core as mx
import mlx.nn as nn
import numpy as np

CONTEXT, CHUNK = 64, 512


class Silero(nn.Module):
    def __init__(self):
        super().__init__()
        self.stft = nn.Conv1d(1, 258, 256, stride=128, bias=False)
        sizes = [(129, 128, 1), (128, 64, 2), (64, 64, 2), (64, 128, 1)]
        self.encoder = [nn.Conv1d(i, o, 3, stride=stride, padding=1) for i, o, stride in sizes]
        self.rnn = nn.LSTM(128, 128)
        self.decoder = nn.Conv1d(128, 1, 1)

    def __call__(self, chunks):
        x = mx.expand_dims(mx.pad(chunks, [(0, 0), (0, CONTEXT)], mode="reflect"), -1)
        waves = mx.square(self.stft(x))
        x = mx.sqrt(waves[..., :129] + waves[..., 129:])
        for conv in self.encoder:
            x = nn.relu(conv(x))
        hidden, cell = self.rnn(mx.squeeze(x, 1))
        y = mx.sigmoid(self.decoder(mx.expand_dims(nn.relu(hidden), 0)))
        return {"likely": y.flatten(), "hidden": hidden[-1], "cell": cell[-1]}


def fields(data):
    """Number and content of each field of a protobuf message."""
    at = 0

    def varint():
        nonlocal at
        number = shift = 0
        while True:
            byte = data[at]
            at, number, shift = at + 1, number | (byte & 127) << shift, shift + 7
            if byte < 128:
                return number

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        else:
            size = varint() if tag & 7 == 2 else {1: 8, 5: 4}[tag & 7]
            at += size
            yield tag >> 3, data[at - size : at]


def weights(path):
    """The float32 initialisers by MLX's names, channels last."""
    graph = next(value for number, value in fields(open(path, "rb").read()) if number == 7)
    found = {}
    for number, message in fields(graph):
        if number == 5:
            parts = list(fields(message))
            shape = [value for number, value in parts if number == 1]
            parts = dict(parts)
            if parts[2] == 1:
                name = parts[8].decode().removeprefix("model.").replace(".reparam_conv", "")
                array = np.frombuffer(parts[9], np.float32).reshape(shape)
                found[name] = mx.array(array.transpose(0, 2, 1) if array.ndim == 3 else array)
    bias = found.pop("decoder.rnn.bias_ih") + found.pop("decoder.rnn.bias_hh")
    names = {
        "stft.forward_basis_buffer": "stft.weight",
        "decoder.rnn.weight_ih": "rnn.Wx",
        "decoder.rnn.weight_hh": "rnn.Wh",
        "decoder.decoder.2.weight": "decoder.weight",
        "decoder.decoder.2.bias": "decoder.bias",
    }
    return [("rnn.bias", bias)] + [(names.get(name, name), array) for name, array in found.items()]


def made_up():
    noise, phase, samples = 1, 0, []
    for i in range(48000):
        noise = (noise * 1664525 + 1013904223) % 2**32
        phase = (phase + 60 + i // 400) % 8192
        samples.append((phase - 4096) * (i // 1600 % 5) + (noise >> 20) - 2048)
    return np.array(samples, np.float32) / np.float32(32768)


def main(package, out):
    net, samples = Silero(), made_up()
    net.load_weights(weights(f"{package}/silero_vad/data/silero_vad_16k_op15.onnx"))
    count = -(-len(samples) // CHUNK)
    padded = np.pad(samples, (CONTEXT, count * CHUNK - len(samples)))
    rows = [padded[i * CHUNK : i * CHUNK + CONTEXT + CHUNK] for i in range(count)]
    mx.save_safetensors(out, net(mx.array(np.stack(rows))))


if __name__ == "__main__":
    mx.set_default_device(mx.cpu)
    main(*sys.argv[1:])
