//! Models whose layers are exchanged for quantized ones, and what they load.
//!
//! Not here: values (`tests/parity/quantized_layers.json` of the facade).

use mlx_core::{Dtype, Error, Result, Tensor};
use mlx_fast::{QuantMode, Quantization};
use mlx_nn::{
    Choice, Embedding, LayerQuantization, Linear, MaybeQuantized, Member, Module, ModuleExt, QQLinear,
    Quantizable, QuantizedLinear, RMSNorm, Sequential, Unary, Weights, quantize, quantize_where, relu,
    value_and_grad,
};
use mlx_ops::{random, zeros};
use std::collections::HashMap;

#[derive(Clone, Debug, Module)]
struct Block {
    norm: RMSNorm,
    up: MaybeQuantized<Linear>,
    down: MaybeQuantized<Linear>,
}

#[derive(Clone, Debug, Module)]
struct Model {
    embed: MaybeQuantized<Embedding>,
    layers: Vec<Block>,
    head: Option<MaybeQuantized<Linear>>,
}

impl Model {
    fn new(head: bool) -> Result<Model> {
        let block = || {
            let (up, down) = (Linear::new(64, 128, true)?.into(), Linear::new(128, 64, false)?.into());
            Ok(Block { norm: RMSNorm::new(64, 1e-5)?, up, down })
        };
        let layers = (0..2).map(|_| block()).collect::<Result<_>>()?;
        let head = head.then(|| Linear::new(64, 5, true)).transpose()?.map(MaybeQuantized::from);
        Ok(Model { embed: Embedding::new(5, 64)?.into(), layers, head })
    }

    fn forward(&self, ids: &Tensor) -> Result<Tensor> {
        let mut x = self.embed.forward(ids)?;
        for block in &self.layers {
            x = &x + block.down.forward(&relu(&block.up.forward(&block.norm.forward(&x)?)?)?)?;
        }
        match &self.head {
            Some(head) => head.forward(&x),
            None => self.embed.as_linear(&x),
        }
    }
}

fn affine() -> Quantization {
    Quantization::new(QuantMode::Affine).group_size(32).bits(8)
}

fn ids() -> Result<Tensor> {
    Tensor::from_shape_slice([1, 3], &[4, 0, 2])
}

#[test]
fn one_struct_loads_both() -> Result<()> {
    for head in [true, false] {
        let mut first = Model::new(head)?;
        let dense = first.parameters();
        let mut second = Model::new(head)?;
        assert!(second.load_weights(&dense)?.is_strict());
        assert_eq!(second.forward(&ids()?)?.to_vec::<f32>()?, first.forward(&ids()?)?.to_vec::<f32>()?);

        quantize(&mut first, affine())?;
        assert!(first.embed.is_quantized() && first.layers[1].down.is_quantized());
        let packed: HashMap<String, Tensor> = first.parameters().into_iter().collect();
        let error = second.load_weights(&packed).unwrap_err();
        assert!(error.message().starts_with("Received"), "{error}");
        quantize_where(&mut second, affine(), |key, _| packed.contains_key(&format!("{key}.scales")))?;
        assert!(second.load_weights(&packed)?.is_strict());
        assert_eq!(second.forward(&ids()?)?.to_vec::<f32>()?, first.forward(&ids()?)?.to_vec::<f32>()?);
        let error = second.load_weights(&dense).unwrap_err();
        assert!(error.message().starts_with("Missing"), "{error}");

        // What is left to train: norms and the biases of linear maps, as in Python.
        let trained: Vec<String> = first.trainable_parameters().into_keys().collect();
        let mut expected =
            vec!["layers.0.norm.weight", "layers.0.up.bias", "layers.1.norm.weight", "layers.1.up.bias"];
        expected.extend(head.then_some("head.bias"));
        assert_eq!(trained, expected);
    }
    Ok(())
}

