//! Exported functions: constants without the bytes that their shape has, placeholders, and exporters that failed.

use crate::{check, exported::import, folder::Folder, programs, programs::Program};
use mlx::{
    Dtype, Error, ErrorKind, Tensor, ops,
    prelude::*,
    transforms::{FunctionExporter, compile, export_function, vmap},
};

pub(crate) const PROGRAMS: &[Program] = &[
    ("export_of_a_broadcast_constant", broadcast),
    ("export_of_a_placeholder", placeholder),
    ("exporter_after_a_trace_that_failed", after_a_failure),
    ("imported_function_of_a_reversed_tensor", reversed),
];

/// MLX writes 48 MB from where one element lies.
fn broadcast() {
    let folder = Folder::new("broadcast");
    let constant = ops::broadcast_to(&tensor![3], [3000, 4000]).unwrap();
    constant.eval().unwrap();
    export_function(folder.path("f"), |x: &Tensor| (x + &constant).sum(..), &tensor![1]).unwrap();
    check(import(folder.path("f")).and_then(|f| f.call(&tensor![1])).map(|mut y| y.remove(0)), &[48_000_000]);
    programs::end();
}

fn placeholder() {
    let folder = Folder::new("placeholder");
    let export =
        |y: &Tensor| export_function(folder.path("f"), |x: &Tensor| x + y, &tensor![0]).map(|()| y + 1);
    assert!(vmap(export, &tensor![[1], [2]]).is_err());
    assert!(compile(export).call(&tensor![1]).is_err());
    programs::end();
}

fn after_a_failure() {
    let folder = Folder::new("failure");
    let fail = |_: &Tensor| Err::<Tensor, Error>(Error::new(ErrorKind::Value, "mine", "no"));
    let mut exporter = FunctionExporter::new(folder.path("f"), fail).unwrap();
    for _ in 0..3 {
        assert!(exporter.call(&tensor![1]).is_err());
    }
    assert!(exporter.close().is_err());
    programs::end();
}

/// The parts of the placeholder were taken for those of a tensor in order.
fn reversed() {
    let folder = Folder::new("reversed");
    let f = |x: &Tensor| {
        let parts = ops::split(x, 2, 0)?;
        ops::add(parts[1].reshape([2, 2]).t(), parts[0].reshape([2, 2]))
    };
    export_function(folder.path("f"), f, &ops::zeros([8], Dtype::Int32).unwrap()).unwrap();
    let x = ops::flip(&ops::arange(0, 8, 1).unwrap().astype(Dtype::Int32), 0).unwrap();
    x.eval().unwrap();
    let y = import(folder.path("f")).and_then(|f| f.call(&x)).map(|mut y| y.remove(0));
    check(y, &[10, 7, 7, 4]);
    programs::end();
}
