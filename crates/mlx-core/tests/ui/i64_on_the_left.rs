//! Only `i32` stands on the left among the integers.

use mlx_core::tensor;

fn main() {
    let x = tensor![1];
    let _ = 2_i64 + &x;
}
