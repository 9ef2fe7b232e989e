//! Functions written to files: what is in them, what refuses to be, and what is left of a file when a trace ends early.

use crate::{
    errors::Mine,
    exported::{import, shapeless},
    folder::Folder,
};
use mlx::{
    Dtype, Error, ErrorKind, Result, Tensor, ops,
    prelude::*,
    random,
    transforms::{FunctionExporter, compile, export_function, is_tracing_shapeless},
};
use std::{
    collections::{BTreeMap, HashMap},
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    thread,
};

pub(crate) type Keywords = BTreeMap<String, Tensor>;

pub(crate) fn keywords<const N: usize>(named: [(&str, Tensor); N]) -> Keywords {
    named.into_iter().map(|(name, tensor)| (name.to_owned(), tensor)).collect()
}

pub(crate) fn same(found: &[Tensor], wanted: &[Tensor]) {
    assert_eq!(found.len(), wanted.len());
    for (x, y) in found.iter().zip(wanted) {
        assert_eq!((x.dtype(), x.shape()), (y.dtype(), y.shape()));
        assert_eq!(x.to_bytes().unwrap(), y.to_bytes().unwrap());
    }
}

/// A block as models have it: products, a norm, a softmax, slices, gathers, constants in several dtypes.
fn block([x, indices]: &[Tensor; 2], weight: &Tensor) -> Result<(Tensor, Vec<Tensor>)> {
    let y = ops::matmul(x, weight)? * 0.1;
    let y = mlx::fast::rms_norm(&y, None, 1e-5)? + &y * ops::sigmoid(&y)?;
    let picked = ops::take(&y, indices, 1)?;
    let half = y.astype(Dtype::Bfloat16) * 0.3;
    Ok((ops::softmax(&y, -1)?, vec![picked, half.index((.., 1..3)), x.sum(0).pow(2), y.gt(0.0)]))
}

#[test]
fn a_file_gives_the_function_again() {
    let folder = Folder::new("export");
    let path = folder.path("100% größe.mlxfn");
    random::seed(3).unwrap();
    let weight = random::normal([4, 6]).unwrap();
    let args = [random::normal([5, 4]).unwrap(), tensor![5, 0, 3]];
    export_function(&path, |args: &[Tensor; 2]| block(args, &weight), &args).unwrap();
    assert_eq!(folder.files(), 1);
    let (first, rest) = block(&args, &weight).unwrap();
    let wanted: Vec<Tensor> = std::iter::once(first).chain(rest).collect();
    let f = import(&path).unwrap();
    same(&f.call(&args).unwrap(), &wanted);
    same(&f.call(&(args[0].clone(), vec![args[1].clone()])).unwrap(), &wanted);
    assert!(format!("{f:?}").contains("(5,4) float32"), "{f:?}");
    assert_eq!(f.metadata(), "");
    // The constants are read once, and stay when the file has gone.
    fs::remove_file(&path).unwrap();
    same(&f.call(&args).unwrap(), &wanted);
}

#[test]
fn nothing_in_and_nothing_out() {
    let folder = Folder::new("nothing");
    let path = folder.path("f");
    export_function(&path, |(): &()| tensor![1, 2] * 2, &()).unwrap();
    assert_eq!(import(&path).unwrap().call(&()).unwrap()[0].to_vec::<i32>().unwrap(), [2, 4]);
    export_function(&path, |_: &Tensor| (), &tensor![1]).unwrap();
    assert!(import(&path).unwrap().call(&tensor![1]).unwrap().is_empty());
    let constant = tensor![7];
    export_function(&path, |x: &Tensor| [constant.clone(), x.clone(), x.clone()], &tensor![1.5]).unwrap();
    let outputs = import(&path).unwrap().call(&tensor![2.5]).unwrap();
    same(&outputs, &[constant.clone(), tensor![2.5], tensor![2.5]]);
}

