//! Lists of (node, value) made for many rows at once, whatever the number of threads.

use rayon::prelude::*;

use super::neighbours::Scratch;
use crate::linalg::Csr;
use crate::monitor::Monitor;

/// Rows of one task. Between two of them stops are looked for.
const CHUNK: usize = 1024;

/// Some rows: their lengths, columns and values.
type Part = (Vec<u32>, Vec<u32>, Vec<f32>);

/// The matrix whose row i is what `fill` writes, with ascending columns; `None` when the monitor stops it.
pub(super) fn by_row(
    rows: usize,
    cols: usize,
    monitor: &Monitor,
    fill: impl Fn(usize, &mut Scratch, &mut Vec<(u32, f32)>) + Sync,
) -> Option<Csr<f32>> {
    let parts: Option<Vec<Part>> = (0..rows.div_ceil(CHUNK))
        .into_par_iter()
        .map_init(
            || (Scratch::default(), Vec::new()),
            |(scratch, row), chunk| {
                if monitor.interrupted().is_some() {
                    return None;
                }
                let mut part = (Vec::with_capacity(CHUNK), Vec::new(), Vec::new());
                for i in chunk * CHUNK..rows.min((chunk + 1) * CHUNK) {
                    row.clear();
                    fill(i, scratch, row);
                    part.0.push(row.len() as u32);
                    part.1.extend(row.iter().map(|entry| entry.0));
                    part.2.extend(row.iter().map(|entry| entry.1));
                }
                Some(part)
            },
        )
        .collect();
    let parts = parts?;
    let entries = parts.iter().map(|part| part.1.len()).sum();
    let mut offsets = Vec::with_capacity(rows + 1);
    offsets.push(0);
    let mut columns = Vec::with_capacity(entries);
    let mut values = Vec::with_capacity(entries);
    let mut end = 0;
    for (lengths, part_columns, part_values) in parts {
        for length in lengths {
            end += length as usize;
            offsets.push(end);
        }
        columns.extend_from_slice(&part_columns);
        values.extend_from_slice(&part_values);
    }
    Some(Csr::from_parts(cols, offsets, columns, values).expect("rows ascend"))
}

/// `work` for every one of `nodes`, in their order; `None` when the monitor stops it.
pub(super) fn for_nodes<T: Send>(
    nodes: &[u32],
    monitor: &Monitor,
    work: impl Fn(usize, &mut Scratch) -> T + Sync,
) -> Option<Vec<T>> {
    let parts: Option<Vec<Vec<T>>> = nodes
        .par_chunks(CHUNK / 4)
        .map_init(Scratch::default, |scratch, chunk| {
            if monitor.interrupted().is_some() {
                return None;
            }
            let results = chunk.iter().map(|&node| work(node as usize, scratch));
            Some(results.collect())
        })
        .collect();
    Some(parts?.into_iter().flatten().collect())
}
