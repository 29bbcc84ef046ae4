//! The claims under every reading of the text, and what the learned proximity says.

use anchormatch::Result;

use super::{Writer, mark, sign};
use crate::experiments::reproduce::claims::Claim;
use crate::experiments::reproduce::document::Block;
use crate::experiments::reproduce::estimate::Estimate;
use crate::experiments::reproduce::experiment::{Book, Experiment};
use crate::experiments::reproduce::films::ANCHOR_COUNTS;
use crate::experiments::reproduce::proximity;
use crate::experiments::reproduce::readings::{Part, Reading, books, claims_by_reading};

/// A difference that a reading decides: experiment, the better method by the paper, the other one.
const DIFFERENCES: [(Experiment, &str, &str); 15] = [
    (Experiment::Noise, "heat+ap", "heat"),
    (Experiment::Noise, "heat+b", "heat"),
    (Experiment::Noise, "heat+b+ap", "heat"),
    (Experiment::Density, "heat", "adjacency"),
    (Experiment::Density, "heat+ap", "heat"),
    (Experiment::Density, "heat+b", "heat"),
    (Experiment::Density, "heat+b+ap", "heat"),
    (Experiment::Hotel, "heat+ap", "heat"),
    (Experiment::Hotel, "heat+b", "heat"),
    (Experiment::Hotel, "heat+b+ap", "heat"),
    (Experiment::Hotel, "heat+b+ap (wide)", "heat (wide)"),
    (Experiment::House, "heat+ap", "heat"),
    (Experiment::House, "heat+b", "heat"),
    (Experiment::House, "heat+b+ap", "heat"),
    (Experiment::House, "heat+b+ap (wide)", "heat (wide)"),
];

/// The places of `diagonal` and `linear` among the readings.
const SIDES: [usize; 2] = [0, 1];

