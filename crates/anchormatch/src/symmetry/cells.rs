//! An ordered partition of nodes, refined until nodes of one cell are joined alike to every cell.
//!
//! Partition refinement after Hopcroft: a cell that was split is asked again but for its largest part. The
//! order of the cells depends on how nodes are joined alone and not on how they are numbered, so that the
//! cells of two graphs that were refined together correspond. Splits are kept in a log and can be undone.

use std::collections::VecDeque;

use super::budget::Budget;
use super::links::{Links, mixed};

#[derive(Debug, Clone)]
pub(super) struct Cells {
    /// The nodes, cell by cell.
    order: Vec<u32>,
    /// Where each node stands in `order`.
    place: Vec<u32>,
    /// Where the cell of each node begins.
    cell: Vec<u32>,
    /// How long the cell is that begins at a place.
    len: Vec<u32>,
    /// Cells to be asked, by where they begin.
    queue: VecDeque<u32>,
    is_queued: Vec<bool>,
    /// What the cell that is being asked says of each node.
    sums: Vec<u64>,
    /// Cells that were split off, and from which.
    log: Vec<(u32, u32)>,
    /// A digest of all that was seen.
    trace: u64,
    /// Whom the cell that is being asked is joined to.
    touched: Vec<u32>,
    asked: Vec<u32>,
    /// Where the parts of the cell that is being split begin.
    parts: Vec<u32>,
}

impl Cells {
    /// Nodes of one colour in one cell each, by ascending colour.
    pub(super) fn new(colours: &[u64]) -> Self {
        use rayon::slice::ParallelSliceMut;
        let nodes = colours.len();
        let mut order: Vec<u32> = (0..nodes as u32).collect();
        order.par_sort_unstable_by_key(|&v| (colours[v as usize], v));
        let mut cells = Self {
            place: vec![0; nodes],
            cell: vec![0; nodes],
            len: vec![0; nodes],
            queue: VecDeque::new(),
            is_queued: vec![false; nodes],
            sums: vec![0; nodes],
            log: Vec::new(),
            trace: 0,
            touched: Vec::new(),
            asked: Vec::new(),
            parts: Vec::new(),
            order,
        };
        let mut start = 0;
        for k in 0..nodes {
            let v = cells.order[k] as usize;
            if k > 0 && colours[v] != colours[cells.order[k - 1] as usize] {
                start = k;
            }
            cells.place[v] = k as u32;
            cells.cell[v] = start as u32;
            cells.len[start] += 1;
        }
        cells
    }

