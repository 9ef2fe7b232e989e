//! Which kernel computes a node of mode `fast`.

use crate::{
    Dtype, Element,
    ffi::cpu::{Op, Part, Work},
};
use half::{bf16, f16};

trait Value: Element + Copy {
    fn to(self) -> f32;
    fn of(x: f32) -> Self;
}
impl Value for f32 {
    fn to(self) -> f32 {
        self
    }
    fn of(x: f32) -> Self {
        x
    }
}
impl Value for f16 {
    fn to(self) -> f32 {
        self.to_f32()
    }
    fn of(x: f32) -> Self {
        f16::from_f32(x)
    }
}
impl Value for bf16 {
    fn to(self) -> f32 {
        self.to_f32()
    }
    fn of(x: f32) -> Self {
        bf16::from_f32(x)
    }
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

fn of<T: Value>(work: &Work<'_>, inputs: &[Part<'_>], mut output: Part<'_>) -> Result<(), String> {
    let numbers = work.numbers();
    let out = output.elements_mut::<T>();
    match work.op() {
        Some(Op::Product) => {
            let (rows, columns, inner) = (numbers.rows, numbers.columns, numbers.inner);
            let (a, b) = (inputs[0].elements::<T>(), inputs[1].elements::<T>());
            let (la, lb) = (work.matrices(0), work.matrices(1));
            for i in 0..numbers.batch {
                let (a, b) = (&a[la.starts[i] as usize..], &b[lb.starts[i] as usize..]);
                for r in 0..rows {
                    for c in 0..columns {
                        let mut sum = 0.0;
                        for k in 0..inner {
                            sum += a[r * la.row + k * la.column].to() * b[k * lb.row + c * lb.column].to();
                        }
                        sum *= numbers.alpha;
                        if numbers.beta != 0.0 {
                            let lc = work.matrices(2);
                            let c0 = &inputs[2].elements::<T>()[lc.starts[i] as usize..];
                            sum += numbers.beta * c0[r * lc.row + c * lc.column].to();
                        }
                        out[(i * rows + r) * columns + c] = T::of(sum);
                    }
                }
            }
        }
        Some(Op::Softmax) => {
            let x = inputs[0].elements::<T>();
            for (x, out) in x.chunks(numbers.inner).zip(out.chunks_mut(numbers.inner)) {
                let most = x.iter().fold(f32::NEG_INFINITY, |m, x| m.max(x.to()));
                let sum: f32 = x.iter().map(|x| (x.to() - most).exp()).sum();
                for (x, out) in x.iter().zip(out) {
                    *out = T::of((x.to() - most).exp() / sum);
                }
            }
        }
        Some(Op::Sum) => {
            let x = inputs[0].elements::<T>();
            for (x, out) in x.chunks(numbers.inner).zip(out) {
                *out = T::of(x.iter().map(|x| x.to()).sum());
            }
        }
        other => return Err(format!("[cpu] no kernel computes {other:?}.")),
    }
    Ok(())
}
