//! What is known beside edges and anchors: it is used, and what is ruled out stays out.

use std::sync::Arc;

use anchormatch::graph::{EdgeKinds, KindEdge};
use anchormatch::linalg::{Csr, Matrix, PairValues};
use anchormatch::matcher::{Best, Matcher, Paper, RegimeChoice};
use anchormatch::points::Family;
use anchormatch::solver::registry;
use anchormatch::{Allowed, Anchors, Attributes, Graph, Matching, Monitor, Task};

const NODES: usize = 24;

/// The partner of every node.
fn partner(i: usize) -> usize {
    (7 * i + 5) % NODES
}

fn truth() -> Vec<(usize, usize)> {
    (0..NODES).map(|i| (i, partner(i))).collect()
}

/// A graph by its edges, and the same with every node its partner.
fn pair(edges: &[(usize, usize, f64)]) -> [Graph; 2] {
    let moved: Vec<_> = edges
        .iter()
        .map(|&(i, j, w)| (partner(i), partner(j), w))
        .collect();
    [edges, &moved].map(|edges| Graph::from_edges(NODES, edges).expect("edges of nodes"))
}

/// A ring, of which nobody can tell where it begins.
fn rings() -> [Graph; 2] {
    pair(
        &(0..NODES)
            .map(|i| (i, (i + 1) % NODES, 1.0))
            .collect::<Vec<_>>(),
    )
}

/// A ring with chords that tell its nodes apart.
fn chords() -> [Graph; 2] {
    let ring = (0..NODES).map(|i| (i, (i + 1) % NODES, 1.0));
    let chords = (0..NODES).map(|i| (i, (i * i + 5) % NODES, 1.0));
    let edges: Vec<_> = ring.chain(chords).filter(|e| e.0 != e.1).collect();
    let mut seen = std::collections::HashSet::new();
    let once = edges
        .into_iter()
        .filter(|&(i, j, _)| seen.insert((i.min(j), i.max(j))));
    pair(&once.collect::<Vec<_>>())
}

fn run(matcher: &dyn Matcher, task: &Task<'_>) -> Matching {
    matcher
        .run(task, &Monitor::silent())
        .expect("nothing stops it")
}

fn right(matching: &Matching) -> usize {
    let pairs = matching.pairs.iter();
    pairs.filter(|p| partner(p.source) == p.target).count()
}

fn regimes() -> [Best; 2] {
    [RegimeChoice::Dense, RegimeChoice::Sparse].map(|regime| Best::default().with_regime(regime))
}

#[test]
fn attributes_tell_what_edges_cannot() {
    let [source, target] = rings();
    let anchors = Anchors::none();
    let plain = Task::new(&source, &target, &anchors).unwrap();
    let names: Vec<Option<String>> = (0..NODES)
        .map(|i| Some(format!("person {}", i * 7919)))
        .collect();
    let mut other = names.clone();
    truth()
        .iter()
        .for_each(|&(i, a)| other[a].clone_from(&names[i]));
    let attributes = Attributes::new(NODES, NODES)
        .with_text("name", &names, &other)
        .unwrap();
    let task = plain.clone().with_attributes(Arc::new(attributes)).unwrap();
    for best in regimes() {
        let found = run(&best, &task);
        assert_eq!(right(&found), NODES);
        let told = found
            .parameters
            .iter()
            .find(|(name, _)| name == "attribute name");
        assert!(told.is_some_and(|(_, nats)| nats.ends_with("nats a pair")));
    }
    assert!(right(&run(&Best::default(), &plain)) < NODES / 2);
}

#[test]
fn attributes_that_say_nothing_do_no_harm() {
    let [source, target] = chords();
    let anchors = Anchors::from_indices(&source, &target, &truth()[..3]).unwrap();
    let plain = Task::new(&source, &target, &anchors).unwrap();
    let noise = |shift: usize| -> Vec<f64> {
        (0..NODES)
            .map(|i| ((i * i * 31 + shift * i * 17) % 97) as f64)
            .collect()
    };
    let attributes = Attributes::new(NODES, NODES)
        .with_numbers("noise", &noise(1), &noise(5))
        .unwrap();
    let task = plain.clone().with_attributes(Arc::new(attributes)).unwrap();
    let best = Best::default();
    assert_eq!(right(&run(&best, &plain)), NODES);
    assert!(right(&run(&best, &task)) >= NODES - 2);
}

/// Lists with the right partner among four, or without it.
fn candidates(with_partner: bool) -> Allowed {
    let pairs: Vec<_> = (0..NODES / 2)
        .flat_map(|i| {
            (0..4).map(move |k| (i, (partner(i) + usize::from(!with_partner) + 3 * k) % NODES))
        })
        .collect();
    Allowed::all(NODES, NODES)
        .with_candidates(&pairs)
        .expect("pairs of nodes")
}

