//! Calls of mlx-c's linear algebra.
//!
//! Not here: the options as users write them (mlx-ops).

use super::call::{node, nodes, pair};
use crate::{Axes, Dtype, Error, ErrorKind, Result, Tensor, guard, shape};
use mlx_link as sys;
use std::ffi::CStr;

/// `Err` for matrices without elements: MLX divides by their size.
fn filled(op: &'static str, x: &Tensor) -> Result<()> {
    match x.shape() {
        [.., rows, columns] if *rows == 0 || *columns == 0 => {
            let message =
                format!("[linalg::{op}] The matrices have no elements: they are {rows} x {columns}.");
            Err(Error::new(ErrorKind::Shape, op, message).with_operands(&[x.into()]))
        }
        _ => Ok(()),
    }
}

/// `Err` for the square matrices without elements; others MLX refuses in its own words.
fn filled_square(op: &'static str, x: &Tensor) -> Result<()> {
    if x.shape().ends_with(&[0, 0]) { filled(op, x) } else { Ok(()) }
}

/// `Err` for more elements than can be addressed in what MLX computes on the way, which only views can ask for: `x` in
/// 8 bytes, or its matrices made square by their longer side, as their singular vectors are.
fn fits(op: &'static str, x: &Tensor, squared: bool) -> Result<()> {
    let mut sizes = shape::Shape::from_slice(x.shape());
    if let (true, [.., rows, columns]) = (squared, &mut sizes[..]) {
        *rows = *rows.max(columns);
        *columns = *rows;
    }
    shape::check_size(op, &sizes, Dtype::Complex64)
}

/// `Err` for matrices of more elements than `i32` counts: MLX divides by that number, which wraps around to others, and to
/// 0; of several with singular vectors, for longer sides than such a matrix may have.
pub(super) fn countable(op: &'static str, x: &Tensor) -> Result<()> {
    let [batch @ .., rows, columns] = x.shape() else { return Ok(()) };
    let [rows, columns] = [*rows, *columns].map(i64::from);
    let side = rows.max(columns);
    let wide = matches!(op, "svd" | "pinv") && !batch.is_empty() && side * side > i64::from(i32::MAX);
    if rows * columns <= i64::from(i32::MAX) && !wide {
        return Ok(());
    }
    let message = format!("[linalg::{op}] Matrices of {rows} x {columns} are beyond 32 bits.");
    Err(Error::new(ErrorKind::Shape, op, message).with_operands(&[x.into()]))
}

/// `mx.linalg.eigvals`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn eigvals(x: &Tensor) -> Result<Tensor> {
    countable("eigvals", x)?;
    node!("eigvals", sys::mlx_linalg_eigvals, tensor x)
}

/// `mx.linalg.det`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn det(x: &Tensor) -> Result<Tensor> {
    countable("det", x)?;
    fits("det", x, false)?;
    node!("det", sys::mlx_linalg_det, tensor x)
}

/// `mx.linalg.pinv`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn pinv(x: &Tensor) -> Result<Tensor> {
    countable("pinv", x)?;
    fits("pinv", x, true)?;
    node!("pinv", sys::mlx_linalg_pinv, tensor x)
}

/// `mx.linalg.inv`
///
/// # Errors
/// What MLX refuses; matrices without elements.
#[track_caller]
pub fn inv(x: &Tensor) -> Result<Tensor> {
    countable("inv", x)?;
    filled_square("inv", x)?;
    node!("inv", sys::mlx_linalg_inv, tensor x)
}

/// `mx.linalg.cholesky(x, upper)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn cholesky(x: &Tensor, upper: bool) -> Result<Tensor> {
    countable("cholesky", x)?;
    node!("cholesky", sys::mlx_linalg_cholesky, tensor x, value upper)
}

/// `mx.linalg.cholesky_inv(x, upper)`
///
/// # Errors
/// What MLX refuses; matrices without elements.
#[track_caller]
pub fn cholesky_inv(x: &Tensor, upper: bool) -> Result<Tensor> {
    countable("cholesky_inv", x)?;
    filled_square("cholesky_inv", x)?;
    node!("cholesky_inv", sys::mlx_linalg_cholesky_inv, tensor x, value upper)
}

