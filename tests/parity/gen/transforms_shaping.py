"""Sample calls of ops that move, take and put elements: shapes, joins, indexing, assignment, `at` updates, takes.

Not here: what is done to them.
"""

from .base import step
from .transforms_base import Call, F, I, N, P, call

ALL = {"slice": [None, None, None]}


def cut(start, stop=None, by=None):
    return {"slice": [start, stop, by]}


def shapes():
    yield call("reshape", "mx.reshape", "$a", [3, -1], a=N(2, 6))
    yield call("method_reshape", "method.reshape", "$a", [4], a=N(2, 2))
    yield call("reshape_of_transpose", "mx.reshape", "$t", [6], before=[step("t", "mx.transpose", "$a")], a=N(2, 3))
    yield call("flatten", "mx.flatten", "$a", a=N(2, 3, 2))
    yield call("flatten_from_1", "mx.flatten", "$a", 1, a=N(2, 3, 2))
    yield call("method_flatten", "method.flatten", "$a", a=N(2, 3))
    yield call("unflatten", "mx.unflatten", "$a", 0, [2, 3], a=N(6, 2))
    yield call("squeeze", "mx.squeeze", "$a", a=N(1, 3, 1))
    yield call("squeeze_0", "mx.squeeze", "$a", 0, a=N(1, 3, 1))
    yield call("method_squeeze", "method.squeeze", "$a", 0, a=N(1, 3))
    yield call("expand_dims", "mx.expand_dims", "$a", [0, 2], a=N(2, 3))
    yield call("transpose", "mx.transpose", "$a", a=N(2, 3), complex_too=True)
    yield call("transpose_axes", "mx.transpose", "$a", [2, 0, 1], a=N(2, 3, 2))
    yield call("permute_dims", "mx.permute_dims", "$a", [1, 0], a=N(2, 3))
    yield call("matrix_transpose", "mx.matrix_transpose", "$a", a=N(2, 3))
    yield call("method_transpose", "method.transpose", "$a", 1, 0, a=N(2, 3))
    yield call("swapaxes", "mx.swapaxes", "$a", 0, 2, a=N(2, 3, 2))
    yield call("method_swapaxes", "method.swapaxes", "$a", 0, 1, a=N(2, 3))
    yield call("moveaxis", "mx.moveaxis", "$a", 0, -1, a=N(2, 3, 2))
    yield call("method_moveaxis", "method.moveaxis", "$a", 0, 1, a=N(2, 3))
    yield call("broadcast_to", "mx.broadcast_to", "$a", [2, 3, 4], a=N(3, 1))
    yield call("broadcast_arrays", "mx.broadcast_arrays", "$a", "$b", outs=2, a=N(3, 1), b=N(2))
    for size in (1, 2, 3):
        yield call(f"atleast_{size}d", f"mx.atleast_{size}d", "$a", a=N(3))
        yield call(f"atleast_{size}d_of_0d", f"mx.atleast_{size}d", "$a", a=N())
    yield call("contiguous", "mx.contiguous", "$t", before=[step("t", "mx.transpose", "$a")], a=N(2, 3))
    yield call("as_strided", "mx.as_strided", "$a", [2, 2], [1, 2], 1, a=N(6))
    yield call("as_strided_overlapping", "mx.as_strided", "$a", [3, 2], [1, 1], 0, a=N(5))
    yield call("asarray", "mx.asarray", "$a", a=N(3))
    yield call("array_of_complex", "mx.array", "$a", {"dtype": "complex64"}, a=N(3))
    yield call("empty_like", "mx.empty_like", "$a", a=N(3))
    yield call("full_like_tensor", "mx.full_like", "$a", "$b", a=N(2, 3), b=N(3))
    yield call("ones_like", "mx.ones_like", "$a", a=N(3))
    yield call("zeros_like", "mx.zeros_like", "$a", a=N(3))
    yield call("full_like", "mx.full_like", "$a", 2.5, a=N(3))
    yield call("full_of_tensor", "mx.full", [2, 3], "$a", a=N(3))
    yield call("tril", "mx.tril", "$a", a=N(3, 3))
    yield call("triu", "mx.triu", "$a", 1, a=N(2, 3, 3))
    yield call("diag_of_vector", "mx.diag", "$a", 1, a=N(3))
    yield call("diag_of_matrix", "mx.diag", "$a", a=N(3, 2))
    yield call("method_diag", "method.diag", "$a", a=N(3))
    yield call("diagonal", "mx.diagonal", "$a", 1, a=N(3, 4))
    yield call("diagonal_axes", "mx.diagonal", "$a", -1, 1, 2, a=N(2, 3, 3))
    yield call("method_diagonal", "method.diagonal", "$a", a=N(2, 3))
    yield call("trace", "mx.trace", "$a", a=N(3, 3))
    yield call("trace_offset", "mx.trace", "$a", 1, 1, 2, a=N(2, 3, 3))
    yield call("meshgrid", "mx.meshgrid", "$a", "$b", outs=2, a=N(2), b=N(3))
    yield call("meshgrid_sparse", "mx.meshgrid", "$a", "$b", kw={"sparse": True, "indexing": "ij"}, outs=2, a=N(2), b=N(3))


