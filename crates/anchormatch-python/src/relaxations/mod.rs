//! The relaxations of `anchormatch.compat` for small problems, where most of the time of NumPy would go
//! into calls.
//!
//! Each does, operation by operation, what its counterpart in Python does for problems of any size:
//! [`frank_wolfe`] is `compat/_frank_wolfe.py`, [`power_iteration`] and [`fixed_points`] are `sm` and `ipfp`
//! of `compat/pygmtools.py`. They work on the calling thread, without the interpreter's lock, and look
//! for signals every few iterations.

mod batches;
mod climb;
mod shortest_paths;

pub(crate) use batches::{fixed_points, power_iteration};
pub(crate) use climb::frank_wolfe;

/// Iterations between two looks for signals.
const BETWEEN_SIGNALS: usize = 16;
