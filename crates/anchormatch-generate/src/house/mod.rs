//! A house seen from 70 sides: our own stand-in for the pose house sequence.
//!
//! The paper matches 51 landmarks of a model house over 10 pan × 7 tilt angles (McAuley, de Campos &
//! Caetano, 2010), whose images are not ours to ship. This module has a house of its own with as many
//! [`landmarks`], seen by a pinhole camera: with c the middle of the house, d = [`CAMERA_DISTANCE`] and
//! f = [`FOCAL_LENGTH`],
//!
//! > (X, Y, Z) = R_x(tilt) R_y(pan) (p − c),  (u, v) = (320 + fX/(d − Z), 240 − fY/(d − Z)),
//!
//! in pixels of a 640 × 480 image, u right and v down. Panning turns the left wall to the viewer,
//! tilting the roof. The house is transparent: every landmark is in every view.

mod model;

pub use model::Landmark;

use anchormatch::graph::Labels;
use anchormatch::linalg::Matrix;
use anchormatch::{Error, Result};

use super::{Instance, standard_normal, stream};

/// How far the camera stands from the middle of the house, in the units of the landmarks.
pub const CAMERA_DISTANCE: f64 = 24.0;
/// The focal length, in pixels.
pub const FOCAL_LENGTH: f64 = 880.0;
/// Width and height of the image, in pixels; every view of the grid lies inside.
pub const IMAGE_SIZE: [f64; 2] = [640.0, 480.0];

/// What the house turns around and the camera looks at.
const MIDDLE: [f64; 3] = [0.1, 3.8, 0.0];

/// A pose of the house.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// The turn around the vertical axis, in degrees.
    pub pan_degrees: f64,
    /// The turn around the image's horizontal axis after it, in degrees.
    pub tilt_degrees: f64,
}

/// All landmarks; node i of a house graph is landmark i.
#[must_use]
pub fn landmarks() -> &'static [Landmark] {
    &model::LANDMARKS
}

/// The lines of the house between landmarks, for drawing it.
#[must_use]
pub fn wireframe() -> &'static [(usize, usize)] {
    &model::WIREFRAME
}

/// The 70 views in the paper's order: tilts 0°, 5°, …, 30°, and within each pans 0°, 5°, …, 45°.
pub fn grid() -> impl ExactSizeIterator<Item = View> {
    (0..70u8).map(|k| View {
        pan_degrees: f64::from(k % 10) * 5.0,
        tilt_degrees: f64::from(k / 10) * 5.0,
    })
}

/// Where the landmarks lie in the image, a 51×2 matrix of pixels.
#[must_use]
pub fn view(pan_degrees: f64, tilt_degrees: f64) -> Matrix {
    let turned = turned(pan_degrees, tilt_degrees);
    let mut image = Matrix::zeros(turned.len(), 2);
    for (i, [x, y, z]) in turned.into_iter().enumerate() {
        let pixels_per_unit = FOCAL_LENGTH / (CAMERA_DISTANCE - z);
        image[(i, 0)] = IMAGE_SIZE[0] / 2.0 + pixels_per_unit * x;
        image[(i, 1)] = IMAGE_SIZE[1] / 2.0 - pixels_per_unit * y;
    }
    image
}

/// Two views of the house as complete graphs on distances in the image.
///
/// Every coordinate of both views gets its own N(0, `jitter`²) pixels. Source nodes have the
/// landmarks' names and order, target nodes are shuffled.
///
/// # Errors
/// When an angle is not finite, or `jitter` is negative or not finite.
///
/// ```
/// use anchormatch_generate::house::{self, View};
/// let front = View { pan_degrees: 0.0, tilt_degrees: 0.0 };
/// let corner = View { pan_degrees: 45.0, tilt_degrees: 30.0 };
/// let instance = house::pair(front, corner, 0.5, 1)?;
/// assert_eq!(instance.source.labels().get(18), "door knob");
/// # Ok::<(), anchormatch::Error>(())
/// ```
pub fn pair(from: View, to: View, jitter: f64, seed: u64) -> Result<Instance> {
    for pose in [from, to] {
        for (name, angle) in [("pan", pose.pan_degrees), ("tilt", pose.tilt_degrees)] {
            if !angle.is_finite() {
                return Err(Error::parameter(name, angle, "a finite angle in degrees"));
            }
        }
    }
    if !(jitter >= 0.0 && jitter.is_finite()) {
        return Err(Error::parameter(
            "jitter",
            jitter,
            "a finite standard deviation in pixels, 0 or more",
        ));
    }
    let jittered = |pose: View, part| {
        let mut points = view(pose.pan_degrees, pose.tilt_degrees);
        let mut rng = stream(seed, part);
        for coordinate in points.as_mut_slice() {
            *coordinate += jitter * standard_normal(&mut rng);
        }
        points
    };
    let names = landmarks().iter().map(|l| l.name.to_owned()).collect();
    Instance::from_points(
        jittered(from, 0),
        &jittered(to, 1),
        Labels::new(names)?,
        &mut stream(seed, 2),
    )
}

