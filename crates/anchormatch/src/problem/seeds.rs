//! The product form with some partners known beforehand (seeded graph matching).
//!
//! Fixing p(s) = t for the seeds (s, t) leaves a smaller problem over the free nodes (Fishkind et
//! al., *Seeded graph matching*, Pattern Recognition 87, 2019). Each part of Σ A_ij B_{p(i) p(j)} with
//!
//! * both i and j free is the product form of the free rows and columns of A and B,
//! * one of them a seed is linear: Σ_(s,t) A_is B_ct + A_si B_tc for the free pair (i, c),
//! * both of them seeds is a constant.
//!
//! Nothing is lost: the objective of the smaller problem is the objective of the whole.

use super::{Problem, ProductPairwise, Sense, Weights};
use crate::assignment::Assignment;
use crate::error::{Error, Result};
use crate::linalg::{Csr, Matrix, PairValues, multiply_transposed_into};

/// What is left of a quadratic assignment problem when some partners are known.
#[derive(Debug)]
pub struct SeededProduct {
    /// The problem over the free nodes; its objective counts the seeds too.
    pub problem: Problem,
    /// Row k of the problem is this row of A.
    pub free_rows: Vec<usize>,
    /// Column k of the problem is this row of B.
    pub free_cols: Vec<usize>,
    /// The pairs that are known.
    pub seeds: Vec<(usize, usize)>,
}

impl SeededProduct {
    /// The rows of A and of B, seeds included.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        let known = self.seeds.len();
        (self.free_rows.len() + known, self.free_cols.len() + known)
    }

    /// The part of an assignment of all nodes that is free; what it says of seeds does not count.
    ///
    /// # Panics
    /// When `whole` has another number of rows, or a column that is none.
    #[must_use]
    pub fn restrict(&self, whole: &Assignment) -> Assignment {
        assert_eq!(whole.rows(), self.shape().0, "an entry for every row");
        let places = self.free_cols.iter().enumerate();
        let places = Assignment::from_pairs(self.shape().1, places.map(|(new, &old)| (old, new)));
        let free = self.free_rows.iter();
        free.map(|&row| whole.partner(row).and_then(|c| places.partner(c)))
            .collect()
    }

    /// The assignment of all nodes: that of the free ones, and the seeds.
    ///
    /// # Panics
    /// When `assignment` is not one of this problem.
    #[must_use]
    pub fn complete(&self, assignment: &Assignment) -> Assignment {
        assert_eq!(
            assignment.rows(),
            self.free_rows.len(),
            "an entry for every free row"
        );
        let mut whole = Assignment::empty(self.free_rows.len() + self.seeds.len());
        for (&row, column) in self.free_rows.iter().zip(assignment) {
            whole.set(row, column.map(|c| self.free_cols[c]));
        }
        for &(row, column) in &self.seeds {
            whole.set(row, Some(column));
        }
        whole
    }
}

impl ProductPairwise {
    /// The quadratic assignment problem Σ A_ij B_{p(i) p(j)} with p(s) = t for every seed (s, t).
    ///
    /// # Errors
    /// As [`new`](Self::new), and when a seed is out of range or a node has two.
    ///
    /// # Complexity
    /// O(n m s) time for s seeds, and O(n m) memory besides A and B.
    pub fn seeded_problem(
        sense: Sense,
        a: &Weights,
        b: &Weights,
        seeds: &[(usize, usize)],
    ) -> Result<SeededProduct> {
        Self::seeded_problem_with(sense, a, b, None, seeds)
    }

