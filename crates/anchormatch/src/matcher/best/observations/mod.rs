//! Stage *observations*: what the two graphs show, on the scale on which weights compare.

mod views;

pub(super) use views::{View, claimed, measured};

use super::Ingredients;
use super::thresholds::{LEAST_COUNTED, SPARSE_DENSITY};
use crate::affinity::likelihood::{Observations, Scale, are_counts, are_lengths, has_heavy_tails};
use crate::error::{Hint, Result};
use crate::graph::Graph;
use crate::monitor::Monitor;
use crate::spectral::{Spectrum, diffusion_time, heat_kernel};
use crate::task::Task;

/// The weights of all pairs of nodes of both graphs.
pub(super) struct Observed {
    pub(super) source: Observations,
    pub(super) target: Observations,
    pub(super) scale: Scale,
    /// What is shown beside the edges.
    pub(super) further: Vec<View>,
}

impl Observed {
    /// Whether every pair of either graph is joined.
    pub(super) fn is_complete(&self) -> bool {
        self.source.is_complete() && self.target.is_complete()
    }

    /// The larger share of pairs that are joined.
    pub(super) fn density(&self) -> f64 {
        self.source.density().max(self.target.density())
    }
}

/// Lengths are compared by their roots, counts with heavy tails by their logarithms, other weights with heavy
/// tails by their ranks, others as they are. Directions count where both graphs have them.
pub(super) fn observe(
    task: &Task<'_>,
    ingredients: &Ingredients,
    monitor: &Monitor,
) -> Result<Observed> {
    let [source, target] = task.graphs();
    // Of graphs with many edges the program needs more, and who lacks that need not wait for the tables.
    let has_many = |graph: &Graph| {
        let n = graph.node_count().max(2) as f64;
        graph.sparse_adjacency().entries() as f64 > SPARSE_DENSITY * n * (n - 1.0)
    };
    let (what, own) = if task.graphs().into_iter().any(has_many) {
        ("the evidence of all pairs of pairs", 5)
    } else {
        ("the weights of all pairs of nodes", 1)
    };
    monitor.reserve(what, bytes(own, 3, task.graphs()), MORE_MEMORY)?;
    let mut observed = match &task.facts().layers {
        None => one_layer([source, target], task.is_directed(), ingredients, monitor)?,
        Some(kinds) => {
            let layers = views::layers(task.graphs(), [&kinds[0], &kinds[1]], task.is_directed())?;
            let more = layers.len().saturating_sub(1) as u64;
            monitor.reserve(
                "the weights of all layers",
                bytes(more, 0, task.graphs()),
                MORE_MEMORY,
            )?;
            let mut layers = layers.iter().map(|[source, target]| {
                one_layer([source, target], task.is_directed(), ingredients, monitor)
            });
            // Layers that never have the same name are as good as none.
            let Some(first) = layers.next() else {
                return one_layer([source, target], task.is_directed(), ingredients, monitor);
            };
            let mut first = first?;
            for layer in layers {
                first.further.push(View::Layer(Box::new(layer?)));
            }
            first
        }
    };
    if let Some([there, back]) = &task.facts().crossing {
        let what = "the weights of the edges between the sides";
        monitor.reserve(what, bytes(0, 2, task.graphs()), MORE_MEMORY)?;
        let crossing = views::crossing([there, back], observed.scale);
        observed.further.push(crossing);
    }
    Ok(observed)
}

/// What two graphs show.
fn one_layer(
    graphs: [&Graph; 2],
    directed: bool,
    ingredients: &Ingredients,
    monitor: &Monitor,
) -> Result<Observed> {
    let [source, target] = graphs;
    let scale = if ingredients.root_lengths && are_lengths(source) && are_lengths(target) {
        Scale::Roots
    } else if has_heavy_tails(source) || has_heavy_tails(target) {
        let enough = source.node_count().max(target.node_count()) >= LEAST_COUNTED;
        if enough && are_counts(source) && are_counts(target) {
            Scale::Counts
        } else {
            Scale::Ranks
        }
    } else {
        Scale::AsGiven
    };
    let one = |graph: &Graph| -> Result<Observations> {
        if ingredients.heat_for_weights {
            let spectrum = Spectrum::of(graph, monitor)?;
            let heat = heat_kernel(&spectrum, diffusion_time(graph, 1.0)?);
            Ok(Observations::of_matrix(&heat))
        } else {
            Observations::formed(graph, scale, directed, monitor)
        }
    };
    Ok(Observed {
        source: one(source)?,
        target: one(target)?,
        scale,
        further: Vec::new(),
    })
}

