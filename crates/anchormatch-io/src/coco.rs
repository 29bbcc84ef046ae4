//! Keypoints as COCO has them: JSON with `annotations`, each a list `keypoints` of x, y, v.
//!
//! A keypoint whose v is 0 was not labelled: it is no point. The others are called by the names that the
//! annotation's category gives them (`categories`, `keypoints`), or by their places in the list, from 0. Where
//! several annotations have keypoints, [`ReadOptions::variable`] says which is meant, by its `id`, or by its
//! place from 1 where it has none. A list of annotations alone, as detectors write it, is read as well.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};

use anchormatch::error::{Error, Hint, Result};
use anchormatch::graph::Labels;
use anchormatch::linalg::Matrix;
use serde::Deserialize;
use serde_json::{Value, json};

use super::cloud::Cloud;
use super::fault::{fault, json_fault, printable, quoted, unwritable};
use super::options::DEFAULT_MEMORY;
use super::{Format, LoadedGraph, ReadOptions};

/// What a byte of JSON can become: two bytes hold a number, whose list may just have doubled.
const BYTES_PER_BYTE: u64 = 12;

/// How many annotations an error lists.
const LISTED: usize = 5;

const WANTED: &str = "keypoints in COCO's JSON: {\"annotations\": [{\"keypoints\": [x, y, v, …]}]}";

#[derive(Deserialize)]
struct Whole {
    annotations: Vec<Annotation>,
    #[serde(default)]
    categories: Vec<Category>,
}

#[derive(Deserialize)]
struct Annotation {
    id: Option<Value>,
    category_id: Option<Value>,
    #[serde(default)]
    keypoints: Vec<f64>,
}

#[derive(Deserialize)]
struct Category {
    id: Option<Value>,
    #[serde(default)]
    keypoints: Vec<String>,
}

/// Reads the keypoints of one annotation; `name` stands for the file in errors.
///
/// # Errors
/// When the file is no JSON of this kind, none or several annotations have keypoints and nothing says which
/// is meant, their numbers are no triples, two names are the same, or the memory allowed would be passed.
///
/// # Complexity
/// As a table of points, and the memory of all keypoints in the file.
pub fn read_coco_from(
    reader: impl BufRead,
    name: &str,
    options: &ReadOptions,
) -> Result<LoadedGraph> {
    let Whole {
        annotations,
        categories,
    } = parse(reader, name, options)?;
    let (place, annotation) = choose(&annotations, name, options)?;
    let called = called(place, annotation);
    let triples = annotation.keypoints.chunks_exact(3);
    if !triples.remainder().is_empty() {
        let found = format!(
            "{} numbers in the keypoints of annotation {called}",
            annotation.keypoints.len()
        );
        return Err(fault(name, None, None, found, "three for each: x, y, v"));
    }
    let count = triples.len();
    let names = names(annotation, &categories, count);
    let mut cloud = Cloud::new(name, options);
    let mut seen = HashSet::new();
    let mut absent = 0;
    for (k, triple) in triples.enumerate() {
        if triple[2] <= 0.0 {
            absent += 1;
            continue;
        }
        if !cloud.has_room() {
            continue;
        }
        let id = match names {
            Some(names) => names[k].clone(),
            None => k.to_string(),
        };
        if id.is_empty() || !seen.insert(id.clone()) {
            let found = format!("{} as the name of keypoint {k}", quoted(&id));
            let expected = "a name of its own for every keypoint";
            return Err(fault(name, None, None, found, expected));
        }
        cloud.name(&id);
        cloud.coordinate(triple[0]);
        cloud.coordinate(triple[1]);
    }
    let mut notes = Vec::new();
    if absent > 0 {
        notes.push(format!("{absent} of {count} keypoints are not labelled"));
    }
    cloud.finish(2, Format::Coco, notes)
}

/// Writes points as the keypoints of one annotation, named by their ids.
///
/// # Errors
/// When `out` fails, or the points are not in the plane.
pub fn write_coco(
    out: &mut (impl Write + ?Sized),
    labels: &Labels,
    positions: &Matrix,
) -> std::io::Result<()> {
    super::points::check_positions(labels.len(), positions)?;
    if positions.cols() != 2 {
        return Err(unwritable(
            "found points in space, expected points of the plane: COCO's keypoints have x and y",
        ));
    }
    let rows = (0..positions.rows()).map(|i| positions.row(i));
    let keypoints: Vec<Value> = rows
        .flat_map(|row| [json!(row[0]), json!(row[1]), json!(2)])
        .collect();
    let names: Vec<Value> = labels.iter().map(|id| json!(id)).collect();
    let document = json!({
        "annotations": [{
            "id": 1, "image_id": 1, "category_id": 1,
            "num_keypoints": labels.len(), "keypoints": keypoints,
        }],
        "categories": [{ "id": 1, "name": "points", "keypoints": names }],
    });
    writeln!(out, "{document}")
}

