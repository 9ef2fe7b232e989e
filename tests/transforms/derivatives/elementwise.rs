//! Ops of one and of two tensors, element by element.

use super::row::{At, G, I, N, P, Row, U, Wrong, row, rows};
use mlx::{Dtype, ops, ops::Replacements, prelude::*};

/// The derivatives of logarithms have ln 2 and ln 10 as float32 has them.
const LOGARITHM: f64 = 1e-7;

pub(crate) const ONE: &[Row] = &[
    row("mx.abs", &[N(&[2, 3])], |v| ops::abs(&v[0])),
    row("mx.negative", &[N(&[2, 3])], |v| ops::negative(&v[0])),
    row("mx.square", &[N(&[2, 3])], |v| ops::square(&v[0])),
    row("mx.sin", &[N(&[2, 3])], |v| ops::sin(&v[0])).rough(),
    row("mx.cos", &[N(&[2, 3])], |v| ops::cos(&v[0])).rough(),
    row("mx.tanh", &[N(&[2, 3])], |v| ops::tanh(&v[0])),
    row("mx.sigmoid", &[N(&[2, 3])], |v| ops::sigmoid(&v[0])).rough(),
    row("mx.arctan mx.atan", &[N(&[2, 3])], |v| ops::arctan(&v[0])),
    row("mx.arcsinh mx.asinh", &[N(&[2, 3])], |v| ops::arcsinh(&v[0])),
    row("mx.conjugate mx.conj", &[N(&[2, 3])], |v| ops::conjugate(&v[0])),
    row("mx.cosh", &[N(&[2, 3])], |v| ops::cosh(&v[0])),
    row("mx.degrees", &[N(&[2, 3])], |v| ops::degrees(&v[0])),
    row("mx.radians", &[N(&[2, 3])], |v| ops::radians(&v[0])),
    row("mx.expm1", &[N(&[2, 3])], |v| ops::expm1(&v[0])).rough(),
    row("mx.exp", &[N(&[2, 3])], |v| ops::exp(&v[0])).rough(),
    row("mx.positive", &[N(&[2, 3])], |v| ops::positive(&v[0])),
    row("mx.real", &[N(&[2, 3])], |v| ops::real(&v[0])),
    row("mx.imag", &[N(&[2, 3])], |v| ops::imag(&v[0])),
    row("mx.sinh", &[N(&[2, 3])], |v| ops::sinh(&v[0])),
    row("mx.tan", &[U(&[2, 3])], |v| ops::tan(&v[0])).rough(),
    // By its purpose.
    row("mx.stop_gradient", &[N(&[2, 3])], |v| ops::stop_gradient(&v[0]))
        .wrong(&[Wrong { by: 0, gradient: &[0.0; 6] }])
        .wrong_product(0.0),
    row("mx.sign", &[N(&[2, 3])], |v| ops::sign(&v[0])),
    row("mx.floor", &[N(&[2, 3])], |v| ops::floor(&v[0])),
    row("mx.ceil", &[N(&[2, 3])], |v| ops::ceil(&v[0])),
    row("mx.trunc", &[N(&[2, 3])], |v| ops::trunc(&v[0])),
    row("mx.erf", &[N(&[2, 3])], |v| ops::erf(&v[0])).rough(),
    row("mx.log", &[P(&[2, 3])], |v| ops::log(&v[0])),
    row("mx.log2", &[P(&[2, 3])], |v| ops::log2(&v[0])).within(LOGARITHM),
    row("mx.log10", &[P(&[2, 3])], |v| ops::log10(&v[0])).within(LOGARITHM),
    row("mx.log1p", &[P(&[2, 3])], |v| ops::log1p(&v[0])),
    row("mx.sqrt", &[P(&[2, 3])], |v| ops::sqrt(&v[0])),
    row("mx.rsqrt", &[P(&[2, 3])], |v| ops::rsqrt(&v[0])),
    row("mx.reciprocal", &[P(&[2, 3])], |v| ops::reciprocal(&v[0])),
    row("mx.arcsin mx.asin", &[U(&[2, 3])], |v| ops::arcsin(&v[0])),
    row("mx.arccos mx.acos", &[U(&[2, 3])], |v| ops::arccos(&v[0])),
    row("mx.arctanh mx.atanh", &[U(&[2, 3])], |v| ops::arctanh(&v[0])),
    row("mx.erfinv", &[U(&[2, 3])], |v| ops::erfinv(&v[0])).rough(),
    row("mx.arccosh mx.acosh", &[G(&[2, 3])], |v| ops::arccosh(&v[0])),
    row("mx.sigmoid", &[At(&[4], &[40.1, -38.7, 90.3, -95.2])], |v| ops::sigmoid(&v[0])).rough(),
    row("mx.tanh", &[At(&[4], &[20.1, -18.7, 400.3, -405.2])], |v| ops::tanh(&v[0])),
    row("mx.log1p", &[At(&[4], &[1e-3, -2e-3, 0.0, 5e-3])], |v| ops::log1p(&v[0])),
    row("mx.square", &[At(&[2], &[0.0, 1e-2])], |v| ops::square(&v[0])),
    row("mx.round", &[N(&[2, 3])], |v| ops::round(&v[0], 0)),
    row("mx.nan_to_num", &[N(&[2, 3])], |v| ops::nan_to_num(&v[0], Replacements::new())).single(),
    row("mx.clip", &[N(&[2, 3])], |v| ops::clip(&v[0], -0.8, 0.7)),
    row("mx.clip", &[N(&[2, 3]), N(&[3]), G(&[2, 1])], |v| ops::clip(&v[0], &v[1], &v[2])),
    row("mx.astype", &[N(&[2, 3])], |v| ops::astype(&v[0], Dtype::Float64)),
    row("mx.astype", &[N(&[2, 3])], |v| ops::astype(&v[0], Dtype::Float64)).single(),
    row("mx.astype", &[N(&[2, 3])], |v| ops::astype(&v[0], Dtype::Int32)).discrete(),
    row("mx.view", &[N(&[2, 2])], |v| ops::view(&v[0], Dtype::Float64)),
    row("mx.view", &[N(&[2, 2])], |v| ops::view(&v[0], Dtype::Int32)).discrete().wrong_vmap(&["last"]),
];

