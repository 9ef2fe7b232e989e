// What the C++ files share: MLX's headers, handles as arrays, exceptions as statuses, the walk of a graph.
#pragma once
#include "native.h"

#include <atomic>
#include <memory>
#include <unordered_set>
#include <vector>

#include "mlx/allocator.h"
#include "mlx/c/error.h"
#include "mlx/c/private/mlx.h"
#include "mlx/mlx.h"
#include "mlx/primitives.h"

namespace mlxr {
namespace mx = mlx::core;
using mx::array;

// How many streams were made; with one of them, work is in order by itself.
inline std::atomic<int> streams_made{0};

inline std::vector<array> arrays_of(const mlx_array* arrays, size_t count) {
  std::vector<array> result;
  result.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    result.push_back(mlx_array_get_(arrays[i]));
  }
  return result;
}

// The status of `body`: an exception calls mlx-c's error handler on this thread.
template <typename Body>
int guarded(Body body) {
  try {
    body();
    return 0;
  } catch (const std::exception& e) {
    mlx_error("%s", e.what());
    return 1;
  }
}

// MLX's products of nothing free the copy of an operand while it is yet to be written by a task. What a thread frees
// while it schedules is held here and given back behind the tasks of `streams`.
class HeldBack {
 public:
  // On this thread, until `end`.
  void begin(std::vector<mx::Stream> streams);
  void end();
  void take(mx::allocator::Buffer buffer, size_t bytes);
  // Lets go of what a buffer of others' rests on, likewise.
  static void let_go(std::shared_ptr<void> owner, size_t bytes);

 private:
  void count(size_t bytes);
  struct Buffers {
    std::vector<mx::allocator::Buffer> list;
    std::vector<std::shared_ptr<void>> owners;
    ~Buffers();
  };
  std::shared_ptr<Buffers> buffers_ = std::make_shared<Buffers>();
  size_t bytes_ = 0;
  std::vector<mx::Stream> streams_;
};

// Whether elements lie one after the other, by the strides: of a transposed part of a split MLX's flag is not true.
inline bool lies_in_order(const int32_t* sizes, const int64_t* strides, size_t ndim) {
  int64_t wanted = 1;
  for (size_t axis = ndim; axis-- > 0;) {
    if (sizes[axis] != 1 && strides[axis] != wanted) {
      return false;
    }
    wanted *= sizes[axis];
  }
  return true;
}

// Reads MLX_CPU, once; an exception says what is wrong with it.
void choose_cpu_mode();
// Whether that is fast, and whether it came to be.
bool asks_for_fast();
bool is_fast();

// Visits every array below `roots` that is not yet scheduled, and the evaluated ones it rests on, without recursion.
template <typename Visit>
void walk(const std::vector<array>& roots, Visit visit) {
  std::unordered_set<std::uintptr_t> seen;
  std::vector<const array*> stack;
  for (auto& root : roots) {
    stack.push_back(&root);
  }
  while (!stack.empty()) {
    const array& a = *stack.back();
    stack.pop_back();
    if (!seen.insert(a.id()).second) {
      continue;
    }
    visit(a);
    if (a.status() == array::Status::unscheduled) {
      for (auto& input : a.inputs()) {
        stack.push_back(&input);
      }
    }
  }
}
} // namespace mlxr
