//! The `anchormatch` command: match two graphs when a few pairs are known.
//!
//! Each command is a file under `commands` with its options and its `run`. What commands share is in the
//! rooms of `anchormatch-terminal`: printing, the environment, signals and exit codes.

mod args;
mod commands;
mod contradictions;
mod headers;
mod input;
mod knowledge;
mod method;
mod sides;

use std::process::ExitCode;

use anchormatch_terminal::{exit, files, job, table, values};
use clap::CommandFactory;

use crate::args::Cli;

fn main() -> ExitCode {
    match args::parse() {
        Ok(cli) => exit::finish(cli.wants_json(), cli.run()),
        Err(error) => exit::usage(&error, &Cli::command()),
    }
}
