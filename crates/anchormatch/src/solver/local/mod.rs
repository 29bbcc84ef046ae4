//! An assignment with everything that makes its moves cheap: the state that searches share.
//!
//! With p the assignment, G_ia = Σ_j W(ia, j p(j)) half the gradient of the pairwise part, and
//! h_ia = u_ia + 2 G_ia what the pair ia gives or would give, the objective changes
//!
//! > i takes the free column b                 h_ib                                   (insert)
//! > i leaves a for the free column b          h_ib − h_ia                            (shift)
//! > i leaves a                                − h_ia                                 (drop)
//! > i takes b from j, who stays alone         h_ib − h_jb                            (replace)
//! > i leaves a for b, its owner j alone       h_ib − h_ia − h_jb + 2 W(ia, jb)       (displace)
//! > i and j exchange a and b                  h_ib + h_ja − h_ia − h_jb
//! >                                           + 2 W(ia, jb) + 2 W(ib, ja)            (exchange)
//!
//! because W is symmetric and zero between conflicting pairs. So unequal sizes and nodes that stay
//! alone are moves like all others, and a move is judged in O(1). Making one updates G in O(n²) (less
//! for sparse W) and two rows of W(ia, jb) and W(ib, ja) in O(n).
//!
//! Memory: one n₁×n₂ and two n₁×n₁ matrices. Where candidates are listed, G has a number for each of them,
//! W(ia, jb) and W(ib, ja) are asked for when a move is judged, and memory is O(candidates + edges).

mod listed;

pub(super) use listed::Change;

use super::Kind;
use super::listed::Space;
use super::memory::{bytes, reserve_for};
use crate::assignment::Assignment;
use crate::error::Result;
use crate::monitor::Monitor;
use crate::problem::{Coverage, LowRank, Problem};
use listed::Lists;

/// Moves after which G is computed afresh, so that rounding does not add up.
const REFRESH: usize = 4096;

/// A table of all pairs of rows may have this many numbers for each candidate.
const TABLE_SHARE: usize = 2;

/// One move: `row` takes `column` (n₂: none).
///
/// When the column has an owner, he takes the row's old one if `exchange`, else he stays alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) exchange: bool,
}

/// The current assignment and what its moves are worth.
pub(super) struct Local<'p> {
    problem: &'p Problem,
    low_rank: Option<LowRank<'p>>,
    sign: f64,
    rows: usize,
    cols: usize,
    partial: bool,
    lists: Option<Lists<'p>>,
    /// The column of each row; n₂ when it is alone.
    partner: Vec<usize>,
    /// The row of each column; n₁ when it is free.
    owner: Vec<usize>,
    /// ½ h, without the sense's sign: of all pairs, or of each entry of the lists.
    half: Vec<f64>,
    /// W(ia, jb) and W(ib, ja) for matched i and j with a = p(i), b = p(j); empty with short lists.
    kept: Vec<f64>,
    crossed: Vec<f64>,
    /// sign · objective, without the constant.
    gain: f64,
    tolerance: f64,
    moves: usize,
}

impl<'p> Local<'p> {
    /// The state at `assignment`, which must be one-to-one within the candidates.
    ///
    /// # Errors
    /// When the memory does not suffice.
    pub(super) fn new(
        problem: &'p Problem,
        assignment: &Assignment,
        monitor: &Monitor,
    ) -> Result<Self> {
        let (n, m) = problem.shape();
        reserve_for(Kind::Search, problem, Self::memory(problem), monitor)?;
        let lists = Space::of(problem).map(|space| Lists::new(space, n));
        let (pairs, rows) = match &lists {
            None => (n * m, n * n),
            Some(lists) => (lists.space.count(), Self::table(n, lists.space.count())),
        };
        let factors = || problem.pairwise().low_rank();
        let mut local = Self {
            problem,
            low_rank: lists.is_none().then(factors).flatten(),
            sign: problem.sense().sign(),
            rows: n,
            cols: m,
            partial: problem.coverage() == Coverage::Partial,
            lists,
            partner: vec![m; n],
            owner: vec![n; m],
            half: vec![0.0; pairs],
            kept: vec![0.0; rows],
            crossed: vec![0.0; rows],
            gain: 0.0,
            tolerance: tolerance(problem),
            moves: 0,
        };
        local.set(assignment);
        Ok(local)
    }

    /// Numbers of a table of all pairs of rows where lists are so long that it is no larger than they are;
    /// none elsewhere.
    fn table(rows: usize, entries: usize) -> usize {
        let pairs = rows.saturating_mul(rows);
        if pairs <= TABLE_SHARE.saturating_mul(entries) {
            pairs
        } else {
            0
        }
    }

