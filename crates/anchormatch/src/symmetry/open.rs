//! What refinement left open: parts of the graphs, and which of them are alike.

use std::collections::BTreeMap;

use super::budget::Budget;
use super::cells::Cells;
use super::links::{Links, TwoGraphs, mixed};
use super::pairing::{Outcome, Pairing, Part};
use super::{Orbits, Symmetry};

/// Cells that a node is followed through before nodes are compared one by one.
const FOLLOWED: usize = 256;

/// Cells between two looks at the monitor: some milliseconds.
const CELLS: usize = 16_384;

/// A part and where it lies.
struct Placed {
    side: usize,
    /// The nodes, numbered as in both graphs together.
    nodes: Vec<u32>,
    part: Part,
}

/// Parts that lie upon one another, with how the first of them lies upon each.
struct Class {
    members: Vec<(usize, Vec<u32>)>,
}

/// The orbits of both graphs and a copy, from cells that no longer split.
pub(super) fn settle(links: &TwoGraphs<'_>, cells: &Cells, budget: &mut Budget<'_>) -> Symmetry {
    let half = links.half();
    let mut counts = vec![[0u32; 2]; links.nodes()];
    for start in cells.starts() {
        for &v in cells.members(start) {
            counts[start][usize::from(v as usize >= half)] += 1;
        }
    }
    let mut may_copy = cells
        .starts()
        .all(|start| counts[start][0] == counts[start][1]);
    let open = Open {
        links,
        cells,
        counts: &counts,
    };
    let mut groups: [Vec<Vec<u32>>; 2] = Default::default();
    let mut copy = vec![0u32; half];
    let mut ways = [0.0; 2];
    let mut is_plain = vec![false; links.nodes()];
    for (k, start) in cells.starts().enumerate() {
        if k % CELLS == 0 && budget.is_stopped() {
            return Symmetry::none([half, links.nodes() - half]);
        }
        // Whoever is alone in a cell that no longer splits is joined alike to all nodes of any other.
        if counts[start].iter().all(|&nodes| nodes <= 1) {
            is_plain[start] = true;
            if may_copy {
                let members = cells.members(start);
                let (i, a) = (members[0].min(members[1]), members[0].max(members[1]));
                copy[i as usize] = a - half as u32;
            }
            continue;
        }
        let sides = cells.members(start).iter();
        let sides: [Vec<u32>; 2] = sides.partition(|&&v| (v as usize) < half).into();
        is_plain[start] = open.is_plain(start);
        if is_plain[start] && may_copy {
            for (&i, &a) in sides[0].iter().zip(&sides[1]) {
                copy[i as usize] = a - half as u32;
            }
        }
        if is_plain[start] {
            for (ways, nodes) in ways.iter_mut().zip(&sides) {
                *ways += log_factorial(nodes.len());
            }
            let [source, target] = sides;
            groups[0].push(source);
            groups[1].push(target.iter().map(|a| a - half as u32).collect());
        }
    }
    let parts = open.parts(&is_plain);
    let (classes, is_known) = classes(&parts, budget);
    may_copy &= is_known;
    for class in &classes {
        let (orbits, own_ways) = orbits_within(&parts[class.members[0].0].part, budget);
        // The nodes of every member, each where the first member's lies upon it.
        let mut laid: [Vec<Vec<u32>>; 2] = Default::default();
        for (k, mapping) in &class.members {
            let Placed { side, nodes, .. } = &parts[*k];
            let shift = side * half;
            let place = |&v: &u32| nodes[v as usize] - shift as u32;
            laid[*side].push(mapping.iter().map(place).collect());
        }
        for (ways, laid) in ways.iter_mut().zip(&laid) {
            *ways += log_factorial(laid.len()) + laid.len() as f64 * own_ways;
        }
        for (groups, laid) in groups.iter_mut().zip(&laid) {
            for orbit in &orbits {
                let nodes = laid
                    .iter()
                    .flat_map(|nodes| orbit.iter().map(|&v| nodes[v as usize]));
                groups.push(nodes.collect());
            }
        }
        may_copy &= laid[0].len() == laid[1].len();
        for (own, other) in laid[0].iter().zip(&laid[1]) {
            for (&i, &a) in own.iter().zip(other) {
                copy[i as usize] = a;
            }
        }
    }
    let [source, target] = groups;
    Symmetry {
        orbits: [
            Orbits::new(half, source),
            Orbits::new(links.nodes() - half, target),
        ],
        copy: (may_copy && is_copy(links, &copy)).then_some(copy),
        ways,
    }
}

