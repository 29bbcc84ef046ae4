//! The stages of the sparse regime on blocks of nodes, for tasks of a cluster: arrays in, arrays out, without the
//! interpreter's lock.

use std::collections::{BTreeMap, HashMap};

use anchormatch::matcher::Effort;
use anchormatch::matcher::blocks::{
    self, Believed, Block, Course, Halo, Inquiry, Lists, Next, Numbers, PairSet, Question, Rows,
    Sample, Setting, Stored,
};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::failure::exception;

type U32<'py> = PyReadonlyArray1<'py, u32>;
type F32<'py> = PyReadonlyArray1<'py, f32>;
type F64<'py> = PyReadonlyArray1<'py, f64>;
type I64<'py> = PyReadonlyArray1<'py, i64>;
type Flags<'py> = PyReadonlyArray1<'py, bool>;
/// Offsets, columns, weights, ghosts and their degrees.
type BlockArrays<'py> = (I64<'py>, U32<'py>, Option<F32<'py>>, U32<'py>, U32<'py>);
/// Offsets, nodes, values.
type ListArrays<'py> = (I64<'py>, U32<'py>, F32<'py>);
/// Numbers of both graphs and of the model.
type SettingNumbers = (Vec<f64>, Vec<f64>, Vec<f64>);
/// Partners, their degrees, offsets, columns, weights; nodes, degrees, settled neighbours, open.
type HaloArrays<'py> = (
    U32<'py>,
    U32<'py>,
    I64<'py>,
    U32<'py>,
    Option<F32<'py>>,
    U32<'py>,
    U32<'py>,
    F32<'py>,
    Flags<'py>,
);
type Answer<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
    Option<Bound<'py, PyArray1<f32>>>,
);

type PartArrays<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<u32>>,
    Option<Bound<'py, PyArray1<f32>>>,
    Bound<'py, PyArray1<u32>>,
);

/// Lends the arrays of a block to a closure as a [`Block`].
macro_rules! block {
    ($arrays:expr) => {
        Block::new(
            $arrays.0.as_slice()?,
            $arrays.1.as_slice()?,
            match &$arrays.2 {
                Some(weights) => Some(weights.as_slice()?),
                None => None,
            },
            $arrays.3.as_slice()?,
            $arrays.4.as_slice()?,
        )
        .map_err(exception)?
    };
}

/// Lends them as a [`Stored`] block, of which the rows that are asked for are looked at.
macro_rules! stored {
    ($arrays:expr) => {
        Stored {
            offsets: $arrays.0.as_slice()?,
            columns: $arrays.1.as_slice()?,
            weights: match &$arrays.2 {
                Some(weights) => Some(weights.as_slice()?),
                None => None,
            },
            ghosts: $arrays.3.as_slice()?,
        }
    };
}

macro_rules! lists {
    ($arrays:expr) => {
        Lists::new(
            $arrays.0.as_slice()?,
            $arrays.1.as_slice()?,
            $arrays.2.as_slice()?,
        )
        .map_err(exception)?
    };
}

fn setting(numbers: &SettingNumbers) -> PyResult<Setting> {
    Setting::new([&numbers.0, &numbers.1], &numbers.2).map_err(exception)
}

fn six(numbers: &[f64]) -> PyResult<[f64; 6]> {
    numbers.try_into().map_err(|_| {
        PyValueError::new_err(format!(
            "model: found {} numbers, expected 6",
            numbers.len()
        ))
    })
}

fn counts_of_parts(numbers: &[f64]) -> PyResult<Vec<Numbers>> {
    const EACH: usize = std::mem::size_of::<Numbers>() / std::mem::size_of::<f64>();
    let parts = numbers.chunks(EACH).map(|part| {
        part.try_into()
            .map_err(|_| PyValueError::new_err(format!("counts: expected {EACH} numbers a part")))
    });
    parts.collect()
}

