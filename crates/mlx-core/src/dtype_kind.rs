//! What dtypes are and hold: their classes, casts between them, their limits.
//!
//! Not here: names, sizes and promotion (`dtype`).

use crate::{Dtype, Error, ErrorKind, Result, promote_types};
use Dtype::{Bfloat16, Bool, Complex64, Float16, Float32, Float64};
use half::{bf16, f16};

/// The classes of dtypes, from [`DtypeCategory::Generic`] down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DtypeCategory {
    /// Every dtype.
    Generic,
    /// Every dtype but bool.
    Number,
    /// The eight integer dtypes.
    Integer,
    /// The four integer dtypes with a sign.
    SignedInteger,
    /// The four integer dtypes without one.
    UnsignedInteger,
    /// Floats and complex numbers.
    Inexact,
    /// The four real floating dtypes.
    Floating,
    /// The complex dtype.
    ComplexFloating,
}

impl DtypeCategory {
    /// Every category.
    pub const ALL: [DtypeCategory; 8] = [
        DtypeCategory::Generic,
        DtypeCategory::Number,
        DtypeCategory::Integer,
        DtypeCategory::SignedInteger,
        DtypeCategory::UnsignedInteger,
        DtypeCategory::Inexact,
        DtypeCategory::Floating,
        DtypeCategory::ComplexFloating,
    ];

    /// The name in Python.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            DtypeCategory::Generic => "generic",
            DtypeCategory::Number => "number",
            DtypeCategory::Integer => "integer",
            DtypeCategory::SignedInteger => "signedinteger",
            DtypeCategory::UnsignedInteger => "unsignedinteger",
            DtypeCategory::Inexact => "inexact",
            DtypeCategory::Floating => "floating",
            DtypeCategory::ComplexFloating => "complexfloating",
        }
    }

    /// The category around this one; `Generic` is its own.
    fn parent(self) -> DtypeCategory {
        match self {
            DtypeCategory::SignedInteger | DtypeCategory::UnsignedInteger => DtypeCategory::Integer,
            DtypeCategory::Floating | DtypeCategory::ComplexFloating => DtypeCategory::Inexact,
            DtypeCategory::Integer | DtypeCategory::Inexact => DtypeCategory::Number,
            DtypeCategory::Number | DtypeCategory::Generic => DtypeCategory::Generic,
        }
    }

    fn is_within(self, other: DtypeCategory) -> bool {
        self == other || self != DtypeCategory::Generic && self.parent().is_within(other)
    }
}

/// The smallest category of a dtype.
impl From<Dtype> for DtypeCategory {
    fn from(dtype: Dtype) -> DtypeCategory {
        match dtype {
            Bool => DtypeCategory::Generic,
            Complex64 => DtypeCategory::ComplexFloating,
            Float16 | Bfloat16 | Float32 | Float64 => DtypeCategory::Floating,
            integer if is_signed(integer) => DtypeCategory::SignedInteger,
            _ => DtypeCategory::UnsignedInteger,
        }
    }
}

/// A dtype or a category: what [`issubdtype`] compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DtypeClass {
    /// A dtype, of which nothing but itself is a part.
    Dtype(Dtype),
    /// A category.
    Category(DtypeCategory),
}

impl From<Dtype> for DtypeClass {
    fn from(dtype: Dtype) -> DtypeClass {
        DtypeClass::Dtype(dtype)
    }
}

impl From<DtypeCategory> for DtypeClass {
    fn from(category: DtypeCategory) -> DtypeClass {
        DtypeClass::Category(category)
    }
}

/// Whether `a`, a dtype or a category, is `b` or a part of it.
///
/// ```
/// # use mlx_core::{Dtype, DtypeCategory, issubdtype};
/// assert!(issubdtype(Dtype::Bfloat16, DtypeCategory::Floating));
/// assert!(!issubdtype(Dtype::Bool, DtypeCategory::Number));
/// ```
#[doc(alias = "mx.issubdtype")]
#[must_use]
pub fn issubdtype(a: impl Into<DtypeClass>, b: impl Into<DtypeClass>) -> bool {
    match (a.into(), b.into()) {
        (DtypeClass::Dtype(a), DtypeClass::Dtype(b)) => a == b,
        (DtypeClass::Dtype(a), DtypeClass::Category(b)) => DtypeCategory::from(a).is_within(b),
        (DtypeClass::Category(a), DtypeClass::Category(b)) => a.is_within(b),
        (DtypeClass::Category(_), DtypeClass::Dtype(_)) => false,
    }
}

/// The kinds of the array API standard, which [`isdtype`] asks for; in Python strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DtypeKind {
    /// `"bool"`
    Bool,
    /// `"signed integer"`
    SignedInteger,
    /// `"unsigned integer"`
    UnsignedInteger,
    /// `"integral"`: integers of both sorts
    Integral,
    /// `"real floating"`
    RealFloating,
    /// `"complex floating"`
    ComplexFloating,
    /// `"numeric"`: all but bool
    Numeric,
    /// One dtype.
    Dtype(Dtype),
}

impl From<Dtype> for DtypeKind {
    fn from(dtype: Dtype) -> DtypeKind {
        DtypeKind::Dtype(dtype)
    }
}

