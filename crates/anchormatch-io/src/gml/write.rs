//! GML to a stream.

use std::fmt::Write as _;
use std::io::Write;

use anchormatch::graph::Graph;
use anchormatch::linalg::Matrix;

use super::super::fault::unwritable;
use super::super::links::links;
use super::super::points::check_positions;

/// Writes `graph` as GML: ids as labels, weights, and `positions` as `graphics`.
///
/// What is no printable ASCII stands as a numbered character, which every reader of GML knows, and
/// weights have a point, without which some take them for whole numbers.
///
/// # Errors
/// When `out` fails, the positions do not fit the graph, or an id is empty or holds a zero byte.
pub fn write_gml(
    out: &mut (impl Write + ?Sized),
    graph: &Graph,
    positions: Option<&Matrix>,
) -> std::io::Result<()> {
    if let Some(positions) = positions {
        check_positions(graph.node_count(), positions)?;
    }
    writeln!(
        out,
        "Creator \"anchormatch\"\ngraph [\n  directed {}",
        u8::from(graph.is_directed())
    )?;
    let mut label = String::new();
    for (i, id) in graph.labels().iter().enumerate() {
        if id.is_empty() || id.contains('\0') {
            return Err(unwritable(
                "found an empty id or one with a zero byte, expected a text",
            ));
        }
        label.clear();
        for c in id.chars() {
            match c {
                ' '..='~' if c != '"' && c != '&' => label.push(c),
                _ => write!(label, "&#{};", u32::from(c)).expect("a string takes everything"),
            }
        }
        write!(out, "  node [\n    id {i}\n    label \"{label}\"\n")?;
        if let Some(positions) = positions {
            write!(out, "    graphics [")?;
            for (axis, &value) in ["x", "y", "z"].iter().zip(positions.row(i)) {
                write!(out, " {axis} {}", real(value))?;
            }
            writeln!(out, " ]")?;
        }
        writeln!(out, "  ]")?;
    }
    for (i, j, weight) in links(graph) {
        writeln!(
            out,
            "  edge [\n    source {i}\n    target {j}\n    weight {}\n  ]",
            real(weight)
        )?;
    }
    writeln!(out, "]")
}

/// A number with a decimal point.
fn real(value: f64) -> String {
    let mut text = value.to_string();
    if !text.contains('.') {
        text.push_str(".0");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::graph::Labels;

    #[test]
    fn the_text_is_what_other_readers_know() {
        let labels = Labels::new(vec!["a\"&".into(), "\u{3bb}\n".into()]).unwrap();
        let graph = Graph::from_edges(2, &[(0, 1, 3.0)]).unwrap();
        let graph = graph.with_labels(labels).unwrap();
        let mut bytes = Vec::new();
        write_gml(&mut bytes, &graph, None).unwrap();
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "Creator \"anchormatch\"\ngraph [\n  directed 0\n  node [\n    id 0\n    \
             label \"a&#34;&#38;\"\n  ]\n  node [\n    id 1\n    label \"&#955;&#10;\"\n  ]\n  \
             edge [\n    source 0\n    target 1\n    weight 3.0\n  ]\n]\n"
        );
    }
}
