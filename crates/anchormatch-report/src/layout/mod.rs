//! Where the nodes of a graph are drawn.
//!
//! Given positions are used as they are (three dimensions are projected). A graph without positions
//! gets a layout of its own, always the same for the same graph:
//!
//! - The start is spectral: the two slowest modes of the lazy walk ½(I + D⁻¹A), by power iteration
//!   with D-orthogonalisation (Koren, "Drawing graphs by eigenvectors", 2005), O(|E|) an iteration.
//! - Up to [`STRESS_NODES`] nodes, stress majorisation follows (Gansner, Koren & North, 2004):
//!   Σ d⁻²(‖xᵢ − xⱼ‖ − d)² over hop distances d, one node after the other, which never goes up.
//! - Beyond, neighbours are drawn together until so few are left, and these are laid out; going back, spring forces on
//!   a grid of cells (Fruchterman & Reingold, 1991) untangle every level (`levels`).
//!
//! The second graph starts at its partners' places, so that right matches are drawn parallel.

mod levels;
mod relax;
mod spectral;

use anchormatch::linalg::Matrix;
use anchormatch::{Graph, Monitor, Result};

use relax::{fit_scale, hop_distances, stress_sweep};

/// A place in the plane, y downwards.
pub(super) type Point = [f64; 2];

/// The largest graph that is laid out by stress, which is quadratic in the nodes.
pub(super) const STRESS_NODES: usize = 400;
/// Pairs of nodes that stress sweeps may visit.
const STRESS_BUDGET: usize = 20_000_000;

/// The largest coordinate in absolute value.
pub(super) fn largest(positions: &Matrix) -> f64 {
    let values = positions.as_slice().iter();
    values.fold(0.0f64, |m, v| m.max(v.abs()))
}

