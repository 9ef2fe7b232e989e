//! Reads and updates by indices.

use super::row::{I, N, P, Row, Wrong, row};
use mlx::{Dtype, ops, ops::Update, prelude::*};

/// Two places of an axis of three, the last counted from the end.
const TWICE: &[i32] = &[1, -2];
const APART: &[i32] = &[2, 0];

const SCATTER: &str = "[scatter] JVP not yet implemented";
const PRODUCT: &str = "VJP not implemented for scatter_prod";
const SLICES: &str = "JVP for product, minimum and maximum not implemented";

pub(crate) const READS: &[Row] = &[
    row("index", &[N(&[4, 3])], |v| ops::index(&v[0], -1)),
    row("index", &[N(&[4, 3])], |v| ops::index(&v[0], 1..3)),
    row("index", &[N(&[4, 3])], |v| ops::index(&v[0], (Slice::step(.., -2), Slice::step(.., 2)))),
    row("index", &[N(&[4, 3])], |v| ops::index(&v[0], (NewAxis, Ellipsis, 1))),
    row("index", &[N(&[4, 3]), I(&[2], TWICE)], |v| ops::index(&v[0], &v[1])),
    row("index", &[N(&[4, 3]), I(&[2], TWICE)], |v| ops::index(&v[0], (.., &v[1]))),
    row("index", &[N(&[4, 3]), I(&[2], TWICE), I(&[2, 1], APART)], |v| ops::index(&v[0], (&v[1], &v[2]))),
    row("index", &[N(&[4, 2, 3]), I(&[2], TWICE), I(&[2, 1], APART)], |v| {
        ops::index(&v[0], (&v[1], .., &v[2]))
    }),
    row("mx.take", &[N(&[3, 4]), I(&[2, 2], &[1, -2, 0, 1])], |v| ops::take(&v[0], &v[1], 0)),
    row("mx.take", &[N(&[3, 4]), I(&[2], TWICE)], |v| ops::take(&v[0], &v[1], 1)),
    row("mx.take", &[N(&[3, 4]), I(&[3], &[5, -1, 5])], |v| ops::take(&v[0], &v[1], ..)),
    row("mx.take_along_axis", &[N(&[3, 4]), I(&[3, 2], &[1, -2, 0, 1, 1, 3])], |v| {
        ops::take_along_axis(&v[0], &v[1], 1)
    }),
    row("mx.take_along_axis", &[N(&[3, 2]), I(&[2, 2], &[1, 2, 0, 2])], |v| {
        ops::take_along_axis(&v[0], &v[1], 0)
    }),
    row("mx.slice", &[N(&[4, 3]), I(&[2], &[1, 0])], |v| ops::slice(&v[0], &v[1], [0, 1], [2, 2]))
        .no_vmap(&[("first last 1", "vmap over start indices not yet supported")]),
    row("mx.take_along_axis", &[N(&[2, 3])], |v| {
        let order = ops::stop_gradient(&ops::argsort(&v[0], 1)?)?;
        ops::take_along_axis(&v[0], &order, 1)
    }),
    row("mx.take_along_axis", &[N(&[2, 3])], |v| ops::take_along_axis(&v[0], &ops::argsort(&v[0], 1)?, 1))
        .no_vjp("Cannot calculate VJP with respect to indices")
        .no_jvp("Cannot calculate JVP with respect to indices"),
];

