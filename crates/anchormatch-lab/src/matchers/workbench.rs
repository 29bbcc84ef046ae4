//! W put together by hand: for terms, affinities and solvers that no preset has.
//!
//! The preset [`Paper`](anchormatch::matcher::Paper) builds the paper's W. Here its pieces lie side by
//! side, so that one can be exchanged: take [`heat`](Workbench::heat), add first-order terms to a matrix
//! of free pairs with [`add_affinity`](anchormatch::affinity::first_order::add_affinity), choose a
//! second-order affinity and [`solve`](Workbench::solve). With the paper's pieces the answer is the
//! preset's, which a test checks.

use anchormatch::affinity::first_order::{diffusion_loss, heat_to_anchors};
use anchormatch::affinity::proximity::{Examples, Learner};
use anchormatch::affinity::second_order::bandwidth;
use anchormatch::anchors::Anchor;
use anchormatch::linalg::Matrix;
use anchormatch::matcher::matching_of;
use anchormatch::problem::{
    ExplicitPairwise, GaussianKernel, Pairwise, Problem, SeparablePairwise,
};
use anchormatch::solver::{Solver, Start};
use anchormatch::spectral::{Spectrum, diffusion_time, heat_kernel};
use anchormatch::{Anchors, Graph, Matching, Monitor, Result, Task};
use serde::{Deserialize, Serialize};

/// The largest error of an affinity in a separable kernel, as in the preset.
const KERNEL_TOLERANCE: f64 = 1e-6;

/// A task on the bench: its graphs, its anchors and the nodes that are free.
#[derive(Debug)]
pub struct Workbench<'a> {
    /// The two graphs.
    pub graphs: [&'a Graph; 2],
    /// What is known.
    pub anchors: &'a Anchors,
    /// The nodes of each graph that no anchor fixes, ascending: rows and columns of the problem.
    pub free: [Vec<usize>; 2],
    /// Watches the work.
    pub monitor: &'a Monitor,
    task: &'a Task<'a>,
}

/// Spectra and heat kernels of both graphs.
#[derive(Debug)]
pub struct Heat {
    /// The eigenpairs of the Laplacians.
    pub spectra: [Spectrum; 2],
    /// n · k_t of each graph at its own time, over all nodes.
    pub kernels: [Matrix; 2],
}

/// How a rival of an anchor is punished, Ω.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// The diffusion distance k(u,u) + k(v,v) − 2 k(u,v), largest 1.
    Diffusion,
    /// The same for all.
    Constant,
    /// The heat kernel itself, largest 1: a closeness.
    Kernel,
}

impl<'a> Workbench<'a> {
    /// Puts a task on the bench.
    #[must_use]
    pub fn new(task: &'a Task<'a>, monitor: &'a Monitor) -> Self {
        let anchors = task.anchors();
        let (source, target) = anchors.free_nodes(task.source(), task.target());
        Self {
            graphs: task.graphs(),
            anchors,
            free: [source, target],
            monitor,
            task,
        }
    }

    /// A first-order matrix without any term: a row for each free source node, a column for each free
    /// target node.
    #[must_use]
    pub fn no_terms(&self) -> Matrix {
        Matrix::zeros(self.free[0].len(), self.free[1].len())
    }

    /// Heat after τ over the mean nonzero eigenvalue, in units of even heat.
    ///
    /// # Errors
    /// When τ is out of range or the memory does not suffice.
    pub fn heat(&self, tau: f64) -> Result<Heat> {
        let spectra = [
            Spectrum::of(self.graphs[0], self.monitor)?,
            Spectrum::of(self.graphs[1], self.monitor)?,
        ];
        let mut kernels = [Matrix::zeros(0, 0), Matrix::zeros(0, 0)];
        for (g, kernel) in kernels.iter_mut().enumerate() {
            *kernel = heat_kernel(&spectra[g], diffusion_time(self.graphs[g], tau)?);
            let nodes = spectra[g].node_count() as f64;
            for value in kernel.as_mut_slice() {
                *value *= nodes;
            }
        }
        Ok(Heat { spectra, kernels })
    }

    /// Matrices over all nodes, cut to the free ones: the values that pairs are compared by.
    #[must_use]
    pub fn free_values(&self, all: [&Matrix; 2]) -> [Matrix; 2] {
        [0, 1].map(|g| all[g].select(&self.free[g], &self.free[g]))
    }

