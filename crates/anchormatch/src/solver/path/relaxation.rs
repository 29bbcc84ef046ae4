//! The two relaxations of PATH, as linear maps of a square matrix.

use crate::assignment::Assignment;
use crate::error::Result;
use crate::linalg::{Matrix, multiply_into, symmetric_eigen};
use crate::problem::{Problem, ProductPairwise, Weights};
use crate::solver::frank_wolfe::{dot, mix};
use crate::solver::relaxation::norm;

/// F₀ and F₁ of a problem, on N×N matrices.
pub(super) struct Relaxation {
    pub(super) size: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    a_squared: Vec<f64>,
    b_squared: Vec<f64>,
    /// c and d.
    shifts: (f64, f64),
    /// What is to be added to F₁ to make it F₀ on permutations.
    constant: f64,
    /// ± u.
    pub(super) unary: Vec<f64>,
    /// What A and B are divided by, and u by their product.
    units: [f64; 2],
}

/// A matrix and its images under the linear maps that F₀ and F₁ are made of.
pub(super) struct Images {
    pub(super) p: Vec<f64>,
    /// A P B.
    pub(super) product: Vec<f64>,
    /// ½ (A² P + P B²).
    pub(super) squares: Vec<f64>,
    /// d A P + c P B.
    pub(super) shifted: Vec<f64>,
}

impl Relaxation {
    pub(super) fn new(problem: &Problem, product: &ProductPairwise) -> Result<Self> {
        let (n, m) = problem.shape();
        let size = n.max(m);
        let sign = problem.sense().sign();
        let (mut a, mut b) = (padded(product.a(), size), padded(product.b(), size));
        // Units first: by powers of two no digit changes, and squares are numbers.
        let units = [power_of_two(norm(&a)), power_of_two(norm(&b))];
        a.iter_mut().for_each(|v| *v /= units[0]);
        b.iter_mut().for_each(|v| *v /= units[1]);
        // Both at one scale: the product does not change, and A P − P B means something.
        let (norm_a, norm_b) = (norm(&a), norm(&b));
        let scale = if norm_a > 0.0 && norm_b > 0.0 {
            (norm_b / norm_a).sqrt()
        } else {
            1.0
        };
        a.iter_mut().for_each(|v| *v *= sign * scale);
        b.iter_mut().for_each(|v| *v /= scale);
        let square = |matrix: &[f64]| {
            let mut out = vec![0.0; size * size];
            multiply_into(&mut out, matrix, matrix, size, size, size);
            out
        };
        let shift = |matrix: &[f64]| -> Result<f64> {
            let matrix = Matrix::from_vec(size, size, matrix.to_vec());
            let eigen = symmetric_eigen(&matrix)?;
            Ok(-eigen.values.first().copied().unwrap_or(0.0).min(0.0))
        };
        let shifts = (shift(&a)?, shift(&b)?);
        let mut unary = vec![0.0; size * size];
        for i in 0..n {
            for c in 0..m {
                unary[i * size + c] = sign * problem.unary()[(i, c)] / units[0] / units[1];
            }
        }
        Ok(Self {
            size,
            a_squared: square(&a),
            b_squared: square(&b),
            constant: 0.5 * (dot(&a, &a) + dot(&b, &b)) + shifts.0 * shifts.1 * size as f64,
            shifts,
            unary,
            a,
            b,
            units,
        })
    }

    /// A value of F_λ, in the problem's own unit.
    pub(super) fn in_problem_units(&self, value: f64) -> f64 {
        value * self.units[0] * self.units[1]
    }

    /// How far P is from being a permutation: F₁ − F₀ ≥ 0, constants aside.
    pub(super) fn distance(&self, at: &Images) -> f64 {
        let convex = dot(&at.p, &at.squares) - dot(&at.p, &at.product);
        let concave = -(dot(&at.p, &at.product)
            + dot(&at.p, &at.shifted)
            + self.shifts.0 * self.shifts.1 * dot(&at.p, &at.p));
        (concave + self.constant - convex).max(0.0)
    }

    /// An entry of H_λ P, where F_λ = ⟨P, H_λ P⟩ − ⟨u, P⟩.
    pub(super) fn form(&self, lambda: f64, at: &Images, entry: usize) -> f64 {
        (1.0 - lambda) * at.squares[entry]
            - at.product[entry]
            - lambda * (at.shifted[entry] + self.shifts.0 * self.shifts.1 * at.p[entry])
    }

    /// Fills the images of the permutation that `columns` is.
    pub(super) fn fill(&self, columns: &Assignment, rows: &mut [f64], out: &mut Images) {
        let size = self.size;
        out.p.fill(0.0);
        for (i, column) in columns.iter().enumerate() {
            let column = column.expect("a square assignment is full");
            out.p[i * size + column] = 1.0;
            let row = i * size..(i + 1) * size;
            let of_b = column * size..(column + 1) * size;
            rows[row.clone()].copy_from_slice(&self.b[of_b.clone()]);
            for (slot, value) in out.shifted[row.clone()]
                .iter_mut()
                .zip(&self.b[of_b.clone()])
            {
                *slot = self.shifts.0 * value;
            }
            for (slot, value) in out.squares[row].iter_mut().zip(&self.b_squared[of_b]) {
                *slot = 0.5 * value;
            }
        }
        for i in 0..size {
            for (j, column) in columns.iter().enumerate() {
                let place = i * size + column.expect("a square assignment is full");
                out.shifted[place] += self.shifts.1 * self.a[i * size + j];
                out.squares[place] += 0.5 * self.a_squared[i * size + j];
            }
        }
        multiply_into(&mut out.product, &self.a, rows, size, size, size);
    }
}

