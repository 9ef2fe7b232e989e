//! Pictures: out of files, as tensors, into pages that a browser shows.
//!
//! Not here: what a network wants to see of one.

use crate::{Result, of_file};
use image::{ImageFormat, RgbImage, imageops};
use mlx::prelude::*;
use std::{io::Cursor, path::Path};

/// A PNG or JPEG file's picture.
///
/// # Errors
/// A file that cannot be read, or is neither.
pub fn open(path: &Path) -> Result<RgbImage> {
    let reader = of_file(path, image::ImageReader::open(path))?;
    let reader = of_file(path, reader.with_guessed_format())?;
    Ok(of_file(path, reader.decode())?.into_rgb8())
}

/// Red, green and blue from 0 to 255, `[1, height, width, 3]`, float32.
///
/// # Errors
/// None that is known.
pub fn pixels(picture: &RgbImage) -> Result<Tensor> {
    let (width, height) = picture.dimensions();
    let shape = [1, height as usize, width as usize, 3];
    Ok(Tensor::from_shape_slice(shape, picture.as_raw())?.astype(Dtype::Float32))
}

/// Brightness from 0 to 255, `[1, height, width, 1]`, float32; whole numbers, as most programs round them.
///
/// # Errors
/// None that is known.
pub fn grey(picture: &RgbImage) -> Result<Tensor> {
    let (width, height) = picture.dimensions();
    let grey = |&image::Rgb([red, green, blue]): &image::Rgb<u8>| {
        let [red, green, blue] = [red, green, blue].map(u32::from);
        (19_595 * red + 38_470 * green + 7_471 * blue + 32_768) >> 16
    };
    let grey: Vec<u32> = picture.pixels().map(grey).collect();
    Ok(Tensor::from_shape_slice([1, height as usize, width as usize, 1], &grey)?.astype(Dtype::Float32))
}

/// The picture in another size, in its own where it has that already.
#[must_use]
pub fn resized(picture: &RgbImage, width: u32, height: u32, filter: imageops::FilterType) -> RgbImage {
    if picture.dimensions() == (width, height) {
        return picture.clone();
    }
    imageops::resize(picture, width, height, filter)
}

/// The picture itself as the address of an `<image>`.
///
/// # Errors
/// None that is known.
pub fn data_uri(picture: &RgbImage) -> Result<String> {
    let mut png = Cursor::new(Vec::new());
    picture.write_to(&mut png, ImageFormat::Png)?;
    Ok(format!("data:image/png;base64,{}", base64(png.get_ref())))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, i| bits << 8 | usize::from(*part.get(i).unwrap_or(&0)));
        for i in 0..4 {
            text.push(if i > part.len() { '=' } else { char::from(DIGITS[bits >> (18 - 6 * i) & 63]) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn base64_is_the_known_one() {
        let coded = ["", "f", "fo", "foo", "foob"].map(|text| super::base64(text.as_bytes()));
        assert_eq!(coded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }
}
