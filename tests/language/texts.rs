//! Texts and tokens: those of the `tokenizers` package, characters that are never split, templates.

use crate::golden::smollm;
use mlx_examples::language::{Chat, Form, Message};

#[test]
fn tokens_are_those_of_the_vocabulary() {
    let language = smollm(Form::Stored);
    let check = |text: &str, tokens: &[u32]| {
        assert_eq!(language.prompt(text, true).expect("a text"), tokens, "{text:?}");
        assert_eq!(language.tokenizer.decode(tokens).expect("tokens of the model"), text);
    };
    check("The capital of France is", &[504, 3575, 282, 4649, 314]);
    check("1, 2,", &[33, 28, 216, 34, 28]);
    check("2024", &[34, 32, 34, 36]);
    check("", &[]);
    // What marks turns is a token in a text, too, and no text.
    assert_eq!(language.prompt("<|im_start|>user", true).expect("a text")[0], 1);
    assert_eq!(language.tokenizer.decode(&[1, 504, 2]).expect("tokens of the model"), "The");
    assert_eq!(language.tokenizer.id("<|im_end|>"), Some(2));
}

#[test]
fn tokens_have_the_bytes_of_their_text() {
    let language = smollm(Form::Stored);
    let bytes = language.tokenizer.bytes(language.model.config().vocab_size);
    assert_eq!(bytes.len(), 49_152);
    assert!(bytes[2].is_empty() && bytes[504] == b"The" && bytes[3575] == b" capital" && bytes[198] == b"\n");
    let text = "Größe, naïve 東京 🦀🇫🇷 \u{0} \t\r\n \u{7f} «»";
    let tokens = language.prompt(text, true).expect("a text");
    let joined: Vec<u8> = tokens.iter().flat_map(|&token| bytes[token as usize].clone()).collect();
    assert_eq!(joined, text.as_bytes());
}

#[test]
fn a_stream_gives_whole_characters() {
    let language = smollm(Form::Stored);
    let text = "Größe 東京 🦀🇫🇷🧑‍🚀 … end";
    let tokens = language.prompt(text, true).expect("a text");
    let mut stream = language.tokenizer.stream();
    let mut pieces: Vec<String> = Vec::new();
    for &token in &tokens {
        pieces.push(stream.push(token).expect("tokens of the model"));
    }
    pieces.push(stream.finish().expect("tokens of the model"));
    assert_eq!(pieces.concat(), text);
    assert!(!pieces.concat().contains(char::REPLACEMENT_CHARACTER));
    assert!(
        pieces.iter().filter(|piece| piece.is_empty()).count() > 5,
        "tokens that are parts of characters: {pieces:?}"
    );

    // Cut off within a character: what is left stands for it.
    let crab = language.prompt("🦀", true).expect("a text");
    assert!(crab.len() > 1);
    let mut stream = language.tokenizer.stream();
    assert_eq!(stream.push(crab[0]).expect("a token of the model"), "");
    assert_eq!(stream.finish().expect("a token of the model"), "\u{FFFD}");
}

#[test]
fn templates_are_jinja_with_pythons_methods() {
    let write = |template: &str| {
        let chat = Chat::new(template.to_owned(), "<s>", "</s>").expect("a template");
        chat.write(&[Message { role: "user", content: " Hello ".to_owned() }])
    };
    let turns = "{{ bos_token }}{% for m in messages %}\n[{{ m['role'] | upper }}] {{ m.content.strip() }}{{ eos_token }}\n{% endfor %}\n{% if add_generation_prompt %}[MODEL]{% endif %}";
    assert_eq!(write(turns).expect("what it takes is there"), "<s>[USER] Hello</s>\n[MODEL]");
    let error = write("{{ raise_exception('no such role') }}").expect_err("it refuses").to_string();
    assert!(error.contains("no such role") && error.contains("--raw"), "{error}");
    let error = Chat::new("{% for %}".to_owned(), "", "").err().expect("no template").to_string();
    assert!(error.starts_with("the model's chat template: syntax error"), "{error}");
}
