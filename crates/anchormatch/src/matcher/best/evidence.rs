//! Everything that speaks for or against a matching, in nats.

use std::sync::Arc;

use super::search::Found;
use super::{Best, FreeNodes};
use crate::affinity::likelihood::{
    Agreement, Needed, Observations, PairModel, Scale, are_lengths, has_heavy_tails, unit,
};
use crate::anchors::Anchors;
use crate::assignment::{self, Assignment};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::linalg::{Matrix, multiply_into};
use crate::monitor::Monitor;
use crate::problem::{Coverage, Problem, ProductPairwise, SeparablePairwise, Weights};
use crate::solver::Curve;
use crate::spectral::{Spectrum, diffusion_time, heat_kernel};

/// Beyond this many nodes the residuals' fourth moment is not worth its n³.
const LARGEST_RESIDUALS: usize = 600;

/// Beyond this density a graph's edges are not listed.
const SPARSE: f64 = 0.1;

/// Correlations over which the scale of the evidence is integrated, and the largest as artanh ρ.
const SCALES: usize = 48;
const LARGEST_SCALE: f64 = 3.8;

/// The share of ln(number of matchings) that the evidence of the right one has at the least.
const FINDABLE: f64 = 0.75;

/// Points at which such an integral is computed.
const POINTS_OF_CURVE: usize = 512;

/// What to do when the memory does not suffice.
const MORE_MEMORY: &str = "raise --max-memory or match smaller graphs";

/// The bytes of some matrices over the pairs of each graph's nodes, and some of source × target.
fn numbers(own: u64, between: u64, graphs: [&Graph; 2]) -> u64 {
    let [n, m] = graphs.map(|graph| graph.nodes() as u64);
    let squares = n.saturating_mul(n).saturating_add(m.saturating_mul(m));
    let count = own.saturating_mul(squares);
    let count = count.saturating_add(between.saturating_mul(n.saturating_mul(m)));
    count.saturating_mul(8)
}

/// The two graphs, the anchors and the rest of what is known.
pub(super) struct Evidence<'a> {
    pub(super) source: Observations,
    pub(super) target: Observations,
    pub(super) graphs: [&'a Graph; 2],
    pub(super) free: &'a FreeNodes,
    pub(super) scale: Scale,
    anchors: &'a [(usize, usize)],
    /// What soft anchors say of the free pairs.
    soft: Matrix,
    similarity: Option<Arc<Matrix>>,
    folds: bool,
}

/// What one first-order source says of matched and of other pairs: two Gaussians.
#[derive(Debug, Clone, Copy)]
pub(super) struct SimilarityModel {
    matched: (f64, f64),
    others: (f64, f64),
}

impl<'a> Evidence<'a> {
    pub(super) fn new(
        preset: &Best,
        source: &'a Graph,
        target: &'a Graph,
        anchors: &'a Anchors,
        free: &'a FreeNodes,
        monitor: &Monitor,
    ) -> Result<Self> {
        monitor.reserve(
            "the weights of all pairs of nodes",
            numbers(1, 3, [source, target]),
            MORE_MEMORY,
        )?;
        let scale = if preset.ingredients.root_lengths && are_lengths(source) && are_lengths(target)
        {
            Scale::Roots
        } else if has_heavy_tails(source) || has_heavy_tails(target) {
            Scale::Ranks
        } else {
            Scale::AsGiven
        };
        let observe = |graph: &Graph| {
            if preset.ingredients.heat_for_weights {
                let spectrum = Spectrum::of(graph, monitor)?;
                let heat = heat_kernel(&spectrum, diffusion_time(graph, 1.0)?);
                Ok(Observations::of_matrix(&heat))
            } else {
                Ok::<_, Error>(Observations::of(graph, scale))
            }
        };
        // A soft anchor of weight w says: these two are partners with probability w, where without
        // it each of the m free targets had 1/m.
        let mut soft = Matrix::zeros(free.source.len(), free.target.len());
        let others = (free.target.len().max(2) - 1) as f64;
        for anchor in anchors.soft() {
            let row = free.source.binary_search(&anchor.source);
            let column = free.target.binary_search(&anchor.target);
            if let (Ok(i), Ok(a)) = (row, column) {
                soft[(i, a)] += (anchor.weight / (1.0 - anchor.weight) * others).ln();
            }
        }
        Ok(Self {
            source: observe(source)?,
            target: observe(target)?,
            graphs: [source, target],
            free,
            scale,
            anchors: anchors.hard(),
            soft,
            similarity: preset.node_similarity.as_ref().map(in_ordinary_unit),
            folds: preset.ingredients.folded_anchors,
        })
    }

