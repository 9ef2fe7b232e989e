//! Feature `ndarray`: arrays from tensors, tensors from arrays and views of any layout. Both ways copy.

use crate::{Element, Error, ErrorKind, Result, Tensor};
use ndarray::{Array, ArrayBase, ArrayRef, Data, Dimension, IxDyn};

const OP: &str = "ndarray";

/// The array of a tensor's elements, in row-major order; computes the tensor first.
///
/// # Errors
/// Another number of dimensions than the array type has; another dtype than `T`'s; a failed computation.
///
/// ```
/// use mlx_core::{Tensor, tensor};
/// use ndarray::{Array1, Array2, ArrayD, array};
/// let x = tensor![[1, 2], [3, 4]];
/// assert_eq!(Array2::<i32>::try_from(&x)?, array![[1, 2], [3, 4]]);
/// assert_eq!(ArrayD::<i32>::try_from(&x)?.ndim(), 2);
/// assert!(Array1::<i32>::try_from(&x).is_err());
/// # Ok::<(), mlx_core::Error>(())
/// ```
impl<T: Element, D: Dimension> TryFrom<&Tensor> for Array<T, D> {
    type Error = Error;

    fn try_from(x: &Tensor) -> Result<Array<T, D>> {
        let shape: Vec<usize> = x.shape().iter().map(|&size| size as usize).collect();
        if let Some(wanted) = D::NDIM.filter(|&wanted| wanted != shape.len()) {
            let message =
                format!("shape {shape:?} has {} dimensions and Array{wanted} has {wanted}", shape.len());
            return Err(Error::new(ErrorKind::Shape, OP, message).with_operands(&[x.into()]));
        }
        let refused = |error: ndarray::ShapeError| {
            let message = format!("ndarray refuses shape {shape:?}: {error}");
            Error::new(ErrorKind::Shape, OP, message).with_operands(&[x.into()]).with_source(error)
        };
        let array = Array::from_shape_vec(IxDyn(&shape), x.to_vec::<T>()?).map_err(refused)?;
        array.into_dimensionality::<D>().map_err(refused)
    }
}

/// The tensor of an array's or view's elements in their logical order, whatever its layout.
///
/// # Errors
/// A dimension beyond `i32`.
///
/// ```
/// use mlx_core::Tensor;
/// use ndarray::{array, s};
/// let a = array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// assert_eq!(Tensor::try_from(a.t())?.to_vec::<f32>()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// assert_eq!(Tensor::try_from(a.slice(s![.., ..;-2]))?.to_vec::<f32>()?, [3.0, 1.0, 6.0, 4.0]);
/// assert_eq!(Tensor::try_from(&a)?.shape(), [2, 3]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
impl<T: Element, S: Data<Elem = T>, D: Dimension> TryFrom<ArrayBase<S, D>> for Tensor {
    type Error = Error;

    fn try_from(array: ArrayBase<S, D>) -> Result<Tensor> {
        from_array(&array)
    }
}

/// As from an array itself.
///
/// # Errors
/// A dimension beyond `i32`.
impl<T: Element, S: Data<Elem = T>, D: Dimension> TryFrom<&ArrayBase<S, D>> for Tensor {
    type Error = Error;

    fn try_from(array: &ArrayBase<S, D>) -> Result<Tensor> {
        from_array(array)
    }
}

/// As from an array itself.
///
/// # Errors
/// A dimension beyond `i32`.
impl<T: Element, D: Dimension> TryFrom<&ArrayRef<T, D>> for Tensor {
    type Error = Error;

    fn try_from(array: &ArrayRef<T, D>) -> Result<Tensor> {
        from_array(array)
    }
}

fn from_array<T: Element, D: Dimension>(array: &ArrayRef<T, D>) -> Result<Tensor> {
    match array.as_slice() {
        Some(elements) => Tensor::from_shape_slice(array.shape(), elements),
        None => Tensor::from_shape_slice(array.shape(), &array.iter().copied().collect::<Vec<T>>()),
    }
}
