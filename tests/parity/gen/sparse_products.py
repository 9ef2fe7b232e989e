"""gather_mm, segmented_mm and block_masked_mm: indices, segments and masks of every kind, and the refusals."""

from .base import DTYPES, INTS, SHORT, case, dims, error, killer, step, tensor
from .products import pair

LAZY = {"k": tensor("int32", [], [1])}


def gathers():
    table = [
        ([3, 2, 4], [5, 4, 6], [0, 2, 1], [4, 0, 4]), ([3, 2, 4], [5, 4, 6], None, [4, 0, 3]),
        ([3, 2, 4], [5, 4, 6], [2, 2, 0, 1, 1], None), ([3, 2, 4], [3, 4, 6], None, None),
        ([2, 3, 2, 4], [5, 4, 6], [5, 0], [1, 1]), ([3, 1, 4], [5, 4, 1], [1], [2, 3]), ([3, 2, 4], [5, 4, 6], [], []),
        ([2, 4], [5, 4, 6], None, [1, 2]), ([2, 4], [4, 6], [0, 0], [0]), ([3, 2, 0], [5, 0, 6], [1, 2], [0, 0]),
        ([3, 0, 4], [5, 4, 6], [1, 2], [0, 0]), ([3, 2, 4], [5, 4, 0], [1, 2], [0, 0]),
    ]
    for turn, (left, right, lhs, rhs) in enumerate(table):
        inputs, given = pair(left, right), []
        for name, index in (("l", lhs), ("r", rhs)):
            if index is not None:
                inputs[name] = tensor("uint32", [len(index)], index)
            given.append(f"${name}" if index is not None else None)
        yield case(f"gather_mm_{turn}", inputs, [step("y", "mx.gather_mm", "$a", "$b", *given)])
        kw = {"lhs_indices": given[0], "rhs_indices": given[1], "sorted_indices": turn == 1}
        yield case(f"gather_mm_{turn}_keywords", inputs, [step("y", "mx.gather_mm", "$a", "$b", **kw)])
    inputs = {**pair([3, 2, 4], [5, 4, 6]), "l": tensor("int32", [2, 1], [0, 2]), "r": tensor("int64", [1, 3], [4, 0, 1])}
    made = [step("y", "mx.gather_mm", "$a", "$b", "$l", "$r")]
    yield case("gather_mm_broadcast", inputs, made)
    for dtype in INTS:
        inputs = {**pair([3, 2, 4], [5, 4, 6]), "l": tensor(dtype, [2], [0, 2]), "r": tensor(dtype, [2], [4, 0])}
        yield case(f"gather_mm_by_{SHORT[dtype]}", inputs, made)
    for dtype in ("bool_", "float32", "complex64"):
        inputs = {**pair([3, 2, 4], [5, 4, 6]), "l": tensor(dtype, [2], [0, 1]), "r": tensor(dtype, [2], [1, 0])}
        yield error(f"gather_mm_by_{SHORT[dtype]}_refused", inputs, made[0])
    index = {"l": tensor("int32", [1], [0]), "r": tensor("int32", [1], [0])}
    for dtype in DTYPES:
        inputs = {"a": tensor(dtype, [1, 1, 1], [1]), "b": tensor(dtype, [1, 1, 1], [1]), **index}
        fails = dtype != "float32"
        name = f"gather_mm_{SHORT[dtype]}"
        yield error(f"{name}_refused", inputs, made[0]) if fails else case(name, inputs, made)
        mixed = {**inputs, "b": tensor("float32", [1, 1, 1], [1])}
        if dtype not in ("float64", "complex64"):
            yield case(f"{name}_f32", mixed, made)
    for left, right in (([3, 2, 4], [5, 3, 6]), ([], [5, 4, 6]), ([3, 2, 4], []), ([4], [5, 3, 6])):
        inputs = {**pair(left, right), **index}
        yield error(f"gather_mm_{dims(left)}_{dims(right)}_refused", inputs, made[0])
    for left, right in (([4], [5, 4, 6]), ([3, 2, 4], [4]), ([4], [4])):
        yield case(f"gather_mm_{dims(left)}_{dims(right)}", {**pair(left, right), **index}, made)
    transposed = [step("t", "mx.transpose", "$b", [0, 2, 1]), step("y", "mx.gather_mm", "$a", "$t", "$l", "$r")]
    yield case("gather_mm_transposed", {**pair([3, 2, 4], [5, 6, 4]), **index}, transposed)
    inputs = {**pair([3, 2, 4], [5, 4, 6]), "l": tensor("int32", [3], [0, 1, 2]), "r": tensor("int32", [2], [0, 1])}
    yield error("gather_mm_indices_refused", inputs, made[0])


