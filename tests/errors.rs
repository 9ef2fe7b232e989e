//! Errors: what they say, where a panic points, and that none is stale or a stranger's.

use mlx::{Complex32, Dtype, Error, Tensor, ops, prelude::*};
use std::{
    cell::RefCell,
    error::Error as _,
    panic::{self, AssertUnwindSafe, Location},
    sync::Once,
    thread,
};

thread_local! {
    static PANIC: RefCell<Option<(String, u32, String)>> = const { RefCell::new(None) };
}

/// The panic of `work` points at the caller's line, and its text holds all of `words`.
#[track_caller]
fn check<T>(words: &[&str], work: impl FnOnce() -> T) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let place = info.location().expect("panics have one");
            let text = info.payload().downcast_ref::<String>().cloned();
            let seen = text.map(|text| (place.file().to_owned(), place.line(), text));
            // Only panics of `check` are looked for; the others are a test's own.
            let looked_for = PANIC.with_borrow_mut(|panic| match panic {
                Some(panic) => {
                    *panic = seen.unwrap_or_default();
                    true
                }
                None => false,
            });
            if !looked_for {
                before(info);
            }
        }));
    });
    PANIC.set(Some(Default::default()));
    let refused = panic::catch_unwind(AssertUnwindSafe(|| drop(work()))).is_err();
    let (file, line, text) = PANIC.take().expect("set above");
    assert!(refused, "no panic");
    assert_eq!((&file[..], line), (file!(), Location::caller().line()), "{text}");
    for word in words {
        assert!(text.contains(word), "{word:?} is not in {text:?}");
    }
}

fn ab() -> (Tensor, Tensor) {
    (ops::ones([2, 3], Dtype::Float32).unwrap(), ops::ones([4], Dtype::Float16).unwrap())
}

const SHAPES: &[&str] = &["float32 [2, 3]", "float16 [4]", "Shapes (2,3) and (4) cannot be broadcast"];

#[test]
fn operators_of_two_tensors_name_the_callers_line() {
    let (a, b) = ab();
    check(SHAPES, || &a + &b);
    check(SHAPES, || &a - b.clone());
    check(SHAPES, || a.clone() * &b);
    check(SHAPES, || a.clone() / b.clone());
    check(SHAPES, || &a % &b);
    let (a, b) = (a.astype(Dtype::Int32), b.astype(Dtype::Uint8));
    let shapes = &["int32 [2, 3]", "uint8 [4]", "cannot be broadcast"];
    check(shapes, || &a & &b);
    check(shapes, || a.clone() | &b);
    check(shapes, || &a ^ b.clone());
    check(shapes, || a.clone() << b.clone());
    check(shapes, || &a >> &b);
}

#[test]
fn operators_with_scalars_name_the_callers_line() {
    let small = tensor![1].astype(Dtype::Uint8);
    let words = &["Converting 300 to uint8 would result in overflow.", "uint8 [1]", "the scalar 300"];
    check(words, || &small + 300);
    check(words, || small.clone() - 300_i64);
    check(words, || 300 * &small);
    check(words, || 300 - small.clone());
    check(words, || 300 / &small);
    check(words, || 300 % &small);
    check(&["add", "std::bad_cast"], || &small + u64::MAX);
    check(&["Floating point types not allowed with bitwise and.", "the scalar 1.5"], || &small & 1.5);
    check(&["Floating point types not allowed with left shift."], || &small << Complex32::new(1.0, 0.0));
    let complex = tensor_of_complex();
    check(&["[remainder] Complex type not supported.", "complex64"], || &complex % 2);
}

fn tensor_of_complex() -> Tensor {
    tensor![Complex32::new(1.0, 2.0)]
}

