//! Pairs of correlated stochastic block models (ρ-SBM), the protocol of Lyzinski, Fishkind & Priebe
//! (*Seeded graph matching for correlated Erdős–Rényi graphs*, JMLR 15, 2014) with blocks.
//!
//! Node u lies in block b(u). For every pair u < v, with p = B[b(u), b(v)], the edges X of the source
//! and Y of the target are Bernoulli(p) with correlation ρ:
//!
//! > P(Y = 1 | X = 1) = p + ρ (1 − p),   P(Y = 1 | X = 0) = p (1 − ρ),
//!
//! so each graph by itself is a stochastic block model, and ρ = 1 makes them equal. All weights are 1.
//! The target is then shuffled.

use anchormatch::graph::GraphBuilder;
use anchormatch::linalg::Matrix;
use anchormatch::{Error, Graph, Result};
use rand::RngExt;

use super::{Instance, stream};

/// The largest number of nodes: every pair is drawn.
const MOST_NODES: usize = 20_000;

/// What block models to make.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockModel {
    /// How many nodes each block has.
    pub sizes: Vec<usize>,
    /// B, the probability of an edge between two blocks; symmetric.
    pub probabilities: Matrix,
    /// ρ, the correlation between the two graphs' edges, from 0 to 1.
    pub correlation: f64,
}

impl Default for BlockModel {
    /// Three blocks of 100, B = [[.7, .3, .4], [.3, .7, .3], [.4, .3, .7]], ρ = 0.6.
    fn default() -> Self {
        let probabilities = vec![0.7, 0.3, 0.4, 0.3, 0.7, 0.3, 0.4, 0.3, 0.7];
        Self {
            sizes: vec![100; 3],
            probabilities: Matrix::from_vec(3, 3, probabilities),
            correlation: 0.6,
        }
    }
}

/// A pair of correlated block models; the source's nodes are in the order of the blocks.
///
/// With one seed, the source is the same at every correlation.
///
/// # Errors
/// When there are no nodes or more than 20 000, B is not symmetric with probabilities for all blocks,
/// or ρ is not in [0, 1].
///
/// # Complexity
/// O(n²) time.
pub fn block_model(settings: &BlockModel, seed: u64) -> Result<Instance> {
    settings.check()?;
    let blocks: Vec<usize> = settings
        .sizes
        .iter()
        .enumerate()
        .flat_map(|(block, &size)| std::iter::repeat_n(block, size))
        .collect();
    let n = blocks.len();
    let (mut edges, mut copies) = (stream(seed, 0), stream(seed, 1));
    let mut source = GraphBuilder::with_nodes(n)?;
    let mut target = GraphBuilder::with_nodes(n)?;
    for u in 0..n {
        for v in u + 1..n {
            let p = settings.probabilities[(blocks[u], blocks[v])];
            let present = edges.random::<f64>() < p;
            let again = if present {
                p + settings.correlation * (1.0 - p)
            } else {
                p * (1.0 - settings.correlation)
            };
            if present {
                source.edge(u, v, 1.0, None)?;
            }
            if copies.random::<f64>() < again {
                target.edge(u, v, 1.0, None)?;
            }
        }
    }
    let (source, target): (Graph, Graph) = (source.build()?, target.build()?);
    Instance::shuffled(source, &target, n, &mut stream(seed, 2))
}

