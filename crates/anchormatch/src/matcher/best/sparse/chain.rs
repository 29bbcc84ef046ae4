//! A chain of exchanges over full matchings of two graphs, each as often as it is likely.
//!
//! The smaller side is filled up with nodes that have no edges, so that a matching is a permutation. Beside two matchings
//! that keep as many edges, one that keeps one more is e^J times as likely ([`Ties`]), and a pair that keeps any edge at all
//! is in the right region, which says F more: where nothing holds, a node could be anywhere.
//!
//! A proposal goes from a node to the partner of one of its neighbours, and on to one of that partner's neighbours, whose
//! owner takes what the node had; one in [`ANYWHERE`] goes to any node. What that favours Hastings' ratio takes back, so that
//! the times spent at each partner are those of the posterior.
//!
//! While a chain is heated, [`Landmarks`] may lead it: what they say counts whatever the heat, the less the cooler the chain is,
//! and nothing when it samples.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::landmarks::Landmarks;
use super::model::Copula;
use super::side::Side;
use crate::matcher::best::thresholds::sparse::LED_BY;
use crate::monitor::Monitor;

/// One proposal in so many goes to any node.
const ANYWHERE: u64 = 32;

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
        }
    }
}

/// The time that a node spent with each partner.
pub(super) type Times = Vec<(u32, u32)>;

