//! Values, closures and trees of the caller's: destructors that panic, wait or end the process, and trees that lie.

use crate::{programs, programs::Program};
use mlx::{
    Error, Result, Tensor,
    fast::{self, HostKernel},
    ops,
    prelude::*,
    transforms::{
        Compiled, CustomFunction, FunctionExporter, Tree, checkpoint, compile, grad, is_tracing_shapeless,
        vmap,
    },
};
use std::{
    cell::{Cell, RefCell},
    panic::panic_any,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

pub(crate) const PROGRAMS: &[Program] = &[
    ("destructors_that_panic", destructors_that_panic),
    ("destructors_that_wait", destructors_that_wait),
    ("payload_that_computes", payload_that_computes),
    ("kernel_that_ends_the_process", kernel_that_ends_the_process),
    ("names_that_are_not_counted", names_that_are_not_counted),
    ("structure_that_calls_again", structure_that_calls_again),
    ("transforms_in_an_ending_thread", transforms_in_an_ending_thread),
    ("mask_of_too_many_tokens", mask_of_too_many_tokens),
    ("vmap_rule_of_another_shape", vmap_rule_of_another_shape),
];

static DROPPED: AtomicUsize = AtomicUsize::new(0);

/// Each thing that holds a value of the caller's, made, used and dropped; `DROPPED` counts them.
fn dropped_everywhere<T: Send + Sync + 'static>(make: fn() -> T) {
    struct Owner<T>(Vec<f32>, #[allow(dead_code)] T);
    impl<T> AsMut<[f32]> for Owner<T> {
        fn as_mut(&mut self) -> &mut [f32] {
            &mut self.0
        }
    }
    let kernel = || {
        let held = make();
        HostKernel::new("holds", move |_, _| {
            let _ = &held;
            Ok(())
        })
        .output_like(0)
    };
    let custom = || {
        let held = make();
        CustomFunction::new(move |x: &Tensor| {
            let _ = &held;
            x * 2.0
        })
        .vjp(|_, cotangent, _| cotangent.clone())
    };
    let x = tensor![1.0, 2.0];
    // Each is dropped by its last node, and not by the handles of it here.
    let y = kernel().call_one([&x]).unwrap();
    drop(y);
    let y = kernel().call_one([&x]).unwrap();
    y.eval().unwrap();
    drop(y);
    let y = custom().call(&x).unwrap();
    drop(y);
    let owned = || Tensor::from_owner([2], Owner(vec![1.0, 2.0], make())).unwrap();
    drop(owned());
    // The owner goes with a task of MLX's.
    (owned() + 1.0).eval().unwrap();
    let constant = owned();
    let f = compile(move |x: &Tensor| x + &constant);
    f.call(&x).unwrap().eval().unwrap();
    drop(f);
    for _ in 0..2000 {
        if DROPPED.load(Ordering::SeqCst) == 6 {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(DROPPED.load(Ordering::SeqCst), 6);
    assert_eq!((x + 1.0).to_vec::<f32>().unwrap(), [2.0, 3.0]);
    programs::end();
}

struct Rude;

impl Drop for Rude {
    fn drop(&mut self) {
        struct Payload;
        impl Drop for Payload {
            fn drop(&mut self) {
                panic!("the payload, too");
            }
        }
        DROPPED.fetch_add(1, Ordering::SeqCst);
        panic_any(Payload);
    }
}

fn destructors_that_panic() {
    dropped_everywhere(|| Rude);
}

struct Waits;

impl Drop for Waits {
    fn drop(&mut self) {
        let work = || (tensor![1.0] + 1.0).to_vec::<f32>().unwrap();
        assert_eq!(thread::spawn(work).join().unwrap(), [2.0]);
        DROPPED.fetch_add(1, Ordering::SeqCst);
    }
}

fn destructors_that_wait() {
    dropped_everywhere(|| Waits);
}

/// Of a panic on MLX's own thread, which would wait for itself.
fn payload_that_computes() {
    struct Computes(Tensor);
    impl Drop for Computes {
        fn drop(&mut self) {
            assert!(ops::add(&self.0, 1.0).is_err());
            DROPPED.fetch_add(1, Ordering::SeqCst);
        }
    }
    let x = tensor![1.0];
    let captured = x.clone();
    let kernel = HostKernel::new("panics", move |_, _| panic_any(Computes(captured.clone()))).output_like(0);
    assert!(kernel.call_one([&x]).unwrap().eval().is_err());
    assert_eq!(DROPPED.load(Ordering::SeqCst), 1);
    programs::end();
}

fn kernel_that_ends_the_process() {
    const ENDS: &str = "MLX_TEST_KERNEL_ENDS";
    if std::env::var_os(ENDS).is_some() {
        let kernel = HostKernel::new("ends", |_, _| std::process::exit(7)).output_like(0);
        let _ = kernel.call_one([&tensor![1.0]]).unwrap().eval();
        unreachable!("the kernel ended the process");
    }
    let mut again = Command::new(std::env::current_exe().unwrap());
    assert_eq!(again.env(ENDS, "1").status().unwrap().code(), Some(7));
    programs::end();
}

/// One tensor, and as many names as it likes.
struct Liar(Tensor, usize);

impl Tree for Liar {
    type Structure = usize;
    fn structure(&self) -> usize {
        self.1
    }
    fn visit<'a>(&'a self, leaf: &mut dyn FnMut(&'a Tensor)) {
        leaf(&self.0);
    }
    fn keys(names: &usize, _prefix: &str, into: &mut Vec<String>) {
        into.extend((0..*names).map(|i| format!("name{i}")));
    }
    fn build(names: &usize, leaves: &mut dyn Iterator<Item = Tensor>) -> Option<Liar> {
        Some(Liar(leaves.next()?, *names))
    }
}

fn names_that_are_not_counted() {
    let folder = crate::folder::Folder::new("names");
    for names in [0, 2, 3, 1000] {
        let mut exporter =
            FunctionExporter::with_keywords(folder.path("f"), |x: &Tensor, more: &Liar| x + &more.0).unwrap();
        let error = exporter.call_keywords(&tensor![1.0], &Liar(tensor![2.0], names)).unwrap_err();
        assert!(error.message().contains(&format!("1 tensors and have {names} names")), "{error}");
        exporter.call_keywords(&tensor![1.0], &Liar(tensor![2.0], 1)).unwrap();
        exporter.close().unwrap();
        let f = crate::exported::import(folder.path("f")).unwrap();
        assert!(f.call_keywords(&tensor![1.0], &Liar(tensor![2.0], names)).is_err());
        assert!(f.call_keywords(&tensor![1.0], &Liar(tensor![2.0], 1)).is_ok());
    }
    programs::end();
}

thread_local! {
    static AGAIN: RefCell<Option<Arc<dyn Fn()>>> = const { RefCell::new(None) };
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

fn call_again() {
    if !INSIDE.replace(true) {
        if let Some(again) = AGAIN.with_borrow(Clone::clone) {
            again();
        }
        INSIDE.set(false);
    }
}

#[derive(Debug)]
struct Again;

impl Clone for Again {
    fn clone(&self) -> Again {
        call_again();
        Again
    }
}

impl PartialEq for Again {
    fn eq(&self, _: &Again) -> bool {
        call_again();
        true
    }
}

impl Eq for Again {}

impl std::hash::Hash for Again {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

struct Leaf(Tensor);

impl Tree for Leaf {
    type Structure = Again;
    fn structure(&self) -> Again {
        Again
    }
    fn visit<'a>(&'a self, leaf: &mut dyn FnMut(&'a Tensor)) {
        leaf(&self.0);
    }
    fn keys(_: &Again, prefix: &str, into: &mut Vec<String>) {
        into.push(prefix.to_owned());
    }
    fn build(_: &Again, leaves: &mut dyn Iterator<Item = Tensor>) -> Option<Leaf> {
        leaves.next().map(Leaf)
    }
}

fn structure_that_calls_again() {
    let f = Arc::new(compile(|x: &Leaf| &x.0 * 2.0));
    let inner = Arc::clone(&f);
    AGAIN.set(Some(Arc::new(move || drop(inner.call(&Leaf(tensor![3.0]))))));
    for _ in 0..3 {
        assert_eq!(f.call(&Leaf(tensor![1.0])).unwrap().to_vec::<f32>().unwrap(), [2.0]);
    }
    AGAIN.set(None);
    programs::end();
}

static REFUSED: AtomicUsize = AtomicUsize::new(0);

struct Late(Tensor, Compiled<Tensor, Tensor, fn(&Tensor) -> Tensor>);

impl Drop for Late {
    fn drop(&mut self) {
        let Late(x, f) = self;
        let kernel = HostKernel::new("late", |_, _| Ok(())).output_like(0);
        let results: [Result<()>; 7] = [
            f.call(x).map(drop),
            grad(|x: &Tensor| x.sum(..), x).map(drop),
            vmap(|x: &Tensor| x * 2.0, x).map(drop),
            checkpoint(|x: &Tensor| x * 2.0).call(x).map(drop),
            kernel.call([&*x]).map(drop),
            mlx::nn::gelu(x).map(drop),
            ops::random::normal([2]).map(drop),
        ];
        for error in results.into_iter().filter_map(Result::err) {
            assert_eq!(error.kind(), mlx::ErrorKind::Setup);
            REFUSED.fetch_add(1, Ordering::Relaxed);
        }
        assert!(!is_tracing_shapeless());
        assert_eq!(mlx::with_promotion_guard(mlx::PromotionGuard::Deny, || 3), 3);
    }
}

thread_local! {
    static LATE: RefCell<Option<Late>> = const { RefCell::new(None) };
}

/// A thread-local that is older than the library's on its thread outlives them; one that is older than the first transform must
/// not outlive what MLX keeps for those.
fn transforms_in_an_ending_thread() {
    ending_thread(true);
    assert_eq!(REFUSED.swap(0, Ordering::Relaxed), 7);
    ending_thread(false);
    // The thread's key is younger and gone.
    assert_eq!(REFUSED.load(Ordering::Relaxed), 1);
    programs::end();
}

fn ending_thread(older_than_all: bool) {
    let f = compile((|x: &Tensor| x * 2.0) as fn(&Tensor) -> Tensor);
    let work = move || {
        if older_than_all {
            LATE.set(None);
        }
        LATE.set(Some(Late(tensor![1.0, 2.0], f.clone())));
        let x = tensor![1.0, 2.0];
        f.call(&x).unwrap().eval().unwrap();
        grad(|x: &Tensor| x.sum(..), &x).unwrap();
        mlx::nn::gelu(&x).unwrap();
        ops::random::normal([2]).unwrap();
        mlx::with_promotion_guard(mlx::PromotionGuard::Deny, || ());
        assert!(ops::add(&x, tensor![1.0, 2.0, 3.0]).is_err());
    };
    thread::spawn(work).join().unwrap();
}

fn mask_of_too_many_tokens() {
    let many = ops::broadcast_to(&tensor![1.0], [i32::MAX]).unwrap();
    assert!(fast::apply_token_bitmask(&many, &[0]).is_err());
    let nothing = ops::zeros([i32::MAX, i32::MAX, i32::MAX, 0], mlx::Dtype::Float32).unwrap();
    assert_eq!(fast::apply_token_bitmask(&nothing, &[]).unwrap().size(), 0);
    programs::end();
}

/// MLX believes a rule's shapes.
fn vmap_rule_of_another_shape() {
    let rows = tensor![[1.0, 2.0], [3.0, 4.0]];
    let refused = |wrong: Tensor, axis: Option<i32>| {
        let given = wrong.clone();
        let f = CustomFunction::new(|x: &Tensor| x * 2.0)
            .vmap(move |_, _| Ok::<_, Error>((given.clone(), [axis].into())));
        let error = vmap(|x: &Tensor| f.call(x), &rows).unwrap_err();
        assert!(error.message().contains("its vmap rule gave shape"), "{error}");
        let kernel = HostKernel::new("k", |_, _| Ok(()))
            .output_like(0)
            .vmap(move |_, _| Ok::<_, Error>((vec![wrong.clone()], [axis].into())));
        let error = vmap(|x: &Tensor| kernel.call_one([x]), &rows).unwrap_err();
        assert!(error.message().contains("[k] its vmap rule gave shape"), "{error}");
    };
    refused(tensor![1.0, 2.0, 3.0], Some(0));
    refused(tensor![[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]], Some(0));
    refused(tensor![[1.0, 2.0], [1.0, 2.0]], None);
    refused(tensor![1.0, 2.0], Some(0));
    programs::end();
}
