//! Keypoints of two images: recall, precision, calibration and time by the motion between them.
//!
//! Each row is a motion of [`keypoints`]: 30 points that both images have, 10 and 25 that one has alone, 1.5 pixels of
//! noise, 3 anchors; in the last rows every point carries numbers that its partner has in part. Frames of the Hotel film,
//! for those who have it, are of 25 of its 30 landmarks each. Matchers may leave points alone. **Recall** is over the common points that are no anchors;
//! **sure** is the share that is right of the pairs with a confidence of .99 and more; **calibration** the mean
//! difference between confidences and shares of right pairs over ten bins of confidence.

use std::collections::BTreeMap;
use std::sync::Arc;

use anchormatch::graph::Labels;
use anchormatch::linalg::Matrix;
use anchormatch::matcher::Matcher;
use anchormatch::{Attributes, Error, Graph, Monitor, Result};
use anchormatch_generate::{Instance, Keypoints, Motion, house, keypoints, stream};
use rand::RngExt;

use super::Trial;
use crate::datasets::hotel::{Hotel, POINTS};

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
    /// Two frames of the Hotel film so far apart, of which each lacks five of the thirty landmarks.
    Film(usize),
}

/// Landmarks that a frame of a film lacks, others in each frame.
const HIDDEN: usize = 5;

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

const fn filmed(name: &'static str, gap: usize) -> PointsTask {
    PointsTask {
        name,
        scene: PointsScene::Film(gap),
        anchors: 3,
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

/// Rows about the Hotel film, for those who have it.
pub const FILM_ROWS: [PointsTask; 5] = [
    filmed("Hotel, 10 frames", 10),
    filmed("Hotel, 30 frames", 30),
    filmed("Hotel, 50 frames", 50),
    filmed("Hotel, 70 frames", 70),
    filmed("Hotel, 90 frames", 90),
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
        !matches!(self.scene, PointsScene::House(..))
    }

    /// One pair of point sets; those of a film need the film.
    ///
    /// # Errors
    /// Those of the generators, and when there is no film to take frames from.
    pub fn trial(&self, film: Option<&Hotel>, seed: u64) -> Result<Trial> {
        let instance = match self.scene {
            PointsScene::Film(gap) => {
                let film = film.ok_or_else(|| {
                    Error::parameter("film", "none", "the Hotel film, for rows that show it")
                })?;
                part_of_film(film, gap, seed)?
            }
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
        film: Option<&Hotel>,
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
            let trial = self.trial(film, seed.wrapping_add(k))?;
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

/// Two frames of a film `gap` apart, the first drawn, each without five landmarks of its own.
fn part_of_film(film: &Hotel, gap: usize, seed: u64) -> Result<Instance> {
    let starts = film.frames().checked_sub(gap).filter(|count| *count > 0);
    let Some(starts) = starts else {
        let last = film.frames() - 1;
        return Err(Error::parameter(
            "gap",
            gap,
            format_args!("0 to {last} frames"),
        ));
    };
    let mut random = stream(seed, 12);
    let first = random.random_range(0..starts);
    let mut seen = || {
        let kept = POINTS - HIDDEN;
        rand::seq::index::sample(&mut random, POINTS, kept).into_vec()
    };
    // The order of a sample is random already.
    let [mut from, to] = [seen(), seen()];
    from.sort_unstable();
    let rows = |points: &Matrix, kept: &[usize]| {
        Matrix::from_fn(kept.len(), 2, |k, axis| points[(kept[k], axis)])
    };
    let source = rows(film.points(first), &from);
    let target = rows(film.points(first + gap), &to);
    let place = |landmark: &usize| to.iter().position(|l| l == landmark);
    let pairs = from.iter().enumerate();
    let truth = pairs.filter_map(|(i, landmark)| Some((i, place(landmark)?)));
    let names = (0..to.len()).map(|k| format!("t{k}")).collect();
    Ok(Instance {
        source: Graph::of_points(&source)?,
        target: Graph::of_points(&target)?.with_labels(Labels::new(names)?)?,
        truth: truth.collect(),
        source_positions: Some(source),
        target_positions: Some(target),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A film whose landmark p lies at (100 p + frame, p).
    fn film() -> Hotel {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("cmu_hotel")).unwrap();
        let rows = (0..101)
            .flat_map(|f| (0..POINTS).map(move |p| format!("{f},{p},{},{p}\n", 100 * p + f)));
        let text = std::iter::once("frame,point,x,y\n".to_owned()).chain(rows);
        let file = folder.path().join("cmu_hotel/points.csv");
        std::fs::write(file, text.collect::<String>()).unwrap();
        Hotel::load(folder.path()).unwrap()
    }

    #[test]
    fn frames_lack_landmarks_of_their_own_and_the_truth_knows_which() {
        let film = film();
        for seed in 0..20 {
            let made = part_of_film(&film, 40, seed).unwrap();
            let [from, to] =
                [&made.source_positions, &made.target_positions].map(|p| p.as_ref().unwrap());
            assert_eq!((from.rows(), to.rows()), (25, 25));
            let common = (0..25).filter(|&i| (0..25).any(|a| to[(a, 1)] == from[(i, 1)]));
            assert_eq!(common.count(), made.truth.len());
            assert!((20..=25).contains(&made.truth.len()));
            for &(i, a) in &made.truth {
                assert_eq!(to[(a, 1)], from[(i, 1)]);
                assert_eq!(to[(a, 0)] - from[(i, 0)], 40.0);
            }
            assert!(made.truth.iter().any(|&(i, a)| i != a), "an order tells");
        }
        assert!(part_of_film(&film, 101, 0).is_err());
        let error = FILM_ROWS[0].trial(None, 0).unwrap_err();
        assert!(error.to_string().contains("film"), "{error}");
    }
}
