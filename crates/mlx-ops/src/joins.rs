//! Several tensors into one and one into several: concatenate, stack, split, unstack, and what broadcasts tensors
//! against each other.

use crate::ints::IntoInts;
use mlx_core::{Error, ErrorKind, IntoShape, Result, Shape, Tensor, ffi, or_panic};
use smallvec::SmallVec;

/// The tensors one after another along `axis`.
///
/// # Errors
/// None at all; shapes that differ elsewhere than in `axis`; an axis out of range.
///
/// ```
/// # use mlx_core::tensor;
/// let (a, b) = (tensor![1, 2], tensor![3]);
/// assert_eq!(mlx_ops::concatenate([&a, &b], 0)?.to_vec::<i32>()?, [1, 2, 3]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.concatenate")]
#[track_caller]
pub fn concatenate<'a>(tensors: impl IntoIterator<Item = &'a Tensor>, axis: i32) -> Result<Tensor> {
    ffi::concatenate(&listed(tensors), Some(axis))
}

/// The elements of all the tensors in one dimension (Python's `concatenate(…, axis=None)`).
///
/// # Errors
/// None at all.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// let square = Tensor::from_shape_slice([2, 2], &[1, 2, 3, 4])?;
/// assert_eq!(mlx_ops::concatenate_flat([&square, &tensor![5]])?.to_vec::<i32>()?, [1, 2, 3, 4, 5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn concatenate_flat<'a>(tensors: impl IntoIterator<Item = &'a Tensor>) -> Result<Tensor> {
    ffi::concatenate(&listed(tensors), None)
}

/// The tensors side by side along a new `axis`.
///
/// # Errors
/// None at all; shapes that differ; an axis out of range.
///
/// ```
/// # use mlx_core::tensor;
/// let (a, b) = (tensor![1, 2], tensor![3, 4]);
/// assert_eq!(mlx_ops::stack([&a, &b], 1)?.to_vec::<i32>()?, [1, 3, 2, 4]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.stack")]
#[track_caller]
pub fn stack<'a>(tensors: impl IntoIterator<Item = &'a Tensor>, axis: i32) -> Result<Tensor> {
    ffi::stack(&listed(tensors), axis)
}

/// The most tensors that one call gives: beyond it their handles alone take the memory.
const MOST_PARTS: i32 = 1 << 20;

/// The tensor in parts along `axis`: a number of equal ones, or those between positions, which slice as Python's do.
///
/// # Errors
/// A size that the number does not divide, a number below 1 or beyond 2^20; an axis out of range.
///
/// ```
/// # use mlx_core::tensor;
/// let parts = mlx_ops::split(&tensor![1, 2, 3, 4], 2, 0)?;
/// assert_eq!(parts[1].to_vec::<i32>()?, [3, 4]);
/// let parts = mlx_ops::split(&tensor![1, 2, 3, 4], [1, 3], 0)?;
/// assert_eq!(parts[1].to_vec::<i32>()?, [2, 3]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.split")]
#[track_caller]
pub fn split(x: &Tensor, parts: impl IntoInts, axis: i32) -> Result<Vec<Tensor>> {
    let parts = parts.into_ints();
    match parts.alone() {
        // What does not divide the axis MLX refuses by itself.
        Some(number) if number > MOST_PARTS && axis_size(x, axis).is_some_and(|size| size % number == 0) => {
            Err(too_many("split", number, x))
        }
        Some(number) => ffi::split(x, number, axis),
        None => ffi::split_at(x, parts.list(), axis),
    }
}

/// The subtensors along `axis`, which they lack.
///
/// # Errors
/// An axis out of range, or of more than 2^20 positions.
///
/// ```
/// # use mlx_core::Tensor;
/// let x = Tensor::from_shape_slice([2, 2], &[1, 2, 3, 4])?;
/// assert_eq!(mlx_ops::unstack(&x, 1)?[0].to_vec::<i32>()?, [1, 3]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.unstack")]
#[track_caller]
pub fn unstack(x: &Tensor, axis: i32) -> Result<Vec<Tensor>> {
    match axis_size(x, axis) {
        Some(size) if size > MOST_PARTS => Err(too_many("unstack", size, x)),
        _ => ffi::unstack(x, axis),
    }
}

/// The size of an axis, if there is such an axis.
pub(crate) fn axis_size(x: &Tensor, axis: i32) -> Option<i32> {
    let at = if axis < 0 { axis.saturating_add(x.ndim() as i32) } else { axis };
    usize::try_from(at).ok().and_then(|at| x.shape().get(at)).copied()
}

#[cold]
fn too_many(op: &'static str, parts: i32, x: &Tensor) -> Error {
    let message = format!("{parts} tensors are more than the {MOST_PARTS} that one call gives");
    Error::new(ErrorKind::Value, op, message).with_operands(&[x.into()])
}

/// The tensors broadcast to the shape that all of them have together.
///
/// # Errors
/// Shapes that do not broadcast.
///
/// ```
/// # use mlx_core::{Tensor, tensor};
/// let column = Tensor::from_shape_slice([2, 1], &[1, 2])?;
/// let both = mlx_ops::broadcast_arrays([&column, &tensor![3, 4]])?;
/// assert_eq!(both[0].to_vec::<i32>()?, [1, 1, 2, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.broadcast_arrays")]
#[track_caller]
pub fn broadcast_arrays<'a>(tensors: impl IntoIterator<Item = &'a Tensor>) -> Result<Vec<Tensor>> {
    ffi::broadcast_arrays(&listed(tensors))
}

