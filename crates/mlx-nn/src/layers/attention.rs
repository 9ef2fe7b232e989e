//! Attention with heads over linear maps.

use super::{Linear, refused};
use crate::{Module, State};
use mlx_core::{Dtype, Result, Tensor, finfo};
use mlx_fast::{Attention, Mask, scaled_dot_product_attention};
use mlx_ops::{NewAxis, arange, astype, flatten, index, less, multiply, transpose, unflatten};

/// The sizes of a [`MultiHeadAttention`].
///
/// ```
/// # use mlx_nn::{AttentionConfig, MultiHeadAttention};
/// let how = AttentionConfig::new(8, 2).key_input_dims(5).bias(true);
/// let attention = MultiHeadAttention::with(&how)?;
/// assert_eq!(attention.value_proj.weight.shape(), [8, 5]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AttentionConfig {
    /// The features of queries and keys in all heads, and of what has no size of its own.
    pub dims: i32,
    /// How many heads share them.
    pub num_heads: i32,
    /// The features of queries that are given; `dims` where absent.
    pub query_input_dims: Option<i32>,
    /// The features of keys that are given; `dims` where absent.
    pub key_input_dims: Option<i32>,
    /// The features of values that are given; those of keys where absent.
    pub value_input_dims: Option<i32>,
    /// The features of values in all heads; `dims` where absent.
    pub value_dims: Option<i32>,
    /// The features of the result; `dims` where absent.
    pub value_output_dims: Option<i32>,
    /// Whether the maps have biases.
    pub bias: bool,
}

macro_rules! sizes {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: i32) -> AttentionConfig {
            self.$name = Some($name);
            self
        })*
    };
}

impl AttentionConfig {
    /// `dims` features everywhere, in `num_heads` heads, without biases.
    #[must_use]
    pub fn new(dims: i32, num_heads: i32) -> AttentionConfig {
        AttentionConfig {
            dims,
            num_heads,
            query_input_dims: None,
            key_input_dims: None,
            value_input_dims: None,
            value_dims: None,
            value_output_dims: None,
            bias: false,
        }
    }

    sizes! {
        /// With other features of queries.
        query_input_dims;
        /// With other features of keys, and of values where they have none of their own.
        key_input_dims;
        /// With other features of values.
        value_input_dims;
        /// With other features of values in the heads.
        value_dims;
        /// With other features of the result.
        value_output_dims;
    }

    /// Whether the maps have biases.
    #[must_use]
    pub fn bias(mut self, bias: bool) -> AttentionConfig {
        self.bias = bias;
        self
    }
}

/// Queries that gather values by the likeness of their keys, in several heads.
///
/// ```
/// # use mlx_core::Dtype;
/// # use mlx_fast::Mask;
/// # use mlx_nn::{ModuleExt, MultiHeadAttention};
/// let attention = MultiHeadAttention::new(8, 2)?;
/// let x = mlx_ops::ones([1, 3, 8], Dtype::Float32)?;
/// assert_eq!(attention.forward(&x, &x, &x, Mask::Causal)?.shape(), [1, 3, 8]);
/// let mask = MultiHeadAttention::create_additive_causal_mask(3, Dtype::Float32)?;
/// assert_eq!(attention.forward(&x, &x, &x, &mask)?.shape(), [1, 3, 8]);
/// let keys: Vec<String> = attention.parameters().into_keys().collect();
/// assert_eq!(keys, ["query_proj.weight", "key_proj.weight", "value_proj.weight", "out_proj.weight"]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug, Module)]
#[doc(alias = "nn.MultiHeadAttention")]
pub struct MultiHeadAttention {
    /// How many heads there are.
    pub num_heads: i32,
    /// Of queries, to `dims`.
    pub query_proj: Linear,
    /// Of keys, to `dims`.
    pub key_proj: Linear,
    /// Of values, to `value_dims`.
    pub value_proj: Linear,
    /// Of what the heads give, to `value_output_dims`.
    pub out_proj: Linear,
    state: State,
}

impl MultiHeadAttention {
    /// A layer of `dims` features in `num_heads` heads, without biases, drawn as Python draws it: query, key, value,
    /// output.
    ///
    /// # Errors
    /// No head; heads that do not divide the features; sizes that are no sizes.
    pub fn new(dims: i32, num_heads: i32) -> Result<MultiHeadAttention> {
        MultiHeadAttention::with(&AttentionConfig::new(dims, num_heads))
    }

