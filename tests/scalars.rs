//! Weak scalars: the dtype and the value a Rust scalar has beside a tensor, on either side, of every type.

use half::{bf16, f16};
use mlx::{Complex32, Dtype, IntoScalar, Scalar, Tensor, ops, prelude::*};

use Dtype::{Bfloat16, Bool, Complex64, Float16, Float32, Float64, Int32};

/// The result of an op, and its dtype.
#[track_caller]
fn check(tensor: &Tensor, dtype: Dtype, text: &str) {
    assert_eq!((tensor.dtype(), tensor.to_string()), (dtype, format!("array({text}, dtype={dtype})")));
}

fn one(dtype: Dtype) -> Tensor {
    ops::ones([1], dtype).unwrap()
}

/// The four rows of Python's rule.
fn met(scalar: Scalar, beside: Dtype) -> Dtype {
    match (scalar, beside) {
        (Scalar::Int(_), Bool) => Int32,
        (Scalar::Float(_), beside) if !beside.is_floating() && beside != Complex64 => Float32,
        (Scalar::Complex(_), _) => Complex64,
        (_, beside) => beside,
    }
}

fn beside_every_dtype(scalar: impl IntoScalar) {
    for dtype in Dtype::ALL {
        let (x, wanted) = (one(dtype), met(scalar.into_scalar(), dtype));
        let name = format!("{} beside {dtype}", scalar.into_scalar());
        for result in [&x + scalar, &x * scalar, x.maximum(scalar), ops::minimum(scalar, &x).unwrap()] {
            assert_eq!(result.dtype(), wanted, "{name}");
        }
        assert_eq!(x.where_(scalar, &x).dtype(), wanted, "{name}");
        let quotient = if wanted.is_inexact() { wanted } else { Float32 };
        assert_eq!((&x / scalar).dtype(), quotient, "{name}");
        assert_eq!(x.lt(scalar).dtype(), Bool, "{name}");
        // Nothing promotes a fill value: a float beside complex64 is float32, as everywhere before its op.
        let float = matches!(scalar.into_scalar(), Scalar::Float(_));
        let filled = if float && dtype == Complex64 { Float32 } else { wanted };
        assert_eq!(ops::full([2], scalar, dtype).unwrap().dtype(), filled, "{name}");
        let sum = (&x + scalar).astype(Complex64).to_vec::<Complex32>().unwrap();
        let both = if wanted == Bool { 1.0 } else { 2.0 };
        assert_eq!(sum, [Complex32::new(both, 0.0)], "{name}");
    }
}

#[test]
fn every_scalar_type_beside_every_dtype() {
    beside_every_dtype(true);
    beside_every_dtype(1_i8);
    beside_every_dtype(1_i16);
    beside_every_dtype(1_i32);
    beside_every_dtype(1_i64);
    beside_every_dtype(1_isize);
    beside_every_dtype(1_u8);
    beside_every_dtype(1_u16);
    beside_every_dtype(1_u32);
    beside_every_dtype(1_u64);
    beside_every_dtype(1_usize);
    beside_every_dtype(f16::ONE);
    beside_every_dtype(bf16::ONE);
    beside_every_dtype(1.0_f32);
    beside_every_dtype(1.0_f64);
    beside_every_dtype(Complex32::new(1.0, 0.0));
}

#[test]
fn formulas_need_no_annotations() {
    let x = tensor![0.5, 1.0];
    // Python's values.
    let gelu = [0.345_714, 0.841_192];
    let check = |tensor: Tensor, wanted: [f32; 2]| assert_eq!(tensor.to_vec::<f32>().unwrap(), wanted);
    check((&x * 2.0).square(), [1.0, 4.0]);
    check((1.0 - &x).square(), [0.25, 0.0]);
    check((2 * &x).abs(), [1.0, 2.0]);
    check((1 / (&x + 1)).sqrt().square() * 0.0, [0.0, 0.0]);
    check(-(&x - 1) % 2, [0.5, 0.0]);
    check(2.0 / x.clone() % 3, [1.0, 2.0]);
    check(0.5 * &x * (1.0 + (0.797_884_56 * (&x + 0.044_715 * (&x * &x * &x))).tanh()), gelu);
    assert_eq!((&x * 2.0).tanh().dtype(), (1.0 - &x).tanh().dtype());
}

