//! Where the nodes of a graph are drawn.
//!
//! Given positions are used as they are (three dimensions are projected). A graph without positions
//! gets a layout of its own, always the same for the same graph:
//!
//! - The start is spectral: the two slowest modes of the lazy walk ½(I + D⁻¹A), by power iteration
//!   with D-orthogonalisation (Koren, "Drawing graphs by eigenvectors", 2005), O(|E|) an iteration.
//! - Up to [`STRESS_NODES`] nodes, stress majorisation follows (Gansner, Koren & North, 2004):
//!   Σ d⁻²(‖xᵢ − xⱼ‖ − d)² over hop distances d, one node after the other, which never goes up.
//! - Beyond, ranks spread the modes over the square and, up to [`FORCE_NODES`], spring forces on a
//!   grid of cells (Fruchterman & Reingold, 1991) untangle neighbours.
//!
//! The second graph starts at its partners' places, so that right matches are drawn parallel.

use std::collections::VecDeque;

use anchormatch::Graph;
use anchormatch::linalg::Matrix;

/// A place in the plane, y downwards.
pub(super) type Point = [f64; 2];

/// The largest graph that is laid out by stress, which is quadratic in the nodes.
pub(super) const STRESS_NODES: usize = 400;
/// The largest graph whose layout is untangled by forces.
const FORCE_NODES: usize = 5_000;
/// Edge visits that the power iteration may spend.
const SPECTRAL_BUDGET: usize = 200_000_000;

/// Given positions as places in the plane, scaled so that none exceeds 3 in absolute value.
///
/// Three dimensions are turned by 30° about the vertical axis and 20° about the horizontal one.
pub(super) fn project(positions: &Matrix) -> Vec<Point> {
    let largest = positions
        .as_slice()
        .iter()
        .fold(0.0f64, |m, v| m.max(v.abs()));
    let scale = |v: f64| if largest > 0.0 { v / largest } else { 0.0 };
    let (yaw, pitch) = (30f64.to_radians(), 20f64.to_radians());
    (0..positions.rows())
        .map(|i| match *positions.row(i) {
            [x, y] => [scale(x), scale(y)],
            [x, y, z] => {
                let (x, y, z) = (scale(x), scale(y), scale(z));
                let depth = z * yaw.cos() - x * yaw.sin();
                [
                    x * yaw.cos() + z * yaw.sin(),
                    y * pitch.cos() - depth * pitch.sin(),
                ]
            }
            _ => [0.0, 0.0],
        })
        .collect()
}

/// A layout of `graph` from nothing; `edges` is what will be drawn of it.
pub(super) fn fresh(graph: &Graph, edges: &[(usize, usize)]) -> Vec<Point> {
    let mut points = spread_by_rank(&spectral(graph));
    untangle(graph, edges, &mut points, 120, 0.05);
    points
}

/// A layout of `graph` that stays near its partners' places `partners[i]`.
pub(super) fn beside(
    graph: &Graph,
    edges: &[(usize, usize)],
    partners: &[Option<Point>],
) -> Vec<Point> {
    let mut points = complete(graph, partners);
    if graph.nodes() <= STRESS_NODES {
        rescale_to_hops(edges, &mut points);
    } else {
        into_unit_square(&mut points);
    }
    untangle(graph, edges, &mut points, 12, 0.01);
    points
}

fn untangle(
    graph: &Graph,
    edges: &[(usize, usize)],
    points: &mut [Point],
    iterations: usize,
    temperature: f64,
) {
    let n = graph.nodes();
    if n <= STRESS_NODES {
        let distances = hop_distances(n, edges);
        for _ in 0..iterations {
            stress_sweep(&distances, points);
        }
    } else if n <= FORCE_NODES {
        for step in 0..iterations / 2 {
            let cooling = 1.0 - step as f64 / (iterations / 2) as f64;
            force_step(graph, points, temperature * cooling);
        }
    }
}

