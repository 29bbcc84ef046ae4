//! Out of a symmetric point.
//!
//! Where a graph has automorphisms, a deterministic relaxation that treats equal nodes equally never tells them
//! apart: X stays a mixture of as many good assignments as there are symmetries, and what rounding makes of a mixture
//! is none of them. Such an X has rows, or columns, that are the same throughout, and its linear assignment is *tied*:
//! rotating the matching along a cycle of them costs nothing, and yet the objective of the problem changes. (Where it
//! does not change, of two leaves of one node say, any choice among the tied is as good.)
//!
//! Then one of the mixture's assignments is picked out, pair by pair. The surest of the tied pairs is fixed, the one of
//! the lowest indices among equals; the gradient at X with that pair says which of the other tied pairs belong to it; and
//! so on until nothing is tied any more. From that X the ascent of FAQ goes on. The best of all these answers is taken:
//! none is worse than rounding alone, and a problem whose X is not tied is solved as if this room were not there.

use super::relaxation::range;
use super::{Faq, Solution, Solver, Start, Status};
use crate::assignment::{self, Assignment};
use crate::error::Result;
use crate::linalg::{Matrix, PairValues};
use crate::monitor::Monitor;
use crate::problem::Problem;

/// Reduced costs up to this share of the pair's own X are none: above what steep exponentials make of the last
/// digits of a symmetry (GOAT's on a grid), below what noise in the weights does to one.
const TIED: f64 = 1e-4;

/// The least share of the largest X that a part of a mixture has: what X has all but ruled out is none, however little it
/// tells such pairs apart.
const LEAST_PART: f64 = 0.01;

/// Pairs that are fixed at most before the rest is left to the gradient; few fixed points tell all symmetries of most
/// graphs apart.
const MOST_FIXED: usize = 16;

/// Components of tied pairs that are looked at; each costs an evaluation of the objective.
const MOST_COMPONENTS: usize = 64;

/// The relaxation's answer, or a better one that was picked out of its X where that is tied.
///
/// # Errors
/// Those of the ascent.
///
/// # Complexity
/// A linear assignment; where X is tied, up to 64 evaluations of the objective, 16 products with W, as many linear
/// assignments, and an ascent of [`Faq`].
pub(super) fn broken(
    problem: &Problem,
    mut answer: Solution,
    monitor: &Monitor,
) -> Result<Solution> {
    let Some(soft) = answer.soft_matrix() else {
        return Ok(answer);
    };
    // What was cut short is no point of rest.
    let is_final = answer.status == Status::Converged && problem.candidates().is_all();
    if !is_final || soft.rows().min(soft.cols()) < 2 {
        return Ok(answer);
    }
    let ties = Ties::of_mixture(soft, monitor)?;
    if !ties.matter(problem) {
        return Ok(answer);
    }
    let sign = problem.sense().sign();
    let (picked, mixture) = pick(problem, soft.clone(), &ties, monitor)?;
    let value = problem.objective(&picked);
    if sign * value > sign * answer.objective {
        (answer.assignment, answer.objective) = (picked, value);
    }
    let mixture = PairValues::from(mixture);
    let start = Start::default().with_soft(&mixture);
    let found = Faq::default().solve_accepted(problem, &start, monitor)?;
    answer.iterations += found.iterations;
    answer.convergence.extend(found.convergence);
    if sign * found.objective > sign * answer.objective {
        (answer.assignment, answer.objective) = (found.assignment, found.objective);
        answer.soft = found.soft;
    }
    if found.status.was_interrupted() {
        answer.status = found.status;
    }
    Ok(answer)
}

