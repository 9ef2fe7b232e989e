"""quantized_matmul by rows and inner sizes, gather_qmm, qqmm and gather_qqmm: modes, indices and refusals."""

from .base import SHORT, case, dims, drawn, error, killer, normal, step, tensor
from .quantization import MODES, REALS, parts, quantize


def rows():
    """The product without transpose for few rows, where GPUs have kernels of their own."""
    turn = 0
    for inner in (64, 512, 1024, 2048, 4096):
        for x in ([1], [2], [3], [4], [5], [3, 1], [2, 3]):
            dtype, bits, group = REALS[turn % 3], (2, 3, 4, 5, 6, 8)[turn % 6], (32, 64)[turn % 2]
            turn += 1
            sizes = {"group_size": group, "bits": bits}
            inputs = {"w": normal(dtype, [inner, 64], 1), "v": normal(dtype, [32, inner], 4), "x": normal(dtype, [*x, inner], 2)}
            steps = [
                quantize(**sizes),
                step("y", "mx.quantized_matmul", "$x", "$q", "$s", "$b", transpose=False, **sizes),
                step(["r", "t", "c"], "mx.quantize", "$v", **sizes),
                step("z", "mx.quantized_matmul", "$x", "$r", "$t", "$c", **sizes),
            ]
            yield case(f"qmm_rows_{dims(x)}_{inner}_{bits}_{SHORT[dtype]}", inputs, steps, ["y", "z"])


def gather(mode="affine", source=None, **kw):
    options = kw if mode == "affine" else {"mode": mode, **kw}
    return step("y", "mx.gather_qmm", "$x", *(source or parts(mode)), **options)


def indices(values, dtype="int32", shape=None):
    return tensor(dtype, [len(values)] if shape is None else shape, values)


def gathered():
    for dtype in REALS:
        for mode in MODES:
            inputs = {"w": normal(dtype, [4, 64, 64], 1), "x": normal(dtype, [3, 2, 64], 2), "l": indices([2, 0, 1]), "r": indices([3, 0, 3], "uint32")}
            for tag, kw in (("rhs", {"rhs_indices": "$r"}), ("both", {"lhs_indices": "$l", "rhs_indices": "$r"}), ("plain", {"rhs_indices": "$r", "transpose": False})):
                yield case(f"gather_qmm_{tag}_{mode}_{SHORT[dtype]}", inputs, [quantize(mode=mode), gather(mode, **kw)])
    w = normal("float32", [4, 8, 64], 1)
    base = {"w": w, "x": normal("float32", [4, 1, 64], 2)}
    yield case("gather_qmm_none", base, [quantize(), gather()])
    yield case("gather_qmm_lhs", {**base, "l": indices([3, 2, 1, 0])}, [quantize(), gather(lhs_indices="$l")])
    for bits in (2, 3, 4, 5, 6, 8):
        for group in (32, 64):
            sizes = {"group_size": group, "bits": bits}
            yield case(f"gather_qmm_{group}_{bits}", {**base, "r": indices([0, 1, 2, 3])}, [quantize(**sizes), gather(rhs_indices="$r", sorted_indices=True, **sizes)])
    for dtype in ("uint8", "int8", "int16", "uint16", "int64", "uint64"):
        yield case(f"gather_qmm_{SHORT[dtype]}", {**base, "r": indices([1, 0, 3, 2], dtype)}, [quantize(), gather(rhs_indices="$r")])
    yield case("gather_qmm_experts", {**base, "x": normal("float32", [2, 1, 1, 64], 2), "r": indices([1, 0, 3, 2, 2, 1], shape=[2, 3])}, [quantize(), gather(rhs_indices="$r")])
    yield error("gather_qmm_f32_index", {**base, "r": indices([1.0, 0.0], "float32")}, quantize(), gather(rhs_indices="$r"))
    yield error("gather_qmm_uneven_index", {**base, "l": indices([1, 0]), "r": indices([1, 0, 2])}, quantize(), gather(lhs_indices="$l", rhs_indices="$r"))
    yield error("gather_qmm_vector", {**base, "x": normal("float32", [64], 2), "r": indices([0])}, quantize(), gather(rhs_indices="$r"))
    yield error("gather_qmm_inner", {**base, "x": normal("float32", [4, 1, 32], 2), "r": indices([0])}, quantize(), gather(rhs_indices="$r"))
    yield error("gather_qmm_bits_7", {**base, "r": indices([0])}, quantize(), gather(rhs_indices="$r", bits=7))
    for bad in (4, -1, 10**9, -(2**31)):
        tag = str(bad).replace("-", "minus_")
        yield killer(f"gather_qmm_expert_{tag}", {**base, "r": indices([0, bad])}, quantize(), gather(rhs_indices="$r"))
        yield killer(f"gather_qmm_row_{tag}", {**base, "l": indices([0, bad]), "r": indices([0, 0])}, quantize(), gather(lhs_indices="$l", rhs_indices="$r"))
    yield killer("gather_qmm_no_rows", {**base, "x": tensor("float32", [3, 0, 64], []), "r": indices([0, 1, 2])}, quantize(), gather(rhs_indices="$r"))
    for shape in ([4, 0, 64], [0, 8, 64]):
        yield killer(f"gather_qmm_weight_{dims(shape)}", {**base, "w": tensor("float32", shape, []), "r": indices([0])}, quantize(), gather(rhs_indices="$r"))
    few = {**base, "v": normal("float32", [4, 2, 64], 3), "r": indices([0, 1, 2, 3])}
    steps = [quantize(), step(["p", "s", "b"], "mx.quantize", "$v"), gather(rhs_indices="$r")]
    yield killer("gather_qmm_scales_of_fewer_rows", few, *steps)


