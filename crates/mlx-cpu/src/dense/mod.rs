//! Products of dense matrices in f32, f16 and bf16, summed in f32: `alpha * A @ B + beta * C`.
//!
//! Few rows are multiplied as the matrix lies (`gemv`), more are packed into f32 panels (`pack`, `tile`, `gemm`). AVX-512's
//! dot products of bf16 pairs were tried: 200 GFLOP/s where f32 gave 250 to 290 on a Sapphire Rapids, and denormals are lost.
//! Not here: batches, which are the caller's loop, and products with quantized weights.

mod gemm;
pub(crate) mod gemv;
mod pack;
mod tile;

use crate::{
    Floats, FloatsMut, Isa,
    arch::{Dense, Kernel, LANES, dispatch},
    elements::Element,
};
use pack::Lines;

/// How a matrix lies in its slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// From one row to the next; of a transposed matrix, from one column to the next.
    pub stride: usize,
    /// Whether columns lie whole, and not rows.
    pub transposed: bool,
}

impl Layout {
    /// Rows that lie whole, `stride` elements apart.
    #[must_use]
    pub const fn rows(stride: usize) -> Layout {
        Layout { stride, transposed: false }
    }

    /// Columns that lie whole, `stride` elements apart.
    #[must_use]
    pub const fn columns(stride: usize) -> Layout {
        Layout { stride, transposed: true }
    }
}

/// A product of an `m` by `k` and a `k` by `n` matrix, `alpha * A @ B + beta * C`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matmul {
    /// Rows of A and of the output.
    pub m: usize,
    /// Columns of B and of the output.
    pub n: usize,
    /// Columns of A, rows of B.
    pub k: usize,
    /// How A lies.
    pub a: Layout,
    /// How B lies.
    pub b: Layout,
    /// From one row of the output to the next.
    pub out_stride: usize,
    /// Times the product.
    pub alpha: f32,
    /// Times what the output holds before, C; if zero, that is not read.
    pub beta: f32,
}

impl Matmul {
    /// A product of matrices whose rows lie whole and close, with `alpha` 1 and `beta` 0.
    #[must_use]
    pub const fn new(m: usize, n: usize, k: usize) -> Matmul {
        Matmul { m, n, k, a: Layout::rows(k), b: Layout::rows(n), out_stride: n, alpha: 1.0, beta: 0.0 }
    }

    /// Multiplies `a` by `b` into `out`, all of one element type.
    ///
    /// Sums are kept in f32, and rounded once. With `k` 0 the product is zero.
    ///
    /// # Errors
    /// Element types differ, a slice is too short for its layout, or rows of the output overlap.
    ///
    /// ```
    /// use mlx_cpu::{Floats, FloatsMut, Isa, dense::{Layout, Matmul}};
    /// let (a, b) = ([1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 1.0, 1.0]);
    /// let mut out = [0.0; 4];
    /// // B's columns are its rows here: b is [[1, 1], [0, 1]].
    /// let product = Matmul { b: Layout::columns(2), ..Matmul::new(2, 2, 2) };
    /// product.run(Isa::best(), Floats::F32(&a), Floats::F32(&b), FloatsMut::F32(&mut out))?;
    /// assert_eq!(out.map(|x| x as i32), [1, 3, 3, 7]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn run(&self, isa: Isa, a: Floats, b: Floats, out: FloatsMut) -> Result<(), String> {
        match (a, b, out) {
            (Floats::F32(a), Floats::F32(b), FloatsMut::F32(out)) => self.typed(isa, a, b, out),
            (Floats::F16(a), Floats::F16(b), FloatsMut::F16(out)) => self.typed(isa, a, b, out),
            (Floats::Bf16(a), Floats::Bf16(b), FloatsMut::Bf16(out)) => self.typed(isa, a, b, out),
            (a, b, out) => {
                Err(format!("matmul: A is {}, B {}, the output {}", a.name(), b.name(), out.name()))
            }
        }
    }

    fn typed<T: Element>(&self, isa: Isa, a: &[T], b: &[T], out: &mut [T]) -> Result<(), String> {
        let Matmul { m, n, k, a: at, b: bt, out_stride, alpha, beta } = *self;
        let a = Lines { data: a, stride: at.stride, whole: !at.transposed, count: m, steps: k };
        let b = Lines { data: b, stride: bt.stride, whole: bt.transposed, count: n, steps: k };
        a.check().map_err(|said| format!("matmul: A, {m} by {k}: {said}"))?;
        b.check().map_err(|said| format!("matmul: B, {k} by {n}: {said}"))?;
        let needed = Lines { data: &*out, stride: out_stride, whole: true, count: m, steps: n };
        needed.check().map_err(|said| format!("matmul: the output, {m} by {n}: {said}"))?;
        if m > 1 && out_stride < n {
            return Err(format!("matmul: rows of {n} overlap in an output of stride {out_stride}"));
        }
        if m == 0 || n == 0 {
            return Ok(());
        }
        let scale = Scale { alpha, beta };
        if k == 0 {
            for row in out.chunks_mut(out_stride.max(n)).take(m) {
                dispatch(isa, Write { scale, sums: &vec![0.0; n], out: &mut row[..n] });
            }
        } else if m <= gemv::MAX_ROWS {
            let sums = gemv::multiply(isa, m, &spread(&a), &b);
            for (r, row) in out.chunks_mut(out_stride.max(n)).take(m).enumerate() {
                let sums: Vec<f32> = (0..n).map(|column| sums.at(r, column)).collect();
                dispatch(isa, Write { scale, sums: &sums, out: &mut row[..n] });
            }
        } else if n <= gemv::MAX_ROWS {
            let sums = gemv::multiply(isa, n, &spread(&b), &a);
            for (r, row) in out.chunks_mut(out_stride).take(m).enumerate() {
                let sums: [f32; gemv::MAX_ROWS] =
                    std::array::from_fn(|c| if c < n { sums.at(c, r) } else { 0.0 });
                dispatch(isa, Write { scale, sums: &sums[..n], out: &mut row[..n] });
            }
        } else {
            gemm::product(isa, &a, &b, out, out_stride, scale);
        }
        Ok(())
    }
}

/// All lines as f32, close.
fn spread<T: Element>(lines: &Lines<T>) -> Vec<f32> {
    (0..lines.count).flat_map(|i| lines.one(i)).map(Element::widen).collect()
}

/// What is done to sums on their way out.
#[derive(Clone, Copy)]
struct Scale {
    alpha: f32,
    beta: f32,
}

impl Scale {
    /// `alpha * sums + beta * out`, rounded.
    #[inline(always)]
    fn write<T: Element, S: Dense>(self, s: S, sums: &[f32], out: &mut [T]) {
        let alpha = s.splat(self.alpha);
        for (sums, out) in sums.chunks(LANES).zip(out.chunks_mut(LANES)) {
            let mut value = s.mul(alpha, f32::load_part(s, sums, 0.0));
            if self.beta != 0.0 {
                value = s.fma(s.splat(self.beta), T::load_part(s, out, 0.0), value);
            }
            T::store_part(s, value, out);
        }
    }
}

struct Write<'a, T> {
    scale: Scale,
    sums: &'a [f32],
    out: &'a mut [T],
}

impl<T: Element> Kernel for Write<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<S: Dense>(self, s: S) {
        self.scale.write(s, self.sums, self.out);
    }
}
