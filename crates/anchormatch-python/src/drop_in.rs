//! The relaxations of `anchormatch.compat`, on arrays.

use anchormatch::assignment::TieBreak;
use anchormatch::solver::Status;
use anchormatch::solver::drop_in::{
    self, Alone, Batch, Layer, Layers, RandomWalks, Rules, Scores, Shuffle, Transport,
};
use anchormatch::{Assignment, Monitor, Result};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyReadonlyArray3, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{self, Rows, Square};
use crate::worker::run_borrowing;

/// Programs with fewer free nodes are climbed on the calling thread, with the ties of SciPy where these are
/// asked for: its way to assign takes no longer than ours there.
const FEW_NODES: usize = 64;

/// Batches with at most so many entries are solved on the calling thread.
const FEW_ENTRIES: usize = 1 << 20;

/// The nodes of either side that are fixed, or that are free.
type Sides<'py> = (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>);

/// A, B, and AB and BA.
#[derive(FromPyObject)]
pub(crate) struct LayerArrays<'py>(
    Square<'py>,
    Square<'py>,
    Option<Square<'py>>,
    Option<Square<'py>>,
);

/// What [`LayerArrays`] lends; edges between the graphs count when they are given both ways.
type LayerRows<'a> = (Rows<'a>, Rows<'a>, Option<(Rows<'a>, Rows<'a>)>);

impl LayerArrays<'_> {
    fn rows(&self) -> PyResult<LayerRows<'_>> {
        let crossing = match (&self.2, &self.3) {
            (Some(ab), Some(ba)) => Some((ab.rows("AB")?, ba.rows("BA")?)),
            _ => None,
        };
        Ok((self.0.rows("A")?, self.1.rows("B")?, crossing))
    }
}

/// X, its nearest assignment, iterations, whether it stands still, by how much a plan missed its tolerance.
type Climbed<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<i64>>,
    usize,
    bool,
    Option<f64>,
);

/// A program of layers, and its relaxation between the nodes that no known pair holds.
#[pyclass(frozen, module = "anchormatch._native")]
pub(crate) struct LayeredProgram {
    layers: Layers,
    program: drop_in::Program,
}

#[pymethods]
impl LayeredProgram {
    #[new]
    fn new(
        py: Python<'_>,
        layers: Vec<LayerArrays<'_>>,
        linear: Option<PyReadonlyArray2<'_, f64>>,
        fixed: Sides<'_>,
        free: Sides<'_>,
    ) -> PyResult<Self> {
        let views = layers.iter().map(LayerArrays::rows);
        let views = views.collect::<PyResult<Vec<_>>>()?;
        let linear = linear.as_ref().map(arrays::matrix).transpose()?;
        let sides = |sides: &Sides<'_>| -> PyResult<(Vec<usize>, Vec<usize>)> {
            Ok((
                arrays::indices(&sides.0, "nodes")?,
                arrays::indices(&sides.1, "nodes")?,
            ))
        };
        let (fixed, free) = (sides(&fixed)?, sides(&free)?);
        let few = free.0.len() + fixed.0.len() < FEW_NODES;
        run_borrowing(py, few, None, move |_, _| {
            let layer = |(a, b, crossing): LayerRows<'_>| Layer {
                a: a.weights(),
                b: b.weights(),
                crossing: crossing.map(|(ab, ba)| (ab.weights(), ba.weights())),
            };
            let layers = Layers::new(views.into_iter().map(layer).collect(), linear)?;
            let program = drop_in::Program::new(&layers, &fixed, &free)?;
            Ok(Self { layers, program })
        })
    }

    /// The value of a matching of all nodes.
    fn value(&self, py: Python<'_>, columns: PyReadonlyArray1<'_, i64>) -> PyResult<f64> {
        let columns = arrays::indices(&columns, "columns")?;
        let nodes = self.layers.node_count();
        let matching: Assignment = columns.into_iter().map(Some).collect();
        if matching.rows() != nodes || !matching.is_one_to_one(nodes) {
            return Err(PyValueError::new_err(format!(
                "columns: expected each of {nodes} nodes once"
            )));
        }
        Ok(py.detach(|| self.layers.value(&matching)))
    }

    /// Frank-Wolfe from `start`; `order` draws an order of the rows before each linear assignment, `watch` is
    /// told the number and the length of each step.
    #[pyo3(signature = (
        start, maximize, max_iterations, tolerance, *, as_scipy=false, transport=None, order=None, watch=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "the options of two libraries")]
    fn climb<'py>(
        &self,
        py: Python<'py>,
        start: PyReadonlyArray2<'py, f64>,
        maximize: bool,
        max_iterations: usize,
        tolerance: f64,
        as_scipy: bool,
        transport: Option<(f64, f64, usize)>,
        order: Option<Py<PyAny>>,
        watch: Option<Py<PyAny>>,
    ) -> PyResult<Climbed<'py>> {
        let n = self.program.size();
        let x = arrays::matrix_of(&start, "start", (n, n))?.into_vec();
        let few = n < FEW_NODES && self.layers.is_dense();
        let rules = Rules {
            maximise: maximize,
            max_iterations,
            tolerance,
            transport: transport.map(|(regulariser, tolerance, max_sweeps)| Transport {
                regulariser,
                tolerance,
                max_sweeps,
            }),
            tie_break: if as_scipy && few {
                TieBreak::AsSciPy
            } else {
                TieBreak::Fastest
            },
        };
        let climb = run_borrowing(py, few, watch, |monitor, calls| {
            let mut draw = |rows: &mut [usize]| {
                if let Some(order) = &order {
                    calls.attempt(|py| fill_order(py, order, rows));
                }
            };
            let shuffle: Option<Shuffle<'_>> = match order {
                Some(_) => Some(&mut draw),
                None => None,
            };
            drop_in::climb(&self.program, x, &rules, shuffle, monitor)
        })?;
        Ok((
            climb.x.into_pyarray(py).reshape([n, n])?,
            arrays::partner_array(py, &climb.assignment),
            climb.iterations,
            climb.status == Status::Converged,
            climb.unbalanced,
        ))
    }
}