    /// n₁ and n₂ of the free nodes.
    pub(super) fn shape(&self) -> (usize, usize) {
        (self.free.source.len(), self.free.target.len())
    }

    /// The larger side.
    pub(super) fn nodes(&self) -> usize {
        self.shape().0.max(self.shape().1)
    }

    /// Pairs of nodes as an assignment of the free ones; pairs of other nodes are left out.
    pub(super) fn assignment(&self, pairs: &[(usize, usize)]) -> Assignment {
        let mut assignment = Assignment::empty(self.shape().0);
        let mut taken = vec![false; self.shape().1];
        for (s, t) in pairs {
            let (row, column) = (
                self.free.source.binary_search(s),
                self.free.target.binary_search(t),
            );
            if let (Ok(i), Ok(a)) = (row, column)
                && assignment.partner(i).is_none()
                && !std::mem::replace(&mut taken[a], true)
            {
                assignment.set(i, Some(a));
            }
        }
        assignment
    }

    /// Calls `visit` with every hard anchor that is to be used.
    pub(super) fn each_anchor(&self, mut visit: impl FnMut(usize, usize)) {
        if self.folds {
            self.anchors.iter().for_each(|&(p, q)| visit(p, q));
        }
    }

    /// All pairs of a matching, anchors first.
    fn matched(&self, assignment: &Assignment) -> Vec<(usize, usize)> {
        let free = assignment
            .pairs()
            .map(|(i, a)| (self.free.source[i], self.free.target[a]));
        self.anchors.iter().copied().chain(free).collect()
    }

    /// How the graphs agree on a matching.
    pub(super) fn agreement(&self, assignment: &Assignment) -> Agreement {
        Agreement::of(&self.matched(assignment), &self.source, &self.target)
    }

    /// The models before any matching is known.
    pub(super) fn guess(&self, correlation: f64) -> Model {
        Model {
            pairs: PairModel::guess(&self.source, &self.target, correlation),
            similarity: self.similarity.as_ref().map(|s| {
                let others = moments(s.as_slice().iter().copied());
                // One standard deviation above the rest, until something better is known.
                let matched = (others.0 + others.1.sqrt(), others.1);
                SimilarityModel { matched, others }
            }),
        }
    }

    /// The models under which a matching is most likely.
    pub(super) fn fit(&self, assignment: &Assignment) -> Model {
        self.fit_to(&self.agreement(assignment), assignment)
    }

    /// As [`fit`](Self::fit) for an agreement that is known.
    pub(super) fn fit_to(&self, agreement: &Agreement, assignment: &Assignment) -> Model {
        Model {
            pairs: PairModel::fit(agreement, &self.source, &self.target),
            similarity: self.similarity.as_ref().map(|s| {
                let others = moments(s.as_slice().iter().copied());
                let pairs = self.matched(assignment);
                // One pseudo-observation of no difference, as for edges.
                let values = pairs.iter().map(|&p| s[p]).chain([others.0]);
                let (mean, variance) = moments(values);
                let count = pairs.len() as f64 + 1.0;
                let variance = (variance * count + others.1) / (count + 1.0);
                SimilarityModel {
                    matched: (mean, variance),
                    others,
                }
            }),
        }
    }

    /// The share of the pairs of pairs that tell something new.
    ///
    /// Noise that moves nodes moves all their edges together, and n(n − 1)/2 edges then hold the
    /// evidence of a few. With R the residuals of the matched weights, their participation ratio
    /// (tr R²)²/tr R⁴ is n(n − 1)/(2n − 1), about n/2, for independent Gaussian noise, and at most r
    /// for noise of rank r. Independent noise itself makes it vary by 1.4/n; a share that is less than
    /// twice that below 1 is 1.
    pub(super) fn independent_share(&self, model: &Model, assignment: &Assignment) -> f64 {
        let matched = self.matched(assignment);
        let n = matched.len();
        let complete = self.source.is_complete() && self.target.is_complete();
        let measurable = (4..=LARGEST_RESIDUALS).contains(&n) && self.source.variance() > 0.0;
        if !(complete && measurable) {
            return 1.0;
        }
        let residual = Matrix::from_fn(n, n, |k, l| {
            let ((i, a), (j, b)) = (matched[k], matched[l]);
            match (self.source.get(i, j), self.target.get(a, b)) {
                (Some(x), Some(y)) => model.pairs.residual(x, y),
                _ => 0.0,
            }
        });
        let mut square = Matrix::zeros(n, n);
        multiply_into(
            square.as_mut_slice(),
            residual.as_slice(),
            residual.as_slice(),
            n,
            n,
            n,
        );
        let second: f64 = (0..n).map(|k| square[(k, k)]).sum();
        let fourth: f64 = square.as_slice().iter().map(|v| v * v).sum();
        if fourth > 0.0 {
            let n = n as f64;
            let ratio = second * second / fourth * (2.0 * n - 1.0) / (n * (n - 1.0));
            (ratio / (1.0 - 2.8 / n)).min(1.0)
        } else {
            1.0
        }
    }

