//! The quadratic program of one or more layers, and its relaxation.
//!
//! Over matchings p of all nodes, the program's value is
//!
//! > Σ_k Σ_ij A_ij B_{p(i) p(j)} + Σ_k Σ_ij AB_{i p(j)} BA_{p(i) j} + Σ_i S_{i p(i)},
//!
//! over the layers k, the second sum being that of edges from one graph to the other and back (bisected
//! matching, Pedigo et al., *Bisected graph matching improves automated pairing of bilaterally homologous
//! neurons from connectomes*, Network Neuroscience 2023). With some pairs known it is, over doubly
//! stochastic X between the others,
//!
//! > f(X) = Σ ⟨A X Bᵀ, X⟩ + Σ ⟨AB Xᵀ BAᵀ, X⟩ + ⟨C, X⟩
//!
//! up to a constant, C being S and what the known pairs give (Fishkind et al., *Seeded graph matching*,
//! Pattern Recognition 87, 2019).

use super::super::frank_wolfe::{End, Form};
use super::super::relaxation::add;
use crate::assignment::Assignment;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, multiply_into, multiply_transposed_into};
use crate::problem::Weights;

/// The matrices of a layer, all square and of one size.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Between the nodes of the first graph.
    pub a: Weights,
    /// Between those of the second.
    pub b: Weights,
    /// From the first to the second and back, for bisected matching.
    pub crossing: Option<(Weights, Weights)>,
}

/// The whole program.
#[derive(Debug, Clone)]
pub struct Layers {
    nodes: usize,
    layers: Vec<Layer>,
    linear: Option<Matrix>,
}

impl Layers {
    /// The program of some layers and similarities S.
    ///
    /// # Errors
    /// When matrices differ in size, are not square or not finite.
    pub fn new(layers: Vec<Layer>, linear: Option<Matrix>) -> Result<Self> {
        let nodes = layers.first().map_or(0, |layer| layer.a.node_count());
        for layer in &layers {
            let crossing = layer.crossing.as_ref();
            let all = [
                ("A", Some(&layer.a)),
                ("B", Some(&layer.b)),
                ("AB", crossing.map(|pair| &pair.0)),
                ("BA", crossing.map(|pair| &pair.1)),
            ];
            for (name, weights) in all {
                let Some(weights) = weights else { continue };
                weights.check(name)?;
                if weights.node_count() != nodes {
                    let found = format!("a matrix of {} rows", weights.node_count());
                    return Err(Error::parameter(name, found, format!("{nodes} rows")));
                }
            }
        }
        if let Some(linear) = &linear
            && (linear.rows(), linear.cols()) != (nodes, nodes)
        {
            let found = format!("a {}×{} matrix", linear.rows(), linear.cols());
            return Err(Error::parameter("S", found, format!("{nodes}×{nodes}")));
        }
        Ok(Self {
            nodes,
            layers,
            linear,
        })
    }

    /// The number of nodes of either side.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes
    }

    /// Whether no matrix is sparse.
    #[must_use]
    pub fn is_dense(&self) -> bool {
        let dense = |weights: &Weights| matches!(weights, Weights::Dense(_));
        self.layers.iter().all(|layer| {
            let crossing = layer.crossing.as_ref();
            dense(&layer.a)
                && dense(&layer.b)
                && crossing.is_none_or(|(ab, ba)| dense(ab) && dense(ba))
        })
    }

    /// The value of a matching of all nodes.
    ///
    /// # Panics
    /// When a node has no partner.
    #[must_use]
    pub fn value(&self, matching: &Assignment) -> f64 {
        let owners = matching.inverse(self.nodes);
        let partner = |i: usize| matching.partner(i).expect("all nodes are matched");
        let owner = |c: usize| owners.partner(c).expect("all nodes are matched");
        let mut total = 0.0;
        for layer in &self.layers {
            for i in 0..self.nodes {
                let row = partner(i);
                layer.a.visit_row(i, |j, value| {
                    total += value * layer.b.get(row, partner(j));
                });
                if let Some((ab, ba)) = &layer.crossing {
                    ab.visit_row(i, |c, value| total += value * ba.get(row, owner(c)));
                }
            }
        }
        let linear = self.linear.as_ref();
        total + linear.map_or(0.0, |s| matching.pairs().map(|pair| s[pair]).sum())
    }
}

