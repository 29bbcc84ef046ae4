//! GML from a stream: one pass over the words, with a stack that says which list it is in.

use std::collections::HashMap;
use std::io::BufRead;

use anchormatch::error::{Error, Result};
use anchormatch::graph::{Directions, GraphBuilder, Labels};

use super::super::columns::ColumnBuilder;
use super::super::edge_kinds::KindRows;
use super::super::fault::{fault, quoted};
use super::super::positions::{coordinate, gathered};
use super::super::{Format, LoadedGraph, ReadOptions};
use super::lexer::{Lexer, Token};

/// Lists inside each other, at most.
const DEEPEST: usize = 100;

/// Reads GML; `name` stands for the file in errors.
///
/// Nodes are numbered in the order in which they are mentioned.
///
/// # Errors
/// When a list is malformed or cut, an edge's end is no node, a node is declared twice, a weight is
/// no finite number, an edge has two weights and no rule says how to merge them, or the graph would
/// pass the memory allowed.
///
/// # Complexity
/// O(bytes + |E| log |E|) time; beside the graph, the labels and one word of memory.
pub fn read_gml_from(
    reader: impl BufRead,
    name: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    let mut lexer = Lexer::new(reader, name);
    let mut document = Document::new(name, options);
    let mut open: Vec<Within> = Vec::new();
    loop {
        let within = open.last().copied().unwrap_or(Within::Top);
        match lexer.next()? {
            Token::End if open.is_empty() => return document.finish(),
            Token::End => return Err(lexer.fault("the end of the file", "]")),
            Token::Close => {
                if open.pop().is_none() {
                    return Err(lexer.fault("]", "a key, because no list is open"));
                }
                document.leave(within)?;
            }
            Token::Open => return Err(lexer.fault("[", "a key before it")),
            Token::Text => {
                return Err(lexer.fault(quoted(lexer.text()), "a key, or ] at the end of a list"));
            }
            Token::Word => {
                let key = document.key(lexer.text(), within);
                let place = lexer.place();
                let is_key = lexer
                    .text()
                    .starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
                if !is_key {
                    return Err(
                        lexer.fault(quoted(lexer.text()), "a key, which begins with a letter")
                    );
                }
                let shown = quoted(lexer.text());
                match lexer.next()? {
                    Token::Open => {
                        if open.len() == DEEPEST {
                            let found = format!("lists {} deep", DEEPEST + 1);
                            return Err(lexer.fault(found, format!("at most {DEEPEST}")));
                        }
                        open.push(document.enter(within, key, place, &lexer)?);
                    }
                    Token::Word | Token::Text => document.set(within, key, &lexer)?,
                    Token::Close => {
                        return Err(lexer.fault("]", format!("a value for the key {shown}")));
                    }
                    Token::End => {
                        let expected = format!("a value for the key {shown}");
                        return Err(lexer.fault("the end of the file", expected));
                    }
                }
            }
        }
    }
}

/// The list that the reader is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Top,
    Graph,
    Node,
    Edge,
    Graphics,
    /// Something that is passed over, with all that it holds.
    Ignored,
}

/// What a key means where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Graph,
    Node,
    Edge,
    Graphics,
    Directed,
    Id,
    Label,
    Name,
    /// The attribute that the caller named for the ids.
    Chosen,
    Source,
    Target,
    Weight,
    Value,
    Axis(usize),
    /// Another attribute of nodes.
    Column(usize),
    /// The edge attribute that the caller named for the kinds.
    Kind,
    Other,
}