    /// d_ap, heat summed over the anchors before it is compared.
    #[must_use]
    pub fn heat_to_anchors(&self, heat: &Heat) -> Matrix {
        let kernels = [&heat.kernels[0], &heat.kernels[1]];
        heat_to_anchors(kernels, self.anchors, &self.free[0], &self.free[1])
    }

    /// d_B from the `count` lowest eigenvectors, B learned from the anchors.
    ///
    /// # Errors
    /// When the learner refuses its parameters or there are no anchors.
    pub fn proximity(
        &self,
        heat: &Heat,
        count: usize,
        learner: &Learner,
        loss: Loss,
    ) -> Result<Matrix> {
        let fewest = heat.spectra[0]
            .node_count()
            .min(heat.spectra[1].node_count());
        let count = count.min(fewest.saturating_sub(1)).max(1);
        let features = [0, 1].map(|g| heat.spectra[g].squared_eigenvectors(count));
        let pairs: Vec<Anchor> = self.anchors.iter().collect();
        let nodes = [
            pairs.iter().map(|p| p.source).collect::<Vec<_>>(),
            pairs.iter().map(|p| p.target).collect::<Vec<_>>(),
        ];
        let losses = [0, 1].map(|g| losses(&heat.kernels[g], &nodes[g], loss));
        let learned = learner.learn(
            &Examples {
                source: &features[0],
                target: &features[1],
                anchors: &pairs,
                source_loss: &losses[0],
                target_loss: &losses[1],
            },
            self.monitor,
        )?;
        let columns: Vec<usize> = (0..count).collect();
        Ok(learned.distance(
            &features[0].select(&self.free[0], &columns),
            &features[1].select(&self.free[1], &columns),
        ))
    }

    /// exp(−Δ²/s) with s = `width` · mean Δ² over pairs that do not conflict.
    ///
    /// # Errors
    /// When the width is not positive or the memory does not suffice.
    pub fn gaussian(&self, [x, y]: [Matrix; 2], width: f64) -> Result<Box<dyn Pairwise>> {
        let s = bandwidth(&x, &y, width)?;
        self.gaussian_at([x, y], s)
    }

    /// exp(−Δ²/s) with s as given.
    ///
    /// # Errors
    /// As [`gaussian`](Self::gaussian).
    pub fn gaussian_at(&self, [x, y]: [Matrix; 2], s: f64) -> Result<Box<dyn Pairwise>> {
        let kernel = GaussianKernel::new(s)?;
        Ok(Box::new(SeparablePairwise::new(
            x,
            y,
            kernel,
            KERNEL_TOLERANCE,
            self.monitor,
        )?))
    }

    /// Any affinity of two values, as a matrix with n⁴ entries: for small graphs.
    ///
    /// # Errors
    /// When the matrix does not fit in memory or a value is not finite.
    pub fn explicit(
        &self,
        [x, y]: [Matrix; 2],
        affinity: impl Fn(f64, f64) -> f64,
    ) -> Result<Box<dyn Pairwise>> {
        Ok(Box::new(ExplicitPairwise::from_values(
            &x,
            &y,
            affinity,
            self.monitor,
        )?))
    }

    /// Maximises the program over the free nodes.
    ///
    /// # Errors
    /// When the shapes do not fit or the solver refuses the problem.
    pub fn solve(
        &self,
        unary: Matrix,
        pairwise: Box<dyn Pairwise>,
        solver: &dyn Solver,
        seed: u64,
    ) -> Result<Matching> {
        let problem = Problem::maximise(unary, pairwise)?;
        let watch = self.monitor.stopwatch();
        let solution = solver.solve(&problem, &Start::seeded(seed), self.monitor)?;
        let mut matching = matching_of(self.task, solution);
        matching.timings.push(("solve".to_owned(), watch.seconds()));
        Ok(matching)
    }
}

