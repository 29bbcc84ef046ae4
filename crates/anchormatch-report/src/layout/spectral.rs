//! The start of a layout: the slowest modes of the lazy walk ½(I + D⁻¹A) by power iteration with
//! D-orthogonalisation (Koren, "Drawing graphs by eigenvectors", 2005), spread over the square.

use anchormatch::{Graph, Monitor, Result};

use super::{Point, scatter};

/// Edge visits that the power iteration may spend.
const BUDGET: usize = 200_000_000;
/// Iterations at most.
const MOST_ITERATIONS: usize = 1_000;

/// The two slowest non-constant modes of the lazy walk; 0 for nodes without edges.
pub(super) fn modes(graph: &Graph, monitor: &Monitor) -> Result<Vec<Point>> {
    let n = graph.node_count();
    let degrees = graph.laplacian().degrees().to_vec();
    let largest = degrees.iter().fold(0.0f64, |m, &d| m.max(d));
    if !(largest > 0.0 && largest.is_finite()) {
        return Ok(vec![[0.0; 2]; n]);
    }
    let measure: Vec<f64> = degrees.iter().map(|d| d / largest).collect();
    let total: f64 = measure.iter().sum();
    let mut modes: Vec<Point> = (0..n)
        .map(|i| {
            if measure[i] > 0.0 {
                [scatter(i, 1) - 0.5, scatter(i, 2) - 0.5]
            } else {
                [0.0; 2]
            }
        })
        .collect();
    let mut next = modes.clone();
    let iterations = (BUDGET / (graph.edge_count() + n)).clamp(8, MOST_ITERATIONS);
    for _ in 0..iterations {
        monitor.go_on()?;
        for i in (0..n).filter(|&i| measure[i] > 0.0) {
            let mut sum = [0.0; 2];
            for (j, weight) in graph.neighbours(i) {
                // Divided first: a sum of large weights times coordinates could overflow.
                let share = weight.max(0.0) / degrees[i];
                sum[0] += share * modes[j][0];
                sum[1] += share * modes[j][1];
            }
            next[i] = [0.5 * (modes[i][0] + sum[0]), 0.5 * (modes[i][1] + sum[1])];
        }
        std::mem::swap(&mut modes, &mut next);
        orthonormalise(&mut modes, &measure, total);
    }
    Ok(modes)
}

fn orthonormalise(modes: &mut [Point], measure: &[f64], total: f64) {
    for axis in 0..2 {
        let mean = weighted(modes, measure, |p| p[axis]) / total;
        for (p, &m) in modes.iter_mut().zip(measure) {
            p[axis] = if m > 0.0 { p[axis] - mean } else { 0.0 };
        }
        if axis == 1 {
            let first = weighted(modes, measure, |p| p[0] * p[0]);
            if first > 0.0 {
                let overlap = weighted(modes, measure, |p| p[0] * p[1]) / first;
                for p in modes.iter_mut() {
                    p[1] -= overlap * p[0];
                }
            }
        }
        let norm = weighted(modes, measure, |p| p[axis] * p[axis]).sqrt();
        for p in modes.iter_mut() {
            p[axis] = if norm > 1e-150 { p[axis] / norm } else { 0.0 };
        }
    }
}

fn weighted(modes: &[Point], measure: &[f64], value: impl Fn(&Point) -> f64) -> f64 {
    modes.iter().zip(measure).map(|(p, m)| m * value(p)).sum()
}

/// Half the value, half its rank, on each axis: fills the unit square whatever the distribution.
pub(super) fn spread_by_rank(modes: &[Point]) -> Vec<Point> {
    let n = modes.len();
    let mut points = vec![[0.5; 2]; n];
    for axis in 0..2 {
        let low = modes.iter().fold(f64::INFINITY, |m, p| m.min(p[axis]));
        let high = modes.iter().fold(f64::NEG_INFINITY, |m, p| m.max(p[axis]));
        let mut order: Vec<usize> = (0..n).collect();
        // Ties are scattered, differently on each axis, so that equal nodes do not fall on a line.
        let stream = 3 + axis as u64;
        order.sort_by(|&i, &j| {
            modes[i][axis]
                .total_cmp(&modes[j][axis])
                .then(scatter(i, stream).total_cmp(&scatter(j, stream)))
        });
        for (rank, &i) in order.iter().enumerate() {
            let share = (rank as f64 + 0.5) / n as f64;
            points[i][axis] = if high > low {
                0.5 * share + 0.5 * (modes[i][axis] - low) / (high - low)
            } else {
                share
            };
        }
    }
    points
}
