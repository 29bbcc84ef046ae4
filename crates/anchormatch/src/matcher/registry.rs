//! All matchers by name. A new one adds its file, and its line here.

use super::{Best, Matcher, Paper};
use crate::error::{Error, Result};
use crate::settings::Settings;

/// Every matcher with its default parameters, the one to begin with first.
#[must_use]
pub fn all() -> Vec<Box<dyn Matcher>> {
    vec![
        Box::new(Best::default()),
        Box::new(Best::fast()),
        Box::new(Paper::default()),
    ]
}

/// The names of all matchers.
#[must_use]
pub fn names() -> Vec<String> {
    all().iter().map(|m| m.name().to_owned()).collect()
}

/// The matcher called `name`, with its default parameters.
///
/// # Errors
/// When there is none; the message lists the names.
pub fn by_name(name: &str) -> Result<Box<dyn Matcher>> {
    let found = all().into_iter().find(|matcher| matcher.name() == name);
    found.ok_or_else(|| {
        let expected = format!("one of {}", names().join(", "));
        Error::parameter("preset", format!("`{name}`"), expected)
    })
}

/// The matcher called `name` with some parameters set.
///
/// # Errors
/// When there is none, or a parameter is not one of its own or has another type.
pub fn configured(name: &str, settings: &Settings) -> Result<Box<dyn Matcher>> {
    by_name(name)?.configured(settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::HashSet;

    #[test]
    fn names_are_distinct_and_found() {
        let names: HashSet<String> = names().into_iter().collect();
        assert_eq!(names.len(), all().len());
        for name in names {
            assert_eq!(by_name(&name).unwrap().name(), name);
        }
        let message = by_name("magic").err().unwrap().to_string();
        assert!(message.contains("`magic`") && message.contains("best, fast, paper"));
    }

    #[test]
    fn every_parameter_can_be_set_to_what_it_is() {
        for matcher in all() {
            let settings = matcher.parameters();
            let same = matcher.configured(&settings).unwrap();
            assert_eq!(same.parameters(), settings, "{}", matcher.name());
            let unknown = json!({"no such thing": 1}).as_object().unwrap().clone();
            let message = matcher.configured(&unknown).err().unwrap().to_string();
            assert!(message.contains("no such thing"), "{message}");
        }
    }

    #[test]
    fn the_seed_and_the_solver_are_settings_of_every_preset() {
        let settings = json!({"seed": 7, "solver": "faq"});
        for name in ["best", "fast", "paper"] {
            let matcher = configured(name, settings.as_object().unwrap()).unwrap();
            assert_eq!(matcher.parameters()["seed"], json!(7));
            assert_eq!(matcher.parameters()["solver"]["name"], json!("faq"));
        }
    }
}
