//! Sections 5.1 to 5.3, figure by figure.

use std::fs;

use anchormatch::Result;
use anchormatch_generate::house;
use anchormatch_report::chart::{Line, Panel};
use anchormatch_report::views::Backdrop;

use super::tables::{header_of, row_of};
use super::{Writer, names};
use crate::experiments::reproduce::document::Block;
use crate::experiments::reproduce::estimate::Estimate;
use crate::experiments::reproduce::experiment::Experiment;
use crate::experiments::reproduce::figures::{Curve, Figure, draw, panel};
use crate::experiments::reproduce::films::{HOTEL_EXAMPLE, JITTER};
use crate::experiments::reproduce::pictures::picture;
use crate::experiments::reproduce::results::Results;

/// What the names of methods with the wide kernel have in common.
const WIDE_WORD: &str = " (wide)";

/// Width and height of the Hotel frames, in pixels.
const HOTEL_SIZE: [f64; 2] = [512.0, 480.0];

impl Writer<'_> {
    pub(super) fn synthetic(&mut self) -> Result<()> {
        self.heading(2, "5.1 Synthetic random graphs");
        let curves = [
            (Experiment::Noise, 0, "(a)", "(d)"),
            (Experiment::Outliers, 0, "(b)", "(e)"),
            (Experiment::Density, 0, "(c)", "(f)"),
        ];
        let (mut above, mut below, mut more) = (Vec::new(), Vec::new(), Vec::new());
        let mut legend = Vec::new();
        for (experiment, curve, top, bottom) in curves {
            let Some(results) = self.results(experiment) else {
                continue;
            };
            let who = methods(results, false);
            legend = legend_of(results);
            above.push(curve_panel(results, curve, top, Figure::Accuracy, &who));
            below.push(curve_panel(results, curve, bottom, Figure::Time, &who));
            for extra in 1..results.protocol.curves.len() {
                more.push(curve_panel(results, extra, "", Figure::Accuracy, &who));
            }
        }
        if !above.is_empty() {
            let columns = above.len();
            above.append(&mut below);
            let svg = draw(above, columns, 0, &legend)?;
            self.figure(
                "figure-1",
                svg,
                None,
                "Figure 1. Matching accuracy (above) and time of the whole match (below) with different \
                 compatibility functions: (a, d) noise, (b, e) outliers, (c, f) edge density at the paper's \
                 σ = 0.5."
                    .to_owned(),
            );
        }
        if !more.is_empty() {
            let svg = draw(more, 2, 0, &legend)?;
            let caption = "Beside Figure 1, not in the paper: outliers with noise σ = 0.1, and density at \
                           the protocol's σ = 0.25.";
            self.figure("figure-1-more", svg, None, caption.to_owned());
        }
        for (experiment, ..) in curves {
            let book = self.book;
            if let Ok(results) = book.results(experiment) {
                for curve in 0..results.protocol.curves.len() {
                    let name = &results.protocol.curves[curve].name;
                    self.heading(3, &format!("Accuracy: {name}"));
                    self.curve_table(results, curve);
                }
            }
        }
        Ok(())
    }

    pub(super) fn hotel(&mut self) -> Result<()> {
        self.heading(2, "5.2 CMU Hotel sequence");
        let book = self.book;
        if let Some(results) = self.results(Experiment::Hotel) {
            let legend = legend_of(results);
            let svg = draw(both_widths(results, 0, "(a)"), 1, 1180, &legend)?;
            let gaps = draw(both_widths(results, 1, ""), 2, 590, &legend)?;
            let pairs = results.len();
            self.figure(
                "figure-2a",
                svg,
                None,
                format!(
                    "Figure 2 (a). Matching on Hotel sequence: mean accuracy of each frame to the others, \
                     |U| = 2, {pairs} pairs of frames, each matched once from the earlier to the later and \
                     counted for both."
                ),
            );
            let caption = "The same pairs by the gap between the frames, in tens.";
            self.figure("figure-2-gaps", gaps, None, caption.to_owned());
        }
        if let Ok(results) = book.results(Experiment::Hotel) {
            self.heading(3, "Accuracy by frame gap");
            self.curve_table(results, 1);
        }
        let hotel = [
            ("adjacency (wide)", "(b) RRWM, width of Section 5.1"),
            (
                "heat+b+ap (wide)",
                "(c) d_B + d_ap + d_k RRWM, width of Section 5.1",
            ),
            ("adjacency", "(b) RRWM, default width"),
            ("heat+b+ap", "(c) d_B + d_ap + d_k RRWM, default width"),
            ("best", "best"),
        ];
        let [from, to] = HOTEL_EXAMPLE;
        let caption = format!(
            "Figure 2 (b, c). Matching on Hotel sequence, frames {from} and {to}, the first draw of anchors \
             (blue rings). Yellow lines depict the correct matches, while red lines show the wrong matches."
        );
        self.example("hotel", "figure-2bc", &hotel, caption)?;
        if let Some(results) = self.results(Experiment::HotelAnchors) {
            let svg = draw(both_widths(results, 0, ""), 1, 1180, &legend_of(results))?;
            let caption = "Figure 3. Matching on Hotel sequence with different number of anchor nodes. \
                           (Matching scheme is d_B + d_k.) Beside it d_k alone, to which anchors are only \
                           nodes that need no match: the rise that it shows is not learning. The anchors of \
                           a smaller set are among those of a larger one; accuracy is over the nodes that \
                           are left.";
            self.figure("figure-3", svg, None, caption.to_owned());
        }
        if let Ok(results) = book.results(Experiment::HotelAnchors) {
            self.overall_table(results);
        }
        Ok(())
    }

    pub(super) fn house(&mut self) -> Result<()> {
        self.heading(2, "5.3 Pose house sequence");
        let whose = if self.book.setup().our_house {
            format!(
                "The views are of our own model of a house (51 landmarks, seen by a pinhole camera, each \
                 coordinate off by {JITTER} pixel), as the data folder has no `pose_house`: the paper's \
                 house is another, and so may be its curves."
            )
        } else {
            "The views are those of the data folder's `pose_house`.".to_owned()
        };
        self.paragraph(whose);
        let book = self.book;
        if let Some(results) = self.results(Experiment::House) {
            let mut panels = both_widths(results, 0, "(a)");
            for panel in &mut panels {
                // A lump for each tilt.
                let lumps = panel.lines.iter().flat_map(|line| {
                    let points = line.points.chunks(10).map(<[_]>::to_vec);
                    points.map(|points| Line { points, ..*line })
                });
                panel.lines = lumps.collect();
                panel.x.name = "view: tilts of 0° to 30°, within each pans of 0° to 45°".to_owned();
            }
            let pairs = results.len();
            let svg = draw(panels, 1, 1180, &legend_of(results))?;
            self.figure(
                "figure-4a",
                svg,
                None,
                format!(
                    "Figure 4 (a). Matching on pose house sequence: mean accuracy of each view to the \
                     others, |U| = 2, {pairs} pairs; each lump is a tilt, within it pans from left to \
                     right. `best` ran on some of the pairs only."
                ),
            );
        }
        if let Ok(results) = book.results(Experiment::House) {
            self.overall_table(results);
        }
        let house = [
            ("adjacency", "(b) RRWM"),
            ("heat+ap", "(c) d_ap + d_k RRWM"),
            ("heat+b+ap", "(d) d_B + d_ap + d_k RRWM"),
            ("best", "best"),
        ];
        let caption = "Figure 4 (b–d). Matching on pose house sequence, the first and the last view, the \
                       first draw of anchors (blue rings). Yellow lines depict the correct matches, while \
                       red lines show the wrong matches.";
        self.example("house", "figure-4bcd", &house, caption.to_owned())
    }

    /// An example matching and its table over the draws of anchors.
    fn example(
        &mut self,
        film: &str,
        name: &str,
        methods: &[(&str, &str)],
        caption: String,
    ) -> Result<()> {
        let (book, monitor) = (self.book, self.monitor);
        let Some(results) = self.results(Experiment::Matchings) else {
            return Ok(());
        };
        let protocol = &results.protocol;
        let Some(point) = protocol
            .points
            .iter()
            .position(|p| p.name.starts_with(film))
        else {
            let reason = book
                .missing_hotel()
                .unwrap_or("its data is missing")
                .to_owned();
            self.paragraph(format!("The example on {film}: {reason}."));
            return Ok(());
        };
        let methods: Vec<(&str, String)> = methods
            .iter()
            .map(|&(method, words)| (method, words.to_owned()))
            .collect();
        let size = match film {
            "hotel" => HOTEL_SIZE,
            _ => house::IMAGE_SIZE,
        };
        let draw = |backdrop: &Backdrop| {
            picture(protocol, point, &methods, (size, backdrop), name, monitor)
        };
        let plain = match (film, book.setup().our_house) {
            ("house", true) => Backdrop::Wireframe(house::wireframe()),
            _ => Backdrop::Field,
        };
        let (svg, published) = match self.frames(film) {
            Some(frames) => (draw(&frames)?, Some(draw(&plain)?)),
            None => (draw(&plain)?, None),
        };
        let rows = vec![row_of(results, "accuracy over the draws", &[point])];
        let header = header_of(results, "");
        self.figure(name, svg, published, caption);
        self.blocks.push(Block::Table { header, rows });
        Ok(())
    }

    /// The photographs, where the data folder has them.
    fn frames(&self, film: &str) -> Option<Backdrop> {
        if film != "hotel" {
            return None;
        }
        let read = |frame: usize| {
            let name = format!("cmu_hotel/images/hotel.seq{frame}.png");
            fs::read(self.about.data.as_ref()?.join(name)).ok()
        };
        let [from, to] = HOTEL_EXAMPLE;
        Some(Backdrop::Frames([read(from)?, read(to)?]))
    }
}

