//! Progress, cancellation and limits for every long computation.
//!
//! A computation calls [`Monitor::checkpoint`] once per step. That is the only place that reads the
//! clock, and it costs an atomic load when nobody watches.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Hint, Result};

/// One report of progress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress<'a> {
    /// The stage that is running, for instance `rrwm`.
    pub stage: &'a str,
    /// Steps done.
    pub done: usize,
    /// Steps at most, when known.
    pub total: Option<usize>,
    /// A figure worth watching: a residual, an objective.
    pub value: Option<f64>,
}

/// Why a computation was asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupt {
    /// The time limit has passed.
    TimeLimit,
    /// The caller cancelled.
    Cancelled,
}

impl From<Interrupt> for Error {
    fn from(why: Interrupt) -> Self {
        Self::Stopped(match why {
            Interrupt::TimeLimit => "the time limit has passed",
            Interrupt::Cancelled => "cancelled",
        })
    }
}

type Observer = Arc<dyn Fn(Progress<'_>) + Send + Sync>;
type Listener = Arc<dyn Fn() + Send + Sync>;

/// A handle that other threads (a signal handler, a GUI) use to stop the work.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Asks the computation to stop at its next checkpoint.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`cancel`](Self::cancel) was called.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Watches a computation: shows progress, stops it, bounds its memory.
#[derive(Clone, Default)]
pub struct Monitor {
    observer: Option<Observer>,
    answerable: Option<Listener>,
    cancel: CancelToken,
    deadline: Option<Instant>,
    max_memory: Option<u64>,
    held: u64,
    stops: Stops,
}

/// What a monitor and its clones have told the work: nothing, or why to stop.
#[derive(Clone, Default)]
struct Stops(Arc<AtomicU8>);

impl Stops {
    fn tell(&self, why: Interrupt) -> Interrupt {
        // Of two reasons the caller's own stands.
        let code = match why {
            Interrupt::TimeLimit => 1,
            Interrupt::Cancelled => 2,
        };
        self.0.fetch_max(code, Ordering::Relaxed);
        why
    }

    fn interrupt(&self) -> Option<Interrupt> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Interrupt::TimeLimit),
            _ => Some(Interrupt::Cancelled),
        }
    }
}

impl std::fmt::Debug for Monitor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Monitor")
            .field("observed", &self.observer.is_some())
            .field("deadline", &self.deadline)
            .field("max_memory", &self.max_memory)
            .finish_non_exhaustive()
    }
}

impl Monitor {
    /// A monitor that watches nothing and never stops anything.
    #[must_use]
    pub fn silent() -> Self {
        Self::default()
    }

