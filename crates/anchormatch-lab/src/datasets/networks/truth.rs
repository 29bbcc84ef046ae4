//! Tables of partners: a header, then rows whose first two fields are an id of either network.

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

use anchormatch::error::ParseError;

use super::super::DatasetError;
use super::{LAYOUT, NAME};

/// The real tables have 9 kB; a much larger one is something else.
const MOST_BYTES: u64 = 1 << 20;

/// The partners in the order of the file.
///
/// # Errors
/// When the file is missing or unreadable, has another header, a row has too few fields or too many,
/// or a node has two partners.
pub(super) fn read(path: &Path, header: &str) -> Result<Vec<(String, String)>, DatasetError> {
    let mut text = String::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_string(&mut text))
        .map_err(|source| DatasetError::of_io(source, path.to_owned(), NAME, LAYOUT))?;
    parse(&text, header).map_err(|mut fault| {
        fault.file = path.display().to_string();
        DatasetError::Contents(fault)
    })
}

fn parse(text: &str, header: &str) -> Result<Vec<(String, String)>, ParseError> {
    let fault =
        |line, found: String, expected: String| ParseError::new("", found, expected).at(line, None);
    if text.len() as u64 > MOST_BYTES {
        let found = format!("more than {MOST_BYTES} bytes");
        return Err(fault(None, found, "a table of short rows".into()));
    }
    // Some editors put a byte-order mark before the first letter.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1u64..).zip(text.lines());
    let first = lines.next().map_or("", |(_, line)| line.trim());
    if first != header {
        let shown: String = first.chars().take(40).collect();
        let found = format!("`{}`", shown.escape_debug());
        return Err(fault(Some(1), found, format!("the header {header}")));
    }
    let width = header.split(',').count();
    let (mut sources, mut targets) = (HashSet::new(), HashSet::new());
    let mut partners = Vec::new();
    for (line, row) in lines.filter(|(_, row)| !row.trim().is_empty()) {
        let fields: Vec<&str> = row.split(',').map(str::trim).collect();
        if fields.len() != width || fields[0].is_empty() || fields[1].is_empty() {
            let found = format!("{} fields, or an empty id", fields.len());
            return Err(fault(Some(line), found, header.to_owned()));
        }
        if !(sources.insert(fields[0]) & targets.insert(fields[1])) {
            let found = "a node that has a partner already".to_owned();
            let expected = "at most one partner for every node".to_owned();
            return Err(fault(Some(line), found, expected));
        }
        partners.push((fields[0].to_owned(), fields[1].to_owned()));
    }
    Ok(partners)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_come_in_the_order_of_the_file() {
        let text = "\u{feff}left,right,l,r\n3, 1,a,b\n\n0,2,c,d\n";
        let partners = parse(text, "left,right,l,r").unwrap();
        let want = [("3", "1"), ("0", "2")].map(|(s, t)| (s.to_owned(), t.to_owned()));
        assert_eq!(partners, want);
        assert_eq!(parse("source,target\n", "source,target").unwrap(), []);
    }

    #[test]
    fn rows_that_do_not_hold_are_named() {
        for (text, part) in [
            ("", "line 1: found ``, expected the header source,target"),
            ("target,source\n1,2\n", "line 1: found `target,source`"),
            ("source,target\n1,2\n3\n", "line 3: found 1 fields"),
            ("source,target\n1,2,3\n", "line 2: found 3 fields"),
            (
                "source,target\n1,\n",
                "line 2: found 2 fields, or an empty id",
            ),
            (
                "source,target\n1,2\n1,3\n",
                "line 3: found a node that has a partner",
            ),
            (
                "source,target\n1,2\n3,2\n",
                "line 3: found a node that has a partner",
            ),
        ] {
            let message = parse(text, "source,target").unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        let long = parse(&"é".repeat(10_000), "source,target").unwrap_err();
        assert!(long.to_string().len() < 200);
        let large = parse(&"0".repeat(MOST_BYTES as usize + 1), "source,target").unwrap_err();
        assert!(large.to_string().contains("more than 1048576 bytes"));
    }
}
