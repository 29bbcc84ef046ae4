//! GraphML from a stream: one pass over the tags, with a stack that says where in the document it is.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::BufRead;

use anchormatch::error::Result;
use anchormatch::graph::{Directions, GraphBuilder, Labels};

use super::super::columns::ColumnBuilder;
use super::super::edge_kinds::KindRows;
use super::super::fault::{fault, quoted};
use super::super::positions::{coordinate, gathered};
use super::super::xml::{Element, Piece, Xml, is_xml_text};
use super::super::{Format, LoadedGraph, ReadOptions};

/// Reads GraphML; `name` stands for the file in errors.
///
/// Nodes are numbered in the order in which they are declared.
///
/// # Errors
/// When the XML is malformed or cut, an edge's end is no node, a node is declared twice, a weight is
/// no finite number, an edge has two weights and no rule says how to merge them, or the graph would
/// pass the memory allowed.
///
/// # Complexity
/// O(bytes + |E| log |E|) time; beside the graph, one tag of memory.
pub fn read_graphml_from(
    reader: impl BufRead,
    name: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    let mut xml = Xml::new(reader, name);
    let mut buffer = Vec::new();
    let mut document = Document::new(name, options);
    loop {
        match xml.next(&mut buffer)? {
            Piece::Open(element) => {
                let parent = document.open.last().copied().unwrap_or(Within::Document);
                let child = document.enter(parent, &element, xml.line())?;
                document.open.push(child);
            }
            Piece::Close => {
                let within = document.open.pop().unwrap_or(Within::Document);
                document.leave(within)?;
            }
            Piece::Text(text) => match document.open.last() {
                None if !text.trim_ascii().is_empty() => {
                    return Err(xml.fault(quoted(text.trim_ascii()), "<graphml>"));
                }
                Some(Within::Default | Within::Data(_)) => document.text.push_str(&text),
                _ => {}
            },
            Piece::Other => {}
            Piece::End => return document.finish(),
        }
    }
}

/// Where in the document the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Document,
    GraphMl,
    Key,
    Default,
    Graph,
    Node,
    Edge,
    Data(Role),
    /// Something that is passed over, with all that it holds.
    Ignored,
}

/// What an attribute's key stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Weight,
    Axis(usize),
    /// The node attribute that the caller named for the ids.
    Id,
    /// Another attribute of nodes.
    Column(usize),
    /// The edge attribute that the caller named for the kinds.
    Kind,
    Other,
}

/// Whether a node that was mentioned is known.
enum Declaration {
    /// Declared on this line.
    At(u64),
    /// An edge at this line and column named it, and a declaration must follow.
    Awaited { place: (u64, u64), id: String },
}

/// The edge that is being read.
struct OpenEdge {
    source: usize,
    target: usize,
    weight: f64,
    kind: String,
    is_directed: bool,
    line: u64,
}

/// What the document has said so far.
struct Document<'a> {
    name: &'a str,
    options: &'a ReadOptions,
    open: Vec<Within>,
    text: String,
    /// What each key is for nodes and for edges: tables of both may have columns of one name, and ids with them.
    keys: HashMap<String, [Option<Role>; 2]>,
    /// The role of the key that is being declared.
    key: Role,
    /// Names of edge keys other than the weight, for a note.
    other_edge_keys: Vec<String>,
    default_weight: f64,
    default_position: [Option<f64>; 3],
    has_weight: bool,
    seen_root: bool,
    seen_graph: bool,
    directed_by_default: bool,
    builder: GraphBuilder,
    declared: Vec<Declaration>,
    positions: Vec<[Option<f64>; 3]>,
    /// By node, when the caller named an attribute for them.
    ids: Vec<String>,
    has_id: bool,
    columns: ColumnBuilder,
    /// By the columns that have one.
    default_words: HashMap<usize, String>,
    kinds: KindRows,
    has_kind: bool,
    default_kind: String,
    /// Bytes that ids, positions and columns take.
    held: u64,
    node: usize,
    edge: Option<OpenEdge>,
    /// Where the datum or default that is being read begins.
    place: (u64, u64),
    notes: Vec<String>,
}

