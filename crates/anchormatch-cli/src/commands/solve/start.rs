//! Assignments to start from: results of an earlier run, a list, or QAPLIB's solutions.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use anchormatch::error::ParseError;
use anchormatch::problem::Problem;
use anchormatch::solver::Start;
use anchormatch::{Assignment, Error};
use anchormatch_io::{LoadedProblem, QapSolution, read_qap_solution};
use serde::Deserialize;

use crate::exit::Failure;
use crate::files::{has_extension, is_standard};

/// What a file of starts holds.
#[derive(Debug)]
pub(super) enum Starts {
    /// One assignment.
    One(Assignment),
    /// Results of several problems.
    Several(Vec<Earlier>),
    /// A permutation that may be inverted.
    Permutation(QapSolution),
}

/// The part of an earlier result that matters here.
#[derive(Debug, Deserialize)]
pub(super) struct Earlier {
    assignment: Assignment,
    #[serde(default)]
    index: usize,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Document {
    List(Assignment),
    Result(Earlier),
    Results(Vec<Earlier>),
}

impl Starts {
    /// Reads a file of starts; `-` is the standard input.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        if has_extension(path, "sln") {
            return Ok(Self::Permutation(read_qap_solution(path)?));
        }
        let text = if is_standard(path) {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).map(|_| text)
        } else {
            fs::read_to_string(path)
        };
        let text = text.map_err(|source| Error::io(path, source))?;
        match serde_json::from_str(&text) {
            Ok(Document::List(assignment)) => Ok(Self::One(assignment)),
            Ok(Document::Result(earlier)) => Ok(Self::One(earlier.assignment)),
            Ok(Document::Results(list)) => Ok(Self::Several(list)),
            Err(error) => {
                let place = |number: usize| (number > 0).then_some(number as u64);
                let expected = "a list of columns such as [2,0,null], or what --json wrote";
                let found = if error.is_data() {
                    "something else".to_owned()
                } else {
                    format!("no JSON ({error})")
                };
                let fault = ParseError::new(path.display().to_string(), found, expected)
                    .at(place(error.line()), place(error.column()));
                Err(Failure::Library(fault.into()))
            }
        }
    }

    /// The start of each problem, checked.
    pub(super) fn of(
        &self,
        path: &Path,
        chosen: &[(usize, &LoadedProblem)],
    ) -> Result<Vec<Option<Assignment>>, Failure> {
        let refuse = |found: String, expected: String| {
            Err(Failure::usage(
                format_args!("--start {}", path.display()),
                found,
                expected,
            ))
        };
        let mut starts = Vec::with_capacity(chosen.len());
        for &(index, loaded) in chosen {
            let start = match self {
                Self::Several(list) => match list.iter().find(|earlier| earlier.index == index) {
                    Some(earlier) => earlier.assignment.clone(),
                    None => {
                        let expected = format!("one of problem {index}");
                        return refuse("no result".to_owned(), expected);
                    }
                },
                _ if chosen.len() > 1 => {
                    let expected = format!("{} of them, or --problem", chosen.len());
                    return refuse("one assignment".to_owned(), expected);
                }
                Self::One(assignment) => assignment.clone(),
                Self::Permutation(solution) => directed(solution, &loaded.problem),
            };
            let checked = Start::default().with_assignment(&start);
            match checked.check(&loaded.problem) {
                Ok(()) => starts.push(Some(start)),
                Err(Error::Parameter {
                    found, expected, ..
                }) => return refuse(found, expected),
                Err(other) => return Err(other.into()),
            }
        }
        Ok(starts)
    }
}

/// The permutation or its inverse: the one that has the cost stated, or else the better one.
fn directed(solution: &QapSolution, problem: &Problem) -> Assignment {
    let n = solution.n;
    let direct: Assignment = solution.permutation.iter().copied().map(Some).collect();
    if problem.shape() != (n, n) {
        // Not of this problem; the check says so.
        return direct;
    }
    let inverse = direct.inverse(n);
    let distance = |assignment: &Assignment| (problem.objective(assignment) - solution.cost).abs();
    let (stated, other) = (distance(&direct), distance(&inverse));
    let near = 1e-9 * solution.cost.abs().max(1.0);
    let value = |assignment: &Assignment| problem.objective(assignment);
    let inverted = if stated <= near || other <= near {
        stated > near
    } else {
        problem.sense().better(value(&inverse), value(&direct))
    };
    if inverted { inverse } else { direct }
}
