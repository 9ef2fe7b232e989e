//! What computes a node of mode `fast`: its numbers and memory, handed to the kernels of mlx-cpu.
//!
//! Not here: which nodes come here and how their inputs lie (mlx-link's native/fast.cpp), the kernels themselves.

use super::{products, quantized, rows};
use crate::{
    Dtype, Element,
    ffi::cpu::{Op, Part, Work},
};
use half::{bf16, f16};
use mlx_cpu::{Floats, FloatsMut, Isa};

/// The element types that kernels compute.
pub(super) trait Float: Element + Default + Sync {
    fn floats(values: &[Self]) -> Floats<'_>;
    fn floats_mut(values: &mut [Self]) -> FloatsMut<'_>;
}

macro_rules! floats {
    ($($type:ty: $name:ident),*) => { $(
        impl Float for $type {
            fn floats(values: &[Self]) -> Floats<'_> {
                Floats::$name(values)
            }

            fn floats_mut(values: &mut [Self]) -> FloatsMut<'_> {
                FloatsMut::$name(values)
            }
        }
    )* };
}
floats!(f32: F32, f16: F16, bf16: Bf16);

/// Whether kernels can run: `MLX_CPU_ISA` may ask for instructions that are not there.
pub(crate) fn check() -> Result<(), String> {
    Isa::chosen().map(|_| ())
}

/// Computes a node.
pub(crate) fn run(work: &Work<'_>, inputs: &[Part<'_>], output: Part<'_>) -> Result<(), String> {
    match output.dtype() {
        Dtype::Float32 => of::<f32>(work, inputs, output),
        Dtype::Float16 => of::<f16>(work, inputs, output),
        Dtype::Bfloat16 => of::<bf16>(work, inputs, output),
        other => Err(format!("[cpu] no kernel computes {other:?}.")),
    }
}

fn of<T: Float>(work: &Work<'_>, inputs: &[Part<'_>], mut output: Part<'_>) -> Result<(), String> {
    let out = output.elements_mut::<T>();
    match work.op() {
        Some(Op::Product) => products::matmul(work, inputs, out),
        Some(Op::Quantized) => quantized::matmul(work, inputs, out),
        Some(Op::Gather) => quantized::gather(work, inputs, out),
        Some(Op::Softmax) => rows::softmax(work, inputs, out),
        Some(Op::Sum) => rows::sum(work, inputs, out),
        None => Err("[cpu] no kernel computes this.".into()),
    }
}
