//! Stage *sampling*: what chains of exchanges say of the beliefs.
//!
//! In graphs whose neighbours are joined among themselves, a mean field is too sure of what it settled, and of too little
//! else: neighbours move together, and it moves one node at a time against the mean of the others. Chains of exchanges
//! ([`super::chain`]) begin with the likeliest pairs, heated so that whole patches can move, and go through matchings as often as
//! they are likely. The shares of their time are the probabilities that the decision is made from.
//!
//! With anchors, [`Landmarks`] lead the heated chains, which then may be so hot that little is left of the pairs that they
//! began with: what the field settled wrongly for a whole region is found anew, from all sides at once. A chain that loses more
//! in the heat than it finds again begins where a cooler one ended, which nothing led.
//!
//! With s₁ and s₂ the shares of the parent's edges that the sides show, and c the probability that a rival of a partner is joined
//! to one of its neighbours, a kept edge says
//!
//! J = ln (1 − (s₁ + s₂ − s₁ s₂) c) − ln (1 − s₁) (1 − s₂) c,
//!
//! and that any is kept ln c/p, p the probability that two nodes are joined. c is counted: of those that two neighbours' partners
//! bring up, how many are joined to a third one.
//!
//! That much two matchings of as many nodes differ. A pair whose nodes have a and b edges to others with partners would have lost none of
//! them were both alone. Beside that, each of the D/c pairs that are near, D the degree in the parent, says
//!
//! | seen | nats |
//! |---|---|
//! | in both graphs | −ln c |
//! | in the source alone | u₂ = ln (1 − s₂)/(1 − c s₂) |
//! | in the target alone | u₁ = ln (1 − s₁)/(1 − c s₁) |
//! | in neither | v = ln (1 − (s₁ + s₂ − s₁ s₂) c)/(1 − c s₁)(1 − c s₂) |
//!
//! and with D the mean of what the edges of both sides let expect, (a/s₁ + b/s₂)/2, all of it together is J for each kept edge, less
//!
//! a (v − u₂ − v/(2 c s₁)) + b (v − u₁ − v/(2 c s₂)).
//!
//! Of a right pair that outweighs: it keeps s₁ s₂ D edges, a stranger nearby only c s₁ s₂ D. How many pairs are likely stands in
//! [`super::parting`]. That a pair is left apart only where it gains [`PARTED`] nats more is fitted, not derived: without it more nodes
//! are alone than have no partner.
//!
//! The likeliest matching keeps more edges than the right one, so that J is too large and how far edges are to be believed is asked of pairs
//! that are too easy. A sample of the posterior keeps as many as the right one does: so chains walk a little by what the likeliest tells,
//! and J and the belief are fitted again to where one of them ended ([`REDEALT`] times).
//!
//! Nodes that hang by one edge or two are not held by what they keep, and hubs count their edges more than chance does: there
//! the field is better, and nothing is sampled. Nor is it where the chains find nothing likelier and lose most of what was
//! believed.

use rayon::prelude::*;

use super::beliefs::Beliefs;
use super::chain::{Chain, Ties, Times, add};
use super::cooled::Cooling;
use super::dealt::Likely;
use super::decision::decide;
use super::known::Known;
use super::landmarks::Landmarks;
use super::model::Model;
use super::restarts::in_doubt;
use super::rows::by_row;
use super::side::{NONE, Side};
use crate::linalg::Csr;
use crate::matcher::best::thresholds::sparse::{
    CHAIN_DEALS, CHAIN_PROPOSALS, CHAINS, CHAINS_OF_MANY, CLOSE_RIVALS, COOLED_ONE_IN,
    ENOUGH_SWEEPS, IN_DOUBT, LEAST_SWEEPS, LIKELIER_BELIEVED, LOOSE_EDGES, MANY_NODES,
    MOST_DISPERSED, MOST_LOOSE, MOST_SWEEPS, PARTED, PARTED_FROM, PARTED_ONE_IN, PARTED_SEEN,
    REDEALT, REDEALT_SWEEPS, RESTARTED_FROM, STILL_BELIEVED,
};
use crate::matching::Pair;
use crate::monitor::Monitor;

