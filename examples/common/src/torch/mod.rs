//! PyTorch's files of weights, `.pth`: a dict of tensors, in a zip archive or in the form from before 2020.
//!
//! Not here: the pickle in them (`pickle`).

mod opcodes;
mod pickle;

use crate::{Result, of_file};
use mlx::{ops, prelude::*};
use pickle::{Storage, Value, View};
use std::{collections::HashMap, fs, io::Cursor, io::Read, path::Path, rc::Rc};
use zip::{CompressionMethod, ZipArchive};

/// What the older form begins with.
const MAGIC: i128 = 0x1950_a86a_20f9_469c_fc6c;

/// The tensors that were saved by `torch.save(model.state_dict(), path)`, by name. Nothing in the file is run.
///
/// # Errors
/// A file that cannot be read, that is neither form, or that holds anything but tensors by name.
pub fn load(path: &Path) -> Result<HashMap<String, Tensor>> {
    let bytes = of_file(path, fs::read(path))?;
    of_file(path, read(&bytes))
}

/// [`load`] of a file's bytes.
///
/// # Errors
/// As [`load`].
pub fn read(bytes: &[u8]) -> Result<HashMap<String, Tensor>> {
    if bytes.starts_with(b"PK") { zipped(bytes) } else { legacy(bytes) }
}

/// An archive of the pickle and of a file for each storage.
fn zipped(bytes: &[u8]) -> Result<HashMap<String, Tensor>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes))?;
    let pickle = archive
        .file_names()
        .filter_map(std::result::Result::ok)
        .find_map(|name| name.strip_suffix("data.pkl").map(str::to_owned));
    let folder = pickle.ok_or("there is no data.pkl in the archive")?;
    let says_order = archive.index_for_name(&format!("{folder}byteorder")).is_some();
    // Entries that overlap could be many times the file.
    let mut left = bytes.len();
    let mut entry = |name: &str| -> Result<Vec<u8>> {
        let name = format!("{folder}{name}");
        let mut entry = archive.by_name(&name).map_err(|error| format!("{name}: {error}"))?;
        if entry.compression() != CompressionMethod::Stored {
            return Err(format!("{name} is compressed, which PyTorch never does").into());
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(|error| format!("{name}: {error}"))?;
        left = left.checked_sub(bytes.len()).ok_or_else(|| format!("{name}: its entries overlap"))?;
        Ok(bytes)
    };
    if says_order && entry("byteorder")? != b"little" {
        return Err("its byte order is not little".into());
    }
    let views = views(pickle::read(&mut &*entry("data.pkl")?)?)?;
    tensors(views, |storage| {
        let bytes = entry(&format!("data/{}", storage.key))?;
        numbers(storage, &bytes)
    })
}

/// Pickles one behind the other: a magic number, a version, the machine's types, the tensors, the storages' keys in the
/// order in which their numbers follow.
fn legacy(mut bytes: &[u8]) -> Result<HashMap<String, Tensor>> {
    let bytes = &mut bytes;
    if !matches!(pickle::read(bytes), Ok(Value::Int(MAGIC))) {
        return Err("this is no file of PyTorch's".into());
    }
    pickle::read(bytes)?;
    let Value::Dict(_, machine) = pickle::read(bytes)? else {
        return Err("no dict of the machine's types".into());
    };
    let little = |(key, value): &(Value, Value)| matches!((key, value), (Value::Text(key), Value::Bool(true)) if &**key == "little_endian");
    if !machine.iter().any(little) {
        return Err("its byte order is not little".into());
    }
    let views = views(pickle::read(bytes)?)?;
    let Value::List(_, keys) = pickle::read(bytes)? else { return Err("no list of storages".into()) };

    let known: HashMap<Rc<str>, Rc<Storage>> =
        views.iter().map(|(_, view)| (view.storage.key.clone(), view.storage.clone())).collect();
    let mut storages = HashMap::new();
    for key in keys {
        let Value::Text(key) = key else { return Err("a storage's key is no text".into()) };
        let storage = known
            .get(&key)
            .ok_or_else(|| format!("no tensor lies in storage {key}, whose size is unknown then"))?;
        let cut = |count: usize, bytes: &mut &'_ [u8]| {
            bytes
                .split_off(..count)
                .map(<[u8]>::to_vec)
                .ok_or_else(|| format!("storage {key}: the file ends in it"))
        };
        let count = cut(8, bytes)?;
        if count != storage.elements.to_le_bytes() {
            return Err(format!(
                "storage {key} has not the {} elements that its tensors know",
                storage.elements
            )
            .into());
        }
        let size = storage.elements.saturating_mul(storage.dtype.size() as u64);
        let data = cut(usize::try_from(size)?, bytes)?;
        storages.insert(key.clone(), numbers(storage, &data)?);
    }
    tensors(views, |storage| {
        storages
            .get(&storage.key)
            .cloned()
            .ok_or_else(|| format!("there is no storage {}", storage.key).into())
    })
}

