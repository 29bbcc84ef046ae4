//! Pairs of real networks whose matching is known: proteins, voles, e-mail and neurons.
//!
//! | name | source and target | truth |
//! |---|---|---|
//! | `yeast-05` … `yeast-25` | protein interactions of yeast, and the same with 5 to 25 % of less certain ones added (Saraph & Milenković, *MAGNA*, Bioinformatics 2014) | same id |
//! | `voles-99` … `voles-80` | voles caught in the same trap, and 99 to 80 % of those edges (network repository, mammalia-voles-plj-trapping) | same id |
//! | `enron` | who wrote to whom in two weeks (igraphmatch, after Priebe et al. 2005) | same id |
//! | `arenas` | e-mail of a university (Guimerà et al. 2003), and the same with 5 % of the edges removed (GRASP) | a file |
//! | `arenas-regal` | the same network twice (Heimann et al., *REGAL*, CIKM 2018) | a file |
//! | `celegans-types` | chemical synapses and gap junctions of one worm (Vogelstein et al., PLoS ONE 2015) | same id |
//! | `celegans-sides` | chemical synapses among the left neurons, and among the right ones of the same worm | a file |
//!
//! Files are edge lists `u,v[,weight]`. Self-loops are dropped. The two C. elegans pairs are weighted
//! by ½(A + Aᵀ), which leaves the symmetric gap junctions as they are; every other network is 0/1, an
//! edge in either direction being an edge. The sides are the subgraphs of the left and of the right
//! neurons that have a mirror image: a synapse that crosses the body belongs to neither.
//!
//! **A node that has no edge in its own graph, or whose partner has none, is dropped from both**, once:
//! what loses its last neighbour by that stays, isolated. Then both graphs have the same number of
//! nodes and everyone has a partner.

#[cfg(test)]
mod tests;
mod truth;

use std::path::Path;

use anchormatch::graph::{Duplicates, GraphBuilder, Labels};
use anchormatch::{Error, Graph, Result};
use anchormatch_generate::{Instance, stream};
use anchormatch_io::{Format, ReadOptions, read_graph};

use super::DatasetError;

const NAME: &str = "networks";
const LAYOUT: &str = "the folders netalign_yeast_multimagna, netalign_voles, netalign_arenas, \
                      enron_igraphmatch and celegans_connectomes, with edge lists u,v[,weight]";
/// The real graphs take a few MiB; a much larger one is something else.
const MOST_BYTES: u64 = 1 << 28;

/// Where a pair of networks stands in the data directory, and how it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    name: &'static str,
    folder: &'static str,
    source: &'static str,
    target: &'static str,
    truth: Truth,
    weighted: bool,
}

/// How partners are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    /// By equal ids.
    SameId,
    /// By a file with the columns `source,target`.
    File(&'static str),
    /// By a file with the columns `left,right,left_name,right_name`, which also says who is in which
    /// graph.
    Sides(&'static str),
}

const fn plain(
    name: &'static str,
    folder: &'static str,
    source: &'static str,
    target: &'static str,
    truth: Truth,
) -> Network {
    Network {
        name,
        folder,
        source,
        target,
        truth,
        weighted: false,
    }
}

const fn yeast(name: &'static str, target: &'static str) -> Network {
    let folder = "netalign_yeast_multimagna";
    plain(name, folder, "syeast00_edges.csv", target, Truth::SameId)
}

const fn voles(name: &'static str, target: &'static str) -> Network {
    let folder = "netalign_voles";
    plain(name, folder, "edges_100.csv", target, Truth::SameId)
}

const fn arenas(
    name: &'static str,
    source: &'static str,
    target: &'static str,
    truth: &'static str,
) -> Network {
    plain(name, "netalign_arenas", source, target, Truth::File(truth))
}

const fn worm(name: &'static str, target: &'static str, truth: Truth) -> Network {
    let folder = "celegans_connectomes";
    Network {
        weighted: true,
        ..plain(name, folder, "chemical_edges.csv", target, truth)
    }
}

/// Two networks; node k of one and node k of the other are partners.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkPair {
    /// The name of the [`Network`].
    pub name: &'static str,
    /// The network to match from, under the file's ids.
    pub source: Graph,
    /// The network to match to, in the order of the partners.
    pub target: Graph,
    /// Whether the weights say more than that there is an edge.
    pub weighted: bool,
}

impl Network {
    /// Every pair, those of one family together.
    pub const ALL: [Self; 14] = [
        yeast("yeast-05", "syeast05_edges.csv"),
        yeast("yeast-10", "syeast10_edges.csv"),
        yeast("yeast-15", "syeast15_edges.csv"),
        yeast("yeast-20", "syeast20_edges.csv"),
        yeast("yeast-25", "syeast25_edges.csv"),
        voles("voles-99", "edges_99.csv"),
        voles("voles-95", "edges_95.csv"),
        voles("voles-90", "edges_90.csv"),
        voles("voles-80", "edges_80.csv"),
        plain(
            "enron",
            "enron_igraphmatch",
            "week1_edges.csv",
            "week2_edges.csv",
            Truth::SameId,
        ),
        arenas(
            "arenas",
            "source_edges.csv",
            "target_n5_edges.csv",
            "ground_truth_n5.csv",
        ),
        arenas(
            "arenas-regal",
            "regal_source_edges.csv",
            "regal_target_edges.csv",
            "regal_ground_truth.csv",
        ),
        worm("celegans-types", "electrical_edges.csv", Truth::SameId),
        worm(
            "celegans-sides",
            "chemical_edges.csv",
            Truth::Sides("left_right_pairs.csv"),
        ),
    ];

