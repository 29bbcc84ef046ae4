//! Edges of several kinds, the layers or relations of a graph, as readers come upon them.
//!
//! Edges of one kind are merged as those of a graph are; what is left of all kinds is the graph, whose
//! weights are their sums.

use std::collections::HashMap;

use anchormatch::error::{Hint, ParseError, Result};
use anchormatch::graph::{Duplicates, EdgeKinds, Graph, GraphBuilder, KindEdge, Labels};

use super::fault::quoted;
use super::{Format, LoadedGraph, ReadOptions, finish};

/// Edges with their kinds, on the way to a graph.
///
/// ```
/// use anchormatch::graph::{Duplicates, GraphBuilder};
/// use anchormatch_io::KindRows;
/// let mut rows = KindRows::default();
/// rows.add((0, 1), "work", 1.0, false, 1);
/// rows.add((1, 0), "home", 2.0, false, 2);
/// let (graph, kinds) = rows.build(GraphBuilder::with_nodes(2)?, "rows", Duplicates::Error)?;
/// assert_eq!((graph.weight(0, 1), kinds.edges().len()), (3.0, 2));
/// # Ok::<(), anchormatch::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct KindRows {
    numbers: HashMap<String, u32>,
    names: Vec<String>,
    rows: Vec<Row>,
    bytes: u64,
    /// Rows that said again what one of the same kind had said.
    repeated: usize,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    from: usize,
    to: usize,
    kind: u32,
    weight: f64,
    is_arc: bool,
    line: u64,
}

impl Row {
    /// What makes two rows the same edge.
    fn key(&self) -> (usize, usize, u32, bool) {
        (self.from, self.to, self.kind, self.is_arc)
    }
}

impl KindRows {
    /// Takes an edge, or an arc, between two nodes; `line` is its place for errors.
    pub fn add(
        &mut self,
        (from, to): (usize, usize),
        kind: &str,
        weight: f64,
        is_arc: bool,
        line: u64,
    ) {
        let number = match self.numbers.get(kind) {
            Some(&number) => number,
            None => {
                let number = self.names.len() as u32;
                self.numbers.insert(kind.to_owned(), number);
                self.names.push(kind.to_owned());
                self.bytes += 2 * kind.len() as u64 + 80;
                number
            }
        };
        let (from, to) = if is_arc || from <= to {
            (from, to)
        } else {
            (to, from)
        };
        self.rows.push(Row {
            from,
            to,
            kind: number,
            weight,
            is_arc,
            line,
        });
        self.bytes += 48;
    }

    /// The graph of all kinds, whose weights are the sums of theirs, and the edges of each. Edges of one kind
    /// that repeat are merged as `duplicates` says; the builder has the nodes, and `name` stands for the file
    /// in errors.
    ///
    /// # Errors
    /// When an edge is of a node that there is not, a weight is not finite, or an edge of one kind has two
    /// weights and no rule says how to merge them.
    pub fn build(
        mut self,
        builder: GraphBuilder,
        name: &str,
        duplicates: Duplicates,
    ) -> Result<(Graph, EdgeKinds)> {
        let mut builder = builder.duplicates(Duplicates::Sum);
        self.merge_into(&mut builder, name, duplicates)?;
        let graph = builder.build()?;
        let kinds = self.finish(&graph)?;
        Ok((graph, kinds))
    }

    /// The graph of a file whose edges may have kinds, and these where they were asked for.
    ///
    /// # Errors
    /// As [`build`](Self::build), and when the ids are not one for each node.
    pub(super) fn loaded(
        mut self,
        mut builder: GraphBuilder,
        name: &str,
        format: Format,
        mut notes: Vec<String>,
        labels: Option<Labels>,
        options: &ReadOptions,
    ) -> Result<LoadedGraph> {
        self.merge_into(&mut builder, name, options.duplicates)?;
        notes.extend(self.note());
        let mut loaded = finish(builder, name, format, notes)?.named(labels)?;
        if options.kinds.is_some() {
            loaded.kinds = Some(self.finish(&loaded.graph)?);
        }
        Ok(loaded)
    }