fn answer(py: Python<'_>, rows: Rows) -> Answer<'_> {
    (
        rows.lengths.into_pyarray(py),
        rows.columns.into_pyarray(py),
        rows.weights.map(|weights| weights.into_pyarray(py)),
    )
}

/// What an engine has to know of the stages.
#[pyfunction]
pub(crate) fn blocks_constants(fast: bool) -> HashMap<&'static str, f64> {
    let effort = if fast { Effort::Fast } else { Effort::Best };
    let c = blocks::constants(effort);
    HashMap::from([
        ("part", blocks::PART as f64),
        ("tentative", c.tentative as f64),
        ("iterations", c.iterations as f64),
        ("restarts", c.restarts as f64),
        ("alone", c.alone),
        ("fits", c.fits as f64),
        ("fitted_above", f64::from(c.fitted_above)),
        ("still", c.still),
        ("sure", f64::from(c.sure)),
        ("in_doubt", c.in_doubt),
        ("growth", c.growth),
        ("kept", f64::from(c.kept)),
        ("slack", f64::from(c.slack)),
        ("sweeps", c.sweeps as f64),
        ("balanced", c.balanced),
    ])
}

/// Seven numbers of a graph, by its degrees and how often each occurs.
#[pyfunction]
pub(crate) fn blocks_graph_numbers(degrees: Vec<u32>, counts: Vec<u64>) -> Vec<f64> {
    let counts: BTreeMap<u32, u64> = degrees.into_iter().zip(counts).collect();
    blocks::graph_numbers(&counts).to_vec()
}

/// Normal scores of mid-ranks.
#[pyfunction]
pub(crate) fn blocks_scores<'py>(
    py: Python<'py>,
    shares: F64<'py>,
) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let scores = shares.as_slice()?.iter().map(|&s| blocks::normal_score(s));
    Ok(scores.collect::<Vec<f32>>().into_pyarray(py))
}

/// Rows of some nodes: lengths, neighbours, weights. With the partners of all ghosts, those that have none.
#[pyfunction]
pub(crate) fn blocks_rows<'py>(
    py: Python<'py>,
    block: BlockArrays<'py>,
    nodes: U32<'py>,
    partners: Option<U32<'py>>,
) -> PyResult<Answer<'py>> {
    let (stored, nodes) = (stored!(block), nodes.as_slice()?);
    let partners = match &partners {
        Some(partners) => Some(partners.as_slice()?),
        None => None,
    };
    let rows = py.detach(|| stored.rows(nodes, partners));
    Ok(answer(py, rows.map_err(exception)?))
}

/// Some nodes of a block as a block of their own: offsets, columns, weights, and the places of its ghosts.
#[pyfunction]
pub(crate) fn blocks_part<'py>(
    py: Python<'py>,
    block: BlockArrays<'py>,
    nodes: U32<'py>,
) -> PyResult<PartArrays<'py>> {
    let (stored, nodes) = (stored!(block), nodes.as_slice()?);
    let part = py.detach(|| stored.part(nodes)).map_err(exception)?;
    Ok((
        part.offsets.into_pyarray(py),
        part.columns.into_pyarray(py),
        part.weights.map(|weights| weights.into_pyarray(py)),
        part.places.into_pyarray(py),
    ))
}

/// Some rows of lists, with the entries that are at least so large: lengths, nodes, values.
#[pyfunction]
pub(crate) fn blocks_lists<'py>(
    py: Python<'py>,
    lists: ListArrays<'py>,
    rows: U32<'py>,
    least: f32,
) -> PyResult<Answer<'py>> {
    let (lists, rows) = (lists!(lists), rows.as_slice()?);
    let found = py.detach(|| lists.some(rows, least)).map_err(exception)?;
    Ok(answer(py, found))
}