/// The nodes of the first and of the second graph that are fixed, or that are free.
type Sides = (Vec<usize>, Vec<usize>);

/// The relaxed program between the nodes that no known pair holds.
#[derive(Debug, Clone)]
pub struct Program {
    size: usize,
    /// C.
    constant: Vec<f64>,
    matrices: Vec<Weights>,
    terms: Vec<Term>,
}

/// left Y rightᵀ, Y being X or Xᵀ; `rows` is rightᵀ. All are places in the list of matrices.
#[derive(Debug, Clone, Copy)]
struct Term {
    left: usize,
    right: usize,
    rows: usize,
    crossed: bool,
}

impl Program {
    /// The relaxation with the pairs of `fixed` known; X has the rows and columns `free`, in that order.
    ///
    /// # Errors
    /// When sides differ in length, or a node is none of the program's.
    pub fn new(layers: &Layers, fixed: &Sides, free: &Sides) -> Result<Self> {
        for side in [fixed, free] {
            if side.0.len() != side.1.len() {
                let found = format!("{} and {}", side.0.len(), side.1.len());
                return Err(Error::parameter("nodes", found, "as many on either side"));
            }
            if let Some(node) = side.0.iter().chain(&side.1).find(|&&i| i >= layers.nodes) {
                let expected = format!("nodes below {}", layers.nodes);
                return Err(Error::parameter("nodes", node, expected));
            }
        }
        let size = free.0.len();
        let mut program = Self {
            size,
            constant: match &layers.linear {
                Some(linear) => linear.select(&free.0, &free.1).into_vec(),
                None => vec![0.0; size * size],
            },
            matrices: Vec::new(),
            terms: Vec::new(),
        };
        for layer in &layers.layers {
            let a = layer.a.select(&free.0, &free.0);
            let b = layer.b.select(&free.1, &free.1);
            program.add_straight(a, b);
            program.add_known(
                &to_fixed((&layer.a, &layer.a), &free.0, &fixed.0),
                &to_fixed((&layer.b, &layer.b), &free.1, &fixed.1),
            );
            if let Some((ab, ba)) = &layer.crossing {
                program.add_crossed(ab.select(&free.0, &free.1), ba.select(&free.1, &free.0));
                program.add_known(
                    &to_fixed((ab, ba), &free.0, &fixed.1),
                    &to_fixed((ba, ab), &free.1, &fixed.0),
                );
            }
        }
        Ok(program)
    }

    /// The rows of X.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// A X Bᵀ + Aᵀ X B; one term when a matrix is symmetric.
    fn add_straight(&mut self, a: Weights, b: Weights) {
        let first = self.matrices.len();
        if a.is_symmetric() || b.is_symmetric() {
            let (a, b) = if a.is_symmetric() {
                (a, b.plus_transposed(1.0))
            } else {
                (a.plus_transposed(1.0), b)
            };
            self.matrices.extend([a, b]);
            self.add_term((first, first + 1, first + 1), false);
        } else {
            let turned = (a.transposed(), b.transposed());
            self.matrices.extend([a, b, turned.0, turned.1]);
            self.add_term((first, first + 1, first + 3), false);
            self.add_term((first + 2, first + 3, first + 1), false);
        }
    }

    /// AB Xᵀ BAᵀ + BAᵀ Xᵀ AB.
    fn add_crossed(&mut self, ab: Weights, ba: Weights) {
        let first = self.matrices.len();
        let turned = (ab.transposed(), ba.transposed());
        self.matrices.extend([ab, ba, turned.0, turned.1]);
        self.add_term((first, first + 1, first + 3), true);
        self.add_term((first + 3, first + 2, first), true);
    }