#[test]
fn one_file_has_several_shapes_and_structures() {
    let folder = Folder::new("several");
    let path = folder.path("sum.mlxfn");
    let sum = |terms: &Vec<Tensor>| terms.iter().sum::<Tensor>();
    let mut exporter = FunctionExporter::new(&path, sum).unwrap();
    for terms in [vec![tensor![1]], vec![tensor![1]; 3], vec![tensor![1.0]; 3], vec![tensor![[1, 2]]; 2]] {
        exporter.call(&terms).unwrap();
        assert!(!path.exists());
    }
    let error = exporter.call(&vec![tensor![5]; 3]).unwrap_err();
    assert!(
        error.message().contains("Attempting to export a function twice with the same signature"),
        "{error}"
    );
    exporter.call(&vec![tensor![0.5]]).unwrap();
    exporter.close().unwrap();
    let f = import(&path).unwrap();
    assert_eq!(f.call(&[tensor![1], tensor![2], tensor![3]]).unwrap()[0].to_vec::<i32>().unwrap(), [6]);
    assert_eq!(f.call(&vec![tensor![1.5]; 3]).unwrap()[0].to_vec::<f32>().unwrap(), [4.5]);
    assert_eq!(f.call(&vec![tensor![[1, 2]]; 2]).unwrap()[0].to_vec::<i32>().unwrap(), [2, 4]);
    assert_eq!(f.call(&tensor![2.5]).unwrap()[0].to_vec::<f32>().unwrap(), [2.5]);
}

#[test]
fn keywords_go_by_their_names() {
    let folder = Folder::new("keywords");
    let path = folder.path("f.mlxfn");
    let count = 40;
    let f = |x: &Tensor, more: &Keywords| {
        let terms = (0..count).map(|i| &more[&format!("%s k{i}")] * 2.0_f64.powi(i % 20));
        terms.fold(x.clone(), |sum, term| sum + term)
    };
    let values = |offset: i32| -> Keywords {
        (0..count).map(|i| (format!("%s k{i}"), tensor![f64::from(i + offset)])).collect()
    };
    let mut exporter =
        FunctionExporter::with_keywords(&path, f).unwrap().metadata("{\"größe\": \"%s\"}\nand more");
    exporter.call_keywords(&tensor![0.0], &values(0)).unwrap();
    exporter.close().unwrap();
    let g = import(&path).unwrap();
    let (x, more) = (tensor![0.5], values(3));
    same(&g.call_keywords(&x, &more).unwrap(), &[f(&x, &more)]);
    let hashed: HashMap<String, Tensor> = more.clone().into_iter().collect();
    same(&g.call_keywords(&x, &hashed).unwrap(), &[f(&x, &more)]);
    assert_eq!(g.metadata(), "{\"größe\": \"%s\"}\nand more");
}

#[test]
fn keywords_have_names() {
    let folder = Folder::new("names");
    let mut exporter =
        FunctionExporter::with_keywords(folder.path("f"), |x: &Tensor, _: &Vec<Keywords>| x + 1).unwrap();
    exporter.call_keywords(&tensor![1], &vec![keywords([("a", tensor![1]), ("b.c", tensor![2])])]).unwrap();
    let error = exporter.call_keywords(&tensor![1], &vec![keywords([("a\0", tensor![1])])]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
    exporter.close().unwrap();
    let listing = format!("{:?}", import(folder.path("f")).unwrap());
    assert!(listing.contains("\"0.a\"") && listing.contains("\"0.b.c\""), "{listing}");

    let mut exporter =
        FunctionExporter::with_keywords(folder.path("g"), |x: &Tensor, _: &Tensor| x + 1).unwrap();
    assert!(exporter.call_keywords(&tensor![1], &tensor![1]).unwrap_err().message().contains("no name"));
    let twice = |x: &Tensor, _: &(Keywords, BTreeMap<&'static str, Tensor>)| x + 1;
    let error = FunctionExporter::with_keywords(folder.path("g"), twice)
        .unwrap()
        .call_keywords(&tensor![1], &(keywords([("a", tensor![1])]), BTreeMap::new()));
    error.unwrap();
    assert_eq!(folder.files(), 1 + 1, "f, and the new g beside g");
}

#[test]
fn what_a_function_fails_with_comes_out_and_the_file_stays() {
    let folder = Folder::new("fails");
    let path = folder.path("f.mlxfn");
    export_function(&path, |x: &Tensor| x + 1, &tensor![1]).unwrap();
    let before = fs::read(&path).unwrap();
    let fail = |_: &Tensor| Err::<Tensor, Mine>(Mine("no".into()));
    assert_eq!(export_function(&path, fail, &tensor![1]).unwrap_err(), Mine("no".into()));
    let panicked =
        catch_unwind(|| export_function(&path, |_: &Tensor| -> Tensor { panic!("mine") }, &tensor![1]));
    assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"mine"));
    let evaluate = |x: &Tensor| x.to_vec::<i32>().map(|_| x.clone());
    let error = export_function(&path, evaluate, &tensor![1]).unwrap_err();
    assert!(error.message().contains("transformation"), "{error}");
    let unwritable = |x: &Tensor| ops::bitwise_invert(x);
    let error = export_function(&path, unwritable, &tensor![1]).unwrap_err();
    assert!(error.message().contains("BitwiseInvert"), "{error}");
    let x = tensor![1];
    let error = export_function(&path, |y: &Tensor| x.clone() + y, &x).unwrap_err();
    assert!(error.message().contains("uncaptured inputs"), "{error}");
    assert_eq!((fs::read(&path).unwrap(), folder.files()), (before, 1));
    // And the next call is right.
    export_function(&path, |x: &Tensor| x + 2, &tensor![1]).unwrap();
    assert_eq!(import(&path).unwrap().call(&tensor![1]).unwrap()[0].to_vec::<i32>().unwrap(), [3]);
}

