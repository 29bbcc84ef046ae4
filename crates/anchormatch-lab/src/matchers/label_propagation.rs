//! Label propagation, the baseline of alignment by diffused random vectors.
//!
//! Every anchor has a random vector, the same on both sides, and all other nodes have zero. In each hop a node takes the
//! sum of its neighbours' vectors at length 1; what it had before and after every hop, side by side, is its signature. The
//! most similar signatures by cosine are balanced by Sinkhorn's sweeps, and pairs that are each other's best are anchors of
//! the next round. After the idea of Mao et al., *LightEA: a scalable, robust, and interpretable entity alignment framework via
//! three-view label propagation*, EMNLP 2022, without its relations.

use anchormatch::assignment::ListedSinkhorn;
use anchormatch::linalg::{Csr, multiply_transposed_into};
use anchormatch::matcher::Matcher;
use anchormatch::settings::Settings;
use anchormatch::{Assignment, Matching, Monitor, Result, Task};
use anchormatch_generate::stream;
use rand::RngExt;
use rayon::prelude::*;

use super::{found, without_parameters};

/// Numbers of a random vector.
const DIMENSIONS: usize = 128;

/// Hops of the diffusion.
const HOPS: usize = 3;

/// Numbers of a signature.
const WIDTH: usize = DIMENSIONS * (HOPS + 1);

/// Rounds at most; it ends before when a round finds the pairs of the last.
const ROUNDS: usize = 5;

/// Candidates of a node.
const CANDIDATES: usize = 50;

/// What a difference of cosines is divided by before its exponential is taken.
const TEMPERATURE: f64 = 0.05;

/// The sums that the sweeps end at, and sweeps at most.
const SWEEPS: (f64, usize) = (1e-3, 15);

/// Rows that are compared with all columns at a time.
const BLOCK: usize = 128;

/// The baseline.
#[derive(Debug, Clone, Copy, Default)]
pub struct LabelPropagation;

impl Matcher for LabelPropagation {
    fn name(&self) -> &'static str {
        "label propagation"
    }

    fn about(&self) -> &'static str {
        "Random vectors on anchors, diffused and compared (as in LightEA, Mao et al. 2022)"
    }

    fn parameters(&self) -> Settings {
        Settings::new()
    }

    fn configured(&self, settings: &Settings) -> Result<Box<dyn Matcher>> {
        without_parameters(self, settings)
    }

    /// Matches the pairs that are each other's best in the last round.
    ///
    /// # Complexity
    /// O(n₁ n₂) products of signatures a round; O(n₁ + n₂) numbers a hop of memory.
    fn run(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Matching> {
        let graphs = task.graphs();
        let nodes = graphs[0].node_count() + graphs[1].node_count();
        let numbers = (nodes as u64).saturating_mul(3 * WIDTH as u64);
        monitor.reserve("the signatures of all nodes", 8 * numbers, &[])?;
        monitor.answerable();
        let adjacency = graphs.map(|graph| graph.sparse_adjacency().map(|_| 1.0));
        let (sources, targets) = task.anchors().free_nodes(task.source(), task.target());
        let anchors = task.anchors().hard();
        let mut mutual: Vec<(usize, usize)> = Vec::new();
        for round in 0..ROUNDS {
            let seeds: Vec<(usize, usize)> = anchors.iter().chain(&mutual).copied().collect();
            let ends = [
                seeds.iter().map(|pair| pair.0).collect::<Vec<_>>(),
                seeds.iter().map(|pair| pair.1).collect(),
            ];
            let signed = [0, 1].map(|k| signatures(&adjacency[k], &ends[k], round as u64));
            let left = gathered(&signed[0], &sources);
            let right = gathered(&signed[1], &targets);
            let Some(near) = nearest(&left, &right, monitor)? else {
                break;
            };
            let found = best_of_each_other(&near).into_iter();
            let found: Vec<_> = found.map(|(i, a)| (sources[i], targets[a])).collect();
            if found == mutual {
                break;
            }
            mutual = found;
        }
        let mut partners = vec![None; sources.len()];
        for (source, target) in mutual {
            let place = sources.binary_search(&source).ok();
            if let Some(place) = place {
                partners[place] = targets.binary_search(&target).ok();
            }
        }
        let assignment = Assignment::from_partners(partners);
        Ok(found(task, assignment, monitor))
    }
}

