use super::*;

fn read(text: &str) -> Result<LoadedGraph> {
    read_matrix_market_from(text.as_bytes(), "m.mtx", &ReadOptions::default())
}

fn undirected(text: &str) -> Result<LoadedGraph> {
    let options = ReadOptions {
        directed: Some(false),
        ..ReadOptions::default()
    };
    read_matrix_market_from(text.as_bytes(), "m.mtx", &options)
}

fn message(header: &str, body: &str) -> String {
    read(&format!("%%MatrixMarket matrix {header}\n{body}"))
        .unwrap_err()
        .to_string()
}

#[test]
fn every_kind_gives_the_same_graph() {
    for text in [
        "%%MatrixMarket matrix coordinate real symmetric\n% c\n\n3 3 2\n2 1 2.5\n3 2 -1\n",
        "%%matrixmarket MATRIX Coordinate Real General\n3 3 2\n1 2 2.5\n3 2 -1\n",
        "%%MatrixMarket matrix coordinate real general\r\n3 3 4\r\n1 2 2.5\r\n2 1 2.5\r\n\
         3 2 -1\r\n2 3 -1\r\n",
        "%%MatrixMarket matrix array real symmetric\n3 3\n0\n2.5\n0\n0\n-1\n0\n",
        "%%MatrixMarket matrix array real general\n3 3\n0 2.5 0\n2.5 0 -1\n0 -1 0\n",
    ] {
        let graph = read(text).unwrap().graph;
        assert_eq!((graph.node_count(), graph.edge_count()), (3, 2), "{text}");
        assert_eq!((graph.weight(0, 1), graph.weight(1, 2)), (2.5, -1.0));
        assert_eq!(graph.labels().find("3"), Some(2));
        assert_eq!(graph.labels().find("0"), None);
    }
    let pattern = read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n");
    assert_eq!(pattern.unwrap().graph.weight(0, 1), 1.0);
    let integer = read("%%MatrixMarket matrix coordinate integer general\n2 2 1\n2 1 7\n");
    assert_eq!(integer.unwrap().graph.weight(0, 1), 7.0);
}

#[test]
fn skew_symmetric_matrices_are_directed_edges_of_positive_weight() {
    for text in [
        "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 2.5\n3 2 -1\n",
        "%%MatrixMarket matrix array real skew-symmetric\n3 3\n2.5\n0\n-1\n",
    ] {
        let loaded = read(text).unwrap();
        let graph = loaded.graph;
        assert!(graph.arcs().triplets().eq([(1, 0, 2.5), (1, 2, 1.0)]));
        assert_eq!(loaded.notes.len(), 2);
        let loaded = undirected(text).unwrap();
        let graph = loaded.graph;
        assert_eq!((graph.weight(0, 1), graph.weight(1, 2)), (2.5, 1.0));
        assert_eq!(
            (graph.edge_count(), graph.cleaning().directed_edges),
            (2, 2)
        );
        assert!(!graph.is_directed() && loaded.notes.len() == 2);
    }
    let one = "%%MatrixMarket matrix array real skew-symmetric\n1 1\n";
    assert_eq!(read(one).unwrap().graph.node_count(), 1);
}

#[test]
fn kinds_without_an_undirected_graph_say_why() {
    assert_eq!(
        message("coordinate complex general", ""),
        "m.mtx, line 1, column 4: found `complex`, expected real, integer or pattern, \
         because a weight is one real number"
    );
    assert_eq!(
        message("coordinate real hermitian", ""),
        "m.mtx, line 1, column 5: found `hermitian`, \
         expected general, symmetric or, with values, skew-symmetric"
    );
    assert_eq!(
        message("coordinate real general", "2 3 1\n1 2 1\n"),
        "m.mtx, line 2, column 2: found a 2×3 matrix, expected a square one, \
         as the adjacency matrix of a graph is"
    );
    assert!(message("array pattern general", "").contains("nothing but values"));
    assert!(message("coordinate real", "").contains("found nothing"));
    assert!(
        read("a,b,1\n")
            .unwrap_err()
            .to_string()
            .contains("found `a,b,1`")
    );
    assert_eq!(
        read("%%MatrixMarket vector\n").unwrap_err().to_string(),
        "m.mtx, line 1, column 2: found `vector`, expected matrix"
    );
    assert!(read("").unwrap_err().to_string().contains("an empty file"));
}

