//! The integer quadratic program that every solver sees.
//!
//! Over partial one-to-one assignments x ∈ {0,1}^(n₁ n₂) within the candidates,
//!
//! > xᵀWx = Σ u(i,a) x_ia + Σ_{i≠j, a≠b} W(ia, jb) x_ia x_jb
//!
//! is maximised or minimised, as the problem's [`Sense`] says. The unary part u is W's diagonal, full or
//! listed ([`PairValues`]). The pairwise part is an operator: no solver sees a matrix with (n₁ n₂)²
//! entries unless the caller brought one.
//!
//! | kind | W(ia, jb), i ≠ j, a ≠ b | product W·x | memory |
//! |---|---|---|---|
//! | [`ExplicitPairwise`] | any symmetric matrix | O(n⁴) | O(n⁴) |
//! | [`SeparablePairwise`] | exp(−(x_ij − y_ab)²/s), or Σᵣ Fᵣ_ij Gᵣ_ab | O(r n³) | O(r n²) |
//! | [`ProductPairwise`] | ½ (A_ij B_ab + A_ji B_ba) | O(n³), or O(\|E\| n) sparse | O(n²), O(\|E\|) |
//! | [`CrossingPairwise`] | Σᵣ ½ (Fᵣ_ib Gᵣ_aj + Fᵣ_ja Gᵣ_bi) | O(r \|E\| n) | O(r \|E\|) |
//! | [`SparsePairwise`] | listed pairs of listed assignments | O(pairs) | O(pairs) |
//! | [`SumPairwise`] | the sum of several | theirs | theirs |

mod affinities;
mod candidates;
mod crossing;
mod explicit;
mod factor;
mod low_rank;
mod product;
mod restricted;
mod seeds;
mod separable;
mod sparse;
mod sum;
#[cfg(test)]
mod test_support;
mod weights;

pub use affinities::Affinities;
pub use candidates::Candidates;
pub use crossing::CrossingPairwise;
pub use explicit::ExplicitPairwise;
pub use factor::{GaussianKernel, KernelFactors};
pub use low_rank::LowRank;
pub use product::ProductPairwise;
pub use restricted::{Entries, Restricted};
pub use seeds::SeededProduct;
pub use separable::SeparablePairwise;
pub use sparse::{Listed, SparsePairwise};
pub use sum::SumPairwise;
pub use weights::Weights;

use std::sync::{Arc, OnceLock};

use serde::Serialize;

use crate::assignment::Assignment;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, PairValues};
use crate::monitor::Monitor;

/// The off-diagonal part of W, zero wherever two assignments conflict (i = j or a = b).
///
/// W is symmetric: W(ia, jb) = W(jb, ia).
pub trait Pairwise: Send + Sync {
    /// n₁ and n₂.
    fn shape(&self) -> (usize, usize);

    /// W(ia, jb); 0 for conflicting pairs.
    fn value(&self, i: usize, a: usize, j: usize, b: usize) -> f64;

    /// `out = W x`, both n₁×n₂ row-major; `scratch` has [`scratch_len`](Self::scratch_len) entries.
    fn apply(&self, x: &[f64], out: &mut [f64], scratch: &mut [f64]);

    /// [`apply`](Self::apply) that asks `go_on` where it takes long; `false` when it was cut short, `out` as it was.
    fn apply_while(
        &self,
        x: &[f64],
        out: &mut [f64],
        scratch: &mut [f64],
        _go_on: &(dyn Fn() -> bool + Sync),
    ) -> bool {
        self.apply(x, out, scratch);
        true
    }

    /// How much scratch memory [`apply`](Self::apply) needs, in `f64`s.
    fn scratch_len(&self) -> usize;

    /// Bytes that this operator holds.
    fn memory(&self) -> u64;

    /// Bounds below and above all entries between assignments that do not conflict.
    fn bounds(&self) -> (f64, f64);

    /// `gradient += scale · W(·, jb)`: what the assignment jb gives to every other one.
    fn add_interactions(&self, j: usize, b: usize, scale: f64, gradient: &mut [f64]) {
        let (n, m) = self.shape();
        for k in 0..n {
            for c in 0..m {
                gradient[k * m + c] += scale * self.value(k, c, j, b);
            }
        }
    }

    /// `out = W x` for the 0/1 matrix x of an assignment; `scratch` as for [`apply`](Self::apply).
    ///
    /// Half the work of [`apply`](Self::apply) or less, since the product with x is a selection.
    fn apply_assignment(&self, assignment: &Assignment, out: &mut [f64], _scratch: &mut [f64]) {
        sum_interactions(self, assignment, out);
    }

