//! A page of pictures, each with bars of what was seen in it, as SVG.
//!
//! Not here: the seeing.

use super::Seen;
use mlx_examples::{Result, pictures, text::escaped};
use std::fmt::Write;

/// Width and height of a picture's field, and of the part that the picture may take.
const FIELD: [u32; 2] = [320, 300];
const PICTURE: [u32; 2] = [296, 180];
const COLUMNS: u32 = 4;

/// The page.
pub(crate) fn svg(seen: &[Seen]) -> Result<String> {
    let count = seen.len() as u32;
    let (width, height) = (count.min(COLUMNS) * FIELD[0], count.div_ceil(COLUMNS) * FIELD[1]);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for (i, one) in (0..).zip(seen) {
        let (x, y) = (i % COLUMNS * FIELD[0], i / COLUMNS * FIELD[1]);
        writeln!(svg, "<g transform=\"translate({x} {y})\">")?;
        field(&mut svg, one)?;
        svg += "</g>\n";
    }
    Ok(svg + "</svg>\n")
}

/// The picture, its name, a bar for each class.
fn field(svg: &mut String, one: &Seen) -> Result<()> {
    // Few pixels stay squares.
    let few = if one.picture.width() < 100 { " style=\"image-rendering:pixelated\"" } else { "" };
    let ([width, height], uri) = (PICTURE, pictures::data_uri(&one.picture)?);
    writeln!(svg, "<image x=\"12\" y=\"8\" width=\"{width}\" height=\"{height}\" href=\"{uri}\"{few}/>")?;
    writeln!(svg, "<text x=\"12\" y=\"206\" font-weight=\"bold\">{}</text>", escaped(&one.name))?;
    for (i, (class, likely)) in (0..).zip(&one.classes) {
        let (y, width) = (214 + 16 * i, likely.clamp(0.0, 1.0) * PICTURE[0] as f32);
        writeln!(svg, "<rect x=\"12\" y=\"{y}\" width=\"{width:.1}\" height=\"13\" fill=\"#9ecae1\"/>")?;
        let text = format!("{class} {:.1} %", 100.0 * likely);
        writeln!(svg, "<text x=\"16\" y=\"{}\">{}</text>", y + 11, escaped(&text))?;
    }
    Ok(())
}
