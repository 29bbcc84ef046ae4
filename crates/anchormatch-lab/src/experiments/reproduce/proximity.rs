//! What the learned proximity says of a pair of nodes.
//!
//! A distance between the nodes of two graphs that is a function of the row plus one of the column says nothing about
//! who belongs to whom: every assignment of everybody has the same sum. So each first-order distance d is taken apart
//! as in a two-way analysis of variance, d_ia = m + r_i + c_a + e_ia, and the share of rows and columns in its variance
//! stands beside the accuracy of a linear assignment on d alone; on isomorphic graphs, where a distance that compares
//! can be right everywhere, on noisy ones, and with more anchors to learn from.

use anchormatch::affinity::first_order::heat_to_each_anchor;
use anchormatch::affinity::proximity::{Learner, Metric};
use anchormatch::linalg::Matrix;
use anchormatch::matcher::Paper;
use anchormatch::{Monitor, Result, assignment};
use anchormatch_generate::{Synthetic, house};
use rayon::prelude::*;

use super::ablations::random_pairs;
use super::estimate::{Clustered, Estimate};
use super::experiment::Setup;
use super::films::{ANCHOR_COUNTS, Film};
use super::protocol::Point;
use crate::experiments::Trial;
use crate::matchers::{Heat, Loss, Workbench};

/// Trials of each kind at most.
const TRIALS: usize = 100;

/// A kind of pairs, a distance, and its figures for each of [`ANCHOR_COUNTS`].
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// The pairs.
    pub(super) kind: &'static str,
    /// The distance.
    pub(super) distance: &'static str,
    /// The share of rows and columns in the variance of the distance.
    pub(super) shares: [Estimate; 3],
    /// The accuracy of a linear assignment on it.
    pub(super) accuracies: [Estimate; 3],
}

