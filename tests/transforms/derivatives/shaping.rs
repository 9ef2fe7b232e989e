//! Ops that move elements, or copy them: shapes, joins, parts of matrices.

use super::row::{N, Row, Wrong, row, rows};
use mlx::{
    Dtype, fast, ops,
    ops::{Meshgrid, PadMode},
    prelude::*,
};

const STRIDED: &[(&str, &str)] = &[("*", "Not implemented for AsStrided")];

pub(crate) const SHAPES: &[Row] = &[
    row("mx.reshape", &[N(&[2, 6])], |v| ops::reshape(&v[0], [3, -1])),
    row("mx.reshape", &[N(&[2, 3])], |v| ops::reshape(&v[0].t(), [6])),
    row("mx.flatten", &[N(&[2, 3, 2])], |v| ops::flatten(&v[0], 1..)),
    row("mx.unflatten", &[N(&[6, 2])], |v| ops::unflatten(&v[0], 0, [2, 3])),
    row("mx.squeeze", &[N(&[1, 3, 1])], |v| ops::squeeze(&v[0], 0)),
    row("mx.expand_dims", &[N(&[2, 3])], |v| ops::expand_dims(&v[0], [0, 2])).wrong_vmap(&["last"]),
    row("mx.transpose mx.permute_dims", &[N(&[2, 3, 2])], |v| ops::transpose(&v[0], [2, 0, 1])),
    row("mx.matrix_transpose", &[N(&[2, 3])], |v| ops::matrix_transpose(&v[0], ..)),
    row("mx.swapaxes", &[N(&[2, 3, 2])], |v| ops::swapaxes(&v[0], 0, 2)),
    row("mx.moveaxis", &[N(&[2, 3, 2])], |v| ops::moveaxis(&v[0], 0, -1)),
    row("mx.broadcast_to", &[N(&[3, 1])], |v| ops::broadcast_to(&v[0], [2, 3, 4])),
    rows("mx.broadcast_arrays", &[N(&[3, 1]), N(&[2])], |v| ops::broadcast_arrays(v)),
    row("mx.atleast_1d", &[N(&[])], |v| ops::atleast_1d(&v[0])),
    row("mx.atleast_2d", &[N(&[3])], |v| ops::atleast_2d(&v[0])),
    row("mx.atleast_3d", &[N(&[3])], |v| ops::atleast_3d(&v[0])),
    row("mx.contiguous", &[N(&[2, 3])], |v| ops::contiguous(&v[0].t())),
    row("ops::contiguous_in_any_order", &[N(&[2, 3])], |v| ops::contiguous_in_any_order(&v[0].t())),
    row("fast::materialize", &[N(&[2, 3])], |v| fast::materialize(&v[0].t())),
    row("mx.as_strided", &[N(&[6])], |v| ops::as_strided(&v[0], [2, 2], &[1, 2], 1)).no_vmap(STRIDED),
    row("mx.as_strided", &[N(&[5])], |v| ops::as_strided(&v[0], [3, 2], &[1, 1], 0)).no_vmap(STRIDED),
    row("mx.as_strided", &[N(&[2, 3])], |v| ops::as_strided(&v[0].t(), [2, 2], &[3, 1], 1)).no_vmap(STRIDED),
    row("mx.array mx.asarray ops::copy", &[N(&[3])], |v| ops::copy(&v[0])),
    rows("mx.depends", &[N(&[2]), N(&[3])], |v| ops::depends(&v[..1], &v[1..]))
        .no_jvp("Not implemented for Depends")
        .no_vmap(&[("*", "Not implemented for Depends")]),
    row("mx.full", &[N(&[3])], |v| ops::full([2, 3], &v[0], Dtype::Float64))
        .wrong(&[Wrong { by: 0, gradient: &[-0.295_946, -1.698_223, -0.446_724] }]),
    row("mx.full_like", &[N(&[2, 3]), N(&[3])], |v| ops::full_like(&v[0], &v[1]))
        .wrong(&[Wrong { by: 1, gradient: &[-1.116_055, 1.217_380, 0.296_835] }]),
    row("ops::full_like_dtype", &[N(&[2, 3]), N(&[])], |v| {
        ops::full_like_dtype(&v[0], &v[1], Dtype::Float64)
    })
    .wrong(&[Wrong { by: 1, gradient: &[-2.427_267] }]),
    row("mx.ones_like", &[N(&[3])], |v| ops::ones_like(&v[0])),
    row("mx.zeros_like mx.empty_like", &[N(&[3])], |v| ops::zeros_like(&v[0])),
];

