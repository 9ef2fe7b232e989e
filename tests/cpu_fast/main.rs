//! Mode `fast`: what our kernels compute is no farther from float64 than what MLX computes, in every layout and under
//! every transform, and stays right where threads compute at once.
//!
//! The mode belongs to a process, so this program starts itself again, once for each mode.

mod cases;
mod layouts;
mod threads;

use mlx::{Device, DeviceKind};
use mlx_cpu::Isa;
use std::{
    collections::BTreeMap,
    env,
    process::{Command, ExitCode},
};

const WORK: &str = "MLX_TEST_WORK";

/// Rows, and what each mode gets.
type Rows = BTreeMap<String, Vec<f64>>;

fn main() -> ExitCode {
    if cfg!(target_vendor = "apple") || Device::count(DeviceKind::Gpu).unwrap() > 0 {
        return ExitCode::SUCCESS; // the mode is not there
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
    for isa in Isa::ALL.into_iter().rev().filter(|isa| isa.is_supported()) {
        let isa = isa.to_string();
        let variables = [("MLX_CPU_ISA", isa.as_str())];
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
