//! Arrays to learn from, and a brute-force check of what was learned.

use anchormatch::Monitor;
use anchormatch::affinity::proximity::{
    EXACT_GAP, Examples, LearnedProximity, Learner, Mode, Status,
};
use anchormatch::anchors::Anchor;
use anchormatch::linalg::{Matrix, symmetric_eigen};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Arrays that own what [`Examples`] borrows.
#[derive(Clone)]
pub(crate) struct Arrays {
    pub(crate) source: Matrix,
    pub(crate) target: Matrix,
    pub(crate) anchors: Vec<Anchor>,
    pub(crate) source_loss: Matrix,
    pub(crate) target_loss: Matrix,
}

impl Arrays {
    pub(crate) fn examples(&self) -> Examples<'_> {
        Examples {
            source: &self.source,
            target: &self.target,
            anchors: &self.anchors,
            source_loss: &self.source_loss,
            target_loss: &self.target_loss,
        }
    }

    /// Losses are distances between features, scaled to at most 1.
    pub(crate) fn new(source: Matrix, target: Matrix, pairs: &[(usize, usize)]) -> Self {
        let loss = |features: &Matrix, node: &dyn Fn(usize) -> usize| {
            let apart = |i: usize, j: usize| -> f64 {
                let rows = features.row(i).iter().zip(features.row(j));
                rows.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
            };
            let mut loss = Matrix::from_fn(pairs.len(), features.rows(), |k, j| apart(node(k), j));
            let largest = loss.as_slice().iter().copied().fold(0.0, f64::max);
            for value in loss.as_mut_slice() {
                *value /= if largest > 0.0 { largest } else { 1.0 };
            }
            loss
        };
        Self {
            source_loss: loss(&source, &|k| pairs[k].0),
            target_loss: loss(&target, &|k| pairs[k].1),
            source,
            target,
            anchors: pairs
                .iter()
                .map(|&(source, target)| Anchor::new(source, target, 1.0))
                .collect(),
        }
    }

    /// Squares like those of eigenvectors; the target is the source with noise and `extra` more
    /// nodes; node i is anchored to node i.
    pub(crate) fn noisy(
        seed: u64,
        nodes: usize,
        extra: usize,
        k: usize,
        anchors: usize,
        noise: f64,
    ) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut square = || {
            let sum: f64 = (0..6).map(|_| rng.random::<f64>() - 0.5).sum();
            2.0 * sum * sum
        };
        let source = Matrix::from_fn(nodes, k, |_, _| square());
        let target = Matrix::from_fn(nodes + extra, k, |i, j| {
            let base = if i < nodes { source[(i, j)] } else { square() };
            base * (1.0 + noise * (square() - 1.0))
        });
        let pairs: Vec<_> = (0..anchors).map(|i| (i, i)).collect();
        Self::new(source, target, &pairs)
    }
}

pub(crate) fn learner(mode: Mode, c: f64) -> Learner {
    let mut learner = Learner::default();
    (learner.mode, learner.c) = (mode, c);
    learner
}

pub(crate) fn learn(arrays: &Arrays, mode: Mode, c: f64) -> LearnedProximity {
    learner(mode, c)
        .learn(&arrays.examples(), &Monitor::silent())
        .expect("sound input")
}

/// w_iaᵀBw_ia, entry by entry.
pub(crate) fn far(arrays: &Arrays, b: &Matrix, i: usize, a: usize) -> f64 {
    let w = [arrays.source.row(i), arrays.target.row(a)].concat();
    let mut sum = 0.0;
    for p in 0..w.len() {
        for q in 0..w.len() {
            sum += w[p] * b[(p, q)] * w[q];
        }
    }
    sum
}

/// Checks by brute force what holds for every result without a prior: B ⪰ 0, all constraints with
/// their slacks, the objective, the order of the bounds.
pub(crate) fn assert_sound(arrays: &Arrays, learned: &LearnedProximity, c: f64) {
    let b = &learned.b;
    let size = b.as_slice().iter().map(|v| v * v).sum::<f64>();
    let values = symmetric_eigen(b).expect("a finite matrix").values;
    assert!(values[0] >= -1e-10 * size.sqrt(), "lowest {}", values[0]);
    let mut objective = 0.5 * size;
    for (k, anchor) in arrays.anchors.iter().enumerate() {
        let own = far(arrays, b, anchor.source, anchor.target);
        let targets = (0..arrays.target.rows())
            .filter(|&x| x != anchor.target)
            .map(|x| {
                let rival = far(arrays, b, anchor.source, x);
                arrays.target_loss[(k, x)] * (1.0 - (rival - own))
            });
        let sources = (0..arrays.source.rows())
            .filter(|&x| x != anchor.source)
            .map(|x| {
                let rival = far(arrays, b, x, anchor.target);
                arrays.source_loss[(k, x)] * (1.0 - (rival - own))
            });
        let needed = targets.chain(sources).fold(0.0, f64::max);
        assert!((needed - learned.slack[k]).abs() <= 1e-8 * (1.0 + own));
        objective += c * anchor.weight / arrays.anchors.len() as f64 * learned.slack[k];
    }
    assert!((learned.objective - objective).abs() <= 1e-8 * objective);
    assert!(learned.dual_objective <= learned.objective * (1.0 + 1e-9));
    if learned.mode == Mode::Exact && learned.status == Status::Converged {
        assert!(learned.relative_gap <= EXACT_GAP);
    }
    for pair in learned.rounds.windows(2) {
        assert!(pair[1].working_set >= pair[0].working_set);
        assert!(pair[1].objective >= pair[0].objective);
    }
}
