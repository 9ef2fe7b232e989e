//! SmolLM2 as a whole: the bits of Python's mlx-lm, where it is installed.

use crate::{folder::Folder, own_blas, python};
use mlx_examples::{download::SMOLLM2, language::outputs};
use std::process::Command;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/xtask/parity/models/language.py");

#[test]
fn the_bits_are_mlx_lms() {
    own_blas::run("twin::with_mlx_own_blas");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn with_mlx_own_blas() {
    let Some(site) = python::site().filter(|site| site.join("mlx_lm").exists()) else {
        eprintln!("not run: there is no mlx-lm");
        return;
    };
    let folder = Folder::new("twin");
    let file = folder.path("python.safetensors");
    let mut script = Command::new("python3");
    script.arg(SCRIPT).arg(SMOLLM2.folder().expect("in the cache")).arg(&file).env("PYTHONPATH", site);
    let output = script.output().expect("python3 is there where its packages are");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let python = mlx::ops::load_safetensors(&file).expect("Python wrote it").tensors;
    let ours = outputs().expect("the package is in the cache");
    assert_eq!(ours.len(), python.len());
    for (name, ours) in ours {
        let python = &python[&name];
        assert_eq!((ours.dtype(), ours.shape()), (python.dtype(), python.shape()), "{name}");
        python.eval().expect("read");
        assert_eq!(ours.to_bytes().expect("computed"), python.to_bytes().expect("read"), "{name}");
    }
}
