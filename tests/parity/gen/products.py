"""inner, outer, kron, vecdot, tensordot, einsum and einsum_path.

Not here: matmul and addmm (matmul.py), products that choose matrices (sparse_products.py).
"""

from .base import (
    DTYPES, FLOATS, SHORT, case, dims, drawn, error, killer, sample, step, tame, tensor,
)

INEXACT = FLOATS + ["complex64"]


def pair(left, right, dtype="float32", other=None):
    return {"a": drawn(dtype, left, 1), "b": drawn(other or dtype, right, 2)}


def by_dtype():
    """Each dtype, and each next to float16 and int32."""
    for dtype in DTYPES:
        for values in (tame, sample):
            inputs = {"a": tensor(dtype, [2, 3], values(dtype)), "b": tensor(dtype, [6], values(dtype))}
            for op in ("outer", "kron"):
                name = f"{op}_{values.__name__}_{SHORT[dtype]}"
                yield case(name, inputs, [step("y", f"mx.{op}", "$a", "$b")])
        same = {"a": tensor(dtype, [2, 3], tame(dtype)), "b": tensor(dtype, [2, 3], tame(dtype))}
        made = [step("y", "mx.vecdot", "$a", "$b"), step("z", "mx.vecdot", "$a", "$b", axis=0)]
        yield case(f"vecdot_{SHORT[dtype]}", same, made, ["y", "z"])
        for op in ("inner", "tensordot"):
            made = step("y", f"mx.{op}", "$a", "$b", **({"axes": 2} if op == "tensordot" else {}))
            if dtype in INEXACT:
                yield case(f"{op}_{SHORT[dtype]}", same, [made])
            else:
                yield error(f"{op}_{SHORT[dtype]}_refused", same, made)
        for other in ("float16", "int32"):
            inputs = {"a": tensor(dtype, [3], tame(dtype)[:3]), "b": tensor(other, [3], tame(other)[:3])}
            for op in ("outer", "kron", "vecdot"):
                name = f"{op}_{SHORT[dtype]}_{SHORT[other]}"
                yield case(name, inputs, [step("y", f"mx.{op}", "$a", "$b")])


def shapes():
    table = {
        "inner": [([3], [3]), ([2, 3], [3]), ([2, 3], [4, 3]), ([2, 2, 3], [4, 3]), ([], [2, 3]), ([2, 3], []),
                  ([], []), ([0], [0]), ([2, 0], [3, 0]), ([0, 3], [3])],
        "outer": [([3], [2]), ([2, 3], [2, 2]), ([], [3]), ([], []), ([0], [3]), ([3], [0]), ([1], [1])],
        "kron": [([2], [3]), ([2, 2], [3]), ([2], [2, 3]), ([2, 2], [3, 2]), ([], [2]), ([], []), ([1, 2, 2], [2, 2]),
                 ([0], [2]), ([2, 2], [2, 0])],
        "vecdot": [([3], [3]), ([2, 3], [2, 3]), ([2, 3], [1, 3]), ([4, 1, 3], [2, 3]), ([0], [0]), ([2, 0], [2, 0]),
                   ([0, 3], [0, 3]), ([2, 3], [3]), ([2, 3], [2, 1]), ([], []), ([2], [])],
    }
    refused = {
        ("vecdot", "4x1x3", "2x3"), ("vecdot", "2x3", "3"), ("vecdot", "2x3", "2x1"), ("vecdot", "0d", "0d"),
        ("vecdot", "2", "0d"),
    }
    for op, shapes_ in table.items():
        for left, right in shapes_:
            made = step("y", f"mx.{op}", "$a", "$b")
            name = f"{op}_{dims(left)}_{dims(right)}"
            if (op, dims(left), dims(right)) in refused:
                yield error(name, pair(left, right), made)
            else:
                yield case(name, pair(left, right), [made])
    yield error("inner_refused", pair([2, 3], [3, 2]), step("y", "mx.inner", "$a", "$b"))
    for axis in (-2, 0, 1):
        made = step("y", "mx.vecdot", "$a", "$b", axis=axis)
        yield case(f"vecdot_axis_{axis}".replace("-", "minus_"), pair([2, 3], [2, 3]), [made])
    for axis in (2, -3, 2147483647):
        made = step("y", "mx.vecdot", "$a", "$b", axis=axis)
        yield error(f"vecdot_axis_{axis}_refused".replace("-", "minus_"), pair([2, 3], [2, 3]), made)
    # The keywords of kron.
    yield case("kron_keywords", pair([2], [3]), [step("y", "mx.kron", a="$a", b="$b")])


