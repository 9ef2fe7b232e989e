//! What a training step costs from end to end: a small convolutional network on 64 pictures of digits, its loss, gradients
//! and AdamW's step, computed; as it is, compiled, and its graph alone.
//!
//! `cargo bench --bench training`. Engines are processes: this library with OpenBLAS (its default) and with MLX's own BLAS,
//! Python MLX with OpenBLAS before its own and as it is; one thread each. All run the same MLX, whose kernels are most of a
//! step: with one BLAS the engines differ by what building costs, which `built` says. Not here: how engines are compared
//! (`paired`).

mod paired;
mod twin;

use criterion::Criterion;
use mlx::{
    nn::{
        self, Conv2d, Linear, Module, ModuleExt,
        losses::{CrossEntropy, cross_entropy},
    },
    ops::Convolution,
    optimizers::{AdamW, Optimizer, compile_step},
    prelude::*,
    random::{self, Normal, Randint},
};
use paired::{Case, Engine, Turns};
use std::{
    collections::HashMap,
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    rc::Rc,
    time::{Duration, Instant},
};
use twin::Twin;

/// Set in a process that is an engine, which its own arguments, criterion's, cannot say.
const ENGINE: &str = "MLX_BENCH_ENGINE";
const ONE_THREAD: (&str, &str) = ("OPENBLAS_NUM_THREADS", "1");
const COLUMNS: &[&str] = &["blas", "stock", "Python, OpenBLAS", "Python"];

/// The side of the pictures and what is measured, in the order in which both sides are told.
const CASES: [&str; 6] = ["8 step", "8 compiled", "8 built", "28 step", "28 compiled", "28 built"];

fn main() {
    if env::var_os(ENGINE).is_some() {
        serve().expect("whoever started this engine reads its answers");
        return;
    }
    let engines: Vec<(&'static str, Rc<Twin>)> = COLUMNS
        .iter()
        .filter_map(|&name| match twin(name) {
            Ok(twin) => Some((name, Rc::new(twin))),
            Err(why) => {
                println!("Without {name}: {why}");
                None
            }
        })
        .collect();
    let cases: Vec<Case> = CASES.iter().map(|&name| Case { name, engines: of(name, &engines) }).collect();
    let criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    let turns = Turns { rounds: 51, turn: Duration::from_millis(20), rest: Duration::ZERO, columns: COLUMNS };
    paired::run(&cases, criterion, &turns);
}

fn of(case: &'static str, engines: &[(&'static str, Rc<Twin>)]) -> Vec<(&'static str, Engine)> {
    let engines = engines.iter().map(|(name, twin)| {
        let twin = Rc::clone(twin);
        let engine: Engine = Box::new(move |count| twin.run(case, count).expect("a case of all engines"));
        (*name, engine)
    });
    engines.collect()
}

fn twin(name: &str) -> Result<Twin, String> {
    match name {
        "Python" => Twin::python_of("training_twin.py", &[ONE_THREAD]),
        "Python, OpenBLAS" => {
            let shim = shim()?;
            let path = shim.to_str().ok_or("the folder of temporary files has a strange name.")?;
            let twin = Twin::python_of("training_twin.py", &[ONE_THREAD, ("LD_PRELOAD", path)]);
            // Loaded by now.
            let _ = [&shim, &shim.with_extension("s")].map(fs::remove_file);
            twin
        }
        mode => {
            let program = env::current_exe().map_err(|e| e.to_string())?;
            let mut command = Command::new(program);
            command.env(ENGINE, "1").env("MLX_CPU", mode).env(ONE_THREAD.0, ONE_THREAD.1);
            let twin = Twin::start(&mut command).map_err(|e| e.to_string())?;
            if twin.greeting() == mode { Ok(twin) } else { Err("the process has another BLAS.".into()) }
        }
    }
}

/// A library for Python's LD_PRELOAD whose products are those of the OpenBLAS that we load.
fn shim() -> Result<PathBuf, String> {
    let openblas = mlx_link::OPENBLAS.map(Path::new).filter(|path| path.exists());
    let openblas = openblas.ok_or("there is no OpenBLAS.")?;
    let library = env::temp_dir().join(format!("mlx-bench-blas-{}.so", std::process::id()));
    let source = library.with_extension("s");
    let jump = if cfg!(target_arch = "aarch64") {
        "adrp x16, :got:scipy_cblas_sgemm\nldr x16, [x16, #:got_lo12:scipy_cblas_sgemm]\nbr x16"
    } else {
        "jmp *scipy_cblas_sgemm@GOTPCREL(%rip)"
    };
    let text = format!(
        ".text\n.globl cblas_sgemm\n.type cblas_sgemm, %function\ncblas_sgemm:\n{jump}\n\
         .section .note.GNU-stack,\"\",%progbits\n"
    );
    fs::write(&source, text).map_err(|e| e.to_string())?;
    let mut rpath = OsString::from("-Wl,-rpath,");
    rpath.push(openblas.parent().unwrap_or(openblas));
    let mut compiler = Command::new("g++");
    compiler.args(["-shared", "-nostdlib", "-o"]).args([&library, &source]).arg(rpath).arg(openblas);
    let done = compiler.status().map_err(|e| format!("g++ did not start ({e})."))?;
    if done.success() { Ok(library) } else { Err("g++ made no library.".into()) }
}

