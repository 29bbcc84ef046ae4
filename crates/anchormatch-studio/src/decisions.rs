//! What the person has said: anchors, nodes without a partner, pairs that are none, questions left open.
//!
//! All of it follows from a beginning and a list of changes; undo goes back in the list, redo forward, and a new
//! change cuts off what was undone.

use std::collections::{BTreeMap, BTreeSet};

use anchormatch::anchors::Anchor;
use anchormatch::{Anchors, Graph, Result};
use serde::{Deserialize, Serialize};

/// One of the two graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Which {
    Source,
    Target,
}

impl Which {
    pub(crate) fn number(self) -> usize {
        match self {
            Self::Source => 0,
            Self::Target => 1,
        }
    }
}

/// One thing that a person says; `N` is how nodes are called, by number or by id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Change<N> {
    /// These two are partners.
    Anchor { source: N, target: N },
    /// This node has no partner.
    Alone { side: Which, node: N },
    /// These two are no partners.
    Reject { source: N, target: N },
    /// The person cannot tell, and is not asked again.
    Unsure { source: N },
    /// Nothing is said of this node any more.
    Release { side: Which, node: N },
    /// The anchors file was changed by others and read again.
    Read { rows: Vec<Row<N>> },
}

/// A row of the anchors file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row<N> {
    #[serde(skip_serializing_if = "Option::is_none", default = "none")]
    pub(crate) source: Option<N>,
    #[serde(skip_serializing_if = "Option::is_none", default = "none")]
    pub(crate) target: Option<N>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) weight: Option<f64>,
}

fn none<N>() -> Option<N> {
    None
}

/// A change, and whether it answers a question of the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Step<N> {
    pub(crate) change: Change<N>,
    #[serde(default)]
    pub(crate) asked: bool,
}

impl<N> Change<N> {
    /// The same with other names of the nodes.
    pub(crate) fn renamed<M, E>(
        &self,
        name: &impl Fn(Which, &N) -> std::result::Result<M, E>,
    ) -> std::result::Result<Change<M>, E> {
        let (s, t) = (
            |node: &N| name(Which::Source, node),
            |node: &N| name(Which::Target, node),
        );
        Ok(match self {
            Self::Anchor { source, target } => Change::Anchor {
                source: s(source)?,
                target: t(target)?,
            },
            Self::Reject { source, target } => Change::Reject {
                source: s(source)?,
                target: t(target)?,
            },
            Self::Unsure { source } => Change::Unsure { source: s(source)? },
            Self::Alone { side, node } => Change::Alone {
                side: *side,
                node: name(*side, node)?,
            },
            Self::Release { side, node } => Change::Release {
                side: *side,
                node: name(*side, node)?,
            },
            Self::Read { rows } => {
                let row = |row: &Row<N>| {
                    Ok(Row {
                        source: row.source.as_ref().map(s).transpose()?,
                        target: row.target.as_ref().map(t).transpose()?,
                        weight: row.weight,
                    })
                };
                Change::Read {
                    rows: rows
                        .iter()
                        .map(row)
                        .collect::<std::result::Result<_, E>>()?,
                }
            }
        })
    }
}

/// What holds after some changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Decided {
    partner: BTreeMap<usize, usize>,
    of_target: BTreeMap<usize, usize>,
    soft: Vec<Anchor>,
    alone: [BTreeSet<usize>; 2],
    rejected: BTreeSet<(usize, usize)>,
    unsure: BTreeSet<usize>,
}

impl Decided {
    /// What an anchors file says.
    pub(crate) fn of(anchors: &Anchors) -> Self {
        let mut decided = Self::default();
        decided.read(&rows_of(anchors));
        decided
    }

    fn read(&mut self, rows: &[Row<usize>]) {
        self.partner.clear();
        self.of_target.clear();
        self.soft.clear();
        self.alone = Default::default();
        for row in rows {
            match (row.source, row.target, row.weight.unwrap_or(1.0)) {
                (Some(s), Some(t), weight) if weight < 1.0 => {
                    self.soft.push(Anchor::new(s, t, weight));
                }
                (Some(s), Some(t), _) => self.anchor(s, t),
                (Some(s), None, _) => self.set_alone(Which::Source, s),
                (None, Some(t), _) => self.set_alone(Which::Target, t),
                (None, None, _) => {}
            }
        }
    }

    fn free_source(&mut self, s: usize) {
        if let Some(t) = self.partner.remove(&s) {
            self.of_target.remove(&t);
        }
        self.alone[0].remove(&s);
    }

