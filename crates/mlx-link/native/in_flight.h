// Which streams have checks to run yet.
#pragma once
#include "common.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace mlxr {

class InFlight {
 public:
  void add(mx::Stream stream) {
    all_.fetch_add(1);
    std::lock_guard lock(mutex_);
    ++checks_[stream.index];
  }
  void done(mx::Stream stream) {
    {
      std::lock_guard lock(mutex_);
      --checks_[stream.index];
    }
    all_.fetch_sub(1);
  }
  bool any() const {
    return all_.load() > 0;
  }
  bool on(const std::vector<mx::Stream>& streams) {
    std::lock_guard lock(mutex_);
    return std::any_of(streams.begin(), streams.end(), [&](auto& stream) { return checks_[stream.index] > 0; });
  }

 private:
  std::atomic<int> all_{0};
  std::mutex mutex_;
  std::map<int, int> checks_; // by the stream's index; entries stay, so that an evaluation allocates none
};

// Never destroyed: stream threads may still use it while the process ends.
inline InFlight& in_flight() {
  static auto* all = new InFlight;
  return *all;
}

} // namespace mlxr
