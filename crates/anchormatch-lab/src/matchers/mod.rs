//! Matchers beside those of the library, for comparisons.
//!
//! [`SeededSolver`] is a solver of the registry on the product of both adjacency matrices; [`ByHand`] is
//! a [`Program`] of one's own, its W put together on the [`Workbench`]. [`all`] lists what experiments
//! can pick by name: every matcher of the library, then every solver, then [`Percolation`] and
//! [`LabelPropagation`], the simple baselines. A new matcher or solver is among them by itself.

mod by_hand;
#[cfg(test)]
pub(crate) mod fixed;
mod icp;
mod label_propagation;
mod percolation;
mod seeded_solver;
mod workbench;

pub use by_hand::{ByHand, Program};
pub use icp::{Icp, IcpFamily};
pub use label_propagation::LabelPropagation;
pub use percolation::Percolation;
pub use seeded_solver::SeededSolver;
pub use workbench::{Heat, Loss, Workbench};

use anchormatch::matcher::{Matcher, matching_of, registry};
use anchormatch::settings::{self, Settings};
use anchormatch::solver::{Solution, Status};
use anchormatch::{Assignment, Error, Matching, Monitor, Result, Task, solver};

/// The parameter that sets everything random in a matcher.
pub(crate) const SEED: &str = "seed";

/// The matchers of the library, then the solvers as matchers, then the baselines.
#[must_use]
pub fn all() -> Vec<Box<dyn Matcher>> {
    let solvers = solver::registry::all().into_iter();
    let solvers = solvers.map(|solver| Box::new(SeededSolver::new(solver)) as Box<dyn Matcher>);
    let baselines: [Box<dyn Matcher>; 2] = [Box::new(Percolation), Box::new(LabelPropagation)];
    let library = registry::all().into_iter();
    library.chain(solvers).chain(baselines).collect()
}

/// [`Matcher::configured`] of a matcher without parameters: itself, unless some are given.
fn without_parameters<M: Matcher + Copy + 'static>(
    matcher: &M,
    settings: &Settings,
) -> Result<Box<dyn Matcher>> {
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    settings::changed(matcher.name(), &Nothing {}, settings)?;
    Ok(Box::new(*matcher))
}

/// What a baseline found of the free nodes, which has no objective of its own.
fn found(task: &Task<'_>, assignment: Assignment, monitor: &Monitor) -> Matching {
    let interrupt = monitor.interrupted();
    let solution = Solution {
        objective: 0.0,
        assignment,
        soft: None,
        iterations: 0,
        status: interrupt.map_or(Status::Converged, Status::from),
        convergence: Vec::new(),
    };
    matching_of(task, solution)
}

/// The names of [`all`].
#[must_use]
pub fn names() -> Vec<String> {
    all().iter().map(|m| m.name().to_owned()).collect()
}

/// The one of [`all`] that is called `name`.
///
/// # Errors
/// When there is none; the message lists the names.
pub fn by_name(name: &str) -> Result<Box<dyn Matcher>> {
    let found = all().into_iter().find(|matcher| matcher.name() == name);
    found.ok_or_else(|| {
        let expected = format!("some of {}", names().join(", "));
        Error::parameter("methods", format!("`{name}`"), expected)
    })
}

/// The matcher with another seed; the same where it has none.
///
/// # Errors
/// Those of [`Matcher::configured`].
pub fn seeded(matcher: &dyn Matcher, seed: u64) -> Result<Box<dyn Matcher>> {
    let mut settings = Settings::new();
    if matcher.parameters().contains_key(SEED) {
        settings.insert(SEED.to_owned(), seed.into());
    }
    matcher.configured(&settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::Graph;

    #[test]
    fn every_name_is_that_of_a_matcher() {
        let names = names();
        assert!(names.iter().any(|name| name == "goat"));
        for name in names {
            assert_eq!(by_name(&name).unwrap().name(), name);
        }
        let message = by_name("magic").unwrap_err().to_string();
        for name in ["`magic`", "best, fast, paper", "rrwm, sm, "] {
            assert!(message.contains(name), "{message}");
        }
    }

    #[test]
    fn seeds_are_set_and_nothing_else_is() {
        for matcher in all() {
            let mut wanted = matcher.parameters();
            let has_seed = wanted.contains_key(SEED);
            if has_seed {
                wanted.insert(SEED.to_owned(), u64::MAX.into());
            }
            let is_solver = solver::registry::by_name(matcher.name()).is_ok();
            assert!(has_seed || !is_solver, "{matcher:?}");
            let other = seeded(&*matcher, u64::MAX).unwrap();
            assert_eq!(other.parameters(), wanted, "{matcher:?}");
            assert_eq!(other.name(), matcher.name());
        }
    }

    #[test]
    fn solvers_and_matchers_find_a_path_and_keep_the_anchor() {
        let path = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 2.0), (2, 3, 3.0)]).unwrap();
        let order = [2, 0, 3, 1];
        let target = path.permuted(&order).unwrap();
        let place = |node| order.iter().position(|&k| k == node).unwrap();
        let task = Task::from_pairs(&path, &target, &[(0, place(0))]).unwrap();
        for name in ["faq", "goat", "tabu"] {
            let found = by_name(name).unwrap().run(&task, &Monitor::silent());
            let pairs = found.unwrap().pairs;
            assert!(pairs.iter().all(|pair| pair.target == place(pair.source)));
            assert_eq!(pairs.len(), 4, "{name}");
        }
        let found = by_name("paper").unwrap().run(&task, &Monitor::silent());
        assert_eq!(found.unwrap().mapping()[&0], place(0));
    }
}
