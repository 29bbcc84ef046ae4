//! The room where all pages of a studio meet: what was said, the last finished match, and who has to hear of it.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anchormatch::graph::Labels;
use anchormatch::matcher::registry;
use anchormatch::monitor::{CancelToken, Stopwatch};
use anchormatch::{Anchors, Graph, Monitor, Result};
use anchormatch_io::{write_pairs, write_whole};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use crate::answer::Answer;
use crate::choices::Choices;
use crate::decisions::{Change, Decided, History, Step, Which};
use crate::journal::{Journal, Line, Opened, beside, named};
use crate::near;
use crate::scene::Scene;
use crate::setup::{Kept, Setup};

/// Events that a slow page may be behind before it is told everything anew.
const BACKLOG: usize = 256;
/// Items of a list of neighbours that a page is sent.
const SHOWN: usize = 24;

/// An answer to a page, or why there is none.
pub(crate) type Reply<T> = std::result::Result<T, String>;

/// Something that a page asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Act {
    Say {
        change: Change<usize>,
        #[serde(default)]
        asked: bool,
    },
    Undo,
    Redo,
    Choose {
        choices: Choices,
    },
}

/// A question: a source node, and what its answer is expected to set right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Question {
    pub(crate) source: usize,
    pub(crate) gain: f64,
}

/// What is to be done by the threads.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    /// Whether something changed since the last match was begun.
    pub(crate) due: bool,
    /// Stops the match that is running.
    pub(crate) running: Option<CancelToken>,
    /// A match whose layout and questions are to be made.
    pub(crate) follow: Option<Arc<Answer>>,
    /// Stops the layout and the questions that are being made.
    pub(crate) following: Option<CancelToken>,
    /// Whether a page waits for the first answer to a change: all cores are for the match until then.
    pub(crate) hurry: bool,
    pub(crate) closed: bool,
}

impl Orders {
    /// Stops what is under way.
    fn interrupt(&mut self) {
        for token in [self.running.take(), self.following.take()] {
            token.iter().for_each(CancelToken::cancel);
        }
    }
}

/// What changes.
#[derive(Debug)]
pub(crate) struct Session {
    journal: Journal,
    pub(crate) history: History,
    pub(crate) choices: Choices,
    /// Counts changes.
    pub(crate) change: u64,
    /// Runs since the last change was received.
    pub(crate) since: Stopwatch,
    /// Counts finished matches.
    pub(crate) matches: u64,
    pub(crate) answer: Option<Arc<Answer>>,
    pub(crate) questions: Vec<Question>,
    pub(crate) failure: Option<String>,
    /// Expected share of right pairs after so many decisions.
    curve: Vec<(usize, f64)>,
    pub(crate) orders: Orders,
}

/// Everything.
#[derive(Debug)]
pub(crate) struct Room {
    setup: Setup,
    pub(crate) scene: Scene,
    /// Held during a change: changes come one after the other, and the anchors file lacks the journal's last line at most.
    changing: Mutex<()>,
    session: Mutex<Session>,
    pub(crate) wake: Condvar,
    events: broadcast::Sender<Arc<str>>,
    notes: Vec<String>,
}

impl Room {
    pub(crate) fn open(setup: Setup, found: Option<&Anchors>) -> Result<Self> {
        let first = setup.base.choices();
        let Opened {
            journal,
            history,
            choices,
            notes,
        } = Journal::open(
            &setup.anchors_file,
            found,
            &setup.beginning,
            setup.graphs(),
            &first,
        )?;
        journal.check()?;
        let choices = choices.unwrap_or(first);
        // What cannot be matched at all is said before a page opens.
        let matcher = setup.base.matcher(&choices)?;
        let monitor = Monitor::silent();
        setup.task(matcher.as_ref(), &choices, history.now(), &monitor)?;
        let notes = setup.notes.iter().cloned().chain(notes).collect();
        let session = Session {
            journal,
            history,
            choices,
            change: 0,
            since: monitor.stopwatch(),
            matches: 0,
            answer: None,
            questions: Vec::new(),
            failure: None,
            curve: Vec::new(),
            orders: Orders {
                due: true,
                ..Orders::default()
            },
        };
        Ok(Self {
            setup,
            scene: Scene::default(),
            changing: Mutex::default(),
            session: Mutex::new(session),
            wake: Condvar::new(),
            events: broadcast::channel(BACKLOG).0,
            notes,
        })
    }

    pub(crate) fn setup(&self) -> &Setup {
        &self.setup
    }

    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    pub(crate) fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn anchors(&self) -> Result<Anchors> {
        let [source, target] = self.setup.graphs();
        self.session().history.now().anchors(source, target)
    }