#[test]
fn assign_operators_name_the_callers_line_and_leave_the_tensor() {
    let (a, b) = ab();
    let mut x = a.clone();
    check(SHAPES, || x += &b);
    check(SHAPES, || x -= b.clone());
    check(SHAPES, || x *= &b);
    check(SHAPES, || x /= &b);
    check(SHAPES, || x %= &b);
    check(&["bitwise or"], || x |= 1);
    check(&["bitwise xor"], || x ^= 1);
    check(&["bitwise and"], || x &= true);
    check(&["left shift"], || x <<= 1);
    check(&["right shift"], || x >>= 1);
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0; 6]);
    let mut whole = tensor![1];
    check(&["In place division cannot cast to non-floating point type.", "int32 [1]"], || whole /= 2);
    assert_eq!(whole.to_vec::<i32>().unwrap(), [1]);
}

#[test]
fn unary_operators_name_the_callers_line() {
    let (floats, bools) = (tensor![1.5], tensor![true]);
    check(&["bitwise_invert", "Floating point types not allowed", "float32 [1]"], || !&floats);
    check(&["bitwise_invert", "float32 [1]"], || !floats.clone());
    check(&["negative", "bool [1]"], || -&bools);
    check(&["negative", "bool [1]"], || -bools.clone());
}

#[test]
fn methods_name_the_callers_line() {
    let (a, b) = ab();
    check(SHAPES, || a.add(&b));
    check(SHAPES, || a.lt(&b));
    check(SHAPES, || a.maximum(b.clone()));
    check(SHAPES, || a.pow(&b));
    check(&["power", "uint8", "300"], || tensor![1].astype(Dtype::Uint8).rpow(300));
    check(&["matmul", "float32 [2, 3]", "float16 [4]"], || a.matmul(&b));
    check(&["sum", "float32 [2, 3]"], || a.sum(2));
    check(&["max", "float32 [2, 3]"], || a.max([0, 0]));
    check(&["var", "float32 [2, 3]"], || a.var(-3, 0));
    check(&["softmax", "float32 [2, 3]"], || a.softmax(5));
    check(&["softmax", "float32 [2, 3]"], || a.softmax_precise(5));
    check(&["reshape array of size 6 into shape (5)", "float32 [2, 3]"], || a.reshape([5]));
    check(&["transpose", "float32 [2, 3]"], || a.transpose([0]));
    check(&["squeeze", "float32 [2, 3]"], || a.squeeze(0));
    check(&["expand_dims", "float32 [2, 3]"], || a.expand_dims(9));
    check(&["broadcast_to", "float32 [2, 3]"], || a.broadcast_to([3, 2]));
    check(&["index 2 is out of bounds for axis 0 with size 2"], || a.index(2));
    check(&["where", "float32 [2, 3]", "float16 [4]"], || a.gt(0).where_(&a, &b));
    check(&["clip", "float32 [2, 3]", "float16 [4]"], || a.clip(&b, 1));
    check(&["erf", "complex64 [1]"], || tensor_of_complex().erf());
    check(&["floor", "complex64 [1]"], || tensor_of_complex().floor());
    check(&["dim: axis 2", "[2, 3]"], || a.dim(2));
}

#[test]
fn division_by_zero_names_the_callers_line() {
    let x = tensor![7, 8];
    check(&["floor_divide: integer division by zero", "int32 [2]", "the scalar 0"], || x.floor_divide(0));
    check(&["remainder: integer division by zero"], || &x % 0);
    check(&["remainder: integer division by zero"], || 7 % tensor![0]);
}

/// Kind, op, message, and all of the text.
#[track_caller]
fn told(error: &Error, kind: ErrorKind, op: &str, message: &str, text: &str) {
    assert_eq!((error.kind(), error.op(), error.message()), (kind, op, message));
    assert_eq!(error.to_string(), text);
}

