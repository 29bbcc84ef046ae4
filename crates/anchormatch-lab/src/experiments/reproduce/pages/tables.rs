//! Tables: curves in numbers, what the paper leaves open, and what others published.

use super::{Writer, names};
use crate::experiments::reproduce::ablations::{Choices, KINDS};
use crate::experiments::reproduce::document::Block;
use crate::experiments::reproduce::estimate::Estimate;
use crate::experiments::reproduce::experiment::Experiment;
use crate::experiments::reproduce::published::{HOTEL_GAPS, POINTS, references};
use crate::experiments::reproduce::results::Results;

impl Writer<'_> {
    pub(super) fn ablations(&mut self) {
        self.heading(2, "What the paper leaves open");
        let Some(results) = self.results(Experiment::Ablations) else {
            return;
        };
        self.paragraph(
            "One choice at a time is changed in `heat+b+ap` (or in what the row names). The first \
             line of each question is what the others are compared with, trial by trial: the default, \
             with its accuracy; the others have their difference from it. Random graphs with σ = 0.2; \
             Hotel, frames 60 to 90 apart; our house, pans 25° apart or more; ▲ and ▼ mark differences \
             whose interval leaves zero out.",
        );
        let choices = Choices::standard();
        let mut rows = Vec::new();
        let mut questions: Vec<&str> = choices.rows.iter().map(|row| row.question).collect();
        questions.dedup();
        for question in questions {
            let mut of: Vec<_> = choices
                .rows
                .iter()
                .filter(|row| row.question == question)
                .collect();
            of.sort_by_key(|row| !row.is_default());
            for choice in of {
                let default = if choice.is_default() {
                    " (default)"
                } else {
                    ""
                };
                let mut row = vec![question.to_owned(), format!("{}{default}", choice.value)];
                for kind in KINDS {
                    row.push(ablation_cell(results, kind, choice.place, choice.beside));
                }
                rows.push(row);
            }
        }
        let header: Vec<String> = ["question", "choice"]
            .into_iter()
            .map(str::to_owned)
            .chain(KINDS.map(|kind| trials_of(results, kind)))
            .collect();
        self.blocks.push(Block::Table { header, rows });
        self.order(results, &choices);
    }

    /// What heat brings over adjacency, and the learned terms over heat, at each width.
    fn order(&mut self, results: &Results, choices: &Choices) {
        self.heading(3, "The paper's order, by the kernel's width");
        self.paragraph(
            "The paper has adjacency below heat and heat below the full method, and does not say how wide \
             the affinity's kernel is: s is so many means of the squared difference. Differences over the \
             same trials as above.",
        );
        let [full, heat, adjacency] = Choices::WIDTH_QUESTIONS.map(|question| {
            let rows = choices
                .rows
                .iter()
                .filter(move |row| row.question == question);
            rows.map(|row| (row.value.as_str(), row.place))
                .collect::<Vec<_>>()
        });
        let mut rows = Vec::new();
        for (place, &(width, full)) in full.iter().enumerate() {
            let (heat, adjacency) = (heat[place].1, adjacency[place].1);
            let mut row = vec![width.to_owned()];
            for kind in KINDS {
                row.push(ablation_cell(results, kind, heat, adjacency));
                row.push(ablation_cell(results, kind, full, heat));
            }
            rows.push(row);
        }
        let columns = KINDS.iter().flat_map(|kind| {
            [
                format!("{kind}: heat less adjacency"),
                format!("{kind}: heat+b+ap less heat"),
            ]
        });
        let header = std::iter::once("s".to_owned()).chain(columns).collect();
        self.blocks.push(Block::Table { header, rows });
    }

    pub(super) fn published(&mut self) {
        self.heading(2, "Beside published figures");
        let book = self.book;
        if let Some(results) = self.results(Experiment::Published) {
            let mut rows = Vec::new();
            for reference in references() {
                let name = reference.entry.replace(',', "");
                let Some(place) = results.protocol.place(&name) else {
                    continue;
                };
                let ours = results.accuracy(place, |p, _| p == reference.place);
                let theirs = reference.accuracy;
                // Theirs is a mean of 50 trials, too: its interval is about as wide as ours.
                let far = (ours.value - theirs).abs() > 2.0f64.sqrt() * ours.half_width + 0.005;
                rows.push(vec![
                    POINTS[reference.place].to_owned(),
                    reference.entry.to_owned(),
                    ours.text(),
                    format!("{theirs:.3}"),
                    match (far, ours.value > theirs) {
                        (false, _) => "agrees".to_owned(),
                        (true, true) => "above".to_owned(),
                        (true, false) => "below".to_owned(),
                    },
                ]);
            }
            self.paragraph(
                "RRWM on random graphs with the affinity of Cho, Lee and Lee, exp(−Δ²/0.15) of the weights, \
                 at points where pygmtools 0.6.0 (NumPy backend, 50 trials of the same protocol) was \
                 measured. “Agrees” allows for the intervals of both.",
            );
            self.table(&["point", "method", "here", "pygmtools RRWM", ""], rows);
        }
        if let Ok(results) = book.results(Experiment::Hotel) {
            let place = |name: &str| results.protocol.place(name).unwrap_or(0);
            let rows = HOTEL_GAPS.map(|(gap, rrwm, fgm)| {
                let at = |name: &str| {
                    let has = |views: [usize; 2]| (views[1] - views[0]).abs_diff(gap) <= 5;
                    results
                        .accuracy(place(name), |_, p| p.views.is_some_and(has))
                        .text()
                };
                vec![
                    gap.to_string(),
                    at("adjacency"),
                    at("heat"),
                    at("best"),
                    format!("{rrwm:.3}"),
                    format!("{fgm:.3}"),
                ]
            });
            self.paragraph(
                "Hotel by frame gap (ours: within 5 frames of it), beside published accuracies of RRWM and \
                 FGM-U (Zhou and De la Torre). Those are of Delaunay graphs without anchors; ours are \
                 complete graphs, two nodes of which are given away, so only the shape of the decline can \
                 be compared.",
            );
            self.table(
                &[
                    "gap",
                    "adjacency",
                    "heat",
                    "best",
                    "published RRWM",
                    "published FGM-U",
                ],
                rows.to_vec(),
            );
        }
    }

    /// A row for each place of a curve, a column for each method.
    pub(super) fn curve_table(&mut self, results: &Results, curve: usize) {
        let curve = &results.protocol.curves[curve];
        let mut rows: Vec<Vec<String>> = curve
            .places
            .iter()
            .map(|(x, members)| row_of(results, &format!("{x}"), members))
            .collect();
        let all: Vec<usize> = curve
            .places
            .iter()
            .flat_map(|(_, members)| members.clone())
            .collect();
        rows.push(row_of(results, "all", &all));
        let header = header_of(results, &curve.axis);
        self.blocks.push(Block::Table { header, rows });
    }

    /// One row over everything.
    pub(super) fn overall_table(&mut self, results: &Results) {
        let all: Vec<usize> = (0..results.protocol.points.len()).collect();
        let rows = vec![row_of(results, "all pairs", &all)];
        let header = header_of(results, "");
        self.blocks.push(Block::Table { header, rows });
    }
}