impl Writer<'_> {
    pub(super) fn readings(&mut self) {
        self.heading(2, "The claims by reading");
        let judged = claims_by_reading(self.book);
        if judged.is_empty() {
            let name = Experiment::READINGS;
            self.paragraph(format!("Experiment `{name}`: not run this time."));
            return;
        }
        let trials: Vec<String> = Part::ALL
            .iter()
            .filter_map(|&part| {
                let results = self.book.results(Experiment::Readings(part)).ok()?;
                Some(format!("{} {}", part.experiment().as_str(), results.len()))
            })
            .collect();
        self.paragraph(format!(
            "The text allows more than one reading. Each of these was run on the same trials ({}), and every \
             claim judged anew by the same tests; a cell has the verdict and how each test ended, in the order \
             of the table above.",
            trials.join(", ")
        ));
        let about: Vec<Vec<String>> = judged
            .iter()
            .map(|(reading, _)| vec![reading.name.to_owned(), reading.about.to_owned()])
            .collect();
        self.table(&["reading", "what the text is taken to say"], about);
        let mut header = vec![String::new(), "the paper says".to_owned()];
        header.extend(judged.iter().map(|(reading, _)| reading.name.to_owned()));
        let count = judged[0].1.len();
        let row = |k: usize| {
            let claim = &judged[0].1[k];
            let mut row = vec![
                (k + 1).to_string(),
                format!("{}: “{}”", claim.place, claim.quote),
            ];
            row.extend(judged.iter().map(|(_, claims)| verdict(&claims[k])));
            row
        };
        let rows = (0..count).map(row).collect();
        self.blocks.push(Block::Table { header, rows });
        let books = books(self.book);
        self.differences(&books);
        self.sides();
    }

    /// The differences that the claims hang on, reading by reading.
    fn differences(&mut self, books: &[(Reading, Book)]) {
        self.heading(3, "The paper's order, by reading");
        self.paragraph(
            "Differences of accuracy over all trials of an experiment (density at σ = 0.5); ▲ and ▼ mark those whose \
             interval leaves zero out.",
        );
        let mut header = vec!["difference".to_owned()];
        header.extend(books.iter().map(|(reading, _)| reading.name.to_owned()));
        let rows = DIFFERENCES.map(|(experiment, better, worse)| {
            let mut row = vec![format!("{}: {better} less {worse}", experiment.as_str())];
            row.extend(books.iter().map(|(_, book)| {
                gain(book, experiment, better, worse).map_or_else(|| "not run".to_owned(), marked)
            }));
            row
        });
        let rows = rows.to_vec();
        self.blocks.push(Block::Table { header, rows });
    }

    /// The literal W beside the linear one, where they differ.
    fn sides(&mut self) {
        self.heading(3, "First order on W's diagonal, and counted in the pairs");
        self.paragraph(
            "`diagonal` is W as the paper's formula has it; `linear` is W(ia, jb) + (u_ia + u_jb)/(2(n − 1)), the same \
             program for everybody matched. `linear` was chosen by a prototype of \
             its own, on its own draws of random graphs and Hotel anchors; these trials, the house among them, had no part in the choice, \
             and the preset takes what is better here.",
        );
        let header = [
            "experiment",
            "method",
            "diagonal",
            "linear",
            "linear less diagonal",
        ];
        let mut rows = Vec::new();
        for part in Part::ALL {
            let Ok(results) = self.book.results(Experiment::Readings(part)) else {
                continue;
            };
            let [diagonal, linear] = SIDES.map(|place| part.under(results, place));
            for place in 0..diagonal.protocol.entries.len() {
                let same = diagonal.protocol.entries[place].settings()
                    == linear.protocol.entries[place].settings();
                if same {
                    continue;
                }
                let (one, other) = (
                    diagonal.values(|_, _| true, |_, o| Some(o[place]?.accuracy())),
                    linear.values(|_, _| true, |_, o| Some(o[place]?.accuracy())),
                );
                let mut apart = other.clone();
                for (slot, value) in apart.iter_mut().zip(&one) {
                    slot.value -= value.value;
                }
                rows.push(vec![
                    part.experiment().as_str().to_owned(),
                    diagonal.protocol.entries[place].name.clone(),
                    Estimate::mean(&one).text(),
                    Estimate::mean(&other).text(),
                    marked(Estimate::mean(&apart)),
                ]);
            }
        }
        self.table(&header, rows);
    }

    /// What d_B says, from trials of its own.
    pub(super) fn proximity(&mut self) -> Result<()> {
        self.heading(2, "Why d_B says little");
        self.paragraph(
            "B has a block for each graph, and nothing in its constraints asks that a node be near one that is like it: a \
             B under which anchors are near each other, and everything else is far, may as well measure how unlike the \
             anchors a node of either graph is. A distance that is a row's value plus a column's cannot match anybody, since \
             every assignment then has the same sum. The table has the share of rows and columns in the variance of each \
             first-order distance, and the accuracy of one linear assignment on it. d_B = √(wᵀBw) is mostly such a \
             sum; on isomorphic graphs, where the plain difference of θ and d_ap are right everywhere, it is not; and more \
             anchors help it, since each adds its own rivals as constraints. One metric for both graphs, which the text \
             allows, compares by construction. The summed heat d_ap cannot tell two anchors apart beside that.",
        );
        if !self.about.complete {
            self.paragraph("Not computed: the run was stopped before.");
            return Ok(());
        }
        let rows = proximity::rows(self.book.setup(), self.monitor)?;
        let mut header = vec!["pairs".to_owned(), "distance".to_owned()];
        for what in ["rows and columns", "accuracy"] {
            header.extend(ANCHOR_COUNTS.map(|count| format!("{what}, |U| = {count}")));
        }
        let rows = rows.into_iter().map(|row| {
            let figures = row.shares.iter().chain(&row.accuracies);
            let mut cells = vec![row.kind.to_owned(), row.distance.to_owned()];
            cells.extend(figures.map(Estimate::text));
            cells
        });
        let rows = rows.collect();
        self.blocks.push(Block::Table { header, rows });
        Ok(())
    }
}

fn gain(book: &Book, experiment: Experiment, better: &str, worse: &str) -> Option<Estimate> {
    let results = book.results(experiment).ok()?;
    let place = |name: &str| results.protocol.place(name);
    Some(results.gain(place(better)?, place(worse)?, |_, _| true))
}

fn marked(gain: Estimate) -> String {
    let mark = if gain.low() > 0.0 {
        " ▲"
    } else if gain.high() < 0.0 {
        " ▼"
    } else {
        ""
    };
    format!("{}{mark}", gain.signed())
}

/// The verdict's sign and how each test ended.
fn verdict(claim: &Claim) -> String {
    let ends: String = claim.tests.iter().map(|test| mark(test.end())).collect();
    format!("{} {ends}", sign(claim.verdict()))
        .trim()
        .to_owned()
}
