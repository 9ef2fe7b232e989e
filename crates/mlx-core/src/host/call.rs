//! One call of a host kernel: its outputs' shapes, and what MLX holds of it.

use super::{HostInput, HostOutput, Kernel, Listed, Outputs};
use crate::{
    Dtype, Result, Shape, Tensor,
    ffi::{
        Stop,
        custom::{Custom, Rules},
        host::{self, Part},
    },
    shape::{check_size, check_sizes},
    transforms::{Wanted, checked, is_tracing_shapeless},
};
use std::sync::Arc;

/// A call, which MLX holds as long as its outputs are lazy.
struct Call {
    kernel: Arc<Kernel>,
    outputs: Vec<(Shape, Dtype)>,
}

pub(super) fn call(kernel: &Arc<Kernel>, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
    if let Some(fault) = &kernel.fault {
        return Err(kernel.refused(fault));
    }
    if is_tracing_shapeless() {
        return Err(kernel.refused("a host kernel's shapes are fixed: compile the function for each shape"));
    }
    let outputs = outputs(kernel, &inputs)?;
    let rules = Rules { vjp: kernel.vjp.is_some(), jvp: kernel.jvp.is_some(), vmap: kernel.vmap.is_some() };
    let call = Arc::new(Call { kernel: Arc::clone(kernel), outputs });
    let custom: Arc<dyn Custom> = Arc::<Call>::clone(&call);
    // The call keeps the kernel, so its address is the kernel's alone.
    let identity = Arc::as_ptr(kernel).cast();
    host::build(&kernel.name, &custom, identity, rules, &call.outputs, &inputs)
}

fn outputs(kernel: &Kernel, inputs: &[Tensor]) -> Result<Vec<(Shape, Dtype)>> {
    let outputs = match &kernel.outputs {
        Outputs::ByRule(rule) => rule(inputs)?,
        Outputs::Listed(all) => {
            let each = all.iter().map(|listed| match listed {
                Listed::Fixed(shape, dtype) => Ok((shape.clone(), *dtype)),
                Listed::Like(i) => match inputs.get(*i) {
                    Some(x) => Ok((Shape::from_slice(x.shape()), x.dtype())),
                    None => Err(kernel.refused(format!("an output is like input {i} of {}", inputs.len()))),
                },
            });
            each.collect::<Result<_>>()?
        }
    };
    if outputs.is_empty() {
        return Err(kernel.refused("it has no outputs"));
    }
    for (shape, dtype) in &outputs {
        check_sizes("host_kernel", shape)?;
        check_size("host_kernel", shape, *dtype)?;
    }
    Ok(outputs)
}

impl Call {
    /// What a rule gave, as many as MLX will look for, in their shapes.
    fn checked<'a>(
        &self,
        rule: &str,
        given: Vec<Tensor>,
        wanted: impl ExactSizeIterator<Item = &'a [i32]>,
    ) -> Result<Vec<Tensor>, Stop> {
        checked(rule, given, wanted).map_err(|why| Stop::failed(self.kernel.refused(why)))
    }
}

impl Custom for Call {
    fn forward(&self, inputs: Vec<Tensor>) -> Result<Vec<Tensor>, Stop> {
        call(&self.kernel, inputs).map_err(Stop::failed)
    }

    fn vjp(
        &self,
        inputs: Vec<Tensor>,
        cotangents: Vec<Tensor>,
        outputs: Vec<Tensor>,
    ) -> Result<Vec<Tensor>, Stop> {
        let rule = self.kernel.vjp.as_ref().expect("MLX was told of it");
        let gradients = rule(&inputs, &cotangents, &outputs)?;
        self.checked("vjp", gradients, inputs.iter().map(Tensor::shape))
    }

    fn jvp(&self, inputs: Vec<Tensor>, tangents: &[Option<Tensor>]) -> Result<Vec<Tensor>, Stop> {
        let rule = self.kernel.jvp.as_ref().expect("MLX was told of it");
        let products = rule(&inputs, tangents)?;
        self.checked("jvp", products, self.outputs.iter().map(|(shape, _)| &shape[..]))
    }

    fn vmap(&self, inputs: Vec<Tensor>, axes: &[Option<i32>]) -> Result<(Vec<Tensor>, Vec<i32>), Stop> {
        let rule = self.kernel.vmap.as_ref().expect("MLX was told of it");
        let (outputs, out_axes) = rule(&inputs, axes)?;
        let shapes: Vec<&[i32]> = self.outputs.iter().map(|(shape, _)| &shape[..]).collect();
        let wanted = Wanted { inputs: &inputs, in_axes: axes, shapes: &shapes };
        let out_axes = wanted.axes(&outputs, &out_axes);
        let out_axes = out_axes.map_err(|error| Stop::failed(self.kernel.refused(error.message())))?;
        Ok((outputs, out_axes))
    }

    fn run(&self, inputs: Vec<Part<'_>>, outputs: Vec<Part<'_>>) -> Result<(), String> {
        let inputs: Vec<_> = inputs.into_iter().map(HostInput::new).collect();
        let mut outputs: Vec<_> = outputs.into_iter().map(HostOutput::new).collect();
        (self.kernel.body)(&inputs, &mut outputs).map_err(|error| format!("[{}] {error}", self.kernel.name()))
    }
}
