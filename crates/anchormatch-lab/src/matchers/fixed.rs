//! A matcher that is a function, for tests.

use anchormatch::matcher::{Matcher, matching_of};
use anchormatch::settings::Settings;
use anchormatch::solver::{Solution, Status};
use anchormatch::{Assignment, Matching, Monitor, Result, Task};

#[derive(Clone, Copy)]
pub(crate) struct Fixed(pub(crate) fn(&Task<'_>) -> Result<Matching>);

impl Matcher for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn about(&self) -> &'static str {
        "A function"
    }

    fn parameters(&self) -> Settings {
        Settings::new()
    }

    fn configured(&self, _: &Settings) -> Result<Box<dyn Matcher>> {
        Ok(Box::new(*self))
    }

    fn run(&self, task: &Task<'_>, _: &Monitor) -> Result<Matching> {
        (self.0)(task)
    }
}

/// The anchors and nothing else.
pub(crate) fn anchors_alone(task: &Task<'_>) -> Result<Matching> {
    let (free, _) = task.anchors().free_nodes(task.source(), task.target());
    let nothing = Solution {
        assignment: Assignment::empty(free.len()),
        objective: 0.0,
        soft: None,
        iterations: 0,
        status: Status::Converged,
        convergence: Vec::new(),
    };
    Ok(matching_of(task, nothing))
}
