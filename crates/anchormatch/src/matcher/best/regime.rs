//! Stage *regime*: which way the search goes, decided once from plain facts.

use super::thresholds::{
    ANNEALED_PROPOSALS, DECOYS_DENSITY, LARGE, LARGEST_PARTIAL, LARGEST_UNEQUAL,
    LARGEST_WHOLE_CHAIN, LISTED_NODES, MEAN_FIELD_STEPS, SPARSE_DENSITY, UNEQUAL_DEGREES,
};
use super::{Best, Effort, Ingredients, RegimeChoice};
use crate::graph::Graph;
use crate::solver::{Anneal, Faq, MeanField, Portfolio, Solver};
use crate::task::Task;

/// Whether a task is matched over lists of candidates: as the caller says, else when it is large and its
/// graphs are sparse. A solver that the caller brought, and ingredients of the dense regime, need all pairs;
/// relations are compared over lists alone.
pub(super) fn is_sparse(preset: &Best, task: &Task<'_>) -> bool {
    if task.facts().relations.is_some() {
        return true;
    }
    let needs_all = preset.solver.is_some() || preset.ingredients != Ingredients::default();
    match preset.regime {
        RegimeChoice::Dense => false,
        RegimeChoice::Sparse => true,
        RegimeChoice::Auto => {
            let density = density(task);
            let is_listed = |&(nodes, most): &(usize, f64)| task.nodes() > nodes && density <= most;
            !needs_all && LISTED_NODES.iter().any(is_listed)
        }
    }
}

/// Whether all pairs are searched where lists of candidates find little: one graph has several times as many edges as the other, so that
/// hardly a neighbour's partner is a neighbour, and both are small enough.
pub(super) fn are_unequal(preset: &Best, task: &Task<'_>) -> bool {
    let facts = task.facts();
    let has_more = facts.start.is_some() || facts.crossing.is_some() || facts.relations.is_some();
    let degrees = task.graphs().map(|graph| {
        let arcs = graph.sparse_adjacency().entries() as f64;
        arcs / graph.node_count().max(1) as f64
    });
    let [one, other] = degrees;
    preset.regime == RegimeChoice::Auto
        && preset.effort == Effort::Best
        && !has_more
        && task.nodes() <= LARGEST_UNEQUAL
        && one.max(other) >= UNEQUAL_DEGREES * one.min(other)
}

/// Whether lists of candidates may be as good as all pairs, and are so much faster that they are worth asking first: they
/// are believed where they are [sure](super::thresholds::LISTS_ARE_SURE).
pub(super) fn may_list(preset: &Best, task: &Task<'_>) -> bool {
    let needs_all = preset.solver.is_some() || preset.ingredients != Ingredients::default();
    let facts = task.facts();
    let has_more = facts.start.is_some() || facts.crossing.is_some();
    preset.regime == RegimeChoice::Auto
        && !needs_all
        && !has_more
        && task.nodes() > LISTED_NODES[0].0
        && density(task) <= SPARSE_DENSITY
}

/// Whether lists of candidates are asked although all pairs are to be searched: a search of so many takes a hundred times as long,
/// and a stop on its way would find nothing.
pub(super) fn may_fall_back(preset: &Best, task: &Task<'_>) -> bool {
    let needs_all = preset.solver.is_some() || preset.ingredients != Ingredients::default();
    preset.regime == RegimeChoice::Dense
        && !needs_all
        && task.facts().crossing.is_none()
        && task.nodes() > LISTED_NODES[1].0
        && density(task) <= SPARSE_DENSITY
}

/// The edges of the denser graph as a share of all pairs of the larger one's nodes: a small graph has few edges however
/// dense it is.
fn density(task: &Task<'_>) -> f64 {
    let n = task.nodes().max(2) as f64;
    let entries = |graph: &Graph| graph.sparse_adjacency().entries() as f64;
    let most = task.graphs().into_iter().map(entries).fold(0.0, f64::max);
    most / (n * (n - 1.0))
}

/// Whether there are anchors to compare with others, and candidates to begin at: in dense graphs everybody is one.
pub(super) fn may_ask_decoys(task: &Task<'_>) -> bool {
    density(task) <= DECOYS_DENSITY
        && !task.anchors().hard().is_empty()
        && task.facts().start.is_none()
}

/// Whether matches that begin with other anchors are searched for over lists of candidates: over all pairs each takes as long as
/// the search did.
pub(super) fn decoys_are_listed(task: &Task<'_>) -> bool {
    task.nodes() > LARGEST_WHOLE_CHAIN
}

/// Whether chains of exchanges over lists may have the last word after a search of all pairs: beyond, the chains over all pairs go along
/// edges themselves, and know more (phone–email: .36 right beside .26).
pub(super) fn may_exchange(task: &Task<'_>) -> bool {
    task.nodes() <= LARGEST_WHOLE_CHAIN
}

/// Whether matches without some of the anchors are worth their time.
pub(super) fn may_hide_anchors(task: &Task<'_>) -> bool {
    task.nodes() <= LARGEST_WHOLE_CHAIN
        && !task.anchors().hard().is_empty()
        && task.facts().start.is_none()
}

