//! `mlx.nn`: activations and losses.
//!
//! Not here: layers.

use super::row::{At, I, N, P, Row, U, row};
use mlx::{
    nn,
    nn::losses::{self, BinaryCrossEntropy, CosineSimilarity, CrossEntropy, GaussianNll, Reduction, Triplet},
};

pub(crate) const ACTIVATIONS: &[Row] = &[
    row("nn.gelu", &[N(&[2, 3])], |v| nn::gelu(&v[0])).rough(),
    row("nn.gelu_approx", &[N(&[2, 3])], |v| nn::gelu_approx(&v[0])),
    row("nn.relu", &[N(&[2, 3])], |v| nn::relu(&v[0])),
    row("nn.silu", &[N(&[2, 3])], |v| nn::silu(&v[0])).rough(),
    row("nn.softplus", &[N(&[2, 3])], |v| nn::softplus(&v[0])).rough(),
    row("nn.gelu_fast_approx", &[N(&[2, 3])], |v| nn::gelu_fast_approx(&v[0])).rough(),
    row("nn.hardswish", &[N(&[2, 3])], |v| nn::hardswish(&v[0])),
    row("nn.log_sigmoid", &[N(&[2, 3])], |v| nn::log_sigmoid(&v[0])).rough(),
    row("nn.mish", &[N(&[2, 3])], |v| nn::mish(&v[0])).rough(),
    row("nn.relu2", &[N(&[2, 3])], |v| nn::relu2(&v[0])),
    row("nn.relu6", &[N(&[2, 3])], |v| nn::relu6(&v[0])),
    row("nn.selu", &[N(&[2, 3])], |v| nn::selu(&v[0])).rough(),
    row("nn.sigmoid", &[N(&[2, 3])], |v| nn::sigmoid(&v[0])).rough(),
    row("nn.softsign", &[N(&[2, 3])], |v| nn::softsign(&v[0])),
    row("nn.tanh", &[N(&[2, 3])], |v| nn::tanh(&v[0])).rough(),
    row("nn.celu", &[N(&[2, 3])], |v| nn::celu(&v[0], 0.7)).rough(),
    row("nn.celu", &[N(&[2, 3]), P(&[3])], |v| nn::celu(&v[0], &v[1])).rough(),
    row("nn.elu", &[N(&[2, 3])], |v| nn::elu(&v[0], 0.7)).rough(),
    row("nn.elu", &[N(&[2, 3]), P(&[3])], |v| nn::elu(&v[0], &v[1])).rough(),
    row("nn.hard_shrink", &[N(&[2, 3])], |v| nn::hard_shrink(&v[0], 0.5)),
    row("nn.hard_shrink", &[N(&[2, 3]), P(&[3])], |v| nn::hard_shrink(&v[0], &v[1])),
    row("nn.leaky_relu", &[N(&[2, 3])], |v| nn::leaky_relu(&v[0], 0.1)),
    row("nn.leaky_relu", &[N(&[2, 3]), P(&[3])], |v| nn::leaky_relu(&v[0], &v[1])),
    row("nn.softshrink", &[N(&[2, 3])], |v| nn::softshrink(&v[0], 0.5)),
    row("nn.softshrink", &[N(&[2, 3]), P(&[3])], |v| nn::softshrink(&v[0], &v[1])),
    row("nn.step", &[N(&[2, 3])], |v| nn::step(&v[0], 0.1)),
    row("nn.prelu", &[N(&[2, 3]), P(&[3])], |v| nn::prelu(&v[0], &v[1])),
    row("nn.hard_tanh", &[N(&[2, 3])], |v| nn::hard_tanh(&v[0], -1.0, 0.7)),
    row("nn.softmax", &[N(&[2, 3])], |v| nn::softmax(&v[0], -1)).rough().vmap_within(1e-14),
    row("nn.softmax", &[N(&[2, 3])], |v| nn::softmax(&v[0], [0, 1])).rough(),
    row("nn.softmin", &[N(&[2, 3])], |v| nn::softmin(&v[0], -1)).rough().vmap_within(1e-14),
    row("nn.softmin", &[N(&[2, 3])], |v| nn::softmin(&v[0], [0, 1])).rough(),
    row("nn.log_softmax", &[N(&[2, 3])], |v| nn::log_softmax(&v[0], -1)).rough(),
    row("nn.log_softmax", &[N(&[2, 3])], |v| nn::log_softmax(&v[0], [0, 1])).rough(),
    row("nn.glu", &[N(&[2, 4])], |v| nn::glu(&v[0], -1)).rough(),
];

