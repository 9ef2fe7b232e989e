//! Tensors have no `==` of one bool.

use mlx_core::tensor;

fn main() {
    let (x, y) = (tensor![1.0], tensor![1.0]);
    let _ = x == y;
}
