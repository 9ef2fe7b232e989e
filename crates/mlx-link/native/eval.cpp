// Evaluation by tickets, which wait without the lock and give each batch its own error.
#include "failures.h"
#include "in_flight.h"

#include <sched.h>
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "mlx/scheduler.h"

namespace mlxr {
namespace {

// Whether scheduling failed on this thread. CUDA keeps the error of a refused launch or allocation with the thread, and each
// later wait of MLX's for a GPU would find it, whatever it waits for.
thread_local bool has_failed_launch = false;

bool holds(const std::vector<mx::Event>& events, const mx::Event& event) {
  return std::any_of(events.begin(), events.end(), [&](auto& known) { return shared(known) == shared(event); });
}

struct Ticket {
  std::mutex mutex;
  std::condition_variable done;
  std::atomic<int> checks_left{0};
  std::string error; // guarded by mutex until the wait is over
  std::vector<mx::Event> own; // of the arrays scheduled by this ticket
  std::vector<mx::Event> leaves; // of inputs that other tickets were still computing
  std::vector<mx::Event> gpu; // waited for directly: only CPU streams run check tasks
  HeldBack freed; // while it was scheduled; given back at the latest when the checks have run
  std::string schedule_error; // written before anybody else sees the ticket
  bool is_of_others = false; // nothing is scheduled yet: it waits for what others have on its streams

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
  if (!holds(events, event)) {
    events.push_back(event);
  }
}

void push_unique(std::vector<mx::Stream>& streams, mx::Stream stream) {
  for (auto& known : streams) {
    if (known == stream) {
      return;
    }
  }
  streams.push_back(stream);
}

// While it lives, the leaves of a graph wait for no event. Scheduling looks at the events of a batch's inputs and,
// where one was signaled, throws and clears the error behind it, which would then be lost to its own batch. On the
// one CPU stream work runs in order, so the events are not needed.
class WithoutEvents {
 public:
  void strip(const array& leaf) {
    if (!is_of_gpu(leaf.event())) {
      leaves_.emplace_back(leaf, leaf.event());
      leaf.attach_event(mx::Event{});
    } else if (waiter(leaf.event()).is_available()) {
      leaf.attach_event(mx::Event{}); // for good: a task that waited for it would run behind its batch's check
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
  in_flight().done(stream);
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
    in_flight().add(stream);
    mx::scheduler::enqueue(stream, [ticket, stream] { check(ticket, stream); });
  }
}

// Waits for what the streams have to do, and looks at nobody's error: that is for the check of the batch it belongs to. Not
// counted as in flight, or those who wait would wait for each other.
void enqueue_waits(const TicketPtr& ticket, const std::vector<mx::Stream>& streams) {
  for (auto stream : streams) {
    ticket->checks_left.fetch_add(1);
    mx::scheduler::enqueue(stream, [ticket] { ticket->passed(); });
  }
}

// What a graph holds that is not scheduled yet, and what it rests on.
struct Below {
  std::vector<array> leaves; // under way
  std::vector<array> first; // those of them that nodes of another stream wait for
  std::vector<array> nodes; // one a stream
};

Below look(const std::vector<array>& outputs) {
  Below below;
  auto under_way = [](const array& a) { return a.status() == array::Status::evaluated && a.event().valid(); };
  walk(outputs, [&](const array& a) {
    refuse_unreadable(a);
    if (under_way(a)) {
      below.leaves.push_back(a);
    } else if (a.status() == array::Status::unscheduled) {
      auto stream = a.primitive().stream();
      bool known = false;
      for (auto& node : below.nodes) {
        known |= node.primitive().stream() == stream;
      }
      if (!known) {
        below.nodes.push_back(a);
      }
      for (auto& input : a.inputs()) {
        // MLX would wait too, by the event, and lose the error behind it.
        if (under_way(input) && input.event().stream().device == mx::Device::cpu &&
            input.event().stream() != stream) {
          below.first.push_back(input);
        }
      }
    }
  });
  return below;
}

// Null when every array is readable already, or when `first` has to be waited for.
TicketPtr begin(const std::vector<array>& outputs, std::vector<array>& first) {
  failures().prune();
  auto ticket = std::make_shared<Ticket>();
  std::vector<mx::Stream> streams;
  std::vector<array> fresh;
  auto wait_for = [&](const mx::Event& event) {
    if (event.stream().device == mx::Device::cpu) {
      push_unique(streams, event.stream());
    } else {
      push_unique(ticket->gpu, event);
    }
  };
  for (auto& a : outputs) {
    refuse_unreadable(a);
    if (a.status() == array::Status::unscheduled) {
      fresh.push_back(a);
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
  Below below;
  if (!fresh.empty() && (failures().any() || in_flight().any() || streams_made.load() > 1)) {
    below = look(outputs);
    if (!below.first.empty()) {
      first = std::move(below.first);
      return nullptr;
    }
    for (auto& leaf : below.leaves) {
      push_unique(ticket->leaves, leaf.event());
    }
  }
  if (!fresh.empty()) {
    size_t outputs_to_wait_for = fresh.size();
    fresh.insert(fresh.end(), below.nodes.begin(), below.nodes.end());
    bool has_gpu = false;
    for (auto& a : fresh) {
      auto stream = a.primitive().stream();
      if (stream.device == mx::Device::cpu) {
        push_unique(streams, stream);
      } else {
        has_gpu = true;
      }
    }
    // Where CUDA needs what the CPU computes, MLX waits for the CPU's stream while it schedules, and takes its error.
    if (has_gpu && in_flight().on(streams)) {
      ticket->is_of_others = true;
      enqueue_waits(ticket, streams);
      return ticket;
    }
    try {
      WithoutEvents stripped;
      for (auto& leaf : below.leaves) {
        stripped.strip(leaf);
      }
      below = {};
      ticket->freed.begin(streams);
      mx::async_eval(outputs);
      ticket->freed.end();
    } catch (const std::exception& e) {
      ticket->freed.end();
      // What was scheduled before the throw still runs, and its checks behind it.
      ticket->schedule_error = scheduling_text(e);
      has_failed_launch = true;
    }
    for (size_t i = 0; i < fresh.size(); ++i) {
      if (auto& event = fresh[i].event(); event.valid()) {
        push_unique(ticket->own, event);
        bool signaled = event.stream().device == mx::Device::cpu || ticket->schedule_error.empty();
        if (i < outputs_to_wait_for && signaled) {
          wait_for(event); // a GPU's event that a throw left behind is never signaled
        }
      }
    }
  }
  if (!ticket->schedule_error.empty() && streams_made.load() > 1) {
    // Between streams MLX looks for errors while it schedules, and takes them from the checks: what is under way of this
    // batch may rest on what failed.
    for (auto& event : ticket->own) {
      failures().add(event, ticket->schedule_error);
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

// Whether all was computed.
bool await_gpu(Ticket& ticket) {
  bool done = true;
  for (auto& event : ticket.gpu) {
    try {
      waiter(event).wait();
    } catch (const std::exception& e) {
      done = false;
      ticket.error = ticket.error.empty() ? e.what() : ticket.error;
      failures().add(event, e.what());
    }
  }
  return done;
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
  if (!ticket.gpu.empty() && has_failed_launch) {
    // A new thread has no such error.
    std::thread([&] { await_gpu(ticket); }).join();
  } else if (!ticket.gpu.empty()) {
    has_failed_launch = !await_gpu(ticket);
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
    // As MLX leaves what it computed on a GPU until it is asked for again: its attention chooses a kernel by that.
    if (a.status() == array::Status::evaluated && !(is_of_gpu(a.event()) && holds(ticket.own, a.event()))) {
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

int mlxr_eval_begin(
    mlxr_ticket* ticket,
    mlx_vector_array* first,
    bool* again,
    const mlx_array* arrays,
    size_t count) {
  ticket->ctx = nullptr;
  *again = false;
  return guarded([&] {
    std::vector<array> needed;
    auto begun = begin(arrays_of(arrays, count), needed);
    if (!needed.empty()) {
      mlx_vector_array_set_(*first, std::move(needed));
    }
    if (begun && !begun->schedule_error.empty()) {
      throw std::runtime_error(begun->schedule_error);
    }
    if (begun) {
      *again = begun->is_of_others;
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
    enqueue_waits(begun, {target});
    ticket->ctx = new TicketPtr(std::move(begun));
  });
}

void mlxr_eval_forget(mlxr_ticket ticket) {
  take(ticket);
}

} // extern "C"
