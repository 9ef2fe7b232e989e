// CPU modes: the BLAS and LAPACK routines that MLX calls, answered here and passed on to the library that MLX_CPU
// names. The lookup order of symbols puts this library before MLX's own BLAS.
// Not here: anything for Apple, where Accelerate computes and nothing is to be chosen.
#include "common.h"
#include "gemv.h"

#include <dlfcn.h>
#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#if defined(__APPLE__)

namespace mlxr {
void choose_cpu_mode() {}
} // namespace mlxr

extern "C" {

int mlxr_cpu_mode(mlx_string* mode) {
  return mlxr::guarded([&] { mlx_string_set_(*mode, std::string("stock")); });
}

int mlxr_blas_library(mlx_string* path) {
  return mlxr::guarded([&] { mlx_string_set_(*path, std::string("Accelerate")); });
}

} // extern "C"

#else

// Both libraries call one of these for an argument that cannot be. Netlib's own end the process, with exit code 0, and
// OpenBLAS's returns to a caller that takes stale memory for a result; these make it an error like any other.
extern "C" void xerbla_(const char* routine, const int* argument, size_t length) {
  std::string name(routine, std::min<size_t>(length, 32));
  throw std::invalid_argument("[lapack] argument " + std::to_string(*argument) + " of " + name + " is invalid.");
}

extern "C" void cblas_xerbla(int argument, const char* routine, const char*, ...) {
  throw std::invalid_argument("[blas] argument " + std::to_string(argument) + " of " + routine + " is invalid.");
}

