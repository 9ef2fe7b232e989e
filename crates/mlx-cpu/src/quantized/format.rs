//! What a quantized matrix is: its format, its codes and scales, and the check that they fit.

use crate::Floats;
use std::fmt;

/// How numbers became codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A scale and a bias for each group of 32, 64 or 128 codes of 2, 3, 4, 5, 6 or 8 bits.
    Affine {
        /// Bits of a code.
        bits: usize,
        /// Codes that share a scale and a bias.
        group: usize,
    },
    /// e2m1 in groups of 32, each with a power of two.
    Mxfp4,
    /// e4m3 in groups of 32, each with a power of two.
    Mxfp8,
    /// e2m1 in groups of 16, each with a scale in e4m3.
    Nvfp4,
}

impl Format {
    /// How many bits a code has.
    #[must_use]
    pub fn bits(self) -> usize {
        match self {
            Format::Affine { bits, .. } => bits,
            Format::Mxfp4 | Format::Nvfp4 => 4,
            Format::Mxfp8 => 8,
        }
    }

    /// How many codes share a scale.
    #[must_use]
    pub fn group(self) -> usize {
        match self {
            Format::Affine { group, .. } => group,
            Format::Mxfp4 | Format::Mxfp8 => 32,
            Format::Nvfp4 => 16,
        }
    }
}

/// The scales of all groups, in the order of the groups.
#[derive(Clone, Copy, Debug)]
pub enum Scales<'a> {
    /// Of [`Format::Affine`].
    Affine {
        /// A number for each group.
        scales: Floats<'a>,
        /// What code 0 stands for.
        biases: Floats<'a>,
    },
    /// Of the other formats: a byte for each group.
    Bytes {
        /// Powers of two (e8m0), or e4m3.
        scales: &'a [u8],
        /// Multiplies every scale; 1 where there is none.
        global: f32,
    },
}

/// A stack of quantized matrices of one size, each row after row.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    /// How the codes are to be read.
    pub format: Format,
    /// The codes as MLX packs them, little end first; any alignment.
    pub codes: &'a [u8],
    /// The groups' scales.
    pub scales: Scales<'a>,
    /// How many matrices there are.
    pub count: usize,
    /// Rows of a matrix.
    pub rows: usize,
    /// Codes in a row, whole groups.
    pub columns: usize,
}

/// Why a product was refused: the arguments do not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub(super) String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Refuses a length other than the expected one.
pub(super) fn expect(what: &str, found: usize, expected: Option<usize>) -> Result<(), Error> {
    if Some(found) == expected {
        return Ok(());
    }
    let expected =
        expected.map_or_else(|| "more than memory holds".to_owned(), |expected| expected.to_string());
    Err(Error(format!("quantized product: {what} has {found} values where {expected} are expected")))
}

pub(super) fn product(factors: &[usize]) -> Option<usize> {
    factors.iter().try_fold(1_usize, |product, &factor| product.checked_mul(factor))
}

impl Weights<'_> {
    /// Refuses unknown formats, rows that are not whole groups, and slices of other lengths.
    pub(super) fn check(&self) -> Result<(), Error> {
        let Weights { format, codes, scales, count, rows, columns } = *self;
        if let Format::Affine { bits, group } = format
            && (!matches!(bits, 2..=6 | 8) || !matches!(group, 32 | 64 | 128))
        {
            return Err(Error(format!(
                "quantized product: no affine format has {bits} bits in groups of {group}"
            )));
        }
        if !columns.is_multiple_of(format.group()) {
            let group = format.group();
            return Err(Error(format!(
                "quantized product: rows of {columns} are not whole groups of {group}"
            )));
        }
        let groups = product(&[count, rows, columns / format.group()]);
        expect("codes", codes.len(), product(&[count, rows, columns / 16, format.bits() * 2]))?;
        match (format, scales) {
            (Format::Affine { .. }, Scales::Affine { scales, biases }) => {
                expect("scales", scales.len(), groups)?;
                expect("biases", biases.len(), groups)
            }
            (Format::Mxfp4 | Format::Mxfp8 | Format::Nvfp4, Scales::Bytes { scales, .. }) => {
                expect("scales", scales.len(), groups)
            }
            _ => Err(Error(format!("quantized product: these scales are not those of {format:?}"))),
        }
    }
}