    /// The bytes that they take, about.
    pub(super) fn memory(&self) -> u64 {
        self.bytes
    }

    /// Merges the edges of each kind and gives what is left to the builder.
    ///
    /// # Errors
    /// When an edge of one kind has two weights and no rule says how to merge them.
    pub(super) fn merge_into(
        &mut self,
        builder: &mut GraphBuilder,
        name: &str,
        duplicates: Duplicates,
    ) -> Result<()> {
        // Stable: the rows of one edge stay in the order of the file.
        self.rows.sort_by_key(Row::key);
        let mut merged: Vec<Row> = Vec::with_capacity(self.rows.len());
        for same in self.rows.chunk_by(|a, b| a.key() == b.key()) {
            merged.push(Row {
                weight: self.weight_of(same, name, duplicates)?,
                ..same[0]
            });
        }
        self.repeated = self.rows.len() - merged.len();
        self.rows = merged;
        // What several kinds say of two nodes is no repetition, and the builder sees it once.
        let ends = |row: &Row| (row.from, row.to, row.is_arc);
        self.rows.sort_by_key(|row| (ends(row), row.kind));
        for all in self.rows.chunk_by(|a, b| ends(a) == ends(b)) {
            let weight = all.iter().map(|row| row.weight).sum();
            let (from, to, line) = (all[0].from, all[0].to, Some(all[0].line));
            if all[0].is_arc {
                builder.arc(from, to, weight, line)?;
            } else {
                builder.edge(from, to, weight, line)?;
            }
        }
        Ok(())
    }

    /// The one weight of rows of the same edge.
    fn weight_of(&self, same: &[Row], name: &str, duplicates: Duplicates) -> Result<f64> {
        let weights = same.iter().map(|row| row.weight);
        let first = same[0];
        Ok(match duplicates {
            Duplicates::Sum => weights.sum(),
            Duplicates::Mean => weights.sum::<f64>() / same.len() as f64,
            Duplicates::Max => weights.fold(f64::NEG_INFINITY, f64::max),
            Duplicates::First => first.weight,
            Duplicates::Error => {
                let Some(other) = same.iter().find(|row| row.weight != first.weight) else {
                    return Ok(first.weight);
                };
                let found = format!(
                    "the weight {} of an edge of {} that has {} on line {}",
                    other.weight,
                    quoted(&self.names[first.kind as usize]),
                    first.weight,
                    first.line
                );
                let expected = "one weight for every edge of a kind";
                let error = ParseError::new(name, found, expected).at(Some(other.line), None);
                return Err(anchormatch::Error::from(error).hinting(&[Hint::Duplicates]));
            }
        })
    }

    /// What merging did, in a sentence.
    pub(super) fn note(&self) -> Option<String> {
        match self.repeated {
            0 => None,
            1 => Some("1 repeated edge of one kind was merged".to_owned()),
            count => Some(format!("{count} repeated edges of one kind were merged")),
        }
    }

    /// The kinds of the edges of `graph`: in both directions where it has any and a row had none.
    ///
    /// # Errors
    /// When an edge is of a node that the graph has not, which readers see to.
    pub(super) fn finish(self, graph: &Graph) -> Result<EdgeKinds> {
        let mut edges = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            if row.from == row.to || row.weight == 0.0 {
                continue;
            }
            let (from, to) = (row.from as u32, row.to as u32);
            let edge = |from, to| KindEdge {
                from,
                to,
                kind: row.kind,
                weight: row.weight,
            };
            match (graph.is_directed(), row.is_arc) {
                (true, true) => edges.push(edge(from, to)),
                (true, false) => edges.extend([edge(from, to), edge(to, from)]),
                (false, _) => edges.push(edge(from.min(to), from.max(to))),
            }
        }
        edges.sort_by_key(|edge| (edge.from, edge.to, edge.kind));
        edges.dedup();
        EdgeKinds::new(graph.node_count(), self.names, edges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, LoadedGraph, ReadOptions, read_graph_from};

