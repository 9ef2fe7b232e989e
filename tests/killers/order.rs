//! Scans of nothing, sorts along nothing, differences of any order, and other ops that Python dies of or that read
//! foreign memory there.

use crate::{check, programs, programs::Program, refused};
use mlx::{Dtype, ErrorKind, Result, Tensor, linalg, ops, prelude::*};

pub(crate) const PROGRAMS: &[Program] = &[
    ("scans_of_nothing", scans_of_nothing),
    ("sorts_along_nothing", sorts_along_nothing),
    ("partitions_of_nothing", partitions_of_nothing),
    ("searches_in_nothing", searches_in_nothing),
    ("places_of_extremes_of_nothing", places_of_extremes_of_nothing),
    ("other_reductions_of_nothing", other_reductions_of_nothing),
    ("differences_of_any_order", differences_of_any_order),
    ("dependencies_of_nothing", dependencies_of_nothing),
    ("eight_bit_floats_of_float64", eight_bit_floats_of_float64),
    ("rounding_to_any_decimals", rounding_to_any_decimals),
    ("splits_of_reversed_tensors", splits_of_reversed_tensors),
];

/// Empty tensors in and out of order, evaluated and not.
fn empties(dtype: Dtype) -> Vec<Tensor> {
    let shapes: [&[i32]; 7] = [&[0], &[2, 0], &[0, 2], &[2, 0, 3], &[0, 2, 3], &[2, 3, 0], &[0, 0]];
    let zeros = |shape: &&[i32]| ops::zeros(*shape, dtype).unwrap();
    let mut found: Vec<Tensor> = shapes.iter().map(zeros).collect();
    found.extend(shapes.iter().map(|shape| zeros(shape).transpose(..)));
    found.extend(shapes.iter().map(|shape| {
        let x = zeros(shape).transpose(..);
        x.eval().unwrap();
        x
    }));
    found
}

/// An empty tensor of that shape, which can be read.
#[track_caller]
fn check_empty(tensor: Result<Tensor>, shape: &[i32]) {
    let tensor = tensor.expect("a value");
    tensor.eval().expect("a value");
    assert_eq!(tensor.shape(), shape);
    assert!(tensor.to_bytes().expect("bytes").is_empty());
}

fn scans_of_nothing() {
    type Scans = fn(&Tensor, ops::Scan) -> Result<Tensor>;
    let scans: [Scans; 6] = [
        |x, scan| ops::cumsum(x, scan),
        |x, scan| ops::cumprod(x, scan),
        |x, scan| ops::cummax(x, scan),
        |x, scan| ops::cummin(x, scan),
        |x, scan| ops::logcumsumexp(x, scan),
        |x, scan| ops::cumsum_dtype(x, scan, Dtype::Float32),
    ];
    for dtype in Dtype::ALL {
        for x in empties(dtype) {
            for run in scans {
                check_empty(run(&x, scan(..).reverse()), &[0]);
                for axis in 0..x.ndim() as i32 {
                    check_empty(run(&x, scan(axis)), x.shape());
                    check_empty(run(&x, scan(axis - x.ndim() as i32).reverse().exclusive()), x.shape());
                }
                assert!(run(&x, scan(3)).is_err() && run(&x, scan(i32::MIN)).is_err());
            }
            assert_eq!(x.cumsum_dtype(0, Dtype::Float16).dtype(), Dtype::Float16);
            let own = if dtype == Dtype::Bool { Dtype::Int32 } else { dtype };
            assert_eq!((x.cumsum(0).dtype(), x.cummax(0).dtype()), (own, dtype));
        }
    }
    programs::end();
}

fn sorts_along_nothing() {
    for dtype in Dtype::ALL {
        for x in empties(dtype) {
            check_empty(ops::sort(&x, ..), &[0]);
            check_empty(ops::argsort(&x, ..), &[0]);
            for axis in -(x.ndim() as i32)..x.ndim() as i32 {
                check_empty(ops::sort(&x, axis), x.shape());
                check_empty(ops::argsort(&x, axis), x.shape());
            }
            assert_eq!((x.sort(0).dtype(), x.argsort(0).dtype()), (dtype, Dtype::Uint32));
            assert!(ops::sort(&x, 3).is_err() && ops::argsort(&x, i32::MIN).is_err());
        }
    }
    programs::end();
}

