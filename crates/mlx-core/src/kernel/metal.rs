//! Metal: whether it is there, and captures of what it does.

use crate::{
    Error, ErrorKind, Result,
    ffi::kernel::{self, Language},
};
use std::{ffi::CString, path::Path};

/// Whether the MLX that was loaded computes by Metal.
///
/// # Errors
/// MLX could not be started.
#[doc(alias = "mx.metal.is_available")]
pub fn metal_is_available() -> Result<bool> {
    kernel::is_available(Language::Metal { atomic_outputs: false })
}

/// A capture of what Metal does, for Xcode, until it is dropped. The process needs `MTL_CAPTURE_ENABLED=1`.
///
/// ```
/// # use mlx_core::{ErrorKind, MetalCapture, metal_is_available};
/// if !metal_is_available()? {
///     assert_eq!(MetalCapture::start("step.gputrace").unwrap_err().kind(), ErrorKind::Setup);
/// }
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[must_use = "the capture ends when this is dropped"]
#[derive(Debug)]
pub struct MetalCapture(());

impl MetalCapture {
    /// Starts a capture into a file that does not exist yet (`.gputrace`).
    ///
    /// # Errors
    /// No Metal; a path with a `%` or NUL, or that is not UTF-8; what Metal refuses.
    #[doc(alias = "mx.metal.start_capture")]
    pub fn start(path: impl AsRef<Path>) -> Result<MetalCapture> {
        const OP: &str = "start_capture";
        if !metal_is_available()? {
            return Err(Error::new(ErrorKind::Setup, OP, "the MLX library that was loaded has no Metal"));
        }
        let path = path.as_ref();
        // mlx-c hands a message with the path to printf.
        let text = path.to_str().filter(|text| !text.contains('%')).and_then(|text| CString::new(text).ok());
        let Some(text) = text else {
            let message = format!("the path {} cannot be given to MLX", path.display());
            return Err(Error::new(ErrorKind::Value, OP, message));
        };
        kernel::start_capture(&text).map(|()| MetalCapture(()))
    }
}

impl Drop for MetalCapture {
    fn drop(&mut self) {
        // Nobody is there to be told.
        let _ = kernel::stop_capture();
    }
}
