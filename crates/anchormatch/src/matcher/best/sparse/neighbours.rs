//! The evidence for the partners of one node: what its neighbours' partners say.
//!
//! A node i is likely to be matched to a neighbour of its neighbours' partners. Their neighbours are visited
//! and collect the evidence of the [model](super::model); nothing else is looked at, so that a node costs the
//! degrees of a few nodes and no memory of its own. Through a hub all of its neighbours would come, each with
//! next to no evidence: partners of small degree are visited first, within a budget, and the others are only
//! asked about the nodes that came up.

use super::known::Known;
use super::model::Model;
use super::side::{NONE, Side};
use super::tally::Tally;
use crate::linalg::Csr;
use crate::matcher::best::thresholds::sparse::{
    ASKED_BEYOND_EDGES, DEPTH_OF_NEIGHBOURS, HEARD, LOOKED_UP, SPREADS, VISITS,
};

/// What is believed of the partners of nodes.
#[derive(Clone, Copy)]
pub(super) enum Believed<'a> {
    /// Partners that are settled.
    Settled(&'a [u32]),
    /// Partners that are settled, and for the other nodes probabilities that count as mixtures: an edge to
    /// such a node has the evidence ln Σ p(b) e^w(b).
    Tentative(&'a [u32], &'a Csr<f32>),
    /// Partners that are as good as certain, and for the other nodes probabilities by which evidence is
    /// averaged.
    Averaged(&'a [u32], &'a Csr<f32>),
}

/// The way from one graph to the other, and what is known at some time.
pub(super) struct Outlook<'a, T = f64> {
    pub(super) own: &'a Side<'a, T>,
    pub(super) other: &'a Side<'a, T>,
    pub(super) believed: Believed<'a>,
    /// Nodes of the other graph that can be chosen.
    pub(super) open: &'a (dyn Fn(u32) -> bool + Sync),
    /// The share of the neighbours whose partners are known, times their number, of own and other nodes.
    pub(super) settled: [&'a [f32]; 2],
    /// What it costs other nodes that none of their known neighbours is kept, where that depends on kinds.
    pub(super) lost: Option<&'a [f32]>,
    pub(super) model: &'a Model,
    /// Which graph is the own: 0 for the source.
    pub(super) from: usize,
    /// What is known beside edges.
    pub(super) known: &'a Known,
    /// The likelihood of all nodes that no neighbour speaks for, together.
    pub(super) others: f64,
}

/// A possible partner and its evidence in nats, beside a node that nobody speaks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) node: u32,
    pub(super) nats: f32,
}

/// Memory that is used again for every node.
#[derive(Default)]
pub(super) struct Scratch {
    tally: Tally,
    /// (degree, partner, place of the edge, what every neighbour gets, and the weight of it).
    partners: Vec<Witness>,
    pub(super) candidates: Vec<Candidate>,
}

#[derive(Clone, Copy)]
struct Witness {
    degree: u32,
    partner: u32,
    /// The edge from the node to the neighbour, by its place.
    edge: u32,
    sum: f32,
    weight: f32,
    /// The same edge from the neighbour, by its place; where edges have kinds.
    back: u32,
    /// The share of the sum's likelihood that a kept edge has.
    kept: f32,
}

