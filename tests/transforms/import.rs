//! Functions read from files: calls that do not fit, files that are no functions, other transforms, threads, depth.

use crate::{
    export::{Keywords, keywords, same},
    exported::import,
    folder::Folder,
};
use mlx::{
    ErrorKind, MLX_VERSION, Tensor, eval, ops,
    prelude::*,
    transforms::{FunctionExporter, compile, export_function, grad, jvp, vmap},
};
use std::{fs, thread};

#[test]
fn calls_that_do_not_fit() {
    let folder = Folder::new("calls");
    let path = folder.path("f.mlxfn");
    let f = |x: &Tensor, more: &Keywords| more.values().fold(x.clone(), |sum, y| sum + y);
    let mut exporter = FunctionExporter::with_keywords(&path, f).unwrap();
    exporter
        .call_keywords(&tensor![1.0], &keywords([("100%s\": (", tensor![1.0]), ("b", tensor![2.0])]))
        .unwrap();
    exporter.call_keywords(&tensor![[1.0]], &Keywords::new()).unwrap();
    exporter.close().unwrap();
    drop(import(&path));

    let mut exporter = FunctionExporter::with_keywords(&path, f).unwrap();
    exporter.call_keywords(&tensor![1.0], &keywords([("100%s", tensor![1.0]), ("b", tensor![2.0])])).unwrap();
    exporter.call_keywords(&tensor![[1.0]], &Keywords::new()).unwrap();
    exporter.close().unwrap();
    let f = import(&path).unwrap();
    for wrong in
        [vec![], vec![tensor![1.0]; 2], vec![tensor![1.0]; 3], vec![tensor![[1]]], vec![tensor![[1.0, 2.0]]]]
    {
        let error = f.call(&wrong).unwrap_err();
        assert!(error.message().starts_with("[import_function::call] No imported function found"), "{error}");
        assert!(error.message().contains("   \"100%s\": (1) float32"), "{error}");
    }
    let error = f.call(&vec![tensor![[1]]]).unwrap_err();
    assert!(error.to_string().contains("(operands: "), "{error}");
    // MLX takes the first of these for a position.
    for wrong in [
        keywords([("z", tensor![1.0])]),
        keywords([("100%s", tensor![1.0])]),
        keywords([("100%s", tensor![1.0]), ("%n", tensor![2.0])]),
        keywords([("100%s", tensor![1.0]), ("b", tensor![2.0]), ("c", tensor![2.0])]),
    ] {
        let error = f.call_keywords(&tensor![1.0], &wrong).unwrap_err();
        assert!(
            error.kind() == ErrorKind::Value && error.message().contains("it has:\n 1. Function"),
            "{error}"
        );
    }
    let error = f.call_keywords(&(), &keywords([("z", tensor![[1.0]])])).unwrap_err();
    assert!(error.message().contains("takes 0 positional arguments and \"z\"; it has:"), "{error}");
    let error = f.call_keywords(&tensor![1.0], &keywords([("100%s", tensor![1.0]), ("b", tensor![2])]));
    assert!(error.unwrap_err().message().starts_with("[import_function::call]"));
    let more = keywords([("100%s", tensor![1.0]), ("b", tensor![2.0])]);
    assert_eq!(f.call_keywords(&tensor![1.0], &more).unwrap()[0].to_vec::<f32>().unwrap(), [4.0]);
}

#[test]
fn files_that_are_no_functions() {
    let folder = Folder::new("no functions");
    let path = folder.path("f");
    let refused = |what: &str| {
        let error = import(&path).unwrap_err();
        assert!(error.message().contains(what), "{error}");
        assert!(error.kind() == ErrorKind::Io && error.message().contains("größe"), "{error}");
    };
    refused("No such file");
    fs::create_dir(&path).unwrap();
    refused("not a regular file");
    fs::remove_dir(&path).unwrap();
    let head = |version: &str| [&(version.len() as u64).to_le_bytes()[..], version.as_bytes()].concat();
    for (contents, what) in [
        (vec![], "cut off: it has 0 bytes"),
        (vec![6, 0, 0, 0, 0, 0, 0, 0, b'0'], "cut off: it has 9 bytes"),
        (vec![0xff; 100], "not an exported function"),
        (b"\x93NUMPY\x01\x00 and an array".to_vec(), "not an exported function"),
        ([head("0.31.1"), vec![0; 50]].concat(), "written by MLX 0.31.1, whose format"),
        (head(MLX_VERSION), "cut off"),
        ([head(MLX_VERSION), vec![1, 0, 0, 0, 2], vec![0; 50]].concat(), "not an exported function"),
        ([head(MLX_VERSION), vec![1, 0, 0, 0, 0], vec![0xff; 50]].concat(), "cut off"),
        ([head(MLX_VERSION), vec![1, 0, 0, 0x80, 0], vec![0; 50]].concat(), "not an exported function"),
    ] {
        fs::write(&path, contents).unwrap();
        refused(what);
    }
    // What is cut off behind the head MLX finds.
    export_function(&path, |x: &Tensor| ops::exp(x).map(|y| y * tensor![1.0, 2.0]), &tensor![1.0, 2.0])
        .unwrap();
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert_eq!(import(&path).unwrap_err().kind(), ErrorKind::Io, "{length} of {} bytes", whole.len());
    }
    fs::write(&path, &whole).unwrap();
    assert!(import(&path).is_ok());
}