/// The tensors in a pickle, by name.
fn views(value: Value) -> Result<Vec<(Rc<str>, Rc<View>)>> {
    let Value::Dict(_, entries) = value else { return Err("it holds no dict of tensors".into()) };
    let named = |entry| match entry {
        (Value::Text(name), Value::View(view)) => Ok((name, view)),
        (Value::Text(name), _) => Err(format!("{name} is no tensor").into()),
        _ => Err("a name that is no text".into()),
    };
    entries.into_iter().map(named).collect()
}

/// A storage's numbers in a row.
fn numbers(storage: &Storage, bytes: &[u8]) -> Result<Tensor> {
    let expected = u128::from(storage.elements) * storage.dtype.size() as u128;
    if bytes.len() as u128 != expected {
        return Err(format!("storage {} has {} bytes, not {expected}", storage.key, bytes.len()).into());
    }
    Ok(ops::view(&Tensor::from_slice(bytes)?, storage.dtype)?)
}

/// Each tensor as it lies in its storage; each storage is read once.
fn tensors(
    views: Vec<(Rc<str>, Rc<View>)>,
    mut storage: impl FnMut(&Storage) -> Result<Tensor>,
) -> Result<HashMap<String, Tensor>> {
    let mut storages: HashMap<Rc<str>, (mlx::Dtype, Tensor)> = HashMap::new();
    let mut tensors = HashMap::new();
    for (name, view) in views {
        let key = &view.storage.key;
        if !storages.contains_key(key) {
            storages.insert(key.clone(), (view.storage.dtype, of_tensor(&name, storage(&view.storage))?));
        }
        let (dtype, numbers) = &storages[key];
        let size = view.shape.iter().try_fold(1_u64, |size, &n| size.checked_mul(u64::try_from(n).ok()?));
        if *dtype != view.storage.dtype || size.is_none_or(|size| size > numbers.size() as u64) {
            return Err(format!(
                "{name}: a {} tensor of shape {:?} in a storage of {} {dtype}",
                view.storage.dtype,
                view.shape,
                numbers.size()
            )
            .into());
        }
        let tensor = of_tensor(&name, ops::as_strided(numbers, &view.shape[..], &view.strides, view.offset))?;
        tensors.insert(name.to_string(), ops::contiguous(&tensor)?);
    }
    Ok(tensors)
}

/// A convolution's weight with the channels last, as MLX's lie; any other tensor as it is.
#[must_use]
pub fn channels_last(tensor: &Tensor) -> Tensor {
    if tensor.ndim() == 4 { tensor.transpose([0, 2, 3, 1]) } else { tensor.clone() }
}

fn of_tensor<T, E: std::fmt::Display>(name: &str, result: Result<T, E>) -> Result<T> {
    result.map_err(|error| format!("{name}: {error}").into())
}