/// MLX compares the next arguments with those of a trace that it does not have.
#[test]
fn an_exporter_whose_trace_ended_early_is_done() {
    let folder = Folder::new("early");
    for panics in [false, true] {
        let mut turn = 0;
        let turn = std::cell::Cell::from_mut(&mut turn);
        let f = |x: &Tensor| {
            turn.set(turn.get() + 1);
            match turn.get() {
                2 if panics => panic!("mine"),
                2 => Err(Mine("no".into())),
                _ => Ok(x + 1),
            }
        };
        let mut exporter = FunctionExporter::new(folder.path("f"), f).unwrap();
        exporter.call(&tensor![1]).unwrap();
        let second = catch_unwind(AssertUnwindSafe(|| exporter.call(&tensor![1.0])));
        assert!(!matches!(second, Ok(Ok(()))));
        for x in [tensor![1.0], tensor![2], tensor![true]] {
            let Mine(text) = exporter.call(&x).unwrap_err();
            assert!(text.contains("begin again") && text.contains("größe"), "{text}");
        }
        assert!(exporter.close().unwrap_err().message().contains("begin again"));
        assert_eq!((turn.get(), folder.files()), (2, 0));
    }
}

#[test]
fn options_come_first_and_a_trace_before_the_end() {
    let folder = Folder::new("options");
    let exporter = FunctionExporter::new(folder.path("f"), |x: &Tensor| x + 1).unwrap();
    assert!(exporter.close().unwrap_err().message().contains("nothing was exported"));
    let mut exporter = FunctionExporter::new(folder.path("f"), |x: &Tensor| x + 1).unwrap();
    exporter.call(&tensor![1]).unwrap();
    let mut exporter = exporter.metadata("late");
    assert!(exporter.call(&tensor![1.0]).unwrap_err().message().contains("before the first trace"));
    assert!(exporter.close().is_err());
    drop(FunctionExporter::new(folder.path("f"), |x: &Tensor| x + 1).unwrap());
    assert_eq!(folder.files(), 0);
}