fn curve_panel(
    results: &Results,
    curve: usize,
    title: &str,
    figure: Figure,
    who: &[(usize, usize)],
) -> Panel {
    let curve = &results.protocol.curves[curve];
    let line = |&(colour, place): &(usize, usize)| {
        let points = curve.places.iter().map(|(x, members)| {
            let values = results.values_at(members, |_, o| {
                let outcome = o[place]?;
                Some(match figure {
                    Figure::Time => 1e3 * outcome.seconds,
                    Figure::Accuracy => outcome.accuracy(),
                })
            });
            (*x, Estimate::mean(&values))
        });
        let known = points.filter(|(_, estimate)| estimate.count > 0);
        (colour, known.collect())
    };
    let many = curve.name == "frame";
    let title = match many {
        true => title.to_owned(),
        false => format!("{title} {}", curve.name).trim().to_owned(),
    };
    let curves: Vec<Curve> = who.iter().map(line).collect();
    panel(title, &curve.axis, figure, !many, &curves)
}

/// The methods of one width, each with its colour: those of the wide kernel have the colour of their
/// namesakes.
fn methods(results: &Results, wide: bool) -> Vec<(usize, usize)> {
    let all = names(results);
    let usual: Vec<&String> = all
        .iter()
        .filter(|name| !name.contains(WIDE_WORD))
        .collect();
    let chosen = all
        .iter()
        .enumerate()
        .filter(|(_, name)| name.contains(WIDE_WORD) == wide);
    chosen
        .filter_map(|(place, name)| {
            let namesake = name.replace(WIDE_WORD, "");
            let colour = usual.iter().position(|other| **other == namesake)?;
            Some((colour, place))
        })
        .collect()
}

fn legend_of(results: &Results) -> Vec<(usize, String)> {
    let all = names(results);
    let usual = methods(results, false).into_iter();
    usual
        .map(|(colour, place)| (colour, all[place].clone()))
        .collect()
}

/// A curve at the default width, and at that of Section 5.1.
fn both_widths(results: &Results, curve: usize, title: &str) -> Vec<Panel> {
    [
        (false, "default width"),
        (true, "width of Section 5.1 (wide)"),
    ]
    .map(|(wide, words)| {
        let who = methods(results, wide);
        let mut panel = curve_panel(results, curve, title, Figure::Accuracy, &who);
        panel.title = Some(format!("{title} {words}").trim().to_owned());
        panel
    })
    .to_vec()
}
