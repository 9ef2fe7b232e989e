// Compiled functions: MLX's compiler with what a trace gave beside its arrays, which mlx-c leaves out.
#include "common.h"

#include <stdexcept>
#include <unordered_map>

#include "mlx/compile.h"
#include "mlx/compile_impl.h"

namespace mlxr {
namespace {

using Compiled = mx::detail::ArrayFnWithExtra;

// A constant that a fused kernel would print with too few digits.
bool is_printed(const array& a) {
  return a.size() == 1 && !a.is_tracer() && (!a.has_primitive() || a.status() != array::Status::unscheduled) &&
      (a.dtype() == mx::float32 || a.dtype() == mx::float64 || a.dtype() == mx::complex64);
}

// Puts a node that MLX does not fuse behind each such constant below `outputs`, so that kernels read its bits.
void lift_constants(const std::vector<array>& inputs, const std::vector<array>& outputs) {
  std::unordered_set<std::uintptr_t> seen;
  for (auto& input : inputs) {
    seen.insert(input.id());
  }
  std::unordered_map<std::uintptr_t, array> lifted;
  std::vector<array> open = outputs;
  while (!open.empty()) {
    array a = std::move(open.back());
    open.pop_back();
    if (!seen.insert(a.id()).second || !a.has_primitive() || a.status() != array::Status::unscheduled) {
      continue;
    }
    for (auto& input : a.inputs()) {
      if (!seen.contains(input.id()) && is_printed(input)) {
        auto known = lifted.find(input.id());
        if (known == lifted.end()) {
          auto node = mx::contiguous(input, false, a.primitive().stream());
          seen.insert(node.id());
          known = lifted.emplace(input.id(), node).first;
        }
        input = known->second;
      } else {
        open.push_back(input);
      }
    }
    for (auto& sibling : a.siblings()) {
      open.push_back(sibling);
    }
  }
}

// Whether MLX called the function with the caller's arrays (inside another transform, or with its compiler disabled), and
// not with tracers of its own.
bool is_direct(const std::vector<array>& inputs) {
  for (auto& input : inputs) {
    if (!input.is_tracer() || input.has_primitive()) {
      return true;
    }
  }
  return false;
}

} // namespace
} // namespace mlxr

using namespace mlxr;

extern "C" {

int mlxr_compiled_new(
    mlxr_compiled* compiled,
    mlxr_traced function,
    void* payload,
    size_t id,
    bool shapeless,
    bool lift,
    const uint64_t* constants,
    size_t constant_count) {
  return guarded([&] {
    auto trace = [function, payload, lift](const std::vector<array>& inputs) -> mx::detail::ArraysAndExtra {
      std::vector<array> outputs;
      mlx_vector_array in{const_cast<std::vector<array>*>(&inputs)};
      mlx_vector_array out{&outputs};
      size_t extra = 0;
      bool direct = is_direct(inputs);
      if (function(&out, &extra, in, direct, payload) != 0) {
        throw std::runtime_error("[compile] The function ended early.");
      }
      if (lift && !direct) {
        lift_constants(inputs, outputs);
      }
      return {std::move(outputs), std::make_shared<size_t>(extra)};
    };
    std::vector<uint64_t> key(constants, constants + constant_count);
    compiled->ctx = new Compiled(mx::detail::compile(Compiled(std::move(trace)), id, shapeless, std::move(key)));
  });
}

void mlxr_compiled_free(mlxr_compiled compiled) {
  delete static_cast<Compiled*>(compiled.ctx);
}

int mlxr_compiled_apply(
    mlx_vector_array* out,
    size_t* extra,
    mlxr_compiled compiled,
    const mlx_array* inputs,
    size_t count) {
  return guarded([&] {
    auto [outputs, given] = (*static_cast<Compiled*>(compiled.ctx))(arrays_of(inputs, count));
    *extra = *std::static_pointer_cast<size_t>(given);
    mlx_vector_array_set_(*out, std::move(outputs));
  });
}

void mlxr_compile_forget_all(void) {
  mx::detail::compile_clear_cache(mx::detail::compile_cache());
}

} // extern "C"
