//! Silero, which the example `vad` shows: beside onnxruntime, in parts, on files that do not fit.

#[path = "support/folder.rs"]
mod folder;
#[path = "support/package.rs"]
mod package;
#[path = "../examples/vad/sound.rs"]
mod sound;

use folder::Folder;
use mlx_examples::{
    download::SILERO,
    onnx,
    silero::{CHUNK, RATE, Silero, made_up, segments},
};
use proptest::prelude::*;
use std::{fs, path::Path, process::Command};

/// What onnxruntime makes of the same sounds; `silero/make.py` wrote it, and said the sentence by eSpeak.
const EXPECTED: &str = include_str!("silero/made_up.json");
const OF_SPEECH: &str = include_str!("silero/spoken.json");
const SPEECH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/silero/spoken.wav");

#[test]
fn probabilities_are_those_of_onnxruntime() {
    if !package::is_there(SILERO) {
        return;
    }
    let model = Silero::open().unwrap();
    let expected: Vec<f64> = serde_json::from_str(EXPECTED).unwrap();
    // More than one batch: what was heard before is remembered.
    near(&model.listen(&made_up().repeat(4)).unwrap(), &expected, 2e-6);
    assert!(model.listen(&[]).unwrap_err().to_string().contains("no sound"));
}

/// A sentence of 1.3 seconds, from half a second on.
#[test]
fn speech_is_heard_where_it_is() {
    if !package::is_there(SILERO) {
        return;
    }
    let samples = sound::open(Path::new(SPEECH)).unwrap();
    let expected: Vec<f64> = serde_json::from_str(OF_SPEECH).unwrap();
    let likely = Silero::open().unwrap().listen(&samples).unwrap();
    // float32 alone is 1.2e-5 off where the probability climbs: MLX's own BLAS is, too.
    near(&likely, &expected, 2e-5);
    let time = |chunk: usize| (chunk * CHUNK) as f32 / RATE as f32;
    let [part] = &segments(&likely, 0.5)[..] else { panic!("{likely:?}") };
    assert!((0.5..0.65).contains(&time(part.start)) && (1.5..1.9).contains(&time(part.end)), "{part:?}");

    // The program says so, too.
    let folder = Folder::new("vad-speech");
    let this = std::env::current_exe().unwrap();
    let mut program = Command::new(this.ancestors().nth(2).unwrap().join("examples/vad"));
    let output =
        program.arg(SPEECH).args(["--device", "cpu", "--out"]).arg(folder.path("")).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let times = format!("{:>8.2} to {:>7.2} s", time(part.start), time(part.end));
    assert!(said.starts_with(SPEECH) && said.contains(&times) && said.lines().count() == 2, "{said}");
    let svg = fs::read_to_string(folder.path("spoken.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
}

#[track_caller]
fn near(likely: &[f32], expected: &[f64], bound: f64) {
    assert_eq!(likely.len(), expected.len());
    let off = likely.iter().zip(expected).map(|(&a, b)| (f64::from(a) - b).abs()).fold(0.0, f64::max);
    assert!(off <= bound, "{off:e}");
}

#[test]
fn segments_outlast_short_silence_and_short_sounds_are_none() {
    let likely = |text: &str| -> Vec<f32> {
        text.chars()
            .map(|digit| f32::from(u8::try_from(digit.to_digit(10).unwrap()).unwrap()) / 10.0)
            .collect()
    };
    let found = |text: &str| -> Vec<(usize, usize)> {
        segments(&likely(text), 0.5).into_iter().map(|part| (part.start, part.end)).collect()
    };
    assert_eq!(found("0099944444100999000000"), [(2, 16)]);
    assert_eq!(found("9999000000999999999000009999999990"), [(10, 19), (24, 33)]);
    assert!(segments(&[], 0.5).is_empty());
}

#[test]
fn files_that_do_not_fit_are_named() {
    let folder = Folder::new("vad-bad");
    let path = folder.path("other.wav");
    fs::write(&path, "no sound").unwrap();
    assert!(sound::open(&path).unwrap_err().to_string().contains("other.wav"));
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: 44_100,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    hound::WavWriter::create(&path, spec).unwrap().finalize().unwrap();
    let said = sound::open(&path).unwrap_err().to_string();
    assert!(said.contains("other.wav") && said.contains("44100"), "{said}");

    let mut wav = hound::WavWriter::create(&path, hound::WavSpec { sample_rate: 48_000, ..spec }).unwrap();
    for sample in [16_384_i16, -16_384, 1, 1, 2, 2, -32_768, 0, 3, 3] {
        wav.write_sample(sample).unwrap();
    }
    wav.finalize().unwrap();
    assert_eq!(format!("{:?}", sound::open(&path).unwrap()), "[0.0, -0.5]");

    fs::write(&path, tensor("some.weight", 8)).unwrap();
    let said = Silero::load(&path).unwrap_err().to_string();
    assert!(said.contains("other.wav") && said.contains("some.weight"), "{said}");
    fs::write(&path, tensor("some.weight", 7)).unwrap();
    let said = Silero::load(&path).unwrap_err().to_string();
    assert!(said.contains("other.wav") && said.contains("some.weight: 7 bytes"), "{said}");
}

/// An ONNX model with one float32 tensor of two elements, in that many bytes.
fn tensor(name: &str, bytes: u8) -> Vec<u8> {
    let field = |number: u8, content: &[u8]| [&[number << 3 | 2, content.len() as u8], content].concat();
    let numbers = field(9, &vec![1; usize::from(bytes)]);
    let tensor = [&[8, 2, 16, 1][..], &field(8, name.as_bytes()), &numbers].concat();
    field(7, &field(5, &tensor))
}

proptest! {
    #[test]
    fn bytes_of_onnx_may_change(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..9)) {
        let mut file = tensor("name", 8);
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if let Ok(tensors) = onnx::read(&file) {
            for tensor in tensors.values() {
                tensor.eval().unwrap();
                prop_assert!(tensor.size() <= file.len());
            }
        }
    }
}
