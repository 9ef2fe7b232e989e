//! Adapters: mlx-lm's names and files, a loss that falls, nothing but adapters learns, bad files are errors that say where.

#[path = "support/folder.rs"]
mod folder;
#[allow(dead_code, reason = "its main")]
#[path = "../examples/lora/main.rs"]
mod program;

use folder::Folder;
use mlx::{
    nn::{ModuleExt, Parameters},
    ops,
    prelude::*,
    random,
};
use mlx_examples::{
    language::{Checkpoint, Config, Form, Language, Model, smollm2},
    lora::{self, FineTuning, Lora, Settings},
};
use std::{
    collections::HashMap,
    error::Error as StdError,
    fs,
    path::{Path, PathBuf},
};

type Test = Result<(), Box<dyn StdError + Send + Sync>>;

/// A small random model: dense, or quantized.
fn model(name: &str) -> Model {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language/models").join(name);
    let config = Config::from_file(&folder.join("config.json")).expect("a config of ours");
    let checkpoint = Checkpoint::folder(&folder, Form::Stored, None).expect("weights of ours");
    Model::new(&config, &checkpoint).expect("the config's weights")
}

fn small() -> Lora {
    let mut lora = Lora { layers: 1, ..Lora::default() };
    lora.term.rank = 4;
    lora
}

/// Lines that count upwards, of several lengths.
fn lines() -> Vec<Vec<u32>> {
    (0..8).map(|line| (0..5 + line % 3).map(|place| (10 + line + place) % 60).collect()).collect()
}

fn logits(model: &Model) -> Vec<u8> {
    model.forward(&tensor![[3, 1, 4, 1, 5]], &mut []).expect("shapes that fit").to_bytes().expect("computed")
}

/// The bytes of all tensors that `keep` takes by their names.
fn bytes(parameters: &Parameters, keep: impl Fn(&str) -> bool) -> Vec<(String, Vec<u8>)> {
    let kept = parameters.iter().filter(|(name, _)| keep(name));
    kept.map(|(name, tensor)| (name.clone(), tensor.to_bytes().expect("computed"))).collect()
}

#[test]
fn adapters_learn_and_nothing_else() -> Test {
    for name in ["llama", "llama_quantized"] {
        let base = model(name);
        let before = logits(&base);
        let settings = Settings { batch: 4, lr: 5e-3, seed: 1 };
        let mut training = FineTuning::new(base.clone(), &small(), &lines(), 2, settings)?;
        assert!(logits(&training.model) == before, "a new term changes nothing");
        for _ in 0..60 {
            training.step()?;
        }
        let [first, last] = [training.losses[0], training.losses[59]];
        assert!(last < 0.8 * first, "{name}: {:?}", training.losses);
        assert!(logits(&training.model) != before);

        let trained: Vec<String> = training.model.trainable_parameters().into_keys().collect();
        let all = training.model.parameters();
        assert_eq!(trained.len(), 14, "two for each of seven projections");
        for key in ["self_attn.q_proj.lora_a", "self_attn.q_proj.lora_b", "mlp.down_proj.lora_a"] {
            assert!(trained.contains(&format!("model.layers.1.{key}")), "{trained:?}");
        }
        assert!(all.contains_key("model.layers.1.mlp.up_proj.linear.weight"));
        let frozen = |name: &str| !name.contains(".lora_");
        let learned =
            bytes(&all, frozen).into_iter().map(|(name, bytes)| (name.replace(".linear.", "."), bytes));
        assert!(learned.eq(bytes(&base.parameters(), |_| true)), "{name}");
    }
    Ok(())
}

#[test]
fn the_same_seed_gives_the_same_adapters() -> Test {
    let mut lora = small();
    lora.term.dropout = 0.25;
    let trained = |seed| -> Result<_, Box<dyn StdError + Send + Sync>> {
        let settings = Settings { batch: 3, lr: 1e-2, seed };
        let mut training = FineTuning::new(model("llama"), &lora, &lines(), 2, settings)?;
        for _ in 0..5 {
            training.step()?;
        }
        Ok(bytes(&training.model.trainable_parameters(), |_| true))
    };
    let first = trained(1)?;
    random::seed(77)?;
    assert!(first == trained(1)? && first != trained(2)?);
    Ok(())
}

/// Adapters with values that nobody drew.
fn saved(folder: &Path, lora: &Lora) -> Result<Model, Box<dyn StdError + Send + Sync>> {
    let mut model = model("llama");
    lora.apply(&mut model)?;
    let parts: Parameters = model.trainable_parameters();
    let parts =
        parts.into_iter().map(|(name, tensor)| (name, ops::full_like(&tensor, 0.125).expect("a number")));
    model.update(&parts.collect())?;
    lora::save(&model, lora, folder)?;
    Ok(model)
}

