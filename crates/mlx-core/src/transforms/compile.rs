//! Compiled functions: traced once a signature, simplified, fused, then called without their closures.
//!
//! Not here: where MLX keeps traces and how they go (`ffi/compile.rs`).

use super::{
    Outcome, built,
    tree::{self, Tree},
};
use crate::{
    Error, Result, Tensor,
    ffi::{
        Stop,
        compile::{self as ffi, How, Id, Traceable, Traced},
    },
};
use parking_lot::ReentrantMutex;
use smallvec::SmallVec;
use std::{
    cell::Cell,
    marker::PhantomData,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// How far MLX compiles, in the whole process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompileMode {
    /// Compiled functions run as they are.
    Disabled,
    /// Without merging equal nodes.
    NoSimplify,
    /// Without fused kernels: bits are those of the function itself.
    NoFuse,
    /// All of it; the default.
    Enabled,
}

/// Sets how far functions are compiled from now on, in the whole process; traces that exist stay.
///
/// # Errors
/// MLX that cannot be started.
#[doc(alias = "mx.disable_compile")]
#[doc(alias = "mx.enable_compile")]
pub fn set_compile_mode(mode: CompileMode) -> Result<()> {
    ffi::set_mode(mode)
}

/// Whether this thread is inside a function that is traced for every shape at once ([`compile_shapeless`]): sizes must not
/// decide anything there.
#[must_use]
pub fn is_tracing_shapeless() -> bool {
    ffi::is_tracing_shapeless()
}

/// `f`, traced once for each signature (structure, shapes and dtypes of its arguments) and each thread, and from then on
/// called without running it.
///
/// What `f` does besides making nodes happens once a trace. Tensors that it captures are part of the trace with the values
/// they have then; what changes from call to call is an argument, or the state of [`compile_state`]. Inside another
/// transform, and without a C++ compiler on `PATH` on a CPU, it runs as it is.
///
/// ```
/// # use mlx_core::{Tensor, tensor, transforms::compile};
/// let f = compile(|(x, y): &(Tensor, Tensor)| (x * x + y) * 0.5);
/// let z = f.call(&(tensor![1.0, 2.0], tensor![3.0, 4.0]))?;
/// assert_eq!(z.to_vec::<f32>()?, [2.0, 4.0]);
/// f.call(&(z.clone(), z))?;
/// assert_eq!(f.trace_count(), 1);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.compile")]
pub fn compile<A: Tree, R: Outcome, F: Fn(&A) -> R>(f: F) -> Compiled<A, R, F> {
    Compiled { core: Core::new(Plain(f, PhantomData), How::default()) }
}

/// [`compile`] with one trace for every shape of as many dimensions.
///
/// # Safety
/// No node of `f` may hold a number that comes from a shape of its arguments: no `x.shape()`, `x.size()`, no reshape,
/// slice, `arange`, `zeros` or mask of their sizes. MLX uses the trace with other shapes unchecked: wrong values, or memory
/// beyond a tensor's end.
///
/// ```
/// # use mlx_core::{Tensor, tensor, transforms::{compile_shapeless, is_tracing_shapeless}};
/// // SAFETY: goes elementwise, whatever the shape.
/// let f = unsafe {
///     compile_shapeless(|x: &Tensor| {
///         assert!(is_tracing_shapeless());
///         x * x + 1.0
///     })
/// };
/// assert_eq!(f.call(&tensor![1.0, 2.0])?.to_vec::<f32>()?, [2.0, 5.0]);
/// assert_eq!(f.call(&tensor![3.0])?.to_vec::<f32>()?, [10.0]);
/// assert_eq!(f.trace_count(), 1);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.compile")]
#[allow(unsafe_code, reason = "unsafe to call: its contract is the caller's")]
pub unsafe fn compile_shapeless<A: Tree, R: Outcome, F: Fn(&A) -> R>(f: F) -> Compiled<A, R, F> {
    Compiled { core: Core::new(Plain(f, PhantomData), How { shapeless: true, ..How::default() }) }
}

/// [`compile`] of a function that changes a state: parameters, statistics, a random key. The state goes in and out of
/// the trace with the arguments.
///
/// Python's `inputs` and `outputs` of `mx.compile`.
///
/// ```
/// # use mlx_core::{Tensor, tensor, transforms::compile_state};
/// let step = compile_state(|total: &mut Tensor, x: &Tensor| {
///     *total += x;
///     &*total * 2.0
/// });
/// let mut total = tensor![0.0];
/// for _ in 0..3 {
///     step.call(&mut total, &tensor![1.5])?;
/// }
/// assert_eq!(total.item::<f32>()?, 4.5);
/// assert_eq!(step.trace_count(), 1);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.compile")]
pub fn compile_state<S: Tree, A: Tree, R: Outcome, F: Fn(&mut S, &A) -> R>(
    f: F,
) -> CompiledState<S, A, R, F> {
    CompiledState { core: Core::new(Stateful(f, PhantomData), How::default()) }
}

