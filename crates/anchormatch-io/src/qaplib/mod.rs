//! The files of QAPLIB (Burkard, Karisch & Rendl, *QAPLIB: a quadratic assignment problem library*,
//! J. Global Optimization 1997).
//!
//! > minimise Σ_ij A_ij B_{p(i) p(j)} over permutations p
//!
//! `.dat` holds n, then A, then B, n² numbers each; `.sln` holds n, the cost, then p. Line breaks carry
//! no meaning. Solutions differ in their conventions, see [`QapSolution`].

mod solution;

pub use solution::{QapCheck, QapConvention, QapSolution};
pub use solution::{read_qap_solution, read_qap_solution_from, write_qap_solution};

use std::io::{BufRead, Write};
use std::path::Path;

use super::fault::{quoted, unwritable};
use super::problem::ProblemOptions;
use super::words::{Words, finite};
use anchormatch::error::{Hint, Result};
use anchormatch::linalg::Matrix;
use anchormatch::problem::{Problem, ProductPairwise, Sense, Weights};

/// What an entry of A or B takes at the worst moment: in a growing list, in the operator, transposed.
const ENTRY_BYTES: u64 = 40;

/// A quadratic assignment problem in the form of Koopmans and Beckmann.
#[derive(Debug, Clone, PartialEq)]
pub struct QapInstance {
    /// The number of nodes on either side.
    pub n: usize,
    /// A, n×n.
    pub a: Matrix,
    /// B, n×n.
    pub b: Matrix,
}

impl QapInstance {
    /// The program; QAPLIB minimises.
    ///
    /// # Errors
    /// When a matrix is not square or not finite.
    pub fn problem(&self, sense: Sense) -> Result<Problem> {
        let (a, b) = (self.a.clone(), self.b.clone());
        ProductPairwise::problem(sense, Weights::Dense(a), Weights::Dense(b), None)
    }

    /// Σ_ij A_ij B_{p(i) p(j)}, straight from the definition.
    ///
    /// # Panics
    /// When `permutation` is shorter than n or leaves the range.
    #[must_use]
    pub fn cost(&self, permutation: &[usize]) -> f64 {
        let mut total = 0.0;
        for i in 0..self.n {
            let image = self.b.row(permutation[i]);
            for (j, weight) in self.a.row(i).iter().enumerate() {
                total += weight * image[permutation[j]];
            }
        }
        total
    }
}

/// Reads the `.dat` file at `path`; `-` is the standard input.
///
/// # Errors
/// When the file cannot be read, a number is malformed or not finite, or there are fewer or more
/// numbers than n asks for.
pub fn read_qap(path: &Path) -> Result<QapInstance> {
    super::open(path, |reader, name| {
        read_qap_from(reader, name, &ProblemOptions::default())
    })
}

/// Reads a `.dat` file from any reader; `name` stands for the file in errors.
///
/// # Errors
/// See [`read_qap`]; the memory allowed is that of `options`.
pub fn read_qap_from(
    reader: impl BufRead,
    name: &str,
    options: &ProblemOptions,
) -> Result<QapInstance> {
    let mut words = Words::new(reader, name, false);
    let n = read_size(&mut words)?;
    let (header, _) = words.place();
    let mut crowded = false;
    let mut matrix = |which: &str| -> Result<Matrix> {
        let total = n as u128 * n as u128;
        let mut entries: Vec<f64> = Vec::new();
        // The header may lie: the list grows with the file.
        while (entries.len() as u128) < total {
            let place = entries.len();
            let expected = || {
                let (i, j) = (place / n + 1, place % n + 1);
                format!("a finite number, row {i}, column {j} of the {n}×{n} matrix {which}")
            };
            entries.push(words.parsed(expected, finite)?);
            crowded |= words.place().0 == header;
            if entries.len().is_multiple_of(8192) {
                // A was as long as B may become.
                let count = 2 * entries.len() as u64;
                options.reserve(
                    &format!("{name}: a problem of more than {count} entries"),
                    count * ENTRY_BYTES,
                    super::DEFAULT_MEMORY,
                    &[Hint::MoreMemory],
                )?;
            }
        }
        Ok(Matrix::from_vec(n, n, entries))
    };
    let (a, b) = (matrix("A")?, matrix("B")?);
    if words.advance()? {
        let mut expected = format!("the end of the file after n = {n} and two {n}×{n} matrices");
        if crowded {
            expected += "; line 1 has more than n";
        }
        return Err(words.fault(quoted(words.word()), expected));
    }
    Ok(QapInstance { n, a, b })
}