/// What to do when the memory does not suffice.
pub(super) const MORE_MEMORY: &[Hint] =
    &[Hint::MoreMemory, Hint::SparseRegime, Hint::SmallerGraphs];

/// The bytes of some matrices over the pairs of each graph's nodes, and some of source × target.
pub(super) fn bytes(own: u64, between: u64, graphs: [&Graph; 2]) -> u64 {
    let [n, m] = graphs.map(|graph| graph.node_count() as u64);
    let squares = n.saturating_mul(n).saturating_add(m.saturating_mul(m));
    let count = own.saturating_mul(squares);
    let count = count.saturating_add(between.saturating_mul(n.saturating_mul(m)));
    count.saturating_mul(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anchors::Anchors;
    use crate::error::Error;

    fn scale(edges: &[(usize, usize, f64)]) -> Scale {
        let graph = Graph::from_edges(6, edges).unwrap();
        let none = Anchors::none();
        let task = Task::new(&graph, &graph, &none).unwrap();
        observe(&task, &Ingredients::default(), &Monitor::silent())
            .unwrap()
            .scale
    }

    #[test]
    fn the_scale_follows_the_weights() {
        let pairs = || (0..6usize).flat_map(|i| (0..i).map(move |j| (j, i)));
        let lengths: Vec<_> = pairs().map(|(j, i)| (j, i, (i - j) as f64)).collect();
        assert_eq!(scale(&lengths), Scale::Roots);
        let plain: Vec<_> = pairs()
            .map(|(j, i)| (j, i, [1.0, -1.0][(i + j) % 2]))
            .collect();
        assert_eq!(scale(&plain), Scale::AsGiven);
        let mut heavy: Vec<_> = pairs().map(|(j, i)| (j, i, -1.0)).collect();
        heavy[3].2 = 1e6;
        assert_eq!(scale(&heavy), Scale::Ranks);
    }

    #[test]
    fn enough_counts_are_compared_by_their_logarithms() {
        let scale = |nodes: usize, factor: f64| {
            let edges: Vec<_> = (1..nodes)
                .map(|i| (i - 1, i, factor * (1 << (i % 12)) as f64))
                .collect();
            let graph = Graph::from_arcs(nodes, &edges).unwrap();
            let none = Anchors::none();
            let task = Task::new(&graph, &graph, &none).unwrap();
            let observed = observe(&task, &Ingredients::default(), &Monitor::silent()).unwrap();
            assert!(observed.source.is_directed());
            let (there, back) = (observed.source.get(4, 5), observed.source.get(5, 4));
            assert!(there != back, "{there:?}");
            observed.scale
        };
        assert_eq!(scale(LEAST_COUNTED, 1.0), Scale::Counts);
        assert_eq!(scale(LEAST_COUNTED - 1, 1.0), Scale::Ranks);
        assert_eq!(scale(LEAST_COUNTED, 0.3), Scale::Ranks);
    }

    #[test]
    fn memory_is_asked_for_before_it_is_taken() {
        let path = Graph::from_edges(100, &[(0, 1, 1.0)]).unwrap();
        let none = Anchors::none();
        let task = Task::new(&path, &path, &none).unwrap();
        let needed = bytes(1, 3, task.graphs());
        assert_eq!(needed, 8 * 5 * 100 * 100);
        let observe = |bytes| {
            let monitor = Monitor::silent().max_memory(bytes);
            observe(&task, &Ingredients::default(), &monitor).map(|_| ())
        };
        assert!(observe(needed).is_ok());
        assert!(matches!(observe(needed - 1), Err(Error::Memory { .. })));
        // A few nodes that are all joined, and a large graph: what the program needs is asked for first.
        let clique = Graph::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0)]).unwrap();
        let task = Task::new(&clique, &path, &none).unwrap();
        let monitor = Monitor::silent().max_memory(bytes(5, 3, task.graphs()) - 1);
        let error = super::observe(&task, &Ingredients::default(), &monitor).err();
        assert!(matches!(error, Some(Error::Memory { .. })), "{error:?}");
    }
}