/// The signatures of all nodes, one after the other: zero, or of length 1.
fn signatures(adjacency: &Csr<f64>, seeds: &[usize], draw: u64) -> Vec<f64> {
    let nodes = adjacency.rows();
    let mut vectors = vec![0.0; nodes * DIMENSIONS];
    // The k-th anchor draws the same on both sides.
    let mut random = stream(draw, 17);
    for &seed in seeds {
        for number in &mut vectors[seed * DIMENSIONS..][..DIMENSIONS] {
            *number = if random.random() { 1.0 } else { -1.0 };
        }
    }
    shorten(&mut vectors, DIMENSIONS);
    let mut signatures = vec![0.0; nodes * WIDTH];
    let mut next = vec![0.0; nodes * DIMENSIONS];
    for hop in 0..=HOPS {
        let own = signatures.chunks_exact_mut(WIDTH);
        for (signature, vector) in own.zip(vectors.chunks_exact(DIMENSIONS)) {
            signature[hop * DIMENSIONS..][..DIMENSIONS].copy_from_slice(vector);
        }
        adjacency.multiply_into(&mut next, &vectors, DIMENSIONS);
        std::mem::swap(&mut vectors, &mut next);
        shorten(&mut vectors, DIMENSIONS);
    }
    shorten(&mut signatures, WIDTH);
    signatures
}

/// Brings every row that is not zero to length 1.
fn shorten(rows: &mut [f64], width: usize) {
    rows.par_chunks_mut(width).for_each(|row| {
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|x| *x /= length);
        }
    });
}

/// The signatures of some nodes.
fn gathered(signatures: &[f64], nodes: &[usize]) -> Vec<f64> {
    let rows = nodes.iter();
    rows.flat_map(|&node| &signatures[node * WIDTH..][..WIDTH])
        .copied()
        .collect()
}

/// The columns that are most similar to each row, and their cosines; none for a row that nothing has reached. `None` when
/// the monitor stops it.
fn nearest(left: &[f64], right: &[f64], monitor: &Monitor) -> Result<Option<Csr<f64>>> {
    let columns = right.len() / WIDTH;
    let mut lists: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut cosines = vec![0.0; BLOCK * columns];
    for block in left.chunks(BLOCK * WIDTH) {
        if monitor.interrupted().is_some() {
            return Ok(None);
        }
        let rows = block.len() / WIDTH;
        let cosines = &mut cosines[..rows * columns];
        multiply_transposed_into(cosines, block, right, rows, WIDTH, columns);
        lists.par_extend((0..rows).into_par_iter().map(|i| {
            match block[i * WIDTH..][..WIDTH].iter().any(|x| *x != 0.0) {
                true => largest(&cosines[i * columns..][..columns]),
                false => Vec::new(),
            }
        }));
    }
    Csr::from_rows(columns, lists).map(Some)
}

/// The largest of these numbers with their places, which ascend; of equals the first.
fn largest(numbers: &[f64]) -> Vec<(usize, f64)> {
    let mut all: Vec<(usize, f64)> = numbers.iter().copied().enumerate().collect();
    if all.len() > CANDIDATES {
        let before = |x: &(usize, f64), y: &(usize, f64)| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0));
        all.select_nth_unstable_by(CANDIDATES, before);
        all.truncate(CANDIDATES);
        all.sort_unstable_by_key(|entry| entry.0);
    }
    all
}

