//! PLY, as text: the vertices as points.
//!
//! `x`, `y` and, where there is one, `z` of the element `vertex`; its other properties and the other
//! elements are passed over and noted. Binary files are refused by name. The points are called 0, 1, ….

use std::io::{BufRead, Write};

use anchormatch::error::Result;
use anchormatch::linalg::Matrix;

use super::cloud::{Cloud, not_read};
use super::fault::{fault, quoted};
use super::lines::Lines;
use super::{Format, LoadedGraph, ReadOptions};

/// What a header announces of an element, and how many properties the header may name.
struct Element {
    name: String,
    count: u64,
    properties: Vec<String>,
    /// The line of its first list, which makes rows of different lengths.
    list: Option<u64>,
}

/// The most names that a header may have: more are no header.
const MOST_NAMES: usize = 1 << 12;

/// Reads the vertices of a PLY file; `name` stands for the file in errors.
///
/// # Errors
/// When the file is binary, its header or a vertex is malformed, it ends before the last vertex, or the
/// points would pass the memory allowed.
///
/// # Complexity
/// As a table of points.
pub fn read_ply_from(
    reader: impl BufRead,
    name: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    let mut lines = Lines::new(reader, name);
    let elements = header(&mut lines)?;
    let place = elements.iter().position(|element| element.name == "vertex");
    let Some(place) = place else {
        let expected = "an element vertex, with its number";
        return Err(lines.fault(1, "a header without vertices", expected));
    };
    let vertex = &elements[place];
    if let Some(line) = vertex.list {
        let (found, expected) = ("a list", "numbers alone among the properties of a vertex");
        return Err(fault(name, Some(line), None, found, expected));
    }
    let axes = axes(vertex, &lines)?;
    for element in &elements[..place] {
        for _ in 0..element.count {
            next(&mut lines, &element.name, element.count)?;
        }
    }
    let mut cloud = Cloud::new(name, options);
    let mut words: Vec<(usize, usize)> = Vec::new();
    for _ in 0..vertex.count {
        next(&mut lines, "vertex", vertex.count)?;
        let text = lines.text();
        words.clear();
        words.extend(text.split_ascii_whitespace().map(|word| {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            (start, start + word.len())
        }));
        let wanted = vertex.properties.len();
        if words.len() != wanted {
            let found = format!("{} numbers", words.len());
            let column = words.len().min(wanted) + 1;
            return Err(lines.fault(column, found, format!("{wanted}, a value of each property")));
        }
        if !cloud.has_room() {
            continue;
        }
        for &axis in &axes {
            let word = &text[words[axis].0..words[axis].1];
            match word.parse::<f64>() {
                Ok(value) if value.is_finite() => cloud.coordinate(value),
                Ok(_) => return Err(lines.fault(axis + 1, quoted(word), "a finite number")),
                Err(_) => {
                    let expected = "a number such as 1.5 or 2e-3";
                    return Err(lines.fault(axis + 1, quoted(word), expected));
                }
            }
        }
    }
    let others = vertex.properties.iter().enumerate();
    let others = others.filter(|(i, _)| !axes.contains(i));
    let others = others.map(|(_, name)| quoted(name)).collect();
    let elements = elements.iter().enumerate();
    let elements = elements.filter(|&(i, element)| i != place && element.count > 0);
    let elements = elements.map(|(_, element)| quoted(&element.name)).collect();
    let mut notes: Vec<String> = not_read("property", "properties", others)
        .into_iter()
        .collect();
    notes.extend(not_read("element", "elements", elements));
    cloud.finish(axes.len(), Format::Ply, notes)
}

/// Writes points as the vertices of a PLY file of text; ids become numbers.
///
/// # Errors
/// When `out` fails.
pub fn write_ply(out: &mut (impl Write + ?Sized), positions: &Matrix) -> std::io::Result<()> {
    super::points::check_positions(positions.rows(), positions)?;
    let count = positions.rows();
    write!(out, "ply\nformat ascii 1.0\nelement vertex {count}\n")?;
    for axis in ["x", "y", "z"].iter().take(positions.cols()) {
        writeln!(out, "property double {axis}")?;
    }
    writeln!(out, "end_header")?;
    for i in 0..count {
        let row: Vec<String> = positions.row(i).iter().map(f64::to_string).collect();
        writeln!(out, "{}", row.join(" "))?;
    }
    Ok(())
}

