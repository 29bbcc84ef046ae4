//! Pajek's `.net` written.

use std::io::Write;

use anchormatch::graph::Graph;
use anchormatch::linalg::Matrix;

use super::super::fault::unwritable_id;
use super::super::links::links;
use super::super::points::check_positions;

/// Writes `graph` as a Pajek network, with `positions` as coordinates.
///
/// # Errors
/// When `out` fails, the positions do not fit the graph, or an id is empty or holds a line break.
pub fn write_pajek(
    out: &mut (impl Write + ?Sized),
    graph: &Graph,
    positions: Option<&Matrix>,
) -> std::io::Result<()> {
    if let Some(positions) = positions {
        check_positions(graph.node_count(), positions)?;
    }
    writeln!(out, "*Vertices {}", graph.node_count())?;
    for (i, id) in graph.labels().iter().enumerate() {
        if id.is_empty() || id.contains(['\n', '\0']) {
            return Err(unwritable_id(&id, "line break"));
        }
        let escaped = id.replace('\\', "\\\\").replace('"', "\\\"");
        write!(out, "{} \"{escaped}\"", i + 1)?;
        for value in positions.iter().flat_map(|positions| positions.row(i)) {
            write!(out, " {value}")?;
        }
        writeln!(out)?;
    }
    let section = if graph.is_directed() {
        "*Arcs"
    } else {
        "*Edges"
    };
    writeln!(out, "{section}")?;
    for (i, j, weight) in links(graph) {
        writeln!(out, "{} {} {weight}", i + 1, j + 1)?;
    }
    Ok(())
}
