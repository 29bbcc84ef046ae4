//! One walk: exchanges at falling temperatures, then chains.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Anneal;
use super::chains::Chains;
use super::instance::Instance;
use super::occupancy::Occupancy;
use super::state::State;
use crate::assignment::Assignment;
use crate::monitor::{Interrupt, Monitor, Progress};

/// Temperatures between the first and the last.
const LEVELS: usize = 64;

/// Proposals between two looks at the clock.
const BETWEEN_LOOKS: usize = 4096;

/// Chains between two looks at the clock.
const CHAINS_BETWEEN_LOOKS: usize = 32;

/// Of 256 proposals, those that begin at a row that lacks something.
const LACKING: u64 = 180;

/// Of 256 proposals, those that go to a neighbour of a neighbour's image; the others go anywhere.
const NEARBY: u64 = 243;

/// Rounds after the first have this share of its proposals: what chains opened up is small.
const LATER: usize = 3;

/// Sampling ends after this share of its proposals when fewer than one in [`FROZEN`] was accepted:
/// there is then little else that is as good.
const FIRST_SAMPLES: usize = 8;
const FROZEN: usize = 1000;

/// Proposals for each row that lacks something after decoding.
const MENDING: usize = 200;

/// How often a neighbour that the host does not have yet is looked for.
const TRIES: usize = 3;

/// What a walk found.
pub(super) struct Walk {
    /// The best permutation.
    pub(super) partners: Vec<u32>,
    /// Its value, in units of the instance.
    pub(super) value: f64,
    pub(super) iterations: usize,
    pub(super) interrupt: Option<Interrupt>,
    /// Whether no assignment can be better.
    pub(super) optimal: bool,
    /// The best value after each temperature that improved it.
    pub(super) improvements: Vec<f64>,
    /// The share of the time that each row spent at each column around the best permutation.
    pub(super) occupancy: Option<Occupancy>,
}

struct Best {
    partners: Vec<u32>,
    gain: f64,
}

impl Best {
    fn look_at(&mut self, state: &State<'_>) {
        // More than rounding.
        if state.gain() > self.gain + 1e-4 {
            self.gain = state.gain();
            self.partners.copy_from_slice(state.partners());
        }
    }
}

/// Walks from `first`; `number` tells walks with the same seed apart.
pub(super) fn walk(
    anneal: &Anneal,
    instance: &Instance,
    first: &Assignment,
    (seed, number): (u64, u64),
    monitor: &Monitor,
) -> Walk {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(number);
    let state = State::new(instance, first);
    let begin = state.value();
    let mut walker = Walker {
        best: Best {
            partners: state.partners().to_vec(),
            gain: 0.0,
        },
        state,
        random,
        monitor,
        iterations: 0,
        interrupt: None,
        improvements: vec![0.0],
    };
    let mut chains = Chains::new(instance.nodes);
    for round in 0..anneal.rounds {
        let before = walker.best.gain;
        walker.cool(anneal, round);
        walker.return_to_best();
        walker.chain(&mut chains, anneal.chains.saturating_mul(instance.nodes));
        let gained = walker.best.gain > before;
        if walker.is_done() || (round > 0 && !gained) {
            break;
        }
    }
    walker.return_to_best();
    let optimal = walker.state.lacking().is_empty();
    let samples = anneal.samples.saturating_mul(instance.nodes);
    let occupancy = (samples > 0).then(|| walker.sample(samples, anneal.sampling as f32));
    Walk {
        value: begin + walker.best.gain,
        partners: walker.best.partners,
        iterations: walker.iterations,
        interrupt: walker.interrupt,
        optimal,
        improvements: walker
            .improvements
            .iter()
            .map(|gain| begin + gain)
            .collect(),
        occupancy,
    }
}

/// `assignment` after exchanges that lose nothing, at the rows that lack something, and its value.
pub(super) fn mended(instance: &Instance, assignment: &Assignment, seed: u64) -> (Assignment, f64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut state = State::new(instance, assignment);
    let mut best = Best {
        partners: state.partners().to_vec(),
        gain: 0.0,
    };
    let begin = state.value();
    for _ in 0..MENDING * state.lacking().len() {
        if state.lacking().is_empty() {
            break;
        }
        if let Some((i, j, change)) = proposal(&state, 256, f32::MIN_POSITIVE, &mut random) {
            state.exchange(i, j, change);
            best.look_at(&state);
        }
    }
    (instance.assignment(&best.partners), begin + best.gain)
}

/// A walk under way.
struct Walker<'w> {
    state: State<'w>,
    best: Best,
    random: ChaCha8Rng,
    monitor: &'w Monitor,
    iterations: usize,
    interrupt: Option<Interrupt>,
    /// The best gain after each temperature that improved it.
    improvements: Vec<f64>,
}

