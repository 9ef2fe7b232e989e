// Orderly ends: no thread inside MLX, and none ending, while its statics are destroyed.
#include "common.h"

#include <pthread.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "mlx/backend/cpu/encoder.h"
#include "mlx/compile_impl.h"
#include "mlx/device.h"
#include "mlx/random.h"
#include "mlx/scheduler.h"
#include "mlx/stream.h"

namespace mlxr {
namespace {

// A thread that ends, or starts the library, reads; the process's end writes and keeps it.
pthread_rwlock_t teardown = PTHREAD_RWLOCK_INITIALIZER;
std::atomic<void (*)(void)> lock_library{nullptr};
std::atomic<bool (*)(void)> in_callback{nullptr};

// A thread of MLX's cannot wait for the work under way, of which its own is a part, nor for a thread that waits for it.
bool is_callback() {
  auto* ask = in_callback.load();
  return ask != nullptr && ask();
}

#if defined(__linux__)
int exit_status = 0;

// Statics of MLX's CUDA build throw from their destructors once the driver is gone; the exit code stays the program's.
void end_quietly(int status, void*) {
  exit_status = status;
  std::set_terminate([] { _exit(exit_status); });
}
#endif

void at_exit() {
  static std::atomic<bool> done{false};
  if (is_callback() || done.exchange(true)) {
    return;
  }
#if defined(__linux__)
  if (mx::device_count(mx::Device::gpu) > 0) {
    on_exit(end_quietly, nullptr); // what is registered last runs first
  }
#endif
  // The library lock comes second: a thread that is ending may need it to drop what it held.
  // Both waits are without limit: a thread inside one long call ends it, and going on beside it would crash.
  pthread_rwlock_wrlock(&teardown);
  if (auto* lock = lock_library.load()) {
    lock();
  }
  // What is under way still frees memory on MLX's threads; nothing new can be scheduled now.
  for (auto& stream : mx::get_streams()) {
    try {
      mx::synchronize(stream);
    } catch (const std::exception&) {
      // An error of work that nobody will read.
    }
  }
}

// What runs before any static goes, whichever thread ends the process.
#if defined(__linux__)
void at_exit_with(int status, void*) {
  if (is_callback()) {
    std::fflush(nullptr);
    _exit(status);
  }
  at_exit();
}
void register_exit() {
  on_exit(at_exit_with, nullptr);
}
#else
void at_plain_exit() {
  if (is_callback()) {
    std::fflush(nullptr);
    _exit(EXIT_FAILURE); // the status is not told
  }
  at_exit();
}
void register_exit() {
  std::atexit(at_plain_exit);
}
#endif

#if defined(__linux__)
// The main thread's thread-locals go before any exit handler and any static, also before those made after our
// handler; only a process that another thread ends has to do with the handler.
struct MainThread {
  ~MainThread() {
    if (gettid() == getpid()) {
      at_exit();
    }
  }
};

__attribute__((constructor)) void at_load() {
  static thread_local MainThread main_thread;
  (void)&main_thread;
}
#endif

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

int mlxr_start_begin(void) {
  pthread_rwlock_rdlock(&teardown);
  return guarded([] { choose_cpu_mode(); });
}

// Who touches the scheduler first is MLX's main thread, to which other threads' errors are thrown. CUDA's allocator does.
int mlxr_start_scheduler(void) {
  return guarded([] { mx::scheduler::scheduler(); });
}

// Exit handlers and statics go in reverse order of their making, so the handler is registered behind MLX's statics,
// and before anything that takes time.
int mlxr_start_statics(void) {
  return guarded([] {
    mx::allocator::allocator();
    mx::get_streams();
    register_exit();
  });
}

void mlxr_start_end(void (*lock)(void), bool (*is_callback)(void)) {
  lock_library = lock;
  in_callback = is_callback;
  for (auto& stream : mx::get_streams()) {
    if (stream.device == mx::Device::cpu) {
      mx::cpu::get_command_encoder(stream); // makes the static that holds them all
    }
  }
  register_exit();
  pthread_rwlock_unlock(&teardown);
}

void mlxr_thread_guard(void) {
  static thread_local Last last;
  auto* last_built = &last;
  mx::detail::compile_erase(mx::detail::compile_cache(), 0);
  mx::random::KeySequence::default_();
  mx::default_stream(mx::Device::cpu);
  array tracer(mx::Shape{}, mx::bool_, nullptr, {});
  tracer.set_tracer(true);
  (void)tracer.is_tracer(); // asks for the transforms under way
  static thread_local First first;
  first.last = last_built;
}

} // extern "C"
