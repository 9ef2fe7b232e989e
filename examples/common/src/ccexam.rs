//! Three small networks that read digits: of MNIST, USPS and street numbers (SVHN), each with its own way to see a picture.
//!
//! Not here: PyTorch's files (`torch`), pictures' files (`pictures`).

use crate::{Result, download::CCEXAM, of_file, pictures, torch};
use image::RgbImage;
use mlx::{
    nn::{BatchNorm, Conv2d, Dropout, Linear, MaxPool2d, Module, ModuleExt, Sequential, relu},
    ops::{self, Convolution},
    prelude::*,
};
use std::{collections::BTreeMap, fs, path::PathBuf};

/// Which network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Handwriting, 28 pixels wide.
    Mnist,
    /// Post codes, 16 pixels wide.
    Usps,
    /// Street numbers, 32 pixels wide, in colour.
    Svhn,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 3] = [Kind::Mnist, Kind::Usps, Kind::Svhn];

    /// Its name in the package.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Mnist => "mnist",
            Kind::Usps => "usps",
            Kind::Svhn => "svhn",
        }
    }

    /// The side of a picture, and the mean and deviation of its channels in the training data.
    fn sight(self) -> (u32, &'static [f32], &'static [f32]) {
        match self {
            Kind::Mnist => (28, &[0.1307], &[0.3081]),
            Kind::Usps => (16, &[0.2471], &[0.2994]),
            Kind::Svhn => (32, &[0.4377, 0.4438, 0.4728], &[0.1980, 0.2010, 0.1970]),
        }
    }
}

/// A network.
#[derive(Debug, Module)]
pub struct Net {
    features: Sequential,
    classifier: Sequential,
    #[module(skip)]
    kind: Kind,
}

impl Net {
    /// One with random weights.
    ///
    /// # Errors
    /// None that is known.
    pub fn new(kind: Kind) -> Result<Net> {
        let conv = |from, to| Conv2d::new(from, to, 3, Convolution::new().padding(1), true);
        let norm = |features| BatchNorm::new(features, 1e-5, 0.1);
        let (features, inputs, hidden) = match kind {
            Kind::Mnist => {
                let layers = Sequential::new().add(conv(1, 32)?).add_fn(relu).add(MaxPool2d::new(2)?);
                (layers.add(conv(32, 64)?).add_fn(relu).add(MaxPool2d::new(2)?), 64 * 7 * 7, 128)
            }
            Kind::Usps => {
                let block = |layers: Sequential, from, to| -> Result<Sequential> {
                    Ok(layers.add(conv(from, to)?).add(norm(to)?).add_fn(relu).add(MaxPool2d::new(2)?))
                };
                (block(block(Sequential::new(), 1, 32)?, 32, 64)?, 64 * 4 * 4, 128)
            }
            Kind::Svhn => {
                let block = |from, to| -> Result<Sequential> {
                    let layers = Sequential::new().add(conv(from, to)?).add(norm(to)?).add_fn(relu);
                    Ok(layers.add(conv(to, to)?).add(norm(to)?).add_fn(relu).add(MaxPool2d::new(2)?))
                };
                let blocks = Sequential::new().add(block(3, 32)?).add(block(32, 64)?);
                (blocks.add(block(64, 128)?), 128 * 4 * 4, 256)
            }
        };
        let dropped = |layers: Sequential| -> Result<Sequential> {
            Ok(if kind == Kind::Mnist { layers } else { layers.add(Dropout::new(0.3)?) })
        };
        let classifier = dropped(Sequential::new())?.add(Linear::new(inputs, hidden, true)?).add_fn(relu);
        let classifier = dropped(classifier)?.add(Linear::new(hidden, 10, true)?);
        Ok(Net { features, classifier, kind })
    }

    /// The trained one of the package.
    ///
    /// # Errors
    /// A package that cannot be had; a file that does not fit, and which tensor of it.
    pub fn open(kind: Kind) -> Result<Net> {
        let mut net = Net::new(kind)?;
        let path = CCEXAM.file(&format!("ccexam/weights/{}.pth", kind.name()))?;
        let weights = torch::load(&path)?.into_iter().filter_map(|(name, tensor)| for_mlx(&name, &tensor));
        of_file(&path, net.load_weights(weights.collect::<Vec<_>>()))?;
        net.eval();
        Ok(net)
    }

    /// A picture as the network sees it, `[1, side, side, channels]`.
    ///
    /// # Errors
    /// None that is known.
    pub fn see(&self, picture: &RgbImage) -> Result<Tensor> {
        let (side, mean, deviation) = self.kind.sight();
        let picture = pictures::resized(picture, side, side, image::imageops::Triangle);
        let pixels = if mean.len() == 1 { pictures::grey(&picture)? } else { pictures::pixels(&picture)? };
        Ok((pixels / 255.0 - Tensor::from_slice(mean)?) / Tensor::from_slice(deviation)?)
    }

    /// A score for each digit, `[batch, 10]`.
    ///
    /// # Errors
    /// Pictures of another size.
    pub fn forward(&self, pictures: &Tensor) -> Result<Tensor> {
        let features = self.features.forward(pictures)?;
        // The classifier counts channel by channel, as PyTorch's pictures lie.
        let flat = ops::flatten(&features.transpose([0, 3, 1, 2]), 1..)?;
        Ok(self.classifier.forward(&flat)?)
    }
}

/// A weight of PyTorch's under MLX's name and with the channels last; nothing for a count that nobody needs.
fn for_mlx(name: &str, tensor: &Tensor) -> Option<(String, Tensor)> {
    let parts = name.split('.').map(|part| match part.parse::<u8>() {
        Ok(number) => format!("layers.{number}"),
        Err(_) => part.to_owned(),
    });
    let name = parts.collect::<Vec<_>>().join(".");
    (!name.ends_with("num_batches_tracked")).then(|| (name, torch::channels_last(tensor)))
}

/// A picture of the package.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Who can read it.
    pub kind: Kind,
    /// The digit it shows.
    pub digit: u32,
    /// Where it lies.
    pub path: PathBuf,
}

/// The package's pictures, by name; a picture's name begins with the network's and ends with the digit.
///
/// # Errors
/// A package that cannot be had.
pub fn samples() -> Result<Vec<Sample>> {
    let folder = CCEXAM.file("ccexam/samples")?;
    let mut paths = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    let sample = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(".png")?;
        let kind = Kind::ALL.into_iter().find(|kind| name.starts_with(kind.name()))?;
        let digit = name.chars().last()?.to_digit(10)?;
        Some(Sample { kind, digit, path })
    };
    Ok(paths.into_iter().filter_map(sample).collect())
}

/// What parity compares with Python's: each network's scores of its pictures, and what it saw.
///
/// # Errors
/// As [`Net::open`].
pub fn outputs() -> Result<BTreeMap<String, Tensor>> {
    let mut outputs = BTreeMap::new();
    let samples = samples()?;
    for kind in Kind::ALL {
        let net = Net::open(kind)?;
        let own = samples.iter().filter(|sample| sample.kind == kind);
        let seen = own.map(|sample| net.see(&pictures::open(&sample.path)?)).collect::<Result<Vec<_>>>()?;
        let seen = ops::concatenate(&seen, 0)?;
        outputs.insert(format!("{}.scores", kind.name()), net.forward(&seen)?);
        outputs.insert(format!("{}.pictures", kind.name()), seen);
    }
    Ok(outputs)
}
