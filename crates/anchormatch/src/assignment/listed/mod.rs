//! Assignment over lists: every row has a few columns, and everything else is ruled out.
//!
//! Memory and time follow the number of listed entries, whatever the shape. [`ListedBalance`] makes
//! probabilities of log likelihoods; [`auction`] chooses one-to-one.

mod auction;
mod balance;

pub use auction::auction;
pub use balance::ListedBalance;
