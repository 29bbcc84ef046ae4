//! Which tables begin with a header, as `--header` says it: of all of them, or of one kind.

use clap::ValueEnum;

/// The tables that a command may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableKind {
    /// Edge lists
    Graphs,
    /// Known pairs
    Anchors,
    /// All nodes of a graph
    Nodes,
    /// Long tables of attributes
    Attributes,
    /// Possible partners
    Candidates,
    /// Edges between the two sides
    Crossing,
    /// The right pairs
    Truth,
    /// How alike nodes are
    Similarity,
}

/// One word of the option: whether there is a header, in all tables or in those of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Said {
    kind: Option<TableKind>,
    header: Option<bool>,
}

/// Takes `auto`, `yes`, `no`, or one of them after the kind of a table: `anchors=yes`.
pub(crate) fn parse(text: &str) -> Result<Said, String> {
    let (kind, whether) = match text.split_once('=') {
        Some((kind, whether)) => (Some(kind), whether),
        None => (None, text),
    };
    let header = match whether {
        "auto" => None,
        "yes" => Some(true),
        "no" => Some(false),
        _ => return Err("expected auto, yes or no, or TABLE=auto, yes or no".to_owned()),
    };
    let kind = match kind {
        None => None,
        Some(name) => Some(TableKind::from_str(name, false).map_err(|_| {
            let kinds = TableKind::value_variants().iter();
            let kinds = kinds.filter_map(ValueEnum::to_possible_value);
            let kinds: Vec<String> = kinds.map(|kind| kind.get_name().to_owned()).collect();
            format!("expected one of the tables {}", kinds.join(", "))
        })?),
    };
    Ok(Said { kind, header })
}

/// What was said of the tables of `kind`: of these alone, else of all; the last word counts.
pub(crate) fn of(said: &[Said], kind: TableKind) -> Option<bool> {
    let last = |of: Option<TableKind>| said.iter().rev().find(|word| word.kind == of);
    last(Some(kind)).or_else(|| last(None))?.header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_table_counts_more_than_what_is_said_of_all() {
        let said: Vec<Said> = ["yes", "anchors=no", "truth=auto"]
            .map(|word| parse(word).unwrap())
            .to_vec();
        assert_eq!(of(&said, TableKind::Graphs), Some(true));
        assert_eq!(of(&said, TableKind::Anchors), Some(false));
        assert_eq!(of(&said, TableKind::Truth), None);
        assert_eq!(of(&[], TableKind::Nodes), None);
    }

    #[test]
    fn other_words_are_refused_with_those_there_are() {
        assert!(parse("maybe").unwrap_err().contains("auto, yes or no"));
        let refused = parse("anchor=yes").unwrap_err();
        assert!(refused.contains("graphs, anchors, nodes"), "{refused}");
    }
}
