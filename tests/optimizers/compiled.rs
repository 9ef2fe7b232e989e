//! Compiled training steps: what goes in and out of the trace, and what stays when one fails.

use crate::{Net, batch, same, step, train};
use mlx::{
    ErrorKind,
    nn::{self, Buffer, Linear, Module, ModuleExt, checkpoint},
    optimizers::{Adam, Optimizer, SGD, compile_step, exponential_decay},
    prelude::*,
    random,
};
use std::panic::{self, AssertUnwindSafe};

/// Ops of which no two are fused into one that rounds less often: bits are those of the step itself.
#[test]
fn a_compiled_step_is_the_step() {
    let rate = || SGD::new(exponential_decay(0.5, 0.5)).unwrap();
    let (mut net, mut sgd) = (Net::new(), rate());
    train(&mut net, &mut sgd, 4);
    let next = random::state().unwrap();

    let (mut other, mut compiled) = (Net::new(), rate());
    let compiled_step = compile_step(&other, &compiled, step::<SGD>).lift_constants();
    for _ in 0..4 {
        compiled_step.call(&mut other, &mut compiled, &batch()).unwrap().eval().unwrap();
    }
    assert_eq!(compiled_step.trace_count(), 1);
    // The dropout drew on from call to call.
    assert_eq!(random::state().unwrap().to_vec::<u32>().unwrap(), next.to_vec::<u32>().unwrap());
    same("state", &compiled.state(), &sgd.state());
    same("parameters", &other.parameters(), &net.parameters());
}

#[test]
fn a_step_that_fails_leaves_all() {
    let (mut net, mut adam) = (Net::new(), Adam::new(0.1).unwrap());
    train(&mut net, &mut adam, 1);
    let key = random::state().unwrap().to_vec::<u32>().unwrap();
    let (parameters, state) = (net.parameters(), adam.state());
    let failing = compile_step(&net, &adam, |net: &mut Net, adam: &mut Adam, batch: &crate::Batch| {
        step(net, adam, batch)?;
        Err::<Tensor, Error>(Error::new(ErrorKind::Value, "test", "no"))
    });
    let error = failing.call(&mut net, &mut adam, &batch()).unwrap_err();
    assert_eq!(error.message(), "no");
    same("state", &adam.state(), &state);
    same("parameters", &net.parameters(), &parameters);
    assert_eq!(random::state().unwrap().to_vec::<u32>().unwrap(), key);
    train(&mut net, &mut adam, 1);
}

#[test]
fn a_state_that_was_loaded_goes_on_compiled() {
    let (mut net, mut adam) = (Net::new(), Adam::new(0.1).unwrap());
    let compiled = compile_step(&net, &adam, step::<Adam>);
    for _ in 0..2 {
        compiled.call(&mut net, &mut adam, &batch()).unwrap();
    }
    let (mut other, mut loaded) = (net.clone(), Adam::new(0.7).unwrap());
    loaded.set_state(adam.state()).unwrap();
    let key = random::state().unwrap();
    compiled.call(&mut net, &mut adam, &batch()).unwrap();
    random::set_state(&key);
    compiled.call(&mut other, &mut loaded, &batch()).unwrap();
    same("state", &loaded.state(), &adam.state());
    same("parameters", &other.parameters(), &net.parameters());
    assert_eq!(compiled.trace_count(), 1);
}

/// A layer that counts its calls.
#[derive(Clone, Module)]
struct Counting {
    inner: Linear,
    calls: Buffer,
}

impl Counting {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.calls.set(self.calls.get() + 1);
        Ok(self.inner.forward(x)?.tanh())
    }
}

#[test]
fn a_checkpoint_has_the_gradients_and_sets_buffers_once() {
    let weight = tensor![[0.5, -1.0, 2.0]];
    let new = || Counting {
        inner: Linear::from_parameters(weight.clone(), Some(tensor![0.25])),
        calls: Buffer::new(tensor![0].index(0)),
    };
    let (mut plain, mut kept) = (new(), new());
    let x = tensor![[1.0, 2.0, 3.0], [0.5, 0.1, -0.4]];
    let (loss, slopes) =
        nn::value_and_grad(&mut plain, |model| Ok::<_, Error>(model.forward(&x)?.sum(..))).unwrap();
    let (again, others) = nn::value_and_grad(&mut kept, |model| {
        Ok::<_, Error>(checkpoint(model, Counting::forward, &x)?.sum(..))
    })
    .unwrap();
    assert_eq!(loss.item::<f32>().unwrap(), again.item::<f32>().unwrap());
    same("gradients", &others, &slopes);
    for model in [&plain, &kept] {
        assert_eq!(model.calls.get().item::<i32>().unwrap(), 1);
    }
    let wrong = |_: &Counting, _: &Tensor| Err::<Tensor, Error>(Error::new(ErrorKind::Value, "test", "no"));
    assert_eq!(checkpoint(&kept, wrong, &x).unwrap_err().message(), "no");
    kept.inner.freeze(..).unwrap();
    assert_eq!(checkpoint(&kept, Counting::forward, &x).unwrap().shape(), [2, 1]);
}

/// The state that the first call makes goes with it.
#[test]
fn a_first_step_that_fails_or_panics_leaves_no_state() {
    let (mut net, mut sgd) = (Net::new(), SGD::new(0.1).unwrap().momentum(0.5));
    let failing = compile_step(&net, &sgd, |_: &mut Net, _: &mut SGD, fails: &Vec<Tensor>| {
        assert!(!fails.is_empty(), "on purpose");
        Err::<Tensor, Error>(Error::new(ErrorKind::Value, "test", "no"))
    });
    let before = sgd.state().len();
    assert!(failing.call(&mut net, &mut sgd, &vec![tensor![1.0]]).is_err());
    assert_eq!(sgd.state().len(), before);
    let panics = AssertUnwindSafe(|| failing.call(&mut net, &mut sgd, &Vec::new()));
    assert!(panic::catch_unwind(panics).is_err());
    assert_eq!(sgd.state().len(), before);
    train(&mut net, &mut sgd, 1);
}
