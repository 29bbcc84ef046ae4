//! How large nodes are and how faint lines, by how many there are: one table for the report and for the studio's page.

use std::sync::LazyLock;

/// scale / n^power, between least and most.
struct Rule {
    scale: f64,
    power: f64,
    least: f64,
    most: f64,
}

impl Rule {
    fn of(&self, n: usize) -> f64 {
        let value = self.scale / (n.max(1) as f64).powf(self.power);
        value.clamp(self.least, self.most)
    }
}

/// How much larger a node of many edges is.
struct Hub {
    base: f64,
    step: f64,
    most: f64,
    /// In larger graphs all nodes are alike.
    crowd: f64,
}

struct Rules {
    node: Rule,
    edge: Rule,
    line: Rule,
    hub: Hub,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let row = |name: &str| -> [f64; 4] {
        let mut rows = include_str!("assets/rules.tsv").lines();
        let row = rows.find_map(|row| row.strip_prefix(name)?.strip_prefix('\t'));
        let cells = row.unwrap_or_else(|| panic!("the table of rules has a row {name}"));
        let numbers = cells.split('\t').filter_map(|cell| cell.parse().ok());
        let numbers: Vec<f64> = numbers.collect();
        numbers
            .try_into()
            .expect("a row of the table has four numbers")
    };
    let rule = |name| {
        let [scale, power, least, most] = row(name);
        Rule {
            scale,
            power,
            least,
            most,
        }
    };
    let [base, step, most, crowd] = row("hub");
    Rules {
        node: rule("node"),
        edge: rule("edge"),
        line: rule("line"),
        hub: Hub {
            base,
            step,
            most,
            crowd,
        },
    }
});

/// The radius of a node among so many.
pub(super) fn radius(nodes: usize) -> f64 {
    RULES.node.of(nodes)
}

/// The size of a node with so many edges, against that of others among so many.
pub(super) fn size(degree: usize, nodes: usize) -> f64 {
    let hub = &RULES.hub;
    if nodes as f64 > hub.crowd {
        return 1.0;
    }
    (hub.base + hub.step * (1.0 + degree as f64).log2()).min(hub.most)
}

pub(super) fn edge_opacity(edges: usize) -> f64 {
    RULES.edge.of(edges)
}

/// The opacity of a plain match line among so many.
pub(super) fn line_opacity(lines: usize) -> f64 {
    RULES.line.of(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_more_of_is_smaller_and_fainter_but_never_gone() {
        for rule in [radius, edge_opacity, line_opacity] {
            let values = [0, 1, 30, 1_000, 100_000, usize::MAX].map(rule);
            assert!(values.windows(2).all(|w| w[0] >= w[1]), "{values:?}");
            assert!(values[0] > values[5] && values[5] > 0.0);
        }
        assert!(size(0, 10) < size(3, 10) && size(3, 10) < size(1_000_000, 10));
        assert_eq!(size(1_000_000, 10), 2.0);
        assert_eq!(size(7, 1_000_000), 1.0);
    }
}
