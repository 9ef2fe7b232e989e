//! Fused CPU kernels lie in a folder that all processes of a user share: those that need one at the same time all get it,
//! however long its name is.

use mlx::{Tensor, nn, prelude::*, transforms::compile};
use std::{
    env, fs,
    process::{Command, Stdio},
};

const CHILD: &str = "MLX_TEST_KERNELS_CHILD";
const PROCESSES: usize = 6;
const ROUNDS: usize = 3;

#[test]
fn processes_that_start_together_get_their_kernels() {
    if env::var_os(CHILD).is_some() {
        let f = compile(|x: &Tensor| (x * 0.5 + 1.0) * x);
        assert_eq!(f.call(&tensor![2.0, 4.0]).unwrap().to_vec::<f32>().unwrap(), [4.0, 12.0]);
        return;
    }
    for round in 0..ROUNDS {
        in_new_folder(&round.to_string(), "processes_that_start_together_get_their_kernels", PROCESSES);
    }
}

#[test]
fn kernels_of_every_length_of_name_are_made() {
    if env::var_os(CHILD).is_some() {
        let x = tensor![-1.0, 2.0];
        // Each number is a kernel of its own.
        for slope in 0..11_u8 {
            let y = nn::leaky_relu(&x, f64::from(slope) / 16.0).unwrap().to_vec::<f32>().unwrap();
            assert_eq!(y, [-f32::from(slope) / 16.0, 2.0]);
        }
        // Names of about 240 bytes, of which a hash makes some a byte longer, and two that are cut.
        for alpha in 1..=6 {
            assert_eq!(nn::elu(&x.abs(), f64::from(alpha)).unwrap().to_vec::<f32>().unwrap(), [1.0, 2.0]);
        }
        assert_eq!(nn::selu(&(&x * 0.0)).unwrap().to_vec::<f32>().unwrap(), [0.0, 0.0]);
        assert_eq!(nn::softshrink(&x, 0.5).unwrap().to_vec::<f32>().unwrap(), [-0.5, 1.5]);
        assert_eq!(nn::gelu_approx(&(&x * 0.0)).unwrap().to_vec::<f32>().unwrap(), [0.0, 0.0]);
        return;
    }
    in_new_folder("names", "kernels_of_every_length_of_name_are_made", 1);
}

/// Runs a test in new processes that share a new folder for temporary files, below which MLX keeps kernels.
fn in_new_folder(name: &str, test: &str, processes: usize) {
    let folder = env::temp_dir().join(format!("mlx-kernels-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let start = |_| {
        let mut child = Command::new(env::current_exe().unwrap());
        child.args(["--exact", "--nocapture", test]).env(CHILD, "1").env("TMPDIR", &folder);
        child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..processes).map(start).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let [out, error] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        assert!(output.status.success() && out.contains("1 passed"), "{out}{error}");
    }
    fs::remove_dir_all(&folder).unwrap();
}
