//! The library's hints in the words of the commands: what it advises, as options.

use anchormatch::error::{Hint, Words};

/// What the command says for each hint; the library's neutral words for one that is newer than this list.
pub const WORDS: Words = |hint| words(hint).unwrap_or(hint.neutral());

fn words(hint: Hint) -> Option<&'static str> {
    Some(match hint {
        Hint::MoreMemory => "raise --max-memory",
        Hint::Cluster => {
            "match on a cluster with Python's anchormatch.cluster.match (docs/cluster.md)"
        }
        Hint::MoreMemoryIfTrusted => "raise --max-memory if the file is to be trusted",
        Hint::FewerColumns => "ask for a lower --count",
        Hint::SparseGraph => "take a sparse format, such as npz, mtx or an edge list",
        Hint::SparsePoints => "give a sparse graph of them as an edge list",
        Hint::Variable => "choose it with --variable NAME",
        Hint::Duplicates => "--duplicates RULE merges them: sum, mean, max or first",
        Hint::Directed => "--directed reads rows as arcs",
        Hint::RepairAnchors => "--repair-anchors would demote it",
        Hint::StartOver => "discard it with --fresh and start over",
        Hint::OtherFolder => "start elsewhere with --out DIR",
        Hint::DataFolder => "name the folder by --data DIR or by the variable ANCHORMATCH_DATA",
        Hint::MoreAnchors => "known pairs tell more: --anchors FILE",
        Hint::DenseRegime => "force --regime dense",
        Hint::SparseRegime => "try --regime sparse",
        Hint::AllowUnmatched => "--allow-unmatched leaves them out",
        Hint::Columns => "choose the columns with --columns X,Y[,Z]",
        Hint::AsPoints => "the graph looks like a table of points: read it with --points",
        Hint::Undirected => "--undirected sets all directions aside",
        Hint::WithHeader => "--header yes says that it is a header",
        Hint::WithoutHeader => "--header no says that it is data",
        Hint::Kinds => {
            "--relations NAME or --layers NAME compares it, --weight NAME takes it for weights"
        }
        Hint::NodeId => "--node-id NAME takes the ids of the nodes from it",
        // No option does these.
        Hint::SmallerGraphs
        | Hint::SmallerGraph
        | Hint::SmallerProblem
        | Hint::FewerNodes
        | Hint::FewerAnchors
        | Hint::FewerPoints
        | Hint::FewerWalks
        | Hint::Relaxation
        | Hint::WiderKernel
        | Hint::SeparableKernel
        | Hint::ListedPairs
        | Hint::Edges
        | Hint::CheckCounts => hint.neutral(),
        _ => return None,
    })
}

/// Options that the hints name and `command` does not have, each with its hint; `only` are the hints that
/// concern the command. For the tests of the programs.
#[must_use]
pub fn without_option(command: &clap::Command, only: impl Fn(Hint) -> bool) -> Vec<String> {
    fn has(command: &clap::Command, option: &str) -> bool {
        let own = |argument: &clap::Arg| argument.get_long() == Some(option);
        command.get_arguments().any(own)
            || command.get_subcommands().any(|inner| has(inner, option))
    }
    let mut absent = Vec::new();
    for hint in Hint::ALL.into_iter().filter(|&hint| only(hint)) {
        for word in WORDS(hint).split_whitespace() {
            if let Some(option) = word.strip_prefix("--")
                && !has(command, option)
            {
                absent.push(format!("{hint:?}: {word}"));
            }
        }
    }
    absent
}

/// Whether a hint is of the laboratory: of its data sets and of experiments that go on where they stopped.
#[must_use]
pub fn is_of_laboratory(hint: Hint) -> bool {
    matches!(hint, Hint::StartOver | Hint::OtherFolder | Hint::DataFolder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hint_has_its_words() {
        for hint in Hint::ALL {
            assert!(
                words(hint).is_some_and(|words| !words.is_empty()),
                "{hint:?}"
            );
        }
    }
}
