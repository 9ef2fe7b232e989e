"""Writes the npy files beside it with Python MLX 0.32.2 (`mx.save`) and numpy, and prints the graph of each as loaded.

Run it in its own folder. tests/npy.rs says what stands in the files and compares bytes with the ones from mx.save.
"""

import os
import re

import mlx.core as mx
import numpy as np

matrix = mx.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
block = mx.arange(24, dtype=mx.int16).reshape(2, 3, 4)
SAVED = {
    "matrix": matrix,
    "transposed": matrix.T,
    "swapped": block.transpose(1, 0, 2),
    "turned": block.T,
    "broadcast": mx.broadcast_to(mx.array([True, False]), (2, 2)),
    "scalar": mx.array(7),
    "reversed": mx.arange(5, dtype=mx.uint8)[::-1],
    "nothing": mx.zeros((0, 3), dtype=mx.float16),
    "bfloat16": mx.array([1.0, -2.5], dtype=mx.bfloat16),
    "complex64": mx.array([1 + 2j, -0.5j]),
    "float64": mx.array(np.array([0.1]), dtype=mx.float64),
    "part_of_much": mx.arange(10000, dtype=mx.uint64)[5000:5003].reshape(1, 3, 1),
}
NUMPY = {
    "numpy_big_endian": np.arange(6, dtype=">i4").reshape(2, 3),
    "numpy_column_major": np.asfortranarray(np.arange(6, dtype=">f8").reshape(2, 3)),
    "numpy_bool": np.array([[True], [False]]),
}


def graph(x):
    mx.export_to_dot("graph.dot", x)
    with open("graph.dot", encoding="utf-8") as file:
        labels = re.findall(r'label ="(\w+)"', file.read())
    os.remove("graph.dot")
    return labels


for name, x in SAVED.items():
    mx.save(f"{name}.npy", x)
for name, x in NUMPY.items():
    np.save(f"{name}.npy", x)
with open("numpy_version_2.npy", "wb") as file:
    np.lib.format.write_array(file, np.arange(3, dtype="<u2"), version=(2, 0))
for name in [*SAVED, *NUMPY, "numpy_version_2"]:
    x = mx.load(f"{name}.npy")
    print(name, x.dtype, x.shape, graph(x))
