//! Laplacian eigenpairs, heat kernels and node signatures.
//!
//! With L = Σₖ λₖ φₖφₖᵀ, 0 = λ₁ ≤ λ₂ ≤ …, the heat kernel is
//!
//! > k_t(u, v) = Σₖ exp(−tλₖ) φₖ(u) φₖ(v)
//!
//! and a Laplacian family signature of a node is s_u(t) = Σₖ h(t; λₖ) φₖ(u)² (Hu & Guibas, 2013).
//! Everything here depends on eigenspaces only, never on the sign, order or basis of eigenvectors,
//! so isomorphic graphs get equal results.
//!
//! Beside the family stand the signatures of nodes that the paper cites: [`random_walk_signature`] (Gori et al.),
//! [`node_signature`] (Jouili and Tabbone), [`neighbourhood_signature`] (Wong et al.) and [`topological_signature`]
//! (Shokoufandeh and Dickinson).

mod chebyshev;
mod heat;
mod kinds;
mod neighbourhood;
mod node;
mod random_walk;
mod signature;
mod spectrum;
mod topological;

pub use chebyshev::heat_columns;
pub use heat::{diffusion_time, heat_kernel, mean_eigenvalue};
pub use kinds::SignatureKind;
pub use neighbourhood::{default_distances, neighbourhood_signature};
pub use node::{apart, default_ranks, node_signature};
pub use random_walk::{default_dampings, random_walk_signature};
pub use signature::{
    Wave, anchored_signature, default_heat_times, default_wavelet_scales, heat_signature,
    wave_signature, wavelet_signature,
};
pub use spectrum::Spectrum;
pub use topological::topological_signature;
