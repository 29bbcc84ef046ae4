//! Both sides of a match as its matcher takes them: graphs, or points by where they lie.
//!
//! A matcher that lists [`Fact::Points`] gets coordinates and no edges, so that many points take little
//! memory; the others, and a solver in the place of the preset's own search, get the complete graphs of
//! the distances.

use std::path::Path;
use std::sync::Arc;

use anchormatch::error::{Hint, ParseError, printable};
use anchormatch::graph::Labels;
use anchormatch::linalg::Matrix;
use anchormatch::matcher::Matcher;
use anchormatch::task::Fact;
use anchormatch::{Anchors, Error, Task};
use anchormatch_io::{LoadedGraph, NodeTable};
use anchormatch_terminal::hints::WORDS;
use clap::ValueEnum;
use serde_json::{Value, json};

use crate::args::Reading;
use crate::exit::Failure;
use crate::files::name;

/// How two sets of points lie to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PointsModel {
    /// Whichever of the maps below the points speak for; distances where none is credible
    Auto,
    /// No map: distances among the points of each set alone. For sets without a common frame, and bodies
    /// that bend; takes the memory of complete graphs
    Distances,
    /// Shift, rotation, scale, perhaps a mirror image: maps, scans, plans, drawings, stars of one camera
    Similarity,
    /// Also sheared and stretched along an axis: something flat seen from far away
    Affine,
    /// Something flat, such as a wall, a page or the ground, in two photographs
    Projective,
    /// A solid object or a scene in two photographs: points move by their depth
    Views,
    /// A smooth deformation: tissue, cloth, faces, a handwritten shape
    Smooth,
}

impl PointsModel {
    /// The value of the setting `points_model`.
    pub(crate) fn setting(self) -> Value {
        let value = self.to_possible_value().expect("no value is skipped");
        json!(value.get_name())
    }
}

/// Both graphs, and where their nodes lie if these are points to be matched by that.
pub(crate) struct Sides {
    pub(crate) source: LoadedGraph,
    pub(crate) target: LoadedGraph,
    pub(crate) points: Option<[Arc<Matrix>; 2]>,
}

impl Sides {
    /// The ids of the nodes of both sides.
    pub(crate) fn labels(&self) -> [&Labels; 2] {
        [self.source.graph.labels(), self.target.graph.labels()]
    }

    /// The nodes of the source that `option` names, by number.
    pub(crate) fn places(&self, option: &str, nodes: &[String]) -> Result<Vec<usize>, Failure> {
        let labels = self.source.graph.labels();
        let place = |node: &String| {
            labels.find(node).ok_or_else(|| {
                let found = format!("`{node}`, which SOURCE does not have");
                let expected = match self.source.graph.node_count() {
                    0 => "a graph with nodes".to_owned(),
                    _ => format!("a node of SOURCE, such as `{}`", labels.get(0)),
                };
                Failure::usage(option, found, expected)
            })
        };
        nodes.iter().map(place).collect()
    }

    /// Reads both files for `matcher`; `model` is what --points-model says, `kinds` the column of the kinds
    /// of edges, `tables` those that name the nodes of a side, `columns` whether others of points are asked for.
    pub(crate) fn read(
        reading: &Reading,
        paths: [&Path; 2],
        matcher: &dyn Matcher,
        model: Option<PointsModel>,
        (kinds, tables, columns): (Option<&str>, &[Option<Arc<NodeTable>>; 2], bool),
        max_memory: Option<u64>,
    ) -> Result<Self, Failure> {
        let by_points = takes_points(matcher);
        if let Some(model) = model
            && model != PointsModel::Distances
            && !by_points
        {
            return Err(Failure::usage(
                "--points-model",
                format!("{} with --solver", model.setting()),
                "distances, of which alone a solver knows, or no --solver",
            ));
        }
        let read = |side: usize| {
            let expected = (kinds, tables[side].clone(), columns);
            reading.side(paths[side], by_points, expected, max_memory)
        };
        let (source, target) = (read(0)?, read(1)?);
        check_alike([(paths[0], &source), (paths[1], &target)])?;
        let are_points = source.format.is_points();
        if model.is_some() && !are_points {
            return Err(Failure::usage(
                "--points-model",
                "graphs, whose nodes are no points",
                "tables of points on both sides, read with --points",
            ));
        }
        let points = match (&source.positions, &target.positions) {
            (Some(source), Some(target)) if by_points && are_points => {
                Some([source, target].map(|points| Arc::new(points.clone())))
            }
            _ => None,
        };
        Ok(Self {
            source,
            target,
            points,
        })
    }

    /// Refuses an `option` that is about points in the plane where there are none.
    pub(crate) fn check_plane(&self, option: &str) -> Result<(), Failure> {
        let found = match (self.source.format.is_points(), &self.source.positions) {
            (true, Some(points)) if points.cols() == 2 => return Ok(()),
            (true, _) => "points of three coordinates",
            (false, _) => "graphs, whose nodes are no points",
        };
        let expected = "tables of x and y on both sides, read with --points";
        Err(Failure::usage(option, found, expected))
    }

