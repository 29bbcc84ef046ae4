//! How much more likely two pairs of nodes look alike because they are the same pair: a model of
//! matched edges, its parameters taken from the data.
//!
//! A pair of nodes shows whether it is an edge, e ∈ {0, 1}, and if so its weight x. If (i, j) and
//! (a, b) are the same pair seen twice, what they show is drawn from a joint distribution; if not, from
//! each graph's own. The logarithm of the ratio is, in nats, the evidence of the one for the other:
//!
//! > g = ln P(e, e')/(P(e) P(e'))  +  e e' · ln N₂(x, y; μ, Σ)/(N(x; m, v) N(y; m', v')).
//!
//! The presences are four probabilities; the weights of edges that both graphs have are jointly
//! Gaussian. For complete graphs only the second part is left, and among matchings of all nodes it
//! orders by Σ x y, the quadratic assignment objective; for 0/1 weights only the first, which counts
//! conserved edges, each worth ln P₁₁P₀₀/(P₁₀P₀₁). A graph's unit and offset of weights cancel.
//!
//! The parameters come from a matching's own sufficient statistics ([`Agreement`]), with one
//! pseudo-observation of independence (a unit information prior), so a small matching claims little.
//! g is a polynomial, hence of rank at most four:
//!
//! > 2W = J ⊗ (c₀₀J + (c₀₁−c₀₀)E') + E ⊗ ((c₁₀−c₀₀)J + k E' + q_y y + q_yy y²) + (q_x x + q_xx x²) ⊗ E'
//! >      + q_xy x ⊗ y,     k = c₁₁−c₁₀−c₀₁+c₀₀ + q₀,
//!
//! so solvers never need n⁴ numbers. Where edges have directions, (i, j) and (j, i) are two observations, and
//!
//! > 2W(ia, jb) = g(x_ij, y_ab) + g(x_ji, y_ba).
//!
//! Each product F ⊗ G of g then stands for the products of the symmetric and of the antisymmetric parts of
//! F and G, ½ (F_ij G_ab + F_ji G_ba) = F⁺_ij G⁺_ab + F⁻_ij G⁻_ab.

mod agreement;
mod count_table;
mod crossing;
mod levels;
mod observations;

pub use agreement::Agreement;
pub(crate) use count_table::{CountTable, Seen, step};
pub(crate) use levels::information_of_counts;
pub use observations::{Observations, Scale, are_counts, are_lengths, has_heavy_tails};
pub(crate) use observations::{unit, weight_scores};

use crate::linalg::{Matrix, multiply_transposed_into};

/// The joint distribution of a pair of nodes seen twice, as log ratios against independence.
#[derive(Debug, Clone, PartialEq)]
pub struct PairModel {
    /// c_ee': the evidence of presences alone.
    presence: [[f64; 2]; 2],
    /// q: the evidence of two weights, constant first.
    weights: Quadratic,
    correlation: f64,
    /// y ≈ first + second · x.
    regression: (f64, f64),
}

/// constant + x·X + y·Y + xx·X² + yy·Y² + xy·XY.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Quadratic {
    constant: f64,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Quadratic {
    fn at(&self, x: f64, y: f64) -> f64 {
        self.constant + x * (self.x + self.xx * x) + y * (self.y + self.yy * y) + self.xy * x * y
    }
}

/// Which parts of W matter: a part that is the same for every assignment can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needed {
    /// Assignments differ in which source nodes they match.
    pub source_varies: bool,
    /// Assignments differ in which target nodes they match.
    pub target_varies: bool,
}

impl Needed {
    /// Everything.
    pub const ALL: Self = Self {
        source_varies: true,
        target_varies: true,
    };
}

impl PairModel {
    /// The model of graphs whose presences and weights correlate with `correlation`, before any
    /// matching is known.
    ///
    /// # Panics
    /// When the correlation is not in [0, 1).
    #[must_use]
    pub fn guess(source: &Observations, target: &Observations, correlation: f64) -> Self {
        assert!(
            (0.0..1.0).contains(&correlation),
            "a correlation from 0 to below 1"
        );
        let (p, q) = (source.density(), target.density());
        // The largest correlation that two densities allow is that of nested edges.
        let both = p * q + correlation * (p.min(q) - p * q);
        let spread = covariance(source.variance(), target.variance(), correlation);
        let mean = [source.mean(), target.mean()];
        let joint = [[1.0 - p - q + both, q - both], [p - both, both]];
        Self {
            presence: presence_evidence(joint, p, q),
            weights: weight_evidence(mean, spread, source, target),
            correlation,
            regression: regression(mean, spread),
        }
    }

