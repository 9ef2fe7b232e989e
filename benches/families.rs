//! One op of each family, ours and as bare mlx-c calls that make the same nodes. Python's side: `python_twin.py`, by name.

use crate::{
    building, half,
    paired::Case,
    raw::{Array, FLOAT32, Stream},
};
use mlx::{
    fast::{
        Gather, LayerNorm, QuantMode, QuantizedTensor, dequantize, gather_qmm, layer_norm, quantize,
        quantized_matmul,
    },
    fft::rfft,
    linalg::{Norm, norm},
    ops::{Convolution, concatenate, conv2d, einsum, set_index, tensordot},
    prelude::*,
    random,
};

/// What the cases are built from.
#[derive(Clone)]
struct Ours {
    /// `[2, 3]`
    x: Tensor,
    /// `[2, 6]`
    wide: Tensor,
    /// `[2, 2]`
    square: Tensor,
    /// Two rows of `x`, from the last to the first.
    ids: Tensor,
    /// `[1, 8, 8, 3]`
    image: Tensor,
    /// `[4, 3, 3, 3]`
    kernel: Tensor,
    /// `[1, 2, 4, 8]`
    heads: Tensor,
    /// `[3]`
    weight: Tensor,
    key: Tensor,
    /// `[2, 64]`
    rows: Tensor,
    /// `[2, 64]` in 4 bits.
    packed: QuantizedTensor,
    /// `[2, 2, 64]` in 4 bits.
    experts: QuantizedTensor,
}

/// The same for mlx-c.
#[derive(Clone)]
struct Raw {
    x: Array,
    wide: Array,
    square: Array,
    ids: Array,
    image: Array,
    kernel: Array,
    heads: Array,
    weight: Array,
    key: Array,
    rows: Array,
    packed: [Array; 3],
    experts: [Array; 3],
}

fn operands(s: Stream) -> (Ours, Raw) {
    let full = |shape: &[i32]| half(1, shape.iter().product(), Dtype::Float32).reshape(shape);
    let done = |x: Tensor| {
        x.eval().expect("a small tensor");
        x
    };
    let ours = Ours {
        x: half(2, 3, Dtype::Float32),
        wide: half(2, 6, Dtype::Float32),
        square: half(2, 2, Dtype::Float32),
        ids: Tensor::from_slice(&[1, 0]).expect("two integers"),
        image: done(full(&[1, 8, 8, 3])),
        kernel: done(full(&[4, 3, 3, 3])),
        heads: done(full(&[1, 2, 4, 8])),
        weight: done(full(&[3])),
        key: done(random::key(1).expect("a key")),
        rows: done(full(&[2, 64])),
        packed: packed(&full(&[2, 64])),
        experts: packed(&full(&[2, 2, 64])),
    };
    let full = |shape: &[i32]| {
        let size: i32 = shape.iter().product();
        let array = Array::half(1, size as usize, FLOAT32, s).reshape(shape, s);
        array.eval();
        array
    };
    let packed = |shape: &[i32]| {
        let parts = full(shape).quantize(s);
        parts.iter().for_each(Array::eval);
        parts
    };
    let key = Array::key(1);
    key.eval();
    let raw = Raw {
        x: Array::half(2, 3, FLOAT32, s),
        wide: Array::half(2, 6, FLOAT32, s),
        square: Array::half(2, 2, FLOAT32, s),
        ids: Array::ints(&[1, 0]),
        image: full(&[1, 8, 8, 3]),
        kernel: full(&[4, 3, 3, 3]),
        heads: full(&[1, 2, 4, 8]),
        weight: full(&[3]),
        key,
        rows: full(&[2, 64]),
        packed: packed(&[2, 64]),
        experts: packed(&[2, 2, 64]),
    };
    (ours, raw)
}

fn packed(x: &Tensor) -> QuantizedTensor {
    let parts = quantize(x, QuantMode::Affine).expect("rows of 64");
    mlx::eval([&parts.packed, &parts.scales].into_iter().chain(&parts.biases)).expect("a small matrix");
    parts
}

