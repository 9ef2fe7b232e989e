//! Reading at an index: `x[…]`.
//!
//! Not here: what an item is (`items`); the gather of index tensors among other items (`gather`).

use super::{
    gather::gathered,
    items::{Index, IndexSpec, Items, bool_alone, expand, has_axes, wrapped},
    region::{self, Region},
};
use mlx_core::{
    Dtype, Error, ErrorKind, Result, Shape, Tensor,
    ffi::{self, Span},
};

/// The elements at `index`: `index(&x, (0, .., 1..3, NewAxis, &rows))` is Python's `x[0, :, 1:3, None, rows]`.
///
/// Items are integers, ranges (`..` is a whole axis), [`Slice::step`](crate::Slice::step), [`Ellipsis`](crate::Ellipsis),
/// [`NewAxis`](crate::NewAxis), and tensors of integers, whose dimensions take the place of their axis; several of them
/// broadcast, and go in front where other items stand between them. Without tensors nothing is copied that a view can
/// show.
///
/// # Errors
/// A position outside its axis, in a tensor where its values are there already (later ones are limited to the axis); more
/// items than axes; a step of 0; a second ellipsis; bools, which Python does not take either.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// # use mlx_ops::{Ellipsis, Slice, index};
/// let x = Tensor::from_shape_slice([2, 3], &[1, 2, 3, 4, 5, 6])?;
/// assert_eq!(index(&x, -1)?.to_vec::<i32>()?, [4, 5, 6]);
/// assert_eq!(index(&x, (.., 1..))?.to_vec::<i32>()?, [2, 3, 5, 6]);
/// assert_eq!(index(&x, (Ellipsis, Slice::step(.., -2)))?.to_vec::<i32>()?, [3, 1, 6, 4]);
/// assert_eq!(index(&x, (.., tensor![2, 0]))?.to_vec::<i32>()?, [3, 1, 6, 4]);
/// assert!(index(&x, 2).is_err() && index(&x, tensor![2]).is_err());
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "[]")]
#[doc(alias = "__getitem__")]
#[inline]
#[track_caller]
pub fn index<'i>(x: &Tensor, index: impl Into<IndexSpec<'i>>) -> Result<Tensor> {
    at(x, &mut index.into())
}

#[track_caller]
fn at(x: &Tensor, index: &mut IndexSpec<'_>) -> Result<Tensor> {
    let node = match index {
        IndexSpec::One(item) => one(x, item),
        IndexSpec::Many(items) => several(x, items),
    };
    node.map_err(|e| e.with_operands(&[x.into()]))
}

/// `x[i]`: an integer alone gathers.
#[track_caller]
fn one(x: &Tensor, item: &Index<'_>) -> Result<Tensor> {
    match item {
        Index::Ellipsis => Ok(x.clone()),
        Index::NewAxis => ffi::expand_dims(x, &[0]),
        Index::Bool(_) => Err(bool_alone()),
        Index::At(position) => {
            let sizes = has_axes(x)?;
            ffi::take_position(x, wrapped(*position, sizes[0], 0)?, 0)
        }
        Index::Slice(slice) => {
            let sizes = has_axes(x)?;
            if slice.is_full() { Ok(x.clone()) } else { sliced(x, sizes, std::slice::from_ref(item)) }
        }
        Index::Tensor(positions) => {
            has_axes(x)?;
            if positions.dtype() == Dtype::Bool {
                let message = "boolean indices are not yet supported";
                return Err(Error::new(ErrorKind::Dtype, "index", message));
            }
            ffi::take_axis(x, positions, 0)
        }
    }
}

/// `x[i, j, …]`
#[track_caller]
fn several(x: &Tensor, items: &mut Items<'_>) -> Result<Tensor> {
    let sizes = x.shape();
    if let Some(spans) = region::of_slices(sizes, items, &mut [Span::all(0); 6]) {
        return ffi::slice(x, spans);
    }
    if !expand(sizes, items)? {
        return sliced(x, sizes, items);
    }
    let (result, rest) = gathered(x, items)?;
    if rest.is_empty() { Ok(result) } else { sliced(&result, result.shape(), &rest) }
}

/// One slice over all axes, then the axes of single positions go and the new ones come.
#[track_caller]
fn sliced(x: &Tensor, sizes: &[i32], items: &[Index<'_>]) -> Result<Tensor> {
    let mut region = Region::new();
    let (mut gone, mut added) = (Shape::new(), Shape::new());
    for (i, item) in items.iter().enumerate() {
        let axis = region.len();
        region.push(match *item {
            Index::Slice(slice) => slice.raw(sizes[axis])?,
            Index::At(position) => {
                gone.push((i - added.len()) as i32);
                region::at(wrapped(position, sizes[axis], axis)?)
            }
            Index::NewAxis => {
                added.push((i - gone.len()) as i32);
                continue;
            }
            _ => continue,
        });
    }
    ffi::slice_with_axes(x, &region, [&gone, &added])
}
