//! Whole folders as Hugging Face has them, with tokenizers and templates: what mlx-lm says to a prompt (`make_texts.py`), and
//! what is said of a folder that is not whole.

use crate::{folder::Folder, models, own_blas};
use mlx::{Dtype, PromotionGuard, prelude::*, with_promotion_guard};
use mlx_examples::language::{Form, Generation, Language, Sampling, Settings};
use serde_json::Value;
use std::{fs, process::Command};

const SAID: &str = "the rain in spain, ö?";

#[test]
fn tokens_are_those_of_mlx_lm() {
    own_blas::run("folders::with_mlx_own_blas");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn with_mlx_own_blas() {
    for name in ["llama", "qwen2", "qwen3", "gemma"] {
        check(name);
    }
}

/// In this process by its tokens, and the program by its text.
#[track_caller]
fn check(name: &str) {
    let text = fs::read_to_string(models::folder(name).join("expected.json")).expect("a file of ours");
    let expected: Value = serde_json::from_str(&text).expect("JSON");
    let language = Language::load(&models::folder(name), Form::Stored, None).expect("a whole folder");
    for (key, raw, max_tokens) in [("raw", true, 20), ("turn", false, 24)] {
        let expected = &expected[key];
        let numbers = |key: &str| serde_json::from_value::<Vec<u32>>(expected[key].clone()).expect("numbers");
        let said = if raw { SAID.to_owned() } else { format!(" {SAID} ") };
        let prompt = language.prompt(&said, raw).expect("a text");
        assert_eq!(prompt, numbers("prompt"), "{name}, {key}");
        let settings = Settings { max_tokens, stop: language.stop.clone(), ..Settings::default() };
        let mut generation = Generation::new(&language.model, &prompt, settings).expect("a prompt");
        let tokens: Vec<u32> = generation.by_ref().collect::<Result<_, _>>().expect("nothing that fails");
        assert_eq!(tokens, numbers("tokens"), "{name}, {key}");
        assert_eq!(Some(generation.has_stopped()), expected["stopped"].as_bool(), "{name}, {key}");

        let this = std::env::current_exe().expect("this program has a path");
        let program = this.ancestors().nth(2).expect("below a folder of cargo's").join("examples/generate");
        let mut program = Command::new(program);
        program.arg("--model").arg(models::folder(name)).args([
            "--greedy",
            "--device",
            "cpu",
            "--max-tokens",
        ]);
        program.arg(max_tokens.to_string()).args(raw.then_some("--raw")).arg(&said);
        let output = program.output().expect("it is built with the tests");
        let said = String::from_utf8(output.stdout).expect("text");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(said.strip_suffix('\n'), expected["text"].as_str(), "{name}, {key}");
    }
}

#[test]
fn folders_that_are_not_whole() {
    let refused = |file: &str, change: Option<&[u8]>| {
        let folder = Folder::new("half");
        for entry in fs::read_dir(models::folder("llama")).expect("a folder of ours").flatten() {
            fs::copy(entry.path(), folder.path(&entry.file_name().to_string_lossy()))
                .expect("a file of ours");
        }
        match change {
            Some(bytes) => fs::write(folder.path(file), bytes).expect("a folder of ours"),
            None => fs::remove_file(folder.path(file)).expect("a file of ours"),
        }
        let error =
            Language::load(&folder.path(""), Form::Stored, None).err().expect("not whole").to_string();
        assert!(error.contains(&folder.path(file).display().to_string()), "{file}: {error}");
    };
    for file in ["config.json", "tokenizer.json"] {
        refused(file, None);
        refused(file, Some(b"{"));
    }
    refused("tokenizer_config.json", Some(b"[]"));
    refused("generation_config.json", Some(b"no JSON"));
    refused("model.safetensors", Some(b"\x08\0\0\0\0\0\0\0{}"));
}

/// Asked for in another type than the folder's, all of it is of that type, up to the draws.
#[test]
fn bfloat16_stays_bfloat16() {
    let language =
        Language::load(&models::folder("llama"), Form::Dense, Some(Dtype::Bfloat16)).expect("a whole folder");
    let prompt = language.prompt(SAID, true).expect("a text");
    let sampling = Sampling { temperature: 0.8, top_p: 0.9, seed: Some(1), ..Sampling::default() };
    let settings = Settings { max_tokens: 8, sampling, ..Settings::default() };
    let tokens = with_promotion_guard(PromotionGuard::Deny, || {
        let generation = Generation::new(&language.model, &prompt, settings).expect("a prompt");
        generation.collect::<Result<Vec<u32>, _>>()
    });
    assert_eq!(tokens.expect("no promotion").len(), 8);
    let mut caches = language.model.new_caches().expect("a checked config");
    let logits = language.model.forward(&tensor![[3, 1, 4]], &mut caches).expect("shapes that fit");
    assert_eq!(logits.dtype(), Dtype::Bfloat16);
}
