"""quantize, dequantize, quantized_matmul and hadamard_transform: modes, sizes, dtypes and refusals."""

from .base import HALVES, SHORT, case, error, killer, normal, step, tensor

MODES = {"affine": (64, 4), "mxfp4": (32, 4), "mxfp8": (32, 8), "nvfp4": (16, 4)}
REALS = HALVES + ["float32"]


def quantize(source="$w", mode="affine", **kw):
    out = ["q", "s", "b"] if mode == "affine" else ["q", "s"]
    options = kw if mode == "affine" else {"mode": mode, **kw}
    return step(out, "mx.quantize", source, **options)


def parts(mode="affine"):
    return ["$q", "$s", "$b"] if mode == "affine" else ["$q", "$s"]


def dequantize(out="y", mode="affine", **kw):
    options = kw if mode == "affine" else {"mode": mode, **kw}
    return step(out, "mx.dequantize", *parts(mode), **options)


def qmm(out="z", mode="affine", **kw):
    options = kw if mode == "affine" else {"mode": mode, **kw}
    return step(out, "mx.quantized_matmul", "$x", *parts(mode), **options)


def modes():
    for dtype in REALS:
        for mode in MODES:
            for shape in ([2, 128], [3, 2, 128]):
                # The weight of a batch has a batch of inputs.
                inputs = {
                    "w": normal(dtype, shape, 1),
                    "x": normal(dtype, [*shape[:-2], 5, 128], 2),
                }
                steps = [quantize(mode=mode), dequantize(mode=mode), qmm(mode=mode)]
                outputs = [name[1:] for name in parts(mode)] + ["y", "z"]
                yield case(f"quant_{mode}_{len(shape)}d_{SHORT[dtype]}", inputs, steps, outputs)