#[test]
fn imported_functions_are_transformed() {
    let folder = Folder::new("transformed");
    let path = folder.path("f");
    let weight = tensor![[1.0, 2.0], [3.0, 4.0]];
    export_function(&path, |x: &Tensor| x.matmul(&weight).tanh() * x, &tensor![0.0, 0.0]).unwrap();
    let f = import(&path).unwrap();
    let direct = |x: &Tensor| x.matmul(&weight).tanh() * x;
    let through = |x: &Tensor| f.call(x).map(|outputs| outputs[0].clone());
    let x = tensor![0.25, -0.5];
    let sum = |x: &Tensor| through(x).map(|y| y.sum(..));
    same(&[grad(sum, &x).unwrap()], &[grad(|x: &Tensor| direct(x).sum(..), &x).unwrap()]);
    let second = |x: &Tensor| grad(sum, x).map(|g| g.sum(..));
    let wanted = grad(|x: &Tensor| grad(|x: &Tensor| direct(x).sum(..), x).map(|g| g.sum(..)), &x).unwrap();
    same(&[grad(second, &x).unwrap()], &[wanted]);
    same(&[jvp(through, &x, &x).unwrap().1], &[jvp(direct, &x, &x).unwrap().1]);
    let rows = tensor![[0.25, -0.5], [1.0, 2.0], [0.0, -1.0]];
    same(&[vmap(through, &rows).unwrap()], &[vmap(direct, &rows).unwrap()]);
    let compiled = compile(through);
    for _ in 0..2 {
        same(&[compiled.call(&x).unwrap()], &[direct(&x)]);
    }
    assert_eq!(compiled.trace_count(), 1);
    // Out again, in which the constants of the first file go along.
    fs::rename(&path, folder.path("first")).unwrap();
    let wanted = direct(&x) + 1.0;
    f.call(&x).unwrap()[0].eval().unwrap();
    export_function(&path, |x: &Tensor| through(x).map(|y| y + 1.0), &x.index(..).copy()).unwrap();
    same(&import(&path).unwrap().call(&x).unwrap(), &[wanted]);
}

/// What is right for a tensor in order is foreign memory for a reversed one (tests/killers/views.rs).
#[test]
fn arguments_lie_in_any_order() {
    let folder = Folder::new("reversed");
    let f = |x: &Tensor| {
        let parts = ops::split(x, 2, 0)?;
        ops::add(parts[1].reshape([2, 2]).t(), parts[0].reshape([2, 2]))
    };
    export_function(folder.path("f"), f, &tensor![0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let imported = import(folder.path("f")).unwrap();
    let x = ops::arange(0, 16, 1).unwrap().astype(mlx::Dtype::Int32);
    x.eval().unwrap();
    let reversed = ops::flip(&x.index(..8), 0).unwrap();
    let stepped = x.index(Slice::step(.., 2));
    for x in [reversed, stepped, x.index(3..11)] {
        let in_order = Tensor::from_slice(&x.to_vec::<i32>().unwrap()).unwrap();
        same(&imported.call(&x).unwrap(), &[f(&in_order).unwrap()]);
        x.eval().unwrap();
        same(&imported.call(&x).unwrap(), &[f(&in_order).unwrap()]);
    }
}

#[test]
fn several_threads_call_one_function() {
    let folder = Folder::new("called");
    let weight = ops::full([64, 64], 0.25, mlx::Dtype::Float32).unwrap();
    export_function(
        folder.path("f"),
        |x: &Tensor| x.matmul(&weight) + 1.0,
        &ops::zeros([2, 64], mlx::Dtype::Float32).unwrap(),
    )
    .unwrap();
    for _ in 0..20 {
        let f = import(folder.path("f")).unwrap();
        thread::scope(|scope| {
            for value in 0..4 {
                let f = &f;
                scope.spawn(move || {
                    let x = ops::full([2, 64], f64::from(value), mlx::Dtype::Float32).unwrap();
                    let y = f.call(&x).unwrap().remove(0);
                    assert_eq!(y.to_vec::<f32>().unwrap(), [16.0 * value as f32 + 1.0; 128]);
                });
            }
        });
        // Dropped elsewhere, before what it gave is computed.
        let outputs = f.call(&ops::ones([2, 64], mlx::Dtype::Float32).unwrap()).unwrap();
        thread::spawn(move || drop(f)).join().unwrap();
        eval(&outputs).unwrap();
        assert_eq!(outputs[0].to_vec::<f32>().unwrap(), [17.0; 128]);
    }
}

#[test]
fn deep_functions_fit_on_small_stacks() {
    let deep = || {
        let folder = Folder::new("deep");
        let f = |x: &Tensor| (0..100_000).fold(x.clone(), |y, _| y + x);
        export_function(folder.path("f"), f, &tensor![1.0]).unwrap();
        let f = import(folder.path("f")).unwrap();
        let y = f.call(&tensor![2.0]).unwrap();
        drop(f.call(&tensor![3.0]).unwrap());
        drop(f);
        y[0].to_vec::<f32>().unwrap()
    };
    let worker = thread::Builder::new().stack_size(256 << 10).spawn(deep).unwrap();
    assert_eq!(worker.join().unwrap(), [200_002.0]);
}
