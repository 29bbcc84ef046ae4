//! What the columns of an edge list are: by their order, or by the names in a header.

use anchormatch::error::{Hint, Result};
use anchormatch::matching::Note;

use super::super::ReadOptions;
use super::super::fault::quoted;
use super::super::table::Row;

/// The pairs of names that make a header of two columns.
const END_NAMES: [(&str, &str); 17] = [
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("node1", "node2"),
    ("node_1", "node_2"),
    ("u", "v"),
    ("v1", "v2"),
    ("i", "j"),
    ("left", "right"),
    ("subject", "object"),
    ("head", "tail"),
    ("start", "end"),
    ("sender", "receiver"),
    ("source_id", "target_id"),
    ("from_id", "to_id"),
    ("id1", "id2"),
    ("id_1", "id_2"),
];

/// What a column of weights tends to be called; of another one the reader says that it was taken for weights.
const WEIGHT_NAMES: [&str; 14] = [
    "weight",
    "weights",
    "w",
    "value",
    "count",
    "counts",
    "n",
    "strength",
    "distance",
    "length",
    "score",
    "similarity",
    "synapses",
    "edge_weight",
];

/// What a column of kinds of edges tends to be called: never taken for weights unasked, though kinds may be numbers.
const KIND_NAMES: [&str; 12] = [
    "rel",
    "relation",
    "relations",
    "relation_id",
    "rel_id",
    "relationship",
    "predicate",
    "property",
    "kind",
    "edge_type",
    "layer",
    "label",
];

/// Which column holds what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) weight: Option<usize>,
    direction: Option<usize>,
    kind: Option<usize>,
    /// A column of kinds that nobody asked for, in a table without weights: edges of several kinds count once each.
    unasked: Option<usize>,
}

impl Columns {
    /// The columns of the table that begins with `row`, and whether that is a header.
    pub(super) fn of(row: &Row<'_>, options: &ReadOptions) -> Result<(Self, bool)> {
        let column = |name: &str| (0..row.len()).find(|&i| row.get(i).eq_ignore_ascii_case(name));
        let wanted = options.weight.as_deref();
        let named = ends(row).filter(|_| options.header != Some(false));
        // `source,target,3` is an edge between two nodes of odd names.
        let is_named = named.is_some() && (row.len() != 3 || row.is_name(2) || wanted.is_some());
        let kinds = Kinds::of(row, options);
        let is_header = match options.header {
            Some(header) => header,
            // The third field of data may be a word, where it is a kind.
            None if kinds.are_numbered() => is_named,
            None => is_named || (!row.get(row.len() - 1).starts_with('{') && is_header(row)?),
        };
        let kind = kinds.column(row, is_header)?;
        let mut columns = Self {
            source: 0,
            target: 1,
            weight: (2..row.len().min(4)).find(|&column| Some(column) != kind),
            direction: None,
            kind,
            unasked: None,
        };
        if let Some((source, target)) = named.filter(|_| is_named) {
            let direction = column("type").filter(|&column| Some(column) != kind);
            let weight = column(wanted.unwrap_or("weight"));
            // The third of three columns is the weight by whatever name.
            let third = (wanted.is_none() && row.len() == 3 && (source, target) == (0, 1))
                .then_some(2)
                .filter(|&third| Some(third) != direction && Some(third) != kind)
                .filter(|&third| !is_one_of(&KIND_NAMES, row.get(third)));
            let weight = weight.or(third);
            let names_kinds = |&i: &usize| is_one_of(&KIND_NAMES, row.get(i));
            let is_asked = wanted.is_some() || kind.is_some();
            let unasked = (0..row.len()).find(names_kinds);
            columns = Self {
                source,
                target,
                weight,
                direction,
                kind,
                unasked: unasked.filter(|_| weight.is_none() && !is_asked),
            };
        } else if row.len() > 3 + usize::from(kind.is_some()) {
            return Err(row.miscounted(
                &(2..=3),
                "source,target or source,target,weight, or a header with names of these columns; \
                 a matrix would be the format adjacency",
            ));
        }
        if let Some(kind) = kind.filter(|&kind| kind == columns.source || kind == columns.target) {
            let found = format!("the column {} of nodes", kind + 1);
            return Err(row.fault(kind, found, "another column for the kinds of the edges"));
        }
        if let Some(name) = wanted {
            let by_attributes = row.len() == 3 && row.get(2).starts_with('{');
            let by_name = is_header && column(name).is_some();
            if !by_attributes && !by_name {
                let expected = format!("a header with the column {}", quoted(name));
                return Err(row.fault(row.len() - 1, quoted(row.get(row.len() - 1)), expected));
            }
        }
        Ok((columns, is_header))
    }

