//! Layers over sequences beyond what parity compares: their texts, keys, parts of the user's, checkpoints, odd sizes.
//!
//! Not here: their values (`tests/parity/{positional,attention_layers,recurrent}.json` of the facade).

use mlx_core::{Dtype, Result, Tensor, transforms::grad};
use mlx_fast::Mask;
use mlx_nn::{
    ALiBi, AttentionConfig, Decoder, Encoder, GRU, LSTM, Linear, LstmState, Module, ModuleExt,
    MultiHeadAttention, RNN, RoPE, Sequential, SinusoidalPositionalEncoding, Transformer, TransformerConfig,
    TransformerDecoder, TransformerEncoder, Weights, gelu, relu, value_and_grad,
};
use mlx_ops::{ReduceOps, random, zeros};

fn sample(shape: impl mlx_core::IntoShape) -> Result<Tensor> {
    random::Normal::new().key(&random::key(5)?).sample(shape)
}

#[test]
fn texts_are_pythons() -> Result<()> {
    assert_eq!(RoPE::new(4).traditional(true).display().to_string(), "RoPE(4, traditional=True)");
    assert_eq!(ALiBi::new().display().to_string(), "ALiBi()");
    let sines = SinusoidalPositionalEncoding::new(4)?;
    assert_eq!(sines.display().to_string(), "SinusoidalPositionalEncoding()");
    assert_eq!(GRU::new(2, 3, true)?.display().to_string(), "GRU(input_dims=2, hidden_size=3, bias=True)");
    assert_eq!(
        LSTM::new(2, 3, false)?.display().to_string(),
        "LSTM(input_dims=2, hidden_size=3, bias=False)"
    );
    // But for the function's address.
    let text = "RNN(input_dims=2, hidden_size=3, nonlinearity=<function relu>, bias=True)";
    assert_eq!(RNN::new(2, 3, true)?.nonlinearity(relu).display().to_string(), text);
    let model = Transformer::new(1, 1, &TransformerConfig::new(8, 2))?;
    let text = model.display().to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 44);
    assert_eq!(
        lines[..4].join("\n"),
        "Transformer(\n  (encoder): TransformerEncoder(\n    (layers.0): TransformerEncoderLayer(\n      (attention): MultiHeadAttention("
    );
    assert_eq!(lines[13], "      (dropout1): Dropout(p=0.0)");
    Ok(())
}

#[test]
fn positions_have_no_parameters() -> Result<()> {
    assert!(SinusoidalPositionalEncoding::new(4)?.parameters().is_empty());
    assert!(RoPE::new(4).parameters().is_empty() && ALiBi::new().parameters().is_empty());
    Ok(())
}

#[test]
fn recurrent_layers_come_from_weights() -> Result<()> {
    let x = sample([2, 3, 4])?;
    for bias in [true, false] {
        let (rnn, gru, lstm) = (RNN::new(4, 5, bias)?, GRU::new(4, 5, bias)?, LSTM::new(4, 5, bias)?);
        let again = |parameters: mlx_nn::Parameters| parameters.into_iter().collect();
        let (a, b) = (rnn.forward(&x, None)?, {
            let tensors = again(rnn.parameters());
            RNN::from_weights(&Weights::new(&tensors))?.forward(&x, None)?
        });
        assert_eq!(a.to_vec::<f32>()?, b.to_vec::<f32>()?);
        let tensors = again(gru.parameters());
        let b = GRU::from_weights(&Weights::new(&tensors))?.forward(&x, None)?;
        assert_eq!(gru.forward(&x, None)?.to_vec::<f32>()?, b.to_vec::<f32>()?);
        let tensors = again(lstm.parameters());
        let b = LSTM::from_weights(&Weights::new(&tensors))?.forward(&x, LstmState::new())?.1;
        assert_eq!(lstm.forward(&x, LstmState::new())?.1.to_vec::<f32>()?, b.to_vec::<f32>()?);
    }
    let tensors = [("Wxh".to_owned(), sample([5, 4])?), ("Whh".to_owned(), sample([5])?)].into();
    assert!(RNN::from_weights(&Weights::new(&tensors)).is_err());
    Ok(())
}

/// One half of a sequence after the other gives what the whole does.
#[test]
fn states_go_on() -> Result<()> {
    let (x, lstm) = (sample([2, 6, 4])?, LSTM::new(4, 3, true)?);
    let half = |from: i32| mlx_ops::index(&x, (.., from..from + 3));
    let last = |x: &Tensor| mlx_ops::index(x, (.., -1));
    let (hidden, cell) = lstm.forward(&half(0)?, LstmState::new())?;
    let (hidden, _) = lstm.forward(&half(3)?, (&last(&hidden)?, &last(&cell)?))?;
    let (whole, _) = lstm.forward(&x, LstmState::new())?;
    let whole = mlx_ops::index(&whole, (.., 3..))?;
    assert_eq!(hidden.to_vec::<f32>()?, whole.to_vec::<f32>()?);
    Ok(())
}

