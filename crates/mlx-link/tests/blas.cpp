// Calls BLAS and LAPACK as MLX does, with arguments that cannot be and matrices that cannot be factored: each routine
// must throw through its own frames, or give NaN, and never leave what was in memory before.
#include <cctype>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

using Complex = std::complex<float>;

extern "C" {
void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
void cblas_cgemm(
    int, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*, int);

#define REAL(p, T)                                                                                              \
  void p##getrf_(int*, int*, T*, int*, int*, int*);                                                             \
  void p##getri_(int*, T*, int*, int*, T*, int*, int*);                                                         \
  void p##potrf_(const char*, int*, T*, int*, int*, size_t);                                                    \
  void p##trtri_(const char*, const char*, int*, T*, int*, int*, size_t, size_t);                               \
  void p##geqrf_(int*, int*, T*, int*, T*, T*, int*, int*);                                                     \
  void p##orgqr_(int*, int*, int*, T*, int*, T*, T*, int*, int*);                                               \
  void p##syevd_(const char*, const char*, int*, T*, int*, T*, T*, int*, int*, int*, int*, size_t, size_t);     \
  void p##geev_(                                                                                                \
      const char*, const char*, int*, T*, int*, T*, T*, T*, int*, T*, int*, T*, int*, int*, size_t, size_t);    \
  void p##gesdd_(const char*, int*, int*, T*, int*, T*, T*, int*, T*, int*, T*, int*, int*, int*, size_t);
REAL(s, float)
REAL(d, double)
void cheevd_(
    const char*, const char*, int*, Complex*, int*, float*, Complex*, int*, float*, int*, int*, int*, int*, size_t,
    size_t);
void cgeev_(
    const char*, const char*, int*, Complex*, int*, Complex*, Complex*, int*, Complex*, int*, Complex*, int*, float*,
    int*, size_t, size_t);
void cgesdd_(
    const char*, int*, int*, Complex*, int*, float*, Complex*, int*, Complex*, int*, Complex*, int*, float*, int*,
    int*, size_t);
}

static int failures = 0;

static void expect(bool good, const std::string& what) {
  if (!good) {
    std::fprintf(stderr, "FAILED %s\n", what.c_str());
    ++failures;
  }
}

// `call` is refused: the error names the routine in capitals, as both libraries do, and says which argument it is.
template <typename Call>
void refused(const std::string& routine, int argument, Call call) {
  try {
    call();
    expect(false, routine + " did not refuse argument " + std::to_string(argument));
  } catch (const std::invalid_argument& error) {
    std::string text = error.what(), capitals;
    for (char letter : routine) {
      capitals += static_cast<char>(std::toupper(letter));
    }
    bool named = text.find("argument " + std::to_string(argument) + " of " + capitals) != std::string::npos;
    expect(named, routine + " says: " + text);
  }
}

static int none = 0, two = 2, less = -1, room = 64, info = 0;
static int pivots[64], whole[64];
static float rest[64];

template <typename T>
struct Matrices {
  T a[4]{1, 2, 2, 1}, w[64]{}, u[4]{}, vt[4]{}, work[64]{};
  bool all_nan(const T* values, int count) {
    for (int i = 0; i < count; ++i) {
      if (!std::isnan(std::abs(values[i]))) {
        return false;
      }
    }
    return true;
  }
};

