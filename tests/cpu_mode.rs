//! CPU modes: `MLX_CPU` is read once, decides which library computes products, and bad values are errors.
//!
//! The variable belongs to a process, so each program starts itself again with it (`in_process`).

#[path = "support/programs.rs"]
mod programs;

use mlx::{Complex32, CpuMode, Element, ErrorKind, Tensor, cpu_mode, prelude::*};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    thread,
};

fn main() -> ExitCode {
    if cfg!(target_vendor = "apple") {
        return ExitCode::SUCCESS; // Accelerate computes, and nothing is to be chosen
    }
    programs::main(
        &[
            ("the_mode_asked_for_is_in_force", the_mode_asked_for),
            ("blas_without_the_variable", blas_without_the_variable),
            ("nonsense_is_an_error", nonsense),
            ("unknown_instructions_are_an_error_in_mode_fast", unknown_instructions),
            ("products_are_right_in_every_mode", products_are_right),
            ("one_row_has_the_same_bits_on_any_number_of_threads", threads_and_one_row),
            ("stock_has_the_bits_of_netlib", stock_has_netlibs_bits),
            ("a_missing_openblas_is_stock_with_one_warning", missing_openblas),
            ("fast_does_without_openblas", fast_without_openblas),
            ("a_later_change_of_the_variable_changes_nothing", later_change),
        ],
        1,
    )
}

const INSIDE: &str = "MLX_TEST_INSIDE";

/// Runs this program again with `variables`, where `work` runs instead of all this; returns what it wrote to stderr.
/// A variable without a value is taken away.
fn in_process(variables: &[(&str, &str)], work: fn()) -> String {
    if env::var_os(INSIDE).is_some() {
        work();
        programs::end();
        std::process::exit(0);
    }
    let mut command = Command::new(env::current_exe().unwrap());
    command.env(INSIDE, "1").env_remove("MLX_CPU").envs(variables.iter().copied());
    let output = command.output().unwrap();
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{variables:?}: {}\n{complained}", output.status);
    assert_eq!(said.lines().last(), Some("the end"), "{variables:?}: {said}\n{complained}");
    complained
}

/// The mode in force, and that products reach the library of that name.
#[track_caller]
fn in_force(mode: CpuMode) {
    assert_eq!(cpu_mode().unwrap(), mode);
    let library = PathBuf::from(mlx_core::blas_library().unwrap());
    let openblas = library.file_name().unwrap() == "libscipy_openblas.so";
    assert_eq!(openblas, mode != CpuMode::Stock, "{}", library.display());
}

fn the_mode_asked_for() {
    for (name, expected) in [("stock", "stock"), ("blas", "blas"), ("fast", "fast"), ("", "blas")] {
        let complained = in_process(&[("MLX_CPU", name), ("EXPECTED", expected)], || {
            let expected = env::var("EXPECTED").unwrap();
            assert_eq!(cpu_mode().unwrap().to_string(), expected);
            in_force(match expected.as_str() {
                "stock" => CpuMode::Stock,
                "fast" => CpuMode::Fast,
                _ => CpuMode::Blas,
            });
        });
        assert_eq!(complained, "");
    }
    programs::end();
}

fn blas_without_the_variable() {
    assert_eq!(in_process(&[], || in_force(CpuMode::Blas)), "");
    programs::end();
}

fn nonsense() {
    for name in ["nonsense", "BLAS", "blas ", "stock,blas", "FAST"] {
        let complained = in_process(&[("MLX_CPU", name)], || {
            let name = env::var("MLX_CPU").unwrap();
            let errors = [
                Tensor::from_slice(&[1.0]).unwrap_err(),
                Tensor::scalar(1, Dtype::Int32).unwrap_err(),
                cpu_mode().unwrap_err(),
            ];
            for error in errors {
                assert_eq!(error.kind(), ErrorKind::Setup);
                let text = error.to_string();
                for word in [&name, "MLX_CPU", "stock", "blas", "fast"] {
                    assert!(text.contains(word), "{text}");
                }
            }
        });
        assert_eq!(complained, "");
    }
    programs::end();
}

/// Kernels for instructions that nobody has; only mode fast has kernels.
fn unknown_instructions() {
    for mode in ["fast", "blas"] {
        let complained = in_process(&[("MLX_CPU", mode), ("MLX_CPU_ISA", "nonsense")], || {
            let made = Tensor::from_slice(&[1.0]);
            if env::var("MLX_CPU").unwrap() == "blas" {
                return assert!(made.is_ok());
            }
            let error = made.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Setup);
            assert!(error.to_string().contains("MLX_CPU_ISA"), "{error}");
        });
        assert_eq!(complained, "");
    }
    programs::end();
}

