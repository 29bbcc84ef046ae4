//! What lies around a node, and which neighbours speak for a pair.
//!
//! Of a graph these are the neighbours, of points without edges the nearest ones. A neighbour speaks for the pair (i, a)
//! when its own partner is a neighbour of a.

use std::collections::{HashMap, HashSet};

use anchormatch::{Assignment, Matching};

use crate::decisions::Decided;
use crate::scene::Side;

/// The most neighbours that are looked at: a hub has more than a person can see.
const MOST: usize = 400;
/// Points that count as neighbours.
const NEAREST: usize = 8;
/// Among so many nearest points of the partner a neighbour's partner is looked for.
const WIDER: usize = 16;
/// Candidates that a question shows.
const CANDIDATES: usize = 6;

/// Partners by node.
#[derive(Debug, Clone, Default)]
pub(crate) struct Partners {
    pub(crate) of_source: Assignment,
    pub(crate) of_target: Assignment,
    pub(crate) confidence: Vec<f64>,
}

impl Partners {
    pub(crate) fn of(matching: &Matching, sizes: [usize; 2]) -> Self {
        let pairs = matching.pairs.iter();
        let of_source = Assignment::from_pairs(sizes[0], pairs.map(|p| (p.source, p.target)));
        let mut confidence = vec![0.0; sizes[0]];
        for pair in &matching.pairs {
            confidence[pair.source] = pair.confidence;
        }
        Self {
            of_target: of_source.inverse(sizes[1]),
            of_source,
            confidence,
        }
    }
}

/// Who speaks for a pair and who does not.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub(crate) struct Evidence {
    /// Neighbours of both that are partners.
    pub(crate) both: Vec<(usize, usize)>,
    /// Neighbours of the source node whose partners are elsewhere, with these.
    pub(crate) source_only: Vec<(usize, Option<usize>)>,
    /// Neighbours of the target node whose partners are elsewhere, with these.
    pub(crate) target_only: Vec<(usize, Option<usize>)>,
    /// How many neighbours the two nodes have.
    pub(crate) degrees: [usize; 2],
    /// Whether neighbours are those of edges, and not the nearest points.
    pub(crate) edges: bool,
}

/// The neighbours of a node, the strongest first, or the `nearest` points.
fn around(side: &Side, node: usize, nearest: usize) -> Vec<usize> {
    if !by_edges(side) {
        return nearest_points(side, node, nearest);
    }
    let mut found: Vec<(usize, f64)> = side.graph.neighbours(node).collect();
    let stronger =
        |x: &(usize, f64), y: &(usize, f64)| y.1.abs().total_cmp(&x.1.abs()).then(x.0.cmp(&y.0));
    found.sort_by(stronger);
    found.truncate(MOST);
    found.into_iter().map(|(node, _)| node).collect()
}

/// Whether edges say who is a neighbour; in a complete graph of points the nearest ones do.
fn by_edges(side: &Side) -> bool {
    !side.points && side.graph.edge_count() > 0
}

fn nearest_points(side: &Side, node: usize, count: usize) -> Vec<usize> {
    match &side.positions {
        Some(positions) => {
            let place = positions.row(node).to_vec();
            let mut near = nearest_to(side, &place, count + 1);
            near.retain(|&other| other != node);
            near.truncate(count);
            near
        }
        None => Vec::new(),
    }
}

/// The points nearest to a place.
fn nearest_to(side: &Side, place: &[f64], count: usize) -> Vec<usize> {
    let Some(positions) = &side.positions else {
        return Vec::new();
    };
    let square =
        |row: &[f64]| -> f64 { row.iter().zip(place).map(|(x, y)| (x - y) * (x - y)).sum() };
    let mut all: Vec<(f64, usize)> = (0..positions.rows())
        .map(|i| (square(positions.row(i)), i))
        .collect();
    let nearer = |x: &(f64, usize), y: &(f64, usize)| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1));
    if all.len() > count {
        all.select_nth_unstable_by(count, nearer);
        all.truncate(count);
    }
    all.sort_by(nearer);
    all.into_iter().map(|(_, i)| i).collect()
}

/// The evidence for the pair (source, target).
pub(crate) fn evidence(
    sides: &[Side; 2],
    partners: &Partners,
    (source, target): (usize, usize),
) -> Evidence {
    let edges = by_edges(&sides[0]) && by_edges(&sides[1]);
    let of_source = around(&sides[0], source, NEAREST);
    let of_target = around(&sides[1], target, NEAREST);
    let wider: HashSet<usize> = match edges {
        true => of_target.iter().copied().collect(),
        false => around(&sides[1], target, WIDER).into_iter().collect(),
    };
    let mut found = Evidence {
        degrees: [0, 1].map(|k| match edges {
            true => sides[k].graph.neighbours([source, target][k]).len(),
            false => [of_source.len(), of_target.len()][k],
        }),
        edges,
        ..Evidence::default()
    };
    for &j in &of_source {
        match partners.of_source.partner(j) {
            Some(b) if wider.contains(&b) => found.both.push((j, b)),
            other => found.source_only.push((j, other)),
        }
    }
    let seen: HashSet<usize> = found.both.iter().map(|(_, b)| *b).collect();
    for &b in of_target.iter().filter(|b| !seen.contains(b)) {
        found.target_only.push((b, partners.of_target.partner(b)));
    }
    found
}

