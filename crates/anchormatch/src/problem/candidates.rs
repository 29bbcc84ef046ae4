//! Which assignments are allowed.

use crate::error::{Error, Result};
use crate::linalg::Csr;

/// All assignments, or the listed ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates {
    rows: usize,
    cols: usize,
    /// The allowed ones; `None` when all are.
    listed: Option<Csr<()>>,
}

impl Candidates {
    /// Every row with every column.
    #[must_use]
    pub fn all(rows: usize, cols: usize) -> Self {
        Self {
            rows,
            cols,
            listed: None,
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
        let mut outside = None;
        let pairs = pairs.into_iter().map_while(|(i, a)| {
            let inside = i < rows && a < cols;
            outside = (!inside).then_some((i, a));
            inside.then_some((i, a))
        });
        let listed = Csr::pattern(rows, cols, pairs)?;
        match outside {
            Some((i, a)) => Err(Error::parameter(
                "candidates",
                format!("({i}, {a})"),
                format!("pairs within {rows}×{cols}"),
            )),
            None => Ok(Self {
                rows,
                cols,
                listed: Some(listed),
            }),
        }
    }

    /// The numbers of rows and columns.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// Whether nothing is ruled out.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.listed.is_none()
    }

    /// Whether row `i` may take column `a`.
    #[must_use]
    pub fn allows(&self, i: usize, a: usize) -> bool {
        match &self.listed {
            None => true,
            Some(listed) => listed.place(i, a).is_some(),
        }
    }

    /// The columns that row `i` may take, ascending.
    pub fn of_row(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let (range, list) = match &self.listed {
            None => (0..self.cols, &[][..]),
            Some(listed) => (0..0, listed.columns(i)),
        };
        range.chain(list.iter().map(|&a| a as usize))
    }

    /// The lists, unless nothing is ruled out.
    #[must_use]
    pub fn lists(&self) -> Option<&Csr<()>> {
        self.listed.as_ref()
    }

    /// Bytes that the lists take.
    pub(super) fn memory(&self) -> u64 {
        self.listed.as_ref().map_or(0, Csr::memory)
    }

    /// How many assignments are allowed.
    #[must_use]
    pub fn count(&self) -> usize {
        match &self.listed {
            None => self.rows * self.cols,
            Some(listed) => listed.entries(),
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
