//! Part of stage *sampling*: how many pairs are likely, whoever they are.
//!
//! Of n and m nodes there are n! m! / (n − k)! (m − k)! k! matchings of k pairs, which are alike before anything is known, and of the
//! smaller side x = min(n, m) − k nodes are alone with the probability of a beta-binomial: as if [`ALONE_SEEN`] nodes had been
//! seen, [`ALONE_AT_FIRST`] of them alone. So a matching with a pair less has
//!
//! (n − k + 1)(m − k + 1)/k · P(x + 1)/P(x)
//!
//! times the weight. Where nobody is alone that is little, and grows with those who are: the number of pairs is found along the chain.
//!
//! A matching is as many permutations as its nodes that are alone can be beside those that fill the other side up: those of k − 1
//! pairs are m' times as many as of k, m' the pairs of the latter of which both fill their side up, and each has 1/m' of it.

use crate::matcher::best::thresholds::sparse::{ALONE_AT_FIRST, ALONE_SEEN};

/// The weight of matchings by the number of their pairs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parting {
    /// Nodes of either side that are no anchors.
    free: [usize; 2],
    anchors: usize,
    /// Pairs of nodes that both fill their side up, less the pairs of real ones.
    spare: isize,
}

impl Parting {
    pub(super) fn new(nodes: [usize; 2], anchors: usize, size: usize) -> Self {
        Self {
            free: nodes.map(|n| n - anchors),
            anchors,
            spare: size as isize - nodes[0] as isize - nodes[1] as isize,
        }
    }

    /// What a matching with a pair less than `pairs` has more.
    fn of_fewer(&self, pairs: usize) -> f64 {
        let pairs = pairs - self.anchors;
        let [own, theirs] = self.free.map(|n| (n - pairs + 1) as f64);
        let fewest = self.free[0].min(self.free[1]) as f64;
        let alone = own.min(theirs);
        let (at_first, rest) = (
            ALONE_AT_FIRST * ALONE_SEEN,
            (1.0 - ALONE_AT_FIRST) * ALONE_SEEN,
        );
        let number =
            (fewest - alone + 1.0) / alone * (alone - 1.0 + at_first) / (fewest - alone + rest);
        (own * theirs / pairs as f64 * number).ln()
    }

    /// What each permutation has more that leaves one of `pairs` pairs alone.
    pub(super) fn of_one(&self, pairs: usize, parted: f32) -> f32 {
        let spare = (pairs as isize + self.spare) as f64;
        (self.of_fewer(pairs) - spare.ln()) as f32 + parted
    }

    /// What a matching of so many pairs has more than one of all that there can be.
    pub(super) fn of_all(&self, pairs: usize, parted: f32) -> f64 {
        let most = self.anchors + self.free[0].min(self.free[1]);
        let each = (pairs + 1..=most).map(|pairs| self.of_fewer(pairs) + f64::from(parted));
        each.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matchings_of_a_number_of_pairs_have_together_what_is_likely() {
        // One anchor, and three and five other nodes.
        let parting = Parting::new([4, 6], 1, 9);
        let of_all = |pairs: usize| parting.of_all(pairs + 1, 0.0).exp();
        // 5 · 4 · 3 with all three pairs, 3 · 5 · 4 of two, 3 · 5 of one, and one of none.
        let number = [60.0, 60.0, 15.0, 1.0];
        let likely = |alone: usize| of_all(3 - alone) * number[alone] / number[0];
        let (at_first, rest) = (0.01, 9.99);
        let wanted = [
            3.0 * at_first / (rest + 2.0),
            (at_first + 1.0) / (rest + 1.0),
            (at_first + 2.0) / (3.0 * rest),
        ];
        for (alone, wanted) in wanted.into_iter().enumerate() {
            let ratio = likely(alone + 1) / likely(alone);
            assert!(
                (ratio / wanted - 1.0).abs() < 1e-9,
                "{alone}: {ratio} {wanted}"
            );
        }
        // Three pairs both fill their side up where three nodes and the anchor are paired.
        let one = f64::from(parting.of_one(4, -0.5));
        assert!((one - (parting.of_all(3, 0.0) - 3.0_f64.ln() - 0.5)).abs() < 1e-5);
        assert!((parting.of_all(2, 0.25) - parting.of_all(2, 0.0) - 0.5).abs() < 1e-6);
    }
}
