//! A value of a GGUF file's metadata.

use mlx_core::Tensor;

/// A value of a GGUF file's metadata, as in Python: numbers and bools are tensors.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum GgufValue {
    /// A number or bool (0-d), or a list of them (1-d).
    Tensor(Tensor),
    /// A text.
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
}

impl GgufValue {
    /// The tensor, where it is one.
    #[must_use]
    pub fn as_tensor(&self) -> Option<&Tensor> {
        if let GgufValue::Tensor(x) = self { Some(x) } else { None }
    }

    /// The text, where it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let GgufValue::Text(text) = self { Some(text) } else { None }
    }

    /// The texts, where they are.
    #[must_use]
    pub fn as_texts(&self) -> Option<&[String]> {
        if let GgufValue::Texts(texts) = self { Some(texts) } else { None }
    }
}

impl From<Tensor> for GgufValue {
    fn from(x: Tensor) -> GgufValue {
        GgufValue::Tensor(x)
    }
}

impl From<&str> for GgufValue {
    fn from(text: &str) -> GgufValue {
        GgufValue::Text(text.to_owned())
    }
}

impl From<String> for GgufValue {
    fn from(text: String) -> GgufValue {
        GgufValue::Text(text)
    }
}

impl From<Vec<String>> for GgufValue {
    fn from(texts: Vec<String>) -> GgufValue {
        GgufValue::Texts(texts)
    }
}
