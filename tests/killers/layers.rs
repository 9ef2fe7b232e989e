//! Layers of hostile sizes, steps and factors, and of tensors without elements.

use crate::{check, ones, programs, programs::Program, refused, survives};
use mlx::{
    ErrorKind, nn,
    nn::{ModuleExt, Pooling, Unary, Upsample, UpsampleMode},
    ops,
    ops::{Convolution, TransposedConvolution},
    prelude::*,
};

pub(crate) const PROGRAMS: &[Program] = &[
    ("pools_of_hostile_sizes", pools_of_hostile_sizes),
    ("pools_of_views", pools_of_views),
    ("norms_of_nothing", norms_of_nothing),
    ("upsampling_by_hostile_factors", upsampling_by_hostile_factors),
    ("convolution_layers_of_hostile_sizes", convolution_layers_of_hostile_sizes),
    ("slopes_of_another_length", slopes_of_another_length),
    ("softmaxes_of_single_elements", softmaxes_of_single_elements),
];

fn pools_of_hostile_sizes() {
    let sizes = [1, 2, 5, i32::MAX - 1, i32::MAX];
    for shape in [&[1, 4, 4, 2][..], &[0, 4, 4, 2], &[1, 0, 4, 2], &[1, 4, 4, 0], &[1, 1, 1, 1]] {
        let x = ones(shape);
        for (kernel, stride) in sizes.iter().flat_map(|&kernel| sizes.map(|stride| (kernel, stride))) {
            for padding in [0, 1, 7, i32::MAX] {
                let how = Pooling::<2>::new([kernel, 1]).stride([stride, 3]).padding([padding, 0]);
                survives(nn::MaxPool2d::new(how).unwrap().forward(&x));
                survives(nn::AvgPool2d::new(how).unwrap().forward(&x));
            }
        }
    }
    let x = ops::arange(0, 4, 1).unwrap().reshape([1, 4, 1]);
    let pool = |how: Pooling<1>| nn::MaxPool1d::new(how).unwrap().forward(&x);
    // A window that is longer than its axis.
    refused(pool(Pooling::new(6).stride(1)), ErrorKind::Mlx);
    assert_eq!(pool(Pooling::new(6).stride(2)).unwrap().shape(), [1, 0, 1]);
    check(pool(Pooling::new(1).stride(i32::MAX)), &[0]);
    check(pool(Pooling::new(3).stride(i32::MAX)), &[2]);
    assert!(pool(Pooling::new(1).padding(i32::MAX)).is_err());
    for how in
        [Pooling::new(0), Pooling::new(-1), Pooling::new(1).stride(0), Pooling::new(1).padding(i32::MIN)]
    {
        assert_eq!(nn::MaxPool1d::new(how).unwrap_err().kind(), ErrorKind::Value);
    }
    // Steps that 64 bits do not hold, over elements none of which is there.
    let wide = ops::broadcast_to(&ones(&[1, 1, 1, 1]), [1, 1 << 10, i32::MAX, 4]).unwrap();
    let how = Pooling::new(1).stride(i32::MAX);
    refused(nn::MaxPool2d::new(how).unwrap().forward(&wide), ErrorKind::Value);
    programs::end();
}

fn pools_of_views() {
    let x = ops::arange(0, 24, 1).unwrap().reshape([2, 4, 3]);
    for pool in [Pooling::new(2), Pooling::new(2).stride(1)] {
        let pool = nn::MaxPool1d::new(pool).unwrap();
        let alone = pool.forward(&ops::contiguous(&x.flip(1)).unwrap()).unwrap().to_vec::<i32>().unwrap();
        assert_eq!(pool.forward(&x.flip(1)).unwrap().to_vec::<i32>().unwrap(), alone);
        let turned = x.transpose([2, 1, 0]);
        let alone = pool.forward(&ops::contiguous(&turned).unwrap()).unwrap().to_vec::<i32>().unwrap();
        assert_eq!(pool.forward(&turned).unwrap().to_vec::<i32>().unwrap(), alone);
        let parts = ops::split(&x, 3, 2).unwrap();
        // One row of elements with gaps: MLX's windows take it in order only, and say so.
        let alone = pool.forward(&ops::contiguous(&parts[1]).unwrap());
        assert_eq!(alone.unwrap().shape()[2], 1);
        survives(pool.forward(&parts[1]));
    }
    programs::end();
}

/// Python hangs on the first in the order of PyTorch.
fn norms_of_nothing() {
    let group = nn::GroupNorm::new(2, 6, 1e-5).unwrap();
    let norms: [Box<dyn Unary>; 4] = [
        Box::new(group.clone()),
        Box::new(group.pytorch_compatible()),
        Box::new(nn::InstanceNorm::new(6, 1e-5).unwrap().affine().unwrap()),
        Box::new(nn::BatchNorm::new(6, 1e-5, 0.1).unwrap()),
    ];
    for norm in norms {
        let y = norm.forward(&ones(&[2, 0, 6])).unwrap();
        assert_eq!((y.shape(), y.to_vec::<f32>().unwrap().len()), (&[2, 0, 6][..], 0));
        for shape in [&[0, 3, 6][..], &[0, 6], &[2, 3, 0], &[0, 0, 0]] {
            survives(norm.forward(&ones(shape)));
        }
    }
    for (groups, dims) in [(0, 6), (-2, 6), (4, 6), (2, 0), (i32::MIN, i32::MIN), (1, i32::MIN)] {
        assert_eq!(nn::GroupNorm::new(groups, dims, 1e-5).unwrap_err().kind(), ErrorKind::Value);
    }
    programs::end();
}

