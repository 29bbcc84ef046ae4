//! The six variants of the paper's section 5.1.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Which terms make up W.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum Terms {
    /// i) Adjacency entries alone, no anchors used.
    Adjacency,
    /// ii) Pairwise heat d_k alone.
    Heat,
    /// iii) d_k and wave kernel signatures.
    HeatWave,
    /// iv) d_k and heat to anchors d_ap.
    HeatAnchors,
    /// v) d_k and the learned proximity d_B.
    HeatProximity,
    /// vi) d_k, d_B and d_ap: the paper's method.
    #[default]
    HeatProximityAnchors,
}

impl Terms {
    /// All six, in the paper's order.
    pub const ALL: [Self; 6] = [
        Self::Adjacency,
        Self::Heat,
        Self::HeatWave,
        Self::HeatAnchors,
        Self::HeatProximity,
        Self::HeatProximityAnchors,
    ];

    /// The name by which the command line knows it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Adjacency => "adjacency",
            Self::Heat => "heat",
            Self::HeatWave => "heat+wks",
            Self::HeatAnchors => "heat+ap",
            Self::HeatProximity => "heat+b",
            Self::HeatProximityAnchors => "heat+b+ap",
        }
    }

    /// Whether the second-order term is the heat kernel, and not the adjacency.
    #[must_use]
    pub fn uses_heat(self) -> bool {
        self != Self::Adjacency
    }

    /// Whether d_B is among the terms.
    #[must_use]
    pub fn uses_proximity(self) -> bool {
        matches!(self, Self::HeatProximity | Self::HeatProximityAnchors)
    }

    /// Whether d_ap is among the terms.
    #[must_use]
    pub fn uses_heat_to_anchors(self) -> bool {
        matches!(self, Self::HeatAnchors | Self::HeatProximityAnchors)
    }

    /// Whether wave kernel signatures are among the terms.
    #[must_use]
    pub fn uses_wave(self) -> bool {
        self == Self::HeatWave
    }

    /// The terms that are left when there are no anchors.
    #[must_use]
    pub fn without_anchors(self) -> Self {
        if self.uses_proximity() || self.uses_heat_to_anchors() {
            Self::Heat
        } else {
            self
        }
    }
}

impl From<Terms> for &'static str {
    fn from(terms: Terms) -> Self {
        terms.as_str()
    }
}

impl TryFrom<String> for Terms {
    type Error = Error;

    fn try_from(name: String) -> Result<Self> {
        name.parse()
    }
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Terms {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|terms| terms.as_str() == name)
            .ok_or_else(|| {
                let names = Self::ALL.map(Self::as_str).join(", ");
                Error::parameter("terms", format!("`{name}`"), format!("one of {names}"))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for terms in Terms::ALL {
            assert_eq!(terms.to_string().parse::<Terms>().unwrap(), terms);
        }
        assert!("heat+b+wks".parse::<Terms>().is_err());
    }

    #[test]
    fn only_anchor_terms_drop_out() {
        assert_eq!(Terms::HeatProximityAnchors.without_anchors(), Terms::Heat);
        assert_eq!(Terms::HeatWave.without_anchors(), Terms::HeatWave);
        assert_eq!(Terms::Adjacency.without_anchors(), Terms::Adjacency);
    }
}
