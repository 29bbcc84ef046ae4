//! Every chart of anchormatch: panels with lines, bars and marks, and one legend, as SVG.
//!
//! A [`Chart`] is plain data, and this is the only room that knows the crate that draws. The same chart
//! gives the same bytes, and no value makes nonsense of a picture: what is not finite is left out, and
//! what lies beyond an axis is drawn at its end.

mod draw;

use std::ops::Range;

use anchormatch::{Error, Result};

/// The lowest value on a logarithmic axis, in units of the highest.
const FEWEST: f64 = 1e-15;

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

/// Dark enough for white paper, and far from each other for most eyes.
pub const COLOURS: [Colour; 8] = [
    Colour(0, 114, 178),
    Colour(213, 94, 0),
    Colour(0, 158, 115),
    Colour(204, 91, 158),
    Colour(120, 94, 240),
    Colour(176, 128, 0),
    Colour(64, 64, 64),
    Colour(86, 180, 233),
];

/// What text, axes and mesh are drawn with, and on what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ink {
    /// Text and axes.
    pub text: Colour,
    /// Lines across a panel.
    pub mesh: Colour,
    /// What lies behind; nothing lets the page show through.
    pub paper: Option<Colour>,
}

impl Ink {
    /// Dark on white.
    pub const PRINT: Self = Self {
        text: Colour(60, 60, 60),
        mesh: Colour(225, 225, 225),
        paper: Some(Colour(255, 255, 255)),
    };
}

/// The shape at each point of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// None.
    Plain,
    /// A small disc.
    Dot,
    /// A disc.
    Disc,
    /// A triangle.
    Triangle,
    /// A cross.
    Cross,
}

/// How a line looks, in its panel and in the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Of line, marks and bars.
    pub colour: Colour,
    /// Pixels.
    pub width: u32,
    /// Whether the line has gaps.
    pub dashed: bool,
    /// What stands at the points.
    pub mark: Mark,
}

impl Style {
    /// A line of usual width in this colour.
    #[must_use]
    pub const fn of(colour: Colour) -> Self {
        Self {
            colour,
            width: 2,
            dashed: false,
            mark: Mark::Plain,
        }
    }

    /// With another mark.
    #[must_use]
    pub const fn marked(self, mark: Mark) -> Self {
        Self { mark, ..self }
    }

    /// With gaps, or without.
    #[must_use]
    pub const fn dashed(self, dashed: bool) -> Self {
        Self { dashed, ..self }
    }
}

/// A point of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Along the x axis.
    pub x: f64,
    /// Along the y axis.
    pub y: f64,
    /// The ends of the bar through it, if it has one.
    pub bar: Option<(f64, f64)>,
}

impl Point {
    /// A point without a bar.
    #[must_use]
    pub const fn at(x: f64, y: f64) -> Self {
        Self { x, y, bar: None }
    }
}

/// One line of a panel.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// How it looks.
    pub style: Style,
    /// Its points from left to right.
    pub points: Vec<Point>,
}

/// What an axis shows, and how.
#[derive(Debug, Clone)]
pub struct Axis {
    /// What it measures.
    pub name: String,
    /// From where to where.
    pub range: Range<f64>,
    /// Whether equal steps are equal factors; only y axes can be.
    pub logarithmic: bool,
    /// About how many labels.
    pub labels: usize,
    /// How a label is written.
    pub format: fn(f64) -> String,
    /// Whether lines go from its labels through the panel.
    pub mesh: bool,
}

impl Axis {
    /// A linear axis without mesh, its labels to three places.
    pub fn linear(name: impl Into<String>, range: Range<f64>) -> Self {
        Self {
            name: name.into(),
            range,
            logarithmic: false,
            labels: 7,
            format: |x| format!("{}", (x * 1e3).round() / 1e3),
            mesh: false,
        }
    }

