//! Fused kernels, quantized products, Hadamard transforms and convolutions of nothing, and by sizes they do not have.

use super::{ones, programs, refused, survives};
use crate::programs::Program;
use mlx::{Dtype, ErrorKind, Result, Tensor, fast, ops};

pub(crate) const PROGRAMS: &[Program] = &[
    ("attention_without_heads", attention_without_heads),
    ("attention_of_nothing", attention_of_nothing),
    ("quantized_product_of_nothing", quantized_product_of_nothing),
    ("quantization_by_any_sizes", quantization_by_any_sizes),
    ("quantized_product_with_few_scales", quantized_product_with_few_scales),
    ("hadamard_of_any_size", hadamard_of_any_size),
    ("convolution_of_nothing", convolution_of_nothing),
    ("convolution_by_any_sizes", convolution_by_any_sizes),
    ("convolution_beyond_i32", convolution_beyond_i32),
    ("rope_by_any_sizes", rope_by_any_sizes),
    ("norms_of_nothing", norms_of_nothing),
    ("losses_by_any_target", losses_by_any_target),
    ("gathered_products_by_any_index", gathered_products_by_any_index),
    ("products_of_both_quantized", products_of_both_quantized),
];

const EXTREMES: [i32; 13] = [0, -1, -2, -64, 1, 7, 9, 31, 33, 64, 1 << 30, i32::MAX, i32::MIN];

fn attention(q: &[i32], k: &[i32]) -> Result<Tensor> {
    fast::scaled_dot_product_attention(&ones(q), &ones(k), &ones(k), &fast::Attention::new(1.0))
}

fn attention_without_heads() {
    for (q, k) in [([1, 0, 3, 4], [1, 0, 3, 4]), ([1, 2, 3, 4], [1, 0, 3, 4]), ([0; 4], [0; 4])] {
        refused(attention(&q, &k), ErrorKind::Shape);
    }
    assert!(attention(&[1, 0, 3, 4], &[1, 2, 3, 4]).is_err());
    programs::end();
}

fn attention_of_nothing() {
    let shapes = [[0, 2, 3, 4], [1, 2, 0, 4], [1, 2, 3, 0], [0, 2, 0, 0]];
    for shape in shapes {
        for masked in [fast::Mask::None, fast::Mask::Causal, (&ones(&[])).into()] {
            let how = fast::Attention::new(1.0).mask(masked).sinks(&ones(&[2]));
            let (x, whole) = (ones(&shape), ones(&[1, 2, 3, 4]));
            survives(fast::scaled_dot_product_attention(&x, &x, &x, &how));
            survives(fast::scaled_dot_product_attention(&whole, &x, &x, &how));
            survives(fast::scaled_dot_product_attention(&x, &whole, &whole, &how));
        }
    }
    programs::end();
}

fn modes() -> impl Iterator<Item = fast::Quantization> {
    ["affine", "mxfp4", "mxfp8", "nvfp4"]
        .into_iter()
        .map(|name| fast::Quantization::new(fast::QuantMode::by_name(name).expect("a mode")))
}

/// A matrix of that shape as if it were quantized.
fn quantized(rows: i32, columns: i32, how: fast::Quantization) -> fast::QuantizedTensor {
    let is_affine = how.mode == fast::QuantMode::Affine;
    let scales = [rows, columns / how.group_size.max(1)];
    let scale_dtype = if is_affine { Dtype::Float32 } else { Dtype::Uint8 };
    let weight = ops::ones([rows, columns * 4 / 32], Dtype::Uint32).expect("a shape");
    let scales = ops::ones(scales, scale_dtype).expect("a shape");
    let biases = is_affine.then(|| scales.clone());
    fast::QuantizedTensor::new(weight, scales, biases, how)
}

fn quantized_product_of_nothing() {
    for how in modes() {
        let how = how.bits(if how.bits == 8 { 8 } else { 4 });
        for x in [&[0, 64][..], &[2, 0, 64], &[0, 3, 64], &[0]] {
            refused(fast::quantized_matmul(&ones(x), &quantized(2, 64, how), true), ErrorKind::Shape);
        }
        refused(fast::quantized_matmul(&ones(&[3, 64]), &quantized(0, 64, how), true), ErrorKind::Shape);
        refused(fast::quantized_matmul(&ones(&[3, 0]), &quantized(2, 0, how), true), ErrorKind::Shape);
        refused(fast::quantized_matmul(&ones(&[0, 2]), &quantized(2, 64, how), false), ErrorKind::Shape);
        refused(fast::quantized_matmul(&ones(&[3, 0]), &quantized(0, 64, how), false), ErrorKind::Shape);
        refused(fast::quantized_matmul(&ones(&[]), &quantized(2, 64, how), true), ErrorKind::Shape);
        survives(fast::quantize(&ones(&[0, 64]), how).map(|q| q.packed));
        survives(fast::quantize(&ones(&[2, 0]), how).map(|q| q.packed));
        survives(fast::dequantize(&quantized(0, 64, how)));
        survives(fast::dequantize(&quantized(2, 0, how)));
    }
    programs::end();
}

