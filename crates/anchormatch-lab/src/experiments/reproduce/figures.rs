//! Curves as pictures: panels in a grid, a line for each method, one legend.
//!
//! The baseline is red as in the paper, bars are 95 % intervals.

use anchormatch::Result;
use anchormatch_report::chart::{
    Axis, Chart, Colour, Entry, Ink, LegendPlace, Line, Mark, Panel, Point, Style,
};

use super::estimate::Estimate;

const PANEL: (u32, u32) = (400, 300);
/// Curves of more places than this have no marks.
const MARKED: usize = 25;

/// Red for the baseline, then colours that most eyes tell apart; `best` is dark and dashed.
const COLOURS: [Colour; 7] = [
    Colour(214, 39, 40),
    Colour(0, 114, 178),
    Colour(0, 158, 115),
    Colour(230, 145, 0),
    Colour(148, 103, 189),
    Colour(20, 20, 20),
    Colour(120, 120, 120),
];

/// Which colour, and so which method of the legend; and its figure at each x.
pub(super) type Curve = (usize, Vec<(f64, Estimate)>);

/// What a panel shows against x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Figure {
    /// Shares from 0 to 1.
    Accuracy,
    /// Milliseconds on a logarithmic scale.
    Time,
}

/// One coordinate system under a title such as `(a)`, with intervals as bars or, where views are many and
/// they would hide the curves, without.
pub(super) fn panel(title: String, x: &str, figure: Figure, bars: bool, curves: &[Curve]) -> Panel {
    let values = || {
        let points = curves.iter().flat_map(|(_, points)| points);
        points.map(|(_, estimate)| estimate.value)
    };
    let (y, most) = match figure {
        Figure::Time => (Axis::logarithmic("time, ms", values()), f64::INFINITY),
        Figure::Accuracy => {
            let low = values().filter(|v| v.is_finite()).fold(1.0, f64::min);
            // Shares start at 0 unless all the curves lie near the top.
            let floor = if low > 0.75 { 0.7 } else { 0.0 };
            let mut axis = Axis::share("accuracy").with_format(|y| format!("{y:.2}"));
            axis.range = floor - 0.01..1.015;
            (axis, 1.0)
        }
    };
    let point = |&(x, estimate): &(f64, Estimate)| {
        let interval = (estimate.low(), estimate.high().min(most));
        Point {
            x,
            y: estimate.value,
            bar: (bars && estimate.half_width.is_finite()).then_some(interval),
        }
    };
    let line = |(method, points): &Curve| Line {
        style: style(*method),
        points: points.iter().map(point).collect(),
    };
    let xs = curves
        .iter()
        .flat_map(|(_, points)| points)
        .map(|(x, _)| *x);
    Panel {
        title: Some(title),
        x: Axis::around(x, xs, 0.03).with_labels(11),
        y: y.with_labels(6),
        lines: curves.iter().map(line).collect(),
    }
}

/// Panels at least `width` wide in rows of `columns`, and the legend below.
///
/// # Errors
/// When there is nothing to draw.
pub(super) fn draw(
    mut panels: Vec<Panel>,
    columns: usize,
    width: u32,
    legend: &[(usize, String)],
) -> Result<String> {
    for line in panels.iter_mut().flat_map(|panel| &mut panel.lines) {
        if !line.style.dashed && line.points.len() <= MARKED {
            line.style.mark = Mark::Dot;
        }
    }
    let entry = |(method, name): &(usize, String)| {
        let style = style(*method);
        let mark = if style.dashed {
            Mark::Plain
        } else {
            Mark::Disc
        };
        Entry {
            style: Some(style.marked(mark)),
            text: name.clone(),
        }
    };
    Chart {
        title: None,
        panels,
        columns,
        size: (width.max(PANEL.0), PANEL.1),
        legend: legend.iter().map(entry).collect(),
        place: LegendPlace::Below,
        ink: Ink::PRINT,
    }
    .svg()
}

fn style(method: usize) -> Style {
    let place = method % COLOURS.len();
    Style::of(COLOURS[place]).dashed(place + 1 == COLOURS.len())
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
            for figure in [Figure::Accuracy, Figure::Time] {
                let curve = (0, points.clone());
                let panel = panel("(a)".into(), "noise σ", figure, true, &[curve]);
                let svg = draw(vec![panel], 3, 0, &[(1, "heat".into())]).unwrap();
                assert!(svg.contains("noise σ") && svg.contains("heat"));
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
        assert!(draw(vec![], 1, 0, &[]).is_err());
    }

    #[test]
    fn curves_near_the_top_have_an_axis_of_their_own() {
        let lowest = |value: f64| {
            let curve = (
                0,
                vec![(0.0, estimate(value, 0.1)), (1.0, estimate(1.0, 0.1))],
            );
            panel(String::new(), "x", Figure::Accuracy, true, &[curve])
                .y
                .range
                .start
        };
        assert_eq!((lowest(0.9), lowest(0.7)), (0.7 - 0.01, -0.01));
    }
}
