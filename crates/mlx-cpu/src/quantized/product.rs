//! The product of rows with one quantized matrix: what is checked, how it is cut into parts, and which kernel does them.

use super::{
    codec::{Codec, WithCodec, with_codec},
    columns::Across,
    format::{Error, Weights, expect, product},
    pack::{Element, Pack},
    panel::Many,
    rows::{Few, ROWS, Rows},
};
use crate::{Floats, FloatsMut, Isa, arch, pool, scratch};
use std::marker::PhantomData;

/// From so many rows of `x` on, codes are decoded once into memory.
const MANY: usize = 8;

/// What is multiplied: rows of `x` with quantized matrices.
#[derive(Clone, Copy, Debug)]
pub struct Product<'a> {
    /// Matrices of `m` rows, one after the other.
    pub x: Floats<'a>,
    /// Rows of each matrix of `x`.
    pub m: usize,
    /// What they are multiplied with.
    pub weights: Weights<'a>,
    /// Whether `w` is transposed: `x @ w^T`, so that each of its rows makes one output.
    pub transpose: bool,
    /// The instructions to use; `None` for [`Isa::chosen`].
    pub isa: Option<Isa>,
}

/// The products of the matrices of `x` with those of the weights, in order.
///
/// ```
/// use mlx_cpu::{Floats, FloatsMut, quantized::{Format, Product, Scales, Weights, matmul}};
/// // One row of 32 codes of 8 bits, each 3, that stand for 0.5 * 3 - 1.
/// let scales = Scales::Affine { scales: Floats::F32(&[0.5]), biases: Floats::F32(&[-1.0]) };
/// let format = Format::Affine { bits: 8, group: 32 };
/// let weights = Weights { format, codes: &[3; 32], scales, count: 1, rows: 1, columns: 32 };
/// let product = Product { x: Floats::F32(&[2.0; 32]), m: 1, weights, transpose: true, isa: None };
/// let mut out = [0.0];
/// matmul(&product, FloatsMut::F32(&mut out)).unwrap();
/// assert_eq!(out, [32.0]);
/// ```
///
/// # Errors
/// The slices do not fit, or the instructions asked for are not there.
pub fn matmul(product: &Product<'_>, out: FloatsMut<'_>) -> Result<(), Error> {
    let sizes = product.check(product.weights.count, out.len())?;
    let expected = product.weights.count;
    if let Some(found) = sizes.matrices.filter(|&found| found != expected) {
        return Err(Error(format!("quantized product: x has {found} matrices and the weights {expected}")));
    }
    match out {
        FloatsMut::F32(out) => in_order(product, &sizes, out),
        FloatsMut::F16(out) => in_order(product, &sizes, out),
        FloatsMut::Bf16(out) => in_order(product, &sizes, out),
    }
    Ok(())
}

fn in_order<T: Element>(product: &Product<'_>, sizes: &Sizes, out: &mut [T]) {
    for matrix in 0..product.weights.count {
        let pairs = [(matrix, matrix)];
        Job { product, sizes, rows: Rows::of(&product.weights, matrix), pairs: &pairs }.run(out);
    }
}

/// The sizes of a product that was checked.
pub(super) struct Sizes {
    /// Values in a row of `x`.
    depth: usize,
    /// Values in a row of the output.
    width: usize,
    /// How many matrices `x` is; nobody can say where they have no values.
    pub(super) matrices: Option<usize>,
    isa: Isa,
}

impl Product<'_> {
    /// Refuses what does not fit; `count` products are to be written.
    pub(super) fn check(&self, count: usize, out: usize) -> Result<Sizes, Error> {
        self.weights.check()?;
        let Weights { rows, columns, .. } = self.weights;
        let (depth, width) = if self.transpose { (columns, rows) } else { (rows, columns) };
        expect("the output", out, product(&[count, self.m, width]))?;
        let isa = match self.isa {
            None => Isa::chosen().map_err(Error)?,
            Some(isa) if isa.is_supported() => isa,
            Some(isa) => return Err(Error(format!("quantized product: this processor lacks {isa}"))),
        };
        let size = product(&[self.m, depth]);
        let matrices = size.and_then(|size| self.x.len().checked_div(size));
        expect("x", self.x.len(), size.map(|size| matrices.unwrap_or(0) * size))?;
        Ok(Sizes { depth, width, matrices, isa })
    }
}

