//! Who could be the partners of some nodes of a block?

use super::super::beliefs::shortlist;
use super::super::known::Known;
use super::super::neighbours::{self, Outlook, Scratch};
use super::super::rows::for_nodes;
use super::super::side::Side;
use super::places::Places;
use super::{Block, Lists, NONE, Rows, Setting, fits, mismatch};
use crate::error::Result;
use crate::linalg::Csr;
use crate::matcher::best::thresholds::sparse::CERTAIN;
use crate::monitor::Monitor;

/// What is believed of the ghosts.
#[derive(Debug, Clone, Copy)]
pub enum Believed<'a> {
    /// Their partners, [`NONE`] where they have none.
    Settled(&'a [u32]),
    /// The same, and candidates of those that have none.
    Tentative(&'a [u32], Lists<'a>),
    /// Candidates of all; one that is as good as certain is the partner.
    Averaged(Lists<'a>),
}

/// What is to be found for each node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// The likeliest partner and its probability.
    Best,
    /// So many partners and their probabilities.
    Likeliest(usize),
    /// The evidence of all that are not ruled out by it.
    Evidence,
}

/// The part of the other graph that speaks for the partners of some nodes.
#[derive(Debug, Clone, Copy)]
pub struct Halo<'a> {
    /// The nodes that [`Block::reach`] named, with their degrees.
    pub partners: &'a [u32],
    /// Their degrees.
    pub partner_degrees: &'a [u32],
    /// Their rows: where each begins, and the nodes in them.
    pub offsets: &'a [i64],
    /// The nodes in the rows, by their numbers in the whole graph.
    pub columns: &'a [u32],
    /// The arcs' weights.
    pub weights: Option<&'a [f32]>,
    /// All nodes in the rows and those that are named otherwise, ascending.
    pub nodes: &'a [u32],
    /// Their degrees.
    pub degrees: &'a [u32],
    /// Their neighbours that have partners.
    pub settled: &'a [f32],
    /// Whether they can be chosen.
    pub open: &'a [bool],
}

/// Which nodes of a block are asked about, and what is known.
#[derive(Debug, Clone, Copy)]
pub struct Inquiry<'a> {
    /// Which graph the block is of: 0 for the source.
    pub from: usize,
    /// The nodes, by their places in the block.
    pub nodes: &'a [u32],
    /// What is believed of the ghosts.
    pub believed: Believed<'a>,
    /// For every node of the block, its neighbours that have partners.
    pub settled: &'a [f32],
    /// Soft anchors: a node by its place among `nodes`, one of the other graph, and nats.
    pub soft: &'a [(u32, u32, f32)],
    /// The largest nats of any soft anchor of the whole task.
    pub most: f32,
    /// The likelihood of all nodes that nobody speaks for, together.
    pub others: f64,
    /// What is to be found.
    pub question: Question,
}

impl Believed<'_> {
    fn fits(&self, ghosts: usize) -> bool {
        match self {
            Self::Settled(partners) => partners.len() == ghosts,
            Self::Tentative(partners, lists) => partners.len() == ghosts && lists.rows() == ghosts,
            Self::Averaged(lists) => lists.rows() == ghosts,
        }
    }

    /// The partner of a ghost that is taken for certain.
    fn certain(&self, j: usize) -> u32 {
        match self {
            Self::Settled(partners) | Self::Tentative(partners, _) => partners[j],
            Self::Averaged(lists) => {
                let mut entries = lists.row(j);
                let found = entries.find(|(_, share)| *share > CERTAIN);
                found.map_or(NONE, |(b, _)| b)
            }
        }
    }

    fn lists(&self) -> Option<Lists<'_>> {
        match self {
            Self::Settled(_) => None,
            Self::Tentative(_, lists) | Self::Averaged(lists) => Some(*lists),
        }
    }
}

