//! Pairs of frames of the CMU Hotel sequence by gap.
//!
//! For every gap g, all pairs of frames (f, f + g): complete graphs on Euclidean
//! distances, a few random anchors, the target's points in random order. The seed of a pair depends
//! on its two frames and the master seed, so every variant sees the same anchors.

use anchormatch::Result;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::Trial;
use crate::datasets::hotel::Hotel;

/// What to run.
#[derive(Debug, Clone)]
pub struct HotelSweep {
    /// Frame gaps. Default 10, 20, …, 90.
    pub gaps: Vec<usize>,
    /// Pairs a gap at most, spread evenly over the sequence. Default: all.
    pub pairs_per_gap: Option<usize>,
    /// Anchors a pair. Default 2.
    pub anchors: usize,
    /// The master seed. Default 0.
    pub seed: u64,
}

impl Default for HotelSweep {
    fn default() -> Self {
        Self {
            gaps: (10..=90).step_by(10).collect(),
            pairs_per_gap: None,
            anchors: 2,
            seed: 0,
        }
    }
}

impl HotelSweep {
    /// The pairs of frames, by gap.
    #[must_use]
    pub fn pairs(&self, frames: usize) -> Vec<(usize, usize)> {
        self.gaps
            .iter()
            .flat_map(|&gap| {
                let all = frames.saturating_sub(gap);
                let kept = self.pairs_per_gap.map_or(all, |most| most.min(all));
                (0..kept).map(move |k| {
                    let from = k * all / kept;
                    (from, from + gap)
                })
            })
            .collect()
    }

    /// A pair of frames with its anchors.
    ///
    /// # Errors
    /// When there is no such frame or there are fewer landmarks than anchors.
    pub fn trial(&self, hotel: &Hotel, (from, to): (usize, usize)) -> Result<Trial> {
        let seed = self.seed ^ ((from as u64) << 32 | (to as u64) << 8);
        let instance = hotel.pair(from, to, seed)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed.wrapping_add(1));
        let anchors = instance.random_anchors(self.anchors, &mut rng)?;
        Ok(Trial { instance, anchors })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_cover_every_gap_once() {
        let sweep = HotelSweep::default();
        let pairs = sweep.pairs(101);
        // 91 + 81 + … + 11.
        assert_eq!(pairs.len(), 459);
        assert!(
            pairs
                .iter()
                .all(|&(from, to)| to < 101 && (to - from) % 10 == 0)
        );
        let few = HotelSweep {
            pairs_per_gap: Some(8),
            ..HotelSweep::default()
        };
        assert_eq!(few.pairs(101).len(), 72);
        let mut distinct = few.pairs(101);
        distinct.dedup();
        assert_eq!(distinct.len(), 72);
    }
}