/// The name of a family's op, what builds it here, and what builds it of mlx-c calls.
type Pair = (&'static str, fn(&Ours) -> Tensor, fn(&Raw, Stream) -> Array);

pub(crate) fn cases() -> Vec<Case> {
    let s = Stream::current();
    let (ours, raw) = operands(s);
    let case = |(name, of_ours, of_raw): Pair| {
        let (ours, raw) = (ours.clone(), raw.clone());
        let engines =
            vec![("ours", building(move || of_ours(&ours))), ("raw C", building(move || of_raw(&raw, s)))];
        Case { name, engines }
    };
    [elements(), numerics(), kernels()].into_iter().flatten().map(case).collect()
}

/// Elementwise ops, reductions, and what moves elements.
fn elements() -> Vec<Pair> {
    vec![
        ("exp", |o| o.x.exp(), |r, s| r.x.exp(s)),
        ("sum of an axis", |o| o.x.sum(1), |r, s| r.x.sum(1, s)),
        ("cumsum", |o| o.x.cumsum(1), |r, s| r.x.cumsum(1, s)),
        ("sort", |o| o.x.sort(1), |r, s| r.x.sort(1, s)),
        ("softmax", |o| o.x.softmax(1), |r, s| r.x.softmax(1, s)),
        ("reshape", |o| o.x.reshape([3, 2]), |r, s| r.x.reshape(&[3, 2], s)),
        ("transpose", |o| o.x.transpose([1, 0]), |r, s| r.x.transpose(&[1, 0], s)),
        (
            "concatenate",
            |o| concatenate([&o.x, &o.wide], 1).expect("two rows each"),
            |r, s| Array::concatenate(&[&r.x, &r.wide], 1, s),
        ),
        ("pad", |o| o.x.pad([(1, 2), (0, 1)], 0), |r, s| r.x.pad([1, 0], [2, 1], s)),
        ("x[1]", |o| o.x.index(1), |r, s| r.x.row(1, s)),
        ("x[1, :]", |o| o.x.index((1, ..)), |r, s| r.x.row_view(1, 3, s)),
        ("x[:, ids]", |o| o.x.index((.., &o.ids)), |r, s| r.x.gather_columns(2, &r.ids, s)),
        (
            "x[:, 1:3] = v",
            |o| set_index(&o.wide, (.., 1..3), &o.square).expect("two columns"),
            |r, s| r.wide.set_columns(2, &r.square, s),
        ),
        ("x.at[ids].add(v)", |o| o.x.at(&o.ids).add(&o.x), |r, s| r.x.add_rows(&r.ids, &r.x, [2, 3], s)),
        ("where", |o| o.x.where_(&o.x, &o.x), |r, s| Array::select(&r.x, &r.x, &r.x, s)),
    ]
}

/// Products and draws.
fn numerics() -> Vec<Pair> {
    vec![
        ("matmul", |o| o.square.matmul(&o.x), |r, s| r.square.matmul(&r.x, s)),
        (
            "einsum",
            |o| einsum("ij,jk->ik", [&o.square, &o.x]).expect("a product"),
            |r, s| Array::einsum(c"ij,jk->ik", &[&r.square, &r.x], s),
        ),
        (
            "tensordot",
            |o| tensordot(&o.square, &o.x, ([1], [0])).expect("a product"),
            |r, s| r.square.tensordot(&r.x, 1, s),
        ),
        (
            "random.normal",
            |o| random::Normal::new().key(&o.key).sample([2, 3]).expect("six numbers"),
            |r, s| Array::normal(&[2, 3], &r.key, s),
        ),
        ("linalg.norm", |o| norm(&o.x, Norm::Euclidean, 1).expect("two rows"), |r, s| r.x.norm(1, s)),
        ("fft.rfft", |o| rfft(&o.wide, -1).expect("two rows"), |r, s| r.wide.rfft(6, s)),
        (
            "conv2d",
            |o| conv2d(&o.image, &o.kernel, Convolution::new()).expect("an image"),
            |r, s| r.image.conv2d(&r.kernel, s),
        ),
    ]
}

/// The kernels that models spend their time in.
fn kernels() -> Vec<Pair> {
    vec![
        (
            "fast.rms_norm",
            |o| mlx::fast::rms_norm(&o.x, Some(&o.weight), 1e-5).expect("rows of 3"),
            |r, s| r.x.rms_norm(&r.weight, s),
        ),
        (
            "fast.rope",
            |o| mlx::fast::rope(&o.heads, &mlx::fast::Rope::new(8).offset(4)).expect("rows of 8"),
            |r, s| r.heads.rope(8, 4, s),
        ),
        (
            "fast.attention",
            |o| {
                let how = mlx::fast::Attention::new(0.5);
                mlx::fast::scaled_dot_product_attention(&o.heads, &o.heads, &o.heads, &how)
                    .expect("two heads")
            },
            |r, s| r.heads.attention(&r.heads, &r.heads, 0.5, s),
        ),
        (
            "fast.layer_norm",
            |o| layer_norm(&o.x, LayerNorm::new(1e-5).weight(&o.weight).bias(&o.weight)).expect("rows of 3"),
            |r, s| r.x.layer_norm(&r.weight, &r.weight, s),
        ),
        (
            "quantize",
            |o| quantize(&o.rows, QuantMode::Affine).expect("rows of 64").packed,
            |r, s| {
                let [packed, ..] = r.rows.quantize(s);
                packed
            },
        ),
        (
            "dequantize",
            |o| dequantize(&o.packed).expect("parts of one matrix"),
            |r, s| Array::dequantize(&r.packed, s),
        ),
        (
            "quantized_matmul",
            |o| quantized_matmul(&o.rows, &o.packed, true).expect("rows of 64"),
            |r, s| r.rows.quantized_matmul(&r.packed, s),
        ),
        (
            "gather_qmm",
            |o| gather_qmm(&o.rows, &o.experts, &Gather::new().rhs(&o.ids)).expect("two experts"),
            |r, s| r.rows.gather_qmm(&r.experts, &r.ids, s),
        ),
    ]
}
