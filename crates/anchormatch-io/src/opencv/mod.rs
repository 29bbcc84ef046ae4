//! Keypoints and points as OpenCV's `cv::FileStorage` writes them, in YAML or in XML.
//!
//! | in the file | points |
//! |---|---|
//! | a sequence of keypoints: x, y, size, angle, response, octave, class_id, in lists of their own or one after the other | x, y |
//! | a sequence of lists of two or three numbers | x, y \[, z\] |
//! | an `opencv-matrix` of n×2 or n×3 numbers, or of n numbers in two or three channels | x, y \[, z\] |
//!
//! Other nodes of the file, such as descriptors, are passed over with a note. Where several hold points,
//! [`ReadOptions::variable`] says which is meant, by its name. The points are called 0, 1, …; with
//! [`ReadOptions::node_columns`] the other five numbers of keypoints become columns.
//!
//! Of YAML only what OpenCV writes is read: a node begins at the left margin, all else is indented.

use std::collections::HashMap;
use std::io::{BufRead, Write};

use anchormatch::error::{Hint, Result};
use anchormatch::linalg::Matrix;

use super::cloud::{Cloud, not_read};
use super::columns::ColumnBuilder;
use super::fault::{fault, quoted};
use super::lines::Lines;
use super::options::DEFAULT_MEMORY;
use super::xml::{Piece, Xml};
use super::{Format, LoadedGraph, ReadOptions};

/// What a keypoint has after x and y.
const BESIDE: [&str; 5] = ["size", "angle", "response", "octave", "class_id"];

/// The numbers of a keypoint.
const KEYPOINT: usize = 2 + BESIDE.len();

/// What a number takes while it is read, in a list that grows.
const NUMBER_BYTES: u64 = 32;

/// Lists inside each other, at most.
const DEEPEST: usize = 16;

const WANTED: &str = "a node with keypoints, or with an opencv-matrix of n×2 or n×3 numbers";

/// A node of the file, as far as it may hold points.
#[derive(Debug, Default)]
struct Node {
    name: String,
    line: u64,
    is_matrix: bool,
    rows: Option<f64>,
    cols: Option<f64>,
    /// The numbers of an entry of a matrix.
    channels: usize,
    /// The numbers, each with its line.
    numbers: Vec<(f64, u64)>,
    /// The lengths of its innermost lists.
    lists: Vec<usize>,
    /// Whether it holds something else.
    is_other: bool,
}

/// How the numbers of a node make points.
struct Shape {
    /// How many numbers a point takes, and how many of them are coordinates.
    width: usize,
    dimensions: usize,
}

/// Reads points; `name` stands for the file in errors.
///
/// # Errors
/// When the file is neither of the two, is cut, or holds no points or several sets of them and nothing says which
/// is meant; when a matrix has not the numbers that it announces, a coordinate is not finite, or the memory allowed
/// would be passed.
///
/// # Complexity
/// As a table of points, and the memory of all numbers in the file.
pub fn read_opencv_from(
    mut reader: impl BufRead,
    name: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    // An error comes again where the bytes are read.
    let block = reader.fill_buf().unwrap_or_default();
    let block = block.strip_prefix(b"\xef\xbb\xbf").unwrap_or(block);
    let first = block.iter().find(|byte| !byte.is_ascii_whitespace());
    let nodes = if first == Some(&b'<') {
        read_xml(reader, name, options)?
    } else {
        read_yaml(reader, name, options)?
    };
    let (node, shape, passed_over) = choose(&nodes, name, options)?;
    points(node, &shape, passed_over, name, options)
}

