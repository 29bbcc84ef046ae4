//! FAQ as SciPy and graspologic define it (Vogelstein et al., PLoS ONE 10, 2015), and GOAT as graspologic
//! does (Saad-Eldin et al. 2021).
//!
//! Frank–Wolfe with exact line search over the doubly stochastic matrices. Where our own
//! [`Faq`](crate::solver::Faq) returns the best assignment that it met, these return the one nearest to
//! the last X.

use super::super::frank_wolfe::{Direction, End, Fresh, StepRule, climb as frank_wolfe};
use super::super::relaxation::norm;
use super::program::Program;
use super::scaling::scale;
use crate::assignment::{Assignment, LinearAssignment, LinearSolver, TieBreak};
use crate::error::Result;
use crate::monitor::{Monitor, Progress};
use crate::solver::Status;

/// Exponents below this are as good as nothing.
const LEAST_EXPONENT: f64 = -700.0;

/// Sweeps between two looks at the sums, as POT's `sinkhorn` takes them.
const SWEEPS_BETWEEN_LOOKS: usize = 10;

/// How to climb.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Whether large values are wanted.
    pub maximise: bool,
    /// Iterations at most.
    pub max_iterations: usize,
    /// It ends when X moves by less than this times the root of its size.
    pub tolerance: f64,
    /// Steps towards transport plans instead of assignments.
    pub transport: Option<Transport>,
    /// The ties of linear assignments.
    pub tie_break: TieBreak,
}

/// How sharp the plans of GOAT are, and how they are balanced.
#[derive(Debug, Clone, PartialEq)]
pub struct Transport {
    /// λ of exp(λ G / max|G|).
    pub regulariser: f64,
    /// The norm of what columns miss 1 by is below this.
    pub tolerance: f64,
    /// Sweeps at most.
    pub max_sweeps: usize,
}

/// Fills in the order in which the rows of a linear assignment are taken up, before each of them: ties are
/// then broken at random.
pub type Shuffle<'s> = &'s mut (dyn FnMut(&mut [usize]) + Send);

/// Where a climb came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Climb {
    /// The last X, row after row.
    pub x: Vec<f64>,
    /// Its nearest assignment.
    pub assignment: Assignment,
    /// Iterations made.
    pub iterations: usize,
    /// How it ended.
    pub status: Status,
    /// By how much the last plan that did not reach its tolerance missed it.
    pub unbalanced: Option<f64>,
}

/// Climbs from `x`, which is doubly stochastic.
///
/// The monitor is told the length of every step.
///
/// # Errors
/// When numbers run out.
///
/// # Panics
/// When `x` does not have the program's size.
///
/// # Complexity
/// An iteration takes one product for symmetric matrices, two for directed ones, and a linear assignment;
/// with transport plans twice the products and O(n²) a sweep. Memory: eight n×n matrices beside the
/// program.
pub fn climb(
    program: &Program,
    x: Vec<f64>,
    rules: &Rules,
    shuffle: Option<Shuffle<'_>>,
    monitor: &Monitor,
) -> Result<Climb> {
    let n = program.size();
    assert_eq!(x.len(), n * n, "a square start");
    let mut assignments = Assignments::new(n, rules.tie_break, shuffle);
    let mut climb = match &rules.transport {
        None => run(program, x, rules, &mut assignments, monitor)?,
        Some(transport) => {
            let mut plans = Plans::new(n, transport);
            let climb = run(program, x, rules, &mut plans, monitor)?;
            Climb {
                unbalanced: plans.unbalanced,
                ..climb
            }
        }
    };
    assignments.find(&climb.x)?;
    climb.assignment = assignments.found;
    Ok(climb)
}