/// `mx.linalg.tri_inv(x, upper)`
///
/// # Errors
/// What MLX refuses; matrices without elements.
#[track_caller]
pub fn tri_inv(x: &Tensor, upper: bool) -> Result<Tensor> {
    countable("tri_inv", x)?;
    filled_square("tri_inv", x)?;
    node!("tri_inv", sys::mlx_linalg_tri_inv, tensor x, value upper)
}

/// `solved`, unless `a` for each of its columns takes more than can be addressed: MLX repeats it for a batch.
fn repeatable(op: &'static str, a: &Tensor, solved: Tensor) -> Result<Tensor> {
    let rows = a.shape().last().copied().unwrap_or(1);
    shape::check_size(op, &[solved.shape(), &[rows]].concat(), Dtype::Float64).map(|()| solved)
}

/// `mx.linalg.solve(a, b)`
///
/// # Errors
/// What MLX refuses; matrices without elements.
#[track_caller]
pub fn solve(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    countable("solve", a)?;
    filled_square("solve", a)?;
    let solve = |a: &Tensor, b: &Tensor| node!("solve", sys::mlx_linalg_solve, tensor a, tensor b);
    if is_line(a) && (1..=2).contains(&b.ndim()) {
        let solved = solve(&super::expand_dims(a, &[0])?, &super::expand_dims(b, &[0])?)?;
        return repeatable("solve", a, super::squeeze_axes(&solved, &[0])?);
    }
    repeatable("solve", a, solve(a, b)?)
}

/// `mx.linalg.solve_triangular(a, b, upper)`
///
/// # Errors
/// What MLX refuses; matrices without elements.
#[track_caller]
pub fn solve_triangular(a: &Tensor, b: &Tensor, upper: bool) -> Result<Tensor> {
    countable("solve_triangular", a)?;
    filled_square("solve_triangular", a)?;
    let solved =
        node!("solve_triangular", sys::mlx_linalg_solve_triangular, tensor a, tensor b, value upper)?;
    repeatable("solve_triangular", a, solved)
}

/// `mx.linalg.cross(a, b, axis)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn cross(a: &Tensor, b: &Tensor, axis: i32) -> Result<Tensor> {
    let (a, b) = (&*guard::splittable(a, axis)?, &*guard::splittable(b, axis)?);
    node!("cross", sys::mlx_linalg_cross, tensor a, tensor b, value axis)
}

/// `mx.linalg.eig(x)`: values and vectors.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn eig(x: &Tensor) -> Result<[Tensor; 2]> {
    countable("eig", x)?;
    pair!("eig", sys::mlx_linalg_eig, tensor x)
}

fn triangle(upper: bool) -> &'static CStr {
    if upper { c"U" } else { c"L" }
}

/// `mx.linalg.eigh(x, UPLO)`: values and vectors.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn eigh(x: &Tensor, upper: bool) -> Result<[Tensor; 2]> {
    countable("eigh", x)?;
    pair!("eigh", sys::mlx_linalg_eigh, tensor x, text triangle(upper))
}

/// `mx.linalg.eigvalsh(x, UPLO)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn eigvalsh(x: &Tensor, upper: bool) -> Result<Tensor> {
    countable("eigvalsh", x)?;
    node!("eigvalsh", sys::mlx_linalg_eigvalsh, tensor x, text triangle(upper))
}

/// `mx.linalg.lu(x)`: the permutation, the lower and the upper factor.
///
/// # Errors
/// What MLX refuses; matrices without elements.
#[track_caller]
pub fn lu(x: &Tensor) -> Result<[Tensor; 3]> {
    countable("lu", x)?;
    filled("lu", x)?;
    let factors = |x: &Tensor| exactly("lu", nodes!("lu", sys::mlx_linalg_lu, tensor x)?);
    if !is_line(x) {
        return factors(x);
    }
    let [p, l, u] = factors(&super::expand_dims(x, &[0])?)?;
    let alone = |x: &Tensor| super::squeeze_axes(x, &[0]);
    Ok([alone(&p)?, alone(&l)?, alone(&u)?])
}

/// Whether `x` is one matrix of one row or column. MLX counts bytes for elements in what its LU gives, and of such a
/// matrix the ops that follow touch so many: as a batch of one it goes by its shape.
fn is_line(x: &Tensor) -> bool {
    !guard::is_off() && x.ndim() == 2 && x.shape().contains(&1)
}

