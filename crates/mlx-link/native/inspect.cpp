// Looking at arrays without computing: the host's view of values, and MLX's text of a graph.
#include "failures.h"

#include <pthread.h>
#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "mlx/graph_utils.h"
#include "mlx/utils.h"

namespace mlxr {
namespace {

struct DotCall {
  std::ostringstream out;
  const std::vector<array>& roots;
  mx::NodeNamer namer;
  std::string error;
};

void* dot_thread(void* argument) {
  auto& call = *static_cast<DotCall*>(argument);
  try {
    mx::export_to_dot(call.out, call.namer, call.roots);
  } catch (const std::exception& e) {
    call.error = e.what();
  }
  return nullptr;
}

// MLX's traversal recurses once a node: more nodes than this get a thread with a stack to match.
constexpr size_t shallow = 2000;
constexpr size_t stack_per_node = 1024;

std::string dot(const std::vector<array>& roots, const mx::NodeNamer& namer) {
  size_t nodes = 0;
  walk(roots, [&](const array&) { ++nodes; });
  DotCall call{{}, roots, namer, {}};
  if (nodes <= shallow) {
    mx::export_to_dot(call.out, namer, roots);
    return call.out.str();
  }
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  size_t stack = (nodes * stack_per_node + (size_t(8) << 20)) & ~size_t(0xffff);
  bool started = pthread_attr_setstacksize(&attributes, stack) == 0 &&
      pthread_create(&thread, &attributes, dot_thread, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) {
    throw std::runtime_error("[export_to_dot] a graph of " + std::to_string(nodes) + " nodes is too deep for a stack.");
  }
  pthread_join(thread, nullptr);
  if (!call.error.empty()) {
    throw std::runtime_error(call.error);
  }
  return call.out.str();
}

template <typename Strides>
bool steps_back(const mx::Shape& shape, const Strides& strides) {
  for (size_t axis = 0; axis < strides.size() && axis < shape.size(); ++axis) {
    if (strides[axis] < 0 && shape[axis] > 1) {
      return true;
    }
  }
  return false;
}

// Ops whose outputs may lie in the memory of their inputs, with those strides.
bool is_view(std::string_view op) {
  for (auto name : {"Broadcast", "BroadcastAxes", "Copy", "CustomTransforms", "Depends", "DynamicSlice", "ExpandDims",
                    "Flatten", "Reshape", "Slice", "Split", "Squeeze", "StopGradient", "Transpose", "Unflatten", "View"}) {
    if (op == name) {
      return true;
    }
  }
  return false;
}

} // namespace
} // namespace mlxr

using namespace mlxr;

