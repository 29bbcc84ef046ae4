//! Which nodes of large graphs are drawn: what can be looked at, the surroundings of nodes that somebody asks about, of
//! anchors and of doubtful pairs.

use anchormatch::Graph;
use anchormatch::matching::Pair;

use super::View;
use super::edges::evenly;
use super::text::counted;

/// Anchors, and doubtful pairs, whose surroundings are drawn together.
const CENTRES: usize = 20;
/// Nodes a side where both graphs are too large to be drawn whole. More of them, each with its line to the other side,
/// are a block of ink; so many show what is near each centre, and can be laid out well.
const SAMPLED: usize = 400;
/// Neighbours of one node that belong to its surroundings: of a hub a few stand for all.
const NEIGHBOURS: usize = 12;

/// The nodes of both sides that are drawn.
pub(super) struct Choice {
    pub(super) drawn: [Vec<bool>; 2],
    /// How those of either side were chosen, in words; empty where all are drawn.
    pub(super) words: [String; 2],
}

impl Choice {
    /// At most `most` nodes a side.
    pub(super) fn of(view: &View<'_>, most: usize) -> Self {
        let sides = [&view.report.source, &view.report.target];
        let is_large = sides.iter().all(|side| side.graph.node_count() > most);
        let most = if is_large { most.min(SAMPLED) } else { most };
        let best_first = || {
            let rest = view.runs.iter().enumerate();
            let rest = rest.filter(|(k, _)| *k != view.best).map(|(_, run)| run);
            std::iter::once(&view.runs[view.best]).chain(rest)
        };
        let pairs = || best_first().flat_map(|run| &run.matching.pairs);
        let anchors: Vec<&Pair> = pairs().filter(|pair| pair.anchor).collect();
        let doubtful = most_doubtful(&view.runs[view.best].matching.pairs);
        let centres = centres(&anchors, &doubtful);
        let [source, target] = sides.map(|side| side.graph);
        let around = centres.iter().map(|pair| pair.source);
        let asked = view.report.around.iter().copied();
        let source = surroundings(source, most, asked, around);
        let partners = pairs().filter(|pair| source[pair.source]);
        let partners = partners.map(|pair| pair.target);
        let around = centres.iter().map(|pair| pair.target);
        let target = surroundings(target, most, partners, around);
        let words = sides.map(|side| match side.graph.edge_count() {
            0 => "drawn (anchors first, then an even sample)".to_owned(),
            _ => words(
                view.report.around.len(),
                anchors.len().min(CENTRES),
                doubtful.len(),
            ),
        });
        Self {
            drawn: [source, target],
            words,
        }
    }
}

/// What the surroundings are those of.
fn words(asked: usize, anchors: usize, doubtful: usize) -> String {
    let asked = (asked > 0).then(|| counted(asked, "node asked for", "nodes asked for"));
    let anchors = (anchors > 0).then(|| counted(anchors, "anchor", "anchors"));
    let doubtful = match doubtful {
        0 => None,
        1 => Some("the most doubtful pair".to_owned()),
        some => Some(format!("the {some} most doubtful pairs")),
    };
    let all: Vec<String> = asked.into_iter().chain(anchors).chain(doubtful).collect();
    if all.is_empty() {
        return "drawn (an even sample and what is near it)".to_owned();
    }
    format!("drawn (the surroundings of {})", all.join(" and of "))
}

/// The pairs that are least sure, anchors aside, the least sure first.
fn most_doubtful(pairs: &[Pair]) -> Vec<&Pair> {
    let mut open: Vec<&Pair> = pairs.iter().filter(|pair| !pair.anchor).collect();
    let order = |p: &&Pair, q: &&Pair| {
        let surer = p.confidence.total_cmp(&q.confidence);
        surer.then(p.source.cmp(&q.source))
    };
    if open.len() > CENTRES {
        open.select_nth_unstable_by(CENTRES, order);
        open.truncate(CENTRES);
    }
    open.sort_unstable_by(order);
    open
}

