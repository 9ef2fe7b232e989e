//! Python MLX beside us, where the folder is there into which `cargo xtask parity` installs it: steps, states that go
//! on there and here, compiled steps, schedules, clipping; all by their bits.
//!
//! With MLX's own BLAS, which is chosen for a whole process: so a child process computes.

use crate::{Batch, Net, batch, folder::Folder, named, own_blas, python_mlx, same, step, train};
use mlx::{
    nn::{ModuleExt, Parameters},
    ops,
    optimizers::{
        AdaDelta, Adafactor, Adagrad, Adam, AdamW, Adamax, Lion, MultiOptimizer, Muon, Optimizer, RMSprop,
        SGD, Schedule, clip_grad_norm, compile_step, cosine_decay, exponential_decay, join_schedules,
        linear_schedule, step_decay,
    },
    prelude::*,
    random,
};
use std::fs;

/// Trains as the tests do, goes on from Rust's states, and leaves files.
const SCRIPT: &str = r#"
import os
import sys
from functools import partial
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
from mlx.utils import tree_flatten, tree_unflatten
folder, COMPILED = sys.argv[1], tuple(sys.argv[2].split(","))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.dropout, self.last = nn.Linear(4, 8), nn.Dropout(0.25), nn.Linear(8, 2)
    def __call__(self, x):
        return self.last(self.dropout(nn.relu(self.first(x))))

def drawn():
    mx.random.seed(0)
    return Net()

x = mx.random.normal((16, 4), key=mx.random.key(1))
y = mx.random.normal((16, 2), key=mx.random.key(2))
def stepper(net, optimizer):
    def step(x, y):
        loss = lambda: nn.losses.mse_loss(net(x), y)
        value, slopes = nn.value_and_grad(net, loss)()
        optimizer.update(net, slopes)
        return value
    return step

def train(net, optimizer, steps, step=None):
    for _ in range(steps):
        loss = (step or stepper(net, optimizer))(x, y)
        mx.eval(net.parameters(), optimizer.state, loss)

def save(name, net, optimizer):
    mx.save_safetensors(f"{folder}/{name}.net.safetensors", dict(tree_flatten(net.parameters())))
    mx.save_safetensors(f"{folder}/{name}.state.safetensors", dict(tree_flatten(optimizer.state)))
    mx.savez(f"{folder}/{name}.state.npz", **dict(tree_flatten(optimizer.state)))

for i, line in enumerate(open(f"{folder}/optimizers.txt")):
    new = lambda: eval(line)
    net, optimizer = drawn(), new()
    train(net, optimizer, 3)
    save(f"first.{i}", net, optimizer)
    train(net, optimizer, 2)
    save(f"whole.{i}", net, optimizer)
    for ending in ("safetensors", "npz"):
        net, optimizer = drawn(), new()
        net.load_weights(f"{folder}/rust.{i}.net.safetensors")
        optimizer.state = tree_unflatten(list(mx.load(f"{folder}/rust.{i}.state.{ending}").items()))
        mx.random.seed(5)
        train(net, optimizer, 2)
        save(f"continued.{i}.{ending}", net, optimizer)
    if not line.startswith(COMPILED):
        continue
    net, optimizer = drawn(), new()
    optimizer.init(net.trainable_parameters())
    state = [net.state, optimizer.state, mx.random.state]
    step = partial(mx.compile, inputs=state, outputs=state)(stepper(net, optimizer))
    train(net, optimizer, 3, step)
    save(f"compiled.{i}", net, optimizer)

steps = mx.arange(60).astype(mx.uint64)
for i, line in enumerate(open(f"{folder}/schedules.txt")):
    mx.save(f"{folder}/schedule.{i}.npy", eval(line)(steps))

clipped = {}
for i in range(4):
    given = mx.load(f"{folder}/gradients.{i}.safetensors")
    for norm in (0.0, 0.5, 3.0, 1e6):
        gradients, total = optim.clip_grad_norm(given, norm)
        clipped |= {f"{i}.{int(norm) if norm % 1 == 0 else norm}.{key}": value for key, value in gradients.items()} | {f"{i}.{int(norm) if norm % 1 == 0 else norm}": total}
mx.save_safetensors(f"{folder}/clipped.safetensors", clipped)
# Python MLX may end its process on the way out ("terminate called …").
os._exit(0)
"#;

/// Those whose compiled steps are compared: each has kernels of its own, which take the C++ compiler seconds.
const COMPILED: [&str; 5] = ["optim.SGD", "optim.Adam(", "optim.Lion", "optim.Adafactor(0", "optim.Multi"];

