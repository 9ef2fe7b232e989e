// Indexing, in one call each: what takes several calls of mlx-c, without the handles and lists between them. The nodes are
// those of MLX's own functions.
#include "common.h"

#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>

namespace mlxr {
namespace {

constexpr size_t apart = sizeof(mlxr_span) / sizeof(int);
template <size_t room>
constexpr size_t room_of(const mx::SmallVector<int, room>*) {
  return room;
}
// So many numbers MLX's lists hold without memory of their own.
constexpr size_t few = room_of(static_cast<const mx::Shape*>(nullptr));

// A number of each span, and for the axes behind them those of `rest`, or with a step of 0 its first: written where they are
// passed on. Not inlined, so that nothing has to be kept meanwhile.
[[gnu::noinline]] mx::Shape few_numbers(const int* number, size_t count, size_t ndim, const int* rest, size_t step) {
  mx::Shape list;
  if (list.capacity() != few || ndim > few) {
    __builtin_unreachable(); // the compiler cannot see that the list does not grow
  }
  list.resize(ndim);
  int* at = list.data();
  for (size_t axis = 0; axis < count; ++axis, number += apart) {
    at[axis] = *number;
  }
  for (size_t axis = count; axis < ndim; ++axis) {
    at[axis] = rest[axis * step];
  }
  return list;
}

[[gnu::noinline, gnu::cold]] mx::Shape many_numbers(
    const int* number, size_t count, size_t ndim, const int* rest, size_t step) {
  mx::Shape list(ndim);
  for (size_t axis = 0; axis < ndim; ++axis) {
    list[axis] = axis < count ? number[axis * apart] : rest[axis * step];
  }
  return list;
}

inline mx::Shape numbers(const int* number, size_t count, size_t ndim, const int* rest, size_t step) {
  return ndim <= few ? few_numbers(number, count, ndim, rest, step) : many_numbers(number, count, ndim, rest, step);
}

constexpr int zero = 0;
constexpr int one = 1;

// What MLX takes for spans of the leading axes.
struct Ranges {
  Ranges(const array& a, const mlxr_span* spans, size_t count)
      : spans(spans), count(count), ndim(a.ndim()), sizes(a.shape().data()) {
    if (count > ndim) [[unlikely]] {
      throw std::invalid_argument("[slice] more ranges than axes.");
    }
  }
  mx::Shape start() const {
    return numbers(&spans->start, count, ndim, &zero, 0);
  }
  mx::Shape stop() const {
    return numbers(&spans->stop, count, ndim, sizes, 1);
  }
  mx::Shape step() const {
    return numbers(&spans->step, count, ndim, &one, 0);
  }

  const mlxr_span* spans;
  size_t count;
  size_t ndim;
  const int* sizes;
};

// One axis alone takes a way of MLX's own that sorts nothing.
array without(const array& a, const int* axes, size_t count, mx::Stream stream) {
  return count == 1 ? mx::squeeze(a, axes[0], stream) : mx::squeeze(a, std::vector<int>(axes, axes + count), stream);
}

array with(const array& a, const int* axes, size_t count, mx::Stream stream) {
  return count == 1 ? mx::expand_dims(a, axes[0], stream)
                    : mx::expand_dims(a, std::vector<int>(axes, axes + count), stream);
}

std::vector<int> axes_from(size_t first, size_t count) {
  std::vector<int> axes(count);
  std::iota(axes.begin(), axes.end(), static_cast<int>(first));
  return axes;
}

using SliceUpdate =
    array (*)(const array&, const array&, mx::Shape, mx::Shape, mx::Shape, mx::StreamOrDevice);
using Scatter = array (*)(
    const array&,
    const std::vector<array>&,
    const array&,
    const std::vector<int>&,
    mx::StreamOrDevice);

SliceUpdate slice_update(mlxr_reduction how) {
  switch (how) {
    case MLXR_SUM:
      return mx::slice_update_add;
    case MLXR_PRODUCT:
      return mx::slice_update_prod;
    case MLXR_MAXIMUM:
      return mx::slice_update_max;
    case MLXR_MINIMUM:
      return mx::slice_update_min;
    default:
      return mx::slice_update;
  }
}

Scatter scatter(mlxr_reduction how) {
  switch (how) {
    case MLXR_SUM:
      return mx::scatter_add;
    case MLXR_PRODUCT:
      return mx::scatter_prod;
    case MLXR_MAXIMUM:
      return mx::scatter_max;
    case MLXR_MINIMUM:
      return mx::scatter_min;
    default:
      return mx::scatter;
  }
}

// Whether each of `count` values lies between two, inclusive. Many are looked at together and none ends the look.
template <typename T>
bool between(const char* data, size_t count, int64_t least, int64_t most) {
  using U = std::make_unsigned_t<T>;
  using S = std::make_signed_t<T>;
  typedef U Pack __attribute__((vector_size(16)));
  typedef S Signs __attribute__((vector_size(16)));
  using Limits = std::numeric_limits<T>;
  int64_t floor = std::max(least, static_cast<int64_t>(Limits::min()));
  int64_t top = most;
  if constexpr (sizeof(T) < 8) {
    top = std::min(most, static_cast<int64_t>(Limits::max()));
  }
  // Counted from the least good value, without sign, the good ones are those up to `width`. Processors compare with
  // sign: half the range is taken off either side.
  const U half = static_cast<U>(U(1) << (8 * sizeof(T) - 1));
  const U shift = static_cast<U>(half - static_cast<U>(floor));
  const S width = static_cast<S>(static_cast<U>(static_cast<U>(top) + shift));
  const char* end = data + count * sizeof(T);
  Signs bad[4] = {};
  auto look = [&](Signs& bad, const char* at) {
    Pack values;
    std::memcpy(&values, at, sizeof(values));
    bad |= reinterpret_cast<Signs>(values + shift) > width;
  };
  for (; data + 4 * sizeof(Pack) <= end; data += 4 * sizeof(Pack)) {
    look(bad[0], data);
    look(bad[1], data + sizeof(Pack));
    look(bad[2], data + 2 * sizeof(Pack));
    look(bad[3], data + 3 * sizeof(Pack));
  }
  bool found = false;
  for (; data < end; data += sizeof(T)) {
    U value;
    std::memcpy(&value, data, sizeof(value));
    found |= static_cast<S>(static_cast<U>(value + shift)) > width;
  }
  Signs all = bad[0] | bad[1] | bad[2] | bad[3];
  uint64_t halves[2];
  std::memcpy(halves, &all, sizeof(all));
  return !found && (halves[0] | halves[1]) == 0;
}

} // namespace
} // namespace mlxr

