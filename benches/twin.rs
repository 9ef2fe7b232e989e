//! Engines that are processes of their own: they read lines "CASE COUNT" and answer with nanoseconds.
//!
//! Python MLX and numpy, whose scripts stand beside this file, and this library where a process fixes how it computes. On
//! another machine than the one that compiled them, `MLX_BENCH_ROOT` says what they stand below.

// Each bench uses some of these.
#![allow(dead_code)]

use crate::paired::Case;
use std::{
    cell::RefCell,
    env,
    ffi::OsString,
    io::{self, BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    rc::Rc,
    time::Duration,
};

/// Python's engine for each case, all of which its script has; without Python MLX a line that says so.
pub(crate) fn add_python(cases: &mut [Case]) {
    match Twin::python() {
        Ok(python) => {
            let python = Rc::new(python);
            for case in cases {
                let (python, name) = (Rc::clone(&python), case.name);
                let engine = move |count| python.run(name, count).expect("a case of the script");
                case.engines.push(("Python", Box::new(engine)));
            }
        }
        Err(why) => println!("Without Python MLX: {why}"),
    }
}

/// A process that waits for work; it ends when its input does.
pub(crate) struct Twin {
    pipes: RefCell<(ChildStdin, BufReader<ChildStdout>)>,
    child: RefCell<Child>,
    greeting: String,
}

impl Twin {
    /// Starts the process, which says something of itself in its first line.
    pub(crate) fn start(command: &mut Command) -> io::Result<Twin> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take()).expect("both are piped");
        let pipes = RefCell::new((pipes.0, BufReader::new(pipes.1)));
        let mut twin = Twin { pipes, child: RefCell::new(child), greeting: String::new() };
        twin.greeting = twin.answer();
        Ok(twin)
    }

    /// Python MLX, from what `cargo xtask parity` installed or from PYTHONPATH.
    pub(crate) fn python() -> Result<Twin, String> {
        Twin::python_of("python_twin.py", &[])
    }

    /// Python MLX, from the same places, with a script of its own and some variables.
    pub(crate) fn python_of(script: &str, variables: &[(&str, &str)]) -> Result<Twin, String> {
        let python = Twin::script(script, variables)?;
        if python.greeting == mlx::MLX_VERSION {
            return Ok(python);
        }
        Err(format!("python3 has no mlx {}; `cargo xtask parity` installs it.", mlx::MLX_VERSION))
    }

    /// numpy, from the same places, with so many threads.
    pub(crate) fn numpy(threads: &str) -> Result<Twin, String> {
        let numpy = Twin::script("numpy_twin.py", &[("OPENBLAS_NUM_THREADS", threads)])?;
        if numpy.greeting.is_empty() {
            return Err("python3 has no numpy; `cargo xtask parity` installs it.".into());
        }
        Ok(numpy)
    }

    fn script(name: &str, variables: &[(&str, &str)]) -> Result<Twin, String> {
        let root =
            env::var_os("MLX_BENCH_ROOT").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        let mut command = Command::new("python3");
        command.arg(root.join("benches").join(name));
        command.env("PYTHONPATH", python_path(root.join("target/xtask/parity")));
        command.envs(variables.iter().copied());
        Twin::start(&mut command).map_err(|e| format!("python3 did not start ({e})."))
    }

    /// What it said of itself; empty where it ended without a word.
    pub(crate) fn greeting(&self) -> &str {
        &self.greeting
    }

    /// How long `count` runs of `case` took; `None` when it has no such case.
    pub(crate) fn run(&self, case: &str, count: u64) -> Option<Duration> {
        self.ask(&format!("{case} {count}")).parse().ok().map(Duration::from_nanos)
    }

    /// What it answers to a line; nothing where it ended.
    pub(crate) fn ask(&self, line: &str) -> String {
        // The answer of one that ended is empty, and says it.
        let _ = writeln!(self.pipes.borrow_mut().0, "{line}");
        self.answer()
    }

    fn answer(&self) -> String {
        let mut line = String::new();
        // One that ended has said nothing, which is no answer.
        let _ = self.pipes.borrow_mut().1.read_line(&mut line);
        line.trim_end().to_owned()
    }
}

impl Drop for Twin {
    fn drop(&mut self) {
        let child = self.child.get_mut();
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn python_path(site: PathBuf) -> OsString {
    let set = env::var_os("PYTHONPATH").unwrap_or_default();
    env::join_paths(std::iter::once(site).chain(env::split_paths(&set))).unwrap_or(set)
}
