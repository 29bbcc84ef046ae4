//! One run: its monitor, its display, and what ends it early.
//!
//! A signal or the time limit asks the work to stop at its next checkpoint, and the best so far is
//! written. As long as there is nothing to write, there is nothing to wait for: the process ends at
//! once, even inside a step that has no checkpoint, such as a large eigendecomposition or a read
//! from a terminal. A second signal ends it in any case.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anchormatch::monitor::{CancelToken, Progress};
use anchormatch::{Error, Monitor};

use crate::args::Resources;
use crate::exit::{self, Failure};
use crate::progress::Display;

/// What shells report for a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// A run from its first step to its last.
pub(crate) struct Session {
    shared: Arc<Shared>,
    time_limit: Option<Duration>,
    max_memory: Option<u64>,
    monitor: Monitor,
}

struct Shared {
    token: CancelToken,
    display: Display,
    /// Whether stopping now would leave something to write.
    has_result: AtomicBool,
    errors_as_json: bool,
}

impl Session {
    /// Starts threads, clock, display and signal handling.
    ///
    /// `result_stage` is the stage from whose first report on a stop returns the best so far; `None`
    /// when the work has nothing to show before its end.
    pub(crate) fn start(
        resources: &Resources,
        time_limit: Option<Duration>,
        result_stage: Option<&'static str>,
        errors_as_json: bool,
    ) -> Result<Self, Failure> {
        resources.start_threads()?;
        let shared = Arc::new(Shared {
            token: CancelToken::default(),
            display: Display::new(resources.progress),
            has_result: AtomicBool::new(false),
            errors_as_json,
        });
        handle_signals(&shared)?;
        if let Some(limit) = time_limit {
            watch_clock(&shared, limit);
        }
        let mut session = Self {
            monitor: Monitor::silent(),
            shared,
            time_limit,
            max_memory: resources.memory(),
        };
        let shared = Arc::clone(&session.shared);
        session.monitor = session.quiet_monitor().observe(move |progress| {
            if Some(progress.stage) == result_stage {
                shared.has_result.store(true, Ordering::SeqCst);
            }
            shared.display.show(progress);
        });
        Ok(session)
    }

    /// The monitor of the work, shown on the display.
    pub(crate) fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// A monitor with the same limits that shows nothing, for work in many parts.
    pub(crate) fn quiet_monitor(&self) -> Monitor {
        let mut monitor = Monitor::silent().cancelled_by(self.shared.token.clone());
        if let Some(bytes) = self.max_memory {
            monitor = monitor.max_memory(bytes);
        }
        if let Some(limit) = self.time_limit {
            monitor = monitor.time_limit(limit);
        }
        monitor
    }

    /// The memory allowed, in bytes.
    pub(crate) fn max_memory(&self) -> Option<u64> {
        self.max_memory
    }

    /// Shows a step of work that the caller counts itself.
    pub(crate) fn show(&self, progress: Progress<'_>) {
        self.shared.display.show(progress);
    }

    /// The work is over and its result is about to be written: from here on nothing ends the
    /// process in the middle of a file.
    pub(crate) fn finish(&self) {
        self.shared.has_result.store(true, Ordering::SeqCst);
        self.shared.display.clear();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.shared.display.clear();
    }
}

impl Shared {
    /// Ends the process, because there is nothing to write.
    fn give_up(&self, why: &'static str) -> ! {
        self.display.clear();
        exit::tell_stopped(self.errors_as_json, why);
        process::exit(i32::from(exit::STOPPED));
    }
}

fn handle_signals(shared: &Arc<Shared>) -> Result<(), Failure> {
    let shared = Arc::clone(shared);
    let handler = move || {
        if !shared.has_result.load(Ordering::SeqCst) {
            shared.give_up("cancelled");
        }
        if shared.token.is_cancelled() {
            shared.display.clear();
            process::exit(INTERRUPTED);
        }
        shared.token.cancel();
        shared
            .display
            .remark("stopping, the best so far will be written; Ctrl-C once more ends at once");
    };
    ctrlc::set_handler(handler).map_err(|error| {
        Failure::Library(Error::io("signal handler", std::io::Error::other(error)))
    })
}

fn watch_clock(shared: &Arc<Shared>, limit: Duration) {
    let shared = Arc::clone(shared);
    thread::spawn(move || {
        thread::sleep(limit);
        if !shared.has_result.load(Ordering::SeqCst) {
            shared.give_up("the time limit has passed");
        }
    });
}