#[test]
fn files_that_cannot_be_written() {
    let folder = Folder::new("unwritable");
    let nowhere = folder.path("nowhere/f.mlxfn");
    let error = export_function(&nowhere, |x: &Tensor| x + 1, &tensor![1]).unwrap_err();
    assert!(
        error.kind() == ErrorKind::Io && error.message().contains(&*nowhere.to_string_lossy()),
        "{error}"
    );
    let error = export_function(folder.path(""), |x: &Tensor| x + 1, &tensor![1]).unwrap_err();
    assert!(error.message().contains("not a regular file"), "{error}");
    let error: Error = export_function("a\0b", |x: &Tensor| x + 1, &tensor![1]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    // The file that a link leads to is replaced, with its permissions.
    fs::write(folder.path("kept"), "old").unwrap();
    fs::set_permissions(folder.path("kept"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("kept", folder.path("link")).unwrap();
    export_function(folder.path("link"), |x: &Tensor| x + 1, &tensor![1]).unwrap();
    assert!(fs::symlink_metadata(folder.path("link")).unwrap().is_symlink());
    assert_eq!(fs::metadata(folder.path("kept")).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(import(folder.path("kept")).is_ok());
}

#[test]
fn shapeless_traces_serve_every_shape() {
    let folder = Folder::new("shapeless");
    let path = folder.path("f.mlxfn");
    let f = |x: &Tensor| {
        assert!(is_tracing_shapeless());
        (x * x + 1.0).sum(1)
    };
    let mut exporter = shapeless(FunctionExporter::new(&path, f).unwrap());
    exporter.call(&tensor![[1.0, 2.0]]).unwrap();
    exporter.close().unwrap();
    assert!(!is_tracing_shapeless());
    let f = import(&path).unwrap();
    let y = f.call(&tensor![[1.0, 2.0, 3.0], [0.0, 0.0, 1.0]]).unwrap();
    assert_eq!(y[0].to_vec::<f32>().unwrap(), [17.0, 4.0]);
    assert!(f.call(&tensor![1.0]).is_err() && f.call(&tensor![[[1.0]]]).is_err());
    let by_size = |x: &Tensor| {
        assert!(!is_tracing_shapeless());
        x * f64::from(x.shape()[0])
    };
    export_function(&path, by_size, &tensor![1.0, 2.0]).unwrap();
    assert!(import(&path).unwrap().call(&tensor![1.0]).is_err());
}

/// The lock is not held while a function runs: it would wait for ever here.
#[test]
fn other_threads_go_on_while_a_function_is_traced() {
    let folder = Folder::new("threads");
    let (ask, asked) = mpsc::channel::<f32>();
    let (answer, answers) = mpsc::channel::<f32>();
    let worker = thread::spawn(move || {
        for x in asked {
            answer.send((tensor![f64::from(x)] * 2.0).item::<f32>().unwrap()).unwrap();
        }
    });
    let f = |x: &Tensor| {
        ask.send(3.0).unwrap();
        x * f64::from(answers.recv().unwrap())
    };
    export_function(folder.path("f"), f, &tensor![1.0]).unwrap();
    drop(ask);
    worker.join().unwrap();
    assert_eq!(
        import(folder.path("f")).unwrap().call(&tensor![1.0]).unwrap()[0].to_vec::<f32>().unwrap(),
        [6.0]
    );
}

#[test]
fn compiled_functions_and_draws_are_written_out() {
    let folder = Folder::new("compiled");
    let path = folder.path("f");
    let square = compile(|x: &Tensor| x * x + 0.1);
    export_function(&path, |x: &Tensor| square.call(x), &tensor![1.0]).unwrap();
    same(&import(&path).unwrap().call(&tensor![3.0]).unwrap(), &[tensor![3.0] * 3.0 + 0.1]);
    let draw = |key: &Tensor| random::Normal::new().key(key).sample([7]);
    let key = random::key(5).unwrap();
    export_function(&path, draw, &random::key(0).unwrap()).unwrap();
    same(&import(&path).unwrap().call(&key).unwrap(), &[draw(&key).unwrap()]);
    // Without a key a draw is one of the thread's, with a key as it was then.
    random::seed(9).unwrap();
    export_function(&path, |x: &Tensor| random::uniform(0, 1, [4]).map(|u| u + x), &tensor![0.0]).unwrap();
    random::seed(9).unwrap();
    let wanted = random::uniform(0, 1, [4]).unwrap() + tensor![0.0];
    let f = import(&path).unwrap();
    same(&f.call(&tensor![0.0]).unwrap(), std::slice::from_ref(&wanted));
    same(&f.call(&tensor![0.0]).unwrap(), &[wanted]);
}
