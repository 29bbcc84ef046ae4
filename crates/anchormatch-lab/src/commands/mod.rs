//! The laboratory's commands: `bench` and `evaluate` of `anchormatch-lab`, `reproduce` of `anchormatch`.

pub mod bench;
mod data;
pub mod evaluate;
mod figures;
pub mod reproduce;
