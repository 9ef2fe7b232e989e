//! Mode `fast`: what our kernels compute is no farther from float64 than what MLX computes, in every layout and under
//! every transform, and stays right where threads compute at once.
//!
//! The mode belongs to a process, so this program starts itself again, once for each mode.

mod cases;
mod layouts;
mod threads;

use std::{
    collections::BTreeMap,
    env,
    process::{Command, ExitCode},
};

const WORK: &str = "MLX_TEST_WORK";

/// Rows, and what each mode gets.
type Rows = BTreeMap<String, Vec<f64>>;

fn main() -> ExitCode {
    if cfg!(target_vendor = "apple") {
        return ExitCode::SUCCESS; // there is no other mode
    }
    match env::var(WORK).as_deref() {
        Ok("cases") => cases::print(),
        Ok("threads") => threads::check(),
        Ok(other) => panic!("no work is called {other}"),
        Err(_) => {
            compare();
            again("fast", "threads", &[]);
            println!("all as it should be");
        }
    }
    ExitCode::SUCCESS
}

/// What this program prints when it does `work` in `mode`.
fn again(mode: &str, work: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(env::current_exe().unwrap());
    command.env(WORK, work).env("MLX_CPU", mode).envs(variables.iter().copied());
    let output = command.output().unwrap();
    let (said, complained) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
    assert!(
        output.status.success() && complained.is_empty(),
        "{mode}, {work}: {}\n{complained}",
        output.status
    );
    said
}

fn rows(mode: &str, variables: &[(&str, &str)]) -> Rows {
    let mut rows = Rows::new();
    for line in again(mode, "cases", variables).lines() {
        let (name, numbers) = line.split_once('\t').expect("a name and its numbers");
        let numbers = numbers.split('\t').map(|number| number.parse().unwrap()).collect();
        assert!(rows.insert(name.to_owned(), numbers).is_none(), "two cases are called {name}");
    }
    rows
}

/// The error of each case in mode `fast`, as the root of the mean of its squares, against that in mode `stock`. Sums of
/// the same terms in another order differ by chance, a part of the last place: that is what is granted.
fn compare() {
    let stock = rows("stock", &[]);
    for isa in ["avx512", "avx2", "portable"] {
        let variables = [("MLX_CPU_ISA", isa)];
        if isa != "portable" && !has(isa) {
            continue;
        }
        let fast = rows("fast", &variables);
        assert_eq!(stock.keys().collect::<Vec<_>>(), fast.keys().collect::<Vec<_>>());
        let mut worse = Vec::new();
        for (name, stock) in &stock {
            let [error, granted] = fast[name][..] else { panic!("{name}: two numbers") };
            if error > 1.02 * stock[0] + granted {
                worse.push(format!("{name}: {error:e} and {:e} in stock; {granted:e} is granted", stock[0]));
            }
        }
        assert!(worse.is_empty(), "{isa}, {} of {}:\n{}", worse.len(), fast.len(), worse.join("\n"));
        println!("{isa}: {} cases", fast.len());
    }
}

/// Whether this processor has what kernels for `isa` need.
fn has(isa: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    return match isa {
        "avx512" => is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("avx512bw"),
        _ => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
    };
    #[cfg(not(target_arch = "x86_64"))]
    false
}
