//! Kernels for GPUs in CUDA and Metal, given as source, which MLX compiles when they first run.
//!
//! What is wrong with a definition or a call is an error before MLX sees it; what the source does is the caller's to promise.
//! Not here: kernels in Rust (`host`), the calls of mlx-c (`ffi/kernel.rs`).

mod launch;
mod metal;

pub use launch::Launch;
use launch::OutputsAndGrid;
pub use metal::{MetalCapture, metal_is_available};

use crate::{
    Dtype, Error, ErrorKind, Result, Shape, Tensor,
    ffi::kernel::{self, Definition, Language, Setup},
    transforms::is_tracing_shapeless,
};
use std::{
    collections::HashSet,
    ffi::CString,
    fmt::Display,
    hash::{DefaultHasher, Hash, Hasher},
    marker::PhantomData,
};

mod sealed {
    pub trait Sealed {
        const OP: &'static str;
        const NAME: &'static str;
        fn language() -> crate::ffi::kernel::Language;
    }
}

/// A language for kernels: [`Cuda`] or [`Metal`].
pub trait GpuLanguage: sealed::Sealed {}

/// NVIDIA's CUDA C++.
#[derive(Clone, Copy, Debug)]
pub struct Cuda;

/// Apple's Metal Shading Language.
#[derive(Clone, Copy, Debug)]
pub struct Metal;

impl sealed::Sealed for Cuda {
    const OP: &'static str = "cuda_kernel";
    const NAME: &'static str = "CUDA";
    fn language() -> Language {
        Language::Cuda { shared_memory: 0 }
    }
}

impl sealed::Sealed for Metal {
    const OP: &'static str = "metal_kernel";
    const NAME: &'static str = "Metal";
    fn language() -> Language {
        Language::Metal { atomic_outputs: false }
    }
}

impl GpuLanguage for Cuda {}
impl GpuLanguage for Metal {}

/// A kernel in CUDA: the body of a `__global__` function between the parameters and constants that MLX writes.
///
/// Inputs are pointers to constant elements, outputs pointers, by the names given; where the source names `X_shape`,
/// `X_strides` or `X_ndim` of an input `X`, these are parameters, too.
///
/// ```
/// # use mlx_core::{CudaKernel, Dtype, ErrorKind, Launch, tensor};
/// let source = "
///     auto i = cooperative_groups::this_grid().thread_rank();
///     if (i < N) { y[i] = x[i] * x[i]; }
/// ";
/// let square = CudaKernel::new("square", ["x"], ["y"], source);
/// let x = tensor![1.0, 2.0, 3.0];
/// let launch = Launch::each(256).output_like(&x).int("N", 3);
/// // SAFETY: a thread of the grid writes to its own place within the output.
/// match unsafe { square.call([&x], &launch) } {
///     Ok(y) => assert_eq!(y[0].to_vec::<f32>()?, [1.0, 4.0, 9.0]),
///     Err(error) => assert_eq!(error.kind(), ErrorKind::Setup), // no NVIDIA GPU here
/// }
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.fast.cuda_kernel")]
pub type CudaKernel = GpuKernel<Cuda>;

/// A kernel in Metal: the body of a `kernel` function between the arguments and constants that MLX writes.
///
/// As [`CudaKernel`], with Metal's own attributes (`thread_position_in_grid` …) as arguments where the source names them.
#[doc(alias = "mx.fast.metal_kernel")]
pub type MetalKernel = GpuKernel<Metal>;

/// A kernel for a GPU; see [`CudaKernel`] and [`MetalKernel`].
#[derive(Clone, Debug)]
pub struct GpuKernel<L> {
    name: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    source: String,
    header: String,
    row_contiguous: bool,
    language: Language,
    _language: PhantomData<L>,
}