    /// The model under which the matching with this agreement is most likely, with one observation of
    /// independent pairs added.
    #[must_use]
    pub fn fit(agreement: &Agreement, source: &Observations, target: &Observations) -> Self {
        let (p, q) = (source.density(), target.density());
        let independent = [
            [(1.0 - p) * (1.0 - q), (1.0 - p) * q],
            [p * (1.0 - q), p * q],
        ];
        let total = agreement.pairs() + 1.0;
        let joint =
            [0, 1].map(|e| [0, 1].map(|f| (agreement.counts[e][f] + independent[e][f]) / total));
        let n = agreement.counts[1][1] + 1.0;
        let background = [source.mean(), target.mean()];
        // Sums are about the background's means, which keeps them small.
        let shift = [agreement.sum_x / n, agreement.sum_y / n];
        let spread = [
            (agreement.sum_xx + source.variance()) / n - shift[0] * shift[0],
            (agreement.sum_xy) / n - shift[0] * shift[1],
            (agreement.sum_yy + target.variance()) / n - shift[1] * shift[1],
        ];
        let (x, y) = (spread[0].max(0.0), spread[2].max(0.0));
        let mean = [background[0] + shift[0], background[1] + shift[1]];
        let correlation = if x * y > 0.0 {
            (spread[1] / (x * y).sqrt()).clamp(-1.0, 1.0)
        } else {
            0.0
        };
        Self {
            presence: presence_evidence(joint, p, q),
            weights: weight_evidence(mean, [x, spread[1], y], source, target),
            correlation,
            regression: regression(mean, [x, spread[1], y]),
        }
    }

    /// The correlation of the weights of edges that both graphs have.
    #[must_use]
    pub fn correlation(&self) -> f64 {
        self.correlation
    }

    /// What the line of y on x makes of x, less y.
    #[must_use]
    pub fn residual(&self, x: f64, y: f64) -> f64 {
        self.regression.0 + self.regression.1 * x - y
    }

    /// ln P₁₁P₀₀/(P₁₀P₀₁): what a conserved edge tells beside two that are not.
    #[must_use]
    pub fn conserved_edge(&self) -> f64 {
        let c = &self.presence;
        c[1][1] + c[0][0] - c[1][0] - c[0][1]
    }

    /// q_xy: what the product of two weights tells.
    #[must_use]
    pub fn product_of_weights(&self) -> f64 {
        self.weights.xy
    }

    /// g: the evidence of two pairs of nodes for each other; `None` is no edge.
    #[must_use]
    pub fn evidence(&self, x: Option<f64>, y: Option<f64>) -> f64 {
        let presence = self.presence[usize::from(x.is_some())][usize::from(y.is_some())];
        match (x, y) {
            (Some(x), Some(y)) => presence + self.weights.at(x, y),
            _ => presence,
        }
    }

    /// The evidence that a pair of nodes and the same pair in the other graph give on average.
    #[must_use]
    pub fn information(&self, source: &Observations, target: &Observations) -> f64 {
        let (p, q) = (source.density(), target.density());
        let (source, target) = ([1.0 - p, p], [1.0 - q, q]);
        let mut sum = 0.0;
        for e in 0..2 {
            for f in 0..2 {
                let c = self.presence[e][f];
                let both = source[e] * target[f] * c.exp();
                sum += both * c;
                if e * f == 1 && self.weights != Quadratic::default() {
                    sum -= 0.5 * both * (1.0 - self.correlation * self.correlation).ln();
                }
            }
        }
        sum
    }