/// A compiled function; see [`compile`]. Clones share their traces.
///
/// It can be sent to another thread, or used from several, where its closure is `Send + Sync`. Its traces go when the last
/// clone is dropped.
pub struct Compiled<A: Tree, R: Outcome, F: Fn(&A) -> R> {
    core: Core<Plain<A, R, F>>,
}

/// A compiled function with a state; see [`compile_state`]. Clones share their traces.
pub struct CompiledState<S: Tree, A: Tree, R: Outcome, F: Fn(&mut S, &A) -> R> {
    core: Core<Stateful<S, A, R, F>>,
}

impl<A: Tree, R: Outcome, F: Fn(&A) -> R> Compiled<A, R, F> {
    /// What the function gives for `args`.
    ///
    /// # Errors
    /// What the function returns while it is traced; what MLX refuses; the function called by itself while it is traced.
    pub fn call(&self, args: &A) -> Result<R::Output, R::Error> {
        let mut leaves = Leaves::new();
        args.visit(&mut |leaf| leaves.push(leaf));
        let (outputs, structure) = self.core.apply(args.structure(), &leaves)?;
        Ok(built(&structure, outputs))
    }

    /// The same function with constants kept out of fused kernels, so that its bits are those of `f` itself.
    ///
    /// MLX writes constants into kernels with seven digits (sixteen in float64), which changes one in two of them.
    #[must_use]
    pub fn lift_constants(self) -> Self {
        Compiled { core: self.core.lift_constants() }
    }

    /// How often the function was traced, on all threads.
    #[must_use]
    pub fn trace_count(&self) -> usize {
        self.core.trace_count()
    }
}

impl<S: Tree, A: Tree, R: Outcome, F: Fn(&mut S, &A) -> R> CompiledState<S, A, R, F> {
    /// What the function gives for `args`; `state` becomes what it made of it.
    ///
    /// # Errors
    /// As [`Compiled::call`]; then the state is as it was.
    pub fn call(&self, state: &mut S, args: &A) -> Result<R::Output, R::Error> {
        let mut leaves = Leaves::new();
        state.visit(&mut |leaf| leaves.push(leaf));
        args.visit(&mut |leaf| leaves.push(leaf));
        let (outputs, (given, left)) = self.core.apply((state.structure(), args.structure()), &leaves)?;
        drop(leaves);
        let (output, after) = built(&(given, left), outputs);
        *state = after;
        Ok(output)
    }

    /// See [`Compiled::lift_constants`].
    #[must_use]
    pub fn lift_constants(self) -> Self {
        CompiledState { core: self.core.lift_constants() }
    }

    /// See [`Compiled::trace_count`].
    #[must_use]
    pub fn trace_count(&self) -> usize {
        self.core.trace_count()
    }
}

impl<A: Tree, R: Outcome, F: Fn(&A) -> R> Clone for Compiled<A, R, F> {
    fn clone(&self) -> Self {
        Compiled { core: self.core.clone() }
    }
}

impl<S: Tree, A: Tree, R: Outcome, F: Fn(&mut S, &A) -> R> Clone for CompiledState<S, A, R, F> {
    fn clone(&self) -> Self {
        CompiledState { core: self.core.clone() }
    }
}

/// Few arguments stay off the heap: a call is short.
type Leaves<'a> = SmallVec<[&'a Tensor; 16]>;

/// A function of tensors, between structures.
trait Function {
    type In: Clone + Eq;
    type Out: Clone + Eq;
    type Error: From<Error> + 'static;

    fn run(&self, structure: &Self::In, inputs: Vec<Tensor>)
    -> Result<(Vec<Tensor>, Self::Out), Self::Error>;
}

struct Plain<A, R, F>(F, PhantomData<fn(&A) -> R>);

impl<A: Tree, R: Outcome, F: Fn(&A) -> R> Function for Plain<A, R, F> {
    type In = A::Structure;
    type Out = <R::Output as Tree>::Structure;
    type Error = R::Error;

    fn run(&self, structure: &Self::In, inputs: Vec<Tensor>) -> Result<(Vec<Tensor>, Self::Out), R::Error> {
        let output = self.0(&built(structure, inputs)).into_result()?;
        Ok((tree::tensors(&output), output.structure()))
    }
}

