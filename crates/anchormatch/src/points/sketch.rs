//! What a fitted map looks like, as plain numbers in the coordinates that were given: for pictures.
//!
//! A matrix does not show what a map does, least of all one with waves or with parallax. A [`Sketch`] has what
//! can be drawn over the target's points: where each partner is expected and how far off it may lie, the image
//! of a regular [`Grid`] over the source, and for two views the direction of every epipolar line. All of it is
//! asked from the family's own member, so that a picture and the match cannot disagree.

use super::families::Member;
use super::scene::{Frame, Scene};
use super::small::Vector;
use crate::linalg::Matrix;

/// What the map of a family looks like; a row for each source point.
#[derive(Debug, Clone, PartialEq)]
pub struct Sketch {
    /// Where the partner of each source point is expected, n × D.
    pub expected: Matrix,
    /// The covariance of what is left over around it, n × D², each row by row.
    pub covariances: Matrix,
    /// Two views alone: the unit vector along each point's epipolar line, which passes through where the partner is
    /// expected, n × D.
    pub directions: Option<Matrix>,
    /// The image of a grid, in the plane and where there is one map for all depths.
    pub grid: Option<Grid>,
}

/// A regular grid over the box of the source's points, and where the map puts it.
///
/// Its lines stand one after the other, the upright ones first, each with the same number of points.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Points of a line.
    pub steps: usize,
    /// The points of all lines in the source's coordinates, two columns.
    pub source: Matrix,
    /// Their images in the target's.
    pub target: Matrix,
}

/// Cells along the longer side of the box.
const CELLS: usize = 10;

/// Points of a line, so that bent ones look bent.
const STEPS: usize = 41;

impl Sketch {
    pub(super) fn new<const D: usize>(scene: &Scene<D>, member: &dyn Member<D>) -> Self {
        let to = scene.frames[1];
        let count = scene.source.len();
        let mut expected = Matrix::zeros(count, D);
        let mut covariances = Matrix::zeros(count, D * D);
        let mut directions = Vec::with_capacity(count * D);
        for (i, x) in scene.source.iter().enumerate() {
            let predicted = member.predict_fitted(i, x);
            expected
                .row_mut(i)
                .copy_from_slice(&to.back(&predicted.mean));
            let spread = predicted.covariance.iter().flatten();
            for (entry, s) in covariances.row_mut(i).iter_mut().zip(spread) {
                *entry = s * to.scale * to.scale;
            }
            directions.extend(member.parallax(x).into_iter().flatten());
        }
        // Who has a direction for one point has it for all.
        let views = count > 0 && directions.len() == count * D;
        Self {
            expected,
            covariances,
            directions: views.then(|| Matrix::from_vec(count, D, directions)),
            grid: if views { None } else { grid(scene, member) },
        }
    }
}

fn grid<const D: usize>(scene: &Scene<D>, member: &dyn Member<D>) -> Option<Grid> {
    if D != 2 {
        return None;
    }
    let side = |k: usize| {
        let values = scene.source.iter().map(move |x| x[k]);
        let low = values.clone().fold(f64::INFINITY, f64::min);
        (low, values.fold(f64::NEG_INFINITY, f64::max) - low)
    };
    let sides = [side(0), side(1)];
    let longer = sides[0].1.max(sides[1].1);
    // Points on a line span no area; none span nothing.
    if !sides.iter().all(|(_, extent)| *extent > 1e-9 * longer) {
        return None;
    }
    let cells = sides.map(|(_, extent)| {
        let share = extent / longer;
        (share * CELLS as f64).round().max(1.0) as usize
    });
    let mut places: Vec<Vector<D>> = Vec::new();
    for across in 0..2 {
        for line in 0..=cells[across] {
            for step in 0..STEPS {
                let mut place = [0.0; D];
                let share = line as f64 / cells[across] as f64;
                place[across] = sides[across].0 + sides[across].1 * share;
                let (low, extent) = sides[1 - across];
                place[1 - across] = low + extent * step as f64 / (STEPS - 1) as f64;
                places.push(place);
            }
        }
    }
    let over = member.over(&places);
    let images = places.iter().enumerate();
    let images = images.map(|(i, x)| over.predict_fitted(i, x).mean);
    let images: Vec<Vector<D>> = images.collect();
    Some(Grid {
        steps: STEPS,
        source: table(&scene.frames[0], &places),
        target: table(&scene.frames[1], &images),
    })
}