fn losses(kernel: &Matrix, anchors: &[usize], loss: Loss) -> Matrix {
    let (rows, cols) = (anchors.len(), kernel.rows());
    match loss {
        Loss::Diffusion => diffusion_loss(kernel, anchors),
        Loss::Constant => Matrix::filled(rows, cols, 1.0),
        Loss::Kernel => {
            let close = |u: usize, v: usize| kernel[(anchors[u], v)].max(0.0);
            let mut matrix = Matrix::from_fn(rows, cols, close);
            let largest = matrix.as_slice().iter().fold(0.0f64, |m, &v| m.max(v));
            for value in matrix.as_mut_slice() {
                *value /= largest.max(f64::MIN_POSITIVE);
            }
            matrix
        }
    }
}

#[cfg(test)]
mod tests {
    use anchormatch::affinity::first_order::{add_affinity, wave_distance};
    use anchormatch::matcher::{Matcher, Paper, Terms};
    use anchormatch::solver::Rrwm;
    use anchormatch::spectral::mean_eigenvalue;

    use super::*;
    use crate::experiments::Trial;
    use crate::experiments::reproduce::Point;
    use anchormatch_generate::Synthetic;

    #[test]
    fn the_papers_pieces_give_the_presets_answers() {
        let graphs = Synthetic {
            noise: 0.3,
            target_outliers: 2,
            ..Synthetic::default()
        };
        let point = Point::synthetic("bench", graphs, 3, 3, 1);
        let monitor = Monitor::silent();
        for k in 0..3 {
            let trial = point.trial(k).unwrap();
            let task = trial.task().unwrap();
            for terms in Terms::ALL {
                let preset = Paper::with_terms(terms);
                let bench = Workbench::new(&task, &monitor);
                let heat = bench.heat(preset.tau).unwrap();
                let mut unary = bench.no_terms();
                if terms.uses_wave() {
                    let spectra = [&heat.spectra[0], &heat.spectra[1]];
                    let means = bench.graphs.map(mean_eigenvalue);
                    let (source, target) = (&bench.free[0], &bench.free[1]);
                    let energies = preset.wave_energies;
                    let d = wave_distance(spectra, means, energies, source, target).unwrap();
                    add_affinity(&mut unary, &d, preset.wave_weight);
                }
                if terms.uses_heat_to_anchors() {
                    add_affinity(
                        &mut unary,
                        &bench.heat_to_anchors(&heat),
                        preset.anchor_weight,
                    );
                }
                if terms.uses_proximity() {
                    let (count, learner) = (preset.eigenvectors, &preset.learner);
                    let d = bench
                        .proximity(&heat, count, learner, Loss::Diffusion)
                        .unwrap();
                    add_affinity(&mut unary, &d, preset.proximity_weight);
                }
                let values = if terms.uses_heat() {
                    bench.free_values([&heat.kernels[0], &heat.kernels[1]])
                } else {
                    let all = bench.graphs.map(Graph::adjacency);
                    bench.free_values([&all[0], &all[1]])
                };
                let pairwise = bench.gaussian(values, preset.width).unwrap();
                let by_hand = bench.solve(unary, pairwise, &Rrwm::linear(), 0).unwrap();
                let wanted = preset.run(&task, &monitor).unwrap();
                assert_eq!(by_hand.pairs, wanted.pairs, "{terms}");
                assert_eq!(by_hand.iterations, wanted.iterations, "{terms}");
            }
        }
    }

    fn trial(anchors: usize) -> Trial {
        let graphs = Synthetic {
            noise: 0.2,
            ..Synthetic::default()
        };
        let point = Point::synthetic("bench", graphs, anchors, 1, 1);
        point.trial(0).unwrap()
    }

    #[test]
    fn explicit_and_separable_affinities_agree() {
        let (trial, monitor) = (trial(2), Monitor::silent());
        let task = trial.task().unwrap();
        let bench = Workbench::new(&task, &monitor);
        let all = bench.graphs.map(Graph::adjacency);
        let values = || bench.free_values([&all[0], &all[1]]);
        let answer = |pairwise| {
            bench
                .solve(bench.no_terms(), pairwise, &Rrwm::default(), 0)
                .unwrap()
        };
        let separable = answer(bench.gaussian_at(values(), 0.15).unwrap());
        let explicit = answer(
            bench
                .explicit(values(), |x, y| (-(x - y) * (x - y) / 0.15).exp())
                .unwrap(),
        );
        assert_eq!(separable.mapping(), explicit.mapping());
    }
}
