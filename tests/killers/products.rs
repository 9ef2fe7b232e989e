//! Products that MLX computes from foreign memory, or whose numbers it divides by when they are 0.

use crate::{check, programs, programs::Program, refused};
use mlx::{Dtype, ErrorKind, Tensor, ops, prelude::*};

pub(crate) const PROGRAMS: &[Program] = &[
    ("gathered_matrices_out_of_bounds", gathered_matrices_out_of_bounds),
    ("gathered_matrices_by_lazy_indices", gathered_matrices_by_lazy_indices),
    ("segments_out_of_bounds", segments_out_of_bounds),
    ("segments_of_nothing", segments_of_nothing),
    ("sums_of_nothing_out_of_order", sums_of_nothing_out_of_order),
    ("einsum_of_strange_text", einsum_of_strange_text),
];

fn counted(shape: &[i32]) -> Tensor {
    let size: i32 = shape.iter().product();
    ops::arange(0, size, 1).unwrap().astype(Dtype::Float32).reshape(shape)
}

fn indices(values: &[i32]) -> Tensor {
    Tensor::from_slice(values).unwrap()
}

fn gathered_matrices_out_of_bounds() {
    let (a, b) = (counted(&[2, 1, 1]), counted(&[3, 1, 1]));
    for (left, right) in [(2, 0), (0, 3), (-1, 0), (0, -3), (i32::MAX, 0), (0, i32::MIN)] {
        let found = ops::gather_mm(&a, &b, &indices(&[left]), &indices(&[right]));
        refused(found, ErrorKind::Index);
    }
    refused(ops::gather_mm(&a, &b, .., &tensor![3_i64, 1]), ErrorKind::Index);
    refused(ops::gather_mm(&a, &b, .., &Tensor::from_slice(&[u64::MAX, 0]).unwrap()), ErrorKind::Index);
    refused(ops::gather_mm_sorted(&a, &b, &indices(&[9]), ..), ErrorKind::Index);
    // Batches of nothing, over which MLX would divide.
    let none = ops::zeros([0, 1, 1], Dtype::Float32).unwrap();
    refused(ops::gather_mm(&none, &b, &indices(&[0]), &indices(&[0])), ErrorKind::Index);
    refused(
        ops::gather_mm(&a, &none, &indices(&[0]).index(0..), &indices(&[0]).index(0..)),
        ErrorKind::Index,
    );
    // A matrix is the only one of its kind.
    refused(ops::gather_mm(&a, &counted(&[1, 1]), .., &indices(&[1, 0])), ErrorKind::Index);
    check(ops::gather_mm(&a, &b, &indices(&[1, 0]), &indices(&[2, 2])), &[2, 0]);
    programs::end();
}

fn gathered_matrices_by_lazy_indices() {
    let (a, b) = (counted(&[2, 1, 1]), counted(&[3, 1, 1]));
    let lazy = |values: &[i32]| indices(values) + 0;
    check(ops::gather_mm(&a, &b, .., &lazy(&[0, 2])), &[0, 2]);
    check(ops::gather_mm(&a, &b, .., &lazy(&[0, i32::MAX])), &[0, 2]);
    check(ops::gather_mm(&a, &b, .., &lazy(&[-1, i32::MIN])), &[0, 2]);
    check(ops::gather_mm(&a, &b, &lazy(&[7, 0]), &lazy(&[1, 1])), &[1, 0]);
    let wide = Tensor::from_slice(&[i64::MAX, i64::MIN]).unwrap() + 0;
    check(ops::gather_mm(&a, &b, .., &wide), &[0, 0]);
    // Readable, but not in order.
    let spread = indices(&[0, 5, 2, 5]);
    let spread = spread.index(Slice::step(.., 2));
    check(ops::gather_mm(&a, &b, .., &spread), &[0, 2]);
    programs::end();
}

fn segments_out_of_bounds() {
    let (a, b) = (ops::ones([1, 8], Dtype::Float32).unwrap(), ops::ones([8, 1], Dtype::Float32).unwrap());
    let segment = |start: i32, end: i32| Tensor::from_shape_slice([1, 2], &[start, end]).unwrap();
    for (start, end) in [(0, 9), (8, 9), (0, -1), (7, i32::MAX), (-2, -1)] {
        refused(ops::segmented_mm(&a, &b, &segment(start, end)), ErrorKind::Index);
    }
    let shorter = ops::ones([1, 3], Dtype::Float32).unwrap();
    refused(ops::segmented_mm(&shorter, &b, &segment(0, 8)), ErrorKind::Index);
    check(ops::segmented_mm(&shorter, &b, &segment(0, 3)), &[3]);
    // Where the end does not lie behind the start MLX reads nothing.
    check(ops::segmented_mm(&a, &b, &segment(9, 9)), &[0]);
    check(ops::segmented_mm(&a, &b, &segment(-1, 3)), &[0]);
    let lazy = |start: i32, end: i32| segment(start, end) + 0;
    check(ops::segmented_mm(&a, &b, &lazy(2, 5)), &[3]);
    check(ops::segmented_mm(&a, &b, &lazy(2, i32::MAX)), &[6]);
    check(ops::segmented_mm(&a, &b, &lazy(9, 100)), &[0]);
    check(ops::segmented_mm(&a, &b, &lazy(0, -1)), &[8]);
    check(ops::segmented_mm(&shorter, &b, &lazy(0, 8)), &[3]);
    programs::end();
}

