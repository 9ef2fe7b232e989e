"""Writes block.safetensors: small random weights of the block, an input, and what Python MLX makes of it.

The block is written as one writes it in Python; block.rs is the same in Rust. Run it in its own folder, with the
MLX version of the library; it uses the CPU and the BLAS that MLX brings.
"""

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten

WIDTH, HEADS, KV_HEADS, HIDDEN = 32, 4, 2, 64


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        size = WIDTH // HEADS
        self.q_proj = nn.Linear(WIDTH, HEADS * size)
        self.k_proj = nn.Linear(WIDTH, KV_HEADS * size, bias=False)
        self.v_proj = nn.Linear(WIDTH, KV_HEADS * size, bias=False)
        self.o_proj = nn.Linear(HEADS * size, WIDTH, bias=False)
        self.size = size

    def heads(self, x, count):
        batch, time, _ = x.shape
        return mx.transpose(mx.reshape(x, (batch, time, count, self.size)), (0, 2, 1, 3))

    def rotated(self, x):
        return mx.fast.rope(x, self.size, traditional=False, base=10000.0, scale=1.0, offset=0)

    def __call__(self, x):
        q = self.rotated(self.heads(self.q_proj(x), HEADS))
        k = self.rotated(self.heads(self.k_proj(x), KV_HEADS))
        v = self.heads(self.v_proj(x), KV_HEADS)
        scale = self.size**-0.5
        y = mx.fast.scaled_dot_product_attention(q, k, v, scale=scale, mask="causal")
        return self.o_proj(mx.reshape(mx.transpose(y, (0, 2, 1, 3)), x.shape))


class GatedMLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate_proj = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.up_proj = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.down_proj = nn.Linear(HIDDEN, WIDTH, bias=False)

    def __call__(self, x):
        return self.down_proj(nn.gelu(self.gate_proj(x)) * self.up_proj(x))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm = nn.RMSNorm(WIDTH)
        self.attention = Attention()
        self.mlp_norm = nn.RMSNorm(WIDTH)
        self.mlp = GatedMLP()

    def __call__(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.mlp(self.mlp_norm(x))


def main():
    mx.set_default_device(mx.cpu)
    mx.random.seed(7)
    block = Block()
    x = mx.random.normal((2, 6, WIDTH))
    file = {**dict(tree_flatten(block.parameters())), "input": x}
    for dtype in (mx.float32, mx.bfloat16):
        block.set_dtype(dtype)
        file[f"expected.{str(dtype).removeprefix('mlx.core.')}"] = block(x.astype(dtype))
    mx.save_safetensors("block.safetensors", file)


if __name__ == "__main__":
    main()
