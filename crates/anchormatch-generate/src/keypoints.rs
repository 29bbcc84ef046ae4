//! Keypoints of two images: some are seen in both, some in one alone, all a little off.

use anchormatch::linalg::Matrix;
use anchormatch::{Error, Graph, Result};
use rand::RngExt;

use crate::{Instance, random_order, standard_normal, stream, target_labels};

/// Width, height and depth of the scene, in pixels.
const SIZE: [f64; 3] = [640.0, 480.0, 400.0];

/// How the second image comes about; x and y are pixels from its middle.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Motion {
    /// A turn by so many degrees, and a scale.
    Similarity(f64, f64),
    /// A linear map, row by row.
    Affine([[f64; 2]; 2]),
    /// A turn by so many degrees, then division by 1 + g·(x, y).
    Perspective(f64, [f64; 2]),
    /// A solid object seen from afar, turned around the vertical axis by so many degrees.
    Solid(f64),
    /// A shift of so many pixels that changes smoothly over the image.
    Bent(f64),
}

impl Motion {
    /// Where a point of the scene comes to lie.
    fn of(self, [x, y, z]: [f64; 3]) -> [f64; 2] {
        let turned = |degrees: f64| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            [cos * x - sin * y, sin * x + cos * y]
        };
        match self {
            Self::Similarity(degrees, scale) => turned(degrees).map(|v| scale * v),
            Self::Affine([first, second]) => {
                [first[0] * x + first[1] * y, second[0] * x + second[1] * y]
            }
            Self::Perspective(degrees, g) => {
                let depth = 1.0 + g[0] * x + g[1] * y;
                turned(degrees).map(|v| v / depth)
            }
            Self::Solid(degrees) => {
                let (sin, cos) = degrees.to_radians().sin_cos();
                [cos * x + sin * z, y]
            }
            Self::Bent(pixels) => [
                x + pixels * (y / 100.0).sin(),
                y + pixels * (x / 120.0).cos(),
            ],
        }
    }
}

/// Parameters of [`keypoints`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Keypoints {
    /// Points that both images have. Default 30.
    pub common: usize,
    /// Points of the source alone. Default 10.
    pub source_extra: usize,
    /// Points of the target alone. Default 25.
    pub target_extra: usize,
    /// Standard deviation of every coordinate, in pixels. Default 1.5.
    pub noise: f64,
    /// How the images differ. Default a turn by 30° and a scale of 1.3.
    pub motion: Motion,
}

impl Default for Keypoints {
    fn default() -> Self {
        Self {
            common: 30,
            source_extra: 10,
            target_extra: 25,
            noise: 1.5,
            motion: Motion::Similarity(30.0, 1.3),
        }
    }
}

/// Keypoints of two images, as graphs without edges and positions; the target is shuffled.
///
/// # Errors
/// When there are no points, or the noise is negative or not finite.
pub fn keypoints(settings: &Keypoints, seed: u64) -> Result<Instance> {
    if !(settings.noise >= 0.0 && settings.noise.is_finite()) {
        return Err(Error::parameter(
            "noise",
            settings.noise,
            "a number of pixels",
        ));
    }
    let Keypoints {
        common,
        source_extra,
        target_extra,
        ..
    } = *settings;
    let (mut places, mut noise) = (stream(seed, 0), stream(seed, 1));
    let (mut source, mut target) = (Vec::new(), Vec::new());
    for k in 0..common + source_extra + target_extra {
        let point: [f64; 3] =
            std::array::from_fn(|axis| SIZE[axis] * (places.random::<f64>() - 0.5));
        let seen = [[point[0], point[1]], settings.motion.of(point)];
        let mut off = |axis: usize| SIZE[axis] / 2.0 + settings.noise * standard_normal(&mut noise);
        let [first, second] = seen.map(|[x, y]| [x + off(0), y + off(1)]);
        if k < common + source_extra {
            source.extend(first);
        }
        if k < common || k >= common + source_extra {
            target.extend(second);
        }
    }
    let source = Matrix::from_vec(common + source_extra, 2, source);
    let ordered = Matrix::from_vec(common + target_extra, 2, target);
    let (order, truth) = random_order(ordered.rows(), common, &mut stream(seed, 2));
    let target = Matrix::from_fn(ordered.rows(), 2, |k, j| ordered[(order[k], j)]);
    Ok(Instance {
        source: Graph::of_points(&source)?,
        target: Graph::of_points(&target)?.with_labels(target_labels(order.len())?)?,
        source_positions: Some(source),
        target_positions: Some(target),
        truth,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_points_follow_the_motion_and_extras_have_no_partner() {
        for motion in [
            Motion::Similarity(30.0, 1.3),
            Motion::Affine([[1.1, 0.5], [0.05, 0.8]]),
            Motion::Perspective(10.0, [6e-4, 4e-4]),
            Motion::Bent(30.0),
        ] {
            let settings = Keypoints {
                noise: 0.0,
                motion,
                ..Keypoints::default()
            };
            let made = keypoints(&settings, 4).unwrap();
            let (from, to) = (
                made.source_positions.unwrap(),
                made.target_positions.unwrap(),
            );
            assert_eq!((from.rows(), to.rows(), made.truth.len()), (40, 55, 30));
            for &(i, a) in &made.truth {
                let [x, y] = [from[(i, 0)] - 320.0, from[(i, 1)] - 240.0];
                let [u, v] = motion.of([x, y, 0.0]);
                assert!((to[(a, 0)] - 320.0 - u).abs() < 1e-9);
                assert!((to[(a, 1)] - 240.0 - v).abs() < 1e-9);
            }
        }
        let solid = Keypoints {
            noise: 0.0,
            motion: Motion::Solid(20.0),
            ..Keypoints::default()
        };
        let made = keypoints(&solid, 4).unwrap();
        let (from, to) = (
            made.source_positions.unwrap(),
            made.target_positions.unwrap(),
        );
        for &(i, a) in &made.truth {
            assert!((from[(i, 1)] - to[(a, 1)]).abs() < 1e-9, "heights stay");
        }
        let wrong = Keypoints {
            noise: f64::NAN,
            ..Keypoints::default()
        };
        assert!(keypoints(&wrong, 0).is_err());
    }
}
