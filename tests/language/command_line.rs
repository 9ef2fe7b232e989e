//! The program itself: its text alone on standard output, errors, Ctrl-C.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

/// The program, which cargo builds for the tests beside them.
fn program() -> Command {
    let this = std::env::current_exe().expect("this program has a path");
    let built = this.ancestors().nth(2).expect("below a folder of cargo's").join("examples/generate");
    Command::new(built)
}

fn run(arguments: &[&str]) -> (Output, String, String) {
    let output = program().args(arguments).output().expect("it is built with the tests");
    let [said, complained] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    (output, said, complained)
}

#[test]
fn the_text_is_alone_on_standard_output() {
    let (output, said, complained) =
        run(&["--raw", "--greedy", "--device", "cpu", "--max-tokens", "8", "1, 2, 3, 4, 5, 6, 7, 8,"]);
    assert!(output.status.success(), "{complained}");
    assert_eq!(said, " 9, 10, \n");
    assert!(
        complained.contains("23 tokens in the prompt") && complained.contains("8 tokens: the first after"),
        "{complained}"
    );
}

#[test]
fn what_is_wrong_is_one_line() {
    let (output, said, complained) = run(&["--model", "/nowhere/model.gguf", "Hello"]);
    assert_eq!((output.status.code(), said.as_str()), (Some(1), ""));
    assert!(
        complained.starts_with("generate: ") && complained.contains("/nowhere/model.gguf"),
        "{complained}"
    );
    assert_eq!(complained.lines().count(), 1, "{complained}");
    let (output, _, complained) = run(&["--greedy", "--temperature", "1", "Hello"]);
    assert_eq!(output.status.code(), Some(2), "{complained}");
    let (output, _, complained) = run(&["--top-p", "7", "--temperature", "1", "--device", "cpu", "Hello"]);
    assert_eq!(output.status.code(), Some(1), "{complained}");
    assert!(complained.ends_with("generate: top_p is 7, not between 0 and 1\n"), "{complained}");
}

/// What was said until then is there, the line is ended, and the exit code is a shell's for Ctrl-C.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_with_what_was_said() {
    let mut child = program()
        .args(["--raw", "--greedy", "--device", "cpu", "--max-tokens", "100000", "1, 2, 3, 4, 5, 6, 7, 8,"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it is built with the tests");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let first = out.fill_buf().expect("a first token").len();
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("a command of the system");
    assert!(kill.success() && first > 0);
    let start = Instant::now();
    let status = loop {
        match child.try_wait().expect("a child of ours") {
            Some(status) => break status,
            None if start.elapsed() > Duration::from_secs(60) => {
                child.kill().expect("a child of ours");
                panic!("it went on");
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let mut said = String::new();
    out.read_to_string(&mut said).expect("text");
    let mut complained = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut complained).expect("text");
    assert_eq!(status.code(), Some(130), "{complained}");
    assert!(said.starts_with(' ') && said.ends_with('\n'), "{said:?}");
    assert!(complained.contains("tokens: the first after"), "{complained}");
}
