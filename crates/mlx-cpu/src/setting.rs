//! Variables of the environment as text. Not here: what their values mean.

use std::{env, ffi::OsString};

/// The value of a variable; an empty one is as none.
///
/// # Errors
/// It is not UTF-8; names the variable and the value.
pub(crate) fn read(name: &str) -> Result<Option<String>, String> {
    let set = env::var_os(name).filter(|value| !value.is_empty());
    let text = |value: OsString| {
        value.into_string().map_err(|value| format!("{name}={}: not UTF-8", value.display()))
    };
    set.map(text).transpose()
}