    /// Ends the threads.
    pub(crate) fn close(&self) {
        let mut session = self.session();
        session.orders.closed = true;
        session.orders.interrupt();
        drop(session);
        self.scene.close();
        self.wake.notify_all();
    }

    pub(crate) fn listen(&self) -> broadcast::Receiver<Arc<str>> {
        self.events.subscribe()
    }

    /// Tells all pages.
    pub(crate) fn tell(&self, event: &Value) {
        // Nobody may listen.
        let _ = self.events.send(event.to_string().into());
    }

    /// Tells all pages, from anywhere.
    pub(crate) fn teller(&self) -> impl Fn(&Value) + Send + Sync + use<> {
        let events = self.events.clone();
        move |event| {
            let _ = events.send(event.to_string().into());
        }
    }

    /// Everything that a page has to know when it comes or was behind.
    pub(crate) fn greeting(&self) -> Vec<Value> {
        let session = self.session();
        let mut events = vec![self.state(&session)];
        if let Some(answer) = &session.answer {
            events.push(matched(&session, answer));
            events.push(questions(&session));
        }
        // A page may have fetched the target before it was laid out anew.
        events.extend(self.scene.number().map(places));
        if let Some(failure) = &session.failure {
            events.push(failed(failure));
        }
        events
    }

    /// Does what a page asks for; the number of the change.
    pub(crate) fn act(&self, act: Act) -> Reply<u64> {
        let since = Monitor::silent().stopwatch();
        let _one_by_one = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut session = self.session();
        let appended = match act {
            Act::Say { change, asked } => self.say(&mut session, &change, asked)?,
            Act::Undo => {
                if session.history.depth().0 == 0 {
                    return Err("there is nothing to undo".to_owned());
                }
                let appended = session.journal.append(&Line::Undo).map_err(words)?;
                session.history.undo();
                appended
            }
            Act::Redo => {
                if session.history.depth().1 == 0 {
                    return Err("there is nothing to do again".to_owned());
                }
                let appended = session.journal.append(&Line::Redo).map_err(words)?;
                session.history.redo();
                appended
            }
            Act::Choose { choices } => {
                self.setup.base.matcher(&choices).map_err(words)?;
                let of = self.setup.base.choices();
                let now = choices.clone();
                let line = Line::Chosen { now, of };
                let appended = session.journal.append(&line).map_err(words)?;
                session.choices = choices;
                appended
            }
        };
        session.change += 1;
        session.since = since;
        session.failure = None;
        let decided = session.history.now();
        let open: Vec<Question> = session.questions.clone();
        let open = open.into_iter();
        let open = open.filter(|question| !decided.is_settled(question.source));
        session.questions = open.collect();
        // The match begins before disks have the change, for which it need not wait.
        session.orders.due = true;
        session.orders.hurry = true;
        session.orders.interrupt();
        self.wake.notify_all();
        self.tell(&self.state(&session));
        let (change, decided) = (session.change, session.history.now().clone());
        let file = session.journal.anchors().to_owned();
        drop(session);
        Journal::keep(&file, &appended).map_err(words)?;
        let [source, target] = self.setup.graphs();
        let anchors = decided.anchors(source, target).map_err(words)?;
        let written = Journal::write_anchors(&file, &anchors, [source, target]);
        written.map_err(|error| {
            format!("{error}; the change is kept in the journal, and is written with the next one")
        })?;
        self.write_candidates(&decided).map_err(words)?;
        Ok(change)
    }

    fn say(&self, session: &mut Session, change: &Change<usize>, asked: bool) -> Reply<File> {
        let sizes = self.setup.sizes();
        let sides = self.setup.sides.each_ref().map(|side| side.name.clone());
        let inside = |side: Which, node: &usize| match *node < sizes[side.number()] {
            true => Ok(*node),
            false => Err(format!(
                "found node {node}, expected one of {}, which has {}",
                sides[side.number()],
                sizes[side.number()]
            )),
        };
        if matches!(change, Change::Read { .. }) {
            return Err("found rows of a file, expected one change".to_owned());
        }
        let change = change.renamed(&inside)?;
        // What no match could begin with is refused before it is written.
        let step = Step { change, asked };
        let mut tried = session.history.clone();
        tried.push(step.clone());
        if let Some(allowed) = &self.setup.facts.allowed
            && let Change::Anchor { source, target } = step.change
            && !allowed.allows(source, target)
        {
            return Err(
                "these two are ruled out by the candidates, or by what partners must share"
                    .to_owned(),
            );
        }
        let line = Line::Step(Step {
            change: named(&step.change, self.labels()),
            asked,
        });
        let appended = session.journal.append(&line).map_err(words)?;
        session.history = tried;
        Ok(appended)
    }

