//! Ops along axes: reductions, scans, sorts.

use super::row::{At, N, P, Row, row};
use mlx::{
    Dtype, ops,
    ops::{Side, scan},
    prelude::*,
};

/// Sums of vectorised calls run over other strides, in another order.
const SUMS: f64 = 1e-14;

/// One 0 in a row, and two.
const ZEROS: &[f64] = &[0.7, 0.0, -1.3, 0.0, 1.1, 0.0];

/// Far apart, and far from 0.
const FAR: &[f64] = &[60.3, -41.7, 58.9, -120.4, -119.8, -122.1];

pub(crate) const REDUCTIONS: &[Row] = &[
    row("mx.sum", &[N(&[2, 3, 2])], |v| ops::sum(&v[0], 1)).vmap_within(SUMS),
    row("mx.sum", &[N(&[2, 3])], |v| ops::sum(&v[0], ..)).vmap_within(SUMS),
    row("mx.mean", &[N(&[2, 3])], |v| ops::mean(&v[0], axes([0]).keep())).vmap_within(SUMS),
    row("mx.prod", &[N(&[2, 3])], |v| ops::prod(&v[0], 1)).vmap_within(SUMS),
    row("mx.prod", &[N(&[2, 3])], |v| ops::prod(&v[0], ..)).vmap_within(SUMS),
    row("mx.prod", &[At(&[2, 3], ZEROS)], |v| ops::prod(&v[0], 1)).vmap_within(SUMS),
    row("mx.prod", &[At(&[2, 3], ZEROS)], |v| ops::prod(&v[0], ..)).vmap_within(SUMS),
    row("mx.max", &[N(&[2, 3])], |v| ops::max(&v[0], 1)),
    row("mx.max", &[N(&[2, 3])], |v| ops::max(&v[0], ..)),
    row("mx.min", &[N(&[2, 3])], |v| ops::min(&v[0], 0)),
    row("mx.median", &[N(&[2, 5])], |v| ops::median(&v[0], 1)),
    row("mx.median", &[N(&[2, 3])], |v| ops::median(&v[0], ..)),
    row("mx.logsumexp", &[N(&[2, 3])], |v| ops::logsumexp(&v[0], 1)).rough().vmap_within(SUMS),
    row("mx.logsumexp", &[N(&[2, 3])], |v| ops::logsumexp(&v[0], ..)).rough().vmap_within(SUMS),
    row("mx.logsumexp", &[At(&[2, 3], FAR)], |v| ops::logsumexp(&v[0], 1)).rough().vmap_within(SUMS),
    row("mx.softmax", &[At(&[2, 3], FAR)], |v| ops::softmax(&v[0], 1)).rough().vmap_within(SUMS),
    row("mx.std", &[N(&[2, 3])], |v| ops::std(&v[0], 1, 0)).vmap_within(SUMS),
    row("mx.var", &[N(&[2, 3])], |v| ops::var(&v[0], 0, 1)).vmap_within(SUMS),
    row("mx.softmax", &[N(&[2, 3])], |v| ops::softmax(&v[0], 1)).rough().vmap_within(SUMS),
    row("mx.softmax", &[N(&[2, 3])], |v| ops::softmax(&v[0], [0, 1])).rough().vmap_within(SUMS),
    // Sums in float32; of items along the last axis MLX makes Exp, Sum and Divide, which are float64.
    row("ops::softmax_precise", &[N(&[2, 3])], |v| ops::softmax_precise(&v[0], 1)).rough().vmap_within(1e-7),
    row("mx.all", &[N(&[2, 3])], |v| ops::all(&v[0], 1)).discrete(),
    row("mx.any", &[N(&[2, 3])], |v| ops::any(&v[0], 1)).discrete(),
    row("mx.argmax", &[N(&[2, 3])], |v| ops::argmax(&v[0], 1)).discrete(),
    row("mx.argmin", &[N(&[2, 3])], |v| ops::argmin(&v[0], 0)).discrete(),
    row("mx.count_nonzero", &[N(&[2, 3])], |v| ops::count_nonzero(&v[0], 1)).discrete(),
];

const SCAN: &str = "JVP is not implemented for cumulative prod/min/max";