/// Goes to the next line that is not blank.
fn next<R: BufRead>(lines: &mut Lines<R>, what: &str, count: u64) -> Result<()> {
    loop {
        if !lines.advance()? {
            let found = "the end of the file";
            let expected = format!("all of the {count} lines of the element {}", quoted(what));
            return Err(fault(lines.file(), None, None, found, expected));
        }
        if !lines.text().trim_ascii().is_empty() {
            return Ok(());
        }
    }
}

/// The elements of the header, in the order of their data.
fn header<R: BufRead>(lines: &mut Lines<R>) -> Result<Vec<Element>> {
    if !lines.advance()? || lines.text().trim_ascii() != "ply" {
        let found = match lines.number() {
            0 => "an empty file".to_owned(),
            _ => quoted(lines.text()),
        };
        return Err(lines.fault(1, found, "`ply`"));
    }
    let mut elements: Vec<Element> = Vec::new();
    let mut is_text = false;
    let mut names = 0;
    loop {
        if !lines.advance()? {
            let found = "the end of the file";
            return Err(fault(lines.file(), None, None, found, "`end_header`"));
        }
        let mut words = lines.text().split_ascii_whitespace();
        let keyword = words.next().unwrap_or_default();
        let words: Vec<&str> = words.take(5).collect();
        match (keyword, words.as_slice(), elements.last_mut()) {
            ("" | "comment" | "obj_info", ..) => continue,
            ("format", ["ascii", ..], _) => is_text = true,
            ("format", [kind, ..], _) => {
                let expected = "`ascii`: binary PLY is not read, save the file as text";
                return Err(lines.fault(2, quoted(kind), expected));
            }
            ("element", [name, count], _) => {
                let Ok(count) = count.parse() else {
                    return Err(lines.fault(3, quoted(count), "a number of elements"));
                };
                elements.push(Element {
                    name: (*name).to_owned(),
                    count,
                    properties: Vec::new(),
                    list: None,
                });
            }
            ("property", ["list", ..], Some(element)) => {
                element.list = element.list.or(Some(lines.number()));
            }
            ("property", [_, name], Some(element)) => element.properties.push((*name).to_owned()),
            ("end_header", ..) if is_text => return Ok(elements),
            ("end_header", ..) => {
                let expected = "a line `format ascii 1.0` before it";
                return Err(lines.fault(1, "`end_header`", expected));
            }
            _ => {
                let expected =
                    "format, comment, element NAME COUNT, property TYPE NAME or end_header";
                return Err(lines.fault(1, quoted(lines.text()), expected));
            }
        }
        names += 1;
        if names > MOST_NAMES {
            let found = format!("more than {MOST_NAMES} lines");
            return Err(lines.fault(1, found, "`end_header`"));
        }
    }
}

