// Kernels written in Rust as nodes of MLX's CPU streams, and memory of Rust's as arrays.
#include "common.h"
#include "part.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "mlx/backend/cpu/encoder.h"

namespace mlxr {
namespace {

using Payload = std::shared_ptr<void>;

// The statuses of closures of ours: their own error is kept on the Rust side.
void require(int status) {
  if (status != 0) {
    throw std::runtime_error("a rule of a host kernel ended early");
  }
}

class HostKernel : public mx::Primitive {
 public:
  HostKernel(mx::Stream stream, const mlxr_host_kernel& kernel, Payload payload)
      : Primitive(stream), kernel_(kernel), name_(kernel.name), payload_(std::move(payload)) {}

  void eval_cpu(const std::vector<array>& inputs, std::vector<array>& outputs) override {
    std::vector<Part> from;
    std::vector<Part> to;
    for (auto& output : outputs) {
      output.set_data(mx::allocator::malloc(output.nbytes()));
      to.emplace_back(output);
    }
    from.reserve(inputs.size());
    for (auto& input : inputs) {
      from.emplace_back(input);
    }
    mx::cpu::get_command_encoder(stream()).dispatch(
        [from = std::move(from), to = std::move(to), payload = payload_, run = kernel_.run] {
          call(from, to, payload, run);
        });
  }

  void eval_gpu(const std::vector<array>&, std::vector<array>&) override {
    throw std::runtime_error("[" + name_ + "] a host kernel runs on the CPU.");
  }

  std::vector<array> jvp(
      const std::vector<array>& primals,
      const std::vector<array>& tangents,
      const std::vector<int>& argnums) override {
    if (kernel_.jvp == nullptr) {
      throw std::invalid_argument("[" + name_ + "] this host kernel has no jvp rule.");
    }
    Vectors vectors{primals, tangents};
    require(kernel_.jvp(
        &vectors.out, vectors.in[0], vectors.in[1], argnums.data(), argnums.size(), payload_.get()));
    return mlx_vector_array_get_(vectors.out);
  }

  std::vector<array> vjp(
      const std::vector<array>& primals,
      const std::vector<array>& cotangents,
      const std::vector<int>& argnums,
      const std::vector<array>& outputs) override {
    if (kernel_.vjp == nullptr) {
      throw std::invalid_argument("[" + name_ + "] this host kernel has no vjp rule, so it has no gradient.");
    }
    Vectors vectors{primals, cotangents, outputs};
    require(kernel_.vjp(&vectors.out, vectors.in[0], vectors.in[1], vectors.in[2], payload_.get()));
    auto& all = mlx_vector_array_get_(vectors.out);
    std::vector<array> wanted;
    for (int argnum : argnums) {
      wanted.push_back(all.at(argnum));
    }
    return wanted;
  }

  std::pair<std::vector<array>, std::vector<int>> vmap(
      const std::vector<array>& inputs,
      const std::vector<int>& axes) override {
    if (kernel_.vmap == nullptr) {
      throw std::invalid_argument("[" + name_ + "] this host kernel has no vmap rule.");
    }
    Vectors vectors{inputs};
    mlx_vector_int out_axes = mlx_vector_int_new();
    int status =
        kernel_.vmap(&vectors.out, &out_axes, vectors.in[0], axes.data(), axes.size(), payload_.get());
    std::vector<int> given = mlx_vector_int_get_(out_axes);
    mlx_vector_int_free(out_axes);
    require(status);
    return {mlx_vector_array_get_(vectors.out), std::move(given)};
  }

  // Compiled functions merge equal nodes of equal inputs: those of one kernel that gives the same shapes.
  bool is_equivalent(const Primitive& other) const override {
    auto& that = static_cast<const HostKernel&>(other);
    return kernel_.identity == that.kernel_.identity && shapes_ == that.shapes_ && dtypes_ == that.dtypes_;
  }

  std::vector<mx::Shape> output_shapes(const std::vector<array>&) override {
    throw std::invalid_argument("[" + name_ + "] the shapes of a host kernel cannot be left open.");
  }

  const char* name() const override {
    return name_.c_str();
  }

  std::vector<mx::Shape> shapes_;
  std::vector<mx::Dtype> dtypes_;

 private:
  // mlx-c's vectors around a call of a rule.
  struct Vectors {
    std::vector<mlx_vector_array> in;
    mlx_vector_array out = mlx_vector_array_new();
    Vectors(std::initializer_list<std::reference_wrapper<const std::vector<array>>> lists) {
      for (auto& list : lists) {
        in.push_back(mlx_vector_array_new_(list.get()));
      }
    }
    ~Vectors() {
      for (auto& vector : in) {
        mlx_vector_array_free(vector);
      }
      mlx_vector_array_free(out);
    }
  };

