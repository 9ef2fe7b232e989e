//! The weights of a model: read from a GGUF file or from a folder of safetensors, and handed to layers with their shapes
//! checked.
//!
//! An error names the file and the tensor. Not here: what the weights are for (`model`).

use super::{Result, config::Config};
use crate::lora::Projection;
use mlx::{
    CpuMode, Device, DeviceKind,
    fast::{QuantMode, Quantization, QuantizedTensor, dequantize, quantize},
    nn::{Embedding, Linear, MaybeQuantized, Weights},
    ops::{self, Gguf},
    prelude::*,
};
use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

/// What becomes of matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// They stay as the file has them.
    #[default]
    Stored,
    /// Quantized ones are made dense.
    Dense,
    /// Dense ones are quantized, to 4 bits in groups of 64.
    Quantized,
}

impl Form {
    /// The one that is computed fastest on the default device: dense on a CPU, as stored elsewhere and in mode `fast`.
    ///
    /// # Errors
    /// There is no such device.
    pub fn fastest() -> Result<Form> {
        let is_slow = Device::current()?.kind() == DeviceKind::Cpu && mlx::cpu_mode()? != CpuMode::Fast;
        Ok(if is_slow { Form::Dense } else { Form::Stored })
    }
}

/// All tensors of a file, by the names that Hugging Face gives them.
pub struct Checkpoint {
    path: PathBuf,
    tensors: HashMap<String, Tensor>,
    dtype: Option<Dtype>,
    form: Form,
    used: RefCell<HashSet<String>>,
}

impl Checkpoint {
    /// The tensors of a GGUF file under Hugging Face's names, in `dtype`, else float32.
    ///
    /// # Errors
    /// A name that no part of a model here has.
    pub fn gguf(
        path: &Path,
        file: Gguf,
        form: Form,
        dtype: Option<Dtype>,
        config: &mut Config,
    ) -> Result<Checkpoint> {
        config.tie_word_embeddings = !file.tensors.contains_key("output.weight");
        // The first by name: the map's own order is another one each time.
        if let Some(name) = file.tensors.keys().filter(|name| renamed(name).is_none()).min() {
            return Err(format!("{}: tensor {name} is of no part that is known here", path.display()).into());
        }
        let tensors = file.tensors.into_iter().filter_map(|(name, tensor)| Some((renamed(&name)?, tensor)));
        let tensors = tensors.collect();
        let dtype = dtype.or(Some(Dtype::Float32));
        Ok(Checkpoint { path: path.to_owned(), tensors, dtype, form, used: RefCell::default() })
    }

    /// The tensors of a folder: `model.safetensors`, or the files that `model.safetensors.index.json` names. In `dtype`, or
    /// as they are stored.
    ///
    /// # Errors
    /// Neither file; one that is damaged.
    pub fn folder(folder: &Path, form: Form, dtype: Option<Dtype>) -> Result<Checkpoint> {
        let index = folder.join("model.safetensors.index.json");
        let (path, file) = if index.exists() {
            let file = ops::load_sharded_safetensors(&index)?;
            (index, file)
        } else {
            let path = folder.join("model.safetensors");
            if !path.exists() {
                return Err(format!("{} has no model.safetensors", folder.display()).into());
            }
            let file = ops::load_safetensors(&path)?;
            (path, file)
        };
        Ok(Checkpoint { path, tensors: file.tensors, dtype, form, used: RefCell::default() })
    }

    /// Tensors that are there, by Hugging Face's names; `path` is what errors call them.
    #[must_use]
    pub fn of(path: &Path, tensors: HashMap<String, Tensor>, form: Form, dtype: Option<Dtype>) -> Checkpoint {
        Checkpoint { path: path.to_owned(), tensors, dtype, form, used: RefCell::default() }
    }

