//! What exported functions capture: values in any layout, yet to be computed, failed, or of another transformation.

use crate::{export::same, exported::import, failing::failing, folder::Folder};
use mlx::{
    Device, Dtype, Stream, Tensor, async_eval, ops,
    prelude::*,
    transforms::{FunctionExporter, compile, export_function, grad, vmap},
    with_stream,
};
use std::fs;

/// Writes `x + constant`, and the constant, and reads both back.
fn check(folder: &Folder, constant: &Tensor) {
    let path = folder.path("f");
    let x = ops::zeros(constant.shape(), constant.dtype()).unwrap();
    let f = |x: &Tensor| (x + constant, constant.clone());
    export_function(&path, f, &x).unwrap();
    let outputs = import(&path).unwrap().call(&x).unwrap();
    same(&outputs, &[&x + constant, constant.clone()]);
}

/// MLX writes as many bytes as the shape has from where the first element lies.
#[test]
fn constants_lie_in_any_order() {
    let folder = Folder::new("layouts");
    let matrix = ops::arange(0, 12, 1).unwrap().astype(Dtype::Float32).reshape([3, 4]);
    let parts = ops::split(&matrix, 2, 1).unwrap();
    let constants = [
        matrix.t(),
        ops::broadcast_to(&tensor![3.0], [300, 1000]).unwrap(),
        ops::flip(&matrix, 0).unwrap(),
        matrix.index((.., Slice::step(.., 2))),
        parts[1].clone(),
        parts[1].t(),
        matrix.index((1..1, ..)),
        matrix.gt(5.0).t(),
        matrix.astype(Dtype::Complex64).t() * 2.0,
        matrix.index((2, 1..)),
    ];
    for constant in constants {
        constant.eval().unwrap();
        check(&folder, &constant);
        check(&folder, &(&constant + &constant));
    }
}

#[test]
fn a_constant_of_several_traces_is_written_once() {
    let folder = Folder::new("once");
    let constant = ops::full([100, 1000], 0.5, Dtype::Float32).unwrap().t() * 2.0;
    constant.eval().unwrap();
    let lazy = constant.t() + 1.0;
    let f = |x: &Tensor| (x * &constant).sum(..) + lazy.sum(..);
    let mut exporter = FunctionExporter::new(folder.path("f"), f).unwrap();
    let arguments = [tensor![1.0], tensor![[1.0]], tensor![2]];
    for x in &arguments {
        exporter.call(x).unwrap();
    }
    exporter.close().unwrap();
    let size = fs::metadata(folder.path("f")).unwrap().len();
    assert!((400_000..420_000).contains(&size), "{size} bytes");
    let imported = import(folder.path("f")).unwrap();
    for x in &arguments {
        same(&imported.call(x).unwrap(), &[f(x)]);
    }
}

#[test]
fn a_function_that_captured_lazy_tensors_leaves_them_as_they_were() {
    let folder = Folder::new("lazy");
    let base = ops::arange(0, 6, 1).unwrap().astype(Dtype::Float32).reshape([2, 3]);
    let turned = base.t();
    turned.eval().unwrap();
    let lazy = ops::exp(&turned).unwrap() + 1.0;
    check(&folder, &lazy);
    check(&folder, &lazy);
    assert_eq!(lazy.to_vec::<f32>().unwrap(), (base.t().exp() + 1.0).to_vec::<f32>().unwrap());
}

/// MLX writes what is not computed yet.
#[test]
fn constants_are_computed_before_they_are_written() {
    let folder = Folder::new("in flight");
    let a = ops::full([300, 300], 0.5, Dtype::Float32).unwrap();
    for turn in 0..5 {
        let product = (0..6).fold(&a + f64::from(turn), |product, _| product.matmul(&a) * 0.01);
        async_eval([&product]).unwrap();
        check(&folder, &product);
    }
    let stream = Stream::new(Device::cpu()).unwrap();
    let product = with_stream(&stream, || a.matmul(&a)).unwrap();
    async_eval([&product]).unwrap();
    check(&folder, &product);
}

