//! Files that are damaged, or of another model: errors that name the file and the tensor.

use crate::{folder::Folder, models};
use mlx::{Dtype, ops, prelude::*};
use mlx_examples::language::{
    Checkpoint, Config, Form, Generation, Language, Model, Sampling, Settings, smollm2,
};
use std::{collections::HashMap, fs, path::Path};

/// A copy of a small model whose weights were changed, and what loading it says.
fn changed(name: &str, change: impl FnOnce(&mut HashMap<String, Tensor>)) -> String {
    let folder = Folder::new("weights");
    let (from, to) = (models::folder(name), folder.path(""));
    fs::copy(from.join("config.json"), to.join("config.json")).expect("a file of ours");
    let mut tensors = ops::load_safetensors(from.join("model.safetensors")).expect("ours").tensors;
    change(&mut tensors);
    ops::save_safetensors(to.join("model.safetensors"), tensors.iter()).expect("a folder of ours");
    let error = load(&to).expect_err("it is another model's");
    let file = to.join("model.safetensors").display().to_string();
    assert!(error.contains(&file), "{error}");
    error.replace(&file, "FILE")
}

fn load(folder: &Path) -> Result<Model, String> {
    let config = Config::from_file(&folder.join("config.json")).map_err(|e| e.to_string())?;
    let checkpoint = Checkpoint::folder(folder, Form::Stored, None).map_err(|e| e.to_string())?;
    Model::new(&config, &checkpoint).map_err(|e| e.to_string())
}

#[test]
fn weights_of_another_model() {
    let zeros = |shape: &[i32]| ops::zeros(shape, Dtype::Float32).expect("a shape");
    let name = "model.layers.1.mlp.up_proj.weight";
    let missing = changed("llama", |tensors| drop(tensors.remove(name)));
    assert_eq!(missing, format!("FILE: tensor {name}: is not in the file"));
    let shape = changed("llama", |tensors| drop(tensors.insert(name.into(), zeros(&[48, 31]))));
    assert_eq!(
        shape,
        format!("FILE: tensor {name}: has the shape [48, 31], and the config asks for [48, 32]")
    );
    let extra = changed("llama", |tensors| {
        drop(tensors.insert("model.layers.2.mlp.up_proj.weight".into(), zeros(&[1])));
    });
    assert_eq!(extra, "FILE: tensor model.layers.2.mlp.up_proj.weight: the model has no use for it");
    let bias = changed("llama", |tensors| {
        for part in ["q_proj", "k_proj"] {
            tensors.insert(format!("model.layers.0.self_attn.{part}.bias"), zeros(&[32]));
        }
    });
    assert_eq!(
        bias,
        "FILE: tensor model.layers.0.self_attn.k_proj.bias: the model has no use for it, nor for 1 others"
    );
    let vocabulary = changed("llama", |tensors| {
        drop(tensors.insert("model.embed_tokens.weight".into(), zeros(&[65, 32])));
    });
    assert_eq!(
        vocabulary,
        "FILE: tensor model.embed_tokens.weight: has the shape [65, 32], and the config asks for [64, 32]"
    );
}

#[test]
fn quantized_weights_that_do_not_belong_together() {
    let at = "model.layers.0.mlp.gate_proj";
    let unsigned = |shape: &[i32]| ops::zeros(shape, Dtype::Uint32).expect("a shape");
    let none = changed("llama_quantized", |tensors| drop(tensors.remove(&format!("{at}.biases"))));
    assert_eq!(none, format!("FILE: tensor {at}.biases: is not in the file"));
    let words = changed("llama_quantized", |tensors| {
        drop(tensors.insert(format!("{at}.weight"), unsigned(&[64, 7])));
    });
    assert_eq!(
        words,
        format!(
            "FILE: tensor {at}.weight: is quantized as uint32 [64, 7] with scales [64, 1], which is no matrix of 64 × 64"
        )
    );
    let scales = changed("llama_quantized", |tensors| {
        let scales = tensors[&format!("{at}.scales")].astype(Dtype::Uint8);
        tensors.insert(format!("{at}.scales"), scales);
    });
    assert_eq!(scales, format!("FILE: tensor {at}.scales: no quantization has 4 bits in groups of 64"));
}

#[test]
fn weights_that_are_cut_off() {
    let folder = Folder::new("cut");
    let from = models::folder("gemma");
    fs::copy(from.join("config.json"), folder.path("config.json")).expect("a file of ours");
    let error = load(&folder.path("")).expect_err("there are none");
    assert!(error.ends_with("has no model.safetensors"), "{error}");
    let bytes = fs::read(from.join("model.safetensors")).expect("a file of ours");
    for length in [0, 5, 100, bytes.len() / 2, bytes.len() - 1] {
        fs::write(folder.path("model.safetensors"), &bytes[..length]).expect("a folder of ours");
        let error = load(&folder.path("")).expect_err("it is cut off");
        assert!(error.contains(&folder.path("model.safetensors").display().to_string()), "{length}: {error}");
    }
}

