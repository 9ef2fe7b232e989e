//! Samplers: the tokens that mlx-lm draws from the same scores and seed.

use mlx::{Tensor, ops, prelude::*};
use mlx_examples::language::{Sampler, Sampling};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/language/draws.safetensors");

#[test]
fn the_draws_are_mlx_lms() {
    let plain = Sampling::default();
    check("greedy", plain);
    check("greedy_penalized", Sampling { repetition_penalty: 1.7, ..plain });
    check("plain", Sampling { temperature: 0.7, ..plain });
    check("top_p", Sampling { temperature: 1.3, top_p: 0.8, ..plain });
    check("min_p", Sampling { temperature: 0.9, min_p: 0.1, ..plain });
    check("both", Sampling { temperature: 1.1, top_p: 0.9, min_p: 0.05, ..plain });
    check("penalized", Sampling { temperature: 1.0, repetition_penalty: 1.3, ..plain });
}

#[track_caller]
fn check(name: &str, how: Sampling) {
    let file = ops::load_safetensors(FILE).expect("a file of ours").tensors;
    let mut sampler = Sampler::new(Sampling { seed: Some(5), ..how }).expect("settings in their range");
    sampler.see(&Tensor::from_slice(&[3_u32, 90, 17]).expect("tokens")).expect("tokens");
    let mut drawn = Vec::new();
    for i in 0..file["logits"].dim(0) {
        let token = sampler.sample(&file["logits"].index(i)).expect("scores");
        sampler.see(&token).expect("tokens");
        drawn.push(token.item::<u32>().expect("computed"));
    }
    assert_eq!(drawn, file[name].to_vec::<u32>().expect("read"), "{name}");
}

#[test]
fn a_seed_is_what_a_draw_depends_on() {
    let logits = Tensor::from_shape_slice([1, 64], &[0.0_f32; 64]).expect("scores");
    let draws = |seed| {
        let mut sampler =
            Sampler::new(Sampling { temperature: 1.0, seed: Some(seed), ..Sampling::default() })
                .expect("settings in their range");
        let mut draw = || sampler.sample(&logits).expect("scores").item::<u32>().expect("computed");
        [draw(), draw(), draw(), draw(), draw(), draw()]
    };
    assert_eq!(draws(1), draws(1));
    assert_ne!(draws(1), draws(2));
}

#[test]
fn settings_out_of_range_are_named() {
    let plain = Sampling::default();
    let refused = |how: Sampling| how.checked().expect_err("out of range");
    assert_eq!(refused(Sampling { top_p: 1.5, ..plain }), "top_p is 1.5, not between 0 and 1");
    assert_eq!(refused(Sampling { min_p: -0.1, ..plain }), "min_p is -0.1, not between 0 and 1");
    assert_eq!(
        refused(Sampling { temperature: f64::NAN, ..plain }),
        "temperature is NaN, not a number from 0 on"
    );
    assert_eq!(
        refused(Sampling { repetition_penalty: f64::INFINITY, ..plain }),
        "repetition_penalty is inf, not a number from 0 on"
    );
}
