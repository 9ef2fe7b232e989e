//! Modules: names, freezing, weights, gradients, all with Python's results (`mlx.nn` 0.32.2).

use mlx::{
    Result,
    nn::{
        self, Buffer, Keys, LayerNorm, Linear, Module, ModuleExt, Parameters, RMSNorm, Sequential, State,
        Unary,
    },
    prelude::*,
    transforms::{compile_state, grad},
};
use std::{
    any::Any,
    collections::{BTreeMap, HashMap},
    panic::{AssertUnwindSafe, catch_unwind},
};

#[derive(Clone, Debug, Module)]
struct Block {
    #[module(rename = "self_attn")]
    attention: Linear,
    norm: Norm,
    scale: Tensor,
    offset: Option<Tensor>,
    absent: Option<Linear>,
    experts: [Linear; 2],
    extra: Vec<Tensor>,
    by_name: BTreeMap<String, RMSNorm>,
    by_number: HashMap<i32, Tensor>,
    mean: Buffer,
    #[module(frozen)]
    table: Tensor,
    #[module(frozen)]
    base: Linear,
    width: i32,
    activation: Option<fn(&Tensor) -> Result<Tensor>>,
    #[module(skip)]
    anything: std::time::Duration,
    _hidden: Tensor,
    state: State,
}

#[derive(Clone, Debug, Module)]
enum Norm {
    Rms(RMSNorm),
    Layer(LayerNorm),
    Both { first: RMSNorm, second: RMSNorm },
    Nothing,
}

