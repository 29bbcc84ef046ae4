//! Part of stage *chance*: what triangles explain of the evidence.
//!
//! The bound of [`chance`](super::chance) takes the edges of unrelated graphs to be independent. Where nodes that share
//! neighbours are joined more often than others, they are not: two unrelated geometric graphs can be laid upon each
//! other patch by patch, and most edges of a patch fall on edges, for each of the two graphs repeats itself.
//!
//! Let x, y say whether the two sides join a pair of matched pairs, and z, w of how many neighbours the two nodes
//! share on either side, in classes of as many edges each. With entropies and informations over all pairs of pairs,
//!
//! > E = I(x; y),  G = I(x; y | z, w),  R = √(H(x | z)/H(x) · H(y | w)/H(y))
//!
//! E is the evidence of the edges (of one pair), G what is left of it for whoever knows the triangles of both sides, and R
//! the share of what edges tell that triangles do not. Chance chooses among all matchings by E, and has
//! ln(their number) nats to spend; of these the share R is spent on what triangles leave open. So that G > R · ln(number) is
//! asked where E > ln(number) was: the evidence counts by the factor G/(R · E), at most 1. It is 1 for copies, where G = R · E,
//! for graphs without triangles, and for complete ones.

use rayon::prelude::*;

use super::thresholds::{
    CLOSURE_CLASSES, CLOSURE_HUB, CLOSURE_OPEN, CLOSURE_VISITS, CLOSURE_VISITS_STOPPED,
};
use crate::graph::Graph;
use crate::linalg::Csr;
use crate::monitor::Monitor;

/// Tasks that nodes are divided among; counts are whole numbers, so that their sums are the same in any order.
const TASKS: usize = 8;

/// No partner.
const NONE: u32 = u32::MAX;

/// Two graphs, and the classes of their pairs of nodes.
pub(super) struct Closure<'a> {
    sides: [Side<'a>; 2],
}

struct Side<'a> {
    edges: &'a Csr<f64>,
    /// The least number of shared neighbours of each class but the first.
    bounds: Vec<u32>,
    /// The visits that all nodes together need.
    visits: f64,
}

/// How many neighbours one node shares with each of the others, and whether they are joined.
struct Shared {
    counts: Vec<u32>,
    joined: Vec<bool>,
    /// Those with any of both.
    met: Vec<usize>,
}

