//! A chain of exchanges over full matchings of two graphs, each as often as it is likely.
//!
//! The smaller side is filled up with nodes that have no edges, so that a matching is a permutation. Beside two matchings
//! that keep as many edges, one that keeps one more is e^J times as likely ([`Ties`]), and a pair that keeps any edge at all
//! is in the right region, which says F more: where nothing holds, a node could be anywhere. With both sides filled up, a node
//! beside one of these has no partner: every edge between nodes with partners costs something ([`Ties::shown`]), whether it is
//! kept or not, and how many pairs are likely says [`Parting`].
//!
//! A proposal goes from a node to the partner of one of its neighbours, and on to one of that partner's neighbours, whose
//! owner takes what the node had; one in [`ANYWHERE`] goes to any node, one in [`ALONE`] to one that fills the target up. What that favours Hastings' ratio takes back, so that
//! the times spent at each partner are those of the posterior.
//!
//! While a chain is heated, [`Landmarks`] may lead it: what they say counts whatever the heat, the less the cooler the chain is,
//! and nothing when it samples.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::landmarks::Landmarks;
use super::model::Copula;
use super::parting::Parting;
use super::side::Side;
use crate::matcher::best::thresholds::sparse::LED_BY;
use crate::monitor::Monitor;

/// One proposal in so many goes to any node.
const ANYWHERE: u64 = 32;

/// One in so many leaves the partner for none.
const ALONE: u64 = 16;

/// Proposals between two looks at the clock.
const BETWEEN_LOOKS: usize = 4096;

/// Partners of a node whose times are kept; what comes after them is left out.
const PARTNERS: usize = 64;

/// What edges that are kept say.
#[derive(Debug, Clone)]
pub(super) struct Ties {
    /// J, of a kept edge between nodes of ordinary degree.
    pub(super) kept: f32,
    /// F, of any.
    pub(super) any: f32,
    /// What a kept edge says less for the degree of a node at one of its four ends.
    pub(super) degrees: [Vec<f32>; 2],
    pub(super) weights: Copula,
    /// What an edge of either side costs both of whose ends have partners.
    pub(super) shown: [f32; 2],
    /// What each pair of nodes says that are left alone, beside the numbers of matchings.
    pub(super) parted: f32,
}

impl Ties {
    /// The same where all that edges say counts so many times.
    pub(super) fn to_the_power(&self, power: f32) -> Self {
        let times = |less: &Vec<f32>| less.iter().map(|x| power * x).collect();
        Self {
            kept: power * self.kept,
            any: power * self.any,
            degrees: [times(&self.degrees[0]), times(&self.degrees[1])],
            weights: self.weights,
            shown: self.shown.map(|nats| power * nats),
            parted: self.parted,
        }
    }
}

/// The time that a node spent with each partner.
pub(super) type Times = Vec<(u32, u32)>;

/// What an exchange of two nodes changes.
struct Change {
    nats: f32,
    /// Nats that no heat lessens.
    prior: f32,
    /// Pairs of nodes that have partners then, more than before.
    paired: i32,
    /// ln of how much likelier the way back is proposed than the way there.
    back: f32,
    /// The kept edges of both nodes then.
    common: [u32; 2],
}

/// Sums over the neighbours of one node that both partners would keep.
#[derive(Clone, Copy, Default)]
struct Kept {
    count: u32,
    nats: f32,
    /// Σ 1/degree of the partners that a proposal would come by.
    ways: f32,
}

/// A chain under way.
pub(super) struct Chain<'a> {
    sides: &'a [Side<'a>; 2],
    ties: &'a Ties,
    /// Source nodes that may move, and propose it.
    asked: &'a [u32],
    is_free: Vec<bool>,
    partners: Vec<u32>,
    owners: Vec<u32>,
    /// Kept edges of each source node.
    common: Vec<u32>,
    /// Pairs of real nodes, and what fewer of them are likely to be.
    pairs: usize,
    parting: Parting,
    random: ChaCha8Rng,
    /// What all nats are divided by.
    heat: f32,
    /// What leads it, and the nats that a step between partners costs.
    leads: Option<(&'a Landmarks, f32)>,
    /// Proposals until the next look at the clock.
    left: usize,
    /// The neighbours of two target nodes, by the number of the proposal, and the places of the edges.
    marks: [Vec<(u32, u32)>; 2],
    number: u32,
    /// Changes of the common edges of neighbours, by the number of the proposal.
    shifts: Vec<(u32, i32)>,
    shifted: Vec<u32>,
}

