// Function transformations: what mlx-c lacks for them.
#include "common.h"

namespace mlxr {
namespace {

// Addresses that were seen. A transform asks for every node of its graph, so this is denser than the standard set.
class Seen {
 public:
  bool insert(std::uintptr_t id) {
    if (2 * ++count_ > slots_.size()) {
      grow();
    }
    auto& slot = find(id);
    if (slot == id) {
      --count_;
      return false;
    }
    slot = id;
    return true;
  }
  size_t size() const {
    return count_;
  }

 private:
  std::uintptr_t& find(std::uintptr_t id) {
    size_t mask = slots_.size() - 1;
    size_t at = (id * 0x9e3779b97f4a7c15u >> 20) & mask;
    while (slots_[at] != 0 && slots_[at] != id) {
      at = (at + 1) & mask;
    }
    return slots_[at];
  }
  void grow() {
    std::vector<std::uintptr_t> old(slots_.size() * 2);
    old.swap(slots_);
    for (auto id : old) {
      if (id != 0) {
        find(id) = id;
      }
    }
  }
  std::vector<std::uintptr_t> slots_ = std::vector<std::uintptr_t>(256);
  size_t count_ = 0;
};

} // namespace
} // namespace mlxr

using namespace mlxr;

extern "C" {

size_t mlxr_graph_nodes(
    const mlx_array* inputs,
    size_t input_count,
    const mlx_array* arrays,
    size_t count,
    size_t limit) {
  Seen seen;
  for (size_t i = 0; i < input_count; ++i) {
    seen.insert(mlx_array_get_(inputs[i]).id());
  }
  std::vector<const array*> open;
  for (size_t i = 0; i < count; ++i) {
    open.push_back(&mlx_array_get_(arrays[i]));
  }
  while (!open.empty() && seen.size() < limit) {
    const array& a = *open.back();
    open.pop_back();
    if (seen.insert(a.id())) {
      for (auto& input : a.inputs()) {
        open.push_back(&input);
      }
    }
  }
  return seen.size();
}

} // extern "C"