impl BlockModel {
    fn check(&self) -> Result<()> {
        let nodes = self
            .sizes
            .iter()
            .fold(0usize, |sum, &size| sum.saturating_add(size));
        if !(1..=MOST_NODES).contains(&nodes) {
            return Err(Error::parameter(
                "sizes",
                format_args!("{nodes} nodes"),
                format_args!("1 to {MOST_NODES}"),
            ));
        }
        let (b, k) = (&self.probabilities, self.sizes.len());
        let sound = (b.rows(), b.cols()) == (k, k)
            && (0..k).all(|r| {
                (0..k).all(|s| (0.0..=1.0).contains(&b[(r, s)]) && b[(r, s)] == b[(s, r)])
            });
        if !sound {
            return Err(Error::parameter(
                "probabilities",
                format_args!("a {}×{} matrix", b.rows(), b.cols()),
                format_args!("a symmetric {k}×{k} matrix of numbers from 0 to 1"),
            ));
        }
        if !(0.0..=1.0).contains(&self.correlation) {
            return Err(Error::parameter(
                "correlation",
                self.correlation,
                "a number from 0 to 1",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often the source, the target and both have an edge between two blocks, and the pairs.
    fn counts(instance: &Instance, settings: &BlockModel, r: usize, s: usize) -> [f64; 4] {
        let first = |block: usize| settings.sizes[..block].iter().sum::<usize>();
        let mut counts = [0.0; 4];
        for u in first(r)..first(r + 1) {
            for v in (first(s)..first(s + 1)).filter(|&v| v > u) {
                let x = instance.source.weight(u, v);
                let y = instance
                    .target
                    .weight(instance.truth[u].1, instance.truth[v].1);
                assert!((x == 0.0 || x == 1.0) && (y == 0.0 || y == 1.0));
                [x, y, x * y, 1.0]
                    .iter()
                    .zip(&mut counts)
                    .for_each(|(value, count)| *count += value);
            }
        }
        counts
    }

    #[test]
    fn densities_and_correlations_are_those_asked_for() {
        for correlation in [0.0, 0.3, 0.8] {
            let settings = BlockModel {
                correlation,
                ..BlockModel::default()
            };
            let instance = block_model(&settings, 5).unwrap();
            assert_eq!(instance.truth.len(), 300);
            for (r, s) in [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)] {
                let p = settings.probabilities[(r, s)];
                let [x, y, both, pairs] = counts(&instance, &settings, r, s);
                let spread = 5.0 * (p * (1.0 - p) / pairs).sqrt();
                assert!((x / pairs - p).abs() < spread);
                assert!((y / pairs - p).abs() < spread);
                let got = (both / pairs - p * p) / (p * (1.0 - p));
                assert!(
                    (got - correlation).abs() < 6.0 / pairs.sqrt() * 2.0,
                    "{got}"
                );
            }
        }
    }

    #[test]
    fn full_correlation_makes_equal_graphs_and_the_source_does_not_depend_on_it() {
        let with = |correlation| {
            let settings = BlockModel {
                correlation,
                sizes: vec![10, 0, 7],
                ..BlockModel::default()
            };
            block_model(&settings, 9).unwrap()
        };
        let same = with(1.0);
        for &(u, a) in &same.truth {
            for &(v, b) in &same.truth {
                assert_eq!(same.source.weight(u, v), same.target.weight(a, b));
            }
        }
        assert_eq!(same.source, with(0.2).source);
        assert_eq!(with(0.2), with(0.2));
        assert_ne!(same.truth, (0..17).map(|u| (u, u)).collect::<Vec<_>>());
    }

    #[test]
    fn a_parameter_out_of_range_is_an_error_that_names_it() {
        let good = BlockModel::default;
        let asymmetric = Matrix::from_fn(3, 3, |r, s| if r < s { 0.5 } else { 0.1 });
        for (name, bad) in [
            (
                "sizes",
                BlockModel {
                    sizes: vec![],
                    ..good()
                },
            ),
            (
                "sizes",
                BlockModel {
                    sizes: vec![usize::MAX, 2, 2],
                    ..good()
                },
            ),
            (
                "probabilities",
                BlockModel {
                    sizes: vec![5, 5],
                    ..good()
                },
            ),
            (
                "probabilities",
                BlockModel {
                    probabilities: asymmetric,
                    ..good()
                },
            ),
            (
                "correlation",
                BlockModel {
                    correlation: f64::NAN,
                    ..good()
                },
            ),
            (
                "correlation",
                BlockModel {
                    correlation: 1.1,
                    ..good()
                },
            ),
        ] {
            let message = block_model(&bad, 0).unwrap_err().to_string();
            assert!(message.starts_with(name), "{message}");
        }
    }
}
