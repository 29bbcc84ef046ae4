//! Means with their uncertainty, as tables and charts show them.

/// The mean of a sample and the standard error of that mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// How many values.
    pub count: usize,
    /// Their mean; NaN for none.
    pub mean: f64,
    /// The standard deviation over √count; 0 for fewer than two values.
    pub standard_error: f64,
}

impl Summary {
    /// Summarises `values`.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        // Welford's recurrence: one pass, no cancellation.
        let (mut count, mut mean, mut squares) = (0usize, 0.0, 0.0);
        for value in values {
            count += 1;
            let before = value - mean;
            mean += before / count as f64;
            squares += before * (value - mean);
        }
        let standard_error = if count < 2 {
            0.0
        } else {
            (squares / (count - 1) as f64 / count as f64).sqrt()
        };
        Self {
            count,
            mean: if count == 0 { f64::NAN } else { mean },
            standard_error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_error_are_the_textbook_ones() {
        let summary = Summary::of([1.0, 2.0, 4.0, 5.0]);
        assert_eq!((summary.count, summary.mean), (4, 3.0));
        // Variance 10/3, over 4 values.
        assert!((summary.standard_error - (10.0f64 / 12.0).sqrt()).abs() < 1e-15);
        assert_eq!(Summary::of([7.0]).standard_error, 0.0);
        assert!(Summary::of([]).mean.is_nan());
    }
}
