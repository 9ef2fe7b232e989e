//! The worker's layers: normalizations.

use super::{Layer, family};
use crate::parity::worker::{failure::Result, signature::Call};
use mlx_nn::{BatchNorm, GroupNorm, InstanceNorm, LayerNorm, RMSNorm};

pub(super) fn find(name: &str, init: &Call) -> Option<Result<Layer>> {
    family! { name, init;
        "BatchNorm"("num_features, eps=, momentum=, affine=, track_running_stats=") |b| {
            let layer = BatchNorm::new(b.int(0, 0)?, b.double(1, 1e-5)?, b.double(2, 0.1)?)?;
            let layer = if b.flag_or(3, true)? { layer } else { layer.without_affine() };
            Ok(Layer::unary(if b.flag_or(4, true)? { layer } else { layer.without_running_stats() }))
        };
        "GroupNorm"("num_groups, dims, eps=, affine=, pytorch_compatible=") |b| {
            let layer = GroupNorm::new(b.int(0, 0)?, b.int(1, 0)?, b.double(2, 1e-5)?)?;
            let layer = if b.flag_or(3, true)? { layer } else { layer.without_affine() };
            Ok(Layer::unary(if b.flag(4)? { layer.pytorch_compatible() } else { layer }))
        };
        "InstanceNorm"("dims, eps=, affine=") |b| {
            let layer = InstanceNorm::new(b.int(0, 0)?, b.float(1, 1e-5)?)?;
            Ok(Layer::unary(if b.flag(2)? { layer.affine()? } else { layer }))
        };
        "LayerNorm"("dims, eps=, affine=, bias=") |b| {
            let layer = LayerNorm::new(b.int(0, 0)?, b.float(1, 1e-5)?)?;
            Ok(Layer::unary(match (b.flag_or(2, true)?, b.flag_or(3, true)?) {
                (true, true) => layer,
                (true, false) => layer.without_bias(),
                (false, _) => layer.without_affine(),
            }))
        };
        "RMSNorm"("dims, eps=") |b| Ok(Layer::unary(RMSNorm::new(b.int(0, 0)?, b.float(1, 1e-5)?)?));
    }
}
