//! Pairs and anchors as tables that can be read again.

use std::io::{Result, Write};

use anchormatch::Anchors;
use anchormatch::graph::Labels;

use super::super::table::write_field;

/// Writes pairs of node indices as `source,target` with a header, by the nodes' ids.
///
/// # Errors
/// When `out` fails, or an id is empty or holds a line break.
///
/// # Panics
/// When a node is outside its graph.
pub fn write_pairs(
    out: &mut (impl Write + ?Sized),
    source: &Labels,
    target: &Labels,
    pairs: &[(usize, usize)],
) -> Result<()> {
    writeln!(out, "source,target")?;
    for &(s, t) in pairs {
        write_field(out, &source.get(s))?;
        out.write_all(b",")?;
        write_field(out, &target.get(t))?;
        writeln!(out)?;
    }
    Ok(())
}

/// Writes anchors as `source,target` with a header, by the nodes' ids: hard ones, soft ones with their weights in
/// a third column, and the nodes without a partner beside an empty field.
///
/// # Errors
/// When `out` fails, or an id is empty or holds a line break.
///
/// # Panics
/// When a node is outside its graph.
pub fn write_anchors(
    out: &mut (impl Write + ?Sized),
    source: &Labels,
    target: &Labels,
    anchors: &Anchors,
) -> Result<()> {
    let weighted = !anchors.soft().is_empty();
    let end = |weight: Option<f64>| match (weighted, weight) {
        (true, Some(weight)) => format!(",{weight}\n"),
        (true, None) => ",\n".to_owned(),
        (false, _) => "\n".to_owned(),
    };
    let header = if weighted { ",weight" } else { "" };
    writeln!(out, "source,target{header}")?;
    for anchor in anchors.iter() {
        write_field(out, &source.get(anchor.source))?;
        out.write_all(b",")?;
        write_field(out, &target.get(anchor.target))?;
        out.write_all(end(Some(anchor.weight)).as_bytes())?;
    }
    let [alone_source, alone_target] = anchors.alone();
    for &node in alone_source {
        write_field(out, &source.get(node))?;
        out.write_all(b",")?;
        out.write_all(end(None).as_bytes())?;
    }
    for &node in alone_target {
        out.write_all(b",")?;
        write_field(out, &target.get(node))?;
        out.write_all(end(None).as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::read_pairs_from;
    use super::*;
    use anchormatch::Graph;
    use anchormatch::anchors::Anchor;

    #[test]
    fn anchors_come_back_as_they_were() {
        let names = ["a", "b,c", "#d", "e \"f\"", "null"]
            .map(String::from)
            .to_vec();
        let graph = Graph::from_edges(5, &[(0, 1, 1.0)]).unwrap();
        let named = graph.with_labels(Labels::new(names).unwrap()).unwrap();
        let sets = [
            vec![Anchor::new(0, 1, 1.0), Anchor::new(2, 3, 1.0)],
            vec![Anchor::new(1, 0, 1.0), Anchor::new(0, 2, 0.25)],
            vec![],
        ];
        for set in sets {
            let anchors = Anchors::new(&named, &named, set).unwrap();
            let anchors = anchors.with_alone([&named, &named], [3], [4]).unwrap();
            let mut text = Vec::new();
            write_anchors(&mut text, named.labels(), named.labels(), &anchors).unwrap();
            let table = read_pairs_from(&text[..], "t").unwrap();
            assert_eq!(table.anchors(&named, &named).unwrap(), anchors);
        }
    }
}
