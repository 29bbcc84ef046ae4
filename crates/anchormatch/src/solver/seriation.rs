//! What the two seriations share: a graph as a string of its nodes, and the cheapest way to edit one string into another.
//!
//! **The string** begins with the node of the largest component of a vector; each next one is the neighbour of the last that is
//! not yet in the string and has the largest component, so that the string follows edges; where the last has none left, a
//! neighbour of any before it, and then anybody.
//!
//! **The edit distance** is the least cost of an alignment that keeps both orders (Levenshtein; Wagner and Fischer 1974): to match
//! i with a costs how far their components and the edges by which the strings reach them are apart, to leave one out costs
//! `gap`. Both papers take minus the logarithms of probabilities for these costs, which they build from the same
//! differences.

use crate::linalg::Matrix;

use super::two_graphs::{TIE, TwoGraphs};

/// A graph as a string.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct String {
    /// The nodes in their order.
    pub(super) nodes: Vec<usize>,
    /// The component of each, largest 1.
    pub(super) components: Vec<f64>,
    /// The weight of the edge between each and the one before it; 0 for the first.
    pub(super) steps: Vec<f64>,
}

impl String {
    /// The string of a graph with nonnegative weights, by a nonnegative vector.
    pub(super) fn new(graph: &Matrix, vector: &[f64]) -> Self {
        let n = graph.rows();
        let most = vector.iter().fold(0.0f64, |m, &v| m.max(v));
        let unit = if most > 0.0 { 1.0 / most } else { 0.0 };
        let components: Vec<f64> = vector.iter().map(|v| v * unit).collect();
        let mut nodes: Vec<usize> = Vec::with_capacity(n);
        let mut taken = vec![false; n];
        while nodes.len() < n {
            let free = |i: &usize| !taken[*i];
            let largest = |keep: &dyn Fn(usize) -> bool| {
                let kept = (0..n).filter(free).filter(|&i| keep(i));
                kept.fold(None, |best: Option<usize>, i| match best {
                    // Of equal ones the first.
                    Some(b) if components[i] <= components[b] + TIE => Some(b),
                    _ => Some(i),
                })
            };
            let next = nodes
                .last()
                .and_then(|&last| largest(&|i| graph[(last, i)] > 0.0))
                .or_else(|| largest(&|i| nodes.iter().any(|&j| graph[(j, i)] > 0.0)))
                .or_else(|| largest(&|_| true));
            let Some(next) = next else { break };
            taken[next] = true;
            nodes.push(next);
        }
        let steps = (0..n).map(|k| {
            if k == 0 {
                0.0
            } else {
                graph[(nodes[k - 1], nodes[k])]
            }
        });
        Self {
            steps: steps.collect(),
            components,
            nodes,
        }
    }
}

/// The least cost of editing one string into the other, and which nodes it matches.
pub(super) fn edit(one: &String, two: &String, gap: f64) -> (f64, Vec<(usize, usize)>) {
    let (n, m) = (one.nodes.len(), two.nodes.len());
    let exchange = |p: usize, q: usize| {
        let components = one.components[one.nodes[p]] - two.components[two.nodes[q]];
        components.abs() + (one.steps[p] - two.steps[q]).abs()
    };
    let mut cost = Matrix::from_fn(n + 1, m + 1, |p, q| gap * (p + q) as f64);
    for p in 0..n {
        for q in 0..m {
            let aligned = cost[(p, q)] + exchange(p, q);
            let left_out = gap + cost[(p, q + 1)].min(cost[(p + 1, q)]);
            cost[(p + 1, q + 1)] = aligned.min(left_out);
        }
    }
    let (mut p, mut q) = (n, m);
    let mut pairs = Vec::new();
    while p > 0 && q > 0 {
        let here = cost[(p, q)];
        if here >= cost[(p - 1, q - 1)] + exchange(p - 1, q - 1) {
            pairs.push((one.nodes[p - 1], two.nodes[q - 1]));
            (p, q) = (p - 1, q - 1);
        } else if here >= cost[(p - 1, q)] + gap {
            p -= 1;
        } else {
            q -= 1;
        }
    }
    pairs.reverse();
    (cost[(n, m)], pairs)
}

/// Pairs of the alignment above all others, and those by the nearness of components.
pub(super) fn score(graphs: &TwoGraphs, vectors: [&[f64]; 2], gap: f64) -> Matrix {
    let one = String::new(&graphs.source, vectors[0]);
    let two = String::new(&graphs.target, vectors[1]);
    let (n, m) = (graphs.source.rows(), graphs.target.rows());
    let mut score = Matrix::from_fn(n, m, |i, a| {
        -0.1 * (one.components[i] - two.components[a]).abs()
    });
    for (i, a) in edit(&one, &two, gap).1 {
        score[(i, a)] += 1.0;
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(values: &[f64]) -> String {
        String {
            nodes: (0..values.len()).collect(),
            components: values.to_vec(),
            steps: vec![0.0; values.len()],
        }
    }

    /// The least cost over all alignments, one by one.
    fn brute_force(one: &[f64], two: &[f64], gap: f64) -> f64 {
        match (one, two) {
            ([], rest) | (rest, []) => gap * rest.len() as f64,
            ([x, more_x @ ..], [y, more_y @ ..]) => {
                let aligned = (x - y).abs() + brute_force(more_x, more_y, gap);
                let left = gap + brute_force(more_x, two, gap);
                aligned.min(left).min(gap + brute_force(one, more_y, gap))
            }
        }
    }

    #[test]
    fn edits_are_the_cheapest() {
        let value = |k: usize, seed: usize| ((k * 7 + seed * 3) % 11) as f64 / 11.0;
        for seed in 0..20 {
            let one: Vec<f64> = (0..2 + seed % 5).map(|k| value(k, seed)).collect();
            let two: Vec<f64> = (0..1 + seed % 6).map(|k| value(k, seed + 1)).collect();
            for gap in [0.05, 0.2, 0.7] {
                let (cost, pairs) = edit(&string(&one), &string(&two), gap);
                assert!((cost - brute_force(&one, &two, gap)).abs() < 1e-12);
                // What the pairs say costs the same.
                let matched: f64 = pairs.iter().map(|&(p, q)| (one[p] - two[q]).abs()).sum();
                let alone = (one.len() + two.len() - 2 * pairs.len()) as f64;
                assert!((matched + gap * alone - cost).abs() < 1e-12);
                assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
            }
        }
    }

    #[test]
    fn strings_follow_edges_and_the_largest_components() {
        // A path 0–1–2–3 and an isolated node 4.
        let mut graph = Matrix::zeros(5, 5);
        for (i, w) in [(0, 1.0), (1, 2.0), (2, 0.5)] {
            (graph[(i, i + 1)], graph[(i + 1, i)]) = (w, w);
        }
        let string = String::new(&graph, &[0.1, 0.4, 0.8, 0.2, 0.9]);
        // 4 has the largest component and no neighbour; then 2, its larger neighbour 1, then 0, and 3 from 2.
        assert_eq!(string.nodes, [4, 2, 1, 0, 3]);
        assert_eq!(string.steps, [0.0, 0.0, 2.0, 1.0, 0.0]);
    }
}
