//! The weak-scalar rule, its only home: which 0-d constant a Rust scalar becomes beside a tensor.
//!
//! Python MLX's rule (`to_array` of its bindings), down to the roundings: a constant is built on the host at the
//! target dtype, so no `AsType` node appears. Everything that takes "tensor or scalar" comes through here.

use crate::{Complex32, Dtype, Error, ErrorKind, Result};
use half::{bf16, f16};
use std::fmt;

mod sealed {
    pub trait Sealed: Copy {}
}

/// A scalar as Python sees it: a bool, an int, a float or a complex number, without a dtype of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Scalar {
    /// A bool.
    Bool(bool),
    /// An integer that fits 64 bits with a sign.
    Int(i64),
    /// An integer that does not, which MLX cannot take.
    IntOutOfRange,
    /// A float; every Rust float is weak.
    Float(f64),
    /// A complex number.
    Complex(Complex32),
}

impl Scalar {
    /// The dtype the scalar has with no tensor beside it.
    ///
    /// # Errors
    /// An integer beyond 64 bits with a sign.
    #[doc(hidden)]
    pub fn dtype_alone(self, op: &'static str) -> Result<Dtype> {
        alone(op, self).map(|constant| constant.dtype)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(value) => value.fmt(f),
            Scalar::Int(value) => value.fmt(f),
            Scalar::IntOutOfRange => f.write_str("an integer beyond 64 bits with a sign"),
            Scalar::Float(value) => write!(f, "{value:?}"),
            Scalar::Complex(value) => value.fmt(f),
        }
    }
}

/// A Rust type that is a weak scalar beside a tensor: bool, all integers, all floats, [`Complex32`].
pub trait IntoScalar: sealed::Sealed + Copy {
    /// The scalar.
    fn into_scalar(self) -> Scalar;
}

macro_rules! scalars {
    ($($($type:ty),* => |$value:ident| $scalar:expr;)*) => {
        $($(impl sealed::Sealed for $type {}
        impl IntoScalar for $type {
            fn into_scalar(self) -> Scalar {
                let $value = self;
                $scalar
            }
        })*)*
    };
}

scalars! {
    bool => |v| Scalar::Bool(v);
    i64 => |v| Scalar::Int(v);
    i8, i16, i32, u8, u16, u32 => |v| Scalar::Int(v.into());
    isize, usize, u64 => |v| i64::try_from(v).map_or(Scalar::IntOutOfRange, Scalar::Int);
    f64 => |v| Scalar::Float(v);
    f32, f16, bf16 => |v| Scalar::Float(v.into());
    Complex32 => |v| Scalar::Complex(v);
}

impl sealed::Sealed for Scalar {}
impl IntoScalar for Scalar {
    fn into_scalar(self) -> Scalar {
        self
    }
}

/// One element: its dtype, and its bytes in the machine's order.
#[derive(Clone, Copy)]
pub(crate) struct Constant {
    pub(crate) dtype: Dtype,
    pub(crate) bits: [u8; 8],
}

impl Constant {
    fn new<const N: usize>(dtype: Dtype, bytes: [u8; N]) -> Constant {
        let mut bits = [0; 8];
        bits[..N].copy_from_slice(&bytes);
        Constant { dtype, bits }
    }
}

/// The constant for `scalar` beside a tensor of dtype `beside`.
pub(crate) fn weak(op: &'static str, scalar: Scalar, beside: Dtype) -> Result<Constant> {
    match scalar {
        Scalar::Bool(value) => Ok(integer(i64::from(value), beside)),
        Scalar::Int(value) if beside == Dtype::Bool => Ok(integer(value, Dtype::Int32)),
        Scalar::Int(value) if fits(value, beside) => Ok(integer(value, beside)),
        Scalar::Int(value) => {
            let message = format!("Converting {value} to {beside} would result in overflow.");
            Err(Error::new(ErrorKind::Value, op, message))
        }
        Scalar::Float(value) if beside.is_floating() => Ok(float(value, beside)),
        other => alone(op, other),
    }
}

/// The constant for `scalar` with no tensor beside it: each kind has a default dtype.
pub(crate) fn alone(op: &'static str, scalar: Scalar) -> Result<Constant> {
    match scalar {
        Scalar::Bool(value) => Ok(integer(i64::from(value), Dtype::Bool)),
        Scalar::Int(value) if i32::try_from(value).is_ok() => Ok(integer(value, Dtype::Int32)),
        Scalar::Int(value) => Ok(integer(value, Dtype::Int64)),
        Scalar::Float(value) => Ok(float(value, Dtype::Float32)),
        Scalar::Complex(value) => Ok(complex(value)),
        // Python's own words, from the cast that fails there.
        Scalar::IntOutOfRange => Err(Error::new(ErrorKind::Value, op, "std::bad_cast")),
    }
}

