//! Learning rates by the number of steps, with Python's names and order of ops.

use super::{Schedule, refused};
use mlx_core::{IntoScalar, Result};
use mlx_ops::{add, cos, floor_divide, less, minimum, multiply, pow, subtract, where_};
use std::f64::consts::PI;

/// `init * decay_rate ** step`
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::optimizers::exponential_decay;
/// assert_eq!(exponential_decay(2.0, 0.5).at(&tensor![3])?.item::<f32>()?, 0.25);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "optim.exponential_decay")]
pub fn exponential_decay(init: impl IntoScalar, decay_rate: impl IntoScalar) -> Schedule {
    let (init, decay_rate) = (init.into_scalar(), decay_rate.into_scalar());
    Schedule::new(move |step| multiply(pow(decay_rate, step)?, init))
}

/// `init * decay_rate ** (step // step_size)`
///
/// # Errors
/// A `step_size` below 1.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::optimizers::step_decay;
/// let schedule = step_decay(2.0, 0.5, 10)?;
/// assert_eq!(schedule.at(&tensor![29])?.item::<f32>()?, 0.5);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "optim.step_decay")]
pub fn step_decay(init: impl IntoScalar, decay_rate: impl IntoScalar, step_size: i64) -> Result<Schedule> {
    check("step_decay", "step_size", step_size)?;
    let (init, decay_rate) = (init.into_scalar(), decay_rate.into_scalar());
    Ok(Schedule::new(move |step| multiply(pow(decay_rate, floor_divide(step, step_size)?)?, init)))
}

/// Down from `init` to `end` along half a cosine within `decay_steps`, and `end` from then on; Python's default for `end`
/// is 0.
///
/// # Errors
/// `decay_steps` below 1.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::optimizers::cosine_decay;
/// let schedule = cosine_decay(1.0, 10, 0.5)?;
/// assert_eq!(schedule.at(&tensor![0])?.item::<f32>()?, 1.0);
/// assert_eq!(schedule.at(&tensor![99])?.item::<f32>()?, 0.5);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "optim.cosine_decay")]
pub fn cosine_decay(init: f64, decay_steps: i64, end: f64) -> Result<Schedule> {
    check("cosine_decay", "decay_steps", decay_steps)?;
    Ok(Schedule::new(move |step| {
        let step = minimum(step, decay_steps)?;
        let wave = cos(&multiply(step, PI / decay_steps as f64)?)?;
        let decay = multiply(add(wave, 1.0)?, 0.5)?;
        add(multiply(decay, init - end)?, end)
    }))
}

/// In a line from `init` to `end` within so many steps, and `end` from then on.
///
/// # Errors
/// `steps` below 1.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::optimizers::linear_schedule;
/// let schedule = linear_schedule(0.0, 1.0, 8)?;
/// assert_eq!(schedule.at(&tensor![2])?.item::<f32>()?, 0.25);
/// assert_eq!(schedule.at(&tensor![9])?.item::<f32>()?, 1.0);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "optim.linear_schedule")]
pub fn linear_schedule(init: f64, end: f64, steps: i64) -> Result<Schedule> {
    check("linear_schedule", "steps", steps)?;
    let slope = (end - init) / steps as f64;
    Ok(Schedule::new(move |step| add(multiply(minimum(step, steps)?, slope)?, init)))
}

/// One schedule after the other: the next from each of the `boundaries` on, with the steps since then.
///
/// # Errors
/// No schedule; not one boundary fewer than schedules.
///
/// ```
/// # use mlx_core::tensor;
/// # use mlx_nn::optimizers::{exponential_decay, join_schedules, linear_schedule};
/// let warm_up = linear_schedule(0.0, 1.0, 4)?;
/// let schedule = join_schedules(&[warm_up, exponential_decay(1.0, 0.5)], &[4])?;
/// assert_eq!(schedule.at(&tensor![3])?.item::<f32>()?, 0.75);
/// assert_eq!(schedule.at(&tensor![5])?.item::<f32>()?, 0.5);
/// # Ok::<(), mlx_core::Error>(())
/// ```
#[doc(alias = "optim.join_schedules")]
pub fn join_schedules(schedules: &[Schedule], boundaries: &[i64]) -> Result<Schedule> {
    const OP: &str = "join_schedules";
    let Some((first, rest)) = schedules.split_first() else {
        return refused(OP, "Must provide at least 1 schedule to join.");
    };
    if rest.len() != boundaries.len() {
        let (given, wanted) = (boundaries.len(), rest.len());
        return refused(OP, format!("Received {given} boundaries but expected {wanted}."));
    }
    let (first, rest) = (first.clone(), rest.to_vec());
    let boundaries = boundaries.to_vec();
    Ok(Schedule::new(move |step| {
        let mut output = first.at(step)?;
        for (&boundary, schedule) in boundaries.iter().zip(&rest) {
            output = where_(less(step, boundary)?, output, schedule.at(&subtract(step, boundary)?)?)?;
        }
        Ok(output)
    }))
}

fn check(schedule: &'static str, name: &str, count: i64) -> Result<()> {
    if count < 1 {
        return refused(schedule, format!("{name} must be greater than 0, but got {count}."));
    }
    Ok(())
}
