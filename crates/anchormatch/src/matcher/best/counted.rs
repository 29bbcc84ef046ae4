//! Stage *marginals*, where several views show counts: layers, and edges between the sides.
//!
//! The search orders matchings by Gaussian evidence, one correlation for each view. Of one view that orders well; of
//! several it weighs them wrongly against each other, for it claims too much for counts, and the most for the rarest. The
//! [tables](CountTable) of the matched counts have no curve and hence no such claim. A chain draws matchings by them, and the
//! answer is the one with the most right pairs to be expected: what no view decides is then decided by none.
//!
//! What a node's counts tell is not independent: a cell with twice the synapses on one side has them everywhere. With Sᵢ
//! what the pairs of node i tell beyond what is usual for its counts, and Vᵢ its variance were they independent,
//!
//! > φ = Σ Sᵢ²/Σ Vᵢ
//!
//! is their overdispersion (Wedderburn 1974), and the evidence counts 1/φ. Pairs that are wrong hardly change it.
//!
//! The chain exchanges partners. For node i it proposes b with probability Q_ib ∝ exp(½ of what speaks for the pair),
//! balanced, beside one in five at random; the exchange with j, which has b, is accepted by the ratio of the
//! posteriors times (Q_ia + Q_jb)/(Q_ib + Q_ja), as Hastings has it.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::evidence::Evidence;
use super::found::Found;
use super::observations::{MORE_MEMORY, View};
use super::thresholds::{LARGEST_TABLED, TABLED_PROPOSALS};
use crate::affinity::likelihood::{CountTable, Observations, Scale, Seen, step};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::matching::Samples;
use crate::monitor::Monitor;
use crate::problem::Coverage;

/// No partner.
const NONE: u32 = u32::MAX;

/// Proposals between two looks at the monitor.
const UNASKED: usize = 1 << 12;

/// The part of all proposals before anything is counted.
const BURN_IN: f64 = 0.2;

/// States that are kept.
const KEPT_STATES: usize = 200;

/// The share of proposals that are random.
const BLIND: f64 = 0.2;

/// Rounds of the balancing, which is for proposals alone.
const BALANCED: usize = 20;

/// What the chain saw.
pub(super) struct Tabled {
    pub(super) values: Matrix,
    pub(super) samples: Samples,
}

/// Whether there are several views, all of counts, and all nodes of the smaller side have a partner.
pub(super) fn suits(evidence: &Evidence<'_>, found: &Found) -> bool {
    let observed = &evidence.observed;
    let (n, m) = evidence.shape();
    observed.scale == Scale::Counts
        && !observed.further.is_empty()
        && observed.further.iter().all(View::are_counts)
        && found.coverage == Coverage::Full
        && found.assignment.matched() == n.min(m)
        && (2..=LARGEST_TABLED).contains(&n.max(m))
}

/// Matchings drawn by the tables of all views, from the one found; `None` when the monitor ends it before any is.
pub(super) fn sample(
    evidence: &Evidence<'_>,
    found: &Found,
    seed: u64,
    monitor: &Monitor,
) -> Result<Option<Tabled>> {
    let (n, m) = evidence.shape();
    let views = 1 + evidence.observed.further.len() as u64;
    let [s, t] = evidence.graphs.map(|graph| graph.node_count() as u64);
    // Places of counts by bytes, lists of those that are not zero, and five tables of pairs.
    let needed = 6 * views * (s * s + t * t + 2 * s * t) + 40 * s * t;
    monitor.reserve("the tables of all counts", needed, MORE_MEMORY)?;
    let matched = evidence.matched(&found.assignment);
    let tables = Tables::fit(evidence, &matched);
    let mut state = State::new([s as usize, t as usize], &matched);
    let known = evidence
        .has_priors()
        .then(|| Matrix::from_fn(n, m, |i, a| evidence.known_at(&found.model, i, a)));
    let Some(proposals) = Proposals::weigh(evidence, &tables, &state, known.as_ref(), monitor)
    else {
        return Ok(None);
    };
    let chain = Chain {
        evidence,
        tables: &tables,
        known: known.as_ref(),
        proposals: &proposals,
        monitor,
    };
    Ok(chain.run(&mut state, seed))
}

