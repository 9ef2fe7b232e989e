//! Small random models of each family: the bits of mlx-lm's logits, for a prompt, single tokens and more behind it.

use crate::own_blas;
use mlx::{Dtype, PromotionGuard, prelude::*, with_promotion_guard};
use mlx_examples::language::{Cache, Checkpoint, Config, Form, Model};
use std::path::{Path, PathBuf};

/// Where the folder of a small model is.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language/models").join(name)
}

pub(crate) fn load(name: &str, form: Form, dtype: Option<Dtype>) -> Model {
    let folder = folder(name);
    let config = Config::from_file(&folder.join("config.json")).expect("a config of ours");
    let checkpoint = Checkpoint::folder(&folder, form, dtype).expect("weights of ours");
    Model::new(&config, &checkpoint).expect("the config's weights")
}

#[test]
fn the_bits_are_mlx_lms() {
    own_blas::run("models::with_mlx_own_blas");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn with_mlx_own_blas() {
    check("llama", Dtype::Float32);
    check("llama_biased", Dtype::Bfloat16);
    check("llama_windows", Dtype::Float16);
    check("llama_quantized", Dtype::Float32);
    check("qwen2", Dtype::Bfloat16);
    check("qwen3", Dtype::Float32);
    check("gemma", Dtype::Bfloat16);
    check("gemma3", Dtype::Bfloat16);
}

/// Every logit, by its bits. Half precision stays what it is.
#[track_caller]
fn check(name: &str, dtype: Dtype) {
    let model = load(name, Form::Stored, None);
    let expected =
        mlx::ops::load_safetensors(folder(name).join("expected.safetensors")).expect("ours").tensors;
    let tokens = &expected["tokens"];
    let mut caches = model.new_caches().expect("a checked config");
    let parts = [(0, 7), (7, 8), (8, 9), (9, 10), (10, 11), (11, 13), (13, 14)];
    for (i, (start, stop)) in parts.into_iter().enumerate() {
        let part = tokens.index((NewAxis, start..stop));
        let logits = with_promotion_guard(PromotionGuard::Deny, || model.forward(&part, &mut caches));
        let (logits, python) = (logits.expect("shapes that fit"), &expected[&format!("logits.{i}")]);
        assert_eq!((logits.dtype(), logits.shape()), (dtype, python.shape()), "{name}");
        mlx::eval([&logits, python]).expect("nothing that fails");
        assert!(python.isfinite().all(..).item::<bool>().expect("computed"), "{name}: {python}");
        let bytes = |x: &Tensor| x.to_bytes().expect("computed");
        assert_eq!(bytes(&logits), bytes(python), "{name}, tokens {start} to {stop}: {logits} {python}");
    }
    assert!(caches.iter().all(|cache| cache.offset() == 14));
}

#[test]
fn dense_weights_are_those_that_quantized_ones_stand_for() {
    let (stored, dense) =
        (load("llama_quantized", Form::Stored, None), load("llama_quantized", Form::Dense, None));
    let tokens = tensor![[3, 1, 4, 1, 5]];
    let logits = |model: &Model| {
        let mut caches: Vec<Cache> = model.new_caches().expect("a checked config");
        model.forward(&tokens, &mut caches).expect("shapes that fit")
    };
    let difference = (logits(&stored) - logits(&dense)).abs().max(..).item::<f32>().expect("computed");
    assert!(difference < 1e-3, "{difference}");
}
