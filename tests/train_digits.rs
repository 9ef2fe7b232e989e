//! The example `train_digits` learns; a training that was stopped goes on with the bits of one that was not; files that are
//! damaged are errors that say where.

#[path = "support/folder.rs"]
mod folder;
#[allow(dead_code, reason = "its main")]
#[path = "../examples/train_digits/main.rs"]
mod program;

use clap::Parser;
use flate2::{Compression, write::GzEncoder};
use folder::Folder;
use mlx::{
    ops::{self, SafeTensors},
    prelude::*,
    random,
};
use mlx_examples::{
    Failure,
    digits::{Digits, Kind, Settings, Training},
    plot::{Figure, Panel},
};
use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    thread,
    time::{Duration, Instant},
};

type Test = Result<(), Failure>;

fn train(training: &mut Training, steps: usize) -> Test {
    for _ in 0..steps {
        training.step()?;
    }
    Ok(())
}

#[test]
fn it_learns() -> Test {
    let mut training = Training::new(Settings::default(), Digits::fetch()?)?;
    let steps = training.steps();
    train(&mut training, steps)?;
    assert!(training.is_done() && training.losses[steps - 1] < 0.3 * training.losses[0]);
    let accuracy = training.accuracies[9];
    assert!(accuracy >= 0.985 && training.accuracies.len() == 10, "{:?}", training.accuracies);
    assert_eq!(
        training.accuracy()?.to_bits(),
        accuracy.to_bits(),
        "it draws nothing where it does not learn"
    );
    Ok(())
}

/// Stopped in the second epoch, and at the end of the first.
#[test]
fn who_was_stopped_goes_on_with_the_same_bits() -> Test {
    let (folder, digits) = (Folder::new("resume"), Digits::fetch()?);
    let file = |name: &str| folder.path(name);
    for (model, stop) in [(Kind::Cnn, 15), (Kind::Mlp, 15), (Kind::Mlp, 11)] {
        let settings = Settings { model, epochs: 3, batch: 128, seed: 3, ..Settings::default() };
        let mut whole = Training::new(settings, digits.clone())?;
        train(&mut whole, 24)?;
        whole.save(&file("whole.safetensors"))?;

        let mut stopped = Training::new(settings, digits.clone())?;
        train(&mut stopped, stop)?;
        stopped.save(&file("checkpoint.safetensors"))?;
        drop(stopped);
        random::seed(99)?;
        let mut resumed = Training::resume(&file("checkpoint.safetensors"), digits.clone())?;
        assert_eq!((resumed.settings, resumed.losses.len()), (settings, stop));
        train(&mut resumed, 24 - stop)?;
        resumed.save(&file("resumed.safetensors"))?;
        assert!(fs::read(file("whole.safetensors"))? == fs::read(file("resumed.safetensors"))?, "{model}");

        let mut other = Training::new(Settings { seed: 4, ..settings }, digits.clone())?;
        train(&mut other, 24)?;
        other.save(&file("other.safetensors"))?;
        assert!(fs::read(file("whole.safetensors"))? != fs::read(file("other.safetensors"))?, "{model}");
    }
    Ok(())
}

const GOOD: &str = "good.safetensors";
const BAD: &str = "bad.safetensors";

/// A folder with a checkpoint that nothing is wrong with.
struct Saved {
    folder: Folder,
    digits: Digits,
}

impl Saved {
    fn new(name: &str) -> Result<Saved, Failure> {
        let saved = Saved { folder: Folder::new(name), digits: Digits::fetch()? };
        let settings = Settings { model: Kind::Mlp, batch: 512, ..Settings::default() };
        Training::new(settings, saved.digits.clone())?.save(&saved.folder.path(GOOD))?;
        Ok(saved)
    }

    fn resume(&self, file: &str) -> Result<Training, Failure> {
        Training::resume(&self.folder.path(file), self.digits.clone())
    }

    /// The checkpoint behind `change` is an error with all these words.
    fn refused(&self, change: &dyn Fn(&mut SafeTensors) -> mlx::Result<()>, wanted: &[&str]) -> Test {
        let mut file = ops::load_safetensors(self.folder.path(GOOD))?;
        change(&mut file)?;
        ops::save_safetensors_with(self.folder.path(BAD), &file.tensors, &file.metadata)?;
        says(self.resume(BAD).err(), &self.folder.path(BAD), wanted);
        Ok(())
    }
}

#[test]
fn a_bad_checkpoint_is_an_error_that_names_file_and_tensor() -> Test {
    let saved = Saved::new("checkpoints")?;
    assert!(saved.resume(GOOD)?.losses.is_empty(), "a training that has not begun is one");

    let put = |name: &'static str, tensor: Tensor| {
        move |file: &mut SafeTensors| {
            file.tensors.insert(name.to_owned(), tensor.clone());
            Ok(())
        }
    };
    let name = "model.hidden.0.weight";
    saved.refused(
        &|file| {
            file.tensors.remove(name);
            Ok(())
        },
        &["there is no", name],
    )?;
    saved.refused(&put(name, tensor![1.0]), &[name, "[1]", "[128, 64]"])?;
    saved.refused(
        &|file| {
            let half = file.tensors[name].astype(Dtype::Float16);
            file.tensors.insert(name.to_owned(), half);
            Ok(())
        },
        &[name, "float16"],
    )?;
    saved.refused(&put("model.hidden.2.weight", tensor![1.0]), &["model.hidden.2.weight"])?;
    saved.refused(
        &put("optimizer.step", tensor![21].index(0).astype(Dtype::Uint64)),
        &["optimizer.step", "21, of 20"],
    )?;
    saved.refused(&put("shuffle.order", ops::zeros([1437], Dtype::Uint32)?), &["shuffle.order"])?;

    fs::write(saved.folder.path(BAD), &fs::read(saved.folder.path(GOOD))?[..5000])?;
    says(saved.resume(BAD).err(), &saved.folder.path(BAD), &[]);
    says(saved.resume("none").err(), &saved.folder.path("none"), &[]);
    Ok(())
}

