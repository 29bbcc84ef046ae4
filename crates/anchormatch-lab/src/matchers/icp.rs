//! Iterated closest points, the simple baseline of point sets.
//!
//! The affine map (or the similarity, or the projective map) through the anchors puts the source points among
//! the targets; a one-to-one assignment within a gate pairs them; the map is fitted to the pairs; the gate
//! shrinks; and so on (Besl, McKay 1992, with anchors kept and the family told).

use anchormatch::linalg::Matrix;
use anchormatch::matcher::{Matcher, matching_of};
use anchormatch::settings::Settings;
use anchormatch::solver::{Solution, Status};
use anchormatch::task::Fact;
use anchormatch::{Assignment, Error, Matching, Monitor, Result, Task, assignment};

use super::without_parameters;

/// The family of maps that it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IcpFamily {
    /// Rotation, scale and translation.
    Similarity,
    /// A linear map and a translation.
    Affine,
}

/// The baseline.
#[derive(Debug, Clone, Copy)]
pub struct Icp(pub IcpFamily);

/// Rounds, the first and the last gate in pixels, and what the gate shrinks by.
const ROUNDS: usize = 40;
const GATES: (f64, f64) = (60.0, 8.0);
const SHRINK: f64 = 0.9;

/// Pulls the coefficients of a map that its pairs do not determine to zero.
const RIDGE: f64 = 1e-9;

impl Matcher for Icp {
    fn name(&self) -> &'static str {
        match self.0 {
            IcpFamily::Similarity => "icp-similarity",
            IcpFamily::Affine => "icp-affine",
        }
    }

    fn about(&self) -> &'static str {
        "Iterated closest points under a family of maps that is told"
    }

    fn parameters(&self) -> Settings {
        Settings::new()
    }

    fn configured(&self, settings: &Settings) -> Result<Box<dyn Matcher>> {
        without_parameters(self, settings)
    }

    fn facts(&self) -> &'static [Fact] {
        &[Fact::Points]
    }

    fn run(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Matching> {
        let Some([source, target]) = &task.facts().points else {
            return Err(Error::parameter("points", "none", "two sets of points"));
        };
        let anchors = task.anchors().hard();
        let (rows, columns) = task.anchors().free_nodes(task.source(), task.target());
        let mut pairs = anchors.to_vec();
        let mut found = Assignment::empty(rows.len());
        let mut gate = GATES.0;
        for _ in 0..ROUNDS {
            if pairs.len() < 2 || monitor.interrupted().is_some() {
                break;
            }
            let map = fit(self.0, source, target, &pairs);
            let most = gate * gate;
            let cost = Matrix::from_fn(rows.len(), columns.len(), |k, l| {
                let image = apply(&map, source.row(rows[k]));
                let [u, v] = [target[(columns[l], 0)], target[(columns[l], 1)]];
                ((u - image[0]).powi(2) + (v - image[1]).powi(2)).min(most)
            });
            found = assignment::minimise(&cost)?.columns;
            found.retain(|k, l| cost[(k, l)] < most);
            pairs = anchors.to_vec();
            pairs.extend(found.pairs().map(|(k, l)| (rows[k], columns[l])));
            gate = (gate * SHRINK).max(GATES.1);
        }
        let solution = Solution {
            objective: found.matched() as f64,
            assignment: found,
            soft: None,
            iterations: ROUNDS,
            status: Status::Converged,
            convergence: Vec::new(),
        };
        Ok(matching_of(task, solution))
    }
}

/// x ↦ (a x + b y + c, d x + e y + f).
type Map = [f64; 6];

fn apply(map: &Map, p: &[f64]) -> [f64; 2] {
    [
        map[0] * p[0] + map[1] * p[1] + map[2],
        map[3] * p[0] + map[4] * p[1] + map[5],
    ]
}

/// The map of least squares through pairs.
fn fit(family: IcpFamily, source: &Matrix, target: &Matrix, pairs: &[(usize, usize)]) -> Map {
    let count = pairs.len() as f64;
    let mean = |points: &Matrix, pick: fn(&(usize, usize)) -> usize| -> [f64; 2] {
        std::array::from_fn(|k| pairs.iter().map(|p| points[(pick(p), k)]).sum::<f64>() / count)
    };
    let (from, to) = (mean(source, |p| p.0), mean(target, |p| p.1));
    // Second moments: xx, xy, yy of the source, and the source by the target.
    let mut own = [RIDGE, 0.0, RIDGE];
    let mut cross = [[0.0; 2]; 2];
    for &(i, a) in pairs {
        let x = [source[(i, 0)] - from[0], source[(i, 1)] - from[1]];
        let y = [target[(a, 0)] - to[0], target[(a, 1)] - to[1]];
        own[0] += x[0] * x[0];
        own[1] += x[0] * x[1];
        own[2] += x[1] * x[1];
        for (row, y) in cross.iter_mut().zip(y) {
            row[0] += y * x[0];
            row[1] += y * x[1];
        }
    }
    let linear = match family {
        IcpFamily::Similarity => {
            let size = own[0] + own[2];
            let [cos, sin] = [
                (cross[0][0] + cross[1][1]) / size,
                (cross[1][0] - cross[0][1]) / size,
            ];
            [[cos, -sin], [sin, cos]]
        }
        IcpFamily::Affine => {
            let determinant = own[0] * own[2] - own[1] * own[1];
            cross.map(|row| {
                [
                    (row[0] * own[2] - row[1] * own[1]) / determinant,
                    (row[1] * own[0] - row[0] * own[1]) / determinant,
                ]
            })
        }
    };
    let shift: [f64; 2] =
        std::array::from_fn(|k| to[k] - linear[k][0] * from[0] - linear[k][1] * from[1]);
    [
        linear[0][0],
        linear[0][1],
        shift[0],
        linear[1][0],
        linear[1][1],
        shift[1],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::points::{PointsTask, ROWS};

    #[test]
    fn fits_are_exact_where_the_family_is_right() {
        let source = Matrix::from_vec(4, 2, vec![0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 1.0, 1.0]);
        for (family, map) in [
            (IcpFamily::Similarity, [1.2, -0.5, 4.0, 0.5, 1.2, -1.0]),
            (IcpFamily::Affine, [1.1, 0.5, 4.0, 0.05, 0.8, -1.0]),
        ] {
            let target = Matrix::from_fn(4, 2, |i, k| apply(&map, source.row(i))[k]);
            let pairs: Vec<_> = (0..4).map(|i| (i, i)).collect();
            for (found, wanted) in fit(family, &source, &target, &pairs).iter().zip(map) {
                assert!((found - wanted).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn it_finds_what_a_similarity_moved() {
        let task: &PointsTask = &ROWS[0];
        let row = task
            .measure(&Icp(IcpFamily::Similarity), None, 3, 5, &Monitor::silent())
            .unwrap();
        assert!(row.recall > 0.95 && row.precision > 0.95, "{row:?}");
    }
}
