//! Graphs and tables of nodes from files.

use std::path::PathBuf;

use anchormatch_io::{Format, NodeTable, ReadOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays;
use crate::facts::kind_arrays;
use crate::failure::{WORDS, exception};
use crate::graph::{Graph, rule};
use crate::worker::Limits;

/// How to read a graph, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Reading {
    format: Option<String>,
    points: bool,
    columns: Option<Vec<String>>,
    weight: Option<String>,
    node_id: Option<String>,
    variable: Option<String>,
    header: Option<bool>,
    duplicates: String,
    directed: Option<bool>,
    kinds: Option<String>,
}

impl Reading {
    fn options(self, max_memory: Option<u64>) -> PyResult<ReadOptions> {
        let format = match self.format.as_deref() {
            None => None,
            Some(name) => match Format::from_name(name) {
                Some(format) => Some(format),
                None => {
                    let names = Format::ALL.map(Format::name).join(", ");
                    return Err(PyValueError::new_err(format!(
                        "format: found {name:?}, expected one of {names}"
                    )));
                }
            },
        };
        Ok(ReadOptions {
            format,
            points: self.points,
            edgeless: true,
            columns: self.columns,
            node_columns: false,
            duplicates: rule(&self.duplicates)?,
            header: self.header,
            directed: self.directed,
            weight: self.weight,
            kinds: self.kinds,
            node_id: self.node_id,
            variable: self.variable,
            nodes: None,
            max_memory,
        })
    }
}

/// Reads a graph: itself, the ids of its nodes (`None` where the file numbers them from 0), and what
/// came with it.
#[pyfunction]
pub(crate) fn read_graph(
    py: Python<'_>,
    path: PathBuf,
    reading: Reading,
    limits: Limits,
) -> PyResult<Bound<'_, PyDict>> {
    let options = reading.options(limits.max_memory)?;
    let loaded = py.detach(|| anchormatch_io::read_graph(&path, &options));
    let loaded = loaded.map_err(exception)?;
    let notes = loaded.worded_notes(WORDS);
    let result = PyDict::new(py);
    let nodes = loaded.graph.node_count();
    let columns: Vec<(&str, Vec<Option<&str>>)> = loaded
        .columns
        .iter()
        .map(|column| (column.name.as_str(), column.words(nodes)))
        .collect();
    result.set_item("columns", columns)?;
    let kinds = loaded.kinds.as_ref().map(|kinds| kind_arrays(py, kinds));
    result.set_item("kinds", kinds)?;
    result.set_item("first", loaded.first_number())?;
    let ids: Vec<String> = loaded.graph.labels().iter().map(Into::into).collect();
    result.set_item("ids", ids)?;
    result.set_item("points", loaded.format.is_points())?;
    let positions = loaded.positions.map(|places| arrays::array(py, places));
    result.set_item("positions", positions.transpose()?)?;
    result.set_item("notes", notes)?;
    result.set_item("graph", Bound::new(py, Graph::from(loaded.graph))?)?;
    Ok(result)
}

/// Reads a table of nodes: ids, and the columns by their names.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "ids, and names with words")]
pub(crate) fn read_nodes(
    py: Python<'_>,
    path: PathBuf,
) -> PyResult<(Vec<String>, Vec<(String, Vec<Option<String>>)>)> {
    let table = py.detach(|| anchormatch_io::read_nodes(&path));
    let NodeTable { ids, columns, .. } = table.map_err(exception)?;
    let columns = columns
        .into_iter()
        .map(|column| (column.name, column.words));
    Ok((ids, columns.collect()))
}

/// Reads a long table of attributes: the node, the attribute and the value of each row.
#[pyfunction]
pub(crate) fn read_features(py: Python<'_>, path: PathBuf) -> PyResult<Vec<(String, String, f64)>> {
    let table = py.detach(|| anchormatch_io::read_features(&path));
    let table = table.map_err(exception)?;
    let rows = table.rows();
    Ok(rows
        .map(|(node, name, value)| (node.to_owned(), name.to_owned(), value))
        .collect())
}
