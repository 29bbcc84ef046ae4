//! All eigenpairs of a graph's Laplacian.

use crate::error::{Hint, Result};
use crate::graph::Graph;
use crate::linalg::{Matrix, SymmetricEigen, symmetric_eigen};
use crate::monitor::Monitor;

/// Eigenvalues that differ by less than this share of the largest belong to one eigenspace.
const DEGENERATE: f64 = 1e-9;

/// The eigenpairs of a Laplacian, eigenvalues ascending.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    eigen: SymmetricEigen,
}

impl Spectrum {
    /// Decomposes the Laplacian of `graph`.
    ///
    /// # Errors
    /// When the n×n matrices do not fit in the monitor's memory, or the iteration fails.
    ///
    /// # Complexity
    /// O(n³) time, 4 n² numbers.
    pub fn of(graph: &Graph, monitor: &Monitor) -> Result<Self> {
        let n = graph.node_count() as u64;
        monitor.reserve(
            &format!("the eigendecomposition of {n} nodes"),
            n.saturating_mul(n).saturating_mul(4 * 8),
            &[Hint::MoreMemory, Hint::SmallerGraph],
        )?;
        monitor.enter("eigenpairs")?;
        let mut eigen = symmetric_eigen(&graph.laplacian().dense())?;
        // L is positive semidefinite: what rounding put below zero is zero.
        for value in &mut eigen.values {
            *value = value.max(0.0);
        }
        Ok(Self { eigen })
    }

    /// The number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.eigen.values.len()
    }

    /// λ₁ ≤ λ₂ ≤ …
    #[must_use]
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigen.values
    }

    /// Column k is φₖ.
    #[must_use]
    pub fn eigenvectors(&self) -> &Matrix {
        &self.eigen.vectors
    }

    /// Whether λₖ is zero up to rounding.
    #[must_use]
    pub fn is_null(&self, k: usize) -> bool {
        self.eigen.values[k] <= self.gap()
    }

    /// n·φₖ(u)² for `count` eigenpairs from the second on: n rows, one column per eigenpair.
    ///
    /// Within an eigenspace of several dimensions the φₖ² depend on the basis that the solver
    /// happened to pick; there the average over the eigenspace, which does not, stands for each.
    #[must_use]
    pub fn squared_eigenvectors(&self, count: usize) -> Matrix {
        let n = self.node_count();
        let count = count.min(n.saturating_sub(1));
        let mut features = Matrix::zeros(n, count);
        let mut start = 0;
        while start < n {
            let mut end = start + 1;
            while end < n && self.eigen.values[end] - self.eigen.values[end - 1] <= self.gap() {
                end += 1;
            }
            // Column c holds eigenpair c + 1: the constant eigenvector says nothing.
            let columns = start.saturating_sub(1)..(end - 1).min(count);
            if !columns.is_empty() {
                let scale = n as f64 / (end - start) as f64;
                for u in 0..n {
                    let row = &self.eigen.vectors.row(u)[start..end];
                    let share = scale * row.iter().map(|v| v * v).sum::<f64>();
                    features.row_mut(u)[columns.clone()].fill(share);
                }
            }
            start = end;
        }
        features
    }

    fn gap(&self) -> f64 {
        DEGENERATE * self.eigen.values.last().copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(n: usize) -> Graph {
        let edges: Vec<_> = (0..n).map(|i| (i, (i + 1) % n, 1.0)).collect();
        Graph::from_edges(n, &edges).unwrap()
    }

    #[test]
    fn squared_eigenvectors_respect_symmetry() {
        // On a cycle all nodes are alike, although the eigenspaces are two-dimensional.
        let spectrum = Spectrum::of(&cycle(10), &Monitor::silent()).unwrap();
        for value in spectrum.squared_eigenvectors(6).as_slice() {
            assert!((value - 1.0).abs() < 1e-10, "{value}");
        }
    }

    #[test]
    fn columns_follow_the_eigenpairs_when_all_are_simple() {
        let path = Graph::from_edges(
            6,
            &[
                (0, 1, 1.0),
                (1, 2, 2.0),
                (2, 3, 1.0),
                (3, 4, 3.0),
                (4, 5, 1.5),
            ],
        )
        .unwrap();
        let spectrum = Spectrum::of(&path, &Monitor::silent()).unwrap();
        let features = spectrum.squared_eigenvectors(3);
        assert_eq!((features.rows(), features.cols()), (6, 3));
        for u in 0..6 {
            for c in 0..3 {
                let phi = spectrum.eigenvectors()[(u, c + 1)];
                assert!((features[(u, c)] - 6.0 * phi * phi).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn small_and_disconnected_graphs_have_features() {
        let single = Graph::from_edges(1, &[]).unwrap();
        let spectrum = Spectrum::of(&single, &Monitor::silent()).unwrap();
        assert_eq!(spectrum.squared_eigenvectors(4).cols(), 0);
        // Two components of 1 and 2 nodes: the null space tells them apart by size.
        let two = Graph::from_edges(3, &[(1, 2, 1.0)]).unwrap();
        let features = Spectrum::of(&two, &Monitor::silent())
            .unwrap()
            .squared_eigenvectors(2);
        assert!((features[(0, 0)] - 1.5).abs() < 1e-12);
        assert!((features[(1, 0)] - 0.75).abs() < 1e-12);
        assert_eq!(features[(1, 0)], features[(2, 0)]);
    }

    #[test]
    fn memory_is_checked_before_it_is_taken() {
        let monitor = Monitor::silent().max_memory(100);
        assert!(Spectrum::of(&cycle(10), &monitor).is_err());
    }
}
