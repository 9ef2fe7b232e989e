//! The Walsh-Hadamard transform.

use mlx_core::{Error, ErrorKind, Result, Tensor, ffi::fast};

/// The Walsh-Hadamard transform along the last axis, times `scale`, or without one times `1 / sqrt(size)`, which makes
/// it its own inverse.
///
/// Integers come out as float32; of complex numbers MLX takes the real part.
///
/// # Errors
/// Sizes other than `m * 2^k` with `m` among 1, 12, 20 and 28; empty tensors; float64.
///
/// ```
/// # use mlx_core::tensor;
/// let y = mlx_fast::hadamard_transform(&tensor![1.0, 2.0], Some(1.0))?;
/// assert_eq!(y.to_vec::<f32>()?, [3.0, -1.0]);
/// assert!(mlx_fast::hadamard_transform(&tensor![1.0, 2.0, 3.0], None).is_err());
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.hadamard_transform")]
#[track_caller]
pub fn hadamard_transform(x: &Tensor, scale: Option<f32>) -> Result<Tensor> {
    if x.size() > 0 && !x.shape().last().is_none_or(|&size| has_transform(size)) {
        // MLX divides by m and takes the rest for a power of two; where it is none it writes past its buffer.
        let message = "[hadamard] Only supports n = m*2^k where m in (1, 12, 20, 28).";
        return Err(Error::new(ErrorKind::Shape, "hadamard_transform", message).with_operands(&[x.into()]));
    }
    fast::hadamard_transform(x, scale)
}

fn has_transform(size: i32) -> bool {
    let is_power = |size: i32| size > 0 && size & (size - 1) == 0;
    is_power(size) || [12, 20, 28].into_iter().any(|m| size % m == 0 && is_power(size / m))
}

#[cfg(test)]
mod tests {
    use super::has_transform;

    #[test]
    fn only_sizes_that_mlx_has_matrices_for() {
        let found: Vec<i32> = (0..=84).filter(|&size| has_transform(size)).collect();
        assert_eq!(found, [1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80]);
    }
}
