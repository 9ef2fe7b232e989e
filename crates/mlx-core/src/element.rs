//! The Rust types of tensor elements.

use crate::{Complex32, Dtype};
use half::{bf16, f16};

mod sealed {
    pub trait Sealed: Copy {}
}

/// A Rust type that is the element type of a dtype: bool, the integers, `f16`, `bf16`, `f32`, `f64`, [`Complex32`].
///
/// Sealed: the 14 types here are all that MLX has.
pub trait Element: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The dtype whose elements have this type.
    const DTYPE: Dtype;
    /// An element from its bytes; for bool any byte but 0 is true.
    #[doc(hidden)]
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! elements {
    ($($type:ty = $dtype:ident |$bytes:ident| $from:expr;)*) => {
        $(impl sealed::Sealed for $type {}
        impl Element for $type {
            const DTYPE: Dtype = Dtype::$dtype;
            fn from_bytes($bytes: &[u8]) -> Self {
                $from
            }
        })*
    };
}

/// The array of a slice whose length is the size of an element.
fn sized<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("as many bytes as the element has")
}

elements! {
    bool = Bool |b| b[0] != 0;
    u8 = Uint8 |b| b[0];
    u16 = Uint16 |b| u16::from_ne_bytes(sized(b));
    u32 = Uint32 |b| u32::from_ne_bytes(sized(b));
    u64 = Uint64 |b| u64::from_ne_bytes(sized(b));
    i8 = Int8 |b| i8::from_ne_bytes(sized(b));
    i16 = Int16 |b| i16::from_ne_bytes(sized(b));
    i32 = Int32 |b| i32::from_ne_bytes(sized(b));
    i64 = Int64 |b| i64::from_ne_bytes(sized(b));
    f16 = Float16 |b| f16::from_ne_bytes(sized(b));
    f32 = Float32 |b| f32::from_ne_bytes(sized(b));
    f64 = Float64 |b| f64::from_ne_bytes(sized(b));
    bf16 = Bfloat16 |b| bf16::from_ne_bytes(sized(b));
    Complex32 = Complex64 |b| Complex32::new(f32::from_ne_bytes(sized(&b[..4])), f32::from_ne_bytes(sized(&b[4..])));
}
