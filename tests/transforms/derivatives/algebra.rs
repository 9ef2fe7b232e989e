//! Linear algebra and Fourier transforms.

use super::row::{C, N, Row, Wrong, row, rows};
use mlx::{
    Dtype, Result, Tensor, fft, linalg,
    linalg::{Norm, Triangle},
    ops,
};

/// A symmetric matrix with eigenvalues from 2 on, made of any square one.
fn definite(a: &Tensor) -> Result<Tensor> {
    let size = a.shape()[a.ndim() - 1];
    Ok(ops::matmul(a, &ops::matrix_transpose(a, ..)?)? + ops::eye(size, size, 0, a.dtype())? * 2.0)
}

pub(crate) const LINEAR: &[Row] = &[
    row("linalg.inv", &[N(&[3, 3])], |v| linalg::inv(&definite(&v[0])?))
        .no_gradient("Not implemented for Inverse"),
    row("linalg.tri_inv", &[N(&[3, 3])], |v| linalg::tri_inv(&definite(&v[0])?, Triangle::Lower))
        .no_gradient("Not implemented for Inverse")
        .wrong_vmap(&["first", "last"]),
    row("linalg.pinv", &[N(&[3, 2])], |v| linalg::pinv(&v[0])).no_gradient("Not implemented for SVD"),
    row("linalg.cholesky", &[N(&[3, 3])], |v| linalg::cholesky(&definite(&v[0])?, Triangle::Lower))
        .no_gradient("Not implemented for Cholesky"),
    row("linalg.cholesky_inv", &[N(&[3, 3])], |v| {
        linalg::cholesky_inv(&ops::tril(&definite(&v[0])?, 0)?, Triangle::Lower)
    })
    .no_gradient("Not implemented for Inverse"),
    row("linalg.det", &[N(&[3, 3])], |v| linalg::det(&definite(&v[0])?)),
    row("linalg.det", &[N(&[2, 2])], |v| linalg::det(&v[0])),
    rows("linalg.slogdet", &[N(&[3, 3])], |v| linalg::slogdet(&definite(&v[0])?).map(|(s, l)| vec![s, l])),
    rows("linalg.qr", &[N(&[3, 3])], |v| linalg::qr(&v[0]).map(|(q, r)| vec![q, r]))
        .no_gradient("Not implemented for QRF")
        .no_vmap(&[("*", "Not implemented for QRF")]),
    rows("linalg.svd", &[N(&[3, 2])], |v| linalg::svd(&v[0]).map(|(u, s, vt)| vec![u, s, vt]))
        .no_gradient("Not implemented for SVD"),
    row("linalg::svdvals", &[N(&[3, 2])], |v| linalg::svdvals(&v[0])).no_gradient("Not implemented for SVD"),
    rows("linalg.lu", &[N(&[3, 3])], |v| linalg::lu(&v[0]).map(|(p, l, u)| vec![p, l, u]))
        .no_gradient("Not implemented for LUF")
        .no_vmap(&[("*", "Not implemented for LUF")]),
    rows("linalg.lu_factor", &[N(&[3, 3])], |v| linalg::lu_factor(&v[0]).map(|(lu, p)| vec![lu, p]))
        .no_gradient("Not implemented for LUF")
        .no_vmap(&[("*", "Not implemented for LUF")]),
    row("linalg.solve", &[N(&[3, 3]), N(&[3, 2])], |v| linalg::solve(&definite(&v[0])?, &v[1]))
        .no_vjp("Cannot calculate VJP with respect to indices")
        .no_jvp("Not implemented for LUF")
        .no_vmap(&[("first last 0", "Not implemented for LUF")]),
    row("linalg.solve_triangular", &[N(&[3, 3]), N(&[3, 2])], |v| {
        linalg::solve_triangular(&ops::tril(&definite(&v[0])?, 0)?, &v[1], Triangle::Lower)
    })
    .no_gradient("Not implemented for Inverse"),
    rows("linalg.eigh", &[N(&[3, 3])], |v| {
        linalg::eigh(&definite(&v[0])?, Triangle::Lower).map(|(values, vectors)| vec![values, vectors])
    })
    .no_gradient("Not implemented for Eigh"),
    row("linalg.eigvalsh", &[N(&[3, 3])], |v| linalg::eigvalsh(&definite(&v[0])?, Triangle::Lower))
        .no_gradient("Not implemented for Eigh"),
    rows("linalg.eig", &[N(&[3, 3])], |v| linalg::eig(&v[0]).map(|(values, vectors)| vec![values, vectors]))
        .no_gradient("Not implemented for Eig"),
    row("linalg.eigvals", &[N(&[3, 3])], |v| linalg::eigvals(&v[0])).no_gradient("Not implemented for Eig"),
    row("linalg.cross", &[N(&[2, 3]), N(&[3])], |v| linalg::cross(&v[0], &v[1], -1)),
    row("linalg.cross", &[N(&[2, 2]), N(&[2])], |v| linalg::cross(&v[0], &v[1], -1)),
    row("linalg.norm", &[N(&[2, 3])], |v| linalg::norm(&v[0], Norm::Euclidean, ..)),
    row("linalg.norm", &[N(&[2, 3])], |v| linalg::norm(&v[0], 1.0, 0)),
    row("linalg.norm", &[N(&[2, 3])], |v| linalg::norm(&v[0], 2.0, 1)),
    row("linalg.norm", &[N(&[2, 3])], |v| linalg::norm(&v[0], 3.0, 1)),
    row("linalg.norm", &[N(&[2, 3])], |v| linalg::norm(&v[0], f64::INFINITY, 1)),
    row("linalg.norm", &[N(&[2, 3])], |v| linalg::norm(&v[0], 0.0, 1)),
    row("linalg.norm", &[N(&[2, 3])], |v| linalg::norm(&v[0], 1.0, [0, 1])),
    row("linalg.norm", &[N(&[2, 3])], |v| linalg::norm(&v[0], Norm::Nuclear, [0, 1]))
        .no_gradient("Not implemented for SVD"),
    row("linalg.norm", &[N(&[2, 3])], |v| linalg::norm(&v[0], 2.0, [0, 1]))
        .no_gradient("Not implemented for SVD"),
    row("mx.matrix_norm linalg.norm", &[N(&[2, 3])], |v| linalg::norm(&v[0], Norm::Frobenius, [0, 1])),
];

