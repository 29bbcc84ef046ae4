//! The `.dd` format of graph matching problems (Torresani, Kolmogorov & Rother, *A dual decomposition
//! approach to feature correspondence*, PAMI 2013): listed assignments, listed pairs of them, costs to
//! minimise, and any node may stay alone.
//!
//! ```text
//! c a comment
//! p n1 n2 nA nE            the numbers of nodes on both sides, of assignments and of pairs
//! a id left right cost     an assignment; ids are 0, …, nA − 1 in any order
//! e id1 id2 cost           a pair; the cost counts once when both assignments are chosen
//! ```
//!
//! A file over several graphs has `gm i j` before the problem of graphs i and j. Positions (`i0`,
//! `i1`), neighbours (`n0`, `n1`) and `m` lines say nothing about the costs: they are skipped and
//! counted in the notes. What the header announces is compared with what the file holds and never
//! allocated beforehand.

mod fields;
mod parse;

use std::io::{BufRead, Write};
use std::path::Path;

use anchormatch::error::Result;
use anchormatch::problem::Listed;

use super::fault::unwritable;
use super::lines::Lines;
use super::problem::ProblemOptions;

/// One problem of a `.dd` file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DdProblem {
    /// The two graphs of a file over several graphs.
    pub graphs: Option<(usize, usize)>,
    /// The assignments and pairs; [`Listed::problem`] makes the program of them.
    pub listed: Listed,
    /// What the caller should know: lines that were skipped, pairs that can never be chosen.
    pub notes: Vec<String>,
}

/// Reads the problems of the file at `path`; `-` is the standard input.
///
/// # Errors
/// When the file cannot be read, a line is malformed, the counts are not those of the header, or a
/// problem would pass the memory that its lines make plausible.
pub fn read_dd(path: &Path) -> Result<Vec<DdProblem>> {
    super::open(path, |reader, name| {
        read_dd_from(reader, name, &ProblemOptions::default())
    })
}

/// Reads problems from any reader; `name` stands for the file in errors.
///
/// # Errors
/// See [`read_dd`]; the memory allowed is that of `options`.
///
/// # Complexity
/// O(bytes + nA log nA) time.
pub fn read_dd_from(
    reader: impl BufRead,
    name: &str,
    options: &ProblemOptions,
) -> Result<Vec<DdProblem>> {
    let mut lines = Lines::new(reader, name);
    let mut parser = parse::Parser::new(name, options);
    while lines.advance()? {
        parser.line(lines.text(), lines.number())?;
    }
    parser.finish()
}

/// Writes problems so that [`read_dd_from`] gives them back; notes become comments.
///
/// # Errors
/// When `out` fails, an index is out of range or a cost is not finite.
pub fn write_dd(out: &mut (impl Write + ?Sized), problems: &[DdProblem]) -> std::io::Result<()> {
    for problem in problems {
        let listed = &problem.listed;
        if let Some((i, j)) = problem.graphs {
            writeln!(out, "gm {i} {j}")?;
        }
        for note in &problem.notes {
            writeln!(out, "c {}", note.replace(['\n', '\r', '\0'], " "))?;
        }
        let (count, pairs) = (listed.assignments.len(), listed.pairs.len());
        writeln!(out, "p {} {} {count} {pairs}", listed.rows, listed.cols)?;
        for (id, &(i, a, cost)) in listed.assignments.iter().enumerate() {
            writable(i < listed.rows && a < listed.cols && cost.is_finite())?;
            writeln!(out, "a {id} {i} {a} {cost}")?;
        }
        for &(first, second, cost) in &listed.pairs {
            writable(first < count && second < count && first != second && cost.is_finite())?;
            writeln!(out, "e {first} {second} {cost}")?;
        }
    }
    Ok(())
}

