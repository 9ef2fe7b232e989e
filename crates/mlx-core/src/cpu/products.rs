//! Products of dense matrices, one or many.

use super::run::Float;
use crate::ffi::cpu::{Matrices, Part, Work};
use mlx_cpu::{
    Isa,
    dense::{Layout, Matmul},
    pool, share,
};

pub(super) fn matmul<T: Float>(work: &Work<'_>, inputs: &[Part<'_>], out: &mut [T]) -> Result<(), String> {
    let numbers = work.numbers();
    let (m, n, k) = (numbers.rows, numbers.columns, numbers.inner);
    let isa = Isa::chosen()?;
    let (a, b) = (inputs[0].elements::<T>(), inputs[1].elements::<T>());
    let (of_a, of_b) = (work.matrices(0), work.matrices(1));
    let added = inputs.get(2).filter(|_| numbers.beta != 0.0).map(|c| (c.elements::<T>(), work.matrices(2)));
    let product = Matmul {
        a: layout(of_a),
        b: layout(of_b),
        alpha: numbers.alpha,
        beta: if added.is_some() { numbers.beta } else { 0.0 },
        ..Matmul::new(m, n, k)
    };
    let one = |i: usize, out: &mut [T]| {
        if let Some((c, of_c)) = added {
            copy(&c[of_c.starts[i] as usize..], of_c, out, n);
        }
        let (a, b) = (&a[of_a.starts[i] as usize..], &b[of_b.starts[i] as usize..]);
        product.run(isa, T::floats(a), T::floats(b), T::floats_mut(out))
    };
    if numbers.batch < pool::threads() || share::is_little(numbers.batch * m * n * k) {
        return out.chunks_mut(m * n).enumerate().try_for_each(|(i, out)| one(i, out));
    }
    let failed = parking_lot::Mutex::new(Ok(()));
    share::each(out.chunks_mut(m * n).enumerate().collect(), |(i, out)| {
        if let Err(text) = one(i, out) {
            *failed.lock() = Err(text);
        }
    });
    failed.into_inner()
}

/// One of the two steps is 1.
fn layout(matrices: Matrices<'_>) -> Layout {
    if matrices.column == 1 { Layout::rows(matrices.row) } else { Layout::columns(matrices.column) }
}

/// Writes a matrix to `out`, in rows of `columns`.
fn copy<T: Float>(from: &[T], lies: Matrices<'_>, out: &mut [T], columns: usize) {
    for (row, out) in out.chunks_mut(columns).enumerate() {
        let from = &from[row * lies.row..];
        if lies.column == 1 {
            out.copy_from_slice(&from[..columns]);
        } else {
            for (column, out) in out.iter_mut().enumerate() {
                *out = from[column * lies.column];
            }
        }
    }
}