struct Stateful<S, A, R, F>(F, PhantomData<fn(&mut S, &A) -> R>);

impl<S: Tree, A: Tree, R: Outcome, F: Fn(&mut S, &A) -> R> Function for Stateful<S, A, R, F> {
    type In = (S::Structure, A::Structure);
    type Out = (<R::Output as Tree>::Structure, S::Structure);
    type Error = R::Error;

    fn run(&self, structure: &Self::In, inputs: Vec<Tensor>) -> Result<(Vec<Tensor>, Self::Out), R::Error> {
        let (mut state, args): (S, A) = built(structure, inputs);
        let output = self.0(&mut state, &args).into_result()?;
        let mut leaves = tree::tensors(&output);
        leaves.extend(tree::tensors(&state));
        Ok((leaves, (output.structure(), state.structure())))
    }
}

/// What clones of a compiled function share.
struct Core<G: Function>(Arc<Shared<G>>);

struct Shared<G: Function> {
    /// In an `Arc`, which is only sent to other threads where the function can be used from several.
    function: Arc<G>,
    how: How,
    id: Arc<Id>,
    traces: Arc<AtomicUsize>,
    /// How many structures there are; held while one is added. Structures are the caller's types: to copy or compare them
    /// may call this function again.
    structures: ReentrantMutex<Cell<u64>>,
    /// One for each structure of arguments: MLX tells apart shapes and dtypes only.
    known: boxcar::Vec<Known<G>>,
}

struct Known<G: Function> {
    structure: G::In,
    traced: Traced<Trace<G>>,
}

/// The function for arguments of one structure.
struct Trace<G: Function> {
    function: Arc<G>,
    structure: G::In,
    /// What its traces gave, by their numbers.
    given: boxcar::Vec<G::Out>,
    traces: Arc<AtomicUsize>,
}

impl<G: Function> Traceable for Trace<G> {
    fn trace(&self, inputs: Vec<Tensor>, direct: bool) -> Result<(Vec<Tensor>, usize), Stop> {
        if !direct {
            self.traces.fetch_add(1, Ordering::Relaxed);
        }
        let (outputs, structure) = self.function.run(&self.structure, inputs).map_err(Stop::failed)?;
        let known = self.given.iter().find(|(_, known)| **known == structure);
        let number = known.map_or_else(|| self.given.push(structure), |(number, _)| number);
        Ok((outputs, number))
    }
}

impl<G: Function> Core<G> {
    fn new(function: G, how: How) -> Core<G> {
        Core::of(Arc::new(function), how)
    }

    fn of(function: Arc<G>, how: How) -> Core<G> {
        let (id, traces) = (Arc::new(Id::new()), Arc::default());
        Core(Arc::new(Shared {
            function,
            how,
            id,
            traces,
            structures: ReentrantMutex::default(),
            known: boxcar::Vec::new(),
        }))
    }

    fn lift_constants(&self) -> Core<G> {
        Core::of(Arc::clone(&self.0.function), How { lift_constants: true, ..self.0.how })
    }

    fn trace_count(&self) -> usize {
        self.0.traces.load(Ordering::Relaxed)
    }

    /// The outputs for `leaves` of arguments of that structure, and the structure of what they belong to.
    fn apply(&self, structure: G::In, leaves: &[&Tensor]) -> Result<(Vec<Tensor>, G::Out), G::Error> {
        let traced = self.traced(structure)?;
        let (outputs, number) = traced.apply::<G::Error>("compile", leaves)?;
        Ok((outputs, traced.function().given[number].clone()))
    }

    fn traced(&self, structure: G::In) -> Result<&Traced<Trace<G>>> {
        let shared = &*self.0;
        let find = || shared.known.iter().find(|(_, known)| known.structure == structure);
        if let Some((_, known)) = find() {
            return Ok(&known.traced);
        }
        // Another thread may have come here with the same structure: each would trace for itself, and twice.
        let structures = shared.structures.lock();
        if let Some((_, known)) = find() {
            return Ok(&known.traced);
        }
        let trace = Trace {
            function: Arc::clone(&shared.function),
            structure: structure.clone(),
            given: boxcar::Vec::new(),
            traces: Arc::clone(&shared.traces),
        };
        let traced = Traced::new(&shared.id, shared.how, &[structures.get()], trace)?;
        structures.set(structures.get() + 1);
        let number = shared.known.push(Known { structure, traced });
        Ok(&shared.known[number].traced)
    }
}

impl<G: Function> Clone for Core<G> {
    fn clone(&self) -> Self {
        Core(Arc::clone(&self.0))
    }
}
