//! Curves as pictures: panels in a grid, a line for each method, one legend.
//!
//! The baseline is red as in the paper, bars are 95 % intervals.

use std::error::Error as StdError;
use std::ops::Range;

use anchormatch::{Error, Result};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use super::estimate::Estimate;
use crate::experiments::solvers::{INK, MESH};

const PANEL: (u32, u32) = (400, 300);
const ROW: u32 = 22;
/// Curves of more places than this have no marks.
const MARKED: usize = 25;

/// Red for the baseline, then colours that most eyes tell apart; `best` is dark and dashed.
const COLOURS: [RGBColor; 7] = [
    RGBColor(214, 39, 40),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(230, 145, 0),
    RGBColor(148, 103, 189),
    RGBColor(20, 20, 20),
    RGBColor(120, 120, 120),
];

/// A line of a panel.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// Which colour, and so which method of the legend.
    pub(super) colour: usize,
    /// Pieces of the line, each x with its figure.
    pub(super) pieces: Vec<Vec<(f64, Estimate)>>,
}

/// One coordinate system.
#[derive(Debug, Clone)]
pub(super) struct Panel {
    /// What stands above it: `(a)`.
    pub(super) title: String,
    pub(super) x: String,
    pub(super) y: String,
    /// Milliseconds on a logarithmic scale, or shares from 0 to 1.
    pub(super) logarithmic: bool,
    /// Whether intervals are drawn; where views are many they would hide the curves.
    pub(super) bars: bool,
    pub(super) lines: Vec<Line>,
}

/// Panels in rows of `columns`, and the legend below.
///
/// # Errors
/// When there is nothing to draw.
pub(super) fn draw(
    panels: &[Panel],
    columns: usize,
    width: u32,
    legend: &[(usize, String)],
) -> Result<String> {
    if panels.is_empty() {
        return Err(Error::parameter("panels", "none", "at least one"));
    }
    let mut svg = String::new();
    grid(&mut svg, panels, columns, width, legend)
        .map_err(|error| Error::Numerics(format!("the figure {}: {error}", panels[0].title)))?;
    Ok(svg)
}

type Drawn = std::result::Result<(), Box<dyn StdError>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn grid(
    svg: &mut String,
    panels: &[Panel],
    columns: usize,
    width: u32,
    legend: &[(usize, String)],
) -> Drawn {
    let columns = columns.clamp(1, panels.len());
    let rows = panels.len().div_ceil(columns);
    let wide = width.max(PANEL.0) * columns as u32;
    let in_row = (wide / 150).max(1) as usize;
    let below = ROW * legend.len().div_ceil(in_row) as u32 + 12;
    let size = (wide, rows as u32 * PANEL.1 + below);
    let root = SVGBackend::with_string(svg, size).into_drawing_area();
    root.fill(&WHITE)?;
    let (above, legend_area) = root.split_vertically(rows as u32 * PANEL.1);
    for (area, panel) in above.split_evenly((rows, columns)).iter().zip(panels) {
        one(area, panel)?;
    }
    for (k, (colour, name)) in legend.iter().enumerate() {
        let (x, y) = (
            60 + 150 * (k % in_row) as i32,
            10 + ROW as i32 * (k / in_row) as i32,
        );
        let style = style(*colour);
        legend_area.draw(&PathElement::new(vec![(x, y), (x + 24, y)], style))?;
        if !is_dashed(*colour) {
            legend_area.draw(&Circle::new((x + 12, y), 3, style.color.filled()))?;
        } else {
            // The gap that makes a short line look dashed.
            legend_area.draw(&PathElement::new(
                vec![(x + 10, y), (x + 14, y)],
                WHITE.stroke_width(3),
            ))?;
        }
        let font = ("sans-serif", 13).into_font().color(&INK);
        legend_area.draw(&Text::new(name.clone(), (x + 30, y - 6), font))?;
    }
    root.present()?;
    Ok(())
}

fn one(area: &Area<'_>, panel: &Panel) -> Drawn {
    let (title, below) = area.split_vertically(22);
    let font = ("sans-serif", 14).into_font().color(&INK);
    title.draw(&Text::new(panel.title.clone(), (60, 8), font))?;
    let values = || {
        let pieces = panel.lines.iter().flat_map(|line| &line.pieces);
        pieces.flatten().filter(|(_, e)| e.value.is_finite())
    };
    if panel.logarithmic {
        let positive = || values().map(|(_, e)| e.value).filter(|&v| v > 0.0);
        let low = positive().fold(f64::INFINITY, f64::min);
        let high = positive().fold(0.0, f64::max);
        let range: Range<f64> = if low < high {
            low / 1.5..high * 1.5
        } else {
            let middle = if low.is_finite() { low } else { 1.0 };
            middle / 10.0..middle * 10.0
        };
        let (floor, ceiling) = (range.start, range.end);
        chart(&below, panel, range.log_scale(), (floor, ceiling), |y| {
            format!("{y}")
        })
    } else {
        let low = values().map(|(_, e)| e.value).fold(1.0, f64::min);
        // Shares start at 0 unless all the curves lie near the top.
        let floor = if low > 0.75 { 0.7 } else { 0.0 };
        chart(&below, panel, floor - 0.01..1.015, (floor, 1.0), |y| {
            format!("{y:.2}")
        })
    }
}

