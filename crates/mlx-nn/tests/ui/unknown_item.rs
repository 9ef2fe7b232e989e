use mlx_nn::Module;

struct Settings;

#[derive(Module)]
struct Model {
    layers: Vec<Settings>,
}

fn main() {}
