//! All solvers by name. A new one adds its file, and its line here.

use super::{
    Anneal, EmSvd, Faq, FiedlerPartition, Gagm, Goat, Hgm, Ils, Ipfp, MeanField, Path, Portfolio,
    QuantumWalk, Rrwm, Sdp, SeriationEigen, SeriationWalk, Sm, Smac, Solver, Spgm, StarEdit, Tabu,
    TwoOpt, Umeyama, Zhao,
};
use crate::error::{Error, Result};
use crate::settings::Settings;

/// Every solver with its default parameters, relaxations first.
#[must_use]
pub fn all() -> Vec<Box<dyn Solver>> {
    vec![
        Box::new(Rrwm::default()),
        Box::new(Sm::default()),
        Box::new(Smac::default()),
        Box::new(Hgm::default()),
        Box::new(Ipfp::default()),
        Box::new(Gagm::default()),
        Box::new(MeanField::default()),
        Box::new(Spgm::default()),
        Box::new(Faq::default()),
        Box::new(Goat::default()),
        Box::new(Path::default()),
        Box::new(Umeyama::default()),
        Box::new(Zhao::default()),
        Box::new(EmSvd::default()),
        Box::new(QuantumWalk::default()),
        Box::new(SeriationWalk::default()),
        Box::new(SeriationEigen::default()),
        Box::new(FiedlerPartition::default()),
        Box::new(StarEdit::default()),
        Box::new(Sdp::default()),
        Box::new(TwoOpt::default()),
        Box::new(Ils::default()),
        Box::new(Tabu::default()),
        Box::new(Anneal::default()),
        Box::new(Portfolio::default()),
    ]
}

/// The solver called `name`.
///
/// # Errors
/// When there is none; the message lists the names.
pub fn by_name(name: &str) -> Result<Box<dyn Solver>> {
    let solvers = all();
    let names: Vec<&str> = solvers.iter().map(|s| s.info().name).collect();
    match names.iter().position(|known| *known == name) {
        Some(place) => Ok(solvers
            .into_iter()
            .nth(place)
            .expect("place within the list")),
        None => Err(Error::parameter(
            "solver",
            format!("`{name}`"),
            format!("one of {}", names.join(", ")),
        )),
    }
}

/// The solver called `name` with some of its parameters set, the others at their defaults.
///
/// ```
/// use anchormatch::solver::registry;
///
/// let settings = serde_json::json!({ "iterations": 5000, "tenure": [0.5, 2.0] });
/// let tabu = registry::configured("tabu", settings.as_object().expect("a map"))?;
/// assert_eq!(tabu.parameters()["iterations"], 5000);
/// # Ok::<(), anchormatch::Error>(())
/// ```
///
/// # Errors
/// When there is no such solver or parameter, or a value has another type or is outside its range.
pub fn configured(name: &str, settings: &Settings) -> Result<Box<dyn Solver>> {
    by_name(name)?.configured(settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::HashSet;

    fn set(name: &str, settings: &serde_json::Value) -> Result<Box<dyn Solver>> {
        configured(name, settings.as_object().unwrap())
    }

    #[test]
    fn every_parameter_can_be_set_to_what_it_is() {
        for solver in all() {
            let name = solver.info().name;
            let parameters = solver.parameters();
            assert!(!parameters.is_empty(), "{name}");
            let same = configured(name, &parameters).unwrap();
            assert_eq!(same.parameters(), parameters, "{name}");
            assert_eq!(same.info(), solver.info());
            for (parameter, value) in &parameters {
                let one = json!({ parameter: value });
                let same = set(name, &one).unwrap().parameters();
                assert_eq!(same, parameters, "{name} {parameter}");
            }
        }
    }

    #[test]
    fn what_no_parameter_is_or_can_be_is_refused() {
        for solver in all() {
            let name = solver.info().name;
            let parameters = solver.parameters();
            let message = set(name, &json!({ "colour": 1 }))
                .err()
                .unwrap()
                .to_string();
            for known in parameters.keys() {
                assert!(message.contains(known.as_str()), "{name}: {message}");
            }
            for parameter in parameters.keys() {
                let message = set(name, &json!({ parameter: { "a": "b" } }))
                    .err()
                    .unwrap();
                assert!(
                    matches!(message, Error::Setting { .. }),
                    "{name}: {message}"
                );
                assert!(
                    message.to_string().contains(parameter.as_str()),
                    "{message}"
                );
            }
        }
    }

    #[test]
    fn errors_say_what_was_found_and_expected() {
        let names: Vec<&str> = all().iter().map(|solver| solver.info().name).collect();
        for (name, settings, message) in [
            (
                "rrwm",
                json!({ "walk": "far" }),
                "walk: found \"far\", expected a number",
            ),
            (
                "rrwm",
                json!({ "walk": 2 }),
                "walk: found 2, expected a number from 0 to 1",
            ),
            (
                "faq",
                json!({ "restarts": -1 }),
                "restarts: found -1, expected an integer, 0 or more",
            ),
            (
                "sm",
                json!({ "discretisation": "coin" }),
                "discretisation: found \"coin\", expected `linear` or `greedy`",
            ),
            (
                "tabu",
                json!({ "tenure": [1] }),
                "tenure: found [1], expected two numbers",
            ),
            (
                "tabu",
                json!({ "tenure": [2, 1] }),
                "tenure: found 2 to 1, expected two numbers from 0 to 1e6, the smaller first",
            ),
            (
                "portfolio",
                json!({ "use_all_time": 1 }),
                "use_all_time: found 1, expected true or false",
            ),
            (
                "portfolio",
                json!({ "relaxations": ["magic"] }),
                &format!(
                    "relaxations: found [\"magic\"], expected one of {}",
                    names.join(", ")
                ),
            ),
        ] {
            let error = set(name, &settings).err().unwrap();
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn a_portfolio_takes_relaxations_by_name_or_with_parameters() {
        let given = json!({
            "relaxations": ["faq", { "name": "mean-field", "steps": 20 }],
            "tabu": { "iterations": 7 },
            "tabu.absence": 3,
        });
        let parameters = set("portfolio", &given).unwrap().parameters();
        assert_eq!(parameters["relaxations"][0]["name"], "faq");
        assert_eq!(parameters["relaxations"][1]["steps"], 20);
        assert_eq!(parameters["tabu"]["iterations"], 7);
        assert_eq!(parameters["tabu"]["absence"], 3);
        // The portfolio's own default, not that of tabu.
        assert_eq!(parameters["tabu"]["tenure"], json!([0.5, 2.0]));
        let wrong = json!({ "relaxations": [{ "name": "faq", "tolerance": -1.0 }] });
        let message = set("portfolio", &wrong).err().unwrap().to_string();
        assert!(message.contains("at least 0"), "{message}");
    }

    #[test]
    fn names_are_distinct_and_found() {
        let names: HashSet<&str> = all().iter().map(|s| s.info().name).collect();
        assert_eq!(names.len(), all().len());
        for name in names {
            assert_eq!(by_name(name).unwrap().info().name, name);
        }
        let message = by_name("magic").err().unwrap().to_string();
        assert!(message.contains("`magic`") && message.contains("rrwm"));
    }
}