/// The node that is meant, and the names of the others.
fn choose<'a>(
    nodes: &'a [Node],
    file: &str,
    options: &ReadOptions,
) -> Result<(&'a Node, Shape, Vec<String>)> {
    let mut found = Vec::new();
    for node in nodes {
        if let Some(shape) = node.shape(file)? {
            found.push((node, shape));
        }
    }
    let names = |found: &[(&Node, Shape)]| {
        let names: Vec<&str> = found.iter().map(|(node, _)| node.name.as_str()).collect();
        quoted(&names.join(", "))
    };
    if let Some(wanted) = &options.variable {
        let place = found.iter().position(|(node, _)| node.name == *wanted);
        let Some(place) = place else {
            let (what, expected) = match found.is_empty() {
                true => ("no node with points".to_owned(), WANTED.to_owned()),
                false => (
                    format!("no node {} with points", quoted(wanted)),
                    format!("one of {}", names(&found)),
                ),
            };
            return Err(fault(file, None, None, what, expected));
        };
        let (node, shape) = found.swap_remove(place);
        return Ok((node, shape, Vec::new()));
    }
    if found.len() > 1 {
        let what = format!("{} nodes with points, {}", found.len(), names(&found));
        return Err(fault(file, None, None, what, "one").hinting(&[Hint::Variable]));
    }
    let Some((node, shape)) = found.pop() else {
        return Err(fault(file, None, None, "no node with points", WANTED));
    };
    let others = nodes.iter().filter(|other| other.line != node.line);
    let others = others.map(|other| quoted(&other.name)).collect();
    Ok((node, shape, others))
}

/// The points of a node.
fn points(
    node: &Node,
    shape: &Shape,
    passed_over: Vec<String>,
    file: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    let mut cloud = Cloud::new(file, options);
    let mut columns = ColumnBuilder::default();
    let are_kept = options.node_columns && shape.width == KEYPOINT;
    let mut kept = 0;
    for row in node.numbers.chunks_exact(shape.width) {
        if !cloud.has_room() {
            continue;
        }
        let (coordinates, beside) = row.split_at(shape.dimensions);
        for &(value, line) in coordinates {
            if !value.is_finite() {
                let found = format!("the coordinate {value}");
                return Err(fault(file, Some(line), None, found, "a finite number"));
            }
            cloud.coordinate(value);
        }
        if are_kept {
            for (name, (value, _)) in BESIDE.iter().zip(beside) {
                let column = columns.column(name);
                cloud.beside(columns.set(column, kept, &value.to_string()));
            }
        }
        kept += 1;
    }
    let notes = not_read("node", "nodes", passed_over);
    let loaded = cloud.finish(
        shape.dimensions,
        Format::OpenCv,
        notes.into_iter().collect(),
    )?;
    Ok(LoadedGraph {
        columns: columns.finish(kept, &HashMap::new()),
        ..loaded
    })
}

impl Node {
    fn new(name: &str, line: u64, is_matrix: bool) -> Self {
        Self {
            name: name.to_owned(),
            line,
            is_matrix,
            channels: 1,
            ..Self::default()
        }
    }

    /// A word of its value; `key` is what it stands under in a matrix.
    fn word(&mut self, word: &str, key: &str, line: u64) {
        match (self.is_matrix, key) {
            (true, "rows") => self.rows = word.parse().ok(),
            (true, "cols") => self.cols = word.parse().ok(),
            (true, "dt") => {
                let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
                self.channels = if digits.is_empty() {
                    1
                } else {
                    digits.parse().unwrap_or(0)
                };
            }
            (true, key) if key != "data" => {}
            _ => match number(word) {
                Some(value) => self.numbers.push((value, line)),
                None => self.is_other = true,
            },
        }
    }

    /// How its numbers make points, if they do.
    fn shape(&self, file: &str) -> Result<Option<Shape>> {
        let shape = |width: usize, dimensions: usize| Some(Shape { width, dimensions });
        if self.is_matrix {
            let (Some(rows), Some(cols)) = (self.rows, self.cols) else {
                let expected = "the rows and cols of the matrix";
                let found = format!("the matrix {} without them", quoted(&self.name));
                return Err(fault(file, Some(self.line), None, found, expected));
            };
            let wanted = rows * cols * self.channels as f64;
            if self.is_other || wanted != self.numbers.len() as f64 {
                let found = format!(
                    "{} numbers in the matrix {}",
                    self.numbers.len(),
                    quoted(&self.name)
                );
                let expected = format!(
                    "{rows} × {cols} of {} each, and numbers alone",
                    self.channels
                );
                return Err(fault(file, Some(self.line), None, found, expected));
            }
            let wide = cols * self.channels as f64;
            return Ok(match wide {
                2.0 => shape(2, 2),
                3.0 => shape(3, 3),
                _ => None,
            });
        }
        if self.is_other || self.numbers.is_empty() {
            return Ok(None);
        }
        let listed: usize = self.lists.iter().sum();
        if listed != self.numbers.len() {
            return Ok(None);
        }
        let all = |len: usize| self.lists.iter().all(|&list| list == len);
        Ok(match self.lists.as_slice() {
            _ if all(KEYPOINT) => shape(KEYPOINT, 2),
            [one] if one % KEYPOINT == 0 => shape(KEYPOINT, 2),
            [_] => None,
            _ if all(2) => shape(2, 2),
            _ if all(3) => shape(3, 3),
            _ => None,
        })
    }
}

