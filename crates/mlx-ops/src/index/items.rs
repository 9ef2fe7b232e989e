//! What stands between the brackets of an index: integers, ranges, steps, ellipsis, new axes, tensors.
//!
//! Not here: what is done at an index (`read`, `update`).

use mlx_core::{Error, ErrorKind, Result, Tensor, ffi::Span};
use smallvec::{SmallVec, smallvec};
use std::{
    borrow::Cow,
    ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive},
};

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

    #[inline]
    pub(super) fn is_full(self) -> bool {
        self == Slice::default()
    }

    /// Start, stop and step as Python passes them on: an absent end is the axis's, a given one stays as it is.
    #[inline]
    pub(super) fn raw(self, size: i32) -> Result<Span> {
        let (first, end) = match self.step {
            Some(0) => return Err(no_step()),
            Some(..0) => (size - 1, -size - 1),
            _ => (0, size),
        };
        Ok(Span::new(self.start.unwrap_or(first), self.stop.unwrap_or(end), self.step.unwrap_or(1)))
    }
}

#[cold]
fn no_step() -> Error {
    Error::new(ErrorKind::Value, "index", "a slice step of 0 reaches nothing")
}

/// One item of an index.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Index<'a> {
    /// One position, whose axis goes; negative ones count from the end.
    At(i64),
    /// Positions in a row.
    Slice(Slice),
    /// As many whole axes as are left.
    Ellipsis,
    /// A new axis of size 1.
    NewAxis,
    /// The positions in a tensor of integers, whose dimensions take the axis's place; alone in an assignment, a mask
    /// of bools.
    Tensor(Cow<'a, Tensor>),
    /// All or nothing, alone in an assignment; nowhere else, as in Python.
    Bool(bool),
}

macro_rules! conversions {
    ($($type:ty => |$value:ident| $slice:expr;)*) => {
        $(impl From<$type> for Slice {
            #[inline]
            fn from($value: $type) -> Slice {
                let (start, stop) = $slice;
                Slice { start, stop, step: None }
            }
        }
        impl From<$type> for Index<'_> {
            #[inline]
            fn from(range: $type) -> Self {
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

impl From<Slice> for Index<'_> {
    #[inline]
    fn from(slice: Slice) -> Self {
        Index::Slice(slice)
    }
}

impl From<Ellipsis> for Index<'_> {
    #[inline]
    fn from(_: Ellipsis) -> Self {
        Index::Ellipsis
    }
}

impl From<NewAxis> for Index<'_> {
    #[inline]
    fn from(_: NewAxis) -> Self {
        Index::NewAxis
    }
}

impl From<Tensor> for Index<'_> {
    #[inline]
    fn from(positions: Tensor) -> Self {
        Index::Tensor(Cow::Owned(positions))
    }
}

impl<'a> From<&'a Tensor> for Index<'a> {
    #[inline]
    fn from(positions: &'a Tensor) -> Self {
        Index::Tensor(Cow::Borrowed(positions))
    }
}

impl From<bool> for Index<'_> {
    #[inline]
    fn from(all: bool) -> Self {
        Index::Bool(all)
    }
}

impl From<i32> for Index<'_> {
    #[inline]
    fn from(position: i32) -> Self {
        Index::At(position.into())
    }
}

impl From<i64> for Index<'_> {
    #[inline]
    fn from(position: i64) -> Self {
        Index::At(position)
    }
}

impl From<usize> for Index<'_> {
    #[inline]
    fn from(position: usize) -> Self {
        Index::At(i64::try_from(position).unwrap_or(i64::MAX))
    }
}

/// The items of a tuple.
pub(super) type Items<'a> = SmallVec<[Index<'a>; 6]>;

/// What stands between Python's brackets: one item, or several.
///
/// The two differ as in Python: one integer alone gathers, in a tuple it slices, with the same result.
#[derive(Clone, Debug)]
pub enum IndexSpec<'a> {
    /// `x[i]`
    One(Index<'a>),
    /// `x[i, j, …]`
    Many(Items<'a>),
}

impl<'a, I: Into<Index<'a>>> From<I> for IndexSpec<'a> {
    #[inline]
    fn from(item: I) -> Self {
        IndexSpec::One(item.into())
    }
}

