//! The mode of MLX's compiler, which is the process's: hence a test program of its own.

use mlx::{
    Tensor, graph,
    prelude::*,
    transforms::{CompileMode, compile, set_compile_mode},
};

#[test]
fn modes_change_what_is_fused() {
    let x = tensor![1.0, 2.0];
    let check = |mode: CompileMode, nodes: &[&str], traces: usize| {
        set_compile_mode(mode).unwrap();
        let f = compile(|x: &Tensor| (x + 1.0) * (x + 1.0));
        f.call(&x).unwrap();
        let y = f.call(&x).unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap(), [4.0, 9.0]);
        let y = f.call(&x).unwrap();
        assert_eq!(f.trace_count(), traces, "{mode:?}");
        let dot = graph::dot(&[y]).unwrap();
        for node in ["Compiled", "Add", "Multiply"] {
            let count = dot.lines().filter(|line| line.contains(&format!("label =\"{node}"))).count();
            let expected = nodes.iter().filter(|known| **known == node).count();
            assert_eq!(count, expected, "{mode:?}: {node} in {dot}");
        }
    };
    check(CompileMode::Disabled, &["Add", "Add", "Multiply"], 0);
    check(CompileMode::NoSimplify, &["Compiled"], 1);
    check(CompileMode::NoFuse, &["Add", "Multiply"], 1);
    check(CompileMode::Enabled, &["Compiled"], 1);
}