pub(crate) const UPDATES: &[Row] = &[
    row("set_index", &[N(&[4, 3]), N(&[2, 3])], |v| ops::set_index(&v[0], 1..3, &v[1])).wrong_vmap(&["0"]),
    row("set_index", &[N(&[4, 3]), N(&[3])], |v| ops::set_index(&v[0], -1, &v[1])).wrong_vmap(&["0"]),
    row("set_index", &[N(&[4, 3]), N(&[])], |v| ops::set_index(&v[0], (Slice::step(.., 2), 1), &v[1]))
        .wrong_vmap(&["0"]),
    row("set_index", &[N(&[4, 3]), N(&[2, 3]), I(&[2], APART)], |v| ops::set_index(&v[0], &v[2], &v[1]))
        .no_jvp(SCATTER)
        .wrong_vmap(&["last"]),
    row("set_index", &[N(&[4, 3]), N(&[4, 2]), I(&[2], APART)], |v| {
        ops::set_index(&v[0], (.., &v[2]), &v[1])
    })
    .no_jvp(SCATTER),
    row("set_index", &[N(&[4, 3]), N(&[2]), I(&[2], APART)], |v| ops::set_index(&v[0], (&v[2], 1), &v[1]))
        .no_jvp(SCATTER),
    row("set_index", &[N(&[4]), N(&[]), I(&[4], &[1, 0, 0, 1])], |v| {
        ops::set_index(&v[0], v[2].astype(Dtype::Bool), &v[1])
    }),
    row("mx.put_along_axis", &[N(&[3, 4]), N(&[3, 2]), I(&[3, 2], &[1, 3, 0, 2, 1, 2])], |v| {
        ops::put_along_axis(&v[0], &v[2], &v[1], 1)
    }),
    row("mx.put_along_axis", &[N(&[3, 2]), N(&[1, 2]), I(&[1, 2], &[1, 2])], |v| {
        ops::put_along_axis(&v[0], &v[2], &v[1], 0)
    }),
    row("mx.slice_update", &[N(&[4, 3]), N(&[2, 2]), I(&[2], &[1, 0])], |v| {
        ops::slice_update(&v[0], &v[1], &v[2], [0, 1])
    })
    .wrong_vmap(&["0"])
    .no_vmap(&[("first last 2", "vmap over start indices not yet supported")]),
];

