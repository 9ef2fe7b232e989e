//! A test runner for whole processes: each program of a table is run in a child, and must end by itself, with exit
//! code 0, after it printed the end marker.

use std::{
    env,
    io::Read,
    process::{Child, Command, ExitCode, Stdio},
    sync::Mutex,
    sync::atomic::{AtomicUsize, Ordering},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// One process: its name, and what its `main` does.
pub(crate) type Program = (&'static str, fn());

const CHILD: &str = "MLX_TEST_PROGRAM";
const PATIENCE: Duration = Duration::from_secs(120);

/// The whole `main` of a test target: runs each program `runs` times (or `$MLX_TEST_RUNS` times), two at a time;
/// an argument chooses the programs whose name holds it.
pub(crate) fn main(programs: &[Program], runs: usize) -> ExitCode {
    if let Ok(name) = env::var(CHILD) {
        let (_, body) = programs.iter().find(|(known, _)| *known == name).expect("a program of the table");
        body();
        return ExitCode::SUCCESS;
    }
    let runs = env::var("MLX_TEST_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(runs);
    let filter = env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let chosen: Vec<&str> =
        programs.iter().map(|(name, _)| *name).filter(|name| name.contains(&filter)).collect();
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let Some(name) = chosen.get(turn / runs) else { break };
            if let Err(why) = check(name) {
                failures.lock().expect("no thread panics").push(format!("{name}: {why}"));
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let failures = failures.into_inner().expect("no thread panics");
    for failure in &failures {
        println!("FAILED {failure}\n");
    }
    let total = chosen.len() * runs;
    println!(
        "{} programs, {total} runs: {} passed, {} failed",
        chosen.len(),
        total - failures.len(),
        failures.len()
    );
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What a program prints last: code that ends the process early, even with exit code 0, does not come so far.
pub(crate) fn end() {
    println!("the end");
}

/// Runs one program in a child process.
fn check(name: &str) -> Result<(), String> {
    let mut child = Command::new(env::current_exe().expect("this program has a path"));
    child.env(CHILD, name).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().expect("this program starts again");
    // Read as it comes: a child that says more than a pipe holds waits for that.
    let (said, complained) = (read(child.stdout.take()), read(child.stderr.take()));
    let in_time = wait(&mut child);
    let status = child.wait().expect("the child was waited for");
    let [said, complained] = [said, complained].map(|text| text.join().expect("reading does not panic"));
    let told = format!("{status}\n--- stdout\n{said}--- stderr\n{complained}");
    if !in_time {
        return Err(format!("hung for {PATIENCE:?} and was ended\n{told}"));
    }
    if !status.success() {
        return Err(told);
    }
    if said.lines().last() != Some("the end") {
        return Err(format!("ended without the end marker\n{told}"));
    }
    Ok(())
}

/// What comes out of a pipe, until nobody holds its other end.
fn read(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    let mut bytes = Vec::new();
    thread::spawn(move || {
        pipe.expect("it is piped").read_to_end(&mut bytes).expect("a pipe of ours");
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Whether the child ends by itself.
fn wait(child: &mut Child) -> bool {
    let start = Instant::now();
    while child.try_wait().expect("a child of ours").is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().expect("a child of ours");
            return false;
        }
        thread::sleep(Duration::from_millis(2));
    }
    true
}
