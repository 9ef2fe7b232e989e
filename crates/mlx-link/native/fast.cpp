// MLX_CPU=fast: kernels in Rust where MLX would run its own. libmlx hides its primitives' symbols, so they can be neither
// stood in for nor subclassed; but each object carries its table of virtual functions, whose entry of `eval_cpu` is
// replaced before the first node. The graph, its names and its rules stay MLX's, also for nodes that MLX makes itself.
// Not here: how inputs lie (part.h), the kernels (crates/mlx-cpu), what calls them (mlx-core/src/cpu).
#include "common.h"
#include "part.h"

#if defined(__APPLE__)

#include <cstdio>
#include <cstdlib>
#include <cstring>

// Everything is one static library, whose products Accelerate computes.
extern "C" int mlxr_fast_begin(bool* begun, mlxr_fast_run, mlx_stream) {
  *begun = false;
  const char* mode = std::getenv("MLX_CPU");
  if (mode != nullptr && std::strcmp(mode, "fast") == 0) {
    std::fprintf(stderr, "mlx: MLX_CPU=fast is stock on Apple, where Accelerate computes.\n");
  }
  return 0;
}

#else

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include "mlx/backend/cpu/encoder.h"

namespace mlxr {
namespace {

using Inputs = std::vector<array>;
using Eval = void (*)(mx::UnaryPrimitive*, const Inputs&, array&);

// Set once, before any node.
mlxr_fast_run kernels = nullptr;

struct Task {
  mlxr_fast_work work{};
  std::vector<Matrices> inputs;
  std::vector<Part> output;

