//! Functions to files and back, by MLX's exporter and importer.
//!
//! MLX writes a constant's memory as it lies and when it likes: constants are computed and laid out in order before. Not here:
//! trees, names, which file is written and what is believed of one (`crate::transforms`).

use super::{
    build::sized,
    call::call,
    closure::{self, once},
    compile, io, runtime, status, view,
};
use crate::{Error, ErrorKind, Result, Tensor, guard};
use mlx_link as sys;
use std::{
    ffi::{CStr, CString, c_char},
    path::Path,
    ptr,
};

/// What MLX made and the library lock protects.
#[derive(Clone, Copy)]
struct Raw<T>(T);

// SAFETY: a pointer to an object that is only touched, and freed, under the library lock.
unsafe impl<T> Send for Raw<T> {}
// SAFETY: as above; importing done, a function's graph is not changed any more.
unsafe impl<T> Sync for Raw<T> {}

impl<T> Raw<T> {
    fn get(self) -> T {
        self.0
    }
}

/// MLX's exporter, and the file that it holds open.
pub(crate) struct Exporter {
    raw: Raw<sys::mlxr_exporter>,
    shapeless: bool,
    /// Whether a trace ended early: MLX then has an entry without inputs, which it compares the next ones with.
    broken: bool,
    copies: Copies,
}

/// Constants that do not lie in order, and copies that do. The file has each once, however many traces use it.
#[derive(Default)]
struct Copies {
    from: Vec<Tensor>,
    to: Vec<Tensor>,
}

impl Exporter {
    pub(crate) fn new(op: &'static str, file: &CStr, shapeless: bool, metadata: &str) -> Result<Exporter> {
        let _guard = runtime::enter()?;
        let (mut raw, metadata) = (sys::mlxr_exporter { ctx: ptr::null_mut() }, metadata.as_bytes());
        let status = call!(
            sys::mlxr_exporter_new,
            out raw, text file, value shapeless, value metadata.as_ptr().cast(), value metadata.len()
        );
        status::check(op, ErrorKind::Io, status)?;
        Ok(Exporter { raw: Raw(raw), shapeless, broken: false, copies: Copies::default() })
    }

    /// Whether the file is of no use.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Appends what `f` does with `inputs`, the last of which have `names`.
    pub(crate) fn trace<E: From<Error> + 'static>(
        &mut self,
        op: &'static str,
        f: impl FnOnce(Vec<Tensor>) -> Result<Vec<Tensor>, E>,
        inputs: &[Tensor],
        names: &[CString],
    ) -> Result<(), E> {
        let (raw, shapeless, names) = (self.raw.get(), self.shapeless, pointers(names));
        let (mut called, copies) = (false, &mut self.copies);
        let traced = |inputs: Vec<Tensor>| {
            called = true;
            let given = inputs.clone();
            // An imported function gets its arguments in order: what was asked of placeholders holds.
            let (outputs, _) = view::meets_placeholder(|| compile::tracing(shapeless, || f(given)));
            copies.in_order(op, &inputs, outputs?).map_err(E::from)
        };
        // Also where a panic goes on.
        self.broken = true;
        let result = closure::transform(op, &mut once(traced), |_, closure| {
            let status =
                call!(sys::mlxr_exporter_apply, value raw, value closure, tensors inputs, list names);
            status::check(op, ErrorKind::Mlx, status)
        });
        self.broken = called && result.is_err();
        result
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        let raw = self.raw;
        runtime::eventually(move || call!(sys::mlxr_exporter_free, value raw.get()));
    }
}

impl Copies {
    /// The outputs over constants that are computed and lie in order.
    fn in_order(&mut self, op: &'static str, inputs: &[Tensor], outputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        let outputs = self.replace(op, inputs, outputs, 0)?;
        let guard = runtime::enter()?;
        let constants = closure::vector(
            op,
            &guard,
            |out| call!(sys::mlxr_export_constants, value out, tensors inputs, tensors (&outputs)),
        )?;
        drop(guard);
        crate::eval(&constants)?;
        let known = self.from.len();
        for constant in constants {
            if !view::of(&constant)?.is_row_contiguous() {
                let bytes = constant.to_bytes()?;
                self.to.push(io::from_bytes(op, &bytes, constant.shape(), constant.dtype())?);
                self.from.push(constant);
            }
        }
        self.replace(op, inputs, outputs, known)
    }

    /// The outputs with the copies from the `first` on in their places.
    fn replace(
        &self,
        op: &'static str,
        inputs: &[Tensor],
        outputs: Vec<Tensor>,
        first: usize,
    ) -> Result<Vec<Tensor>> {
        let (from, to) = (&self.from[first..], &self.to[first..]);
        if from.is_empty() {
            return Ok(outputs);
        }
        let guard = runtime::enter()?;
        closure::vector(op, &guard, |out| {
            call!(
                sys::mlxr_export_replace,
                value out, tensors inputs, tensors (&outputs), tensors from, tensors to
            )
        })
    }
}

/// A function that MLX read from a file.
pub(crate) struct Imported(Raw<sys::mlxr_imported>);

impl Imported {
    /// MLX believes the file: for whoever vouches for it.
    pub(crate) fn open(op: &'static str, file: &CStr) -> Result<Imported> {
        let _guard = runtime::enter()?;
        let mut raw = sys::mlxr_imported { ctx: ptr::null_mut() };
        status::check(op, ErrorKind::Io, call!(sys::mlxr_imported_new, out raw, text file))?;
        Ok(Imported(Raw(raw)))
    }

    /// What the function gives for `inputs`, the last of which have `names`.
    pub(crate) fn apply(
        &self,
        op: &'static str,
        inputs: &[Tensor],
        names: &[CString],
    ) -> Result<Vec<Tensor>> {
        // A part of a placeholder was taken for one of a tensor in order when the function was traced.
        let inputs: Vec<Tensor> =
            inputs.iter().map(|x| Ok(guard::orderly(x)?.into_owned())).collect::<Result<_>>()?;
        let (raw, names) = (self.0.get(), pointers(names));
        let guard = runtime::enter()?;
        let outputs = closure::vector(
            op,
            &guard,
            |out| call!(sys::mlxr_imported_apply, value out, value raw, tensors (&inputs), list names),
        );
        let operands = || inputs.iter().map(Into::into).collect::<Vec<_>>();
        let outputs = outputs.map_err(|error| error.with_operands(&operands()))?;
        outputs.into_iter().map(|output| sized(op, output)).collect()
    }
}

impl Drop for Imported {
    fn drop(&mut self) {
        let raw = self.0;
        runtime::eventually(move || call!(sys::mlxr_imported_free, value raw.get()));
    }
}

fn pointers(names: &[CString]) -> Vec<*const c_char> {
    names.iter().map(|name| name.as_ptr()).collect()
}

/// A path, or a name, as C takes it.
pub(crate) fn text(op: &'static str, bytes: impl Into<Vec<u8>>) -> Result<CString> {
    CString::new(bytes).map_err(|e| {
        Error::new(ErrorKind::Value, op, "a name with a zero byte in it cannot be used").with_source(e)
    })
}

/// The bytes of a path.
pub(crate) fn path(op: &'static str, path: &Path) -> Result<CString> {
    text(op, path.as_os_str().as_encoded_bytes())
}