fn log_factorial(n: usize) -> f64 {
    (2..=n).map(|k| (k as f64).ln()).sum()
}

/// Whether every node of the first graph is joined as its partner is.
fn is_copy(links: &TwoGraphs<'_>, partner: &[u32]) -> bool {
    let half = links.half();
    let digest = |node: usize, name: &dyn Fn(usize) -> u64| {
        let mut sum = 0u64;
        links.each(node, |u, label| {
            sum = sum.wrapping_add(mixed(mixed(label) ^ name(u)));
        });
        sum
    };
    links.of(0).all(|i| {
        let own = digest(i, &|u| u64::from(partner[u]));
        own == digest(half + partner[i] as usize, &|u| (u - half) as u64)
    })
}

/// The graphs with cells that no longer split.
struct Open<'a> {
    links: &'a TwoGraphs<'a>,
    cells: &'a Cells,
    /// Nodes of either graph in each cell.
    counts: &'a [[u32; 2]],
}

/// The cell of a neighbour, the neighbour, and how it is joined.
type Joined = (usize, u32, u64);

impl Open<'_> {
    fn side(&self, node: usize) -> usize {
        usize::from(node >= self.links.half())
    }

    /// What tells a node from others of its cell: its links to cells of several nodes, but for those that it has
    /// to all of them alike.
    fn telling(&self, node: usize, joined: &mut Vec<Joined>) {
        let side = self.side(node);
        joined.clear();
        self.links.each(node, |u, label| {
            let cell = self.cells.of(u);
            if self.counts[cell][side] > 1 {
                joined.push((cell, u as u32, mixed(label)));
            }
        });
        joined.sort_unstable();
        // Several links to one node are one, of all their labels.
        joined.dedup_by(|next, kept| {
            let same = next.1 == kept.1;
            if same {
                kept.2 = mixed(kept.2.wrapping_add(next.2));
            }
            same
        });
        let own = self.cells.of(node);
        let (mut kept, mut first) = (0, 0);
        while first < joined.len() {
            let (cell, _, label) = joined[first];
            let len = joined[first..].partition_point(|link| link.0 == cell);
            let all = self.counts[cell][side] as usize - usize::from(cell == own);
            let run = first..first + len;
            let is_same = len == all && joined[run.clone()].iter().all(|link| link.2 == label);
            if !is_same {
                joined.copy_within(run, kept);
                kept += len;
            }
            first += len;
        }
        joined.truncate(kept);
    }

    /// Whether nothing tells the nodes of a cell apart: no link, or the same to whole cells.
    fn is_plain(&self, start: usize) -> bool {
        let mut joined = Vec::new();
        [0, 1].iter().all(|&side| {
            let mut members = self.cells.members(start).iter();
            let first = members.find(|&&v| self.side(v as usize) == side);
            first.is_none_or(|&v| {
                self.telling(v as usize, &mut joined);
                joined.is_empty()
            })
        })
    }

    /// The connected parts of the nodes that are not plain, joined by what tells them apart.
    fn parts(&self, is_plain: &[bool]) -> Vec<Placed> {
        let (links, cells) = (self.links, self.cells);
        let mut parts = Vec::new();
        let mut number = vec![u32::MAX; links.nodes()];
        let mut joined = Vec::new();
        for v in 0..links.nodes() {
            if number[v] != u32::MAX || is_plain[cells.of(v)] {
                continue;
            }
            let mut nodes = vec![v as u32];
            number[v] = 0;
            let mut next = 0;
            while let Some(&u) = nodes.get(next) {
                self.telling(u as usize, &mut joined);
                for &(_, w, _) in &joined {
                    if number[w as usize] == u32::MAX {
                        number[w as usize] = 0;
                        nodes.push(w);
                    }
                }
                next += 1;
            }
            nodes.sort_unstable_by_key(|&u| (cells.of(u as usize), u));
            for (k, &u) in nodes.iter().enumerate() {
                number[u as usize] = k as u32;
            }
            let mut part = Part::default();
            for &u in &nodes {
                self.telling(u as usize, &mut joined);
                let own = joined.iter();
                part.links
                    .extend(own.map(|&(_, w, label)| (number[w as usize], label)));
                part.ends.push(part.links.len() as u32);
                part.cells.push(cells.of(u as usize) as u64);
            }
            let side = self.side(v);
            parts.push(Placed { side, nodes, part });
        }
        parts
    }
}

