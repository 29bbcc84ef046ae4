//! Chains of exchanges that move a whole piece of the pattern at once.
//!
//! Single exchanges do not carry a dense piece, a clique of eight sitting on the image of a clique of
//! seven, across the many worse states on the way. A chain begins with one exchange that puts a lacking
//! row on another column and then mends what that broke: as long as a moved row has neighbours in the
//! pattern that are no neighbours of its column in the host, the best exchange that makes one of them
//! such a neighbour is made, better or worse, each row moving once. What comes after the best point of
//! the chain is taken back; all of it, when nothing was gained there (Lin, Kernighan, *Operations
//! Research* 21, 1973, for tours; Glover's ejection chains).

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::state::State;

/// Exchanges of a chain at most.
const LONGEST: usize = 40;

/// Exchanges after the best point at most.
const PATIENCE: usize = 12;

/// Columns among which a first one of similar degree is looked for.
const TRIES: usize = 8;

/// Chains that are begun at one state.
pub(super) struct Chains {
    /// The last chain that moved each row.
    moved_by: Vec<u32>,
    number: u32,
    done: Vec<(u32, u32, f32)>,
}

impl Chains {
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            moved_by: vec![0; nodes],
            number: 0,
            done: Vec::new(),
        }
    }

    /// One chain; the state's gain does not fall. Nothing happens when no row lacks anything.
    pub(super) fn make(&mut self, state: &mut State<'_>, random: &mut ChaCha8Rng) {
        let Some((i, j)) = first_exchange(state, random) else {
            return;
        };
        self.number += 1;
        self.done.clear();
        let before = state.gain();
        let (mut best, mut kept) = (before, 0);
        self.exchange(state, i, j, state.change(i, j));
        let mut turn = 0;
        loop {
            // A chain that ends where it began in value is a walk along a ridge.
            if state.gain() >= best {
                (best, kept) = (state.gain(), self.done.len());
            }
            if self.done.len() >= LONGEST || self.done.len() - kept > PATIENCE {
                break;
            }
            let mut next = None;
            while turn < self.done.len() && next.is_none() {
                next = self.mending_exchange(state, self.done[turn].0 as usize);
                turn += usize::from(next.is_none());
            }
            let Some((k, l, change)) = next else { break };
            self.exchange(state, k, l, change);
        }
        while self.done.len() > kept {
            let (k, l, change) = self.done.pop().expect("more than were kept");
            state.exchange(k as usize, l as usize, -change);
        }
    }

    fn exchange(&mut self, state: &mut State<'_>, i: usize, j: usize, change: f32) {
        state.exchange(i, j, change);
        self.moved_by[i] = self.number;
        self.moved_by[j] = self.number;
        self.done.push((i as u32, j as u32, change));
    }

    /// The best exchange that makes a neighbour of `x` one in the host too.
    fn mending_exchange(&self, state: &State<'_>, x: usize) -> Option<(usize, usize, f32)> {
        let at = state.partner(x);
        let mut best: Option<(usize, usize, f32)> = None;
        for (pattern, host) in &state.instance.layers {
            for (k, _) in pattern.row(x) {
                if self.moved_by[k] == self.number || state.instance.linked(at, state.partner(k)) {
                    continue;
                }
                for (c, _) in host.row(at) {
                    let l = state.owner(c);
                    if self.moved_by[l] == self.number || l == k {
                        continue;
                    }
                    let change = state.change(k, l);
                    if best.is_none_or(|best| change > best.2) {
                        best = Some((k, l, change));
                    }
                }
            }
        }
        best
    }
}

/// A lacking row, and another one, or the owner of a column whose degree is about that of the row.
fn first_exchange(state: &State<'_>, random: &mut ChaCha8Rng) -> Option<(usize, usize)> {
    let lacking = state.lacking();
    if lacking.is_empty() {
        return None;
    }
    let i = lacking[random.random_range(0..lacking.len())] as usize;
    let j = if random.random::<bool>() {
        lacking[random.random_range(0..lacking.len())] as usize
    } else {
        let (pattern, host) = &state.instance.layers[0];
        let degree = pattern.columns(i).len();
        let gap = |c: usize| {
            let has = host.columns(c).len();
            // A column with too few neighbours is worse than one with too many.
            if has < degree {
                3 * (degree - has)
            } else {
                has - degree
            }
        };
        let columns = (0..TRIES).map(|_| random.random_range(0..state.instance.nodes));
        state.owner(columns.min_by_key(|&c| gap(c)).expect("some tries"))
    };
    (i != j).then_some((i, j))
}
