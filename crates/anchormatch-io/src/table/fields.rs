//! The fields of a line: the delimiter that a table has, and where its fields begin and end.

use std::ops::RangeInclusive;

use super::super::fault::quoted;

/// What separates the fields of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    Byte(u8),
    Blanks,
}

pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

impl Delimiter {
    fn is(self, byte: u8) -> bool {
        match self {
            Self::Byte(delimiter) => byte == delimiter,
            Self::Blanks => is_blank(byte),
        }
    }
}

/// The delimiter of the table whose first row is `line`; see the module's rules.
pub(super) fn detect(line: &str, columns: &RangeInclusive<usize>) -> Delimiter {
    let bytes = line.trim_matches([' ', '\t']).as_bytes();
    let (mut tabs, mut commas, mut semicolons) = (0, 0, 0);
    let mut inside = false;
    let mut at_start = true;
    for &b in bytes {
        if b == b'"' && (inside || at_start) {
            // A doubled quote closes and opens again, which changes nothing here.
            inside = !inside;
            at_start = true;
            continue;
        }
        at_start = matches!(b, b'\t' | b',' | b';' | b' ');
        if !inside {
            tabs += usize::from(b == b'\t');
            commas += usize::from(b == b',');
            semicolons += usize::from(b == b';');
        }
    }
    let fit = |count: usize| {
        if count > 0 && columns.contains(&(count + 1)) {
            count
        } else {
            0
        }
    };
    if tabs > 0 {
        Delimiter::Byte(b'\t')
    } else if semicolons > 0 && (commas == 0 || fit(semicolons) > fit(commas)) {
        Delimiter::Byte(b';')
    } else if commas > 0 {
        Delimiter::Byte(b',')
    } else {
        Delimiter::Blanks
    }
}

/// The fields of a line without quotes, as spans of the line.
pub(super) fn split_plain(
    line: &str,
    delimiter: Delimiter,
    attributes: bool,
    spans: &mut Vec<(usize, usize)>,
) {
    let bytes = line.as_bytes();
    let mut start = 0;
    let push = |spans: &mut Vec<(usize, usize)>, mut start: usize, mut end: usize| {
        while start < end && is_blank(bytes[start]) {
            start += 1;
        }
        while start < end && is_blank(bytes[end - 1]) {
            end -= 1;
        }
        if start < end || delimiter != Delimiter::Blanks {
            spans.push((start, end));
        }
    };
    for (k, &b) in bytes.iter().enumerate() {
        if delimiter.is(b) {
            push(spans, start, k);
            start = k + 1;
        } else if b == b'{'
            && attributes
            && spans.len() == 2
            && bytes[start..k].iter().all(|&b| is_blank(b))
        {
            break;
        }
    }
    push(spans, start, bytes.len());
}

/// What is wrong with a quoted field: its column, what was found and what was expected.
pub(super) type QuoteFault = (usize, String, &'static str);

/// The fields of a line with quotes, as spans of `text`, which takes their contents.
pub(super) fn split_quoted(
    line: &str,
    delimiter: Delimiter,
    attributes: bool,
    spans: &mut Vec<(usize, usize)>,
    text: &mut String,
) -> std::result::Result<(), QuoteFault> {
    let bytes = line.as_bytes();
    let skip_blanks = |mut at: usize| {
        while at < bytes.len() && is_blank(bytes[at]) && delimiter != Delimiter::Byte(bytes[at]) {
            at += 1;
        }
        at
    };
    let mut at = skip_blanks(0);
    loop {
        let start = text.len();
        if bytes.get(at) == Some(&b'"') {
            let opening = at;
            at += 1;
            loop {
                let Some(length) = line[at..].find('"') else {
                    return Err((
                        spans.len() + 1,
                        quoted(&line[opening..]),
                        "a closing quote on the same line",
                    ));
                };
                text.push_str(&line[at..at + length]);
                at += length + 1;
                if bytes.get(at) != Some(&b'"') {
                    break;
                }
                text.push('"');
                at += 1;
            }
            spans.push((start, text.len()));
            let closed = at;
            at = skip_blanks(at);
            // Where blanks delimit, they were just skipped; elsewhere the delimiter itself follows.
            let ended = at == bytes.len()
                || match delimiter {
                    Delimiter::Byte(byte) => bytes[at] == byte,
                    Delimiter::Blanks => at > closed,
                };
            if !ended {
                return Err((
                    spans.len(),
                    format!("{} after a closing quote", quoted(&line[at..])),
                    "a delimiter or the end of the line",
                ));
            }
        } else {
            let takes_all = attributes && spans.len() == 2 && bytes.get(at) == Some(&b'{');
            let end = bytes[at..]
                .iter()
                .position(|&b| delimiter.is(b) && !takes_all)
                .map_or(bytes.len(), |length| at + length);
            text.push_str(line[at..end].trim_end_matches([' ', '\t']));
            spans.push((start, text.len()));
            at = end;
        }
        if delimiter == Delimiter::Blanks {
            at = skip_blanks(at);
            if at == bytes.len() {
                return Ok(());
            }
        } else {
            if at == bytes.len() {
                return Ok(());
            }
            at = skip_blanks(at + 1);
        }
    }
}
