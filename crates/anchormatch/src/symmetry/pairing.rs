//! The search for a way to lay one part of a graph upon another.

use super::budget::Budget;
use super::cells::Cells;
use super::links::Links;

/// A connected part of what refinement left open, its nodes numbered from 0 on.
#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    /// The cell of each node, ascending.
    pub(super) cells: Vec<u64>,
    /// Where the links of each node end.
    pub(super) ends: Vec<u32>,
    pub(super) links: Vec<(u32, u64)>,
}

/// Two parts of the same size, the nodes of the second after those of the first.
struct TwoParts<'a>([&'a Part; 2]);

impl Part {
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    fn of(&self, node: usize) -> &[(u32, u64)] {
        let start = match node {
            0 => 0,
            _ => self.ends[node - 1] as usize,
        };
        &self.links[start..self.ends[node] as usize]
    }
}

impl Links for Part {
    fn nodes(&self) -> usize {
        self.len()
    }

    fn each(&self, node: usize, mut visit: impl FnMut(usize, u64)) {
        for &(other, label) in self.of(node) {
            visit(other as usize, label);
        }
    }
}

impl Links for TwoParts<'_> {
    fn nodes(&self) -> usize {
        2 * self.0[0].len()
    }

    fn each(&self, node: usize, mut visit: impl FnMut(usize, u64)) {
        let half = self.0[0].len();
        let (part, first) = if node < half {
            (self.0[0], 0)
        } else {
            (self.0[1], half)
        };
        part.each(node - first, |other, label| visit(first + other, label));
    }
}

/// What a search came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The node of the second part that each node of the first lies upon.
    Found(Vec<u32>),
    /// There is no way.
    Impossible,
    /// The budget was spent.
    Unknown,
}

/// A search over two parts that are of one kind so far as refinement tells.
pub(super) struct Pairing<'a> {
    links: TwoParts<'a>,
    cells: Cells,
    half: usize,
    /// Whether the parts are alike before any choice.
    may_fit: bool,
}

/// A choice that was made: who goes with `node`?
struct Choice {
    mark: usize,
    node: u32,
    others: Vec<u32>,
    next: usize,
    /// Cells before this one have no choice left.
    from: usize,
}

impl<'a> Pairing<'a> {
    /// Two parts of the same size.
    pub(super) fn new(parts: [&'a Part; 2], budget: &mut Budget<'_>) -> Self {
        let half = parts[0].len();
        let colours: Vec<u64> = parts.iter().flat_map(|part| part.cells.clone()).collect();
        let links = TwoParts(parts);
        let mut cells = Cells::new(&colours);
        cells.ask_all();
        let may_fit = parts[0].cells == parts[1].cells
            && cells.refine(&links, Some(half), usize::MAX, budget);
        Self {
            links,
            cells,
            half,
            may_fit,
        }
    }

    /// Any way to lay the first part upon the second.
    pub(super) fn any(&mut self, budget: &mut Budget<'_>) -> Outcome {
        if !self.may_fit {
            return unfit(budget);
        }
        let mark = self.cells.mark();
        let outcome = self.extended(budget);
        self.cells.undo(mark);
        outcome
    }

    /// A way that lays `node` upon `other`.
    pub(super) fn with(&mut self, node: u32, other: u32, budget: &mut Budget<'_>) -> Outcome {
        if !self.may_fit {
            return unfit(budget);
        }
        let mark = self.cells.mark();
        self.cells.set_apart(&[node, other + self.half as u32]);
        let outcome = if self.refined(budget) {
            self.extended(budget)
        } else {
            unfit(budget)
        };
        self.cells.undo(mark);
        outcome
    }

    /// The logarithm of the number of ways to lay a part upon itself: nodes are fixed one after the other, each of
    /// which could have gone to the whole of its orbit, of which `first` tells the size before any is fixed; after
    /// that a cell is taken for one.
    pub(super) fn ways(
        &mut self,
        first: impl FnOnce(u32) -> usize,
        budget: &mut Budget<'_>,
    ) -> f64 {
        let (mark, half) = (self.cells.mark(), self.half as u32);
        let mut first = Some(first);
        let (mut ways, mut from) = (0.0, 0);
        while self.may_fit {
            let Some(start) = self.open_from(from) else {
                break;
            };
            from = start;
            let members = self.cells.members(start).iter();
            let own: Vec<u32> = members.copied().filter(|&v| v < half).collect();
            let several = first.take().map_or(own.len(), |first| first(own[0]));
            ways += (several as f64).ln();
            self.cells.set_apart(&[own[0], own[0] + half]);
            if !self.refined(budget) {
                break;
            }
        }
        self.cells.undo(mark);
        ways
    }

    /// The first cell from a place on that leaves a choice.
    fn open_from(&self, from: usize) -> Option<usize> {
        let mut starts = self.cells.starts_from(from);
        starts.find(|&start| self.cells.members(start).len() > 2)
    }

    fn refined(&mut self, budget: &mut Budget<'_>) -> bool {
        (self.cells).refine(&self.links, Some(self.half), usize::MAX, budget)
    }

    /// Makes choices until none is left, and other ones where they come to nothing.
    fn extended(&mut self, budget: &mut Budget<'_>) -> Outcome {
        let mut choices: Vec<Choice> = Vec::new();
        loop {
            let from = choices.last().map_or(0, |choice| choice.from);
            let Some(start) = self.open_from(from) else {
                return Outcome::Found(self.mapping());
            };
            let (own, others): (Vec<u32>, Vec<u32>) = self
                .cells
                .members(start)
                .iter()
                .partition(|&&v| (v as usize) < self.half);
            choices.push(Choice {
                mark: self.cells.mark(),
                node: own[0],
                others,
                next: 0,
                from: start,
            });
            loop {
                let Some(choice) = choices.last_mut() else {
                    return Outcome::Impossible;
                };
                self.cells.undo(choice.mark);
                let Some(&other) = choice.others.get(choice.next) else {
                    choices.pop();
                    continue;
                };
                choice.next += 1;
                let both = [choice.node, other];
                self.cells.set_apart(&both);
                if self.refined(budget) {
                    break;
                }
                if budget.is_spent() {
                    return Outcome::Unknown;
                }
            }
        }
    }

    /// The pairs that the cells have become.
    fn mapping(&self) -> Vec<u32> {
        let half = self.half as u32;
        let mut mapping = vec![0; self.half];
        for start in self.cells.starts() {
            let members = self.cells.members(start);
            let (v, w) = (members[0].min(members[1]), members[0].max(members[1]));
            mapping[v as usize] = w - half;
        }
        mapping
    }
}

fn unfit(budget: &Budget<'_>) -> Outcome {
    if budget.is_spent() {
        Outcome::Unknown
    } else {
        Outcome::Impossible
    }
}
