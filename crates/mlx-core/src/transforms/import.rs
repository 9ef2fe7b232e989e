//! Functions from files: called like any other, with tensors or trees of them.
//!
//! Not here: how files are written (`export`); how MLX is called (`ffi/export.rs`).

use super::{
    export::named,
    tree::{self, Tree},
};
use crate::{
    Dtype, Error, ErrorKind, MLX_VERSION, Result, Tensor,
    ffi::export::{self as ffi, Imported},
    file,
};
use std::{collections::BTreeSet, ffi::CString, fmt, fs::File, path::Path};

const IMPORT: &str = "import_function";

/// A function from a file. It has no closure: what it does is in the file.
///
/// It can be sent to other threads and called by several: its graph is never changed. Inside `grad`, `vmap` and `compile` it is
/// what its ops are.
pub struct ImportedFunction {
    function: Imported,
    metadata: String,
    /// What the file has, in MLX's words.
    listing: String,
    signatures: Vec<Signature>,
}

/// Reads a function that [`export_function`](super::export_function) or [`FunctionExporter`](super::FunctionExporter) wrote, here or in Python.
///
/// # Safety
/// MLX believes the file. It was written whole by the exporter of this version of MLX, [`MLX_VERSION`](crate::MLX_VERSION), and
/// nobody changes it while the function, or a tensor made with it, lives: its constants are read when they are needed.
/// Where it is shapeless, the function keeps to the contract of [`FunctionExporter::shapeless`](super::FunctionExporter::shapeless). And its ops are what they are in
/// the file: a function that Python wrote, or [`unguarded`](crate::unguarded) code, has no guards against an integer divided by
/// 0 or an index outside its axis, in any call.
///
/// # Errors
/// A file that is not there, no regular one, cut off, not an exported function, or of another version of MLX.
#[doc(alias = "mx.import_function")]
#[allow(unsafe_code, reason = "unsafe to call: its contract is the caller's")]
pub unsafe fn import_function(path: impl AsRef<Path>) -> Result<ImportedFunction> {
    let path = path.as_ref();
    imported(path).map_err(|error| file::in_file(error, IMPORT, path))
}

fn imported(path: &Path) -> Result<ImportedFunction> {
    let (mut file, length) = file::open(IMPORT, path)?;
    let head = Head::read(&mut file, length)?;
    let function = Imported::open(IMPORT, &ffi::path(IMPORT, path)?)?;
    let listing = listing(&function, head.functions)?;
    let signatures = signatures(&listing).ok_or_else(|| {
        Error::new(ErrorKind::Io, IMPORT, format!("its functions have odd names: {listing}"))
    })?;
    Ok(ImportedFunction { function, metadata: head.metadata, listing, signatures })
}

impl ImportedFunction {
    /// What the function gives for the tensors of `args`, in order; Python's tuple.
    ///
    /// # Errors
    /// Another number, other shapes or other dtypes than were exported, in MLX's words, which list what was.
    pub fn call<A: Tree>(&self, args: &A) -> Result<Vec<Tensor>> {
        self.call_keywords(args, &())
    }

    /// [`call`](ImportedFunction::call) with keyword arguments, whose names are the keys of the tree.
    ///
    /// # Errors
    /// As [`call`](ImportedFunction::call); other names.
    pub fn call_keywords<A: Tree, K: Tree>(&self, args: &A, keywords: &K) -> Result<Vec<Tensor>> {
        let mut inputs = tree::tensors(args);
        let positional = inputs.len();
        let (names, tensors) = named(IMPORT, &keywords.structure(), keywords)?;
        inputs.extend(tensors);
        // MLX asks whether its names are among those given, and takes others for positions.
        let given: BTreeSet<&[u8]> = names.iter().map(CString::as_bytes).collect();
        if !given.is_empty() && !self.signatures.iter().any(|known| known.takes(positional, &given)) {
            let given: Vec<String> =
                names.iter().map(|name| format!("{:?}", name.to_string_lossy())).collect();
            let message = format!(
                "no function in the file takes {positional} positional arguments and {}; it has:\n{}",
                given.join(", "),
                self.listing
            );
            return Err(Error::new(ErrorKind::Value, IMPORT, message));
        }
        self.function.apply(IMPORT, &inputs, &names)
    }

