//! Printing: `Display` evaluates and prints as Python does, `Debug` tells what is known without evaluating; how many
//! decimals are printed.
//!
//! MLX keeps its print options in one global; here they are the library's own and go with each text, so that threads
//! do not change each other's.

use crate::{Tensor, ffi};
use std::{
    cell::Cell,
    fmt,
    sync::atomic::{AtomicI32, Ordering},
};

/// How tensors are printed (`mx.PrintOptions`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct PrintOptions {
    /// How many decimals floats have.
    pub precision: Precision,
}

/// How many decimals floats are printed with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Precision {
    /// Six significant digits, in scientific notation where that is shorter (Python's -1).
    #[default]
    Default,
    /// Exactly so many decimals.
    Decimals(u8),
}

impl PrintOptions {
    /// Options with exactly `decimals` decimals.
    #[must_use]
    pub fn decimals(decimals: u8) -> PrintOptions {
        PrintOptions { precision: Precision::Decimals(decimals) }
    }

    /// MLX's number: -1 for its default.
    fn code(self) -> i32 {
        match self.precision {
            Precision::Default => -1,
            Precision::Decimals(decimals) => decimals.into(),
        }
    }

    fn from_code(code: i32) -> PrintOptions {
        u8::try_from(code).map_or(PrintOptions::default(), PrintOptions::decimals)
    }
}

/// The process's options, by their code.
static OPTIONS: AtomicI32 = AtomicI32::new(-1);

thread_local! {
    /// The options of this thread, inside [`with_printoptions`].
    static SCOPED: Cell<Option<PrintOptions>> = const { Cell::new(None) };
}

/// Sets how tensors are printed in the whole process (`mx.set_printoptions`).
///
/// ```standalone_crate
/// # use mlx_core::{PrintOptions, get_printoptions, set_printoptions, tensor};
/// set_printoptions(PrintOptions::decimals(2));
/// assert_eq!(tensor![1.0, 2.625].to_string(), "array([1.00, 2.62], dtype=float32)");
/// set_printoptions(PrintOptions::default());
/// assert_eq!(get_printoptions(), PrintOptions::default());
/// ```
#[doc(alias = "mx.set_printoptions")]
pub fn set_printoptions(options: PrintOptions) {
    OPTIONS.store(options.code(), Ordering::Relaxed);
}

/// How this thread prints tensors now (`mx.get_printoptions`).
#[must_use]
#[doc(alias = "mx.get_printoptions")]
pub fn get_printoptions() -> PrintOptions {
    SCOPED.get().unwrap_or_else(|| PrintOptions::from_code(OPTIONS.load(Ordering::Relaxed)))
}

/// Runs `work`, in which this thread prints tensors with `options` (`with mx.printoptions(…):`).
///
/// Calls nest; other threads print as before. A single value has Rust's own form: `{x:.3}` prints three decimals.
///
/// ```
/// # use mlx_core::{PrintOptions, tensor, with_printoptions};
/// let x = tensor![0.125];
/// assert_eq!(with_printoptions(PrintOptions::decimals(1), || x.to_string()), "array([0.1], dtype=float32)");
/// assert_eq!(format!("{x:.2}"), "array([0.12], dtype=float32)");
/// assert_eq!(x.to_string(), "array([0.125], dtype=float32)");
/// ```
#[doc(alias = "mx.printoptions")]
pub fn with_printoptions<T>(options: PrintOptions, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<PrintOptions>);
    impl Drop for Restore {
        fn drop(&mut self) {
            SCOPED.set(self.0);
        }
    }
    let _restore = Restore(SCOPED.replace(Some(options)));
    work()
}

/// As Python prints an array; a tensor whose computation fails prints the error instead.
///
/// A precision is the number of decimals of floats, at most 255; without one the [`PrintOptions`] say it.
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().map(|wanted| u8::try_from(wanted).unwrap_or(u8::MAX));
        let options = decimals.map_or_else(get_printoptions, PrintOptions::decimals);
        match self.eval().and_then(|()| ffi::text(self, options.code())) {
            Ok(text) => padded(f, &text),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}

/// What [`fmt::Formatter::pad`] does without cutting the text off at the precision.
fn padded(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let missing = f.width().unwrap_or(0).saturating_sub(text.chars().count());
    let before = match f.align() {
        Some(fmt::Alignment::Right) => missing,
        Some(fmt::Alignment::Center) => missing / 2,
        Some(fmt::Alignment::Left) | None => 0,
    };
    let fill = f.fill();
    let write = |f: &mut fmt::Formatter<'_>, count: usize| {
        (0..count).try_for_each(|_| fmt::Write::write_char(f, fill))
    };
    write(f, before)?;
    f.write_str(text)?;
    write(f, missing - before)
}

/// Dtype and shape; never evaluates.
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({}, {:?})", self.dtype(), self.shape())
    }
}
