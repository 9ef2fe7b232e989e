//! Tensors to safetensors files, with the bytes that `mx.save_safetensors` writes.

use super::file;
use crate::io::batch::Batch;
use mlx_core::{Dtype, Error, ErrorKind, Result, Tensor};
use std::{collections::BTreeMap, io::Write, path::Path};

const SAVE: &str = "save_safetensors";

/// Writes tensors to a safetensors file: computes them, writes beside the file, and renames, so that the file is the
/// old or the new one whole.
///
/// The bytes are those of Python's for the same names in the same order (data in the order of MLX's hash map). The path
/// is taken as it is: Python appends `.safetensors` where it is missing.
///
/// # Errors
/// A computation that fails; a file that cannot be written; float64, which Python's refuses; a name twice, with a NUL,
/// or `__metadata__`.
#[doc(alias = "mx.save_safetensors")]
pub fn save_safetensors<'a, N: AsRef<str>>(
    path: impl AsRef<Path>,
    tensors: impl IntoIterator<Item = (N, &'a Tensor)>,
) -> Result<()> {
    save_safetensors_with(path, tensors, [("", ""); 0])
}

/// [`save_safetensors`] with texts of the file's own (`metadata=` in Python).
///
/// # Errors
/// As [`save_safetensors`]; a text said twice.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_ops::{load_safetensors, save_safetensors_with};
/// let path = std::env::temp_dir().join(format!("mlx-doc-with-{}.safetensors", std::process::id()));
/// save_safetensors_with(&path, [("x", &tensor![1, 2])], [("format", "mlx")])?;
/// assert_eq!(load_safetensors(&path)?.metadata["format"], "mlx");
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.save_safetensors")]
pub fn save_safetensors_with<'a, N: AsRef<str>, K: AsRef<str>, V: AsRef<str>>(
    path: impl AsRef<Path>,
    tensors: impl IntoIterator<Item = (N, &'a Tensor)>,
    metadata: impl IntoIterator<Item = (K, V)>,
) -> Result<()> {
    let path = path.as_ref();
    let written = Written::of(tensors, metadata).map_err(|error| file::in_file(error, SAVE, path))?;
    file::replace(SAVE, path, |file| written.write(file))
}

/// Writes to `writer` what [`save_safetensors_with`] writes to a file.
///
/// # Errors
/// As [`save_safetensors_with`]; a writer that fails.
#[doc(alias = "mx.save_safetensors")]
pub fn save_safetensors_to<'a, N: AsRef<str>, K: AsRef<str>, V: AsRef<str>>(
    mut writer: impl Write,
    tensors: impl IntoIterator<Item = (N, &'a Tensor)>,
    metadata: impl IntoIterator<Item = (K, V)>,
) -> Result<()> {
    Written::of(tensors, metadata)?.write(&mut writer)?;
    writer.flush().map_err(file::io_error(SAVE))
}

/// A header and the computed tensors behind it.
struct Written {
    header: String,
    tensors: Batch,
}

impl Written {
    fn of<'a, N: AsRef<str>, K: AsRef<str>, V: AsRef<str>>(
        tensors: impl IntoIterator<Item = (N, &'a Tensor)>,
        metadata: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Written> {
        let tensors = Batch::of(SAVE, tensors)?;
        let mut entries = BTreeMap::from([("__metadata__", texts(metadata)?)]);
        let mut offset = 0;
        for (name, x) in tensors.iter() {
            let end = offset + x.nbytes();
            let dtype = dtype(x)?;
            let entry = format!(
                r#"{{"data_offsets":[{offset},{end}],"dtype":"{dtype}","shape":{}}}"#,
                serde_json::to_string(x.shape()).expect("numbers are JSON")
            );
            if entries.insert(name, entry).is_some() {
                return Err(file::error(SAVE, format!("{name} is the name of the file's own texts")));
            }
            offset = end;
        }
        let entries: Vec<String> =
            entries.iter().map(|(name, entry)| format!("{}:{entry}", json(name))).collect();
        let header = format!("{{{}}}", entries.join(","));
        tensors.compute()?;
        Ok(Written { header, tensors })
    }

    fn write(&self, writer: &mut impl Write) -> Result<()> {
        let length = (self.header.len() as u64).to_le_bytes();
        file::write_all(SAVE, writer, &[&length, self.header.as_bytes()])?;
        for (_, x) in self.tensors.iter() {
            file::write_all(SAVE, writer, &[mlx_core::ffi::io::memory(x)?.0])?;
        }
        Ok(())
    }
}

/// As JSON, the keys in order; null where there are none, as Python's.
fn texts<K: AsRef<str>, V: AsRef<str>>(metadata: impl IntoIterator<Item = (K, V)>) -> Result<String> {
    let mut texts = BTreeMap::new();
    for (key, text) in metadata {
        let key = key.as_ref();
        if texts.insert(key.to_owned(), text.as_ref().to_owned()).is_some() {
            return Err(file::error(SAVE, format!("the text {key:?} is there twice")));
        }
    }
    let texts: Vec<String> =
        texts.iter().map(|(key, text)| format!("{}:{}", json(key), json(text))).collect();
    Ok(if texts.is_empty() { "null".into() } else { format!("{{{}}}", texts.join(",")) })
}

fn json(text: &str) -> String {
    serde_json::to_string(text).expect("a text is JSON")
}

fn dtype(x: &Tensor) -> Result<&'static str> {
    Ok(match x.dtype() {
        Dtype::Bool => "BOOL",
        Dtype::Uint8 => "U8",
        Dtype::Uint16 => "U16",
        Dtype::Uint32 => "U32",
        Dtype::Uint64 => "U64",
        Dtype::Int8 => "I8",
        Dtype::Int16 => "I16",
        Dtype::Int32 => "I32",
        Dtype::Int64 => "I64",
        Dtype::Float16 => "F16",
        Dtype::Bfloat16 => "BF16",
        Dtype::Float32 => "F32",
        Dtype::Complex64 => "C64",
        _ => {
            let message = "[save_safetensors] received invalid dtype.";
            return Err(Error::new(ErrorKind::Dtype, SAVE, message).with_operands(&[x.into()]));
        }
    })
}