impl<L: GpuLanguage> GpuKernel<L> {
    /// A kernel of a name, its inputs' and outputs' names, and its body.
    #[must_use]
    pub fn new<'a>(
        name: &str,
        inputs: impl IntoIterator<Item = &'a str>,
        outputs: impl IntoIterator<Item = &'a str>,
        source: &str,
    ) -> Self {
        GpuKernel {
            name: name.into(),
            inputs: inputs.into_iter().map(str::to_owned).collect(),
            outputs: outputs.into_iter().map(str::to_owned).collect(),
            source: source.into(),
            header: String::new(),
            row_contiguous: true,
            language: L::language(),
            _language: PhantomData,
        }
    }

    /// Text before the function: includes, functions of its own.
    #[must_use]
    pub fn header(mut self, header: &str) -> Self {
        self.header = header.into();
        self
    }

    /// Whether inputs that lie in another order are copied first; true at first. Without it the source looks at strides.
    #[must_use]
    pub fn row_contiguous(mut self, copied: bool) -> Self {
        self.row_contiguous = copied;
        self
    }

    /// The lazy outputs for `inputs`. MLX compiles the source when it first runs for its types; compiled kernels are told
    /// apart by source, header, names and types, in this process and on the disk.
    ///
    /// # Errors
    /// Names that are none, or twice; another number of inputs or outputs; a grid, a group of threads or shapes that cannot be;
    /// inside a function that is traced for every shape at once; an MLX without this language; work that goes to the CPU
    /// (`ErrorKind::Setup` for these two). Source that does not compile is an error of the evaluation.
    ///
    /// # Safety
    /// However its threads run, the kernel reads and writes within its inputs and outputs only, does not write to inputs, does
    /// not read what was not written, and ends.
    #[allow(unsafe_code)]
    pub unsafe fn call<'a>(
        &self,
        inputs: impl IntoIterator<Item = &'a Tensor>,
        launch: &Launch,
    ) -> Result<Vec<Tensor>> {
        let inputs: Vec<Tensor> = inputs.into_iter().cloned().collect();
        let (outputs, grid) = self.checked(&inputs, launch)?;
        if is_tracing_shapeless() {
            return Err(self.refused("a kernel's shapes are fixed: compile the function for each shape"));
        }
        if !kernel::is_available(self.language)? {
            let message = format!(
                "[{}] the MLX library that was loaded has no {}, or no GPU for it",
                self.name,
                L::NAME
            );
            return Err(Error::new(ErrorKind::Setup, L::OP, message));
        }
        let name = self.text(&self.unique_name(&inputs, &outputs, launch))?;
        let texts = |all: &[String]| all.iter().map(|text| self.text(text)).collect::<Result<Vec<_>>>();
        let constants = launch.constants.iter().map(|(name, constant)| Ok((self.text(name)?, *constant)));
        let definition = Definition {
            name: &name,
            inputs: &texts(&self.inputs)?,
            outputs: &texts(&self.outputs)?,
            source: &self.text(&self.source)?,
            header: &self.text(&self.header)?,
            row_contiguous: self.row_contiguous,
        };
        let setup = Setup {
            outputs: &outputs,
            grid,
            group: launch.group,
            constants: &constants.collect::<Result<Vec<_>>>()?,
            init: launch.init,
            verbose: launch.verbose,
        };
        kernel::launch(L::OP, self.language, &definition, &setup, &inputs)
    }

    fn refused(&self, message: impl Display) -> Error {
        Error::new(ErrorKind::Value, L::OP, format!("[{}] {message}", self.name))
    }

    fn text(&self, text: &str) -> Result<CString> {
        CString::new(text).map_err(|e| self.refused("a text holds a NUL").with_source(e))
    }

    /// The outputs and the grid of a call that can be.
    fn checked(&self, inputs: &[Tensor], launch: &Launch) -> Result<OutputsAndGrid> {
        let names =
            self.inputs.iter().chain(&self.outputs).chain(launch.constants.iter().map(|(name, _)| name));
        let mut known = HashSet::new();
        for name in names.chain([&self.name]) {
            if !is_identifier(name) {
                return Err(self.refused(format!("{name:?} is no name for a parameter")));
            }
            if !known.insert(name.as_str()) && *name != self.name {
                return Err(self.refused(format!("the name {name:?} stands twice")));
            }
        }
        self.text(&self.source).and(self.text(&self.header))?;
        if self.outputs.is_empty() {
            return Err(self.refused("it has no outputs"));
        }
        if inputs.len() != self.inputs.len() {
            return Err(self.refused(format!(
                "it has {} inputs and got {}",
                self.inputs.len(),
                inputs.len()
            )));
        }
        for (name, x) in self.inputs.iter().zip(inputs) {
            // MLX's CUDA passes these of a 0-d tensor to a function without such parameters.
            let asked = ["shape", "strides", "ndim"]
                .iter()
                .any(|what| self.source.contains(&format!("{name}_{what}")));
            if x.ndim() == 0 && asked && matches!(self.language, Language::Cuda { .. }) {
                return Err(self.refused(format!("input {name} is 0-d, and the source asks for its shape")));
            }
        }
        let (outputs, grid) =
            launch.checked(L::OP, self.outputs.len()).map_err(|e| self.refused(e.message()))?;
        match self.language {
            Language::Cuda { shared_memory } if shared_memory < 0 => {
                Err(self.refused(format!("{shared_memory} bytes of shared memory cannot be")))
            }
            _ => Ok((outputs, grid)),
        }
    }

    /// MLX keeps compiled kernels by name and constants alone, those of CUDA on the disk, too.
    fn unique_name(&self, inputs: &[Tensor], outputs: &[(Shape, Dtype)], launch: &Launch) -> String {
        let mut hasher = DefaultHasher::new();
        (&self.inputs, &self.outputs, &self.source, &self.header, self.row_contiguous).hash(&mut hasher);
        for x in inputs {
            (x.dtype(), x.ndim() == 0).hash(&mut hasher);
        }
        for (_, dtype) in outputs {
            dtype.hash(&mut hasher);
        }
        (&launch.constants, format!("{:?}", self.language)).hash(&mut hasher);
        format!("{}_{:016x}", self.name, hasher.finish())
    }
}

impl GpuKernel<Cuda> {
    /// How many bytes of dynamic shared memory a block of threads has; none at first.
    #[must_use]
    pub fn shared_memory(mut self, bytes: i32) -> Self {
        self.language = Language::Cuda { shared_memory: bytes };
        self
    }
}

impl GpuKernel<Metal> {
    /// Whether outputs are atomic; not at first.
    #[must_use]
    pub fn atomic_outputs(mut self, atomic: bool) -> Self {
        self.language = Language::Metal { atomic_outputs: atomic };
        self
    }
}

fn is_identifier(name: &str) -> bool {
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    plain && name.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}
