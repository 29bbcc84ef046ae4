//! The page as a whole: what it holds, that it is well-formed, and that odd input does not break it.

use anchormatch::graph::Labels;
use anchormatch::matching::{Alternatives, AnchorCheck, Diagnostics, Samples, Trust};
use anchormatch::solver::Status;
use anchormatch::symmetry::Orbits;
use proptest::prelude::*;
use quick_xml::events::Event;

use super::*;

mod colours;
mod points;

fn matching(pairs: &[(usize, usize, f64, bool)], n: usize, m: usize) -> Matching {
    let pairs: Vec<Pair> = pairs
        .iter()
        .map(|&(source, target, confidence, anchor)| Pair {
            source,
            target,
            confidence,
            anchor,
        })
        .collect();
    let without = |nodes: usize, taken: Vec<usize>| -> Vec<usize> {
        (0..nodes).filter(|i| !taken.contains(i)).collect()
    };
    Matching {
        unmatched_source: without(n, pairs.iter().map(|p| p.source).collect()),
        unmatched_target: without(m, pairs.iter().map(|p| p.target).collect()),
        pairs,
        objective: 12.5,
        measure: anchormatch::matching::Measure::default(),
        status: Status::Converged,
        iterations: 7,
        notes: vec![],
        parameters: vec![],
        timings: vec![],
        diagnostics: Diagnostics::default(),
        model: Vec::new(),
        alternatives: None,
        trust: Trust::default(),
        samples: Samples::default(),
        anchor_report: vec![],
    }
}

/// A graph by itself.
pub(super) fn side(graph: &Graph) -> Side<'_> {
    Side {
        name: "a graph".into(),
        graph,
        positions: None,
        wireframe: None,
        points: false,
        image: None,
    }
}

fn report<'a>(source: &'a Graph, target: &'a Graph, matchings: &[&'a Matching]) -> Report<'a> {
    Report {
        title: "A report".into(),
        source: side(source),
        target: side(target),
        runs: matchings
            .iter()
            .enumerate()
            .map(|(k, &matching)| Run {
                name: format!("run {k}"),
                matching,
                score: None,
            })
            .collect(),
        truth: None,
        command: None,
        around: Vec::new(),
    }
}

fn path(n: usize) -> Graph {
    let edges: Vec<_> = (1..n).map(|i| (i - 1, i, 1.0)).collect();
    Graph::from_edges(n, &edges).unwrap()
}

/// Scripts of a page.
const SCRIPTS: usize = 3;

/// The page without the contents of its style sheet and scripts, which are not XML.
fn markup(html: &str) -> String {
    let mut rest = html;
    let mut kept = String::new();
    for name in std::iter::once("style").chain(["script"; SCRIPTS]) {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        let start = rest.find(&open).expect("the page has styles and scripts") + open.len();
        let end = start + rest[start..].find(&close).expect("they end");
        kept.push_str(&rest[..start]);
        rest = &rest[end..];
    }
    kept.push_str(rest);
    kept
}

/// Parses the page as XML: tags balance, attributes are unique and quoted, coordinates are finite.
fn assert_sound(html: &str) {
    let markup = markup(html);
    let mut reader = quick_xml::Reader::from_str(&markup);
    let mut depth = 0usize;
    loop {
        let event = reader.read_event().expect("well-formed markup");
        let tag = match event {
            Event::Eof => break,
            Event::Start(tag) => {
                depth += 1;
                tag
            }
            Event::Empty(tag) => tag,
            Event::End(_) => {
                depth -= 1;
                continue;
            }
            _ => continue,
        };
        for attribute in tag.attributes() {
            let attribute = attribute.expect("a well-formed attribute");
            let name = attribute.key.as_ref();
            if ["cx", "cy", "r", "x1", "y1", "x2", "y2"].contains(&name) {
                let text = &attribute.value;
                let value: f64 = text.parse().expect("a coordinate");
                assert!(value.is_finite() && value.abs() < 5000.0, "{text}");
            }
            if name == "d" {
                let text = &attribute.value;
                assert!(text.chars().all(|c| "MLaz -.0123456789".contains(c)));
            }
        }
    }
    assert_eq!(depth, 0);
    let links = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!links.contains("http://") && !links.contains("https://"));
    assert!(!links.contains("@import") && !links.contains("url("));
}

