//! Functions whose transforms are not MLX's: rules of the caller's, and gradients that compute the function again.
//!
//! Not here: how MLX keeps and calls them (`ffi/custom.rs`).

use super::{
    Outcome, VmapAxes, Wanted, built,
    tree::{self, Tree},
};
use crate::{
    Error, ErrorKind, Result, Shape, Tensor,
    ffi::{
        Stop,
        custom::{self, Custom, Rules},
    },
};
use std::sync::{Arc, OnceLock};

type Function<A, R> = dyn Fn(&A) -> R + Send + Sync;
type Vjp<A, O> = dyn Fn(&A, &O, &O) -> Result<A, Stop> + Send + Sync;
type Jvp<A, O> = dyn Fn(&A, &[Option<Tensor>]) -> Result<O, Stop> + Send + Sync;
type Vmap<A, O> = dyn Fn(&A, &[Option<i32>]) -> Result<(O, VmapAxes), Stop> + Send + Sync;

/// `f`, whose gradient computes it again instead of keeping what it computed: less memory for more time.
///
/// ```
/// # use mlx_core::{Tensor, tensor, transforms::{checkpoint, grad}};
/// # use mlx_ops::{ReduceOps, TrigonometryOps};
/// let layer = checkpoint(|x: &Tensor| x.sin() * x);
/// let x = tensor![0.0, 1.0];
/// let slope = grad(|x| layer.call(x).map(|y| y.sum(..)), &x)?;
/// let kept = grad(|x: &Tensor| (x.sin() * x).sum(..), &x)?;
/// assert_eq!(slope.to_vec::<f32>()?, kept.to_vec::<f32>()?);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.checkpoint")]
pub fn checkpoint<A: Tree + 'static, R: Outcome + 'static>(
    f: impl Fn(&A) -> R + Send + Sync + 'static,
) -> Checkpoint<A, R> {
    Checkpoint(Arc::new(f))
}

/// A function that is computed again for its gradient; see [`checkpoint`].
pub struct Checkpoint<A, R>(Arc<Function<A, R>>);

impl<A: Tree + 'static, R: Outcome + 'static> Checkpoint<A, R> {
    /// What the function gives for `args`.
    ///
    /// # Errors
    /// What the function returns, now or when a gradient computes it again; arguments or results without a tensor.
    pub fn call(&self, args: &A) -> Result<R::Output, R::Error> {
        let call = Call::new("checkpoint", args, CustomFunction::of(Arc::clone(&self.0)));
        let custom: Arc<dyn Custom> = Arc::<Call<A, R>>::clone(&call);
        let outputs = custom::checkpoint::<R::Error>(&custom, &call.inputs(args)?)?;
        Ok(built(&call.given().structure, outputs))
    }
}

impl<A, R> Clone for Checkpoint<A, R> {
    fn clone(&self) -> Self {
        Checkpoint(Arc::clone(&self.0))
    }
}

/// A function with rules of its own for transforms; without a rule MLX goes by its nodes.
///
/// Rules get and give tensors of the shapes that the function's have, and are functions of tensors like it: what they give can
/// be transformed in turn.
///
/// ```
/// # use mlx_core::{Tensor, tensor, transforms::{CustomFunction, grad}};
/// # use mlx_ops::{NumericOps, ReduceOps, UnaryOps};
/// // Rounding has no slope; as if it were not there, it has.
/// let round = CustomFunction::new(|x: &Tensor| x.round(0)).vjp(|_, cotangent, _| cotangent.clone());
/// let x = tensor![0.4, 1.6];
/// let slope = grad(|x| round.call(x).map(|y| (y * 3.0).sum(..)), &x)?;
/// assert_eq!(slope.to_vec::<f32>()?, [3.0, 3.0]);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "mx.custom_function")]
pub struct CustomFunction<A: Tree, R: Outcome> {
    function: Arc<Function<A, R>>,
    vjp: Option<Arc<Vjp<A, R::Output>>>,
    jvp: Option<Arc<Jvp<A, R::Output>>>,
    vmap: Option<Arc<Vmap<A, R::Output>>>,
}