    fn free_target(&mut self, t: usize) {
        if let Some(s) = self.of_target.remove(&t) {
            self.partner.remove(&s);
        }
        self.alone[1].remove(&t);
    }

    fn anchor(&mut self, s: usize, t: usize) {
        self.free_source(s);
        self.free_target(t);
        self.partner.insert(s, t);
        self.of_target.insert(t, s);
        self.rejected.remove(&(s, t));
        self.unsure.remove(&s);
    }

    fn set_alone(&mut self, side: Which, node: usize) {
        match side {
            Which::Source => {
                self.free_source(node);
                self.unsure.remove(&node);
            }
            Which::Target => self.free_target(node),
        }
        self.alone[side.number()].insert(node);
    }

    fn apply(&mut self, change: &Change<usize>) {
        match change {
            Change::Anchor { source, target } => self.anchor(*source, *target),
            Change::Alone { side, node } => self.set_alone(*side, *node),
            Change::Reject { source, target } => {
                if self.partner.get(source) == Some(target) {
                    self.free_source(*source);
                }
                self.rejected.insert((*source, *target));
            }
            Change::Unsure { source } => {
                self.free_source(*source);
                self.unsure.insert(*source);
            }
            Change::Release { side, node } => match side {
                Which::Source => {
                    self.free_source(*node);
                    self.unsure.remove(node);
                    self.rejected.retain(|(s, _)| s != node);
                    self.soft.retain(|anchor| anchor.source != *node);
                }
                Which::Target => {
                    self.free_target(*node);
                    self.rejected.retain(|(_, t)| t != node);
                    self.soft.retain(|anchor| anchor.target != *node);
                }
            },
            Change::Read { rows } => self.read(rows),
        }
    }

    /// The pairs that are certain, by source.
    pub(crate) fn hard(&self) -> impl ExactSizeIterator<Item = (usize, usize)> + '_ {
        self.partner.iter().map(|(&s, &t)| (s, t))
    }

    /// The partner that a source node has for certain.
    pub(crate) fn partner(&self, source: usize) -> Option<usize> {
        self.partner.get(&source).copied()
    }

    /// Whether a target node has an anchor.
    pub(crate) fn is_taken(&self, target: usize) -> bool {
        self.of_target.contains_key(&target) || self.alone[1].contains(&target)
    }

    /// The nodes of a side that have no partner for certain.
    pub(crate) fn alone(&self, side: Which) -> &BTreeSet<usize> {
        &self.alone[side.number()]
    }

    /// The pairs that are none, by source.
    pub(crate) fn rejected(&self) -> &BTreeSet<(usize, usize)> {
        &self.rejected
    }

    /// The nodes of which the person cannot tell.
    pub(crate) fn unsure(&self) -> &BTreeSet<usize> {
        &self.unsure
    }

    /// The pairs that are evidence only.
    pub(crate) fn soft(&self) -> &[Anchor] {
        &self.soft
    }

    /// Whether nothing needs to be asked of a source node.
    pub(crate) fn is_settled(&self, source: usize) -> bool {
        self.partner.contains_key(&source)
            || self.alone[0].contains(&source)
            || self.unsure.contains(&source)
    }

    /// What a match is told.
    pub(crate) fn anchors(&self, source: &Graph, target: &Graph) -> Result<Anchors> {
        let hard = self.hard().map(|(s, t)| Anchor::new(s, t, 1.0));
        let anchors = Anchors::new(source, target, hard.chain(self.soft.iter().copied()))?;
        let [one, two] = [0, 1].map(|k| self.alone[k].iter().copied());
        anchors.with_alone([source, target], one, two)
    }
}

/// Anchors as rows.
pub(crate) fn rows_of(anchors: &Anchors) -> Vec<Row<usize>> {
    let pairs = anchors.iter().map(|anchor| Row {
        source: Some(anchor.source),
        target: Some(anchor.target),
        weight: (anchor.weight < 1.0).then_some(anchor.weight),
    });
    let [one, two] = anchors.alone();
    let one = one.iter().map(|&node| Row {
        source: Some(node),
        target: None,
        weight: None,
    });
    let two = two.iter().map(|&node| Row {
        source: None,
        target: Some(node),
        weight: None,
    });
    pairs.chain(one).chain(two).collect()
}

/// A beginning, all changes, and how many of them hold.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    base: Decided,
    steps: Vec<Step<usize>>,
    held: usize,
    now: Decided,
}

