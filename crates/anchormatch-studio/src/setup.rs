//! What a studio is opened on.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anchormatch::error::Hint;
use anchormatch::matcher::Matcher;
use anchormatch::task::{Fact, Facts};
use anchormatch::{Allowed, Anchors, Error, Graph, Monitor, Result, Task};

use crate::choices::{Base, Choices};
use crate::decisions::Decided;
use crate::scene::Side;

/// Words the command, or the call, that gives the same match: what is chosen, and the files that hold what was said.
pub type Wording = Box<dyn Fn(&Choices, &Kept<'_>) -> String + Send + Sync>;

/// The files that hold what was said.
#[derive(Debug, Clone, Copy)]
pub struct Kept<'a> {
    /// The anchors.
    pub anchors: &'a Path,
    /// Partners that are possible, where pairs were ruled out; in the place of the candidates of the setup.
    pub candidates: Option<&'a Path>,
}

/// Two graphs, what is known of them, and where decisions are kept.
pub struct Setup {
    /// The heading of the page.
    pub title: String,
    /// Source and target.
    pub sides: [Side; 2],
    /// What is known beside the graphs and the anchors.
    pub facts: Facts,
    /// The preset and its parameters.
    pub base: Base,
    /// The file that every change is written to; the journal stands beside it.
    pub anchors_file: PathBuf,
    /// The anchors to begin with where nothing was kept before, neither a file nor a journal.
    pub beginning: Anchors,
    /// What is to be said about what was read.
    pub notes: Vec<String>,
    /// The most memory that a match may use, in bytes.
    pub max_memory: Option<u64>,
    /// Words the command that gives the same match.
    pub command: Wording,
    /// The complete graphs of points, for methods that know distances alone.
    complete: OnceLock<[Graph; 2]>,
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setup")
            .field("title", &self.title)
            .field("anchors_file", &self.anchors_file)
            .finish_non_exhaustive()
    }
}

impl Setup {
    /// Two graphs to be matched as `base` says, of which nothing else is known; `command` words the command that
    /// gives the same match.
    #[must_use]
    pub fn new(
        title: String,
        sides: [Side; 2],
        base: Base,
        anchors_file: PathBuf,
        command: Wording,
    ) -> Self {
        Self {
            title,
            sides,
            facts: Facts::default(),
            base,
            anchors_file,
            beginning: Anchors::none(),
            notes: Vec::new(),
            max_memory: None,
            command,
            complete: OnceLock::new(),
        }
    }

    pub(crate) fn graphs(&self) -> [&Graph; 2] {
        [&self.sides[0].graph, &self.sides[1].graph]
    }

    pub(crate) fn sizes(&self) -> [usize; 2] {
        self.graphs().map(Graph::node_count)
    }

    /// Whether both sides are points.
    pub(crate) fn are_points(&self) -> bool {
        self.sides.iter().all(|side| side.points)
    }

