//! When a solve that takes long may be cut short.

/// Entries read before anybody is asked: a fraction of a second, in which most solves end by themselves.
const UNASKED: u64 = 1 << 27;

/// Asks whether to go on, once enough entries were read to be worth the question.
pub(super) struct Patience<'g> {
    unasked: u64,
    read: u64,
    go_on: &'g dyn Fn() -> bool,
    has_ended: bool,
}

impl<'g> Patience<'g> {
    pub(super) fn new(go_on: &'g dyn Fn() -> bool) -> Self {
        Self {
            unasked: UNASKED,
            read: 0,
            go_on,
            has_ended: false,
        }
    }

    /// One that asks from the beginning.
    #[cfg(test)]
    pub(super) fn without_grace(go_on: &'g dyn Fn() -> bool) -> Self {
        Self {
            unasked: 0,
            ..Self::new(go_on)
        }
    }

    /// Notes that so many entries more were read; whether to go on.
    pub(super) fn lasts(&mut self, read: usize) -> bool {
        self.read = self.read.saturating_add(read as u64);
        if !self.has_ended && self.read >= self.unasked {
            self.has_ended = !(self.go_on)();
        }
        !self.has_ended
    }

    /// Whether it has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::costs::Costs;
    use super::super::row_by_row::RowByRow;
    use super::super::search::Search;
    use super::*;

    /// Rows that want the same columns, which leaves the reductions most of them.
    fn hard(rows: usize, columns: usize) -> Vec<f64> {
        let value = |i: usize, j: usize| ((i * 17 + 5) % rows * ((j * 23 + 1) % columns)) as f64;
        let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        places.map(|(i, j)| value(i, j)).collect()
    }

    #[test]
    fn a_stop_after_any_question_is_the_last_one_and_leaves_everybody_a_partner() {
        for (rows, columns) in [(40, 40), (30, 45), (3, 3)] {
            let entries = hard(rows, columns);
            let costs = Costs::<false>::new(&entries, rows, columns);
            let total = |columns: &[u32]| -> f64 {
                let pairs = columns.iter().enumerate();
                pairs.map(|(i, &j)| costs.at(i, j as usize)).sum()
            };
            let mut whole = Search::default();
            assert!(whole.run(costs, &mut Patience::new(&|| true)));
            let best = total(whole.matched().columns);
            for by_rows in [false, true] {
                for answers in 0..60usize {
                    let asked = Cell::new(0);
                    let go_on = || {
                        asked.set(asked.get() + 1);
                        asked.get() <= answers
                    };
                    let mut patience = Patience::without_grace(&go_on);
                    let (mut search, mut plain) = (Search::default(), RowByRow::default());
                    let matched = if by_rows {
                        assert!(plain.run(costs, &mut patience));
                        plain.matched()
                    } else {
                        assert!(search.run(costs, &mut patience));
                        search.matched()
                    };
                    // Nobody is asked again after a no.
                    assert!(asked.get() <= answers + 1, "{rows}×{columns} {answers}");
                    let mut taken = matched.columns.to_vec();
                    taken.sort_unstable();
                    taken.dedup();
                    assert_eq!(taken.len(), rows, "{rows}×{columns} {answers}");
                    assert!(total(matched.columns) >= best - 1e-9);
                    if asked.get() <= answers {
                        assert_eq!(total(matched.columns), best);
                    }
                }
            }
        }
    }

    #[test]
    fn little_work_is_done_without_a_question() {
        let entries = hard(40, 40);
        let never = || panic!("asked");
        let costs = Costs::<true>::new(&entries, 40, 40);
        assert!(Search::default().run(costs, &mut Patience::new(&never)));
    }
}
