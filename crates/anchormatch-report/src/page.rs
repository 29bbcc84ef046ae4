//! The page around the picture: head, key numbers, plots and details.

use std::fmt::{Result, Write};

use anchormatch::matching::Measure;

use super::picture::{self, run_attributes};
use super::plots::Plot;
use super::scene::Scene;
use super::tables;
use super::text::{Escaped, count, duration, number, percent};
use super::{ScoredRun, View};

const STYLE: &str = include_str!("assets/style.css");
/// The marks of the standings, which the studio has as well.
const MARKS: &str = include_str!("assets/marks.css");
/// The palette that the studio has as well.
const LIGHT: &str = include_str!("assets/palette-light.css");
const DARK: &str = include_str!("assets/palette-dark.css");
/// Built of the sources of the studio's page, with which it shares the drawing.
const PICTURE_SCRIPT: &str = include_str!("assets/picture.js");
const EXPORT_SCRIPT: &str = include_str!("assets/export.js");
const TABLE_SCRIPT: &str = include_str!("assets/table.js");

/// Writes the whole page; `plots` has one list for each run.
pub(super) fn write(
    out: &mut String,
    view: &View<'_>,
    scene: &Scene,
    plots: &[Vec<Plot>],
) -> Result {
    let report = view.report;
    let title = Escaped(&report.title);
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{title}</title>\n\
         <style>\n:root {{\n{LIGHT}}}\n{STYLE}{MARKS}\
         @media screen and (prefers-color-scheme: dark) {{ :root {{\n{DARK}}} }}\n</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{title}</h1>\n\
         <p class=\"lead\"><b class=\"source\">{}</b> matched with <b class=\"target\">{}</b></p>\n",
        Escaped(&report.source.name),
        Escaped(&report.target.name)
    )?;
    if let Some(command) = &report.command {
        writeln!(
            out,
            "<pre class=\"command\"><code>{}</code></pre>",
            Escaped(command)
        )?;
    }
    out.push_str("</header>\n");
    if view.runs.len() > 1 {
        tables::runs(out, view)?;
    }
    for (k, run) in view.runs.iter().enumerate() {
        key_numbers(out, view, k, run)?;
    }
    out.push_str("<section>\n<h2>The match</h2>\n");
    switch(out, view)?;
    picture::write(out, view, scene)?;
    out.push_str("</section>\n");
    tables::pairs(out, view)?;
    for (k, run) in view.runs.iter().enumerate() {
        writeln!(out, "<div {}>", run_attributes(view, k))?;
        tables::unmatched(out, view, run)?;
        notes(out, run)?;
        curves(out, view, &plots[k])?;
        out.push_str("<div class=\"columns\">\n");
        tables::timings(out, run)?;
        tables::parameters(out, run)?;
        out.push_str("</div>\n</div>\n");
    }
    write!(
        out,
        "</main>\n<footer>anchormatch {}</footer>\n<script>\n{PICTURE_SCRIPT}</script>\n\
         <script>\n{TABLE_SCRIPT}</script>\n<script>\n{EXPORT_SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// Buttons that switch among the runs; shown by the script that makes them work.
fn switch(out: &mut String, view: &View<'_>) -> Result {
    if view.runs.len() < 2 {
        return Ok(());
    }
    out.push_str("<div class=\"switch\" role=\"group\" aria-label=\"Run\" hidden=\"\">\n");
    for (k, run) in view.runs.iter().enumerate() {
        writeln!(
            out,
            "<button type=\"button\" data-pick=\"{k}\" aria-pressed=\"{}\">{}</button>",
            k == view.best,
            Escaped(run.name)
        )?;
    }
    out.push_str("</div>\n");
    Ok(())
}

fn key_numbers(out: &mut String, view: &View<'_>, k: usize, run: &ScoredRun<'_>) -> Result {
    let (source, target) = (view.report.source.graph, view.report.target.graph);
    let matching = run.matching;
    let both = |left: usize, right: usize| {
        if left == right {
            count(left)
        } else {
            format!("{} · {}", count(left), count(right))
        }
    };
    let free: Vec<f64> = matching
        .pairs
        .iter()
        .filter(|p| !p.anchor)
        .map(|p| p.confidence)
        .collect();
    writeln!(out, "<dl class=\"numbers\" {}>", run_attributes(view, k))?;
    let mut card = |name: &str, value: &str, detail: &str, class: &str| {
        writeln!(
            out,
            "<div class=\"{class}\"><dt>{name}</dt><dd>{}<small>{}</small></dd></div>",
            Escaped(value),
            Escaped(detail)
        )
    };
    match (run.score, run.accuracy()) {
        (Some(score), Some(accuracy)) => card(
            "accuracy",
            &percent(accuracy),
            &format!("{} of {} right", count(score.right), count(score.asked)),
            "card main",
        )?,
        (Some(_), None) => card("accuracy", "–", "only anchors in the truth", "card main")?,
        _ if !free.is_empty() => card(
            "confidence",
            &number(free.iter().sum::<f64>() / free.len() as f64, 3),
            "mean, no truth given",
            "card main",
        )?,
        _ => {}
    }
    if let (None, Some(expected)) = (run.score, matching.expected()) {
        let sides = [expected.precision, expected.recall].map(percent);
        card("expected", &sides.join(" · "), "precision · recall", "card")?;
    }
    card("matched", &count(free.len()), "pairs found", "card")?;
    card("anchors", &count(run.anchors()), "given", "card")?;
    let lone = (
        matching.unmatched_source.len(),
        matching.unmatched_target.len(),
    );
    card(
        "unmatched",
        &both(lone.0, lone.1),
        if lone.0 == lone.1 {
            "on each side"
        } else {
            "source · target"
        },
        "card",
    )?;
    let sides = |equal| {
        if equal {
            if view.are_points() {
                "in each set"
            } else {
                "in each graph"
            }
        } else {
            "source · target"
        }
    };
    card(
        view.noun()[1],
        &both(source.node_count(), target.node_count()),
        sides(source.node_count() == target.node_count()),
        "card",
    )?;
    // Points have distances, all of them, and no edges to speak of.
    if !view.are_points() {
        card(
            "edges",
            &both(source.edge_count(), target.edge_count()),
            sides(source.edge_count() == target.edge_count()),
            "card",
        )?;
    }
    if let Some(map) = matching.model.first() {
        // The first word of the family, and what makes it a special one.
        let name = map.family.as_str();
        let (family, kind) = name.split_once(", ").unwrap_or((name, ""));
        let sure = format!("{:.0}\u{202f}% sure", (100.0 * map.probability).floor());
        let detail = match kind {
            "" => sure,
            kind => format!("{kind} · {sure}"),
        };
        card("map", family, &detail, "card word")?;
    }
    let unit = match matching.measure {
        Measure::Evidence => "nats",
        _ => "xᵀWx",
    };
    card("objective", &number(matching.objective, 5), unit, "card")?;
    let (status, class) = status(run);
    card(
        "status",
        status,
        &format!(
            "{} iteration{}",
            count(matching.iterations),
            if matching.iterations == 1 { "" } else { "s" }
        ),
        class,
    )?;
    if !matching.timings.is_empty() {
        card("time", &duration(run.seconds()), "all stages", "card")?;
    }
    out.push_str("</dl>\n");
    Ok(())
}

/// A run's status in words, and the class of its card.
pub(super) fn status(run: &ScoredRun<'_>) -> (&'static str, &'static str) {
    use anchormatch::solver::Status;
    match run.matching.status {
        Status::Converged => ("converged", "card word"),
        Status::IterationLimit => ("iteration limit", "card word"),
        Status::TimeLimit => ("time limit", "card word warned"),
        Status::Cancelled => ("cancelled", "card word warned"),
    }
}

fn notes(out: &mut String, run: &ScoredRun<'_>) -> Result {
    if run.matching.notes.is_empty() {
        return Ok(());
    }
    out.push_str("<section>\n<h2>Notes</h2>\n<ul class=\"notes\">\n");
    for note in &run.matching.notes {
        writeln!(out, "<li>{}</li>", Escaped(&note.to_string()))?;
    }
    out.push_str("</ul>\n</section>\n");
    Ok(())
}

fn curves(out: &mut String, view: &View<'_>, plots: &[Plot]) -> Result {
    if plots.is_empty() {
        return Ok(());
    }
    out.push_str("<section>\n<h2>Curves</h2>\n<div class=\"plots\">\n");
    for plot in plots {
        writeln!(out, "<figure class=\"plot\">\n<h3>{}</h3>", plot.title)?;
        out.push_str(&plot.svg);
        out.push_str("<figcaption>");
        if plot.compares {
            write!(
                out,
                "<span class=\"swatch source\"></span>{} <span class=\"swatch target\"></span>{}<br/>",
                Escaped(&view.report.source.name),
                Escaped(&view.report.target.name)
            )?;
        }
        writeln!(out, "{}</figcaption>\n</figure>", plot.caption)?;
    }
    out.push_str("</div>\n</section>\n");
    Ok(())
}
