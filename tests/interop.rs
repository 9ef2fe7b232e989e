//! Vectors, ndarray, approx, serde: there and back, for every dtype and layout, and what cannot be.

#[path = "support/failing.rs"]
mod failing;

use approx::{
    AbsDiffEq, RelativeEq, assert_abs_diff_eq, assert_abs_diff_ne, assert_relative_eq, assert_relative_ne,
    assert_ulps_eq, assert_ulps_ne,
};
use mlx::{Complex32, Dtype, Element, ErrorKind, PrintOptions, bf16, f16, ops, prelude::*};
use ndarray::{Array, Array0, Array1, Array2, Array3, ArrayD, Axis, IxDyn, arr0, array, s};
use std::fmt::Debug;

/// The array goes to a tensor of its shape and logical order, and comes back as itself.
#[track_caller]
fn check<T: Element + PartialEq + Debug>(a: &ndarray::ArrayRef<T, IxDyn>) {
    let x = Tensor::try_from(a).unwrap();
    let sizes: Vec<usize> = x.shape().iter().map(|&size| size as usize).collect();
    assert_eq!((x.dtype(), &sizes[..]), (T::DTYPE, a.shape()));
    assert_eq!(x.to_vec::<T>().unwrap(), a.iter().copied().collect::<Vec<_>>());
    assert_eq!(ArrayD::<T>::try_from(&x).unwrap(), *a);
}

fn layouts<T: Element + PartialEq + Debug>(values: [T; 6]) {
    let a = Array::from_shape_vec(IxDyn(&[2, 3]), values.to_vec()).unwrap();
    check(&a);
    check(&a.t());
    check(&a.slice(s![.., ..;-1]).into_dyn());
    check(&a.slice(s![.., ..;2]).into_dyn());
    check(&a.slice(s![1.., 1]).into_dyn());
    check(&a.broadcast(IxDyn(&[2, 2, 3])).unwrap());
    check(&a.slice(s![0..0, ..]).into_dyn());
    check(&a.clone().insert_axis(Axis(1)));
    assert_eq!(Vec::<T>::try_from(&Tensor::try_from(a).unwrap()).unwrap(), values);
}

#[test]
fn arrays_of_every_dtype_and_layout() {
    layouts([true, false, false, true, true, false]);
    layouts([0_u8, 1, 2, 3, 4, 255]);
    layouts([0_u16, 1, 2, 3, 4, u16::MAX]);
    layouts([0_u32, 1, 2, 3, 4, u32::MAX]);
    layouts([0_u64, 1, 2, 3, 4, u64::MAX]);
    layouts([i8::MIN, 1, 2, 3, 4, 5]);
    layouts([i16::MIN, 1, 2, 3, 4, 5]);
    layouts([i32::MIN, 1, 2, 3, 4, 5]);
    layouts([i64::MIN, 1, 2, 3, 4, 5]);
    layouts([1.0, 2.0, 3.0, 4.0, 5.0, 6.5].map(f16::from_f64));
    layouts([1.0, 2.0, 3.0, 4.0, 5.0, 6.5].map(bf16::from_f64));
    layouts([1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.5]);
    layouts([1.0_f64, 2.0, 3.0, 4.0, 5.0, 1e300]);
    layouts([1.0, 2.0, 3.0, 4.0, 5.0, 6.5].map(|re| Complex32::new(re, -re)));
}

#[test]
fn dimensions_in_the_type() {
    let x = tensor![[1, 2], [3, 4]] + 1;
    assert_eq!(Array2::<i32>::try_from(&x).unwrap(), array![[2, 3], [4, 5]]);
    assert_eq!(Array2::<i32>::try_from(&x.t()).unwrap(), array![[2, 4], [3, 5]]);
    assert_eq!(Array0::<i32>::try_from(&x.sum(..)).unwrap(), arr0(14));
    assert_eq!(Tensor::try_from(arr0(2.5_f32)).unwrap().shape(), [0_i32; 0]);
    let error = Array3::<i32>::try_from(&x).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
    assert!(error.to_string().contains("[2, 2]") && error.to_string().contains("Array3"), "{error}");
    let error = Array2::<f32>::try_from(&x).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Dtype);
    let empty = ops::zeros([0, 1 << 30, 1 << 30, 1 << 30], Dtype::Float32).unwrap();
    assert_eq!(ArrayD::<f32>::try_from(&empty).unwrap_err().kind(), ErrorKind::Shape);
    assert_eq!(Array1::<i32>::try_from(&failing::failing(1, 3)[0]).unwrap_err().kind(), ErrorKind::Eval);
}

#[test]
fn vectors() {
    assert_eq!(Vec::<i32>::try_from(&tensor![[1, 2], [3, 4]].t()).unwrap(), [1, 3, 2, 4]);
    assert_eq!(Vec::<i64>::try_from(&tensor![1]).unwrap_err().kind(), ErrorKind::Dtype);
}

