// Calls BLAS and LAPACK as MLX does, with arguments that cannot be and matrices that cannot be factored: each routine
// must throw through its own frames, or give NaN, and never leave what was in memory before. And products of all forms,
// since those of one row or one column may be computed another way than the rest.
#include <atomic>
#include <cctype>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

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

static std::atomic<int> failures{0};

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
  for (auto call : {0, 1, 2, 3, 4, 5}) {
    try {
      int m = call < 3 ? 2 : 1;
      if (call % 3 == 0) {
        cblas_sgemm(rows, plain, plain, m, 2, 2, 1, f, 0, f, 2, 0, fc, 2);
      } else if (call % 3 == 1) {
        cblas_dgemm(rows, plain, plain, m, 2, 2, 1, d, 0, d, 2, 0, dc, 2);
      } else {
        cblas_cgemm(rows, plain, plain, m, 2, 2, &one, c, 0, c, 2, &one, cc, 2);
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

static void gemm(int o, int ta, int tb, int m, int n, int k, float x, float* a, int la, float* b, int lb, float y, float* c, int lc) {
  cblas_sgemm(o, ta, tb, m, n, k, x, a, la, b, lb, y, c, lc);
}
static void gemm(
    int o, int ta, int tb, int m, int n, int k, double x, double* a, int la, double* b, int lb, double y, double* c, int lc) {
  cblas_dgemm(o, ta, tb, m, n, k, x, a, la, b, lb, y, c, lc);
}
static void gemm(
    int o, int ta, int tb, int m, int n, int k, Complex x, Complex* a, int la, Complex* b, int lb, Complex y, Complex* c,
    int lc) {
  cblas_cgemm(o, ta, tb, m, n, k, &x, a, la, b, lb, &y, c, lc);
}

// A matrix of small whole numbers, so that sums are exact in any order, in memory with room behind each line.
template <typename T>
struct Lines {
  int leading;
  bool by_columns;
  std::vector<T> memory;
  Lines(int rows, int columns, bool by_columns, int room, T fill)
      : leading((by_columns ? rows : columns) + room), by_columns(by_columns),
        memory(static_cast<size_t>(by_columns ? columns : rows) * leading + 1, fill) {
    leading = leading == 0 ? 1 : leading;
  }
  T& at(int row, int column) {
    return by_columns ? memory[static_cast<size_t>(column) * leading + row]
                      : memory[static_cast<size_t>(row) * leading + column];
  }
};

template <typename T>
T number(int i, int j) {
  return T(static_cast<float>((i * 7 + j * 5 + i * j) % 11 - 5));
}
template <>
Complex number(int i, int j) {
  return Complex(static_cast<float>((i * 7 + j * 5) % 11 - 5), static_cast<float>((i + 3 * j) % 7 - 3));
}

// With a `beta` of 0 the result's memory is not read: it is all NaN.
template <typename T>
void product(int order, int ta, int tb, int m, int n, int k, int room, T alpha, T beta) {
  const bool columns = order == 102;
  const T stale = T(beta == T(0) ? NAN : 4.0F), fence = T(77.0F);
  Lines<T> a(m, k, columns != (ta == 112), room, fence), b(k, n, columns != (tb == 112), room, fence),
      c(m, n, columns, room, fence);
  for (int l = 0; l < k; ++l) {
    for (int i = 0; i < m; ++i) a.at(i, l) = number<T>(i, l);
    for (int j = 0; j < n; ++j) b.at(l, j) = number<T>(l, j);
  }
  Lines<T> expected = c;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      T sum = 0;
      for (int l = 0; l < k; ++l) sum += a.at(i, l) * b.at(l, j);
      c.at(i, j) = stale;
      expected.at(i, j) = alpha * sum + (beta == T(0) ? T(0) : beta * stale);
    }
  }
  gemm(order, ta, tb, m, n, k, alpha, a.memory.data(), a.leading, b.memory.data(), b.leading, beta, c.memory.data(), c.leading);
  std::string what = "product of " + std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n);
  expect(c.memory == expected.memory, what + ", transposed " + std::to_string(ta) + " " + std::to_string(tb));
}

template <typename T>
void products() {
  const int sizes[][3] = {{1, 1, 1}, {1, 1, 5}, {1, 6, 5}, {6, 1, 5}, {6, 7, 5}, {1, 6, 0}, {6, 1, 0}, {1, 6, 1}, {6, 1, 1},
                          {1, 170, 130}, {170, 1, 130}, {1, 300, 1100}, {1100, 1, 300}};
  for (auto& size : sizes)
    for (int order : {101, 102})
      for (int ta : {111, 112})
        for (int tb : {111, 112})
          for (int room : {0, 3})
            for (float beta : {0.0F, 1.0F, -2.0F})
              product<T>(order, ta, tb, size[0], size[1], size[2], room, T(beta == 1 ? 1.0F : 3.0F), T(beta));
}

// Products big enough for several threads, from several threads at once.
static void products_at_once() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([] {
      for (int turn = 0; turn < 20; ++turn) {
        product<float>(101, 111, 111 + turn % 2, 1, 900, 700, 0, 3, turn % 3 == 0 ? 0 : 1);
        product<double>(101, 111 + turn % 2, 111, 700, 1, 900, 0, 3, turn % 3 == 0 ? 0 : 1);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

int main() {
  products<float>();
  products<double>();
  products<Complex>();
  products_at_once();
  refusals();
  NOT_COMPUTED(s, float)
  NOT_COMPUTED(d, double)
  std::puts("the end");
  return failures != 0;
}
