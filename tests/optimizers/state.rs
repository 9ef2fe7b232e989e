//! What optimizers remember, and what of it stays when a step fails.

use crate::{Net, named, same, train};
use mlx::{
    ErrorKind,
    nn::{ModuleExt, Parameters},
    ops,
    optimizers::{
        AdaDelta, Adafactor, Adagrad, Adam, AdamW, Adamax, Lion, Memory, MultiOptimizer, Muon, Optimizer,
        RMSprop, Rule, SGD, Schedule, Slots,
    },
    prelude::*,
};
use std::panic::{self, AssertUnwindSafe};

fn keys(optimizer: &impl Optimizer) -> Vec<String> {
    optimizer.state().into_keys().collect()
}

#[test]
fn keys_are_pythons() {
    let mut adam = Adam::new(0.1).unwrap();
    assert_eq!(keys(&adam), ["step", "learning_rate"]);
    assert_eq!(adam.state()["step"].dtype(), Dtype::Uint64);
    let mut net = Net::new();
    train(&mut net, &mut adam, 2);
    let wanted = ["first.weight", "first.bias", "last.weight", "last.bias"];
    let wanted = wanted.iter().flat_map(|key| ["m", "v"].map(|name| format!("{key}.{name}")));
    assert_eq!(
        keys(&adam),
        ["step", "learning_rate"].map(str::to_owned).into_iter().chain(wanted).collect::<Vec<_>>()
    );
    assert_eq!(adam.state()["step"].item::<u64>().unwrap(), 2);

    let mut adafactor = Adafactor::relative().unwrap().beta_1(0.9);
    let w = mlx::ops::ones([2, 3, 4], Dtype::Float16).unwrap();
    adafactor.init(&named([("w", w.clone()), ("b", w.index((0, 0)))])).unwrap();
    assert!(adafactor.learning_rate().is_none());
    let state = adafactor.state();
    let shapes: Vec<_> = state.iter().map(|(key, x)| (key.as_str(), x.shape())).collect();
    assert_eq!(
        shapes,
        [
            ("step", &[][..]),
            ("w.exp_avg_sq_row", &[2, 3]),
            ("w.exp_avg_sq_col", &[2, 4]),
            ("w.exp_avg", &[2, 3, 4]),
            ("b.exp_avg_sq", &[4]),
            ("b.exp_avg", &[4]),
        ]
    );
    assert_eq!(state["w.exp_avg"].dtype(), Dtype::Float16);
}

#[test]
fn states_that_are_none_are_refused_whole() {
    let mut sgd = SGD::new(0.1).unwrap().momentum(0.9);
    let w = named([("w", tensor![1.0])]);
    sgd.apply_gradients(&w, &w).unwrap();
    let before = sgd.state();
    let with = |key: &str| {
        let mut state = before.clone();
        state.insert(key.to_owned(), tensor![1.0]);
        state
    };
    let without = |key: &str| {
        let mut state = before.clone();
        state.shift_remove(key);
        state
    };
    for (state, message) in [
        (with("momentum"), "an optimizer's state has no \"momentum\""),
        (without("step"), "the state has no \"step\""),
        (without("learning_rate"), "the state has no \"learning_rate\""),
        (Parameters::new(), "the state has no \"step\""),
    ] {
        assert_eq!(sgd.set_state(state).unwrap_err().message(), message);
        same(message, &sgd.state(), &before);
    }
    // What is missing of a parameter is made anew, as in Python; what another optimizer kept is of no use.
    sgd.set_state(without("w.v")).unwrap();
    let after = sgd.apply_gradients(&w, &w).unwrap();
    assert_eq!(after["w"].item::<f32>().unwrap(), 1.0 - 0.1);
    let mut adam = Adam::new(0.1).unwrap();
    adam.set_state(before).unwrap();
    let error = adam.apply_gradients(&w, &w).unwrap_err();
    assert_eq!(error.message(), "the optimizer's state of a parameter has no \"m\"");
}

#[test]
fn a_step_that_fails_changes_nothing() {
    let schedule = Schedule::new(|step: &Tensor| 1.0 / (step + 1.0));
    let mut multi = MultiOptimizer::new()
        .add(|key, _| key == "w", SGD::new(&schedule).unwrap().momentum(0.5))
        .fallback(AdamW::new(schedule).unwrap());
    let parameters = named([("w", tensor![1.0, 2.0]), ("b", tensor![1.0, 2.0])]);
    multi.apply_gradients(&parameters, &parameters).unwrap();
    let before = multi.state();
    let wrong = named([("w", tensor![1.0, 2.0]), ("b", tensor![1.0, 2.0, 3.0])]);
    assert!(multi.apply_gradients(&wrong, &parameters).is_err());
    same("shapes", &multi.state(), &before);
    let unknown = named([("w", tensor![1.0, 2.0]), ("c", tensor![1.0])]);
    let error = multi.apply_gradients(&unknown, &parameters).unwrap_err();
    assert_eq!(error.message(), "there is a gradient of no parameter: \"c\"");
    let error = multi.apply_gradients(&unknown, &unknown).unwrap_err();
    assert_eq!(
        error.message(),
        "the state has nothing of \"c\": call init with all parameters that are trained"
    );
    same("keys", &multi.state(), &before);
    multi.init(&unknown).unwrap();
    assert_eq!(multi.apply_gradients(&unknown, &unknown).unwrap().len(), 2);
}

