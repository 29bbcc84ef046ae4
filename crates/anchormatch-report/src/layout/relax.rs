//! The two ways to improve a layout: stress majorisation for small graphs (Gansner, Koren & North,
//! 2004) and springs on a grid of cells for larger ones (Fruchterman & Reingold, 1991).

use std::collections::VecDeque;

use anchormatch::Graph;
use anchormatch::linalg::Matrix;

use super::{Point, scatter};

/// The largest graph whose layout is untangled by forces.
pub(super) const FORCE_NODES: usize = 5_000;

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

/// Untangles a layout in the unit square by `steps` force steps, the first of at most `temperature`;
/// graphs beyond [`FORCE_NODES`] are left as they are.
pub(super) fn relax_by_forces(graph: &Graph, points: &mut [Point], steps: usize, temperature: f64) {
    if graph.node_count() > FORCE_NODES {
        return;
    }
    for step in 0..steps {
        let cooling = 1.0 - step as f64 / steps as f64;
        force_step(graph, points, temperature * cooling);
    }
}

/// One step of springs along edges and repulsion among nodes of nearby cells, in the unit square.
fn force_step(graph: &Graph, points: &mut [Point], temperature: f64) {
    let n = points.len();
    let ideal = (1.0 / n as f64).sqrt();
    let side = ((0.5 / ideal) as usize).max(1);
    let reach = 1.0 / side as f64;
    let cell = |p: &Point| {
        let at = |v: f64| ((v * side as f64) as usize).min(side - 1);
        (at(p[0]), at(p[1]))
    };
    let mut cells = vec![Vec::new(); side * side];
    for (i, p) in points.iter().enumerate() {
        let (x, y) = cell(p);
        cells[y * side + x].push(i);
    }
    let moves: Vec<Point> = (0..n)
        .map(|i| {
            let mut force = [0.0; 2];
            let (x, y) = cell(&points[i]);
            for cy in y.saturating_sub(1)..=(y + 1).min(side - 1) {
                for cx in x.saturating_sub(1)..=(x + 1).min(side - 1) {
                    for &j in cells[cy * side + cx].iter().filter(|&&j| j != i) {
                        let (dx, dy) = (points[i][0] - points[j][0], points[i][1] - points[j][1]);
                        let square = (dx * dx + dy * dy).max(1e-12);
                        // Fades to nothing at the cells' reach; a sudden end would draw the grid.
                        let fade = (1.0 - square / (reach * reach)).max(0.0);
                        let push = fade * ideal * ideal / square;
                        force[0] += push * dx;
                        force[1] += push * dy;
                    }
                }
            }
            for (j, _) in graph.neighbours(i) {
                let (dx, dy) = (points[j][0] - points[i][0], points[j][1] - points[i][1]);
                let pull = dx.hypot(dy) / ideal;
                force[0] += pull * dx;
                force[1] += pull * dy;
            }
            let length = force[0].hypot(force[1]);
            let scale = if length > temperature {
                temperature / length
            } else {
                1.0
            };
            [force[0] * scale, force[1] * scale]
        })
        .collect();
    for (p, step) in points.iter_mut().zip(&moves) {
        *p = [
            (p[0] + step[0]).clamp(0.0, 1.0),
            (p[1] + step[1]).clamp(0.0, 1.0),
        ];
    }
}