fn lines_of_class(html: &str, class: &str) -> usize {
    html.matches(&format!("<line class=\"m {class}\"")).count()
}

#[test]
fn lines_carry_the_verdict_of_the_truth() {
    let (source, target) = (path(6), path(7));
    let matching = matching(
        &[
            (0, 0, 1.0, true),
            (1, 1, 0.9, false),
            (2, 3, 0.4, false),
            (3, 2, 0.2, false),
            (4, 5, 0.5, false),
        ],
        6,
        7,
    );
    let mut report = report(&source, &target, &[&matching]);
    let truth = [(0, 0), (1, 1), (2, 2), (3, 3), (5, 5)];
    report.truth = Some(&truth);
    let html = report.html().unwrap();
    assert_sound(&html);
    for (class, want) in [("anchor", 1), ("right", 1), ("wrong", 2), ("open", 1)] {
        assert_eq!(lines_of_class(&html, class), want, "{class}");
    }
    // An anchor, a sure pair and three doubtful ones: both ends of each, in a path of their standing.
    for (standing, corners) in [
        ("anchor", 2),
        ("sure", 2),
        ("doubtful", 6),
        ("unmatched", 3),
    ] {
        assert_eq!(marks_of(&html, standing), corners, "{standing}");
    }
    assert_eq!(html.matches("<tr data-s=").count(), 5);
    // Node 5 of the source, nodes 4 and 6 of the target.
    assert_eq!(html.matches("class=\"lone\"").count(), 3);
    assert!(html.contains("2 → 3 · confidence 0.4 · wrong, the truth is 2"));
    // Four pairs of the truth are asked, one is right.
    assert!(html.contains("25\u{202f}%") && html.contains("1 of 4 right"));
}

#[test]
fn without_a_truth_lines_say_how_pairs_stand() {
    let graph = path(4);
    let matching = matching(
        &[
            (0, 0, 1.0, true),
            (1, 1, 0.05, false),
            (2, 2, 0.95, false),
            (3, 3, f64::NAN, false),
        ],
        4,
        4,
    );
    let html = report(&graph, &graph, &[&matching]).html().unwrap();
    assert_sound(&html);
    for (class, want) in [
        ("anchor", 1),
        ("doubtful", 2),
        ("sure", 1),
        ("right", 0),
        ("wrong", 0),
    ] {
        assert_eq!(lines_of_class(&html, class), want, "{class}");
    }
    assert!(!html.contains(">verdict<"));
    let accused = AnchorCheck {
        source: 0,
        target: 0,
        score: 3.0,
        suspicion: 0.95,
        preferred: Some(1),
        demoted: false,
    };
    let doubted = Matching {
        anchor_report: vec![accused],
        ..matching
    };
    let html = report(&graph, &graph, &[&doubted]).html().unwrap();
    assert_eq!(lines_of_class(&html, "suspicious"), 1);
    assert_eq!(
        (marks_of(&html, "suspicious"), marks_of(&html, "anchor")),
        (2, 0)
    );
}

/// Marks of a standing in the picture.
fn marks_of(html: &str, standing: &str) -> usize {
    let (_, picture) = html
        .split_once("<g class=\"marks\"")
        .expect("a picture with marks");
    let (picture, _) = picture.split_once("</svg>").expect("a picture with marks");
    let start = format!("<path class=\"body {standing}\" d=\"");
    let paths = picture.split(&start).skip(1);
    paths
        .map(|path| path.split('"').next().expect("a path").matches('M').count())
        .sum()
}

#[test]
fn the_best_run_is_the_one_shown() {
    let graph = path(3);
    let poor = matching(&[(0, 1, 0.5, false), (1, 0, 0.5, false)], 3, 3);
    let good = matching(&[(0, 0, 0.5, false), (1, 1, 0.5, false)], 3, 3);
    let mut report = report(&graph, &graph, &[&poor, &good]);
    let truth = [(0, 0), (1, 1), (2, 2)];
    report.truth = Some(&truth);
    let html = report.html().unwrap();
    assert_sound(&html);
    assert_eq!(html.matches("data-pick=").count(), 2);
    assert!(html.contains("<g class=\"layer lines\" data-run=\"0\" hidden=\"\">"));
    assert!(html.contains("<g class=\"layer lines\" data-run=\"1\">"));
    assert!(html.contains("<tr data-row=\"1\" class=\"current\">"));
}

