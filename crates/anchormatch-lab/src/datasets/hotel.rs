//! The CMU Hotel sequence: 30 landmarks of a model hotel, marked by hand in 101 frames of a film.
//!
//! The landmarks are those of Caetano, McAuley, Cheng, Le & Smola, *Learning Graph Matching* (PAMI
//! 2009); landmark i is the same point of the hotel in every frame. A pair of frames becomes two
//! complete graphs on the distances in the image; the wider the gap between the frames, the harder
//! the pair.
//!
//! `points.csv` has the header `frame,point,x,y` and a row for each landmark in each frame, in any
//! order: frames count from 0 to 100, points from 0 to 29, x right and y down in pixels.

use std::fmt::Display;
use std::io::Read;
use std::path::Path;

use anchormatch::error::ParseError;
use anchormatch::graph::Labels;
use anchormatch::linalg::Matrix;
use anchormatch::{Error, Result};
use anchormatch_generate::{Instance, stream};

use super::DatasetError;

/// The number of frames in the sequence.
pub const FRAMES: usize = 101;
/// The number of landmarks in each frame.
pub const POINTS: usize = 30;

const FILE: &str = "cmu_hotel/points.csv";
const LAYOUT: &str =
    "cmu_hotel/points.csv with the columns frame,point,x,y (101 frames × 30 points)";
const HEADER: [&str; 4] = ["frame", "point", "x", "y"];
/// The real file has 41 kB; a much larger one is something else.
const MOST_BYTES: u64 = 1 << 20;

/// All landmarks of the sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct Hotel {
    frames: Vec<Matrix>,
}

impl Hotel {
    /// Reads `cmu_hotel/points.csv` from the data directory `dir`.
    ///
    /// # Errors
    /// When the file is missing or unreadable, a row is malformed or given twice, or one of the
    /// 101 × 30 rows is not there.
    pub fn load(dir: &Path) -> std::result::Result<Self, DatasetError> {
        let path = dir.join(FILE);
        let failed = |source| DatasetError::of_io(source, path.clone(), "CMU Hotel", LAYOUT);
        let mut text = String::new();
        std::fs::File::open(&path)
            .and_then(|file| file.take(MOST_BYTES + 1).read_to_string(&mut text))
            .map_err(failed)?;
        let file = path.display().to_string();
        if text.len() as u64 > MOST_BYTES {
            let found = format!("more than {MOST_BYTES} bytes");
            let expected = format!("{} short rows", FRAMES * POINTS);
            return Err(DatasetError::Contents(ParseError::new(
                file, found, expected,
            )));
        }
        match parse(&text, &file, (FRAMES, POINTS)) {
            Ok(frames) => Ok(Self { frames }),
            Err(fault) => Err(DatasetError::Contents(fault)),
        }
    }

    /// The number of frames, 101.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// The landmarks in one frame, a 30×2 matrix of pixels.
    ///
    /// # Panics
    /// When there is no such frame.
    #[must_use]
    pub fn points(&self, frame: usize) -> &Matrix {
        assert!(frame < self.frames(), "frame within the sequence");
        &self.frames[frame]
    }

    /// Two frames as complete graphs on distances; the target's nodes are shuffled by the seed.
    ///
    /// Source nodes are called by the landmarks' numbers.
    ///
    /// # Errors
    /// When there is no such frame.
    pub fn pair(&self, from: usize, to: usize, seed: u64) -> Result<Instance> {
        for frame in [from, to] {
            if frame >= self.frames() {
                let last = self.frames() - 1;
                return Err(Error::parameter(
                    "frame",
                    frame,
                    format_args!("0 to {last}"),
                ));
            }
        }
        Instance::from_points(
            self.points(from).clone(),
            self.points(to),
            Labels::counted(0, POINTS),
            &mut stream(seed, 0),
        )
    }
}

