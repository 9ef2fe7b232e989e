//! Quantized matrices made at random, their values in double precision, and what MLX's own CPU kernels make of them.

use half::{bf16, f16};
use mlx_cpu::{
    Floats, FloatsMut, Isa,
    quantized::{Format, Product, Scales, Weights, gather, matmul},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    F32,
    F16,
    Bf16,
}

impl Type {
    pub(crate) const ALL: [Type; 3] = [Type::F32, Type::F16, Type::Bf16];

    /// The value as this type holds it.
    pub(crate) fn round(self, value: f32) -> f32 {
        match self {
            Type::F32 => value,
            Type::F16 => f16::from_f32(value).to_f32(),
            Type::Bf16 => bf16::from_f32(value).to_f32(),
        }
    }
}

/// Numbers of one type, kept as they are handed over.
#[derive(Clone, Debug)]
pub(crate) enum Values {
    F32(Vec<f32>),
    F16(Vec<f16>),
    Bf16(Vec<bf16>),
}

impl Values {
    pub(crate) fn new(of: Type, values: impl IntoIterator<Item = f32>) -> Values {
        let values = values.into_iter();
        match of {
            Type::F32 => Values::F32(values.collect()),
            Type::F16 => Values::F16(values.map(f16::from_f32).collect()),
            Type::Bf16 => Values::Bf16(values.map(bf16::from_f32).collect()),
        }
    }

    pub(crate) fn floats(&self) -> Floats<'_> {
        match self {
            Values::F32(values) => Floats::F32(values),
            Values::F16(values) => Floats::F16(values),
            Values::Bf16(values) => Floats::Bf16(values),
        }
    }

    pub(crate) fn floats_mut(&mut self) -> FloatsMut<'_> {
        match self {
            Values::F32(values) => FloatsMut::F32(values),
            Values::F16(values) => FloatsMut::F16(values),
            Values::Bf16(values) => FloatsMut::Bf16(values),
        }
    }

    pub(crate) fn wide(&self) -> Vec<f32> {
        match self {
            Values::F32(values) => values.clone(),
            Values::F16(values) => values.iter().map(|value| value.to_f32()).collect(),
            Values::Bf16(values) => values.iter().map(|value| value.to_f32()).collect(),
        }
    }
}

/// A stack of quantized matrices that owns its parts.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    pub(crate) format: Format,
    pub(crate) codes: Vec<u8>,
    /// Of affine formats.
    pub(crate) scales: Values,
    pub(crate) biases: Values,
    /// Of the others.
    pub(crate) bytes: Vec<u8>,
    pub(crate) count: usize,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl Stack {
    pub(crate) fn weights(&self) -> Weights<'_> {
        let Stack { format, count, rows, columns, .. } = *self;
        let scales = match format {
            Format::Affine { .. } => {
                Scales::Affine { scales: self.scales.floats(), biases: self.biases.floats() }
            }
            _ => Scales::Bytes { scales: &self.bytes, global: 1.0 },
        };
        Weights { format, codes: &self.codes, scales, count, rows, columns }
    }

    pub(crate) fn code(&self, row: usize, column: usize) -> u8 {
        let bits = self.format.bits();
        let start = (row * self.columns + column) * bits;
        let byte = |i: usize| u16::from(self.codes.get(i).copied().unwrap_or(0));
        let word = byte(start / 8) | byte(start / 8 + 1) << 8;
        (word >> (start % 8) & ((1 << bits) - 1)) as u8
    }

    /// The scale and the bias of a weight's group.
    pub(crate) fn scale(&self, row: usize, column: usize) -> (f32, f32) {
        let group = (row * self.columns + column) / self.format.group();
        match self.format {
            Format::Affine { .. } => (one(&self.scales, group), one(&self.biases, group)),
            Format::Nvfp4 => (e4m3(self.bytes[group]), 0.0),
            _ => (2_f32.powi(i32::from(self.bytes[group]) - 127), 0.0),
        }
    }

    /// What a code stands for before it is scaled.
    pub(crate) fn unscaled(&self, row: usize, column: usize) -> f32 {
        let code = self.code(row, column);
        match self.format {
            Format::Affine { .. } => f32::from(code),
            Format::Mxfp8 => e4m3(code),
            _ => {
                let magnitude = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0][usize::from(code & 7)];
                if code & 8 == 0 { magnitude } else { -magnitude }
            }
        }
    }

    /// A weight, exactly.
    pub(crate) fn exact(&self, row: usize, column: usize) -> f64 {
        let (scale, bias) = self.scale(row, column);
        f64::from(scale) * f64::from(self.unscaled(row, column)) + f64::from(bias)
    }
}

