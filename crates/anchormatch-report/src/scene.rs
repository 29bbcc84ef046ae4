//! What the picture shows and where: the drawn nodes, edges and lines, in the units of the SVG.

use std::cmp::Ordering;

use anchormatch::matching::Pair;
use anchormatch::{Graph, Monitor, Result};

use super::choice::Choice;
use super::edges::{self, Skeleton, skeleton};
use super::layout::{self, Frame, Point};
use super::text::{count, counted};
use super::{Image, Side, Verdict, View, rules};

/// The picture's width in SVG units.
pub(super) const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 26.0;
/// Room above each graph for its name.
const HEADROOM: f64 = 40.0;
const PANEL: f64 = 500.0;
const TALLEST: f64 = 600.0;
const LOWEST: f64 = 220.0;
/// How far the drawing of a map may stand out of a panel without an image.
const OVERHANG: f64 = 12.0;
/// At most so many nodes a side, and lines a run, are drawn.
const MOST_DRAWN: usize = 2_000;
/// Lines of all runs together, roughly.
const MOST_LINES: usize = 8_000;

/// One graph in the picture.
pub(super) struct Panel {
    /// The place of every node.
    pub(super) places: Vec<Point>,
    /// Which nodes are drawn.
    pub(super) drawn: Vec<bool>,
    pub(super) edges: Vec<(usize, usize)>,
    /// How large each node is drawn.
    pub(super) radii: Vec<f64>,
    /// The middle of the panel, where its name stands.
    pub(super) middle: f64,
    /// How coordinates become places, where they are two.
    pub(super) placement: Option<Placement>,
    /// Where the image lies: left, top, width, height.
    pub(super) image: Option<[f64; 4]>,
    /// What is drawn over the nodes stays within these corners.
    pub(super) bounds: [Point; 2],
}

/// How the coordinates that were given become places of the picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placement {
    /// Coordinates are divided by this first, so that large ones do not overflow.
    unit: f64,
    centre: Point,
    scale: f64,
    middle: Point,
}

impl Placement {
    /// The place of a point.
    pub(super) fn at(&self, [x, y]: Point) -> Point {
        let place = |value: f64, k: usize| {
            self.middle[k] + (value / self.unit - self.centre[k]) * self.scale
        };
        [place(x, 0), place(y, 1)]
    }

    /// Units of the picture for one of the coordinates.
    pub(super) fn scale(&self) -> f64 {
        self.scale / self.unit
    }
}

impl Panel {
    /// The nodes that are drawn, ascending.
    pub(super) fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.drawn.len()).filter(|&i| self.drawn[i])
    }
}

/// Both graphs, placed.
pub(super) struct Scene {
    pub(super) source: Panel,
    pub(super) target: Panel,
    pub(super) height: f64,
    /// What was left out, in words.
    pub(super) captions: Vec<String>,
}

impl Scene {
    /// What is drawn of both graphs has a place.
    pub(super) fn new(view: &View<'_>) -> Self {
        let choice = Choice::of(view, most(view));
        // So few nodes are laid out in a moment, and a picture is due even of a match that a limit cut short.
        let raw = place(
            view,
            [&choice.drawn[0], &choice.drawn[1]],
            &Monitor::silent(),
        );
        Self::placed(view, choice, raw.expect("nobody stops this layout"))
    }

    /// Every node has a place, drawn or not.
    pub(super) fn of_all(view: &View<'_>, monitor: &Monitor) -> Result<Self> {
        let sides = [&view.report.source, &view.report.target];
        let all = sides.map(|side| vec![true; side.graph.node_count()]);
        let raw = place(view, [&all[0], &all[1]], monitor)?;
        Ok(Self::placed(view, Choice::of(view, most(view)), raw))
    }

