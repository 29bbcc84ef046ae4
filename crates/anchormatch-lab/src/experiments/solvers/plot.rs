//! The sweeps as a picture: for each of them accuracy and time against the parameter that moves, a
//! line for each solver.
//!
//! Solvers differ in colour, then in the shape of their marks, and relaxations are dashed, so that
//! lines can be told apart without colours.

use std::error::Error as StdError;

use anchormatch::solver::Kind;
use anchormatch::{Error, Result};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use super::{Sweep, SweepScores};
use anchormatch_report::Summary;

const PANEL: (u32, u32) = (430, 300);
const LEGEND: u32 = 150;
const TITLE: u32 = 34;

/// Dark enough for white paper, and far from each other for most eyes.
pub(in crate::experiments) const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 91, 158),
    RGBColor(120, 94, 240),
    RGBColor(176, 128, 0),
    RGBColor(64, 64, 64),
    RGBColor(86, 180, 233),
];
pub(in crate::experiments) const INK: RGBColor = RGBColor(60, 60, 60);
pub(in crate::experiments) const MESH: RGBColor = RGBColor(225, 225, 225);

/// What drawing can fail with.
type Drawn = std::result::Result<(), Box<dyn StdError>>;

/// A solver's name and whether it relaxes or searches.
type Legend<'a> = (&'a str, Kind);

/// An SVG of all sweeps that `points` belong to; `solvers` are the scores' solvers, in their order.
///
/// # Errors
/// When there are no points, or a point has another number of scores than there are solvers.
pub fn plot(points: &[SweepScores], solvers: &[(&str, Kind)]) -> Result<String> {
    let sweeps: Vec<Sweep> = Sweep::ALL
        .into_iter()
        .filter(|&sweep| points.iter().any(|point| point.sweep == sweep))
        .collect();
    if sweeps.is_empty() {
        return Err(Error::parameter("points", "none", "at least one"));
    }
    if let Some(point) = points.iter().find(|p| p.scores.len() != solvers.len()) {
        let found = format!("{} scores", point.scores.len());
        return Err(Error::parameter("scores", found, solvers.len()));
    }
    let mut svg = String::new();
    draw(&mut svg, points, &sweeps, solvers)
        .map_err(|error| Error::Numerics(format!("the plot of the solvers: {error}")))?;
    Ok(svg)
}

