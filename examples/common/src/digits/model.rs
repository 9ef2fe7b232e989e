//! Two networks that tell digits.
//!
//! Not here: how they learn (`training`).

use super::data::SIDE;
use clap::ValueEnum;
use mlx::{
    nn::{self, Conv2d, Dropout, Linear, MaxPool2d, Module},
    ops::Convolution,
    prelude::*,
};

/// Which network.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two convolutions, and a linear layer
    Cnn,
    /// Three linear layers
    Mlp,
}

/// A network for pictures of digits.
#[derive(Clone, Debug, Module)]
pub enum Net {
    /// See [`Cnn`].
    Cnn(Cnn),
    /// See [`Mlp`].
    Mlp(Mlp),
}

impl Net {
    /// A network with parameters drawn by the thread's random key.
    ///
    /// # Errors
    /// MLX that cannot be started.
    pub fn new(kind: Kind) -> Result<Net> {
        Ok(match kind {
            Kind::Cnn => Net::Cnn(Cnn::new()?),
            Kind::Mlp => Net::Mlp(Mlp::new()?),
        })
    }

    /// `pictures`, `[count, SIDE, SIDE, 1]`, as a score for each digit, `[count, 10]`.
    ///
    /// # Errors
    /// Pictures of another size.
    pub fn forward(&self, pictures: &Tensor) -> Result<Tensor> {
        match self {
            Net::Cnn(cnn) => cnn.forward(pictures),
            Net::Mlp(mlp) => mlp.forward(pictures),
        }
    }
}

/// Two convolutions, the largest of each four neighbours, a linear layer.
#[derive(Clone, Debug, Module)]
pub struct Cnn {
    conv1: Conv2d,
    conv2: Conv2d,
    pool: MaxPool2d,
    dropout: Dropout,
    linear: Linear,
}

impl Cnn {
    fn new() -> Result<Cnn> {
        let side = SIDE as i32 / 2;
        Ok(Cnn {
            conv1: Conv2d::new(1, 16, 3, Convolution::new().padding(1), true)?,
            conv2: Conv2d::new(16, 32, 3, Convolution::new().padding(1), true)?,
            pool: MaxPool2d::new(2)?,
            dropout: Dropout::new(0.25)?,
            linear: Linear::new(32 * side * side, 10, true)?,
        })
    }

    fn forward(&self, pictures: &Tensor) -> Result<Tensor> {
        let x = nn::relu(&self.conv1.forward(pictures)?)?;
        let x = self.pool.forward(&nn::relu(&self.conv2.forward(&x)?)?)?;
        self.linear.forward(&self.dropout.forward(&x.flatten(1..))?)
    }
}

/// Linear layers with relu between them.
#[derive(Clone, Debug, Module)]
pub struct Mlp {
    hidden: Vec<Linear>,
    dropout: Dropout,
    last: Linear,
}

impl Mlp {
    fn new() -> Result<Mlp> {
        let inputs = (SIDE * SIDE) as i32;
        Ok(Mlp {
            hidden: vec![Linear::new(inputs, 128, true)?, Linear::new(128, 64, true)?],
            dropout: Dropout::new(0.1)?,
            last: Linear::new(64, 10, true)?,
        })
    }

    fn forward(&self, pictures: &Tensor) -> Result<Tensor> {
        let mut x = pictures.flatten(1..);
        for linear in &self.hidden {
            x = self.dropout.forward(&nn::relu(&linear.forward(&x)?)?)?;
        }
        self.last.forward(&x)
    }
}
