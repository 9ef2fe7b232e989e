//! A row of the tables: an op, what it is called with, and what MLX is known to refuse or to get wrong.
//!
//! Not here: what is checked (`check`), the rows (the other files).

use mlx::{Complex32, Dtype, Result, Tensor, prelude::*};

type Shape = &'static [i32];
pub(crate) use Input::{At, C, Fixed, G, I, N, P, U};

/// An argument. All numbers are made from their places alone: irregular, and the same in each run.
#[derive(Clone, Copy)]
pub(crate) enum Input {
    /// Of either sign, 0.2 to 1.6 away from 0.
    N(Shape),
    /// From 0.7 to 2.5.
    P(Shape),
    /// Of either sign, 0.1 to 0.7 away from 0.
    U(Shape),
    /// From 1.2 to 3.
    G(Shape),
    /// Complex, both parts as those of `N`.
    C(Shape),
    /// Numbers as those of `N` that nothing is differentiated by.
    Fixed(Shape),
    /// These numbers.
    At(Shape, &'static [f64]),
    /// These integers, int32.
    I(Shape, &'static [i32]),
}

impl Input {
    pub(crate) fn shape(self) -> Shape {
        match self {
            N(shape)
            | P(shape)
            | U(shape)
            | G(shape)
            | C(shape)
            | Fixed(shape)
            | At(shape, _)
            | I(shape, _) => shape,
        }
    }

    /// Whether derivatives are taken by it.
    pub(crate) fn is_free(self) -> bool {
        !matches!(self, Fixed(_) | I(..))
    }

    /// How many numbers it has; a complex one has two.
    fn count(self) -> usize {
        let elements: i32 = self.shape().iter().product();
        elements as usize * if matches!(self, C(_)) { 2 } else { 1 }
    }

    /// The numbers of the argument at `place`, of the `item`th call of several.
    pub(crate) fn numbers(self, place: usize, item: usize) -> Vec<f64> {
        let (low, high, signed) = match self {
            N(_) | C(_) | Fixed(_) => (0.2, 1.6, true),
            P(_) => (0.7, 2.5, false),
            U(_) => (0.1, 0.7, true),
            G(_) => (1.2, 3.0, false),
            At(_, values) => return rotated(values.to_vec(), item),
            I(_, values) => return rotated(values.iter().map(|&value| f64::from(value)).collect(), item),
        };
        let number = |i| {
            let size = low + (high - low) * irregular([place, item, i, 0]);
            if signed && irregular([place, item, i, 1]) < 0.5 { -size } else { size }
        };
        (0..self.count()).map(number).collect()
    }

    /// The tensor with these numbers.
    pub(crate) fn tensor(self, numbers: &[f64], dtype: Dtype) -> Tensor {
        let dtype = match self {
            C(_) => Dtype::Complex64,
            I(..) => Dtype::Int32,
            _ => dtype,
        };
        made(self.shape(), numbers, dtype)
    }
}

fn rotated(mut values: Vec<f64>, by: usize) -> Vec<f64> {
    let count = values.len().max(1);
    values.rotate_left(by % count);
    values
}

/// A tensor of numbers, two for each complex element.
pub(crate) fn made(shape: &[i32], numbers: &[f64], dtype: Dtype) -> Tensor {
    if dtype == Dtype::Complex64 {
        let pairs = numbers.chunks(2).map(|pair| Complex32::new(pair[0] as f32, pair[1] as f32));
        return Tensor::from_shape_slice(shape, &pairs.collect::<Vec<_>>()).unwrap();
    }
    Tensor::from_shape_slice(shape, numbers).unwrap().astype(dtype)
}

/// From 0 to 1, by SplitMix64.
pub(crate) fn irregular(at: [usize; 4]) -> f64 {
    let mut state = 0_u64;
    for part in at {
        state = (state ^ part as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
    }
    (state >> 11) as f64 / (1_u64 << 53) as f64
}

/// The call of an op with the arguments in order.
#[derive(Clone, Copy)]
enum Call {
    One(fn(&[Tensor]) -> Result<Tensor>),
    Several(fn(&[Tensor]) -> Result<Vec<Tensor>>),
}

/// What MLX gives instead of a derivative that finite differences confirm.
#[derive(Clone, Copy)]
pub(crate) struct Wrong {
    /// Which argument, counted from 0.
    pub(crate) by: usize,
    /// The numbers that MLX gives; Python's are the same.
    pub(crate) gradient: &'static [f64],
}

/// An op and its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// Python's names for it, each with its module.
    pub(crate) names: &'static str,
    pub(crate) inputs: &'static [Input],
    call: Call,
    /// What real arguments are made of.
    pub(crate) dtype: Dtype,
    /// The step of finite differences.
    pub(crate) step: f64,
    /// How far a derivative may be from finite differences.
    pub(crate) bound: f64,
    /// How far a vectorised result may be from the single ones; 0 where the bits are the same.
    pub(crate) vmap_bound: f64,
    /// Words of MLX's error where it cannot compute the op on a CPU.
    pub(crate) no_call: Option<&'static str>,
    /// Words of MLX's error where it has no rule.
    pub(crate) no_vjp: Option<&'static str>,
    pub(crate) no_jvp: Option<&'static str>,
    /// As these, and the ways to vectorise that are refused.
    pub(crate) no_vmap: &'static [(&'static str, &'static str)],
    pub(crate) wrong: &'static [Wrong],
    /// The product of the cotangents with the Jacobian and the tangents that MLX gives, where it is wrong.
    pub(crate) wrong_product: Option<f64>,
    /// The ways to vectorise that give something else than single calls.
    pub(crate) wrong_vmap: &'static [&'static str],
    pub(crate) is_plain: bool,
    pub(crate) is_discrete: bool,
}

/// What float64 gives with the step h = 1/1024: truncation is h⁴/30, 3e-14, of the fifth derivative, which is below 1e4
/// here, and rounding 1.5 ulp over h, 2e-13 of the sum, which is below 1e3.
pub(crate) const DOUBLE: f64 = 1e-9;
/// What float32 gives with the step h = 1/32: truncation 3e-8 of the fifth derivative, and rounding 3e-6 of the sum.
pub(crate) const SINGLE: f64 = 1e-4;

impl Row {
    const fn new(names: &'static str, inputs: &'static [Input], call: Call) -> Row {
        Row {
            names,
            inputs,
            call,
            dtype: Dtype::Float64,
            step: 1.0 / 1024.0,
            bound: DOUBLE,
            vmap_bound: 0.0,
            no_call: None,
            no_vjp: None,
            no_jvp: None,
            no_vmap: &[],
            wrong: &[],
            wrong_product: None,
            wrong_vmap: &[],
            is_plain: false,
            is_discrete: false,
        }
    }

