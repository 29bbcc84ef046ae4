//! What the commands of anchormatch share: how they take resources, show progress, write files and end.
//!
//! Printing, the environment, signals and exit codes live here and in the two programs, and nowhere
//! else. The programs are `anchormatch` and the laboratory's `anchormatch-lab`; the second is not part of
//! the first, and the first may hold a command of the laboratory, so that neither can lend to the other.

pub mod exit;
pub mod files;
pub mod help;
pub mod hints;
pub mod job;
pub mod memory;
pub mod progress;
pub mod resources;
pub mod table;
pub mod values;
