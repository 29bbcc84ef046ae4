//! The claims of the paper's Section 5, in its order, judged by rules and not by hand.
//!
//! Each claim is broken into tests of a figure with its 95 % interval:
//!
//! - **above t**: passes when the whole interval lies above t, fails when none of it does, and is
//!   open in between;
//! - **within t**: passes when the whole interval lies between −t and t, fails when none of it does.
//!
//! A claim *holds* when all of its tests pass, *holds partly* when some do, and *does not hold here* when
//! none does; it says "undecided" where all of them are open. Where the paper says "much", a second test
//! asks for [`MUCH`] of accuracy. Claims on the films are tested at the default width of the kernel and at
//! that of Section 5.1 ([`WIDE`](super::WIDE)), since the paper does not say which it used.

mod section5;

pub use section5::claims;

use super::estimate::Estimate;

/// What "much" asks for, in accuracy.
pub const MUCH: f64 = 0.05;
/// What "useful" asks for, in accuracy.
pub const USEFUL: f64 = 0.5;

/// How a claim fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All tests pass.
    Holds,
    /// Some tests pass, others do not.
    Partly,
    /// No test passes, and one fails.
    Not,
    /// No test can be told: their intervals have the thresholds inside.
    Undecided,
    /// It was not run.
    NotRun,
}

impl Verdict {
    /// In words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Partly => "holds partly",
            Self::Not => "does not hold here",
            Self::Undecided => "does not hold here (undecided)",
            Self::NotRun => "not run",
        }
    }
}

/// What a test asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// More than this.
    Above(f64),
    /// No farther from 0 than this.
    Within(f64),
}

/// How a test's figure is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A difference of accuracies.
    Difference,
    /// An accuracy or a share.
    Share,
    /// The figure is −ln of a ratio, which is what people read.
    Ratio,
}

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The figure is where the bound wants it.
    Passes,
    /// The interval does not say.
    Open,
    /// The figure is elsewhere.
    Fails,
}

/// One test of a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// What is measured.
    pub what: String,
    /// The figure.
    pub estimate: Estimate,
    /// Where it should be.
    pub bound: Bound,
    /// How it is written.
    pub unit: Unit,
}

impl Test {
    /// How it ended.
    #[must_use]
    pub fn end(&self) -> End {
        let (low, high) = (self.estimate.low(), self.estimate.high());
        let (passes, fails) = match self.bound {
            Bound::Above(t) => (low > t, high <= t),
            Bound::Within(t) => (low > -t && high < t, low >= t || high <= -t),
        };
        match (passes, fails) {
            (true, _) => End::Passes,
            (_, true) => End::Fails,
            _ => End::Open,
        }
    }

    /// The figure as people read it.
    #[must_use]
    pub fn figure(&self) -> String {
        let Estimate {
            value, half_width, ..
        } = self.estimate;
        match self.unit {
            _ if !value.is_finite() => "–".to_owned(),
            Unit::Difference => self.estimate.signed(),
            Unit::Share => self.estimate.text(),
            Unit::Ratio if !half_width.is_finite() => format!("×{:.2}", (-value).exp()),
            Unit::Ratio => format!(
                "×{:.2} ({:.2} to {:.2})",
                (-value).exp(),
                (-value - half_width).exp(),
                (-value + half_width).exp()
            ),
        }
    }
}

/// One claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Where the paper makes it.
    pub place: &'static str,
    /// In the paper's words.
    pub quote: &'static str,
    /// The tests; none when it was not run.
    pub tests: Vec<Test>,
    /// Why it was not run.
    pub missing: Option<String>,
}

impl Claim {
    /// The verdict that follows from the tests.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let count = |end: End| self.tests.iter().filter(|test| test.end() == end).count();
        match (count(End::Passes), count(End::Open)) {
            _ if self.tests.is_empty() => Verdict::NotRun,
            (passed, _) if passed == self.tests.len() => Verdict::Holds,
            (1.., _) => Verdict::Partly,
            (0, open) if open == self.tests.len() => Verdict::Undecided,
            (0, _) => Verdict::Not,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(value: f64, half_width: f64, bound: Bound) -> Test {
        Test {
            what: String::new(),
            estimate: Estimate {
                value,
                half_width,
                count: 9,
            },
            bound,
            unit: Unit::Difference,
        }
    }

    fn verdict(tests: Vec<Test>) -> Verdict {
        Claim {
            place: "",
            quote: "",
            tests,
            missing: None,
        }
        .verdict()
    }

    #[test]
    fn tests_end_by_their_intervals() {
        for (value, width, bound, end) in [
            (0.1, 0.05, Bound::Above(0.0), End::Passes),
            (0.1, 0.15, Bound::Above(0.0), End::Open),
            (-0.1, 0.05, Bound::Above(0.0), End::Fails),
            (0.0, 0.0, Bound::Above(0.0), End::Fails),
            (0.1, f64::INFINITY, Bound::Above(0.0), End::Open),
            (f64::NAN, f64::INFINITY, Bound::Above(0.0), End::Open),
            (0.01, 0.02, Bound::Within(0.05), End::Passes),
            (0.04, 0.02, Bound::Within(0.05), End::Open),
            (-0.1, 0.02, Bound::Within(0.05), End::Fails),
        ] {
            assert_eq!(
                test(value, width, bound).end(),
                end,
                "{value} ± {width}, {bound:?}"
            );
        }
    }

    #[test]
    fn verdicts_follow_from_all_tests() {
        let pass = || test(0.1, 0.01, Bound::Above(0.0));
        let open = || test(0.1, 0.2, Bound::Above(0.0));
        let fail = || test(-0.1, 0.01, Bound::Above(0.0));
        assert_eq!(verdict(vec![pass(), pass()]), Verdict::Holds);
        assert_eq!(verdict(vec![pass(), open()]), Verdict::Partly);
        assert_eq!(verdict(vec![pass(), fail()]), Verdict::Partly);
        assert_eq!(verdict(vec![fail(), pass()]), Verdict::Partly);
        assert_eq!(verdict(vec![open(), open()]), Verdict::Undecided);
        assert_eq!(verdict(vec![open(), fail()]), Verdict::Not);
        assert_eq!(verdict(vec![fail(), fail()]), Verdict::Not);
        assert_eq!(verdict(vec![]), Verdict::NotRun);
    }

    #[test]
    fn ratios_are_written_as_ratios() {
        let ratio = Test {
            unit: Unit::Ratio,
            ..test(-(2.0f64.ln()), 0.0, Bound::Above(0.0))
        };
        assert_eq!(ratio.figure(), "×2.00 (2.00 to 2.00)");
        assert_eq!(ratio.end(), End::Fails);
        assert_eq!(test(0.1, 0.01, Bound::Above(0.0)).figure(), "+0.100 ± .010");
    }
}
