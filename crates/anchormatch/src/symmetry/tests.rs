//! Tests of symmetries: by brute force on small graphs, by what is known of large ones.

use super::*;

type Edges = Vec<(usize, usize, f64)>;

fn graph(nodes: usize, edges: &[(usize, usize, f64)], directed: bool) -> Graph {
    if directed {
        Graph::from_arcs(nodes, edges).unwrap()
    } else {
        Graph::from_edges(nodes, edges).unwrap()
    }
}

fn find_with(graphs: [&Graph; 2], colours: [Vec<u64>; 2]) -> Symmetry {
    let directed = graphs[0].is_directed();
    Symmetry::find(graphs, directed, colours, &Monitor::silent())
}

fn find(source: &Graph, target: &Graph) -> Symmetry {
    let plain = |graph: &Graph| vec![0; graph.node_count()];
    find_with([source, target], [plain(source), plain(target)])
}

/// The sizes of the orbits of all nodes of a graph.
fn alike(graph: &Graph) -> Vec<usize> {
    let found = find(graph, graph);
    assert_eq!(found.orbits[0], found.orbits[1]);
    (0..graph.node_count())
        .map(|v| found.orbits[0].alike(v))
        .collect()
}

/// A permutation of `0..nodes` from a seed.
fn shuffled(nodes: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..nodes).collect();
    order.sort_by_key(|&v| mixed(seed ^ mixed(v as u64)));
    order
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for shorter in permutations(n - 1) {
        for place in 0..n {
            let mut longer = shorter.clone();
            longer.insert(place, n - 1);
            all.push(longer);
        }
    }
    all
}

/// Whether `order` lays the arcs of one graph upon those of another.
fn lays(order: &[usize], source: &Graph, target: &Graph) -> bool {
    let n = source.node_count();
    let weight = |graph: &Graph, i, j| graph.arcs().get(i, j);
    (0..n).all(|i| (0..n).all(|j| weight(source, i, j) == weight(target, order[i], order[j])))
}

fn is_copy(found: &Symmetry, source: &Graph, target: &Graph) -> bool {
    let copy = found.copy.as_ref().expect("a copy");
    let copy: Vec<usize> = copy.iter().map(|&a| a as usize).collect();
    let mut seen = vec![false; copy.len()];
    copy.iter().for_each(|&a| seen[a] = true);
    seen.into_iter().all(|s| s) && lays(&copy, source, target)
}

#[test]
fn orbits_are_those_of_all_permutations() {
    let n = 6;
    let all = permutations(n);
    let mut with_symmetry = 0;
    for seed in 0..120u64 {
        let directed = seed % 3 == 0;
        let weights = if seed % 2 == 0 { 1 } else { 2 };
        let mut edges: Edges = Vec::new();
        for i in 0..n {
            for j in 0..n {
                let dice = mixed(seed << 16 ^ (i * n + j) as u64);
                if i != j && (directed || i < j) && dice % 10 < 4 + seed % 3 {
                    edges.push((i, j, 1.0 + (dice >> 32) as f64 % f64::from(weights)));
                }
            }
        }
        let own = graph(n, &edges, directed);
        let mut wanted = vec![0; n];
        let symmetries: Vec<_> = all.iter().filter(|p| lays(p, &own, &own)).collect();
        for (v, slot) in wanted.iter_mut().enumerate() {
            let mut images: Vec<usize> = symmetries.iter().map(|p| p[v]).collect();
            images.sort_unstable();
            images.dedup();
            *slot = images.len();
        }
        let ways = find(&own, &own).ways;
        assert!(
            ways.iter()
                .all(|w| (w - (symmetries.len() as f64).ln()).abs() < 1e-9)
        );
        with_symmetry += usize::from(symmetries.len() > 1);
        assert_eq!(alike(&own), wanted, "seed {seed}");
        let order = shuffled(n, seed);
        let moved: Edges = edges
            .iter()
            .map(|&(i, j, w)| (order[i], order[j], w))
            .collect();
        let moved = graph(n, &moved, directed);
        assert!(is_copy(&find(&own, &moved), &own, &moved), "seed {seed}");
        // One arc less is no copy.
        if edges.len() > 1 {
            let other = graph(n, &edges[1..], directed);
            assert_eq!(find(&own, &other).copy, None, "seed {seed}");
        }
    }
    assert!(with_symmetry > 30);
}

fn path(n: usize) -> Edges {
    (1..n).map(|i| (i - 1, i, 1.0)).collect()
}

fn cycle(n: usize) -> Edges {
    (0..n).map(|i| (i, (i + 1) % n, 1.0)).collect()
}

fn grid(rows: usize, columns: usize) -> Edges {
    let at = |i: usize, j: usize| i * columns + j;
    let mut edges = Vec::new();
    for i in 0..rows {
        for j in 0..columns {
            if j + 1 < columns {
                edges.push((at(i, j), at(i, j + 1), 1.0));
            }
            if i + 1 < rows {
                edges.push((at(i, j), at(i + 1, j), 1.0));
            }
        }
    }
    edges
}