/// A number as OpenCV writes it: also `1.`, `.Nan` and `-.Inf`.
fn number(word: &str) -> Option<f64> {
    let bare = word.trim_start_matches(['+', '-']);
    match bare.to_ascii_lowercase().as_str() {
        ".nan" => Some(f64::NAN),
        ".inf" if word.starts_with('-') => Some(f64::NEG_INFINITY),
        ".inf" => Some(f64::INFINITY),
        _ => word.parse().ok(),
    }
}

/// Refuses numbers past the memory allowed, as they come.
fn reserve(file: &str, numbers: u64, options: &ReadOptions) -> Result<()> {
    let needed = numbers.saturating_mul(NUMBER_BYTES);
    if needed <= options.limit() {
        return Ok(());
    }
    let what = format!("{file}: more than {numbers} numbers");
    options.reserve(
        &what,
        needed,
        DEFAULT_MEMORY,
        &[Hint::MoreMemory, Hint::FewerPoints],
    )
}

/// The nodes of a file in YAML.
fn read_yaml(reader: impl BufRead, file: &str, options: &ReadOptions) -> Result<Vec<Node>> {
    let mut lines = Lines::new(reader, file);
    let mut nodes: Vec<Node> = Vec::new();
    let mut is_begun = false;
    // The numbers of the lists that are open, what the value stands under, and how many numbers there are.
    let mut open: Vec<usize> = Vec::new();
    let mut key = String::new();
    let mut count = 0;
    while lines.advance()? {
        let (text, line) = (lines.text(), lines.number());
        let fail =
            |found: String, expected: &str| Err(fault(file, Some(line), None, found, expected));
        if text.trim_ascii().is_empty() {
            continue;
        }
        if !is_begun {
            if !text.starts_with("%YAML") {
                return fail(
                    quoted(text),
                    "%YAML:1.0 or <?xml, with which OpenCV's files begin",
                );
            }
            is_begun = true;
            continue;
        }
        if text == "..." {
            break;
        }
        if text == "---" || text.trim_ascii_start().starts_with('#') {
            continue;
        }
        let mut rest = text;
        if open.is_empty() && !text.starts_with([' ', '\t', '-', '[', '{', ']', '}']) {
            let Some((name, value)) = text.split_once(':') else {
                return fail(quoted(text), "the name of a node and a colon");
            };
            let value = value.trim_ascii_start();
            let tag = value
                .split([' ', '\t'])
                .next()
                .filter(|tag| tag.starts_with("!!"));
            let is_matrix = tag == Some("!!opencv-matrix");
            let name = name.trim_ascii().trim_matches('"');
            nodes.push(Node::new(name, line, is_matrix));
            rest = &value[tag.map_or(0, str::len)..];
            key.clear();
        }
        let Some(node) = nodes.last_mut() else {
            return fail(quoted(text), "the name of a node and a colon");
        };
        while let Some((token, after)) = token(rest) {
            rest = after;
            match token {
                "[" | "{" => {
                    node.is_other |= token == "{";
                    if open.len() == DEEPEST {
                        return fail(format!("lists {} deep", DEEPEST + 1), "at most 16");
                    }
                    open.push(node.numbers.len());
                }
                "]" | "}" => {
                    let Some(start) = open.pop() else {
                        return fail(quoted(token), "a list that is open");
                    };
                    // Of lists of lists the inner ones have the numbers.
                    let listed: usize = node.lists.iter().sum();
                    let len = node.numbers.len() - start.max(listed.min(node.numbers.len()));
                    if len > 0 {
                        node.lists.push(len);
                    }
                }
                "," | "-" => {}
                word if word.ends_with(':') => word[..word.len() - 1].clone_into(&mut key),
                word => {
                    node.word(word.trim_matches('"'), &key, line);
                    count += 1;
                    if count % 1024 == 0 {
                        reserve(file, count, options)?;
                    }
                }
            }
        }
    }
    if !open.is_empty() {
        let found = "the end of the file in a list";
        return Err(fault(file, Some(lines.number()), None, found, "its end, ]"));
    }
    if !is_begun {
        return Err(fault(file, None, None, "no text", "%YAML:1.0 or <?xml"));
    }
    Ok(nodes)
}

