//! What MLX's CUDA build gets wrong and the library does not: the same values are due with a GPU and without.
//!
//! Not here: work across streams (`streams`), errors that CUDA keeps with a thread (`threads`).

use mlx::{
    Device,
    ops::{self, GeneralConvolution, TransposedConvolution, conv_general, conv_transpose1d},
    prelude::*,
    with_device,
};
use std::io::Cursor;

/// Small integers, of which any order of summing is exact.
fn counted(shape: &[i32]) -> Tensor {
    let values: Vec<f32> = (0..shape.iter().product::<i32>()).map(|i| (i % 7 - 3) as f32).collect();
    Tensor::from_shape_slice(shape, &values).unwrap()
}

/// The values on the default device, after those of the CPU.
fn as_on_the_cpu(what: impl Fn() -> Result<Tensor>) {
    let wanted = with_device(Device::cpu(), || what().unwrap().to_vec::<f32>()).unwrap().unwrap();
    let found = what().unwrap();
    assert_eq!(found.to_vec::<f32>().unwrap(), wanted, "{found:?}");
}

/// MLX keeps cuDNN's plans under all numbers of a convolution but the input dilation.
#[test]
fn a_convolution_does_not_run_by_another_ones_plan() {
    let (x, weight) = (counted(&[2, 6, 5, 4]), counted(&[6, 3, 2, 4]));
    for dilation in [1, 2, 1, 3] {
        for turned in [false, true] {
            let how = GeneralConvolution::new().input_dilation(dilation);
            let how = if turned { how.flip() } else { how };
            as_on_the_cpu(|| conv_general(&x, &weight, &how));
        }
    }
    let (x, weight) = (counted(&[2, 9, 4]), counted(&[3, 4, 4]));
    for stride in [2, 1, 3, 2] {
        let how = TransposedConvolution::new().stride(stride);
        as_on_the_cpu(|| conv_transpose1d(&x, &weight, how));
    }
}

/// A launch of no threads is an error in CUDA.
#[test]
fn tensors_without_elements_launch_nothing() {
    let nothing = &counted(&[0, 3]);
    let row = &counted(&[4]);
    let file = b"\x3a\0\0\0\0\0\0\0{\"x\":{\"dtype\":\"F32\",\"shape\":[0,3],\"data_offsets\":[0,0]}}  ";
    let loaded = || ops::load_safetensors_from(Cursor::new(file)).map(|all| all.tensors["x"].clone());
    let cases: [&dyn Fn() -> Result<Tensor>; 17] = [
        &loaded,
        &|| ops::sort(nothing, 1),
        &|| ops::sort(nothing, 0),
        &|| ops::cumsum(nothing, 1),
        &|| ops::cumsum(nothing, 0),
        &|| ops::max(nothing, 1),
        &|| ops::sum(nothing, 0),
        &|| ops::sum(nothing, 1),
        &|| ops::softmax(nothing, 1),
        &|| ops::exp(nothing),
        &|| ops::add(nothing, nothing),
        &|| ops::matmul(nothing, &counted(&[3, 2])),
        &|| ops::matmul(&nothing.t(), &counted(&[0, 2])),
        &|| ops::concatenate([nothing, &counted(&[2, 3])], 0),
        &|| ops::arange(0, 0, 1).and_then(|x| ops::astype(&x, Dtype::Float32)),
        &|| ops::zeros([0, 2], Dtype::Float32),
        &|| Ok(row.index(4..)),
    ];
    for case in cases {
        as_on_the_cpu(case);
        as_on_the_cpu(|| Ok(row + 1.0));
    }
}