impl<'a> Document<'a> {
    fn new(name: &'a str, options: &'a ReadOptions) -> Self {
        Self {
            name,
            options,
            open: Vec::new(),
            text: String::new(),
            keys: HashMap::new(),
            key: Role::Other,
            other_edge_keys: Vec::new(),
            default_weight: 1.0,
            default_position: [None; 3],
            has_weight: false,
            seen_root: false,
            seen_graph: false,
            directed_by_default: false,
            builder: options.builder(name),
            declared: Vec::new(),
            positions: Vec::new(),
            ids: Vec::new(),
            has_id: false,
            columns: ColumnBuilder::default(),
            default_words: HashMap::new(),
            kinds: KindRows::default(),
            has_kind: false,
            default_kind: String::new(),
            held: 0,
            node: 0,
            edge: None,
            place: (0, 0),
            notes: Vec::new(),
        }
    }

    /// Reads a start tag inside `parent`.
    fn enter(&mut self, parent: Within, element: &Element<'_>, line: u64) -> Result<Within> {
        let name = element.name();
        match (parent, name) {
            (Within::Document, "graphml") if !self.seen_root => {
                self.seen_root = true;
                Ok(Within::GraphMl)
            }
            (Within::Document, _) => Err(element.fault(
                quoted(&format!("<{name}>")),
                "<graphml> as the one root of the document",
            )),
            (Within::GraphMl, "key") => self.enter_key(element),
            (Within::GraphMl, "graph") => {
                if std::mem::replace(&mut self.seen_graph, true) {
                    return Err(element.fault("a second <graph>", "one graph in a file"));
                }
                let [default] = element.attributes(["edgedefault"])?;
                self.directed_by_default = default.as_deref() == Some("directed");
                Ok(Within::Graph)
            }
            (Within::Key, "default") => {
                self.text.clear();
                self.place = element.place();
                Ok(Within::Default)
            }
            (Within::Graph, "node") => self.enter_node(element, line),
            (Within::Graph, "edge") => self.enter_edge(element, line),
            (Within::Graph, "hyperedge") => {
                Err(element.fault("a <hyperedge>", "edges between two nodes"))
            }
            (Within::Node | Within::Edge, "graph") => Err(element.fault(
                "a <graph> inside a node or an edge",
                "one graph that is not nested",
            )),
            (Within::Node | Within::Edge, "data") => {
                let [key] = element.attributes(["key"])?;
                let roles = key.as_ref().and_then(|key| self.keys.get(&**key));
                let is_of_edge = parent == Within::Edge;
                let Some(roles) = roles else {
                    let key = quoted(&key.unwrap_or_default());
                    let found = format!("data for the key {key}");
                    return Err(element.fault(found, "a key that stands before the graph"));
                };
                self.text.clear();
                self.place = element.place();
                let role = roles[usize::from(is_of_edge)].unwrap_or(Role::Other);
                Ok(Within::Data(role))
            }
            (Within::GraphMl | Within::Graph | Within::Node | Within::Edge, other) => {
                if !matches!(other, "data" | "desc") {
                    let shown = quoted(&format!("<{other}>"));
                    self.note(format!("elements {shown} were passed over"));
                }
                Ok(Within::Ignored)
            }
            // yEd has a node's place and size deep inside one of its data.
            (Within::Ignored, "Geometry") if self.open.contains(&Within::Node) => {
                let [x, y, width, height] = element.attributes(["x", "y", "width", "height"])?;
                let number = |text: Option<Cow<'_, str>>| text.and_then(|text| coordinate(&text));
                let half = |side| number(side).unwrap_or_default() / 2.0;
                let (right, down) = (half(width), half(height));
                let centre = [number(x).map(|x| x + right), number(y).map(|y| y + down)];
                self.positions[self.node][..2].copy_from_slice(&centre);
                Ok(Within::Ignored)
            }
            _ => Ok(Within::Ignored),
        }
    }

    fn enter_key(&mut self, element: &Element<'_>) -> Result<Within> {
        let [id, domain, name] = element.attributes(["id", "for", "attr.name"])?;
        let id = id.ok_or_else(|| element.fault("a <key> without an id", "an id"))?;
        let name = name.unwrap_or_default();
        let domain = domain.unwrap_or(Cow::Borrowed("all"));
        let is_for = |kind: &str| domain == kind || domain == "all";
        let weight = self.options.weight.as_deref().unwrap_or("weight");
        let axis = ["x", "y", "z"]
            .iter()
            .position(|axis| name.eq_ignore_ascii_case(axis));
        self.key = if is_for("edge") && name.eq_ignore_ascii_case(weight) {
            if std::mem::replace(&mut self.has_weight, true) {
                let found = format!("a second key for the weight, {}", quoted(&name));
                return Err(element.fault(found, "one"));
            }
            Role::Weight
        } else if is_for("node") && self.options.node_id.as_deref() == Some(&*name) {
            self.has_id = true;
            Role::Id
        } else if let Some(axis) = axis
            && is_for("node")
        {
            Role::Axis(axis)
        } else if is_for("edge") && self.options.kinds.as_deref() == Some(&*name) {
            self.has_kind = true;
            Role::Kind
        } else if is_for("node") && !name.is_empty() {
            Role::Column(self.columns.column(&name))
        } else {
            if domain == "edge" && !name.is_empty() {
                self.other_edge_keys.push(name.into_owned());
            }
            Role::Other
        };
        let roles = self.keys.entry(id.to_string()).or_default();
        for (role, kind) in roles.iter_mut().zip(["node", "edge"]) {
            if is_for(kind) && role.replace(self.key).is_some() {
                let found = format!("a second key of {kind}s with the id {}", quoted(&id));
                return Err(element.fault(found, "an id of its own for every key"));
            }
        }
        Ok(Within::Key)
    }