/// Whether all pairs of a task may be searched by annealing over lists of edges, so that lists of candidates are worth
/// asking first.
pub(super) fn may_anneal(preset: &Best, task: &Task<'_>) -> bool {
    let is_sparse = |graph: &Graph| {
        let n = graph.node_count().max(2) as f64;
        graph.sparse_adjacency().entries() as f64 <= SPARSE_DENSITY * n * (n - 1.0)
    };
    let needs_all = preset.solver.is_some() || preset.ingredients != Ingredients::default();
    preset.effort == Effort::Best
        && !needs_all
        && (LARGE..=LARGEST_WHOLE_CHAIN).contains(&task.nodes())
        && task.graphs().into_iter().all(is_sparse)
}

/// What the choice depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outline {
    /// Free nodes of the larger side.
    pub(super) nodes: usize,
    /// Whether the program is the product of two lists of edges.
    pub(super) listed: bool,
    /// Whether the caller brought a solver.
    pub(super) has_solver: bool,
    pub(super) effort: Effort,
}

/// How the full program is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Regime {
    /// By the solver that the caller brought.
    Given,
    /// Sparse graphs of some size: annealing along edges.
    Annealing,
    /// The same with more time.
    LongAnnealing,
    /// Small graphs: relaxations and random starts, searched until independent searches agree.
    Portfolio,
    /// The rest: a relaxation and a short search; see [`Relaxed`].
    Relaxed(Relaxed),
}

/// What follows a relaxation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Relaxed {
    /// Whether a mean field that froze is asked twice, and is believed less than its marginals.
    pub(super) is_cautious: bool,
    /// Whether FAQ is asked as well, and a portfolio where chance could have found as much.
    pub(super) asks_others: bool,
    /// Whether that portfolio is worth its time.
    pub(super) may_search_on: bool,
}

impl Regime {
    pub(super) fn choose(outline: Outline, ingredients: &Ingredients) -> Self {
        let Outline {
            nodes,
            listed,
            has_solver,
            effort,
        } = outline;
        if has_solver {
            return Self::Given;
        }
        if ingredients.search && nodes >= LARGE && listed {
            return Self::Annealing;
        }
        let thorough = effort == Effort::Best && ingredients.search;
        if nodes < LARGE && thorough {
            return Self::Portfolio;
        }
        let is_moderate = nodes <= LARGEST_PARTIAL;
        Self::Relaxed(Relaxed {
            is_cautious: !is_moderate,
            asks_others: is_moderate,
            may_search_on: is_moderate && thorough,
        })
    }

    /// The name by which a result tells it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Given => "given solver",
            Self::Annealing | Self::LongAnnealing => "annealing",
            Self::Portfolio => "portfolio",
            Self::Relaxed(_) => "relaxation",
        }
    }
}

/// The annealing of the mean field for graphs of some size.
pub(super) fn mean_field(nodes: usize) -> MeanField {
    if nodes < LARGE {
        return MeanField::default();
    }
    let enough = MEAN_FIELD_STEPS.iter().find(|(most, _)| nodes <= *most);
    MeanField {
        first: 1.1,
        last: 1.9,
        steps: enough.map_or(24, |(_, steps)| *steps),
        reaction: 0.6,
        inertia: 0.5,
        ..MeanField::default()
    }
}

/// Searches from relaxations until four of them agree.
pub(super) fn portfolio(nodes: usize, effort: Effort, ingredients: &Ingredients) -> Portfolio {
    let mut relaxations: Vec<Box<dyn Solver>> = Vec::new();
    if nodes < LARGE {
        if ingredients.mean_field {
            let mut relaxation = mean_field(nodes);
            if effort == Effort::Best {
                // One start of the portfolio among many.
                relaxation.steps = 20;
            }
            relaxations.push(Box::new(relaxation));
        }
        relaxations.push(Box::new(Faq::default()));
    }
    Portfolio {
        relaxations,
        agreement: Some(4),
        patience: 4,
        use_all_time: false,
        ..Portfolio::default()
    }
}

