//! Kernels for GPUs given as source: what is refused anywhere, and two of ours against ops on an NVIDIA GPU.
//!
//! Not here: kernels in Rust (`host_kernel`).

use mlx::{
    Device, ErrorKind, Result, bf16, f16,
    fast::{CudaKernel, GpuKernel, GpuLanguage, Launch, MetalCapture, MetalKernel, metal_is_available},
    ops,
    prelude::*,
    with_device,
};

/// Calls a kernel of this file.
fn call<L: GpuLanguage>(kernel: &GpuKernel<L>, inputs: &[&Tensor], launch: &Launch) -> Result<Vec<Tensor>> {
    // SAFETY: the kernels of this file that run write within their outputs, at places below the sizes they are told, and read
    // their inputs below those that the tests give them.
    unsafe { kernel.call(inputs.iter().copied(), launch) }
}

fn refused<L: GpuLanguage>(kernel: &GpuKernel<L>, inputs: &[&Tensor], launch: &Launch, words: &str) {
    let error = call(kernel, inputs, launch).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value, "{error}");
    assert!(error.message().contains(words), "{error} and not {words}");
}

#[test]
fn calls_that_cannot_be_are_refused_without_a_gpu() {
    let x = tensor![1.0, 2.0];
    let kernel = |name, input: &'static str| CudaKernel::new(name, [input], ["y"], "y[0] = x[0];");
    let fine = Launch::each(32).output_like(&x);
    refused(&kernel("a b", "x"), &[&x], &fine, "\"a b\" is no name");
    refused(&kernel("", "x"), &[&x], &fine, "\"\" is no name");
    refused(&kernel("k", "1x"), &[&x], &fine, "\"1x\" is no name");
    refused(&kernel("k", "y"), &[&x], &fine, "\"y\" stands twice");
    refused(&kernel("k", "x"), &[&x], &fine.clone().int("x", 1), "\"x\" stands twice");
    refused(&kernel("k", "x"), &[], &fine, "it has 1 inputs and got 0");
    refused(&kernel("k", "x"), &[&x], &Launch::each(32), "1 outputs and shapes for 0");
    refused(&kernel("k", "x"), &[&x], &Launch::each(32).output([-1], Dtype::Int8), "negative");
    refused(&kernel("k", "x"), &[&x], &Launch::each(0).output_like(&x), "a group of [0, 1, 1]");
    refused(&kernel("k", "x"), &[&x], &Launch::each(2048).output_like(&x), "1 to 1024");
    let group = [i32::MAX; 3];
    refused(&kernel("k", "x"), &[&x], &Launch::new([1; 3], group).output_like(&x), "1 to 1024");
    refused(&kernel("k", "x"), &[&x], &Launch::new([1, 0, 1], [1; 3]).output_like(&x), "a grid of [1, 0, 1]");
    let large = Launch::each(32).output([1 << 16, 1 << 16], Dtype::Int8);
    refused(&kernel("k", "x"), &[&x], &large, "another grid");
    refused(&kernel("k", "x").header("\0"), &[&x], &fine, "NUL");
    refused(&kernel("k", "x").shared_memory(-1), &[&x], &fine, "-1 bytes");
    refused(&CudaKernel::new("k", ["x"], [], ""), &[&x], &Launch::each(1), "no outputs");
    let scalar = tensor![1.0].sum(..);
    let asks = CudaKernel::new("k", ["x"], ["y"], "y[0] = x_ndim;");
    refused(&asks, &[&scalar], &fine, "input x is 0-d");
    refused(&MetalKernel::new("k", ["x"], ["x"], "").atomic_outputs(true), &[&x], &fine, "stands twice");
}

#[test]
fn a_language_that_is_not_there_is_a_setup_error() {
    let x = tensor![1.0, 2.0];
    let fine = Launch::each(32).output_like(&x);
    if !metal_is_available().unwrap() {
        let error = call(&MetalKernel::new("k", ["x"], ["y"], ""), &[&x], &fine).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Setup);
        assert!(error.message().contains("[k] the MLX library that was loaded has no Metal"), "{error}");
        assert_eq!(MetalCapture::start("a.gputrace").unwrap_err().kind(), ErrorKind::Setup);
    }
    let error = with_device(Device::cpu(), || call(&CudaKernel::new("k", ["x"], ["y"], ""), &[&x], &fine));
    assert_eq!(error.unwrap().unwrap_err().kind(), ErrorKind::Setup);
}

/// Whether there is an NVIDIA GPU; says so where there is none.
fn has_cuda() -> bool {
    let there = Device::gpu().is_available().unwrap() && !metal_is_available().unwrap();
    if !there {
        println!("skipped: there is no NVIDIA GPU");
    }
    there
}