#[test]
fn strings_from_outside_cannot_break_out() {
    let evil = "</script><script>alert('x')</script>\"&\u{0}";
    let names = (0..3).map(|i| format!("{evil}{i}")).collect();
    let graph = path(3).with_labels(Labels::new(names).unwrap()).unwrap();
    let mut matching = matching(&[(0, 1, 0.5, false), (1, 0, 1.0, true)], 3, 3);
    matching.notes = vec![evil.into()];
    matching.parameters = vec![(evil.into(), evil.into())];
    matching.timings = vec![(evil.into(), f64::NAN), ("stage".into(), 0.5)];
    matching.diagnostics.source_eigenvalues = vec![0.0, 1.0, 2.0];
    let mut report = report(&graph, &graph, &[&matching, &matching]);
    let truth = [(0, 0)];
    report.truth = Some(&truth);
    report.title = evil.into();
    report.command = Some(evil.into());
    report.source.name = evil.into();
    report.target.name = evil.into();
    report.runs[0].name = evil.into();
    let html = report.html().unwrap();
    assert_sound(&html);
    assert!(!html.contains("alert('x')"));
    assert_eq!(html.matches("<script>").count(), SCRIPTS);
}

#[test]
fn degenerate_graphs_are_drawn() {
    let single = path(1);
    let lonely = Graph::from_edges(5, &[]).unwrap();
    let complete = {
        let points = Matrix::from_fn(30, 2, |i, j| ((i * 7 + j * 3) % 11) as f64);
        Graph::from_points(&points).unwrap()
    };
    for (source, target) in [
        (&single, &single),
        (&single, &lonely),
        (&lonely, &complete),
        (&complete, &single),
    ] {
        let (n, m) = (source.node_count(), target.node_count());
        for pairs in [&[][..], &[(0, 0, 1.0, true)][..], &[(0, 0, 0.0, false)][..]] {
            let matching = matching(pairs, n, m);
            for truth in [None, Some(&[][..]), Some(&[(0, 0)][..])] {
                let mut report = report(source, target, &[&matching]);
                report.truth = truth;
                let html = report.html().unwrap();
                assert_sound(&html);
                assert_eq!(html.matches("<circle data-n=").count(), n + m);
                assert_eq!(html.matches("<line class=\"m ").count(), pairs.len());
            }
        }
    }
}

#[test]
fn odd_positions_are_drawn_and_bad_ones_refused() {
    let graph = path(4);
    let matching = matching(&[(1, 2, 0.5, false)], 4, 4);
    let spread = Matrix::from_fn(4, 3, |i, j| (i * j) as f64 - 2.0);
    let identical = Matrix::filled(4, 2, 3.5);
    let vertical = Matrix::from_fn(4, 2, |i, j| if j == 1 { i as f64 } else { 0.0 });
    let huge = Matrix::from_fn(4, 2, |i, _| if i < 2 { f64::MAX } else { f64::MIN });
    let tiny = Matrix::from_fn(4, 2, |i, j| ((i + j) as f64) * 1e-320);
    for positions in [&spread, &identical, &vertical, &huge, &tiny] {
        let mut report = report(&graph, &graph, &[&matching]);
        report.source.positions = Some(positions);
        assert_sound(&report.html().unwrap());
        report.target.positions = Some(positions);
        assert_sound(&report.html().unwrap());
        report.source.positions = None;
        assert_sound(&report.html().unwrap());
    }
    let not_finite = Matrix::from_fn(4, 2, |i, _| if i == 2 { f64::NAN } else { 0.0 });
    for positions in [&Matrix::zeros(3, 2), &Matrix::zeros(4, 4), &not_finite] {
        let mut report = report(&graph, &graph, &[&matching]);
        report.target.positions = Some(positions);
        let message = report.html().unwrap_err().to_string();
        assert!(message.starts_with("positions: found"), "{message}");
    }
}

