"""Sample calls of products, convolutions, linear algebra, Fourier transforms, fused kernels, quantized products, layers and random draws.

Not here: what is done to them.
"""

from .base import step
from .transforms_base import B, Call, Draw, F, I, N, P, U, call


def products():
    for tag, a, b in (
        ("matrices", (2, 3), (3, 4)), ("vector_right", (2, 3), (3,)), ("vector_left", (3,), (3, 2)), ("vectors", (3,), (3,)),
        ("batch", (2, 2, 3), (2, 3, 2)), ("broadcast", (2, 1, 2, 3), (3, 3, 2)),
    ):
        yield call(f"matmul_{tag}", "mx.matmul", "$a", "$b", a=N(*a), b=N(*b), complex_too=tag in ("matrices", "batch"))
    yield call("operator_matmul", "@", "$a", "$b", a=N(2, 3), b=N(3, 2))
    yield call("matmul_itself_transposed", "@", "$a", "$t", before=[{"out": "t", "op": "method.T", "args": ["$a"]}], a=N(3, 2))
    yield call("addmm", "mx.addmm", "$c", "$a", "$b", c=N(2, 4), a=N(2, 3), b=N(3, 4))
    yield call("addmm_weighted", "mx.addmm", "$c", "$a", "$b", 0.5, 2.0, c=N(4), a=N(2, 3), b=N(3, 4))
    yield call("inner", "mx.inner", "$a", "$b", a=N(2, 3), b=N(4, 3))
    yield call("vecdot", "mx.vecdot", "$a", "$b", a=N(2, 3), b=N(2, 3))
    yield call("tensordot", "mx.tensordot", "$a", "$b", 2, a=N(2, 3, 4), b=N(3, 4, 2))
    yield call("tensordot_axes", "mx.tensordot", "$a", "$b", [[0], [1]], a=N(3, 2), b=N(2, 3))
    yield call("einsum", "mx.einsum", "ij,jk->ki", "$a", "$b", a=N(2, 3), b=N(3, 4))
    yield call("einsum_three", "mx.einsum", "ij,jk,kl->il", "$a", "$b", "$c", a=N(2, 3), b=N(3, 4), c=N(4, 2))
    yield call("einsum_trace", "mx.einsum", "ii->i", "$a", a=N(3, 3))
    yield call("block_masked_mm", "mx.block_masked_mm", "$a", "$b", 32, "$o", "$l", "$r", a=F(32, 64), b=F(64, 32), o=B(1, 1), l=B(1, 2), r=B(2, 1))
    yield call("block_masked_mm_weights", "mx.block_masked_mm", "$a", "$b", 32, "$o", "$l", "$r", a=N(32, 64), b=N(64, 32), o=P(1, 1), l=P(1, 2), r=P(2, 1))
    yield call("segmented_mm", "mx.segmented_mm", "$a", "$b", "$s", guarded=True, a=N(2, 8), b=N(8, 3), s=I(8, 2, 2, dtype="uint32"))
    yield call("matrix_norm", "mx.matrix_norm", "$a", a=N(3, 2))
    yield call("hadamard_transform", "mx.hadamard_transform", "$a", a=N(2, 8))
    yield call("hadamard_transform_12", "mx.hadamard_transform", "$a", 0.5, a=N(2, 12))
    for name in ("gelu", "relu"):
        layer = {"out": "y", "op": "nn.Linear", "init": {"input_dims": 4, "output_dims": 3}, "params": {"weight": "$w", "bias": "$b"}, "args": ["$x"]}
        yield Call(f"linear_then_{name}", [layer, step("y", f"nn.{name}", "$y")], {"w": N(3, 4), "b": N(3), "x": N(2, 4)})


def layers():
    """By their parameters too."""
    one = {"in_channels": 2, "out_channels": 3, "kernel_size": 2, "stride": 2, "padding": 1}
    both = {"weight": "$w", "bias": "$b"}
    for name, init, params, inputs in (
        ("Conv1d", one, both, {"w": N(3, 2, 2), "b": N(3), "x": N(2, 5, 2)}),
        ("Conv2d", one, both, {"w": N(3, 2, 2, 2), "b": N(3), "x": N(1, 4, 5, 2)}),
        ("RMSNorm", {"dims": 4}, {"weight": "$w"}, {"w": N(4), "x": N(2, 4)}),
    ):
        layer = {"out": "y", "op": f"nn.{name}", "init": init, "params": params, "args": ["$x"]}
        yield Call(f"layer_{name}", [layer], inputs)


