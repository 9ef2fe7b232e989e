//! The types that fields of modules have: tensors, buffers, modules, collections of them, settings.

use super::{Buffer, Member, MemberMut, Module, State};
use mlx_core::{Complex32, Dtype, Result, Scalar, Tensor, bf16, f16};
use mlx_fast::{QuantMode, Quantization};
use mlx_ops::{Convolution, TransposedConvolution};
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Display,
    hash::{BuildHasher, Hash},
    marker::PhantomData,
};

/// What a field of a derived [`Module`] may be.
///
/// Modules are; so are tensors, buffers, [`State`], settings, and `Option`, `Vec`, arrays and maps of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a module",
    label = "no tensor, no module and no plain setting",
    note = "derive `Module` for the type, or leave the field out: `#[module(skip)]`"
)]
pub trait ModuleField: Send + Sync + 'static {
    /// Whether there is never a member in it.
    const IS_SETTING: bool = false;

    /// Calls `visit` with each member and its key, which is `key` or begins with it.
    fn visit_members<'a>(&'a self, key: &str, visit: &mut dyn FnMut(&str, Member<'a>));

    /// [`visit_members`](ModuleField::visit_members), to be changed.
    fn visit_members_mut<'a>(&'a mut self, key: &str, visit: &mut dyn FnMut(&str, MemberMut<'a>));

    /// The module's state, if it is that.
    fn own_state(&self) -> Option<&State> {
        None
    }

    /// [`own_state`](ModuleField::own_state), to be changed.
    fn own_state_mut(&mut self) -> Option<&mut State> {
        None
    }
}

impl<M: Module> ModuleField for M {
    fn visit_members<'a>(&'a self, key: &str, visit: &mut dyn FnMut(&str, Member<'a>)) {
        visit(key, Member::Module(self.as_dyn()));
    }

    fn visit_members_mut<'a>(&'a mut self, key: &str, visit: &mut dyn FnMut(&str, MemberMut<'a>)) {
        // As the place that it is: what is in a box or an enum may be exchanged.
        visit(key, MemberMut::Module(self));
    }
}

impl ModuleField for Tensor {
    fn visit_members<'a>(&'a self, key: &str, visit: &mut dyn FnMut(&str, Member<'a>)) {
        visit(key, Member::Parameter(self));
    }

    fn visit_members_mut<'a>(&'a mut self, key: &str, visit: &mut dyn FnMut(&str, MemberMut<'a>)) {
        visit(key, MemberMut::Parameter(self));
    }
}

impl ModuleField for Buffer {
    fn visit_members<'a>(&'a self, key: &str, visit: &mut dyn FnMut(&str, Member<'a>)) {
        visit(key, Member::Buffer(self));
    }

    fn visit_members_mut<'a>(&'a mut self, key: &str, visit: &mut dyn FnMut(&str, MemberMut<'a>)) {
        visit(key, MemberMut::Buffer(self));
    }
}

impl ModuleField for State {
    const IS_SETTING: bool = true;

    fn visit_members<'a>(&'a self, _key: &str, _visit: &mut dyn FnMut(&str, Member<'a>)) {}

    fn visit_members_mut<'a>(&'a mut self, _key: &str, _visit: &mut dyn FnMut(&str, MemberMut<'a>)) {}

    fn own_state(&self) -> Option<&State> {
        Some(self)
    }

    fn own_state_mut(&mut self) -> Option<&mut State> {
        Some(self)
    }
}

/// Members under the field's key itself.
impl<F: ModuleField> ModuleField for Option<F> {
    const IS_SETTING: bool = F::IS_SETTING;

    fn visit_members<'a>(&'a self, key: &str, visit: &mut dyn FnMut(&str, Member<'a>)) {
        if let Some(field) = self {
            field.visit_members(key, visit);
        }
    }

    fn visit_members_mut<'a>(&'a mut self, key: &str, visit: &mut dyn FnMut(&str, MemberMut<'a>)) {
        if let Some(field) = self {
            field.visit_members_mut(key, visit);
        }
    }
}

/// Collections: how to go through the items, each with what follows the field's key and a dot.
macro_rules! collections {
    ($($(#[$doc:meta])* [$($generics:tt)*] $type:ty = $item:ident, |$items:ident| $each:expr, $each_mut:expr;)*) => {
        $($(#[$doc])*
        impl<$($generics)*> ModuleField for $type {
            const IS_SETTING: bool = $item::IS_SETTING;

            fn visit_members<'a>(&'a self, key: &str, visit: &mut dyn FnMut(&str, Member<'a>)) {
                if Self::IS_SETTING {
                    return;
                }
                let $items = self;
                for (name, field) in $each {
                    field.visit_members(&format!("{key}.{name}"), visit);
                }
            }

            fn visit_members_mut<'a>(&'a mut self, key: &str, visit: &mut dyn FnMut(&str, MemberMut<'a>)) {
                if Self::IS_SETTING {
                    return;
                }
                let $items = self;
                for (name, field) in $each_mut {
                    field.visit_members_mut(&format!("{key}.{name}"), visit);
                }
            }
        })*
    };
}

collections! {
    [F: ModuleField] Vec<F> = F, |items| items.iter().enumerate(), items.iter_mut().enumerate();
    [F: ModuleField, const N: usize] [F; N] = F, |items| items.iter().enumerate(), items.iter_mut().enumerate();
    [K: Display + Ord + Send + Sync + 'static, F: ModuleField] BTreeMap<K, F> = F, |items| items, items;
    /// In the order of the keys.
    [K: Display + Eq + Hash + Ord + Send + Sync + 'static, F: ModuleField, S: BuildHasher + Send + Sync + 'static]
    HashMap<K, F, S> = F, |items| sorted(items.iter()), sorted(items.iter_mut());
}

fn sorted<'k, K: Ord + 'k, F>(entries: impl Iterator<Item = (&'k K, F)>) -> Vec<(&'k K, F)> {
    let mut entries: Vec<(&K, F)> = entries.collect();
    entries.sort_unstable_by_key(|&(key, _)| key);
    entries
}

/// Settings: no members.
macro_rules! settings {
    ($([$($generics:tt)*] $type:ty;)*) => {
        $(impl<$($generics)*> ModuleField for $type {
            const IS_SETTING: bool = true;

            fn visit_members<'a>(&'a self, _key: &str, _visit: &mut dyn FnMut(&str, Member<'a>)) {}

            fn visit_members_mut<'a>(&'a mut self, _key: &str, _visit: &mut dyn FnMut(&str, MemberMut<'a>)) {}
        })*
    };
}

settings! {
    [] ();
    [] bool;
    [] char;
    [] u8;
    [] u16;
    [] u32;
    [] u64;
    [] u128;
    [] usize;
    [] i8;
    [] i16;
    [] i32;
    [] i64;
    [] i128;
    [] isize;
    [] f16;
    [] bf16;
    [] f32;
    [] f64;
    [] Complex32;
    [] String;
    [] &'static str;
    [] Dtype;
    [] Scalar;
    [] fn(&Tensor) -> Result<Tensor>;
    [T: ?Sized + Send + Sync + 'static] PhantomData<T>;
    [const N: usize] Convolution<N>;
    [const N: usize] TransposedConvolution<N>;
    [] Quantization;
    [] QuantMode;
}
