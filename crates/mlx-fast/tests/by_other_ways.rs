//! The fused kernels against the same values computed in another way: over grids of sizes and dtypes, on the CPU.
//!
//! Not here: Python's bits (`tests/parity` of the facade), hostile input (`guards`).

use mlx_core::{
    Dtype, Error, Result, Tensor, tensor,
    transforms::{compile, grad},
};
use mlx_fast::{
    Attention, Gather, LayerNorm, Mask, QuantMode, Quantization, QuantizedTensor, Rope, dequantize,
    gather_qmm, layer_norm, quantize, quantized_matmul, rms_norm, rope, scaled_dot_product_attention,
};
use mlx_ops::{
    arange, astype, expand_dims, greater_equal, index, matmul, multiply, ones, random::normal, reshape,
    squeeze, stack, sum, where_,
};

const REALS: [Dtype; 3] = [Dtype::Float32, Dtype::Float16, Dtype::Bfloat16];

fn drawn(shape: &[i32], dtype: Dtype) -> Result<Tensor> {
    astype(&normal(shape)?, dtype)
}

/// Every element's bits.
fn bits(x: &Tensor) -> Vec<u32> {
    // A half is a float32 whose last digits are 0.
    let wide = astype(x, Dtype::Float32).and_then(|x| x.to_vec::<f32>()).expect("values");
    wide.into_iter().map(f32::to_bits).collect()
}

#[track_caller]
fn same(found: &Tensor, wanted: &Tensor, what: &str) {
    assert_eq!((found.shape(), found.dtype()), (wanted.shape(), wanted.dtype()), "{what}");
    assert_eq!(bits(found), bits(wanted), "{what}");
}

/// The norm of the difference over that of what is wanted.
fn distance(found: &Tensor, wanted: &Tensor) -> f64 {
    let values = |x: &Tensor| astype(x, Dtype::Float32).and_then(|x| x.to_vec::<f32>()).expect("values");
    let (found, wanted) = (values(found), values(wanted));
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let mut apart = found.iter().zip(&wanted).map(|(&a, &b)| f64::from(a) - f64::from(b));
    norm(&mut apart) / norm(&mut wanted.iter().map(|&v| f64::from(v)))
}

#[test]
fn norms_without_a_weight_are_those_by_ones() -> Result<()> {
    for dtype in REALS {
        for shape in [&[3, 5][..], &[2, 3, 301], &[1]] {
            let (x, last) = (drawn(shape, dtype)?, shape[shape.len() - 1]);
            let (one, none) = (ones([last], dtype)?, mlx_ops::zeros([last], dtype)?);
            same(&rms_norm(&x, None, 1e-5)?, &rms_norm(&x, Some(&one), 1e-5)?, "rms");
            let bare = layer_norm(&x, LayerNorm::new(1e-5))?;
            same(&bare, &layer_norm(&x, LayerNorm::new(1e-5).weight(&one).bias(&none))?, "layer");
        }
    }
    Ok(())
}

#[test]
fn offsets_of_rope_are_the_same_as_numbers_and_as_tensors() -> Result<()> {
    let mut cases = 0;
    for (dtype, shape) in REALS.into_iter().flat_map(|dtype| {
        [&[1, 1, 8][..], &[2, 3, 8], &[2, 1, 5, 8], &[1, 2, 2, 3, 8]].map(|shape| (dtype, shape))
    }) {
        let x = drawn(shape, dtype)?;
        for (dims, traditional, scale) in [(8, false, 1.0), (8, true, 0.5), (4, false, 0.5), (2, true, 1.0)] {
            let how = Rope::new(dims).traditional(traditional).scale(scale);
            for offset in [0, 1, 7, 255, 1023, 4096, 70_000, -3] {
                let wanted = rope(&x, &how.clone().offset(offset))?;
                let alone = Tensor::from_slice(&[offset])?;
                let all = Tensor::from_slice(&vec![offset; shape[0] as usize])?;
                for offsets in [squeeze(&alone, ..)?, alone, astype(&all, Dtype::Int64)?, all] {
                    let found = rope(&x, &how.clone().offset(&offsets))?;
                    same(&found, &wanted, &format!("{dtype} {shape:?} {dims} {offset}"));
                    cases += 1;
                }
            }
        }
        let offsets: Vec<i32> = [70_000, 7, 1023, 0][..shape[0] as usize].to_vec();
        let together = rope(&x, &Rope::new(8).offset(&Tensor::from_slice(&offsets)?))?;
        for (row, &offset) in (0..).zip(&offsets) {
            let alone = rope(&index(&x, row..row + 1)?, &Rope::new(8).offset(offset))?;
            same(&index(&together, row..row + 1)?, &alone, "a row");
        }
    }
    assert_eq!(cases, 3 * 4 * 4 * 8 * 4);
    Ok(())
}