impl<'a> Closure<'a> {
    /// Nothing where one of the graphs joins all pairs of its nodes: triangles then explain nothing.
    pub(super) fn of(graphs: [&'a Graph; 2], monitor: &Monitor) -> Option<Self> {
        let is_complete = graphs
            .map(Graph::sparse_adjacency)
            .into_iter()
            .any(joins_all);
        (!is_complete).then(|| Self::counted(graphs, monitor))
    }

    fn counted(graphs: [&'a Graph; 2], monitor: &Monitor) -> Self {
        Self {
            sides: graphs.map(|graph| Side::of(graph.sparse_adjacency(), visits(monitor))),
        }
    }

    /// What triangles leave of the evidence of a matching's edges.
    ///
    /// # Complexity
    /// The pairs of neighbours of all nodes, of more than [`CLOSURE_VISITS`] a sample of the nodes.
    pub(super) fn unexplained(&self, pairs: &[(usize, usize)], monitor: &Monitor) -> f64 {
        factor(&self.table(pairs, visits(monitor)), self.classes())
    }

    fn classes(&self) -> [usize; 2] {
        self.sides.each_ref().map(|side| side.bounds.len() + 1)
    }

    /// How often a pair of pairs of either class is joined on either side.
    fn table(&self, pairs: &[(usize, usize)], visits: f64) -> Vec<Cell> {
        let [source, target] = &self.sides;
        let mut partner = vec![NONE; source.edges.rows()];
        let mut back = vec![NONE; target.edges.rows()];
        for &(i, a) in pairs {
            (partner[i], back[a]) = (a as u32, i as u32);
        }
        let needed = source.visits.max(target.visits) * pairs.len() as f64
            / source.edges.rows().max(1) as f64;
        let asked: Vec<(usize, usize)> = pairs
            .iter()
            .copied()
            .step_by(step(needed, visits))
            .collect();
        let parts = asked.par_chunks(asked.len().div_ceil(TASKS).max(1));
        let parts: Vec<Vec<Cell>> = parts
            .map(|asked| self.part_of_table(asked, pairs.len(), &partner, &back))
            .collect();
        let [rows, columns] = self.classes();
        let mut table = vec![[[0.0; 2]; 2]; rows * columns];
        for (k, cell) in parts.iter().flat_map(|part| part.iter().enumerate()) {
            for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                // Each pair of pairs was met from both ends.
                table[k][x][y] += 0.5 * cell[x][y];
            }
        }
        table
    }

    /// The same of some of the pairs beside all of them, from one end.
    fn part_of_table(
        &self,
        asked: &[(usize, usize)],
        pairs: usize,
        partner: &[u32],
        back: &[u32],
    ) -> Vec<Cell> {
        let [source, target] = &self.sides;
        let classes = self.classes();
        let mut table = vec![[[0.0; 2]; 2]; classes[0] * classes[1]];
        let mut shared = [source.shared(), target.shared()];
        for &(i, a) in asked {
            source.visit(i, &mut shared[0]);
            target.visit(a, &mut shared[1]);
            let [one, two] = &shared;
            let mut met = 0;
            let mut count = |j: usize, b: usize| {
                let class = source.class(one.counts[j]) * classes[1] + target.class(two.counts[b]);
                table[class][usize::from(one.joined[j])][usize::from(two.joined[b])] += 1.0;
                met += 1;
            };
            for &j in &one.met {
                if partner[j] != NONE {
                    count(j, partner[j] as usize);
                }
            }
            for &b in &two.met {
                let j = back[b];
                if j != NONE && !one.is_met(j as usize) {
                    count(j as usize, b);
                }
            }
            table[0][0][0] += (pairs - 1 - met) as f64;
            shared.iter_mut().for_each(Shared::clear);
        }
        table
    }
}

fn joins_all(edges: &Csr<f64>) -> bool {
    let others = |i: usize| edges.row(i).filter(|&(j, _)| j != i).count();
    (0..edges.rows()).all(|i| others(i) + 1 == edges.rows())
}

/// Every how many nodes one is asked, where all of them need more visits than are made.
fn step(needed: f64, visits: f64) -> usize {
    (needed / visits).ceil().max(1.0) as usize
}

/// The visits that are made; few when the result is waited for.
fn visits(monitor: &Monitor) -> f64 {
    match monitor.interrupted() {
        None => CLOSURE_VISITS,
        Some(_) => CLOSURE_VISITS_STOPPED,
    }
}

impl<'a> Side<'a> {
    fn of(edges: &'a Csr<f64>, visits: f64) -> Self {
        let degree = |i: usize| edges.row(i).len() as f64;
        let heard = |i: &usize| edges.row(*i).len() <= CLOSURE_HUB;
        let needed: f64 = (0..edges.rows())
            .filter(heard)
            .map(|i| degree(i).powi(2))
            .sum();
        let mut side = Self {
            edges,
            bounds: Vec::new(),
            visits: needed,
        };
        let asked: Vec<usize> = (0..edges.rows()).step_by(step(needed, visits)).collect();
        let parts = asked.par_chunks(asked.len().div_ceil(TASKS).max(1));
        let parts: Vec<Vec<u32>> = parts
            .map(|asked| side.shared_by_neighbours(asked))
            .collect();
        let mut counts = parts.concat();
        counts.par_sort_unstable();
        if !counts.is_empty() {
            let bound = |k: usize| counts[counts.len() * k / CLOSURE_CLASSES].max(1);
            side.bounds.extend((1..CLOSURE_CLASSES).map(bound));
            side.bounds.dedup();
        }
        side
    }

    /// How many neighbours these nodes share with each of those they are joined to.
    fn shared_by_neighbours(&self, asked: &[usize]) -> Vec<u32> {
        let mut shared = self.shared();
        let mut counts = Vec::new();
        for &i in asked {
            self.visit(i, &mut shared);
            let joined = shared.met.iter().filter(|&&j| shared.joined[j]);
            counts.extend(joined.map(|&j| shared.counts[j]));
            shared.clear();
        }
        counts
    }

    fn shared(&self) -> Shared {
        let nodes = self.edges.rows();
        Shared {
            counts: vec![0; nodes],
            joined: vec![false; nodes],
            met: Vec::new(),
        }
    }

    /// Counts what node `i` shares with the others.
    fn visit(&self, i: usize, shared: &mut Shared) {
        for (h, _) in self.edges.row(i).filter(|&(h, _)| h != i) {
            if !shared.is_met(h) {
                shared.met.push(h);
            }
            shared.joined[h] = true;
            // What a hub is joined to says little of any two of them.
            if self.edges.row(h).len() > CLOSURE_HUB {
                continue;
            }
            for (j, _) in self.edges.row(h).filter(|&(j, _)| j != i && j != h) {
                if !shared.is_met(j) {
                    shared.met.push(j);
                }
                shared.counts[j] += 1;
            }
        }
    }