pub(crate) const FOURIER: &[Row] = &[
    row("fft.fft", &[N(&[2, 6])], |v| fft::fft(&v[0], -1)).single(),
    row("fft.fft", &[C(&[2, 3])], |v| fft::fft(&v[0], -1)).single(),
    row("fft.fft", &[C(&[5, 2])], |v| fft::fft(&v[0], fft::Fft::over(0).n(4).norm(fft::Norm::Ortho)))
        .single(),
    row("fft.ifft", &[C(&[2, 3])], |v| fft::ifft(&v[0], -1)).single(),
    row("fft.ifft", &[C(&[2, 3])], |v| fft::ifft(&v[0], fft::Fft::over(-1).n(5).norm(fft::Norm::Forward)))
        .single(),
    row("fft.rfft", &[N(&[2, 6])], |v| fft::rfft(&v[0], -1)).single(),
    row("fft.rfft", &[N(&[2, 5])], |v| fft::rfft(&v[0], -1)).single(),
    row("fft.irfft", &[C(&[2, 4])], |v| fft::irfft(&v[0], -1)).single(),
    row("fft.irfft", &[C(&[2, 4])], |v| fft::irfft(&v[0], fft::Fft::over(-1).n(5)))
        .single()
        .wrong_product(-0.396_193)
        .wrong_vmap(&["first", "last"]),
    row("fft.fft2", &[C(&[3, 2])], |v| fft::fft2(&v[0], ..)).single(),
    row("fft.ifft2", &[C(&[3, 2])], |v| fft::ifft2(&v[0], ..)).single(),
    row("fft.fftn", &[C(&[2, 3, 2])], |v| fft::fftn(&v[0], ..)).single(),
    row("fft.ifftn", &[C(&[2, 3, 2])], |v| fft::ifftn(&v[0], ..)).single(),
    row("fft.rfft2", &[N(&[3, 4])], |v| fft::rfft2(&v[0], ..)).single(),
    row("fft.rfftn", &[N(&[3, 4])], |v| fft::rfftn(&v[0], ..)).single(),
    row("fft.irfft2", &[C(&[3, 3])], |v| fft::irfft2(&v[0], ..)).single(),
    row("fft.irfftn", &[C(&[3, 3])], |v| fft::irfftn(&v[0], ..)).single(),
    row("fft.fftshift", &[N(&[2, 3])], |v| fft::fftshift(&v[0], ..)),
    row("fft.ifftshift", &[N(&[2, 3])], |v| fft::ifftshift(&v[0], ..)),
];

