//! The two threads behind a studio: one matches, the other lays the target out and finds questions.
//!
//! A match of the newest change cancels the older one, so that there is one at most. Where the last one took long, a
//! quick answer by the preset `fast` comes first, and of small graphs within a time that a person does not notice: its
//! search takes a small part of that, and its confidences come from as many samples as the rest allows. Layout and
//! questions are made of the last finished match; they give way to the first answer after a change, and begin again
//! after it where no better match comes soon.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anchormatch::matcher::{Matcher, registry};
use anchormatch::monitor::{CancelToken, Progress, Stopwatch};
use anchormatch::{Error, Matching, Monitor, Result};
use serde_json::json;

use crate::answer::{Answer, Times};
use crate::choices::Choices;
use crate::decisions::Decided;
use crate::room::{Question, Room, places};

/// The preset of quick answers.
const QUICK: &str = "fast";
/// A match that took longer than this, in seconds, is preceded by a quick one.
const PATIENCE: f64 = 0.1;
/// The time of a quick match of small graphs (`make studio-speed` has what a refresh takes beside it).
const MOMENT: Duration = Duration::from_millis(100);
/// The time that pages of small graphs have to draw a quick answer before the whole match takes all cores.
const BREATH: Duration = Duration::from_millis(150);
/// Pages hear of progress no more often than this, in milliseconds.
const PACE: u64 = 80;
/// Questions that are found at once, for graphs of up to so many open nodes and beyond.
const QUESTIONS: (usize, usize) = (12, 4);
const FEW_NODES: usize = 150;
/// Graphs of up to so many nodes are laid out in a moment, and matched in a few.
const SMALL: usize = 2_000;

/// What pages are told of a match that failed inside.
const INTERNAL: &str =
    "an internal failure, of which the terminal tells more; undo the change, and please report it";

/// What is to be matched.
struct Order {
    change: u64,
    decided: Decided,
    choices: Choices,
    token: CancelToken,
    quick: bool,
    /// Runs since the change was received.
    since: Stopwatch,
}

/// Matches whenever something changed, until the studio is closed.
pub(crate) fn matches(room: &Room) {
    while let Some(order) = next(room) {
        // One match that fails inside must not end all that follow.
        let done = panic::catch_unwind(AssertUnwindSafe(|| run(room, &order)));
        match done {
            Ok(Ok(())) => {}
            Ok(Err(error)) => room.fail(&error.to_string(), &order.token),
            Err(_) => room.fail(INTERNAL, &order.token),
        }
    }
}

fn next(room: &Room) -> Option<Order> {
    let mut session = room.session();
    while !session.orders.due && !session.orders.closed {
        session = room
            .wake
            .wait(session)
            .unwrap_or_else(std::sync::PoisonError::into_inner);
    }
    if session.orders.closed {
        return None;
    }
    session.orders.due = false;
    let token = CancelToken::default();
    session.orders.running = Some(token.clone());
    let slow = session
        .answer
        .as_ref()
        .is_none_or(|answer| answer.quick || answer.times.seconds > PATIENCE);
    Some(Order {
        change: session.change,
        decided: session.history.now().clone(),
        choices: session.choices.clone(),
        token,
        since: session.since,
        quick: slow && session.choices.preset != QUICK && registry::by_name(QUICK).is_ok(),
    })
}