/// R_x(tilt) R_y(pan) (p − c) for every landmark p.
fn turned(pan_degrees: f64, tilt_degrees: f64) -> Vec<[f64; 3]> {
    let (pan_sine, pan_cosine) = pan_degrees.to_radians().sin_cos();
    let (tilt_sine, tilt_cosine) = tilt_degrees.to_radians().sin_cos();
    let turn = |landmark: &Landmark| {
        let [x, y, z] = std::array::from_fn(|k| landmark.position[k] - MIDDLE[k]);
        let (x, z) = (pan_cosine * x + pan_sine * z, pan_cosine * z - pan_sine * x);
        let (y, z) = (
            tilt_cosine * y - tilt_sine * z,
            tilt_cosine * z + tilt_sine * y,
        );
        [x, y, z]
    };
    landmarks().iter().map(turn).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        let square = |(x, y): (&f64, &f64)| (x - y) * (x - y);
        a.iter().zip(b).map(square).sum::<f64>().sqrt()
    }

    #[test]
    fn there_are_51_landmarks_with_names_and_places_of_their_own() {
        let names: HashSet<&str> = landmarks().iter().map(|l| l.name).collect();
        assert_eq!((landmarks().len(), names.len()), (51, 51));
        for (i, a) in landmarks().iter().enumerate() {
            for b in &landmarks()[..i] {
                let apart = distance(&a.position, &b.position);
                assert!(apart > 0.3, "{} and {}: {apart}", a.name, b.name);
            }
        }
    }

    #[test]
    fn lines_join_different_landmarks_once() {
        let mut seen = HashSet::new();
        for &(i, j) in wireframe() {
            assert!(i != j && i < 51 && j < 51);
            assert!(seen.insert((i.min(j), i.max(j))), "({i}, {j}) stands twice");
        }
    }

    #[test]
    fn the_chimney_and_the_dormer_stand_on_the_roof() {
        let place = |name: &str| {
            landmarks()
                .iter()
                .find(|l| l.name == name)
                .unwrap()
                .position
        };
        let ([_, ridge_y, ridge_z], feet) = (
            place("ridge left"),
            [
                ("chimney bottom front left", "wall top back left"),
                ("chimney bottom front right", "wall top back left"),
                ("chimney bottom back right", "wall top back left"),
                ("chimney bottom back left", "wall top back left"),
                ("dormer bottom left", "wall top front left"),
                ("dormer bottom right", "wall top front left"),
                ("dormer ridge end", "wall top front left"),
                ("eave front right", "wall top front left"),
                ("eave back right", "wall top back left"),
            ],
        );
        for (foot, wall) in feet {
            let ([_, y, z], [_, wall_y, wall_z]) = (place(foot), place(wall));
            let roof = ridge_y + (z - ridge_z) / (wall_z - ridge_z) * (wall_y - ridge_y);
            assert!(
                (y - roof).abs() < 0.02,
                "{foot}: {y}, the roof is at {roof}"
            );
        }
    }

    #[test]
    fn no_symmetry_maps_the_house_onto_itself() {
        // A symmetry would have to map a landmark to one with the same sorted distances.
        let profile = |a: &Landmark| {
            let mut profile: Vec<f64> = landmarks()
                .iter()
                .map(|b| distance(&a.position, &b.position))
                .collect();
            profile.sort_by(f64::total_cmp);
            profile
        };
        let profiles: Vec<Vec<f64>> = landmarks().iter().map(profile).collect();
        for i in 0..profiles.len() {
            for j in 0..i {
                let differ = profiles[i]
                    .iter()
                    .zip(&profiles[j])
                    .any(|(x, y)| (x - y).abs() > 0.1);
                assert!(
                    differ,
                    "{} and {}",
                    landmarks()[i].name,
                    landmarks()[j].name
                );
            }
        }
    }

    #[test]
    fn views_lie_in_the_image_and_keep_landmarks_apart() {
        assert_eq!(grid().len(), 70);
        let last = grid().last().unwrap();
        assert_eq!((last.pan_degrees, last.tilt_degrees), (45.0, 30.0));
        for pose in grid() {
            let points = view(pose.pan_degrees, pose.tilt_degrees);
            assert_eq!((points.rows(), points.cols()), (51, 2));
            for i in 0..51 {
                let point = points.row(i);
                assert!((0..2).all(|k| point[k] > 5.0 && point[k] < IMAGE_SIZE[k] - 2.0));
                for j in 0..i {
                    let apart = distance(point, points.row(j));
                    let names = (landmarks()[i].name, landmarks()[j].name);
                    assert!(apart > 1.5, "{names:?} are {apart} px apart in {pose:?}");
                }
            }
        }
    }

    #[test]
    fn the_camera_sees_what_it_should() {
        // By hand: the corner (−4, 0, 3) is (−4.1, −3.8, 3) from the middle and 21 from the camera.
        let front = view(0.0, 0.0);
        assert!((front[(0, 0)] - (320.0 - 880.0 * 4.1 / 21.0)).abs() < 1e-9);
        assert!((front[(0, 1)] - (240.0 + 880.0 * 3.8 / 21.0)).abs() < 1e-9);
        // A quarter turn brings the left wall to the front: what was at the front is now on the right.
        let side = view(90.0, 0.0);
        assert!((side[(0, 0)] - (320.0 + 880.0 * 3.0 / (24.0 - 4.1))).abs() < 1e-9);
        // A tilted house shows its roof: the ridge comes nearer, and the front steps move away.
        let tilted = turned(0.0, 30.0);
        let (ridge, step) = (12, 21);
        assert!(tilted[ridge][2] > turned(0.0, 0.0)[ridge][2]);
        assert!(tilted[step][2] < turned(0.0, 0.0)[step][2]);
    }

    #[test]
    fn the_truth_survives_the_shuffle() {
        let pose = View {
            pan_degrees: 20.0,
            tilt_degrees: 10.0,
        };
        let instance = pair(pose, pose, 0.0, 9).unwrap();
        let (source, target) = (&instance.source, &instance.target);
        assert_eq!(source.edge_count(), 51 * 50 / 2);
        assert_eq!(instance.truth.len(), 51);
        assert!(instance.truth.iter().any(|&(i, a)| i != a));
        let positions = (
            instance.source_positions.as_ref().unwrap(),
            instance.target_positions.as_ref().unwrap(),
        );
        for &(i, a) in &instance.truth {
            assert_eq!(positions.0.row(i), positions.1.row(a));
            assert_eq!(source.labels().get(i), landmarks()[i].name);
            assert_eq!(target.labels().get(a), format!("t{a}"));
            for &(j, b) in &instance.truth {
                assert_eq!(source.weight(i, j), target.weight(a, b));
            }
        }
    }

    #[test]
    fn jitter_moves_both_views_by_about_its_size() {
        let pose = grid().next().unwrap();
        let still = pair(pose, pose, 0.0, 2).unwrap();
        let moved = pair(pose, pose, 2.0, 2).unwrap();
        assert_eq!(moved, pair(pose, pose, 2.0, 2).unwrap());
        assert_ne!(moved, pair(pose, pose, 2.0, 3).unwrap());
        assert_eq!(still.truth, moved.truth);
        let mut shifts = Vec::new();
        for (a, b) in [
            (&still.source_positions, &moved.source_positions),
            (&still.target_positions, &moved.target_positions),
        ] {
            let (a, b) = (a.as_ref().unwrap(), b.as_ref().unwrap());
            let of_view: Vec<f64> = a
                .as_slice()
                .iter()
                .zip(b.as_slice())
                .map(|(x, y)| y - x)
                .collect();
            let variance = of_view.iter().map(|d| d * d).sum::<f64>() / 102.0;
            // χ² with 102 degrees of freedom, within five standard deviations.
            assert!((variance / 4.0 - 1.0).abs() < 0.7, "{variance}");
            shifts.push(of_view);
        }
        assert_ne!(shifts[0], shifts[1]);
    }

    #[test]
    fn angles_and_jitter_out_of_range_are_errors() {
        let good = grid().next().unwrap();
        let bad = View {
            pan_degrees: f64::NAN,
            ..good
        };
        assert!(
            pair(good, bad, 0.0, 0)
                .unwrap_err()
                .to_string()
                .starts_with("pan")
        );
        for jitter in [-1.0, f64::NAN, f64::INFINITY] {
            let error = pair(good, good, jitter, 0).unwrap_err().to_string();
            assert!(error.starts_with("jitter"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn turning_keeps_distances(pan in -360.0..360.0f64, tilt in -360.0..360.0f64) {
            let turned = turned(pan, tilt);
            for i in 0..51 {
                prop_assert!(turned[i][2] < 0.5 * CAMERA_DISTANCE, "in front of the camera");
                for j in 0..i {
                    let before = distance(&landmarks()[i].position, &landmarks()[j].position);
                    prop_assert!((distance(&turned[i], &turned[j]) - before).abs() < 1e-12);
                }
            }
        }
    }
}