fn partitions_of_nothing() {
    for dtype in Dtype::ALL {
        for x in empties(dtype) {
            for axis in -(x.ndim() as i32)..x.ndim() as i32 {
                for number in [0, 1, -1, 2, i32::MAX, i32::MIN] {
                    // Some places exist, where another axis is the empty one.
                    for found in [
                        ops::partition(&x, number, axis),
                        ops::argpartition(&x, number, axis),
                        ops::topk(&x, number, axis),
                    ]
                    .into_iter()
                    .flatten()
                    {
                        check_empty(Ok(found.clone()), found.shape());
                    }
                }
                assert_eq!(ops::topk(&x, 0, axis).unwrap().size(), 0);
            }
            refused(ops::partition(&x, 0, ..), ErrorKind::Mlx);
            refused(ops::topk(&x, 1, ..), ErrorKind::Mlx);
            check_empty(ops::topk(&x, 0, ..), &[0]);
        }
    }
    programs::end();
}

fn searches_in_nothing() {
    for dtype in Dtype::ALL {
        let (none, some) = (ops::zeros([0], dtype).unwrap(), ops::ones([3], dtype).unwrap());
        for side in [ops::Side::Left, ops::Side::Right] {
            check(ops::searchsorted(&none, &some, side), &[0, 0, 0]);
            for x in empties(dtype) {
                check_empty(ops::searchsorted(&some, &x, side), x.shape());
                check_empty(ops::searchsorted(&none, &x, side), x.shape());
            }
        }
    }
    programs::end();
}

fn places_of_extremes_of_nothing() {
    for dtype in Dtype::ALL {
        for x in empties(dtype) {
            refused(ops::argmax(&x, ..), ErrorKind::Mlx);
            for axis in 0..x.ndim() as i32 {
                refused(ops::argmax(&x, axis), ErrorKind::Mlx);
                refused(ops::argmin(&x, mlx::axes(axis).keep()), ErrorKind::Mlx);
            }
        }
    }
    let x = tensor![[1, 2], [3, 4]];
    refused(ops::argmax(&x, [0, 1]), ErrorKind::Shape);
    refused(ops::argmin(&x, [0_i32; 0]), ErrorKind::Shape);
    programs::end();
}

fn other_reductions_of_nothing() {
    for dtype in Dtype::ALL {
        for x in empties(dtype) {
            check(ops::all(&x, ..), &[1]);
            check(ops::any(&x, ..), &[0]);
            check(ops::prod(&x, ..), &[1]);
            check(ops::count_nonzero(&x, ..), &[0]);
            refused(ops::logsumexp(&x, ..), ErrorKind::Mlx);
            refused(ops::median(&x, ..), ErrorKind::Mlx);
            assert!(ops::std(&x, .., 0).unwrap().to_bytes().is_ok());
            for axis in 0..x.ndim() as i32 {
                let ones: i64 =
                    ops::all(&x, axis).unwrap().to_vec::<bool>().unwrap().iter().map(|&b| i64::from(b)).sum();
                let mut shape = x.shape().to_vec();
                shape.remove(axis as usize);
                assert_eq!(ones, shape.iter().map(|&size| i64::from(size)).product::<i64>());
                assert!(!ops::any(&x, axis).unwrap().to_vec::<bool>().unwrap().contains(&true));
                if let Ok(found) = ops::median(&x, axis) {
                    check_empty(Ok(found), &shape);
                }
            }
        }
    }
    programs::end();
}

