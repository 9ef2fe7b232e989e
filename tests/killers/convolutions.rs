//! Convolutions whose numbers do not fit into MLX's.

use crate::{programs, programs::Program, refused};
use mlx::{Dtype, ErrorKind, ops};

pub(crate) const PROGRAMS: &[Program] = &[("convolutions_with_huge_steps", convolutions_with_huge_steps)];

/// MLX's borders wrap around: it writes outside of the result.
fn convolutions_with_huge_steps() {
    let ones = |shape: &[i32]| ops::ones(shape, Dtype::Float32).unwrap();
    let (x, weight) = (ones(&[4, 1, 16, 8]), ones(&[4, 2, 1, 4]));
    let how = ops::Convolution::new().padding([2, 1]).dilation([3, 1]).groups(2);
    refused(ops::conv2d(&x, &weight, how.stride([i32::MAX, 1])), ErrorKind::Value);
    // The largest steps that fit.
    let y = ops::conv2d(&x, &weight, how.stride([i32::MAX - 1, 1])).unwrap();
    assert_eq!(y.shape(), [4, 1, 18, 4]);
    y.eval().unwrap();
    let x = ones(&[1, 4, 1]);
    refused(ops::conv1d(&x, &ones(&[1, 3, 1]), ops::Convolution::new().dilation(i32::MAX)), ErrorKind::Value);
    assert!(ops::conv1d(&x, &ones(&[1, 1, 1]), ops::Convolution::new().padding(i32::MAX)).is_err());
    programs::end();
}
