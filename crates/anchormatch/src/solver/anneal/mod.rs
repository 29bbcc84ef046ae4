//! Simulated annealing and ejection chains for the product form of sparse graphs.
//!
//! SANA (Mamano, Hayes, *Bioinformatics* 33, 2017) aligns networks by annealing over exchanges of two
//! partners, judged in the degrees of the nodes alone. This search adds four things.
//!
//! * It begins at a few steps of GOAT, which put the hubs where they belong; what is left is local, so
//!   that the temperature can begin low: from 3/4 of a conserved edge to 1/5.
//! * The gradient is kept up to date ([`state`]), so that a proposal costs O(1), and only an exchange
//!   that is made costs the product of the degrees.
//! * Most proposals begin at a row that lacks something and go to a neighbour of the image of one of
//!   its neighbours, as WalkSAT picks a variable from a clause that is not satisfied (Selman, Kautz,
//!   Cohen, AAAI 1994). Where nothing is lacking any more, the optimum is reached and proven.
//! * [`chains`] of exchanges carry whole pieces of the graph, which single exchanges do not.
//!
//! Walks with their own random numbers run side by side; the best one counts. At last each one goes on
//! around its optimum, and the answer is decoded from the [`occupancy`] of that time.
//!
//! All of this is for product forms without candidates. Where candidates are listed, [`listed`] anneals
//! over their lists, for any W.

mod chains;
mod instance;
mod listed;
mod occupancy;
mod opening;
mod state;
mod walk;

#[cfg(test)]
mod tests;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::instance::Instance;
use self::occupancy::Occupancy;
use self::opening::opening;
use self::walk::{Walk, mended, walk};
use super::starting::{completed, starting_point};
use super::{Goat, Info, Kind, OnLists, Solution, Solver, Start, Status, round_within};
use crate::assignment::Assignment;
use crate::error::{Error, Hint, Result};
use crate::monitor::Monitor;
use crate::problem::{Coverage, Problem, ProductPairwise};

/// The search's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Anneal {
    /// Walks from the same start. Default 2.
    pub walks: usize,
    /// Rounds of a walk at most, each an annealing and chains after it; one that gains nothing is the
    /// last. Default 5.
    pub rounds: usize,
    /// Exchanges that a round proposes, in multiples of the larger side; over listed candidates at most 16
    /// moves for each of them. Default 500.
    pub sweeps: usize,
    /// Chains that a round makes, in multiples of the larger side; none over listed candidates. Default 2.
    pub chains: usize,
    /// Exchanges that are proposed around the best assignment to sample others that are as good, in
    /// multiples of the larger side; 0 for none. Default 1500.
    pub samples: usize,
    /// The first temperature, in conserved edges of mean weight. Default 0.75.
    pub hot: f64,
    /// The last temperature. Default 0.2.
    pub cold: f64,
    /// The temperature at which assignments around the best are sampled. Default 0.1.
    pub sampling: f64,
    /// Iterations of GOAT, or of FAQ over listed candidates, where no start is given; 0 for a random start.
    /// Default 6.
    pub opening: usize,
}

impl Default for Anneal {
    fn default() -> Self {
        Self {
            walks: 2,
            rounds: 5,
            sweeps: 500,
            chains: 2,
            samples: 1500,
            hot: 0.75,
            cold: 0.2,
            sampling: 0.1,
            opening: 6,
        }
    }
}

impl Anneal {
    /// Where the walks begin.
    fn open(
        &self,
        problem: &Problem,
        instance: &Instance,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Assignment> {
        if start.assignment.is_some() || start.soft.is_some() || self.opening == 0 {
            let mut random = ChaCha8Rng::seed_from_u64(start.seed);
            return starting_point(problem, start, &mut random, monitor);
        }
        if instance.rows == instance.cols {
            return opening(instance, self.opening, monitor);
        }
        let goat = Goat {
            max_iterations: self.opening,
            // Balanced enough for an opening; the warm start does the rest.
            sinkhorn_sweeps: 30,
            ..Goat::default()
        };
        let opening = goat.solve(problem, start, monitor)?;
        completed(problem, &opening.assignment)
    }
}

/// The factors of a problem that this search takes.
fn factors(problem: &Problem) -> Result<&ProductPairwise> {
    let refuse = |found: &str, expected: &str| Err(Error::parameter("problem", found, expected));
    let Some(product) = problem.pairwise().as_product() else {
        return refuse(
            "pairwise values that are no products",
            "a quadratic assignment problem with matrices A and B, over which anneal exchanges partners",
        );
    };
    if problem.coverage() == Coverage::Partial {
        return refuse(
            "nodes that may stay alone",
            "the smaller side fully matched; tabu leaves nodes alone",
        );
    }
    Ok(product)
}

impl Solver for Anneal {
    fn info(&self) -> Info {
        Info {
            name: "anneal",
            kind: Kind::Search,
            reference: "Mamano, Hayes, Bioinformatics 33, 2017; with chains",
            complexity: "O(1) a proposal, O(d_A d_B) an exchange, d the degrees",
            accepts: "product forms A X B, best when sparse; with listed candidates any",
            candidates: OnLists::Listed,
        }
    }

