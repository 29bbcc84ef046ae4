//! W as a short sum of products, the form in which searches follow a move in O(r n²).
//!
//! > W(ia, jb) = s Σᵣ Fᵣ_ij Gᵣ_ab   with zero diagonals, so that conflicting pairs are zero.
//!
//! A separable kernel has this form with r terms, a product form with symmetric factors with one,
//! and one with directed factors with two: ½ (A_ij B_ab + A_ji B_ba). When i leaves a for b and j
//! leaves b for a, the gradient of xᵀWx changes by s Σᵣ (Fᵣ_i· − Fᵣ_j·)ᵀ (Gᵣ_b· − Gᵣ_a·) alone.

use std::borrow::Cow;

use crate::linalg::Matrix;

/// The factors of W, row by row.
#[derive(Debug, Clone)]
pub struct LowRank<'w> {
    left: Rows<'w>,
    right: Rows<'w>,
    scale: f64,
}

/// The rows of one side's factors.
#[derive(Debug, Clone)]
pub(super) enum Rows<'w> {
    /// Entry (i, r, j) of one table: every factor symmetric, or antisymmetric on both sides.
    Interleaved {
        table: &'w [f64],
        terms: usize,
        nodes: usize,
    },
    /// One symmetric factor.
    Single(Cow<'w, Matrix>),
    /// A factor and its transpose.
    Mirrored(Cow<'w, Matrix>, Cow<'w, Matrix>),
}

impl Rows<'_> {
    fn terms(&self) -> usize {
        match self {
            Self::Interleaved { terms, .. } => *terms,
            Self::Single(_) => 1,
            Self::Mirrored(..) => 2,
        }
    }

    fn node_count(&self) -> usize {
        match self {
            Self::Interleaved { nodes, .. } => *nodes,
            Self::Single(matrix) | Self::Mirrored(matrix, _) => matrix.rows(),
        }
    }

    #[inline]
    fn row(&self, term: usize, node: usize) -> &[f64] {
        match self {
            Self::Interleaved {
                table,
                terms,
                nodes,
            } => {
                let from = (node * terms + term) * nodes;
                &table[from..from + nodes]
            }
            Self::Single(matrix) => matrix.row(node),
            Self::Mirrored(matrix, transposed) => {
                if term == 0 {
                    matrix.row(node)
                } else {
                    transposed.row(node)
                }
            }
        }
    }
}

impl<'w> LowRank<'w> {
    pub(super) fn new(left: Rows<'w>, right: Rows<'w>, scale: f64) -> Self {
        debug_assert_eq!(left.terms(), right.terms(), "as many factors on both sides");
        Self { left, right, scale }
    }

    /// r.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.left.terms()
    }

    /// s.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// n₁ and n₂.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.left.node_count(), self.right.node_count())
    }

    /// Row i of Fᵣ.
    #[must_use]
    #[inline]
    pub fn left(&self, term: usize, i: usize) -> &[f64] {
        self.left.row(term, i)
    }

    /// Row a of Gᵣ.
    #[must_use]
    #[inline]
    pub fn right(&self, term: usize, a: usize) -> &[f64] {
        self.right.row(term, a)
    }

    /// The term whose factors are the transposes of this one's.
    #[must_use]
    #[inline]
    pub fn mirror(&self, term: usize) -> usize {
        match self.left {
            Rows::Mirrored(..) => 1 - term,
            _ => term,
        }
    }

    /// The same program with the sides exchanged.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self {
            left: self.right,
            right: self.left,
            scale: self.scale,
        }
    }
}
