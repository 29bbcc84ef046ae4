//! The constraints that an anchor can make, how much a matrix B violates them, and the working set.
//!
//! For the anchor (i, a), w_ibᵀBw_ib = θ_iᵀB₁₁θ_i + 2θ_iᵀB₁₂θ'_b + θ'_bᵀB₂₂θ'_b. In the margin against
//! w_iaᵀBw_ia the first term cancels and the last is shared by all anchors, so that one scan of all
//! n₁ + n₂ − 2 rivals of every anchor takes O((n₁ + n₂)(K² + |anchors| K)), and forms no constraint.
//! For constraint c the slack that it asks for is Ω_c(1 − margin_c).

use rayon::prelude::*;

use super::Metric;
use super::examples::{Examples, Side};
use super::factor::dot;
use crate::linalg::{Matrix, multiply_into, multiply_transposed_into};

/// The working set: what the master problem reads, and which rivals are in it.
pub(super) struct WorkingSet {
    /// Row c is w of the rival pair.
    pub(super) rivals: Matrix,
    /// Row c is w of the anchor's pair.
    pub(super) pairs: Matrix,
    /// Ω_c.
    pub(super) loss: Vec<f64>,
    /// The anchor of each constraint.
    pub(super) anchor: Vec<usize>,
    member: Vec<bool>,
    metric: Metric,
}

/// What a scan finds for one anchor.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Finding {
    /// The slack that the working set asks for.
    pub(super) working_slack: f64,
    /// The slack that all constraints ask for.
    pub(super) slack: f64,
    /// The least margin of a constraint.
    pub(super) least_margin: f64,
    /// The rivals outside the working set that ask for the most slack, if any asks for some. Equal graphs have each of them
    /// twice, once on either side; which of the two were taken would be left to rounding, and what is projected depends on it.
    candidates: Vec<usize>,
}

/// Slacks that differ by no more than this share are equal.
const EQUAL: f64 = 1e-9;

impl Finding {
    /// How much the worst constraint outside the working set is violated.
    pub(super) fn violation(&self) -> f64 {
        self.slack - self.working_slack
    }
}

impl WorkingSet {
    /// No constraint yet.
    pub(super) fn new(examples: &Examples<'_>, metric: Metric) -> Self {
        let d = examples.dimension(metric);
        Self {
            rivals: Matrix::zeros(0, d),
            pairs: Matrix::zeros(0, d),
            loss: Vec::new(),
            anchor: Vec::new(),
            member: vec![false; examples.anchors.len() * examples.rivals()],
            metric,
        }
    }

    /// The number of constraints.
    pub(super) fn len(&self) -> usize {
        self.loss.len()
    }

    /// Adds the candidates of each anchor whose violation is above `threshold`; returns how many.
    pub(super) fn add(
        &mut self,
        examples: &Examples<'_>,
        findings: &[Finding],
        threshold: f64,
    ) -> usize {
        let before = self.len();
        let (d, metric) = (examples.dimension(self.metric), self.metric);
        let grow = |matrix: &mut Matrix, first: &[f64], second: &[f64]| {
            let rows = matrix.rows() + 1;
            let mut data = std::mem::replace(matrix, Matrix::zeros(0, d)).into_vec();
            match metric {
                Metric::Joint => data.extend(first.iter().chain(second)),
                Metric::Shared => data.extend(first.iter().zip(second).map(|(x, y)| x - y)),
            }
            *matrix = Matrix::from_vec(rows, d, data);
        };
        for (k, finding) in findings.iter().enumerate() {
            if finding.violation() <= threshold {
                continue;
            }
            let anchor = examples.anchors[k];
            let own = (
                examples.source.row(anchor.source),
                examples.target.row(anchor.target),
            );
            for &rival in &finding.candidates {
                match examples.side(rival) {
                    Side::Target(b) => grow(&mut self.rivals, own.0, examples.target.row(b)),
                    Side::Source(j) => grow(&mut self.rivals, examples.source.row(j), own.1),
                }
                grow(&mut self.pairs, own.0, own.1);
                self.loss.push(examples.loss(k, rival));
                self.anchor.push(k);
                self.member[k * examples.rivals() + rival] = true;
            }
        }
        self.len() - before
    }

