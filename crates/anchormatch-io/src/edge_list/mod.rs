//! Edge lists: rows of `source,target[,weight]`.
//!
//! The rules of every table hold (see `table.rs`): comma, tab, semicolon or blanks, `#` and `%`
//! comments, quoted ids. Ids are any strings; a missing weight column means 1. An edge from a node
//! to itself stands beside the graph; of weight 0 it is how a list names an isolated node.
//! Rows are undirected edges, unless a column or the caller says that they are arcs.
//!
//! The first row is a header when its third field is a name rather than a number (it does not
//! begin with a digit, a sign or a point, and is not `nan` or `inf`), or, with two columns, when its
//! fields are one of the pairs source,target · from,to · src,dst · node1,node2 · u,v · v1,v2 · i,j, in
//! either case. A header that has one of these pairs may have its columns in any order and others
//! among them, as Gephi's and pandas's tables do: the weight is then the column `weight`, and a
//! column `type` says `directed` or `undirected`.
//!
//! In place of a weight may stand attributes as networkx writes them, `{'weight': 1.5}`.
//!
//! A column, or one of these attributes, may hold the kinds of the edges: their layers or relations. Where a header names
//! such a column, nobody asked for it and there are no weights, edges of several kinds between two nodes count as one each, so
//! that the graph is the one that it would be with the kinds asked for.

mod columns;
mod pending;
#[cfg(test)]
mod tests;

pub(super) use columns::{ends, is_header};

use std::io::{BufRead, Write};

use anchormatch::error::Result;
use anchormatch::graph::{Directions, Graph};

use super::edge_kinds::KindRows;
use super::fault::fault;
use super::header;
use super::recognise::{DOUBTFUL, Doubt};
use super::table::{Shape, Table, write_field};
use super::{Format, LoadedGraph, ReadOptions, finish};
use columns::{Columns, attribute};
use pending::Pending;

/// The columns of a table of pairs.
pub(super) const SHAPE: Shape = Shape {
    columns: 2..=3,
    ragged: false,
    attributes: false,
    longest_line: Shape::LINE,
    wanted: "source,target or source,target,weight",
};

/// The columns of an edge list; more than three need a header.
const EDGE_SHAPE: Shape = Shape {
    columns: 2..=64,
    attributes: true,
    ..SHAPE
};

