//! A solver that maximises Σ A_ij B_{p(i) p(j)}, the anchors as its seeds.

use std::sync::Arc;

use anchormatch::matcher::{Matcher, check, matching_of};
use anchormatch::problem::{ProductPairwise, Sense, Weights};
use anchormatch::settings::{self, Settings};
use anchormatch::solver::{Solver, Start};
use anchormatch::{Error, Graph, Matching, Monitor, Result, Task};
use serde::{Deserialize, Serialize};

/// A solver on the product of both adjacency matrices; it goes by the solver's name.
#[derive(Clone)]
pub struct SeededSolver {
    solver: Arc<dyn Solver>,
    parameters: Parameters,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// The seed of everything random in the solver.
    seed: u64,
}

impl SeededSolver {
    /// The matcher that `solver` makes.
    #[must_use]
    pub fn new(solver: Box<dyn Solver>) -> Self {
        Self {
            solver: Arc::from(solver),
            parameters: Parameters::default(),
        }
    }
}

impl Matcher for SeededSolver {
    fn name(&self) -> &str {
        self.solver.info().name
    }

    fn about(&self) -> &'static str {
        "A solver on the product of both adjacency matrices, the anchors as its seeds"
    }

    fn parameters(&self) -> Settings {
        settings::list(&self.parameters)
    }

    fn configured(&self, settings: &Settings) -> Result<Box<dyn Matcher>> {
        Ok(Box::new(Self {
            solver: Arc::clone(&self.solver),
            parameters: settings::changed(self.name(), &self.parameters, settings)?,
        }))
    }

    fn run(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Matching> {
        check(self, task)?;
        let anchors = task.anchors();
        if !anchors.soft().is_empty() {
            return Err(Error::Anchors(
                "found soft anchors, expected hard ones, which alone can be seeds".into(),
            ));
        }
        let [a, b] = task.graphs().map(weights);
        let seeded = ProductPairwise::seeded_problem(Sense::Maximise, &a, &b, anchors.hard())?;
        monitor.answerable();
        let start = Start::seeded(self.parameters.seed);
        let watch = monitor.stopwatch();
        let solution = self.solver.solve(&seeded.problem, &start, monitor)?;
        let mut matching = matching_of(task, solution);
        matching.timings.push(("solve".to_owned(), watch.seconds()));
        Ok(matching)
    }
}

/// The adjacency matrix: as lists when three entries of four are zero, whole otherwise.
fn weights(graph: &Graph) -> Weights {
    let n = graph.node_count();
    if 8 * graph.edge_count() > n * n {
        return Weights::Dense(graph.adjacency());
    }
    Weights::Sparse(graph.sparse_adjacency().clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::Anchors;
    use anchormatch::solver::Faq;

    #[test]
    fn weights_are_those_of_the_graph_in_either_form() {
        let cycle: Vec<_> = (0..20).map(|i| (i, (i + 1) % 20, 1.0 + i as f64)).collect();
        let sparse = Graph::from_edges(20, &cycle).unwrap();
        let dense = Graph::from_edges(3, &[(0, 1, 2.0), (1, 2, 3.0)]).unwrap();
        assert!(matches!(weights(&sparse), Weights::Sparse(_)));
        assert!(matches!(weights(&dense), Weights::Dense(_)));
        assert_eq!(weights(&sparse).dense(), sparse.adjacency());
        assert_eq!(weights(&dense).dense(), dense.adjacency());
    }

    #[test]
    fn soft_anchors_are_no_seeds() {
        let path = Graph::from_edges(3, &[(0, 1, 1.0), (1, 2, 2.0)]).unwrap();
        let anchors = Anchors::from_labels(&path, &path, [("0", "0", Some(0.5))]).unwrap();
        let task = Task::new(&path, &path, &anchors).unwrap();
        let matcher = SeededSolver::new(Box::new(Faq::default()));
        let error = matcher.run(&task, &Monitor::silent()).unwrap_err();
        assert!(error.to_string().contains("soft"), "{error}");
    }

    #[test]
    fn matchings_are_the_solvers_own_anchors_anywhere() {
        let edges: Vec<_> = (1..9).map(|i| (i / 2, i, i as f64)).collect();
        let tree = Graph::from_edges(9, &edges).unwrap();
        let seeds = [(7, 2), (0, 5), (3, 3)];
        let task = Task::from_pairs(&tree, &tree, &seeds).unwrap();
        let matcher = SeededSolver::new(Box::new(Faq::default()));
        let matching = matcher.run(&task, &Monitor::silent()).unwrap();
        let (a, b) = (weights(&tree), weights(&tree));
        let seeded = ProductPairwise::seeded_problem(Sense::Maximise, &a, &b, &seeds).unwrap();
        let start = Start::seeded(0);
        let solution = Faq::default().solve(&seeded.problem, &start, &Monitor::silent());
        let partners = seeded.complete(&solution.unwrap().assignment);
        assert_eq!(matching.pairs.len(), 9);
        for pair in &matching.pairs {
            assert_eq!(Some(pair.target), partners.partner(pair.source));
        }
    }
}
