//! A small convolutional network.
//!
//! Not here: how it learns (`training`).

use mlx::{
    nn::{self, Conv2d, Linear, Module},
    ops::Convolution,
    prelude::*,
};

#[derive(Clone, Debug, Module)]
pub(crate) struct Cnn {
    conv1: Conv2d,
    conv2: Conv2d,
    linear: Linear,
}

impl Cnn {
    /// For square pictures of that side, which is even.
    pub(crate) fn new(side: i32) -> Result<Cnn> {
        Ok(Cnn {
            conv1: Conv2d::new(1, 8, 3, Convolution::new().padding(1), true)?,
            conv2: Conv2d::new(8, 16, 3, Convolution::new().padding(1).stride(2), true)?,
            linear: Linear::new(16 * (side / 2) * (side / 2), 10, true)?,
        })
    }

    /// `pictures`, `[count, side, side, 1]`, as a score for each digit, `[count, 10]`.
    pub(crate) fn forward(&self, pictures: &Tensor) -> Result<Tensor> {
        let x = nn::relu(&self.conv1.forward(pictures)?)?;
        let x = nn::relu(&self.conv2.forward(&x)?)?;
        self.linear.forward(&x.flatten(1..))
    }
}