  void operator()() const {
    std::vector<std::unique_ptr<char[]>> copies;
    std::vector<mlxr_host_part> parts;
    std::vector<mlxr_matrices> matrices;
    for (auto& input : inputs) {
      parts.push_back(input.as_span(copies));
      matrices.push_back(input.as_rust());
    }
    auto told = work;
    told.matrices = matrices.data();
    auto to = output[0].as_rust(output[0].data);
    mlx_string error = kernels(&told, parts.data(), parts.size(), &to);
    if (error.ctx != nullptr) {
      std::string text = mlx_string_data(error);
      mlx_string_free(error);
      throw std::runtime_error(text);
    }
  }
};

// MLX keeps the inputs until what it puts behind this task has run; HeldBack, what the scheduling thread frees.
void dispatch(mx::UnaryPrimitive* self, Task task, array& out) {
  out.set_data(mx::allocator::malloc(out.nbytes()));
  task.output.emplace_back(out);
  mx::cpu::get_command_encoder(self->stream()).dispatch(std::move(task));
}

bool is_half(mx::Dtype dtype) {
  return dtype == mx::float16 || dtype == mx::bfloat16;
}

// Each is told where it begins: of very many, which are small then, MLX is as fast.
constexpr size_t most_products = 1 << 16;

bool is_product(const Inputs& inputs, const array& out) {
  bool one_row = out.shape(-1) == 1 || out.shape(-2) == 1;
  bool ours = is_half(out.dtype()) || (out.dtype() == mx::float32 && one_row);
  for (auto& input : inputs) {
    ours = ours && input.dtype() == out.dtype() && input.ndim() == out.ndim() && input.size() > 0;
    ours = ours && is_aligned(input) && same_batch(input, out);
  }
  return ours && out.size() > 0 && out.size() / (out.shape(-2) * out.shape(-1)) <= most_products;
}

Task product(const Inputs& inputs, const array& out) {
  Task task;
  task.work.op = MLXR_FAST_PRODUCT;
  task.work.rows = out.shape(-2);
  task.work.columns = out.shape(-1);
  task.work.inner = inputs[0].shape(-1);
  task.work.batch = out.size() / (task.work.rows * task.work.columns);
  for (auto& input : inputs) {
    task.inputs.emplace_back(input, false);
  }
  return task;
}

Eval stock_matmul = nullptr;

void matmul(mx::UnaryPrimitive* self, const Inputs& inputs, array& out) {
  if (inputs.size() != 2 || !is_product(inputs, out)) {
    return stock_matmul(self, inputs, out);
  }
  auto task = product(inputs, out);
  task.work.alpha = 1;
  dispatch(self, std::move(task), out);
}

Eval stock_addmm = nullptr;

void addmm(mx::UnaryPrimitive* self, const Inputs& inputs, array& out) {
  auto [alpha, beta] = static_cast<mx::AddMM*>(self)->state();
  // By BLAS, which does not look at the product then.
  bool is_added_only = alpha == 0 && out.dtype() == mx::float32;
  if (inputs.size() != 3 || is_added_only || !is_product(inputs, out)) {
    return stock_addmm(self, inputs, out);
  }
  auto task = product(inputs, out);
  task.work.alpha = alpha;
  task.work.beta = beta;
  dispatch(self, std::move(task), out);
}

// Whether x, w, scales and biases are what the kernels take: elements where they may lie, none of them missing.
bool is_quantized(const array* arrays, size_t count, mx::QuantizationMode mode, const array& out) {
  bool affine = mode == mx::QuantizationMode::Affine;
  if (count != (affine ? 4 : 3) || arrays[1].dtype() != mx::uint32 || arrays[0].dtype() != out.dtype()) {
    return false;
  }
  bool ours = out.size() > 0 && (is_half(out.dtype()) || out.dtype() == mx::float32);
  for (size_t i = 0; i < count; ++i) {
    ours = ours && arrays[i].size() > 0 && arrays[i].ndim() >= (i == 0 ? 1 : 2) && is_aligned(arrays[i]);
  }
  for (size_t i = 2; i < count; ++i) {
    ours = ours && arrays[i].dtype() == (affine ? out.dtype() : mx::uint8);
    ours = ours && std::equal(
        arrays[1].shape().begin(), arrays[1].shape().end() - 1, arrays[i].shape().begin(), arrays[i].shape().end() - 1);
  }
  return ours;
}

// `whole` for all matrices of an input as one line, else each is told.
template <typename Primitive>
Task quantized(Primitive* self, const array* arrays, size_t count, const array& out, bool whole) {
  auto state = self->state();
  Task task;
  task.work.group_size = std::get<0>(state);
  task.work.bits = std::get<1>(state);
  task.work.mode = static_cast<int>(std::get<2>(state));
  task.work.transpose = std::get<3>(state);
  task.work.inner = arrays[0].shape(-1);
  task.work.columns = out.shape(-1);
  task.work.rows = arrays[0].ndim() > 1 ? arrays[0].shape(-2) : 1;
  task.work.batch = out.size() / (task.work.rows * task.work.columns);
  for (size_t i = 0; i < count; ++i) {
    task.inputs.push_back(whole ? Matrices(arrays[i]) : Matrices(arrays[i], true));
  }
  return task;
}

Eval stock_quantized = nullptr;

void quantized_matmul(mx::UnaryPrimitive* self, const Inputs& inputs, array& out) {
  auto* own = static_cast<mx::QuantizedMatmul*>(self);
  bool ours = is_quantized(inputs.data(), inputs.size(), std::get<2>(own->state()), out);
  bool one = ours && inputs[1].ndim() == 2;
  for (size_t i = 0; ours && !one && i < inputs.size(); ++i) {
    ours = inputs[i].ndim() == out.ndim() && same_batch(inputs[i], out);
  }
  if (!ours) {
    return stock_quantized(self, inputs, out);
  }
  auto task = quantized(own, inputs.data(), inputs.size(), out, one);
  task.work.op = MLXR_FAST_QUANTIZED;
  if (one) {
    // All rows of all matrices meet the same weights.
    task.work.rows *= task.work.batch;
    task.work.batch = 1;
  }
  dispatch(self, std::move(task), out);
}

Eval stock_gather = nullptr;

void gather_qmm(mx::UnaryPrimitive* self, const Inputs& inputs, array& out) {
  auto* own = static_cast<mx::GatherQMM*>(self);
  size_t count = inputs.size() - 2;
  bool ours = inputs.size() > 2 && inputs[0].ndim() >= 2;
  ours = ours && is_quantized(inputs.data(), count, std::get<2>(own->state()), out);
  for (size_t i = count; ours && i < inputs.size(); ++i) {
    ours = inputs[i].dtype() == mx::uint32 && is_aligned(inputs[i]);
    ours = ours && inputs[i].size() * out.shape(-1) * inputs[0].shape(-2) == out.size();
  }
  if (!ours) {
    return stock_gather(self, inputs, out);
  }
  auto task = quantized(own, inputs.data(), count, out, true);
  task.work.op = MLXR_FAST_GATHER;
  std::vector<Matrices> indices{Matrices(inputs[count]), Matrices(inputs[count + 1])};
  task.inputs.insert(task.inputs.begin(), indices.begin(), indices.end());
  dispatch(self, std::move(task), out);
}

Task rows(mlxr_fast_op op, const array& in, size_t inner) {
  Task task;
  task.work.op = op;
  task.work.inner = inner;
  task.work.rows = in.size() / inner;
  task.inputs.emplace_back(in);
  return task;
}

Eval stock_softmax = nullptr;

void softmax(mx::UnaryPrimitive* self, const Inputs& inputs, array& out) {
  auto& in = inputs[0];
  if (!is_half(in.dtype()) || in.dtype() != out.dtype() || in.size() == 0 || in.ndim() == 0 || !is_aligned(in)) {
    return stock_softmax(self, inputs, out);
  }
  dispatch(self, rows(MLXR_FAST_SOFTMAX, in, in.shape(-1)), out);
}

Eval stock_reduce = nullptr;

// Sums over the last axes.
void reduce(mx::UnaryPrimitive* self, const Inputs& inputs, array& out) {
  auto& in = inputs[0];
  auto [kind, axes] = static_cast<mx::Reduce*>(self)->state();
  bool ours = kind == mx::Reduce::Sum && is_half(in.dtype()) && in.dtype() == out.dtype() && in.size() > 0;
  size_t inner = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    int axis = static_cast<int>(in.ndim() - axes.size() + i);
    ours = ours && axes[i] == axis;
    inner *= ours ? in.shape(axis) : 1;
  }
  if (!ours || axes.empty() || !is_aligned(in)) {
    return stock_reduce(self, inputs, out);
  }
  dispatch(self, rows(MLXR_FAST_SUM, in, inner), out);
}

// Where in a table of virtual functions `eval_cpu` is, in bytes: what the Itanium ABI keeps in a pointer to a member.
size_t place_of_eval() {
  void (mx::UnaryPrimitive::*member)(const Inputs&, array&) = &mx::UnaryPrimitive::eval_cpu;
  std::ptrdiff_t words[2];
  static_assert(sizeof(member) == sizeof(words));
  std::memcpy(words, &member, sizeof(words));
#if defined(__aarch64__)
  return words[1] & 1 ? words[0] : 0;
#else
  return words[0] & 1 ? words[0] - 1 : 0;
#endif
}

// Puts `ours` where the kind of `node` has its `eval_cpu`, and gives back what was there.
Eval replace(const array& node, const char* kind, Eval ours) {
  auto refuse = [&](const char* why) {
    throw std::runtime_error(std::string("MLX's ") + kind + " is not where it is looked for: " + why);
  };
  if (!node.has_primitive() || std::strcmp(node.primitive().name(), kind) != 0) {
    refuse("the node is of another kind.");
  }
  size_t place = place_of_eval();
  if (place == 0 || place % sizeof(void*) != 0) {
    refuse("functions are not numbered as expected.");
  }
  auto* table = *reinterpret_cast<char**>(&node.primitive());
  auto* entry = reinterpret_cast<Eval*>(table + place);
  Dl_info of_entry{}, of_mlx{};
  // The class is MLX's, so its own function lies where the table does.
  if (dladdr(reinterpret_cast<void*>(*entry), &of_entry) == 0 || dladdr(table, &of_mlx) == 0 ||
      of_entry.dli_fbase != of_mlx.dli_fbase) {
    refuse("the entry is no function of libmlx.");
  }
  size_t page = sysconf(_SC_PAGESIZE);
  auto* start = reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(entry) / page * page);
  if (mprotect(start, page, PROT_READ | PROT_WRITE) != 0) {
    refuse("its page cannot be written to.");
  }
  Eval before = *entry;
  *entry = ours; // the page stays writable: what else lies in it may have to
  return before;
}

