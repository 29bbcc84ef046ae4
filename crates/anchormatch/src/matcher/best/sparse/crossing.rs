//! What the edges between the two sides say of a pair, over lists.
//!
//! Of partners ia and jb, the edge from i to b and the one from a to j are the same edge seen twice, as are those from b to i
//! and from j to a (`affinity::likelihood` has them for all pairs). A crossing edge is so a kind of edge whose other end is
//! looked up by its partner: with e and e' for whether the two are there,
//!
//! > g(e, e') = c₁₀ e + c₀₁ e' + κ e e',   κ = c₁₁ − c₁₀ − c₀₁,
//!
//! c₁₁ = ln P(1, 1)/pq, c₁₀ = ln (1 − s')/(1 − q), c₀₁ = ln (1 − s)/(1 − p), where p and q are the shares of all pairs that are
//! joined there and back, and s and s' those of the edges that the other direction has as well, fitted to the pairs at hand.
//! Summed over the pairs jb that are known this is κ times the number of common edges, entries of a product of sparse matrices,
//! and a number for each node alone, which is taken from its mean: an ordinary pair with nothing in common has none. Nodes that
//! very many edges lead to are left out. Weights are not compared.

use super::side::NONE;
use crate::linalg::Csr;
use crate::matcher::best::thresholds::sparse::{CROSSED, MOST_OF_CROSSING};
use crate::task::Task;

/// Edges seen twice out of so many, before anything is known.
const PRIOR: (f64, f64) = (2.0, 4.0);

/// How many bytes the edges between the sides of a task take, and what they say of pairs next to each other.
pub(super) fn bytes(task: &Task<'_>) -> u64 {
    let crossing = task.facts().crossing.iter().flatten();
    crossing.map(|edges| 256 * edges.entries() as u64).sum()
}

/// The edges between the sides, and what they say under the last fit.
pub(super) struct Crossing {
    /// Edges from the source by their tails and by their heads; every entry is 1.
    there: [Csr<f64>; 2],
    /// Those from the target.
    back: [Csr<f64>; 2],
    /// Pairs with anything in common or between them, in nats.
    listed: Csr<f32>,
    /// What is said of source and of target nodes alone.
    alone: [Vec<f32>; 2],
}

/// What two edges say.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Evidence {
    there_alone: f64,
    back_alone: f64,
    common: f64,
}

impl Crossing {
    pub(super) fn new([there, back]: [&Csr<f64>; 2]) -> Self {
        let both = |table: &Csr<f64>| {
            let table = table.filtered(|_, _, weight| weight != 0.0).map(|_| 1.0);
            let turned = table.transposed();
            [table, turned]
        };
        Self {
            listed: Csr::empty(there.rows(), there.cols()),
            alone: [vec![0.0; there.rows()], vec![0.0; there.cols()]],
            there: both(there),
            back: both(back),
        }
    }

    /// Fits how many edges are seen twice to pairs, and says what they tell of all others.
    pub(super) fn fit(&mut self, partners: &[Vec<u32>; 2]) {
        let evidence = self.evidence(partners);
        let ways = [0, 1].map(|way| self.known(way, partners));
        let products = [
            ways[0].multiply(&self.back[1]),
            ways[1].multiply(&self.there[0]),
        ];
        let common = products.iter().flat_map(Csr::triplets);
        let common = common.map(|(i, a, count)| (i, a, evidence.common * count));
        // Edges between the two themselves, and what is in common through somebody who would have the same partner.
        let between = self.there[0].triplets().flat_map(|(i, a, _)| {
            let mirrored = self.back[0].get(a, i).is_some();
            let own = evidence.there_alone + if mirrored { evidence.common } else { 0.0 };
            [own, -evidence.common * self.through(0, i, a, partners)].map(|nats| (i, a, nats))
        });
        let between_back = self.back[0].triplets().flat_map(|(a, i, _)| {
            let through = self.through(1, i, a, partners);
            [evidence.back_alone, -evidence.common * through].map(|nats| (i, a, nats))
        });
        let (n, m) = (self.there[0].rows(), self.there[0].cols());
        let entries = common.chain(between).chain(between_back);
        let listed = Csr::from_triplets(n, m, entries).expect("nodes of the two sides");
        self.listed = listed.map(|nats| nats as f32);
        let sources = (0..n).map(|i| ways[0].range(i).len() + ways[1].range(i).len());
        let sources = sources.map(|edges| evidence.there_alone * edges as f64);
        let targets = (0..m).map(|a| evidence.back_alone * self.known_of_target(a, partners));
        let alone: [Vec<f64>; 2] = [sources.collect(), targets.collect()];
        self.alone = alone.map(|side| from_mean(&side));
    }

