// What cannot be read: arrays that still wait for an event of a failed batch have failed, for good, and placeholders have no value.
#pragma once
#include "common.h"

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "mlx/event.h"

namespace mlxr {

// MLX clears an error when it first throws it and then lets the failed arrays be read, so we remember them. Event
// keeps its shared pointer private; an explicit instantiation may name it.
template <auto Member>
struct Opened {
  friend const std::shared_ptr<void>& shared(const mx::Event& event) {
    return event.*Member;
  }
};
const std::shared_ptr<void>& shared(const mx::Event& event);
template struct Opened<&mx::Event::event_>;

class Failures {
 public:
  void add(const mx::Event& event, const std::string& text) {
    std::lock_guard lock(mutex_);
    if (failed_.size() >= prune_at_) {
      std::erase_if(failed_, [](auto& entry) { return entry.second.event.expired(); });
      prune_at_ = 2 * failed_.size() + 16;
    }
    failed_.insert_or_assign(shared(event).get(), Failure{shared(event), text});
    any_.store(true, std::memory_order_release);
  }
  // The text of a failed event; null for others.
  std::shared_ptr<const std::string> text(const mx::Event& event) {
    if (!any() || !event.valid()) {
      return nullptr;
    }
    std::lock_guard lock(mutex_);
    auto found = failed_.find(shared(event).get());
    // An expired entry is of an older event at the same address.
    if (found == failed_.end() || found->second.event.expired()) {
      return nullptr;
    }
    return std::make_shared<const std::string>(found->second.text);
  }
  bool any() const {
    return any_.load(std::memory_order_acquire);
  }
  // Forgets those of arrays that are gone, now and then.
  void prune() {
    if (any() && ++prunes_ % 64 == 0) {
      std::lock_guard lock(mutex_);
      std::erase_if(failed_, [](auto& entry) { return entry.second.event.expired(); });
      any_.store(!failed_.empty(), std::memory_order_release);
    }
  }

 private:
  struct Failure {
    std::weak_ptr<void> event;
    std::string text;
  };
  std::mutex mutex_;
  std::atomic<bool> any_{false};
  size_t prune_at_{16};
  size_t prunes_{0}; // guarded by the library lock
  std::unordered_map<void*, Failure> failed_;
};

// Never destroyed: stream threads may still use it while the process ends.
inline Failures& failures() {
  static auto* all = new Failures;
  return *all;
}

inline std::shared_ptr<const std::string> failure(const array& a) {
  return a.status() == array::Status::evaluated ? failures().text(a.event()) : nullptr;
}

inline bool is_of_gpu(const mx::Event& event) {
  return event.valid() && event.stream().device != mx::Device::cpu;
}

// An array of our own that shares an event: libmlx exports nothing of events but what arrays do with theirs.
inline array waiter(const mx::Event& event) {
  array result(mx::Shape{}, mx::bool_, nullptr, {});
  result.attach_event(event);
  result.set_status(array::Status::evaluated);
  return result;
}

inline constexpr const char* placeholder_text =
    "[eval] Attempting to eval an array without a primitive: a placeholder of a finished function transformation.";

inline void refuse_unreadable(const array& a) {
  if (auto text = failure(a)) {
    throw std::runtime_error(*text);
  }
  if (a.status() == array::Status::unscheduled && !a.has_primitive()) {
    throw std::invalid_argument(placeholder_text);
  }
}

// What MLX says of a placeholder below the outputs speaks of bugs in MLX: one text, whoever comes upon it first.
inline std::string scheduling_text(const std::exception& e) {
  std::string text = e.what();
  return text.find("without a primitive") == std::string::npos ? text : placeholder_text;
}

} // namespace mlxr