impl<A: Tree + 'static, R: Outcome + 'static> CustomFunction<A, R> {
    /// `f`, without rules yet.
    #[must_use]
    pub fn new(f: impl Fn(&A) -> R + Send + Sync + 'static) -> Self {
        CustomFunction::of(Arc::new(f))
    }

    fn of(function: Arc<Function<A, R>>) -> Self {
        CustomFunction { function, vjp: None, jvp: None, vmap: None }
    }

    /// How its gradient is computed: of the arguments, the cotangents and the results, a gradient for each argument.
    #[must_use]
    pub fn vjp<G: Outcome<Output = A>>(
        mut self,
        rule: impl Fn(&A, &R::Output, &R::Output) -> G + Send + Sync + 'static,
    ) -> Self {
        self.vjp = Some(Arc::new(move |args, cotangents, outputs| {
            rule(args, cotangents, outputs).into_result().map_err(Stop::failed)
        }));
        self
    }

    /// How its derivative forward is computed: of the arguments and their tangents (`None` for one that is not
    /// differentiated by), in the order of the tensors, a product for each result.
    #[must_use]
    pub fn jvp<G: Outcome<Output = R::Output>>(
        mut self,
        rule: impl Fn(&A, &[Option<Tensor>]) -> G + Send + Sync + 'static,
    ) -> Self {
        self.jvp =
            Some(Arc::new(move |args, tangents| rule(args, tangents).into_result().map_err(Stop::failed)));
        self
    }

    /// How it is vectorised: of the arguments and the axes of their items (`None` for one without), in the order of the
    /// tensors, the results and their axes.
    #[must_use]
    pub fn vmap<E: From<Error> + 'static>(
        mut self,
        rule: impl Fn(&A, &[Option<i32>]) -> Result<(R::Output, VmapAxes), E> + Send + Sync + 'static,
    ) -> Self {
        self.vmap = Some(Arc::new(move |args, axes| rule(args, axes).map_err(Stop::failed)));
        self
    }

    /// What the function gives for `args`.
    ///
    /// # Errors
    /// What the function returns; arguments or results without a tensor. What a rule returns, and a rule that gives too few
    /// tensors or other shapes, is the error of the transform that asked it.
    pub fn call(&self, args: &A) -> Result<R::Output, R::Error> {
        let call = Call::new("custom_function", args, self.clone());
        let custom: Arc<dyn Custom> = Arc::<Call<A, R>>::clone(&call);
        let rules = Rules { vjp: self.vjp.is_some(), jvp: self.jvp.is_some(), vmap: self.vmap.is_some() };
        let outputs = custom::custom_function::<R::Error>(&custom, rules, &call.inputs(args)?)?;
        Ok(built(&call.given().structure, outputs))
    }
}

impl<A: Tree, R: Outcome> Clone for CustomFunction<A, R> {
    fn clone(&self) -> Self {
        let (function, vjp) = (Arc::clone(&self.function), self.vjp.clone());
        CustomFunction { function, vjp, jvp: self.jvp.clone(), vmap: self.vmap.clone() }
    }
}

/// One call of a function, which MLX holds as long as its results are lazy.
struct Call<A: Tree, R: Outcome> {
    op: &'static str,
    structure: A::Structure,
    custom: CustomFunction<A, R>,
    given: OnceLock<Given<<R::Output as Tree>::Structure>>,
}

/// What the function gave.
struct Given<S> {
    structure: S,
    shapes: Vec<Shape>,
}

impl<A: Tree + 'static, R: Outcome + 'static> Call<A, R> {
    fn new(op: &'static str, args: &A, custom: CustomFunction<A, R>) -> Arc<Self> {
        Arc::new(Call { op, structure: args.structure(), custom, given: OnceLock::new() })
    }

    fn given(&self) -> &Given<<R::Output as Tree>::Structure> {
        self.given.get().expect("MLX calls the function before its rules and before it returns")
    }

    fn refused(&self, message: String) -> Error {
        Error::new(ErrorKind::Value, self.op, message)
    }

