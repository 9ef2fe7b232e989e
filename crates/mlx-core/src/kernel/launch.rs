//! How a kernel for a GPU is called: its outputs, its threads, its constants.

use crate::{
    Dtype, Error, ErrorKind, IntoShape, Result, Shape, Tensor,
    ffi::kernel::Constant,
    shape::{check_size, check_sizes, element_count},
};

/// The most threads of a group that any GPU takes.
const MOST_THREADS: i64 = 1024;

/// What a call writes, and its threads in each direction.
pub(super) type OutputsAndGrid = (Vec<(Shape, Dtype)>, [i32; 3]);

/// How a [`CudaKernel`](crate::CudaKernel) or [`MetalKernel`](crate::MetalKernel) is called.
#[derive(Clone, Debug)]
pub struct Launch {
    grid: Option<[i32; 3]>,
    pub(super) group: [i32; 3],
    outputs: Vec<(Shape, Dtype)>,
    pub(super) constants: Vec<(String, Constant)>,
    pub(super) init: Option<f32>,
    pub(super) verbose: bool,
    fault: Option<String>,
}

impl Launch {
    /// So many threads in each direction, in groups of so many; groups at the end may be larger than what is left.
    #[must_use]
    pub fn new(grid: [i32; 3], group: [i32; 3]) -> Launch {
        Launch { grid: Some(grid), ..Launch::grouped(group) }
    }

    /// A thread for each element of the first output, in groups of so many.
    #[must_use]
    pub fn each(group: i32) -> Launch {
        Launch::grouped([group, 1, 1])
    }

    fn grouped(group: [i32; 3]) -> Launch {
        Launch {
            grid: None,
            group,
            outputs: Vec::new(),
            constants: Vec::new(),
            init: None,
            verbose: false,
            fault: None,
        }
    }

    /// One more output.
    #[must_use]
    pub fn output(mut self, shape: impl IntoShape, dtype: Dtype) -> Launch {
        match shape.into_shape() {
            Ok(shape) => self.outputs.push((shape, dtype)),
            Err(error) => self.fault = Some(error.message().to_owned()),
        }
        self
    }

    /// One more output, of the shape and dtype of a tensor.
    #[must_use]
    pub fn output_like(self, x: &Tensor) -> Launch {
        self.output(x.shape(), x.dtype())
    }

    /// A type of the source.
    #[must_use]
    pub fn dtype(self, name: &str, dtype: Dtype) -> Launch {
        self.constant(name, Constant::Dtype(dtype))
    }

    /// An integer of the source.
    #[must_use]
    pub fn int(self, name: &str, value: i32) -> Launch {
        self.constant(name, Constant::Int(value))
    }

    /// A bool of the source.
    #[must_use]
    pub fn bool(self, name: &str, value: bool) -> Launch {
        self.constant(name, Constant::Bool(value))
    }

    fn constant(mut self, name: &str, constant: Constant) -> Launch {
        self.constants.push((name.to_owned(), constant));
        self
    }

    /// What outputs hold before the kernel runs; nothing in particular at first.
    #[must_use]
    pub fn init_value(mut self, value: f32) -> Launch {
        self.init = Some(value);
        self
    }

    /// Whether MLX prints the whole source.
    #[must_use]
    pub fn verbose(mut self, verbose: bool) -> Launch {
        self.verbose = verbose;
        self
    }

    pub(super) fn checked(&self, op: &'static str, outputs: usize) -> Result<OutputsAndGrid> {
        let refused = |message: String| Err(Error::new(ErrorKind::Value, op, message));
        if let Some(fault) = &self.fault {
            return refused(fault.clone());
        }
        if self.outputs.len() != outputs {
            return refused(format!("it has {outputs} outputs and shapes for {}", self.outputs.len()));
        }
        for (shape, dtype) in &self.outputs {
            check_sizes(op, shape)?;
            check_size(op, shape, *dtype)?;
        }
        let threads: i64 = self.group.iter().map(|&size| i64::from(size)).fold(1, i64::saturating_mul);
        if self.group.iter().any(|&size| size < 1) || threads > MOST_THREADS {
            return refused(format!("a group of {:?} threads: 1 to {MOST_THREADS} are", self.group));
        }
        let grid = match self.grid {
            Some(grid) => grid,
            None => match i32::try_from(element_count(&self.outputs[0].0)) {
                // A grid of none cannot be; the one thread has nothing to do.
                Ok(elements) => [elements.max(1), 1, 1],
                Err(_) => {
                    return refused("more elements than a grid has threads: it takes another grid".into());
                }
            },
        };
        if grid.iter().any(|&size| size < 1) {
            return refused(format!("a grid of {grid:?} threads cannot be"));
        }
        Ok((self.outputs.clone(), grid))
    }
}