/// The shape that tensors of these shapes broadcast to.
///
/// # Errors
/// No shape at all; shapes that do not broadcast.
///
/// ```
/// assert_eq!(mlx_ops::broadcast_shapes([[2, 1], [1, 3]])?[..], [2, 3]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.broadcast_shapes")]
pub fn broadcast_shapes(shapes: impl IntoIterator<Item = impl IntoShape>) -> Result<Shape> {
    let mut shapes = shapes.into_iter().map(IntoShape::into_shape);
    let refuse = |message: String| Error::new(ErrorKind::Shape, "broadcast_shapes", message);
    let first = shapes.next();
    let first =
        first.ok_or_else(|| refuse("[broadcast_shapes] Must provide at least one shape.".into()))??;
    shapes.try_fold(first, |so_far, next| {
        let next = next?;
        together(&so_far, &next).ok_or_else(|| {
            let [a, b] = [&so_far, &next].map(|shape| {
                let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
                sizes.join(",")
            });
            refuse(format!("[broadcast_shapes] Shapes ({a}) and ({b}) cannot be broadcast."))
        })
    })
}

fn together(a: &Shape, b: &Shape) -> Option<Shape> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let mut shape = long.clone();
    let lead = long.len() - short.len();
    for (size, &other) in shape[lead..].iter_mut().zip(short) {
        *size = match (*size, other) {
            (size, other) if size == other => size,
            (1, other) => other,
            (size, 1) => size,
            _ => return None,
        };
    }
    Some(shape)
}

/// How meshgrid lays out its grids.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{Meshgrid, meshgrid};
/// let (x, y) = (tensor![1, 2], tensor![3, 4, 5]);
/// assert_eq!(meshgrid([&x, &y], Meshgrid::new().ij())?[0].shape(), [2, 3]);
/// assert_eq!(meshgrid([&x, &y], Meshgrid::new().sparse())?[0].shape(), [1, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Meshgrid {
    /// Whether the first tensor runs along the first axis, not the second.
    pub ij: bool,
    /// Whether each grid has size 1 along the other tensors' axes.
    pub sparse: bool,
}

impl Meshgrid {
    /// Full grids, the first tensor along the second axis (Python's `indexing="xy"`).
    #[must_use]
    pub fn new() -> Meshgrid {
        Meshgrid::default()
    }

    /// The first tensor along the first axis (Python's `indexing="ij"`).
    #[must_use]
    pub fn ij(mut self) -> Meshgrid {
        self.ij = true;
        self
    }

    /// Grids of size 1 along the other tensors' axes, which broadcast.
    #[must_use]
    pub fn sparse(mut self) -> Meshgrid {
        self.sparse = true;
        self
    }
}

/// The most axes of a grid: each grid has as many as there are grids.
const MOST_GRIDS: usize = 1 << 10;

/// The coordinates of a grid: for each tensor, flattened, its elements along an axis of its own.
///
/// # Errors
/// Grids too large; more than 1024 tensors.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{Meshgrid, meshgrid};
/// let grids = meshgrid([&tensor![1, 2], &tensor![3, 4]], Meshgrid::new())?;
/// assert_eq!(grids[0].to_vec::<i32>()?, [1, 2, 1, 2]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.meshgrid")]
#[track_caller]
pub fn meshgrid<'a>(tensors: impl IntoIterator<Item = &'a Tensor>, how: Meshgrid) -> Result<Vec<Tensor>> {
    let tensors = listed(tensors);
    if tensors.len() > MOST_GRIDS {
        let message = format!("{} tensors are more than the {MOST_GRIDS} that one grid takes", tensors.len());
        return Err(Error::new(ErrorKind::Value, "meshgrid", message));
    }
    ffi::meshgrid(&tensors, how.sparse, if how.ij { c"ij" } else { c"xy" })
}

#[inline]
fn listed<'a>(tensors: impl IntoIterator<Item = &'a Tensor>) -> SmallVec<[&'a Tensor; 8]> {
    let mut list = SmallVec::new();
    // Not collected: `extend` is a call that is not inlined.
    for tensor in tensors {
        list.push(tensor);
    }
    list
}

/// Parts of a tensor, as methods. Each panics at the caller's line where the free function of its name returns an error.
pub trait SplitOps {
    /// See [`split`](fn@split).
    #[must_use]
    fn split(&self, parts: impl IntoInts, axis: i32) -> Vec<Tensor>;

    /// See [`unstack`](fn@unstack).
    #[must_use]
    fn unstack(&self, axis: i32) -> Vec<Tensor>;
}

impl SplitOps for Tensor {
    #[track_caller]
    fn split(&self, parts: impl IntoInts, axis: i32) -> Vec<Tensor> {
        or_panic(split(self, parts, axis))
    }

    #[track_caller]
    fn unstack(&self, axis: i32) -> Vec<Tensor> {
        or_panic(unstack(self, axis))
    }
}
