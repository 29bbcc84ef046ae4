//! First-order and second-order terms: how alike two nodes, or two pairs of nodes, are.
//!
//! | the paper's symbol | here |
//! |---|---|
//! | d_B, the learned proximity | [`proximity`] |
//! | d_ap, heat to anchors | [`first_order::heat_to_anchors`] |
//! | WKS | [`first_order::wave_distance`] |
//! | d_k, pairwise heat | [`second_order`] on heat kernels |
//! | adjacency | [`second_order`] on adjacency matrices |
//! | Ω | [`first_order::diffusion_loss`] |

pub mod first_order;
pub mod folding;
pub mod likelihood;
pub mod proximity;
pub mod second_order;
