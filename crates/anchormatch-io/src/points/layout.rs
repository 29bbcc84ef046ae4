//! What the columns of a table of points are: by their names, by their order, or as the caller says.

use anchormatch::error::{Error, Hint, Result};

use super::super::cloud::not_read;
use super::super::fault::quoted;
use super::super::table::Row;
use super::super::{Format, ReadOptions};

/// The names of a column of ids; the first of them that a header has is taken.
const ID_NAMES: [&str; 5] = ["id", "name", "label", "node", "point"];

/// The names of the columns, and what is to be made of them.
pub(super) struct Header {
    names: Vec<String>,
    /// The columns of x, y and perhaps z, where the names or the caller say so.
    axes: Option<Vec<usize>>,
    id: Option<usize>,
}

impl Header {
    /// Whether `row`, the first, is a header.
    pub(super) fn is(row: &Row<'_>, options: &ReadOptions) -> bool {
        let is_number = |i: usize| row.get(i).parse::<f64>().is_ok();
        if let Some(columns) = &options.columns {
            // A name that stands in the row makes it a header whatever else is there.
            let is_named = |name: &String| number(name).is_none() && find(row, name).is_some();
            if columns.iter().any(is_named) {
                return true;
            }
        }
        row.is_name(row.len() - 1) && !(0..row.len()).any(is_number)
    }

    pub(super) fn of(row: &Row<'_>, options: &ReadOptions) -> Result<Self> {
        let column =
            |name: &str| (0..row.len()).find(|&i| bare(row.get(i)).eq_ignore_ascii_case(name));
        let axes = match &options.columns {
            Some(columns) => Some(chosen(row, columns, true)?),
            None => match (once(row, "x")?, once(row, "y")?) {
                (Some(x), Some(y)) => Some([x, y].into_iter().chain(once(row, "z")?).collect()),
                _ => None,
            },
        };
        let is_axis = |i: &usize| axes.as_ref().is_some_and(|axes| axes.contains(i));
        let id = ID_NAMES
            .into_iter()
            .filter_map(column)
            .find(|i| !is_axis(i));
        Ok(Self {
            names: (0..row.len()).map(|i| row.get(i).to_owned()).collect(),
            axes,
            id,
        })
    }
}

/// Which column holds what.
pub(super) struct Layout {
    pub(super) id: Option<usize>,
    pub(super) axes: Vec<usize>,
}