#[test]
fn entries_must_be_as_many_as_announced() {
    let header = "coordinate real symmetric";
    assert_eq!(
        message(header, "3 3 3\n2 1 1\n3 1 1\n"),
        "m.mtx: found 2 entries, expected the 3 that line 2 announces"
    );
    assert_eq!(
        message(header, "3 3 1\n2 1 1\n3 1 1\n"),
        "m.mtx, line 4, column 1: found entry 2, expected the 1 that line 2 announces"
    );
    assert_eq!(
        message("array real symmetric", "2 2\n0\n1\n"),
        "m.mtx: found 2 entries, expected the 3 that line 2 announces"
    );
    assert_eq!(
        message(header, ""),
        "m.mtx: found the end of the file, expected the size of the matrix"
    );
}

#[test]
fn entries_are_checked_one_by_one() {
    let header = "coordinate real symmetric";
    assert_eq!(
        message(header, "3 3 1\n4 1 1\n"),
        "m.mtx, line 3, column 1: found `4`, expected a node from 1 to 3"
    );
    assert_eq!(
        message(header, "3 3 1\n1 0 1\n"),
        "m.mtx, line 3, column 2: found `0`, expected a node from 1 to 3"
    );
    assert_eq!(
        message(header, "3 3 1\n2 1\n"),
        "m.mtx, line 3, column 3: found nothing, expected a finite number"
    );
    assert_eq!(
        message(header, "3 3 1\n2 1 1 1\n"),
        "m.mtx, line 3, column 4: found `1`, expected 3 numbers on this line"
    );
    let list = "%%MatrixMarket matrix coordinate real general\n3 3 2\n2 1 1\n1 2 4\n";
    let array = "%%MatrixMarket matrix array real general\n2 2\n0\n1\n0\n0\n";
    let graph = read(list).unwrap().graph;
    assert!(graph.arcs().triplets().eq([(0, 1, 4.0), (1, 0, 1.0)]));
    let graph = read(array).unwrap().graph;
    assert!(graph.arcs().triplets().eq([(1, 0, 1.0)]), "columns first");
    let message = |text: &str| undirected(text).unwrap_err().to_string();
    assert_eq!(
        message(list),
        "m.mtx, line 4: found edge (1, 2) with two weights, 1 (line 3) and 4 (line 4), \
         expected one weight; give a rule for repeated edges: sum, mean, max or first"
    );
    assert_eq!(
        message(array),
        "m.mtx: found edge (1, 2) with two weights, 1 and 0, \
         expected one weight; give a rule for repeated edges: sum, mean, max or first"
    );
}

#[test]
fn a_lying_header_costs_nothing() {
    let header = "coordinate real symmetric";
    assert_eq!(
        message(header, "3 3 1000000000000000000\n2 1 1\n"),
        "m.mtx: found 1 entry, expected the 1000000000000000000 that line 2 announces"
    );
    assert_eq!(
        message(header, "1000000000000 1000000000000 1\n2 1 1\n"),
        "m.mtx, line 2, column 1: found 1000000000000 rows, expected at most 4294967295"
    );
    let refused = message(header, "4000000000 4000000000 1\n2 1 1\n");
    assert!(
        refused.contains("a graph of 4000000000 nodes would take"),
        "{refused}"
    );
    let refused = message("array real general", "4000000000 4000000000\n1\n");
    assert!(refused.contains("a matrix of 4000000000×4000000000 numbers would take"));
    let short = message("array real general", "1000 1000\n1\n");
    assert!(
        short.contains("found 1 entry, expected the 1000000"),
        "{short}"
    );
    assert!(message(header, "99999999999999999999 1 1\n").contains("the number of rows"));
}
