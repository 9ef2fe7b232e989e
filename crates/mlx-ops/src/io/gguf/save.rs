//! Tensors and metadata to GGUF files, with the bytes that `mx.save_gguf` writes.

use super::{
    super::{
        batch::{Batch, in_map_order},
        file,
    },
    header::alignment,
    value::GgufValue,
};
use mlx_core::{Dtype, Error, ErrorKind, Result, Tensor, ffi};
use std::{borrow::Borrow, collections::HashMap, io::Write, path::Path};

const SAVE: &str = "save_gguf";
const MAX_AXES: usize = 8;

/// Writes tensors to a GGUF file of version 3: computes them, writes beside the file, and renames, so that the file is
/// the old or the new one whole.
///
/// float32, float16, int8, int16 and int32 can be written, as in Python, whose bytes they are for the same names in the
/// same order. The path is taken as it is: Python appends `.gguf` where it is missing.
///
/// # Errors
/// A computation that fails; a file that cannot be written; other dtypes; more than 8 axes; a name twice or with a NUL.
#[doc(alias = "mx.save_gguf")]
pub fn save_gguf<'a, N: AsRef<str>>(
    path: impl AsRef<Path>,
    tensors: impl IntoIterator<Item = (N, &'a Tensor)>,
) -> Result<()> {
    save_gguf_with(path, tensors, [] as [(&str, GgufValue); 0])
}

/// [`save_gguf`] with the file's own values (`metadata=` in Python): texts, and tensors of at most one axis.
///
/// A `general.alignment` among them is kept; Python writes it and aligns to 32 bytes all the same.
///
/// # Errors
/// As [`save_gguf`]; values that are empty, have more axes, or a dtype that the format lacks (Python's words).
#[doc(alias = "mx.save_gguf")]
pub fn save_gguf_with<'a, N: AsRef<str>, K: AsRef<str>>(
    path: impl AsRef<Path>,
    tensors: impl IntoIterator<Item = (N, &'a Tensor)>,
    metadata: impl IntoIterator<Item = (K, impl Borrow<GgufValue>)>,
) -> Result<()> {
    let path = path.as_ref();
    let written = Written::of(tensors, metadata).map_err(|error| file::in_file(error, SAVE, path))?;
    file::replace(SAVE, path, |file| written.write(file))
}

/// Writes to `writer` what [`save_gguf_with`] writes to a file.
///
/// # Errors
/// As [`save_gguf_with`]; a writer that fails.
#[doc(alias = "mx.save_gguf")]
pub fn save_gguf_to<'a, N: AsRef<str>, K: AsRef<str>>(
    mut writer: impl Write,
    tensors: impl IntoIterator<Item = (N, &'a Tensor)>,
    metadata: impl IntoIterator<Item = (K, impl Borrow<GgufValue>)>,
) -> Result<()> {
    Written::of(tensors, metadata)?.write(&mut writer)?;
    writer.flush().map_err(file::io_error(SAVE))
}

/// A header and the computed tensors behind it.
struct Written {
    header: Vec<u8>,
    alignment: usize,
    tensors: Batch,
}

impl Written {
    fn of<'a, N: AsRef<str>, K: AsRef<str>>(
        tensors: impl IntoIterator<Item = (N, &'a Tensor)>,
        metadata: impl IntoIterator<Item = (K, impl Borrow<GgufValue>)>,
    ) -> Result<Written> {
        let tensors = Batch::of(SAVE, tensors)?;
        let metadata = metadata.into_iter().map(|(key, value)| Ok((key, value.borrow().clone())));
        let metadata = in_map_order(SAVE, metadata)?;
        let mut header = b"GGUF\x03\0\0\0".to_vec();
        header.extend((tensors.len() as u64).to_le_bytes());
        header.extend((metadata.len() as u64).to_le_bytes());
        for (key, value) in &metadata {
            push_text(&mut header, key);
            push_value(&mut header, value)?;
        }
        let metadata: HashMap<String, GgufValue> = metadata.into_iter().collect();
        let alignment = alignment(&metadata).map_err(|e| Error::new(e.kind(), SAVE, e.message()))? as usize;
        let mut offset = 0_usize;
        for (name, x) in tensors.iter() {
            offset = offset.next_multiple_of(alignment);
            push_text(&mut header, name);
            if x.ndim() > MAX_AXES {
                let message = format!("tensor {name:?} has {} axes, more than {MAX_AXES}", x.ndim());
                return Err(Error::new(ErrorKind::Shape, SAVE, message));
            }
            header.extend((x.ndim() as u32).to_le_bytes());
            header.extend(x.shape().iter().rev().flat_map(|&size| (size as u64).to_le_bytes()));
            header.extend(tensor_type(x)?.to_le_bytes());
            header.extend((offset as u64).to_le_bytes());
            offset += x.nbytes();
        }
        tensors.compute()?;
        Ok(Written { header, alignment, tensors })
    }

