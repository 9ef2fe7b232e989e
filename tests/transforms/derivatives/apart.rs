//! The ops without a row, and why: a closed list.

/// Why an op has no row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Why {
    /// It takes numbers and no tensor: nothing to differentiate by.
    TakesNoTensor,
    /// It gives no tensor.
    GivesNoTensor,
}

use Why::{GivesNoTensor, TakesNoTensor};

pub(crate) const APART: &[(&str, Why)] = &[
    ("mx.arange", TakesNoTensor),
    ("mx.bartlett", TakesNoTensor),
    ("mx.blackman", TakesNoTensor),
    ("mx.hamming", TakesNoTensor),
    ("mx.hanning", TakesNoTensor),
    ("mx.linspace", TakesNoTensor),
    ("mx.eye", TakesNoTensor),
    ("mx.identity", TakesNoTensor),
    ("mx.tri", TakesNoTensor),
    ("mx.zeros", TakesNoTensor),
    ("mx.empty", TakesNoTensor),
    ("mx.ones", TakesNoTensor),
    ("fft.fftfreq", TakesNoTensor),
    ("fft.rfftfreq", TakesNoTensor),
    ("random.key", TakesNoTensor),
    ("random.seed", TakesNoTensor),
    ("init.constant", TakesNoTensor),
    ("init.glorot_normal", TakesNoTensor),
    ("init.glorot_uniform", TakesNoTensor),
    ("init.he_normal", TakesNoTensor),
    ("init.he_uniform", TakesNoTensor),
    ("init.identity", TakesNoTensor),
    ("init.normal", TakesNoTensor),
    ("init.orthogonal", TakesNoTensor),
    ("init.sparse", TakesNoTensor),
    ("init.uniform", TakesNoTensor),
    ("ops::arange_dtype", TakesNoTensor),
    ("ops::linspace_with", TakesNoTensor),
    ("fast::cached_arange", TakesNoTensor),
    ("random::state", TakesNoTensor),
    ("random::set_state", GivesNoTensor),
    ("ops::scan", GivesNoTensor),
    ("mx.broadcast_shapes", GivesNoTensor),
    ("mx.can_cast", GivesNoTensor),
    ("mx.einsum_path", GivesNoTensor),
    ("mx.finfo", GivesNoTensor),
    ("mx.iinfo", GivesNoTensor),
    ("mx.isdtype", GivesNoTensor),
    ("mx.issubdtype", GivesNoTensor),
    ("mx.result_type", GivesNoTensor),
];
