//! Reading as a type that no dtype has.

use mlx_core::tensor;

fn main() {
    let x = tensor![1];
    let _ = x.to_vec::<usize>();
}
