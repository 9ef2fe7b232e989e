//! Where the samples lie that an interpolation sums along an axis, and what they weigh.

use super::refused;
use mlx_core::{Dtype, Operand, OperandRef, Result, Tensor, compile_pointwise};
use mlx_ops::{
    abs, add, arange_dtype, astype, bitwise_and, ceil, clip, divide, expand_dims, floor, greater,
    greater_equal, less, less_equal, maximum, multiply, reshape, subtract, where_,
};

/// Positions, which broadcast over the axes, and the weights of the samples there, with an axis for features.
pub(super) type Taps = Vec<(Tensor, Tensor)>;

/// A number without its fraction, in Python's words where there is none.
pub(super) fn as_int(number: f64) -> Result<i64> {
    if number.is_nan() {
        return refused("Upsample", "cannot convert float NaN to integer".into());
    }
    if number.is_infinite() {
        return refused("Upsample", "cannot convert float infinity to integer".into());
    }
    Ok(number as i64)
}

/// A row of numbers along one of `axes` axes.
pub(super) fn along(row: &Tensor, axis: usize, axes: usize) -> Result<Tensor> {
    let mut shape = vec![1; axes];
    shape[axis] = -1;
    reshape(row, shape)
}

/// Python's `sum`, which begins with 0.
pub(super) fn sum(terms: impl IntoIterator<Item = Result<Tensor>>) -> Result<Tensor> {
    let mut total: Option<Tensor> = None;
    for term in terms {
        let term = term?;
        total = Some(match total {
            None => add(term, 0)?,
            Some(total) => add(total, term)?,
        });
    }
    total.map_or_else(|| refused("Upsample", "there is nothing to sum".into()), Ok)
}

/// Where each sample of the result lies among the `size` of the input, as numbers with a fraction.
fn places(size: i32, factor: f64, align_corners: bool, axis: usize, axes: usize) -> Result<Tensor> {
    let wide = f64::from(size);
    let count = as_int(factor * wide)?;
    let all = arange_dtype(0, count, 1, Dtype::Float32)?;
    let row = if align_corners {
        multiply(all, (wide - 1.0) / (count - 1).max(1) as f64)?
    } else {
        if factor == 0.0 {
            return refused("Upsample", "float division by zero".into());
        }
        let step = 1.0 / factor;
        let start = 0.5 * ((count - 1) as f64 * step - wide + 1.0);
        subtract(multiply(all, step)?, start)?
    };
    along(&row, axis, axes)
}

/// A position within the axis, as an index.
fn within(place: &Tensor, size: i32) -> Result<Tensor> {
    astype(&clip(place, 0, size - 1)?, Dtype::Uint32)
}

/// The two samples around each place.
pub(super) fn linear(size: i32, factor: f64, align_corners: bool, axis: usize, axes: usize) -> Result<Taps> {
    let place = clip(&places(size, factor, align_corners, axis, axes)?, 0, size - 1)?;
    let (left, right) = (floor(&place)?, ceil(&place)?);
    let weight = expand_dims(&subtract(place, &left)?, -1)?;
    let position = |side: &Tensor| astype(side, Dtype::Uint32);
    Ok(vec![(position(&left)?, subtract(1, &weight)?), (position(&right)?, weight)])
}

/// `a` of the cubic kernel without antialiasing, as in OpenCV; with it -0.5, as in Pillow.
const PLAIN: f64 = -0.75;

/// What a cubic kernel weighs at a distance of at most 1.
fn inner(x: &Tensor, a: f64) -> Result<Tensor> {
    add(multiply(multiply(subtract(multiply(x, a + 2.0)?, a + 3.0)?, x)?, x)?, 1)
}

/// What it weighs at a distance from 1 to 2.
fn outer(x: &Tensor, a: f64) -> Result<Tensor> {
    multiply(subtract(multiply(add(multiply(subtract(x, 5)?, x)?, 8)?, x)?, 4)?, a)
}

fn distance(place: &Tensor, parameters: &[OperandRef<'_>]) -> Result<Tensor> {
    match parameters {
        [OperandRef::Tensor(sample)] => abs(&subtract(place, *sample)?),
        _ => refused("Upsample", "a compiled function lost a parameter".into()),
    }
}

/// The four samples around each place. Python compiles the weights.
pub(super) fn cubic(size: i32, factor: f64, align_corners: bool, axis: usize, axes: usize) -> Result<Taps> {
    let place = places(size, factor, align_corners, axis, axes)?;
    let left = floor(&place)?;
    let right = floor(&add(&place, 1)?)?;
    let (before, behind) = (subtract(&left, 1)?, add(&right, 1)?);
    let near = |sample: &Tensor| {
        let weigh = |x: &Tensor, at: &[OperandRef<'_>]| inner(&distance(x, at)?, PLAIN);
        compile_pointwise("Upsample", weigh, &place, &[sample.operand()])
    };
    let far = |sample: &Tensor| {
        let weigh = |x: &Tensor, at: &[OperandRef<'_>]| outer(&distance(x, at)?, PLAIN);
        compile_pointwise("Upsample", weigh, &place, &[sample.operand()])
    };
    let weighed =
        [(&left, near(&left)?), (&right, near(&right)?), (&before, far(&before)?), (&behind, far(&behind)?)];
    let taps =
        weighed.into_iter().map(|(sample, weight)| Ok((within(sample, size)?, expand_dims(&weight, -1)?)));
    taps.collect()
}

/// A filter: how far it reaches, and what it weighs at a distance.
#[derive(Clone, Copy)]
pub(super) struct Kernel {
    reach: f64,
    weigh: fn(&Tensor) -> Result<Tensor>,
}

/// The filter of linear interpolation.
pub(super) const TRIANGLE: Kernel = Kernel { reach: 1.0, weigh: |x| maximum(subtract(1.0, x)?, 0.0) };

/// The filter of cubic interpolation.
pub(super) const KEYS: Kernel = Kernel {
    reach: 2.0,
    weigh: |x| {
        let far = where_(less_equal(x, 2.0)?, outer(x, -0.5)?, 0.0)?;
        where_(less_equal(x, 1.0)?, inner(x, -0.5)?, far)
    },
};

/// The samples that a filter reaches from each place; it is wider the smaller the result is.
pub(super) fn filtered(size: i32, factor: f64, axis: usize, axes: usize, kernel: Kernel) -> Result<Taps> {
    let place = places(size, factor, false, axis, axes)?;
    let width = if factor < 1.0 { 1.0 / factor } else { 1.0 };
    // A result of one sample at least has a factor of 1 / size at least. One of none may have any, and in Python it sums
    // as many terms as that asks for.
    let most = ((kernel.reach * f64::from(size)) as i64 + 2).max(64);
    let reach = ((kernel.reach * width).ceil() as i64).saturating_add(1).min(most);
    let mut found = Vec::new();
    for step in 1 - reach..reach {
        let sample = add(floor(&place)?, step)?;
        let distance = divide(abs(&subtract(&place, &sample)?)?, width)?;
        let inside = bitwise_and(greater_equal(&sample, 0)?, less(&sample, size)?)?;
        let weight = where_(inside, (kernel.weigh)(&distance)?, 0.0)?;
        found.push((sample, weight));
    }
    let total = sum(found.iter().map(|(_, weight)| Ok(weight.clone())))?;
    let total = where_(greater(&total, 0)?, &total, 1.0)?;
    let taps = found.into_iter().map(|(sample, weight)| {
        let weight = expand_dims(&divide(weight, &total)?, -1)?;
        Ok((within(&sample, size)?, weight))
    });
    taps.collect()
}
