//! Runs what a journal does not have yet, on all cores.
//!
//! Each worker has one thread to itself, in which a matcher's own parallel loops run as well: trials
//! do not wait for each other, and a trial's clock does not run while another is at work on the same
//! thread. Methods take turns in being first, so that none always pays for cold caches.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use anchormatch::matcher::Shared;
use anchormatch::{Error, Monitor, Result};

use super::entry::{Entry, Outcome};
use super::journal::{Journal, Outcomes, Trials};
use super::protocol::{Protocol, derived_seed};
use super::results::Results;

/// The trials of `protocol` that are not among `trials`.
#[must_use]
pub fn missing(protocol: &Protocol, trials: &Trials) -> Vec<(usize, usize)> {
    let mut tasks = protocol.tasks();
    tasks.retain(|&(p, k)| !trials.contains_key(&(protocol.points[p].name.clone(), k)));
    tasks
}

/// Runs what is missing on `threads` threads, appends it to the journal and gives all trials.
///
/// `done` is called after every trial. A trial that the monitor cuts short is left out: what was found
/// by then is not what the method can do. What `earlier`, an experiment on the same trials, has of an
/// entry of the same settings is taken from there.
///
/// # Errors
/// When a trial fails or the journal cannot be written; what was finished before is in the journal.
pub fn run(
    protocol: &Protocol,
    journal: &Journal,
    earlier: Option<&Results>,
    threads: usize,
    monitor: &Monitor,
    done: &(dyn Fn() + Sync),
) -> Result<Trials> {
    let mut trials = journal.trials().clone();
    let known = earlier.map(|earlier| Known::new(protocol, earlier));
    let finished = |point: &str, k: usize, outcomes: &Outcomes| {
        journal.append(point, k, outcomes)?;
        done();
        Ok(())
    };
    let tasks = missing(protocol, &trials);
    let made = work(
        protocol,
        &tasks,
        known.as_ref(),
        threads,
        monitor,
        &finished,
    )?;
    trials.extend(made);
    Ok(trials)
}

/// Runs everything and keeps no journal.
pub(super) fn run_all(protocol: &Protocol, threads: usize, monitor: &Monitor) -> Result<Trials> {
    let tasks = protocol.tasks();
    let trials = work(protocol, &tasks, None, threads, monitor, &|_, _, _| Ok(()))?;
    Ok(trials.into_iter().collect())
}

/// What another experiment found on the same trials.
struct Known<'a> {
    rows: HashMap<(&'a str, usize), &'a Outcomes>,
    /// Where each entry stands there.
    places: Vec<Option<usize>>,
}

impl<'a> Known<'a> {
    fn new(protocol: &Protocol, earlier: &'a Results) -> Self {
        let keys: Vec<_> = earlier.protocol.entries.iter().map(Entry::key).collect();
        let place = |entry: &Entry| keys.iter().position(|key| *key == entry.key());
        // Trials of another seed or other data are others, and so is what was drawn for them.
        let is_same = (protocol.seed, &protocol.data, protocol.stem())
            == (
                earlier.protocol.seed,
                &earlier.protocol.data,
                earlier.protocol.stem(),
            );
        Self {
            rows: earlier.trials().collect(),
            places: protocol
                .entries
                .iter()
                .map(|e| place(e).filter(|_| is_same))
                .collect(),
        }
    }

    fn outcome(&self, point: &str, trial: usize, entry: usize) -> Option<Outcome> {
        self.rows.get(&(point, trial))?[self.places[entry]?]
    }
}

type Finished<'a> = dyn Fn(&str, usize, &Outcomes) -> Result<()> + Sync + 'a;

fn work(
    protocol: &Protocol,
    tasks: &[(usize, usize)],
    known: Option<&Known<'_>>,
    threads: usize,
    monitor: &Monitor,
    finished: &Finished<'_>,
) -> Result<Vec<((String, usize), Outcomes)>> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let fresh: Mutex<Vec<((String, usize), Outcomes)>> = Mutex::default();
    let work = || -> Result<()> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .map_err(|error| Error::Numerics(format!("a thread could not be started: {error}")))?;
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let is_over = failed.load(Ordering::Relaxed) || monitor.interrupted().is_some();
            let Some(&(p, k)) = tasks.get(place).filter(|_| !is_over) else {
                return Ok(());
            };
            let Some(outcomes) = pool.install(|| trial(protocol, (p, k), known, monitor))? else {
                return Ok(());
            };
            let point = &protocol.points[p].name;
            finished(point, k, &outcomes)?;
            let mut fresh = fresh.lock().expect("no worker panics");
            fresh.push(((point.clone(), k), outcomes));
        }
    };
    let workers = threads.clamp(1, tasks.len().max(1));
    let ends: Vec<Result<()>> = thread::scope(|scope| {
        let start = |_| {
            scope.spawn(|| {
                let end = work();
                if end.is_err() {
                    failed.store(true, Ordering::Relaxed);
                }
                end
            })
        };
        let handles: Vec<_> = (0..workers).map(start).collect();
        let join = |handle: thread::ScopedJoinHandle<'_, Result<()>>| {
            handle
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        handles.into_iter().map(join).collect()
    });
    ends.into_iter().collect::<Result<()>>()?;
    Ok(fresh.into_inner().expect("no worker panics"))
}