def affine_sizes():
    for turn, bits in enumerate((2, 3, 4, 5, 6, 8)):
        for group in (32, 64, 128):
            dtype = REALS[(turn + group // 32) % 3]
            sizes = {"group_size": group, "bits": bits}
            inputs = {
                "w": normal(dtype, [4, 256], 3),
                "x": normal(dtype, [3, 256], 4),
                "t": normal(dtype, [3, 4], 5),
            }
            steps = [
                quantize(**sizes),
                dequantize(**sizes),
                qmm(**sizes),
                step("u", "mx.quantized_matmul", "$t", "$q", "$s", "$b", transpose=False, **sizes),
            ]
            name = f"quant_affine_{group}_{bits}_{SHORT[dtype]}"
            yield case(name, inputs, steps, ["q", "s", "b", "y", "z", "u"])


def positional():
    inputs = {"w": normal("float32", [2, 64], 1), "x": normal("float32", [64], 2)}
    steps = [
        step(["q", "s", "b"], "mx.quantize", "$w", 32, 8, "affine"),
        step("y", "mx.dequantize", "$q", "$s", "$b", 32, 8, "affine"),
        step("z", "mx.quantized_matmul", "$x", "$q", "$s", "$b", True, 32, 8, "affine"),
    ]
    yield case("quant_positional", inputs, steps, ["y", "z"])
    steps = [
        quantize(mode="mxfp4", group_size=32, bits=4),
        dequantize(mode="mxfp4", group_size=None, bits=None),
        step("z", "mx.quantized_matmul", "$x", "$q", "$s", None, mode="mxfp4", group_size=32),
    ]
    yield case("quant_explicit_mx", inputs, steps, ["y", "z"])


def dtypes_and_scale():
    for dtype in HALVES + ["float32"]:
        inputs = {"w": normal("float32", [2, 64], 1)}
        for mode in MODES:
            steps = [quantize(mode=mode), dequantize(mode=mode, dtype={"dtype": dtype})]
            yield case(f"dequantize_to_{mode}_{SHORT[dtype]}", inputs, steps)
        inputs = {"w": normal(dtype, [2, 64], 1), "g": tensor("float32", [], [3.5])}
        steps = [
            quantize(mode="nvfp4", global_scale="$g"),
            dequantize(mode="nvfp4", global_scale="$g"),
        ]
        yield case(f"quant_global_scale_{SHORT[dtype]}", inputs, steps, ["q", "s", "y"])
        # Rows of the product promote: float32 inputs with half-precision scales.
        inputs = {"w": normal(dtype, [2, 64], 1), "x": normal("float32", [3, 64], 2)}
        yield case(f"qmm_mixed_{SHORT[dtype]}", inputs, [quantize(), qmm("y")])
    inputs = {"w": normal("float64", [2, 64], 1)}
    yield case("quant_f64_mxfp4", inputs, [quantize(mode="mxfp4")], ["q", "s"])


def specials():
    for dtype in REALS:
        row = ["inf", 1.0, -2.0, 0.0] + [0.0] * 60
        same, zeros = [5.0] * 64, [-0.0] * 64
        inputs = {"w": tensor(dtype, [2, 64], same + zeros)}
        for mode in MODES:
            steps = [quantize(mode=mode), dequantize(mode=mode)]
            outputs = [name[1:] for name in parts(mode)] + ["y"]
            yield case(f"quant_constant_{mode}_{SHORT[dtype]}", inputs, steps, outputs)
    inputs = {"w": tensor("float32", [1, 64], row)}
    yield case("quant_inf", inputs, [quantize(), dequantize()], ["s", "b"])


def shapes():
    for shape in ([0, 64], [2, 0], [0, 2, 64]):
        tag = "x".join(map(str, shape))
        yield case(
            f"quant_empty_{tag}", {"w": tensor("float32", shape, [])}, [quantize()], ["q", "s", "b"]
        )
    inputs = {"w": normal("float32", [64, 3], 1), "x": normal("float32", [64, 4], 2)}
    steps = [
        step("t", "mx.transpose", "$w"),
        quantize("$t"),
        step("x", "mx.transpose", "$x"),
        qmm(),
        dequantize(),
    ]
    yield case("quant_transposed", inputs, steps, ["y", "z"])
    for shape in ([64], [1, 64], [2, 3, 64], [2, 1, 3, 64], [0, 3, 64]):
        x = tensor("float32", shape, []) if 0 in shape else normal("float32", shape, 2)
        tag = "x".join(map(str, shape))
        if 0 in shape:
            continue
        yield case(
            f"qmm_{tag}", {"w": normal("float32", [5, 64], 1), "x": x}, [quantize(), qmm("y")]
        )


def refused():
    w = {"w": normal("float32", [2, 64], 1)}

    def bad(name, inputs=w, **kw):
        return error(name, inputs, step("y", "mx.quantize", "$w", **kw))

    for shape in ([64], [], [2, 60]):
        yield bad(
            f"quantize_refused_{'x'.join(map(str, shape)) or '0d'}",
            {"w": normal("float32", shape, 1)},
        )
    for group in (16, 48, -32):
        yield bad(f"quantize_group_{str(group).replace('-', 'minus_')}", group_size=group)
    for bits in (1, 7, 16, 32):
        yield bad(f"quantize_bits_{bits}", bits=bits)
    for mode, kw in (
        ("x", {}),
        ("mxfp4", {"bits": 8}),
        ("mxfp4", {"group_size": 64}),
        ("nvfp4", {"bits": 8}),
        ("mxfp8", {"group_size": 16}),
    ):
        yield bad(f"quantize_{mode}_{'_'.join(kw)}", mode=mode, **kw)
    for dtype in ("int32", "bool_", "complex64"):
        yield bad(f"quantize_{SHORT[dtype]}", {"w": tensor(dtype, [1, 64], [1] * 64)})
    for mode, dtype, shape in (
        ("affine", "float32", []),
        ("mxfp8", "float32", []),
        ("nvfp4", "float32", [2]),
        ("nvfp4", "int32", []),
    ):
        inputs = {**w, "g": tensor(dtype, shape, [1] * (2 if shape else 1))}
        name = f"quantize_global_scale_{mode}_{SHORT[dtype]}_{'x'.join(map(str, shape)) or '0d'}"
        yield bad(name, inputs, mode=mode, global_scale="$g")
    for shape in ([0, 64], [2, 0]):
        yield bad(
            f"quantize_mxfp4_{'x'.join(map(str, shape))}",
            {"w": tensor("float32", shape, [])},
            mode="mxfp4",
        )


def unfit_parts():
    packed = {"q": tensor("uint32", [2, 8], [1] * 16), "x": normal("float32", [3, 64], 1)}
    ones = lambda dtype, *shape: tensor(dtype, shape, [1] * shape[0] * shape[-1])
    for tag, scales, biases in (
        ("wide", ones("float32", 2, 2), ones("float32", 2, 2)),
        ("i32", ones("int32", 2, 1), ones("int32", 2, 1)),
        ("c64", ones("complex64", 2, 1), ones("complex64", 2, 1)),
        ("uneven", ones("float32", 2, 1), ones("float32", 1, 1)),
    ):
        inputs = {**packed, "s": scales, "b": biases}
        yield error(f"dequantize_unfit_{tag}", inputs, dequantize())
        yield error(f"qmm_unfit_{tag}", inputs, qmm("y"))
    inputs = {**packed, "s": ones("float32", 2, 1), "b": ones("float32", 2, 1)}
    yield error("dequantize_no_biases", inputs, step("y", "mx.dequantize", "$q", "$s"))
    yield error("qmm_no_biases", inputs, step("y", "mx.quantized_matmul", "$x", "$q", "$s"))
    for bits in (0, -4):
        yield error(
            f"dequantize_bits_{str(bits).replace('-', 'minus_')}", inputs, dequantize(bits=bits)
        )
    for dtype in ("int32", "complex64", "bool_"):
        yield error(f"dequantize_to_{SHORT[dtype]}", inputs, dequantize(dtype={"dtype": dtype}))
    yield error("dequantize_mode", inputs, dequantize(mode="x"))
    bytes_ = {
        **packed,
        "q": ones("uint8", 2, 8),
        "s": ones("float32", 2, 1),
        "b": ones("float32", 2, 1),
    }
    yield error("dequantize_u8", bytes_, dequantize())
    yield error("qmm_u8", bytes_, qmm("y"))
    narrow = {**inputs, "x": normal("float32", [3, 60], 1)}
    yield error("qmm_inner", narrow, qmm("y"))
    # Scales of a wider dtype make the product theirs.
    integers = {**inputs, "x": tensor("int32", [1, 64], [1] * 64)}
    yield case("qmm_x_i32", integers, [qmm("y")])
    yield error("qmm_x_0d", {**inputs, "x": normal("float32", [], 1)}, qmm("y"), message=False)


def killers():
    w = {"w": normal("float32", [2, 64], 1)}
    yield killer("quantize_group_0", w, step("y", "mx.quantize", "$w", group_size=0))
    full = {**w, "x": normal("float32", [3, 64], 1)}
    yield killer("qmm_bits_0", full, quantize(), qmm("y", bits=0))
    for shape in ([0, 64], [2, 0, 64]):
        inputs = {**w, "x": tensor("float32", shape, [])}
        yield killer(f"qmm_empty_{'x'.join(map(str, shape))}", inputs, quantize(), qmm("y"))
    for shape, x in (([0, 64], [3, 64]), ([2, 0], [3, 0])):
        inputs = {"w": tensor("float32", shape, []), "x": tensor("float32", x, [1.0] * (3 * x[1]))}
        yield killer(f"qmm_weight_{'x'.join(map(str, shape))}", inputs, quantize(), qmm("y"))
    one = {**full, "v": normal("float32", [1, 64], 1)}
    steps = [quantize(), step(["r", "s", "b"], "mx.quantize", "$v"), qmm("y")]
    yield killer("qmm_scales_of_fewer_rows", one, *steps)


def hadamard():
    for n in (1, 2, 4, 64, 1024, 12, 20, 28, 24, 40, 112, 96):
        for dtype in HALVES + ["float32"]:
            inputs = {"x": normal(dtype, [2, n], 1)}
            steps = [
                step("y", "mx.hadamard_transform", "$x"),
                step("z", "mx.hadamard_transform", "$x", scale=0.1),
            ]
            yield case(f"hadamard_{n}_{SHORT[dtype]}", inputs, steps, ["y", "z"])
    for dtype in ("int32", "bool_", "complex64", "uint8"):
        inputs = {"x": tensor(dtype, [1, 4], [1, 0, 1, 1])}
        yield case(
            f"hadamard_{SHORT[dtype]}", inputs, [step("y", "mx.hadamard_transform", "$x", 1.0)]
        )
    yield case(
        "hadamard_0d", {"x": normal("float32", [], 1)}, [step("y", "mx.hadamard_transform", "$x")]
    )
    yield error(
        "hadamard_f64", {"x": normal("float64", [4], 1)}, step("y", "mx.hadamard_transform", "$x")
    )
    for shape in ([0], [2, 0], [0, 4]):
        inputs = {"x": tensor("float32", shape, [])}
        name = f"hadamard_empty_{'x'.join(map(str, shape))}"
        yield error(name, inputs, step("y", "mx.hadamard_transform", "$x"))
    for n in (3, 5, 6, 7, 9, 10, 14, 22, 30, 44, 52):
        inputs = {"x": normal("float32", [n], 1)}
        yield error(f"hadamard_{n}_refused", inputs, step("y", "mx.hadamard_transform", "$x"))
    for n in (36, 60, 72, 84, 100, 132, 140):
        inputs = {"x": normal("float32", [n], 1)}
        yield killer(f"hadamard_{n}_refused", inputs, step("y", "mx.hadamard_transform", "$x"))


def cases():
    every = (
        modes,
        affine_sizes,
        positional,
        dtypes_and_scale,
        specials,
        shapes,
        refused,
        unfit_parts,
        killers,
        hadamard,
    )
    return [made for part in every for made in part()]
