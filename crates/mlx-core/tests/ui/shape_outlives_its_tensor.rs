//! A shape is borrowed from its tensor.

use mlx_core::tensor;

fn main() {
    let x = tensor![1.0];
    let shape = x.shape();
    drop(x);
    println!("{shape:?}");
}
