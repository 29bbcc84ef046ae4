//! Where both graphs lie on the page, as arrays that a browser takes as they are: little-endian numbers of 32 bits.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anchormatch::linalg::Matrix;
use anchormatch::monitor::CancelToken;
use anchormatch::{Graph, Monitor};
use anchormatch_report::places::{self, Place};
use anchormatch_report::{Image, Side as Drawn};

/// The most edges that are sent of a graph.
const MOST_EDGES: usize = 500_000;

/// One of the two graphs and how to draw it.
#[derive(Debug, Clone)]
pub struct Side {
    /// What the page calls it.
    pub name: String,
    /// The graph itself; its labels are the ids on the page.
    pub graph: Arc<Graph>,
    /// Where the nodes lie, one row each, two columns (y downwards, as in images) or three.
    pub positions: Option<Arc<Matrix>>,
    /// The lines to draw instead of the graph's edges.
    pub wireframe: Option<Vec<(usize, usize)>>,
    /// Whether the nodes are points, matched by where they lie.
    pub points: bool,
    /// What lies under the points, whose coordinates are then its pixels.
    pub image: Option<Image>,
}

impl Side {
    /// As the report draws it.
    pub(crate) fn drawn(&self) -> Drawn<'_> {
        Drawn {
            name: self.name.clone(),
            graph: &self.graph,
            positions: self.positions.as_deref(),
            wireframe: self.wireframe.as_deref(),
            points: self.points,
            image: self.image.as_ref(),
        }
    }
}

/// The edges that are drawn, and what was left out in words.
#[derive(Debug)]
pub(crate) struct Lines {
    pub(crate) edges: Vec<(usize, usize)>,
    pub(crate) left_out: String,
}

/// Places of all nodes.
pub(crate) type Places = Arc<Vec<Place>>;

/// The places of both graphs; those of the target follow its partners.
#[derive(Debug, Default)]
pub(crate) struct Scene {
    source: OnceLock<Result<Places, String>>,
    target: Mutex<Option<(u64, Places)>>,
    edges: [OnceLock<Lines>; 2],
    stop: CancelToken,
}

impl Scene {
    /// Stops the layouts that are being made, and those to come.
    pub(crate) fn close(&self) {
        self.stop.cancel();
    }

    fn monitor(&self) -> Monitor {
        Monitor::silent().cancelled_by(self.stop.clone())
    }

    /// The places of the source.
    pub(crate) fn source(&self, side: &Side) -> Result<Places, String> {
        let place = || match places::alone(&side.drawn(), &self.monitor()) {
            Ok(places) => Ok(Arc::new(places)),
            Err(error) => Err(error.to_string()),
        };
        self.source.get_or_init(place).clone()
    }

    /// The places of the target with the number of their layout; those of its own until it
    /// [follows](Self::follow).
    pub(crate) fn target(&self, sides: &[Side; 2]) -> Result<(u64, Places), String> {
        if let Some(found) = &*self.target.lock().unwrap_or_else(PoisonError::into_inner) {
            return Ok(found.clone());
        }
        self.follow(sides, 0, &[], &self.monitor())
    }

    /// Lays the target out by its partners, unless `monitor` stops it.
    pub(crate) fn follow(
        &self,
        sides: &[Side; 2],
        number: u64,
        couples: &[(usize, usize)],
        monitor: &Monitor,
    ) -> Result<(u64, Places), String> {
        let source = self.source(&sides[0])?;
        let couples = couples.iter().copied();
        let places = places::beside(&sides[1].drawn(), &source, couples, monitor);
        let places = Arc::new(places.map_err(|error| error.to_string())?);
        let mut target = self.target.lock().unwrap_or_else(PoisonError::into_inner);
        match &*target {
            Some((newer, places)) if *newer > number => Ok((*newer, Arc::clone(places))),
            _ => Ok(target.insert((number, places)).clone()),
        }
    }

    /// The number of the layout of the target; `None` before there is one.
    pub(crate) fn number(&self) -> Option<u64> {
        let target = self.target.lock().unwrap_or_else(PoisonError::into_inner);
        target.as_ref().map(|(number, _)| *number)
    }

