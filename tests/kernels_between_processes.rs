//! Fused CPU kernels lie in a folder that all processes of a user share: those that need one at the same time all get it.

use mlx::{Tensor, prelude::*, transforms::compile};
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
        // MLX keeps kernels below the folder for temporary files: a new one has none.
        let folder = env::temp_dir().join(format!("mlx-kernels-{}-{round}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let start = |_| {
            let mut child = Command::new(env::current_exe().unwrap());
            child.arg("--nocapture").env(CHILD, "1").env("TMPDIR", &folder);
            child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let children: Vec<_> = (0..PROCESSES).map(start).collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
