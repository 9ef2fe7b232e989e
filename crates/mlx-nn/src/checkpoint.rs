//! Modules that are computed again for their gradient.

use crate::{Module, ModuleExt, Parameters, module::walk};
use mlx_core::{
    Result, Tensor,
    transforms::{self, Outcome, Tree},
    utils::tree_map,
};

/// What `f` gives for the module and `args`, computed again when its gradient is, instead of keeping what it computed: less
/// memory for more time.
///
/// Gradients go to the module's trainable parameters and to `args`. `f` gets a copy of the module, with the same
/// tensors; what it sets [`Buffer`](crate::Buffer)s to is the module's afterwards.
///
/// # Errors
/// What `f` returns, now or when a gradient computes it again; a result without a tensor; two tensors of one key.
///
/// ```
/// # use mlx_core::{Result, tensor};
/// # use mlx_nn::{Linear, checkpoint, value_and_grad};
/// # use mlx_ops::ReduceOps;
/// let mut layer = Linear::from_parameters(tensor![[1.0, 2.0]], None);
/// let x = tensor![[3.0, 4.0]];
/// let (_, slopes) = value_and_grad(&mut layer, |layer| -> Result<_> {
///     Ok(checkpoint(layer, |layer, x| layer.forward(x), &x)?.sum(..))
/// })?;
/// assert_eq!(slopes["weight"].to_vec::<f32>()?, [3.0, 4.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mlx.nn.utils.checkpoint")]
pub fn checkpoint<M, A, R>(
    module: &M,
    f: impl Fn(&M, &A) -> R + Send + Sync + 'static,
    args: &A,
) -> Result<R::Output, R::Error>
where
    M: Module + Clone,
    A: Tree + 'static,
    R: Outcome + 'static,
{
    let (trainable, _) = walk::trained("checkpoint", module.as_dyn())?;
    let template = module.clone();
    let function = transforms::checkpoint(move |(parameters, args): &(Parameters, A)| {
        let mut module = template.clone();
        module.update_loose(parameters);
        let output = f(&module, args).into_result()?;
        Ok::<_, R::Error>((output, walk::buffers(module.as_dyn())))
    });
    let copied = tree_map(|tensor| Ok::<Tensor, mlx_core::Error>(tensor.clone()), args)?;
    let (output, set) = function.call(&(trainable, copied))?;
    walk::leaves(module.as_dyn(), &mut |key, leaf, _| {
        if let (walk::Leaf::Buffer(buffer), Some(value)) = (leaf, set.get(&key)) {
            buffer.set(value.clone());
        }
    });
    Ok(output)
}