def convolutions():
    for tag, kw in {"plain": {}, "stride": {"stride": 2}, "padding": {"padding": 2}, "dilation": {"dilation": 2, "padding": 1}, "groups": {"groups": 2}}.items():
        width = 2 if tag == "groups" else 4
        yield call(f"conv1d_{tag}", "mx.conv1d", "$x", "$w", kw=kw, x=N(2, 7, 4), w=N(4, 3, width))
        yield call(f"conv2d_{tag}", "mx.conv2d", "$x", "$w", kw=kw, x=N(1, 6, 7, 4), w=N(4, 3, 2, width))
        if tag != "groups":
            yield call(f"conv3d_{tag}", "mx.conv3d", "$x", "$w", kw=kw, x=N(1, 4, 5, 4, 2), w=N(3, 2, 2, 2, 2))
    for tag, kw in {"plain": {}, "stride": {"stride": 2}, "padding": {"padding": 1}, "output": {"stride": 2, "output_padding": 1}}.items():
        yield call(f"conv_transpose1d_{tag}", "mx.conv_transpose1d", "$x", "$w", kw=kw, x=N(2, 4, 3), w=N(2, 3, 3))
        yield call(f"conv_transpose2d_{tag}", "mx.conv_transpose2d", "$x", "$w", kw=kw, x=N(1, 3, 4, 2), w=N(3, 2, 3, 2))
    yield call("conv_transpose3d", "mx.conv_transpose3d", "$x", "$w", x=N(1, 2, 3, 2, 2), w=N(2, 2, 2, 2, 2))
    yield call("conv_general", "mx.conv_general", "$x", "$w", kw={"stride": 2, "padding": [[1, 0], [0, 2]], "kernel_dilation": 2, "input_dilation": [2, 1], "flip": True}, x=N(1, 6, 5, 2), w=N(3, 2, 2, 2))
    yield call("conv_general_flipped", "mx.conv_general", "$x", "$w", kw={"flip": True}, x=N(2, 6, 2), w=N(3, 3, 2))
    for tag, kw in {"padded_beyond": {"padding": 2}, "one_sided": {"padding": [[1, 0], [0, 2]]}, "dilated_input": {"stride": 2, "input_dilation": 2}}.items():
        yield call(f"conv_general_{tag}", "mx.conv_general", "$x", "$w", kw=kw, x=N(1, 5, 5, 1), w=N(2, 2, 2, 1))
    for mode in ("full", "same", "valid"):
        yield call(f"convolve_{mode}", "mx.convolve", "$a", "$b", mode, a=N(6), b=N(3))


def linear_algebra():
    square = [step("t", "mx.matrix_transpose", "$a"), step("m", "@", "$a", "$t"), step("i", "mx.eye", 3), step("i", "*", "$i", 2.0), step("m", "+", "$m", "$i")]
    for name, outs in (("inv", 1), ("cholesky", 1), ("cholesky_inv", 1), ("tri_inv", 1), ("pinv", 1), ("det", 1), ("slogdet", 2), ("eigh", 2), ("eigvalsh", 1), ("eig", 2), ("eigvals", 1), ("qr", 2), ("svd", 3), ("lu", 3), ("lu_factor", 2)):
        yield call(f"linalg_{name}", f"linalg.{name}", "$m", before=square, outs=outs, a=N(3, 3))
    yield call("linalg_inv_batch", "linalg.inv", "$m", before=square, a=N(2, 3, 3))
    for tag, kw in {"none": {}, "1": {"ord": 1, "axis": 0}, "2": {"ord": 2, "axis": 1}, "inf": {"ord": {"float": "inf"}, "axis": 1}, "fro": {"ord": "fro"}, "3": {"ord": 3, "axis": 0}, "0": {"ord": 0, "axis": 0}, "nuc": {"ord": "nuc"}, "kept": {"keepdims": True}}.items():
        yield call(f"linalg_norm_{tag}", "linalg.norm", "$a", kw=kw, a=N(2, 3))
    yield call("linalg_cross", "linalg.cross", "$a", "$b", a=N(2, 3), b=N(3))
    yield call("linalg_solve", "linalg.solve", "$m", "$b", before=square, a=N(3, 3), b=N(3, 2))
    yield call("linalg_solve_triangular", "linalg.solve_triangular", "$m", "$b", before=square, a=N(3, 3), b=N(3, 2))