#[test]
fn sides_keep_their_order() {
    let x = tensor![8, 3];
    check(&(10 - &x), Int32, "[2, 7]");
    check(&(&x - 10), Int32, "[-2, -7]");
    check(&(20 % &x), Int32, "[4, 2]");
    check(&(&x % 5), Int32, "[3, 3]");
    check(&(24 / &x), Float32, "[3, 8]");
    check(&(&x / 2), Float32, "[4, 1.5]");
    check(&x.rpow(2), Int32, "[256, 8]");
    check(&x.pow(2), Int32, "[64, 9]");
    check(&ops::subtract(1.5, &x).unwrap(), Float32, "[-6.5, -1.5]");
    check(&(&x << 1 >> 2 & 6 | 1 ^ 3), Int32, "[6, 2]");
}

#[test]
fn integers_out_of_range_are_refused_up_to_32_bits() {
    for (dtype, low, high) in [
        (Dtype::Uint8, 0, 255),
        (Dtype::Uint16, 0, 65535),
        (Dtype::Uint32, 0, i64::from(u32::MAX)),
        (Dtype::Int8, -128, 127),
        (Dtype::Int16, -32768, 32767),
        (Dtype::Int32, i64::from(i32::MIN), i64::from(i32::MAX)),
    ] {
        let zero = ops::zeros((), dtype).unwrap();
        check(&(&zero + low), dtype, &low.to_string());
        check(&(&zero + high), dtype, &high.to_string());
        for beyond in [low - 1, high + 1] {
            let error = ops::add(&zero, beyond).unwrap_err();
            assert_eq!(error.message(), format!("Converting {beyond} to {dtype} would result in overflow."));
        }
    }
    let zero = |dtype| ops::zeros((), dtype).unwrap();
    check(&(zero(Dtype::Uint64) + -1), Dtype::Uint64, "18446744073709551615");
    check(&(zero(Dtype::Int64) + i64::MIN), Dtype::Int64, "-9223372036854775808");
    check(&(zero(Float16) + 70000), Float16, "inf");
    check(&(zero(Bool) + (1_i64 << 31)), Int32, "-2147483648");
    assert_eq!(ops::add(zero(Dtype::Uint64), u64::MAX).unwrap_err().message(), "std::bad_cast");
    assert!(ops::add(zero(Dtype::Uint64), i64::MAX as u64).is_ok());
}

/// Two roundings: to float32, and from there to the half.
#[test]
fn halves_round_twice() {
    let at = |value: f64, dtype| ops::add(ops::zeros((), dtype).unwrap(), value).unwrap();
    let tie = 1.0 + 2.0_f64.powi(-11) + 2.0_f64.powi(-30);
    assert_eq!(at(tie, Float16).item::<f16>().unwrap().to_bits(), f16::ONE.to_bits());
    let tie = 1.0 + 2.0_f64.powi(-8) + 2.0_f64.powi(-30);
    assert_eq!(at(tie, Bfloat16).item::<bf16>().unwrap().to_bits(), 0x3f80);
    let whole = ops::add(ops::zeros((), Bfloat16).unwrap(), (1 << 30) + (1 << 22) + 1).unwrap();
    assert_eq!(whole.item::<bf16>().unwrap().to_bits(), 0x4e80);
    assert_eq!(at(1e-8, Float16).item::<f16>().unwrap().to_bits(), 0);
    assert_eq!(at(1.0 / 3.0, Float64).item::<f64>().unwrap().to_bits(), (1.0_f64 / 3.0).to_bits());
    let third = ops::multiply(one(Bfloat16), 0.1_f32).unwrap();
    assert_eq!(third.item::<bf16>().unwrap(), bf16::from_f32(0.1));
}

