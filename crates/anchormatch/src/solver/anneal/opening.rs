//! Where walks begin between graphs of one size: a few steps of GOAT in single precision.
//!
//! The method is that of [`Goat`](super::super::Goat): X ← X + α (Q − X) with
//! Q = Sinkhorn(exp(λ G / max|G|)), G = u + 2 W X, λ = 100 and the best α. An opening need not converge,
//! so that half the digits and some thirty sweeps do; a product goes row by row, which leaves nothing
//! between A Q and A Q Bᵀ in memory, and a sweep is one pass over Q for rows and columns together.

use rayon::prelude::*;

use super::super::Status;
use super::super::frank_wolfe::{Ascent, Segment, StepRule, climb};
use super::instance::Instance;
use crate::assignment::Assignment;
use crate::error::Result;
use crate::linalg::Csr;
use crate::monitor::Monitor;

/// How sharply the plan follows the gradient; GOAT's λ.
const SHARPNESS: f32 = 100.0;

/// Sweeps of the balancing, which begins at the potentials of the step before.
const SWEEPS: usize = 30;

/// A plan whose column sums are this close to 1 is balanced.
const TOLERANCE: f32 = 0.05;

/// Entries below this, relative to the largest of their row, are raised to it: products of scalings
/// stay normal numbers.
const LEAST: f32 = 1e-20;

/// Rows are summed in blocks of this many, whatever the number of threads.
const BLOCK: usize = 64;

/// The assignment that X says after at most `steps` steps, for graphs of one size.
///
/// Rows that are surest choose first: walks mend what a linear assignment would have done better.
pub(super) fn opening(instance: &Instance, steps: usize, monitor: &Monitor) -> Result<Assignment> {
    let n = instance.nodes;
    let point = soft(instance, steps, monitor)?;
    let row = |i: usize| &point[i * n..(i + 1) * n];
    let sureness: Vec<f32> = (0..n)
        .map(|i| row(i).iter().fold(0.0, |x, &y| y.max(x)))
        .collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| sureness[j].total_cmp(&sureness[i]));
    let mut free = vec![true; n];
    let mut partners = vec![0; n];
    for i in order {
        let open = row(i).iter().zip(&free).enumerate();
        let open = open.filter(|(_, (_, free))| **free);
        let best = open.max_by(|x, y| x.1.0.total_cmp(y.1.0));
        let c = best.expect("as many columns as rows").0;
        free[c] = false;
        partners[i] = c as u32;
    }
    Ok(instance.assignment(&partners))
}

/// X and its image, pattern × host, and the plan that the next step goes towards.
struct Opening<'t> {
    instance: &'t Instance,
    monitor: &'t Monitor,
    point: Vec<f32>,
    /// 2 W X.
    image: Vec<f32>,
    plan: Vec<f32>,
    plan_image: Vec<f32>,
    potentials: Vec<f32>,
    cut: bool,
}

impl<'t> Opening<'t> {
    fn new(instance: &'t Instance, monitor: &'t Monitor) -> Self {
        let n = instance.nodes;
        let zeros = vec![0.0; n * n];
        let mut image = zeros.clone();
        multiply_mean(instance, &mut image);
        Self {
            instance,
            monitor,
            point: vec![1.0 / n as f32; n * n],
            image,
            plan: zeros.clone(),
            plan_image: zeros,
            potentials: vec![0.0; n],
            cut: false,
        }
    }
}

impl Ascent for Opening<'_> {
    fn aim(&mut self) -> Result<Segment> {
        let instance = self.instance;
        transport(instance, &self.image, &mut self.plan, &mut self.potentials);
        if self.monitor.interrupted().is_some() {
            // The first plan is worth more than no plan.
            self.cut = true;
            return Ok(Segment {
                derivative: 1.0,
                curvature: 0.0,
            });
        }
        multiply(instance, &self.plan, &mut self.plan_image);
        let [derivative, curvature] = sum_blocks(instance.nodes, |place| {
            let (x, q) = (f64::from(self.point[place]), f64::from(self.plan[place]));
            let (y, z) = (
                f64::from(self.image[place]),
                f64::from(self.plan_image[place]),
            );
            let derivative = (f64::from(instance.unary()[place]) + y) * (q - x);
            [derivative, 0.5 * (z - y) * (q - x)]
        });
        Ok(Segment {
            derivative,
            curvature,
        })
    }

    fn advance(&mut self, step: f64) {
        if self.cut {
            self.point.copy_from_slice(&self.plan);
            return;
        }
        let step = step as f32;
        for (old, new) in [
            (&mut self.point, &self.plan),
            (&mut self.image, &self.plan_image),
        ] {
            old.par_iter_mut()
                .zip(new)
                .for_each(|(x, q)| *x += step * (q - *x));
        }
    }
}

