// A matrix times a vector by OpenBLAS, in tiles and by threads of our own.
//
// OpenBLAS's own threads wait for each other by spinning. Where other work wants the processors, each product then takes as long
// as the slowest of them needs to be scheduled, and decoding has hundreds of products a token. Here a thread takes the next part
// when it has time, and nobody waits for one that took none. Tiles are below the size from which OpenBLAS shares a product out,
// and depend on the product's shape alone: so do the bits.
// Not here: which products these are (blas.cpp), kernels (OpenBLAS).
#pragma once

#include <cstddef>
#include <functional>

namespace mlxr {

// What cblas calls a matrix times a vector, without its scalars: the matrix lies row by row, `y` has a stride, too.
struct Gemv {
  bool transposed;
  int rows, columns;
  const void* matrix;
  int leading;
  const void* x;
  int x_stride, y_stride;
};

// A part of a product: some rows of the result, and some of what they are summed from.
struct Tile {
  int from, outputs, at, terms;
};

// Calls `compute` for each tile, on `threads` threads. Those of one result come one after the other, by rising `at`. A tile has at
// most `elements`.
void each_tile(const Gemv& product, int elements, int threads, const std::function<void(Tile)>& compute);

} // namespace mlxr