/// Distances with the share of rows and columns and the accuracy of each.
type Figures = Vec<(&'static str, [f64; 2])>;

/// All rows.
///
/// # Errors
/// When a trial cannot be made or B not be learned.
pub(super) fn rows(setup: &Setup, monitor: &Monitor) -> Result<Vec<Row>> {
    let trials = setup.scale.ablations.min(TRIALS);
    let most = ANCHOR_COUNTS[ANCHOR_COUNTS.len() - 1];
    let graphs = |noise: f64| {
        let graphs = Synthetic {
            noise,
            ..Synthetic::default()
        };
        Point::synthetic("proximity", graphs, most, trials, setup.seed)
    };
    let mut kinds = vec![
        ("isomorphic random graphs", graphs(0.0)),
        ("random graphs, σ = 0.2", graphs(0.2)),
    ];
    if let Ok(film) = &setup.hotel {
        let far = |from: usize, to: usize| (60..=90).contains(&(to - from));
        let name = "proximity hotel";
        let point = random_pairs(film, name, (most, trials), setup.seed, far);
        kinds.push(("Hotel, frames 60 to 90 apart", point));
    }
    let views: Vec<house::View> = house::grid().collect();
    let far =
        |from: usize, to: usize| (views[from].pan_degrees - views[to].pan_degrees).abs() >= 25.0;
    let film = Film::our_house();
    let point = random_pairs(&film, "proximity house", (most, trials), setup.seed, far);
    kinds.push(("our house, pans 25° apart or more", point));
    let mut rows = Vec::new();
    for (kind, point) in kinds {
        rows.extend(rows_of(kind, &point, monitor)?);
    }
    Ok(rows)
}

fn rows_of(kind: &'static str, point: &Point, monitor: &Monitor) -> Result<Vec<Row>> {
    // By distance, then by the number of anchors.
    let mut figures: Vec<(&'static str, [Vec<[f64; 2]>; 3])> = Vec::new();
    let of_trial = |k: usize| {
        let trial = point.trial(k)?;
        let by_count = ANCHOR_COUNTS.map(|count| figures_of(&trial, count, monitor));
        by_count.into_iter().collect()
    };
    let trials: Vec<Vec<Figures>> = (0..point.trials)
        .into_par_iter()
        .map(of_trial)
        .collect::<Result<_>>()?;
    for trial in trials {
        for (place, of_count) in trial.into_iter().enumerate() {
            for (slot, (name, pair)) in of_count.into_iter().enumerate() {
                if figures.len() == slot {
                    figures.push((name, <[Vec<[f64; 2]>; 3]>::default()));
                }
                figures[slot].1[place].push(pair);
            }
        }
    }
    let rows = figures.into_iter().map(|(distance, by_count)| {
        let estimate = |which: usize| {
            [0, 1, 2].map(|place: usize| {
                let trials = by_count[place].iter().zip(0..);
                let values: Vec<Clustered<f64>> = trials
                    .map(|(pair, trial)| Clustered {
                        clusters: [trial; 2],
                        value: pair[which],
                    })
                    .collect();
                Estimate::mean(&values)
            })
        };
        Row {
            kind,
            distance,
            shares: estimate(0),
            accuracies: estimate(1),
        }
    });
    Ok(rows.collect())
}

/// Share and accuracy of every distance on a trial that is told its first `count` anchors.
fn figures_of(trial: &Trial, count: usize, monitor: &Monitor) -> Result<Figures> {
    let trial = Trial {
        instance: trial.instance.clone(),
        anchors: trial.anchors[..count.min(trial.anchors.len())].to_vec(),
    };
    let task = trial.task()?;
    let bench = Workbench::new(&task, monitor);
    let heat = bench.heat(Paper::default().tau)?;
    let distances = distances(&bench, &heat)?;
    let right = |i: usize, a: usize| {
        let pair = (bench.free[0][i], bench.free[1][a]);
        trial.instance.truth.contains(&pair)
    };
    let figures = distances.into_iter().map(|(name, distance)| {
        let found = assignment::minimise(&distance)?.columns;
        let pairs = found.pairs().filter(|&(i, a)| right(i, a)).count();
        let accuracy = pairs as f64 / bench.free[0].len().max(1) as f64;
        Ok((name, [additive_share(&distance), accuracy]))
    });
    figures.collect()
}

fn distances(bench: &Workbench<'_>, heat: &Heat) -> Result<Vec<(&'static str, Matrix)>> {
    let count = Paper::default().eigenvectors;
    let joint = Learner::default();
    let mut shared = joint;
    shared.metric = Metric::Shared;
    let kernels = [&heat.kernels[0], &heat.kernels[1]];
    let [source, target] = [0, 1].map(|g| heat.spectra[g].squared_eigenvectors(count));
    let plain = Matrix::from_fn(bench.free[0].len(), bench.free[1].len(), |i, a| {
        let pairs = source.row(bench.free[0][i]).iter();
        let pairs = pairs.zip(target.row(bench.free[1][a]));
        pairs.map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
    });
    Ok(vec![
        (
            "d_B",
            bench.proximity(heat, count, &joint, Loss::Diffusion)?,
        ),
        (
            "one metric M",
            bench.proximity(heat, count, &shared, Loss::Diffusion)?,
        ),
        ("‖θ − θ'‖, nothing learned", plain),
        ("d_ap", bench.heat_to_anchors(heat)),
        (
            "d_ap, each anchor",
            heat_to_each_anchor(kernels, bench.anchors, &bench.free[0], &bench.free[1]),
        ),
    ])
}

/// The share of a matrix's variance that row means and column means explain.
fn additive_share(matrix: &Matrix) -> f64 {
    let (n, m) = (matrix.rows(), matrix.cols());
    let mean = matrix.mean();
    let rows: Vec<f64> = (0..n)
        .map(|i| matrix.row(i).iter().sum::<f64>() / m as f64 - mean)
        .collect();
    let columns: Vec<f64> = (0..m)
        .map(|a| (0..n).map(|i| matrix[(i, a)]).sum::<f64>() / n as f64 - mean)
        .collect();
    let (mut total, mut explained) = (0.0, 0.0);
    for (i, row) in rows.iter().enumerate() {
        for (a, column) in columns.iter().enumerate() {
            total += (matrix[(i, a)] - mean).powi(2);
            explained += (row + column).powi(2);
        }
    }
    if total > 0.0 { explained / total } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::reproduce::Scale;
    use anchormatch::error::Hint;

    #[test]
    fn sums_of_rows_and_columns_are_explained_and_products_are_not() {
        let sum = Matrix::from_fn(4, 5, |i, a| (i * i) as f64 + 3.0 * a as f64);
        assert!((additive_share(&sum) - 1.0).abs() < 1e-12);
        let product = Matrix::from_fn(4, 6, |i, a| (i as f64 - 1.5) * (a as f64 - 2.5));
        assert!(additive_share(&product) < 1e-12);
    }

    #[test]
    fn b_of_two_blocks_is_mostly_rows_and_columns_and_one_metric_compares() {
        let setup = Setup::new(None, Scale::of(4), 0, Hint::neutral);
        let rows = rows(&setup, &Monitor::silent()).unwrap();
        assert_eq!(rows.len(), 3 * 5);
        let of = |distance: &str| rows.iter().find(|row| row.distance == distance).unwrap();
        // The first kind: isomorphic graphs.
        assert!(of("d_B").shares[0].value > 0.8, "{:?}", of("d_B"));
        assert!(of("one metric M").shares[0].value < of("d_B").shares[0].value);
        for exact in ["‖θ − θ'‖, nothing learned", "d_ap", "d_ap, each anchor"] {
            assert_eq!(of(exact).accuracies[0].value, 1.0, "{exact}");
        }
        assert!(of("one metric M").accuracies[0].value > of("d_B").accuracies[0].value);
    }
}
