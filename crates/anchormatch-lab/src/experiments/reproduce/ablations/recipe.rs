//! W with one piece exchanged, put together on the workbench.

use anchormatch::Result;
use anchormatch::affinity::first_order::add_affinity;
use anchormatch::affinity::folding::fold_anchors;
use anchormatch::affinity::second_order::{bandwidth, mean_squared_difference};
use anchormatch::linalg::Matrix;
use anchormatch::matcher::Paper;
use anchormatch::problem::{GaussianKernel, Pairwise};
use anchormatch::solver::Rrwm;
use serde::{Deserialize, Serialize};

use crate::experiments::reproduce::Entry;
use crate::matchers::{ByHand, Loss, Program, Workbench};

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Second {
    Gaussian,
    DiagonalMean,
    Exponential,
    Linear,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum First {
    Exponential,
    Gaussian,
    Linear,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AnchorTerm {
    Summed,
    Folded,
}

/// W with one piece exchanged.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Recipe {
    pub(super) second: Second,
    pub(super) first: First,
    pub(super) loss: Loss,
    pub(super) anchors: AnchorTerm,
    pub(super) proximity: bool,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            second: Second::Gaussian,
            first: First::Exponential,
            loss: Loss::Diffusion,
            anchors: AnchorTerm::Summed,
            proximity: true,
        }
    }
}

/// The preset with one piece exchanged.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exchanged {
    recipe: Recipe,
    paper: Paper,
}

pub(super) fn by_hand(recipe: Recipe) -> Entry {
    let paper = Paper::default();
    Entry::new("", ByHand::new(Exchanged { recipe, paper }))
}

impl Program for Exchanged {
    const NAME: &'static str = "paper by hand";
    const ABOUT: &'static str = "The method of the paper with one piece exchanged";

    fn build(&self, bench: &Workbench<'_>) -> Result<(Matrix, Box<dyn Pairwise>)> {
        self.recipe.build(&self.paper, bench)
    }

    fn solver(&self) -> Rrwm {
        Rrwm::linear()
    }
}

impl Recipe {
    fn build(&self, preset: &Paper, bench: &Workbench<'_>) -> Result<(Matrix, Box<dyn Pairwise>)> {
        let heat = bench.heat(preset.tau)?;
        let kernels = [&heat.kernels[0], &heat.kernels[1]];
        let mut unary = bench.no_terms();
        match self.anchors {
            AnchorTerm::Summed => {
                self.add(
                    &mut unary,
                    &bench.heat_to_anchors(&heat),
                    preset.anchor_weight,
                );
            }
            AnchorTerm::Folded => {
                let [x, y] = bench.free_values(kernels);
                let affinity = GaussianKernel::new(bandwidth(&x, &y, preset.width)?)?;
                let folded = fold_anchors(kernels[0], kernels[1], bench.anchors.hard(), |p, q| {
                    affinity.evaluate(p, q)
                })?;
                unary = folded.unary;
            }
        }
        if self.proximity {
            let count = preset.eigenvectors;
            let distance = bench.proximity(&heat, count, &preset.learner, self.loss)?;
            self.add(&mut unary, &distance, preset.proximity_weight);
        }
        let values = bench.free_values(kernels);
        let pairwise = match self.second {
            Second::Gaussian => bench.gaussian(values, preset.width)?,
            Second::DiagonalMean => {
                let s = preset.width * mean_over_all(&values[0], &values[1]);
                bench.gaussian_at(values, s)?
            }
            Second::Exponential => {
                // The mean distance takes the place of the root of the mean square.
                let square = mean_squared_difference(&values[0], &values[1]);
                let s = preset.width.sqrt() * square.sqrt().max(f64::MIN_POSITIVE);
                bench.explicit(values, |x, y| (-(x - y).abs() / s).exp())?
            }
            Second::Linear => {
                let most = largest_difference(&values[0], &values[1]).max(f64::MIN_POSITIVE);
                bench.explicit(values, |x, y| 1.0 - (x - y).abs() / most)?
            }
        };
        Ok((unary, pairwise))
    }

    fn add(&self, unary: &mut Matrix, distance: &Matrix, weight: f64) {
        let each = |mean: &dyn Fn(f64) -> f64| {
            let values = distance.as_slice();
            values.iter().map(|&d| mean(d)).sum::<f64>() / values.len().max(1) as f64
        };
        let affinity: Box<dyn Fn(f64) -> f64> = match self.first {
            First::Exponential => {
                add_affinity(unary, distance, weight);
                return;
            }
            First::Gaussian => {
                let mean = each(&|d| d * d).max(f64::MIN_POSITIVE);
                Box::new(move |d| (-d * d / mean).exp())
            }
            First::Linear => {
                let most = distance
                    .as_slice()
                    .iter()
                    .fold(f64::MIN_POSITIVE, |m, &d| m.max(d));
                Box::new(move |d| 1.0 - d / most)
            }
        };
        for (slot, &d) in unary.as_mut_slice().iter_mut().zip(distance.as_slice()) {
            *slot += weight * affinity(d);
        }
    }
}

/// The mean of (x − y)² over all entries, the diagonals too.
fn mean_over_all(x: &Matrix, y: &Matrix) -> f64 {
    let moments = |m: &Matrix| {
        let count = m.as_slice().len().max(1) as f64;
        let mean = m.as_slice().iter().sum::<f64>() / count;
        let squares = m.as_slice().iter().map(|v| (v - mean) * (v - mean));
        (mean, squares.sum::<f64>() / count)
    };
    let ((mean_x, var_x), (mean_y, var_y)) = (moments(x), moments(y));
    let mean = var_x + var_y + (mean_x - mean_y) * (mean_x - mean_y);
    if mean > 0.0 { mean } else { 1.0 }
}

fn largest_difference(x: &Matrix, y: &Matrix) -> f64 {
    let range = |m: &Matrix| {
        let values = m.as_slice().iter();
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| {
            (low.min(v), high.max(v))
        })
    };
    let ((low_x, high_x), (low_y, high_y)) = (range(x), range(y));
    (high_x - low_y).max(high_y - low_x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_over_all_is_over_all() {
        let x = Matrix::from_vec(2, 2, vec![5.0, 1.0, 1.0, 4.0]);
        let y = Matrix::from_vec(2, 2, vec![7.0, 2.0, 2.0, 3.0]);
        let mut want = 0.0;
        for p in x.as_slice() {
            for q in y.as_slice() {
                want += (p - q) * (p - q) / 16.0;
            }
        }
        assert!((mean_over_all(&x, &y) - want).abs() < 1e-12);
        assert_eq!(largest_difference(&x, &y), 6.0);
    }
}
