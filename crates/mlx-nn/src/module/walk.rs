//! Ways through a module and the modules in it.

use super::{Buffer, Member, MemberMut, Module, Parameters};
use mlx_core::{Error, ErrorKind, Result, Tensor, utils::joined};
use std::collections::HashSet;

/// A tensor of a module, somewhere in it.
pub(crate) enum Leaf<'a> {
    Tensor(&'a Tensor),
    Buffer(&'a Buffer),
}

impl Leaf<'_> {
    pub(crate) fn value(&self) -> Tensor {
        match self {
            Leaf::Tensor(tensor) => (*tensor).clone(),
            Leaf::Buffer(buffer) => buffer.get(),
        }
    }
}

/// A [`Leaf`], to be changed.
pub(crate) enum LeafMut<'a> {
    Tensor(&'a mut Tensor),
    Buffer(&'a Buffer),
}

impl LeafMut<'_> {
    pub(crate) fn set(self, value: Tensor) {
        match self {
            LeafMut::Tensor(tensor) => *tensor = value,
            LeafMut::Buffer(buffer) => buffer.set(value),
        }
    }
}

/// The tensors that `keep` takes, by key; it is told whether they are trained.
pub(crate) fn kept(module: &dyn Module, keep: impl Fn(&Leaf<'_>, bool) -> bool) -> Parameters {
    let mut parameters = Parameters::new();
    leaves(module, &mut |key, leaf, trained| {
        if keep(&leaf, trained) {
            parameters.insert(key, leaf.value());
        }
    });
    parameters
}

/// All tensors by key.
///
/// # Errors
/// Two have the same one, so that they could not be told apart when they are set.
pub(crate) fn parameters(op: &'static str, module: &dyn Module) -> Result<Parameters> {
    let (mut parameters, mut twice) = (Parameters::new(), None);
    leaves(module, &mut |key, leaf, _| {
        if parameters.contains_key(&key) {
            twice = Some(key);
        } else {
            drop(parameters.insert(key, leaf.value()));
        }
    });
    told_apart(op, twice).map(|()| parameters)
}

/// The tensors that are trained, and the values of buffers, by key.
///
/// # Errors
/// As [`parameters`].
pub(crate) fn trained(op: &'static str, module: &dyn Module) -> Result<(Parameters, Parameters)> {
    let (mut trainable, mut buffers, mut twice) = (Parameters::new(), Parameters::new(), None);
    let mut others = HashSet::new();
    leaves(module, &mut |key, leaf, trained| {
        if trainable.contains_key(&key) || buffers.contains_key(&key) || others.contains(&key) {
            twice = Some(key);
            return;
        }
        match leaf {
            Leaf::Buffer(buffer) => drop(buffers.insert(key, buffer.get())),
            Leaf::Tensor(tensor) if trained => drop(trainable.insert(key, tensor.clone())),
            Leaf::Tensor(_) => drop(others.insert(key)),
        }
    });
    told_apart(op, twice).map(|()| (trainable, buffers))
}

fn told_apart(op: &'static str, twice: Option<String>) -> Result<()> {
    match twice {
        None => Ok(()),
        Some(key) => Err(Error::new(ErrorKind::Value, op, format!("two tensors have the key {key:?}"))),
    }
}

/// The values of the module's buffers, by key.
pub(crate) fn buffers(module: &dyn Module) -> Parameters {
    kept(module, |leaf, _| matches!(leaf, Leaf::Buffer(_)))
}

/// Calls `visit` with each tensor, its key, and whether it is trained, in Python's order.
pub(crate) fn leaves<'a>(module: &'a dyn Module, visit: &mut dyn FnMut(String, Leaf<'a>, bool)) {
    leaves_below(module, "", true, visit);
}

fn leaves_below<'a>(
    module: &'a dyn Module,
    prefix: &str,
    trained: bool,
    visit: &mut dyn FnMut(String, Leaf<'a>, bool),
) {
    let state = module.state();
    module.members(&mut |key, member| {
        let trained = trained && !state.is_some_and(|state| state.is_frozen(key));
        let key = joined(prefix, key);
        match member {
            Member::Parameter(tensor) => visit(key, Leaf::Tensor(tensor), trained),
            Member::Constant(tensor) => visit(key, Leaf::Tensor(tensor), false),
            Member::Buffer(buffer) => visit(key, Leaf::Buffer(buffer), false),
            Member::Module(module) => leaves_below(module, &key, trained, visit),
            Member::ConstantModule(module) => leaves_below(module, &key, false, visit),
        }
    });
}

/// Calls `visit` with the key of each tensor, in the same order, and the tensor, to be changed.
pub(crate) fn leaves_mut(module: &mut dyn Module, visit: &mut dyn FnMut(&str, LeafMut<'_>)) {
    leaves_mut_below(module, "", visit);
}

fn leaves_mut_below(module: &mut dyn Module, prefix: &str, visit: &mut dyn FnMut(&str, LeafMut<'_>)) {
    module.members_mut(&mut |key, member| {
        let key = joined(prefix, key);
        match member {
            MemberMut::Parameter(tensor) => visit(&key, LeafMut::Tensor(tensor)),
            MemberMut::Buffer(buffer) => visit(&key, LeafMut::Buffer(buffer)),
            MemberMut::Module(module) => leaves_mut_below(module, &key, visit),
        }
    });
}

/// The modules that are members, with their keys.
pub(super) fn children(module: &dyn Module) -> Vec<(String, &dyn Module)> {
    let mut children = Vec::new();
    module.members(&mut |key, member| {
        if let Some(child) = member.module() {
            children.push((key.to_owned(), child));
        }
    });
    children
}

/// The module and all in it, with their keys, in the order of Python's `named_modules`: the last child first.
pub(super) fn modules<'a>(module: &'a dyn Module, prefix: &str, into: &mut Vec<(String, &'a dyn Module)>) {
    into.push((prefix.to_owned(), module));
    for (key, child) in children(module).into_iter().rev() {
        modules(child, &joined(prefix, &key), into);
    }
}

/// The modules in it that hold no other, in order.
pub(super) fn leaf_modules<'a>(
    module: &'a dyn Module,
    prefix: &str,
    into: &mut Vec<(String, &'a dyn Module)>,
) {
    for (key, child) in children(module) {
        let key = joined(prefix, &key);
        if children(child).is_empty() {
            into.push((key, child));
        } else {
            leaf_modules(child, &key, into);
        }
    }
}

/// Calls `visit` with the module and all in it, in the order of [`modules`].
pub(super) fn modules_mut(
    module: &mut dyn Module,
    prefix: &str,
    visit: &mut dyn FnMut(&str, &mut dyn Module),
) {
    visit(prefix, module.as_dyn_mut());
    let mut children = Vec::new();
    module.members_mut(&mut |key, member| {
        if let MemberMut::Module(child) = member {
            children.push((joined(prefix, key), child));
        }
    });
    for (key, child) in children.into_iter().rev() {
        modules_mut(child, &key, visit);
    }
}