#[derive(Module)]
struct Pair<A, B>(A, #[module(rename = "second")] Vec<B>);

fn linear() -> Linear {
    Linear::from_parameters(tensor![[1.0, 2.0]], Some(tensor![0.5]))
}

fn block() -> Block {
    Block {
        attention: linear(),
        norm: Norm::Layer(LayerNorm::new(2, 1e-5).expect("sizes")),
        scale: tensor![1.0],
        offset: Some(tensor![1.0, 2.0]),
        absent: None,
        experts: [linear(), linear()],
        extra: vec![tensor![1.0], tensor![2.0]],
        by_name: BTreeMap::from([("k".to_owned(), RMSNorm::new(2, 1e-5).expect("sizes"))]),
        by_number: HashMap::from([(7, tensor![7.0]), (3, tensor![3.0])]),
        mean: Buffer::new(tensor![0.0]),
        table: tensor![1, 2],
        base: linear(),
        width: 2,
        activation: Some(nn::relu),
        anything: std::time::Duration::ZERO,
        _hidden: tensor![1.0],
        state: State::new(),
    }
}

fn keys(parameters: &Parameters) -> Vec<&str> {
    parameters.keys().map(String::as_str).collect()
}

#[test]
fn names_are_pythons() {
    let block = block();
    let all = [
        "self_attn.weight",
        "self_attn.bias",
        "norm.weight",
        "norm.bias",
        "scale",
        "offset",
        "experts.0.weight",
        "experts.0.bias",
        "experts.1.weight",
        "experts.1.bias",
        "extra.0",
        "extra.1",
        "by_name.k.weight",
        "by_number.3",
        "by_number.7",
        "mean",
        "table",
        "base.weight",
        "base.bias",
    ];
    assert_eq!(keys(&block.parameters()), all);
    let trained: Vec<&str> =
        all.into_iter().filter(|key| !["mean", "table", "base.weight", "base.bias"].contains(key)).collect();
    assert_eq!(keys(&block.trainable_parameters()), trained);
    assert_eq!(block.num_parameters(), 3 + 4 + 1 + 2 + 6 + 2 + 2 + 2 + 1 + 2 + 3);
    assert_eq!((block.width, block.activation.is_some(), block.anything.as_secs()), (2, true, 0));
    let pair = Pair(linear(), vec![Some(tensor![1.0]), None]);
    assert_eq!(keys(&pair.parameters()), ["0.weight", "0.bias", "second.0"]);
}

#[test]
fn an_enum_is_the_module_in_it() {
    let rms = || RMSNorm::new(2, 1e-5).expect("sizes");
    let names = |norm: &Norm| (norm.type_name(), norm.parameters().into_keys().collect::<Vec<_>>().join(" "));
    assert_eq!(names(&Norm::Rms(rms())), ("RMSNorm", "weight".to_owned()));
    let both = Norm::Both { first: rms(), second: rms() };
    assert_eq!(names(&both), ("Both", "first.weight second.weight".to_owned()));
    assert_eq!(names(&Norm::Nothing), ("Nothing", String::new()));
    assert!((Norm::Rms(rms()).as_dyn() as &dyn Any).is::<RMSNorm>());
}

#[test]
fn shown_as_python_shows() {
    let model = Sequential::new().add(linear()).add(RMSNorm::new(2, 1e-5).expect("sizes"));
    let nested = Sequential::new().add(model).add(nn::Dropout::new(0.25).expect("a probability"));
    let text = "Sequential(\n  (layers.0): Sequential(\n    (layers.0): Linear(input_dims=2, output_dims=1, bias=True)\n    \
                (layers.1): RMSNorm(2, eps=1e-05)\n  )\n  (layers.1): Dropout(p=0.25)\n)";
    assert_eq!(nested.display().to_string(), text);
    let how = mlx::ops::Convolution::new().stride(2);
    let conv = nn::Conv2d::new(4, 6, [3, 2], how, false).expect("sizes");
    let shown =
        "Conv2d(4, 6, kernel_size=(3, 2), stride=(2, 2), padding=(0, 0), dilation=1, groups=1, bias=False)";
    assert_eq!(conv.display().to_string(), shown);
}

#[test]
fn frozen_by_name_and_place() -> Result<()> {
    let mut model = block();
    model.freeze(..)?;
    assert!(model.trainable_parameters().is_empty());
    model.unfreeze("bias")?;
    let biases = ["self_attn.bias", "norm.bias", "experts.0.bias", "experts.1.bias"];
    assert_eq!(keys(&model.trainable_parameters()), biases);
    model.unfreeze(..)?;
    model.freeze(["experts", "extra"])?;
    let trained = model.trainable_parameters();
    assert!(!trained.keys().any(|key| key.starts_with("ex")) && trained.contains_key("scale"));
    model.unfreeze("experts")?;
    assert!(model.trainable_parameters().contains_key("experts.1.weight"));
    model.unfreeze(..)?;
    model.freeze(Keys::all().own())?;
    let trained = model.trainable_parameters();
    assert!(trained.contains_key("norm.weight") && !trained.contains_key("scale"));
    let error = model.freeze(Keys::named(["weight"]).own().strict()).expect_err("it has none of its own");
    assert_eq!(error.message(), "Module doesn't contain member weight.");
    model.freeze(Keys::named(["weight"]).strict())
}

#[derive(Module)]
struct Plain {
    scale: Tensor,
    inner: Linear,
}

#[test]
fn what_cannot_be_remembered_is_said() {
    let mut plain = Plain { scale: tensor![1.0], inner: linear() };
    let error = plain.freeze(..).expect_err("no State");
    assert_eq!(error.message(), "Plain has no field of type State to remember that scale is frozen");
    assert_eq!(plain.trainable_parameters().len(), 3, "nothing is frozen then");
    plain.freeze("bias").expect("the layer has a State");
    assert_eq!(keys(&plain.trainable_parameters()), ["scale", "inner.weight"]);
}

#[test]
fn modes_reach_all() -> Result<()> {
    let mut model = Sequential::new().add(Sequential::new().add(nn::Dropout::new(0.5)?));
    let x = mlx::ops::ones([64], Dtype::Float32)?;
    assert!(model.forward(&x)?.min(..).item::<f32>()? < 0.5);
    model.eval();
    assert_eq!(model.forward(&x)?.min(..).to_vec::<f32>()?, [1.0]);
    model.train(true);
    assert!(model.forward(&x)?.min(..).item::<f32>()? < 0.5);
    Ok(())
}

#[test]
fn weights_go_to_files_and_back() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("mlx-modules-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for name in ["m.safetensors", "m.npz"] {
        let (model, mut other) = (Pair(linear(), vec![tensor![3.0]]), Pair(linear(), vec![tensor![4.0]]));
        model.save_weights(folder.join(name))?;
        let report = other.load_weights(folder.join(name))?;
        assert!(report.is_strict() && report.dtypes.is_empty());
        assert_eq!(other.1[0].to_vec::<f32>()?, [3.0]);
    }
    let error = linear().save_weights("m.bin").expect_err("Python: ValueError");
    assert_eq!(error.message(), "Unsupported file extension for m.bin. Use '.npz' or '.safetensors'.");
    std::fs::remove_dir_all(folder).expect("removed");
    Ok(())
}