    fn inputs(&self, args: &A) -> Result<Vec<Tensor>> {
        let inputs = tree::tensors(args);
        if inputs.is_empty() {
            Err(self.refused("there is no tensor among the arguments".into()))
        } else {
            Ok(inputs)
        }
    }

    /// What a rule gave, as many as MLX will look for, in their shapes.
    fn checked<'a>(
        &self,
        rule: &str,
        given: Vec<Tensor>,
        wanted: impl ExactSizeIterator<Item = &'a [i32]>,
    ) -> Result<Vec<Tensor>, Stop> {
        checked(rule, given, wanted).map_err(|why| Stop::failed(self.refused(why)))
    }
}

/// What a rule gave, as many as MLX will look for, in their shapes; or what is wrong with it, for whoever has its name.
pub(crate) fn checked<'a>(
    rule: &str,
    given: Vec<Tensor>,
    wanted: impl ExactSizeIterator<Item = &'a [i32]>,
) -> Result<Vec<Tensor>, String> {
    if given.len() != wanted.len() {
        return Err(format!("its {rule} rule gave {} tensors, and {} are needed", given.len(), wanted.len()));
    }
    match given.iter().zip(wanted).enumerate().find(|(_, (x, shape))| x.shape() != *shape) {
        None => Ok(given),
        Some((i, (x, shape))) => {
            Err(format!("its {rule} rule gave shape {:?} for tensor {i} of {shape:?}", x.shape()))
        }
    }
}

impl<A: Tree + 'static, R: Outcome + 'static> Custom for Call<A, R> {
    fn forward(&self, inputs: Vec<Tensor>) -> Result<Vec<Tensor>, Stop> {
        let output =
            (self.custom.function)(&built(&self.structure, inputs)).into_result().map_err(Stop::failed)?;
        let outputs = tree::tensors(&output);
        if outputs.is_empty() {
            return Err(Stop::failed(self.refused("the function gave no tensor".into())));
        }
        let given = self.given.get_or_init(|| Given {
            structure: output.structure(),
            shapes: outputs.iter().map(|x| Shape::from_slice(x.shape())).collect(),
        });
        if given.shapes.len() != outputs.len() {
            let message =
                format!("the function gave {} tensors, and then {}", given.shapes.len(), outputs.len());
            return Err(Stop::failed(self.refused(message)));
        }
        Ok(outputs)
    }

    fn vjp(
        &self,
        inputs: Vec<Tensor>,
        cotangents: Vec<Tensor>,
        outputs: Vec<Tensor>,
    ) -> Result<Vec<Tensor>, Stop> {
        let rule = self.custom.vjp.as_ref().expect("MLX was told of it");
        let (structure, args) = (&self.given().structure, built(&self.structure, inputs.clone()));
        let gradients = rule(&args, &built(structure, cotangents), &built(structure, outputs))?;
        self.checked("vjp", tree::tensors(&gradients), inputs.iter().map(Tensor::shape))
    }

    fn jvp(&self, inputs: Vec<Tensor>, tangents: &[Option<Tensor>]) -> Result<Vec<Tensor>, Stop> {
        let rule = self.custom.jvp.as_ref().expect("MLX was told of it");
        let products = rule(&built(&self.structure, inputs), tangents)?;
        self.checked("jvp", tree::tensors(&products), self.given().shapes.iter().map(|shape| &shape[..]))
    }

    fn vmap(&self, inputs: Vec<Tensor>, axes: &[Option<i32>]) -> Result<(Vec<Tensor>, Vec<i32>), Stop> {
        let rule = self.custom.vmap.as_ref().expect("MLX was told of it");
        let (output, out_axes) = rule(&built(&self.structure, inputs.clone()), axes)?;
        let outputs = tree::tensors(&output);
        let shapes: Vec<&[i32]> = self.given().shapes.iter().map(|shape| &shape[..]).collect();
        let wanted = Wanted { inputs: &inputs, in_axes: axes, shapes: &shapes };
        let out_axes = wanted.axes(&outputs, &out_axes);
        let out_axes = out_axes.map_err(|error| Stop::failed(self.refused(error.message().to_owned())))?;
        Ok((outputs, out_axes))
    }
}
