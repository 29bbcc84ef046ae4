//! The lines of a `.dd` file, one by one, until its problems are whole.

use std::collections::BTreeMap;

use anchormatch::error::{Hint, Result};
use anchormatch::problem::Listed;

use super::super::DEFAULT_MEMORY;
use super::super::fault::{fault, quoted};
use super::super::problem::ProblemOptions;
use super::DdProblem;
use super::fields::Fields;

/// Line kinds that carry nothing of the program.
const SKIPPED: [&str; 5] = ["i0", "i1", "n0", "n1", "m"];

/// What an assignment takes at the worst moment: listed, numbered, and a candidate.
const ASSIGNMENT_BYTES: u64 = 100;

/// What a pair takes at the worst moment: listed, and in both rows of the operator.
const PAIR_BYTES: u64 = 180;

/// The problems so far, and the one that is being read.
pub(super) struct Parser<'a> {
    file: &'a str,
    options: &'a ProblemOptions,
    problems: Vec<DdProblem>,
    /// The graphs of a `gm` line whose problem has not begun, and its line.
    graphs: Option<((usize, usize), u64)>,
    current: Option<Current>,
    /// Skipped lines by kind, for the current or the next problem.
    skipped: BTreeMap<String, u64>,
    /// Bytes that finished problems hold, and their lines.
    held: u64,
    lines: u64,
}

/// The problem that is being read.
struct Current {
    header: Header,
    problem: DdProblem,
    /// The id and the line of each assignment, in the order of the file.
    ids: Vec<(usize, u64)>,
}

struct Header {
    line: u64,
    assignments: usize,
    pairs: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(file: &'a str, options: &'a ProblemOptions) -> Self {
        Self {
            file,
            options,
            problems: Vec::new(),
            graphs: None,
            current: None,
            skipped: BTreeMap::new(),
            held: 0,
            lines: 0,
        }
    }

    pub(super) fn line(&mut self, text: &str, number: u64) -> Result<()> {
        let mut fields = Fields::new(self.file, text, number);
        match fields.next_word() {
            "" | "c" => Ok(()),
            "gm" => {
                let graphs = (
                    fields.index("the number of a graph", None)?,
                    fields.index("the number of a graph", None)?,
                );
                fields.end()?;
                self.close(Some(number))?;
                self.graphs = Some((graphs, number));
                Ok(())
            }
            "p" => {
                if self.current.is_some() {
                    self.close(Some(number))?;
                }
                self.open(fields)
            }
            "a" => self.assignment(fields),
            "e" => self.pair(fields),
            kind if SKIPPED.contains(&kind) => {
                match self.skipped.get_mut(kind) {
                    Some(count) => *count += 1,
                    None => {
                        self.skipped.insert(kind.to_owned(), 1);
                    }
                }
                Ok(())
            }
            other => Err(fields.fault(quoted(other), "a line that begins with p, a, e, gm or c")),
        }
    }

    fn open(&mut self, mut fields: Fields<'_>) -> Result<()> {
        let rows = fields.index("the number of nodes on the left", Some(u32::MAX as usize))?;
        let cols = fields.index("the number of nodes on the right", Some(u32::MAX as usize))?;
        let assignments = fields.index("the number of assignments", None)?;
        let pairs = fields.index("the number of pairs", None)?;
        fields.end()?;
        self.current = Some(Current {
            header: Header {
                line: fields.line(),
                assignments,
                pairs,
            },
            problem: DdProblem {
                graphs: self.graphs.take().map(|(graphs, _)| graphs),
                listed: Listed {
                    rows,
                    cols,
                    ..Listed::default()
                },
                notes: Vec::new(),
            },
            ids: Vec::new(),
        });
        Ok(())
    }

    fn assignment(&mut self, mut fields: Fields<'_>) -> Result<()> {
        let Some(current) = &mut self.current else {
            return Err(fields.fault(
                "an assignment",
                "the problem's line p n1 n2 nA nE before it",
            ));
        };
        let (header, listed) = (&current.header, &mut current.problem.listed);
        if listed.assignments.len() == header.assignments {
            let found = format!("assignment number {}", header.assignments as u128 + 1);
            return Err(fields.fault(found, header.promise(header.assignments, "assignment")));
        }
        let id = fields.below("an assignment's id", header.assignments)?;
        let left = fields.below("a node on the left", listed.rows)?;
        let right = fields.below("a node on the right", listed.cols)?;
        let cost = fields.cost()?;
        fields.end()?;
        listed.assignments.push((left, right, cost));
        current.ids.push((id, fields.line()));
        self.reserve_now_and_then()
    }

    fn pair(&mut self, mut fields: Fields<'_>) -> Result<()> {
        let Some(current) = &mut self.current else {
            return Err(fields.fault("a pair", "the problem's line p n1 n2 nA nE before it"));
        };
        let (header, listed) = (&current.header, &mut current.problem.listed);
        if listed.pairs.len() == header.pairs {
            let found = format!("pair number {}", header.pairs as u128 + 1);
            return Err(fields.fault(found, header.promise(header.pairs, "pair")));
        }
        let first = fields.below("an assignment's id", header.assignments)?;
        let second = fields.below("an assignment's id", header.assignments)?;
        if first == second {
            let found = format!("the assignment {first} once more");
            return Err(fields.fault(found, "two different assignments"));
        }
        let cost = fields.cost()?;
        fields.end()?;
        listed.pairs.push((first, second, cost));
        self.reserve_now_and_then()
    }

