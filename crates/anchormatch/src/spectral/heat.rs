//! The dense heat kernel and the choice of its time.

use super::Spectrum;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::linalg::{Matrix, multiply_transposed_into};

/// t = τ / mean(λ₂ … λₙ): with it, k_t does not change when all weights are scaled.
///
/// The mean is trace(L)/(n − 1), so no eigenvalue is needed. A graph without edges never exchanges
/// heat; any time will do, and τ itself is returned.
///
/// # Errors
/// When τ is not positive and finite.
pub fn diffusion_time(graph: &Graph, tau: f64) -> Result<f64> {
    if !(tau > 0.0 && tau.is_finite()) {
        return Err(Error::parameter("tau", tau, "a positive number"));
    }
    let mean = mean_eigenvalue(graph);
    // A time without end would make heat of nothing where an eigenvalue is 0.
    Ok(if mean > 0.0 {
        (tau / mean).min(f64::MAX)
    } else {
        tau
    })
}

/// The mean of λ₂ … λₙ; 0 without edges.
#[must_use]
pub fn mean_eigenvalue(graph: &Graph) -> f64 {
    let others = graph.node_count().saturating_sub(1).max(1) as f64;
    graph.laplacian().trace() / others
}

/// k_t(u, v) for all pairs, exactly symmetric.
///
/// # Complexity
/// O(n³) time, 2 n² numbers.
#[must_use]
pub fn heat_kernel(spectrum: &Spectrum, time: f64) -> Matrix {
    let n = spectrum.node_count();
    let mut half = spectrum.eigenvectors().clone();
    let decay: Vec<f64> = spectrum
        .eigenvalues()
        .iter()
        .map(|value| (-0.5 * time * value).exp())
        .collect();
    for u in 0..n {
        for (entry, factor) in half.row_mut(u).iter_mut().zip(&decay) {
            *entry *= factor;
        }
    }
    let mut kernel = Matrix::zeros(n, n);
    multiply_transposed_into(
        kernel.as_mut_slice(),
        half.as_slice(),
        half.as_slice(),
        n,
        n,
        n,
    );
    // The product's two triangles may differ in the last bit.
    for u in 0..n {
        for v in 0..u {
            kernel[(v, u)] = kernel[(u, v)];
        }
    }
    kernel
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Monitor;

    fn kernel(graph: &Graph, time: f64) -> Matrix {
        heat_kernel(&Spectrum::of(graph, &Monitor::silent()).unwrap(), time)
    }

    #[test]
    fn two_nodes_have_the_closed_form() {
        // k_t = ½(1 ± exp(−2wt)).
        let (w, t) = (1.7, 0.4);
        let graph = Graph::from_edges(2, &[(0, 1, w)]).unwrap();
        let k = kernel(&graph, t);
        let decay = (-2.0 * w * t).exp();
        assert!((k[(0, 0)] - 0.5 * (1.0 + decay)).abs() < 1e-14);
        assert!((k[(0, 1)] - 0.5 * (1.0 - decay)).abs() < 1e-14);
    }

    #[test]
    fn heat_is_conserved_and_spreads_only_within_components() {
        let graph = Graph::from_edges(5, &[(0, 1, 1.0), (1, 2, 2.0), (3, 4, 0.5)]).unwrap();
        let k = kernel(&graph, 0.8);
        for u in 0..5 {
            assert!((k.row(u).iter().sum::<f64>() - 1.0).abs() < 1e-13);
        }
        assert!(k[(0, 3)].abs() < 1e-14);
    }

    #[test]
    fn heat_kernels_compose() {
        // k_s k_t = k_{s+t}.
        let graph =
            Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 2.0), (2, 3, 0.5), (3, 0, 1.5)]).unwrap();
        let (first, second, both) = (
            kernel(&graph, 0.3),
            kernel(&graph, 0.5),
            kernel(&graph, 0.8),
        );
        for u in 0..4 {
            for v in 0..4 {
                let product: f64 = (0..4).map(|m| first[(u, m)] * second[(m, v)]).sum();
                assert!((product - both[(u, v)]).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn scaled_weights_give_the_same_kernel() {
        let edges = [(0, 1, 1.0), (1, 2, 2.0), (2, 3, 0.5), (3, 0, 1.5)];
        let doubled = edges.map(|(u, v, w)| (u, v, 1000.0 * w));
        let a = Graph::from_edges(4, &edges).unwrap();
        let b = Graph::from_edges(4, &doubled).unwrap();
        let ka = kernel(&a, diffusion_time(&a, 1.0).unwrap());
        let kb = kernel(&b, diffusion_time(&b, 1.0).unwrap());
        for (x, y) in ka.as_slice().iter().zip(kb.as_slice()) {
            assert!((x - y).abs() < 1e-12);
        }
    }

    #[test]
    fn bad_times_are_refused_and_edgeless_graphs_are_not() {
        let graph = Graph::from_edges(3, &[]).unwrap();
        assert_eq!(diffusion_time(&graph, 1.0).unwrap(), 1.0);
        for tau in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(diffusion_time(&graph, tau).is_err());
        }
    }
}
