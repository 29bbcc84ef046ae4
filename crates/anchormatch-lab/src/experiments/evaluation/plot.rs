//! Reliability as a picture: the share that is right against the confidence, and how many pairs there
//! are of each confidence.

use anchormatch::{Error, Result};
use anchormatch_report::chart::{
    Axis, COLOURS, Chart, Colour, Entry, Ink, LegendPlace, Line, Mark, Panel, Point, Style,
};

use super::calibration::{BINS, Reliability};

const PANEL: (u32, u32) = (460, 430);
const LEGEND: u32 = 160;

/// An SVG with a line for each group of pairs, the last of them, all pairs together, drawn thick.
///
/// Left the reliability, on whose dashed diagonal the confidences are right; right the share of each
/// group's pairs by bin.
///
/// # Errors
/// When there is no group with a pair.
pub fn reliability_plot(groups: &[(&str, Reliability)]) -> Result<String> {
    let groups: Vec<&(&str, Reliability)> = groups
        .iter()
        .filter(|(_, reliability)| reliability.total().count > 0)
        .collect();
    if groups.is_empty() {
        return Err(Error::parameter("groups", "no pairs", "at least one"));
    }
    let style = |place: usize| {
        let style = if place + 1 == groups.len() {
            Style {
                width: 3,
                ..Style::of(Colour(0, 0, 0))
            }
        } else {
            Style::of(COLOURS[place % COLOURS.len()])
        };
        style.marked(Mark::Disc)
    };
    let lines = |points: fn(&Reliability) -> Vec<Point>| {
        let line = |(place, (_, reliability)): (usize, &&(&str, Reliability))| Line {
            style: style(place),
            points: points(reliability),
        };
        groups.iter().enumerate().map(line).collect::<Vec<Line>>()
    };
    let diagonal = Line {
        style: Style {
            width: 1,
            ..Style::of(Ink::PRINT.text).dashed(true)
        },
        points: vec![Point::at(0.0, 0.0), Point::at(1.0, 1.0)],
    };
    let panel = |name: &str, lines: Vec<Line>| Panel {
        title: None,
        x: Axis::share("confidence").with_labels(6),
        y: Axis::share(name).with_labels(6),
        lines,
    };
    let reliable = [diagonal].into_iter().chain(lines(right)).collect();
    let entry = |(place, (name, reliability)): (usize, &&(&str, Reliability))| Entry {
        style: Some(style(place)),
        text: format!("{name}, ECE {:.3}", reliability.expected_error()),
    };
    Chart {
        title: Some("Confidence of the preset best against what is right".to_owned()),
        panels: vec![
            panel("share right", reliable),
            panel("share of the pairs", lines(counts)),
        ],
        columns: 2,
        size: PANEL,
        legend: groups.iter().enumerate().map(entry).collect(),
        place: LegendPlace::Beside(LEGEND),
        ink: Ink::PRINT,
    }
    .svg()
}

/// The share that is right by mean confidence, for each bin that has pairs.
fn right(reliability: &Reliability) -> Vec<Point> {
    let bins = reliability.bins.iter().filter(|bin| bin.count > 0);
    bins.map(|bin| Point::at(bin.mean_confidence(), bin.share_right()))
        .collect()
}

/// The share of the pairs by bin.
fn counts(reliability: &Reliability) -> Vec<Point> {
    let total = reliability.total().count as f64;
    let bins = reliability.bins.iter().enumerate();
    bins.map(|(k, bin)| Point::at((k as f64 + 0.5) / BINS as f64, bin.count as f64 / total))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_with_pairs_has_its_line() {
        let mut some = Reliability::default();
        for k in 0..20 {
            some.add(f64::from(k) / 20.0, k % 3 == 0);
        }
        let groups = [
            ("noise", some),
            ("none", Reliability::default()),
            ("all", some),
        ];
        let svg = reliability_plot(&groups).unwrap();
        for word in ["noise, ECE", "all, ECE", "confidence", "share right"] {
            assert!(svg.contains(word), "{word}");
        }
        assert!(!svg.contains("none") || !svg.contains("none, ECE"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(svg.trim_end().ends_with("</svg>"));
        assert!(reliability_plot(&groups[1..2]).is_err());
    }
}
