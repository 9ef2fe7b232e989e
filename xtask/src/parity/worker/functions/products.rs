//! The worker's functions: products of matrices and tensors.

use super::{Row, one};
use crate::parity::worker::{
    failure::{Failure, Result, ill_formed, unsupported},
    signature::{Bound, Call},
    value::Value,
};
use mlx_core::Tensor;
use mlx_ops::BlockMasks;

/// By Python's name.
pub(super) const ROWS: &[Row] = &[
    ("addmm", |call| one(addmm(call))),
    ("block_masked_mm", |call| one(block_masked_mm(call))),
    ("einsum", |call| one(einsum(call))),
    ("einsum_path", einsum_path),
    ("gather_mm", |call| one(gather_mm(call))),
    ("inner", |call| one(of_two(call, "a, b, /", mlx_ops::inner))),
    ("kron", |call| one(of_two(call, "a, b", mlx_ops::kron))),
    ("matmul", |call| one(of_two(call, "a, b, /", mlx_ops::matmul))),
    ("outer", |call| one(of_two(call, "a, b, /", mlx_ops::outer))),
    ("segmented_mm", |call| one(segmented_mm(call))),
    ("tensordot", |call| one(tensordot(call))),
    ("vecdot", |call| one(vecdot(call))),
];

fn of_two(
    call: &Call,
    signature: &str,
    function: fn(&Tensor, &Tensor) -> mlx_core::Result<Tensor>,
) -> Result<Tensor> {
    let bound = call.bind(signature)?;
    Ok(function(bound.tensor(0)?, bound.tensor(1)?)?)
}

fn addmm(call: &Call) -> Result<Tensor> {
    let bound = call.bind("c, a, b, /, alpha=, beta=")?;
    let (alpha, beta) = (bound.float(3, 1.0)?, bound.float(4, 1.0)?);
    Ok(mlx_ops::addmm(bound.tensor(0)?, bound.tensor(1)?, bound.tensor(2)?, alpha, beta)?)
}

fn vecdot(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, b, /, *, axis=")?;
    Ok(mlx_ops::vecdot(bound.tensor(0)?, bound.tensor(1)?, bound.int(2, -1)?)?)
}

fn tensordot(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, b, /, axes=")?;
    let (a, b) = (bound.tensor(0)?, bound.tensor(1)?);
    match (bound.list_pair(2)?, bound.is_list(2)) {
        (Some(axes), _) => Ok({
            let [of_a, of_b] = axes;
            mlx_ops::tensordot(a, b, (of_a, of_b))?
        }),
        // In Rust the pair is a type.
        (None, true) => Err(Failure::raised("ValueError", "[tensordot] axes must be a list of two lists.")),
        (None, false) => Ok(mlx_ops::tensordot(a, b, bound.int(2, 2)?)?),
    }
}

fn block_masked_mm(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, b, /, block_size=, mask_out=, mask_lhs=, mask_rhs=")?;
    let mut masks = BlockMasks::new().size(bound.int(2, 64)?);
    if let Some(mask) = bound.optional_tensor(3)? {
        masks = masks.out(mask);
    }
    if let Some(mask) = bound.optional_tensor(4)? {
        masks = masks.lhs(mask);
    }
    if let Some(mask) = bound.optional_tensor(5)? {
        masks = masks.rhs(mask);
    }
    Ok(mlx_ops::block_masked_mm(bound.tensor(0)?, bound.tensor(1)?, masks)?)
}

fn gather_mm(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, b, /, lhs_indices=, rhs_indices=, *, sorted_indices=")?;
    let (a, b, sorted) = (bound.tensor(0)?, bound.tensor(1)?, bound.flag(4)?);
    let found = match (bound.optional_tensor(2)?, bound.optional_tensor(3)?, sorted) {
        (Some(left), Some(right), false) => mlx_ops::gather_mm(a, b, left, right),
        (Some(left), None, false) => mlx_ops::gather_mm(a, b, left, ..),
        (None, Some(right), false) => mlx_ops::gather_mm(a, b, .., right),
        (None, None, false) => mlx_ops::gather_mm(a, b, .., ..),
        (Some(left), Some(right), true) => mlx_ops::gather_mm_sorted(a, b, left, right),
        (Some(left), None, true) => mlx_ops::gather_mm_sorted(a, b, left, ..),
        (None, Some(right), true) => mlx_ops::gather_mm_sorted(a, b, .., right),
        (None, None, true) => mlx_ops::gather_mm_sorted(a, b, .., ..),
    };
    Ok(found?)
}

fn segmented_mm(call: &Call) -> Result<Tensor> {
    let bound: Bound = call.bind("a, b, /, segments")?;
    Ok(mlx_ops::segmented_mm(bound.tensor(0)?, bound.tensor(1)?, bound.tensor(2)?)?)
}

fn einsum(call: &Call) -> Result<Tensor> {
    let (subscripts, operands) = subscripts(call)?;
    Ok(mlx_ops::einsum(subscripts, operands)?)
}

/// The steps and the text.
fn einsum_path(call: &Call) -> Result<Value> {
    let (subscripts, operands) = subscripts(call)?;
    let path = mlx_ops::einsum_path(subscripts, operands)?;
    let step =
        |step: &Vec<usize>| Value::List(step.iter().map(|&position| Value::Int(position as i128)).collect());
    Ok(Value::List(vec![Value::List(path.steps.iter().map(step).collect()), Value::Text(path.to_string())]))
}

/// The subscripts, and any number of operands.
fn subscripts(call: &Call) -> Result<(&str, Vec<&Tensor>)> {
    if !call.kw.is_empty() {
        return unsupported(format!("keywords of {}", call.op));
    }
    let Some((Value::Text(subscripts), operands)) = call.args.split_first() else {
        return ill_formed(format!("{} needs subscripts", call.op));
    };
    let operands = operands.iter().map(|operand| match operand {
        Value::Tensor(tensor) => Ok(tensor),
        _ => ill_formed(format!("{} takes tensors", call.op)),
    });
    Ok((subscripts, operands.collect::<Result<_>>()?))
}