fn run<D: Direction>(
    program: &Program,
    x: Vec<f64>,
    rules: &Rules,
    direction: D,
    monitor: &Monitor,
) -> Result<Climb> {
    let sign = if rules.maximise { 1.0 } else { -1.0 };
    let root = (program.size() as f64).sqrt();
    let mut ascent = Fresh::new(program.form(), sign, x, direction);
    let mut iterations = 0;
    let status = if program.size() == 0 {
        Status::Converged
    } else {
        let rule = StepRule::NotLower;
        frank_wolfe(&mut ascent, rule, rules.max_iterations, |ascent, taken| {
            iterations += 1;
            let moved = taken.step * ascent.length / root;
            let interrupt = monitor.checkpoint(Progress {
                stage: "faq",
                done: iterations,
                total: Some(rules.max_iterations),
                value: Some(moved),
            });
            if moved < rules.tolerance {
                Some(Status::Converged)
            } else {
                interrupt.map(Status::from)
            }
        })?
    };
    Ok(Climb {
        x: ascent.x,
        assignment: Assignment::default(),
        iterations,
        status,
        unbalanced: None,
    })
}

/// Linear assignments as the direction, their rows in an order that may be drawn.
struct Assignments<'s> {
    n: usize,
    solver: LinearSolver,
    best: LinearAssignment,
    shuffle: Option<Shuffle<'s>>,
    order: Vec<usize>,
    shuffled: Vec<f64>,
    found: Assignment,
}

impl<'s> Assignments<'s> {
    fn new(n: usize, tie_break: TieBreak, shuffle: Option<Shuffle<'s>>) -> Self {
        Self {
            n,
            solver: LinearSolver::with_ties(tie_break),
            best: LinearAssignment::default(),
            shuffle,
            order: (0..n).collect(),
            shuffled: Vec::new(),
            found: Assignment::empty(n),
        }
    }
}

impl Direction for Assignments<'_> {
    const IS_BEST: bool = true;

    fn find(&mut self, gradient: &[f64]) -> Result<()> {
        let n = self.n;
        let Some(shuffle) = &mut self.shuffle else {
            self.solver.maximise_slice(gradient, n, n, &mut self.best)?;
            self.found.clone_from(&self.best.columns);
            return Ok(());
        };
        shuffle(&mut self.order);
        self.shuffled.clear();
        for &row in &self.order {
            self.shuffled.extend_from_slice(&gradient[row * n..][..n]);
        }
        self.solver
            .maximise_slice(&self.shuffled, n, n, &mut self.best)?;
        for (&row, column) in self.order.iter().zip(&self.best.columns) {
            self.found.set(row, column);
        }
        Ok(())
    }

    fn end(&self) -> End<'_> {
        End::Assignment(&self.found)
    }
}

/// Transport plans as the direction: exp(λ G / max|G|), scaled until all rows and columns sum to 1.
struct Plans<'t> {
    n: usize,
    transport: &'t Transport,
    plan: Vec<f64>,
    unbalanced: Option<f64>,
}

impl<'t> Plans<'t> {
    fn new(n: usize, transport: &'t Transport) -> Self {
        Self {
            n,
            transport,
            plan: vec![0.0; n * n],
            unbalanced: None,
        }
    }
}

