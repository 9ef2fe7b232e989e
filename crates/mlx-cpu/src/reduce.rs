//! Reductions over the last axis with sums in f32: MLX on a CPU sums halves in halves, and loses a bfloat16 sum at 256 terms.
//!
//! Each takes rows of `len` values. NaN and infinity come out as IEEE has them, empty rows as MLX has them.

use crate::{
    Floats, FloatsMut, Isa,
    arch::{Dense, Kernel, LANES, dispatch},
    elements::Element,
    scratch, share,
};

/// What becomes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reduction {
    /// The sum; 0 of an empty row.
    Sum,
    /// The mean; NaN of an empty row.
    Mean,
    /// The logarithm of the sum of exponentials; minus infinity of an empty row, which MLX refuses.
    LogSumExp,
}

impl Reduction {
    /// Reduces each row of `len` values of `x` to one value of `out`, of the same element type.
    ///
    /// # Errors
    /// Element types differ, or `x` is not as many rows as `out` has values.
    ///
    /// ```
    /// use half::bf16;
    /// use mlx_cpu::{Floats, FloatsMut, Isa, reduce::Reduction};
    /// let mut out = [bf16::ZERO];
    /// let ones = [bf16::ONE; 1000];
    /// Reduction::Sum.run(Isa::best(), 1000, Floats::Bf16(&ones), FloatsMut::Bf16(&mut out))?;
    /// assert_eq!(out, [bf16::from_f32(1000.0)]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn run(self, isa: Isa, len: usize, x: Floats, out: FloatsMut) -> Result<(), String> {
        let rows = out.len();
        if rows.checked_mul(len) != Some(x.len()) {
            return Err(format!("{self:?}: {} values are not {rows} rows of {len}", x.len()));
        }
        match (x, out) {
            (Floats::F32(x), FloatsMut::F32(out)) => self.typed(isa, len, x, out),
            (Floats::F16(x), FloatsMut::F16(out)) => self.typed(isa, len, x, out),
            (Floats::Bf16(x), FloatsMut::Bf16(out)) => self.typed(isa, len, x, out),
            (x, out) => return Err(format!("{self:?}: values are {}, the output {}", x.name(), out.name())),
        }
        Ok(())
    }

    fn typed<T: Element>(self, isa: Isa, len: usize, x: &[T], out: &mut [T]) {
        let rows = share::piece(out.len(), 1, x.len());
        share::each(out.chunks_mut(rows).enumerate().collect(), |(number, out)| {
            dispatch(isa, Reduce { how: self, len, x: &x[number * rows * len..], out });
        });
    }
}

struct Reduce<'a, T> {
    how: Reduction,
    len: usize,
    x: &'a [T],
    out: &'a mut [T],
}

impl<T: Element> Kernel for Reduce<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Dense>(self, s: S) {
        for (row, out) in self.out.iter_mut().enumerate() {
            let x = &self.x[row * self.len..][..self.len];
            *out = T::narrow(match self.how {
                Reduction::Sum => sum(s, x),
                Reduction::Mean => sum(s, x) / self.len as f32,
                Reduction::LogSumExp => log_sum_exp(s, x),
            });
        }
    }
}

