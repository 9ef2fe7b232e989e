//! The 14 dtypes of MLX, their names, sizes and promotion.

use crate::{Error, ErrorKind};
use std::{fmt, str::FromStr};

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dtype {
    /// `bool`
    Bool,
    /// `u8`
    Uint8,
    /// `u16`
    Uint16,
    /// `u32`
    Uint32,
    /// `u64`
    Uint64,
    /// `i8`
    Int8,
    /// `i16`
    Int16,
    /// `i32`
    Int32,
    /// `i64`
    Int64,
    /// [`half::f16`]
    Float16,
    /// `f32`
    Float32,
    /// `f64`
    Float64,
    /// [`half::bf16`]
    Bfloat16,
    /// [`Complex32`](crate::Complex32): two `f32`
    Complex64,
}

use Dtype::{
    Bfloat16, Bool, Complex64, Float16, Float32, Float64, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32,
    Uint64,
};

impl Dtype {
    /// Every dtype, in MLX's order.
    pub const ALL: [Dtype; 14] = [
        Bool, Uint8, Uint16, Uint32, Uint64, Int8, Int16, Int32, Int64, Float16, Float32, Float64, Bfloat16,
        Complex64,
    ];

    /// mlx-c's number of the dtype.
    #[must_use]
    pub(crate) fn code(self) -> u32 {
        self as u32
    }

    pub(crate) fn from_code(code: u32) -> Dtype {
        Dtype::ALL[code as usize]
    }

    /// The size of an element, in bytes.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Bool | Uint8 | Int8 => 1,
            Uint16 | Int16 | Float16 | Bfloat16 => 2,
            Uint32 | Int32 | Float32 => 4,
            Uint64 | Int64 | Float64 | Complex64 => 8,
        }
    }

    /// The name in Python, `bool` for [`Dtype::Bool`].
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Bool => "bool",
            Uint8 => "uint8",
            Uint16 => "uint16",
            Uint32 => "uint32",
            Uint64 => "uint64",
            Int8 => "int8",
            Int16 => "int16",
            Int32 => "int32",
            Int64 => "int64",
            Float16 => "float16",
            Float32 => "float32",
            Float64 => "float64",
            Bfloat16 => "bfloat16",
            Complex64 => "complex64",
        }
    }

    /// Whether the dtype is one of the eight integer ones; bool is not.
    #[must_use]
    pub fn is_integer(self) -> bool {
        (Uint8.code()..=Int64.code()).contains(&self.code())
    }

    /// Whether the dtype is one of the four real floating ones.
    #[must_use]
    pub fn is_floating(self) -> bool {
        matches!(self, Float16 | Float32 | Float64 | Bfloat16)
    }

    /// Whether the dtype is floating or complex.
    #[must_use]
    pub fn is_inexact(self) -> bool {
        self.is_floating() || self == Complex64
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A dtype by its name in Python: what `Display` writes, and `bool_`, as `mx.bool_` is spelled there.
///
/// ```
/// # use mlx_core::Dtype;
/// assert_eq!("bfloat16".parse::<Dtype>()?, Dtype::Bfloat16);
/// assert_eq!(Dtype::Int8.to_string(), "int8");
/// assert!("float8".parse::<Dtype>().is_err());
/// # Ok::<(), mlx_core::Error>(())
/// ```
impl FromStr for Dtype {
    type Err = Error;

    fn from_str(name: &str) -> Result<Dtype, Error> {
        let wanted = if name == "bool_" { "bool" } else { name };
        Dtype::ALL.into_iter().find(|dtype| dtype.name() == wanted).ok_or_else(|| {
            let known: Vec<&str> = Dtype::ALL.iter().map(|dtype| dtype.name()).collect();
            let message = format!("{name:?} is no dtype; MLX has {}", known.join(", "));
            Error::new(ErrorKind::Dtype, "dtype", message)
        })
    }
}

/// The dtype in which two tensors meet (`mx.result_type`). Symmetric; not associative where u64 meets signed and half.
#[must_use]
pub fn promote_types(a: Dtype, b: Dtype) -> Dtype {
    if a == b {
        return a;
    }
    let (low, high) = if rank(a) <= rank(b) { (a, b) } else { (b, a) };
    match (low, high) {
        (_, Complex64) => Complex64,
        (Float16, Bfloat16) => Float32,
        (low, high) if high.is_floating() || low == Bool => high,
        (low, Uint64) if is_signed(low) => Float32,
        (low, high) if is_signed(low) == is_signed(high) => high,
        // One is unsigned: the signed dtype that holds both, the larger's own where it is wide enough.
        (low, high) if is_signed(high) && high.size() > low.size() => high,
        (low, high) => match low.size().max(high.size()) {
            1 => Int16,
            2 => Int32,
            4 => Int64,
            _ => Float32,
        },
    }
}

fn is_signed(dtype: Dtype) -> bool {
    matches!(dtype, Int8 | Int16 | Int32 | Int64)
}

/// Bool, integers by size (unsigned first), halves, f32, f64, complex.
fn rank(dtype: Dtype) -> usize {
    match dtype {
        Bool => 0,
        Float16 => 20,
        Bfloat16 => 21,
        Float32 => 22,
        Float64 => 23,
        Complex64 => 24,
        integer => 2 * integer.size() + usize::from(is_signed(integer)),
    }
}
