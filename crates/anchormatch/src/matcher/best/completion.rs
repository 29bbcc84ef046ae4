//! Stage *matching*, for those who want everything matched.

use super::evidence::Evidence;
use super::found::Found;
use crate::affinity::likelihood::Needed;
use crate::assignment;
use crate::assignment::Assignment;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::monitor::Monitor;

/// The matching filled up until the smaller side is matched: who is left over goes where the
/// matched ones point to.
pub(super) fn complete(
    evidence: &Evidence<'_>,
    found: &Found,
    marginals: &Matrix,
    monitor: &Monitor,
) -> Result<Assignment> {
    let (n, m) = evidence.shape();
    let mut assignment = found.assignment.clone();
    if assignment.matched() == n.min(m) {
        return Ok(assignment);
    }
    let mut is_free = vec![true; m];
    for (_, a) in assignment.pairs() {
        is_free[a] = false;
    }
    let rows: Vec<usize> = (0..n)
        .filter(|&i| assignment.partner(i).is_none())
        .collect();
    let columns: Vec<usize> = (0..m).filter(|&a| is_free[a]).collect();
    let nodes = |own: &[usize], places: &[usize]| -> Vec<usize> {
        places.iter().map(|&k| own[k]).collect()
    };
    let matched = evidence.matched(&assignment);
    let own = nodes(&evidence.free.source, &rows);
    let other = nodes(&evidence.free.target, &columns);
    let mut votes = found.model.pairs.folded(
        (&evidence.observed.source, &own),
        (&evidence.observed.target, &other),
        &matched,
        Needed::ALL,
    );
    for (view, model) in evidence.observed.further.iter().zip(&found.model.further) {
        let more = view.folded(model, (&own, &other), &matched, Needed::ALL);
        let values = votes.as_mut_slice().iter_mut().zip(more.as_slice());
        values.for_each(|(slot, nats)| *slot += nats);
    }
    let score = Matrix::from_fn(rows.len(), columns.len(), |k, l| {
        let (i, a) = (rows[k], columns[l]);
        let known = evidence.known_at(&found.model, i, a);
        votes[(k, l)] + known + marginals[(i, a)]
    });
    let filled = assignment::maximise_within(&score, monitor)?;
    for (k, l) in filled.columns.pairs() {
        assignment.set(rows[k], Some(columns[l]));
    }
    Ok(assignment)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Planted;
    use super::*;
    use crate::matcher::Log;

    #[test]
    fn who_is_left_over_goes_where_the_matched_ones_point_to() {
        let planted = Planted::new(10, 2);
        planted.with_search(|_, search| {
            let mut found = search.most_likely(None, &mut Log::default()).unwrap();
            let right = found.assignment.clone();
            for i in [1, 4, 6] {
                found.assignment.set(i, None);
            }
            let nothing = Matrix::zeros(right.rows(), right.rows());
            let silent = Monitor::silent();
            let filled = complete(search.evidence, &found, &nothing, &silent).unwrap();
            assert_eq!(filled, right);
        });
    }
}
