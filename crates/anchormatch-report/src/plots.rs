//! The curves of a run: spectra, the solver's residual, the learner's violations.
//!
//! Colours are placeholders that the style sheet replaces by the page's own, light or dark, through
//! attribute selectors; legends stand in the HTML.

use anchormatch::Result;
use anchormatch::matching::Diagnostics;

use super::chart::{Axis, Chart, Colour, Ink, LegendPlace, Line, Mark, Panel, Point, Style};
use super::text::number;

/// Written by the style sheet as the colours of the source, the target and everything else.
const SOURCE: Colour = Colour(1, 1, 1);
const TARGET: Colour = Colour(2, 2, 2);
const CURVE: Colour = Colour(3, 3, 3);
const INK: Ink = Ink {
    text: Colour(4, 4, 4),
    mesh: Colour(5, 5, 5),
    paper: None,
};

const SIZE: (u32, u32) = (560, 270);
/// Longer series are thinned to this many points.
const MOST_POINTS: usize = 500;
/// Curves with at most this many points show each of them.
const MARKED_POINTS: usize = 60;

/// One plot, ready to be put on the page.
pub(super) struct Plot {
    pub(super) title: &'static str,
    pub(super) caption: &'static str,
    /// Whether the plot compares the two graphs and needs a legend.
    pub(super) compares: bool,
    pub(super) svg: String,
}

/// The plots that a run's diagnostics allow; none for curves of fewer than two points.
pub(super) fn of(diagnostics: &Diagnostics) -> Result<Vec<Plot>> {
    let mut plots = Vec::new();
    let spectra = [
        (points(&diagnostics.source_eigenvalues, false), SOURCE),
        (points(&diagnostics.target_eigenvalues, false), TARGET),
    ];
    if let Some(svg) = draw(&spectra, false, "index", "eigenvalue")? {
        plots.push(Plot {
            title: "Laplacian eigenvalues",
            caption: "Graphs that match well have curves that lie close together.",
            compares: true,
            svg,
        });
    }
    let residual = [(points(&diagnostics.convergence, true), CURVE)];
    if let Some(svg) = draw(&residual, true, "iteration", "residual")? {
        plots.push(Plot {
            title: "Solver convergence",
            caption: "The residual after each iteration, on a logarithmic scale.",
            compares: false,
            svg,
        });
    }
    let violation = [(points(&diagnostics.learner_violations, false), CURVE)];
    if let Some(svg) = draw(&violation, false, "round", "worst violation")? {
        plots.push(Plot {
            title: "Learner’s violation",
            caption: "The worst margin violation in each round of column generation.",
            compares: false,
            svg,
        });
    }
    Ok(plots)
}

/// Points (1-based index, value); values that the axis cannot show are left out.
fn points(values: &[f64], logarithmic: bool) -> Vec<(f64, f64)> {
    let shown = |v: &f64| v.is_finite() && v.abs() < 1e300 && (!logarithmic || *v > 1e-300);
    let points: Vec<(f64, f64)> = values
        .iter()
        .enumerate()
        .filter(|(_, v)| shown(v))
        .map(|(k, &v)| ((k + 1) as f64, v))
        .collect();
    if points.len() <= MOST_POINTS {
        return points;
    }
    // Both ends stay.
    let last = points.len() - 1;
    (0..MOST_POINTS)
        .map(|k| points[k * last / (MOST_POINTS - 1)])
        .collect()
}

