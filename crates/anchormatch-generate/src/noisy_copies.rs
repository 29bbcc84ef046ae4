//! Two noisy copies of a large sparse graph, in time and memory of its edges.

use anchormatch::graph::GraphBuilder;
use anchormatch::{Error, Graph, Result};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::{Instance, stream};

/// How the edges of the parent come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Family {
    /// All pairs are as likely.
    Uniform,
    /// Ends are drawn with weights k^(−2/3), k = 1, 2, …: degrees with a power law of exponent 5/2 (Chung, Lu 2002).
    PowerLaw,
    /// Every node joins earlier ones, those with many neighbours more often (Barabási, Albert 1999).
    Preferential,
    /// A ring with chords, one edge in ten led elsewhere (Watts, Strogatz 1998).
    SmallWorld,
    /// Points of the unit square that lie near to one another.
    Geometric,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Uniform,
        Self::PowerLaw,
        Self::Preferential,
        Self::SmallWorld,
        Self::Geometric,
    ];

    /// The name by which commands know it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::PowerLaw => "power-law",
            Self::Preferential => "preferential",
            Self::SmallWorld => "small-world",
            Self::Geometric => "geometric",
        }
    }
}

/// Parameters of [`noisy_copies`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoisyCopies {
    /// Nodes. Default 1000.
    pub nodes: usize,
    /// The mean degree of the parent. Default 10.
    pub degree: f64,
    /// The share of the parent's edges that the source and that the target keep. Default 0.9 each.
    pub kept: [f64; 2],
    /// How the parent comes about. Default uniform.
    pub family: Family,
}

impl Default for NoisyCopies {
    fn default() -> Self {
        Self {
            nodes: 1000,
            degree: 10.0,
            kept: [0.9; 2],
            family: Family::Uniform,
        }
    }
}

/// Copies of one parent graph that lose edges apart from one another; the target is shuffled.
///
/// Every node is in both graphs and in the truth, whether it kept an edge or not.
///
/// # Errors
/// When there are fewer than 2 nodes, the degree is not above 0 and below a quarter of the nodes, or a share
/// is not between 0 and 1.
///
/// # Complexity
/// O(edges), whatever the family.
pub fn noisy_copies(settings: &NoisyCopies, seed: u64) -> Result<Instance> {
    let NoisyCopies {
        nodes,
        degree,
        kept,
        family,
    } = *settings;
    if nodes < 2 {
        return Err(Error::parameter("nodes", nodes, "at least 2"));
    }
    if !(degree > 0.0 && degree <= nodes as f64 / 4.0) {
        let expected = format_args!("more than 0 and at most a quarter of the {nodes} nodes");
        return Err(Error::parameter("degree", degree, expected));
    }
    if let Some(share) = kept.iter().find(|share| !(0.0..=1.0).contains(*share)) {
        return Err(Error::parameter("kept", share, "a share from 0 to 1"));
    }
    let mut parent = parent(family, nodes, degree, &mut stream(seed, 0));
    parent.sort_unstable();
    parent.dedup();
    let copy = |part: u64, share: f64| -> Result<Graph> {
        let mut rng = stream(seed, part);
        let mut builder = GraphBuilder::with_nodes(nodes)?;
        for &(low, high) in &parent {
            if rng.random::<f64>() < share {
                builder.edge(low as usize, high as usize, 1.0, None)?;
            }
        }
        builder.build()
    };
    let (source, target) = (copy(1, kept[0])?, copy(2, kept[1])?);
    Instance::shuffled(source, &target, nodes, &mut stream(seed, 3))
}

