//! `mlx.nn`: layers, made as Python's constructors make them, with their parameters drawn or loaded strictly.
//!
//! Not here: functions (`nn_functions`).

use super::{
    failure::{Result, ill_formed, unsupported},
    quantized_layers, sequence_layers,
    signature::{Bound, Call},
    value::Value,
};
use mlx_nn::{
    Conv1d, Conv2d, Dropout, Embedding, Identity, LayerNorm, Linear, Module, ModuleExt, RMSNorm, Unary,
};
use mlx_ops::{Convolution, random};
use serde_json::Value as Json;

/// A layer, with how it is called.
pub(super) trait Layer {
    fn module(&mut self) -> &mut dyn Module;

    /// What it gives for the arguments.
    fn call(&self, call: &Call) -> Result<Value>;
}

struct Called<M> {
    module: M,
    call: fn(&M, &Call) -> Result<Value>,
}

impl<M: Module> Layer for Called<M> {
    fn module(&mut self) -> &mut dyn Module {
        &mut self.module
    }

    fn call(&self, call: &Call) -> Result<Value> {
        (self.call)(&self.module, call)
    }
}

/// A layer that binds its call's arguments itself.
pub(super) fn layer<M: Module>(module: M, call: fn(&M, &Call) -> Result<Value>) -> Box<dyn Layer> {
    Box::new(Called { module, call })
}

/// What a layer is given after it is made.
pub(crate) struct Given {
    /// Its parameters, where they are not drawn.
    pub(crate) params: Option<Vec<(String, Value)>>,
    /// How it becomes a quantized one, if it does.
    pub(crate) to_quantized: Option<Call>,
}

/// What the layer of a step gives for the arguments of `call`: made by `init`, with `params`, in its mode, both draws
/// seeded.
pub(crate) fn call(name: &str, step: &Json, init: &Call, given: Given, call: &Call) -> Result<Value> {
    random::seed(step["init_seed"].as_u64().unwrap_or(0))?;
    let mut layer = made(name, init)?;
    if let Some(params) = given.params {
        let mut tensors = Vec::new();
        for (name, value) in params {
            let Value::Tensor(tensor) = value else { return unsupported("a parameter that is no tensor") };
            tensors.push((name, tensor));
        }
        layer.module().load_weights(tensors)?;
    }
    if let Some(how) = &given.to_quantized {
        layer = quantized_layers::to_quantized(&mut *layer, how)?;
    }
    layer.module().train(step["train"] == true);
    match (&step["seed"], step["seed"].as_u64()) {
        (Json::Null, _) => {}
        (_, Some(seed)) => random::seed(seed)?,
        _ => return ill_formed("a seed is an int"),
    }
    match step["method"].as_str() {
        Some(name) => quantized_layers::method(name, &mut *layer, call),
        None => layer.call(call),
    }
}

/// The layer that `init` makes.
fn made(name: &str, init: &Call) -> Result<Box<dyn Layer>> {
    if let Some(made) = unary(name, init)? {
        return Ok(quantized_layers::of_one(made));
    }
    match quantized_layers::made(name, init)? {
        Some(made) => Ok(made),
        None => sequence_layers::made(name, init),
    }
}

/// One row a layer of one tensor: Python's parameters, and the layer from them.
pub(super) fn unary(name: &str, init: &Call) -> Result<Option<Box<dyn Unary>>> {
    let made: Box<dyn Unary> = match name {
        "Conv1d" => {
            let bound = init.bind(CONVOLUTION)?;
            let how = convolution(&bound, |bound, i, default| Ok([bound.int(i, default)?]))?;
            let [inputs, outputs, kernel] = [bound.int(0, 0)?, bound.int(1, 0)?, bound.int(2, 0)?];
            Box::new(Conv1d::new(inputs, outputs, kernel, how, bound.flag_or(7, true)?)?)
        }
        "Conv2d" => {
            let bound = init.bind(CONVOLUTION)?;
            let how = convolution(&bound, Bound::int_each::<2>)?;
            let (inputs, outputs, kernel) = (bound.int(0, 0)?, bound.int(1, 0)?, bound.int_each::<2>(2, 0)?);
            Box::new(Conv2d::new(inputs, outputs, kernel, how, bound.flag_or(7, true)?)?)
        }
        "Dropout" => Box::new(Dropout::new(init.bind("p=")?.double(0, 0.5)?)?),
        "Embedding" => {
            let bound = init.bind("num_embeddings, dims")?;
            Box::new(Embedding::new(bound.int(0, 0)?, bound.int(1, 0)?)?)
        }
        "Identity" => Box::new(Identity::new()),
        "LayerNorm" => {
            let bound = init.bind("dims, eps=, affine=, bias=")?;
            let layer = LayerNorm::new(bound.int(0, 0)?, bound.float(1, 1e-5)?)?;
            Box::new(match (bound.flag_or(2, true)?, bound.flag_or(3, true)?) {
                (true, true) => layer,
                (true, false) => layer.without_bias(),
                (false, _) => layer.without_affine(),
            })
        }
        "Linear" => {
            let bound = init.bind("input_dims, output_dims, bias=")?;
            Box::new(Linear::new(bound.int(0, 0)?, bound.int(1, 0)?, bound.flag_or(2, true)?)?)
        }
        "RMSNorm" => {
            let bound = init.bind("dims, eps=")?;
            Box::new(RMSNorm::new(bound.int(0, 0)?, bound.float(1, 1e-5)?)?)
        }
        _ => return Ok(None),
    };
    Ok(Some(made))
}

const CONVOLUTION: &str =
    "in_channels, out_channels, kernel_size, stride=, padding=, dilation=, groups=, bias=";

fn convolution<const N: usize>(
    bound: &Bound,
    sizes: fn(&Bound, usize, i32) -> Result<[i32; N]>,
) -> Result<Convolution<N>> {
    let how = Convolution::new().stride(sizes(bound, 3, 1)?).padding(sizes(bound, 4, 0)?);
    Ok(how.dilation(sizes(bound, 5, 1)?).groups(bound.int(6, 1)?))
}
