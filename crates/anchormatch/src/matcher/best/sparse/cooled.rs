//! Part of stage *sampling*: the matchings that chains begin to walk from.
//!
//! Heated chains find what the field settled wrongly, and are cheapest where everybody has a partner: a node that is left alone lets a
//! whole region of a ring or a grid slip by one place, which costs hardly more than the place. So they are heated with a partner for
//! everybody, and beside that, where some may be [alone](super::parting), with nodes filled up on both sides. Of both the
//! likelier goes on, each by what its own edges say.

use rayon::prelude::*;

use super::chain::{Chain, Ties};
use super::landmarks::Landmarks;
use super::sampling::ties;
use super::side::Side;
use crate::matcher::best::thresholds::sparse::{
    HEATED, HEATED_WHEN_LED, HELD_ONE_IN, PARTED_ROUNDS, PARTED_SWEEPS,
};
use crate::monitor::Monitor;

/// Chains that are heated and cooled down.
pub(super) struct Cooling<'a> {
    pub(super) sides: &'a [Side<'a>; 2],
    /// Source nodes that may move, filled-up ones among them.
    pub(super) free: &'a [u32],
    pub(super) landmarks: Option<Landmarks>,
    pub(super) chains: usize,
    pub(super) sweeps: usize,
    pub(super) seed: u64,
}

/// What they came to.
pub(super) struct Cooled {
    /// By what its own edges say.
    pub(super) evidence: f64,
    pub(super) ties: Ties,
    pub(super) likeliest: Vec<u32>,
    pub(super) each: Vec<Vec<u32>>,
    /// Whether that is likelier than what they began with.
    pub(super) is_likelier: bool,
}

impl Cooling<'_> {
    /// From a permutation that stays as full as it is; `None` when the monitor stops it.
    pub(super) fn whole(&self, first: &[u32], monitor: &Monitor) -> Option<Cooled> {
        self.cooled(first, ties(self.sides, first), 0, monitor)
    }

    /// From one with filled-up nodes on both sides, which settles first who is alone, for that tells what edges say.
    pub(super) fn parted(&self, first: &[u32], monitor: &Monitor) -> Option<Cooled> {
        let mut first = first.to_vec();
        let mut held = ties(self.sides, &first);
        let streams = 3 * self.chains;
        for round in 0..PARTED_ROUNDS {
            let mut chain = self.begin(&held, &first, streams + round);
            chain.cool(1.0, None, PARTED_SWEEPS, monitor)?;
            first = chain.into_partners();
            held = ties(self.sides, &first);
        }
        self.cooled(&first, held, streams + PARTED_ROUNDS, monitor)
    }

    fn begin<'b>(&'b self, ties: &'b Ties, first: &[u32], stream: usize) -> Chain<'b> {
        let numbers = (self.seed, stream as u64);
        Chain::new(self.sides, ties, self.free, first.to_vec(), numbers)
    }

    fn cooled(
        &self,
        first: &[u32],
        held: Ties,
        streams: usize,
        monitor: &Monitor,
    ) -> Option<Cooled> {
        let Self { chains, sweeps, .. } = *self;
        let cooled: Option<Vec<(f64, Vec<u32>)>> = (0..chains)
            .into_par_iter()
            .map(|k| {
                let mut chain = self.begin(&held, first, streams + k);
                match &self.landmarks {
                    None => chain.cool(HEATED, None, sweeps, monitor)?,
                    Some(landmarks) => {
                        chain.cool(HEATED, None, sweeps / HELD_ONE_IN, monitor)?;
                        let mut led = self.begin(&held, first, streams + chains + k);
                        led.cool(HEATED_WHEN_LED, Some(landmarks), sweeps, monitor)?;
                        if led.evidence() >= chain.evidence() {
                            chain = led;
                        }
                    }
                }
                Some((chain.evidence(), chain.into_partners()))
            })
            .collect();
        let cooled = cooled?;
        let by_evidence = |x: &&(f64, Vec<u32>), y: &&(f64, Vec<u32>)| x.0.total_cmp(&y.0);
        let likeliest = cooled.iter().max_by(by_evidence).expect("there are chains");
        let is_likelier = likeliest.0 > self.begin(&held, first, 0).evidence();
        let likeliest = likeliest.1.clone();
        // Whoever keeps more edges knows better what they say.
        let ties = match is_likelier {
            true => ties(self.sides, &likeliest),
            false => held,
        };
        let evidence = self.begin(&ties, &likeliest, 0).evidence();
        Some(Cooled {
            evidence,
            ties,
            likeliest,
            each: cooled.into_iter().map(|(_, partners)| partners).collect(),
            is_likelier,
        })
    }
}
