//! Calls of mlx-c for kernels written in CUDA and Metal, and for captures of Metal.
//!
//! Not here: what is checked before (`crate::kernel`).

use super::{build::told_as_built, call::call, closure, runtime, status};
use crate::{DeviceKind, Dtype, Error, ErrorKind, OperandRef, Result, Shape, Tensor};
use mlx_link as sys;
use std::ffi::{CStr, CString, c_char};

/// Which language a kernel is written in, and what only that one has.
#[derive(Clone, Copy, Debug)]
pub enum Language {
    /// CUDA, with so many bytes of dynamic shared memory.
    Cuda {
        /// The bytes.
        shared_memory: i32,
    },
    /// Metal.
    Metal {
        /// Whether outputs are atomic.
        atomic_outputs: bool,
    },
}

/// What a kernel is, whatever it is called with.
pub(crate) struct Definition<'a> {
    pub(crate) name: &'a CStr,
    pub(crate) inputs: &'a [CString],
    pub(crate) outputs: &'a [CString],
    pub(crate) source: &'a CStr,
    pub(crate) header: &'a CStr,
    pub(crate) row_contiguous: bool,
}

/// A constant of a kernel.
#[derive(Clone, Copy, Debug, Hash, PartialEq)]
pub(crate) enum Constant {
    Dtype(Dtype),
    Int(i32),
    Bool(bool),
}

/// How a kernel is called.
pub(crate) struct Setup<'a> {
    pub(crate) outputs: &'a [(Shape, Dtype)],
    pub(crate) grid: [i32; 3],
    pub(crate) group: [i32; 3],
    pub(crate) constants: &'a [(CString, Constant)],
    pub(crate) init: Option<f32>,
    pub(crate) verbose: bool,
}

/// Whether the MLX that was loaded runs kernels of the language.
pub(crate) fn is_available(language: Language) -> Result<bool> {
    let _guard = runtime::enter()?;
    let mut available = false;
    let status = match language {
        Language::Cuda { .. } => call!(sys::mlx_cuda_is_available, out available),
        Language::Metal { .. } => call!(sys::mlx_metal_is_available, out available),
    };
    status::check("is_available", ErrorKind::Setup, status).map(|()| available)
}

/// mlx-c's vector of strings, which the caller frees.
fn strings(texts: &[CString]) -> sys::mlx_vector_string {
    let mut pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
    let count = pointers.len();
    call!(sys::mlx_vector_string_new_data, value pointers.as_mut_ptr(), value count)
}

/// Sets up a configuration of one language and calls its kernel.
macro_rules! apply {
    (
        $definition:expr, $setup:expr, $inputs:expr, $out:expr, $stream:expr, $extra:expr,
        $new:ident $free:ident $apply:ident $config_new:ident $config_free:ident $output:ident $grid:ident $group:ident
        $init:ident $verbose:ident $dtype:ident $int:ident $bool:ident
    ) => {{
        let (names, outputs) = (strings($definition.inputs), strings($definition.outputs));
        let kernel = call!(
            sys::$new, text $definition.name, value names, value outputs, text $definition.source,
            text $definition.header, value $definition.row_contiguous, value $extra
        );
        call!(sys::mlx_vector_string_free, value names);
        call!(sys::mlx_vector_string_free, value outputs);
        let config = call!(sys::$config_new);
        let mut status = 0;
        for (shape, dtype) in $setup.outputs {
            status |= call!(sys::$output, value config, list shape, value dtype.code());
        }
        let ([x, y, z], [a, b, c]) = ($setup.grid, $setup.group);
        status |= call!(sys::$grid, value config, value x, value y, value z);
        status |= call!(sys::$group, value config, value a, value b, value c);
        if let Some(init) = $setup.init {
            status |= call!(sys::$init, value config, value init);
        }
        status |= call!(sys::$verbose, value config, value $setup.verbose);
        for (name, constant) in $setup.constants {
            status |= match *constant {
                Constant::Dtype(dtype) => call!(sys::$dtype, value config, text name, value dtype.code()),
                Constant::Int(value) => call!(sys::$int, value config, text name, value value),
                Constant::Bool(value) => call!(sys::$bool, value config, text name, value value),
            };
        }
        if status == 0 && !kernel.ctx.is_null() {
            status = call!(
                sys::$apply, value $out, value kernel, vector $inputs, value config, value $stream
            );
        } else {
            status = 1;
        }
        call!(sys::$config_free, value config);
        if !kernel.ctx.is_null() {
            call!(sys::$free, value kernel);
        }
        status
    }};
}

/// The lazy outputs of a kernel, all of whose parts were checked.
pub(crate) fn launch(
    op: &'static str,
    language: Language,
    definition: &Definition<'_>,
    setup: &Setup<'_>,
    inputs: &[Tensor],
) -> Result<Vec<Tensor>> {
    let guard = runtime::enter()?;
    if guard.place().device().kind() != DeviceKind::Gpu {
        let message =
            "a kernel for a GPU is called where work goes to the CPU: with_device(Device::gpu(), ..)";
        return Err(Error::new(ErrorKind::Setup, op, message));
    }
    let stream = guard.stream();
    let made = closure::vector(op, &guard, |place| match language {
        Language::Cuda { shared_memory } => apply!(
            definition, setup, inputs, place, stream, shared_memory,
            mlx_fast_cuda_kernel_new mlx_fast_cuda_kernel_free mlx_fast_cuda_kernel_apply
            mlx_fast_cuda_kernel_config_new mlx_fast_cuda_kernel_config_free
            mlx_fast_cuda_kernel_config_add_output_arg mlx_fast_cuda_kernel_config_set_grid
            mlx_fast_cuda_kernel_config_set_thread_group mlx_fast_cuda_kernel_config_set_init_value
            mlx_fast_cuda_kernel_config_set_verbose mlx_fast_cuda_kernel_config_add_template_arg_dtype
            mlx_fast_cuda_kernel_config_add_template_arg_int mlx_fast_cuda_kernel_config_add_template_arg_bool
        ),
        Language::Metal { atomic_outputs } => apply!(
            definition, setup, inputs, place, stream, atomic_outputs,
            mlx_fast_metal_kernel_new mlx_fast_metal_kernel_free mlx_fast_metal_kernel_apply
            mlx_fast_metal_kernel_config_new mlx_fast_metal_kernel_config_free
            mlx_fast_metal_kernel_config_add_output_arg mlx_fast_metal_kernel_config_set_grid
            mlx_fast_metal_kernel_config_set_thread_group mlx_fast_metal_kernel_config_set_init_value
            mlx_fast_metal_kernel_config_set_verbose mlx_fast_metal_kernel_config_add_template_arg_dtype
            mlx_fast_metal_kernel_config_add_template_arg_int mlx_fast_metal_kernel_config_add_template_arg_bool
        ),
    });
    told_as_built(op, made, || inputs.iter().map(OperandRef::from))
}

/// Starts a capture of what Metal does.
pub(crate) fn start_capture(path: &CStr) -> Result<()> {
    let _guard = runtime::enter()?;
    status::check("start_capture", ErrorKind::Mlx, call!(sys::mlx_metal_start_capture, text path))
}

/// Ends it.
pub(crate) fn stop_capture() -> Result<()> {
    let _guard = runtime::enter()?;
    status::check("stop_capture", ErrorKind::Mlx, call!(sys::mlx_metal_stop_capture))
}
