//! Solutions of QAPLIB, and what their permutations mean.
//!
//! A solution says `n cost` and a permutation, mostly counted from 1, sometimes from 0, sometimes with
//! commas. What the permutation maps is not said: p with Σ A_ij B_{p(i) p(j)}, or its inverse, which is
//! the same as p with A and B exchanged. Only the cost can tell.

use std::io::{BufRead, Write};
use std::path::Path;

use anchormatch::error::{Error, Result};

use super::super::fault::{quoted, unwritable};
use super::super::words::{Words, finite};
use super::{QapInstance, read_size};

/// A solution as its file gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct QapSolution {
    /// The number of nodes on either side.
    pub n: usize,
    /// The cost that the file states.
    pub cost: f64,
    /// The permutation of the file, counted from 0.
    pub permutation: Vec<usize>,
}

/// What a file's permutation p means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QapConvention {
    /// The cost is Σ A_ij B_{p(i) p(j)}.
    Direct,
    /// The cost is Σ A_{p(i) p(j)} B_ij: p is inverted, or A and B are exchanged.
    Inverse,
}

/// A solution beside its instance.
#[derive(Debug, Clone, PartialEq)]
pub struct QapCheck {
    /// The convention under which the permutation has the cost stated; `None` when neither does.
    pub convention: Option<QapConvention>,
    /// The permutation's cost as it stands.
    pub direct: f64,
    /// The cost of its inverse.
    pub inverse: f64,
    /// p for Σ A_ij B_{p(i) p(j)}, by the convention, or the cheaper of the two without one.
    pub permutation: Vec<usize>,
}

impl QapSolution {
    /// Recomputes the cost and finds the convention; when both fit, it is the direct one.
    ///
    /// Costs are equal within 1e-9 of the stated one.
    ///
    /// # Errors
    /// When the sizes differ or this is no permutation.
    pub fn check(&self, instance: &QapInstance) -> Result<QapCheck> {
        if self.n != instance.n {
            return Err(Error::parameter(
                "solution",
                format!("{} nodes", self.n),
                format!("{}, as the instance has", instance.n),
            ));
        }
        let mut inverse = vec![usize::MAX; self.n];
        for (i, &a) in self.permutation.iter().enumerate() {
            match inverse.get_mut(a) {
                Some(slot) if *slot == usize::MAX => *slot = i,
                _ => return Err(self.no_permutation()),
            }
        }
        if self.permutation.len() != self.n {
            return Err(self.no_permutation());
        }
        let costs = (instance.cost(&self.permutation), instance.cost(&inverse));
        let equal = |cost: f64| (cost - self.cost).abs() <= 1e-9 * self.cost.abs().max(1.0);
        let convention = match (equal(costs.0), equal(costs.1)) {
            (true, _) => Some(QapConvention::Direct),
            (false, true) => Some(QapConvention::Inverse),
            (false, false) => None,
        };
        let direct = match convention {
            Some(convention) => convention == QapConvention::Direct,
            None => costs.0 <= costs.1,
        };
        Ok(QapCheck {
            convention,
            direct: costs.0,
            inverse: costs.1,
            permutation: if direct {
                self.permutation.clone()
            } else {
                inverse
            },
        })
    }

    fn no_permutation(&self) -> Error {
        Error::parameter(
            "solution",
            "a list that is no permutation",
            format!("each number from 0 to {} once", self.n.saturating_sub(1)),
        )
    }
}

/// Reads the `.sln` file at `path`; `-` is the standard input.
///
/// # Errors
/// When the file cannot be read or does not hold n, a cost and a permutation of n numbers.
pub fn read_qap_solution(path: &Path) -> Result<QapSolution> {
    super::super::open(path, |reader, name| read_qap_solution_from(reader, name))
}

/// Reads a `.sln` file from any reader; `name` stands for the file in errors.
///
/// # Errors
/// See [`read_qap_solution`].
pub fn read_qap_solution_from(reader: impl BufRead, name: &str) -> Result<QapSolution> {
    let mut words = Words::new(reader, name, true);
    let n = read_size(&mut words)?;
    let cost = words.parsed(|| "the cost, a finite number".to_owned(), finite)?;
    // Values as in the file, and their places for errors.
    let mut values: Vec<(usize, (u64, usize))> = Vec::new();
    for k in 0..n {
        let expected = || format!("number {} of {n} of the permutation, 0 to {n}", k + 1);
        let value = words.parsed(expected, |word| word.parse().ok().filter(|&v| v <= n))?;
        values.push((value, words.place()));
    }
    if words.advance()? {
        let expected = format!("the end of the file after a permutation of {n}");
        return Err(words.fault(quoted(words.word()), expected));
    }
    let base = usize::from(values.iter().all(|&(value, _)| value != 0));
    let mut seen: Vec<Option<u64>> = vec![None; n];
    for &(value, (line, column)) in &values {
        let slot = (value - base < n).then(|| &mut seen[value - base]);
        let found = match slot {
            Some(slot) => match slot.replace(line) {
                None => continue,
                Some(first) => format!("{value} once more, which line {first} has"),
            },
            None => format!("{value} in a permutation that has a 0"),
        };
        let last = n - 1 + base;
        let expected = format!("each number from {base} to {last} once");
        return Err(super::super::fault::fault(
            words.file(),
            Some(line),
            Some(column),
            found,
            expected,
        ));
    }
    Ok(QapSolution {
        n,
        cost,
        permutation: values.into_iter().map(|(value, _)| value - base).collect(),
    })
}

