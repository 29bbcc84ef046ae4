//! How the layout of a small graph is improved: stress majorisation (Gansner, Koren & North, 2004).

use std::collections::VecDeque;

use anchormatch::linalg::Matrix;

use super::{Point, scatter};

/// All hop distances over `edges`; nodes that do not reach each other stand a gap apart.
pub(super) fn hop_distances(n: usize, edges: &[(usize, usize)]) -> Matrix {
    let mut adjacent = vec![Vec::new(); n];
    for &(u, v) in edges {
        adjacent[u].push(v);
        adjacent[v].push(u);
    }
    let mut distances = Matrix::filled(n, n, f64::INFINITY);
    let mut queue = VecDeque::new();
    let mut largest = 0.0f64;
    for root in 0..n {
        let row = distances.row_mut(root);
        row[root] = 0.0;
        queue.push_back(root);
        while let Some(i) = queue.pop_front() {
            largest = largest.max(row[i]);
            for &j in &adjacent[i] {
                if row[j].is_infinite() {
                    row[j] = row[i] + 1.0;
                    queue.push_back(j);
                }
            }
        }
    }
    let gap = 1.0 + (0.6 * largest).max(1.0);
    for d in distances.as_mut_slice() {
        if d.is_infinite() {
            *d = gap;
        }
    }
    distances
}

/// Scales the layout to the size of least stress: Σ d⁻¹ℓ / Σ d⁻²ℓ² for lengths ℓ.
pub(super) fn fit_scale(distances: &Matrix, points: &mut [Point]) {
    let (mut linear, mut square) = (0.0, 0.0);
    for i in 0..points.len() {
        for j in 0..i {
            let length = (points[i][0] - points[j][0]).hypot(points[i][1] - points[j][1]);
            let relative = length / distances[(i, j)];
            linear += relative;
            square += relative * relative;
        }
    }
    // Places that all but coincide keep their size; the sweeps will part them.
    if square > 1e-100 {
        let scale = linear / square;
        for p in points.iter_mut() {
            *p = [p[0] * scale, p[1] * scale];
        }
    }
}

/// Moves each node in turn to the minimum of the stress's majorant.
pub(super) fn stress_sweep(distances: &Matrix, points: &mut [Point]) {
    let n = points.len();
    for i in 0..n {
        let (mut sum, mut weights) = ([0.0; 2], 0.0);
        for j in (0..n).filter(|&j| j != i) {
            let d = distances[(i, j)];
            let weight = 1.0 / (d * d);
            let (dx, dy) = (points[i][0] - points[j][0], points[i][1] - points[j][1]);
            let length = dx.hypot(dy);
            let (ux, uy) = if length > 1e-9 {
                (dx / length, dy / length)
            } else {
                // Any direction will do for nodes on top of each other; this one is antisymmetric.
                let angle = std::f64::consts::TAU * scatter(i.min(j) * n + i.max(j), 5);
                let sign = if i < j { 1.0 } else { -1.0 };
                (sign * angle.cos(), sign * angle.sin())
            };
            sum[0] += weight * (points[j][0] + d * ux);
            sum[1] += weight * (points[j][1] + d * uy);
            weights += weight;
        }
        if weights > 0.0 {
            points[i] = [sum[0] / weights, sum[1] / weights];
        }
    }
}
