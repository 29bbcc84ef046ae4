//! The state over lists: G for each entry, and what moves change there.

use super::{Local, Step};
use crate::solver::listed::Space;

/// What stands for the matrices where candidates are listed.
pub(super) struct Lists<'p> {
    pub(super) space: Space<'p>,
    /// The entry of each row's pair; of no meaning for rows that are alone.
    pub(super) at: Vec<usize>,
    /// What moves changed, once somebody asks for it.
    changes: Option<Vec<Change>>,
}

/// What a move changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::solver) enum Change {
    /// A row's partner, or what its pairs would give.
    Row(usize),
    /// A column that nobody has any more.
    Freed(usize),
}

impl<'p> Lists<'p> {
    pub(super) fn new(space: Space<'p>, rows: usize) -> Self {
        Self {
            space,
            at: vec![usize::MAX; rows],
            changes: None,
        }
    }

    /// The entry of (i, a), when it is listed.
    #[inline]
    pub(super) fn number(&self, i: usize, a: usize) -> Option<usize> {
        self.space.entries.number(i, a)
    }

    fn note(&mut self, change: Change) {
        if let Some(changes) = &mut self.changes {
            changes.push(change);
        }
    }

    /// `half += scale · W(·, entry)`.
    fn add(&mut self, entry: usize, scale: f64, half: &mut [f64]) {
        let Self { space, changes, .. } = self;
        let entries = &*space.entries;
        match changes {
            None => space
                .operator
                .visit(entry, &mut |other, w| half[other] += scale * w),
            Some(changes) => {
                let mut last = usize::MAX;
                space.operator.visit(entry, &mut |other, w| {
                    half[other] += scale * w;
                    let row = entries.row(other);
                    if row != last {
                        last = row;
                        changes.push(Change::Row(row));
                    }
                });
            }
        }
    }

    /// W between the pairs (i, a) and (k, c) of an assignment, as they are and exchanged; 0 where an exchange
    /// is not listed.
    pub(super) fn kept_and_crossed(
        &self,
        (i, a): (usize, usize),
        (k, c): (usize, usize),
    ) -> (f64, f64) {
        let w = &self.space.operator;
        let crossed = match (self.number(i, c), self.number(k, a)) {
            (Some(first), Some(second)) => w.value(first, second),
            _ => 0.0,
        };
        (w.value(self.at[i], self.at[k]), crossed)
    }

    /// Brings `half` and the entries up to date for `step`, which takes its row from `a` and the column from
    /// the row `j`, where there are such.
    pub(super) fn follow(
        &mut self,
        step: Step,
        a: Option<usize>,
        j: Option<usize>,
        half: &mut [f64],
    ) {
        let i = step.row;
        let gone = [a.map(|_| self.at[i]), j.map(|j| self.at[j])];
        // None where the row drops its column: that is none of the list's.
        let new = self.number(i, step.column);
        let back = match (a, j) {
            (Some(a), Some(j)) if step.exchange => self.number(j, a),
            _ => None,
        };
        for (entries, scale) in [(gone, -1.0), ([new, back], 1.0)] {
            for entry in entries.into_iter().flatten() {
                self.add(entry, scale, half);
            }
        }
        if let Some(entry) = new {
            self.at[i] = entry;
        }
        self.note(Change::Row(i));
        if let Some(j) = j {
            self.note(Change::Row(j));
            if let Some(entry) = back {
                self.at[j] = entry;
            }
        }
        if let (Some(a), false) = (a, step.exchange) {
            self.note(Change::Freed(a));
        }
    }
}

