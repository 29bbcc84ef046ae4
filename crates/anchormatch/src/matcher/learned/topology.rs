//! Maps of a graph of fixed topology, decided exactly (McAuley, de Campos, Caetano, *Unified graph matching in Euclidean spaces*, CVPR
//! 2010).
//!
//! For shapes that are nearly rigid not all pairs of nodes need to be compared: a graph in which every node is joined to the two
//! before it fixes a rigid shape of points in the plane, and its maps to other points can be decided exactly. With
//! M(p, q) the best value of the first k nodes when the last two are mapped to p and q,
//!
//! > M_{k+1}(q, r) = u(k+1, r) + 2 g(k, k+1; q, r) + max_p [ M_k(p, q) + 2 g(k−1, k+1; p, r) ],
//!
//! O(n m³) in all. Two nodes may be mapped to one, as in the paper; where an assignment is asked for, the map's pairs come
//! first and the rest goes by the unary values. The nodes are taken in their own order, as the paper takes those of its
//! template.

use crate::error::{Hint, Result};
use crate::linalg::Matrix;
use crate::monitor::{Monitor, Progress};
use crate::problem::Problem;
use crate::solver::{Solution, Status, round_within};

/// Whether the edge between two rows is one of the topology's.
pub(super) fn are_joined(i: usize, j: usize) -> bool {
    (1..=2).contains(&i.abs_diff(j))
}

/// Refuses maps whose table, who comes before whom, does not fit.
pub(super) fn reserve((n, m): (usize, usize), monitor: &Monitor) -> Result<()> {
    let bytes = (m as u64).saturating_pow(2).saturating_mul(n as u64 + 2);
    let hints = &[Hint::MoreMemory, Hint::SmallerGraphs];
    monitor.reserve(
        "the maps of a fixed topology",
        bytes.saturating_mul(8),
        hints,
    )
}

/// The map of all n nodes to m that maximises Σ u + Σ g over ordered pairs of joined nodes; empty when m is 0. After
/// a stop the nodes that are left go by the unary values.
pub(super) fn best_map(
    (n, m): (usize, usize),
    unary: impl Fn(usize, usize) -> f64,
    pair: impl Fn(usize, usize, usize, usize) -> f64,
    monitor: &Monitor,
) -> Vec<usize> {
    if n == 0 || m == 0 {
        return Vec::new();
    }
    let largest = |values: &mut dyn Iterator<Item = f64>| {
        let mut best = (0, f64::NEG_INFINITY);
        for (place, value) in values.enumerate() {
            if value > best.1 {
                best = (place, value);
            }
        }
        best
    };
    if n == 1 {
        return vec![largest(&mut (0..m).map(|a| unary(0, a))).0];
    }
    let mut best = Matrix::from_fn(m, m, |p, q| {
        unary(0, p) + unary(1, q) + 2.0 * pair(0, p, 1, q)
    });
    // For each node from the third on: who comes before q when r follows it.
    let mut before: Vec<Vec<usize>> = Vec::new();
    let mut decided = 2;
    for k in 2..n {
        let mut next = Matrix::zeros(m, m);
        let mut from = vec![0; m * m];
        for r in 0..m {
            let skipped: Vec<f64> = (0..m).map(|p| 2.0 * pair(k - 2, p, k, r)).collect();
            for q in 0..m {
                let (p, value) = largest(&mut (0..m).map(|p| best[(p, q)] + skipped[p]));
                next[(q, r)] = value + unary(k, r) + 2.0 * pair(k - 1, q, k, r);
                from[q * m + r] = p;
            }
        }
        best = next;
        before.push(from);
        decided = k + 1;
        let progress = Progress {
            stage: "fixed topology",
            done: k + 1,
            total: Some(n),
            value: None,
        };
        if monitor.checkpoint(progress).is_some() {
            break;
        }
    }
    let (place, _) = largest(&mut best.as_slice().iter().copied());
    let (mut q, mut r) = (place / m, place % m);
    let mut map = vec![0; n];
    for k in decided..n {
        map[k] = largest(&mut (0..m).map(|a| unary(k, a))).0;
    }
    for k in (0..decided).rev() {
        map[k] = r;
        let p = if k >= 2 { before[k - 2][q * m + r] } else { 0 };
        (q, r) = (p, q);
    }
    map
}

/// The map as an assignment.
pub(super) fn solution(problem: &Problem, monitor: &Monitor) -> Result<Solution> {
    reserve(problem.shape(), monitor)?;
    let unary = problem.unary().full(monitor)?.into_owned();
    let pair = |i, a, j, b| problem.pairwise().value(i, a, j, b);
    let map = best_map(problem.shape(), |i, a| unary[(i, a)], pair, monitor);
    let largest = unary.as_slice().iter().fold(1.0f64, |m, v| m.max(v.abs()));
    let mut score = unary;
    for (i, a) in map.into_iter().enumerate() {
        score[(i, a)] += 4.0 * largest;
    }
    let assignment = round_within(problem, &score, monitor)?;
    let status = monitor
        .interrupted()
        .map_or(Status::Converged, Status::from);
    Ok(Solution {
        objective: problem.objective(&assignment),
        assignment,
        soft: None,
        iterations: 1,
        status,
        convergence: vec![0.0],
    })
}
