//! Moves between the modes of a posterior that leave it unchanged.
//!
//! Let p and q be two assignments, and π a permutation of the columns with π(p(i)) = q(i) for every row
//! that both match. The move x → π∘x leads from p to q, and a row that stands elsewhere in x than in p
//! stands in π∘x as far from q: who plays another's part goes on playing it. ρ, a permutation of the
//! rows with p(ρ(i)) = q(i), does the same with x → x∘ρ for columns. A list of permutations that holds
//! the inverse of each makes a symmetric proposal, so that Metropolis' rule accepts or refuses it as it
//! does any other. Where the modes are images of each other under a symmetry of the problem, every such
//! move is accepted.

use crate::assignment::Assignment;
use crate::problem::Problem;

/// The permutations between all pairs of modes.
pub(super) struct Jumps {
    moves: Vec<Move>,
    /// The assignment that the last proposal would lead to.
    proposed: Assignment,
}

enum Move {
    /// Every column becomes another.
    Columns(Vec<usize>),
    /// Every row takes the place of another.
    Rows(Vec<usize>),
}

impl Jumps {
    /// The moves between `modes`; none for fewer than two.
    pub(super) fn between(modes: &[Assignment], (n, m): (usize, usize)) -> Self {
        let mut moves = Vec::new();
        for (k, p) in modes.iter().enumerate() {
            for q in &modes[..k] {
                let together = p.iter().zip(q).filter_map(|(a, b)| Some((a?, b?)));
                let columns = completed(together, m);
                moves.push(Move::Columns(inverse(&columns)));
                moves.push(Move::Columns(columns));
                let owners = [p.inverse(m), q.inverse(m)];
                let both =
                    (0..m).filter_map(|a| Some((owners[1].partner(a)?, owners[0].partner(a)?)));
                let rows = completed(both, n);
                moves.push(Move::Rows(inverse(&rows)));
                moves.push(Move::Rows(rows));
            }
        }
        Self {
            moves,
            proposed: Assignment::empty(n),
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.moves.len()
    }

    /// Where move `k` leads from `partners` (n₂: none), if the candidates permit it.
    pub(super) fn propose(
        &mut self,
        k: usize,
        partners: &[usize],
        problem: &Problem,
    ) -> Option<&Assignment> {
        let m = problem.shape().1;
        for i in 0..self.proposed.rows() {
            let partner = match &self.moves[k] {
                Move::Columns(columns) => columns.get(partners[i]).copied(),
                Move::Rows(rows) => Some(partners[rows[i]]).filter(|&a| a < m),
            };
            self.proposed.set(i, partner);
        }
        let candidates = problem.candidates();
        let mut pairs = self.proposed.pairs();
        let permitted = candidates.is_all() || pairs.all(|(i, a)| candidates.allows(i, a));
        permitted.then_some(&self.proposed)
    }
}

/// The permutation of `size` places with these images; the others stay where they can.
fn completed(images: impl Iterator<Item = (usize, usize)>, size: usize) -> Vec<usize> {
    let mut image = vec![usize::MAX; size];
    let mut taken = vec![false; size];
    for (from, to) in images {
        image[from] = to;
        taken[to] = true;
    }
    for place in 0..size {
        if image[place] == usize::MAX && !taken[place] {
            image[place] = place;
            taken[place] = true;
        }
    }
    let mut open = (0..size).filter(|&to| !taken[to]);
    for slot in image.iter_mut().filter(|slot| **slot == usize::MAX) {
        *slot = open.next().expect("as many images as places are open");
    }
    image
}

fn inverse(permutation: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; permutation.len()];
    for (from, &to) in permutation.iter().enumerate() {
        inverse[to] = from;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;
    use crate::problem::{Coverage, ExplicitPairwise};
    use proptest::prelude::*;

    fn problem(n: usize, m: usize) -> Problem {
        let pairwise = ExplicitPairwise::new(n, m, Matrix::zeros(n * m, n * m)).unwrap();
        Problem::maximise(Matrix::zeros(n, m), Box::new(pairwise))
            .unwrap()
            .with_coverage(Coverage::Partial)
    }

    /// Partial assignments of n rows to m columns.
    fn assignments(n: usize, m: usize) -> impl Strategy<Value = Vec<Assignment>> {
        let order = Just((0..m + n).collect::<Vec<_>>()).prop_shuffle();
        let one = order.prop_map(move |order| {
            let partner = |&a: &usize| (a < m).then_some(a);
            order[..n].iter().map(partner).collect::<Assignment>()
        });
        proptest::collection::vec(one, 3)
    }

    proptest! {
        #[test]
        fn moves_lead_from_mode_to_mode_and_back(
            modes in (1..6usize, 1..6usize).prop_flat_map(|(n, m)| {
                (Just((n, m)), assignments(n, m))
            })
        ) {
            let ((n, m), modes) = modes;
            let problem = problem(n, m);
            let mut jumps = Jumps::between(&modes, (n, m));
            prop_assert_eq!(jumps.len(), 12);
            let partners = |p: &Assignment| -> Vec<usize> {
                p.iter().map(|a| a.unwrap_or(m)).collect()
            };
            for k in 0..jumps.len() {
                // The inverse stands beside each.
                for x in &modes {
                    let y = jumps.propose(k, &partners(x), &problem).unwrap().clone();
                    prop_assert!(problem.is_feasible(&y));
                    let back = jumps.propose(k ^ 1, &partners(&y), &problem).unwrap();
                    prop_assert_eq!(back, x);
                }
            }
            // From the second mode to the first: rows that both match arrive.
            let from = partners(&modes[1]);
            let matched = |i: usize| modes.iter().take(2).all(|mode| mode.partner(i).is_some());
            let y = jumps.propose(1, &from, &problem).unwrap().clone();
            for i in (0..n).filter(|&i| matched(i)) {
                prop_assert_eq!(y.partner(i), modes[0].partner(i));
            }
            let y = jumps.propose(3, &from, &problem).unwrap().clone();
            for (i, a) in modes[0].pairs() {
                if modes[1].pairs().any(|(_, b)| a == b) {
                    prop_assert_eq!(y.partner(i), Some(a));
                }
            }
        }
    }

    #[test]
    fn one_mode_has_no_jumps() {
        assert_eq!(Jumps::between(&[Assignment::identity(1)], (1, 1)).len(), 0);
        assert_eq!(Jumps::between(&[], (0, 3)).len(), 0);
    }
}