def joins():
    yield call("concatenate", "mx.concatenate", ["$a", "$b"], 1, a=N(2, 3), b=N(2, 1), complex_too=True)
    yield call("concatenate_itself", "mx.concatenate", ["$a", "$a"], a=N(2, 2))
    yield call("concat", "mx.concat", ["$a", "$b"], 0, a=N(2), b=N(3))
    yield call("stack", "mx.stack", ["$a", "$b", "$c"], 1, a=N(2, 3), b=N(2, 3), c=N(2, 3))
    yield call("stack_0", "mx.stack", ["$a", "$b"], a=N(), b=N())
    yield call("split", "mx.split", "$a", 2, 1, outs=2, a=N(2, 4))
    yield call("split_at", "mx.split", "$a", [1, 3], outs=3, a=N(4, 2))
    yield call("method_split", "method.split", "$a", 2, outs=2, a=N(4))
    yield call("unstack", "mx.unstack", "$a", outs=3, a=N(3, 2))
    yield call("tile", "mx.tile", "$a", [2, 1, 2], a=N(2, 3))
    yield call("repeat", "mx.repeat", "$a", 2, 1, a=N(2, 3))
    yield call("repeat_flat", "mx.repeat", "$a", 3, a=N(2, 2))
    yield call("roll", "mx.roll", "$a", 2, a=N(2, 3))
    yield call("roll_axes", "mx.roll", "$a", [1, -1], [0, 1], a=N(2, 3))
    yield call("flip", "mx.flip", "$a", 0, a=N(3, 2))
    yield call("flip_all", "mx.flip", "$a", a=N(3, 2))
    yield call("pad", "mx.pad", "$a", [[1, 0], [2, 1]], a=N(2, 3))
    yield call("pad_value", "mx.pad", "$a", 1, "constant", "$b", a=N(3), b=N())
    yield call("pad_edge", "mx.pad", "$a", [1, 2], "edge", a=N(3))
    yield call("pad_reflect", "mx.pad", "$a", [1, 2], "reflect", a=N(3))
    yield call("pad_symmetric", "mx.pad", "$a", [1, 2], "symmetric", a=N(3))
    yield call("kron", "mx.kron", "$a", "$b", a=N(2, 2), b=N(2, 3))
    yield call("outer", "mx.outer", "$a", "$b", a=N(2), b=N(3))


# Of a tensor of (4, 3, 5), with $i = (2,), $j = (2, 1), $b = a mask of (4,).
SPECS = {
    "int": [1], "minus": [-1, 2], "ints": [1, 2, 0], "slice": [cut(1, 3)], "steps": [cut(None, None, 2), ALL, cut(0, 4, 3)],
    "reversed": [cut(None, None, -1)], "reversed_part": [ALL, cut(2, 0, -1)], "ellipsis": ["...", 1], "newaxis": ["newaxis", cut(1), "newaxis"],
    "none_and_int": ["newaxis", 1, "..."], "everything": ["..."], "empty": [cut(2, 2)],
    "tensor": ["$i"], "tensor_last": ["...", "$i"], "tensors": ["$i", "$j"], "apart": ["$i", ALL, "$j"],
    "tensor_and_int": ["$i", 1], "tensor_and_slice": ["$i", cut(0, 2)], "slice_and_tensor": [cut(1, 4), "$i"],
    "tensor_and_newaxis": ["newaxis", "$i"],
}
UPDATES = ["add", "subtract", "multiply", "divide", "maximum", "minimum"]


def indexed(spec):
    """The index tensors that a spec names, with places named twice."""
    given = {}
    if "$i" in spec:
        given["i"] = I(3, 2, low=-3)
    if "$j" in spec:
        given["j"] = I(3, 2, 1, dtype="uint32")
    return given


