//! Functions of `mlx.nn`: activations, and its submodules of losses and initialisers. Not here: layers (`layers`).

use super::{
    failure::{Failure, Result, unsupported},
    signature::{Bound, Call},
    value::Value,
};
use mlx_core::{Dtype, Operand, Scalar, Tensor};
use mlx_nn::{
    init::{self, Fan, Initializer},
    losses::{self, BinaryCrossEntropy, CosineSimilarity, CrossEntropy, GaussianNll, Reduction, Triplet},
};

fn tensor(made: mlx_core::Result<Tensor>) -> Result<Value> {
    Ok(Value::Tensor(made?))
}

/// What the activation `nn.NAME` gives.
pub(crate) fn activation(name: &str, call: &Call) -> Result<Value> {
    let alone: fn(&Tensor) -> mlx_core::Result<Tensor> = match name {
        "gelu" => mlx_nn::gelu,
        "gelu_approx" => mlx_nn::gelu_approx,
        "gelu_fast_approx" => mlx_nn::gelu_fast_approx,
        "hardswish" => mlx_nn::hardswish,
        "log_sigmoid" => mlx_nn::log_sigmoid,
        "mish" => mlx_nn::mish,
        "relu" => mlx_nn::relu,
        "relu2" => mlx_nn::relu2,
        "relu6" => mlx_nn::relu6,
        "selu" => mlx_nn::selu,
        "sigmoid" => mlx_nn::sigmoid,
        "silu" => mlx_nn::silu,
        "softplus" => mlx_nn::softplus,
        "softsign" => mlx_nn::softsign,
        "tanh" => mlx_nn::tanh,
        _ => return with_parameters(name, call),
    };
    tensor(alone(call.bind("x")?.tensor(0)?))
}

fn with_parameters(name: &str, call: &Call) -> Result<Value> {
    /// A tensor or a number, or the number that is Python's default.
    macro_rules! one {
        ($function:ident, $signature:literal, $default:literal) => {{
            let bound = call.bind($signature)?;
            let parameter = if bound.is_given(1) { bound.operand(1)? } else { $default.operand() };
            mlx_nn::$function(bound.tensor(0)?, parameter)
        }};
    }
    tensor(match name {
        "celu" => one!(celu, "x, alpha=", 1.0),
        "elu" => one!(elu, "x, alpha=", 1.0),
        "hard_shrink" => one!(hard_shrink, "x, lambd=", 0.5),
        "leaky_relu" => one!(leaky_relu, "x, negative_slope=", 0.01),
        "softshrink" => one!(softshrink, "x, lambd=", 0.5),
        "step" => one!(step, "x, threshold=", 0.0),
        "prelu" => {
            let bound = call.bind("x, alpha")?;
            mlx_nn::prelu(bound.tensor(0)?, bound.operand(1)?)
        }
        "hard_tanh" => {
            let bound = call.bind("x, min_val=, max_val=")?;
            let low = if bound.is_given(1) { bound.operand(1)? } else { (-1.0).operand() };
            let high = if bound.is_given(2) { bound.operand(2)? } else { 1.0.operand() };
            mlx_nn::hard_tanh(bound.tensor(0)?, low, high)
        }
        "glu" => {
            let bound = call.bind("x, axis=")?;
            mlx_nn::glu(bound.tensor(0)?, bound.int(1, -1)?)
        }
        "log_softmax" | "softmax" | "softmin" => {
            let bound = call.bind("x, axis=")?;
            let axes = if bound.is_given(1) { bound.axes(1)? } else { mlx_core::axes(-1) };
            let x = bound.tensor(0)?;
            match name {
                "log_softmax" => mlx_nn::log_softmax(x, axes),
                "softmax" => mlx_nn::softmax(x, axes),
                _ => mlx_nn::softmin(x, axes),
            }
        }
        _ => return unsupported(&call.op),
    })
}

/// A number, or a float that is Python's default.
fn number(bound: &Bound, i: usize, default: f64) -> Result<Scalar> {
    if bound.is_given(i) { bound.scalar(i, false) } else { Ok(Scalar::Float(default)) }
}

/// The loss with the reduction of parameter `i`; a wrong one is told after all else, as in Python.
fn reduced(
    bound: &Bound,
    i: usize,
    default: &str,
    loss: impl FnOnce(Reduction) -> mlx_core::Result<Tensor>,
) -> Result<Value> {
    let reduction = match bound.text(i, default)? {
        "none" => Reduction::None,
        "mean" => Reduction::Mean,
        "sum" => Reduction::Sum,
        _ => {
            loss(Reduction::None)?;
            let why = "Invalid reduction. Must be one of ('none', 'mean', 'sum').";
            return Err(Failure::raised("ValueError", why));
        }
    };
    tensor(loss(reduction))
}