    pub(crate) fn labels(&self) -> [&Labels; 2] {
        self.setup.graphs().map(Graph::labels)
    }

    /// Where partners that are possible are kept, once pairs were ruled out.
    pub(crate) fn candidates_file(&self) -> PathBuf {
        beside(&self.setup.anchors_file, "candidates.csv")
    }

    fn write_candidates(&self, decided: &Decided) -> Result<()> {
        if decided.rejected().is_empty() {
            return Ok(());
        }
        let pairs = self.setup.candidates(decided);
        let [source, target] = self.labels();
        write_whole(&self.candidates_file(), |out| {
            write_pairs(out, source, target, &pairs)
        })
    }

    /// The command that gives the same.
    pub(crate) fn command(&self, session: &Session) -> String {
        let candidates = self.candidates_file();
        let ruled_out = !session.history.now().rejected().is_empty();
        let kept = Kept {
            anchors: session.journal.anchors(),
            candidates: ruled_out.then_some(candidates.as_path()),
        };
        (self.setup.command)(&session.choices, &kept)
    }

    /// What was said, as an event.
    pub(crate) fn state(&self, session: &Session) -> Value {
        let now = session.history.now();
        let (undo, redo) = session.history.depth();
        let soft: Vec<(usize, usize, f64)> = now
            .soft()
            .iter()
            .map(|anchor| (anchor.source, anchor.target, anchor.weight))
            .collect();
        let last = session.history.last().map(|step| &step.change);
        json!({
            "kind": "state",
            "change": session.change,
            "anchors": now.hard().collect::<Vec<_>>(),
            "soft": soft,
            "alone": [now.alone(Which::Source), now.alone(Which::Target)],
            "rejected": now.rejected(),
            "unsure": now.unsure(),
            "undo": undo,
            "redo": redo,
            "last": last,
            "asked": session.history.asked(),
            "choices": session.choices,
            "command": self.command(session),
        })
    }

    /// Takes a finished match, unless a newer change came in between.
    pub(crate) fn publish(&self, answer: Answer, token: &CancelToken) -> Option<Arc<Answer>> {
        let mut session = self.session();
        if token.is_cancelled() {
            return None;
        }
        let answer = Arc::new(answer);
        let decided = session.history.now();
        let settled = decided.hard().len() + decided.alone(Which::Source).len();
        let (right, pairs) = answer.expected();
        if !answer.quick && pairs > 0 {
            let share = right / pairs as f64;
            match session.curve.last_mut() {
                Some(last) if last.0 == settled => last.1 = share,
                _ => session.curve.push((settled, share)),
            }
        }
        session.failure = None;
        session.orders.hurry = false;
        session.answer = Some(Arc::clone(&answer));
        if !answer.quick {
            session.orders.follow = Some(Arc::clone(&answer));
        }
        self.tell(&matched(&session, &answer));
        drop(session);
        self.wake.notify_all();
        Some(answer)
    }