/// The annotation that is meant, and its place.
fn choose<'a>(
    annotations: &'a [Annotation],
    name: &str,
    options: &ReadOptions,
) -> Result<(usize, &'a Annotation)> {
    let has_points = |(_, annotation): &(usize, &Annotation)| {
        annotation
            .keypoints
            .chunks(3)
            .any(|triple| triple.get(2).is_none_or(|&v| v > 0.0))
    };
    let all: Vec<(usize, &Annotation)> =
        annotations.iter().enumerate().filter(has_points).collect();
    let listed = || {
        let ids = all
            .iter()
            .take(LISTED)
            .map(|&(place, one)| called(place, one));
        let ids = ids.collect::<Vec<_>>().join(", ");
        let more = if all.len() > LISTED { ", …" } else { "" };
        format!("{ids}{more}")
    };
    if let Some(wanted) = &options.variable {
        let mut fitting = all
            .iter()
            .filter(|&&(place, one)| called(place, one) == *wanted);
        return fitting.next().copied().ok_or_else(|| {
            let found = format!("no annotation {} with keypoints", quoted(wanted));
            fault(name, None, None, found, format!("one of {}", listed()))
        });
    }
    match all.as_slice() {
        [] => Err(fault(
            name,
            None,
            None,
            "no annotation with keypoints",
            WANTED,
        )),
        [one] => Ok(*one),
        several => {
            let found = format!("{} annotations with keypoints: {}", several.len(), listed());
            Err(fault(name, None, None, found, "one").hinting(&[Hint::Variable]))
        }
    }
}

/// The `id` of an annotation, or its place from 1.
fn called(place: usize, annotation: &Annotation) -> String {
    match &annotation.id {
        Some(Value::String(id)) => printable(id, 40),
        Some(Value::Number(id)) => id.to_string(),
        _ => (place + 1).to_string(),
    }
}

/// The names of an annotation's keypoints, where its category has as many.
fn names<'a>(
    annotation: &Annotation,
    categories: &'a [Category],
    count: usize,
) -> Option<&'a [String]> {
    let mut fitting = categories.iter().filter(|category| {
        category.keypoints.len() == count
            && (category.id == annotation.category_id || categories.len() == 1)
    });
    fitting.next().map(|category| category.keypoints.as_slice())
}

fn parse(mut reader: impl BufRead, name: &str, options: &ReadOptions) -> Result<Whole> {
    let most = options.limit() / BYTES_PER_BYTE;
    // An error comes again where the bytes are read.
    let mut block = reader.fill_buf().unwrap_or_default();
    let mark = if block.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    block = &block[mark..];
    let first = block.iter().find(|byte| !byte.is_ascii_whitespace());
    let is_list = first == Some(&b'[');
    reader.consume(mark);
    let mut counted = Counted { reader, left: most };
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(&mut counted));
    let parsed = if is_list {
        Vec::deserialize(&mut json).map(|annotations| Whole {
            annotations,
            categories: Vec::new(),
        })
    } else {
        Whole::deserialize(&mut json)
    };
    match parsed.and_then(|whole| json.end().map(|()| whole)) {
        Ok(whole) => Ok(whole),
        Err(_) if counted.left == 0 => Err(too_much(name, most, options)),
        Err(error) => Err(json_fault(error, name, |message, is_eof| {
            let found = if is_eof {
                "the end of the file"
            } else {
                message
            };
            (found.to_owned(), WANTED.to_owned())
        })),
    }
}

/// The refusal of more bytes than the memory allows.
fn too_much(name: &str, most: u64, options: &ReadOptions) -> Error {
    let what = format!("{name}: more than {most} bytes of JSON");
    let needed = options.limit().saturating_add(BYTES_PER_BYTE);
    let refusal = options.reserve(&what, needed, DEFAULT_MEMORY, &[Hint::MoreMemory]);
    refusal.expect_err("more than the limit is refused")
}