    /// A note where the weights stand below a name in `header` that does not say weights.
    pub(super) fn unusual_weight(&self, header: &Row<'_>, options: &ReadOptions) -> Option<String> {
        let name = header.get(self.weight.filter(|_| options.weight.is_none())?);
        let is_usual = name.is_empty() || is_one_of(&WEIGHT_NAMES, name);
        (!is_usual).then(|| {
            format!(
                "the column {} was read as the weights of the edges",
                quoted(name)
            )
        })
    }

    /// A note where a column of `header` names kinds that nobody asked for.
    pub(super) fn unasked_kinds(&self, header: &Row<'_>) -> Option<Note> {
        self.unasked.map(|column| {
            let text = format!(
                "the column {} names kinds of edges: where several join two nodes, each counts as one",
                quoted(header.get(column))
            );
            Note::hinting(text, &[Hint::Kinds])
        })
    }

    /// The kind of the edge in `row`, where the table has kinds.
    pub(super) fn kind<'a>(&self, row: &Row<'a>, options: &ReadOptions) -> Result<Option<&'a str>> {
        let Some(name) = options.kinds.as_deref() else {
            return Ok(self.unasked.map(|column| row.get(column)));
        };
        let (column, kind) = match (self.kind, self.weight) {
            (Some(column), _) => (column, row.get(column)),
            (None, Some(column)) if row.get(column).starts_with('{') => {
                let value = attribute_text(row, column, name)?.unwrap_or_default();
                (column, python_text(value).map_or(value, |(text, _)| text))
            }
            (None, other) => (other.unwrap_or(1), ""),
        };
        if kind.is_empty() {
            let expected = format!("the kind of the edge, its {}", quoted(name));
            return Err(row.fault(column, "no kind", expected));
        }
        Ok(Some(kind))
    }

    /// Whether the edge in `row` has a direction.
    pub(super) fn is_directed(&self, row: &Row<'_>) -> Result<bool> {
        let Some(column) = self.direction else {
            return Ok(false);
        };
        match row.get(column) {
            kind if kind.eq_ignore_ascii_case("directed") => Ok(true),
            kind if kind.is_empty() || kind.eq_ignore_ascii_case("undirected") => Ok(false),
            kind => Err(row.fault(
                column,
                quoted(kind),
                "directed or undirected, unless the column is asked for as one of layers or relations",
            )),
        }
    }
}

fn is_one_of(names: &[&str], name: &str) -> bool {
    names.iter().any(|one| name.eq_ignore_ascii_case(one))
}

/// Where the kinds of edges stand, by what was asked for.
struct Kinds<'a> {
    asked: Option<&'a str>,
    named: Option<usize>,
    numbered: Option<usize>,
}

impl<'a> Kinds<'a> {
    fn of(row: &Row<'_>, options: &'a ReadOptions) -> Self {
        let asked = options.kinds.as_deref();
        let column = |name: &str| (0..row.len()).find(|&i| row.get(i).eq_ignore_ascii_case(name));
        let number = asked.and_then(|name| name.parse::<usize>().ok());
        Self {
            asked,
            named: asked.and_then(column),
            numbered: number
                .and_then(|number| number.checked_sub(1))
                .filter(|&column| column < row.len()),
        }
    }

    /// Whether a number, and no name of the first row, says where they stand.
    fn are_numbered(&self) -> bool {
        self.named.is_none() && self.numbered.is_some()
    }

