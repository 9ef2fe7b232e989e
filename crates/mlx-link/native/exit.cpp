// Orderly ends: no thread inside MLX, and none ending, while its statics are destroyed; no BLAS call that ends the
// process.
#include "common.h"

#include <pthread.h>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <string>

#include "mlx/compile_impl.h"
#include "mlx/random.h"
#include "mlx/stream.h"

namespace mlxr {
namespace {

pthread_rwlock_t teardown = PTHREAD_RWLOCK_INITIALIZER; // a thread's end reads, the process's end writes
void (*lock_library)(void) = nullptr;

void at_exit() {
  // The library lock comes second: a thread that is ending may need it to drop what it held.
  timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += 2;
#if defined(__APPLE__)
  pthread_rwlock_wrlock(&teardown);
#else
  pthread_rwlock_timedwrlock(&teardown, &limit);
#endif
  lock_library();
  // What is under way still frees memory on MLX's threads; nothing new can be scheduled now.
  for (auto& stream : mx::get_streams()) {
    try {
      mx::synchronize(stream);
    } catch (const std::exception&) {
      // An error of work that nobody will read.
    }
  }
}

// Thread-locals are destroyed in reverse order of construction: Last is built first, First is built last, and
// MLX's own thread-locals are built between the two.
struct Last {
  bool reading = false;
  ~Last() {
    if (reading) {
      pthread_rwlock_unlock(&teardown);
    }
  }
};
struct First {
  Last* last = nullptr;
  ~First() {
    if (last) {
      last->reading = pthread_rwlock_rdlock(&teardown) == 0;
    }
  }
};

} // namespace
} // namespace mlxr

using namespace mlxr;

extern "C" {

void mlxr_exit_guard(void (*lock)(void)) {
  lock_library = lock;
  // Touched first, so that they are older than the handler and are destroyed after it has run.
  mx::allocator::allocator();
  mx::get_streams();
  std::atexit(at_exit);
}

void mlxr_thread_guard(void) {
  static thread_local Last last;
  auto* last_built = &last;
  mx::detail::compile_erase(mx::detail::compile_cache(), 0);
  mx::random::KeySequence::default_();
  mx::default_stream(mx::Device::cpu);
  static thread_local First first;
  first.last = last_built;
}

// Netlib's versions end the process (with exit code 0); these make a bad argument an error like any other.
void xerbla_(const char* routine, const int* argument, size_t length) {
  std::string name(routine, length < 32 ? length : 32);
  throw std::invalid_argument("[lapack] argument " + std::to_string(*argument) + " of " + name + " is invalid.");
}

void cblas_xerbla(int argument, const char* routine, const char*, ...) {
  throw std::invalid_argument("[blas] argument " + std::to_string(argument) + " of " + routine + " is invalid.");
}

} // extern "C"
