//! The state of a walk: the assignment, what every pair would score, and which rows lack something.
//!
//! Kept up to date is, for the permutation p on a [`Instance`], the gradient
//!
//! > G(i, c) = u(i, c) + Σ_k A_ik B_{c p(k)} + A_ki B_{p(k) c},
//!
//! in units of one conserved edge of mean weight (or of a mean unary value, should that be larger), so
//! that the exchange of i at a and j at b gains
//!
//! > G(i, b) − G(i, a) + G(j, a) − G(j, b) + w(ia, jb) + w(ib, ja)
//!
//! in O(1), w what the two pairs give to each other. An exchange takes O(d_A d_B) updates for degrees
//! d. A row whose score is below the most that its entries could give is on the list of those that
//! lack something; when that is empty, the assignment is optimal.

use std::cmp::Ordering;

use super::instance::Instance;
use crate::assignment::Assignment;

/// Scores this far below the bound count as reaching it.
const SLACK: f32 = 1e-3;

const NOWHERE: u32 = u32::MAX;

/// A permutation on a [`Instance`], its gradient and its lacking rows.
#[derive(Clone)]
pub(super) struct State<'t> {
    pub(super) instance: &'t Instance,
    gradient: Vec<f32>,
    partners: Vec<u32>,
    owners: Vec<u32>,
    scores: Vec<f32>,
    lacking: Vec<u32>,
    /// Where each row is on that list.
    places: Vec<u32>,
    /// What was gained since the beginning, in units.
    gain: f64,
    /// In what two rows of the pattern and of the host differ; kept for their memory.
    of_rows: Vec<(u32, f32)>,
    of_columns: Vec<(u32, f32)>,
}

impl<'t> State<'t> {
    /// The state of an assignment that matches the smaller side of the problem.
    pub(super) fn new(instance: &'t Instance, assignment: &Assignment) -> Self {
        let mut state = Self {
            instance,
            gradient: instance.unary().to_vec(),
            partners: fill_up(instance, assignment),
            owners: vec![0; instance.nodes],
            scores: vec![0.0; instance.nodes],
            lacking: Vec::with_capacity(instance.nodes),
            places: vec![NOWHERE; instance.nodes],
            gain: 0.0,
            of_rows: Vec::new(),
            of_columns: Vec::new(),
        };
        for (i, &c) in state.partners.iter().enumerate() {
            state.owners[c as usize] = i as u32;
        }
        state.recount();
        state
    }

    #[inline]
    pub(super) fn partner(&self, i: usize) -> usize {
        self.partners[i] as usize
    }

    #[inline]
    pub(super) fn owner(&self, c: usize) -> usize {
        self.owners[c] as usize
    }

    pub(super) fn partners(&self) -> &[u32] {
        &self.partners
    }

    /// The rows that could score more.
    #[inline]
    pub(super) fn lacking(&self) -> &[u32] {
        &self.lacking
    }

    /// What was gained since the state was set up.
    pub(super) fn gain(&self) -> f64 {
        self.gain
    }

    /// The objective without its constant, in units, counted anew.
    pub(super) fn value(&self) -> f64 {
        let instance = self.instance;
        let one = |i: usize| {
            let c = self.partner(i);
            let unary = if c < instance.cols {
                instance.unary()[i * instance.cols + c]
            } else {
                0.0
            };
            // The pairwise part of the scores counts every pair twice.
            0.5 * (f64::from(self.scores[i]) + f64::from(unary))
        };
        (0..instance.rows).map(one).sum()
    }

    /// What i would score at c.
    #[inline]
    fn score(&self, i: usize, c: usize) -> f32 {
        let instance = self.instance;
        if i < instance.rows && c < instance.cols {
            self.gradient[i * instance.cols + c]
        } else {
            0.0
        }
    }

    /// What the exchange of the partners of `i` and `j` gains, i ≠ j.
    #[inline]
    pub(super) fn change(&self, i: usize, j: usize) -> f32 {
        let (a, b) = (self.partner(i), self.partner(j));
        let mut change = self.score(i, b) - self.scores[i] + self.score(j, a) - self.scores[j];
        if self.instance.linked(a, b) {
            for (pattern, host) in &self.instance.layers {
                if let Some(weight) = pattern.get(i, j) {
                    let entry = |c, d| host.get(c, d).unwrap_or(0.0);
                    change += weight * (entry(a, b) + entry(b, a));
                }
            }
        }
        change
    }

