//! A list of what is no member.
use mlx_nn::Module;
struct Settings;

#[derive(Module)]
struct Model {
    layers: Vec<Settings>,
}

fn main() {}
