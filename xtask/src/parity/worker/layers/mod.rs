//! `mlx.nn`: layers, made as Python's constructors make them, with their parameters drawn or loaded strictly.
//!
//! Here: the call of a layer, and those of a file's own that stand alone; the others by family. Not here: functions
//! (`nn_functions`).

mod activations;
mod convolutions;
mod norms;
mod quantized;
mod resizing;
mod sequences;

use super::{
    failure::{Result, ill_formed, unsupported},
    signature::Call,
    value::Value,
};
use mlx_nn::{
    Bilinear, Dropout, Dropout2d, Dropout3d, Embedding, Identity, Linear, Module, ModuleExt, Unary,
};
use mlx_ops::random;
pub(crate) use quantized::model as quantized_model;
use serde_json::Value as Json;
use std::any::Any;

/// How a layer's `forward` takes a call's arguments.
type Forward = dyn Fn(&dyn Module, &Call) -> Result<Value>;

type IntoUnary = fn(Box<dyn Module>) -> Option<Box<dyn Unary>>;

/// A layer, and how it is called.
struct Layer {
    module: Box<dyn Module>,
    forward: Box<Forward>,
    /// The module as a part of a `Sequential`, where it can be one.
    unary: Option<IntoUnary>,
}

impl Layer {
    /// A layer that is called by this function.
    fn new<M: Module>(module: M, forward: fn(&M, &Call) -> Result<Value>) -> Layer {
        let forward = move |module: &dyn Module, call: &Call| match (module as &dyn Any).downcast_ref::<M>() {
            Some(module) => forward(module, call),
            None => ill_formed("a layer changed its type"),
        };
        Layer { module: Box::new(module), forward: Box::new(forward), unary: None }
    }

    /// A layer of one tensor.
    fn unary<U: Unary>(module: U) -> Layer {
        let layer = Layer::new(module, |module: &U, call| {
            let x = call.bind("x")?;
            Ok(Value::Tensor(module.forward(x.tensor(0)?)?))
        });
        let unary = |module: Box<dyn Module>| -> Option<Box<dyn Unary>> {
            (module as Box<dyn Any>).downcast::<U>().ok().map(|module| module as Box<dyn Unary>)
        };
        Layer { unary: Some(unary), ..layer }
    }
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
        layer.module.load_weights(tensors)?;
    }
    if let Some(how) = &given.to_quantized {
        layer = quantized::to_quantized(&layer, how)?;
    }
    layer.module.train(step["train"] == true);
    match (&step["seed"], step["seed"].as_u64()) {
        (Json::Null, _) => {}
        (_, Some(seed)) => random::seed(seed)?,
        _ => return ill_formed("a seed is an int"),
    }
    match step["method"].as_str() {
        Some(name) => quantized::method(name, &layer, call),
        None => (layer.forward)(&*layer.module, call),
    }
}

/// A family's layers by Python's names; nothing for others.
type Family = fn(&str, &Call) -> Option<Result<Layer>>;

const FAMILIES: &[Family] = &[
    activations::find,
    convolutions::find,
    norms::find,
    resizing::find,
    quantized::find,
    sequences::find,
    find,
];

fn made(name: &str, init: &Call) -> Result<Layer> {
    FAMILIES.iter().find_map(|find| find(name, init)).unwrap_or_else(|| unsupported(&init.op))
}

/// A layer by name, from Python's parameters; nothing where no arm has the name.
macro_rules! family {
    ($name:expr, $init:expr; $($layer:literal($signature:expr) |$bound:ident| $made:expr;)*) => {
        match $name {
            $($layer => Some($init.bind($signature).and_then(|$bound| $made)),)*
            _ => None,
        }
    };
}
use family;

fn find(name: &str, init: &Call) -> Option<Result<Layer>> {
    family! { name, init;
        "Bilinear"("input1_dims, input2_dims, output_dims, bias=") |b| {
            let layer = Bilinear::new(b.int(0, 0)?, b.int(1, 0)?, b.int(2, 0)?, b.flag_or(3, true)?)?;
            Ok(Layer::new(layer, |layer, call| {
                let x = call.bind("x1, x2")?;
                Ok(Value::Tensor(layer.forward(x.tensor(0)?, x.tensor(1)?)?))
            }))
        };
        "Dropout"("p=") |b| Ok(Layer::unary(Dropout::new(b.double(0, 0.5)?)?));
        "Dropout2d"("p=") |b| Ok(Layer::unary(Dropout2d::new(b.double(0, 0.5)?)?));
        "Dropout3d"("p=") |b| Ok(Layer::unary(Dropout3d::new(b.double(0, 0.5)?)?));
        "Embedding"("num_embeddings, dims") |b| Ok(Layer::unary(Embedding::new(b.int(0, 0)?, b.int(1, 0)?)?));
        "Identity"("") |_b| Ok(Layer::unary(Identity::new()));
        "Linear"("input_dims, output_dims, bias=") |b| {
            Ok(Layer::unary(Linear::new(b.int(0, 0)?, b.int(1, 0)?, b.flag_or(2, true)?)?))
        };
    }
}