fn differences_of_any_order() {
    let x = tensor![1, 4, 9];
    for n in [3, 4, 100, 1 << 14] {
        check_empty(ops::diff(&x, n, 0), &[0]);
    }
    for n in [(1 << 14) + 1, i32::MAX] {
        refused(ops::diff(&x, n, -1), ErrorKind::Value);
    }
    refused(ops::diff(&x, i32::MIN, 0), ErrorKind::Mlx);
    for x in empties(Dtype::Bool) {
        for axis in 0..x.ndim() as i32 {
            for n in [0, 1, 5] {
                let found = ops::diff(&x, n, axis).unwrap();
                check_empty(Ok(found.clone()), found.shape());
            }
        }
    }
    programs::end();
}

fn dependencies_of_nothing() {
    let x = tensor![1.0];
    assert_eq!(ops::depends(&[], std::slice::from_ref(&x)).unwrap_err().kind(), ErrorKind::Value);
    assert_eq!(ops::depends(&[], &[]).unwrap_err().kind(), ErrorKind::Value);
    check(ops::depends(&[x], &[]).map(|outputs| outputs[0].clone()), &[1]);
    programs::end();
}

fn eight_bit_floats_of_float64() {
    let values = [1.0, -2.5, 448.0, 1e9, 0.0, 0.0625, 3.3];
    let (wide, narrow) =
        (Tensor::from_slice(&values).unwrap(), Tensor::from_slice(&values.map(|v| v as f32)).unwrap());
    assert_eq!(wide.dtype(), Dtype::Float64);
    let bits = narrow.to_fp8();
    assert_eq!(wide.to_fp8().to_vec::<u8>().unwrap(), bits.to_vec::<u8>().unwrap());
    let back = bits.from_fp8(Dtype::Float64);
    assert_eq!(back.dtype(), Dtype::Float64);
    let singles = bits.from_fp8(Dtype::Float32).to_vec::<f32>().unwrap();
    assert_eq!(back.to_vec::<f64>().unwrap(), singles.iter().map(|&v| f64::from(v)).collect::<Vec<_>>());
    assert_eq!(singles[..3], [1.0, -2.5, 448.0]);
    programs::end();
}

fn rounding_to_any_decimals() {
    for dtype in Dtype::ALL {
        let x = ops::ones([3], dtype).unwrap();
        for decimals in [0, 1, -1, 38, -38, 400, -400, i32::MAX, i32::MIN] {
            if let Ok(found) = ops::round(&x, decimals) {
                assert_eq!(found.to_bytes().unwrap().len(), 3 * dtype.size());
            }
        }
    }
    programs::end();
}

/// MLX takes the parts of a reversed tensor for gapless.
fn splits_of_reversed_tensors() {
    let x = Tensor::from_shape_slice([3, 2], &[0, 1, 2, 3, 4, 5]).unwrap();
    let back = |x: &Tensor| x.index((Slice::step(.., -1), ..));
    let evaluated = back(&x);
    evaluated.eval().unwrap();
    for reversed in [back(&x), evaluated, back(&x).transpose(..).expand_dims(0).squeeze(0).transpose(..)] {
        let parts = ops::split(&reversed, 2, 1).unwrap();
        check(ops::multiply(&parts[0], 2), &[8, 4, 0]);
        check(ops::multiply(&parts[1], 2), &[10, 6, 2]);
        check(ops::multiply(&ops::split(&reversed, [1], 1).unwrap()[1], 2), &[10, 6, 2]);
        check(ops::multiply(&ops::unstack(&reversed, 1).unwrap()[1], 2), &[10, 6, 2]);
    }
    let line = tensor![0, 1, 2, 3, 4, 5].index(Slice::step(.., -1));
    check(ops::multiply(&ops::split(&line, 2, 0).unwrap()[1], 2), &[4, 2, 0]);
    let vectors = Tensor::from_shape_slice([2, 3], &[1.0_f32, 0.0, 0.0, 0.0, 1.0, 0.0]).unwrap();
    let crossed = linalg::cross(&back(&vectors), &vectors, -1);
    assert_eq!(crossed.unwrap().to_vec::<f32>().unwrap(), [0.0, 0.0, -1.0, 0.0, 0.0, 1.0]);
    programs::end();
}
