//! From a [`Task`] to a [`Matching`]: the only room that sees both ends.
//!
//! A [`Matcher`] is a method as a whole: [`Best`] (and its preset `fast`) finds the most likely matching
//! and says how sure it is; [`Paper`] follows Hu, Rustamov, Guibas (CVPR 2013) step by step. [`registry`]
//! lists them by name; front doors and experiments know matchers from there alone.

mod assemble;
mod best;
mod by_name;
mod learned;
mod paper;
pub mod registry;
mod terms;

pub use assemble::matching_of;
#[cfg(feature = "laboratory")]
pub use best::Ingredients;
pub use best::sparse::blocks;
pub use best::{Best, Effort, RegimeChoice};
pub use learned::{ExampleLearner, Learned, LearnedWeights, LearningMethod, TrainingPair};
pub use paper::{
    AbsentEdges, AnchorHeat, Features, FirstOrder, Paper, ProximityLearner, Reading, Shared,
};
pub use terms::Terms;

use self::assemble::{FreeNodes, Log, anchor_pairs, assemble, candidates, of_pairs};
use crate::error::{Error, Result};
use crate::matching::Matching;
use crate::monitor::Monitor;
use crate::settings::Settings;
use crate::task::{Fact, Task};

/// A way to match two graphs.
pub trait Matcher: Send + Sync {
    /// The name by which a user picks it.
    fn name(&self) -> &str;

    /// What it does, in a line.
    fn about(&self) -> &str;

    /// All its parameters with their values.
    fn parameters(&self) -> Settings;

    /// The same matcher with some parameters set.
    ///
    /// # Errors
    /// When a parameter is not one of its own or has another type.
    fn configured(&self, settings: &Settings) -> Result<Box<dyn Matcher>>;

    /// The facts that it makes use of; a task with others is refused by [`check`].
    fn facts(&self) -> &[Fact] {
        &[]
    }

    /// Matches what the task holds; a stop by `monitor` returns the best so far, if there is one.
    ///
    /// A matcher calls [`Monitor::answerable`] as soon as a stop would leave it something to return.
    ///
    /// # Errors
    /// When the task or a parameter does not suit it, the memory does not suffice, or the monitor stops
    /// the work before there is any matching.
    fn run(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Matching>;
}

/// The name and the parameters.
impl std::fmt::Debug for dyn Matcher + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parameters = serde_json::Value::Object(self.parameters());
        write!(f, "{} {parameters}", self.name())
    }
}

/// Refuses a task with facts that a matcher would ignore.
///
/// # Errors
/// When there is one; the message names the matchers that know it.
pub fn check(matcher: &dyn Matcher, task: &Task<'_>) -> Result<()> {
    let known = matcher.facts();
    match task.facts().known().find(|fact| !known.contains(fact)) {
        None => Ok(()),
        Some(fact) => {
            let others = registry::all().into_iter();
            let others = others.filter(|other| other.facts().contains(&fact));
            let others: Vec<String> = others.map(|other| other.name().to_owned()).collect();
            let found = format!("with the preset {}", matcher.name());
            let expected = format!("the preset {}, which alone know it", others.join(" or "));
            Err(Error::parameter(fact.as_str(), found, expected))
        }
    }
}
