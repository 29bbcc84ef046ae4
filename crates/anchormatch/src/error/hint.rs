//! What a person could do about an error or a note, as data.
//!
//! The library cannot know how its caller is operated: the same setting is an option of a command, a
//! keyword of a function or a field of a struct. So it names no option; it gives [`Hint`]s, and each
//! front door has [`Words`] of its own for them. The words of the library itself are neutral.

use std::fmt;

/// A piece of advice, in the library's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hint {
    /// Raise the limit of memory.
    MoreMemory,
    /// Raise the limit of memory, unless the file was made to fill it.
    MoreMemoryIfTrusted,
    /// Match graphs of fewer nodes.
    SmallerGraphs,
    /// Match on a cluster of machines.
    Cluster,
    /// Take a graph of fewer nodes or edges, or a part of this one.
    SmallerGraph,
    /// Solve a problem of fewer nodes.
    SmallerProblem,
    /// Generate fewer nodes.
    FewerNodes,
    /// Give fewer anchors.
    FewerAnchors,
    /// Take fewer points.
    FewerPoints,
    /// Ask for fewer columns of a result.
    FewerColumns,
    /// Run fewer walks at once.
    FewerWalks,
    /// Choose a solver that relaxes the problem, in the place of one that searches.
    Relaxation,
    /// Compare by a kernel that is wider, and so needs fewer factors.
    WiderKernel,
    /// Keep the affinities as a separable kernel instead of a matrix.
    SeparableKernel,
    /// Choose a method that works on listed pairs of nodes, in the place of all of them.
    ListedPairs,
    /// Store the graph as a sparse matrix or a list of edges.
    SparseGraph,
    /// Join near points alone, in the place of all of them.
    SparsePoints,
    /// Take the list of edges instead of the matrix.
    Edges,
    /// Check the numbers of nodes that the file announces.
    CheckCounts,
    /// Say which matrix of a file is meant.
    Variable,
    /// Say how edges that stand twice are merged.
    Duplicates,
    /// Read rows as arcs, whose directions count.
    Directed,
    /// Let anchors that disagree with the rest of the evidence be demoted.
    RepairAnchors,
    /// Discard what an earlier run left, and start over.
    StartOver,
    /// Write to another folder.
    OtherFolder,
    /// Say where the data sets are.
    DataFolder,
    /// Give more anchors.
    MoreAnchors,
    /// Match in the regime that keeps all pairs of nodes.
    DenseRegime,
    /// Match in the regime that keeps lists of candidates.
    SparseRegime,
    /// Let nodes stay alone.
    AllowUnmatched,
    /// Say which columns of a table of points hold the coordinates.
    Columns,
    /// Read what looks like a table of points as one.
    AsPoints,
    /// Set directions aside.
    Undirected,
    /// Take the first row of a table as a header.
    WithHeader,
    /// Take the first row of a table as data.
    WithoutHeader,
    /// Take the ids of nodes from another attribute.
    NodeId,
    /// Compare the kinds of edges that a column names, or take it for weights all the same.
    Kinds,
}

/// What a front door says for each hint: a clause that can stand after a semicolon.
pub type Words = fn(Hint) -> &'static str;

impl Hint {
    /// All hints, for tests that every front door has words for each.
    pub const ALL: [Self; 37] = [
        Self::MoreMemory,
        Self::MoreMemoryIfTrusted,
        Self::SmallerGraphs,
        Self::Cluster,
        Self::SmallerGraph,
        Self::SmallerProblem,
        Self::FewerNodes,
        Self::FewerAnchors,
        Self::FewerPoints,
        Self::FewerColumns,
        Self::FewerWalks,
        Self::Relaxation,
        Self::WiderKernel,
        Self::SeparableKernel,
        Self::ListedPairs,
        Self::SparseGraph,
        Self::SparsePoints,
        Self::Edges,
        Self::CheckCounts,
        Self::Variable,
        Self::Duplicates,
        Self::Directed,
        Self::RepairAnchors,
        Self::StartOver,
        Self::OtherFolder,
        Self::DataFolder,
        Self::MoreAnchors,
        Self::DenseRegime,
        Self::SparseRegime,
        Self::AllowUnmatched,
        Self::Columns,
        Self::AsPoints,
        Self::Undirected,
        Self::WithHeader,
        Self::WithoutHeader,
        Self::NodeId,
        Self::Kinds,
    ];

