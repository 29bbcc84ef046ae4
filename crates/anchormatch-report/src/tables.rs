//! The tables: runs, pairs, unmatched nodes, timings, parameters.

use std::fmt::{Result, Write};

use anchormatch::matching::Pair;

use super::page::status;
use super::picture::{level, run_attributes};
use super::text::{Coordinate, Escaped, count, duration, number, percent};
use super::{ScoredRun, Verdict, View, titles};

/// At most so many pairs of one run are listed.
const MOST_ROWS: usize = 5_000;
/// Pairs listed of all runs together, roughly.
const MOST_ROWS_TOGETHER: usize = 15_000;
/// At most so many unmatched nodes are named on each side.
const MOST_UNMATCHED: usize = 500;

/// One row for each run.
pub(super) fn runs(out: &mut String, view: &View<'_>) -> Result {
    let scored = view.runs.iter().any(|run| run.score.is_some());
    out.push_str("<section>\n<h2>Runs</h2>\n<div class=\"scroll\">\n<table class=\"sortable runs\">\n<thead><tr>");
    heading(out, "run", "text")?;
    if scored {
        heading(out, "accuracy", "number")?;
        heading(out, "right", "number")?;
    }
    for name in ["objective", "iterations"] {
        heading(out, name, "number")?;
    }
    heading(out, "status", "text")?;
    heading(out, "time", "number")?;
    out.push_str("</tr></thead>\n<tbody>\n");
    for (k, run) in view.runs.iter().enumerate() {
        write!(
            out,
            "<tr data-row=\"{k}\"{}><th scope=\"row\">{}</th>",
            if k == view.best {
                " class=\"current\""
            } else {
                ""
            },
            Escaped(run.name)
        )?;
        if scored {
            match run.accuracy() {
                Some(accuracy) => write!(
                    out,
                    "<td class=\"n gauge\" data-v=\"{accuracy}\"><span class=\"track\"><span class=\"bar\" style=\"width:{}%\"></span></span><span class=\"figure\">{}</span></td>",
                    Coordinate(100.0 * accuracy.clamp(0.0, 1.0)),
                    percent(accuracy)
                )?,
                None => out.push_str("<td class=\"n\">–</td>"),
            }
            match run.score {
                Some(score) => write!(
                    out,
                    "<td class=\"n\" data-v=\"{}\">{} / {}</td>",
                    score.right,
                    count(score.right),
                    count(score.asked)
                )?,
                None => out.push_str("<td class=\"n\">–</td>"),
            }
        }
        let matching = run.matching;
        number_cell(out, matching.objective, &number(matching.objective, 6))?;
        number_cell(out, matching.iterations as f64, &count(matching.iterations))?;
        write!(out, "<td>{}</td>", status(run).0)?;
        if matching.timings.is_empty() {
            out.push_str("<td class=\"n\">–</td>");
        } else {
            number_cell(out, run.seconds(), &duration(run.seconds()))?;
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n</section>\n");
    Ok(())
}

/// The pairs of every run, one table each; the scripts add sorting and the filter.
pub(super) fn pairs(out: &mut String, view: &View<'_>) -> Result {
    out.push_str(
        "<section>\n<h2>Pairs</h2>\n<p class=\"filter\" hidden=\"\"><label>Filter \
         <input id=\"filter\" type=\"search\" placeholder=\"an id, “wrong”, “anchor” …\" autocomplete=\"off\"/></label> \
         <output id=\"found\" for=\"filter\"></output></p>\n",
    );
    let most = (MOST_ROWS_TOGETHER / view.runs.len()).clamp(100, MOST_ROWS);
    for (k, run) in view.runs.iter().enumerate() {
        writeln!(out, "<div {}>", run_attributes(view, k))?;
        let pairs = &run.matching.pairs;
        if pairs.is_empty() {
            out.push_str("<p class=\"fine\">No pair was matched.</p>\n</div>\n");
            continue;
        }
        pair_table(out, view, run, &pairs[..pairs.len().min(most)])?;
        if pairs.len() > most {
            writeln!(
                out,
                "<p class=\"fine\">The first {} of {} pairs; the output file has them all.</p>",
                count(most),
                count(pairs.len())
            )?;
        }
        out.push_str("</div>\n");
    }
    out.push_str("</section>\n");
    Ok(())
}

fn pair_table(out: &mut String, view: &View<'_>, run: &ScoredRun<'_>, pairs: &[Pair]) -> Result {
    let others: Vec<String> = pairs
        .iter()
        .map(|pair| titles::others(view, run, pair.source, Some(pair.target)))
        .collect();
    let doubtful = others.iter().any(|words| !words.is_empty());
    out.push_str(
        "<div class=\"scroll tall\" role=\"region\" aria-label=\"Pairs\" tabindex=\"0\">\n\
         <table class=\"sortable pairs\">\n<thead><tr>",
    );
    for (name, kind) in [
        ("source", "text"),
        ("target", "text"),
        ("confidence", "number"),
        ("anchor", "text"),
    ] {
        heading(out, name, kind)?;
    }
    if view.truth.is_some() {
        heading(out, "verdict", "text")?;
        heading(out, "truth", "text")?;
    }
    if doubtful {
        heading(out, "or else", "text")?;
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (pair, others) in pairs.iter().zip(&others) {
        write!(
            out,
            "<tr data-s=\"{}\" data-t=\"{}\" data-c=\"{}\"><td>{}</td><td>{}</td>",
            pair.source,
            pair.target,
            level(pair),
            Escaped(&view.source_label(pair.source)),
            Escaped(&view.target_label(pair.target))
        )?;
        confidence_cell(out, pair.confidence)?;
        out.push_str(if pair.anchor {
            "<td class=\"a\">anchor</td>"
        } else {
            "<td></td>"
        });
        if let Some(truth) = &view.truth {
            out.push_str(match view.verdict(pair) {
                Some(Verdict::Right) => "<td class=\"r\">right</td>",
                Some(Verdict::Wrong) => "<td class=\"w\">wrong</td>",
                _ => "<td class=\"o\">not in the truth</td>",
            });
            match truth.get(&pair.source) {
                Some(&a) => write!(out, "<td>{}</td>", Escaped(&view.target_label(a)))?,
                None => out.push_str("<td></td>"),
            }
        }
        if doubtful {
            write!(out, "<td>{}</td>", Escaped(others))?;
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    Ok(())
}

/// The nodes that a run left alone, by name.
pub(super) fn unmatched(out: &mut String, view: &View<'_>, run: &ScoredRun<'_>) -> Result {
    let matching = run.matching;
    if matching.unmatched_source.is_empty() && matching.unmatched_target.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section>\n<h2>Unmatched {}</h2>", view.noun()[1])?;
    for (side, nodes) in [
        (&view.report.source, &matching.unmatched_source),
        (&view.report.target, &matching.unmatched_target),
    ] {
        if nodes.is_empty() {
            continue;
        }
        write!(
            out,
            "<p class=\"ids\"><b>{}</b> ({}): ",
            Escaped(&side.name),
            count(nodes.len())
        )?;
        for &i in nodes.iter().take(MOST_UNMATCHED) {
            write!(
                out,
                "<code>{}</code> ",
                Escaped(&side.graph.labels().get(i))
            )?;
        }
        if nodes.len() > MOST_UNMATCHED {
            write!(out, "and {} more", count(nodes.len() - MOST_UNMATCHED))?;
        }
        out.push_str("</p>\n");
    }
    out.push_str("</section>\n");
    Ok(())
}

/// Seconds by stage, as bars.
pub(super) fn timings(out: &mut String, run: &ScoredRun<'_>) -> Result {
    let timings = &run.matching.timings;
    if timings.is_empty() {
        return Ok(());
    }
    let longest = timings
        .iter()
        .map(|t| t.1)
        .filter(|s| s.is_finite())
        .fold(0.0f64, f64::max);
    out.push_str("<section>\n<h2>Time by stage</h2>\n<table class=\"timings\">\n<tbody>\n");
    for (stage, seconds) in timings {
        let share = if longest > 0.0 && seconds.is_finite() {
            (seconds / longest).clamp(0.0, 1.0)
        } else {
            0.0
        };
        writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"wide\"><span class=\"track\"><span class=\"bar\" style=\"width:{}%\"></span></span></td><td class=\"n\">{}</td></tr>",
            Escaped(stage),
            Coordinate(100.0 * share),
            duration(*seconds)
        )?;
    }
    writeln!(
        out,
        "</tbody>\n<tfoot><tr><th scope=\"row\">total</th><td></td><td class=\"n\">{}</td></tr></tfoot>\n</table>\n</section>",
        duration(run.seconds())
    )
}

/// Every parameter that the run used.
pub(super) fn parameters(out: &mut String, run: &ScoredRun<'_>) -> Result {
    if run.matching.parameters.is_empty() {
        return Ok(());
    }
    out.push_str("<section>\n<h2>Parameters</h2>\n<table class=\"parameters\">\n<tbody>\n");
    for (name, value) in &run.matching.parameters {
        writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>",
            Escaped(name),
            Escaped(value)
        )?;
    }
    out.push_str("</tbody>\n</table>\n</section>\n");
    Ok(())
}

/// A column's head; the script turns it into a button that sorts.
fn heading(out: &mut String, name: &str, kind: &str) -> Result {
    let class = if kind == "number" { " class=\"n\"" } else { "" };
    write!(
        out,
        "<th scope=\"col\" data-kind=\"{kind}\"{class}>{name}</th>"
    )
}

fn number_cell(out: &mut String, value: f64, shown: &str) -> Result {
    if value.is_finite() {
        write!(out, "<td class=\"n\" data-v=\"{value}\">{shown}</td>")
    } else {
        write!(out, "<td class=\"n\">{shown}</td>")
    }
}

fn confidence_cell(out: &mut String, confidence: f64) -> Result {
    let shown = if confidence.is_finite() {
        format!("{confidence:.3}")
    } else {
        "not finite".into()
    };
    number_cell(out, confidence, &shown)
}