    /// As [`seeded_problem`](Self::seeded_problem), with a linear part Σ linear[i, p(i)] over all nodes.
    ///
    /// # Errors
    /// As [`seeded_problem`](Self::seeded_problem), and when the linear part has another shape or is
    /// not finite.
    pub fn seeded_problem_with(
        sense: Sense,
        a: &Weights,
        b: &Weights,
        whole_linear: Option<&Matrix>,
        seeds: &[(usize, usize)],
    ) -> Result<SeededProduct> {
        a.check("A")?;
        b.check("B")?;
        let (n, m) = (a.node_count(), b.node_count());
        if let Some(linear) = whole_linear {
            check_linear(linear, n, m)?;
        }
        let (mut row_is_free, mut column_is_free) = (vec![true; n], vec![true; m]);
        for &(s, t) in seeds {
            if s >= n || t >= m {
                return Err(Error::parameter(
                    "seeds",
                    format!("({s}, {t})"),
                    format!("pairs within {n}×{m}"),
                ));
            }
            let first = std::mem::replace(&mut row_is_free[s], false)
                & std::mem::replace(&mut column_is_free[t], false);
            if !first {
                return Err(Error::parameter(
                    "seeds",
                    format!("({s}, {t}), one of which has a partner already"),
                    "at most one partner for every node",
                ));
            }
        }
        let free_rows: Vec<usize> = (0..n).filter(|&i| row_is_free[i]).collect();
        let free_cols: Vec<usize> = (0..m).filter(|&c| column_is_free[c]).collect();
        let mut constant: f64 = seeds
            .iter()
            .flat_map(|&(s, t)| seeds.iter().map(move |&(u, v)| (s, t, u, v)))
            .map(|(s, t, u, v)| a.get(s, u) * b.get(t, v))
            .sum();
        let (rows, columns): (Vec<usize>, Vec<usize>) = seeds.iter().copied().unzip();
        let parts = (
            a.select(&free_rows, &free_rows),
            b.select(&free_cols, &free_cols),
        );
        if let (Weights::Sparse(a), Weights::Sparse(b), None) = (a, b, whole_linear) {
            // What seeds tell of sparse graphs is sparse too.
            let left = listed_to_seeds(a, &free_rows, &rows)?;
            let right = listed_to_seeds(b, &free_cols, &columns)?;
            let problem = Self::listed_problem(sense, parts, &left.multiply(&right.transposed()))?;
            return Ok(SeededProduct {
                problem: problem.with_constant(constant),
                free_rows,
                free_cols,
                seeds: seeds.to_vec(),
            });
        }
        let (left, right) = (
            to_seeds(a, &free_rows, &rows),
            to_seeds(b, &free_cols, &columns),
        );
        let mut linear = Matrix::zeros(free_rows.len(), free_cols.len());
        multiply_transposed_into(
            linear.as_mut_slice(),
            left.as_slice(),
            right.as_slice(),
            free_rows.len(),
            2 * seeds.len(),
            free_cols.len(),
        );
        if let Some(whole) = whole_linear {
            for (i, &row) in free_rows.iter().enumerate() {
                for (slot, &column) in linear.row_mut(i).iter_mut().zip(&free_cols) {
                    *slot += whole[(row, column)];
                }
            }
            constant += seeds.iter().map(|&pair| whole[pair]).sum::<f64>();
        }
        let problem = Self::problem(sense, parts.0, parts.1, Some(&linear))?;
        Ok(SeededProduct {
            problem: problem.with_constant(constant),
            free_rows,
            free_cols,
            seeds: seeds.to_vec(),
        })
    }

    /// The quadratic assignment problem with a linear part that is listed.
    fn listed_problem(
        sense: Sense,
        (a, b): (Weights, Weights),
        linear: &Csr<f64>,
    ) -> Result<Problem> {
        let (pairwise, unary) = Self::new(a, b)?;
        let unary = match unary {
            PairValues::Listed { listed, others: _ } => {
                let both = linear.triplets().chain(listed.triplets());
                Csr::from_triplets(listed.rows(), listed.cols(), both)?
            }
            PairValues::Full(_) => unreachable!("the diagonals of sparse weights are listed"),
        };
        Problem::new(sense, unary, Box::new(pairwise))
    }
}

fn check_linear(linear: &Matrix, n: usize, m: usize) -> Result<()> {
    if (linear.rows(), linear.cols()) != (n, m) {
        return Err(Error::parameter(
            "linear",
            format!("a {}×{} matrix", linear.rows(), linear.cols()),
            format!("{n}×{m}"),
        ));
    }
    match linear.as_slice().iter().find(|v| !v.is_finite()) {
        Some(value) => Err(Error::parameter("linear", value, "finite numbers")),
        None => Ok(()),
    }
}

/// [`to_seeds`] of listed weights.
fn listed_to_seeds(weights: &Csr<f64>, free: &[usize], seeds: &[usize]) -> Result<Csr<f64>> {
    let mut number = vec![None; weights.rows()];
    for (k, &seed) in seeds.iter().enumerate() {
        number[seed] = Some(k);
    }
    let backward = weights.transposed();
    let entries = free.iter().enumerate().flat_map(|(i, &node)| {
        let to = weights.row(node).map(|(j, value)| (0, j, value));
        let from = backward.row(node).map(|(j, value)| (seeds.len(), j, value));
        let number = &number;
        to.chain(from)
            .filter_map(move |(first, j, value)| Some((i, first + number[j]?, value)))
    });
    Csr::from_triplets(free.len(), 2 * seeds.len(), entries)
}

