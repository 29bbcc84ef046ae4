//! Charts by plotters.

use std::error::Error as StdError;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use super::{Chart, Colour, Ink, LegendPlace, Line, Mark, Panel, Style};

/// Pixels of a title above all, of one above a panel, and of a line of the legend.
const TITLE: u32 = 34;
const HEADING: u32 = 22;
const ROW: u32 = 20;
/// The width of a column of a legend below.
const COLUMN: u32 = 150;

/// What drawing can fail with.
type Drawn = Result<(), Box<dyn StdError>>;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub(super) fn chart(svg: &mut String, chart: &Chart) -> Drawn {
    let columns = chart.columns.clamp(1, chart.panels.len());
    let rows = chart.panels.len().div_ceil(columns);
    let (width, height) = (columns as u32 * chart.size.0, rows as u32 * chart.size.1);
    let entries = chart.legend.len() as u32;
    let in_row = (width / COLUMN).max(1);
    let (right, below) = match chart.place {
        _ if entries == 0 => (0, 0),
        // A long legend must not be cut off by a short picture.
        LegendPlace::Beside(right) => (right, (ROW * (entries + 2)).saturating_sub(height)),
        LegendPlace::Below => (0, ROW * entries.div_ceil(in_row) + 12),
    };
    let above = if chart.title.is_some() { TITLE } else { 0 };
    let size = (width + right, above + height + below);
    let root = SVGBackend::with_string(svg, size).into_drawing_area();
    if let Some(paper) = chart.ink.paper {
        root.fill(&rgb(paper))?;
    }
    let (title, rest) = root.split_vertically(above);
    if let Some(text) = &chart.title {
        title.draw(&label(text, (14, 10), 17, chart.ink))?;
    }
    let (panels, legend) = match chart.place {
        LegendPlace::Beside(_) => rest.split_horizontally(width),
        LegendPlace::Below => rest.split_vertically(height),
    };
    let (panels, _) = panels.split_vertically(height);
    for (area, panel) in panels
        .split_evenly((rows, columns))
        .iter()
        .zip(&chart.panels)
    {
        one(area, panel, chart.ink)?;
    }
    for (k, entry) in chart.legend.iter().enumerate() {
        let (x, y) = match chart.place {
            LegendPlace::Beside(_) => (10, ROW * (k as u32 + 1)),
            LegendPlace::Below => (
                60 + COLUMN * (k as u32 % in_row),
                10 + ROW * (k as u32 / in_row),
            ),
        };
        let (x, y) = (x as i32, y as i32);
        let mut indent = 0;
        if let Some(style) = entry.style {
            sample(&legend, style, (x, y))?;
            indent = 36;
        }
        legend.draw(&label(&entry.text, (x + indent, y - 6), 13, chart.ink))?;
    }
    root.present()?;
    Ok(())
}

/// A piece of a line for the legend.
fn sample(area: &Area<'_>, style: Style, (x, y): (i32, i32)) -> Drawn {
    let stroke = rgb(style.colour).stroke_width(style.width);
    let piece = |from: i32, to: i32| PathElement::new(vec![(x + from, y), (x + to, y)], stroke);
    if style.dashed {
        for from in [0, 12, 24] {
            area.draw(&piece(from, from + 6))?;
        }
    } else {
        area.draw(&piece(0, 30))?;
    }
    let at = (x + 15, y);
    match style.mark {
        Mark::Plain => {}
        Mark::Dot | Mark::Disc => area.draw(&disc(at, style))?,
        Mark::Triangle => area.draw(&triangle(at, style))?,
        Mark::Cross => area.draw(&cross(at, style))?,
    }
    Ok(())
}

