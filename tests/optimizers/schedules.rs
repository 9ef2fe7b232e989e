//! Schedules as learning rates, and what they refuse; clipping.

use crate::named;
use mlx::{
    optimizers::{
        LearningRate, Optimizer, SGD, Schedule, clip_grad_norm, cosine_decay, exponential_decay,
        join_schedules, linear_schedule, step_decay,
    },
    prelude::*,
};

/// The learning rates of the first steps, the one before them first.
fn rates(rate: impl Into<LearningRate>, steps: usize) -> Vec<f32> {
    let mut optimizer = SGD::new(rate).unwrap();
    let mut rates = vec![optimizer.learning_rate().unwrap().item().unwrap()];
    for _ in 0..steps {
        optimizer.apply_gradients(&named([]), &named([])).unwrap();
        rates.push(optimizer.learning_rate().unwrap().item().unwrap());
    }
    rates
}

#[test]
fn a_step_has_the_rate_of_the_steps_before_it() {
    assert_eq!(rates(exponential_decay(1.0, 0.5), 3), [1.0, 1.0, 0.5, 0.25]);
    assert_eq!(rates(step_decay(1.0, 0.5, 2).unwrap(), 5), [1.0, 1.0, 1.0, 0.5, 0.5, 0.25]);
    assert_eq!(rates(linear_schedule(0.0, 1.0, 2).unwrap(), 4), [0.0, 0.0, 0.5, 1.0, 1.0]);
    let cosine = rates(cosine_decay(1.0, 2, 0.0).unwrap(), 4);
    assert!(cosine.iter().zip([1.0, 1.0, 0.5, 0.0, 0.0]).all(|(a, b)| (a - b).abs() < 1e-6), "{cosine:?}");
    let joined =
        join_schedules(&[linear_schedule(0.0, 1.0, 2).unwrap(), exponential_decay(1.0, 0.5)], &[2]).unwrap();
    assert_eq!(rates(joined, 4), [0.0, 0.0, 0.5, 1.0, 0.5]);
    assert_eq!(rates(0.5, 1), [0.5, 0.5]);
    assert_eq!(rates(tensor![0.25].index(0), 1), [0.25, 0.25]);
}

#[test]
fn wrong_schedules_have_pythons_words() {
    let message = |made: Result<Schedule>| made.unwrap_err().message().to_owned();
    assert_eq!(message(step_decay(0.1, 0.9, 0)), "step_size must be greater than 0, but got 0.");
    assert_eq!(message(cosine_decay(0.1, -1, 0.0)), "decay_steps must be greater than 0, but got -1.");
    assert_eq!(message(linear_schedule(0.1, 0.2, 0)), "steps must be greater than 0, but got 0.");
    assert_eq!(message(join_schedules(&[], &[])), "Must provide at least 1 schedule to join.");
    let one = exponential_decay(1.0, 0.5);
    assert_eq!(message(join_schedules(&[one], &[1, 2])), "Received 2 boundaries but expected 0.");
    let failing = Schedule::new(|_: &Tensor| mlx::ops::reshape(&tensor![1.0], [2]));
    assert!(SGD::new(&failing).is_err());
}

#[test]
fn gradients_are_clipped_together() {
    let gradients = named([("a", tensor![3.0, 0.0]), ("b", tensor![[4.0]])]);
    let (clipped, norm) = clip_grad_norm(&gradients, 50.0).unwrap();
    assert_eq!(norm.item::<f32>().unwrap(), 5.0);
    assert_eq!(clipped["a"].to_vec::<f32>().unwrap(), [3.0, 0.0]);
    let (clipped, _) = clip_grad_norm(&gradients, 2.5).unwrap();
    assert!((clipped["b"].item::<f32>().unwrap() - 2.0).abs() < 1e-5);
    let (none, norm) = clip_grad_norm(&named([]), 1.0).unwrap();
    assert!(none.is_empty() && norm.item::<f32>().unwrap() == 0.0);
    let error = clip_grad_norm(&gradients, -1.0).unwrap_err();
    assert_eq!(error.message(), "max_norm should be >=0, -1.0 was provided instead");
}
