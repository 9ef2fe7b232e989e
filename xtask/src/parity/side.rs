//! One side of a comparison: a worker process, its surroundings, and its end.
//!
//! A worker reads one JSON request a line and answers with one JSON line (`xtask/parity/worker.py` has the
//! protocol). It may die of a case, or say that its answer was its last; the next request starts it again.

use serde_json::Value;
use std::{
    env, fs,
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// How long a worker may take to load MLX.
const START_LIMIT: Duration = Duration::from_secs(60);

/// Where both sides find the compiler that MLX starts, whatever the caller's PATH.
const PINNED_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A worker that is started again when it ends.
pub(crate) struct Side {
    name: &'static str,
    program: PathBuf,
    arguments: Vec<PathBuf>,
    environment: Vec<(&'static str, PathBuf)>,
    verbose: bool,
    /// The worker's TMPDIR, in which MLX keeps what it compiles; and its stderr.
    scratch: TempDir,
    /// Where its kernels lie between two runs. None once a worker was ended at work: it may have left half a kernel.
    kernels: Option<PathBuf>,
    worker: Worker,
}

struct Worker {
    process: Child,
    requests: Option<ChildStdin>,
    replies: Receiver<String>,
    /// What it said of itself, once it has.
    ready: Option<Value>,
}

impl Side {
    /// The side with its worker starting.
    pub(crate) fn start(
        name: &'static str,
        program: PathBuf,
        arguments: Vec<PathBuf>,
        environment: Vec<(&'static str, PathBuf)>,
        verbose: bool,
    ) -> Result<Side, String> {
        let scratch = scratch().map_err(|e| format!("no folder for temporary files: {e}"))?;
        let mut command = command(&program, &arguments, &environment, scratch.path(), verbose)?;
        let worker = Worker::start(&mut command).map_err(|e| format!("{}: {e}", program.display()))?;
        Ok(Side { name, program, arguments, environment, verbose, scratch, kernels: None, worker })
    }

    /// Takes the fused kernels that earlier runs with the same `library` compiled for this side, which is a second each;
    /// they lie there again when this run ends. Each side compiles its own, and two runs at once do not share.
    pub(crate) fn keep_kernels(&mut self, library: &str) {
        let kept = runs().join(format!("kernels-{}-{}", self.name, &library[..16]));
        let _ = fs::rename(&kept, self.compiled());
        self.kernels = Some(kept);
    }

    /// MLX's folder below the worker's TMPDIR.
    fn compiled(&self) -> PathBuf {
        self.scratch.path().join("mlx")
    }

    /// What the worker says of itself.
    pub(crate) fn ready(&mut self) -> Result<&Value, String> {
        if self.worker.ready.is_none() {
            let said = self.worker.read(Instant::now() + START_LIMIT);
            self.worker.ready = match said {
                Ok(mut said) if said.get("ready").is_some() => Some(said["ready"].take()),
                Ok(said) => return Err(format!("the {} worker starts with {said}", self.name)),
                Err(why) => {
                    let said = fs::read_to_string(self.stderr()).unwrap_or_default();
                    return Err(format!("the {} worker did not start: it {why}\n{said}", self.name));
                }
            };
        }
        Ok(self.worker.ready.as_ref().expect("set above"))
    }

    /// Hands the worker a request. A worker that dies of it shows in [`receive`](Side::receive).
    pub(crate) fn send(&mut self, request: &Value) -> Result<(), String> {
        // One that died after its last answer must not be held against this request.
        if matches!(self.worker.process.try_wait(), Ok(Some(_))) {
            self.restart()?;
        }
        self.ready()?;
        if let Some(requests) = &mut self.worker.requests {
            let _ = requests.write_all(format!("{request}\n").as_bytes());
        }
        Ok(())
    }

    /// Hands the worker a request while it still works on others: whether it lives shows in [`receive`](Side::receive),
    /// after which requests without an answer have to be handed over again.
    pub(crate) fn queue(&mut self, request: &Value) -> Result<(), String> {
        self.ready()?;
        if let Some(requests) = &mut self.worker.requests {
            let _ = requests.write_all(format!("{request}\n").as_bytes());
        }
        Ok(())
    }

    /// The answer to the request, or how the worker was lost over it.
    pub(crate) fn receive(&mut self, deadline: Instant) -> Result<Result<Value, String>, String> {
        let reply = self.worker.read(deadline);
        if reply.is_err() {
            self.kernels = None;
        }
        if reply.as_ref().map_or(true, |reply| reply["last"] == true) {
            self.restart()?;
        }
        Ok(reply)
    }

    /// Ends the worker and starts the next, which loads MLX while the other side and the runner go on.
    fn restart(&mut self) -> Result<(), String> {
        self.worker.stop();
        let (program, scratch) = (&self.program, self.scratch.path());
        let mut command = command(program, &self.arguments, &self.environment, scratch, self.verbose)?;
        self.worker = Worker::start(&mut command).map_err(|e| format!("{}: {e}", program.display()))?;
        Ok(())
    }

    fn stderr(&self) -> PathBuf {
        stderr(self.scratch.path())
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        self.worker.stop();
        if let Some(kept) = &self.kernels {
            let _ = fs::rename(self.compiled(), kept);
        }
    }
}

/// What runs leave to later ones.
fn runs() -> PathBuf {
    crate::root().join("target/parity")
}

/// On the file system of what is kept; where the project's folder is not there, as on a machine that has the binary alone,
/// nothing is kept.
pub(super) fn scratch() -> io::Result<TempDir> {
    fs::create_dir_all(runs()).and_then(|()| TempDir::new_in(runs())).or_else(|_| TempDir::new())
}

pub(super) fn stderr(scratch: &Path) -> PathBuf {
    scratch.join("stderr.txt")
}

/// A process of one side, away from what the caller's environment says.
pub(super) fn command(
    program: &Path,
    arguments: &[PathBuf],
    environment: &[(&'static str, PathBuf)],
    scratch: &Path,
    verbose: bool,
) -> Result<Command, String> {
    let mut command = Command::new(program);
    command.args(arguments);
    for (name, _) in env::vars_os() {
        // Compiled CUDA kernels may be shared: with a folder for each side they take most of a run.
        if name.to_string_lossy().starts_with("MLX_") && name != "MLX_PTX_CACHE_DIR" {
            command.env_remove(name);
        }
    }
    if env::split_paths(PINNED_PATH).any(|folder| folder.join("g++").exists()) {
        command.env("PATH", PINNED_PATH);
    }
    command.env("OPENBLAS_NUM_THREADS", "1").env("TMPDIR", scratch);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    if !verbose {
        let path = stderr(scratch);
        let file = fs::File::create(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        command.stderr(file);
    }
    Ok(command)
}

impl Worker {
    fn start(command: &mut Command) -> io::Result<Worker> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let requests = process.stdin.take();
        let (sender, replies) = mpsc::channel();
        if let Some(stdout) = process.stdout.take() {
            // A pipe has no time limit of its own; a channel does.
            thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Worker { process, requests, replies, ready: None })
    }

    /// The next line; or why there is none.
    fn read(&mut self, deadline: Instant) -> Result<Value, String> {
        let started = Instant::now();
        match self.replies.recv_timeout(deadline.saturating_duration_since(started)) {
            Ok(line) => serde_json::from_str(&line).map_err(|_| format!("answered with no JSON: {line}")),
            Err(RecvTimeoutError::Timeout) => {
                Err("gave no answer within the time limit and was ended".into())
            }
            Err(RecvTimeoutError::Disconnected) => match self.process.wait() {
                Ok(status) => Err(format!("died without an answer ({status})")),
                Err(e) => Err(format!("died without an answer ({e})")),
            },
        }
    }

    fn stop(&mut self) {
        drop(self.requests.take());
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop();
    }
}
