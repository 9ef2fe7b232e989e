//! Einstein summation.

use mlx_core::{Error, ErrorKind, Result, Tensor, ffi, ffi::products};
use smallvec::SmallVec;
use std::{borrow::Borrow, collections::HashSet, ffi::CString, fmt};

/// The sum of products that `subscripts` describe, in NumPy's language: `"ij,jk->ik"` is a matrix product.
///
/// Letters name axes, `...` stands for those without names, and without `->` the letters that occur once are the result's.
///
/// # Errors
/// Subscripts that are no letters; other than one list for each operand; sizes that differ; dtypes that are no floats, where
/// two operands are contracted.
///
/// ```
/// # use mlx_core::Tensor;
/// let x = Tensor::from_shape_slice([2, 2], &[1.0_f32, 2.0, 3.0, 4.0])?;
/// assert_eq!(mlx_ops::einsum("ij,kj->ik", [&x, &x])?.to_vec::<f32>()?, [5.0, 11.0, 11.0, 25.0]);
/// assert_eq!(mlx_ops::einsum("ii", [&x])?.item::<f32>()?, 5.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.einsum")]
#[track_caller]
pub fn einsum<'a>(subscripts: &str, operands: impl IntoIterator<Item = &'a Tensor>) -> Result<Tensor> {
    let operands: SmallVec<[&Tensor; 8]> = operands.into_iter().collect();
    let text = checked("einsum", subscripts, &operands)?;
    let result = products::einsum(&text, &operands)?;
    if operands.len() < 3 || operands.iter().all(|operand| operand.size() > 0) {
        return Ok(result);
    }
    // On the way MLX may reduce something empty out of row-major order, where it reads foreign memory.
    ffi::full(result.shape(), &Tensor::scalar(0, result.dtype())?, result.dtype())
}

/// The order in which [`einsum`] contracts its operands. Displays as Python's text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EinsumPath {
    /// For each step the positions of what is contracted; the result is put behind the operands that are left.
    pub steps: Vec<Vec<usize>>,
    text: String,
}

impl fmt::Display for EinsumPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// How [`einsum`] would contract its operands.
///
/// # Errors
/// As [`einsum`], but for dtypes.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_ops::zeros;
/// let [a, b, c] = [[2, 3], [3, 4], [4, 5]].map(|shape| zeros(shape, Dtype::Float32).unwrap());
/// assert_eq!(mlx_ops::einsum_path("ij,jk,kl->il", [&a, &b, &c])?.steps, [[1, 2], [0, 1]]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.einsum_path")]
pub fn einsum_path<'a>(
    subscripts: &str,
    operands: impl IntoIterator<Item = &'a Tensor>,
) -> Result<EinsumPath> {
    let operands: Vec<Tensor> = operands.into_iter().cloned().collect();
    let text = checked("einsum_path", subscripts, &operands)?;
    let path = products::einsum_path(&text, &operands)?;
    let (steps, text) = path.split_once('\n').unwrap_or_default();
    let step = |step: &str| step.split(',').filter_map(|position| position.parse().ok()).collect();
    Ok(EinsumPath { steps: steps.split(';').map(step).collect(), text: text.to_owned() })
}

/// The subscripts as C takes them. MLX gives the axes of an ellipsis letters that the subscripts leave over, and does not
/// look whether there are enough: it reads before its string then.
fn checked<T: Borrow<Tensor>>(op: &'static str, subscripts: &str, operands: &[T]) -> Result<CString> {
    let refuse = |message: String| {
        let operands: Vec<_> = operands.iter().map(|operand| operand.borrow().into()).collect();
        Err(Error::new(ErrorKind::Value, op, message).with_operands(&operands))
    };
    if subscripts.contains('.') {
        let letters = |text: &str| text.bytes().filter(u8::is_ascii_alphabetic).count();
        let used: HashSet<u8> = subscripts.bytes().filter(u8::is_ascii_alphabetic).collect();
        let left = 52 - used.len();
        let inputs = subscripts.split_once("->").map_or(subscripts, |(inputs, _)| inputs);
        for (input, operand) in inputs.split(',').zip(operands) {
            let unnamed = operand.borrow().ndim().saturating_sub(letters(input));
            if input.contains('.') && unnamed > left {
                return refuse(format!("[{op}] The ellipsis takes {unnamed} letters, and {left} are left."));
            }
        }
    }
    let text = CString::new(subscripts);
    text.or_else(|_| refuse(format!("[{op}] Subscripts must be letters, but got '\0'.")))
}
