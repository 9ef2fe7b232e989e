//! Gradients by a module's trainable parameters.

use crate::module::{Module, ModuleExt, Parameters, walk};
use mlx_core::{
    Error, ErrorKind, Result,
    transforms::{self, Outcome, Tree},
};

/// What `f` gives for the model, and the gradient of its first tensor by each trainable parameter, by key.
///
/// While `f` runs the model's trainable parameters are placeholders; afterwards they are what they were, also where `f`
/// fails or panics. What `f` set [`Buffer`](crate::Buffer)s to stays. `f` gets the model to be changed, so that it can ask
/// for a gradient itself.
///
/// # Errors
/// What `f` returns; no trainable parameter, or one of integers; two tensors of one key; a first tensor that is not 0-d; an op without a gradient.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::{Linear, value_and_grad};
/// # use mlx_ops::{ReduceOps, UnaryOps};
/// let mut model = Linear::from_parameters(tensor![[1.0, 2.0]], Some(tensor![0.5]));
/// let (x, y) = (tensor![[3.0, 4.0]], tensor![[10.0]]);
/// let (loss, slopes) = value_and_grad(&mut model, |model| {
///     Ok::<_, mlx_core::Error>((model.forward(&x)? - &y).square().sum(..))
/// })?;
/// assert_eq!(loss.item::<f32>()?, 2.25);
/// assert_eq!(slopes["weight"].to_vec::<f32>()?, [9.0, 12.0]);
/// assert_eq!(slopes["bias"].to_vec::<f32>()?, [3.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
pub fn value_and_grad<M: Module + ?Sized, R: Outcome>(
    model: &mut M,
    f: impl FnOnce(&mut M) -> R,
) -> Result<(R::Output, Parameters), R::Error> {
    let (trainable, buffers) = walk::trained("value_and_grad", model.as_dyn())?;
    let mut saved = trainable.clone();
    saved.extend(buffers);
    let given = {
        let restored = Restored { model: &mut *model, saved };
        transforms::value_and_grad(
            |placeholders: &Parameters| -> Result<(R::Output, Parameters), R::Error> {
                restored.model.update_loose(placeholders);
                let output = f(&mut *restored.model).into_result()?;
                Ok((some(output)?, walk::buffers(restored.model.as_dyn())))
            },
            &trainable,
        )
    };
    let ((output, set), gradients) = given?;
    model.update_loose(&set);
    Ok((output, gradients))
}

/// The output, which holds the tensor that is differentiated: it must not be a buffer behind it.
fn some<T: Tree>(output: T) -> Result<T> {
    let mut count = 0;
    output.visit(&mut |_| count += 1);
    if count > 0 {
        return Ok(output);
    }
    let message = "the function gave no tensor, whose gradient was asked for";
    Err(Error::new(ErrorKind::Value, "value_and_grad", message))
}

/// Gives the model back what it had, whatever happens.
struct Restored<'m, M: Module + ?Sized> {
    model: &'m mut M,
    saved: Parameters,
}

impl<M: Module + ?Sized> Drop for Restored<'_, M> {
    fn drop(&mut self) {
        self.model.update_loose(&self.saved);
    }
}
