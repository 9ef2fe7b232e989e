//! Attributes that mean nothing, or two things.
use mlx_nn::{Linear, Module};
#[derive(Module)]
struct Unknown {
    #[module(name = "other")]
    layer: Linear,
}

#[derive(Module)]
struct Twice {
    first: Linear,
    #[module(rename = "first")]
    second: Linear,
}

#[derive(Module)]
struct Dotted {
    #[module(rename = "a.b")]
    layer: Linear,
}

#[derive(Module)]
struct Contradiction {
    #[module(skip, frozen)]
    layer: Linear,
}

#[derive(Module)]
#[module(skip)]
struct Whole {
    layer: Linear,
}

fn main() {}