namespace mlxr {
namespace {

enum class Mode { stock, blas, fast };

Mode mode_named(const char* name) {
  std::string text = name == nullptr || *name == '\0' ? "blas" : name;
  if (text == "stock") {
    return Mode::stock;
  }
  if (text == "blas") {
    return Mode::blas;
  }
  if (text == "fast") {
    return Mode::fast;
  }
  throw std::invalid_argument(
      "MLX_CPU is \"" + text +
      "\": it must be stock (the bits of Python MLX), blas (OpenBLAS) or fast (OpenBLAS and kernels of this library).");
}

// Read once: the variable may change later, the mode may not.
Mode chosen_mode() {
  static const Mode mode = mode_named(std::getenv("MLX_CPU"));
  return mode;
}

// The folder that this library was loaded from.
std::filesystem::path own_folder() {
  static const char here = 0;
  Dl_info info{};
  dladdr(&here, &info);
  return std::filesystem::absolute(info.dli_fname).parent_path();
}

using Xerbla = void (*)(const char*, const int*, size_t);

// OpenBLAS: beside this library, as in a bundle, else where the build put it, in the same cache. Null where it is
// not to be used.
void* open_openblas() {
  if (chosen_mode() == Mode::stock) {
    return nullptr;
  }
  auto path = own_folder() / "libscipy_openblas.so";
  if (!std::filesystem::exists(path)) {
    path = own_folder().parent_path() / MLXR_OPENBLAS;
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library != nullptr) {
    if (void* set_xerbla = dlsym(library, "scipy_openblas_set_xerbla")) {
      reinterpret_cast<Xerbla (*)(Xerbla)>(set_xerbla)(xerbla_);
      return library;
    }
  }
  const char* why = dlerror();
  std::fprintf(
      stderr,
      "mlx: MLX_CPU=%s is stock in this process%s, many times slower: OpenBLAS could not be loaded (%s). Build again "
      "with network, or set MLX_CPU=stock.\n",
      asks_for_fast() ? "fast" : "blas",
      asks_for_fast() ? " where OpenBLAS would compute" : "",
      why == nullptr ? "no reason given" : why);
  return nullptr;
}

void* openblas() {
  static void* const library = open_openblas();
  return library;
}

// The routine of the library in force.
void* find(const char* name) {
  void* library = openblas();
  void* address = library == nullptr ? dlsym(RTLD_NEXT, name) : dlsym(library, (std::string("scipy_") + name).c_str());
  if (address == nullptr) {
    throw std::runtime_error(std::string("[lapack] the library in force has no routine ") + name + ".");
  }
  return address;
}

template <typename... Arguments>
void call(void* routine, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(routine)(arguments...);
}

// What Fortran passes, unseen, behind the last argument for each argument that is text.
constexpr size_t one_letter = 1;

// Values nobody computed must not look like some.
template <typename T>
void poison(T* values, int rows, int columns = 1, int stride = 0) {
  if (values != nullptr && rows > 0) {
    for (int column = 0; column < columns; ++column) {
      std::fill_n(values + static_cast<size_t>(column) * stride, rows, T(std::numeric_limits<float>::quiet_NaN()));
    }
  }
}

// cblas's names of these.
constexpr int row_major = 101, as_it_lies = 111, transposed = 112;

// A product of one row or one column as such, where OpenBLAS computes: its gemm packs the whole matrix for it first.
// Nothing for what gemm refuses, and where no sum has a term, which gemv leaves as it was.
std::optional<Gemv> as_gemv(
    int order, int ta, int tb, int m, int n, int k, const void* a, int lda, const void* b, int ldb, int ldc) {
  bool a_turned = ta == transposed, b_turned = tb == transposed;
  bool known = order == row_major && (a_turned || ta == as_it_lies) && (b_turned || tb == as_it_lies);
  bool is_one = std::min(m, n) == 1 && k > 0;
  if (!known || !is_one || lda < (a_turned ? m : k) || ldb < (b_turned ? k : n) || ldc < n || openblas() == nullptr) {
    return std::nullopt;
  }
  if (n == 1) {
    return Gemv{a_turned, a_turned ? k : m, a_turned ? m : k, a, lda, b, b_turned ? 1 : ldb, ldc};
  }
  // One row: the transposed product, of the other matrix transposed.
  return Gemv{!b_turned, b_turned ? n : k, b_turned ? k : n, b, ldb, a, a_turned ? lda : 1, 1};
}

// How many threads OpenBLAS would take.
int threads() {
  static void* const ask = find("openblas_get_num_threads");
  return reinterpret_cast<int (*)()>(ask)();
}

// By the routine at `address`, whose elements are `T`s and whose scalars are passed as `Scalar`s.
template <typename T, typename Scalar>
void multiply(void* address, const Gemv& v, Scalar alpha, Scalar beta, Scalar one, void* y) {
  // From 9216 elements, 4096 complex ones, OpenBLAS's threads would share them.
  each_tile(v, std::is_same_v<T, Scalar> ? 9215 : 4095, threads(), [&](Tile tile) {
    size_t row = v.transposed ? tile.at : tile.from, column = v.transposed ? tile.from : tile.at;
    call(
        address, row_major, v.transposed ? transposed : as_it_lies, v.transposed ? tile.terms : tile.outputs,
        v.transposed ? tile.outputs : tile.terms, alpha, static_cast<const T*>(v.matrix) + row * v.leading + column,
        v.leading, static_cast<const T*>(v.x) + static_cast<size_t>(tile.at) * v.x_stride, v.x_stride,
        tile.at == 0 ? beta : one, static_cast<T*>(y) + static_cast<size_t>(tile.from) * v.y_stride, v.y_stride);
  });
}

// Whether a computation was not done; a question for the size of the workspace is no computation.
bool failed(const int* info, const int* workspace) {
  return *info != 0 && *workspace != -1;
}

} // namespace

void choose_cpu_mode() {
  chosen_mode();
}

bool asks_for_fast() {
  return chosen_mode() == Mode::fast;
}

} // namespace mlxr

using namespace mlxr;

