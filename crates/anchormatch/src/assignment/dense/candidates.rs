//! A short summary of each row: its cheapest columns, and a bound for all the others.
//!
//! For row i the summary holds columns J_i and a floor f_i with c_ij − v_j ≥ f_i for all j ∉ J_i.
//! Subtraction rounds monotonically and v never rises, so the inequality survives every later change
//! of v exactly, in floating point too.

use super::costs::Costs;

/// Columns that a new summary aims at.
const WANTED: usize = 24;

/// Columns that a summary can hold; at least `WANTED`.
pub(super) const CAPACITY: usize = 48;

/// Entries whose minimum is taken at once.
pub(super) const BLOCK: usize = 8;

/// The summaries of all rows.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    columns: Vec<u32>,
    costs: Vec<f64>,
    lengths: Vec<u32>,
    floors: Vec<f64>,
    reduced: Vec<f64>,
    minima: Vec<f64>,
    ranked: Vec<f64>,
}

impl Candidates {
    /// Forgets everything: a summary of `rows` rows in which nothing is known.
    pub(super) fn reset(&mut self, rows: usize, columns: usize) {
        let slots = rows * CAPACITY.min(columns);
        self.columns.resize(slots.max(self.columns.len()), 0);
        self.costs.resize(slots.max(self.costs.len()), 0.0);
        self.lengths.clear();
        self.lengths.resize(rows, 0);
        self.floors.clear();
        self.floors.resize(rows, f64::NEG_INFINITY);
        self.reduced.clear();
        self.reduced.resize(columns, 0.0);
        self.minima.clear();
        self.minima.resize(columns.div_ceil(BLOCK), 0.0);
        self.ranked.clear();
        self.ranked.reserve(columns);
    }

    /// The least reduced cost that a column outside the summary of row `i` can have.
    pub(super) fn floor(&self, i: usize) -> f64 {
        self.floors[i]
    }

    /// The summary of row `i`: columns and their costs.
    pub(super) fn of(&self, i: usize) -> (&[u32], &[f64]) {
        let start = i * self.stride();
        let end = start + self.lengths[i] as usize;
        (&self.columns[start..end], &self.costs[start..end])
    }

    /// Makes the summary of row `i` anew from the whole row and the current column duals.
    pub(super) fn rebuild<const NEGATE: bool>(
        &mut self,
        costs: Costs<'_, NEGATE>,
        i: usize,
        duals: &[f64],
    ) {
        let row = costs.row(i);
        let stride = self.stride();
        let (start, end) = (i * stride, (i + 1) * stride);
        let listed_columns = &mut self.columns[start..end];
        let listed_costs = &mut self.costs[start..end];
        if row.len() <= CAPACITY {
            for (j, &c) in row.iter().enumerate() {
                listed_columns[j] = j as u32;
                listed_costs[j] = Costs::<NEGATE>::signed(c);
            }
            self.lengths[i] = row.len() as u32;
            self.floors[i] = f64::INFINITY;
            return;
        }
        reduce::<NEGATE>(row, duals, &mut self.reduced, &mut self.minima);
        // As many entries as blocks have a minimum of at most the floor are in the summary.
        let blocks = WANTED.min(self.minima.len() / 2).max(2);
        self.ranked.clear();
        self.ranked.extend_from_slice(&self.minima);
        let mut floor = nth_smallest(&mut self.ranked, blocks - 1);
        let mut list = List {
            row,
            reduced: &self.reduced,
            minima: &self.minima,
            columns: listed_columns,
            costs: listed_costs,
            length: 0,
        };
        if !list.extend::<NEGATE>(floor, |r| r <= floor) {
            // Ties, or cheap entries bunched in few blocks: the exact rank keeps all that lie below
            // the floor, and as many of those on it as there is room for.
            self.ranked.clear();
            self.ranked.extend_from_slice(&self.reduced);
            floor = nth_smallest(&mut self.ranked, WANTED - 1);
            list.length = 0;
            let fits = list.extend::<NEGATE>(floor, |r| r < floor);
            debug_assert!(fits, "fewer than WANTED entries lie below the floor");
            list.extend::<NEGATE>(floor, |r| r == floor);
        }
        self.lengths[i] = list.length as u32;
        self.floors[i] = floor;
    }

    fn stride(&self) -> usize {
        CAPACITY.min(self.reduced.len())
    }
}

