//! One file per command: its options, its help and its `run`.

mod asking;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod generate;
pub(crate) mod info;
pub(crate) mod learn;
pub(crate) mod matching;
pub(crate) mod nominate;
pub(crate) mod reproduce;
pub(crate) mod signature;
pub(crate) mod solve;
pub(crate) mod solvers;
pub(crate) mod studio;
pub(crate) mod suggest;
