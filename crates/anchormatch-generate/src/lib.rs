//! Pairs of graphs with a known matching, made from a seed.
//!
//! Every generator returns an [`Instance`]: two graphs, the second with its nodes in random order,
//! and the truth between them. A solver that returns the identity therefore scores no better than
//! chance. Target nodes are called `t0`, `t1`, … in their shuffled order, so that no name gives its
//! partner away.
//!
//! Randomness comes from ChaCha8. Each part of an instance (weights, noise, order) draws from a
//! stream of its own: two instances with one seed that differ in one parameter share everything
//! else, and curves over that parameter compare like with like. The same seed gives the same bytes.

pub mod house;
mod keypoints;
mod noisy_copies;
mod random_edges;
mod sbm;
mod synthetic;

pub use keypoints::{Keypoints, Motion, keypoints};
pub use noisy_copies::{Family, NoisyCopies, noisy_copies};
pub use sbm::{BlockModel, block_model};
pub use synthetic::{Synthetic, synthetic};

use anchormatch::graph::Labels;
use anchormatch::linalg::Matrix;
use anchormatch::{Error, Graph, Result};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Two graphs and what is known of their matching.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// The graph to match from.
    pub source: Graph,
    /// The graph to match to, its nodes in random order.
    pub target: Graph,
    /// Where the source nodes lie, one a row, when the instance is geometric.
    pub source_positions: Option<Matrix>,
    /// Where the target nodes lie, one a row in the target's order.
    pub target_positions: Option<Matrix>,
    /// The right pairs (source, target) by node index, by ascending source node. Outliers have none.
    pub truth: Vec<(usize, usize)>,
}

impl Instance {
    /// Pairs of the truth to serve as anchors, all different and uniformly drawn.
    ///
    /// # Errors
    /// When the truth has fewer than `count` pairs.
    pub fn random_anchors<R: Rng + ?Sized>(
        &self,
        count: usize,
        rng: &mut R,
    ) -> Result<Vec<(usize, usize)>> {
        if count > self.truth.len() {
            return Err(Error::parameter(
                "anchors",
                count,
                format_args!("at most {}, the pairs of the truth", self.truth.len()),
            ));
        }
        let chosen = rand::seq::index::sample(rng, self.truth.len(), count);
        Ok(chosen.iter().map(|k| self.truth[k]).collect())
    }

