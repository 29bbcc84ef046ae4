//! The `anchormatch-lab` command: solvers and presets measured.

use std::process::ExitCode;

use anchormatch_lab::commands::{bench, evaluate};
use anchormatch_terminal::exit::{self, Outcome};
use clap::{CommandFactory, Parser, Subcommand};

/// What was asked for.
#[derive(Debug, Parser)]
#[command(
    name = "anchormatch-lab",
    version,
    about = "Measure the solvers and presets of anchormatch",
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bench(bench::Options),
    Evaluate(evaluate::Options),
}

impl Cli {
    /// Whether errors are to be written as JSON.
    fn wants_json(&self) -> bool {
        match &self.command {
            Command::Bench(options) => options.wants_json(),
            Command::Evaluate(options) => options.wants_json(),
        }
    }

    /// Does what was asked for.
    fn run(&self) -> Outcome {
        match &self.command {
            Command::Bench(options) => options.run(),
            Command::Evaluate(options) => options.run(),
        }
    }
}

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => exit::finish(cli.wants_json(), cli.run()),
        Err(error) => exit::usage(&error, &Cli::command()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::error::Hint;
    use anchormatch_lab::datasets::DATA_VARIABLE;
    use anchormatch_terminal::help::unexplained;
    use anchormatch_terminal::hints::{WORDS, without_option};

    #[test]
    fn the_command_line_is_consistent_and_explained() {
        Cli::command().debug_assert();
        assert_eq!(unexplained(&Cli::command()), Vec::<String>::new());
    }

    #[test]
    fn data_folders_are_named_by_an_option_or_the_variable() {
        assert!(WORDS(Hint::DataFolder).contains(DATA_VARIABLE));
        let absent = without_option(&Cli::command(), |hint| hint == Hint::DataFolder);
        assert_eq!(absent, Vec::<String>::new());
    }
}