/// What `order` draws.
fn fill_order(py: Python<'_>, order: &Py<PyAny>, rows: &mut [usize]) -> PyResult<()> {
    let drawn = order.call0(py)?;
    let drawn: PyReadonlyArray1<'_, i64> = drawn.extract(py)?;
    let drawn = arrays::indices(&drawn, "order")?;
    let places: Assignment = drawn.iter().copied().map(Some).collect();
    if places.rows() != rows.len() || !places.is_one_to_one(rows.len()) {
        return Err(PyValueError::new_err("order: expected each row once"));
    }
    rows.copy_from_slice(&drawn);
    Ok(())
}

/// A random start: positive entries, scaled until rows and columns sum to 1.
#[pyfunction]
pub(crate) fn doubly_stochastic<'py>(
    py: Python<'py>,
    entries: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let n = entries.shape()[0];
    let entries = arrays::matrix_of(&entries, "entries", (n, n))?.into_vec();
    let scaled = py.detach(|| drop_in::doubly_stochastic(entries, n));
    scaled.into_pyarray(py).reshape([n, n])
}

/// Affinity matrices one after another, a start for each, the shape of X, and what of it counts.
#[derive(FromPyObject)]
pub(crate) struct Affinities<'py>(
    PyReadonlyArray3<'py, f64>,
    PyReadonlyArray2<'py, f64>,
    (usize, usize),
    Vec<(usize, usize)>,
);

impl<'py> Affinities<'py> {
    /// What a solver of batches comes to.
    fn solve(
        self,
        py: Python<'py>,
        solver: impl FnOnce(&Batch<'_>, Vec<f64>, &Monitor) -> Result<Vec<f64>> + Send,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let Self(matrices, start, shape, sizes) = self;
        let entries = row_major(&matrices, "K")?;
        let vectors = (sizes.len(), shape.0.saturating_mul(shape.1));
        let v = arrays::matrix_of(&start, "x0", vectors)?.into_vec();
        let few = entries.len() <= FEW_ENTRIES;
        let found = run_borrowing(py, few, None, |monitor, _| {
            solver(&Batch::new(entries, shape, sizes)?, v, monitor)
        })?;
        found.into_pyarray(py).reshape([vectors.0, vectors.1])
    }
}

fn row_major<'a>(array: &'a PyReadonlyArray3<'_, f64>, name: &str) -> PyResult<&'a [f64]> {
    if array.is_c_contiguous() {
        return Ok(array.as_slice()?);
    }
    Err(PyValueError::new_err(format!(
        "{name}: expected entries row after row"
    )))
}

/// The leading eigenvectors of a batch of matrices.
#[pyfunction]
pub(crate) fn leading_vectors<'py>(
    py: Python<'py>,
    affinities: Affinities<'py>,
    max_iterations: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    affinities.solve(py, |batch, v, monitor| {
        batch.leading_vectors(v, max_iterations, monitor)
    })
}

