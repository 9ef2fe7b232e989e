// The tiles of gemv.h, and the threads that share them.
#include "gemv.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace mlxr {
namespace {

// How much of a product is worth a claim, in elements: some microseconds.
constexpr size_t claim = 1 << 16;
// How long a thread looks for more before it sleeps: about the time between two products of a layer.
constexpr std::chrono::microseconds patience{50};

struct Job {
  const std::function<void(size_t)>* work;
  size_t parts;
  std::atomic<size_t> next{0}, done{0};

  // Takes parts until none is left. `work` is only looked at with a part in hand, for which the caller waits. It must not
  // throw: others may be inside it, too. Gemv refuses nothing that as_gemv lets through.
  void help() noexcept {
    for (size_t part; (part = next.fetch_add(1)) < parts;) {
      (*work)(part);
      done.fetch_add(1);
    }
  }
};

// The threads beside the callers. Never destroyed: they sleep until the process is gone.
class Crew {
 public:
  static Crew& get() {
    static Crew* const crew = new Crew;
    return *crew;
  }

  void share(const std::shared_ptr<Job>& job, int threads) {
    {
      std::lock_guard lock(mutex_);
      hire(threads - 1);
      job_ = job;
      ++count_;
    }
    if (asleep_ > 0) {
      wake_.notify_all();
    }
    job->help();
    while (job->done < job->parts) {
      std::this_thread::yield();
    }
  }

 private:
  void hire(int members) {
    try {
      for (; members_ < members; ++members_) {
        std::thread([this] { work(); }).detach();
      }
    } catch (const std::exception&) {
      // Who is there does it.
    }
  }

  void work() {
    for (size_t seen = 0;;) {
      auto until = std::chrono::steady_clock::now() + patience;
      while (count_ == seen && std::chrono::steady_clock::now() < until) {
        std::this_thread::yield();
      }
      std::shared_ptr<Job> job;
      {
        std::unique_lock lock(mutex_);
        ++asleep_;
        wake_.wait(lock, [&] { return count_ != seen; });
        --asleep_;
        seen = count_;
        job = job_;
      }
      job->help();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::shared_ptr<Job> job_;
  std::atomic<size_t> count_{0};
  std::atomic<int> asleep_{0};
  int members_ = 0;
};

} // namespace

void each_tile(const Gemv& product, int elements, int threads, const std::function<void(Tile)>& compute) {
  int outputs = product.transposed ? product.columns : product.rows;
  int terms = product.transposed ? product.rows : product.columns;
  // Long along the memory's lines; the other side a multiple of what kernels take at once.
  int along = std::min({product.columns, product.transposed ? 256 : 1024, elements / 4});
  int across = elements / along & ~3;
  int high = product.transposed ? along : across, deep = product.transposed ? across : along;
  size_t bands = (static_cast<size_t>(outputs) + high - 1) / high;
  size_t together = std::max<size_t>(claim / (static_cast<size_t>(high) * terms), 1);
  std::function<void(size_t)> work = [&](size_t part) {
    for (size_t band = part * together; band < std::min((part + 1) * together, bands); ++band) {
      int from = static_cast<int>(band) * high;
      for (int64_t at = 0; at < terms; at += deep) {
        int first = static_cast<int>(at);
        compute({from, std::min(high, outputs - from), first, std::min(deep, terms - first)});
      }
    }
  };
  size_t parts = (bands + together - 1) / together;
  if (parts == 1 || threads == 1) {
    for (size_t part = 0; part < parts; ++part) {
      work(part);
    }
    return;
  }
  auto job = std::make_shared<Job>();
  job->work = &work;
  job->parts = parts;
  Crew::get().share(job, threads);
}

} // namespace mlxr
