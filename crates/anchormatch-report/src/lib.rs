//! A match report, one HTML file that needs nothing but a browser; and the [charts](chart) and
//! [pictures](views) of everything else.
//!
//! The page holds the key numbers, a picture of both graphs with their match lines (yellow right,
//! red wrong, as the figures of Hu, Rustamov & Guibas, CVPR 2013; coloured by confidence when no
//! truth is known), a sortable table of pairs, and what the run says about itself: unmatched nodes,
//! notes, parameters, timings, spectra and convergence. Several runs on the same two graphs share
//! one page, and buttons switch among them.
//!
//! Points may lie on [images](Image), and the map between them is drawn over the target: a grid, or the epipolar
//! lines of two views, and ellipses of what it leaves over.
//!
//! Nothing is loaded from anywhere, every string from outside is escaped, and the same input gives
//! the same bytes. Scripts only add comfort: without them the best run is shown, unsorted.

pub mod chart;
mod choice;
mod controls;
mod edges;
mod image;
mod layout;
mod overlay;
mod page;
mod picture;
pub mod places;
mod plots;
mod rules;
mod scene;
mod standing;
mod summary;
mod tables;
#[cfg(test)]
mod tests;
mod text;
mod titles;
pub mod views;

pub use image::Image;
pub use standing::{SURE, Standing};
pub use summary::Summary;
pub use text::Escaped;

use std::collections::HashMap;
use std::path::Path;

use anchormatch::linalg::Matrix;
use anchormatch::matching::{Pair, Score};
use anchormatch::{Error, Graph, Matching, Monitor, Result};

/// One matching of the two graphs, for instance one of the paper's six variants.
#[derive(Debug, Clone)]
pub struct Run<'a> {
    /// What the page calls it.
    pub name: String,
    /// The result to show.
    pub matching: &'a Matching,
    /// Its score; computed when it is missing and the report has a truth.
    pub score: Option<Score>,
}

/// One of the two graphs and how to draw it.
#[derive(Debug, Clone)]
pub struct Side<'a> {
    /// What the page calls it.
    pub name: String,
    /// The graph itself; its labels are the ids on the page.
    pub graph: &'a Graph,
    /// Where the nodes lie, one row each, two columns (y downwards, as in images) or three.
    pub positions: Option<&'a Matrix>,
    /// The lines to draw instead of the graph's edges.
    pub wireframe: Option<&'a [(usize, usize)]>,
    /// Whether the nodes are points, matched by where they lie: the page then speaks of points, and of no edges.
    pub points: bool,
    /// What lies under the points, whose two coordinates are then its pixels: x to the right and y downwards from
    /// its upper left corner. Edges are not drawn over it, a wireframe is.
    pub image: Option<&'a Image>,
}

/// Everything that the page shows.
#[derive(Debug, Clone)]
pub struct Report<'a> {
    /// The heading.
    pub title: String,
    /// The graph on the left.
    pub source: Side<'a>,
    /// The graph on the right.
    pub target: Side<'a>,
    /// The matchings, at least one.
    pub runs: Vec<Run<'a>>,
    /// The true pairs (source, target), when they are known.
    pub truth: Option<&'a [(usize, usize)]>,
    /// The command line that made the match.
    pub command: Option<String>,
    /// Source nodes that somebody asks about: of graphs that are too large to be drawn whole, their surroundings come
    /// first.
    pub around: Vec<usize>,
}

/// Where one graph is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The place of every node, y downwards.
    pub places: Vec<[f64; 2]>,
    /// The edges that are drawn: all of a sparse graph, a few of a dense one.
    pub edges: Vec<(usize, usize)>,
    /// Where the image lies, if there is one: left, top, width, height.
    pub image: Option<[f64; 4]>,
}

impl Report<'_> {
    /// Where the page draws the source and the target, side by side, for other ways to draw them.
    ///
    /// # Errors
    /// As [`html`](Self::html), and when the monitor stops the layout.
    ///
    /// # Complexity
    /// O(n² + |E|) a side up to 400 nodes without positions, and O(n log n + |E|) beyond.
    pub fn drawing(&self, monitor: &Monitor) -> Result<[Drawn; 2]> {
        let view = View::new(self)?;
        let scene = scene::Scene::of_all(&view, monitor)?;
        Ok([scene.source, scene.target].map(|panel| Drawn {
            places: panel.places,
            edges: panel.edges,
            image: panel.image,
        }))
    }

    /// The page.
    ///
    /// Of large graphs it draws the surroundings of the nodes [asked about](Self::around), of anchors and of the most
    /// doubtful pairs and says so: a pair of
    /// 3 000-node sparse graphs makes a file of less than two megabytes.
    ///
    /// # Errors
    /// When there is no run, a node index is outside its graph, positions have the wrong shape or
    /// are not finite, an image lies under what is not in the plane, a map is one of other points, or the truth
    /// contradicts itself.
    ///
    /// # Complexity
    /// O(n² + |E|) a side up to 400 nodes without positions, and O(n + |E|) beyond: what is not drawn is not laid
    /// out.
    pub fn html(&self) -> Result<String> {
        let view = View::new(self)?;
        let scene = scene::Scene::new(&view);
        let plots = view
            .runs
            .iter()
            .map(|run| plots::of(&run.matching.diagnostics))
            .collect::<Result<Vec<_>>>()?;
        let mut out = String::new();
        page::write(&mut out, &view, &scene, &plots).expect("writing into a string cannot fail");
        Ok(out)
    }

    /// Writes the page to a file.
    ///
    /// # Errors
    /// As [`html`](Self::html), and when the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        std::fs::write(path, self.html()?).map_err(|source| Error::io(path, source))
    }
}

