//! A matcher whose W no preset has.

use anchormatch::linalg::Matrix;
use anchormatch::matcher::{Matcher, check};
use anchormatch::problem::Pairwise;
use anchormatch::settings::{self, Settings};
use anchormatch::solver::Rrwm;
use anchormatch::{Matching, Monitor, Result, Task};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Workbench;

/// A way to put W together; its fields are parameters.
pub trait Program: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The name of the matcher that it makes.
    const NAME: &'static str;
    /// What it does, in a line.
    const ABOUT: &'static str;

    /// W over the free nodes of what lies on the bench: its diagonal, and the rest.
    ///
    /// # Errors
    /// When a parameter is out of range or the memory does not suffice.
    fn build(&self, bench: &Workbench<'_>) -> Result<(Matrix, Box<dyn Pairwise>)>;

    /// How RRWM walks on it; as its authors have it, unless a program says otherwise.
    fn solver(&self) -> Rrwm {
        Rrwm::default()
    }
}

/// The matcher of a [`Program`], which RRWM solves.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByHand<P> {
    program: P,
    seed: u64,
}

impl<P: Program> ByHand<P> {
    /// The matcher of `program`.
    #[must_use]
    pub fn new(program: P) -> Self {
        Self { program, seed: 0 }
    }
}

impl<P: Program> Matcher for ByHand<P> {
    fn name(&self) -> &str {
        P::NAME
    }

    fn about(&self) -> &str {
        P::ABOUT
    }

    fn parameters(&self) -> Settings {
        settings::list(self)
    }

    fn configured(&self, settings: &Settings) -> Result<Box<dyn Matcher>> {
        let changed: Self = settings::changed(P::NAME, self, settings)?;
        Ok(Box::new(changed))
    }

    fn run(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Matching> {
        check(self, task)?;
        let bench = Workbench::new(task, monitor);
        let (unary, pairwise) = self.program.build(&bench)?;
        monitor.answerable();
        bench.solve(unary, pairwise, &self.program.solver(), self.seed)
    }
}