/// The sum of a value of the neighbours of every node.
#[pyfunction]
pub(crate) fn blocks_sums<'py>(
    py: Python<'py>,
    block: BlockArrays<'py>,
    values: F32<'py>,
) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let (block, values) = (block!(block), values.as_slice()?);
    let sums = py.detach(|| block.sums(values)).map_err(exception)?;
    Ok(sums.into_pyarray(py))
}

/// Whether any neighbour has a flag, of every node.
#[pyfunction]
pub(crate) fn blocks_touched<'py>(
    py: Python<'py>,
    block: BlockArrays<'py>,
    flags: Flags<'py>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let (block, flags) = (block!(block), flags.as_slice()?);
    let found = py.detach(|| block.touched(flags)).map_err(exception)?;
    Ok(found.into_pyarray(py))
}

macro_rules! believed {
    ($partners:expr, $lists:expr) => {
        match (&$partners, &$lists) {
            (Some(partners), None) => Believed::Settled(partners.as_slice()?),
            (Some(partners), Some(arrays)) => {
                Believed::Tentative(partners.as_slice()?, lists!(arrays))
            }
            (None, Some(arrays)) => Believed::Averaged(lists!(arrays)),
            (None, None) => {
                return Err(PyValueError::new_err(
                    "believed: found nothing, expected partners, lists or both",
                ));
            }
        }
    };
}

/// Nodes of the other graph whose rows speak for partners of some nodes.
#[pyfunction]
pub(crate) fn blocks_reach<'py>(
    py: Python<'py>,
    block: BlockArrays<'py>,
    nodes: U32<'py>,
    partners: Option<U32<'py>>,
    lists: Option<ListArrays<'py>>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let (block, nodes) = (block!(block), nodes.as_slice()?);
    let believed = believed!(partners, lists);
    let reached = py.detach(|| block.reach(nodes, believed));
    Ok(reached.map_err(exception)?.into_pyarray(py))
}

macro_rules! halo {
    ($arrays:expr) => {
        Halo {
            partners: $arrays.0.as_slice()?,
            partner_degrees: $arrays.1.as_slice()?,
            offsets: $arrays.2.as_slice()?,
            columns: $arrays.3.as_slice()?,
            weights: match &$arrays.4 {
                Some(weights) => Some(weights.as_slice()?),
                None => None,
            },
            nodes: $arrays.5.as_slice()?,
            degrees: $arrays.6.as_slice()?,
            settled: $arrays.7.as_slice()?,
            open: $arrays.8.as_slice()?,
        }
    };
}

/// Who could be the partners of some nodes; `question` is `"best"`, `"likeliest"` or `"evidence"`.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "arrays of three kinds of things")]
pub(crate) fn blocks_ask<'py>(
    py: Python<'py>,
    numbers: SettingNumbers,
    from_side: usize,
    block: BlockArrays<'py>,
    nodes: U32<'py>,
    partners: Option<U32<'py>>,
    lists: Option<ListArrays<'py>>,
    settled: F32<'py>,
    halo: HaloArrays<'py>,
    soft: (Vec<(u32, u32, f32)>, f32),
    others: f64,
    question: &str,
) -> PyResult<Answer<'py>> {
    let setting = setting(&numbers)?;
    let question = match question {
        "best" => Question::Best,
        "likeliest" => Question::Likeliest(blocks::constants(Effort::Best).tentative),
        "evidence" => Question::Evidence,
        other => {
            return Err(PyValueError::new_err(format!(
                "question: found {other:?}, expected best, likeliest or evidence"
            )));
        }
    };
    let block = block!(block);
    let halo = halo!(halo);
    let inquiry = Inquiry {
        from: from_side,
        nodes: nodes.as_slice()?,
        believed: believed!(partners, lists),
        settled: settled.as_slice()?,
        soft: &soft.0,
        most: soft.1,
        others,
        question,
    };
    let rows = py.detach(|| blocks::ask(&setting, &block, &halo, &inquiry));
    Ok(answer(py, rows.map_err(exception)?))
}