    /// The whole model's weights.
    #[must_use]
    pub fn root(&self) -> Source<'_> {
        Source { checkpoint: self, weights: Weights::new(&self.tensors), prefix: String::new() }
    }

    /// That nothing is left over: a tensor that no layer asked for is a model that is not this one.
    ///
    /// # Errors
    /// The names of such tensors.
    pub fn all_used(&self, config: &Config) -> Result<()> {
        let used = self.used.borrow();
        let harmless = |name: &str| {
            name.ends_with("rotary_emb.inv_freq")
                || config.tie_word_embeddings && name.starts_with("lm_head.")
        };
        let mut left: Vec<&str> = self.tensors.keys().map(String::as_str).collect();
        left.retain(|name| !used.contains(*name) && !harmless(name));
        left.sort_unstable();
        match left[..] {
            [] => Ok(()),
            [name] => Err(self.error(name, "the model has no use for it")),
            [name, ..] => {
                Err(self
                    .error(name, &format!("the model has no use for it, nor for {} others", left.len() - 1)))
            }
        }
    }

    fn error(&self, tensor: &str, why: &str) -> crate::Failure {
        format!("{}: tensor {tensor}: {why}", self.path.display()).into()
    }
}

/// The weights below one module of a model.
pub struct Source<'a> {
    checkpoint: &'a Checkpoint,
    weights: Weights<'a>,
    prefix: String,
}

impl Source<'_> {
    /// The weights below `module`.
    #[must_use]
    pub fn scope(&self, module: impl std::fmt::Display) -> Self {
        let prefix = format!("{}{module}.", self.prefix);
        Source { checkpoint: self.checkpoint, weights: self.weights.scope(module), prefix }
    }

    /// A tensor of that shape, in the dtype that was asked for.
    ///
    /// # Errors
    /// There is none, or it has another shape.
    pub fn tensor(&self, name: &str, shape: &[i32]) -> Result<Tensor> {
        let tensor = self.get(name)?;
        if tensor.shape() != shape {
            return Err(self.error(
                name,
                &format!("has the shape {:?}, and the config asks for {shape:?}", tensor.shape()),
            ));
        }
        Ok(cast(tensor, self.checkpoint.dtype))
    }

    /// A linear layer of `[outputs, inputs]`, dense or quantized.
    ///
    /// # Errors
    /// A tensor that is missing, has another shape or is there and should not be.
    pub fn linear(&self, name: &str, shape: [i32; 2], bias: bool) -> Result<Projection> {
        let at = self.scope(name);
        let bias = if bias { Some(at.tensor("bias", &shape[..1])?) } else { None };
        Ok(match at.matrix(shape)? {
            Matrix::Dense(weight) => MaybeQuantized::Full(Linear::from_parameters(weight, bias)).into(),
            Matrix::Quantized(weight) => MaybeQuantized::Quantized(mlx::nn::QuantizedForm::Weight(
                mlx::nn::QuantizedLinear::from_parameters(weight, bias),
            ))
            .into(),
        })
    }

    /// A table of `[rows, features]`, dense or quantized.
    ///
    /// # Errors
    /// As [`linear`](Source::linear).
    pub fn embedding(&self, name: &str, shape: [i32; 2]) -> Result<MaybeQuantized<Embedding>> {
        Ok(match self.scope(name).matrix(shape)? {
            Matrix::Dense(weight) => Embedding::from_parameters(weight).into(),
            Matrix::Quantized(weight) => {
                MaybeQuantized::Quantized(mlx::nn::QuantizedEmbedding::from_parameters(weight))
            }
        })
    }

    /// `weight`, or `weight` with `scales`, in the form that was asked for.
    fn matrix(&self, shape: [i32; 2]) -> Result<Matrix> {
        let form = self.checkpoint.form;
        if self.weights.find("scales").is_none() {
            let dense = self.tensor("weight", &shape)?;
            let how = Quantization::new(QuantMode::Affine);
            let fits = shape[1] % how.group_size == 0;
            return Ok(if form == Form::Quantized && fits {
                Matrix::Quantized(quantize(&dense, how)?)
            } else {
                Matrix::Dense(dense)
            });
        }
        let stored = self.quantized(shape)?;
        if form != Form::Dense {
            return Ok(Matrix::Quantized(scales_as(stored, self.checkpoint.dtype)));
        }
        // In float32, so that the only rounding is the last one.
        let exact = scales_as(stored, Some(Dtype::Float32));
        Ok(Matrix::Dense(cast(dequantize(&exact)?, self.checkpoint.dtype)))
    }

    /// The parts of a quantized matrix; how it is quantized, their shapes tell.
    fn quantized(&self, [outputs, inputs]: [i32; 2]) -> Result<QuantizedTensor> {
        let (packed, scales) = (self.get("weight")?, self.get("scales")?);
        let (&[rows, words], &[of_scales, groups]) = (packed.shape(), scales.shape()) else {
            return Err(self.error("weight", "is quantized and no matrix"));
        };
        let fits = rows == outputs && of_scales == outputs && groups > 0 && inputs % groups == 0;
        let bits = i64::from(words) * 32 / i64::from(inputs);
        if !fits || packed.dtype() != Dtype::Uint32 || bits * i64::from(inputs) != i64::from(words) * 32 {
            let why = format!(
                "is quantized as {} {:?} with scales {:?}, which is no matrix of {outputs} × {inputs}",
                packed.dtype(),
                packed.shape(),
                scales.shape(),
            );
            return Err(self.error("weight", &why));
        }
        let mode = match (scales.dtype() == Dtype::Uint8, bits, inputs / groups) {
            (false, ..) => QuantMode::Affine,
            (true, 4, 16) => QuantMode::Nvfp4,
            (true, 4, 32) => QuantMode::Mxfp4,
            (true, 8, 32) => QuantMode::Mxfp8,
            (true, bits, size) => {
                return Err(
                    self.error("scales", &format!("no quantization has {bits} bits in groups of {size}"))
                );
            }
        };
        let biases = match mode {
            QuantMode::Affine => Some(self.get("biases")?),
            _ => None,
        };
        if biases.as_ref().is_some_and(|biases| biases.shape() != scales.shape()) {
            return Err(self.error("biases", "has another shape than the scales"));
        }
        let how = Quantization::new(mode).group_size(inputs / groups).bits(bits as i32);
        Ok(QuantizedTensor::new(packed, scales, biases, how))
    }

    fn get(&self, name: &str) -> Result<Tensor> {
        let tensor = self.weights.find(name).ok_or_else(|| self.error(name, "is not in the file"))?;
        self.checkpoint.used.borrow_mut().insert(format!("{}{name}", self.prefix));
        Ok(tensor)
    }

    fn error(&self, name: &str, why: &str) -> crate::Failure {
        self.checkpoint.error(&format!("{}{name}", self.prefix), why)
    }
}

