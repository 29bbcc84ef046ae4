//! Work beside the interpreter: its lock is free, Ctrl-C stops it, progress is shown.
//!
//! The work runs on a thread that knows nothing of Python. The calling thread sleeps without the
//! lock and wakes up a few times a second to look for signals and to hand progress on. Work that
//! does not come to a checkpoint soon after a stop (a large eigendecomposition) is left to itself: it
//! owns all of its data, and its threads are not used again.
//!
//! Threads do not survive a fork, so every process has pools of its own.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anchormatch::error::Hint;
use anchormatch::monitor::{CancelToken, Progress};
use anchormatch::{Error, Monitor, Result};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::exception;

/// How often the calling thread looks for signals.
const TICK: Duration = Duration::from_millis(50);
/// How long a stop may take before the work is left to itself.
const GRACE: Duration = Duration::from_millis(500);
/// Pools that are kept for later calls.
const KEPT_POOLS: usize = 4;

/// What a call may use, from a Python object with these attributes.
#[derive(FromPyObject)]
pub(crate) struct Limits {
    threads: Option<usize>,
    time_limit: Option<f64>,
    pub(crate) max_memory: Option<u64>,
    /// Called with stage, done, total and value.
    progress: Option<Py<PyAny>>,
}

impl Limits {
    /// A monitor with the memory limit alone, for work that is done at once.
    pub(crate) fn memory(&self) -> Monitor {
        match self.max_memory {
            Some(bytes) => Monitor::silent().max_memory(bytes),
            None => Monitor::silent(),
        }
    }

    fn monitor(&self, token: CancelToken) -> PyResult<Monitor> {
        let monitor = self.memory().cancelled_by(token);
        match self.time_limit {
            None => Ok(monitor),
            Some(seconds) if seconds >= 0.0 => {
                // Too long for the clock is no limit.
                let limit = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
                Ok(monitor.time_limit(limit))
            }
            Some(seconds) => Err(PyValueError::new_err(format!(
                "time_limit: found {seconds}, expected seconds, 0 or more"
            ))),
        }
    }
}

/// One report of progress, owned.
struct Step {
    stage: String,
    done: usize,
    total: Option<usize>,
    value: Option<f64>,
}

/// The last report of each stage that nobody has seen yet.
#[derive(Clone, Default)]
struct Reports(Arc<Mutex<Vec<Step>>>);

impl Reports {
    fn push(&self, progress: Progress<'_>) {
        let mut steps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = steps.last_mut()
            && last.stage == progress.stage
        {
            (last.done, last.total, last.value) = (progress.done, progress.total, progress.value);
            return;
        }
        steps.push(Step {
            stage: progress.stage.to_owned(),
            done: progress.done,
            total: progress.total,
            value: progress.value,
        });
    }

    fn deliver(&self, py: Python<'_>, callback: &Py<PyAny>) -> PyResult<()> {
        let steps = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for step in steps {
            callback.call1(py, (step.stage, step.done, step.total, step.value))?;
        }
        Ok(())
    }
}