#[test]
fn close_floats() {
    let (x, y) = (tensor![1.0, -2.0, 0.0], tensor![1.0 + 1e-6, -2.0, -0.0]);
    assert_abs_diff_eq!(x.approx(), y.approx(), epsilon = 1e-5);
    assert_abs_diff_ne!(x.approx(), y.approx(), epsilon = 1e-7);
    assert_abs_diff_ne!(x.approx(), y.approx());
    assert_relative_eq!((&x * 1000.0).approx(), (&y * 1000.0).approx(), max_relative = 1e-5);
    assert_relative_ne!((&x * 1000.0).approx(), (&y * 1000.0).approx());
    let next = Tensor::from_slice(&[1.0_f32.next_up().next_up()]).unwrap();
    assert_ulps_eq!(tensor![1.0].approx(), next.approx(), epsilon = 0.0, max_ulps = 2);
    assert_ulps_ne!(tensor![1.0].approx(), next.approx(), epsilon = 0.0, max_ulps = 1);
    let double = |value: f64| Tensor::from_slice(&[value]).unwrap();
    assert_abs_diff_ne!(double(1.0).approx(), double(1.0 + 1e-12).approx(), epsilon = 1e-13);
    assert_ulps_ne!(double(1.0).approx(), double(1.0 + 1e-12).approx(), epsilon = 0.0);
    assert_ulps_eq!(double(1.0).approx(), double(1.0_f64.next_up()).approx(), epsilon = 0.0);
}

#[test]
fn what_equals_nothing() {
    for (x, y) in [(f64::NAN, f64::NAN), (f64::INFINITY, f64::NEG_INFINITY), (f64::INFINITY, 1.0)] {
        let (x, y) = (tensor![1.0, x], tensor![1.0, y]);
        assert_abs_diff_ne!(x.approx(), y.approx(), epsilon = 1e30);
        assert_relative_ne!(x.approx(), y.approx());
        assert_ulps_ne!(x.approx(), y.approx());
        assert_ne!(x.approx(), y.approx());
    }
    assert_relative_eq!(tensor![f64::INFINITY].approx(), tensor![f64::INFINITY].approx());
    // Other shapes and dtypes, even where all elements are equal.
    assert_abs_diff_ne!(tensor![1.0, 1.0].approx(), tensor![[1.0, 1.0]].approx(), epsilon = 1.0);
    assert_abs_diff_ne!(tensor![1.0].approx(), tensor![1.0, 1.0].approx(), epsilon = 1.0);
    assert_abs_diff_ne!(tensor![1].approx(), tensor![1.0].approx(), epsilon = 1.0);
    assert_abs_diff_eq!(tensor![[], []].approx(), tensor![[], []].approx());
    assert!(format!("{:?}", tensor![0.5].approx()).contains("array([0.5]"));
}

#[test]
fn close_elements_of_other_dtypes() {
    let half = |dtype| (tensor![1.0].astype(dtype), tensor![1.0 + 1.0 / 128.0].astype(dtype));
    for dtype in [Dtype::Float16, Dtype::Bfloat16] {
        let (x, y) = half(dtype);
        assert_abs_diff_eq!(x.approx(), y.approx(), epsilon = 0.01);
        assert_abs_diff_ne!(x.approx(), y.approx(), epsilon = 0.001);
    }
    for dtype in Dtype::ALL.into_iter().filter(|dtype| dtype.is_integer()) {
        let (x, y) = (tensor![7, 100].astype(dtype), tensor![9, 100].astype(dtype));
        assert_abs_diff_eq!(x.approx(), y.approx(), epsilon = 2.0);
        assert!(x.approx().abs_diff_ne(&y.approx(), 1.0) && x.approx() != y.approx());
        assert!(x.approx().relative_eq(&y.approx(), 0.0, 0.25));
        assert!(x.approx().relative_ne(&y.approx(), 0.0, 0.2));
    }
    let ends = |a, b| (Tensor::from_slice(&[a]).unwrap(), Tensor::from_slice(&[b]).unwrap());
    let (x, y) = ends(i64::MIN, i64::MAX);
    assert_abs_diff_ne!(x.approx(), y.approx(), epsilon = 1e10);
    let complex = |re, im| tensor![Complex32::new(re, im)];
    assert_abs_diff_eq!(complex(1.0, 2.0).approx(), complex(1.1, 1.9).approx(), epsilon = 0.2);
    assert_abs_diff_ne!(complex(1.0, 2.0).approx(), complex(1.0, 2.5).approx(), epsilon = 0.2);
    assert_abs_diff_eq!(tensor![true].approx(), tensor![true].approx());
    assert_abs_diff_ne!(tensor![true].approx(), tensor![false].approx(), epsilon = 9.0);
}

#[test]
#[should_panic(expected = "unable to read")]
fn a_failed_computation_is_not_merely_unequal() {
    let _ = failing::failing(1, 3)[0].approx();
}

#[test]
fn dtypes_by_name() {
    for dtype in Dtype::ALL {
        assert_eq!(dtype.to_string().parse::<Dtype>().unwrap(), dtype);
        let json = serde_json::to_string(&dtype).unwrap();
        assert_eq!(json, format!("\"{dtype}\""));
        assert_eq!(serde_json::from_str::<Dtype>(&json).unwrap(), dtype);
    }
    assert_eq!("bool_".parse::<Dtype>().unwrap(), Dtype::Bool);
    for name in ["", "Float32", "float", "f32", "float32 ", "mlx.core.float32"] {
        let error = name.parse::<Dtype>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Dtype);
        assert!(error.to_string().contains(&format!("{name:?}")), "{error}");
        let error = serde_json::from_value::<Dtype>(name.into()).unwrap_err();
        assert!(error.to_string().contains("bfloat16"), "{error}");
    }
    assert!(serde_json::from_str::<Dtype>("3").is_err());
}

#[test]
fn options_there_and_back() {
    for options in [PrintOptions::default(), PrintOptions::decimals(3)] {
        let json = serde_json::to_string(&options).unwrap();
        assert_eq!(serde_json::from_str::<PrintOptions>(&json).unwrap(), options);
    }
    assert_eq!(serde_json::from_str::<PrintOptions>("{}").unwrap(), PrintOptions::default());
}