/// A reader of no more than `left` bytes.
struct Counted<R> {
    reader: R,
    left: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let room = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .min(out.len());
        let count = self.reader.read(&mut out[..room])?;
        self.left -= count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as(text: &str, variable: Option<&str>) -> Result<LoadedGraph> {
        let options = ReadOptions {
            variable: variable.map(String::from),
            ..ReadOptions::default()
        };
        read_coco_from(text.as_bytes(), "k.json", &options)
    }

    fn read(text: &str) -> Result<LoadedGraph> {
        read_as(text, None)
    }

    fn ids(loaded: &LoadedGraph) -> Vec<String> {
        loaded.graph.labels().iter().map(Into::into).collect()
    }

    const TWO: &str = r#"{"annotations": [
        {"id": 7, "category_id": 2, "keypoints": [0, 0, 2, 5, 5, 0, 3, 4, 1]},
        {"id": 8, "category_id": 1, "keypoints": [1, 1, 2]},
        {"id": 9, "keypoints": [0, 0, 0]}, {"id": 10, "bbox": [1, 2]}],
        "categories": [{"id": 1, "name": "dot"}, {"id": 2, "keypoints": ["eye", "nose", "chin"]}]}"#;

    #[test]
    fn labelled_keypoints_are_points_by_their_names() {
        let loaded = read_as(TWO, Some("7")).unwrap();
        assert_eq!(ids(&loaded), ["eye", "chin"]);
        assert_eq!(loaded.graph.weight(0, 1), 5.0);
        assert_eq!(loaded.notes, ["1 of 3 keypoints are not labelled"]);
        let plain = r#"{"annotations": [{"keypoints": [0, 0, 2, 5, 5, 0, 3, 4, 1]}], "info": {}}"#;
        assert_eq!(ids(&read(plain).unwrap()), ["0", "2"]);
        let results = r#"[{"image_id": 1, "keypoints": [0.5, 0, 0.9, 3, 4, 0.8], "score": 1}]"#;
        let loaded = read(results).unwrap();
        assert_eq!(loaded.positions.unwrap().as_slice(), [0.5, 0.0, 3.0, 4.0]);
    }

    #[test]
    fn every_fault_has_its_message() {
        for (text, part) in [
            (
                TWO,
                "found 2 annotations with keypoints: 7, 8, expected one; choose it by its name",
            ),
            ("", "found the end of the file"),
            (&TWO[..60], "found the end of the file"),
            (
                "{}",
                "found missing field `annotations`, expected keypoints in COCO's JSON",
            ),
            ("7", "line 1, column 1: found invalid type: integer `7`"),
            (
                r#"{"annotations": [{"keypoints": ["a", 1, 2]}]}"#,
                "line 1, column 35: found invalid type: string \"a\", expected f64",
            ),
            (r#"{"annotations": [{"keypoints": [NaN, 1, 2]}]}"#, "line 1"),
            (
                r#"{"annotations": [{"keypoints": [1e999, 1, 2]}]}"#,
                "line 1",
            ),
            (
                r#"{"annotations": []}"#,
                "found no annotation with keypoints",
            ),
            (
                r#"{"annotations": [{"keypoints": [1, 2, 2, 3]}]}"#,
                "found 4 numbers in the keypoints of annotation 1",
            ),
            (
                r#"{"annotations": [{"keypoints": [1, 2, 2, 3, 4, 2]}],
                    "categories": [{"keypoints": ["a", "a"]}]}"#,
                "found `a` as the name of keypoint 1, expected a name of its own",
            ),
            ("{\"annotations\": []} x", "line 1"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(
                message.starts_with("k.json") && message.contains(part),
                "{message}"
            );
        }
        let message = read_as(TWO, Some("9")).unwrap_err().to_string();
        assert_eq!(
            message,
            "k.json: found no annotation `9` with keypoints, expected one of 7, 8"
        );
    }

    #[test]
    fn more_than_the_memory_is_refused() {
        let options = ReadOptions {
            max_memory: Some(10_000),
            ..ReadOptions::default()
        };
        let text = format!("{{\"annotations\": [{}]}}", "{},".repeat(10_000));
        let error = read_coco_from(text.as_bytes(), "k.json", &options).unwrap_err();
        assert!(matches!(error, Error::Memory { .. }), "{error}");
    }
}
