//! A whole training step as one compiled function.

use super::Optimizer;
use crate::{Module, ModuleExt, Parameters, module::walk};
use mlx_core::{
    Result, Tensor,
    transforms::{CompiledState, Outcome, Tree, compile_state},
};
use mlx_ops::random;
use std::marker::PhantomData;

/// What goes into a step and out of it: the model's tensors, the optimizer's, the thread's random key.
type Carried = (Parameters, Parameters, Tensor);

/// A compiled training step: `f`, traced once for each signature of its arguments, with the model's tensors, the
/// optimizer's state and the thread's random key going in and out.
///
/// Python's `mx.compile(step, inputs=state, outputs=state)` with `state = [model.state, optimizer.state,
/// mx.random.state]`. `f` gets copies of `model` and `optimizer` as they are now, with the tensors of those that the step is
/// called with: settings that change later, as the mode, are not seen. Bits are those of Python's compiled step; fused kernels
/// round less often than the ops one by one, and have constants of seven digits.
///
/// ```
/// # use mlx_core::{Result, Tensor, tensor};
/// use mlx_nn::{Linear, optimizers::{Adam, compile_step, Optimizer}, value_and_grad};
/// # use mlx_ops::{ReduceOps, UnaryOps};
///
/// let mut model = Linear::from_parameters(tensor![[0.0, 0.0]], None);
/// let mut optimizer = Adam::new(0.1)?;
/// let step = compile_step(&model, &optimizer, |model, optimizer, (x, y): &(Tensor, Tensor)| -> Result<Tensor> {
///     let (loss, gradients) = value_and_grad(model, |model| -> Result<Tensor> {
///         Ok((model.forward(x)? - y).square().mean(..))
///     })?;
///     optimizer.update(model, &gradients)?;
///     Ok(loss)
/// });
/// let batch = (tensor![[1.0, 0.0], [0.0, 1.0]], tensor![[2.0], [-1.0]]);
/// let first = step.call(&mut model, &mut optimizer, &batch)?.item::<f32>()?;
/// for _ in 0..50 {
///     step.call(&mut model, &mut optimizer, &batch)?.eval()?;
/// }
/// assert!(step.call(&mut model, &mut optimizer, &batch)?.item::<f32>()? < 0.1 * first);
/// assert_eq!(step.trace_count(), 1);
/// assert_eq!(optimizer.state()["step"].item::<u64>()?, 52);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[allow(clippy::type_complexity, reason = "a closure's type has no name")]
pub fn compile_step<M, O, A, R, F>(
    model: &M,
    optimizer: &O,
    f: F,
) -> CompiledStep<M, O, A, R, impl Fn(&mut Carried, &A) -> Result<R::Output, R::Error> + use<M, O, A, R, F>>
where
    F: Fn(&mut M, &mut O, &A) -> R,
    M: Module + Clone,
    O: Optimizer + Clone,
    A: Tree,
    R: Outcome,
{
    let (model, optimizer) = (model.clone(), optimizer.clone());
    let step = move |(parameters, state, key): &mut Carried, args: &A| {
        let (mut model, mut optimizer) = (model.clone(), optimizer.clone());
        model.update_loose(parameters);
        optimizer.set_state(std::mem::take(state))?;
        let keys = Keys::take(key)?;
        let output = f(&mut model, &mut optimizer, args).into_result()?;
        *key = random::state()?;
        drop(keys);
        *parameters = model.parameters();
        *state = optimizer.state();
        Ok(output)
    };
    CompiledStep { compiled: compile_state(step), of: PhantomData }
}

/// The thread's own key comes back when the step is traced, also where it fails.
struct Keys(Tensor);

impl Keys {
    fn take(key: &Tensor) -> Result<Keys> {
        let own = random::state()?;
        random::set_state(key);
        Ok(Keys(own))
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        random::set_state(&self.0);
    }
}

/// A compiled training step; see [`compile_step`]. Clones share their traces.
pub struct CompiledStep<M, O, A: Tree, R: Outcome, F: Fn(&mut Carried, &A) -> Result<R::Output, R::Error>> {
    compiled: CompiledState<Carried, A, Result<R::Output, R::Error>, F>,
    of: PhantomData<fn(&mut M, &mut O)>,
}

impl<M, O, A, R, F> CompiledStep<M, O, A, R, F>
where
    M: Module,
    O: Optimizer + Clone,
    A: Tree,
    R: Outcome,
    F: Fn(&mut Carried, &A) -> Result<R::Output, R::Error>,
{
    /// What the step gives for `args`; model and optimizer become what it made of them. State that the optimizer has not
    /// yet of the model's trainable parameters is made first.
    ///
    /// # Errors
    /// What the step returns while it is traced; what MLX refuses; a model of which two tensors have one key. Model and optimizer are what they were then.
    pub fn call(&self, model: &mut M, optimizer: &mut O, args: &A) -> Result<R::Output, R::Error> {
        let parameters = walk::parameters("compile_step", model.as_dyn())?;
        let mut begun = (!optimizer.is_initialized()).then(|| optimizer.clone());
        if let Some(begun) = &mut begun {
            begun.init(&model.trainable_parameters())?;
        }
        let state = begun.as_ref().unwrap_or(optimizer).state();
        let mut carried = (parameters, state, random::state()?);
        let output = self.compiled.call(&mut carried, args)?;
        let (parameters, state, key) = carried;
        match begun {
            Some(mut begun) => {
                begun.set_state(state)?;
                *optimizer = begun;
            }
            None => optimizer.set_state(state)?,
        }
        model.update_loose(&parameters);
        random::set_state(&key);
        Ok(output)
    }

    /// See [`Compiled::lift_constants`](mlx_core::transforms::Compiled::lift_constants).
    #[must_use]
    pub fn lift_constants(self) -> Self {
        CompiledStep { compiled: self.compiled.lift_constants(), of: PhantomData }
    }

    /// How often the step was traced, on all threads.
    #[must_use]
    pub fn trace_count(&self) -> usize {
        self.compiled.trace_count()
    }
}

impl<M, O, A: Tree, R: Outcome, F: Fn(&mut Carried, &A) -> Result<R::Output, R::Error>> Clone
    for CompiledStep<M, O, A, R, F>
{
    fn clone(&self) -> Self {
        CompiledStep { compiled: self.compiled.clone(), of: PhantomData }
    }
}