    /// The change of the gradient when i leaves a for b and j leaves b for a.
    ///
    /// Kinds with structure do this in one pass; the default takes four.
    fn add_exchange(&self, (i, a): (usize, usize), (j, b): (usize, usize), gradient: &mut [f64]) {
        self.add_interactions(i, a, -1.0, gradient);
        self.add_interactions(j, b, -1.0, gradient);
        self.add_interactions(i, b, 1.0, gradient);
        self.add_interactions(j, a, 1.0, gradient);
    }

    /// W as a short sum of products, when it has that form; searches then follow moves faster.
    ///
    /// Sparse factors are filled up, which takes O(n²) memory.
    fn low_rank(&self) -> Option<LowRank<'_>> {
        None
    }

    /// Bytes that [`low_rank`](Self::low_rank) makes, when W has that form.
    fn low_rank_memory(&self) -> Option<u64> {
        None
    }

    /// The two factors of a product form, for solvers that need them.
    fn as_product(&self) -> Option<&ProductPairwise> {
        None
    }

    /// Calls `visit` with W(ia, jb) for the pairs jb of an assignment with j < i, in their order; those that
    /// are zero may be left out.
    fn visit_before(
        &self,
        (i, a): (usize, usize),
        assignment: &Assignment,
        visit: &mut dyn FnMut(f64),
    ) {
        for j in 0..i {
            if let Some(b) = assignment.partner(j) {
                visit(self.value(i, a, j, b));
            }
        }
    }

    /// W between listed assignments alone, for kinds that are lists themselves and never meet all pairs;
    /// [`Problem::restricted`] fills up for a product what the others give.
    fn restricted<'w>(&'w self, _entries: &Arc<Entries<'w>>) -> Option<Box<dyn Restricted + 'w>> {
        None
    }

    /// Bytes that [`restricted`](Self::restricted) and the scratch of its products take for so many
    /// entries; `None` for kinds that are filled up.
    fn restricted_memory(&self, _entries: usize) -> Option<u64> {
        None
    }
}

/// `out` = Σ W(·, jb) over the pairs of an assignment.
fn sum_interactions<P: Pairwise + ?Sized>(pairwise: &P, assignment: &Assignment, out: &mut [f64]) {
    out.fill(0.0);
    for (j, b) in assignment.pairs() {
        pairwise.add_interactions(j, b, 1.0, out);
    }
}

/// Unary values and, where there is one, a linear part of the same shape.
fn with_linear(unary: PairValues, linear: Option<&Matrix>) -> Result<PairValues> {
    let Some(linear) = linear else {
        return Ok(unary);
    };
    let (n, m) = unary.shape();
    if (linear.rows(), linear.cols()) != (n, m) {
        return Err(Error::parameter(
            "linear",
            format!("a {}×{} matrix", linear.rows(), linear.cols()),
            format!("{n}×{m}"),
        ));
    }
    let mut sum = linear.clone();
    unary.add_to(sum.as_mut_slice(), 1.0);
    Ok(sum.into())
}

/// Whether large or small values of xᵀWx are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sense {
    /// W holds affinities.
    Maximise,
    /// W holds costs.
    Minimise,
}

impl Sense {
    /// +1 when maximising, −1 when minimising: times W, more is better.
    #[must_use]
    pub fn sign(self) -> f64 {
        match self {
            Self::Maximise => 1.0,
            Self::Minimise => -1.0,
        }
    }

    /// Whether `a` is better than `b`.
    #[must_use]
    pub fn better(self, a: f64, b: f64) -> bool {
        self.sign() * a > self.sign() * b
    }
}

/// Who may stay without a partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// As many nodes as candidates allow are matched; with all candidates, the whole smaller side.
    Full,
    /// Any node may stay alone, at no cost.
    Partial,
}

/// An integer quadratic program.
pub struct Problem {
    sense: Sense,
    coverage: Coverage,
    unary: PairValues,
    /// Listed unary values as a matrix, once a solver has asked for it.
    full_unary: OnceLock<Matrix>,
    pairwise: Box<dyn Pairwise>,
    candidates: Candidates,
    /// Added to every objective: what was folded out of the program.
    constant: f64,
}

impl std::fmt::Debug for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Problem")
            .field("sense", &self.sense)
            .field("coverage", &self.coverage)
            .field("shape", &self.shape())
            .field("pairwise_bytes", &self.pairwise.memory())
            .finish_non_exhaustive()
    }
}

