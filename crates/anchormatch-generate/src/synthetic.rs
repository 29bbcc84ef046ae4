//! Random graphs after Cho, Lee & Lee, *Reweighted Random Walks for Graph Matching* (ECCV 2010), 4.1.
//!
//! The source G has n_in inliers and n_out outliers. Each pair of nodes is an edge with probability ρ
//! (`density`), its weight drawn from U(0, 1]. The target G' shares the subgraph of the inliers, each of
//! its edges perturbed by N(0, σ²) (`noise`); all edges that touch one of G''s own outliers are
//! drawn afresh. Its nodes are then shuffled.
//!
//! Noise moves weights and never makes or removes an edge, as in the authors' program, where an
//! absent edge has no attribute to perturb. That program also adds noise to G''s outlier edges;
//! [`Synthetic::noisy_outliers`] does so. Noisy weights may be negative and are kept as they are.

use anchormatch::graph::GraphBuilder;
use anchormatch::{Error, Graph, Result};
use rand_chacha::ChaCha8Rng;

use super::random_edges::{Edge, random_edges};
use super::{Instance, standard_normal, stream};

/// What random graphs to make; the default is 20 inliers, complete, without noise or outliers.
#[derive(Debug, Clone, PartialEq)]
pub struct Synthetic {
    /// Nodes that both graphs share, n_in.
    pub inliers: usize,
    /// Nodes of the source that have no partner.
    pub source_outliers: usize,
    /// Nodes of the target that have no partner.
    pub target_outliers: usize,
    /// The probability ρ that a pair of nodes is an edge, above 0 and at most 1.
    pub density: f64,
    /// The standard deviation σ of the noise on the target's weights.
    pub noise: f64,
    /// Whether the edges at the target's outliers are perturbed too, as in the authors' program.
    pub noisy_outliers: bool,
}

impl Default for Synthetic {
    fn default() -> Self {
        Self {
            inliers: 20,
            source_outliers: 0,
            target_outliers: 0,
            density: 1.0,
            noise: 0.0,
            noisy_outliers: false,
        }
    }
}

/// The largest number of nodes that one graph may have.
const MOST_NODES: usize = 10_000_000;
/// The largest number of edges, in expectation, that one graph may have: a complete graph of 10⁴ nodes.
const MOST_EDGES: f64 = 5e7;

/// A pair of random graphs.
///
/// The inliers are the source's first nodes. With one seed, the graphs are the same at every noise
/// level but for the size of the noise, and the inliers at every number of outliers.
///
/// # Errors
/// When there are no inliers, ρ is not in (0, 1], σ is negative or not finite, or a graph would have
/// more than 10⁷ nodes or 5·10⁷ edges.
///
/// # Complexity
/// O(n + |E| log |E|) time and O(n + |E|) memory.
///
/// ```
/// use anchormatch_generate::{Synthetic, synthetic};
/// let settings = Synthetic { noise: 0.2, target_outliers: 5, ..Synthetic::default() };
/// let instance = synthetic(&settings, 7)?;
/// assert_eq!((instance.source.node_count(), instance.target.node_count()), (20, 25));
/// assert_eq!(instance.truth.len(), 20);
/// # Ok::<(), anchormatch::Error>(())
/// ```
pub fn synthetic(settings: &Synthetic, seed: u64) -> Result<Instance> {
    let (source_nodes, target_nodes) = settings.check()?;
    let Synthetic {
        inliers,
        density,
        noise,
        ..
    } = *settings;

    // Rows of inliers come first, so that they do not depend on the number of outliers.
    let source_edges = random_edges(0..source_nodes, density, &mut stream(seed, 0));
    let mut target_edges: Vec<Edge> = source_edges
        .iter()
        .copied()
        .filter(|&(_, high, _)| high < inliers)
        .collect();
    perturb(&mut target_edges, noise, &mut stream(seed, 1));
    let mut outlier_edges = random_edges(inliers..target_nodes, density, &mut stream(seed, 2));
    if settings.noisy_outliers {
        perturb(&mut outlier_edges, noise, &mut stream(seed, 3));
    }
    target_edges.append(&mut outlier_edges);

    let source = build(source_nodes, source_edges)?;
    let target = build(target_nodes, target_edges)?;
    Instance::shuffled(source, &target, inliers, &mut stream(seed, 4))
}

