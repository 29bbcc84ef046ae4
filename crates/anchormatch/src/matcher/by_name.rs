//! Solvers among a matcher's parameters: written as their name, read as a name or as a name with options.

use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::solver::{Solver, registry};

pub(super) fn serialize<S: Serializer>(
    solver: &Arc<dyn Solver>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serde_json::json!({ "name": solver.info().name }).serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Arc<dyn Solver>, D::Error> {
    read(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
}

fn read(value: &Value) -> Result<Arc<dyn Solver>, String> {
    let name = match value {
        Value::String(name) => Some(name.as_str()),
        Value::Object(map) => map.get("name").and_then(Value::as_str),
        _ => None,
    };
    let name = name.ok_or("expected the name of a solver")?;
    let solver = registry::by_name(name).map_err(|error| error.to_string())?;
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
            value => super::read(&value).map(Some).map_err(D::Error::custom),
        }
    }
}
