//! Any bytes as a file of each format: an error, or tensors that can be read whole.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mlx_core::{Result, Tensor};
use std::{collections::HashMap, io::Cursor};

/// Every value is there.
fn check(loaded: Result<HashMap<String, Tensor>>) {
    for x in loaded.unwrap_or_default().values() {
        let bytes = x.to_bytes().expect("what was checked can be read");
        assert_eq!(bytes.len(), x.nbytes());
    }
}

fuzz_target!(|bytes: &[u8]| {
    check(mlx_ops::load_safetensors_from(Cursor::new(bytes.to_vec())).map(|found| found.tensors));
    check(mlx_ops::load_gguf_from(Cursor::new(bytes)).map(|found| found.tensors));
    check(mlx_ops::load_npz_from(Cursor::new(bytes)));
    check(mlx_ops::load_npy_from(bytes).map(|array| HashMap::from([(String::new(), array)])));
});