    /// Scans every rival of every anchor under B.
    pub(super) fn scan(&self, examples: &Examples<'_>, b: &Matrix) -> Vec<Finding> {
        let (source, target) = (examples.source, examples.target);
        let split = source.cols();
        let blocks = Blocks::new(b, split, self.metric);
        let source_square = squares(source, &blocks.first);
        let target_square = squares(target, &blocks.last);
        (0..examples.anchors.len())
            .into_par_iter()
            .map(|k| {
                let anchor = examples.anchors[k];
                let (own, partner) = (source.row(anchor.source), target.row(anchor.target));
                let to_target: Vec<f64> = (0..target.cols())
                    .map(|l| (0..split).map(|m| own[m] * blocks.cross[(m, l)]).sum())
                    .collect();
                let to_source: Vec<f64> = (0..split)
                    .map(|m| dot(blocks.cross.row(m), partner))
                    .collect();
                let at_target = |b: usize| target_square[b] + 2.0 * dot(&to_target, target.row(b));
                let at_source = |j: usize| source_square[j] + 2.0 * dot(&to_source, source.row(j));
                let (own_target, own_source) = (at_target(anchor.target), at_source(anchor.source));
                let member = &self.member[k * examples.rivals()..(k + 1) * examples.rivals()];
                let mut working_slack = 0.0_f64;
                let mut outside = 0.0_f64;
                let mut least_margin = f64::INFINITY;
                let mut open = Vec::with_capacity(examples.rivals());
                for rival in 0..examples.rivals() {
                    let margin = match examples.side(rival) {
                        Side::Target(b) if b == anchor.target => continue,
                        Side::Target(b) => at_target(b) - own_target,
                        Side::Source(j) if j == anchor.source => continue,
                        Side::Source(j) => at_source(j) - own_source,
                    };
                    let loss = examples.loss(k, rival);
                    if loss > 0.0 {
                        least_margin = least_margin.min(margin);
                    }
                    let needed = loss * (1.0 - margin);
                    if member[rival] {
                        working_slack = working_slack.max(needed);
                    } else if needed > 0.0 {
                        outside = outside.max(needed);
                        open.push((rival, needed));
                    }
                }
                let most = open
                    .iter()
                    .filter(|(_, needed)| *needed >= (1.0 - EQUAL) * outside);
                Finding {
                    working_slack,
                    slack: working_slack.max(outside),
                    least_margin,
                    candidates: most.map(|(rival, _)| *rival).collect(),
                }
            })
            .collect()
    }
}

/// B₁₁, B₁₂ and B₂₂.
pub(super) struct Blocks {
    pub(super) first: Matrix,
    pub(super) cross: Matrix,
    pub(super) last: Matrix,
}

impl Blocks {
    /// Cuts B after `split` rows and columns; those of a shared metric are M, −M and M.
    pub(super) fn new(b: &Matrix, split: usize, metric: Metric) -> Self {
        if metric == Metric::Shared {
            return Self {
                first: b.clone(),
                cross: Matrix::from_fn(split, split, |i, j| -b[(i, j)]),
                last: b.clone(),
            };
        }
        let rest = b.rows() - split;
        Self {
            first: Matrix::from_fn(split, split, |i, j| b[(i, j)]),
            cross: Matrix::from_fn(split, rest, |i, j| b[(i, split + j)]),
            last: Matrix::from_fn(rest, rest, |i, j| b[(split + i, split + j)]),
        }
    }
}

