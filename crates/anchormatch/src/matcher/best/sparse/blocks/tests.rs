//! Two blocks answer as one machine does.

use super::super::expansion::settled_neighbours;
use super::super::known::Known;
use super::super::model::Model;
use super::super::neighbours::{self, Outlook, Scratch};
use super::super::side::Side;
use super::super::tests::copies;
use super::*;
use crate::anchors::Anchors;
use crate::graph::Graph;
use crate::task::Task;

/// The lists of a block.
struct Held {
    begin: usize,
    offsets: Vec<i64>,
    columns: Vec<u32>,
    weights: Option<Vec<f32>>,
    ghosts: Vec<u32>,
    degrees: Vec<u32>,
}

impl Held {
    fn of(graph: &Graph, scores: Option<&[f32]>, nodes: std::ops::Range<usize>) -> Self {
        let edges = graph.sparse_adjacency();
        let places = edges.range(nodes.start).start..edges.range(nodes.end - 1).end;
        let all: Vec<u32> = places.clone().map(|place| edges.column(place)).collect();
        let mut ghosts = all.clone();
        ghosts.sort_unstable();
        ghosts.dedup();
        let at = |j: &u32| ghosts.binary_search(j).unwrap() as u32;
        let ends = nodes.clone().map(|i| edges.range(i).end);
        Self {
            begin: nodes.start,
            offsets: [places.start]
                .into_iter()
                .chain(ends)
                .map(|o| (o - places.start) as i64)
                .collect(),
            columns: all.iter().map(at).collect(),
            weights: scores.map(|scores| scores[places].to_vec()),
            degrees: ghosts
                .iter()
                .map(|&j| edges.range(j as usize).len() as u32)
                .collect(),
            ghosts,
        }
    }

    fn block(&self) -> Block<'_> {
        let weights = self.weights.as_deref();
        Block::new(
            &self.offsets,
            &self.columns,
            weights,
            &self.ghosts,
            &self.degrees,
        )
        .unwrap()
    }

    fn stored(&self) -> Stored<'_> {
        Stored {
            offsets: &self.offsets,
            columns: &self.columns,
            weights: self.weights.as_deref(),
            ghosts: &self.ghosts,
        }
    }

    /// Some of its nodes as a block of their own, and the places of its ghosts.
    fn part(&self, nodes: &[u32]) -> (Self, Vec<u32>) {
        let part = self.stored().part(nodes).unwrap();
        let of = |values: &[u32]| part.places.iter().map(|&j| values[j as usize]).collect();
        let held = Self {
            begin: self.begin,
            offsets: part.offsets,
            columns: part.columns,
            weights: part.weights,
            ghosts: of(&self.ghosts),
            degrees: of(&self.degrees),
        };
        (held, part.places)
    }

    fn ghostly(&self, values: &[u32]) -> Vec<u32> {
        self.ghosts.iter().map(|&j| values[j as usize]).collect()
    }
}

fn numbers_of(graph: &Graph) -> [f64; 7] {
    let mut counts = BTreeMap::new();
    for i in 0..graph.node_count() {
        *counts.entry(graph.neighbours(i).len() as u32).or_default() += 1;
    }
    graph_numbers(&counts)
}

/// Rows of any nodes, from a block of the whole graph.
fn halo_rows(whole: &Held, partners: &[u32]) -> (Vec<i64>, Rows) {
    let rows = whole.stored().rows(partners, None).unwrap();
    let mut offsets = vec![0];
    for &length in &rows.lengths {
        offsets.push(offsets[offsets.len() - 1] + i64::from(length));
    }
    (offsets, rows)
}

