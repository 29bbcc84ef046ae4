//! Several kinds of pairwise values, added.

use super::Pairwise;
use crate::assignment::Assignment;
use crate::error::{Error, Result};

/// W = Σ W_k.
pub struct SumPairwise {
    parts: Vec<Box<dyn Pairwise>>,
}

impl SumPairwise {
    /// The sum of these.
    ///
    /// # Errors
    /// When there is none or their shapes differ.
    pub fn new(parts: Vec<Box<dyn Pairwise>>) -> Result<Self> {
        let shapes: Vec<_> = parts.iter().map(|part| part.shape()).collect();
        match shapes.first() {
            Some(first) if shapes.iter().all(|shape| shape == first) => Ok(Self { parts }),
            _ => Err(Error::parameter(
                "parts",
                format!("the shapes {shapes:?}"),
                "one or more of the same shape",
            )),
        }
    }
}

impl Pairwise for SumPairwise {
    fn shape(&self) -> (usize, usize) {
        self.parts[0].shape()
    }

    fn value(&self, i: usize, a: usize, j: usize, b: usize) -> f64 {
        self.parts.iter().map(|part| part.value(i, a, j, b)).sum()
    }

    fn apply(&self, x: &[f64], out: &mut [f64], scratch: &mut [f64]) {
        let (first, others) = self.parts.split_first().expect("one part or more");
        first.apply(x, out, &mut scratch[..first.scratch_len()]);
        let (image, rest) = scratch.split_at_mut(out.len());
        for part in others {
            part.apply(x, image, &mut rest[..part.scratch_len()]);
            out.iter_mut().zip(&*image).for_each(|(slot, v)| *slot += v);
        }
    }

    fn scratch_len(&self) -> usize {
        let (n, m) = self.shape();
        let most = self.parts.iter().map(|part| part.scratch_len()).max();
        n * m + most.unwrap_or(0)
    }

    fn memory(&self) -> u64 {
        self.parts.iter().map(|part| part.memory()).sum()
    }

    fn bounds(&self) -> (f64, f64) {
        let bounds = self.parts.iter().map(|part| part.bounds());
        bounds.fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
    }

    fn add_interactions(&self, j: usize, b: usize, scale: f64, gradient: &mut [f64]) {
        for part in &self.parts {
            part.add_interactions(j, b, scale, gradient);
        }
    }

    fn apply_assignment(&self, assignment: &Assignment, out: &mut [f64], scratch: &mut [f64]) {
        let (first, others) = self.parts.split_first().expect("one part or more");
        first.apply_assignment(assignment, out, &mut scratch[..first.scratch_len()]);
        let (image, rest) = scratch.split_at_mut(out.len());
        for part in others {
            part.apply_assignment(assignment, image, &mut rest[..part.scratch_len()]);
            out.iter_mut().zip(&*image).for_each(|(slot, v)| *slot += v);
        }
    }

    fn add_exchange(&self, one: (usize, usize), other: (usize, usize), gradient: &mut [f64]) {
        for part in &self.parts {
            part.add_exchange(one, other, gradient);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::assert_is_its_values;
    use super::super::{CrossingPairwise, ProductPairwise, Weights};
    use super::*;
    use crate::linalg::Matrix;

    #[test]
    fn it_is_its_values() {
        let table = |rows: usize, cols: usize, k: usize| {
            Matrix::from_fn(rows, cols, |i, j| ((3 * i + 5 * j + k) % 7) as f64 - 3.0)
        };
        let product = |n, m| -> Box<dyn Pairwise> {
            let (a, b) = (
                Weights::Dense(table(n, n, 1)),
                Weights::Dense(table(m, m, 2)),
            );
            Box::new(ProductPairwise::new(a, b).unwrap().0)
        };
        let crossing = |n, m| -> Box<dyn Pairwise> {
            Box::new(CrossingPairwise::new(&[(table(n, m, 3), table(m, n, 4))]).unwrap())
        };
        for (n, m) in [(4, 4), (3, 5)] {
            let sum = SumPairwise::new(vec![product(n, m), crossing(n, m)]).unwrap();
            assert_is_its_values(&sum, 1e-12);
            let value = product(n, m).value(0, 1, 2, 0) + crossing(n, m).value(0, 1, 2, 0);
            assert_eq!(sum.value(0, 1, 2, 0), value);
        }
        assert!(SumPairwise::new(vec![product(3, 4), crossing(4, 3)]).is_err());
        assert!(SumPairwise::new(Vec::new()).is_err());
    }
}