#[test]
fn well_known_graphs_have_their_orbits() {
    for n in [5, 6, 301, 2000] {
        let sizes = alike(&graph(n, &path(n), false));
        let middle = (n % 2 == 1).then_some(n / 2);
        let wanted = |v: usize| if Some(v) == middle { 1 } else { 2 };
        assert!((0..n).all(|v| sizes[v] == wanted(v)), "path of {n}");
        assert!(alike(&graph(n, &cycle(n), false)).iter().all(|&k| k == n));
    }
    // The corners of a square, and the middles of its sides.
    let square = alike(&graph(25, &grid(5, 5), false));
    assert_eq!((square[0], square[2], square[1], square[12]), (4, 4, 8, 1));
    assert!(
        alike(&graph(44 * 45, &grid(44, 45), false))
            .iter()
            .all(|&k| k == 2 || k == 4)
    );
    // Complete bipartite graphs: each side.
    let edges: Edges = (0..30)
        .flat_map(|i| (30..80).map(move |j| (i, j, 1.0)))
        .collect();
    let sizes = alike(&graph(80, &edges, false));
    assert!((0..80).all(|v| sizes[v] == if v < 30 { 30 } else { 50 }));
    // Two trees of one kind and one of another.
    let tree = |n: usize, first: usize| (1..n).map(move |i| (first + (i - 1) / 2, first + i, 1.0));
    let edges: Edges = tree(7, 0).chain(tree(7, 7)).chain(tree(6, 14)).collect();
    let sizes = alike(&graph(20, &edges, false));
    assert_eq!((sizes[0], sizes[7], sizes[14]), (2, 2, 1));
    assert_eq!((sizes[3], sizes[13], sizes[17], sizes[19]), (8, 8, 2, 1));
}

#[test]
fn what_is_known_of_nodes_breaks_symmetries() {
    let ring = graph(12, &cycle(12), false);
    let with = |marked: &[usize]| {
        let mut colours = vec![0; 12];
        for (k, &v) in marked.iter().enumerate() {
            colours[v] = k as u64 + 1;
        }
        let found = find_with([&ring, &ring], [colours.clone(), colours]);
        (0..12)
            .map(|v| found.orbits[0].alike(v))
            .collect::<Vec<_>>()
    };
    assert_eq!(with(&[0]), [1, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2]);
    assert_eq!(with(&[0, 6])[3], 2);
    assert_eq!(with(&[0, 1]), [1; 12]);
    // A partner of another colour is none.
    let mut other = vec![0; 12];
    other[5] = 9;
    assert_eq!(find_with([&ring, &ring], [vec![0; 12], other]).copy, None);
}

/// The 4 × 4 rook's graph and the Shrikhande graph: of the same parameters, and not copies.
fn of_one_kind() -> [Graph; 2] {
    let at = |i: usize, j: usize| (i % 4) * 4 + j % 4;
    let mut rook = Edges::new();
    let mut shrikhande = Edges::new();
    for i in 0..4 {
        for j in 0..4 {
            for k in 0..4 {
                if k > j {
                    rook.push((at(i, j), at(i, k), 1.0));
                }
                if k > i {
                    rook.push((at(i, j), at(k, j), 1.0));
                }
            }
            for (x, y) in [(1, 0), (0, 1), (1, 1)] {
                shrikhande.push((at(i, j), at(i + x, j + y), 1.0));
            }
        }
    }
    [graph(16, &rook, false), graph(16, &shrikhande, false)]
}

#[test]
fn strongly_regular_graphs_are_told_apart() {
    let [rook, shrikhande] = of_one_kind();
    assert_eq!(rook.edge_count(), shrikhande.edge_count());
    assert_eq!(find(&rook, &shrikhande).copy, None);
    for own in [rook, shrikhande] {
        assert_eq!(alike(&own), [16; 16]);
        let order = shuffled(16, 3);
        let moved: Edges = own
            .edges()
            .map(|(i, j, w)| (order[i], order[j], w))
            .collect();
        let moved = graph(16, &moved, false);
        assert!(is_copy(&find(&own, &moved), &own, &moved));
    }
}

#[test]
fn regular_graphs_without_symmetry_have_none() {
    // Three perfect matchings of 600 nodes.
    let n = 600;
    let mut edges = cycle(n);
    let order = shuffled(n, 8);
    edges.extend(order.chunks(2).map(|pair| (pair[0], pair[1], 1.0)));
    edges.sort_by_key(|&(i, j, _)| (i.min(j), i.max(j)));
    edges.dedup_by_key(|&mut (i, j, _)| (i.min(j), i.max(j)));
    let own = graph(n, &edges, false);
    let order = shuffled(n, 9);
    let moved: Edges = edges
        .iter()
        .map(|&(i, j, w)| (order[i], order[j], w))
        .collect();
    let moved = graph(n, &moved, false);
    let found = find(&own, &moved);
    assert!(is_copy(&found, &own, &moved));
    assert!(found.orbits.iter().all(|orbits| orbits.groups().is_empty()));
}

#[test]
fn a_hub_has_leaves_alike_at_any_size() {
    let n = 50_000;
    let edges: Edges = (1..n)
        .map(|i| (if i < 100 { 0 } else { i % 50 }, i, 1.0))
        .collect();
    let found = find(&graph(n, &edges, false), &graph(n, &edges, false));
    let leaves = (100..n).filter(|i| i % 50 == 7).count();
    assert_eq!(found.orbits[0].alike(107), found.orbits[1].alike(107));
    assert!(found.orbits[0].alike(107) >= leaves);
    assert!(found.copy.is_some());
}