impl<'a> Chain<'a> {
    /// A chain from `partners`, a permutation of the larger side's size or more.
    pub(super) fn new(
        sides: &'a [Side<'a>; 2],
        ties: &'a Ties,
        free: &'a [u32],
        partners: Vec<u32>,
        (seed, stream): (u64, u64),
    ) -> Self {
        let size = partners.len();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        let mut owners = vec![0; size];
        for (i, &a) in partners.iter().enumerate() {
            owners[a as usize] = i as u32;
        }
        let asked = &free[..free.partition_point(|&i| (i as usize) < sides[0].nodes())];
        let mut is_free = vec![false; size];
        let free = free.iter().map(|&i| i as usize);
        free.filter(|&i| i < size).for_each(|i| is_free[i] = true);
        let nodes = [sides[0].nodes(), sides[1].nodes()];
        let real = partners[..nodes[0]].iter();
        let pairs = real.filter(|a| (**a as usize) < nodes[1]).count();
        let anchors = is_free[..nodes[0]].iter().filter(|free| !**free).count();
        let parting = Parting::new(nodes, anchors, size);
        let mut chain = Self {
            sides,
            ties,
            asked,
            is_free,
            partners,
            owners,
            common: Vec::new(),
            pairs,
            parting,
            random,
            heat: 1.0,
            leads: None,
            left: 0,
            marks: [vec![(0, 0); size], vec![(0, 0); size]],
            number: 0,
            shifts: vec![(0, 0); size],
            shifted: Vec::new(),
        };
        chain.common = (0..size).map(|i| chain.count_common(i)).collect();
        chain
    }

    #[cfg(test)]
    pub(super) fn partners(&self) -> &[u32] {
        &self.partners
    }

    pub(super) fn into_partners(self) -> Vec<u32> {
        self.partners
    }

    /// The nats of the matching, beside one that keeps nothing.
    pub(super) fn evidence(&self) -> f64 {
        let mut sum = 0.0;
        for i in 0..self.sides[0].nodes() {
            let a = self.partners[i] as usize;
            if a >= self.sides[1].nodes() {
                continue;
            }
            let own = self.sides[0].edges.range(i);
            for edge in own {
                let j = self.sides[0].edges.column(edge) as usize;
                let b = self.partners[j] as usize;
                if let Some(place) = self.sides[1].edges.place(a, b) {
                    sum += 0.5 * f64::from(self.tie(edge, (i, j), place, (a, b)));
                }
            }
            sum += f64::from(u8::from(self.common[i] > 0)) * f64::from(self.ties.any);
        }
        for side in [0, 1] {
            let matched = (0..self.sides[side].nodes()).filter(|&i| self.has_partner(side, i));
            let ends = matched.map(|i| self.paired_neighbours(side, i, usize::MAX));
            sum -= 0.5 * f64::from(self.ties.shown[side]) * ends.sum::<u32>() as f64;
        }
        sum + self.parting.of_all(self.pairs, self.ties.parted)
    }

    #[cfg(test)]
    pub(super) fn pairs(&self) -> usize {
        self.pairs
    }

    #[inline]
    fn has_partner(&self, side: usize, node: usize) -> bool {
        let other = [&self.partners, &self.owners][side][node] as usize;
        other < self.sides[1 - side].nodes()
    }

    /// The neighbours that have partners, one of them left out.
    fn paired_neighbours(&self, side: usize, node: usize, but: usize) -> u32 {
        let own = self.neighbours(side, node).iter();
        own.filter(|&&j| j as usize != but && self.has_partner(side, j as usize))
            .count() as u32
    }

    /// The edges that the matching keeps.
    pub(super) fn kept_edges(&self) -> u64 {
        self.common.iter().map(|&n| u64::from(n)).sum::<u64>() / 2
    }

    /// Their mean over so many sweeps, the first third left out; `None` when the monitor stops it.
    pub(super) fn mean_kept_edges(&mut self, sweeps: usize, monitor: &Monitor) -> Option<f64> {
        let mut sum = 0;
        for sweep in 0..sweeps {
            self.sweep(monitor, |_, _| {})?;
            if sweep >= sweeps / 3 {
                sum += self.kept_edges();
            }
        }
        Some(sum as f64 / (sweeps - sweeps / 3) as f64)
    }

    /// Makes so many proposals for each node that may move, while all nats count 1/`heat` at first and 1 at last, and landmarks
    /// lead as far as it is heated; `None` when the monitor stops it.
    pub(super) fn cool(
        &mut self,
        heat: f32,
        landmarks: Option<&'a Landmarks>,
        sweeps: usize,
        monitor: &Monitor,
    ) -> Option<()> {
        for sweep in 0..sweeps {
            let left = 1.0 - sweep as f32 / sweeps as f32;
            self.heat = heat.powf(left);
            self.leads = landmarks.map(|landmarks| (landmarks, LED_BY * left * self.heat));
            self.sweep(monitor, |_, _| {})?;
        }
        self.heat = 1.0;
        self.leads = None;
        Some(())
    }

    /// The time, in sweeps, that each source node spends with each partner, and how many sweeps that were: fewer than asked for
    /// when the monitor stops it.
    pub(super) fn sample(&mut self, sweeps: usize, monitor: &Monitor) -> (Vec<Times>, usize) {
        let sources = self.sides[0].nodes();
        let mut times: Vec<Times> = vec![Vec::new(); sources];
        let mut since = vec![0u32; sources];
        let nobody = self.sides[1].nodes() as u32;
        let mut leave = |i: u32, a: u32, now: u32| {
            if let Some(since) = since.get_mut(i as usize) {
                let spent = now - *since;
                *since = now;
                // Whichever filled-up node it is.
                add(&mut times[i as usize], a.min(nobody), spent);
            }
        };
        let mut made = sweeps;
        for sweep in 0..sweeps {
            let moved = |i: u32, a: u32| leave(i, a, sweep as u32);
            if self.sweep(monitor, moved).is_none() {
                made = sweep;
                break;
            }
        }
        for (i, &a) in self.partners.iter().enumerate() {
            leave(i as u32, a, made as u32);
        }
        (times, made)
    }

    /// Makes one proposal for each node that may move, and tells what nodes leave whom; `None` when the monitor stops it.
    fn sweep(&mut self, monitor: &Monitor, mut leave: impl FnMut(u32, u32)) -> Option<()> {
        for _ in 0..self.asked.len() {
            if self.left == 0 {
                if monitor.interrupted().is_some() {
                    return None;
                }
                self.left = BETWEEN_LOOKS;
            }
            self.left -= 1;
            let Some((i, l)) = self.propose() else {
                continue;
            };
            let change = self.change(i, l);
            let log_ratio = change.nats / self.heat + change.prior + change.back;
            if log_ratio < 0.0 && unit(self.random.next_u64()) >= log_ratio.exp() {
                continue;
            }
            leave(i, self.partners[i as usize]);
            leave(l, self.partners[l as usize]);
            self.pairs = self.pairs.wrapping_add_signed(change.paired as isize);
            self.exchange(i as usize, l as usize, change.common);
        }
        Some(())
    }

    /// A node and the owner of what it would take.
    fn propose(&mut self) -> Option<(u32, u32)> {
        let (first, second) = (self.random.next_u64(), self.random.next_u64());
        let i = self.asked[below(first >> 32, self.asked.len())];
        let own = self.neighbours(0, i as usize);
        let (real, all) = (self.sides[1].nodes(), self.partners.len());
        let taken = if own.is_empty() || first % ANYWHERE == 0 {
            below(second >> 32, all)
        } else if first % ALONE == 1 && real < all {
            real + below(second >> 32, all - real)
        } else {
            let j = own[below(second >> 32, own.len())];
            let theirs = self.neighbours(1, self.partners[j as usize] as usize);
            if theirs.is_empty() {
                return None;
            }
            theirs[below(second & 0xFFFF_FFFF, theirs.len())] as usize
        };
        if taken >= real && self.partners[i as usize] as usize >= real {
            return None;
        }
        let l = self.owners[taken];
        (l != i && self.is_free[l as usize]).then_some((i, l))
    }

    fn neighbours(&self, side: usize, node: usize) -> &'a [u32] {
        let side = &self.sides[side];
        if node < side.nodes() {
            side.edges.columns(node)
        } else {
            &[]
        }
    }

    fn count_common(&self, i: usize) -> u32 {
        let a = self.partners[i] as usize;
        let (own, theirs) = (self.neighbours(0, i), self.neighbours(1, a));
        let kept = |j: &&u32| theirs.binary_search(&self.partners[**j as usize]).is_ok();
        own.iter().filter(kept).count() as u32
    }

    /// What the exchange of the partners of `i` and `l` changes.
    fn change(&mut self, i: u32, l: u32) -> Change {
        self.number += 1;
        let nodes = [i as usize, l as usize];
        let taken = nodes.map(|node| self.partners[node] as usize);
        for (which, &a) in taken.iter().enumerate() {
            if a < self.sides[1].nodes() {
                for place in self.sides[1].edges.range(a) {
                    let b = self.sides[1].edges.column(place) as usize;
                    self.marks[which][b] = (self.number, place as u32);
                }
            }
        }
        self.shifted.clear();
        // Of either node at its own partner and at the other's.
        let mut sums = [[Kept::default(); 2]; 2];
        let mut joined = None;
        for (who, &node) in nodes.iter().enumerate() {
            if node >= self.sides[0].nodes() {
                continue;
            }
            for edge in self.sides[0].edges.range(node) {
                let j = self.sides[0].edges.column(edge) as usize;
                if j == nodes[1 - who] {
                    joined = Some(edge);
                }
                let b = self.partners[j] as usize;
                let mut shift = 0;
                for (which, &a) in taken.iter().enumerate() {
                    let (number, place) = self.marks[which][b];
                    if number != self.number {
                        continue;
                    }
                    let elsewhere = which != who;
                    let sum = &mut sums[who][usize::from(elsewhere)];
                    let tie = self.tie(edge, (node, j), place as usize, (a, b));
                    sum.count += 1;
                    sum.nats += tie;
                    sum.ways += 1.0 / self.sides[1].degree(b) as f32;
                    shift += if elsewhere { 1 } else { -1 };
                }
                if shift != 0 && j != nodes[1 - who] {
                    self.shift(j, shift);
                }
            }
        }
        let mut both = 0;
        let [mut one, mut other] = sums;
        let mut nats = one[1].nats + other[1].nats - one[0].nats - other[0].nats;
        let (number, place) = self.marks[0][taken[1]];
        if let Some(edge) = joined
            && number == self.number
        {
            // An edge between the two that both partners share stays.
            both = 1;
            let ends = (nodes[1], nodes[0]);
            nats += 2.0 * self.tie(edge, ends, place as usize, (taken[0], taken[1]));
            one[0].ways -= 1.0 / self.sides[1].degree(taken[1]) as f32;
            other[0].ways -= 1.0 / self.sides[1].degree(taken[0]) as f32;
        }
        let common = [one[1].count + both, other[1].count + both];
        let mut held = 0i32;
        for (node, now) in nodes.into_iter().zip(common) {
            held += i32::from(now > 0) - i32::from(self.common[node] > 0);
        }
        for &j in &self.shifted {
            let before = self.common[j as usize];
            let now = before as i32 + self.shifts[j as usize].1;
            held += i32::from(now > 0) - i32::from(before > 0);
        }
        nats += self.ties.any * held as f32;
        if let Some((landmarks, strength)) = self.leads {
            let apart = |who: usize, whose: usize| landmarks.apart(nodes[who], taken[whose]);
            nats += strength * (apart(0, 0) + apart(1, 1) - apart(0, 1) - apart(1, 0));
        }
        let (shown, paired) = self.shown(nodes, taken);
        nats -= shown;
        let prior = match paired {
            1 => -self.parting.of_one(self.pairs + 1, self.ties.parted),
            -1 => self.parting.of_one(self.pairs, self.ties.parted),
            _ => 0.0,
        };
        let ways = |elsewhere: usize| {
            let [to_one, to_other] = [taken[elsewhere], taken[1 - elsewhere]];
            self.ways(nodes[0], to_one, one[elsewhere].ways)
                + self.ways(nodes[1], to_other, other[elsewhere].ways)
        };
        Change {
            nats,
            prior,
            paired,
            back: (ways(0) / ways(1)).ln(),
            common,
        }
    }

    /// What edges say that the exchange brings between nodes with partners, and the pairs more that there are then.
    fn shown(&self, nodes: [usize; 2], taken: [usize; 2]) -> (f32, i32) {
        let (mut nats, mut pairs) = (0.0, [0, 0]);
        for (side, own, theirs) in [(0, nodes, taken), (1, taken, nodes)] {
            let real = theirs.map(|other| other < self.sides[1 - side].nodes());
            if real[0] == real[1] {
                continue;
            }
            for who in [0, 1] {
                if own[who] < self.sides[side].nodes() {
                    let now = if real[who] { -1 } else { 1 };
                    let ends = self.paired_neighbours(side, own[who], own[1 - who]) as i32;
                    nats += self.ties.shown[side] * (now * ends) as f32;
                    pairs[side] += now;
                }
            }
        }
        debug_assert_eq!(pairs[0], pairs[1]);
        (nats, pairs[0])
    }

    /// The probability that a proposal of a node is this partner, by the ways that lead there along edges.
    fn ways(&self, node: usize, partner: usize, ways: f32) -> f32 {
        if node >= self.sides[0].nodes() {
            return 0.0;
        }
        let degree = self.neighbours(0, node).len();
        let (real, all) = (self.sides[1].nodes(), self.partners.len());
        let far = 1.0 / all as f32;
        if degree == 0 {
            return far;
        }
        let anywhere = 1.0 / ANYWHERE as f32;
        let alone = if real < all { 1.0 / ALONE as f32 } else { 0.0 };
        let spare = if partner >= real {
            alone / (all - real) as f32
        } else {
            0.0
        };
        (1.0 - anywhere - alone) * ways.max(0.0) / degree as f32 + anywhere * far + spare
    }

    /// What a kept edge says: `edge` leads between the source nodes, `place` between their partners.
    #[inline]
    fn tie(
        &self,
        edge: usize,
        (i, j): (usize, usize),
        place: usize,
        (a, b): (usize, usize),
    ) -> f32 {
        let Ties {
            kept,
            degrees: [own, theirs],
            weights,
            ..
        } = self.ties;
        let nats = kept - own[i] - own[j] - theirs[a] - theirs[b];
        match (&self.sides[0].weights, &self.sides[1].weights) {
            (Some(x), Some(y)) if weights.correlation > 0.0 => {
                nats + weights.nats(x[edge], y[place])
            }
            _ => nats,
        }
    }

    fn shift(&mut self, j: usize, by: i32) {
        let (number, sum) = &mut self.shifts[j];
        if *number != self.number {
            (*number, *sum) = (self.number, 0);
            self.shifted.push(j as u32);
        }
        *sum += by;
    }

    /// Exchanges the partners of `i` and `l`, whose change was just looked at.
    fn exchange(&mut self, i: usize, l: usize, common: [u32; 2]) {
        for place in 0..self.shifted.len() {
            let j = self.shifted[place] as usize;
            self.common[j] = self.common[j].saturating_add_signed(self.shifts[j].1);
        }
        (self.common[i], self.common[l]) = (common[0], common[1]);
        self.partners.swap(i, l);
        self.owners[self.partners[i] as usize] = i as u32;
        self.owners[self.partners[l] as usize] = l as u32;
    }
}

/// Adds to the time with a partner.
pub(super) fn add(times: &mut Times, a: u32, spent: u32) {
    if spent == 0 {
        return;
    }
    if let Some(entry) = times.iter_mut().find(|entry| entry.0 == a) {
        entry.1 += spent;
    } else if times.len() < PARTNERS {
        times.push((a, spent));
    }
}

/// A number below `count` from 32 random bits.
#[inline]
fn below(bits: u64, count: usize) -> usize {
    (((bits & 0xFFFF_FFFF) * count as u64) >> 32) as usize
}

/// A number from 0 to 1 from random bits.
fn unit(bits: u64) -> f32 {
    (bits >> 40) as f32 / (1u32 << 24) as f32
}

#[cfg(test)]
mod tests;
