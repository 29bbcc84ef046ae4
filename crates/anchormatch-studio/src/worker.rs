//! The two threads behind a studio: one matches, the other lays the target out and finds questions.
//!
//! A match of the newest change cancels the older one, so that there is one at most. Where the last one took long, a
//! quick answer by the preset `fast` comes first. Layout and questions are made of the last finished match, while the
//! next one may be under way.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anchormatch::matcher::{Matcher, registry};
use anchormatch::monitor::{CancelToken, Progress};
use anchormatch::{Error, Matching, Monitor, Result};
use serde_json::json;

use crate::answer::Answer;
use crate::choices::Choices;
use crate::decisions::Decided;
use crate::room::{Question, Room};

/// The preset of quick answers.
const QUICK: &str = "fast";
/// A match that took longer than this, in seconds, is preceded by a quick one.
const PATIENCE: f64 = 0.25;
/// Pages hear of progress no more often than this, in milliseconds.
const PACE: u64 = 80;
/// Questions that are found at once, for graphs of up to so many open nodes and beyond.
const QUESTIONS: (usize, usize) = (12, 4);
const FEW_NODES: usize = 150;
/// Graphs of up to so many nodes are laid out in a moment.
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
        .is_none_or(|answer| answer.quick || answer.seconds > PATIENCE);
    Some(Order {
        change: session.change,
        decided: session.history.now().clone(),
        choices: session.choices.clone(),
        token,
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
        // Only a first impression: what is wrong is said by the match itself.
        if let Ok((matching, seconds)) = one(room, order, matcher.as_ref(), &monitor) {
            publish(room, order, matching, seconds, true);
        }
    }
    let matcher = setup.base.matcher(&order.choices)?;
    match one(room, order, matcher.as_ref(), &monitor) {
        Ok((matching, seconds)) => publish(room, order, matching, seconds, false),
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
) -> Result<(Matching, f64)> {
    let clock = monitor.stopwatch();
    let setup = room.setup();
    let (task, notes) = setup.task(matcher, &order.choices, &order.decided, monitor)?;
    let mut matching = matcher.run(&task, monitor)?;
    matching
        .notes
        .splice(0..0, notes.into_iter().map(Into::into));
    Ok((matching, clock.seconds()))
}

fn publish(room: &Room, order: &Order, matching: Matching, seconds: f64, quick: bool) {
    let number = {
        let mut session = room.session();
        session.matches += 1;
        session.matches
    };
    let numbers = (number, order.change);
    let sizes = room.setup().sizes();
    let answer = Answer::new(numbers, quick, matching, &order.decided, sizes, seconds);
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
    while let Some(answer) = next_to_follow(room) {
        // What is quick comes first.
        let is_small = room.setup().sizes()[1] <= SMALL;
        if is_small {
            lay_out(room, &answer);
        }
        find_questions(room, &answer);
        if !is_small {
            lay_out(room, &answer);
        }
    }
}

fn next_to_follow(room: &Room) -> Option<Arc<Answer>> {
    let mut session = room.session();
    loop {
        if session.orders.closed {
            return None;
        }
        if let Some(answer) = session.orders.follow.take() {
            return Some(answer);
        }
        session = room
            .wake
            .wait(session)
            .unwrap_or_else(std::sync::PoisonError::into_inner);
    }
}

fn find_questions(room: &Room, answer: &Answer) {
    let decided = room.session().history.now().clone();
    let open = room.setup().sizes()[0].saturating_sub(decided.hard().len());
    let wanted = match open <= FEW_NODES {
        true => QUESTIONS.0,
        false => QUESTIONS.1,
    };
    // Those of whom the person cannot tell are named again, and left out.
    let found = answer.matching.suggest(wanted + decided.unsure().len());
    let found = found.into_iter().map(|suggestion| Question {
        source: suggestion.source,
        gain: suggestion.gain,
    });
    let open = found.filter(|question| !decided.is_settled(question.source));
    room.ask(answer, open.take(wanted).collect());
}

fn lay_out(room: &Room, answer: &Answer) {
    let setup = room.setup();
    if setup.sides[1].positions.is_some() {
        return;
    }
    let couples: Vec<(usize, usize)> = answer
        .matching
        .pairs
        .iter()
        .map(|pair| (pair.source, pair.target))
        .collect();
    if let Ok((number, _)) = room.scene.follow(&setup.sides, answer.number, &couples) {
        room.tell(&json!({ "kind": "places", "number": number }));
    }
}