/// Writes an instance, a row of a matrix to a line.
///
/// # Errors
/// When `out` fails, a matrix is not n×n or an entry is not finite.
pub fn write_qap(out: &mut (impl Write + ?Sized), instance: &QapInstance) -> std::io::Result<()> {
    let n = instance.n;
    let sound = [&instance.a, &instance.b].into_iter().all(|matrix| {
        (matrix.rows(), matrix.cols()) == (n, n) && matrix.as_slice().iter().all(|v| v.is_finite())
    });
    if n == 0 || !sound {
        return Err(unwritable(
            "an instance without nodes, of unequal shapes or with entries that are not finite",
        ));
    }
    writeln!(out, "{n}")?;
    for matrix in [&instance.a, &instance.b] {
        writeln!(out)?;
        for i in 0..n {
            for (j, value) in matrix.row(i).iter().enumerate() {
                write!(out, "{}{value}", if j == 0 { "" } else { " " })?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// n, the first word of both kinds of files.
fn read_size<R: BufRead>(words: &mut Words<R>) -> Result<usize> {
    let expected = || format!("the number of nodes, 1 to {}", u32::MAX);
    words.parsed(expected, |word| {
        let n: usize = word.parse().ok()?;
        (1..=u32::MAX as usize).contains(&n).then_some(n)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch_invariants::small_problems::permutations;

    fn read(text: &str) -> Result<QapInstance> {
        read_qap_from(text.as_bytes(), "a.dat", &ProblemOptions::default())
    }

    fn refusal(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn line_breaks_mean_nothing() {
        let want = QapInstance {
            n: 2,
            a: Matrix::from_vec(2, 2, vec![0.0, 1.0, 2.0, 3.0]),
            b: Matrix::from_vec(2, 2, vec![-4.5, 50.0, 6.0, 7.0]),
        };
        for text in [
            "2\n\n0 1\n2 3\n\n-4.5 5e1\n6 7\n",
            "  2 0 1 2 3 -4.5 50. 6 7",
            "\u{feff}2\r\n0\r\n1\r\n2\r\n3\r\n-4.50 +50\t6\r\n7\r\n\r\n\n",
        ] {
            assert_eq!(read(text).unwrap(), want, "{text:?}");
        }
    }

    #[test]
    fn the_program_has_the_cost_of_the_definition() {
        // Directed matrices with diagonals, every permutation of three.
        let a = Matrix::from_fn(3, 3, |i, j| (3 * i + j * j) as f64 - 2.0);
        let b = Matrix::from_fn(3, 3, |i, j| (i * i + 2 * j) as f64 / 4.0);
        let instance = QapInstance { n: 3, a, b };
        let problem = instance.problem(Sense::Minimise).unwrap();
        for p in permutations(3) {
            let mut cost = 0.0;
            for i in 0..3 {
                for j in 0..3 {
                    cost += instance.a[(i, j)] * instance.b[(p[i], p[j])];
                }
            }
            assert_eq!(instance.cost(&p), cost);
            let assignment = p.into_iter().map(Some).collect();
            assert_eq!(problem.objective(&assignment), cost);
        }
    }

    #[test]
    fn faults_have_a_line_a_word_and_a_remedy() {
        for (text, message) in [
            (
                "",
                "a.dat: found the end of the file, expected the number of nodes, 1 to 4294967295",
            ),
            (
                "\n0 1",
                "a.dat, line 2, column 1: found `0`, expected the number of nodes, 1 to 4294967295",
            ),
            (
                "2\n0 1\n1 x\n",
                "a.dat, line 3, column 2: found `x`, \
                 expected a finite number, row 2, column 2 of the 2×2 matrix A",
            ),
            (
                "1\n0\ninf\n",
                "a.dat, line 3, column 1: found `inf`, \
                 expected a finite number, row 1, column 1 of the 1×1 matrix B",
            ),
            (
                "2\n0 1\n1 0\n0 1\n1\n",
                "a.dat: found the end of the file, \
                 expected a finite number, row 2, column 2 of the 2×2 matrix B",
            ),
            (
                "1\n0\n0\nBest 5\n",
                "a.dat, line 4, column 1: found `Best`, \
                 expected the end of the file after n = 1 and two 1×1 matrices",
            ),
            (
                "1 578\n0\n7\n",
                "a.dat, line 3, column 1: found `7`, expected the end of the file \
                 after n = 1 and two 1×1 matrices; line 1 has more than n",
            ),
            (
                "4000000000\n0 1 2",
                "a.dat: found the end of the file, expected a finite number, \
                 row 1, column 4 of the 4000000000×4000000000 matrix A",
            ),
        ] {
            assert_eq!(refusal(text), message, "{text:?}");
        }
    }

    #[test]
    fn memory_is_checked_as_numbers_come() {
        let text = format!("200\n{}", "0 ".repeat(80_000));
        assert!(read(&text).is_ok());
        let options = ProblemOptions {
            max_memory: Some(1 << 20),
            ..ProblemOptions::default()
        };
        let error = read_qap_from(text.as_bytes(), "a.dat", &options).unwrap_err();
        assert!(
            error.to_string().contains("the limit is 1.0 MiB"),
            "{error}"
        );
    }

    #[test]
    fn unsound_instances_are_not_written() {
        let good = QapInstance {
            n: 2,
            a: Matrix::zeros(2, 2),
            b: Matrix::zeros(2, 2),
        };
        assert!(write_qap(&mut Vec::new(), &good).is_ok());
        let (mut shape, mut value, mut empty) = (good.clone(), good.clone(), good);
        shape.b = Matrix::zeros(3, 3);
        value.a[(0, 1)] = f64::NAN;
        empty.n = 0;
        for bad in [shape, value, empty] {
            assert!(write_qap(&mut Vec::new(), &bad).is_err());
        }
    }
}
