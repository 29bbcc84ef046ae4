//! Everything that is known before a match.
//!
//! A [`Task`] is what a person can say: the two graphs, the anchors, and further [`Facts`] about their
//! nodes. It says nothing of how a partner is found; that is the business of a
//! [`Matcher`](crate::matcher::Matcher) and its parameters. A new kind of knowledge is a field of `Facts`,
//! a member of [`Fact`] and a term of the evidence, and no parameter of the functions on the way.

mod allowed;
mod overlap;

pub use allowed::Allowed;
pub use overlap::Overlap;

use std::borrow::Cow;
use std::sync::Arc;

use crate::anchors::Anchors;
use crate::attributes::Attributes;
use crate::error::{Error, Result};
use crate::graph::{EdgeKinds, Graph};
use crate::linalg::{Csr, Matrix, PairValues};

/// Two graphs, their anchors, and what else is known of them.
///
/// What a task holds fits together: anchors and facts are about nodes that the graphs have.
///
/// ```
/// use anchormatch::matcher::{Best, Matcher};
/// use anchormatch::{Anchors, Graph, Monitor, Task};
///
/// let source = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 2.0), (2, 3, 3.0), (3, 0, 4.0)])?;
/// let target = source.permuted(&[2, 0, 3, 1])?;
/// let anchors = Anchors::from_indices(&source, &target, &[(2, 0)])?;
/// let task = Task::new(&source, &target, &anchors)?;
/// let matching = Best::default().run(&task, &Monitor::silent())?;
/// assert_eq!(matching.mapping()[&0], 1);
/// # Ok::<(), anchormatch::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Task<'a> {
    source: &'a Graph,
    target: &'a Graph,
    anchors: Cow<'a, Anchors>,
    facts: Facts,
}

/// What is known beside the graphs and the anchors.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Facts {
    /// How alike the nodes are by other knowledge, source × target; larger is more alike, on any
    /// scale, as the scale is fitted.
    pub similarity: Option<Arc<PairValues>>,
    /// The coordinates of the nodes, source and target, a row each. Nodes that are points are matched by
    /// where they lie; edges are not looked at then.
    pub points: Option<[Arc<Matrix>; 2]>,
    /// A matching to begin from beside a matcher's own starts, as pairs of node indices.
    pub start: Option<Vec<(usize, usize)>>,
    /// What the nodes carry beside their edges.
    pub attributes: Option<Arc<Attributes>>,
    /// The pairs that are not ruled out.
    pub allowed: Option<Arc<Allowed>>,
    /// The weights of edges between the two sides: from source nodes to target nodes, and from target
    /// nodes to source nodes. Of the partners ia and jb, the edge from i to b and the one from a to j are
    /// mirror images.
    pub crossing: Option<[Arc<Csr<f64>>; 2]>,
    /// The layers of the edges; a layer of the same name is the same on both sides.
    pub layers: Option<[Arc<EdgeKinds>; 2]>,
    /// The relations of the edges, whose names may differ between the sides.
    pub relations: Option<[Arc<EdgeKinds>; 2]>,
}

/// The kinds of [`Facts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fact {
    /// [`Facts::similarity`].
    Similarity,
    /// [`Facts::points`].
    Points,
    /// [`Facts::start`].
    Start,
    /// [`Facts::attributes`].
    Attributes,
    /// [`Facts::allowed`].
    Allowed,
    /// [`Facts::crossing`].
    Crossing,
    /// [`Facts::layers`].
    Layers,
    /// [`Facts::relations`].
    Relations,
}

impl Fact {
    /// The name by which front doors and errors know it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Similarity => "node_similarity",
            Self::Points => "points",
            Self::Start => "start",
            Self::Attributes => "attributes",
            Self::Allowed => "candidates",
            Self::Crossing => "crossing",
            Self::Layers => "layers",
            Self::Relations => "relations",
        }
    }
}

impl Facts {
    /// The kinds that are there.
    pub fn known(&self) -> impl Iterator<Item = Fact> + use<> {
        [
            (self.similarity.is_some(), Fact::Similarity),
            (self.points.is_some(), Fact::Points),
            (self.start.is_some(), Fact::Start),
            (self.attributes.is_some(), Fact::Attributes),
            (self.allowed.is_some(), Fact::Allowed),
            (self.crossing.is_some(), Fact::Crossing),
            (self.layers.is_some(), Fact::Layers),
            (self.relations.is_some(), Fact::Relations),
        ]
        .into_iter()
        .filter_map(|(is_known, fact)| is_known.then_some(fact))
    }
}

impl<'a> Task<'a> {
    /// The task to match `source` to `target` with the help of `anchors`.
    ///
    /// # Errors
    /// When an anchor is of a node that its graph does not have.
    pub fn new(source: &'a Graph, target: &'a Graph, anchors: &'a Anchors) -> Result<Self> {
        Self::with(source, target, Cow::Borrowed(anchors))
    }