    /// Puts the target in random order; nodes below `inliers` are the same in both graphs before.
    ///
    /// # Errors
    /// When a graph has fewer nodes than there are inliers.
    pub fn shuffled(
        source: Graph,
        target: &Graph,
        inliers: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Self> {
        let most = source.node_count().min(target.node_count());
        if inliers > most {
            let expected = format_args!("at most {most}, the nodes of the smaller graph");
            return Err(Error::parameter("inliers", inliers, expected));
        }
        let (order, truth) = random_order(target.node_count(), inliers, rng);
        let target = target
            .permuted(&order)?
            .with_labels(target_labels(order.len())?)?;
        Ok(Self {
            source,
            target,
            source_positions: None,
            target_positions: None,
            truth,
        })
    }

    /// Complete Euclidean graphs of two point sets whose rows correspond; the target's are shuffled.
    ///
    /// # Errors
    /// When the sets differ in size, a coordinate is not finite, there are no points or the labels do
    /// not fit them.
    pub fn from_points(
        source: Matrix,
        target: &Matrix,
        source_labels: Labels,
        rng: &mut ChaCha8Rng,
    ) -> Result<Self> {
        if source.rows() != target.rows() {
            let expected = format_args!("{}, a point for each of the source", source.rows());
            return Err(Error::parameter("target points", target.rows(), expected));
        }
        let (order, truth) = random_order(target.rows(), source.rows(), rng);
        let target = Matrix::from_fn(target.rows(), target.cols(), |k, j| target[(order[k], j)]);
        Ok(Self {
            source: Graph::from_points(&source)?.with_labels(source_labels)?,
            target: Graph::from_points(&target)?.with_labels(target_labels(order.len())?)?,
            source_positions: Some(source),
            target_positions: Some(target),
            truth,
        })
    }
}

/// The generator for one part of an instance; parts of the same seed are independent of each other.
#[must_use]
pub fn stream(seed: u64, part: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(part);
    rng
}

/// A draw from N(0, 1) by the transform of Box & Muller (1958).
///
/// The second value of the transform is thrown away: no state is left between calls.
pub(crate) fn standard_normal(rng: &mut ChaCha8Rng) -> f64 {
    // 1 − u lies in (0, 1], where the logarithm is finite.
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()
}

/// A random order of the nodes (node `order[k]` comes to place k) and where the inliers came to lie.
fn random_order(
    nodes: usize,
    inliers: usize,
    rng: &mut ChaCha8Rng,
) -> (Vec<usize>, Vec<(usize, usize)>) {
    let mut order: Vec<usize> = (0..nodes).collect();
    order.shuffle(rng);
    let mut truth: Vec<(usize, usize)> = order
        .iter()
        .enumerate()
        .filter(|&(_, &node)| node < inliers)
        .map(|(place, &node)| (node, place))
        .collect();
    truth.sort_unstable();
    (order, truth)
}

fn target_labels(nodes: usize) -> Result<Labels> {
    Labels::new((0..nodes).map(|k| format!("t{k}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(truth: Vec<(usize, usize)>) -> Instance {
        let graph = Graph::from_edges(30, &[]).unwrap();
        Instance {
            source: graph.clone(),
            target: graph,
            source_positions: None,
            target_positions: None,
            truth,
        }
    }

    #[test]
    fn anchors_are_distinct_pairs_of_the_truth() {
        let instance = instance((0..12).map(|i| (i, 2 * i)).collect());
        let mut rng = stream(1, 0);
        for count in 0..=12 {
            let mut anchors = instance.random_anchors(count, &mut rng).unwrap();
            assert!(anchors.iter().all(|pair| instance.truth.contains(pair)));
            anchors.sort_unstable();
            anchors.dedup();
            assert_eq!(anchors.len(), count);
        }
        let error = instance.random_anchors(13, &mut rng).unwrap_err();
        assert_eq!(
            error.to_string(),
            "anchors: found 13, expected at most 12, the pairs of the truth"
        );
    }

    #[test]
    fn what_does_not_correspond_is_refused() {
        let graph = |nodes| Graph::from_edges(nodes, &[]).unwrap();
        let error = Instance::shuffled(graph(3), &graph(2), 3, &mut stream(0, 0)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "inliers: found 3, expected at most 2, the nodes of the smaller graph"
        );
        let [three, two] = [3, 2].map(|n| Matrix::from_fn(n, 2, |i, j| (i + 2 * j) as f64));
        let labels = target_labels(3).unwrap();
        let error = Instance::from_points(three, &two, labels, &mut stream(0, 0)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "target points: found 2, expected 3, a point for each of the source"
        );
    }

    #[test]
    fn every_pair_is_as_likely_to_be_an_anchor() {
        let instance = instance((0..5).map(|i| (i, i)).collect());
        let mut rng = stream(2, 0);
        let mut counts = [0usize; 5];
        for _ in 0..5000 {
            for (source, _) in instance.random_anchors(2, &mut rng).unwrap() {
                counts[source] += 1;
            }
        }
        // Binomial(5000, 2/5): the standard deviation is 35.
        for count in counts {
            assert!(count.abs_diff(2000) < 210, "{counts:?}");
        }
    }

    #[test]
    fn normal_draws_have_the_moments_and_the_tail_of_the_normal_law() {
        let mut rng = stream(3, 0);
        let draws: Vec<f64> = (0..100_000).map(|_| standard_normal(&mut rng)).collect();
        let moment = |power: i32| draws.iter().map(|x| x.powi(power)).sum::<f64>() / 1e5;
        // Six standard errors: the moments' variances are 1, 2, 15 and 96.
        for (power, want, variance) in [
            (1, 0.0, 1.0f64),
            (2, 1.0, 2.0),
            (3, 0.0, 15.0),
            (4, 3.0, 96.0),
        ] {
            let bound = 6.0 * (variance / 1e5).sqrt();
            assert!((moment(power) - want).abs() < bound, "moment {power}");
        }
        // P(|x| > 1.959964) = 0.05; the standard deviation of the count is 69.
        let outside = draws.iter().filter(|x| x.abs() > 1.959_964).count();
        assert!(outside.abs_diff(5000) < 414, "{outside}");
    }

    #[test]
    fn streams_of_one_seed_differ() {
        let mut a = stream(4, 0);
        let mut b = stream(4, 1);
        assert_ne!(a.random::<u64>(), b.random::<u64>());
    }
}
