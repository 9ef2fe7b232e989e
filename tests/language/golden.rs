//! SmolLM2's tokens, as MLX, mlx-lm and llama.cpp give them.

use crate::own_blas;
use mlx_examples::language::{Form, Generation, Language, Settings, smollm2};

const PROMPT: &str = "1, 2, 3, 4, 5, 6, 7, 8,";
const PROMPT_TOKENS: [u32; 23] =
    [33, 28, 216, 34, 28, 216, 35, 28, 216, 36, 28, 216, 37, 28, 216, 38, 28, 216, 39, 28, 216, 40, 28];
const TOKENS: [u32; 32] = [
    216, 41, 28, 216, 33, 32, 28, 216, 33, 33, 28, 216, 33, 34, 28, 216, 33, 35, 28, 216, 33, 36, 28, 216,
    33, 37, 28, 216, 33, 38, 28, 216,
];

pub(crate) fn smollm(form: Form) -> Language {
    let file = smollm2().expect("the package is in the cache, or can be fetched");
    Language::load(&file, form, None).expect("a whole file")
}

/// The tokens, whatever the size of a step over the prompt.
#[track_caller]
fn check(form: Form) {
    let language = smollm(form);
    let prompt = language.prompt(PROMPT, true).expect("a text");
    assert_eq!(prompt, PROMPT_TOKENS);
    for (max_tokens, prefill_step) in [(32, 2048), (8, 5)] {
        let settings = Settings { max_tokens, prefill_step, ..Settings::default() };
        let generation = Generation::new(&language.model, &prompt, settings).expect("a prompt");
        let tokens: Vec<u32> = generation.collect::<Result<_, _>>().expect("nothing that fails");
        assert_eq!(tokens, TOKENS[..max_tokens], "{form:?}");
        let text = language.tokenizer.decode(&tokens).expect("tokens of the model");
        assert_eq!(text, &" 9, 10, 11, 12, 13, 14, 15, 16, "[..text.len()]);
    }
}

#[test]
fn quantized() {
    check(Form::Stored);
}

#[test]
fn dense() {
    check(Form::Dense);
}

#[test]
fn with_the_other_blas() {
    own_blas::run("golden::with_mlx_own_blas");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn with_mlx_own_blas() {
    check(Form::Stored);
    check(Form::Dense);
}

#[test]
fn a_chat_ends_by_itself() {
    let language = smollm(Form::Dense);
    let prompt = language.prompt("What is the capital of France?", false).expect("a text");
    let said = language.tokenizer.decode(&prompt).expect("tokens of the model");
    assert_eq!(
        said,
        "system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face\nuser\nWhat is the capital of France?\nassistant\n"
    );
    assert_eq!((prompt.len(), &prompt[..3], prompt[36]), (37, &[1, 9690, 198][..], 198));
    let settings = Settings { stop: language.stop.clone(), ..Settings::default() };
    let mut generation = Generation::new(&language.model, &prompt, settings).expect("a prompt");
    let tokens: Vec<u32> = generation.by_ref().collect::<Result<_, _>>().expect("nothing that fails");
    assert!(generation.has_stopped() && generation.next().is_none());
    let text = language.tokenizer.decode(&tokens).expect("tokens of the model");
    // The first token is nearly a tie between two ways to begin.
    assert!(text.contains("Paris") || text.contains("L'Etoile"), "{text}");
    assert!(!tokens.contains(&2) && generation.timing().later.0 == tokens.len() - 1);
}
