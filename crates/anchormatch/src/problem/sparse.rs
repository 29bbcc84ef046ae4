//! Listed assignments and listed pairs of them: the problems of the `.dd` format.
//!
//! Only listed assignments are allowed, and two of them interact only when their pair is listed. A
//! listed cost counts once when both assignments are chosen, so W(ia, jb) is half of it: xᵀWx counts
//! every pair in both orders.

use std::sync::Arc;

use super::restricted::ByNumbers;
use super::{Candidates, Coverage, Entries, Pairwise, Problem, Restricted, Sense, with_linear};
use crate::assignment::Assignment;
use crate::error::{Error, Result};
use crate::linalg::{Csr, Matrix};

/// A problem as its file lists it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listed {
    /// n₁.
    pub rows: usize,
    /// n₂.
    pub cols: usize,
    /// (row, column, cost) of each allowed assignment; its place is its number.
    pub assignments: Vec<(usize, usize, f64)>,
    /// (number, number, cost) of pairs of assignments; the cost counts once when both are chosen.
    pub pairs: Vec<(usize, usize, f64)>,
}

impl Listed {
    /// The program to minimise, every node allowed to stay alone.
    ///
    /// Costs of an assignment or a pair that is listed twice add up; a pair of conflicting
    /// assignments can never be chosen and is left out.
    ///
    /// # Errors
    /// When a number is out of range or a cost is not finite.
    pub fn problem(&self) -> Result<Problem> {
        let candidates = Candidates::listed(
            self.rows,
            self.cols,
            self.assignments.iter().map(|&(i, a, _)| (i, a)),
        )?;
        let pairwise = SparsePairwise::new(self)?;
        Problem::new(Sense::Minimise, self.costs()?, Box::new(pairwise))?
            .with_coverage(Coverage::Partial)
            .with_candidates(candidates)
    }

    /// The costs of the assignments; those of one that is listed twice add up.
    ///
    /// # Errors
    /// When an assignment is out of range.
    pub fn costs(&self) -> Result<Csr<f64>> {
        Csr::from_triplets(self.rows, self.cols, self.assignments.iter().copied())
    }
}

/// The pairwise part of a [`Listed`] problem, rows of neighbours by assignment.
#[derive(Debug, Clone)]
pub struct SparsePairwise {
    /// The assignments that interact with anything; an entry's place is its number.
    numbers: Csr<()>,
    /// The place of each of them in the n₁×n₂ matrix, ascending.
    places: Vec<usize>,
    /// W between them, by number.
    weights: Csr<f64>,
    bounds: (f64, f64),
}

impl SparsePairwise {
    /// The operator of the listed pairs.
    ///
    /// # Errors
    /// When a number is out of range or a cost is not finite.
    pub fn new(listed: &Listed) -> Result<Self> {
        let cols = listed.cols;
        let place = |number: usize| {
            let &(i, a, _) = listed.assignments.get(number).ok_or_else(|| {
                Error::parameter(
                    "pairs",
                    format!("assignment {number}"),
                    format!("numbers below {}", listed.assignments.len()),
                )
            })?;
            if i >= listed.rows || a >= cols {
                return Err(Error::parameter(
                    "assignments",
                    format!("({i}, {a})"),
                    format!("pairs within {}×{cols}", listed.rows),
                ));
            }
            Ok(i * cols + a)
        };
        let mut entries: Vec<(usize, usize, f64)> = Vec::with_capacity(2 * listed.pairs.len());
        for &(first, second, cost) in &listed.pairs {
            let (p, q) = (place(first)?, place(second)?);
            if !cost.is_finite() {
                return Err(Error::parameter("pairs", cost, "finite costs"));
            }
            if p / cols != q / cols && p % cols != q % cols {
                entries.push((p, q, 0.5 * cost));
                entries.push((q, p, 0.5 * cost));
            }
        }
        // W is symmetric: whoever interacts stands first in some entry.
        let mut places: Vec<usize> = entries.iter().map(|entry| entry.0).collect();
        places.sort_unstable();
        places.dedup();
        let pairs = places.iter().map(|&p| (p / cols, p % cols));
        let numbers = Csr::pattern(listed.rows, cols, pairs)?;
        let number = |p: usize| places.binary_search(&p).expect("p is in an entry");
        let numbered = entries.iter().map(|&(p, q, w)| (number(p), number(q), w));
        let weights = Csr::from_triplets(places.len(), places.len(), numbered)?;
        let extend = |(low, high): (f64, f64), &w: &f64| (low.min(w), high.max(w));
        Ok(Self {
            bounds: weights.values().iter().fold((0.0, 0.0), extend),
            numbers,
            places,
            weights,
        })
    }

