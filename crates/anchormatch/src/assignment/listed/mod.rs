//! Assignment over lists: every row has a few columns, and everything else is ruled out.
//!
//! Memory and time follow the number of listed entries, whatever the shape. [`ListedBalance`] makes
//! probabilities of log likelihoods; [`auction`] chooses one-to-one, nearly at best, and [`ListedSolver`] at best; [`augment`] finds as many
//! pairs as there can be.

mod auction;
mod augment;
mod balance;
mod exact;
mod scaled;
mod sinkhorn;

pub use auction::auction;
pub use augment::augment;
pub use balance::ListedBalance;
pub(crate) use balance::{STILL, SWEEPS, listed_log_sums, listed_occupancy};
pub use exact::{Alone, ListedSolver};
pub use sinkhorn::ListedSinkhorn;