/// X after at most `steps` steps, pattern × host.
fn soft(instance: &Instance, steps: usize, monitor: &Monitor) -> Result<Vec<f32>> {
    let mut opening = Opening::new(instance, monitor);
    climb(&mut opening, StepRule::Higher, steps, |opening, taken| {
        (opening.cut || taken.step as f32 == 0.0).then_some(Status::Converged)
    })?;
    Ok(opening.point)
}

/// Rows of a product that are computed together.
const LANES: usize = 8;

/// `out` = 2 W X, in the units of the instance.
fn multiply(instance: &Instance, x: &[f32], out: &mut [f32]) {
    let n = instance.nodes;
    let groups = out.par_chunks_mut((LANES * n).max(1)).enumerate();
    groups.for_each_init(
        || (vec![0.0f32; n], vec![[0.0f32; LANES]; n]),
        |(line, half), (group, out)| {
            out.fill(0.0);
            for (pattern, host) in &instance.layers {
                // Rows of A X, their entries side by side.
                for lane in 0..out.len() / n {
                    line.fill(0.0);
                    for (k, weight) in pattern.row(group * LANES + lane) {
                        let from = &x[k * n..(k + 1) * n];
                        for (slot, x) in line.iter_mut().zip(from) {
                            *slot += weight * x;
                        }
                    }
                    for (slot, value) in half.iter_mut().zip(&*line) {
                        slot[lane] = *value;
                    }
                }
                for c in 0..n {
                    let mut sums = [0.0f32; LANES];
                    for (d, value) in host.row(c) {
                        for (sum, half) in sums.iter_mut().zip(&half[d]) {
                            *sum += value * half;
                        }
                    }
                    for (row, sum) in out.chunks_mut(n).zip(sums) {
                        row[c] += sum;
                    }
                }
            }
        },
    );
}

/// [`multiply`] for the X whose entries are all 1/n, from the sums of rows alone.
fn multiply_mean(instance: &Instance, out: &mut [f32]) {
    let n = instance.nodes;
    out.fill(0.0);
    for (pattern, host) in &instance.layers {
        let sum = |links: &Csr<f32>, i: usize| links.parts(i).1.iter().sum::<f32>();
        let columns: Vec<f32> = (0..n).map(|c| sum(host, c) / n as f32).collect();
        for (i, row) in out.chunks_mut(n.max(1)).enumerate() {
            let factor = sum(pattern, i);
            for (slot, column) in row.iter_mut().zip(&columns) {
                *slot += factor * column;
            }
        }
    }
}

/// `plan` = the balanced exponentials of the gradient; `potentials` are those of the columns.
fn transport(instance: &Instance, image: &[f32], plan: &mut [f32], potentials: &mut [f32]) {
    let n = instance.nodes;
    let largest = image
        .par_iter()
        .zip(instance.unary())
        .map(|(y, u)| (u + y).abs())
        .reduce(|| 0.0, f32::max);
    let factor = if largest > 0.0 {
        SHARPNESS / largest
    } else {
        0.0
    };
    plan.par_chunks_mut(n.max(1))
        .zip(image.par_chunks(n.max(1)))
        .zip(instance.unary().par_chunks(n.max(1)))
        .for_each(|((row, image), unary)| {
            let mut most = f32::NEG_INFINITY;
            for (c, slot) in row.iter_mut().enumerate() {
                *slot = factor * (unary[c] + image[c]) + potentials[c];
                most = most.max(*slot);
            }
            for slot in row {
                *slot = (*slot - most).exp().max(LEAST);
            }
        });
    let (mut row_scales, mut column_scales) = (vec![1.0f32; n], vec![1.0f32; n]);
    for _ in 0..SWEEPS {
        let sums = scale_rows(plan, &column_scales, &mut row_scales);
        let mut error = 0.0f32;
        for (scale, sum) in column_scales.iter_mut().zip(&sums) {
            error = error.max((*scale * sum - 1.0).abs());
            *scale = 1.0 / sum.max(f32::MIN_POSITIVE);
        }
        if error < TOLERANCE {
            break;
        }
    }
    for (potential, scale) in potentials.iter_mut().zip(&column_scales) {
        *potential += scale.ln();
    }
    let rows = plan.par_chunks_mut(n.max(1)).zip(&row_scales);
    rows.for_each(|(row, row_scale)| {
        for (slot, scale) in row.iter_mut().zip(&column_scales) {
            *slot *= row_scale * scale;
        }
    });
}

