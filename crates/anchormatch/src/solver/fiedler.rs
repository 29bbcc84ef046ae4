//! Matching by spectral partitions (Qiu, Hancock, *Graph matching and clustering using spectral partitions*, Pattern
//! Recognition 39, 2006).
//!
//! The Fiedler vector f, of the second Laplacian eigenvalue, cuts a graph into parts that do not overlap, each a centre with
//! its neighbours: the most significant node that is in no part yet takes its neighbours that are in none. Significant
//! are nodes of high degree. Parts are matched first, by a linear assignment on how far the sorted Fiedler components of
//! their nodes are apart, left-out ones counted; then nodes, where those of matched parts have an advantage. f has no sign: both
//! are tried, and the better objective stays.
//!
//! Read differently from the paper: significance there is by the distance to the perimeter of a planar graph too, which graphs in
//! general have none of; neighbours are those of at least the mean weight of a node, as graphs may be complete here.

use serde::{Deserialize, Serialize};

use super::Start;
use super::relaxation::check_nonnegative;
use super::two_graphs::{OfTwoGraphs, Scores, TIE, TwoGraphs, degrees};
use crate::assignment;
use crate::error::Result;
use crate::linalg::{Matrix, symmetric_eigen};
use crate::monitor::Monitor;

/// The method's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct FiedlerPartition {
    /// What it is worth to be in matched parts; the difference of components costs up to 1. Default 0.2.
    pub same_part: f64,
    /// What the difference of degrees, in units of the largest, costs. Default 0.5.
    pub degree_weight: f64,
    /// How much the unary terms, scaled to [0, 1], weigh against the score. Default 1.
    pub unary_weight: f64,
}

impl Default for FiedlerPartition {
    fn default() -> Self {
        Self {
            same_part: 0.2,
            degree_weight: 0.5,
            unary_weight: 1.0,
        }
    }
}

impl OfTwoGraphs for FiedlerPartition {
    const NAME: &str = "fiedler-partition";
    const REFERENCE: &str = "Qiu, Hancock, Pattern Recognition 2006";
    const COMPLEXITY: &str = "two eigendecompositions and two linear assignments, O(n³), once";
    const SQUARES: u64 = 10;

    fn check_parameters(&self) -> Result<()> {
        check_nonnegative("same_part", self.same_part)?;
        check_nonnegative("degree_weight", self.degree_weight)?;
        check_nonnegative("unary_weight", self.unary_weight)
    }

    fn unary_weight(&self) -> f64 {
        self.unary_weight
    }

    /// The start is not used.
    ///
    /// # Complexity
    /// O(n³) time, O(n²) memory.
    fn scores(&self, graphs: &TwoGraphs, _start: &Start<'_>, monitor: &Monitor) -> Result<Scores> {
        let one = Partition::new(&graphs.source)?;
        let two = Partition::new(&graphs.target)?;
        // An eigenvector has no sign.
        let tried = vec![
            self.score(&one, &two.signed(1.0))?,
            self.score(&one, &two.signed(-1.0))?,
        ];
        Ok(Scores::at_once(Self::NAME, tried, monitor))
    }
}

impl FiedlerPartition {
    fn score(&self, one: &Partition, two: &Partition) -> Result<Matrix> {
        let cost = Matrix::from_fn(one.parts.len(), two.parts.len(), |p, q| {
            apart(&one.components_of(p), &two.components_of(q))
        });
        let matched = assignment::minimise(&cost)?.columns;
        Ok(Matrix::from_fn(
            one.fiedler.len(),
            two.fiedler.len(),
            |i, a| {
                let mut score = -(one.fiedler[i] - two.fiedler[a]).abs();
                score -= self.degree_weight * (one.degrees[i] - two.degrees[a]).abs();
                if matched.partner(one.part[i]) == Some(two.part[a]) {
                    score += self.same_part;
                }
                score
            },
        ))
    }
}

/// A graph in parts.
#[derive(Debug, Clone)]
struct Partition {
    /// The Fiedler vector, largest component 1 in absolute value.
    fiedler: Vec<f64>,
    /// Degrees, the largest 1.
    degrees: Vec<f64>,
    /// The nodes of each part, its centre first.
    parts: Vec<Vec<usize>>,
    /// The part of each node.
    part: Vec<usize>,
}

