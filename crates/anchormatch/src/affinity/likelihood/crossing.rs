//! The evidence of edges between the two sides.
//!
//! Of the partners ia and jb, the edge from i to b and the one from a to j are the same edge seen twice, as
//! are those from j to a and from b to i:
//!
//! > 2W(ia, jb) = g(x_ib, y_aj) + g(x_ja, y_bi).
//!
//! What the edges between i and its own partner say, g(x_ia, y_ai), is of first order.

use super::{Agreement, Needed, Observations, PairModel, Side};
use crate::linalg::{Matrix, multiply_transposed_into};

impl Agreement {
    /// The agreement of the edges between the sides on a matching's nodes.
    ///
    /// # Complexity
    /// O(k²) for k matched nodes.
    #[must_use]
    pub fn of_crossing(
        matched: &[(usize, usize)],
        there: &Observations,
        back: &Observations,
    ) -> Self {
        let mut agreement = Self::default();
        for &(i, a) in matched {
            for &(j, b) in matched {
                agreement.add(there.get(i, b), back.get(a, j), there, back, 1.0);
            }
        }
        agreement
    }
}

impl PairModel {
    /// The pairs (Fᵣ, Gᵣ) with W(ia, jb) = Σᵣ ½ (Fᵣ_ib Gᵣ_aj + Fᵣ_ja Gᵣ_bi) between the nodes `rows` and
    /// `columns`, without the parts that are not needed.
    #[must_use]
    pub fn crossing_factors(
        &self,
        [there, back]: [&Observations; 2],
        (rows, columns): (&[usize], &[usize]),
        needed: Needed,
    ) -> Vec<(Matrix, Matrix)> {
        let complete = there.is_complete() && back.is_complete();
        let terms = self.terms(needed, complete).into_iter();
        terms
            .map(|(left, right)| {
                let f = left.between(there, rows, columns);
                (f, right.between(back, columns, rows))
            })
            .collect()
    }

    /// What the edges between the sides tell of each free pair by themselves and with the anchors (p, q),
    /// without the parts that are not needed: g(x_ia, y_ai) + Σ g(x_iq, y_ap) + g(x_pa, y_qi).
    #[must_use]
    pub fn crossing_folded(
        &self,
        [there, back]: [&Observations; 2],
        (rows, columns): (&[usize], &[usize]),
        anchors: &[(usize, usize)],
        needed: Needed,
    ) -> Matrix {
        let (p, q): (Vec<usize>, Vec<usize>) = anchors.iter().copied().unzip();
        let complete = there.is_complete() && back.is_complete();
        let (n, m) = (rows.len(), columns.len());
        let mut unary = Matrix::zeros(n, m);
        let mut part = vec![0.0; n * m];
        for (left, right) in self.terms(needed, complete) {
            let outward = (
                left.between(there, rows, &q),
                right.between(back, columns, &p),
            );
            let inward = (
                right.between(back, &q, rows).transposed(),
                left.between(there, &p, columns).transposed(),
            );
            for (own, other) in [outward, inward] {
                let (own, other) = (own.as_slice(), other.as_slice());
                multiply_transposed_into(&mut part, own, other, n, p.len(), m);
                let values = unary.as_mut_slice().iter_mut().zip(&part);
                values.for_each(|(slot, value)| *slot += value);
            }
            for (k, &i) in rows.iter().enumerate() {
                for (l, &a) in columns.iter().enumerate() {
                    unary[(k, l)] += left.at(there.get(i, a)) * right.at(back.get(a, i));
                }
            }
        }
        unary
    }

    /// g(x_ib, y_aj) + g(x_ja, y_bi): what two pairs tell of each other.
    #[must_use]
    pub fn crossing(
        &self,
        (there, back): (&Observations, &Observations),
        (i, a): (usize, usize),
        (j, b): (usize, usize),
    ) -> f64 {
        self.evidence(there.get(i, b), back.get(a, j))
            + self.evidence(there.get(j, a), back.get(b, i))
    }
}

impl Side {
    /// Its values between nodes of the two sides.
    fn between(&self, observed: &Observations, rows: &[usize], columns: &[usize]) -> Matrix {
        Matrix::from_fn(rows.len(), columns.len(), |k, l| {
            self.at(observed.get(rows[k], columns[l]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affinity::likelihood::Scale;
    use crate::linalg::Csr;

    fn table(rows: usize, cols: usize, shift: usize) -> Csr<f64> {
        let pairs = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
        let number = |i: usize, j: usize| (7 * i * i + 13 * j * j + 5 * i * j + shift) % 23;
        let entries = pairs.filter(|&(i, j)| number(j, i) % 3 == 0);
        let entries: Vec<_> = entries
            .map(|(i, j)| (i, j, 1.0 + number(i, j) as f64))
            .collect();
        Csr::from_triplets(rows, cols, entries).unwrap()
    }

    /// Factors and folded parts are g, pair of pairs by pair of pairs.
    #[test]
    fn everything_is_the_sum_of_its_evidence() {
        for scale in [Scale::Counts, Scale::AsGiven] {
            let there = Observations::of_table(&table(6, 7, 1), scale);
            let back = Observations::of_table(&table(7, 6, 4), scale);
            let model = PairModel::guess(&there, &back, 0.7);
            let (rows, columns) = ([1, 2, 4, 5], [0, 2, 3, 6]);
            let anchors = [(0, 1), (3, 5)];
            let both = [&there, &back];
            let factors = model.crossing_factors(both, (&rows, &columns), Needed::ALL);
            let folded = model.crossing_folded(both, (&rows, &columns), &anchors, Needed::ALL);
            for (k, &i) in rows.iter().enumerate() {
                for (l, &a) in columns.iter().enumerate() {
                    let own = model.evidence(there.get(i, a), back.get(a, i));
                    let known = anchors.map(|pair| model.crossing((&there, &back), (i, a), pair));
                    let wanted = own + known.iter().sum::<f64>();
                    assert!((folded[(k, l)] - wanted).abs() < 1e-9, "{scale:?}");
                    let (k2, l2) = ((k + 1) % 4, (l + 2) % 4);
                    let (j, b) = (rows[k2], columns[l2]);
                    let found: f64 = factors
                        .iter()
                        .map(|(f, g)| f[(k, l2)] * g[(l, k2)] + f[(k2, l)] * g[(l2, k)])
                        .sum();
                    let wanted = model.crossing((&there, &back), (i, a), (j, b));
                    assert!((found - wanted).abs() < 1e-9, "{scale:?}");
                }
            }
        }
    }

    #[test]
    fn agreement_and_total_count_every_edge_once() {
        let there = Observations::of_table(&table(5, 5, 1), Scale::AsGiven);
        let back = Observations::of_table(&table(5, 5, 4), Scale::AsGiven);
        let matched = [(0, 1), (2, 0), (3, 3)];
        let agreement = Agreement::of_crossing(&matched, &there, &back);
        assert_eq!(agreement.pairs(), 9.0);
        let model = PairModel::guess(&there, &back, 0.5);
        let mut wanted = 0.0;
        for (place, &(i, a)) in matched.iter().enumerate() {
            wanted += model.evidence(there.get(i, a), back.get(a, i));
            for &other in &matched[..place] {
                wanted += model.crossing((&there, &back), (i, a), other);
            }
        }
        assert!((model.total(&agreement, &there, &back) - wanted).abs() < 1e-9);
    }
}
