//! What programs print: bars, columns of words, words in SVG.

/// A bar of `width` characters when `part` is 1, drawn in eighths of a character.
///
/// NaN and what lies below 0 have no bar, more than 1 has the whole one.
#[must_use]
pub fn bar(part: f32, width: usize) -> String {
    let eighths = (part.clamp(0.0, 1.0) * 8.0 * width as f32).round() as usize;
    let mut bar = "█".repeat(eighths / 8);
    bar += ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    bar + &" ".repeat(width - eighths.div_ceil(8))
}

/// `text` in exactly `width` characters: with spaces behind it, or cut at an ellipsis.
#[must_use]
pub fn column(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return format!("{text:<width$}");
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// `text` as it is written in SVG.
#[must_use]
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{bar, column};

    #[test]
    fn bars_have_their_width() {
        let bars = [-1.0, 0.0, 0.25, 0.3125, 1.0, 7.0, f32::NAN].map(|part| bar(part, 4));
        assert_eq!(bars, ["    ", "    ", "█   ", "█▎  ", "████", "████", "    "]);
    }

    #[test]
    fn columns_have_their_width() {
        assert_eq!(
            ["", "äöü", "äöüß", "äöüßx"].map(|text| column(text, 4)),
            ["    ", "äöü ", "äöüß", "äöü…"]
        );
    }
}