#[test]
fn positions_keep_their_aspect_with_y_downwards() {
    let graph = path(3);
    let matching = matching(&[], 3, 3);
    let positions = Matrix::from_vec(3, 2, vec![0.0, 0.0, 10.0, 0.0, 0.0, 5.0]);
    let mut report = report(&graph, &graph, &[&matching]);
    report.source.positions = Some(&positions);
    let view = View::new(&report).unwrap();
    let places = scene::Scene::new(&view).source.places;
    let (across, down) = (places[1][0] - places[0][0], places[2][1] - places[0][1]);
    assert!(across > 0.0 && down > 0.0);
    assert!((across / down - 2.0).abs() < 1e-12);
}

#[test]
fn indices_outside_the_graphs_are_refused() {
    let graph = path(3);
    let fine = matching(&[(0, 0, 1.0, true)], 3, 3);
    let mut outside = fine.clone();
    outside.pairs[0].target = 3;
    assert!(report(&graph, &graph, &[&outside]).html().is_err());
    let mut outside = fine.clone();
    outside.unmatched_source = vec![3];
    assert!(report(&graph, &graph, &[&outside]).html().is_err());
    assert!(report(&graph, &graph, &[]).html().is_err());
    for truth in [&[(0, 3)][..], &[(3, 0)][..], &[(1, 1), (1, 2)][..]] {
        let mut report = report(&graph, &graph, &[&fine]);
        report.truth = Some(truth);
        assert!(report.html().is_err());
    }
    let mut report = report(&graph, &graph, &[&fine]);
    report.source.wireframe = Some(&[(0, 3)]);
    assert!(report.html().is_err());
}

#[test]
fn large_sparse_graphs_are_sampled_and_the_file_stays_small() {
    let n = 3_000;
    let edges: Vec<_> = (0..n)
        .flat_map(|i| [(i, (i + 1) % n, 1.0), (i, (i * 7 + 13) % n, 1.0)])
        .filter(|e| e.0 != e.1)
        .collect();
    let graph = Graph::from_edges(n, &edges).unwrap();
    let pairs: Vec<_> = (0..n).map(|i| (i, i, 0.5, i >= n - 10)).collect();
    let matching = matching(&pairs, n, n);
    let html = report(&graph, &graph, &[&matching]).html().unwrap();
    assert_sound(&html);
    assert!(html.len() < 2_000_000, "{} bytes", html.len());
    assert_eq!(html.matches("<circle data-n=").count(), 800);
    assert_eq!(html.matches("<line class=\"m ").count(), 400);
    // Anchors are never left out.
    assert_eq!(lines_of_class(&html, "anchor"), 10);
    assert!(html.contains(
        "400 of 3\u{202f}000 nodes drawn (the surroundings of 10 anchors and of the 20 most doubtful pairs)"
    ));

    // Who is asked for is drawn with its neighbours and its partner, wherever it lies.
    let mut asked = report(&graph, &graph, &[&matching]);
    let is_drawn = |html: &str, node: usize| html.matches(&format!("data-n=\"{node}\"")).count();
    let near = [1500, 1499, 1501, (1500 * 7 + 13) % n];
    assert_ne!(near.map(|node| is_drawn(&html, node)), [2; 4]);
    asked.around = vec![1500];
    let html = asked.html().unwrap();
    assert_eq!(near.map(|node| is_drawn(&html, node)), [2; 4]);
    assert!(
        html.contains("(the surroundings of 1 node asked for and of 10 anchors and of the 20 most")
    );
    asked.around = vec![n];
    assert!(asked.html().is_err());

    let runs = [&matching; 12];
    let html = report(&graph, &graph, &runs).html().unwrap();
    assert!(html.len() < 5_000_000, "{} bytes", html.len());
    assert!(html.contains("The first 1\u{202f}250 of 3\u{202f}000 pairs"));
}

