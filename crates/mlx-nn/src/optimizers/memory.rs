//! What an optimizer remembers between steps, under the keys of Python's state.

use super::{LearningRate, Schedule};
use crate::Parameters;
use mlx_core::{
    Dtype, Error, ErrorKind, Result, Tensor,
    utils::{IndexMap, joined},
};
use mlx_ops::{add, zeros_like};
use std::borrow::Cow;

/// The tensors that an optimizer keeps of one parameter, by name, as `m` and `v` of Adam.
#[derive(Clone, Debug, Default)]
pub struct Slots(Vec<(Cow<'static, str>, Tensor)>);

impl Slots {
    /// None.
    #[must_use]
    pub fn new() -> Slots {
        Slots::default()
    }

    /// Zeros of the parameter's shape and dtype under these names.
    ///
    /// # Errors
    /// MLX that cannot be started.
    pub fn zeros<const N: usize>(names: [&'static str; N], parameter: &Tensor) -> Result<Slots> {
        let slots = names.map(|name| Ok((Cow::Borrowed(name), zeros_like(parameter)?)));
        slots.into_iter().collect::<Result<_>>().map(Slots)
    }

    /// One more, or another value for one.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: Tensor) -> Slots {
        self.set(name, value);
        self
    }

    /// The tensor of that name.
    ///
    /// # Errors
    /// There is none, as in the state of another kind of optimizer.
    pub fn get(&self, name: &str) -> Result<&Tensor> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, tensor)| tensor).ok_or_else(|| {
            let message = format!("the optimizer's state of a parameter has no {name:?}");
            Error::new(ErrorKind::Index, "apply_gradients", message)
        })
    }

    /// Another value for the tensor of that name.
    pub fn set(&mut self, name: &'static str, value: Tensor) {
        self.put(Cow::Borrowed(name), value);
    }

    fn put(&mut self, name: Cow<'static, str>, value: Tensor) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, tensor)) => *tensor = value,
            None => self.0.push((name, value)),
        }
    }
}

/// An optimizer's state: how many steps were done, the learning rate, and the [`Slots`] of each parameter.
#[derive(Clone, Debug)]
pub struct Memory {
    counted: Counted,
    schedule: Option<Schedule>,
    pub(super) slots: IndexMap<String, Slots>,
    /// Whether the slots are those of the parameters in use; Python's `_initialized`.
    pub(super) is_initialized: bool,
}

/// What there was before a step.
pub(super) struct Before {
    counted: Counted,
    /// Where the step makes them.
    slots: Option<IndexMap<String, Slots>>,
}

/// What a step changes for all parameters.
#[derive(Clone, Debug)]
struct Counted {
    step: Tensor,
    learning_rate: Option<Tensor>,
}

const STEP: &str = "step";
const LEARNING_RATE: &str = "learning_rate";

impl Memory {
    /// A state before the first step.
    ///
    /// # Errors
    /// A schedule that fails.
    pub fn new(learning_rate: impl Into<LearningRate>) -> Result<Memory> {
        let mut memory = Memory::without_learning_rate()?;
        let (value, schedule) = learning_rate.into().begin(&memory.counted.step)?;
        memory.counted.learning_rate = Some(value);
        memory.schedule = schedule;
        Ok(memory)
    }

    /// The same, of an optimizer that needs no learning rate.
    ///
    /// # Errors
    /// MLX that cannot be started.
    pub fn without_learning_rate() -> Result<Memory> {
        Ok(Memory {
            counted: Counted { step: Tensor::scalar(0, Dtype::Uint64)?, learning_rate: None },
            schedule: None,
            slots: IndexMap::new(),
            is_initialized: false,
        })
    }

    /// The number of steps, uint64 of no axes; within a step that one counts.
    #[must_use]
    pub fn step(&self) -> &Tensor {
        &self.counted.step
    }

    /// The learning rate of the last step, or of the step under way.
    ///
    /// # Errors
    /// There is none.
    pub fn learning_rate(&self) -> Result<&Tensor> {
        self.counted.learning_rate.as_ref().ok_or_else(|| {
            let message = "the optimizer has no learning rate";
            Error::new(ErrorKind::Value, LEARNING_RATE, message)
        })
    }

    pub(super) fn set_learning_rate(&mut self, learning_rate: Tensor) {
        self.counted.learning_rate = Some(learning_rate);
    }

    /// What there is, to be put back where a step fails.
    pub(super) fn before(&self) -> Before {
        let slots = (!self.is_initialized).then(|| self.slots.clone());
        Before { counted: self.counted.clone(), slots }
    }

    pub(super) fn begin_step(&mut self) -> Result<()> {
        let mut next = self.counted.clone();
        if let Some(schedule) = &self.schedule {
            next.learning_rate = Some(schedule.at(&next.step)?);
        }
        next.step = add(&next.step, 1)?;
        self.counted = next;
        Ok(())
    }

    pub(super) fn put_back(&mut self, before: Before) {
        self.counted = before.counted;
        if let Some(slots) = before.slots {
            (self.slots, self.is_initialized) = (slots, false);
        }
    }

    /// All tensors under Python's keys: `step`, `learning_rate`, and a parameter's key with the slot's name behind it.
    pub(super) fn flat(&self) -> Parameters {
        let mut flat = Parameters::new();
        flat.insert(STEP.to_owned(), self.counted.step.clone());
        if let Some(learning_rate) = &self.counted.learning_rate {
            flat.insert(LEARNING_RATE.to_owned(), learning_rate.clone());
        }
        for (key, slots) in &self.slots {
            flat.extend(slots.0.iter().map(|(name, tensor)| (joined(key, name), tensor.clone())));
        }
        flat
    }

    /// Becomes what [`flat`](Memory::flat) gave.
    pub(super) fn set_flat(&mut self, state: Parameters) -> Result<()> {
        let refused = |message: String| Err(Error::new(ErrorKind::Value, "set_state", message));
        let (mut step, mut learning_rate) = (None, None);
        let mut slots = IndexMap::<String, Slots>::new();
        for (key, tensor) in state {
            match key.rsplit_once('.') {
                None if key == STEP => step = Some(tensor),
                None if key == LEARNING_RATE => learning_rate = Some(tensor),
                None => return refused(format!("an optimizer's state has no {key:?}")),
                Some((parameter, name)) => {
                    let name = Cow::Owned(name.to_owned());
                    match slots.get_mut(parameter) {
                        Some(slots) => slots.put(name, tensor),
                        None => drop(slots.insert(parameter.to_owned(), Slots(vec![(name, tensor)]))),
                    }
                }
            }
        }
        let Some(step) = step else { return refused(format!("the state has no {STEP:?}")) };
        if learning_rate.is_none() && self.counted.learning_rate.is_some() {
            if self.schedule.is_none() {
                return refused(format!("the state has no {LEARNING_RATE:?}"));
            }
            learning_rate.clone_from(&self.counted.learning_rate);
        }
        self.is_initialized = self.is_initialized && same_keys(&self.slots, &slots);
        self.counted = Counted { step, learning_rate };
        self.slots = slots;
        Ok(())
    }
}

type ByKey = IndexMap<String, Slots>;

/// Whether both have slots of the same names for the same parameters.
fn same_keys(a: &ByKey, b: &ByKey) -> bool {
    let names = |slots: &Slots, others: &Slots| {
        slots.0.len() == others.0.len() && slots.0.iter().all(|(name, _)| others.get(name).is_ok())
    };
    a.len() == b.len() && a.iter().all(|(key, slots)| b.get(key).is_some_and(|other| names(slots, other)))
}