fn chart<Y>(
    area: &Area<'_>,
    panel: &Panel,
    y_range: Y,
    (floor, ceiling): (f64, f64),
    y_format: impl Fn(&f64) -> String,
) -> Drawn
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let xs = || {
        let pieces = panel.lines.iter().flat_map(|line| &line.pieces);
        pieces.flatten().map(|(x, _)| *x)
    };
    let (low, high) = (
        xs().fold(f64::INFINITY, f64::min),
        xs().fold(f64::NEG_INFINITY, f64::max),
    );
    let (low, high) = if low < high { (low, high) } else { (0.0, 1.0) };
    let margin = 0.03 * (high - low);
    let mut chart = ChartBuilder::on(area)
        .margin(6)
        .margin_right(16)
        .x_label_area_size(38)
        .y_label_area_size(56)
        .build_cartesian_2d(low - margin..high + margin, y_range)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(11)
        .y_labels(6)
        .x_label_formatter(&|x| format!("{}", (x * 1e3).round() / 1e3))
        .y_label_formatter(&y_format)
        .x_desc(panel.x.as_str())
        .y_desc(panel.y.as_str())
        .label_style(("sans-serif", 12).into_font().color(&INK))
        .axis_desc_style(("sans-serif", 13).into_font().color(&INK))
        .axis_style(INK)
        .bold_line_style(MESH)
        .light_line_style(TRANSPARENT)
        .draw()?;
    let inside = |y: f64| y.clamp(floor, ceiling);
    for line in &panel.lines {
        let style = style(line.colour);
        for piece in &line.pieces {
            let known = || piece.iter().filter(|(_, e)| e.value.is_finite());
            let points: Vec<(f64, f64)> = known().map(|(x, e)| (*x, inside(e.value))).collect();
            let bars = || known().filter(|(_, e)| e.half_width.is_finite() && e.half_width > 0.0);
            if panel.bars {
                chart.draw_series(bars().map(|(x, e)| {
                    let (low, high) = (inside(e.low()), inside(e.high()));
                    ErrorBar::new_vertical(*x, low, inside(e.value), high, style.color, 4)
                }))?;
            }
            if is_dashed(line.colour) {
                chart.draw_series(DashedLineSeries::new(points, 7, 5, style))?;
            } else {
                chart.draw_series(LineSeries::new(points.clone(), style))?;
                if piece.len() <= MARKED {
                    let marks = points.into_iter();
                    chart.draw_series(marks.map(|at| Circle::new(at, 2, style.color.filled())))?;
                }
            }
        }
    }
    Ok(())
}

fn is_dashed(colour: usize) -> bool {
    colour % COLOURS.len() == COLOURS.len() - 1
}

fn style(colour: usize) -> ShapeStyle {
    COLOURS[colour % COLOURS.len()].stroke_width(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(value: f64, half_width: f64) -> Estimate {
        Estimate {
            value,
            half_width,
            count: 3,
        }
    }

    fn panel(logarithmic: bool, points: Vec<(f64, Estimate)>) -> Panel {
        Panel {
            title: "(a)".into(),
            x: "noise σ".into(),
            y: "accuracy".into(),
            logarithmic,
            bars: true,
            lines: vec![Line {
                colour: 0,
                pieces: vec![points],
            }],
        }
    }

    #[test]
    fn odd_values_are_drawn_without_nonsense() {
        let strange = [
            vec![],
            vec![(0.0, estimate(0.5, f64::INFINITY))],
            vec![
                (0.0, estimate(f64::NAN, f64::INFINITY)),
                (1.0, estimate(0.2, 0.0)),
            ],
            (0..60)
                .map(|k| (f64::from(k), estimate(0.9, 0.3)))
                .collect(),
        ];
        for points in strange {
            for logarithmic in [false, true] {
                let svg = draw(
                    &[panel(logarithmic, points.clone())],
                    3,
                    0,
                    &[(1, "heat".into())],
                )
                .unwrap();
                assert!(svg.contains("noise σ") && svg.contains("heat"));
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
        assert!(draw(&[], 1, 0, &[]).is_err());
    }
}
