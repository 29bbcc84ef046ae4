//! Which assignments are allowed.

use crate::error::{Error, Result};

/// All assignments, or the listed ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates {
    rows: usize,
    cols: usize,
    /// Columns allowed for each row, ascending; `None` when all are.
    lists: Option<Vec<Vec<u32>>>,
}

impl Candidates {
    /// Every row with every column.
    #[must_use]
    pub fn all(rows: usize, cols: usize) -> Self {
        Self {
            rows,
            cols,
            lists: None,
        }
    }

    /// The listed pairs; repetitions count once.
    ///
    /// # Errors
    /// When a pair is outside the shape.
    pub fn listed(
        rows: usize,
        cols: usize,
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self> {
        let mut lists = vec![Vec::new(); rows];
        for (i, a) in pairs {
            if i >= rows || a >= cols {
                return Err(Error::parameter(
                    "candidates",
                    format!("({i}, {a})"),
                    format!("pairs within {rows}×{cols}"),
                ));
            }
            lists[i].push(a as u32);
        }
        for list in &mut lists {
            list.sort_unstable();
            list.dedup();
        }
        Ok(Self {
            rows,
            cols,
            lists: Some(lists),
        })
    }

    /// The numbers of rows and columns.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// Whether nothing is ruled out.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.lists.is_none()
    }

    /// Whether row `i` may take column `a`.
    #[must_use]
    pub fn allows(&self, i: usize, a: usize) -> bool {
        match &self.lists {
            None => true,
            Some(lists) => lists[i].binary_search(&(a as u32)).is_ok(),
        }
    }

    /// The columns that row `i` may take, ascending.
    pub fn of_row(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let (range, list) = match &self.lists {
            None => (0..self.cols, &[][..]),
            Some(lists) => (0..0, &lists[i][..]),
        };
        range.chain(list.iter().map(|&a| a as usize))
    }

    /// How many assignments are allowed.
    #[must_use]
    pub fn count(&self) -> usize {
        match &self.lists {
            None => self.rows * self.cols,
            Some(lists) => lists.iter().map(Vec::len).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_allow_what_they_list() {
        let listed = Candidates::listed(2, 3, [(1, 2), (1, 0), (1, 2)]).unwrap();
        assert_eq!(listed.of_row(1).collect::<Vec<_>>(), vec![0, 2]);
        assert_eq!(listed.of_row(0).count(), 0);
        assert!(listed.allows(1, 2) && !listed.allows(0, 2));
        assert_eq!(listed.count(), 2);
        let all = Candidates::all(2, 3);
        assert_eq!(all.of_row(0).collect::<Vec<_>>(), vec![0, 1, 2]);
        assert_eq!(all.count(), 6);
        assert!(Candidates::listed(2, 3, [(2, 0)]).is_err());
    }
}
