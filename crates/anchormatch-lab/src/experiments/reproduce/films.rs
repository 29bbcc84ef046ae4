//! Sections 5.2 and 5.3: every view of a film against the others.
//!
//! View f is compared with the views f ± d, counted around the end: with all d, every two views meet
//! once, from the earlier to the later, and the pair counts for both. A spaced subset of the d's takes
//! as many pairs of every view. Intervals come from deleting views with all their pairs; that
//! neighbouring views resemble each other is left out of account.

use std::sync::Arc;

use anchormatch::Result;
use anchormatch::matcher::{Paper, Terms};
use anchormatch_generate::{Instance, house, stream};

use super::entry::{Entry, WIDE};
use super::protocol::{Curve, Fnv, Point, Protocol, derived_seed};
use super::scale::Scale;
use crate::datasets::hotel::{self, Hotel};
use crate::datasets::pose_house::PoseHouse;
use crate::experiments::Trial;

/// Pixels by which the landmarks of our own house are off, in each view of a pair.
pub const JITTER: f64 = 1.0;

/// The frames of the paper's example.
pub const HOTEL_EXAMPLE: [usize; 2] = [20, 90];
/// The first and the last view of the house.
pub const HOUSE_EXAMPLE: [usize; 2] = [0, 69];

/// Anchors of the second part of Section 5.2.
pub const ANCHOR_COUNTS: [usize; 3] = [2, 5, 10];

type Pair = dyn Fn(usize, usize, u64) -> Result<Instance> + Send + Sync;

/// Views of one thing whose points correspond.
#[derive(Clone)]
pub struct Film {
    /// Its name in journals.
    pub name: &'static str,
    /// How many views.
    pub views: usize,
    /// What its data are, in a word that changes when they do.
    pub data: String,
    pair: Arc<Pair>,
}

impl std::fmt::Debug for Film {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Film")
            .field("name", &self.name)
            .field("data", &self.data)
            .finish_non_exhaustive()
    }
}

impl Film {
    /// The CMU Hotel sequence.
    #[must_use]
    pub fn hotel(hotel: Arc<Hotel>) -> Self {
        let frames = (0..hotel.frames()).map(|k| hotel.points(k).as_slice());
        Self {
            name: "hotel",
            views: hotel::FRAMES,
            data: fingerprint(frames),
            pair: Arc::new(move |from, to, seed| hotel.pair(from, to, seed)),
        }
    }

    /// Our own house, seen from 70 sides.
    #[must_use]
    pub fn our_house() -> Self {
        let views: Vec<house::View> = house::grid().collect();
        Self {
            name: "house",
            views: views.len(),
            data: format!("our own house, jitter {JITTER}"),
            pair: Arc::new(move |from, to, seed| house::pair(views[from], views[to], JITTER, seed)),
        }
    }

    /// The original sequence of the pose house.
    #[must_use]
    pub fn pose_house(film: Arc<PoseHouse>) -> Self {
        let views = (0..film.views()).map(|k| film.points(k).as_slice());
        Self {
            name: "house",
            views: film.views(),
            data: fingerprint(views),
            pair: Arc::new(move |from, to, seed| film.pair(from, to, seed)),
        }
    }

    /// Two views with random anchors.
    ///
    /// # Errors
    /// When there is no such view or there are fewer points than anchors.
    pub fn trial(&self, [from, to]: [usize; 2], anchors: usize, seed: u64) -> Result<Trial> {
        let instance = (self.pair)(from, to, seed)?;
        let anchors = instance.random_anchors(anchors, &mut stream(seed, 100))?;
        Ok(Trial { instance, anchors })
    }

    /// Two views as a point of a protocol.
    #[must_use]
    pub fn point(&self, views: [usize; 2], anchors: usize, trials: usize, seed: u64) -> Point {
        let film = self.clone();
        let [from, to] = views;
        let name = format!("{} {from}-{to} anchors={anchors}", self.name);
        let stem = name.clone();
        let mut point = Point::new(name, trials, move |k| {
            film.trial(views, anchors, derived_seed(seed, &[&stem, &k]))
        });
        point.views = Some(views);
        point
    }

