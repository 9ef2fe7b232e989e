//! Picking elements out by position: integers, ranges, steps, ellipsis, new axes; the nodes Python's `x[…]` issues.
//!
//! Not here yet: integer tensors as indices, assignment.

use mlx_core::{Dtype, Error, ErrorKind, Result, Tensor, ffi, or_panic};
use smallvec::{SmallVec, smallvec};
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// `…[..., x]`: as many whole axes as the other items leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ellipsis;

/// `…[None, x]`: a new axis of size 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewAxis;

/// A range of positions with a step; negative positions count from the end, `None` is the end itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// The first position.
    pub start: Option<i32>,
    /// The position that is not reached any more.
    pub stop: Option<i32>,
    /// The step, 1 when absent; not 0.
    pub step: Option<i32>,
}

impl Slice {
    /// `range` in steps of `step`: `Slice::step(.., -1)` turns an axis around.
    #[must_use]
    pub fn step(range: impl Into<Slice>, step: i32) -> Slice {
        Slice { step: Some(step), ..range.into() }
    }

    fn is_full(self) -> bool {
        self == Slice::default()
    }
}

/// One item of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Index {
    /// One position, whose axis goes; negative ones count from the end.
    At(i64),
    /// Positions in a row.
    Slice(Slice),
    /// As many whole axes as are left.
    Ellipsis,
    /// A new axis of size 1.
    NewAxis,
}

macro_rules! conversions {
    ($($type:ty => |$value:ident| $slice:expr;)*) => {
        $(impl From<$type> for Slice {
            fn from($value: $type) -> Slice {
                let (start, stop) = $slice;
                Slice { start, stop, step: None }
            }
        }
        impl From<$type> for Index {
            fn from(range: $type) -> Index {
                Index::Slice(range.into())
            }
        })*
    };
}

conversions! {
    RangeFull => |_r| (None, None);
    Range<i32> => |r| (Some(r.start), Some(r.end));
    RangeFrom<i32> => |r| (Some(r.start), None);
    RangeTo<i32> => |r| (None, Some(r.end));
    RangeInclusive<i32> => |r| (Some(*r.start()), after(*r.end()));
    RangeToInclusive<i32> => |r| (None, after(r.end));
    Range<usize> => |r| (Some(clamped(r.start)), Some(clamped(r.end)));
    RangeFrom<usize> => |r| (Some(clamped(r.start)), None);
    RangeInclusive<usize> => |r| (Some(clamped(*r.start())), Some(clamped(r.end().saturating_add(1))));
    RangeToInclusive<usize> => |r| (None, Some(clamped(r.end.saturating_add(1))));
    RangeTo<usize> => |r| (None, Some(clamped(r.end)));
}

/// The stop behind an inclusive end; behind -1, the last position, is the axis's own end.
fn after(end: i32) -> Option<i32> {
    if end == -1 { None } else { Some(end.saturating_add(1)) }
}

/// No axis is longer than `i32`, and slices end where their axis does.
fn clamped(position: usize) -> i32 {
    i32::try_from(position).unwrap_or(i32::MAX)
}

impl From<Slice> for Index {
    fn from(slice: Slice) -> Index {
        Index::Slice(slice)
    }
}

impl From<Ellipsis> for Index {
    fn from(_: Ellipsis) -> Index {
        Index::Ellipsis
    }
}

impl From<NewAxis> for Index {
    fn from(_: NewAxis) -> Index {
        Index::NewAxis
    }
}

impl From<i32> for Index {
    fn from(position: i32) -> Index {
        Index::At(position.into())
    }
}

impl From<i64> for Index {
    fn from(position: i64) -> Index {
        Index::At(position)
    }
}

impl From<usize> for Index {
    fn from(position: usize) -> Index {
        Index::At(i64::try_from(position).unwrap_or(i64::MAX))
    }
}

/// What stands between Python's brackets: one item, or several.
///
/// The two differ as in Python: one integer alone gathers, in a tuple it slices, with the same result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexSpec {
    /// `x[i]`
    One(Index),
    /// `x[i, j, …]`
    Many(SmallVec<[Index; 6]>),
}

impl<I: Into<Index>> From<I> for IndexSpec {
    fn from(item: I) -> IndexSpec {
        IndexSpec::One(item.into())
    }
}

impl From<&[Index]> for IndexSpec {
    fn from(items: &[Index]) -> IndexSpec {
        IndexSpec::Many(SmallVec::from_slice(items))
    }
}

macro_rules! tuples {
    ($($($name:ident)*;)*) => {
        $(impl<$($name: Into<Index>),*> From<($($name,)*)> for IndexSpec {
            #[allow(non_snake_case)] // The type parameters' names serve as the variables.
            fn from(($($name,)*): ($($name,)*)) -> IndexSpec {
                IndexSpec::Many(smallvec![$($name.into()),*])
            }
        })*
    };
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
}

