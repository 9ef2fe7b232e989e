// Memory: MLX writes through the null pointer that its CPU allocator returns when there is none; here that is an error.
// And it frees memory that its tasks still write to; here that waits for them.
#include "common.h"

#include <dlfcn.h>
#include <stdexcept>
#include <string>

#include "mlx/allocator.h"
#include "mlx/scheduler.h"

namespace mlxr {
namespace {
thread_local HeldBack* holding = nullptr;
constexpr size_t most_held = size_t(1) << 22;
} // namespace

HeldBack::Buffers::~Buffers() {
  for (auto buffer : list) {
    mx::allocator::free(buffer);
  }
}

void HeldBack::begin(std::vector<mx::Stream> streams) {
  streams_ = std::move(streams);
  holding = this;
}

void HeldBack::end() {
  holding = nullptr;
}

void HeldBack::take(mx::allocator::Buffer buffer, size_t bytes) {
  buffers_->list.push_back(buffer);
  count(bytes);
}

void HeldBack::let_go(std::shared_ptr<void> owner, size_t bytes) {
  if (holding != nullptr) {
    holding->buffers_->owners.push_back(std::move(owner));
    holding->count(bytes);
  }
}

void HeldBack::count(size_t bytes) {
  bytes_ += bytes;
  if (bytes_ > most_held) {
    try {
      for (auto stream : streams_) {
        mx::scheduler::enqueue(stream, [buffers = buffers_] {});
      }
      buffers_ = std::make_shared<Buffers>();
      bytes_ = 0;
    } catch (const std::exception&) {
      // A stream without a thread: they stay until the end of the batch.
    }
  }
}

} // namespace mlxr

// On Apple everything is one static library, in which MLX's own definition cannot be stood in for.
#if !defined(__APPLE__)

namespace mlx::core::allocator {
namespace {

class Checked : public Allocator {
 public:
  explicit Checked(Allocator& inner) : inner_(inner) {}
  Buffer malloc(size_t size) override {
    auto buffer = inner_.malloc(size);
    if (size > 0 && buffer.ptr() == nullptr) {
      throw std::runtime_error("[malloc] Unable to allocate " + std::to_string(size) + " bytes.");
    }
    return buffer;
  }
  void free(Buffer buffer) override {
    if (mlxr::holding != nullptr && buffer.ptr() != nullptr) {
      mlxr::holding->take(buffer, inner_.size(buffer));
    } else {
      inner_.free(buffer);
    }
  }
  size_t size(Buffer buffer) const override {
    return inner_.size(buffer);
  }
  Buffer make_buffer(void* pointer, size_t size) override {
    return inner_.make_buffer(pointer, size);
  }
  void release(Buffer buffer) override {
    inner_.release(buffer);
  }

 private:
  Allocator& inner_;
};

} // namespace

// libmlx calls this through its symbol, and libmlxc stands before libmlx where symbols are looked up.
Allocator& allocator() {
  static auto* checked = [] {
    auto* next = dlsym(RTLD_NEXT, "_ZN3mlx4core9allocator9allocatorEv");
    if (next == nullptr) {
      throw std::runtime_error("[malloc] the MLX library that was loaded exports no allocator().");
    }
    return new Checked(reinterpret_cast<Allocator& (*)()>(next)());
  }();
  return *checked;
}

} // namespace mlx::core::allocator

#endif