/// A chart of the curves with two points or more; `None` when there is no such curve.
fn draw(
    curves: &[(Vec<(f64, f64)>, Colour)],
    logarithmic: bool,
    x_name: &str,
    y_name: &str,
) -> Result<Option<String>> {
    let curves: Vec<_> = curves.iter().filter(|(c, _)| c.len() > 1).collect();
    let all = || curves.iter().flat_map(|(c, _)| c);
    if curves.is_empty() {
        return Ok(None);
    }
    let last = all().fold(2.0f64, |m, p| m.max(p.0));
    let low = all().fold(f64::INFINITY, |m, p| m.min(p.1));
    let high = all().fold(f64::NEG_INFINITY, |m, p| m.max(p.1));
    let y = if logarithmic {
        // Sixteen decades show all that double precision can mean.
        let mut axis = Axis::logarithmic(y_name, all().map(|p| p.1.max(high * 1e-16)));
        axis.format = |y| number(y, 3);
        axis
    } else {
        let margin = match (high - low) * 0.04 {
            none if none <= 0.0 => high.abs().max(1e-12) * 0.5,
            some => some,
        };
        // Eigenvalues and violations are measured from zero; keep it when it is near.
        let bottom = if low >= 0.0 && low < 0.5 * high {
            0.0
        } else {
            low - margin
        };
        let mut axis = Axis::linear(y_name, bottom..high + margin);
        axis.format = |y| number(y, 3);
        axis.mesh = true;
        axis
    };
    let whole = |x: f64| match x.fract() == 0.0 {
        true => number(x, 6),
        false => String::new(),
    };
    let line = |(points, colour): &&(Vec<(f64, f64)>, Colour)| {
        let mark = match points.len() <= MARKED_POINTS {
            true => Mark::Dot,
            false => Mark::Plain,
        };
        Line {
            style: Style::of(*colour).marked(mark),
            points: points.iter().map(|&(x, y)| Point::at(x, y)).collect(),
        }
    };
    let panel = Panel {
        title: None,
        x: Axis::linear(x_name, 1.0..last)
            .with_labels(8)
            .with_format(whole),
        y: y.with_labels(6),
        lines: curves.iter().map(line).collect(),
    };
    let chart = Chart {
        title: None,
        panels: vec![panel],
        columns: 1,
        size: SIZE,
        legend: Vec::new(),
        place: LegendPlace::Below,
        ink: INK,
    };
    chart.svg().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convergence(values: Vec<f64>) -> Vec<Plot> {
        of(&Diagnostics {
            convergence: values,
            ..Diagnostics::default()
        })
        .unwrap()
    }

    #[test]
    fn what_a_logarithmic_axis_cannot_show_is_left_out() {
        for values in [
            vec![],
            vec![1.0],
            vec![0.0, -1.0, f64::NAN, f64::INFINITY],
            vec![0.0, 1.0, 0.0],
        ] {
            assert!(convergence(values).is_empty());
        }
        for values in [
            vec![1.0, 0.1, 0.0],
            vec![3.0, 3.0],
            vec![1e-299, 1e299],
            vec![1e-200, 2e-200],
            vec![f64::MIN_POSITIVE, 1.0, f64::NAN, 0.5],
            (0..5_000).map(|k| (-0.01 * f64::from(k)).exp()).collect(),
        ] {
            let plots = convergence(values);
            assert_eq!(plots.len(), 1);
            assert!(plots[0].svg.contains("<polyline"));
            assert!(!plots[0].svg.contains("NaN") && !plots[0].svg.contains("inf"));
            assert!(plots[0].svg.len() < 40_000);
        }
    }

    #[test]
    fn linear_axes_survive_any_values() {
        for values in [
            vec![0.0, 0.0],
            vec![-5.0, 5.0],
            vec![1e299, -1e299],
            vec![7.0, 7.0, 7.0],
            vec![1e-300, 2e-300],
            vec![1e12, 1e12 + 1e-3],
            vec![f64::MAX, 1.0, f64::MIN, 2.0],
        ] {
            let plots = of(&Diagnostics {
                source_eigenvalues: values,
                target_eigenvalues: vec![1.0],
                ..Diagnostics::default()
            })
            .unwrap();
            assert_eq!(plots.len(), 1);
            assert_eq!(
                plots[0].svg.matches("<polyline").count() - axes(&plots[0].svg),
                1
            );
        }
    }

    /// Polylines that are axes.
    fn axes(svg: &str) -> usize {
        svg.lines()
            .filter(|l| l.contains("<polyline") && l.contains("#040404"))
            .count()
    }
}
