//! What the portfolio does with relaxations that refuse a problem, and with those that fail.

#![allow(clippy::unwrap_used)]

use anchormatch::linalg::Matrix;
use anchormatch::problem::{ExplicitPairwise, Problem};
use anchormatch::solver::{
    Faq, Info, Kind, OnLists, Path, Portfolio, Solution, Solver, Start, Umeyama, registry,
};
use anchormatch::{Error, Monitor, Result};
use serde::{Deserialize, Serialize};

/// A relaxation that takes every problem and solves none.
#[derive(Serialize, Deserialize)]
struct Failing {}

impl Solver for Failing {
    fn info(&self) -> Info {
        Info {
            name: "failing",
            kind: Kind::Relaxation,
            reference: "none",
            complexity: "none",
            accepts: "all",
            candidates: OnLists::Filled,
        }
    }

    fn solve_accepted(&self, _: &Problem, _: &Start<'_>, _: &Monitor) -> Result<Solution> {
        Err(Error::Numerics("it did not converge".into()))
    }
}

/// A problem without products, which neither umeyama nor path takes.
fn problem() -> Problem {
    let entries = Matrix::from_fn(25, 25, |p, q| ((p * q + p + q) % 7) as f64);
    let pairwise = ExplicitPairwise::new(5, 5, entries).unwrap();
    Problem::maximise(Matrix::zeros(5, 5), Box::new(pairwise)).unwrap()
}

fn portfolio(relaxations: Vec<Box<dyn Solver>>) -> Result<Solution> {
    let mut portfolio = Portfolio::default();
    portfolio.relaxations = relaxations;
    portfolio.solve(&problem(), &Start::seeded(1), &Monitor::silent())
}

#[test]
fn a_relaxation_that_does_not_take_the_problem_is_left_out() {
    let picky: [Box<dyn Solver>; 2] = [Box::new(Umeyama::default()), Box::new(Path::default())];
    assert!(picky.iter().all(|s| s.accepts(&problem()).is_err()));
    let mut relaxations = Vec::from(picky);
    relaxations.push(Box::new(Faq::default()));
    let alone = portfolio(vec![Box::new(Faq::default())]).unwrap();
    assert_eq!(portfolio(relaxations).unwrap(), alone);
}

#[test]
fn a_relaxation_that_fails_fails_the_portfolio() {
    let error = portfolio(vec![Box::new(Faq::default()), Box::new(Failing {})]).unwrap_err();
    assert!(error.to_string().contains("did not converge"), "{error}");
}

#[test]
fn parameters_of_relaxations_are_checked() {
    let mut faq = Faq::default();
    faq.tolerance = f64::NAN;
    let mut broken = Portfolio::default();
    broken.relaxations = vec![Box::new(faq)];
    assert!(broken.check().is_err());
    let fine = registry::by_name("portfolio").unwrap();
    assert!(fine.check().is_ok());
}