#[test]
fn layers_of_the_user_are_encoder_and_decoder() -> Result<()> {
    #[derive(Module)]
    struct Mixed {
        map: Linear,
    }
    impl Encoder for Mixed {
        fn encode(&self, src: &Tensor, _mask: Mask) -> Result<Tensor> {
            self.map.forward(src)
        }
    }
    impl Decoder for Mixed {
        fn decode(&self, tgt: &Tensor, memory: &Tensor, _: Mask, _: Mask) -> Result<Tensor> {
            Ok(self.map.forward(tgt)? + memory)
        }
    }
    let x = sample([1, 2, 4])?;
    let mixed = || Ok::<_, mlx_core::Error>(Mixed { map: Linear::new(4, 4, false)? });
    let model = Transformer::from_parts(mixed()?, TransformerDecoder::new(1, &TransformerConfig::new(4, 2))?);
    assert_eq!(model.forward(&x, &x, Mask::None, Mask::Causal, Mask::None)?.shape(), [1, 2, 4]);
    let model = Transformer::from_parts(mixed()?, mixed()?);
    assert_eq!(
        model.parameters().into_keys().collect::<Vec<_>>(),
        ["encoder.map.weight", "decoder.map.weight"]
    );
    assert_eq!(model.forward(&x, &x, None::<&Tensor>, Mask::None, Mask::None)?.shape(), [1, 2, 4]);
    Ok(())
}

/// With checkpoints gradients have the same bits, by parameters and by the input, what is frozen included.
#[test]
fn checkpoints_change_no_gradient() -> Result<()> {
    let how = TransformerConfig::new(4, 2).activation(gelu);
    let x = sample([1, 3, 4])?;
    let mut gradients = Vec::new();
    for checkpoint in [false, true] {
        random::seed(3)?;
        let mut model = TransformerEncoder::new(2, &how.clone().checkpoint(checkpoint))?;
        model.freeze("ln1")?;
        let loss = |model: &mut TransformerEncoder| {
            Ok::<_, mlx_core::Error>(model.forward(&x, Mask::Causal)?.sum(..))
        };
        let (loss, by_parameters) = value_and_grad(&mut model, loss)?;
        let by_x = grad(|x: &Tensor| model.forward(x, Mask::Causal).map(|y| (&y * &y).sum(..)), &x)?;
        let mut all = vec![loss.to_vec::<f32>()?, by_x.to_vec::<f32>()?];
        for (key, slope) in by_parameters {
            assert!(!key.contains("ln1"), "{key}");
            all.push(slope.to_vec::<f32>()?);
        }
        gradients.push(all);
    }
    assert_eq!(gradients[0], gradients[1]);
    Ok(())
}

#[test]
fn odd_sizes_are_errors_or_empty() -> Result<()> {
    for (dims, heads) in [(8, 0), (8, -2), (0, 2), (-8, 2), (i32::MIN, -1), (8, 3), (i32::MAX, 7)] {
        assert!(MultiHeadAttention::new(dims, heads).is_err(), "{dims} {heads}");
    }
    assert!(TransformerEncoder::new(1, &TransformerConfig::new(1 << 30, 2)).is_err(), "mlp dims beyond i32");
    for size in [0, -1, i32::MIN, i32::MAX] {
        assert!(GRU::new(2, size, true).is_err() && LSTM::new(2, size, true).is_err(), "{size}");
    }
    for dims in [0, -2, 3, i32::MIN] {
        assert!(SinusoidalPositionalEncoding::new(dims).is_err(), "{dims}");
    }
    let attention = MultiHeadAttention::new(8, 2)?;
    // Nothing in: an error (Python's) or nothing out.
    for shape in [[0, 3, 8], [2, 0, 8]] {
        let x = zeros(shape, Dtype::Float32)?;
        if let Ok(y) = attention.forward(&x, &x, &x, Mask::None) {
            assert_eq!((y.shape(), y.to_vec::<f32>()?.len()), (&shape[..], 0));
        }
    }
    // A layer whose number of heads was changed behind its back.
    for heads in [0, -1, 3, i32::MIN] {
        let mut attention = MultiHeadAttention::with(&AttentionConfig::new(8, 2).bias(true))?;
        attention.num_heads = heads;
        let x = zeros([1, 2, 8], Dtype::Float32)?;
        let y = attention.forward(&x, &x, &x, Mask::None);
        assert!(y.is_err(), "{heads}");
    }
    let scores = zeros([1, 2, 3, 3], Dtype::Float32)?;
    assert!(ALiBi::new().forward(&scores, i32::MAX, None).is_err());
    for offset in [i32::MIN, -7] {
        // Keys after their queries are as far away.
        let y = ALiBi::new().forward(&scores, offset, None)?.to_vec::<f32>()?;
        assert!(y.iter().all(|&bias| bias < 0.0), "{offset} {y:?}");
    }
    assert!(ALiBi::create_alibi_matrix(2, 2, i32::MIN, 0, Dtype::Float32).is_err());
    let sequential = Sequential::new().add(RNN::new(4, 3, true)?).add(GRU::new(3, 2, true)?);
    assert_eq!(sequential.forward(&sample([2, 5, 4])?)?.shape(), [2, 5, 2]);
    Ok(())
}
