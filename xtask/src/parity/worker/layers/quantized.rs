//! Quantized layers of `mlx.nn`, layers that become quantized ones, and models of which some do.
//!
//! Not here: what is done with each layer of a case (`layers`), quantized products (`fast`).

use super::{Layer, family};
use crate::parity::worker::{
    case::strings,
    failure::{Result, ill_formed, unsupported},
    fast,
    signature::{Bound, Call},
    value::{Names, Value, argument},
};
use mlx_core::Tensor;
use mlx_fast::Quantization;
use mlx_nn::{
    Choice, Embedding, LayerQuantization, Linear, ModuleExt, QQLinear, Quantizable, QuantizedEmbedding,
    QuantizedForm, QuantizedLinear, Sequential,
};
use mlx_ops::random;
use serde_json::Value as Json;
use std::any::Any;

pub(super) fn find(name: &str, init: &Call) -> Option<Result<Layer>> {
    family! { name, init;
        "QuantizedLinear"("input_dims, output_dims, bias=, group_size=, bits=, mode=") |b| {
            let how = quantization(&b, 3, "affine")?;
            let layer = QuantizedLinear::new(b.int(0, 0)?, b.int(1, 0)?, b.flag_or(2, true)?, how)?;
            Ok(Layer::unary(layer))
        };
        "QuantizedEmbedding"("num_embeddings, dims, group_size=, bits=, mode=") |b| {
            let how = quantization(&b, 2, "affine")?;
            Ok(Layer::unary(QuantizedEmbedding::new(b.int(0, 0)?, b.int(1, 0)?, how)?))
        };
        "QQLinear"("input_dims, output_dims, group_size=, bits=, mode=") |b| {
            let how = quantization(&b, 2, "nvfp4")?;
            Ok(Layer::unary(QQLinear::new(b.int(0, 0)?, b.int(1, 0)?, how)?))
        };
    }
}

/// `group_size=, bits=, mode=`, the first of them parameter `i`.
fn quantization(bound: &Bound, i: usize, default: &str) -> Result<Quantization> {
    let valid = "Valid modes are: affine, mxfp4, nvfp4, mxfp8.";
    fast::settings(bound, i, default, |mode| format!("Invalid quantization mode '{mode}'. {valid}"))
}

/// `group_size=, bits=, mode=, quantize_input=`
fn of_layer(call: &Call) -> Result<LayerQuantization> {
    let bound = call.bind("group_size=, bits=, mode=, quantize_input=")?;
    let how = LayerQuantization::from(quantization(&bound, 0, "affine")?);
    Ok(if bound.flag(3)? { how.quantize_input() } else { how })
}

/// The quantized form of a layer, by the keywords of `to_quantized`.
pub(super) fn to_quantized(made: &Layer, how: &Call) -> Result<Layer> {
    let how = of_layer(how)?;
    let layer = &*made.module as &dyn Any;
    if let Some(linear) = layer.downcast_ref::<Linear>() {
        return Ok(match linear.to_quantized(&how)? {
            QuantizedForm::Weight(layer) => Layer::unary(layer),
            QuantizedForm::Input(layer) => Layer::unary(layer),
            _ => return unsupported("another quantized form"),
        });
    }
    match layer.downcast_ref::<Embedding>() {
        Some(embedding) => Ok(Layer::unary(embedding.to_quantized(&how)?)),
        None => ill_formed("the layer has no to_quantized"),
    }
}

/// A method of a layer other than its call.
pub(super) fn method(name: &str, made: &Layer, call: &Call) -> Result<Value> {
    let bound = call.bind("x")?;
    let layer = &*made.module as &dyn Any;
    let y: mlx_core::Result<Tensor> =
        match (name, layer.downcast_ref::<Embedding>(), layer.downcast_ref::<QuantizedEmbedding>()) {
            ("as_linear", Some(layer), _) => layer.as_linear(bound.tensor(0)?),
            ("as_linear", _, Some(layer)) => layer.as_linear(bound.tensor(0)?),
            _ => return unsupported(format!("method {name} of the layer")),
        };
    Ok(Value::Tensor(y?))
}

/// A `Sequential` of `layers`, of which those at the keys in `only` are quantized by the keywords, and what it gives for
/// the argument.
pub(crate) fn model(step: &Json, call: &Call) -> Result<Value> {
    let Some(layers) = step["layers"].as_array() else { return ill_formed("nn.quantize needs layers") };
    random::seed(step["init_seed"].as_u64().unwrap_or(0))?;
    let mut model = Sequential::new();
    for one in layers {
        let op = one["op"].as_str().unwrap_or_default();
        let init = one["init"].as_object().into_iter().flatten();
        let init = init.map(|(name, value)| Ok((name.clone(), argument(value, &Names::new())?)));
        let init = Call { op: op.to_owned(), args: Vec::new(), kw: init.collect::<Result<_>>()? };
        let made = super::made(op.trim_start_matches("nn."), &init)?;
        match made.unary.and_then(|unary| unary(made.module)) {
            Some(made) => model.layers.push(made),
            None => return unsupported(op),
        }
    }
    let how = of_layer(&Call { op: call.op.clone(), args: Vec::new(), kw: call.kw.clone() })?;
    match strings(&step["only"]) {
        None => mlx_nn::quantize(&mut model, how)?,
        Some(only) => {
            mlx_nn::quantize_where(&mut model, how, |key, _| Choice::from(only.contains(&key)))?;
        }
    }
    model.train(step["train"] == true);
    let [Value::Tensor(x)] = &call.args[..] else { return ill_formed("nn.quantize needs one tensor") };
    let y = Value::Tensor(model.forward(x)?);
    let names =
        |parameters: mlx_nn::Parameters| Value::List(parameters.into_keys().map(Value::Text).collect());
    Ok(Value::List(vec![y, names(model.parameters()), names(model.trainable_parameters())]))
}
