//! The options of what a run may use.

use clap::{Args, ValueEnum};

use crate::exit::Failure;
use crate::{memory, values};

/// What a run may use, and how it shows that it is at work.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Resources")]
pub struct Resources {
    /// Threads to use, 1 to 1024; results do not depend on it [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// The most memory to use: 512M, 1.5G, 4GiB, or bytes [default: what the machine has free]
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    max_memory: Option<u64>,

    /// How to show progress on standard error
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub progress: ProgressMode,
}

impl Resources {
    /// The memory allowed, in bytes; `None` when the machine does not say what it has.
    pub fn memory(&self) -> Option<u64> {
        self.max_memory.or_else(memory::available)
    }

    /// Sets the number of threads of the whole process.
    pub fn start_threads(&self) -> Result<(), Failure> {
        let Some(threads) = self.threads else {
            return Ok(());
        };
        rayon::ThreadPoolBuilder::new()
            .num_threads(usize::from(threads))
            .build_global()
            .map_err(|error| Failure::usage("--threads", threads, format!("fewer: {error}")))
    }
}

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressMode {
    /// A bar when standard error is a terminal, else nothing
    Auto,
    /// A bar; nothing where there is no terminal to draw it on
    Bar,
    /// A JSON object a line: {"stage":…,"done":…,"total":…,"value":…}
    Json,
    /// Nothing
    None,
}
