//! Which edges of a graph are drawn: a given wireframe, all of a sparse graph, a few of a dense one.

use super::Side;
use super::layout::Point;
use super::text::count;

/// Graphs with more edges a node than this are thinned.
const SPARSE_DEGREE: usize = 6;
/// How many edges each node proposes when a graph is thinned.
const PROPOSALS: usize = 3;
/// At most so many edges are drawn on each side of the report.
pub(super) const MOST: usize = 6_000;

/// Edges to draw and the words that say what was left out.
pub(super) struct Skeleton {
    pub(super) edges: Vec<(usize, usize)>,
    /// Empty when all edges are drawn.
    pub(super) caption: String,
}

/// Chooses edges among the nodes with `keep`, at most `most`.
///
/// A dense graph keeps each node's three shortest edges where places are known, else its three
/// strongest, so that no node loses all of its edges.
///
/// # Complexity
/// O(|E|) time, O(n) memory besides the result.
pub(super) fn skeleton(
    side: &Side<'_>,
    places: Option<&[Point]>,
    keep: &[bool],
    most: usize,
) -> Skeleton {
    let graph = side.graph;
    let total = graph.edge_count();
    let all_nodes = keep.iter().all(|&k| k);
    let (mut edges, what) = if let Some(wireframe) = side.wireframe {
        let kept = |&(u, v): &(usize, usize)| u != v && keep[u] && keep[v];
        let edges = wireframe.iter().copied().filter(kept).collect();
        let what = if side.points {
            "joined by a wireframe"
        } else {
            "the wireframe instead of the graph’s edges"
        };
        (edges, what)
    } else if side.image.is_some() {
        // What joins the points is to be seen in the image.
        (Vec::new(), "")
    } else if total <= SPARSE_DEGREE * graph.node_count() {
        let mut edges = Vec::new();
        for i in (0..graph.node_count()).filter(|&i| keep[i]) {
            let above = graph.neighbours(i).map(|(j, _)| j).filter(|&j| j > i);
            edges.extend(above.filter(|&j| keep[j]).map(|j| (i, j)));
        }
        (
            edges,
            if all_nodes {
                ""
            } else {
                "those among the drawn nodes"
            },
        )
    } else {
        let what = match places {
            Some(_) => "each node’s three shortest",
            None => "each node’s three strongest",
        };
        (thinned(side, places, keep), what)
    };
    let mut what = what.to_owned();
    if edges.len() > most {
        let chosen = evenly(edges.len(), most);
        edges = chosen.map(|k| edges[k]).collect();
        what = if what.is_empty() {
            "an even sample".into()
        } else {
            format!("an even sample of {what}")
        };
    }
    let caption = if what.is_empty() {
        String::new()
    } else if side.wireframe.is_some() {
        what
    } else {
        format!("{} of {} edges ({what})", count(edges.len()), count(total))
    };
    Skeleton { edges, caption }
}

/// `wanted` of the numbers below `total`, evenly spaced and ascending.
pub(super) fn evenly(total: usize, wanted: usize) -> impl Iterator<Item = usize> {
    let wanted = wanted.min(total);
    (0..wanted).map(move |k| (k as u128 * total as u128 / wanted.max(1) as u128) as usize)
}

fn thinned(side: &Side<'_>, places: Option<&[Point]>, keep: &[bool]) -> Vec<(usize, usize)> {
    let graph = side.graph;
    let mut edges = Vec::new();
    let mut row: Vec<(f64, usize)> = Vec::new();
    for i in (0..graph.node_count()).filter(|&i| keep[i]) {
        row.clear();
        row.extend(graph.neighbours(i).filter(|&(j, _)| keep[j]).map(|(j, w)| {
            let cost = match places {
                Some(p) => (p[i][0] - p[j][0]).hypot(p[i][1] - p[j][1]),
                None => -w,
            };
            (cost, j)
        }));
        if row.len() > PROPOSALS {
            row.select_nth_unstable_by(PROPOSALS, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            row.truncate(PROPOSALS);
        }
        edges.extend(row.iter().map(|&(_, j)| (i.min(j), i.max(j))));
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

#[cfg(test)]
mod tests {
    use super::super::tests::side;
    use super::*;
    use anchormatch::Graph;
    use anchormatch::linalg::Matrix;

    #[test]
    fn a_dense_graph_keeps_the_nearest_of_each_node() {
        let points = Matrix::from_fn(40, 2, |i, j| if j == 0 { i as f64 } else { 0.0 });
        let graph = Graph::from_points(&points).unwrap();
        let places: Vec<Point> = (0..40).map(|i| [i as f64, 0.0]).collect();
        let skeleton = skeleton(&side(&graph), Some(&places), &[true; 40], MOST);
        // On a line the three nearest are never more than three steps away.
        assert!(skeleton.edges.iter().all(|&(u, v)| v - u <= 3));
        assert!((0..39).all(|i| skeleton.edges.contains(&(i, i + 1))));
        assert!(skeleton.caption.contains("of 780 edges"));
    }

    #[test]
    fn a_sparse_graph_is_drawn_whole_and_a_wireframe_wins() {
        let graph = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 2.0)]).unwrap();
        let whole = skeleton(&side(&graph), None, &[true; 4], MOST);
        assert_eq!(whole.edges, [(0, 1), (1, 2)]);
        assert!(whole.caption.is_empty());
        let part = skeleton(&side(&graph), None, &[true, true, false, true], MOST);
        assert_eq!(part.edges, [(0, 1)]);
        let wire = [(2, 3), (1, 1)];
        let wired = Side {
            wireframe: Some(&wire),
            ..side(&graph)
        };
        assert_eq!(skeleton(&wired, None, &[true; 4], MOST).edges, [(2, 3)]);
    }

    #[test]
    fn even_choices_are_distinct_and_in_range() {
        for (total, wanted) in [(0, 3), (5, 0), (5, 5), (7, 3), (10, 99)] {
            let chosen: Vec<_> = evenly(total, wanted).collect();
            assert_eq!(chosen.len(), wanted.min(total));
            assert!(chosen.windows(2).all(|w| w[0] < w[1]));
            assert!(chosen.iter().all(|&k| k < total));
        }
    }
}