def fourier():
    for name in ("fft", "ifft", "rfft"):
        yield call(f"fft_{name}", f"fft.{name}", "$a", a=N(2, 6), complex_too=name != "rfft")
        yield call(f"fft_{name}_n", f"fft.{name}", "$a", 4, 0, a=N(6, 2))
    for name in ("fft2", "ifft2", "fftn", "ifftn", "rfft2", "rfftn", "fftshift", "ifftshift"):
        yield call(f"fft_{name}", f"fft.{name}", "$a", a=N(3, 4))
    for name in ("irfft", "irfft2", "irfftn"):
        yield call(f"fft_{name}", f"fft.{name}", "$f", before=[step("f", f"fft.{name[1:]}", "$a")], a=N(4, 6))
    yield call("fft_irfft_n", "fft.irfft", "$a", 5, a=N(2, 4), complex_too=True)
    yield call("fft_norm", "fft.fft", "$a", kw={"norm": "ortho"}, a=N(4))


def fused():
    yield call("rms_norm", "fast.rms_norm", "$x", "$w", 1e-5, x=N(2, 3, 8), w=N(8))
    yield call("rms_norm_bare", "fast.rms_norm", "$x", None, 1e-5, x=N(2, 8))
    yield call("layer_norm", "fast.layer_norm", "$x", "$w", "$b", 1e-5, x=N(2, 3, 8), w=N(8), b=N(8))
    yield call("layer_norm_bare", "fast.layer_norm", "$x", None, None, 1e-5, x=N(2, 8))
    yield call("cross_entropy", "fast.cross_entropy", "$x", "$t", guarded=True, x=N(3, 5), t=I(5, 3))
    for tag, extra in {"halves": {}, "pairs": {"traditional": True}, "offset": {"offset": 3}, "scale": {"scale": 0.5}}.items():
        options = {"traditional": False, "base": 10000.0, "scale": 1.0, "offset": 0, **extra}
        yield call(f"rope_{tag}", "fast.rope", "$x", 8, kw=options, x=N(1, 2, 3, 8))
    options = {"traditional": False, "base": None, "scale": 1.0, "offset": "$o"}
    yield call("rope_tensors", "fast.rope", "$x", 8, kw={**options, "freqs": "$f"}, x=N(1, 2, 3, 8), f=Draw("uniform", [4], "float32", 0.5, 3.0), o=I(5, 1))
    heads = {"q": N(1, 4, 3, 8), "k": N(1, 2, 5, 8), "v": N(1, 2, 5, 8)}
    attention = lambda tag, kw, **more: call(f"attention_{tag}", "fast.scaled_dot_product_attention", "$q", "$k", "$v", kw={"scale": 0.35, **kw}, **heads, **more)
    yield attention("plain", {})
    yield attention("causal", {"mask": "causal"})
    yield attention("mask", {"mask": "$m"}, m=B(3, 5))
    yield attention("bias", {"mask": "$m"}, m=N(3, 5))
    yield attention("sinks", {"sinks": "$s"}, s=N(4))
    quantized = [step(["q", "s", "b"], "mx.quantize", "$w", 32, 4)]
    fixed = Draw("normal", [32, 64], "float32")
    yield call("quantized_matmul", "mx.quantized_matmul", "$x", "$q", "$s", "$b", kw={"group_size": 32, "bits": 4}, before=quantized, x=N(2, 64), w=fixed)
    yield call("quantized_matmul_plain", "mx.quantized_matmul", "$x", "$q", "$s", "$b", kw={"transpose": False, "group_size": 32, "bits": 4}, before=quantized, x=N(2, 32), w=fixed)
    yield call("quantized_matmul_scales", "mx.quantized_matmul", "$x", "$q", "$s", "$b", kw={"group_size": 32, "bits": 4}, x=N(2, 64), q=I(2**31 - 1, 32, 8, dtype="uint32"), s=N(32, 2), b=N(32, 2))
    yield call("quantized_matmul_mxfp4", "mx.quantized_matmul", "$x", "$q", "$s", kw={"mode": "mxfp4", "group_size": 32, "bits": 4}, before=[step(["q", "s"], "mx.quantize", "$w", 32, 4, "mxfp4")], x=N(2, 64), w=fixed)
    experts = Draw("normal", [3, 32, 64], "float32")
    gathered = {"rhs_indices": "$r", "group_size": 32, "bits": 4}
    yield call("gather_qmm", "mx.gather_qmm", "$x", "$q", "$s", "$b", kw=gathered, guarded=True, before=quantized, x=N(2, 1, 64), r=I(3, 2, dtype="uint32"), w=experts)
    nvfp4 = step(["q", "s"], "mx.quantize", "$w", mode="nvfp4")
    yield call("qqmm", "mx.qqmm", "$x", "$q", "$s", kw={"mode": "nvfp4"}, before=[nvfp4], x=N(1, 64), w=fixed)
    yield call("gather_qqmm", "mx.gather_qqmm", "$x", "$q", "$s", kw={"rhs_indices": "$r"}, guarded=True, before=[nvfp4], x=N(2, 1, 64), r=I(3, 2, dtype="uint32"), w=experts)
    yield call("quantize", "mx.quantize", "$w", 32, 4, outs=3, w=N(2, 64))
    yield call("dequantize", "mx.dequantize", "$q", "$s", "$b", 32, 4, q=I(2**31 - 1, 2, 8, dtype="uint32"), s=N(2, 2), b=N(2, 2))


