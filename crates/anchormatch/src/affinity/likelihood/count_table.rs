//! What two counts tell of each other, by the table of their octaves: no curve is supposed.
//!
//! A count w stands at log₂(1 + w) octaves. What lies between two octaves belongs to both, by its distance, so that
//! the table P(k, l) of matched counts is read and filled by straight lines:
//!
//! > g(x, y) = Σ φ_k(x) φ_l(y) ln P(k, l)/(P(k) P(l)).
//!
//! Every view of the graphs has a table of its own, and then its nats need no weight beside those of the others: a
//! Gaussian claims too much for counts, and for rare ones the more.

/// Steps of an octave that are told apart.
const STEPS: usize = 8;

/// Octaves that are told apart; what lies above falls together.
const OCTAVES: usize = 15;

/// All steps.
const ALL: usize = STEPS * OCTAVES + 1;

/// Independent observations that are added to those of a table.
const INDEPENDENT: f64 = 30.0;

/// The place of a count in eighths of octaves, given as ln(1 + w).
pub(crate) fn step(value: f64) -> u8 {
    let step = (STEPS as f64 * value / std::f64::consts::LN_2).round();
    step.clamp(0.0, (ALL - 1) as f64) as u8
}

/// How often each two places were seen of one pair of nodes.
pub(crate) struct Seen(Vec<f64>);

impl Seen {
    pub(crate) fn new() -> Self {
        Self(vec![0.0; ALL * ALL])
    }

    pub(crate) fn add(&mut self, x: u8, y: u8) {
        self.0[usize::from(x) * ALL + usize::from(y)] += 1.0;
    }
}

/// The evidence of two counts for each other, in nats.
pub(crate) struct CountTable {
    /// g at all places.
    nats: Vec<f64>,
    /// g(x, y) − g(x, 0) − g(0, y) + g(0, 0): what full matchings differ by.
    told: Vec<f64>,
    /// The mean and the variance of g of matched counts, by the first.
    moments: Vec<(f64, f64)>,
}

impl CountTable {
    /// The table of what was seen of matched pairs.
    pub(crate) fn fit(seen: &Seen) -> Self {
        const SIDE: usize = OCTAVES + 1;
        let mut table = [[0.0f64; SIDE]; SIDE];
        let cells = seen.0.iter().enumerate().filter(|(_, count)| **count > 0.0);
        for (cell, count) in cells {
            for (k, left) in around(cell / ALL) {
                for (l, right) in around(cell % ALL) {
                    table[k][l] += count * left * right;
                }
            }
        }
        let rows = table.map(|row| row.iter().sum::<f64>());
        let columns: [f64; SIDE] = std::array::from_fn(|l| table.iter().map(|row| row[l]).sum());
        let total: f64 = rows.iter().sum();
        let mut nats = [[0.0f64; SIDE]; SIDE];
        let mut moments = [(0.0, 0.0); SIDE];
        for k in (0..SIDE).filter(|&k| rows[k] > 0.0) {
            let (mut mean, mut square) = (0.0, 0.0);
            for l in (0..SIDE).filter(|&l| columns[l] > 0.0) {
                let ratio = table[k][l] * total / (rows[k] * columns[l]) * total;
                nats[k][l] = ((ratio + INDEPENDENT) / (total + INDEPENDENT)).ln();
                mean += table[k][l] / rows[k] * nats[k][l];
                square += table[k][l] / rows[k] * nats[k][l] * nats[k][l];
            }
            moments[k] = (mean, (square - mean * mean).max(0.0));
        }
        let between = |x: usize, y: usize| -> f64 {
            let cells = around(x).into_iter();
            let of_row = |(k, left): (usize, f64)| -> f64 {
                let cells = around(y).into_iter();
                cells.map(|(l, right)| left * right * nats[k][l]).sum()
            };
            cells.map(of_row).sum()
        };
        let places = || (0..ALL).flat_map(|x| (0..ALL).map(move |y| (x, y)));
        let nats: Vec<f64> = places().map(|(x, y)| between(x, y)).collect();
        let told = places().map(|(x, y)| (nats[x * ALL + y] - nats[x * ALL]) - (nats[y] - nats[0]));
        let moment = |x: usize| {
            let cells = around(x).into_iter();
            cells.fold((0.0, 0.0), |sum, (k, share)| {
                (sum.0 + share * moments[k].0, sum.1 + share * moments[k].1)
            })
        };
        Self {
            told: told.collect(),
            moments: (0..ALL).map(moment).collect(),
            nats,
        }
    }

