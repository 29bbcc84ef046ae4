//! `anchormatch info`: what a graph file holds.

use std::fmt::Write;
use std::path::PathBuf;

use anchormatch::spectral::Spectrum;
use anchormatch_io::LoadedGraph;
use anchormatch_terminal::hints::WORDS;
use clap::Args;
use serde::Serialize;

use crate::args::{Reading, Resources};
use crate::exit::{Done, Failure, Outcome};
use crate::files::print;
use crate::job::Job;

/// Above this the eigenvalues take too long for a question in passing.
const MOST_NODES_FOR_EIGENVALUES: usize = 2000;

const LONG_ABOUT: &str = "\
Tell what a graph file holds: its size, its weights, whether it is connected, and what reading it \
did with directions, repeated edges, loops and zeros. Worth a look before a match that surprises.";

const EXAMPLES: &str = "\
Examples:
  anchormatch info graph.csv
  anchormatch info landmarks.csv --points
  anchormatch info graph.mtx --json | jq .components";

/// Tell what a graph file holds
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The graph; `-` is standard input
    graph: PathBuf,

    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    resources: Resources,
}

#[derive(Debug, Serialize)]
struct Info {
    file: String,
    format: &'static str,
    nodes: usize,
    edges: usize,
    /// Whether they have directions.
    directed: bool,
    density: f64,
    weights: Option<Range<f64>>,
    negative_weights: usize,
    degrees: Range<usize>,
    components: usize,
    isolated_nodes: usize,
    self_loops_dropped: usize,
    directed_edges_read_as_undirected: usize,
    opposite_edges_merged: usize,
    repeated_edges_merged: usize,
    /// How the weights of opposite and repeated edges are merged.
    merged_by: String,
    zero_weights_dropped: usize,
    /// λ₂ and λₙ of L = D − A with max(w, 0).
    second_eigenvalue: Option<f64>,
    largest_eigenvalue: Option<f64>,
    notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct Range<T> {
    min: T,
    max: T,
}

impl Options {
    /// Reads and tells.
    pub(crate) fn run(&self) -> Outcome {
        let job = Job::start(&self.resources, None, self.json)?;
        let loaded = self.reading.graph(&self.graph, job.max_memory())?;
        let mut info = Info::of(
            &self.graph.display().to_string(),
            &loaded,
            &self.reading.duplicates(),
        );
        if (2..=MOST_NODES_FOR_EIGENVALUES).contains(&info.nodes) {
            let spectrum = Spectrum::of(&loaded.graph, job.monitor())?;
            let values = spectrum.eigenvalues();
            // Rounding leaves no exact zero: a disconnected graph has λ₂ = 0.
            info.second_eigenvalue = Some(if spectrum.is_null(1) { 0.0 } else { values[1] });
            info.largest_eigenvalue = values.last().copied();
        }
        job.finish();
        let text = if self.json {
            serde_json::to_string_pretty(&info)
                .map_err(|e| Failure::Library(anchormatch::Error::Numerics(e.to_string())))?
                + "\n"
        } else {
            info.text()
        };
        print(&text)?;
        Ok(Done::Complete)
    }
}

impl Info {
    fn of(file: &str, loaded: &LoadedGraph, merged_by: &str) -> Self {
        let graph = &loaded.graph;
        let summary = graph.summary();
        let cleaning = graph.cleaning();
        let range = |(min, max)| Range { min, max };
        Self {
            file: file.to_owned(),
            format: loaded.format.name(),
            nodes: graph.node_count(),
            edges: graph.link_count(),
            directed: graph.is_directed(),
            density: summary.density,
            weights: summary.weights.map(range),
            negative_weights: summary.negative_weights,
            degrees: Range {
                min: summary.degrees.0,
                max: summary.degrees.1,
            },
            components: graph.components(),
            isolated_nodes: summary.isolated_nodes,
            self_loops_dropped: cleaning.self_loops,
            directed_edges_read_as_undirected: cleaning.directed_edges,
            opposite_edges_merged: cleaning.opposite_edges,
            merged_by: merged_by.to_owned(),
            repeated_edges_merged: cleaning.repeated_edges,
            zero_weights_dropped: cleaning.zero_weights,
            second_eigenvalue: None,
            largest_eigenvalue: None,
            notes: loaded.worded_notes(WORDS),
        }
    }

    fn text(&self) -> String {
        let mut lines: Vec<(&str, String)> = vec![
            ("file", self.file.clone()),
            ("format", self.format.to_owned()),
            ("nodes", self.nodes.to_string()),
            (
                if self.directed { "arcs" } else { "edges" },
                format!("{} (density {:.3})", self.edges, self.density),
            ),
        ];
        if let Some(Range { min, max }) = self.weights {
            let negative = match self.negative_weights {
                0 => "none negative".to_owned(),
                count => format!("{count} negative"),
            };
            lines.push((
                "weights",
                format!("{} to {}, {negative}", short(min), short(max)),
            ));
        }
        let Range { min, max } = self.degrees;
        lines.push(("degrees", format!("{min} to {max}")));
        lines.push(("components", self.components.to_string()));
        lines.push(("isolated nodes", self.isolated_nodes.to_string()));
        if let (Some(second), Some(largest)) = (self.second_eigenvalue, self.largest_eigenvalue) {
            lines.push((
                "Laplacian",
                format!("λ₂ {}, λₙ {}", short(second), short(largest)),
            ));
        }
        let mut text = String::new();
        for (name, value) in lines {
            writeln!(text, "{name:<15} {value}").expect("writing into a string cannot fail");
        }
        if self.opposite_edges_merged + self.repeated_edges_merged > 0 && self.merged_by != "error"
        {
            let merged = format!("repeated weights by --duplicates {}", self.merged_by);
            writeln!(text, "{:<15} {merged}", "merged").expect("writing into a string cannot fail");
        }
        for note in &self.notes {
            writeln!(text, "{:<15} {note}", "note").expect("writing into a string cannot fail");
        }
        text
    }
}

/// About six digits, enough to recognise a number.
fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-3..1e6).contains(&size) {
        let text = format!("{value:.4}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        text.to_owned()
    } else {
        format!("{value:.4e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::Graph;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (100.0, "100"),
            (1e-9, "1.0000e-9"),
            (123_456_789.0, "1.2346e8"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn every_edge_counts_once() {
        let graph = Graph::from_edges(4, &[(0, 1, 2.0), (2, 1, -1.0)]).unwrap();
        let loaded = LoadedGraph {
            graph,
            positions: None,
            columns: anchormatch_io::NodeColumns::default(),
            kinds: None,
            format: anchormatch_io::Format::EdgeList,
            looks_like_points: false,
            notes: vec![],
            doubts: Vec::new(),
        };
        let info = Info::of("x", &loaded, "error");
        assert_eq!((info.nodes, info.edges, info.isolated_nodes), (4, 2, 1));
        assert_eq!(
            info.weights,
            Some(Range {
                min: -1.0,
                max: 2.0
            })
        );
        assert_eq!(info.negative_weights, 1);
        assert_eq!(info.degrees, Range { min: 0, max: 2 });
        // Components are over edges of positive weight.
        assert_eq!(info.components, 3);
        assert!((info.density - 2.0 / 6.0).abs() < 1e-15);
    }
}