    /// The evidence of a whole matching with this agreement: Σ g over its pairs of pairs.
    #[must_use]
    pub fn total(
        &self,
        agreement: &Agreement,
        source: &Observations,
        target: &Observations,
    ) -> f64 {
        let mut sum = 0.0;
        for e in 0..2 {
            for f in 0..2 {
                sum += agreement.counts[e][f] * self.presence[e][f];
            }
        }
        // From sums about the background's means to raw ones.
        let (m, k) = (source.mean(), target.mean());
        let n = agreement.counts[1][1];
        let (sx, sy) = (agreement.sum_x, agreement.sum_y);
        let q = &self.weights;
        sum + q.constant * n
            + q.x * (sx + m * n)
            + q.y * (sy + k * n)
            + q.xx * (agreement.sum_xx + 2.0 * m * sx + m * m * n)
            + q.yy * (agreement.sum_yy + 2.0 * k * sy + k * k * n)
            + q.xy * (agreement.sum_xy + m * sy + k * sx + m * k * n)
    }

    /// The pairs (Fᵣ, Gᵣ) with W(ia, jb) = Σᵣ ½ (Fᵣ_ij Gᵣ_ab + Fᵣ_ji Gᵣ_ba) between the nodes `rows` and
    /// `columns`, without the parts that are not needed: W is ½ g, or ½ g in either direction.
    #[must_use]
    pub fn factors(
        &self,
        (source, rows): (&Observations, &[usize]),
        (target, columns): (&Observations, &[usize]),
        needed: Needed,
    ) -> Vec<(Matrix, Matrix)> {
        let complete = source.is_complete() && target.is_complete();
        let scale = if source.is_directed() { 1.0 } else { 0.5 };
        self.terms(needed, complete)
            .into_iter()
            .map(|(left, right)| {
                let mut f = left.table(source, rows, rows);
                f.as_mut_slice().iter_mut().for_each(|v| *v *= scale);
                (f, right.table(target, columns, columns))
            })
            .collect()
    }

    /// Whether only the presence of edges matters, so that the one factor pair is sparse.
    #[must_use]
    pub fn counts_edges(&self, needed: Needed) -> bool {
        let all = needed.source_varies || needed.target_varies;
        !all && self.weights == Quadratic::default()
    }

    /// Σ g(i p, a q) over the anchors (p, q): what they tell of each free pair, without the parts that
    /// are not needed.
    #[must_use]
    pub fn folded(
        &self,
        (source, rows): (&Observations, &[usize]),
        (target, columns): (&Observations, &[usize]),
        anchors: &[(usize, usize)],
        needed: Needed,
    ) -> Matrix {
        let (p, q): (Vec<usize>, Vec<usize>) = anchors.iter().copied().unzip();
        let mut unary = Matrix::zeros(rows.len(), columns.len());
        let mut part = vec![0.0; rows.len() * columns.len()];
        let complete = source.is_complete() && target.is_complete();
        let directions: &[bool] = if source.is_directed() {
            &[false, true]
        } else {
            &[false]
        };
        for (left, right) in self.terms(needed, complete) {
            for &back in directions {
                let table =
                    |side: &Side, observed: &Observations, own: &[usize], ends: &[usize]| {
                        if back {
                            side.table(observed, ends, own).transposed()
                        } else {
                            side.table(observed, own, ends)
                        }
                    };
                multiply_transposed_into(
                    &mut part,
                    table(&left, source, rows, &p).as_slice(),
                    table(&right, target, columns, &q).as_slice(),
                    rows.len(),
                    p.len(),
                    columns.len(),
                );
                for (slot, value) in unary.as_mut_slice().iter_mut().zip(&part) {
                    *slot += value;
                }
            }
        }
        unary
    }

    /// g as a sum of products of a function of x and one of y.
    fn terms(&self, needed: Needed, complete: bool) -> Vec<(Side, Side)> {
        let c = &self.presence;
        let q = &self.weights;
        let joint = c[1][1] - c[1][0] - c[0][1] + c[0][0] + q.constant;
        let any = needed.source_varies || needed.target_varies;
        let mut terms = Vec::new();
        if complete {
            // E and E' are J: everything constant falls together.
            if any {
                let constant = c[1][1] + q.constant;
                terms.push((Side::ONE, Side::new(0.0, constant, q.y, q.yy)));
            }
            if needed.source_varies {
                terms.push((Side::new(0.0, 0.0, q.x, q.xx), Side::ONE));
            }
        } else {
            if any {
                terms.push((Side::ONE, Side::new(c[0][0], c[0][1], 0.0, 0.0)));
            }
            let offset = if needed.source_varies {
                c[1][0] - c[0][0]
            } else {
                0.0
            };
            terms.push((Side::EDGE, Side::new(offset, offset + joint, q.y, q.yy)));
            if q.x != 0.0 || q.xx != 0.0 {
                terms.push((Side::new(0.0, 0.0, q.x, q.xx), Side::EDGE));
            }
        }
        if q.xy != 0.0 {
            terms.push((
                Side::new(0.0, 0.0, 1.0, 0.0),
                Side::new(0.0, 0.0, q.xy, 0.0),
            ));
        }
        terms
    }
}

