//! The search over all exchanges, with their gains in one matrix.
//!
//! Beside D of [`Swaps`] stands E_kl, the iteration until which the exchange of k and l is tabu:
//! the earlier of the ends of the bans on (k, p(l)) and (l, p(k)). After an exchange of i and j only
//! the rows of i and j change, so a pass over D and E with nothing but comparisons finds the move.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::super::swaps::{LANES, Swaps};
use super::{Run, Tabu, Watch};
use crate::assignment::Assignment;
use crate::error::Result;
use crate::problem::Problem;

pub(super) fn run(
    tabu: &Tabu,
    problem: &Problem,
    first: &Assignment,
    random: &mut ChaCha8Rng,
    mut watch: Watch<'_>,
) -> Result<Run> {
    let mut swaps = Swaps::new(problem, first, watch.monitor)?;
    let tolerance = swaps.tolerance();
    let (real, nodes) = swaps.sizes();
    let mut bans = TabuList::new(&swaps);
    let (shortest, longest) = tabu.tenures(nodes);
    let absence = tabu.absence(nodes);
    let mut best = swaps.partners().to_vec();
    watch.improved(swaps.gain());
    while real > 0 && nodes > 1 && watch.goes_on() {
        let now = watch.done;
        let needed = watch.best + tolerance - swaps.gain();
        let first_row = random.random_range(0..real);
        // Pairs are overlooked by at most n iterations, and the look costs O(n) an iteration.
        let absent = if now > absence && now.is_multiple_of(nodes) {
            bans.longest_absent(&swaps, (now - absence) as f64)
        } else {
            None
        };
        let chosen = absent.or_else(|| {
            swaps.vectors().run(
                #[inline(always)]
                || bans.best_exchange(&swaps, now as f64, needed, first_row),
            )
        });
        // When everything is tabu, time passes.
        let Some((i, j)) = chosen else { continue };
        let ends = [0; 2].map(|_: usize| (now + random.random_range(shortest..=longest)) as f64);
        bans.ban(&swaps, (i, j), ends);
        swaps.swap(i, j);
        bans.update(&swaps, i);
        bans.update(&swaps, j);
        if swaps.gain() > watch.best + tolerance {
            watch.improved(swaps.gain());
            best.copy_from_slice(swaps.partners());
        }
    }
    let assignment = swaps.assignment(&best);
    Ok(watch.finish(assignment))
}

/// A row in whole vectors.
type Vectored<'s> = &'s [[f64; LANES]];

/// Until when what is tabu.
struct TabuList {
    /// The end of the ban on (row, column).
    ends: Vec<f64>,
    /// E above the diagonal; +∞ elsewhere.
    exchanges: Vec<f64>,
    stride: usize,
    real: usize,
    nodes: usize,
}

impl TabuList {
    fn new(swaps: &Swaps<'_>) -> Self {
        let (real, nodes) = swaps.sizes();
        let stride = swaps.stride();
        let mut ends = vec![f64::INFINITY; nodes * nodes];
        // As if the pairs had been left one after another, so that not all are absent at once.
        for (place, slot) in ends[..real * nodes].iter_mut().enumerate() {
            *slot = -(place as f64);
        }
        let mut bans = Self {
            ends,
            exchanges: vec![f64::INFINITY; nodes * stride],
            stride,
            real,
            nodes,
        };
        for i in 0..real {
            bans.update(swaps, i);
        }
        bans
    }

    /// Bans the pairs that the exchange of `i` and `j` parts. Rows that fill up are never banned.
    fn ban(&mut self, swaps: &Swaps<'_>, (i, j): (usize, usize), ends: [f64; 2]) {
        for (row, end) in [i, j].into_iter().zip(ends) {
            if row < self.real {
                self.ends[row * self.nodes + swaps.partners()[row]] = end;
            }
        }
    }

    /// The row and column of `i` in E.
    fn update(&mut self, swaps: &Swaps<'_>, i: usize) {
        let p = swaps.partners();
        let last = if i < self.real { self.nodes } else { self.real };
        for l in (0..last).filter(|&l| l != i) {
            let (x, y) = (
                self.ends[i * self.nodes + p[l]],
                self.ends[l * self.nodes + p[i]],
            );
            self.exchanges[i.min(l) * self.stride + i.max(l)] = if x < y { x } else { y };
        }
    }

    /// The best exchange that is not tabu or gains more than `needed`.
    ///
    /// Rows are looked through from `first_row` on, so that chance decides between equal gains.
    #[inline(always)]
    fn best_exchange(
        &self,
        swaps: &Swaps<'_>,
        now: f64,
        needed: f64,
        first_row: usize,
    ) -> Option<(usize, usize)> {
        let (mut best, mut best_row) = (f64::NEG_INFINITY, usize::MAX);
        for k in (first_row..self.real).chain(0..first_row) {
            let (_, d, e) = self.row(swaps, k);
            let mut lanes = [f64::NEG_INFINITY; LANES];
            for (d, e) in d.iter().zip(e) {
                for lane in 0..LANES {
                    let free = (e[lane] < now) | (d[lane] > needed);
                    let value = if free { d[lane] } else { f64::NEG_INFINITY };
                    lanes[lane] = if value > lanes[lane] {
                        value
                    } else {
                        lanes[lane]
                    };
                }
            }
            let most = lanes.iter().fold(f64::NEG_INFINITY, |x, &y| x.max(y));
            if most > best {
                (best, best_row) = (most, k);
            }
        }
        if best_row == usize::MAX {
            return None;
        }
        let (from, d, e) = self.row(swaps, best_row);
        let (d, e) = (d.as_flattened(), e.as_flattened());
        (0..d.len())
            .find(|&l| d[l] == best && (e[l] < now || d[l] > needed))
            .map(|l| (best_row, from + l))
    }

    /// Row `k` of D and E from the first vector with anything in it on, and where that begins.
    #[inline(always)]
    fn row<'s>(&'s self, swaps: &'s Swaps<'_>, k: usize) -> (usize, Vectored<'s>, Vectored<'s>) {
        let from = ((k + 1) / LANES * LANES).min(self.stride);
        let range = k * self.stride + from..(k + 1) * self.stride;
        let (d, _) = swaps.deltas()[range.clone()].as_chunks::<LANES>();
        let (e, _) = self.exchanges[range].as_chunks::<LANES>();
        (from, d, e)
    }

    /// The best exchange among those whose ban ended before `then`.
    fn longest_absent(&self, swaps: &Swaps<'_>, then: f64) -> Option<(usize, usize)> {
        let mut best = (f64::NEG_INFINITY, None);
        for k in 0..self.real {
            let row = k * self.stride..k * self.stride + self.nodes;
            let pairs = self.exchanges[row.clone()].iter().zip(&swaps.deltas()[row]);
            for (l, (&end, &gain)) in pairs.enumerate() {
                if end < then && gain > best.0 {
                    best = (gain, Some((k, l)));
                }
            }
        }
        best.1
    }
}
