//! Parameters by name: what front doors set, list and check without a list of their own.
//!
//! Parameters are structs that serde writes and reads, each with all of its values. What a person sets
//! is a map from names to values; a name within a name (`learner.c`) reaches a struct within a struct.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// Values by the name of the parameter, in the order of the struct.
pub type Settings = Map<String, Value>;

/// All parameters with their values; none for a struct without fields.
///
/// # Panics
/// When the parameters are not a struct that JSON can hold.
#[must_use]
pub fn list<T: Serialize>(parameters: &T) -> Settings {
    match serde_json::to_value(parameters) {
        Ok(Value::Object(map)) => map,
        Ok(Value::Null) => Map::new(),
        other => panic!("parameters are a struct with named fields: {other:?}"),
    }
}

/// The `current` parameters of `owner` with some of them changed.
///
/// # Errors
/// [`Error::Setting`] when a name is not among them or a value has another type; it says what was found
/// and what was expected.
pub fn changed<T: Serialize + DeserializeOwned>(
    owner: &str,
    current: &T,
    settings: &Settings,
) -> Result<T> {
    let mut all = list(current);
    for (name, value) in settings {
        let slot = find(&mut all, name).map_err(|known| Error::Setting {
            name: name.clone(),
            found: value.to_string(),
            expected: match known.as_slice() {
                [] => format!("no such option: {owner} has none"),
                known => format!("an option of {owner}: {}", known.join(", ")),
            },
            wrong_kind: true,
        })?;
        merge(slot, value);
        read::<T>(all.clone()).map_err(|fault| Error::Setting {
            name: name.clone(),
            found: value.to_string(),
            expected: expectation(&fault.to_string()),
            wrong_kind: is_of_kind(&fault),
        })?;
    }
    // Only a value that JSON cannot hold, such as NaN, is not read as it was written.
    read(all).map_err(|fault| Error::Setting {
        name: owner.to_owned(),
        found: "a value that is not finite".to_owned(),
        expected: expectation(&fault.to_string()),
        wrong_kind: false,
    })
}

/// Whether serde found another type than it expected, and not only another value.
fn is_of_kind(fault: &serde_json::Error) -> bool {
    let message = fault.to_string();
    let of_value = ["unknown variant", "one of"];
    !of_value.iter().any(|words| message.contains(words))
}

/// Parameters from all of their values; a struct without fields may be written as nothing.
fn read<T: DeserializeOwned>(all: Settings) -> serde_json::Result<T> {
    let is_empty = all.is_empty();
    match serde_json::from_value(Value::Object(all)) {
        Err(_) if is_empty => serde_json::from_value(Value::Null),
        read => read,
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
        let full = |known: Vec<String>| known.iter().map(|k| format!("{outer}.{k}")).collect();
        return find(within, inner).map_err(full);
    }
    Err(names)
}

/// A struct takes what it is given and keeps the rest; everything else is replaced, and so is what a
/// `name` tells apart from others.
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

/// What serde expected, without what it found, in words for people.
fn expectation(message: &str) -> String {
    let expected = message.rsplit_once("expected ").map_or(message, |x| x.1);
    match expected {
        "usize" | "u64" | "u32" => "an integer, 0 or more",
        "f64" | "f32" => "a number",
        "a boolean" => "true or false",
        "a tuple of size 2" => "two numbers",
        other => other,
    }
    .to_owned()
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
        range: (f64, f64),
        learner: Inner,
    }

    fn outer() -> Outer {
        let learner = Inner { c: 1.0, rounds: 3 };
        Outer {
            width: 0.5,
            limit: None,
            range: (0.0, 1.0),
            learner,
        }
    }

    fn set(pairs: &Value) -> Result<Outer> {
        changed("toy", &outer(), pairs.as_object().unwrap())
    }

    #[test]
    fn what_is_not_set_stays() {
        assert_eq!(set(&json!({})).unwrap(), outer());
        let new = set(&json!({"limit": 7, "learner.c": 2.5, "range": [1, 2]})).unwrap();
        assert_eq!((new.limit, new.range), (Some(7), (1.0, 2.0)));
        assert_eq!(new.learner, Inner { c: 2.5, rounds: 3 });
        let new = set(&json!({"learner": {"rounds": 9}, "width": 2})).unwrap();
        assert_eq!((new.learner.rounds, new.width), (9, 2.0));
        assert_eq!(new.learner.c, 1.0);
    }

    #[test]
    fn errors_name_the_parameter_and_what_was_expected() {
        for (pairs, message) in [
            (
                json!({"widht": 1}),
                "widht: found 1, expected an option of toy: width, limit, range, learner",
            ),
            (
                json!({"learner.d": true}),
                "learner.d: found true, expected an option of toy: learner.c, learner.rounds",
            ),
            (
                json!({"width": "far"}),
                "width: found \"far\", expected a number",
            ),
            (
                json!({"limit": -1}),
                "limit: found -1, expected an integer, 0 or more",
            ),
            (
                json!({"limit": 1.5}),
                "limit: found 1.5, expected an integer, 0 or more",
            ),
            (
                json!({"width": null}),
                "width: found null, expected a number",
            ),
            (
                json!({"range": [1]}),
                "range: found [1], expected two numbers",
            ),
            (
                json!({"learner": {"d": 1}}),
                "learner: found {\"d\":1}, expected `c` or `rounds`",
            ),
        ] {
            assert_eq!(set(&pairs).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn nothing_to_set_and_nothing_that_json_holds() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Unit;
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Empty {}
        assert_eq!(changed("unit", &Unit, &Map::new()).unwrap(), Unit);
        assert_eq!(changed("empty", &Empty {}, &Map::new()).unwrap(), Empty {});
        let given = json!({"x": 1});
        let error = changed("unit", &Unit, given.as_object().unwrap()).unwrap_err();
        assert!(error.to_string().contains("unit has none"), "{error}");
        let mut broken = outer();
        broken.width = f64::NAN;
        assert!(changed("toy", &broken, &Map::new()).is_err());
    }
}