impl Images {
    pub(super) fn zeros(size: usize) -> Self {
        let zeros = || vec![0.0; size * size];
        Self {
            p: zeros(),
            product: zeros(),
            squares: zeros(),
            shifted: zeros(),
        }
    }

    /// The barycentre, whose images are those of row and column sums.
    pub(super) fn barycentre(relaxation: &Relaxation) -> Self {
        let size = relaxation.size;
        let mut images = Self::zeros(size);
        let share = 1.0 / size.max(1) as f64;
        images.p.fill(share);
        let sums = |matrix: &[f64]| -> Vec<f64> {
            matrix
                .chunks(size.max(1))
                .map(|row| row.iter().sum())
                .collect()
        };
        let (a, b) = (sums(&relaxation.a), sums(&relaxation.b));
        let (a_squared, b_squared) = (sums(&relaxation.a_squared), sums(&relaxation.b_squared));
        for i in 0..size {
            for j in 0..size {
                let place = i * size + j;
                images.product[place] = share * a[i] * b[j];
                images.squares[place] = 0.5 * share * (a_squared[i] + b_squared[j]);
                images.shifted[place] =
                    share * (relaxation.shifts.1 * a[i] + relaxation.shifts.0 * b[j]);
            }
        }
        images
    }

    /// This ← (1 − share) this + share `other`.
    pub(super) fn mix(&mut self, other: &Self, share: f64) {
        mix(&mut self.p, &other.p, share);
        mix(&mut self.product, &other.product, share);
        mix(&mut self.squares, &other.squares, share);
        mix(&mut self.shifted, &other.shifted, share);
    }
}

/// The power of two just below `value`; 1 for what has none.
fn power_of_two(value: f64) -> f64 {
    if value > 0.0 && value.is_finite() {
        2.0f64.powi(value.log2().floor().clamp(-1000.0, 1000.0) as i32)
    } else {
        1.0
    }
}

/// A dense matrix with zero rows and columns added.
fn padded(weights: &Weights, size: usize) -> Vec<f64> {
    let n = weights.node_count();
    let dense = weights.dense();
    let mut out = vec![0.0; size * size];
    for i in 0..n {
        out[i * size..i * size + n].copy_from_slice(dense.row(i));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::problem;
    use super::*;
    use crate::problem::Sense;

    fn of(problem: &Problem) -> Relaxation {
        Relaxation::new(problem, problem.pairwise().as_product().unwrap()).unwrap()
    }

    /// F_λ by its definition.
    fn value(relaxation: &Relaxation, lambda: f64, at: &Images) -> f64 {
        let forms: f64 = (0..at.p.len())
            .map(|entry| at.p[entry] * relaxation.form(lambda, at, entry))
            .sum();
        forms - dot(&relaxation.unary, &at.p)
    }

    fn images(relaxation: &Relaxation, columns: &Assignment) -> Images {
        let size = relaxation.size;
        let mut images = Images::zeros(size);
        relaxation.fill(columns, &mut vec![0.0; size * size], &mut images);
        images
    }

    #[test]
    fn on_permutations_all_relaxations_are_the_objective() {
        for sense in [Sense::Maximise, Sense::Minimise] {
            for (n, m) in [(5, 5), (3, 5), (5, 3)] {
                let problem = problem(n, m, sense);
                let relaxation = of(&problem);
                for shift in 0..5 {
                    let columns: Assignment = (0..5).map(|i| Some((2 * i + shift) % 5)).collect();
                    let known: Assignment = columns
                        .iter()
                        .take(n)
                        .map(|c| c.filter(|&c| c < m))
                        .collect();
                    let at = images(&relaxation, &columns);
                    assert!(relaxation.distance(&at) < 1e-9);
                    for lambda in [0.0, 0.3, 1.0] {
                        let constant = relaxation.constant * (1.0 - lambda)
                            - relaxation.shifts.0 * relaxation.shifts.1 * 5.0;
                        let got = constant - value(&relaxation, lambda, &at);
                        let got = relaxation.in_problem_units(got);
                        let want = sense.sign() * problem.objective(&known);
                        assert!(
                            (got - want).abs() < 1e-8,
                            "{sense:?} {lambda}: {got} {want}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn one_end_is_convex_the_other_concave() {
        let problem = problem(6, 5, Sense::Maximise);
        let relaxation = of(&problem);
        for k in 0..6 {
            let first: Assignment = (0..6).map(|i| Some((i + k) % 6)).collect();
            let second: Assignment = (0..6).map(|i| Some((5 * i + 2 * k) % 6)).collect();
            let (x, y) = (images(&relaxation, &first), images(&relaxation, &second));
            let mut middle = images(&relaxation, &first);
            middle.mix(&y, 0.5);
            let ends =
                |lambda| 0.5 * (value(&relaxation, lambda, &x) + value(&relaxation, lambda, &y));
            assert!(value(&relaxation, 0.0, &middle) <= ends(0.0) + 1e-9);
            assert!(value(&relaxation, 1.0, &middle) >= ends(1.0) - 1e-9);
            assert!(relaxation.distance(&middle) >= 0.0);
        }
    }

    #[test]
    fn the_barycentre_is_the_mean_of_the_cyclic_permutations() {
        let relaxation = of(&problem(4, 4, Sense::Maximise));
        let middle = Images::barycentre(&relaxation);
        let mut mean = Images::zeros(4);
        for k in 0..4 {
            let columns: Assignment = (0..4).map(|i| Some((i + k) % 4)).collect();
            let one = images(&relaxation, &columns);
            let share = 1.0 / (k + 1) as f64;
            mean.mix(&one, share);
        }
        for (got, want) in [
            (&middle.p, &mean.p),
            (&middle.product, &mean.product),
            (&middle.squares, &mean.squares),
            (&middle.shifted, &mean.shifted),
        ] {
            assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-9));
        }
    }
}