type Counted<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Counts over the pairs of source nodes, nine numbers a part, and what their evidence takes beside.
#[pyfunction]
pub(crate) fn blocks_count_source<'py>(
    py: Python<'py>,
    numbers: SettingNumbers,
    block: BlockArrays<'py>,
    own: U32<'py>,
    ghosts: U32<'py>,
    partners: U32<'py>,
    rows: (U32<'py>, U32<'py>, Option<F32<'py>>),
) -> PyResult<Counted<'py>> {
    let setting = setting(&numbers)?;
    let block = block!(block);
    let (own, ghosts, partners) = (own.as_slice()?, ghosts.as_slice()?, partners.as_slice()?);
    let rows = Rows {
        lengths: rows.0.as_slice()?.to_vec(),
        columns: rows.1.as_slice()?.to_vec(),
        weights: match &rows.2 {
            Some(weights) => Some(weights.as_slice()?.to_vec()),
            None => None,
        },
    };
    let found = py
        .detach(|| blocks::count_source(&setting, &block, own, ghosts, partners, rows))
        .map_err(exception)?;
    Ok((
        found.counts.concat().into_pyarray(py),
        found.common.into_pyarray(py),
    ))
}

/// The same of target nodes.
#[pyfunction]
pub(crate) fn blocks_count_target<'py>(
    py: Python<'py>,
    block: BlockArrays<'py>,
    own: U32<'py>,
    ghosts: U32<'py>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let block = block!(block);
    let (own, ghosts) = (own.as_slice()?, ghosts.as_slice()?);
    let counts = py.detach(|| blocks::count_target(&block, own, ghosts));
    Ok(counts.map_err(exception)?.concat().into_pyarray(py))
}

/// The samples of a block for the closeness of rivals: partners of the node and of two neighbours.
#[pyfunction]
pub(crate) fn blocks_samples<'py>(
    py: Python<'py>,
    block: BlockArrays<'py>,
    begin: usize,
    nodes: usize,
    own: U32<'py>,
    ghosts: U32<'py>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let block = block!(block);
    let (own, ghosts) = (own.as_slice()?, ghosts.as_slice()?);
    let samples = py
        .detach(|| block.samples(begin, nodes, own, ghosts))
        .map_err(exception)?;
    let flat = samples.iter().flat_map(|s| [s.own, s.one, s.other]);
    Ok(flat.collect::<Vec<u32>>().into_pyarray(py))
}

/// What is found for samples, two numbers each.
#[pyfunction]
pub(crate) fn blocks_looks<'py>(
    py: Python<'py>,
    numbers: SettingNumbers,
    samples: U32<'py>,
    halo: HaloArrays<'py>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let setting = setting(&numbers)?;
    let samples: Vec<Sample> = samples
        .as_slice()?
        .chunks_exact(3)
        .map(|s| Sample {
            own: s[0],
            one: s[1],
            other: s[2],
        })
        .collect();
    let halo = halo!(halo);
    let looks = py.detach(|| blocks::looks(&setting, &samples, &halo));
    let flat = looks.map_err(exception)?.into_iter();
    Ok(flat
        .flat_map(|look| [look.0, look.1])
        .collect::<Vec<f64>>()
        .into_pyarray(py))
}

/// The six numbers of the model.
#[pyfunction]
pub(crate) fn blocks_fit(counts: F64<'_>, looks: F64<'_>) -> PyResult<Vec<f64>> {
    let looks = looks.as_slice()?.chunks_exact(2);
    let looks: Vec<(f64, f64)> = looks.map(|look| (look[0], look[1])).collect();
    Ok(blocks::fit(&counts_of_parts(counts.as_slice()?)?, &looks).to_vec())
}

/// Whether two fits say the same, but for little.
#[pyfunction]
pub(crate) fn blocks_is_near(one: Vec<f64>, other: Vec<f64>) -> PyResult<bool> {
    Ok(blocks::is_near(six(&one)?, six(&other)?))
}