impl Layout {
    /// The layout of the table whose first data row is `row`.
    pub(super) fn of(
        row: &Row<'_>,
        header: Option<&Header>,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Self> {
        let named = header.and_then(|header| header.axes.clone());
        let axes = match (named, &options.columns) {
            (Some(axes), _) => axes,
            (None, Some(columns)) => chosen(row, columns, false)?,
            // A cloud has no ids; its first columns are the coordinates.
            (None, None) if format == Format::Xyz => (0..row.len().min(3)).collect(),
            (None, None) => return Self::by_order(row, header),
        };
        let has_names = header.is_some();
        // The first column, where nothing is called an id.
        let is_id = format == Format::Points
            && !axes.contains(&0)
            && (row.is_name(0)
                || header.is_some_and(|header| header.names[0].is_empty())
                || has_names && axes == [1, 2, 3] && row.len() == 4);
        let id = header.and_then(|header| header.id).or(is_id.then_some(0));
        let id = id.filter(|_| format == Format::Points);
        Ok(Self { id, axes })
    }

    fn by_order(row: &Row<'_>, header: Option<&Header>) -> Result<Self> {
        let says_id = header.is_some_and(|header| header.id == Some(0) || row.len() == 4);
        let has_id = says_id || row.is_name(0);
        let first = usize::from(has_id);
        let axes: Vec<usize> = (first..row.len()).collect();
        match axes.len() {
            0 | 1 => Err(row.fault(1, "1 coordinate", "two or three")),
            2 | 3 => Ok(Self {
                id: has_id.then_some(0),
                axes,
            }),
            count => {
                let (found, expected) = match header {
                    None => (
                        format!("{count} numbers"),
                        "x,y or x,y,z, or a header that says which columns they are, such as id,x,y,z",
                    ),
                    Some(_) => (
                        format!("{count} columns, none of them called x and y"),
                        "a header with x and y, or two or three columns after an id",
                    ),
                };
                Err(row
                    .fault(first + 3, found, expected)
                    .hinting(&[Hint::Columns]))
            }
        }
    }

    /// The columns that are neither id nor coordinate and have a name, where the caller wants them.
    pub(super) fn others(
        &self,
        header: Option<&Header>,
        options: &ReadOptions,
    ) -> Vec<(usize, String)> {
        let names = header.filter(|_| options.node_columns);
        let names = names.map_or(&[][..], |header| &header.names[..]);
        let named = names.iter().enumerate().filter(|(i, name)| {
            self.id != Some(*i) && !self.axes.contains(i) && !bare(name).is_empty()
        });
        named.map(|(i, name)| (i, bare(name).to_owned())).collect()
    }

    /// A note on three columns that are taken for coordinates though no name says so.
    pub(super) fn guessed(&self, header: Option<&Header>) -> Option<String> {
        let header = header.filter(|header| header.axes.is_none())?;
        let [x, y, z] = self.axes[..] else {
            return None;
        };
        let [x, y, z] = [x, y, z].map(|i| quoted(&header.names[i]));
        Some(format!("columns {x}, {y} and {z} were read as x, y and z"))
    }

    /// The columns that are not read, as a note; `others` are.
    pub(super) fn passed_over(
        &self,
        header: Option<&Header>,
        others: &[(usize, String)],
        width: usize,
    ) -> Option<String> {
        let is_read = |i: usize| {
            self.id == Some(i)
                || self.axes.contains(&i)
                || others.iter().any(|(other, _)| *other == i)
        };
        let name = |i: usize| match header.map(|header| header.names[i].as_str()) {
            None | Some("") => (i + 1).to_string(),
            Some(name) => quoted(name),
        };
        let others: Vec<usize> = (0..width).filter(|&i| !is_read(i)).collect();
        not_read("column", "columns", others.into_iter().map(name).collect())
    }
}

/// The columns that the caller chose.
fn chosen(row: &Row<'_>, columns: &[String], is_header: bool) -> Result<Vec<usize>> {
    let mut axes = Vec::with_capacity(columns.len());
    for name in columns {
        let place = match (is_header.then(|| find(row, name)).flatten(), number(name)) {
            (Some(place), _) => place,
            (None, Some(place)) if place < row.len() => place,
            (None, Some(_)) => {
                let found = format!("{} columns", row.len());
                return Err(row.fault(row.len() - 1, found, format!("a column {name}")));
            }
            (None, None) => {
                let found = if is_header {
                    "a header without it"
                } else {
                    "no header"
                };
                let expected = format!("a header with the column {}", quoted(name));
                return Err(row.fault(0, found, expected));
            }
        };
        if axes.contains(&place) {
            let expected = "another column for each coordinate";
            return Err(Error::parameter("columns", quoted(name), expected));
        }
        axes.push(place);
    }
    Ok(axes)
}

/// The column called `name`: exactly so, or else in either case.
fn find(row: &Row<'_>, name: &str) -> Option<usize> {
    let mut columns = 0..row.len();
    let exact = columns.clone().find(|&i| bare(row.get(i)) == name);
    exact.or_else(|| columns.find(|&i| bare(row.get(i)).eq_ignore_ascii_case(name)))
}

/// The column called `name`, which no other is.
fn once(row: &Row<'_>, name: &str) -> Result<Option<usize>> {
    let mut columns = (0..row.len()).filter(|&i| bare(row.get(i)).eq_ignore_ascii_case(name));
    let first = columns.next();
    match columns.next() {
        None => Ok(first),
        Some(second) => {
            let found = format!("a second column {}", quoted(row.get(second)));
            let fault = row.fault(second, found, "one column of each name");
            Err(fault.hinting(&[Hint::Columns]))
        }
    }
}

/// The place of the column that a 1-based number names.
fn number(name: &str) -> Option<usize> {
    name.parse::<usize>().ok()?.checked_sub(1)
}

/// A name without the slashes that some programs begin a header with.
fn bare(name: &str) -> &str {
    name.trim_start_matches('/')
}