/// Reweighted random walks.
#[pyfunction]
pub(crate) fn random_walks<'py>(
    py: Python<'py>,
    affinities: Affinities<'py>,
    max_iterations: usize,
    sweeps: usize,
    alpha: f64,
    beta: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let walks = RandomWalks {
        alpha,
        beta,
        sweeps,
        max_iterations,
    };
    affinities.solve(py, |batch, v, monitor| {
        batch.random_walks(v, &walks, monitor)
    })
}

/// Integer projected fixed points.
#[pyfunction]
pub(crate) fn fixed_points<'py>(
    py: Python<'py>,
    affinities: Affinities<'py>,
    max_iterations: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    affinities.solve(py, |batch, v, monitor| {
        batch.fixed_points(v, max_iterations, monitor)
    })
}

/// Score matrices one after another, what of them counts, and the scores of staying alone.
#[derive(FromPyObject)]
pub(crate) struct ScoreArrays<'py>(
    PyReadonlyArray3<'py, f64>,
    Vec<(usize, usize)>,
    Option<(PyReadonlyArray2<'py, f64>, PyReadonlyArray2<'py, f64>)>,
);

impl<'py> ScoreArrays<'py> {
    /// An array of the scores' shape with what `work` makes of them.
    fn map(
        self,
        py: Python<'py>,
        work: impl FnOnce(&Scores<'_>, Option<&Alone<'_>>, &Monitor) -> Result<Vec<f64>> + Send,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let Self(values, sizes, alone) = self;
        let dims = [values.shape()[0], values.shape()[1], values.shape()[2]];
        let shape = (dims[1], dims[2]);
        let within = |&(rows, cols): &(usize, usize)| rows <= shape.0 && cols <= shape.1;
        if sizes.len() != dims[0] || !sizes.iter().all(within) {
            return Err(PyValueError::new_err("sizes of these numbers do not fit"));
        }
        let alone = match &alone {
            Some((rows, columns)) => Some((
                arrays::matrix_of(rows, "unmatch1", (dims[0], shape.0))?,
                arrays::matrix_of(columns, "unmatch2", (dims[0], shape.1))?,
            )),
            None => None,
        };
        let alone = alone.as_ref().map(|(rows, columns)| Alone {
            rows: rows.as_slice(),
            columns: columns.as_slice(),
        });
        let scores = Scores {
            values: row_major(&values, "s")?,
            shape,
            sizes: &sizes,
        };
        let result = run_borrowing(py, true, None, |monitor, _| {
            work(&scores, alone.as_ref(), monitor)
        })?;
        result.into_pyarray(py).reshape(dims)
    }
}

/// exp(scores) with rows and columns normalised in turn.
#[pyfunction]
pub(crate) fn normalised<'py>(
    py: Python<'py>,
    scores: ScoreArrays<'py>,
    sweeps: usize,
    dummy_rows: bool,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    scores.map(py, |scores, alone, monitor| {
        Ok(drop_in::normalise(
            scores, alone, sweeps, dummy_rows, monitor,
        ))
    })
}

/// The best assignments, zeros and ones.
#[pyfunction]
pub(crate) fn assigned<'py>(
    py: Python<'py>,
    scores: ScoreArrays<'py>,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    scores.map(py, |scores, alone, _| {
        let (height, width) = scores.shape;
        let mut ones = vec![0.0; scores.values.len()];
        for (problem, found) in drop_in::assign(scores, alone)?.iter().enumerate() {
            for (i, a) in found.pairs() {
                ones[(problem * height + i) * width + a] = 1.0;
            }
        }
        Ok(ones)
    })
}