#[test]
fn steps_states_and_schedules_are_pythons() {
    if python_mlx::site().is_none() {
        return;
    }
    own_blas::run("python::with_mlx_own_blas");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn with_mlx_own_blas() {
    let site = python_mlx::site().expect("asked for before");
    let folder = Folder::new("optimizers");
    let mut before = Before { folder: &folder, lines: String::new(), count: 0 };
    each(&mut before);
    fs::write(folder.path("optimizers.txt"), &before.lines).unwrap();
    let lines: Vec<&str> = schedules().iter().map(|(python, _)| *python).collect();
    fs::write(folder.path("schedules.txt"), lines.join("\n")).unwrap();
    for (i, gradients) in gradients().iter().enumerate() {
        ops::save_safetensors(folder.path(&format!("gradients.{i}.safetensors")), gradients).unwrap();
    }

    python_mlx::run(&site, SCRIPT, &[folder.path(""), COMPILED.join(",").into()]);

    each(&mut After { folder: &folder, count: 0 });
    check_schedules(&folder);
    check_clipping(&folder);
}

/// What is done with an optimizer, of whatever type.
trait Visit {
    fn visit<O: Optimizer + Clone>(&mut self, python: &str, new: impl Fn() -> Result<O>);
}

/// Optimizers in Python's writing and ours.
fn each(visit: &mut impl Visit) {
    visit.visit("optim.SGD(0.1, momentum=0.9, weight_decay=0.01, nesterov=True)", || {
        Ok(SGD::new(0.1)?.momentum(0.9).weight_decay(0.01).nesterov(true))
    });
    visit.visit("optim.RMSprop(optim.exponential_decay(0.01, 0.9))", || {
        RMSprop::new(exponential_decay(0.01, 0.9))
    });
    visit.visit("optim.Adagrad(0.05)", || Adagrad::new(0.05));
    visit.visit("optim.AdaDelta(0.5)", || AdaDelta::new(0.5));
    visit.visit("optim.Adam(optim.cosine_decay(0.1, 4), bias_correction=True)", || {
        Ok(Adam::new(cosine_decay(0.1, 4, 0.0)?)?.bias_correction(true))
    });
    visit.visit("optim.AdamW(0.01, weight_decay=0.1)", || Ok(AdamW::new(0.01)?.weight_decay(0.1)));
    visit.visit("optim.Adamax(0.01)", || Adamax::new(0.01));
    visit.visit("optim.Lion(0.01, weight_decay=0.1)", || Ok(Lion::new(0.01)?.weight_decay(0.1)));
    visit.visit("optim.Adafactor()", Adafactor::relative);
    visit.visit("optim.Adafactor(0.02, relative_step=False, beta_1=0.9, weight_decay=0.1)", || {
        Ok(Adafactor::new(0.02)?.relative_step(false).beta_1(0.9).weight_decay(0.1))
    });
    visit.visit("optim.Muon(0.02)", || Muon::new(0.02));
    let several = "optim.MultiOptimizer([optim.Muon(0.02), optim.SGD(0.1), optim.AdamW(0.01)], \
                   [lambda key, x: x.ndim >= 2, lambda key, x: key.startswith('first')])";
    visit.visit(several, || {
        Ok(MultiOptimizer::new()
            .add(|_, x| x.ndim() >= 2, Muon::new(0.02)?)
            .add(|key, _| key.starts_with("first"), SGD::new(0.1)?)
            .fallback(AdamW::new(0.01)?))
    });
}

/// Trains, and leaves parameters and states for Python.
struct Before<'a> {
    folder: &'a Folder,
    lines: String,
    count: usize,
}

impl Visit for Before<'_> {
    fn visit<O: Optimizer + Clone>(&mut self, python: &str, new: impl Fn() -> Result<O>) {
        let (net, optimizer) = trained(&new, 3);
        let path = |ending: &str| self.folder.path(&format!("rust.{}.{ending}", self.count));
        net.save_weights(path("net.safetensors")).unwrap();
        optimizer.save_state(path("state.safetensors")).unwrap();
        optimizer.save_state(path("state.npz")).unwrap();
        self.lines.push_str(python);
        self.lines.push('\n');
        self.count += 1;
    }
}

fn trained<O: Optimizer>(new: impl Fn() -> Result<O>, steps: usize) -> (Net, O) {
    let (mut net, mut optimizer) = (Net::new(), new().unwrap());
    train(&mut net, &mut optimizer, steps);
    (net, optimizer)
}

/// Compares what Python left.
struct After<'a> {
    folder: &'a Folder,
    count: usize,
}

impl After<'_> {
    fn read(&self, name: &str) -> Parameters {
        let file = ops::load(self.folder.path(name)).unwrap();
        file.into_tensors().unwrap().into_iter().collect()
    }

    fn check(&self, name: &str, net: &Net, optimizer: &impl Optimizer) {
        same(name, &net.parameters(), &self.read(&format!("{name}.net.safetensors")));
        for ending in ["safetensors", "npz"] {
            same(name, &optimizer.state(), &self.read(&format!("{name}.state.{ending}")));
        }
    }
}

