//! What most programs import: the types, and the traits that give tensors their methods.

#[doc(no_inline)]
pub use mlx_core::{Dtype, Error, ErrorKind, Result, Tensor, axes, tensor};
#[doc(no_inline)]
pub use mlx_ops::{
    AxisOps, BinaryOps, ClosenessOps, CumulativeOps, DiagonalOps, Ellipsis, ExponentialOps, ExtremeOps,
    IndexOps, LikeOps, MatmulOps, NewAxis, NumericOps, PadOps, PredicateOps, ProductOps, ReduceOps,
    RepeatOps, ReverseOps, ScanOps, SelectOps, ShapingOps, Slice, SoftmaxOps, SortOps, SplitOps, StorageOps,
    TrigonometryOps, UnaryOps, VarianceOps, scan,
};
