//! Stage *exchanges*: the marginals of all pairs by chains over lists.
//!
//! Where neighbours are joined among themselves, whole patches of a wrong matching keep as many edges as the right one, and chains
//! that move one node at a time stay in the patch where they began. Those of the sparse regime propose along edges, are led through
//! heat by the steps to the anchors, and count what edges say as far as it is to be believed: stage *sampling* there. They begin with
//! the matching that was found over all pairs, and what they say takes the place of the marginals.

use super::evidence::Evidence;
use super::found::Found;
use super::marginals::{Marginals, decoded, mean_of_pairs};
use super::thresholds::SURE_ENOUGH;
use super::{Best, Effort, sparse};
use crate::error::Result;
use crate::linalg::{Csr, Matrix};
use crate::matcher::assemble::FreeNodes;
use crate::monitor::Monitor;
use crate::problem::Coverage;
use crate::task::Task;

/// Whether they are asked, as far as the matching and the graphs say.
pub(super) fn are_asked(
    preset: &Best,
    task: &Task<'_>,
    evidence: &Evidence<'_>,
    found: &Found,
) -> bool {
    preset.effort == Effort::Best
        && preset.solver.is_none()
        && found.coverage == Coverage::Full
        && sparse::may_exchange(task, &evidence.matched(&found.assignment))
}

/// The marginals that they come to, and the matching with the most right pairs by these; as they were where hardly a pair is in
/// doubt, and where a stop comes too soon.
pub(super) fn sample(
    preset: &Best,
    task: &Task<'_>,
    (evidence, found): (&Evidence<'_>, &Found),
    marginals: &mut Marginals,
    monitor: &Monitor,
) -> Result<()> {
    if mean_of_pairs(found, &marginals.values) >= SURE_ENOUGH {
        return Ok(());
    }
    let pairs = evidence.matched(&found.assignment);
    let Some(exchanged) = sparse::exchanged(preset, task, &pairs, monitor) else {
        return Ok(());
    };
    write(&mut marginals.values, &exchanged.shares, evidence.free);
    marginals.belief = f64::from(exchanged.belief);
    marginals.decoded = Some(decoded(&marginals.values, found)?);
    Ok(())
}

/// Shares of all nodes as values of the free ones.
fn write(values: &mut Matrix, shares: &Csr<f32>, free: &FreeNodes) {
    let mut places = vec![None; shares.cols()];
    for (place, &a) in free.target.iter().enumerate() {
        places[a] = Some(place);
    }
    values.as_mut_slice().fill(0.0);
    for (row, &i) in free.source.iter().enumerate() {
        for (a, share) in shares.row(i) {
            if let Some(column) = places[a] {
                values[(row, column)] = f64::from(share);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_nodes_come_to_the_places_of_free_ones() {
        let rows: [&[(usize, f32)]; 3] = [&[(0, 0.5), (3, 0.25)], &[(1, 1.0)], &[(2, 0.75)]];
        let rows = rows.map(|row| row.iter().copied());
        let shares = Csr::from_rows(4, rows).unwrap();
        // Node 1 and its partner are an anchor.
        let free = FreeNodes {
            source: vec![0, 2],
            target: vec![0, 2, 3],
        };
        let mut values = Matrix::zeros(2, 3);
        values.as_mut_slice().fill(9.0);
        write(&mut values, &shares, &free);
        assert_eq!(values.as_slice(), [0.5, 0.0, 0.25, 0.0, 0.75, 0.0]);
    }
}
