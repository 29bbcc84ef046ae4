//! The studio on what was matched, served from this process.

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anchormatch::anchors::Anchor;
use anchormatch::matcher::registry;
use anchormatch::{Anchors, Task};
use anchormatch_io::read_pairs;
use anchormatch_report::Image;
use anchormatch_studio::{Base, Choices, Kept, Running, Setup, Side, Studio as Inner, Token};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::facts::Known;
use crate::failure::exception;
use crate::graph::Graph;
use crate::{arrays, options};

/// One graph: name, graph, positions, whether these are points, and the image under them, a file's name and bytes.
type SideInput<'py> = (
    String,
    PyRef<'py, Graph>,
    Option<PyReadonlyArray2<'py, f64>>,
    bool,
    Option<(String, Vec<u8>)>,
);

/// Source nodes, target nodes, weights.
type AnchorArrays<'py> = (
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, f64>,
);

/// Anchors by node: source, target and weight; and the nodes of either side without a partner.
type Decisions = (Vec<(usize, usize, f64)>, Vec<usize>, Vec<usize>);

/// A page that is being served; it ends with `stop` or with this object.
#[pyclass(frozen)]
pub(crate) struct Studio {
    inner: Mutex<Option<(Inner, Running)>>,
    #[pyo3(get)]
    url: String,
    #[pyo3(get)]
    file: PathBuf,
}

#[pymethods]
impl Studio {
    /// Ends the server.
    fn stop(&self, py: Python<'_>) {
        let ended = self.lock().take();
        py.detach(|| drop(ended));
    }

    /// The anchors as they are now.
    fn anchors(&self) -> PyResult<Option<Decisions>> {
        let inner = self.lock();
        let Some((studio, _)) = &*inner else {
            return Ok(None);
        };
        let anchors = studio.anchors().map_err(exception)?;
        let pairs = anchors.iter().map(|a| (a.source, a.target, a.weight));
        let [one, two] = anchors.alone();
        Ok(Some((pairs.collect(), one.to_vec(), two.to_vec())))
    }
}

impl Studio {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<(Inner, Running)>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens the studio: what is known is that of `match_graphs`, `random` the bytes of the token.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn studio<'py>(
    py: Python<'py>,
    title: String,
    sides: (SideInput<'py>, SideInput<'py>),
    anchors: AnchorArrays<'py>,
    node_similarity: Option<PyReadonlyArray2<'py, f64>>,
    known: Known<'py>,
    preset: &str,
    settings: &Bound<'py, PyDict>,
    file: PathBuf,
    port: u16,
    random: Vec<u8>,
) -> PyResult<Studio> {
    let sides = [side(&sides.0)?, side(&sides.1)?];
    let (source, target) = (Arc::clone(&sides[0].graph), Arc::clone(&sides[1].graph));
    let facts = known.facts(source.node_count(), target.node_count())?;
    let none = Anchors::none();
    let task = Task::new(&source, &target, &none).map_err(exception)?;
    let mut task = facts.added_to(task).map_err(exception)?;
    if let Some(array) = &node_similarity {
        let similarity = Arc::new(arrays::matrix(array)?.into());
        task = task.with_similarity(similarity).map_err(exception)?;
    }
    if let [Some(one), Some(two)] = points(&sides) {
        task = task.with_points(one, two).map_err(exception)?;
    }
    let facts = task.facts().clone();
    let settings = options::settings(settings)?;
    options::check_solver(&settings)?;
    let matcher = registry::configured(preset, &settings).map_err(exception)?;
    let sources = arrays::indices(&anchors.0, "anchors")?;
    let targets = arrays::indices(&anchors.1, "anchors")?;
    let listed = sources.iter().zip(&targets).zip(anchors.2.as_array());
    let listed = listed.map(|((&s, &t), &weight)| Anchor::new(s, t, weight));
    let (one, two) = (known.alone.0.clone(), known.alone.1.clone());
    let beginning = Anchors::new(&source, &target, listed)
        .and_then(|anchors| anchors.with_alone([&source, &target], one, two))
        .map_err(exception)?;
    let found = match file.exists() {
        true => {
            let table = read_pairs(&file).map_err(exception)?;
            Some(table.anchors(&source, &target).map_err(exception)?)
        }
        false => None,
    };
    let base = Base::of(matcher.as_ref());
    let mut setup = Setup::new(title, sides, base, file.clone(), Box::new(call));
    setup.facts = facts;
    setup.beginning = beginning;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .map_err(|error| PyOSError::new_err(format!("port {port}: {error}")))?;
    let token = Token::new(&random).map_err(exception)?;
    let (inner, running) = py
        .detach(|| {
            let studio = Inner::open(setup, found.as_ref())?;
            let running = studio.serve(listener, token)?;
            Ok((studio, running))
        })
        .map_err(exception)?;
    let url = running.url();
    Ok(Studio {
        inner: Mutex::new(Some((inner, running))),
        url,
        file,
    })
}

fn side(input: &SideInput<'_>) -> PyResult<Side> {
    let (name, graph, positions, points, image) = input;
    let positions = positions.as_ref().map(arrays::matrix).transpose()?;
    let image = match image {
        Some((name, bytes)) => Some(Image::new(name, bytes.clone()).map_err(exception)?),
        None => None,
    };
    Ok(Side {
        name: name.clone(),
        graph: Arc::clone(&graph.inner),
        positions: positions.map(Arc::new),
        wireframe: None,
        points: *points,
        image,
    })
}

fn points(sides: &[Side; 2]) -> [Option<Arc<anchormatch::linalg::Matrix>>; 2] {
    let both = sides.iter().all(|side| side.points);
    [0, 1].map(|k| sides[k].positions.clone().filter(|_| both))
}

/// The call that gives the same match.
fn call(choices: &Choices, kept: &Kept<'_>) -> String {
    let mut words = format!(
        "am.match(source, target, studio.anchors, preset={:?}",
        choices.preset
    );
    if choices.preset != "paper" {
        if choices.allow_unmatched {
            words += ", allow_unmatched=True";
        }
        if choices.points_model != "auto" {
            words += &format!(", points_model={:?}", choices.points_model);
        }
    }
    if let Some(path) = kept.candidates {
        words += &format!(
            ", candidates=pandas.read_csv({:?})",
            path.display().to_string()
        );
    }
    words + ")"
}
