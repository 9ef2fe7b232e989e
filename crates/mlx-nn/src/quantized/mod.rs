//! Layers with quantized weights, and models in which layers are exchanged for them.
//!
//! A Rust field has one type, where Python's `nn.quantize` puts another layer into the model. So a field that may be
//! quantized says so: [`MaybeQuantized`] holds a layer or its quantized form, is called like either, and has the keys of
//! what it holds. Here: the layers. What becomes what stands in `slot`, the
//! field in `maybe`, the way through a model in `walk`.

mod embedding;
mod input;
mod linear;
mod maybe;
mod slot;
mod walk;

pub use embedding::QuantizedEmbedding;
pub use input::QQLinear;
pub use linear::QuantizedLinear;
pub use maybe::MaybeQuantized;
pub(crate) use slot::boxed;
pub use slot::{LayerQuantization, Quantizable, QuantizedForm, Slot};
pub use walk::{Choice, quantize, quantize_where};

use mlx_core::{Error, ErrorKind, Result, Tensor};
use mlx_fast::Quantization;

/// The two sizes of a weight.
fn sizes(layer: &'static str, weight: &Tensor) -> Result<[i32; 2]> {
    match *weight.shape() {
        [rows, columns] => Ok([rows, columns]),
        ref shape => {
            let shape = crate::python::tuple(shape);
            let message = format!("a weight is a matrix, and this one has the shape {shape}");
            Err(Error::new(ErrorKind::Shape, layer, message))
        }
    }
}

/// How many elements the packed words of a row hold.
fn unpacked(weight: &Tensor, how: Quantization) -> i64 {
    let words = i64::from(weight.shape().last().copied().unwrap_or_default());
    (words * 32).checked_div(how.bits.into()).unwrap_or_default()
}

/// The settings as Python shows them.
fn described(how: Quantization) -> String {
    format!("group_size={}, bits={}, mode={}", how.group_size, how.bits, how.mode.name())
}
