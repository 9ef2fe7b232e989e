//! Vectorisation: a function of one item applied to all items along axes.

use super::{
    Outcome, body, rebuilt,
    tree::{self, Tree},
};
use crate::{Error, ErrorKind, Result, Tensor, ffi};
use std::fmt::Write as _;

/// Along which axis each tensor of a tree is taken apart or put together; `None` where it stays whole.
///
/// From an `i32` (all tensors), or from a list of `i32` or `Option<i32>` with one for each tensor, in the tree's order.
/// Negative axes count from the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VmapAxes {
    /// The same axis for every tensor.
    All(i32),
    /// An axis for each tensor.
    Each(Vec<Option<i32>>),
}

impl From<i32> for VmapAxes {
    fn from(axis: i32) -> VmapAxes {
        VmapAxes::All(axis)
    }
}

impl From<Vec<Option<i32>>> for VmapAxes {
    fn from(axes: Vec<Option<i32>>) -> VmapAxes {
        VmapAxes::Each(axes)
    }
}

impl<const N: usize> From<[Option<i32>; N]> for VmapAxes {
    fn from(axes: [Option<i32>; N]) -> VmapAxes {
        VmapAxes::Each(axes.into())
    }
}

impl<const N: usize> From<[i32; N]> for VmapAxes {
    fn from(axes: [i32; N]) -> VmapAxes {
        VmapAxes::Each(axes.map(Some).into())
    }
}

impl VmapAxes {
    /// The axes as MLX takes them: none below 0 but -1, for a tensor that stays whole.
    pub(super) fn of(&self, tensors: &[Tensor], is_output: bool) -> Result<Vec<i32>> {
        let each = match self {
            VmapAxes::All(axis) => &vec![Some(*axis); tensors.len()],
            VmapAxes::Each(axes) => axes,
        };
        let what = if is_output { "output" } else { "input" };
        if each.len() != tensors.len() {
            let message = format!("there are {} {what} axes for {} tensors", each.len(), tensors.len());
            return Err(Error::new(ErrorKind::Value, "vmap", message));
        }
        let normal = |(axis, x): (&Option<i32>, &Tensor)| match *axis {
            None => Ok(-1),
            Some(axis) => {
                let ndim = x.ndim() as i32 + i32::from(is_output);
                let positive = if axis < 0 { axis.saturating_add(ndim) } else { axis };
                if (0..ndim).contains(&positive) {
                    Ok(positive)
                } else {
                    Err(invalid(positive, x, is_output))
                }
            }
        };
        each.iter().zip(tensors).map(normal).collect()
    }
}

/// What a vmap rule is asked for: as many items of these shapes as `inputs` have along their axes.
pub(crate) struct Wanted<'a> {
    pub(crate) inputs: &'a [Tensor],
    pub(crate) in_axes: &'a [Option<i32>],
    pub(crate) shapes: &'a [&'a [i32]],
}

impl Wanted<'_> {
    /// The axes of what the rule gave, as MLX takes them; MLX believes that it is what was wanted.
    ///
    /// # Errors
    /// What is wrong with it, for whoever has the rule's name.
    pub(crate) fn axes(&self, outputs: &[Tensor], axes: &VmapAxes) -> Result<Vec<i32>, Error> {
        let refused = |message| Err(Error::new(ErrorKind::Value, "vmap", message));
        let (given, wanted) = (outputs.len(), self.shapes.len());
        if given != wanted {
            return refused(format!("its vmap rule gave {given} tensors, and {wanted} are needed"));
        }
        let axes = axes.of(outputs, false)?;
        let items =
            self.inputs.iter().zip(self.in_axes).find_map(|(x, axis)| Some(x.shape()[(*axis)? as usize]));
        for (i, (x, &axis)) in outputs.iter().zip(&axes).enumerate() {
            let mut wanted = self.shapes[i].to_vec();
            if let (Ok(at), Some(items)) = (usize::try_from(axis), items) {
                wanted.insert(at.min(wanted.len()), items);
            }
            if x.shape() != wanted {
                let shape = x.shape();
                return refused(format!("its vmap rule gave shape {shape:?} for tensor {i} of {wanted:?}"));
            }
        }
        Ok(axes)
    }
}

/// Python's words.
fn invalid(axis: i32, x: &Tensor, is_output: bool) -> Error {
    let mut shape = String::new();
    for (i, size) in x.shape().iter().enumerate() {
        let _ = write!(shape, "{}{size}", if i == 0 { "" } else { "," });
    }
    let output = if is_output { " output" } else { "" };
    let message = format!("[vmap] Invalid{output} vectorization axis {axis} for array with shape ({shape})");
    Error::new(ErrorKind::Index, "vmap", message)
}

/// `f` applied to every item along the first axis of all tensors of `args`; results are stacked along a new first axis.
///
/// # Errors
/// As [`vmap_axes`].
///
/// ```
/// # use mlx_core::{tensor, transforms::vmap};
/// # use mlx_ops::ReduceOps;
/// let rows = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![[1.0, 1.0], [2.0, 2.0]]);
/// let dots = vmap(|(a, b)| (a * b).sum(..), &rows)?;
/// assert_eq!(dots.to_vec::<f32>()?, [3.0, 14.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.vmap")]
pub fn vmap<A: Tree, R: Outcome>(f: impl FnOnce(&A) -> R, args: &A) -> Result<R::Output, R::Error> {
    vmap_axes(f, 0, 0, args)
}

/// `f` applied to every item along `in_axes` of `args`; results are stacked along `out_axes`.
///
/// A result that depends on no item may stay as it is (`None`).
///
/// # Errors
/// What `f` returns; an axis that a tensor does not have, or no axis; axes of different sizes; an op without a rule.
///
/// ```
/// # use mlx_core::{tensor, transforms::vmap_axes};
/// let (x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![10.0, 20.0]);
/// let z = vmap_axes(|(column, y)| column + y, [Some(1), None], -1, &(x, y))?;
/// assert_eq!(z.shape(), [2, 3]);
/// assert_eq!(z.to_vec::<f32>()?, [11.0, 12.0, 13.0, 24.0, 25.0, 26.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.vmap")]
pub fn vmap_axes<A: Tree, R: Outcome>(
    f: impl FnOnce(&A) -> R,
    in_axes: impl Into<VmapAxes>,
    out_axes: impl Into<VmapAxes>,
    args: &A,
) -> Result<R::Output, R::Error> {
    let (structure, inputs) = (args.structure(), tree::tensors(args));
    let in_axes = in_axes.into().of(&inputs, false)?;
    let out_axes = out_axes.into();
    let mut seen = None;
    let f = body(f, &structure, &mut seen);
    let outputs =
        ffi::transforms::vmap(f, &inputs, &in_axes, |outputs: &[Tensor]| out_axes.of(outputs, true))?;
    Ok(rebuilt::<R::Output>(seen.as_ref(), outputs))
}