fn writable(sound: bool) -> std::io::Result<()> {
    if sound {
        return Ok(());
    }
    Err(unwritable(
        "a listed problem with an index out of range or a cost that is not finite",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::problem::{Coverage, Sense};

    const SMALL: &str = "c two by three\n\np 2 3 3 2\na 0 0 0 1.5\na 1 1 1 -2\na 2 1 2 0.25\n\
                         e 0 1 -1e1\ne 0 2 3\n";

    fn read(text: &str) -> Result<Vec<DdProblem>> {
        read_dd_from(text.as_bytes(), "a.dd", &ProblemOptions::default())
    }

    fn refusal(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    fn small() -> Listed {
        Listed {
            rows: 2,
            cols: 3,
            assignments: vec![(0, 0, 1.5), (1, 1, -2.0), (1, 2, 0.25)],
            pairs: vec![(0, 1, -10.0), (0, 2, 3.0)],
        }
    }

    #[test]
    fn a_problem_is_what_its_lines_say() {
        let problems = read(SMALL).unwrap();
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].graphs, None);
        assert_eq!(problems[0].listed, small());
        assert!(problems[0].notes.is_empty());
        let program = problems[0].listed.problem().unwrap();
        assert_eq!(program.sense(), Sense::Minimise);
        assert_eq!(program.coverage(), Coverage::Partial);
        assert_eq!(
            program.objective(&[Some(0), Some(1)].into()),
            1.5 - 2.0 - 10.0
        );
        assert_eq!(program.objective(&[None, Some(2)].into()), 0.25);
    }

    #[test]
    fn assignments_come_in_any_order_and_after_their_pairs() {
        let shuffled = "p 2 3 3 2\ne 0 1 -10\na 2 1 2 .25\na 0 0 0 1.5\ne 0 2 +3e0\na 1 1 1 -2\n";
        assert_eq!(read(shuffled).unwrap()[0].listed, small());
    }

    #[test]
    fn several_graphs_make_several_problems() {
        let text = format!("gm 0 1\n{SMALL}\ngm 0 2\np 0 0 0 0\nc end\ngm 1 2\n{SMALL}");
        let problems = read(&text).unwrap();
        let graphs: Vec<_> = problems.iter().map(|p| p.graphs).collect();
        assert_eq!(graphs, [Some((0, 1)), Some((0, 2)), Some((1, 2))]);
        assert_eq!(problems[1].listed, Listed::default());
        assert_eq!(problems[2].listed, small());
    }

    #[test]
    fn what_is_set_aside_is_noted() {
        let text = "i0 0 1.5 2\nn0 0 1\np 2 2 3 1\na 0 0 0 1\nn0 1 0\na 1 0 1 1\na 2 0 0 1\n\
                    e 0 1 5\nm whatever\n";
        let problem = &read(text).unwrap()[0];
        assert_eq!(
            problem.notes,
            [
                "1 line of the kind i0 was skipped",
                "1 line of the kind m was skipped",
                "2 lines of the kind n0 were skipped",
                "1 assignment repeats another one: their costs add up",
                "1 pair is in conflict and can never be chosen",
            ]
        );
        let mut bytes = Vec::new();
        write_dd(&mut bytes, std::slice::from_ref(problem)).unwrap();
        let again = read_dd_from(&bytes[..], "a.dd", &ProblemOptions::default()).unwrap();
        assert_eq!(again[0].listed, problem.listed);
    }

    #[test]
    fn faults_have_a_line_a_field_and_a_remedy() {
        for (text, message) in [
            (
                "",
                "a.dd: found no problem, expected a problem, p n1 n2 nA nE and its lines",
            ),
            (
                "c\na 0 0 0 1\n",
                "a.dd, line 2, column 1: found an assignment, \
                 expected the problem's line p n1 n2 nA nE before it",
            ),
            (
                "e 0 1 1\n",
                "a.dd, line 1, column 1: found a pair, \
                 expected the problem's line p n1 n2 nA nE before it",
            ),
            (
                "p 1 1 1\n",
                "a.dd, line 1, column 5: found nothing, expected the number of pairs",
            ),
            (
                "p 1 1 1 0 7\n",
                "a.dd, line 1, column 6: found `7`, expected the end of the line",
            ),
            (
                "p 1 1 1 0\na 0 0 1 5\n",
                "a.dd, line 2, column 4: found `1`, expected a node on the right, 0 to 0",
            ),
            (
                "p 1 1 1 0\na 0 0 0 nan\n",
                "a.dd, line 2, column 5: found `nan`, expected a cost, a finite number",
            ),
            (
                "p 1 1 1 0\na 0 0 0 1e999\n",
                "a.dd, line 2, column 5: found `1e999`, expected a cost, a finite number",
            ),
            (
                "p 1 1 1 0\na 0 0 0 1\na 1 0 0 1\n",
                "a.dd, line 3, column 1: found assignment number 2, \
                 expected 1 assignment as line 1 announces",
            ),
            (
                "p 1 1 1 0\nq\n",
                "a.dd, line 2, column 1: found `q`, expected a line that begins with p, a, e, gm or c",
            ),
            (
                "p 2 2 2 1\na 0 0 0 1\n\na 0 1 1 1\ne 0 1 1\n",
                "a.dd, line 4, column 2: found the assignment 0 once more, which line 2 has, \
                 expected each id from 0 to 1 once",
            ),
            (
                "p 2 2 2 1\na 0 0 0 1\na 1 1 1 1\ne 1 1 1\n",
                "a.dd, line 4, column 3: found the assignment 1 once more, \
                 expected two different assignments",
            ),
            (
                "gm 0 1\ngm 0 2\np 0 0 0 0\n",
                "a.dd, line 2, column 1: found another problem, \
                 expected a line p n1 n2 nA nE for graphs 0 and 1 of line 1",
            ),
            (
                "p 0 0 1 0\na 0 0 0 1\n",
                "a.dd, line 2, column 3: found `0`, \
                 expected no such line, because there is not a single node on the left",
            ),
        ] {
            assert_eq!(refusal(text), message, "{text:?}");
        }
    }

    #[test]
    fn a_file_that_was_cut_is_refused_wherever_it_was() {
        let text = format!("gm 0 1\n{SMALL}gm 0 2\n{SMALL}");
        let lines: Vec<&str> = text.lines().collect();
        for kept in 0..lines.len() {
            // A file that ends with the first problem looks whole.
            let whole = [9, lines.len()].contains(&kept);
            assert_eq!(read(&lines[..kept].join("\n")).is_ok(), whole, "{kept}");
        }
        assert_eq!(
            refusal(&lines[..8].join("\n")),
            "a.dd: found the end of the file after 1 pair, expected 2 pairs as line 4 announces"
        );
    }

    #[test]
    fn what_a_header_claims_costs_nothing() {
        let huge = 1_000_000_000_000_000_000u64;
        assert_eq!(
            refusal(&format!("p 2 2 {huge} {huge}\na 0 0 0 1\n")),
            format!(
                "a.dd: found the end of the file after 1 assignment, \
                 expected {huge} assignments as line 1 announces"
            )
        );
        assert_eq!(
            refusal(&format!("p {huge} 1 0 0\n")),
            format!(
                "a.dd, line 1, column 2: found `{huge}`, \
                 expected the number of nodes on the left, at most 4294967295"
            )
        );
        assert_eq!(
            refusal("p 4000000000 4000000000 0 0\n"),
            "a.dd: problem 1 would take 16384.0 PiB, the limit is 256.0 MiB; \
             check the numbers of nodes that the file announces or allow more memory"
        );
        assert!(refusal("p 0 4000000000 0 0\n").contains("89.4 GiB"));
    }

    #[test]
    fn memory_is_checked_as_lines_come() {
        let mut text = "p 1 1 20000 0\n".to_owned();
        for id in 0..20000 {
            text += &format!("a {id} 0 0 1\n");
        }
        let options = ProblemOptions {
            max_memory: Some(1 << 20),
            ..ProblemOptions::default()
        };
        let message = read_dd_from(text.as_bytes(), "a.dd", &options).unwrap_err();
        assert!(
            message.to_string().contains("the limit is 1.0 MiB"),
            "{message}"
        );
        assert!(read(&text).is_ok());
    }

    #[test]
    fn unsound_problems_are_not_written() {
        let mut bad = [small(), small(), small(), small()];
        bad[0].assignments[0].1 = 3;
        bad[1].assignments[2].2 = f64::INFINITY;
        bad[2].pairs[0].1 = 3;
        bad[3].pairs[0] = (1, 1, 0.0);
        for listed in bad {
            let problem = DdProblem {
                listed,
                ..DdProblem::default()
            };
            assert!(write_dd(&mut Vec::new(), &[problem]).is_err());
        }
    }
}