    /// The same with the pairs of node indices `pairs` as hard anchors.
    ///
    /// # Errors
    /// As [`Anchors::from_indices`].
    pub fn from_pairs(
        source: &'a Graph,
        target: &'a Graph,
        pairs: &[(usize, usize)],
    ) -> Result<Self> {
        let anchors = Anchors::from_indices(source, target, pairs)?;
        Self::with(source, target, Cow::Owned(anchors))
    }

    /// The same graphs and facts under other anchors.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_anchors(&self, anchors: Anchors) -> Result<Self> {
        let task = Self::with(self.source, self.target, Cow::Owned(anchors))?;
        let task = Self {
            facts: self.facts.clone(),
            ..task
        };
        task.expect_anchors_allowed()?;
        Ok(task)
    }

    fn with(source: &'a Graph, target: &'a Graph, anchors: Cow<'a, Anchors>) -> Result<Self> {
        let (n, m) = (source.node_count(), target.node_count());
        for anchor in anchors.iter() {
            if anchor.source >= n || anchor.target >= m {
                return Err(Error::Anchors(format!(
                    "found the pair ({}, {}), expected nodes below {n} and {m}",
                    anchor.source, anchor.target
                )));
            }
        }
        Ok(Self {
            source,
            target,
            anchors,
            facts: Facts::default(),
        })
    }

    /// With the similarity of the nodes by other knowledge, see [`Facts::similarity`].
    ///
    /// # Errors
    /// When it has another shape or is not finite.
    pub fn with_similarity(mut self, similarity: Arc<PairValues>) -> Result<Self> {
        let (n, m) = (self.source.node_count(), self.target.node_count());
        let (rows, cols) = similarity.shape();
        if (rows, cols) != (n, m) {
            return Err(Error::parameter(
                Fact::Similarity.as_str(),
                format!("a {rows}×{cols} matrix"),
                format!("{n}×{m}, a row for each source and a column for each target node"),
            ));
        }
        if let Some(value) = similarity.occurring().find(|v| !v.is_finite()) {
            let name = Fact::Similarity.as_str();
            return Err(Error::parameter(name, value, "finite numbers"));
        }
        self.facts.similarity = Some(similarity);
        Ok(self)
    }

    /// With the coordinates of the nodes, see [`Facts::points`].
    ///
    /// # Errors
    /// When there is not a row for each node, the tables have not both two or both three columns, or a
    /// coordinate is not finite.
    pub fn with_points(mut self, source: Arc<Matrix>, target: Arc<Matrix>) -> Result<Self> {
        let name = Fact::Points.as_str();
        for (graph, points) in [(self.source, &source), (self.target, &target)] {
            let (rows, cols) = (points.rows(), points.cols());
            let n = graph.node_count();
            if rows != n || !(2..=3).contains(&cols) || cols != source.cols() {
                return Err(Error::parameter(
                    name,
                    format!("{rows}×{cols} numbers"),
                    format!("{n}×2 or {n}×3, a row for each node, as many columns on both sides"),
                ));
            }
            if let Some(x) = points.as_slice().iter().find(|x| !x.is_finite()) {
                return Err(Error::parameter(name, x, "finite coordinates"));
            }
        }
        self.facts.points = Some([source, target]);
        Ok(self)
    }

    /// With a matching to begin from: pairs that share a node after the first, or that fixed nodes are
    /// in, are left out.
    ///
    /// # Errors
    /// When a pair is of a node that its graph does not have.
    pub fn with_start(mut self, pairs: &[(usize, usize)]) -> Result<Self> {
        let (n, m) = (self.source.node_count(), self.target.node_count());
        if let Some((s, t)) = pairs.iter().find(|(s, t)| *s >= n || *t >= m) {
            let expected = format!("nodes below {n} and {m}");
            return Err(Error::parameter(
                Fact::Start.as_str(),
                format!("the pair ({s}, {t})"),
                expected,
            ));
        }
        self.facts.start = Some(pairs.to_vec());
        Ok(self)
    }

    /// With what the nodes carry, see [`Facts::attributes`].
    ///
    /// # Errors
    /// When it is of other numbers of nodes.
    pub fn with_attributes(mut self, attributes: Arc<Attributes>) -> Result<Self> {
        self.expect_shape(Fact::Attributes, attributes.shape())?;
        self.facts.attributes = Some(attributes);
        Ok(self)
    }

    /// With pairs ruled out, see [`Facts::allowed`].
    ///
    /// # Errors
    /// When it is of other numbers of nodes, or rules out a hard anchor.
    pub fn with_allowed(mut self, allowed: Arc<Allowed>) -> Result<Self> {
        self.expect_shape(Fact::Allowed, allowed.shape())?;
        self.facts.allowed = Some(allowed);
        self.expect_anchors_allowed()?;
        Ok(self)
    }

    /// With the weights of edges from source to target nodes and back, see [`Facts::crossing`].
    ///
    /// # Errors
    /// When a table has another shape or a weight is not finite.
    pub fn with_crossing(mut self, there: Csr<f64>, back: Csr<f64>) -> Result<Self> {
        let name = Fact::Crossing;
        self.expect_shape(name, (there.rows(), there.cols()))?;
        self.expect_shape(name, (back.cols(), back.rows()))?;
        let mut weights = there.values().iter().chain(back.values());
        if let Some(weight) = weights.find(|w| !w.is_finite()) {
            return Err(Error::parameter(name.as_str(), weight, "finite weights"));
        }
        self.facts.crossing = Some([Arc::new(there), Arc::new(back)]);
        Ok(self)
    }

    /// With the layers of the edges of both graphs, see [`Facts::layers`].
    ///
    /// # Errors
    /// When the edges of a side are of nodes that it has not.
    pub fn with_layers(mut self, source: Arc<EdgeKinds>, target: Arc<EdgeKinds>) -> Result<Self> {
        self.expect_kinds(Fact::Layers, [&source, &target])?;
        self.facts.layers = Some([source, target]);
        Ok(self)
    }

    /// With the relations of the edges of both graphs, see [`Facts::relations`].
    ///
    /// # Errors
    /// When the edges of a side are of nodes that it has not.
    pub fn with_relations(
        mut self,
        source: Arc<EdgeKinds>,
        target: Arc<EdgeKinds>,
    ) -> Result<Self> {
        self.expect_kinds(Fact::Relations, [&source, &target])?;
        self.facts.relations = Some([source, target]);
        Ok(self)
    }

    fn expect_shape(&self, fact: Fact, (rows, cols): (usize, usize)) -> Result<()> {
        let (n, m) = (self.source.node_count(), self.target.node_count());
        if (rows, cols) == (n, m) {
            return Ok(());
        }
        Err(Error::parameter(
            fact.as_str(),
            format!("{rows} source and {cols} target nodes"),
            format!("{n} and {m}, as the graphs have"),
        ))
    }

    fn expect_kinds(&self, fact: Fact, kinds: [&EdgeKinds; 2]) -> Result<()> {
        for (graph, kinds) in self.graphs().into_iter().zip(kinds) {
            let nodes = graph.node_count();
            let ends = kinds.edges().iter().flat_map(|edge| [edge.from, edge.to]);
            if let Some(node) = ends.max().filter(|&node| node as usize >= nodes) {
                let expected = format!("nodes below {nodes}");
                return Err(Error::parameter(
                    fact.as_str(),
                    format!("an edge of node {node}"),
                    expected,
                ));
            }
        }
        Ok(())
    }

    /// Refuses hard anchors that the candidates rule out.
    fn expect_anchors_allowed(&self) -> Result<()> {
        let Some(allowed) = &self.facts.allowed else {
            return Ok(());
        };
        match self
            .anchors
            .hard()
            .iter()
            .find(|(i, a)| !allowed.allows(*i, *a))
        {
            None => Ok(()),
            Some(&(i, a)) => Err(Error::Anchors(format!(
                "source node `{}` is anchored to `{}`, which its candidates or a demand for the same value rule out",
                self.source.labels().get(i),
                self.target.labels().get(a)
            ))),
        }
    }

    /// The graph to match from.
    #[must_use]
    pub fn source(&self) -> &'a Graph {
        self.source
    }

    /// The graph to match to.
    #[must_use]
    pub fn target(&self) -> &'a Graph {
        self.target
    }

    /// Both graphs, the source first.
    #[must_use]
    pub fn graphs(&self) -> [&'a Graph; 2] {
        [self.source, self.target]
    }

    /// The pairs that are known.
    #[must_use]
    pub fn anchors(&self) -> &Anchors {
        &self.anchors
    }

    /// What is known beside.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// What the nodes carry, edges to themselves included where both graphs have such.
    pub(crate) fn attributes(&self) -> Option<Arc<Attributes>> {
        let given = self.facts.attributes.clone();
        if self
            .graphs()
            .into_iter()
            .any(|graph| graph.loops().is_empty())
        {
            return given;
        }
        let (n, m) = (self.source.node_count(), self.target.node_count());
        let attributes = given.as_deref().cloned();
        let attributes = attributes.unwrap_or_else(|| Attributes::new(n, m));
        // Most nodes have none, and of the others the octave of the weight is enough.
        let octaves = |graph: &Graph| -> Vec<Option<String>> {
            let octave =
                |weight: f64| weight.signum() * weight.abs().ln_1p() / std::f64::consts::LN_2;
            let weights = (0..graph.node_count()).map(|i| graph.loop_weight(i));
            weights.map(|w| Some(format!("{:.0}", octave(w)))).collect()
        };
        let [source, target] = self.graphs().map(octaves);
        // A column of that name, should there be one, is the caller's own word.
        let with_loops = attributes.with_words("self-loops", &source, &target);
        with_loops.map(Arc::new).ok().or(given)
    }

    /// Whether the edges of both graphs have directions; those of one alone say nothing.
    #[must_use]
    pub fn is_directed(&self) -> bool {
        self.source.is_directed() && self.target.is_directed()
    }

    /// The larger side.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.source.node_count().max(self.target.node_count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(nodes: usize) -> Graph {
        let edges: Vec<_> = (1..nodes).map(|i| (i - 1, i, 1.0)).collect();
        Graph::from_edges(nodes, &edges).unwrap()
    }

    #[test]
    fn a_task_holds_only_what_fits() {
        let (small, large) = (path(3), path(5));
        let anchors = Anchors::from_indices(&large, &large, &[(4, 4)]).unwrap();
        assert!(Task::new(&large, &large, &anchors).is_ok());
        let error = Task::new(&small, &large, &anchors).unwrap_err().to_string();
        assert!(error.contains("(4, 4)"), "{error}");
        let none = Anchors::none();
        let task = Task::new(&small, &large, &none).unwrap();
        assert!(task.with_anchors(anchors).is_err());

        let similarity = |n, m, v| Arc::new(PairValues::from(Matrix::filled(n, m, v)));
        assert!(task.clone().with_similarity(similarity(3, 5, 1.0)).is_ok());
        for (wrong, word) in [
            (similarity(5, 3, 1.0), "5×3"),
            (similarity(3, 5, f64::NAN), "NaN"),
        ] {
            let error = task.clone().with_similarity(wrong).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        assert!(task.clone().with_start(&[(2, 4)]).is_ok());
        assert!(task.with_start(&[(4, 2)]).is_err());
    }

    #[test]
    fn further_facts_fit_too() {
        let (small, large) = (path(3), path(5));
        let anchors = Anchors::from_indices(&small, &large, &[(0, 4)]).unwrap();
        let task = Task::new(&small, &large, &anchors).unwrap();
        let allowed = |pairs: &[(usize, usize)]| {
            let allowed = Allowed::all(3, 5).with_candidates(pairs).unwrap();
            task.clone().with_allowed(Arc::new(allowed))
        };
        assert!(allowed(&[(0, 4), (1, 2)]).is_ok());
        let error = allowed(&[(0, 3)]).unwrap_err().to_string();
        assert!(error.contains("`0` is anchored to `4`"), "{error}");
        let wide = Arc::new(Allowed::all(5, 3));
        assert!(task.clone().with_allowed(wide).is_err());
        let carried = |n, m| {
            task.clone()
                .with_attributes(Arc::new(Attributes::new(n, m)))
        };
        assert!(carried(3, 5).is_ok() && carried(5, 3).is_err());

        let crossing = |there, back| task.clone().with_crossing(there, back);
        let (there, back) = (Csr::empty(3, 5), Csr::empty(5, 3));
        assert!(crossing(there.clone(), back.clone()).is_ok());
        assert!(crossing(back, there.clone()).is_err());
        let nan = Csr::from_triplets(5, 3, [(0, 0, f64::NAN)]).unwrap();
        assert!(crossing(there, nan).is_err());

        let kinds = |nodes, to| {
            let edge = crate::graph::KindEdge {
                from: 0,
                to,
                kind: 0,
                weight: 1.0,
            };
            Arc::new(EdgeKinds::new(nodes, vec!["x".to_owned()], vec![edge]).unwrap())
        };
        assert!(task.clone().with_layers(kinds(3, 2), kinds(5, 4)).is_ok());
        assert!(
            task.clone()
                .with_relations(kinds(5, 4), kinds(5, 4))
                .is_err()
        );
    }

    #[test]
    fn other_anchors_leave_the_facts() {
        let path = path(3);
        let none = Anchors::none();
        let task = Task::new(&path, &path, &none).unwrap();
        let task = task.with_start(&[(0, 0)]).unwrap();
        let anchors = Anchors::from_indices(&path, &path, &[(1, 1)]).unwrap();
        let other = task.with_anchors(anchors).unwrap();
        assert_eq!(other.facts(), task.facts());
        assert_eq!(other.anchors().hard(), &[(1, 1)]);
        let kinds: Vec<Fact> = other.facts().known().collect();
        assert_eq!(kinds, [Fact::Start]);
    }
}
