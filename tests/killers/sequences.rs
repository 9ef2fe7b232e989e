//! Layers over sequences, quantized layers and caches with sizes, shapes and dtypes drawn at random: a value or an error,
//! and an end to both.

use crate::{programs, programs::Program, refused, survives};
use mlx::{
    Dtype, ErrorKind, Result, Tensor,
    fast::{Mask, QuantMode, Quantization, QuantizedTensor},
    nn::{
        ALiBi, AttentionConfig, GRU, LSTM, Linear, LstmState, ModuleExt, MultiHeadAttention, QQLinear,
        QuantizedEmbedding, QuantizedLinear, RNN, RoPE, SinusoidalPositionalEncoding,
        cache::{Cache, KvCache, QuantizedKvCache, RotatingKvCache, causal_mask, quantized_attention},
    },
    ops,
};
use std::env;

pub(crate) const PROGRAMS: &[Program] = &[
    ("layers_of_heads_at_random", || at_random(1, heads)),
    ("recurrent_layers_at_random", || at_random(2, recurrent)),
    ("quantized_layers_at_random", || at_random(3, quantized)),
    ("positions_at_random", || at_random(4, positions)),
    ("caches_at_random", || at_random(5, caches)),
    ("sequences_without_end", sequences_without_end),
    ("positions_of_as_many_heads_as_there_are", positions_of_as_many_heads_as_there_are),
];

/// Knuth's linear congruences.
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn one_of<T: Clone>(&mut self, list: &[T]) -> T {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        list[((self.0 >> 33) % list.len() as u64) as usize].clone()
    }

    /// A size as a setting, which is often none.
    fn setting(&mut self) -> i32 {
        self.one_of(&[0, -1, 1, 2, 3, 4, 8, 8, 8, 32, 33, 64, i32::MAX, i32::MIN])
    }

    fn size(&mut self) -> i32 {
        self.one_of(&[0, 1, 1, 2, 3, 4, 8, 8, 8, 32, 64])
    }

    pub(crate) fn tensor(&mut self) -> Tensor {
        let ndim = self.one_of(&[0, 1, 2, 2, 3, 3, 3, 4, 4, 5]);
        let shape: Vec<i32> = (0..ndim).map(|_| self.size()).collect();
        self.filled(&shape)
    }

    pub(crate) fn filled(&mut self, shape: &[i32]) -> Tensor {
        use Dtype::{Bfloat16, Bool, Complex64, Float16, Float32, Float64, Int32, Uint8, Uint32};
        let f32s = [Float32; 8];
        let others = [Float16, Bfloat16, Float64, Int32, Uint32, Uint8, Bool, Complex64];
        let dtype = self.one_of(&[f32s, others].concat());
        let value = self.one_of(&[0.0, 1.0, 3.0, f64::from(i32::MAX), f64::NAN]);
        ops::astype(&ops::full(shape, value, Float32).expect("a shape"), dtype).expect("a dtype")
    }

    fn mask(&mut self) -> Mask {
        let tensor = self.tensor();
        self.one_of(&[Mask::None, Mask::Causal, Mask::from(&tensor)])
    }
}

/// Some of the draws have to be values, or nothing was tried.
pub(crate) fn at_random(seed: u64, one: fn(&mut Draw) -> Result<bool>) {
    let draws = env::var("MLX_TEST_DRAWS").ok().and_then(|text| text.parse().ok()).unwrap_or(1500);
    let mut draw = Draw(seed);
    let value = |draw: &mut Draw| {
        // A computation that fails takes the random key with it, where the key was computed for it.
        mlx::random::seed(draw.0)?;
        one(draw)
    };
    let values = (0..draws).filter(|_| value(&mut draw).unwrap_or(false)).count();
    assert!(values > draws / 100, "{values} values of {draws}");
    programs::end();
}