/// What chains came to.
pub(in crate::matcher::best) struct Exchanged {
    /// The shares of the time that nodes spend with each partner.
    pub(in crate::matcher::best) shares: Csr<f32>,
    /// The power of the posterior that they walked by.
    pub(in crate::matcher::best) belief: f32,
    /// Whether they came to a likelier matching than they began with.
    is_likelier: bool,
}

/// Shares of the time below this are left out.
const LEAST: f32 = 1e-4;

/// Numbers of random streams that nothing else takes, in chains.
const REDEALT_STREAMS: usize = 20;

/// Bytes of a chain for each node: what it looks up, and the times with some ten partners.
const CHAIN_BYTES: usize = 200;

/// Bytes of a dealt pair for each arc, while it is made.
const DEALT_BYTES: usize = 100;

/// What the degree of an end counts, half of what it counts between strangers.
const OF_DEGREES: f32 = 0.25;

/// The beliefs by the times of chains, and whether there are any; as they were where chains are not asked, lose most of what
/// was believed, or are stopped.
pub(super) fn sample(
    sides: &[Side<'_>; 2],
    known: &Known,
    mut beliefs: Beliefs,
    seed: u64,
    monitor: &Monitor,
) -> (Beliefs, bool) {
    if !is_asked(sides, known, &beliefs) || monitor.interrupted().is_some() {
        return (beliefs, false);
    }
    let first = permutations(sides, known, &beliefs);
    let Some(exchanged) = times(sides, known, first, seed, monitor) else {
        return (beliefs, false);
    };
    let before = beliefs.expected_right();
    let field = std::mem::replace(&mut beliefs.occupancy, exchanged.shares);
    let least = match exchanged.is_likelier {
        true => LIKELIER_BELIEVED,
        false => STILL_BELIEVED,
    };
    if beliefs.expected_right() < f64::from(least) * before {
        beliefs.occupancy = field;
        return (beliefs, false);
    }
    (beliefs, true)
}

/// Whether chains are better than the field, and worth their time.
fn is_asked(sides: &[Side<'_>; 2], known: &Known, beliefs: &Beliefs) -> bool {
    let sure = beliefs.sure(sides, known, RESTARTED_FROM);
    in_doubt(&sure) >= IN_DOUBT && suits(sides, known, &beliefs.model)
}

/// Whether exchanges hold the nodes, neighbours move together, and edges are all that is known.
fn suits(sides: &[Side<'_>; 2], known: &Known, model: &Model) -> bool {
    known.is_of_edges_alone()
        && !known.rules_out()
        && model.kinds.is_none()
        && model.first >= CLOSE_RIVALS.ln()
        && sides.iter().all(are_even)
}

/// Whether chains around a matching that was found over all pairs suit the graphs.
pub(super) fn suit_around(sides: &[Side<'_>; 2], known: &Known, pairs: &[(usize, usize)]) -> bool {
    let first = filled_up(pairs.iter().copied(), larger(sides));
    suits(sides, known, &Model::fit(sides, &real(sides, &first)))
}

/// What chains say that begin with such a matching; `None` when the monitor stops them.
pub(super) fn sample_around(
    sides: &[Side<'_>; 2],
    known: &Known,
    pairs: &[(usize, usize)],
    seed: u64,
    monitor: &Monitor,
) -> Option<Exchanged> {
    let whole = filled_up(pairs.iter().copied(), larger(sides));
    // Whose partner keeps none of its edges may have none.
    let keeps_any = |&(i, a): &(usize, usize)| {
        let mut own = sides[0]
            .edges
            .columns(i)
            .iter()
            .map(|&j| whole[j as usize] as usize);
        let anchored = known.anchors.contains(&(i as u32, a as u32));
        anchored || own.any(|b| b < sides[1].nodes() && sides[1].edges.place(a, b).is_some())
    };
    let kept: Vec<(usize, usize)> = pairs.iter().copied().filter(keeps_any).collect();
    let parted = parted(sides, &kept);
    times(sides, known, [Some(whole), Some(parted)], seed, monitor)
}

/// Whether hardly any node hangs by few edges, and degrees vary little.
pub(super) fn are_even(side: &Side<'_>) -> bool {
    let nodes = side.nodes().max(1) as f64;
    let degrees = || (0..side.nodes()).map(|i| side.degree(i) as f64);
    let loose = degrees().filter(|d| *d <= LOOSE_EDGES as f64).count() as f64;
    let mean = degrees().sum::<f64>() / nodes;
    let variance = degrees().map(|d| (d - mean).powi(2)).sum::<f64>() / nodes;
    loose <= MOST_LOOSE * nodes && variance <= MOST_DISPERSED * mean
}

/// The pairs that the beliefs decide for, as two permutations: nodes that are left over are paired in their order, those of the
/// smaller side filled up; and where the field leaves nodes alone, as many of the least likely pairs apart.
fn permutations(sides: &[Side<'_>; 2], known: &Known, beliefs: &Beliefs) -> [Option<Vec<u32>>; 2] {
    let mut pairs = decide(sides, known, &beliefs.occupancy, false);
    let of = |pairs: &[Pair]| -> Vec<(usize, usize)> {
        pairs
            .iter()
            .map(|pair| (pair.source, pair.target))
            .collect()
    };
    let whole = filled_up(of(&pairs).into_iter(), larger(sides));
    let seen = beliefs.model.seen;
    if beliefs.alone < PARTED_FROM || seen[0].min(seen[1]) < PARTED_SEEN {
        return [Some(whole), None];
    }
    let alone = (beliefs.alone * sides[0].nodes() as f64) as usize;
    let left = sides[0].nodes().saturating_sub(alone);
    pairs.sort_by(|x, y| (y.anchor.cmp(&x.anchor)).then(y.confidence.total_cmp(&x.confidence)));
    pairs.truncate(left.max(known.anchors.len()));
    [Some(whole), Some(parted(sides, &of(&pairs)))]
}

fn larger(sides: &[Side<'_>; 2]) -> usize {
    sides[0].nodes().max(sides[1].nodes())
}

/// A permutation that has these pairs, and all other nodes alone as far as there are nodes to fill the sides up.
fn parted(sides: &[Side<'_>; 2], pairs: &[(usize, usize)]) -> Vec<u32> {
    let nodes = [sides[0].nodes(), sides[1].nodes()];
    let size = larger(sides) + nodes[0].min(nodes[1]).div_ceil(PARTED_ONE_IN);
    let mut partners = vec![NONE; size];
    let mut is_taken = vec![false; size];
    for &(i, a) in pairs {
        partners[i] = a as u32;
        is_taken[a] = true;
    }
    // Those that fill the target up come first, for those that come first are real.
    let order = (nodes[1]..size).chain(0..nodes[1]);
    let mut left = order.filter(|&a| !is_taken[a]);
    for slot in partners.iter_mut().filter(|slot| **slot == NONE) {
        *slot = left.next().expect("as many sources as targets are left") as u32;
    }
    partners
}

/// A permutation of so many nodes that has these pairs.
pub(super) fn filled_up(pairs: impl Iterator<Item = (usize, usize)>, size: usize) -> Vec<u32> {
    let mut partners = vec![NONE; size];
    let mut is_taken = vec![false; size];
    for (i, a) in pairs {
        partners[i] = a as u32;
        is_taken[a] = true;
    }
    let mut left = (0..size as u32).filter(|&a| !is_taken[a as usize]);
    for slot in partners.iter_mut().filter(|slot| **slot == NONE) {
        *slot = left.next().unwrap_or(NONE);
    }
    partners
}

/// Chains that begin with a permutation, or with one that leaves nodes alone if that leads to likelier ones; `None` when the monitor stops them too soon.
fn times(
    sides: &[Side<'_>; 2],
    known: &Known,
    [whole, parted]: [Option<Vec<u32>>; 2],
    seed: u64,
    monitor: &Monitor,
) -> Option<Exchanged> {
    let size = [&whole, &parted]
        .into_iter()
        .flatten()
        .map(Vec::len)
        .max()?;
    let anchored = known.partners();
    let may_move = |i: &u32| {
        anchored[0]
            .get(*i as usize)
            .is_none_or(|&partner| partner == NONE)
    };
    let free: Vec<u32> = (0..size as u32).filter(may_move).collect();
    let (count, deals) = match larger(sides) > MANY_NODES {
        true => (CHAINS_OF_MANY, 1),
        false => (CHAINS, CHAIN_DEALS),
    };
    let arcs = sides.iter().map(|side| side.edges.entries()).sum::<usize>();
    let chains = count * size * CHAIN_BYTES;
    let needed = chains.max(deals * arcs * DEALT_BYTES) as u64;
    monitor.reserve("chains of exchanges", needed, &[]).ok()?;
    let sweeps = CHAIN_PROPOSALS / (CHAINS * (free.len() + larger(sides) - size).max(1));
    let sweeps = sweeps.clamp(LEAST_SWEEPS, MOST_SWEEPS);
    let cooling = sweeps / COOLED_ONE_IN;
    let landmarks = Landmarks::of(sides, &known.anchors, monitor);
    let real_pairs = |first: &[u32]| -> Vec<(usize, usize)> {
        let pairs = first[..sides[0].nodes()]
            .iter()
            .map(|&a| a as usize)
            .enumerate();
        pairs.filter(|(_, a)| *a < sides[1].nodes()).collect()
    };
    let landmarks = landmarks.map(|landmarks| {
        let first = parted.as_ref().or(whole.as_ref());
        landmarks.beside(&first.map_or(Vec::new(), |first| real_pairs(first)))
    });
    let cooler = Cooling {
        sides,
        free: &free,
        landmarks,
        chains: count,
        sweeps: cooling,
        seed,
    };
    let whole = whole.map(|first| cooler.whole(&first, monitor));
    let parted = parted.map(|first| cooler.parted(&first, monitor));
    let cooled = [whole, parted].into_iter().flatten().flatten();
    let cooled = cooled.reduce(|x, y| if y.evidence > x.evidence { y } else { x })?;
    if monitor.interrupted().is_some() {
        return None;
    }
    let mut held = cooled.ties;
    let (mut each, mut base) = (cooled.each, cooled.likeliest);
    let asked = |held: &Ties, base: &[u32]| {
        let likely = Likely {
            sides,
            ties: held,
            free: &free,
            permutation: base,
            deals,
        };
        likely.belief(seed, monitor)
    };
    let mut belief = asked(&held, &base)?;
    for round in 0..REDEALT {
        let ties_now = held.to_the_power(belief);
        let walked: Option<Vec<Vec<u32>>> = (each.into_par_iter().enumerate())
            .map(|(k, partners)| {
                let numbers = (seed, ((REDEALT_STREAMS + round) * count + k) as u64);
                let mut chain = Chain::new(sides, &ties_now, &free, partners, numbers);
                chain.mean_kept_edges(REDEALT_SWEEPS, monitor)?;
                Some(chain.into_partners())
            })
            .collect();
        each = walked?;
        base.clone_from(&each[0]);
        held = ties(sides, &base);
        belief = asked(&held, &base)?;
    }
    let ties = held.to_the_power(belief);
    let walked: Vec<(Vec<Times>, usize)> = each
        .par_iter()
        .enumerate()
        .map(|(k, partners)| {
            let numbers = (seed, (2 * count + k) as u64);
            let mut chain = Chain::new(sides, &ties, &free, partners.clone(), numbers);
            chain.sample(sweeps - cooling, monitor)
        })
        .collect();
    // What a stop leaves of them says more than the field does, once it is enough.
    let made = || walked.iter().map(|(_, made)| *made);
    if made().any(|made| made < ENOUGH_SWEEPS.min(sweeps - cooling)) {
        return None;
    }
    let total = made().sum::<usize>() as f32;
    let unhindered = Monitor::silent();
    let (rows, cols) = (sides[0].nodes(), sides[1].nodes());
    let shares = by_row(rows, cols, &unhindered, |i, _, row| {
        let mut sum = Times::new();
        for &(a, spent) in walked.iter().flat_map(|(times, _)| &times[i]) {
            add(&mut sum, a, spent);
        }
        sum.sort_unstable();
        let shares = sum
            .iter()
            .map(|&(a, spent)| (a, (spent as f32 / total).min(1.0)));
        row.extend(shares.filter(|(a, share)| (*a as usize) < cols && *share > LEAST));
    });
    Some(Exchanged {
        shares: shares?,
        belief,
        is_likelier: cooled.is_likelier,
    })
}

/// J, F and the rest, by what a permutation keeps.
pub(super) fn ties(sides: &[Side<'_>; 2], first: &[u32]) -> Ties {
    let partners = real(sides, first);
    let Model { seen, weights, .. } = Model::fit(sides, &partners);
    let close = close_rivals(sides, &partners[0]) / seen[1];
    let density = |k: usize| {
        let nodes = sides[k].nodes().max(1) as f64;
        sides[k].edges.entries() as f64 / (seen[k] * nodes * nodes)
    };
    let strangers = 0.5 * (density(0) + density(1)).max(f64::MIN_POSITIVE);
    let close = close.min(0.9).max(strangers);
    let [one, other] = seen;
    let neither = 1.0 - (one + other - one * other) * close;
    let kept = (neither / ((1.0 - one) * (1.0 - other) * close)).ln();
    let lost = [one, other].map(|seen| ((1.0 - seen) / (1.0 - close * seen)).ln());
    let gained = (neither / ((1.0 - one * close) * (1.0 - other * close))).ln();
    let shown = [(one, lost[1]), (other, lost[0])]
        .map(|(seen, lost)| gained - lost - gained / (2.0 * close * seen));
    let degrees = [0, 1].map(|k| {
        let nodes = sides[k].nodes();
        let mean = (sides[k].edges.entries() as f32 / nodes.max(1) as f32).max(0.5);
        let less = |i: usize| OF_DEGREES * ((sides[k].degree(i) as f32).max(0.5) / mean).ln();
        (0..nodes).map(less).collect()
    });
    Ties {
        kept: kept as f32,
        any: (close / strangers).ln() as f32,
        degrees,
        weights,
        shown: shown.map(|nats| nats as f32),
        parted: -PARTED,
    }
}

/// The partners of both sides, without the nodes that filled one up.
fn real(sides: &[Side<'_>; 2], permutation: &[u32]) -> [Vec<u32>; 2] {
    let mut partners = [0, 1].map(|k| vec![NONE; sides[k].nodes()]);
    let pairs = (0..sides[0].nodes()).zip(permutation);
    for (i, &a) in pairs.filter(|(_, a)| (**a as usize) < sides[1].nodes()) {
        partners[0][i] = a;
        partners[1][a as usize] = i as u32;
    }
    partners
}

/// Of the nodes that two partners of a node's neighbours are joined to, itself left out, the share that a third one is joined
/// to.
pub(super) fn close_rivals(sides: &[Side<'_>; 2], partners: &[u32]) -> f64 {
    const NODES: usize = 4000;
    // As if ten more had been seen.
    const PRIOR: (f64, f64) = (0.5, 10.0);
    const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
    let mut numbers = 1u64;
    let [source, target] = sides;
    let joined = |a: u32, b: u32| target.edges.place(a as usize, b as usize).is_some();
    let mut sum = PRIOR;
    for i in (0..source.nodes()).step_by(source.nodes().div_ceil(NODES).max(1)) {
        if partners[i] == NONE {
            continue;
        }
        let own = source.edges.columns(i).iter();
        let known = own.map(|&j| partners[j as usize]).filter(|&b| b != NONE);
        let mut known: Vec<u32> = known.collect();
        if known.len() < 3 {
            continue;
        }
        // Any three of them: their order may say who lies next to whom.
        for _ in 0..3 {
            for place in 0..3 {
                numbers = numbers.wrapping_mul(MULTIPLIER).wrapping_add(1);
                let left = (known.len() - place) as u64;
                known.swap(place, place + ((numbers >> 33) % left) as usize);
            }
            let [x, y, z] = [known[0], known[1], known[2]];
            let rivals = target.edges.columns(x as usize).iter().copied();
            let rivals = rivals.filter(|&a| a != partners[i] && a != z && joined(a, y));
            for a in rivals {
                sum.0 += f64::from(u8::from(joined(a, z)));
                sum.1 += 1.0;
            }
        }
    }
    sum.0 / sum.1
}
