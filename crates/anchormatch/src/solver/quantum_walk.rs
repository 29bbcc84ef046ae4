//! Matching by the interference of quantum walks (Emms, Wilson, Hancock, *Graph matching using the interference of
//! continuous-time quantum walks*, Pattern Recognition 42, 2009).
//!
//! An auxiliary graph joins the two: for every pair (i, a) a node that is linked to i and to a. A walker starts with
//! amplitudes of opposite signs on the two graphs, here the degrees, and moves by ψ(t) = exp(−iHt) ψ(0), H the
//! auxiliary graph's adjacency matrix. Were i and a each other's images under an isomorphism, exchanging the graphs
//! would turn ψ into −ψ and keep the node (i, a): its amplitude is zero at all times. So the probability of being found at
//! (i, a), here the mean over times, is the cost of that pair, and a linear assignment does the rest.
//!
//! The authors diagonalise H, which has n² + 2n rows: O(n⁶). But the amplitudes of pairs are sums,
//! ψ(i, a) = p_i + q_a, since H ψ is x_i + y_a there and ψ(0) is 0; with x and y the amplitudes on the graphs,
//!
//! > (Hψ)_x = A x + m p + Σq,   (Hψ)_y = B y + n q + Σp,   (Hψ)_p = x,   (Hψ)_q = y
//!
//! is the same walk in 2(n + m) numbers, exactly. Read differently from the paper: weights in place of zeros and ones, and a
//! mean over times in place of one time found by trial.

use serde::{Deserialize, Serialize};

use super::relaxation::{check_nonnegative, check_positive};
use super::two_graphs::{OfTwoGraphs, Scores, TwoGraphs, degrees};
use super::{Start, Status};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::monitor::{Monitor, Progress};

/// Terms of the exponential series in a step.
const TERMS: usize = 12;

/// A step times the bound of ‖H‖: the first term left out is below 1e-12.
const STEP: f64 = 0.5;

/// The walk's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct QuantumWalk {
    /// How long the walk is watched, in units of 1/√n. Default 12.
    pub duration: f64,
    /// Times at which it is looked at, evenly spaced. Default 48.
    pub times: usize,
    /// How much the unary terms, scaled to [0, 1], weigh against the score. Default 1.
    pub unary_weight: f64,
}

impl Default for QuantumWalk {
    fn default() -> Self {
        Self {
            duration: 12.0,
            times: 48,
            unary_weight: 1.0,
        }
    }
}

impl OfTwoGraphs for QuantumWalk {
    const NAME: &str = "quantum-walk";
    const REFERENCE: &str = "Emms, Wilson, Hancock, Pattern Recognition 2009";
    const COMPLEXITY: &str = "O(n²) a step of the walk, one linear assignment";
    const SQUARES: u64 = 8;

    fn check_parameters(&self) -> Result<()> {
        check_nonnegative("duration", self.duration)?;
        check_positive("times", self.times)?;
        check_nonnegative("unary_weight", self.unary_weight)
    }

    fn unary_weight(&self) -> f64 {
        self.unary_weight
    }

    /// The start is not used. A stop leaves out the later times.
    ///
    /// # Complexity
    /// O(n²) time a step, O(√n) steps a unit of time; O(n²) memory.
    fn scores(&self, graphs: &TwoGraphs, _start: &Start<'_>, monitor: &Monitor) -> Result<Scores> {
        let (n, m) = (graphs.source.rows(), graphs.target.rows());
        let hamiltonian = Hamiltonian::new(graphs.clone());
        let mut state = hamiltonian.start();
        let mut cost = Matrix::zeros(n, m);
        let interval = self.duration / (self.times as f64 * (n.max(m).max(1) as f64).sqrt());
        let (mut status, mut residuals) = (Status::Converged, Vec::new());
        for time in 0..self.times {
            state = hamiltonian.walk(state, interval);
            let mut sum = 0.0;
            for i in 0..n {
                for (a, slot) in cost.row_mut(i).iter_mut().enumerate() {
                    let probability: f64 = [0, 1]
                        .iter()
                        .map(|&part: &usize| (state[part].p[i] + state[part].q[a]).powi(2))
                        .sum();
                    *slot += probability;
                    sum += probability;
                }
            }
            residuals.push(sum);
            let interrupt = monitor.checkpoint(Progress {
                stage: "quantum-walk",
                done: time + 1,
                total: Some(self.times),
                value: Some(sum),
            });
            if let Some(interrupt) = interrupt {
                status = interrupt.into();
                break;
            }
        }
        cost.as_mut_slice().iter_mut().for_each(|v| *v = -v.sqrt());
        Ok(Scores {
            tried: vec![cost],
            status,
            residuals,
        })
    }
}