    /// The library's own words, which name no option.
    #[must_use]
    pub const fn neutral(self) -> &'static str {
        match self {
            Self::MoreMemory => "allow more memory",
            Self::MoreMemoryIfTrusted => "allow more memory if the file is to be trusted",
            Self::SmallerGraphs => "match smaller graphs",
            Self::Cluster => "match on a cluster",
            Self::SmallerGraph => "take a smaller graph",
            Self::SmallerProblem => "take a smaller problem",
            Self::FewerNodes => "ask for fewer nodes",
            Self::FewerAnchors => "give fewer anchors",
            Self::FewerPoints => "take fewer points",
            Self::FewerColumns => "ask for fewer columns",
            Self::FewerWalks => "use fewer walks",
            Self::Relaxation => "choose a relaxation",
            Self::WiderKernel => "choose a wider kernel",
            Self::SeparableKernel => "use the separable kernel",
            Self::ListedPairs => "choose a method for listed pairs",
            Self::SparseGraph => "store the graph as a sparse matrix or a list of edges",
            Self::SparsePoints => "give a sparse graph of them as a list of edges",
            Self::Edges => "use the edges",
            Self::CheckCounts => "check the numbers of nodes that the file announces",
            Self::Variable => "choose it by its name",
            Self::Duplicates => "give a rule for repeated edges: sum, mean, max or first",
            Self::Directed => "read the rows as directed edges",
            Self::RepairAnchors => "repairing the anchors would demote it",
            Self::StartOver => "discard it and start over",
            Self::OtherFolder => "start in another folder",
            Self::DataFolder => "name the data folder",
            Self::MoreAnchors => "give some anchors",
            Self::DenseRegime => "choose the dense regime",
            Self::SparseRegime => "choose the sparse regime",
            Self::AllowUnmatched => "allow nodes to stay alone",
            Self::Columns => "choose the columns of the coordinates",
            Self::AsPoints => "the graph looks like a table of points: read it as points",
            Self::Undirected => "set all directions aside",
            Self::WithHeader => "say that there is a header if it is one",
            Self::WithoutHeader => "say that there is no header if it is data",
            Self::NodeId => "take the ids of the nodes from this attribute",
            Self::Kinds => "ask for it as layers, as relations or as weights to have it compared",
        }
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.neutral())
    }
}

/// The hints as one clause: `this`, `this or that`, `this, that, or the other`; `None` without any.
#[must_use]
pub fn advice(hints: &[Hint], words: Words) -> Option<String> {
    let clauses: Vec<&str> = hints.iter().map(|&hint| words(hint)).collect();
    match clauses.as_slice() {
        [] => None,
        [one] => Some((*one).to_owned()),
        [one, other] => Some(format!("{one} or {other}")),
        [some @ .., last] => Some(format!("{}, or {last}", some.join(", "))),
    }
}

/// `statement`, and after a semicolon what the hints advise.
#[must_use]
pub fn advised(statement: impl fmt::Display, hints: &[Hint], words: Words) -> String {
    match advice(hints, words) {
        None => statement.to_string(),
        Some(advice) => format!("{statement}; {advice}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn all_hints_are_listed_once_and_say_something_of_their_own() {
        assert_eq!(
            Hint::ALL.iter().collect::<HashSet<_>>().len(),
            Hint::ALL.len()
        );
        // The last variant in the list is the last of the enum: none was forgotten at the end.
        assert_eq!(Hint::ALL.len(), Hint::Kinds as usize + 1);
        let words: HashSet<&str> = Hint::ALL.iter().map(|hint| hint.neutral()).collect();
        assert_eq!(words.len(), Hint::ALL.len());
    }

    #[test]
    fn neutral_words_are_clauses_without_options() {
        for hint in Hint::ALL {
            let words = hint.neutral();
            assert!(
                !words.is_empty() && !words.contains("--") && !words.contains('_'),
                "{hint}"
            );
            assert!(!words.ends_with(['.', ';', ' ']), "{hint}");
        }
    }

    #[test]
    fn several_hints_are_one_clause() {
        let advised_by = |hints: &[Hint]| advised("it is large", hints, Hint::neutral);
        assert_eq!(advised_by(&[]), "it is large");
        assert_eq!(
            advised_by(&[Hint::MoreMemory]),
            "it is large; allow more memory"
        );
        assert_eq!(
            advised_by(&[Hint::MoreMemory, Hint::SmallerGraphs]),
            "it is large; allow more memory or match smaller graphs"
        );
        assert_eq!(
            advised_by(&[Hint::MoreMemory, Hint::FewerPoints, Hint::SparsePoints]),
            "it is large; allow more memory, take fewer points, or give a sparse graph of them as a \
             list of edges"
        );
    }
}