/// A function of what one graph shows: a constant where there is no edge, else a quadratic.
#[derive(Debug, Clone, Copy)]
struct Side {
    absent: f64,
    constant: f64,
    linear: f64,
    square: f64,
}

impl Side {
    const ONE: Self = Self::new(1.0, 1.0, 0.0, 0.0);
    const EDGE: Self = Self::new(0.0, 1.0, 0.0, 0.0);

    const fn new(absent: f64, constant: f64, linear: f64, square: f64) -> Self {
        Self {
            absent,
            constant,
            linear,
            square,
        }
    }

    /// Its values between the nodes `rows` and `columns`; 0 from a node to itself.
    fn table(&self, observations: &Observations, rows: &[usize], columns: &[usize]) -> Matrix {
        Matrix::from_fn(rows.len(), columns.len(), |k, l| {
            let (i, j) = (rows[k], columns[l]);
            if i == j {
                return 0.0;
            }
            self.at(observations.get(i, j))
        })
    }

    /// Its value of what is shown.
    fn at(&self, observed: Option<f64>) -> f64 {
        observed.map_or(self.absent, |x| {
            self.constant + x * (self.linear + self.square * x)
        })
    }
}

/// v, cov and v' at a correlation.
fn covariance(v: f64, w: f64, correlation: f64) -> [f64; 3] {
    [v, correlation * (v * w).sqrt(), w]
}

/// The line of y on x.
fn regression(mean: [f64; 2], [v, c, _]: [f64; 3]) -> (f64, f64) {
    let slope = if v > 0.0 { c / v } else { 0.0 };
    (mean[1] - slope * mean[0], slope)
}

/// c_ee' = ln P(e, e')/(P(e) P(e')); 0 where a presence never occurs.
fn presence_evidence(joint: [[f64; 2]; 2], p: f64, q: f64) -> [[f64; 2]; 2] {
    let (source, target) = ([1.0 - p, p], [1.0 - q, q]);
    [0, 1].map(|e| {
        [0, 1].map(|f| {
            let alone = source[e] * target[f];
            if alone > 0.0 && joint[e][f] > 0.0 {
                (joint[e][f] / alone).ln()
            } else {
                0.0
            }
        })
    })
}

/// ln N₂(x, y; mean, spread)/(N(x) N(y)) as a polynomial; 0 where a graph's weights are all the same.
fn weight_evidence(
    mean: [f64; 2],
    [v, c, w]: [f64; 3],
    source: &Observations,
    target: &Observations,
) -> Quadratic {
    let determinant = v * w - c * c;
    let (v0, w0) = (source.variance(), target.variance());
    if !(v0 > 0.0 && w0 > 0.0 && determinant > 0.0) {
        return Quadratic::default();
    }
    // −½ (z − μ)ᵀ Σ⁻¹ (z − μ), expanded.
    let (a, b, d) = (w / determinant, -c / determinant, v / determinant);
    let [m, k] = mean;
    let (m0, k0) = (source.mean(), target.mean());
    Quadratic {
        constant: 0.5 * (v0 * w0 / determinant).ln()
            - 0.5 * (a * m * m + 2.0 * b * m * k + d * k * k)
            + 0.5 * (m0 * m0 / v0 + k0 * k0 / w0),
        x: a * m + b * k - m0 / v0,
        y: d * k + b * m - k0 / w0,
        xx: -0.5 * a + 0.5 / v0,
        yy: -0.5 * d + 0.5 / w0,
        xy: -b,
    }
}

#[cfg(test)]
mod tests;