#[test]
fn settings_are_refused_at_the_first_use() {
    let w = named([("w", tensor![1.0])]);
    let error = SGD::new(0.1).unwrap().nesterov(true).init(&w).unwrap_err();
    assert_eq!(error.message(), "Nesterov momentum requires a momentum and zero dampening.");
    let mut adam = Adam::new(0.1).unwrap().betas([0.9, 1.0]);
    let error = adam.apply_gradients(&w, &w).unwrap_err();
    assert_eq!(error.message(), "Adam beta2 should be in [0, 1), 1.0 was provided instead");
    adam.betas = [0.9, 0.5];
    adam.apply_gradients(&w, &w).unwrap();
    let mut adafactor = Adafactor::relative().unwrap().relative_step(false);
    let error = adafactor.apply_gradients(&w, &w).unwrap_err();
    assert_eq!(error.message(), "the optimizer has no learning rate");
    adafactor.set_learning_rate(0.5).unwrap();
    adafactor.apply_gradients(&w, &w).unwrap();
}

#[test]
fn what_is_frozen_stays() {
    let mut net = Net::new();
    net.freeze(..).unwrap();
    net.last.unfreeze("bias").unwrap();
    let before = net.parameters();
    let mut sgd = SGD::new(0.1).unwrap();
    train(&mut net, &mut sgd, 1);
    assert_eq!(keys(&sgd), ["step", "learning_rate", "last.bias.v"]);
    let after = net.parameters();
    for key in ["first.weight", "first.bias", "last.weight"] {
        assert_eq!(after[key].to_vec::<f32>().unwrap(), before[key].to_vec::<f32>().unwrap(), "{key}");
    }
    assert_ne!(after["last.bias"].to_vec::<f32>().unwrap(), before["last.bias"].to_vec::<f32>().unwrap());
}

#[test]
fn each_of_several_has_its_own() {
    let new = || {
        MultiOptimizer::new()
            .add(|_, gradient| gradient.ndim() >= 2, Muon::new(0.02).unwrap())
            .add(|key, _| key.starts_with("first"), SGD::new(0.1).unwrap())
            .fallback(Adam::new(0.3).unwrap())
    };
    let (mut multi, mut net) = (new(), Net::new());
    train(&mut net, &mut multi, 1);
    let slots = keys(&multi).into_iter().filter(|key| !key.ends_with("step") && !key.ends_with("rate"));
    assert_eq!(
        slots.collect::<Vec<_>>(),
        [
            "states.0.first.weight.v",
            "states.0.last.weight.v",
            "states.1.first.bias.v",
            "states.2.last.bias.m",
            "states.2.last.bias.v"
        ]
    );
    // A copy goes its own way, from the same state.
    let (mut copy, mut other) = (multi.clone(), net.clone());
    mlx::random::seed(1).unwrap();
    train(&mut net, &mut multi, 2);
    mlx::random::seed(1).unwrap();
    train(&mut other, &mut copy, 2);
    same("parameters", &net.parameters(), &other.parameters());
    same("state", &multi.state(), &copy.state());
    let mut loaded = new();
    loaded.set_state(multi.state()).unwrap();
    same("loaded", &loaded.state(), &multi.state());

    assert_eq!(multi.learning_rate().unwrap().item::<f32>().unwrap(), 0.02);
    multi.set_learning_rate(0.5).unwrap();
    assert_eq!(multi.state()["states.2.learning_rate"].item::<f32>().unwrap(), 0.5);
    for key in ["states.3.step", "states.x.step", "step"] {
        let mut state = multi.state();
        state.insert(key.to_owned(), tensor![1.0]);
        assert_eq!(multi.set_state(state).unwrap_err().message(), "Invalid state provided");
    }
    let mut none = MultiOptimizer::new().add(|_, _| false, SGD::new(0.1).unwrap());
    let error = none.init(&net.parameters()).unwrap_err();
    assert_eq!(error.message(), "no optimizer takes \"first.weight\"");
}

/// A rule of the user's, with a slot of its own.
#[derive(Clone)]
struct Mean(Memory);

impl Rule for Mean {
    fn memory(&self) -> &Memory {
        &self.0
    }

    fn memory_mut(&mut self) -> &mut Memory {
        &mut self.0
    }

    fn init_single(&self, parameter: &Tensor) -> Result<Slots> {
        Slots::zeros(["sum"], parameter)
    }

    fn apply_single(&self, gradient: &Tensor, parameter: &Tensor, slots: &mut Slots) -> Result<Tensor> {
        let sum = slots.get("sum")? + gradient;
        slots.set("sum", sum.clone());
        Ok(parameter - self.0.learning_rate()? * sum / self.0.step())
    }
}

