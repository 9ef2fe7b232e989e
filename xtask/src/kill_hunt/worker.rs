//! The process that may die: makes the trials of a file, and reads whatever they give in every way there is.
//!
//! Prints a line a trial and the end marker. Not here: which trials (`trial`), what its death means (`process`).

use super::{process::END, trial::KILLER};
use crate::parity::worker::{
    case,
    failure::{Failure, Result},
    value::{Names, Value, with_element},
};
use mlx_core::{Element, Tensor};
use serde_json::{Value as Json, json};
use std::{
    fs,
    hint::black_box,
    panic::{self, AssertUnwindSafe},
    path::Path,
    thread,
};

/// Of lists longer than two of these only so many at either end are read.
const ENDS: usize = 8;
/// More elements than these are not read one by one.
const READ: usize = 1 << 16;
/// More elements than these are not computed with: it would take minutes, or years.
const COMPUTED: usize = 1 << 22;
/// As many bytes as this process may not have; a result of that size is refused at once.
const UNAVAILABLE: usize = 1 << 31;
/// Enough for the library, and less than a recursion over a deep graph takes.
const SMALL_STACK: usize = 128 << 10;
/// How often the library is seen to work still, in trials.
const PULSE: usize = 32;

/// Primitives whose results are views of their inputs.
const VIEWS: [&str; 9] = [
    "AsStrided",
    "Broadcast",
    "ExpandDims",
    "Flatten",
    "Slice",
    "Split",
    "Squeeze",
    "Transpose",
    "Unflatten",
];

/// Makes the trials of the file, one a line.
pub(crate) fn run(file: &Path) -> std::result::Result<bool, String> {
    panic::set_hook(Box::new(|_| {}));
    let lines = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    for (number, line) in lines.lines().enumerate() {
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| trial(line))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a text");
            format!("panic {}", text.replace('\n', " "))
        });
        println!("{number} {outcome}");
        if number % PULSE == 0 {
            pulse()?;
        }
    }
    pulse()?;
    println!("{END}");
    Ok(true)
}

/// Whether the library still computes.
fn pulse() -> std::result::Result<(), String> {
    let sum = Tensor::from_slice(&[1, 2]).map(|x| x + 1).and_then(|x| x.to_vec::<i32>());
    match sum {
        Ok(values) if values == [2, 3] => Ok(()),
        other => Err(format!("[1, 2] + 1 is {other:?}")),
    }
}

/// `ok`, `error` or `skipped`, and why.
fn trial(line: &str) -> String {
    let trial: Json = match serde_json::from_str(line) {
        Ok(trial) => trial,
        Err(error) => return format!("skipped {error}"),
    };
    if trial["step"]["op"] == KILLER {
        std::process::exit(0);
    }
    match made(&trial) {
        Ok(()) => "ok".into(),
        Err(Failure::Raised { kind, message }) => {
            black_box((kind, message));
            "error".into()
        }
        Err(Failure::IllFormed(why) | Failure::Unsupported(why)) => {
            format!("skipped {}", why.replace('\n', " "))
        }
    }
}

fn made(trial: &Json) -> Result<()> {
    let mut names = case::inputs(&trial["inputs"], Path::new("."))?;
    case::steps(&trial["setup"], &mut names)?;
    if trial["ready"] == true {
        names.values().try_for_each(|value| each(value, &mut |x| Ok(x.eval()?)))?;
    }
    let step = json!([trial["step"]]);
    if let Some(depth @ 1..) = trial["depth"].as_u64() {
        return deep(&step, &names, depth);
    }
    case::steps(&step, &mut names)?;
    let mut largest = 0;
    for value in names.values() {
        each(value, &mut |x| {
            largest = largest.max(x.size());
            Ok(())
        })?;
    }
    match &names["y"] {
        // The text of one of many parts names them all.
        Value::List(items) if items.len() > 2 * ENDS => {
            let (first, last) = (&items[..ENDS], &items[items.len() - ENDS..]);
            first.iter().chain(last).try_for_each(|item| each(item, &mut |x| read(x, largest)))
        }
        y => each(y, &mut |x| read(x, largest)),
    }
}

fn each(value: &Value, visit: &mut dyn FnMut(&Tensor) -> Result<()>) -> Result<()> {
    match value {
        Value::Tensor(tensor) => visit(tensor),
        Value::List(items) => items.iter().try_for_each(|item| each(item, visit)),
        _ => Ok(()),
    }
}

/// Reads a tensor that was made of tensors of up to `largest` elements.
fn read(x: &Tensor, largest: usize) -> Result<()> {
    black_box(format!("{x:?}"));
    let dot = mlx_core::graph::dot(std::slice::from_ref(x));
    if largest > COMPUTED && !is_cheap(x, &dot?) {
        return Ok(());
    }
    let [first, second] = [x.eval(), x.eval()];
    assert_eq!(first.is_ok(), second.is_ok(), "a tensor that computes now and then: {first:?}, {second:?}");
    let text = x.to_string();
    assert!(!text.is_empty() && text.starts_with('<') == first.is_err(), "printed as {text:?}");
    first?;
    if x.size() > READ {
        let ends = [0, -1].map(|end| vec![mlx_ops::Index::At(end); x.ndim()]);
        for end in ends {
            black_box(mlx_ops::index(x, &end[..])?.to_bytes()?);
        }
        return Ok(());
    }
    assert_eq!(x.to_bytes()?.len(), x.nbytes());
    with_element!(x.dtype(), elements(x))
}

fn elements<T: Element>(x: &Tensor) -> Result<()> {
    assert_eq!(x.to_vec::<T>()?.len(), x.size());
    // Strided ones have no slice.
    if let Ok(slice) = x.as_slice::<T>() {
        assert_eq!(slice.len(), x.size());
    }
    assert_eq!(x.item::<T>().is_ok(), x.size() == 1);
    Ok(())
}

/// Whether computing a huge tensor takes no time: it is a view, or too large to be begun.
fn is_cheap(x: &Tensor, dot: &str) -> bool {
    let labels = dot.split("label =\"").skip(1).filter_map(|rest| rest.split('"').next());
    let computing = labels.filter(|label| !VIEWS.contains(label)).count();
    computing == 0 || (computing == 1 && x.nbytes() >= UNAVAILABLE)
}

/// Graphs of the step's own results: one is written as text, computed and read, one dropped on a small stack.
fn deep(step: &Json, names: &Names, depth: u64) -> Result<()> {
    let chain = || {
        let mut names = names.clone();
        for _ in 0..depth {
            // Ops that change the shape come to an end, which is a graph too.
            if case::steps(step, &mut names).is_err() {
                break;
            }
        }
        names.remove("t0")
    };
    if let Some(value) = chain() {
        each(&value, &mut |x| {
            black_box(mlx_core::graph::dot(std::slice::from_ref(x)).is_ok());
            if x.size() > COMPUTED { Ok(()) } else { read_deep(x) }
        })?;
    }
    let dropping = chain();
    let thread = thread::Builder::new().stack_size(SMALL_STACK).spawn(move || drop(dropping));
    let joined = thread.map(thread::JoinHandle::join);
    assert!(matches!(joined, Ok(Ok(()))), "no thread to drop on");
    Ok(())
}

fn read_deep(x: &Tensor) -> Result<()> {
    x.eval()?;
    black_box((x.to_string(), x.to_bytes()?));
    Ok(())
}