fn one(area: &Area<'_>, panel: &Panel, ink: Ink) -> Drawn {
    let heading = if panel.title.is_some() { HEADING } else { 0 };
    let (title, area) = area.split_vertically(heading);
    if let Some(text) = &panel.title {
        title.draw(&label(text, (60, 8), 14, ink))?;
    }
    let range = panel.y.range.clone();
    if panel.y.logarithmic {
        coordinates(&area, panel, range.log_scale(), ink)
    } else {
        coordinates(&area, panel, range, ink)
    }
}

fn coordinates<Y>(area: &Area<'_>, panel: &Panel, y_range: Y, ink: Ink) -> Drawn
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let (x, y) = (&panel.x, &panel.y);
    let mut chart = ChartBuilder::on(area)
        .margin(7)
        .margin_right(15)
        .x_label_area_size(39)
        .y_label_area_size(58)
        .build_cartesian_2d(x.range.clone(), y_range)?;
    let (text, mesh) = (rgb(ink.text), rgb(ink.mesh));
    let mut lines = chart.configure_mesh();
    if !x.mesh {
        lines.disable_x_mesh();
    }
    if !y.mesh {
        lines.disable_y_mesh();
    }
    lines
        .x_labels(x.labels)
        .y_labels(y.labels)
        .x_label_formatter(&|value| (x.format)(*value))
        .y_label_formatter(&|value| (y.format)(*value))
        .x_desc(x.name.as_str())
        .y_desc(y.name.as_str())
        .label_style(("sans-serif", 12).into_font().color(&text))
        .axis_desc_style(("sans-serif", 13).into_font().color(&text))
        .axis_style(text)
        .bold_line_style(mesh)
        .light_line_style(TRANSPARENT)
        .draw()?;
    for Line { style, points } in &panel.lines {
        let style = *style;
        let inside = |value: f64| value.clamp(y.range.start, y.range.end);
        let shown = || points.iter().filter(|p| x.takes(p.x) && y.takes(p.y));
        let places: Vec<(f64, f64)> = shown().map(|p| (p.x, inside(p.y))).collect();
        chart.draw_series(shown().filter_map(|p| {
            let (low, high) = p.bar.filter(|(low, high)| low < high)?;
            let colour = rgb(style.colour);
            let (low, high) = (inside(low), inside(high));
            Some(ErrorBar::new_vertical(
                p.x,
                low,
                inside(p.y),
                high,
                colour,
                4,
            ))
        }))?;
        let stroke = rgb(style.colour).stroke_width(style.width);
        if style.dashed {
            chart.draw_series(DashedLineSeries::new(places.clone(), 6, 4, stroke))?;
        } else {
            chart.draw_series(LineSeries::new(places.clone(), stroke))?;
        }
        let marks = places.into_iter();
        match style.mark {
            Mark::Plain => {}
            Mark::Dot | Mark::Disc => {
                chart.draw_series(marks.map(|at| disc(at, style)))?;
            }
            Mark::Triangle => {
                chart.draw_series(marks.map(|at| triangle(at, style)))?;
            }
            Mark::Cross => {
                chart.draw_series(marks.map(|at| cross(at, style)))?;
            }
        }
    }
    Ok(())
}

fn disc<C>(at: C, style: Style) -> Circle<C, i32> {
    let radius = if style.mark == Mark::Dot { 2 } else { 3 };
    Circle::new(at, radius, rgb(style.colour).filled())
}

fn triangle<C>(at: C, style: Style) -> TriangleMarker<C, i32> {
    TriangleMarker::new(at, 5, rgb(style.colour).filled())
}

fn cross<C>(at: C, style: Style) -> Cross<C, i32> {
    Cross::new(at, 4, rgb(style.colour).stroke_width(2))
}

fn label(text: &str, at: (i32, i32), size: u32, ink: Ink) -> Text<'_, (i32, i32), &str> {
    let font = ("sans-serif", size).into_font().color(&rgb(ink.text));
    Text::new(text, at, font)
}

fn rgb(Colour(red, green, blue): Colour) -> RGBColor {
    RGBColor(red, green, blue)
}
