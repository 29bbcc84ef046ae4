//! GraphML to a stream.

use std::io::Write;

use anchormatch::graph::Graph;
use anchormatch::linalg::Matrix;

use super::super::fault::unwritable_id;
use super::super::links::links;
use super::super::points::check_positions;
use super::super::xml::{escape_attribute, is_xml_text};

/// Writes `graph` as GraphML, with `positions` as the node attributes `x`, `y` and perhaps `z`.
///
/// # Errors
/// When `out` fails, the positions do not fit the graph, or an id is empty or holds a control
/// character, for which XML has no room.
pub fn write_graphml(
    out: &mut (impl Write + ?Sized),
    graph: &Graph,
    positions: Option<&Matrix>,
) -> std::io::Result<()> {
    const AXES: [&str; 3] = ["x", "y", "z"];
    let labels = graph.labels();
    if let Some(positions) = positions {
        check_positions(graph.node_count(), positions)?;
    }
    let key = |out: &mut dyn Write, name: &str, kind: &str| {
        writeln!(
            out,
            "  <key id=\"{name}\" for=\"{kind}\" attr.name=\"{name}\" attr.type=\"double\"/>"
        )
    };
    let mut header = Vec::new();
    key(&mut header, "weight", "edge")?;
    for axis in AXES.iter().take(positions.map_or(0, Matrix::cols)) {
        key(&mut header, axis, "node")?;
    }
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">"
    )?;
    out.write_all(&header)?;
    let kind = if graph.is_directed() {
        "directed"
    } else {
        "undirected"
    };
    writeln!(out, "  <graph edgedefault=\"{kind}\">")?;
    for (i, id) in labels.iter().enumerate() {
        if id.is_empty() || !is_xml_text(&id) {
            return Err(unwritable_id(&id, "control character"));
        }
        write!(out, "    <node id=\"{}\"", escape_attribute(&id))?;
        match positions {
            None => writeln!(out, "/>")?,
            Some(positions) => {
                write!(out, ">")?;
                for (axis, value) in AXES.iter().zip(positions.row(i)) {
                    write!(out, "<data key=\"{axis}\">{value}</data>")?;
                }
                writeln!(out, "</node>")?;
            }
        }
    }
    for (i, j, weight) in links(graph) {
        let (source, target) = (labels.get(i), labels.get(j));
        writeln!(
            out,
            "    <edge source=\"{}\" target=\"{}\"><data key=\"weight\">{weight}</data></edge>",
            escape_attribute(&source),
            escape_attribute(&target)
        )?;
    }
    writeln!(out, "  </graph>\n</graphml>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_for_which_xml_has_no_room_are_not_written() {
        for id in ["", "a\u{1}", "\u{ffff}"] {
            let labels = anchormatch::graph::Labels::new(vec![id.into()]).unwrap();
            let graph = Graph::from_edges(1, &[])
                .unwrap()
                .with_labels(labels)
                .unwrap();
            assert!(write_graphml(&mut Vec::new(), &graph, None).is_err());
        }
    }
}