    fn check(&self) -> Result<()> {
        for (name, value) in [
            ("hot", self.hot),
            ("cold", self.cold),
            ("sampling", self.sampling),
        ] {
            if !(value > 0.0 && value <= 1e6) {
                return Err(Error::parameter(
                    name,
                    value,
                    "a number above 0, at most 1e6",
                ));
            }
        }
        if !(1..=1024).contains(&self.walks) {
            return Err(Error::parameter("walks", self.walks, "1 to 1024"));
        }
        Ok(())
    }

    fn accepts(&self, problem: &Problem) -> Result<()> {
        if problem.candidates().is_all() {
            factors(problem)?;
        }
        Ok(())
    }

    /// The instance and its walks are reserved where they begin, with advice of their own.
    fn memory(&self, _problem: &Problem) -> u64 {
        0
    }

    /// `iterations` counts proposals and chains of all walks; `Converged` says that the optimum is
    /// proven.
    ///
    /// # Complexity
    /// `sweeps` n proposals of O(1) and some percent of them exchanges of O(d_A d_B) for each walk.
    /// Memory: 4 bytes for each pair of nodes and walk, and as much again; for listed candidates
    /// O(candidates + edges) for each walk.
    fn solve_accepted(
        &self,
        problem: &Problem,
        start: &Start<'_>,
        monitor: &Monitor,
    ) -> Result<Solution> {
        if !problem.candidates().is_all() {
            return listed::solve(self, problem, start, monitor);
        }
        let product = factors(problem)?;
        let (n, m) = problem.shape();
        let states = self.walks.min(rayon::current_num_threads());
        // The sum of the occupancies takes as much as two more.
        let occupancies = if self.samples > 0 { self.walks + 2 } else { 2 };
        monitor.reserve(
            &format!("a search over {n}×{m} assignments"),
            Instance::memory(problem, product, (states, occupancies)),
            &[Hint::MoreMemory, Hint::FewerWalks],
        )?;
        let instance = Instance::new(problem, product);
        let first = self.open(problem, &instance, start, monitor)?;
        let unobserved = monitor.unobserved();
        let walks: Vec<Walk> = (0..self.walks)
            .into_par_iter()
            .map(|number| {
                let monitor = if number == 0 { monitor } else { &unobserved };
                walk(
                    self,
                    &instance,
                    &first,
                    (start.seed, number as u64),
                    monitor,
                )
            })
            .collect();
        let iterations = walks.iter().map(|walk| walk.iterations).sum();
        let interrupt = walks.iter().find_map(|walk| walk.interrupt);
        let most = walks
            .iter()
            .map(|walk| walk.value)
            .fold(f64::NEG_INFINITY, f64::max);
        // Those that are equally good.
        let mut best: Vec<Walk> = walks
            .into_iter()
            .filter(|walk| walk.value > most - 1e-3)
            .collect();
        let soft = joint_occupancy(&mut best).map(|occupancy| occupancy.matrix(&instance));
        let optimal = best.iter().any(|walk| walk.optimal);
        let first = best.swap_remove(0);
        let mut assignment = instance.assignment(&first.partners);
        let mut objective = problem.objective(&assignment);
        if let Some(soft) = &soft {
            let decoded = round_within(problem, soft, monitor)?;
            let (decoded, value) = mended(&instance, &decoded, start.seed);
            if value > most - 1e-3 {
                let value = problem.objective(&decoded);
                if !problem.sense().better(objective, value) {
                    (assignment, objective) = (decoded, value);
                }
            }
        }
        let status = match interrupt {
            _ if optimal => Status::Converged,
            Some(interrupt) => interrupt.into(),
            None => Status::IterationLimit,
        };
        let last = first.improvements[first.improvements.len() - 1];
        let unit = problem.sense().sign() * instance.unit();
        let convergence = first.improvements.iter();
        Ok(Solution {
            objective,
            soft: soft.map(Into::into),
            iterations,
            status,
            convergence: convergence.map(|g| objective + unit * (g - last)).collect(),
            assignment,
        })
    }
}

/// The occupancy of all walks together.
fn joint_occupancy(walks: &mut [Walk]) -> Option<Occupancy> {
    let mut all = walks.iter_mut().filter_map(|walk| walk.occupancy.take());
    let mut joint = all.next()?;
    all.for_each(|occupancy| joint.add(&occupancy));
    Some(joint)
}
