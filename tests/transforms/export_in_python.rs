//! Functions between Rust and Python MLX, where the folder is there into which `cargo xtask parity` installs it.

use crate::{
    export::{Keywords, keywords, same},
    exported::import,
    folder::Folder,
    python,
};
use mlx::{
    Tensor, ops,
    prelude::*,
    transforms::{FunctionExporter, export_function},
};

/// Calls what Rust wrote and writes the same functions for Rust; the outputs go to files.
const EXCHANGE: &str = r#"
import os
import sys
import mlx.core as mx
folder = sys.argv[1]
x = mx.load(f"{folder}/x.npy")
weight = mx.load(f"{folder}/weight.npy")
mx.eval(weight)  # or MLX cannot write it
f, metadata = mx.import_function(f"{folder}/rust.mlxfn", return_metadata=True)
assert metadata == "größe %s", metadata
y, z = f(x, bias=x[0], scale=x[1])
mx.save(f"{folder}/y.npy", y)
mx.save(f"{folder}/z.npy", z)
mx.save(f"{folder}/short.npy", f(x[:2], bias=x[0], scale=x[1])[0])
mx.save(f"{folder}/plain.npy", mx.import_function(f"{folder}/plain.mlxfn")(x)[0])
def fun(x, bias, scale):
    y = mx.tanh(x * scale + bias) * weight.T + 0.1
    return y, mx.argsort(y, axis=-1)
with mx.exporter(f"{folder}/python.mlxfn", fun, metadata="größe %s") as exporter:
    exporter(x, scale=x[1], bias=x[0])
    exporter(x[:2], bias=x[0], scale=x[1])
# What no process but this one has.
streams = [mx.new_stream(mx.cpu) for _ in range(40)]
def on_stream(x):
    with mx.stream(streams[-1]):
        return x * 2
mx.export_function(f"{folder}/stream.mlxfn", on_stream, x)
def many(**kwargs):
    return sum(kwargs[f"k{i}"] * 2.0**i for i in range(20))
given = {f"k{i}": mx.array(float(i)) for i in reversed(range(20))}
mx.export_function(f"{folder}/many_python.mlxfn", many, **given)
mx.save(f"{folder}/many.npy", mx.import_function(f"{folder}/many_rust.mlxfn")(**given)[0])
# Python MLX may end its process on the way out ("terminate called …").
sys.stdout.flush()
os._exit(0)
"#;

fn fun(x: &Tensor, more: &Keywords, weight: &Tensor) -> mlx::Result<(Tensor, Tensor)> {
    let y = ops::tanh(&(x * &more["scale"] + &more["bias"]))? * weight.t() + 0.1;
    let order = ops::argsort(&y, -1)?;
    Ok((y, order))
}

#[test]
fn functions_go_to_python_and_back() {
    let Some(site) = python::site() else { return };
    let folder = Folder::new("python");
    let x = tensor![[0.1, -0.2, 0.3], [1.5, 0.7, -0.9], [0.0, 2.0, -3.0]];
    // One row or a column for the rest: broadcast over both shapes. Captured before it lies in order.
    let weight = tensor![[0.5], [1.5], [-2.5]];
    ops::save(folder.path("x.npy"), &x).unwrap();
    ops::save(folder.path("weight.npy"), &weight).unwrap();
    let (short, more) = (x.index(..2), keywords([("bias", x.index(0)), ("scale", x.index(1))]));
    let f = |x: &Tensor, more: &Keywords| fun(x, more, &weight);
    let mut exporter =
        FunctionExporter::with_keywords(folder.path("rust.mlxfn"), f).unwrap().metadata("größe %s");
    exporter.call_keywords(&x.copy(), &keywords([("bias", x.index(0)), ("scale", x.index(1))])).unwrap();
    exporter.call_keywords(&short.copy(), &more).unwrap();
    exporter.close().unwrap();
    // A constant that does not lie in order, and one of each row.
    let turned = x.t();
    turned.eval().unwrap();
    let plain = |x: &Tensor| ops::exp(x).map(|y| y * &turned - 0.3);
    export_function(folder.path("plain.mlxfn"), plain, &x).unwrap();

    let terms =
        |(): &(), more: &Keywords| (0..20).map(|i| &more[&format!("k{i}")] * 2.0_f64.powi(i)).sum::<Tensor>();
    let many: Keywords = (0..20).map(|i| (format!("k{i}"), tensor![f64::from(i)].index(0))).collect();
    let mut exporter = FunctionExporter::with_keywords(folder.path("many_rust.mlxfn"), terms).unwrap();
    exporter.call_keywords(&(), &many).unwrap();
    exporter.close().unwrap();

    python::run(&site, EXCHANGE, &[folder.path("")]);

    let (y, z) = f(&x, &more).unwrap();
    let (short_y, short_z) = f(&short, &more).unwrap();
    let saved = |name: &str| ops::load_npy(folder.path(name)).unwrap();
    same(&[saved("y.npy"), saved("z.npy"), saved("short.npy")], &[y.clone(), z.clone(), short_y.clone()]);
    same(&[saved("plain.npy")], &[plain(&x).unwrap()]);
    let back = import(folder.path("python.mlxfn")).unwrap();
    assert_eq!(back.metadata(), "größe %s");
    same(&back.call_keywords(&x, &more).unwrap(), &[y, z]);
    same(&back.call_keywords(&short, &more).unwrap(), &[short_y, short_z]);
    let wanted = [terms(&(), &many)];
    same(&[saved("many.npy")], &wanted);
    same(&import(folder.path("many_python.mlxfn")).unwrap().call_keywords(&(), &many).unwrap(), &wanted);
    let doubled = import(folder.path("stream.mlxfn")).unwrap().call(&x).unwrap();
    same(&[&doubled[0] * 2.0 + &doubled[0]], &[&x * 6.0]);
}
