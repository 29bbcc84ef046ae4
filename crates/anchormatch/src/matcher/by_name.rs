//! Solvers among a matcher's parameters: written as their name and options, read so or as a name alone.

use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::settings::Settings;
use crate::solver::{Solver, registry};

/// The key under which a solver's name stands beside its options.
const NAME: &str = "name";

pub(super) fn serialize<S: Serializer>(
    solver: &Arc<dyn Solver>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = Settings::new();
    map.insert(NAME.to_owned(), solver.info().name.into());
    map.extend(solver.parameters());
    map.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Arc<dyn Solver>, D::Error> {
    read(Value::deserialize(deserializer)?).map_err(D::Error::custom)
}

fn read(value: Value) -> Result<Arc<dyn Solver>, String> {
    let (name, options) = match value {
        Value::String(name) => (Some(Value::String(name)), Settings::new()),
        Value::Object(mut map) => (map.remove(NAME), map),
        _ => (None, Settings::new()),
    };
    let Some(Value::String(name)) = name else {
        return Err("expected the name of a solver".to_owned());
    };
    let solver = registry::configured(&name, &options).map_err(|error| error.to_string())?;
    Ok(Arc::from(solver))
}

/// The same where there may be none.
pub(super) mod optional {
    use super::{Arc, Deserializer, Serializer, Solver, Value};
    use serde::Deserialize as _;
    use serde::de::Error as _;

    #[expect(clippy::ref_option, reason = "serde hands on a reference to the field")]
    pub(in crate::matcher) fn serialize<S: Serializer>(
        solver: &Option<Arc<dyn Solver>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match solver {
            Some(solver) => super::serialize(solver, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(in crate::matcher) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Arc<dyn Solver>>, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Null => Ok(None),
            value => super::read(value).map(Some).map_err(D::Error::custom),
        }
    }
}