    /// Pairs of views as points of a protocol, one trial each.
    fn points(&self, anchors: usize, scale: &Scale, seed: u64) -> Vec<Point> {
        let mut points = Vec::new();
        let offsets = offsets(self.views, scale.offsets);
        let slow = spread(offsets.len(), scale.slow_offsets);
        for (place, &offset) in offsets.iter().enumerate() {
            for pair in pairs_at(self.views, offset) {
                let mut point = self.point(pair, anchors, 1, seed);
                point.clusters = Some(pair.map(|view| view as u32));
                point.slow = slow.contains(&place);
                points.push(point);
            }
        }
        points
    }

    fn protocol(&self, name: &str, points: Vec<Point>, entries: Vec<Entry>, seed: u64) -> Protocol {
        let of = |view: usize| {
            let has = |p: &usize| points[*p].views.is_some_and(|v| v.contains(&view));
            (view as f64, (0..points.len()).filter(has).collect())
        };
        let curve = Curve {
            name: "frame".to_owned(),
            axis: "frame".to_owned(),
            places: (0..self.views).map(of).collect(),
        };
        Protocol {
            name: name.to_owned(),
            seed,
            data: Some(self.data.clone()),
            curves: vec![curve],
            points,
            entries,
        }
    }
}

/// Figure 2 (a): each frame of Hotel against the others, and by the gap between the frames.
#[must_use]
pub fn hotel(film: &Film, scale: &Scale, seed: u64) -> Protocol {
    let points = film.points(2, scale, seed);
    let decade = |k: usize| {
        let has = |p: &usize| points[*p].views.is_some_and(|[a, b]| (b - a - 1) / 10 == k);
        (
            (10 * (k + 1)) as f64,
            (0..points.len()).filter(has).collect(),
        )
    };
    let gaps = Curve {
        name: "gap".to_owned(),
        axis: "frames apart, up to".to_owned(),
        places: (0..10).map(decade).collect(),
    };
    let mut protocol = film.protocol("hotel", points, both_widths(), seed);
    protocol.curves.push(gaps);
    // Hotel is cheap enough for everybody everywhere.
    for point in &mut protocol.points {
        point.slow = true;
    }
    protocol
}

/// Figure 3: Hotel with 2, 5 and 10 anchors and without d_ap; beside it d_k alone, which is told
/// nothing but which nodes are left.
#[must_use]
pub fn hotel_anchors(film: &Film, scale: &Scale, seed: u64) -> Protocol {
    let most = ANCHOR_COUNTS[ANCHOR_COUNTS.len() - 1];
    let points = film.points(most, scale, seed);
    film.protocol("hotel-anchors", points, by_anchors(Paper::with_terms), seed)
}

/// d_B + d_k and d_k alone at both widths, told 2, 5 and 10 anchors.
pub(super) fn by_anchors(preset: impl Fn(Terms) -> Paper) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (word, width) in [("", None), (" (wide)", Some(WIDE))] {
        for terms in [Terms::HeatProximity, Terms::Heat] {
            for count in ANCHOR_COUNTS {
                let name = format!("{terms}{word} |U|={count}");
                let mut preset = preset(terms);
                preset.width = width.unwrap_or(preset.width);
                entries.push(Entry::paper(name, preset).with_anchors(count));
            }
        }
    }
    entries
}

/// Figure 4 (a): each view of the house against the others; `best` on some pairs only.
#[must_use]
pub fn house(film: &Film, scale: &Scale, seed: u64) -> Protocol {
    let slow = |c: Entry| if c.name == "best" { c.slow() } else { c };
    let entries = both_widths().into_iter().map(slow).collect();
    film.protocol("house", film.points(2, scale, seed), entries, seed)
}

/// Figures 2 (b, c) and 4 (b–d): the paper's examples, over several draws of the anchors.
#[must_use]
pub fn matchings(hotel: Option<&Film>, house: &Film, scale: &Scale, seed: u64) -> Protocol {
    let mut data = house.data.clone();
    let mut points = Vec::new();
    if let Some(hotel) = hotel {
        data = format!("{}, {data}", hotel.data);
        points.push(hotel.point(HOTEL_EXAMPLE, 2, scale.draws, seed));
    }
    points.push(house.point(HOUSE_EXAMPLE, 2, scale.draws, seed));
    let curves = points.iter().enumerate().map(|(p, point)| Curve {
        name: point.name.split(' ').next().unwrap_or_default().to_owned(),
        axis: "example".to_owned(),
        places: vec![(0.0, vec![p])],
    });
    Protocol {
        name: "matchings".to_owned(),
        seed,
        data: Some(data),
        curves: curves.collect(),
        points,
        entries: both_widths(),
    }
}