    fn read_as(
        text: &str,
        kinds: &str,
        change: impl FnOnce(&mut ReadOptions),
    ) -> Result<LoadedGraph> {
        let mut options = ReadOptions {
            kinds: Some(kinds.to_owned()),
            ..ReadOptions::default()
        };
        change(&mut options);
        let format = match text.as_bytes()[0] {
            b'<' => Format::GraphMl,
            b'g' => Format::Gml,
            _ => Format::EdgeList,
        };
        read_graph_from(text.as_bytes(), "e.csv", format, &options)
    }

    fn read(text: &str, kinds: &str) -> Result<LoadedGraph> {
        read_as(text, kinds, |_| {})
    }

    /// Every edge as `from kind to weight`, in the file's ids.
    fn told(loaded: &LoadedGraph) -> Vec<String> {
        let kinds = loaded.kinds.as_ref().expect("kinds were asked for");
        let id = |node: u32| loaded.graph.labels().get(node as usize).into_owned();
        let edges = kinds.edges().iter().map(|edge| {
            let kind = &kinds.names()[edge.kind as usize];
            format!("{} {kind} {} {}", id(edge.from), id(edge.to), edge.weight)
        });
        edges.collect()
    }

    #[test]
    fn a_column_by_its_name_or_number_has_the_kinds() {
        let wanted = ["a work b 2", "a chat b 1", "b work c 1"];
        for (text, column) in [
            (
                "source,target,layer,weight\na,b,work,2\nb,a,chat,1\nb,c,work,1\n",
                "layer",
            ),
            (
                "weight,layer,source,target\n2,work,a,b\n1,chat,b,a\n1,work,b,c\n",
                "Layer",
            ),
            (
                "source,target,layer,weight\na,b,work,2\nb,a,chat,1\nb,c,work,1\n",
                "3",
            ),
            ("a,b,work,2\nb,a,chat,1\nb,c,work,1\n", "3"),
            ("a b 2 work\nb a 1 chat\nb c 1 work\n", "4"),
            (
                "a b {'weight': 2, 'layer': 'work'}\nb a {'layer': 'chat'}\nb c {'layer': 'work'}\n",
                "layer",
            ),
        ] {
            let loaded = read(text, column).unwrap();
            assert_eq!(told(&loaded), wanted, "{text}");
            assert_eq!(loaded.graph.edge_count(), 2);
            // The graph has all kinds at once.
            assert_eq!(loaded.graph.weight(0, 1), 3.0, "{text}");
        }
        // Without weights the third column is the kind and nothing else.
        for (text, column) in [
            ("source,target,layer\na,b,work\nb,a,chat\n", "layer"),
            ("a,b,work\nb,a,chat\n", "3"),
            ("person,friend,layer\na,b,work\nb,a,chat\n", "layer"),
        ] {
            let loaded = read(text, column).unwrap();
            assert_eq!(told(&loaded), ["a work b 1", "a chat b 1"], "{text}");
        }
    }

    #[test]
    fn directions_are_the_graphs() {
        let text = "source,target,relation\na,b,likes\nb,a,knows\nb,c,likes\n";
        let directed = read_as(text, "relation", |options| options.directed = Some(true)).unwrap();
        assert!(directed.graph.is_directed());
        assert_eq!(
            told(&directed),
            ["a likes b 1", "b knows a 1", "b likes c 1"]
        );
        let mixed = "source,target,type,relation\na,b,directed,likes\nb,c,undirected,knows\n";
        let mixed = read(mixed, "relation").unwrap();
        assert_eq!(told(&mixed), ["a likes b 1", "b knows c 1", "c knows b 1"]);
        let plain = read_as(text, "relation", |options| options.directed = Some(false)).unwrap();
        assert_eq!(told(&plain), ["a likes b 1", "a knows b 1", "b likes c 1"]);
    }

