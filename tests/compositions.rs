//! Compositions of the fast kernels: compact copies, kept ranges, token bit masks, normalized argmax, independent rows.
//!
//! Not here: what they keep in memory (kept_memory).

use mlx::{
    Dtype, Result, Scalar, Tensor, fast, ops, random, tensor,
    transforms::{compile, grad},
};

#[track_caller]
fn check(found: &Tensor, wanted: &Tensor) {
    assert_eq!((found.shape(), found.dtype()), (wanted.shape(), wanted.dtype()));
    assert_eq!(bits(found), bits(wanted));
}

/// Every element's bits.
#[track_caller]
fn bits(x: &Tensor) -> Vec<u32> {
    let unsigned = match x.dtype().size() {
        1 => Dtype::Uint8,
        2 => Dtype::Uint16,
        _ => Dtype::Uint32,
    };
    let flat = ops::flatten(x, ..).expect("a shape");
    let seen = ops::view(&flat, unsigned).and_then(|x| ops::astype(&x, Dtype::Uint32));
    seen.and_then(|x| x.to_vec::<u32>()).expect("values")
}

fn full(shape: &[i32], value: f64, dtype: Dtype) -> Result<Tensor> {
    ops::full(shape, Scalar::Float(value), dtype)
}

#[test]
fn materialized_tensors_have_the_same_bits_and_gradients() -> Result<()> {
    let special = Tensor::from_slice(&[0x7fc0_0123_u32, 0x8000_0000, 0x7f80_0000, 1]);
    let special = ops::view(&special?, Dtype::Float32)?;
    for x in [special, tensor![3.0].sum_0d()?, full(&[0, 3], 1.0, Dtype::Float16)?, tensor![[1, 2], [3, 4]]] {
        check(&fast::materialize(&x)?, &x);
    }
    let x = ops::transpose(&tensor![[1, 2, 3], [4, 5, 6]], ..)?;
    assert_eq!(fast::materialize(&x)?.to_vec::<i32>()?, [1, 4, 2, 5, 3, 6]);
    let slope = grad(
        |x: &Tensor| -> Result<Tensor> { ops::sum(&fast::materialize(x)?, ..) },
        &tensor![[1.0, 2.0], [3.0, 4.0]],
    )?;
    assert_eq!(slope.to_vec::<f32>()?, [1.0; 4]);
    Ok(())
}

/// A 0-d tensor of the sum.
trait Sum0d {
    fn sum_0d(&self) -> Result<Tensor>;
}

impl Sum0d for Tensor {
    fn sum_0d(&self) -> Result<Tensor> {
        ops::sum(self, ..)
    }
}

#[test]
fn ranges_by_the_formula() -> Result<()> {
    let max = i32::MAX;
    for (start, stop, step) in [
        (0, 0, 1),
        (0, 5, 1),
        (5, 0, -2),
        (5, 0, 1),
        (-3, 4, 3),
        (2_147_413_640, max, 1),
        (i32::MIN, max, max),
        (max, i32::MIN, i32::MIN),
        (0, 65_536, 1),
        (0, 65_535, 1),
        (70_000, -70_000, -1),
        (0, 3_000_000, 1),
    ] {
        let (low, high) = (i64::from(start), i64::from(stop));
        let wanted: Vec<i32> = std::iter::successors(Some(low), |at| Some(at + i64::from(step)))
            .take_while(|&at| if step > 0 { at < high } else { at > high })
            .map(|at| at as i32)
            .collect();
        for _ in 0..2 {
            assert_eq!(
                fast::cached_arange(start, stop, step)?.to_vec::<i32>()?,
                wanted,
                "{start} {stop} {step}"
            );
        }
    }
    assert!(fast::cached_arange(0, 5, 0).is_err());
    assert!(fast::cached_arange(i32::MIN, max, 1).is_err());
    // Made on one thread, used on another.
    let sum =
        std::thread::spawn(|| ops::add(&fast::cached_arange(0, 66_000, 1)?, 1)).join().expect("no panic")?;
    let here = fast::cached_arange(0, 66_000, 1)?;
    assert_eq!(ops::subtract(&sum, &here)?.to_vec::<i32>()?, vec![1; 66_000]);
    Ok(())
}