/// What an edge costs that the source, or the target, has alone.
#[pyfunction]
pub(crate) fn blocks_missing(numbers: SettingNumbers) -> PyResult<(f32, f32)> {
    let [source, target] = setting(&numbers)?.missing();
    Ok((source, target))
}

type Rests<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// What nodes have beside their candidates: the logarithm, and the share of it that is no partner at all.
#[pyfunction]
pub(crate) fn blocks_rests<'py>(
    py: Python<'py>,
    numbers: SettingNumbers,
    settled: F32<'py>,
    open: Flags<'py>,
    left: (f64, f64),
    share: f64,
) -> PyResult<Rests<'py>> {
    let setting = setting(&numbers)?;
    let rests = setting.rests(settled.as_slice()?, open.as_slice()?, left, share);
    let (logs, alone): (Vec<f64>, Vec<f64>) = rests
        .map_err(exception)?
        .into_iter()
        .map(|rest| (rest.log, rest.alone))
        .unzip();
    Ok((logs.into_pyarray(py), alone.into_pyarray(py)))
}

/// The expected numbers of nodes without a partner, by parts.
#[pyfunction]
pub(crate) fn blocks_expected_alone<'py>(
    py: Python<'py>,
    occupancy: ListArrays<'py>,
    rest: F64<'py>,
    alone: F64<'py>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let lists = lists!(occupancy);
    let each = rest.as_slice()?.iter().zip(alone.as_slice()?);
    let rests: Vec<_> = each
        .map(|(&log, &alone)| blocks::Rest { log, alone })
        .collect();
    let parts = py.detach(|| blocks::expected_alone(&lists, &rests));
    Ok(parts.map_err(exception)?.into_pyarray(py))
}

/// The share of the source nodes that have no partner, by their expected number.
#[pyfunction]
pub(crate) fn blocks_share_alone(numbers: SettingNumbers, expected: f64) -> PyResult<f64> {
    Ok(setting(&numbers)?.share_alone(expected))
}

/// The likelihood that all settled neighbours of open nodes are missed, by parts.
#[pyfunction]
pub(crate) fn blocks_missed<'py>(
    py: Python<'py>,
    settled: F32<'py>,
    open: Flags<'py>,
    missing: f32,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let parts = blocks::missed(settled.as_slice()?, open.as_slice()?, missing);
    Ok(parts.map_err(exception)?.into_pyarray(py))
}

/// The likelihood of targets that no neighbour speaks for, by parts.
#[pyfunction]
pub(crate) fn blocks_left_over<'py>(
    py: Python<'py>,
    masses: F32<'py>,
    settled: F32<'py>,
    missing: f32,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let parts = blocks::left_over(masses.as_slice()?, settled.as_slice()?, missing);
    Ok(parts.map_err(exception)?.into_pyarray(py))
}

/// The duals of rows, or, where `rest` is not given, of columns.
#[pyfunction]
pub(crate) fn blocks_duals<'py>(
    py: Python<'py>,
    lists: ListArrays<'py>,
    duals: F64<'py>,
    rest: Option<F64<'py>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (lists, duals) = (lists!(lists), duals.as_slice()?);
    let rest = match &rest {
        Some(rest) => Some(rest.as_slice()?),
        None => None,
    };
    let found = py.detach(|| match rest {
        Some(_) => blocks::log_sums(&lists, duals, rest),
        None => blocks::negative_log_sums(&lists, duals),
    });
    Ok(found.map_err(exception)?.into_pyarray(py))
}

/// The probabilities of all entries.
#[pyfunction]
pub(crate) fn blocks_balanced<'py>(
    py: Python<'py>,
    lists: ListArrays<'py>,
    rows: F64<'py>,
    columns: F64<'py>,
) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let lists = lists!(lists);
    let (rows, columns) = (rows.as_slice()?, columns.as_slice()?);
    let found = py.detach(|| blocks::balanced(&lists, rows, columns));
    Ok(found.map_err(exception)?.into_pyarray(py))
}

