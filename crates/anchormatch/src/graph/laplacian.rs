//! The Laplacian L = D − A as an operator: it costs O(|E|) to apply and stores one degree a node.

use super::Graph;
use crate::linalg::Matrix;

/// L = D − A of max(w, 0): symmetric, positive semidefinite, rows sum to zero.
#[derive(Debug, Clone)]
pub struct Laplacian<'g> {
    graph: &'g Graph,
    degrees: Vec<f64>,
}

impl<'g> Laplacian<'g> {
    pub(super) fn new(graph: &'g Graph) -> Self {
        let degrees = (0..graph.node_count())
            .map(|i| graph.neighbours(i).map(|(_, w)| w.max(0.0)).sum())
            .collect();
        Self { graph, degrees }
    }

    /// The number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.degrees.len()
    }

    /// The weighted degrees, which are the diagonal of L.
    #[must_use]
    pub fn degrees(&self) -> &[f64] {
        &self.degrees
    }

    /// trace L = Σ λₖ.
    #[must_use]
    pub fn trace(&self) -> f64 {
        self.degrees.iter().sum()
    }

    /// An upper bound of the largest eigenvalue: max over edges of d(u) + d(v) (Anderson & Morley,
    /// 1985), and never less than the largest degree.
    #[must_use]
    pub fn largest_eigenvalue_bound(&self) -> f64 {
        let mut bound = 0.0f64;
        for i in 0..self.node_count() {
            for (j, weight) in self.graph.neighbours(i) {
                if weight > 0.0 {
                    bound = bound.max(self.degrees[i] + self.degrees[j]);
                }
            }
        }
        bound
    }

    /// `out = L X` for n × `width` row-major blocks: the graph is read once for all columns.
    ///
    /// # Panics
    /// When a block is not n × `width`.
    pub fn apply_block(&self, x: &[f64], width: usize, out: &mut [f64]) {
        assert_eq!(x.len(), self.node_count() * width, "one row per node");
        assert_eq!(out.len(), x.len(), "one result row per node");
        for (i, row) in out.chunks_mut(width.max(1)).enumerate() {
            let own = &x[i * width..(i + 1) * width];
            for (slot, &value) in row.iter_mut().zip(own) {
                *slot = self.degrees[i] * value;
            }
            for (j, weight) in self.graph.neighbours(i) {
                let weight = weight.max(0.0);
                let other = &x[j * width..(j + 1) * width];
                for (slot, &value) in row.iter_mut().zip(other) {
                    *slot -= weight * value;
                }
            }
        }
    }

    /// The n×n matrix.
    #[must_use]
    pub fn dense(&self) -> Matrix {
        let n = self.node_count();
        let mut matrix = Matrix::zeros(n, n);
        for i in 0..n {
            for (j, weight) in self.graph.neighbours(i) {
                matrix[(i, j)] = -weight.max(0.0);
            }
            matrix[(i, i)] = self.degrees[i];
        }
        matrix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operator_and_matrix_agree_and_negative_weights_count_as_none() {
        let graph =
            Graph::from_edges(4, &[(0, 1, 2.0), (1, 2, 0.5), (2, 3, -3.0), (0, 3, 1.0)]).unwrap();
        let laplacian = graph.laplacian();
        let dense = laplacian.dense();
        let x = [1.0, -2.0, 0.25, 3.0];
        let mut out = [0.0; 4];
        laplacian.apply_block(&x, 1, &mut out);
        for i in 0..4 {
            let want: f64 = (0..4).map(|j| dense[(i, j)] * x[j]).sum();
            assert!((out[i] - want).abs() < 1e-14);
            assert!(dense.row(i).iter().sum::<f64>().abs() < 1e-14);
        }
        assert_eq!(dense[(2, 3)], 0.0);
        assert_eq!(laplacian.trace(), 7.0);
        assert!(laplacian.largest_eigenvalue_bound() >= 3.0);
    }
}