pub(crate) const SCANS: &[Row] = &[
    row("mx.cumsum mx.cumulative_sum", &[N(&[2, 3])], |v| ops::cumsum(&v[0], 1)),
    row("mx.cumsum mx.cumulative_sum", &[N(&[2, 3])], |v| ops::cumsum(&v[0], scan(0).reverse().exclusive())),
    row("mx.cumprod mx.cumulative_prod", &[N(&[2, 3])], |v| ops::cumprod(&v[0], 1)).no_jvp(SCAN),
    row("mx.cumprod mx.cumulative_prod", &[N(&[2, 3])], |v| ops::cumprod(&v[0], scan(1).reverse()))
        .no_jvp(SCAN),
    row("mx.cumprod mx.cumulative_prod", &[N(&[2, 3])], |v| ops::cumprod(&v[0], scan(1).exclusive()))
        .no_jvp(SCAN),
    row("mx.cumprod mx.cumulative_prod", &[N(&[2, 3])], |v| {
        ops::cumprod(&v[0], scan(1).reverse().exclusive())
    })
    .no_jvp(SCAN),
    row("mx.cumprod", &[At(&[2, 3], ZEROS)], |v| ops::cumprod(&v[0], 1)).no_jvp(SCAN),
    row("mx.cumprod", &[At(&[2, 3], ZEROS)], |v| ops::cumprod(&v[0], scan(1).reverse().exclusive()))
        .no_jvp(SCAN),
    row("mx.logcumsumexp", &[At(&[2, 3], FAR)], |v| ops::logcumsumexp(&v[0], 1)).rough().no_jvp(SCAN),
    row("mx.cummax", &[N(&[2, 4])], |v| ops::cummax(&v[0], 1)).no_jvp(SCAN),
    row("mx.cummax", &[N(&[2, 4])], |v| ops::cummax(&v[0], scan(1).reverse())).no_jvp(SCAN),
    row("mx.cummax", &[N(&[2, 4])], |v| Ok(ops::cummax(&v[0], scan(1).exclusive())?.index((.., 1..))))
        .no_jvp(SCAN),
    row("mx.cummin", &[N(&[2, 4])], |v| ops::cummin(&v[0], 1)).no_jvp(SCAN),
    row("mx.cummin", &[N(&[2, 4])], |v| ops::cummin(&v[0], scan(1).reverse())).no_jvp(SCAN),
    row("mx.cummin", &[N(&[2, 4])], |v| {
        Ok(ops::cummin(&v[0], scan(1).reverse().exclusive())?.index((.., ..3)))
    })
    .no_jvp(SCAN),
    row("mx.logcumsumexp", &[N(&[2, 3])], |v| ops::logcumsumexp(&v[0], 1)).rough().no_jvp(SCAN),
    row("mx.logcumsumexp", &[N(&[2, 3])], |v| ops::logcumsumexp(&v[0], scan(1).reverse()))
        .rough()
        .no_jvp(SCAN),
    row("mx.logcumsumexp", &[N(&[2, 3])], |v| {
        Ok(ops::logcumsumexp(&v[0], scan(1).exclusive())?.index((.., 1..)))
    })
    .rough()
    .no_jvp(SCAN),
    row("mx.logcumsumexp", &[N(&[2, 3])], |v| {
        Ok(ops::logcumsumexp(&v[0], scan(1).reverse().exclusive())?.index((.., ..2)))
    })
    .rough()
    .no_jvp(SCAN),
    row("ops::cumsum_dtype", &[N(&[2, 3])], |v| ops::cumsum_dtype(&v[0], 1, Dtype::Float64)),
    row("ops::cumprod_dtype", &[N(&[2, 3])], |v| ops::cumprod_dtype(&v[0], 1, Dtype::Float64)).no_jvp(SCAN),
    // The methods, which Python computes by other nodes.
    row("mx.cumsum", &[N(&[2, 3])], |v| Ok(v[0].cumsum(scan(0).reverse()))),
    row("mx.cumprod", &[N(&[2, 3])], |v| Ok(v[0].cumprod(scan(1).reverse()))).no_jvp(SCAN),
    row("mx.cummax", &[N(&[2, 4])], |v| Ok(v[0].cummax(scan(1).reverse()))).no_jvp(SCAN),
    row("mx.cummin", &[N(&[2, 4])], |v| Ok(v[0].cummin(scan(1).reverse()))).no_jvp(SCAN),
    row("mx.logcumsumexp", &[N(&[2, 3])], |v| Ok(v[0].logcumsumexp(scan(1).reverse()))).rough().no_jvp(SCAN),
    row("mx.diff", &[N(&[2, 4])], |v| ops::diff(&v[0], 2, 1)),
];

pub(crate) const SORTS: &[Row] = &[
    row("mx.sort", &[N(&[2, 4])], |v| ops::sort(&v[0], 1)),
    row("mx.sort", &[N(&[2, 3])], |v| ops::sort(&v[0], ..)),
    // The order within the parts is not promised: of each part one number.
    row("mx.partition", &[N(&[2, 4])], |v| Ok(ops::partition(&v[0], 2, 1)?.index((.., 2)))),
    row("mx.topk", &[P(&[2, 4])], |v| Ok(ops::topk(&v[0], 2, 1)?.sum(1))),
    row("mx.argsort", &[N(&[2, 4])], |v| ops::argsort(&v[0], 1)).discrete(),
    row("mx.argpartition", &[N(&[2, 4])], |v| Ok(ops::argpartition(&v[0], 2, 1)?.index((.., 2)))).discrete(),
    row("mx.searchsorted", &[P(&[3]), N(&[4])], |v| {
        ops::searchsorted(&ops::cumsum(&v[0], 0)?, &v[1], Side::Left)
    })
    .discrete()
    .no_vmap(&[("first last 0", "Cannot vmap over the sorted sequence")]),
];