/// Writes a solution, the permutation counted from 1.
///
/// # Errors
/// When `out` fails, the cost is not finite, or the permutation is none.
pub fn write_qap_solution(
    out: &mut (impl Write + ?Sized),
    solution: &QapSolution,
) -> std::io::Result<()> {
    let n = solution.n;
    let mut sorted = solution.permutation.clone();
    sorted.sort_unstable();
    if n == 0 || !solution.cost.is_finite() || !sorted.into_iter().eq(0..n) {
        return Err(unwritable(
            "a solution that is no permutation or has no finite cost",
        ));
    }
    writeln!(out, "{n} {}", solution.cost)?;
    for (k, a) in solution.permutation.iter().enumerate() {
        write!(out, "{}{}", if k == 0 { "" } else { " " }, a + 1)?;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::linalg::Matrix;

    fn read(text: &str) -> Result<QapSolution> {
        read_qap_solution_from(text.as_bytes(), "a.sln")
    }

    fn refusal(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn counted_from_one_or_zero_with_blanks_or_commas() {
        let want = QapSolution {
            n: 4,
            cost: 17.0,
            permutation: vec![2, 0, 3, 1],
        };
        for text in [
            "  4   17\n 3 1 4 2\n\n",
            "4\n17\n3,1,\n4, 2",
            "4 17.0 2 0 3 1",
        ] {
            assert_eq!(read(text).unwrap(), want, "{text:?}");
        }
    }

    #[test]
    fn faults_are_named() {
        for (text, message) in [
            (
                "3",
                "a.sln: found the end of the file, expected the cost, a finite number",
            ),
            (
                "3 5 1 2",
                "a.sln: found the end of the file, expected number 3 of 3 of the permutation, 0 to 3",
            ),
            (
                "3 5\n1 4 2",
                "a.sln, line 2, column 2: found `4`, \
                 expected number 2 of 3 of the permutation, 0 to 3",
            ),
            (
                "3 5\n1 2\n1",
                "a.sln, line 3, column 1: found 1 once more, which line 2 has, \
                 expected each number from 1 to 3 once",
            ),
            (
                "3 5\n0 1 3",
                "a.sln, line 2, column 3: found 3 in a permutation that has a 0, \
                 expected each number from 0 to 2 once",
            ),
            (
                "3 5\n1 2 3\n4",
                "a.sln, line 3, column 1: found `4`, \
                 expected the end of the file after a permutation of 3",
            ),
            (
                "4000000000 5 1",
                "a.sln: found the end of the file, \
                 expected number 2 of 4000000000 of the permutation, 0 to 4000000000",
            ),
        ] {
            assert_eq!(refusal(text), message, "{text:?}");
        }
    }

    #[test]
    fn the_cost_tells_the_convention() {
        let instance = QapInstance {
            n: 4,
            a: Matrix::from_fn(4, 4, |i, j| (5 * i + 3 * j * j) as f64),
            b: Matrix::from_fn(4, 4, |i, j| (i * i * i + 2 * j) as f64),
        };
        let exchanged = QapInstance {
            n: 4,
            a: instance.b.clone(),
            b: instance.a.clone(),
        };
        let p = vec![2, 0, 3, 1];
        let inverse = vec![1, 3, 0, 2];
        let solution = |cost| QapSolution {
            n: 4,
            cost,
            permutation: p.clone(),
        };
        let (direct, swapped) = (instance.cost(&p), exchanged.cost(&p));
        assert_ne!(direct, swapped);

        let check = solution(direct).check(&instance).unwrap();
        assert_eq!(check.convention, Some(QapConvention::Direct));
        assert_eq!((check.direct, check.inverse), (direct, swapped));
        assert_eq!(check.permutation, p);

        let check = solution(swapped).check(&instance).unwrap();
        assert_eq!(check.convention, Some(QapConvention::Inverse));
        assert_eq!(check.permutation, inverse);
        assert_eq!(instance.cost(&check.permutation), swapped);

        let check = solution(direct + swapped + 1.0).check(&instance).unwrap();
        assert_eq!(check.convention, None);
        assert_eq!(instance.cost(&check.permutation), direct.min(swapped));
    }

    #[test]
    fn lists_that_are_no_permutation_of_the_instance_are_refused() {
        let instance = QapInstance {
            n: 2,
            a: Matrix::zeros(2, 2),
            b: Matrix::zeros(2, 2),
        };
        for (n, permutation) in [
            (3, vec![0, 1, 2]),
            (2, vec![0, 0]),
            (2, vec![0, 2]),
            (2, vec![0]),
        ] {
            let solution = QapSolution {
                n,
                cost: 0.0,
                permutation,
            };
            assert!(solution.check(&instance).is_err(), "{solution:?}");
            assert!(n == 3 || write_qap_solution(&mut Vec::new(), &solution).is_err());
        }
    }
}
