//! Matrices as decoding takes them: transposed once, those of one input put together.
//!
//! Not here: what they are for (`decode`).

use crate::lora::Projection;
use mlx::{
    ErrorKind,
    fast::{QuantizedTensor, quantized_matmul},
    nn::{Embedding, MaybeQuantized, QuantizedForm},
    ops,
    prelude::*,
};

/// What activations are multiplied with, and what is added then.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    weight: Weight,
    bias: Option<Tensor>,
}

#[derive(Clone, Debug)]
enum Weight {
    /// `[inputs, outputs]`: a view of the rows, made once.
    Transposed(Tensor),
    Quantized(QuantizedTensor),
}

impl Matrix {
    /// `x`, `[time, inputs]`, as `[time, outputs]`.
    ///
    /// # Errors
    /// Shapes that do not fit.
    pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match (&self.weight, &self.bias) {
            (Weight::Transposed(weight), None) => ops::matmul(x, weight),
            (Weight::Transposed(weight), Some(bias)) => ops::addmm(bias, x, weight, 1.0, 1.0),
            (Weight::Quantized(weight), None) => quantized_matmul(x, weight, true),
            (Weight::Quantized(weight), Some(bias)) => ops::add(quantized_matmul(x, weight, true)?, bias),
        }
    }

    /// The rows of an embedding as what gives scores.
    ///
    /// # Errors
    /// What MLX refuses.
    pub(super) fn of_embedding(embedding: &MaybeQuantized<Embedding>) -> Result<Matrix> {
        let rows = match embedding {
            MaybeQuantized::Full(table) => Rows::Dense(table.weight.clone()),
            MaybeQuantized::Quantized(table) => Rows::Quantized(QuantizedTensor::new(
                table.weight.clone(),
                table.scales.clone(),
                table.biases.clone(),
                table.quantization(),
            )),
            _ => return refused("an embedding of a kind that is not known here"),
        };
        rows.turned(None)
    }

    /// A projection.
    ///
    /// # Errors
    /// One with a low-rank term, or that quantizes its input.
    pub(super) fn new(projection: Projection) -> Result<Matrix> {
        let (rows, bias) = parts(projection)?;
        rows.turned(bias)
    }

    /// Projections of one input as one, their outputs side by side; the memory of the single ones is given back. They come
    /// back as they are where they are quantized in different ways, or some have a bias.
    ///
    /// # Errors
    /// As [`new`](Matrix::new).
    pub(super) fn together<const N: usize>(projections: [Projection; N]) -> Result<Together<N>> {
        let parts = projections.into_iter().map(parts).collect::<Result<Vec<_>>>()?;
        let (rows, biases): (Vec<Rows>, Vec<Option<Tensor>>) = parts.into_iter().unzip();
        let given: Vec<&Tensor> = biases.iter().flatten().collect();
        if !rows.iter().all(|one| one.is_like(&rows[0])) || !(given.is_empty() || given.len() == N) {
            let single = rows.into_iter().zip(biases).map(|(rows, bias)| rows.turned(bias));
            let single = single.collect::<Result<Vec<_>>>()?;
            return Ok(Together::Apart(single.try_into().expect("as many as there were")));
        }
        let bias = if given.is_empty() { None } else { Some(ops::concatenate(given, 0)?) };
        Rows::joined(&rows)?.turned(bias).map(Together::One)
    }
}

/// What became of several projections.
#[derive(Clone, Debug)]
pub(super) enum Together<const N: usize> {
    One(Matrix),
    Apart([Matrix; N]),
}

/// A row for each output.
enum Rows {
    Dense(Tensor),
    Quantized(QuantizedTensor),
}

impl Rows {
    /// Whether the rows of both can stand in one matrix.
    fn is_like(&self, other: &Rows) -> bool {
        match (self, other) {
            (Rows::Dense(one), Rows::Dense(other)) => one.dtype() == other.dtype(),
            (Rows::Quantized(one), Rows::Quantized(other)) => {
                one.how == other.how && one.scales.dtype() == other.scales.dtype()
            }
            _ => false,
        }
    }

    /// All rows of some that are alike.
    fn joined(all: &[Rows]) -> Result<Rows> {
        let join = |part: &dyn Fn(&QuantizedTensor) -> Option<Tensor>| {
            let quantized = all.iter().filter_map(|rows| match rows {
                Rows::Dense(_) => None,
                Rows::Quantized(weight) => part(weight),
            });
            let parts: Vec<Tensor> = quantized.collect();
            if parts.is_empty() { Ok(None) } else { ops::concatenate(&parts, 0).map(Some) }
        };
        let dense = all.iter().filter_map(|rows| match rows {
            Rows::Dense(weight) => Some(weight),
            Rows::Quantized(_) => None,
        });
        Ok(match &all[0] {
            Rows::Dense(_) => Rows::Dense(ops::concatenate(dense, 0)?),
            Rows::Quantized(first) => {
                let packed = join(&|weight| Some(weight.packed.clone()))?;
                let scales = join(&|weight| Some(weight.scales.clone()))?;
                let biases = join(&|weight| weight.biases.clone())?;
                let (packed, scales) = packed.zip(scales).expect("the first has both");
                Rows::Quantized(QuantizedTensor::new(packed, scales, biases, first.how))
            }
        })
    }

    /// The matrix of these rows, computed now: later it is a leaf of each graph.
    fn turned(self, bias: Option<Tensor>) -> Result<Matrix> {
        let weight = match self {
            Rows::Dense(weight) => {
                let turned = ops::transpose(&weight, ..)?;
                mlx::eval([&turned])?;
                Weight::Transposed(turned)
            }
            Rows::Quantized(weight) => {
                mlx::eval([&weight.packed, &weight.scales].into_iter().chain(&weight.biases))?;
                Weight::Quantized(weight)
            }
        };
        mlx::eval(&bias)?;
        Ok(Matrix { weight, bias })
    }
}

fn parts(projection: Projection) -> Result<(Rows, Option<Tensor>)> {
    match projection {
        Projection::Base(MaybeQuantized::Full(linear)) => Ok((Rows::Dense(linear.weight), linear.bias)),
        Projection::Base(MaybeQuantized::Quantized(QuantizedForm::Weight(linear))) => {
            let how = linear.quantization();
            let weight = QuantizedTensor::new(linear.weight, linear.scales, linear.biases, how);
            Ok((Rows::Quantized(weight), linear.bias))
        }
        Projection::Base(_) => refused("a projection that quantizes its input"),
        Projection::Lora(_) => refused("a projection with a low-rank term: fuse it into the weight first"),
    }
}

pub(super) fn refused<T>(what: &str) -> Result<T> {
    Err(Error::new(ErrorKind::Value, "Decode", format!("there is no form for decoding of {what}")))
}
