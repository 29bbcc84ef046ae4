//! One walk: exchanges at falling temperatures, then chains.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Anneal;
use super::board::{Board, Terrain};
use super::chains::Chains;
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

/// How often a neighbour that the host does not have yet is looked for.
const TRIES: usize = 3;

/// What a walk found.
pub(super) struct Walk {
    pub(super) assignment: Vec<Option<usize>>,
    /// What was gained from the start, in units of the terrain.
    pub(super) gain: f64,
    pub(super) iterations: usize,
    pub(super) interrupt: Option<Interrupt>,
    /// Whether no assignment can be better.
    pub(super) optimal: bool,
    /// The best gain after each temperature that improved it.
    pub(super) improvements: Vec<f64>,
}

struct Best {
    partners: Vec<u32>,
    gain: f64,
}

impl Best {
    fn look_at(&mut self, board: &Board<'_>) {
        // More than rounding.
        if board.gain() > self.gain + 1e-4 {
            self.gain = board.gain();
            self.partners.copy_from_slice(board.partners());
        }
    }
}

/// Walks from `first`; `number` tells walks with the same seed apart.
pub(super) fn walk(
    anneal: &Anneal,
    terrain: &Terrain,
    first: &[Option<usize>],
    (seed, number): (u64, u64),
    monitor: &Monitor,
) -> Walk {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(number);
    let mut board = Board::new(terrain, first);
    let mut best = Best {
        partners: board.partners().to_vec(),
        gain: 0.0,
    };
    let mut improvements = vec![0.0];
    let (mut iterations, mut interrupt) = (0, None);
    let proposals = anneal.sweeps.saturating_mul(terrain.nodes);
    for level in 0..LEVELS {
        let progress = Progress {
            stage: "anneal",
            done: level,
            total: Some(LEVELS),
            value: None,
        };
        interrupt = monitor.checkpoint(progress);
        if interrupt.is_some() || board.lacking().is_empty() {
            break;
        }
        let share = level as f64 / (LEVELS - 1) as f64;
        let temperature = anneal.hot * (anneal.cold / anneal.hot).powf(share);
        let mut left = proposals / LEVELS + usize::from(level < proposals % LEVELS);
        while left > 0 && interrupt.is_none() && !board.lacking().is_empty() {
            let now = left.min(BETWEEN_LOOKS);
            propose(&mut board, &mut best, now, temperature as f32, &mut random);
            (left, iterations) = (left - now, iterations + now);
            interrupt = monitor.interrupted();
        }
        board.refresh();
        if best.gain > improvements[improvements.len() - 1] {
            improvements.push(best.gain);
        }
    }
    board.go_to(&best.partners);
    board.refresh();
    let mut chains = Chains::new(terrain.nodes);
    for chain in 0..anneal.chains.saturating_mul(terrain.nodes) {
        if interrupt.is_some() || board.lacking().is_empty() {
            break;
        }
        chains.make(&mut board, &mut random);
        iterations += 1;
        if chain % CHAINS_BETWEEN_LOOKS == 0 {
            interrupt = monitor.interrupted();
        }
    }
    best.look_at(&board);
    if best.gain > improvements[improvements.len() - 1] {
        improvements.push(best.gain);
    }
    Walk {
        assignment: board.assignment(&best.partners),
        gain: best.gain,
        iterations,
        interrupt,
        optimal: board.lacking().is_empty(),
        improvements,
    }
}

/// Proposes exchanges and makes those that Metropolis' rule accepts.
fn propose(
    board: &mut Board<'_>,
    best: &mut Best,
    proposals: usize,
    temperature: f32,
    random: &mut ChaCha8Rng,
) {
    let nodes = board.terrain.nodes;
    for _ in 0..proposals {
        let (first, second) = (random.next_u64(), random.next_u64());
        let lacking = board.lacking();
        let i = if first & 255 < LACKING && !lacking.is_empty() {
            lacking[below(first >> 32, lacking.len())] as usize
        } else {
            below(first >> 32, nodes)
        };
        let nearby = if first >> 8 & 255 < NEARBY {
            neighbouring_column(board, i, first >> 16 & 255, second)
        } else {
            None
        };
        let j = board.owner(nearby.unwrap_or_else(|| below(second >> 32, nodes)));
        if i == j {
            continue;
        }
        let change = board.change(i, j);
        // 24 bits that decided nothing else.
        let chance = (second & 0xFF_FFFF) as f32 / (1 << 24) as f32;
        if change >= 0.0 || chance < (change / temperature).exp() {
            board.exchange(i, j, change);
            best.look_at(board);
        }
    }
}

/// A neighbour of the column of one of the row's neighbours, preferably one whose link is missing.
#[inline]
fn neighbouring_column(board: &Board<'_>, i: usize, which: u64, bits: u64) -> Option<usize> {
    let layers = &board.terrain.layers;
    let (pattern, host) = &layers[which as usize % layers.len()];
    let neighbours = pattern.of(i);
    if neighbours.is_empty() {
        return None;
    }
    let mut hash = bits;
    let mut at = 0;
    for _ in 0..TRIES {
        hash = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let k = neighbours[below(hash >> 32, neighbours.len())].0 as usize;
        at = board.partner(k);
        if !board.terrain.linked(board.partner(i), at) {
            break;
        }
    }
    let columns = host.of(at);
    (!columns.is_empty()).then(|| columns[below(bits >> 32, columns.len())].0 as usize)
}

/// A number below `count` from 32 random bits.
#[inline]
fn below(bits: u64, count: usize) -> usize {
    (((bits & 0xFFFF_FFFF) * count as u64) >> 32) as usize
}