    /// The pair called `name`.
    ///
    /// # Errors
    /// When there is none; the message lists the names.
    pub fn by_name(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|network| network.name == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(|network| network.name).join(", ");
            Error::parameter("pairs", format!("`{name}`"), format!("some of {names}"))
        })
    }

    /// The name by which a user picks the pair.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Reads the pair from the data directory `dir`.
    ///
    /// # Errors
    /// When a file is missing or unreadable, a row is malformed, the truth gives a node two partners,
    /// or no node with an edge has a partner with one.
    pub fn load(&self, dir: &Path) -> std::result::Result<NetworkPair, DatasetError> {
        let folder = dir.join(self.folder);
        let (source, target) = (
            self.read(&folder.join(self.source))?,
            self.read(&folder.join(self.target))?,
        );
        let by_file = |file: &str, header: &str| {
            let ids = truth::read(&folder.join(file), header)?;
            // Ids that no edge mentions are isolated nodes, which are dropped anyway.
            let known = ids.iter().filter_map(|(s, t)| {
                let s = source.labels().find(s)?;
                target.labels().find(t).map(|t| (s, t))
            });
            Ok::<Vec<(usize, usize)>, DatasetError>(known.collect())
        };
        let damaged = |error| {
            let path = folder.join(self.target);
            DatasetError::of_file(error, &path, NAME, LAYOUT)
        };
        let pair = match self.truth {
            Truth::SameId => {
                let same = |s: usize| {
                    let id = source.labels().get(s);
                    target.labels().find(&id).map(|t| (s, t))
                };
                let partners: Vec<_> = (0..source.node_count()).filter_map(same).collect();
                self.aligned(&source, &target, &partners)
            }
            Truth::File(file) => {
                let partners = by_file(file, "source,target")?;
                self.aligned(&source, &target, &partners)
            }
            Truth::Sides(file) => {
                let pairs = by_file(file, "left,right,left_name,right_name")?;
                let (left, right): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
                let partners: Vec<_> = (0..left.len()).map(|k| (k, k)).collect();
                part(&source, &left)
                    .and_then(|left| Ok((left, part(&target, &right)?)))
                    .and_then(|(left, right)| self.aligned(&left, &right, &partners))
            }
        };
        pair.map_err(damaged)
    }

    /// The network in one file, with the weights of this pair.
    fn read(&self, path: &Path) -> std::result::Result<Graph, DatasetError> {
        let options = ReadOptions {
            format: Some(Format::EdgeList),
            duplicates: if self.weighted {
                Duplicates::Sum
            } else {
                Duplicates::Max
            },
            max_memory: Some(MOST_BYTES),
            ..ReadOptions::default()
        };
        let damaged = |error| DatasetError::of_file(error, path, NAME, LAYOUT);
        let graph = read_graph(path, &options).map_err(damaged)?.graph;
        let weight = |sum: f64| if self.weighted { 0.5 * sum } else { 1.0 };
        let all: Vec<usize> = (0..graph.node_count()).collect();
        reweighted_part(&graph, &all, weight).map_err(damaged)
    }

    /// Both graphs without the nodes that are isolated on either side, partners in the same places.
    fn aligned(
        &self,
        source: &Graph,
        target: &Graph,
        partners: &[(usize, usize)],
    ) -> Result<NetworkPair> {
        let is_joined = |graph: &Graph, node| graph.neighbours(node).len() > 0;
        let (from, to): (Vec<usize>, Vec<usize>) = partners
            .iter()
            .filter(|&&(s, t)| is_joined(source, s) && is_joined(target, t))
            .copied()
            .unzip();
        if from.is_empty() {
            return Err(Error::Graph(
                "no node that has an edge in both networks".into(),
            ));
        }
        Ok(NetworkPair {
            name: self.name,
            source: part(source, &from)?,
            target: part(target, &to)?,
            weighted: self.weighted,
        })
    }
}

impl NetworkPair {
    /// The number of nodes of either network.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.source.node_count()
    }

    /// The pair with the target's nodes in an order that the seed decides.
    ///
    /// # Errors
    /// When the networks differ in size, which those of [`Network::load`] do not.
    pub fn instance(&self, seed: u64) -> Result<Instance> {
        if self.target.node_count() != self.nodes() {
            return Err(Error::Graph(format!(
                "found networks of {} and {} nodes, expected as many in both",
                self.nodes(),
                self.target.node_count()
            )));
        }
        let nodes = self.nodes();
        let order = &mut stream(seed, 0);
        Instance::shuffled(self.source.clone(), &self.target, nodes, order)
    }
}

/// The subgraph of `nodes`, in their order.
fn part(graph: &Graph, nodes: &[usize]) -> Result<Graph> {
    reweighted_part(graph, nodes, |weight| weight)
}

fn reweighted_part(graph: &Graph, nodes: &[usize], weight: impl Fn(f64) -> f64) -> Result<Graph> {
    let mut place = vec![None; graph.node_count()];
    for (new, &old) in nodes.iter().enumerate() {
        place[old] = Some(new);
    }
    let mut builder = GraphBuilder::with_nodes(nodes.len())?;
    for (new, &old) in nodes.iter().enumerate() {
        for (other, value) in graph.neighbours(old) {
            if let Some(other) = place[other].filter(|&other| other < new) {
                builder.edge(other, new, weight(value), None)?;
            }
        }
    }
    let names = nodes
        .iter()
        .map(|&node| graph.labels().get(node).into_owned());
    builder.build()?.with_labels(Labels::new(names.collect())?)
}
