//! What holds of heat kernels and signatures on every shape of graph: conservation, symmetry, names,
//! units, threads.
#![allow(clippy::unwrap_used)]

use anchormatch::linalg::Matrix;
use anchormatch::spectral::{
    Spectrum, Wave, anchored_signature, default_heat_times, default_wavelet_scales, diffusion_time,
    heat_columns, heat_kernel, heat_signature, mean_eigenvalue, wave_signature, wavelet_signature,
};
use anchormatch::{Graph, Monitor};
use anchormatch_invariants::shapes::{Shape, on_any_threads, order, scaled};
use proptest::prelude::*;

fn spectrum(graph: &Graph) -> Spectrum {
    Spectrum::of(graph, &Monitor::silent()).unwrap()
}

fn kernel(graph: &Graph) -> Matrix {
    heat_kernel(&spectrum(graph), diffusion_time(graph, 1.0).unwrap())
}

/// Every signature of a graph at scales of its own, side by side.
fn signatures(graph: &Graph) -> Vec<Matrix> {
    let spectrum = spectrum(graph);
    let mean = mean_eigenvalue(graph);
    let scale = if mean > 0.0 { mean } else { 1.0 };
    let wave = Wave::covering(&[(&spectrum, scale)], 12).unwrap();
    vec![
        heat_signature(&spectrum, &default_heat_times(&spectrum, 8)).unwrap(),
        wavelet_signature(&spectrum, &default_wavelet_scales(&spectrum, 6)).unwrap(),
        wave_signature(&spectrum, &wave, scale).unwrap(),
    ]
}

/// Shapes whose weights and times are ordinary numbers.
const ORDINARY: [Shape; 12] = [
    Shape::Empty,
    Shape::Single,
    Shape::Disconnected,
    Shape::Complete,
    Shape::Star,
    Shape::Duplicates,
    Shape::Isolated,
    Shape::Negative,
    Shape::Signed,
    Shape::Ties,
    Shape::Cycle,
    Shape::Ordinary,
];

fn graph(shapes: &[Shape]) -> impl Strategy<Value = Graph> {
    (
        prop::sample::select(shapes.to_vec()),
        1..14usize,
        any::<u64>(),
    )
        .prop_map(|(shape, nodes, seed)| shape.graph(nodes, seed))
}

fn assert_equal(found: &Matrix, wanted: &Matrix, slack: f64) {
    assert_eq!((found.rows(), found.cols()), (wanted.rows(), wanted.cols()));
    for (x, y) in found.as_slice().iter().zip(wanted.as_slice()) {
        assert!((x - y).abs() <= slack * (1.0 + y.abs()), "{x} and {y}");
    }
}

proptest! {
    #[test]
    fn heat_is_conserved_positive_and_symmetric(
        graph in graph(&[&ORDINARY[..], &[Shape::Huge, Shape::Tiny]].concat()),
    ) {
        let kernel = kernel(&graph);
        for u in 0..graph.node_count() {
            prop_assert!((kernel.row(u).iter().sum::<f64>() - 1.0).abs() < 1e-10);
            for v in 0..graph.node_count() {
                prop_assert_eq!(kernel[(u, v)].to_bits(), kernel[(v, u)].to_bits());
                prop_assert!(kernel[(u, v)] > -1e-12);
                // |k(u, v)|² ≤ k(u, u) k(v, v): the kernel is positive semidefinite.
                let most = kernel[(u, u)] * kernel[(v, v)];
                prop_assert!(kernel[(u, v)].powi(2) <= most * (1.0 + 1e-10));
            }
        }
    }

    #[test]
    fn new_names_rename_kernels_and_signatures(graph in graph(&ORDINARY), seed in any::<u64>()) {
        let order = order(graph.node_count(), seed);
        let renamed = graph.permuted(&order).unwrap();
        assert_equal(&kernel(&renamed), &kernel(&graph).select(&order, &order), 1e-9);
        for (found, plain) in signatures(&renamed).iter().zip(&signatures(&graph)) {
            let columns: Vec<usize> = (0..plain.cols()).collect();
            assert_equal(found, &plain.select(&order, &columns), 1e-8);
        }
    }

    #[test]
    fn a_power_of_two_changes_no_bit_of_a_kernel(graph in graph(&ORDINARY), power in -60..60i32) {
        let other = scaled(&graph, 2f64.powi(power));
        prop_assert_eq!(kernel(&other), kernel(&graph));
    }

    #[test]
    fn any_factor_leaves_kernels_and_signatures(
        graph in graph(&ORDINARY), exponent in -290..290i32, digits in 1.0..10.0f64,
    ) {
        let other = scaled(&graph, digits * 10f64.powi(exponent));
        assert_equal(&kernel(&other), &kernel(&graph), 1e-9);
        for (found, plain) in signatures(&other).iter().zip(&signatures(&graph)) {
            assert_equal(found, plain, 1e-8);
        }
    }

    #[test]
    fn columns_are_those_of_the_kernel(graph in graph(&ORDINARY), tau in 0.01..10.0f64) {
        let time = diffusion_time(&graph, tau).unwrap();
        let nodes: Vec<usize> = (0..graph.node_count()).rev().collect();
        let all: Vec<usize> = (0..graph.node_count()).collect();
        let wanted = heat_kernel(&spectrum(&graph), time).select(&all, &nodes);
        let monitor = Monitor::silent();
        let found = heat_columns(&graph, &[time], &nodes, 1e-10, &monitor).unwrap();
        assert_equal(&found[0], &wanted, 1e-8);
        let anchored = anchored_signature(&graph, &nodes, &[time], &monitor).unwrap();
        assert_equal(&anchored, &wanted, 1e-8);
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    for (shape, nodes) in [
        (Shape::Ordinary, 40),
        (Shape::Complete, 270),
        (Shape::Cycle, 300),
    ] {
        let graph = shape.graph(nodes, 5);
        on_any_threads(|| {
            let monitor = Monitor::silent();
            let time = diffusion_time(&graph, 1.0).unwrap();
            let columns = heat_columns(&graph, &[time], &[0, 3], 1e-10, &monitor).unwrap();
            let all = signatures(&graph)
                .into_iter()
                .chain(columns)
                .chain([kernel(&graph)]);
            let bits = all.flat_map(|matrix| matrix.into_vec()).map(f64::to_bits);
            bits.collect::<Vec<u64>>()
        });
    }
}