impl Synthetic {
    /// The sizes of both graphs, once every parameter is in its range.
    fn check(&self) -> Result<(usize, usize)> {
        if !(1..=MOST_NODES).contains(&self.inliers) {
            return Err(Error::parameter(
                "inliers",
                self.inliers,
                format_args!("1 to {MOST_NODES}"),
            ));
        }
        if !(self.density > 0.0 && self.density <= 1.0) {
            return Err(Error::parameter(
                "density",
                self.density,
                "above 0 and at most 1",
            ));
        }
        if !(self.noise >= 0.0 && self.noise.is_finite()) {
            return Err(Error::parameter(
                "noise",
                self.noise,
                "a finite standard deviation, 0 or more",
            ));
        }
        let nodes = |name: &'static str, outliers: usize| {
            let nodes = self
                .inliers
                .checked_add(outliers)
                .filter(|&n| n <= MOST_NODES)
                .ok_or_else(|| {
                    Error::parameter(
                        name,
                        outliers,
                        format_args!("at most {}", MOST_NODES - self.inliers),
                    )
                })?;
            let expected = self.density * 0.5 * nodes as f64 * (nodes as f64 - 1.0);
            if expected > MOST_EDGES {
                return Err(Error::parameter(
                    "density",
                    format_args!(
                        "{}, about {expected:.1e} edges among {nodes} nodes",
                        self.density
                    ),
                    format_args!("at most {MOST_EDGES:.0e} edges"),
                ));
            }
            Ok(nodes)
        };
        Ok((
            nodes("source_outliers", self.source_outliers)?,
            nodes("target_outliers", self.target_outliers)?,
        ))
    }
}

/// Adds N(0, noise²) to each weight.
fn perturb(edges: &mut [Edge], noise: f64, rng: &mut ChaCha8Rng) {
    for (_, _, weight) in edges {
        *weight += noise * standard_normal(rng);
    }
}

