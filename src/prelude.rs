//! What most programs import: the types, and the traits that give tensors their methods.

#[doc(no_inline)]
pub use mlx_core::{Dtype, Error, ErrorKind, Result, Tensor, axes, tensor};
#[doc(no_inline)]
pub use mlx_ops::{
    AxisOps, BinaryOps, DiagonalOps, Ellipsis, IndexOps, LikeOps, MatmulOps, NewAxis, PadOps, ReduceOps,
    RepeatOps, ReverseOps, SelectOps, ShapingOps, Slice, SoftmaxOps, SplitOps, StorageOps, UnaryOps,
    VarianceOps,
};