impl DtypeKind {
    fn has(self, dtype: Dtype) -> bool {
        match self {
            DtypeKind::Bool => dtype == Bool,
            DtypeKind::SignedInteger => is_signed(dtype),
            DtypeKind::UnsignedInteger => dtype.is_integer() && !is_signed(dtype),
            DtypeKind::Integral => dtype.is_integer(),
            DtypeKind::RealFloating => dtype.is_floating(),
            DtypeKind::ComplexFloating => dtype == Complex64,
            DtypeKind::Numeric => dtype != Bool,
            DtypeKind::Dtype(one) => dtype == one,
        }
    }
}

/// Whether `dtype` is of one of the kinds.
///
/// ```
/// # use mlx_core::{Dtype, DtypeKind, isdtype};
/// assert!(isdtype(Dtype::Int8, [DtypeKind::Bool, DtypeKind::Integral]));
/// assert!(!isdtype(Dtype::Complex64, [DtypeKind::RealFloating]));
/// ```
#[doc(alias = "mx.isdtype")]
#[must_use]
pub fn isdtype<K: Into<DtypeKind>>(dtype: Dtype, kinds: impl IntoIterator<Item = K>) -> bool {
    kinds.into_iter().any(|kind| kind.into().has(dtype))
}

/// Whether values of `from` may become `to` by promotion alone: never to a narrower dtype nor to a lower class.
///
/// Every integer may become every float, as in Python, though not all of its values are held exactly.
///
/// ```
/// # use mlx_core::{Dtype, can_cast};
/// assert!(can_cast(Dtype::Uint8, Dtype::Int16) && !can_cast(Dtype::Float32, Dtype::Float16));
/// ```
#[doc(alias = "mx.can_cast")]
#[must_use]
pub fn can_cast(from: Dtype, to: Dtype) -> bool {
    if from == to || from == Bool || to == Complex64 {
        return true;
    }
    if from.is_integer() && to.is_integer() {
        let wider = to.size() > from.size();
        return wider && (is_signed(to) || !is_signed(from));
    }
    match from {
        Float16 | Bfloat16 => matches!(to, Float32 | Float64),
        Float32 => to == Float64,
        Float64 | Complex64 => false,
        _ => to.is_floating(),
    }
}

/// The dtype that dtypes meet in, one after the other.
///
/// # Errors
/// No dtype at all.
///
/// ```
/// # use mlx_core::{Dtype, result_type};
/// assert_eq!(result_type([Dtype::Int8, Dtype::Uint8, Dtype::Float16])?, Dtype::Float16);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.result_type")]
pub fn result_type(dtypes: impl IntoIterator<Item = Dtype>) -> Result<Dtype> {
    dtypes.into_iter().reduce(promote_types).ok_or_else(|| {
        let message = "[result_type] At least one array or dtype is required.";
        Error::new(ErrorKind::Value, "result_type", message)
    })
}

/// The limits of a floating dtype.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FloatInfo {
    /// The dtype; of a complex one that of its parts.
    pub dtype: Dtype,
    /// The bits of an element, or of a part of one.
    pub bits: u32,
    /// The smallest finite value.
    pub min: f64,
    /// The largest finite value.
    pub max: f64,
    /// The distance from 1 to the next value.
    pub eps: f64,
    /// The smallest value above 0 with all its digits.
    pub smallest_normal: f64,
}

/// The limits of a floating dtype; of the complex one those of its parts.
///
/// # Errors
/// Bool and integers.
///
/// ```
/// # use mlx_core::{Dtype, finfo};
/// assert_eq!(finfo(Dtype::Float16)?.max, 65504.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.finfo")]
pub fn finfo(dtype: Dtype) -> Result<FloatInfo> {
    let (max, eps, smallest_normal): (f64, f64, f64) = match dtype {
        Float16 => (f16::MAX.into(), f16::EPSILON.into(), f16::MIN_POSITIVE.into()),
        Bfloat16 => (bf16::MAX.into(), bf16::EPSILON.into(), bf16::MIN_POSITIVE.into()),
        Float32 | Complex64 => (f32::MAX.into(), f32::EPSILON.into(), f32::MIN_POSITIVE.into()),
        Float64 => (f64::MAX, f64::EPSILON, f64::MIN_POSITIVE),
        _ => {
            let message = format!("[finfo] dtype {dtype} is not inexact.");
            return Err(Error::new(ErrorKind::Dtype, "finfo", message));
        }
    };
    let dtype = if dtype == Complex64 { Float32 } else { dtype };
    Ok(FloatInfo { dtype, bits: bits(dtype), min: -max, max, eps, smallest_normal })
}

/// The limits of an integer dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IntInfo {
    /// The dtype.
    pub dtype: Dtype,
    /// The smallest value.
    pub min: i128,
    /// The largest value.
    pub max: i128,
}

/// The limits of an integer dtype.
///
/// # Errors
/// Bool and floats.
///
/// ```
/// # use mlx_core::{Dtype, iinfo};
/// assert_eq!(iinfo(Dtype::Uint64)?.max, u64::MAX.into());
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.iinfo")]
pub fn iinfo(dtype: Dtype) -> Result<IntInfo> {
    if !dtype.is_integer() {
        let message = format!("[iinfo] Only integer types supported but {dtype} was provided");
        return Err(Error::new(ErrorKind::Dtype, "iinfo", message));
    }
    let values = 1_i128 << bits(dtype);
    let min = if is_signed(dtype) { -values / 2 } else { 0 };
    Ok(IntInfo { dtype, min, max: min + values - 1 })
}

fn bits(dtype: Dtype) -> u32 {
    dtype.size() as u32 * 8
}

fn is_signed(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::Int8 | Dtype::Int16 | Dtype::Int32 | Dtype::Int64)
}
