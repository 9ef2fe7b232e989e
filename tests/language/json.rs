//! What may come so that a text is JSON, held against serde_json: on every short text, and on what models draw.

use crate::golden::smollm;
use mlx_examples::language::{Form, Generation, Json, JsonMask, Sampling, Settings};
use serde_json::Value;

/// Whether it is JSON for serde_json, and an object or an array.
fn is_json(text: &[u8]) -> bool {
    let whole = serde_json::from_slice::<Value>(text).is_ok();
    whole && text.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|byte| b"{[".contains(byte))
}

fn is_whole(text: &[u8]) -> bool {
    Json::new().after_all(text).is_some_and(|json| json.is_whole())
}

/// All texts of up to `most` of these pieces, within `before` and `after`: as serde_json says, and each that is JSON has
/// beginnings that are beginnings.
#[track_caller]
fn check(before: &str, pieces: &[&str], most: u32, after: &str) {
    let count = pieces.len();
    let mut whole = 0;
    for length in 0..=most {
        for number in 0..count.pow(length) {
            let mut text = before.as_bytes().to_vec();
            let mut rest = number;
            for _ in 0..length {
                text.extend_from_slice(pieces[rest % count].as_bytes());
                rest /= count;
            }
            text.extend_from_slice(after.as_bytes());
            assert_eq!(is_whole(&text), is_json(&text), "{:?}", String::from_utf8_lossy(&text));
            whole += usize::from(is_whole(&text));
        }
    }
    assert!(whole > 5, "{whole} texts of {before}…{after} are JSON");
}

#[test]
fn every_short_text_is_as_serde_json_says() {
    check("", &["{", "}", "[", "]", ",", ":", "\"\"", "0", " "], 6, "");
    check("[", &["-", "0", "1", "2", ".", "e", "E", "+", " "], 5, "]");
    check("[\"", &["a", "\\", "u", "0", "n", "\"", "D", "d", "7"], 5, "\"]");
    check("[\"\\u", &["0", "d", "7", "F", "g"], 5, "\"]");
    check("[", &["true", "false", "null", "tru", "nul", "l", "e", ","], 4, "]");
}

/// Strings' bytes: each character, and each pair of bytes behind each first byte that begins one of several.
#[test]
fn strings_are_utf8() {
    let text = |bytes: &[u8]| [b"[\"", bytes, b"\"]"].concat();
    for first in 0..=255 {
        assert_eq!(is_whole(&text(&[first])), is_json(&text(&[first])), "{first}");
        for second in 0..=255_u8 {
            let lengths: [&[u8]; 3] =
                [&[first, second], &[first, second, 0x80], &[first, second, 0x80, 0xBF]];
            for bytes in lengths {
                // A quote or an escape in them is what the other test is about.
                if !bytes.iter().any(|byte| b"\"\\".contains(byte)) {
                    assert_eq!(is_whole(&text(bytes)), is_json(&text(bytes)), "{bytes:?}");
                }
            }
        }
    }
}

#[test]
fn what_is_not_taken_though_it_is_json() {
    let nested = |depth| [vec![b'['; depth], vec![b']'; depth]].concat();
    assert!(is_whole(&nested(64)) && !is_whole(&nested(65)));
    assert!(!is_whole(b"[\"\\ud83d\\ude00\"]"), "a pair of surrogates has a shorter form");
    assert!(!is_whole(b"1") && !is_whole(b"\"text\""));
}

/// Draws of a model at a high temperature, which would not be JSON at all, are, and whole where they stop by themselves.
#[test]
fn what_a_model_draws_is_json() {
    let language = smollm(Form::Dense);
    let bytes = language.tokenizer.bytes(language.model.config().vocab_size);
    let prompt = language.prompt("Describe Paris in JSON.", false).expect("a text");
    let mut stopped = 0;
    for (seed, temperature) in [(1, 0.0), (2, 0.7), (3, 3.0), (4, 30.0)] {
        let json = JsonMask::new(bytes.clone(), &language.stop).expect("a model with a token that stops");
        let settings = Settings {
            sampling: Sampling { temperature, seed: Some(seed), ..Sampling::default() },
            max_tokens: 40,
            stop: language.stop.clone(),
            json: Some(json),
            ..Settings::default()
        };
        let mut generation = Generation::new(&language.model, &prompt, settings).expect("a prompt");
        let tokens: Vec<u32> = generation.by_ref().collect::<Result<_, _>>().expect("nothing that fails");
        let text: Vec<u8> = tokens.iter().flat_map(|&token| bytes[token as usize].clone()).collect();
        let shown = String::from_utf8_lossy(&text);
        let json = Json::new().after_all(&text).unwrap_or_else(|| panic!("no beginning of JSON: {shown}"));
        assert_eq!(json.is_whole(), generation.has_stopped(), "{shown}");
        assert_eq!(json.is_whole(), is_json(&text), "{shown}");
        stopped += usize::from(generation.has_stopped());
        assert!(!text.is_empty());
    }
    assert!(stopped < 4, "a draw that was cut off is a beginning, too");
}

#[test]
fn a_vocabulary_that_cannot_write_json_is_an_error() {
    let tokens = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>();
    let refused =
        |texts, stop: &[u32]| JsonMask::new(tokens(texts), stop).err().expect("refused").to_string();
    assert_eq!(refused(&["a", "1", ""], &[2]), "no token of the model goes on with this JSON");
    assert_eq!(refused(&["[", "]", ""], &[]), "JSON takes a token that stops, and the model names none");
    let mut mask = JsonMask::new(tokens(&["[", "]", "{", ""]), &[3]).expect("brackets and a stop");
    assert_eq!(mask.words(), [0b101]);
    mask.push(0).expect("it may come");
    assert_eq!(mask.words(), [0b111]);
    assert_eq!(
        mask.push(3).expect_err("the text is not whole").to_string(),
        "token 3 does not go on with JSON"
    );
    mask.push(1).expect("it may come");
    assert_eq!(mask.words(), [0b1000]);
}