    #[test]
    fn repetitions_of_one_kind_are_merged_by_the_rule() {
        let text =
            "source,target,layer,weight\na,b,x,1\na,b,x,3\na,b,y,1\na,b,y,1\na,a,x,1\nb,c,x,0\n";
        let error = read(text, "layer").unwrap_err();
        assert!(error.hints().contains(&Hint::Duplicates));
        let words = "e.csv, line 3: found the weight 3 of an edge of `x` that has 1 on line 2";
        assert!(error.to_string().starts_with(words), "{error}");
        let none = read("a,b,x\na,b,y\n", "3").unwrap();
        assert_eq!((none.notes.len(), none.graph.weight(0, 1)), (0, 2.0));
        for (rule, wanted) in [
            (Duplicates::Sum, ["a x b 4", "a y b 2"]),
            (Duplicates::Mean, ["a x b 2", "a y b 1"]),
            (Duplicates::Max, ["a x b 3", "a y b 1"]),
            (Duplicates::First, ["a x b 1", "a y b 1"]),
        ] {
            let loaded = read_as(text, "layer", |options| options.duplicates = rule).unwrap();
            assert_eq!(told(&loaded), wanted, "{rule:?}");
            let note = "2 repeated edges of one kind were merged".to_owned();
            assert!(loaded.notes.contains(&note), "{:?}", loaded.notes);
        }
    }

    #[test]
    fn graphml_and_gml_have_kinds_too() {
        let graphml = "<graphml><key id='k' for='edge' attr.name='layer'><default>work</default></key>\
            <graph edgedefault='directed'><node id='a'/><node id='b'/><edge source='a' target='b'/>\
            <edge source='b' target='a'><data key='k'>chat</data></edge></graph></graphml>";
        let loaded = read_as(graphml, "layer", |options| options.directed = Some(false));
        assert_eq!(told(&loaded.unwrap()), ["a work b 1", "a chat b 1"]);
        let gml = "graph [ directed 1 node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 layer \"work\" ]\
            edge [ source 2 target 1 layer chat value 3 ] ]";
        assert_eq!(
            told(&read(gml, "layer").unwrap()),
            ["1 work 2 1", "2 chat 1 3"]
        );
        for text in [graphml, gml] {
            let error = read(text, "relation").unwrap_err().to_string();
            assert!(error.contains("`relation`"), "{error}");
        }
    }

    #[test]
    fn every_fault_has_its_message() {
        for (text, column, words) in [
            (
                "a,b,work\n",
                "layer",
                "line 1, column 3: found the columns `a, b, work`, expected a header with the column `layer`",
            ),
            (
                "source,target,weight\na,b,1\n",
                "layer",
                "found the columns `source, target, weight`",
            ),
            (
                "a,b,work\n",
                "5",
                "expected a header with the column `5`, or the number of a column from 3",
            ),
            (
                "a,b,work\n",
                "2",
                "line 1, column 2: found the column 2 of nodes",
            ),
            (
                "source,target,layer\na,b,\n",
                "layer",
                "line 2, column 3: found no kind",
            ),
            ("source,target,layer\na,b\n", "layer", "line 2"),
            ("a b {'x': 1}\n", "layer", "line 1, column 3: found no kind"),
        ] {
            let error = read(text, column).unwrap_err().to_string();
            assert!(error.contains(words), "{text:?}: {error}");
        }
        let options = ReadOptions {
            kinds: Some("layer".to_owned()),
            ..ReadOptions::default()
        };
        let text = &b"0 1\n1 0\n"[..];
        let error = read_graph_from(text, "a.adj", Format::Adjacency, &options).unwrap_err();
        let words = "a.adj: found the format adjacency, whose edges have no attribute `layer`";
        assert!(error.to_string().starts_with(words), "{error}");
    }
}