fn quantization_by_any_sizes() {
    let (w, x) = (ones(&[2, 128]), ones(&[3, 128]));
    for how in modes() {
        let whole = fast::quantize(&w, how).expect("128 elements a row");
        for size in EXTREMES.into_iter().chain([2, 3, 4, 5, 6, 8, 16, 32, 128, 1 << 16, 1 << 17]) {
            for how in [how.group_size(size), how.bits(size), how.group_size(size).bits(size)] {
                survives(fast::quantize(&w, how).map(|q| q.packed));
                let mut other = whole.clone();
                other.how = how;
                survives(fast::dequantize(&other));
                survives(fast::quantized_matmul(&x, &other, true));
                survives(fast::quantized_matmul(&x, &other, false));
            }
        }
        refused(fast::quantize(&w, how.group_size(0)).map(|q| q.packed), ErrorKind::Value);
        refused(fast::quantize(&w, how.bits(0)).map(|q| q.packed), ErrorKind::Value);
    }
    programs::end();
}

fn quantized_product_with_few_scales() {
    let how = fast::Quantization::new(fast::QuantMode::Affine);
    let (whole, row) = (quantized(4, 64, how), quantized(1, 64, how));
    let mut mixed = whole.clone();
    (mixed.scales, mixed.biases) = (row.scales.clone(), row.biases.clone());
    refused(fast::quantized_matmul(&ones(&[3, 64]), &mixed, true), ErrorKind::Shape);
    refused(fast::dequantize(&mixed), ErrorKind::Mlx);
    programs::end();
}

fn hadamard_of_any_size() {
    let mut taken = 0;
    for size in 1..=600 {
        match fast::hadamard_transform(&ones(&[2, size]), None).and_then(|y| y.to_vec::<f32>()) {
            // A row of ones has all its length in the first coefficient.
            Ok(y) => {
                taken += 1;
                let length: f32 = y[..size as usize].iter().map(|v| v * v).sum();
                assert!((length - size as f32).abs() < 1e-2 * size as f32, "{size}: {length}");
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::Shape, "{size}: {error}"),
        }
    }
    // 1 to 512, and 12, 20 and 28 by powers of two.
    assert_eq!(taken, 10 + 6 + 5 + 5);
    for shape in [&[0][..], &[2, 0], &[0, 36], &[0, 4]] {
        assert!(fast::hadamard_transform(&ones(shape), None).is_err());
    }
    programs::end();
}

fn convolution_of_nothing() {
    for (x, w) in [([1, 5, 4], [4, 0, 4]), ([1, 5, 0], [4, 2, 0]), ([1, 5, 4], [0, 2, 4])] {
        for how in [ops::Convolution::new(), ops::Convolution::new().padding(1).groups(2)] {
            refused(ops::conv1d(&ones(&x), &ones(&w), how), ErrorKind::Shape);
        }
        let ([batch, length, channels], [out, kernel, _]) = (x, w);
        let (x, w) = (ones(&[batch, length, length, channels]), ones(&[out, kernel, 2, channels]));
        refused(ops::conv2d(&x, &w, ops::Convolution::new()), ErrorKind::Shape);
        // One axis short: MLX takes the settings of one axis for both.
        refused(ops::conv1d(&x, &w, ops::Convolution::new()), ErrorKind::Shape);
    }
    survives(ops::conv1d(&ones(&[0, 5, 4]), &ones(&[4, 2, 4]), ops::Convolution::new()));
    survives(ops::conv1d(&ones(&[1, 0, 4]), &ones(&[4, 2, 4]), ops::Convolution::new().padding(2)));
    survives(ops::conv1d(&ones(&[1, 0, 0]), &ones(&[4, 2, 4]), ops::Convolution::new()));
    programs::end();
}