#[test]
fn candidates_are_heeded_by_all_matchers_and_solvers() {
    let [source, target] = chords();
    let anchors = Anchors::none();
    for with_partner in [true, false] {
        let allowed = Arc::new(candidates(with_partner));
        let task = Task::new(&source, &target, &anchors).unwrap();
        let task = task.with_allowed(Arc::clone(&allowed)).unwrap();
        let mut matchers: Vec<Box<dyn Matcher>> = vec![Box::new(Paper::default())];
        matchers.extend(regimes().map(|best| Box::new(best) as Box<dyn Matcher>));
        let alone = regimes().map(|best| Box::new(best.with_unmatched(true)) as Box<dyn Matcher>);
        matchers.extend(alone);
        for name in ["rrwm", "faq", "tabu", "sm"] {
            let solver = registry::by_name(name).unwrap();
            matchers.push(Box::new(Best::default().with_solver(solver.into())));
        }
        for matcher in matchers {
            let found = run(&*matcher, &task);
            let mut pairs = found.pairs.iter();
            assert!(
                pairs.all(|p| allowed.allows(p.source, p.target)),
                "{matcher:?}"
            );
            if with_partner && matcher.name() == "best" {
                assert!(found.pairs.len() >= NODES / 2, "{matcher:?}");
            }
        }
        if with_partner {
            assert_eq!(right(&run(&Best::default(), &task)), NODES);
        }
    }
}

#[test]
fn who_has_no_partner_gets_none() {
    let [source, target] = chords();
    let hard = Anchors::from_indices(&source, &target, &truth()[..3]).unwrap();
    let anchors = hard
        .with_alone([&source, &target], [8, 9], [partner(9)])
        .unwrap();
    let task = Task::new(&source, &target, &anchors).unwrap();
    let mut matchers: Vec<Box<dyn Matcher>> = vec![Box::new(Paper::default())];
    matchers.extend(regimes().map(|best| Box::new(best) as Box<dyn Matcher>));
    matchers.push(Box::new(Best::default().with_repairs(true)));
    for matcher in matchers {
        let found = run(&*matcher, &task);
        assert!(found.unmatched_source.contains(&8) && found.unmatched_source.contains(&9));
        assert!(found.unmatched_target.contains(&partner(9)), "{matcher:?}");
    }
    let points = Matrix::from_fn(NODES, 2, |i, k| ((i * (13 + 8 * k) + k) % 29) as f64);
    let moved = Matrix::from_fn(NODES, 2, |a, k| {
        let i = (0..NODES).find(|&i| partner(i) == a).unwrap();
        3.0 * points[(i, k)] + 1.0
    });
    let task = task.with_points(Arc::new(points), Arc::new(moved)).unwrap();
    let found = run(&Best::default(), &task);
    assert_eq!(right(&found), NODES - 2);
    assert!(found.unmatched_source.contains(&8) && found.unmatched_target.contains(&partner(9)));
}

/// A ring fits upon itself in many ways; what its points carry says which.
#[test]
fn what_points_carry_counts_beside_their_map() {
    let [source, target] = [(); 2].map(|()| Graph::from_edges(NODES, &[]).unwrap());
    let anchors = Anchors::none();
    let angle = |i: usize| std::f64::consts::TAU * i as f64 / NODES as f64;
    let place = |i: usize, k: usize| [angle(i).cos(), angle(i).sin()][k];
    let old = |a: usize| (0..NODES).find(|&i| partner(i) == a).unwrap();
    let points = [
        Matrix::from_fn(NODES, 2, place),
        Matrix::from_fn(NODES, 2, |a, k| 40.0 * place(old(a), k) - 7.0),
    ]
    .map(Arc::new);
    let [from, to] = &points;
    let plain = Task::new(&source, &target, &anchors)
        .and_then(|task| task.with_points(Arc::clone(from), Arc::clone(to)))
        .unwrap();
    let without = run(&Best::default(), &plain);
    assert!(without.pairs.iter().all(|pair| pair.confidence < 0.2));
    let sure = |found: &Matching| {
        assert_eq!(right(found), NODES);
        assert_eq!(found.model[0].family, Family::Similarity);
        found
            .pairs
            .iter()
            .map(|pair| pair.confidence)
            .fold(1.0, f64::min)
    };
    let size = |i: usize| ((7 * i * i + 3 * i) % 29) as f64;
    let blurred = |a: usize| size(old(a)) + 0.3 * f64::sin(a as f64);
    let sizes: [Vec<f64>; 2] = [
        (0..NODES).map(size).collect(),
        (0..NODES).map(blurred).collect(),
    ];
    let attributes = Attributes::new(NODES, NODES)
        .with_numbers("size", &sizes[0], &sizes[1])
        .unwrap();
    let task = plain.clone().with_attributes(Arc::new(attributes)).unwrap();
    let found = run(&Best::default(), &task);
    assert!(sure(&found) > 0.9, "{:?}", found.pairs);
    assert!(
        found
            .parameters
            .iter()
            .any(|(name, _)| name == "attribute size")
    );
    let likeness = |i: usize, a: usize| -f64::powi(sizes[0][i] - sizes[1][a], 2);
    let similarity = PairValues::Full(Matrix::from_fn(NODES, NODES, likeness));
    let task = plain.clone().with_similarity(Arc::new(similarity)).unwrap();
    assert!(sure(&run(&Best::default(), &task)) > 0.9);
    // Candidates of two points, next to each other on the ring, leave one way.
    let few = [(0, partner(0)), (1, partner(1))];
    let allowed = Allowed::all(NODES, NODES).with_candidates(&few).unwrap();
    let task = plain.with_allowed(Arc::new(allowed)).unwrap();
    assert!(sure(&run(&Best::default(), &task)) > 0.9);
}

