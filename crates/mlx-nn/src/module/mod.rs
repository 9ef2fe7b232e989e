//! What a module is, and what it shows of itself. `#[derive(Module)]` writes the implementation.
//!
//! Not here: what is done with modules (`ext`, `load`, `display`, `crate::value_and_grad`), which types of fields they
//! have (`field`).

mod buffer;
mod display;
mod ext;
mod field;
mod freeze;
mod load;
mod state;
pub(crate) mod walk;

pub use buffer::Buffer;
pub use display::Repr;
pub use ext::{ModuleExt, Parameters};
pub use field::ModuleField;
pub use freeze::Keys;
pub(crate) use load::save_tensors;
pub use load::{LoadReport, Mismatch, WeightSource};
pub use state::State;

use crate::quantized::{self, Slot};
use mlx_core::Tensor;
use std::any::Any;

/// A layer, or a model of layers: what has parameters under names.
///
/// It is derived. Fields are members under their names: a [`Tensor`], a [`Buffer`], another module, and `Option`, `Vec`,
/// arrays and maps of these, whose items have Python's keys (`layers.0.weight`). Numbers, bools, strings, dtypes and
/// functions of tensors are settings and no members; so is every field whose name begins with an underscore.
///
/// ```
/// # use mlx_core::{Result, Tensor};
/// use mlx_nn::{Linear, Module, ModuleExt, gelu};
///
/// #[derive(Clone, Debug, Module)]
/// struct Mlp {
///     up: Linear,
///     down: Linear,
///     residual: bool,
/// }
///
/// impl Mlp {
///     fn new(width: i32) -> Result<Mlp> {
///         let (up, down) = (Linear::new(width, 4 * width, true)?, Linear::new(4 * width, width, true)?);
///         Ok(Mlp { up, down, residual: true })
///     }
///
///     fn forward(&self, x: &Tensor) -> Result<Tensor> {
///         let y = self.down.forward(&gelu(&self.up.forward(x)?)?)?;
///         Ok(if self.residual { x + y } else { y })
///     }
/// }
///
/// let mlp = Mlp::new(8)?;
/// let keys: Vec<String> = mlp.parameters().into_keys().collect();
/// assert_eq!(keys, ["up.weight", "up.bias", "down.weight", "down.bias"]);
/// assert_eq!(mlp.forward(&Tensor::from_slice(&[1.0_f32; 8])?)?.shape(), [8]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
///
/// Attributes of a field: `#[module(rename = "self_attn")]` gives Python's name where it is another one,
/// `#[module(frozen)]` says that its tensors are never trained, `#[module(skip)]` leaves out what is none of the above.
/// Of the type: `#[module(rename = "..")]` is the name that [`display`](ModuleExt::display) shows,
/// `#[module(extra_repr = Self::describe)]` names the function that tells the settings there, and
/// `#[module(crate = path)]` the path to this crate where it cannot be found.
///
/// An enum's variants hold one module, `Norm::Rms(RMSNorm)`, and the enum is that module, or named fields.
///
/// A module can be frozen, or behave otherwise in training, by a field of type [`State`]; all layers have one. What is
/// done with modules stands in [`ModuleExt`]. `&dyn Module` is `&dyn Any`, too, which tells types apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no module",
    label = "no tensor, no module and no plain setting",
    note = "derive `Module` for the type, or leave a field of it out: `#[module(skip)]`"
)]
pub trait Module: Any + Send + Sync {
    /// The type's name, as Python's `repr` begins with.
    fn type_name(&self) -> &'static str;

    /// Calls `visit` with the key and each member, in order.
    fn members<'a>(&'a self, visit: &mut dyn FnMut(&str, Member<'a>));

    /// [`members`](Module::members), to be changed.
    fn members_mut<'a>(&'a mut self, visit: &mut dyn FnMut(&str, MemberMut<'a>));

    /// What it remembers beside its parameters, if it does.
    fn state(&self) -> Option<&State> {
        None
    }

    /// [`state`](Module::state), to be changed.
    fn state_mut(&mut self) -> Option<&mut State> {
        None
    }

    /// Into training or out of it, the module alone; what is done with the modules in it is
    /// [`train`](ModuleExt::train)'s.
    fn set_training(&mut self, training: bool) {
        if let Some(state) = self.state_mut() {
            state.set_training(training);
        }
    }

    /// The place that holds either a layer or its quantized form, if it is one; see
    /// [`MaybeQuantized`](crate::MaybeQuantized).
    fn slot(&mut self) -> Option<&mut dyn Slot> {
        None
    }

    /// Its settings, as Python's `repr` shows them between the parentheses.
    fn extra_repr(&self) -> String {
        String::new()
    }

    /// Itself, of any type.
    fn as_dyn(&self) -> &dyn Module;

    /// [`as_dyn`](Module::as_dyn), to be changed.
    fn as_dyn_mut(&mut self) -> &mut dyn Module;
}

/// A member of a module.
#[derive(Clone, Copy)]
pub enum Member<'a> {
    /// What is trained.
    Parameter(&'a Tensor),
    /// What is saved and loaded, and never trained.
    Constant(&'a Tensor),
    /// What is saved, loaded and changed by calls, and never trained.
    Buffer(&'a Buffer),
    /// Another module.
    Module(&'a dyn Module),
    /// Another module of which nothing is ever trained.
    ConstantModule(&'a dyn Module),
}

impl<'a> Member<'a> {
    /// The same, never trained.
    #[must_use]
    pub fn frozen(self) -> Member<'a> {
        match self {
            Member::Parameter(tensor) => Member::Constant(tensor),
            Member::Module(module) => Member::ConstantModule(module),
            other => other,
        }
    }

    /// The module, if it is one.
    #[must_use]
    pub fn module(self) -> Option<&'a dyn Module> {
        match self {
            Member::Module(module) | Member::ConstantModule(module) => Some(module),
            _ => None,
        }
    }
}

/// A [`Member`], to be changed.
pub enum MemberMut<'a> {
    /// What is saved and loaded, trained or not.
    Parameter(&'a mut Tensor),
    /// What is saved, loaded and changed by calls, and never trained.
    Buffer(&'a Buffer),
    /// Another module.
    Module(&'a mut dyn Module),
}

/// The module in it.
impl<M: Module + ?Sized> Module for Box<M> {
    fn type_name(&self) -> &'static str {
        (**self).type_name()
    }

    fn members<'a>(&'a self, visit: &mut dyn FnMut(&str, Member<'a>)) {
        (**self).members(visit);
    }

    fn members_mut<'a>(&'a mut self, visit: &mut dyn FnMut(&str, MemberMut<'a>)) {
        (**self).members_mut(visit);
    }

    fn state(&self) -> Option<&State> {
        (**self).state()
    }

    fn state_mut(&mut self) -> Option<&mut State> {
        (**self).state_mut()
    }

    fn set_training(&mut self, training: bool) {
        (**self).set_training(training);
    }

    fn slot(&mut self) -> Option<&mut dyn Slot> {
        if (**self).slot().is_some() { (**self).slot() } else { quantized::boxed(self) }
    }

    fn extra_repr(&self) -> String {
        (**self).extra_repr()
    }

    fn as_dyn(&self) -> &dyn Module {
        (**self).as_dyn()
    }

    fn as_dyn_mut(&mut self) -> &mut dyn Module {
        (**self).as_dyn_mut()
    }
}