    fn enter_node(&mut self, element: &Element<'_>, line: u64) -> Result<Within> {
        let [id] = element.attributes(["id"])?;
        let id = checked_id(element, "id", id)?;
        self.node = self.mention(&id, element.place())?;
        if let Declaration::At(first) = self.declared[self.node] {
            let found = format!("the node {} once more, which line {first} has", quoted(&id));
            return Err(element.fault(found, "an id of its own for every node"));
        }
        self.declared[self.node] = Declaration::At(line);
        self.positions[self.node] = self.default_position;
        self.options
            .reserve_beside(self.name, &self.builder, self.held)?;
        Ok(Within::Node)
    }

    fn enter_edge(&mut self, element: &Element<'_>, line: u64) -> Result<Within> {
        let [source, target, directed, weight] =
            element.attributes(["source", "target", "directed", "weight"])?;
        let source = self.mention(&checked_id(element, "source", source)?, element.place())?;
        let target = self.mention(&checked_id(element, "target", target)?, element.place())?;
        let is_directed = match directed.as_deref() {
            Some("true") => true,
            Some("false") => false,
            _ => self.directed_by_default,
        };
        if weight.is_some() {
            self.note(
                "weights as XML attributes of <edge> are not GraphML and were ignored".into(),
            );
        }
        self.edge = Some(OpenEdge {
            source,
            target,
            weight: self.default_weight,
            kind: self.default_kind.clone(),
            is_directed,
            line,
        });
        Ok(Within::Edge)
    }

    /// The node called `id`, which may be declared later.
    fn mention(&mut self, id: &str, place: (u64, u64)) -> Result<usize> {
        let node = self.builder.node(id)?;
        if node == self.declared.len() {
            let id = id.to_owned();
            self.declared.push(Declaration::Awaited { place, id });
            self.positions.push([None; 3]);
            self.held += 112;
            if self.has_id {
                self.ids.push(String::new());
                self.held += 24;
            }
        }
        Ok(node)
    }