/// The exponentials of each row of `len` values, divided by their sum, into `out`.
///
/// # Errors
/// Element types or lengths differ, or are not whole rows.
///
/// ```
/// use mlx_cpu::{Floats, FloatsMut, Isa, reduce};
/// let mut out = [0.0; 4];
/// reduce::softmax(Isa::best(), 2, Floats::F32(&[0.0, 0.0, 1.0, f32::NEG_INFINITY]), FloatsMut::F32(&mut out))?;
/// assert!(out.iter().zip([0.5, 0.5, 1.0, 0.0]).all(|(x, y)| (x - y).abs() < 1e-6));
/// # Ok::<(), String>(())
/// ```
pub fn softmax(isa: Isa, len: usize, x: Floats, out: FloatsMut) -> Result<(), String> {
    let rows = x.len().checked_div(len).unwrap_or(0);
    if x.len() != out.len() || rows.checked_mul(len) != Some(x.len()) {
        return Err(format!("softmax: {} values and {} of output are not rows of {len}", x.len(), out.len()));
    }
    match (x, out) {
        (Floats::F32(x), FloatsMut::F32(out)) => rows_softmax(isa, len, x, out),
        (Floats::F16(x), FloatsMut::F16(out)) => rows_softmax(isa, len, x, out),
        (Floats::Bf16(x), FloatsMut::Bf16(out)) => rows_softmax(isa, len, x, out),
        (x, out) => return Err(format!("softmax: values are {}, the output {}", x.name(), out.name())),
    }
    Ok(())
}

fn rows_softmax<T: Element>(isa: Isa, len: usize, x: &[T], out: &mut [T]) {
    if x.is_empty() {
        return;
    }
    let some = share::piece(x.len() / len, 1, x.len()) * len;
    share::each(x.chunks(some).zip(out.chunks_mut(some)).collect(), |(x, out)| {
        scratch::with(len, |room| dispatch(isa, Softmax { len, x, out, room }));
    });
}

struct Softmax<'a, T> {
    len: usize,
    x: &'a [T],
    out: &'a mut [T],
    room: &'a mut [f32],
}

impl<T: Element> Kernel for Softmax<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Dense>(self, s: S) {
        for (x, out) in self.x.chunks(self.len).zip(self.out.chunks_mut(self.len)) {
            let most = s.splat(largest(s, x));
            let mut total = s.splat(0.0);
            for (x, room) in x.chunks(LANES).zip(self.room.chunks_mut(LANES)) {
                let power = s.exp(s.sub(T::load_part(s, x, f32::NEG_INFINITY), most));
                total = s.add(total, power);
                f32::store_part(s, power, room);
            }
            let factor = s.splat(1.0 / s.sum(total));
            for (room, out) in self.room.chunks(LANES).zip(out.chunks_mut(LANES)) {
                T::store_part(s, s.mul(f32::load_part(s, room, 0.0), factor), out);
            }
        }
    }
}

#[inline(always)]
fn sum<T: Element, S: Dense>(s: S, x: &[T]) -> f32 {
    let mut sums = [s.splat(0.0); 4];
    for x in x.chunks(4 * LANES) {
        for (sum, x) in sums.iter_mut().zip(x.chunks(LANES)) {
            *sum = s.add(*sum, T::load_part(s, x, 0.0));
        }
    }
    s.sum(s.add(s.add(sums[0], sums[1]), s.add(sums[2], sums[3])))
}

/// The largest value; with NaN among them it may be any.
#[inline(always)]
pub(crate) fn largest<T: Element, S: Dense>(s: S, x: &[T]) -> f32 {
    let mut most = s.splat(f32::NEG_INFINITY);
    for x in x.chunks(LANES) {
        most = s.max(T::load_part(s, x, f32::NEG_INFINITY), most);
    }
    let mut lanes = [0.0; LANES];
    s.store(most, &mut lanes);
    lanes.into_iter().fold(f32::NEG_INFINITY, |a, b| if b > a { b } else { a })
}

#[inline(always)]
fn log_sum_exp<T: Element, S: Dense>(s: S, x: &[T]) -> f32 {
    let most = largest(s, x);
    // Of infinities the difference is NaN. Zero keeps what the others are: NaN, or nothing.
    let base = if most.is_infinite() { 0.0 } else { most };
    let mut total = s.splat(0.0);
    for x in x.chunks(LANES) {
        total = s.add(total, s.exp(s.sub(T::load_part(s, x, f32::NEG_INFINITY), s.splat(base))));
    }
    let total = s.sum(total);
    if total.is_nan() || !most.is_infinite() { base + total.ln() } else { most }
}
