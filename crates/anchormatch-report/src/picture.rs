//! The picture: both graphs side by side with their match lines, as inline SVG.

use std::collections::HashSet;
use std::fmt::{Result, Write};

use anchormatch::matching::Pair;

use super::overlay::Overlay;
use super::scene::{Panel, Scene, WIDTH};
use super::text::{Coordinate, Escaped, count};
use super::{ScoredRun, Side, Standing, Verdict, View, controls, rules, titles};

/// Writes the figure with its legend and captions.
pub(super) fn write(out: &mut String, view: &View<'_>, scene: &Scene) -> Result {
    let report = view.report;
    let overlays: Vec<Option<Overlay>> = view
        .runs
        .iter()
        .map(|run| Overlay::of(scene, run))
        .collect();
    out.push_str("<figure class=\"picture\">\n");
    let any = |has: fn(&Overlay) -> bool| overlays.iter().flatten().any(has);
    let has = |layer: &str| match layer {
        "grid" => any(|overlay| !overlay.grid.is_empty()),
        "epipolar" => any(|overlay| !overlay.epipolar.is_empty()),
        "ellipses" => any(|overlay| !overlay.ellipses.is_empty()),
        "images" => scene.source.image.is_some() || scene.target.image.is_some(),
        _ => true,
    };
    // Along epipolar lines ellipses are long, and all of them at once are a thicket.
    let off: &[&str] = if has("epipolar") { &["ellipses"] } else { &[] };
    controls::write(out, view, has, off)?;
    let class = match off {
        [] => String::new(),
        layers => format!(" class=\"no-{}\"", layers.join(" no-")),
    };
    writeln!(
        out,
        "<svg id=\"picture\"{class} viewBox=\"0 0 {} {}\" role=\"img\" tabindex=\"0\" \
         aria-label=\"{} matched with {}\">",
        Coordinate(WIDTH),
        Coordinate(scene.height),
        Escaped(&report.source.name),
        Escaped(&report.target.name)
    )?;
    for (panel, side, class) in [
        (&scene.source, &report.source, "source"),
        (&scene.target, &report.target, "target"),
    ] {
        writeln!(
            out,
            "<text class=\"name {class}\" x=\"{}\" y=\"20\">{}</text>",
            Coordinate(panel.middle),
            Escaped(&side.name)
        )?;
        image(out, panel, side)?;
        edges(out, panel, class)?;
    }
    for (k, overlay) in overlays.iter().enumerate() {
        if let Some(overlay) = overlay {
            overlay.write(out, view, k)?;
        }
    }
    for (k, run) in view.runs.iter().enumerate() {
        lines(out, view, scene, k, run)?;
    }
    nodes(out, &scene.source, "source", &|i| {
        view.source_label(i).into_owned()
    })?;
    nodes(out, &scene.target, "target", &|a| {
        view.target_label(a).into_owned()
    })?;
    for (k, run) in view.runs.iter().enumerate() {
        marks(out, view, scene, k, run)?;
    }
    out.push_str(
        "</svg>\n<p id=\"readout\" class=\"readout\" aria-live=\"polite\"></p>\n<figcaption>\n",
    );
    for (k, run) in view.runs.iter().enumerate() {
        legend(out, view, k, run, overlays[k].as_ref())?;
    }
    if !scene.captions.is_empty() {
        writeln!(
            out,
            "<p class=\"fine\">{}.</p>",
            Escaped(&scene.captions.join(" · "))
        )?;
    }
    out.push_str("</figcaption>\n</figure>\n");
    Ok(())
}

/// `data-run` for the part of run `k`, hidden unless it is the one shown first.
pub(super) fn run_attributes(view: &View<'_>, k: usize) -> String {
    let hidden = if k == view.best { "" } else { " hidden=\"\"" };
    format!("data-run=\"{k}\"{hidden}")
}

/// The image under a panel's points.
fn image(out: &mut String, panel: &Panel, side: &Side<'_>) -> Result {
    let (Some(image), Some(place)) = (side.image, panel.image) else {
        return Ok(());
    };
    let [x, y, width, height] = place.map(Coordinate);
    writeln!(
        out,
        "<g class=\"layer images\"><image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
         preserveAspectRatio=\"none\" href=\"{}\"/></g>",
        image.address()
    )
}

fn edges(out: &mut String, panel: &Panel, side: &str) -> Result {
    if panel.edges.is_empty() {
        return Ok(());
    }
    let opacity = rules::edge_opacity(panel.edges.len());
    write!(
        out,
        "<path class=\"edges\" data-side=\"{side}\" stroke-opacity=\"{opacity:.2}\" d=\""
    )?;
    for &(u, v) in &panel.edges {
        let ([x1, y1], [x2, y2]) = (panel.places[u], panel.places[v]);
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(Coordinate);
        write!(out, "M{x1} {y1}L{x2} {y2}")?;
    }
    out.push_str("\"/>\n");
    Ok(())
}

