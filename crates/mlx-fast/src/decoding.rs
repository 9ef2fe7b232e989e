//! Compositions that models use when they draw tokens: bit masks of the tokens a grammar allows, the likeliest token.

use mlx_core::{Dtype, Error, ErrorKind, Result, Scalar, Tensor, axes};
use mlx_ops::{
    Ellipsis, add, arange, argmax, bitwise_and, expand_dims, full, index, logsumexp, reshape, right_shift,
    subtract, where_,
};

/// `logits` with `-inf` added to each token whose bit is 0: token `t` of the last axis has bit `t % 32`, from the lowest, of
/// word `t / 32`. The other tokens have 0 added, so a NaN stays one and -0 becomes 0.
///
/// `words` is one row for all, or one for each row of `logits`; its bits are those at the time of the call.
///
/// # Errors
/// Another number of words than the tokens take; logits other than float16, bfloat16 and float32, without a dimension, or of
/// more elements than `i32` counts, those of a last word that is not full counted in.
///
/// ```
/// # use mlx_core::tensor;
/// let y = mlx_fast::apply_token_bitmask(&tensor![1.0, 2.0, 3.0], &[0b101])?;
/// assert_eq!(y.to_vec::<f32>()?, [1.0, f32::NEG_INFINITY, 3.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn apply_token_bitmask(logits: &Tensor, words: &[i32]) -> Result<Tensor> {
    let op = "apply_token_bitmask";
    let refuse = |kind, why: String| {
        Err(Error::new(kind, op, format!("[{op}] {why}")).with_operands(&[logits.into()]))
    };
    let Some((&tokens, batch)) = logits.shape().split_last() else {
        return refuse(ErrorKind::Shape, "logits must have at least 1 dimension".into());
    };
    if !matches!(logits.dtype(), Dtype::Float16 | Dtype::Bfloat16 | Dtype::Float32) {
        return refuse(ErrorKind::Dtype, format!("logits must not be {}", logits.dtype()));
    }
    if i32::try_from(logits.size()).is_err() || tokens > i32::MAX - 31 {
        return refuse(ErrorKind::Shape, "too many logits".into());
    }
    let width = (tokens as usize).div_ceil(32);
    // Words beyond what a count holds are not there.
    let rows = batch.iter().try_fold(width, |words, &size| words.checked_mul(size as usize));
    if words.len() != width && rows != Some(words.len()) {
        let why = format!("{} words, but {tokens} tokens take {width}", words.len());
        return refuse(ErrorKind::Shape, why);
    }
    if logits.size() == 0 {
        return Ok(logits.clone());
    }
    let mut shape: Vec<i32> = if words.len() == width { Vec::new() } else { batch.to_vec() };
    shape.push(width as i32);
    let words = expand_dims(&Tensor::from_shape_slice(&shape[..], words)?, -1)?;
    let bits = bitwise_and(&right_shift(&words, &arange(0, 32, 1)?)?, 1)?;
    let last = shape.len() - 1;
    shape[last] = width as i32 * 32;
    let bits = index(&reshape(&bits, shape)?, (Ellipsis, ..tokens))?;
    let constant = |value: f64| full([0_i32; 0], Scalar::Float(value), logits.dtype());
    add(logits, &where_(&bits, &constant(0.0)?, &constant(f64::NEG_INFINITY)?)?)
}

/// The positions, uint32, along the last axis at which `logits - logsumexp(logits)`, rounded to the dtype of `logits`, is
/// greatest: the token that greedy decoding takes. The first of equal ones wins, NaN counts only in a row of NaN, whose
/// position is 0.
///
/// # Errors
/// 0-d or empty logits; dtypes without a logarithm.
///
/// ```
/// # use mlx_core::tensor;
/// assert_eq!(mlx_fast::normalized_argmax(&tensor![1.0, 3.0, 3.0])?.item::<u32>()?, 1);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[track_caller]
pub fn normalized_argmax(logits: &Tensor) -> Result<Tensor> {
    argmax(&subtract(logits, &logsumexp(logits, axes(-1).keep())?)?, -1)
}
