//! The tables of ARCHITECTURE.md.

use std::path::{Path, PathBuf};

/// The repository.
pub(crate) fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.parent().unwrap().to_path_buf()
}

/// A row: what it is about, its other cells by the names of their columns.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    cells: Vec<(String, String)>,
}

impl Row {
    /// The text of a cell.
    pub(crate) fn cell(&self, column: &str) -> &str {
        let found = self.cells.iter().find(|(name, _)| name == column);
        &found.unwrap_or_else(|| panic!("no column {column}")).1
    }

    /// The words in back quotes of the column "stands on", each with what follows it up to the next.
    pub(crate) fn stands_on(&self) -> Vec<(&str, &str)> {
        let mut pieces = self.cell("stands on").split('`').skip(1);
        let mut found = Vec::new();
        while let Some(name) = pieces.next() {
            found.push((name, pieces.next().unwrap_or("")));
        }
        found
    }
}

/// The table of ARCHITECTURE.md whose first column has this name and whose last is "stands on".
pub(crate) fn table(first: &str) -> Vec<Row> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut lines = text.lines().map(cells_of);
    let columns = lines
        .find(|row| {
            row.first().is_some_and(|name| name == first) && row.last().unwrap() == "stands on"
        })
        .unwrap_or_else(|| {
            panic!("ARCHITECTURE.md has no table with the columns {first} to \"stands on\"")
        });
    let rows = lines.skip(1).take_while(|row| !row.is_empty());
    rows.map(|row| {
        assert_eq!(row.len(), columns.len(), "a row of another length: {row:?}");
        Row {
            name: row[0].trim_matches('`').to_owned(),
            cells: columns.iter().cloned().zip(row).collect(),
        }
    })
    .collect()
}

/// The cells of a line of a table; none of another line.
fn cells_of(line: &str) -> Vec<String> {
    let inner = line
        .strip_prefix('|')
        .and_then(|rest| rest.strip_suffix('|'));
    inner.map_or_else(Vec::new, |inner| {
        let escaped = inner.replace("\\|", "\0");
        escaped
            .split('|')
            .map(|cell| cell.trim().replace('\0', "|"))
            .collect()
    })
}