pub(crate) const TWO: &[Row] = &[
    row("mx.add", &[N(&[2, 3]), N(&[2, 3])], |v| ops::add(&v[0], &v[1])),
    row("mx.add", &[N(&[2, 1]), N(&[3])], |v| ops::add(&v[0], &v[1])),
    row("mx.subtract", &[N(&[2, 3]), N(&[2, 3])], |v| ops::subtract(&v[0], &v[1])),
    row("mx.subtract", &[N(&[2, 1]), N(&[3])], |v| ops::subtract(&v[0], &v[1])),
    row("mx.multiply", &[N(&[2, 3]), N(&[2, 3])], |v| ops::multiply(&v[0], &v[1])),
    row("mx.multiply", &[N(&[2, 1]), N(&[3])], |v| ops::multiply(&v[0], &v[1])),
    row("mx.divide", &[N(&[2, 3]), P(&[2, 3])], |v| ops::divide(&v[0], &v[1])),
    row("mx.divide", &[N(&[2, 1]), P(&[3])], |v| ops::divide(&v[0], &v[1])),
    row("mx.maximum", &[N(&[2, 3]), N(&[2, 3])], |v| ops::maximum(&v[0], &v[1])),
    row("mx.maximum", &[N(&[2, 1]), N(&[3])], |v| ops::maximum(&v[0], &v[1])),
    row("mx.minimum", &[N(&[2, 3]), N(&[2, 3])], |v| ops::minimum(&v[0], &v[1])),
    row("mx.minimum", &[N(&[2, 1]), N(&[3])], |v| ops::minimum(&v[0], &v[1])),
    row("mx.logaddexp", &[N(&[2, 3]), N(&[2, 3])], |v| ops::logaddexp(&v[0], &v[1])).rough(),
    row("mx.logaddexp", &[N(&[2, 1]), N(&[3])], |v| ops::logaddexp(&v[0], &v[1])).rough(),
    row("mx.power mx.pow", &[P(&[2, 3]), N(&[2, 3])], |v| ops::power(&v[0], &v[1])),
    row("mx.power mx.pow", &[P(&[2, 1]), N(&[3])], |v| ops::power(&v[0], &v[1])),
    row("mx.arctan2 mx.atan2", &[N(&[2, 3]), P(&[2, 3])], |v| ops::arctan2(&v[0], &v[1])),
    row("mx.arctan2 mx.atan2", &[N(&[2, 1]), P(&[3])], |v| ops::arctan2(&v[0], &v[1])),
    row("mx.floor_divide", &[N(&[2, 3]), P(&[2, 3])], |v| ops::floor_divide(&v[0], &v[1])),
    row("mx.floor_divide", &[N(&[2, 1]), P(&[3])], |v| ops::floor_divide(&v[0], &v[1])),
    row("mx.remainder", &[N(&[2, 3]), P(&[2, 3])], |v| ops::remainder(&v[0], &v[1])),
    row("mx.remainder", &[N(&[2, 1]), P(&[3])], |v| ops::remainder(&v[0], &v[1])),
    rows("mx.divmod", &[N(&[2, 3]), P(&[3])], |v| ops::divmod(&v[0], &v[1]).map(|(q, r)| vec![q, r]))
        .wrong(&[Wrong { by: 0, gradient: &[0.0; 6] }, Wrong { by: 1, gradient: &[0.0; 3] }])
        .wrong_product(0.0)
        .no_vmap(&[("*", "MLX cannot vectorise divmod")]),
    row("mx.where", &[I(&[2, 3], &[1, 0, 1, 1, 0, 0]), N(&[2, 3]), N(&[3])], |v| {
        ops::where_(v[0].astype(Dtype::Bool), &v[1], &v[2])
    }),
    row("mx.arctan2", &[N(&[2, 3]), N(&[2, 3])], |v| ops::arctan2(&v[0], &v[1])),
    row("mx.divide", &[N(&[2, 3]), N(&[2, 3])], |v| ops::divide(&v[0], &v[1])),
    row("mx.remainder", &[N(&[2, 3]), N(&[2, 3])], |v| ops::remainder(&v[0], &v[1])),
    row("mx.floor_divide", &[N(&[2, 3]), N(&[2, 3])], |v| ops::floor_divide(&v[0], &v[1])),
    row("mx.power", &[At(&[4], &[-1.3, 0.0, 0.9, -0.4]), I(&[4], &[2, 3, 2, 1])], |v| {
        ops::power(&v[0], v[1].astype(Dtype::Float64))
    }),
    row("mx.logaddexp", &[At(&[3], &[60.3, -41.7, -120.4]), At(&[3], &[58.9, 40.2, -119.8])], |v| {
        ops::logaddexp(&v[0], &v[1])
    })
    .rough(),
    row("+", &[N(&[2, 3]), N(&[3])], |v| Ok(&v[0] + &v[1])),
    row("-", &[N(&[2, 3]), N(&[3])], |v| Ok(1.5 - (&v[0] - &v[1]))),
    row("*", &[N(&[2, 3]), N(&[3])], |v| Ok(&v[0] * &v[1] * 0.5)),
    row("/", &[N(&[2, 3]), P(&[3])], |v| Ok(&v[0] / &v[1] / 0.7)),
    row("/", &[P(&[2, 3])], |v| Ok(2.0 / &v[0])),
    row("%", &[N(&[2, 3]), P(&[3])], |v| Ok(&v[0] % &v[1])),
    row("//", &[N(&[2, 3]), P(&[3])], |v| Ok(v[0].floor_divide(&v[1]))),
    row("**", &[P(&[2, 3]), N(&[3])], |v| Ok(v[0].pow(&v[1]))),
    row("**", &[N(&[2, 3])], |v| Ok(v[0].pow(3) + v[0].rpow(1.7))),
    row("neg", &[N(&[2, 3])], |v| Ok(-&v[0])),
    row("abs", &[N(&[2, 3])], |v| Ok(v[0].abs())),
    row("ops::rpow", &[N(&[2, 3])], |v| ops::rpow(&v[0], 1.7)),
];