    /// The task of what is decided, for `matcher`, and what is to be said of facts that it does not know.
    pub(crate) fn task<'a>(
        &'a self,
        matcher: &dyn Matcher,
        choices: &Choices,
        decided: &Decided,
        monitor: &Monitor,
    ) -> Result<(Task<'a>, Vec<String>)> {
        let parameters = matcher.parameters();
        let has_solver = parameters.get("solver").is_some_and(|s| !s.is_null());
        let knows_points = matcher.facts().contains(&Fact::Points) && !has_solver;
        let [source, target] = match self.are_points() && !knows_points {
            true => self.distances(monitor)?,
            false => self.graphs(),
        };
        let mut facts = self.facts.clone();
        if !choices.attributes {
            facts.attributes = None;
        }
        facts.allowed = self.allowed(decided)?.map(Arc::new);
        let mut unknown = Vec::new();
        let mut told = |fact: Fact| {
            let known = matcher.facts().contains(&fact) && (fact != Fact::Points || knows_points);
            if !known && fact != Fact::Points {
                unknown.push(fact.as_str());
            }
            known
        };
        let anchors = decided.anchors(source, target)?;
        let none = Task::from_pairs(source, target, &[])?;
        let mut task = none.with_anchors(anchors)?;
        if let Some(similarity) = facts.similarity.filter(|_| told(Fact::Similarity)) {
            task = task.with_similarity(similarity)?;
        }
        if let Some([one, two]) = facts.points.filter(|_| told(Fact::Points)) {
            task = task.with_points(one, two)?;
        }
        if let Some(attributes) = facts.attributes.filter(|_| told(Fact::Attributes)) {
            task = task.with_attributes(attributes)?;
        }
        if let Some(allowed) = facts.allowed.filter(|_| told(Fact::Allowed)) {
            task = task.with_allowed(allowed)?;
        }
        if let Some([one, two]) = facts.crossing.filter(|_| told(Fact::Crossing)) {
            task = task.with_crossing((*one).clone(), (*two).clone())?;
        }
        if let Some([one, two]) = facts.layers.filter(|_| told(Fact::Layers)) {
            task = task.with_layers(one, two)?;
        }
        if let Some([one, two]) = facts.relations.filter(|_| told(Fact::Relations)) {
            task = task.with_relations(one, two)?;
        }
        let note = |facts: &[&str]| {
            let list = facts.join(", ");
            format!(
                "known, but not used by the preset {}: {list}",
                matcher.name()
            )
        };
        let notes = (!unknown.is_empty()).then(|| note(&unknown));
        Ok((task, notes.into_iter().collect()))
    }

    /// The complete graphs of the distances among points.
    fn distances(&self, monitor: &Monitor) -> Result<[&Graph; 2]> {
        if self.complete.get().is_none() {
            let sides = self.sides.iter();
            let points: Vec<_> = sides.filter_map(|side| side.positions.as_ref()).collect();
            let [one, two] = points[..] else {
                return Ok(self.graphs());
            };
            let pairs: u64 = points.iter().map(|p| (p.rows() as u64).pow(2)).sum();
            let hints = &[Hint::MoreMemory, Hint::SmallerGraphs];
            monitor.reserve("the distances of all points", 24 * pairs, hints)?;
            let made = [Graph::from_points(one)?, Graph::from_points(two)?];
            let _ = self.complete.set(made);
        }
        match self.complete.get() {
            Some([one, two]) => Ok([one, two]),
            None => Err(Error::Numerics(
                "the distances of all points are missing".into(),
            )),
        }
    }

    /// The candidates of the setup less the pairs that were ruled out.
    pub(crate) fn allowed(&self, decided: &Decided) -> Result<Option<Allowed>> {
        let given = self.facts.allowed.as_deref();
        if decided.rejected().is_empty() {
            return Ok(given.cloned());
        }
        let [n, m] = self.sizes();
        let allowed = given.cloned().unwrap_or_else(|| Allowed::all(n, m));
        let listed = self.candidates(decided);
        Ok(Some(allowed.with_candidates(&listed)?))
    }

    /// All lists of candidates, where pairs were ruled out.
    pub(crate) fn candidates(&self, decided: &Decided) -> Vec<(usize, usize)> {
        let [n, m] = self.sizes();
        let given = self.facts.allowed.as_deref();
        let mut pairs = Vec::new();
        let mut rejected = decided.rejected().iter().copied().peekable();
        for i in 0..n {
            let mut ruled_out = Vec::new();
            while let Some((_, a)) = rejected.next_if(|(s, _)| *s == i) {
                ruled_out.push(a);
            }
            let list = given.and_then(|allowed| allowed.listed(i));
            let is_open = |a: &usize| !ruled_out.contains(a);
            match list {
                Some(list) => {
                    let list = list.iter().map(|&a| a as usize).filter(is_open);
                    pairs.extend(list.map(|a| (i, a)));
                }
                None if !ruled_out.is_empty() => {
                    pairs.extend((0..m).filter(is_open).map(|a| (i, a)));
                }
                None => {}
            }
        }
        pairs
    }
}