#[test]
fn a_bad_setting_in_a_checkpoint_is_an_error_that_names_it() -> Test {
    let saved = Saved::new("settings")?;
    let text = |name: &'static str, text: &'static str| {
        move |file: &mut SafeTensors| {
            file.metadata.insert(name.to_owned(), text.to_owned());
            Ok(())
        }
    };
    saved.refused(
        &|file| {
            file.metadata.clear();
            Ok(())
        },
        &["\"model\""],
    )?;
    saved.refused(&text("model", "rnn"), &["rnn"])?;
    saved.refused(&text("model", "cnn"), &["model.conv1.weight"])?;
    saved.refused(&text("epochs", "9"), &["history.losses"])?;
    saved.refused(&text("epochs", "4000000000"), &["4000000000 epochs"])?;
    saved.refused(&text("batch", "0"), &["batch of 0"])?;
    saved.refused(&text("lr", "NaN"), &["learning rate of NaN"])?;
    Ok(())
}

#[test]
fn damaged_pictures_are_an_error_that_names_the_line() -> Test {
    let folder = Folder::new("damaged");
    let file = folder.path("digits.csv.gz");
    let line = |pixel: &str, digit: &str| format!("{pixel}{},{digit}\n", ",16".repeat(63));
    let written = |text: &str| -> Result<Vec<u8>, std::io::Error> {
        let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
        gz.write_all(text.as_bytes())?;
        gz.finish()
    };
    let good = line("3", "9").repeat(10);
    fs::write(&file, written(&good)?)?;
    let digits = Digits::read(&file)?;
    assert_eq!((digits.training.0.shape(), digits.held_out.1.shape()), (&[8, 8, 8, 1][..], &[2][..]));

    for (last, wanted) in [
        (line("17", "0"), "line 11: a pixel of 17"),
        (line("0", "10"), "line 11: 10 is no digit"),
        (line("-1", "1"), "line 11: invalid digit"),
        (line("1,1", "1"), "line 11: 66 numbers"),
        ("\n".to_owned(), "line 11: "),
    ] {
        fs::write(&file, written(&format!("{good}{last}"))?)?;
        says(Digits::read(&file).err(), &file, &[wanted]);
    }
    let whole = written(&good)?;
    let mut flipped = whole.clone();
    let crc = whole.len() - 8;
    flipped[crc] ^= 1;
    for bytes in [&whole[..whole.len() - 9], b"digits", &written("")?, &flipped] {
        fs::write(&file, bytes)?;
        says(Digits::read(&file).err(), &file, &[]);
    }
    Ok(())
}

#[track_caller]
fn says(error: Option<Failure>, file: &Path, words: &[&str]) {
    let error = error.expect("it is damaged").to_string();
    let file = file.to_str().expect("it is text");
    assert!(error.contains(file) && words.iter().all(|word| error.contains(word)), "{error}");
}

/// Where the program of the next test writes.
const OUT: &str = "MLX_TEST_TRAIN_DIGITS";

#[test]
fn ctrl_c_saves_a_checkpoint_and_ends() -> Test {
    let folder = Folder::new("ctrl-c");
    let checkpoint = folder.path("checkpoint.safetensors");
    let child = Command::new(env::current_exe()?)
        .args(["--exact", "the_program", "--ignored", "--nocapture"])
        .env(OUT, folder.path(""))
        .stdout(Stdio::piped())
        .spawn()?;
    let begun = Instant::now();
    while !checkpoint.exists() && begun.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(20));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    let output = child.wait_with_output()?;
    let said = String::from_utf8(output.stdout)?;
    assert!(output.status.success() && said.contains("stopped after"), "{said}");
    let steps = Training::resume(&checkpoint, Digits::fetch()?)?.losses.len();
    assert!(said.contains(&format!("stopped after {steps} steps")), "{said}");
    assert_eq!(folder.files(), 1, "it writes beside the file and renames");
    Ok(())
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn the_program() {
    let out = PathBuf::from(env::var_os(OUT).expect("the test above says it"));
    let options = ["train_digits", "--model", "mlp", "--epochs", "10000", "--out"].map(Into::into);
    let options = program::Options::parse_from(options.into_iter().chain([out.into_os_string()]));
    assert_eq!(program::run(&options), ExitCode::from(130), "it was stopped");
}

#[test]
fn a_curve_is_a_picture_with_labels() -> Test {
    let line = [(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0), (3.0, 2.0)];
    let panel = Panel::new("time [s]", "a < b & \"c\"").line("loss", line).span(1.0, 0.0);
    let empty = Panel::new("", "").line("", []);
    let flat = Panel::new("", "").line("", [(1.0, 5.0), (1.0, 5.0)]).y_range(9.0, f64::INFINITY);
    let svg = Figure::new("a <title>").panel(panel).panel(empty).panel(flat).to_string();
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let svg = roxmltree::Document::parse(&svg)?;
    let texts: Vec<&str> =
        svg.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
    assert_eq!(texts[0], "a <title>");
    for text in ["time [s]", "a < b & \"c\"", "loss", "2.5", "3.0"] {
        assert!(texts.contains(&text), "{text}: {texts:?}");
    }
    let lines: Vec<&str> = svg
        .descendants()
        .filter(|node| node.attribute("stroke-width").is_some())
        .filter_map(|node| node.attribute("d"))
        .collect();
    assert_eq!(lines[0], "M64.0 176.0M490.7 24.0L704.0 100.0", "a gap at what is not finite");
    Ok(())
}