    /// The program xᵀKx (+ Σ linear) over all assignments, for the entries (row, column, value) of a K that
    /// need not be symmetric; assignment (i, a) has the row i·n₂ + a.
    ///
    /// # Errors
    /// When an entry is out of range or not finite, or the linear part has another shape.
    pub fn problem(
        sense: Sense,
        (rows, cols): (usize, usize),
        entries: impl IntoIterator<Item = (usize, usize, f64)>,
        linear: Option<&Matrix>,
    ) -> Result<Problem> {
        let size = rows * cols;
        let mut listed = Listed {
            rows,
            cols,
            assignments: (0..size).map(|p| (p / cols, p % cols, 0.0)).collect(),
            pairs: Vec::new(),
        };
        let mut diagonal = vec![0.0; size];
        for (p, q, value) in entries {
            if !value.is_finite() {
                return Err(Error::parameter("K", value, "finite numbers"));
            }
            if p == q && p < size {
                diagonal[p] = value;
            } else if value != 0.0 {
                // Each of (p, q) and (q, p) counts once in xᵀKx.
                listed.pairs.push((p, q, value));
            }
        }
        let pairwise = Self::new(&listed)?;
        let unary = with_linear(Matrix::from_vec(rows, cols, diagonal).into(), linear)?;
        Problem::new(sense, unary, Box::new(pairwise))
    }
}

impl Pairwise for SparsePairwise {
    fn shape(&self) -> (usize, usize) {
        (self.numbers.rows(), self.numbers.cols())
    }

    fn value(&self, i: usize, a: usize, j: usize, b: usize) -> f64 {
        let pair = (self.numbers.place(i, a), self.numbers.place(j, b));
        let (Some(p), Some(q)) = pair else {
            return 0.0;
        };
        self.weights.get(p, q).unwrap_or(0.0)
    }

    fn apply(&self, x: &[f64], out: &mut [f64], _scratch: &mut [f64]) {
        out.fill(0.0);
        for (k, &place) in self.places.iter().enumerate() {
            let terms = self.weights.row(k).map(|(q, w)| w * x[self.places[q]]);
            out[place] = terms.sum();
        }
    }

    fn scratch_len(&self) -> usize {
        0
    }

    fn memory(&self) -> u64 {
        self.numbers.memory() + self.weights.memory() + size_of_val(&self.places[..]) as u64
    }

    fn bounds(&self) -> (f64, f64) {
        self.bounds
    }

    fn add_interactions(&self, j: usize, b: usize, scale: f64, gradient: &mut [f64]) {
        if let Some(number) = self.numbers.place(j, b) {
            for (q, w) in self.weights.row(number) {
                gradient[self.places[q]] += scale * w;
            }
        }
    }

    fn visit_before(
        &self,
        (i, a): (usize, usize),
        assignment: &Assignment,
        visit: &mut dyn FnMut(f64),
    ) {
        let Some(number) = self.numbers.place(i, a) else {
            return;
        };
        let cols = self.numbers.cols();
        for (q, w) in self.weights.row(number) {
            let (j, b) = (self.places[q] / cols, self.places[q] % cols);
            if j >= i {
                return;
            }
            if assignment.partner(j) == Some(b) {
                visit(w);
            }
        }
    }

    fn restricted<'w>(&'w self, entries: &Arc<Entries<'w>>) -> Option<Box<dyn Restricted + 'w>> {
        let numbers = &self.numbers;
        Some(Box::new(ByNumbers::new(numbers, &self.weights, entries)))
    }

    fn restricted_memory(&self, entries: usize) -> Option<u64> {
        Some(4 * (entries as u64).saturating_add(self.places.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::assert_is_its_values;
    use super::*;

    fn listed() -> Listed {
        Listed {
            rows: 2,
            cols: 3,
            assignments: vec![(0, 0, 1.0), (0, 2, -1.0), (1, 1, 2.0), (1, 2, 0.5)],
            // The pair (0, 2) twice, and one pair in conflict (both use column 2).
            pairs: vec![(0, 2, 4.0), (2, 0, 1.0), (1, 2, -3.0), (1, 3, 100.0)],
        }
    }

    #[test]
    fn costs_count_once_when_both_are_chosen() {
        let problem = listed().problem().unwrap();
        assert_eq!(
            problem.objective(&[Some(0), Some(1)].into()),
            1.0 + 2.0 + 5.0
        );
        assert_eq!(
            problem.objective(&[Some(2), Some(1)].into()),
            -1.0 + 2.0 - 3.0
        );
        assert_eq!(problem.objective(&[Some(2), None].into()), -1.0);
        assert_eq!(problem.objective(&[None, None].into()), 0.0);
        assert_eq!(problem.pairwise().value(0, 2, 1, 2), 0.0);
        assert!(problem.is_feasible(&[None, Some(2)].into()));
        assert!(!problem.is_feasible(&[Some(1), None].into()));
        assert_eq!(problem.pairwise().bounds(), (-1.5, 2.5));
    }

    #[test]
    fn products_and_gradients_agree_with_values() {
        let problem = listed().problem().unwrap();
        assert_is_its_values(problem.pairwise(), 1e-12);
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let mut bad = listed();
        bad.pairs.push((0, 4, 1.0));
        assert!(bad.problem().is_err());
        let mut bad = listed();
        bad.assignments[0].1 = 3;
        assert!(bad.problem().is_err());
        let mut bad = listed();
        bad.pairs[0].2 = f64::NAN;
        assert!(bad.problem().is_err());
    }
}
