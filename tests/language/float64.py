"""SmolLM2's logits from its GGUF file in float64 numpy: no MLX, and a decoder of the file of our own.

    python3 float64.py FILE.gguf TOKEN ... > logits        (the last token's, float64, little-endian)
"""

import struct
import sys

import numpy as np

# GGUF's kinds of values: how struct reads them.
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST = 8, 9


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, code):
        (value,) = struct.unpack_from("<" + code, self.data, self.at)
        self.at += struct.calcsize("<" + code)
        return value

    def text(self):
        size = self.number("Q")
        self.at += size
        return self.data[self.at - size : self.at].decode()

    def value(self, kind):
        if kind == TEXT:
            return self.text()
        if kind == LIST:
            of, count = self.number("I"), self.number("Q")
            return [self.value(of) for _ in range(count)]
        return self.number(SCALARS[kind])


def halves(blocks, start):
    return blocks[:, start : start + 2].copy().view("<f2").astype(np.float64)


def decoded(data, kind, count):
    """F32; Q4_1: scale, minimum and 32 nibbles, low ones first; Q8_0: a scale and 32 int8."""
    if kind == 0:
        return np.frombuffer(data, "<f4", count).astype(np.float64)
    size = {3: 20, 8: 34}[kind]
    blocks = np.frombuffer(data, np.uint8, count // 32 * size).reshape(-1, size)
    if kind == 8:
        return (halves(blocks, 0) * blocks[:, 2:].copy().view(np.int8)).reshape(-1)
    nibbles = np.concatenate([blocks[:, 4:] & 15, blocks[:, 4:] >> 4], axis=1)
    return (halves(blocks, 0) * nibbles + halves(blocks, 2)).reshape(-1)


def read(path):
    with open(path, "rb") as file:
        reader = Reader(file.read())
    assert reader.data[:4] == b"GGUF" and struct.unpack_from("<I", reader.data, 4) == (3,)
    reader.at = 8
    tensors, values = reader.number("Q"), reader.number("Q")
    about = {reader.text(): reader.value(reader.number("I")) for _ in range(values)}
    places = []
    for _ in range(tensors):
        name, shape = reader.text(), [reader.number("Q") for _ in range(reader.number("I"))]
        places.append((name, shape[::-1], reader.number("I"), reader.number("Q")))
    start = -(-reader.at // 32) * 32
    weights = {}
    for name, shape, kind, offset in places:
        data = memoryview(reader.data)[start + offset :]
        weights[name] = decoded(data, kind, int(np.prod(shape))).reshape(shape)
    return about, weights


def norm(x, weight, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight


def rotated(x, base):
    """Neighbouring features are a pair, as llama.cpp's converter orders them. `x` is [heads, time, size]."""
    time, size = x.shape[1:]
    angles = np.arange(time)[:, None] / base ** (np.arange(0, size, 2) / size)
    turned = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def logits(about, weights, tokens):
    heads, shared = about["llama.attention.head_count"], about["llama.attention.head_count_kv"]
    eps, base = about["llama.attention.layer_norm_rms_epsilon"], about["llama.rope.freq_base"]
    x, time = weights["token_embd.weight"][tokens], len(tokens)
    unseen = np.triu(np.full((time, time), -np.inf), 1)
    for i in range(about["llama.block_count"]):
        w = {name.removeprefix(f"blk.{i}."): weight for name, weight in weights.items() if name.startswith(f"blk.{i}.")}
        y = norm(x, w["attn_norm.weight"], eps)
        split = lambda name, count: (y @ w[name].T).reshape(time, count, -1).transpose(1, 0, 2)
        q, k = rotated(split("attn_q.weight", heads), base), rotated(split("attn_k.weight", shared), base)
        k, v = (np.repeat(z, heads // shared, axis=0) for z in (k, split("attn_v.weight", shared)))
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1]) + unseen
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        y = (scores / scores.sum(-1, keepdims=True)) @ v
        x = x + y.transpose(1, 0, 2).reshape(time, -1) @ w["attn_output.weight"].T
        y = norm(x, w["ffn_norm.weight"], eps)
        gate = y @ w["ffn_gate.weight"].T
        x = x + (gate / (1 + np.exp(-gate)) * (y @ w["ffn_up.weight"].T)) @ w["ffn_down.weight"].T
    return norm(x[-1], weights["output_norm.weight"], eps) @ weights["token_embd.weight"].T


if __name__ == "__main__":
    about, weights = read(sys.argv[1])
    sys.stdout.buffer.write(logits(about, weights, [int(token) for token in sys.argv[2:]]).astype("<f8").tobytes())