/// Who is whose partner.
struct State {
    partner: Vec<u32>,
    owner: Vec<u32>,
}

impl State {
    fn new([sources, targets]: [usize; 2], matched: &[(usize, usize)]) -> Self {
        let mut state = Self {
            partner: vec![NONE; sources],
            owner: vec![NONE; targets],
        };
        for &(i, a) in matched {
            state.partner[i] = a as u32;
            state.owner[a] = i as u32;
        }
        state
    }
}

/// The places of counts between two sets of nodes, and those of each row and column that are not zero.
struct Counts {
    places: Vec<u8>,
    columns: usize,
    of_row: Vec<Vec<u32>>,
    of_column: Vec<Vec<u32>>,
}

impl Counts {
    fn of(observed: &Observations, rows: usize, columns: usize) -> Self {
        let mut counts = Self {
            places: vec![0; rows * columns],
            columns,
            of_row: vec![Vec::new(); rows],
            of_column: vec![Vec::new(); columns],
        };
        for i in 0..rows {
            for j in 0..columns {
                let place = observed.get(i, j).map_or(0, step);
                if place > 0 {
                    counts.places[i * columns + j] = place;
                    counts.of_row[i].push(j as u32);
                    counts.of_column[j].push(i as u32);
                }
            }
        }
        counts
    }

    #[inline]
    fn at(&self, i: usize, j: usize) -> u8 {
        self.places[i * self.columns + j]
    }
}

/// What a view shows, and its table.
struct ViewTable {
    source: Counts,
    target: Counts,
    table: CountTable,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Edges within the sides.
    Within { directed: bool },
    /// From source to target nodes, and back.
    Crossing,
}

impl ViewTable {
    fn fit(observed: [&Observations; 2], kind: Kind, matched: &[(usize, usize)]) -> Self {
        let [source, target] = observed.map(Observations::node_count);
        let [left, right] = match kind {
            Kind::Within { .. } => [source, target],
            Kind::Crossing => [target, source],
        };
        let mut view = Self {
            source: Counts::of(observed[0], source, left),
            target: Counts::of(observed[1], target, right),
            table: CountTable::fit(&Seen::new()),
            kind,
        };
        let mut seen = Seen::new();
        view.each(matched, |_, _, x, y| seen.add(x, y));
        view.table = CountTable::fit(&seen);
        view
    }

    /// The two counts that each two matched pairs show.
    fn each(&self, matched: &[(usize, usize)], mut visit: impl FnMut(usize, usize, u8, u8)) {
        for (k, &(i, a)) in matched.iter().enumerate() {
            for (l, &(j, b)) in matched.iter().enumerate() {
                match self.kind {
                    Kind::Within { .. } if k != l => {
                        visit(k, l, self.source.at(i, j), self.target.at(a, b));
                    }
                    Kind::Within { .. } => {}
                    Kind::Crossing => visit(k, l, self.source.at(i, b), self.target.at(a, j)),
                }
            }
        }
    }

    /// What a pair tells with all others and by itself.
    #[inline]
    fn of_pair(&self, i: usize, a: usize, partner: &[u32]) -> f64 {
        let (x, y, table) = (&self.source, &self.target, &self.table);
        let mut sum = 0.0;
        match self.kind {
            Kind::Within { directed } => {
                for &j in &x.of_row[i] {
                    let b = partner[j as usize];
                    if b != NONE {
                        sum += table.told(x.at(i, j as usize), y.at(a, b as usize));
                    }
                }
                if directed {
                    for &j in &x.of_column[i] {
                        let b = partner[j as usize];
                        if b != NONE {
                            sum += table.told(x.at(j as usize, i), y.at(b as usize, a));
                        }
                    }
                }
            }
            Kind::Crossing => {
                for &j in &y.of_row[a] {
                    let b = partner[j as usize];
                    if b != NONE {
                        sum += table.told(x.at(i, b as usize), y.at(a, j as usize));
                    }
                }
                for &j in x.of_column[a].iter().filter(|&&j| j as usize != i) {
                    let b = partner[j as usize];
                    if b != NONE {
                        sum += table.told(x.at(j as usize, a), y.at(b as usize, i));
                    }
                }
            }
        }
        sum
    }

