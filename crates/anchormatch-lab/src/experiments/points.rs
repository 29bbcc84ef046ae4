//! Keypoints of two images: recall, precision, calibration and time by the motion between them.
//!
//! Each row is a motion of [`keypoints`]: 30 points that both images have, 10 and 25 that one has alone, 1.5 pixels of
//! noise, 3 anchors; in the last rows every point carries numbers that its partner has in part. Matchers may leave points alone. **Recall** is over the common points that are no anchors;
//! **sure** is the share that is right of the pairs with a confidence of .99 and more; **calibration** the mean
//! difference between confidences and shares of right pairs over ten bins of confidence.

use std::collections::BTreeMap;
use std::sync::Arc;

use anchormatch::matcher::Matcher;
use anchormatch::{Attributes, Monitor, Result};
use anchormatch_generate::{Instance, Keypoints, Motion, house, keypoints, stream};
use rand::RngExt;

use super::Trial;

/// What a row asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointsTask {
    /// What it is called.
    pub name: &'static str,
    /// Where the points come from.
    pub scene: PointsScene,
    /// Anchors.
    pub anchors: usize,
    /// Numbers that every point carries; half of the variance of each is shared by partners.
    pub descriptors: usize,
}

/// Where points come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PointsScene {
    /// Keypoints with extras.
    Moved(Motion),
    /// Two views of the house, the second by so many degrees of pan and tilt, without extras.
    House(f64, f64),
}

const fn moved(name: &'static str, motion: Motion) -> PointsTask {
    PointsTask {
        name,
        scene: PointsScene::Moved(motion),
        anchors: 3,
        descriptors: 0,
    }
}

const fn seen(name: &'static str, pan: f64, tilt: f64) -> PointsTask {
    PointsTask {
        name,
        scene: PointsScene::House(pan, tilt),
        anchors: 2,
        descriptors: 0,
    }
}

/// Keypoints with descriptors.
const fn described(name: &'static str, motion: Motion, anchors: usize) -> PointsTask {
    PointsTask {
        name,
        scene: PointsScene::Moved(motion),
        anchors,
        descriptors: 8,
    }
}

/// The rows of the table.
pub const ROWS: [PointsTask; 12] = [
    moved("turned 30°, scaled 1.3", Motion::Similarity(30.0, 1.3)),
    moved("affine shear", Motion::Affine([[1.1, 0.5], [0.05, 0.8]])),
    moved("mirrored", Motion::Affine([[-1.0, 0.0], [0.0, 1.0]])),
    moved("perspective", Motion::Perspective(10.0, [6e-4, 4e-4])),
    moved("solid, 20°", Motion::Solid(20.0)),
    moved("solid, 45°", Motion::Solid(45.0)),
    moved("bent by 30 pixels", Motion::Bent(30.0)),
    seen("house, 25° and 10°", 25.0, 10.0),
    seen("house, 35° and 20°", 35.0, 20.0),
    seen("house, 40° and 30°", 40.0, 30.0),
    described("solid, 45°, descriptors", Motion::Solid(45.0), 3),
    described("the same, no anchor", Motion::Solid(45.0), 0),
];

/// What a matcher did.
#[derive(Debug, Clone, PartialEq)]
pub struct PointsRow {
    /// What was asked.
    pub task: PointsTask,
    /// The matcher's name.
    pub method: String,
    /// The share of the common points that was found.
    pub recall: f64,
    /// The share of the pairs that are right.
    pub precision: f64,
    /// Pairs with a confidence of .99 and more, and how many of them are right.
    pub sure: (usize, usize),
    /// The expected calibration error.
    pub calibration: f64,
    /// Milliseconds a trial.
    pub milliseconds: f64,
    /// How often each family was chosen.
    pub models: BTreeMap<String, usize>,
}

impl PointsTask {
    /// Whether some points have no partner.
    #[must_use]
    pub fn has_extras(&self) -> bool {
        matches!(self.scene, PointsScene::Moved(_))
    }