    /// Bytes that a state takes.
    pub(super) fn memory(problem: &Problem) -> u64 {
        if !problem.candidates().is_all() {
            let nodes = problem.shape().0.saturating_add(problem.shape().1) as u64;
            let table = Self::table(problem.shape().0, problem.candidates().count());
            let tables = (table as u64).saturating_mul(16);
            let space = Space::memory(problem, 2).saturating_add(24 * nodes);
            return space.saturating_add(tables);
        }
        let (n, m) = (problem.shape().0 as u64, problem.shape().1 as u64);
        let numbers = n.saturating_mul(m.saturating_add(n).saturating_add(n));
        let factors = problem.pairwise().low_rank_memory().unwrap_or(0);
        bytes(problem, numbers).saturating_add(factors)
    }

    /// Goes to another assignment.
    pub(super) fn set(&mut self, assignment: &Assignment) {
        self.partner.fill(self.cols);
        self.owner.fill(self.rows);
        for (i, a) in assignment.pairs() {
            (self.partner[i], self.owner[a]) = (a, i);
        }
        if let Some(lists) = &mut self.lists {
            for (i, a) in assignment.pairs() {
                lists.at[i] = lists.number(i, a).expect("pairs are within the lists");
            }
        }
        self.refresh();
        for i in 0..self.rows {
            self.update_pairs(i);
        }
    }