    /// Checks the memory after each block of lines; a block between two checks is small.
    fn reserve_now_and_then(&self) -> Result<()> {
        match &self.current {
            Some(current) if current.lines().is_multiple_of(8192) => {
                let needed = self.held + current.bytes();
                self.reserve(needed, DEFAULT_MEMORY, &[Hint::MoreMemory])
            }
            _ => Ok(()),
        }
    }

    fn reserve(&self, needed: u64, otherwise: u64, hints: &'static [Hint]) -> Result<()> {
        let what = format!("{}: problem {}", self.file, self.problems.len() + 1);
        self.options.reserve(&what, needed, otherwise, hints)
    }

    /// Ends the current problem at line `number`, or at the end of the file.
    fn close(&mut self, number: Option<u64>) -> Result<()> {
        let end = match number {
            Some(_) => "another problem",
            None => "the end of the file",
        };
        if let Some(((i, j), line)) = self.graphs {
            let expected = format!("a line p n1 n2 nA nE for graphs {i} and {j} of line {line}");
            return Err(fault(self.file, number, number.map(|_| 1), end, expected));
        }
        let Some(current) = self.current.take() else {
            return Ok(());
        };
        current.complete(self.file, number, end)?;
        let Listed { rows, cols, .. } = current.problem.listed;
        // The program has a unary cost for every pair of nodes and a list for every node: welcome,
        // but not so many that only a damaged header explains them.
        let sides = (rows as u64)
            .saturating_mul(cols as u64)
            .saturating_mul(8)
            .saturating_add((rows as u64 + cols as u64) * 24);
        self.held = (self.held.saturating_add(current.bytes())).saturating_add(sides);
        self.lines += current.lines();
        self.reserve(
            self.held,
            (256u64 << 20).saturating_add(self.lines.saturating_mul(1024)),
            &[Hint::CheckCounts, Hint::MoreMemory],
        )?;
        let skipped = std::mem::take(&mut self.skipped);
        self.problems.push(current.finish(self.file, &skipped)?);
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Vec<DdProblem>> {
        self.close(None)?;
        if self.problems.is_empty() {
            let expected = "a problem, p n1 n2 nA nE and its lines";
            return Err(fault(self.file, None, None, "no problem", expected));
        }
        Ok(self.problems)
    }
}

impl Header {
    fn promise(&self, count: usize, what: &str) -> String {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {what}{plural} as line {} announces", self.line)
    }
}

impl Current {
    fn lines(&self) -> u64 {
        (self.ids.len() + self.problem.listed.pairs.len()) as u64
    }

    fn bytes(&self) -> u64 {
        self.ids.len() as u64 * ASSIGNMENT_BYTES
            + self.problem.listed.pairs.len() as u64 * PAIR_BYTES
    }

    /// Refuses a problem that ends before everything its header announces.
    fn complete(&self, file: &str, line: Option<u64>, end: &str) -> Result<()> {
        let listed = &self.problem.listed;
        for (found, announced, what) in [
            (
                listed.assignments.len(),
                self.header.assignments,
                "assignment",
            ),
            (listed.pairs.len(), self.header.pairs, "pair"),
        ] {
            if found < announced {
                let plural = if found == 1 { "" } else { "s" };
                let found = format!("{end} after {found} {what}{plural}");
                let expected = self.header.promise(announced, what);
                return Err(fault(file, line, line.map(|_| 1), found, expected));
            }
        }
        Ok(())
    }

    /// Puts the assignments in the order of their ids and notes what was set aside.
    fn finish(mut self, file: &str, skipped: &BTreeMap<String, u64>) -> Result<DdProblem> {
        let listed = &mut self.problem.listed;
        if self.ids.iter().enumerate().any(|(k, &(id, _))| id != k) {
            let mut order: Vec<usize> = (0..self.ids.len()).collect();
            order.sort_by_key(|&k| self.ids[k]);
            for pair in order.windows(2) {
                let ((id, first), (next, line)) = (self.ids[pair[0]], self.ids[pair[1]]);
                if id == next {
                    let found = format!("the assignment {id} once more, which line {first} has");
                    let expected = format!("each id from 0 to {} once", self.ids.len() - 1);
                    return Err(fault(file, Some(line), Some(2), found, expected));
                }
            }
            listed.assignments = order.iter().map(|&k| listed.assignments[k]).collect();
        }
        let notes = &mut self.problem.notes;
        let mut note = |count: u64, one: &str, many: &str| {
            if count > 0 {
                notes.push(format!("{count} {}", if count == 1 { one } else { many }));
            }
        };
        for (kind, &count) in skipped {
            note(
                count,
                &format!("line of the kind {kind} was skipped"),
                &format!("lines of the kind {kind} were skipped"),
            );
        }
        let mut places: Vec<(usize, usize)> =
            listed.assignments.iter().map(|a| (a.0, a.1)).collect();
        places.sort_unstable();
        note(
            places.windows(2).filter(|w| w[0] == w[1]).count() as u64,
            "assignment repeats another one: their costs add up",
            "assignments repeat another one: their costs add up",
        );
        let conflicts = listed.pairs.iter().filter(|pair| {
            let (p, q) = (listed.assignments[pair.0], listed.assignments[pair.1]);
            p.0 == q.0 || p.1 == q.1
        });
        note(
            conflicts.count() as u64,
            "pair is in conflict and can never be chosen",
            "pairs are in conflict and can never be chosen",
        );
        Ok(self.problem)
    }
}