/// Runs `work` on a thread of its own and waits for it, ready to be interrupted.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    limits: &Limits,
    work: impl FnOnce(&Monitor) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let token = CancelToken::default();
    let reports = Reports::default();
    let mut monitor = limits.monitor(token.clone())?;
    if limits.progress.is_some() {
        let reports = reports.clone();
        monitor = monitor.observe(move |progress| reports.push(progress));
    }
    let pool = pool(limits.threads)?;
    let (sender, mut receiver) = mpsc::channel();
    let job = {
        let pool = Arc::clone(&pool);
        move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| pool.install(|| work(&monitor))));
            // Nobody listens any more when the call was interrupted.
            let _ = sender.send(outcome);
        }
    };
    thread::Builder::new()
        .name("anchormatch".into())
        .spawn(job)
        .map_err(|error| PyRuntimeError::new_err(format!("no thread could be started: {error}")))?;
    loop {
        let received;
        (receiver, received) = py.detach(move || {
            let received = receiver.recv_timeout(TICK);
            (receiver, received)
        });
        let mut watched = match &limits.progress {
            Some(callback) => reports.deliver(py, callback),
            None => Ok(()),
        };
        match received {
            Ok(outcome) => {
                keep(limits.threads, pool);
                watched?;
                return match outcome {
                    Ok(result) => result.map_err(exception),
                    Err(panic) => Err(broken(panic.as_ref())),
                };
            }
            Err(RecvTimeoutError::Disconnected) => return Err(broken(&"no result")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        watched = watched.and_then(|()| py.check_signals());
        if let Err(interrupt) = watched {
            token.cancel();
            if py.detach(move || receiver.recv_timeout(GRACE)).is_err() {
                forget(&pool);
            }
            return Err(interrupt);
        }
    }
}

/// A broken invariant of the library, which is a bug.
fn broken(panic: &(dyn Any + Send)) -> PyErr {
    let words = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    PyRuntimeError::new_err(format!(
        "internal error of anchormatch, please report it: {}",
        words.unwrap_or("unknown")
    ))
}

struct Kept {
    process: u32,
    threads: Option<usize>,
    pool: Arc<ThreadPool>,
}

static POOLS: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

/// A pool with so many threads for one call alone, which [`keep`] takes back; by default the one that all
/// calls share, with a thread for each core.
fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    if let Some(count) = threads
        && !(1..=1024).contains(&count)
    {
        return Err(PyValueError::new_err(format!(
            "threads: found {count}, expected 1 to 1024"
        )));
    }
    let process = std::process::id();
    // A fork may have happened while another thread held the lock: better a new pool than to wait.
    if let Ok(mut pools) = POOLS.try_lock() {
        // Pools of the parent process have no threads here, and nothing to be dropped.
        let (own, others) = std::mem::take(&mut *pools)
            .into_iter()
            .partition(|kept| kept.process == process);
        *pools = own;
        std::mem::forget::<Vec<Kept>>(others);
        if let Some(place) = pools.iter().position(|kept| kept.threads == threads) {
            // Two calls on one thread would wait for each other.
            return Ok(match threads {
                None => Arc::clone(&pools[place].pool),
                Some(_) => pools.remove(place).pool,
            });
        }
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .thread_name(|k| format!("anchormatch-{k}"))
        .build()
        .map_err(|error| PyValueError::new_err(format!("threads: {error}; ask for fewer")))?;
    let pool = Arc::new(pool);
    if threads.is_none() {
        keep(threads, Arc::clone(&pool));
    }
    Ok(pool)
}

/// Keeps a pool for later calls.
fn keep(threads: Option<usize>, pool: Arc<ThreadPool>) {
    if let Ok(mut pools) = POOLS.try_lock() {
        if pools.iter().any(|kept| Arc::ptr_eq(&kept.pool, &pool)) {
            return;
        }
        if pools.len() == KEPT_POOLS {
            pools.remove(0);
        }
        pools.push(Kept {
            process: std::process::id(),
            threads,
            pool,
        });
    }
}

/// Leaves a pool to the work that does not end.
fn forget(pool: &Arc<ThreadPool>) {
    if let Ok(mut pools) = POOLS.try_lock() {
        pools.retain(|kept| !Arc::ptr_eq(&kept.pool, pool));
    }
}

/// Refuses work in words that say what it needs, before anything is allocated.
pub(crate) fn reserve(
    monitor: &Monitor,
    what: &str,
    bytes: u64,
    hints: &'static [Hint],
) -> PyResult<()> {
    monitor.reserve(what, bytes, hints).map_err(exception)
}

/// The bytes of so many numbers, without overflow.
pub(crate) fn bytes(factors: &[usize]) -> u64 {
    let product = |total: u64, &factor: &usize| total.saturating_mul(factor as u64);
    factors.iter().fold(8, product)
}

/// An argument that Python has checked already.
pub(crate) fn unexpected(name: &'static str, found: &str, expected: &'static str) -> Error {
    Error::parameter(name, format!("`{found}`"), expected)
}
