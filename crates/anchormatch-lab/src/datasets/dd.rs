//! Graph matching problems in the `.dd` format, with values to compare with.
//!
//! The files are test instances of the projects `vislearn/multi-matching-optimization` (opengm1,
//! hotel, house and synthetic) and `vislearn/libmpopt` (qap_000). The values of [`REFERENCES`] are
//! those of the collection's description: upper bounds by local search over full assignments, not
//! proven optima; where a problem allows it, a partial assignment may be better still.

use std::path::Path;

use anchormatch::Assignment;
use anchormatch::error::ParseError;
use anchormatch_io::{DdProblem, read_dd};

use super::DatasetError;

const NAME: &str = "dd problems";
const LAYOUT: &str = "dd_instances/ with opengm1.dd, libmpopt_qap_000.dd and three files of pairs, \
                      hotel, house and synthetic_complete";

/// What is known about a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reference {
    /// A short name.
    pub name: &'static str,
    /// The file in `dd_instances`.
    pub file: &'static str,
    /// How many problems it holds.
    pub problems: usize,
    /// Nodes on either side of its first problem.
    pub nodes: usize,
    /// Assignments and pairs that its first problem lists.
    pub listed: (usize, usize),
    /// The best value known of its first problem, to five decimals.
    pub value: f64,
    /// The assignment that has this value, where it is stored.
    pub assignment: Option<Known>,
}

/// An assignment that is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Node i goes to node i.
    Identity,
    /// Node i goes to the i-th number.
    Permutation(&'static [usize]),
}

/// The values of the collection's description; each is the cost of a full assignment.
pub const REFERENCES: [Reference; 5] = [
    Reference {
        name: "opengm1",
        file: "opengm1.dd",
        problems: 1,
        nodes: 19,
        listed: (361, 38646),
        // 2-opt from many starts.
        value: -170.63710,
        assignment: Some(Known::Permutation(&[
            2, 13, 12, 16, 11, 7, 5, 1, 9, 6, 10, 3, 18, 4, 15, 14, 17, 0, 8,
        ])),
    },
    Reference {
        name: "qap_000",
        file: "libmpopt_qap_000.dd",
        problems: 1,
        nodes: 46,
        listed: (2116, 29040),
        // A local minimum of 2-opt.
        value: -94.17718,
        assignment: Some(Known::Identity),
    },
    Reference {
        name: "hotel",
        file: "hotel_instance_1_nNodes_10_nGraphs_4.txt",
        problems: 6,
        nodes: 10,
        listed: (100, 4050),
        value: 15.29439,
        assignment: None,
    },
    Reference {
        name: "house",
        file: "house_instance_1_nNodes_10_nGraphs_8.txt",
        problems: 28,
        nodes: 10,
        listed: (100, 4050),
        value: 11.47999,
        assignment: None,
    },
    Reference {
        name: "synthetic",
        file: "synthetic_complete_instance_1_nNodes_10_nGraphs_4.txt",
        problems: 6,
        nodes: 10,
        listed: (100, 4050),
        value: -92.42150,
        assignment: Some(Known::Identity),
    },
];

/// How far a recomputed value may be from one given to five decimals.
pub const ROUNDING: f64 = 6e-6;

/// The problems of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct DdFile {
    /// What is known about the file.
    pub reference: Reference,
    /// Its problems.
    pub problems: Vec<DdProblem>,
}

/// Reads the files of [`REFERENCES`] from `dd_instances` in the data directory `dir`.
///
/// # Errors
/// When a file is missing, unreadable or malformed, has other sizes than the reference, or a stored
/// assignment has another value.
pub fn load(dir: &Path) -> Result<Vec<DdFile>, DatasetError> {
    REFERENCES
        .into_iter()
        .map(|reference| {
            let path = dir.join("dd_instances").join(reference.file);
            let problems = read_dd(&path)
                .map_err(|error| DatasetError::of_file(error, &path, NAME, LAYOUT))?;
            let file = DdFile {
                reference,
                problems,
            };
            file.check(&path)?;
            Ok(file)
        })
        .collect()
}