/// For each free node, its weights to the seeds and then those from the seeds.
fn to_seeds(weights: &Weights, free: &[usize], seeds: &[usize]) -> Matrix {
    Matrix::from_fn(free.len(), 2 * seeds.len(), |i, k| {
        if k < seeds.len() {
            weights.get(free[i], seeds[k])
        } else {
            weights.get(seeds[k - seeds.len()], free[i])
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn weights(n: usize, seed: usize, symmetric: bool) -> Matrix {
        Matrix::from_fn(n, n, |i, j| {
            let (i, j) = if symmetric && i > j { (j, i) } else { (i, j) };
            // A quarter of the entries are zero.
            ((i * 7919 + j * 104_729 + seed * 31) % 16).saturating_sub(4) as f64 - 2.0
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_objective_is_that_of_the_whole(
            n in 0usize..7, more in 0usize..3, known in 0usize..5, seed in 0usize..500,
            symmetric in any::<[bool; 2]>(), listed in any::<bool>(), with_linear in any::<bool>(),
        ) {
            let (a, b) = (weights(n, seed, symmetric[0]), weights(n + more, seed + 5, symmetric[1]));
            let pick = |m: &Matrix| if listed { Weights::sparse(m) } else { Weights::Dense(m.clone()) };
            let partner = |i: usize| (i + seed) % (n + more);
            // Seeds from the last rows on, so that free rows and seeds are out of order.
            let seeds: Vec<_> = (0..known.min(n)).map(|k| (n - 1 - k, partner(n - 1 - k))).collect();
            let linear = with_linear
                .then(|| Matrix::from_fn(n, n + more, |i, c| ((3 * i + 5 * c + seed) % 7) as f64));
            let (sense, linear) = (Sense::Maximise, linear.as_ref());
            let folded =
                ProductPairwise::seeded_problem_with(sense, &pick(&a), &pick(&b), linear, &seeds)
                    .unwrap();
            let whole = ProductPairwise::problem(sense, pick(&a), pick(&b), linear).unwrap();
            // Some free nodes stay alone.
            let assignment: Assignment = folded.free_rows.iter().map(|&i| {
                let place = folded.free_cols.iter().position(|&c| c == partner(i));
                place.filter(|_| i % 3 != 2)
            }).collect();
            let completed = folded.complete(&assignment);
            for &(s, t) in &seeds {
                prop_assert_eq!(completed.partner(s), Some(t));
            }
            prop_assert!(completed.pairs().all(|(i, c)| c == partner(i)));
            prop_assert_eq!(folded.shape(), (n, n + more));
            prop_assert_eq!(&folded.restrict(&completed), &assignment);
            // What is said of seeds does not count, and their partners are taken.
            let everything: Assignment = (0..n).map(|_| seeds.first().map(|seed| seed.1)).collect();
            prop_assert_eq!(folded.restrict(&everything).matched(), 0);
            let is_listed = folded.problem.unary().as_full().is_none();
            prop_assert_eq!(is_listed, listed && !with_linear);
            let (got, want) = (folded.problem.objective(&assignment), whole.objective(&completed));
            prop_assert!((got - want).abs() < 1e-9, "{} {}", got, want);
        }
    }

    #[test]
    fn seeds_out_of_range_or_used_twice_are_refused() {
        let (a, b) = (
            Weights::Dense(Matrix::zeros(3, 3)),
            Weights::Dense(Matrix::zeros(4, 4)),
        );
        for seeds in [
            &[(3, 0)][..],
            &[(0, 4)],
            &[(0, 1), (0, 2)],
            &[(0, 1), (1, 1)],
        ] {
            let error = ProductPairwise::seeded_problem(Sense::Minimise, &a, &b, seeds);
            assert!(error.unwrap_err().to_string().starts_with("seeds"));
        }
        let narrow = Matrix::zeros(3, 3);
        let infinite = Matrix::filled(3, 4, f64::INFINITY);
        for linear in [&narrow, &infinite] {
            let error =
                ProductPairwise::seeded_problem_with(Sense::Minimise, &a, &b, Some(linear), &[]);
            assert!(error.unwrap_err().to_string().starts_with("linear"));
        }
        let all = [(0, 3), (1, 2), (2, 0)];
        let folded = ProductPairwise::seeded_problem(Sense::Minimise, &a, &b, &all).unwrap();
        assert_eq!(folded.problem.shape(), (0, 1));
        assert_eq!(folded.complete(&[].into()), [Some(3), Some(2), Some(0)]);
    }
}