    /// ln P(data | matching, model) − ln P(data | nothing matched) + ln P(matching), a `share` of
    /// the edges' part.
    pub(super) fn posterior(&self, model: &Model, assignment: &Assignment, share: f64) -> f64 {
        let agreement = self.agreement(assignment);
        let mut total = share * model.pairs.total(&agreement, &self.source, &self.target);
        for (i, a) in assignment.pairs() {
            total += self.soft[(i, a)] + self.similarity_at(model, i, a);
        }
        let matched = assignment.matched();
        total + log_prior(self.shape(), matched)
    }

    /// The logarithm of the posterior with the scale of the evidence integrated out, as a function of
    /// the objective of the full program under `model`.
    ///
    /// Where the program is one product, a correlation ρ only scales the objective S: the logarithm of
    /// the likelihood is A(ρ) + s(ρ) S, and the posterior of a matching is ∫ exp(A(ρ) + s(ρ) S) dρ
    /// instead of its value at the ρ that suits one matching best. Every ρ is as likely as another from
    /// where a matching could just be found: who asks for one does not hold that there is none. That
    /// is where the evidence of the right matching is three quarters of what tells all matchings apart.
    /// `None` where more than a scale is open, or soft evidence has a scale of its own.
    pub(super) fn scaleless(&self, found: &Found, problem: &Problem) -> Option<Curve> {
        let complete = self.source.is_complete() && self.target.is_complete();
        let slope = |model: &PairModel| {
            if complete {
                model.product_of_weights()
            } else {
                model.conserved_edge()
            }
        };
        let unit = slope(&found.model.pairs);
        let told = self.similarity.is_some() || self.soft.as_slice().iter().any(|&v| v != 0.0);
        let full = found.coverage == Coverage::Full;
        if told || !full || !self.is_one_product() || unit <= 0.0 {
            return None;
        }
        let agreement = self.agreement(&found.assignment);
        // The least correlation under which a matching could be found.
        let (n, m) = self.shape();
        let matchings: f64 = (2..=n.max(m)).map(|k| (k as f64).ln()).sum();
        let needed = FINDABLE * matchings;
        let information = |z: f64| {
            let model = PairModel::guess(&self.source, &self.target, z.tanh());
            let one = model.information(&self.source, &self.target);
            found.share * agreement.pairs() * one
        };
        let (mut least, mut most) = (0.0, LARGEST_SCALE);
        for _ in 0..30 {
            let middle = 0.5 * (least + most);
            if information(middle) < needed {
                least = middle;
            } else {
                most = middle;
            }
        }
        if least > 0.9 * LARGEST_SCALE {
            return None;
        }
        // ρ = tanh z, evenly in z; dρ = (1 − ρ²) dz.
        let step = (LARGEST_SCALE - least) / (SCALES - 1) as f64;
        let terms: Vec<(f64, f64)> = (0..SCALES)
            .map(|k| {
                let correlation = (least + step * k as f64).tanh();
                let model = PairModel::guess(&self.source, &self.target, correlation);
                let total = found.share * model.total(&agreement, &self.source, &self.target);
                let prior = (1.0 - correlation * correlation).ln();
                (total + prior, slope(&model) / unit)
            })
            .collect();
        let here =
            problem.sense().sign() * (problem.objective(&found.assignment) - problem.constant());
        let value = |s: f64| {
            let each = terms.iter().map(|(a, b)| a + b * (s - here));
            let most = each.clone().fold(f64::NEG_INFINITY, f64::max);
            most + each.map(|v| (v - most).exp()).sum::<f64>().ln()
        };
        // From where the least scale is the most likely to a little above the best.
        let is_least = |s: f64| {
            let first = terms[0].0 + terms[0].1 * (s - here);
            terms.iter().all(|(a, b)| a + b * (s - here) <= first)
        };
        let mut depth = 1.0;
        while depth < 1e6 && !is_least(here - depth) {
            depth *= 1.5;
        }
        Some(Curve::new(
            here - 1.5 * depth,
            here + 5.0,
            POINTS_OF_CURVE,
            value,
        ))
    }