    /// Pairs of nodes that were looked up in these graphs; where ids are unknown because a table of points
    /// was read as edges, or because they are an attribute of the nodes, the error says so.
    pub(crate) fn looked_up<T>(&self, found: anchormatch::Result<T>) -> Result<T, Failure> {
        let doubtful = self.source.looks_like_points || self.target.looks_like_points;
        found.map_err(|error| match error {
            Error::Parse(mut parse) if parse.found.starts_with(UNKNOWN) => {
                let side = match parse.expected.contains("target graph") {
                    true => &self.target,
                    false => &self.source,
                };
                if doubtful {
                    parse.hints = &[Hint::AsPoints];
                } else if let Some(name) = attribute_with(side, &parse.found) {
                    parse.expected += &format!("; its nodes have this as their `{name}`");
                    parse.hints = &[Hint::NodeId];
                }
                Failure::Library(Error::Parse(parse))
            }
            _ => Failure::Library(error),
        })
    }

    /// What reading the files gave rise to.
    pub(crate) fn notes(&self, paths: [&Path; 2]) -> Vec<String> {
        let of = |(path, loaded): (&Path, &LoadedGraph)| {
            let notes = loaded.worded_notes(WORDS).into_iter();
            let notes = notes.map(|note| format!("{}: {note}", name(path)));
            notes.collect::<Vec<_>>()
        };
        let sides = [(paths[0], &self.source), (paths[1], &self.target)];
        sides.into_iter().flat_map(of).collect()
    }

    /// What is to be matched.
    pub(crate) fn task<'a>(&'a self, anchors: &'a Anchors) -> Result<Task<'a>, Failure> {
        let task = Task::new(&self.source.graph, &self.target.graph, anchors)?;
        Ok(match &self.points {
            Some([source, target]) => task.with_points(Arc::clone(source), Arc::clone(target))?,
            None => task,
        })
    }
}

/// How the readers begin to say that a graph has no node of an id.
const UNKNOWN: &str = "the unknown id ";

/// What the readers show of a long id.
const SHOWN: usize = 40;

/// The attribute of a file's own nodes that has the id which `found` says is unknown.
fn attribute_with<'a>(side: &'a LoadedGraph, found: &str) -> Option<&'a str> {
    let id = found.strip_prefix(UNKNOWN)?;
    let nodes = side.graph.node_count();
    let of_file = side.columns.iter().filter(|column| !column.in_table);
    let mut named = of_file.filter(|column| {
        let words = column.words(nodes).into_iter().flatten();
        let mut words = words.map(|word| format!("`{}`", printable(word, SHOWN)));
        words.any(|word| word == id)
    });
    named.next().map(|column| column.name.as_str())
}

/// Whether `matcher` looks at where points lie.
fn takes_points(matcher: &dyn Matcher) -> bool {
    let parameters = matcher.parameters();
    let solver = parameters.get("solver").filter(|solver| !solver.is_null());
    matcher.facts().contains(&Fact::Points) && solver.is_none()
}

/// Refuses points on one side alone, and points of the plane with those of space.
fn check_alike(sides: [(&Path, &LoadedGraph); 2]) -> Result<(), Failure> {
    let [one, other] = sides;
    let refusal = |path: &Path, found: String, expected: String| {
        let error = ParseError::new(path.display().to_string(), found, expected);
        Error::from(error)
    };
    match sides.map(|(_, side)| side.format.is_points()) {
        [true, false] | [false, true] => {
            let (points, graph) = if one.1.format.is_points() {
                (one, other)
            } else {
                (other, one)
            };
            let found = format!("a graph, while {} has points", points.0.display());
            let expected = format!(
                "points on both sides, or graphs: `anchormatch convert {} OUT.csv --to edges` makes \
                 one of the distances",
                points.0.display()
            );
            let hints: &[Hint] = match graph.1.looks_like_points {
                true => &[Hint::AsPoints],
                false => &[],
            };
            Err(refusal(graph.0, found, expected).hinting(hints).into())
        }
        [true, true] => {
            let columns = sides.map(|(_, side)| side.positions.as_ref().map_or(0, Matrix::cols));
            if columns[0] == columns[1] {
                return Ok(());
            }
            let found = format!("points of {} coordinates", columns[1]);
            let expected = format!(
                "{} as in {}; or choose the same columns of both with --columns",
                columns[0],
                one.0.display()
            );
            Err(refusal(other.0, found, expected).into())
        }
        [false, false] => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::matcher::registry;
    use anchormatch::points;
    use anchormatch::settings::Settings;

    #[test]
    fn every_model_of_points_is_one_of_the_library() {
        for model in PointsModel::value_variants() {
            let name = model.setting();
            serde_json::from_value::<points::PointsModel>(name.clone()).unwrap();
            let mut settings = Settings::new();
            settings.insert("points_model".to_owned(), name);
            assert!(registry::configured("best", &settings).is_ok());
        }
    }

    #[test]
    fn a_solver_and_the_paper_get_distances() {
        let takes = |name: &str, settings: Value| {
            let Value::Object(settings) = settings else {
                panic!("settings are an object");
            };
            takes_points(registry::configured(name, &settings).unwrap().as_ref())
        };
        assert!(takes("best", json!({})) && takes("fast", json!({})));
        assert!(!takes("paper", json!({})));
        assert!(!takes("best", json!({"solver": {"name": "faq"}})));
    }
}
