// Products for Python in mode `blas`: one row or one column is a matrix times a vector, as on our side, but said in Fortran's
// terms and not by our forwarders, so that a mistake of theirs shows. The other routines are jumps (xtask/src/parity/blas.rs).
#include <complex>
#include <type_traits>

template <typename T>
using Gemv = void(const char*, const int*, const int*, const T*, const T*, const int*, const T*, const int*, const T*, T*, const int*);

// Serially, in the same tiles. `lines` are those of memory, `length` elements each: where `dotted`, a result is a line times x.
template <typename T>
static void tiles(
    Gemv<T> gemv, bool dotted, int lines, int length, const T* matrix, int leading, const T* x, int incx, T alpha, T beta, T* y,
    int incy) {
  const bool real = std::is_floating_point_v<T>;
  const int longest = !dotted ? 256 : real ? 1024 : 1023, width = length < longest ? length : longest;
  const int fit = (real ? 9215 : 4095) / width, height = fit - fit % 4;
  const T one = 1;
  for (int line = 0; line < lines; line += height) {
    for (int start = 0; start < length; start += width) {
      const int h = lines - line < height ? lines - line : height, w = length - start < width ? length - start : width;
      const long in = dotted ? start : line, out = dotted ? line : start;
      // A Fortran matrix of `w` rows and `h` columns.
      gemv(
          dotted ? "T" : "N", &w, &h, &alpha, matrix + static_cast<long>(line) * leading + start, &leading, x + in * incx,
          &incx, in == 0 ? &beta : &one, y + out * incy, &incy);
    }
  }
}

template <typename T>
static bool one_row_or_column(
    Gemv<T> gemv, int order, int ta, int tb, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta,
    T* c, int ldc) {
  const bool a_plain = ta == 111, b_plain = tb == 111;
  if (order != 101 || k < 1 || (m != 1 && n != 1)) {
    return false;
  }
  if (n == 1) {
    tiles(gemv, a_plain, a_plain ? m : k, a_plain ? k : m, a, lda, b, b_plain ? ldb : 1, alpha, beta, c, ldc);
  } else {
    tiles(gemv, !b_plain, b_plain ? k : n, b_plain ? n : k, b, ldb, a, a_plain ? 1 : lda, alpha, beta, c, 1);
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