/// Writes c_ij − v_j and the minimum of each block of them.
fn reduce<const NEGATE: bool>(row: &[f64], duals: &[f64], reduced: &mut [f64], minima: &mut [f64]) {
    let (row_blocks, row_rest) = row.as_chunks::<BLOCK>();
    let (dual_blocks, dual_rest) = duals.as_chunks::<BLOCK>();
    let (reduced_blocks, reduced_rest) = reduced.as_chunks_mut::<BLOCK>();
    for (((c, v), r), minimum) in row_blocks
        .iter()
        .zip(dual_blocks)
        .zip(reduced_blocks)
        .zip(minima.iter_mut())
    {
        for k in 0..BLOCK {
            r[k] = Costs::<NEGATE>::signed(c[k]) - v[k];
        }
        *minimum = block_minimum(r);
    }
    let mut least = f64::INFINITY;
    for ((&c, &v), r) in row_rest.iter().zip(dual_rest).zip(reduced_rest) {
        *r = Costs::<NEGATE>::signed(c) - v;
        least = lesser(least, *r);
    }
    if !row_rest.is_empty()
        && let Some(minimum) = minima.last_mut()
    {
        *minimum = least;
    }
}

/// The minimum of a block, as a tree of pairwise minima that compilers turn into vector code.
pub(super) fn block_minimum(r: &[f64; BLOCK]) -> f64 {
    let half: [f64; 4] = std::array::from_fn(|k| lesser(r[k], r[k + 4]));
    lesser(lesser(half[0], half[2]), lesser(half[1], half[3]))
}

/// The smaller of two numbers that are not NaN, in the one comparison that hardware has.
pub(super) fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

fn nth_smallest(values: &mut [f64], n: usize) -> f64 {
    *values.select_nth_unstable_by(n, f64::total_cmp).1
}

/// A summary being filled.
struct List<'a> {
    row: &'a [f64],
    reduced: &'a [f64],
    minima: &'a [f64],
    columns: &'a mut [u32],
    costs: &'a mut [f64],
    length: usize,
}

impl List<'_> {
    /// Adds the columns whose reduced cost is `wanted`, which none above `limit` may be, in index
    /// order while there is room; whether there was enough.
    fn extend<const NEGATE: bool>(&mut self, limit: f64, wanted: impl Fn(f64) -> bool) -> bool {
        for (block, entries) in self.reduced.chunks(BLOCK).enumerate() {
            if self.minima[block] > limit {
                continue;
            }
            for (k, &r) in entries.iter().enumerate() {
                if wanted(r) {
                    if self.length == self.columns.len() {
                        return false;
                    }
                    let j = block * BLOCK + k;
                    self.columns[self.length] = j as u32;
                    self.costs[self.length] = Costs::<NEGATE>::signed(self.row[j]);
                    self.length += 1;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_column_outside_a_summary_lies_below_its_floor(
            entries in prop_oneof![
                prop::collection::vec((-1.0f64..1.0, -1.0f64..1.0), 2..700),
                prop::collection::vec((0u8..3, 0u8..2), 2..700)
                    .prop_map(|e| e.iter().map(|&(c, v)| (c.into(), v.into())).collect::<Vec<_>>()),
                // Cheap entries bunched in few blocks.
                (50usize..700).prop_map(|n| (0..n).map(|j| (j as f64, 0.0)).collect()),
            ],
        ) {
            let (row, duals): (Vec<f64>, Vec<f64>) = entries.into_iter().unzip();
            let mut candidates = Candidates::default();
            candidates.reset(1, row.len());
            candidates.rebuild(Costs::<false>::new(&row, 1, row.len()), 0, &duals);
            let (columns, costs) = candidates.of(0);
            let floor = candidates.floor(0);
            let mut listed = vec![false; row.len()];
            for (&j, &c) in columns.iter().zip(costs) {
                prop_assert!(!listed[j as usize] && c == row[j as usize]);
                listed[j as usize] = true;
            }
            let reached = columns.iter().filter(|&&j| row[j as usize] - duals[j as usize] <= floor);
            prop_assert!(reached.count() >= 2, "row reduction needs two columns within the floor");
            for j in 0..row.len() {
                prop_assert!(listed[j] || row[j] - duals[j] >= floor);
            }
        }
    }
}
