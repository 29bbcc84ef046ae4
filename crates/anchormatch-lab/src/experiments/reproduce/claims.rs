//! The claims of the paper's Section 5, in its order, judged by rules and not by hand.
//!
//! Each claim is broken into tests of a figure with its 95 % interval:
//!
//! - **above t**: passes when the whole interval lies above t, fails when none of it does, and is
//!   open in between;
//! - **within t**: passes when the whole interval lies between −t and t, fails when none of it does.
//!
//! The first test of a claim is its core. A claim *holds* when all of its tests pass, *holds partly*
//! when the core passes and another test does not, and *does not hold here* when the core does not pass;
//! it says "undecided" where the core is open. Where the paper says "much", a second test asks for
//! [`MUCH`] of accuracy.

use super::contender::Outcome;
use super::estimate::{Clustered, Estimate};
use super::experiment::{Book, Experiment};
use super::films::{ANCHOR_COUNTS, HOTEL_EXAMPLE, HOUSE_EXAMPLE};
use super::protocol::Point;
use super::results::Results;

/// What "much" asks for, in accuracy.
pub const MUCH: f64 = 0.05;
/// What "useful" asks for, in accuracy.
pub const USEFUL: f64 = 0.5;

/// How a claim fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All tests pass.
    Holds,
    /// The core passes, another test does not.
    Partly,
    /// The core fails.
    Not,
    /// The core cannot be told: its interval has the threshold inside.
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
    /// The tests, the core first; none when it was not run.
    pub tests: Vec<Test>,
    /// Why it was not run.
    pub missing: Option<String>,
}

impl Claim {
    /// The verdict that follows from the tests.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let Some(core) = self.tests.first() else {
            return Verdict::NotRun;
        };
        match core.end() {
            End::Fails => Verdict::Not,
            End::Open => Verdict::Undecided,
            End::Passes if self.tests.iter().all(|test| test.end() == End::Passes) => {
                Verdict::Holds
            }
            End::Passes => Verdict::Partly,
        }
    }
}

const FULL: &str = "heat+b+ap";
const OTHERS: [&str; 5] = ["adjacency", "heat", "heat+wks", "heat+ap", "heat+b"];

