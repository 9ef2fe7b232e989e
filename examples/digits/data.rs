//! Small pictures of digits, made here: a font's, somewhere in the picture, more or less bright, with noise.
//!
//! Not here: the model (`model`).

use mlx::{
    ops,
    prelude::*,
    random::{self, Normal, Randint, Uniform},
};

/// Height and width of a picture.
pub(crate) const SIDE: usize = 8;

/// Seven rows of five pixels for each digit.
const FONT: [[&str; 7]; 10] = [
    [".###.", "#...#", "#..##", "#.#.#", "##..#", "#...#", ".###."],
    ["..#..", ".##..", "..#..", "..#..", "..#..", "..#..", ".###."],
    [".###.", "#...#", "....#", "...#.", "..#..", ".#...", "#####"],
    ["#####", "...#.", "..#..", "...#.", "....#", "#...#", ".###."],
    ["...#.", "..##.", ".#.#.", "#..#.", "#####", "...#.", "...#."],
    ["#####", "#....", "####.", "....#", "....#", "#...#", ".###."],
    ["..##.", ".#...", "#....", "####.", "#...#", "#...#", ".###."],
    ["#####", "....#", "...#.", "..#..", ".#...", ".#...", ".#..."],
    [".###.", "#...#", "#...#", ".###.", "#...#", "#...#", ".###."],
    [".###.", "#...#", "#...#", ".####", "....#", "...#.", ".##.."],
];

/// Where a digit may begin, down and across.
const PLACES: [usize; 2] = [SIDE - 7 + 1, SIDE - 5 + 1];

/// Each digit at each place.
pub(crate) struct Digits {
    /// `[10 * places, SIDE, SIDE, 1]`, float32
    clean: Tensor,
}

impl Digits {
    pub(crate) fn new() -> Result<Digits> {
        let mut pixels = Vec::new();
        for glyph in FONT {
            for place in 0..PLACES[0] * PLACES[1] {
                let (top, left) = (place / PLACES[1], place % PLACES[1]);
                let lit = |at: usize| {
                    let (y, x) = ((at / SIDE).checked_sub(top)?, (at % SIDE).checked_sub(left)?);
                    glyph.get(y)?.as_bytes().get(x).map(|&pixel| pixel == b'#')
                };
                pixels.extend((0..SIDE * SIDE).map(|at| f32::from(u8::from(lit(at) == Some(true)))));
            }
        }
        let count = 10 * PLACES[0] * PLACES[1];
        Ok(Digits { clean: Tensor::from_shape_slice([count, SIDE, SIDE, 1], &pixels)? })
    }

    /// So many pictures, `[count, SIDE, SIDE, 1]`, and which digits they are, `[count]`.
    pub(crate) fn draw(&self, count: i32, key: &Tensor) -> Result<(Tensor, Tensor)> {
        let keys = random::split(key, 3)?;
        let places = (PLACES[0] * PLACES[1]) as i32;
        let which = Randint::new(0, 10 * places).key(&keys.index(0)).sample([count])?;
        let light = Uniform::new(0.6, 1.2).key(&keys.index(1)).sample([count, 1, 1, 1])?;
        let noise =
            Normal::new().scale(0.15).key(&keys.index(2)).sample([count, SIDE as i32, SIDE as i32, 1])?;
        let pictures = ops::take(&self.clean, &which, 0)? * light + noise;
        Ok((pictures, which.floor_divide(places)))
    }
}