def by_index():
    for turn, (tag, spec) in enumerate(SPECS.items()):
        given, by_tensor = indexed(spec), any(isinstance(item, str) and item[0] == "$" for item in spec)
        yield call(f"index_{tag}", "index", "$a", spec, guarded=by_tensor, a=N(4, 3, 5), **given)
        yield call(f"set_index_{tag}_scalar", "set_index", "$a", spec, 2.5, guarded=by_tensor, a=N(4, 3, 5), **given)
        value = N(1) if tag not in ("ints",) else N()
        yield call(f"set_index_{tag}", "set_index", "$a", spec, "$u", guarded=by_tensor, a=N(4, 3, 5), u=value, **given)
        for update in UPDATES if tag in ("slice", "tensor") else [UPDATES[turn % 6], UPDATES[(turn + 2) % 6]]:
            yield call(f"at_{tag}_{update}", "at", "$a", spec, "$u", update, guarded=by_tensor, a=P(4, 3, 5), u=P(1) if value.shape else P(), **given)
    full = [("slice", [cut(1, 3)], (2, 3, 5)), ("tensor", ["$i"], (2, 3, 5)), ("apart", ["$i", ALL, "$j"], (2, 2, 3))]
    for tag, spec, shape in full:
        given = indexed(spec)
        yield call(f"set_index_{tag}_full", "set_index", "$a", spec, "$u", guarded=bool(given), a=N(4, 3, 5), u=N(*shape), **given)
        for update in UPDATES:
            yield call(f"at_{tag}_{update}_full", "at", "$a", spec, "$u", update, guarded=bool(given), a=P(4, 3, 5), u=P(*shape), **given)
    lazy = [step("k", "+", "$i", 0)]
    yield call("index_lazy", "index", "$a", ["$k"], before=lazy, guarded=True, a=N(4, 3), i=I(4, 3, low=-4))
    yield call("set_index_lazy", "set_index", "$a", ["$k"], "$u", before=lazy, guarded=True, a=N(4, 3), u=N(3), i=I(4, 3, low=-4))
    yield call("at_lazy_add", "at", "$a", ["$k"], "$u", "add", before=lazy, guarded=True, a=N(4, 3), u=N(3, 3), i=I(4, 3, low=-4))
    of_data = [step("m", "mx.argmax", "$a", 1)]
    yield call("index_by_argmax", "index", "$a", [ALL, "$m"], before=of_data, guarded=True, a=N(3, 4))
    yield call("index_mask", "set_index", "$a", ["$b"], 0.5, guarded=True, a=N(4, 3), b=I(2, 4, dtype="bool_"))
    yield Call("index_unpacked", [step(["u", "v"], "index", "$a", [cut(0, 2)]), step("y", "-", "$u", "$v")], {"a": N(3, 2)})


def taking():
    for tag, args in {"0": (0,), "1": (1,), "last": (-1,), "flat": ()}.items():
        yield call(f"take_{tag}", "mx.take", "$a", "$i", *args, guarded=True, a=N(3, 4), i=I(3, 2, 2, low=-3))
    yield call("take_int", "mx.take", "$a", 1, 1, a=N(3, 4))
    yield call("take_unsigned", "mx.take", "$a", "$i", 0, guarded=True, a=N(3, 4), i=I(3, 4, dtype="uint8"))
    yield call("take_lazy", "mx.take", "$a", "$k", 0, before=[step("k", "+", "$i", 0)], guarded=True, a=N(3, 4), i=I(3, 4))
    yield call("take_along_axis", "mx.take_along_axis", "$a", "$i", 1, guarded=True, a=N(3, 4), i=I(4, 3, 2, low=-4))
    yield call("take_along_axis_0", "mx.take_along_axis", "$a", "$i", 0, guarded=True, a=N(3, 4), i=I(3, 2, 4))
    yield call("take_along_argsort", "mx.take_along_axis", "$a", "$s", -1, before=[step("s", "mx.argsort", "$a")], guarded=True, a=N(3, 4))
    yield call("put_along_axis", "mx.put_along_axis", "$a", "$i", "$u", 1, guarded=True, a=N(3, 4), u=N(3, 1), i=I(4, 3, 1))
    yield call("put_along_axis_lazy", "mx.put_along_axis", "$a", "$k", "$u", 0, before=[step("k", "+", "$i", 0)], guarded=True, a=N(3, 4), u=N(1, 4), i=I(3, 1, 4))
    yield call("slice", "mx.slice", "$a", "$s", [0, 1], [2, 2], guarded=True, a=N(4, 3), s=I(2, 2))
    yield call("slice_update", "mx.slice_update", "$a", "$u", "$s", [0, 1], guarded=True, a=N(4, 3), u=N(2, 2), s=I(2, 2))
    yield call("slice_lazy", "mx.slice", "$a", "$k", [0], [2, 3], before=[step("k", "+", "$s", 0)], guarded=True, a=N(4, 3), s=I(3, 1))
    yield call("slice_update_lazy", "mx.slice_update", "$a", "$u", "$k", [0], before=[step("k", "+", "$s", 0)], guarded=True, a=N(4, 3), u=N(2, 3), s=I(3, 1))
    yield call("gather_mm", "mx.gather_mm", "$a", "$b", "$l", "$r", guarded=True, a=F(2, 3, 4), b=F(3, 4, 2), l=I(2, 3), r=I(3, 3))
    yield call("gather_mm_free", "mx.gather_mm", "$a", "$b", "$l", "$r", guarded=True, a=N(2, 3, 4), b=N(3, 4, 2), l=I(2, 3, dtype="uint32"), r=I(3, 3, dtype="uint32"))
    yield call("gather_mm_lazy", "mx.gather_mm", "$a", "$b", "$k", "$r", before=[step("k", "+", "$l", 0)], guarded=True, a=N(2, 3, 4), b=N(3, 4, 2), l=I(2, 3, dtype="uint32"), r=I(3, 3, dtype="uint32"))


def calls():
    return [*shapes(), *joins(), *by_index(), *taking()]