fn table<const D: usize>(frame: &Frame<D>, places: &[Vector<D>]) -> Matrix {
    let values = places.iter().flat_map(|place| frame.back(place));
    Matrix::from_vec(places.len(), D, values.collect())
}

#[cfg(test)]
mod tests {
    use super::super::families::{Family, FittedMap};
    use super::super::{PointsModel, Question, match_points};
    use super::*;
    use crate::anchors::Anchors;
    use crate::graph::Graph;
    use crate::monitor::Monitor;
    use crate::points::FittedFamily;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn table_of(points: &[[f64; 2]]) -> Matrix {
        let values = points.iter().flatten().copied();
        Matrix::from_vec(points.len(), 2, values.collect())
    }

    /// The most probable family of `model` between these points and their partners in the same order, of which the
    /// first ones are anchors.
    fn fitted(
        source: &[[f64; 2]],
        target: &[[f64; 2]],
        anchors: usize,
        model: PointsModel,
    ) -> FittedFamily {
        let graph = Graph::from_edges(source.len(), &[]).unwrap();
        let pairs: Vec<_> = (0..anchors).map(|i| (i, i)).collect();
        let anchors = Anchors::from_indices(&graph, &graph, &pairs).unwrap();
        let points = [table_of(source), table_of(target)];
        let question = Question {
            points: [&points[0], &points[1]],
            anchors: &anchors,
            trust: 0.9,
            model,
            known: None,
            given: None,
            again: false,
            seed: 0,
            everybody: false,
            quick: false,
        };
        let posterior = match_points(&question, || Ok(None), &Monitor::silent()).unwrap();
        posterior.families[0].clone()
    }