fn draw(
    svg: &mut String,
    points: &[SweepScores],
    sweeps: &[Sweep],
    solvers: &[Legend<'_>],
) -> Drawn {
    let rows = sweeps.len() as u32;
    // A long legend must not be cut off by a short picture.
    let height = (rows * PANEL.1).max(20 * (solvers.len() as u32 + 3));
    let size = (2 * PANEL.0 + LEGEND, height + TITLE);
    let root = SVGBackend::with_string(svg, size).into_drawing_area();
    root.fill(&WHITE)?;
    let (title, below) = root.split_vertically(TITLE);
    title.draw(&Text::new(
        "Solvers on synthetic graphs, anchors folded in",
        (14, 10),
        ("sans-serif", 17).into_font().color(&INK),
    ))?;
    let (panels, legend) = below.split_horizontally(2 * PANEL.0);
    let (panels, _) = panels.split_vertically(rows * PANEL.1);
    let cells = panels.split_evenly((sweeps.len(), 2));
    for (&sweep, cells) in sweeps.iter().zip(cells.chunks(2)) {
        let points: Vec<&SweepScores> = points.iter().filter(|p| p.sweep == sweep).collect();
        accuracy(&cells[0], sweep, &points, solvers)?;
        time(&cells[1], sweep, &points, solvers)?;
    }
    explain(&legend, solvers)?;
    root.present()?;
    Ok(())
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// How a figure is written.
type Format = fn(&f64) -> String;

/// Which figure of a score a panel shows.
type Figure = fn(&super::SolverScore) -> Summary;

fn accuracy(
    area: &Area<'_>,
    sweep: Sweep,
    points: &[&SweepScores],
    solvers: &[Legend<'_>],
) -> Drawn {
    let figure: Figure = |score| score.accuracy;
    let format: Format = |y| format!("{y:.1}");
    panel(
        area,
        sweep,
        ("accuracy", -0.02..1.03, format),
        curves(points, solvers, figure, 1.0),
        true,
    )
}

/// Milliseconds on a logarithmic scale.
fn time(area: &Area<'_>, sweep: Sweep, points: &[&SweepScores], solvers: &[Legend<'_>]) -> Drawn {
    let figure: Figure = |score| score.seconds;
    let mut curves = curves(points, solvers, figure, 1e3);
    for curve in &mut curves {
        curve.points.retain(|&(_, y, _)| y > 0.0);
    }
    let values = || curves.iter().flat_map(|c| &c.points).map(|&(_, y, _)| y);
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(0.0, f64::max);
    let range = if low < high {
        low / 1.5..high * 1.5
    } else {
        // One value or none: a decade on either side of it.
        let middle = if low.is_finite() { low } else { 1.0 };
        middle / 10.0..middle * 10.0
    };
    let format: Format = |y| format!("{y}");
    let y = ("ms a problem", range.log_scale(), format);
    panel(area, sweep, y, curves, false)
}

/// One solver's line.
struct Curve {
    place: usize,
    kind: Kind,
    /// x, mean and standard error.
    points: Vec<(f64, f64, f64)>,
}

fn curves(
    points: &[&SweepScores],
    solvers: &[Legend<'_>],
    figure: Figure,
    scale: f64,
) -> Vec<Curve> {
    let curve = |(place, &(_, kind)): (usize, &Legend<'_>)| Curve {
        place,
        kind,
        points: points
            .iter()
            .map(|point| (point.x, figure(&point.scores[place])))
            .filter(|(_, summary)| summary.mean.is_finite())
            .map(|(x, s)| (x, scale * s.mean, scale * s.standard_error))
            .collect(),
    };
    solvers.iter().enumerate().map(curve).collect()
}

fn panel<Y>(
    area: &Area<'_>,
    sweep: Sweep,
    (y_name, y_range, y_format): (&str, Y, Format),
    curves: Vec<Curve>,
    errors: bool,
) -> Drawn
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let xs = || curves.iter().flat_map(|c| &c.points).map(|&(x, ..)| x);
    let (low, high) = (xs().fold(f64::INFINITY, f64::min), xs().fold(0.0, f64::max));
    let margin = match high - low {
        some if some > 0.0 => 0.06 * some,
        _ => 0.5,
    };
    let low = if low.is_finite() { low } else { 0.0 };
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .margin_right(14)
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d(low - margin..high + margin, y_range)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(7)
        .y_labels(7)
        .x_label_formatter(&|x| format!("{}", (x * 1e3).round() / 1e3))
        .y_label_formatter(&|y| y_format(y))
        .x_desc(sweep.axis())
        .y_desc(y_name)
        .label_style(("sans-serif", 12).into_font().color(&INK))
        .axis_desc_style(("sans-serif", 13).into_font().color(&INK))
        .axis_style(INK)
        .bold_line_style(MESH)
        .light_line_style(TRANSPARENT)
        .draw()?;
    for curve in curves {
        let colour = colour(curve.place);
        let line: Vec<(f64, f64)> = curve.points.iter().map(|&(x, y, _)| (x, y)).collect();
        let style = colour.stroke_width(2);
        match curve.kind {
            Kind::Search => chart.draw_series(LineSeries::new(line.clone(), style))?,
            Kind::Relaxation => {
                chart.draw_series(DashedLineSeries::new(line.clone(), 6, 4, style))?
            }
        };
        if errors {
            chart.draw_series(curve.points.iter().map(|&(x, y, e)| {
                ErrorBar::new_vertical(x, (y - e).max(0.0), y, (y + e).min(1.0), colour, 5)
            }))?;
        }
        let marks = line.into_iter();
        match Mark::of(curve.place) {
            Mark::Circle => chart.draw_series(marks.map(|at| circle(at, colour)))?,
            Mark::Triangle => chart.draw_series(marks.map(|at| triangle(at, colour)))?,
            Mark::Cross => chart.draw_series(marks.map(|at| cross(at, colour)))?,
        };
    }
    Ok(())
}

/// Names beside their lines.
fn explain(area: &Area<'_>, solvers: &[Legend<'_>]) -> Drawn {
    for (place, (name, kind)) in solvers.iter().enumerate() {
        let y = 20 + 20 * place as i32;
        let style = colour(place).stroke_width(2);
        let line = |from: i32, to: i32| PathElement::new(vec![(from, y), (to, y)], style);
        match kind {
            Kind::Search => area.draw(&line(10, 40))?,
            Kind::Relaxation => {
                for dash in [10, 20, 30] {
                    area.draw(&line(dash, dash + 6))?;
                }
            }
        }
        match Mark::of(place) {
            Mark::Circle => area.draw(&circle((25, y), colour(place)))?,
            Mark::Triangle => area.draw(&triangle((25, y), colour(place)))?,
            Mark::Cross => area.draw(&cross((25, y), colour(place)))?,
        }
        let font = ("sans-serif", 13).into_font().color(&INK);
        area.draw(&Text::new((*name).to_owned(), (48, y - 6), font))?;
    }
    let y = 30 + 20 * solvers.len() as i32;
    let font = ("sans-serif", 12).into_font().color(&INK);
    area.draw(&Text::new("dashed: relaxations", (10, y), font))?;
    Ok(())
}

fn colour(place: usize) -> RGBColor {
    COLOURS[place % COLOURS.len()]
}

/// The shape of a solver's marks: another one each time the colours start over.
enum Mark {
    Circle,
    Triangle,
    Cross,
}

impl Mark {
    fn of(place: usize) -> Self {
        match place / COLOURS.len() % 3 {
            0 => Self::Circle,
            1 => Self::Triangle,
            _ => Self::Cross,
        }
    }
}

fn circle<C>(at: C, colour: RGBColor) -> Circle<C, i32> {
    Circle::new(at, 3, colour.filled())
}

fn triangle<C>(at: C, colour: RGBColor) -> TriangleMarker<C, i32> {
    TriangleMarker::new(at, 5, colour.filled())
}

fn cross<C>(at: C, colour: RGBColor) -> Cross<C, i32> {
    Cross::new(at, 4, colour.stroke_width(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::solvers::SolverScore;

    fn scores(sweep: Sweep, x: f64, count: usize) -> SweepScores {
        let summary = |mean: f64| Summary {
            count: 3,
            mean,
            standard_error: 0.1 * mean,
        };
        let score = |k: usize| SolverScore {
            solver: "some",
            accuracy: summary((1.0 - x).clamp(0.0, 1.0)),
            relative_objective: summary(1.0),
            seconds: summary(1e-3 * (k + 1) as f64),
            refusal: None,
        };
        SweepScores {
            sweep,
            x,
            scores: (0..count).map(score).collect(),
        }
    }

    #[test]
    fn every_solver_has_its_line_and_its_name() {
        let names: Vec<String> = (0..20).map(|k| format!("solver{k}")).collect();
        let kind = |k: usize| [Kind::Relaxation, Kind::Search][k % 2];
        let solvers: Vec<(&str, Kind)> = names
            .iter()
            .enumerate()
            .map(|(k, name)| (name.as_str(), kind(k)))
            .collect();
        let points = [0.1, 0.2, 0.5].map(|x| scores(Sweep::Noise, x, 20));
        let svg = plot(&points, &solvers).unwrap();
        for name in &names {
            assert!(svg.contains(name.as_str()), "{name}");
        }
        for text in ["noise σ", "accuracy", "ms a problem"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn single_points_refusals_and_equal_times_are_drawn() {
        let solvers = [("one", Kind::Search), ("two", Kind::Relaxation)];
        let mut point = scores(Sweep::Size, 50.0, 2);
        for score in &mut point.scores {
            score.seconds = Summary::of([]);
        }
        point.scores[1].accuracy = Summary::of([]);
        let mut other = scores(Sweep::Outliers, 6.0, 2);
        other.scores[1] = other.scores[0].clone();
        let svg = plot(&[point, other], &solvers).unwrap();
        assert!(svg.contains("inliers n") && svg.contains("outliers on either side"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn nothing_and_the_wrong_number_of_solvers_are_refused() {
        assert!(plot(&[], &[("one", Kind::Search)]).is_err());
        let point = scores(Sweep::Noise, 0.1, 2);
        assert!(plot(&[point], &[("one", Kind::Search)]).is_err());
    }
}