/// The engine's side: says its mode, then answers "SIDE WHAT COUNT" with nanoseconds.
fn serve() -> io::Result<()> {
    println!("{}", mlx::cpu_mode().map_or_else(|e| e.to_string(), |mode| mode.to_string()));
    let mut trainings: HashMap<i32, Training> = HashMap::new();
    for line in io::stdin().lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        let [side, what, count] = words[..] else { continue };
        let (Ok(side), Ok(count)) = (side.parse(), count.parse()) else { continue };
        let training = trainings.entry(side).or_insert_with(|| Training::new(side).expect("a small network"));
        println!("{}", training.timed(what, count).expect("steps that fit").as_nanos());
    }
    Ok(())
}

/// The network, for square pictures of an even side.
#[derive(Clone, Debug, Module)]
struct Cnn {
    conv1: Conv2d,
    conv2: Conv2d,
    linear: Linear,
}

impl Cnn {
    fn new(side: i32) -> Result<Cnn> {
        Ok(Cnn {
            conv1: Conv2d::new(1, 8, 3, Convolution::new().padding(1), true)?,
            conv2: Conv2d::new(8, 16, 3, Convolution::new().padding(1).stride(2), true)?,
            linear: Linear::new(16 * (side / 2) * (side / 2), 10, true)?,
        })
    }

    fn forward(&self, pictures: &Tensor) -> Result<Tensor> {
        let x = nn::relu(&self.conv1.forward(pictures)?)?;
        let x = nn::relu(&self.conv2.forward(&x)?)?;
        self.linear.forward(&x.flatten(1..))
    }
}

type Batch = (Tensor, Tensor);
type Step = dyn Fn(&mut Cnn, &mut AdamW, &Batch) -> Result<Tensor>;

fn loss_of(model: &Cnn, (x, y): &Batch) -> Result<Tensor> {
    Ok(cross_entropy(&model.forward(x)?, y, CrossEntropy::new())?.mean(..))
}

fn step(model: &mut Cnn, optimizer: &mut AdamW, batch: &Batch) -> Result<Tensor> {
    let (loss, gradients) = nn::value_and_grad(model, |model| loss_of(model, batch))?;
    optimizer.update(model, &gradients)?;
    Ok(loss)
}

struct Training {
    model: Cnn,
    optimizer: AdamW,
    batch: Batch,
    compiled: Box<Step>,
}

impl Training {
    fn new(side: i32) -> Result<Training> {
        random::seed(0)?;
        let model = Cnn::new(side)?;
        let mut optimizer = AdamW::new(1e-3)?.bias_correction(true);
        optimizer.init(&model.trainable_parameters())?;
        let x = Normal::new().key(&random::key(1)?).sample([64, side, side, 1])?;
        let y = Randint::new(0, 10).key(&random::key(2)?).sample([64])?;
        mlx::eval(model.parameters().values().chain(optimizer.state().values()).chain([&x, &y]))?;
        let compiled = compile_step(&model, &optimizer, step);
        let compiled = Box::new(move |model: &mut Cnn, optimizer: &mut AdamW, batch: &Batch| {
            compiled.call(model, optimizer, batch)
        });
        Ok(Training { model, optimizer, batch: (x, y), compiled })
    }

    fn timed(&mut self, what: &str, count: u64) -> Result<Duration> {
        let Training { model, optimizer, batch, compiled } = self;
        let mut total = Duration::ZERO;
        for _ in 0..count {
            let start = Instant::now();
            if what == "built" {
                let (_, gradients) = nn::value_and_grad(model, |model| loss_of(model, batch))?;
                let updated = optimizer.apply_gradients(&gradients, &model.parameters())?;
                total += start.elapsed();
                // Computed, so that the state's graph does not grow.
                mlx::eval(updated.values().chain(optimizer.state().values()))?;
                continue;
            }
            let loss = match what {
                "compiled" => compiled(model, optimizer, batch)?,
                _ => step(model, optimizer, batch)?,
            };
            mlx::eval(model.parameters().values().chain(optimizer.state().values()).chain([&loss]))?;
            total += start.elapsed();
        }
        Ok(total)
    }
}