    fn write(&self, writer: &mut impl Write) -> Result<()> {
        file::write_all(SAVE, writer, &[&self.header])?;
        let mut position = self.header.len();
        for (_, x) in self.tensors.iter() {
            let padding = vec![0; position.next_multiple_of(self.alignment) - position];
            file::write_all(SAVE, writer, &[&padding, &little_endian(x)?])?;
            position += padding.len() + x.nbytes();
        }
        Ok(())
    }
}

/// The bytes of a computed tensor, the smallest first.
fn little_endian(x: &Tensor) -> Result<std::borrow::Cow<'_, [u8]>> {
    let (bytes, _) = ffi::io::memory(x)?;
    if cfg!(target_endian = "little") {
        return Ok(bytes.into());
    }
    let mut bytes = bytes.to_vec();
    bytes.chunks_exact_mut(x.dtype().size()).for_each(<[u8]>::reverse);
    Ok(bytes.into())
}

fn push_text(header: &mut Vec<u8>, text: &str) {
    header.extend((text.len() as u64).to_le_bytes());
    header.extend(text.as_bytes());
}

fn push_value(header: &mut Vec<u8>, value: &GgufValue) -> Result<()> {
    match value {
        GgufValue::Text(text) => {
            header.extend(8_u32.to_le_bytes());
            push_text(header, text);
        }
        GgufValue::Texts(texts) => {
            header.extend([9_u32, 8].map(u32::to_le_bytes).concat());
            header.extend((texts.len() as u64).to_le_bytes());
            for text in texts {
                push_text(header, text);
            }
        }
        GgufValue::Tensor(x) => {
            let refused = |kind, message: &str| {
                Err(Error::new(kind, SAVE, message.to_owned()).with_operands(&[x.into()]))
            };
            if x.ndim() > 1 {
                let message = "[save_gguf] Cannot save arrays with more than one dimension.";
                return refused(ErrorKind::Shape, message);
            }
            if x.size() == 0 {
                return refused(ErrorKind::Shape, "[save_gguf] Cannot save empty arrays.");
            }
            let Some(code) = value_type(x.dtype()) else {
                let message = format!("[save_gguf] array type {} not support for metadata.", x.dtype());
                return refused(ErrorKind::Dtype, &message);
            };
            if x.ndim() == 1 {
                header.extend([9, code].map(u32::to_le_bytes).concat());
                header.extend((x.size() as u64).to_le_bytes());
            } else {
                header.extend(code.to_le_bytes());
            }
            let x = ffi::contiguous(x, false)?;
            x.eval()?;
            header.extend_from_slice(&little_endian(&x)?);
        }
    }
    Ok(())
}

fn value_type(dtype: Dtype) -> Option<u32> {
    Some(match dtype {
        Dtype::Uint8 => 0,
        Dtype::Int8 => 1,
        Dtype::Uint16 => 2,
        Dtype::Int16 => 3,
        Dtype::Uint32 => 4,
        Dtype::Int32 => 5,
        Dtype::Float32 => 6,
        Dtype::Bool => 7,
        Dtype::Uint64 => 10,
        Dtype::Int64 => 11,
        _ => return None,
    })
}

fn tensor_type(x: &Tensor) -> Result<u32> {
    Ok(match x.dtype() {
        Dtype::Float32 => 0,
        Dtype::Float16 => 1,
        Dtype::Int8 => 24,
        Dtype::Int16 => 25,
        Dtype::Int32 => 26,
        other => {
            let message = format!("[save_gguf] dtype {other} is not supported");
            return Err(Error::new(ErrorKind::Dtype, SAVE, message).with_operands(&[x.into()]));
        }
    })
}
