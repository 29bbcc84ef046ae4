//! Progress on standard error: a bar, JSON lines, or nothing.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anchormatch::monitor::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::exit::say;
use crate::resources::ProgressMode;

/// JSON lines come no faster than this within a stage.
const JSON_INTERVAL: Duration = Duration::from_millis(100);

/// The stage of long runs of many trials, of which people want to know when it ends.
pub const TRIALS: &str = "trials";

/// What people see while the work goes on.
pub enum Display {
    /// Nothing.
    Silent,
    /// A bar with the stage, its steps and its figure.
    Bar {
        /// The bar.
        bar: ProgressBar,
        /// The stage that it shows.
        stage: Mutex<String>,
    },
    /// One object a line.
    Json(Mutex<Last>),
}

/// The last JSON line.
#[derive(Default)]
pub struct Last {
    stage: String,
    at: Option<Instant>,
}

impl Display {
    /// The display that the user asked for.
    pub fn new(mode: ProgressMode) -> Self {
        match mode {
            ProgressMode::None => Self::Silent,
            ProgressMode::Json => Self::Json(Mutex::default()),
            ProgressMode::Auto if !std::io::stderr().is_terminal() => Self::Silent,
            ProgressMode::Auto | ProgressMode::Bar => {
                let bar = ProgressBar::new_spinner();
                bar.enable_steady_tick(JSON_INTERVAL);
                Self::Bar {
                    bar,
                    stage: Mutex::default(),
                }
            }
        }
    }

    /// Shows one report.
    pub fn show(&self, progress: Progress<'_>) {
        match self {
            Self::Silent => {}
            Self::Bar { bar, stage } => {
                let mut stage = stage.lock().unwrap_or_else(PoisonError::into_inner);
                if *stage != progress.stage {
                    progress.stage.clone_into(&mut stage);
                    bar.set_style(style(progress.total.is_some(), progress.stage == TRIALS));
                    bar.set_message(progress.stage.to_owned());
                    bar.reset();
                }
                if let Some(total) = progress.total {
                    bar.set_length(total as u64);
                    bar.set_position(progress.done as u64);
                }
                if let Some(value) = progress.value {
                    bar.set_prefix(format!("{value:.2e}"));
                }
            }
            Self::Json(last) => {
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                let now = Instant::now();
                let fresh = last.stage != progress.stage;
                let due = last.at.is_none_or(|at| now - at >= JSON_INTERVAL);
                let ended = progress.total == Some(progress.done);
                if fresh || due || ended {
                    progress.stage.clone_into(&mut last.stage);
                    last.at = Some(now);
                    say(line(progress));
                }
            }
        }
    }

    /// Takes the bar away, so that what is printed next stands alone.
    pub fn clear(&self) {
        if let Self::Bar { bar, .. } = self {
            bar.finish_and_clear();
        }
    }

    /// Does something that prints, without a bar in between.
    pub fn suspend<R>(&self, print: impl FnOnce() -> R) -> R {
        match self {
            Self::Bar { bar, .. } => bar.suspend(print),
            Self::Silent | Self::Json(_) => print(),
        }
    }

    /// A line above the bar, where a person watches one.
    pub fn remark(&self, line: &str) {
        if let Self::Bar { bar, .. } = self {
            bar.println(line);
        }
    }
}

fn style(counted: bool, long: bool) -> ProgressStyle {
    let template = if counted && long {
        "{spinner:.cyan} {msg:<15} {bar:32.cyan/dim} {pos:>4}/{len} {elapsed:>4}, {eta} left"
    } else if counted {
        "{spinner:.cyan} {msg:<15} {bar:32.cyan/dim} {pos:>4}/{len} {prefix:>9} {elapsed:>4}"
    } else {
        "{spinner:.cyan} {msg:<15} {elapsed:>4}"
    };
    ProgressStyle::with_template(template)
        .expect("the template is well formed")
        .progress_chars("━━─")
}

/// One report as a JSON object; a figure that is not finite is null.
fn line(progress: Progress<'_>) -> serde_json::Value {
    json!({
        "stage": progress.stage,
        "done": progress.done,
        "total": progress.total,
        "value": progress.value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_keys_in_one_order() {
        let progress = Progress {
            stage: "rrwm",
            done: 3,
            total: None,
            value: Some(f64::NAN),
        };
        assert_eq!(
            line(progress).to_string(),
            r#"{"stage":"rrwm","done":3,"total":null,"value":null}"#
        );
    }

    #[test]
    fn templates_are_well_formed() {
        for counted in [false, true] {
            let _ = (style(counted, false), style(counted, true));
        }
    }
}
