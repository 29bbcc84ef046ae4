//! What each ingredient of the method brings: the accuracy without it, on the same trials.

use anchormatch::matcher::{Best, Ingredients, Matcher};
use anchormatch::{Monitor, Result};
use anchormatch_report::Summary;

use super::{Graphs, Group, Measured, Plan, Row, Run, standard_rows};
use crate::experiments::Trial;
use crate::matchers::seeded;

/// The method with something taken out.
#[derive(Debug)]
pub struct Variant {
    /// What is left or missing.
    pub name: &'static str,
    /// What is left.
    pub matcher: Box<dyn Matcher>,
}

/// Accuracy of every variant on the trials of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct AblationRow {
    /// By variant.
    pub accuracy: Vec<Summary>,
    /// By variant: what the whole method gains over it, trial by trial.
    pub gain: Vec<Summary>,
}

impl AblationRow {
    /// Summarises trials, each with an accuracy for every variant, the whole method first.
    #[must_use]
    pub fn of(trials: &[Vec<f64>]) -> Self {
        let variants = trials.first().map_or(0, Vec::len);
        let column = |value: &dyn Fn(&Vec<f64>, usize) -> f64| -> Vec<Summary> {
            (0..variants)
                .map(|v| Summary::of(trials.iter().map(|trial| value(trial, v))))
                .collect()
        };
        Self {
            accuracy: column(&|trial, v| trial[v]),
            gain: column(&|trial, v| trial[0] - trial[v]),
        }
    }
}

/// The whole method, then without each of its ingredients, then `fast`.
#[must_use]
pub fn variants() -> Vec<Variant> {
    let without = |(name, ingredients)| Variant {
        name,
        matcher: Box::new(Best::default().with_ingredients(ingredients)),
    };
    let fast = Variant {
        name: "fast",
        matcher: Box::new(Best::fast()),
    };
    ingredients()
        .into_iter()
        .map(without)
        .chain([fast])
        .collect()
}

/// All ingredients, then all but one.
fn ingredients() -> [(&'static str, Ingredients); 8] {
    let without = |change: fn(&mut Ingredients)| {
        let mut ingredients = Ingredients::default();
        change(&mut ingredients);
        ingredients
    };
    [
        ("best", Ingredients::default()),
        (
            "no folded anchors",
            without(|all| all.folded_anchors = false),
        ),
        ("no root lengths", without(|all| all.root_lengths = false)),
        ("no mean field", without(|all| all.mean_field = false)),
        ("no search", without(|all| all.search = false)),
        ("no fitted scales", without(|all| all.fitted_scales = false)),
        ("no outliers", without(|all| all.outliers = false)),
        (
            "heat for weights",
            without(|all| all.heat_for_weights = true),
        ),
    ]
}

/// Eight rows on which something can be lost.
#[must_use]
pub fn rows() -> Vec<Row> {
    let chosen = [
        "sigma-0.3",
        "sigma-0.4",
        "out-10-noisy",
        "rho-0.3",
        "n-100",
        "sbm-0.3-10",
        "house-far",
    ];
    let mut rows: Vec<Row> = standard_rows();
    rows.retain(|row| chosen.contains(&row.name.as_str()));
    let far = Graphs::Hotel {
        gaps: vec![60, 70, 80, 90],
    };
    let place = rows.iter().position(|row| row.group == Group::Blocks);
    let hotel = Row::new("hotel-far", Group::Hotel, far);
    rows.insert(place.unwrap_or(rows.len()), hotel);
    rows
}

/// Accuracy of every variant on every trial of a row.
///
/// # Errors
/// When the row's data is missing or a run fails.
pub fn run(
    plan: &Plan,
    row: &Row,
    variants: &[Variant],
    monitor: &Monitor,
    done: impl Fn() + Sync,
) -> Result<Measured<Vec<f64>>> {
    let one = |trial: &Trial, seed: u64| {
        let (task, truth) = (trial.task()?, &trial.instance.truth);
        let accuracy = |variant: &Variant| {
            let matcher = seeded(&*variant.matcher, seed)?;
            Ok(Run::of(&*matcher, &task, truth, monitor)?.accuracy)
        };
        variants.iter().map(accuracy).collect::<Result<Vec<f64>>>()
    };
    plan.measure(row, one, monitor, done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_variant_lacks_one_thing_of_its_own() {
        let kinds = ingredients();
        assert_eq!(kinds[0].1, Ingredients::default());
        for (k, (_, one)) in kinds.iter().enumerate() {
            assert!(kinds[..k].iter().all(|(_, other)| other != one));
        }
        let variants = variants();
        let names: Vec<&str> = variants.iter().map(|v| v.matcher.name()).collect();
        assert_eq!(names, [&["best"; 8][..], &["fast"]].concat());
        assert_eq!(rows().len(), 8);
    }

    #[test]
    fn gains_are_paired() {
        let row = AblationRow::of(&[vec![1.0, 0.5], vec![0.5, 0.0], vec![0.75, 0.25]]);
        assert_eq!((row.accuracy[0].mean, row.accuracy[1].mean), (0.75, 0.25));
        assert_eq!((row.gain[1].mean, row.gain[1].standard_error), (0.5, 0.0));
        assert_eq!(row.gain[0].mean, 0.0);
        assert!(AblationRow::of(&[]).accuracy.is_empty());
    }
}
