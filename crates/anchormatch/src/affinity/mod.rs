//! First-order and second-order terms: how alike two nodes, or two pairs of nodes, are.

pub mod proximity;