/// The constant of exactly `dtype`, as `mx.array(scalar, dtype)` makes it: unchecked and wrapping.
pub(crate) fn cast(op: &'static str, scalar: Scalar, dtype: Dtype) -> Result<Constant> {
    match scalar {
        Scalar::Bool(value) => Ok(integer(i64::from(value), dtype)),
        Scalar::Int(value) => Ok(integer(value, dtype)),
        Scalar::Float(value) if dtype.is_inexact() => Ok(float(value, dtype)),
        Scalar::Float(value) if dtype == Dtype::Bool => Ok(integer(i64::from(value != 0.0), dtype)),
        Scalar::Float(value) => Ok(integer(truncated(value as f32, dtype), dtype)),
        Scalar::Complex(value) if dtype == Dtype::Complex64 => Ok(complex(value)),
        Scalar::Complex(value) => cast(op, Scalar::Float(value.re.into()), dtype),
        Scalar::IntOutOfRange => alone(op, scalar),
    }
}

/// A float as an integer of `dtype`, before the integer wraps: as MLX's compiled cast leaves it, which on x86-64 gives
/// the smallest integer of the processor's width for what does not fit.
fn truncated(value: f32, dtype: Dtype) -> i64 {
    const I32: f32 = 2_147_483_648.0;
    const I64: f32 = 9_223_372_036_854_775_808.0;
    if !cfg!(target_arch = "x86_64") {
        return match dtype {
            Dtype::Uint64 => (value as u64).cast_signed(),
            Dtype::Uint32 => i64::from(value as u32),
            Dtype::Int64 => value as i64,
            _ => i64::from(value as i32),
        };
    }
    let wide = |value: f32| if (-I64..I64).contains(&value) { value as i64 } else { i64::MIN };
    match dtype {
        Dtype::Uint64 if value >= I64 => wide(value - I64) ^ i64::MIN,
        Dtype::Uint32 | Dtype::Int64 | Dtype::Uint64 => wide(value),
        _ if (-I32..I32).contains(&value) => i64::from(value as i32),
        _ => i64::from(i32::MIN),
    }
}

/// Integers reach the floats through one rounding to f32, and the halves through a second.
fn integer(value: i64, dtype: Dtype) -> Constant {
    match dtype {
        Dtype::Bool => Constant::new(dtype, [u8::from(value != 0)]),
        Dtype::Uint8 | Dtype::Int8 => Constant::new(dtype, (value as u8).to_ne_bytes()),
        Dtype::Uint16 | Dtype::Int16 => Constant::new(dtype, (value as u16).to_ne_bytes()),
        Dtype::Uint32 | Dtype::Int32 => Constant::new(dtype, (value as u32).to_ne_bytes()),
        Dtype::Uint64 | Dtype::Int64 => Constant::new(dtype, value.to_ne_bytes()),
        Dtype::Float64 => Constant::new(dtype, (value as f64).to_ne_bytes()),
        Dtype::Float16 | Dtype::Float32 | Dtype::Bfloat16 => single(value as f32, dtype),
        Dtype::Complex64 => complex(Complex32::new(value as f32, 0.0)),
    }
}

fn float(value: f64, dtype: Dtype) -> Constant {
    match dtype {
        Dtype::Float64 => Constant::new(dtype, value.to_ne_bytes()),
        Dtype::Complex64 => complex(Complex32::new(value as f32, 0.0)),
        _ => single(value as f32, dtype),
    }
}

fn single(value: f32, dtype: Dtype) -> Constant {
    match dtype {
        Dtype::Float16 => Constant::new(dtype, half_bits(value).to_ne_bytes()),
        // MLX drops the sign of a bf16 NaN.
        Dtype::Bfloat16 if value.is_nan() => Constant::new(dtype, 0x7fc0_u16.to_ne_bytes()),
        Dtype::Bfloat16 => Constant::new(dtype, bf16::from_f32(value).to_ne_bytes()),
        _ => Constant::new(dtype, value.to_ne_bytes()),
    }
}

/// MLX converts to f16 in software on x86-64, with a NaN of its own; elsewhere the processor does.
fn half_bits(value: f32) -> u16 {
    if cfg!(target_arch = "x86_64") && value.is_nan() {
        return if value.is_sign_negative() { 0xfd00 } else { 0x7d00 };
    }
    f16::from_f32(value).to_bits()
}

fn complex(value: Complex32) -> Constant {
    let (mut bits, re, im) = ([0; 8], value.re.to_ne_bytes(), value.im.to_ne_bytes());
    bits[..4].copy_from_slice(&re);
    bits[4..].copy_from_slice(&im);
    Constant { dtype: Dtype::Complex64, bits }
}

/// Whether an integer dtype of up to 32 bits holds `value`.
fn fits(value: i64, dtype: Dtype) -> bool {
    match dtype {
        Dtype::Uint8 => u8::try_from(value).is_ok(),
        Dtype::Uint16 => u16::try_from(value).is_ok(),
        Dtype::Uint32 => u32::try_from(value).is_ok(),
        Dtype::Int8 => i8::try_from(value).is_ok(),
        Dtype::Int16 => i16::try_from(value).is_ok(),
        Dtype::Int32 => i32::try_from(value).is_ok(),
        // Python checks the dtypes of up to 32 bits only; 64-bit ones wrap and floats overflow to infinity.
        _ => true,
    }
}