    fn class(&self, count: u32) -> usize {
        self.bounds.partition_point(|&bound| bound <= count)
    }
}

impl Shared {
    fn is_met(&self, j: usize) -> bool {
        self.joined[j] || self.counts[j] > 0
    }

    fn clear(&mut self) {
        for j in self.met.drain(..) {
            (self.counts[j], self.joined[j]) = (0, false);
        }
    }
}

type Cell = [[f64; 2]; 2];

/// G/(R · E) by how often what was met, a nat added to both: a few pairs tell nothing. 1 where triangles tell nothing.
fn factor(table: &[Cell], classes: [usize; 2]) -> f64 {
    let sum = |cells: &mut dyn Iterator<Item = &Cell>| {
        let mut sum = [[0.0; 2]; 2];
        for cell in cells {
            for x in 0..2 {
                for y in 0..2 {
                    sum[x][y] += cell[x][y];
                }
            }
        }
        sum
    };
    let all = sum(&mut table.iter());
    let rows: Vec<Cell> = (table.chunks(classes[1]))
        .map(|row| sum(&mut row.iter()))
        .collect();
    let columns: Vec<Cell> = (0..classes[1])
        .map(|w| sum(&mut table.iter().skip(w).step_by(classes[1])))
        .collect();
    let own = |cell: &Cell| entropy([cell[0][0] + cell[0][1], cell[1][0] + cell[1][1]]);
    let other = |cell: &Cell| entropy([cell[0][0] + cell[1][0], cell[0][1] + cell[1][1]]);
    let left = |within: f64, of: f64| if of > 0.0 { within / of } else { 1.0 };
    let open = left(rows.iter().map(own).sum(), own(&all))
        * left(columns.iter().map(other).sum(), other(&all));
    let open = open.sqrt();
    if open > CLOSURE_OPEN {
        return 1.0;
    }
    let told: f64 = table.iter().map(information).sum();
    let (told, all) = (told.max(0.0), information(&all).max(0.0));
    ((told + 1.0) / (open * all + 1.0)).min(1.0)
}

/// N H, in nats.
fn entropy(counts: [f64; 2]) -> f64 {
    let total: f64 = counts.iter().sum();
    let each = counts.iter().filter(|&&n| n > 0.0);
    each.map(|n| n * (total / n).ln()).sum()
}

/// N I(x; y) less the ½ that a table of four cells has by chance, in nats; 0 where there is nothing to be told.
fn information(cell: &Cell) -> f64 {
    let total: f64 = cell.iter().flatten().sum();
    let mut sum = 0.0;
    for x in 0..2 {
        for y in 0..2 {
            let apart = (cell[x][0] + cell[x][1]) * (cell[0][y] + cell[1][y]);
            if cell[x][y] > 0.0 {
                sum += cell[x][y] * (cell[x][y] * total / apart).ln();
            }
        }
    }
    if sum > 0.0 { sum - 0.5 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Places in a square, joined where they are close to each other.
    fn geometric(nodes: usize, rng: &mut ChaCha8Rng) -> Graph {
        let places: Vec<[f64; 2]> = (0..nodes)
            .map(|_| [rng.random::<f64>(), rng.random::<f64>()])
            .collect();
        let reach = 8.0 / (std::f64::consts::PI * nodes as f64);
        let near =
            |p: [f64; 2], q: [f64; 2]| (p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2) <= reach;
        let pairs = (0..nodes).flat_map(|i| (0..i).map(move |j| (j, i)));
        let edges = pairs.filter(|&(j, i)| near(places[j], places[i]));
        let edges: Vec<_> = edges.map(|(j, i)| (j, i, 1.0)).collect();
        Graph::from_edges(nodes, &edges).unwrap()
    }

    fn thinned(graph: &Graph, kept: f64, rng: &mut ChaCha8Rng) -> Graph {
        let edges: Vec<_> = graph.edges().filter(|_| rng.random_bool(kept)).collect();
        Graph::from_edges(graph.node_count(), &edges).unwrap()
    }

    fn unexplained(graphs: [&Graph; 2], pairs: &[(usize, usize)]) -> f64 {
        let monitor = Monitor::silent();
        Closure::counted(graphs, &monitor).unexplained(pairs, &monitor)
    }

    /// The same by a table of all pairs of nodes, whose classes are counted by hand.
    fn by_hand(graphs: [&Graph; 2], pairs: &[(usize, usize)]) -> Vec<Cell> {
        let closure = Closure::counted(graphs, &Monitor::silent());
        let classes = closure.classes();
        let joined = |k: usize, i: usize, j: usize| graphs[k].weight(i, j) != 0.0;
        let shared = |k: usize, i: usize, j: usize| {
            let nodes = (0..graphs[k].node_count()).filter(|&h| h != i && h != j);
            nodes
                .filter(|&h| joined(k, i, h) && joined(k, j, h))
                .count() as u32
        };
        let mut table = vec![[[0.0; 2]; 2]; classes[0] * classes[1]];
        for (place, &(i, a)) in pairs.iter().enumerate() {
            for &(j, b) in &pairs[..place] {
                let [z, w] = [(0, i, j), (1, a, b)].map(|(k, i, j)| {
                    let bounds = &closure.sides[k].bounds;
                    let count = shared(k, i, j);
                    bounds.iter().filter(|&&bound| bound <= count).count()
                });
                let cell = &mut table[z * classes[1] + w];
                cell[usize::from(joined(0, i, j))][usize::from(joined(1, a, b))] += 1.0;
            }
        }
        table
    }

    #[test]
    fn lists_count_what_all_pairs_do() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let one = geometric(40, &mut rng);
        let two = thinned(&one, 0.7, &mut rng);
        // Six of the pairs are wrong, and five nodes have none.
        let moved = |i: usize| if i < 6 { (i + 1) % 6 } else { i };
        let pairs: Vec<(usize, usize)> = (0..35).map(|i| (i, moved(i))).collect();
        let monitor = Monitor::silent();
        let table = Closure::counted([&one, &two], &monitor).table(&pairs, visits(&monitor));
        assert_eq!(table, by_hand([&one, &two], &pairs));
        assert!(table.len() > 9, "{}", table.len());
    }

    #[test]
    fn the_information_is_that_of_the_formula() {
        // Two fair coins that agree three times in four: ln 2 − H(¼) nats a throw.
        let cell = [[30.0, 10.0], [10.0, 30.0]];
        let each = 2f64.ln() + 0.75 * 0.75f64.ln() + 0.25 * 0.25f64.ln();
        assert!((information(&cell) - (80.0 * each - 0.5)).abs() < 1e-9);
        assert!((entropy([20.0, 20.0]) - 40.0 * 2f64.ln()).abs() < 1e-9);
        assert_eq!(information(&[[5.0, 0.0], [3.0, 0.0]]), 0.0);
    }

    #[test]
    fn copies_keep_their_evidence_and_neighbourhoods_that_are_laid_upon_each_other_do_not() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let one = geometric(150, &mut rng);
        let same: Vec<(usize, usize)> = (0..150).map(|i| (i, i)).collect();
        let left = unexplained;
        assert!(left([&one, &one], &same) > 0.95);
        let [a, b] = [0; 2].map(|_| thinned(&one, 0.9, &mut rng));
        assert!(left([&a, &b], &same) > 0.55);
        // Every node goes to a neighbour: edges fall on edges, for the reason alone that both ends are near.
        let mut moved: Vec<usize> = (0..150).collect();
        for i in 0..150 {
            if let Some((j, _)) = one.neighbours(i).nth(1) {
                moved.swap(i, j);
            }
        }
        let moved: Vec<(usize, usize)> = moved.into_iter().enumerate().collect();
        assert!(left([&a, &b], &moved) < 0.35);
    }

