//! Tensors and what other crates have: vectors, and behind features of their names ndarray's arrays, approx's
//! comparisons, serde's formats. They stand here since Rust lets only a type's own crate say such things of it.

#[cfg(feature = "approx")]
pub(crate) mod approx;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "serde")]
mod serde;

use crate::{Element, Error, Result, Tensor};

/// The elements in row-major order, of a tensor of any shape; as [`Tensor::to_vec`].
///
/// ```
/// # use mlx_core::tensor;
/// let values: Vec<f32> = (&tensor![[1.0, 2.0], [3.0, 4.0]]).try_into()?;
/// assert_eq!(values, [1.0, 2.0, 3.0, 4.0]);
/// assert!(Vec::<f64>::try_from(&tensor![1.0]).is_err());
/// # Ok::<(), mlx_core::Error>(())
/// ```
impl<T: Element> TryFrom<&Tensor> for Vec<T> {
    type Error = Error;

    fn try_from(x: &Tensor) -> Result<Vec<T>> {
        x.to_vec()
    }
}
