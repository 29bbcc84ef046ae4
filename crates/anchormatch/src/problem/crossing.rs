//! Edges between the two sides, as a pairwise operator.
//!
//! Of the partners ia and jb, the edge from i to b and the one from a to j are mirror images of each other:
//!
//! > W(ia, jb) = Σᵣ ½ (Fᵣ_ib Gᵣ_aj + Fᵣ_ja Gᵣ_bi)  for i ≠ j and a ≠ b,
//!
//! with F between source and target nodes (n₁×n₂) and G between target and source nodes (n₂×n₁). So
//!
//! > W·X = Σᵣ ½ (Fᵣ Xᵀ Gᵣᵀ + Gᵣᵀ Xᵀ Fᵣ)  less what assignments in conflict would add.
//!
//! Factors are lists of their entries: an edge is followed in O(its ends' edges).

use rayon::prelude::*;

use super::Pairwise;
use crate::error::{Error, Result};
use crate::linalg::{Csr, Matrix};

/// W(ia, jb) = Σᵣ ½ (Fᵣ_ib Gᵣ_aj + Fᵣ_ja Gᵣ_bi).
#[derive(Debug, Clone)]
pub struct CrossingPairwise {
    shape: (usize, usize),
    terms: Vec<Term>,
    bounds: (f64, f64),
}

#[derive(Debug, Clone)]
struct Term {
    /// F by source and by target node.
    there: [Csr<f64>; 2],
    /// G by target and by source node.
    back: [Csr<f64>; 2],
}

impl CrossingPairwise {
    /// The operator of factors (F, G), n₁×n₂ and n₂×n₁.
    ///
    /// # Errors
    /// When there is none, their shapes do not fit or an entry is not finite.
    pub fn new(factors: &[(Matrix, Matrix)]) -> Result<Self> {
        let Some((first, _)) = factors.first() else {
            return Err(Error::parameter("factors", "none", "at least one pair"));
        };
        let (n, m) = (first.rows(), first.cols());
        let mut bounds = (0.0, 0.0);
        for (f, g) in factors {
            for (matrix, rows, cols) in [(f, n, m), (g, m, n)] {
                if (matrix.rows(), matrix.cols()) != (rows, cols) {
                    return Err(Error::parameter(
                        "factors",
                        format!("a {}×{} matrix", matrix.rows(), matrix.cols()),
                        format!("{rows}×{cols}"),
                    ));
                }
                if let Some(value) = matrix.as_slice().iter().find(|v| !v.is_finite()) {
                    return Err(Error::parameter("factors", value, "finite numbers"));
                }
            }
            let ((low, high), (least, most)) = (range(f), range(g));
            let corners = [low * least, low * most, high * least, high * most];
            bounds.0 += corners.iter().copied().fold(f64::INFINITY, f64::min);
            bounds.1 += corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        }
        let terms = factors.iter().map(|(f, g)| {
            let (f, g) = (Csr::from_dense(f), Csr::from_dense(g));
            let turned = (f.transposed(), g.transposed());
            Term {
                there: [f, turned.0],
                back: [g, turned.1],
            }
        });
        Ok(Self {
            shape: (n, m),
            terms: terms.collect(),
            bounds,
        })
    }
}

/// Adds ½ F Xᵀ Gᵀ to `out`, without what assignments in conflict would give: X is n₁×n₂, and `turned` its
/// transpose.
fn add_product(
    (f, g): (&Csr<f64>, &Csr<f64>),
    (x, turned): (&[f64], &[f64]),
    product: &mut [f64],
    out: &mut [f64],
) {
    let (n, m) = (f.rows(), f.cols());
    if n == 0 || m == 0 {
        return;
    }
    // Σ_j G_aj x_ja: what the assignments to a itself would give.
    let to_itself: Vec<f64> = (0..m)
        .map(|a| g.row(a).map(|(j, g)| g * turned[a * n + j]).sum())
        .collect();
    let rows = product
        .par_chunks_exact_mut(n)
        .zip(out.par_chunks_exact_mut(m));
    rows.enumerate().for_each(|(i, (row, image))| {
        row.fill(0.0);
        for (b, f) in f.row(i) {
            let column = &turned[b * n..(b + 1) * n];
            row.iter_mut()
                .zip(column)
                .for_each(|(slot, x)| *slot += f * x);
        }
        // An assignment of i itself is in conflict.
        row[i] = 0.0;
        for (a, slot) in image.iter_mut().enumerate() {
            *slot += 0.5 * g.row(a).map(|(j, g)| g * row[j]).sum::<f64>();
        }
        for (a, f) in f.row(i) {
            let own = entry(g, a, i) * x[i * m + a];
            image[a] -= 0.5 * f * (to_itself[a] - own);
        }
    });
}