impl Visit for After<'_> {
    fn visit<O: Optimizer + Clone>(&mut self, python: &str, new: impl Fn() -> Result<O>) {
        let i = self.count;
        self.count += 1;
        let (mut net, mut optimizer) = trained(&new, 3);
        self.check(&format!("first.{i}"), &net, &optimizer);
        let key = random::state().unwrap();
        // From Python's files, whatever was set before.
        for ending in ["safetensors", "npz"] {
            let (mut loaded, mut continued) = (Net::new(), new().unwrap());
            if continued.learning_rate().is_some() {
                continued.set_learning_rate(7.0).unwrap();
            }
            loaded.load_weights(self.folder.path(&format!("first.{i}.net.safetensors"))).unwrap();
            continued.load_state(self.folder.path(&format!("first.{i}.state.{ending}"))).unwrap();
            random::set_state(&key);
            train(&mut loaded, &mut continued, 2);
            self.check(&format!("whole.{i}"), &loaded, &continued);
        }
        random::seed(5).unwrap();
        train(&mut net, &mut optimizer, 2);
        for ending in ["safetensors", "npz"] {
            self.check(&format!("continued.{i}.{ending}"), &net, &optimizer);
        }
        if !COMPILED.iter().any(|start| python.starts_with(start)) {
            return;
        }
        let (mut net, mut optimizer) = (Net::new(), new().unwrap());
        let compiled = compile_step(&net, &optimizer, |net: &mut Net, optimizer: &mut O, batch: &Batch| {
            step(net, optimizer, batch)
        });
        for _ in 0..3 {
            compiled.call(&mut net, &mut optimizer, &batch()).unwrap().eval().unwrap();
        }
        self.check(&format!("compiled.{i}"), &net, &optimizer);
        assert_eq!(compiled.trace_count(), 1);
    }
}

fn schedules() -> Vec<(&'static str, Schedule)> {
    let linear = || linear_schedule(0.0, 0.1, 10).unwrap();
    let joined = join_schedules(
        &[linear(), cosine_decay(0.1, 20, 0.0).unwrap(), exponential_decay(0.3, 0.99)],
        &[10, 40],
    );
    vec![
        ("optim.exponential_decay(0.1, 0.9)", exponential_decay(0.1, 0.9)),
        ("optim.exponential_decay(3, 2)", exponential_decay(3, 2)),
        ("optim.step_decay(0.1, 0.7, 7)", step_decay(0.1, 0.7, 7).unwrap()),
        ("optim.cosine_decay(0.1, 50)", cosine_decay(0.1, 50, 0.0).unwrap()),
        ("optim.cosine_decay(0.3, 33, end=0.01)", cosine_decay(0.3, 33, 0.01).unwrap()),
        ("optim.linear_schedule(0, 0.1, 10)", linear()),
        ("optim.linear_schedule(1.0, 0.25, 77)", linear_schedule(1.0, 0.25, 77).unwrap()),
        (
            "optim.join_schedules([optim.linear_schedule(0, 0.1, 10), optim.cosine_decay(0.1, 20), \
             optim.exponential_decay(0.3, 0.99)], [10, 40])",
            joined.unwrap(),
        ),
    ]
}

fn check_schedules(folder: &Folder) {
    let steps = ops::arange(0, 60, 1).unwrap().astype(Dtype::Uint64);
    for (i, (python, schedule)) in schedules().into_iter().enumerate() {
        let wanted = ops::load_npy(folder.path(&format!("schedule.{i}.npy"))).unwrap();
        same(python, &named([("", schedule.at(&steps).unwrap())]), &named([("", wanted)]));
    }
}

/// Of one dtype, of several, 0-d and empty ones, integers.
fn gradients() -> [Parameters; 4] {
    let drawn = |shape: &[i32], dtype, seed| {
        let drawn = random::Normal::new().key(&random::key(seed).unwrap()).sample(shape).unwrap();
        drawn.astype(dtype)
    };
    let (f32, bf16, f16) = (Dtype::Float32, Dtype::Bfloat16, Dtype::Float16);
    [
        named([("a", drawn(&[3, 5], f32, 1)), ("b", drawn(&[7], f32, 2)), ("c", drawn(&[], f32, 3))]),
        named([("a", drawn(&[40], bf16, 4)), ("b", drawn(&[2, 3], bf16, 5))]),
        named([("a", drawn(&[9], f16, 6)), ("b", drawn(&[4], f32, 7)), ("c", drawn(&[3], bf16, 8))]),
        named([("a", tensor![2, 3]), ("b", ops::zeros([0], f32).unwrap())]),
    ]
}

fn check_clipping(folder: &Folder) {
    let mut found = Parameters::new();
    for (i, given) in gradients().iter().enumerate() {
        for norm in [0.0, 0.5, 3.0, 1e6] {
            let name = format!("{i}.{norm}");
            let (gradients, total) = clip_grad_norm(given, norm).unwrap();
            found.extend(gradients.into_iter().map(|(key, x)| (format!("{name}.{key}"), x)));
            found.insert(name, total);
        }
    }
    let wanted = ops::load_safetensors(folder.path("clipped.safetensors")).unwrap().tensors;
    same("clipped", &found, &wanted.into_iter().collect());
}
