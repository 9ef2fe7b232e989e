//! Gradients, and products with Jacobians.

use super::{
    Outcome, body, built, rebuilt,
    tree::{self, Tree},
};
use crate::{Error, ErrorKind, OperandRef, Result, Tensor, ffi};

/// The gradient of `f` at `at`: a tree like `at`, each tensor the derivative of `f(at)` with respect to that one.
///
/// `f` returns a 0-d tensor. Gradients have their tensors' shapes and dtypes.
///
/// # Errors
/// What `f` returns; an integer or bool tensor in `at`, or none; a value that is not 0-d; an op without a gradient.
///
/// ```
/// # use mlx_core::{tensor, transforms::grad};
/// # use mlx_ops::ReduceOps;
/// let x = tensor![1.0, 2.0, 3.0];
/// let g = grad(|x| (x * x * x).sum(..), &x)?;
/// assert_eq!(g.to_vec::<f32>()?, [3.0, 12.0, 27.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.grad")]
pub fn grad<A: Tree, R: Outcome<Output = Tensor>>(f: impl FnOnce(&A) -> R, at: &A) -> Result<A, R::Error> {
    of_all("grad", f, at).map(|(_, gradients)| gradients)
}

/// What `f` gives at `at`, and the [gradient](grad) of its first tensor; the others come along as they are.
///
/// # Errors
/// As [`grad`]; a function that gives no tensor.
///
/// ```
/// # use mlx_core::{tensor, transforms::value_and_grad};
/// # use mlx_ops::ReduceOps;
/// let x = tensor![1.0, 2.0];
/// let line = (tensor![3.0], tensor![1.0]);
/// let loss = |(slope, offset): &_| {
///     let y = slope * &x + offset;
///     ((&y * &y).sum(..), y)
/// };
/// let ((loss, y), (slope, offset)) = value_and_grad(loss, &line)?;
/// assert_eq!((loss.item::<f32>()?, y.to_vec::<f32>()?), (65.0, vec![4.0, 7.0]));
/// assert_eq!((slope.item::<f32>()?, offset.item::<f32>()?), (36.0, 22.0));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.value_and_grad")]
pub fn value_and_grad<A: Tree, R: Outcome>(
    f: impl FnOnce(&A) -> R,
    at: &A,
) -> Result<(R::Output, A), R::Error> {
    of_all("value_and_grad", f, at)
}

/// The [gradients](grad) of `f` with respect to the arguments at `argnums`, in that order.
///
/// `args` is an array or a `Vec`. Python gives gradients in the order of the arguments.
///
/// # Errors
/// As [`grad`]; no argnum, a negative one, one beyond the arguments, one twice.
///
/// ```
/// # use mlx_core::{tensor, transforms::grad_argnums};
/// # use mlx_ops::ReduceOps;
/// let g = grad_argnums(|[x, y]| (x * y).sum(..), &[1, 0], &[tensor![2.0], tensor![5.0]])?;
/// assert_eq!((g[0].item::<f32>()?, g[1].item::<f32>()?), (2.0, 5.0));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.grad")]
pub fn grad_argnums<L: Tree + AsRef<[A]>, A: Tree, R: Outcome<Output = Tensor>>(
    f: impl FnOnce(&L) -> R,
    argnums: &[i32],
    args: &L,
) -> Result<Vec<A>, R::Error> {
    of_some("grad", f, argnums, args).map(|(_, gradients)| gradients)
}

/// What `f` gives, and the [gradients](grad) of its first tensor with respect to the arguments at `argnums`, in that order.
///
/// # Errors
/// As [`grad_argnums`]; a function that gives no tensor.
///
/// ```
/// # use mlx_core::{tensor, transforms::value_and_grad_argnums};
/// # use mlx_ops::ReduceOps;
/// let args = [tensor![2.0], tensor![5.0]];
/// let (value, g) = value_and_grad_argnums(|[x, y]| (x * y).sum(..), &[0], &args)?;
/// assert_eq!((value.item::<f32>()?, g[0].item::<f32>()?), (10.0, 5.0));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.value_and_grad")]
pub fn value_and_grad_argnums<L: Tree + AsRef<[A]>, A: Tree, R: Outcome>(
    f: impl FnOnce(&L) -> R,
    argnums: &[i32],
    args: &L,
) -> Result<(R::Output, Vec<A>), R::Error> {
    of_some("value_and_grad", f, argnums, args)
}

fn of_all<A: Tree, R: Outcome>(
    op: &'static str,
    f: impl FnOnce(&A) -> R,
    at: &A,
) -> Result<(R::Output, A), R::Error> {
    let (structure, inputs) = (at.structure(), tree::tensors(at));
    let all: Vec<i32> = (0..inputs.len() as i32).collect();
    let (value, gradients) = differentiated(op, f, &structure, &inputs, &all)?;
    Ok((value, built(&structure, gradients)))
}

fn of_some<L: Tree + AsRef<[A]>, A: Tree, R: Outcome>(
    op: &'static str,
    f: impl FnOnce(&L) -> R,
    argnums: &[i32],
    args: &L,
) -> Result<(R::Output, Vec<A>), R::Error> {
    let (structure, args) = (args.structure(), args.as_ref());
    let wanted = checked(op, argnums, args.len())?;
    let mut inputs: Vec<Tensor> = Vec::new();
    // MLX sorts what it differentiates by, so it is asked in order.
    let mut ascending: Vec<i32> = Vec::new();
    let places: Vec<_> = args
        .iter()
        .enumerate()
        .map(|(i, arg)| {
            let (from, first) = (ascending.len(), inputs.len());
            arg.visit(&mut |leaf| inputs.push(leaf.clone()));
            if wanted.contains(&i) {
                ascending.extend(first as i32..inputs.len() as i32);
            }
            from..ascending.len()
        })
        .collect();
    let (value, gradients) = differentiated(op, f, &structure, &inputs, &ascending)?;
    let of_arg = |&i: &usize| built(&args[i].structure(), gradients[places[i].clone()].to_vec());
    Ok((value, wanted.iter().map(of_arg).collect()))
}