/// One trial; `None` when it was cut short.
fn trial(
    protocol: &Protocol,
    (p, k): (usize, usize),
    known: Option<&Known<'_>>,
    monitor: &Monitor,
) -> Result<Option<Outcomes>> {
    let point = &protocol.points[p];
    let trial = point.trial(k)?;
    let seed = derived_seed(
        protocol.seed,
        &[&protocol.stem(), &point.name, &k, &"methods"],
    );
    let count = protocol.entries.len();
    let mut outcomes: Outcomes = vec![None; count];
    let shared = Shared::default();
    for turn in 0..count {
        let place = (turn + p + k) % count;
        let entry = &protocol.entries[place];
        if entry.slow && !point.slow {
            continue;
        }
        outcomes[place] = known.and_then(|known| known.outcome(&point.name, k, place));
        if outcomes[place].is_some() {
            continue;
        }
        let result = entry.run_beside(&trial, seed, &shared, monitor);
        if monitor.interrupted().is_some() {
            return Ok(None);
        }
        outcomes[place] = Some(result?.1);
    }
    Ok(Some(outcomes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::reproduce::Point;
    use crate::matchers::fixed::Fixed;
    use anchormatch_generate::Synthetic;

    fn protocol(trials: usize) -> Protocol {
        let point = |noise: f64| {
            let graphs = Synthetic {
                inliers: 8,
                noise,
                ..Synthetic::default()
            };
            (noise, Point::synthetic("p", graphs, 2, trials, 3))
        };
        let points = vec![point(0.0), point(0.5)];
        let mut entries = Entry::standard();
        entries.truncate(2);
        Protocol::sweep("some", "x", points, entries, 3)
    }

    fn timeless(mut trials: Trials) -> Trials {
        for outcome in trials.values_mut().flatten().flatten() {
            (outcome.seconds, outcome.solve_seconds) = (0.0, 0.0);
        }
        trials
    }

    #[test]
    fn threads_and_interruptions_change_nothing() {
        let protocol = protocol(6);
        let run_in = |threads, stop_after: Option<usize>| {
            let folder = tempfile::tempdir().unwrap();
            let mut trials = Trials::new();
            for _ in 0..=protocol.tasks().len() {
                let journal = Journal::open(folder.path(), &protocol).unwrap();
                let monitor = Monitor::silent();
                let count = AtomicUsize::new(0);
                let done = || {
                    if Some(count.fetch_add(1, Ordering::Relaxed) + 1) >= stop_after
                        && stop_after.is_some()
                    {
                        monitor.cancel_token().cancel();
                    }
                };
                trials = run(&protocol, &journal, None, threads, &monitor, &done).unwrap();
                if missing(&protocol, &trials).is_empty() {
                    break;
                }
            }
            timeless(trials)
        };
        let one = run_in(1, None);
        assert_eq!(one.len(), 12);
        assert_eq!(run_in(3, None), one);
        assert_eq!(run_in(2, Some(2)), one);
        let right = |name: &str| {
            let of = one.iter().filter(|((point, _), _)| point.contains(name));
            of.map(|(_, o)| o[0].unwrap().right).sum::<u32>()
        };
        assert_eq!(right("sigma=0 "), 36);
        assert!(right("sigma=0.5") < 36);
    }

    #[test]
    fn what_another_experiment_found_is_taken_from_there() {
        let folder = tempfile::tempdir().unwrap();
        let mut earlier = protocol(4);
        earlier.entries = Entry::standard();
        let known = run_all(&earlier, 2, &Monitor::silent()).unwrap();
        let results = Results::new(earlier, &known);
        // The same trials under another name, in another order, with one entry that is new.
        let mut again = protocol(5);
        again.name = "readings-some".to_owned();
        let wide = Entry::wide().remove(1);
        again.entries = vec![Entry::best(), wide, Entry::standard().remove(5)];
        let monitor = Monitor::silent();
        let journal = Journal::open(folder.path(), &again).unwrap();
        let taken = run(&again, &journal, Some(&results), 2, &monitor, &|| ()).unwrap();
        for ((point, trial), outcomes) in &taken {
            let before = known.get(&(point.clone(), *trial));
            assert_eq!(before.is_some(), *trial < 4);
            if let Some(before) = before {
                // Times and all.
                assert_eq!((outcomes[0], outcomes[2]), (before[6], before[5]));
            }
        }
        let alone = run_all(&again, 1, &monitor).unwrap();
        assert_eq!(timeless(taken), timeless(alone));
        // Of another seed nothing is known.
        again.seed += 1;
        let known = Known::new(&again, &results);
        assert_eq!(known.places, [None; 3]);
    }

    #[test]
    fn more_trials_continue_the_same_journal() {
        let folder = tempfile::tempdir().unwrap();
        let count = AtomicUsize::new(0);
        let done = || {
            count.fetch_add(1, Ordering::Relaxed);
        };
        for (trials, want) in [(2, 4), (3, 6), (1, 6)] {
            let protocol = protocol(trials);
            let journal = Journal::open(folder.path(), &protocol).unwrap();
            run(&protocol, &journal, None, 2, &Monitor::silent(), &done).unwrap();
            assert_eq!(count.load(Ordering::Relaxed), want);
        }
    }

    #[test]
    fn slow_methods_run_where_they_are_asked_for_and_failures_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut protocol = protocol(1);
        protocol.points[0].slow = false;
        protocol.entries[1] = protocol.entries[1].clone().slow();
        let journal = Journal::open(folder.path(), &protocol).unwrap();
        let trials = run(&protocol, &journal, None, 1, &Monitor::silent(), &|| ()).unwrap();
        let ran = |p: usize| trials[&(protocol.points[p].name.clone(), 0)][1].is_some();
        assert!(!ran(0) && ran(1));

        protocol.name = "other".to_owned();
        let broken = Fixed(|_| Err(Error::Numerics("no luck".into())));
        protocol.entries[0] = Entry::new("broken", broken);
        let journal = Journal::open(folder.path(), &protocol).unwrap();
        let error = run(&protocol, &journal, None, 2, &Monitor::silent(), &|| ()).unwrap_err();
        assert!(error.to_string().contains("no luck"), "{error}");
    }
}
