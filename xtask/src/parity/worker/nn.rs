//! Layers of `mlx.nn` with their parameters loaded strictly. Not here: its functions (`nn_functions`).

use super::{
    failure::{Failure, Result, unsupported},
    signature::{Bound, Call},
    value::Value,
};
use mlx_core::Tensor;
use mlx_nn::{Conv1d, Conv2d, Linear, RMSNorm, Weights};
use mlx_ops::Convolution;
use std::collections::HashMap;

/// What a layer made by `init`, with `params`, gives for the arguments of `call`.
pub(crate) fn layer(
    name: &str,
    init: &Call,
    params: Option<Vec<(String, Value)>>,
    call: &Call,
) -> Result<Value> {
    let made = match name {
        "Linear" => linear(init, params)?,
        "Conv1d" => conv1d(init, params)?,
        "Conv2d" => conv2d(init, params)?,
        "RMSNorm" => rms_norm(init, params)?,
        _ => return unsupported(&call.op),
    };
    Ok(Value::Tensor(made(call.bind("x")?.tensor(0)?)?))
}

type Forward = Box<dyn Fn(&Tensor) -> mlx_core::Result<Tensor>>;
type Params = Option<Vec<(String, Value)>>;

fn linear(init: &Call, params: Params) -> Result<Forward> {
    let bound = init.bind("input_dims, output_dims, bias=")?;
    let (inputs, outputs) = (bound.int(0, 0)?, bound.int(1, 0)?);
    let tensors = loaded(init, params, vec![outputs, inputs], bound.flag_or(2, true)?)?;
    let layer = Linear::from_weights(&Weights::new(&tensors))?;
    Ok(Box::new(move |x| layer.forward(x)))
}

fn rms_norm(init: &Call, params: Params) -> Result<Forward> {
    let bound = init.bind("dims, eps=")?;
    let mut layer = RMSNorm::with_dims(bound.int(0, 0)?, bound.float(1, 1e-5)?)?;
    if params.is_some() {
        let tensors = loaded(init, params, layer.weight.shape().to_vec(), false)?;
        layer = RMSNorm::from_weights(&Weights::new(&tensors), layer.eps)?;
    }
    Ok(Box::new(move |x| layer.forward(x)))
}

fn conv1d(init: &Call, params: Params) -> Result<Forward> {
    let (tensors, how) = convolution(init, params, |bound, i, default| Ok([bound.int(i, default)?]))?;
    let layer = Conv1d::from_weights(&Weights::new(&tensors), how)?;
    Ok(Box::new(move |x| layer.forward(x)))
}

fn conv2d(init: &Call, params: Params) -> Result<Forward> {
    let (tensors, how) = convolution(init, params, Bound::int_each::<2>)?;
    let layer = Conv2d::from_weights(&Weights::new(&tensors), how)?;
    Ok(Box::new(move |x| layer.forward(x)))
}

fn convolution<const N: usize>(
    init: &Call,
    params: Params,
    sizes: fn(&Bound, usize, i32) -> Result<[i32; N]>,
) -> Result<(HashMap<String, Tensor>, Convolution<N>)> {
    let bound =
        init.bind("in_channels, out_channels, kernel_size, stride=, padding=, dilation=, groups=, bias=")?;
    let how = Convolution::new()
        .stride(sizes(&bound, 3, 1)?)
        .padding(sizes(&bound, 4, 0)?)
        .dilation(sizes(&bound, 5, 1)?)
        .groups(bound.int(6, 1)?);
    let inputs = bound.int(0, 0)?;
    if how.groups == 0 || inputs % how.groups != 0 {
        let counts = format!("({inputs}) must be divisible by the number of groups ({})", how.groups);
        return Err(Failure::raised("ValueError", format!("The number of input channels {counts}")));
    }
    let mut shape = vec![bound.int(1, 0)?];
    shape.extend(sizes(&bound, 2, 0)?);
    shape.push(inputs / how.groups);
    Ok((loaded(init, params, shape, bound.flag_or(7, true)?)?, how))
}

/// The parameters as `load_weights(…, strict=True)` takes them: all of them, no other, with the layer's shapes.
fn loaded(init: &Call, params: Params, weight: Vec<i32>, has_bias: bool) -> Result<HashMap<String, Tensor>> {
    let Some(params) = params else { return unsupported(format!("{} without params", init.op)) };
    let mut tensors = HashMap::new();
    for (name, value) in params {
        let Value::Tensor(tensor) = value else { return unsupported("a parameter that is no tensor") };
        tensors.insert(name, tensor);
    }
    let bias = has_bias.then(|| ("bias", weight[..1].to_vec()));
    let wanted: HashMap<_, _> = [("weight", weight)].into_iter().chain(bias).collect();
    if let Some(name) = tensors.keys().find(|name| !wanted.contains_key(name.as_str())) {
        let message = format!("Received 1 parameters not in model: \n{name}.");
        return Err(Failure::raised("ValueError", message));
    }
    for (name, shape) in &wanted {
        let tensor = Weights::new(&tensors).get(name)?;
        if tensor.shape() != shape {
            let found = tensor.shape();
            let message =
                format!("Expected shape {shape:?} but received shape {found:?} for parameter {name}");
            return Err(Failure::raised("ValueError", message));
        }
    }
    Ok(tensors)
}