    /// What is said of a pair, in nats.
    #[inline]
    pub(super) fn nats(&self, i: usize, a: usize) -> f32 {
        let listed = self.listed.get(i, a).unwrap_or(0.0);
        let nats = listed + self.alone[0][i] + self.alone[1][a];
        nats.clamp(-MOST_OF_CROSSING, MOST_OF_CROSSING)
    }

    /// Partners that come up for a source node, and what is said of them.
    pub(super) fn row(&self, i: usize) -> impl Iterator<Item = (u32, f32)> + '_ {
        let row = self.listed.row(i).map(|(a, nats)| (a as u32, nats));
        row.filter(|(_, nats)| *nats > 0.0)
    }

    /// Whether an edge to or from node b of the target, whose partner is j, is heard: 0 for edges to b, 1 for those from it.
    fn is_heard(&self, way: usize, j: usize, b: usize) -> bool {
        let [own, other] = match way {
            0 => [&self.there[1], &self.back[1]],
            _ => [&self.back[0], &self.there[0]],
        };
        own.range(b).len() * other.range(j).len() <= CROSSED
    }

    /// The edges from (0) or to (1) each source node, by the partners of their ends in the target.
    fn known(&self, way: usize, partners: &[Vec<u32>; 2]) -> Csr<f64> {
        let edges = [&self.there[0], &self.back[1]][way];
        let known = edges.triplets().filter_map(|(i, b, _)| {
            let j = partners[1][b];
            let heard = j != NONE && j as usize != i && self.is_heard(way, j as usize, b);
            heard.then_some((i, j as usize, 1.0))
        });
        let n = edges.rows();
        Csr::from_triplets(n, n, known).expect("partners are nodes")
    }

    /// The edges of a target node, counted in the same way.
    fn known_of_target(&self, a: usize, partners: &[Vec<u32>; 2]) -> f64 {
        let heard = |way: usize, j: usize| {
            let b = partners[0][j];
            b != NONE && b as usize != a && self.is_heard(way, j, b as usize)
        };
        let from = self.back[0].columns(a).iter();
        let to = self.there[1].columns(a).iter();
        let from = from.filter(|&&j| heard(0, j as usize)).count();
        (from + to.filter(|&&j| heard(1, j as usize)).count()) as f64
    }

    /// 1 where the partner j of a makes an edge between i and a look like one in common, which it is not: both cannot have a.
    fn through(&self, way: usize, i: usize, a: usize, partners: &[Vec<u32>; 2]) -> f64 {
        let j = partners[1][a];
        if j == NONE || j as usize == i || !self.is_heard(way, j as usize, a) {
            return 0.0;
        }
        let mirror = match way {
            0 => self.back[0].get(a, j as usize),
            _ => self.there[0].get(j as usize, a),
        };
        mirror.unwrap_or(0.0)
    }

    fn evidence(&self, partners: &[Vec<u32>; 2]) -> Evidence {
        let (mut common, mut seen) = (0.0, [0.0; 2]);
        for (i, b, _) in self.there[0].triplets() {
            let (a, j) = (partners[0][i], partners[1][b]);
            if a != NONE && j != NONE {
                seen[0] += 1.0;
                common += self.back[0].get(a as usize, j as usize).unwrap_or(0.0);
            }
        }
        for (a, j, _) in self.back[0].triplets() {
            if partners[1][a] != NONE && partners[0][j] != NONE {
                seen[1] += 1.0;
            }
        }
        let kept = seen.map(|all| ((common + PRIOR.0) / (all + PRIOR.1)).clamp(0.02, 0.98));
        let pairs = (self.there[0].rows() * self.there[0].cols()).max(1) as f64;
        // Not quite all or none, so that logarithms exist.
        let density = |edges: &Csr<f64>| ((edges.entries() as f64 + 0.1) / pairs).min(0.9);
        let (p, q) = (density(&self.there[0]), density(&self.back[0]));
        let both = (p * kept[0] * q * kept[1]).sqrt();
        let there_alone = ((1.0 - kept[0]) / (1.0 - q)).ln().min(0.0);
        let back_alone = ((1.0 - kept[1]) / (1.0 - p)).ln().min(0.0);
        Evidence {
            there_alone,
            back_alone,
            common: ((both / (p * q)).ln() - there_alone - back_alone).max(0.0),
        }
    }
}