impl Direction for Plans<'_> {
    const IS_BEST: bool = false;

    fn find(&mut self, gradient: &[f64]) -> Result<()> {
        let (mut largest, mut high) = (0.0f64, f64::NEG_INFINITY);
        for &value in gradient {
            (largest, high) = (largest.max(value.abs()), high.max(value));
        }
        let factor = if largest > 0.0 {
            self.transport.regulariser / largest
        } else {
            0.0
        };
        for (slot, value) in self.plan.iter_mut().zip(gradient) {
            *slot = (factor * (value - high)).max(LEAST_EXPONENT).exp();
        }
        let sweeps = (self.transport.max_sweeps, SWEEPS_BETWEEN_LOOKS);
        let mut error = f64::INFINITY;
        let ended = scale(&mut self.plan, self.n, sweeps, |errors| {
            error = norm(errors);
            error < self.transport.tolerance
        });
        if !ended {
            self.unbalanced = Some(error);
        }
        Ok(())
    }

    fn end(&self) -> End<'_> {
        End::Plan(&self.plan)
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::{Layer, Layers};
    use super::*;
    use crate::linalg::Matrix;
    use crate::problem::Weights;
    use crate::solver::test_support::values;
    use anchormatch_invariants::small_problems::permutations;

    /// A and B, and what crosses between them.
    type NaiveLayer = (Matrix, Matrix, Option<(Matrix, Matrix)>);

    /// Matrices by their entries, products by their sums.
    struct Naive {
        layers: Vec<NaiveLayer>,
        linear: Matrix,
    }

    impl Naive {
        fn new(n: usize, kind: usize) -> Self {
            let matrix = |seed: u64| {
                let raw = values(2 * n, seed);
                // Half of the entries are zero, so that sparse forms leave something out.
                Matrix::from_fn(n, n, |i, j| (raw[(i, n + j)] - 0.5).max(0.0))
            };
            let symmetric = |seed: u64| {
                let raw = matrix(seed);
                Matrix::from_fn(n, n, |i, j| raw[(i, j)] + raw[(j, i)])
            };
            let layers = match kind {
                0 => vec![(symmetric(1), symmetric(2), None)],
                1 => vec![(matrix(1), symmetric(2), None)],
                2 => vec![(symmetric(1), matrix(2), None)],
                3 => vec![(matrix(1), matrix(2), None)],
                _ => vec![
                    (matrix(1), matrix(2), Some((matrix(3), matrix(4)))),
                    (symmetric(5), symmetric(6), None),
                ],
            };
            Self {
                layers,
                linear: matrix(7),
            }
        }

        fn layers(&self, sparse: bool) -> Layers {
            let weights = |matrix: &Matrix| {
                if sparse {
                    Weights::sparse(matrix)
                } else {
                    Weights::Dense(matrix.clone())
                }
            };
            let layer = |(a, b, crossing): &(Matrix, Matrix, Option<(Matrix, Matrix)>)| Layer {
                a: weights(a),
                b: weights(b),
                crossing: crossing.as_ref().map(|(ab, ba)| (weights(ab), weights(ba))),
            };
            let layers = self.layers.iter().map(layer).collect();
            Layers::new(layers, Some(self.linear.clone())).unwrap()
        }

        /// f of a matrix over all nodes.
        fn value(&self, x: &Matrix) -> f64 {
            let n = x.rows();
            let mut total = 0.0;
            for i in 0..n {
                for c in 0..n {
                    total += self.linear[(i, c)] * x[(i, c)];
                    for j in 0..n {
                        for d in 0..n {
                            let both = x[(i, c)] * x[(j, d)];
                            for (a, b, crossing) in &self.layers {
                                total += a[(i, j)] * b[(c, d)] * both;
                                if let Some((ab, ba)) = crossing {
                                    total += ab[(i, d)] * ba[(c, j)] * both;
                                }
                            }
                        }
                    }
                }
            }
            total
        }

        /// ∇f, by differences of a quadratic function, which are exact but for rounding.
        fn gradient(&self, x: &Matrix) -> Matrix {
            Matrix::from_fn(x.rows(), x.cols(), |i, c| {
                let (mut more, mut less) = (x.clone(), x.clone());
                more[(i, c)] += 1.0;
                less[(i, c)] -= 1.0;
                0.5 * (self.value(&more) - self.value(&less))
            })
        }
    }

    /// The whole X: `x` between the free nodes, and the pairs that are fixed.
    fn whole(
        x: &[f64],
        fixed: &(Vec<usize>, Vec<usize>),
        free: &(Vec<usize>, Vec<usize>),
    ) -> Matrix {
        let nodes = fixed.0.len() + free.0.len();
        let mut matrix = Matrix::zeros(nodes, nodes);
        for (&i, &c) in fixed.0.iter().zip(&fixed.1) {
            matrix[(i, c)] = 1.0;
        }
        for (k, &i) in free.0.iter().enumerate() {
            for (l, &c) in free.1.iter().enumerate() {
                matrix[(i, c)] = x[k * free.0.len() + l];
            }
        }
        matrix
    }

    /// One iteration from its definition: all permutations, and a parabola through three values.
    fn step(
        naive: &Naive,
        x: &[f64],
        fixed: &(Vec<usize>, Vec<usize>),
        free: &(Vec<usize>, Vec<usize>),
        sign: f64,
    ) -> Vec<f64> {
        let n = free.0.len();
        let gradient = naive.gradient(&whole(x, fixed, free));
        let gradient = gradient.select(&free.0, &free.1);
        let score = |p: &Vec<usize>| -> f64 {
            p.iter()
                .enumerate()
                .map(|(i, &c)| sign * gradient[(i, c)])
                .sum()
        };
        let all = permutations(n);
        let best = all.iter().max_by(|p, q| score(p).total_cmp(&score(q)));
        let mut end = vec![0.0; n * n];
        for (i, &c) in best.unwrap().iter().enumerate() {
            end[i * n + c] = 1.0;
        }
        let at = |share: f64| -> Vec<f64> {
            x.iter()
                .zip(&end)
                .map(|(x, p)| x + share * (p - x))
                .collect()
        };
        let f = |share: f64| sign * naive.value(&whole(&at(share), fixed, free));
        let (start, middle, last) = (f(0.0), f(0.5), f(1.0));
        let curvature = 2.0 * (start + last - 2.0 * middle);
        let derivative = last - start - curvature;
        let share = if curvature < -1e-12 {
            (-derivative / (2.0 * curvature)).clamp(0.0, 1.0)
        } else {
            f64::from(u8::from(derivative + curvature >= 0.0))
        };
        at(share)
    }

    fn rules(maximise: bool, max_iterations: usize) -> Rules {
        Rules {
            maximise,
            max_iterations,
            tolerance: 1e-9,
            transport: None,
            tie_break: TieBreak::AsSciPy,
        }
    }

    #[test]
    fn every_step_is_that_of_the_definition() {
        // Known pairs out of order, and X's columns in another order than the nodes.
        let fixed = (vec![4, 0], vec![1, 5]);
        let free = (vec![1, 2, 3, 5], vec![4, 0, 3, 2]);
        for kind in 0..5 {
            for (maximise, sparse) in [(true, false), (false, true)] {
                let naive = Naive::new(6, kind);
                let program = Program::new(&naive.layers(sparse), &fixed, &free).unwrap();
                let mut want = vec![0.25; 16];
                for iterations in 1..6 {
                    let sign = if maximise { 1.0 } else { -1.0 };
                    want = step(&naive, &want, &fixed, &free, sign);
                    let rules = rules(maximise, iterations);
                    let monitor = Monitor::silent();
                    let got = climb(&program, vec![0.25; 16], &rules, None, &monitor).unwrap();
                    for (x, y) in got.x.iter().zip(&want) {
                        assert!((x - y).abs() < 1e-9, "{kind} {iterations}: {x} {y}");
                    }
                    if got.status == Status::Converged {
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn values_are_those_of_the_sums() {
        for kind in 0..5 {
            let naive = Naive::new(5, kind);
            for p in permutations(5).into_iter().step_by(7) {
                let mut x = Matrix::zeros(5, 5);
                p.iter().enumerate().for_each(|(i, &c)| x[(i, c)] = 1.0);
                let matching: Assignment = p.into_iter().map(Some).collect();
                for sparse in [false, true] {
                    let value = naive.layers(sparse).value(&matching);
                    assert!((value - naive.value(&x)).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn plans_are_the_scaled_exponentials() {
        let transport = Transport {
            regulariser: 9.0,
            tolerance: 1e-13,
            max_sweeps: 10_000,
        };
        let gradient: Vec<f64> = values(5, 3)
            .as_slice()
            .iter()
            .map(|v| 4.0 - 9.0 * v)
            .collect();
        let mut plans = Plans::new(5, &transport);
        plans.find(&gradient).unwrap();
        let largest = gradient.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        let mut want: Vec<f64> = gradient.iter().map(|v| (9.0 * v / largest).exp()).collect();
        for _ in 0..5000 {
            for i in 0..5 {
                let sum: f64 = want[5 * i..5 * i + 5].iter().sum();
                (0..5).for_each(|j| want[5 * i + j] /= sum);
            }
            for j in 0..5 {
                let sum: f64 = (0..5).map(|i| want[5 * i + j]).sum();
                (0..5).for_each(|i| want[5 * i + j] /= sum);
            }
        }
        for (x, y) in plans.plan.iter().zip(&want) {
            assert!((x - y).abs() < 1e-11, "{x} {y}");
        }
        assert_eq!(plans.unbalanced, None);
        let few = Transport {
            max_sweeps: 3,
            ..transport
        };
        let mut plans = Plans::new(5, &few);
        plans.find(&gradient).unwrap();
        assert!(plans.unbalanced.unwrap() > 1e-13);
    }

    #[test]
    fn orders_break_ties_and_nothing_else() {
        let naive = Naive::new(6, 3);
        let all = || (0..6).collect::<Vec<usize>>();
        let none = (Vec::new(), Vec::new());
        let program = Program::new(&naive.layers(false), &none, &(all(), all())).unwrap();
        let start = || vec![1.0 / 6.0; 36];
        let monitor = Monitor::silent();
        let plain = climb(&program, start(), &rules(true, 30), None, &monitor).unwrap();
        let mut backwards = |order: &mut [usize]| {
            order
                .iter_mut()
                .rev()
                .enumerate()
                .for_each(|(k, slot)| *slot = k);
        };
        let shuffle: Shuffle<'_> = &mut backwards;
        let turned = climb(&program, start(), &rules(true, 30), Some(shuffle), &monitor).unwrap();
        assert_eq!(plain, turned);
        // Without edges all assignments are alike, and the first row to choose takes column 0.
        let zero = Layer {
            a: Weights::Dense(Matrix::zeros(3, 3)),
            b: Weights::Dense(Matrix::zeros(3, 3)),
            crossing: None,
        };
        let layers = Layers::new(vec![zero], None).unwrap();
        let three = || (0..3).collect::<Vec<usize>>();
        let program = Program::new(&layers, &none, &(three(), three())).unwrap();
        let shuffle: Shuffle<'_> = &mut backwards;
        let found = climb(
            &program,
            vec![1.0 / 3.0; 9],
            &rules(true, 5),
            Some(shuffle),
            &monitor,
        );
        assert_eq!(found.unwrap().assignment, [Some(2), Some(1), Some(0)]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let square = |n| Weights::Dense(Matrix::zeros(n, n));
        let layer = |n, m| Layer {
            a: square(n),
            b: square(m),
            crossing: None,
        };
        assert!(Layers::new(vec![layer(3, 2)], None).is_err());
        assert!(Layers::new(vec![layer(3, 3)], Some(Matrix::zeros(2, 3))).is_err());
        let layers = Layers::new(vec![layer(2, 2)], None).unwrap();
        for (fixed, free) in [
            ((vec![0], vec![]), (vec![1], vec![1])),
            ((vec![], vec![]), (vec![0, 1], vec![1])),
            ((vec![2], vec![0]), (vec![1], vec![1])),
        ] {
            assert!(Program::new(&layers, &fixed, &free).is_err());
        }
        let nothing = (Vec::new(), Vec::new());
        let program = Program::new(&layers, &nothing, &nothing).unwrap();
        let found = climb(
            &program,
            Vec::new(),
            &rules(true, 9),
            None,
            &Monitor::silent(),
        );
        assert_eq!(found.unwrap().status, Status::Converged);
    }
}
