//! One run: its monitor, its display, and what ends it early.
//!
//! A signal or the time limit asks the work to stop at its next checkpoint, and the best so far is
//! written. As long as there is nothing to write, there is nothing to wait for: the process ends at
//! once, even inside a step that has no checkpoint, such as a large eigendecomposition or a read
//! from a terminal. A second signal ends it in any case.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

use anchormatch::monitor::{CancelToken, Progress};
use anchormatch::{Error, Monitor};

use crate::exit::{self, Failure};
use crate::files::print;
use crate::memory;
use crate::progress::Display;
use crate::resources::{ProgressMode, Resources};

/// What shells report for a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// There is nothing to write yet: a signal or the clock may end the process.
const NOTHING: u8 = 0;
/// There is something to write or to tell: the main thread ends the process.
const RESULT: u8 = 1;
/// A signal or the clock is ending the process.
const ENDING: u8 = 2;

/// A run from its first step to its last.
pub struct Job {
    shared: Arc<Shared>,
    time_limit: Option<Duration>,
    max_memory: Option<u64>,
    monitor: Monitor,
}

struct Shared {
    token: CancelToken,
    display: Display,
    /// Who decides how the process ends; see the constants.
    end: AtomicU8,
    errors_as_json: bool,
}

impl Job {
    /// Starts threads, clock, display and signal handling.
    pub fn start(
        resources: &Resources,
        time_limit: Option<Duration>,
        errors_as_json: bool,
    ) -> Result<Self, Failure> {
        resources.start_threads()?;
        let (progress, memory) = (resources.progress, resources.memory());
        Self::new(progress, memory, time_limit, errors_as_json)
    }

    /// A run without options of its own, which shows nothing.
    pub fn plain() -> Result<Self, Failure> {
        Self::new(ProgressMode::None, memory::available(), None, false)
    }

    fn new(
        progress: ProgressMode,
        max_memory: Option<u64>,
        time_limit: Option<Duration>,
        errors_as_json: bool,
    ) -> Result<Self, Failure> {
        let shared = Arc::new(Shared {
            token: CancelToken::default(),
            display: Display::new(progress),
            end: AtomicU8::new(NOTHING),
            errors_as_json,
        });
        handle_signals(&shared)?;
        if let Some(limit) = time_limit {
            watch_clock(&shared, limit);
        }
        let mut job = Self {
            monitor: Monitor::silent(),
            shared,
            time_limit,
            max_memory,
        };
        let (shown, kept) = (Arc::clone(&job.shared), Arc::clone(&job.shared));
        job.monitor = job
            .quiet_monitor()
            .observe(move |progress| shown.display.show(progress))
            .when_answerable(move || kept.keep());
        Ok(job)
    }

    /// From here on a stop returns something to write: the main thread ends the process.
    pub fn keep(&self) {
        self.shared.keep();
    }

    /// The monitor of the work, shown on the display.
    pub fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// A monitor with the same limits that shows nothing, for work in many parts.
    pub fn quiet_monitor(&self) -> Monitor {
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
    pub fn max_memory(&self) -> Option<u64> {
        self.max_memory
    }

    /// Prints while the work goes on, with the bar out of the way.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        self.shared.display.suspend(|| print(text))
    }

    /// Shows a step of work that the caller counts itself.
    pub fn show(&self, progress: Progress<'_>) {
        self.shared.display.show(progress);
    }

    /// The work is over and its result is about to be written: from here on nothing ends the
    /// process in the middle of a file.
    pub fn finish(&self) {
        self.shared.keep();
        self.shared.display.clear();
    }
}

impl Drop for Job {
    /// However the work ended, the main thread tells it from here on.
    fn drop(&mut self) {
        self.finish();
    }
}

impl Shared {
    /// From here on the process ends in the main thread. When it is ending already, waits for that:
    /// nothing is written or told twice.
    fn keep(&self) {
        if self.decide(RESULT) == ENDING {
            loop {
                thread::park();
            }
        }
    }

    /// Decides how the process ends unless that is decided; returns the state before.
    fn decide(&self, end: u8) -> u8 {
        let order = Ordering::SeqCst;
        let before = self.end.compare_exchange(NOTHING, end, order, order);
        before.unwrap_or_else(|decided| decided)
    }

    /// Ends the process if there is nothing to write.
    fn give_up(&self, why: &'static str) {
        if self.decide(ENDING) == NOTHING {
            self.display.clear();
            exit::tell_stopped(self.errors_as_json, why);
            process::exit(i32::from(exit::STOPPED));
        }
    }
}

fn handle_signals(shared: &Arc<Shared>) -> Result<(), Failure> {
    let shared = Arc::clone(shared);
    let handler = move || {
        shared.give_up("cancelled");
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
        shared.give_up("the time limit has passed");
    });
}
