//! A solved problem, as JSON and in words.

use std::fmt::Write;

use anchormatch::Assignment;
use anchormatch::problem::Sense;
use anchormatch::solver::Status;
use serde::Serialize;

use crate::table::Table;

/// What is told of a solved problem.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Solved {
    pub(super) objective: f64,
    /// What the solver proved that no assignment beats, where it proves such a thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bound: Option<f64>,
    /// The column of each row; null where it stays alone.
    pub(super) assignment: Assignment,
    pub(super) solver: &'static str,
    pub(super) status: Status,
    pub(super) iterations: usize,
    pub(super) seconds: f64,
    pub(super) sense: Sense,
    pub(super) problem: String,
    /// The problem's place in its file.
    pub(super) index: usize,
    /// The two graphs of a file over several.
    pub(super) graphs: Option<(usize, usize)>,
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) seed: u64,
}

impl Solved {
    /// Whether something from outside stopped the solver.
    pub(super) fn was_interrupted(&self) -> bool {
        self.status.was_interrupted()
    }

    /// Why the solver was stopped, in words.
    pub(super) fn stop(&self) -> String {
        let why = match self.status {
            Status::TimeLimit => "at the time limit",
            _ => "on request",
        };
        let steps = match self.iterations {
            1 => "1 iteration".to_owned(),
            count => format!("{count} iterations"),
        };
        format!("stopped {why} after {steps}: this is the best so far")
    }

    /// One object on one line.
    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).expect("a result of numbers and words")
    }

    /// A line for each thing that is known.
    pub(super) fn text(&self) -> String {
        let Self { rows, cols, .. } = self;
        let sense = match self.sense {
            Sense::Maximise => "maximised",
            Sense::Minimise => "minimised",
        };
        let mut text = String::new();
        let bound = self.bound.map(|bound| ("bound", bound.to_string()));
        let first = [
            ("problem", format!("{}, {rows}×{cols}", self.problem)),
            ("solver", self.solver.to_owned()),
            ("status", self.status.as_str().replace('_', " ")),
            ("objective", format!("{} ({sense})", self.objective)),
        ];
        let rest = [
            ("iterations", self.iterations.to_string()),
            ("seconds", format!("{:.3}", self.seconds)),
            ("assignment", self.columns()),
        ];
        for (name, value) in first.into_iter().chain(bound).chain(rest) {
            writeln!(text, "{name:<12}{value}").expect("writing into a string cannot fail");
        }
        text
    }

    /// The columns from 0, `-` where a row stays alone.
    fn columns(&self) -> String {
        let columns = self.assignment.iter().map(|column| match column {
            Some(column) => column.to_string(),
            None => "-".to_owned(),
        });
        columns.collect::<Vec<_>>().join(" ")
    }
}

/// A list with an object a line.
pub(super) fn json_list(solved: &[Solved]) -> String {
    let objects: Vec<String> = solved.iter().map(Solved::json).collect();
    format!("[\n{}\n]\n", objects.join(",\n"))
}

/// The problems of one file, a row each.
pub(super) fn table(solved: &[Solved]) -> String {
    let header = [
        "problem",
        "graphs",
        "size",
        "status",
        "objective",
        "iterations",
        "seconds",
        "assignment",
    ];
    let mut table = Table::new(header).with_words([3, 7]);
    for one in solved {
        table.row([
            one.index.to_string(),
            one.graphs
                .map_or_else(String::new, |(i, j)| format!("{i}, {j}")),
            format!("{}×{}", one.rows, one.cols),
            one.status.as_str().replace('_', " "),
            format!("{:.6}", one.objective),
            one.iterations.to_string(),
            format!("{:.3}", one.seconds),
            one.columns(),
        ]);
    }
    let name = solved.first().map_or("", |one| one.problem.as_str());
    let solver = solved.first().map_or("", |one| one.solver);
    format!("{name}, solver {solver}\n\n{}", table.text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn solved() -> Solved {
        Solved {
            objective: -2.5,
            bound: Some(-3.0),
            assignment: [Some(1), None].into(),
            solver: "faq",
            status: Status::TimeLimit,
            iterations: 1,
            seconds: 0.25,
            sense: Sense::Minimise,
            problem: "p".to_owned(),
            index: 3,
            graphs: None,
            rows: 2,
            cols: 2,
            seed: 0,
        }
    }

    #[test]
    fn json_has_the_names_of_the_contract() {
        let value: Value = serde_json::from_str(&solved().json()).unwrap();
        assert_eq!(value["objective"], -2.5);
        assert_eq!(value["assignment"], serde_json::json!([1, null]));
        assert_eq!(value["solver"], "faq");
        assert_eq!(value["status"], "time_limit");
        assert_eq!(value["sense"], "minimise");
        assert_eq!(value["problem"], "p");
        let list: Value = serde_json::from_str(&json_list(&[solved(), solved()])).unwrap();
        assert_eq!(list[1], value);
    }

    #[test]
    fn words_say_the_same() {
        let text = solved().text();
        for line in [
            "status      time limit",
            "objective   -2.5 (minimised)",
            "bound       -3",
            "assignment  1 -",
        ] {
            assert!(text.lines().any(|found| found == line), "{text}");
        }
        assert_eq!(
            solved().stop(),
            "stopped at the time limit after 1 iteration: this is the best so far"
        );
        assert_eq!(table(&[solved()]).lines().count(), 5);
    }
}