#[test]
fn token_bit_masks_add_what_a_host_would() -> Result<()> {
    for dtype in [Dtype::Float32, Dtype::Float16, Dtype::Bfloat16] {
        for tokens in [1, 31, 32, 33, 129, 32_000, 248_320] {
            let plain = ops::astype(&random::normal([2, tokens])?, dtype)?;
            let odd = full(&[1], f64::NAN, dtype)?;
            let negative_zero = full(&[1], -0.0, dtype)?;
            let long = ops::concatenate(&[odd, negative_zero, ops::flatten(&plain, ..)?], 0)?;
            let special = ops::reshape(&ops::index(&long, ..2 * tokens)?, [tokens, 2])?;
            for logits in [plain, ops::transpose(&special, ..)?] {
                let width = (tokens as usize).div_ceil(32);
                let words: Vec<i32> =
                    (0..2 * width as i32).map(|i| i.wrapping_mul(0x9E37_79B9_u32 as i32)).collect();
                for words in [&words[..width], &words[..]] {
                    let allowed = |row: usize, token: usize| {
                        let first = if words.len() == width { 0 } else { row * width };
                        words[first + token / 32] >> (token % 32) & 1 == 1
                    };
                    let mask: Vec<f32> = (0..2 * tokens as usize)
                        .map(|i| {
                            if allowed(i / tokens as usize, i % tokens as usize) {
                                0.0
                            } else {
                                f32::NEG_INFINITY
                            }
                        })
                        .collect();
                    let mask = ops::astype(&Tensor::from_shape_slice([2, tokens], &mask)?, dtype)?;
                    check(&fast::apply_token_bitmask(&logits, words)?, &ops::add(&logits, &mask)?);
                }
            }
        }
    }
    // A batch of batches.
    let logits = random::normal([2, 3, 40])?;
    let rows: Vec<i32> = (0..12).map(|i| i * 77_777_777).collect();
    let flat = ops::reshape(&logits, [6, 40])?;
    let masked = fast::apply_token_bitmask(&logits, &rows)?;
    check(&ops::reshape(&masked, [6, 40])?, &fast::apply_token_bitmask(&flat, &rows)?);
    // Bits are those of the call.
    let mut words = vec![1];
    let masked = fast::apply_token_bitmask(&tensor![5.0, 6.0], &words)?;
    words[0] = 2;
    assert_eq!(masked.to_vec::<f32>()?, [5.0, f32::NEG_INFINITY]);
    for words in [&[][..], &[1, 1, 1]] {
        assert!(fast::apply_token_bitmask(&tensor![5.0, 6.0], words).is_err());
    }
    assert!(fast::apply_token_bitmask(&tensor![5, 6], &[1]).is_err());
    assert!(fast::apply_token_bitmask(&tensor![5.0].sum_0d()?, &[1]).is_err());
    assert_eq!(fast::apply_token_bitmask(&full(&[0, 40], 0.0, Dtype::Float32)?, &[1, 1])?.shape(), [0, 40]);
    Ok(())
}

#[test]
fn normalized_argmax_takes_the_first_of_the_greatest() -> Result<()> {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let rows = [[1.0, 3.0, 3.0, 2.0], [nan; 4], [-inf; 4], [0.0, inf, 1.0, inf], [-inf, -1.0, -inf, -2.0]];
    let logits = Tensor::from_shape_slice([5, 4], rows.as_flattened())?;
    // Where logsumexp is not finite every difference of a number is NaN or -inf.
    assert_eq!(fast::normalized_argmax(&logits)?.to_vec::<u32>()?, [1, 0, 0, 0, 1]);
    for dtype in [Dtype::Float32, Dtype::Float16, Dtype::Bfloat16] {
        let logits = ops::astype(&random::normal([9, 1000])?, dtype)?;
        let by_hand = ops::subtract(&logits, &ops::logsumexp(&logits, mlx::axes(-1).keep())?)?;
        check(&fast::normalized_argmax(&logits)?, &ops::argmax(&by_hand, -1)?);
    }
    // Traced for each shape.
    let compiled = compile(|x: &Tensor| fast::normalized_argmax(x));
    for rows in [1, 4, 9, 1] {
        let logits = random::normal([rows, 33])?;
        check(&compiled.call(&logits)?, &fast::normalized_argmax(&logits)?);
    }
    assert!(fast::normalized_argmax(&full(&[2, 0], 0.0, Dtype::Float32)?).is_err());
    assert!(fast::normalized_argmax(&tensor![5.0].sum_0d()?).is_err());
    Ok(())
}