/// A number in [0, 1) that looks random and is always the same.
fn scatter(i: usize, stream: u64) -> f64 {
    // SplitMix64's finaliser.
    let mut z = (i as u64)
        .wrapping_add(stream.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// The two slowest non-constant modes of the lazy walk; 0 for nodes without edges.
fn spectral(graph: &Graph) -> Vec<Point> {
    let n = graph.nodes();
    let degrees = graph.laplacian().degrees().to_vec();
    let largest = degrees.iter().fold(0.0f64, |m, &d| m.max(d));
    if !(largest > 0.0 && largest.is_finite()) {
        return vec![[0.0; 2]; n];
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
    let iterations = (SPECTRAL_BUDGET / (graph.edges() + n)).clamp(8, 150);
    for _ in 0..iterations {
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
    modes
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
fn spread_by_rank(modes: &[Point]) -> Vec<Point> {
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

/// All hop distances over `edges`; nodes that do not reach each other stand a gap apart.
fn hop_distances(n: usize, edges: &[(usize, usize)]) -> Matrix {
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

/// Moves each node in turn to the minimum of the stress's majorant.
fn stress_sweep(distances: &Matrix, points: &mut [Point]) {
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

/// Scales so that drawn edges are one long on average, which is what stress asks of them.
fn rescale_to_hops(edges: &[(usize, usize)], points: &mut [Point]) {
    let total: f64 = edges
        .iter()
        .map(|&(u, v)| (points[u][0] - points[v][0]).hypot(points[u][1] - points[v][1]))
        .sum();
    if total > 0.0 {
        let scale = edges.len() as f64 / total;
        for p in points.iter_mut() {
            *p = [p[0] * scale, p[1] * scale];
        }
    }
}

fn into_unit_square(points: &mut [Point]) {
    let frame = Frame::of(points);
    let scale = 1.0 / frame.width().max(frame.height()).max(f64::MIN_POSITIVE);
    for p in points.iter_mut() {
        *p = [(p[0] - frame.low[0]) * scale, (p[1] - frame.low[1]) * scale];
    }
}

/// One step of springs along edges and repulsion among nodes of nearby cells, in the unit square.
fn force_step(graph: &Graph, points: &mut [Point], temperature: f64) {
    let n = points.len();
    let ideal = (1.0 / n as f64).sqrt();
    let side = ((0.5 / ideal) as usize).max(1);
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
                        force[0] += ideal * ideal / square * dx;
                        force[1] += ideal * ideal / square * dy;
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

/// Places for all nodes: the known ones, means of placed neighbours, and a ring for what is left.
fn complete(graph: &Graph, known: &[Option<Point>]) -> Vec<Point> {
    let mut places = known.to_vec();
    for _ in 0..8 {
        let mut news = Vec::new();
        for i in (0..graph.nodes()).filter(|&i| places[i].is_none()) {
            let (mut sum, mut seen) = ([0.0; 2], 0.0);
            for (j, _) in graph.neighbours(i) {
                if let Some(p) = places[j] {
                    sum = [sum[0] + p[0], sum[1] + p[1]];
                    seen += 1.0;
                }
            }
            if seen > 0.0 {
                news.push((i, [sum[0] / seen, sum[1] / seen]));
            }
        }
        if news.is_empty() {
            break;
        }
        for (i, p) in news {
            places[i] = Some(p);
        }
    }
    let placed: Vec<Point> = places.iter().flatten().copied().collect();
    let frame = Frame::of(&placed);
    let radius = 0.55 * frame.width().hypot(frame.height()).max(1e-3);
    let centre = frame.centre();
    places
        .iter()
        .enumerate()
        .map(|(i, place)| {
            place.unwrap_or_else(|| {
                let angle = std::f64::consts::TAU * scatter(i, 6);
                [
                    centre[0] + radius * angle.cos(),
                    centre[1] + radius * angle.sin(),
                ]
            })
        })
        .collect()
}

/// The smallest upright rectangle around some points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    pub(super) low: Point,
    pub(super) high: Point,
}

impl Frame {
    /// The frame of `points`; the origin when there are none.
    pub(super) fn of(points: &[Point]) -> Self {
        let Some(&first) = points.first() else {
            return Self {
                low: [0.0; 2],
                high: [0.0; 2],
            };
        };
        let mut frame = Self {
            low: first,
            high: first,
        };
        for p in points {
            for axis in 0..2 {
                frame.low[axis] = frame.low[axis].min(p[axis]);
                frame.high[axis] = frame.high[axis].max(p[axis]);
            }
        }
        frame
    }

    pub(super) fn width(&self) -> f64 {
        self.high[0] - self.low[0]
    }

    pub(super) fn height(&self) -> f64 {
        self.high[1] - self.low[1]
    }

    pub(super) fn centre(&self) -> Point {
        [
            0.5 * (self.low[0] + self.high[0]),
            0.5 * (self.low[1] + self.high[1]),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stress(distances: &Matrix, points: &[Point]) -> f64 {
        let n = points.len();
        let mut total = 0.0;
        for i in 0..n {
            for j in 0..i {
                let d = distances[(i, j)];
                let length = (points[i][0] - points[j][0]).hypot(points[i][1] - points[j][1]);
                total += ((length - d) / d).powi(2);
            }
        }
        total
    }

    fn graph(n: usize, edges: &[(usize, usize)]) -> Graph {
        let edges: Vec<_> = edges.iter().map(|&(u, v)| (u, v, 1.0)).collect();
        Graph::from_edges(n, &edges).unwrap()
    }

    fn length(p: Point, q: Point) -> f64 {
        (p[0] - q[0]).hypot(p[1] - q[1])
    }

    #[test]
    fn a_path_is_drawn_straight_and_a_triangle_equilateral() {
        let path: Vec<_> = (1..20).map(|i| (i - 1, i)).collect();
        let points = fresh(&graph(20, &path), &path);
        assert!(length(points[0], points[19]) > 18.0);

        let triangle = [(0, 1), (1, 2), (0, 2)];
        let points = fresh(&graph(3, &triangle), &triangle);
        for (u, v) in triangle {
            assert!((length(points[u], points[v]) - 1.0).abs() < 0.02);
        }
    }

    #[test]
    fn modes_of_a_long_path_are_ordered_along_it() {
        let path: Vec<_> = (1..30).map(|i| (i - 1, i)).collect();
        let modes = spectral(&graph(30, &path));
        // The slowest mode of a path is a cosine: its ends lie on opposite sides of zero.
        assert!(modes[0][0] * modes[29][0] < 0.0);
    }

    #[test]
    fn a_copy_beside_its_partners_stays_parallel() {
        let edges: Vec<_> = (0..40).map(|i| (i, (i + 1) % 40)).collect();
        let ring = graph(40, &edges);
        let first = fresh(&ring, &edges);
        let partners: Vec<_> = first.iter().map(|&p| Some(p)).collect();
        let second = beside(&ring, &edges, &partners);
        let frame = Frame::of(&first);
        for (p, q) in first.iter().zip(&second) {
            assert!(length(*p, *q) < 0.1 * frame.width());
        }
    }

    #[test]
    fn three_dimensions_are_projected_and_huge_ones_stay_finite() {
        let points = Matrix::from_vec(2, 3, vec![0.0, 0.0, 0.0, f64::MAX, -f64::MAX, f64::MAX]);
        let projected = project(&points);
        assert_eq!(projected[0], [0.0, 0.0]);
        assert!(projected[1].iter().all(|v| v.is_finite() && v.abs() <= 3.0));
    }

    proptest! {
        #[test]
        fn stress_never_goes_up_and_places_are_finite(
            n in 1usize..24,
            raw in prop::collection::vec((0usize..24, 0usize..24), 0..60),
        ) {
            let edges: Vec<_> = raw
                .into_iter()
                .filter(|&(u, v)| u < n && v < n && u != v)
                .collect();
            let graph = graph(n, &edges);
            let mut points = spread_by_rank(&spectral(&graph));
            let distances = hop_distances(n, &edges);
            let mut before = stress(&distances, &points);
            for _ in 0..20 {
                stress_sweep(&distances, &mut points);
                let after = stress(&distances, &points);
                prop_assert!(after <= before + 1e-9);
                before = after;
            }
            prop_assert!(points.iter().flatten().all(|v| v.is_finite()));
            prop_assert_eq!(fresh(&graph, &edges), fresh(&graph, &edges));
        }

        #[test]
        fn large_layouts_fill_the_square(seed in 0usize..50) {
            // A random recursive tree with some nodes left alone.
            let n = STRESS_NODES + 50;
            let edges: Vec<_> = (1..n - 20)
                .map(|i| ((scatter(i, seed as u64) * i as f64) as usize, i))
                .collect();
            let points = fresh(&graph(n, &edges), &edges);
            prop_assert!(points.iter().flatten().all(|v| (0.0..=1.0).contains(v)));
            let frame = Frame::of(&points);
            prop_assert!(frame.width() > 0.5 && frame.height() > 0.5);
        }
    }
}
