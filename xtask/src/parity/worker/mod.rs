//! The Rust side of the parity runner: runs one case at a time under this library.
//!
//! Here: the line protocol, which `xtask/parity/worker.py` describes and speaks too. [`case`] runs a case,
//! [`input`] makes its inputs, [`value`] and [`failure`] are what it passes around, [`signature`] binds arguments as
//! Python does, [`operators`], [`indexing`], [`functions`], [`fast`], [`nn_functions`], [`layers`], [`optimizers`], [`methods`]
//! and [`transforms`] call the library. Not here: comparing (the driver).

pub(crate) mod case;
pub(crate) mod failure;
mod fast;
pub(crate) mod functions;
pub(crate) mod indexing;
mod input;
mod layers;
mod methods;
mod nn_functions;
pub(crate) mod operators;
mod optimizers;
mod signature;
mod transforms;
pub(crate) mod value;

use failure::Failure;
use mlx_core::{Device, with_device};
use serde_json::{Value as Json, json};
use std::{
    env, fs,
    io::{self, BufRead, Write},
    panic::{self, AssertUnwindSafe},
};

/// Answers requests until stdin ends, or a panic leaves the process in doubt, on the device it is told.
pub(crate) fn run() -> Result<bool, String> {
    with_device(device()?, serve).map_err(|e| e.to_string())?
}

/// The device that the environment names, or MLX's own choice.
pub(super) fn device() -> Result<Device, String> {
    match env::var("PARITY_DEVICE").as_deref() {
        Ok("cpu") => Ok(Device::cpu()),
        Ok("gpu") => Ok(Device::gpu()),
        _ => Device::current().map_err(|e| e.to_string()),
    }
}

fn serve() -> Result<bool, String> {
    let device = Device::current().map_err(|e| e.to_string())?.to_string();
    let mut out = io::stdout().lock();
    let mut say =
        |reply: Json| writeln!(out, "{reply}").and_then(|()| out.flush()).map_err(|e| e.to_string());
    let (cpu, blas) = mlx_core::cpu_mode()
        .and_then(|cpu| Ok((cpu.to_string(), mlx_core::blas_library()?)))
        .map_err(|e| e.to_string())?;
    let (mlx, libmlx) = (mlx_core::MLX_VERSION, loaded_libmlx());
    say(json!({"ready": {"mlx": mlx, "libmlx": libmlx, "cpu": cpu, "blas": blas, "device": device}}))?;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|e| e.to_string())?;
        let reply = panic::catch_unwind(AssertUnwindSafe(|| answer(&line))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a text");
            json!({"error": {"type": "Panic", "message": text}, "last": true})
        });
        let last = reply["last"] == true;
        say(reply)?;
        if last {
            break;
        }
    }
    Ok(true)
}

fn answer(line: &str) -> Json {
    let request: Json = match serde_json::from_str(line) {
        Ok(request) => request,
        Err(error) => return json!({"illformed": format!("not JSON: {error}")}),
    };
    match case::run(&request) {
        Ok(reply) => reply,
        Err(Failure::IllFormed(why)) => json!({"illformed": why}),
        Err(Failure::Unsupported(what)) => {
            json!({"error": {"type": "Unsupported", "message": format!("not supported: {what}")}})
        }
        Err(Failure::Raised { kind, message }) => json!({"error": {"type": kind, "message": message}}),
    }
}

/// The library that is really mapped.
fn loaded_libmlx() -> Option<String> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let line = maps.lines().find(|line| line.ends_with("/libmlx.so"))?;
    Some(line[line.find('/')?..].to_owned())
}