#[test]
fn layers_come_from_weights_of_either_kind() -> Result<()> {
    let mut model = Model::new(true)?;
    for quantized in [false, true] {
        if quantized {
            quantize_where(&mut model, affine(), |key, layer| {
                key != "layers.0.up" && layer.type_name() != "RMSNorm"
            })?;
        }
        let tensors: HashMap<String, Tensor> = model.parameters().into_iter().collect();
        let weights = Weights::new(&tensors);
        let up = MaybeQuantized::<Linear>::from_weights(&weights.scope("layers.0.up"), affine())?;
        let down = MaybeQuantized::<Linear>::from_weights(&weights.scope("layers.0.down"), affine())?;
        let embed = MaybeQuantized::<Embedding>::from_weights(&weights.scope("embed"), affine())?;
        assert_eq!(
            (up.is_quantized(), down.is_quantized(), embed.is_quantized()),
            (false, quantized, quantized)
        );
        let x = random::normal([2, 64])?;
        let theirs = model.layers[0].up.forward(&x)?;
        assert_eq!(up.forward(&x)?.to_vec::<f32>()?, theirs.to_vec::<f32>()?);
        let (ours, theirs) = (down.forward(&theirs)?, model.layers[0].down.forward(&theirs)?);
        assert_eq!(ours.to_vec::<f32>()?, theirs.to_vec::<f32>()?);
        assert_eq!(embed.as_linear(&x)?.to_vec::<f32>()?, model.embed.as_linear(&x)?.to_vec::<f32>()?);
        assert_eq!(down.trainable_parameters().len(), usize::from(!quantized));
    }
    Ok(())
}

#[test]
fn the_predicate_sees_each_leaf_in_order() -> Result<()> {
    let mut model = Model::new(true)?;
    let mut seen = Vec::new();
    let own = Quantization::new(QuantMode::Mxfp4);
    quantize_where(&mut model, QuantMode::Affine, |key, layer| {
        seen.push(format!("{key}: {}", layer.type_name()));
        match key {
            "head" => Choice::from(own),
            "embed" => Choice::AsModel,
            _ => Choice::from(false),
        }
    })?;
    let layers = ["norm: RMSNorm", "up: Linear", "down: Linear"];
    let of = |i: usize| layers.iter().map(move |layer| format!("layers.{i}.{layer}"));
    let expected: Vec<String> =
        [vec!["embed: Embedding".to_owned()], of(0).collect(), of(1).collect(), vec!["head: Linear".into()]]
            .concat();
    assert_eq!(seen, expected);
    let text = model.display().to_string();
    assert!(text.contains(
        "(head): QuantizedLinear(input_dims=64, output_dims=5, bias=True, group_size=32, bits=4, mode=mxfp4)"
    ));
    assert!(
        text.contains("(embed): QuantizedEmbedding(5, 64, group_size=64, bits=4, mode=affine)"),
        "{text}"
    );
    // Once more: what is quantized stays.
    let before = model.parameters().into_keys().collect::<Vec<_>>();
    quantize_where(&mut model, QuantMode::Affine, |_, _| false)?;
    assert_eq!(model.parameters().into_keys().collect::<Vec<_>>(), before);
    let error = quantize_where(&mut model, QuantMode::Affine, |key, _| key == "head").unwrap_err();
    assert_eq!(error.message(), "Unable to quantize model of type QuantizedLinear");
    Ok(())
}

#[test]
fn what_cannot_be_quantized_changes_nothing() -> Result<()> {
    #[derive(Module)]
    struct Plain {
        first: MaybeQuantized<Linear>,
        second: Linear,
    }
    let mut plain = Plain { first: Linear::new(64, 64, true)?.into(), second: Linear::new(64, 2, true)? };
    let error = quantize(&mut plain, QuantMode::Affine).unwrap_err();
    let message = "second is a Linear, and its field holds nothing else: MaybeQuantized<Linear> does";
    assert_eq!(error.message(), message);
    assert!(!plain.first.is_quantized());
    quantize_where(&mut plain, QuantMode::Affine, |key, _| key == "first")?;
    assert!(plain.first.is_quantized());
    assert_eq!(
        plain.second.forward(&plain.first.forward(&zeros([1, 64], Dtype::Float32)?)?)?.shape(),
        [1, 2]
    );

    let mut model = Model::new(true)?;
    let keys = |model: &Model| model.parameters().into_keys().collect::<Vec<_>>();
    let before = keys(&model);
    let wrong = |key: &str| if key == "head" { Choice::from(affine().group_size(48)) } else { true.into() };
    assert!(
        quantize_where(&mut model, affine(), |key, layer| match layer.children().len() {
            0 if !key.ends_with("norm") => wrong(key),
            _ => Choice::Leave,
        })
        .is_err()
    );
    assert_eq!(keys(&model), before);
    let error = quantize_where(&mut model, affine(), |_, _| true).unwrap_err();
    assert_eq!(error.message(), "Unable to quantize model of type RMSNorm");
    let error = quantize(&mut model, LayerQuantization::from(QuantMode::Mxfp8).quantize_input()).unwrap_err();
    assert_eq!(error.message(), "Quantized input is not supported.");
    assert_eq!(keys(&model), before);
    Ok(())
}

