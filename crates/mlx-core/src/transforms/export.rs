//! Functions to files: what a function does with tensors, traced once a signature, for other programs and languages.
//!
//! Not here: how MLX is called, and what it makes of constants (`ffi/export.rs`); the way back (`import`).

use super::{
    Outcome, built,
    tree::{self, Tree},
};
use crate::{
    Error, ErrorKind, Result, Tensor,
    ffi::export::{self as ffi, Exporter},
    file::{self, Replacement},
};
use std::{collections::BTreeSet, ffi::CString, path::Path};

const EXPORT: &str = "export_function";

/// Writes what `f` does with tensors of the shapes and dtypes of `args` to a file, from which [`import_function`](super::import_function), and Python's,
/// C++'s and Swift's, make a function again.
///
/// The tensors of `args` are positional arguments there, in order; more than these is for [`FunctionExporter`]. Tensors that
/// `f` captures are in the file with their values. The file is written beside and renamed: it is the old or the new one whole.
///
/// # Errors
/// What `f` returns; an op that MLX cannot write, such as `bitwise_invert`; the arguments, captured as well; what the system
/// refuses.
///
/// ```
/// # use mlx_core::{Tensor, tensor, transforms::{export_function, import_function}};
/// let path = std::env::temp_dir().join(format!("mlx-doc-export-{}.mlxfn", std::process::id()));
/// let weight = tensor![2.0, 3.0];
/// export_function(&path, |(x, y): &(Tensor, Tensor)| x * &weight + y, &(tensor![0.0, 0.0], tensor![1.0, 1.0]))?;
///
/// // SAFETY: written above, by this version of MLX.
/// let f = unsafe { import_function(&path)? };
/// let outputs = f.call(&[tensor![1.0, 2.0], tensor![0.5, 0.5]])?;
/// assert_eq!(outputs[0].to_vec::<f32>()?, [2.5, 6.5]);
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.export_function")]
pub fn export_function<A: Tree, R: Outcome>(
    path: impl AsRef<Path>,
    f: impl Fn(&A) -> R,
    args: &A,
) -> Result<(), R::Error> {
    let mut exporter = FunctionExporter::new(path, f)?;
    exporter.call(args)?;
    Ok(exporter.close()?)
}

type Function<'a, A, K, E> = Box<dyn Fn(&A, &K) -> Result<Vec<Tensor>, E> + 'a>;

/// Writes a function for several shapes, structures or keywords to one file. The file is there when [`close`] returns; before, and
/// where the exporter is dropped, it is what it was.
///
/// `K` is a tree of keyword arguments, whose names are its keys: a map from names to tensors, or a struct.
///
/// ```
/// # use mlx_core::{Tensor, tensor, transforms::{FunctionExporter, import_function}};
/// # use std::collections::BTreeMap;
/// let path = std::env::temp_dir().join(format!("mlx-doc-exporter-{}.mlxfn", std::process::id()));
/// let keywords = |bias: Tensor| BTreeMap::from([("bias".to_owned(), bias)]);
/// let f = |x: &Tensor, more: &BTreeMap<String, Tensor>| x * 2.0 + &more["bias"];
/// let mut exporter = FunctionExporter::with_keywords(&path, f)?.metadata("doubles");
/// exporter.call_keywords(&tensor![0.0], &keywords(tensor![0.0]))?;
/// exporter.call_keywords(&tensor![[0.0, 0.0]], &keywords(tensor![0.0]))?;
/// exporter.close()?;
///
/// // SAFETY: written above, by this version of MLX.
/// let f = unsafe { import_function(&path)? };
/// let outputs = f.call_keywords(&tensor![[1.0, 2.0]], &keywords(tensor![0.5]))?;
/// assert_eq!(outputs[0].to_vec::<f32>()?, [2.5, 4.5]);
/// assert_eq!(f.metadata(), "doubles");
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), mlx_core::Error>(())
/// ```
///
/// [`close`]: FunctionExporter::close
#[doc(alias = "mx.FunctionExporter")]
pub struct FunctionExporter<'a, A: Tree, K: Tree = (), E: From<Error> + 'static = Error> {
    /// From the first trace on. Goes before the file that it writes.
    exporter: Option<Exporter>,
    file: Replacement,
    function: Function<'a, A, K, E>,
    shapeless: bool,
    metadata: String,
    /// Whether an option came behind a trace.
    late: bool,
}

impl<'a, A: Tree, E: From<Error> + 'static> FunctionExporter<'a, A, (), E> {
    /// An exporter of a function of positional arguments.
    ///
    /// # Errors
    /// A folder that is not there, or cannot be written to; a target that is no regular file.
    #[doc(alias = "mx.exporter")]
    pub fn new<R: Outcome<Error = E>>(path: impl AsRef<Path>, f: impl Fn(&A) -> R + 'a) -> Result<Self> {
        FunctionExporter::with_keywords(path, move |args: &A, (): &()| f(args))
    }

    /// Appends what the function does with tensors of these shapes and dtypes.
    ///
    /// # Errors
    /// As [`call_keywords`](FunctionExporter::call_keywords).
    pub fn call(&mut self, args: &A) -> Result<(), E> {
        self.call_keywords(args, &())
    }
}

