//! Parameters by name: what front doors set, list and check without keeping a list of their own.
//!
//! Parameters are structs that serde can write and read. What a person sets is a map from names to
//! values; a name inside a name (`learner.c`) reaches a struct within the struct.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// Values by the name of the parameter.
pub type Settings = Map<String, Value>;

/// All parameters with their values, in the order of the struct.
///
/// # Panics
/// When the parameters are not a struct that JSON can hold.
#[must_use]
pub fn list<T: Serialize>(parameters: &T) -> Settings {
    match serde_json::to_value(parameters) {
        Ok(Value::Object(map)) => map,
        other => panic!("parameters are a struct with names: {other:?}"),
    }
}

/// The `current` parameters of `owner` with some of them changed.
///
/// # Errors
/// When a name is not among them, or a value has another type; the error names the parameter, what was
/// found and what was expected.
pub fn changed<T: Serialize + DeserializeOwned>(
    owner: &str,
    current: &T,
    settings: &Settings,
) -> Result<T> {
    let mut all = list(current);
    let mut result = None;
    for (name, value) in settings {
        let slot = find(&mut all, name).map_err(|known| {
            let expected = match known.len() {
                0 => "none".to_owned(),
                _ => format!("one of {}", known.join(", ")),
            };
            Error::parameter(
                name.clone(),
                format!("an option that {owner} lacks"),
                expected,
            )
        })?;
        merge(slot, value);
        let read = serde_json::from_value(Value::Object(all.clone()));
        result = Some(read.map_err(|error| {
            let expected = expectation(&error.to_string());
            Error::parameter(name.clone(), value, expected)
        })?);
    }
    match result {
        Some(changed) => Ok(changed),
        None => Ok(serde_json::from_value(Value::Object(all))
            .expect("parameters are read as they were written")),
    }
}

/// The place of a parameter, or the names that there are.
fn find<'m>(map: &'m mut Settings, name: &str) -> std::result::Result<&'m mut Value, Vec<String>> {
    let names: Vec<String> = map.keys().cloned().collect();
    if map.contains_key(name) {
        return map.get_mut(name).ok_or(names);
    }
    if let Some((outer, inner)) = name.split_once('.')
        && let Some(Value::Object(within)) = map.get_mut(outer)
    {
        return find(within, inner).map_err(|known| {
            let full = known.iter().map(|name| format!("{outer}.{name}"));
            full.collect()
        });
    }
    Err(names)
}

/// A struct takes what it is given and keeps the rest; everything else is replaced.
fn merge(slot: &mut Value, value: &Value) {
    match (slot, value) {
        (Value::Object(old), Value::Object(new)) if !old.contains_key("name") => {
            for (name, value) in new {
                merge(old.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (slot, value) => *slot = value.clone(),
    }
}

/// What serde expected, without what it found.
fn expectation(message: &str) -> String {
    match message.rsplit_once("expected ") {
        Some((_, expected)) => expected.to_owned(),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        c: f64,
        rounds: usize,
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        width: f64,
        limit: Option<usize>,
        learner: Inner,
    }

    fn outer() -> Outer {
        let learner = Inner { c: 1.0, rounds: 3 };
        Outer {
            width: 0.5,
            limit: None,
            learner,
        }
    }

    fn set(pairs: Value) -> Result<Outer> {
        let Value::Object(map) = pairs else {
            panic!("a map")
        };
        changed("toy", &outer(), &map)
    }

    #[test]
    fn what_is_not_set_stays() {
        assert_eq!(set(json!({})).unwrap(), outer());
        let new = set(json!({"limit": 7, "learner.c": 2.5})).unwrap();
        assert_eq!(new.limit, Some(7));
        assert_eq!(new.learner, Inner { c: 2.5, rounds: 3 });
        assert_eq!(
            set(json!({"learner": {"rounds": 9}}))
                .unwrap()
                .learner
                .rounds,
            9
        );
        assert_eq!(set(json!({"width": 2})).unwrap().width, 2.0);
    }

    #[test]
    fn errors_name_the_parameter_and_what_was_expected() {
        for (pairs, words) in [
            (json!({"widht": 1}), ["widht", "width, limit, learner"]),
            (
                json!({"learner.d": 1}),
                ["learner.d", "learner.c, learner.rounds"],
            ),
            (json!({"width": "far"}), ["width", "f64"]),
            (json!({"limit": -1}), ["limit", "usize"]),
            (json!({"learner": {"d": 1}}), ["learner", "`c` or `rounds`"]),
        ] {
            let message = set(pairs).unwrap_err().to_string();
            assert!(words.iter().all(|w| message.contains(w)), "{message}");
        }
    }
}