fn upsampling_by_hostile_factors() {
    let factors =
        [0.0, -0.0, 1e-9, 1e-300, -1.0, -1e-9, -3.5, 1e10, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for shape in [&[1, 4, 2][..], &[0, 4, 2], &[1, 0, 2], &[1, 4, 0], &[1, 1, 1]] {
        let x = ones(shape);
        for factor in factors {
            for mode in [UpsampleMode::Nearest, UpsampleMode::Linear, UpsampleMode::Cubic] {
                // What is too large for memory stays unevaluated.
                let _ = Upsample::new(factor, mode).forward(&x);
                let _ = Upsample::new(factor, mode).align_corners().and_then(|layer| layer.forward(&x));
                let _ = Upsample::new(factor, mode).antialias().and_then(|layer| layer.forward(&x));
                if factor < 2.0 {
                    survives(Upsample::new(factor, mode).forward(&x));
                    survives(Upsample::new(factor, mode).antialias().and_then(|layer| layer.forward(&x)));
                }
            }
        }
    }
    let x = ones(&[1, 4, 2]);
    refused(Upsample::new(-1, UpsampleMode::Nearest).forward(&x), ErrorKind::Shape);
    refused(Upsample::new(-1, UpsampleMode::Cubic).antialias().unwrap().forward(&x), ErrorKind::Value);
    let none = Upsample::new(1e-9, UpsampleMode::Linear).antialias().unwrap().forward(&x).unwrap();
    assert_eq!(none.shape(), [1, 0, 2]);
    // Positions beyond what a float32 counts stay within the axis.
    let long = ops::broadcast_to(&ones(&[1, 1, 1]), [1, (1 << 24) + 2, 1]).unwrap();
    let last = Upsample::new(1.000_000_1, UpsampleMode::Nearest).forward(&long).unwrap();
    check(Ok(last.min(..)), &[1]);
    programs::end();
}

fn convolution_layers_of_hostile_sizes() {
    let numbers = [i32::MIN, -1, 0, 1, 2, i32::MAX];
    let x = ones(&[1, 3, 3, 2]);
    for number in numbers {
        let _ = nn::ConvTranspose2d::new(number, 2, 1, TransposedConvolution::new(), true);
        let _ = nn::ConvTranspose3d::new(2, number.min(2), 1, TransposedConvolution::new(), true);
        let _ = nn::Conv3d::new(2, 2, [number.min(2), 1, 1], Convolution::new().groups(number), true);
        let _ = nn::Bilinear::new(number.min(2), number.min(3), number.min(2), true);
        let layer = |how| nn::ConvTranspose2d::new(2, 1, 2, how, true).and_then(|layer| layer.forward(&x));
        survives(layer(TransposedConvolution::new().stride(number.min(1 << 10))));
        survives(layer(TransposedConvolution::new().padding(number)));
        survives(layer(TransposedConvolution::new().dilation(number.min(1 << 10))));
        survives(layer(TransposedConvolution::new().output_padding(number.min(1 << 10))));
        survives(layer(TransposedConvolution::new().groups(number)));
    }
    for shape in [&[][..], &[2], &[1, 3, 2], &[0, 3, 3, 2], &[1, 0, 3, 2], &[1, 3, 3, 0]] {
        let how = TransposedConvolution::new().stride(2).padding(1);
        survives(nn::ConvTranspose2d::new(2, 1, 2, how, true).unwrap().forward(&ones(shape)));
    }
    // A weight of another shape, which only `from_parameters` makes: what there is to say of it is no panic.
    for weight in [ones(&[]), ones(&[2]), ones(&[1, 2, 2])] {
        let layer = nn::ConvTranspose2d::from_parameters(weight.clone(), None, TransposedConvolution::new());
        assert!(layer.display().to_string().starts_with("ConvTranspose2d("));
        assert!(layer.forward(&x).is_err());
        let layer = nn::Bilinear::from_parameters(weight.clone(), None);
        assert!(layer.display().to_string().starts_with("Bilinear("));
        survives(layer.forward(&ones(&[2]), &ones(&[2])));
    }
    programs::end();
}

/// After a call whose slopes broadcast Python reads past the end of others.
fn slopes_of_another_length() {
    let x = ones(&[2, 3]);
    let of = |count: i32| nn::PReLU::new(count, 0.25).unwrap();
    check(of(3).forward(&x), &[1; 6]);
    refused(of(2).forward(&x), ErrorKind::Mlx);
    programs::end();
}

/// Python's process ends at most of them.
fn softmaxes_of_single_elements() {
    for shape in [&[1][..], &[2, 1], &[1, 1], &[1, 3], &[2, 1, 3], &[1, 1, 2], &[300, 1]] {
        for axes in [vec![-1], vec![0], vec![0, 1], vec![1, -1], vec![0, 0], vec![-2, -1]] {
            for x in [ones(shape), ops::broadcast_to(&ones(&[1]), shape).unwrap(), ones(shape).transpose(..)]
            {
                let single = |axis: i32| x.shape().get(axis.rem_euclid(x.ndim() as i32) as usize) == Some(&1);
                let count = x.size();
                for (softmax, one) in
                    [(nn::log_softmax as fn(&_, Vec<i32>) -> _, 0), (nn::softmax, 1), (nn::softmin, 1)]
                {
                    let complex = ops::astype(&x, Dtype::Complex64).unwrap();
                    survives(softmax(&complex, axes.clone()));
                    match softmax(&x, axes.clone()) {
                        Ok(y) if axes.iter().all(|&axis| single(axis)) => check(Ok(y), &vec![one; count]),
                        result => {
                            survives(result);
                        }
                    }
                }
            }
        }
    }
    programs::end();
}
