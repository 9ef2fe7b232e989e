//! Products of matrices and tensors: a file for those of matrices, one for those that choose matrices or parts of them
//! (`sparse`), one for those of tensors, one for einsum.

mod einsum;
mod matmul;
mod sparse;
mod tensors;

pub use einsum::{EinsumPath, einsum, einsum_path};
pub use matmul::{MatmulOps, addmm, matmul};
pub use sparse::{BlockMasks, IntoIndices, block_masked_mm, gather_mm, gather_mm_sorted, segmented_mm};
pub use tensors::{IntoContraction, ProductOps, inner, kron, outer, tensordot, vecdot};
