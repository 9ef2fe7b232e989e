//! The guards of ops that MLX gets wrong inside a function that it transforms.

use crate::{Error, ErrorKind, OperandRef, Result, Tensor, ffi};
use std::cell::Cell;

/// What MLX derives from a function while this thread runs it.
#[derive(Clone, Copy)]
pub(crate) enum Inside {
    Gradient,
    Vmap,
    /// A vmap in a function of which a gradient is asked; set by itself.
    VmapInGradient,
}

thread_local! {
    static GRADIENTS: Cell<u32> = const { Cell::new(0) };
    static VMAPS: Cell<u32> = const { Cell::new(0) };
    static VMAPS_IN_GRADIENTS: Cell<u32> = const { Cell::new(0) };
}

impl Inside {
    fn with<T>(self, work: impl FnOnce(&Cell<u32>) -> T) -> T {
        match self {
            Inside::Gradient => GRADIENTS.with(work),
            Inside::Vmap => VMAPS.with(work),
            Inside::VmapInGradient => VMAPS_IN_GRADIENTS.with(work),
        }
    }

    fn is_here(self) -> bool {
        self.with(Cell::get) > 0
    }

    /// Whether MLX derives that from one of the tensors.
    fn reaches(self, tensors: &[&Tensor]) -> bool {
        self.is_here() && tensors.iter().any(|x| ffi::view::is_tracer(x))
    }
}

/// Runs the function of a transform.
pub(crate) fn enter<T>(inside: Inside, work: impl FnOnce() -> T) -> T {
    struct Leave(Inside);
    impl Drop for Leave {
        fn drop(&mut self) {
            self.0.with(|count| count.set(count.get() - 1));
        }
    }
    inside.with(|count| count.set(count.get() + 1));
    let _leave = Leave(inside);
    match inside {
        Inside::Vmap if Inside::Gradient.is_here() => enter(Inside::VmapInGradient, work),
        _ => work(),
    }
}

/// Whether the guards are on and MLX may look for a gradient by one of the tensors.
pub(crate) fn is_derived(tensors: &[&Tensor]) -> bool {
    !super::is_off() && Inside::Gradient.reaches(tensors)
}

/// Whether the guards are on and MLX may look for a gradient by `x` through a node that it vectorised before.
pub(crate) fn is_derived_vectorised(x: &Tensor) -> bool {
    !super::is_off() && Inside::VmapInGradient.reaches(&[x])
}

/// A padding's value. MLX has no gradient by it and looks for one in foreign memory.
pub(crate) fn fill(value: &Tensor) -> Result<()> {
    if !Inside::Gradient.reaches(&[value]) {
        return Ok(());
    }
    let message = "the value of a padding has no gradient in MLX: put a stop_gradient around it";
    Err(Error::new(ErrorKind::Mlx, "pad", message).with_operands(&[OperandRef::from(value)]))
}

/// The operands of `divmod`. MLX vectorises its two results with one axis, and takes the other from foreign memory.
pub(crate) fn pair(a: &Tensor, b: &Tensor) -> Result<()> {
    if !Inside::Vmap.reaches(&[a, b]) {
        return Ok(());
    }
    let message = "MLX cannot vectorise divmod: use floor_divide and remainder";
    Err(Error::new(ErrorKind::Mlx, "divmod", message).with_operands(&[a.into(), b.into()]))
}