    /// Every cell, by where it begins.
    pub(super) fn starts(&self) -> impl Iterator<Item = usize> + '_ {
        self.starts_from(0)
    }

    /// The cells from the one that begins at `first` on.
    pub(super) fn starts_from(&self, first: usize) -> impl Iterator<Item = usize> + '_ {
        let is_there = |start: usize| (start < self.order.len()).then_some(start);
        std::iter::successors(is_there(first), move |&start| {
            is_there(start + self.len[start] as usize)
        })
    }

    /// The nodes of the cell that begins at `start`.
    pub(super) fn members(&self, start: usize) -> &[u32] {
        &self.order[start..start + self.len[start] as usize]
    }

    /// Where the cell of a node begins.
    pub(super) fn of(&self, node: usize) -> usize {
        self.cell[node] as usize
    }

    /// A digest of what refinements saw; to be set back before one that is compared.
    pub(super) fn trace(&mut self) -> &mut u64 {
        &mut self.trace
    }

    /// What [`undo`](Self::undo) goes back to.
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Takes back all splits since a mark.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.log.len() > mark {
            let (start, parent) = self.log.pop().expect("a log longer than the mark");
            let len = std::mem::take(&mut self.len[start as usize]);
            for k in start..start + len {
                self.cell[self.order[k as usize] as usize] = parent;
            }
            self.len[parent as usize] += len;
        }
    }

    /// Has every cell asked.
    pub(super) fn ask_all(&mut self) {
        let starts: Vec<usize> = self.starts().collect();
        for start in starts {
            self.ask(start);
        }
    }

    /// Has the cells asked that could split another: those of neighbours of nodes that are not alone.
    pub(super) fn ask_beside_open<L: Links>(&mut self, links: &L) {
        let mut is_beside = vec![false; self.order.len()];
        for start in self.starts() {
            if self.len[start] > 1 {
                for &v in self.members(start) {
                    links.each(v as usize, |u, _| is_beside[self.cell[u] as usize] = true);
                }
            }
        }
        for (start, _) in is_beside.iter().enumerate().filter(|(_, is)| **is) {
            self.ask(start);
        }
    }

    fn ask(&mut self, start: usize) {
        if !std::mem::replace(&mut self.is_queued[start], true) {
            self.queue.push_back(start as u32);
        }
    }

    /// Makes some nodes of one cell a cell of their own, which is asked next.
    pub(super) fn set_apart(&mut self, nodes: &[u32]) {
        let start = self.of(nodes[0] as usize);
        let end = start + self.len[start] as usize;
        if nodes.len() == end - start {
            return;
        }
        for (k, &v) in nodes.iter().enumerate() {
            self.put(v, end - 1 - k);
        }
        let own = end - nodes.len();
        self.split(start, own, nodes.len());
        self.ask(own);
    }

    /// Exchanges a node with whoever stands at a place.
    fn put(&mut self, node: u32, to: usize) {
        let from = self.place[node as usize] as usize;
        let other = self.order[to];
        self.order.swap(from, to);
        self.place[node as usize] = to as u32;
        self.place[other as usize] = from as u32;
    }

    /// Makes a cell of `len` places from `own` on, which the cell at `parent` had.
    fn split(&mut self, parent: usize, own: usize, len: usize) {
        self.len[parent] -= len as u32;
        self.len[own] = len as u32;
        for k in own..own + len {
            self.cell[self.order[k] as usize] = own as u32;
        }
        self.log.push((own as u32, parent as u32));
    }

    /// Splits cells until no cell tells the nodes of another apart, or `most` cells were asked.
    ///
    /// With `half`, every cell must have as many nodes below it as not below it: false as soon as one has
    /// not, or when the budget, in links, is spent.
    pub(super) fn refine<L: Links>(
        &mut self,
        links: &L,
        half: Option<usize>,
        most: usize,
        budget: &mut Budget<'_>,
    ) -> bool {
        let mut is_fine = true;
        for _ in 0..most {
            let Some(start) = self.queue.pop_front() else {
                break;
            };
            self.is_queued[start as usize] = false;
            is_fine = self.ask_one(links, start as usize, half, budget);
            if !is_fine {
                break;
            }
        }
        for start in self.queue.drain(..) {
            self.is_queued[start as usize] = false;
        }
        is_fine
    }

    /// Splits all cells whose nodes the cell at `start` is joined to in different ways.
    fn ask_one<L: Links>(
        &mut self,
        links: &L,
        start: usize,
        half: Option<usize>,
        budget: &mut Budget<'_>,
    ) -> bool {
        let mut asked = std::mem::take(&mut self.asked);
        let mut touched = std::mem::take(&mut self.touched);
        asked.clear();
        asked.extend_from_slice(self.members(start));
        let mut steps = 0u64;
        for &v in &asked {
            links.each(v as usize, |u, label| {
                steps += 1;
                if self.len[self.cell[u] as usize] > 1 {
                    // Odd, and so never nothing for up to 2⁶³ links.
                    if self.sums[u] == 0 {
                        touched.push(u as u32);
                    }
                    self.sums[u] = self.sums[u].wrapping_add(mixed(label) | 1);
                }
            });
        }
        // Whose sum came back to nothing on the way stands there twice.
        touched.sort_unstable_by_key(|&u| (self.cell[u as usize], self.sums[u as usize], u));
        touched.dedup();
        self.trace = mixed(self.trace ^ start as u64);
        let (mut is_fine, mut rest) = (true, touched.as_slice());
        while let (true, Some(&first)) = (is_fine, rest.first()) {
            let cell = self.cell[first as usize];
            let alike = |&u: &u32| self.cell[u as usize] == cell;
            let (group, others) = rest.split_at(rest.partition_point(alike));
            is_fine = self.split_by_sums(group, half);
            rest = others;
        }
        for &u in &touched {
            self.sums[u as usize] = 0;
        }
        touched.clear();
        self.asked = asked;
        self.touched = touched;
        budget.spend(steps + 1) && is_fine
    }

    /// Splits the cell of `group`, of whose nodes each was touched, by their sums; the nodes of the cell that
    /// were not touched stay together.
    fn split_by_sums(&mut self, group: &[u32], half: Option<usize>) -> bool {
        let start = self.of(group[0] as usize);
        let len = self.len[start] as usize;
        let end = start + len;
        let rest = len - group.len();
        self.trace = mixed(self.trace ^ mixed(start as u64 ^ (rest as u64) << 32));
        // From the last to the first, so that nobody who stands right is moved.
        for (k, &v) in group.iter().enumerate().rev() {
            self.put(v, end - group.len() + k);
        }
        let was_queued = self.is_queued[start];
        let (mut own, mut largest) = (start + rest, (rest, start));
        let mut parts = std::mem::take(&mut self.parts);
        parts.clear();
        parts.extend((rest > 0).then_some(start as u32));
        let mut left = group;
        while let Some(&first) = left.first() {
            let sum = self.sums[first as usize];
            let alike = |&u: &u32| self.sums[u as usize] == sum;
            let (part, others) = left.split_at(left.partition_point(alike));
            left = others;
            self.trace = mixed(self.trace ^ sum ^ part.len() as u64);
            if let Some(half) = half {
                let below = part.iter().filter(|&&v| (v as usize) < half).count();
                if 2 * below != part.len() {
                    self.parts = parts;
                    return false;
                }
            }
            if own > start {
                self.split(start, own, part.len());
            }
            if part.len() > largest.0 {
                largest = (part.len(), own);
            }
            parts.push(own as u32);
            own += part.len();
        }
        if parts.len() > 1 {
            for &part in &parts {
                if was_queued || part as usize != largest.1 {
                    self.ask(part as usize);
                }
            }
        }
        self.parts = parts;
        true
    }
}