    /// What two counts tell, beside what either tells with none.
    #[inline]
    pub(crate) fn told(&self, x: u8, y: u8) -> f64 {
        self.told[usize::from(x) * ALL + usize::from(y)]
    }

    /// By how much two matched counts tell more than is usual beside the first, and the variance of that.
    pub(crate) fn surprise(&self, x: u8, y: u8) -> (f64, f64) {
        let (mean, variance) = self.moments[usize::from(x)];
        (
            self.nats[usize::from(x) * ALL + usize::from(y)] - mean,
            variance,
        )
    }
}

/// The octaves around a place, with their shares.
fn around(step: usize) -> [(usize, f64); 2] {
    let (octave, rest) = (step / STEPS, (step % STEPS) as f64 / STEPS as f64);
    [(octave, 1.0 - rest), ((octave + 1).min(OCTAVES), rest)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(pairs: &[(f64, f64, usize)]) -> CountTable {
        let mut seen = Seen::new();
        for &(x, y, times) in pairs {
            (0..times).for_each(|_| seen.add(step(f64::ln_1p(x)), step(f64::ln_1p(y))));
        }
        CountTable::fit(&seen)
    }

    #[test]
    fn whole_octaves_have_places_of_their_own() {
        let steps = [0.0f64, 1.0, 3.0, 7.0, 255.0, 1e30].map(|w| step(w.ln_1p()));
        assert_eq!(steps, [0, 8, 16, 24, 64, 120]);
        assert!(step(2f64.ln_1p()) > 8 && step(2f64.ln_1p()) < 16);
    }

    /// Counts that are kept tell the logarithm of how much more often they are seen together.
    #[test]
    fn the_evidence_is_that_of_the_table() {
        let kept = table(&[(0.0, 0.0, 90_000), (1.0, 1.0, 5_000), (3.0, 3.0, 5_000)]);
        let [none, one, three] = [0.0f64, 1.0, 3.0].map(|w| step(w.ln_1p()));
        let nats = |x: u8, y: u8| kept.nats[usize::from(x) * ALL + usize::from(y)];
        assert!((nats(three, three) - 20f64.ln()).abs() < 0.01);
        assert!(nats(three, none) < -6.0 && nats(one, three) < -6.0);
        // Between the two, a count of two tells something of either.
        let two = step(2f64.ln_1p());
        assert!(nats(two, three) < nats(three, three) && nats(two, three) > nats(one, three));
        assert!(kept.told(three, none) == 0.0 && kept.told(none, one) == 0.0);
        assert!(kept.told(three, three) > 12.0);
    }

    #[test]
    fn independent_counts_tell_nothing() {
        let blind = table(&[
            (0.0, 0.0, 810),
            (0.0, 1.0, 90),
            (1.0, 0.0, 90),
            (1.0, 1.0, 10),
        ]);
        let [none, one] = [0.0f64, 1.0].map(|w| step(w.ln_1p()));
        for (x, y) in [(none, none), (none, one), (one, none), (one, one)] {
            let (surprise, variance) = blind.surprise(x, y);
            assert!(blind.told(x, y).abs() < 1e-9);
            assert!(surprise.abs() < 1e-9 && variance < 1e-9);
        }
    }

    /// What is said more often of a count has the mean of what it tells; the rest surprises.
    #[test]
    fn surprises_have_no_mean() {
        let seen = [
            (0.0, 0.0, 900),
            (1.0, 1.0, 60),
            (1.0, 0.0, 40),
            (0.0, 1.0, 30),
        ];
        let table = table(&seen);
        for first in [0.0f64, 1.0] {
            let of_first = seen.iter().filter(|s| s.0 == first);
            let (mut sum, mut squares, mut count, mut variance) = (0.0, 0.0, 0.0, 0.0);
            for &(x, y, times) in of_first {
                let (surprise, spread) = table.surprise(step(x.ln_1p()), step(f64::ln_1p(y)));
                sum += times as f64 * surprise;
                squares += times as f64 * surprise * surprise;
                count += times as f64;
                variance = spread;
            }
            assert!(sum.abs() < 1e-9 * count, "{sum}");
            assert!((squares / count - variance).abs() < 1e-9);
        }
    }
}