#[test]
fn strict_loads_name_the_path() -> Result<()> {
    let mut model = Pair(linear(), vec![linear()]);
    let before = model.parameters();
    let with = |change: &dyn Fn(&mut Parameters)| {
        let mut weights = before.clone();
        change(&mut weights);
        weights
    };
    let mut message = |weights| model.load_weights(weights).expect_err("refused").message().to_owned();
    let extra = with(&|weights| {
        weights.insert("z".into(), tensor![1.0]);
        weights.insert("a.b".into(), tensor![1.0]);
    });
    assert_eq!(message(extra.clone()), "Received 2 parameters not in model: \na.b,\nz.");
    let missing = with(&|weights| drop(weights.shift_remove("second.0.bias")));
    assert_eq!(message(missing), "Missing 1 parameters: \nsecond.0.bias.");
    let shape = with(&|weights| drop(weights.insert("0.bias".into(), tensor![1.0, 2.0])));
    let expected = "Expected shape (1,) but received shape (2,) for parameter 0.bias";
    assert_eq!(message(shape.clone()), expected);
    let halves = with(&|weights| drop(weights.insert("0.bias".into(), tensor![9.0].astype(Dtype::Float16))));
    let report = model.load_weights(halves)?;
    assert_eq!(report.to_string(), "dtype of 0.bias: float16 for float32");
    assert_eq!(model.load_weights_loose(&extra)?.extra, ["a.b", "z"]);
    let report = model.load_weights_loose(shape)?;
    assert_eq!(report.shapes[0].received, [2]);
    assert_eq!(model.0.bias.as_ref().expect("a bias").shape(), [2]);
    Ok(())
}

#[test]
fn dtypes_of_floats_change() -> Result<()> {
    let mut model = block();
    model.set_dtype(Dtype::Bfloat16)?;
    assert_eq!((model.scale.dtype(), model.table.dtype()), (Dtype::Bfloat16, Dtype::Int32));
    assert_eq!(model.mean.get().dtype(), Dtype::Bfloat16);
    model.set_dtype_where(Dtype::Int64, |dtype| dtype == Dtype::Int32)?;
    assert_eq!(model.table.dtype(), Dtype::Int64);
    let failed = model.apply(|x| if x.ndim() == 2 { mlx::ops::reshape(x, [77]) } else { Ok(x * 0.0) });
    assert!(failed.is_err());
    assert_eq!(model.scale.astype(Dtype::Float32).to_vec::<f32>()?, [1.0], "nothing is set");
    Ok(())
}

fn loss(model: &Linear, x: &Tensor) -> Result<Tensor> {
    Ok(model.forward(x)?.square().sum(..))
}

#[test]
fn gradients_by_key_and_only_of_what_is_trained() -> Result<()> {
    let (mut model, x) = (linear(), tensor![[3.0, 4.0]]);
    model.freeze("bias")?;
    let (value, slopes) = nn::value_and_grad(&mut model, |model| loss(model, &x))?;
    assert_eq!(value.to_vec::<f32>()?, [11.5 * 11.5]);
    assert_eq!(keys(&slopes), ["weight"]);
    assert_eq!(slopes["weight"].to_vec::<f32>()?, [69.0, 92.0]);
    model.freeze(..)?;
    assert!(nn::value_and_grad(&mut model, |model| loss(model, &x)).is_err());
    Ok(())
}

#[test]
fn the_model_is_what_it_was_after_errors_and_panics() -> Result<()> {
    let (mut model, x) = (linear(), tensor![[3.0, 4.0]]);
    let failed = nn::value_and_grad(&mut model, |model| model.weight.item::<f32>().map(|_| x.clone()));
    assert!(failed.is_err(), "a placeholder has no value");
    assert_eq!(model.weight.to_vec::<f32>()?, [1.0, 2.0]);
    let ended = catch_unwind(AssertUnwindSafe(|| {
        nn::value_and_grad(&mut model, |_: &mut Linear| -> Result<Tensor> { panic!("mine") })
    }));
    let said = ended.expect_err("it panics");
    assert_eq!(said.downcast_ref::<&str>(), Some(&"mine"));
    assert_eq!(model.weight.to_vec::<f32>()?, [1.0, 2.0]);
    assert_eq!(model.forward(&x)?.to_vec::<f32>()?, [11.5]);
    Ok(())
}