/// Rows of `x` times one matrix.
pub(super) struct Job<'a> {
    pub(super) product: &'a Product<'a>,
    pub(super) sizes: &'a Sizes,
    pub(super) rows: Rows<'a>,
    /// Which matrix of `x` makes which matrix of the output.
    pub(super) pairs: &'a [(usize, usize)],
}

/// A job with its `x` made ready.
struct Packed<'a, 'b, T> {
    job: &'a Job<'a>,
    x: &'a mut [f32],
    out: &'b mut [T],
}

impl Job<'_> {
    pub(super) fn run<T: Element>(&self, out: &mut [T]) {
        if out.is_empty() {
            return;
        }
        let count = self.pairs.len() * self.product.m;
        scratch::with(count * self.sizes.depth, |x| {
            with_codec(self.product.weights.format, Packed { job: self, x, out });
        });
    }

    fn pack<C: Codec>(&self, x: &mut [f32]) {
        let size = self.product.m * self.sizes.depth;
        for (&(from, _), x) in self.pairs.iter().zip(x.chunks_exact_mut(size)) {
            arch::split::blocks(
                x,
                size,
                (size / pool::threads()).max(1 << 14).next_multiple_of(arch::LANES),
                |mut block| {
                    let first = from * size + block.first();
                    let pack = Pack::<C> {
                        x: self.product.x,
                        first,
                        ordered: self.product.transpose,
                        out: block.row(0),
                        codec: PhantomData,
                    };
                    arch::dispatch(self.sizes.isa, pack);
                },
            );
        }
    }

    /// How many columns of the output make a part: enough to be worth another thread, and some parts for each.
    fn part(&self, count: usize) -> usize {
        let Sizes { depth, width, .. } = *self.sizes;
        let bits = self.product.weights.format.bits();
        let unit = if self.product.transpose { ROWS } else { 64.max(self.rows.group()) };
        let even = width.div_ceil(4 * pool::threads());
        let work = depth * bits / 8 * count.div_ceil(2);
        let least = (24 << 10) / work.max(1);
        let most = if self.product.transpose && count >= MANY { (64 << 10) / depth.max(1) } else { width };
        even.max(least).min(most).max(1).next_multiple_of(unit)
    }

    /// The columns from `first` on of all rows, as floats.
    fn columns<C: Codec>(&self, x: &[f32], first: usize, width: usize, out: &mut [f32]) {
        let (rows, isa) = (self.rows, self.sizes.isa);
        let count = out.len() / width;
        if !self.product.transpose {
            arch::dispatch(isa, Across::<C> { rows, x, first, width, out, codec: PhantomData });
        } else if count < MANY {
            arch::dispatch(isa, Few::<C> { rows, x, first, width, out, codec: PhantomData });
        } else {
            scratch::with(width.next_multiple_of(ROWS) * rows.columns, |panel| {
                arch::dispatch(isa, Many::<C> { rows, x, first, width, out, panel, codec: PhantomData });
            });
        }
    }
}

impl<T: Element> WithCodec for Packed<'_, '_, T> {
    fn with<C: Codec>(self) {
        let Packed { job, x, out } = self;
        let (m, count) = (job.product.m, job.pairs.len() * job.product.m);
        if job.sizes.depth > 0 {
            job.pack::<C>(x);
        }
        let x = &*x;
        arch::split::blocks(out, job.sizes.width, job.part(count), |mut block| {
            let (first, width) = (block.first(), block.width());
            scratch::with(count * width, |values| {
                job.columns::<C>(x, first, width, values);
                for (row, values) in values.chunks_exact(width).enumerate() {
                    T::round(values, block.row(job.pairs[row / m].1 * m + row % m));
                }
            });
        });
    }
}