/// Floats in that dtype, where there is one.
fn cast(tensor: Tensor, dtype: Option<Dtype>) -> Tensor {
    match dtype {
        Some(dtype) if tensor.dtype().is_floating() && tensor.dtype() != dtype => tensor.astype(dtype),
        _ => tensor,
    }
}

fn scales_as(q: QuantizedTensor, dtype: Option<Dtype>) -> QuantizedTensor {
    let (scales, biases) = (cast(q.scales, dtype), q.biases.map(|biases| cast(biases, dtype)));
    QuantizedTensor::new(q.packed, scales, biases, q.how)
}

enum Matrix {
    Dense(Tensor),
    Quantized(QuantizedTensor),
}

/// Hugging Face's name for a tensor of a GGUF file.
fn renamed(name: &str) -> Option<String> {
    let (module, leaf) = name.rsplit_once('.')?;
    let module = match module {
        "token_embd" => "model.embed_tokens".to_owned(),
        "output_norm" => "model.norm".to_owned(),
        "output" => "lm_head".to_owned(),
        _ => {
            let (layer, part) = module.strip_prefix("blk.")?.split_once('.')?;
            let part = match part {
                "attn_norm" => "input_layernorm",
                "attn_q" => "self_attn.q_proj",
                "attn_k" => "self_attn.k_proj",
                "attn_v" => "self_attn.v_proj",
                "attn_output" => "self_attn.o_proj",
                "attn_q_norm" => "self_attn.q_norm",
                "attn_k_norm" => "self_attn.k_norm",
                "ffn_norm" => "post_attention_layernorm",
                "ffn_gate" => "mlp.gate_proj",
                "ffn_up" => "mlp.up_proj",
                "ffn_down" => "mlp.down_proj",
                _ => return None,
            };
            format!("model.layers.{layer}.{part}")
        }
    };
    Some(format!("{module}.{leaf}"))
}