def gather_killers():
    made = step("y", "mx.gather_mm", "$a", "$b", "$l", "$r")
    for turn, (lhs, rhs) in enumerate((([3], [0]), ([0], [5]), ([-1], [0]), ([0], [-5]), ([0, 0], [0, 2147483647]))):
        inputs = {**pair([3, 2, 4], [5, 4, 6]), "l": tensor("int32", [len(lhs)], lhs)}
        inputs["r"] = tensor("int32", [len(rhs)], rhs)
        yield killer(f"gather_mm_out_of_bounds_{turn}", inputs, made)
    inputs = {**pair([0, 2, 4], [5, 4, 6]), "l": tensor("int32", [1], [0]), "r": tensor("int32", [1], [0])}
    yield killer("gather_mm_from_nothing", inputs, made)


def segments():
    made = [step("y", "mx.segmented_mm", "$a", "$b", "$s")]
    table = [
        ([2, 8], [8, 3], [[0, 4], [4, 8]]), ([2, 8], [8, 3], [[0, 8], [3, 3], [5, 2], [7, 8]]), ([1, 8], [8, 1], [[0, 8]]),
        ([2, 7], [8, 3], [[0, 7]]), ([2, 8], [8, 3], [[9, 9], [100, 3]]), ([2, 0], [0, 3], [[0, 0]]), ([2, 8], [8, 3], []),
    ]
    for turn, (left, right, bounds) in enumerate(table):
        flat = [value for bound in bounds for value in bound]
        for dtype in ("float32", ("float16", "bfloat16")[turn % 2]):
            inputs = {**pair(left, right, dtype), "s": tensor("uint32", [len(bounds), 2], flat)}
            yield case(f"segmented_mm_{turn}_{SHORT[dtype]}", inputs, made)
    for dtype in INTS:
        inputs = {**pair([2, 8], [8, 3]), "s": tensor(dtype, [2, 2], [0, 3, 3, 8])}
        yield case(f"segmented_mm_by_{SHORT[dtype]}", inputs, made)
    inputs = {**pair([2, 8], [8, 3]), "s": tensor("int32", [2, 1, 2], [0, 3, 3, 8])}
    yield case("segmented_mm_batched_segments", inputs, made)
    yield case("segmented_mm_one", {**inputs, "s": tensor("int32", [2], [1, 5])}, made)
    transposed = [step("t", "mx.transpose", "$b"), step("u", "mx.transpose", "$a"), step("y", "mx.segmented_mm", "$t", "$u", "$s")]
    yield case("segmented_mm_transposed", inputs, transposed)
    by_name = [step("y", "mx.segmented_mm", "$a", "$b", segments="$s")]
    yield case("segmented_mm_keyword", inputs, by_name)
    for dtype in DTYPES:
        inputs = {"a": tensor(dtype, [1, 2], [1, 0]), "b": tensor(dtype, [2, 1], [1, 1]), "s": tensor("int32", [1, 2], [0, 2])}
        name = f"segmented_mm_{SHORT[dtype]}"
        if dtype in ("float16", "bfloat16", "float32", "float64"):
            yield case(name, inputs, made)
        else:
            yield error(f"{name}_refused", inputs, made[0])
    for dtype in ("bool_", "float32"):
        inputs = {**pair([2, 8], [8, 3]), "s": tensor(dtype, [1, 2], [0, 1])}
        yield error(f"segmented_mm_by_{SHORT[dtype]}_refused", inputs, made[0])
    for left, right, shape in (([1, 2, 8], [8, 3], [1, 2]), ([8], [8, 3], [1, 2]), ([2, 8], [8], [1, 2]), ([2, 8], [8, 3], [3]),
                               ([2, 8], [8, 3], []), ([2, 8], [8, 3], [2, 1])):
        count = 1
        for size in shape:
            count *= size
        inputs = {**pair(left, right), "s": tensor("int32", shape, [0] * count)}
        yield error(f"segmented_mm_{dims(left)}_{dims(right)}_{dims(shape)}_refused", inputs, made[0])
    for turn, bounds in enumerate(([0, 9], [8, 9], [0, -1], [7, 2147483647])):
        inputs = {**pair([2, 8], [8, 3]), "s": tensor("int32", [1, 2], bounds)}
        yield killer(f"segmented_mm_out_of_bounds_{turn}", inputs, made[0])
    inputs = {**pair([2, 7], [8, 3]), "s": tensor("int32", [1, 2], [0, 8])}
    yield killer("segmented_mm_beyond_the_shorter", inputs, made[0])