#[test]
fn edges_between_the_sides_tell_rings_apart() {
    let [source, target] = rings();
    let anchors = Anchors::none();
    // From every node to some of the other side, with mirror images.
    let edges: Vec<(usize, usize)> = (0..NODES)
        .flat_map(|i| [(i, (i * i + 3) % NODES), (i, (5 * i + 1) % NODES)])
        .collect();
    let there = edges.iter().map(|&(i, j)| (i, partner(j), 1.0));
    let back = edges.iter().map(|&(i, j)| (partner(i), j, 1.0));
    let table = |entries: Vec<_>| {
        let pattern = entries
            .iter()
            .map(|&(i, a, _): &(usize, usize, f64)| (i, a));
        Csr::pattern(NODES, NODES, pattern).unwrap().map(|()| 1.0)
    };
    let task = Task::new(&source, &target, &anchors).unwrap();
    let task = task
        .with_crossing(table(there.collect()), table(back.collect()))
        .unwrap();
    let best = Best::default().with_regime(RegimeChoice::Dense);
    assert_eq!(right(&run(&best, &task)), NODES);
}

/// Graphs without any edge within a side: over lists, too, the edges between the sides say who is whose partner.
#[test]
fn edges_between_the_sides_are_compared_over_lists() {
    let [source, target] = pair(&[]);
    let anchors = Anchors::from_indices(&source, &target, &truth()[..NODES / 3]).unwrap();
    let end = |i: usize, k: usize| (5 * i + 7 * k + (i * k) % 11 * 3 + (i * i) % 13) % NODES;
    let edges = || (0..NODES).flat_map(|i| (0..4).map(move |k| (i, end(i, k))));
    let table = |entries: Vec<(usize, usize)>| {
        let pattern = entries.iter().copied();
        Csr::pattern(NODES, NODES, pattern).unwrap().map(|()| 1.0)
    };
    let there = table(edges().map(|(i, j)| (i, partner(j))).collect());
    let back = table(edges().map(|(i, j)| (partner(i), j)).collect());
    let plain = Task::new(&source, &target, &anchors).unwrap();
    let task = plain.clone().with_crossing(there, back).unwrap();
    let best = Best::default().with_regime(RegimeChoice::Sparse);
    let (with, without) = (right(&run(&best, &task)), right(&run(&best, &plain)));
    assert!(with > without + NODES / 3, "{with} {without}");
    assert!(with * 10 > NODES * 8, "{with}");
}

/// Every two nodes are joined; only the layers differ.
#[test]
fn layers_tell_what_their_sum_does_not() {
    let pairs = || (0..NODES).flat_map(|i| (0..i).map(move |j| (j, i)));
    let edges: Vec<_> = pairs().map(|(j, i)| (j, i, 1.0)).collect();
    let [source, target] = pair(&edges);
    let kinds = |place: fn(usize) -> usize| {
        let edges = pairs().map(|(j, i)| KindEdge {
            from: place(j) as u32,
            to: place(i) as u32,
            kind: u32::from((i * i * 5 + j * j * 3 + i * j) % 7 < 3),
            weight: 1.0,
        });
        let names = vec!["red".to_owned(), "blue".to_owned()];
        Arc::new(EdgeKinds::new(NODES, names, edges.collect()).unwrap())
    };
    let anchors = Anchors::from_indices(&source, &target, &truth()[..2]).unwrap();
    let plain = Task::new(&source, &target, &anchors).unwrap();
    let task = plain
        .clone()
        .with_layers(kinds(|i| i), kinds(partner))
        .unwrap();
    let best = Best::default().with_regime(RegimeChoice::Dense);
    assert_eq!(right(&run(&best, &task)), NODES);
    assert!(right(&run(&best, &plain)) < NODES / 2);
}