/// Whole numbers of up to `bits` bits, none of them in a pattern that sums to a short number.
fn whole_numbers(count: usize, bits: u32, seed: u64) -> Vec<i64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state as i64) >> (64 - bits)
    };
    (0..count).map(|_| next()).collect()
}

const SIZES: [[usize; 3]; 6] =
    [[1, 7, 1], [3, 5, 4], [33, 64, 17], [1, 300, 70], [70, 300, 1], [130, 257, 65]];

/// The product of two matrices of `T`, `[rows, inner]` and `[inner, columns]`, also with each stored transposed.
fn products<T: Element>(a: &[T], b: &[T], [rows, inner, columns]: [usize; 3]) -> [Vec<T>; 3] {
    let a = Tensor::from_slice(a).unwrap().reshape([rows, inner]);
    let b = Tensor::from_slice(b).unwrap().reshape([inner, columns]);
    // The same matrix stored column by column, as flattening its transpose lays it: BLAS is told to transpose.
    let stored = |x: &Tensor| {
        let &[height, width] = x.shape() else { unreachable!("a matrix") };
        x.transpose(..).reshape([-1]).reshape([width, height]).transpose(..)
    };
    [a.matmul(&b), stored(&a).matmul(&b), a.matmul(&stored(&b))].map(|c| c.to_vec::<T>().unwrap())
}

/// Each element lies within the rounding errors of a sum in any order: γₙ Σ|aᵢbᵢ| with γₙ = nu / (1 − nu), for a sum
/// of n products in a format of unit roundoff u. Two more than n: the exact value and the bound are rounded here too.
#[track_caller]
fn check_sum(found: f64, terms: impl Iterator<Item = (i64, i64)> + Clone, roundoff: f64) {
    let exact: i128 = terms.clone().map(|(a, b)| i128::from(a) * i128::from(b)).sum();
    let sizes: i128 = terms.clone().map(|(a, b)| (i128::from(a) * i128::from(b)).abs()).sum();
    let errors = (terms.count() + 2) as f64 * roundoff;
    let bound = errors / (1.0 - errors) * sizes as f64;
    assert!((found - exact as f64).abs() <= bound, "{found} is not {exact} within {bound}");
}

fn check_real<T: Element>(bits: u32, of: fn(i64) -> T, to: fn(&T) -> f64) {
    for size @ [rows, inner, columns] in SIZES {
        let (a, b) = (whole_numbers(rows * inner, bits, 1), whole_numbers(inner * columns, bits, 2));
        let [x, y] = [&a, &b].map(|numbers| numbers.iter().map(|&n| of(n)).collect::<Vec<T>>());
        for found in products(&x, &y, size) {
            assert_eq!(found.len(), rows * columns);
            for (at, value) in found.iter().enumerate() {
                let (row, column) = (at / columns, at % columns);
                let terms = (0..inner).map(|i| (a[row * inner + i], b[i * columns + column]));
                check_sum(to(value), terms, 0.5_f64.powi(bits as i32));
            }
        }
    }
}

fn check_complex() {
    for size @ [rows, inner, columns] in SIZES {
        let numbers = |count, seed| whole_numbers(2 * count, 24, seed);
        let (a, b) = (numbers(rows * inner, 3), numbers(inner * columns, 4));
        let [x, y] = [&a, &b].map(|parts| {
            parts.chunks(2).map(|p| Complex32::new(p[0] as f32, p[1] as f32)).collect::<Vec<_>>()
        });
        for found in products(&x, &y, size) {
            for (at, value) in found.iter().enumerate() {
                let (row, column) = (at / columns, at % columns);
                let parts = (0..inner).map(|i| (2 * (row * inner + i), 2 * (i * columns + column)));
                let real = parts.clone().flat_map(|(i, j)| [(a[i], b[j]), (-a[i + 1], b[j + 1])]);
                let imaginary = parts.flat_map(|(i, j)| [(a[i], b[j + 1]), (a[i + 1], b[j])]);
                check_sum(value.re.into(), real, 0.5_f64.powi(24));
                check_sum(value.im.into(), imaginary, 0.5_f64.powi(24));
            }
        }
    }
}

/// float32, complex64 and float64, each of which is another routine.
fn check_products() {
    check_real::<f32>(24, |n| n as f32, |&x| x.into());
    check_real::<f64>(53, |n| n as f64, |&x| x);
    check_complex();
}

fn products_are_right() {
    for mode in ["stock", "blas", "fast"] {
        assert_eq!(in_process(&[("MLX_CPU", mode)], check_products), "");
    }
    programs::end();
}