/// All claims of Section 5, in its order.
#[must_use]
pub fn claims(book: &Book) -> Vec<Claim> {
    let mut claims = vec![
        claim(
            book,
            Experiment::Noise,
            "5.1, Figure 1 (a)",
            "with the help of learned proximity matrix B and the term d_ap, the matching results are \
             more robust to noise",
            |results| {
                vec![
                    gain(results, FULL, "adjacency", 0.0, "over all σ", |_, _| true),
                    gain(results, FULL, "heat", 0.0, "over all σ", |_, _| true),
                ]
            },
        ),
        claim(
            book,
            Experiment::Density,
            "5.1, Figure 1 (c)",
            "the matching accuracy is much improved at different edge densities for a relatively large \
             deformation noise (σ = 0.5)",
            |results| {
                let at = papers_density(results);
                let each = OTHERS[..2].iter().map(|other| {
                    gain(results, FULL, other, 0.0, "over all ρ", |p, _| {
                        at.contains(&p)
                    })
                });
                let mut tests: Vec<Test> = each.collect();
                tests.insert(
                    1,
                    gain(results, FULL, "adjacency", MUCH, "over all ρ", |p, _| {
                        at.contains(&p)
                    }),
                );
                tests
            },
        ),
        claim(
            book,
            Experiment::Density,
            "5.1, Figure 1 (f)",
            "Not only the matching accuracy is improved, their corresponding computational time is also \
             decreased",
            |results| {
                let at = papers_density(results);
                let test = |what: &str, figure: fn(&Outcome) -> f64| {
                    saving(results, what, figure, |p, _| at.contains(&p))
                };
                vec![
                    test("time of the solver", |o| o.solve_seconds.max(1e-6)),
                    test("time of the whole match", |o| o.seconds.max(1e-6)),
                    test("iterations of the solver", |o| {
                        f64::from(o.iterations.max(1))
                    }),
                ]
            },
        ),
        claim(
            book,
            Experiment::Hotel,
            "5.2, Figure 2 (a)",
            "the matching performance was improved when heat kernel is used in lieu of the adjacency \
             matrix",
            |results| {
                vec![gain(
                    results,
                    "heat",
                    "adjacency",
                    0.0,
                    "over all pairs",
                    |_, _| true,
                )]
            },
        ),
        claim(
            book,
            Experiment::Noise,
            "5.2",
            "because the noise tolerance property of the former smoothes out the effect of deformation \
             noise",
            |results| {
                vec![gain(
                    results,
                    "heat",
                    "adjacency",
                    0.0,
                    "over all σ of the synthetic graphs",
                    |_, _| true,
                )]
            },
        ),
        claim(
            book,
            Experiment::Hotel,
            "5.2, Figure 2 (a)",
            "With the add-on effect of proximity matrix B and d_ap, furthermore, the matching \
             performance was much improved",
            |results| {
                vec![
                    gain(results, FULL, "heat", 0.0, "over all pairs", |_, _| true),
                    gain(results, FULL, "heat", MUCH, "over all pairs", |_, _| true),
                    gain(results, FULL, "adjacency", 0.0, "over all pairs", |_, _| {
                        true
                    }),
                ]
            },
        ),
    ];
    claims.push(example(
        book,
        "hotel",
        "5.2, Figure 2 (b, c)",
        "an example of the matching between the 20th and the 90th frame of the sequence … Matching gives \
         all correct matches",
        |results, point| {
            let at = move |p: usize, _: &Point| p == point;
            let full = results.protocol.place(FULL).unwrap_or(0);
            let all = results.values(at, |_, o| {
                let outcome = o[full]?;
                Some(if outcome.right == outcome.asked { 1.0 } else { 0.0 })
            });
            let [from, to] = HOTEL_EXAMPLE;
            vec![
                gain(results, FULL, "adjacency", 0.0, &format!("frames {from} and {to}, over anchors"), at),
                Test {
                    what: format!("draws of anchors for which {FULL} has all matches right"),
                    estimate: Estimate::mean(&all),
                    bound: Bound::Above(0.5),
                    unit: Unit::Share,
                },
            ]
        },
    ));
    claims.extend(anchor_claims(book));
    claims.extend(house_claims(book));
    claims.push(example(
        book,
        "house",
        "5.3, Figure 4 (b–d)",
        "Even in this extreme case, it can be seen that our d_B + d_ap + d_k matching gives useful \
         results, and is much better than the adjacency matrix based matching",
        |results, point| {
            let at = move |p: usize, _: &Point| p == point;
            let [from, to] = HOUSE_EXAMPLE;
            let over = format!("views {from} and {to}, over anchors");
            let full = results.protocol.place(FULL).unwrap_or(0);
            vec![
                gain(results, FULL, "adjacency", 0.0, &over, at),
                gain(results, FULL, "adjacency", MUCH, &over, at),
                Test {
                    what: format!("accuracy of {FULL}, {over}"),
                    estimate: results.accuracy(full, at),
                    bound: Bound::Above(USEFUL),
                    unit: Unit::Share,
                },
            ]
        },
    ));
    claims
}

fn anchor_claims(book: &Book) -> [Claim; 2] {
    let name = |count: usize| format!("heat+b |U|={count}");
    let [few, some, many] = ANCHOR_COUNTS.map(name);
    let step = |results: &Results, more: &str, less: &str| {
        gain(results, more, less, 0.0, "over all pairs", |_, _| true)
    };
    let (one, two) = ((few.clone(), some.clone(), many.clone()), (few, some, many));
    [
        claim(
            book,
            Experiment::HotelAnchors,
            "5.2, Figure 3",
            "with the increase of the number of anchor nodes, the overall matching performance increased",
            move |results| {
                let (few, some, many) = &one;
                let mut control = step(results, "heat |U|=10", "heat |U|=2");
                // What d_B brings beyond having fewer nodes left.
                let beyond = |_: &Point, o: &[Option<Outcome>]| {
                    let place = |name: &str| results.protocol.place(name);
                    let at = |name: &str| Some(o[place(name)?]?.accuracy());
                    let learned = at(many)? - at(few)?;
                    Some(learned - (at("heat |U|=10")? - at("heat |U|=2")?))
                };
                control.what =
                    "the gain from 2 to 10 anchors, beyond that of d_k alone, which only loses nodes".into();
                control.estimate = Estimate::mean(&results.values(|_, _| true, beyond));
                vec![
                    step(results, many, few),
                    step(results, some, few),
                    step(results, many, some),
                    control,
                ]
            },
        ),
        claim(
            book,
            Experiment::HotelAnchors,
            "5.2, Figure 3",
            "the matching rate gap between |U| = 10 and |U| = 5 is much smaller than that between \
             |U| = 5 and |U| = 2",
            move |results| {
                let (few, some, many) = &two;
                let gap = |factor: f64| {
                    let figure = |_: &Point, o: &[Option<Outcome>]| {
                        let at = |name: &str| Some(o[results.protocol.place(name)?]?.accuracy());
                        Some((at(some)? - at(few)?) - factor * (at(many)? - at(some)?))
                    };
                    Estimate::mean(&results.values(|_, _| true, figure))
                };
                let test = |what: &str, factor| Test {
                    what: what.to_owned(),
                    estimate: gap(factor),
                    bound: Bound::Above(0.0),
                    unit: Unit::Difference,
                };
                vec![
                    test("the gain from 2 to 5 anchors less that from 5 to 10", 1.0),
                    test("the gain from 2 to 5 less twice that from 5 to 10", 2.0),
                ]
            },
        ),
    ]
}