/// `mx.linalg.lu_factor(x)`: both factors in one, and the pivots.
///
/// # Errors
/// What MLX refuses; matrices without elements.
#[track_caller]
pub fn lu_factor(x: &Tensor) -> Result<[Tensor; 2]> {
    countable("lu_factor", x)?;
    filled("lu_factor", x)?;
    let [lu, pivots] = pair!("lu_factor", sys::mlx_linalg_lu_factor, tensor x)?;
    // MLX counts bytes for elements in it: what reads it as one piece reads foreign memory.
    Ok([if guard::is_off() { lu } else { super::contiguous(&lu, false)? }, pivots])
}

/// `mx.linalg.qr(x)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn qr(x: &Tensor) -> Result<[Tensor; 2]> {
    countable("qr", x)?;
    pair!("qr", sys::mlx_linalg_qr, tensor x)
}

/// `mx.linalg.slogdet(x)`: the sign and the logarithm.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn slogdet(x: &Tensor) -> Result<[Tensor; 2]> {
    countable("slogdet", x)?;
    fits("slogdet", x, false)?;
    pair!("slogdet", sys::mlx_linalg_slogdet, tensor x)
}

/// `mx.linalg.svd(x)`: left vectors, values, right vectors.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn svd(x: &Tensor) -> Result<[Tensor; 3]> {
    countable("svd", x)?;
    exactly("svd", nodes!("svd", sys::mlx_linalg_svd, tensor x, value true)?)
}

/// `mx.linalg.svd(x, compute_uv=False)`: the values.
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn svdvals(x: &Tensor) -> Result<Tensor> {
    countable("svdvals", x)?;
    let [values] = exactly("svd", nodes!("svd", sys::mlx_linalg_svd, tensor x, value false)?)?;
    Ok(values)
}

/// As many tensors as there must be.
fn exactly<const N: usize>(op: &'static str, nodes: Vec<Tensor>) -> Result<[Tensor; N]> {
    <[Tensor; N]>::try_from(nodes)
        .map_err(|nodes| Error::new(ErrorKind::Mlx, op, format!("MLX gave {} tensors, not {N}", nodes.len())))
}

/// The orders of norms, in mlx-c's terms.
#[derive(Clone, Copy)]
pub enum Order {
    /// Python's None.
    None,
    /// A number.
    Number(f64),
    /// A name.
    Name(&'static CStr),
}

/// [`countable`] of the matrices along two axes.
fn countable_along(x: &Tensor, axes: &Axes) -> Result<()> {
    let ndim = x.ndim() as i32;
    let all: Vec<i32> = (0..ndim).collect();
    let size = |&axis: &i32| {
        let at = usize::try_from(if axis < 0 { axis.saturating_add(ndim) } else { axis }).ok()?;
        x.shape().get(at).copied().map(i64::from)
    };
    match axes.list().unwrap_or(&all).iter().map(size).collect::<Option<Vec<i64>>>().as_deref() {
        Some(&[rows, columns]) if rows * columns > i64::from(i32::MAX) => {
            let message = format!("[linalg::norm] Matrices of {rows} x {columns} are beyond 32 bits.");
            Err(Error::new(ErrorKind::Shape, "norm", message).with_operands(&[x.into()]))
        }
        _ => Ok(()),
    }
}

/// `mx.linalg.norm(x, ord, axis, keepdims)`
///
/// # Errors
/// What MLX refuses.
#[track_caller]
pub fn norm(x: &Tensor, order: Order, axes: &Axes) -> Result<Tensor> {
    let singular = matches!(order, Order::Number(2.0 | -2.0) | Order::Name(_));
    fits("norm", x, singular)?;
    if singular && x.size() > i32::MAX as usize {
        countable_along(x, axes)?;
    }
    let x = &*guard::reducible(x)?;
    // A null list means all axes to mlx-c.
    let (list, length) = axes.list().map_or((std::ptr::null(), 0), |list| (list.as_ptr(), list.len()));
    let keep = axes.keeps();
    match order {
        Order::None => {
            node!("norm", sys::mlx_linalg_norm_l2, tensor x, value list, value length, value keep)
        }
        Order::Number(number) => node!(
            "norm", sys::mlx_linalg_norm, tensor x, value number, value list, value length, value keep
        ),
        Order::Name(name) => node!(
            "norm", sys::mlx_linalg_norm_matrix, tensor x, text name, value list, value length, value keep
        ),
    }
}