    /// What two pairs tell of each other.
    #[inline]
    fn between(&self, (i, a): (usize, usize), (j, b): (usize, usize)) -> f64 {
        let (x, y, table) = (&self.source, &self.target, &self.table);
        match self.kind {
            Kind::Within { directed } => {
                let there = table.told(x.at(i, j), y.at(a, b));
                if directed {
                    there + table.told(x.at(j, i), y.at(b, a))
                } else {
                    there
                }
            }
            Kind::Crossing => {
                table.told(x.at(i, b), y.at(a, j)) + table.told(x.at(j, a), y.at(b, i))
            }
        }
    }
}

/// All views, and the share of their evidence that counts.
struct Tables {
    views: Vec<ViewTable>,
    share: f64,
}

impl Tables {
    fn fit(evidence: &Evidence<'_>, matched: &[(usize, usize)]) -> Self {
        let observed = &evidence.observed;
        let within = |observed: [&Observations; 2]| {
            let directed = observed[0].is_directed();
            ViewTable::fit(observed, Kind::Within { directed }, matched)
        };
        let mut views = vec![within([&observed.source, &observed.target])];
        views.extend(observed.further.iter().map(|view| match view {
            View::Layer(_) => within(view.observations()),
            View::Crossing(..) => ViewTable::fit(view.observations(), Kind::Crossing, matched),
        }));
        let share = 1.0 / dispersion(&views, matched).max(1.0);
        Self { views, share }
    }

    fn of_pair(&self, i: usize, a: u32, partner: &[u32]) -> f64 {
        if a == NONE {
            return 0.0;
        }
        let views = self.views.iter();
        let sum: f64 = views.map(|v| v.of_pair(i, a as usize, partner)).sum();
        self.share * sum
    }

    fn between(&self, (i, a): (usize, u32), (j, b): (usize, u32)) -> f64 {
        if a == NONE || b == NONE {
            return 0.0;
        }
        let pairs = ((i, a as usize), (j, b as usize));
        let views = self.views.iter();
        self.share * views.map(|v| v.between(pairs.0, pairs.1)).sum::<f64>()
    }
}

/// φ: how many times more the sums over a node's pairs vary than independent ones would; 1 where nothing varies.
fn dispersion(views: &[ViewTable], matched: &[(usize, usize)]) -> f64 {
    let mut sums = vec![(0.0, 0.0); matched.len()];
    for view in views {
        let is_twice = view.kind != Kind::Within { directed: false };
        view.each(matched, |k, l, x, y| {
            let (surprise, variance) = view.table.surprise(x, y);
            sums[k].0 += surprise;
            sums[k].1 += variance;
            if is_twice {
                sums[l].0 += surprise;
                sums[l].1 += variance;
            }
        });
    }
    let squares: f64 = sums.iter().map(|sum| sum.0 * sum.0).sum();
    let variances: f64 = sums.iter().map(|sum| sum.1).sum();
    if variances > 0.0 {
        squares / variances
    } else {
        1.0
    }
}

/// Q: which partners are proposed, by free rows and columns.
struct Proposals {
    chances: Matrix,
    /// Their sums up to each column.
    sums: Matrix,
}

impl Proposals {
    /// By what speaks for each pair beside the others of a matching.
    fn weigh(
        evidence: &Evidence<'_>,
        tables: &Tables,
        state: &State,
        known: Option<&Matrix>,
        monitor: &Monitor,
    ) -> Option<Self> {
        let (n, m) = evidence.shape();
        let free = evidence.free;
        let mut plan = Matrix::zeros(n, m);
        for i in 0..n {
            if monitor.interrupted().is_some() {
                return None;
            }
            let row = plan.row_mut(i);
            for (a, slot) in row.iter_mut().enumerate() {
                let nats = tables.of_pair(free.source[i], free.target[a] as u32, &state.partner);
                *slot = 0.5 * (nats + known.map_or(0.0, |known| known[(i, a)]));
            }
            let highest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            row.iter_mut()
                .for_each(|v| *v = (*v - highest).max(-300.0).exp());
        }
        let mut columns = vec![0.0; m];
        for _ in 0..BALANCED {
            columns.fill(0.0);
            for i in 0..n {
                let row = plan.row_mut(i);
                let sum: f64 = row.iter().sum();
                for (value, column) in row.iter_mut().zip(&mut columns) {
                    *value /= sum;
                    *column += *value;
                }
            }
            // A column that nobody is likely to have keeps what it has.
            let least = f64::MIN_POSITIVE;
            for i in 0..n {
                let row = plan.row_mut(i).iter_mut();
                row.zip(&columns)
                    .for_each(|(value, column)| *value /= column.max(least));
            }
        }
        let mut sums = Matrix::zeros(n, m);
        for i in 0..n {
            let row = plan.row_mut(i);
            let sum: f64 = row.iter().sum();
            let mut up_to = 0.0;
            for (value, place) in row.iter_mut().zip(sums.row_mut(i)) {
                *value = (1.0 - BLIND) * *value / sum + BLIND / m as f64;
                up_to += *value;
                *place = up_to;
            }
        }
        let chances = plan;
        Some(Self { chances, sums })
    }

