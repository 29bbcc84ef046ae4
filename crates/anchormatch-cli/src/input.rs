//! What every command that matches reads, in one order: tables of nodes, both sides, anchors, and what else is known.

use std::path::Path;
use std::sync::Arc;

use anchormatch::linalg::PairValues;
use anchormatch::matcher::Matcher;
use anchormatch::{Anchors, Task};

use crate::args::Reading;
use crate::exit::Failure;
use crate::headers::TableKind;
use crate::knowledge::{Knowledge, Known};
use crate::sides::{PointsModel, Sides};

/// The files of a match, and how they are read.
pub(crate) struct Files<'a> {
    /// Source and target.
    pub(crate) sides: [&'a Path; 2],
    pub(crate) anchors: Option<&'a Path>,
    /// Similarities of nodes.
    pub(crate) similarity: Option<&'a Path>,
    /// How two sets of points lie to each other.
    pub(crate) model: Option<PointsModel>,
    pub(crate) reading: &'a Reading,
    pub(crate) knowledge: &'a Knowledge,
}

/// Both sides and what is known about them.
pub(crate) struct Input {
    pub(crate) sides: Sides,
    pub(crate) anchors: Anchors,
    pub(crate) known: Known,
    similarity: Option<Arc<PairValues>>,
}

impl Files<'_> {
    /// Reads all of them for `matcher`; `check` looks at both sides before anything else is read.
    pub(crate) fn read(
        &self,
        matcher: &dyn Matcher,
        max_memory: Option<u64>,
        check: impl FnOnce(&Sides) -> Result<(), Failure>,
    ) -> Result<Input, Failure> {
        let (reading, knowledge) = (self.reading, self.knowledge);
        let tables = knowledge.tables(reading)?;
        let kinds = (knowledge.kinds(), &tables, knowledge.wants_columns());
        let sides = Sides::read(reading, self.sides, matcher, self.model, kinds, max_memory)?;
        let sides = knowledge.named(sides, &tables)?;
        check(&sides)?;
        let (s, t) = (&sides.source.graph, &sides.target.graph);
        let pairs = |path: Option<&Path>, kind| path.map(|path| reading.pairs(path, kind));
        let listed = pairs(self.anchors, TableKind::Anchors).transpose()?;
        let anchors = match &listed {
            Some(table) => sides.looked_up(table.anchors(s, t))?,
            None => Anchors::none(),
        };
        let mut known = knowledge.read(reading, &sides, matcher, listed.as_ref())?;
        let similarity = match pairs(self.similarity, TableKind::Similarity).transpose()? {
            Some(table) => {
                known.doubt(&table, &sides);
                Some(Arc::new(sides.looked_up(table.similarity(s, t))?))
            }
            None => None,
        };
        Ok(Input {
            sides,
            anchors,
            known,
            similarity,
        })
    }
}

impl Input {
    /// What is to be matched, with these anchors.
    pub(crate) fn task<'a>(&'a self, anchors: &'a Anchors) -> Result<Task<'a>, Failure> {
        let task = self.known.added_to(self.sides.task(anchors)?)?;
        Ok(match &self.similarity {
            Some(similarity) => task.with_similarity(Arc::clone(similarity))?,
            None => task,
        })
    }

    /// What is to be said about the files.
    pub(crate) fn notes(&self, sides: [&Path; 2]) -> Vec<String> {
        let mut notes = self.sides.notes(sides);
        notes.extend(self.known.notes.iter().cloned());
        notes
    }
}