    /// The edges that are drawn.
    pub(crate) fn edges(&self, sides: &[Side; 2], which: usize) -> Result<&Lines, String> {
        let places = match which {
            0 => self.source(&sides[0])?,
            _ => self.target(sides)?.1,
        };
        let drawn = sides[which].drawn();
        Ok(self.edges[which].get_or_init(|| {
            let (edges, left_out) = places::edges(&drawn, &places, MOST_EDGES);
            Lines { edges, left_out }
        }))
    }

    /// Nodes, edges, places and degrees of a side: the numbers of nodes and edges, then the number of the layout, then
    /// the arrays one after the other.
    pub(crate) fn graph_bytes(&self, sides: &[Side; 2], which: usize) -> Result<Vec<u8>, String> {
        let (number, places) = match which {
            0 => (0, self.source(&sides[0])?),
            _ => self.target(sides)?,
        };
        let Lines { edges, .. } = self.edges(sides, which)?;
        let graph = &sides[which].graph;
        let n = graph.node_count();
        let mut bytes = Vec::with_capacity(12 + 12 * n + 8 * edges.len());
        for value in [n, edges.len(), number as usize] {
            bytes.extend((value as u32).to_le_bytes());
        }
        push_places(&mut bytes, &places);
        for &(u, v) in edges {
            bytes.extend((u as u32).to_le_bytes());
            bytes.extend((v as u32).to_le_bytes());
        }
        for i in 0..n {
            bytes.extend((graph.neighbours(i).len() as u32).to_le_bytes());
        }
        Ok(bytes)
    }

    /// The target's places alone, after their number.
    pub(crate) fn target_bytes(&self, sides: &[Side; 2]) -> Result<Vec<u8>, String> {
        let (number, places) = self.target(sides)?;
        let mut bytes = Vec::with_capacity(4 + 8 * places.len());
        bytes.extend((number as u32).to_le_bytes());
        push_places(&mut bytes, &places);
        Ok(bytes)
    }
}

fn push_places(bytes: &mut Vec<u8>, places: &[Place]) {
    for value in places.iter().flatten() {
        bytes.extend((*value as f32).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides() -> [Side; 2] {
        let edges: Vec<_> = (1..30).map(|i| (i - 1, i, 1.0)).collect();
        let graph = Arc::new(Graph::from_edges(30, &edges).unwrap());
        ["a", "b"].map(|name| Side {
            name: name.to_owned(),
            graph: Arc::clone(&graph),
            positions: None,
            wireframe: None,
            points: false,
            image: None,
        })
    }

    #[test]
    fn arrays_have_the_length_that_they_say() {
        let (scene, sides) = (Scene::default(), sides());
        for which in 0..2 {
            let bytes = scene.graph_bytes(&sides, which).unwrap();
            let number = |k: usize| u32::from_le_bytes(bytes[4 * k..4 * k + 4].try_into().unwrap());
            assert_eq!((number(0), number(1)), (30, 29));
            assert_eq!(bytes.len(), 12 + 30 * 8 + 29 * 8 + 30 * 4);
            let degrees: Vec<u32> = (3 + 60 + 58..3 + 60 + 58 + 30).map(number).collect();
            assert_eq!((degrees[0], degrees[1], degrees[29]), (1, 2, 1));
        }
        assert_eq!(scene.target_bytes(&sides).unwrap().len(), 4 + 30 * 8);
    }

    #[test]
    fn the_newest_layout_stays() {
        let (scene, sides) = (Scene::default(), sides());
        let couples: Vec<_> = (0..30).map(|i| (i, 29 - i)).collect();
        let quiet = Monitor::silent();
        let (_, newest) = scene.follow(&sides, 5, &couples, &quiet).unwrap();
        let (number, older) = scene.follow(&sides, 4, &[], &quiet).unwrap();
        assert_eq!((number, older), (5, newest));
        // One that is stopped leaves the last as it was.
        quiet.cancel_token().cancel();
        assert!(scene.follow(&sides, 6, &[], &quiet).is_err());
        assert_eq!(scene.target(&sides).unwrap().0, 5);
        assert_eq!(scene.number(), Some(5));
    }
}
