//! Where the paper's text allows more than one reading.
//!
//! | the text | readings |
//! |---|---|
//! | d(i,a) = c_B d_B + c_ap d_ap on W's diagonal | an affinity of each term, weighted and summed; or the affinity of the sum |
//! | "possibly a different set of coefficients" | B for both graphs' features together; or one metric M of their difference |
//! | h(t; λ) "in an unspecified generic form" | θ = φ²; or signatures at several times |
//! | d_ap from "the heat kernel value of anchor nodes" | summed over the anchors; or compared anchor by anchor |
//! | W "using only the adjacency matrix \[Cho et al.\]" | an absent edge is a weight of 0; or, as in that program, its affinities are 0 |
//! | "a max-margin problem" after Xing et al. | that program; or theirs |

use serde::{Deserialize, Serialize};

use crate::affinity::proximity::Xing;
use crate::error::Result;
use crate::graph::Graph;
use crate::linalg::Matrix;
use crate::spectral::{Spectrum, diffusion_time, heat_signature};

/// The first and the last τ of signatures at several times.
const TAUS: [f64; 2] = [0.1, 10.0];

/// How far beyond all other values an absent edge stands, in units of √s: affinities across are below e^−16,
/// less than the tolerance of the separable kernel.
const APART: f64 = 4.0;

/// How d_B and d_ap become one first-order affinity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FirstOrder {
    /// c_B exp(−d_B/mean d_B) + c_ap exp(−d_ap/mean d_ap).
    #[default]
    SumOfAffinities,
    /// (c_B + c_ap) exp(−d/mean d) with d = c_B d_B + c_ap d_ap.
    AffinityOfSum,
}

/// What θ is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Features {
    /// n φₖ², the lowest non-constant eigenvectors.
    #[default]
    SquaredEigenvectors,
    /// n s_u(t), heat kernel signatures at as many times, τ from 0.1 to 10 in geometric steps.
    HeatSignatures,
}

/// How heat to the anchors is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnchorHeat {
    /// |Σ k(u, i) − Σ k'(u', a)|, the paper's formula.
    #[default]
    Summed,
    /// Σ |k(u, i) − k'(u', a)|.
    Each,
}

/// What an edge that is not there is in the adjacency term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbsentEdges {
    /// A weight of 0: two absent edges agree.
    #[default]
    Compared,
    /// Nothing: its affinity with every edge is 0, and with every absent one (Cho, Lee, Lee).
    Unrelated,
}

/// Who learns d_B.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProximityLearner {
    /// The paper's max-margin program.
    #[default]
    MaxMargin,
    /// Xing et al.'s metric.
    Xing,
}

/// One reading of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Reading {
    /// How d_B and d_ap become one affinity. Default `sum_of_affinities`.
    pub first_order: FirstOrder,
    /// What θ is. Default `squared_eigenvectors`.
    pub features: Features,
    /// How heat to the anchors is compared. Default `summed`.
    pub anchor_heat: AnchorHeat,
    /// What an absent edge is in the adjacency term. Default `compared`.
    pub absent_edges: AbsentEdges,
    /// Who learns d_B. Default `max_margin`.
    pub proximity_learner: ProximityLearner,
    /// The parameters of Xing et al.'s learner.
    pub xing: Xing,
}

impl Features {
    /// θ of every node: `count` columns, or as many as there are.
    pub(super) fn of(self, graph: &Graph, spectrum: &Spectrum, count: usize) -> Result<Matrix> {
        if self == Self::SquaredEigenvectors {
            return Ok(spectrum.squared_eigenvectors(count));
        }
        let [from, to] = TAUS;
        let step = (to / from).ln() / (count.max(2) - 1) as f64;
        let taus = (0..count).map(|k| from * (step * k as f64).exp());
        let times: Vec<f64> = taus
            .map(|tau| diffusion_time(graph, tau))
            .collect::<Result<_>>()?;
        let mut theta = heat_signature(spectrum, &times)?;
        let nodes = spectrum.node_count() as f64;
        theta.as_mut_slice().iter_mut().for_each(|v| *v *= nodes);
        Ok(theta)
    }
}

impl AbsentEdges {
    /// The values that a kernel of bandwidth s compares: where absent edges are unrelated, those of the source stand
    /// above everything and those of the target below.
    #[must_use]
    pub fn placed(self, [mut x, mut y]: [Matrix; 2], s: f64) -> [Matrix; 2] {
        if self == Self::Compared {
            return [x, y];
        }
        let values = x.as_slice().iter().chain(y.as_slice());
        let (low, high) = values.fold((0.0f64, 0.0f64), |(l, h), &v| (l.min(v), h.max(v)));
        let apart = APART * s.sqrt();
        for (matrix, place) in [(&mut x, high + apart), (&mut y, low - apart)] {
            let absent = matrix.as_mut_slice().iter_mut().filter(|v| **v == 0.0);
            absent.for_each(|v| *v = place);
        }
        [x, y]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Monitor;
    use crate::problem::{GaussianKernel, Pairwise, SeparablePairwise};

    #[test]
    fn absent_edges_have_no_affinity() {
        let entries = |seed: usize| {
            Matrix::from_fn(4, 4, |i, j| {
                let (i, j) = (i.min(j), i.max(j));
                if i == j || (i * 3 + j + seed).is_multiple_of(3) {
                    0.0
                } else {
                    ((i + 2 * j + seed) % 5) as f64 / 5.0 + 0.1
                }
            })
        };
        let (x, y, s) = (entries(0), entries(1), 0.15);
        let [px, py] = AbsentEdges::Unrelated.placed([x.clone(), y.clone()], s);
        let kernel = GaussianKernel::new(s).unwrap();
        let w = SeparablePairwise::new(px, py, kernel, 1e-6, &Monitor::silent()).unwrap();
        for (i, j) in (0..4)
            .flat_map(|i| (0..4).map(move |j| (i, j)))
            .filter(|(i, j)| i != j)
        {
            for (a, b) in (0..4)
                .flat_map(|a| (0..4).map(move |b| (a, b)))
                .filter(|(a, b)| a != b)
            {
                let (p, q): (f64, f64) = (x[(i, j)], y[(a, b)]);
                let want = if p == 0.0 || q == 0.0 {
                    0.0
                } else {
                    (-(p - q).powi(2) / s).exp()
                };
                assert!((w.value(i, a, j, b) - want).abs() < 2e-6);
            }
        }
    }

    #[test]
    fn signatures_of_isomorphic_graphs_are_equal_features() {
        let edges = [
            (0, 1, 1.0),
            (1, 2, 2.0),
            (2, 3, 0.5),
            (3, 4, 1.5),
            (4, 0, 0.7),
        ];
        let graph = Graph::from_edges(5, &edges).unwrap();
        let order = [3, 1, 4, 0, 2];
        let other = graph.permuted(&order).unwrap();
        let [one, two] = [&graph, &other].map(|g| {
            let spectrum = Spectrum::of(g, &Monitor::silent()).unwrap();
            Features::HeatSignatures.of(g, &spectrum, 6).unwrap()
        });
        for (place, &old) in order.iter().enumerate() {
            for (x, y) in one.row(old).iter().zip(two.row(place)) {
                assert!((x - y).abs() < 1e-10);
            }
        }
    }
}
