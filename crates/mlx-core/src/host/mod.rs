//! Host kernels: ops whose values a Rust closure computes, lazy nodes like any other.
//!
//! Not here: how MLX keeps and calls them (`ffi/host.rs`), kernels for GPUs (`kernel`).

mod call;
mod memory;

pub use memory::{HostInput, HostOutput};

use crate::{Dtype, Error, ErrorKind, IntoShape, Result, Shape, Tensor, ffi::Stop, transforms::VmapAxes};
use std::{ffi::CString, sync::Arc};

/// What a kernel fails with: any error, by `?`; a text, by `.into()`.
pub type KernelError = Box<dyn std::error::Error + Send + Sync>;

type Body = dyn Fn(&[HostInput<'_>], &mut [HostOutput<'_>]) -> Result<(), KernelError> + Send + Sync;
type Shapes = dyn Fn(&[Tensor]) -> Result<Vec<(Shape, Dtype)>> + Send + Sync;
type Vjp = dyn Fn(&[Tensor], &[Tensor], &[Tensor]) -> Result<Vec<Tensor>, Stop> + Send + Sync;
type Jvp = dyn Fn(&[Tensor], &[Option<Tensor>]) -> Result<Vec<Tensor>, Stop> + Send + Sync;
type Vmap = dyn Fn(&[Tensor], &[Option<i32>]) -> Result<(Vec<Tensor>, VmapAxes), Stop> + Send + Sync;

/// An op of your own for the CPU: a closure over slices that runs when its tensors are evaluated.
///
/// The closure gets the inputs in row-major order, whatever views they are, and outputs of zeros to write to. It runs on a
/// thread of MLX's, maybe several times at once, and must be a function of its inputs: what is computed twice may run once.
/// An error that it returns, or a panic, is the error of its tensors' evaluation. It must not use tensors, which is an error
/// there, and must not wait for a thread that evaluates one. On a machine with a GPU, too, it runs on the CPU, and
/// its inputs are brought there.
///
/// For `grad`, `jvp` and `vmap` a kernel needs rules, which are functions of tensors; without one that transform is an error
/// with the kernel's name. Inside a compiled function it is a node like any other, not fused, and not for
/// [`compile_shapeless`](crate::transforms::compile_shapeless).
///
/// ```
/// # use mlx_core::{HostKernel, tensor, transforms::grad};
/// # use mlx_ops::ReduceOps;
/// let cube = HostKernel::new("cube", |inputs, outputs| {
///     let x = inputs[0].slice::<f32>()?;
///     for (y, x) in outputs[0].slice_mut::<f32>()?.iter_mut().zip(x) {
///         *y = x * x * x;
///     }
///     Ok(())
/// })
/// .output_like(0)
/// .vjp(|inputs, cotangents, _| Ok::<_, mlx_core::Error>(vec![3.0 * &inputs[0] * &inputs[0] * &cotangents[0]]));
///
/// let x = tensor![1.0, 2.0, 3.0];
/// let y = cube.call_one([&x])?; // lazy
/// assert_eq!(y.to_vec::<f32>()?, [1.0, 8.0, 27.0]);
/// let slope = grad(|x| cube.call_one([x]).map(|y| y.sum(..)), &x)?;
/// assert_eq!(slope.to_vec::<f32>()?, [3.0, 12.0, 27.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone)]
pub struct HostKernel(Arc<Kernel>);

#[derive(Clone)]
struct Kernel {
    name: CString,
    body: Arc<Body>,
    outputs: Outputs,
    vjp: Option<Arc<Vjp>>,
    jvp: Option<Arc<Jvp>>,
    vmap: Option<Arc<Vmap>>,
    /// What was wrong with how it was made, for the first call.
    fault: Option<String>,
}

/// What a kernel gives.
#[derive(Clone)]
enum Outputs {
    Listed(Vec<Listed>),
    ByRule(Arc<Shapes>),
}

#[derive(Clone)]
enum Listed {
    Fixed(Shape, Dtype),
    Like(usize),
}

impl HostKernel {
    /// A kernel with the name that errors and graphs show (ASCII letters, digits and `_`), and no outputs yet.
    #[must_use]
    pub fn new(
        name: &str,
        body: impl Fn(&[HostInput<'_>], &mut [HostOutput<'_>]) -> Result<(), KernelError> + Send + Sync + 'static,
    ) -> HostKernel {
        let is_plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let fault =
            (!is_plain).then(|| format!("the name {name:?} of a kernel is not of letters, digits and _"));
        HostKernel(Arc::new(Kernel {
            name: CString::new(if is_plain { name } else { "unnamed" }).unwrap_or_default(),
            body: Arc::new(body),
            outputs: Outputs::Listed(Vec::new()),
            vjp: None,
            jvp: None,
            vmap: None,
            fault,
        }))
    }