    /// Exchanges the partners of `i` and `j`; `change` is what that gains.
    ///
    /// G(k, c) changes by (A_ki − A_kj)(B_cb − B_ca), so that neighbours that both have cost nothing.
    pub(super) fn exchange(&mut self, i: usize, j: usize, change: f32) {
        let instance = self.instance;
        let (a, b) = (self.partner(i), self.partner(j));
        self.partners.swap(i, j);
        self.owners.swap(a, b);
        self.gain += f64::from(change);
        for (pattern, host) in &instance.layers {
            difference(pattern.parts(i), pattern.parts(j), &mut self.of_rows);
            difference(host.parts(b), host.parts(a), &mut self.of_columns);
            for &(k, weight) in &self.of_rows {
                let begin = k as usize * instance.cols;
                let row = &mut self.gradient[begin..begin + instance.cols];
                for &(c, value) in &self.of_columns {
                    row[c as usize] += weight * value;
                }
            }
            for place in 0..self.of_rows.len() {
                self.look_at(self.of_rows[place].0 as usize);
            }
        }
        self.look_at(i);
        self.look_at(j);
    }

    /// Makes `partners` the permutation.
    pub(super) fn go_to(&mut self, partners: &[u32]) {
        for i in 0..partners.len() {
            if self.partners[i] != partners[i] {
                let j = self.owner(partners[i] as usize);
                let change = self.change(i, j);
                self.exchange(i, j, change);
            }
        }
    }

    /// Computes the gradient anew where rounding errors add up.
    pub(super) fn refresh(&mut self) {
        if !self.instance.exact {
            self.gradient.copy_from_slice(self.instance.unary());
            self.recount();
        }
    }

    /// Adds the pairwise part to a gradient that holds the unary one.
    fn recount(&mut self) {
        let instance = self.instance;
        for (pattern, host) in &instance.layers {
            for x in 0..instance.nodes {
                let at = self.partner(x);
                for (k, weight) in pattern.row(x) {
                    let begin = k * instance.cols;
                    for (c, value) in host.row(at) {
                        self.gradient[begin + c] += weight * value;
                    }
                }
            }
        }
        (0..instance.nodes).for_each(|i| self.look_at(i));
    }

    /// Brings the score of a row, and whether it lacks something, up to date.
    #[inline]
    fn look_at(&mut self, i: usize) {
        let score = self.score(i, self.partner(i));
        self.scores[i] = score;
        let place = self.places[i];
        let lacks = score < self.instance.bounds[i] - SLACK;
        if lacks && place == NOWHERE {
            self.places[i] = self.lacking.len() as u32;
            self.lacking.push(i as u32);
        } else if !lacks && place != NOWHERE {
            self.lacking.swap_remove(place as usize);
            if let Some(&moved) = self.lacking.get(place as usize) {
                self.places[moved as usize] = place;
            }
            self.places[i] = NOWHERE;
        }
    }
}

/// `out` = one row less another.
#[inline]
fn difference(first: (&[u32], &[f32]), second: (&[u32], &[f32]), out: &mut Vec<(u32, f32)>) {
    out.clear();
    let (mut x, mut y) = (0, 0);
    while x < first.0.len() && y < second.0.len() {
        match first.0[x].cmp(&second.0[y]) {
            Ordering::Less => {
                out.push((first.0[x], first.1[x]));
                x += 1;
            }
            Ordering::Greater => {
                out.push((second.0[y], -second.1[y]));
                y += 1;
            }
            Ordering::Equal => {
                if first.1[x] != second.1[y] {
                    out.push((first.0[x], first.1[x] - second.1[y]));
                }
                (x, y) = (x + 1, y + 1);
            }
        }
    }
    out.extend((x..first.0.len()).map(|x| (first.0[x], first.1[x])));
    out.extend((y..second.0.len()).map(|y| (second.0[y], -second.1[y])));
}

/// The permutation of an assignment, rows and columns without partner matched in their order.
fn fill_up(instance: &Instance, assignment: &Assignment) -> Vec<u32> {
    let mut partners = vec![NOWHERE; instance.nodes];
    let mut free = vec![true; instance.nodes];
    for (i, c) in assignment.pairs() {
        let (i, c) = if instance.turned { (c, i) } else { (i, c) };
        partners[i] = c as u32;
        free[c] = false;
    }
    let mut left = (0..instance.nodes).filter(|&c| free[c]);
    for slot in partners.iter_mut().filter(|slot| **slot == NOWHERE) {
        *slot = left.next().expect("as many columns as rows") as u32;
    }
    partners
}
