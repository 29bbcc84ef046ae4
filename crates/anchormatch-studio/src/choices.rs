//! The parameters that a person can change while looking, and the matcher that they make.

use anchormatch::Result;
use anchormatch::matcher::{Matcher, registry};
use anchormatch::settings::Settings;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What of a preset's parameters another preset takes over.
const SHARED: [&str; 3] = ["seed", "regime", "repair_anchors"];

/// What is chosen on the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choices {
    /// The matcher, by its name in the registry.
    pub preset: String,
    /// Whether nodes may stay without a partner.
    pub allow_unmatched: bool,
    /// How two sets of points lie to each other, by the name that the parameter `points_model` has.
    pub points_model: String,
    /// Whether what the nodes carry is compared.
    pub attributes: bool,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            preset: "best".to_owned(),
            allow_unmatched: false,
            points_model: "auto".to_owned(),
            attributes: true,
        }
    }
}

/// A preset with all of its parameters, as the caller asked for it.
#[derive(Debug, Clone)]
pub struct Base {
    preset: String,
    settings: Settings,
}

impl Base {
    /// The matcher as it is.
    #[must_use]
    pub fn of(matcher: &dyn Matcher) -> Self {
        Self {
            preset: matcher.name().to_owned(),
            settings: matcher.parameters(),
        }
    }

    /// What the page shows first.
    #[must_use]
    pub fn choices(&self) -> Choices {
        let default = Choices::default();
        let flag = |name: &str| self.settings.get(name).and_then(Value::as_bool);
        let word = |name: &str| self.settings.get(name).and_then(Value::as_str);
        Choices {
            preset: self.preset.clone(),
            allow_unmatched: flag("allow_unmatched").unwrap_or(default.allow_unmatched),
            points_model: word("points_model").map_or(default.points_model, str::to_owned),
            attributes: default.attributes,
        }
    }

    /// The matcher of some choices.
    ///
    /// # Errors
    /// When there is no such preset or model.
    pub fn matcher(&self, choices: &Choices) -> Result<Box<dyn Matcher>> {
        let plain = registry::by_name(&choices.preset)?;
        let known = plain.parameters();
        let mut settings = self.settings.clone();
        if choices.preset != self.preset {
            settings.retain(|name, _| SHARED.contains(&name.as_str()) && known.contains_key(name));
        }
        let mut set = |name: &str, value: Value| {
            if known.contains_key(name) {
                settings.insert(name.to_owned(), value);
            }
        };
        set("allow_unmatched", json!(choices.allow_unmatched));
        set("points_model", json!(choices.points_model));
        plain.configured(&settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_goes_with_the_choices_of_every_other() {
        for preset in registry::all() {
            let base = Base::of(preset.as_ref());
            assert_eq!(base.choices().preset, preset.name());
            for other in registry::all() {
                let choices = Choices {
                    preset: other.name().to_owned(),
                    allow_unmatched: true,
                    ..base.choices()
                };
                let matcher = base.matcher(&choices).unwrap();
                assert_eq!(matcher.name(), other.name());
                if let Some(value) = matcher.parameters().get("allow_unmatched") {
                    assert_eq!(value, &json!(true));
                }
            }
        }
    }

    #[test]
    fn what_there_is_not_is_refused() {
        let base = Base::of(registry::by_name("best").unwrap().as_ref());
        let wrong = |choices: Choices| base.matcher(&choices).err().unwrap().to_string();
        let default = base.choices();
        let preset = Choices {
            preset: "worst".to_owned(),
            ..default.clone()
        };
        assert!(wrong(preset).contains("worst"));
        let model = Choices {
            points_model: "flat".to_owned(),
            ..default
        };
        assert!(wrong(model).contains("flat"));
    }
}