    /// Takes over the assignment of another state of the same problem, without allocating.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.partner.copy_from_slice(&other.partner);
        self.owner.copy_from_slice(&other.owner);
        self.half.copy_from_slice(&other.half);
        self.kept.copy_from_slice(&other.kept);
        self.crossed.copy_from_slice(&other.crossed);
        if let (Some(lists), Some(others)) = (&mut self.lists, &other.lists) {
            lists.at.copy_from_slice(&others.at);
        }
        (self.gain, self.moves) = (other.gain, other.moves);
    }

    /// sign · objective, without the constant.
    pub(super) fn gain(&self) -> f64 {
        self.gain
    }

    /// Changes up to this size are rounding.
    pub(super) fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// n₁ and n₂.
    pub(super) fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// The column of each row; n₂ when it is alone.
    pub(super) fn partners(&self) -> &[usize] {
        &self.partner
    }

    /// The row that has `column`; n₁ when none has.
    pub(super) fn owner(&self, column: usize) -> usize {
        self.owner[column]
    }

    /// The number of columns that row `i` may take.
    pub(super) fn choices(&self, i: usize) -> usize {
        let lists = self.lists.as_ref();
        lists.map_or(self.cols, |lists| lists.space.entries.of_row(i).len())
    }

    /// The `k`th column that row `i` may take.
    pub(super) fn choice(&self, i: usize, k: usize) -> usize {
        self.lists.as_ref().map_or(k, |lists| {
            let entries = &*lists.space.entries;
            entries.column(entries.of_row(i).start + k)
        })
    }

    fn allows(&self, i: usize, a: usize) -> bool {
        self.lists
            .as_ref()
            .is_none_or(|lists| lists.number(i, a).is_some())
    }

    /// Calls `visit` with every move that row `i` can make and its gain.
    ///
    /// Exchanges with rows below `first` are left out: with `first = i`, a pass over all rows sees
    /// each of them once.
    #[inline]
    pub(super) fn each_step(&self, i: usize, first: usize, mut visit: impl FnMut(Step, f64)) {
        if let Some(lists) = &self.lists {
            self.each_listed_step(lists, i, first, visit);
            return;
        }
        let (n, m) = (self.rows, self.cols);
        let a = self.partner[i];
        let half = &self.half[i * m..(i + 1) * m];
        let mine = if a < m { half[a] } else { 0.0 };
        let twice = 2.0 * self.sign;
        let mut take = |b: usize| {
            if b == a {
                return;
            }
            let j = self.owner[b];
            let step = |exchange| Step {
                row: i,
                column: b,
                exchange,
            };
            let base = half[b] - mine;
            if j == n {
                visit(step(false), twice * base);
                return;
            }
            let loss = self.half[j * m + b];
            if a == m {
                visit(step(false), twice * (base - loss));
                return;
            }
            let kept = self.kept[i * n + j];
            if j >= first {
                let change = base - loss + self.half[j * m + a] + kept + self.crossed[i * n + j];
                visit(step(true), twice * change);
            }
            if self.partial {
                visit(step(false), twice * (base - loss + kept));
            }
        };
        (0..m).for_each(&mut take);
        if self.partial && a < m {
            let drop = Step {
                row: i,
                column: m,
                exchange: false,
            };
            visit(drop, -twice * mine);
        }
    }

    /// Whether the coverage and the candidates permit `step`.
    pub(super) fn permits(&self, step: Step) -> bool {
        let (i, b) = (step.row, step.column);
        let a = self.partner[i];
        if a == b {
            return false;
        }
        if b == self.cols {
            return self.partial && !step.exchange;
        }
        if !self.allows(i, b) {
            return false;
        }
        match (self.owner[b] == self.rows, a == self.cols) {
            (true, _) | (false, true) => !step.exchange,
            (false, false) if step.exchange => self.allows(self.owner[b], a),
            (false, false) => self.partial,
        }
    }

    /// What a permitted `step` would gain.
    pub(super) fn change(&self, step: Step) -> f64 {
        if let Some(lists) = &self.lists {
            return self.listed_change(lists, step);
        }
        let (n, m) = (self.rows, self.cols);
        let (i, b) = (step.row, step.column);
        let a = self.partner[i];
        let half = |i: usize, a: usize| if a < m { self.half[i * m + a] } else { 0.0 };
        let mut change = half(i, b) - half(i, a);
        let j = if b < m { self.owner[b] } else { n };
        if j < n {
            change -= half(j, b);
            if a < m {
                change += self.kept[i * n + j];
            }
            if step.exchange {
                change += half(j, a) + self.crossed[i * n + j];
            }
        }
        2.0 * self.sign * change
    }

    /// Makes a permitted `step`.
    pub(super) fn make(&mut self, step: Step) {
        debug_assert!(self.permits(step), "only permitted moves are made");
        self.gain += self.change(step);
        let (n, m) = (self.rows, self.cols);
        let (i, b) = (step.row, step.column);
        let a = self.partner[i];
        let j = if b < m { self.owner[b] } else { n };
        let w = self.problem.pairwise();
        if let Some(lists) = &mut self.lists {
            lists.follow(
                step,
                (a < m).then_some(a),
                (j < n).then_some(j),
                &mut self.half,
            );
        } else if step.exchange {
            w.add_exchange((i, a), (j, b), &mut self.half);
        } else {
            if a < m {
                w.add_interactions(i, a, -1.0, &mut self.half);
            }
            if j < n {
                w.add_interactions(j, b, -1.0, &mut self.half);
            }
            if b < m {
                w.add_interactions(i, b, 1.0, &mut self.half);
            }
        }
        if a < m {
            self.owner[a] = if step.exchange { j } else { n };
        }
        if j < n {
            self.partner[j] = if step.exchange { a } else { m };
        }
        if b < m {
            self.owner[b] = i;
        }
        self.partner[i] = b;
        self.moves += 1;
        if self.moves >= REFRESH.max(self.rows) {
            self.refresh();
        }
        self.update_pairs(i);
        if step.exchange {
            self.update_pairs(j);
        }
    }

    /// The assignment.
    pub(super) fn assignment(&self) -> Assignment {
        assignment_of(&self.partner, self.cols)
    }

    /// Computes G and the objective from nothing.
    fn refresh(&mut self) {
        if self.lists.is_some() {
            self.refresh_listed();
            return;
        }
        let (n, m) = (self.rows, self.cols);
        let pairwise = self.problem.pairwise();
        let mut x = vec![0.0; n * m];
        for (i, &a) in self.partner.iter().enumerate() {
            if a < m {
                x[i * m + a] = 1.0;
            }
        }
        pairwise.apply(&x, &mut self.half, &mut vec![0.0; pairwise.scratch_len()]);
        let unary = self.problem.unary();
        let mut objective = 0.0;
        for (i, &a) in self.partner.iter().enumerate() {
            if a < m {
                objective += unary[(i, a)] + self.half[i * m + a];
            }
        }
        unary.add_to(&mut self.half, 0.5);
        self.gain = self.sign * objective;
        self.moves = 0;
    }

    /// W between the pair of row `i` and those of all others, as they are and exchanged.
    fn update_pairs(&mut self, i: usize) {
        let (n, m) = (self.rows, self.cols);
        let a = self.partner[i];
        if a == m || self.kept.is_empty() {
            return;
        }
        for k in 0..n {
            let c = self.partner[k];
            if c == m || k == i {
                continue;
            }
            let (kept, crossed) = match &self.low_rank {
                // From the same factors as G, so that all gains agree to rounding.
                Some(w) => {
                    let (mut kept, mut crossed) = (0.0, 0.0);
                    for r in 0..w.terms() {
                        let left = w.left(r, i)[k];
                        kept += left * w.right(r, a)[c];
                        crossed += left * w.right(w.mirror(r), a)[c];
                    }
                    (w.scale() * kept, w.scale() * crossed)
                }
                None => match &self.lists {
                    Some(lists) => lists.kept_and_crossed((i, a), (k, c)),
                    None => {
                        let w = self.problem.pairwise();
                        (w.value(i, a, k, c), w.value(i, c, k, a))
                    }
                },
            };
            for (matrix, value) in [(&mut self.kept, kept), (&mut self.crossed, crossed)] {
                matrix[i * n + k] = value;
                matrix[k * n + i] = value;
            }
        }
    }
}

/// The assignment of partners with a number for "none".
pub(super) fn assignment_of(partner: &[usize], none: usize) -> Assignment {
    partner.iter().map(|&a| (a != none).then_some(a)).collect()
}

/// Changes of the objective up to this size are rounding.
pub(super) fn tolerance(problem: &Problem) -> f64 {
    let (low, high) = problem.pairwise().bounds();
    let (n, m) = problem.shape();
    let unary = problem
        .unary()
        .occurring()
        .fold(0.0f64, |largest, u| largest.max(u.abs()));
    1e-11 * (unary + 2.0 * n.min(m) as f64 * low.abs().max(high.abs()))
}
