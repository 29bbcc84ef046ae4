//! Reliability as a picture: the share that is right against the confidence, and how many pairs there
//! are of each confidence.

use std::error::Error as StdError;

use anchormatch::{Error, Result};
use plotters::coord::Shift;
use plotters::prelude::*;

use super::calibration::{BINS, Reliability};
use crate::experiments::solvers::{COLOURS, INK, MESH};

const PANEL: (u32, u32) = (460, 430);
const LEGEND: u32 = 150;
const TITLE: u32 = 34;

/// What drawing can fail with.
type Drawn = std::result::Result<(), Box<dyn StdError>>;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

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
    let mut svg = String::new();
    draw(&mut svg, &groups)
        .map_err(|error| Error::Numerics(format!("the plot of the reliability: {error}")))?;
    Ok(svg)
}

fn draw(svg: &mut String, groups: &[&(&str, Reliability)]) -> Drawn {
    let size = (2 * PANEL.0 + LEGEND, PANEL.1 + TITLE);
    let root = SVGBackend::with_string(svg, size).into_drawing_area();
    root.fill(&WHITE)?;
    let (title, below) = root.split_vertically(TITLE);
    title.draw(&Text::new(
        "Confidence of the preset best against what is right",
        (14, 10),
        ("sans-serif", 17).into_font().color(&INK),
    ))?;
    let (panels, legend) = below.split_horizontally(2 * PANEL.0);
    let cells = panels.split_evenly((1, 2));
    let right = |r: &Reliability| -> Vec<(f64, f64)> {
        let bins = r.bins.iter().filter(|bin| bin.count > 0);
        bins.map(|bin| (bin.mean_confidence(), bin.share_right()))
            .collect()
    };
    let counts = |r: &Reliability| -> Vec<(f64, f64)> {
        let total = r.total().count as f64;
        let bins = r.bins.iter().enumerate();
        bins.map(|(k, bin)| ((k as f64 + 0.5) / BINS as f64, bin.count as f64 / total))
            .collect()
    };
    panel(&cells[0], "share right", groups, right, true)?;
    panel(&cells[1], "share of the pairs", groups, counts, false)?;
    explain(&legend, groups)?;
    root.present()?;
    Ok(())
}

fn panel(
    area: &Area<'_>,
    name: &str,
    groups: &[&(&str, Reliability)],
    points: impl Fn(&Reliability) -> Vec<(f64, f64)>,
    diagonal: bool,
) -> Drawn {
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .margin_right(14)
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d(-0.02..1.02, -0.02..1.02)?;
    chart
        .configure_mesh()
        .x_labels(6)
        .y_labels(6)
        .x_label_formatter(&|x| format!("{x:.1}"))
        .y_label_formatter(&|y| format!("{y:.1}"))
        .x_desc("confidence")
        .y_desc(name)
        .label_style(("sans-serif", 12).into_font().color(&INK))
        .axis_desc_style(("sans-serif", 13).into_font().color(&INK))
        .axis_style(INK)
        .bold_line_style(MESH)
        .light_line_style(TRANSPARENT)
        .draw()?;
    if diagonal {
        let ends = [(0.0, 0.0), (1.0, 1.0)];
        chart.draw_series(DashedLineSeries::new(ends, 5, 4, INK.stroke_width(1)))?;
    }
    for (place, (_, reliability)) in groups.iter().enumerate() {
        let points = points(reliability);
        let style = style(place, groups.len());
        chart.draw_series(LineSeries::new(points.clone(), style))?;
        let marks = points.into_iter();
        chart.draw_series(marks.map(|at| Circle::new(at, 3, style.color.filled())))?;
    }
    Ok(())
}

/// Names and expected calibration errors beside their lines.
fn explain(area: &Area<'_>, groups: &[&(&str, Reliability)]) -> Drawn {
    for (place, (name, reliability)) in groups.iter().enumerate() {
        let y = 20 + 20 * place as i32;
        let line = vec![(6, y), (30, y)];
        area.draw(&PathElement::new(line, style(place, groups.len())))?;
        let font = ("sans-serif", 13).into_font().color(&INK);
        let text = format!("{name}, ECE {:.3}", reliability.expected_error());
        area.draw(&Text::new(text, (36, y - 6), font))?;
    }
    Ok(())
}

fn style(place: usize, count: usize) -> ShapeStyle {
    if place + 1 == count {
        BLACK.stroke_width(3)
    } else {
        COLOURS[place % COLOURS.len()].stroke_width(2)
    }
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
