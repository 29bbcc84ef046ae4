//! What is known of the nodes and edges beside the graphs and the anchors, from files and by columns.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anchormatch::graph::EdgeKinds;
use anchormatch::linalg::Csr;
use anchormatch::matcher::Matcher;
use anchormatch::matching::Note;
use anchormatch::task::{Fact, Overlap};
use anchormatch::{Allowed, Attributes, Task};
use anchormatch_io::{
    FeatureTable, LoadedGraph, NodeColumn, NodeTable, PairTable, feature_weights,
};
use anchormatch_terminal::hints::WORDS;
use clap::Args;

use crate::args::Reading;
use crate::contradictions::{Demand, Rules, nobody_left};
use crate::exit::Failure;
use crate::headers::TableKind;
use crate::method::Wish;
use crate::sides::Sides;

/// What the scores of candidates are called among the attributes.
const SCORES: &str = "score of candidates";

/// What long tables of attributes are called among the attributes.
const FEATURES: &str = "attributes";

/// The options that say what is known.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What else is known")]
pub(crate) struct Knowledge {
    /// All nodes of SOURCE, `id[,column...]`: those without an edge, which a list of edges does not name, exist as
    /// well. Columns that both sides have are compared, numbers, words or text as they show themselves
    #[arg(long, value_name = "FILE")]
    source_nodes: Option<PathBuf>,

    /// The same for TARGET
    #[arg(long, value_name = "FILE")]
    target_nodes: Option<PathBuf>,

    /// The columns to compare, of the tables of nodes, of tables of points, or of the nodes in GraphML and GML
    /// [default: those that both tables of nodes have; what graph files carry is often colours and places, and has to be asked for]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    attributes: Option<Vec<String>>,

    /// Columns in which partners must have the same value, such as a type; a node without a value goes with all
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    same: Vec<String>,

    /// Attributes of the nodes of SOURCE, few of many, as rows of `node,attr[,value]`: words of a text, genes,
    /// tags; a missing value is 1
    #[arg(long, value_name = "FILE", requires = "target_attributes")]
    source_attributes: Option<PathBuf>,

    /// The same for TARGET
    #[arg(long, value_name = "FILE", requires = "source_attributes")]
    target_attributes: Option<PathBuf>,

    /// The partners that are possible, rows of `source,target[,score]`: a source node that the file names takes
    /// none but those listed for it, all others are free. Scores, on any scale, are evidence; of a pair that
    /// stands several times the largest counts
    #[arg(long, value_name = "FILE")]
    candidates: Option<PathBuf>,

    /// Edges from a node of SOURCE to a node of TARGET, rows of `from,to[,weight]`: who of one side is in touch
    /// with whom of the other
    #[arg(long, value_name = "FILE")]
    crossing: Option<PathBuf>,

    /// Edges from a node of TARGET to a node of SOURCE, rows of `from,to[,weight]`
    #[arg(long, value_name = "FILE")]
    crossing_back: Option<PathBuf>,

    /// The column or edge attribute that names the layer of each edge (edge lists, GraphML, GML): edges are
    /// compared layer by layer, and a layer has the same name on both sides. Without a header, the number of the
    /// column from 1
    #[arg(long, value_name = "COLUMN", conflicts_with = "relations")]
    layers: Option<String>,

    /// The same for relations, which may have other names on the other side: which of them go together is found
    #[arg(long, value_name = "COLUMN")]
    relations: Option<String>,
}