/// A row through each kind of matrix; big enough for several threads, and for several tiles along it.
fn print_rows() {
    let numbers = |count: usize, seed| {
        whole_numbers(count, 24, seed).into_iter().map(|n| n as f32 / 16_777_216.0).collect::<Vec<_>>()
    };
    for size @ [rows, inner, columns] in [[1, 576, 1536], [1, 2500, 300], [900, 700, 1]] {
        let (a, b) = (numbers(rows * inner, 7), numbers(inner * columns, 8));
        for found in products(&a, &b, size) {
            let bits = found.iter().fold(0_u64, |sum, x| sum.rotate_left(5) ^ u64::from(x.to_bits()));
            eprintln!("{size:?} {bits:x}");
        }
    }
}

fn threads_and_one_row() {
    let with = |threads| in_process(&[("MLX_CPU", "blas"), ("OPENBLAS_NUM_THREADS", threads)], print_rows);
    let one = with("1");
    assert_eq!(one.lines().count(), 9, "{one}");
    assert!(["2", "3", "7"].into_iter().all(|threads| with(threads) == one));
    programs::end();
}

/// Netlib's order: each element is summed from the first product to the last, each step rounded. (On other
/// processors its compiler fuses the two steps.)
fn check_netlibs_bits() {
    fn check<T: Element + PartialEq + std::fmt::Debug>(bits: u32, of: fn(i64) -> T, step: fn(T, T, T) -> T) {
        for size @ [rows, inner, columns] in SIZES {
            let (a, b) = (whole_numbers(rows * inner, bits, 5), whole_numbers(inner * columns, bits, 6));
            let [a, b] = [a, b].map(|numbers| numbers.into_iter().map(of).collect::<Vec<T>>());
            let expected: Vec<T> = (0..rows * columns)
                .map(|at| {
                    let (row, column) = (at / columns, at % columns);
                    (0..inner).fold(of(0), |sum, i| step(sum, a[row * inner + i], b[i * columns + column]))
                })
                .collect();
            for found in products(&a, &b, size) {
                assert!(found == expected, "{size:?}");
            }
        }
    }
    check::<f32>(24, |n| n as f32, |sum, a, b| sum + a * b);
    check::<f64>(53, |n| n as f64, |sum, a, b| sum + a * b);
}

fn stock_has_netlibs_bits() {
    if cfg!(target_arch = "x86_64") {
        in_process(&[("MLX_CPU", "stock")], check_netlibs_bits);
    }
    programs::end();
}

/// A copy of our library in a folder of its own, where no OpenBLAS lies beside it or one folder up.
fn lonely_library(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).join("library");
    fs::create_dir_all(&folder).unwrap();
    let library = folder.join("libmlxc.so");
    // The process that runs on the copy comes by here too.
    if env::var_os(INSIDE).is_none() {
        fs::copy(Path::new(mlx_link::MLXC_DIR.unwrap()).join("libmlxc.so"), &library).unwrap();
    }
    library
}

/// Threads that all need the library at once, and what they get.
fn check_lonely() {
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| check_real::<f32>(24, |n| n as f32, |&x| x.into()));
        }
    });
    in_force(CpuMode::Stock);
    check_products();
}

fn missing_openblas() {
    // Loaded first, it is the library of that name for the program too.
    let library = lonely_library("lonely");
    let preload = [("LD_PRELOAD", library.to_str().unwrap()), ("MLX_CPU", "blas")];
    let complained = in_process(&preload, check_lonely);
    assert_eq!(complained.lines().count(), 1, "{complained}");
    for word in ["MLX_CPU=blas", "stock", "libscipy_openblas.so", "No such file"] {
        assert!(complained.contains(word), "{complained}");
    }
    // Who asks for stock does not miss it.
    assert_eq!(in_process(&[preload[0], ("MLX_CPU", "stock")], check_lonely), "");
    programs::end();
}

/// Our kernels compute all the same, and netlib what is left to OpenBLAS.
fn fast_without_openblas() {
    let library = lonely_library("lonely-fast");
    let preload = [("LD_PRELOAD", library.to_str().unwrap()), ("MLX_CPU", "fast")];
    let complained = in_process(&preload, || {
        assert_eq!(cpu_mode().unwrap(), CpuMode::Fast);
        check_products();
    });
    assert_eq!(complained.lines().count(), 1, "{complained}");
    for word in ["MLX_CPU=fast", "stock", "libscipy_openblas.so"] {
        assert!(complained.contains(word), "{complained}");
    }
    programs::end();
}

fn later_change() {
    let complained = in_process(&[("MLX_CPU", "stock")], || {
        let x = tensor![1.0, 2.0];
        for later in ["blas", "nonsense"] {
            temp_env::with_var("MLX_CPU", Some(later), || {
                assert_eq!((&x * 2.0).to_vec::<f32>().unwrap(), [2.0, 4.0]);
                in_force(CpuMode::Stock);
            });
        }
        if cfg!(target_arch = "x86_64") {
            check_netlibs_bits();
        }
    });
    assert_eq!(complained, "");
    programs::end();
}