#[test]
fn a_written_file_is_the_page() {
    let graph = path(2);
    let matching = matching(&[(0, 0, 1.0, true)], 2, 2);
    let report = report(&graph, &graph, &[&matching]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    report.write(&file).unwrap();
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        report.html().unwrap()
    );
    let nowhere = folder.path().join("missing").join("report.html");
    assert!(matches!(report.write(&nowhere), Err(Error::Io { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_matching_makes_the_same_sound_page_twice(
        n in 1usize..14,
        m in 1usize..14,
        raw in prop::collection::vec((0usize..14, 0usize..14, -3.0..3.0f64), 0..40),
        label in "\\PC{0,6}",
        curve in prop::collection::vec(prop::num::f64::ANY, 0..6),
        with_truth in any::<bool>(),
    ) {
        let build = |nodes: usize| {
            let mut seen = std::collections::HashSet::new();
            let edges: Vec<_> = raw
                .iter()
                .filter(|e| e.0 < nodes && e.1 < nodes)
                .filter(|e| seen.insert((e.0.min(e.1), e.0.max(e.1))))
                .copied()
                .collect();
            let names = (0..nodes).map(|i| format!("{label}{i}")).collect();
            Graph::from_edges(nodes, &edges)
                .and_then(|g| g.with_labels(Labels::new(names)?))
                .unwrap()
        };
        let (source, target) = (build(n), build(m));
        let pairs: Vec<_> = (0..n.min(m))
            .filter(|i| i % 3 != 2)
            .map(|i| (i, m - 1 - i, i as f64 / 13.0, i == 0))
            .collect();
        let mut matching = matching(&pairs, n, m);
        matching.diagnostics = Diagnostics {
            source_eigenvalues: curve.clone(),
            target_eigenvalues: vec![0.0, 1.0],
            convergence: curve.clone(),
            learner_violations: curve.clone(),
        };
        matching.objective = curve.first().copied().unwrap_or(0.0);
        matching.timings = curve.iter().map(|&s| (label.clone(), s)).collect();
        let truth: Vec<_> = (0..n.min(m)).map(|i| (i, i)).collect();
        let mut report = report(&source, &target, &[&matching]);
        report.truth = with_truth.then_some(truth.as_slice());
        let html = report.html().unwrap();
        assert_sound(&html);
        prop_assert_eq!(html.matches("<line class=\"m ").count(), pairs.len());
        prop_assert_eq!(&html, &report.html().unwrap());
    }
}

#[test]
fn a_drawing_has_a_place_for_every_node_and_the_source_on_the_left() {
    let (source, target) = (path(4), path(3));
    let found = matching(&[(0, 0, 1.0, true), (2, 1, 0.5, false)], 4, 3);
    let [left, right] = report(&source, &target, &[&found])
        .drawing(&Monitor::silent())
        .unwrap();
    assert_eq!((left.places.len(), right.places.len()), (4, 3));
    assert_eq!(left.edges, [(0, 1), (1, 2), (2, 3)]);
    let x = |places: &[[f64; 2]]| places.iter().map(|p| p[0]).collect::<Vec<_>>();
    let rightmost = x(&left.places).into_iter().fold(f64::MIN, f64::max);
    assert!(x(&right.places).iter().all(|&x| x > rightmost));
    assert!(
        report(&source, &target, &[])
            .drawing(&Monitor::silent())
            .is_err()
    );
}

#[test]
fn partners_that_nothing_tells_apart_and_those_who_may_have_none_are_named() {
    let graph = path(4);
    let mut one = matching(
        &[
            (0, 0, 0.5, false),
            (1, 1, 0.5, false),
            (2, 2, 0.75, false),
            (3, 3, 1.0, true),
        ],
        4,
        4,
    );
    let lists = [vec![(0, 0.5), (1, 0.5)], vec![], vec![(2, 0.75)], vec![]];
    one.alternatives = Some(Alternatives::new(lists).with_alone(vec![0.0, 0.0, 0.25, 0.0]));
    one.trust.orbits[1] = Orbits::new(4, vec![vec![0, 1]]);
    one.trust.partners = Some(3.0);
    let html = report(&graph, &graph, &[&one]).html().unwrap();
    assert_sound(&html);
    for wanted in [
        "<td>one of 2 alike: 1 0.5</td>",
        "<td>one of 2 alike</td>",
        "<td>no partner 0.25</td>",
        "0 → 0 · confidence 0.5 · one of 2 alike: 1 0.5<",
        "2 → 2 · confidence 0.75 · or no partner 0.25<",
        "<dt>expected</dt>",
    ] {
        assert!(html.contains(wanted), "{wanted}");
    }
    assert_eq!(html.matches("alike").count(), 4);
}