/// Of complex numbers.
pub(crate) const COMPLEX: &[Row] = &[
    row("mx.abs", &[C(&[2, 3])], |v| ops::abs(&v[0])).single(),
    row("mx.negative", &[C(&[2, 3])], |v| ops::negative(&v[0])).single(),
    row("mx.square", &[C(&[2, 3])], |v| ops::square(&v[0])).single(),
    row("mx.sin", &[C(&[2, 3])], |v| ops::sin(&v[0])).single(),
    row("mx.cos", &[C(&[2, 3])], |v| ops::cos(&v[0])).single().plain(),
    row("mx.tanh", &[C(&[2, 3])], |v| ops::tanh(&v[0])).single().within(1e-3),
    row("mx.exp", &[C(&[2, 3])], |v| ops::exp(&v[0])).single(),
    row("mx.conjugate", &[C(&[2, 3])], |v| ops::conjugate(&v[0])).single(),
    row("mx.cosh", &[C(&[2, 3])], |v| ops::cosh(&v[0])).single(),
    row("mx.sinh", &[C(&[2, 3])], |v| ops::sinh(&v[0])).single(),
    row("mx.tan", &[C(&[2, 3])], |v| ops::tan(&v[0])).single(),
    row("mx.real", &[C(&[2, 3])], |v| ops::real(&v[0])).single(),
    row("mx.imag", &[C(&[2, 3])], |v| ops::imag(&v[0])).single(),
    row("mx.sign", &[C(&[2, 3])], |v| ops::sign(&v[0]))
        .single()
        .wrong(&[Wrong { by: 0, gradient: &[0.0; 12] }])
        .wrong_product(0.0),
    row("mx.log", &[C(&[2, 3])], |v| ops::log(&v[0])).single(),
    row("mx.sqrt", &[C(&[2, 3])], |v| ops::sqrt(&v[0])).single().plain(),
    row("mx.reciprocal", &[C(&[2, 3])], |v| ops::reciprocal(&v[0])).single(),
    row("mx.arctan", &[C(&[2, 3])], |v| ops::arctan(&v[0])).single().plain(),
    row("mx.arcsinh", &[C(&[2, 3])], |v| ops::arcsinh(&v[0])).single().plain(),
    row("mx.log1p", &[C(&[2, 3])], |v| ops::log1p(&v[0])).single(),
    row("mx.arcsin", &[C(&[2, 3])], |v| ops::arcsin(&v[0])).single().plain(),
    row("mx.log2", &[C(&[2, 3])], |v| ops::log2(&v[0])).single(),
    row("mx.log10", &[C(&[2, 3])], |v| ops::log10(&v[0])).single(),
    row("mx.rsqrt", &[C(&[2, 3])], |v| ops::rsqrt(&v[0])).single().plain(),
    row("mx.arccos", &[C(&[2, 3])], |v| ops::arccos(&v[0])).single().plain(),
    // A root on the other branch where the real part is negative.
    row("mx.arccosh", &[C(&[2, 3])], |v| ops::arccosh(&v[0]))
        .single()
        .plain()
        .wrong(&[Wrong {
            by: 0,
            gradient: &[
                0.313_286, -0.210_661, 0.419_065, -0.685_123, 0.067_806, 0.552_813, 0.441_704, -0.066_602,
                -0.199_394, 0.096_599, -0.243_659, -0.230_199,
            ],
        }])
        .wrong_product(-0.960_633),
    row("mx.arctanh", &[C(&[2, 3])], |v| ops::arctanh(&v[0])).single().plain(),
    row("mx.add", &[C(&[2, 3]), C(&[3])], |v| ops::add(&v[0], &v[1])).single(),
    row("mx.subtract", &[C(&[2, 3]), C(&[3])], |v| ops::subtract(&v[0], &v[1])).single(),
    row("mx.multiply", &[C(&[2, 3]), C(&[3])], |v| ops::multiply(&v[0], &v[1])).single(),
    row("mx.divide", &[C(&[2, 3]), C(&[3])], |v| ops::divide(&v[0], &v[1])).single(),
    row("mx.power", &[C(&[2, 3]), C(&[3])], |v| ops::power(&v[0], &v[1])).single().plain(),
    row("mx.multiply", &[C(&[2, 3]), N(&[3])], |v| ops::multiply(&v[0], &v[1])).single(),
    row("mx.matmul", &[C(&[2, 3]), C(&[3, 2])], |v| ops::matmul(&v[0], &v[1])).single(),
    row("mx.sum", &[C(&[2, 3])], |v| ops::sum(&v[0], 1)).single(),
    row("mx.prod", &[C(&[2, 3])], |v| ops::prod(&v[0], 1)).single(),
    row("mx.cumsum", &[C(&[2, 3])], |v| ops::cumsum(&v[0], 1)).single(),
    row("mx.astype", &[N(&[2, 3])], |v| ops::astype(&v[0], Dtype::Complex64)).single(),
    row("mx.astype", &[C(&[2, 3])], |v| ops::astype(&v[0], Dtype::Float32)).single(),
];
