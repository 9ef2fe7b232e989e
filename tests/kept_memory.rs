//! What compact copies, kept ranges and token bit masks keep in memory.
//!
//! One test function, since others' memory would hide what is kept. Not here: their values (compositions).

use mlx::{Dtype, Result, Scalar, Tensor, fast, memory, ops, random};

fn full(shape: &[i32], value: f64, dtype: Dtype) -> Result<Tensor> {
    ops::full(shape, Scalar::Float(value), dtype)
}

const MIB: usize = 1 << 20;

#[test]
fn memory_that_is_kept() -> Result<()> {
    let before = memory::active()?;
    let whole = full(&[64 * MIB as i32 / 4], 1.5, Dtype::Float32)?;
    let view = ops::index(&whole, 63 * MIB as i32 / 4..)?;
    let copy = ops::copy(&view)?;
    let compact = fast::materialize(&view)?;
    mlx::eval([&copy, &compact])?;
    drop((whole, view));
    assert!(memory::active()? >= before + 64 * MIB, "a copy keeps what it is a copy of");
    drop(copy);
    assert!(memory::active()? <= before + 2 * MIB);
    assert_eq!(compact.to_vec::<f32>()?, vec![1.5; MIB / 4]);
    drop(compact);

    let mut first = None;
    for i in 0..256 {
        let range = fast::cached_arange(0, 77_000 + i, 1)?;
        let sum = ops::add(&range, 1)?;
        if i == 0 {
            first = Some(sum);
        } else {
            sum.eval()?;
        }
        assert!(memory::active()? < before + 16 * MIB, "{i}");
    }
    // A lazy tensor over a range that is long gone.
    let wanted: Vec<i32> = (1..=77_000).collect();
    assert_eq!(first.expect("the first one").to_vec::<i32>()?, wanted);

    let logits = random::normal([8, 4096])?;
    let words = vec![0x5555_5555; 128];
    fast::apply_token_bitmask(&logits, &words)?.eval()?;
    let held = memory::active()?;
    for _ in 0..100 {
        fast::apply_token_bitmask(&logits, &words)?.eval()?;
    }
    assert!(memory::active()? <= held);

    // Rows that are independent do not each copy the weight: a CPU's, on a GPU they are a batch of one weight.
    let how = fast::Quantization::new(fast::QuantMode::Affine);
    let w = fast::quantize(&random::normal([4096, 2048])?, how)?;
    let x = random::normal([8, 2048])?;
    mlx::eval([&w.packed, &w.scales, &x].into_iter().chain(&w.biases))?;
    let (held, scope) = (memory::active()?, memory::measure_peak()?);
    let y = fast::quantized_matmul_rows(&x, &w)?;
    y.eval()?;
    assert!(scope.bytes()? < held + 2 * y.nbytes() + MIB / 4, "{} over {held}", scope.bytes()?);
    Ok(())
}
