// Evaluation: which batches failed, and tickets, which wait without the lock and give each batch its own error.
#include "common.h"

#include <sched.h>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "mlx/scheduler.h"

namespace mlxr {
namespace {

// ---- failures: the events of failed batches; an array that still waits for one of them has failed, for good ----

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
Failures& failures() {
  static auto* all = new Failures;
  return *all;
}

std::shared_ptr<const std::string> failure(const array& a) {
  return a.status() == array::Status::evaluated ? failures().text(a.event()) : nullptr;
}

// ---- tickets: schedule under the lock, wait outside, settle under the lock ----

std::atomic<int> batches_in_flight{0};

struct Ticket {
  std::mutex mutex;
  std::condition_variable done;
  std::atomic<int> checks_left{0};
  std::string error; // guarded by mutex until the wait is over
  std::vector<mx::Event> own; // of the arrays scheduled by this ticket
  std::vector<mx::Event> leaves; // of inputs that other tickets were still computing
  std::vector<mx::Event> gpu; // waited for directly: only CPU streams run check tasks
  std::string schedule_error; // written before anybody else sees the ticket

  // One check has run.
  void passed() {
    {
      std::lock_guard lock(mutex);
      checks_left.fetch_sub(1, std::memory_order_release);
    }
    done.notify_all();
  }
};
using TicketPtr = std::shared_ptr<Ticket>;

void push_unique(std::vector<mx::Event>& events, const mx::Event& event) {
  for (auto& known : events) {
    if (shared(known) == shared(event)) {
      return;
    }
  }
  events.push_back(event);
}

void push_unique(std::vector<mx::Stream>& streams, mx::Stream stream) {
  for (auto& known : streams) {
    if (known == stream) {
      return;
    }
  }
  streams.push_back(stream);
}

void refuse_unreadable(const array& a) {
  if (auto text = failure(a)) {
    throw std::runtime_error(*text);
  }
  if (a.status() == array::Status::unscheduled && !a.has_primitive()) {
    throw std::invalid_argument(
        "[eval] this array is a placeholder of a finished function transformation and has no value.");
  }
}

// While it lives, the leaves of a graph wait for no event. Scheduling looks at the events of a batch's inputs and,
// where one was signaled, throws and clears the error behind it, which would then be lost to its own batch. On the
// one CPU stream work runs in order, so the events are not needed.
class WithoutEvents {
 public:
  void strip(const array& leaf) {
    if (leaf.event().stream().device == mx::Device::cpu) {
      leaves_.emplace_back(leaf, leaf.event());
      leaf.attach_event(mx::Event{});
    }
  }
  ~WithoutEvents() {
    for (auto& [leaf, event] : leaves_) {
      leaf.attach_event(std::move(event));
    }
  }

