//! The worker's layers: pools and upsampling.

use super::{Layer, family};
use crate::parity::worker::{
    failure::{Failure, Result, ill_formed},
    signature::{Bound, Call},
    value::Value,
};
use mlx_nn::{
    AvgPool1d, AvgPool2d, AvgPool3d, MaxPool1d, MaxPool2d, MaxPool3d, Pooling, ScaleFactor, Upsample,
    UpsampleMode,
};

const POOL: &str = "kernel_size, stride=, padding=";

pub(super) fn find(name: &str, init: &Call) -> Option<Result<Layer>> {
    family! { name, init;
        "AvgPool1d"(POOL) |b| Ok(Layer::unary(AvgPool1d::new(pooling(&b, name)?)?));
        "AvgPool2d"(POOL) |b| Ok(Layer::unary(AvgPool2d::new(pooling(&b, name)?)?));
        "AvgPool3d"(POOL) |b| Ok(Layer::unary(AvgPool3d::new(pooling(&b, name)?)?));
        "MaxPool1d"(POOL) |b| Ok(Layer::unary(MaxPool1d::new(pooling(&b, name)?)?));
        "MaxPool2d"(POOL) |b| Ok(Layer::unary(MaxPool2d::new(pooling(&b, name)?)?));
        "MaxPool3d"(POOL) |b| Ok(Layer::unary(MaxPool3d::new(pooling(&b, name)?)?));
        "Upsample"("scale_factor, mode=, align_corners=, antialias=") |b| upsample(&b);
    }
}

fn pooling<const N: usize>(bound: &Bound, layer: &str) -> Result<Pooling<N>> {
    // In Rust types say how many sizes there are.
    for (i, name) in ["kernel_size", "stride", "padding"].into_iter().enumerate() {
        let is_fit = match bound.value(i) {
            Value::List(sizes) => sizes.len() == N,
            Value::None => i == 1 || !bound.is_given(i),
            given => matches!(given, Value::Int(_)),
        };
        if !is_fit {
            let integers = if N == 1 { "integer" } else { "integers" };
            let message =
                format!("[{layer}] '{name}' must be an integer or a tuple containing {N} {integers}");
            return Err(Failure::raised("ValueError", message));
        }
    }
    let sizes = |i: usize| -> Result<[i32; N]> {
        let list = bound.int_list(i, 0)?;
        Ok(std::array::from_fn(|axis| list[axis % list.len()]))
    };
    let how = Pooling::new(sizes(0)?).padding(sizes(2)?);
    Ok(if bound.has(1) { how.stride(sizes(1)?) } else { how })
}

fn upsample(bound: &Bound) -> Result<Layer> {
    let mode = match bound.text(1, "nearest")? {
        "nearest" => UpsampleMode::Nearest,
        "linear" => UpsampleMode::Linear,
        "cubic" => UpsampleMode::Cubic,
        other => {
            let message = format!("[Upsample] Got unsupported upsampling algorithm: {other}");
            return Err(Failure::raised("ValueError", message));
        }
    };
    let number = |value: &Value| match *value {
        Value::Int(value) => Ok(value as f64),
        Value::Float(value) => Ok(value),
        _ => ill_formed("scale_factor is no number"),
    };
    let factor = match bound.value(0) {
        Value::List(factors) => ScaleFactor::Each(factors.iter().map(number).collect::<Result<_>>()?),
        one => ScaleFactor::All(number(one)?),
    };
    let layer = Upsample::new(factor, mode);
    let layer = if bound.flag(2)? { layer.align_corners()? } else { layer };
    Ok(Layer::unary(if bound.flag(3)? { layer.antialias()? } else { layer }))
}