    fn add_term(&mut self, (left, right, rows): (usize, usize, usize), crossed: bool) {
        self.terms.push(Term {
            left,
            right,
            rows,
            crossed,
        });
    }

    /// C += left rightᵀ.
    fn add_known(&mut self, left: &Matrix, right: &Matrix) {
        let n = self.size;
        if left.cols() == 0 {
            return;
        }
        let mut part = vec![0.0; n * n];
        let (left, right, known) = (left.as_slice(), right.as_slice(), left.cols());
        multiply_transposed_into(&mut part, left, right, n, known, n);
        add(&mut self.constant, &part);
    }

    /// The relaxation as Frank–Wolfe sees it.
    pub(super) fn form(&self) -> ProgramForm<'_> {
        let zeros = || vec![0.0; self.size * self.size];
        let crossed = self.terms.iter().any(|term| term.crossed);
        ProgramForm {
            program: self,
            half: zeros(),
            part: zeros(),
            turned: if crossed { zeros() } else { Vec::new() },
        }
    }
}

/// For each free node, its weights to the fixed ones in the first matrix, and those back in the second.
fn to_fixed((there, back): (&Weights, &Weights), free: &[usize], fixed: &[usize]) -> Matrix {
    Matrix::from_fn(free.len(), 2 * fixed.len(), |i, k| {
        if k < fixed.len() {
            there.get(free[i], fixed[k])
        } else {
            back.get(fixed[k - fixed.len()], free[i])
        }
    })
}

/// A program with the memory that its products need.
pub(super) struct ProgramForm<'p> {
    program: &'p Program,
    half: Vec<f64>,
    part: Vec<f64>,
    /// Xᵀ.
    turned: Vec<f64>,
}

impl Form for ProgramForm<'_> {
    fn linear(&self) -> Option<&[f64]> {
        Some(&self.program.constant)
    }

    fn image(&mut self, x: &[f64], out: &mut [f64]) {
        let n = self.program.size;
        for (k, slot) in self.turned.iter_mut().enumerate() {
            *slot = x[(k % n) * n + k / n];
        }
        out.fill(0.0);
        for term in &self.program.terms {
            let matrices = &self.program.matrices;
            let y = if term.crossed { &self.turned } else { x };
            matrices[term.left].multiply(y, &mut self.half, n);
            matrices[term.right].multiply_right(&self.half, &mut self.part, n);
            add(out, &self.part);
        }
    }

    fn image_of_end(&mut self, p: End<'_>, x: &[f64], out: &mut [f64]) {
        let End::Assignment(columns) = p else {
            return self.image(x, out);
        };
        let n = self.program.size;
        let owners = if self.turned.is_empty() {
            Assignment::default()
        } else {
            columns.inverse(n)
        };
        out.fill(0.0);
        for term in &self.program.terms {
            let matrices = &self.program.matrices;
            let y = if term.crossed { &owners } else { columns };
            self.part.fill(0.0);
            match (&matrices[term.left], &matrices[term.rows]) {
                (Weights::Dense(left), Weights::Dense(rows)) => {
                    for (row, (_, c)) in self.half.chunks_exact_mut(n).zip(y.pairs()) {
                        row.copy_from_slice(rows.row(c));
                    }
                    multiply_into(&mut self.part, left.as_slice(), &self.half, n, n, n);
                }
                (left, rows) => {
                    // Entries that are not zero alone count.
                    for (i, row) in self.part.chunks_exact_mut(n).enumerate() {
                        left.visit_row(i, |j, value| {
                            let c = y.partner(j).expect("a square assignment is full");
                            rows.visit_row(c, |d, other| row[d] += value * other);
                        });
                    }
                }
            }
            add(out, &self.part);
        }
    }
}
