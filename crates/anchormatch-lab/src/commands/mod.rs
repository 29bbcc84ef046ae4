//! The laboratory's commands: `bench` and `evaluate` of `anchormatch-lab`, `reproduce` of `anchormatch`.

pub mod bench;
mod data;
pub mod evaluate;
mod figures;
pub mod reproduce;

use anchormatch_terminal::exit::{Done, say};

/// How a command ends, after it said what is missing where it was stopped.
fn ended(complete: bool, missing: &str) -> Done {
    if complete {
        return Done::Complete;
    }
    say(format_args!("note: stopped on request{missing}"));
    Done::Cut
}