def views():
    inputs = pair([4, 3], [4, 3])
    for op in ("inner", "outer", "kron", "vecdot", "tensordot"):
        kw = {"axes": 1} if op == "tensordot" else {}
        steps = [step("s", "mx.transpose", "$a"), step("t", "mx.transpose", "$b")]
        other = "$b" if op == "tensordot" else "$t"
        steps.append(step("y", f"mx.{op}", "$s", other, **kw))
        yield case(f"{op}_transposed", inputs, steps)


def tensordot():
    for axes in (0, 1, 2):
        yield case(f"tensordot_{axes}", pair([2, 3], [3, 2] if axes == 1 else [2, 3]),
                   [step("y", "mx.tensordot", "$a", "$b", axes=axes)])
    yield case("tensordot_default", pair([4, 2, 3], [2, 3, 5]), [step("y", "mx.tensordot", "$a", "$b")])
    yield case("tensordot_positional", pair([4, 2, 3], [3, 5]), [step("y", "mx.tensordot", "$a", "$b", 1)])
    lists = [
        ([2, 3], [3, 2], [[1], [0]]), ([2, 3], [3, 2], [[0, 1], [1, 0]]), ([2, 3, 4], [4, 3, 5], [[1, 2], [1, 0]]),
        ([2, 3, 4], [5, 2], [[0], [-1]]), ([2, 3], [4], [[], []]), ([3], [3], [[-1], [-1]]), ([0, 3], [3, 2], [[1], [0]]),
        ([2, 0], [0, 3], [[1], [0]]), ([], [], [[], []]), ([2, 3, 4], [2, 3, 4], [[0, 1, 2], [0, 1, 2]]),
    ]
    for turn, (left, right, axes) in enumerate(lists):
        for dtype in ("float32", ("bfloat16", "float16", "float64", "complex64")[turn % 4]):
            made = step("y", "mx.tensordot", "$a", "$b", axes=axes)
            yield case(f"tensordot_lists_{turn}_{SHORT[dtype]}", pair(left, right, dtype), [made])
    refused = [[[1]], [[1], [0], [1]], [[5], [0]], [[0], [5]], [[-3], [0]], [[1, 1], [0, 0]], [[0], [0]], [[0, 1], [0]],
               3, -1, 2, []]
    for turn, axes in enumerate(refused):
        made = step("y", "mx.tensordot", "$a", "$b", axes=axes)
        yield error(f"tensordot_refused_{turn}", pair([2, 3], [3, 2]), made)
    yield error("tensordot_0d", pair([], []), step("y", "mx.tensordot", "$a", "$b", axes=1))


EINSUMS = [
    ("ij->ji", [2, 3]), ("ij", [2, 3]), ("ji", [2, 3]), ("ij->", [2, 3]), ("ij->i", [2, 3]), ("ij->j", [2, 3]),
    ("ii", [3, 3]), ("ii->i", [3, 3]), ("iij->ji", [2, 2, 3]), ("ijij->ij", [2, 3, 2, 3]), ("iii->i", [2, 2, 2]),
    ("...ij->...ji", [2, 3, 4]), ("...", [2, 3]), ("...->", [2, 3]), ("i...->...", [2, 3, 4]), ("i...i->...", [2, 3, 2]),
    ("", []), ("->", []), (" i j -> j i ", [2, 3]), ("aZ->Za", [2, 3]),
    ("ij,jk->ik", [2, 3], [3, 4]), ("ij,jk", [2, 3], [3, 4]), ("ij,kj->ik", [2, 3], [4, 3]), ("i,i->", [3], [3]),
    ("i,j->ij", [2], [3]), ("i,j->ji", [2], [3]), ("ij,ij->ij", [2, 3], [2, 3]), ("ij,ij->", [2, 3], [2, 3]),
    ("bij,bjk->bik", [2, 3, 4], [2, 4, 5]), ("bij,jk->bik", [2, 3, 4], [4, 5]), ("...ij,...jk->...ik", [2, 3, 4], [4, 5]),
    ("...ij,...jk", [5, 1, 2, 3], [2, 3, 4]), ("ij,jk->", [2, 3], [3, 4]), ("ij,j->i", [2, 3], [3]), ("ij,->ij", [2, 3], []),
    (",ij->ij", [], [2, 3]), ("i,->i", [3], []), (",->", [], []), ("ij,jk->ik", [1, 3], [3, 4]), ("ij,ij->ij", [2, 3], [1, 3]),
    ("ijk,ilm,njm,nlk,abc->", [2, 3, 4], [2, 5, 6], [7, 3, 6], [7, 5, 4], [2, 2, 2]),
    ("ij,jk,kl->il", [2, 3], [3, 4], [4, 5]), ("ij,jk,kl", [2, 3], [3, 4], [4, 5]), ("i,i,i->i", [3], [3], [3]),
    ("i,i,i->", [3], [3], [3]), ("ij,kl,mn->ijklmn", [1, 2], [2, 1], [1, 2]), ("a,ab,abc->abc", [2], [2, 3], [2, 3, 4]),
    ("bhqd,bhkd->bhqk", [1, 2, 3, 4], [1, 2, 5, 4]), ("ij,jk,kl,lm->im", [2, 3], [3, 2], [2, 4], [4, 2]),
    ("ii,ij->j", [3, 3], [3, 2]), ("ij->ij", [0, 3]), ("ij->i", [2, 0]), ("ij->j", [2, 0]), ("ij,jk->ik", [2, 0], [0, 3]),
    ("ij,jk->ik", [0, 2], [2, 3]), ("ii", [0, 0]), ("ii->i", [0, 0]), ("i,j->ij", [0], [3]),
]
EINSUM_REFUSED = [
    ("ij,jk",), ("ij", [2, 3], [3]), ("ij,jk", [2, 3]), ("i", [2, 3]), ("ijk", [2, 3]), ("i1", [2, 3]), ("i.j", [2, 3]),
    ("i..", [2, 3]), ("...i...", [2, 3]), ("ij->ii", [2, 3]), ("ij->jj", [2, 3]), ("ii", [2, 3]), ("ij,jk", [2, 3], [4, 5]),
    ("...ijk", [2, 3]), ("i->z", [2]), ("i,j->z", [2], [3]), ("ij->ij->ij", [2, 3]), ("i-j", [2, 3]), ("i>j", [2, 3]),
    ("->ij", [2, 3]), (",,", [], []), ("i?", [2, 3]), ("i\tj", [2, 3]), ("ij,ij->...z", [2, 3], [2, 3]), ("ij->.", [2, 3]),
]


