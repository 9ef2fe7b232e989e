//! Layers with several axes, normalizations, pools, and activations as layers.

use super::row::{G, I, N, Row, U, row};
use mlx::{
    Result, Tensor,
    nn::{self, Unary},
    ops::{Convolution, TransposedConvolution},
    random,
};

const CONVOLUTION: &str = "Not implemented for Convolution";

const GROUPS: &[(&str, &str)] = &[("first last", "Can only handle groups != 1 in 1D or 2D convolutions")];

/// Vectorised, items become groups, which other kernels compute, in another order.
const SUMS: f64 = 1e-6;

/// Windows that share elements, or leave some out, are one op that MLX does not vectorise.
const WINDOWS: &[(&str, &str)] = &[("*", "Not implemented for AsStrided")];

pub(crate) const LAYERS: &[Row] = &[
    row("nn.Linear", &[N(&[2, 3]), N(&[4, 3]), N(&[4])], |v| {
        nn::Linear::from_parameters(v[1].clone(), Some(v[2].clone())).forward(&v[0])
    })
    .no_vmap(&[("2", "input c must broadcast to the output shape")])
    .vmap_within(1e-14),
    row("nn.RMSNorm", &[N(&[2, 3]), N(&[3])], |v| {
        nn::RMSNorm::from_parameters(v[1].clone(), 1e-5).forward(&v[0])
    })
    .rough(),
    row("nn.LayerNorm", &[N(&[2, 3]), N(&[3]), N(&[3])], |v| {
        nn::LayerNorm::from_parameters(v[1].clone(), Some(v[2].clone()), 1e-5).forward(&v[0])
    })
    .rough(),
    row("nn.Embedding", &[I(&[2, 2], &[1, 2, 0, 1]), N(&[3, 4])], |v| {
        nn::Embedding::from_parameters(v[1].clone()).forward(&v[0])
    }),
    row("nn.Identity", &[N(&[2, 3])], |v| nn::Identity::new().forward(&v[0])),
    row("nn.Dropout", &[N(&[2, 3])], |v| {
        random::seed(7)?;
        nn::Dropout::new(0.4)?.forward(&v[0])
    }),
    row("nn.Conv1d", &[N(&[1, 5, 2]), N(&[2, 3, 2]), N(&[2])], |v| {
        nn::Conv1d::from_parameters(v[1].clone(), Some(v[2].clone()), Convolution::new()).forward(&v[0])
    })
    .single()
    .no_jvp("Not implemented for Convolution")
    .vmap_within(1e-6),
    row("nn.Conv2d", &[N(&[1, 4, 4, 1]), N(&[2, 3, 2, 1]), N(&[2])], |v| {
        nn::Conv2d::from_parameters(v[1].clone(), Some(v[2].clone()), Convolution::new()).forward(&v[0])
    })
    .single()
    .no_jvp("Not implemented for Convolution")
    .vmap_within(1e-6),
    row("nn.Bilinear", &[N(&[2, 3]), N(&[2, 2]), N(&[4, 2, 3]), N(&[4])], |v| {
        nn::Bilinear::from_parameters(v[2].clone(), Some(v[3].clone())).forward(&v[0], &v[1])
    }),
    row("nn.Dropout2d", &[N(&[2, 2, 3])], |v| {
        random::seed(7)?;
        nn::Dropout2d::new(0.4)?.forward(&v[0])
    }),
    row("nn.Dropout3d", &[N(&[2, 1, 2, 3])], |v| {
        random::seed(7)?;
        nn::Dropout3d::new(0.4)?.forward(&v[0])
    }),
    row("nn.Conv3d", &[N(&[1, 2, 3, 2, 2]), N(&[2, 1, 2, 2, 2]), N(&[2])], |v| {
        nn::Conv3d::from_parameters(v[1].clone(), Some(v[2].clone()), Convolution::new()).forward(&v[0])
    })
    .single()
    .no_jvp(CONVOLUTION)
    .no_vmap(GROUPS),
    row("nn.ConvTranspose1d", &[N(&[1, 3, 2]), N(&[2, 3, 2]), N(&[2])], |v| {
        let how = TransposedConvolution::new().stride(2);
        nn::ConvTranspose1d::from_parameters(v[1].clone(), Some(v[2].clone()), how).forward(&v[0])
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS),
    row("nn.ConvTranspose2d", &[N(&[1, 2, 3, 1]), N(&[2, 2, 2, 1]), N(&[2])], |v| {
        let how = TransposedConvolution::new();
        nn::ConvTranspose2d::from_parameters(v[1].clone(), Some(v[2].clone()), how).forward(&v[0])
    })
    .single()
    .no_jvp(CONVOLUTION)
    .vmap_within(SUMS),
    row("nn.ConvTranspose3d", &[N(&[1, 2, 2, 1, 1]), N(&[2, 2, 1, 2, 1]), N(&[2])], |v| {
        let how = TransposedConvolution::new();
        nn::ConvTranspose3d::from_parameters(v[1].clone(), Some(v[2].clone()), how).forward(&v[0])
    })
    .single()
    .no_jvp(CONVOLUTION)
    .no_vmap(GROUPS),
    row("nn.BatchNorm", &[N(&[4, 3]), N(&[3]), N(&[3])], |v| {
        let mut norm = nn::BatchNorm::new(3, 1e-5, 0.1)?;
        (norm.weight, norm.bias) = (Some(v[1].clone()), Some(v[2].clone()));
        norm.forward(&v[0])
    }),
    row("nn.GroupNorm", &[N(&[2, 3, 4]), N(&[4]), N(&[4])], |v| {
        nn::GroupNorm::from_parameters(2, v[1].clone(), v[2].clone(), 1e-5)?.forward(&v[0])
    }),
    row("nn.GroupNorm", &[N(&[2, 3, 4]), N(&[4]), N(&[4])], |v| {
        let norm = nn::GroupNorm::from_parameters(2, v[1].clone(), v[2].clone(), 1e-5)?;
        norm.pytorch_compatible().forward(&v[0])
    })
    .rough(),
    row("nn.InstanceNorm", &[N(&[2, 4, 3]), N(&[3]), N(&[3])], |v| {
        nn::InstanceNorm::from_parameters(v[1].clone(), v[2].clone(), 1e-5)?.forward(&v[0])
    })
    .rough()
    // Over the deviation of four elements, some of them near each other.
    .within(1e-3),
];

pub(crate) const RESIZING: &[Row] = &[
    row("nn.MaxPool1d", &[N(&[1, 5, 2])], |v| {
        nn::MaxPool1d::new(nn::Pooling::new(3).stride(1))?.forward(&v[0])
    })
    .no_vmap(WINDOWS),
    row("nn.MaxPool2d", &[N(&[1, 4, 2, 2])], |v| nn::MaxPool2d::new(2)?.forward(&v[0])),
    row("nn.MaxPool3d", &[N(&[1, 2, 2, 4, 1])], |v| nn::MaxPool3d::new([1, 1, 2])?.forward(&v[0])),
    row("nn.AvgPool1d", &[N(&[1, 5, 2])], |v| {
        nn::AvgPool1d::new(nn::Pooling::new(3).stride(1).padding(1))?.forward(&v[0])
    })
    .no_vmap(WINDOWS),
    row("nn.AvgPool2d", &[N(&[1, 4, 2, 2])], |v| nn::AvgPool2d::new(2)?.forward(&v[0])),
    row("nn.AvgPool3d", &[N(&[1, 2, 2, 4, 1])], |v| nn::AvgPool3d::new([1, 1, 2])?.forward(&v[0])),
    row("nn.Upsample", &[N(&[1, 3, 2])], |v| nn::Upsample::new(2, nn::UpsampleMode::Nearest).forward(&v[0])),
    row("nn.Upsample", &[N(&[1, 3, 2])], |v| {
        nn::Upsample::new(1.5, nn::UpsampleMode::Nearest).forward(&v[0])
    }),
    row("nn.Upsample", &[N(&[1, 3, 2])], |v| nn::Upsample::new(1.5, nn::UpsampleMode::Linear).forward(&v[0])),
    row("nn.Upsample", &[N(&[1, 3, 2, 1])], |v| {
        nn::Upsample::new(1.5, nn::UpsampleMode::Cubic).forward(&v[0])
    }),
    row("nn.Upsample", &[N(&[1, 4, 2])], |v| {
        nn::Upsample::new(0.5, nn::UpsampleMode::Linear).antialias()?.forward(&v[0])
    }),
];

fn one<L: Unary + Default>(v: &[Tensor]) -> Result<Tensor> {
    L::default().forward(&v[0])
}

pub(crate) const ACTIVATIONS: &[Row] = &[
    row("nn.CELU", &[N(&[2, 3])], one::<nn::CELU>).rough(),
    row("nn.ELU", &[N(&[2, 3])], one::<nn::ELU>).rough(),
    row("nn.GELU", &[N(&[2, 3])], one::<nn::GELU>).rough(),
    row("nn.GLU", &[N(&[2, 4])], one::<nn::GLU>).rough(),
    row("nn.HardShrink", &[G(&[2, 3])], one::<nn::HardShrink>),
    row("nn.HardTanh", &[U(&[2, 3])], one::<nn::HardTanh>),
    row("nn.Hardswish", &[N(&[2, 3])], one::<nn::Hardswish>),
    row("nn.LeakyReLU", &[N(&[2, 3])], one::<nn::LeakyReLU>),
    row("nn.LogSigmoid", &[N(&[2, 3])], one::<nn::LogSigmoid>).rough(),
    row("nn.LogSoftmax", &[N(&[2, 3])], one::<nn::LogSoftmax>).rough(),
    row("nn.Mish", &[N(&[2, 3])], one::<nn::Mish>).rough(),
    row("nn.PReLU", &[N(&[2, 3]), N(&[3])], |v| nn::PReLU::from_parameters(v[1].clone()).forward(&v[0])),
    row("nn.ReLU", &[N(&[2, 3])], one::<nn::ReLU>),
    row("nn.ReLU2", &[N(&[2, 3])], one::<nn::ReLU2>),
    row("nn.ReLU6", &[N(&[2, 3])], one::<nn::ReLU6>),
    row("nn.SELU", &[N(&[2, 3])], one::<nn::SELU>).rough(),
    row("nn.SiLU", &[N(&[2, 3])], one::<nn::SiLU>).rough(),
    row("nn.Sigmoid", &[N(&[2, 3])], one::<nn::Sigmoid>).rough(),
    row("nn.Softmax", &[N(&[2, 3])], one::<nn::Softmax>).rough().vmap_within(1e-14),
    row("nn.Softmin", &[N(&[2, 3])], one::<nn::Softmin>).rough().vmap_within(1e-14),
    row("nn.Softplus", &[N(&[2, 3])], one::<nn::Softplus>).rough(),
    row("nn.Softshrink", &[G(&[2, 3])], one::<nn::Softshrink>),
    row("nn.Softsign", &[N(&[2, 3])], one::<nn::Softsign>),
    row("nn.Step", &[N(&[2, 3])], one::<nn::Step>).discrete(),
    row("nn.Tanh", &[N(&[2, 3])], one::<nn::Tanh>),
];