impl<'p> Local<'p> {
    /// The lists that the state is over, if it is.
    pub(in crate::solver) fn space(&self) -> Option<&Space<'p>> {
        self.lists.as_ref().map(|lists| &lists.space)
    }

    /// The entry of the pair of row `i`, which is matched, where candidates are listed.
    pub(in crate::solver) fn entry(&self, i: usize) -> Option<usize> {
        self.lists.as_ref().map(|lists| lists.at[i])
    }

    /// From now on moves leave notes of what they change, where candidates are listed.
    pub(in crate::solver) fn note_changes(&mut self) {
        if let Some(lists) = &mut self.lists {
            lists.changes = Some(Vec::new());
        }
    }

    /// One of the changes since [`note_changes`](Self::note_changes) that was not told yet.
    pub(in crate::solver) fn next_change(&mut self) -> Option<Change> {
        self.lists.as_mut()?.changes.as_mut()?.pop()
    }

    /// [`each_step`](Self::each_step) over the entries of row `i`.
    pub(super) fn each_listed_step(
        &self,
        lists: &Lists<'p>,
        i: usize,
        first: usize,
        mut visit: impl FnMut(Step, f64),
    ) {
        let (n, m) = (self.rows, self.cols);
        let (entries, w) = (&*lists.space.entries, &*lists.space.operator);
        let a = self.partner[i];
        let mine = if a < m { self.half[lists.at[i]] } else { 0.0 };
        let twice = 2.0 * self.sign;
        for entry in entries.of_row(i) {
            let b = entries.column(entry);
            if b == a {
                continue;
            }
            let j = self.owner[b];
            let step = |exchange| Step {
                row: i,
                column: b,
                exchange,
            };
            let base = self.half[entry] - mine;
            if j == n {
                visit(step(false), twice * base);
                continue;
            }
            let loss = self.half[lists.at[j]];
            if a == m {
                visit(step(false), twice * (base - loss));
                continue;
            }
            let back = if j >= first { lists.number(j, a) } else { None };
            if back.is_none() && !self.partial {
                continue;
            }
            let kept = match self.kept.get(i * n + j) {
                Some(&kept) => kept,
                None => w.value(lists.at[i], lists.at[j]),
            };
            if let Some(back) = back {
                let crossed = match self.crossed.get(i * n + j) {
                    Some(&crossed) => crossed,
                    None => w.value(entry, back),
                };
                let change = base - loss + self.half[back] + kept + crossed;
                visit(step(true), twice * change);
            }
            if self.partial {
                visit(step(false), twice * (base - loss + kept));
            }
        }
        if self.partial && a < m {
            let drop = Step {
                row: i,
                column: m,
                exchange: false,
            };
            visit(drop, -twice * mine);
        }
    }

    /// What a permitted `step` would gain.
    pub(super) fn listed_change(&self, lists: &Lists<'p>, step: Step) -> f64 {
        let (n, m) = (self.rows, self.cols);
        let (i, b) = (step.row, step.column);
        let a = self.partner[i];
        let w = &*lists.space.operator;
        let number = |i, a| lists.number(i, a).expect("permitted pairs are listed");
        let mut change = if a < m { -self.half[lists.at[i]] } else { 0.0 };
        if b < m {
            let entry = number(i, b);
            change += self.half[entry];
            let j = self.owner[b];
            if j < n {
                change -= self.half[lists.at[j]];
                if a < m {
                    change += w.value(lists.at[i], lists.at[j]);
                }
                if step.exchange {
                    let back = number(j, a);
                    change += self.half[back] + w.value(entry, back);
                }
            }
        }
        2.0 * self.sign * change
    }

    /// Computes G and the objective from nothing.
    pub(super) fn refresh_listed(&mut self) {
        let lists = self.lists.as_mut().expect("only asked with lists");
        let space = &lists.space;
        let matched = (0..self.rows).filter(|&i| self.partner[i] < self.cols);
        let mut x = vec![0.0; space.count()];
        matched.clone().for_each(|i| x[lists.at[i]] = 1.0);
        space
            .operator
            .apply(&x, &mut self.half, &mut space.scratch());
        let mut objective = 0.0;
        for i in matched {
            let entry = lists.at[i];
            objective += space.unary[entry] + self.half[entry];
        }
        for (half, u) in self.half.iter_mut().zip(&space.unary) {
            *half += 0.5 * u;
        }
        self.gain = self.sign * objective;
        self.moves = 0;
        // Rounding changed a little everywhere.
        if let Some(changes) = &mut lists.changes {
            changes.extend((0..self.rows).map(Change::Row));
        }
    }
}