def both_quantized():
    for mode in ("nvfp4", "mxfp8", "mxfp4"):
        for dtype in REALS:
            for shape in ([1, 64], [64], [1, 256]):
                inputs = {"w": normal(dtype, [32, shape[-1]], 1), "x": normal(dtype, shape, 2)}
                call = step("y", "mx.qqmm", "$x", "$q", "$s", mode=mode)
                yield case(f"qqmm_{mode}_{dims(shape)}_{SHORT[dtype]}", inputs, [quantize(mode=mode), call])
    inputs = {"w": normal("float32", [32, 64], 1), "x": normal("float32", [1, 64], 2), "g": tensor("float32", [], [2.5]), "h": tensor("float32", [], [0.5]), "i": tensor("int32", [], [2]), "j": tensor("float32", [2], [1.0, 2.0])}
    nv = quantize(mode="nvfp4")
    call = lambda **kw: step("y", "mx.qqmm", "$x", "$q", "$s", **kw)
    yield case("qqmm_global_scales", inputs, [nv, call(global_scale_x="$g", global_scale_w="$h")])
    yield case("qqmm_positional", inputs, [nv, step("y", "mx.qqmm", "$x", "$q", "$s", 16, 4, "nvfp4", "$g", "$h")])
    for tag, kw in (("one_scale", {"global_scale_x": "$g"}), ("i32_scale", {"global_scale_x": "$i", "global_scale_w": "$i"}), ("two_scales", {"global_scale_x": "$j", "global_scale_w": "$j"})):
        yield error(f"qqmm_{tag}", inputs, nv, call(**kw))
    yield error("qqmm_mode", inputs, nv, call(mode="x"))
    yield error("qqmm_inner", {**inputs, "x": normal("float32", [1, 32], 2)}, nv, call())
    for dtype in ("float64", "int32", "complex64"):
        yield error(f"qqmm_x_{SHORT[dtype]}", {**inputs, "x": tensor(dtype, [1, 64], [1] * 64)}, nv, call())
    yield error("qqmm_several_rows", {**inputs, "x": normal("float32", [3, 64], 2)}, nv, call())
    yield error("qqmm_dense", inputs, step("y", "mx.qqmm", "$x", "$w"))
    yield error("qqmm_dense_i32", {**inputs, "w": tensor("int32", [1, 64], [1] * 64)}, step("y", "mx.qqmm", "$x", "$w"))
    yield error("qqmm_x_0d", {**inputs, "x": normal("float32", [], 2)}, nv, call(), message=False)
    yield error("qqmm_w_1d", inputs, step("y", "mx.qqmm", "$x", "$w"), message=False)
    yield killer("qqmm_bits_0", inputs, nv, call(bits=0))
    yield killer("qqmm_affine", inputs, quantize(), call(mode="affine"))
    for w, x in (([0, 64], [1, 64]), ([4, 0], [1, 0])):
        packed = {"q": tensor("uint32", [w[0], w[1] // 8], []), "s": tensor("uint8", [w[0], w[1] // 16], []), "x": drawn("float32", x, 2)}
        yield killer(f"qqmm_weight_{dims(w)}", packed, call())
    few = {**inputs, "v": normal("float32", [4, 64], 3)}
    yield killer("qqmm_scales_of_fewer_rows", few, nv, step(["p", "s"], "mx.quantize", "$v", mode="nvfp4"), call())
    inputs = {"w": normal("float32", [4, 32, 64], 1), "x": normal("float32", [3, 1, 64], 2), "r": indices([0, 3, 1]), "e": indices([4])}
    call = lambda index: step("y", "mx.gather_qqmm", "$x", "$q", "$s", rhs_indices=index)
    yield error("gather_qqmm", inputs, nv, call("$r"))
    yield error("gather_qqmm_dense", inputs, step("y", "mx.gather_qqmm", "$x", "$w", rhs_indices="$r"))
    yield killer("gather_qqmm_expert", inputs, nv, call("$e"))


def cases():
    return [made for part in (rows, gathered, both_quantized) for made in part()]