/// Integers and bools.
pub(crate) const DISCRETE: &[Row] = &[
    row("mx.isnan", &[N(&[2, 3])], |v| ops::isnan(&v[0])).discrete(),
    row("mx.isinf", &[N(&[2, 3])], |v| ops::isinf(&v[0])).discrete(),
    row("mx.isfinite", &[N(&[2, 3])], |v| ops::isfinite(&v[0])).discrete(),
    row("mx.isneginf", &[N(&[2, 3])], |v| ops::isneginf(&v[0])).discrete(),
    row("mx.isposinf", &[N(&[2, 3])], |v| ops::isposinf(&v[0])).discrete(),
    row("mx.logical_not", &[N(&[2, 3])], |v| ops::logical_not(&v[0])).discrete(),
    row("mx.equal", &[N(&[2, 3]), N(&[3])], |v| ops::equal(&v[0], &v[1])).discrete(),
    row("mx.not_equal", &[N(&[2, 3]), N(&[3])], |v| ops::not_equal(&v[0], &v[1]))
        .discrete()
        .wrong_vmap(ALONE),
    row("mx.less", &[N(&[2, 3]), N(&[3])], |v| ops::less(&v[0], &v[1])).discrete(),
    row("mx.less_equal", &[N(&[2, 3]), N(&[3])], |v| ops::less_equal(&v[0], &v[1])).discrete(),
    row("mx.greater", &[N(&[2, 3]), N(&[3])], |v| ops::greater(&v[0], &v[1])).discrete(),
    row("mx.greater_equal", &[N(&[2, 3]), N(&[3])], |v| ops::greater_equal(&v[0], &v[1])).discrete(),
    row("mx.logical_and", &[N(&[2, 3]), N(&[3])], |v| ops::logical_and(&v[0], &v[1])).discrete(),
    row("mx.logical_or", &[N(&[2, 3]), N(&[3])], |v| ops::logical_or(&v[0], &v[1])).discrete(),
    row("mx.logical_xor", &[N(&[2, 3]), N(&[3])], |v| ops::logical_xor(&v[0], &v[1]))
        .discrete()
        .wrong_vmap(ALONE),
    row("mx.isclose", &[N(&[2, 3]), N(&[3])], |v| ops::isclose(&v[0], &v[1], ops::Tolerance::new()))
        .discrete(),
    row("mx.allclose", &[N(&[2, 3]), N(&[3])], |v| ops::allclose(&v[0], &v[1], ops::Tolerance::new()))
        .discrete(),
    row("mx.array_equal", &[N(&[2, 3]), N(&[2, 3])], |v| ops::array_equal(&v[0], &v[1])).discrete(),
    row("mx.bitwise_and", &[I(&[2, 3], A), I(&[3], B)], |v| ops::bitwise_and(&v[0], &v[1]))
        .discrete()
        .wrong_vmap(ALONE),
    row("mx.bitwise_or", &[I(&[2, 3], A), I(&[3], B)], |v| ops::bitwise_or(&v[0], &v[1]))
        .discrete()
        .wrong_vmap(ALONE),
    row("mx.bitwise_xor", &[I(&[2, 3], A), I(&[3], B)], |v| ops::bitwise_xor(&v[0], &v[1]))
        .discrete()
        .wrong_vmap(ALONE),
    row("mx.left_shift mx.bitwise_left_shift", &[I(&[2, 3], A), I(&[3], B)], |v| {
        ops::left_shift(&v[0], &v[1])
    })
    .discrete()
    .wrong_vmap(ALONE),
    row("mx.right_shift mx.bitwise_right_shift", &[I(&[2, 3], A), I(&[3], B)], |v| {
        ops::right_shift(&v[0], &v[1])
    })
    .discrete()
    .wrong_vmap(ALONE),
    row("mx.floor_divide", &[I(&[2, 3], A), I(&[3], B)], |v| ops::floor_divide(&v[0], &v[1])).discrete(),
    row("mx.remainder", &[I(&[2, 3], A), I(&[3], B)], |v| ops::remainder(&v[0], &v[1])).discrete(),
    row("mx.bitwise_invert", &[I(&[2, 3], A)], |v| ops::bitwise_invert(&v[0])).discrete(),
    row("<", &[N(&[2, 3]), N(&[3])], |v| Ok(v[0].lt(&v[1]))).discrete(),
    row("<=", &[N(&[2, 3]), N(&[3])], |v| Ok(v[0].le(&v[1]))).discrete(),
    row(">", &[N(&[2, 3]), N(&[3])], |v| Ok(v[0].gt(&v[1]))).discrete(),
    row(">=", &[N(&[2, 3]), N(&[3])], |v| Ok(v[0].ge(&v[1]))).discrete(),
    row("==", &[N(&[2, 3]), N(&[3])], |v| Ok(v[0].eq(&v[1]))).discrete(),
    row("!=", &[N(&[2, 3]), N(&[3])], |v| Ok(v[0].ne(&v[1]))).discrete().wrong_vmap(ALONE),
    row("&", &[I(&[2, 3], A), I(&[3], B)], |v| Ok(&v[0] & &v[1])).discrete().wrong_vmap(ALONE),
    row("|", &[I(&[2, 3], A), I(&[3], B)], |v| Ok(&v[0] | &v[1])).discrete().wrong_vmap(ALONE),
    row("^", &[I(&[2, 3], A), I(&[3], B)], |v| Ok(&v[0] ^ &v[1])).discrete().wrong_vmap(ALONE),
    row("<<", &[I(&[2, 3], A), I(&[3], B)], |v| Ok(&v[0] << &v[1])).discrete().wrong_vmap(ALONE),
    row(">>", &[I(&[2, 3], A), I(&[3], B)], |v| Ok(&v[0] >> &v[1])).discrete().wrong_vmap(ALONE),
    row("~", &[I(&[2, 3], A)], |v| Ok(!&v[0])).discrete(),
    row("ops::array_equal_nan", &[N(&[2, 3]), N(&[2, 3])], |v| ops::array_equal_nan(&v[0], &v[1])).discrete(),
    row("mx.to_fp8", &[N(&[4])], |v| ops::to_fp8(&v[0]))
        .discrete()
        .no_vmap(&[("*", "Not implemented for ToFP8")]),
];

/// An operand of fewer dimensions alone: items get its axes in front of the other's.
const ALONE: &[&str] = &["1"];

const A: &[i32] = &[5, 17, 2, 40, 9, 1];
const B: &[i32] = &[3, 1, 4];