    /// Takes what an element said, at its end.
    fn leave(&mut self, within: Within) -> Result<()> {
        match within {
            Within::Default => match self.key {
                Role::Weight => self.default_weight = self.number()?,
                Role::Axis(axis) => self.default_position[axis] = coordinate(&self.text),
                Role::Column(column) if !self.text.trim_ascii().is_empty() => {
                    let word = self.text.trim_ascii().to_owned();
                    self.default_words.insert(column, word);
                }
                Role::Kind => self.text.trim_ascii().clone_into(&mut self.default_kind),
                Role::Column(_) | Role::Id | Role::Other => {}
            },
            Within::Data(role) => match (role, self.open.last()) {
                (Role::Weight, Some(Within::Edge)) => {
                    let weight = self.number()?;
                    if let Some(edge) = &mut self.edge {
                        edge.weight = weight;
                    }
                }
                (Role::Kind, Some(Within::Edge)) => {
                    if let Some(edge) = &mut self.edge {
                        self.text.trim_ascii().clone_into(&mut edge.kind);
                    }
                }
                (Role::Column(column), Some(Within::Node)) => {
                    self.held += self.columns.set(column, self.node, &self.text);
                }
                (Role::Id, Some(Within::Node)) => {
                    let id = self.text.trim_ascii();
                    self.held += id.len() as u64;
                    self.ids[self.node] = id.to_owned();
                }
                (Role::Axis(axis), Some(Within::Node)) => {
                    self.positions[self.node][axis] = coordinate(&self.text);
                }
                _ => {}
            },
            Within::Edge => {
                let edge = self.edge.take().expect("an edge ends that has begun");
                let (source, target, line) = (edge.source, edge.target, Some(edge.line));
                if let Some(name) = &self.options.kinds {
                    if edge.kind.is_empty() && self.has_kind {
                        let expected = format!("data for the key {}", quoted(name));
                        let found = "an edge without a kind";
                        return Err(fault(self.name, line, None, found, expected));
                    }
                    let is_arc = edge.is_directed && self.options.directions() == Directions::Keep;
                    let (ends, weight) = ((source, target), edge.weight);
                    self.kinds.add(ends, &edge.kind, weight, is_arc, edge.line);
                } else if edge.is_directed {
                    self.builder.arc(source, target, edge.weight, line)?;
                } else {
                    self.builder.edge(source, target, edge.weight, line)?;
                }
                let held = self.held + self.kinds.memory();
                self.options
                    .reserve_beside(self.name, &self.builder, held)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The text just read, as a weight.
    fn number(&self) -> Result<f64> {
        let text = self.text.trim_ascii();
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(fault(
                self.name,
                Some(self.place.0),
                Some(self.place.1 as usize),
                format!("the weight {}", quoted(text)),
                "a finite number",
            )),
        }
    }

    fn note(&mut self, note: String) {
        // A file cannot fill the memory with notes: there are few kinds, and few of the last.
        if self.notes.len() < 10 && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn finish(mut self) -> Result<LoadedGraph> {
        let whole = |found: String, expected: &str| fault(self.name, None, None, found, expected);
        if !self.seen_graph {
            return Err(whole("no <graph>".into(), "<graphml> with one <graph>"));
        }
        if self.declared.is_empty() {
            return Err(whole("no <node>".into(), "at least one"));
        }
        if let (Some(weight), false) = (&self.options.weight, self.has_weight) {
            let expected = format!("an edge key with the attr.name {}", quoted(weight));
            return Err(whole("none".into(), &expected));
        }
        if let (Some(kinds), false) = (&self.options.kinds, self.has_kind) {
            let expected = format!("an edge key with the attr.name {}", quoted(kinds));
            return Err(whole("none".into(), &expected));
        }
        if !self.has_weight && !self.other_edge_keys.is_empty() {
            let names = self.other_edge_keys.join(", ");
            self.note(format!(
                "no edge attribute is called weight (there is {}): every weight is 1",
                quoted(&names)
            ));
        }
        for declaration in &self.declared {
            if let Declaration::Awaited { place, id } = declaration {
                let found = format!("an edge of the unknown node {}", quoted(id));
                return Err(fault(
                    self.name,
                    Some(place.0),
                    Some(place.1 as usize),
                    found,
                    "a declared node",
                ));
            }
        }
        let labels = self.take_ids()?;
        let positions = gathered(&self.positions, &mut self.notes);
        let nodes = self.declared.len();
        let loaded = self.kinds.loaded(
            self.builder,
            self.name,
            Format::GraphMl,
            self.notes,
            labels,
            self.options,
        )?;
        Ok(LoadedGraph {
            positions,
            columns: self.columns.finish(nodes, &self.default_words),
            ..loaded
        })
    }

    /// The ids from the attribute that the caller named.
    fn take_ids(&mut self) -> Result<Option<Labels>> {
        let Some(attribute) = self.options.node_id.as_deref().filter(|&name| name != "id") else {
            return Ok(None);
        };
        let ids = std::mem::take(&mut self.ids);
        let expected = format!("a {} of its own for every node", quoted(attribute));
        let fail = |found: String| fault(self.name, None, None, found, expected.clone());
        if !self.has_id {
            return Err(fail("no node key with this attr.name".to_owned()));
        }
        let count = ids.iter().filter(|id| !id.is_empty()).count();
        if count < ids.len() {
            return Err(fail(format!("{count} of them on {} nodes", ids.len())));
        }
        Labels::new(ids)
            .map(Some)
            .map_err(|error| fail(error.to_string()))
    }
}

/// The node id in `element`'s `attribute`.
fn checked_id<'e>(
    element: &Element<'_>,
    attribute: &str,
    id: Option<Cow<'e, str>>,
) -> Result<Cow<'e, str>> {
    let id = id.unwrap_or_default();
    if id.is_empty() {
        let found = format!("a <{}> without `{attribute}`", element.name());
        return Err(element.fault(found, "a node id"));
    }
    if !is_xml_text(&id) {
        return Err(element.fault(quoted(&id), "an id without control characters"));
    }
    Ok(id)
}