/// A layer of the user's, in an enum, a box, a map.
#[test]
fn any_place_and_any_layer() -> Result<()> {
    #[derive(Module)]
    struct Scaled {
        linear: Linear,
        factor: f64,
    }
    #[derive(Module)]
    struct QuantizedScaled {
        linear: QuantizedLinear,
        factor: f64,
    }
    impl Quantizable for Scaled {
        type Quantized = QuantizedScaled;
        fn to_quantized(&self, how: &LayerQuantization) -> Result<QuantizedScaled> {
            let linear = QuantizedLinear::from_linear(&self.linear, how.quantization)?;
            Ok(QuantizedScaled { linear, factor: self.factor })
        }
    }
    #[derive(Module)]
    enum Feed {
        Scaled(MaybeQuantized<Scaled>),
        Boxed(Box<dyn Unary>),
    }
    #[derive(Module)]
    struct Model {
        feeds: HashMap<String, Feed>,
        tail: Sequential,
    }
    let linear = || Linear::new(64, 64, false);
    let scaled = Scaled { linear: linear()?, factor: 2.0 };
    let feeds = [
        ("a".to_owned(), Feed::Scaled(scaled.into())),
        ("b".to_owned(), Feed::Boxed(Box::new(MaybeQuantized::from(linear()?)))),
        ("c".to_owned(), Feed::Boxed(Box::new(linear()?))),
    ];
    let tail = Sequential::new().add(Sequential::new().add(linear()?).add_fn(relu)).add(linear()?);
    let mut model = Model { feeds: feeds.into(), tail };
    quantize(&mut model, QuantMode::Affine)?;
    let keys: Vec<String> = model.parameters().into_keys().filter(|key| key.ends_with("scales")).collect();
    assert_eq!(
        keys,
        [
            "feeds.a.linear.scales",
            "feeds.b.scales",
            "feeds.c.scales",
            "tail.layers.0.layers.0.scales",
            "tail.layers.1.scales"
        ]
    );
    Ok(())
}

#[test]
fn modes_switch_what_qq_linear_holds() -> Result<()> {
    #[derive(Module)]
    struct Holder {
        inner: MaybeQuantized<Linear>,
        boxed: Box<dyn Unary>,
    }
    let linear = || Linear::new(64, 6, false);
    let mut model = Holder { inner: linear()?.into(), boxed: Box::new(linear()?) };
    quantize(&mut model, LayerQuantization::from(QuantMode::Nvfp4).quantize_input())?;
    let keys = |model: &Holder| model.parameters().into_keys().collect::<Vec<_>>();
    assert_eq!(keys(&model), ["inner.weight", "boxed.weight"]);
    model.eval();
    assert_eq!(keys(&model), ["inner.weight", "inner.scales", "boxed.weight", "boxed.scales"]);
    assert_eq!(model.inner.forward(&random::normal([1, 64])?)?.to_vec::<f32>()?.len(), 6);
    assert_eq!(
        model.display().to_string().lines().nth(1),
        Some("  (inner): QQLinear(input_dims=64, output_dims=6, group_size=16, bits=4, mode=nvfp4)")
    );
    model.train(true);
    assert_eq!(keys(&model), ["inner.weight", "boxed.weight"]);
    let mut dtypes = Vec::new();
    model.inner.members(&mut |_, member| {
        if let Member::Parameter(weight) = member {
            dtypes.push(weight.dtype());
        }
    });
    assert_eq!(dtypes, [Dtype::Bfloat16]);

    // A weight that no group divides stays dense, and is of no use out of training.
    let mut odd = QQLinear::from_linear(&Linear::new(65, 6, false)?, QuantMode::Nvfp4)?;
    let x = zeros([1, 65], Dtype::Float32)?;
    let refused = odd.quantize().unwrap_err();
    assert!(odd.forward(&x).is_ok());
    odd.eval();
    assert_eq!(odd.weight.shape(), [6, 65]);
    assert_eq!(odd.forward(&x).unwrap_err().message(), refused.message());
    let mut asked = Linear::new(64, 6, false)?;
    asked.eval();
    assert_eq!(QQLinear::from_linear(&asked, QuantMode::Mxfp8)?.weight.dtype(), Dtype::Uint32);
    Ok(())
}

