// Devices and streams: what there is, and which one a thread's work goes to.
#include "common.h"

#include <sstream>
#include <stdexcept>
#include <variant>

#include "mlx/c/private/mlx.h"
#include "mlx/device.h"
#include "mlx/stream.h"

namespace mlxr {
namespace {

mx::Device device_of(bool gpu, int index) {
  return mx::Device(gpu ? mx::Device::gpu : mx::Device::cpu, index);
}

void require(const mx::Device& device) {
  int count = mx::device_count(device.type);
  if (device.index >= 0 && device.index < count) {
    return;
  }
  if (count == 0) {
    throw std::invalid_argument(
        "there is no GPU: the MLX library that was loaded is built for the CPU, or it found no device.");
  }
  throw std::invalid_argument(
      "there is no device " + std::to_string(device.index) + " of " + std::to_string(count) + ".");
}

} // namespace
} // namespace mlxr

using namespace mlxr;

extern "C" {

int mlxr_device_count(int* count, bool gpu) {
  return guarded([&] { *count = mx::device_count(device_of(gpu, 0).type); });
}

int mlxr_device_info(mlx_string* text, bool gpu, int index) {
  return guarded([&] {
    auto device = device_of(gpu, index);
    require(device);
    std::ostringstream out;
    for (auto& [key, value] : mx::device_info(device)) {
      std::visit([&, &key = key](auto& v) { out << key << '\t' << v << '\n'; }, value);
    }
    mlx_string_set_(*text, out.str());
  });
}

int mlxr_device_use(bool gpu, int index) {
  return guarded([&] { mx::set_default_device(device_of(gpu, index)); });
}

int mlxr_stream_new(mlx_stream* stream, bool gpu, int index) {
  return guarded([&] {
    auto device = device_of(gpu, index);
    require(device);
    *stream = mlx_stream_new_(mx::new_thread_unsafe_stream(device));
    streams_made.fetch_add(1);
  });
}

int mlxr_stream_enter(int* previous, mlx_stream stream) {
  return guarded([&] {
    auto& entered = mlx_stream_get_(stream);
    *previous = mx::default_stream(entered.device).index;
    mx::set_default_stream(entered);
  });
}

int mlxr_stream_leave(mlx_stream stream, int previous) {
  return guarded([&] { mx::set_default_stream(mx::Stream(previous, mlx_stream_get_(stream).device)); });
}

} // extern "C"
