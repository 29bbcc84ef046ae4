//! As many pairs as lists allow, whatever they are worth (Hopcroft, Karp, *SIAM Journal on Computing* 2, 1973).

use crate::assignment::Assignment;
use crate::linalg::Csr;
use crate::monitor::Monitor;

const NONE: u32 = u32::MAX;

/// Matches as many rows as the lists allow; who is matched stays so, perhaps with another.
///
/// Again and again, every row that is alone looks for a path to a free column, on which the others each hand
/// theirs on; within a pass no column is looked at twice.
///
/// # Panics
/// When a pair is not listed.
///
/// # Complexity
/// O(entries) a pass, of which there are few.
pub fn augment(lists: &Csr<()>, assignment: &mut Assignment, monitor: &Monitor) {
    let rows = lists.rows();
    let mut owners = vec![NONE; lists.cols()];
    for (i, a) in assignment.pairs() {
        assert!(lists.place(i, a).is_some(), "pairs are listed");
        owners[a] = i as u32;
    }
    let mut pass = 0u32;
    let mut seen = vec![0u32; lists.cols()];
    let mut next: Vec<usize> = vec![0; rows];
    // Rows on the way, each with the column that it would take.
    let mut path: Vec<(u32, u32)> = Vec::new();
    loop {
        pass += 1;
        (0..rows).for_each(|i| next[i] = lists.range(i).start);
        let mut has_grown = false;
        for first in 0..rows {
            if first.is_multiple_of(4096) && monitor.interrupted().is_some() {
                return;
            }
            if assignment.partner(first).is_some() {
                continue;
            }
            path.clear();
            path.push((first as u32, NONE));
            while let Some(&(row, _)) = path.last() {
                let place = next[row as usize];
                if place == lists.range(row as usize).end {
                    path.pop();
                    continue;
                }
                next[row as usize] += 1;
                let column = lists.column(place);
                if std::mem::replace(&mut seen[column as usize], pass) == pass {
                    continue;
                }
                path.last_mut().expect("it was there").1 = column;
                match owners[column as usize] {
                    NONE => {
                        for (row, column) in path.drain(..) {
                            assignment.set(row as usize, Some(column as usize));
                            owners[column as usize] = row;
                        }
                        has_grown = true;
                    }
                    owner => path.push((owner, NONE)),
                }
            }
        }
        if !has_grown {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment::{Alone, ListedSolver};

    #[test]
    fn as_many_as_an_exact_assignment_has() {
        for (rows, cols) in [(0, 3), (30, 30), (20, 45), (45, 20), (200, 200)] {
            for seed in 0..20usize {
                let places = (0..rows).flat_map(|i| {
                    let one = (i * 31 + seed * 17) % cols;
                    [
                        (i, one),
                        (i, (i * i * 7 + seed) % cols),
                        (i, (i + 1) % cols),
                    ]
                });
                let lists = Csr::pattern(rows, cols, places.filter(|p| p.0 % 9 != 4)).unwrap();
                let mut some = Assignment::empty(rows);
                if rows > 1 {
                    some.set(1, Some(lists.columns(1)[0] as usize));
                }
                augment(&lists, &mut some, &Monitor::silent());
                assert!(some.is_one_to_one(cols));
                assert!(some.pairs().all(|(i, a)| lists.place(i, a).is_some()));
                assert!(rows < 2 || some.partner(1).is_some());
                let mut solver = ListedSolver::new(&lists, Alone::LastResort);
                let even = vec![0.0; lists.entries()];
                let want = solver.maximise(&even, &Monitor::silent()).matched();
                assert_eq!(some.matched(), want);
            }
        }
    }
}