def operands(shapes_, dtype):
    return {f"x{i}": drawn(dtype, shape, i + 1) for i, shape in enumerate(shapes_)}


def einsum():
    for turn, (text, *shapes_) in enumerate(EINSUMS):
        for dtype in ("float32", ("bfloat16", "float16", "float64", "complex64")[turn % 4]):
            inputs = operands(shapes_, dtype)
            names = [f"${name}" for name in inputs]
            yield case(f"einsum_{turn}_{SHORT[dtype]}", inputs, [step("y", "mx.einsum", text, *names)])
        made = [step("y", "mx.einsum_path", text, *names)]
        yield case(f"einsum_path_{turn}", inputs, made, graph=False)
    for turn, (text, *shapes_) in enumerate(EINSUM_REFUSED):
        inputs = operands(shapes_, "float32")
        names = [f"${name}" for name in inputs]
        yield error(f"einsum_refused_{turn}", inputs, step("y", "mx.einsum", text, *names))
        if not text.endswith("z"):
            made = step("y", "mx.einsum_path", text, *names)
            yield error(f"einsum_path_refused_{turn}", inputs, made)
    for dtype in DTYPES:
        inputs = {"x0": tensor(dtype, [2, 3], tame(dtype)), "x1": tensor(dtype, [3, 2], tame(dtype))}
        yield case(f"einsum_sum_{SHORT[dtype]}", inputs, [step("y", "mx.einsum", "ij->j", "$x0")])
        yield case(f"einsum_scaled_{SHORT[dtype]}", inputs, [step("y", "mx.einsum", "ij,ji->ij", "$x0", "$x1")])
        made = step("y", "mx.einsum", "ij,jk->ik", "$x0", "$x1")
        if dtype in INEXACT:
            yield case(f"einsum_product_{SHORT[dtype]}", inputs, [made])
        else:
            yield error(f"einsum_product_{SHORT[dtype]}_refused", inputs, made)
        mixed = {**inputs, "x1": tensor("float16", [3, 2], tame("float16"))}
        yield case(f"einsum_product_{SHORT[dtype]}_f16", mixed, [made])
    steps = [step("t", "mx.transpose", "$x0"), step("y", "mx.einsum", "ij,kj->ik", "$t", "$x1")]
    yield case("einsum_transposed", operands([[3, 2], [4, 3]], "float32"), steps)
    # More axes than letters are left: MLX reads before its string.
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    inputs = operands([[1] * 52, [1]], "float32")
    yield killer("einsum_no_letters_left", inputs, step("y", "mx.einsum", f"{letters},...", "$x0", "$x1"))
    yield error("einsum_many_letters", operands([[1] * 2], "float32"),
                step("y", "mx.einsum", f"{letters}0123456789", "$x0"), message=False)
    empty = operands([[0, 3], [0, 3], [0, 3]], "float32")
    for text in ("ij,ij,ij->j", "ij,ij,ij->", "ij,ij,ij->i"):
        made = [step("y", "mx.einsum", text, "$x0", "$x1", "$x2")]
        yield case(f"einsum_of_nothing_{text[9:].strip('->') or 'all'}", empty, made, graph=False)


def cases():
    parts = (by_dtype, shapes, views, tensordot, einsum)
    return [made for part in parts for made in part()]
