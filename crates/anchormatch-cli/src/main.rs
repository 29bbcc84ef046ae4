//! The `anchormatch` command: match two graphs when a few pairs are known.
//!
//! Printing, the environment, signals and exit codes live in this crate and nowhere else. Each
//! command is a file under `commands` with its options and its `run`; what commands share is in the
//! rooms beside it.

mod args;
mod commands;
mod data;
mod exit;
mod files;
mod job;
mod memory;
mod method;
mod progress;
mod table;
mod values;

use std::process::ExitCode;

fn main() -> ExitCode {
    match args::parse() {
        Ok(cli) => exit::finish(cli.wants_json(), cli.run()),
        Err(error) => exit::usage(&error),
    }
}