    /// What soft anchors say of a free pair.
    pub(super) fn soft_at(&self, i: usize, a: usize) -> f64 {
        self.soft[(i, a)]
    }

    fn similarity_at(&self, model: &Model, i: usize, a: usize) -> f64 {
        match (&self.similarity, &model.similarity) {
            (Some(values), Some(model)) => {
                model.evidence(values[(self.free.source[i], self.free.target[a])])
            }
            _ => 0.0,
        }
    }

    /// The program over the free nodes under a model; its objective is the posterior's logarithm up
    /// to a constant.
    ///
    /// With partial coverage, matching one more pair costs what the prior says at `matched` pairs.
    /// A `share` of what edges tell is counted.
    pub(super) fn problem(
        &self,
        model: &Model,
        coverage: Coverage,
        matched: usize,
        share: f64,
        monitor: &Monitor,
    ) -> Result<Problem> {
        let (n, m) = self.shape();
        let partial = coverage == Coverage::Partial;
        let needed = Needed {
            source_varies: partial || n > m,
            target_varies: partial || m > n,
        };
        let listed = model.pairs.counts_edges(needed) && self.is_sparse();
        if !listed {
            // Up to four tables of each graph beside its weights.
            monitor.reserve(
                "the evidence of all pairs of pairs",
                numbers(5, 3, self.graphs),
                MORE_MEMORY,
            )?;
        }
        let (rows, columns) = (&self.free.source[..], &self.free.target[..]);
        let mut unary = if self.folds {
            model.pairs.folded(
                (&self.source, rows),
                (&self.target, columns),
                self.anchors,
                needed,
            )
        } else {
            Matrix::zeros(n, m)
        };
        let prior = if partial {
            step_prior((n, m), matched)
        } else {
            0.0
        };
        for i in 0..n {
            for a in 0..m {
                let known = self.soft[(i, a)] + self.similarity_at(model, i, a);
                unary[(i, a)] = share * unary[(i, a)] + prior + known;
            }
        }
        let problem = if listed {
            let scale = 0.5 * share * model.pairs.conserved_edge();
            let a = self.edges(0, rows, scale);
            let b = self.edges(1, columns, 1.0);
            let (pairwise, _) = ProductPairwise::new(a, b)?;
            Problem::maximise(unary, Box::new(pairwise))?
        } else {
            let mut factors =
                model
                    .pairs
                    .factors((&self.source, rows), (&self.target, columns), needed);
            for (f, _) in &mut factors {
                f.as_mut_slice().iter_mut().for_each(|v| *v *= share);
            }
            match factors.len() {
                0 => {
                    let nothing = (Matrix::zeros(n, n), Matrix::zeros(m, m));
                    let pairwise = SeparablePairwise::from_factors(&[nothing], monitor)?;
                    Problem::maximise(unary, Box::new(pairwise))?
                }
                1 => {
                    let (a, b) = factors.remove(0);
                    let (pairwise, _) = ProductPairwise::new(Weights::Dense(a), Weights::Dense(b))?;
                    Problem::maximise(unary, Box::new(pairwise))?
                }
                _ => {
                    let pairwise = SeparablePairwise::from_factors(&factors, monitor)?;
                    Problem::maximise(unary, Box::new(pairwise))?
                }
            }
        };
        Ok(problem.with_coverage(coverage))
    }

    fn is_sparse(&self) -> bool {
        self.source.density().max(self.target.density()) <= SPARSE
    }

    /// Whether the full program is a product of two lists of edges.
    pub(super) fn is_listed(&self, model: &Model) -> bool {
        let (n, m) = self.shape();
        let needed = Needed {
            source_varies: n > m,
            target_varies: m > n,
        };
        self.is_sparse() && model.pairs.counts_edges(needed)
    }

    /// The edges between some nodes, each of weight `scale`.
    fn edges(&self, side: usize, nodes: &[usize], scale: f64) -> Weights {
        let graph = self.graphs[side];
        let mut place = vec![u32::MAX; graph.nodes()];
        for (k, &node) in nodes.iter().enumerate() {
            place[node] = k as u32;
        }
        let row = |&i: &usize| {
            let neighbours = graph.neighbours(i).map(|(j, _)| place[j]);
            neighbours
                .filter(|&k| k != u32::MAX)
                .map(|k| (k, scale))
                .collect()
        };
        Weights::Sparse(nodes.iter().map(row).collect())
    }