#[test]
fn a_folder_of_adapters_is_mlx_lms_and_gives_the_same_model() -> Test {
    let folder = Folder::new("adapters");
    let mut lora = small();
    lora.term.keys = Some(vec!["self_attn.q_proj".to_owned(), "self_attn.v_proj".to_owned()]);
    let model_before = saved(&folder.path(""), &lora)?;
    let mut again = model("llama");
    assert!(logits(&again) != logits(&model_before));
    assert_eq!(lora::load(&mut again, &folder.path(""))?, lora);
    assert!(logits(&again) == logits(&model_before));
    assert_eq!(again.trainable_parameters().len(), 4);

    let config: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.path("adapter_config.json"))?)?;
    assert_eq!((&config["fine_tune_type"], &config["num_layers"]), (&"lora".into(), &1.into()));
    assert_eq!(config["lora_parameters"]["rank"], 4);
    assert_eq!(config["lora_parameters"]["keys"][1], "self_attn.v_proj");
    assert_eq!(folder.files(), 2);
    Ok(())
}

#[test]
fn bad_adapters_are_errors_that_name_file_and_tensor() -> Test {
    let folder = Folder::new("bad adapters");
    let (weights, config) = (folder.path("adapters.safetensors"), folder.path("adapter_config.json"));
    saved(&folder.path(""), &small())?;
    let (good, text) = (fs::read(&weights)?, fs::read_to_string(&config)?);
    let says = |file: &PathBuf, words: &[&str]| {
        let error = lora::load(&mut model("llama"), &folder.path("")).expect_err("it is bad").to_string();
        let file = file.to_str().expect("it is text");
        assert!(error.contains(file) && words.iter().all(|word| error.contains(word)), "{words:?}: {error}");
    };

    let (name, integers) = ("model.layers.1.mlp.up_proj.lora_a", ops::zeros([32, 4], Dtype::Int32)?);
    let changed = |change: &dyn Fn(&mut HashMap<String, Tensor>)| -> Test {
        fs::write(&weights, &good)?;
        let mut tensors = ops::load_safetensors(&weights)?.tensors;
        mlx::eval(tensors.values())?;
        change(&mut tensors);
        Ok(ops::save_safetensors(&weights, &tensors)?)
    };
    changed(&|tensors| drop(tensors.remove(name)))?;
    says(&weights, &["there is no", name]);
    changed(&|tensors| drop(tensors.insert(name.to_owned(), tensor![1.0])))?;
    says(&weights, &[name, "[1]", "[32, 4]"]);
    changed(&|tensors| drop(tensors.insert("model.layers.0.mlp.up_proj.lora_a".to_owned(), tensor![1.0])))?;
    says(&weights, &["model.layers.0.mlp.up_proj.lora_a", "no adapter"]);
    changed(&|tensors| drop(tensors.insert(name.to_owned(), integers.clone())))?;
    says(&weights, &[name, "int32"]);
    fs::write(&weights, &good[..good.len() / 2])?;
    says(&weights, &[]);
    fs::remove_file(&weights)?;
    says(&weights, &[]);

    fs::write(&weights, &good)?;
    for (from, to, word) in [
        ("\"lora\"", "\"dora\"", "dora"),
        ("\"rank\": 4", "\"rank\": 0", "rank 0"),
        ("\"rank\": 4", "\"rank\": \"4\"", "line 5"),
        ("\"scale\"", "\"alpha\"", "scale"),
        ("\"dropout\": 0.0", "\"dropout\": 1.0", "dropout"),
        ("\"dropout\": 0.0", "\"dropout\": 0.0, \"keys\": [\"self_attn.x_proj\"]", "x_proj"),
        ("{", "", ""),
    ] {
        assert!(text.contains(from), "{from}: {text}");
        fs::write(&config, text.replacen(from, to, 1))?;
        says(&config, &[word]);
    }
    fs::remove_file(&config)?;
    says(&config, &[]);
    Ok(())
}

#[test]
fn settings_that_make_no_sense_are_errors() {
    let refused = |lora: &Lora, lines: &[Vec<u32>], settings: Settings, word: &str| {
        let error = FineTuning::new(model("llama"), lora, lines, 2, settings).err().expect(word).to_string();
        assert!(error.contains(word), "{error}");
    };
    let good = Settings { batch: 2, ..Settings::default() };
    refused(&small(), &lines(), Settings { batch: 9, ..good }, "batch of 9");
    refused(&small(), &lines(), Settings { batch: 0, ..good }, "batch of 0");
    refused(&small(), &lines(), Settings { lr: f64::NAN, ..good }, "NaN");
    refused(&small(), &[vec![1], vec![64]], good, "token 64");
    let mut twice = model("llama");
    small().apply(&mut twice).expect("the first");
    let error = small().apply(&mut twice).expect_err("the second").to_string();
    assert!(error.contains("already"), "{error}");
}

/// The lines of the program on the real model: six steps of its last two layers.
#[test]
fn smollm2_learns_the_pattern() -> Test {
    let language = Language::load(&smollm2()?, Form::Dense, Some(Dtype::Float32))?;
    let lines = program::LINES.lines().map(|line| language.tokenizer.encode(line));
    let lines: Vec<Vec<u32>> = lines.collect::<Result<_, _>>()?;
    assert!(lines.len() == 60 && program::LINES.lines().all(|line| line.contains(" that learned ")));
    let lora = Lora { layers: 2, ..Lora::default() };
    let settings = Settings { batch: 4, lr: 2e-3, ..Settings::default() };
    let mut training = FineTuning::new(language.model, &lora, &lines, language.stop[0], settings)?;
    for _ in 0..6 {
        training.step()?;
    }
    assert!(training.losses[5] < 0.75 * training.losses[0], "{:?}", training.losses);
    Ok(())
}
