// Products for Python in mode `blas`: one row or one column is a matrix times a vector, as on our side, but said in Fortran's
// terms and not by our forwarders, so that a mistake of theirs shows. The other routines are jumps (xtask/src/parity/blas.rs).
#include <complex>

template <typename T>
using Gemv = void(const char*, const int*, const int*, const T*, const T*, const int*, const T*, const int*, const T*, T*, const int*);

// By columns, a row-major matrix is its transpose. So what lies as [rows, columns] is a Fortran matrix of `columns` rows,
// which Fortran takes as it is, "N", to multiply from the other side.
template <typename T>
static bool one_row_or_column(
    Gemv<T> gemv, int order, int ta, int tb, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta,
    T* c, int ldc) {
  const int one = 1;
  const bool a_plain = ta == 111, b_plain = tb == 111;
  if (order != 101 || k < 1 || (m != 1 && n != 1)) {
    return false;
  }
  if (n == 1) {
    gemv(
        a_plain ? "T" : "N", a_plain ? &k : &m, a_plain ? &m : &k, &alpha, a, &lda, b, b_plain ? &ldb : &one, &beta, c,
        &ldc);
  } else {
    gemv(
        b_plain ? "N" : "T", b_plain ? &n : &k, b_plain ? &k : &n, &alpha, b, &ldb, a, a_plain ? &one : &lda, &beta, c,
        &one);
  }
  return true;
}

extern "C" {

#define REAL(p, T)                                                                                                     \
  Gemv<T> scipy_##p##gemv_;                                                                                            \
  void scipy_cblas_##p##gemm(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);               \
  void cblas_##p##gemm(                                                                                                \
      int order, int ta, int tb, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c, \
      int ldc) {                                                                                                       \
    if (!one_row_or_column(scipy_##p##gemv_, order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)) {           \
      scipy_cblas_##p##gemm(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                              \
    }                                                                                                                  \
  }

REAL(s, float)
REAL(d, double)

using Complex = std::complex<float>;
Gemv<Complex> scipy_cgemv_;
void scipy_cblas_cgemm(
    int, int, int, int, int, int, const Complex*, const Complex*, int, const Complex*, int, const Complex*, Complex*, int);
void cblas_cgemm(
    int order, int ta, int tb, int m, int n, int k, const Complex* alpha, const Complex* a, int lda, const Complex* b,
    int ldb, const Complex* beta, Complex* c, int ldc) {
  if (!one_row_or_column(scipy_cgemv_, order, ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc)) {
    scipy_cblas_cgemm(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  }
}

} // extern "C"
