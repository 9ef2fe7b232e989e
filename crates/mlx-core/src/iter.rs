//! Iterators: over a tensor's first axis, and sums and products of iterators of tensors; the nodes Python issues.

use crate::{
    BinaryOperator, Operand, OperandRef, Result, Scalar, Tensor,
    error::or_panic,
    ffi::{self, Span},
};
use std::iter::{FusedIterator, Product, Sum};

/// The longest first axis that Python takes apart in one node.
const MOST_PARTS: i32 = 9;

/// The subtensors of a tensor's first axis, in order: what Python's `for row in x` gives.
///
/// From [`Tensor::iter`]. A first axis of up to 9 is one `Split` and a `Squeeze` a row, a longer one a `Slice` and a
/// `Reshape` a row.
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    tensor: &'a Tensor,
    /// The parts of a short axis; empty for a long one.
    parts: Vec<Tensor>,
    start: i32,
    end: i32,
}

impl Tensor {
    /// The subtensors of the first axis, in order.
    ///
    /// # Panics
    /// If the tensor is 0-d; Python raises there, too. ([`ndim`](Tensor::ndim) tells.)
    ///
    /// ```
    /// # use mlx_core::{Tensor, tensor};
    /// let x = tensor![[1, 2], [3, 4]];
    /// let sums: Vec<Tensor> = x.iter().rev().map(|row| row * 10).collect();
    /// assert_eq!(sums[0].to_vec::<i32>()?, [30, 40]);
    /// assert_eq!(x.iter().len(), 2);
    /// for row in &x {
    ///     assert_eq!(row.shape(), [2]);
    /// }
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn iter(&self) -> Iter<'_> {
        let Some(&end) = self.shape().first() else {
            panic!("iter: iteration over a 0-d tensor (operands: {})", OperandRef::from(self));
        };
        let parts = if (1..=MOST_PARTS).contains(&end) { ffi::split(self, end, 0) } else { Ok(Vec::new()) };
        match parts {
            Ok(parts) => Iter { tensor: self, parts, start: 0, end },
            Err(error) => panic!("{error}"),
        }
    }
}

impl<'a> IntoIterator for &'a Tensor {
    type Item = Tensor;
    type IntoIter = Iter<'a>;

    /// As [`Tensor::iter`].
    #[track_caller]
    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl Iter<'_> {
    fn row(&self, position: i32) -> Result<Tensor> {
        if let Some(part) = self.parts.get(position as usize) {
            return ffi::squeeze_axes(part, &[0]);
        }
        let sizes = self.tensor.shape();
        let row = ffi::slice(self.tensor, &[Span::new(position, position + 1, 1)])?;
        ffi::reshape(&row, &sizes[1..])
    }
}

impl Iterator for Iter<'_> {
    type Item = Tensor;

    fn next(&mut self) -> Option<Tensor> {
        self.nth(0)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.end - self.start) as usize;
        (left, Some(left))
    }

    /// Skipped rows cost nothing.
    fn nth(&mut self, n: usize) -> Option<Tensor> {
        let position = self.start.saturating_add(i32::try_from(n).unwrap_or(i32::MAX)).min(self.end);
        self.start = position.saturating_add(1).min(self.end);
        (position < self.end).then(|| or_panic(self.row(position)))
    }
}

impl DoubleEndedIterator for Iter<'_> {
    fn next_back(&mut self) -> Option<Tensor> {
        (self.start < self.end).then(|| {
            self.end -= 1;
            or_panic(self.row(self.end))
        })
    }
}

impl ExactSizeIterator for Iter<'_> {}
impl FusedIterator for Iter<'_> {}

/// Python's `sum()` starts at the integer 0 and `math.prod()` at 1: `0 + x` is `Add(x, 0)`, and nothing is int32.
macro_rules! folds {
    ($($trait:ident $method:ident $start:literal $operator:ident $python:literal;)*) => {
        $(
        #[doc = concat!("As Python's `", $python, "`, which starts at the integer ", stringify!($start), ".")]
        ///
        /// # Panics
        /// If the shapes do not broadcast.
        impl $trait for Tensor {
            fn $method<I: Iterator<Item = Tensor>>(tensors: I) -> Tensor {
                fold(BinaryOperator::$operator, $start, tensors)
            }
        }

        #[doc = concat!("As Python's `", $python, "`, which starts at the integer ", stringify!($start), ".")]
        ///
        /// # Panics
        /// If the shapes do not broadcast.
        impl<'a> $trait<&'a Tensor> for Tensor {
            fn $method<I: Iterator<Item = &'a Tensor>>(tensors: I) -> Tensor {
                fold(BinaryOperator::$operator, $start, tensors)
            }
        }
        )*
    };
}

folds! {
    Sum sum 0 Add "sum()";
    Product product 1 Multiply "math.prod()";
}

fn fold<T: Operand>(operator: BinaryOperator, start: i64, mut tensors: impl Iterator<Item = T>) -> Tensor {
    let Some(first) = tensors.next() else {
        return or_panic(Tensor::weak("sum", Scalar::Int(start), None));
    };
    let started = or_panic(operator.apply(start.operand(), first.operand()));
    tensors.fold(started, |total, next| or_panic(operator.apply((&total).into(), next.operand())))
}
