//! The form for decoding: the bits and tokens of the model itself, and so mlx-lm's.

use crate::{
    models::{folder, load},
    own_blas,
};
use mlx::{Device, Dtype, PromotionGuard, graph, ops, prelude::*, random, with_device, with_promotion_guard};
use mlx_examples::language::{
    Checkpoint, Config, Decode, Form, Fusion, Generation, Model, Predict, Settings,
};
use std::{collections::HashMap, path::Path};

const FUSIONS: [Fusion; 4] = [
    Fusion { attention: false, mlp: false },
    Fusion { attention: false, mlp: true },
    Fusion { attention: true, mlp: false },
    Fusion { attention: true, mlp: true },
];

fn decode(model: Model, fusion: Fusion) -> Decode {
    Decode::new(model, fusion).expect("a model that has this form")
}

#[track_caller]
fn assert_same(ours: &Tensor, expected: &Tensor, what: &str) {
    assert_eq!((ours.dtype(), ours.size()), (expected.dtype(), expected.size()), "{what}");
    mlx::eval([ours, expected]).expect("nothing that fails");
    assert!(expected.isfinite().all(..).item::<bool>().expect("computed"), "{what}: {expected}");
    let bytes = |x: &Tensor| x.to_bytes().expect("computed");
    assert_eq!(bytes(ours), bytes(expected), "{what}: {ours} {expected}");
}

