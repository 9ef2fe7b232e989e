// Arrays as tasks see them: memory with shape and strides, packed where Rust wants it in order. Not here: tasks.
#pragma once
#include "common.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "mlx/c/private/enums.h"

namespace mlxr {

// Calls `visit` with the offset of each element of the leading `ndim` dimensions, in order.
template <typename Visit>
void each_offset(const mx::Shape& shape, const mx::Strides& strides, size_t ndim, Visit visit) {
  size_t count = 1;
  for (size_t i = 0; i < ndim; ++i) {
    count *= shape[i];
  }
  std::vector<int32_t> at(ndim, 0);
  int64_t offset = 0;
  for (size_t done = 0; done < count; ++done) {
    visit(offset);
    for (size_t i = ndim; i-- > 0;) {
      offset += strides[i];
      if (++at[i] < shape[i]) {
        break;
      }
      offset -= strides[i] * shape[i];
      at[i] = 0;
    }
  }
}

// What a task needs of an array once the array is gone: MLX or HeldBack keeps the memory itself until the task has run.
struct Part {
  char* data;
  mx::Shape shape;
  mx::Strides strides;
  size_t size;
  size_t item;
  mlx_dtype dtype;

  explicit Part(const array& a)
      : data(const_cast<char*>(a.data<char>())),
        shape(a.shape()),
        strides(a.strides()),
        size(a.size()),
        item(a.itemsize()),
        dtype(mlx_dtype_to_c(a.dtype())) {}

  // In row-major order and where elements of the dtype may lie.
  bool is_plain() const {
    return lies_in_order(shape.data(), strides.data(), shape.size()) &&
        reinterpret_cast<std::uintptr_t>(data) % (dtype == MLX_COMPLEX64 ? 4 : item) == 0;
  }

  std::unique_ptr<char[]> packed() const {
    std::unique_ptr<char[]> copy(new char[size * item]);
    if (size == 0) {
      return copy;
    }
    switch (item) {
      case 1:
        pack<uint8_t>(copy.get());
        break;
      case 2:
        pack<uint16_t>(copy.get());
        break;
      case 4:
        pack<uint32_t>(copy.get());
        break;
      default:
        pack<uint64_t>(copy.get());
    }
    return copy;
  }

  mlxr_host_part as_rust(char* memory) const {
    return {memory, size, shape.data(), shape.size(), dtype};
  }

 private:
  // Elements may lie at any address.
  template <typename T>
  void pack(char* to) const {
    int64_t inner = shape.empty() ? 1 : shape.back();
    int64_t stride = shape.empty() ? 1 : strides.back();
    constexpr int64_t bytes = sizeof(T);
    each_offset(shape, strides, shape.empty() ? 0 : shape.size() - 1, [&](int64_t offset) {
      const char* from = data + offset * bytes;
      if (stride == 1) {
        std::memcpy(to, from, inner * bytes);
      } else {
        for (int64_t i = 0; i < inner; ++i) {
          std::memcpy(to + i * bytes, from + i * stride * bytes, bytes);
        }
      }
      to += inner * bytes;
    });
  }
};

inline bool is_aligned(const array& a) {
  return reinterpret_cast<std::uintptr_t>(a.data<char>()) % a.itemsize() == 0;
}

// Whether all dimensions but the last two are the same.
inline bool same_batch(const array& a, const array& b) {
  return a.ndim() == b.ndim() && a.ndim() >= 2 &&
      std::equal(a.shape().begin(), a.shape().end() - 2, b.shape().begin());
}

// An input of a fast kernel: the matrices in its last two dimensions, or all of it in one. The task packs what has strides
// that a kernel could not follow.
class Matrices {
 public:
  // As one.
  explicit Matrices(const array& a) : part_(a), pack_(!part_.is_plain()), row_(a.ndim() == 0 ? 1 : a.shape(-1)) {}

  // `in_rows` for rows without gaps; else rows or columns may have some. Matrices that repeat are packed once.
  Matrices(const array& a, bool in_rows) : Matrices(a) {
    if (part_.shape.size() < 2) {
      return;
    }
    auto shape = part_.shape;
    auto strides = part_.strides;
    size_t batch = shape.size() - 2;
    pack_ = !lie(shape[batch], shape[batch + 1], strides[batch], strides[batch + 1], in_rows);
    for (size_t i = 0; i < batch; ++i) {
      pack_ = pack_ || (shape[i] > 1 && strides[i] < 0);
    }
    if (pack_) {
      row_ = shape[batch + 1];
      column_ = 1;
      int64_t stride = int64_t(shape[batch]) * shape[batch + 1];
      for (size_t i = batch; i-- > 0;) {
        if (strides[i] == 0) {
          part_.size /= shape[i];
          part_.shape[i] = 1;
        } else {
          strides[i] = stride;
          stride *= shape[i];
        }
      }
    }
    starts_.clear();
    each_offset(shape, strides, batch, [&](int64_t start) { starts_.push_back(start); });
  }

  // All memory between the first element and the last.
  mlxr_host_part as_span(std::vector<std::unique_ptr<char[]>>& copies) const {
    if (pack_) {
      copies.push_back(part_.packed());
      return {copies.back().get(), part_.size, nullptr, 0, part_.dtype};
    }
    size_t last = 0;
    for (size_t i = 0; i < part_.shape.size(); ++i) {
      last += static_cast<size_t>(part_.shape[i] - 1) * part_.strides[i];
    }
    return {part_.data, last + 1, nullptr, 0, part_.dtype};
  }

  mlxr_matrices as_rust() const {
    return {row_, column_, starts_.data(), starts_.size()};
  }

 private:
  bool lie(int64_t rows, int64_t columns, int64_t row, int64_t column, bool in_rows) {
    row_ = rows == 1 ? columns : row;
    column_ = columns == 1 ? 1 : column;
    if (column_ == 1 && (in_rows ? row_ == columns : row_ >= columns)) {
      return true;
    }
    row_ = rows == 1 ? 1 : row;
    column_ = columns == 1 ? rows : column;
    return !in_rows && row_ == 1 && column_ >= rows;
  }

  Part part_;
  bool pack_;
  int64_t row_;
  int64_t column_ = 1;
  std::vector<int64_t> starts_{0};
};

} // namespace mlxr