/// An even sample of the anchors and the doubtful pairs in turn, then the other anchors.
fn centres<'p>(anchors: &[&'p Pair], doubtful: &[&'p Pair]) -> Vec<&'p Pair> {
    let chosen: Vec<usize> = evenly(anchors.len(), CENTRES).collect();
    let mut is_chosen = vec![false; anchors.len()];
    chosen.iter().for_each(|&k| is_chosen[k] = true);
    let mut centres = Vec::with_capacity(anchors.len() + doubtful.len());
    for k in 0..CENTRES {
        centres.extend(chosen.get(k).map(|&anchor| anchors[anchor]));
        centres.extend(doubtful.get(k));
    }
    let rest = anchors
        .iter()
        .zip(&is_chosen)
        .filter(|(_, chosen)| !**chosen);
    centres.extend(rest.map(|(anchor, _)| *anchor));
    centres
}

/// `most` nodes: the `first`, those around them and the first centres, around the next ones, and around an even
/// sample.
fn surroundings(
    graph: &Graph,
    most: usize,
    first: impl Iterator<Item = usize>,
    mut centres: impl Iterator<Item = usize>,
) -> Vec<bool> {
    let total = graph.node_count();
    if total <= most {
        return vec![true; total];
    }
    let mut queue = Queue {
        nodes: Vec::with_capacity(most),
        drawn: vec![false; total],
        most,
    };
    first.for_each(|node| queue.push(node));
    let mut sample = evenly(total, most);
    let mut next = 0;
    loop {
        while next < queue.nodes.len() && !queue.is_full() {
            let near = graph.neighbours(queue.nodes[next]).take(NEIGHBOURS);
            near.for_each(|(j, _)| queue.push(j));
            next += 1;
        }
        let known = queue.nodes.len();
        queue.fill(&mut centres, known + 2 * CENTRES);
        if queue.nodes.len() == known {
            queue.fill(&mut sample, known + 2 * CENTRES);
        }
        if queue.is_full() || queue.nodes.len() == next {
            return queue.drawn;
        }
    }
}

/// The nodes that are drawn, in the order in which they were chosen.
struct Queue {
    nodes: Vec<usize>,
    drawn: Vec<bool>,
    most: usize,
}

impl Queue {
    fn is_full(&self) -> bool {
        self.nodes.len() >= self.most
    }

    /// Takes nodes until there are `enough`.
    fn fill(&mut self, nodes: &mut impl Iterator<Item = usize>, enough: usize) {
        while self.nodes.len() < enough.min(self.most) {
            match nodes.next() {
                Some(node) => self.push(node),
                None => return,
            }
        }
    }

    fn push(&mut self, node: usize) {
        if !self.drawn[node] && !self.is_full() {
            self.drawn[node] = true;
            self.nodes.push(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(n: usize) -> Graph {
        let edges: Vec<_> = (0..n).map(|i| (i, (i + 1) % n, 1.0)).collect();
        Graph::from_edges(n, &edges).expect("a ring")
    }

    fn pair(source: usize, confidence: f64, anchor: bool) -> Pair {
        Pair {
            source,
            target: source,
            confidence,
            anchor,
        }
    }

    #[test]
    fn what_is_near_the_centres_is_drawn() {
        let drawn = surroundings(&ring(1000), 40, std::iter::empty(), [100, 500].into_iter());
        let nodes: Vec<usize> = (0..1000).filter(|&i| drawn[i]).collect();
        assert_eq!(nodes.len(), 40);
        let near = |i: &usize| i.abs_diff(100) <= 10 || i.abs_diff(500) <= 10;
        assert!(nodes.iter().all(near), "{nodes:?}");
    }

    #[test]
    fn where_little_is_near_the_rest_is_an_even_sample() {
        let alone = Graph::from_edges(1000, &[(0, 1, 1.0)]).expect("one edge");
        let drawn = surroundings(&alone, 50, [0].into_iter(), [0, 0].into_iter());
        assert!(drawn[0] && drawn[1]);
        assert_eq!(drawn.iter().filter(|&&d| d).count(), 50);
        assert!(drawn.iter().skip(900).any(|&d| d));
        let nobody = std::iter::empty;
        assert_eq!(surroundings(&alone, 1000, nobody(), nobody()), [true; 1000]);
    }

    #[test]
    fn doubtful_pairs_are_those_that_are_least_sure() {
        let sure = |k: usize| (k as f64 * 0.37).fract();
        let pairs: Vec<Pair> = (0..300).map(|k| pair(k, sure(k), k % 3 == 0)).collect();
        let doubtful = most_doubtful(&pairs);
        assert_eq!(doubtful.len(), CENTRES);
        let most = doubtful.last().expect("some").confidence;
        let open = pairs.iter().filter(|pair| !pair.anchor);
        assert_eq!(
            open.filter(|pair| pair.confidence < most).count(),
            CENTRES - 1
        );
        assert_eq!(
            words(0, 2, 1),
            "drawn (the surroundings of 2 anchors and of the most doubtful pair)"
        );
    }
}
