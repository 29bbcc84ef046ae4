//! The map between two sets of points, drawn over them: a grid over the source and its image in the target, ellipses around
//! the places where partners are expected, and for two views the epipolar lines.
//!
//! The numbers are those of the most probable family's [`Sketch`]; here they only become places of the picture,
//! cut off where the target's panel ends.

use std::fmt::{Result as Written, Write};

use anchormatch::linalg::Matrix;
use anchormatch::points::Sketch;
use anchormatch::{Error, Matching, Result};

use super::edges::evenly;
use super::layout::Point;
use super::picture::run_attributes;
use super::scene::{Panel, Placement, Scene, WIDTH};
use super::text::Coordinate;
use super::{ScoredRun, View};

/// Ellipses reach as far as so many standard deviations.
const SIGMAS: f64 = 2.0;
/// At most so many ellipses are drawn.
const MOST_ELLIPSES: usize = 500;
/// At most so many anchors have epipolar lines that are always seen.
const MOST_TOLD: usize = 12;

/// What is drawn of a run's map.
pub(super) struct Overlay {
    /// The lines of the grid in the source and in the target, cut into pieces at the panels' ends.
    pub(super) grid: Vec<Vec<Point>>,
    /// By source node, where its partner is expected.
    pub(super) ellipses: Vec<(usize, Ellipse)>,
    /// By source node, its epipolar line, and whether it is seen without being asked for.
    pub(super) epipolar: Vec<(usize, [Point; 2], bool)>,
}

/// An ellipse in the units of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ellipse {
    pub(super) centre: Point,
    /// Half the longer and half the shorter axis.
    pub(super) radii: [f64; 2],
    /// The direction of the longer axis, from x towards y.
    pub(super) degrees: f64,
}

impl Ellipse {
    /// The places whose distance from `centre` is `sigmas` standard deviations of the covariance ((a, b), (b, c)).
    pub(super) fn new(centre: Point, [a, b, c]: [f64; 3], sigmas: f64) -> Self {
        let (mean, half) = (0.5 * (a + c), 0.5 * (a - c));
        let apart = half.hypot(b);
        let radius = |variance: f64| sigmas * variance.max(0.0).sqrt();
        Self {
            centre,
            radii: [radius(mean + apart), radius(mean - apart)],
            degrees: (0.5 * b.atan2(half)).to_degrees(),
        }
    }
}

/// Refuses a map of other points than the source's.
pub(super) fn check(matching: &Matching, nodes: usize) -> Result<()> {
    let sketches = matching.model.iter().filter_map(|f| f.sketch.as_ref());
    for sketch in sketches {
        let wide = sketch.expected.cols();
        let rows = |matrix: &Matrix, cols: usize| (matrix.rows(), matrix.cols()) == (nodes, cols);
        let sound = rows(&sketch.expected, wide)
            && rows(&sketch.covariances, wide * wide)
            && sketch.directions.as_ref().is_none_or(|d| rows(d, wide))
            && sketch.grid.as_ref().is_none_or(|grid| {
                let shapes = [&grid.source, &grid.target].map(|m| (m.rows(), m.cols()));
                grid.steps > 0 && shapes[0].1 == 2 && shapes[0] == shapes[1]
            });
        if !sound {
            let found = format!("a map of {} points", sketch.expected.rows());
            let expected = format!("one of {nodes}, in tables of one length");
            return Err(Error::parameter("model", found, expected));
        }
    }
    Ok(())
}

impl Overlay {
    /// What can be drawn of a run's map; `None` for graphs, and for points in space.
    pub(super) fn of(scene: &Scene, run: &ScoredRun<'_>) -> Option<Self> {
        let sketch = run.matching.model.first()?.sketch.as_ref()?;
        let to = scene
            .target
            .placement
            .filter(|_| sketch.expected.cols() == 2)?;
        Some(Self {
            grid: grid(scene, sketch),
            ellipses: ellipses(scene, sketch, &to),
            epipolar: epipolar(scene, sketch, &to, run),
        })
    }