    /// A free column for a free row.
    fn draw(&self, i: usize, random: &mut ChaCha8Rng) -> usize {
        let sums = self.sums.row(i);
        let whole = sums.last().copied().unwrap_or(0.0);
        let at = whole * random.random::<f64>();
        sums.partition_point(|sum| *sum <= at).min(sums.len() - 1)
    }
}

/// A chain over matchings.
struct Chain<'a> {
    evidence: &'a Evidence<'a>,
    tables: &'a Tables,
    known: Option<&'a Matrix>,
    proposals: &'a Proposals,
    monitor: &'a Monitor,
}

impl Chain<'_> {
    fn run(&self, state: &mut State, seed: u64) -> Option<Tabled> {
        let (n, m) = self.evidence.shape();
        let free = self.evidence.free;
        let (each, most) = TABLED_PROPOSALS;
        let all = (each * n).min(most).max(1);
        let first = (BURN_IN * all as f64) as usize;
        let between_states = ((all - first) / KEPT_STATES).max(1);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let places = Places::of(self.evidence);
        let mut values = Matrix::zeros(n, m);
        let mut samples = Samples {
            nodes: free.source.clone(),
            partners: Vec::new(),
        };
        // Since when each free row has its partner.
        let mut since = vec![first; n];
        let mut count = |row: usize, a: u32, from: usize, to: usize| {
            if a != NONE && to > from {
                values[(row, places.column[a as usize])] += (to - from) as f64;
            }
        };
        let mut ended = all;
        for time in 0..all {
            if time.is_multiple_of(UNASKED) && self.monitor.interrupted().is_some() {
                ended = time;
                break;
            }
            if time >= first && (time - first).is_multiple_of(between_states) {
                let of = |&node: &usize| {
                    let a = state.partner[node];
                    (a != NONE).then_some(a as usize)
                };
                samples.partners.push(free.source.iter().map(of).collect());
            }
            let row = random.random_range(0..n);
            let column = self.proposals.draw(row, &mut random);
            let (i, b) = (free.source[row], free.target[column] as u32);
            let (a, j) = (state.partner[i], state.owner[b as usize]);
            if a == b {
                continue;
            }
            let odds = self.odds(state, &places, (i, a), (j, b));
            if odds < 0.0 && random.random::<f64>() >= odds.exp() {
                continue;
            }
            count(row, a, since[row].max(first), time);
            since[row] = time;
            state.partner[i] = b;
            state.owner[b as usize] = i as u32;
            if a != NONE {
                state.owner[a as usize] = j;
            }
            if j != NONE {
                let other = places.row[j as usize];
                count(other, b, since[other].max(first), time);
                since[other] = time;
                state.partner[j as usize] = a;
            }
        }
        if ended <= first {
            return None;
        }
        for (row, &node) in free.source.iter().enumerate() {
            count(row, state.partner[node], since[row].max(first), ended);
        }
        let share = 1.0 / (ended - first) as f64;
        values.as_mut_slice().iter_mut().for_each(|v| *v *= share);
        Some(Tabled { values, samples })
    }

    /// The logarithm of the ratio by which i gets b in the place of a, and j, which has b, gets a.
    fn odds(
        &self,
        state: &mut State,
        places: &Places,
        (i, a): (usize, u32),
        (j, b): (u32, u32),
    ) -> f64 {
        let before = self.of_both(state, places, (i, a), (j, b));
        let chance = |node: usize, column: u32| {
            self.proposals.chances[(places.row[node], places.column[column as usize])]
        };
        let (mut there, mut back) = (chance(i, b), 0.0);
        if a != NONE {
            back += chance(i, a);
        }
        if j != NONE {
            back += chance(j as usize, b);
            if a != NONE {
                there += chance(j as usize, a);
            }
            state.partner[j as usize] = a;
        }
        state.partner[i] = b;
        let after = self.of_both(state, places, (i, b), (j, a));
        state.partner[i] = a;
        if j != NONE {
            state.partner[j as usize] = b;
        }
        after - before + (back / there).ln()
    }

    /// What speaks for two pairs, each of which may lack a node.
    fn of_both(
        &self,
        state: &State,
        places: &Places,
        (i, a): (usize, u32),
        (j, b): (u32, u32),
    ) -> f64 {
        let tables = self.tables;
        let known = |node: usize, column: u32| match self.known {
            Some(known) if column != NONE => {
                known[(places.row[node], places.column[column as usize])]
            }
            _ => 0.0,
        };
        let mut sum = tables.of_pair(i, a, &state.partner) + known(i, a);
        if j != NONE {
            let j = j as usize;
            sum += tables.of_pair(j, b, &state.partner) + known(j, b);
            sum -= tables.between((i, a), (j, b));
        }
        sum
    }
}