/// Makes the row sums 1, and returns the column sums under the new row scales alone.
fn scale_rows(plan: &[f32], column_scales: &[f32], row_scales: &mut [f32]) -> Vec<f32> {
    let n = column_scales.len();
    let blocks: Vec<Vec<f32>> = plan
        .par_chunks((BLOCK * n).max(1))
        .zip(row_scales.par_chunks_mut(BLOCK))
        .map(|(rows, scales)| {
            let mut sums = vec![0.0f32; n];
            for (row, scale) in rows.chunks(n).zip(scales) {
                *scale = 1.0 / dot(row, column_scales).max(f32::MIN_POSITIVE);
                for (sum, value) in sums.iter_mut().zip(row) {
                    *sum += *scale * value;
                }
            }
            sums
        })
        .collect();
    let mut sums = vec![0.0; n];
    for block in &blocks {
        for (sum, value) in sums.iter_mut().zip(block) {
            *sum += value;
        }
    }
    sums
}

fn dot(x: &[f32], y: &[f32]) -> f32 {
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<8>(), y.as_chunks::<8>());
    let mut lanes = [0.0f32; 8];
    for (x, y) in x.iter().zip(y) {
        for lane in 0..8 {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    let rest: f32 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    lanes.iter().sum::<f32>() + rest
}

/// Sums of two values over all places, the same on any number of threads.
fn sum_blocks(n: usize, values: impl Fn(usize) -> [f64; 2] + Sync) -> [f64; 2] {
    let blocks: Vec<[f64; 2]> = (0..n)
        .into_par_iter()
        .map(|i| {
            let mut sums = [0.0; 2];
            for place in i * n..(i + 1) * n {
                let [x, y] = values(place);
                sums[0] += x;
                sums[1] += y;
            }
            sums
        })
        .collect();
    let add = |s: [f64; 2], b: &[f64; 2]| [s[0] + b[0], s[1] + b[1]];
    blocks.iter().fold([0.0; 2], add)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Kinds, problem};
    use super::*;
    use crate::linalg::Matrix;
    use crate::problem::Sense;
    use crate::solver::{Goat, Solver, Start};

    #[test]
    fn products_are_those_of_the_problem() {
        for (seed, symmetric) in [(1, true), (2, false), (3, true)] {
            let kind = Kinds {
                whole: false,
                symmetric,
                sparse: seed < 3,
            };
            let problem = problem((9, 9), kind, Sense::Minimise, seed);
            let product = problem.pairwise().as_product().unwrap();
            let instance = Instance::new(&problem, product);
            let x = Matrix::from_fn(9, 9, |i, c| ((i * 5 + c * 3) % 7) as f64);
            let mut scratch = vec![0.0; problem.pairwise().scratch_len()];
            let mut want = vec![0.0; 81];
            problem
                .pairwise()
                .apply(x.as_slice(), &mut want, &mut scratch);
            let turn = |i: usize, c: usize| {
                if instance.turned {
                    c * 9 + i
                } else {
                    i * 9 + c
                }
            };
            let (mut input, mut got) = (vec![0.0; 81], vec![0.0; 81]);
            for i in 0..9 {
                for c in 0..9 {
                    input[turn(i, c)] = x[(i, c)] as f32;
                }
            }
            let (mut mean, mut want_mean) = (vec![0.0; 81], vec![0.0; 81]);
            multiply(&instance, &[1.0 / 9.0; 81], &mut want_mean);
            multiply_mean(&instance, &mut mean);
            let close = |pair: (&f32, &f32)| (pair.0 - pair.1).abs() < 1e-3;
            assert!(mean.iter().zip(&want_mean).all(close));
            multiply(&instance, &input, &mut got);
            for i in 0..9 {
                for c in 0..9 {
                    let value = -instance.unit() * f64::from(got[turn(i, c)]);
                    assert!((value - 2.0 * want[i * 9 + c]).abs() < 1e-3);
                }
            }
        }
    }

    #[test]
    fn steps_are_those_of_goat() {
        for seed in 0..6 {
            let kind = Kinds {
                whole: true,
                symmetric: true,
                sparse: true,
            };
            let problem = problem((30, 30), kind, Sense::Maximise, seed);
            let instance = Instance::new(&problem, problem.pairwise().as_product().unwrap());
            let goat = Goat {
                max_iterations: 1,
                sinkhorn_tolerance: 1e-3,
                sharpness: f64::from(SHARPNESS),
                ..Goat::default()
            };
            let want = goat
                .solve(&problem, &Start::default(), &Monitor::silent())
                .unwrap();
            let got = soft(&instance, 1, &Monitor::silent()).unwrap();
            let want = want.soft_matrix().unwrap();
            let turned = want.transposed();
            let want = if instance.turned { &turned } else { want };
            let off = got.iter().zip(want.as_slice());
            let off: f64 = off.map(|(x, y)| (f64::from(*x) - y).abs()).sum();
            let off = off / 60.0;
            assert!(off < 0.1, "seed {seed}: {off}");
            for row in got.chunks(30) {
                assert!((row.iter().sum::<f32>() - 1.0).abs() < 0.1);
            }
            let assignment = opening(&instance, 3, &Monitor::silent()).unwrap();
            assert!(problem.is_feasible(&assignment));
        }
    }
}
