//! The worker's layers: activations.

use super::{Layer, family};
use crate::parity::worker::{
    failure::{Failure, Result},
    signature::{Bound, Call},
};
use mlx_core::{IntoScalar, Scalar};
use mlx_nn::{
    CELU, ELU, GELU, GLU, GeluApprox, HardShrink, HardTanh, Hardswish, LeakyReLU, LogSigmoid, LogSoftmax,
    Mish, PReLU, ReLU, ReLU2, ReLU6, SELU, SiLU, Sigmoid, Softmax, Softmin, Softplus, Softshrink, Softsign,
    Step, Tanh,
};

pub(super) fn find(name: &str, init: &Call) -> Option<Result<Layer>> {
    /// A layer of one number, or of Python's default.
    macro_rules! number {
        ($layer:ident, $bound:ident) => {
            Ok(Layer::unary(if $bound.is_given(0) {
                $layer::new(scalar(&$bound, 0)?)
            } else {
                $layer::default()
            }))
        };
    }
    family! { name, init;
        "CELU"("alpha=") |b| number!(CELU, b);
        "ELU"("alpha=") |b| number!(ELU, b);
        "GELU"("approx=") |b| Ok(Layer::unary(GELU::new(approximation(b.text(0, "none")?)?)));
        "GLU"("axis=") |b| Ok(Layer::unary(GLU::new(b.int(0, -1)?)));
        "HardShrink"("lambd=") |b| number!(HardShrink, b);
        "HardTanh"("") |_b| Ok(Layer::unary(HardTanh::new()));
        "Hardswish"("") |_b| Ok(Layer::unary(Hardswish::new()));
        "LeakyReLU"("negative_slope=") |b| number!(LeakyReLU, b);
        "LogSigmoid"("") |_b| Ok(Layer::unary(LogSigmoid::new()));
        "LogSoftmax"("") |_b| Ok(Layer::unary(LogSoftmax::new()));
        "Mish"("") |_b| Ok(Layer::unary(Mish::new()));
        "PReLU"("num_parameters=, init=") |b| {
            let init = if b.is_given(1) { scalar(&b, 1)? } else { 0.25.into_scalar() };
            Ok(Layer::unary(PReLU::new(b.int(0, 1)?, init)?))
        };
        "ReLU"("") |_b| Ok(Layer::unary(ReLU::new()));
        "ReLU2"("") |_b| Ok(Layer::unary(ReLU2::new()));
        "ReLU6"("") |_b| Ok(Layer::unary(ReLU6::new()));
        "SELU"("") |_b| Ok(Layer::unary(SELU::new()));
        "SiLU"("") |_b| Ok(Layer::unary(SiLU::new()));
        "Sigmoid"("") |_b| Ok(Layer::unary(Sigmoid::new()));
        "Softmax"("") |_b| Ok(Layer::unary(Softmax::new()));
        "Softmin"("") |_b| Ok(Layer::unary(Softmin::new()));
        "Softplus"("") |_b| Ok(Layer::unary(Softplus::new()));
        "Softshrink"("lambd=") |b| number!(Softshrink, b);
        "Softsign"("") |_b| Ok(Layer::unary(Softsign::new()));
        "Step"("threshold=") |b| number!(Step, b);
        "Tanh"("") |_b| Ok(Layer::unary(Tanh::new()));
    }
}

fn scalar(bound: &Bound, i: usize) -> Result<Scalar> {
    bound.scalar(i, false)
}

fn approximation(name: &str) -> Result<GeluApprox> {
    match name {
        "none" => Ok(GeluApprox::None),
        "precise" | "tanh" => Ok(GeluApprox::Precise),
        "fast" => Ok(GeluApprox::Fast),
        _ => {
            let allowed = "['none', 'precise', 'tanh', 'fast']";
            let message = format!("The approximation should be in {allowed} but '{name}' was given");
            Err(Failure::raised("ValueError", message))
        }
    }
}