/// Logits where a bit of their row's mask is set, and minus infinity elsewhere.
const BITMASK: &str = "
    auto i = cooperative_groups::this_grid().thread_rank();
    if (i < ROWS * COLUMNS) {
        auto row = i / COLUMNS, column = i % COLUMNS;
        bool kept = (mask[row * WORDS + column / 32] >> (column % 32)) & 1;
        out[i] = kept ? logits[i] : T(-INFINITY);
    }
";

#[test]
fn a_token_bitmask_is_applied_as_by_ops() {
    if !has_cuda() {
        return;
    }
    let kernel = CudaKernel::new("token_bitmask", ["logits", "mask"], ["out"], BITMASK);
    for (dtype, rows, columns) in [
        (Dtype::Float32, 3, 100),
        (Dtype::Bfloat16, 1, 50_257),
        (Dtype::Float16, 7, 32),
        (Dtype::Float32, 2, 1),
    ] {
        let words = (columns + 31) / 32;
        let logits = mlx::random::normal([rows, columns]).unwrap().astype(dtype);
        let bits: Vec<u32> = (0..rows * words).map(|i| (i as u32).wrapping_mul(2_654_435_761)).collect();
        let mask = Tensor::from_shape_slice([rows, words], &bits).unwrap();
        let launch = Launch::each(256).output_like(&logits).dtype("T", dtype);
        let launch = launch.int("ROWS", rows).int("COLUMNS", columns).int("WORDS", words);
        let ours = call(&kernel, &[&logits, &mask], &launch).unwrap().remove(0);
        let kept: Vec<bool> = (0..rows * columns)
            .map(|i| {
                bits[((i / columns) * words + (i % columns) / 32) as usize] >> (i % columns % 32) & 1 == 1
            })
            .collect();
        let kept = Tensor::from_shape_slice([rows, columns], &kept).unwrap();
        let by_ops = ops::where_(&kept, &logits, f64::NEG_INFINITY).unwrap();
        assert_eq!((ours.shape(), ours.dtype()), (by_ops.shape(), by_ops.dtype()));
        assert_eq!(ours.to_bytes().unwrap(), by_ops.to_bytes().unwrap(), "{dtype} {rows} {columns}");
    }
}

/// `silu(gate) * up`, in float32 until it is rounded once.
const SILU_MUL: &str = "
    auto i = cooperative_groups::this_grid().thread_rank();
    if (i < N) {
        float g = static_cast<float>(gate[i]);
        out[i] = static_cast<T>(g / (1.0f + expf(-g)) * static_cast<float>(up[i]));
    }
";

#[test]
fn silu_times_up_is_that_of_ops() {
    if !has_cuda() {
        return;
    }
    let kernel = CudaKernel::new("silu_mul", ["gate", "up"], ["out"], SILU_MUL);
    // The same kernel for other dtypes, and views that are copied into order.
    for dtype in [Dtype::Float32, Dtype::Float16, Dtype::Bfloat16, Dtype::Float32] {
        let wide = mlx::random::normal([64, 300]).unwrap().astype(dtype);
        let (gate, up) = (wide.t(), mlx::random::normal([300, 64]).unwrap().astype(dtype));
        let launch = Launch::each(128).output_like(&up).dtype("T", dtype).int("N", 300 * 64);
        let ours = call(&kernel, &[&gate, &up], &launch).unwrap().remove(0).astype(Dtype::Float32);
        let (gate, up) = (gate.astype(Dtype::Float32), up.astype(Dtype::Float32));
        let wanted = ((&gate * ops::sigmoid(&gate).unwrap()) * up).to_vec::<f32>().unwrap();
        // exp is another function's; the result is rounded once.
        let step = match dtype {
            Dtype::Float16 => f16::EPSILON.to_f32(),
            Dtype::Bfloat16 => bf16::EPSILON.to_f32(),
            _ => 8.0 * f32::EPSILON,
        };
        for (ours, wanted) in ours.to_vec::<f32>().unwrap().iter().zip(&wanted) {
            assert!((ours - wanted).abs() <= step * wanted.abs() + 1e-6, "{dtype}: {ours} and {wanted}");
        }
    }
    // Another source under the same name is another kernel.
    let other = CudaKernel::new(
        "silu_mul",
        ["gate", "up"],
        ["out"],
        "
        auto i = cooperative_groups::this_grid().thread_rank();
        if (i < N) { out[i] = gate[i] + up[i]; }
    ",
    );
    let x = tensor![1.0, 2.0];
    let launch = Launch::each(32).output_like(&x).dtype("T", Dtype::Float32).int("N", 2);
    let sum = call(&other, &[&x, &x], &launch).unwrap().remove(0);
    assert_eq!(sum.to_vec::<f32>().unwrap(), [2.0, 4.0]);
    // What does not compile is an error of the evaluation.
    let broken = CudaKernel::new("broken", ["gate"], ["out"], "this is no C++;");
    let error = call(&broken, &[&x], &Launch::each(32).output_like(&x)).and_then(|y| y[0].eval());
    assert!(error.is_err());
}