impl<T: Copy + Sync> Outlook<'_, T> {
    /// Finds the possible partners of node `i`, in no order, into `scratch.candidates`.
    pub(super) fn candidates(&self, i: usize, scratch: &mut Scratch) {
        scratch.tally.clear();
        scratch.candidates.clear();
        self.listen(i, scratch);
        let Scratch {
            tally,
            partners,
            candidates,
        } = scratch;
        let named = self.known.named(self.from, i);
        if partners.is_empty() && named.is_empty() {
            return;
        }
        for &node in named {
            if (self.open)(node) {
                tally.add(node, 0.0, 0.0);
            }
        }
        let order = |witness: &Witness| (witness.degree, witness.edge, witness.partner);
        // The share of the witnesses that is heard, and so the share of the missing edges that counts.
        let mut heard = 1.0;
        if partners.len() > HEARD {
            heard = HEARD as f32 / partners.len() as f32;
            partners.select_nth_unstable_by_key(HEARD, order);
            partners.truncate(HEARD);
        }
        partners.sort_unstable_by_key(order);
        let mut visits = 0;
        let mut asked = partners.len();
        for (k, witness) in partners.iter().enumerate() {
            visits += witness.degree as usize;
            if visits > VISITS {
                asked = k;
                break;
            }
            self.visit(witness, tally);
        }
        let missing = self.model.missing();
        let bonus = -(missing[0] + missing[1]);
        let own_degree = self.model.log_degrees[self.from][i];
        let degrees = &self.model.log_degrees[1 - self.from];
        // What a common neighbour is worth to a node, beside what the neighbour itself says.
        let common = |node: u32| bonus - 0.5 * (own_degree + degrees[node as usize]);
        let lost = |node: u32| match self.lost {
            None => heard * self.settled[1][node as usize] * missing[1 - self.from],
            Some(lost) => heard * lost[node as usize],
        };
        // Who was told of a share of the common neighbours has lost no more than that of the others, until all are looked up.
        let told = asked as f32 / partners.len().max(1) as f32;
        let exact = |(node, sum, weight): (u32, f32, f32)| {
            sum + weight * common(node) + told * lost(node) + self.model.first * weight.min(1.0)
        };
        // Most nodes that come up have one neighbour for them. What they can have at most is told from the
        // tally alone, and those far below the best are not looked at.
        let most = bonus - 0.5 * (own_degree + self.model.lowest[1 - self.from]);
        let ceiling = |(_, sum, weight): (u32, f32, f32)| {
            sum + weight * most + self.model.first * weight.min(1.0)
        };
        let is_free = !self.known.rules_out();
        let permitted = |entry: &(u32, f32, f32)| is_free || self.allows(i as u32, entry.0);
        let best =
            (tally.entries().filter(permitted)).max_by(|x, y| ceiling(*x).total_cmp(&ceiling(*y)));
        let Some(best) = best else { return };
        let unseen: f32 = partners[asked..]
            .iter()
            .map(|witness| witness.sum.max(0.0))
            .sum();
        let floor = exact(best) - DEPTH_OF_NEIGHBOURS - self.known.range - unseen;
        let near = tally.entries().filter(|entry| ceiling(*entry) >= floor);
        for entry in near.filter(permitted) {
            let nats = exact(entry);
            candidates.push(Candidate {
                node: entry.0,
                nats,
            });
        }
        // What is known beside edges is asked of a few times as many as are looked at in full.
        keep_likeliest(candidates, ASKED_BEYOND_EDGES * LOOKED_UP);
        for candidate in candidates.iter_mut() {
            candidate.nats += self.prior(i as u32, candidate.node);
        }
        keep_likeliest(candidates, LOOKED_UP);
        for candidate in candidates.iter_mut() {
            let node = candidate.node;
            for witness in &partners[asked..] {
                candidate.nats += self.look_up(witness, node, common(node));
            }
            candidate.nats += (1.0 - told) * lost(node) + self.degrees(i, node);
        }
    }

    /// Collects the partners of the neighbours of node `i`.
    fn listen(&self, i: usize, scratch: &mut Scratch) {
        let partners = &mut scratch.partners;
        partners.clear();
        let model = self.model;
        let [own, other] = [self.from, 1 - self.from].map(|side| &model.log_degrees[side]);
        // Every node's own degree is taken off later, by its mean with that of its partner.
        let common = |j: u32, b: u32| {
            let nats = model.log_edges - 0.5 * (own[j as usize] + other[b as usize]);
            nats - model.first
        };
        let missing = model.missing()[self.from].exp();
        let has_kinds = model.kinds.is_some();
        let mut push = |edge: usize, b: u32, sum: f32, weight: f32, kept: f32| {
            let back = if has_kinds {
                self.own.back(i, edge) as u32
            } else {
                0
            };
            partners.push(Witness {
                degree: self.other.degree(b as usize) as u32,
                partner: b,
                edge: edge as u32,
                sum,
                weight,
                back,
                kept,
            });
        };
        for edge in self.own.edges.range(i) {
            let j = self.own.edges.column(edge);
            match self.believed {
                Believed::Settled(partner)
                | Believed::Tentative(partner, _)
                | Believed::Averaged(partner, _)
                    if partner[j as usize] != NONE =>
                {
                    let b = partner[j as usize];
                    push(edge, b, common(j, b), 1.0, 1.0);
                }
                Believed::Settled(_) => {}
                Believed::Tentative(_, beliefs) => {
                    let (columns, occupancy) = beliefs.parts(j as usize);
                    let mass = occupancy.iter().sum::<f32>().min(1.0);
                    let unknown = 1.0 - mass;
                    let silent = mass * missing + unknown;
                    for (&b, &share) in columns.iter().zip(occupancy) {
                        let kept = (common(j, b) - own[i]).exp();
                        let heard = share * kept + (mass - share) * missing + unknown;
                        let nats = (heard / silent).ln();
                        if nats > 0.1 {
                            push(edge, b, nats, 0.0, share * kept / heard);
                        }
                    }
                }
                Believed::Averaged(_, beliefs) => {
                    let (columns, occupancy) = beliefs.parts(j as usize);
                    for (&b, &share) in columns.iter().zip(occupancy) {
                        if share >= SPREADS {
                            push(edge, b, share * common(j, b), share, 1.0);
                        }
                    }
                }
            }
        }
    }

    /// Tells the neighbours of a partner.
    fn visit(&self, witness: &Witness, tally: &mut Tally) {
        for place in self.other.edges.range(witness.partner as usize) {
            let node = self.other.edges.column(place);
            if (self.open)(node) {
                let seen = self.weights(witness, place) + self.kinds(witness, place);
                tally.add(node, witness.sum + seen, witness.weight);
            }
        }
    }

    /// What a partner that was not visited says of a node.
    fn look_up(&self, witness: &Witness, node: u32, common: f32) -> f32 {
        match self.other.joined(node as usize, witness.partner as usize) {
            Some(place) => {
                let kinds = if self.model.kinds.is_some() {
                    self.kinds(witness, self.other.back(node as usize, place))
                } else {
                    0.0
                };
                witness.sum + self.weights(witness, place) + kinds + witness.weight * common
            }
            None => 0.0,
        }
    }

    /// What the weights of two edges say.
    #[inline]
    fn weights(&self, witness: &Witness, place: usize) -> f32 {
        match (&self.own.weights, &self.other.weights) {
            (Some(own), Some(other)) if self.model.weights.correlation > 0.0 => {
                let share = if witness.weight > 0.0 {
                    witness.weight
                } else {
                    0.5
                };
                share
                    * self
                        .model
                        .weights
                        .nats(own[witness.edge as usize], other[place])
            }
            _ => 0.0,
        }
    }

    fn allows(&self, i: u32, node: u32) -> bool {
        let (i, a) = if self.from == 0 { (i, node) } else { (node, i) };
        self.known.allows(i, a)
    }

    /// What the kinds of two edges say; `place` is in the row of the partner.
    #[inline]
    fn kinds(&self, witness: &Witness, place: usize) -> f32 {
        let Some(model) = &self.model.kinds else {
            return 0.0;
        };
        let (Some(own), Some(other)) = (&self.own.kinds, &self.other.kinds) else {
            return 0.0;
        };
        let nats = model.nats(self.from, (own, witness.back as usize), (other, place));
        if witness.weight > 0.0 {
            let back = model.given_back(self.from, witness.edge as usize)
                + model.given_back(1 - self.from, place);
            witness.weight * (nats + back)
        } else {
            (1.0 - witness.kept + witness.kept * nats.exp()).ln()
        }
    }

    fn prior(&self, i: u32, node: u32) -> f32 {
        if self.from == 0 {
            self.known.prior(i, node)
        } else {
            self.known.prior(node, i)
        }
    }

    /// What the degrees say, as far as the neighbours are unknown.
    fn degrees(&self, i: usize, node: u32) -> f32 {
        let total = (self.own.degree(i) + self.other.degree(node as usize)).max(1) as f32;
        let known = (self.settled[0][i] + self.settled[1][node as usize]) / total;
        let (x, y) = (self.own.standing[i], self.other.standing[node as usize]);
        self.model.degrees.nats(x, y) * (1.0 - known).max(0.0)
    }

    /// The evidence for a node of the other graph when no neighbour speaks for it.
    pub(super) fn unspoken(&self, node: u32) -> f64 {
        f64::from(match self.lost {
            None => self.settled[1][node as usize] * self.model.missing()[1 - self.from],
            Some(lost) => lost[node as usize],
        })
    }

    /// The most likely partner of node `i` and its probability.
    pub(super) fn best(&self, i: usize, scratch: &mut Scratch) -> Option<(u32, f32)> {
        self.candidates(i, scratch);
        let best = scratch.candidates.iter().copied().reduce(|x, y| {
            let earlier = (y.nats, x.node) > (x.nats, y.node);
            if earlier { y } else { x }
        })?;
        Some((
            best.node,
            (1.0 / self.total(i, &scratch.candidates, best.nats)) as f32,
        ))
    }

    /// The probabilities of the likeliest `most` partners of node `i`, by ascending node, into `out`.
    pub(super) fn list(
        &self,
        i: usize,
        most: usize,
        scratch: &mut Scratch,
        out: &mut Vec<(u32, f32)>,
    ) {
        const LEAST: f32 = 0.005;
        self.candidates(i, scratch);
        out.clear();
        let candidates = &scratch.candidates;
        let top = candidates.iter().fold(f32::MIN, |top, c| top.max(c.nats));
        let total = self.total(i, candidates, top);
        let occupancy = candidates.iter().map(|candidate| {
            let share = f64::from(candidate.nats - top).exp() / total;
            (candidate.node, share as f32)
        });
        out.extend(occupancy.filter(|(_, share)| *share > LEAST));
        keep_highest(out, most);
    }

    /// Σ eⁿ over all nodes that may be partners of node `i`, in the unit of e^top.
    fn total(&self, i: usize, candidates: &[Candidate], top: f32) -> f64 {
        let named: f64 = candidates
            .iter()
            .map(|c| f64::from(c.nats - top).exp())
            .sum();
        named + self.known.others(self.from, i, self.others) * (-f64::from(top)).exp()
    }
}

/// Keeps the `most` candidates that most speaks for.
fn keep_likeliest(candidates: &mut Vec<Candidate>, most: usize) {
    if candidates.len() > most {
        candidates.select_nth_unstable_by(most, |x, y| {
            y.nats.total_cmp(&x.nats).then(x.node.cmp(&y.node))
        });
        candidates.truncate(most);
    }
}

/// Keeps the `most` entries of the highest values, then sorts by node.
pub(super) fn keep_highest(entries: &mut Vec<(u32, f32)>, most: usize) {
    if entries.len() > most {
        entries.select_nth_unstable_by(most, |x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
        entries.truncate(most);
    }
    entries.sort_unstable_by_key(|entry| entry.0);
}
