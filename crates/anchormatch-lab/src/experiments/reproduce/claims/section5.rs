//! What Section 5 says, quote by quote, and the tests that each quote becomes.

use super::{Bound, Claim, MUCH, Test, USEFUL, Unit};
use crate::experiments::reproduce::entry::Outcome;
use crate::experiments::reproduce::estimate::{Clustered, Estimate};
use crate::experiments::reproduce::experiment::{Book, Experiment};
use crate::experiments::reproduce::films::{ANCHOR_COUNTS, HOTEL_EXAMPLE, HOUSE_EXAMPLE};
use crate::experiments::reproduce::protocol::Point;
use crate::experiments::reproduce::results::Results;

const FULL: &str = "heat+b+ap";
/// Words behind the names of the methods at the two widths.
const WIDTHS: [&str; 2] = ["", " (wide)"];
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
                let test = |better: &str, worse: &str| {
                    gain(results, better, worse, 0.0, "over all pairs", |_, _| true)
                };
                vec![
                    test("heat", "adjacency"),
                    test("heat (wide)", "adjacency (wide)"),
                ]
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
                let test = |word: &str, threshold: f64| {
                    let (better, worse) = (format!("{FULL}{word}"), format!("heat{word}"));
                    gain(
                        results,
                        &better,
                        &worse,
                        threshold,
                        "over all pairs",
                        |_, _| true,
                    )
                };
                let tests = WIDTHS.map(|word| [test(word, 0.0), test(word, MUCH)]);
                tests.into_iter().flatten().collect()
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
            let [from, to] = HOTEL_EXAMPLE;
            let over = format!("frames {from} and {to}, over anchors");
            let tests = WIDTHS.map(|word| {
                let (full, base) = (format!("{FULL}{word}"), format!("adjacency{word}"));
                let place = results.protocol.place(&full);
                let all = results.values(at, |_, o| {
                    let outcome = o[place?]?;
                    Some(f64::from(u8::from(outcome.right == outcome.asked)))
                });
                let all = Test {
                    what: format!("draws of anchors for which {full} has all matches right"),
                    estimate: Estimate::mean(&all),
                    bound: Bound::Above(0.5),
                    unit: Unit::Share,
                };
                [all, gain(results, &full, &base, 0.0, &over, at)]
            });
            tests.into_iter().flatten().collect()
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
            let tests = WIDTHS.map(|word| {
                let (full, base) = (format!("{FULL}{word}"), format!("adjacency{word}"));
                let place = results.protocol.place(&full).unwrap_or(0);
                let useful = Test {
                    what: format!("accuracy of {full}, {over}"),
                    estimate: results.accuracy(place, at),
                    bound: Bound::Above(USEFUL),
                    unit: Unit::Share,
                };
                let test = |threshold| gain(results, &full, &base, threshold, &over, at);
                [useful, test(0.0), test(MUCH)]
            });
            tests.into_iter().flatten().collect()
        },
    ));
    claims
}

fn anchor_claims(book: &Book) -> [Claim; 2] {
    let names = |word: &str| ANCHOR_COUNTS.map(|count| format!("heat+b{word} |U|={count}"));
    [
        claim(
            book,
            Experiment::HotelAnchors,
            "5.2, Figure 3",
            "with the increase of the number of anchor nodes, the overall matching performance increased",
            |results| {
                let step = |more: &str, less: &str| {
                    gain(results, more, less, 0.0, "over all pairs", |_, _| true)
                };
                let tests = WIDTHS.map(|word| {
                    let [few, some, many] = names(word);
                    [step(&some, &few), step(&many, &some)]
                });
                tests.into_iter().flatten().collect()
            },
        ),
        claim(
            book,
            Experiment::HotelAnchors,
            "5.2, Figure 3",
            "the matching rate gap between |U| = 10 and |U| = 5 is much smaller than that between \
             |U| = 5 and |U| = 2",
            |results| {
                let test = |word: &str, times: &str, factor: f64| {
                    let places = names(word).map(|name| results.protocol.place(&name));
                    let figure = |_: &Point, o: &[Option<Outcome>]| {
                        let at = |k: usize| Some(o[places[k]?]?.accuracy());
                        Some((at(1)? - at(0)?) - factor * (at(2)? - at(1)?))
                    };
                    Test {
                        what: format!(
                            "heat+b{word}: the gain from 2 to 5 anchors less {times} that from 5 to 10"
                        ),
                        estimate: Estimate::mean(&results.values(|_, _| true, figure)),
                        bound: Bound::Above(0.0),
                        unit: Unit::Difference,
                    }
                };
                let tests = WIDTHS.map(|word| [test(word, "once", 1.0), test(word, "twice", 2.0)]);
                tests.into_iter().flatten().collect()
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
                let test = |better: &str, worse: &str| {
                    gain(results, better, worse, 0.0, "over all pairs", |_, _| true)
                };
                let wide = format!("{FULL} (wide)");
                let mut tests = OTHERS.map(|other| test(FULL, other)).to_vec();
                tests.extend(["adjacency (wide)", "heat (wide)"].map(|other| test(&wide, other)));
                tests
            },
        ),
    ]
}

/// The middle views less the extreme ones, in the mean accuracy of some entries.
fn effect(results: &Results, entries: &[usize], side: impl Fn(usize) -> Option<bool>) -> Estimate {
    let mean = |o: &[Option<Outcome>]| {
        let mut sum = 0.0;
        for &place in entries {
            sum += o[place]?.accuracy();
        }
        Some(sum / entries.len() as f64)
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