impl Problem {
    /// A program over all assignments, the smaller side fully matched.
    ///
    /// # Errors
    /// When the shapes differ or a unary value is not finite.
    pub fn new(
        sense: Sense,
        unary: impl Into<PairValues>,
        pairwise: Box<dyn Pairwise>,
    ) -> Result<Self> {
        let unary = unary.into();
        let shape = unary.shape();
        if shape != pairwise.shape() {
            let (n, m) = pairwise.shape();
            return Err(Error::parameter(
                "unary",
                format!("a {}×{} matrix", shape.0, shape.1),
                format!("{n}×{m}, as the pairwise part has"),
            ));
        }
        if let Some(value) = unary.occurring().find(|v| !v.is_finite()) {
            return Err(Error::parameter("unary", value, "finite numbers"));
        }
        Ok(Self {
            sense,
            coverage: Coverage::Full,
            candidates: Candidates::all(shape.0, shape.1),
            unary,
            full_unary: OnceLock::new(),
            pairwise,
            constant: 0.0,
        })
    }

    /// A program whose W holds affinities.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn maximise(unary: impl Into<PairValues>, pairwise: Box<dyn Pairwise>) -> Result<Self> {
        Self::new(Sense::Maximise, unary, pairwise)
    }

    /// A program whose W holds costs.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn minimise(unary: impl Into<PairValues>, pairwise: Box<dyn Pairwise>) -> Result<Self> {
        Self::new(Sense::Minimise, unary, pairwise)
    }

    /// Lets every node stay alone, or not.
    #[must_use]
    pub fn with_coverage(mut self, coverage: Coverage) -> Self {
        self.coverage = coverage;
        self
    }

    /// Adds a constant to the objective.
    #[must_use]
    pub fn with_constant(mut self, constant: f64) -> Self {
        self.constant = constant;
        self
    }

    /// Allows the listed assignments only.
    ///
    /// # Errors
    /// When the candidates have another shape.
    pub fn with_candidates(mut self, candidates: Candidates) -> Result<Self> {
        if candidates.shape() != self.shape() {
            let (n, m) = candidates.shape();
            return Err(Error::parameter(
                "candidates",
                format!("{n}×{m}"),
                format!("{}×{}, as the problem", self.shape().0, self.shape().1),
            ));
        }
        self.candidates = candidates;
        Ok(self)
    }

    /// n₁ and n₂.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        self.unary.shape()
    }

    /// Whether W is to be maximised or minimised.
    #[must_use]
    pub fn sense(&self) -> Sense {
        self.sense
    }

    /// Who may stay alone.
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// The assignments that are allowed.
    #[must_use]
    pub fn candidates(&self) -> &Candidates {
        &self.candidates
    }

    /// What is added to every objective.
    #[must_use]
    pub fn constant(&self) -> f64 {
        self.constant
    }

    /// W's diagonal, u(i, a).
    #[must_use]
    pub fn unary(&self) -> &PairValues {
        &self.unary
    }

    /// [`unary`](Self::unary) as a full matrix, for solvers that know no other kind. Listed values
    /// become one at the first call and stay it.
    ///
    /// # Errors
    /// When the matrix has to be made and the memory does not suffice.
    pub fn full_unary(&self, monitor: &Monitor) -> Result<&Matrix> {
        match self.unary.as_full().or_else(|| self.full_unary.get()) {
            Some(full) => Ok(full),
            None => {
                let full = self.unary.full(monitor)?.into_owned();
                Ok(self.full_unary.get_or_init(|| full))
            }
        }
    }

    /// W's off-diagonal part.
    #[must_use]
    pub fn pairwise(&self) -> &dyn Pairwise {
        self.pairwise.as_ref()
    }

    /// W's off-diagonal part between the listed assignments.
    #[must_use]
    pub fn restricted<'w>(&'w self, entries: &Arc<Entries<'w>>) -> Box<dyn Restricted + 'w> {
        let pairwise = self.pairwise();
        let listed = pairwise.restricted(entries);
        listed.unwrap_or_else(|| Box::new(restricted::Filled::new(pairwise, entries)))
    }

    /// Bytes that [`restricted`](Self::restricted) takes for so many entries, and the scratch of a product.
    #[must_use]
    pub fn restricted_memory(&self, entries: usize) -> u64 {
        let pairwise = self.pairwise();
        let listed = pairwise.restricted_memory(entries);
        listed.unwrap_or_else(|| restricted::Filled::memory(pairwise))
    }

    /// `out = W x`, unary part included.
    pub fn apply(&self, x: &[f64], out: &mut [f64], scratch: &mut [f64]) {
        self.pairwise.apply(x, out, scratch);
        match &self.unary {
            PairValues::Full(unary) => {
                for ((slot, &u), &value) in out.iter_mut().zip(unary.as_slice()).zip(x) {
                    *slot += u * value;
                }
            }
            listed => {
                for ((slot, u), &value) in out.iter_mut().zip(listed.iter()).zip(x) {
                    *slot += u * value;
                }
            }
        }
    }

    /// Bytes that the problem holds.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let full = self
            .full_unary
            .get()
            .map_or(0, |full| 8 * full.as_slice().len());
        self.unary.memory() + full as u64 + self.pairwise.memory() + self.candidates.memory()
    }

    /// xᵀWx of an assignment, entry by entry, and the constant.
    ///
    /// # Complexity
    /// O(edges) for sparse products and O(pairs) for listed pairs, with a search each; O(n²) else.
    #[must_use]
    pub fn objective(&self, assignment: &Assignment) -> f64 {
        let mut total = self.constant;
        for (i, a) in assignment.pairs() {
            total += self.unary[(i, a)];
            // W is symmetric: each pair once, counted twice.
            let mut add = |value: f64| total += 2.0 * value;
            self.pairwise.visit_before((i, a), assignment, &mut add);
        }
        total
    }

    /// Whether `assignment` is one-to-one, within the candidates, and as full as the coverage asks.
    #[must_use]
    pub fn is_feasible(&self, assignment: &Assignment) -> bool {
        let (n, m) = self.shape();
        self.permits(assignment)
            && (self.coverage == Coverage::Partial
                || !self.candidates.is_all()
                || assignment.matched() == n.min(m))
    }

    /// Whether `assignment` has the problem's rows and is one-to-one within the candidates.
    pub(crate) fn permits(&self, assignment: &Assignment) -> bool {
        let (n, m) = self.shape();
        assignment.rows() == n
            && assignment.is_one_to_one(m)
            && assignment
                .pairs()
                .all(|(i, a)| self.candidates.allows(i, a))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(sense: Sense) -> Problem {
        let matrix = Matrix::from_fn(9, 9, |p, q| ((p + q) % 5) as f64);
        let unary = Matrix::from_fn(3, 3, |i, a| (i * a) as f64);
        let pairwise = ExplicitPairwise::new(3, 3, matrix).unwrap();
        Problem::new(sense, unary, Box::new(pairwise)).unwrap()
    }

    #[test]
    fn the_objective_is_the_quadratic_form() {
        let problem = problem(Sense::Minimise).with_constant(7.0);
        for assignment in [
            [Some(1), Some(2), Some(0)],
            [None, Some(2), None],
            [None, None, None],
        ]
        .map(Assignment::from)
        {
            let mut x = vec![0.0; 9];
            for (i, a) in assignment.pairs() {
                x[3 * i + a] = 1.0;
            }
            let mut image = vec![0.0; 9];
            problem.apply(&x, &mut image, &mut []);
            let form: f64 = x.iter().zip(&image).map(|(x, y)| x * y).sum();
            assert_eq!(problem.objective(&assignment), 7.0 + form);
        }
    }

    #[test]
    fn feasibility_is_what_the_words_say() {
        let full = problem(Sense::Maximise);
        assert!(full.is_feasible(&[Some(1), Some(2), Some(0)].into()));
        assert!(!full.is_feasible(&[Some(1), Some(1), Some(0)].into()));
        assert!(!full.is_feasible(&[Some(1), None, Some(0)].into()));
        assert!(!full.is_feasible(&[Some(1), Some(3), Some(0)].into()));
        assert!(!full.is_feasible(&[Some(1)].into()));
        let partial = problem(Sense::Maximise).with_coverage(Coverage::Partial);
        assert!(partial.is_feasible(&[Some(1), None, Some(0)].into()));
        let few = Candidates::listed(3, 3, [(0, 1), (1, 0)]).unwrap();
        let listed = partial.with_candidates(few).unwrap();
        assert!(listed.is_feasible(&[Some(1), None, None].into()));
        assert!(!listed.is_feasible(&[Some(0), None, None].into()));
    }

    #[test]
    fn senses_are_opposites() {
        assert!(Sense::Maximise.better(2.0, 1.0) && !Sense::Minimise.better(2.0, 1.0));
        assert!(Sense::Minimise.better(1.0, 2.0) && !Sense::Maximise.better(1.0, 1.0));
    }

    #[test]
    fn shapes_must_agree() {
        let pairwise = ExplicitPairwise::new(2, 2, Matrix::zeros(4, 4)).unwrap();
        assert!(Problem::maximise(Matrix::zeros(2, 3), Box::new(pairwise)).is_err());
        let wrong = Candidates::all(2, 3);
        assert!(problem(Sense::Maximise).with_candidates(wrong).is_err());
    }
}