#[test]
fn blocks_fit_and_answer_as_one_machine_does() {
    for weighted in [false, true] {
        let n = 9000;
        let graphs = copies(n, 8, 0.8, weighted, 3);
        let pairs: Vec<_> = (0..n).step_by(4).map(|i| (i, (7 * i + 3) % n)).collect();
        let anchors = Anchors::from_indices(&graphs[0], &graphs[1], &pairs).unwrap();
        let task = Task::new(&graphs[0], &graphs[1], &anchors).unwrap();
        let known = Known::of(&task);
        let sides = task.graphs().map(|graph| Side::new(graph, weighted));
        let partners = known.partners();
        let model = Model::fit(&sides, &partners);
        let settled = [0, 1].map(|k| settled_neighbours(&sides[k], &partners[k]));

        let scores = [0, 1].map(|k| sides[k].weights.as_deref());
        let numbers = [0, 1].map(|k| numbers_of(&graphs[k]));
        let before =
            Setting::new([&numbers[0], &numbers[1]], &[0.5, 0.5, 1.0, 0.0, 0.5, 1.0]).unwrap();
        let cuts = [0, PART, 2 * PART, n];
        let whole = [0, 1].map(|k| Held::of(&graphs[k], scores[k], 0..n));
        let mut counts = Vec::new();
        let mut found = Vec::new();
        let blocks = |k: usize| -> Vec<Held> {
            let cut = |w: &[usize]| Held::of(&graphs[k], scores[k], w[0]..w[1]);
            cuts.windows(2).map(cut).collect()
        };
        for held in blocks(0) {
            let own = &partners[0][held.begin..held.begin + held.offsets.len() - 1];
            let ghosts = held.ghostly(&partners[0]);
            let mut reached: Vec<u32> = own.iter().copied().filter(|a| *a != NONE).collect();
            reached.sort_unstable();
            let (_, rows) = halo_rows(&whole[1], &reached);
            let counted =
                count_source(&before, &held.block(), own, &ghosts, &reached, rows).unwrap();
            counts.extend(counted.counts);
            let samples = held.block().samples(held.begin, n, own, &ghosts).unwrap();
            let mut reached: Vec<u32> = samples.iter().flat_map(|s| [s.one, s.other]).collect();
            reached.sort_unstable();
            reached.dedup();
            let (offsets, rows) = halo_rows(&whole[1], &reached);
            let all: Vec<u32> = (0..n as u32).collect();
            let degrees: Vec<u32> = (0..n).map(|a| sides[1].degree(a) as u32).collect();
            let halo = Halo {
                partners: &reached,
                partner_degrees: &rows.lengths,
                offsets: &offsets,
                columns: &rows.columns,
                weights: None,
                nodes: &all,
                degrees: &degrees,
                settled: &[],
                open: &[],
            };
            found.extend(looks(&before, &samples, &halo).unwrap());
        }
        for held in blocks(1) {
            let own = &partners[1][held.begin..held.begin + held.offsets.len() - 1];
            counts.extend(count_target(&held.block(), own, &held.ghostly(&partners[1])).unwrap());
        }
        let fitted = fit(&counts, &found);
        let setting = Setting::new([&numbers[0], &numbers[1]], &fitted).unwrap();
        assert_eq!(setting.missing(), model.missing());
        assert_eq!(setting.fitted.closeness.ln() as f32, model.first);
        assert_eq!(setting.fitted.weights, model.weights.correlation);
        assert_eq!(setting.fitted.degrees, model.degrees.correlation);

        for from in 0..2 {
            let open = |a: u32| partners[1 - from][a as usize] == NONE;
            let outlook = Outlook {
                own: &sides[from],
                other: &sides[1 - from],
                believed: neighbours::Believed::Settled(&partners[from]),
                open: &open,
                settled: [&settled[from], &settled[1 - from]],
                lost: None,
                model: &model,
                from,
                known: &known,
                others: 11.5,
            };
            let mut scratch = Scratch::default();
            for held in blocks(from) {
                let ghosts = held.ghostly(&partners[from]);
                let believed = Believed::Settled(&ghosts);
                let range = held.begin..held.begin + held.offsets.len() - 1;
                let is_free = |i: &u32| partners[from][held.begin + *i as usize] == NONE;
                let nodes: Vec<u32> = (0..range.len() as u32).filter(is_free).step_by(3).collect();
                let reached = held.block().reach(&nodes, believed).unwrap();
                let (offsets, rows) = halo_rows(&whole[1 - from], &reached);
                let mut seen = rows.columns.clone();
                seen.sort_unstable();
                seen.dedup();
                let of = |values: &[f32]| -> Vec<f32> {
                    seen.iter().map(|&a| values[a as usize]).collect()
                };
                let degrees: Vec<u32> = seen
                    .iter()
                    .map(|&a| sides[1 - from].degree(a as usize) as u32)
                    .collect();
                let is_open: Vec<bool> = seen.iter().map(|&a| open(a)).collect();
                let halo = Halo {
                    partners: &reached,
                    partner_degrees: &rows.lengths,
                    offsets: &offsets,
                    columns: &rows.columns,
                    weights: rows.weights.as_deref(),
                    nodes: &seen,
                    degrees: &degrees,
                    settled: &of(&settled[1 - from]),
                    open: &is_open,
                };
                let inquiry = Inquiry {
                    from,
                    nodes: &nodes,
                    believed,
                    settled: &settled[from][range],
                    soft: &[],
                    most: 0.0,
                    others: 11.5,
                    question: Question::Best,
                };
                let answers = ask(&setting, &held.block(), &halo, &inquiry).unwrap();
                // The same of a block that has only these nodes.
                let (part, places) = held.part(&nodes);
                let ghosts: Vec<u32> = places.iter().map(|&j| ghosts[j as usize]).collect();
                let settled: Vec<f32> =
                    nodes.iter().map(|&i| inquiry.settled[i as usize]).collect();
                let own: Vec<u32> = (0..nodes.len() as u32).collect();
                let alone = Inquiry {
                    nodes: &own,
                    believed: Believed::Settled(&ghosts),
                    settled: &settled,
                    ..inquiry
                };
                assert_eq!(part.block().reach(&own, alone.believed).unwrap(), reached);
                assert_eq!(
                    ask(&setting, &part.block(), &halo, &alone).unwrap(),
                    answers
                );
                let mut entries = answers
                    .columns
                    .iter()
                    .zip(answers.weights.as_ref().unwrap());
                for (&i, &length) in nodes.iter().zip(&answers.lengths) {
                    let wanted = outlook.best(held.begin + i as usize, &mut scratch);
                    let answer = (length > 0).then(|| entries.next().unwrap());
                    assert_eq!(answer.map(|(&a, &p)| (a, p)), wanted);
                }
            }
        }
    }
}