impl Key {
    fn of(word: &str, within: Within, options: &ReadOptions) -> Self {
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        match within {
            Within::Top if is("graph") => Self::Graph,
            Within::Graph if is("node") => Self::Node,
            Within::Graph if is("edge") => Self::Edge,
            Within::Graph if is("directed") => Self::Directed,
            Within::Node if is("id") => Self::Id,
            Within::Node if options.node_id.as_deref().is_some_and(is) => Self::Chosen,
            Within::Node if is("label") => Self::Label,
            Within::Node if is("name") => Self::Name,
            Within::Node if is("graphics") => Self::Graphics,
            Within::Graphics => match ["x", "y", "z"].iter().position(|axis| is(axis)) {
                Some(axis) => Self::Axis(axis),
                None => Self::Other,
            },
            Within::Edge if is("source") => Self::Source,
            Within::Edge if is("target") => Self::Target,
            Within::Edge if is(options.weight.as_deref().unwrap_or("weight")) => Self::Weight,
            Within::Edge if options.kinds.as_deref().is_some_and(is) => Self::Kind,
            Within::Edge if is("value") && options.weight.is_none() => Self::Value,
            _ => Self::Other,
        }
    }
}

/// The line and the column of a key.
type Place = (u64, u64);

/// The node that is being read.
#[derive(Default)]
struct OpenNode {
    id: Option<i64>,
    /// By [`Key::Chosen`], [`Key::Label`] and [`Key::Name`].
    names: [Option<String>; 3],
    place: [Option<f64>; 3],
    /// By column.
    words: Vec<(usize, String)>,
    begins: Place,
}

/// The edge that is being read.
#[derive(Default)]
struct OpenEdge {
    source: Option<i64>,
    target: Option<i64>,
    weight: Option<f64>,
    value: Option<f64>,
    kind: String,
    begins: Place,
}

/// Whether a node has been declared, and where; or where it was needed.
#[derive(Clone, Copy)]
enum Declaration {
    At(Place),
    Awaited(Place),
}

/// What the document has said so far.
struct Document<'a> {
    name: &'a str,
    options: &'a ReadOptions,
    builder: GraphBuilder,
    seen_graph: bool,
    is_directed: bool,
    has_weight: bool,
    node: OpenNode,
    edge: OpenEdge,
    /// Where each node is declared, or first mentioned by an edge.
    declared: Vec<Declaration>,
    names: Vec<[Option<String>; 3]>,
    places: Vec<[Option<f64>; 3]>,
    columns: ColumnBuilder,
    kinds: KindRows,
    /// Bytes that names, places and columns take.
    held: u64,
}

impl<'a> Document<'a> {
    fn new(name: &'a str, options: &'a ReadOptions) -> Self {
        Self {
            name,
            options,
            builder: options.builder(name),
            seen_graph: false,
            is_directed: false,
            has_weight: false,
            node: OpenNode::default(),
            edge: OpenEdge::default(),
            declared: Vec::new(),
            names: Vec::new(),
            places: Vec::new(),
            columns: ColumnBuilder::default(),
            kinds: KindRows::default(),
            held: 0,
        }
    }

    /// What `word` means inside `within`.
    fn key(&mut self, word: &str, within: Within) -> Key {
        match Key::of(word, within, self.options) {
            Key::Other if within == Within::Node => Key::Column(self.columns.column(word)),
            key => key,
        }
    }

    /// Begins the list under `key`.
    fn enter<R: BufRead>(
        &mut self,
        within: Within,
        key: Key,
        begins: Place,
        lexer: &Lexer<R>,
    ) -> Result<Within> {
        match key {
            Key::Graph => {
                if std::mem::replace(&mut self.seen_graph, true) {
                    return Err(lexer.fault("a second graph", "one graph in a file"));
                }
                Ok(Within::Graph)
            }
            Key::Node => {
                self.node = OpenNode {
                    begins,
                    ..OpenNode::default()
                };
                Ok(Within::Node)
            }
            Key::Edge => {
                self.edge = OpenEdge {
                    begins,
                    ..OpenEdge::default()
                };
                Ok(Within::Edge)
            }
            Key::Graphics => Ok(Within::Graphics),
            Key::Other | Key::Column(_) | Key::Value | Key::Name | Key::Label => {
                Ok(Within::Ignored)
            }
            _ => {
                debug_assert_ne!(within, Within::Ignored, "keys mean nothing there");
                Err(lexer.fault("a list", "one value for this key"))
            }
        }
    }

