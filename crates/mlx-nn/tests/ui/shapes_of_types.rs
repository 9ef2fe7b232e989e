//! Types that are no modules as they are.
use mlx_nn::{Linear, Module};
#[derive(Module)]
enum Two {
    Layers(Linear, Linear),
}

#[derive(Module)]
enum NotAModule {
    Number(i32),
}

#[derive(Module)]
struct Borrowed<'a> {
    layer: &'a Linear,
}

#[derive(Module)]
union Either {
    a: u32,
    b: f32,
}

fn main() {}