/// The first token of a line in YAML, and what follows it.
fn token(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_ascii_start();
    let first = text.chars().next()?;
    if "[]{},".contains(first) {
        return Some(text.split_at(1));
    }
    if first == '"' {
        let end = text[1..].find('"').map_or(text.len(), |end| end + 2);
        return Some(text.split_at(end));
    }
    let end = text.find(|c: char| c.is_ascii_whitespace() || "[]{},".contains(c));
    let (word, after) = text.split_at(end.unwrap_or(text.len()));
    // `x:1.5` is a key and a value.
    match word.find(':').filter(|&colon| colon + 1 < word.len()) {
        Some(colon) => Some(text.split_at(colon + 1)),
        None => Some((word, after)),
    }
}

/// The nodes of a file in XML.
fn read_xml(reader: impl BufRead, file: &str, options: &ReadOptions) -> Result<Vec<Node>> {
    let mut xml = Xml::new(reader, file).expecting("well-formed XML of OpenCV");
    let mut buffer = Vec::new();
    let mut nodes: Vec<Node> = Vec::new();
    let mut depth = 0usize;
    let mut key = String::new();
    // Text comes in parts; a word may be in two of them.
    let mut text = String::new();
    let mut count = 0;
    loop {
        let piece = xml.next(&mut buffer)?;
        match piece {
            Piece::Open(element) => {
                let line = element.place().0;
                if depth == 0 && element.name() != "opencv_storage" {
                    let found = format!("<{}>", element.name());
                    return Err(fault(
                        file,
                        Some(line),
                        None,
                        quoted(&found),
                        "<opencv_storage>",
                    ));
                }
                if depth == 1 {
                    let [kind] = element.attributes(["type_id"])?;
                    let is_matrix = kind.as_deref() == Some("opencv-matrix");
                    nodes.push(Node::new(element.name(), line, is_matrix));
                    key.clear();
                } else if let Some(node) = nodes.last_mut() {
                    take(node, &mut text, &key, line, &mut count);
                    element.name().clone_into(&mut key);
                    node.is_other |= !node.is_matrix && key != "_";
                }
                depth += 1;
            }
            Piece::Close => {
                depth = depth.saturating_sub(1);
                let line = xml.line();
                if let Some(node) = nodes.last_mut().filter(|_| depth >= 1) {
                    take(node, &mut text, &key, line, &mut count);
                }
                key.clear();
                text.clear();
            }
            Piece::Text(part) => {
                text.push_str(&part);
                // Every word takes two bytes at least.
                reserve(file, count + text.len() as u64 / 2, options)?;
            }
            Piece::Other => {}
            Piece::End => break,
        }
    }
    if nodes.is_empty() && depth == 0 {
        return Err(fault(file, None, None, "no node with points", WANTED));
    }
    Ok(nodes)
}

/// Gives the words of a text to a node, as one of its lists.
fn take(node: &mut Node, text: &mut String, key: &str, line: u64, count: &mut u64) {
    let before = node.numbers.len();
    for word in text.split_ascii_whitespace() {
        node.word(word.trim_matches('"'), key, line);
        *count += 1;
    }
    let listed = node.numbers.len() - before;
    if listed > 0 {
        node.lists.push(listed);
    }
    text.clear();
}

/// Writes points as a matrix called `points`, in YAML; ids become numbers.
///
/// # Errors
/// When `out` fails.
pub fn write_opencv(out: &mut (impl Write + ?Sized), positions: &Matrix) -> std::io::Result<()> {
    super::points::check_positions(positions.rows(), positions)?;
    let (rows, cols) = (positions.rows(), positions.cols());
    writeln!(out, "%YAML:1.0\n---\npoints: !!opencv-matrix")?;
    writeln!(out, "   rows: {rows}\n   cols: {cols}\n   dt: d")?;
    write!(out, "   data: [")?;
    for i in 0..rows {
        let numbers: Vec<String> = positions.row(i).iter().map(|x| format!("{x:e}")).collect();
        let end = if i + 1 == rows { " ]\n" } else { ",\n      " };
        write!(out, " {}{end}", numbers.join(", "))?;
    }
    if rows == 0 {
        writeln!(out, " ]")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