/// The parts by what they are, and whether all were compared.
fn classes(parts: &[Placed], budget: &mut Budget<'_>) -> (Vec<Class>, bool) {
    let mut by_look: BTreeMap<(&[u64], u64), Vec<usize>> = BTreeMap::new();
    for (k, placed) in parts.iter().enumerate() {
        let labels = placed.part.links.iter().map(|&(_, label)| mixed(label));
        let labels = labels.fold(0u64, u64::wrapping_add);
        let look = (placed.part.cells.as_slice(), labels);
        by_look.entry(look).or_default().push(k);
    }
    let mut classes = Vec::new();
    let mut is_known = true;
    for alike in by_look.into_values() {
        let mut own: Vec<Class> = Vec::new();
        for k in alike {
            let part = &parts[k].part;
            let identity = || (0..part.len() as u32).collect::<Vec<u32>>();
            let mut mapping = None;
            for class in &mut own {
                let first = &parts[class.members[0].0].part;
                if part.len() == 1 {
                    mapping = Some((class, identity()));
                    break;
                }
                match Pairing::new([first, part], budget).any(budget) {
                    Outcome::Found(found) => {
                        mapping = Some((class, found));
                        break;
                    }
                    Outcome::Impossible => {}
                    Outcome::Unknown => is_known = false,
                }
            }
            match mapping {
                Some((class, mapping)) => class.members.push((k, mapping)),
                None => own.push(Class {
                    members: vec![(k, identity())],
                }),
            }
        }
        classes.append(&mut own);
    }
    (classes, is_known)
}

/// The nodes of a part that symmetries of it exchange, and the logarithm of the number of symmetries.
fn orbits_within(part: &Part, budget: &mut Budget<'_>) -> (Vec<Vec<u32>>, f64) {
    let nodes = part.len() as u32;
    let mut ways = 0.0;
    let mut leader: Vec<u32> = (0..nodes).collect();
    let is_open = part.cells.windows(2).any(|pair| pair[0] == pair[1]);
    if is_open {
        let looks = looks(part, budget);
        let mut by_look: BTreeMap<(u64, u64), Vec<u32>> = BTreeMap::new();
        for v in 0..nodes {
            let look = (part.cells[v as usize], looks[v as usize]);
            by_look.entry(look).or_default().push(v);
        }
        let mut pairing = Pairing::new([part, part], budget);
        for alike in by_look.into_values().filter(|alike| alike.len() > 1) {
            let mut leaders: Vec<u32> = Vec::new();
            for v in alike {
                let known = leaders
                    .iter()
                    .any(|&w| find(&mut leader, w) == find(&mut leader, v));
                if known || budget.is_spent() {
                    continue;
                }
                let mut is_new = true;
                for &w in &leaders {
                    if let Outcome::Found(mapping) = pairing.with(w, v, budget) {
                        for (from, &to) in mapping.iter().enumerate() {
                            let (a, b) = (find(&mut leader, from as u32), find(&mut leader, to));
                            leader[a.max(b) as usize] = a.min(b);
                        }
                        is_new = false;
                        break;
                    }
                }
                if is_new {
                    leaders.push(v);
                }
            }
        }
        let mut leaders: Vec<u32> = (0..nodes).map(|v| find(&mut leader, v)).collect();
        leaders.sort_unstable();
        ways = pairing.ways(
            |v| {
                let first = find(&mut leader, v);
                let after = leaders.partition_point(|&other| other <= first);
                after - leaders.partition_point(|&other| other < first)
            },
            budget,
        );
    }
    let mut orbits: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for v in 0..nodes {
        let first = find(&mut leader, v);
        orbits.entry(first).or_default().push(v);
    }
    (orbits.into_values().collect(), ways)
}

/// What is seen from each node when it is set apart: nodes that see different things are not alike.
fn looks(part: &Part, budget: &mut Budget<'_>) -> Vec<u64> {
    let mut cells = Cells::new(&part.cells);
    cells.ask_all();
    let nodes = 0..part.len() as u32;
    if !cells.refine(part, None, usize::MAX, budget) {
        return vec![0; part.len()];
    }
    nodes
        .map(|v| {
            if cells.members(cells.of(v as usize)).len() == 1 {
                return 0;
            }
            let mark = cells.mark();
            *cells.trace() = 0;
            cells.set_apart(&[v]);
            let is_whole = cells.refine(part, None, FOLLOWED, budget);
            let seen = *cells.trace();
            cells.undo(mark);
            if is_whole { seen } else { 0 }
        })
        .collect()
}

fn find(leader: &mut [u32], mut v: u32) -> u32 {
    while leader[v as usize] != v {
        let above = leader[leader[v as usize] as usize];
        leader[v as usize] = above;
        v = above;
    }
    v
}
