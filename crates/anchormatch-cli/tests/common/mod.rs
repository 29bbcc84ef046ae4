//! The command that is tested.

// Each test file takes what it needs.
#[allow(unused_imports)]
pub(crate) use anchormatch_invariants::small_problems as problems;

use anchormatch_invariants::command;

/// A folder of its own for one test.
pub(crate) type Bench = command::Bench<Anchormatch>;

pub(crate) struct Anchormatch;

impl command::Program for Anchormatch {
    const PATH: &str = env!("CARGO_BIN_EXE_anchormatch");
}