/// The points of every frame of a film, from rows `frame,point,x,y` in any order.
pub(super) fn parse(
    text: &str,
    file: &str,
    (frame_count, point_count): (usize, usize),
) -> std::result::Result<Vec<Matrix>, ParseError> {
    let fault = |line: Option<u64>, column: Option<u64>, found: &dyn Display, expected: String| {
        ParseError::new(file, found.to_string(), expected).at(line, column)
    };
    // Some editors put a byte-order mark before the first letter.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1u64..).zip(text.lines());
    let header = lines.next().map_or("", |(_, line)| line.trim());
    if !header.split(',').map(str::trim).eq(HEADER) {
        let expected = format!("the header {}", HEADER.join(","));
        return Err(fault(Some(1), None, &quoted(header), expected));
    }
    let mut frames = vec![Matrix::filled(point_count, 2, f64::NAN); frame_count];
    for (line, row) in lines.filter(|(_, row)| !row.trim().is_empty()) {
        let fields: Vec<&str> = row.split(',').map(str::trim).collect();
        let &[frame, point, x, y] = fields.as_slice() else {
            let found = format!("{} fields", fields.len());
            return Err(fault(Some(line), None, &found, "4".into()));
        };
        let index = |column: usize, field: &str, count: usize| match field.parse::<usize>() {
            Ok(number) if number < count => Ok(number),
            _ => {
                let expected = format!("a {} from 0 to {}", HEADER[column - 1], count - 1);
                Err(fault(
                    Some(line),
                    Some(column as u64),
                    &quoted(field),
                    expected,
                ))
            }
        };
        let coordinate = |column, field: &str| match field.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => {
                let expected = "a finite number".to_owned();
                Err(fault(Some(line), Some(column), &quoted(field), expected))
            }
        };
        let (frame, point) = (index(1, frame, frame_count)?, index(2, point, point_count)?);
        let place = frames[frame].row_mut(point);
        if !place[0].is_nan() {
            let found = format!("point {point} of frame {frame} a second time");
            return Err(fault(Some(line), None, &found, "it once".into()));
        }
        place.copy_from_slice(&[coordinate(3, x)?, coordinate(4, y)?]);
    }
    for (frame, points) in frames.iter().enumerate() {
        if let Some(point) = (0..point_count).find(|&i| points[(i, 0)].is_nan()) {
            let found = format!("no point {point} of frame {frame}");
            let expected = format!("all {point_count} points of all {frame_count} frames");
            return Err(fault(None, None, &found, expected));
        }
    }
    Ok(frames)
}