fn convolution_by_any_sizes() {
    let (x, w) = (ones(&[1, 5, 4]), ones(&[4, 2, 4]));
    let (image, kernel) = (ones(&[1, 5, 5, 4]), ones(&[4, 2, 2, 4]));
    for size in EXTREMES {
        let one = ops::Convolution::<1>::new();
        let two = ops::Convolution::<2>::new();
        survives(ops::conv1d(&x, &w, one.stride(size)));
        survives(ops::conv1d(&x, &w, one.dilation(size)));
        survives(ops::conv1d(&x, &w, one.padding(if size < 1 << 20 { size } else { i32::MAX })));
        survives(ops::conv1d(&x, &w, one.groups(size)));
        survives(ops::conv2d(&image, &kernel, two.stride([size, 1])));
        survives(ops::conv2d(&image, &kernel, two.dilation([1, size])));
        survives(ops::conv2d(
            &image,
            &kernel,
            two.padding([if size < 1 << 20 { size } else { i32::MAX }, 0]),
        ));
        survives(ops::conv2d(&image, &kernel, two.groups(size)));
        survives(ops::conv1d(&image, &kernel, one.stride(size)));
        survives(ops::conv1d(&image, &kernel, one.groups(size)));
    }
    for groups in [0, -1, -4, i32::MIN] {
        refused(ops::conv1d(&x, &w, ops::Convolution::new().groups(groups)), ErrorKind::Value);
        refused(ops::conv2d(&image, &kernel, ops::Convolution::new().groups(groups)), ErrorKind::Value);
    }
    programs::end();
}

fn convolution_beyond_i32() {
    let (image, kernel) = (ones(&[1, 5, 5, 4]), ones(&[4, 2, 2, 4]));
    // Positions of the kernel that are more than 2^32, and by that seem few.
    for padding in [1 << 15, 1 << 17, 1 << 20] {
        let how = ops::Convolution::new().padding(padding);
        refused(ops::conv2d(&image, &kernel, how), ErrorKind::Shape);
        refused(ops::conv1d(&image, &kernel, ops::Convolution::new().padding(padding)), ErrorKind::Shape);
    }
    // A row of 2^32 elements, which take no memory.
    let wide = ops::broadcast_to(&ones(&[1, 1, 1, 1]), [1, 1 << 16, 1 << 16, 1]).expect("a shape");
    refused(ops::conv2d(&wide, &wide, ops::Convolution::new()), ErrorKind::Shape);
    programs::end();
}

fn rope_by_any_sizes() {
    let x = ones(&[1, 3, 4]);
    for size in EXTREMES {
        survives(fast::rope(&x, &fast::Rope::new(size)));
        survives(fast::rope(&x, &fast::Rope::new(4).offset(size)));
        survives(fast::rope(&x, &fast::Rope::new(4).base(size as f32).scale(f32::NAN)));
    }
    for shape in [&[1, 0, 4][..], &[0, 3, 4], &[1, 3, 0], &[0, 0, 0, 0]] {
        let offsets = ops::ones([0], Dtype::Int32).expect("a shape");
        survives(fast::rope(&ones(shape), &fast::Rope::new(4)));
        survives(fast::rope(&ones(shape), &fast::Rope::new(4).offset(&offsets)));
        survives(fast::rope(&ones(shape), &fast::Rope::new(4).freqs(&ones(&[0]))));
    }
    programs::end();
}

fn norms_of_nothing() {
    for shape in [&[0][..], &[2, 0], &[0, 4], &[0, 0]] {
        let last = shape[shape.len() - 1];
        for weight in [None, Some(ones(&[last])), Some(ones(&[3]))] {
            survives(fast::rms_norm(&ones(shape), weight.as_ref(), 0.0));
            let mut how = fast::LayerNorm::new(0.0);
            how.bias = weight.as_ref();
            survives(fast::layer_norm(&ones(shape), how));
            how.weight = weight.as_ref();
            survives(fast::layer_norm(&ones(shape), how));
        }
    }
    assert!(fast::rms_norm(&ones(&[]), None, 0.0).is_err());
    assert!(fast::layer_norm(&ones(&[]), fast::LayerNorm::new(0.0)).is_err());
    programs::end();
}

fn index(value: i32) -> Tensor {
    Tensor::from_slice(&[value]).expect("a value")
}

/// The same, not computed yet.
fn later(value: i32) -> Tensor {
    ops::add(index(value), 0).expect("a sum")
}

fn losses_by_any_target() {
    let logits = ones(&[1, 5]);
    for target in [5, -6, 1 << 30, i32::MAX, i32::MIN] {
        refused(fast::cross_entropy(&logits, &index(target)), ErrorKind::Index);
        let loss = fast::cross_entropy(&logits, &later(target)).and_then(|loss| loss.to_vec::<f32>());
        assert!((loss.expect("a limited target")[0] - 5_f32.ln()).abs() < 1e-6);
    }
    for shape in [&[0, 5][..], &[1, 0], &[0, 0], &[]] {
        survives(fast::cross_entropy(&ones(shape), &index(0)));
        survives(fast::cross_entropy(&ones(shape), &ops::zeros([0], Dtype::Int32).expect("a shape")));
    }
    programs::end();
}