#[test]
fn rows_of_quantized_products_are_independent() -> Result<()> {
    for bits in [2, 3, 4, 5, 6, 8] {
        for group_size in [32, 64, 128] {
            for dtype in [Dtype::Float32, Dtype::Float16, Dtype::Bfloat16] {
                let how = fast::Quantization::new(fast::QuantMode::Affine).bits(bits).group_size(group_size);
                let w = fast::quantize(&ops::astype(&random::normal([32, 256])?, dtype)?, how)?;
                // The sizes are exact, five bits too.
                assert_eq!(w.packed.shape(), [32, 256 * bits / 32]);
                assert_eq!(w.scales.shape(), [32, 256 / group_size]);
                for rows in 1..=4 {
                    let x = ops::transpose(&ops::astype(&random::normal([256, rows])?, dtype)?, ..)?;
                    let y = fast::quantized_matmul_rows(&x, &w)?;
                    for row in 0..rows {
                        let alone = ops::index(&x, row..row + 1)?;
                        check(&ops::index(&y, row..row + 1)?, &fast::quantized_matmul(&alone, &w, true)?);
                    }
                }
            }
        }
    }
    let mx = fast::quantize(&full(&[2, 64], 1.0, Dtype::Float32)?, fast::QuantMode::Mxfp4)?;
    assert!(fast::quantized_matmul_rows(&full(&[1, 64], 1.0, Dtype::Float32)?, &mx).is_err());
    Ok(())
}

#[test]
fn patches_of_a_convolution_are_a_product() -> Result<()> {
    let [batch, time, side, channels, outputs] = [2, 2, 3, 4, 5];
    let x = random::normal([batch, 2 * time, 2 * side, 2 * side, channels])?;
    let w = random::normal([outputs, 2, 2, 2, channels])?;
    let y = ops::conv3d(&x, &w, ops::Convolution::new().stride([2; 3]))?;
    let patches = ops::reshape(&x, [batch, time, 2, side, 2, side, 2, channels])?;
    let patches = ops::transpose(&patches, [0, 1, 3, 5, 2, 4, 6, 7])?;
    let patches = ops::reshape(&patches, [-1, 8 * channels])?;
    let w = ops::transpose(&ops::reshape(&w, [outputs, -1])?, ..)?;
    let product = ops::reshape(&ops::matmul(&patches, &w)?, [batch, time, side, side, outputs])?;
    assert!(ops::allclose(&y, &product, ops::Tolerance::new().atol(1e-5))?.item::<bool>()?);
    Ok(())
}

/// Small integers, whose sums have no rounding.
#[test]
fn a_convolution_of_each_channel_is_that_of_the_host() -> Result<()> {
    let (time, channels, taps) = (11, 6, 4);
    let number = |i: usize| ((i * 7 + i / 5) % 13) as f32 - 6.0;
    let (x, w): (Vec<f32>, Vec<f32>) =
        ((0..time * channels).map(number).collect(), (0..channels * taps).map(number).collect());
    let mut wanted = vec![0.0; time * channels];
    for (t, c) in (0..time).flat_map(|t| (0..channels).map(move |c| (t, c))) {
        // A model's short convolution sees the past alone.
        for tap in (0..taps).filter(|tap| t + tap + 1 >= taps) {
            wanted[t * channels + c] += x[(t + tap + 1 - taps) * channels + c] * w[c * taps + tap];
        }
    }
    for dtype in [Dtype::Float32, Dtype::Float16, Dtype::Bfloat16] {
        let x = ops::astype(&Tensor::from_shape_slice([1, time, channels], &x)?, dtype)?;
        let w = ops::astype(&Tensor::from_shape_slice([channels, taps, 1], &w)?, dtype)?;
        let padded = ops::pad(&x, [(0, 0), (taps as i32 - 1, 0), (0, 0)], 0)?;
        let y = ops::conv1d(&padded, &w, ops::Convolution::new().groups(channels as i32))?;
        let wanted = ops::astype(&Tensor::from_shape_slice([1, time, channels], &wanted)?, dtype)?;
        assert!(ops::array_equal(&y, &wanted)?.item::<bool>()?, "{dtype}");
    }
    Ok(())
}

#[test]
fn parts_of_a_split_make_the_whole_again() -> Result<()> {
    for dtype in [Dtype::Float32, Dtype::Float16, Dtype::Bfloat16] {
        let x = ops::astype(&random::normal([4, 6, 5])?, dtype)?;
        let turned = ops::transpose(&x, ..)?;
        for (x, axis, at) in [(&x, 1, &[1, 4][..]), (&x, 0, &[0, 2, 2]), (&turned, -2, &[3]), (&x, 2, &[])] {
            check(&ops::concatenate(&ops::split(x, at, axis)?, axis)?, x);
        }
    }
    assert!(ops::concatenate(&[] as &[Tensor], 0).is_err());
    Ok(())
}
