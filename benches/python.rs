//! Python MLX as an engine: a child process that runs `python_twin.py` and times itself.

use std::{
    cell::RefCell,
    env,
    ffi::OsString,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

/// A Python that waits for work; it ends when its input does.
pub(crate) struct Python {
    pipes: RefCell<(ChildStdin, BufReader<ChildStdout>)>,
    child: RefCell<Child>,
}

impl Python {
    /// Starts Python with the MLX that `cargo xtask parity` installed, or one on PYTHONPATH.
    pub(crate) fn start() -> Result<Python, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut child = Command::new("python3")
            .arg(root.join("benches/python_twin.py"))
            .env("PYTHONPATH", python_path(root.join("target/xtask/parity")))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("python3 did not start ({e})."))?;
        let pipes = child.stdin.take().zip(child.stdout.take()).expect("both are piped");
        let python =
            Python { pipes: RefCell::new((pipes.0, BufReader::new(pipes.1))), child: RefCell::new(child) };
        let version = python.answer();
        if version == mlx::MLX_VERSION {
            return Ok(python);
        }
        Err(format!("python3 has no mlx {}; `cargo xtask parity` installs it.", mlx::MLX_VERSION))
    }

    /// How long `count` runs of `case` took; `None` when Python has no such case.
    pub(crate) fn run(&self, case: &str, count: u64) -> Option<Duration> {
        writeln!(self.pipes.borrow_mut().0, "{case} {count}").expect("Python reads");
        self.answer().parse().ok().map(Duration::from_nanos)
    }

    fn answer(&self) -> String {
        let mut line = String::new();
        // A Python that ended has said nothing, which is no answer.
        let _ = self.pipes.borrow_mut().1.read_line(&mut line);
        line.trim_end().to_owned()
    }
}

impl Drop for Python {
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
