//! MLX's transforms of a closure that it calls once: gradients, products with Jacobians, vectorisation.
//!
//! Not here: how MLX calls back (`closure`); trees, axes and what they must be (`crate::transforms`).

use super::{
    call::call,
    closure::{once, transform, vector, vectors},
    vector::Vector,
    view::meets_placeholder,
};
use crate::{
    Error, Result, Tensor,
    guard::{self, Inside},
};
use mlx_link as sys;

type Pair = (Vec<Tensor>, Vec<Tensor>);

/// What `f` gives at `inputs`, and the gradients of its first output; `argnums` ascend.
pub(crate) fn value_and_grad<E: From<Error> + 'static>(
    op: &'static str,
    f: impl FnOnce(Vec<Tensor>) -> Result<Vec<Tensor>, E>,
    argnums: &[i32],
    inputs: &[Tensor],
) -> Result<Pair, E> {
    let f = |inputs| guard::enter(Inside::Gradient, || f(inputs));
    transform(op, &mut once(f), |guard, closure| {
        let mut gradient = sys::mlx_closure_value_and_grad { ctx: std::ptr::null_mut() };
        let result = vectors(op, guard, |values, gradients| {
            match call!(sys::mlx_value_and_grad, out gradient, value closure, list argnums) {
                0 => call!(
                    sys::mlx_closure_value_and_grad_apply,
                    value values, value gradients, value gradient, vector inputs
                ),
                failed => failed,
            }
        });
        call!(sys::mlx_closure_value_and_grad_free, value gradient);
        result
    })
}

/// What `f` gives at `primals`, and the product of `cotangents` with its Jacobian.
pub(crate) fn vjp<E: From<Error> + 'static>(
    f: impl FnOnce(Vec<Tensor>) -> Result<Vec<Tensor>, E>,
    primals: &[Tensor],
    cotangents: &[Tensor],
) -> Result<Pair, E> {
    let f = |inputs| guard::enter(Inside::Gradient, || f(inputs));
    transform("vjp", &mut once(f), |guard, closure| {
        vectors("vjp", guard, |values, products| {
            call!(
                sys::mlx_vjp,
                value values, value products, value closure, vector primals, vector cotangents
            )
        })
    })
}

/// What `f` gives at `primals`, and the product of its Jacobian with `tangents`.
pub(crate) fn jvp<E: From<Error> + 'static>(
    f: impl FnOnce(Vec<Tensor>) -> Result<Vec<Tensor>, E>,
    primals: &[Tensor],
    tangents: &[Tensor],
) -> Result<Pair, E> {
    transform("jvp", &mut once(f), |guard, closure| {
        vectors(
            "jvp",
            guard,
            |values, products| call!(sys::mlx_jvp, value values, value products, value closure, vector primals, vector tangents),
        )
    })
}

/// `f` over the axes `in_axes` of `inputs` at once, -1 for those that stay whole. `out_axes` is asked for the axes of the
/// outputs when they are known, likewise, and answers with as many.
pub(crate) fn vmap<E: From<Error> + 'static>(
    f: impl FnOnce(Vec<Tensor>) -> Result<Vec<Tensor>, E>,
    inputs: &[Tensor],
    in_axes: &[i32],
    out_axes: impl FnOnce(&[Tensor]) -> Result<Vec<i32>>,
) -> Result<Vec<Tensor>, E> {
    let f = |inputs| guard::enter(Inside::Vmap, || f(inputs));
    transform("vmap", &mut once(f), |guard, closure| {
        let (traced, met_placeholder) = meets_placeholder(|| {
            vectors("vmap", guard, |traced, outputs| {
                call!(
                    sys::mlx_detail_vmap_trace,
                    value traced, value outputs, value closure, vector inputs, list in_axes
                )
            })
        });
        let (traced, outputs) = traced?;
        let out_axes = out_axes(&outputs)?;
        assert_eq!(out_axes.len(), outputs.len(), "MLX reads an axis for each output");
        let inputs = if met_placeholder { orderly(inputs)? } else { inputs.to_vec() };
        vector("vmap", guard, |out| {
            let (traced, outputs) = (Vector::of(&traced), Vector::of(&outputs));
            call!(
                sys::mlx_detail_vmap_replace,
                value out, vector (&inputs), value traced.raw(), value outputs.raw(), list in_axes, list out_axes
            )
        })
    })
}

/// What comes in the place of placeholders that were taken for tensors in order.
fn orderly(inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    inputs.iter().map(|x| Ok(guard::orderly(x)?.into_owned())).collect()
}