    #[test]
    fn without_triangles_nothing_is_explained() {
        let ring = |n: usize| {
            let edges: Vec<_> = (0..n).map(|i| (i, (i + 1) % n, 1.0)).collect();
            Graph::from_edges(n, &edges).unwrap()
        };
        let pairs: Vec<(usize, usize)> = (0..30).map(|i| (i, (i + 2) % 30)).collect();
        let told = unexplained([&ring(30), &ring(30)], &pairs);
        assert!(told > 0.9, "{told}");
        let empty = Graph::from_edges(3, &[]).unwrap();
        assert_eq!(unexplained([&empty, &empty], &[(0, 1)]), 1.0);
    }

    #[test]
    fn beside_a_complete_graph_nothing_needs_to_be_counted() {
        let pairs = (0..20).flat_map(|i| (0..i).map(move |j| (j, i, 1.0 + i as f64)));
        let complete = Graph::from_edges(20, &pairs.collect::<Vec<_>>()).unwrap();
        let other = geometric(20, &mut ChaCha8Rng::seed_from_u64(3));
        let same: Vec<(usize, usize)> = (0..20).map(|i| (i, i)).collect();
        for graphs in [
            [&complete, &complete],
            [&complete, &other],
            [&other, &complete],
        ] {
            assert!(Closure::of(graphs, &Monitor::silent()).is_none());
            assert_eq!(unexplained(graphs, &same), 1.0);
        }
        assert!(Closure::of([&other, &other], &Monitor::silent()).is_some());
    }
}
