//! Texts to tokens and back: the `tokenizers` crate, set up from a GGUF file's metadata or from `tokenizer.json`.
//!
//! Not here: what a conversation looks like as one text (`chat`).

use crate::Result;
use mlx::{Tensor, ops::GgufValue};
use std::{collections::HashMap, path::Path};
use tokenizers::{
    AddedToken, DecoderWrapper, Tokenizer as Inner,
    models::bpe::{BPE, Vocab},
    pre_tokenizers::{PreTokenizerWrapper, byte_level::ByteLevel, digits::Digits, sequence::Sequence},
};

/// The kind of token that a GGUF file calls control: never part of a text.
const CONTROL: i32 = 3;

/// What makes tokens of texts.
#[derive(Clone)]
pub struct Tokenizer {
    inner: Inner,
    /// What a text begins with, where the tokenizer itself does not say.
    bos: Option<u32>,
}

impl Tokenizer {
    /// From `tokenizer.json`.
    ///
    /// # Errors
    /// A file that cannot be read or is none.
    pub fn from_file(path: &Path) -> Result<Tokenizer> {
        match Inner::from_file(path) {
            Ok(inner) => Ok(Tokenizer { inner, bos: None }),
            Err(e) => Err(format!("{}: {e}", path.display()).into()),
        }
    }

    /// From the metadata of a GGUF file: byte pairs, as the file's `tokenizer.ggml.*` has them.
    ///
    /// # Errors
    /// Values that are missing or of another kind; tokenizers of other kinds; pairs of what is no token.
    pub fn from_gguf(metadata: &HashMap<String, GgufValue>) -> Result<Tokenizer> {
        let value = |key: &str| {
            let key = format!("tokenizer.ggml.{key}");
            metadata.get(&key).ok_or_else(|| format!("there is no {key}"))
        };
        let (model, pre) = (value("model")?.as_text(), value("pre")?.as_text());
        if (model, pre) != (Some("gpt2"), Some("smollm")) {
            let [model, pre] = [model, pre].map(Option::unwrap_or_default);
            return Err(format!("a tokenizer of model {model:?} and pre {pre:?} is not supported").into());
        }
        let texts = |key: &str| {
            value(key)?.as_texts().ok_or_else(|| format!("tokenizer.ggml.{key} is no list of texts"))
        };
        let (tokens, merges) = (texts("tokens")?, texts("merges")?);
        let pair = |pair: &String| match pair.split_once(' ') {
            Some((left, right)) => Ok((left.to_owned(), right.to_owned())),
            None => Err(format!("tokenizer.ggml.merges: {pair:?} is no pair")),
        };
        let merges = merges.iter().map(pair).collect::<Result<_, _>>()?;
        let vocabulary: Vocab = tokens.iter().cloned().zip(0..).collect();
        let model = BPE::builder().vocab_and_merges(vocabulary, merges).build();
        let mut inner = Inner::new(model.map_err(|e| format!("tokenizer.ggml.merges: {e}"))?);
        let pieces: Vec<PreTokenizerWrapper> =
            vec![Digits::new(true).into(), ByteLevel::new(false, true, true).into()];
        inner.with_pre_tokenizer(Some(Sequence::new(pieces)));
        inner.with_decoder(Some(ByteLevel::default()));

        let kinds = value("token_type")?.as_tensor().map(Tensor::to_vec::<i32>);
        let kinds = kinds.ok_or("tokenizer.ggml.token_type is no list of numbers")??;
        let control = tokens.iter().zip(&kinds).filter(|&(_, &kind)| kind == CONTROL);
        inner.add_special_tokens(control.map(|(token, _)| AddedToken::from(token.as_str(), true)))?;
        let number = |key| value(key).ok().and_then(GgufValue::as_tensor);
        let bos = match number("add_bos_token").map(Tensor::item::<bool>).transpose()? {
            Some(true) => number("bos_token_id").map(Tensor::item::<u32>).transpose()?,
            _ => None,
        };
        Ok(Tokenizer { inner, bos })
    }

    /// That a model with scores for that many tokens can tell all of these apart.
    ///
    /// # Errors
    /// A token beyond them.
    pub fn fits(&self, vocab_size: i32) -> Result<()> {
        let vocabulary = self.inner.get_vocab(true);
        match vocabulary.iter().max_by_key(|&(_, id)| id) {
            Some((token, &id)) if i64::from(id) >= i64::from(vocab_size) => Err(format!(
                "the tokenizer has {token:?} with the number {id}, and the model {vocab_size} tokens"
            )
            .into()),
            Some(_) => Ok(()),
            None => Err("the tokenizer knows no token".into()),
        }
    }

