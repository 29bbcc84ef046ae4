//! From what a file describes to the program.

use anchormatch::error::Hint;
use anchormatch::linalg::{Csr, Matrix};
use anchormatch::monitor::Monitor;
use anchormatch::problem::{
    Candidates, ExplicitPairwise, GaussianKernel, Listed, Problem, ProductPairwise,
    SeparablePairwise, SparsePairwise, Weights,
};

use super::super::DEFAULT_MEMORY;
use super::super::problem::ProblemOptions;
use super::{Error, Result, SavedKind, SavedProblem, SavedWeights};

/// What a listed assignment, pair or entry takes at the worst moment.
const ENTRY_BYTES: u64 = 180;

/// Nodes that are announced, not listed, may take this much beside what is listed.
const ANNOUNCED: u64 = 256 << 20;

impl SavedProblem {
    /// The program.
    ///
    /// # Errors
    /// When shapes differ, an index is out of range, a matrix that must be symmetric is not, a number
    /// is not finite, or the program would pass the memory allowed.
    pub fn problem(&self, options: &ProblemOptions) -> Result<Problem> {
        if !self.constant.is_finite() {
            return Err(Error::parameter(
                "constant",
                self.constant,
                "a finite number",
            ));
        }
        let mut problem = match &self.kind {
            SavedKind::Product { a, b, linear } => {
                let (n, m) = (a.nodes()?, b.nodes()?);
                reserve(n, m, a.listed() + b.listed(), options)?;
                let linear = linear.as_ref().map(|l| shaped(l, n, m)).transpose()?;
                ProductPairwise::problem(
                    self.sense,
                    a.weights("a")?,
                    b.weights("b")?,
                    linear.as_ref(),
                )?
            }
            SavedKind::Listed(listed) => self.listed(listed, options)?,
            SavedKind::Kernel {
                x,
                y,
                bandwidth,
                tolerance,
                unary,
            } => {
                let (x, y) = (symmetric("x", x)?, symmetric("y", y)?);
                if !(*tolerance > 0.0 && *tolerance < 1.0) {
                    return Err(Error::parameter("tolerance", tolerance, "between 0 and 1"));
                }
                let listed = x.as_slice().len() + y.as_slice().len();
                let unary = unary_part(unary.as_ref(), (x.rows(), y.rows()), listed, options)?;
                let monitor =
                    Monitor::silent().max_memory(options.max_memory.unwrap_or(DEFAULT_MEMORY));
                let kernel = GaussianKernel::new(*bandwidth)?;
                let pairwise = SeparablePairwise::new(x, y, kernel, *tolerance, &monitor)?;
                Problem::new(self.sense, unary, Box::new(pairwise))?
            }
            SavedKind::Explicit {
                rows,
                cols,
                w,
                unary,
            } => {
                let (rows, cols) = (*rows, *cols);
                // Before any product of the two: they may be anything.
                if rows.checked_mul(cols) != Some(w.rows()) {
                    return Err(Error::parameter(
                        "w",
                        format!("a {}×{} matrix", w.rows(), w.cols()),
                        format!("(rows · cols)² entries for {rows} rows and {cols} columns"),
                    ));
                }
                let mut unary =
                    unary_part(unary.as_ref(), (rows, cols), w.as_slice().len(), options)?;
                let pairwise = ExplicitPairwise::new(rows, cols, w.clone())?;
                for (p, slot) in unary.as_mut_slice().iter_mut().enumerate() {
                    *slot += w[(p, p)];
                }
                Problem::new(self.sense, unary, Box::new(pairwise))?
            }
        };
        problem = problem
            .with_coverage(self.coverage)
            .with_constant(self.constant);
        match (&self.candidates, &self.kind) {
            (None, _) | (_, SavedKind::Listed(_)) => Ok(problem),
            (Some(pairs), _) => {
                let (n, m) = problem.shape();
                problem.with_candidates(Candidates::listed(n, m, pairs.iter().copied())?)
            }
        }
    }

    fn listed(&self, listed: &Listed, options: &ProblemOptions) -> Result<Problem> {
        if self.candidates.is_some() {
            return Err(Error::parameter(
                "candidates",
                "a list beside a listed problem",
                "none, because its assignments are the candidates",
            ));
        }
        let (n, m) = (listed.rows, listed.cols);
        let count = listed.assignments.len() + listed.pairs.len();
        reserve(n, m, count as u64, options)?;
        let places = listed.assignments.iter().map(|&(i, a, _)| (i, a));
        let candidates = Candidates::listed(n, m, places)?;
        let pairwise = SparsePairwise::new(listed)?;
        Problem::new(self.sense, listed.costs()?, Box::new(pairwise))?.with_candidates(candidates)
    }

