//! Where one graph is drawn, and which of its edges: for pages that draw by themselves.
//!
//! The same layouts as in the [report](super::Report), without its limits on what is drawn.

use super::layout::{self, Frame};
use super::{Monitor, Result, Side, check_side, edges, scene};

/// A place in the plane, y downwards.
pub type Place = [f64; 2];

/// The places of `side` by itself: its positions where it has them, in units of the largest coordinate or side of
/// the image, and a layout of its own where not.
///
/// # Errors
/// When positions have the wrong shape or are not finite, an image lies under what is not in the plane, or the monitor
/// stops the layout.
///
/// # Complexity
/// O(n² + |E|) up to 400 nodes without positions, and O(n log n + |E|) beyond.
pub fn alone(side: &Side<'_>, monitor: &Monitor) -> Result<Vec<Place>> {
    check_side(side)?;
    match side.positions {
        Some(positions) => Ok(layout::project(positions, scene::unit(side))),
        None => layout::fresh(side.graph, &scene::all_edges(side).edges, monitor),
    }
}

/// The places of `side` near those of its partners: `couples` are (node with a place in `others`, node of
/// `side`). A side with positions keeps them.
///
/// # Errors
/// As [`alone`].
///
/// # Panics
/// When a couple is of a node that there is not.
///
/// # Complexity
/// As [`alone`].
pub fn beside(
    side: &Side<'_>,
    others: &[Place],
    couples: impl Iterator<Item = (usize, usize)>,
    monitor: &Monitor,
) -> Result<Vec<Place>> {
    if side.positions.is_some() {
        return alone(side, monitor);
    }
    check_side(side)?;
    scene::follow(side, others, couples, monitor)
}

/// The edges of `side` worth drawing, `most` of them: all of a sparse graph, those that say most of a dense one;
/// and what was left out, in words, empty where nothing was.
///
/// # Complexity
/// O(|E|) time, O(n) memory besides the result.
#[must_use]
pub fn edges(side: &Side<'_>, places: &[Place], most: usize) -> (Vec<(usize, usize)>, String) {
    let known = side.positions.map(|_| places);
    let keep = vec![true; side.graph.node_count()];
    let chosen = edges::skeleton(side, known, &keep, most);
    (chosen.edges, chosen.caption)
}

/// Left, top, width and height of the image of `side` among its [places](alone).
#[must_use]
pub fn image(side: &Side<'_>) -> Option<[f64; 4]> {
    let unit = scene::unit(side);
    let [width, height] = side.image?.size();
    (unit > 0.0).then(|| [0.0, 0.0, width / unit, height / unit])
}

/// Left, top, right and bottom of `places` and of the image under them.
#[must_use]
pub fn bounds(side: &Side<'_>, places: &[Place]) -> [f64; 4] {
    let Frame { low, high } = scene::frame(side, places);
    [low[0], low[1], high[0], high[1]]
}

#[cfg(test)]
mod tests {
    use super::super::tests::side;
    use super::*;
    use anchormatch::Graph;
    use anchormatch::linalg::Matrix;

    #[test]
    fn partners_are_drawn_alike_and_positions_stay() {
        let edges: Vec<_> = (1..12).map(|i| (i - 1, i, 1.0)).collect();
        let graph = Graph::from_edges(12, &edges).unwrap();
        let quiet = Monitor::silent();
        let first = alone(&side(&graph), &quiet).unwrap();
        let couples = (0..12).map(|i| (i, i));
        let second = beside(&side(&graph), &first, couples, &quiet).unwrap();
        let width = bounds(&side(&graph), &first)[2] - bounds(&side(&graph), &first)[0];
        for (p, q) in first.iter().zip(&second) {
            assert!((p[0] - q[0]).hypot(p[1] - q[1]) < 0.2 * width.max(1.0));
        }
        let positions = Matrix::from_fn(12, 2, |i, k| (i * (k + 1)) as f64);
        let placed = Side {
            positions: Some(&positions),
            ..side(&graph)
        };
        let kept = beside(&placed, &first, std::iter::empty(), &quiet).unwrap();
        assert_eq!(kept, alone(&placed, &quiet).unwrap());
        assert_eq!(kept[11], [0.5, 1.0]);
    }

    #[test]
    fn as_many_edges_as_wanted() {
        let all: Vec<_> = (1..100).map(|i| (i - 1, i, 1.0)).collect();
        let graph = Graph::from_edges(100, &all).unwrap();
        let places = vec![[0.0; 2]; 100];
        let (some, words) = edges(&side(&graph), &places, 10);
        assert_eq!(some.len(), 10);
        assert!(words.contains("10 of 99 edges"), "{words}");
        assert_eq!(edges(&side(&graph), &places, 1000).0.len(), 99);
    }
}