impl Blocks {
    /// √(wᵀBw) for every row of `source` against every row of `target`.
    pub(super) fn distances(&self, source: &Matrix, target: &Matrix) -> Matrix {
        let (n1, n2) = (source.rows(), target.rows());
        let (k1, k2) = (source.cols(), target.cols());
        let source_square = squares(source, &self.first);
        let target_square = squares(target, &self.last);
        let mut image = vec![0.0; n1 * k2];
        multiply_into(
            &mut image,
            source.as_slice(),
            self.cross.as_slice(),
            n1,
            k1,
            k2,
        );
        let mut distance = Matrix::zeros(n1, n2);
        multiply_transposed_into(
            distance.as_mut_slice(),
            &image,
            target.as_slice(),
            n1,
            k2,
            n2,
        );
        for i in 0..n1 {
            for (value, square) in distance.row_mut(i).iter_mut().zip(&target_square) {
                *value = (source_square[i] + square + 2.0 * *value).max(0.0).sqrt();
            }
        }
        distance
    }
}

/// xᵀBx for each row x.
pub(super) fn squares(features: &Matrix, b: &Matrix) -> Vec<f64> {
    let (n, k) = (features.rows(), features.cols());
    let mut image = vec![0.0; n * k];
    multiply_into(&mut image, features.as_slice(), b.as_slice(), n, k, k);
    (0..n)
        .map(|i| dot(features.row(i), &image[i * k..(i + 1) * k]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anchors::Anchor;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn a_scan_agrees_with_explicit_distances(
            (n1, n2, k1, k2) in (1usize..6, 1usize..6, 1usize..4, 1usize..4),
            seed in 0u32..1000,
        ) {
            let value = |i: usize, j: usize, shift: f64| {
                ((i * 13 + j * 7) as f64 + f64::from(seed) * 0.37 + shift).sin()
            };
            let source = Matrix::from_fn(n1, k1, |i, j| value(i, j, 0.0));
            let target = Matrix::from_fn(n2, k2, |i, j| value(i, j, 1.0));
            let source_loss = Matrix::from_fn(1, n1, |i, j| value(i, j, 2.0).abs());
            let target_loss = Matrix::from_fn(1, n2, |i, j| value(i, j, 3.0).max(0.0));
            let metric = if k1 == k2 && seed % 2 == 0 { Metric::Shared } else { Metric::Joint };
            let d = if metric == Metric::Shared { k1 } else { k1 + k2 };
            let root = Matrix::from_fn(d, d, |i, j| value(i, j, 4.0));
            let b = super::super::factor::product_transposed(&root, &root);
            let anchors = [Anchor::new(seed as usize % n1, n2 - 1, 1.0 )];
            let examples = Examples {
                source: &source,
                target: &target,
                anchors: &anchors,
                source_loss: &source_loss,
                target_loss: &target_loss,
            };
            let far = |i: usize, a: usize| {
                let w = match metric {
                    Metric::Joint => [source.row(i), target.row(a)].concat(),
                    Metric::Shared => (0..d).map(|k| source[(i, k)] - target[(a, k)]).collect(),
                };
                (0..d).map(|p| (0..d).map(|q| w[p] * b[(p, q)] * w[q]).sum::<f64>()).sum::<f64>()
            };
            let Anchor { source: i, target: a, .. } = anchors[0];
            let mut needed = vec![0.0_f64];
            needed.extend((0..n2).filter(|&x| x != a)
                .map(|x| target_loss[(0, x)] * (1.0 - far(i, x) + far(i, a))));
            needed.extend((0..n1).filter(|&x| x != i)
                .map(|x| source_loss[(0, x)] * (1.0 - far(x, a) + far(i, a))));
            let worst = needed.iter().copied().fold(0.0, f64::max);
            let mut set = WorkingSet::new(&examples, metric);
            let mut findings = set.scan(&examples, &b);
            prop_assert!((findings[0].slack - worst).abs() < 1e-10 * (1.0 + worst));
            prop_assert_eq!(findings[0].working_slack, 0.0);
            // Adding until nothing is violated takes each rival at most once.
            let mut added = 0;
            while set.add(&examples, &findings, 0.0) > 0 {
                added += 1;
                findings = set.scan(&examples, &b);
            }
            prop_assert_eq!(added, usize::from(worst > 0.0));
            prop_assert_eq!(findings[0].working_slack, findings[0].slack);
        }
    }
}