fn heads(draw: &mut Draw) -> Result<bool> {
    let mut how =
        AttentionConfig::new(draw.one_of(&[8, 8, 8, 4, 0, -8, 32]), draw.one_of(&[1, 2, 2, 4, 8, 0, -2, 3]));
    if draw.one_of(&[true, false, false, false]) {
        (how.query_input_dims, how.key_input_dims) = (Some(draw.size()), Some(draw.size()));
        (how.value_dims, how.value_output_dims) = (Some(draw.size()), Some(draw.size()));
    }
    let mut layer = MultiHeadAttention::with(&how)?;
    if draw.one_of(&[true, false, false, false]) {
        layer.num_heads = draw.setting();
    }
    let q = if draw.one_of(&[true, false]) { draw.tensor() } else { draw.filled(&[2, 3, 8]) };
    let k = if draw.one_of(&[true, false]) { draw.tensor() } else { q.clone() };
    let mask = draw.mask();
    Ok(survives(layer.forward(&q, &k, &k, mask)))
}

fn recurrent(draw: &mut Draw) -> Result<bool> {
    let (inputs, hidden) = (draw.one_of(&[8, 8, 8, 0, 3, -1]), draw.one_of(&[3, 3, 8, 1, 0, -1]));
    let x = if draw.one_of(&[true, false]) { draw.tensor() } else { draw.filled(&[2, 3, 8]) };
    let state = if draw.one_of(&[true, false]) { draw.tensor() } else { draw.filled(&[2, 3]) };
    let (cell, bias) = (draw.tensor(), draw.one_of(&[true, false]));
    let given = draw.one_of(&[Some(&state), None]);
    Ok(match draw.one_of(&[0, 1, 2, 3]) {
        0 => survives(RNN::new(inputs, hidden, bias)?.forward(&x, given)),
        1 => survives(GRU::new(inputs, hidden, bias)?.forward(&x, given)),
        2 => {
            let mut before = LstmState::new().cell(&cell);
            before.hidden = given;
            survives(LSTM::new(inputs, hidden, bias)?.forward(&x, before).map(|(_, cell)| cell))
        }
        _ => {
            let (wx, wh) = (draw.tensor(), draw.tensor());
            let biases = draw.one_of(&[Some((state.clone(), cell)), None]);
            survives(GRU::from_parameters(wx, wh, biases)?.forward(&x, given))
        }
    })
}

fn settings(draw: &mut Draw) -> Quantization {
    let mode = draw.one_of(&[
        QuantMode::Affine,
        QuantMode::Affine,
        QuantMode::Mxfp4,
        QuantMode::Mxfp8,
        QuantMode::Nvfp4,
    ]);
    let how = Quantization::new(mode);
    match draw.one_of(&[0, 0, 0, 1, 2]) {
        0 => how,
        1 => how.group_size(draw.setting()),
        _ => how.bits(draw.setting()),
    }
}

fn quantized(draw: &mut Draw) -> Result<bool> {
    let how = settings(draw);
    let (inputs, outputs) =
        (draw.one_of(&[64, 64, 64, 64, 64, 64, 32, 0, 33, -64]), draw.one_of(&[8, 8, 8, 8, 1, 0, 3, -1]));
    let x = match draw.one_of(&[0, 1, 2]) {
        0 => draw.tensor(),
        1 => draw.filled(&[1, 64]),
        _ => draw.filled(&[2, 3, 64]),
    };
    Ok(match draw.one_of(&[0, 1, 2, 3, 4]) {
        0 => survives(QuantizedLinear::new(inputs, outputs, true, how)?.forward(&x)),
        1 => {
            let layer = QuantizedEmbedding::new(outputs, inputs, how)?;
            let ids = ops::astype(&x, Dtype::Int32)?;
            survives(layer.forward(&ids)) | survives(layer.as_linear(&x))
        }
        2 => {
            let weight = if draw.one_of(&[true, false]) { draw.tensor() } else { draw.filled(&[8, 64]) };
            let linear = Linear::from_parameters(weight, None);
            let mut layer = QQLinear::from_linear(&linear, how)?;
            layer.train(draw.one_of(&[true, false]));
            assert!(!layer.display().to_string().is_empty());
            survives(layer.forward(&x))
        }
        3 => {
            let parts = QuantizedTensor::new(draw.tensor(), draw.tensor(), Some(draw.tensor()), how);
            survives(QuantizedLinear::from_parameters(parts, None).forward(&x))
        }
        _ => {
            let linear = QuantizedLinear::new(64, 8, true, how)?;
            let mut parts = QuantizedTensor::new(linear.weight, linear.scales, linear.biases, settings(draw));
            match draw.one_of(&[0, 1, 2, 3]) {
                0 => parts.biases = Some(draw.tensor()),
                1 => parts.scales = draw.tensor(),
                2 => parts.biases = None,
                _ => {}
            }
            survives(QuantizedLinear::from_parameters(parts, linear.bias).forward(&x))
        }
    })
}