// The nodes are never computed.
void replace_all(mx::Stream cpu) {
  auto half = [&](mx::Shape shape) { return mx::zeros(std::move(shape), mx::bfloat16, cpu); };
  auto x = half({1, 64});
  stock_matmul = replace(mx::matmul(x, half({64, 1}), cpu), "Matmul", matmul);
  stock_addmm = replace(mx::addmm(half({1, 1}), x, half({64, 1}), 1, 1, cpu), "AddMM", addmm);
  auto w = mx::zeros({1, 1, 8}, mx::uint32, cpu);
  auto scales = half({1, 1, 1});
  auto index = mx::zeros({1}, mx::uint32, cpu);
  stock_quantized = replace(
      mx::quantized_matmul(half({1, 1, 64}), w, scales, scales, true, 64, 4, "affine", cpu),
      "QuantizedMatmul",
      quantized_matmul);
  stock_gather = replace(
      mx::gather_qmm(half({1, 1, 64}), w, scales, scales, index, index, true, 64, 4, "affine", false, cpu),
      "GatherQMM",
      gather_qmm);
  stock_softmax = replace(mx::softmax(x, -1, false, cpu), "Softmax", softmax);
  stock_reduce = replace(mx::sum(x, -1, true, cpu), "Sum", reduce);
}

// MLX keeps 32 MB of freed buffers for a CPU, and anything larger is mapped and faulted again each time.
void keep_buffers() {
  auto memory = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  mx::set_cache_limit(std::clamp(memory / 16, size_t(32) << 20, size_t(1) << 30));
}

} // namespace

bool is_fast() {
  return kernels != nullptr;
}

} // namespace mlxr

using namespace mlxr;

extern "C" int mlxr_fast_begin(bool* begun, mlxr_fast_run run, mlx_stream cpu) {
  return guarded([&] {
    // Where there is a GPU, data may move to the host when a task asks for them, and the limit would be the GPU's.
    *begun = asks_for_fast() && mx::device_count(mx::Device::gpu) == 0;
    if (!*begun) {
      return;
    }
    kernels = run;
    try {
      replace_all(mlx_stream_get_(cpu));
      keep_buffers();
    } catch (const std::exception& e) {
      // Entries replaced already stay: they work.
      std::fprintf(stderr, "mlx: MLX_CPU=fast is only partly so in this process: %s\n", e.what());
    }
  });
}

#endif