/// The six variants and `best` at the default width, then three variants at the width of Section 5.1.
fn both_widths() -> Vec<Entry> {
    let mut entries = Entry::standard();
    entries.extend(Entry::wide());
    entries
}

/// At most `wanted` of the offsets 1 … ⌊views/2⌋, evenly spaced.
fn offsets(views: usize, wanted: usize) -> Vec<usize> {
    let all = views / 2;
    spread(all, wanted).into_iter().map(|k| k + 1).collect()
}

/// At most `wanted` of the numbers below `all`, each in the middle of its share.
fn spread(all: usize, wanted: usize) -> Vec<usize> {
    let kept = wanted.min(all);
    (0..kept).map(|k| (2 * k + 1) * all / (2 * kept)).collect()
}

/// The views that lie `offset` apart around the circle, each pair once and in order.
fn pairs_at(views: usize, offset: usize) -> Vec<[usize; 2]> {
    // Half a circle apart, both ends would name the same pair.
    let firsts = if 2 * offset == views { offset } else { views };
    let pair = |from: usize| {
        let to = (from + offset) % views;
        [from.min(to), from.max(to)]
    };
    (0..firsts).map(pair).collect()
}

fn fingerprint<'a>(views: impl Iterator<Item = &'a [f64]>) -> String {
    let mut hash = Fnv::new();
    for value in views.flatten() {
        hash.write(&value.to_bits().to_le_bytes());
    }
    format!("{:016x}", hash.0)
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn all_offsets_are_all_pairs_once() {
        for views in [2, 3, 70, 101] {
            let all: Vec<[usize; 2]> = offsets(views, usize::MAX)
                .into_iter()
                .flat_map(|offset| pairs_at(views, offset))
                .collect();
            let distinct: HashSet<_> = all.iter().collect();
            assert_eq!(all.len(), views * (views - 1) / 2);
            assert_eq!(distinct.len(), all.len());
            assert!(all.iter().all(|[a, b]| a < b && *b < views));
        }
    }

    #[test]
    fn a_subset_takes_as_many_pairs_of_every_view_near_and_far() {
        let film = Film::our_house();
        let points = film.points(2, &Scale::of(12), 0);
        assert_eq!(points.len(), 210);
        let mut counts: HashMap<usize, usize> = HashMap::new();
        for point in &points {
            for view in point.views.unwrap() {
                *counts.entry(view).or_default() += 1;
            }
        }
        assert_eq!(counts.len(), 70);
        assert!(counts.values().all(|&count| count == 6));
        assert_eq!(offsets(101, 3), [9, 26, 42]);
        assert_eq!(spread(50, 50), (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn slow_methods_get_their_share() {
        let scale = Scale {
            slow_offsets: 1,
            ..Scale::of(20)
        };
        let protocol = house(&Film::our_house(), &scale, 0);
        assert_eq!(protocol.points.iter().filter(|p| p.slow).count(), 70);
        let slow = protocol.entries.iter().map(|c| c.slow);
        assert_eq!(slow.filter(|&slow| slow).count(), 1);
        assert!(protocol.entries[6].slow);
        assert_eq!(protocol.curves[0].places.len(), 70);
        assert_eq!(protocol.curves[0].places[3].1.len(), 10);
    }

    #[test]
    fn trials_of_a_pair_depend_on_the_pair_and_the_draw() {
        let film = Film::our_house();
        let point = film.point([0, 69], 2, 2, 4);
        let (a, b) = (point.trial(0).unwrap(), point.trial(1).unwrap());
        assert_ne!(a.anchors, b.anchors);
        assert_eq!(point.trial(0).unwrap().anchors, a.anchors);
        let other = film.point([1, 69], 2, 2, 4).trial(0).unwrap();
        assert_ne!(other.instance.truth, a.instance.truth);
    }
}