    /// What the pairs of a matching tell of each of its free nodes.
    pub(super) fn support(&self, model: &Model, assignment: &Assignment) -> Vec<f64> {
        let matched = self.matched(assignment);
        assignment
            .iter()
            .enumerate()
            .map(|(i, a)| {
                let Some(a) = a else { return 0.0 };
                let (s, t) = (self.free.source[i], self.free.target[a]);
                let others = matched.iter().filter(|p| p.0 != s);
                let edges: f64 = others
                    .map(|&(j, b)| {
                        model
                            .pairs
                            .evidence(self.source.get(s, j), self.target.get(t, b))
                    })
                    .sum();
                edges + self.soft[(i, a)] + self.similarity_at(model, i, a)
            })
            .collect()
    }

    /// The matching filled up until the smaller side is matched: who is left over goes where the
    /// matched ones point to.
    pub(super) fn complete(&self, found: &Found, confidence: &Matrix) -> Result<Assignment> {
        let (n, m) = self.shape();
        let mut assignment = found.assignment.clone();
        if assignment.matched() == n.min(m) {
            return Ok(assignment);
        }
        let mut is_free = vec![true; m];
        for a in assignment.iter().flatten() {
            is_free[a] = false;
        }
        let rows: Vec<usize> = (0..n)
            .filter(|&i| assignment.partner(i).is_none())
            .collect();
        let columns: Vec<usize> = (0..m).filter(|&a| is_free[a]).collect();
        let nodes = |own: &[usize], places: &[usize]| -> Vec<usize> {
            places.iter().map(|&k| own[k]).collect()
        };
        let matched = self.matched(&assignment);
        let told = found.model.pairs.folded(
            (&self.source, &nodes(&self.free.source, &rows)),
            (&self.target, &nodes(&self.free.target, &columns)),
            &matched,
            Needed::ALL,
        );
        let score = Matrix::from_fn(rows.len(), columns.len(), |k, l| {
            let (i, a) = (rows[k], columns[l]);
            let known = self.soft[(i, a)] + self.similarity_at(&found.model, i, a);
            told[(k, l)] + known + confidence[(i, a)]
        });
        let filled = assignment::maximize(&score)?;
        for (k, l) in filled.columns.iter().enumerate() {
            assignment.set(rows[k], l.map(|l| columns[l]));
        }
        Ok(assignment)
    }
}

/// The models of edges and of node similarities.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub(super) pairs: PairModel,
    similarity: Option<SimilarityModel>,
}

impl SimilarityModel {
    /// ln N(s; matched)/N(s; others); 0 when all similarities are the same.
    fn evidence(&self, s: f64) -> f64 {
        let ((m, v), (k, w)) = (self.matched, self.others);
        if v > 0.0 && w > 0.0 {
            0.5 * ((s - k).powi(2) / w - (s - m).powi(2) / v + (w / v).ln())
        } else {
            0.0
        }
    }
}

/// The similarities in a unit in which they have moments.
fn in_ordinary_unit(similarity: &Arc<Matrix>) -> Arc<Matrix> {
    let unit = unit(similarity.as_slice().iter().copied());
    if unit == 1.0 {
        return Arc::clone(similarity);
    }
    let mut scaled = Matrix::clone(similarity);
    scaled.as_mut_slice().iter_mut().for_each(|v| *v /= unit);
    Arc::new(scaled)
}

fn moments(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    (
        mean,
        values.map(|v| (v - mean).powi(2)).sum::<f64>() / count,
    )
}

/// The prior of a matching of k among n and m nodes: every k alike, and for each k every matching.
///
/// > P = 1/(1 + min(n, m)) · 1/(C(n, k) C(m, k) k!)
pub(super) fn log_prior((n, m): (usize, usize), k: usize) -> f64 {
    let factorial = |k: usize| (1..=k).map(|i| (i as f64).ln()).sum::<f64>();
    let choose = |n: usize| factorial(n) - factorial(k) - factorial(n - k);
    -((1 + n.min(m)) as f64).ln() - choose(n) - choose(m) - factorial(k)
}

/// What the prior adds when one of k pairs is added, k/((n − k + 1)(m − k + 1)) in logarithm.
fn step_prior((n, m): (usize, usize), k: usize) -> f64 {
    let k = k.clamp(1, n.min(m).max(1)) as f64;
    (k / ((n as f64 - k + 1.0) * (m as f64 - k + 1.0)).max(1.0)).ln()
}