    /// Whether JSON can hold every number.
    pub(super) fn is_finite(&self) -> bool {
        let matrix = |matrix: &Matrix| matrix.as_slice().iter().all(|v| v.is_finite());
        let optional = |part: &Option<Matrix>| part.as_ref().is_none_or(matrix);
        let triplets = |list: &[(usize, usize, f64)]| list.iter().all(|t| t.2.is_finite());
        let weights = |weights: &SavedWeights| match weights {
            SavedWeights::Dense(rows) => matrix(rows),
            SavedWeights::Sparse { entries, .. } => triplets(entries),
        };
        self.constant.is_finite()
            && match &self.kind {
                SavedKind::Product { a, b, linear } => weights(a) && weights(b) && optional(linear),
                SavedKind::Listed(listed) => {
                    triplets(&listed.assignments) && triplets(&listed.pairs)
                }
                SavedKind::Kernel {
                    x,
                    y,
                    bandwidth,
                    tolerance,
                    unary,
                } => {
                    let parameters = bandwidth.is_finite() && tolerance.is_finite();
                    matrix(x) && matrix(y) && parameters && optional(unary)
                }
                SavedKind::Explicit { w, unary, .. } => matrix(w) && optional(unary),
            }
    }
}

impl SavedWeights {
    fn nodes(&self) -> Result<usize> {
        match self {
            Self::Dense(matrix) => Ok(matrix.rows()),
            Self::Sparse { nodes, .. } if *nodes > u32::MAX as usize => Err(Error::parameter(
                "nodes",
                nodes,
                format!("at most {}", u32::MAX),
            )),
            Self::Sparse { nodes, .. } => Ok(*nodes),
        }
    }

    /// How many entries the file lists.
    fn listed(&self) -> u64 {
        match self {
            Self::Dense(matrix) => matrix.as_slice().len() as u64,
            Self::Sparse { entries, .. } => entries.len() as u64,
        }
    }

    fn weights(&self, name: &'static str) -> Result<Weights> {
        let (nodes, entries) = match self {
            Self::Dense(matrix) => return Ok(Weights::Dense(matrix.clone())),
            Self::Sparse { nodes, entries } => (*nodes, entries),
        };
        if let Some((i, j, _)) = entries.iter().find(|e| e.0 >= nodes || e.1 >= nodes) {
            return Err(Error::parameter(
                name,
                format!("an entry at ({i}, {j})"),
                format!("places within {nodes}×{nodes}"),
            ));
        }
        let listed = Csr::from_triplets(nodes, nodes, entries.iter().copied())?;
        Ok(Weights::Sparse(listed.filtered(|_, _, value| value != 0.0)))
    }
}

/// Refuses programs of n×m nodes that the file announces and does not make plausible.
fn reserve(n: usize, m: usize, listed: u64, options: &ProblemOptions) -> Result<()> {
    let (n, m) = (n as u64, m as u64);
    let needed = (n.saturating_mul(m).saturating_mul(8))
        .saturating_add(n.saturating_add(m).saturating_mul(48))
        .saturating_add(listed.saturating_mul(ENTRY_BYTES));
    options.reserve(
        &format!("a problem of {n}×{m} nodes"),
        needed,
        ANNOUNCED.saturating_add(listed.saturating_mul(1024)),
        &[Hint::CheckCounts, Hint::MoreMemory],
    )
}

/// The unary part, zeros when there is none, beside `listed` entries of W's description.
fn unary_part(
    unary: Option<&Matrix>,
    (n, m): (usize, usize),
    listed: usize,
    options: &ProblemOptions,
) -> Result<Matrix> {
    reserve(n, m, listed as u64, options)?;
    match unary {
        Some(unary) => shaped(unary, n, m),
        None => Ok(Matrix::zeros(n, m)),
    }
}

/// `matrix` when it is n×m; no row at all fits n = 0 whatever m, which JSON cannot say.
fn shaped(matrix: &Matrix, n: usize, m: usize) -> Result<Matrix> {
    if (matrix.rows(), matrix.cols()) == (n, m) {
        return Ok(matrix.clone());
    }
    if matrix.rows() == 0 && n == 0 {
        return Ok(Matrix::zeros(n, m));
    }
    Err(Error::parameter(
        "unary",
        format!("a {}×{} matrix", matrix.rows(), matrix.cols()),
        format!("{n}×{m}"),
    ))
}

/// The matrix, exactly symmetric; refused when it is not square and symmetric to 1e-9 of its largest
/// entry, the diagonal aside, which has no meaning here.
fn symmetric(name: &'static str, matrix: &Matrix) -> Result<Matrix> {
    let n = matrix.rows();
    if matrix.cols() != n {
        return Err(Error::parameter(
            name,
            format!("a {n}×{} matrix", matrix.cols()),
            "a square one",
        ));
    }
    let others = (0..n).flat_map(|i| (0..n).filter(move |&j| j != i).map(move |j| (i, j)));
    let largest = others.fold(0.0f64, |most, place| most.max(matrix[place].abs()));
    let mut even = matrix.clone();
    for i in 0..n {
        for j in 0..i {
            let (below, above) = (matrix[(i, j)], matrix[(j, i)]);
            if below != above {
                even[(i, j)] = 0.5 * below + 0.5 * above;
                even[(j, i)] = even[(i, j)];
            }
            if (below - above).abs() > 1e-9 * largest {
                return Err(Error::parameter(
                    name,
                    format!("{below} at ({i}, {j}) and {above} at ({j}, {i})"),
                    "a symmetric matrix",
                ));
            }
        }
    }
    Ok(even)
}