/// What an exchange of two nodes changes.
struct Change {
    nats: f32,
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
    /// Source nodes that may move, those without edges of the filled-up side among them.
    free: &'a [u32],
    is_free: Vec<bool>,
    partners: Vec<u32>,
    owners: Vec<u32>,
    /// Kept edges of each source node.
    common: Vec<u32>,
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
    /// A chain from `partners`, a permutation of the larger side's size.
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
        let mut is_free = vec![false; size];
        free.iter().for_each(|&i| is_free[i as usize] = true);
        let mut chain = Self {
            sides,
            ties,
            free,
            is_free,
            partners,
            owners,
            common: Vec::new(),
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
        sum
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
        let mut leave = |i: u32, a: u32, now: u32| {
            if let Some(since) = since.get_mut(i as usize) {
                let spent = now - *since;
                *since = now;
                add(&mut times[i as usize], a, spent);
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
        for _ in 0..self.free.len() {
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
            let log_ratio = change.nats / self.heat + change.back;
            if log_ratio < 0.0 && unit(self.random.next_u64()) >= log_ratio.exp() {
                continue;
            }
            leave(i, self.partners[i as usize]);
            leave(l, self.partners[l as usize]);
            self.exchange(i as usize, l as usize, change.common);
        }
        Some(())
    }

    /// A node and the owner of what it would take.
    fn propose(&mut self) -> Option<(u32, u32)> {
        let (first, second) = (self.random.next_u64(), self.random.next_u64());
        let i = self.free[below(first >> 32, self.free.len())];
        let own = self.neighbours(0, i as usize);
        let taken = if own.is_empty() || first % ANYWHERE == 0 {
            below(second >> 32, self.partners.len())
        } else {
            let j = own[below(second >> 32, own.len())];
            let theirs = self.neighbours(1, self.partners[j as usize] as usize);
            if theirs.is_empty() {
                return None;
            }
            theirs[below(second & 0xFFFF_FFFF, theirs.len())] as usize
        };
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
        let ways = |elsewhere: usize| {
            self.ways(nodes[0], one[elsewhere].ways) + self.ways(nodes[1], other[elsewhere].ways)
        };
        Change {
            nats,
            back: (ways(0) / ways(1)).ln(),
            common,
        }
    }

    /// The probability that a proposal of a node is a partner, by the ways that lead there.
    fn ways(&self, node: usize, ways: f32) -> f32 {
        let degree = self.neighbours(0, node).len();
        let far = 1.0 / self.partners.len() as f32;
        if degree == 0 {
            return far;
        }
        let anywhere = 1.0 / ANYWHERE as f32;
        (1.0 - anywhere) * ways.max(0.0) / degree as f32 + anywhere * far
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
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::graph::Graph;
    use crate::matcher::best::sparse::model::Model;
    use crate::matcher::best::sparse::side::NONE;

    const SOURCE: [(usize, usize); 6] = [(0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (3, 4)];
    const TARGET: [(usize, usize); 5] = [(0, 1), (1, 2), (0, 2), (2, 3), (1, 4)];

    fn graph(nodes: usize, edges: &[(usize, usize)]) -> Graph {
        let edges: Vec<_> = edges.iter().map(|&(i, j)| (i, j, 1.0)).collect();
        Graph::from_edges(nodes, &edges).unwrap()
    }

    fn ties(sides: &[Side<'_>; 2], kept: f32, any: f32) -> Ties {
        let nobody = [0, 1].map(|k| vec![NONE; sides[k].nodes()]);
        let size = sides[0].nodes().max(sides[1].nodes());
        Ties {
            kept,
            any,
            degrees: [0, 1].map(|_| (0..size).map(|i| 0.05 * i as f32).collect()),
            weights: Model::fit(sides, &nobody).weights,
        }
    }

    /// The nats of a permutation, summed over all pairs of nodes.
    fn nats(sides: &[Side<'_>; 2], ties: &Ties, partners: &[usize]) -> f64 {
        let mut sum = 0.0;
        for (i, &a) in partners.iter().enumerate().take(sides[0].nodes()) {
            let mut any = false;
            for &j in sides[0].edges.columns(i) {
                let (j, b) = (j as usize, partners[j as usize]);
                let has = a < sides[1].nodes() && b < sides[1].nodes();
                if has && sides[1].edges.place(a, b).is_some() {
                    any = true;
                    let degrees = [(0, i), (0, j), (1, a), (1, b)];
                    let less: f32 = degrees.iter().map(|&(k, v)| ties.degrees[k][v]).sum();
                    sum += 0.5 * f64::from(ties.kept - less);
                }
            }
            sum += if any { f64::from(ties.any) } else { 0.0 };
        }
        sum
    }

    fn permutations(size: usize) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new()];
        for _ in 0..size {
            let grown = all.iter().flat_map(|p: &Vec<usize>| {
                let left = (0..size).filter(|a| !p.contains(a));
                left.map(|a| [p.clone(), vec![a]].concat())
            });
            all = grown.collect();
        }
        all
    }

    #[test]
    fn times_are_those_of_the_posterior() {
        // The target has one node more, and node 0 is an anchor.
        let (source, target) = (graph(5, &SOURCE), graph(6, &TARGET));
        let sides = [&source, &target].map(|graph| Side::new(graph, false));
        let ties = ties(&sides, 0.9, 0.6);
        let mut wanted: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        let mut total = 0.0;
        for p in permutations(6).into_iter().filter(|p| p[0] == 1) {
            let weight = nats(&sides, &ties, &p).exp();
            total += weight;
            for (i, &a) in p.iter().enumerate().take(5) {
                *wanted.entry((i, a)).or_default() += weight;
            }
        }
        let free = [1, 2, 3, 4, 5];
        let mut chain = Chain::new(&sides, &ties, &free, vec![1, 0, 2, 3, 4, 5], (3, 0));
        let sweeps = 60_000;
        let (times, made) = chain.sample(sweeps, &Monitor::silent());
        assert_eq!(made, sweeps);
        assert_eq!(times[0], [(1, sweeps as u32)]);
        for (i, times) in times.iter().enumerate().skip(1) {
            for a in [0, 2, 3, 4, 5] {
                let spent = times.iter().find(|entry| entry.0 == a as u32);
                let share = spent.map_or(0.0, |entry| f64::from(entry.1)) / sweeps as f64;
                let right = wanted[&(i, a)] / total;
                assert!((share - right).abs() < 0.02, "{i} {a}: {share} {right}");
            }
        }
    }

    #[test]
    fn edges_are_kept_in_the_mean_as_the_posterior_has_them() {
        let (source, target) = (graph(5, &SOURCE), graph(5, &TARGET));
        let sides = [&source, &target].map(|graph| Side::new(graph, false));
        let ties = ties(&sides, 1.2, 0.3);
        let free = [0, 1, 2, 3, 4];
        let kept = |p: &[usize]| {
            let on_both = SOURCE.iter().map(|&(i, j)| (p[i], p[j]));
            on_both.filter(|&(a, b)| target.weight(a, b) != 0.0).count() as f64
        };
        for power in [1.0, 0.6] {
            let tempered = ties.to_the_power(power);
            let (mut sum, mut total) = (0.0, 0.0);
            for p in permutations(5) {
                let weight = (f64::from(power) * nats(&sides, &ties, &p)).exp();
                total += weight;
                sum += weight * kept(&p);
            }
            let right = vec![0, 1, 2, 3, 4];
            let mut chain = Chain::new(&sides, &tempered, &free, right, (5, 0));
            let mean = chain.mean_kept_edges(200_000, &Monitor::silent()).unwrap();
            assert!((mean - sum / total).abs() < 0.02, "{mean} {}", sum / total);
        }
    }

    #[test]
    fn common_edges_are_kept_up_to_date() {
        let (source, target) = (graph(5, &SOURCE), graph(5, &TARGET));
        let sides = [&source, &target].map(|graph| Side::new(graph, false));
        let ties = ties(&sides, 0.5, 0.5);
        let free = [0, 1, 2, 3, 4];
        let mut chain = Chain::new(&sides, &ties, &free, vec![4, 3, 2, 1, 0], (1, 0));
        for _ in 0..50 {
            chain.cool(1.5, None, 3, &Monitor::silent()).unwrap();
            let counted: Vec<u32> = (0..5).map(|i| chain.count_common(i)).collect();
            assert_eq!(chain.common, counted);
            let partners: Vec<usize> = chain.partners.iter().map(|&a| a as usize).collect();
            let wanted = nats(&sides, &ties, &partners);
            assert!((chain.evidence() - wanted).abs() < 1e-4, "{wanted}");
        }
        assert_ne!(chain.partners(), [4, 3, 2, 1, 0]);
    }

    #[test]
    fn a_stop_ends_the_walk() {
        let source = graph(5, &SOURCE);
        let sides = [&source, &source].map(|graph| Side::new(graph, false));
        let ties = ties(&sides, 1.0, 0.0);
        let free = [0, 1, 2, 3, 4];
        let monitor = Monitor::silent();
        monitor.cancel_token().cancel();
        let mut chain = Chain::new(&sides, &ties, &free, vec![0, 1, 2, 3, 4], (1, 0));
        assert!(chain.cool(1.0, None, 1, &monitor).is_none());
        let (times, made) = chain.sample(5, &monitor);
        assert_eq!((made, times.len()), (0, 5));
    }

    #[test]
    fn a_stop_leaves_the_times_until_then() {
        // A grid, whose sweeps take longer than the limit.
        let side = 60;
        let right = (0..side * side).filter(|i| i % side + 1 < side);
        let edges = right.map(|i| (i, i + 1));
        let down = (0..side * (side - 1)).map(|i| (i, i + side));
        let edges: Vec<_> = edges.chain(down).collect();
        let grid = graph(side * side, &edges);
        let sides = [&grid, &grid].map(|graph| Side::new(graph, false));
        let ties = ties(&sides, 1.0, 0.0);
        let free: Vec<u32> = (0..grid.node_count() as u32).collect();
        let mut chain = Chain::new(&sides, &ties, &free, free.clone(), (1, 0));
        let monitor = Monitor::silent().time_limit(std::time::Duration::from_millis(200));
        let (times, made) = chain.sample(usize::MAX >> 32, &monitor);
        assert!(made < usize::MAX >> 32);
        // Nobody had more partners than are kept, so that all of the time is there.
        let spent = |times: &Times| times.iter().map(|(_, spent)| spent).sum::<u32>();
        let all = times.iter().filter(|times| times.len() < PARTNERS);
        assert!(all.clone().count() > 0);
        for times in all {
            assert_eq!(spent(times) as usize, made);
        }
    }
}