    /// A linear axis with a margin around what `values` span.
    pub fn around(name: impl Into<String>, values: impl Iterator<Item = f64>, margin: f64) -> Self {
        let (low, high) = span(values);
        let range = match high - low {
            some if some > 0.0 => low - margin * some..high + margin * some,
            _ if low.is_finite() => low - 0.5..low + 0.5,
            _ => 0.0..1.0,
        };
        Self::linear(name, range)
    }

    /// A share from 0 to 1, with mesh.
    pub fn share(name: impl Into<String>) -> Self {
        Self {
            format: |y| format!("{y:.1}"),
            mesh: true,
            ..Self::linear(name, -0.02..1.03)
        }
    }

    /// A logarithmic axis with a margin around the positive of `values`, with mesh.
    pub fn logarithmic(name: impl Into<String>, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = span(values.filter(|&value| value > 0.0));
        // More decades have no room for their lines, and the library that draws them does not end.
        let low = if low < high {
            low.max(high * FEWEST)
        } else {
            low
        };
        let range = if low < high {
            low / 1.5..high * 1.5
        } else {
            // One value or none: a decade on either side of it.
            let middle = if low.is_finite() { low } else { 1.0 };
            middle / 10.0..middle * 10.0
        };
        Self {
            logarithmic: true,
            format: |y| format!("{y}"),
            mesh: true,
            ..Self::linear(name, range)
        }
    }

    /// With about this many labels.
    #[must_use]
    pub fn with_labels(mut self, labels: usize) -> Self {
        self.labels = labels;
        self
    }

    /// With labels written in this way.
    #[must_use]
    pub fn with_format(mut self, format: fn(f64) -> String) -> Self {
        self.format = format;
        self
    }

    /// Whether a value has a place on the axis.
    fn takes(&self, value: f64) -> bool {
        value.is_finite() && (value > 0.0 || !self.logarithmic)
    }
}

/// The smallest and the largest; infinities the wrong way round for none.
fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        })
}

/// One coordinate system.
#[derive(Debug, Clone)]
pub struct Panel {
    /// What stands above it.
    pub title: Option<String>,
    /// The axis below.
    pub x: Axis,
    /// The axis on the left.
    pub y: Axis,
    /// Later ones lie on top.
    pub lines: Vec<Line>,
}

/// What a line of the legend says.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The line that it explains; nothing for a remark.
    pub style: Option<Style>,
    /// In words.
    pub text: String,
}

/// Where the legend stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LegendPlace {
    /// On the right, this wide.
    Beside(u32),
    /// Below the panels, in as many columns as fit.
    Below,
}

/// Panels in a grid, and what explains them.
#[derive(Debug, Clone)]
pub struct Chart {
    /// What stands above all.
    pub title: Option<String>,
    /// In rows of [`columns`](Self::columns).
    pub panels: Vec<Panel>,
    /// How many panels stand side by side.
    pub columns: usize,
    /// Width and height of a panel, in pixels.
    pub size: (u32, u32),
    /// What the lines are; none where the page says so itself.
    pub legend: Vec<Entry>,
    /// Where that stands.
    pub place: LegendPlace,
    /// The colours of everything else.
    pub ink: Ink,
}

impl Chart {
    /// The chart as an SVG document.
    ///
    /// # Errors
    /// When there is no panel, or an axis has no length.
    pub fn svg(&self) -> Result<String> {
        if self.panels.is_empty() {
            return Err(Error::parameter("panels", "none", "at least one"));
        }
        for axis in self.panels.iter().flat_map(|panel| [&panel.x, &panel.y]) {
            let Range { start, end } = axis.range;
            if !(axis.takes(start) && axis.takes(end) && start < end) {
                let expected = "from a finite number up to a larger one";
                return Err(Error::parameter(
                    "range of an axis",
                    format_args!("{start} to {end}"),
                    expected,
                ));
            }
        }
        let mut svg = String::new();
        draw::chart(&mut svg, self).map_err(|error| {
            Error::Numerics(format!("the chart of {}: {error}", self.panels[0].y.name))
        })?;
        Ok(svg)
    }
}

#[cfg(test)]
mod tests;
