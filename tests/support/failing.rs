//! Tensors whose computation fails on MLX's own thread: their safetensors file is cut off after it was opened.

use mlx::{Tensor, ops};
use std::{
    env, fs,
    sync::atomic::{AtomicU32, Ordering},
};

/// `count` lazy int32 tensors of `size` elements, none of which can be computed: "unable to read …" is the error.
pub(crate) fn failing(count: usize, size: usize) -> Vec<Tensor> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = env::temp_dir().join(format!("mlx-failing-{}-{number}.safetensors", std::process::id()));
    let bytes = size * 4;
    let entry = |i: usize| {
        let (begin, end) = (i * bytes, (i + 1) * bytes);
        format!(r#""{i}":{{"dtype":"I32","shape":[{size}],"data_offsets":[{begin},{end}]}}"#)
    };
    let header = format!("{{{}}}", (0..count).map(entry).collect::<Vec<_>>().join(","));
    let mut text = (header.len() as u64).to_le_bytes().to_vec();
    text.extend_from_slice(header.as_bytes());
    fs::write(&path, &text).expect("the temporary folder is writable");
    let file = fs::OpenOptions::new().write(true).open(&path).expect("written above");
    file.set_len((text.len() + count * bytes) as u64).expect("room for a file");
    let loaded = ops::load_safetensors(&path).expect("the file is whole");
    file.set_len(text.len() as u64).expect("a shorter file");
    fs::remove_file(&path).expect("written above");
    assert_eq!(loaded.tensors.len(), count);
    loaded.tensors.into_values().collect()
}