impl Knowledge {
    /// The files with their options.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let named = [
            ("--source-nodes", &self.source_nodes),
            ("--target-nodes", &self.target_nodes),
            ("--source-attributes", &self.source_attributes),
            ("--target-attributes", &self.target_attributes),
            ("--candidates", &self.candidates),
            ("--crossing", &self.crossing),
            ("--crossing-back", &self.crossing_back),
        ];
        let given = named.into_iter();
        given.filter_map(|(option, path)| Some((option, path.as_deref()?)))
    }

    /// What the matcher has to know.
    pub(crate) fn wishes(&self) -> Vec<Wish> {
        let files = [
            (
                "--source-attributes",
                &self.source_attributes,
                Fact::Attributes,
            ),
            ("--candidates", &self.candidates, Fact::Allowed),
            ("--crossing", &self.crossing, Fact::Crossing),
            ("--crossing-back", &self.crossing_back, Fact::Crossing),
        ];
        let files = files.into_iter();
        let files =
            files.filter_map(|(option, path, fact)| path.is_some().then_some((option, fact)));
        let others = [
            ("--attributes", self.attributes.is_some(), Fact::Attributes),
            ("--same", !self.same.is_empty(), Fact::Allowed),
            ("--layers", self.layers.is_some(), Fact::Layers),
            ("--relations", self.relations.is_some(), Fact::Relations),
        ];
        let others = others.into_iter();
        let others = others.filter_map(|(option, given, fact)| given.then_some((option, fact)));
        files
            .chain(others)
            .map(|(option, fact)| Wish::fact(option, fact))
            .collect()
    }

    /// Whether columns of the nodes are asked for, which a table of points may have itself.
    pub(crate) fn wants_columns(&self) -> bool {
        self.attributes.is_some() || !self.same.is_empty()
    }

    /// The column that holds the kinds of the edges.
    pub(crate) fn kinds(&self) -> Option<&str> {
        self.layers.as_deref().or(self.relations.as_deref())
    }

    /// The tables that name the nodes of either side.
    pub(crate) fn tables(&self, reading: &Reading) -> Result<[Option<Arc<NodeTable>>; 2], Failure> {
        let read = |path: &Option<PathBuf>| -> Result<_, Failure> {
            let table = path
                .as_deref()
                .map(|path| reading.nodes(path))
                .transpose()?;
            Ok(table.map(Arc::new))
        };
        Ok([read(&self.source_nodes)?, read(&self.target_nodes)?])
    }

    /// Both sides with all of their nodes, and the columns of these.
    pub(crate) fn named(
        &self,
        sides: Sides,
        tables: &[Option<Arc<NodeTable>>; 2],
    ) -> Result<Sides, Failure> {
        let complete = |graph: LoadedGraph, table: &Option<Arc<NodeTable>>| match table {
            Some(table) => graph.with_nodes(table),
            None => Ok(graph),
        };
        Ok(Sides {
            source: complete(sides.source, &tables[0])?,
            target: complete(sides.target, &tables[1])?,
            ..sides
        })
    }

    /// Reads what is known of `sides`, for `matcher`; `anchors` are those of the files that must not contradict it.
    pub(crate) fn read(
        &self,
        reading: &Reading,
        sides: &Sides,
        matcher: &dyn Matcher,
        anchors: Option<&PairTable>,
    ) -> Result<Known, Failure> {
        let mut known = Known::default();
        let (s, t) = (&sides.source.graph, &sides.target.graph);
        let (n, m) = (s.node_count(), t.node_count());
        let mut attributes = self.compared(sides, matcher, &mut known.notes)?;
        if let (Some(source), Some(target)) = (&self.source_attributes, &self.target_attributes) {
            let (one, two) = (reading.features(source)?, reading.features(target)?);
            known.doubt_features([&one, &two]);
            let [one, two] = sides.looked_up(feature_weights((&one, s), (&two, t)))?;
            attributes = attributes.with_weights(FEATURES, one, two)?;
        }
        let mut allowed = Allowed::all(n, m);
        let mut same = Vec::with_capacity(self.same.len());
        for name in &self.same {
            let [one, two] = self.columns("--same", sides, name)?;
            let values = [one.words(n), two.words(m)];
            let overlap = Overlap::of(&values[0], &values[1]);
            if let Some((found, expected)) = overlap.refusal(name) {
                return Err(Failure::usage("--same", found, expected));
            }
            known.notes.extend(overlap.note(name));
            allowed = allowed.with_same(&values[0], &values[1])?;
            same.push(Demand { name, values });
        }
        let candidates = match &self.candidates {
            Some(path) => Some(reading.pairs(path, TableKind::Candidates)?),
            None => None,
        };
        if let Some(table) = &candidates {
            known.doubt(table, sides);
            let listed = sides.looked_up(table.candidates(s, t))?;
            allowed = allowed.with_candidates(&listed.pairs)?;
            if let Some(scores) = listed.scores {
                attributes = attributes.with_scores(SCORES, &scores)?;
            }
        }
        let rules = Rules {
            allowed: &allowed,
            candidates: candidates.as_ref(),
            same: &same,
        };
        if let Some(anchors) = anchors {
            known.doubt(anchors, sides);
            known.notes.extend(rules.check(anchors, sides)?);
        }
        if let Some(table) = candidates.as_ref().filter(|_| !same.is_empty()) {
            known.notes.extend(nobody_left(table, &allowed, sides));
        }
        if self.candidates.is_some() || !self.same.is_empty() {
            known.allowed = Some(Arc::new(allowed));
        }
        if !attributes.is_empty() {
            known.attributes = Some(Arc::new(attributes));
        }
        known.crossing = self.crossing(reading, sides)?;
        known.kinds = self.edge_kinds(sides, &mut known.notes);
        Ok(known)
    }

    /// The columns that are compared.
    fn compared(
        &self,
        sides: &Sides,
        matcher: &dyn Matcher,
        notes: &mut Vec<String>,
    ) -> Result<Attributes, Failure> {
        let (n, m) = (
            sides.source.graph.node_count(),
            sides.target.graph.node_count(),
        );
        let names = match &self.attributes {
            Some(names) => names.clone(),
            None => self.unasked(sides, matcher, notes),
        };
        let mut attributes = Attributes::new(n, m);
        for name in &names {
            let [one, two] = self.columns("--attributes", sides, name)?;
            attributes = attributes.with_column(name, &one.words(n), &two.words(m))?;
        }
        Ok(attributes)
    }

    /// The columns that are compared when nobody says which, and what is to be said of the others.
    fn unasked(
        &self,
        sides: &Sides,
        matcher: &dyn Matcher,
        notes: &mut Vec<String>,
    ) -> Vec<String> {
        let [one, two] = [&sides.source.columns, &sides.target.columns];
        let mut names = Vec::new();
        let mut of_files = Vec::new();
        let mut of_one = Vec::new();
        for column in one.iter().chain(two.iter()) {
            let name = column.name.clone();
            let both = one.get(&name).zip(two.get(&name));
            let list = match both {
                Some((one, two)) if one.in_table && two.in_table => &mut names,
                Some(_) => &mut of_files,
                None if column.in_table => &mut of_one,
                None => continue,
            };
            if !list.contains(&name) && !self.same.contains(&name) {
                list.push(name);
            }
        }
        if !of_one.is_empty() {
            let names = of_one.join(", ");
            notes.push(format!(
                "columns of one side's nodes, which are not used: {names}"
            ));
        }
        if !of_files.is_empty() {
            let names = of_files.join(",");
            notes.push(format!(
                "the graph files have more about their nodes, which --attributes {names} would compare"
            ));
        }
        if names.is_empty() {
            return names;
        }
        let list = names.join(", ");
        if !matcher.facts().contains(&Fact::Attributes) {
            let preset = matcher.name();
            notes.push(format!(
                "columns of the nodes that the preset {preset} does not use: {list}"
            ));
            return Vec::new();
        }
        notes.push(format!("columns of the nodes that are compared: {list}"));
        names
    }

    /// The column `name` of both sides, which `option` asks for.
    fn columns<'a>(
        &self,
        option: &str,
        sides: &'a Sides,
        name: &str,
    ) -> Result<[&'a NodeColumn; 2], Failure> {
        let [one, two] = [&sides.source.columns, &sides.target.columns];
        if let (Some(one), Some(two)) = (one.get(name), two.get(name)) {
            return Ok([one, two]);
        }
        let found = match (one.get(name), two.get(name)) {
            (Some(_), None) => format!("`{name}`, which the nodes of TARGET do not have"),
            (None, Some(_)) => format!("`{name}`, which the nodes of SOURCE do not have"),
            _ => format!("`{name}`"),
        };
        let both = one.iter().filter(|column| two.get(&column.name).is_some());
        let both: Vec<&str> = both.map(|column| column.name.as_str()).collect();
        let expected = match both.is_empty() {
            true if sides.source.format.is_points() => {
                "columns that both tables of points have in their headers: there is none, or give \
                 --source-nodes and --target-nodes"
                    .to_owned()
            }
            true => "columns that both sides have: there is none, give --source-nodes and \
                     --target-nodes"
                .to_owned(),
            false => format!("columns that both sides have: {}", both.join(", ")),
        };
        Err(Failure::usage(option, found, expected))
    }

    /// The edges between the two sides; a way that no file tells of has none.
    fn crossing(&self, reading: &Reading, sides: &Sides) -> Result<Option<[Csr<f64>; 2]>, Failure> {
        if self.crossing.is_none() && self.crossing_back.is_none() {
            return Ok(None);
        }
        let (s, t) = (&sides.source.graph, &sides.target.graph);
        let (one, two) = ((s, "source"), (t, "target"));
        let read = |path: &Option<PathBuf>, from: (_, &str), to: (_, &str)| match path {
            Some(path) => {
                let table = reading.pairs(path, TableKind::Crossing)?;
                sides.looked_up(table.crossing(from, to))
            }
            None => Ok(Csr::empty(from.0.node_count(), to.0.node_count())),
        };
        Ok(Some([
            read(&self.crossing, one, two)?,
            read(&self.crossing_back, two, one)?,
        ]))
    }

    /// The kinds that came with the graphs.
    fn edge_kinds(
        &self,
        sides: &Sides,
        notes: &mut Vec<String>,
    ) -> Option<(Fact, [Arc<EdgeKinds>; 2])> {
        let (one, two) = (sides.source.kinds.as_ref()?, sides.target.kinds.as_ref()?);
        let fact = match self.layers {
            Some(_) => Fact::Layers,
            None => Fact::Relations,
        };
        let is_shared = |name: &String| two.names().contains(name);
        if fact == Fact::Layers && !one.names().iter().any(is_shared) {
            let note = "no layer has the same name on both sides; --relations would find which go \
                        together";
            notes.push(note.to_owned());
        }
        Some((fact, [one, two].map(|kinds| Arc::new(kinds.clone()))))
    }
}