    /// The tokens of a text of one's own, with what the model wants before it.
    ///
    /// # Errors
    /// A text that the tokenizer has no tokens for.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>> {
        let tokens = self.inner.encode_fast(text, true)?;
        Ok(self.bos.iter().chain(tokens.get_ids()).copied().collect())
    }

    /// The tokens of a text that has everything in it already, as a [`Chat`](super::Chat) writes it.
    ///
    /// # Errors
    /// As [`encode`](Tokenizer::encode).
    pub fn encode_as_is(&self, text: &str) -> Result<Vec<u32>> {
        Ok(self.inner.encode_fast(text, false)?.get_ids().to_vec())
    }

    /// The text of tokens, without those that are no text.
    ///
    /// # Errors
    /// What the decoder refuses.
    pub fn decode(&self, tokens: &[u32]) -> Result<String> {
        self.inner.decode(tokens, true)
    }

    /// The number of a token, by how the vocabulary writes it.
    #[must_use]
    pub fn id(&self, token: &str) -> Option<u32> {
        self.inner.token_to_id(token)
    }

    /// What each of the first `count` tokens adds to a text, byte for byte; nothing for those that are no text.
    #[must_use]
    pub fn bytes(&self, count: i32) -> Vec<Vec<u8>> {
        let is_bytes = matches!(self.inner.get_decoder(), Some(DecoderWrapper::ByteLevel(_)));
        let letters: HashMap<char, u8> = byte_letters().into_iter().zip(0..=255).collect();
        let special = self.inner.get_added_tokens_decoder();
        let bytes = |id: u32| {
            if special.contains_key(&id) {
                return Vec::new();
            }
            let token = self.inner.id_to_token(id).unwrap_or_default();
            if is_bytes {
                return token.chars().filter_map(|letter| letters.get(&letter).copied()).collect();
            }
            let byte = token.strip_prefix("<0x").and_then(|rest| rest.strip_suffix('>'));
            match byte.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(byte) => vec![byte],
                None => token.replace('▁', " ").into_bytes(),
            }
        };
        (0..count as u32).map(bytes).collect()
    }

    /// Tokens one by one into text.
    #[must_use]
    pub fn stream(&self) -> TextStream<'_> {
        TextStream { tokenizer: self, tokens: Vec::new(), shown: 0 }
    }
}

/// The letters that stand for the bytes in vocabularies of byte pairs: printable ones for themselves, the others in order
/// behind all bytes.
fn byte_letters() -> Vec<char> {
    let mut others = (256..).filter_map(char::from_u32);
    let letter = |byte: u8| match byte {
        b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF => char::from(byte),
        _ => others.next().unwrap_or_default(),
    };
    (0..=255).map(letter).collect()
}

/// The text of tokens as they come. A character whose bytes are spread over tokens comes with its last one.
pub struct TextStream<'a> {
    tokenizer: &'a Tokenizer,
    /// Those of the last piece of text, for decoders that look back, and those since.
    tokens: Vec<u32>,
    /// How many of them are in the text that was given.
    shown: usize,
}

impl TextStream<'_> {
    /// What `token` completes.
    ///
    /// # Errors
    /// What the decoder refuses.
    pub fn push(&mut self, token: u32) -> Result<String> {
        self.tokens.push(token);
        let text = self.new_text()?;
        // The decoder writes this for bytes that are no character yet.
        if text.is_empty() || text.ends_with(char::REPLACEMENT_CHARACTER) {
            return Ok(String::new());
        }
        self.tokens.drain(..self.shown);
        self.shown = self.tokens.len();
        Ok(text)
    }

    /// What is left when no token follows: bytes that never became a character.
    ///
    /// # Errors
    /// What the decoder refuses.
    pub fn finish(self) -> Result<String> {
        self.new_text()
    }

    fn new_text(&self) -> Result<String> {
        let before = self.tokenizer.decode(&self.tokens[..self.shown])?;
        let all = self.tokenizer.decode(&self.tokens)?;
        Ok(all.get(before.len()..).unwrap_or_default().to_owned())
    }
}