/// An assignment out of X's tied pairs, and X with the pairs that had to be fixed for it.
fn pick(
    problem: &Problem,
    mut x: Matrix,
    ties: &Ties,
    monitor: &Monitor,
) -> Result<(Assignment, Matrix)> {
    let (n, m) = (x.rows(), x.cols());
    let unary = problem.full_unary(monitor)?.as_slice();
    let pairwise = problem.pairwise();
    let sign = problem.sense().sign();
    let mut scratch = vec![0.0; pairwise.scratch_len()];
    let mut open = ties.tight.clone();
    let mut picked = ties.best.clone();
    for _ in 0..MOST_FIXED {
        // The surest pair of a row that may take several columns.
        let several = |i: &usize| open[*i].len() > 1;
        let pairs = (0..n)
            .filter(several)
            .flat_map(|i| open[i].iter().map(move |&a| (i, a)));
        let surer = |one: (usize, usize), other: (usize, usize)| {
            if x[other] > x[one] * (1.0 + TIED) {
                other
            } else {
                one
            }
        };
        let Some((row, column)) = pairs.reduce(surer) else {
            break;
        };
        for (i, columns) in open.iter_mut().enumerate() {
            columns.retain(|&a| (i == row) == (a == column));
        }
        for a in 0..m {
            x[(row, a)] = f64::from(u8::from(a == column));
        }
        (0..n)
            .filter(|&i| i != row)
            .for_each(|i| x[(i, column)] = 0.0);

        let mut gradient = Matrix::zeros(n, m);
        pairwise.apply(x.as_slice(), gradient.as_mut_slice(), &mut scratch);
        for (slot, u) in gradient.as_mut_slice().iter_mut().zip(unary) {
            *slot = sign * (u + 2.0 * *slot);
        }
        let among = open
            .iter()
            .enumerate()
            .flat_map(|(i, columns)| columns.iter().map(move |&a| (i, a)));
        let little = assignment::ruled_out(among.map(|pair| gradient[pair]), n, m);
        let score = Matrix::from_fn(n, m, |i, a| {
            if open[i].contains(&a) {
                gradient[(i, a)]
            } else {
                little
            }
        });
        let (low, high) = range(gradient.as_slice());
        let next = Ties::of(&score, |_| TIED * (high - low), monitor)?;
        picked = next.best;
        // What the gradient tells apart is tied no longer.
        for (columns, tight) in open.iter_mut().zip(&next.tight) {
            columns.retain(|a| tight.contains(a));
        }
        if monitor.interrupted().is_some() {
            break;
        }
    }
    Ok((picked, x))
}

/// The pairs that a linear assignment could as well take.
struct Ties {
    /// An assignment of the greatest score.
    best: Assignment,
    /// The columns of each row that are without reduced cost.
    tight: Vec<Vec<usize>>,
    /// Rows, and columns, whose scores are the same throughout, by the least of them.
    alike: [Vec<usize>; 2],
}

impl Ties {
    /// Those of X: pairs that have their part in it.
    fn of_mixture(x: &Matrix, monitor: &Monitor) -> Result<Self> {
        let (_, largest) = range(x.as_slice());
        let none = -1.0;
        let tolerance = |value: f64| {
            if value >= LEAST_PART * largest {
                TIED * value
            } else {
                none
            }
        };
        Self::of(x, tolerance, monitor)
    }

    /// Pairs whose reduced cost is at most what `tolerance` makes of their score.
    fn of(score: &Matrix, tolerance: impl Fn(f64) -> f64, monitor: &Monitor) -> Result<Self> {
        let best = assignment::maximise_within(score, monitor)?;
        let tight = (0..score.rows())
            .map(|i| {
                let is_tight = |&a: &usize| {
                    let value = score[(i, a)];
                    best.row_duals[i] + best.column_duals[a] - value <= tolerance(value)
                };
                (0..score.cols()).filter(is_tight).collect()
            })
            .collect();
        Ok(Self {
            best: best.columns,
            tight,
            alike: [alike(score), alike(&score.transposed())],
        })
    }

    /// Other assignments of the same total score, one for each set of pairs that are tied among themselves.
    fn others(&self) -> Vec<Assignment> {
        let n = self.tight.len();
        let is_tight = |i: usize, a: &usize| self.tight[i].binary_search(a).is_ok();
        let own = |i: usize| self.best.partner(i).filter(|a| is_tight(i, a));
        let [rows, columns] = &self.alike;
        // From row to row: i could take what j has, because the two are told apart by nothing.
        let takes = |i: usize, j: usize| match (own(i), own(j)) {
            (Some(a), Some(b)) if i != j => {
                is_tight(i, &b) && (rows[i] == rows[j] || columns[a] == columns[b])
            }
            _ => false,
        };
        let next: Vec<Vec<usize>> = (0..n)
            .map(|i| (0..n).filter(|&j| takes(i, j)).collect())
            .collect();
        let mut seen = vec![false; n];
        let mut found = Vec::new();
        for first in 0..n {
            if seen[first] || found.len() == MOST_COMPONENTS {
                continue;
            }
            if let Some(cycle) = shortest_cycle(&next, first) {
                let mut other = self.best.clone();
                for &row in &cycle {
                    other.set(row, None);
                    seen[row] = true;
                }
                for (k, &row) in cycle.iter().enumerate() {
                    other.set(row, own(cycle[(k + 1) % cycle.len()]));
                }
                found.push(other);
            }
        }
        found
    }