/// Who may be the partner of a source node, the likeliest first, with the probability where it is known.
pub(crate) fn candidates(
    sides: &[Side; 2],
    matching: &Matching,
    partners: &Partners,
    decided: &Decided,
    source: usize,
) -> Vec<(usize, Option<f64>)> {
    let is_open = |t: usize| {
        let ours = decided.partner(source) == Some(t);
        (ours || !decided.is_taken(t)) && !decided.rejected().contains(&(source, t))
    };
    let listed = matching.alternatives.as_ref();
    let listed = listed.map_or(&[][..], |all| all.of(source)).iter();
    let mut found: Vec<(usize, Option<f64>)> = listed
        .map(|other| (other.target, Some(other.probability)))
        .collect();
    if let Some(t) = partners.of_source.partner(source)
        && !found.iter().any(|(other, _)| *other == t)
    {
        // Where many are alike, the partner may be none of the few that are listed.
        let sure = partners.confidence[source];
        let place = found.partition_point(|(_, p)| p.is_some_and(|p| p > sure));
        found.insert(place, (t, Some(sure)));
    }
    let mut more: Vec<usize> = votes(sides, partners, source);
    let sketch = matching.model.first().and_then(|m| m.sketch.as_ref());
    if let Some(sketch) = sketch.filter(|sketch| source < sketch.expected.rows()) {
        more.extend(nearest_to(
            &sides[1],
            sketch.expected.row(source),
            2 * CANDIDATES,
        ));
    }
    if let Some(t) = partners.of_source.partner(source) {
        more.extend(
            around(&sides[1], t, CANDIDATES)
                .into_iter()
                .take(CANDIDATES),
        );
    }
    for t in more {
        if !found.iter().any(|(other, _)| *other == t) {
            found.push((t, None));
        }
    }
    found.retain(|(t, _)| is_open(*t));
    found.truncate(CANDIDATES);
    found
}

/// The target nodes that neighbours' partners have for neighbours, those with most votes first.
fn votes(sides: &[Side; 2], partners: &Partners, source: usize) -> Vec<usize> {
    if !(by_edges(&sides[0]) && by_edges(&sides[1])) {
        return Vec::new();
    }
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for j in around(&sides[0], source, NEAREST).into_iter().take(64) {
        if let Some(b) = partners.of_source.partner(j) {
            for t in around(&sides[1], b, NEAREST).into_iter().take(64) {
                *counts.entry(t).or_default() += 1;
            }
        }
    }
    let mut all: Vec<(usize, usize)> = counts.into_iter().collect();
    all.sort_by(|x, y| y.1.cmp(&x.1).then(x.0.cmp(&y.0)));
    let all = all.into_iter().take(2 * CANDIDATES);
    all.map(|(t, _)| t).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::linalg::Matrix;
    use anchormatch::matcher::{Best, Matcher};
    use anchormatch::{Graph, Monitor, Task};
    use std::sync::Arc;

    fn side(graph: Graph, positions: Option<Matrix>) -> Side {
        Side {
            name: String::new(),
            points: positions.is_some(),
            graph: Arc::new(graph),
            positions: positions.map(Arc::new),
            wireframe: None,
            image: None,
        }
    }

    fn partners(pairs: &[(usize, usize)], n: usize) -> Partners {
        let of_source = Assignment::from_pairs(n, pairs.iter().copied());
        Partners {
            of_target: of_source.inverse(n),
            of_source,
            confidence: vec![0.5; n],
        }
    }

    #[test]
    fn neighbours_speak_for_and_against() {
        let star = || Graph::from_edges(5, &[(0, 1, 1.0), (0, 2, 3.0), (0, 3, 2.0)]).unwrap();
        let sides = [side(star(), None), side(star(), None)];
        let partners = partners(&[(0, 0), (1, 1), (2, 4)], 5);
        let found = evidence(&sides, &partners, (0, 0));
        assert_eq!(found.both, [(1, 1)]);
        assert_eq!(found.source_only, [(2, Some(4)), (3, None)]);
        assert_eq!(found.target_only, [(2, None), (3, None)]);
        assert_eq!((found.degrees, found.edges), ([3, 3], true));
    }

    #[test]
    fn candidates_of_graphs_are_the_ranked_alternatives() {
        // Two paths of four nodes, which are alike from either end.
        let path = || Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]);
        let (one, two) = (path().expect("a path"), path().expect("a path"));
        let task = Task::from_pairs(&one, &two, &[]).expect("a task");
        let matching = Best::default().run(&task, &Monitor::silent());
        let matching = matching.expect("a match");
        let partners = Partners::of(&matching, [4, 4]);
        let sides = [side(one.clone(), None), side(two.clone(), None)];
        let listed = matching.alternatives.as_ref().expect("alternatives");
        for source in 0..4 {
            let found = candidates(&sides, &matching, &partners, &Decided::default(), source);
            let ranked = listed.of(source).iter();
            let ranked: Vec<_> = ranked.map(|a| (a.target, Some(a.probability))).collect();
            assert!(ranked.len() > 1, "{ranked:?}");
            assert_eq!(found[..ranked.len()], ranked);
        }
    }

    #[test]
    fn points_look_at_the_nearest() {
        let line = || {
            let points = Matrix::from_fn(40, 2, |i, k| if k == 0 { i as f64 } else { 0.0 });
            side(Graph::from_edges(40, &[]).unwrap(), Some(points))
        };
        let same: Vec<_> = (0..40).map(|i| (i, i)).collect();
        let found = evidence(&[line(), line()], &partners(&same, 40), (20, 20));
        assert_eq!(found.both.len(), 8);
        assert!(found.source_only.is_empty() && !found.edges);
        let far = evidence(&[line(), line()], &partners(&same, 40), (0, 39));
        assert!(far.both.is_empty(), "{far:?}");
    }
}
