//! Options that several programs have.

use crate::Result;
use clap::{Args, ValueEnum};
use mlx::{Device, Dtype};

/// Where a model computes.
#[derive(Args, Clone, Copy, Debug)]
pub struct Place {
    /// Where to compute; on a GPU if MLX has one
    #[arg(long, value_enum)]
    pub device: Option<Kind>,
}

/// A float type, by Rust's names.
#[derive(ValueEnum, Clone, Copy, Debug)]
#[allow(missing_docs, reason = "their names say it, and clap would print more")]
pub enum Floats {
    F32,
    Bf16,
    F16,
}

/// A kind of device.
#[derive(ValueEnum, Clone, Copy, Debug)]
#[allow(missing_docs, reason = "as above")]
pub enum Kind {
    Cpu,
    Gpu,
}

impl From<Floats> for Dtype {
    fn from(floats: Floats) -> Dtype {
        match floats {
            Floats::F32 => Dtype::Float32,
            Floats::Bf16 => Dtype::Bfloat16,
            Floats::F16 => Dtype::Float16,
        }
    }
}

impl Place {
    /// Does `work` on the device asked for.
    ///
    /// # Errors
    /// There is no such device; those of `work`.
    pub fn run<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        match self.device {
            None => work(),
            Some(Kind::Cpu) => mlx::with_device(Device::cpu(), work)?,
            Some(Kind::Gpu) => mlx::with_device(Device::gpu(), work)?,
        }
    }
}
