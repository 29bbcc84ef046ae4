//! Networks in folders of the tests' own.

use super::*;

/// A data directory with these files.
fn directory(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = dir.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    dir
}

fn load(name: &str, files: &[(&str, &str)]) -> std::result::Result<NetworkPair, DatasetError> {
    Network::by_name(name)
        .unwrap()
        .load(directory(files).path())
}

fn ids(graph: &Graph) -> Vec<String> {
    graph.labels().iter().map(|id| id.into_owned()).collect()
}

#[test]
fn directions_weights_and_loops_leave_a_plain_graph() {
    let pair = load(
        "enron",
        &[
            // 3 writes to itself alone, 4 is silent in the second week, 5 wrote to 4 alone.
            (
                "enron_igraphmatch/week1_edges.csv",
                "u,v\n0,1\n1,0\n2,1\n3,3\n5,4\n",
            ),
            (
                "enron_igraphmatch/week2_edges.csv",
                "u,v\n5,3\n2,0\n1,2\n9,9\n",
            ),
        ],
    )
    .unwrap();
    // 3 has no edge in the first week; 5 has one in each and stays though its neighbours leave.
    assert_eq!(ids(&pair.source), ["0", "1", "2", "5"]);
    assert_eq!(ids(&pair.source), ids(&pair.target));
    assert_eq!((pair.source.edge_count(), pair.target.edge_count()), (2, 2));
    assert_eq!(
        (pair.source.weight(0, 1), pair.source.weight(1, 2)),
        (1.0, 1.0)
    );
    assert_eq!(
        (pair.target.weight(0, 2), pair.target.weight(0, 1)),
        (1.0, 0.0)
    );
    assert!(!pair.weighted && pair.nodes() == 4);
}

#[test]
fn a_truth_in_a_file_aligns_the_target() {
    let pair = load(
        "arenas",
        &[
            ("netalign_arenas/source_edges.csv", "u,v\n0,1\n1,2\n2,3\n"),
            ("netalign_arenas/target_n5_edges.csv", "u,v\n0,3\n0,1\n"),
            // Node 3 of the source is node 2 of the target, which has no edge.
            (
                "netalign_arenas/ground_truth_n5.csv",
                "source,target\n2,3\n1,0\n3,2\n0,1\n",
            ),
        ],
    )
    .unwrap();
    assert_eq!(ids(&pair.source), ["2", "1", "0"]);
    assert_eq!(ids(&pair.target), ["3", "0", "1"]);
    assert_eq!(pair.source.adjacency(), pair.target.adjacency());
}

#[test]
fn weighted_networks_are_the_mean_of_both_directions() {
    let files = [
        (
            "celegans_connectomes/chemical_edges.csv",
            "u,v,weight\n0,1,3\n1,0,1\n1,2,5\n0,3,8\n2,3,2\n",
        ),
        (
            "celegans_connectomes/electrical_edges.csv",
            "u,v,weight\n0,1,4\n1,0,4\n2,2,7\n",
        ),
        (
            "celegans_connectomes/left_right_pairs.csv",
            "left,right,left_name,right_name\n0,2,AL,AR\n1,3,BL,BR\n7,8,CL,CR\n",
        ),
    ];
    let types = load("celegans-types", &files).unwrap();
    assert_eq!(ids(&types.source), ["0", "1"]);
    assert_eq!(
        (types.source.weight(0, 1), types.target.weight(0, 1)),
        (2.0, 4.0)
    );
    // Left are 0 and 1, right 2 and 3; 1→2 and 0→3 cross the body.
    let sides = load("celegans-sides", &files).unwrap();
    assert_eq!(
        (ids(&sides.source), ids(&sides.target)),
        (
            vec!["0".to_owned(), "1".to_owned()],
            vec!["2".to_owned(), "3".to_owned()]
        )
    );
    assert_eq!(
        (sides.source.weight(0, 1), sides.target.weight(0, 1)),
        (2.0, 1.0)
    );
    assert!(sides.weighted);
}

#[test]
fn instances_are_shuffled_by_the_seed_and_keep_the_partners() {
    let edges: String = (0..30)
        .map(|i| format!("{i},{}\n", (i * i + 1) % 31))
        .collect();
    let pair = load(
        "voles-95",
        &[
            ("netalign_voles/edges_100.csv", &format!("u,v\n{edges}")),
            ("netalign_voles/edges_95.csv", &format!("u,v\n{edges}")),
        ],
    )
    .unwrap();
    let instance = pair.instance(1).unwrap();
    assert_eq!(instance.truth.len(), pair.nodes());
    for &(i, a) in &instance.truth {
        for &(j, b) in &instance.truth {
            assert_eq!(instance.source.weight(i, j), instance.target.weight(a, b));
        }
    }
    assert!(instance.truth.iter().any(|&(i, a)| i != a));
    assert_eq!(instance, pair.instance(1).unwrap());
    assert_ne!(instance.truth, pair.instance(2).unwrap().truth);
}

#[test]
fn names_are_distinct_and_unknown_ones_are_refused() {
    for network in Network::ALL {
        assert_eq!(Network::by_name(network.name()).unwrap(), network);
    }
    let message = Network::by_name("facebook").unwrap_err().to_string();
    assert!(
        message.contains("`facebook`") && message.contains("yeast-05"),
        "{message}"
    );
}

#[test]
fn missing_and_damaged_files_are_named() {
    let message = load("yeast-05", &[]).unwrap_err().to_string();
    assert!(
        message.contains("syeast00_edges.csv") && message.contains("data directory"),
        "{message}"
    );
    let edges = ("netalign_arenas/source_edges.csv", "u,v\n0,1\n");
    let others = ("netalign_arenas/target_n5_edges.csv", "u,v\n0,1\n");
    let error = load("arenas", &[edges, others]).unwrap_err();
    assert!(matches!(error, DatasetError::Missing { .. }));
    assert!(error.to_string().contains("ground_truth_n5.csv"), "{error}");

    let damaged = ("netalign_arenas/source_edges.csv", "u,v\n0\n");
    let message = load("arenas", &[damaged, others]).unwrap_err().to_string();
    assert!(message.contains("source_edges.csv, line 2"), "{message}");

    let strangers = (
        "netalign_arenas/ground_truth_n5.csv",
        "source,target\n5,6\n",
    );
    let message = load("arenas", &[edges, others, strangers])
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("no node that has an edge in both"),
        "{message}"
    );
}