/// Given positions as places in the plane, in units of `unit`: with that of the [`largest`] coordinate none exceeds 3
/// in absolute value.
///
/// Three dimensions are turned by 30° about the vertical axis and 20° about the horizontal one.
pub(super) fn project(positions: &Matrix, unit: f64) -> Vec<Point> {
    let scale = |v: f64| if unit > 0.0 { v / unit } else { 0.0 };
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
///
/// # Errors
/// When the monitor stops it: half a layout shows nothing.
pub(super) fn fresh(
    graph: &Graph,
    edges: &[(usize, usize)],
    monitor: &Monitor,
) -> Result<Vec<Point>> {
    let n = graph.node_count();
    if n > STRESS_NODES {
        let small = |n: usize, edges: &[(usize, usize)]| {
            let weighted: Vec<_> = edges.iter().map(|&(u, v)| (u, v, 1.0)).collect();
            let coarse = Graph::from_edges(n, &weighted).expect("edges between groups are sound");
            fresh(&coarse, edges, monitor)
        };
        return levels::laid_out(graph, STRESS_NODES, small, monitor);
    }
    let mut points = spectral::spread_by_rank(&spectral::modes(graph, monitor)?);
    let distances = hop_distances(n, edges);
    fit_scale(&distances, &mut points);
    let sweeps = (STRESS_BUDGET / (n * n).max(1)).clamp(100, 600);
    for _ in 0..sweeps {
        monitor.go_on()?;
        stress_sweep(&distances, &mut points);
    }
    Ok(points)
}

/// A layout of `graph` that stays near its partners' places `partners[i]`.
///
/// # Errors
/// As [`fresh`].
pub(super) fn beside(
    graph: &Graph,
    edges: &[(usize, usize)],
    partners: &[Option<Point>],
    monitor: &Monitor,
) -> Result<Vec<Point>> {
    let n = graph.node_count();
    let mut points = complete(graph, partners);
    let start;
    if n <= STRESS_NODES {
        let distances = hop_distances(n, edges);
        fit_scale(&distances, &mut points);
        start = points.clone();
        for _ in 0..10 {
            monitor.go_on()?;
            stress_sweep(&distances, &mut points);
        }
    } else {
        into_unit_square(&mut points);
        start = points.clone();
        levels::Level::of(graph).relax(&mut points, 5, 0.3, monitor)?;
    }
    for ((p, s), partner) in points.iter_mut().zip(&start).zip(partners) {
        // Half-way back: the graph shows its own shape, and its lines stay parallel.
        if partner.is_some() {
            *p = [0.5 * (p[0] + s[0]), 0.5 * (p[1] + s[1])];
        }
    }
    Ok(points)
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

fn into_unit_square(points: &mut [Point]) {
    let frame = Frame::of(points);
    let scale = 1.0 / frame.width().max(frame.height()).max(f64::MIN_POSITIVE);
    for p in points.iter_mut() {
        *p = [(p[0] - frame.low[0]) * scale, (p[1] - frame.low[1]) * scale];
    }
}

/// Places for all nodes: the known ones, means of placed neighbours, and a ring for what is left.
fn complete(graph: &Graph, known: &[Option<Point>]) -> Vec<Point> {
    let mut places = known.to_vec();
    for _ in 0..8 {
        let mut news = Vec::new();
        for i in (0..graph.node_count()).filter(|&i| places[i].is_none()) {
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

    /// The frame around this one and a point.
    pub(super) fn with(self, point: Point) -> Self {
        Self {
            low: [0, 1].map(|k| self.low[k].min(point[k])),
            high: [0, 1].map(|k| self.high[k].max(point[k])),
        }
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

    pub(super) fn graph(n: usize, edges: &[(usize, usize)]) -> Graph {
        let edges: Vec<_> = edges.iter().map(|&(u, v)| (u, v, 1.0)).collect();
        Graph::from_edges(n, &edges).unwrap()
    }

    fn laid_out(graph: &Graph, edges: &[(usize, usize)]) -> Vec<Point> {
        fresh(graph, edges, &Monitor::silent()).unwrap()
    }

    fn modes(graph: &Graph) -> Vec<Point> {
        spectral::modes(graph, &Monitor::silent()).unwrap()
    }

    fn length(p: Point, q: Point) -> f64 {
        (p[0] - q[0]).hypot(p[1] - q[1])
    }

    #[test]
    fn a_path_is_drawn_straight_and_a_triangle_equilateral() {
        let path: Vec<_> = (1..20).map(|i| (i - 1, i)).collect();
        let points = laid_out(&graph(20, &path), &path);
        assert!(length(points[0], points[19]) > 18.0);

        let triangle = [(0, 1), (1, 2), (0, 2)];
        let points = laid_out(&graph(3, &triangle), &triangle);
        for (u, v) in triangle {
            assert!((length(points[u], points[v]) - 1.0).abs() < 0.02);
        }
    }

    #[test]
    fn modes_of_a_long_path_are_ordered_along_it() {
        let path: Vec<_> = (1..30).map(|i| (i - 1, i)).collect();
        let modes = modes(&graph(30, &path));
        // The slowest mode of a path is a cosine: its ends lie on opposite sides of zero.
        assert!(modes[0][0] * modes[29][0] < 0.0);
    }

    #[test]
    fn a_copy_beside_its_partners_stays_parallel() {
        let edges: Vec<_> = (0..40).map(|i| (i, (i + 1) % 40)).collect();
        let ring = graph(40, &edges);
        let first = laid_out(&ring, &edges);
        let partners: Vec<_> = first.iter().map(|&p| Some(p)).collect();
        let second = beside(&ring, &edges, &partners, &Monitor::silent()).unwrap();
        let frame = Frame::of(&first);
        for (p, q) in first.iter().zip(&second) {
            assert!(length(*p, *q) < 0.1 * frame.width());
        }
    }

    #[test]
    fn a_stop_ends_layouts_of_every_size() {
        let stopped = Monitor::silent();
        stopped.cancel_token().cancel();
        for n in [30, STRESS_NODES + 30] {
            let path: Vec<_> = (1..n).map(|i| (i - 1, i)).collect();
            let graph = graph(n, &path);
            assert!(fresh(&graph, &path, &stopped).is_err());
            let partners = vec![Some([0.0, 1.0]); n];
            assert!(beside(&graph, &path, &partners, &stopped).is_err());
        }
    }

    #[test]
    fn three_dimensions_are_projected_and_huge_ones_stay_finite() {
        let points = Matrix::from_vec(2, 3, vec![0.0, 0.0, 0.0, f64::MAX, -f64::MAX, f64::MAX]);
        let projected = project(&points, largest(&points));
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
            let mut points = spectral::spread_by_rank(&modes(&graph));
            let distances = hop_distances(n, &edges);
            let mut before = stress(&distances, &points);
            for _ in 0..20 {
                stress_sweep(&distances, &mut points);
                let after = stress(&distances, &points);
                prop_assert!(after <= before + 1e-9);
                before = after;
            }
            prop_assert!(points.iter().flatten().all(|v| v.is_finite()));
            prop_assert_eq!(laid_out(&graph, &edges), laid_out(&graph, &edges));
        }

        #[test]
        fn the_fitted_scale_is_the_best(raw in prop::collection::vec((0.0..1.0f64, 0.0..1.0f64), 3..12)) {
            let mut points: Vec<Point> = raw.iter().map(|&(x, y)| [x, y]).collect();
            let path: Vec<_> = (1..points.len()).map(|i| (i - 1, i)).collect();
            let distances = hop_distances(points.len(), &path);
            fit_scale(&distances, &mut points);
            let best = stress(&distances, &points);
            for factor in [0.9, 0.999, 1.001, 1.1] {
                let scaled: Vec<Point> = points.iter().map(|p| [p[0] * factor, p[1] * factor]).collect();
                prop_assert!(stress(&distances, &scaled) >= best - 1e-9);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn large_layouts_fill_the_square(seed in 0usize..50) {
            // A random recursive tree with some nodes left alone.
            let n = STRESS_NODES + 50;
            let edges: Vec<_> = (1..n - 20)
                .map(|i| ((scatter(i, seed as u64) * i as f64) as usize, i))
                .collect();
            let points = laid_out(&graph(n, &edges), &edges);
            prop_assert!(points.iter().flatten().all(|v| (0.0..=1.0).contains(v)));
            let frame = Frame::of(&points);
            prop_assert!(frame.width() > 0.5 && frame.height() > 0.5);
        }
    }
}