impl Partition {
    fn new(graph: &Matrix) -> Result<Self> {
        let n = graph.rows();
        let mut degrees = degrees(graph);
        let fiedler = fiedler(graph, &degrees)?;
        let most = degrees.iter().fold(0.0f64, |m, &d| m.max(d));
        if most > 0.0 {
            degrees.iter_mut().for_each(|d| *d /= most);
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| degrees[j].total_cmp(&degrees[i]).then(i.cmp(&j)));
        let (mut parts, mut part) = (Vec::new(), vec![usize::MAX; n]);
        for &centre in &order {
            if part[centre] != usize::MAX {
                continue;
            }
            let row = graph.row(centre);
            let present = row.iter().filter(|w| **w > 0.0).count().max(1) as f64;
            let mean = row.iter().sum::<f64>() / present;
            let near = |&i: &usize| row[i] > 0.0 && row[i] >= mean - TIE && part[i] == usize::MAX;
            let members: Vec<usize> = std::iter::once(centre)
                .chain((0..n).filter(|&i| i != centre).filter(near))
                .collect();
            members.iter().for_each(|&i| part[i] = parts.len());
            parts.push(members);
        }
        Ok(Self {
            fiedler,
            degrees,
            parts,
            part,
        })
    }

    fn signed(&self, sign: f64) -> Self {
        let mut other = self.clone();
        other.fiedler.iter_mut().for_each(|f| *f *= sign);
        other
    }

    fn components_of(&self, part: usize) -> Vec<f64> {
        let mut components: Vec<f64> = self.parts[part].iter().map(|&i| self.fiedler[i]).collect();
        components.sort_by(f64::total_cmp);
        components
    }
}

/// The vector of the second Laplacian eigenvalue.
fn fiedler(graph: &Matrix, degrees: &[f64]) -> Result<Vec<f64>> {
    let n = graph.rows();
    if n < 2 {
        return Ok(vec![0.0; n]);
    }
    let laplacian = Matrix::from_fn(
        n,
        n,
        |i, j| {
            if i == j { degrees[i] } else { -graph[(i, j)] }
        },
    );
    let eigen = symmetric_eigen(&laplacian)?;
    let vector: Vec<f64> = (0..n).map(|i| eigen.vectors[(i, 1)]).collect();
    let most = vector.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    Ok(vector
        .iter()
        .map(|v| v / most.max(f64::MIN_POSITIVE))
        .collect())
}

/// Σ |x − y| of two sorted lists, the surplus of the longer one at 1 each, whichever end it stands at.
fn apart(x: &[f64], y: &[f64]) -> f64 {
    let (short, long) = if x.len() <= y.len() { (x, y) } else { (y, x) };
    let surplus = long.len() - short.len();
    let sum = |skip: usize| -> f64 {
        short
            .iter()
            .zip(&long[skip..])
            .map(|(x, y)| (x - y).abs())
            .sum()
    };
    sum(0).min(sum(surplus)) + surplus as f64
}

#[cfg(test)]
mod tests {
    use super::super::two_graphs::tests::{is_exact_on_isomorphic_graphs, weights};
    use super::*;

    #[test]
    fn isomorphic_graphs_are_matched_exactly() {
        is_exact_on_isomorphic_graphs(&FiedlerPartition::default());
    }

    #[test]
    fn parts_do_not_overlap_and_leave_nobody_out() {
        for percent in [0, 30, 100] {
            let graph = weights(14, percent, 9);
            let partition = Partition::new(&graph).unwrap();
            let mut all: Vec<usize> = partition.parts.concat();
            all.sort_unstable();
            assert_eq!(all, (0..14).collect::<Vec<_>>());
            for (k, members) in partition.parts.iter().enumerate() {
                assert!(members.iter().all(|&i| partition.part[i] == k));
                // Neighbours of the centre.
                assert!(members[1..].iter().all(|&i| graph[(members[0], i)] > 0.0));
            }
        }
    }

    #[test]
    fn two_clusters_are_told_apart_by_sign() {
        // Two cliques and a bridge: Fiedler's theorem.
        let graph = Matrix::from_fn(8, 8, |i, j| match (i, j) {
            _ if i == j => 0.0,
            _ if (i < 4) == (j < 4) => 1.0,
            (3, 4) | (4, 3) => 0.1,
            _ => 0.0,
        });
        let f = fiedler(&graph, &degrees(&graph)).unwrap();
        assert!(f[..4].iter().all(|v| v.signum() == f[0].signum()));
        assert!(f[4..].iter().all(|v| v.signum() == -f[0].signum()));
    }
}
