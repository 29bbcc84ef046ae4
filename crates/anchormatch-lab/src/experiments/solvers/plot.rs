//! The sweeps as a picture: for each of them accuracy and time against the parameter that moves, a
//! line for each solver.
//!
//! Solvers differ in colour, then in the shape of their marks, and relaxations are dashed, so that
//! lines can be told apart without colours.

use anchormatch::solver::Kind;
use anchormatch::{Error, Result};
use anchormatch_report::Summary;
use anchormatch_report::chart::{
    Axis, COLOURS, Chart, Entry, Ink, LegendPlace, Line, Mark, Panel, Point, Style,
};

use super::{SolverScore, Sweep, SweepScores};

const PANEL: (u32, u32) = (430, 300);
const LEGEND: u32 = 150;

/// An SVG of all sweeps that `points` belong to; `solvers` are the scores' solvers, in their order.
///
/// # Errors
/// When there are no points, or a point has another number of scores than there are solvers.
pub fn plot(points: &[SweepScores], solvers: &[(&str, Kind)]) -> Result<String> {
    if points.is_empty() {
        return Err(Error::parameter("points", "none", "at least one"));
    }
    if let Some(point) = points.iter().find(|p| p.scores.len() != solvers.len()) {
        let found = format!("{} scores", point.scores.len());
        return Err(Error::parameter("scores", found, solvers.len()));
    }
    let styles: Vec<Style> = solvers
        .iter()
        .enumerate()
        .map(|(place, &(_, kind))| style(place, kind))
        .collect();
    let mut panels = Vec::new();
    for sweep in Sweep::ALL {
        let points: Vec<&SweepScores> = points.iter().filter(|p| p.sweep == sweep).collect();
        if !points.is_empty() {
            panels.push(accuracy(sweep, &points, &styles));
            panels.push(time(sweep, &points, &styles));
        }
    }
    let names = solvers.iter().zip(&styles);
    let mut legend: Vec<Entry> = names
        .map(|((name, _), &style)| Entry {
            style: Some(style),
            text: (*name).to_owned(),
        })
        .collect();
    legend.push(Entry {
        style: None,
        text: "dashed: relaxations".to_owned(),
    });
    Chart {
        title: Some("Solvers on synthetic graphs, anchors folded in".to_owned()),
        panels,
        columns: 2,
        size: PANEL,
        legend,
        place: LegendPlace::Beside(LEGEND),
        ink: Ink::PRINT,
    }
    .svg()
}

/// With bars of one standard error.
fn accuracy(sweep: Sweep, points: &[&SweepScores], styles: &[Style]) -> Panel {
    let point = |x: f64, summary: Summary| {
        let Summary {
            mean,
            standard_error,
            ..
        } = summary;
        let bar = (
            (mean - standard_error).max(0.0),
            (mean + standard_error).min(1.0),
        );
        Point {
            x,
            y: mean,
            bar: Some(bar),
        }
    };
    let lines = lines(points, styles, |x, score| point(x, score.accuracy));
    panel(sweep, Axis::share("accuracy"), points, lines)
}

/// Milliseconds on a logarithmic scale.
fn time(sweep: Sweep, points: &[&SweepScores], styles: &[Style]) -> Panel {
    let lines = lines(points, styles, |x, score| {
        Point::at(x, 1e3 * score.seconds.mean)
    });
    let values = lines.iter().flat_map(|line| &line.points).map(|p| p.y);
    let axis = Axis::logarithmic("ms a problem", values);
    panel(sweep, axis, points, lines)
}

fn panel(sweep: Sweep, y: Axis, points: &[&SweepScores], lines: Vec<Line>) -> Panel {
    Panel {
        title: None,
        x: Axis::around(sweep.axis(), points.iter().map(|point| point.x), 0.06),
        y,
        lines,
    }
}

/// A line for each solver.
fn lines(
    points: &[&SweepScores],
    styles: &[Style],
    point: impl Fn(f64, &SolverScore) -> Point,
) -> Vec<Line> {
    let line = |(place, &style): (usize, &Style)| Line {
        style,
        points: points
            .iter()
            .map(|at| point(at.x, &at.scores[place]))
            .collect(),
    };
    styles.iter().enumerate().map(line).collect()
}

/// Another mark each time the colours start over.
fn style(place: usize, kind: Kind) -> Style {
    let mark = [Mark::Disc, Mark::Triangle, Mark::Cross][place / COLOURS.len() % 3];
    Style::of(COLOURS[place % COLOURS.len()])
        .marked(mark)
        .dashed(kind == Kind::Relaxation)
}

#[cfg(test)]
mod tests {
    use super::*;

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
