//! From two graphs and their anchors to a [`Matching`]: the only room that sees
//! both ends.
//!
//! [`Paper`] is the preset that follows Hu, Rustamov, Guibas (CVPR 2013) step by step.

mod best;
mod paper;
mod terms;

pub use best::{Best, Effort, Ingredients};
pub use paper::Paper;
pub use terms::Terms;

use crate::anchors::Anchors;
use crate::graph::Graph;
use crate::matching::{Diagnostics, Matching, Pair, Samples};
use crate::solver::Solution;

/// The nodes that no hard anchor fixes; rows and columns of the problem.
struct FreeNodes {
    source: Vec<usize>,
    target: Vec<usize>,
}

/// What a run says about itself.
#[derive(Default)]
struct Log {
    notes: Vec<String>,
    parameters: Vec<(String, String)>,
    timings: Vec<(String, f64)>,
    diagnostics: Diagnostics,
}

impl Log {
    fn parameter(&mut self, name: &str, value: impl std::fmt::Display) {
        self.parameters.push((name.to_owned(), value.to_string()));
    }

    fn time(&mut self, stage: &str, seconds: f64) {
        self.timings.push((stage.to_owned(), seconds));
    }
}

/// Puts a solution over the free nodes, the hard anchors and the log together.
///
/// A pair's confidence is its entry in the solver's relaxed solution.
fn assemble(
    graphs: [&Graph; 2],
    anchors: &Anchors,
    free: &FreeNodes,
    solution: Solution,
    log: Log,
) -> Matching {
    let mut pairs: Vec<Pair> = anchors
        .hard()
        .iter()
        .map(|&(source, target)| Pair {
            source,
            target,
            confidence: 1.0,
            anchor: true,
        })
        .collect();
    for (i, a) in solution.assignment.pairs() {
        let belief = solution.soft.as_ref().map_or(1.0, |soft| soft[(i, a)]);
        pairs.push(Pair {
            source: free.source[i],
            target: free.target[a],
            confidence: belief.clamp(0.0, 1.0),
            anchor: false,
        });
    }
    pairs.sort_unstable_by_key(|pair| pair.source);
    let alone = |graph: &Graph, side: fn(&Pair) -> usize| {
        let mut matched = vec![false; graph.nodes()];
        for pair in &pairs {
            debug_assert!(!matched[side(pair)], "a matching is one-to-one");
            matched[side(pair)] = true;
        }
        (0..graph.nodes()).filter(|&i| !matched[i]).collect()
    };
    Matching {
        unmatched_source: alone(graphs[0], |pair| pair.source),
        unmatched_target: alone(graphs[1], |pair| pair.target),
        pairs,
        objective: solution.objective,
        status: solution.status,
        iterations: solution.iterations,
        notes: log.notes,
        parameters: log.parameters,
        timings: log.timings,
        diagnostics: Diagnostics {
            convergence: solution.convergence,
            ..log.diagnostics
        },
        samples: Samples::default(),
        anchor_report: Vec::new(),
    }
}