    /// The text that was saved with the function; empty where none was.
    #[must_use]
    pub fn metadata(&self) -> &str {
        &self.metadata
    }
}

impl fmt::Debug for ImportedFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ImportedFunction:\n{}", self.listing)
    }
}

/// What a file says of itself before its functions.
struct Head {
    functions: i32,
    metadata: String,
}

impl Head {
    fn read(file: &mut File, length: u64) -> Result<Head> {
        let refused = |what: String| file::error(IMPORT, what);
        let mut left = length;
        let mut take = |count: u64| {
            if count > left {
                return Err(refused(format!("not an exported function, or cut off: it has {length} bytes")));
            }
            left -= count;
            file::exactly(IMPORT, file, count)
        };
        let version = le(&take(8)?);
        // "0.32.2"; a number beyond that is no length of a version.
        let version = if version <= 32 { take(version)? } else { Vec::new() };
        if version != MLX_VERSION.as_bytes() {
            let is_version =
                version.iter().any(u8::is_ascii_digit) && version.iter().all(u8::is_ascii_graphic);
            return Err(refused(if is_version {
                let version = String::from_utf8_lossy(&version);
                format!(
                    "written by MLX {version}, whose format this one, {MLX_VERSION}, may not read: export it again"
                )
            } else {
                "not an exported function".into()
            }));
        }
        let (functions, shapeless, metadata) = (le(&take(4)?), le(&take(1)?), le(&take(8)?));
        if functions > i32::MAX as u64 || shapeless > 1 {
            return Err(refused("not an exported function".into()));
        }
        let metadata = String::from_utf8_lossy(&take(metadata)?).into_owned();
        Ok(Head { functions: functions as i32, metadata })
    }
}

/// The number of up to 8 bytes.
fn le(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// What a function takes.
struct Signature {
    positional: usize,
    names: BTreeSet<String>,
}

impl Signature {
    fn takes(&self, positional: usize, names: &BTreeSet<&[u8]>) -> bool {
        self.positional == positional && self.names.iter().map(String::as_bytes).eq(names.iter().copied())
    }
}

/// MLX's words for what the file has, which it only says when it is called in a wrong way: with a number of arguments that
/// none of its functions takes, and there is one up to as many as it has functions.
fn listing(function: &Imported, functions: i32) -> Result<String> {
    let nothing = Tensor::scalar(0, Dtype::Uint8)?;
    let mut arguments = Vec::new();
    for _ in 0..=functions {
        if let Err(error) = function.apply(IMPORT, &arguments, &[]) {
            let listed = error.message().split_once("Possible functions include:\n");
            let listed = listed.and_then(|(_, rest)| rest.rsplit_once("\nCalled with"));
            return listed.map(|(text, _)| text.to_owned()).ok_or(error);
        }
        arguments.push(nothing.clone());
    }
    Err(Error::new(ErrorKind::Io, IMPORT, "it has more functions than it says"))
}

/// The functions of a listing of MLX's; `None` where it cannot be understood.
fn signatures(listing: &str) -> Option<Vec<Signature>> {
    let (mut found, mut rest) = (Vec::new(), listing);
    while let Some((_, behind)) = rest.split_once(". Function with ") {
        let (positional, behind) = behind.split_once(" positional inputs and ")?;
        let (keywords, mut behind) = behind.split_once(" keyword inputs:\n")?;
        let (positional, keywords) = (positional.parse().ok()?, keywords.parse::<usize>().ok()?);
        for _ in 0..positional {
            (_, behind) = behind.split_once('\n')?;
        }
        let mut names = BTreeSet::new();
        for _ in 0..keywords {
            let (name, next) = behind.strip_prefix("   \"")?.split_once("\": ")?;
            names.insert(name.to_owned());
            (_, behind) = next.split_once('\n').unwrap_or((next, ""));
        }
        found.push(Signature { positional, names });
        rest = behind;
    }
    Some(found)
}
