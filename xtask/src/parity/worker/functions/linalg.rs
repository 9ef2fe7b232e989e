//! The worker's functions: `mx.linalg`.

use super::{Row, one, several};
use crate::parity::worker::{
    failure::{Failure, Result},
    signature::{Bound, Call},
    value::Value,
};
use mlx_core::Tensor;
use mlx_ops::linalg::{self, Norm, Triangle};

/// What `mlx.core` has of it.
pub(super) const ALIASES: &[Row] = &[("matrix_norm", |call| one(norm(call)))];

type Pair = (Tensor, Tensor);
type Three = (Tensor, Tensor, Tensor);

/// By Python's name.
pub(super) const ROWS: &[Row] = &[
    ("cholesky", |call| one(triangular(call, "a, upper=", linalg::cholesky))),
    ("cholesky_inv", |call| one(triangular(call, "a, upper=", linalg::cholesky_inv))),
    ("cross", |call| one(cross(call))),
    ("det", |call| one(plain(call, linalg::det))),
    ("eig", |call| pair(plain(call, linalg::eig))),
    ("eigh", |call| pair(half(call, linalg::eigh))),
    ("eigvals", |call| one(plain(call, linalg::eigvals))),
    ("eigvalsh", |call| one(half(call, linalg::eigvalsh))),
    ("inv", |call| one(plain(call, linalg::inv))),
    ("lu", |call| three(plain(call, linalg::lu))),
    ("lu_factor", |call| pair(plain(call, linalg::lu_factor))),
    ("norm", |call| one(norm(call))),
    ("pinv", |call| one(plain(call, linalg::pinv))),
    ("qr", |call| pair(plain(call, linalg::qr))),
    ("slogdet", |call| pair(plain(call, linalg::slogdet))),
    ("solve", |call| one(solve(call))),
    ("solve_triangular", |call| one(solve_triangular(call))),
    ("svd", svd),
    ("tri_inv", |call| one(triangular(call, "a, upper=", linalg::tri_inv))),
];

fn pair(made: Result<Pair>) -> Result<Value> {
    made.map(|(first, second)| several([first, second]))
}

fn three(made: Result<Three>) -> Result<Value> {
    made.map(|(first, second, third)| several([first, second, third]))
}

fn plain<T>(call: &Call, function: fn(&Tensor) -> mlx_core::Result<T>) -> Result<T> {
    Ok(function(call.bind("a")?.tensor(0)?)?)
}

fn triangle(bound: &Bound, i: usize) -> Result<Triangle> {
    Ok(if bound.flag(i)? { Triangle::Upper } else { Triangle::Lower })
}

fn triangular(
    call: &Call,
    signature: &str,
    function: fn(&Tensor, Triangle) -> mlx_core::Result<Tensor>,
) -> Result<Tensor> {
    let bound = call.bind(signature)?;
    Ok(function(bound.tensor(0)?, triangle(&bound, 1)?)?)
}

/// With Python's `UPLO`.
fn half<T>(call: &Call, function: fn(&Tensor, Triangle) -> mlx_core::Result<T>) -> Result<T> {
    let bound = call.bind("a, UPLO=")?;
    // To Python whatever is not "L" is the upper half.
    let triangle = if bound.text(1, "L")? == "L" { Triangle::Lower } else { Triangle::Upper };
    Ok(function(bound.tensor(0)?, triangle)?)
}

fn cross(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, b, axis=")?;
    Ok(linalg::cross(bound.tensor(0)?, bound.tensor(1)?, bound.int(2, -1)?)?)
}

fn solve(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, b")?;
    Ok(linalg::solve(bound.tensor(0)?, bound.tensor(1)?)?)
}

fn solve_triangular(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, b, *, upper=")?;
    Ok(linalg::solve_triangular(bound.tensor(0)?, bound.tensor(1)?, triangle(&bound, 2)?)?)
}

fn svd(call: &Call) -> Result<Value> {
    let bound = call.bind("a, compute_uv=")?;
    if bound.flag_or(1, true)? {
        three(Ok(linalg::svd(bound.tensor(0)?)?))
    } else {
        one(Ok(linalg::svdvals(bound.tensor(0)?)?))
    }
}

fn norm(call: &Call) -> Result<Tensor> {
    let bound = call.bind("a, /, ord=, axis=, keepdims=")?;
    let axes = bound.kept_axes(2)?;
    let count = axes.list().map_or(bound.tensor(0)?.ndim(), <[i32]>::len);
    let kind = match bound.text(1, "") {
        _ if !bound.has(1) => Norm::Euclidean,
        // Two names for one norm, and Python's error has the name.
        Ok("f") if count == 2 => Norm::Frobenius,
        Ok("fro") => Norm::Frobenius,
        Ok("nuc") => Norm::Nuclear,
        Ok(other) => {
            let why = if count == 2 {
                format!("Invalid ord value '{other}' for matrix norm.")
            } else {
                format!("Norm '{other}' only supported for matrices, but received {count} axis/axes.")
            };
            return Err(Failure::raised("ValueError", format!("[linalg::norm] {why}")));
        }
        Err(_) => Norm::Order(bound.double(1, 0.0)?),
    };
    Ok(linalg::norm(bound.tensor(0)?, kind, axes)?)
}