fn lines(
    out: &mut String,
    view: &View<'_>,
    scene: &Scene,
    k: usize,
    run: &ScoredRun<'_>,
) -> Result {
    let lines = scene.lines(view, &run.matching.pairs);
    writeln!(out, "<g class=\"layer lines\" {}>", run_attributes(view, k))?;
    let suspicious = Standing::suspicious(run.matching);
    // Lines that look the same and lie beside each other in the order of drawing share their looks.
    for bundle in lines.chunk_by(|p, q| {
        let [p, q] = [p, q].map(|pair| class(view, pair, &suspicious));
        p == q
    }) {
        let (class, standing) = class(view, bundle[0], &suspicious);
        let (width, opacity) = standing.line(lines.len());
        writeln!(
            out,
            "<g class=\"bundle\" data-strength=\"{}\" stroke-width=\"{width}\" stroke-opacity=\"{opacity:.2}\">",
            standing.strength()
        )?;
        for pair in bundle {
            let [x1, y1] = scene.source.places[pair.source].map(Coordinate);
            let [x2, y2] = scene.target.places[pair.target].map(Coordinate);
            writeln!(
                out,
                "<line class=\"m {class}\" data-s=\"{}\" data-t=\"{}\" data-c=\"{}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" \
                 y2=\"{y2}\"><title>{}</title></line>",
                pair.source,
                pair.target,
                level(pair),
                Escaped(&titles::of_pair(view, run, pair))
            )?;
        }
        out.push_str("</g>\n");
    }
    out.push_str("</g>\n");
    Ok(())
}

/// Where a truth is known lines say what it says, else how the pair stands; and whose width and strength they have.
fn class(view: &View<'_>, pair: &Pair, suspicious: &HashSet<usize>) -> (&'static str, Standing) {
    match (pair.anchor, view.verdict(pair)) {
        (true, Some(Verdict::Wrong)) => ("anchor mistaken", Standing::Suspicious),
        (true, Some(_)) => ("anchor", Standing::Anchor),
        (false, Some(Verdict::Right)) => ("right", Standing::Sure),
        (false, Some(Verdict::Wrong)) => ("wrong", Standing::Suspicious),
        (false, Some(Verdict::Open)) => ("open", Standing::Doubtful),
        (_, None) => {
            let standing = Standing::of(pair, suspicious);
            (standing.name(), standing)
        }
    }
}

/// The confidence that the slider compares; what is not finite is none.
pub(super) fn level(pair: &Pair) -> f64 {
    match (pair.anchor, pair.confidence) {
        (true, _) => 1.0,
        (false, c) if c.is_finite() => (c * 1e4).round() / 1e4,
        (false, _) => 0.0,
    }
}

fn nodes(out: &mut String, panel: &Panel, class: &str, label: &dyn Fn(usize) -> String) -> Result {
    writeln!(out, "<g class=\"nodes {class}\">")?;
    for i in panel.nodes() {
        let [x, y] = panel.places[i].map(Coordinate);
        let radius = Coordinate(panel.radii[i]);
        writeln!(
            out,
            "<circle data-n=\"{i}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"><title>{}</title></circle>",
            Escaped(&label(i))
        )?;
    }
    out.push_str("</g>\n");
    Ok(())
}

/// The marks of how a run's nodes stand, and of nodes that it left unmatched what is known of them.
///
/// The script draws them anew when somebody looks nearer: for it there is a digit for each node that is drawn.
fn marks(
    out: &mut String,
    view: &View<'_>,
    scene: &Scene,
    k: usize,
    run: &ScoredRun<'_>,
) -> Result {
    let suspicious = Standing::suspicious(run.matching);
    let panels = [&scene.source, &scene.target];
    let mut stands = panels.map(|panel| vec![Standing::Unmatched; panel.drawn.len()]);
    for pair in &run.matching.pairs {
        let standing = Standing::of(pair, &suspicious);
        stands[0][pair.source] = standing;
        stands[1][pair.target] = standing;
    }
    let [source, target] = [0, 1].map(|side| {
        let digits = panels[side].nodes().map(|i| stands[side][i] as u8);
        digits
            .map(|digit| char::from(b'0' + digit))
            .collect::<String>()
    });
    writeln!(
        out,
        "<g class=\"marks\" {} data-source=\"{source}\" data-target=\"{target}\">\n<g class=\"shapes\">",
        run_attributes(view, k)
    )?;
    // Other runs are shown by the script alone, which draws their marks.
    let written = Standing::ALL.iter().filter(|_| k == view.best);
    for standing in written {
        let mut nodes = Vec::new();
        for (panel, stands) in panels.iter().zip(&stands) {
            let so = panel.nodes().filter(|&i| stands[i] == *standing);
            nodes.extend(so.map(|i| (panel.places[i], panel.radii[i])));
        }
        standing.write_marks(out, &nodes)?;
    }
    out.push_str("</g>\n");
    let suitors = titles::suitors(run, scene.target.drawn.len());
    for (panel, nodes, side) in [
        (&scene.source, &run.matching.unmatched_source, "s"),
        (&scene.target, &run.matching.unmatched_target, "t"),
    ] {
        for &i in nodes.iter().filter(|&&i| panel.drawn[i]) {
            let words = match side {
                "s" => titles::of_lone_source(view, run, i),
                _ => titles::of_lone_target(view, &suitors, i),
            };
            writeln!(
                out,
                "<g class=\"lone\" data-{side}=\"{i}\"><title>{}</title></g>",
                Escaped(&words)
            )?;
        }
    }
    out.push_str("</g>\n");
    Ok(())
}

