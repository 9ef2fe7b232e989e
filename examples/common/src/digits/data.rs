//! scikit-learn's handwritten digits: 1797 pictures of 8 by 8 pixels, 1437 to learn from and 360 held out.
//!
//! Not here: what is made of them (`training`).

use crate::{Result, download::SCIKIT_LEARN, of_file};
use flate2::read::GzDecoder;
use mlx::{ops, prelude::*};
use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

/// Height and width of a picture.
pub const SIDE: usize = 8;

/// The largest value of a pixel.
const BRIGHTEST: u8 = 16;

/// Pictures, `[count, SIDE, SIDE, 1]` in float32 from 0 to 1, and which digits they are, `[count]` in int32.
pub type Batch = (Tensor, Tensor);

/// The pictures to learn from, and those to tell how well.
#[derive(Clone, Debug)]
pub struct Digits {
    /// Four of five pictures.
    pub training: Batch,
    /// Every fifth picture.
    pub held_out: Batch,
}

impl Digits {
    /// Those in scikit-learn's package, which is fetched once.
    ///
    /// # Errors
    /// Where it cannot be fetched; those of [`read`](Digits::read).
    pub fn fetch() -> Result<Digits> {
        Digits::read(&SCIKIT_LEARN.file("sklearn/datasets/data/digits.csv.gz")?)
    }

    /// Those in a file like scikit-learn's: lines of 64 pixels and a digit, compressed by gzip.
    ///
    /// # Errors
    /// A file that cannot be read, or is another one, with the line.
    pub fn read(file: &Path) -> Result<Digits> {
        of_file(file, read(file))
    }
}

fn read(file: &Path) -> Result<Digits> {
    let (mut pixels, mut digits) = (Vec::new(), Vec::new());
    for (i, line) in BufReader::new(GzDecoder::new(File::open(file)?)).lines().enumerate() {
        let (picture, digit) = parsed(&line?).map_err(|why| format!("line {}: {why}", i + 1))?;
        pixels.extend(picture.iter().map(|&pixel| f32::from(pixel) / f32::from(BRIGHTEST)));
        digits.push(i32::from(digit));
    }
    if digits.len() < 5 {
        return Err(format!("{} pictures are too few", digits.len()).into());
    }
    let pictures = Tensor::from_shape_slice([digits.len(), SIDE, SIDE, 1], &pixels)?;
    let digits = Tensor::from_slice(&digits)?;
    let (held_out, training): (Vec<i32>, Vec<i32>) = (0..digits.dim(0)).partition(|row| row % 5 == 0);
    let of_rows = |rows: &[i32]| -> Result<Batch> {
        let rows = Tensor::from_slice(rows)?;
        Ok((ops::take(&pictures, &rows, 0)?, ops::take(&digits, &rows, 0)?))
    };
    Ok(Digits { training: of_rows(&training)?, held_out: of_rows(&held_out)? })
}

/// The pixels of a line and its digit.
fn parsed(line: &str) -> Result<([u8; SIDE * SIDE], u8), String> {
    let numbers = line.split(',').map(str::parse).collect::<Result<Vec<u8>, _>>();
    let numbers = numbers.map_err(|error| error.to_string())?;
    let [picture @ .., digit] = &numbers[..] else { return Err("it is empty".to_owned()) };
    let picture: [u8; SIDE * SIDE] = picture
        .try_into()
        .map_err(|_| format!("{} numbers, and not {} pixels and a digit", numbers.len(), SIDE * SIDE))?;
    if let Some(pixel) = picture.iter().find(|&&pixel| pixel > BRIGHTEST) {
        return Err(format!("a pixel of {pixel}, where {BRIGHTEST} is the brightest"));
    }
    if *digit > 9 {
        return Err(format!("{digit} is no digit"));
    }
    Ok((picture, *digit))
}