pub(super) fn header_of(results: &Results, first: &str) -> Vec<String> {
    std::iter::once(first.to_owned())
        .chain(names(results))
        .collect()
}

pub(super) fn row_of(results: &Results, name: &str, members: &[usize]) -> Vec<String> {
    let cell = |place: usize| {
        let values = results.values_at(members, |_, o| Some(o[place]?.accuracy()));
        Estimate::mean(&values).text()
    };
    let cells = (0..results.protocol.entries.len()).map(cell);
    std::iter::once(name.to_owned()).chain(cells).collect()
}

fn curve_points(results: &Results, name: &str) -> Option<Vec<usize>> {
    let curve = results.protocol.curves.iter().find(|c| c.name == name)?;
    Some(
        curve
            .places
            .iter()
            .flat_map(|(_, members)| members.clone())
            .collect(),
    )
}

fn trials_of(results: &Results, kind: &str) -> String {
    let points = curve_points(results, kind).unwrap_or_default();
    let count = results.values_at(&points, |_, _| Some(())).len();
    format!("{kind}, {count} trials")
}

fn ablation_cell(results: &Results, kind: &str, place: usize, beside: usize) -> String {
    let Some(points) = curve_points(results, kind) else {
        return "no data".to_owned();
    };
    if place == beside {
        let values = results.values_at(&points, |_, o| Some(o[place]?.accuracy()));
        return Estimate::mean(&values).text();
    }
    let values = results.values_at(&points, |_, o| {
        Some(o[place]?.accuracy() - o[beside]?.accuracy())
    });
    let gain = Estimate::mean(&values);
    let mark = if gain.low() > 0.0 {
        " ▲"
    } else if gain.high() < 0.0 {
        " ▼"
    } else {
        ""
    };
    if gain.count == 0 {
        // An affinity of n⁴ entries is left out on the largest graphs.
        return "not run".to_owned();
    }
    format!("{}{mark}", gain.signed())
}
