"""fast.rope: dims, both pairings, base and freqs, scales, offsets as ints and tensors, refusals."""

from .base import FLOATS, HALVES, SHORT, case, error, normal, step, tensor

X = [2, 3, 4, 8]


def call(dims=8, **kw):
    options = {"traditional": False, "base": 10000.0, "scale": 1.0, "offset": 0}
    return step("y", "fast.rope", "$x", dims, **{**options, **kw})


def dtypes_and_pairings():
    for dtype in FLOATS:
        for traditional in (False, True):
            for dims in (8, 4, 2):
                tag = "pairs" if traditional else "halves"
                steps = [call(dims, traditional=traditional, offset=5)]
                yield case(f"rope_{tag}_{dims}_{SHORT[dtype]}", {"x": normal(dtype, X, 1)}, steps)


def shapes():
    for dtype in HALVES + ["float32"]:
        for shape in ([1, 1, 8], [3, 5, 8], [2, 3, 1, 8], [1, 2, 2, 3, 8], [1, 4, 9, 64]):
            tag = "x".join(map(str, shape))
            steps = [call(shape[-1])]
            yield case(f"rope_shape_{tag}_{SHORT[dtype]}", {"x": normal(dtype, shape, 2)}, steps)
        for shape in ([1, 0, 8], [0, 3, 8], [1, 2, 0, 8]):
            tag = "x".join(map(str, shape))
            yield case(
                f"rope_empty_{tag}_{SHORT[dtype]}", {"x": tensor(dtype, shape, [])}, [call()]
            )
        steps = [step("x", "mx.transpose", "$a", [0, 2, 1, 3]), call()]
        yield case(f"rope_transposed_{SHORT[dtype]}", {"a": normal(dtype, X, 3)}, steps)


def options():
    for dtype in HALVES + ["float32"]:
        x = {"x": normal(dtype, X, 4)}
        for base in (500000.0, 2.0, 1.0, 10000):
            yield case(f"rope_base_{base}_{SHORT[dtype]}", x, [call(base=base)])
        for scale in (0.5, 0.1, -1.0, 0.0):
            tag = str(scale).replace("-", "minus_")
            yield case(f"rope_scale_{tag}_{SHORT[dtype]}", x, [call(scale=scale, offset=7)])
        for offset in (1, 1023, 131072, -3, 2147483647):
            tag = str(offset).replace("-", "minus_")
            yield case(f"rope_offset_{tag}_{SHORT[dtype]}", x, [call(offset=offset)])
        for traditional in (False, True):
            for freqs in dict.fromkeys(("float32", dtype)):
                inputs = {**x, "f": tensor(freqs, [4], [1.0, 3.0, 10.5, 100.0])}
                name = f"rope_freqs_{SHORT[freqs]}_{SHORT[dtype]}_{'pairs' if traditional else 'halves'}"
                name += "_same" if freqs == dtype else ""
                yield case(name, inputs, [call(base=None, freqs="$f", traditional=traditional)])


def offset_tensors():
    for dtype in ("float32", "bfloat16"):
        for kind in ("int32", "uint32", "int64", "int8", "uint16"):
            for shape, values in (([], [5]), ([1], [5]), ([2], [5, 90])):
                inputs = {"x": normal(dtype, X, 5), "o": tensor(kind, shape, values)}
                name = (
                    f"rope_offset_{SHORT[kind]}_{'x'.join(map(str, shape)) or '0d'}_{SHORT[dtype]}"
                )
                yield case(name, inputs, [call(offset="$o")])
        inputs = {"x": normal(dtype, [2, 3, 8], 5), "o": tensor("int32", [2], [-4, 70000])}
        yield case(
            f"rope_offset_rows_{SHORT[dtype]}", inputs, [call(offset="$o", traditional=True)]
        )


def refused():
    x = {"x": normal("float32", X, 1)}
    for dims in (3, 0, -2, 10, 2147483646, -2147483648):
        yield error(f"rope_dims_{str(dims).replace('-', 'minus_')}", x, call(dims))
    yield error("rope_2d", {"x": normal("float32", [3, 8], 1)}, call())
    yield error("rope_no_base", x, call(base=None))
    freqs = {**x, "f": normal("float32", [4], 2)}
    yield error("rope_base_and_freqs", freqs, call(freqs="$f"))
    for shape in ([3], [4, 1], [], [5]):
        inputs = {**x, "f": normal("float32", shape, 2)}
        name = f"rope_freqs_{'x'.join(map(str, shape)) or '0d'}"
        yield error(name, inputs, call(base=None, freqs="$f"))
    for dtype in ("int32", "bool_", "complex64"):
        inputs = {"x": tensor(dtype, [1, 1, 2], [1, 0])}
        yield error(f"rope_{SHORT[dtype]}", inputs, call(2))
    for kind, shape in (("float32", []), ("bool_", []), ("int32", [3]), ("int32", [1, 2])):
        inputs = {**x, "o": tensor(kind, shape, [1] * (3 if shape == [3] else 2 if shape else 1))}
        name = f"rope_offset_refused_{SHORT[kind]}_{'x'.join(map(str, shape)) or '0d'}"
        yield error(name, inputs, call(offset="$o"))


def cases():
    parts = (dtypes_and_pairings, shapes, options, offset_tensors, refused)
    return [made for part in parts for made in part()]
