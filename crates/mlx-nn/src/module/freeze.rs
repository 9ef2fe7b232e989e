//! Parameters that are not trained.

use super::{Member, Module, state::heads, walk};
use mlx_core::{Error, ErrorKind, Result, utils::joined};
use std::{collections::BTreeSet, ops::RangeFull};

/// Which parameters are frozen or unfrozen: `..` for all, a name or names for the members that have it, in the module and
/// in all modules in it.
///
/// ```
/// # use mlx_nn::{Keys, Linear, ModuleExt};
/// let mut linear = Linear::new(2, 3, true)?;
/// linear.freeze(..)?;
/// linear.unfreeze("bias")?;
/// assert_eq!(linear.trainable_parameters().into_keys().collect::<Vec<_>>(), ["bias"]);
/// let error = linear.freeze(Keys::named(["wieght"]).strict()).unwrap_err();
/// assert_eq!(error.message(), "Module doesn't contain member wieght.");
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Keys {
    names: Option<Vec<String>>,
    own: bool,
    strict: bool,
}

impl Keys {
    /// All parameters.
    #[must_use]
    pub fn all() -> Keys {
        Keys { names: None, own: false, strict: false }
    }

    /// The members of these names: of parameters, of lists of them, of modules.
    #[must_use]
    pub fn named<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Keys {
        Keys { names: Some(names.into_iter().map(Into::into).collect()), ..Keys::all() }
    }

    /// Those of the module itself, and not of the modules in it: Python's `recurse=False`.
    #[must_use]
    pub fn own(mut self) -> Keys {
        self.own = true;
        self
    }

    /// Names that no module has are an error.
    #[must_use]
    pub fn strict(mut self) -> Keys {
        self.strict = true;
        self
    }

    /// The modules that this is about.
    fn modules<'a>(&self, module: &'a dyn Module) -> Vec<(String, &'a dyn Module)> {
        let mut modules = vec![(String::new(), module)];
        if !self.own {
            modules.clear();
            walk::modules(module, "", &mut modules);
        }
        modules
    }

    fn check(&self, op: &'static str, module: &dyn Module) -> Result<()> {
        if !self.strict {
            return Ok(());
        }
        let modules = self.modules(module);
        for name in self.names.iter().flatten() {
            if !modules.iter().any(|(_, module)| has_member(*module, name)) {
                let message = format!("Module doesn't contain member {name}.");
                return Err(Error::new(ErrorKind::Value, op, message));
            }
        }
        Ok(())
    }

    /// What is to be remembered of a module: the keys of its own tensors, or the names that it has.
    fn in_module(&self, module: &dyn Module) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        module.members(&mut |key, member| match &self.names {
            None => {
                if matches!(member, Member::Parameter(_)) {
                    found.insert(key.to_owned());
                }
            }
            Some(names) => {
                // What is never trained needs nothing that remembers it.
                if matches!(member, Member::Parameter(_) | Member::Module(_)) {
                    found.extend(
                        heads(key).filter(|head| names.iter().any(|name| name == head)).map(str::to_owned),
                    );
                }
            }
        });
        found
    }
}

/// Python's `name in module`: a field, not an item of one.
fn has_member(module: &dyn Module, name: &str) -> bool {
    let mut found = false;
    module.members(&mut |key, _| found |= key.split('.').next() == Some(name));
    found
}

impl From<RangeFull> for Keys {
    fn from(_: RangeFull) -> Keys {
        Keys::all()
    }
}

impl From<&str> for Keys {
    fn from(name: &str) -> Keys {
        Keys::named([name])
    }
}

impl<const N: usize> From<[&str; N]> for Keys {
    fn from(names: [&str; N]) -> Keys {
        Keys::named(names)
    }
}

impl From<&[&str]> for Keys {
    fn from(names: &[&str]) -> Keys {
        Keys::named(names.iter().copied())
    }
}

pub(super) fn freeze(module: &mut dyn Module, keys: &Keys) -> Result<()> {
    const OP: &str = "freeze";
    keys.check(OP, module)?;
    for (path, module) in keys.modules(module) {
        let found = keys.in_module(module);
        if let (Some(key), None) = (found.first(), module.state()) {
            let key = joined(&path, key);
            let kind = module.type_name();
            let message = format!("{kind} has no field of type State to remember that {key} is frozen");
            return Err(Error::new(ErrorKind::Value, OP, message));
        }
    }
    let freeze = |module: &mut dyn Module| {
        let found = keys.in_module(module);
        if let Some(state) = module.state_mut() {
            state.frozen.extend(found);
        }
    };
    if keys.own {
        freeze(module);
    } else {
        walk::modules_mut(module, "", &mut |_, module| freeze(module));
    }
    Ok(())
}

pub(super) fn unfreeze(module: &mut dyn Module, keys: &Keys) -> Result<()> {
    keys.check("unfreeze", module)?;
    let unfreeze = |module: &mut dyn Module| {
        if let Some(state) = module.state_mut() {
            match &keys.names {
                None => state.frozen.clear(),
                Some(names) => state.frozen.retain(|key| !names.contains(key)),
            }
        }
    };
    if keys.own {
        unfreeze(module);
    } else {
        walk::modules_mut(module, "", &mut |_, module| unfreeze(module));
    }
    Ok(())
}
