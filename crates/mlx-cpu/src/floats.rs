//! Slices of one of the float types that kernels read and write.

use half::{bf16, f16};

/// Values to read.
#[derive(Clone, Copy, Debug)]
pub enum Floats<'a> {
    /// Single precision.
    F32(&'a [f32]),
    /// IEEE half precision.
    F16(&'a [f16]),
    /// The upper half of single precision.
    Bf16(&'a [bf16]),
}

/// Values to write.
#[derive(Debug)]
pub enum FloatsMut<'a> {
    /// Single precision.
    F32(&'a mut [f32]),
    /// IEEE half precision.
    F16(&'a mut [f16]),
    /// The upper half of single precision.
    Bf16(&'a mut [bf16]),
}

impl Floats<'_> {
    /// The element type's name in MLX.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Floats::F32(_) => "float32",
            Floats::F16(_) => "float16",
            Floats::Bf16(_) => "bfloat16",
        }
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Floats::F32(values) => values.len(),
            Floats::F16(values) => values.len(),
            Floats::Bf16(values) => values.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl FloatsMut<'_> {
    /// The element type's name in MLX.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            FloatsMut::F32(_) => "float32",
            FloatsMut::F16(_) => "float16",
            FloatsMut::Bf16(_) => "bfloat16",
        }
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            FloatsMut::F32(values) => values.len(),
            FloatsMut::F16(values) => values.len(),
            FloatsMut::Bf16(values) => values.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