#[test]
fn odd_parts_are_errors() -> Result<()> {
    let x = zeros([1, 64], Dtype::Float32)?;
    let part = |shape: &[i32], dtype| zeros(shape, dtype);
    for (weight, scales, biases) in [
        (part(&[6], Dtype::Uint32)?, part(&[6], Dtype::Float32)?, None),
        (part(&[6, 8], Dtype::Uint32)?, part(&[5, 1], Dtype::Float32)?, Some(part(&[5, 1], Dtype::Float32)?)),
        (
            part(&[6, 8], Dtype::Float32)?,
            part(&[6, 1], Dtype::Float32)?,
            Some(part(&[6, 1], Dtype::Float32)?),
        ),
        (part(&[6, 8], Dtype::Uint32)?, part(&[6, 1], Dtype::Int32)?, Some(part(&[6, 1], Dtype::Int32)?)),
        (part(&[6, 8], Dtype::Uint32)?, part(&[6, 1], Dtype::Float32)?, None),
        (part(&[0, 8], Dtype::Uint32)?, part(&[0, 1], Dtype::Float32)?, Some(part(&[0, 1], Dtype::Float32)?)),
        (part(&[], Dtype::Uint32)?, part(&[], Dtype::Float32)?, None),
    ] {
        let weight = mlx_fast::QuantizedTensor::new(weight, scales, biases, QuantMode::Affine);
        let layer = QuantizedLinear::from_parameters(weight.clone(), None);
        assert!(layer.forward(&x).and_then(|y| y.eval()).is_err(), "{weight:?}");
        assert!(!layer.display().to_string().is_empty());
        let embedding = mlx_nn::QuantizedEmbedding::from_parameters(weight);
        let ids = Tensor::from_slice(&[7])?;
        assert!(embedding.forward(&ids).and_then(|y| y.eval()).is_err());
        assert!(embedding.as_linear(&x).is_err());
    }
    let flat = Linear::from_parameters(zeros([64], Dtype::Float32)?, None);
    assert!(flat.to_quantized(&affine().into()).is_err());
    let ints = Linear::from_parameters(zeros([2, 64], Dtype::Int32)?, None);
    assert!(ints.to_quantized(&affine().into()).is_err());
    for (group, bits) in [(0, 4), (-1, 4), (64, 0), (64, -4), (64, i32::MIN), (i32::MAX, 4), (64, 33)] {
        let how = Quantization::new(QuantMode::Affine).group_size(group).bits(bits);
        let made: Result<_, Error> = QuantizedLinear::new(64, 2, true, how);
        assert!(made.is_err(), "{group} {bits}");
    }
    Ok(())
}

/// A small pair of matrices beside a quantized layer, which is how large models are trained further.
#[test]
fn gradients_pass_a_quantized_layer() -> Result<()> {
    #[derive(Clone, Module)]
    struct Adapted {
        base: QuantizedLinear,
        a: Tensor,
        b: Tensor,
    }
    impl Adapted {
        fn loss(&self, x: &Tensor) -> Result<Tensor> {
            let low = mlx_ops::matmul(&mlx_ops::matmul(x, &self.a)?, &self.b)?;
            let hidden = mlx_ops::tanh(&mlx_ops::add(self.base.forward(x)?, low)?)?;
            // Twice, so that the first one's gradient comes through the second.
            mlx_ops::mean(&mlx_ops::square(&self.base.forward(&hidden)?)?, ..)
        }
    }
    let (base, x) = (QuantizedLinear::new(64, 64, true, affine())?, random::normal([3, 64])?);
    let draw = |shape: [i32; 2]| mlx_ops::multiply(random::normal(shape)?, 0.2);
    let mut model = Adapted { base, a: draw([64, 4])?, b: draw([4, 64])? };
    let (_, slopes) = value_and_grad(&mut model, |model| model.loss(&x))?;
    assert_eq!(slopes.keys().collect::<Vec<_>>(), ["a", "b"]);
    for (key, slope) in slopes {
        let (whole, slope) = (model.parameters()[&key].clone(), slope.to_vec::<f32>()?);
        // Along the gradient itself the loss changes by the square of its length.
        let length = slope.iter().map(|v| f64::from(v * v)).sum::<f64>().sqrt();
        let step = 0.02 / length;
        let mut at = |by: f64| {
            let way = Tensor::from_shape_slice(whole.shape(), &slope)?;
            let moved = mlx_ops::add(&whole, mlx_ops::multiply(way, by)?)?;
            model.update(&[(key.clone(), moved)].into())?;
            Ok::<_, Error>(f64::from(model.loss(&x)?.item::<f32>()?))
        };
        let rise = (at(step)? - at(-step)?) / (2.0 * step);
        at(0.0)?;
        assert!((rise / (length * length) - 1.0).abs() < 1e-2, "{key}: {rise} and {}", length * length);
    }
    Ok(())
}