type Compared<'py> = (Bound<'py, PyArray1<bool>>, usize, Bound<'py, PyArray1<f64>>);

/// Rows that moved, how many have another likeliest node, and the expected right ones by parts.
#[pyfunction]
pub(crate) fn blocks_compare<'py>(
    py: Python<'py>,
    before: ListArrays<'py>,
    after: ListArrays<'py>,
) -> PyResult<Compared<'py>> {
    let (before, after) = (lists!(before), lists!(after));
    let found = py
        .detach(|| blocks::compare(&before, &after))
        .map_err(exception)?;
    Ok((
        found.moved.into_pyarray(py),
        found.changed,
        found.right.into_pyarray(py),
    ))
}

/// The one-to-one choice of the greatest sum.
#[pyfunction]
pub(crate) fn blocks_choose<'py>(
    py: Python<'py>,
    lists: ListArrays<'py>,
    columns: usize,
    slack: f32,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let lists = lists!(lists);
    let chosen = py.detach(|| blocks::choose(&lists, columns, slack));
    Ok(chosen.map_err(exception)?.into_pyarray(py))
}

/// Where an expansion stands at its start.
#[pyfunction]
pub(crate) fn blocks_course(nodes: usize, matched: usize) -> [usize; 4] {
    Course::new(nodes, matched).numbers()
}

/// The bounds that hold.
#[pyfunction]
pub(crate) fn blocks_bounds(course: [usize; 4]) -> Vec<f32> {
    Course::from_numbers(course).bounds().to_vec()
}

/// The course when postponed pairs were settled.
#[pyfunction]
pub(crate) fn blocks_settled(course: [usize; 4]) -> [usize; 4] {
    let mut course = Course::from_numbers(course);
    course.settled();
    course.numbers()
}

/// The course when no pair is above any bound, and what comes next: `"noisy seeds"`, `"lower"` or `"end"`.
#[pyfunction]
pub(crate) fn blocks_stuck(course: [usize; 4], matched: usize) -> ([usize; 4], &'static str) {
    let mut course = Course::from_numbers(course);
    let next = match course.stuck(matched) {
        Next::NoisySeeds => "noisy seeds",
        Next::Lower => "lower",
        Next::End => "end",
    };
    (course.numbers(), next)
}

/// Whether what is left is to be summed again.
#[pyfunction]
pub(crate) fn blocks_sums_are_old(matched: usize, at_sums: usize) -> bool {
    blocks::sums_are_old(matched, at_sums)
}

/// The classes of degrees.
#[pyfunction]
pub(crate) fn blocks_classes<'py>(
    py: Python<'py>,
    degrees: U32<'py>,
) -> PyResult<Bound<'py, PyArray1<u8>>> {
    let classes = degrees.as_slice()?.iter();
    let classes: Vec<u8> = classes.map(|&d| blocks::class_of_degree(d)).collect();
    Ok(classes.into_pyarray(py))
}

/// Counts, common, nats of soft anchors, table of classes, pairs.
type Set = (Vec<f64>, f64, f64, Vec<(u8, u8, f64)>, usize);

/// What speaks against chance, in nats, and the probability that there is something to find.
#[pyfunction]
pub(crate) fn blocks_weigh(
    numbers: SettingNumbers,
    anchors: usize,
    sets: Vec<Set>,
) -> PyResult<(f64, f64)> {
    let setting = setting(&numbers)?;
    let sets = sets
        .into_iter()
        .map(|(counts, common, prior, table, pairs)| {
            Ok(PairSet {
                counts: counts_of_parts(&counts)?,
                common,
                prior,
                degrees: table.into_iter().map(|(x, y, n)| ((x, y), n)).collect(),
                pairs,
            })
        })
        .collect::<PyResult<Vec<_>>>()?;
    Ok(blocks::weigh(&setting, anchors, &sets))
}