impl Reference {
    /// The stored assignment, a partner for every node.
    #[must_use]
    pub fn partners(&self) -> Option<Assignment> {
        self.assignment.map(|known| match known {
            Known::Identity => Assignment::identity(self.nodes),
            Known::Permutation(numbers) => numbers.iter().copied().map(Some).collect(),
        })
    }
}

impl DdFile {
    /// Compares the file with its reference.
    fn check(&self, path: &Path) -> Result<(), DatasetError> {
        let reference = &self.reference;
        let differs = |found: String, expected: String| {
            let file = path.display().to_string();
            Err(DatasetError::Contents(ParseError::new(
                file, found, expected,
            )))
        };
        let count = self.problems.len();
        if count != reference.problems {
            let expected = reference.problems.to_string();
            return differs(format!("{count} problems"), expected);
        }
        let listed = &self.problems[0].listed;
        let sizes = (
            listed.rows,
            listed.cols,
            listed.assignments.len(),
            listed.pairs.len(),
        );
        let nodes = reference.nodes;
        let wanted = (nodes, nodes, reference.listed.0, reference.listed.1);
        if sizes != wanted {
            let words = |(n, m, a, e)| format!("{n}×{m} nodes, {a} assignments and {e} pairs");
            return differs(words(sizes), words(wanted));
        }
        if let Some(partners) = reference.partners() {
            let problem = listed
                .problem()
                .map_err(|error| DatasetError::of_file(error, path, NAME, LAYOUT))?;
            let value = problem.objective(&partners);
            if !problem.is_feasible(&partners) || (value - reference.value).abs() > ROUNDING {
                return differs(
                    format!("the value {value} of the stored assignment"),
                    reference.value.to_string(),
                );
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::error::Hint;

    #[test]
    fn stored_permutations_are_permutations() {
        for reference in REFERENCES {
            let Some(partners) = reference.partners() else {
                continue;
            };
            let mut sorted: Vec<usize> = partners.iter().flatten().collect();
            sorted.sort_unstable();
            assert!(
                sorted.into_iter().eq(0..reference.nodes),
                "{}",
                reference.name
            );
        }
    }

    #[test]
    fn missing_and_different_files_are_explained() {
        let dir = tempfile::tempdir().unwrap();
        let error = load(dir.path()).unwrap_err();
        assert!(matches!(error, DatasetError::Missing { .. }));
        assert!(error.to_string().contains("opengm1.dd") && error.hints() == [Hint::DataFolder]);
        std::fs::create_dir(dir.path().join("dd_instances")).unwrap();
        let write = |text: &str| {
            std::fs::write(dir.path().join("dd_instances/opengm1.dd"), text).unwrap();
            load(dir.path()).unwrap_err().to_string()
        };
        assert!(write("p 1 1 1 0\na 0 0 0 1\n").contains(
            "found 1×1 nodes, 1 assignments and 0 pairs, \
             expected 19×19 nodes, 361 assignments and 38646 pairs"
        ));
        assert!(write("p 0 0 0 0\np 0 0 0 0\n").contains("found 2 problems, expected 1"));
        assert!(write("p 1 1 1 0\n").contains("opengm1.dd: found the end of the file"));
    }

    #[test]
    fn a_value_that_is_not_the_stored_one_is_an_error() {
        let mut reference = REFERENCES[1];
        reference.nodes = 2;
        reference.listed = (2, 1);
        let mut file = DdFile {
            reference,
            problems: anchormatch_io::read_dd_from(
                &b"p 2 2 2 1\na 0 0 0 -50\na 1 1 1 -44.17718\ne 0 1 0\n"[..],
                "f",
                &anchormatch_io::ProblemOptions::default(),
            )
            .unwrap(),
        };
        assert!(file.check(Path::new("f")).is_ok());
        file.problems[0].listed.pairs[0].2 = 1e-4;
        let message = file.check(Path::new("f")).unwrap_err().to_string();
        assert!(message.contains("expected -94.17718"), "{message}");
    }
}
