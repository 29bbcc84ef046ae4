//! The pose house sequence: 51 landmarks of a model house in 70 views, for those who have it.
//!
//! The views are those of McAuley, de Campos & Caetano, *Unified Graph Matching in Euclidean Spaces*
//! (CVPR 2010): pans of 0°, 5°, …, 45° within tilts of 0°, 5°, …, 30°, so that view 10 t + p has tilt
//! 5t° and pan 5p°. Landmark i is the same point of the house in every view. The folder `pose_house`
//! has either
//!
//! - `points.csv` with the header `frame,point,x,y`, frames 0 to 69 and points 0 to 50, in any order, or
//! - 70 text files whose names end in a number (`house1.txt`, …), in the order of those numbers, each
//!   with 51 rows of two numbers, x and y.

use std::fs;
use std::path::{Path, PathBuf};

use anchormatch::error::ParseError;
use anchormatch::graph::Labels;
use anchormatch::linalg::Matrix;
use anchormatch::{Error, Result};
use anchormatch_generate::{Instance, stream};

use super::{DatasetError, hotel};

/// The number of views.
pub const VIEWS: usize = 70;
/// The number of landmarks in each view.
pub const POINTS: usize = 51;

const FOLDER: &str = "pose_house";
const LAYOUT: &str = "pose_house/points.csv with the columns frame,point,x,y (70 frames × 51 points), \
                      or 70 files pose_house/*1.txt … *70.txt of 51 rows `x y`";
/// Such a file has 70 kB; a much larger one is something else.
const MOST_BYTES: u64 = 1 << 20;

/// All landmarks of the sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct PoseHouse {
    views: Vec<Matrix>,
}

impl PoseHouse {
    /// Reads the folder `pose_house` of the data directory `dir`.
    ///
    /// # Errors
    /// When it is missing or unreadable, or does not hold 70 views of 51 points.
    pub fn load(dir: &Path) -> std::result::Result<Self, DatasetError> {
        let folder = dir.join(FOLDER);
        let table = folder.join("points.csv");
        if table.exists() {
            let views = hotel::parse(
                &read(&table)?,
                &table.display().to_string(),
                (VIEWS, POINTS),
            );
            return Ok(Self {
                views: views.map_err(DatasetError::Contents)?,
            });
        }
        let files = text_files(&folder)?;
        if files.len() != VIEWS {
            let path = if files.is_empty() { table } else { folder };
            return Err(match files.len() {
                0 => missing(path),
                count => contents(
                    &path,
                    None,
                    format!("{count} text files"),
                    "70, a view each",
                ),
            });
        }
        let views = files.iter().map(|file| view(&read(file)?, file));
        Ok(Self {
            views: views.collect::<std::result::Result<_, _>>()?,
        })
    }

    /// The number of views, 70.
    #[must_use]
    pub fn views(&self) -> usize {
        self.views.len()
    }

    /// The landmarks in one view, a 51×2 matrix.
    ///
    /// # Panics
    /// When there is no such view.
    #[must_use]
    pub fn points(&self, view: usize) -> &Matrix {
        assert!(view < self.views(), "view within the sequence");
        &self.views[view]
    }