    fn placed(view: &View<'_>, choice: Choice, raw: [Vec<Point>; 2]) -> Self {
        let (source, target) = (&view.report.source, &view.report.target);
        let [raw_source, raw_target] = raw;
        let mut captions = Vec::new();
        let sampled = [0, 1].map(|side| {
            let drawn = &choice.drawn[side];
            let shown = drawn.iter().filter(|&&d| d).count();
            let [one, many] = view.noun();
            let nodes = counted(drawn.len(), one, many);
            let words = &choice.words[side];
            (shown < drawn.len()).then(|| format!("{} of {nodes} {words}", count(shown)))
        });
        captions.extend(caption(view, sampled));
        let [drawn_source, drawn_target] = choice.drawn;
        let placed = |side: &Side<'_>| match side.positions {
            None => Some("no positions given, placed by an automatic layout".to_owned()),
            Some(positions) if positions.cols() == 3 => {
                Some("three dimensions, projected".to_owned())
            }
            Some(_) => None,
        };
        captions.extend(caption(view, [placed(source), placed(target)]));
        captions.extend(caption(view, [outside(source), outside(target)]));
        let (mut skeletons, mut words) = (Vec::new(), Vec::new());
        for (side, raw, drawn) in [
            (source, &raw_source, &drawn_source),
            (target, &raw_target, &drawn_target),
        ] {
            let places = side.positions.map(|_| raw.as_slice());
            let chosen = skeleton(side, places, drawn, edges::MOST);
            skeletons.push(chosen.edges);
            words.push(Some(chosen.caption).filter(|c| !c.is_empty()));
        }
        let [source_words, target_words] = words.try_into().expect("one caption a side");
        captions.extend(caption(view, [source_words, target_words]));
        let [source_edges, target_edges] = skeletons.try_into().expect("one skeleton a side");

        let frames = [frame(source, &raw_source), frame(target, &raw_target)];
        let tall = |f: &Frame| match (f.width() > 0.0, f.height() > 0.0) {
            (true, _) => PANEL * f.height() / f.width(),
            (false, true) => TALLEST,
            (false, false) => LOWEST,
        };
        let inner = tall(&frames[0])
            .max(tall(&frames[1]))
            .clamp(LOWEST, TALLEST);
        let right = WIDTH - MARGIN - PANEL;
        Self {
            source: panel(
                source,
                &raw_source,
                drawn_source,
                source_edges,
                MARGIN,
                inner,
            ),
            target: panel(
                target,
                &raw_target,
                drawn_target,
                target_edges,
                right,
                inner,
            ),
            height: inner + HEADROOM + MARGIN,
            captions,
        }
    }

    /// The pairs of a run that have a line; those worth seeing come last and lie on top: unjudged ones, right
    /// ones, wrong ones, then anchors, and the surer the higher where there is no truth.
    pub(super) fn lines<'p>(&self, view: &View<'_>, pairs: &'p [Pair]) -> Vec<&'p Pair> {
        let visible = |p: &&Pair| self.source.drawn[p.source] && self.target.drawn[p.target];
        let mut lines: Vec<&Pair> = pairs.iter().filter(visible).take(most(view)).collect();
        lines.sort_by(|p, q| {
            let layer = |p: &Pair| {
                let verdict = match view.verdict(p) {
                    None | Some(Verdict::Open) => 0,
                    Some(Verdict::Right) => 1,
                    Some(Verdict::Wrong) => 2,
                };
                (p.anchor, verdict)
            };
            let surer = || match view.truth {
                None => p.confidence.total_cmp(&q.confidence),
                Some(_) => Ordering::Equal,
            };
            layer(p).cmp(&layer(q)).then_with(surer)
        });
        lines
    }
}

/// What to say about the two sides, in one sentence when it is the same.
fn caption(view: &View<'_>, words: [Option<String>; 2]) -> Vec<String> {
    let [source, target] = words;
    let about = |side: &Side<'_>, words: String| format!("{}: {words}", side.name);
    match (source, target) {
        (Some(left), Some(right)) if left == right => {
            let both = if view.are_points() {
                "both sets"
            } else {
                "both graphs"
            };
            vec![format!("{both}: {left}")]
        }
        (source, target) => {
            let left = source.map(|words| about(&view.report.source, words));
            let right = target.map(|words| about(&view.report.target, words));
            left.into_iter().chain(right).collect()
        }
    }
}

fn most(view: &View<'_>) -> usize {
    (MOST_LINES / view.runs.len()).clamp(200, MOST_DRAWN)
}

