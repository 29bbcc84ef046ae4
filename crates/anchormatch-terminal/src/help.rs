//! What the tests of both commands ask of their help.

use clap::Command;

/// The commands and options that are not explained.
#[must_use]
pub fn unexplained(command: &Command) -> Vec<String> {
    let name = command.get_name();
    let mut without = Vec::new();
    if command.get_about().is_none() {
        without.push(name.to_owned());
    }
    let arguments = command.get_arguments().filter(|a| a.get_help().is_none());
    without.extend(arguments.map(|argument| format!("{name} {}", argument.get_id())));
    without.extend(command.get_subcommands().flat_map(unexplained));
    without
}
