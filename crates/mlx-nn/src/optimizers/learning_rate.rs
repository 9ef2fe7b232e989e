//! What a learning rate is given as: a number, a tensor, or a schedule.
//!
//! Not here: the schedules themselves (`schedules`).

use mlx_core::{OperandRef, Result, Scalar, Tensor, transforms::Outcome};
use std::{fmt, sync::Arc};

type Function = dyn Fn(&Tensor) -> Result<Tensor> + Send + Sync;

/// A learning rate that depends on the step: a function of the number of steps done, which is a uint64 tensor.
///
/// Nothing is computed for it on the host, so that a compiled step has it, too.
///
/// ```
/// # use mlx_core::Tensor;
/// # use mlx_nn::optimizers::{Optimizer, SGD, Schedule};
/// let schedule = Schedule::new(|step: &Tensor| 0.5 / (step + 1.0));
/// let mut optimizer = SGD::new(schedule)?;
/// for _ in 0..2 {
///     optimizer.apply_gradients(&[].into(), &[].into())?;
/// }
/// // That of the last step, the second, before which one was done.
/// assert_eq!(optimizer.learning_rate().expect("a schedule").item::<f32>()?, 0.25);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Schedule(Arc<Function>);

impl Schedule {
    /// The schedule that `f` computes.
    pub fn new<R>(f: impl Fn(&Tensor) -> R + Send + Sync + 'static) -> Schedule
    where
        R: Outcome<Output = Tensor, Error = mlx_core::Error>,
    {
        Schedule(Arc::new(move |step| f(step).into_result()))
    }

    /// The learning rate after so many steps.
    ///
    /// # Errors
    /// The function's own.
    pub fn at(&self, step: &Tensor) -> Result<Tensor> {
        (self.0)(step)
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Schedule(..)")
    }
}

/// A number, which becomes a tensor as `mx.array` makes it (floats float32), a tensor, or a [`Schedule`].
#[derive(Clone, Debug)]
pub struct LearningRate(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Number(Scalar),
    Tensor(Tensor),
    Schedule(Schedule),
}

impl LearningRate {
    /// Its value before the first step, and the schedule if it is one.
    pub(super) fn begin(self, step: &Tensor) -> Result<(Tensor, Option<Schedule>)> {
        Ok(match self.0 {
            Kind::Number(number) => {
                (OperandRef::Scalar(number).to_tensor("learning_rate", None)?.into_owned(), None)
            }
            Kind::Tensor(tensor) => (tensor, None),
            Kind::Schedule(schedule) => (schedule.at(step)?, Some(schedule)),
        })
    }
}

macro_rules! from {
    ($($type:ty = |$given:ident| $kind:expr;)*) => {
        $(impl From<$type> for LearningRate {
            fn from($given: $type) -> LearningRate {
                LearningRate($kind)
            }
        })*
    };
}

from! {
    f64 = |number| Kind::Number(Scalar::Float(number));
    f32 = |number| Kind::Number(Scalar::Float(number.into()));
    i32 = |number| Kind::Number(Scalar::Int(number.into()));
    Tensor = |tensor| Kind::Tensor(tensor);
    &Tensor = |tensor| Kind::Tensor(tensor.clone());
    Schedule = |schedule| Kind::Schedule(schedule);
    &Schedule = |schedule| Kind::Schedule(schedule.clone());
}
