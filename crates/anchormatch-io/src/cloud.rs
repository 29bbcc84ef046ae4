//! Points as a reader finds them, and the graph that they become.

use anchormatch::error::{Error, Hint, Result};
use anchormatch::graph::{Graph, GraphBuilder, Labels};
use anchormatch::linalg::Matrix;

use super::fault::{fault, in_file};
use super::options::DEFAULT_MEMORY;
use super::{Format, LoadedGraph, ReadOptions};

/// What the complete graph takes, by the square of the number of points: half as many edges.
const BYTES_PER_PAIR: u64 = GraphBuilder::EDGE_BYTES / 2;

/// What a point alone takes at the worst moment, beside the text of its id: coordinates in a list that
/// grows, the id in a list, in a table and among the labels.
const POINT_BYTES: u64 = 6 * 8 + 8 * GraphBuilder::NODE_BYTES;

/// Points as they come; those past the memory allowed are only counted, so that the refusal can say what
/// all of them need.
pub(super) struct Cloud<'a> {
    file: &'a str,
    options: &'a ReadOptions,
    coordinates: Vec<f64>,
    ids: Vec<String>,
    text: u64,
    count: u64,
}

impl<'a> Cloud<'a> {
    pub(super) fn new(file: &'a str, options: &'a ReadOptions) -> Self {
        Self {
            file,
            options,
            coordinates: Vec::new(),
            ids: Vec::new(),
            text: 0,
            count: 0,
        }
    }

    /// Whether no point has come yet.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Counts one more point, and says whether it is to be kept.
    pub(super) fn has_room(&mut self) -> bool {
        self.count += 1;
        self.needed() <= self.options.limit()
    }

    /// The id of the point that was counted last; all have one, or none has.
    pub(super) fn name(&mut self, id: &str) {
        self.text += id.len() as u64;
        self.ids.push(id.to_owned());
    }

    /// Bytes that the reader keeps of the point that was counted last, beside its id and its coordinates.
    pub(super) fn beside(&mut self, bytes: u64) {
        self.text += bytes;
    }

    /// The next coordinate of the point that was counted last.
    pub(super) fn coordinate(&mut self, value: f64) {
        self.coordinates.push(value);
    }

    fn needed(&self) -> u64 {
        let each = if self.options.edgeless {
            POINT_BYTES
        } else {
            self.count.saturating_mul(BYTES_PER_PAIR)
        };
        self.count
            .saturating_mul(each)
            .saturating_add(if self.options.edgeless {
                3 * self.text
            } else {
                0
            })
    }

    /// The graph of the points: complete, or without edges.
    pub(super) fn finish(
        self,
        dimensions: usize,
        format: Format,
        mut notes: Vec<String>,
    ) -> Result<LoadedGraph> {
        let (file, edgeless) = (self.file, self.options.edgeless);
        let count = self.count;
        let (what, hints): (_, &[Hint]) = if edgeless {
            (
                format!("{file}: {count} points"),
                &[Hint::MoreMemory, Hint::FewerPoints],
            )
        } else {
            (
                format!("{file}: the complete graph of {count} points"),
                &[Hint::MoreMemory, Hint::FewerPoints, Hint::SparsePoints],
            )
        };
        self.options
            .reserve(&what, self.needed(), DEFAULT_MEMORY, hints)?;
        if count == 0 {
            let wanted = "at least one row of x,y[,z]";
            return Err(fault(file, None, None, "no point", wanted));
        }
        let positions = Matrix::from_vec(count as usize, dimensions, self.coordinates);
        let mut graph = if edgeless {
            check_extent(&positions, file)?;
            Graph::from_edges(positions.rows(), &[])
        } else {
            Graph::from_points(&positions)
        }
        .map_err(|e| in_file(e, file))?;
        if !self.ids.is_empty() {
            graph = graph.with_labels(Labels::new(self.ids)?)?;
        }
        match graph.cleaning().zero_weights {
            0 => {}
            1 => notes.push("1 pair of points coincides; no edge joins it".to_owned()),
            pairs => notes.push(format!(
                "{pairs} pairs of points coincide; no edge joins them"
            )),
        }
        Ok(LoadedGraph {
            positions: Some(positions),
            ..LoadedGraph::new(graph, format, notes)
        })
    }
}

/// Refuses points so far apart that distances among them are not finite.
fn check_extent(positions: &Matrix, file: &str) -> Result<()> {
    let extent = (0..positions.cols()).map(|axis| {
        let along = (0..positions.rows()).map(|i| positions[(i, axis)]);
        let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        high - low
    });
    let squared: f64 = extent.map(|length| length * length).sum();
    if squared.is_finite() {
        return Ok(());
    }
    Err(Error::Graph(format!(
        "{file}: found points whose distance is not a finite number, expected finite distances"
    )))
}

/// How many names a note lists.
const LISTED: usize = 8;

/// The note on what a reader passed over: `columns a and b were not read`.
pub(super) fn not_read(one: &str, many: &str, mut names: Vec<String>) -> Option<String> {
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    Some(match names.as_slice() {
        [] => return None,
        [name] => format!("{one} {name} was not read"),
        [some @ .., last] => format!("{many} {} and {last} were not read", some.join(", ")),
    })
}
