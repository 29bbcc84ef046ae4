//! Solvers' parameters by name, and solvers within parameters.
//!
//! The parameters of a solver are the fields of its struct. A solver among the parameters of another
//! is written as a map of its name and its parameters, and read from such a map or from the name alone.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{Solver, registry};
use crate::error::Result;
use crate::settings::{self, Settings};

/// Parameters that are listed and set by name; every [`Solver`] that serde writes and reads has this.
pub trait Configurable {
    /// All parameters with their values.
    fn parameters(&self) -> Settings;

    /// The same solver with some parameters changed.
    ///
    /// # Errors
    /// When a name is not among the parameters, or a value has another type or is outside its range.
    fn configured(&self, settings: &Settings) -> Result<Box<dyn Solver>>;
}

impl<S: Solver + Serialize + DeserializeOwned + 'static> Configurable for S {
    fn parameters(&self) -> Settings {
        settings::list(self)
    }

    fn configured(&self, settings: &Settings) -> Result<Box<dyn Solver>> {
        let changed = settings::changed(self.info().name, self, settings)?;
        changed.check()?;
        Ok(Box::new(changed))
    }
}

/// The entry of a solver's map that tells which one it is.
const NAME: &str = "name";

impl Serialize for dyn Solver {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = Settings::new();
        map.insert(NAME.to_owned(), self.info().name.into());
        map.extend(self.parameters());
        map.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Box<dyn Solver> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let expected = "expected the name of a solver, or a map of its `name` and parameters";
        let mut settings = match Value::deserialize(deserializer)? {
            Value::String(name) => return registry::by_name(&name).map_err(D::Error::custom),
            Value::Object(map) => map,
            _ => return Err(D::Error::custom(expected)),
        };
        match settings.shift_remove(NAME) {
            Some(Value::String(name)) => {
                registry::configured(&name, &settings).map_err(D::Error::custom)
            }
            _ => Err(D::Error::custom(expected)),
        }
    }
}
