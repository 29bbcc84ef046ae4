//! The library's hints in the words of the command line: what it advises, as options.

use anchormatch::error::{Hint, Words};

/// What the command says for each hint; the library's neutral words for one that is newer than this list.
pub const WORDS: Words = |hint| words(hint).unwrap_or(hint.neutral());

fn words(hint: Hint) -> Option<&'static str> {
    Some(match hint {
        Hint::MoreMemory => "raise --max-memory",
        Hint::MoreMemoryIfTrusted => "raise --max-memory if the file is to be trusted",
        Hint::FewerColumns => "ask for a lower --count",
        Hint::SparseGraph => "take a sparse format, such as npz, mtx or an edge list",
        Hint::SparsePoints => "give a sparse graph of them as an edge list",
        Hint::Variable => "choose it with --variable NAME",
        Hint::Duplicates => "--duplicates RULE merges them: sum, mean, max or first",
        Hint::RepairAnchors => "--repair-anchors would demote it",
        Hint::StartOver => "discard it with --fresh and start over",
        Hint::OtherFolder => "start elsewhere with --out DIR",
        Hint::DataFolder => "say where it is with --data DIR or the variable ANCHORMATCH_DATA",
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
        | Hint::Edges
        | Hint::CheckCounts => hint.neutral(),
        _ => return None,
    })
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