fn positions(draw: &mut Draw) -> Result<bool> {
    let (x, offset) = (draw.tensor(), draw.setting());
    Ok(match draw.one_of(&[0, 1, 2]) {
        0 => {
            let layer = RoPE::new(draw.setting()).base(draw.one_of(&[1e4, 0.0, -1.0, f32::NAN]));
            survives(layer.traditional(draw.one_of(&[true, false])).forward(&x, offset))
        }
        1 => {
            // As many features as a setting says have to fit the memory.
            let dims = Some(draw.setting()).filter(|&dims| dims < 1 << 20).unwrap_or(3);
            survives(SinusoidalPositionalEncoding::new(dims)?.forward(&x))
        }
        _ => {
            let offset = draw.one_of(&[0, -1, 5, i32::MAX, i32::MIN]);
            survives(ALiBi::new().forward(&x, offset, draw.one_of(&[Some(&x), None])))
        }
    })
}

fn positions_of_as_many_heads_as_there_are() {
    let scores =
        ops::zeros([1, 1, 1, 0], Dtype::Float32).and_then(|x| ops::broadcast_to(&x, [1, i32::MAX, 1, 0]));
    refused(ALiBi::new().forward(&scores.expect("a view of nothing"), 0, None), ErrorKind::Value);
    programs::end();
}

fn caches(draw: &mut Draw) -> Result<bool> {
    let (mut growing, mut few) = (KvCache::new(), QuantizedKvCache::new(settings(draw)));
    let (most, keep) = (draw.setting(), draw.one_of(&[0, 0, 1, 2, -1, i32::MAX]));
    let mut rotating = RotatingKvCache::new(most, keep);
    causal_mask(1, 0, None)?;
    let mut all = false;
    for _ in 0..6 {
        let time = draw.one_of(&[0, 1, 1, 1, 2, 5]);
        let kept = draw.filled(&[1, 2, time, 64]);
        let new = if draw.one_of(&[true, false, false, false]) { draw.tensor() } else { kept };
        let setting = draw.setting();
        let window = draw.one_of(&[None, Some(2), Some(setting)]);
        all |= survives(growing.update_and_fetch(&new, &new).map(|(keys, _)| keys));
        if let Ok(cache) = &mut rotating {
            let time = new.shape().get(2).copied().unwrap_or_default();
            if let Ok(Mask::Tensor(mask)) = cache.mask(time, window) {
                survives(Ok(mask));
            }
            survives(cache.update_and_fetch(&new, &new).map(|(_, values)| values));
            cache.trim(draw.setting());
        }
        if let Ok((keys, values)) = few.update_and_fetch(&new, &new) {
            survives(quantized_attention(&new, &keys, &values, 0.1, draw.mask()));
            let q = draw.filled(&[1, 4, 3, 64]);
            survives(quantized_attention(&q, &keys, &values, 0.1, draw.mask()));
        }
        growing.trim(draw.setting());
        few.trim(draw.setting());
        survives(causal_mask(draw.one_of(&[1, 7, -1]), draw.one_of(&[0, 3, -1, i32::MAX]), window));
    }
    Ok(all)
}

/// Sizes that cost their caller nothing.
fn sequences_without_end() {
    let x = ops::broadcast_to(&crate::ones(&[1, 1, 2]), [1, i32::MAX, 2]).expect("a view");
    refused(RNN::new(2, 1, false).and_then(|layer| layer.forward(&x, None)), ErrorKind::Value);
    refused(GRU::new(2, 1, false).and_then(|layer| layer.forward(&x, None)), ErrorKind::Value);
    let state = LSTM::new(2, 1, false).and_then(|layer| layer.forward(&x, LstmState::new()));
    refused(state.map(|(hidden, _)| hidden), ErrorKind::Value);
    let before = mlx::memory::peak().expect("a figure");
    assert!(survives(causal_mask(0, i32::MAX, None)) && survives(causal_mask(0, i32::MAX, Some(1))));
    assert!(mlx::memory::peak().expect("a figure") < before + (1 << 20));
    programs::end();
}