fn range(matrix: &Matrix) -> (f64, f64) {
    let values = matrix.as_slice().iter().copied();
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    })
}

fn entry(listed: &Csr<f64>, i: usize, j: usize) -> f64 {
    listed.get(i, j).unwrap_or(0.0)
}

impl Pairwise for CrossingPairwise {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn value(&self, i: usize, a: usize, j: usize, b: usize) -> f64 {
        if i == j || a == b {
            return 0.0;
        }
        let of = |term: &Term| {
            let (f, g) = (&term.there[0], &term.back[0]);
            entry(f, i, b) * entry(g, a, j) + entry(f, j, a) * entry(g, b, i)
        };
        0.5 * self.terms.iter().map(of).sum::<f64>()
    }

    fn apply(&self, x: &[f64], out: &mut [f64], scratch: &mut [f64]) {
        out.fill(0.0);
        let (n, m) = self.shape;
        let (turned, product) = scratch.split_at_mut(n * m);
        for (i, row) in x.chunks_exact(m.max(1)).enumerate() {
            for (a, &value) in row.iter().enumerate() {
                turned[a * n + i] = value;
            }
        }
        for Term { there, back } in &self.terms {
            add_product((&there[0], &back[0]), (x, turned), product, out);
            add_product((&back[1], &there[1]), (x, turned), product, out);
        }
    }

    fn scratch_len(&self) -> usize {
        let (n, m) = self.shape;
        n * m + n * n
    }

    fn memory(&self) -> u64 {
        let of = |term: &Term| {
            let lists = term.there.iter().chain(&term.back);
            lists.map(Csr::memory).sum::<u64>()
        };
        self.terms.iter().map(of).sum()
    }

    fn bounds(&self) -> (f64, f64) {
        self.bounds
    }

    fn add_interactions(&self, j: usize, b: usize, scale: f64, gradient: &mut [f64]) {
        let m = self.shape.1;
        for Term { there, back } in &self.terms {
            for (rows, columns) in [(&there[1], &back[1]), (&back[0], &there[0])] {
                // F_kb G_cj over the edges to b and to j, then F_jc G_bk over those from them.
                for (k, f) in rows.row(b).filter(|(k, _)| *k != j) {
                    for (c, g) in columns.row(j).filter(|(c, _)| *c != b) {
                        gradient[k * m + c] += 0.5 * scale * f * g;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::assert_is_its_values;
    use super::*;

    fn factor(rows: usize, cols: usize, shift: usize) -> Matrix {
        Matrix::from_fn(rows, cols, |i, j| {
            let number = (7 * i + 3 * j * j + 5 * i * j + shift) % 11;
            if number < 5 { number as f64 - 1.5 } else { 0.0 }
        })
    }

    #[test]
    fn it_is_its_values() {
        for (n, m) in [(4, 4), (3, 5), (5, 3), (1, 4)] {
            let factors = [0, 4].map(|k| (factor(n, m, k), factor(m, n, k + 2)));
            let pairwise = CrossingPairwise::new(&factors).unwrap();
            assert_is_its_values(&pairwise, 1e-12);
        }
    }

    #[test]
    fn values_are_those_of_the_formula() {
        let (f, g) = (factor(4, 5, 1), factor(5, 4, 3));
        let pairwise = CrossingPairwise::new(&[(f.clone(), g.clone())]).unwrap();
        let wanted = 0.5 * (f[(0, 3)] * g[(1, 2)] + f[(2, 1)] * g[(3, 0)]);
        assert_eq!(pairwise.value(0, 1, 2, 3), wanted);
        assert!(CrossingPairwise::new(&[]).is_err());
        assert!(CrossingPairwise::new(&[(f.clone(), f)]).is_err());
    }
}
