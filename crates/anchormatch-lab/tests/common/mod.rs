//! The command that is tested.

use anchormatch_invariants::command;

/// A folder of its own for one test.
pub(crate) type Bench = command::Bench<Laboratory>;

pub(crate) struct Laboratory;

impl command::Program for Laboratory {
    const PATH: &str = env!("CARGO_BIN_EXE_anchormatch-lab");
}