    /// [`new`](MultiHeadAttention::new) with all sizes.
    ///
    /// # Errors
    /// As [`new`](MultiHeadAttention::new).
    pub fn with(how: &AttentionConfig) -> Result<MultiHeadAttention> {
        let &AttentionConfig { dims, num_heads, bias, .. } = how;
        match dims.checked_rem(num_heads) {
            Some(0) if num_heads > 0 => {}
            Some(0) => return refused("MultiHeadAttention", format!("there are no {num_heads} heads")),
            None => return refused("MultiHeadAttention", "integer modulo by zero".into()),
            Some(_) => {
                let message = format!(
                    "The input feature dimensions should be divisible by the number of heads ({dims} % {num_heads}) != 0"
                );
                return refused("MultiHeadAttention", message);
            }
        }
        // As in Python a size of 0 is none.
        let or = |size: Option<i32>, other| size.filter(|&size| size != 0).unwrap_or(other);
        let keys = or(how.key_input_dims, dims);
        let values = or(how.value_dims, dims);
        Ok(MultiHeadAttention {
            num_heads,
            query_proj: Linear::new(or(how.query_input_dims, dims), dims, bias)?,
            key_proj: Linear::new(keys, dims, bias)?,
            value_proj: Linear::new(or(how.value_input_dims, keys), values, bias)?,
            out_proj: Linear::new(values, or(how.value_output_dims, dims), bias)?,
            state: State::new(),
        })
    }

    /// What the heads gather: `queries`, `[batch, queries, features]`, `keys` and `values`, `[batch, keys, features]`, as
    /// `[batch, queries, value_output_dims]`. The mask is [`Mask::None`], [`Mask::Causal`] or a tensor that broadcasts to
    /// `[batch, num_heads, queries, keys]`: of bools, or added to the scores.
    ///
    /// # Errors
    /// Shapes that do not fit, as features that the heads do not divide; a mask whose dtype does not promote to the
    /// result's.
    #[track_caller]
    pub fn forward(
        &self,
        queries: &Tensor,
        keys: &Tensor,
        values: &Tensor,
        mask: impl Into<Mask>,
    ) -> Result<Tensor> {
        let queries = self.query_proj.forward(queries)?;
        let keys = self.key_proj.forward(keys)?;
        let values = self.value_proj.forward(values)?;
        let (queries, keys, values) = (self.heads(&queries)?, self.heads(&keys)?, self.heads(&values)?);
        let features = queries.dim(-1);
        if features == 0 {
            return refused("MultiHeadAttention", "heads without features have no scale of scores".into());
        }
        let scale = (1.0 / f64::from(features)).sqrt();
        let how = Attention::new(scale as f32).mask(mask);
        let output = scaled_dot_product_attention(&queries, &keys, &values, &how)?;
        self.out_proj.forward(&flatten(&transpose(&output, [0, 2, 1, 3])?, -2..=-1)?)
    }

    /// Features by head: `[batch, heads, time, features]`.
    #[track_caller]
    fn heads(&self, x: &Tensor) -> Result<Tensor> {
        transpose(&unflatten(x, -1, [self.num_heads, -1])?, [0, 2, 1, 3])
    }

    /// An additive mask, `[size, size]`, that keeps the positions up to a query's own: 0 there, and the least number of
    /// `dtype` beyond.
    ///
    /// # Errors
    /// A negative size; a dtype that holds no floats.
    ///
    /// ```
    /// # use mlx_core::Dtype;
    /// # use mlx_nn::MultiHeadAttention;
    /// let mask = MultiHeadAttention::create_additive_causal_mask(2, Dtype::Float32)?;
    /// assert_eq!(mask.to_vec::<f32>()?, [0.0, f32::MIN, 0.0, 0.0]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    #[track_caller]
    pub fn create_additive_causal_mask(size: i32, dtype: Dtype) -> Result<Tensor> {
        let indices = arange(0, size, 1)?;
        let later = less(index(&indices, (.., NewAxis))?, index(&indices, NewAxis)?)?;
        multiply(astype(&later, dtype)?, finfo(dtype)?.min)
    }
}
