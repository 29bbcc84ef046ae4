//! Anything that matches two graphs with anchors, under one name.
//!
//! A solver of the registry becomes a method by maximising Σ A_ij B_{p(i) p(j)} with the anchors as
//! seeds; a preset of the matcher is one as it stands. [`by_name`] knows both: a new preset adds its
//! line to [`presets`].

use anchormatch::Assignment;
use anchormatch::matcher::{Best, Paper};
use anchormatch::matching::Matching;
use anchormatch::problem::{ProductPairwise, Sense, Weights};
use anchormatch::solver::{Solver, Start, Status, registry};
use anchormatch::{Anchors, Error, Graph, Monitor, Result};

/// A way to match two graphs.
pub trait Method: Send + Sync {
    /// The name by which a user picks it.
    fn name(&self) -> &'static str;

    /// Matches `source` to `target`; hard anchors are part of what is found.
    ///
    /// # Errors
    /// When the graphs do not suit the method, or it was stopped before it had anything to return.
    fn run(
        &self,
        source: &Graph,
        target: &Graph,
        anchors: &Anchors,
        monitor: &Monitor,
    ) -> Result<Found>;
}

/// What a method found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The partner of each source node, if it has one.
    pub partners: Assignment,
    /// Why the method stopped.
    pub status: Status,
}

impl Found {
    /// What a matching of a source of so many `nodes` says.
    ///
    /// # Panics
    /// When a pair of the matching has a source node beyond them.
    #[must_use]
    pub fn of_matching(matching: &Matching, nodes: usize) -> Self {
        let pairs = matching.pairs.iter();
        Self {
            partners: Assignment::from_pairs(nodes, pairs.map(|pair| (pair.source, pair.target))),
            status: matching.status,
        }
    }
}

/// A solver on the product of both adjacency matrices, with the anchors as seeds.
pub struct SeededSolver {
    solver: Box<dyn Solver>,
    seed: u64,
}

impl SeededSolver {
    /// The method that `solver` makes; `seed` is that of everything random in it.
    #[must_use]
    pub fn new(solver: Box<dyn Solver>, seed: u64) -> Self {
        Self { solver, seed }
    }
}

impl Method for SeededSolver {
    fn name(&self) -> &'static str {
        self.solver.info().name
    }

    fn run(
        &self,
        source: &Graph,
        target: &Graph,
        anchors: &Anchors,
        monitor: &Monitor,
    ) -> Result<Found> {
        if !anchors.soft().is_empty() {
            return Err(Error::Anchors(
                "found soft anchors, expected hard ones, which alone can be seeds".into(),
            ));
        }
        let (a, b) = (weights(source), weights(target));
        let seeded = ProductPairwise::seeded_problem(Sense::Maximise, &a, &b, anchors.hard())?;
        let start = Start::seeded(self.seed);
        let solution = self.solver.solve(&seeded.problem, &start, monitor)?;
        Ok(Found {
            partners: seeded.complete(&solution.assignment),
            status: solution.status,
        })
    }
}

/// A preset of the matcher: a name, and the function that runs it.
pub struct Preset<F> {
    name: &'static str,
    run: F,
}

impl<F> Preset<F>
where
    F: Fn(&Graph, &Graph, &Anchors, &Monitor) -> Result<Matching> + Send + Sync,
{
    /// The method `run` under a name.
    pub fn new(name: &'static str, run: F) -> Self {
        Self { name, run }
    }
}

impl<F> Method for Preset<F>
where
    F: Fn(&Graph, &Graph, &Anchors, &Monitor) -> Result<Matching> + Send + Sync,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(
        &self,
        source: &Graph,
        target: &Graph,
        anchors: &Anchors,
        monitor: &Monitor,
    ) -> Result<Found> {
        let matching = (self.run)(source, target, anchors, monitor)?;
        Ok(Found::of_matching(&matching, source.nodes()))
    }
}

/// The presets of the matcher, as methods.
#[must_use]
pub fn presets() -> Vec<Box<dyn Method>> {
    vec![
        Box::new(Preset::new("best", |source, target, anchors, monitor| {
            Best::default().run(source, target, anchors, monitor)
        })),
        Box::new(Preset::new("fast", |source, target, anchors, monitor| {
            Best::fast().run(source, target, anchors, monitor)
        })),
        Box::new(Preset::new("paper", |source, target, anchors, monitor| {
            Paper::default().run(source, target, anchors, monitor)
        })),
    ]
}

/// The names of all methods: the presets, then the solvers of the registry.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let solvers = registry::all();
    let solvers = solvers.iter().map(|solver| solver.info().name);
    let presets = presets().into_iter().map(|preset| preset.name());
    presets.chain(solvers).collect()
}

/// The preset or the solver called `name`; `seed` is the solver's.
///
/// # Errors
/// When there is none; the message lists the names.
pub fn by_name(name: &str, seed: u64) -> Result<Box<dyn Method>> {
    if let Some(preset) = presets().into_iter().find(|preset| preset.name() == name) {
        return Ok(preset);
    }
    match registry::by_name(name) {
        Ok(solver) => Ok(Box::new(SeededSolver::new(solver, seed))),
        Err(_) => Err(Error::parameter(
            "methods",
            format!("`{name}`"),
            format!("some of {}", names().join(", ")),
        )),
    }
}

/// The adjacency matrix: as lists when three entries of four are zero, whole otherwise.
fn weights(graph: &Graph) -> Weights {
    let n = graph.nodes();
    if 8 * graph.edges() > n * n {
        return Weights::Dense(graph.adjacency());
    }
    let row = |i: usize| graph.neighbours(i).map(|(j, w)| (j as u32, w)).collect();
    Weights::Sparse((0..n).map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn every_name_is_that_of_a_method() {
        let names = names();
        assert!(names.contains(&"goat"));
        for name in names {
            assert_eq!(by_name(name, 0).unwrap().name(), name);
        }
        let message = by_name("magic", 0).err().unwrap().to_string();
        assert!(
            message.contains("`magic`") && message.contains("paper, rrwm"),
            "{message}"
        );
    }

    #[test]
    fn solvers_and_presets_find_a_path_and_keep_the_anchor() {
        let path = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 2.0), (2, 3, 3.0)]).unwrap();
        let order = [2, 0, 3, 1];
        let target = path.permuted(&order).unwrap();
        let place = |node| order.iter().position(|&k| k == node);
        let want: Vec<_> = (0..4).map(place).collect();
        let anchors = Anchors::from_indices(&path, &target, &[(0, place(0).unwrap())]).unwrap();
        for name in ["faq", "goat", "tabu"] {
            let method = by_name(name, 0).unwrap();
            let found = method
                .run(&path, &target, &anchors, &Monitor::silent())
                .unwrap();
            assert_eq!(found.partners, want, "{name}");
        }
        let paper = by_name("paper", 0).unwrap();
        let found = paper
            .run(&path, &target, &anchors, &Monitor::silent())
            .unwrap();
        assert_eq!(found.partners.partner(0), want[0]);
    }

    #[test]
    fn soft_anchors_are_no_seeds() {
        let path = Graph::from_edges(3, &[(0, 1, 1.0), (1, 2, 2.0)]).unwrap();
        let anchors = Anchors::from_labels(&path, &path, [("0", "0", Some(0.5))]).unwrap();
        let method = by_name("faq", 0).unwrap();
        let error = method
            .run(&path, &path, &anchors, &Monitor::silent())
            .unwrap_err();
        assert!(error.to_string().contains("soft"), "{error}");
    }
}