 private:
  std::vector<std::pair<array, mx::Event>> leaves_;
};

// Runs on the stream thread behind the batch's own tasks, so the error it finds is this batch's.
void check(const TicketPtr& ticket, mx::Stream stream) {
  std::string error;
  try {
    mx::scheduler::check_error(stream);
  } catch (const std::exception& e) {
    error = e.what();
    for (auto& event : ticket->own) {
      failures().add(event, error);
    }
  }
  batches_in_flight.fetch_sub(1);
  {
    std::lock_guard lock(ticket->mutex);
    if (ticket->error.empty()) {
      ticket->error = std::move(error);
    }
  }
  ticket->passed();
}

void enqueue_checks(const TicketPtr& ticket, const std::vector<mx::Stream>& streams) {
  for (auto stream : streams) {
    ticket->checks_left.fetch_add(1);
    batches_in_flight.fetch_add(1);
    mx::scheduler::enqueue(stream, [ticket, stream] { check(ticket, stream); });
  }
}

// Null when every array is readable already.
TicketPtr begin(const std::vector<array>& outputs) {
  failures().prune();
  auto ticket = std::make_shared<Ticket>();
  std::vector<mx::Stream> streams;
  std::vector<size_t> fresh;
  auto wait_for = [&](const mx::Event& event) {
    if (event.stream().device == mx::Device::cpu) {
      push_unique(streams, event.stream());
    } else {
      push_unique(ticket->gpu, event);
    }
  };
  for (size_t i = 0; i < outputs.size(); ++i) {
    auto& a = outputs[i];
    refuse_unreadable(a);
    if (a.status() == array::Status::unscheduled) {
      fresh.push_back(i);
    } else if (a.status() == array::Status::evaluated && a.event().valid()) {
      wait_for(a.event());
    } else {
      // MLX takes a signaled event away from an input and leaves it marked as under way.
      a.set_status(array::Status::available);
    }
  }
  if (fresh.empty() && streams.empty() && ticket->gpu.empty()) {
    return nullptr;
  }
  std::vector<array> leaves;
  if (!fresh.empty() && (failures().any() || batches_in_flight.load() > 0)) {
    walk(outputs, [&](const array& a) {
      refuse_unreadable(a);
      if (a.status() == array::Status::evaluated && a.event().valid()) {
        push_unique(ticket->leaves, a.event());
        leaves.push_back(a);
      }
    });
  }
  if (!fresh.empty()) {
    for (auto i : fresh) {
      auto stream = outputs[i].primitive().stream();
      if (stream.device == mx::Device::cpu) {
        push_unique(streams, stream);
      }
    }
    try {
      WithoutEvents stripped;
      for (auto& leaf : leaves) {
        stripped.strip(leaf);
      }
      leaves.clear();
      mx::async_eval(outputs);
    } catch (const std::exception& e) {
      // What was scheduled before the throw still runs, and its checks behind it.
      ticket->schedule_error = e.what();
    }
    for (auto i : fresh) {
      if (auto& event = outputs[i].event(); event.valid()) {
        push_unique(ticket->own, event);
        if (event.stream().device == mx::Device::cpu || ticket->schedule_error.empty()) {
          wait_for(event); // a GPU's event that a throw left behind is never signaled
        }
      }
    }
  }
  enqueue_checks(ticket, streams);
  return ticket;
}

void spin_once() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void await_checks(Ticket& ticket, int spins) {
  for (int i = 0; i < spins && ticket.checks_left.load(std::memory_order_acquire) > 0; ++i) {
    // Where MLX's thread waits for this very core, a pause is no help.
    if (i % 32 == 31) {
      sched_yield();
    } else {
      spin_once();
    }
  }
  std::unique_lock lock(ticket.mutex);
  ticket.done.wait(lock, [&] { return ticket.checks_left.load() <= 0; });
  for (auto& event : ticket.gpu) {
    try {
      // An array of our own that shares the event: libmlx exports no wait on events.
      array waiter(mx::Shape{}, mx::bool_, nullptr, {});
      waiter.attach_event(event);
      waiter.set_status(array::Status::evaluated);
      waiter.wait();
    } catch (const std::exception& e) {
      ticket.error = ticket.error.empty() ? e.what() : ticket.error;
      failures().add(event, e.what());
    }
  }
}

// Throws what failed; otherwise every output is readable afterwards.
void settle(Ticket& ticket, const std::vector<array>& outputs) {
  for (auto& leaf : ticket.leaves) {
    if (auto text = failures().text(leaf)) {
      for (auto& event : ticket.own) {
        failures().add(event, *text);
      }
    }
  }
  for (auto& a : outputs) {
    refuse_unreadable(a);
  }
  if (!ticket.error.empty()) {
    throw std::runtime_error(ticket.error);
  }
  for (auto& a : outputs) {
    if (a.status() == array::Status::evaluated) {
      // The checks ran behind the work, so the event says nothing more; waiting for one that a broken-off
      // schedule never signals would hang.
      a.attach_event(mx::Event{});
      a.set_status(array::Status::available);
    }
  }
}

TicketPtr take(mlxr_ticket ticket) {
  std::unique_ptr<TicketPtr> box(static_cast<TicketPtr*>(ticket.ctx));
  return box ? *box : nullptr;
}

} // namespace
} // namespace mlxr

using namespace mlxr;

extern "C" {

int mlxr_eval_begin(mlxr_ticket* ticket, const mlx_array* arrays, size_t count) {
  ticket->ctx = nullptr;
  return guarded([&] {
    auto begun = begin(arrays_of(arrays, count));
    if (begun && !begun->schedule_error.empty()) {
      throw std::runtime_error(begun->schedule_error);
    }
    if (begun) {
      ticket->ctx = new TicketPtr(std::move(begun));
    }
  });
}

void mlxr_eval_wait(mlxr_ticket ticket, int spins) {
  if (ticket.ctx) {
    await_checks(**static_cast<TicketPtr*>(ticket.ctx), spins);
  }
}

int mlxr_eval_end(mlxr_ticket ticket, const mlx_array* arrays, size_t count) {
  return guarded([&] {
    if (auto taken = take(ticket)) {
      settle(*taken, arrays_of(arrays, count));
    }
  });
}

int mlxr_sync_begin(mlxr_ticket* ticket, mlx_stream stream) {
  ticket->ctx = nullptr;
  return guarded([&] {
    auto target = mlx_stream_get_(stream);
    if (target.device != mx::Device::cpu) {
      mx::synchronize(target);
      return;
    }
    auto begun = std::make_shared<Ticket>();
    begun->checks_left = 1;
    // No look at the stream's error: that is for the check of the batch it belongs to.
    mx::scheduler::enqueue(target, [begun] { begun->passed(); });
    ticket->ctx = new TicketPtr(std::move(begun));
  });
}

void mlxr_eval_forget(mlxr_ticket ticket) {
  take(ticket);
}

} // extern "C"
