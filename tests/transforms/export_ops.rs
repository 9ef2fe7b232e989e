//! Ops of every kind, written to files and read back: their states are whole. Those that MLX cannot write are errors.

use crate::{export::same, exported::import, folder::Folder};
use mlx::{
    Device, Dtype, Result, Tensor, fast, fft, linalg, ops,
    prelude::*,
    random,
    transforms::{CustomFunction, checkpoint, export_function, grad},
    with_device,
};

type Op = (&'static str, fn(&Tensor) -> Result<Tensor>);

const OPS: &[Op] = &[
    ("abs", ops::abs),
    ("all", |x| ops::all(&x.gt(0.1), 1)),
    ("argmax", |x| ops::argmax(x, 1)),
    ("argpartition", |x| ops::argpartition(x, 2, -1)),
    ("argsort", |x| ops::argsort(x, 0)),
    ("as_strided", |x| ops::as_strided(x, [2, 3], &[4, 1], 1)),
    ("astype", |x| Ok(x.astype(Dtype::Float16).astype(Dtype::Int8).astype(Dtype::Complex64))),
    ("broadcast_to", |x| ops::broadcast_to(x, [3, 4, 6])),
    ("clip", |x| ops::clip(x, -0.5, 0.5)),
    ("complex", |x| ops::imag(&ops::conjugate(&(x.astype(Dtype::Complex64) * x))?)),
    ("concatenate", |x| ops::concatenate([x, &(x * 2.0)], 1)),
    ("cumsum", |x| ops::cumsum(x, 1)),
    ("cummax", |x| ops::cummax(x, 0)),
    ("division", |x| Ok((x * 100.0).astype(Dtype::Int32).floor_divide((x * 9.0).astype(Dtype::Int32)))),
    ("erfinv", ops::erfinv),
    ("expand_dims", |x| ops::expand_dims(&ops::squeeze(&x.index((.., 0..1)), ..)?, 0)),
    ("fft", |x| fft::fft(x, 0)),
    ("fft2", |x| fft::irfft2(&fft::rfft2(x, ..)?, ..)),
    ("flatten", |x| ops::flatten(x, ..)),
    ("flip", |x| ops::flip(x, 1)),
    ("full", |x| Ok(ops::full([4, 6], 2.5, Dtype::Float32)? * x)),
    ("arange", |x| Ok(ops::arange(0, 6, 1)? * x)),
    ("gradient", |x| grad(|x: &Tensor| (x * x).tanh().sum(..), x)),
    ("greater", |x| Ok(x.gt(x.index((.., 0..1))))),
    ("hadamard", |x| fast::hadamard_transform(&x.index((.., 0..4)), None)),
    ("index", |x| Ok(x.index((tensor![2, 0], Slice::step(.., -2))))),
    ("inverse", |x| linalg::inv(&(x.index((.., 0..4)) + ops::eye(4, 4, 0, Dtype::Float32)? * 3.0))),
    ("isnan", ops::isnan),
    ("log", |x| Ok(ops::log2(&ops::abs(x)?)? + ops::log10(&ops::abs(x)?)? + ops::log1p(&ops::abs(x)?)?)),
    ("logical", |x| ops::logical_and(x.gt(0.0), x.lt(0.5))),
    ("logsumexp", |x| ops::logsumexp(x, 1)),
    ("matmul", |x| ops::addmm(&x.index((0, 0..4)), x, &x.t(), 2.0, 0.5)),
    ("max", |x| Ok(x.max(0) + x.min(0) + x.prod(0) + x.mean(0) + x.var(0, 1))),
    ("pad", |x| ops::pad(x, [(1, 2), (0, 1)], 0.5)),
    ("power", |x| Ok(x.pow(3) + x.rpow(2.0))),
    ("quantized", |x| {
        let w = random::normal([4, 64]).map(|w| w * 0.1 + x.index((0, 0)))?;
        fast::dequantize(&fast::quantize(&w, fast::Quantization::new(fast::QuantMode::Affine))?)
    }),
    ("remainder", |x| Ok(x % 0.3)),
    ("rms_norm", |x| fast::rms_norm(x, Some(&x.index(0)), 1e-5)),
    ("roll", |x| ops::roll(x, 2, 1)),
    ("round", |x| ops::round(x, 2)),
    ("rsqrt", |x| Ok(ops::rsqrt(&ops::abs(x)?)? + ops::sqrt(&ops::abs(x)?)?)),
    ("scatter", |x| Ok(x.at(tensor![1, 1]).add(x.index(0..2)))),
    ("shift", |x| Ok((x * 100.0).astype(Dtype::Int32) << 2)),
    ("slice", |x| Ok(x.index((Slice::step(.., -1), 1..5)))),
    ("softmax", |x| ops::softmax(x, [0, 1])),
    ("sort", |x| ops::sort(x, 0)),
    ("split", |x| ops::split(x, 3, 1).map(|parts| &parts[2] - &parts[0])),
    ("stop_gradient", |x| Ok(ops::stop_gradient(x)? * 2.0)),
    ("take_along_axis", |x| ops::take_along_axis(x, &ops::argsort(x, 1)?, 1)),
    ("topk", |x| ops::topk(x, 2, 1)),
    ("transpose", |x| Ok(x.t())),
    ("tri", |x| Ok(ops::tril(x, 1)? + ops::triu(x, -1)?)),
    ("unflatten", |x| ops::unflatten(x, 1, [2, 3])),
    ("view", |x| ops::view(x, Dtype::Int16)),
    ("where", |x| ops::where_(x.gt(0.0), x, -1.0)),
];

/// On the CPU, as a GPU has not all of these.
#[test]
fn ops_come_back_with_their_states() {
    with_device(Device::cpu(), come_back).unwrap();
}

fn come_back() {
    let folder = Folder::new("ops");
    random::seed(1).unwrap();
    let x = random::normal([4, 6]).unwrap();
    let mut refused = Vec::new();
    for (name, op) in OPS {
        let path = folder.path(name);
        random::seed(2).unwrap();
        let wanted = op(&x).unwrap_or_else(|e| panic!("{name}: {e}"));
        wanted.eval().unwrap();
        random::seed(2).unwrap();
        match export_function(&path, op, &x) {
            Ok(()) => {
                println!("{name}");
                same(&import(&path).unwrap().call(&x).unwrap(), &[wanted]);
            }
            Err(error) => refused.push(format!("{name}: {}", error.message())),
        }
    }
    assert_eq!(refused, Vec::<String>::new());
}

#[test]
fn ops_that_mlx_cannot_write() {
    let folder = Folder::new("refused");
    let layer = checkpoint(|x: &Tensor| (x * x).tanh());
    let clipped = CustomFunction::new(|x: &Tensor| x * 3.0).vjp(|_, cotangent, _| cotangent.clone());
    let x = tensor![0.5, 2.0];
    let path = folder.path("f");
    for (result, what) in [
        (export_function(&path, |x: &Tensor| layer.call(x), &x), "CustomTransforms"),
        (export_function(&path, |x: &Tensor| clipped.call(x), &x), "CustomTransforms"),
        (export_function(&path, |x: &Tensor| ops::contiguous(x), &x), "Contiguous"),
        (
            export_function(&path, |x: &Tensor| ops::bitwise_invert(&x.astype(Dtype::Int32)), &x),
            "BitwiseInvert",
        ),
    ] {
        let error = result.unwrap_err();
        assert!(error.message().contains(&format!("primitive {what}")), "{error}");
    }
    assert_eq!(folder.files(), 0);
}