extern "C" {

bool mlxr_array_view(mlxr_view* view, mlx_array handle) {
  auto& a = mlx_array_get_(handle);
  bool done = a.status() == array::Status::available ||
      (a.status() == array::Status::evaluated &&
       (!a.event().valid() || (is_of_gpu(a.event()) && !failure(a) && waiter(a.event()).is_available())));
  if (!done || !a.data_shared_ptr()) {
    return false;
  }
  *view = {a.data<char>(), a.strides().data(), a.flags().row_contiguous, a.flags().col_contiguous};
  return true;
}

bool mlxr_array_may_step_back(mlx_array handle, bool* unknown) {
  auto& asked = mlx_array_get_(handle);
  if (asked.status() != array::Status::unscheduled) {
    return steps_back(asked.shape(), asked.strides());
  }
  std::vector<array> open = {asked};
  std::unordered_set<std::uintptr_t> seen;
  while (!open.empty()) {
    auto a = std::move(open.back());
    open.pop_back();
    if (!seen.insert(a.id()).second) {
      continue;
    }
    if (a.status() != array::Status::unscheduled) {
      if (steps_back(a.shape(), a.strides())) {
        return true;
      }
      continue;
    }
    if (!a.has_primitive()) {
      *unknown = true;
      continue;
    }
    std::string_view op = a.primitive().name();
    if (op == "AsStrided") {
      const auto& [shape, strides, offset] = static_cast<mx::AsStrided&>(a.primitive()).state();
      if (steps_back(shape, strides)) {
        return true;
      }
    } else if (is_view(op)) {
      if (op == "Slice" && steps_back(a.shape(), std::get<2>(static_cast<mx::Slice&>(a.primitive()).state()))) {
        return true;
      }
      open.insert(open.end(), a.inputs().begin(), a.inputs().end());
    }
  }
  return false;
}

bool mlxr_array_may_have_gaps(mlx_array handle, bool* unknown) {
  auto a = mlx_array_get_(handle);
  while (a.status() == array::Status::unscheduled) {
    if (!a.has_primitive()) {
      *unknown = true;
      return false;
    }
    std::string_view op = a.primitive().name();
    if (op == "Slice" || op == "Split" || op == "AsStrided") {
      return true;
    }
    if (!is_view(op)) {
      return false;
    }
    if (a.inputs().size() != 1) {
      return true; // which of them it is does not matter
    }
    a = array(a.inputs()[0]);
  }
  return !a.flags().contiguous;
}

bool mlxr_array_has_failed(mlx_array handle) {
  if (!failures().any()) {
    return false;
  }
  bool failed = false;
  walk({mlx_array_get_(handle)}, [&](const array& a) { failed |= failure(a) != nullptr; });
  return failed;
}

bool mlxr_array_is_tracer(mlx_array handle) {
  return mlx_array_get_(handle).is_tracer();
}

const int* mlxr_array_shape(mlx_array handle, size_t* ndim) {
  auto& shape = mlx_array_get_(handle).shape();
  *ndim = shape.size();
  return shape.data();
}

static bool fits_by_each_size(const array& a) {
  size_t bytes = a.itemsize();
  bool wrapped = false;
  bool empty = false;
  for (auto size : a.shape()) {
    if (size < 0) {
      return false; // MLX's own arithmetic wrapped around
    }
    wrapped |= __builtin_mul_overflow(bytes, static_cast<unsigned>(size), &bytes);
    empty |= size == 0;
  }
  return empty || (!wrapped && bytes <= PTRDIFF_MAX);
}

bool mlxr_array_fits(mlx_array handle) {
  auto& a = mlx_array_get_(handle);
  // Up to here no product wraps, and a size below 0, as a number without sign, leads beyond.
  constexpr size_t few = size_t(1) << 31;
  size_t bytes = a.itemsize();
  for (auto size : a.shape()) {
    bytes *= static_cast<unsigned>(size);
    if (bytes > few) [[unlikely]] {
      return fits_by_each_size(a);
    }
  }
  return bytes > 0 || fits_by_each_size(a);
}

int mlxr_array_text(mlx_string* text, mlx_array handle, int precision) {
  return guarded([&] {
    // MLX's options are one global; they are set for this text only, under the lock.
    struct Options {
      mx::PrintFormatter& formatter = mx::get_global_formatter();
      mx::PrintFormatter before = formatter;
      ~Options() {
        formatter = before;
      }
    } options;
    options.formatter.capitalize_bool = true; // as the Python bindings set it
    options.formatter.format_options.precision = precision;
    std::ostringstream out;
    out << mlx_array_get_(handle);
    mlx_string_set_(*text, out.str());
  });
}

int mlxr_graph_dot(
    mlx_string* text,
    const mlx_array* arrays,
    size_t count,
    const char* const* names,
    size_t name_count) {
  return guarded([&] {
    auto roots = arrays_of(arrays, count);
    mx::NodeNamer namer;
    for (size_t i = 0; i < std::min(count, name_count); ++i) {
      if (names[i]) {
        namer.set_name(roots[i], names[i]);
      }
    }
    mlx_string_set_(*text, dot(roots, namer));
  });
}

int mlxr_einsum_path(mlx_string* path, const char* subscripts, const mlx_array* operands, size_t count) {
  return guarded([&] {
    auto [steps, text] = mx::einsum_path(subscripts, arrays_of(operands, count));
    std::ostringstream out;
    for (size_t i = 0; i < steps.size(); ++i) {
      out << (i ? ";" : "");
      for (size_t j = 0; j < steps[i].size(); ++j) {
        out << (j ? "," : "") << steps[i][j];
      }
    }
    out << '\n' << text;
    mlx_string_set_(*path, out.str());
  });
}

} // extern "C"