def masked():
    combos = {
        "none": {}, "out": {"mask_out": "$o"}, "lhs": {"mask_lhs": "$l"}, "rhs": {"mask_rhs": "$r"},
        "both": {"mask_lhs": "$l", "mask_rhs": "$r"}, "all": {"mask_out": "$o", "mask_lhs": "$l", "mask_rhs": "$r"},
    }
    for size in (32, 64):
        for m, k, n in ((64, 128, 96), (33, 40, 70), (1, 1, 1)):
            tm, tk, tn = ((x + size - 1) // size for x in (m, k, n))
            for kind in ("bool_", "float32"):
                def mask(rows, columns, turn):
                    values = [(i * 7 + turn) % 3 - (kind == "float32") * 0.5 for i in range(rows * columns)]
                    return tensor(kind, [rows, columns], values)
                inputs = {**pair([m, k], [k, n]), "o": mask(tm, tn, 0), "l": mask(tm, tk, 1), "r": mask(tk, tn, 2)}
                for name, kw in combos.items():
                    made = step("y", "mx.block_masked_mm", "$a", "$b", block_size=size, **kw)
                    yield case(f"block_masked_mm_{size}_{m}x{k}x{n}_{SHORT[kind]}_{name}", inputs, [made])
    one = tensor("bool_", [1, 1], [1])
    for dtype in DTYPES:
        inputs = {"a": tensor(dtype, [1, 2], [1, 0]), "b": tensor(dtype, [2, 1], [1, 1]), "o": one}
        made = step("y", "mx.block_masked_mm", "$a", "$b", 64, "$o")
        name = f"block_masked_mm_{SHORT[dtype]}"
        yield case(name, inputs, [made]) if dtype == "float32" else error(f"{name}_refused", inputs, made)
    for left, right in (([0, 3], [3, 2]), ([2, 0], [0, 3]), ([2, 3], [3, 0]), ([3], [3, 2]), ([2, 3], [3]), ([3], [3]),
                        ([5, 2, 3], [3, 4])):
        vector = 2 if len(left) == len(right) == 1 else min(len(left), len(right))
        shape = {1: [1] if len(left) != len(right) else []}.get(vector, [1, 1])
        if [len(left), len(right)] == [1, 1]:
            shape = []
        inputs = {**pair(left, right), "o": tensor("bool_", shape, [1])}
        zeros = 0 in left[:-1] or 0 in right[1:]
        if 0 in left or 0 in right:
            shape = [int(left[0] > 0), int(right[1] > 0)]
            inputs["o"] = tensor("bool_", shape, [1] * (shape[0] * shape[1]))
        made = step("y", "mx.block_masked_mm", "$a", "$b", mask_out="$o")
        yield case(f"block_masked_mm_{dims(left)}_{dims(right)}{'_empty' * zeros}", inputs, [made])
    mask = {"o": one, "w": tensor("bool_", [2, 1], [1, 0])}
    for turn, (left, right, kw) in enumerate((
        ([2, 3], [4, 2], {"mask_out": "$o"}), ([], [2, 3], {"mask_out": "$o"}), ([2, 3], [3, 2], {"mask_out": "$o", "block_size": 16}),
        ([2, 3], [3, 2], {"mask_out": "$w"}), ([2, 3], [3, 2], {"mask_lhs": "$w"}), ([2, 3], [3, 2], {"mask_out": "$o", "block_size": 0}),
    )):
        made = step("y", "mx.block_masked_mm", "$a", "$b", **kw)
        yield error(f"block_masked_mm_refused_{turn}", {**pair(left, right), **mask}, made)


def cases():
    parts = (gathers, gather_killers, segments, masked)
    return [made for part in parts for made in part()]
