//! What most programs import: the types, and the traits that give tensors their methods.

#[doc(no_inline)]
pub use mlx_core::{Dtype, Error, ErrorKind, Result, Tensor, axes, tensor};
#[doc(no_inline)]
pub use mlx_ops::{
    BinaryOps, ClosenessOps, CumulativeOps, Ellipsis, ExponentialOps, ExtremeOps, IndexOps, MatmulOps,
    NewAxis, NumericOps, PredicateOps, ReduceOps, ReverseOps, ScanOps, SelectOps, ShapingOps, Slice,
    SoftmaxOps, SortOps, TrigonometryOps, UnaryOps, VarianceOps, scan,
};