fn house_claims(book: &Book) -> Vec<Claim> {
    // Pans are 5° times the last digit of the view's number, tilts 5° times the tens.
    let pan = |view: usize| match view % 10 {
        0 | 1 | 8 | 9 => Some(false),
        3..=6 => Some(true),
        _ => None,
    };
    let tilt = |view: usize| match view / 10 {
        0 | 6 => Some(false),
        2..=4 => Some(true),
        _ => None,
    };
    let all = |results: &Results| -> Vec<usize> {
        let names = OTHERS.iter().chain([&FULL]);
        names
            .filter_map(|name| results.protocol.place(name))
            .collect()
    };
    let test = |what: &str, estimate: Estimate, bound: Bound| Test {
        what: what.to_owned(),
        estimate,
        bound,
        unit: Unit::Difference,
    };
    let pan_words = "pans of 15° to 30° less pans of 0°, 5°, 40° and 45°";
    vec![
        claim(
            book,
            Experiment::House,
            "5.3, Figure 4 (a)",
            "extreme pan angles gave poor results while mid range pan angles yield matches with much \
             higher accuracy",
            |results| {
                let what = format!("{pan_words}, mean of the six variants");
                let effect = effect(results, &all(results), pan);
                vec![
                    test(&what, effect, Bound::Above(0.0)),
                    test(&what, effect, Bound::Above(MUCH)),
                ]
            },
        ),
        claim(
            book,
            Experiment::House,
            "5.3, Figure 4 (a)",
            "matching accuracy was not much influenced by the difference in tilt angles",
            |results| {
                let what = "tilts of 10° to 20° less tilts of 0° and 30°, mean of the six variants";
                vec![test(
                    what,
                    effect(results, &all(results), tilt),
                    Bound::Within(MUCH),
                )]
            },
        ),
        claim(
            book,
            Experiment::House,
            "5.3, Figure 4 (a)",
            "With the addition of our learned proximity matrix B, the gap between different pan angles \
             decreases",
            |results| {
                let place = |name: &str| results.protocol.place(name).unwrap_or(0);
                let closing = |without: &str, with: &str| {
                    let (a, b) = (place(without), place(with));
                    let difference =
                        move |o: &[Option<Outcome>]| Some(o[a]?.accuracy() - o[b]?.accuracy());
                    let what = format!("the gap ({pan_words}) of {without} less that of {with}");
                    test(&what, contrast(results, difference, pan), Bound::Above(0.0))
                };
                vec![closing("heat", "heat+b"), closing("heat+ap", FULL)]
            },
        ),
        claim(
            book,
            Experiment::House,
            "5.3, Figure 4 (a)",
            "and the overall matching accuracy is superior to others",
            |results| {
                let each = OTHERS.iter();
                each.map(|other| gain(results, FULL, other, 0.0, "over all pairs", |_, _| true))
                    .collect()
            },
        ),
    ]
}

/// The middle views less the extreme ones, in the mean accuracy of some contenders.
fn effect(
    results: &Results,
    contenders: &[usize],
    side: impl Fn(usize) -> Option<bool>,
) -> Estimate {
    let mean = |o: &[Option<Outcome>]| {
        let mut sum = 0.0;
        for &place in contenders {
            sum += o[place]?.accuracy();
        }
        Some(sum / contenders.len() as f64)
    };
    contrast(results, mean, side)
}

