//! Models in several safetensors files, which an index file names.

use super::{OP, Opened, SafeTensors, file, open};
use crate::io::progress::{Named, Watch};
use mlx_core::Result;
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::BufReader,
    path::{Component, Path},
};

/// The longest index that is read, in bytes: as long as a header.
const MAX_INDEX: u64 = 100_000_000;

/// Opens a model in several files by its index (`model.safetensors.index.json`), whose `weight_map` says in which file
/// beside it each tensor is.
///
/// Tensors that the index does not name are left alone. The texts are those of all files, the first one's where they
/// differ.
///
/// # Errors
/// An index that is none; a file or tensor that it names and that is missing, by name; what
/// [`load_safetensors`](super::load_safetensors) refuses of any file.
pub fn load_sharded_safetensors(index: impl AsRef<Path>) -> Result<SafeTensors> {
    sharded(index.as_ref(), &mut Watch::nobody())
}

/// [`load_sharded_safetensors`], telling `watch` of each tensor where it does, after reading it.
pub(in crate::io) fn sharded(index: &Path, watch: &mut Watch<'_>) -> Result<SafeTensors> {
    opened(index, watch, &open)
}

/// The same with the files as `open` opens them.
pub(super) fn opened(
    index: &Path,
    watch: &mut Watch<'_>,
    open: &dyn Fn(&Path) -> Result<Opened>,
) -> Result<SafeTensors> {
    load(index, watch, open).map_err(|error| file::in_file(error, OP, index))
}

fn load(index: &Path, watch: &mut Watch<'_>, open: &dyn Fn(&Path) -> Result<Opened>) -> Result<SafeTensors> {
    let (found, length) = file::open(OP, index)?;
    let shards = shards(found, length)?;
    let mut metadata = HashMap::new();
    let mut all = Vec::new();
    for (shard, names) in shards {
        let path = index.with_file_name(&shard);
        let (tensors, texts) = open(&path).map_err(|error| file::in_file(error, OP, &path))?;
        let mut tensors: HashMap<String, Named> =
            tensors.into_iter().map(|named| (named.name.clone(), named)).collect();
        for name in names {
            let named = tensors.remove(&name).ok_or_else(|| {
                file::error(OP, format!("the index names tensor {name:?}, which {shard:?} does not hold"))
            })?;
            all.push(named);
        }
        for (key, text) in texts {
            metadata.entry(key).or_insert(text);
        }
    }
    watch.expect(&all);
    let tensors = all.into_iter().map(|named| watch.read(named)).collect::<Result<_>>()?;
    Ok(SafeTensors { tensors, metadata })
}

/// The names of the tensors of each file.
fn shards(index: File, length: u64) -> Result<BTreeMap<String, Vec<String>>> {
    let bad = |what: String| file::error(OP, format!("not an index of safetensors files: {what}"));
    if length > MAX_INDEX {
        return Err(bad(format!("it has {length} bytes, more than {MAX_INDEX}")));
    }
    let index: Value =
        serde_json::from_reader(BufReader::new(index)).map_err(|e| bad(format!("no JSON ({e})")))?;
    let map = index["weight_map"].as_object().ok_or_else(|| bad("it has no weight_map".into()))?;
    let mut shards: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, shard) in map {
        let shard = shard.as_str().ok_or_else(|| bad(format!("the file of tensor {name:?} is no text")))?;
        let mut parts = Path::new(shard).components();
        let beside = matches!(parts.next(), Some(Component::Normal(_))) && parts.next().is_none();
        if !beside {
            return Err(bad(format!("the file {shard:?} of tensor {name:?} is none beside it")));
        }
        shards.entry(shard.to_owned()).or_default().push(name.clone());
    }
    Ok(shards)
}
