//! What is done with modules, whatever they are: parameters out and in, modes, the modules in them.
//!
//! Not here: files (`load`), which keys are frozen (`freeze`).

use super::{Keys, LoadReport, Module, Repr, WeightSource, freeze, load, walk};
use mlx_core::{
    Dtype, DtypeCategory, Error, ErrorKind, Result, Tensor, issubdtype, transforms::Outcome, utils::IndexMap,
};
use std::path::Path;

/// Tensors by key, `layers.0.weight`, in Python's order: parameters, or their gradients.
///
/// It is a [`Tree`](mlx_core::transforms::Tree): transforms and [`tree_map`](mlx_core::utils::tree_map) take it.
pub type Parameters = IndexMap<String, Tensor>;

/// The methods of all modules; those of Python's `nn.Module`.
pub trait ModuleExt: Module {
    /// All tensors of the module, by key.
    ///
    /// ```
    /// # use mlx_nn::{Linear, ModuleExt};
    /// let parameters = Linear::new(2, 3, true)?.parameters();
    /// assert_eq!(parameters["weight"].shape(), [3, 2]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fn parameters(&self) -> Parameters {
        walk::kept(self.as_dyn(), |_, _| true)
    }

    /// The tensors that are trained: neither frozen, nor constants, nor buffers.
    fn trainable_parameters(&self) -> Parameters {
        walk::kept(self.as_dyn(), |_, trained| trained)
    }

    /// How many numbers all tensors hold.
    fn num_parameters(&self) -> usize {
        let mut count = 0;
        walk::leaves(self.as_dyn(), &mut |_, leaf, _| count += leaf.value().size());
        count
    }

    /// Sets the tensors at these keys, of any shape; others stay.
    ///
    /// # Errors
    /// A key that the module has not, and then nothing is set.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_nn::{Linear, ModuleExt, Parameters};
    /// let mut linear = Linear::new(1, 1, true)?;
    /// linear.update(&Parameters::from([("bias".to_owned(), tensor![2.0])]))?;
    /// assert_eq!(linear.bias.as_ref().expect("a bias").item::<f32>()?, 2.0);
    /// let error = linear.update(&Parameters::from([("bais".to_owned(), tensor![2.0])])).unwrap_err();
    /// assert_eq!(error.message(), "Module does not have parameter named \"bais\".");
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fn update(&mut self, parameters: &Parameters) -> Result<()> {
        let known = self.parameters();
        if let Some(key) = parameters.keys().find(|key| !known.contains_key(*key)) {
            let message = format!("Module does not have parameter named {key:?}.");
            return Err(Error::new(ErrorKind::Value, "update", message));
        }
        self.update_loose(parameters);
        Ok(())
    }

    /// [`update`](ModuleExt::update) that passes over keys that the module has not.
    fn update_loose(&mut self, parameters: &Parameters) {
        walk::leaves_mut(self.as_dyn_mut(), &mut |key, leaf| {
            if let Some(tensor) = parameters.get(key) {
                leaf.set(tensor.clone());
            }
        });
    }

    /// Sets each tensor to what `map` gives for it.
    ///
    /// # Errors
    /// The first of `map`, and then nothing is set.
    ///
    /// ```
    /// # use mlx_nn::{Linear, ModuleExt};
    /// let mut linear = Linear::new(2, 3, true)?;
    /// linear.apply(|x| x * 0.0)?;
    /// assert_eq!(linear.weight.to_vec::<f32>()?, [0.0; 6]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fn apply<R: Outcome<Output = Tensor>>(&mut self, map: impl FnMut(&Tensor) -> R) -> Result<(), R::Error> {
        self.apply_where(|_, _| true, map)
    }

    /// [`apply`](ModuleExt::apply) to the tensors that `filter` takes by their key and value.
    ///
    /// # Errors
    /// As [`apply`](ModuleExt::apply).
    fn apply_where<R: Outcome<Output = Tensor>>(
        &mut self,
        mut filter: impl FnMut(&str, &Tensor) -> bool,
        mut map: impl FnMut(&Tensor) -> R,
    ) -> Result<(), R::Error> {
        let (mut found, mut mapped) = (Vec::new(), Vec::new());
        walk::leaves(self.as_dyn(), &mut |key, leaf, _| found.push((key, leaf.value())));
        for (key, tensor) in found {
            mapped.push(if filter(&key, &tensor) { Some(map(&tensor).into_result()?) } else { None });
        }
        // In the same order.
        let mut mapped = mapped.into_iter();
        walk::leaves_mut(self.as_dyn_mut(), &mut |_, leaf| {
            if let Some(Some(tensor)) = mapped.next() {
                leaf.set(tensor);
            }
        });
        Ok(())
    }

    /// Changes the dtype of the tensors that hold floats.
    ///
    /// # Errors
    /// What MLX refuses.
    ///
    /// ```
    /// # use mlx_core::Dtype;
    /// # use mlx_nn::{Linear, ModuleExt};
    /// let mut linear = Linear::new(2, 3, true)?;
    /// linear.set_dtype(Dtype::Bfloat16)?;
    /// assert_eq!(linear.weight.dtype(), Dtype::Bfloat16);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fn set_dtype(&mut self, dtype: Dtype) -> Result<()> {
        self.set_dtype_where(dtype, |dtype| issubdtype(dtype, DtypeCategory::Floating))
    }

    /// Changes the dtype of the tensors whose dtype `predicate` takes.
    ///
    /// # Errors
    /// What MLX refuses.
    fn set_dtype_where(&mut self, dtype: Dtype, mut predicate: impl FnMut(Dtype) -> bool) -> Result<()> {
        self.apply_where(|_, tensor| predicate(tensor.dtype()), |tensor| mlx_ops::astype(tensor, dtype))
    }

    /// Stops training parameters: all with `..`, or those of a name; see [`Keys`].
    ///
    /// # Errors
    /// A tensor of a module without a [`State`](crate::State); with [`Keys::strict`] a name that there is not. Nothing is
    /// frozen then.
    fn freeze(&mut self, keys: impl Into<Keys>) -> Result<()> {
        freeze::freeze(self.as_dyn_mut(), &keys.into())
    }

    /// Trains parameters again.
    ///
    /// # Errors
    /// With [`Keys::strict`] a name that there is not.
    fn unfreeze(&mut self, keys: impl Into<Keys>) -> Result<()> {
        freeze::unfreeze(self.as_dyn_mut(), &keys.into())
    }

    /// Into training, as all modules begin, or out of it.
    fn train(&mut self, mode: bool) {
        walk::modules_mut(self.as_dyn_mut(), "", &mut |_, module| module.set_training(mode));
    }

    /// Out of training: `train(false)`.
    fn eval(&mut self) {
        self.train(false);
    }

    /// The modules that are members, or items of members, with their keys.
    ///
    /// ```
    /// # use mlx_nn::{Linear, ModuleExt, RMSNorm, Sequential};
    /// let model = Sequential::new().add(RMSNorm::new(2, 1e-5)?).add(Linear::new(2, 3, true)?);
    /// let kinds = model.children().into_iter().map(|(key, module)| format!("{key}: {}", module.type_name()));
    /// assert_eq!(kinds.collect::<Vec<_>>(), ["layers.0: RMSNorm", "layers.1: Linear"]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fn children(&self) -> Vec<(String, &dyn Module)> {
        walk::children(self.as_dyn())
    }

    /// The modules in it, at any depth, that hold no other.
    fn leaf_modules(&self) -> Vec<(String, &dyn Module)> {
        let mut modules = Vec::new();
        walk::leaf_modules(self.as_dyn(), "", &mut modules);
        modules
    }

    /// The module itself, whose key is empty, and all in it, in Python's order: the last child first.
    ///
    /// ```
    /// # use mlx_nn::{Linear, ModuleExt, RMSNorm, Sequential};
    /// # use std::any::Any;
    /// let model = Sequential::new().add(RMSNorm::new(2, 1e-5)?).add(Linear::new(2, 3, true)?);
    /// let modules = model.named_modules();
    /// let keys: Vec<&str> = modules.iter().map(|(key, _)| key.as_str()).collect();
    /// assert_eq!(keys, ["", "layers.1", "layers.0"]);
    /// let linear = (modules[1].1 as &dyn Any).downcast_ref::<Linear>().expect("of that type");
    /// assert_eq!(linear.weight.shape(), [3, 2]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fn named_modules(&self) -> Vec<(String, &dyn Module)> {
        let mut modules = Vec::new();
        walk::modules(self.as_dyn(), "", &mut modules);
        modules
    }

    /// The modules of [`named_modules`](ModuleExt::named_modules).
    fn modules(&self) -> Vec<&dyn Module> {
        self.named_modules().into_iter().map(|(_, module)| module).collect()
    }

    /// Calls `apply` with the key of each of the [`named_modules`](ModuleExt::named_modules) and the module, to be
    /// changed.
    ///
    /// ```
    /// # use mlx_nn::{Linear, ModuleExt, Sequential};
    /// let mut model = Sequential::new().add(Linear::new(2, 3, true)?).add(Linear::new(3, 1, true)?);
    /// model.freeze(..)?;
    /// model.apply_to_modules(|key, module| {
    ///     if key.ends_with(".1") {
    ///         module.unfreeze(..).expect("no names that could be missing");
    ///     }
    /// });
    /// assert_eq!(model.trainable_parameters().into_keys().collect::<Vec<_>>(), ["layers.1.weight", "layers.1.bias"]);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fn apply_to_modules(&mut self, mut apply: impl FnMut(&str, &mut dyn Module)) {
        walk::modules_mut(self.as_dyn_mut(), "", &mut apply);
    }

    /// Sets all tensors from a file (safetensors, npz, GGUF; by its ending) or a map.
    ///
    /// Dtypes may be others; the report says which are.
    ///
    /// # Errors
    /// Tensors that the module has not, that are missing, that have another shape, in Python's words; a file that cannot
    /// be read. Nothing is set then.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_nn::{Linear, ModuleExt};
    /// let mut linear = Linear::new(2, 1, true)?;
    /// let error = linear.load_weights([("weight", tensor![[1.0, 2.0]])]).unwrap_err();
    /// assert_eq!(error.message(), "Missing 1 parameters: \nbias.");
    /// linear.load_weights([("weight", tensor![[1.0, 2.0]]), ("bias", tensor![0.5])])?;
    /// assert_eq!(linear.forward(&tensor![1.0, 1.0])?.item::<f32>()?, 3.5);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fn load_weights(&mut self, weights: impl WeightSource) -> Result<LoadReport> {
        load::load(self.as_dyn_mut(), weights.tensors()?, true)
    }

    /// Sets those tensors that the module has, whatever their shapes: Python's `strict=False`.
    ///
    /// # Errors
    /// A file that cannot be read.
    ///
    /// ```
    /// # use mlx_core::tensor;
    /// # use mlx_nn::{Linear, ModuleExt};
    /// let mut linear = Linear::new(2, 1, true)?;
    /// let report = linear.load_weights_loose([("weight", tensor![[1.0, 2.0]]), ("scale", tensor![2.0])])?;
    /// assert_eq!((report.missing, report.extra), (vec!["bias".to_owned()], vec!["scale".to_owned()]));
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fn load_weights_loose(&mut self, weights: impl WeightSource) -> Result<LoadReport> {
        load::load(self.as_dyn_mut(), weights.tensors()?, false)
    }

    /// Writes all tensors to a file, `.safetensors` or `.npz`.
    ///
    /// # Errors
    /// Another ending; a computation that fails; a file that cannot be written.
    ///
    /// ```
    /// # use mlx_nn::{Linear, ModuleExt};
    /// let path = std::env::temp_dir().join(format!("mlx-doc-weights-{}.safetensors", std::process::id()));
    /// let (linear, mut other) = (Linear::new(2, 1, true)?, Linear::new(2, 1, true)?);
    /// linear.save_weights(&path)?;
    /// other.load_weights(&path)?;
    /// assert_eq!(other.weight.to_vec::<f32>()?, linear.weight.to_vec::<f32>()?);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fn save_weights(&self, file: impl AsRef<Path>) -> Result<()> {
        load::save(self.as_dyn(), file.as_ref())
    }

    /// The module as text, with the modules in it and their settings, as Python's `repr`.
    ///
    /// ```
    /// # use mlx_nn::{Linear, ModuleExt, Sequential};
    /// let model = Sequential::new().add(Linear::new(2, 3, true)?);
    /// let text = "Sequential(\n  (layers.0): Linear(input_dims=2, output_dims=3, bias=True)\n)";
    /// assert_eq!(model.display().to_string(), text);
    /// # Ok::<(), mlx_core::Error>(())
    /// ```
    fn display(&self) -> Repr<'_> {
        Repr(self.as_dyn())
    }
}

impl<M: Module + ?Sized> ModuleExt for M {}
