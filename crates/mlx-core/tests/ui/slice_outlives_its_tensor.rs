//! A slice is borrowed from its tensor.

use mlx_core::tensor;

fn main() {
    let slice;
    {
        let x = tensor![1.0];
        slice = x.as_slice::<f32>().unwrap();
    }
    println!("{slice:?}");
}