/// What was read.
#[derive(Default)]
pub(crate) struct Known {
    attributes: Option<Arc<Attributes>>,
    allowed: Option<Arc<Allowed>>,
    crossing: Option<[Csr<f64>; 2]>,
    kinds: Option<(Fact, [Arc<EdgeKinds>; 2])>,
    /// What is to be said about it.
    pub(crate) notes: Vec<String>,
}

impl Known {
    /// Says where the first row of a table of pairs may have been misread.
    pub(crate) fn doubt(&mut self, table: &PairTable, sides: &Sides) {
        let doubts = table.doubts(&sides.source.graph, &sides.target.graph);
        self.say(&table.file, &doubts);
    }

    fn doubt_features(&mut self, tables: [&FeatureTable; 2]) {
        for table in tables {
            self.say(table.file(), &table.doubts);
        }
    }

    fn say(&mut self, file: &str, doubts: &[Note]) {
        let doubts = doubts.iter().map(|doubt| doubt.worded(WORDS));
        self.notes
            .extend(doubts.map(|doubt| format!("{file}: {doubt}")));
    }

    /// The task with all of it.
    pub(crate) fn added_to<'a>(&self, mut task: Task<'a>) -> Result<Task<'a>, Failure> {
        if let Some(attributes) = &self.attributes {
            task = task.with_attributes(Arc::clone(attributes))?;
        }
        if let Some(allowed) = &self.allowed {
            task = task.with_allowed(Arc::clone(allowed))?;
        }
        if let Some([there, back]) = &self.crossing {
            task = task.with_crossing(there.clone(), back.clone())?;
        }
        if let Some((fact, [source, target])) = &self.kinds {
            let (source, target) = (Arc::clone(source), Arc::clone(target));
            task = match fact {
                Fact::Layers => task.with_layers(source, target)?,
                _ => task.with_relations(source, target)?,
            };
        }
        Ok(task)
    }
}