    /// The column, in a table whose first row is `row`; `None` also where they stand among attributes.
    fn column(&self, row: &Row<'_>, is_header: bool) -> Result<Option<usize>> {
        let Some(name) = self.asked else {
            return Ok(None);
        };
        let found = self.named.filter(|_| is_header).or(self.numbered);
        let last = row.len() - 1;
        let by_attributes = row.len() == 3 && row.get(2).starts_with('{');
        if found.is_some() || by_attributes {
            return Ok(found);
        }
        let fields: Vec<&str> = (0..row.len()).map(|k| row.get(k)).collect();
        let found = match is_header {
            true => format!("the columns {}", quoted(&fields.join(", "))),
            false => quoted(row.get(last)),
        };
        let expected = format!(
            "a header with the column {}, or the number of a column from 3",
            quoted(name)
        );
        Err(row.fault(last, found, expected))
    }
}

/// The weight among attributes such as `{'weight': 1.5, 'since': 'May'}`; 1 when there is none.
pub(super) fn attribute(row: &Row<'_>, column: usize, options: &ReadOptions) -> Result<f64> {
    let name = options.weight.as_deref().unwrap_or("weight");
    match attribute_text(row, column, name)? {
        None => Ok(1.0),
        Some(number) => match number.parse::<f64>() {
            Ok(weight) if weight.is_finite() => Ok(weight),
            _ => Err(row.fault(column, quoted(number), "a finite number")),
        },
    }
}

/// The value called `name` among attributes, as it stands there.
fn attribute_text<'a>(row: &Row<'a>, column: usize, name: &str) -> Result<Option<&'a str>> {
    let field = row.get(column);
    let fault = |found: &str, expected: &str| Err(row.fault(column, quoted(found), expected));
    let Some(mut rest) = field.strip_prefix('{').and_then(|f| f.strip_suffix('}')) else {
        return fault(field, "attributes that end with }");
    };
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return Ok(None);
        }
        let Some((key, after)) = python_text(rest) else {
            return fault(rest, "a name in quotes");
        };
        let Some(after) = after.trim_ascii_start().strip_prefix(':') else {
            return fault(after, "a colon after the attribute's name");
        };
        let value = after.trim_ascii_start();
        // The value ends at a comma outside of quotes; lists inside are taken apart with it, which
        // does no harm because what remains of them is no name in quotes, or no weight.
        let end = match python_text(value) {
            Some((_, after)) => value.len() - after.len(),
            None => value.find(',').unwrap_or(value.len()),
        };
        if key == name {
            return Ok(Some(value[..end].trim_ascii()));
        }
        rest = &value[end..];
    }
}

/// The text in single or double quotes with which `rest` begins, and what follows it.
fn python_text(rest: &str) -> Option<(&str, &str)> {
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some((&rest[1..at], &rest[at + 1..])),
            _ => {}
        }
    }
    None
}

/// Whether a table's first row is a header.
///
/// # Errors
/// When it is one whose columns stand in another order, which would give a wrong graph in silence.
pub(in super::super) fn is_header(row: &Row<'_>) -> Result<bool> {
    let is = |i: usize, name: &str| row.get(i).eq_ignore_ascii_case(name);
    let names_ends = names_ends(row);
    if row.len() != 3 {
        return Ok(names_ends);
    }
    if !row.is_name(2) {
        return Ok(false);
    }
    let ends_last = ["target", "to", "dst", "node2"]
        .iter()
        .any(|end| is(2, end));
    if !names_ends && (ends_last || is(1, "source")) {
        return Err(row.fault(
            2,
            quoted(row.get(2)),
            "the columns source,target,weight in this order",
        ));
    }
    Ok(true)
}

/// The columns of one of the pairs of names, in either order, wherever they stand in a header.
pub(in super::super) fn ends(row: &Row<'_>) -> Option<(usize, usize)> {
    let column = |name: &str| (0..row.len()).find(|&i| row.get(i).eq_ignore_ascii_case(name));
    let mut pairs = END_NAMES.iter();
    pairs.find_map(|(source, target)| Some((column(source)?, column(target)?)))
}

/// Whether the first two fields are one of the pairs of names of a header.
pub(super) fn names_ends(row: &Row<'_>) -> bool {
    let is = |i: usize, name: &str| row.get(i).eq_ignore_ascii_case(name);
    END_NAMES
        .iter()
        .any(|(source, target)| is(0, source) && is(1, target))
}