impl<'a, A: Tree, K: Tree, E: From<Error> + 'static> FunctionExporter<'a, A, K, E> {
    /// An exporter of a function of positional and keyword arguments.
    ///
    /// # Errors
    /// As [`new`](FunctionExporter::new).
    #[doc(alias = "mx.exporter")]
    pub fn with_keywords<R: Outcome<Error = E>>(
        path: impl AsRef<Path>,
        f: impl Fn(&A, &K) -> R + 'a,
    ) -> Result<Self> {
        let function = move |args: &A, keywords: &K| Ok(tree::tensors(&f(args, keywords).into_result()?));
        Ok(FunctionExporter {
            exporter: None,
            file: Replacement::begin(EXPORT, path.as_ref())?,
            function: Box::new(function),
            shapeless: false,
            metadata: String::new(),
            late: false,
        })
    }

    /// A text that goes with the function; empty at first. Before the first trace.
    #[must_use]
    pub fn metadata(mut self, text: impl Into<String>) -> Self {
        self.late |= self.exporter.is_some();
        self.metadata = text.into();
        self
    }

    /// Makes each trace serve every shape of as many dimensions. Before the first trace.
    ///
    /// # Safety
    /// As [`compile_shapeless`](super::compile_shapeless), for whoever imports the file: no node of the function may hold a number
    /// that comes from a shape of its arguments.
    #[must_use]
    #[allow(unsafe_code, reason = "unsafe to call: its contract is the caller's")]
    pub unsafe fn shapeless(mut self) -> Self {
        self.late |= self.exporter.is_some();
        self.shapeless = true;
        self
    }

    /// Appends what the function does with tensors of these shapes, dtypes and names.
    ///
    /// # Errors
    /// What the function returns, after which nothing can be written any more; a signature that was exported before; an op that
    /// MLX cannot write; keywords without a name or with the same; the arguments, captured as well.
    pub fn call_keywords(&mut self, args: &A, keywords: &K) -> Result<(), E> {
        let structure = (args.structure(), keywords.structure());
        let (names, named) = named(EXPORT, &structure.1, keywords)?;
        let (exporter, function) = (opened(self)?, &self.function);
        let mut inputs = tree::tensors(args);
        inputs.extend(named);
        let f = |inputs| {
            let (args, keywords) = built::<(A, K)>(&structure, inputs);
            function(&args, &keywords)
        };
        self.exporter.insert(exporter).trace(EXPORT, f, &inputs, &names)
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// Nothing was exported, or something in part; what the system refuses.
    pub fn close(mut self) -> Result<()> {
        if self.exporter.is_none() {
            let message = "nothing was exported: call the exporter with example arguments first";
            return Err(file::in_file(
                Error::new(ErrorKind::Value, EXPORT, message),
                EXPORT,
                self.file.path(),
            ));
        }
        // Whatever MLX holds of the file is written when it lets go of it.
        drop(opened(&mut self)?);
        self.file.commit()
    }
}

/// MLX's exporter, made for the first trace, in a state to go on.
fn opened<A: Tree, K: Tree, E: From<Error> + 'static>(
    this: &mut FunctionExporter<'_, A, K, E>,
) -> Result<Exporter> {
    let refused =
        |message| Err(file::in_file(Error::new(ErrorKind::Value, EXPORT, message), EXPORT, this.file.path()));
    match &this.exporter {
        _ if this.late => refused("metadata and shapeless come before the first trace"),
        Some(exporter) if exporter.is_broken() => {
            refused("an earlier trace ended early, so that the file cannot be written: begin again")
        }
        Some(_) => Ok(this.exporter.take().expect("it is there")),
        None => {
            let path = ffi::path(EXPORT, this.file.written_at())?;
            Exporter::new(EXPORT, &path, this.shapeless, &this.metadata)
        }
    }
}

/// The names of keyword arguments, and as many tensors.
pub(super) fn named<K: Tree>(
    op: &'static str,
    structure: &K::Structure,
    keywords: &K,
) -> Result<(Vec<CString>, Vec<Tensor>)> {
    let (mut keys, tensors) = (Vec::new(), tree::tensors(keywords));
    K::keys(structure, "", &mut keys);
    if keys.len() != tensors.len() {
        let message =
            format!("the keyword arguments are {} tensors and have {} names", tensors.len(), keys.len());
        return Err(Error::new(ErrorKind::Value, op, message));
    }
    let mut seen = BTreeSet::new();
    for key in &keys {
        if key.is_empty() || !seen.insert(key) {
            let what = if key.is_empty() { "no name".into() } else { format!("the name {key:?}, twice") };
            let message =
                format!("a keyword argument has {what}: give a map from names to tensors, or a struct");
            return Err(Error::new(ErrorKind::Value, op, message));
        }
    }
    let names = keys.into_iter().map(|key| ffi::text(op, key)).collect::<Result<_>>()?;
    Ok((names, tensors))
}
