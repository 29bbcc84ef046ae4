//! Where searches start: an assignment that is given, or a random one.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::listed::{Space, fullest};
use super::{Start, round_within};
use crate::assignment::{Assignment, augment};
use crate::error::Result;
use crate::linalg::Csr;
use crate::monitor::Monitor;
use crate::problem::{Coverage, Problem};

/// The start's assignment, else its soft matrix rounded, else a random assignment; as full as the
/// coverage asks.
pub(super) fn starting_point(
    problem: &Problem,
    start: &Start<'_>,
    random: &mut ChaCha8Rng,
    monitor: &Monitor,
) -> Result<Assignment> {
    match (start.assignment, start.soft) {
        (Some(assignment), _) => completed_within(problem, assignment, monitor),
        (None, Some(soft)) => match Space::of(problem) {
            None => round_within(problem, &*soft.full(monitor)?, monitor),
            Some(space) => {
                let value = |e| soft[(space.entries.row(e), space.entries.column(e))];
                let score: Vec<f64> = (0..space.count()).map(value).collect();
                Ok(space.round(&score, monitor))
            }
        },
        (None, None) => random_within(problem, random, monitor),
    }
}

/// `assignment` with partners for nodes that must not stay alone.
///
/// Given pairs stay where all assignments are allowed; else as many of them as a fullest assignment
/// can hold.
pub(super) fn completed(problem: &Problem, assignment: &Assignment) -> Result<Assignment> {
    completed_within(problem, assignment, &Monitor::silent())
}

fn completed_within(
    problem: &Problem,
    assignment: &Assignment,
    monitor: &Monitor,
) -> Result<Assignment> {
    let (n, m) = problem.shape();
    let mut result = assignment.clone();
    let matched = result.matched();
    if problem.coverage() == Coverage::Partial || matched == n.min(m) {
        return Ok(result);
    }
    let Some(lists) = problem.candidates().lists() else {
        let mut free = vec![true; m];
        result.pairs().for_each(|(_, a)| free[a] = false);
        let mut columns = (0..m).filter(|&a| free[a]);
        for i in 0..n {
            if result.partner(i).is_none() {
                result.set(i, columns.next());
            }
        }
        return Ok(result);
    };
    let score = scores(lists, |i, a| {
        f64::from(u8::from(assignment.partner(i) == Some(a)))
    });
    Ok(fullest(lists, &score, monitor))
}

/// A score for each entry of the lists.
fn scores(lists: &Csr<()>, mut score: impl FnMut(usize, usize) -> f64) -> Vec<f64> {
    let entries = lists.triplets();
    entries.map(|(i, a, ())| score(i, a)).collect()
}

/// A random assignment, as full as the coverage asks.
///
/// Where candidates are listed, each row in a random order takes a free one by chance; where as many as
/// possible are to be matched, others then make room.
pub(super) fn random_assignment(problem: &Problem, random: &mut ChaCha8Rng) -> Result<Assignment> {
    random_within(problem, random, &Monitor::silent())
}

fn random_within(
    problem: &Problem,
    random: &mut ChaCha8Rng,
    monitor: &Monitor,
) -> Result<Assignment> {
    let (n, m) = problem.shape();
    let Some(lists) = problem.candidates().lists() else {
        let mut larger: Vec<usize> = (0..n.max(m)).collect();
        larger.shuffle(random);
        if n <= m {
            return Ok(larger[..n].iter().map(|&a| Some(a)).collect());
        }
        let chosen = larger[..m].iter().enumerate();
        return Ok(Assignment::from_pairs(n, chosen.map(|(a, &i)| (i, a))));
    };
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(random);
    let mut free = vec![true; m];
    let mut result = Assignment::empty(n);
    let mut open = Vec::new();
    for i in order {
        open.clear();
        open.extend(problem.candidates().of_row(i).filter(|&a| free[a]));
        if !open.is_empty() {
            let a = open[random.random_range(0..open.len())];
            result.set(i, Some(a));
            free[a] = false;
        }
    }
    if problem.coverage() == Coverage::Full {
        augment(lists, &mut result, monitor);
    }
    Ok(result)
}

/// `assignment` after some random moves: a row takes a column, its owner takes the old one where he
/// may, and else stays alone where that is allowed.
pub(super) fn shaken(
    problem: &Problem,
    assignment: &Assignment,
    moves: usize,
    random: &mut ChaCha8Rng,
) -> Assignment {
    let (n, m) = problem.shape();
    let mut result = assignment.clone();
    let mut owners = result.inverse(m);
    let candidates = problem.candidates();
    let choices: Vec<Vec<usize>> = if candidates.is_all() {
        Vec::new()
    } else {
        (0..n).map(|i| candidates.of_row(i).collect()).collect()
    };
    if n == 0 || m == 0 {
        return result;
    }
    for _ in 0..moves {
        let i = random.random_range(0..n);
        let b = match choices.get(i) {
            None => random.random_range(0..m),
            Some(list) if list.is_empty() => continue,
            Some(list) => list[random.random_range(0..list.len())],
        };
        let a = result.partner(i);
        match owners.partner(b) {
            Some(j) if j == i => continue,
            Some(j) => {
                let handed = a.filter(|&a| candidates.allows(j, a));
                // Who had a partner may lose him only where nodes may stay alone.
                if a.is_some() && handed.is_none() && problem.coverage() == Coverage::Full {
                    continue;
                }
                result.set(j, handed);
                if let Some(a) = a {
                    owners.set(a, handed.map(|_| j));
                }
            }
            None => {
                if let Some(a) = a {
                    owners.set(a, None);
                }
            }
        }
        result.set(i, Some(b));
        owners.set(b, Some(i));
    }
    result
}

/// A child of two assignments: what they share stays, other rows take the column of either parent by
/// chance while it is free, and who is left over is matched at random where the coverage asks for it.
pub(super) fn crossed(
    problem: &Problem,
    parents: [&Assignment; 2],
    random: &mut ChaCha8Rng,
) -> Result<Assignment> {
    let (n, m) = problem.shape();
    let mut child = Assignment::empty(n);
    let mut free = vec![true; m];
    for i in 0..n {
        if let (Some(a), Some(b)) = (parents[0].partner(i), parents[1].partner(i))
            && a == b
        {
            child.set(i, Some(a));
            free[a] = false;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(random);
    for &i in &order {
        if child.partner(i).is_none() {
            let side = random.random_range(0..2);
            let pick = [side, 1 - side].map(|side| parents[side].partner(i));
            // Staying alone is inherited too.
            let heir = match pick[0] {
                Some(a) if !free[a] => pick[1].filter(|&b| free[b]),
                first => first,
            };
            if let Some(a) = heir {
                child.set(i, Some(a));
                free[a] = false;
            }
        }
    }
    if problem.coverage() == Coverage::Full && problem.candidates().is_all() {
        let mut rest: Vec<usize> = (0..m).filter(|&a| free[a]).collect();
        rest.shuffle(random);
        for &i in &order {
            if child.partner(i).is_none() {
                child.set(i, rest.pop());
            }
        }
    }
    completed(problem, &child)
}