#[test]
fn shards_that_are_missing() {
    let folder = Folder::new("shards");
    for file in ["config.json", "model.safetensors.index.json", "model-00001-of-00002.safetensors"] {
        fs::copy(models::folder("qwen2").join(file), folder.path(file)).expect("a file of ours");
    }
    let error = load(&folder.path("")).expect_err("one is missing");
    assert!(error.contains("model-00002-of-00002.safetensors"), "{error}");
}

#[test]
fn configs_that_cannot_be() {
    let folder = Folder::new("config");
    let text = fs::read_to_string(models::folder("llama").join("config.json")).expect("a file of ours");
    let check = |from: &str, to: &str, why: &str| {
        assert!(text.contains(from), "{from}");
        let file = folder.path("config.json");
        fs::write(&file, text.replace(from, to)).expect("a folder of ours");
        let error = Config::from_file(&file).expect_err("it cannot be").to_string();
        assert_eq!(error, format!("{}: {why}", file.display()));
    };
    check("\"llama\"", "\"mamba\"", "model_type \"mamba\" is not among the models here");
    check("\"hidden_size\"", "\"size\"", "there is no hidden_size");
    check("\"num_attention_heads\": 4", "\"num_attention_heads\": 0", "num_attention_heads is 0");
    check(
        "\"num_attention_heads\": 4",
        "\"num_attention_heads\": 7",
        "7 num_attention_heads do not share 2 num_key_value_heads",
    );
    check("\"num_key_value_heads\": 2", "\"num_key_value_heads\": -1", "num_key_value_heads is -1");
    check(
        "\"vocab_size\": 64",
        "\"vocab_size\": \"many\"",
        "vocab_size: invalid type: string \"many\", expected i32",
    );
    check("\"num_key_value_heads\": 2", "\"head_dim\": 7", "head_dim 7 is odd, and rotation takes pairs");
    check("\"llama3\"", "\"su\"", "rope_scaling of type \"su\" is not supported");
    check("\"factor\": 8.0,", "", "there is no factor");
    let error = Config::from_file(&folder.path("none.json")).expect_err("no file").to_string();
    assert!(error.contains("none.json"), "{error}");
}

#[test]
fn gguf_files_of_other_models() {
    let file = smollm2().expect("the package is in the cache, or can be fetched");
    let bytes = fs::read(&file).expect("a file of the package");
    let folder = Folder::new("gguf");
    let path = folder.path("model.gguf");
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("a folder of ours");
        let error = Language::load(&path, Form::Stored, None).err().expect("no model").to_string();
        assert!(error.contains(&path.display().to_string()), "{error}");
        error.replace(&path.display().to_string(), "FILE")
    };
    let end = refused(&bytes[..bytes.len() - 1000]);
    assert!(end.contains("tensor"), "{end}");
    // A file's header names things, and the same number of letters names others.
    let replaced = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let at = bytes
            .windows(from.len())
            .position(|window| window == from.as_bytes())
            .expect("it is in the header");
        let mut bytes = bytes.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        refused(&bytes)
    };
    assert_eq!(replaced("llama.block_count", "llama.block_cound"), "FILE: there is no llama.block_count");
    assert_eq!(
        replaced("tokenizer.ggml.merges", "tokenizer.ggml.merged"),
        "FILE: there is no tokenizer.ggml.merges"
    );
    assert_eq!(
        // With its length before it: the model's name begins like it.
        replaced("\u{6}\0\0\0\0\0\0\0smollm", "\u{6}\0\0\0\0\0\0\0other!"),
        "FILE: a tokenizer of model \"gpt2\" and pre \"other!\" is not supported"
    );
    assert_eq!(
        replaced("blk.7.attn_q.weight", "blk.7.attn_q.wheght"),
        "FILE: tensor model.layers.7.self_attn.q_proj.weight: is not in the file"
    );
    assert_eq!(
        replaced("blk.29.ffn_up.weight", "blk.29.ffn_ux.weight"),
        "FILE: tensor blk.29.ffn_ux.biases is of no part that is known here"
    );
}

#[test]
fn prompts_and_settings_that_make_no_sense() {
    let model = models::load("llama", Form::Stored, None);
    let refused = |prompt: &[u32], settings| {
        Generation::new(&model, prompt, settings).err().expect("no sense").to_string()
    };
    assert_eq!(refused(&[], Settings::default()), "the prompt is empty");
    assert_eq!(refused(&[3, 64], Settings::default()), "the prompt has token 64, and the model 64 tokens");
    let sampling = Sampling { top_p: 2.0, ..Sampling::default() };
    assert_eq!(
        refused(&[3], Settings { sampling, ..Settings::default() }),
        "top_p is 2, not between 0 and 1"
    );
    assert_eq!(
        refused(&[3], Settings { prefill_step: 0, ..Settings::default() }),
        "no token of the prompt at once is no step"
    );
    let settings = Settings { max_tokens: 0, ..Settings::default() };
    assert!(Generation::new(&model, &[3], settings).expect("no token is few").next().is_none());
    let mut caches = model.new_caches().expect("a checked config");
    let error = model.forward(&tensor![1, 2], &mut caches).expect_err("tokens are a batch");
    assert!(error.message().contains("tokens of shape [2] with 2 caches, for 2 layers"), "{error}");
}