#[test]
fn scalars_without_a_tensor_have_dtypes_of_their_own() {
    check(&ops::add(1, 2).unwrap(), Int32, "3");
    check(&ops::add(1, 0.5).unwrap(), Float32, "1.5");
    check(&ops::add(1, 1_i64 << 40).unwrap(), Dtype::Int64, "1099511627777");
    check(&ops::where_(true, 1, 0).unwrap(), Int32, "1");
    check(&ops::where_(&tensor![true, false], 1.5, 0).unwrap(), Float32, "[1.5, 0]");
    check(&Tensor::scalar(300, Dtype::Uint8).unwrap(), Dtype::Uint8, "44");
    check(&Tensor::scalar(-1, Dtype::Uint8).unwrap(), Dtype::Uint8, "255");
    check(&Tensor::scalar(Complex32::new(2.0, 3.0), Float32).unwrap(), Float32, "2");
}

#[test]
fn assign_operators_take_the_dtype_of_the_result() {
    let mut x = tensor![1, 2];
    x += 1;
    x *= tensor![2, 3];
    check(&x, Int32, "[4, 9]");
    x -= 0.5;
    check(&x, Float32, "[3.5, 8.5]");
    x /= 2;
    x %= 2.0;
    check(&x, Float32, "[1.75, 0.25]");
    let mut bits = tensor![6];
    bits <<= 2;
    bits |= 1;
    bits &= 0b1_1011;
    bits ^= tensor![3];
    bits >>= 1;
    check(&bits, Int32, "[13]");
}

/// As `mx.array(value, dtype)` casts on x86-64: through float32, and to the smallest integer where it does not fit.
#[cfg(target_arch = "x86_64")]
#[test]
fn floats_cast_to_integers_as_in_python() {
    let cast = |value: f64, dtype| Tensor::scalar(value, dtype).unwrap().to_string();
    let nan = f64::NAN;
    for (value, dtype, text) in [
        (1e10, Dtype::Int32, "-2147483648"),
        (1e10, Dtype::Int16, "0"),
        (1e10, Dtype::Uint16, "0"),
        (nan, Dtype::Int32, "-2147483648"),
        (nan, Dtype::Int64, "-9223372036854775808"),
        (nan, Dtype::Uint64, "9223372036854775808"),
        (1e30, Dtype::Int64, "-9223372036854775808"),
        (1e19, Dtype::Uint64, "9999999980506447872"),
        (1e30, Dtype::Uint64, "0"),
        (16_777_217.0, Dtype::Int32, "16777216"),
        (3e9, Dtype::Int32, "-2147483648"),
        (3e9, Dtype::Uint32, "3000000000"),
        (-1.0, Dtype::Uint8, "255"),
        (300.0, Dtype::Uint8, "44"),
        (-2.9, Dtype::Int8, "-2"),
    ] {
        assert_eq!(cast(value, dtype), format!("array({text}, dtype={dtype})"), "{value} as {dtype}");
    }
}

/// What the host rounds has the bits of the tensor's cast.
#[test]
fn constants_of_halves_are_rounded_as_tensors_are() {
    let drawn = (1..=200_000_u32).map(|i| f32::from_bits(i.wrapping_mul(0x9e37_79b9)));
    let edges = [
        0_u32,
        1,
        0x8000,
        0x8001,
        0x0001_8000,
        0x7f7f_8000,
        0x7f7f_ffff,
        0x477f_efff,
        0x477f_f000,
        0x3300_0000,
    ]
    .into_iter()
    .flat_map(|bits| [bits, bits | 0x8000_0000])
    .map(f32::from_bits);
    let values: Vec<f32> = edges.chain(drawn).filter(|value| !value.is_nan()).collect();
    let tensor = Tensor::from_slice(&values).unwrap();
    let wanted = |dtype| {
        ops::view(ops::astype(&tensor, dtype).unwrap(), Dtype::Uint16).unwrap().to_vec::<u16>().unwrap()
    };
    let (as_bf16, as_f16) = (wanted(Dtype::Bfloat16), wanted(Dtype::Float16));
    for (i, &value) in values.iter().enumerate() {
        let [bf16_bits, f16_bits] =
            [Dtype::Bfloat16, Dtype::Float16].map(|dtype| Tensor::scalar(value, dtype).unwrap());
        assert_eq!(bf16_bits.item::<bf16>().unwrap().to_bits(), as_bf16[i], "{value:e}");
        assert_eq!(f16_bits.item::<f16>().unwrap().to_bits(), as_f16[i], "{value:e}");
    }
}
