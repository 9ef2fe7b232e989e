//! Input on which MLX's kernels leave their buffers: an error here, or the value.

use mlx_core::{Dtype, ErrorKind, Tensor, memory, tensor};
use mlx_fast::{
    Attention, QuantMode, Quantization, QuantizedTensor, quantized_matmul, rms_norm,
    scaled_dot_product_attention,
};
use mlx_ops::{ones, sum, transpose, zeros};

#[test]
fn a_product_takes_the_modes_own_sizes_alone() {
    for (mode, group_size, bits) in
        [(QuantMode::Mxfp8, 1 << 16, 8), (QuantMode::Mxfp4, 32, 8), (QuantMode::Nvfp4, 32, 4)]
    {
        let how = Quantization::new(mode).group_size(group_size).bits(bits);
        let weight = zeros([64, group_size * bits / 32], Dtype::Uint32).unwrap();
        let w = QuantizedTensor::new(weight, zeros([64, 1], Dtype::Uint8).unwrap(), None, how);
        let x = zeros([2, group_size], Dtype::Float32).unwrap();
        let error = quantized_matmul(&x, &w, true).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Value);
        assert!(error.message().contains("quantization requires group size"), "{error}");
    }
}

#[test]
fn a_norm_of_nothing_out_of_order_ends() {
    let nothing = transpose(&zeros([0, 7], Dtype::Float32).unwrap(), ..).unwrap();
    for _ in 0..20 {
        // What this leaves on the stack is what MLX would read.
        let turned = transpose(&tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], ..).unwrap();
        sum(&turned, 0).unwrap().eval().unwrap();
        let y = rms_norm(&nothing, None, 1e-5).unwrap();
        assert!(y.to_vec::<f32>().unwrap().is_empty());
    }
}

#[test]
fn attention_over_nothing_writes_nowhere() {
    let _limit = memory::set_cache_limit(0).unwrap();
    let [q, none] = [1, 0].map(|features| ones([16, 32, 32, features], Dtype::Float32).unwrap());
    let no_keys = ones([16, 32, 0, 1], Dtype::Float32).unwrap();
    let apart = transpose(&ones([16, 1, 32, 32], Dtype::Float32).unwrap(), [0, 3, 2, 1]).unwrap();
    let how = Attention::new(1.0).sinks(&ones([32], Dtype::Float32).unwrap());
    let attend = |q: &Tensor, k: &Tensor, v: &Tensor| {
        scaled_dot_product_attention(q, k, v, &how).unwrap().to_vec::<f32>().unwrap()
    };
    for _ in 0..100 {
        assert!(attend(&q, &q, &none).is_empty());
        assert_eq!(attend(&apart, &no_keys, &no_keys), vec![0.0; 16 * 32 * 32]);
    }
}