/// Amplitudes on both graphs, and p and q of those on pairs; a real or an imaginary part.
#[derive(Debug, Clone)]
struct Amplitudes {
    x: Vec<f64>,
    y: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
}

impl Amplitudes {
    fn zeros(n: usize, m: usize) -> Self {
        let [x, p] = [vec![0.0; n], vec![0.0; n]];
        let [y, q] = [vec![0.0; m], vec![0.0; m]];
        Self { x, y, p, q }
    }

    fn add(&mut self, other: &Self, scale: f64) {
        for (mine, theirs) in [
            (&mut self.x, &other.x),
            (&mut self.y, &other.y),
            (&mut self.p, &other.p),
            (&mut self.q, &other.q),
        ] {
            for (slot, value) in mine.iter_mut().zip(theirs) {
                *slot += scale * value;
            }
        }
    }
}

struct Hamiltonian {
    graphs: TwoGraphs,
    /// A bound of its norm.
    bound: f64,
}

impl Hamiltonian {
    /// Both graphs in units that make their mean degree √N, the strength with which a node is tied to its N pairs.
    fn new(mut graphs: TwoGraphs) -> Self {
        let (n, m) = (graphs.source.rows(), graphs.target.rows());
        let tie = (n.max(m).max(1) as f64).sqrt();
        let mut largest = 0.0f64;
        for graph in [&mut graphs.source, &mut graphs.target] {
            let rows = graph.rows().max(1) as f64;
            let mean = graph.as_slice().iter().map(|v| v.abs()).sum::<f64>() / rows;
            let unit = if mean > 0.0 { tie / mean } else { 0.0 };
            graph.as_mut_slice().iter_mut().for_each(|v| *v *= unit);
            for i in 0..graph.rows() {
                largest = largest.max(graph.row(i).iter().map(|v| v.abs()).sum());
            }
        }
        Self {
            graphs,
            bound: largest + 2.0 * tie,
        }
    }

    /// Degrees on the source, and with the other sign on the target: the real and the imaginary part.
    fn start(&self) -> [Amplitudes; 2] {
        let (n, m) = (self.graphs.source.rows(), self.graphs.target.rows());
        let mut real = Amplitudes::zeros(n, m);
        real.x = degrees(&self.graphs.source);
        real.y = degrees(&self.graphs.target);
        real.y.iter_mut().for_each(|v| *v = -*v);
        let square: f64 = real.x.iter().chain(&real.y).map(|v| v * v).sum();
        if square > 0.0 {
            let unit = 1.0 / square.sqrt();
            real.x
                .iter_mut()
                .chain(&mut real.y)
                .for_each(|v| *v *= unit);
        }
        [real, Amplitudes::zeros(n, m)]
    }