/// What `losses.NAME` gives.
pub(crate) fn loss(name: &str, call: &Call) -> Result<Value> {
    match name {
        "l1_loss" => pair(call, "predictions, targets, reduction=", "mean", losses::l1_loss),
        "mse_loss" => pair(call, "predictions, targets, reduction=", "mean", losses::mse_loss),
        "hinge_loss" => pair(call, "inputs, targets, reduction=", "none", losses::hinge_loss),
        "log_cosh_loss" => pair(call, "inputs, targets, reduction=", "none", losses::log_cosh_loss),
        "smooth_l1_loss" => {
            let bound = call.bind("predictions, targets, beta=, reduction=")?;
            let (x, targets, beta) = (bound.tensor(0)?, bound.tensor(1)?, number(&bound, 2, 1.0)?);
            reduced(&bound, 3, "mean", |how| losses::smooth_l1_loss(x, targets, beta, how))
        }
        "huber_loss" => {
            let bound = call.bind("inputs, targets, delta=, reduction=")?;
            let (x, targets, delta) = (bound.tensor(0)?, bound.tensor(1)?, number(&bound, 2, 1.0)?);
            reduced(&bound, 3, "none", |how| losses::huber_loss(x, targets, delta, how))
        }
        "nll_loss" => {
            let bound = call.bind("inputs, targets, axis=, reduction=")?;
            let (x, targets, axis) = (bound.tensor(0)?, bound.tensor(1)?, bound.int(2, -1)?);
            reduced(&bound, 3, "none", |how| losses::nll_loss(x, targets, axis, how))
        }
        "kl_div_loss" => {
            let bound = call.bind("inputs, targets, axis=, reduction=")?;
            let axes = if bound.is_given(2) { bound.axes(2)? } else { mlx_core::axes(-1) };
            let (x, targets) = (bound.tensor(0)?, bound.tensor(1)?);
            reduced(&bound, 3, "none", |how| losses::kl_div_loss(x, targets, &axes, how))
        }
        "margin_ranking_loss" => {
            let bound = call.bind("inputs1, inputs2, targets, margin=, reduction=")?;
            let (a, b, targets) = (bound.tensor(0)?, bound.tensor(1)?, bound.tensor(2)?);
            let margin = number(&bound, 3, 0.0)?;
            reduced(&bound, 4, "none", |how| losses::margin_ranking_loss(a, b, targets, margin, how))
        }
        _ => loss_of_options(name, call),
    }
}

fn pair(
    call: &Call,
    signature: &str,
    default: &str,
    loss: fn(&Tensor, &Tensor, Reduction) -> mlx_core::Result<Tensor>,
) -> Result<Value> {
    let bound = call.bind(signature)?;
    let (x, targets) = (bound.tensor(0)?, bound.tensor(1)?);
    reduced(&bound, 2, default, |how| loss(x, targets, how))
}

/// The losses that take a struct of options.
fn loss_of_options(name: &str, call: &Call) -> Result<Value> {
    match name {
        "binary_cross_entropy" => {
            let bound = call.bind("inputs, targets, weights=, with_logits=, reduction=")?;
            let mut how = BinaryCrossEntropy::new().with_logits(bound.flag_or(3, true)?);
            how.weights = bound.optional_tensor(2)?;
            let (x, targets) = (bound.tensor(0)?, bound.tensor(1)?);
            reduced(&bound, 4, "mean", |r| losses::binary_cross_entropy(x, targets, how.reduction(r)))
        }
        "cosine_similarity_loss" => {
            let bound = call.bind("x1, x2, axis=, eps=, reduction=")?;
            let how = CosineSimilarity::new().axis(bound.int(2, 1)?).eps(number(&bound, 3, 1e-8)?);
            let (x1, x2) = (bound.tensor(0)?, bound.tensor(1)?);
            reduced(&bound, 4, "none", |r| losses::cosine_similarity_loss(x1, x2, how.reduction(r)))
        }
        "cross_entropy" => {
            let bound = call.bind("logits, targets, weights=, axis=, label_smoothing=, reduction=")?;
            let mut how = CrossEntropy::new().axis(bound.int(3, -1)?).label_smoothing(bound.double(4, 0.0)?);
            how.weights = bound.optional_tensor(2)?;
            let (logits, targets) = (bound.tensor(0)?, bound.tensor(1)?);
            reduced(&bound, 5, "none", |r| losses::cross_entropy(logits, targets, how.reduction(r)))
        }
        "gaussian_nll_loss" => {
            let bound = call.bind("inputs, targets, vars, full=, eps=, reduction=")?;
            let how = GaussianNll::new().full(bound.flag(3)?).eps(number(&bound, 4, 1e-6)?);
            let (x, targets, vars) = (bound.tensor(0)?, bound.tensor(1)?, bound.tensor(2)?);
            reduced(&bound, 5, "mean", |r| losses::gaussian_nll_loss(x, targets, vars, how.reduction(r)))
        }
        "triplet_loss" => {
            let bound = call.bind("anchors, positives, negatives, axis=, p=, margin=, eps=, reduction=")?;
            let how = Triplet::new().axis(bound.int(3, -1)?);
            let how = how.margin(number(&bound, 5, 1.0)?).eps(number(&bound, 6, 1e-6)?);
            let how = if bound.is_given(4) { how.p(bound.scalar(4, false)?) } else { how };
            let (anchors, near, far) = (bound.tensor(0)?, bound.tensor(1)?, bound.tensor(2)?);
            reduced(&bound, 7, "none", |r| losses::triplet_loss(anchors, near, far, how.reduction(r)))
        }
        _ => unsupported(&call.op),
    }
}

