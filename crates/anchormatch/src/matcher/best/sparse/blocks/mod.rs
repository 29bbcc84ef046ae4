//! The stages of the sparse regime on blocks of nodes, for engines that hold a graph in parts.
//!
//! A block has the rows of its own nodes. Nodes that these lead to are its *ghosts*: it knows their numbers,
//! their degrees and what is believed of them, and an engine keeps that up to date. To judge nodes of a block
//! takes, beside that, rows of the other graph: [`Block::reach`] names them, another block's [`Stored::rows`] has
//! them, and [`ask`] is given them as a [`Halo`]. A question is of few of a block's nodes, so [`Stored::part`] makes a
//! block of them alone, and nothing that is done for them takes as long as the whole block is large.
//!
//! Numbers of nodes are those of the whole graph wherever blocks exchange them. Within a call nodes are numbered
//! anew in the same order, so that every sum runs and every tie is broken as on one machine, and counts are
//! handed out by parts of [`PART`] nodes, so that blocks whose sizes are multiples of it add up to the same bits.

mod asking;
mod counting;
mod listing;
mod places;
mod stored;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use self::asking::{Believed, Halo, Inquiry, Question, ask};
pub use self::counting::{
    Evidence, Look, Numbers, PairSet, Sample, class_of_degree, count_source, count_target, fit,
    is_near, looks, weigh,
};
pub use self::listing::{
    Changes, Lists, balanced, choose, compare, expected_alone, left_over, log_sums, missed,
    negative_log_sums,
};
pub use self::stored::{Part, Stored};
use super::alone::Alone;
pub use super::alone::Rest;
use super::model::{Fitted, Model, Sizes};
use super::side::DegreeLaw;
use super::{alone, decision, expansion, iterations, model, side};
use crate::error::{Error, Result};
use crate::matcher::best::Effort;
use crate::matcher::best::thresholds::{self, KEPT};

/// No partner.
pub const NONE: u32 = side::NONE;

/// Nodes whose counts are added up before those of others.
pub const PART: usize = model::PART;

/// What engines have to know of the stages: bounds and numbers of iterations.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Constants {
    /// Candidates of a node that become noisy seeds.
    pub tentative: usize,
    /// Iterations of the beliefs, and restarts, at most.
    pub iterations: usize,
    /// Restarts at most.
    pub restarts: usize,
    /// The share of the source nodes that have no partner, before anything is known.
    pub alone: f64,
    /// Iterations after which the model is fitted.
    pub fits: usize,
    /// Beliefs above which a pair is taken for one in a fit.
    pub fitted_above: f32,
    /// The share of likeliest partners that may change in the last iteration.
    pub still: f64,
    /// Probabilities above which a pair is part of the next start.
    pub sure: f32,
    /// The share of nodes in doubt below which nothing is to be gained.
    pub in_doubt: f64,
    /// The growth of the expected number of right pairs below which restarts end, as a share of the nodes.
    pub growth: f64,
    /// The probability below which nobody is matched who may stay alone.
    pub kept: f32,
    /// What the choice may lose of the expected number of right pairs, a row.
    pub slack: f32,
    /// Sweeps of the balancing at most, and the change of a dual below which it stands still.
    pub sweeps: usize,
    /// The change of a dual below which it stands still.
    pub balanced: f64,
}

/// The constants for all that gains something (`best`), or for a short search (`fast`).
#[must_use]
pub fn constants(effort: Effort) -> Constants {
    Constants {
        tentative: thresholds::sparse::TENTATIVE,
        iterations: iterations(effort),
        restarts: super::restarts(effort),
        alone: thresholds::sparse::ALONE_AT_FIRST,
        fits: thresholds::sparse::BELIEF_FITS,
        fitted_above: thresholds::sparse::FITTED_FROM,
        still: thresholds::sparse::STILL,
        sure: thresholds::sparse::RESTARTED_FROM,
        in_doubt: thresholds::sparse::IN_DOUBT,
        growth: thresholds::sparse::GROWTH,
        kept: KEPT,
        slack: decision::SLACK,
        sweeps: crate::assignment::SWEEPS,
        balanced: crate::assignment::STILL,
    }
}

/// What comes next when nothing sure is left.
pub use super::expansion::Next;

/// Where an expansion stands, as four numbers that can be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Course(expansion::Course);