/// Places for both graphs in coordinates of their own; what is not drawn lies in the middle where it has none.
fn place(view: &View<'_>, drawn: [&[bool]; 2], monitor: &Monitor) -> Result<[Vec<Point>; 2]> {
    let sides = [&view.report.source, &view.report.target];
    let known = sides.map(|side| {
        let places = |positions| layout::project(positions, unit(side));
        side.positions.map(places)
    });
    // The truth where it is known, so that every run's right matches are parallel.
    let mut couples: Vec<(usize, usize)> = match view.report.truth {
        Some(truth) if !truth.is_empty() => truth.to_vec(),
        _ => {
            let pairs = &view.runs[view.best].matching.pairs;
            pairs.iter().map(|p| (p.source, p.target)).collect()
        }
    };
    couples.retain(|&(s, t)| drawn[0][s] && drawn[1][t]);
    let turned = || couples.iter().map(|&(s, t)| (t, s));
    let parts = [0, 1].map(|k| Part::of(sides[k], drawn[k]));
    Ok(match known {
        [Some(left), Some(right)] => [left, right],
        [Some(left), None] => {
            let right = parts[1].beside(sides[1], &left, couples.iter().copied(), monitor)?;
            [left, right]
        }
        [None, Some(right)] => {
            let left = parts[0].beside(sides[0], &right, turned(), monitor)?;
            [left, right]
        }
        [None, None] => {
            let left = parts[0].beside(sides[0], &[], std::iter::empty(), monitor)?;
            let right = parts[1].beside(sides[1], &left, couples.iter().copied(), monitor)?;
            [left, right]
        }
    })
}

/// The drawn nodes of a side as a graph of their own, where they are not all.
struct Part(Option<Drawn>);

struct Drawn {
    /// The number of each of its nodes in the whole, ascending.
    nodes: Vec<usize>,
    graph: Graph,
    wireframe: Option<Vec<(usize, usize)>>,
}

impl Part {
    fn of(side: &Side<'_>, drawn: &[bool]) -> Self {
        if side.positions.is_some() || drawn.iter().all(|&d| d) {
            return Self(None);
        }
        let nodes: Vec<usize> = (0..drawn.len()).filter(|&i| drawn[i]).collect();
        let place = |node: usize| nodes.binary_search(&node).ok();
        let mut edges = Vec::new();
        for (k, &i) in nodes.iter().enumerate() {
            let above = side.graph.neighbours(i).filter(|&(j, _)| j > i && drawn[j]);
            edges.extend(above.filter_map(|(j, weight)| Some((k, place(j)?, weight))));
        }
        let wireframe = side.wireframe.map(|lines| {
            let lines = lines.iter();
            lines
                .filter_map(|&(u, v)| Some((place(u)?, place(v)?)))
                .collect()
        });
        let graph = Graph::from_edges(nodes.len(), &edges).expect("edges of a graph are sound");
        Self(Some(Drawn {
            nodes,
            graph,
            wireframe,
        }))
    }

    /// Lays `side` out beside the `other` graph's places; `couples` are (other, side).
    fn beside(
        &self,
        side: &Side<'_>,
        other: &[Point],
        couples: impl Iterator<Item = (usize, usize)>,
        monitor: &Monitor,
    ) -> Result<Vec<Point>> {
        let Some(part) = &self.0 else {
            return follow(side, other, couples, monitor);
        };
        let drawn = Side {
            graph: &part.graph,
            wireframe: part.wireframe.as_deref(),
            ..side.clone()
        };
        let couples = couples.filter_map(|(theirs, ours)| {
            let ours = part.nodes.binary_search(&ours).ok()?;
            Some((theirs, ours))
        });
        let places = follow(&drawn, other, couples, monitor)?;
        let mut all = vec![Frame::of(&places).centre(); side.graph.node_count()];
        for (&node, place) in part.nodes.iter().zip(places) {
            all[node] = place;
        }
        Ok(all)
    }
}