/// What the initialiser that `init.NAME` makes from `made_with` gives for a tensor, whose shape counts.
pub(crate) fn initialized(name: &str, made_with: &Call, call: &Call) -> Result<Value> {
    let dtype = |bound: &Bound, i: usize| -> Result<Dtype> { Ok(bound.dtype(i)?.unwrap_or(Dtype::Float32)) };
    let (initializer, dtype): (Initializer, Dtype) = match name {
        "constant" => {
            let bound = made_with.bind("value, dtype=")?;
            (init::constant(bound.scalar(0, false)?), dtype(&bound, 1)?)
        }
        "normal" => {
            let bound = made_with.bind("mean=, std=, dtype=")?;
            (init::normal(number(&bound, 0, 0.0)?, number(&bound, 1, 1.0)?), dtype(&bound, 2)?)
        }
        "uniform" => {
            let bound = made_with.bind("low=, high=, dtype=")?;
            (init::uniform(number(&bound, 0, 0.0)?, number(&bound, 1, 1.0)?), dtype(&bound, 2)?)
        }
        "sparse" => {
            let bound = made_with.bind("sparsity, mean=, std=, dtype=")?;
            let (mean, std) = (number(&bound, 1, 0.0)?, number(&bound, 2, 1.0)?);
            (init::sparse(bound.double(0, 0.0)?, mean, std), dtype(&bound, 3)?)
        }
        "orthogonal" => {
            let bound = made_with.bind("gain=, dtype=")?;
            (init::orthogonal(bound.double(0, 1.0)?), dtype(&bound, 1)?)
        }
        "identity" => (init::identity(), dtype(&made_with.bind("dtype=")?, 0)?),
        "glorot_normal" | "glorot_uniform" | "he_normal" | "he_uniform" => {
            return scaled(name, dtype(&made_with.bind("dtype=")?, 0)?, call);
        }
        _ => return unsupported(&call.op),
    };
    tensor(initializer.init(call.bind("a")?.tensor(0)?.shape(), dtype))
}

/// The initialisers whose gain comes with the call.
fn scaled(name: &str, dtype: Dtype, call: &Call) -> Result<Value> {
    if name.starts_with("glorot") {
        let bound = call.bind("a, gain=")?;
        let made = if name == "glorot_normal" { init::glorot_normal } else { init::glorot_uniform };
        return tensor(made(bound.double(1, 1.0)?).init(bound.tensor(0)?.shape(), dtype));
    }
    let bound = call.bind("a, mode=, gain=")?;
    let (shape, gain) = (bound.tensor(0)?.shape(), bound.double(2, 1.0)?);
    let made = if name == "he_normal" { init::he_normal } else { init::he_uniform };
    let mode = match bound.text(1, "fan_in")? {
        "fan_in" => Fan::In,
        "fan_out" => Fan::Out,
        // Python looks at the shape first.
        other if shape.len() >= 2 => {
            let why = format!("Invalid mode: {other}. Valid modes are: fan_in, fan_out");
            return Err(Failure::raised("ValueError", why));
        }
        _ => Fan::In,
    };
    tensor(made(mode, gain).init(shape, dtype))
}