#[derive(Module)]
struct Counting {
    inner: Linear,
    mean: Buffer,
}

impl Counting {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.inner.forward(x)?;
        self.mean.set(0.5 * self.mean.get() + 0.5 * &y);
        Ok(y.sum(..))
    }
}

#[test]
fn buffers_have_values_afterwards() -> Result<()> {
    let (mut model, x) =
        (Counting { inner: linear(), mean: Buffer::new(tensor![[0.0]]) }, tensor![[3.0, 4.0]]);
    let (_, slopes) = nn::value_and_grad(&mut model, |model| model.forward(&x))?;
    assert_eq!(model.mean.get().to_vec::<f32>()?, [5.75]);
    assert_eq!(keys(&slopes), ["inner.weight", "inner.bias"]);
    let failed = nn::value_and_grad(&mut model, |model| -> Result<Tensor> {
        model.forward(&x)?;
        model.inner.weight.item::<f32>()?;
        Ok(x.clone())
    });
    assert!(failed.is_err());
    assert_eq!(model.mean.get().to_vec::<f32>()?, [5.75], "what a failed call set is gone");
    Ok(())
}

#[test]
fn gradients_of_gradients() -> Result<()> {
    let mut model = linear();
    // d/dx of (d loss / d bias) = d/dx of 2 (w x + b), summed.
    let slope = |x: &Tensor| -> Result<Tensor> {
        let (_, slopes) = nn::value_and_grad(&mut model, |model| loss(model, x))?;
        Ok(slopes["bias"].sum(..))
    };
    assert_eq!(grad(slope, &tensor![[3.0, 4.0]])?.to_vec::<f32>()?, [2.0, 4.0]);
    // By the model within the model: the norm of a gradient is differentiated.
    let x = tensor![[3.0, 4.0]];
    let (_, second) = nn::value_and_grad(&mut model, |model| -> Result<Tensor> {
        let (_, first) = nn::value_and_grad(model, |model| loss(model, &x))?;
        Ok(first["bias"].sum(..))
    })?;
    assert_eq!(second["weight"].to_vec::<f32>()?, [6.0, 8.0]);
    assert_eq!(model.weight.to_vec::<f32>()?, [1.0, 2.0]);
    Ok(())
}

#[test]
fn a_step_is_compiled() -> Result<()> {
    let model = linear();
    let step = |parameters: &mut Parameters, x: &Tensor| -> Result<Tensor> {
        let mut model = model.clone();
        model.update(parameters)?;
        let (loss, slopes) = nn::value_and_grad(&mut model, |model| loss(model, x))?;
        for (key, slope) in slopes {
            parameters[&key] = &parameters[&key] - 0.01 * slope;
        }
        Ok(loss)
    };
    let (x, mut plain, mut compiled) = (tensor![[3.0, 4.0]], model.parameters(), model.parameters());
    let traced = compile_state(step);
    for _ in 0..3 {
        let losses = (step(&mut plain, &x)?.item::<f32>()?, traced.call(&mut compiled, &x)?.item::<f32>()?);
        assert!((losses.0 - losses.1).abs() <= 1e-5 * losses.0.abs(), "{losses:?}");
    }
    assert_eq!(traced.trace_count(), 1);
    assert!(compiled["weight"].to_vec::<f32>()? != [1.0, 2.0]);
    Ok(())
}

#[test]
fn models_of_any_layers_are_sent() -> Result<()> {
    let layers: Vec<Box<dyn Unary>> = vec![Box::new(linear()), Box::new(nn::Identity::new())];
    let mut model = Sequential { layers };
    assert_eq!(keys(&model.parameters()), ["layers.0.weight", "layers.0.bias"]);
    let dynamic: &mut dyn Module = &mut model;
    dynamic.freeze("weight")?;
    assert_eq!(keys(&dynamic.trainable_parameters()), ["layers.0.bias"]);
    let x = tensor![[3.0, 4.0]];
    let y = std::thread::spawn(move || model.forward(&x)?.to_vec::<f32>()).join().expect("no panic")?;
    assert_eq!(y, [11.5]);
    Ok(())
}
