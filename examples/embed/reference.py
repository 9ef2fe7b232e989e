"""MiniLM in float64 with numpy alone, one sentence at a time and no padding: what the test compares the model with.

`python reference.py MODEL_FOLDER OUT.json IDS...`, the ids of a sentence joined by commas. It reads the weights by itself.
"""

import json
import math
import sys

import numpy as np


def read(path):
    """The float32 tensors of a safetensors file, as float64."""
    data = open(path, "rb").read()
    start = 8 + int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8:start]).items():
        if entry.get("dtype") == "F32":
            begin, end = entry["data_offsets"]
            values = np.frombuffer(data[start + begin : start + end], "<f4")
            tensors[name] = values.reshape(entry["shape"]).astype(np.float64)
    return tensors


erf = np.vectorize(math.erf)


class Bert:
    def __init__(self, folder):
        self.w = read(f"{folder}/model.safetensors")
        config = json.load(open(f"{folder}/config.json"))
        self.layers, self.heads = config["num_hidden_layers"], config["num_attention_heads"]
        self.eps = config["layer_norm_eps"]

    def linear(self, name, x):
        return x @ self.w[f"{name}.weight"].T + self.w[f"{name}.bias"]

    def norm(self, name, x):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + self.eps)
        return x * self.w[f"{name}.LayerNorm.weight"] + self.w[f"{name}.LayerNorm.bias"]

    def attention(self, name, x):
        length, width = x.shape
        q, k, v = (self.linear(f"{name}.{part}", x).reshape(length, self.heads, -1) for part in ("query", "key", "value"))
        scores = np.einsum("qhd,khd->hqk", q, k) / math.sqrt(width // self.heads)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        return np.einsum("hqk,khd->qhd", weights, v).reshape(length, width)

    def __call__(self, ids):
        tables = [self.w[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")]
        x = self.norm("embeddings", tables[0][ids] + tables[1][: len(ids)] + tables[2][0])
        for i in range(self.layers):
            layer = f"encoder.layer.{i}"
            y = self.attention(f"{layer}.attention.self", x)
            x = self.norm(f"{layer}.attention.output", x + self.linear(f"{layer}.attention.output.dense", y))
            y = self.linear(f"{layer}.intermediate.dense", x)
            y = 0.5 * y * (1 + erf(y / math.sqrt(2)))
            x = self.norm(f"{layer}.output", x + self.linear(f"{layer}.output.dense", y))
        mean = x.mean(0)
        return mean / np.sqrt((mean * mean).sum())


if __name__ == "__main__":
    folder, out, *sentences = sys.argv[1:]
    bert = Bert(folder)
    vectors = [bert([int(i) for i in sentence.split(",")]).tolist() for sentence in sentences]
    json.dump(vectors, open(out, "w"))