#[test]
fn causal_attention_is_that_by_its_mask() -> Result<()> {
    for dtype in REALS {
        for (queries, keys) in [(1, 7), (4, 7), (9, 33), (5, 5)] {
            for (heads, kv_heads) in [(4, 4), (4, 2), (4, 1)] {
                let q = drawn(&[2, heads, queries, 16], dtype)?;
                let [k, v] =
                    [drawn(&[2, kv_heads, keys, 16], dtype)?, drawn(&[2, kv_heads, keys, 8], dtype)?];
                let seen = greater_equal(
                    expand_dims(&arange(keys - queries, keys, 1)?, 1)?,
                    expand_dims(&arange(0, keys, 1)?, 0)?,
                )?;
                let how = Attention::new(0.25);
                let causal = scaled_dot_product_attention(&q, &k, &v, &how.clone().mask(Mask::Causal))?;
                let masked = scaled_dot_product_attention(&q, &k, &v, &how.clone().mask(&seen))?;
                same(&causal, &masked, &format!("{dtype} {queries} {keys} {heads} {kv_heads}"));
                let (shown, hidden) =
                    (Tensor::scalar(0.0, dtype)?, Tensor::scalar(f64::NEG_INFINITY, dtype)?);
                let added = where_(&seen, shown, hidden)?;
                same(&causal, &scaled_dot_product_attention(&q, &k, &v, &how.mask(&added))?, "added");
            }
        }
    }
    Ok(())
}

#[test]
fn a_query_that_sees_nothing_and_sinks_are_as_documented() -> Result<()> {
    let (q, k) = (normal([1, 2, 1, 4])?, normal([1, 2, 3, 4])?);
    let v = tensor![[1.0, 2.0, 6.0], [0.5, 1.0, 3.0]];
    let v = reshape(&v, [1, 2, 3, 1])?;
    let blind = Attention::new(0.5).mask(&Tensor::from_shape_slice([1, 3], &[false; 3])?);
    let y = scaled_dot_product_attention(&q, &k, &v, &blind)?.to_vec::<f32>()?;
    assert!((y[0] - 3.0).abs() < 1e-6 && (y[1] - 1.5).abs() < 1e-6, "{y:?}");
    let blind = Attention::new(0.5).mask(&Tensor::from_shape_slice([1, 3], &[f32::NEG_INFINITY; 3])?);
    assert!(scaled_dot_product_attention(&q, &k, &v, &blind)?.to_vec::<f32>()?.iter().all(|y| y.is_nan()));

    let sinks = [0.75_f64, -1.5];
    let how = Attention::new(0.5).sinks(&Tensor::from_slice(&sinks.map(|sink| sink as f32))?);
    let found = scaled_dot_product_attention(&q, &k, &v, &how)?.to_vec::<f32>()?;
    let [q, k, v] = [q.to_vec::<f32>()?, k.to_vec::<f32>()?, v.to_vec::<f32>()?];
    for head in 0..2 {
        let dot = |key: usize| {
            let row = (head * 3 + key) * 4;
            (0..4).map(|i| f64::from(q[head * 4 + i]) * f64::from(k[row + i])).sum::<f64>()
        };
        let weights: Vec<f64> = (0..3).map(|key| (0.5 * dot(key)).exp()).collect();
        let all = weights.iter().sum::<f64>() + sinks[head].exp();
        let wanted: f64 = (0..3).map(|key| weights[key] / all * f64::from(v[head * 3 + key])).sum();
        assert!((f64::from(found[head]) - wanted).abs() < 1e-6 * wanted.abs().max(1.0), "{found:?} {wanted}");
    }
    Ok(())
}

#[test]
fn quantized_products_are_those_of_what_was_quantized() -> Result<()> {
    let mut turn = 0;
    for inner in [512, 1024, 2048] {
        for columns in [32, 96, 128] {
            for bits in [2, 3, 4, 5, 6, 8] {
                let how = Quantization::new(QuantMode::Affine).group_size(32).bits(bits);
                let by_column = quantize(&normal([inner, columns])?, how)?;
                let by_row = quantize(&normal([columns, inner])?, how)?;
                let dense = [dequantize(&by_column)?, mlx_ops::transpose(&dequantize(&by_row)?, ..)?];
                // Each shape meets each number of bits in some of the sizes.
                let shapes = [&[1][..], &[2], &[3], &[4], &[5], &[3, 1], &[2, 3]];
                for shape in [shapes[turn % 7], shapes[(turn + 3) % 7]] {
                    let x = normal([shape, &[inner]].concat())?;
                    for (w, dense, transpose) in [(&by_column, &dense[0], false), (&by_row, &dense[1], true)]
                    {
                        let apart = distance(&quantized_matmul(&x, w, transpose)?, &matmul(&x, dense)?);
                        assert!(apart < 1e-5, "{shape:?} {inner} {columns} {bits} {transpose}: {apart}");
                    }
                }
                turn += 1;
            }
        }
    }
    Ok(())
}