fn legend(
    out: &mut String,
    view: &View<'_>,
    k: usize,
    run: &ScoredRun<'_>,
    overlay: Option<&Overlay>,
) -> Result {
    writeln!(out, "<ul class=\"legend\" {}>", run_attributes(view, k))?;
    let pairs = &run.matching.pairs;
    let mut item = |class: &str, words: &str, number: usize| {
        if number == 0 {
            return Ok(());
        }
        writeln!(
            out,
            "<li><svg class=\"key\" viewBox=\"0 0 30 12\" aria-hidden=\"true\">{}</svg>{words} <b>{}</b></li>",
            key(
                class,
                if class == "right" {
                    Standing::Sure
                } else {
                    Standing::Suspicious
                }
            ),
            count(number)
        )
    };
    let judged = |verdict| {
        let free = pairs.iter().filter(|p| !p.anchor);
        free.filter(|p| view.verdict(p) == Some(verdict)).count()
    };
    let mistaken = |p: &&Pair| p.anchor && view.verdict(p) == Some(Verdict::Wrong);
    item("right", "right", judged(Verdict::Right))?;
    item("wrong", "wrong", judged(Verdict::Wrong))?;
    item("open", "not in the truth", judged(Verdict::Open))?;
    item(
        "anchor mistaken",
        "anchors the truth denies",
        pairs.iter().filter(mistaken).count(),
    )?;
    let suspicious = Standing::suspicious(run.matching);
    // In the order in which people want to read it.
    for standing in [
        Standing::Anchor,
        Standing::Sure,
        Standing::Doubtful,
        Standing::Unmatched,
        Standing::Suspicious,
    ] {
        let stands = |pair: &&Pair| Standing::of(pair, &suspicious) == standing;
        let (words, number) = match standing {
            Standing::Unmatched => {
                let lone = run.matching.unmatched_source.len();
                let lone = lone + run.matching.unmatched_target.len();
                (format!("unmatched {}", view.noun()[1]), lone)
            }
            _ => (
                standing.word().to_owned(),
                pairs.iter().filter(stands).count(),
            ),
        };
        if number > 0 {
            out.push_str("<li><svg class=\"key\" viewBox=\"0 0 30 12\" aria-hidden=\"true\">");
            // Where lines say something else, the mark stands alone.
            if view.truth.is_none() && standing != Standing::Unmatched {
                out.push_str(&key(standing.name(), standing));
            }
            standing.write_marks(out, &[([15.0, 6.0], 4.4)])?;
            writeln!(out, "</svg>{words} <b>{}</b></li>", count(number))?;
        }
    }
    out.push_str("</ul>\n");
    match overlay {
        Some(overlay) => legend_of_map(out, view, k, run, overlay),
        None => Ok(()),
    }
}

/// What the drawing of the map means.
fn legend_of_map(
    out: &mut String,
    view: &View<'_>,
    k: usize,
    run: &ScoredRun<'_>,
    overlay: &Overlay,
) -> Result {
    let family = run.matching.model.first().map_or("", |f| f.family.as_str());
    writeln!(out, "<ul class=\"legend map\" {}>", run_attributes(view, k))?;
    let mut item = |class: &str, words: &str| {
        writeln!(
            out,
            "<li><svg class=\"key\" viewBox=\"0 0 30 12\" aria-hidden=\"true\">{}</svg>{words}</li>",
            key(class, Standing::Sure)
        )
    };
    if !overlay.grid.is_empty() {
        item(
            "grid",
            &format!("a grid, and what the map makes of it ({family})"),
        )?;
    }
    if !overlay.epipolar.is_empty() {
        let words = format!("epipolar lines ({family}): of anchors, and of what is pointed at");
        item("epipolar", &words)?;
    }
    if !overlay.ellipses.is_empty() {
        item("ellipses", "where partners are expected, up to 2σ")?;
    }
    out.push_str("</ul>\n");
    Ok(())
}

/// The small drawing beside a word of the legend; lines are as wide as those of pairs that stand so.
fn key(class: &str, standing: Standing) -> String {
    let (width, _) = standing.line(1);
    let line = format!(
        "<line class=\"k {class}\" stroke-width=\"{width}\" x1=\"1\" y1=\"6\" x2=\"29\" y2=\"6\"/>"
    );
    match class {
        "grid" => {
            "<g class=\"grid\"><path d=\"M1 2L29 4M1 8L29 10M7 0L5 12M22 0L20 12\"/></g>".into()
        }
        "epipolar" => format!(
            "<g class=\"epipolar\">{}</g>",
            line.replace("k epipolar", "e told")
        ),
        "ellipses" => {
            "<g class=\"ellipses\"><ellipse cx=\"15\" cy=\"6\" rx=\"10\" ry=\"4.5\"/></g>".into()
        }
        _ => line,
    }
}