    /// An op that refuses float64, or gives float32 or complex64 for it.
    pub(crate) const fn single(self) -> Row {
        let mut row = self.rough();
        row.dtype = Dtype::Float32;
        row
    }

    /// An op that takes float64 and computes it as float32, as MLX's vector exp, sin, cos and erf do.
    pub(crate) const fn rough(mut self) -> Row {
        self.step = 1.0 / 32.0;
        self.bound = SINGLE;
        self
    }

    /// Derivatives that are known less well than rounding allows; the row says why.
    pub(crate) const fn within(mut self, bound: f64) -> Row {
        self.bound = bound;
        self
    }

    /// Vectorised, it sums in another order.
    pub(crate) const fn vmap_within(mut self, bound: f64) -> Row {
        self.vmap_bound = bound;
        self
    }

    pub(crate) const fn no_vjp(mut self, words: &'static str) -> Row {
        self.no_vjp = Some(words);
        self
    }

    pub(crate) const fn no_jvp(mut self, words: &'static str) -> Row {
        self.no_jvp = Some(words);
        self
    }

    /// Neither products forward nor backward.
    pub(crate) const fn no_gradient(self, words: &'static str) -> Row {
        self.no_vjp(words).no_jvp(words)
    }

    pub(crate) const fn no_vmap(mut self, refused: &'static [(&'static str, &'static str)]) -> Row {
        self.no_vmap = refused;
        self
    }

    pub(crate) const fn wrong(mut self, wrong: &'static [Wrong]) -> Row {
        self.wrong = wrong;
        self
    }

    pub(crate) const fn wrong_product(mut self, product: f64) -> Row {
        self.wrong_product = Some(product);
        self
    }

    pub(crate) const fn wrong_vmap(mut self, ways: &'static [&'static str]) -> Row {
        self.wrong_vmap = ways;
        self
    }

    /// A complex function f whose gradient is the cotangent times f', where others of MLX's have the conjugate of f'.
    pub(crate) const fn plain(mut self) -> Row {
        self.is_plain = true;
        self
    }

    /// An op that MLX computes on GPUs alone.
    pub(crate) const fn no_call(mut self, words: &'static str) -> Row {
        self.no_call = Some(words);
        self
    }

    /// An op whose results are integers or bools: there is nothing to differentiate.
    pub(crate) const fn discrete(mut self) -> Row {
        self.is_discrete = true;
        self
    }

    pub(crate) fn call(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        match self.call {
            Call::One(call) => call(inputs).map(|output| vec![output]),
            Call::Several(call) => call(inputs),
        }
    }
}

/// An op with one result.
pub(crate) const fn row(
    names: &'static str,
    inputs: &'static [Input],
    call: fn(&[Tensor]) -> Result<Tensor>,
) -> Row {
    Row::new(names, inputs, Call::One(call))
}

/// An op with several results.
pub(crate) const fn rows(
    names: &'static str,
    inputs: &'static [Input],
    call: fn(&[Tensor]) -> Result<Vec<Tensor>>,
) -> Row {
    Row::new(names, inputs, Call::Several(call))
}
