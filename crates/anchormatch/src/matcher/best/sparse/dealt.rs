//! Part of stage *sampling*: how far what kept edges say is to be believed.
//!
//! As in [`belief`](crate::matcher::best): under the right posterior the right matching is a sample like any other, so
//! that samples keep as many edges as it does in the mean (Nishimori's identity). Whether they do is asked where the right matching
//! is known: of pairs that are [dealt](crate::matcher::best::deal) from a likely matching. Where edges are not
//! independent of each other, wrong matchings that keep a little more are much more common than their posterior says. The belief is
//! the largest power β ≤ 1 of the posterior under which a chain that begins at the right matching of such a pair comes to none that
//! keep more in the mean; between two rungs of the ladder it is where the line through both crosses zero.

use rayon::prelude::*;

use super::chain::{Chain, Ties};
use super::side::{NONE, Side};
use crate::error::Result;
use crate::matcher::best::deal::deal;
use crate::matcher::best::thresholds::sparse::{CHAIN_BELIEFS, DEALT_SWEEPS};
use crate::monitor::Monitor;

/// What the belief is asked of.
pub(super) struct Likely<'a> {
    pub(super) sides: &'a [Side<'a>; 2],
    pub(super) ties: &'a Ties,
    /// Source nodes that may move.
    pub(super) free: &'a [u32],
    /// Of the larger side's size.
    pub(super) permutation: &'a [u32],
    /// Pairs that are dealt from it.
    pub(super) deals: usize,
}

impl Likely<'_> {
    /// β; `None` when the monitor stops it.
    pub(super) fn belief(&self, seed: u64, monitor: &Monitor) -> Option<f32> {
        // The ladder begins at 1.
        let (mut last, mut above) = (CHAIN_BELIEFS[0], 0.0);
        for (rung, &power) in CHAIN_BELIEFS.iter().enumerate() {
            let excess = self.excess(power, seed, monitor)?;
            if excess <= 0.0 {
                let share = match rung {
                    0 => 0.0,
                    _ => above / (above - excess),
                };
                return Some(last + share as f32 * (power - last));
            }
            (last, above) = (power, excess);
        }
        Some(last)
    }

    /// How many more edges than the right matching chains keep in the mean, under a power of the posterior.
    fn excess(&self, power: f32, seed: u64, monitor: &Monitor) -> Option<f64> {
        let ties = self.ties.to_the_power(power);
        let each: Option<Vec<f64>> = (0..self.deals as u64)
            .into_par_iter()
            .map(|stream| {
                let graphs = self
                    .dealt(seed.wrapping_add(stream))
                    .expect("what is dealt are edges of a graph");
                let weighted = self.sides.iter().all(|side| side.weights.is_some());
                let sides = [0, 1].map(|side: usize| Side::new(&graphs[side], weighted));
                let right = self.permutation.to_vec();
                let mut chain = Chain::new(&sides, &ties, self.free, right, (seed, stream));
                let kept = chain.kept_edges() as f64;
                Some(chain.mean_kept_edges(DEALT_SWEEPS, monitor)? - kept)
            })
            .collect();
        Some(each?.iter().sum::<f64>() / self.deals as f64)
    }

    fn dealt(&self, seed: u64) -> Result<[crate::graph::Graph; 2]> {
        let [source, target] = self.sides;
        let real = self.permutation[..source.nodes()].iter();
        let partners: Vec<u32> = real
            .map(|&a| match (a as usize) < target.nodes() {
                true => a,
                false => NONE,
            })
            .collect();
        deal([source.edges, target.edges], &partners, seed)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::sampling::ties;
    use super::*;
    use crate::graph::Graph;
    use crate::matcher::best::thresholds::sparse::CHAIN_DEALS;

    const NODES: usize = 250;

    fn pairs() -> impl Iterator<Item = (usize, usize)> {
        (0..NODES).flat_map(|i| (0..i).map(move |j| (j, i)))
    }

    /// Two samples of the same edges; every node is its own partner.
    fn belief_of(edges: &[(usize, usize)]) -> f32 {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let graphs = [(); 2].map(|()| {
            let edges = edges.iter().filter(|_| random.random_bool(0.8));
            let edges: Vec<_> = edges.map(|&(i, j)| (i, j, 1.0)).collect();
            Graph::from_edges(NODES, &edges).unwrap()
        });
        let sides = [0, 1].map(|side: usize| Side::new(&graphs[side], false));
        let permutation: Vec<u32> = (0..NODES as u32).collect();
        let asked = Likely {
            sides: &sides,
            ties: &ties(&sides, &permutation),
            free: &permutation,
            permutation: &permutation,
            deals: CHAIN_DEALS,
        };
        asked.belief(1, &Monitor::silent()).unwrap()
    }

    #[test]
    fn independent_edges_are_believed_and_those_of_neighbours_in_a_plane_less() {
        let mut random = ChaCha8Rng::seed_from_u64(9);
        let uniform: Vec<_> = pairs().filter(|_| random.random_bool(0.05)).collect();
        let places: Vec<[f64; 2]> = (0..NODES)
            .map(|_| [random.random(), random.random()])
            .collect();
        let reach = 10.0 / (std::f64::consts::PI * NODES as f64);
        let apart = |i: usize, j: usize, k: usize| (places[i][k] - places[j][k]).powi(2);
        let plane = pairs().filter(|&(j, i)| apart(i, j, 0) + apart(i, j, 1) <= reach);
        let plane: Vec<_> = plane.collect();
        let [independent, plane] = [belief_of(&uniform), belief_of(&plane)];
        assert!(independent > 0.95, "{independent}");
        assert!((0.5..0.95).contains(&plane), "{plane}");
    }

    #[test]
    fn a_stop_ends_it() {
        let ring: Vec<_> = (0..9).map(|i| (i, (i + 1) % 9, 1.0)).collect();
        let ring = Graph::from_edges(9, &ring).unwrap();
        let sides = [&ring, &ring].map(|graph| Side::new(graph, false));
        let permutation: Vec<u32> = (0..9).collect();
        let asked = Likely {
            sides: &sides,
            ties: &ties(&sides, &permutation),
            free: &permutation,
            permutation: &permutation,
            deals: CHAIN_DEALS,
        };
        let monitor = Monitor::silent();
        monitor.cancel_token().cancel();
        assert!(asked.belief(1, &monitor).is_none());
    }
}