    /// One pair of point sets.
    ///
    /// # Errors
    /// Those of the generators.
    pub fn trial(&self, seed: u64) -> Result<Trial> {
        let instance = match self.scene {
            PointsScene::Moved(motion) => {
                let settings = Keypoints {
                    motion,
                    ..Keypoints::default()
                };
                keypoints(&settings, seed)?
            }
            PointsScene::House(pan_degrees, tilt_degrees) => {
                let front = house::View {
                    pan_degrees: 0.0,
                    tilt_degrees: 0.0,
                };
                let side = house::View {
                    pan_degrees,
                    tilt_degrees,
                };
                house::pair(front, side, 1.0, seed)?
            }
        };
        let anchors = instance.random_anchors(self.anchors, &mut stream(seed, 9))?;
        Ok(Trial { instance, anchors })
    }

    /// What the points carry, drawn from a stream of their own.
    fn attributes(&self, instance: &Instance, seed: u64) -> Result<Option<Attributes>> {
        if self.descriptors == 0 {
            return Ok(None);
        }
        let shape = [instance.source.node_count(), instance.target.node_count()];
        let mut attributes = Attributes::new(shape[0], shape[1]);
        let mut random = stream(seed, 11);
        for k in 0..self.descriptors {
            let mut draw = |count: usize| -> Vec<f64> {
                (0..count).map(|_| random.random_range(-1.0..1.0)).collect()
            };
            let [mut from, mut to] = shape.map(&mut draw);
            let mut shared = shape.map(&mut draw);
            for &(i, a) in &instance.truth {
                shared[1][a] = shared[0][i];
            }
            for (own, shared) in [&mut from, &mut to].into_iter().zip(&shared) {
                own.iter_mut().zip(shared).for_each(|(x, s)| *x += s);
            }
            attributes = attributes.with_numbers(&format!("d{}", k + 1), &from, &to)?;
        }
        Ok(Some(attributes))
    }

    /// What a matcher does on `trials` pairs from the seed on.
    ///
    /// # Errors
    /// When a run fails.
    pub fn measure(
        &self,
        matcher: &dyn Matcher,
        trials: u64,
        seed: u64,
        monitor: &Monitor,
    ) -> Result<PointsRow> {
        let (mut recall, mut precision, mut seconds) = (0.0, 0.0, 0.0);
        let mut sure = (0, 0);
        // Pairs, right ones and confidences by tenth of confidence.
        let mut bins = [(0.0, 0.0, 0.0); 10];
        let mut models = BTreeMap::new();
        for k in 0..trials {
            let trial = self.trial(seed.wrapping_add(k))?;
            let instance = &trial.instance;
            let place = |points: &Option<_>| points.clone().map(Arc::new);
            let [Some(from), Some(to)] =
                [&instance.source_positions, &instance.target_positions].map(place)
            else {
                unreachable!("these generators place their nodes")
            };
            let mut task = trial.task()?.with_points(from, to)?;
            if let Some(attributes) = self.attributes(instance, seed.wrapping_add(k))? {
                task = task.with_attributes(Arc::new(attributes))?;
            }
            let watch = monitor.stopwatch();
            let matching = matcher.run(&task, monitor)?;
            seconds += watch.seconds();
            let score = matching.score(&instance.truth)?;
            recall += score.accuracy().unwrap_or(1.0);
            precision += score.precision().unwrap_or(1.0);
            let model = matching.model.first().map_or("–", |m| m.family.as_str());
            *models.entry(model.to_owned()).or_default() += 1;
            for (pair, right) in matching
                .pairs
                .iter()
                .zip(matching.verdicts(&instance.truth))
            {
                if pair.anchor {
                    continue;
                }
                let right = right == Some(true);
                if pair.confidence >= 0.99 {
                    sure.0 += 1;
                    sure.1 += usize::from(right);
                }
                let bin = &mut bins[((pair.confidence * 10.0) as usize).min(9)];
                bin.0 += 1.0;
                bin.1 += f64::from(u8::from(right));
                bin.2 += pair.confidence;
            }
        }
        let pairs: f64 = bins.iter().map(|bin| bin.0).sum();
        let off: f64 = bins.iter().map(|bin| f64::abs(bin.1 - bin.2)).sum();
        let count = trials.max(1) as f64;
        Ok(PointsRow {
            task: *self,
            method: matcher.name().to_owned(),
            recall: recall / count,
            precision: precision / count,
            sure,
            calibration: off / pairs.max(1.0),
            milliseconds: 1e3 * seconds / count,
            models,
        })
    }
}
