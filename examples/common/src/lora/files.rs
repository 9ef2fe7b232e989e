//! A folder with adapters, as mlx-lm writes and reads it: `adapters.safetensors` and `adapter_config.json`.

use super::{Lora, Term};
use crate::{Result, language::Model};
use mlx::{
    nn::{ModuleExt, Parameters},
    ops,
};
use serde::{Deserialize, Serialize};
use std::{fs, path::Path};

const WEIGHTS: &str = "adapters.safetensors";
const CONFIG: &str = "adapter_config.json";

/// What mlx-lm asks for of the file's many entries.
#[derive(Serialize, Deserialize)]
struct AdapterConfig {
    fine_tune_type: String,
    num_layers: i64,
    lora_parameters: Term,
}

/// Writes what of `model` is trained.
///
/// # Errors
/// A file that cannot be written.
pub fn save(model: &Model, lora: &Lora, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    ops::save_safetensors(folder.join(WEIGHTS), &model.trainable_parameters())?;
    let config = AdapterConfig {
        fine_tune_type: "lora".to_owned(),
        num_layers: lora.layers as i64,
        lora_parameters: lora.term.clone(),
    };
    Ok(fs::write(folder.join(CONFIG), serde_json::to_string_pretty(&config)?)?)
}

/// Puts the adapters of a folder into `model`.
///
/// # Errors
/// A file that is missing or damaged; another kind of fine-tuning; a tensor that is missing, left over or has another shape, by
/// its name. The model may have terms then, which change nothing.
pub fn load(model: &mut Model, folder: &Path) -> Result<Lora> {
    let (config, weights) = (folder.join(CONFIG), folder.join(WEIGHTS));
    let lora = read(&config).map_err(|error| format!("{}: {error}", config.display()))?;
    lora.apply(model).map_err(|error| format!("{}: {error}", config.display()))?;
    let given: Parameters = ops::load_safetensors(&weights)?.tensors.into_iter().collect();
    check(&model.trainable_parameters(), &given)
        .map_err(|error| format!("{}: {error}", weights.display()))?;
    model.update(&given)?;
    Ok(lora)
}

fn read(config: &Path) -> Result<Lora> {
    let config: AdapterConfig = serde_json::from_str(&fs::read_to_string(config)?)?;
    if config.fine_tune_type != "lora" {
        return Err(format!("fine_tune_type is {:?}, and not \"lora\"", config.fine_tune_type).into());
    }
    Ok(Lora { layers: config.num_layers.try_into().unwrap_or(0), term: config.lora_parameters })
}

/// Names and shapes must be those of the model; dtypes need not.
fn check(wanted: &Parameters, given: &Parameters) -> Result<()> {
    if let Some(name) = given.keys().find(|name| !wanted.contains_key(*name)) {
        return Err(format!("{name:?} is no adapter of this model").into());
    }
    for (name, wanted) in wanted {
        let tensor = given.get(name).ok_or_else(|| format!("there is no {name:?}"))?;
        if tensor.shape() != wanted.shape() || !tensor.dtype().is_floating() {
            return Err(format!("{name:?} is {tensor:?}, and should be {wanted:?}").into());
        }
        tensor.eval().map_err(|error| format!("{name:?}: {error}"))?;
    }
    Ok(())
}