/// MLX divides by the numbers of rows and columns.
fn segments_of_nothing() {
    let whole = Tensor::from_shape_slice([1, 2], &[0, 4]).unwrap();
    for dtype in [Dtype::Float32, Dtype::Float16, Dtype::Float64] {
        let zeros = |rows, columns| ops::zeros([rows, columns], dtype).unwrap();
        for (a, b, shape) in [
            (zeros(0, 4), zeros(4, 3), [1, 0, 3]),
            (zeros(2, 4), zeros(4, 0), [1, 2, 0]),
            (zeros(0, 4), zeros(4, 0), [1, 0, 0]),
        ] {
            let y = ops::segmented_mm(&a, &b, &whole).unwrap();
            assert_eq!(y.shape(), shape);
            check(Ok(y), &[]);
        }
        let nothing = Tensor::from_shape_slice([1, 2], &[0, 0]).unwrap();
        check(ops::segmented_mm(&zeros(2, 0), &zeros(0, 1), &nothing), &[0, 0]);
    }
    programs::end();
}

/// MLX reads foreign memory, or never ends, where it reduces an empty tensor out of row-major order.
fn sums_of_nothing_out_of_order() {
    let empty = ops::zeros([0, 3], Dtype::Float32).unwrap();
    for x in [empty.t(), (&empty + 1).t(), empty.t().reshape([3, 1, 0]).transpose([2, 0, 1])] {
        let last = x.ndim() as i32 - 1;
        for axis in 0..=last {
            let y = ops::vecdot(&x, &x, axis).unwrap();
            check(Ok(y.clone()), &vec![0; y.size()]);
        }
    }
    let x = empty.t();
    check(ops::einsum("ij->i", [&x]), &[0; 3]);
    check(ops::einsum("ij->j", [&x]), &[]);
    check(ops::einsum("ij,ij->i", [&x, &x]), &[0; 3]);
    check(ops::einsum("ij,ij->", [&x, &x]), &[0]);
    check(ops::einsum("ij,k->ik", [&x, &ops::ones([1], Dtype::Float32).unwrap()]), &[0; 3]);
    for text in ["ij,ij,ij->i", "ij,ij,ij->j", "ij,ij,ij->", "ij,kj,lj->ikl"] {
        let y = ops::einsum(text, [&x, &x, &x]).unwrap();
        check(Ok(y.clone()), &vec![0; y.size()]);
    }
    programs::end();
}

fn einsum_of_strange_text() {
    let x = ops::ones([1, 1], Dtype::Float32).unwrap();
    let letters: String = ('a'..='z').chain('A'..='Z').collect();
    let texts = [
        "", ",", "->", "-", ">", ".", "..", "....", "......", "...i...", "i\0j", "\0", "ä", "i€", "ij->ij->",
        ",,,,,", "ij-", " ", "i j", "\u{7f}", "i,\0", "->->", "..->..", "ij->...", "...->ij", "ij->i.j",
        "\n", "ij\n",
    ];
    for text in texts.into_iter().chain([
        letters.as_str(),
        &letters.repeat(50),
        &"...".repeat(1000),
        &",".repeat(5000),
    ]) {
        for operands in [&[][..], &[&x], &[&x, &x], &[&x, &x, &x]] {
            let path = ops::einsum_path(text, operands.iter().copied());
            let sum = ops::einsum(text, operands.iter().copied());
            if let Ok(y) = sum {
                assert!(path.is_ok(), "{text:?}");
                y.eval().unwrap();
            }
        }
    }
    // More axes than letters are left for.
    let deep = ops::ones([1; 30], Dtype::Float32).unwrap();
    let text = format!("{},...,...", &letters[..30]);
    refused(ops::einsum(&text, [&deep, &deep, &deep]), ErrorKind::Value);
    assert!(ops::einsum_path(&text, [&deep, &deep, &deep]).is_err());
    let text = format!("{},...->...", &letters[..22]);
    let flat = ops::ones([1; 22], Dtype::Float32).unwrap();
    check(ops::einsum(&text, [&flat, &deep]), &[1]);
    programs::end();
}