/// Reads an edge list; `name` stands for the file in errors.
///
/// Nodes are numbered in the order in which their ids first appear.
///
/// # Errors
/// When a row is malformed, an edge has two weights and no rule says how to merge them, there is no
/// row at all, or the graph would pass the memory allowed.
///
/// # Complexity
/// O(bytes + |E| log |E|) time; beside the graph, one line of memory.
pub fn read_edge_list_from(
    reader: impl BufRead,
    name: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    let mut table = Table::new(reader, name, EDGE_SHAPE);
    let mut builder = options.builder(name);
    let mut rows = 0u64;
    let mut columns: Option<Columns> = None;
    let mut doubt = Doubt::default();
    let mut kinds = KindRows::default();
    let mut pending = Pending::default();
    let mut note = None;
    let mut doubts = Vec::new();
    while let Some(row) = table.next()? {
        let columns = match columns {
            Some(columns) => columns,
            None => {
                let (found, is_header) = Columns::of(&row, options)?;
                columns = Some(found);
                if is_header {
                    note = found.unusual_weight(&row, options);
                    doubts.extend(found.unasked_kinds(&row));
                    if options.header.is_none() && ends(&row).is_none() {
                        doubts.push(header::taken(&row));
                    }
                    continue;
                }
                found
            }
        };
        doubt.see(&row, columns.target);
        let (source, target) = (row.id(columns.source)?, row.id(columns.target)?);
        let weight = match columns.weight {
            None => 1.0,
            Some(column) if row.get(column).starts_with('{') => attribute(&row, column, options)?,
            Some(column) => row.number(column)?,
        };
        let is_arc = columns.is_directed(&row)? || options.directed == Some(true);
        rows += 1;
        if let Some(kind) = columns.kind(&row, options)? {
            let ends = (builder.node(source)?, builder.node(target)?);
            let is_arc = is_arc && options.directions() == Directions::Keep;
            kinds.add(ends, kind, weight, is_arc, row.line());
        } else {
            pending.push([source, target], weight, row.line(), is_arc);
            if !pending.is_full() {
                continue;
            }
            pending.add_to(&mut builder)?;
        }
        options.reserve_beside(name, &builder, kinds.memory())?;
    }
    pending.add_to(&mut builder)?;
    options.reserve_beside(name, &builder, kinds.memory())?;
    if rows == 0 {
        let Some(table) = &options.nodes else {
            return Err(fault(
                name,
                None,
                None,
                "no edge",
                "at least one row of source,target[,weight]",
            ));
        };
        for id in &table.ids {
            builder.node(id)?;
        }
    }
    let looks_like_points = doubt.holds();
    let doubtful = looks_like_points.then(|| DOUBTFUL.to_owned());
    kinds.merge_into(&mut builder, name, options.duplicates)?;
    let mut loaded = LoadedGraph {
        looks_like_points,
        ..finish(
            builder,
            name,
            Format::EdgeList,
            note.into_iter().chain(doubtful).collect(),
        )?
    };
    loaded.notes.extend(kinds.note());
    if options.kinds.is_some() {
        loaded.kinds = Some(kinds.finish(&loaded.graph)?);
    }
    if options.header.is_none() && rows > 1 && opens_with_strangers(&loaded.graph) {
        let labels = loaded.graph.labels();
        let fields = format!("{},{}", labels.get(0), labels.get(1));
        let what = "an edge, of nodes that occur nowhere else";
        doubts.push(header::read_as(&fields, what));
    }
    loaded.doubts = doubts;
    Ok(loaded)
}

/// Whether the first edge is between two words that no other edge knows, as a header would be: of letters alone, or
/// where all others are numbers.
fn opens_with_strangers(graph: &Graph) -> bool {
    let labels = graph.labels();
    let of_letters = |node: usize| {
        let name = labels.get(node);
        name.chars()
            .all(|c| c.is_alphabetic() || matches!(c, '_' | ' '))
    };
    let is_number = |node: usize| labels.get(node).parse::<f64>().is_ok();
    let meets_once = |node: usize| graph.neighbours(node).len() == 1;
    let n = graph.node_count();
    n > 2
        && graph.weight(0, 1) != 0.0
        && meets_once(0)
        && meets_once(1)
        && ((of_letters(0) && of_letters(1))
            || (!is_number(0) && !is_number(1) && (2..n).all(is_number)))
}

/// Writes `graph` as `source,target,weight` with a header.
///
/// Every edge stands with its later node, so that a reader that numbers nodes as they appear finds
/// them in the graph's own order wherever the edges allow it. Of a directed graph every row is an arc, which
/// the reader has to be told. An isolated node stands as an edge of weight 0 to itself.
///
/// # Errors
/// When `out` fails, or an id is empty or holds a line break, which no row can.
pub fn write_edge_list(out: &mut (impl Write + ?Sized), graph: &Graph) -> std::io::Result<()> {
    writeln!(out, "source,target,weight")?;
    let labels = graph.labels();
    let mut row = |source: usize, target: usize, weight: f64| {
        write_field(out, &labels.get(source))?;
        out.write_all(b",")?;
        write_field(out, &labels.get(target))?;
        writeln!(out, ",{weight}")
    };
    for node in 0..graph.node_count() {
        let neighbours = graph.neighbours(node);
        let own = graph.loop_weight(node);
        if own != 0.0 || neighbours.len() == 0 {
            row(node, node, own)?;
        }
        for (earlier, weight) in neighbours.take_while(|&(other, _)| other < node) {
            if !graph.is_directed() {
                row(earlier, node, weight)?;
                continue;
            }
            for (tail, head) in [(earlier, node), (node, earlier)] {
                if let Some(weight) = graph.arcs().get(tail, head) {
                    row(tail, head, weight)?;
                }
            }
        }
    }
    Ok(())
}