    /// Whether some of them have another objective.
    fn matter(&self, problem: &Problem) -> bool {
        let usual = problem.objective(&self.best);
        let rounding = 1e-9 * usual.abs().max(f64::MIN_POSITIVE);
        let differs = |other: &Assignment| (problem.objective(other) - usual).abs() > rounding;
        self.others().iter().any(differs)
    }
}

/// For each row the first whose values are the same, up to what is tied.
fn alike(score: &Matrix) -> Vec<usize> {
    let (low, high) = range(score.as_slice());
    let tolerance = TIED * (high - low);
    let mut firsts: Vec<usize> = Vec::new();
    let mut group = Vec::with_capacity(score.rows());
    for i in 0..score.rows() {
        let is_same = |&&first: &&usize| {
            let pairs = score.row(first).iter().zip(score.row(i));
            pairs.into_iter().all(|(x, y)| (x - y).abs() <= tolerance)
        };
        let first = firsts.iter().find(is_same).copied();
        group.push(first.unwrap_or(i));
        if first.is_none() {
            firsts.push(i);
        }
    }
    group
}

/// The shortest way from a row back to itself.
fn shortest_cycle(next: &[Vec<usize>], first: usize) -> Option<Vec<usize>> {
    let mut before = vec![None; next.len()];
    let mut queue = std::collections::VecDeque::from([first]);
    while let Some(row) = queue.pop_front() {
        for &to in &next[row] {
            if to == first {
                let mut cycle = vec![row];
                while let Some(previous) = before[*cycle.last()?] {
                    cycle.push(previous);
                }
                cycle.reverse();
                return Some(cycle);
            }
            if before[to].is_none() {
                before[to] = Some(row);
                queue.push_back(to);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::test_support::values;
    use super::super::{Gagm, Goat, MeanField, Status};
    use super::*;
    use crate::problem::{ProductPairwise, Sense, Weights};

    fn product(a: Matrix, b: Matrix) -> Problem {
        let (a, b) = (Weights::Dense(a), Weights::Dense(b));
        ProductPairwise::problem(Sense::Minimise, a, b, None).unwrap()
    }

    /// Distances between the cells of a grid, which is its own mirror image in two ways.
    fn grid(rows: usize, cols: usize) -> Matrix {
        Matrix::from_fn(rows * cols, rows * cols, |p, q| {
            ((p / cols).abs_diff(q / cols) + (p % cols).abs_diff(q % cols)) as f64
        })
    }

    /// A relaxation's answer with this X.
    fn rounded(problem: &Problem, soft: &Matrix) -> Solution {
        let assignment = assignment::maximise(soft).unwrap().columns;
        Solution {
            objective: problem.objective(&assignment),
            assignment,
            soft: Some(soft.clone().into()),
            iterations: 0,
            status: Status::Converged,
            convergence: Vec::new(),
        }
    }

    fn solve(solver: &dyn Solver, problem: &Problem) -> Solution {
        let start = Start::default();
        solver.solve(problem, &start, &Monitor::silent()).unwrap()
    }

    #[test]
    fn a_mixture_of_mirror_images_ends_at_one_of_them() {
        // Flows that are the distances of the same grid, elsewhere: the least of Σ A B is a known permutation's.
        let (rows, cols) = (3, 4);
        let n = rows * cols;
        let a = grid(rows, cols);
        let order: Vec<usize> = (0..n).map(|i| (5 * i + 3) % n).collect();
        let b = Matrix::from_fn(n, n, |i, j| -a[(order[i], order[j])]);
        let problem = product(a, b);
        let place = |i: usize| order.iter().position(|&k| k == i).unwrap();
        // The truth and its three mirror images, in equal shares.
        let images = |i: usize| {
            let (r, c) = (i / cols, i % cols);
            [
                (r, c),
                (rows - 1 - r, c),
                (r, cols - 1 - c),
                (rows - 1 - r, cols - 1 - c),
            ]
            .map(|(r, c)| place(r * cols + c))
        };
        let mut soft = Matrix::zeros(n, n);
        for i in 0..n {
            for image in images(i) {
                soft[(i, image)] += 0.25;
            }
        }
        let answer = rounded(&problem, &soft);
        let best = problem.objective(&(0..n).map(|i| Some(place(i))).collect());
        assert!(answer.objective > best, "rounding found {best} by itself");
        let broken = broken(&problem, answer, &Monitor::silent()).unwrap();
        assert_eq!(broken.objective, best);
    }

    #[test]
    fn relaxations_leave_the_symmetric_point_of_a_grid() {
        let problem = product(grid(3, 4), values(12, 3));
        let mean_field = MeanField::default();
        let plain = mean_field
            .anneal(&problem, &Start::default(), &Monitor::silent())
            .unwrap()
            .solution
            .objective;
        let found = solve(&mean_field, &problem).objective;
        assert!(found < 0.9 * plain, "{found} {plain}");
        for (rows, cols) in [(3, 4), (4, 4)] {
            let problem = product(grid(rows, cols), values(rows * cols, 3));
            let [goat, faq] = [&Goat::default() as &dyn Solver, &Faq::default()]
                .map(|solver| solve(solver, &problem).objective);
            assert!(goat < faq, "{rows}×{cols}: {goat} {faq}");
        }
    }

    #[test]
    fn without_ties_nothing_changes() {
        for seed in 0..20 {
            for n in [5, 9, 14] {
                let problem = product(values(n, 2 * seed), values(n, 2 * seed + 1));
                let monitor = Monitor::silent();
                let start = Start::default();
                let mean_field = MeanField::default();
                let plain = mean_field
                    .anneal(&problem, &start, &monitor)
                    .unwrap()
                    .solution;
                assert_eq!(solve(&mean_field, &problem), plain, "n = {n}, seed {seed}");
                for solver in [&Goat::default() as &dyn Solver, &Gagm::default()] {
                    let answer = solve(solver, &problem);
                    let ties = Ties::of_mixture(answer.soft_matrix().unwrap(), &monitor).unwrap();
                    assert!(!ties.matter(&problem), "n = {n}, seed {seed}");
                    let again = broken(&problem, answer.clone(), &monitor).unwrap();
                    assert_eq!(again, answer);
                }
            }
        }
    }

    #[test]
    fn twins_may_be_tied() {
        // The leaves of a star are all the same to everybody: any choice among them is as good.
        let star = Matrix::from_fn(6, 6, |i, j| f64::from(u8::from((i == 0) != (j == 0))));
        let problem = product(star.clone(), Matrix::from_fn(6, 6, |i, j| -star[(i, j)]));
        let soft = Matrix::from_fn(6, 6, |i, a| match (i, a) {
            (0, 0) => 1.0,
            (0, _) | (_, 0) => 0.0,
            _ => 0.2,
        });
        let ties = Ties::of_mixture(&soft, &Monitor::silent()).unwrap();
        assert!(!ties.others().is_empty());
        assert!(!ties.matter(&problem));
    }

    #[test]
    fn ties_are_cycles_without_cost() {
        let monitor = Monitor::silent();
        // Rows 0 and 1 are the same, row 2 has an equal choice and another row, row 3 is sure.
        let score = Matrix::from_vec(
            4,
            4,
            vec![
                0.5, 0.5, 0.0, 0.0, //
                0.5, 0.5, 0.0, 0.0, //
                0.0, 0.5, 0.5, 0.0, //
                0.0, 0.0, 0.0, 1.0,
            ],
        );
        let ties = Ties::of_mixture(&score, &monitor).unwrap();
        let rotated: Assignment = [1, 0, 2, 3].into_iter().map(Some).collect();
        let own: Assignment = (0..4).map(Some).collect();
        let [one] = &ties.others()[..] else {
            panic!("one component")
        };
        assert!((ties.best == own && *one == rotated) || (ties.best == rotated && *one == own));
        let mut unique = score.clone();
        unique[(0, 0)] = 0.6;
        assert!(
            Ties::of_mixture(&unique, &monitor)
                .unwrap()
                .others()
                .is_empty()
        );
    }
}
