//! Errors of mlx-c: the handler, and the last message of each thread.

use crate::{Error, ErrorKind, Result};
use mlx_link as sys;
use std::{
    cell::RefCell,
    ffi::{CStr, c_char, c_int, c_void},
};

thread_local! {
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// mlx-c's own handler prints and ends the process, so this runs before any other call.
pub(super) fn install_handler() {
    // SAFETY: `on_error` matches the handler's type, needs no data and stays valid for the whole process.
    unsafe { sys::mlx_set_error_handler(Some(on_error), std::ptr::null_mut(), None) };
}

extern "C" fn on_error(message: *const c_char, _data: *mut c_void) {
    // SAFETY: mlx-c passes a NUL-terminated string that lives for the length of this call.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy();
    let text = without_place(&text).to_owned();
    // A thread whose locals are gone has nobody left to tell.
    let _ = LAST.try_with(|last| *last.borrow_mut() = Some(text));
}

/// mlx-c appends ` at FILE:LINE` of its own sources; MLX's text is what Python shows.
fn without_place(text: &str) -> &str {
    match text.rsplit_once(" at ") {
        Some((head, place)) => match place.rsplit_once(':') {
            Some((_, line)) if !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit()) => head,
            _ => text,
        },
        None => text,
    }
}

/// Turns a status of mlx-c into a result; some failures come without a message.
pub(super) fn check(op: &'static str, kind: ErrorKind, status: c_int) -> Result<()> {
    if status == 0 { Ok(()) } else { Err(failure(op, kind)) }
}

#[cold]
pub(super) fn failure(op: &'static str, kind: ErrorKind) -> Error {
    let message = LAST.try_with(|last| last.borrow_mut().take()).ok().flatten();
    Error::new(kind, op, message.unwrap_or_else(|| "MLX reported a failure without a message".into()))
}

/// The text that `fill` writes into a string of mlx-c's.
pub(super) fn string(op: &'static str, fill: impl FnOnce(*mut sys::mlx_string) -> c_int) -> Result<String> {
    // SAFETY: the string is made, read and freed here; an empty one has no data, and asking for it is an error.
    unsafe {
        let mut raw = sys::mlx_string_new();
        let filled = check(op, ErrorKind::Mlx, fill(&raw mut raw));
        let text = filled.map(|()| {
            let data = if raw.ctx.is_null() { c"".as_ptr() } else { sys::mlx_string_data(raw) };
            CStr::from_ptr(data).to_string_lossy().into_owned()
        });
        sys::mlx_string_free(raw);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::without_place;

    #[test]
    fn only_a_place_is_cut_off() {
        assert_eq!(without_place("[add] no at /a b/ops.cpp:12"), "[add] no");
        assert_eq!(without_place("no file at x"), "no file at x");
        assert_eq!(without_place("look at a:b at /f.cpp:1"), "look at a:b");
    }
}
