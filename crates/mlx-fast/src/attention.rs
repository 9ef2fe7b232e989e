//! Scaled dot product attention.

use mlx_core::{Error, ErrorKind, Result, Tensor, ffi::fast};

/// Which keys a query sees.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Mask {
    /// All of them.
    #[default]
    None,
    /// Those up to its own position, the last query being at the last key.
    Causal,
    /// Where a bool mask is true; or the scores plus an additive mask, whose dtype promotes to that of the result. The
    /// mask broadcasts to `[batch, heads, queries, keys]`.
    Tensor(Tensor),
}

impl From<&Tensor> for Mask {
    fn from(mask: &Tensor) -> Mask {
        Mask::Tensor(mask.clone())
    }
}

impl From<&Mask> for Mask {
    fn from(mask: &Mask) -> Mask {
        mask.clone()
    }
}

/// The mask in it, or none.
impl From<Option<&Tensor>> for Mask {
    fn from(mask: Option<&Tensor>) -> Mask {
        mask.map_or(Mask::None, Mask::from)
    }
}

/// What [`scaled_dot_product_attention`] takes beside queries, keys and values.
///
/// ```
/// # use mlx_fast::{Attention, Mask};
/// let how = Attention::new(0.125).mask(Mask::Causal);
/// assert!(how.sinks.is_none());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attention {
    /// The factor of the scores, mostly one over the root of the features.
    pub scale: f32,
    /// Which keys a query sees.
    pub mask: Mask,
    /// One logit for each head of queries that takes part in the softmax and has no value.
    pub sinks: Option<Tensor>,
    /// Whether it is an error when there is no fused kernel: one may be slower, and needs less memory.
    pub force_fused: bool,
}

impl Attention {
    /// No mask, no sinks.
    #[must_use]
    pub fn new(scale: f32) -> Attention {
        Attention { scale, mask: Mask::None, sinks: None, force_fused: false }
    }

    /// Which keys a query sees.
    #[must_use]
    pub fn mask(mut self, mask: impl Into<Mask>) -> Attention {
        self.mask = mask.into();
        self
    }

    /// One logit a head without a value.
    #[must_use]
    pub fn sinks(mut self, sinks: &Tensor) -> Attention {
        self.sinks = Some(sinks.clone());
        self
    }

    /// Whether only a fused kernel will do.
    #[must_use]
    pub fn force_fused(mut self, force_fused: bool) -> Attention {
        self.force_fused = force_fused;
        self
    }
}

/// `softmax(scale * (q @ k.T) + mask) @ v`, the softmax in float32.
///
/// `q` has the shape `[batch, heads, queries, features]`, `k` and `v` `[batch, kv_heads, keys, features]`, where
/// `kv_heads` divides `heads` and the features of `v` may be others. A query that sees no key has the mean of the values
/// under a bool mask, and NaN under an additive one.
///
/// # Errors
/// Shapes that do not fit, keys without heads; dtypes that are no real floats; a mask or sinks whose dtype does not
/// promote to that of the result; no fused kernel where one is forced.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_fast::{Attention, Mask, scaled_dot_product_attention};
/// let (q, v) = (Tensor::from_shape_slice([1, 1, 2, 1], &[0.0_f32, 0.0])?, [1.0_f32, 3.0]);
/// let v = Tensor::from_shape_slice([1, 1, 2, 1], &v)?;
/// let y = scaled_dot_product_attention(&q, &q, &v, &Attention::new(1.0).mask(Mask::Causal))?;
/// assert_eq!(y.to_vec::<f32>()?, [1.0, 2.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.fast.scaled_dot_product_attention")]
#[track_caller]
pub fn scaled_dot_product_attention(q: &Tensor, k: &Tensor, v: &Tensor, how: &Attention) -> Result<Tensor> {
    if k.shape().get(1) == Some(&0) {
        // MLX divides the number of query heads by this one.
        let message = "[scaled_dot_product_attention] keys must have at least one head";
        return Err(Error::new(ErrorKind::Shape, "scaled_dot_product_attention", message).with_operands(&[
            q.into(),
            k.into(),
            v.into(),
        ]));
    }
    let (causal, mask) = match &how.mask {
        Mask::None => (false, None),
        Mask::Causal => (true, None),
        Mask::Tensor(mask) => (false, Some(mask)),
    };
    let &Attention { scale, force_fused, .. } = how;
    let raw = fast::Attention { scale, causal, mask, sinks: how.sinks.as_ref(), force_fused };
    fast::attention(q, k, v, &raw)
}
