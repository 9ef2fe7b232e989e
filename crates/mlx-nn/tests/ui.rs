//! What `#[derive(Module)]` refuses, and where its errors point.
//!
//! Other compilers word it otherwise: there nothing is compared. Not here: what the derive makes (`derive`).

use std::process::Command;

/// The compiler whose words are recorded.
const RECORDED: &str = "rustc 1.95.";

#[test]
fn what_must_not_compile() {
    let version = Command::new("rustc").arg("--version").output().expect("cargo runs tests beside a rustc");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.starts_with(RECORDED) {
        println!("the words of {RECORDED} are recorded, and this is {version}");
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}
