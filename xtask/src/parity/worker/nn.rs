//! `mlx.nn`: functions.
//!
//! Not here: layers (`layers`).

use super::{
    failure::{Result, unsupported},
    signature::Call,
    value::Value,
};
use mlx_core::Tensor;

/// What `nn.NAME(x)` gives.
pub(crate) fn function(name: &str, call: &Call) -> Result<Value> {
    let function: fn(&Tensor) -> mlx_core::Result<Tensor> = match name {
        "gelu" => mlx_nn::gelu,
        "gelu_approx" => mlx_nn::gelu_approx,
        "relu" => mlx_nn::relu,
        "silu" => mlx_nn::silu,
        "softplus" => mlx_nn::softplus,
        _ => return unsupported(&call.op),
    };
    Ok(Value::Tensor(function(call.bind("x")?.tensor(0)?)?))
}