#define REFUSED_REAL(p, T)                                                                                             \
  {                                                                                                                    \
    Matrices<T> x;                                                                                                     \
    refused(#p "getrf", 1, [&] { p##getrf_(&less, &two, x.a, &two, pivots, &info); });                                 \
    refused(#p "getri", 3, [&] { p##getri_(&two, x.a, &none, pivots, x.work, &room, &info); });                        \
    refused(#p "potrf", 1, [&] { p##potrf_("X", &two, x.a, &two, &info, 1); });                                        \
    refused(#p "trtri", 2, [&] { p##trtri_("U", "X", &two, x.a, &two, &info, 1, 1); });                                \
    refused(#p "geqrf", 4, [&] { p##geqrf_(&two, &two, x.a, &none, x.w, x.work, &room, &info); });                     \
    refused(#p "orgqr", 2, [&] { p##orgqr_(&two, &less, &two, x.a, &two, x.w, x.work, &room, &info); });               \
    refused(#p "syevd", 1, [&] {                                                                                       \
      p##syevd_("X", "U", &two, x.a, &two, x.w, x.work, &room, whole, &room, &info, 1, 1);                             \
    });                                                                                                                \
    refused(#p "geev", 3, [&] {                                                                                        \
      p##geev_("N", "V", &less, x.a, &two, x.w, x.w, x.u, &two, x.vt, &two, x.work, &room, &info, 1, 1);               \
    });                                                                                                                \
    refused(#p "gesdd", 5, [&] {                                                                                       \
      p##gesdd_("A", &two, &two, x.a, &none, x.w, x.u, &two, x.vt, &two, x.work, &room, whole, &info, 1);              \
    });                                                                                                                \
  }

static void refusals() {
  float f[4]{1, 2, 3, 4}, fc[4]{};
  double d[4]{1, 2, 3, 4}, dc[4]{};
  Complex one = 1, c[4]{1, 2, 3, 4}, cc[4]{};
  // Row by row: what cblas counts depends on the order, and so does the number of the argument.
  const int rows = 101, plain = 111;
  for (auto call : {0, 1, 2}) {
    try {
      if (call == 0) {
        cblas_sgemm(rows, plain, plain, 2, 2, 2, 1, f, 0, f, 2, 0, fc, 2);
      } else if (call == 1) {
        cblas_dgemm(rows, plain, plain, 2, 2, 2, 1, d, 0, d, 2, 0, dc, 2);
      } else {
        cblas_cgemm(rows, plain, plain, 2, 2, 2, &one, c, 0, c, 2, &one, cc, 2);
      }
      expect(false, "a product was not refused");
    } catch (const std::invalid_argument& error) {
      expect(std::string(error.what()).find("argument") != std::string::npos, error.what());
    }
  }
  REFUSED_REAL(s, float)
  REFUSED_REAL(d, double)
  Matrices<Complex> x;
  refused("cheevd", 2, [&] {
    cheevd_("V", "X", &two, x.a, &two, rest, x.work, &room, rest, &room, whole, &room, &info, 1, 1);
  });
  refused("cgeev", 1, [&] {
    cgeev_("X", "V", &two, x.a, &two, x.w, x.u, &two, x.vt, &two, x.work, &room, rest, &info, 1, 1);
  });
  refused("cgesdd", 3, [&] {
    cgesdd_("A", &two, &less, x.a, &two, rest, x.u, &two, x.vt, &two, x.work, &room, rest, whole, &info, 1);
  });
}

#define NOT_COMPUTED(p, T)                                                                                     \
  {                                                                                                            \
    Matrices<T> x;                                      \
    p##potrf_("L", &two, x.a, &two, &info, 1);                                                                 \
    expect(info == 2 && x.all_nan(x.a, 4), #p "potrf of what is not positive definite");                       \
    T singular[4]{};                                                                                           \
    p##trtri_("L", "N", &two, singular, &two, &info, 1, 1);                                                    \
    expect(info == 1 && x.all_nan(singular, 4), #p "trtri of zeros");                                          \
    T factors[4]{1, 2, 2, 4};                                                                                  \
    p##getrf_(&two, &two, factors, &two, pivots, &info);                                                       \
    expect(info == 2 && factors[0] == 2 && factors[3] == 0, #p "getrf of a singular matrix is whole");         \
    T bad[4]{T(NAN), 1, 1, 1};                                                                                 \
    p##gesdd_("A", &two, &two, bad, &two, x.w, x.u, &two, x.vt, &two, x.work, &room, whole, &info, 1);         \
    expect(info == -4 && x.all_nan(x.w, 2) && x.all_nan(x.u, 4) && x.all_nan(x.vt, 4), #p "gesdd of NaN");     \
    T good[4]{4, 0, 0, 9};                                                                                     \
    p##syevd_("V", "U", &two, good, &two, x.w, x.work, &room, whole, &room, &info, 1, 1);                      \
    expect(info == 0 && x.w[0] == 4 && x.w[1] == 9, #p "syevd");                                               \
  }

int main() {
  refusals();
  NOT_COMPUTED(s, float)
  NOT_COMPUTED(d, double)
  std::puts("the end");
  return failures != 0;
}