#[test]
fn a_rule_of_your_own_is_an_optimizer() {
    let mut mean: Box<dyn Optimizer> = Box::new(Mean(Memory::new(1.0).unwrap()));
    let mut w = named([("w", tensor![0.0])]);
    for gradient in [1.0, 3.0] {
        w = mean.apply_gradients(&named([("w", tensor![gradient])]), &w).unwrap();
    }
    assert_eq!(w["w"].item::<f32>().unwrap(), -3.0);
    assert_eq!(keys(&mean), ["step", "learning_rate", "w.sum"]);
}

/// A rule that refuses some parameters, and panics where it is told to.
#[derive(Clone)]
struct Odd(Memory, bool);

impl Rule for Odd {
    fn memory(&self) -> &Memory {
        &self.0
    }

    fn memory_mut(&mut self) -> &mut Memory {
        &mut self.0
    }

    fn init_single(&self, parameter: &Tensor) -> Result<Slots> {
        if parameter.ndim() == 0 {
            return Err(Error::new(ErrorKind::Value, "odd", "0-d"));
        }
        Slots::zeros(["v"], parameter)
    }

    fn apply_single(&self, gradient: &Tensor, parameter: &Tensor, _: &mut Slots) -> Result<Tensor> {
        assert!(!self.1, "on purpose");
        Ok(parameter - gradient)
    }
}

#[test]
fn a_first_step_that_fails_or_panics_leaves_no_state() {
    let (w, x) = (named([("w", tensor![1.0])]), named([("x", tensor![1.0])]));
    let mut sgd = SGD::new(0.1).unwrap();
    assert!(sgd.apply_gradients(&x, &w).is_err());
    assert_eq!(keys(&sgd), ["step", "learning_rate"]);
    sgd.apply_gradients(&w, &w).unwrap();

    let both = named([("w", tensor![1.0]), ("z", tensor![1.0].sum(..))]);
    let mut odd = Odd(Memory::new(0.5).unwrap(), true);
    assert!(odd.init(&both).is_err());
    assert_eq!(keys(&odd), ["step", "learning_rate"]);
    for turn in 0..2 {
        let panics = AssertUnwindSafe(|| odd.apply_gradients(&w, &w));
        assert!(panic::catch_unwind(panics).is_err());
        assert_eq!((keys(&odd).len(), odd.state()["step"].item::<u64>().unwrap()), (2 + turn, turn as u64));
        // The second time there is a state.
        odd.1 = false;
        odd.apply_gradients(&w, &w).unwrap();
        odd.1 = true;
    }

    let plain = || SGD::new(0.1).unwrap();
    let mut multi = MultiOptimizer::new().add(|key, _| key == "w", plain()).fallback(plain().nesterov(true));
    assert!(multi.init(&both).is_err());
    assert_eq!(multi.state().len(), 4);
}

/// States of another kind are an error or a step, of the parameter's own shape.
#[test]
fn every_optimizer_takes_or_refuses_every_state() {
    fn all() -> Vec<Box<dyn Optimizer>> {
        vec![
            Box::new(SGD::new(0.1).unwrap().momentum(0.9)),
            Box::new(RMSprop::new(0.1).unwrap()),
            Box::new(Adagrad::new(0.1).unwrap()),
            Box::new(AdaDelta::new(0.1).unwrap()),
            Box::new(Adam::new(0.1).unwrap()),
            Box::new(AdamW::new(0.1).unwrap()),
            Box::new(Adamax::new(0.1).unwrap()),
            Box::new(Lion::new(0.1).unwrap()),
            Box::new(Adafactor::relative().unwrap()),
            Box::new(Muon::new(0.1).unwrap()),
        ]
    }
    let given = named([("w", tensor![[1.0, 2.0], [3.0, 4.0]]), ("b", tensor![1.0, 2.0, 3.0])]);
    let mut steps = 0;
    for mut a in all() {
        a.apply_gradients(&given, &given).unwrap();
        for mut b in all() {
            let taken = b.set_state(a.state());
            if let Ok(updated) = taken.and_then(|()| b.apply_gradients(&given, &given)) {
                steps += 1;
                for (key, tensor) in updated {
                    tensor.eval().unwrap();
                    assert_eq!(tensor.shape(), given[&key].shape());
                }
            }
            for dtype in [Dtype::Bool, Dtype::Int8, Dtype::Complex64, Dtype::Float64] {
                for shape in [&[][..], &[0], &[3], &[2, 3], &[7]] {
                    let mut state = a.state();
                    state.values_mut().for_each(|slot| *slot = ops::zeros(shape, dtype).unwrap());
                    let taken = b.set_state(state);
                    let updated = taken.and_then(|()| b.apply_gradients(&given, &given)).unwrap_or_default();
                    updated.values().for_each(|tensor| drop(tensor.eval()));
                }
            }
        }
    }
    assert!((10..100).contains(&steps), "{steps}");
    let many = Muon::new(0.1).unwrap().ns_steps(u32::MAX).init(&given).unwrap_err();
    assert_eq!(many.message(), "ns_steps should be at most 1024, 4294967295 was provided instead");
}