fn build(nodes: usize, edges: Vec<Edge>) -> Result<Graph> {
    let mut builder = GraphBuilder::with_nodes(nodes)?;
    for (low, high, weight) in edges {
        builder.edge(low, high, weight, None)?;
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::random_edges::plausible;

    fn pairs(nodes: usize) -> usize {
        nodes * nodes.saturating_sub(1) / 2
    }

    fn any_settings() -> impl Strategy<Value = Synthetic> {
        let density = prop_oneof![Just(1.0), 1e-3..1.0f64];
        let noise = prop_oneof![Just(0.0), 0.0..2.0f64];
        (
            1usize..24,
            0usize..12,
            0usize..12,
            density,
            noise,
            any::<bool>(),
        )
            .prop_map(
                |(inliers, source_outliers, target_outliers, density, noise, noisy_outliers)| {
                    Synthetic {
                        inliers,
                        source_outliers,
                        target_outliers,
                        density,
                        noise,
                        noisy_outliers,
                    }
                },
            )
    }

    proptest! {
        #[test]
        fn instances_have_the_sizes_densities_and_truth_that_were_asked_for(
            settings in any_settings(),
            seed in any::<u64>(),
        ) {
            let instance = synthetic(&settings, seed).unwrap();
            let (source, target) = (&instance.source, &instance.target);
            let n = settings.inliers;
            prop_assert_eq!(source.node_count(), n + settings.source_outliers);
            prop_assert_eq!(target.node_count(), n + settings.target_outliers);
            prop_assert!(plausible(source.edge_count(), pairs(source.node_count()), settings.density));
            prop_assert!(plausible(target.edge_count(), pairs(target.node_count()), settings.density));
            for graph in [source, target] {
                for i in 0..graph.node_count() {
                    for (j, weight) in graph.neighbours(i) {
                        prop_assert!(i != j && weight.is_finite());
                        prop_assert_eq!(weight, graph.weight(j, i));
                    }
                }
            }
            for i in 0..source.node_count() {
                prop_assert!(source.neighbours(i).all(|(_, w)| w > 0.0 && w <= 1.0));
            }

            // A partial injection that covers exactly the inliers.
            let sources: Vec<usize> = instance.truth.iter().map(|p| p.0).collect();
            prop_assert_eq!(sources, (0..n).collect::<Vec<_>>());
            let targets: HashSet<usize> = instance.truth.iter().map(|p| p.1).collect();
            prop_assert_eq!(targets.len(), n);
            prop_assert!(targets.iter().all(|&t| t < target.node_count()));

            // Noise neither makes nor removes an edge among inliers; without it, weights are equal.
            for &(i, a) in &instance.truth {
                for &(j, b) in &instance.truth {
                    let (before, after) = (source.weight(i, j), target.weight(a, b));
                    prop_assert_eq!(before == 0.0, after == 0.0);
                    if settings.noise == 0.0 {
                        prop_assert_eq!(before, after);
                    } else {
                        prop_assert!((before - after).abs() < 9.0 * settings.noise + 1e-12);
                    }
                }
            }
            prop_assert_eq!(&instance, &synthetic(&settings, seed).unwrap());
        }
    }

    #[test]
    fn the_noise_is_normal_with_the_deviation_asked_for() {
        let settings = Synthetic {
            inliers: 150,
            noise: 0.3,
            ..Synthetic::default()
        };
        let instance = synthetic(&settings, 11).unwrap();
        let mut differences = Vec::new();
        for &(i, a) in &instance.truth {
            for &(j, b) in &instance.truth[..i] {
                differences.push(instance.target.weight(a, b) - instance.source.weight(i, j));
            }
        }
        let count = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / count;
        let variance = differences.iter().map(|d| d * d).sum::<f64>() / count;
        assert!(mean.abs() < 6.0 * 0.3 / count.sqrt(), "{mean}");
        assert!(
            (variance / 0.09 - 1.0).abs() < 6.0 * (2.0 / count).sqrt(),
            "{variance}"
        );
        assert!(instance.target.has_negative_weights());
    }

    #[test]
    fn outlier_edges_are_fresh_and_take_noise_only_when_asked() {
        let mut settings = Synthetic {
            inliers: 10,
            source_outliers: 30,
            target_outliers: 30,
            noise: 0.5,
            ..Synthetic::default()
        };
        let is_inlier = |instance: &Instance, a| instance.truth.iter().any(|p| p.1 == a);
        let negative_outlier_edges = |instance: &Instance| {
            let target = &instance.target;
            (0..target.node_count())
                .filter(|&a| !is_inlier(instance, a))
                .flat_map(|a| target.neighbours(a))
                .filter(|&(_, weight)| weight < 0.0)
                .count()
        };
        let fresh = synthetic(&settings, 5).unwrap();
        assert_eq!(negative_outlier_edges(&fresh), 0);
        let source_weights: HashSet<u64> = (10..40)
            .flat_map(|i| fresh.source.neighbours(i))
            .map(|(_, weight)| weight.to_bits())
            .collect();
        for a in (0..40).filter(|&a| !is_inlier(&fresh, a)) {
            for (_, weight) in fresh.target.neighbours(a) {
                assert!(!source_weights.contains(&weight.to_bits()));
            }
        }
        settings.noisy_outliers = true;
        assert!(negative_outlier_edges(&synthetic(&settings, 5).unwrap()) > 0);
    }

    #[test]
    fn one_seed_shares_all_that_a_parameter_does_not_touch() {
        let quiet = synthetic(&Synthetic::default(), 3).unwrap();
        let with = |noise, outliers| {
            let settings = Synthetic {
                noise,
                source_outliers: outliers,
                ..Synthetic::default()
            };
            synthetic(&settings, 3).unwrap()
        };
        let (low, high) = (with(0.1, 0), with(0.2, 0));
        assert_eq!(low.source, quiet.source);
        assert_eq!(low.truth, high.truth);
        let base = quiet.target.adjacency();
        let (low, high) = (low.target.adjacency(), high.target.adjacency());
        for ((b, l), h) in base
            .as_slice()
            .iter()
            .zip(low.as_slice())
            .zip(high.as_slice())
        {
            assert!((2.0 * (l - b) - (h - b)).abs() < 1e-12);
        }
        let crowded = with(0.0, 6);
        for i in 0..20 {
            for j in 0..20 {
                assert_eq!(crowded.source.weight(i, j), quiet.source.weight(i, j));
            }
        }
        assert_ne!(
            synthetic(&Synthetic::default(), 4).unwrap().source,
            quiet.source
        );
    }

    #[test]
    fn large_sparse_graphs_cost_their_edges() {
        let settings = Synthetic {
            inliers: 100_000,
            density: 2e-6,
            ..Synthetic::default()
        };
        let instance = synthetic(&settings, 1).unwrap();
        assert!(plausible(
            instance.source.edge_count(),
            pairs(100_000),
            2e-6
        ));
        assert_eq!(instance.source.edge_count(), instance.target.edge_count());
    }

    #[test]
    fn a_parameter_out_of_range_is_an_error_that_names_it() {
        let good = Synthetic::default;
        let bad = |name: &str, settings: Synthetic| {
            let message = synthetic(&settings, 0).unwrap_err().to_string();
            assert!(message.starts_with(name), "{message}");
        };
        bad(
            "inliers",
            Synthetic {
                inliers: 0,
                ..good()
            },
        );
        bad(
            "inliers",
            Synthetic {
                inliers: usize::MAX,
                ..good()
            },
        );
        for density in [0.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
            bad("density", Synthetic { density, ..good() });
        }
        for noise in [-0.1, f64::NAN, f64::INFINITY] {
            bad("noise", Synthetic { noise, ..good() });
        }
        let source_outliers = usize::MAX;
        bad(
            "source_outliers",
            Synthetic {
                source_outliers,
                ..good()
            },
        );
        let target_outliers = usize::MAX - 3;
        bad(
            "target_outliers",
            Synthetic {
                target_outliers,
                ..good()
            },
        );
        bad(
            "density",
            Synthetic {
                inliers: 1_000_000,
                ..good()
            },
        );
        // Noise that leaves the numbers is caught where the graph is built.
        bad(
            "graph",
            Synthetic {
                noise: f64::MAX,
                ..good()
            },
        );
    }
}