/// By slices, by tensors that name a place once, by tensors that name one twice.
pub(crate) const AT: &[Row] = &[
    row("at.add ops::index_update", &[P(&[4, 3]), P(&[2, 3])], |v| {
        ops::index_update(&v[0], 1..3, Update::Add, &v[1])
    })
    .wrong_vmap(&["0"]),
    row("at.add", &[P(&[4, 3]), P(&[2, 3]), I(&[2], APART)], |v| {
        ops::index_update(&v[0], &v[2], Update::Add, &v[1])
    })
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.add", &[P(&[4, 3]), P(&[2, 3]), I(&[2], &[1, 1])], |v| {
        ops::index_update(&v[0], &v[2], Update::Add, &v[1])
    })
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.add", &[P(&[4, 3]), P(&[2, 4]), I(&[2], APART)], |v| {
        ops::index_update(&v[0].t(), &v[2], Update::Add, &v[1])
    })
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.add", &[P(&[4, 3]), P(&[]), I(&[2], APART)], |v| {
        ops::index_update(&v[0], (&v[2], 1..), Update::Add, &v[1])
    })
    .no_vjp("[reshape] Cannot reshape array of size 2")
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.subtract", &[P(&[4, 3]), P(&[2, 3])], |v| {
        ops::index_update(&v[0], 1..3, Update::Subtract, &v[1])
    })
    .wrong_vmap(&["0"]),
    row("at.subtract", &[P(&[4, 3]), P(&[2, 3]), I(&[2], APART)], |v| {
        ops::index_update(&v[0], &v[2], Update::Subtract, &v[1])
    })
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.subtract", &[P(&[4, 3]), P(&[2, 3]), I(&[2], &[1, 1])], |v| {
        ops::index_update(&v[0], &v[2], Update::Subtract, &v[1])
    })
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.subtract", &[P(&[4, 3]), P(&[2, 4]), I(&[2], APART)], |v| {
        ops::index_update(&v[0].t(), &v[2], Update::Subtract, &v[1])
    })
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.subtract", &[P(&[4, 3]), P(&[]), I(&[2], APART)], |v| {
        ops::index_update(&v[0], (&v[2], 1..), Update::Subtract, &v[1])
    })
    .no_vjp("[reshape] Cannot reshape array of size 2")
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.multiply", &[P(&[4, 3]), P(&[2, 3])], |v| {
        ops::index_update(&v[0], 1..3, Update::Multiply, &v[1])
    })
    .no_jvp(SLICES)
    .wrong_vmap(&["0"]),
    row("at.multiply", &[P(&[4, 3]), P(&[2, 3]), I(&[2], APART)], |v| {
        ops::index_update(&v[0], &v[2], Update::Multiply, &v[1])
    })
    .no_vjp(PRODUCT)
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.multiply", &[P(&[4, 3]), P(&[2, 3]), I(&[2], &[1, 1])], |v| {
        ops::index_update(&v[0], &v[2], Update::Multiply, &v[1])
    })
    .no_vjp(PRODUCT)
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.multiply", &[P(&[4, 3]), P(&[2, 4]), I(&[2], APART)], |v| {
        ops::index_update(&v[0].t(), &v[2], Update::Multiply, &v[1])
    })
    .no_vjp(PRODUCT)
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.multiply", &[P(&[4, 3]), P(&[]), I(&[2], APART)], |v| {
        ops::index_update(&v[0], (&v[2], 1..), Update::Multiply, &v[1])
    })
    .no_vjp(PRODUCT)
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.divide", &[P(&[4, 3]), P(&[2, 3])], |v| ops::index_update(&v[0], 1..3, Update::Divide, &v[1]))
        .no_jvp(SLICES)
        .wrong_vmap(&["0"]),
    row("at.divide", &[P(&[4, 3]), P(&[2, 3]), I(&[2], APART)], |v| {
        ops::index_update(&v[0], &v[2], Update::Divide, &v[1])
    })
    .no_vjp(PRODUCT)
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.divide", &[P(&[4, 3]), P(&[2, 3]), I(&[2], &[1, 1])], |v| {
        ops::index_update(&v[0], &v[2], Update::Divide, &v[1])
    })
    .no_vjp(PRODUCT)
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.divide", &[P(&[4, 3]), P(&[2, 4]), I(&[2], APART)], |v| {
        ops::index_update(&v[0].t(), &v[2], Update::Divide, &v[1])
    })
    .no_vjp(PRODUCT)
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.divide", &[P(&[4, 3]), P(&[]), I(&[2], APART)], |v| {
        ops::index_update(&v[0], (&v[2], 1..), Update::Divide, &v[1])
    })
    .no_vjp(PRODUCT)
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.maximum", &[P(&[4, 3]), P(&[2, 3])], |v| ops::index_update(&v[0], 1..3, Update::Maximum, &v[1]))
        .no_jvp(SLICES)
        .wrong_vmap(&["0"]),
    row("at.maximum", &[P(&[4, 3]), P(&[2, 3]), I(&[2], APART)], |v| {
        ops::index_update(&v[0], &v[2], Update::Maximum, &v[1])
    })
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.maximum", &[P(&[4, 3]), P(&[2, 3]), I(&[2], &[1, 1])], |v| {
        ops::index_update(&v[0], &v[2], Update::Maximum, &v[1])
    })
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.maximum", &[P(&[4, 3]), P(&[2, 4]), I(&[2], APART)], |v| {
        ops::index_update(&v[0].t(), &v[2], Update::Maximum, &v[1])
    })
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.maximum", &[P(&[4, 3]), P(&[]), I(&[2], APART)], |v| {
        ops::index_update(&v[0], (&v[2], 1..), Update::Maximum, &v[1])
    })
    .wrong(&[Wrong { by: 1, gradient: &[2.613_917] }])
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.minimum", &[P(&[4, 3]), P(&[2, 3])], |v| ops::index_update(&v[0], 1..3, Update::Minimum, &v[1]))
        .no_jvp(SLICES)
        .wrong_vmap(&["0"]),
    row("at.minimum", &[P(&[4, 3]), P(&[2, 3]), I(&[2], APART)], |v| {
        ops::index_update(&v[0], &v[2], Update::Minimum, &v[1])
    })
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.minimum", &[P(&[4, 3]), P(&[2, 3]), I(&[2], &[1, 1])], |v| {
        ops::index_update(&v[0], &v[2], Update::Minimum, &v[1])
    })
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.minimum", &[P(&[4, 3]), P(&[2, 4]), I(&[2], APART)], |v| {
        ops::index_update(&v[0].t(), &v[2], Update::Minimum, &v[1])
    })
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
    row("at.minimum", &[P(&[4, 3]), P(&[]), I(&[2], APART)], |v| {
        ops::index_update(&v[0], (&v[2], 1..), Update::Minimum, &v[1])
    })
    .wrong(&[Wrong { by: 1, gradient: &[0.0] }])
    .no_jvp(SCATTER)
    .wrong_vmap(&["last"]),
];