    /// Calls `observer` at every checkpoint.
    #[must_use]
    pub fn observe(mut self, observer: impl Fn(Progress<'_>) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Calls `listener` when the work is [`answerable`](Self::answerable).
    #[must_use]
    pub fn when_answerable(mut self, listener: impl Fn() + Send + Sync + 'static) -> Self {
        self.answerable = Some(Arc::new(listener));
        self
    }

    /// Tells that from here on a stop returns something; before, it is an error.
    pub fn answerable(&self) {
        if let Some(listener) = &self.answerable {
            listener();
        }
    }

    /// Stops the work `limit` from now.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        // A limit too far away for the clock is no limit.
        self.deadline = Instant::now().checked_add(limit);
        self
    }

    /// Refuses steps that would allocate more than `bytes`.
    #[must_use]
    pub fn max_memory(mut self, bytes: u64) -> Self {
        self.max_memory = Some(bytes);
        self
    }

    /// Stops the work when `token` is cancelled.
    #[must_use]
    pub fn cancelled_by(mut self, token: CancelToken) -> Self {
        self.cancel = token;
        self
    }

    /// A token that cancels this monitor's work.
    #[must_use]
    pub fn cancel_token(&self) -> CancelToken {
        self.cancel.clone()
    }

    /// Reports progress; returns the reason when the work should stop now.
    #[must_use]
    pub fn checkpoint(&self, progress: Progress<'_>) -> Option<Interrupt> {
        if let Some(observer) = &self.observer {
            observer(progress);
        }
        self.interrupted()
    }

    /// Whether the work should stop, without reporting anything.
    #[must_use]
    pub fn interrupted(&self) -> Option<Interrupt> {
        if self.cancel.is_cancelled() {
            return Some(self.stops.tell(Interrupt::Cancelled));
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => {
                Some(self.stops.tell(Interrupt::TimeLimit))
            }
            _ => None,
        }
    }

    /// A monitor for one run: [`stopped`](Self::stopped) tells what this one and those made of it said.
    #[must_use]
    pub fn for_one_run(&self) -> Self {
        Self {
            stops: Stops::default(),
            ..self.clone()
        }
    }

    /// Why any part of the work was told to stop, since [`for_one_run`](Self::for_one_run); `None` when
    /// no limit cut anything short, whatever the clock says by now.
    #[must_use]
    pub fn stopped(&self) -> Option<Interrupt> {
        self.stops.interrupt()
    }

    /// Whether a time limit is set.
    #[must_use]
    pub fn has_deadline(&self) -> bool {
        self.deadline.is_some()
    }

    /// The time left until the limit, if one is set.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// A monitor for a part of the work that may take this share of the time left.
    ///
    /// Without a time limit, or for a share that is not between 0 and 1, the limit stays as it is.
    #[must_use]
    pub fn with_share(&self, share: f64) -> Self {
        let mut inner = self.clone();
        if let Some(left) = self.remaining()
            && (0.0..1.0).contains(&share)
        {
            inner.deadline = Some(Instant::now() + left.mul_f64(share));
        }
        inner
    }

    /// A monitor that stops when this one does and reports to nobody.
    #[must_use]
    pub fn unobserved(&self) -> Self {
        let mut inner = self.clone();
        inner.observer = None;
        inner
    }

    /// Announces a stage that has no result to return when it is cut short: an interrupt is an error.
    pub fn enter(&self, stage: &str) -> Result<()> {
        let start = Progress {
            stage,
            done: 0,
            total: None,
            value: None,
        };
        self.checkpoint(start).map_or(Ok(()), |why| Err(why.into()))
    }

    /// An error when the work should stop, for loops that have no part of a result to return.
    pub fn go_on(&self) -> Result<()> {
        self.interrupted().map_or(Ok(()), |why| Err(why.into()))
    }

    /// A monitor for a part of the work, during which `bytes` more are held by the rest of it.
    #[must_use]
    pub fn holding(&self, bytes: u64) -> Self {
        let mut inner = self.clone();
        inner.held = inner.held.saturating_add(bytes);
        inner
    }

    /// Refuses `what` when it needs more than the memory allowed; `hints` name what would fit.
    pub fn reserve(&self, what: &str, needed: u64, hints: &'static [Hint]) -> Result<()> {
        let needed = needed.saturating_add(self.held);
        match self.max_memory {
            Some(limit) if needed > limit => Err(Error::Memory {
                what: what.to_owned(),
                needed,
                limit,
                hints,
            }),
            _ => Ok(()),
        }
    }

    /// A stopwatch; kept here so that no other room reads the clock.
    #[must_use]
    pub fn stopwatch(&self) -> Stopwatch {
        Stopwatch(Instant::now())
    }
}

/// Measures the time since it was made.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Seconds since the stopwatch was made.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    fn step(done: usize) -> Progress<'static> {
        Progress {
            stage: "test",
            done,
            total: Some(3),
            value: None,
        }
    }

    #[test]
    fn a_silent_monitor_never_stops() {
        let monitor = Monitor::silent();
        assert_eq!(monitor.checkpoint(step(1)), None);
        assert!(monitor.reserve("all", u64::MAX, &[]).is_ok());
    }

    #[test]
    fn cancelling_reaches_every_clone() {
        let monitor = Monitor::silent();
        let copy = monitor.clone();
        monitor.cancel_token().cancel();
        assert_eq!(copy.checkpoint(step(1)), Some(Interrupt::Cancelled));
        assert!(matches!(copy.enter("stage"), Err(Error::Stopped(_))));
    }

    #[test]
    fn a_passed_deadline_interrupts_and_a_distant_one_does_not() {
        let now = Monitor::silent().time_limit(Duration::ZERO);
        assert_eq!(now.interrupted(), Some(Interrupt::TimeLimit));
        let never = Monitor::silent().time_limit(Duration::MAX);
        assert_eq!(never.interrupted(), None);
    }

    #[test]
    fn a_share_ends_before_the_whole() {
        let monitor = Monitor::silent().time_limit(Duration::from_secs(3600));
        let whole = monitor.remaining().unwrap();
        let half = monitor.with_share(0.5).remaining().unwrap();
        assert!(monitor.has_deadline() && half < whole && half <= Duration::from_secs(1800));
        assert!(monitor.with_share(f64::NAN).remaining().unwrap() > half);
        let none = monitor.with_share(0.0);
        assert_eq!(none.interrupted(), Some(Interrupt::TimeLimit));
        assert!(!Monitor::silent().with_share(0.5).has_deadline());
        assert_eq!(Monitor::silent().remaining(), None);
    }

    #[test]
    fn a_run_remembers_what_its_parts_were_told() {
        let monitor = Monitor::silent().time_limit(Duration::from_secs(3600));
        let run = monitor.for_one_run();
        assert_eq!(run.with_share(0.5).interrupted(), None);
        assert_eq!(run.stopped(), None);
        // A part whose share has passed stops, though the whole has time left.
        let part = run.unobserved().with_share(0.0);
        assert_eq!(run.stopped(), None, "nobody asked yet");
        assert!(part.enter("part").is_err());
        assert_eq!(run.interrupted(), None);
        assert_eq!(run.stopped(), Some(Interrupt::TimeLimit));
        assert_eq!(monitor.stopped(), None);
        assert_eq!(run.for_one_run().stopped(), None);
        monitor.cancel_token().cancel();
        assert_eq!(run.interrupted(), Some(Interrupt::Cancelled));
        assert_eq!(part.stopped(), Some(Interrupt::Cancelled));
    }

    #[test]
    fn a_quiet_part_reports_nothing_and_still_stops() {
        let monitor = Monitor::silent().observe(|_| panic!("nobody watches"));
        let quiet = monitor.unobserved();
        assert_eq!(quiet.checkpoint(step(1)), None);
        monitor.cancel_token().cancel();
        assert_eq!(quiet.checkpoint(step(2)), Some(Interrupt::Cancelled));
    }

    #[test]
    fn observers_see_every_step() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let monitor = Monitor::silent().observe(move |p| sink.lock().unwrap().push(p.done));
        for done in 0..3 {
            assert_eq!(monitor.checkpoint(step(done)), None);
        }
        assert_eq!(*seen.lock().unwrap(), vec![0, 1, 2]);
    }

    #[test]
    fn reserve_says_what_is_needed_and_allowed() {
        let monitor = Monitor::silent().max_memory(1 << 20);
        let message = monitor
            .reserve(
                "the kernel",
                1 << 30,
                &[Hint::MoreMemory, Hint::SmallerGraphs],
            )
            .unwrap_err()
            .to_string();
        assert_eq!(
            message,
            "the kernel would take 1.0 GiB, the limit is 1.0 MiB; allow more memory or match smaller graphs"
        );
        assert!(monitor.reserve("little", 1 << 20, &[]).is_ok());
        assert!(monitor.holding(1).reserve("little", 1 << 20, &[]).is_err());
    }
}