    fn with(mut self, change: impl FnOnce(&mut Kernel)) -> HostKernel {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// One more output, always of this shape and dtype.
    #[must_use]
    pub fn output(self, shape: impl IntoShape, dtype: Dtype) -> HostKernel {
        let shape = shape.into_shape();
        self.with(|kernel| match shape {
            Ok(shape) => kernel.list(Listed::Fixed(shape, dtype)),
            Err(error) => kernel.fault = Some(error.message().to_owned()),
        })
    }

    /// One more output, of the shape and dtype of an input.
    #[must_use]
    pub fn output_like(self, input: usize) -> HostKernel {
        self.with(|kernel| kernel.list(Listed::Like(input)))
    }

    /// All outputs, of shapes and dtypes by a rule, which looks at the inputs' and must not need their values.
    ///
    /// ```
    /// # use mlx_core::{Dtype, HostKernel, Shape, tensor};
    /// let count = HostKernel::new("count_true", |inputs, outputs| {
    ///     let (rows, counts) = (inputs[0].slice::<bool>()?, outputs[0].slice_mut::<u32>()?);
    ///     for (count, row) in counts.iter_mut().zip(rows.chunks_exact(inputs[0].shape()[1] as usize)) {
    ///         *count = row.iter().filter(|x| **x).count() as u32;
    ///     }
    ///     Ok(())
    /// })
    /// .outputs_by(|inputs| Ok(vec![(Shape::from_slice(&inputs[0].shape()[..1]), Dtype::Uint32)]));
    /// let counts = count.call_one([&tensor![[true, false], [true, true]]])?;
    /// assert_eq!(counts.to_vec::<u32>()?, [1, 2]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    #[must_use]
    pub fn outputs_by(
        self,
        rule: impl Fn(&[Tensor]) -> Result<Vec<(Shape, Dtype)>> + Send + Sync + 'static,
    ) -> HostKernel {
        self.with(|kernel| kernel.outputs = Outputs::ByRule(Arc::new(rule)))
    }

    /// How its gradient is computed: of the inputs, the cotangents and the outputs, a gradient for each input in its shape.
    #[must_use]
    pub fn vjp<E: From<Error> + 'static>(
        self,
        rule: impl Fn(&[Tensor], &[Tensor], &[Tensor]) -> Result<Vec<Tensor>, E> + Send + Sync + 'static,
    ) -> HostKernel {
        self.with(|kernel| {
            kernel.vjp = Some(Arc::new(move |inputs, cotangents, outputs| {
                rule(inputs, cotangents, outputs).map_err(Stop::failed)
            }));
        })
    }

    /// How its derivative forward is computed: of the inputs and their tangents (`None` for one that is not differentiated
    /// by), a product for each output in its shape.
    #[must_use]
    pub fn jvp<E: From<Error> + 'static>(
        self,
        rule: impl Fn(&[Tensor], &[Option<Tensor>]) -> Result<Vec<Tensor>, E> + Send + Sync + 'static,
    ) -> HostKernel {
        self.with(|kernel| {
            kernel.jvp = Some(Arc::new(move |inputs, tangents| rule(inputs, tangents).map_err(Stop::failed)));
        })
    }

    /// How it is vectorised: of the inputs and the axes of their items (`None` for one without), the outputs and their axes.
    #[must_use]
    pub fn vmap<E: From<Error> + 'static>(
        self,
        rule: impl Fn(&[Tensor], &[Option<i32>]) -> Result<(Vec<Tensor>, VmapAxes), E> + Send + Sync + 'static,
    ) -> HostKernel {
        self.with(|kernel| {
            kernel.vmap = Some(Arc::new(move |inputs, axes| rule(inputs, axes).map_err(Stop::failed)));
        })
    }

    /// The name of the kernel.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// The lazy outputs for `inputs`.
    ///
    /// # Errors
    /// A name that is none; no outputs, or shapes that cannot be; [`output_like`](HostKernel::output_like) an input that is
    /// not there; inside a function that is traced for every shape at once; inside another host kernel. What the closure
    /// itself returns is the error of evaluating an output.
    ///
    /// ```
    /// # use mlx_core::{Dtype, HostKernel, Tensor, tensor, transforms::compile_shapeless};
    /// let zero = HostKernel::new("zero", |_, _| Ok(())).output_like(0);
    /// assert_eq!(zero.call([&tensor![1, 2]])?[0].to_vec::<i32>()?, [0, 0]);
    ///
    /// // SAFETY: it comes to no shape.
    /// let any_shape = unsafe { compile_shapeless(|x: &Tensor| zero.call_one([x])) };
    /// let error = any_shape.call(&tensor![1, 2]).unwrap_err();
    /// assert!(error.message().contains("[zero] a host kernel's shapes are fixed"));
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    pub fn call<'a>(&self, inputs: impl IntoIterator<Item = &'a Tensor>) -> Result<Vec<Tensor>> {
        call::call(&self.0, inputs.into_iter().cloned().collect())
    }

    /// [`call`](HostKernel::call) of a kernel with one output.
    ///
    /// # Errors
    /// As [`call`](HostKernel::call); another number of outputs.
    pub fn call_one<'a>(&self, inputs: impl IntoIterator<Item = &'a Tensor>) -> Result<Tensor> {
        let mut outputs = self.call(inputs)?;
        match (outputs.pop(), outputs.len()) {
            (Some(output), 0) => Ok(output),
            (_, more) => Err(self.0.refused(format!("it gives {} tensors and not one", more + 1))),
        }
    }
}

impl std::fmt::Debug for HostKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HostKernel({})", self.name())
    }
}

impl Kernel {
    fn name(&self) -> &str {
        self.name.to_str().unwrap_or_default()
    }

    fn list(&mut self, output: Listed) {
        match &mut self.outputs {
            Outputs::Listed(all) => all.push(output),
            Outputs::ByRule(_) => self.fault = Some("its outputs are listed and given by a rule, too".into()),
        }
    }

    fn refused(&self, message: impl std::fmt::Display) -> Error {
        Error::new(ErrorKind::Value, "host_kernel", format!("[{}] {message}", self.name()))
    }
}