  // On the stream's own thread.
  static void call(
      const std::vector<Part>& from,
      const std::vector<Part>& to,
      const Payload& payload,
      mlxr_host_run run) {
    std::vector<std::unique_ptr<char[]>> copies;
    std::vector<mlxr_host_part> inputs;
    std::vector<mlxr_host_part> outputs;
    for (auto& part : from) {
      char* memory = part.data;
      if (part.size > 0 && !part.is_plain()) {
        copies.push_back(part.packed());
        memory = copies.back().get();
      }
      inputs.push_back(part.as_rust(memory));
    }
    for (auto& part : to) {
      if (part.size > 0) {
        std::memset(part.data, 0, part.size * part.item);
      }
      outputs.push_back(part.as_rust(part.data));
    }
    mlx_string error = run(inputs.data(), inputs.size(), outputs.data(), outputs.size(), payload.get());
    if (error.ctx != nullptr) {
      std::string text = mlx_string_data(error);
      mlx_string_free(error);
      throw std::runtime_error(text);
    }
  }

  mlxr_host_kernel kernel_;
  std::string name_;
  Payload payload_;
};

// Whether the data of a buffer lie right behind a word with its size, as where MLX is built for the CPU alone: elsewhere a
// buffer is what its driver gave.
bool has_plain_buffers() {
  static const bool plain = [] {
    auto buffer = mx::allocator::malloc(64);
    bool behind = static_cast<char*>(buffer.raw_ptr()) == static_cast<char*>(buffer.ptr()) + sizeof(size_t);
    bool sized = behind && *static_cast<size_t*>(buffer.ptr()) >= 64;
    mx::allocator::free(buffer);
    return sized;
  }();
  return plain;
}

// What stands for a buffer of MLX's: its size, and who owns the data.
struct Owned {
  size_t bytes;
  Payload owner;
};

} // namespace
} // namespace mlxr

using namespace mlxr;

extern "C" {

int mlxr_host_new(
    mlx_vector_array* out,
    const mlxr_host_kernel* kernel,
    void* payload,
    void (*drop)(void*),
    const mlxr_host_part* outputs,
    size_t output_count,
    const mlx_array* inputs,
    size_t input_count,
    mlx_stream stream) {
  return guarded([&] {
    Payload owned(payload, drop);
    auto primitive = std::make_shared<HostKernel>(mlx_stream_get_(stream), *kernel, std::move(owned));
    for (size_t i = 0; i < output_count; ++i) {
      primitive->shapes_.emplace_back(outputs[i].shape, outputs[i].shape + outputs[i].ndim);
      primitive->dtypes_.push_back(mlx_dtype_to_cpp(outputs[i].dtype));
    }
    auto shapes = primitive->shapes_;
    auto dtypes = primitive->dtypes_;
    mlx_vector_array_set_(
        *out,
        array::make_arrays(
            std::move(shapes), dtypes, std::move(primitive), arrays_of(inputs, input_count)));
  });
}

bool mlxr_owned_is_shared(void) {
  return has_plain_buffers();
}

int mlxr_owned_new(mlx_array* out, const mlxr_host_part* part, void* owner, void (*drop)(void*)) {
  return guarded([&] {
    auto owned = std::make_shared<Owned>(Owned{0, Payload(owner, drop)});
    mx::Shape shape(part->shape, part->shape + part->ndim);
    array result(shape, mlx_dtype_to_cpp(part->dtype), nullptr, {});
    owned->bytes = result.nbytes();
    mx::Strides strides(part->ndim);
    int64_t stride = 1;
    size_t longest = 0;
    for (size_t i = part->ndim; i-- > 0;) {
      strides[i] = stride;
      stride *= shape[i];
      longest = std::max(longest, static_cast<size_t>(shape[i]));
    }
    bool in_one_line = result.size() <= 1 || result.size() == longest;
    // MLX looks for the data behind the size, and at an offset from there.
    auto behind = reinterpret_cast<char*>(&owned->bytes + 1);
    auto offset = reinterpret_cast<std::intptr_t>(part->data) - reinterpret_cast<std::intptr_t>(behind);
    mx::allocator::Buffer buffer(&owned->bytes);
    result.set_data(
        buffer,
        result.size(),
        std::move(strides),
        array::Flags{true, true, in_one_line},
        offset,
        [owned = std::move(owned)](mx::allocator::Buffer) mutable {
          HeldBack::let_go(std::move(owned->owner), owned->bytes);
          owned.reset();
        });
    result.set_status(array::Status::available);
    mlx_array_set_(*out, std::move(result));
  });
}

} // extern "C"
