//! Through a model: which layers are quantized, and how.

use super::{LayerQuantization, slot::has_form};
use crate::{MemberMut, Module, ModuleExt, layers::refused};
use mlx_core::{Result, utils::joined};
use mlx_fast::{QuantMode, Quantization};
use std::{any::Any, collections::HashMap};

/// What becomes of a layer of a model: what the predicate of [`quantize_where`] gives, a bool or settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// It stays.
    Leave,
    /// It is quantized as the model.
    AsModel,
    /// It is quantized in a way of its own.
    Own(LayerQuantization),
}

impl From<bool> for Choice {
    fn from(quantized: bool) -> Choice {
        if quantized { Choice::AsModel } else { Choice::Leave }
    }
}

macro_rules! own {
    ($($how:ty),*) => {
        $(impl From<$how> for Choice {
            fn from(how: $how) -> Choice {
                Choice::Own(how.into())
            }
        })*
    };
}

own!(LayerQuantization, Quantization, QuantMode);

/// Exchanges the layers of a model for their quantized forms: each [`Linear`](crate::Linear) and
/// [`Embedding`](crate::Embedding), in a field that is a
/// [`MaybeQuantized`](crate::MaybeQuantized) or a `Box<dyn Unary>`, as those of a [`Sequential`](crate::Sequential).
///
/// What is quantized already stays. As in Python, each layer draws a weight that is forgotten.
///
/// # Errors
/// A `Linear` or `Embedding` in a field of that very type, which cannot hold another layer (say with [`quantize_where`]
/// that it stays); a layer that cannot be quantized so. Nothing is exchanged then.
///
/// ```
/// # use mlx_fast::{QuantMode, Quantization};
/// # use mlx_nn::{Linear, ModuleExt, Sequential, quantize, relu};
/// let mut model = Sequential::new().add(Linear::new(64, 32, true)?).add_fn(relu).add(Linear::new(32, 2, true)?);
/// quantize(&mut model, Quantization::new(QuantMode::Affine).group_size(32).bits(8))?;
/// let text = model.display().to_string();
/// assert!(text.contains("QuantizedLinear(input_dims=32, output_dims=2, bias=True, group_size=32, bits=8, mode=affine)"));
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "nn.quantize")]
pub fn quantize<M: Module + ?Sized>(model: &mut M, how: impl Into<LayerQuantization>) -> Result<()> {
    exchange(model.as_dyn_mut(), &how.into(), None)
}

/// [`quantize`] of the layers that `predicate` takes by their key and themselves: true or false, or settings of their own.
///
/// # Errors
/// As [`quantize`]; a layer that was taken and has no quantized form.
///
/// ```
/// # use std::collections::HashMap;
/// # use mlx_core::Tensor;
/// use mlx_fast::{QuantMode, Quantization};
/// use mlx_nn::{Choice, Linear, ModuleExt, Sequential, quantize_where};
///
/// let new = || Ok::<_, mlx_core::Error>(Sequential::new().add(Linear::new(64, 64, true)?).add(Linear::new(64, 2, true)?));
/// let mut model = new()?;
/// quantize_where(&mut model, QuantMode::Affine, |key, _| match key {
///     "layers.0" => Choice::from(Quantization::new(QuantMode::Affine).bits(8)),
///     _ => Choice::Leave,
/// })?;
/// let weights: HashMap<String, Tensor> = model.parameters().into_iter().collect();
///
/// // Another model becomes what the weights are of.
/// let mut other = new()?;
/// let how = Quantization::new(QuantMode::Affine).bits(8);
/// quantize_where(&mut other, how, |key, _| weights.contains_key(&format!("{key}.scales")))?;
/// assert!(other.load_weights(&weights)?.is_strict());
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn quantize_where<M: Module + ?Sized, C: Into<Choice>>(
    model: &mut M,
    how: impl Into<LayerQuantization>,
    mut predicate: impl FnMut(&str, &dyn Module) -> C,
) -> Result<()> {
    exchange(model.as_dyn_mut(), &how.into(), Some(&mut |key, layer| predicate(key, layer).into()))
}

type Predicate<'p> = &'p mut dyn FnMut(&str, &dyn Module) -> Choice;

/// First all quantized forms, then all of them in their places.
fn exchange(
    model: &mut dyn Module,
    how: &LayerQuantization,
    mut predicate: Option<Predicate<'_>>,
) -> Result<()> {
    let mut forms: HashMap<String, Box<dyn Any>> = HashMap::new();
    leaves(model, "", &mut |key, leaf| {
        let choice = match &mut predicate {
            Some(predicate) => predicate(key, leaf.as_dyn()),
            None => Choice::from(is_full(leaf)),
        };
        let how = match choice {
            Choice::Leave => return Ok(()),
            Choice::AsModel => *how,
            Choice::Own(own) => own,
        };
        forms.insert(key.to_owned(), form(key, leaf, &how)?);
        Ok(())
    })?;
    leaves(model, "", &mut |key, leaf| {
        if let (Some(form), Some(slot)) = (forms.remove(key), leaf.slot()) {
            slot.put(form);
        }
        Ok(())
    })
}

/// Calls `visit` with the key and the place of each module that holds no other, in order.
fn leaves(
    module: &mut dyn Module,
    prefix: &str,
    visit: &mut dyn FnMut(&str, &mut dyn Module) -> Result<()>,
) -> Result<()> {
    let mut children = Vec::new();
    module.members_mut(&mut |key, member| {
        if let MemberMut::Module(child) = member {
            children.push((joined(prefix, key), child));
        }
    });
    for (key, child) in children {
        if child.slot().is_some() || child.as_dyn().children().is_empty() {
            visit(&key, child)?;
        } else {
            leaves(child, &key, visit)?;
        }
    }
    Ok(())
}

/// Whether there is a layer that Python's has a `to_quantized` of.
fn is_full(leaf: &mut dyn Module) -> bool {
    match leaf.slot() {
        Some(slot) => slot.is_full(),
        None => has_form(leaf),
    }
}

/// The quantized form of the layer in a place.
fn form(key: &str, leaf: &mut dyn Module, how: &LayerQuantization) -> Result<Box<dyn Any>> {
    if let Some(slot) = leaf.slot()
        && let Some(form) = slot.quantized(how)?
    {
        return Ok(form);
    }
    let kind = leaf.type_name();
    let message = if has_form(leaf) {
        format!("{key} is a {kind}, and its field holds nothing else: MaybeQuantized<{kind}> does")
    } else {
        format!("Unable to quantize model of type {kind}")
    };
    refused("quantize", message)
}