/// The positions of the arguments, refused with Python's words.
fn checked(op: &'static str, argnums: &[i32], count: usize) -> Result<Vec<usize>> {
    let refused = |message: String| Err(Error::new(ErrorKind::Index, op, format!("[{op}] {message}")));
    let mut sorted = argnums.to_vec();
    sorted.sort_unstable();
    let (Some(&first), Some(&last)) = (sorted.first(), sorted.last()) else {
        return refused("Gradient wrt no argument requested".into());
    };
    if first < 0 {
        return refused(format!("Can't compute the gradient of negative argument index {first}"));
    }
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        // Python, too, names the first and not the one that stands twice.
        return refused(format!("Duplicate argument index {first} is not allowed."));
    }
    if last as usize >= count {
        return refused(format!(
            "Can't compute the gradient of argument index {last} because the function is called with only {count} \
             positional arguments."
        ));
    }
    Ok(argnums.iter().map(|&argnum| argnum as usize).collect())
}

fn differentiated<A: Tree, R: Outcome>(
    op: &'static str,
    f: impl FnOnce(&A) -> R,
    structure: &A::Structure,
    inputs: &[Tensor],
    argnums: &[i32],
) -> Result<(R::Output, Vec<Tensor>), R::Error> {
    if argnums.is_empty() {
        return Err(Error::new(ErrorKind::Value, op, "there is no tensor to differentiate by").into());
    }
    for &argnum in argnums {
        let x = &inputs[argnum as usize];
        if !x.dtype().is_inexact() {
            let message = format!("the gradient by a tensor of dtype {} is not defined", x.dtype());
            let error = Error::new(ErrorKind::Dtype, op, message);
            return Err(error.with_operands(&[OperandRef::from(x)]).into());
        }
    }
    let mut seen = None;
    let f = body(f, structure, &mut seen);
    let f = |inputs| -> Result<Vec<Tensor>, R::Error> {
        let outputs = f(inputs)?;
        if outputs.is_empty() {
            let message = "the function gave no tensor, whose gradient was asked for";
            return Err(Error::new(ErrorKind::Value, op, message).into());
        }
        Ok(outputs)
    };
    let (values, gradients) = ffi::transforms::value_and_grad(op, f, argnums, inputs)?;
    Ok((rebuilt::<R::Output>(seen.as_ref(), values), gradients))
}

/// What `f` gives at `primals`, and the product of `cotangents`, a tree like it, with the Jacobian of `f` there: a tree
/// like `primals`.
///
/// Outputs whose gradient is stopped take no cotangent.
///
/// # Errors
/// What `f` returns; cotangents of another number or shape than the outputs'; an op without a gradient.
///
/// ```
/// # use mlx_core::{tensor, transforms::vjp};
/// let x = tensor![1.0, 2.0];
/// let (y, product) = vjp(|x| x * x, &x, &tensor![1.0, 10.0])?;
/// assert_eq!(y.to_vec::<f32>()?, [1.0, 4.0]);
/// assert_eq!(product.to_vec::<f32>()?, [2.0, 40.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.vjp")]
pub fn vjp<A: Tree, R: Outcome, C: Tree>(
    f: impl FnOnce(&A) -> R,
    primals: &A,
    cotangents: &C,
) -> Result<(R::Output, A), R::Error> {
    let (structure, inputs) = (primals.structure(), tree::tensors(primals));
    let cotangents = tree::tensors(cotangents);
    let mut seen = None;
    let f = body(f, &structure, &mut seen);
    let count = cotangents.len();
    let f = |inputs| -> Result<Vec<Tensor>, R::Error> {
        let outputs = f(inputs)?;
        if outputs.len() < count {
            let message =
                format!("the function gave {} tensors, and there are {count} cotangents", outputs.len());
            return Err(Error::new(ErrorKind::Value, "vjp", message).into());
        }
        Ok(outputs)
    };
    let (values, products) = ffi::transforms::vjp(f, &inputs, &cotangents)?;
    Ok((rebuilt::<R::Output>(seen.as_ref(), values), built(&structure, products)))
}

/// What `f` gives at `primals`, and the product of the Jacobian of `f` there with `tangents`, a tree like `primals`.
///
/// # Errors
/// What `f` returns; tangents of another number or shape than the primals'; an op without a derivative forward.
///
/// ```
/// # use mlx_core::{tensor, transforms::jvp};
/// let (y, product) = jvp(|x| x * x, &tensor![1.0, 2.0], &tensor![1.0, 10.0])?;
/// assert_eq!(product.to_vec::<f32>()?, [2.0, 40.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.jvp")]
pub fn jvp<A: Tree, R: Outcome>(
    f: impl FnOnce(&A) -> R,
    primals: &A,
    tangents: &A,
) -> Result<(R::Output, R::Output), R::Error> {
    let (structure, inputs) = (primals.structure(), tree::tensors(primals));
    let mut seen = None;
    let f = body(f, &structure, &mut seen);
    let (values, products) = ffi::transforms::jvp(f, &inputs, &tree::tensors(tangents))?;
    Ok((rebuilt::<R::Output>(seen.as_ref(), values), rebuilt::<R::Output>(seen.as_ref(), products)))
}
