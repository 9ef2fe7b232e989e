"""Writes fixtures.txt: what Python MLX 0.32.2 makes of quantized matrices on the CPU, a case a line.

Run with Python MLX on the path: python3 generate.py > fixtures.txt
A line: mode, bits, group, dtype, and in hexadecimal, little end first: codes, scales, biases ("-" where there are none),
the weights that MLX decodes, x @ w.T for x of 3 x 128, x @ w for x of 3 x 4. Where x comes from, `x` says.
"""

import mlx.core as mx
import numpy as np

mx.set_default_device(mx.cpu)


def x(shape, dtype):
    i = np.arange(np.prod(shape)).reshape(shape)
    return mx.array(((i * 7919 % 257) - 128) / 64, dtype=mx.float32).astype(dtype)


def hexed(a):
    if a is None:
        return "-"
    return bytes(memoryview(np.array(a.view(mx.uint16) if a.itemsize == 2 else a)).cast("B")).hex()


def case(mode, bits, group, dtype):
    rng = np.random.default_rng(bits * 1000 + group)
    w = mx.array(rng.normal(0, 0.5, (4, 128)).astype(np.float32)).astype(dtype)
    codes, scales, *biases = mx.quantize(w, group_size=group, bits=bits, mode=mode)
    biases = biases[0] if biases else None
    options = {"group_size": group, "bits": bits, "mode": mode}
    decoded = mx.dequantize(codes, scales, biases, dtype=dtype, **options)
    across = mx.quantized_matmul(x((3, 128), dtype), codes, scales, biases, transpose=True, **options)
    down = mx.quantized_matmul(x((3, 4), dtype), codes, scales, biases, transpose=False, **options)
    name = str(dtype).split(".")[-1]
    print(mode, bits, group, name, *map(hexed, (codes, scales, biases, decoded, across, down)))


for dtype in (mx.float32, mx.float16, mx.bfloat16):
    few = dtype != mx.float32
    for bits in (4, 8, 3) if few else (2, 3, 4, 5, 6, 8):
        for group in (32, 64, 128) if bits < 5 and not few else (32,):
            case("affine", bits, group, dtype)
    case("mxfp4", 4, 32, dtype)
    case("mxfp8", 8, 32, dtype)
    case("nvfp4", 4, 16, dtype)
