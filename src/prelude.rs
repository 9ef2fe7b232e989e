//! What most programs import: the types, and the traits that give tensors their methods.

#[doc(no_inline)]
pub use mlx_core::{Dtype, Error, ErrorKind, Result, Tensor, axes, tensor};
#[doc(no_inline)]
pub use mlx_ops::{
    BinaryOps, Ellipsis, IndexOps, MatmulOps, NewAxis, ProductOps, ReduceOps, ReverseOps, SelectOps,
    ShapingOps, Slice, SoftmaxOps, UnaryOps, VarianceOps,
};
