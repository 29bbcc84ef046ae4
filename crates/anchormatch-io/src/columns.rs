//! What files say of nodes beside their edges: columns of words, each under a name.
//!
//! They come from tables of nodes, and from the attributes of nodes in GraphML and GML. Only what is said is
//! kept, so that a file with many names and few values takes no more memory than its own size.

use std::collections::HashMap;

use super::nodes::NodeTable;

/// Columns of words about the nodes of a graph, by the nodes' numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeColumns {
    columns: Vec<NodeColumn>,
}

/// One of [`NodeColumns`].
#[derive(Debug, Clone, PartialEq)]
pub struct NodeColumn {
    /// Its name.
    pub name: String,
    /// Whether a table of nodes has it, and not the file of the graph: such files carry colours and places
    /// of drawings as well, which nobody wants compared unasked.
    pub in_table: bool,
    /// By node, ascending; none of the words is empty.
    words: Vec<(usize, String)>,
}

impl NodeColumn {
    /// The word of each of `nodes` nodes that has one.
    #[must_use]
    pub fn words(&self, nodes: usize) -> Vec<Option<&str>> {
        let mut words = vec![None; nodes];
        for (node, word) in &self.words {
            words[*node] = Some(word.as_str());
        }
        words
    }
}

impl NodeColumns {
    /// The column called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&NodeColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// All columns, those of tables first.
    pub fn iter(&self) -> impl Iterator<Item = &NodeColumn> {
        self.columns.iter()
    }

    /// Puts the columns of a table before those that are there, and in the place of those of the same names;
    /// `places` has the number of the node of each row.
    pub(super) fn add_table(&mut self, table: &NodeTable, places: &[usize]) {
        let mut columns: Vec<NodeColumn> = table
            .columns
            .iter()
            .map(|column| {
                let words = places.iter().zip(&column.words);
                let words = words.filter_map(|(&node, word)| Some((node, word.clone()?)));
                let mut words: Vec<_> = words.collect();
                words.sort_unstable();
                NodeColumn {
                    name: column.name.clone(),
                    in_table: true,
                    words,
                }
            })
            .collect();
        let is_new = |old: &NodeColumn| columns.iter().all(|column| column.name != old.name);
        let kept: Vec<_> = self.columns.drain(..).filter(is_new).collect();
        columns.extend(kept);
        self.columns = columns;
    }
}

/// Columns as a reader of a graph comes upon them.
#[derive(Debug, Default)]
pub(super) struct ColumnBuilder {
    places: HashMap<String, usize>,
    columns: Vec<(String, Vec<(usize, String)>)>,
}

impl ColumnBuilder {
    /// The number of the column called `name`.
    pub(super) fn column(&mut self, name: &str) -> usize {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        let place = self.columns.len();
        self.places.insert(name.to_owned(), place);
        self.columns.push((name.to_owned(), Vec::new()));
        place
    }

    /// Takes a word, and says how many bytes it takes.
    pub(super) fn set(&mut self, column: usize, node: usize, word: &str) -> u64 {
        let word = word.trim_ascii();
        if word.is_empty() {
            return 0;
        }
        self.columns[column].1.push((node, word.to_owned()));
        word.len() as u64 + 48
    }

    /// The columns that have a word, of nodes that come twice the last; `defaults` are for the others.
    pub(super) fn finish(self, nodes: usize, defaults: &HashMap<usize, String>) -> NodeColumns {
        let columns = self.columns.into_iter().enumerate();
        let columns = columns.filter_map(|(place, (name, mut words))| {
            // Stable, so that the last word of a node is the last of its run.
            words.sort_by_key(|(node, _)| *node);
            words.reverse();
            words.dedup_by_key(|(node, _)| *node);
            words.reverse();
            if let Some(default) = defaults.get(&place) {
                let mut is_said = vec![false; nodes];
                words.iter().for_each(|(node, _)| is_said[*node] = true);
                let others = (0..nodes).filter(|&node| !is_said[node]);
                words.extend(others.map(|node| (node, default.clone())));
                words.sort_by_key(|(node, _)| *node);
            }
            (!words.is_empty()).then_some(NodeColumn {
                name,
                in_table: false,
                words,
            })
        });
        NodeColumns {
            columns: columns.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_of_a_node_counts_and_defaults_fill_the_rest() {
        let mut builder = ColumnBuilder::default();
        let (city, age) = (builder.column("city"), builder.column("age"));
        assert_eq!(builder.column("city"), city);
        builder.column("never");
        for (column, node, word) in [(city, 2, " Oslo "), (city, 0, "Rome"), (city, 2, "Bergen")] {
            assert!(builder.set(column, node, word) > 48);
        }
        assert_eq!(builder.set(age, 0, " "), 0);
        let defaults = HashMap::from([(age, "7".to_owned())]);
        let columns = builder.finish(3, &defaults);
        let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["city", "age"]);
        let city = columns.get("city").unwrap().words(3);
        assert_eq!(city, [Some("Rome"), None, Some("Bergen")]);
        assert_eq!(columns.get("age").unwrap().words(3), [Some("7"); 3]);
        assert!(columns.get("never").is_none());
    }
}