impl Course {
    /// At the start, with so many nodes on the smaller side and so many pairs.
    #[must_use]
    pub fn new(nodes: usize, matched: usize) -> Self {
        Self(expansion::Course::new(nodes, matched))
    }

    /// Where [`numbers`](Self::numbers) were taken.
    #[must_use]
    pub fn from_numbers(numbers: [usize; 4]) -> Self {
        Self(expansion::Course::from_numbers(numbers))
    }

    /// What it consists of.
    #[must_use]
    pub fn numbers(&self) -> [usize; 4] {
        self.0.numbers()
    }

    /// The bounds above which pairs are settled now, descending; the first holds at any time.
    #[must_use]
    pub fn bounds(&self) -> &'static [f32] {
        self.0.bounds()
    }

    /// Says that postponed pairs were settled.
    pub fn settled(&mut self) {
        self.0.settled();
    }

    /// What to do when no pair is above any of the bounds.
    pub fn stuck(&mut self, matched: usize) -> Next {
        self.0.stuck(matched)
    }
}

/// Whether what is left is to be summed again, when so many pairs are matched.
#[must_use]
pub fn sums_are_old(matched: usize, at_sums: usize) -> bool {
    expansion::sums_are_old(matched, at_sums)
}

/// What every block has to know of both graphs as a whole, and of the fitted model.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    sizes: Sizes,
    laws: [DegreeLaw; 2],
    least: [u32; 2],
    fitted: Fitted,
}

impl Setting {
    /// From what [`graph_numbers`] says of both graphs and [`fit`] of the model.
    ///
    /// # Errors
    /// When there are not seven numbers a graph and six of the model.
    pub fn new(graphs: [&[f64]; 2], fitted: &[f64]) -> Result<Self> {
        let wrong = |found: usize, expected: &str| {
            Error::parameter("setting", format!("{found} numbers"), expected)
        };
        let read = |numbers: &[f64]| -> Result<[f64; 7]> {
            numbers
                .try_into()
                .map_err(|_| wrong(numbers.len(), "7 of each graph"))
        };
        let [x, y] = [read(graphs[0])?, read(graphs[1])?];
        let fitted: [f64; 6] = fitted
            .try_into()
            .map_err(|_| wrong(fitted.len(), "6 of the model"))?;
        let law = |n: &[f64; 7]| DegreeLaw::from_numbers([n[3], n[4], n[5], n[6]]);
        Ok(Self {
            sizes: Sizes {
                nodes: [x[0] as usize, y[0] as usize],
                arcs: [x[1] as usize, y[1] as usize],
            },
            laws: [law(&x), law(&y)],
            least: [x[2] as u32, y[2] as u32],
            fitted: counting::fitted(fitted),
        })
    }

    /// ln((1 − s)/(1 − c)) of an edge that the source, or the target, has alone.
    #[must_use]
    pub fn missing(&self) -> [f32; 2] {
        self.model([&[], &[]]).missing()
    }

    /// What nodes with so many `settled` neighbours have beside their candidates, nothing where `open` says that they have a partner:
    /// `left` is the likelihood of all targets that nobody speaks for, `free` are those that nobody has, and a `share` of the source
    /// nodes has no partner.
    ///
    /// # Errors
    /// When there is not one flag for every node.
    pub fn rests(
        &self,
        settled: &[f32],
        open: &[bool],
        (left, free): (f64, f64),
        share: f64,
    ) -> Result<Vec<Rest>> {
        if settled.len() != open.len() {
            return Err(mismatch("open", "a flag for every node"));
        }
        let missing = self.missing()[0];
        let alone = Alone::new(share, free, self.fitted.dispersion);
        let each = settled.iter().zip(open);
        let rest = |(&settled, &open): (&f32, &bool)| match open {
            true => alone.beside(left, settled * missing),
            false => Rest::NOTHING,
        };
        Ok(each.map(rest).collect())
    }

    /// The share of the source nodes that have no partner, by their expected number.
    #[must_use]
    pub fn share_alone(&self, expected: f64) -> f64 {
        alone::share(expected, self.sizes.nodes[0])
    }

    fn model(&self, expected: [&[f32]; 2]) -> Model {
        let lowest = [0, 1].map(|k| self.laws[k].expected(self.least[k]));
        Model::of(&self.fitted, &self.sizes, expected, lowest)
    }
}

