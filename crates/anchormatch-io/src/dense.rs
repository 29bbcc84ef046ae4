//! From a square matrix of numbers to a graph: what adjacency tables, arrays and `.mat` share.
//!
//! An entry and its mirror image are one edge. Where the two differ, each is an arc, or, where directions
//! are set aside, the rule for repeated edges decides, which by default is an error that names both; zero
//! is the weight of no edge.

use anchormatch::error::Result;
use anchormatch::graph::{Directions, Duplicates, GraphBuilder};

use super::fault::fault;
use super::options::ReadOptions;

/// Adds the edges of the row-major n×n matrix `values` to `builder`.
///
/// # Errors
/// When a number is not finite or the graph would pass the memory allowed.
pub(super) fn add_matrix(
    builder: &mut GraphBuilder,
    name: &str,
    n: usize,
    values: &[f64],
    options: &ReadOptions,
) -> Result<()> {
    debug_assert_eq!(values.len(), n * n, "a square matrix");
    let held = std::mem::size_of_val(values) as u64;
    for i in 0..n {
        for j in 0..=i {
            let (lower, upper) = (values[i * n + j], values[j * n + i]);
            if !(lower.is_finite() && upper.is_finite()) {
                let (row, column, value) = if lower.is_finite() {
                    (j, i, upper)
                } else {
                    (i, j, lower)
                };
                let found = format!("{value} in row {} and column {}", row + 1, column + 1);
                return Err(fault(name, None, None, found, "a finite number"));
            }
            if lower == 0.0 && upper == 0.0 {
                continue;
            }
            if i == j || (lower == upper && options.duplicates != Duplicates::Sum) {
                builder.edge(j, i, lower, None)?;
                continue;
            }
            for (row, column, value) in [(j, i, upper), (i, j, lower)] {
                // No arc leads the other way; as a weight of the same edge, zero would count.
                if value != 0.0 || options.directions() == Directions::Ignore {
                    builder.entry(row, column, value, None)?;
                }
            }
        }
        options.reserve_beside(name, builder, held)?;
    }
    Ok(())
}

/// Turns columns into rows: the row-major n×n matrix `values` becomes its mirror image.
pub(super) fn transpose(values: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            values.swap(i * n + j, j * n + i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::graph::Graph;

    fn graph(values: &[f64], options: &ReadOptions) -> Result<Graph> {
        let mut builder = options.counted_builder("f", 0, 3, None)?;
        add_matrix(&mut builder, "f", 3, values, options)?;
        builder.build()
    }

    fn weights(values: &[f64], rule: Duplicates) -> Result<[f64; 3]> {
        let options = ReadOptions {
            duplicates: rule,
            directed: Some(false),
            ..ReadOptions::default()
        };
        let graph = graph(values, &options)?;
        assert_eq!(graph.cleaning().repeated_edges, 0);
        Ok([graph.weight(0, 1), graph.weight(0, 2), graph.weight(1, 2)])
    }

    #[test]
    fn mirror_images_are_one_edge_and_rules_decide_where_they_differ() {
        let symmetric = [9.0, 1.0, 0.0, 1.0, 0.0, -2.0, 0.0, -2.0, 0.0];
        for rule in [Duplicates::Error, Duplicates::Mean, Duplicates::First] {
            assert_eq!(weights(&symmetric, rule).unwrap(), [1.0, 0.0, -2.0]);
        }
        assert_eq!(
            weights(&symmetric, Duplicates::Sum).unwrap(),
            [2.0, 0.0, -4.0]
        );
        let upper = [0.0, 1.0, 4.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0];
        assert_eq!(weights(&upper, Duplicates::Sum).unwrap(), [1.0, 4.0, -2.0]);
        assert_eq!(
            weights(&upper, Duplicates::Error).unwrap_err().to_string(),
            "f: found edge (0, 1) with two weights, 1 and 0, \
             expected one weight; give a rule for repeated edges: sum, mean, max or first"
        );
    }

    #[test]
    fn a_matrix_that_is_not_symmetric_has_arcs() {
        let values = [9.0, 1.0, 4.0, 3.0, 0.0, -2.0, 0.0, -2.0, 0.0];
        let arcs = [
            (0, 1, 1.0),
            (0, 2, 4.0),
            (1, 0, 3.0),
            (1, 2, -2.0),
            (2, 1, -2.0),
        ];
        for (rule, directed) in [
            (Duplicates::Error, None),
            (Duplicates::Error, Some(true)),
            (Duplicates::Sum, Some(true)),
        ] {
            let options = ReadOptions {
                duplicates: rule,
                directed,
                ..ReadOptions::default()
            };
            let graph = graph(&values, &options).unwrap();
            assert!(graph.arcs().triplets().eq(arcs), "{rule:?}");
            assert_eq!(
                (graph.loops(), graph.cleaning().zero_weights),
                (&[(0, 9.0)][..], 0)
            );
        }
        // A rule says how two directions become one.
        let options = ReadOptions {
            duplicates: Duplicates::Mean,
            ..ReadOptions::default()
        };
        let graph = graph(&values, &options).unwrap();
        assert!(!graph.is_directed());
        assert_eq!((graph.weight(0, 1), graph.weight(0, 2)), (2.0, 2.0));
    }

    #[test]
    fn rounding_has_no_direction() {
        let third = 1.0 / 3.0;
        let values = [0.0, third, 0.0, third + 1e-15, 0.0, 1.0, 0.0, 1.0, 0.0];
        let graph = graph(&values, &ReadOptions::default()).unwrap();
        assert!(!graph.is_directed() && graph.edge_count() == 2);
    }

    #[test]
    fn numbers_that_are_none_are_named_with_their_place() {
        let mut values = [0.0; 9];
        values[5] = f64::NAN;
        assert_eq!(
            weights(&values, Duplicates::Error).unwrap_err().to_string(),
            "f: found NaN in row 2 and column 3, expected a finite number"
        );
    }
}
