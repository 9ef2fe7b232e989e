"""Writes the files beside it: safetensors, npz and GGUF by Python MLX 0.32.2, and GGUF files of every type that is read.

Run it in its own folder with mlx, numpy and gguf 0.19.0. tests/files.rs builds the same tensors and compares bytes; what
stands in types.gguf is in types.safetensors as `mx.load` reads it, and what stands in more_types.gguf, which MLX does not
read or reads wrongly, is in more_types.safetensors as the package gguf decodes it.
"""

import struct

import mlx.core as mx
import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import quants

DTYPES = "bool_ uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 bfloat16 float32 complex64".split()


def saved():
    matrix = mx.arange(6, dtype=mx.int32).reshape(2, 3)
    tensors = {name: mx.array([0, 1], dtype=getattr(mx, name)) for name in DTYPES}
    tensors |= {
        "transposed": matrix.T,
        "reversed": matrix[:, ::-1],
        "scalar": mx.array(1.5),
        "nothing": mx.zeros((0, 3)),
        'größe "\n\x7f/%s': mx.array([7], dtype=mx.uint8),
        "": mx.array([8], dtype=mx.uint8),
    }
    return tensors | {f"layers.{i}.weight": mx.array([i], dtype=mx.uint8) for i in range(40)}


metadata = {"format": "mlx", "ключ": 'a "b"\t\\'} | {f"{i}": str(i * i) for i in range(20)}
mx.save_safetensors("saved.safetensors", saved(), metadata)
mx.save_safetensors("plain.safetensors", {"x": mx.array([1.0, 2.0])})

mx.savez("saved.npz", **{f"layers.{i}": mx.array([i, 2]) for i in range(20)}, m=mx.ones((2, 3)).T)
mx.savez_compressed("compressed.npz", zeros=mx.zeros((100, 100)), half=mx.array([0.5], dtype=mx.bfloat16))
np.savez_compressed("numpy.npz", a=np.arange(6, dtype=">i4").reshape(2, 3), **{"b/c": np.array(2.5)})

GGUF = ("float16", "float32", "int8", "int16", "int32")
tensors = {name: mx.arange(5, dtype=getattr(mx, name)) for name in GGUF}
tensors |= {"turned": mx.arange(24, dtype=mx.int16).reshape(2, 3, 4).T, "scalar": mx.array(1.5)}
tensors |= {f"blk.{i}": mx.array([i], dtype=mx.int8) for i in range(20)}
LISTS = [name for name in DTYPES if name not in ("float16", "bfloat16", "complex64")]
values = {name: mx.array([0, 1], dtype=getattr(mx, name)) for name in LISTS}
values |= {"number": mx.array(7), "truth": mx.array(True), "text": "ключ %s", "texts": ["a", "", "bc"], "none": []}
mx.save_gguf("saved.gguf", tensors, values)
mx.save_gguf("plain.gguf", {"x": mx.array([1.0, 2.0])})


def text(x):
    return struct.pack("<Q", len(x.encode())) + x.encode()


