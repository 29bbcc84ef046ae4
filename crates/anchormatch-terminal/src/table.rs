//! Aligned tables of text.

/// Rows of cells under a header; the first column is left-aligned, the others right-aligned unless
/// they hold words.
pub struct Table {
    rows: Vec<Vec<String>>,
    words: Vec<usize>,
}

impl Table {
    /// A table with these column names.
    pub fn new<S: Into<String>>(header: impl IntoIterator<Item = S>) -> Self {
        Self {
            rows: vec![header.into_iter().map(Into::into).collect()],
            words: vec![0],
        }
    }

    /// Aligns these columns to the left as well.
    pub fn with_words(mut self, columns: impl IntoIterator<Item = usize>) -> Self {
        self.words.extend(columns);
        self
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The table as lines of text, the header underlined.
    pub fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(c));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for (r, row) in self.rows.iter().enumerate() {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(c, (cell, &width))| {
                    if self.words.contains(&c) {
                        format!("{cell:<width$}")
                    } else {
                        format!("{cell:>width$}")
                    }
                })
                .collect();
            text.push_str(cells.join("  ").trim_end());
            text.push('\n');
            if r == 0 {
                let rules: Vec<String> = widths.iter().map(|&w| "─".repeat(w)).collect();
                text.push_str(&rules.join("  "));
                text.push('\n');
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(["terms", "n"]);
        table.row(["λ", "100"]);
        assert_eq!(table.text(), "terms    n\n─────  ───\nλ      100\n");
        let mut words = Table::new(["name", "n", "kind"]).with_words([2]);
        words.row(["a", "10", "b"]);
        assert_eq!(
            words.text(),
            "name   n  kind\n────  ──  ────\na     10  b\n"
        );
    }
}
