//! Generators, data sets, experiments and reports for `anchormatch`.

pub mod report;
