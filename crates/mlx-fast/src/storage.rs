//! What tensors keep in memory: compact copies, and ranges that are kept.

use mlx_core::{Error, ErrorKind, Result, Tensor};
use mlx_ops::{reshape, slice};
use parking_lot::Mutex;
use std::{collections::VecDeque, mem};

/// A copy of `x` in memory of its own, in row-major order, with the same bits; gradients pass through.
///
/// A view keeps all of what it is a view of, and so does a copy by [`copy`](fn@mlx_ops::copy), which shares it; this keeps its own
/// elements only. It is of the shape that `x` has now: within a shapeless compiled function it would not follow others.
///
/// # Errors
/// A failed `x`.
///
/// ```
/// # use mlx_core::tensor;
/// let tail = mlx_ops::index(&tensor![1.0, 2.0, 3.0], 1..)?;
/// assert_eq!(mlx_fast::materialize(&tail)?.to_vec::<f32>()?, [2.0, 3.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn materialize(x: &Tensor) -> Result<Tensor> {
    if x.ndim() == 0 {
        return reshape(&materialize(&reshape(x, [1])?)?, [0_i32; 0]);
    }
    let axes: Vec<i32> = (0..x.ndim() as i32).collect();
    let start = Tensor::from_slice(&vec![0_i32; x.ndim()])?;
    slice(x, &start, &axes[..], x.shape())
}

/// From how many elements on a range is kept.
const LARGE: usize = 1 << 16;
/// How many elements are kept at most: 8 MiB.
const KEPT: usize = (8 << 20) / size_of::<i32>();

/// The latest range used stands last.
static RANGES: Mutex<VecDeque<([i32; 3], Tensor)>> = Mutex::new(VecDeque::new());

/// The int32 numbers from `start`, by `step`, that lie before `stop`, as data of the graph and not as a node.
///
/// Ranges of 65536 numbers and more are kept for the next call, on any thread, up to 8 MiB of them; the one unused for longest goes
/// first. A tensor that a caller still has stays as it is.
///
/// # Errors
/// A step of 0; more than `i32::MAX` numbers.
///
/// ```
/// assert_eq!(mlx_fast::cached_arange(5, 0, -2)?.to_vec::<i32>()?, [5, 3, 1]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn cached_arange(start: i32, stop: i32, step: i32) -> Result<Tensor> {
    let refuse = |why: &str| Error::new(ErrorKind::Value, "cached_arange", format!("[cached_arange] {why}"));
    if step == 0 {
        return Err(refuse("the step must not be 0"));
    }
    let way = (i64::from(stop) - i64::from(start)) * i64::from(step.signum());
    let count = way.max(0).unsigned_abs().div_ceil(step.unsigned_abs().into());
    let count = i32::try_from(count).map_err(|_| refuse("too many numbers"))? as usize;
    let range = [start, stop, step];
    if count >= LARGE
        && let Some(kept) = kept(range)
    {
        return Ok(kept);
    }
    // Each lies between start and stop.
    let values: Vec<i32> =
        (0..count as i64).map(|i| (i64::from(start) + i * i64::from(step)) as i32).collect();
    let made = Tensor::from_slice(&values)?;
    if (LARGE..=KEPT).contains(&count) {
        keep(range, &made);
    }
    Ok(made)
}

fn kept(range: [i32; 3]) -> Option<Tensor> {
    let mut ranges = RANGES.lock();
    let place = ranges.iter().position(|(key, _)| *key == range)?;
    let found = ranges.remove(place)?;
    let tensor = found.1.clone();
    ranges.push_back(found);
    Some(tensor)
}

fn keep(range: [i32; 3], tensor: &Tensor) {
    let mut gone = Vec::new();
    let mut ranges = RANGES.lock();
    // Another thread may have been first.
    if ranges.iter().any(|(key, _)| *key == range) {
        return;
    }
    let mut total = tensor.size() + ranges.iter().map(|(_, kept)| kept.size()).sum::<usize>();
    while total > KEPT
        && let Some((_, oldest)) = ranges.pop_front()
    {
        total -= oldest.size();
        gone.push(oldest);
    }
    ranges.push_back((range, tensor.clone()));
    // The library's lock is not waited for under this one.
    mem::drop(ranges);
}