/// A checked report with what all sections need to know.
struct View<'a> {
    report: &'a Report<'a>,
    runs: Vec<ScoredRun<'a>>,
    /// The run that is shown first.
    best: usize,
    /// The true partner of each source node that has one.
    truth: Option<HashMap<usize, usize>>,
}

/// A run with its score against the truth.
struct ScoredRun<'a> {
    name: &'a str,
    matching: &'a Matching,
    score: Option<Score>,
}

impl ScoredRun<'_> {
    fn accuracy(&self) -> Option<f64> {
        self.score.as_ref().and_then(Score::accuracy)
    }

    fn anchors(&self) -> usize {
        self.matching.pairs.iter().filter(|p| p.anchor).count()
    }

    fn seconds(&self) -> f64 {
        let finite = self.matching.timings.iter().map(|t| t.1);
        finite.filter(|s| s.is_finite()).sum()
    }
}

/// What the truth says about a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Right,
    Wrong,
    /// The truth says nothing about this source node.
    Open,
}

impl<'a> View<'a> {
    fn new(report: &'a Report<'a>) -> Result<Self> {
        if report.runs.is_empty() {
            return Err(Error::parameter("runs", "none", "at least one"));
        }
        check_side(&report.source)?;
        check_side(&report.target)?;
        let (n, m) = (
            report.source.graph.node_count(),
            report.target.graph.node_count(),
        );
        (report.around.iter()).try_for_each(|&node| check_node("nodes asked about", node, n))?;
        if let Some(truth) = report.truth {
            truth.iter().try_for_each(|&(s, t)| {
                check_node("truth", s, n)?;
                check_node("truth", t, m)
            })?;
        }
        let mut runs = Vec::with_capacity(report.runs.len());
        for run in &report.runs {
            for pair in &run.matching.pairs {
                check_node("pairs", pair.source, n)?;
                check_node("pairs", pair.target, m)?;
            }
            for &i in &run.matching.unmatched_source {
                check_node("unmatched source nodes", i, n)?;
            }
            for &a in &run.matching.unmatched_target {
                check_node("unmatched target nodes", a, m)?;
            }
            if let Some(alternatives) = &run.matching.alternatives {
                for (i, other) in alternatives.iter() {
                    check_node("alternatives", i, n)?;
                    check_node("alternatives", other.target, m)?;
                }
            }
            overlay::check(run.matching, n)?;
            let score = match (run.score, report.truth) {
                (None, Some(truth)) => Some(run.matching.score(truth)?),
                (score, _) => score,
            };
            runs.push(ScoredRun {
                name: &run.name,
                matching: run.matching,
                score,
            });
        }
        Ok(Self {
            report,
            best: best(&runs),
            runs,
            truth: report.truth.map(|t| t.iter().copied().collect()),
        })
    }

    /// `None` when no truth is known.
    fn verdict(&self, pair: &Pair) -> Option<Verdict> {
        let truth = self.truth.as_ref()?;
        Some(match truth.get(&pair.source) {
            Some(&target) if target == pair.target => Verdict::Right,
            Some(_) => Verdict::Wrong,
            None => Verdict::Open,
        })
    }

    /// Whether both sides are points.
    fn are_points(&self) -> bool {
        self.report.source.points && self.report.target.points
    }

    /// What the page calls one node, and several.
    fn noun(&self) -> [&'static str; 2] {
        if self.are_points() {
            ["point", "points"]
        } else {
            ["node", "nodes"]
        }
    }

    fn source_label(&self, i: usize) -> std::borrow::Cow<'_, str> {
        self.report.source.graph.labels().get(i)
    }

    fn target_label(&self, a: usize) -> std::borrow::Cow<'_, str> {
        self.report.target.graph.labels().get(a)
    }
}

/// The most accurate run, the first among equals; the first of all when nothing is known.
fn best(runs: &[ScoredRun<'_>]) -> usize {
    let mut best = 0;
    for (k, run) in runs.iter().enumerate() {
        if run.accuracy().unwrap_or(-1.0) > runs[best].accuracy().unwrap_or(-1.0) {
            best = k;
        }
    }
    best
}

fn check_side(side: &Side<'_>) -> Result<()> {
    let n = side.graph.node_count();
    if let Some(positions) = side.positions {
        if positions.rows() != n || !(2..=3).contains(&positions.cols()) {
            return Err(Error::parameter(
                "positions",
                format!("a {}×{} matrix", positions.rows(), positions.cols()),
                format!("{n}×2 or {n}×3, one row for each node"),
            ));
        }
        if let Some(value) = positions.as_slice().iter().find(|v| !v.is_finite()) {
            return Err(Error::parameter("positions", value, "finite numbers"));
        }
    }
    if side.image.is_some() && side.positions.is_none_or(|positions| positions.cols() != 2) {
        let found = match side.positions {
            Some(_) => "under points of three coordinates",
            None => "under nodes without coordinates",
        };
        return Err(Error::parameter("image", found, "points in the plane"));
    }
    for &(u, v) in side.wireframe.unwrap_or_default() {
        check_node("wireframe", u, n)?;
        check_node("wireframe", v, n)?;
    }
    Ok(())
}

fn check_node(name: &'static str, node: usize, nodes: usize) -> Result<()> {
    if node < nodes {
        Ok(())
    } else {
        Err(Error::parameter(
            name,
            format!("node {node}"),
            format!("nodes below {nodes}"),
        ))
    }
}