/// The elements at `index`: `index(&x, (0, .., 1..3, NewAxis))` is Python's `x[0, :, 1:3, None]`.
///
/// Items are integers, ranges (`..` is a whole axis), [`Slice::step`], [`Ellipsis`], [`NewAxis`]. Nothing is copied
/// that a view can show.
///
/// # Errors
/// A position outside its axis; more items than axes; a step of 0; a second ellipsis.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_ops::{Ellipsis, Slice, index};
/// let x = Tensor::from_shape_slice([2, 3], &[1, 2, 3, 4, 5, 6])?;
/// assert_eq!(index(&x, -1)?.to_vec::<i32>()?, [4, 5, 6]);
/// assert_eq!(index(&x, (.., 1..))?.to_vec::<i32>()?, [2, 3, 5, 6]);
/// assert_eq!(index(&x, (Ellipsis, Slice::step(.., -2)))?.to_vec::<i32>()?, [3, 1, 6, 4]);
/// assert!(index(&x, 2).is_err());
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "[]")]
#[doc(alias = "__getitem__")]
#[track_caller]
pub fn index(x: &Tensor, index: impl Into<IndexSpec>) -> Result<Tensor> {
    let node = match index.into() {
        IndexSpec::One(Index::At(position)) => at(x, position),
        IndexSpec::One(Index::Slice(_)) if x.ndim() == 0 => Err(too_many(x)),
        IndexSpec::One(Index::Slice(slice)) if slice.is_full() => Ok(x.clone()),
        IndexSpec::One(Index::Ellipsis) => Ok(x.clone()),
        IndexSpec::One(Index::NewAxis) => ffi::expand_dims(x, &[0]),
        IndexSpec::One(slice @ Index::Slice(_)) => several(x, &[slice]),
        IndexSpec::Many(items) => several(x, &items),
    };
    node.map_err(|e| e.with_operands(&[x.into()]))
}

/// One position of the first axis: a gather.
#[track_caller]
fn at(x: &Tensor, position: i64) -> Result<Tensor> {
    let Some(&size) = x.shape().first() else { return Err(too_many(x)) };
    let position = wrapped(position, size, 0)?;
    ffi::take_axis(x, &Tensor::scalar(position, Dtype::Uint32)?, 0)
}

/// One slice over all axes, then the axes of single positions go and the new ones come.
#[track_caller]
fn several(x: &Tensor, items: &[Index]) -> Result<Tensor> {
    let items = expand_ellipsis(x, items)?;
    let sizes = x.shape();
    let mut start: SmallVec<[i32; 6]> = smallvec![0; sizes.len()];
    let mut stop: SmallVec<[i32; 6]> = SmallVec::from_slice(sizes);
    let mut step: SmallVec<[i32; 6]> = smallvec![1; sizes.len()];
    let mut axis = 0;
    for item in &items {
        match *item {
            Index::At(position) => {
                start[axis] = wrapped(position, sizes[axis], axis)?;
                stop[axis] = start[axis] + 1;
            }
            Index::Slice(slice) => (start[axis], stop[axis], step[axis]) = raw(slice, sizes[axis])?,
            _ => continue,
        }
        axis += 1;
    }
    let mut result = ffi::slice(x, &start, &stop, &step)?;
    let (mut gone, mut new): (SmallVec<[i32; 6]>, SmallVec<[i32; 6]>) = (SmallVec::new(), SmallVec::new());
    for (i, item) in items.iter().enumerate() {
        match item {
            Index::At(_) => gone.push((i - new.len()) as i32),
            Index::NewAxis => new.push((i - gone.len()) as i32),
            _ => {}
        }
    }
    if !gone.is_empty() {
        result = ffi::squeeze_axes(&result, &gone)?;
    }
    if !new.is_empty() {
        result = ffi::expand_dims(&result, &new)?;
    }
    Ok(result)
}

/// The items with whole axes in place of the ellipsis.
fn expand_ellipsis(x: &Tensor, items: &[Index]) -> Result<SmallVec<[Index; 6]>> {
    let used = items.iter().filter(|item| matches!(item, Index::At(_) | Index::Slice(_))).count();
    let ellipses = items.iter().filter(|item| matches!(item, Index::Ellipsis)).count();
    if ellipses > 1 {
        let message = "An index can only have a single ellipsis (...)";
        return Err(Error::new(ErrorKind::Index, "index", message));
    }
    let Some(left) = x.ndim().checked_sub(used) else { return Err(too_many(x)) };
    let mut expanded = SmallVec::new();
    for &item in items {
        match item {
            Index::Ellipsis => expanded.extend(std::iter::repeat_n(Index::Slice(Slice::default()), left)),
            item => expanded.push(item),
        }
    }
    Ok(expanded)
}

/// Start, stop and step as Python passes them on: an absent end is the axis's, a given one stays as it is.
fn raw(slice: Slice, size: i32) -> Result<(i32, i32, i32)> {
    let step = slice.step.unwrap_or(1);
    if step == 0 {
        return Err(Error::new(ErrorKind::Value, "index", "a slice step of 0 reaches nothing"));
    }
    let (first, end) = if step < 0 { (size - 1, -size - 1) } else { (0, size) };
    Ok((slice.start.unwrap_or(first), slice.stop.unwrap_or(end), step))
}

fn wrapped(position: i64, size: i32, axis: usize) -> Result<i32> {
    let wide = i64::from(size);
    if (-wide..wide).contains(&position) {
        return Ok((if position < 0 { position + wide } else { position }) as i32);
    }
    let message = format!("index {position} is out of bounds for axis {axis} with size {size}");
    Err(Error::new(ErrorKind::Index, "index", message))
}

fn too_many(x: &Tensor) -> Error {
    let message = match x.ndim() {
        0 => "too many indices for array: array is 0-dimensional".into(),
        ndim => format!("Too many indices for array with {ndim} dimensions."),
    };
    Error::new(ErrorKind::Index, "index", message)
}

/// Indexing as a method.
pub trait IndexOps {
    /// See [`index`](fn@index); panics at the caller's line on error.
    #[must_use]
    fn index(&self, index: impl Into<IndexSpec>) -> Tensor;
}

impl IndexOps for Tensor {
    #[track_caller]
    fn index(&self, spec: impl Into<IndexSpec>) -> Tensor {
        or_panic(index(self, spec))
    }
}
