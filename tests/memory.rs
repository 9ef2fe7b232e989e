//! Memory figures and limits in scopes: peaks within peaks, limits that come back also after a panic.
//!
//! One test, since the figures are the process's.

use mlx::{Tensor, memory};
use std::panic;

const MEGABYTE: usize = 1 << 20;

fn hold(megabytes: usize) -> Tensor {
    Tensor::from_slice(&vec![0.5_f32; megabytes * MEGABYTE / 4]).unwrap()
}

/// Whether a peak is that of so many megabytes more than `base`, but for odds and ends.
fn check(bytes: usize, base: usize, megabytes: usize) {
    assert!(memory::peak().unwrap() >= memory::active().unwrap());
    let more = (bytes - base) as f64 / MEGABYTE as f64;
    assert!((more - megabytes as f64).abs() < 0.5, "{more} MB and not {megabytes}");
}

#[test]
fn scopes_measure_apart_and_limits_come_back() {
    drop(hold(1));
    let base = memory::active().unwrap();
    memory::reset_peak().unwrap();
    let outer = memory::measure_peak().unwrap();
    check(outer.bytes().unwrap(), base, 0);
    drop(hold(8));
    let inner = memory::measure_peak().unwrap();
    let kept = hold(3);
    check(inner.bytes().unwrap(), base, 3);
    check(outer.bytes().unwrap(), base, 8);
    let innermost = memory::measure_peak().unwrap();
    drop(hold(20));
    check(innermost.bytes().unwrap(), base, 23);
    drop(innermost);
    check(inner.bytes().unwrap(), base, 23);
    check(memory::peak().unwrap(), base, 23);
    // A new beginning of the process's figure leaves scopes alone.
    memory::reset_peak().unwrap();
    drop(hold(1));
    check(memory::peak().unwrap(), base, 4);
    drop(kept);
    drop(inner);
    check(outer.bytes().unwrap(), base, 23);

    let limit = memory::memory_limit().unwrap();
    let caught = panic::catch_unwind(|| {
        let _memory = memory::set_memory_limit(1 << 40).unwrap();
        let _cache = memory::set_cache_limit(0).unwrap();
        let _wired = memory::set_wired_limit(0).unwrap();
        let _scope = memory::measure_peak().unwrap();
        assert_eq!(memory::memory_limit().unwrap(), 1 << 40);
        panic!("on the way");
    });
    assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"on the way"));
    assert_eq!(memory::memory_limit().unwrap(), limit);
    // With a limit of 0 nothing would be kept.
    assert_ne!(memory::set_cache_limit(MEGABYTE).unwrap().before(), 0);
}
