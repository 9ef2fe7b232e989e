//! The guard of convolutions on a GPU. MLX keeps cuDNN's plan of a convolution under all its numbers but the input dilation:
//! of two that differ in it alone the second runs by the first one's plan, which leaves a part of the result unwritten or
//! writes behind it.
//!
//! Not here: the convolutions in gradients, which MLX builds itself.

use crate::{Tensor, ffi::products::Convolution, promote_types};
use parking_lot::Mutex;
use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
};

/// The input dilation that has the plan of a turned convolution, both as hashes.
static PLANS: Mutex<Option<HashMap<u64, u64>>> = Mutex::new(None);

/// Whether a GPU may compute the convolution: the first of its kind. Of those that are not turned around it is the one
/// without dilation, for which alone cuDNN has a plan.
pub(crate) fn may_have_plan(x: &Tensor, weight: &Tensor, how: &Convolution<'_>) -> bool {
    let spatial = x.ndim().saturating_sub(2);
    let dilation: Vec<i32> = each(how.input_dilation, spatial).collect();
    if !how.flip {
        return dilation.iter().all(|&step| step == 1);
    }
    let (key, dilation) = (hash(&key(x, weight, how)), hash(&dilation));
    *PLANS.lock().get_or_insert_default().entry(key).or_insert(dilation) == dilation
}

/// One number for each axis, of a list of one for all or one for each.
fn each(list: &[i32], spatial: usize) -> impl Iterator<Item = i32> {
    (0..spatial).map(|axis| list.get(axis).or(list.last()).copied().unwrap_or(1))
}

/// What MLX finds a plan by; it cuts `x` first where padding is negative.
fn key(x: &Tensor, weight: &Tensor, how: &Convolution<'_>) -> Vec<i32> {
    let spatial = x.ndim().saturating_sub(2);
    let [low, high] = how.padding.map(|list| match list {
        [] => vec![0; spatial],
        list => each(list, spatial).collect(),
    });
    let cut = |axis: usize| low[axis].min(0).saturating_add(high[axis].min(0));
    let sizes = x.shape().iter().enumerate().map(|(axis, &size)| match axis {
        axis if (1..=spatial).contains(&axis) => size.saturating_add(cut(axis - 1)),
        _ => size,
    });
    let settings = [each(how.stride, spatial), each(how.kernel_dilation, spatial)];
    let dtype = promote_types(x.dtype(), weight.dtype()) as i32;
    [dtype, how.groups]
        .into_iter()
        .chain(sizes)
        .chain(weight.shape().iter().copied())
        .chain(low.iter().chain(&high).map(|&padding| padding.max(0)))
        .chain(settings.into_iter().flatten())
        .collect()
}

fn hash(numbers: &[i32]) -> u64 {
    let mut hasher = DefaultHasher::new();
    numbers.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Result;

    fn may(x: &Tensor, weight: &Tensor, padding: &[i32], dilation: &[i32], flip: bool) -> bool {
        let how = Convolution {
            stride: &[1],
            padding: [padding, padding],
            kernel_dilation: &[1],
            input_dilation: dilation,
            groups: 1,
            flip,
        };
        may_have_plan(x, weight, &how)
    }

    #[test]
    fn one_dilation_has_the_plan() -> Result<()> {
        let tensor = |shape: &[i32]| {
            crate::ffi::from_elements("test", &vec![0_f32; crate::shape::element_count(shape)], shape)
        };
        let (x, longer, weight) = (tensor(&[1, 5, 7, 2])?, tensor(&[1, 7, 9, 2])?, tensor(&[3, 2, 2, 2])?);
        assert!(may(&x, &weight, &[0], &[2], true));
        assert!(may(&x, &weight, &[0, 0], &[2, 2], true));
        assert!(!may(&x, &weight, &[0], &[1], true));
        assert!(!may(&x, &weight, &[0], &[2, 1], true));
        assert!(!may(&longer, &weight, &[-1], &[1], true), "it is cut to the first one's size");
        assert!(may(&x, &weight, &[1], &[1], true));
        assert!(may(&longer, &weight, &[0], &[1], true));
        for _ in 0..2 {
            assert!(may(&x, &weight, &[0], &[1], false));
            assert!(!may(&x, &weight, &[0], &[1, 2], false));
        }
        Ok(())
    }
}