impl<'a> From<&[Index<'a>]> for IndexSpec<'a> {
    fn from(items: &[Index<'a>]) -> Self {
        IndexSpec::Many(items.into())
    }
}

impl<'a> From<Vec<Index<'a>>> for IndexSpec<'a> {
    fn from(items: Vec<Index<'a>>) -> Self {
        IndexSpec::Many(items.into())
    }
}

macro_rules! tuples {
    ($($($name:ident)*;)*) => {
        $(impl<'a, $($name: Into<Index<'a>>),*> From<($($name,)*)> for IndexSpec<'a> {
            #[allow(non_snake_case)] // The type parameters' names serve as the variables.
            #[inline]
            fn from(($($name,)*): ($($name,)*)) -> Self {
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
    A B C D E F G;
    A B C D E F G H;
}

/// Puts whole axes in place of the ellipsis among the items of a tuple, and says whether there are tensors among them.
#[inline]
pub(super) fn expand(sizes: &[i32], items: &mut Items<'_>) -> Result<bool> {
    let mut simple = true;
    for item in items.iter() {
        simple &= matches!(item, Index::At(_) | Index::Slice(_));
    }
    if simple && items.len() <= sizes.len() { Ok(false) } else { expand_any(sizes.len(), items) }
}

/// [`expand`] for items that are more than integers and slices, or more than there are axes.
#[inline(never)]
fn expand_any(ndim: usize, items: &mut Items<'_>) -> Result<bool> {
    let (mut used, mut tensors, mut ellipses, mut last) = (0, 0, 0, 0);
    for (place, item) in items.iter().enumerate() {
        match item {
            Index::Bool(_) => {
                let message = "Cannot index mlx array using the given type yet";
                return Err(Error::new(ErrorKind::Index, "index", message));
            }
            Index::Ellipsis => (ellipses, last) = (ellipses + 1, place),
            Index::NewAxis => {}
            Index::Tensor(_) => (used, tensors) = (used + 1, tensors + 1),
            Index::At(_) | Index::Slice(_) => used += 1,
        }
    }
    if ellipses > 1 {
        let message = "An index can only have a single ellipsis (...)";
        return Err(Error::new(ErrorKind::Index, "index", message));
    }
    let Some(left) = ndim.checked_sub(used) else {
        let message = format!("Too many indices for array with {ndim} dimensions.");
        return Err(Error::new(ErrorKind::Index, "index", message));
    };
    if ellipses == 1 {
        items.remove(last);
        items.insert_many(last, std::iter::repeat_n(Index::Slice(Slice::default()), left));
    }
    Ok(tensors > 0)
}

/// The position counted from the front of an axis of `size`.
#[inline]
pub(super) fn wrapped(position: i64, size: i32, axis: usize) -> Result<i32> {
    let wide = i64::from(size);
    if (-wide..wide).contains(&position) {
        return Ok((if position < 0 { position + wide } else { position }) as i32);
    }
    Err(out_of_bounds(position, size, axis))
}

#[cold]
fn out_of_bounds(position: i64, size: i32, axis: usize) -> Error {
    let message = format!("index {position} is out of bounds for axis {axis} with size {size}");
    Error::new(ErrorKind::Index, "index", message)
}

/// The sizes of a tensor's axes; `Err` for a 0-d one, which has no axis for one item alone.
#[inline]
pub(super) fn has_axes(x: &Tensor) -> Result<&[i32]> {
    let sizes = x.shape();
    if sizes.is_empty() { Err(no_axes()) } else { Ok(sizes) }
}

#[cold]
fn no_axes() -> Error {
    let message = "too many indices for array: array is 0-dimensional";
    Error::new(ErrorKind::Index, "index", message)
}

/// The error for a bool where Python refuses one.
pub(super) fn bool_alone() -> Error {
    Error::new(ErrorKind::Index, "index", "Cannot index mlx array using the given type.")
}
