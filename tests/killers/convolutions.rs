//! Convolutions whose numbers do not fit into MLX's.

use crate::{programs, programs::Program, refused};
use mlx::{
    Dtype, ErrorKind, ops,
    prelude::*,
    transforms::{grad, vmap_axes},
};

pub(crate) const PROGRAMS: &[Program] = &[
    ("convolutions_with_huge_steps", convolutions_with_huge_steps),
    ("convolutions_of_less_than_their_kernel", convolutions_of_less_than_their_kernel),
    ("convolutions_of_less_than_their_padding", convolutions_of_less_than_their_padding),
    ("gradients_of_convolutions_padded_far", gradients_of_convolutions_padded_far),
    ("gradients_of_vectorised_pads", gradients_of_vectorised_pads),
];

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
    refused(ops::conv1d(&x, &ones(&[1, 3, 1]), ops::Convolution::new().dilation(i32::MAX)), ErrorKind::Mlx);
    assert!(ops::conv1d(&x, &ones(&[1, 1, 1]), ops::Convolution::new().padding(i32::MAX)).is_err());
    programs::end();
}

/// MLX's kernel for groups and dilation takes the whole padding for positions, and writes behind the result.
fn convolutions_of_less_than_their_padding() {
    let how = ops::Convolution::<2>::new().padding(2);
    let ones = |shape: &[i32]| ops::ones(shape, Dtype::Float32).unwrap();
    for _ in 0..20 {
        for (x, weight, how, value) in [
            ([1, 1, 1, 64], [64, 5, 5, 1], how.groups(64), 1),
            ([1, 1, 1, 64], [64, 5, 5, 32], how.groups(2), 32),
            ([1, 1, 1, 64], [64, 3, 3, 64], how.dilation(2), 64),
            ([1, 1, 1, 64], [64, 4, 4, 1], how.groups(64).stride(2), 1),
        ] {
            crate::check(ops::conv2d(&ones(&x), &ones(&weight), how), &[value; 64]);
        }
        // Over more axes than it says it is the same kernel.
        let one = ops::Convolution::<1>::new().padding(2).groups(64);
        crate::check(ops::conv1d(&ones(&[1, 1, 1, 64]), &ones(&[64, 5, 5, 1]), one), &[1; 64]);
        let far = how.padding([65536, 3]).dilation([65536, 1]);
        let y = ops::conv2d(&ones(&[1, 64, 4, 7]), &ones(&[1, 3, 4, 7]), far).unwrap();
        assert_eq!(y.shape(), [1, 64, 7, 1]);
        y.eval().unwrap();
        // So are dilated ones over three axes, transposed ones, and those padded on one side while they are cut on the other.
        let deep = ops::Convolution::<3>::new().padding(2).dilation(2);
        crate::check(ops::conv3d(&ones(&[1, 1, 1, 1, 8]), &ones(&[64, 3, 3, 3, 8]), deep), &[8; 64]);
        let back = ops::TransposedConvolution::<2>::new().padding(2).groups(64);
        crate::check(ops::conv_transpose2d(&ones(&[1, 1, 1, 64]), &ones(&[64, 5, 5, 1]), back), &[1; 64]);
        let aside = ops::GeneralConvolution::new().padding_before_after([4, 4], [-2, 0]).groups(64);
        crate::check(ops::conv_general(&ones(&[1, 3, 1, 64]), &ones(&[64, 5, 5, 1]), &aside), &[1; 64]);
    }
    programs::end();
}

/// MLX gives a gradient of another shape, in which what is derived further looks for elements that are not there.
fn gradients_of_convolutions_padded_far() {
    let (x, weight) = (ops::ones([1, 4, 1], Dtype::Float32).unwrap(), tensor![[[2.0]]]);
    let indices = tensor![[[3], [2], [1], [0]]];
    let (how, far) = (ops::GeneralConvolution::new, 1024);
    let hows = [
        how().padding(far),
        how().padding_before_after(far, 0),
        how().padding_before_after(0, far),
        how().input_dilation(2).stride(4),
    ];
    for (how, wanted) in hows.into_iter().zip([[2.0; 4], [2.0; 4], [2.0; 4], [0.0, 2.0, 0.0, 2.0]]) {
        let loss = |x: &Tensor| {
            let turned = ops::take_along_axis(x, &indices, 1)?;
            Ok::<_, mlx::Error>(ops::conv_general(&turned, &weight, &how)?.sum(..))
        };
        for _ in 0..50 {
            let slope = grad(loss, &x).unwrap();
            assert_eq!((slope.shape(), slope.to_vec::<f32>().unwrap()), (&[1, 4, 1][..], wanted.to_vec()));
        }
    }
    programs::end();
}

/// MLX looks for the sizes of a vectorised Pad behind its lists.
fn gradients_of_vectorised_pads() {
    let x = ops::arange(0, 12, 1).unwrap().astype(Dtype::Float32).reshape([2, 2, 3]);
    for axis in 0..3 {
        let loss = |x: &Tensor| {
            let padded = vmap_axes(|x: &Tensor| ops::pad(x, [(1, 2), (3, 4)], 0.0), axis, axis, x)?;
            Ok::<_, mlx::Error>((padded * 2.0).sum(..))
        };
        for _ in 0..20 {
            let slope = grad(loss, &x).unwrap();
            assert_eq!((slope.shape(), slope.to_vec::<f32>().unwrap()), (&[2, 2, 3][..], vec![2.0; 12]));
        }
    }
    programs::end();
}

/// MLX finds one position for a kernel that is longer by less than a step, and reads behind the input.
fn convolutions_of_less_than_their_kernel() {
    let ones = |shape: &[i32]| ops::ones(shape, Dtype::Float32).unwrap();
    let (one, two) = (ops::Convolution::<1>::new(), ops::Convolution::<2>::new());
    for stride in [2, 3, i32::MAX] {
        let found = [
            ops::conv1d(&ones(&[1, 2, 1]), &ones(&[1, 3, 1]), one.stride(stride)),
            ops::conv1d(&ones(&[1, 2, 1]), &ones(&[1, 2, 1]), one.stride(stride).dilation(2)),
            ops::conv2d(&ones(&[1, 2, 2, 1]), &ones(&[1, 3, 3, 1]), two.stride(stride)),
            ops::conv2d(&ones(&[1, 2, 2, 2]), &ones(&[2, 3, 1, 1]), two.stride(stride).groups(2)),
            ops::conv2d(&ones(&[1, 0, 2, 1]), &ones(&[1, 3, 1, 1]), two.stride([4, 1]).padding([1, 0])),
        ];
        for conv in found {
            refused(conv, ErrorKind::Shape);
        }
    }
    programs::end();
}
