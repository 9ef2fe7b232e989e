//! What the environment asks for: empty variables are as none, and what cannot be is an error that names it.
//!
//! Variables are read once, so this program starts itself again for each value.

use mlx_cpu::{Isa, pool};
use std::{
    env,
    ffi::{OsStr, OsString},
    process::Command,
};

const INSIDE: &str = "MLX_CPU_TEST_INSIDE";

/// In a process of its own: the instructions and the threads chosen there, or what was said.
#[test]
fn inside() {
    if env::var_os(INSIDE).is_some() {
        let chosen = Isa::chosen().map(|isa| format!("{isa} {}", pool::threads()));
        println!("chosen: {}", chosen.unwrap_or_else(|said| said));
    }
}

fn chosen(name: &str, value: &OsStr) -> String {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "inside", "--nocapture"]).env(INSIDE, "1");
    let output = command.env_remove("MLX_CPU_ISA").env_remove("MLX_CPU_THREADS").env(name, value).output();
    let output = output.unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{name}={}: {printed}", value.display());
    let (_, said) = printed.split_once("chosen: ").expect("a line that says it");
    said.lines().next().unwrap().to_owned()
}

#[test]
fn what_is_set_is_taken_or_refused() {
    let usual = chosen("UNRELATED", OsStr::new("1"));
    let best = Isa::best().to_string();
    assert!(usual.starts_with(&format!("{best} ")), "{usual}");
    let check = |name, value: &str, expected: &str| {
        assert_eq!(chosen(name, OsStr::new(value)), expected, "{name}={value}");
    };
    check("MLX_CPU_ISA", "", &usual);
    check("MLX_CPU_ISA", "portable", &usual.replace(&best, "portable"));
    check("MLX_CPU_ISA", "sse9", "MLX_CPU_ISA=sse9: not one of portable, avx2, avx512");
    check("MLX_CPU_THREADS", "", &usual);
    check("MLX_CPU_THREADS", "3", &format!("{best} 3"));
    check("MLX_CPU_THREADS", "1000", &format!("{best} 256"));
    for bad in ["0", "abc"] {
        let said = format!("MLX_CPU_THREADS={bad}: not a number of threads, 1 or more");
        check("MLX_CPU_THREADS", bad, &said);
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_text_is_refused() {
    use std::os::unix::ffi::OsStringExt;
    let value = OsString::from_vec(vec![b'a', 0xff]);
    for name in ["MLX_CPU_ISA", "MLX_CPU_THREADS"] {
        assert_eq!(chosen(name, &value), format!("{name}={}: not UTF-8", value.display()));
    }
}