fn run(room: &Room, order: &Order) -> Result<()> {
    let setup = room.setup();
    let monitor = watched(room, order);
    if order.quick {
        let choices = Choices {
            preset: QUICK.to_owned(),
            ..order.choices.clone()
        };
        let matcher = setup.base.matcher(&choices)?;
        let monitor = match is_small(room) {
            true => monitor.clone().time_limit(MOMENT),
            false => monitor.clone(),
        };
        // Only a first impression: what is wrong is said by the match itself.
        if let Ok((matching, times)) = one(room, order, matcher.as_ref(), &monitor) {
            publish(room, order, matching, times, true);
            // Browsers without a graphics card draw by the cores that the match would take.
            if is_small(room) {
                room.rest(BREATH);
            }
        }
    }
    let matcher = setup.base.matcher(&order.choices)?;
    match one(room, order, matcher.as_ref(), &monitor) {
        Ok((matching, times)) => publish(room, order, matching, times, false),
        // A newer change has its own match.
        Err(Error::Stopped(_)) if order.token.is_cancelled() => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

fn one(
    room: &Room,
    order: &Order,
    matcher: &dyn Matcher,
    monitor: &Monitor,
) -> Result<(Matching, Times)> {
    let waited = order.since.seconds();
    let clock = monitor.stopwatch();
    let setup = room.setup();
    let (task, notes) = setup.task(matcher, &order.choices, &order.decided, monitor)?;
    let mut matching = matcher.run(&task, monitor)?;
    matching
        .notes
        .splice(0..0, notes.into_iter().map(Into::into));
    let seconds = clock.seconds();
    Ok((matching, Times { waited, seconds }))
}

fn is_small(room: &Room) -> bool {
    room.setup().sizes().into_iter().all(|nodes| nodes <= SMALL)
}

fn publish(room: &Room, order: &Order, matching: Matching, times: Times, quick: bool) {
    let number = {
        let mut session = room.session();
        session.matches += 1;
        session.matches
    };
    let numbers = (number, order.change);
    let sizes = room.setup().sizes();
    let answer = Answer::new(numbers, quick, matching, &order.decided, sizes, times);
    room.publish(answer, &order.token);
}

/// A monitor that the order's token stops and whose progress pages hear of.
fn watched(room: &Room, order: &Order) -> Monitor {
    let mut monitor = Monitor::silent().cancelled_by(order.token.clone());
    if let Some(bytes) = room.setup().max_memory {
        monitor = monitor.max_memory(bytes);
    }
    let clock = monitor.stopwatch();
    let last = AtomicU64::new(0);
    let change = order.change;
    let events = room.teller();
    monitor.observe(move |progress: Progress<'_>| {
        let now = (1e3 * clock.seconds()) as u64 + 1;
        let before = last.load(Ordering::Relaxed);
        let is_due = now >= before + PACE;
        if is_due
            && last
                .compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
        {
            events(&json!({
                "kind": "progress",
                "change": change,
                "stage": progress.stage,
                "done": progress.done,
                "total": progress.total,
            }));
        }
    })
}

/// Lays the target out by each finished match, and finds the questions of it, until the studio is closed.
pub(crate) fn follows(room: &Room) {
    while let Some((answer, token)) = next_to_follow(room) {
        let monitor = Monitor::silent().cancelled_by(token.clone());
        // What is quick comes first.
        let is_small = is_small(room);
        if is_small {
            lay_out(room, &answer, &monitor);
        }
        find_questions(room, &answer, &monitor);
        if !is_small {
            lay_out(room, &answer, &monitor);
        }
        let mut session = room.session();
        session.orders.following = None;
        // The next match of large graphs takes its time: until then these are better than none.
        if token.is_cancelled() && !is_small && session.orders.follow.is_none() {
            session.orders.follow = Some(answer);
        }
    }
}

fn next_to_follow(room: &Room) -> Option<(Arc<Answer>, CancelToken)> {
    let mut session = room.session();
    loop {
        let orders = &mut session.orders;
        if orders.closed {
            return None;
        }
        if !orders.hurry
            && let Some(answer) = orders.follow.take()
        {
            let token = CancelToken::default();
            orders.following = Some(token.clone());
            return Some((answer, token));
        }
        session = room
            .wake
            .wait(session)
            .unwrap_or_else(std::sync::PoisonError::into_inner);
    }
}

fn find_questions(room: &Room, answer: &Answer, monitor: &Monitor) {
    let decided = room.session().history.now().clone();
    let open = room.setup().sizes()[0].saturating_sub(decided.hard().len());
    let wanted = match open <= FEW_NODES {
        true => QUESTIONS.0,
        false => QUESTIONS.1,
    };
    // Those of whom the person cannot tell are named again, and left out.
    let most = wanted + decided.unsure().len();
    let found = answer.matching.suggest_watched(most, monitor);
    if monitor.interrupted().is_some() {
        return;
    }
    let found = found.into_iter().map(|suggestion| Question {
        source: suggestion.source,
        gain: suggestion.gain,
    });
    let open = found.filter(|question| !decided.is_settled(question.source));
    room.ask(answer, open.take(wanted).collect());
}

fn lay_out(room: &Room, answer: &Answer, monitor: &Monitor) {
    let setup = room.setup();
    if setup.sides[1].positions.is_some() || monitor.interrupted().is_some() {
        return;
    }
    let couples: Vec<(usize, usize)> = answer
        .matching
        .pairs
        .iter()
        .map(|pair| (pair.source, pair.target))
        .collect();
    let made = room
        .scene
        .follow(&setup.sides, answer.number, &couples, monitor);
    if let Ok((number, _)) = made {
        room.tell(&places(number));
    }
}