    /// Writes its layers as parts of run `k`.
    pub(super) fn write(&self, out: &mut String, view: &View<'_>, k: usize) -> Written {
        let run = run_attributes(view, k);
        if !self.grid.is_empty() {
            write!(out, "<g class=\"layer grid\" {run}><path d=\"")?;
            for line in &self.grid {
                for (k, place) in line.iter().enumerate() {
                    let [x, y] = place.map(Coordinate);
                    write!(out, "{}{x} {y}", if k == 0 { 'M' } else { 'L' })?;
                }
            }
            out.push_str("\"/></g>\n");
        }
        if !self.epipolar.is_empty() {
            writeln!(out, "<g class=\"layer epipolar\" {run}>")?;
            for (i, [from, to], told) in &self.epipolar {
                let ([x1, y1], [x2, y2]) = (from.map(Coordinate), to.map(Coordinate));
                let class = if *told { "e told" } else { "e" };
                writeln!(
                    out,
                    "<line class=\"{class}\" data-s=\"{i}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
                )?;
            }
            out.push_str("</g>\n");
        }
        if !self.ellipses.is_empty() {
            writeln!(out, "<g class=\"layer ellipses\" {run}>")?;
            for (i, ellipse) in &self.ellipses {
                let [x, y] = ellipse.centre.map(Coordinate);
                // Small ones are looked at closely: a tenth of a unit would be too coarse for them.
                let [long, short] = ellipse.radii;
                writeln!(
                    out,
                    "<ellipse data-s=\"{i}\" cx=\"{x}\" cy=\"{y}\" rx=\"{long:.2}\" ry=\"{short:.2}\" \
                     transform=\"rotate({:.1} {x} {y})\"/>",
                    ellipse.degrees
                )?;
            }
            out.push_str("</g>\n");
        }
        Ok(())
    }
}

fn row(matrix: &Matrix, i: usize) -> Point {
    [matrix[(i, 0)], matrix[(i, 1)]]
}

/// Both grids, piece by piece.
fn grid(scene: &Scene, sketch: &Sketch) -> Vec<Vec<Point>> {
    let Some(grid) = &sketch.grid else {
        return Vec::new();
    };
    let mut pieces = Vec::new();
    for (panel, table) in [(&scene.source, &grid.source), (&scene.target, &grid.target)] {
        let Some(placement) = panel.placement else {
            continue;
        };
        for start in (0..table.rows()).step_by(grid.steps) {
            let end = (start + grid.steps).min(table.rows());
            let line: Vec<Point> = (start..end).map(|i| placement.at(row(table, i))).collect();
            pieces.extend(within(&line, panel));
        }
    }
    pieces
}

/// The pieces of a line of many points that lie in a panel.
fn within(line: &[Point], panel: &Panel) -> Vec<Vec<Point>> {
    let mut pieces: Vec<Vec<Point>> = Vec::new();
    for ends in line.windows(2) {
        let along = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]];
        let Some([from, to]) = clipped(ends[0], along, [0.0, 1.0], &panel.bounds) else {
            continue;
        };
        let joins = |piece: &Vec<Point>| {
            let last = piece.last();
            last.is_some_and(|end| (end[0] - from[0]).hypot(end[1] - from[1]) < 1e-6)
        };
        match pieces.last_mut() {
            Some(piece) if joins(piece) => piece.push(to),
            _ => pieces.push(vec![from, to]),
        }
    }
    pieces
}

fn ellipses(scene: &Scene, sketch: &Sketch, to: &Placement) -> Vec<(usize, Ellipse)> {
    let drawn: Vec<usize> = scene.source.nodes().collect();
    let squared = to.scale() * to.scale();
    let [low, high] = scene.target.bounds;
    let ellipse = |i: usize| {
        let centre = to.at(row(&sketch.expected, i));
        let [a, b, _, c] = *sketch.covariances.row(i) else {
            return None;
        };
        let ellipse = Ellipse::new(centre, [a, b, c].map(|x| x * squared), SIGMAS);
        let inside = (0..2).all(|k| (low[k]..=high[k]).contains(&centre[k]));
        // As wide as the picture it says nothing any more.
        (inside && ellipse.radii[0] < WIDTH).then_some((i, ellipse))
    };
    evenly(drawn.len(), MOST_ELLIPSES)
        .filter_map(|k| ellipse(drawn[k]))
        .collect()
}

