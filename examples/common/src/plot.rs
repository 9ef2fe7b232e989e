//! Lines over axes as an SVG picture: panels one below the other, each with ticks, labels and shaded spans.
//!
//! Not here: what is drawn.

use crate::text::escaped;
use std::fmt::{self, Write as _};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 44.0;
const HEADING: f64 = 32.0;
const COLOURS: [&str; 4] = ["#1f6feb", "#d1570a", "#1a7f37", "#8250df"];

/// A picture: a title and panels.
#[derive(Clone, Debug)]
pub struct Figure {
    title: String,
    panels: Vec<Panel>,
}

/// Lines over two axes.
#[derive(Clone, Debug)]
pub struct Panel {
    labels: [String; 2],
    ranges: [Option<(f64, f64)>; 2],
    lines: Vec<Line>,
    spans: Vec<(f64, f64)>,
}

#[derive(Clone, Debug)]
struct Line {
    name: String,
    points: Vec<(f64, f64)>,
}

impl Figure {
    /// A picture without panels.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Figure {
        Figure { title: title.into(), panels: Vec::new() }
    }

    /// With one more panel, below the others.
    #[must_use]
    pub fn panel(mut self, panel: Panel) -> Figure {
        self.panels.push(panel);
        self
    }
}

/// The picture, a whole SVG file.
impl fmt::Display for Figure {
    fn fmt(&self, svg: &mut fmt::Formatter<'_>) -> fmt::Result {
        let height = HEADING + HEIGHT * self.panels.len() as f64;
        writeln!(
            svg,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">"#
        )?;
        writeln!(svg, r#"<rect width="100%" height="100%" fill="white"/>"#)?;
        writeln!(svg, r##"<g font-family="sans-serif" font-size="12" fill="#24292f">"##)?;
        let title = escaped(&self.title);
        writeln!(svg, r#"<text x="{LEFT}" y="22" font-size="15" font-weight="bold">{title}</text>"#)?;
        for (i, panel) in self.panels.iter().enumerate() {
            writeln!(svg, r#"<g transform="translate(0 {})">"#, HEADING + HEIGHT * i as f64)?;
            panel.write(svg)?;
            writeln!(svg, "</g>")?;
        }
        writeln!(svg, "</g>\n</svg>")
    }
}

impl Panel {
    /// An empty panel with what stands at its axes: names, with units in brackets.
    #[must_use]
    pub fn new(x: impl Into<String>, y: impl Into<String>) -> Panel {
        Panel { labels: [x.into(), y.into()], ranges: [None; 2], lines: Vec::new(), spans: Vec::new() }
    }

    /// With one more line; it is broken at points that are not finite. A name that is not empty is in the legend.
    #[must_use]
    pub fn line(mut self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Panel {
        self.lines.push(Line { name: name.into(), points: points.into_iter().collect() });
        self
    }

    /// With the part of the x axis between two values shaded.
    #[must_use]
    pub fn span(mut self, from: f64, to: f64) -> Panel {
        self.spans.push((from, to));
        self
    }

    /// With these limits of the x axis, instead of those of the points.
    #[must_use]
    pub fn x_range(mut self, from: f64, to: f64) -> Panel {
        self.ranges[0] = Some((from, to));
        self
    }

    /// With these limits of the y axis, instead of those of the points.
    #[must_use]
    pub fn y_range(mut self, from: f64, to: f64) -> Panel {
        self.ranges[1] = Some((from, to));
        self
    }

    fn write(&self, svg: &mut fmt::Formatter<'_>) -> fmt::Result {
        let x = Scale::new(self.range(0), LEFT, WIDTH - RIGHT);
        let y = Scale::new(self.range(1), HEIGHT - BOTTOM, TOP);
        for &(from, to) in &self.spans {
            let (from, to) = (x.inside(from.min(to)), x.inside(to.max(from)));
            let (width, height) = (to - from, y.from - y.to);
            writeln!(
                svg,
                r##"<rect x="{from:.1}" y="{TOP}" width="{width:.1}" height="{height}" fill="#ddf4ff"/>"##
            )?;
        }
        self.write_axes(svg, &x, &y)?;
        for (i, line) in self.lines.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            let path = line.path(&x, &y);
            writeln!(svg, r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>"#)?;
            if !line.name.is_empty() {
                let (right, top) = (WIDTH - RIGHT - 130.0 * (self.lines.len() - 1 - i) as f64, TOP - 8.0);
                let name = escaped(&line.name);
                writeln!(
                    svg,
                    r#"<text x="{right}" y="{top}" text-anchor="end" fill="{colour}">{name}</text>"#
                )?;
            }
        }
        Ok(())
    }

    fn write_axes(&self, svg: &mut fmt::Formatter<'_>, x: &Scale, y: &Scale) -> fmt::Result {
        let (left, right, top, bottom) = (x.from, x.to, y.to, y.from);
        for (value, text) in y.ticks(4) {
            let at = y.at(value);
            writeln!(svg, r##"<path d="M{left} {at:.1}H{right}" stroke="#d8dee4"/>"##)?;
            writeln!(svg, r#"<text x="{}" y="{:.1}" text-anchor="end">{text}</text>"#, left - 6.0, at + 4.0)?;
        }
        for (value, text) in x.ticks(8) {
            let at = x.at(value);
            writeln!(svg, r##"<path d="M{at:.1} {bottom}v4" stroke="#57606a"/>"##)?;
            writeln!(svg, r#"<text x="{at:.1}" y="{}" text-anchor="middle">{text}</text>"#, bottom + 18.0)?;
        }
        writeln!(svg, r##"<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="#57606a"/>"##)?;
        let [across, up] = self.labels.each_ref().map(|label| escaped(label));
        let (middle, below) = (f64::midpoint(left, right), bottom + 36.0);
        writeln!(svg, r#"<text x="{middle}" y="{below}" text-anchor="middle">{across}</text>"#)?;
        let middle = f64::midpoint(top, bottom);
        writeln!(
            svg,
            r#"<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">{up}</text>"#
        )
    }

    /// The limits asked for, or those of all points; never empty.
    fn range(&self, axis: usize) -> (f64, f64) {
        let points = self.lines.iter().flat_map(|line| &line.points);
        let finite = points.filter(|(x, y)| x.is_finite() && y.is_finite());
        let values = finite.map(|&(x, y)| if axis == 0 { x } else { y });
        let of_points = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        match self.ranges[axis].unwrap_or(of_points) {
            (low, high) if low < high && (high - low).is_finite() => (low, high),
            (low, _) if low.is_finite() => (low - 0.5, low + 0.5),
            _ => (0.0, 1.0),
        }
    }
}

impl Line {
    fn path(&self, x: &Scale, y: &Scale) -> String {
        let mut path = String::new();
        let mut pen_is_down = false;
        for &(across, up) in &self.points {
            if across.is_finite() && up.is_finite() {
                let command = if pen_is_down { 'L' } else { 'M' };
                let (across, up) = (x.inside(across), y.inside(up));
                let _ = write!(path, "{command}{across:.1} {up:.1}");
            }
            pen_is_down = across.is_finite() && up.is_finite();
        }
        path
    }
}

/// Values along an axis as places in the picture.
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn new((low, high): (f64, f64), from: f64, to: f64) -> Scale {
        Scale { low, high, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// [`at`](Scale::at), on the axis also where the value is beyond its ends.
    fn inside(&self, value: f64) -> f64 {
        self.at(value.clamp(self.low, self.high))
    }

    /// Round values, about `count`, with their texts.
    fn ticks(&self, count: u32) -> Vec<(f64, String)> {
        let rough = (self.high - self.low) / f64::from(count);
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|round| round * power).into_iter().find(|&step| step >= rough);
        let step = step.unwrap_or(rough);
        let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
        let (first, last) = ((self.low / step).ceil(), (self.high / step).floor());
        // At most `count` and one: the step is no smaller than the rough one.
        let places = (0..=count).map(|i| first + f64::from(i)).take_while(|&place| place <= last);
        places.map(|place| (place * step, format!("{:.decimals$}", place * step + 0.0))).collect()
    }
}
