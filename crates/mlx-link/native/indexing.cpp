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

// One number for each axis: `part` of its span, and what `rest` says of the axes behind the spans.
template <typename Part, typename Rest>
mx::Shape each(const array& a, const mlxr_span* spans, size_t count, Part part, Rest rest) {
  size_t ndim = a.ndim();
  mx::Shape list(ndim);
  int* at = list.data();
  for (size_t axis = 0; axis < count; ++axis) {
    at[axis] = part(spans[axis]);
  }
  for (size_t axis = count; axis < ndim; ++axis) {
    at[axis] = rest(axis);
  }
  return list;
}

// Built where they are passed on: an array of MLX's sizes is moved element by element.
#define MLXR_RANGES(a, spans, count)                                                                 \
  each(a, spans, count, [](auto& span) { return span.start; }, [](size_t) { return 0; }),            \
      each(a, spans, count, [](auto& span) { return span.stop; },                                    \
           [sizes = a.shape().data()](size_t axis) { return sizes[axis]; }),                         \
      each(a, spans, count, [](auto& span) { return span.step; }, [](size_t) { return 1; })

void check(const array& a, const mlxr_span* spans, size_t count) {
  bool stands = count > a.ndim();
  for (size_t axis = 0; axis < count; ++axis) {
    stands |= spans[axis].step == 0; // MLX divides by it
  }
  if (stands) [[unlikely]] {
    throw std::invalid_argument("[slice] more ranges than axes, or a step of 0.");
  }
}

// One axis alone takes a way of MLX's own that sorts nothing.
array without(const array& a, const int* axes, size_t count, mx::Stream stream) {
  return count == 1 ? mx::squeeze(a, axes[0], stream) : mx::squeeze(a, std::vector<int>(axes, axes + count), stream);
}

array with(const array& a, const int* axes, size_t count, mx::Stream stream) {
  return count == 1 ? mx::expand_dims(a, axes[0], stream)
                    : mx::expand_dims(a, std::vector<int>(axes, axes + count), stream);
}

std::vector<int> leading_axes(size_t count) {
  std::vector<int> axes(count);
  std::iota(axes.begin(), axes.end(), 0);
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
  constexpr size_t lanes = 32 / sizeof(T);
  typedef U Pack __attribute__((vector_size(32)));
  typedef S Signs __attribute__((vector_size(32)));
  using Limits = std::numeric_limits<T>;
  int64_t floor = std::max(least, static_cast<int64_t>(Limits::min()));
  int64_t top = most;
  if constexpr (sizeof(T) < 8 || std::is_signed_v<T>) {
    top = std::min(most, static_cast<int64_t>(Limits::max()));
  }
  // Counted from the least good value, without sign, the good ones are those up to `width`. Processors compare with
  // sign: half the range is taken off either side.
  const U low = static_cast<U>(floor);
  const U half = static_cast<U>(U(1) << (8 * sizeof(T) - 1));
  const U shift = static_cast<U>(half - low);
  const S width = static_cast<S>(static_cast<U>(static_cast<U>(top) + shift));
  Signs bad = {};
  size_t done = 0;
  for (; done + lanes <= count; done += lanes) {
    Pack values;
    std::memcpy(&values, data + done * sizeof(T), sizeof(values));
    bad |= reinterpret_cast<Signs>(values + shift) > width;
  }
  bool found = false;
  for (; done < count; ++done) {
    U value;
    std::memcpy(&value, data + done * sizeof(T), sizeof(value));
    found |= static_cast<S>(static_cast<U>(value + shift)) > width;
  }
  for (size_t lane = 0; lane < lanes; ++lane) {
    found |= bad[lane] != 0;
  }
  return !found;
}

// By the strides: of a transposed part of a split MLX's flag is not true.
bool lies_in_order(const array& a) {
  int64_t wanted = 1;
  for (size_t axis = a.ndim(); axis-- > 0;) {
    int64_t size = a.shape().data()[axis];
    if (size != 1 && a.strides().data()[axis] != wanted) {
      return false;
    }
    wanted *= size;
  }
  return a.flags().row_contiguous;
}

} // namespace
} // namespace mlxr

using namespace mlxr;

extern "C" {

bool mlxr_positions_fit(mlx_array handle, int64_t size) {
  auto& a = mlx_array_get_(handle);
  mlxr_view view;
  if (size <= 0 || a.size() == 0 || !mlxr_array_view(&view, handle) || !lies_in_order(a)) {
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

int mlxr_slice(
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
    check(a, spans, count);
    array slice = mx::slice(a, MLXR_RANGES(a, spans, count), s);
    if (gone_count == 0 && added_count == 0) {
      mlx_array_set_(*out, std::move(slice));
    } else if (added_count == 0) {
      mlx_array_set_(*out, without(slice, gone, gone_count, s));
    } else if (gone_count == 0) {
      mlx_array_set_(*out, with(slice, added, added_count, s));
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
    check(a, spans, count);
    auto& values = mlx_array_get_(update);
    auto call = slice_update(how);
    mlx_array_set_(*out, call(a, values, MLXR_RANGES(a, spans, count), mlx_stream_get_(stream)));
  });
}

int mlxr_gather(mlx_array* out, mlx_array handle, const mlx_array* indices, size_t count, mlx_stream stream) {
  return guarded([&] {
    auto& a = mlx_array_get_(handle);
    auto& s = mlx_stream_get_(stream);
    auto sizes = a.shape();
    std::fill_n(sizes.begin(), std::min(count, sizes.size()), 1);
    array found = mx::gather(a, arrays_of(indices, count), leading_axes(count), sizes, s);
    if (!mlxr_array_fits({&found})) {
      mlx_array_set_(*out, std::move(found)); // the caller says so of the gather
      return;
    }
    std::vector<int> gone(count);
    std::iota(gone.begin(), gone.end(), static_cast<int>(found.ndim() - a.ndim()));
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
    mlx_array_set_(*out, call(a, arrays_of(indices, count), values, leading_axes(count), mlx_stream_get_(stream)));
  });
}

} // extern "C"
