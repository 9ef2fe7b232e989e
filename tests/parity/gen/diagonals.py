"""Diagonals, triangles and windows: diag, diagonal, trace, eye, identity, tri, tril, triu,
linspace, hamming, hanning, blackman, bartlett.
"""

from .base import DTYPES, SHORT, case, error, grid, killer, normal, sample, step, tensor
from .shapes import counted, tag

LEAST, MOST = -(2**31), 2**31 - 1


def forms(op, inputs, good, bad=(), base=None):
    """Calls with the tensor `a`, where there is one, and each argument list; `bad` ones must raise."""
    base, first = base or op.removeprefix("mx."), [f"${name}" for name in inputs]
    for args in good:
        yield case(f"{base}_by_{tag(args) if args else 'default'}", inputs, [step("y", op, *first, *args)])
    for args in bad:
        yield error(f"{base}_by_{tag(args)}_refused", inputs, step("y", op, *first, *args))


def every_dtype():
    for dtype in DTYPES:
        inputs = {"a": grid(dtype), "v": tensor(dtype, [3], sample(dtype)[1:4])}
        steps = [
            step("d", "mx.diag", "$v"), step("e", "mx.diag", "$a", 1), step("g", "mx.diagonal", "$a"),
            step("t", "mx.trace", "$a"), step("l", "mx.tril", "$a"), step("u", "mx.triu", "$a"),
        ]
        yield case(f"diagonals_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])
        kind = {"dtype": dtype}
        steps = [
            step("e", "mx.eye", 3, 4, 1, kind), step("i", "mx.identity", 2, kind), step("t", "mx.tri", 2, 3, 0, kind),
            step("x", "mx.trace", "$f", dtype=kind), step("l", "mx.linspace", 0, 3, 5, True, kind),
        ]
        inputs = {"f": normal("float32", [3, 3], 4)}
        if dtype == "uint64":
            inputs = {"f": counted([3, 3])}
        yield case(f"diagonals_at_{SHORT[dtype]}", inputs, steps, [made["out"] for made in steps])


def matrices():
    far = [[5], [-5], [MOST], [LEAST]]
    a = {"a": counted([2, 3], "int32")}
    yield from forms("mx.diag", a, [[], [1], [-1], [2], [3], *far])
    for shape in ([0], [1], [3]):
        good, bad = [[], [1], [-2]], far[2:] if shape != [0] else far[3:]
        yield from forms("mx.diag", {"a": counted(shape)}, good, bad, base=f"diag_of_{tag(shape)}")
    yield killer("diag_beyond_memory", {"a": counted([0])}, step("y", "mx.diag", "$a", MOST))
    for shape in ([], [2, 2, 2]):
        yield from forms("mx.diag", {"a": counted(shape)}, [], [[0]], base=f"diag_of_{len(shape)}_axes")
    for shape in ([0, 0], [0, 3]):
        yield from forms("mx.diag", {"a": counted(shape)}, [[], [1], [-1]], base=f"diag_of_{tag(shape)}")
    for name in ("diagonal", "trace"):
        op = f"mx.{name}"
        bad = [[0, 0, 0], [0, 0, 5], [0, 5, 0], [0, -1, 1], [0, LEAST, 1], [0, 0, MOST]]
        yield from forms(op, a, [[], [1], [-1], [0, 1, 0], [0, -2, -1], *far], bad)
        b = {"a": counted([2, 3, 4])}
        good = [[], [0, 1, 2], [1, 2, 0], [0, -1, 0], [1, 0, 2]]
        yield from forms(op, b, good, base=f"{name}_of_three")
        # A trace of nothing over other axes than all has no end in Python at times: tests/killers.
        if name == "diagonal":
            yield from forms(op, b, [[7, 1, 2], [-3, 0, 2]], base="diagonal_of_none_of_three")
        for shape in ([0, 3], [3, 0], [0, 0, 2], [2, 0, 2], [2, 2, 0]):
            good = [[], [1], [-1]] + ([[0, 1, 2], [0, 0, 2]] if len(shape) == 3 else [])
            if name == "diagonal" or len(shape) == 2:
                yield from forms(op, {"a": counted(shape)}, good, base=f"{name}_of_{tag(shape)}")
        for shape in ([], [3]):
            yield from forms(op, {"a": counted(shape)}, [], [[0]], base=f"{name}_of_{len(shape)}_axes")
    kinds = {"int8": "int8", "bool_": "bool_", "float16": "float32", "int32": "int8"}
    for old, new in kinds.items():
        inputs = {"a": grid(old, lambda _: [1, 0, 1, 0, 1, 1])}
        made = step("y", "mx.trace", "$a", dtype={"dtype": new})
        yield case(f"trace_{SHORT[old]}_at_{SHORT[new]}", inputs, [made])
    a = {"a": counted([2, 3])}
    for op in ("mx.diag", "method.diag"):
        yield case(f"{op.replace('.', '_')}_keyword", a, [step("y", op, "$a", k=1)])
    for op in ("mx.diagonal", "mx.trace", "method.diagonal"):
        made = step("y", op, "$a", offset=1, axis1=1, axis2=0)
        yield case(f"{op.replace('.', '_')}_keywords", a, [made])
    yield case("method_diag", a, [step("y", "method.diag", "$a")])
    yield case("method_diagonal", a, [step("y", "method.diagonal", "$a", 1)])


def triangles():
    ks = [[], [0], [1], [-1], [2], [5], [-5], [MOST], [LEAST]]
    for name in ("tril", "triu"):
        op = f"mx.{name}"
        for shape in ([2, 3], [3, 3], [2, 2, 3], [0, 0], [0, 3], [1, 1]):
            yield from forms(op, {"a": counted(shape)}, ks, base=f"{name}_of_{tag(shape)}")
        for shape in ([], [3]):
            yield from forms(op, {"a": counted(shape)}, [], [[0]], base=f"{name}_of_{len(shape)}_axes")
        yield case(f"{name}_keyword", {"a": counted([2, 3])}, [step("y", op, "$a", k=1)])
    good = [
        [3], [2, 3], [3, None, 1], [2, 3, 1], [2, 3, -1], [2, 3, 5], [2, 3, -5], [0], [3, 0], [0, 3], [2, 3, MOST],
    ]
    yield from forms("mx.tri", {}, [*good, [2, 3, LEAST], [-1], [-5, 3], [3, -1], [LEAST]])
    bad = [[-1], [3, -1], [LEAST], [2, 3, LEAST]]
    yield from forms("mx.eye", {}, [*good, [2, 3, LEAST + 1], [2, 3, 2], [2, 3, 3], [2, 3, -2]], bad)
    yield from forms("mx.identity", {}, [[0], [1], [3]], [[-1], [LEAST]])
    for name in ("eye", "tri"):
        made = step("y", f"mx.{name}", n=2, m=3, k=1, dtype={"dtype": "int16"})
        yield case(f"{name}_keywords", {}, [made])
        yield case(f"{name}_no_dtype", {}, [step("y", f"mx.{name}", 2, dtype=None)])
    yield case("identity_keywords", {}, [step("y", "mx.identity", n=2, dtype=None)])


def in_steps():
    good = [
        [0, 1], [0, 1, 2], [0, 1, 1], [0, 1, 0], [5, 5, 3], [1, 0, 4], [-1.5, 2.5, 5], [0, 1, 5, False], [True, 3.5, 3],
        [0, 1, 1, False], [0, 1, 0, False], [2**53, 1, 3], [0.1, 0.7, 7], [-1e300, 1e300, 4], [1e-45, 0, 3],
        [-3, 3, 7, True],
    ]
    yield from forms("mx.linspace", {}, good, [[0, 1, -1], [0, 1, LEAST]])
    for name, ends in {"nan": [{"float": "nan"}, 1], "inf": [0, {"float": "inf"}]}.items():
        yield case(f"linspace_{name}", {}, [step("y", "mx.linspace", *ends, 3)])
    for dtype in DTYPES:
        made = step("y", "mx.linspace", 0.25, 3, 7, False, {"dtype": dtype})
        one = step("z", "mx.linspace", 2.5, 3, 1, dtype={"dtype": dtype})
        yield case(f"linspace_{SHORT[dtype]}", {}, [made, one], ["y", "z"])
    made = step("y", "mx.linspace", start=0, stop=1, num=3, endpoint=False, dtype={"dtype": "float16"})
    yield case("linspace_keywords", {}, [made, step("z", "mx.linspace", 0, 1, 4, dtype=None)], ["y", "z"])
    for name in ("hamming", "hanning", "blackman", "bartlett"):
        yield from forms(f"mx.{name}", {}, [[1], [2], [3], [4], [17], [0], [-3], [LEAST]])
        yield case(f"{name}_keyword", {}, [step("y", f"mx.{name}", M=5)])


def cases():
    parts = (every_dtype, matrices, triangles, in_steps)
    return [made for part in parts for made in part()]