fn one(values: &Values, at: usize) -> f32 {
    match values {
        Values::F32(values) => values[at],
        Values::F16(values) => values[at].to_f32(),
        Values::Bf16(values) => values[at].to_f32(),
    }
}

/// e4m3 by its definition, without NaN.
pub(crate) fn e4m3(code: u8) -> f32 {
    let (exponent, mantissa) = (i32::from(code >> 3 & 15), f32::from(code & 7));
    let magnitude = match exponent {
        0 => mantissa * 2_f32.powi(-9),
        _ => (1.0 + mantissa / 8.0) * 2_f32.powi(exponent - 7),
    };
    if code & 0x80 == 0 { magnitude } else { -magnitude }
}

/// One product: rows of `x` with the matrices of a stack.
pub(crate) struct Case {
    pub(crate) stack: Stack,
    pub(crate) of: Type,
    pub(crate) x: Values,
    pub(crate) m: usize,
    pub(crate) transpose: bool,
}

impl Case {
    /// Rows of `w` that are summed over, and outputs in a row.
    pub(crate) fn sizes(&self) -> (usize, usize) {
        let Stack { rows, columns, .. } = self.stack;
        if self.transpose { (columns, rows) } else { (rows, columns) }
    }

    pub(crate) fn product(&self, isa: Isa) -> Product<'_> {
        let (x, weights) = (self.x.floats(), self.stack.weights());
        Product { x, m: self.m, weights, transpose: self.transpose, isa: Some(isa) }
    }

    pub(crate) fn ours(&self, isa: Isa) -> Vec<f32> {
        let len = self.stack.count * self.m * self.sizes().1;
        let mut out = Values::new(self.of, vec![f32::NAN; len]);
        matmul(&self.product(isa), out.floats_mut()).unwrap();
        out.wide()
    }

    pub(crate) fn gathered(&self, isa: Isa, lhs: &[u32], rhs: &[u32]) -> Vec<f32> {
        let mut out = Values::new(self.of, vec![f32::NAN; lhs.len() * self.m * self.sizes().1]);
        gather(&self.product(isa), lhs, rhs, out.floats_mut()).unwrap();
        out.wide()
    }

    /// Each output of the first matrix as `f` makes it from a row of `x`, the sum's length, and the place of the `k`th weight.
    fn outputs<T>(&self, f: impl Fn(&[f32], &dyn Fn(usize) -> (usize, usize)) -> T) -> Vec<T> {
        let (x, (depth, width)) = (self.x.wide(), self.sizes());
        let mut out = Vec::new();
        for row in 0..self.m {
            for n in 0..width {
                let place = |k: usize| if self.transpose { (n, k) } else { (k, n) };
                out.push(f(&x[row * depth..(row + 1) * depth], &place));
            }
        }
        out
    }

    /// In double precision: the sum, and the sum of the magnitudes of all that is added.
    pub(crate) fn exact(&self) -> Vec<(f64, f64)> {
        self.outputs(|x, place| {
            let product = |(k, &x): (usize, &f32)| {
                let (row, column) = place(k);
                let (scale, bias) = self.stack.scale(row, column);
                let scaled =
                    f64::from(scale * self.stack.unscaled(row, column)).abs() + f64::from(bias).abs();
                (f64::from(x) * self.stack.exact(row, column), f64::from(x.abs()) * scaled)
            };
            let products = x.iter().enumerate().map(product);
            products.fold((0.0, 0.0), |(sum, sizes), (product, size)| (sum + product, sizes + size))
        })
    }

    /// As MLX's CPU kernels: one value after the other, each step rounded to the type.
    pub(crate) fn stock(&self) -> Vec<f32> {
        let round = |value| self.of.round(value);
        let affine = matches!(self.stack.format, Format::Affine { .. });
        self.outputs(|x, place| {
            let (mut sum, mut of_group) = (0.0, 0.0);
            for (k, &x) in x.iter().enumerate() {
                let (row, column) = place(k);
                let (scale, bias) = self.stack.scale(row, column);
                let (scale, value) = (round(scale), round(self.stack.unscaled(row, column)));
                if affine {
                    sum = round(sum + round(x * round(round(scale * value) + bias)));
                } else if !self.transpose {
                    sum = round(sum + round(round(x * scale) * value));
                } else {
                    of_group = round(of_group + round(x * value));
                    if (k + 1).is_multiple_of(self.stack.format.group()) {
                        sum = round(sum + round(scale * of_group));
                        of_group = 0.0;
                    }
                }
            }
            sum
        })
    }
}
