//! Memory of others' as tensors: owners and mapped files, never copied, never written to where somebody else looks.
//!
//! Not here: what files may say (`files`), what many owners leave behind (`leaks`).

use mlx::{Complex32, Element, ErrorKind, StableFiles, Tensor, memory, ops, prelude::*};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// A backtrace of the one takes memory that the other counts.
static PANICS_OR_COUNTS: Mutex<()> = Mutex::new(());

/// Values, and a count of how often they are dropped.
struct Owner<T>(Vec<T>, Arc<AtomicUsize>);

impl<T> AsMut<[T]> for Owner<T> {
    fn as_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T> Drop for Owner<T> {
    fn drop(&mut self) {
        self.1.fetch_add(1, Ordering::SeqCst);
    }
}

fn owned<T: Element>(values: &[T]) -> (Tensor, Arc<AtomicUsize>) {
    let drops = Arc::new(AtomicUsize::new(0));
    let owner = Owner(values.to_vec(), Arc::clone(&drops));
    (Tensor::from_owner([values.len()], owner).unwrap(), drops)
}

/// How often an owner was dropped, once what runs is done.
fn count(drops: &AtomicUsize) -> usize {
    mlx::synchronize().unwrap();
    let start = Instant::now();
    while drops.load(Ordering::SeqCst) == 0 && start.elapsed() < Duration::from_secs(5) {
        thread::sleep(Duration::from_millis(1));
    }
    drops.load(Ordering::SeqCst)
}

fn check<T: Element + std::fmt::Debug + PartialEq>(values: &[T]) {
    let (x, drops) = owned(values);
    assert_eq!((x.dtype(), x.to_vec::<T>().unwrap()), (T::DTYPE, values.to_vec()));
    let twice = ops::concatenate([&x, &x], 0).unwrap();
    drop(x);
    assert_eq!(twice.to_vec::<T>().unwrap(), [values, values].concat());
    drop(twice);
    assert_eq!(count(&drops), 1);
}

#[test]
fn owners_of_every_dtype_are_dropped_once() {
    check(&[true, false, true]);
    check(&[1_u8, 2, 255]);
    check(&[1_u16, 2, 65535]);
    check(&[1_u32, u32::MAX]);
    check(&[1_u64, u64::MAX]);
    check(&[1_i8, -128]);
    check(&[1_i16, i16::MIN]);
    check(&[1_i32, i32::MIN]);
    check(&[1_i64, i64::MIN]);
    check(&[mlx::f16::from_f32(1.5)]);
    check(&[mlx::bf16::from_f32(-1.5)]);
    check(&[0.1_f32, f32::MIN]);
    check(&[0.1_f64, f64::MIN]);
    check(&[Complex32::new(1.0, -2.0)]);
    check::<f32>(&[]);
}

#[test]
fn results_in_place_keep_the_owner() {
    for _ in 0..100 {
        let (x, drops) = owned(&[1.0_f32; 3000]);
        let view = x.index(1..);
        let sum = x * 2.0 + 1.0;
        assert_eq!(sum.to_vec::<f32>().unwrap(), [3.0; 3000]);
        assert_eq!(view.to_vec::<f32>().unwrap(), [1.0; 2999]);
        drop((sum, view));
        assert_eq!(count(&drops), 1);
    }
    let (x, drops) = owned(&[3_i32; 100]);
    let lazy = &x + 1;
    thread::spawn(move || drop(x)).join().unwrap();
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    assert_eq!(thread::spawn(move || lazy.to_vec::<i32>().unwrap()).join().unwrap(), [4; 100]);
    assert_eq!(count(&drops), 1);
}

#[test]
fn owners_that_do_not_fit_are_errors_and_dropped() {
    let drops = Arc::new(AtomicUsize::new(0));
    let owner = || Owner(vec![1.0_f32, 2.0], Arc::clone(&drops));
    assert_eq!(Tensor::from_owner([3], owner()).unwrap_err().kind(), ErrorKind::Shape);
    assert!(Tensor::from_owner([-1], owner()).is_err());
    assert_eq!(drops.load(Ordering::SeqCst), 2);
}

#[test]
fn an_owner_may_panic_as_it_drops_and_hold_tensors() {
    struct Rude(Vec<i32>, Tensor);
    impl AsMut<[i32]> for Rude {
        fn as_mut(&mut self) -> &mut [i32] {
            &mut self.0
        }
    }
    impl Drop for Rude {
        fn drop(&mut self) {
            assert!(self.1.shape().is_empty(), "rude");
        }
    }
    let _alone = PANICS_OR_COUNTS.lock().unwrap();
    for _ in 0..20 {
        let x = Tensor::from_owner([2], Rude(vec![1, 2], tensor![1.0] + 1.0)).unwrap();
        assert_eq!((x + 1).to_vec::<i32>().unwrap(), [2, 3]);
    }
    mlx::synchronize().unwrap();
    assert_eq!((tensor![1] + 1).to_vec::<i32>().unwrap(), [2]);
}

fn stable() -> StableFiles {
    // SAFETY: each test writes a file of its own, whole, before it maps it, and removes it at its end.
    unsafe { StableFiles::promise() }
}

/// A file that goes with it.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Temporary {
        Temporary(std::env::temp_dir().join(format!("mlx-owned-{}-{name}", std::process::id())))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The resident memory of this process, in bytes.
fn resident() -> i64 {
    let text = fs::read_to_string("/proc/self/statm").expect("Linux tells");
    4096 * text.split(' ').nth(1).and_then(|pages| pages.parse::<i64>().ok()).expect("a number of pages")
}

/// How many maps of the file this process has.
fn maps(path: &Path) -> usize {
    let name = path.to_str().unwrap();
    fs::read_to_string("/proc/self/maps").unwrap().lines().filter(|line| line.ends_with(name)).count()
}

#[test]
fn mapped_tensors_are_those_of_the_file_and_leave_it_alone() {
    let file = Temporary::new("values.safetensors");
    let half = Tensor::from_slice(&(0..600).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
    let tensors = [
        ("f32", half.reshape([20, 30])),
        ("bf16", half.astype(Dtype::Bfloat16)),
        ("bool", half.gt(300.0)),
        ("u8", half.astype(Dtype::Uint8)),
        ("i64", half.astype(Dtype::Int64)),
        ("complex64", half.astype(Dtype::Complex64)),
        ("empty", half.index(0..0)),
        ("scalar", half.sum(..)),
    ];
    ops::save_safetensors_with(&file.0, tensors.iter().map(|(n, x)| (*n, x)), [("by", "us")]).unwrap();
    let bytes = fs::read(&file.0).unwrap();
    let mapped = ops::load_safetensors_mmap(&file.0, stable()).unwrap();
    assert_eq!(mapped.metadata["by"], "us");
    assert_eq!(mapped.tensors.len(), tensors.len());
    assert!(maps(&file.0) >= 6, "{} maps", maps(&file.0));
    for (name, x) in &tensors {
        let found = &mapped.tensors[*name];
        assert_eq!((found.shape(), found.dtype()), (x.shape(), x.dtype()), "{name}");
        assert_eq!(found.to_bytes().unwrap(), x.to_bytes().unwrap(), "{name}");
    }
    // In place: nobody else has them.
    let results: Vec<Tensor> =
        mapped.tensors.into_values().map(|x| -(x.astype(Dtype::Float32) + 1.0)).collect();
    mlx::eval(&results).unwrap();
    let negative =
        ops::load_safetensors_mmap(&file.0, stable()).unwrap().tensors.remove("f32").unwrap() * -2.0;
    let values = negative.to_vec::<f32>().unwrap();
    let wanted: Vec<f32> = (0..600).map(|i| -2.0 * i as f32).collect();
    assert_eq!(values, wanted);
    assert_eq!(fs::read(&file.0).unwrap(), bytes);
    drop((results, negative));
    mlx::synchronize().unwrap();
    assert_eq!(maps(&file.0), 0);
}

#[test]
fn odd_addresses_are_read() {
    let file = Temporary::new("odd.safetensors");
    let header = r#"{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},"b":{"dtype":"U8","shape":[2],"data_offsets":[12,14]}}"#;
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    assert_ne!(bytes.len() % 4, 0);
    for x in [1.5_f32, 2.5, 3.5] {
        bytes.extend_from_slice(&x.to_le_bytes());
    }
    bytes.extend_from_slice(&[7, 8]);
    fs::write(&file.0, bytes).unwrap();
    let mapped = ops::load_safetensors_mmap(&file.0, stable()).unwrap().tensors;
    assert_eq!(mapped["a"].to_vec::<f32>().unwrap(), [1.5, 2.5, 3.5]);
    assert_eq!(mapped["a"].as_slice::<f32>().unwrap(), [1.5, 2.5, 3.5]);
    assert_eq!(mapped["b"].to_vec::<u8>().unwrap(), [7, 8]);
}

#[test]
fn a_large_file_is_opened_at_once() {
    const ROWS: usize = 125;
    let file = Temporary::new("large.safetensors");
    let entry = |i: usize| {
        let (begin, end) = (i << 22, (i + 1) << 22);
        format!(r#""w{i}":{{"dtype":"F32","shape":[1024,1024],"data_offsets":[{begin},{end}]}}"#)
    };
    let mut header = format!("{{{}}}", (0..ROWS).map(entry).collect::<Vec<_>>().join(","));
    header += &" ".repeat((8 - header.len() % 8) % 8);
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    fs::write(&file.0, &bytes).unwrap();
    // 500 MB of zeros without a block on the disk.
    let length = bytes.len() as u64 + ((ROWS as u64) << 22);
    fs::OpenOptions::new().write(true).open(&file.0).unwrap().set_len(length).unwrap();
    (tensor![1.0] + 1.0).eval().unwrap();
    let _alone = PANICS_OR_COUNTS.lock().unwrap();
    let (before, active) = (resident(), memory::active().unwrap());
    let start = Instant::now();
    let mapped = ops::load_safetensors_mmap(&file.0, stable()).unwrap().tensors;
    let took = start.elapsed();
    let grown = resident() - before;
    println!("{length} bytes opened in {took:?}, {grown} bytes resident");
    assert_eq!((mapped.len(), maps(&file.0)), (ROWS, ROWS));
    // Other tests run beside this one.
    assert!(grown < 32 << 20, "{grown} bytes became resident");
    assert!(memory::active().unwrap() < active + (1 << 20));
    // A busy machine may take longer than the few milliseconds that it takes.
    assert!(took < Duration::from_millis(500), "{took:?}");
    assert_eq!(mapped["w7"].sum(..).to_vec::<f32>().unwrap(), [0.0]);
}

#[test]
fn gguf_files_are_mapped_where_their_types_are_mlxs() {
    let file = Temporary::new("values.gguf");
    let x = Tensor::from_slice(&(0..64).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
    let tensors = [("a", x.reshape([2, 32])), ("b", x.astype(Dtype::Float16)), ("c", x.astype(Dtype::Int32))];
    ops::save_gguf(&file.0, tensors.iter().map(|(n, x)| (*n, x))).unwrap();
    let mapped = ops::load_gguf_mmap(&file.0, stable()).unwrap();
    assert_eq!((mapped.tensors.len(), maps(&file.0)), (3, 3));
    for (name, x) in ops::load_gguf(&file.0).unwrap().tensors {
        let found = &mapped.tensors[&name];
        assert_eq!((found.shape(), found.dtype()), (x.shape(), x.dtype()));
        assert_eq!(found.to_bytes().unwrap(), x.to_bytes().unwrap());
    }
}

#[test]
fn models_in_several_files_are_mapped() {
    let (index, first, second) =
        (Temporary::new("index.json"), Temporary::new("1.safetensors"), Temporary::new("2.safetensors"));
    let name = |file: &Temporary| file.0.file_name().unwrap().to_str().unwrap().to_owned();
    ops::save_safetensors(&first.0, [("a", &tensor![1, 2])]).unwrap();
    ops::save_safetensors(&second.0, [("b", &tensor![3]), ("left alone", &tensor![4])]).unwrap();
    let map = format!(r#"{{"weight_map":{{"a":"{}","b":"{}"}}}}"#, name(&first), name(&second));
    fs::write(&index.0, map).unwrap();
    let mapped = ops::load_sharded_safetensors_mmap(&index.0, stable()).unwrap().tensors;
    assert_eq!(mapped.len(), 2);
    assert_eq!(mapped["a"].to_vec::<i32>().unwrap(), [1, 2]);
    assert_eq!((mapped["b"].to_vec::<i32>().unwrap(), maps(&second.0)), (vec![3], 1));
    fs::remove_file(&second.0).unwrap();
    let error = ops::load_sharded_safetensors_mmap(&index.0, stable()).unwrap_err();
    assert!(error.message().contains(&name(&second)), "{error}");
}

#[test]
fn files_that_lie_are_errors_before_they_are_mapped() {
    let file = Temporary::new("lies.safetensors");
    for text in ["", "12345678", "\u{8}\0\0\0\0\0\0\0{\"a\": 1"] {
        fs::write(&file.0, text).unwrap();
        let error = ops::load_safetensors_mmap(&file.0, stable()).unwrap_err();
        assert_eq!((error.kind(), maps(&file.0)), (ErrorKind::Io, 0));
        assert!(ops::load_gguf_mmap(&file.0, stable()).is_err());
    }
    assert!(ops::load_safetensors_mmap("/", stable()).is_err());
}