pub(crate) const JOINS: &[Row] = &[
    row("mx.concatenate mx.concat", &[N(&[2, 3]), N(&[2, 1])], |v| ops::concatenate(v, 1)),
    row("mx.concatenate mx.concat", &[N(&[2, 2])], |v| ops::concatenate([&v[0], &v[0]], 0)),
    row("ops::concatenate_flat", &[N(&[2, 2]), N(&[3])], |v| ops::concatenate_flat(v)),
    row("mx.stack", &[N(&[2, 3]), N(&[2, 3]), N(&[2, 3])], |v| ops::stack(v, 1)),
    rows("mx.split", &[N(&[2, 4])], |v| ops::split(&v[0], 2, 1)),
    rows("mx.split", &[N(&[4, 2])], |v| ops::split(&v[0], [1, 3], 0)),
    rows("mx.unstack", &[N(&[3, 2])], |v| ops::unstack(&v[0], 0)),
    row("mx.tile", &[N(&[2, 3])], |v| ops::tile(&v[0], [2, 1, 2])),
    row("mx.repeat", &[N(&[2, 3])], |v| ops::repeat(&v[0], 2, 1)),
    row("mx.repeat", &[N(&[2, 2])], |v| ops::repeat(&v[0], 3, ..)),
    row("mx.roll", &[N(&[2, 3])], |v| ops::roll(&v[0], [1, -1], [0, 1])),
    row("mx.roll", &[N(&[2, 3])], |v| ops::roll(&v[0], 2, ..)),
    row("mx.flip", &[N(&[3, 2])], |v| ops::flip(&v[0], 0)),
    row("mx.pad", &[N(&[2, 3])], |v| ops::pad(&v[0], [(1, 0), (2, 1)], 0.5)),
    row("mx.pad", &[N(&[3])], |v| ops::pad(&v[0], (1, 2), PadMode::Edge)),
    row("mx.pad", &[N(&[3])], |v| ops::pad(&v[0], (1, 2), PadMode::Reflect))
        .wrong(&[Wrong { by: 0, gradient: &[0.257_783, 0.653_601, 1.035_944] }])
        .wrong_product(0.356_908)
        .wrong_vmap(&["first", "last"]),
    row("mx.pad", &[N(&[3])], |v| ops::pad(&v[0], (1, 2), PadMode::Symmetric))
        .wrong(&[Wrong { by: 0, gradient: &[0.598_322, -0.308_759, 1.657_765] }])
        .wrong_product(-0.287_742)
        .wrong_vmap(&["first", "last"]),
    row("mx.pad", &[N(&[3]), N(&[])], |v| ops::pad(&v[0], 1, &v[1]))
        .no_vjp("the value of a padding has no gradient in MLX")
        .wrong_product(-0.103_752)
        .no_vmap(&[("first last 1", "Vmap over padding value is not supported")]),
    rows("mx.meshgrid", &[N(&[2]), N(&[3])], |v| ops::meshgrid(v, Meshgrid::new())),
    rows("mx.meshgrid", &[N(&[2]), N(&[3])], |v| ops::meshgrid(v, Meshgrid::new().sparse().ij())),
];

pub(crate) const DIAGONALS: &[Row] = &[
    row("mx.tril", &[N(&[3, 3])], |v| ops::tril(&v[0], 0)),
    row("mx.triu", &[N(&[2, 3, 3])], |v| ops::triu(&v[0], 1)),
    row("mx.diag", &[N(&[3])], |v| ops::diag(&v[0], 1)).no_jvp("[scatter] JVP not yet implemented"),
    row("mx.diag", &[N(&[3, 2])], |v| ops::diag(&v[0], 0)),
    row("mx.diagonal", &[N(&[3, 4])], |v| ops::diagonal(&v[0], 1, [0, 1])),
    row("mx.diagonal", &[N(&[2, 3, 3])], |v| ops::diagonal(&v[0], -1, [1, 2])),
    row("mx.trace", &[N(&[2, 3, 3])], |v| ops::trace(&v[0], 1, [1, 2])),
    row("mx.trace", &[N(&[3, 3])], |v| ops::trace(&v[0], 0, [0, 1])),
    row("ops::trace_dtype", &[N(&[3, 3])], |v| ops::trace_dtype(&v[0], 0, [0, 1], Dtype::Float64)),
];