/// The mean of `figure` over the pairs of views on one side less that on the other; a pair counts for
/// each of its views, and `side` says where a view belongs.
fn contrast(
    results: &Results,
    figure: impl Fn(&[Option<Outcome>]) -> Option<f64>,
    side: impl Fn(usize) -> Option<bool>,
) -> Estimate {
    let values: Vec<Clustered<([usize; 2], f64)>> = results.values(
        |_, _| true,
        |point, outcomes| Some((point.views?, figure(outcomes)?)),
    );
    Estimate::of(&values, |kept| {
        let (mut sums, mut counts) = ([0.0; 2], [0.0; 2]);
        for (views, value) in kept {
            for group in views.iter().filter_map(|&view| side(view)) {
                sums[usize::from(group)] += value;
                counts[usize::from(group)] += 1.0;
            }
        }
        sums[1] / counts[1] - sums[0] / counts[0]
    })
}

fn claim(
    book: &Book,
    experiment: Experiment,
    place: &'static str,
    quote: &'static str,
    tests: impl FnOnce(&Results) -> Vec<Test>,
) -> Claim {
    let (tests, missing) = match book.results(experiment) {
        Ok(results) => (tests(results), None),
        Err(reason) => (Vec::new(), Some(reason.to_owned())),
    };
    Claim {
        place,
        quote,
        tests,
        missing,
    }
}

/// A claim on one of the example matchings.
fn example(
    book: &Book,
    film: &str,
    place: &'static str,
    quote: &'static str,
    tests: impl FnOnce(&Results, usize) -> Vec<Test>,
) -> Claim {
    let mut absent = None;
    let mut claim = claim(book, Experiment::Matchings, place, quote, |results| {
        let points = &results.protocol.points;
        match points.iter().position(|point| point.name.starts_with(film)) {
            Some(point) => tests(results, point),
            None => {
                absent = Some(
                    book.missing_hotel()
                        .unwrap_or("its data is missing")
                        .to_owned(),
                );
                Vec::new()
            }
        }
    });
    claim.missing = claim.missing.or(absent);
    claim
}

fn gain(
    results: &Results,
    better: &str,
    worse: &str,
    threshold: f64,
    over: &str,
    keep: impl Fn(usize, &Point) -> bool,
) -> Test {
    let place = |name: &str| results.protocol.place(name);
    let estimate = match (place(better), place(worse)) {
        (Some(b), Some(w)) => results.gain(b, w, keep),
        _ => Estimate::mean(&[]),
    };
    Test {
        what: format!("{better} less {worse}, {over}"),
        estimate,
        bound: Bound::Above(threshold),
        unit: Unit::Difference,
    }
}

/// That the full method takes less of something than adjacency, as a ratio.
fn saving(
    results: &Results,
    what: &str,
    figure: fn(&Outcome) -> f64,
    keep: impl Fn(usize, &Point) -> bool,
) -> Test {
    let (full, base) = (
        results.protocol.place(FULL).unwrap_or(0),
        results.protocol.place("adjacency").unwrap_or(0),
    );
    let values = results.values(keep, |_, o| {
        Some(figure(&o[base]?).ln() - figure(&o[full]?).ln())
    });
    Test {
        what: format!("{what}: {FULL} over adjacency, over all ρ"),
        estimate: Estimate::mean(&values),
        bound: Bound::Above(0.0),
        unit: Unit::Ratio,
    }
}

/// The points of the density sweep at the paper's noise.
fn papers_density(results: &Results) -> Vec<usize> {
    let curve = results.protocol.curves.first();
    let places = curve.map(|curve| curve.places.iter().flat_map(|(_, points)| points.clone()));
    places.into_iter().flatten().collect()
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
    fn verdicts_follow_from_the_core_and_the_rest() {
        let pass = || test(0.1, 0.01, Bound::Above(0.0));
        let open = || test(0.1, 0.2, Bound::Above(0.0));
        let fail = || test(-0.1, 0.01, Bound::Above(0.0));
        assert_eq!(verdict(vec![pass(), pass()]), Verdict::Holds);
        assert_eq!(verdict(vec![pass(), open()]), Verdict::Partly);
        assert_eq!(verdict(vec![pass(), fail()]), Verdict::Partly);
        assert_eq!(verdict(vec![fail(), pass()]), Verdict::Not);
        assert_eq!(verdict(vec![open(), pass()]), Verdict::Undecided);
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
