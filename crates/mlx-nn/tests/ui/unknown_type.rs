//! A field of a type that is no member.
use mlx_nn::{Linear, Module};
struct Settings;

#[derive(Module)]
struct Model {
    layer: Linear,
    settings: Settings,
}

fn main() {}