/// The parent's edges, lower node first; some may stand twice.
fn parent(family: Family, n: usize, degree: f64, rng: &mut ChaCha8Rng) -> Vec<(u32, u32)> {
    let count = (n as f64 * degree / 2.0) as usize;
    let mut edges = Vec::with_capacity(count);
    let mut push = |i: usize, j: usize| {
        if i != j {
            edges.push((i.min(j) as u32, i.max(j) as u32));
        }
    };
    match family {
        Family::Uniform => {
            for _ in 0..count {
                push(rng.random_range(0..n), rng.random_range(0..n));
            }
        }
        Family::PowerLaw => {
            // P(end ≤ k) is nearly (k/n)^(1/3): its inverse draws an end without a table.
            let mut end = || ((rng.random::<f64>().powi(3) * n as f64) as usize).min(n - 1);
            for _ in 0..count {
                let (i, j) = (end(), end());
                push(i, j);
            }
        }
        Family::Preferential => {
            let each = ((degree / 2.0).round() as usize).max(1);
            // Every node stands here once for each of its edges.
            let mut ends: Vec<usize> = (0..=each.min(n - 1)).collect();
            for i in ends.len()..n {
                for _ in 0..each {
                    let j = ends[rng.random_range(0..ends.len())];
                    push(i, j);
                    ends.push(j);
                    ends.push(i);
                }
            }
        }
        Family::SmallWorld => {
            let reach = ((degree / 2.0).round() as usize).max(1);
            for i in 0..n {
                for step in 1..=reach {
                    let elsewhere = rng.random::<f64>() < 0.1;
                    let j = if elsewhere {
                        rng.random_range(0..n)
                    } else {
                        (i + step) % n
                    };
                    push(i, j);
                }
            }
        }
        Family::Geometric => {
            let radius = (degree / (std::f64::consts::PI * n as f64)).sqrt();
            let points: Vec<[f64; 2]> = (0..n).map(|_| [rng.random(), rng.random()]).collect();
            let cells = ((1.0 / radius) as usize).clamp(1, 1 << 14);
            let cell = |x: f64| ((x * cells as f64) as usize).min(cells - 1);
            let mut grid: std::collections::BTreeMap<(usize, usize), Vec<usize>> =
                std::collections::BTreeMap::new();
            for (i, [x, y]) in points.iter().enumerate() {
                grid.entry((cell(*x), cell(*y))).or_default().push(i);
            }
            for (&(cx, cy), inside) in &grid {
                for (dx, dy) in [(0, 0), (0, 1), (1, 0), (1, 1), (1, -1)] {
                    let other = (cx + dx, cy.wrapping_add_signed(dy));
                    for &i in inside {
                        for &j in grid.get(&other).into_iter().flatten() {
                            let [x, y] = [0, 1].map(|k| points[i][k] - points[j][k]);
                            if (other != (cx, cy) || i < j) && x * x + y * y < radius * radius {
                                push(i, j);
                            }
                        }
                    }
                }
            }
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_keep_their_shares_and_the_truth_says_which_edges_are_common() {
        for family in Family::ALL {
            let settings = NoisyCopies {
                nodes: 4000,
                degree: 8.0,
                kept: [0.9, 0.6],
                family,
            };
            let instance = noisy_copies(&settings, 5).unwrap();
            assert_eq!(instance, noisy_copies(&settings, 5).unwrap());
            assert_ne!(instance, noisy_copies(&settings, 6).unwrap());
            let (source, target) = (&instance.source, &instance.target);
            assert_eq!((source.node_count(), target.node_count()), (4000, 4000));
            let mut partner = vec![0; 4000];
            for &(i, a) in &instance.truth {
                partner[i] = a;
            }
            let mut common = 0;
            for i in 0..4000 {
                let kept = source
                    .neighbours(i)
                    .filter(|&(j, _)| target.weight(partner[i], partner[j]) != 0.0);
                common += kept.count();
            }
            let name = family.name();
            let arcs = |graph: &Graph| 2.0 * graph.edge_count() as f64;
            let share = common as f64 / arcs(source);
            assert!((share - 0.6).abs() < 0.02, "{name}: {share}");
            let share = common as f64 / arcs(target);
            assert!((share - 0.9).abs() < 0.02, "{name}: {share}");
            // Repetitions cost the power law some edges.
            let mean = arcs(source) / 4000.0 / 0.9;
            assert!((5.5..8.5).contains(&mean), "{name}: {mean}");
            let most = (0..4000).map(|i| source.neighbours(i).len()).max().unwrap();
            let heavy = matches!(family, Family::PowerLaw | Family::Preferential);
            assert_eq!(heavy, most > 60, "{name}: {most}");
        }
    }

    #[test]
    fn senseless_settings_are_refused() {
        let refused = |change: fn(&mut NoisyCopies)| {
            let mut settings = NoisyCopies::default();
            change(&mut settings);
            noisy_copies(&settings, 0).unwrap_err().to_string()
        };
        assert!(refused(|s| s.nodes = 1).contains("nodes"));
        assert!(refused(|s| s.degree = f64::NAN).contains("degree"));
        assert!(refused(|s| s.degree = 500.0).contains("degree"));
        assert!(refused(|s| s.kept[1] = 1.5).contains("kept"));
    }
}
