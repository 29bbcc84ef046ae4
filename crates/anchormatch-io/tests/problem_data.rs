//! The real problem files, where a data folder has them.

use std::path::Path;

use anchormatch::{Assignment, Error};
use anchormatch_invariants::data::data_with;
use anchormatch_io::{
    ProblemFormat, ProblemOptions, QapConvention, read_dd, read_dd_from, read_problem, read_qap,
    read_qap_solution, write_dd,
};

#[test]
fn a_file_that_is_absent_is_an_error_of_the_system() {
    let missing = read_problem(Path::new("nowhere/any.dd"), None).expect_err("nothing is there");
    assert!(matches!(missing, Error::Io { .. }), "{missing}");
}

#[test]
fn dd_problems_have_the_sizes_and_values_of_their_description() {
    let Some(data) = data_with("dd_instances") else {
        return;
    };
    let directory = data.join("dd_instances");
    let one = |name: &str| {
        let mut problems = read_dd(&directory.join(name)).expect("a well-formed file");
        assert_eq!(problems.len(), 1);
        problems.remove(0)
    };
    let close = |found: f64, wanted: f64| (found - wanted).abs() < 1e-5;

    let opengm = one("opengm1.dd");
    let sizes = (opengm.listed.assignments.len(), opengm.listed.pairs.len());
    assert_eq!((opengm.listed.rows, opengm.listed.cols), (19, 19));
    assert_eq!(sizes, (361, 38646));
    let permutation = [
        2, 13, 12, 16, 11, 7, 5, 1, 9, 6, 10, 3, 18, 4, 15, 14, 17, 0, 8,
    ];
    let problem = opengm.listed.problem().expect("a program");
    assert!(close(
        problem.objective(&permutation.map(Some).into()),
        -170.63710
    ));

    let qap = one("libmpopt_qap_000.dd");
    let sizes = (qap.listed.assignments.len(), qap.listed.pairs.len());
    assert_eq!(sizes, (2116, 29040));
    let identity = Assignment::identity(46);
    let problem = qap.listed.problem().expect("a program");
    assert!(close(problem.objective(&identity), -94.17718));

    for (name, pairs, graphs) in [
        ("hotel_instance_1_nNodes_10_nGraphs_4.txt", 6, 4),
        ("house_instance_1_nNodes_10_nGraphs_8.txt", 28, 8),
        (
            "synthetic_complete_instance_1_nNodes_10_nGraphs_4.txt",
            6,
            4,
        ),
    ] {
        let path = directory.join(name);
        let problems = read_problem(&path, None).expect("a well-formed file");
        assert_eq!(problems.len(), pairs);
        let mut seen: Vec<_> = problems.iter().filter_map(|p| p.graphs).collect();
        assert!(seen.iter().all(|&(i, j)| i < j && j < graphs));
        seen.dedup();
        assert_eq!(seen.len(), pairs);
        assert!(problems.iter().all(|p| p.format == ProblemFormat::Dd));
        if name.starts_with("synthetic") {
            let identity = Assignment::identity(10);
            assert!(close(problems[0].problem.objective(&identity), -92.42150));
        }
        // And all of it survives being written.
        let listed = read_dd(&path).expect("a well-formed file");
        let mut bytes = Vec::new();
        write_dd(&mut bytes, &listed).expect("memory takes everything");
        let again = read_dd_from(&bytes[..], "memory", &ProblemOptions::default());
        assert_eq!(again.expect("what was written"), listed);
    }
}

#[test]
fn qaplib_solutions_have_the_costs_that_they_state() {
    let Some(data) = data_with("qaplib") else {
        return;
    };
    let directory = data.join("qaplib");
    let mut checked = 0;
    let mut inverse = 0;
    for entry in std::fs::read_dir(directory.join("dat")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let instance = read_qap(&path).expect("a well-formed file");
        let solution = directory.join("sln").join(&name).with_extension("sln");
        if !solution.exists() {
            continue;
        }
        let solution = read_qap_solution(&solution).expect("a well-formed file");
        let check = solution
            .check(&instance)
            .expect("a permutation of its size");
        assert_eq!(
            instance.cost(&check.permutation),
            match check.convention {
                Some(_) => solution.cost,
                // Its header states 88900; the permutation has the published optimum.
                None => {
                    assert_eq!((name.as_str(), solution.cost), ("kra32", 88900.0));
                    88700.0
                }
            },
            "{name}"
        );
        inverse += usize::from(check.convention == Some(QapConvention::Inverse));
        checked += 1;
    }
    assert_eq!(checked, 74);
    // As the index of the collection says.
    assert_eq!(inverse, 4);
}