    fn scattered(count: usize, seed: u64) -> Vec<[f64; 2]> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let place = |_| {
            [
                random.random_range(0.0..640.0),
                random.random_range(0.0..480.0),
            ]
        };
        (0..count).map(place).collect()
    }

    /// (x, 1) through a transform.
    fn through(transform: &Matrix, [x, y]: [f64; 2]) -> [f64; 2] {
        let row = |k: usize| transform[(k, 0)] * x + transform[(k, 1)] * y + transform[(k, 2)];
        [row(0) / row(2), row(1) / row(2)]
    }

    #[test]
    fn grid_and_expectations_are_those_of_the_transform() {
        let source = scattered(30, 1);
        type Map = fn([f64; 2]) -> [f64; 2];
        let affine: Map = |[x, y]| [0.9 * x + 0.2 * y + 40.0, 1.1 * y - 0.1 * x - 7.0];
        let plane: Map = |[x, y]| {
            let depth = 1.0 + 4e-4 * x - 2e-4 * y;
            [(0.9 * x + 0.1 * y + 20.0) / depth, (y - 5.0) / depth]
        };
        for (model, map) in [
            (PointsModel::Affine, affine),
            (PointsModel::Projective, plane),
        ] {
            let target: Vec<_> = source.iter().map(|x| map(*x)).collect();
            let family = fitted(&source, &target, 5, model);
            let sketch = family.sketch.as_ref().unwrap();
            assert_eq!(sketch.directions, None);
            let grid = sketch.grid.as_ref().unwrap();
            assert_eq!(grid.steps, STEPS);
            assert_eq!(grid.source.rows() % STEPS, 0);
            // The box is wider than high, so that there are eleven upright lines and fewer level ones.
            let lines = grid.source.rows() / STEPS;
            assert!((CELLS + 3..2 * CELLS + 2).contains(&lines), "{lines}");
            for k in 0..grid.source.rows() {
                let x = [grid.source[(k, 0)], grid.source[(k, 1)]];
                let image = through(&family.transform, x);
                for (j, y) in image.iter().enumerate() {
                    assert!((grid.target[(k, j)] - y).abs() < 1e-6, "{model:?}");
                }
                // And the transform is the one that made the points, to a thousandth of the picture.
                let truth = map(x);
                assert!((image[0] - truth[0]).hypot(image[1] - truth[1]) < 1.0);
            }
            for (i, x) in source.iter().enumerate() {
                let image = through(&family.transform, *x);
                for k in 0..2 {
                    assert!((sketch.expected[(i, k)] - image[k]).abs() < 1e-6);
                    for j in 0..2 {
                        let own = sketch.covariances[(i, 2 * k + j)];
                        assert!((own - family.covariance[(k, j)]).abs() < 1e-9);
                    }
                }
            }
            let low = source.iter().map(|x| x[0]).fold(f64::INFINITY, f64::min);
            assert!((grid.source[(0, 0)] - low).abs() < 1e-9);
        }
    }

    #[test]
    fn a_smooth_map_bends_its_grid() {
        let source = scattered(60, 2);
        let bent = |[x, y]: [f64; 2]| [x, y + 30.0 * (x / 100.0).sin()];
        let target: Vec<_> = source.iter().map(|x| bent(*x)).collect();
        let family = fitted(&source, &target, 12, PointsModel::Smooth);
        assert_eq!(family.family, Family::Smooth);
        let grid = family.sketch.unwrap().grid.unwrap();
        // Inside the cloud the image is the wave's and not that of the affine part.
        let (mut off, mut straight, mut count) = (0.0, 0.0, 0.0);
        for k in 0..grid.source.rows() {
            let x = [grid.source[(k, 0)], grid.source[(k, 1)]];
            if !(60.0..580.0).contains(&x[0]) || !(60.0..420.0).contains(&x[1]) {
                continue;
            }
            off += (grid.target[(k, 1)] - bent(x)[1]).abs();
            straight += (through(&family.transform, x)[1] - bent(x)[1]).abs();
            count += 1.0;
        }
        assert!(off / count < 4.0, "{}", off / count);
        assert!(straight > 3.0 * off, "{straight} {off}");
    }

    #[test]
    fn epipolar_lines_pass_through_the_true_partners() {
        // Two cameras look at a cloud without noise, the second turned: from afar, and in perspective.
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let cloud: Vec<[f64; 3]> = (0..40)
            .map(|_| std::array::from_fn(|_| random.random_range(-1.4..1.4)))
            .collect();
        let (sin, cos) = 0.3f64.sin_cos();
        for near in [0.0, 0.2] {
            let view = |p: [f64; 3]| {
                let depth = 1.0 - near * p[2];
                [320.0 + 150.0 * p[0] / depth, 240.0 + 150.0 * p[1] / depth]
            };
            let source: Vec<_> = cloud.iter().map(|p| view(*p)).collect();
            let turned = |p: &[f64; 3]| [cos * p[0] + sin * p[2], p[1], cos * p[2] - sin * p[0]];
            let target: Vec<_> = cloud.iter().map(|p| view(turned(p))).collect();
            let family = fitted(&source, &target, 20, PointsModel::Views);
            let sketch = family.sketch.unwrap();
            assert_eq!(sketch.grid, None);
            let directions = sketch.directions.unwrap();
            for (i, y) in target.iter().enumerate() {
                let [u, v] = [directions[(i, 0)], directions[(i, 1)]];
                assert!((u.hypot(v) - 1.0).abs() < 1e-12);
                let left = [0, 1].map(|k| y[k] - sketch.expected[(i, k)]);
                let off = (left[0] * v - left[1] * u).abs();
                assert!(off < 2.0, "{near} {i}: {off} pixels off its line");
                // Upright parallax is none here, and the level one is long.
                assert!(u.abs() > 0.9, "{near} {i}: {u} {v}");
            }
        }
    }

    #[test]
    fn points_without_area_have_no_grid() {
        let line: Vec<[f64; 2]> = (0..6).map(|k| [k as f64, 2.0]).collect();
        let scene = Scene::<2>::new(
            [&table_of(&line), &table_of(&line)],
            &[],
            std::iter::empty(),
        );
        let member = super::super::families::Similarity::through(&scene.source, &[], false);
        let sketch = Sketch::new(&scene, &member);
        assert_eq!(sketch.grid, None);
        let FittedMap { affine, .. } = member.map();
        let image = scene.frames[1].back(&affine.at(&scene.source[3]));
        assert_eq!(sketch.expected.row(3), image);
    }
}