pub(crate) const LOSSES: &[Row] = &[
    row("losses.l1_loss", &[N(&[2, 3]), P(&[2, 3])], |v| losses::l1_loss(&v[0], &v[1], Reduction::Mean)),
    row("losses.mse_loss", &[N(&[2, 3]), P(&[2, 3])], |v| losses::mse_loss(&v[0], &v[1], Reduction::Mean)),
    row("losses.log_cosh_loss", &[N(&[2, 3]), P(&[2, 3])], |v| {
        losses::log_cosh_loss(&v[0], &v[1], Reduction::Sum)
    })
    .rough(),
    row("losses.smooth_l1_loss", &[N(&[2, 3]), P(&[2, 3])], |v| {
        losses::smooth_l1_loss(&v[0], &v[1], 0.9, Reduction::Mean)
    }),
    row("losses.huber_loss", &[N(&[2, 3]), P(&[2, 3])], |v| {
        losses::huber_loss(&v[0], &v[1], 0.9, Reduction::None)
    }),
    row("losses.hinge_loss", &[N(&[2, 3]), P(&[2, 3])], |v| {
        losses::hinge_loss(&v[0], &v[1], Reduction::Mean)
    }),
    row("losses.kl_div_loss", &[N(&[2, 3]), N(&[2, 3])], |v| {
        losses::kl_div_loss(&v[0], &v[1], -1, Reduction::Mean)
    })
    .rough(),
    row("losses.nll_loss", &[N(&[2, 3]), I(&[2], &[2, 0])], |v| {
        losses::nll_loss(&v[0], &v[1], -1, Reduction::Mean)
    }),
    row("losses.margin_ranking_loss", &[N(&[2, 3]), P(&[2, 3]), N(&[2, 3])], |v| {
        losses::margin_ranking_loss(&v[0], &v[1], &v[2], 0.3, Reduction::Mean)
    }),
    row("losses.gaussian_nll_loss", &[N(&[2, 3]), N(&[2, 3]), P(&[2, 3])], |v| {
        losses::gaussian_nll_loss(&v[0], &v[1], &v[2], GaussianNll::new().full(true))
    }),
    row("losses.triplet_loss", &[N(&[2, 3]), P(&[2, 3]), P(&[2, 3])], |v| {
        losses::triplet_loss(&v[0], &v[1], &v[2], Triplet::new())
    }),
    row("losses.cosine_similarity_loss", &[N(&[2, 3]), P(&[2, 3])], |v| {
        losses::cosine_similarity_loss(&v[0], &v[1], CosineSimilarity::new())
    }),
    row("losses.binary_cross_entropy", &[N(&[2, 3]), U(&[2, 3])], |v| {
        losses::binary_cross_entropy(&v[0], &v[1], BinaryCrossEntropy::new())
    })
    .rough(),
    row(
        "losses.binary_cross_entropy",
        &[At(&[2, 3], &[0.2, 0.9, 0.4, 0.7, 0.35, 0.6]), U(&[2, 3]), P(&[2, 3])],
        |v| {
            losses::binary_cross_entropy(
                &v[0],
                &v[1],
                BinaryCrossEntropy::new().with_logits(false).weights(&v[2]),
            )
        },
    )
    // The fifth derivative of log is 24/x⁵: 75,000 at 0.2.
    .within(1e-8),
    row("losses.cross_entropy", &[N(&[2, 3]), I(&[2], &[2, 0])], |v| {
        losses::cross_entropy(&v[0], &v[1], CrossEntropy::new())
    })
    .rough(),
    // Only for probabilities that sum to 1 does the shift by the largest logit, held constant, change nothing.
    row("losses.cross_entropy", &[N(&[2, 3]), At(&[2, 3], &[0.2, 0.5, 0.3, 0.6, 0.1, 0.3]), P(&[2])], |v| {
        losses::cross_entropy(&v[0], &v[1], CrossEntropy::new().weights(&v[2]).label_smoothing(0.1))
    })
    .rough(),
];
