"""Calls that Python refuses under a transform, by the kind of case: no rule, no such dtype, or a rule that fails.

Not here: the cases.
"""

from collections import defaultdict

# Kinds, and the calls that fail in all of these.
TOGETHER = [
    (
        "jvp_of_grad jvp_other jvp vmap_of_jvp",
        "at_apart_maximum_full at_apart_minimum_full at_apart_subtract_full at_empty_minimum at_ints_maximum "
        "at_lazy_add at_newaxis_multiply at_none_and_int_minimum at_reversed_minimum at_reversed_part_multiply "
        "at_slice_and_tensor_add at_slice_divide_full at_slice_maximum_full at_slice_minimum at_slice_multiply "
        "at_tensor_add at_tensor_add_full at_tensor_and_int_add at_tensor_and_int_maximum "
        "at_tensor_and_newaxis_subtract at_tensor_last_subtract at_tensor_maximum at_tensor_minimum_full "
        "at_tensor_subtract at_tensors_maximum conv_transpose1d_plain set_index_apart set_index_apart_full "
        "set_index_lazy set_index_slice_and_tensor set_index_tensor_and_int_scalar set_index_tensor_and_newaxis_scalar "
        "set_index_tensor_and_slice_scalar set_index_tensor_full set_index_tensor_last_scalar set_index_tensor_scalar "
        "set_index_tensors set_index_tensors_scalar",
    ),
    (
        "jvp_other jvp",
        "at_apart_add_full at_apart_minimum at_minus_divide at_newaxis_maximum at_slice_divide at_slice_minimum_full "
        "at_slice_multiply_full at_steps_maximum at_tensor_and_slice_minimum at_tensor_maximum_full at_tensor_minimum "
        "at_tensor_subtract_full conv_general_flipped conv_transpose1d_padding conv_transpose2d_plain cummax_0 "
        "cummax_exclusive cummin_flat cummin_reverse cumprod_both cumprod_last logcumsumexp_both logcumsumexp_last "
        "method_cummax set_index_apart_scalar set_index_slice_and_tensor_scalar set_index_tensor "
        "set_index_tensor_and_int set_index_tensor_and_newaxis set_index_tensor_last",
    ),
    (
        "jvp_of_grad jvp_other jvp",
        "at_ellipsis_divide at_int_multiply at_ints_multiply at_none_and_int_divide at_slice_maximum cummax_both "
        "cummax_last cummin_0 cummin_exclusive cumprod_flat cumprod_reverse cumulative_prod logcumsumexp_flat "
        "logcumsumexp_reverse method_cummin method_diag",
    ),
    (
        "jvp_of_grad",
        "einsum_trace index_apart index_slice_and_tensor index_tensor index_tensor_and_int index_tensor_and_newaxis "
        "index_tensor_last method_diagonal prod_none prod_pair random_permutation take_1 take_last take_unsigned",
    ),
    (
        "jvp_other jvp vmap_of_jvp",
        "cummax_flat cummax_of_ties cummax_reverse cummin_both cummin_last cumprod_0 cumprod_exclusive diag_of_vector "
        "logcumsumexp_0 logcumsumexp_exclusive method_cumprod method_logcumsumexp",
    ),
    (
        "grad_half grad_guarded grad_of_vmap_guarded grad_of_vmap grad vjp second_guarded second jvp_of_grad jvp_other "
        "jvp vmap_of_grad_guarded vmap_of_grad vmap_of_jvp",
        "at_apart_divide at_apart_multiply_full at_tensor_and_newaxis_divide at_tensor_and_slice_subtract "
        "at_tensor_divide at_tensor_divide_full at_tensor_last_divide at_tensor_multiply_full "
        "set_index_tensor_and_slice",
    ),
    (
        "grad_half grad_of_vmap grad vjp second jvp_of_grad jvp_other jvp vmap_of_grad vmap_of_jvp",
        "linalg_cholesky linalg_eig linalg_eigh linalg_eigvals linalg_inv linalg_pinv linalg_solve_triangular "
        "linalg_svd linalg_tri_inv",
    ),
    (
        "grad_half grad_guarded grad_of_vmap_guarded grad_of_vmap grad vjp second_guarded second jvp_other jvp "
        "vmap_of_grad_guarded vmap_of_grad",
        "at_apart_divide_full at_slice_and_tensor_multiply at_tensor_multiply at_tensors_multiply index_by_argmax "
        "take_along_argsort",
    ),
    (
        "vjp jvp_other jvp",
        "conv1d_dilation conv1d_groups conv_general_dilated_input conv_transpose2d_output",
    ),
    (
        "vjp jvp_of_grad jvp_other jvp vmap_guarded vmap_rest vmap_of_jvp",
        "conv2d_dilation conv2d_groups conv_transpose1d_stride",
    ),
    (
        "vmap_first vmap_guarded vmap_last vmap_second vmap_one vmap_rest vmap_nested",
        "block_masked_mm divmod_int gather_mm",
    ),
    (
        "grad_half grad_guarded grad_of_vmap_guarded grad_of_vmap grad vjp second_guarded second jvp_other jvp "
        "vmap_first vmap_guarded vmap_last vmap_second vmap_one vmap_rest vmap_nested vmap_of_grad_guarded "
        "vmap_of_grad",
        "gather_qqmm segmented_mm",
    ),
    (
        "grad_half grad_guarded grad_of_vmap_guarded grad_of_vmap vjp second_guarded jvp_of_grad jvp_other jvp "
        "vmap_first vmap_guarded vmap_last vmap_second vmap_one vmap_rest vmap_nested vmap_of_grad_guarded "
        "vmap_of_grad vmap_of_jvp",
        "gather_mm_free gather_mm_lazy",
    ),
    (
        "grad_half grad_of_vmap grad vjp second jvp_of_grad jvp_other jvp vmap_first vmap_guarded vmap_last "
        "vmap_nested vmap_of_grad vmap_of_jvp",
        "linalg_inv_batch linalg_lu",
    ),
    (
        "grad_half grad_of_vmap grad vjp second jvp_of_grad vmap_of_grad",
        "logical_and_4_0d logical_or_2x3_3",
    ),
    (
        "grad_half grad_of_vmap grad vjp second jvp_other jvp vmap_of_grad",
        "linalg_cholesky_inv linalg_eigvalsh",
    ),
    (
        "grad_half grad_of_vmap grad vjp second jvp_other jvp vmap_of_grad vmap_of_jvp",
        "random_multivariate_normal_covariance view_method",
    ),
    (
        "grad_half grad_of_vmap grad vjp second vmap_of_grad",
        "logical_and_2x3_3 logical_xor_2x3_3",
    ),
    (
        "grad_of_vmap second jvp_of_grad jvp_other jvp vmap_first vmap_guarded vmap_last vmap_second vmap_nested "
        "vmap_of_grad vmap_of_jvp",
        "conv3d_padding conv3d_plain",
    ),
    (
        "grad_of_vmap vjp vmap_first vmap_guarded vmap_last vmap_second vmap_one vmap_rest vmap_nested vmap_of_grad",
        "quantized_matmul quantized_matmul_mxfp4",
    ),
    (
        "grad_of_vmap_guarded grad_of_vmap vmap_first vmap_guarded vmap_last vmap_second vmap_rest vmap_nested "
        "vmap_of_grad_guarded vmap_of_grad",
        "slice slice_update_lazy",
    ),
    (
        "grad_of_vmap_guarded grad_of_vmap vmap_first vmap_guarded vmap_last vmap_second vmap_rest vmap_nested "
        "vmap_of_grad_guarded vmap_of_grad vmap_of_jvp",
        "slice_lazy slice_update",
    ),
    (
        "second jvp_of_grad jvp_other jvp vmap_guarded vmap_of_grad vmap_of_jvp",
        "conv2d_padding conv2d_plain",
    ),
    (
        "second jvp_other jvp vmap_of_grad",
        "conv1d_padding conv1d_plain",
    ),
    (
        "vjp",
        "hadamard_transform hadamard_transform_12",
    ),
    (
        "vjp jvp_of_grad jvp_other jvp vmap_of_jvp",
        "conv_transpose1d_output conv_transpose2d_stride",
    ),
    (
        "vjp jvp_other",
        "nan_to_num quantize",
    ),
    (
        "vjp jvp_other jvp vmap_of_grad",
        "conv1d_stride layer_Conv1d",
    ),
    (
        "vmap_one",
        "addmm addmm_weighted",
    ),
    (
        "grad_guarded grad_of_vmap_guarded grad_of_vmap vjp second_guarded jvp_other jvp vmap_first vmap_guarded "
        "vmap_last vmap_second vmap_one vmap_rest vmap_nested vmap_of_grad_guarded vmap_of_grad vmap_of_jvp",
        "gather_qmm",
    ),
    (
        "grad_half grad_of_vmap grad vjp second jvp_of_grad jvp_other jvp vmap_first vmap_guarded vmap_last "
        "vmap_nested vmap_of_grad",
        "to_fp8",
    ),
    (
        "grad_half grad_of_vmap grad vjp second jvp_of_grad jvp_other jvp vmap_first vmap_guarded vmap_last vmap_one "
        "vmap_rest vmap_nested vmap_of_grad",
        "qqmm",
    ),
    (
        "grad_half grad_of_vmap grad vjp second jvp_of_grad jvp_other jvp vmap_of_grad",
        "view_int32",
    ),
    (
        "grad_half grad_of_vmap grad vjp second jvp_other jvp vmap_first vmap_guarded vmap_last vmap_nested "
        "vmap_of_grad",
        "linalg_qr",
    ),
    (
        "grad_half grad_of_vmap grad vjp second jvp_other jvp vmap_first vmap_guarded vmap_last vmap_second "
        "vmap_nested vmap_of_grad",
        "linalg_lu_factor",
    ),
    (
        "grad_half grad_of_vmap grad vjp second jvp_other jvp vmap_first vmap_guarded vmap_last vmap_second vmap_one "
        "vmap_nested vmap_of_grad",
        "linalg_solve",
    ),
    (
        "grad_half grad_of_vmap grad vjp second jvp_other jvp vmap_guarded vmap_of_grad",
        "linalg_norm_nuc",
    ),
    (
        "grad_half grad_of_vmap vjp jvp_of_grad jvp_other jvp vmap_first vmap_guarded vmap_last vmap_one vmap_rest "
        "vmap_nested vmap_of_grad vmap_of_jvp",
        "block_masked_mm_weights",
    ),
    (
        "grad_of_vmap jvp_of_grad jvp_other jvp vmap_first vmap_guarded vmap_last vmap_second vmap_nested vmap_of_grad "
        "vmap_of_jvp",
        "conv_transpose3d",
    ),
    (
        "grad_of_vmap jvp_other jvp vmap_first vmap_guarded vmap_last vmap_second vmap_one vmap_rest vmap_nested "
        "vmap_of_grad",
        "depends",
    ),
    (
        "grad_of_vmap vjp jvp_of_grad jvp_other jvp vmap_first vmap_guarded vmap_last vmap_second vmap_nested "
        "vmap_of_grad vmap_of_jvp",
        "conv3d_dilation",
    ),
    (
        "grad_of_vmap vjp jvp_of_grad jvp_other jvp vmap_first vmap_guarded vmap_last vmap_second vmap_one vmap_rest "
        "vmap_nested vmap_of_grad vmap_of_jvp",
        "quantized_matmul_scales",
    ),
    (
        "grad_of_vmap vjp jvp_other vmap_first vmap_guarded vmap_last vmap_second vmap_one vmap_rest vmap_nested "
        "vmap_of_grad vmap_of_jvp",
        "quantized_matmul_plain",
    ),
    (
        "grad_of_vmap vjp second jvp_of_grad jvp_other jvp vmap_first vmap_guarded vmap_last vmap_second vmap_nested "
        "vmap_of_grad vmap_of_jvp",
        "conv3d_stride",
    ),
    (
        "grad_of_vmap vmap_first vmap_guarded vmap_last vmap_nested vmap_of_grad",
        "as_strided_overlapping",
    ),
    (
        "grad_of_vmap vmap_first vmap_guarded vmap_last vmap_rest vmap_nested vmap_of_jvp",
        "pad_value",
    ),
    (
        "grad_of_vmap vmap_first vmap_guarded vmap_last vmap_second vmap_nested vmap_of_grad vmap_of_jvp",
        "as_strided",
    ),
    (
        "grad_of_vmap vmap_first vmap_guarded vmap_last vmap_second vmap_rest vmap_nested",
        "searchsorted",
    ),
    (
        "grad_of_vmap_guarded grad_of_vmap vmap_first vmap_guarded vmap_last vmap_one vmap_rest vmap_nested",
        "divmod",
    ),
    (
        "jvp_of_grad jvp_other jvp vmap_guarded vmap_of_jvp",
        "conv_transpose2d_padding",
    ),
    (
        "jvp_of_grad jvp_other jvp vmap_of_grad",
        "conv_general_one_sided",
    ),
    (
        "jvp_of_grad jvp_other jvp vmap_of_grad vmap_of_jvp",
        "convolve_same",
    ),
    (
        "jvp_of_grad vmap_of_grad",
        "fft_irfft_n",
    ),
    (
        "jvp_other jvp vmap_guarded vmap_of_grad vmap_of_jvp",
        "conv_general_padded_beyond",
    ),
    (
        "jvp_other jvp vmap_of_grad",
        "convolve_valid",
    ),
    (
        "second jvp_of_grad jvp_other jvp vmap_of_grad vmap_of_jvp",
        "convolve_full",
    ),
    (
        "vjp jvp_of_grad jvp_other jvp vmap_guarded vmap_of_grad vmap_of_jvp",
        "conv2d_stride",
    ),
    (
        "vjp jvp_other jvp vmap_guarded vmap_of_grad vmap_of_jvp",
        "layer_Conv2d",
    ),
    (
        "vjp second jvp_of_grad jvp_other jvp vmap_of_jvp",
        "conv_general",
    ),
    (
        "vmap_first vmap_guarded vmap_last vmap_second vmap_nested",
        "from_fp8",
    ),
]

WITHOUT = defaultdict(set)
for kinds, tags in TOGETHER:
    for kind in kinds.split():
        WITHOUT[kind].update(tags.split())
