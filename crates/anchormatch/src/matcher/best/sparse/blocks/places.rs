//! Where a number stands in an ascending list, in next to constant time.

/// An ascending list with the beginnings of its stretches.
pub(super) struct Places<'a> {
    numbers: &'a [u32],
    /// Numbers of one stretch have the same bits above this.
    shift: u32,
    begins: Vec<u32>,
}

impl<'a> Places<'a> {
    pub(super) fn new(numbers: &'a [u32]) -> Self {
        let largest = numbers.last().copied().unwrap_or(0);
        let mut shift = 0;
        while (largest >> shift) as usize > 4 * numbers.len().max(1) {
            shift += 1;
        }
        let mut begins = vec![0u32; (largest >> shift) as usize + 2];
        for &number in numbers {
            begins[(number >> shift) as usize + 1] += 1;
        }
        for k in 1..begins.len() {
            begins[k] += begins[k - 1];
        }
        Self {
            numbers,
            shift,
            begins,
        }
    }

    /// The place of a number; `None` when it is not listed.
    #[inline]
    pub(super) fn of(&self, number: u32) -> Option<u32> {
        let stretch = (number >> self.shift) as usize;
        let end = *self.begins.get(stretch + 1)? as usize;
        let begin = self.begins[stretch] as usize;
        let stretch = &self.numbers[begin..end];
        let found = stretch.binary_search(&number).ok()?;
        Some((begin + found) as u32)
    }
}
