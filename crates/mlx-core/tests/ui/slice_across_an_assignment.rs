//! A tensor cannot change under a slice of it.

use mlx_core::tensor;

fn main() {
    let mut x = tensor![1.0];
    let slice = x.as_slice::<f32>().unwrap();
    x += 1.0;
    println!("{slice:?}");
}