    fn apply(&self, psi: &Amplitudes) -> Amplitudes {
        let (n, m) = (psi.x.len(), psi.y.len());
        let (sum_p, sum_q): (f64, f64) = (psi.p.iter().sum(), psi.q.iter().sum());
        let product = |graph: &Matrix, v: &[f64], i: usize| -> f64 {
            graph.row(i).iter().zip(v).map(|(w, v)| w * v).sum()
        };
        let x =
            (0..n).map(|i| product(&self.graphs.source, &psi.x, i) + m as f64 * psi.p[i] + sum_q);
        let y =
            (0..m).map(|a| product(&self.graphs.target, &psi.y, a) + n as f64 * psi.q[a] + sum_p);
        Amplitudes {
            x: x.collect(),
            y: y.collect(),
            p: psi.x.clone(),
            q: psi.y.clone(),
        }
    }

    /// exp(−iHt) ψ.
    fn walk(&self, state: [Amplitudes; 2], time: f64) -> [Amplitudes; 2] {
        let steps = (time * self.bound / STEP).ceil().max(1.0);
        let h = time / steps;
        let mut state = state;
        for _ in 0..steps as usize {
            let mut term = state.clone();
            for k in 1..=TERMS {
                // −iH (r + i s) = H s − i H r.
                let [real, imaginary] = &term;
                let (from_real, from_imaginary) = (self.apply(real), self.apply(imaginary));
                let (n, m) = (real.x.len(), real.y.len());
                let mut next = [Amplitudes::zeros(n, m), Amplitudes::zeros(n, m)];
                next[0].add(&from_imaginary, h / k as f64);
                next[1].add(&from_real, -h / k as f64);
                state[0].add(&next[0], 1.0);
                state[1].add(&next[1], 1.0);
                term = next;
            }
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use super::super::two_graphs::tests::{is_exact_on_isomorphic_graphs, weights};
    use super::*;
    use crate::linalg::symmetric_eigen;

    #[test]
    fn pairs_of_images_are_never_reached_and_the_matching_is_exact() {
        is_exact_on_isomorphic_graphs(&QuantumWalk::default());
    }

    #[test]
    fn the_short_walk_is_the_walk_on_the_auxiliary_graph() {
        // The authors' matrix, all n m + n + m nodes of it, diagonalised.
        let (n, m) = (3, 4);
        let graphs = TwoGraphs {
            source: weights(n, 60, 1),
            target: weights(m, 60, 2),
        };
        let short = Hamiltonian::new(graphs);
        let size = n + m + n * m;
        let full = Matrix::from_fn(size, size, |p, q| {
            let (low, high) = (p.min(q), p.max(q));
            if high < n {
                short.graphs.source[(low, high)]
            } else if low >= n && high < n + m {
                short.graphs.target[(low - n, high - n)]
            } else if high >= n + m && low < n + m {
                let (i, a) = ((high - n - m) / m, (high - n - m) % m);
                f64::from(low == i || low == n + a)
            } else {
                0.0
            }
        });
        let time = 0.7;
        let start = short.start();
        let first: Vec<f64> = start[0].x.iter().chain(&start[0].y).copied().collect();
        let eigen = symmetric_eigen(&full).unwrap();
        let state = short.walk(start, time);
        let mut total = 0.0;
        for node in 0..size {
            let mut want = [0.0, 0.0];
            for k in 0..size {
                let overlap: f64 = (0..n + m).map(|p| eigen.vectors[(p, k)] * first[p]).sum();
                let phase = eigen.values[k] * time;
                want[0] += eigen.vectors[(node, k)] * overlap * phase.cos();
                want[1] -= eigen.vectors[(node, k)] * overlap * phase.sin();
            }
            for part in 0..2 {
                let amplitudes = &state[part];
                let got = match node {
                    _ if node < n => amplitudes.x[node],
                    _ if node < n + m => amplitudes.y[node - n],
                    _ => amplitudes.p[(node - n - m) / m] + amplitudes.q[(node - n - m) % m],
                };
                assert!((got - want[part]).abs() < 1e-9, "{node}: {got} {want:?}");
                total += got * got;
            }
        }
        // A walker is somewhere.
        assert!((total - 1.0).abs() < 1e-9);
    }
}