using namespace mlxr;

extern "C" {

bool mlxr_positions_fit(mlx_array handle, int64_t size) {
  auto& a = mlx_array_get_(handle);
  mlxr_view view;
  if (size <= 0 || a.size() == 0 || !mlxr_array_view(&view, handle) || !view.row_contiguous ||
      !lies_in_order(a.shape().data(), view.strides, a.ndim())) {
    return false;
  }
  auto* data = static_cast<const char*>(view.data);
  auto look = [&](auto value) { return between<decltype(value)>(data, a.size(), -size, size - 1); };
  switch (a.dtype().val()) {
    case mx::Dtype::Val::uint8:
      return look(uint8_t());
    case mx::Dtype::Val::uint16:
      return look(uint16_t());
    case mx::Dtype::Val::uint32:
      return look(uint32_t());
    case mx::Dtype::Val::uint64:
      return look(uint64_t());
    case mx::Dtype::Val::int8:
      return look(int8_t());
    case mx::Dtype::Val::int16:
      return look(int16_t());
    case mx::Dtype::Val::int32:
      return look(int32_t());
    case mx::Dtype::Val::int64:
      return look(int64_t());
    default:
      return false;
  }
}

int mlxr_slice(mlx_array* out, mlx_array handle, const mlxr_span* spans, size_t count, mlx_stream stream) {
  return guarded([&] {
    auto& a = mlx_array_get_(handle);
    Ranges ranges(a, spans, count);
    auto slice = mx::slice(a, ranges.start(), ranges.stop(), ranges.step(), mlx_stream_get_(stream));
    mlx_array_set_(*out, std::move(slice));
  });
}

int mlxr_slice_axes(
    mlx_array* out,
    mlx_array handle,
    const mlxr_span* spans,
    size_t count,
    const int* gone,
    size_t gone_count,
    const int* added,
    size_t added_count,
    mlx_stream stream) {
  return guarded([&] {
    auto& a = mlx_array_get_(handle);
    auto& s = mlx_stream_get_(stream);
    Ranges ranges(a, spans, count);
    auto slice = mx::slice(a, ranges.start(), ranges.stop(), ranges.step(), s);
    if (!mlxr_array_fits({&slice})) {
      mlx_array_set_(*out, std::move(slice)); // the caller says so of the slice, whose sizes wrapped around
    } else if (gone_count == 0) {
      mlx_array_set_(*out, with(slice, added, added_count, s));
    } else if (added_count == 0) {
      mlx_array_set_(*out, without(slice, gone, gone_count, s));
    } else {
      mlx_array_set_(*out, with(without(slice, gone, gone_count, s), added, added_count, s));
    }
  });
}

int mlxr_slice_update(
    mlx_array* out,
    mlxr_reduction how,
    mlx_array handle,
    mlx_array update,
    const mlxr_span* spans,
    size_t count,
    mlx_stream stream) {
  return guarded([&] {
    auto& a = mlx_array_get_(handle);
    auto& values = mlx_array_get_(update);
    auto& s = mlx_stream_get_(stream);
    Ranges ranges(a, spans, count);
    mlx_array_set_(*out, slice_update(how)(a, values, ranges.start(), ranges.stop(), ranges.step(), s));
  });
}

int mlxr_gather(mlx_array* out, mlx_array handle, const mlx_array* indices, size_t count, mlx_stream stream) {
  return guarded([&] {
    auto& a = mlx_array_get_(handle);
    auto& s = mlx_stream_get_(stream);
    auto sizes = a.shape();
    std::fill_n(sizes.begin(), std::min(count, sizes.size()), 1);
    array found = mx::gather(a, arrays_of(indices, count), axes_from(0, count), sizes, s);
    if (!mlxr_array_fits({&found})) {
      mlx_array_set_(*out, std::move(found)); // the caller says so of the gather
      return;
    }
    auto gone = axes_from(found.ndim() - a.ndim(), count);
    mlx_array_set_(*out, without(found, gone.data(), count, s));
  });
}

int mlxr_scatter(
    mlx_array* out,
    mlxr_reduction how,
    mlx_array handle,
    const mlx_array* indices,
    size_t count,
    mlx_array updates,
    mlx_stream stream) {
  return guarded([&] {
    auto call = scatter(how);
    auto& a = mlx_array_get_(handle);
    auto& values = mlx_array_get_(updates);
    mlx_array_set_(*out, call(a, arrays_of(indices, count), values, axes_from(0, count), mlx_stream_get_(stream)));
  });
}

} // extern "C"