/// Numbers less their mean.
fn from_mean(values: &[f64]) -> Vec<f32> {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter().map(|value| (value - mean) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edges of two sides of n nodes, node i's partner being (3 i + 1) mod n, most of them seen twice.
    fn edges(n: usize) -> [Csr<f64>; 2] {
        let partner = |i: usize| (3 * i + 1) % n;
        let mut lists = [Vec::new(), Vec::new()];
        for i in 0..n {
            for j in (0..n).filter(|j| (5 * i + 7 * j + i * j) % 6 == 0) {
                let kind = (i * 11 + j * 3) % 8;
                if kind != 1 {
                    lists[0].push((i, partner(j), 2.0));
                }
                if kind != 5 {
                    lists[1].push((partner(i), j, 3.0));
                }
            }
        }
        lists.map(|list| Csr::from_triplets(n, n, list).unwrap())
    }

    /// What lists say is the sum over all known pairs, up to a number for each node.
    #[test]
    fn pairs_have_the_evidence_of_all_known_pairs() {
        let n = 20;
        let [there, back] = edges(n);
        let mut partners = [vec![NONE; n], vec![NONE; n]];
        // The last two pairs are crossed.
        for i in 0..12 {
            let a = (3 * [i, 11, 10][if i < 10 { 0 } else { i - 9 }] + 1) % n;
            (partners[0][i], partners[1][a]) = (a as u32, i as u32);
        }
        let mut crossing = Crossing::new([&there, &back]);
        crossing.fit(&partners);
        let evidence = crossing.evidence(&partners);
        assert!(evidence.common > 1.0 && evidence.there_alone < -0.1);
        let is = |table: &Csr<f64>, i: usize, j: usize| table.get(i, j).map_or(0.0, |_| 1.0);
        let g = |e: f64, f: f64| {
            evidence.there_alone * e + evidence.back_alone * f + evidence.common * e * f
        };
        let sum = |i: usize, a: usize| -> f64 {
            let others = (0..n).filter(|&j| j != i && partners[0][j] != NONE);
            let others = others.map(|j| (j, partners[0][j] as usize));
            let each = others.filter(|&(_, b)| b != a).map(|(j, b)| {
                g(is(&there, i, b), is(&back, a, j)) + g(is(&there, j, a), is(&back, b, i))
            });
            each.sum::<f64>() + g(is(&there, i, a), is(&back, a, i))
        };
        // The numbers of nodes drop out of every quadrangle of free nodes.
        for (i, j) in [(12, 15), (13, 19), (14, 16)] {
            for (k, l) in [(17, 18), (12, 13), (15, 19)] {
                let (a, b) = ((3 * k + 1) % n, (3 * l + 1) % n);
                let of = |f: &dyn Fn(usize, usize) -> f64| f(i, a) + f(j, b) - f(i, b) - f(j, a);
                let found = of(&|i, a| f64::from(crossing.nats(i, a)));
                let wanted = of(&sum);
                assert!((found - wanted).abs() < 1e-4, "{found} {wanted}");
            }
        }
        // Of nodes with partners, what is in common by them is not counted.
        let count = |i: usize, a: usize| {
            let common = |e: f64, f: f64| e * f;
            let others = (0..n).filter(|&j| j != i && partners[0][j] != NONE);
            let others = others.map(|j| (j, partners[0][j] as usize));
            let each = others.filter(|&(_, b)| b != a).map(|(j, b)| {
                common(is(&there, i, b), is(&back, a, j))
                    + common(is(&there, j, a), is(&back, b, i))
            });
            each.sum::<f64>() + common(is(&there, i, a), is(&back, a, i))
        };
        for i in 0..n {
            for a in 0..n {
                let own = evidence.there_alone * is(&there, i, a);
                let own = own + evidence.back_alone * is(&back, a, i);
                let found = f64::from(crossing.listed.get(i, a).unwrap_or(0.0)) - own;
                let wanted = evidence.common * count(i, a);
                assert!((found - wanted).abs() < 1e-4, "{i} {a}: {found} {wanted}");
            }
        }
    }

    #[test]
    fn without_edges_nothing_is_said() {
        let none = Csr::empty(3, 4);
        let back = Csr::empty(4, 3);
        let mut crossing = Crossing::new([&none, &back]);
        crossing.fit(&[vec![0, NONE, NONE], vec![0, NONE, NONE, NONE]]);
        assert_eq!(crossing.nats(1, 2), 0.0);
        assert_eq!(crossing.row(1).count(), 0);
    }
}
