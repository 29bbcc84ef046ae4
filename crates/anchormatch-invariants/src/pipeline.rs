//! The whole way from two tiny graphs to a matching, the graphs and the matcher made of any bytes.

use std::sync::Arc;

use anchormatch::anchors::Anchor;
use anchormatch::matcher::{Best, Matcher, Paper, Terms};
use anchormatch::{Anchors, Graph, Task};
use arbitrary::{Result, Unstructured};

use crate::matching::{bytes_of, checked};

/// The most nodes of a graph.
const LARGEST: usize = 6;

/// Weights that formulas stumble over.
const ODD: [f64; 12] = [
    1.0,
    -1.0,
    2.0,
    0.5,
    1e-300,
    1e300,
    -1e300,
    5e-324,
    f64::MIN_POSITIVE,
    f64::MAX,
    -f64::MAX,
    1.0 + f64::EPSILON,
];

/// What one run is made of.
#[derive(Debug, Clone)]
pub struct Case {
    /// The one graph.
    pub source: Graph,
    /// The other graph.
    pub target: Graph,
    /// Hard and soft anchors between them.
    pub anchors: Anchors,
    /// How they are matched.
    pub matcher: Arc<dyn Matcher>,
}

/// Matches what the bytes describe, on one thread and on two.
///
/// # Panics
/// When the result is not sound, or depends on the threads.
pub fn check_pipeline(bytes: &[u8]) {
    let Ok(case) = decode(bytes) else { return };
    let task = Task::new(&case.source, &case.target, &case.anchors);
    let task = task.expect("anchors of the graphs");
    let matcher = &*case.matcher;
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("a pool of threads");
        bytes_of(pool.install(|| checked(matcher, &task)))
    };
    assert!(on(1) == on(2), "{matcher:?}: the same on two threads");
}

/// The case that bytes describe; every case has bytes.
///
/// # Errors
/// When the bytes end too early.
///
/// # Panics
/// When the graphs or anchors that come out are refused.
pub fn decode(bytes: &[u8]) -> Result<Case> {
    let mut bytes = Unstructured::new(bytes);
    let matcher = matcher(&mut bytes)?;
    let source = graph(&mut bytes)?;
    let target = graph(&mut bytes)?;
    let (n, m) = (source.node_count(), target.node_count());
    let mut taken = (vec![false; n], vec![false; m]);
    let mut anchors = Vec::new();
    for _ in 0..bytes.int_in_range(0..=LARGEST)? {
        let (s, t) = (
            bytes.int_in_range(0..=n - 1)?,
            bytes.int_in_range(0..=m - 1)?,
        );
        let weight = match bytes.arbitrary::<u8>()? {
            soft @ 1..=99 => f64::from(soft) / 100.0,
            _ => 1.0,
        };
        if weight == 1.0 && (taken.0[s] || taken.1[t]) {
            continue;
        }
        if weight == 1.0 {
            (taken.0[s], taken.1[t]) = (true, true);
        }
        anchors.push(Anchor::new(s, t, weight));
    }
    let anchors = Anchors::new(&source, &target, anchors).expect("anchors that do not conflict");
    Ok(Case {
        source,
        target,
        anchors,
        matcher,
    })
}

fn matcher(bytes: &mut Unstructured<'_>) -> Result<Arc<dyn Matcher>> {
    Ok(match bytes.int_in_range(0..=7)? {
        kind @ 0..=5 => Arc::new(Paper::with_terms(Terms::ALL[kind])),
        kind => {
            let effort = if kind == 6 {
                Best::default()
            } else {
                Best::fast()
            };
            let (unmatched, repairs) = (bytes.arbitrary()?, bytes.arbitrary()?);
            let preset = effort.with_unmatched(unmatched).with_repairs(repairs);
            Arc::new(preset.with_seed(bytes.arbitrary::<u8>()?.into()))
        }
    })
}

fn graph(bytes: &mut Unstructured<'_>) -> Result<Graph> {
    let n = bytes.int_in_range(1..=LARGEST)?;
    let mut edges = Vec::new();
    let mut last = 1.0;
    for i in 0..n {
        for j in 0..i {
            let weight = match bytes.int_in_range(0..=5)? {
                0 => None,
                1 => Some(last),
                2 => Some(f64::from(bytes.arbitrary::<i8>()?)),
                3 => Some(*bytes.choose(&ODD)?),
                4 => Some(f64::from(bytes.arbitrary::<u16>()?) / 256.0),
                _ => Some(f64::from_bits(bytes.arbitrary()?)),
            };
            if let Some(weight) = weight.filter(|weight| weight.is_finite()) {
                edges.push((j, i, weight));
                last = weight;
            }
        }
    }
    Ok(Graph::from_edges(n, &edges).expect("edges within the graph"))
}