impl Block<'_> {
    /// The nodes of the other graph whose rows speak for partners of these nodes, ascending.
    ///
    /// # Errors
    /// When what is believed is not of the ghosts, or there is no such node.
    pub fn reach(&self, nodes: &[u32], believed: Believed<'_>) -> Result<Vec<u32>> {
        self.check(nodes)?;
        if !believed.fits(self.ghosts.len()) {
            return Err(mismatch("believed", "something of every ghost"));
        }
        let mut reached = Vec::new();
        for j in self.used(nodes).0 {
            match (believed.certain(j as usize), believed.lists()) {
                (NONE, None) => {}
                (NONE, Some(lists)) => reached.extend(lists.row(j as usize).map(|entry| entry.0)),
                (b, _) => reached.push(b),
            }
        }
        reached.sort_unstable();
        reached.dedup();
        Ok(reached)
    }

    /// The ghosts next to some nodes, ascending, and the place of each ghost among them.
    fn used(&self, nodes: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let mut places = vec![NONE; self.ghosts.len()];
        for &i in nodes {
            for place in self.range(i as usize) {
                places[self.columns[place] as usize] = 0;
            }
        }
        let used: Vec<u32> = (0..self.ghosts.len() as u32)
            .filter(|&j| places[j as usize] != NONE)
            .collect();
        for (k, &j) in used.iter().enumerate() {
            places[j as usize] = k as u32;
        }
        (used, places)
    }
}