// Each routine is looked up once.
#define CALL(name, ...)                          \
  do {                                           \
    static void* const address = find(#name);    \
    call(address, __VA_ARGS__);                  \
  } while (false)

// `ONE` is how a scalar of one is passed.
#define GEMM(p, T, Scalar, Element, ONE)                                                                              \
  void cblas_##p##gemm(                                                                                               \
      int order, int ta, int tb, int m, int n, int k, Scalar alpha, const T* a, int lda, const T* b, int ldb,         \
      Scalar beta, T* c, int ldc) {                                                                                   \
    if (auto product = as_gemv(order, ta, tb, m, n, k, a, lda, b, ldb, ldc)) {                                        \
      static void* const address = find("cblas_" #p "gemv");                                                          \
      return multiply<Element, Scalar>(address, *product, alpha, beta, ONE, c);                                       \
    }                                                                                                                 \
    CALL(cblas_##p##gemm, order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                               \
  }

// A factor with a zero on its diagonal (info > 0) is whole: only a refused argument leaves nothing.
#define GETRF(p, T)                                                             \
  void p##getrf_(int* m, int* n, T* a, int* lda, int* pivots, int* info) {      \
    CALL(p##getrf_, m, n, a, lda, pivots, info);                                \
    if (*info < 0) {                                                            \
      poison(a, *m, *n, *lda);                                                  \
    }                                                                           \
  }

#define GETRI(p, T)                                                                              \
  void p##getri_(int* n, T* a, int* lda, int* pivots, T* work, int* lwork, int* info) {          \
    CALL(p##getri_, n, a, lda, pivots, work, lwork, info);                                       \
    if (failed(info, lwork)) {                                                                   \
      poison(a, *n, *n, *lda);                                                                   \
    }                                                                                            \
  }

#define POTRF(p, T)                                                       \
  void p##potrf_(char* uplo, int* n, T* a, int* lda, int* info) {         \
    CALL(p##potrf_, uplo, n, a, lda, info, one_letter);                   \
    if (*info != 0) {                                                     \
      poison(a, *n, *n, *lda);                                            \
    }                                                                     \
  }

#define TRTRI(p, T)                                                             \
  void p##trtri_(char* uplo, char* diag, int* n, T* a, int* lda, int* info) {   \
    CALL(p##trtri_, uplo, diag, n, a, lda, info, one_letter, one_letter);       \
    if (*info != 0) {                                                           \
      poison(a, *n, *n, *lda);                                                  \
    }                                                                           \
  }

#define GEQRF(p, T)                                                                              \
  void p##geqrf_(int* m, int* n, T* a, int* lda, T* tau, T* work, int* lwork, int* info) {       \
    CALL(p##geqrf_, m, n, a, lda, tau, work, lwork, info);                                       \
    if (failed(info, lwork)) {                                                                   \
      poison(a, *m, *n, *lda);                                                                   \
      poison(tau, std::min(*m, *n));                                                             \
    }                                                                                            \
  }

#define ORGQR(p, T)                                                                                      \
  void p##orgqr_(int* m, int* n, int* k, T* a, int* lda, T* tau, T* work, int* lwork, int* info) {       \
    CALL(p##orgqr_, m, n, k, a, lda, tau, work, lwork, info);                                            \
    if (failed(info, lwork)) {                                                                           \
      poison(a, *m, *n, *lda);                                                                           \
    }                                                                                                    \
  }

// Parameters and arguments in `EXTRA…` are those that only the complex routines have.
#define COMMA ,
#define EIGH(name, T, R, EXTRA_PARAMETERS, EXTRA)                                                             \
  void name(                                                                                                  \
      char* jobz, char* uplo, int* n, T* a, int* lda, R* w, T* work, int* lwork, EXTRA_PARAMETERS int* iwork, \
      int* liwork, int* info) {                                                                               \
    CALL(name, jobz, uplo, n, a, lda, w, work, lwork, EXTRA iwork, liwork, info, one_letter, one_letter);     \
    if (failed(info, lwork)) {                                                                                \
      poison(a, *n, *n, *lda);                                                                                \
      poison(w, *n);                                                                                          \
    }                                                                                                         \
  }

#define EIG(name, T, VALUES_PARAMETERS, VALUES, EXTRA_PARAMETERS, EXTRA, POISON_VALUES)                          \
  void name(                                                                                                     \
      char* jobvl, char* jobvr, int* n, T* a, int* lda, VALUES_PARAMETERS, T* vl, int* ldvl, T* vr, int* ldvr,   \
      T* work, int* lwork, EXTRA_PARAMETERS int* info) {                                                         \
    CALL(                                                                                                        \
        name, jobvl, jobvr, n, a, lda, VALUES, vl, ldvl, vr, ldvr, work, lwork, EXTRA info, one_letter,          \
        one_letter);                                                                                             \
    if (failed(info, lwork)) {                                                                                   \
      POISON_VALUES;                                                                                             \
      poison(vl, *n, *jobvl == 'V' ? *n : 0, *ldvl);                                                             \
      poison(vr, *n, *jobvr == 'V' ? *n : 0, *ldvr);                                                             \
    }                                                                                                            \
  }

#define SVD(name, T, R, EXTRA_PARAMETERS, EXTRA)                                                                   \
  void name(                                                                                                       \
      char* jobz, int* m, int* n, T* a, int* lda, R* s, T* u, int* ldu, T* vt, int* ldvt, T* work, int* lwork,     \
      EXTRA_PARAMETERS int* iwork, int* info) {                                                                    \
    CALL(name, jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, EXTRA iwork, info, one_letter);               \
    if (failed(info, lwork)) {                                                                                     \
      int least = std::min(*m, *n);                                                                                \
      bool vectors = *jobz == 'A' || *jobz == 'S';                                                                 \
      poison(s, least);                                                                                            \
      poison(u, *m, vectors ? (*jobz == 'A' ? *m : least) : 0, *ldu);                                              \
      poison(vt, *jobz == 'A' ? *n : least, vectors ? *n : 0, *ldvt);                                              \
    }                                                                                                              \
  }

#define REAL(p, T)                                                                                       \
  GEMM(p, T, T, T, 1)                                                                                    \
  GETRF(p, T)                                                                                            \
  GETRI(p, T)                                                                                            \
  POTRF(p, T)                                                                                            \
  TRTRI(p, T)                                                                                            \
  GEQRF(p, T)                                                                                            \
  ORGQR(p, T)                                                                                            \
  EIGH(p##syevd_, T, T, , )                                                                              \
  EIG(p##geev_, T, T* wr COMMA T* wi, wr COMMA wi, , , poison(wr, *n); poison(wi, *n))                   \
  SVD(p##gesdd_, T, T, , )

#define COMPLEX(p, T, R)                                                                                 \
  GEMM(p, void, const void*, T, &one_##p)                                                                \
  EIGH(p##heevd_, T, R, R* rwork COMMA int* lrwork COMMA, rwork COMMA lrwork COMMA)                      \
  EIG(p##geev_, T, T* w, w, R* rwork COMMA, rwork COMMA, poison(w, *n))                                  \
  SVD(p##gesdd_, T, R, R* rwork COMMA, rwork COMMA)

static const std::complex<float> one_c = 1;

extern "C" {

REAL(s, float)
REAL(d, double)
COMPLEX(c, std::complex<float>, float)

int mlxr_cpu_mode(mlx_string* mode) {
  return guarded([&] {
    const char* name = openblas() == nullptr ? "stock" : "blas";
    mlx_string_set_(*mode, std::string(is_fast() ? "fast" : name));
  });
}

int mlxr_blas_library(mlx_string* path) {
  return guarded([&] {
    Dl_info info{};
    dladdr(find("cblas_sgemm"), &info);
    mlx_string_set_(*path, std::string(info.dli_fname == nullptr ? "" : info.dli_fname));
  });
}

} // extern "C"

#endif