/// The places of x, y and perhaps z among the properties of a vertex.
fn axes<R: BufRead>(vertex: &Element, lines: &Lines<R>) -> Result<Vec<usize>> {
    let find = |axis: &str| {
        let mut all = vertex.properties.iter();
        all.position(|name| name.eq_ignore_ascii_case(axis))
    };
    match (find("x"), find("y")) {
        (Some(x), Some(y)) => Ok([x, y].into_iter().chain(find("z")).collect()),
        _ => {
            let found = "vertices without x and y";
            Err(lines.fault(1, found, "the properties x and y, and perhaps z"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "ply\nformat ascii 1.0\n";

    fn read(text: &str) -> Result<LoadedGraph> {
        read_ply_from(text.as_bytes(), "a.ply", &ReadOptions::default())
    }

    #[test]
    fn vertices_are_points_and_the_rest_is_noted() {
        let text = format!(
            "{HEAD}comment made by hand\nelement tag 1\nproperty list uchar int t\nelement vertex 2\n\
             property float x\nproperty uchar red\nproperty float y\nproperty float z\n\
             element face 1\nproperty list uchar int vertex_indices\nend_header\n\
             1 7\n0 255 0 0\n2 0 3 6\n3 0 1 1\n"
        );
        let loaded = read(&text).unwrap();
        assert_eq!(loaded.graph.weight(0, 1), 7.0);
        let places = loaded.positions.unwrap();
        assert_eq!(places.as_slice(), [0.0, 0.0, 0.0, 2.0, 3.0, 6.0]);
        assert_eq!(
            loaded.notes,
            [
                "property `red` was not read",
                "elements `tag` and `face` were not read"
            ]
        );
        let flat = "element vertex 1\nproperty double y\nproperty double X\nend_header\n4 3\n";
        let loaded = read(&format!("{HEAD}{flat}")).unwrap();
        assert_eq!(loaded.positions.unwrap().as_slice(), [3.0, 4.0]);
    }

    #[test]
    fn every_fault_has_its_message() {
        let vertices = |count: &str, rows: &str| {
            format!(
                "{HEAD}element vertex {count}\nproperty float x\nproperty float y\nend_header\n{rows}"
            )
        };
        for (text, message) in [
            (String::new(), "a.ply, line 0, column 1: found an empty file, expected `ply`".to_owned()),
            ("x,y\n".into(), "a.ply, line 1, column 1: found `x,y`, expected `ply`".into()),
            (
                "ply\nformat binary_little_endian 1.0\n".into(),
                "a.ply, line 2, column 2: found `binary_little_endian`, expected `ascii`: binary PLY is \
                 not read, save the file as text".into(),
            ),
            (
                HEAD.into(),
                "a.ply: found the end of the file, expected `end_header`".into(),
            ),
            (
                format!("{HEAD}end_header\n"),
                "a.ply, line 3, column 1: found a header without vertices, expected an element vertex, \
                 with its number".into(),
            ),
            (
                format!("{HEAD}element vertex 1\nproperty float x\nend_header\n1\n"),
                "a.ply, line 5, column 1: found vertices without x and y, expected the properties x and \
                 y, and perhaps z".into(),
            ),
            (
                format!("{HEAD}element vertex -1\n"),
                "a.ply, line 3, column 3: found `-1`, expected a number of elements".into(),
            ),
            (
                format!("{HEAD}vertex 1\n"),
                "a.ply, line 3, column 1: found `vertex 1`, expected format, comment, element NAME \
                 COUNT, property TYPE NAME or end_header".into(),
            ),
            (
                format!("{HEAD}element vertex 1\nproperty list uchar int x\nend_header\n"),
                "a.ply, line 4: found a list, expected numbers alone among the properties of a vertex"
                    .into(),
            ),
            (
                vertices("2", "1 2\n"),
                "a.ply: found the end of the file, expected all of the 2 lines of the element `vertex`"
                    .into(),
            ),
            (
                vertices("18446744073709551615", "1 2\n"),
                "a.ply: found the end of the file, expected all of the 18446744073709551615 lines of \
                 the element `vertex`".into(),
            ),
            (
                vertices("1", "1 nan\n"),
                "a.ply, line 7, column 2: found `nan`, expected a finite number".into(),
            ),
            (
                vertices("1", "1 y\n"),
                "a.ply, line 7, column 2: found `y`, expected a number such as 1.5 or 2e-3".into(),
            ),
            (
                vertices("1", "1 2 3\n"),
                "a.ply, line 7, column 3: found 3 numbers, expected 2, a value of each property".into(),
            ),
            (
                vertices("0", ""),
                "a.ply: found no point, expected at least one row of x,y[,z]".into(),
            ),
        ] {
            assert_eq!(read(&text).unwrap_err().to_string(), message, "{text:?}");
        }
    }
}
