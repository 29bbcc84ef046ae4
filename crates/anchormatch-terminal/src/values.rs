//! Parsers of option values; clap puts the option's name before their messages.

use std::time::Duration;

use anchormatch::matcher::Terms;
use anchormatch::solver::registry;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::Value;

/// The paper's variants by name.
pub fn terms() -> impl TypedValueParser<Value = Terms> {
    PossibleValuesParser::new(Terms::ALL.map(Terms::as_str)).try_map(|name| name.parse::<Terms>())
}

/// The name of a solver of the registry.
pub fn solver() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(registry::all().into_iter().map(|solver| {
        let info = solver.info();
        PossibleValue::new(info.name).help(info.reference)
    }))
}

/// A number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    number(text, "a finite number above 0", |value| value > 0.0)
}

/// A number of at least 0.
pub fn nonnegative(text: &str) -> Result<f64, String> {
    number(text, "a finite number, 0 or more", |value| value >= 0.0)
}

/// Any finite number.
pub fn finite(text: &str) -> Result<f64, String> {
    number(text, "a finite number", |_| true)
}

/// A probability that is not zero.
pub fn share(text: &str) -> Result<f64, String> {
    number(text, "a number above 0 and at most 1", |value| {
        value > 0.0 && value <= 1.0
    })
}

/// A parameter and its value: JSON where it reads as JSON, a word otherwise.
pub fn setting(text: &str) -> Result<(String, Value), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
            Ok((name.trim().to_owned(), value))
        }
        _ => Err("expected NAME=VALUE, such as max_iterations=50".to_owned()),
    }
}

/// Seconds, fractions allowed.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let expected = "expected seconds above 0, such as 30 or 0.5".to_owned();
    match text.parse().map(Duration::try_from_secs_f64) {
        Ok(Ok(limit)) if limit > Duration::ZERO => Ok(limit),
        _ => Err(expected),
    }
}

/// Bytes as people write them: `512M`, `4GiB` and `1.5G` count by 1024, `2GB` by 1000.
pub fn size(text: &str) -> Result<u64, String> {
    let expected = || "expected a size above 0 such as 512M, 1.5G or 4GiB".to_owned();
    let text = text.trim();
    let digits = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().to_ascii_lowercase();
    let (letter, base) = match unit.as_str() {
        "" | "b" => ("", 1024.0f64),
        "k" | "m" | "g" | "t" => (unit.as_str(), 1024.0),
        _ => match (unit.strip_suffix("ib"), unit.strip_suffix('b')) {
            (Some(letter), _) => (letter, 1024.0),
            (None, Some(letter)) => (letter, 1000.0),
            (None, None) => return Err(expected()),
        },
    };
    let power = match letter {
        "" if unit.is_empty() || unit == "b" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(expected()),
    };
    let bytes = number.parse::<f64>().map_err(|_| expected())? * base.powi(power);
    // 2⁶³ bytes are more than any machine has.
    if !(1.0..9.2e18).contains(&bytes) {
        return Err(expected());
    }
    Ok(bytes as u64)
}

fn number(text: &str, expected: &str, valid: impl Fn(f64) -> bool) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && valid(value) => Ok(value),
        _ => Err(format!("expected {expected}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("1", 1),
            ("100b", 100),
            ("512M", 512 << 20),
            ("512MiB", 512 << 20),
            ("1.5G", 3 << 29),
            ("2GB", 2_000_000_000),
            ("4 gib", 4 << 30),
            ("1k", 1024),
            ("1T", 1 << 40),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in [
            "",
            "0",
            "G",
            "-1G",
            "1.2.3M",
            "4X",
            "4ib",
            "nan",
            "1e3M",
            "inf",
            "99999999T",
            "4GiBs",
        ] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn settings_are_names_with_json_or_words() {
        for (text, name, value) in [
            ("walk=0.3", "walk", json!(0.3)),
            ("restarts=5", "restarts", json!(5)),
            ("tenure=[0.5, 2]", "tenure", json!([0.5, 2])),
            ("iterations=null", "iterations", Value::Null),
            ("centred=true", "centred", json!(true)),
            ("discretisation=greedy", "discretisation", json!("greedy")),
            (" tabu.absence = 7", "tabu.absence", json!(7)),
            ("x=a=b", "x", json!("a=b")),
            ("x=", "x", json!("")),
            ("x=NaN", "x", json!("NaN")),
        ] {
            assert_eq!(setting(text), Ok((name.to_owned(), value)), "{text}");
        }
        for text in ["", "walk", "=3", " =3"] {
            assert!(setting(text).is_err(), "{text}");
        }
    }

    #[test]
    fn seconds_are_positive_and_finite() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for text in ["0", "-1", "nan", "inf", "1e400", "soon", ""] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_keep_to_their_range() {
        assert_eq!(positive("1e-3"), Ok(1e-3));
        assert_eq!(nonnegative("0"), Ok(0.0));
        assert_eq!(share("1"), Ok(1.0));
        for text in ["0", "-1", "NaN", "inf", "x"] {
            assert!(positive(text).is_err(), "{text}");
        }
        assert!(nonnegative("-0.1").is_err() && share("1.1").is_err() && finite("inf").is_err());
    }
}