    /// Takes the value of `key`.
    fn set<R: BufRead>(&mut self, within: Within, key: Key, lexer: &Lexer<R>) -> Result<()> {
        let text = lexer.text();
        let number = || -> Result<i64> {
            let parsed = text.parse::<i64>();
            parsed.map_err(|_| lexer.fault(quoted(text), "the whole number of a node"))
        };
        let weight = || match text.trim_ascii().parse::<f64>() {
            Ok(weight) if weight.is_finite() => Ok(weight),
            _ => Err(lexer.fault(format!("the weight {}", quoted(text)), "a finite number")),
        };
        match key {
            Key::Graph | Key::Node | Key::Edge => {
                return Err(lexer.fault(quoted(text), "a list in brackets"));
            }
            Key::Directed => {
                self.is_directed = match text {
                    "0" => false,
                    "1" => true,
                    _ => return Err(lexer.fault(quoted(text), "0 or 1")),
                }
            }
            Key::Id => self.node.id = Some(number()?),
            Key::Chosen => self.node.names[0] = Some(text.to_owned()),
            Key::Label => self.node.names[1] = Some(text.to_owned()),
            Key::Name => self.node.names[2] = Some(text.to_owned()),
            Key::Axis(axis) if within == Within::Graphics => {
                self.node.place[axis] = coordinate(text);
            }
            Key::Source => self.edge.source = Some(number()?),
            Key::Target => self.edge.target = Some(number()?),
            Key::Weight => self.edge.weight = Some(weight()?),
            // A value that is no number is something else than a weight.
            Key::Value => self.edge.value = weight().ok(),
            Key::Column(column) => self.node.words.push((column, text.to_owned())),
            Key::Kind => text.trim_ascii().clone_into(&mut self.edge.kind),
            Key::Axis(_) | Key::Graphics | Key::Other => {}
        }
        Ok(())
    }

    /// Takes what a list said, at its end.
    fn leave(&mut self, within: Within) -> Result<()> {
        match within {
            Within::Node => self.end_node(),
            Within::Edge => self.end_edge(),
            _ => Ok(()),
        }
    }

    fn end_node(&mut self) -> Result<()> {
        let node = std::mem::take(&mut self.node);
        let Some(id) = node.id else {
            return Err(self.fault(node.begins, "a node without an id", "id"));
        };
        let number = self.mention(id, node.begins)?;
        if let Declaration::At((first, _)) = self.declared[number] {
            let found = format!("the node {id} once more, which line {first} has");
            let expected = "an id of its own for every node";
            return Err(self.fault(node.begins, &found, expected));
        }
        self.declared[number] = Declaration::At(node.begins);
        self.held += node
            .names
            .iter()
            .flatten()
            .map(|n| n.len() as u64 + 16)
            .sum::<u64>();
        for (column, word) in &node.words {
            self.held += self.columns.set(*column, number, word);
        }
        self.names[number] = node.names;
        self.places[number] = node.place;
        self.options
            .reserve_beside(self.name, &self.builder, self.held)
    }

    fn end_edge(&mut self) -> Result<()> {
        let edge = std::mem::take(&mut self.edge);
        let line = Some(edge.begins.0);
        let (Some(source), Some(target)) = (edge.source, edge.target) else {
            let found = "an edge without its ends";
            return Err(self.fault(edge.begins, found, "source and target"));
        };
        self.has_weight |= edge.weight.is_some();
        let weight = edge.weight.or(edge.value).unwrap_or(1.0);
        let source = self.mention(source, edge.begins)?;
        let target = self.mention(target, edge.begins)?;
        if let Some(name) = &self.options.kinds {
            if edge.kind.is_empty() {
                let expected = format!("the key {}", quoted(name));
                return Err(self.fault(edge.begins, "an edge without a kind", &expected));
            }
            let is_arc = self.is_directed && self.options.directions() == Directions::Keep;
            let line = edge.begins.0;
            self.kinds
                .add((source, target), &edge.kind, weight, is_arc, line);
        } else if self.is_directed {
            self.builder.arc(source, target, weight, line)?;
        } else {
            self.builder.edge(source, target, weight, line)?;
        }
        let held = self.held + self.kinds.memory();
        self.options.reserve_beside(self.name, &self.builder, held)
    }

