//! A process of the hunt from outside: started with little memory, watched, and its end told apart.

use super::trial::Trial;
use std::{
    env, fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

/// What a process prints last: one that ends early, be it with exit code 0, does not come so far.
pub(super) const END: &str = "the end";

/// The address space of a process, in KiB: what is said to be huge cannot be allocated.
const ADDRESS_SPACE: u32 = 2 << 20;

/// How long MLX may take to start.
const START: Duration = Duration::from_secs(30);

/// How processes are run.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    /// How long a trial may take.
    pub(super) limit: Duration,
    /// Whether MLX finds the compiler with which it fuses compiled functions: a second for each dtype and layout.
    pub(super) fuses: bool,
}

/// How a batch went.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Report {
    /// The outcomes of its first trials, in their order.
    pub(super) outcomes: Vec<String>,
    pub(super) ending: Ending,
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// After the end marker, with exit code 0.
    Whole,
    /// Otherwise.
    Killed(String),
    /// Not by itself.
    Hung,
}

/// Makes trials in a process of their own; one of depth may take longer than the limit.
pub(super) fn run(trials: &[Trial], terms: Terms) -> Result<Report, String> {
    let folder = tempfile::tempdir().map_err(|e| format!("no folder for temporary files: {e}"))?;
    let file = folder.path().join("trials.txt");
    let lines: Vec<String> = trials.iter().map(Trial::line).collect();
    fs::write(&file, lines.join("\n")).map_err(|e| format!("{}: {e}", file.display()))?;
    let complaints = folder.path().join("stderr.txt");
    let stderr = fs::File::create(&complaints).map_err(|e| format!("{}: {e}", complaints.display()))?;
    // Rust has no safe way to limit its own memory; a shell does. Where there is no such limit, memory is the machine's.
    let limited = format!("ulimit -v {ADDRESS_SPACE} 2>/dev/null; exec \"$0\" kill-hunt-worker \"$1\"");
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", &limited])
        .arg(env::current_exe().map_err(|e| e.to_string())?)
        .arg(&file)
        // An arena or a buffer per thread would use up the address space.
        .env("MALLOC_ARENA_MAX", "1")
        .env("OPENBLAS_NUM_THREADS", "1")
        .env("TMPDIR", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(stderr);
    if !terms.fuses {
        command.env("PATH", folder.path());
    }
    let mut child = command.spawn().map_err(|e| format!("sh did not start: {e}"))?;
    let said = lines_of(&mut child);
    let (outcomes, at_end) =
        watch(&said, |number| trials.get(number).map_or(terms.limit, |trial| trial.patience(terms.limit)));
    let ending = match at_end {
        None => {
            let _ = child.kill();
            let _ = child.wait();
            Ending::Hung
        }
        Some(marked) => {
            let status = child.wait().map_err(|e| e.to_string())?;
            let told = fs::read_to_string(&complaints).unwrap_or_default();
            match (status.success(), marked) {
                (true, true) => Ending::Whole,
                (true, false) => Ending::Killed("exit code 0 without the end marker".into()),
                (false, _) => Ending::Killed(format!("{status} {}", told.trim_end().replace('\n', " "))),
            }
        }
    };
    Ok(Report { outcomes, ending })
}

fn lines_of(child: &mut Child) -> Receiver<String> {
    let (sender, said) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        // A pipe has no time limit of its own; a channel does.
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
    }
    said
}

/// The outcomes that were said in time; then whether the end marker came, or nothing where the process went on in
/// silence.
fn watch(said: &Receiver<String>, patience: impl Fn(usize) -> Duration) -> (Vec<String>, Option<bool>) {
    let (mut outcomes, mut marked, mut start) = (Vec::new(), false, START);
    loop {
        match said.recv_timeout(start + patience(outcomes.len())) {
            Ok(line) if line == END => marked = true,
            Ok(line) => {
                // MLX may print lines of its own.
                if let Some(outcome) = line.strip_prefix(&format!("{} ", outcomes.len())) {
                    outcomes.push(outcome.to_owned());
                }
            }
            Err(RecvTimeoutError::Timeout) => return (outcomes, None),
            Err(RecvTimeoutError::Disconnected) => return (outcomes, Some(marked)),
        }
        start = Duration::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(lines: &[&str], stays: bool) -> (Vec<String>, Option<bool>) {
        let (sender, said) = mpsc::channel();
        for line in lines {
            sender.send((*line).to_owned()).expect("it is received");
        }
        let held = stays.then_some(sender);
        let seen = watch(&said, |_| Duration::from_millis(1));
        drop(held);
        seen
    }

    #[test]
    fn outcomes_and_the_end_marker_are_told_apart() {
        let (outcomes, end) = watched(&["0 ok", "a word of MLX's", "1 panic 7", END], false);
        assert_eq!((outcomes, end), (vec!["ok".into(), "panic 7".into()], Some(true)));
        assert_eq!(watched(&["0 ok"], false), (vec!["ok".into()], Some(false)));
        // A number out of turn is no outcome.
        assert_eq!(watched(&["1 ok"], false), (vec![], Some(false)));
    }

    #[test]
    fn silence_is_a_hang_also_behind_the_marker() {
        assert_eq!(watched(&["0 ok", END], true), (vec!["ok".into()], None));
    }
}