impl History {
    pub(crate) fn new(base: Decided) -> Self {
        Self {
            now: base.clone(),
            base,
            ..Self::default()
        }
    }

    /// What holds now.
    pub(crate) fn now(&self) -> &Decided {
        &self.now
    }

    /// Adds a change, and forgets those that were undone.
    pub(crate) fn push(&mut self, step: Step<usize>) {
        self.steps.truncate(self.held);
        self.now.apply(&step.change);
        self.steps.push(step);
        self.held += 1;
    }

    /// Takes the last change back; `false` where there is none.
    pub(crate) fn undo(&mut self) -> bool {
        if self.held == 0 {
            return false;
        }
        self.held -= 1;
        self.now = self.base.clone();
        for step in &self.steps[..self.held] {
            self.now.apply(&step.change);
        }
        true
    }

    /// Makes the last change that was taken back again; `false` where there is none.
    pub(crate) fn redo(&mut self) -> bool {
        let Some(step) = self.steps.get(self.held) else {
            return false;
        };
        self.now.apply(&step.change);
        self.held += 1;
        true
    }

    /// The change that undo would take back.
    pub(crate) fn last(&self) -> Option<&Step<usize>> {
        self.steps[..self.held].last()
    }

    /// How many changes can be undone, and how many made again.
    pub(crate) fn depth(&self) -> (usize, usize) {
        (self.held, self.steps.len() - self.held)
    }

    /// How many questions were answered, those taken back aside.
    pub(crate) fn asked(&self) -> usize {
        let held = self.steps[..self.held].iter();
        held.filter(|step| step.asked).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchor(source: usize, target: usize) -> Step<usize> {
        Step {
            change: Change::Anchor { source, target },
            asked: false,
        }
    }

    fn pairs(history: &History) -> Vec<(usize, usize)> {
        history.now().hard().collect()
    }

    #[test]
    fn an_anchor_takes_both_of_its_nodes() {
        let mut history = History::default();
        for (s, t) in [(0, 0), (1, 1), (0, 1)] {
            history.push(anchor(s, t));
        }
        assert_eq!(pairs(&history), [(0, 1)]);
        assert!(history.undo());
        assert_eq!(pairs(&history), [(0, 0), (1, 1)]);
        assert!(history.redo() && !history.redo());
        assert_eq!(pairs(&history), [(0, 1)]);
    }

    #[test]
    fn a_new_change_forgets_what_was_undone() {
        let mut history = History::default();
        history.push(anchor(0, 0));
        history.push(anchor(1, 1));
        history.undo();
        history.push(anchor(2, 2));
        assert!(!history.redo());
        assert_eq!(pairs(&history), [(0, 0), (2, 2)]);
        while history.undo() {}
        assert_eq!(pairs(&history), []);
    }

    #[test]
    fn who_is_alone_unsure_or_rejected() {
        let mut history = History::default();
        let mut push = |change| {
            history.push(Step {
                change,
                asked: true,
            });
        };
        push(Change::Anchor {
            source: 0,
            target: 0,
        });
        push(Change::Alone {
            side: Which::Target,
            node: 0,
        });
        push(Change::Unsure { source: 2 });
        push(Change::Reject {
            source: 3,
            target: 4,
        });
        let now = history.now().clone();
        assert_eq!(now.hard().count(), 0);
        assert!(now.is_taken(0) && now.is_settled(2) && !now.is_settled(3));
        assert!(now.rejected().contains(&(3, 4)));
        assert_eq!(history.asked(), 4);
        let graph = Graph::from_edges(5, &[(0, 1, 1.0)]).unwrap();
        let anchors = now.anchors(&graph, &graph).unwrap();
        assert_eq!(anchors.alone(), [&[][..], &[0]]);
        assert_eq!(Decided::of(&anchors).alone(Which::Target).len(), 1);
    }

    #[test]
    fn changes_are_renamed_and_written() {
        let text = r#"{"do":"anchor","source":"a","target":"b"}"#;
        let change: Change<String> = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&change).unwrap(), text);
        let numbered = change.renamed(&|_, name| match name.as_str() {
            "a" => Ok(1usize),
            "b" => Ok(2),
            _ => Err(()),
        });
        assert_eq!(
            numbered,
            Ok(Change::Anchor {
                source: 1,
                target: 2
            })
        );
        assert!(serde_json::from_str::<Change<usize>>(r#"{"do":"anchor","source":1}"#).is_err());
    }
}