    /// Lets the processor go for so long, unless something changes.
    pub(crate) fn rest(&self, time: Duration) {
        let session = self.session();
        let is_quiet = |session: &mut Session| !session.orders.due && !session.orders.closed;
        let waited = self.wake.wait_timeout_while(session, time, is_quiet);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes questions, unless they are of an older match.
    pub(crate) fn ask(&self, answer: &Answer, found: Vec<Question>) {
        let mut session = self.session();
        if session
            .answer
            .as_ref()
            .is_some_and(|last| last.number == answer.number)
        {
            session.questions = found;
            self.tell(&questions(&session));
        }
    }

    /// Tells why there is no match.
    pub(crate) fn fail(&self, message: &str, token: &CancelToken) {
        let mut session = self.session();
        if !token.is_cancelled() {
            session.orders.hurry = false;
            session.failure = Some(message.to_owned());
            self.tell(&failed(message));
            self.wake.notify_all();
        }
    }

    /// What the page has to know of the two graphs, before all else.
    pub(crate) fn about(&self) -> Value {
        let sides = [0, 1].map(|k| {
            let side = &self.setup.sides[k];
            let drawn = side.drawn();
            json!({
                "name": side.name,
                "nodes": side.graph.node_count(),
                "edges": side.graph.edge_count(),
                "points": side.points,
                "placed": side.positions.is_some(),
                "image": anchormatch_report::places::image(&drawn),
                "directed": side.graph.is_directed(),
            })
        });
        let presets = registry::all();
        let presets: Vec<Value> = presets
            .iter()
            .map(|matcher| {
                let parameters = matcher.parameters();
                json!({
                    "name": matcher.name(),
                    "about": matcher.about(),
                    "allow_unmatched": parameters.contains_key("allow_unmatched"),
                    "points_model": parameters.contains_key("points_model"),
                })
            })
            .collect();
        let attributes = self.setup.facts.attributes.as_ref();
        let attributes = attributes.map(|all| all.names().map(str::to_owned).collect::<Vec<_>>());
        json!({
            "title": self.setup.title,
            "sides": sides,
            "points": self.setup.are_points(),
            "presets": presets,
            "attributes": attributes,
            "saved": self.setup.anchors_file.display().to_string(),
            "notes": self.notes,
            "sure": anchormatch_report::SURE,
        })
    }

    /// What is known of one node: its partner, others that it could be, and who speaks for it.
    pub(crate) fn node(&self, side: Which, node: usize) -> Reply<Value> {
        if node >= self.setup.sizes()[side.number()] {
            return Err(format!("found node {node}, expected one that is there"));
        }
        let (answer, decided) = self.latest()?;
        let partners = &answer.partners;
        let pair = match side {
            Which::Source => partners.of_source.partner(node).map(|t| (node, t)),
            Which::Target => partners.of_target.partner(node).map(|s| (s, node)),
        };
        let mut others: Vec<(usize, Option<f64>)> = match side {
            Which::Source => near::candidates(
                &self.setup.sides,
                &answer.matching,
                partners,
                &decided,
                node,
            ),
            Which::Target => {
                let all = answer.matching.alternatives.as_ref();
                let listed = all.into_iter().flat_map(|all| all.iter());
                let ours = listed.filter(|(_, other)| other.target == node);
                ours.map(|(s, other)| (s, Some(other.probability)))
                    .collect()
            }
        };
        if side == Which::Target {
            others.sort_by(|x, y| y.1.unwrap_or(0.0).total_cmp(&x.1.unwrap_or(0.0)));
            others.truncate(SHOWN);
        }
        let suspicion = pair.and_then(|(s, _)| answer.suspicion(s));
        Ok(json!({
            "number": answer.number,
            "side": side,
            "node": node,
            "pair": pair,
            "confidence": pair.map(|(s, _)| partners.confidence[s]),
            "others": others,
            "evidence": pair.map(|pair| self.evidence(&answer, pair)),
            "suspicion": suspicion.map(|(probability, preferred)| json!({
                "probability": probability, "preferred": preferred,
            })),
        }))
    }

    /// A source node beside all of its candidates.
    pub(crate) fn question(&self, source: usize) -> Reply<Value> {
        if source >= self.setup.sizes()[0] {
            return Err(format!("found node {source}, expected one that is there"));
        }
        let (answer, decided) = self.latest()?;
        let partners = &answer.partners;
        let found = near::candidates(
            &self.setup.sides,
            &answer.matching,
            partners,
            &decided,
            source,
        );
        let candidates: Vec<Value> = found
            .into_iter()
            .map(|(target, probability)| {
                json!({
                    "target": target,
                    "probability": probability,
                    "evidence": self.evidence(&answer, (source, target)),
                })
            })
            .collect();
        Ok(json!({ "number": answer.number, "source": source, "candidates": candidates }))
    }

    fn evidence(&self, answer: &Answer, pair: (usize, usize)) -> Value {
        let found = near::evidence(&self.setup.sides, &answer.partners, pair);
        let some = |list: &[(usize, Option<usize>)]| list[..list.len().min(SHOWN)].to_vec();
        json!({
            "both": found.both[..found.both.len().min(SHOWN)],
            "source_only": some(&found.source_only),
            "target_only": some(&found.target_only),
            "totals": [found.both.len(), found.source_only.len(), found.target_only.len()],
            "degrees": found.degrees,
            "edges": found.edges,
        })
    }

    /// The last finished match, and what holds now.
    pub(crate) fn latest(&self) -> Reply<(Arc<Answer>, Decided)> {
        let session = self.session();
        match &session.answer {
            Some(answer) => Ok((Arc::clone(answer), session.history.now().clone())),
            None => Err("there is no match yet".to_owned()),
        }
    }
}

/// An error as the page shows it.
pub(crate) fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn matched(session: &Session, answer: &Answer) -> Value {
    json!({
        "kind": "matched",
        "summary": answer.summary(),
        "curve": session.curve,
        "arrays": answer.arrays(),
    })
}

fn questions(session: &Session) -> Value {
    let list: Vec<Value> = session
        .questions
        .iter()
        .map(|question| json!({ "source": question.source, "gain": question.gain }))
        .collect();
    json!({ "kind": "questions", "list": list })
}

pub(crate) fn places(number: u64) -> Value {
    json!({ "kind": "places", "number": number })
}

fn failed(message: &str) -> Value {
    json!({ "kind": "failed", "message": message })
}
