//! Code that must not compile, and what the compiler says of it.
//!
//! Other compilers word it otherwise: there the `compile_fail` examples of the crate's documentation hold alone.

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