/// The normal score of a weight, by its mid-rank as a share of all.
#[must_use]
pub fn normal_score(share: f64) -> f32 {
    crate::linalg::quantile(share) as f32
}

/// What is to be known of one graph: nodes, arcs, the least degree, and four numbers of the law of its degrees, by
/// how often each degree occurs.
#[must_use]
pub fn graph_numbers(counts: &BTreeMap<u32, u64>) -> [f64; 7] {
    let nodes: u64 = counts.values().sum();
    let arcs: u64 = counts.iter().map(|(&d, &count)| u64::from(d) * count).sum();
    let least = counts.keys().next().copied().unwrap_or(0);
    let [a, b, c, d] = DegreeLaw::of(counts).numbers();
    [nodes as f64, arcs as f64, f64::from(least), a, b, c, d]
}

/// The rows of the nodes of one block.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// Where each row begins, and where the last ends.
    offsets: &'a [i64],
    /// The nodes that arcs lead to, by their places among the ghosts.
    columns: &'a [u32],
    /// The arcs' weights as normal scores.
    weights: Option<&'a [f32]>,
    /// The numbers of the ghosts in the whole graph, ascending, and their degrees.
    ghosts: &'a [u32],
    degrees: &'a [u32],
}

impl<'a> Block<'a> {
    /// A block of these rows.
    ///
    /// # Errors
    /// When the lists do not fit together.
    pub fn new(
        offsets: &'a [i64],
        columns: &'a [u32],
        weights: Option<&'a [f32]>,
        ghosts: &'a [u32],
        degrees: &'a [u32],
    ) -> Result<Self> {
        let sound = fits(offsets, columns.len())
            && weights.is_none_or(|weights| weights.len() == columns.len())
            && ghosts.len() == degrees.len()
            && columns.iter().all(|&j| (j as usize) < ghosts.len());
        if !sound {
            return Err(mismatch(
                "block",
                "rows, ghosts and degrees that fit together",
            ));
        }
        Ok(Self {
            offsets,
            columns,
            weights,
            ghosts,
            degrees,
        })
    }

    fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    fn range(&self, i: usize) -> std::ops::Range<usize> {
        self.offsets[i] as usize..self.offsets[i + 1] as usize
    }

    fn degree(&self, i: usize) -> u32 {
        self.range(i).len() as u32
    }

    /// The sum of a value of its neighbours, for every node.
    ///
    /// # Errors
    /// When there is not a value for every ghost.
    pub fn sums(&self, values: &[f32]) -> Result<Vec<f32>> {
        if values.len() != self.ghosts.len() {
            return Err(mismatch("values", "one for every ghost"));
        }
        let sum = |i: usize| {
            let columns = self.columns[self.range(i)].iter();
            columns.map(|&j| values[j as usize]).sum()
        };
        Ok((0..self.nodes()).map(sum).collect())
    }

    /// Whether any neighbour of a node has a flag, for every node.
    ///
    /// # Errors
    /// When there is not a flag for every ghost.
    pub fn touched(&self, flags: &[bool]) -> Result<Vec<bool>> {
        if flags.len() != self.ghosts.len() {
            return Err(mismatch("flags", "one for every ghost"));
        }
        let any = |i: usize| {
            let mut columns = self.columns[self.range(i)].iter();
            columns.any(|&j| flags[j as usize])
        };
        Ok((0..self.nodes()).map(any).collect())
    }

    fn check(&self, nodes: &[u32]) -> Result<()> {
        match nodes.iter().find(|&&i| i as usize >= self.nodes()) {
            None => Ok(()),
            Some(i) => Err(Error::parameter(
                "nodes",
                i,
                format!("numbers below {}", self.nodes()),
            )),
        }
    }
}

/// Rows of a graph that another block asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// How long each is.
    pub lengths: Vec<u32>,
    /// Numbers of neighbours in the whole graph, row after row, ascending in each.
    pub columns: Vec<u32>,
    /// Weights of the arcs.
    pub weights: Option<Vec<f32>>,
}

fn fits(offsets: &[i64], entries: usize) -> bool {
    offsets.first() == Some(&0)
        && offsets.last() == Some(&(entries as i64))
        && offsets.windows(2).all(|pair| pair[0] <= pair[1])
}

fn mismatch(name: &'static str, expected: &str) -> Error {
    Error::parameter(name, "lists that do not fit together", expected)
}
