"""numpy's side of the bench gemm.

Prints numpy's version, then answers each line "SIDE COUNT" with the nanoseconds that COUNT products of two float32
matrices of SIDE x SIDE took, by the BLAS that numpy brings. OPENBLAS_NUM_THREADS says with how many threads.
"""

import sys
from time import perf_counter_ns

import numpy as np

MATRICES = {}


def multiply(side, count):
    if side not in MATRICES:
        MATRICES[side] = np.full((side, side), 0.5, np.float32)
    matrix = MATRICES[side]
    start = perf_counter_ns()
    for _ in range(count):
        matrix @ matrix
    return perf_counter_ns() - start


print(np.__version__, flush=True)
for line in sys.stdin:
    print(multiply(*map(int, line.split())), flush=True)