/// A field as an error message shows it; long ones are cut.
fn quoted(field: &str) -> String {
    const SHOWN: usize = 40;
    match field.char_indices().nth(SHOWN) {
        None => format!("`{field}`"),
        Some((end, _)) => format!("`{}…`", &field[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coordinates(frame: usize, point: usize) -> (f64, f64) {
        let (f, p) = (frame as f64, point as f64);
        (10.0 * p + 0.5 * f, 7.0 * (p * p) % 91.0 - f)
    }

    /// The rows of a well-formed file, header first.
    fn rows() -> Vec<String> {
        let mut rows = vec!["frame,point,x,y".to_owned()];
        for frame in 0..FRAMES {
            for point in 0..POINTS {
                let (x, y) = coordinates(frame, point);
                rows.push(format!("{frame},{point},{x},{y}"));
            }
        }
        rows
    }

    fn load(text: &str) -> std::result::Result<Hotel, DatasetError> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("cmu_hotel")).unwrap();
        std::fs::write(dir.path().join(FILE), text).unwrap();
        Hotel::load(dir.path())
    }

    fn message(text: &str) -> String {
        load(text).unwrap_err().to_string()
    }

    #[test]
    fn every_point_comes_to_its_place_whatever_the_order_of_rows() {
        let mut rows = rows();
        let hotel = load(&rows.join("\n")).unwrap();
        assert_eq!(hotel.frames(), 101);
        for frame in 0..FRAMES {
            let points = hotel.points(frame);
            assert_eq!((points.rows(), points.cols()), (30, 2));
            for point in 0..POINTS {
                assert_eq!(
                    (points[(point, 0)], points[(point, 1)]),
                    coordinates(frame, point)
                );
            }
        }
        rows[1..].reverse();
        assert_eq!(
            load(&format!("\u{feff}{}\r\n\r\n", rows.join("\r\n"))).unwrap(),
            hotel
        );
    }

    #[test]
    fn pairs_are_shuffled_and_the_truth_knows_how() {
        let hotel = load(&rows().join("\n")).unwrap();
        let instance = hotel.pair(3, 40, 8).unwrap();
        assert_eq!(instance, hotel.pair(3, 40, 8).unwrap());
        assert_ne!(instance.truth, hotel.pair(3, 40, 9).unwrap().truth);
        assert_eq!(instance.truth.len(), 30);
        assert_eq!(instance.source.edge_count(), 435);
        let positions = (
            instance.source_positions.as_ref().unwrap(),
            instance.target_positions.as_ref().unwrap(),
        );
        let mut targets: Vec<usize> = instance.truth.iter().map(|p| p.1).collect();
        for (k, &(i, a)) in instance.truth.iter().enumerate() {
            assert_eq!(i, k);
            assert_eq!(positions.0.row(i), hotel.points(3).row(i));
            assert_eq!(positions.1.row(a), hotel.points(40).row(i));
            for &(j, b) in &instance.truth[..k] {
                let (p, q) = (hotel.points(40).row(i), hotel.points(40).row(j));
                let want = (p[0] - q[0]).hypot(p[1] - q[1]);
                assert!((instance.target.weight(a, b) - want).abs() < 1e-12);
            }
        }
        assert_eq!(instance.source.labels().get(7), "7");
        assert_eq!(instance.target.labels().get(7), "t7");
        targets.sort_unstable();
        assert_eq!(targets, (0..30).collect::<Vec<_>>());
        let outside = hotel.pair(0, 101, 0).unwrap_err().to_string();
        assert_eq!(outside, "frame: found 101, expected 0 to 100");
    }

    #[test]
    fn a_missing_file_says_what_to_put_where() {
        let dir = tempfile::tempdir().unwrap();
        for place in [dir.path().to_owned(), dir.path().join("nowhere")] {
            let message = Hotel::load(&place).unwrap_err().to_string();
            assert!(
                message.contains(&place.join(FILE).display().to_string()),
                "{message}"
            );
            assert!(message.contains("frame,point,x,y") && message.contains("data directory"));
        }
    }

    #[test]
    fn malformed_rows_are_named_by_line_and_column() {
        let with = |row: &str| {
            let mut rows = rows();
            rows[5] = row.to_owned();
            message(&rows.join("\n"))
        };
        for (row, part) in [
            ("0,4,1", "line 6: found 3 fields, expected 4"),
            ("0,4,1,2,3", "line 6: found 5 fields"),
            (
                "101,4,1,2",
                "line 6, column 1: found `101`, expected a frame from 0 to 100",
            ),
            ("-1,4,1,2", "line 6, column 1: found `-1`"),
            (
                "0,30,1,2",
                "line 6, column 2: found `30`, expected a point from 0 to 29",
            ),
            (
                "0,4,one,2",
                "line 6, column 3: found `one`, expected a finite number",
            ),
            ("0,4,1,NaN", "line 6, column 4: found `NaN`"),
            ("0,4,1,inf", "line 6, column 4: found `inf`"),
            ("0,3,1,2", "line 6: found point 3 of frame 0 a second time"),
            (
                "",
                "found no point 4 of frame 0, expected all 30 points of all 101 frames",
            ),
        ] {
            let message = with(row);
            assert!(message.contains(part), "{message}");
        }
        let long = with(&format!("0,4,{},2", "é".repeat(10_000)));
        assert!(long.len() < 300 && long.contains("…"), "{long}");
    }

    #[test]
    fn files_that_are_something_else_are_refused() {
        assert!(message("").contains("expected the header frame,point,x,y"));
        assert!(message("x,y\n1,2").contains("line 1: found `x,y`"));
        assert!(message("frame,point,x,y\n").contains("no point 0 of frame 0"));
        let large = "0".repeat(MOST_BYTES as usize + 1);
        assert!(message(&large).contains("more than 1048576 bytes"));
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error_with_the_path() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("cmu_hotel")).unwrap();
        std::fs::write(dir.path().join(FILE), [0xff, 0xfe, 0x00]).unwrap();
        let error = Hotel::load(dir.path()).unwrap_err();
        assert!(matches!(error, DatasetError::Io { .. }));
        assert!(error.to_string().contains("points.csv"));
    }
}
