//! Rows of a literal have one length and one depth.

use mlx_core::tensor;

fn main() {
    let _ = tensor![[1, 2], [3]];
    let _ = tensor![[1], 2];
    let _ = tensor![[[1, 2], [3, 4]], [[5, 6]]];
}