    /// Two views as complete graphs on distances; the target's nodes are shuffled by the seed.
    ///
    /// # Errors
    /// When there is no such view.
    pub fn pair(&self, from: usize, to: usize, seed: u64) -> Result<Instance> {
        for view in [from, to] {
            if view >= self.views() {
                let last = self.views() - 1;
                return Err(Error::parameter("view", view, format_args!("0 to {last}")));
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

fn missing(path: PathBuf) -> DatasetError {
    DatasetError::Missing {
        name: "pose house",
        path,
        layout: LAYOUT,
    }
}

fn contents(path: &Path, line: Option<u64>, found: String, expected: &str) -> DatasetError {
    let file = path.display().to_string();
    DatasetError::Contents(ParseError::new(file, found, expected).at(line, None))
}

fn read(path: &Path) -> std::result::Result<String, DatasetError> {
    let failed = |source| DatasetError::of_io(source, path.to_owned(), "pose house", LAYOUT);
    let length = fs::metadata(path).map_err(failed)?.len();
    if length > MOST_BYTES {
        return Err(contents(
            path,
            None,
            format!("{length} bytes"),
            "a short file",
        ));
    }
    fs::read_to_string(path).map_err(failed)
}

/// The folder's text files by the numbers at the end of their names.
fn text_files(folder: &Path) -> std::result::Result<Vec<PathBuf>, DatasetError> {
    let failed = |source| DatasetError::of_io(source, folder.to_owned(), "pose house", LAYOUT);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let stem = path
            .file_stem()
            .and_then(|s| s.to_str())
            .unwrap_or_default();
        let digits = stem.len() - stem.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let number = stem[stem.len() - digits..].parse::<u64>();
        if let (Some("txt"), Ok(number)) = (path.extension().and_then(|e| e.to_str()), number) {
            files.push((number, path));
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

/// Rows of two numbers.
fn view(text: &str, path: &Path) -> std::result::Result<Matrix, DatasetError> {
    let mut points = Vec::with_capacity(2 * POINTS);
    let rows = (1u64..).zip(text.lines());
    for (line, row) in rows.filter(|(_, row)| !row.trim().is_empty()) {
        let words = row.split(|c: char| c.is_whitespace() || c == ',');
        let numbers: Vec<f64> = words
            .filter(|word| !word.is_empty())
            .map(|word| word.parse().unwrap_or(f64::NAN))
            .collect();
        match numbers[..] {
            [x, y] if x.is_finite() && y.is_finite() => points.extend([x, y]),
            _ => {
                let found = row.chars().take(40).collect::<String>();
                return Err(contents(
                    path,
                    Some(line),
                    format!("`{found}`"),
                    "two numbers, x y",
                ));
            }
        }
    }
    if points.len() != 2 * POINTS {
        let found = format!("{} rows", points.len() / 2);
        return Err(contents(path, None, found, "51, a landmark each"));
    }
    Ok(Matrix::from_vec(POINTS, 2, points))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coordinate(view: usize, point: usize) -> (f64, f64) {
        ((point * 7 % 51) as f64 + 0.5, (view * point % 89) as f64)
    }

    #[test]
    fn a_table_and_text_files_are_the_same() {
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join(FOLDER);
        let missing = PoseHouse::load(data.path()).unwrap_err().to_string();
        assert!(
            missing.contains("pose_house") && missing.contains("70 frames × 51"),
            "{missing}"
        );
        fs::create_dir(&folder).unwrap();
        assert!(matches!(
            PoseHouse::load(data.path()),
            Err(DatasetError::Missing { .. })
        ));
        let mut table = "frame,point,x,y\n".to_owned();
        for k in 0..VIEWS {
            let mut text = String::new();
            for i in 0..POINTS {
                let (x, y) = coordinate(k, i);
                text += &format!("  {x}\t{y}\n");
                table += &format!("{k},{i},{x},{y}\n");
            }
            fs::write(folder.join(format!("house{}.txt", k + 1)), text).unwrap();
        }
        let files = PoseHouse::load(data.path()).unwrap();
        fs::write(folder.join("points.csv"), table).unwrap();
        assert_eq!(PoseHouse::load(data.path()).unwrap(), files);
        // Numbers order the views, not letters: house10 comes after house9.
        let (x, y) = coordinate(9, 4);
        assert_eq!(files.points(9).row(4), [x, y]);
        let instance = files.pair(3, 60, 1).unwrap();
        assert_eq!(
            (instance.truth.len(), instance.source.node_count()),
            (51, 51)
        );
        assert!(files.pair(0, 70, 1).is_err());

        fs::remove_file(folder.join("points.csv")).unwrap();
        fs::write(folder.join("house7.txt"), "1 2\n3\n").unwrap();
        let error = PoseHouse::load(data.path()).unwrap_err().to_string();
        assert!(error.contains("house7.txt, line 2: found `3`"), "{error}");
        fs::write(folder.join("house7.txt"), "1 2\n").unwrap();
        let error = PoseHouse::load(data.path()).unwrap_err().to_string();
        assert!(error.contains("found 1 rows, expected 51"), "{error}");
        fs::remove_file(folder.join("house7.txt")).unwrap();
        let error = PoseHouse::load(data.path()).unwrap_err().to_string();
        assert!(error.contains("found 69 text files"), "{error}");
    }
}
