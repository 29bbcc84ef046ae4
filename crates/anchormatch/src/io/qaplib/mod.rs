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

use super::fault::quoted;
use super::problem::ProblemOptions;
use super::words::{Words, finite};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::problem::{Problem, ProductPairwise, Sense, Weights};

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
    let header = words.line();
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
            crowded |= words.line() == header;
            if entries.len().is_multiple_of(8192) {
                // A was as long as B may become.
                let count = 2 * entries.len() as u64;
                options.reserve(
                    &format!("{name}: a problem of more than {count} entries"),
                    count * ENTRY_BYTES,
                    super::DEFAULT_MEMORY,
                    "allow more memory",
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
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
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