/// The places of nodes among the free ones; those of others are never asked for.
struct Places {
    row: Vec<usize>,
    column: Vec<usize>,
}

impl Places {
    fn of(evidence: &Evidence<'_>) -> Self {
        let places = |nodes: &[usize], count: usize| {
            let mut places = vec![0; count];
            for (place, &node) in nodes.iter().enumerate() {
                places[node] = place;
            }
            places
        };
        let [source, target] = evidence.graphs.map(|graph| graph.node_count());
        Self {
            row: places(&evidence.free.source, source),
            column: places(&evidence.free.target, target),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Planted;
    use super::*;
    use crate::solver::{Solution, Status};

    /// Counts from 1 to 1024, most of them small.
    fn weight(k: usize) -> f64 {
        (1 << (k / 3)) as f64
    }

    fn found(evidence: &Evidence<'_>, pairs: &[(usize, usize)]) -> Found {
        let model = evidence.guess(0.8);
        let assignment = evidence.assignment(pairs);
        let solution = Solution {
            objective: 0.0,
            assignment,
            soft: None,
            iterations: 0,
            status: Status::Converged,
            convergence: Vec::new(),
        };
        Found::of(evidence, solution, model, Coverage::Full)
    }

    /// Calls `test` with a planted pair of counts with edges between the sides.
    fn with_crossing(nodes: usize, test: impl FnOnce(&Planted, &Evidence<'_>)) {
        let planted = Planted::directed(nodes, 2, weight);
        let [there, back] = planted.crossing(weight);
        planted.with_facts(
            |task| task.with_crossing(there.clone(), back.clone()).unwrap(),
            |_, evidence| test(&planted, evidence),
        );
    }

    #[test]
    fn several_views_of_counts_are_asked_and_nothing_else() {
        with_crossing(70, |planted, evidence| {
            assert!(suits(evidence, &found(evidence, &planted.truth)));
            let mut partial = found(evidence, &planted.truth[..60]);
            assert!(!suits(evidence, &partial));
            partial.coverage = Coverage::Partial;
            assert!(!suits(evidence, &partial));
        });
        let planted = Planted::directed(70, 2, weight);
        planted.with_evidence(|_, evidence| {
            assert_eq!(evidence.observed.scale, Scale::Counts);
            assert!(!suits(evidence, &found(evidence, &planted.truth)));
        });
        let planted = Planted::directed(70, 2, |k| k as f64 + 0.5);
        let [there, back] = planted.crossing(|k| k as f64 + 0.5);
        planted.with_facts(
            |task| task.with_crossing(there.clone(), back.clone()).unwrap(),
            |_, evidence| assert!(!suits(evidence, &found(evidence, &planted.truth))),
        );
    }

    /// The odds of an exchange are those of all the evidence before and after.
    #[test]
    fn odds_are_differences_of_the_whole() {
        with_crossing(70, |planted, evidence| {
            let found = found(evidence, &planted.truth);
            let matched = evidence.matched(&found.assignment);
            let tables = Tables::fit(evidence, &matched);
            let mut state = State::new([70, 70], &matched);
            let monitor = Monitor::silent();
            let proposals = Proposals::weigh(evidence, &tables, &state, None, &monitor).unwrap();
            let chain = Chain {
                evidence,
                tables: &tables,
                known: None,
                proposals: &proposals,
                monitor: &monitor,
            };
            let places = Places::of(evidence);
            let whole = |partner: &[u32]| -> f64 {
                let mut sum = 0.0;
                for (i, &a) in partner.iter().enumerate() {
                    for (j, &b) in partner.iter().enumerate() {
                        let (a, b) = (a as usize, b as usize);
                        for view in &tables.views {
                            let (x, y) = (&view.source, &view.target);
                            sum += match view.kind {
                                Kind::Within { .. } => view.table.told(x.at(i, j), y.at(a, b)),
                                Kind::Crossing => view.table.told(x.at(i, b), y.at(a, j)),
                            };
                        }
                    }
                }
                tables.share * sum
            };
            for (i, j) in [(5, 9), (12, 40), (33, 7)] {
                let (a, b) = (state.partner[i], state.partner[j]);
                let odds = chain.odds(&mut state, &places, (i, a), (j as u32, b));
                let chance = |i: usize, a: u32| {
                    proposals.chances[(places.row[i], places.column[a as usize])]
                };
                let ratio = (chance(i, a) + chance(j, b)) / (chance(i, b) + chance(j, a));
                let mut after = state.partner.clone();
                after.swap(i, j);
                let wanted = whole(&after) - whole(&state.partner) + ratio.ln();
                assert!(
                    (odds - wanted).abs() < 1e-9 * wanted.abs().max(1.0),
                    "{odds} {wanted}"
                );
                state.partner = after;
                state.owner[b as usize] = i as u32;
                state.owner[a as usize] = j as u32;
            }
        });
    }

    /// From a matching with some wrong pairs, most samples have the right ones.
    #[test]
    fn the_chain_returns_to_the_right_pairs() {
        with_crossing(70, |planted, evidence| {
            let mut pairs = planted.truth.clone();
            for k in (10..30).step_by(2) {
                let other = pairs[k + 1].1;
                pairs[k + 1].1 = std::mem::replace(&mut pairs[k].1, other);
            }
            let found = found(evidence, &pairs);
            let monitor = Monitor::silent();
            let run = || sample(evidence, &found, 3, &monitor).unwrap().unwrap();
            let sampled = run();
            // Nodes that differ by 31 have the same edges: any of them will do.
            let free = evidence.free;
            for (i, &node) in free.source.iter().enumerate() {
                let alike = planted.truth.iter().filter(|(s, _)| s % 31 == node % 31);
                let places = alike.filter_map(|(_, t)| free.target.binary_search(t).ok());
                let right: f64 = places.map(|a| sampled.values[(i, a)]).sum();
                assert!(right > 0.9, "{node}: {right}");
            }
            for i in 0..evidence.shape().0 {
                let sum: f64 = sampled.values.row(i).iter().sum();
                assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            }
            let states = sampled.samples.partners.len();
            assert!(
                (KEPT_STATES..=KEPT_STATES + 1).contains(&states),
                "{states}"
            );
            assert_eq!(run().values.as_slice(), sampled.values.as_slice());
            // Who stops it before anything is counted gets nothing.
            let stopped = Monitor::silent();
            stopped.cancel_token().cancel();
            assert!(sample(evidence, &found, 3, &stopped).unwrap().is_none());
            let little = Monitor::silent().max_memory(1000);
            assert!(sample(evidence, &found, 3, &little).is_err());
        });
    }

    /// Doubled counts of some nodes on one side are one observation, not many.
    #[test]
    fn what_nodes_share_disperses() {
        with_crossing(70, |planted, evidence| {
            let views = Tables::fit(evidence, &planted.truth).views;
            assert!(dispersion(&views, &planted.truth) < 1.5);
        });
    }
}
