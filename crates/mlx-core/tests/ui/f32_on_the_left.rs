//! Only `f64` stands on the left among the floats.

use mlx_core::tensor;

fn main() {
    let x = tensor![1.0];
    let _ = 2.0_f32 * &x;
}
