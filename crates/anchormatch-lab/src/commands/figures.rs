//! Means with their uncertainty as tables, JSON and CSV have them.

use anchormatch_report::Summary;
use serde_json::{Value, json};

/// The mean with its standard error: `0.987±.004`.
pub(super) fn with_error(values: &Summary) -> String {
    let error = format!("{:.3}", values.standard_error);
    format!(
        "{:.3}±{}",
        values.mean,
        error.strip_prefix('0').unwrap_or(&error)
    )
}

/// As an object.
pub(super) fn summary_json(values: &Summary) -> Value {
    json!({ "mean": values.mean, "standard_error": values.standard_error, "trials": values.count })
}

/// Mean and standard error as two cells of a CSV file.
pub(super) fn cells(values: &Summary) -> String {
    match values.count {
        0 => ",".to_owned(),
        _ => format!("{},{}", values.mean, values.standard_error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        let summary = Summary::of([1.0, 0.5]);
        assert_eq!(with_error(&summary), "0.750±.250");
        assert_eq!(cells(&summary), "0.75,0.25");
        assert_eq!(cells(&Summary::of([])), ",");
        assert_eq!(summary_json(&summary)["trials"], 2);
    }
}