fn gathered_products_by_any_index() {
    for how in modes() {
        let w = fast::quantize(&ones(&[3, 4, 128]), how).expect("a matrix");
        let x = ones(&[2, 1, 128]);
        for value in [3, -1, 1 << 30, i32::MAX, i32::MIN] {
            let (bad, lazy) = (index(value), later(value));
            refused(fast::gather_qmm(&x, &w, &fast::Gather::new().rhs(&bad)), ErrorKind::Index);
            refused(fast::gather_qmm(&x, &w, &fast::Gather::new().lhs(&bad)), ErrorKind::Index);
            let gather = fast::Gather::new().lhs(&lazy).rhs(&lazy);
            let limited = fast::gather_qmm(&x, &w, &gather).and_then(|y| y.to_vec::<f32>());
            // The matrices are alike, so any will do.
            let gather = fast::Gather::new().lhs(&index(0)).rhs(&index(0));
            let first = fast::gather_qmm(&x, &w, &gather).and_then(|y| y.to_vec::<f32>());
            assert_eq!(limited.expect("limited indices"), first.expect("good indices"));
            if how.mode != fast::QuantMode::Affine {
                let gather = fast::Gather::new().rhs(&bad);
                refused(fast::gather_qqmm(&x, &w, None, &gather), ErrorKind::Index);
                survives(fast::gather_qqmm(&x, &w, None, &fast::Gather::new().rhs(&lazy)));
            }
        }
        let gather = fast::Gather::new().rhs(&index(0));
        refused(fast::gather_qmm(&ones(&[2, 0, 128]), &w, &gather), ErrorKind::Shape);
        refused(fast::gather_qmm(&ones(&[0, 1, 128]), &w, &gather), ErrorKind::Shape);
        refused(fast::gather_qmm(&ones(&[]), &w, &gather), ErrorKind::Shape);
        for size in EXTREMES {
            let mut other = w.clone();
            other.how = how.bits(size);
            survives(fast::gather_qmm(&x, &other, &gather));
            other.how = how.group_size(size);
            survives(fast::gather_qmm(&x, &other, &gather));
            survives(fast::gather_qqmm(&x, &other, None, &gather));
        }
        let mut few = w.clone();
        let part = fast::quantize(&ones(&[3, 1, 128]), how).expect("a matrix");
        (few.scales, few.biases) = (part.scales, part.biases);
        refused(fast::gather_qmm(&x, &few, &gather), ErrorKind::Shape);
    }
    programs::end();
}

fn products_of_both_quantized() {
    for how in modes() {
        let w = fast::quantize(&ones(&[4, 128]), how).expect("a matrix");
        let x = ones(&[1, 128]);
        if how.mode == fast::QuantMode::Affine {
            refused(fast::qqmm(&x, &w, None), ErrorKind::Value);
            continue;
        }
        for shape in [&[0, 128][..], &[1, 0], &[0], &[]] {
            refused(fast::qqmm(&ones(shape), &w, None), ErrorKind::Shape);
        }
        refused(fast::qqmm(&x, &quantized(0, 128, how), None), ErrorKind::Shape);
        for size in EXTREMES {
            let mut other = w.clone();
            other.how = how.bits(size);
            survives(fast::qqmm(&x, &other, None));
            other.how = how.group_size(size);
            survives(fast::qqmm(&x, &other, None));
            survives(fast::qqmm(&x, fast::QqmmWeight::Dense(&ones(&[4, 128]), other.how, None), None));
        }
        let mut few = w.clone();
        few.scales = fast::quantize(&ones(&[1, 128]), how).expect("a matrix").scales;
        refused(fast::qqmm(&x, &few, None), ErrorKind::Shape);
        survives(fast::qqmm(&x, fast::QqmmWeight::Dense(&ones(&[4]), how, None), None));
        let bits = ops::ones([1, 4, 32], Dtype::Uint32).expect("a matrix");
        let bits = fast::QqmmWeight::Dense(&bits, how, None);
        refused(fast::qqmm(&x, bits, None), ErrorKind::Value);
        refused(fast::gather_qqmm(&x, bits, None, &fast::Gather::new()), ErrorKind::Value);
    }
    programs::end();
}
