//! A training's file, from which it goes on as if it had never stopped.
//!
//! Not here: what is in it ([`Training::tensors`]).

use super::{Digits, Kind, Settings, Training};
use crate::{Result, of_file};
use clap::ValueEnum;
use mlx::{
    nn::{ModuleExt, Parameters},
    ops::{self, SafeTensors},
    optimizers::Optimizer,
    prelude::*,
    random,
};
use std::{collections::HashMap, fmt, path::Path, str::FromStr};

impl Training {
    /// Writes all of it; the file is the one before or the new one whole.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn save(&self, file: &Path) -> Result<()> {
        Ok(ops::save_safetensors_with(file, &self.tensors()?, self.settings.texts())?)
    }

    /// The training that [`save`](Training::save) wrote.
    ///
    /// # Errors
    /// A file that cannot be read or is of something else, and which tensor or setting shows it.
    pub fn resume(file: &Path, digits: Digits) -> Result<Training> {
        let SafeTensors { tensors, metadata, .. } = ops::load_safetensors(file)?;
        of_file(file, resumed(tensors, &metadata, digits))
    }
}

fn resumed(
    mut tensors: HashMap<String, Tensor>,
    metadata: &HashMap<String, String>,
    digits: Digits,
) -> Result<Training> {
    let mut training = Training::new(Settings::read(metadata)?, digits)?;
    let (mut net, mut state, mut own) = (Parameters::new(), Parameters::new(), Parameters::new());
    for (name, wanted) in training.tensors()? {
        let tensor = tensors.remove(&name).ok_or_else(|| format!("there is no {name:?}"))?;
        if (tensor.shape(), tensor.dtype()) != (wanted.shape(), wanted.dtype()) {
            return Err(format!("{name:?} is {tensor:?}, and should be {wanted:?}").into());
        }
        tensor.eval().map_err(|error| format!("{name:?}: {error}"))?;
        match name.split_once('.') {
            Some(("model", key)) => net.insert(key.to_owned(), tensor),
            Some(("optimizer", key)) => state.insert(key.to_owned(), tensor),
            _ => own.insert(name, tensor),
        };
    }
    if let Some(name) = tensors.keys().min() {
        return Err(format!("{name:?} belongs to no training of these settings").into());
    }
    let steps = usize::try_from(state["step"].item::<u64>()?)?;
    if steps > training.steps() {
        return Err(format!("\"optimizer.step\" is {steps}, of {} steps", training.steps()).into());
    }
    check_order(&own["shuffle.order"])?;
    let of = |name: &str, count| Ok::<_, Error>(own[name].to_vec::<f32>()?[..count].to_vec());
    training.losses = of("history.losses", steps)?;
    training.accuracies = of("history.accuracies", steps / training.steps_per_epoch())?;
    training.net.load_weights(net)?;
    training.optimizer.set_state(state)?;
    (training.shuffle, training.order) = (own["shuffle.key"].clone(), own["shuffle.order"].clone());
    random::set_state(&own["random.key"]);
    Ok(training)
}

/// Each row must be there once, or the rest of the epoch would be of other pictures.
fn check_order(order: &Tensor) -> Result<()> {
    let mut rows: Vec<u32> = order.to_vec()?;
    rows.sort_unstable();
    if rows.iter().zip(0..).all(|(&row, place)| row == place) {
        return Ok(());
    }
    Err("\"shuffle.order\" has not each row once".into())
}

impl Settings {
    fn texts(&self) -> [(&'static str, String); 5] {
        let Settings { model, epochs, batch, lr, seed } = self;
        [
            ("model", model.to_string()),
            ("epochs", epochs.to_string()),
            ("batch", batch.to_string()),
            // Rust writes a float such that it reads the same one.
            ("lr", lr.to_string()),
            ("seed", seed.to_string()),
        ]
    }

    fn read(texts: &HashMap<String, String>) -> Result<Settings> {
        fn setting<T: FromStr>(texts: &HashMap<String, String>, name: &str) -> Result<T> {
            let text = texts.get(name).ok_or_else(|| format!("its metadata do not say {name:?}"))?;
            text.parse().map_err(|_| format!("its metadata say {text:?} for {name:?}").into())
        }
        Ok(Settings {
            model: setting(texts, "model")?,
            epochs: setting(texts, "epochs")?,
            batch: setting(texts, "batch")?,
            lr: setting(texts, "lr")?,
            seed: setting(texts, "seed")?,
        })
    }
}

/// As the options that ask for it.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = self.texts().map(|(name, text)| format!("--{name} {text}"));
        f.write_str(&options.join(" "))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Cnn => "cnn",
            Kind::Mlp => "mlp",
        })
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Kind, String> {
        <Kind as ValueEnum>::from_str(name, false)
    }
}