#[test]
fn errors_tell_kind_op_message_and_operands() {
    let (a, b) = ab();
    let message = "[broadcast_shapes] Shapes (2,3) and (4) cannot be broadcast.";
    let text = format!("add: {message} (operands: float32 [2, 3], float16 [4])");
    told(&ops::add(&a, &b).unwrap_err(), ErrorKind::Mlx, "add", message, &text);
    assert!(ops::add(&a, &b).unwrap_err().source().is_none());
    let message = "the tensor is float32 and int32 was asked for";
    let text = format!("to_vec: {message} (operands: float32 [2, 3])");
    told(&a.to_vec::<i32>().unwrap_err(), ErrorKind::Dtype, "to_vec", message, &text);
    let message = "Converting 256 to uint8 would result in overflow.";
    let text = format!("add: {message} (operands: uint8 [1], the scalar 256)");
    let error = ops::add(tensor![1].astype(Dtype::Uint8), 256).unwrap_err();
    told(&error, ErrorKind::Value, "add", message, &text);
    let message = "index 9 is out of bounds for axis 0 with size 2";
    told(
        &ops::index(&a, 9).unwrap_err(),
        ErrorKind::Index,
        "index",
        message,
        &format!("index: {message} (operands: float32 [2, 3])"),
    );
    let error = ops::load_safetensors("/nowhere/at/all").unwrap_err();
    assert_eq!((error.kind(), error.op()), (ErrorKind::Io, "load_safetensors"));
    assert!(error.message().starts_with("/nowhere/at/all: "));
    let mut source = error.source();
    let mut root = None;
    while let Some(cause) = source {
        root = cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind).or(root);
        source = cause.source();
    }
    assert_eq!(root, Some(std::io::ErrorKind::NotFound));
}

#[test]
fn errors_are_sent_between_threads_and_boxed() {
    fn boxed() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        ops::reshape(&tensor![1], [2])?;
        Ok(())
    }
    let text = thread::spawn(|| boxed().unwrap_err().to_string()).join().unwrap();
    assert!(text.starts_with("reshape: [reshape] Cannot reshape array of size 1 into shape (2)."), "{text}");
    assert_eq!(size_of::<mlx::Result<()>>(), 8);
}

/// A failure without words of MLX does not show the words of the one before it.
#[test]
fn no_message_is_stale() {
    let (a, b) = ab();
    for _ in 0..3 {
        assert!(ops::add(&a, &b).is_err());
        assert!(!ops::reshape(&a, [-2, -2]).unwrap_err().message().contains("broadcast"));
        assert!(!ops::index(&a, 7).unwrap_err().message().contains("broadcast"));
        assert!(!ops::transpose(&a, [7, 7]).unwrap_err().message().contains("broadcast"));
        assert_eq!(a.sum(..).to_vec::<f32>().unwrap(), [6.0]);
        assert!(!ops::arange(f64::NAN, 1, 1).unwrap_err().message().contains("broadcast"));
    }
}

#[test]
fn errors_of_two_threads_do_not_mix() {
    let work = |size: i32| {
        move || {
            let (a, b) =
                (ops::ones([size], Dtype::Float32).unwrap(), ops::ones([2], Dtype::Float32).unwrap());
            let words = format!("Shapes ({size}) and (2) cannot be broadcast");
            for _ in 0..3000 {
                let error = ops::add(&a, &b).unwrap_err();
                assert!(error.message().contains(&words), "{error}");
            }
        }
    };
    thread::scope(|scope| (3..9).for_each(|size| drop(scope.spawn(work(size)))));
}

#[test]
fn debug_is_the_text_and_the_kind() {
    let error = ops::add(ops::ones([2], Dtype::Float32).unwrap(), ops::ones([3], Dtype::Float32).unwrap());
    let error = error.unwrap_err();
    assert_eq!(format!("{error:?}"), format!("{error} [ErrorKind::Mlx]"));
}

#[test]
fn axes_that_would_not_be_kept() {
    let x = ops::ones([2, 3], Dtype::Float32).unwrap();
    assert_eq!(ops::softmax(&x, axes(0).keep()).unwrap_err().kind(), ErrorKind::Value);
    assert_eq!(ops::sum(&x, axes(x.ndim() - 1).keep()).unwrap().shape(), [2, 1]);
    assert!(ops::sum(&x, usize::MAX).is_err());
}
