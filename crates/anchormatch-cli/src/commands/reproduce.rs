//! `anchormatch reproduce`: the laboratory's command, where it is built in.

#[cfg(feature = "reproduce")]
pub(crate) use anchormatch_lab::commands::reproduce::Options;

#[cfg(not(feature = "reproduce"))]
pub(crate) use absent::Options;

/// What stands in its place where it is not.
#[cfg(not(feature = "reproduce"))]
mod absent {
    use std::ffi::OsString;

    use clap::Args;

    use crate::exit::{Failure, Outcome};

    const LONG_ABOUT: &str = "\
Redo Section 5 of the paper and see which of its claims hold. This needs the laboratory (data sets, \
experiments, statistics), which is not in this build:

  cargo build --release -p anchormatch-cli --features reproduce

builds it in, and `make reproduce` runs all of it.";

    /// Redo the paper's experiments and see which of its claims hold (not in this build)
    #[derive(Debug, Args)]
    #[command(long_about = LONG_ABOUT)]
    pub(crate) struct Options {
        /// What to redo, and how
        #[arg(
            value_name = "ARGUMENT",
            trailing_var_arg = true,
            allow_hyphen_values = true
        )]
        arguments: Vec<OsString>,
    }

    impl Options {
        /// Whether JSON was asked for.
        pub(crate) fn wants_json(&self) -> bool {
            self.arguments.iter().any(|argument| argument == "--json")
        }

        /// Says how to get it.
        #[expect(clippy::unused_self, reason = "a command runs itself")]
        pub(crate) fn run(&self) -> Outcome {
            Err(Failure::misuse(
                "reproduce: found a build without the laboratory, expected \
                 `cargo build --release -p anchormatch-cli --features reproduce`, or `make reproduce`",
            ))
        }
    }
}
