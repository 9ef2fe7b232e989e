//! One op of each family, ours and as bare mlx-c calls that make the same nodes. Python's side: `python_twin.py`, by name.

use crate::{
    building, half,
    paired::Case,
    raw::{Array, FLOAT32, Stream},
};
use mlx::{
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
    };
    let full = |shape: &[i32]| {
        let size: i32 = shape.iter().product();
        let array = Array::half(1, size as usize, FLOAT32, s).reshape(shape, s);
        array.eval();
        array
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
    };
    (ours, raw)
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
    [elements(), numerics()].into_iter().flatten().map(case).collect()
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

/// Products, draws, and the kernels that models spend their time in.
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
    ]
}