def write_gguf(path, tensors):
    """tensors: name -> (sizes with the last axis first, type, bytes)."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), 1)
    head += text("general.alignment") + struct.pack("<II", 4, 64)
    data = b""
    for name, (sizes, kind, raw) in tensors.items():
        data += bytes(-len(data) % 64)
        head += text(name) + struct.pack(f"<I{len(sizes)}Q", len(sizes), *sizes)
        head += struct.pack("<IQ", kind, len(data))
        data += raw
    with open(path, "wb") as file:
        file.write(head + bytes(-len(head) % 64) + data)


rng = np.random.default_rng(7)
SIZES = {  # values and bytes of a block, and where its halves are
    Type.Q4_0: (32, 18, [0]),
    Type.Q4_1: (32, 20, [0, 2]),
    Type.Q5_0: (32, 22, [0]),
    Type.Q5_1: (32, 24, [0, 2]),
    Type.Q8_0: (32, 34, [0]),
    Type.Q2_K: (256, 84, [80, 82]),
    Type.Q3_K: (256, 110, [108]),
    Type.Q4_K: (256, 144, [0, 2]),
    Type.Q5_K: (256, 176, [0, 2]),
    Type.Q6_K: (256, 210, [208]),
}


def blocks(kind, count, halves=None):
    """Random bits with finite halves: small, large, below the least normal number."""
    _, size, places = SIZES[kind]
    raw = rng.integers(0, 256, (count, size), dtype=np.uint8)
    for place in places:
        half = (rng.standard_normal(count) * 10.0 ** rng.integers(-7, 3, count)).astype(np.float16)
        half = half if halves is None else halves[rng.integers(0, len(halves), count)]
        raw[:, place : place + 2] = half.view(np.uint8).reshape(count, 2)
    return raw


def of(kind, shape, halves=None):
    raw = blocks(kind, int(np.prod(shape)) // SIZES[kind][0], halves)
    return (shape[::-1], int(kind), raw.tobytes()), raw


types = {
    "f32": ((3, 2), 0, rng.integers(0, 256, 24, dtype=np.uint8).tobytes()),
    "f16": ((), 1, b"\x01\x3c"),
    "i8": ((5,), 24, bytes(range(125, 130))),
    "i16": ((1, 2, 1, 1), 25, b"\xff\x7f\x00\x80"),
    "i32": ((2,), 26, b"\xff\xff\xff\x7f\x00\x00\x00\x80"),
    "bf16": ((4096,), 30, None),
    "nothing": ((0, 3), 0, b""),
}
bf16 = np.concatenate([rng.standard_normal(4088).astype(np.float32), np.float32([0, -0.0, 6e4, 7e4, -1e30, 1e-7, 1e-8, 3e-8])])
types["bf16"] = ((4096,), 30, (bf16.view(np.uint32) >> 16).astype(np.uint16).tobytes())
types["q4_0.weight"], _ = of(Type.Q4_0, (2, 3, 64))
types["q4_1.weight"], _ = of(Type.Q4_1, (8, 32))
types["q8_0.weight"], _ = of(Type.Q8_0, (4, 96))
types["token_embd"], _ = of(Type.Q8_0, (32,))
types["tiny"], _ = of(Type.Q4_0, (32,))
types["q2_k.weight"], _ = of(Type.Q2_K, (2, 512))
types["q6_k.weight"], _ = of(Type.Q6_K, (3, 256))
write_gguf("types.gguf", types)
mx.save_safetensors("types.safetensors", {k: v for k, v in mx.load("types.gguf").items()})

more = {
    "i64": ((2,), 27, struct.pack("<qq", 2**62, -1)),
    "f64": ((1, 2), 28, struct.pack("<dd", 0.1, -1e300)),
}
expected = {"i64": mx.array([2**62, -1], dtype=mx.int64)}
for kind in (Type.Q5_0, Type.Q5_1, Type.Q3_K, Type.Q5_K):
    name = kind.name.lower() + ".weight"
    more[name], raw = of(kind, (2, 512))
    values = quants.dequantize(raw, kind).reshape(2, 512)
    with np.errstate(over="ignore"):
        expected[name] = mx.array(values.astype(np.float16))
# Products of these and six bits are exact in float16, so that MLX's quantization loses nothing.
exact = np.float16([0.125, -0.5, 2.0, 2.0**-12])
more["q4_k.weight"], raw = of(Type.Q4_K, (4, 512), exact)
expected["q4_k.weight"] = mx.array(quants.dequantize(raw, Type.Q4_K).reshape(4, 512))
write_gguf("more_types.gguf", more)
mx.save_safetensors("more_types.safetensors", expected)
for path in ("types.gguf", "saved.gguf"):
    found, values = mx.load(path, return_metadata=True)
    print(path, {k: (v.dtype, v.shape) for k, v in found.items()}, values)