/// MLX has no way to write a node that reads a file.
#[test]
fn constants_may_be_yet_to_be_read() {
    let folder = Folder::new("loaded");
    let saved = tensor![[1.0, 2.0], [3.0, 4.0]];
    ops::save(folder.path("w.npy"), &saved).unwrap();
    let lazy = || ops::load_npy(folder.path("w.npy")).unwrap();
    check(&folder, &lazy());
    check(&folder, &(lazy().t() * 2.0));
    let read = lazy();
    let f = |x: &Tensor| read.clone() * x;
    export_function(folder.path("f"), f, &tensor![1.0]).unwrap();
    let imported = import(folder.path("f")).unwrap();
    let again = |x: &Tensor| imported.call(x).map(|outputs| &outputs[0] + 1.0);
    export_function(folder.path("g"), again, &tensor![1.0]).unwrap();
    same(&import(folder.path("g")).unwrap().call(&tensor![2.0]).unwrap(), &[saved * 2.0 + 1.0]);
}

#[test]
fn functions_name_streams_of_their_own() {
    let folder = Folder::new("streams");
    let stream = Stream::new(Device::cpu()).unwrap();
    let f = |x: &Tensor| with_stream(&stream, || x * 2.0);
    export_function(folder.path("f"), f, &tensor![1.0]).unwrap();
    let y = import(folder.path("f")).unwrap().call(&tensor![1.5]).unwrap().remove(0);
    assert_eq!(((y + 1.0) * 2.0).to_vec::<f32>().unwrap(), [8.0]);
}

#[test]
fn failed_constants_are_errors() {
    let folder = Folder::new("failed");
    let failed = failing(2, 100);
    let _ = failed[0].eval();
    for constant in &failed {
        let x = ops::zeros(constant.shape(), constant.dtype()).unwrap();
        let result = export_function(folder.path("f"), |x: &Tensor| x + constant, &x);
        assert!(result.is_err());
    }
    assert_eq!(folder.files(), 0);
}

/// MLX reads the values that a placeholder does not have.
#[test]
fn placeholders_of_other_transformations_are_refused() {
    let folder = Folder::new("placeholders");
    let path = folder.path("f");
    let export =
        |y: &Tensor| export_function(&path, |x: &Tensor| x + y, &tensor![0.0, 0.0]).map(|()| y.clone());
    let says = |error: mlx::Error| assert!(error.message().contains("another transformation"), "{error}");
    says(vmap(export, &tensor![[1.0, 2.0], [3.0, 4.0]]).unwrap_err());
    says(compile(export).call(&tensor![1.0, 2.0]).unwrap_err());
    let direct =
        |y: &Tensor| export_function(&path, |_: &Tensor| y.clone(), &tensor![0.0]).map(|()| y.clone());
    says(vmap(direct, &tensor![1.0]).unwrap_err());
    says(compile(direct).call(&tensor![1.0]).unwrap_err());
    let mut escaped = None;
    vmap(|x: &Tensor| escaped.insert(x.clone()).clone(), &tensor![[1.0, 2.0]]).unwrap();
    says(export(escaped.as_ref().unwrap()).unwrap_err());
    let inner = |y: &Tensor| export(y).map(|y| y.sum(..));
    export_function(folder.path("outer"), inner, &tensor![1.0, 2.0]).map_err(says).unwrap_err();
    assert!(fs::read_dir(folder.path("")).unwrap().next().is_none());
    // The arguments of a gradient have values.
    let slope = grad(inner, &tensor![1.0, 2.0]).unwrap();
    assert_eq!(slope.to_vec::<f32>().unwrap(), [1.0, 1.0]);
    same(&import(&path).unwrap().call(&tensor![1.0, 1.0]).unwrap(), &[tensor![2.0, 3.0]]);
}

#[test]
fn arguments_may_be_placeholders() {
    let folder = Folder::new("arguments");
    let path = folder.path("f");
    let export = |y: &Tensor| export_function(&path, |x: &Tensor| x * 2.0, y).map(|()| y.clone());
    vmap(export, &tensor![[1.0, 2.0], [3.0, 4.0]]).unwrap();
    same(&import(&path).unwrap().call(&tensor![1.0, 1.0]).unwrap(), &[tensor![2.0, 2.0]]);
    compile(export).call(&tensor![1.0, 2.0, 3.0]).unwrap();
    same(&import(&path).unwrap().call(&tensor![1.0, 1.0, 0.0]).unwrap(), &[tensor![2.0, 2.0, 0.0]]);
}