    /// The node with `id`, which may be declared later.
    fn mention(&mut self, id: i64, place: Place) -> Result<usize> {
        let node = self.builder.node(&id.to_string())?;
        if node == self.declared.len() {
            self.declared.push(Declaration::Awaited(place));
            self.names.push([None, None, None]);
            self.places.push([None; 3]);
            self.held += 160;
        }
        Ok(node)
    }

    fn fault(&self, (line, column): Place, found: &str, expected: &str) -> Error {
        fault(
            self.name,
            Some(line),
            Some(column as usize),
            found,
            expected,
        )
    }

    fn finish(mut self) -> Result<LoadedGraph> {
        let whole =
            |found: &str, expected: &str| Err(fault(self.name, None, None, found, expected));
        if !self.seen_graph {
            return whole("no graph", "graph [ … ]");
        }
        if self.declared.is_empty() {
            return whole("no node", "at least one");
        }
        if let (Some(weight), false) = (&self.options.weight, self.has_weight) {
            return whole("none", &format!("an edge with the key {}", quoted(weight)));
        }
        let mut awaited = self.declared.iter().filter_map(|declared| match declared {
            Declaration::Awaited(place) => Some(*place),
            Declaration::At(_) => None,
        });
        if let Some(place) = awaited.next() {
            let found = "an edge of a node that is not declared";
            return Err(self.fault(place, found, "a node with this id"));
        }
        let mut notes = Vec::new();
        let labels = self.labels(&mut notes)?;
        let positions = gathered(&self.places, &mut notes);
        let nodes = self.declared.len();
        self.add_names();
        let loaded = self.kinds.loaded(
            self.builder,
            self.name,
            Format::Gml,
            notes,
            labels,
            self.options,
        )?;
        Ok(LoadedGraph {
            positions,
            columns: self.columns.finish(nodes, &HashMap::new()),
            ..loaded
        })
    }

    /// Labels and names that are no ids are attributes as others are.
    fn add_names(&mut self) {
        for (kind, attribute) in [(1, "label"), (2, "name")] {
            if self.names.iter().all(|names| names[kind].is_none()) {
                continue;
            }
            let column = self.columns.column(attribute);
            for (node, names) in self.names.iter().enumerate() {
                if let Some(name) = &names[kind] {
                    self.columns.set(column, node, name);
                }
            }
        }
    }

    /// The names of the nodes, when they are others than the ids.
    fn labels(&mut self, notes: &mut Vec<String>) -> Result<Option<Labels>> {
        let wanted = self.options.node_id.as_deref();
        if wanted.is_some_and(|name| name.eq_ignore_ascii_case("id")) {
            return Ok(None);
        }
        for (kind, attribute) in [wanted.unwrap_or_default(), "label", "name"]
            .into_iter()
            .enumerate()
        {
            if wanted.is_some() != (kind == 0) {
                continue;
            }
            let have = |names: &&[Option<String>; 3]| {
                names[kind].as_ref().is_some_and(|name| !name.is_empty())
            };
            let count = self.names.iter().filter(have).count();
            let names = self.names.iter().filter_map(|names| names[kind].clone());
            let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
            let all = count == self.names.len();
            match Labels::new(names) {
                Ok(labels) if all => {
                    self.names.iter_mut().for_each(|names| names[kind] = None);
                    return Ok(Some(labels));
                }
                outcome if wanted.is_some() => {
                    let found = match outcome {
                        Err(error) if all => error.to_string(),
                        _ => format!("{count} of them on {} nodes", self.names.len()),
                    };
                    let expected = format!("a {} of its own for every node", quoted(attribute));
                    return Err(fault(self.name, None, None, found, expected));
                }
                _ if count > 0 => notes.push(format!(
                    "{attribute}s were left aside: not every node has one of its own"
                )),
                _ => {}
            }
        }
        Ok(None)
    }
}