def draws():
    """By keys, which vmap takes apart; the distribution's tensors are differentiated by."""
    key = Draw("randint", [2], "uint32", 0, 2**31 - 1)
    yield call("random_bits_of_key", "random.uniform", kw={"shape": [3], "key": "$k"}, k=key)
    yield call("random_normal", "random.normal", [3], kw={"loc": "$a", "scale": "$b", "key": "$k"}, a=N(3), b=P(3), k=key)
    yield call("random_uniform", "random.uniform", "$a", "$b", [3], kw={"key": "$k"}, a=N(3), b=P(3), k=key)
    yield call("random_bernoulli", "random.bernoulli", "$a", kw={"key": "$k"}, a=Draw("uniform", [3], "float32", 0.1, 0.9), k=key)
    yield call("random_categorical", "random.categorical", "$a", kw={"key": "$k"}, a=Draw("normal", [2, 4], "float32"), k=key)
    yield call("random_gumbel", "random.gumbel", [3], kw={"key": "$k"}, k=key)
    yield call("random_randint", "random.randint", 0, 9, [3], kw={"key": "$k"}, k=key)
    yield call("random_laplace", "random.laplace", [3], kw={"loc": 0.5, "scale": 2.0, "key": "$k"}, k=key)
    yield call("random_truncated_normal", "random.truncated_normal", "$a", "$b", [3], kw={"key": "$k"}, a=U(3), b=P(3), k=key)
    yield call("random_multivariate_normal", "random.multivariate_normal", "$m", "$c", [2], kw={"key": "$k"}, m=N(2), c=Draw("uniform", [2, 2], "float32", 0.5, 1.5), k=key)
    yield call("random_multivariate_normal_covariance", "random.multivariate_normal", "$m", "$c", [2], kw={"key": "$k"}, m=Draw("normal", [2], "float32"), c=P(2, 2), k=key)
    yield call("random_split", "random.split", "$k", 3, k=key)
    yield call("random_permutation", "random.permutation", "$a", kw={"key": "$k"}, a=N(5), k=key)


def calls():
    return [*products(), *layers(), *convolutions(), *linear_algebra(), *fourier(), *fused(), *draws()]