#[test]
fn the_bits_are_mlx_lms() {
    own_blas::run("decode::with_mlx_own_blas");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn with_mlx_own_blas() {
    for fusion in FUSIONS {
        check("llama", fusion);
        check("llama_biased", fusion);
        check("llama_windows", fusion);
        check("llama_quantized", fusion);
        check("qwen2", fusion);
    }
}

/// Every logit of a prompt, of single tokens and of two at once. Half precision stays what it is.
#[track_caller]
fn check(name: &str, fusion: Fusion) {
    let model = decode(load(name, Form::Stored, None), fusion);
    let expected = ops::load_safetensors(folder(name).join("expected.safetensors")).expect("ours").tensors;
    let tokens = &expected["tokens"];
    let mut caches = model.new_caches().expect("a checked config");
    let parts = [(0, 7), (7, 8), (8, 9), (9, 10), (10, 11), (11, 13), (13, 14)];
    for (i, (start, stop)) in parts.into_iter().enumerate() {
        let part = tokens.index(start..stop);
        let logits = with_promotion_guard(PromotionGuard::Deny, || model.forward(&part, &mut caches));
        let what = format!("{name}, {fusion:?}, tokens {start} to {stop}");
        assert_same(&logits.expect("shapes that fit"), &expected[&format!("logits.{i}")], &what);
    }
    assert!(caches.iter().all(|cache| cache.offset() == 14));
}

#[test]
fn the_bits_and_tokens_are_the_models_own() {
    own_blas::run("decode::beside_the_model");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn beside_the_model() {
    for dtype in [Dtype::Float32, Dtype::Float16, Dtype::Bfloat16] {
        for form in [Form::Stored, Form::Quantized] {
            // Beyond 256 positions the caches grow.
            let tokens = greedy(form, dtype, 260);
            assert!(tokens.iter().any(|token| *token != tokens[0]), "{dtype}: {tokens:?} tell nothing apart");
        }
    }
}

#[test]
fn a_text_is_the_same() {
    own_blas::run("decode::beside_a_text");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn beside_a_text() {
    let text = |model: &dyn Predict| -> Vec<u32> {
        // More than one token goes through the last step, too.
        let settings = Settings { max_tokens: 40, prefill_step: 3, ..Settings::default() };
        let generation = Generation::new(model, &[5, 3, 8, 1, 400, 2, 7, 9], settings).expect("a prompt");
        generation.collect::<Result<_, _>>().expect("nothing that fails")
    };
    let dtype = Dtype::Bfloat16;
    let expected = text(&random_model(Form::Stored, dtype));
    assert_eq!(text(&decode(random_model(Form::Stored, dtype), Fusion::default())), expected);
    assert_eq!(expected.len(), 40);
}

/// A random model's likeliest tokens, each time with the same logits from both forms.
fn greedy(form: Form, dtype: Dtype, count: usize) -> Vec<u32> {
    let mut plain_caches = random_model(form, dtype).new_caches().expect("a checked config");
    let plain = random_model(form, dtype);
    let fused = decode(random_model(form, dtype), Fusion::default());
    let mut caches = fused.new_caches().expect("a checked config");
    let (mut token, mut given) = (Tensor::from_slice(&[1_u32]).expect("a token"), Vec::new());
    for i in 0..count {
        let expected = plain.forward(&token.index(NewAxis), &mut plain_caches).expect("shapes that fit");
        let logits = fused.forward(&token, &mut caches).expect("shapes that fit");
        assert_same(&logits, &expected, &format!("{form:?}, {dtype}, token {i}"));
        token = ops::argmax(&logits, -1).expect("a row");
        given.push(token.item::<u32>().expect("computed"));
    }
    given
}

/// A Llama with a vocabulary of 512, whose layers say more than its embedding, so that no token just comes again.
fn random_model(form: Form, dtype: Dtype) -> Model {
    let folder = folder("llama");
    let mut config = Config::from_file(&folder.join("config.json")).expect("a config of ours");
    config.hidden_size = 128;
    config.head_dim = 32;
    config.intermediate_size = 192;
    config.vocab_size = 512;
    config.max_position_embeddings = 512;
    let mut weights = HashMap::new();
    let mut draw = |name: String, shape: &[i32]| {
        let key = random::key(weights.len() as u64).expect("a seed");
        let x = random::Normal::new().key(&key).sample(shape).expect("a shape");
        let x = if shape.len() == 1 { 1.0 + 0.1 * x } else { x / f64::from(shape[1]).sqrt() };
        weights.insert(name, x);
    };
    draw("model.embed_tokens.weight".into(), &[512, 128]);
    draw("model.norm.weight".into(), &[128]);
    for layer in 0..config.num_hidden_layers {
        let of = |part: &str| format!("model.layers.{layer}.{part}.weight");
        draw(of("input_layernorm"), &[128]);
        draw(of("post_attention_layernorm"), &[128]);
        draw(of("self_attn.q_proj"), &[128, 128]);
        draw(of("self_attn.k_proj"), &[64, 128]);
        draw(of("self_attn.v_proj"), &[64, 128]);
        draw(of("self_attn.o_proj"), &[128, 128]);
        draw(of("mlp.gate_proj"), &[192, 128]);
        draw(of("mlp.up_proj"), &[192, 128]);
        draw(of("mlp.down_proj"), &[128, 192]);
    }
    let checkpoint = Checkpoint::of(Path::new("random"), weights, form, Some(dtype));
    Model::new(&config, &checkpoint).expect("the config's weights")
}

/// Without leaves, for a token behind three others.
fn nodes(model: &dyn Predict) -> usize {
    let mut caches = model.new_caches().expect("a checked config");
    model.scores(&tensor![1, 2, 3], &mut caches).and_then(|scores| scores.eval()).expect("shapes that fit");
    let scores = model.scores(&tensor![4], &mut caches).expect("shapes that fit");
    let graph = graph::canonical([&scores]).expect("no deep graph");
    graph.lines().filter(|line| !line.starts_with("leaf ")).count()
}

#[test]
fn it_has_few_nodes() {
    // On a GPU norms, rotation and attention are a node each; here they are many.
    let counted = with_device(Device::cpu(), || {
        let model = || random_model(Form::Stored, Dtype::Float32);
        [nodes(&model()), nodes(&decode(model(), FUSIONS[0])), nodes(&decode(model(), FUSIONS[3]))]
    });
    assert_eq!(counted.expect("there is a CPU"), [285, 226, 168]);
}

#[test]
fn what_has_no_such_form_is_told() {
    for name in ["qwen3", "gemma", "gemma3"] {
        let error = Decode::new(load(name, Form::Stored, None), Fusion::default()).expect_err("no such form");
        assert!(error.to_string().contains("there is no form for decoding of"), "{error}");
    }
    let model = decode(load("llama", Form::Stored, None), Fusion::default());
    let mut caches = model.new_caches().expect("a checked config");
    caches.pop();
    let error = model.forward(&tensor![1], &mut caches).expect_err("a cache is missing").to_string();
    assert!(error.contains("[1] with 1 caches, for 2 layers"), "{error}");
    let error = model.forward(&tensor![[1]], &mut []).expect_err("a batch").to_string();
    assert!(error.contains("[1, 1] with 0 caches"), "{error}");
}