#[test]
fn the_slope_of_a_quantized_product_is_the_product_with_the_other_side() -> Result<()> {
    for (rows, transpose) in [(1, true), (3, true), (5, true), (2, false), (3, false)] {
        let w = quantize(&normal([64, 64])?, QuantMode::Affine)?;
        let (x, cotangent) = (normal([rows, 64])?, normal([rows, 64])?);
        let slope = grad(
            |x: &Tensor| -> Result<Tensor> {
                sum(&multiply(quantized_matmul(x, &w, transpose)?, &cotangent)?, ..)
            },
            &x,
        )?;
        let dense = dequantize(&w)?;
        let other = if transpose { dense } else { mlx_ops::transpose(&dense, ..)? };
        let apart = distance(&slope, &matmul(&cotangent, &other)?);
        assert!(apart < 1e-5, "{rows} {transpose}: {apart}");
    }
    Ok(())
}

/// One matrix of a batch.
fn one(w: &QuantizedTensor, i: i32) -> Result<QuantizedTensor> {
    let biases = w.biases.as_ref().map(|biases| index(biases, i)).transpose()?;
    Ok(QuantizedTensor::new(index(&w.packed, i)?, index(&w.scales, i)?, biases, w.how))
}

#[test]
fn gathered_products_are_the_experts_own() -> Result<()> {
    for mode in [QuantMode::Affine, QuantMode::Mxfp4, QuantMode::Mxfp8, QuantMode::Nvfp4] {
        for dtype in REALS {
            let w = quantize(&drawn(&[4, 32, 64], dtype)?, mode)?;
            let compiled = compile(|(x, ids): &(Tensor, Tensor)| -> Result<Tensor> {
                gather_qmm(x, &w, &Gather::new().rhs(ids))
            });
            for chosen in [&[3, 0, 3][..], &[1, 2, 0, 0, 3]] {
                let (x, ids) = (drawn(&[chosen.len() as i32, 1, 64], dtype)?, Tensor::from_slice(chosen)?);
                let rows = (0..)
                    .zip(chosen)
                    .map(|(row, &expert)| quantized_matmul(&index(&x, row)?, &one(&w, expert)?, true));
                let alone = stack(&rows.collect::<Result<Vec<_>, Error>>()?, 0)?;
                same(&gather_qmm(&x, &w, &Gather::new().rhs(&ids))?, &alone, "gathered");
                // Without indices of x a trace for any number of rows has been wrong: each has its own.
                same(&compiled.call(&(x, ids))?, &alone, "compiled");
            }
        }
    }
    Ok(())
}

#[test]
fn modes_have_their_parts_and_constants_come_back() -> Result<()> {
    for (mode, parts) in
        [(QuantMode::Affine, 3), (QuantMode::Mxfp4, 2), (QuantMode::Mxfp8, 2), (QuantMode::Nvfp4, 2)]
    {
        // The greatest 4-bit float, so that its scale is 1.
        let q = quantize(&mlx_ops::full([2, 64], 6.0, Dtype::Float32)?, mode)?;
        assert_eq!(2 + usize::from(q.biases.is_some()), parts, "{mode:?}");
        assert_eq!(self::bits(&dequantize(&q)?), [6.0_f32.to_bits(); 128], "{mode:?}");
    }
    for bits in [2, 3, 4, 5, 6, 8] {
        let how = Quantization::new(QuantMode::Affine).group_size(32).bits(bits);
        let q = quantize(&mlx_ops::full([1, 32], 5.0, Dtype::Float32)?, how)?;
        assert_eq!(self::bits(&dequantize(&q)?), [5.0_f32.to_bits(); 32], "{bits}");
    }
    let mut values = [1.0_f32; 64];
    values[3] = f32::INFINITY;
    let how = Quantization::new(QuantMode::Affine).group_size(32);
    let back = dequantize(&quantize(&Tensor::from_shape_slice([1, 64], &values)?, how)?)?.to_vec::<f32>()?;
    assert!(back[..32].iter().all(|value| value.is_nan()));
    assert_eq!(back[32..].iter().map(|value| value.to_bits()).collect::<Vec<_>>(), [1.0_f32.to_bits(); 32]);
    Ok(())
}