/// Lays `side` out beside the `other` graph's places; `couples` are (other, side).
pub(super) fn follow(
    side: &Side<'_>,
    other: &[Point],
    couples: impl Iterator<Item = (usize, usize)>,
    monitor: &Monitor,
) -> Result<Vec<Point>> {
    let mut partners = vec![None; side.graph.node_count()];
    let mut any = false;
    for (theirs, ours) in couples {
        partners[ours] = Some(other[theirs]);
        any = true;
    }
    let edges = all_edges(side).edges;
    if any {
        layout::beside(side.graph, &edges, &partners, monitor)
    } else {
        layout::fresh(side.graph, &edges, monitor)
    }
}

/// The edges that small layouts rest on; large ones walk the graph itself.
pub(super) fn all_edges(side: &Side<'_>) -> Skeleton {
    let n = side.graph.node_count();
    let keep = vec![n <= layout::STRESS_NODES; n];
    skeleton(side, None, &keep, edges::MOST)
}

/// What the coordinates of a side are divided by.
pub(super) fn unit(side: &Side<'_>) -> f64 {
    let largest = side.positions.map_or(0.0, layout::largest);
    let image = side.image.map_or([0.0; 2], Image::size);
    image.into_iter().fold(largest, f64::max)
}

/// The frame of places that are known, and of the image under them.
pub(super) fn frame(side: &Side<'_>, raw: &[Point]) -> Frame {
    match side.image {
        Some(image) => {
            let corner = image.size().map(|length| length / unit(side));
            let image = Frame::of(&[[0.0; 2], corner]);
            raw.iter().fold(image, |frame, place| frame.with(*place))
        }
        None => Frame::of(raw),
    }
}

/// Says how many points the image of a side does not show.
fn outside(side: &Side<'_>) -> Option<String> {
    let (image, positions) = (side.image?, side.positions?);
    let [width, height] = image.size();
    let seen = |i: &usize| match *positions.row(*i) {
        [x, y] => (0.0..=width).contains(&x) && (0.0..=height).contains(&y),
        _ => false,
    };
    let lost = (0..positions.rows()).filter(|i| !seen(i)).count();
    let points = counted(lost, "point lies", "points lie");
    (lost > 0).then(|| format!("{points} outside the image of {width} × {height} pixels"))
}

/// Fits places into the panel that starts at `left`, keeping their aspect.
fn panel(
    side: &Side<'_>,
    raw: &[Point],
    drawn: Vec<bool>,
    edges: Vec<(usize, usize)>,
    left: f64,
    inner: f64,
) -> Panel {
    let frame = frame(side, raw);
    let ratio = |room: f64, extent: f64| {
        if extent > 0.0 {
            room / extent
        } else {
            f64::INFINITY
        }
    };
    let scale = ratio(PANEL, frame.width()).min(ratio(inner, frame.height()));
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let centre = frame.centre();
    let middle = [left + PANEL / 2.0, HEADROOM + inner / 2.0];
    let places = raw
        .iter()
        .map(|p| {
            [
                middle[0] + (p[0] - centre[0]) * scale,
                middle[1] + (p[1] - centre[1]) * scale,
            ]
        })
        .collect();
    let plane = side.positions.is_some_and(|p| p.cols() == 2);
    let placement = (plane && unit(side) > 0.0 && scale > 0.0).then(|| Placement {
        unit: unit(side),
        centre,
        scale,
        middle,
    });
    let image = match (side.image, &placement) {
        (Some(image), Some(placement)) => {
            let [x, y] = placement.at([0.0; 2]);
            let [width, height] = image.size().map(|length| length * placement.scale());
            Some([x, y, width, height])
        }
        _ => None,
    };
    let bounds = match image {
        Some([x, y, width, height]) => [[x, y], [x + width, y + height]],
        None => [
            [left - OVERHANG, HEADROOM - OVERHANG],
            [left + PANEL + OVERHANG, HEADROOM + inner + OVERHANG],
        ],
    };
    let seen = drawn.iter().filter(|&&d| d).count();
    let nodes = drawn.len();
    let size = |i: usize| match side.points {
        true => 1.0,
        false => rules::size(side.graph.neighbours(i).len(), nodes),
    };
    let radii = (0..nodes).map(|i| size(i) * rules::radius(seen)).collect();
    Panel {
        places,
        drawn,
        edges,
        radii,
        middle: middle[0],
        placement,
        image,
        bounds,
    }
}
