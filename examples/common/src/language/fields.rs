//! Settings by name, each of the kind that is asked for: out of a JSON file or a GGUF file's metadata.

use crate::Result;
use mlx::{Dtype, ops::GgufValue, prelude::ShapingOps};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::{collections::HashMap, fs, path::Path};

/// An object of settings.
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    pub(super) fn new(map: Map<String, Value>) -> Fields {
        Fields(map)
    }

    pub(super) fn from_file(path: &Path) -> Result<Fields> {
        let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        match serde_json::from_str(&text) {
            Ok(map) => Ok(Fields(map)),
            Err(e) => Err(format!("{}: {e}", path.display()).into()),
        }
    }

    /// Texts, single numbers and bools of a GGUF file; its lists are left to those who know what is in them.
    pub(super) fn from_gguf(metadata: &HashMap<String, GgufValue>) -> Fields {
        let value = |value: &GgufValue| match value {
            GgufValue::Text(text) => Some(json!(text)),
            GgufValue::Tensor(x) if x.ndim() == 0 => {
                if let Ok(number) = x.item::<bool>() {
                    return Some(json!(number));
                }
                if let Ok(number) = x.item::<f32>() {
                    return Some(json!(number));
                }
                x.astype(Dtype::Int64).item::<i64>().ok().map(|number| json!(number))
            }
            _ => None,
        };
        Fields(metadata.iter().filter_map(|(key, of)| Some((key.clone(), value(of)?))).collect())
    }

    /// The value, or none where there is none or it is null.
    pub(super) fn optional<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match serde_json::from_value(value.clone()) {
                Ok(value) => Ok(Some(value)),
                Err(e) => Err(format!("{name}: {e}").into()),
            },
        }
    }

    pub(super) fn required<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        self.optional(name)?.ok_or_else(|| format!("there is no {name}").into())
    }

    /// A number of things, one at least.
    pub(super) fn size(&self, name: &str) -> Result<i32> {
        match self.required(name)? {
            size if size > 0 => Ok(size),
            size => Err(format!("{name} is {size}").into()),
        }
    }

    /// A number, a list of them, or nothing.
    pub(super) fn one_or_more(&self, name: &str) -> Result<Vec<u32>> {
        match self.0.get(name) {
            Some(Value::Number(_)) => Ok(vec![self.required(name)?]),
            _ => Ok(self.optional(name)?.unwrap_or_default()),
        }
    }
}