/// Short rounds of annealing, as long as they gain something. Matchings as good as the best are sampled
/// once the scales are known.
pub(super) fn anneal(nodes: usize, effort: Effort, is_long: bool) -> Anneal {
    let thorough = Anneal {
        rounds: 8,
        sweeps: if is_long {
            (ANNEALED_PROPOSALS / nodes.max(1)).clamp(150, 8000)
        } else {
            150
        },
        samples: 0,
        ..Anneal::default()
    };
    match effort {
        Effort::Best => thorough,
        Effort::Fast => Anneal {
            rounds: 1,
            sweeps: thorough.sweeps / 2,
            ..thorough
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EdgeKinds;

    fn choose(nodes: usize, listed: bool, effort: Effort) -> Regime {
        let outline = Outline {
            nodes,
            listed,
            has_solver: false,
            effort,
        };
        Regime::choose(outline, &Ingredients::default())
    }

    #[test]
    fn size_and_density_decide() {
        use Effort::{Best, Fast};
        assert_eq!(choose(LARGE - 1, false, Best), Regime::Portfolio);
        assert_eq!(choose(LARGE - 1, true, Best), Regime::Portfolio);
        assert_eq!(choose(LARGE, true, Best), Regime::Annealing);
        assert_eq!(choose(LARGE, true, Fast), Regime::Annealing);
        let relaxed = |nodes, effort| match choose(nodes, false, effort) {
            Regime::Relaxed(relaxed) => relaxed,
            other => panic!("{other:?}"),
        };
        assert!(relaxed(LARGE, Best).may_search_on);
        assert!(!relaxed(LARGE, Fast).may_search_on);
        assert!(!relaxed(LARGEST_PARTIAL, Best).is_cautious);
        let large = relaxed(LARGEST_PARTIAL + 1, Best);
        assert!(large.is_cautious && !large.asks_others && !large.may_search_on);
    }

    #[test]
    fn a_solver_that_was_brought_is_the_regime() {
        for nodes in [3, 3000] {
            let outline = Outline {
                nodes,
                listed: true,
                has_solver: true,
                effort: Effort::Best,
            };
            let regime = Regime::choose(outline, &Ingredients::default());
            assert_eq!(regime, Regime::Given);
        }
    }

    #[test]
    fn graphs_one_of_which_shows_few_of_the_edges_are_unequal() {
        let ring = |n: usize, chords: usize| {
            let edges = (0..n).flat_map(|i| (1..=chords).map(move |k| (i, (i + k) % n, 1.0)));
            Graph::from_edges(n, &edges.collect::<Vec<_>>()).unwrap()
        };
        let are_unequal = |preset: &Best, source: &Graph, target: &Graph| {
            super::are_unequal(preset, &Task::from_pairs(source, target, &[]).unwrap())
        };
        let (auto, dense, sparse) = (Best::default(), ring(800, 9), ring(800, 2));
        assert!(are_unequal(&auto, &dense, &sparse) && are_unequal(&auto, &sparse, &dense));
        assert!(!are_unequal(&auto, &dense, &ring(800, 4)));
        let (large, larger) = (ring(LARGEST_UNEQUAL, 9), ring(LARGEST_UNEQUAL + 1, 9));
        assert!(are_unequal(&auto, &large, &sparse) && !are_unequal(&auto, &larger, &sparse));
        for preset in [
            Best {
                effort: Effort::Fast,
                ..Best::default()
            },
            Best {
                regime: RegimeChoice::Sparse,
                ..Best::default()
            },
        ] {
            assert!(!are_unequal(&preset, &dense, &sparse));
        }
    }

    #[test]
    fn large_graphs_with_few_edges_are_matched_over_lists() {
        let ring = |n: usize, chords: usize| {
            let edges = (0..n).flat_map(|i| (1..=chords).map(move |k| (i, (i + k) % n, 1.0)));
            Graph::from_edges(n, &edges.collect::<Vec<_>>()).unwrap()
        };
        let is_sparse = |preset: &Best, graph: &Graph| {
            super::is_sparse(preset, &Task::from_pairs(graph, graph, &[]).unwrap())
        };
        let auto = Best::default();
        // A small graph is no reason to form all pairs of a large one, be it complete.
        let (small, large) = (ring(21, 10), ring(5000, 4));
        assert!(super::is_sparse(
            &auto,
            &Task::from_pairs(&small, &large, &[]).unwrap()
        ));
        assert!(!is_sparse(&auto, &ring(300, 2)));
        assert!(is_sparse(&auto, &ring(301, 2)));
        assert!(!is_sparse(&auto, &ring(400, 10)));
        assert!(is_sparse(&auto, &ring(2001, 80)));
        assert!(!is_sparse(&auto, &ring(2001, 120)));
        let forced = |regime| Best::default().with_regime(regime);
        assert!(is_sparse(&forced(RegimeChoice::Sparse), &ring(5, 1)));
        assert!(!is_sparse(&forced(RegimeChoice::Dense), &ring(3000, 1)));
        // Relations are compared over lists, whatever the size.
        let small = ring(5, 1);
        let kinds = EdgeKinds::new(5, vec!["next".to_owned()], Vec::new()).unwrap();
        let kinds = std::sync::Arc::new(kinds);
        let related = Task::from_pairs(&small, &small, &[]).unwrap();
        let related = related.with_relations(kinds.clone(), kinds).unwrap();
        assert!(super::is_sparse(&auto, &related));
        // What needs all pairs has them.
        let with_solver = Best::default().with_solver(std::sync::Arc::new(Faq::default()));
        assert!(!is_sparse(&with_solver, &ring(301, 2)));
    }

    #[test]
    fn larger_graphs_get_fewer_steps() {
        let steps = [64, 400, 401, 800, 801, 100_000].map(|n| mean_field(n).steps);
        assert_eq!(steps, [60, 60, 40, 40, 24, 24]);
    }
}
