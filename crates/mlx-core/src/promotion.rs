//! The promotion guard: says which call widens a half-precision graph to single precision.
//!
//! Not here: what promotes to what (`dtype`, `scalar`); the guard only looks at what was built (`ffi::call`).

use crate::{Dtype, Error, ErrorKind, OperandRef, Result};
use std::{
    cell::{Cell, RefCell},
    fmt,
    mem::ManuallyDrop,
    panic::Location,
    rc::Rc,
};

thread_local! {
    /// Whether there is a guard; looked at by every node.
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    /// Without a destructor, since thread-locals of the user's use tensors behind the end of younger ones; its scope empties it.
    static GUARD: RefCell<ManuallyDrop<Option<PromotionGuard>>> = const { RefCell::new(ManuallyDrop::new(None)) };
}

/// Calls whose arguments say the dtype of the result.
const EXPLICIT: [&str; 2] = ["astype", "full"];

/// What happens when a call takes `float16` or `bfloat16` and gives a wider dtype without being asked to.
#[derive(Clone)]
#[non_exhaustive]
pub enum PromotionGuard {
    /// The call is an error of kind [`ErrorKind::Dtype`].
    Deny,
    /// The call goes on and the callback is told.
    Warn(Rc<dyn Fn(&Promotion)>),
}

impl PromotionGuard {
    /// [`PromotionGuard::Warn`] with `callback`, which is told of every such call on this thread.
    pub fn warn(callback: impl Fn(&Promotion) + 'static) -> PromotionGuard {
        PromotionGuard::Warn(Rc::new(callback))
    }
}

impl fmt::Debug for PromotionGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PromotionGuard::Deny => "Deny",
            PromotionGuard::Warn(_) => "Warn",
        })
    }
}

/// A call that widened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Promotion {
    /// The op, by its Python name.
    pub op: &'static str,
    /// The half-precision dtype it was given.
    pub from: Dtype,
    /// The dtype of its result.
    pub to: Dtype,
    /// All operands with their dtypes and shapes.
    pub operands: String,
    /// The line of the call.
    pub location: &'static Location<'static>,
}

impl fmt::Display for Promotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} widens {} to {} at {}", self.op, self.from, self.to, self.location)?;
        write!(f, " (operands: {})", self.operands)
    }
}

/// Runs `work` with `guard` on: no call on this thread silently widens `float16` or `bfloat16` to `float32`, `float64` or
/// `complex64`. Explicit casts may. Other threads are not watched; an inner guard replaces the outer one while it runs.
///
/// ```
/// # use mlx_core::{Dtype, PromotionGuard, Tensor, tensor, with_promotion_guard};
/// let x = Tensor::scalar(1.5, Dtype::Bfloat16)?;
/// let (weak, wide) = with_promotion_guard(PromotionGuard::Deny, || {
///     let weak = &x * 2.0; // a Rust float takes the tensor's dtype
///     let wide = std::panic::catch_unwind(|| &x * tensor![2.0]); // a float32 tensor does not
///     (weak, wide)
/// });
/// assert_eq!(weak.dtype(), Dtype::Bfloat16);
/// assert!(wide.is_err());
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn with_promotion_guard<T>(guard: PromotionGuard, work: impl FnOnce() -> T) -> T {
    let _restore = set(Some(guard));
    work()
}

/// Puts the guard that was there back, also on unwind.
struct Restore(Option<PromotionGuard>);

impl Drop for Restore {
    fn drop(&mut self) {
        drop(put(self.0.take()));
    }
}

fn set(guard: Option<PromotionGuard>) -> Restore {
    Restore(put(guard))
}

fn put(guard: Option<PromotionGuard>) -> Option<PromotionGuard> {
    WATCHED.set(guard.is_some());
    ManuallyDrop::into_inner(GUARD.replace(ManuallyDrop::new(guard)))
}

/// Whether this thread has a guard.
#[inline]
pub(crate) fn is_watched() -> bool {
    WATCHED.get()
}

/// Looks at a call that gave `results`.
#[cold]
#[track_caller]
pub(crate) fn check(
    op: &'static str,
    mut results: impl Iterator<Item = Dtype>,
    operands: &[OperandRef<'_>],
) -> Result<()> {
    let half = |dtype: &Dtype| matches!(dtype, Dtype::Float16 | Dtype::Bfloat16);
    let from = operands.iter().filter_map(|operand| operand.dtype()).find(half);
    let to = results.find(|dtype| dtype.is_inexact() && !half(dtype));
    let (Some(from), Some(to), false) = (from, to, EXPLICIT.contains(&op)) else { return Ok(()) };
    let texts: Vec<String> = operands.iter().map(ToString::to_string).collect();
    let promotion = Promotion { op, from, to, operands: texts.join(", "), location: Location::caller() };
    match GUARD.with_borrow(|guard| Option::clone(guard)) {
        Some(PromotionGuard::Deny) => {
            let Promotion { location, .. } = promotion;
            let message = format!("the promotion guard denies widening {from} to {to} at {location}");
            Err(Error::new(ErrorKind::Dtype, op, message).with_operands(operands))
        }
        Some(PromotionGuard::Warn(callback)) => {
            // What the callback computes is not watched.
            let _restore = set(None);
            callback(&promotion);
            Ok(())
        }
        None => Ok(()),
    }
}
