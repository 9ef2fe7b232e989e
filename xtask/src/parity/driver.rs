//! Runs cases: each goes to both workers before either answer is read, so that they overlap.
//!
//! Not here: the processes (`side`) and the verdict (`judge`).

use super::{
    blas::{self, Cpu, Shim},
    case::Case,
    fast, hex,
    judge::{Answer, Judge, Verdict, judge},
    pipeline::Pipeline,
    side::Side,
};
use crate::python;
use clap::ValueEnum;
use mlx_core::MLX_VERSION;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

/// Both sides, ready.
pub(crate) struct Driver {
    python: Side,
    rust: Side,
    limit: Duration,
    greeting: Vec<String>,
    on_gpu: bool,
    judge: Judge,
    /// Lies where Python is told to find it, also when it is started again.
    shim: Option<Shim>,
}

/// What a run asks for.
pub(crate) struct Surroundings {
    pub(crate) limit: Duration,
    pub(crate) cpu: Cpu,
    pub(crate) device: Option<Place>,
    pub(crate) site: Option<PathBuf>,
    pub(crate) verbose: bool,
}

impl Surroundings {
    /// The folder with Python MLX and numpy, filled where it is not yet.
    pub(super) fn python(&self) -> Result<PathBuf, String> {
        match &self.site {
            Some(site) => Ok(site.clone()),
            None => python::site("parity", &[&format!("mlx[cpu]=={MLX_VERSION}"), "numpy"]),
        }
    }
}

/// Where both sides compute.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Place {
    /// On the processor.
    Cpu,
    /// On the first GPU.
    Gpu,
}

impl Place {
    /// Tells the workers, who have it from their environment.
    pub(super) fn variable(self) -> (&'static str, PathBuf) {
        let name = match self {
            Place::Cpu => "cpu",
            Place::Gpu => "gpu",
        };
        ("PARITY_DEVICE", name.into())
    }
}

impl Driver {
    /// Installs Python MLX where it is not yet, starts both workers, and makes sure that they run the same MLX.
    pub(crate) fn start(asked: &Surroundings) -> Result<Driver, String> {
        let &Surroundings { limit, cpu, device, verbose, .. } = asked;
        let site = asked.python()?;
        let script = crate::root().join("xtask/parity/worker.py");
        let program = interpreter()?;
        let shim = if cpu == Cpu::Stock { None } else { Some(Shim::build()?) };
        let mut environment = vec![("PYTHONPATH", site)];
        environment.extend(shim.as_ref().map(|shim| ("LD_PRELOAD", shim.path())));
        environment.extend(device.map(Place::variable));
        let mut python = Side::start("Python", program, vec!["-u".into(), script], environment, verbose)?;
        let program = env::current_exe().map_err(|e| e.to_string())?;
        let mut environment = vec![("MLX_CPU", cpu.to_string().into())];
        environment.extend(device.map(Place::variable));
        let mut rust = Side::start("Rust", program, vec!["parity-worker".into()], environment, verbose)?;
        let said = [python.ready()?.clone(), rust.ready()?.clone()];
        let [ours, theirs] = [library(&said[1])?, library(&said[0])?];
        let mut greeting = vec![
            format!(
                "Python {} with MLX {}, libmlx.so of SHA-256 {theirs}",
                plain(&said[0]["python"]),
                plain(&said[0]["mlx"])
            ),
            format!("Rust with libmlx.so of SHA-256 {ours}"),
            format!(
                "The default device is {} in Python and {} in Rust",
                plain(&said[0]["device"]),
                plain(&said[1]["device"])
            ),
        ];
        if ours != theirs {
            return Err(format!("the two sides run different builds of MLX:\n{}", greeting.join("\n")));
        }
        python.keep_kernels(&theirs);
        rust.keep_kernels(&ours);
        greeting.push(blas::compare(cpu, &said[0], &said[1])?);
        let on_gpu = matches!(device, Some(Place::Gpu));
        let judge = if cpu == Cpu::Fast { fast::judge_shapes } else { judge };
        Ok(Driver { python, rust, limit, greeting, on_gpu, judge, shim })
    }

    /// The two sides, to be kept busy with many cases at once.
    pub(crate) fn pipeline(self) -> Pipeline {
        Pipeline::new(self.python, self.rust, self.limit, self.judge, self.shim)
    }

    /// What runs on the two sides.
    pub(crate) fn greeting(&self) -> Vec<String> {
        self.greeting.clone()
    }

    /// Runs a case on both sides, or on Rust alone where it would kill Python; `Err` ends the run.
    pub(crate) fn run(&mut self, case: &Case) -> Result<Verdict, String> {
        let request = json!({"case": case.body, "dir": case.folder, "graph": case.compare.graph});
        // Workers that are still starting would use up the case's time.
        self.python.ready()?;
        self.rust.ready()?;
        let deadline = Instant::now() + self.limit;
        if !case.skips_python {
            self.python.send(&request)?;
        }
        self.rust.send(&request)?;
        let answer = |reply: Result<Value, String>| reply.map_or_else(Answer::Lost, Answer::from_reply);
        let rust = answer(self.rust.receive(deadline)?);
        let python = if case.skips_python { None } else { Some(answer(self.python.receive(deadline)?)) };
        Ok(self.judged((self.judge)(case, python, rust)))
    }

    /// A case whose inputs cannot be on the device asked for proves nothing there.
    fn judged(&self, verdict: Verdict) -> Verdict {
        match verdict {
            Verdict::Failed(why) if self.on_gpu && why.ends_with(CPU_ONLY) => Verdict::Skipped,
            verdict => verdict,
        }
    }
}

/// What Python says of an input that only the CPU computes with.
const CPU_ONLY: &str = "float64 is not supported on the GPU";

/// The interpreter itself: what PATH has may be a script that needs the whole PATH.
pub(super) fn interpreter() -> Result<PathBuf, String> {
    let output = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .map_err(|e| format!("python3 did not start: {e}"))?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// The SHA-256 of the MLX that a worker has loaded.
fn library(ready: &Value) -> Result<String, String> {
    let path =
        Path::new(ready["libmlx"].as_str().ok_or("a worker does not say which libmlx.so it has loaded")?);
    let bytes = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(hex::write(Sha256::digest(bytes)))
}

fn plain(text: &Value) -> &str {
    text.as_str().unwrap_or("?")
}
