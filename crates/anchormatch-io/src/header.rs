//! What is said of a table's first row where it may have been misread: as a header, or as data.

use anchormatch::error::Hint;
use anchormatch::matching::Note;

use super::fault::quoted;
use super::table::Row;

/// A row in words.
fn shown(row: &Row<'_>) -> String {
    let fields: Vec<&str> = (0..row.len()).map(|k| row.get(k)).collect();
    quoted(&fields.join(","))
}

/// The first row was taken as a header for what it looks like, and not by its names.
pub(super) fn taken(row: &Row<'_>) -> Note {
    let text = format!("the first row, {}, was taken as a header", shown(row));
    Note::hinting(text, &[Hint::WithoutHeader])
}

/// The first row, which has `fields`, was read as `what`.
pub(super) fn read_as(fields: &str, what: &str) -> Note {
    let text = format!("the first row, {fields}, was read as {what}: is it a header?");
    Note::hinting(text, &[Hint::WithHeader])
}

/// Whether the first of some ids is unlike all others: they are numbers, and it is none.
pub(super) fn is_odd<'a>(first: &str, others: impl IntoIterator<Item = &'a str>) -> bool {
    let is_number = |id: &str| id.parse::<f64>().is_ok();
    let mut others = others.into_iter().peekable();
    !is_number(first) && others.peek().is_some() && others.all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_above_numbers_is_odd() {
        assert!(is_odd("V1", ["1", "2.5", "-3"]));
        assert!(!is_odd("V1", ["1", "x"]));
        assert!(!is_odd("7", ["1", "2"]));
        assert!(!is_odd("V1", []));
    }
}