/// The answers for every node, as rows of nodes of the other graph and values.
///
/// # Errors
/// When what is given does not fit together.
///
/// # Complexity
/// As in the sparse regime: O(Σ degrees of the partners of neighbours) a node; memory for the halo once more.
pub fn ask(
    setting: &Setting,
    block: &Block<'_>,
    halo: &Halo<'_>,
    inquiry: &Inquiry<'_>,
) -> Result<Rows> {
    block.check(inquiry.nodes)?;
    let sound = inquiry.believed.fits(block.ghosts.len())
        && inquiry.settled.len() == block.nodes()
        && inquiry.from < 2
        && halo.fits();
    if !sound {
        return Err(mismatch(
            "halo",
            "rows, degrees and beliefs that fit together",
        ));
    }
    let from = inquiry.from;
    // The own graph: ghosts first, then the nodes that are asked about.
    let (used, places) = block.used(inquiry.nodes);
    let first = used.len();
    let arcs = inquiry.nodes.iter().map(|&i| block.range(i as usize).len());
    let arcs = arcs.sum();
    let mut offsets = vec![0; first + 1];
    let mut columns = Vec::with_capacity(arcs);
    let mut weights = block.weights.map(|_| Vec::with_capacity(arcs));
    for &i in inquiry.nodes {
        for place in block.range(i as usize) {
            columns.push(places[block.columns[place] as usize]);
            if let (Some(out), Some(given)) = (&mut weights, block.weights) {
                out.push(given[place]);
            }
        }
        offsets.push(columns.len());
    }
    let count = first + inquiry.nodes.len();
    let own_edges = pattern(count, offsets, columns)?;
    let ghost_degrees = used.iter().map(|&j| block.degrees[j as usize]);
    let own_degrees = inquiry.nodes.iter().map(|&i| block.degree(i as usize));
    let degrees = ghost_degrees.chain(own_degrees).collect();
    let own = Side::part(&own_edges, degrees, weights, &setting.laws[from]);
    let mut settled = vec![0.0; first];
    settled.extend(inquiry.nodes.iter().map(|&i| inquiry.settled[i as usize]));
    // The other graph: partners with their rows, then the nodes in these.
    let begin = halo.partners.len();
    let at = Places::new(halo.nodes);
    let unlisted = || mismatch("halo", "every node of its rows among its nodes");
    let column = |a: &u32| at.of(*a).map(|k| begin as u32 + k).ok_or_else(unlisted);
    let mut columns = Vec::with_capacity(halo.columns.len());
    for a in halo.columns {
        columns.push(column(a)?);
    }
    let others = begin + halo.nodes.len();
    let mut offsets = Vec::with_capacity(others + 1);
    offsets.extend(halo.offsets.iter().map(|&o| o as usize));
    offsets.resize(others + 1, halo.columns.len());
    let other_edges = pattern(others, offsets, columns)?;
    let degrees = halo.partner_degrees.iter().chain(halo.degrees).copied();
    let weights = halo.weights.map(<[f32]>::to_vec);
    let other = Side::part(
        &other_edges,
        degrees.collect(),
        weights,
        &setting.laws[1 - from],
    );
    let mut other_settled = vec![0.0; begin];
    other_settled.extend_from_slice(halo.settled);
    let partner_at = Places::new(halo.partners);
    let unreached = || mismatch("halo", "the rows of all nodes that the block reaches");
    let mut certain = vec![NONE; count];
    // Flat lists: a row of its own for each ghost would cost more than what it holds.
    let listed = inquiry.believed.lists().map_or(0, |lists| lists.len());
    let mut ends = Vec::with_capacity(count + 1);
    ends.push(0);
    let mut candidates = Vec::with_capacity(listed);
    let mut shares = Vec::with_capacity(listed);
    for (k, &j) in used.iter().enumerate() {
        let b = inquiry.believed.certain(j as usize);
        if b != NONE {
            certain[k] = partner_at.of(b).ok_or_else(unreached)?;
        } else if let Some(lists) = inquiry.believed.lists() {
            for (b, share) in lists.row(j as usize) {
                candidates.push(partner_at.of(b).ok_or_else(unreached)?);
                shares.push(share);
            }
        }
        ends.push(candidates.len());
    }
    ends.resize(count + 1, candidates.len());
    let lists = Csr::from_parts(others, ends, candidates, shares)?;
    let mut sizes = [count, others];
    let mut model_degrees = [&own.expected[..], &other.expected[..]];
    if from == 1 {
        sizes.reverse();
        model_degrees.reverse();
    }
    let mut soft = Vec::with_capacity(inquiry.soft.len());
    for &(node, a, nats) in inquiry.soft {
        let a = begin + at.of(a).ok_or_else(unlisted)? as usize;
        let (own, other) = (first + node as usize, a);
        soft.push(if from == 0 {
            (own, other, nats)
        } else {
            (other, own, nats)
        });
    }
    let known = Known::of_soft((sizes[0], sizes[1]), soft, inquiry.most)?;
    let model = setting.model(model_degrees);
    let is_open = |a: u32| halo.open[a as usize - begin];
    let outlook = Outlook {
        own: &own,
        other: &other,
        believed: match inquiry.believed {
            Believed::Settled(_) => neighbours::Believed::Settled(&certain),
            Believed::Tentative(..) => neighbours::Believed::Tentative(&certain, &lists),
            Believed::Averaged(_) => neighbours::Believed::Averaged(&certain, &lists),
        },
        open: &is_open,
        settled: [&settled, &other_settled],
        lost: None,
        model: &model,
        from,
        known: &known,
        others: inquiry.others,
    };
    let asked: Vec<u32> = (first as u32..count as u32).collect();
    let answers = for_nodes(&asked, &Monitor::silent(), |i, scratch| {
        answer(&outlook, i, inquiry.question, scratch)
    });
    let mut found = Rows {
        lengths: Vec::with_capacity(asked.len()),
        columns: Vec::new(),
        weights: Some(Vec::new()),
    };
    for row in answers.unwrap_or_default() {
        found.lengths.push(row.len() as u32);
        for (a, value) in row {
            found.columns.push(halo.nodes[a as usize - begin]);
            if let Some(values) = &mut found.weights {
                values.push(value);
            }
        }
    }
    Ok(found)
}

fn answer(
    outlook: &Outlook<'_, ()>,
    i: usize,
    question: Question,
    scratch: &mut Scratch,
) -> Vec<(u32, f32)> {
    let mut row = Vec::new();
    match question {
        Question::Best => row.extend(outlook.best(i, scratch)),
        Question::Likeliest(most) => outlook.list(i, most, scratch, &mut row),
        Question::Evidence => {
            outlook.candidates(i, scratch);
            shortlist(&scratch.candidates, &mut row);
        }
    }
    row
}

fn pattern(cols: usize, offsets: Vec<usize>, columns: Vec<u32>) -> Result<Csr<()>> {
    let values = vec![(); columns.len()];
    Csr::from_parts(cols, offsets, columns, values)
}

impl Halo<'_> {
    fn fits(&self) -> bool {
        let nodes = self.nodes.len();
        self.offsets.len() == self.partners.len() + 1
            && fits(self.offsets, self.columns.len())
            && self.partner_degrees.len() == self.partners.len()
            && self.weights.is_none_or(|w| w.len() == self.columns.len())
            && [self.degrees.len(), self.settled.len(), self.open.len()] == [nodes; 3]
    }
}