#[test]
fn some_rows_are_those_of_the_block_and_only_they_are_looked_at() {
    let (offsets, columns, ghosts) = ([0, 2, 3, 3, 5], [0, 3, 1, 2, 3], [4, 7, 8, 9]);
    let weights = [0.5, 1.5, 2.5, 3.5, 4.5];
    let stored = Stored {
        offsets: &offsets,
        columns: &columns,
        weights: Some(&weights),
        ghosts: &ghosts,
    };
    let rows = stored.rows(&[3, 0, 2], None).unwrap();
    assert_eq!(rows.lengths, [2, 2, 0]);
    assert_eq!(rows.columns, [8, 9, 4, 9]);
    assert_eq!(rows.weights.unwrap(), [3.5, 4.5, 0.5, 1.5]);
    let rows = stored.rows(&[0, 3], Some(&[NONE, 1, 2, NONE])).unwrap();
    assert_eq!((rows.lengths, rows.columns), (vec![2, 1], vec![4, 9, 9]));
    let part = stored.part(&[0, 2, 3]).unwrap();
    assert_eq!(part.offsets, [0, 2, 2, 4]);
    assert_eq!(
        (part.columns, part.places),
        (vec![0, 2, 1, 2], vec![0, 2, 3])
    );
    assert_eq!(part.weights.unwrap(), [0.5, 1.5, 3.5, 4.5]);
    let none = stored.part(&[]).unwrap();
    assert_eq!((none.offsets, none.places), (vec![0], vec![]));

    assert!(stored.rows(&[4], None).is_err() && stored.part(&[4]).is_err());
    assert!(stored.rows(&[0], Some(&[NONE])).is_err());
    let short = Stored {
        weights: Some(&weights[1..]),
        ..stored
    };
    assert!(short.rows(&[0], None).is_err() && short.part(&[0]).is_err());
    // The second row leads nowhere and the last ends before it begins: who asks for others gets them.
    let broken = Stored {
        offsets: &[0, 2, 3, 5, 4],
        columns: &[0, 3, 4, 2, 3],
        ..stored
    };
    assert_eq!(broken.rows(&[0], None).unwrap().columns, [4, 9]);
    for node in [1, 3] {
        assert!(broken.rows(&[node], None).is_err() && broken.part(&[node]).is_err());
    }
}