/// The pairs that are each other's best after the balancing; of equals the first.
fn best_of_each_other(cosines: &Csr<f64>) -> Vec<(usize, usize)> {
    let lists = cosines.map(|_| ());
    let mut values: Vec<f64> = cosines.values().to_vec();
    for value in &mut values {
        *value = ((*value - 1.0) / TEMPERATURE).exp();
    }
    ListedSinkhorn::new().balance(&lists, &mut values, SWEEPS, || true);
    let mut of_column = vec![(0.0, None); lists.cols()];
    let mut of_row = vec![(0.0, None); lists.rows()];
    for (i, best) in of_row.iter_mut().enumerate() {
        for (&a, &value) in lists.columns(i).iter().zip(&values[lists.range(i)]) {
            let a = a as usize;
            if value > best.0 {
                *best = (value, Some(a));
            }
            if value > of_column[a].0 {
                of_column[a] = (value, Some(i));
            }
        }
    }
    let pairs = of_row.iter().enumerate();
    let pairs = pairs.filter_map(|(i, best)| best.1.map(|a| (i, a)));
    pairs.filter(|&(i, a)| of_column[a].1 == Some(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::Graph;
    use anchormatch_generate::{NoisyCopies, noisy_copies};

    #[test]
    fn it_finds_most_partners_among_many_anchors() {
        let settings = NoisyCopies {
            nodes: 600,
            kept: [0.95; 2],
            ..NoisyCopies::default()
        };
        let instance = noisy_copies(&settings, 3).unwrap();
        let anchors = instance.random_anchors(60, &mut stream(3, 9)).unwrap();
        let task = Task::from_pairs(&instance.source, &instance.target, &anchors).unwrap();
        let matching = LabelPropagation.run(&task, &Monitor::silent()).unwrap();
        let score = matching.score(&instance.truth).unwrap();
        assert!(score.right as f64 > 0.95 * score.asked as f64, "{score:?}");
        let found = matching.pairs.len() - anchors.len();
        assert!(
            found as f64 <= 1.02 * score.right as f64,
            "{found} {score:?}"
        );
    }

    #[test]
    fn signatures_are_what_reaches_a_node_in_so_many_hops() {
        // 0 – 1 – 2 – 3 – 4 – 5, and 6 alone; the anchor is 0.
        let edges: Vec<_> = (0..5).map(|i| (i, i + 1, 2.0)).collect();
        let path = Graph::from_edges(7, &edges).unwrap();
        let adjacency = path.sparse_adjacency().map(|_| 1.0);
        let all = signatures(&adjacency, &[0], 5);
        let part = |node: usize, hop: usize| &all[node * WIDTH + hop * DIMENSIONS..][..DIMENSIONS];
        let label = part(0, 0);
        // Walks of so many steps from 0 to each node: where there is one, its vector is that of the anchor, at the
        // length that is left to one of as many parts.
        let walks = [
            [1, 0, 1, 0],
            [0, 1, 0, 1],
            [0, 0, 1, 0],
            [0, 0, 0, 1],
            [0; 4],
            [0; 4],
            [0; 4],
        ];
        for (node, walks) in walks.iter().enumerate() {
            let parts = walks.iter().sum::<u32>();
            for (hop, &walk) in walks.iter().enumerate() {
                for (x, y) in part(node, hop).iter().zip(label) {
                    // The label itself stands at the anchor at 1/√2.
                    let wanted = f64::from(walk) * y * (2.0 / f64::from(parts.max(1))).sqrt();
                    assert!((x - wanted).abs() < 1e-12, "node {node}, hop {hop}");
                }
            }
        }
    }

    #[test]
    fn the_largest_are_those_of_a_sort() {
        let numbers: Vec<f64> = (0..200).map(|k| f64::from(k * 37 % 101)).collect();
        let mut sorted: Vec<(usize, f64)> = numbers.iter().copied().enumerate().collect();
        sorted.sort_by(|x, y| y.1.total_cmp(&x.1));
        sorted.truncate(CANDIDATES);
        sorted.sort_by_key(|entry| entry.0);
        assert_eq!(largest(&numbers), sorted);
        assert_eq!(largest(&[2.0, 1.0]), [(0, 2.0), (1, 1.0)]);
    }
}