impl Walker<'_> {
    fn is_done(&self) -> bool {
        self.interrupt.is_some() || self.state.lacking().is_empty()
    }

    fn note_improvement(&mut self) {
        if self.best.gain > self.improvements[self.improvements.len() - 1] {
            self.improvements.push(self.best.gain);
        }
    }

    fn return_to_best(&mut self) {
        self.state.go_to(&self.best.partners);
        self.state.refresh();
    }

    /// Exchanges at falling temperatures.
    fn cool(&mut self, anneal: &Anneal, round: usize) {
        let sweeps = if round == 0 {
            anneal.sweeps
        } else {
            anneal.sweeps.div_ceil(LATER)
        };
        let proposals = sweeps.saturating_mul(self.state.instance.nodes);
        for level in 0..LEVELS {
            let progress = Progress {
                stage: "anneal",
                done: round * LEVELS + level,
                total: anneal.rounds.checked_mul(LEVELS),
                value: None,
            };
            self.interrupt = self.monitor.checkpoint(progress);
            if self.is_done() {
                return;
            }
            let share = level as f64 / (LEVELS - 1) as f64;
            let temperature = anneal.hot * (anneal.cold / anneal.hot).powf(share);
            let mut left = proposals / LEVELS + usize::from(level < proposals % LEVELS);
            while left > 0 && !self.is_done() {
                let now = left.min(BETWEEN_LOOKS);
                for _ in 0..now {
                    if let Some((i, j, change)) =
                        proposal(&self.state, LACKING, temperature as f32, &mut self.random)
                    {
                        self.state.exchange(i, j, change);
                        self.best.look_at(&self.state);
                    }
                }
                (left, self.iterations) = (left - now, self.iterations + now);
                self.interrupt = self.monitor.interrupted();
            }
            self.state.refresh();
            self.note_improvement();
        }
    }

    /// Chains, as long as something is lacking.
    fn chain(&mut self, chains: &mut Chains, count: usize) {
        for number in 0..count {
            if self.is_done() {
                break;
            }
            chains.make(&mut self.state, &mut self.random);
            self.iterations += 1;
            if number % CHAINS_BETWEEN_LOOKS == 0 {
                self.interrupt = self.monitor.interrupted();
            }
        }
        self.best.look_at(&self.state);
        self.note_improvement();
    }

    /// Where the rows are while the walk goes on at one low temperature; proposals begin anywhere, so
    /// that the times are those of the assignments' weights and not of the search.
    fn sample(&mut self, samples: usize, temperature: f32) -> Occupancy {
        let mut occupancy = Occupancy::new(&self.state);
        let (mut done, mut accepted) = (0, 0);
        while done < samples && self.interrupt.is_none() {
            if done > samples / FIRST_SAMPLES && accepted < done / FROZEN {
                break;
            }
            let now = (samples - done).min(BETWEEN_LOOKS);
            for _ in 0..now {
                done += 1;
                if let Some((i, j, change)) =
                    proposal(&self.state, 0, temperature, &mut self.random)
                {
                    accepted += 1;
                    occupancy.leave(&self.state, i, done);
                    occupancy.leave(&self.state, j, done);
                    self.state.exchange(i, j, change);
                    self.best.look_at(&self.state);
                }
            }
            self.interrupt = self.monitor.interrupted();
        }
        self.iterations += done;
        self.note_improvement();
        occupancy.finish(&self.state, done);
        occupancy
    }
}

/// The exchange of i and j and what it gains, if Metropolis' rule accepts the one proposed.
#[inline]
fn proposal(
    state: &State<'_>,
    lacking_of_256: u64,
    temperature: f32,
    random: &mut ChaCha8Rng,
) -> Option<(usize, usize, f32)> {
    let nodes = state.instance.nodes;
    let (first, second) = (random.next_u64(), random.next_u64());
    let lacking = state.lacking();
    let i = if first & 255 < lacking_of_256 && !lacking.is_empty() {
        lacking[below(first >> 32, lacking.len())] as usize
    } else {
        below(first >> 32, nodes)
    };
    let nearby = if first >> 8 & 255 < NEARBY {
        neighbouring_column(state, i, first >> 16 & 255, second)
    } else {
        None
    };
    let j = state.owner(nearby.unwrap_or_else(|| below(second >> 32, nodes)));
    if i == j {
        return None;
    }
    let change = state.change(i, j);
    // 24 bits that decided nothing else.
    let chance = (second & 0xFF_FFFF) as f32 / (1 << 24) as f32;
    (change >= 0.0 || chance < (change / temperature).exp()).then_some((i, j, change))
}

/// A neighbour of the column of one of the row's neighbours, preferably one whose link is missing.
#[inline]
fn neighbouring_column(state: &State<'_>, i: usize, which: u64, bits: u64) -> Option<usize> {
    let layers = &state.instance.layers;
    let (pattern, host) = &layers[which as usize % layers.len()];
    let neighbours = pattern.columns(i);
    if neighbours.is_empty() {
        return None;
    }
    let mut hash = bits;
    let mut at = 0;
    for _ in 0..TRIES {
        hash = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let k = neighbours[below(hash >> 32, neighbours.len())] as usize;
        at = state.partner(k);
        if !state.instance.linked(state.partner(i), at) {
            break;
        }
    }
    let columns = host.columns(at);
    (!columns.is_empty()).then(|| columns[below(bits >> 32, columns.len())] as usize)
}

/// A number below `count` from 32 random bits.
#[inline]
fn below(bits: u64, count: usize) -> usize {
    (((bits & 0xFFFF_FFFF) * count as u64) >> 32) as usize
}