fn epipolar(
    scene: &Scene,
    sketch: &Sketch,
    to: &Placement,
    run: &ScoredRun<'_>,
) -> Vec<(usize, [Point; 2], bool)> {
    let Some(directions) = &sketch.directions else {
        return Vec::new();
    };
    let anchors = run.matching.pairs.iter().filter(|pair| pair.anchor);
    let told: Vec<usize> = anchors.map(|pair| pair.source).take(MOST_TOLD).collect();
    let line = |i: usize| {
        let through = to.at(row(&sketch.expected, i));
        let ends = clipped(
            through,
            row(directions, i),
            [f64::NEG_INFINITY, f64::INFINITY],
            &scene.target.bounds,
        )?;
        Some((i, ends, told.contains(&i)))
    };
    scene.source.nodes().filter_map(line).collect()
}

/// The part of the line at + t · along with t in a range that lies between two corners (Liang and Barsky, 1984).
fn clipped(
    at: Point,
    along: Point,
    range: [f64; 2],
    [low, high]: &[Point; 2],
) -> Option<[Point; 2]> {
    let [mut first, mut last] = range;
    for k in 0..2 {
        if along[k] == 0.0 {
            if !(low[k]..=high[k]).contains(&at[k]) {
                return None;
            }
            continue;
        }
        let [near, far] = [low[k], high[k]].map(|end| (end - at[k]) / along[k]);
        first = first.max(near.min(far));
        last = last.min(near.max(far));
    }
    let place = |t: f64| [0, 1].map(|k| at[k] + t * along[k]);
    let ends = [place(first), place(last)];
    let finite = ends.iter().flatten().all(|x| x.is_finite());
    (first < last && finite).then_some(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axes_of_an_ellipse_are_the_eigenvectors_of_its_covariance() {
        for [a, b, c] in [
            [4.0, 0.0, 1.0],
            [1.0, 0.0, 9.0],
            [2.0, 0.7, 1.5],
            [2.0, -1.2, 1.5],
            [1.0, 1.0, 1.0],
            [3.0, 0.0, 3.0],
        ] {
            let ellipse = Ellipse::new([5.0, 6.0], [a, b, c], 2.0);
            let (sin, cos) = ellipse.degrees.to_radians().sin_cos();
            let [long, short] = ellipse.radii.map(|r| (r / 2.0).powi(2));
            assert!(long >= short);
            // Σ v = λ v for both axes.
            for ([u, v], value) in [([cos, sin], long), ([-sin, cos], short)] {
                assert!((a * u + b * v - value * u).abs() < 1e-12, "{a} {b} {c}");
                assert!((b * u + c * v - value * v).abs() < 1e-12, "{a} {b} {c}");
            }
        }
        assert_eq!(Ellipse::new([0.0; 2], [0.0; 3], 2.0).radii, [0.0; 2]);
    }

    #[test]
    fn lines_are_cut_where_the_panel_ends() {
        let bounds = [[0.0, 0.0], [10.0, 5.0]];
        let all = [f64::NEG_INFINITY, f64::INFINITY];
        assert_eq!(
            clipped([3.0, 2.0], [1.0, 0.0], all, &bounds),
            Some([[0.0, 2.0], [10.0, 2.0]])
        );
        assert_eq!(
            clipped([-3.0, -3.0], [1.0, 1.0], all, &bounds),
            Some([[0.0, 0.0], [5.0, 5.0]])
        );
        assert_eq!(clipped([3.0, 6.0], [1.0, 0.0], all, &bounds), None);
        assert_eq!(
            clipped([2.0, 1.0], [20.0, 0.0], [0.0, 1.0], &bounds),
            Some([[2.0, 1.0], [10.0, 1.0]])
        );
        assert_eq!(clipped([0.0; 2], [0.0; 2], all, &bounds), None);
        assert_eq!(clipped([f64::NAN, 1.0], [1.0, 0.0], all, &bounds), None);
    }
}
